"""Sheets that are cut of one problem: basic attention takes its X, self-attention the W of its first head too.

So somebody's numbers stay the same from week to week. Only plain forms are cut: mechanism, heads and causal mask.
"""

from collections.abc import Sequence
from dataclasses import replace

from attnhand.attention.mechanisms import Variant
from attnhand.errors import GenerationError, list_names, name_option

# The order is part of the sheet code: append, never insert.
CARRIED_FORMS = tuple((name, causal) for name in ("basic", "self", "multi-head", "block") for causal in (False, True))
"""Mechanism and mask of the sheets that can be cut of one problem."""

CAUSAL_SUFFIX = "-causal"

EXAMPLE = "basic,self,multi-head-2,block-2"


def read_carried(names: Sequence[str]) -> tuple[Variant, ...]:
    """Return the forms that an option names.

    >>> [form.head_count for form in read_carried(["self-causal", "multi-head-3"])]
    [1, 3]

    Raises:
        GenerationError: a name is none of a form that can be cut.
    """
    return tuple(map(_read_form, names))


def _read_form(name: str) -> Variant:
    plain = name.strip().casefold()
    mechanism, is_causal = plain.removesuffix(CAUSAL_SUFFIX), plain.endswith(CAUSAL_SUFFIX)
    before, _, heads = mechanism.rpartition("-")
    if before in ("multi-head", "block") and heads in tuple("1234") and (before, heads) != ("multi-head", "1"):
        return Variant(mechanism=before, heads=int(heads), is_causal=is_causal)
    if mechanism in ("basic", "self"):
        return Variant(mechanism=mechanism, is_causal=is_causal)
    raise GenerationError(
        f"{name_option('carry')} names {name!r}, which cannot be cut of another sheet: use basic, self, multi-head-2 "
        f"to 4, block-1 to 4, each also with {CAUSAL_SUFFIX} behind it"
    )


def write_form(variant: Variant) -> str:
    """Return what an option calls a form.

    >>> write_form(Variant(mechanism="block", heads=2, is_causal=True))
    'block-2-causal'
    """
    heads = f"-{variant.head_count}" if variant.mechanism in ("multi-head", "block") else ""
    return f"{variant.mechanism}{heads}{CAUSAL_SUFFIX if variant.is_causal else ''}"


def make_plain(variant: Variant) -> Variant:
    """Return a form by its mechanism, heads and mask alone."""
    return Variant(mechanism=variant.mechanism, heads=variant.heads, is_causal=variant.is_causal)


def settle_carried(carried: Sequence[Variant], variant: Variant) -> tuple[Variant, ...]:
    """Return the forms that are drawn together, each once, in the order of the table.

    Args:
        variant: that of the sheet which is one of them.

    Raises:
        GenerationError: the sheet is none of them, or not all of them can be cut of one problem.
    """
    option, plain = name_option("carry"), make_plain(variant)
    if replace(variant, is_scaled=True) != plain:
        raise GenerationError(
            f"{option} is for sheets that mechanism, heads and a causal mask make: leave out what else changes the "
            f"form, or {option}"
        )
    if plain not in carried:
        names = list_names([write_form(form) for form in carried])
        raise GenerationError(f"{option} names {names} and this sheet is {write_form(plain)}: add it")
    forms = sorted(set(carried), key=lambda form: CARRIED_FORMS.index((form.mechanism, form.is_causal)))
    heads = sorted({form.head_count for form in forms if form.mechanism in ("multi-head", "block")})
    if len(heads) > 1:
        raise GenerationError(
            f"{option} names sheets of {list_names(map(str, heads))} heads, whose W_O or W_1 differ in size: "
            "give all of them as many heads"
        )
    return tuple(forms)


def count_heads(carried: Sequence[Variant]) -> int:
    """Return how many heads the problem has that they are cut of."""
    return max(form.head_count for form in carried)


def find_frame(carried: Sequence[Variant]) -> Variant:
    """Return the form of the problem that they are cut of: the last of the table, without a mask where one has none."""
    largest = carried[-1].mechanism
    return next(form for form in carried if form.mechanism == largest)


def find_place(name: str, variant: Variant) -> str:
    """Return the name of a cut's matrix in the problem that it is cut of.

    >>> find_place("W_Q", Variant(mechanism="multi-head", heads=2)), find_place("X", Variant(heads=None))
    ('h1.W_Q', 'X')
    """
    return f"h1.{name}" if name in ("W_Q", "W_K", "W_V") and variant.head_count > 1 else name
