"""The hidden tests of a notebook: they carry what marks a sheet, and give every stage the cells that count.

Otter's tests pass or fail as a whole. So a stage of 16 cells has tests of 8, 4, 2, 1 and 1 points, of which those pass
that add to its cells that count; before them stands one without points that says what is wrong. What marks is
``marking/notebook_marks.py`` with all that it imports, taken along as text: nothing in this room imports it.
"""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from textwrap import indent
from typing import Any

from attnhand.formats.json_sheet import make_sheet_dict
from attnhand.formats.otter_runner import RUNNER, TIME_LIMIT
from attnhand.problems.language_model import describe_model
from attnhand.sheet.sheet import Sheet
from attnhand.system.packing import leave_out_docstrings, pack_modules
from attnhand.system.resources import PACKAGE_DIR, get_template_dir
from attnhand.text import FALLBACK_LANGUAGE

MARKER_FILES = ("marking/notebook_marks.py", "problems/question_choice.py", "attention/proof.py")
"""What marks, and what it loads only when a sheet asks questions."""

FONT_FILES = ("fonts/widths.json", "fonts/widths-names.json")
"""Templates that it reads: which characters can be printed."""

START = "from attnhand.marking.notebook_marks import main; main()"

MARKS = "attnhand_marks"
"""What the first test, which marks the sheet, leaves for all others: tests share no other place."""

UNMARKED = "not marked: the question 00_sheet, which marks all of it, was left out or did not run"


FOR_TEACHERS = re.compile(r'^"(?:map|term\.page|part\.[^"]*\.(?:say|stumble|board))[^"]*" = .*\n', re.MULTILINE)
"""The lines of a language's file that stand on pages which a term has for its teacher: nothing is marked with them."""


@cache
def pack_marker(language: str) -> str:
    """Return what marks sheets in a language, as one line of text; English is part of every language."""
    texts = {f"templates/{path}": (get_template_dir() / path).read_text(encoding="utf-8") for path in FONT_FILES}
    for code in (FALLBACK_LANGUAGE, language):
        sentences, *_ = (PACKAGE_DIR / "text" / f"{code}.toml").read_text(encoding="utf-8").partition("\n[stories.")
        texts[f"text/{code}.toml"] = FOR_TEACHERS.sub("", sentences)
    return pack_modules(MARKER_FILES, texts)


def split_points(points: int) -> list[int]:
    """Return points of tests, the largest first, so that some of them add to every number up to all.

    >>> split_points(16), split_points(9), split_points(1)
    ([8, 4, 2, 1, 1], [5, 2, 1, 1], [1])
    """
    half = -(-points // 2)
    return [half, *split_points(points - half)] if points else []


def make_sheet_data(sheet: Sheet) -> dict[str, Any]:
    """Return what marking needs to know of a sheet, as JSON has it: its numbers and what is asked, no answer."""
    data = {**make_sheet_dict(sheet.blank), "language": sheet.options.language_code}
    if sheet.asked_part:  # its questions are about the whole model, and a salt would have to be known to draw it again
        data |= {"part": sheet.asked_part.name, "model": describe_model(sheet.asked_part.model)}
    return {name: value for name, value in data.items() if name not in ("stages", "questions")}


def write_sheet_test(sheet: Sheet, variables: dict[str, str], questions: Sequence[str]) -> str:
    """Write the test that marks the sheet when all of the notebook has run, for all other tests.

    Args:
        variables: what stages are called in the notebook, with their ids.
    """
    language = sheet.options.language_code
    lines = [
        "import json, sys, types",
        "from collections.abc import Mapping, Sequence",
        "from typing import Any",
        f"TIME_LIMIT = {TIME_LIMIT}",
        *map(_get_source, RUNNER),
        f"sys.modules.pop({MARKS!r}, None)",
        f"sheet = json.loads({json.dumps(make_sheet_data(sheet))!r})",
        f"answers = collect_answers(env, {variables!r}, {list(questions)!r})",
        f"found = run_marker({pack_marker(language)!r}, {START!r}, dict(sheet=sheet, answers=answers))",
        f"marks = types.ModuleType({MARKS!r})",
        "marks.found, marks.find_fault = found, find_fault",
        "sys.modules[marks.__name__] = marks",
        "fault = find_fault(found, '', [], 0)",
        "assert not fault, fault",
    ]
    return "# HIDDEN\ndef test_sheet(env):\n" + indent("\n".join(lines), "    ")


def write_item_tests(name: str, coins: Sequence[int]) -> Iterator[str]:
    """Write the tests of a stage or a question: one that says what is wrong, then one for each of some points.

    Args:
        name: the id of the stage, or the name of the question.
    """
    for at in range(len(coins) + 1):
        yield (
            f"# HIDDEN\ndef test_{at}():\n"
            f"    import sys\n"
            f"    marks = sys.modules.get({MARKS!r})\n"
            f"    assert marks, {UNMARKED!r}\n"
            f"    fault = marks.find_fault(marks.found, {name!r}, {list(coins)}, {at})\n"
            f"    assert not fault, fault"
        )


def _get_source(function: Callable[..., Any]) -> str:
    """Return the source of a function, as it can be written into another."""
    source = inspect.getsource(function)
    return leave_out_docstrings(source, ast.parse(source))
