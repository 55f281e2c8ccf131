"""Multi-head attention: several heads over the same X, their outputs joined and mixed by W_O.

Source: Vaswani et al., "Attention Is All You Need", 2017, section 3.2.2.
"""

from attnhand.attention.mechanisms.base import Content, Dimension, GivenMatrix, Mechanism, Stage, make_head
from attnhand.attention.mechanisms.self_attention import SELF_ATTENTION
from attnhand.attention.operations import Concatenate, Product, ProductRole

_FEATURES, _Z, _O = Dimension("features"), Dimension("tokens", "z"), Dimension("tokens", "o")


def build_multi_head(head_count: int) -> Mechanism:
    """Return attention in so many heads."""
    parts = [make_head(SELF_ATTENTION, head, shared_names=("X",)) for head in range(1, head_count + 1)]
    joined = Dimension("d_v", multiplier=head_count)
    return Mechanism(
        name="multi-head",
        given=(
            SELF_ATTENTION.given[0],
            *(given for part in parts for given in part.given if given.head),
            GivenMatrix("W_O", Content.WEIGHTS, _FEATURES, joined),
        ),
        stages=(
            *(stage for part in parts for stage in part.stages),
            Stage("concat", "concat", Concatenate(), tuple(part.stages[-1].name for part in parts), joined, _Z),
            Stage("output", "output", Product(role=ProductRole.LAYER), ("W_O", "concat"), _FEATURES, _O),
        ),
        attentions=tuple(each for part in parts for each in part.attentions),
        # one chain a head: a small one has room on one page
        stage_chains=(
            *(tuple(name for chain in part.stage_chains for name in chain) for part in parts),
            ("concat", "output"),
        ),
    )
