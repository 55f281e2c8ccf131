"""Runs the hidden tests of a notebook as otter does: a file a question, in the order of their names."""

import json
import re
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from attnhand.formats.otter import make_variable
from attnhand.formats.otter_marking import MARKS
from attnhand.marking.notebook_marks import mark_notebook
from attnhand.sheet.sheet import Sheet

MARKING_LINE = "found = run_marker("

Variables = Mapping[str, object]


class Found(NamedTuple):
    """What otter says of one question."""

    score: int
    points: int
    sentences: list[str]
    """Of the tests that failed."""


def read_sources(text: str) -> list[str]:
    """Return what stands in the cells."""
    return [cell["source"] for cell in json.loads(text)["cells"]]


def collect_tests(text: str) -> dict[str, tuple[list[int], list[str]]]:
    """Return the points and the sources of the hidden tests, by question in the order in which otter runs them."""
    found: dict[str, tuple[list[int], list[str]]] = {}
    for source in read_sources(text):
        if source.startswith("# BEGIN QUESTION"):
            name = source.partition("name: ")[2].partition("\n")[0].strip('"')
            points = json.loads(source.partition("points: ")[2].partition("\n")[0])
            found[name] = (points, [])
        elif source.startswith("# HIDDEN"):
            found[name][1].append(source)
    return {name: each for name, each in sorted(found.items()) if each[1]}


def run_hidden_tests(text: str, variables: Variables, *, is_alone: bool = False) -> dict[str, Found]:
    """Return what the tests say of a student's variables, by what stage or question they mark, and "sheet" for all.

    Args:
        is_alone: whether what marks runs from the notebook alone, in a Python of its own, as it does with otter; else
            in this one, which knows what a test has added to the program.
    """
    sys.modules.pop(MARKS, None)
    found = {}
    for question, (points, sources) in collect_tests(text).items():
        assert len(points) == len(sources)
        score, sentences = 0, []
        for worth, source in zip(points, sources, strict=True):
            here: dict[str, Any] = {"mark_here": _mark_here}
            exec(source if is_alone else source.replace(MARKING_LINE, "found = mark_here("), here)
            (test,) = (each for name, each in here.items() if name.startswith("test_"))
            try:
                _call(test, variables)
            except AssertionError as failure:
                sentences.append(str(failure))
            else:
                score += worth
        found[re.sub(r"^\d+_", "", question)] = Found(score, sum(points), sentences)
    return found


def _call(test: Callable[..., None], variables: Variables) -> None:
    test(**({"env": variables} if test.__code__.co_argcount else {}))


def _mark_here(_packed: str, _start: str, data: Mapping[str, Any]) -> Any:
    return json.loads(json.dumps(mark_notebook(json.loads(json.dumps(data)))))


def make_variables(
    sheet: Sheet, texts: Mapping[str, Sequence[Sequence[object]]], answers: Mapping[str, str] | None = None
) -> dict[str, object]:
    """Return the variables of a student who typed this into the notebook: what they left empty is as it was."""
    variables: dict[str, object] = dict(answers or {})
    for name, rows in texts.items():
        asked = sheet.list_asked_cells(sheet.problem.mechanism.get_stage(name))
        variables[make_variable(name)] = [
            [x if x != "" else ... if (i, j) in asked else 0 for j, x in enumerate(row)] for i, row in enumerate(rows)
        ]
    return variables
