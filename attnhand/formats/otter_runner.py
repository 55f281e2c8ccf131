"""What a notebook's hidden tests do beside the student's variables; its source is written into them.

It reads the variables, has them marked by a Python of its own, which no code of the student's reaches, and says what
each test needs to know. Subtle: it runs in whatever Python the notebook has, so every function imports what it needs.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

TIME_LIMIT = 120
"""Seconds for one notebook, which takes one or two."""


def spell_number(x: Any, places: int) -> str:
    """Return a number as it would be typed; what a float has beyond its digits is left out.

    >>> [spell_number(x, 9) for x in (3, 0.1 + 0.2, 9 / 46, "2/7", float("-inf"), None, ...)]
    ['3', '0.3', '0.195652174', '2/7', '-inf', '', '']
    """
    if x is None or x is ... or (isinstance(x, str) and x.strip(".…") == ""):
        return ""
    if isinstance(x, float) and x - x == 0:  # neither infinite nor nan
        digits = f"{x:.{places}f}".rstrip("0").rstrip(".")
        return "0" if digits == "-0" else digits
    return str(x)[:200]


def read_rows(value: Any) -> Any:
    """Return the texts of a matrix, a list or an array; None where it is none.

    >>> read_rows([[1, "2/7"], [0.5, ...]]), read_rows(...), read_rows("1 2")
    ([['1', '2/7'], ['0.5', '']], None, None)
    """
    dtype = str(getattr(value, "dtype", ""))
    places = 5 if "32" in dtype else 2 if "16" in dtype else 9
    for name in ("to_numpy", "tolist"):  # of a table; of an array
        if hasattr(value, name):
            value = getattr(value, name)()
    if isinstance(value, str | dict | set):
        return None
    try:
        return [[spell_number(getattr(x, "item", lambda x=x: x)(), places) for x in row] for row in list(value)[:999]]
    except Exception:  # whatever a student's own object raises
        return None


def collect_answers(environment: Mapping[str, Any], stages: Mapping[str, str], questions: Sequence[str]) -> Any:
    """Return the answers that stand in variables: rows of texts by stage, and a text for each question.

    >>> collect_answers({"h1_Q": [[1]], "ask1": 2, "x": 3}, {"h1_Q": "h1.Q", "S": "S"}, ["ask1", "ask2"])
    {'h1.Q': [['1']], 'ask1': '2'}
    """
    answers: dict[str, Any] = {}
    for variable, stage in stages.items():
        rows = read_rows(environment.get(variable))
        if rows is not None:
            answers[stage] = rows
    for question in questions:
        text = spell_number(environment.get(question), 9)
        if text:
            answers[question] = text
    return answers


def run_marker(packed: str, start: str, data: Any) -> Any:
    """Unpack the marker into a folder of its own, have it mark there, and return what it says, or why it cannot."""
    import base64
    import json
    import lzma
    import subprocess
    import sys
    import tempfile
    from pathlib import Path

    if sys.version_info < (3, 11):  # noqa: UP036  whoever marks may have an older one
        return {"fault": "it needs Python 3.11 or later"}
    with tempfile.TemporaryDirectory() as folder:
        for path, text in json.loads(lzma.decompress(base64.b85decode(packed))).items():
            file = Path(folder, path)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
        code = f"import sys; sys.path.insert(0, {folder!r}); {start}"
        command = [sys.executable, "-I", "-B", "-c", code]
        try:
            done = subprocess.run(
                command, input=json.dumps(data).encode(), capture_output=True, timeout=TIME_LIMIT, check=False
            )
            return json.loads(done.stdout)
        except ValueError:
            return {"fault": done.stderr.decode(errors="replace").strip().rpartition("\n")[2] or "it printed nothing"}
        except (OSError, subprocess.SubprocessError) as error:
            return {"fault": str(error)}


def find_fault(marks: Any, name: str, coins: Sequence[int], at: int) -> str:
    """Return why a test fails: the first of an item, when anything of it does not count; another, if its points do not.

    Args:
        coins: the points of the tests after the first: every number of points is a sum of some.

    >>> marks = {"items": {"S": [5, 9, "S: 5 of 9."]}}
    >>> [find_fault(marks, "S", [5, 2, 1, 1], at) for at in range(5)]
    ['S: 5 of 9.', '', '−2', '−1', '−1']
    """
    if "fault" in marks:
        return "not marked" if name else f"this notebook could not be marked: {marks['fault']}"
    if not name:
        return str(marks["remark"])
    counted, of, remark = marks["items"][name]
    if at == 0:
        return "" if counted == of else str(remark or f"{int(counted)}/{of}")
    for coin in coins[: at - 1]:
        counted -= coin if counted >= coin else 0
    return "" if counted >= coins[at - 1] else f"−{coins[at - 1]}"


def has_shape(a: Any, rows: int, columns: int) -> bool:
    """Say whether something has so many rows and columns, with a number in every place."""
    try:
        return [len(row) for row in a] == [columns] * rows and not any(x is ... for row in a for x in row)
    except TypeError:
        return False


RUNNER: tuple[Callable[..., Any], ...] = (spell_number, read_rows, collect_answers, run_marker, find_fault)
"""What the first hidden test has in it."""
