"""A block: attention, which mixes across tokens, then the feed-forward network, which mixes across features.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.1 and 3.3, without what is added and normalised.
"""

from dataclasses import replace

from attnhand.attention.mechanisms.base import Content, Dimension, GivenMatrix, Mechanism, Stage
from attnhand.attention.mechanisms.multi_head import build_multi_head
from attnhand.attention.mechanisms.self_attention import SELF_ATTENTION
from attnhand.attention.operations import Product, ProductRole, ReLU

_FEATURES, _HIDDEN, _ONE = Dimension("features"), Dimension("hidden"), Dimension("one", "b")
_F, _R = Dimension("tokens", "f"), Dimension("tokens", "r")
_G, _Y = Dimension("tokens", "g"), Dimension("tokens", "y")
"""Each layer has letters of its own: two tables headed f₁ … f₄ would be taken for one."""


def build_block(head_count: int) -> Mechanism:
    """Return attention in so many heads, one or several, and two layers with ReLU after it."""
    attention = SELF_ATTENTION if head_count == 1 else build_multi_head(head_count)
    last = attention.stages[-1]
    layer = Product(role=ProductRole.LAYER, has_bias=True)
    return replace(
        attention,
        name="block",
        given=(
            *attention.given,
            GivenMatrix("W_1", Content.WEIGHTS, _HIDDEN, last.rows),
            GivenMatrix("b_1", Content.BIAS, _HIDDEN, _ONE),
            GivenMatrix("W_2", Content.WEIGHTS, _FEATURES, _HIDDEN),
            GivenMatrix("b_2", Content.BIAS, _FEATURES, _ONE),
        ),
        stages=(
            *attention.stages,
            Stage("F1", "layer", layer, ("W_1", "b_1", last.name), _HIDDEN, _F),
            Stage("relu1", "relu", ReLU(), ("F1",), _HIDDEN, _R),
            Stage("F2", "layer", layer, ("W_2", "b_2", "relu1"), _FEATURES, _G),
            Stage("relu2", "relu", ReLU(), ("F2",), _FEATURES, _Y),
        ),
        stage_chains=(*attention.stage_chains, ("F1", "relu1", "F2", "relu2")),
    )
