"""Self-attention, one head: queries, keys and values all come from the same X.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1; drawn with tokens as columns after
T. Yeh, "AI by Hand".
"""

from attnhand.attention.mechanisms.base import AttentionStages, Content, Dimension, GivenMatrix, Mechanism, Stage
from attnhand.attention.operations import Divide, Power, Product, ProductRole, ScaleScores, Sum

_FEATURES, _KEY_SIZE, _VALUE_SIZE = Dimension("features"), Dimension("d_k"), Dimension("d_v")
_X, _Q, _K, _V, _Z = (Dimension("tokens", letter) for letter in "xqkvz")

SELF_ATTENTION = Mechanism(
    name="self",
    given=(
        GivenMatrix("X", Content.TOKENS, _FEATURES, _X),
        GivenMatrix("W_Q", Content.WEIGHTS, _KEY_SIZE, _FEATURES),
        GivenMatrix("W_K", Content.WEIGHTS, _KEY_SIZE, _FEATURES),
        GivenMatrix("W_V", Content.WEIGHTS, _VALUE_SIZE, _FEATURES),
    ),
    stages=(
        Stage("Q", "queries", Product(role=ProductRole.PROJECTION), ("W_Q", "X"), _KEY_SIZE, _Q),
        Stage("K", "keys", Product(role=ProductRole.PROJECTION), ("W_K", "X"), _KEY_SIZE, _K),
        Stage("V", "values", Product(role=ProductRole.PROJECTION), ("W_V", "X"), _VALUE_SIZE, _V),
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
