"""Cross-attention: queries come from X, keys and values from a memory M of another length.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.3, "encoder-decoder attention".
"""

from attnhand.attention.mechanisms.base import AttentionStages, Content, Dimension, GivenMatrix, Mechanism, Stage
from attnhand.attention.operations import Divide, Power, Product, ProductRole, ScaleScores, Sum

_FEATURES, _KEY_SIZE, _VALUE_SIZE = Dimension("features"), Dimension("d_k"), Dimension("d_v")
_X, _Q, _Z = (Dimension("tokens", letter) for letter in "xqz")
_M, _K, _V = (Dimension("memory", letter) for letter in "mkv")

CROSS = Mechanism(
    name="cross",
    given=(
        GivenMatrix("X", Content.TOKENS, _FEATURES, _X),
        GivenMatrix("M", Content.TOKENS, _FEATURES, _M),
        GivenMatrix("W_Q", Content.WEIGHTS, _KEY_SIZE, _FEATURES),
        GivenMatrix("W_K", Content.WEIGHTS, _KEY_SIZE, _FEATURES),
        GivenMatrix("W_V", Content.WEIGHTS, _VALUE_SIZE, _FEATURES),
    ),
    stages=(
        Stage("Q", "queries", Product(role=ProductRole.PROJECTION), ("W_Q", "X"), _KEY_SIZE, _Q),
        Stage("K", "keys", Product(role=ProductRole.PROJECTION), ("W_K", "M"), _KEY_SIZE, _K),
        Stage("V", "values", Product(role=ProductRole.PROJECTION), ("W_V", "M"), _VALUE_SIZE, _V),
        Stage("S", "scores", Product(role=ProductRole.SCORES, is_left_transposed=True), ("K", "Q"), _K, _Q),
        Stage("scaled", "scaled", ScaleScores(), ("S",), _K, _Q),
        Stage("powers", "powers", Power(), ("scaled",), _K, _Q),
        Stage("sums", "sums", Sum(), ("powers",), Dimension("one", "Σ"), _Q),
        Stage("A", "weights", Divide(), ("powers", "sums"), _K, _Q),
        Stage("Z", "outputs", Product(role=ProductRole.MIXTURE), ("V", "A"), _VALUE_SIZE, _Z),
    ),
    attentions=(AttentionStages(scores="S", scaled="scaled", powers="powers", sums="sums", weights="A", outputs="Z"),),
    stage_chains=(("K", "Q", "S", "scaled"), ("powers", "sums", "A", "Z")),
)
