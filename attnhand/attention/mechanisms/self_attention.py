"""Self-attention, one head: queries, keys and values all come from the same X.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.1; drawn with tokens as columns after
T. Yeh, "AI by Hand".
"""

from attnhand.attention.mechanisms.base import Axis, Content, Given, Mechanism, Stage
from attnhand.attention.operations import Divide, Power, Product, Role, ScaleScores, Sum

_FEATURES, _KEY_SIZE, _VALUE_SIZE = Axis("features"), Axis("d_k"), Axis("d_v")
_X, _Q, _K, _V, _Z = (Axis("tokens", letter) for letter in "xqkvz")

SELF_ATTENTION = Mechanism(
    name="self",
    given=(
        Given("X", Content.TOKENS, _FEATURES, _X),
        Given("W_Q", Content.WEIGHTS, _KEY_SIZE, _FEATURES),
        Given("W_K", Content.WEIGHTS, _KEY_SIZE, _FEATURES),
        Given("W_V", Content.WEIGHTS, _VALUE_SIZE, _FEATURES),
    ),
    stages=(
        Stage("Q", "queries", Product(role=Role.PROJECTION), ("W_Q", "X"), _KEY_SIZE, _Q),
        Stage("K", "keys", Product(role=Role.PROJECTION), ("W_K", "X"), _KEY_SIZE, _K),
        Stage("V", "values", Product(role=Role.PROJECTION), ("W_V", "X"), _VALUE_SIZE, _V),
        Stage("S", "scores", Product(role=Role.SCORES, left_transposed=True), ("K", "Q"), _K, _Q),
        Stage("scaled", "scaled", ScaleScores(), ("S",), _K, _Q),
        Stage("powers", "powers", Power(), ("scaled",), _K, _Q),
        Stage("sums", "sums", Sum(), ("powers",), Axis("one", "Σ"), _Q),
        Stage("A", "weights", Divide(), ("powers", "sums"), _K, _Q),
        Stage("Z", "outputs", Product(role=Role.MIXTURE), ("V", "A"), _VALUE_SIZE, _Z),
    ),
    runs=(("K", "Q", "S", "scaled"), ("powers", "sums", "A", "Z")),
)
