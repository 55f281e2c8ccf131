"""Problems as text: read from JSON or TOML, written as JSON, and taken from Python's own numbers.

A problem file is ``{"given": {"X": [[2, 0], …], "W_Q": …, …}}`` with ``mechanism``, ``convention``, ``rules``,
``words`` and ``title`` beside it, all of which have defaults. Numbers are read exactly: 0.1 is a tenth.
"""

from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

from attnhand.attention.arithmetic import Rules
from attnhand.attention.numbers import Number, is_terminating, rounded
from attnhand.attention.problem import Problem
from attnhand.errors import ProblemError
from attnhand.problems.reading import CAUSAL, SETTINGS, SINUSOIDAL, given_tree, problem_from_data
from attnhand.system.did_you_mean import nearest
from attnhand.system.json_toml import FileKind, pretty_json, read_data

MOST_PLACES = 20
"""A given number that ends at all ends within so many decimals, for its denominator is at most a million."""


_NUMBERS = ("given", "positions")
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
        return problem_from_data(read_data(text, kind))
    except ProblemError as error:
        raise ProblemError(f"{source}: {error}") from error


def problem_from_python(mapping: Mapping[str, Any]) -> Problem:
    """Take a problem from Python: matrices by name, as lists or arrays, with settings beside them.

    >>> problem_from_python({"X": [[1, 0], [0, 1]], "W_Q": [[0.1, 0]], "W_K": [[1, 0]], "W_V": [[1, 2]]})["W_Q"]
    ((Fraction(1, 10), 0),)

    A mapping laid out like a problem file (matrices under ``given``) serves too. Floats are taken by their
    shortest decimal: 0.1 is a tenth.

    Raises:
        ProblemError: as ``parse_problem``.
    """
    if not isinstance(mapping, Mapping):
        return problem_from_data(mapping)
    if "given" in mapping:
        return problem_from_data({**mapping, **without_arrays({k: mapping[k] for k in _NUMBERS if k in mapping})})
    settings = {key: value for key, value in mapping.items() if nearest(str(key), SETTINGS)}
    settings |= without_arrays({key: settings[key] for key in _NUMBERS if key in settings})
    given = {name: without_arrays(a) for name, a in mapping.items() if name not in settings}
    return problem_from_data({**settings, "given": given})


def problem_text(problem: Problem) -> str:
    """Write the problem as the text of a JSON file that reads back as an equal problem, one row a line.

    The text is canonical: equal problems give equal texts. It is what a fingerprint is taken of.
    """
    tree: dict[str, Any] = {"title": problem.title} if problem.title else {}
    if problem.words:
        tree["words"] = list(problem.words)
    tree |= {
        "mechanism": problem.mechanism.name,
        "convention": problem.convention.value,
        "rules": rules_data(problem.rules),
        **form_data(problem, lambda x: _entry(problem, x)),
        "given": given_tree(problem, lambda x: _entry(problem, x)),
    }
    return pretty_json(tree) + "\n"


def form_data(problem: Problem, entry: Callable[[Number], Any]) -> dict[str, Any]:
    """Return what a file says of mask and positions, where there are any."""
    data: dict[str, Any] = {"mask": CAUSAL} if problem.form.causal else {}
    if problem.form.positions:
        given = problem.form.given_positions
        data["positions"] = [[entry(x) for x in row] for row in problem["P"]] if given else SINUSOIDAL
    return data


def rules_data(rules: Rules) -> dict[str, str | int]:
    """Return the house rules as a file states them.

    >>> rules_data(Rules(scale=4))
    {'scale': 4, 'base': '3', 'decimals': 2}
    """
    scale = rules.scale if isinstance(rules.scale, int) else rules.scale.value
    return {"scale": scale, "base": rules.base.value, "decimals": rules.decimals}


def entry_text(problem: Problem, value: Number) -> str:
    """Write a given number as its author did, so that ``fractions.Fraction`` reads it: "2", "0.5" or "1/2"."""
    return f"{entry:f}" if isinstance(entry := _entry(problem, value), Decimal) else str(entry)


def _entry(problem: Problem, value: Number) -> int | Decimal | str:
    if isinstance(value, Fraction) and problem.decimal_notation and is_terminating(value, MOST_PLACES):
        return Decimal(rounded(value, MOST_PLACES).rstrip("0"))
    return value if isinstance(value, int) else str(value)


def without_arrays(a: Any) -> Any:
    """Turn numpy's arrays and numbers, at any depth, into Python's."""
    if isinstance(a, Mapping):
        return {key: without_arrays(value) for key, value in a.items()}
    if isinstance(a, list | tuple):
        return [without_arrays(item) for item in a]
    if not hasattr(a, "tolist"):
        return a
    # Subtle: the float32 nearest to 0.1 is 0.10000000149… as a Python float; its own text is "0.1"
    short = str(getattr(a, "dtype", "")) in ("float16", "float32")
    return a.astype(str).tolist() if short else a.tolist()
