"""Basic self-attention: no parameters, no scaling; the inputs themselves are compared and mixed.

Source: S. Raschka, lecture "Self-Attention and Scaled Dot-Product Attention", 2021, its first step.
"""

from attnhand.attention.mechanisms.base import Axis, Content, Given, Mechanism, Stage
from attnhand.attention.operations import Divide, Power, Product, Role, Sum

_FEATURES = Axis("features")
_X, _Z = Axis("tokens", "x"), Axis("tokens", "z")

BASIC = Mechanism(
    name="basic",
    given=(Given("X", Content.TOKENS, _FEATURES, _X),),
    stages=(
        Stage("S", "scores", Product(role=Role.SCORES, left_transposed=True), ("X", "X"), _X, _X),
        Stage("powers", "powers", Power(), ("S",), _X, _X),
        Stage("sums", "sums", Sum(), ("powers",), Axis("one", "Σ"), _X),
        Stage("A", "weights", Divide(), ("powers", "sums"), _X, _X),
        Stage("Z", "outputs", Product(role=Role.MIXTURE), ("X", "A"), _FEATURES, _Z),
    ),
    runs=(("S", "powers", "sums", "A", "Z"),),
)
