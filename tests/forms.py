"""Every format, and every form a drawn sheet can have: each mechanism, its heads, the mask, words, positions."""

from fractions import Fraction
from itertools import cycle

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.settings import NormPlace
from attnhand.formats.registry import FORMATS
from tests.breadth import choose

PACKED_FORMATS = ("xlsx",)
"""Formats whose files are archives of their own."""

DRAWN_FORMATS = ("pdf", "svg", "png")
"""Formats that are drawn, which takes long."""

PRACTICE_FORMATS = tuple(name for name, file_format in FORMATS.items() if file_format.practice_note)
"""Formats that check the work themselves, whose files hold the key."""

TEXT_FORMATS = tuple(name for name in FORMATS if name not in (*DRAWN_FORMATS, *PACKED_FORMATS, *PRACTICE_FORMATS))
"""All others."""

WORDS = ("the", "cat", "saw", "the", "dog")
"""One of them is there twice."""

PLAIN_FORMS: dict[str, Variant] = {
    "self": Variant(),
    "basic": Variant(mechanism="basic"),
    "cross": Variant(mechanism="cross"),
    "multi-head-2": Variant(mechanism="multi-head"),
    "multi-head-3": Variant(mechanism="multi-head", heads=3),
    "multi-head-4": Variant(mechanism="multi-head", heads=4),
    "block-1": Variant(mechanism="block"),
    "block-2": Variant(mechanism="block", heads=2),
}
"""Every mechanism with nothing added."""

CAUSAL_FORMS: dict[str, Variant] = {
    f"{name}-causal": Variant(mechanism=form.mechanism, heads=form.heads, is_causal=True)
    for name, form in PLAIN_FORMS.items()
    if name != "cross"
}
"""The same with a mask, where there is one."""

WORDED_FORMS: dict[str, Variant] = {
    "self-words": Variant(embedded_words=WORDS),
    "self-words-positions": Variant(embedded_words=WORDS, has_positions=True),
    "block-1-words-positions-causal": Variant(
        mechanism="block", embedded_words=WORDS, has_positions=True, is_causal=True
    ),
}
"""Some with words that are looked up in a table."""

LATER_FORMS: dict[str, Variant] = {
    "multi-query": Variant(mechanism="multi-head", kv_heads=1),
    "grouped-query-rotary-causal": Variant(mechanism="multi-head", heads=4, kv_heads=2, is_rotary=True, is_causal=True),
    "self-rotary": Variant(is_rotary=True),
    "self-padded": Variant(padding=(2,)),
    "self-shifted-causal": Variant(is_shifted=True, is_causal=True),
    "self-begun": Variant(begins_with=("Q", "K", "V")),
    "multi-head-begun-shifted": Variant(mechanism="multi-head", begins_with=("Q", "K", "V"), is_shifted=True),
    "basic-scores": Variant(mechanism="basic", begins_with=("S",), ends_with="A"),
    "self-distance": Variant(has_distances=True),
    "self-cache": Variant(cache=3),
    "grouped-query-rotary-cache": Variant(mechanism="multi-head", heads=4, kv_heads=2, is_rotary=True, cache=2),
    "block-2-cache": Variant(mechanism="block", heads=2, cache=3),
    "multi-head-distance": Variant(mechanism="multi-head", has_distances=True),
    "block-1-residual": Variant(mechanism="block", has_residual=True),
    "block-1-normed": Variant(mechanism="block", norm="rms"),
    "block-1-residual-normed-causal": Variant(mechanism="block", has_residual=True, norm="rms", is_causal=True),
    "block-2-residual-normed-after": Variant(
        mechanism="block", heads=2, has_residual=True, norm="rms", norm_place=NormPlace.AFTER
    ),
    "online": Variant(mechanism="online"),
    "online-4": Variant(mechanism="online", block_count=4),
    "next-token": Variant(mechanism="next-token"),
    "next-token-top-k": Variant(mechanism="next-token", top_k=2),
    "backward": Variant(mechanism="backward"),
    "backward-padded": Variant(mechanism="backward", padding=(2,)),
    "self-sink-causal": Variant(sink=2, is_causal=True),
    "self-sharpened": Variant(temperature=Fraction(1, 2)),
    "next-token-learning": Variant(mechanism="next-token", learning_rate=Fraction(1, 2)),
    "next-token-normed": Variant(mechanism="next-token", norm="rms"),
}
"""Keys and values that heads share, vectors turned by their places, padding, the largest subtracted, beginnings,
distances, a cache, residuals and norms, online attention, the next token, the way back, sinks and temperatures, a step
of learning."""

SLOW_FORMS: dict[str, Variant] = {
    "cross-flattened": Variant(mechanism="cross", temperature=Fraction(2)),
    "multi-head-sink-tempered": Variant(mechanism="multi-head", sink=0, temperature=Fraction(1, 2)),
}
"""What is slow to draw and shows nothing that no other shows: in ``make sweep`` alone."""

KEPT_FORMS: dict[str, Variant] = {**PLAIN_FORMS, **CAUSAL_FORMS, **WORDED_FORMS, **LATER_FORMS, **SLOW_FORMS}
"""Those of which golden files are kept."""

FORMS: dict[str, Variant] = {name: form for name, form in KEPT_FORMS.items() if name not in choose(SLOW_FORMS, {})}

SOME_FORMS: tuple[str, ...] = choose(
    (
        *("self", "basic-causal", "cross", "multi-head-2-causal", "multi-head-3", "multi-head-4", "block-1"),
        *("block-2-causal", "self-words-positions"),
    ),
    tuple(FORMS),
)
"""Every mechanism and number of heads, the mask, words and positions; in ``make sweep`` all forms."""

FORMS_IN_ONE_CONVENTION: tuple[tuple[str, Convention], ...] = tuple(zip(FORMS, cycle(Convention), strict=False))
"""Every form in one convention, by turns, where both would take long and show no more."""

SOME_FORMS_IN_ONE_CONVENTION: tuple[tuple[str, Convention], ...] = choose(
    tuple(zip(SOME_FORMS, cycle(Convention), strict=False)), FORMS_IN_ONE_CONVENTION
)
"""The same of those forms."""
