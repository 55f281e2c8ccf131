"""Basic self-attention: no parameters, no scaling; the inputs themselves are compared and mixed.

Source: S. Raschka, lecture "Self-Attention and Scaled Dot-Product Attention", 2021, its first step.
"""

from attnhand.attention.mechanisms.base import AttentionStages, Content, Dimension, GivenMatrix, Mechanism, Stage
from attnhand.attention.operations import Divide, Power, Product, ProductRole, Sum

_FEATURES = Dimension("features")
_X, _Z = Dimension("tokens", "x"), Dimension("tokens", "z")

BASIC = Mechanism(
    name="basic",
    given=(GivenMatrix("X", Content.TOKENS, _FEATURES, _X),),
    stages=(
        Stage("S", "scores", Product(role=ProductRole.SCORES, is_left_transposed=True), ("X", "X"), _X, _X),
        Stage("powers", "powers", Power(), ("S",), _X, _X),
        Stage("sums", "sums", Sum(), ("powers",), Dimension("one", "Σ"), _X),
        Stage("A", "weights", Divide(), ("powers", "sums"), _X, _X),
        Stage("Z", "outputs", Product(role=ProductRole.MIXTURE), ("X", "A"), _FEATURES, _Z),
    ),
    attentions=(AttentionStages(scores="S", powers="powers", sums="sums", weights="A", outputs="Z"),),
    stage_chains=(("S", "powers", "sums", "A", "Z"),),
)
