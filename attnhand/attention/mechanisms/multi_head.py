"""Multi-head attention: several heads over the same X, their outputs joined and mixed by W_O.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
"""

from attnhand.attention.mechanisms.base import Axis, Content, Given, Mechanism, Stage, in_head
from attnhand.attention.mechanisms.self_attention import SELF_ATTENTION
from attnhand.attention.operations import Concatenate, Product, Role

_FEATURES, _Z, _O = Axis("features"), Axis("tokens", "z"), Axis("tokens", "o")


def multi_head(heads: int) -> Mechanism:
    """Return attention in so many heads."""
    parts = [in_head(SELF_ATTENTION, head, shared=("X",)) for head in range(1, heads + 1)]
    joined = Axis("d_v", times=heads)
    return Mechanism(
        name="multi-head",
        given=(
            SELF_ATTENTION.given[0],
            *(given for part in parts for given in part.given if given.head),
            Given("W_O", Content.WEIGHTS, _FEATURES, joined),
        ),
        stages=(
            *(stage for part in parts for stage in part.stages),
            Stage("concat", "concat", Concatenate(), tuple(part.stages[-1].name for part in parts), joined, _Z),
            Stage("output", "output", Product(role=Role.LAYER), ("W_O", "concat"), _FEATURES, _O),
        ),
        # one run a head: a small one has room on one page
        runs=(*(tuple(name for run in part.runs for name in run) for part in parts), ("concat", "output")),
    )
