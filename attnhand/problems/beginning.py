"""What a problem begins with: whatever stages are given are not worked, nor is what only they would need.

What a formula reads and no stage computes is given. So Q, K and V begin a sheet as well as X and its weights do, and
scores alone end one with their weights.
"""

from collections.abc import Collection, Mapping
from dataclasses import replace

from attnhand.attention.convention import Convention
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.mechanisms import Mechanism, Variant
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.mechanisms.registry import gives_scaled
from attnhand.attention.problem import MASK_NAME
from attnhand.errors import ProblemError, list_names

WEIGHTS_END = "A"
"""Where a sheet may end beside the last stage."""

BIASES = ("b_Q", "b_K", "b_V")
"""What is added to queries, keys and values, where a problem gives it."""

Shape = tuple[int, int]
"""How many rows and columns a matrix has, as it is written."""


def find_beginning(variant: Variant, shapes: Mapping[str, Shape], convention: Convention, *, end: str) -> Variant:
    """Return the form that begins with these matrices.

    Args:
        variant: the mechanism and what is said of it beside its matrices.
        shapes: of the given matrices by name.
        end: the stage to end with; empty where nothing is said.

    Raises:
        ProblemError: two matrices are given of which one is worked from the other, or one is missing.
    """
    families = {strip_head(name) for name in shapes}
    is_scaled = variant.is_scaled or gives_scaled(families)
    whole = replace(variant, has_biases=not families.isdisjoint(BIASES), is_scaled=is_scaled)
    worked = [formula.name for formula in whole.build_mechanism().formulas.formulas]
    begins_with = tuple(dict.fromkeys(name for name in worked if name in families))
    if not begins_with and not end:
        return whole
    begun = replace(whole, begins_with=begins_with, ends_with=end)
    _refuse_given_twice(whole.build_mechanism(), begins_with, families)
    ended = begun if end else replace(begun, ends_with=_find_end(begun, shapes))
    found = replace(ended, has_memory=_has_memory(ended, shapes, convention))
    _refuse_unread(whole.build_mechanism(), found, shapes)
    return found


def _refuse_unread(whole: Mechanism, begun: Variant, names: Collection[str]) -> None:
    """Refuse what the mechanism would read if it began at its beginning."""
    read, known = ({given.name for given in each.given} for each in (begun.build_mechanism(), whole))
    if unread := next((name for name in names if name in known - read), None):
        others = list_names(begun.begins_with) if begun.begins_with else f'"ends_with": "{begun.ends_with}"'
        raise ProblemError(f"{unread} is given, but nothing reads it beside {others}: leave out {unread}")


def _refuse_given_twice(mechanism: Mechanism, begins_with: Collection[str], families: Collection[str]) -> None:
    """Refuse what a given stage is worked from, where nothing else needs it."""
    formulas = mechanism.formulas
    for name in begins_with:
        stage = next(stage for stage in formulas.stages if strip_head(stage.name) == name)
        own = [read for read in map(strip_head, stage.reads) if read in formulas.given]
        if twice := next((read for read in own if read in families and _has_one_reader(mechanism, read)), None):
            raise ProblemError(
                f"{name} and {twice} are both given, but {name} is worked from {twice}: leave out one of them"
            )


def _has_one_reader(mechanism: Mechanism, given: str) -> bool:
    stages = mechanism.formulas.stages
    return len({strip_head(stage.name) for stage in stages if given in map(strip_head, stage.reads)}) == 1


def _find_end(begun: Variant, shapes: Mapping[str, Shape]) -> str:
    """Return where a sheet ends of which nothing is said: with the weights, where scores are given without values.

    Raises:
        ProblemError: something is missing, and scores are worked.
    """
    if not (missing := _list_missing(begun, shapes)):
        return ""
    try:
        weights_missing = _list_missing(replace(begun, ends_with=WEIGHTS_END), shapes)
    except ProblemError:  # V is read by what comes after them alone
        weights_missing = missing
    if not weights_missing and not {"Q", "K"} & set(begun.begins_with):
        return WEIGHTS_END
    mechanism = begun.build_mechanism()
    lacking = next((stage for stage in mechanism.stages if missing[0] in stage.input_names), mechanism.stages[0])
    name = strip_head(lacking.name)
    named = [each for each in map(strip_head, lacking.input_names) if each in map(strip_head, missing)]
    sources = list_names(sorted(named, key=lambda each: each[:2] in ("W_", "b_")))  # tokens first
    known = any(each in shapes or each in map(strip_head, missing) for each in lacking.input_names)
    if name in ("Q", "K", "V") and known:
        advice = f"give {name}, or {sources} to work it from"
        if not weights_missing:
            advice += f', or write "ends_with": "{WEIGHTS_END}" for a sheet that ends with the weights'
        raise ProblemError(f"{name} is missing: {advice}")
    raise ProblemError(f"{missing[0]} is missing: give it beside {list_names(begun.begins_with)}")


def _list_missing(variant: Variant, shapes: Mapping[str, Shape]) -> list[str]:
    """Return the matrices that are read and not given; biases may be, for then they are 0."""
    mechanism = variant.build_mechanism()
    return [
        given.name
        for given in mechanism.given
        if given.name not in shapes and strip_head(given.name) not in (*BIASES, MASK_NAME)
    ]


def _has_memory(variant: Variant, shapes: Mapping[str, Shape], convention: Convention) -> bool:
    """Say whether there are more or fewer queries than tokens to look at; not where both come from the same X."""
    if variant.letters["k"] != "tokens":
        return False
    try:
        apart = variant.apart.build_mechanism()
    except FormulaError:
        return False
    counts: dict[str, int] = {}
    for given in apart.convert_to(convention).given:
        if given.name in shapes:
            for axis, length in zip((given.rows, given.columns), shapes[given.name], strict=True):
                counts.setdefault(axis.size_name, length)
    return "memory" in counts and "tokens" in counts and counts["memory"] != counts["tokens"]
