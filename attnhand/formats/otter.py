"""A Jupyter notebook for ``otter assign``: a cell a stage, with hidden tests that follow a student's own numbers.

The file is the teacher's: ``otter assign`` takes the answers and the hidden tests out of what students get. Numbers
are fractions throughout; each test is one function that holds all it needs (see ``otter_marker``).
"""

import ast
import inspect
import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from decimal import Decimal
from textwrap import indent
from typing import Any, ClassVar

from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.numbers import Number, is_finite
from attnhand.formats.formula_printer import ATOM, PRODUCT, CellPrinter, Written
from attnhand.formats.markdown import MarkdownWriter, convert_to_markdown
from attnhand.formats.otter_marker import UNEXPLAINED, carry_on, find_fault, is_near, is_same, read_matrix, work
from attnhand.formats.question_text import refuse_inexact
from attnhand.sheet.document import Heading, QuestionPanel, build_document
from attnhand.sheet.hints import list_slips_of_right_work
from attnhand.sheet.panels import Panel
from attnhand.sheet.questions import AskedQuestion, format_answer_line
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import BLANK_DIGEST
from attnhand.text.widths import Text, parse_markup

PYTHON = {"display_name": "Python 3", "language": "python", "name": "python3"}


def _write_start(*functions: Callable[..., Any]) -> str:
    """Write the beginning of a test: all that it needs stands in its one function, without what is said of it."""
    trees = [ast.parse(inspect.getsource(function)).body[0] for function in functions]
    for tree in trees:
        assert isinstance(tree, ast.FunctionDef)
        tree.body = tree.body[1:]
    source = "\n\n".join(map(ast.unparse, trees))
    imports = "from fractions import Fraction\nfrom math import floor, inf\nfrom typing import Any\n"
    return indent(f"{imports}\n{source}\n", "    ")


def render_otter(sheet: Sheet) -> str:
    """Return the notebook as JSON; the same sheet gives the same bytes.

    >>> from attnhand.problems.request import Request
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> text = render_otter(make_sheet_from_request(Request(seed=7)))
    >>> text.count("BEGIN TESTS"), text.count("HIDDEN")
    (9, 9)

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
    def write_text(self, text: Text) -> str:
        """Write indices as formulas: what becomes LaTeX loses HTML."""
        markdown = super().write_text(text)
        return re.sub(
            r"<(sub|sup)>(.*?)</\1>", lambda index: f"${'_^'[index[1] == 'sup']}{_write_index(index[2])}$", markdown
        )

    def list_cells(self) -> Iterator[dict[str, Any]]:
        """Yield the cells: what is given, then for every stage what to do, room for its matrix, and its tests."""
        sheet = self.sheet
        texts: list[str] = []
        yield _make_raw_cell(
            f"# ASSIGNMENT CONFIG\n# {sheet.say('notebook.teacher', file='FILE.ipynb')}\nname: {sheet.code}\n"
            "export_cell: false\ntests:\n    ok_format: false"
        )
        answers = {}
        for part in build_document(sheet.key).iterate_parts():
            if isinstance(part, QuestionPanel):
                answers = {question.name: question for question in part.questions}
        has_setup = False
        for part in build_document(sheet).iterate_parts():
            if isinstance(part, Heading | Panel) and not has_setup:
                yield _make_text_cell([*texts, self.write_text(parse_markup(sheet.say("notebook.type")))])
                yield _make_code_cell("\n".join(self._write_given()))
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
        sheet, name = self.sheet, make_variable(stage.name)
        hand, asked = sheet.solution[stage.name].hand, set(sheet.list_asked_cells(stage))
        yield _make_raw_cell(f"# BEGIN QUESTION\nname: {name}\npoints: [0, {len(asked)}]")
        yield _make_text_cell(texts)
        rows = (", ".join("..." if (i, j) in asked else "0" for j in range(len(row))) for i, row in enumerate(hand))
        blank = "".join(f"    [{row}],\n" for row in rows)
        solution = f"{name} = {write_rows(hand)}  # SOLUTION NO PROMPT"
        prompt = f'""" # BEGIN PROMPT\n{name} = [\n{blank}]\n""" # END PROMPT'
        yield from _wrap("SOLUTION", [_make_code_cell(f"{solution}\n{prompt}")])
        yield from _wrap("TESTS", map(_make_code_cell, self._write_tests(stage, name)))
        yield _make_raw_cell("# END QUESTION")

    def _write_tests(self, stage: Stage, name: str) -> Iterator[str]:
        """Write the test that students see, of the shape alone, and the hidden one of the numbers."""
        sheet, decimals = self.sheet, self.sheet.problem.rules.decimals
        hand, asked = sheet.solution[stage.name].hand, sorted(sheet.list_asked_cells(stage))
        rows, columns = shape(hand)
        read = f"{name}, {rows}, {columns}, {decimals}"
        sentence = repr(sheet.say("notebook.shape", name=name, rows=rows, columns=columns))
        shaped = f"    {name} = read_matrix({read})\n    assert {name} is not None, {sentence}\n"
        yield f"def test_shape({name}):\n{_write_start(read_matrix)}{shaped}"
        lines, inputs = [], []
        for each in dict.fromkeys(stage.input_names):
            key, own = sheet.solution.collect_hand_values()[each], make_variable(each)
            if each in dict(sheet.problem.given) or not sheet.count_answer_cells(
                sheet.problem.mechanism.get_stage(each)
            ):
                lines.append(f"{own} = {write_rows(key)}")
                continue
            inputs.append(own)
            lines.append(f"key_{own} = [[(x, 0) for x in row] for row in {write_rows(key)}]")
            lines.append(f"{own} = read_matrix({own}, {len(key)}, {len(key[0])}, {decimals}) or key_{own}")
        own_inputs = ", ".join(inputs)
        lines.append(f"def follow({own_inputs}):")
        lines.append(f"    return [{', '.join(self._write_follow_rows(stage, hand))}]")
        is_right = " and ".join(f"is_same({own}, key_{own})" for own in inputs) or "True"
        slips = "".join(
            f"        ({write_rows(wrong)}, {sentence!r}),\n"
            for wrong, sentence in list_slips_of_right_work(sheet, stage)
        )
        lines.append(f"slips = [\n{slips}    ] if {is_right} else []")
        lines.append(f"followed = carry_on(follow, [{own_inputs}])")
        unexplained = sheet.say("notebook.other", name=name, right=UNEXPLAINED, cells=len(asked))
        lines.append(f"fault = find_fault({name}, {write_rows(hand)}, followed, {asked}, slips, {unexplained!r})")
        lines.append("assert not fault, fault")
        start = _write_start(read_matrix, is_near, is_same, work, carry_on, find_fault)
        yield f"# HIDDEN\ndef test_numbers({', '.join([name, *inputs])}):\n{start}{shaped}" + "".join(
            f"    {line}\n" for line in lines
        )

    def _write_follow_rows(self, stage: Stage, hand: Matrix) -> Iterator[str]:
        known = self.sheet.solution.collect_hand_values()
        if stage.form is Form.POSITION:
            yield from (f"[{', '.join(map(write_number, row))}]" for row in hand)
            return
        printer = PythonPrinter(
            lambda cell: f"{make_variable(cell[0])}[{cell[1]}][{cell[2]}]", self.sheet.problem.hand_arithmetic
        )
        for i, row in enumerate(hand):
            cells = (printer.print_cell(stage, known, i, j) for j in range(len(row)))
            yield f"[{', '.join(f'work(lambda: {cell})' for cell in cells)}]"

    def _make_question_cells(
        self, question: AskedQuestion, texts: list[str], answered: AskedQuestion
    ) -> Iterator[dict[str, Any]]:
        """Yield a question that a person marks, with the answer for them."""
        yield _make_raw_cell(f"# BEGIN QUESTION\nname: {question.name}\nmanual: true")
        yield _make_text_cell([*texts, self.write_text(question.text)])
        reason = (convert_to_markdown(answered.reason),) if answered.reason else ()
        answer = [convert_to_markdown(format_answer_line(answered)), *reason]
        yield from _wrap("SOLUTION", [_make_text_cell(answer)])
        yield _make_raw_cell("# END QUESTION")


def _write_index(text: str) -> str:
    """Return an index or exponent in LaTeX.

    >>> _write_index("k"), _write_index("−1"), _write_index("columns")
    ('{k}', '{-1}', '{\\\\text{columns}}')
    """
    plain = text.replace("−", "-")
    return f"{{\\text{{{plain}}}}}" if len(plain.strip("-,0123456789")) > 1 else f"{{{plain}}}"


class PythonPrinter(CellPrinter):
    """Writes cells in Python, for whole numbers and fractions."""

    program = "a notebook"
    plus, times = " + ", " * "
    functions: ClassVar[Mapping[str, Callable[..., str]]] = {
        "floor": lambda x: f"floor({x})",
        "abs": lambda x: f"abs({x})",
        "max": lambda *x: f"max({', '.join(x)})",
        "min": lambda *x: f"min({', '.join(x)})",
    }

    def write_number(self, value: int | Decimal) -> str:
        return str(value) if is_finite(value) else "-inf"

    def divide(self, numerator: str, denominator: str) -> Written:
        return f"Fraction({numerator}) / {denominator}", PRODUCT

    def raise_to(self, base: str, exponent: str) -> Written:
        return f"(0 if {exponent} == -inf else Fraction({base}) ** {exponent})", ATOM

    def raise_e(self, exponent: str) -> Written:
        raise self.refuse(f"e^{exponent}")


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
