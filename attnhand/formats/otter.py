"""A Jupyter notebook for ``otter assign``: a cell a stage, with hidden tests that follow a student's own numbers.

The file is the teacher's: ``otter assign`` takes the answers and the hidden tests out of what students get. Numbers
are fractions throughout; what marks them stands in the tests (see ``otter_marking``).
"""

import inspect
import json
from collections.abc import Iterable, Iterator, Sequence
from decimal import Decimal
from typing import Any

from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, is_finite
from attnhand.formats.markdown_writer import MarkdownWriter, convert_to_markdown
from attnhand.formats.otter_marking import split_points, write_item_tests, write_sheet_test
from attnhand.formats.otter_runner import has_shape
from attnhand.formats.question_text import refuse_inexact
from attnhand.sheet.document import Heading, QuestionPanel, build_document
from attnhand.sheet.panels import Panel
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import BLANK_DIGEST
from attnhand.text.widths import parse_markup

PYTHON = {"display_name": "Python 3", "language": "python", "name": "python3"}


def render_otter(sheet: Sheet) -> str:
    """Return the notebook as JSON; the same sheet gives the same bytes.

    >>> from attnhand.problems.request import Request
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> text = render_otter(make_sheet_from_request(Request(seed=7)))
    >>> text.count("BEGIN TESTS"), text.count("HIDDEN")
    (15, 54)

    Raises:
        PageError: a notebook cannot hold the sheet.
    """
    refuse_inexact(sheet, "a notebook")
    cells = _OtterWriter(sheet.blank).list_cells()
    numbered = [{**cell, "id": f"attnhand-{at}"} for at, cell in enumerate(cells)]
    notebook = {
        "cells": numbered,
        "metadata": {"kernelspec": PYTHON, "language_info": {"name": "python"}, "attnhand": BLANK_DIGEST},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    return json.dumps(notebook, ensure_ascii=False, indent=1) + "\n"


def make_variable(name: str) -> str:
    """Return what a matrix is called in Python.

    >>> make_variable("h1.Q")
    'h1_Q'
    """
    return name.replace(".", "_")


def write_number(value: Number) -> str:
    """Return a number in Python, within a test."""
    if not is_finite(value):
        return "-inf"
    if isinstance(value, Decimal):  # of a slip that used e
        return repr(float(value))
    return str(value) if isinstance(value, int) else f"Fraction({value.numerator}, {value.denominator})"


def write_rows(a: Matrix) -> str:
    """Return a matrix in Python, within a test."""
    rows = (", ".join(map(write_number, row)) for row in a)
    return f"[{', '.join(f'[{row}]' for row in rows)}]"


class _OtterWriter(MarkdownWriter):
    def list_cells(self) -> Iterator[dict[str, Any]]:
        """Yield the cells: what is given, then for every stage what to do, room for its matrix, and its tests."""
        sheet = self.sheet
        texts: list[str] = []
        yield _make_raw_cell(
            f"# ASSIGNMENT CONFIG\n# {sheet.say('notebook.teacher', file='FILE.ipynb')}\nname: {sheet.code}\n"
            "init_cell: false\nexport_cell: false\ntests:\n    ok_format: false\n"
            "generate:\n    show_hidden: true\n    force_public_test_summary: false"
        )
        answers = {question.name: question for question in build_questions(sheet.key) if question.name}
        has_setup = False
        for part in build_document(sheet).iterate_parts():
            if isinstance(part, Heading | Panel) and not has_setup:
                yield _make_text_cell([*texts, self.write_text(parse_markup(sheet.say("notebook.type")))])
                yield _make_code_cell("\n".join(self._write_given()))
                yield _make_code_cell(inspect.getsource(has_shape).rstrip())
                texts, has_setup = [], True
            if isinstance(part, Panel) and part.cell_count:
                yield from self._make_stage_cells(part.stage, [*texts, *self.write_part(part)])
                texts = []
            elif isinstance(part, QuestionPanel):
                texts.append(self.write_heading(part.heading))
                for question in part.questions:
                    if question.name:
                        yield from self._make_question_cells(question, texts, answers[question.name])
                        texts = []
                    else:
                        texts.append(self.write_text(question.text))
            else:
                texts += self.write_part(part)
        yield _make_text_cell(texts)
        yield from self._make_test_cells(answers)

    def _write_given(self) -> Iterator[str]:
        """Write what is given, and what the sheet has worked: variables of the names on the page."""
        problem = self.sheet.problem
        yield "from fractions import Fraction\nfrom math import inf\n"
        for name, a in problem.given:
            yield f"{make_variable(name)} = {write_rows(a)}"
        for stage in problem.mechanism.stages:
            if not self.sheet.count_answer_cells(stage):
                yield f"{make_variable(stage.name)} = {write_rows(self.sheet.solution[stage.name].hand)}"

    def _make_stage_cells(self, stage: Stage, texts: list[str]) -> Iterator[dict[str, Any]]:
        """Yield a stage: what to do, its matrix to fill, and a look at its shape; otter marks it at the end."""
        sheet, name = self.sheet, make_variable(stage.name)
        hand = sheet.solution[stage.name].hand
        yield _make_raw_cell(f"# BEGIN QUESTION\nname: {name}\npoints: 0")
        yield _make_text_cell(texts)
        blank = "".join(f"    [{', '.join(row)}],\n" for row in self._write_blank_rows(stage))
        solution = f"{name} = {write_rows(hand)}  # SOLUTION NO PROMPT"
        prompt = f'""" # BEGIN PROMPT\n{name} = [\n{blank}]\n""" # END PROMPT'
        yield from _wrap("SOLUTION", [_make_code_cell(f"{solution}\n{prompt}")])
        yield _make_raw_cell("# END QUESTION")
        rows, columns = shape(hand)
        sentence = sheet.say("notebook.shape", name=name, rows=rows, columns=columns)
        yield _make_code_cell(f'print("✓" if has_shape({name}, {rows}, {columns}) else {json.dumps(sentence)})')

    def _write_blank_rows(self, stage: Stage) -> Iterator[list[str]]:
        """Write what stands in the matrix to fill: dots, and the numbers that the sheet prints."""
        asked, worked = set(self.sheet.list_asked_cells(stage)), self.sheet.worked_cell
        for i, row in enumerate(self.sheet.solution[stage.name].hand):
            yield [
                "..." if (i, j) in asked and (stage.name, i, j) != worked else write_number(value)
                for j, value in enumerate(row)
            ]

    def _make_question_cells(
        self, question: AskedQuestion, texts: list[str], answered: AskedQuestion
    ) -> Iterator[dict[str, Any]]:
        """Yield a question with room for a text, and the answer with its reason for the teacher."""
        name = question.name
        yield _make_raw_cell(f"# BEGIN QUESTION\nname: {name}\npoints: 0")
        yield _make_text_cell([*texts, self.write_text(question.text)])
        solution = f"{name} = {json.dumps(answered.plain_answer, ensure_ascii=False)}  # SOLUTION NO PROMPT"
        code = _make_code_cell(f'{solution}\n""" # BEGIN PROMPT\n{name} = "..."\n""" # END PROMPT')
        reason = [_make_text_cell([convert_to_markdown(answered.reason)])] if answered.reason else []
        yield from _wrap("SOLUTION", [code, *reason])
        yield _make_raw_cell("# END QUESTION")

    def _make_test_cells(self, questions: Iterable[str]) -> Iterator[dict[str, Any]]:
        """Yield what marks, a question for otter each.

        Subtle: otter runs these when all of the notebook has run, the last of them first and then by their names. So
        00_sheet, which marks, is the first in both ways.
        """
        stages = [stage for stage in self.sheet.problem.mechanism.stages if self.sheet.count_answer_cells(stage)]
        variables = {make_variable(stage.name): stage.name for stage in stages}
        points = {stage.name: split_points(self.sheet.count_answer_cells(stage)) for stage in stages}
        points |= {name: [] for name in questions}
        width = max(2, len(str(len(points))))
        for at, (name, coins) in enumerate(points.items(), 1):
            yield from _make_tests(f"{at:0{width}}_{make_variable(name)}", [0, *coins], write_item_tests(name, coins))
        yield from _make_tests(f"{0:0{width}}_sheet", [0], [write_sheet_test(self.sheet, variables, [*questions])])


def _make_tests(name: str, points: list[int], tests: Iterable[str]) -> Iterator[dict[str, Any]]:
    yield _make_raw_cell(f'# BEGIN QUESTION\nname: "{name}"\npoints: {points}\ncheck_cell: false')
    yield from _wrap("TESTS", map(_make_code_cell, tests))
    yield _make_raw_cell("# END QUESTION")


def _wrap(block: str, cells: Any) -> Iterator[dict[str, Any]]:
    yield _make_raw_cell(f"# BEGIN {block}")
    yield from cells
    yield _make_raw_cell(f"# END {block}")


def _make_raw_cell(source: str) -> dict[str, Any]:
    return {"cell_type": "raw", "metadata": {}, "source": source}


def _make_text_cell(texts: Sequence[str]) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": {}, "source": "\n\n".join(filter(None, texts))}


def _make_code_cell(source: str) -> dict[str, Any]:
    return {"cell_type": "code", "execution_count": None, "metadata": {}, "outputs": [], "source": source}
