"""Problems as text: read from JSON or TOML, written as JSON, and taken from Python's own numbers.

A problem file is ``{"given": {"X": [[2, 0], …], "W_Q": …, …}}`` with ``mechanism``, ``convention``, ``rules``,
``words`` and ``title`` beside it, all of which have defaults. Numbers are read exactly: 0.1 is a tenth.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from attnhand.attention.arithmetic import Rules
from attnhand.attention.mechanisms.settings import SETTINGS as FORM_SETTINGS
from attnhand.attention.numbers import Number, format_decimal, is_terminating
from attnhand.attention.problem import MASK_NAME, Problem
from attnhand.errors import ProblemError
from attnhand.problems.reading import CAUSAL, DISTANCE, RADIANS, ROTARY, SETTINGS, SINUSOIDAL, build_problem, nest_given
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.system.json_toml import FileKind, format_json, read_data

MAX_DECIMAL_PLACES = 20
"""A given number that ends at all ends within so many decimals, for its denominator is at most a million."""


_NUMERIC_KEYS = ("given", "positions", "mask")
"""The keys under which a problem has numbers, which may be arrays."""


def parse_problem(text: str | bytes, *, source: str, kind: FileKind | None = None) -> Problem:
    """Read a problem file, or the problem of a JSON sheet.

    >>> eye = "[[1, 0], [0, 1]]"
    >>> text = f'{{"given": {{"X": {eye}, "W_Q": {eye}, "W_K": {eye}, "W_V": [[0.5, 0]]}}}}'
    >>> parse_problem(text, source="p.json")["W_V"]
    ((Fraction(1, 2), 0),)

    Args:
        source: what the messages call the text: the name of its file.
        kind: JSON or TOML; None to see from the text.

    Raises:
        ProblemError: the text states no problem; the message names key, row, column and remedy.
    """
    try:
        return build_problem(read_data(text, kind))
    except ProblemError as error:
        raise ProblemError(f"{source}: {error}") from error


def build_problem_from_python(mapping: Mapping[str, Any]) -> Problem:
    """Take a problem from Python: matrices by name, as lists or arrays, with settings beside them.

    >>> build_problem_from_python({"X": [[1, 0], [0, 1]], "W_Q": [[0.1, 0]], "W_K": [[1, 0]], "W_V": [[1, 2]]})["W_Q"]
    ((Fraction(1, 10), 0),)

    A mapping laid out like a problem file (matrices under ``given``) serves too. Floats are taken by their
    shortest decimal: 0.1 is a tenth.

    Raises:
        ProblemError: as ``parse_problem``.
    """
    if not isinstance(mapping, Mapping):
        return build_problem(mapping)
    if "given" in mapping:
        return build_problem({**mapping, **convert_arrays({k: mapping[k] for k in _NUMERIC_KEYS if k in mapping})})
    settings = {key: value for key, value in mapping.items() if find_nearest_name(str(key), SETTINGS)}
    settings |= convert_arrays({key: settings[key] for key in _NUMERIC_KEYS if key in settings})
    given = {name: convert_arrays(a) for name, a in mapping.items() if name not in settings}
    return build_problem({**settings, "given": given})


def format_problem(problem: Problem) -> str:
    """Write the problem as the text of a JSON file that reads back as an equal problem, one row a line.

    The text is canonical: equal problems give equal texts. It is what a fingerprint is taken of.
    """
    tree: dict[str, Any] = {"title": problem.title} if problem.title else {}
    if problem.words:
        tree["words"] = list(problem.words)
    tree |= make_story_data(problem)
    tree |= {
        "mechanism": problem.mechanism.name,
        "convention": problem.convention.value,
        "rules": make_rules_data(problem.rules),
        **make_variant_data(problem, lambda x: _convert_entry(problem, x)),
        "given": nest_given(problem, lambda x: _convert_entry(problem, x)),
    }
    return format_json(tree) + "\n"


def make_variant_data(problem: Problem, convert_entry: Callable[[Number], Any]) -> dict[str, Any]:
    """Return the mask and the positions as a file has them, where there are any."""
    variant = problem.variant
    masks: list[Any] = [CAUSAL] if variant.is_causal else []
    if variant.mask:
        masks.append([[convert_entry(x) for x in row] for row in problem[MASK_NAME]])
    data: dict[str, Any] = {"mask": masks if len(masks) > 1 else masks[0]} if masks else {}
    if variant.window is not None:
        data["window"] = variant.window
    if variant.padding:
        data["padding"] = list(variant.padding)
    for setting in FORM_SETTINGS:
        if (value := getattr(variant, setting.field)) != setting.default:
            data[setting.name] = setting.write(value)
    if variant.ends_with:
        data["ends_with"] = variant.ends_with
    if problem.variant.has_positions:
        given = problem.variant.has_given_positions
        data["positions"] = [[convert_entry(x) for x in row] for row in problem["P"]] if given else SINUSOIDAL
    if problem.variant.is_rotary:
        data["positions"] = {ROTARY: RADIANS} if problem.variant.has_radians else ROTARY
    if problem.variant.has_distances:
        data["positions"] = DISTANCE
    return data


def make_story_data(problem: Problem) -> dict[str, Any]:
    """Return the story as a file has it, where there is one; tokens are counted from 1."""
    story = problem.story
    if story is None:
        return {}
    asked: dict[str, Any] = {"text": story.question, "query": story.query + 1}
    if story.head:
        asked["head"] = story.head
    asked["answers"] = [answer + 1 for answer in story.answers]
    data: dict[str, Any] = {"name": story.name, "sentence": story.sentence, "features": list(story.feature_names)}
    if story.memory_words:
        data["memory"] = list(story.memory_words)
    if story.value_names:
        data["values"] = list(story.value_names)
    if story.row_names:
        data["rows"] = {weights: list(names) for weights, names in story.row_names}
    if story.wants:
        data["wants"] = [[{"asks": [*want.asks], "holds": [*want.holds]} for want in wants] for wants in story.wants]
    return {"story": {**data, "asked": asked}}


def make_rules_data(rules: Rules) -> dict[str, str | int]:
    """Return the house rules as a file states them.

    >>> make_rules_data(Rules(scale=4))
    {'scale': 4, 'base': '3', 'decimals': 2}
    """
    scale = rules.scale if isinstance(rules.scale, int) else rules.scale.value
    return {"scale": scale, "base": rules.base.value, "decimals": rules.decimals}


def format_entry(problem: Problem, value: Number) -> str:
    """Write a given number as its author did, so that ``fractions.Fraction`` reads it: "2", "0.5" or "1/2"."""
    return f"{entry:f}" if isinstance(entry := _convert_entry(problem, value), Decimal) else str(entry)


def _convert_entry(problem: Problem, value: Number) -> int | Decimal | str:
    if isinstance(value, Fraction) and problem.has_decimal_notation and is_terminating(value, MAX_DECIMAL_PLACES):
        return Decimal(format_decimal(value, MAX_DECIMAL_PLACES).rstrip("0"))
    return value if isinstance(value, int) else str(value)


def convert_arrays(a: Any) -> Any:
    """Turn numpy's arrays and numbers, at any depth, into Python's."""
    if isinstance(a, Mapping):
        return {key: convert_arrays(value) for key, value in a.items()}
    if isinstance(a, list | tuple):
        return [convert_arrays(item) for item in a]
    if not hasattr(a, "tolist"):
        return a
    # Subtle: the float32 nearest to 0.1 is 0.10000000149… as a Python float; its own text is "0.1"
    short = str(getattr(a, "dtype", "")) in ("float16", "float32")
    return a.astype(str).tolist() if short else a.tolist()
