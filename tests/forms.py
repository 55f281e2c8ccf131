"""Every format, and every form a drawn sheet can have: each mechanism, its heads, the mask, words, positions."""

from itertools import cycle

from attnhand.attention.mechanisms import Convention, Form
from attnhand.formats.registry import FORMATS

DRAWN_FORMATS = ("pdf", "svg", "png")
"""Formats that are drawn, which takes long."""

TEXT_FORMATS = tuple(name for name in FORMATS if name not in DRAWN_FORMATS)
"""All others."""

WORDS = ("the", "cat", "saw", "the", "dog")
"""One of them is there twice."""

PLAIN_FORMS: dict[str, Form] = {
    "self": Form(),
    "basic": Form(mechanism="basic"),
    "cross": Form(mechanism="cross"),
    "multi-head-2": Form(mechanism="multi-head"),
    "multi-head-3": Form(mechanism="multi-head", heads=3),
    "multi-head-4": Form(mechanism="multi-head", heads=4),
    "block-1": Form(mechanism="block"),
    "block-2": Form(mechanism="block", heads=2),
}
"""Every mechanism with nothing added."""

CAUSAL_FORMS: dict[str, Form] = {
    f"{name}-causal": Form(mechanism=form.mechanism, heads=form.heads, causal=True)
    for name, form in PLAIN_FORMS.items()
    if name != "cross"
}
"""The same with a mask, where there is one."""

WORDED_FORMS: dict[str, Form] = {
    "self-words": Form(embedded=WORDS),
    "self-words-positions": Form(embedded=WORDS, positions=True),
    "block-1-words-positions-causal": Form(mechanism="block", embedded=WORDS, positions=True, causal=True),
}
"""Some with words that are looked up in a table."""

FORMS: dict[str, Form] = {**PLAIN_FORMS, **CAUSAL_FORMS, **WORDED_FORMS}

IN_TURN: tuple[tuple[str, Convention], ...] = tuple(zip(FORMS, cycle(Convention), strict=False))
"""Every form in one convention, by turns, where both would take long and show no more."""
