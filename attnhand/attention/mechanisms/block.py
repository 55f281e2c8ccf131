"""A block: attention, which mixes across tokens, then the feed-forward network, which mixes across features.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.1 and 3.3, without what is added and normalised.
"""

from dataclasses import replace

from attnhand.attention.mechanisms.base import Axis, Content, Given, Mechanism, Stage
from attnhand.attention.mechanisms.multi_head import multi_head
from attnhand.attention.mechanisms.self_attention import SELF_ATTENTION
from attnhand.attention.operations import Product, ReLU, Role

_FEATURES, _HIDDEN, _ONE = Axis("features"), Axis("hidden"), Axis("one", "b")
_F, _R = Axis("tokens", "f"), Axis("tokens", "r")


def block(heads: int) -> Mechanism:
    """Return attention in so many heads, one or several, and two layers with ReLU after it."""
    attention = SELF_ATTENTION if heads == 1 else multi_head(heads)
    last = attention.stages[-1]
    layer = Product(role=Role.LAYER, biased=True)
    return replace(
        attention,
        name="block",
        given=(
            *attention.given,
            Given("W_1", Content.WEIGHTS, _HIDDEN, last.rows),
            Given("b_1", Content.BIAS, _HIDDEN, _ONE),
            Given("W_2", Content.WEIGHTS, _FEATURES, _HIDDEN),
            Given("b_2", Content.BIAS, _FEATURES, _ONE),
        ),
        stages=(
            *attention.stages,
            Stage("F1", "layer", layer, ("W_1", "b_1", last.name), _HIDDEN, _F),
            Stage("relu1", "relu", ReLU(), ("F1",), _HIDDEN, _R),
            Stage("F2", "layer", layer, ("W_2", "b_2", "relu1"), _FEATURES, _F),
            Stage("relu2", "relu", ReLU(), ("F2",), _FEATURES, _R),
        ),
        runs=(*attention.runs, ("F1", "relu1", "F2", "relu2")),
    )
