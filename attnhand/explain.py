"""How one cell comes about, by hand and exactly: every pair, every power, every sum written out."""

import re
from dataclasses import dataclass

from attnhand.cell_address import find_cell
from attnhand.errors import CellError
from attnhand.journey_text import JourneyWriter
from attnhand.mechanisms import Axis, Stage
from attnhand.operations import Product
from attnhand.sheet.drawing import stage_title
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import as_plain, marked_up
from attnhand.solution import worked
from attnhand.written_out import CellWriter, axes_of, factors, line_name


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One cell, explained; every line is plain Unicode."""

    title: str
    """Which cell it is and where it stands."""

    by_hand: tuple[str, ...]
    """How it comes about by the house rules."""

    exactly: tuple[str, ...]
    """The same with attention as it is; empty for a given number."""


def explain(sheet: Sheet, cell: str) -> Explanation:
    """Explain one cell of a sheet, asked or not, blank or solved.

    >>> from attnhand.make import sheet_from_request
    >>> from attnhand.request import Request
    >>> told = explain(sheet_from_request(Request(seed=7)), "S[2,1]")
    >>> print(told.title, *told.by_hand, sep="\\n")
    S[2,1], scores: row k₂ of Kᵀ · column q₁ of Q
    row k₂ of Kᵀ: 1 1 −1
    column q₁ of Q: 1 −1 −1
    1·1 + 1·(−1) + (−1)·(−1) = 1

    Raises:
        CellError: the text names no cell of this sheet.
    """
    name, row, column = find_cell(sheet, cell)
    problem = sheet.problem
    if name in (given := dict(problem.given)):
        value = CellWriter(sheet, given, problem.hand).show(given[name][row][column])
        return Explanation(
            title=_title(sheet, name, sheet.say("explain.given"), axes_of(sheet, name), (row, column)),
            by_hand=(f"{name}[{row + 1},{column + 1}] = {value}",),
            exactly=(),
        )
    stage = problem.mechanism.stage(name)
    by_hand = CellWriter(sheet, sheet.solution.hand_values(), problem.hand).lines(stage, row, column)
    exactly = CellWriter(sheet, given | worked(problem, problem.exact), problem.exact).lines(stage, row, column)
    return Explanation(
        title=_stage_title(sheet, stage, row, column),
        by_hand=by_hand,
        exactly=exactly if exactly != by_hand else (sheet.say("explain.same"),),
    )


def find_query(sheet: Sheet, source: str) -> int | None:
    """Return the query (0-based) that a text such as ``q2`` names, None for the address of a cell.

    Raises:
        CellError: the sheet has no such query.
    """
    written = re.fullmatch(rf"\s*[q{sheet.query_letter}]_?([0-9]{{1,3}})\s*", source)
    if written is None:
        return None
    tokens = sheet.problem.sizes["tokens"]
    if not 1 <= int(written[1]) <= tokens:
        raise CellError(f"there is no query {int(written[1])}: the sheet has {tokens} tokens; give q1 to q{tokens}")
    return int(written[1]) - 1


def explain_journey(sheet: Sheet, query: int) -> Explanation:
    """Follow one query (0-based) through every head: keys, stages, weights, values.

    >>> from attnhand.make import sheet_from_request
    >>> from attnhand.request import Request
    >>> told = explain_journey(sheet_from_request(Request(seed=7)), 1)
    >>> print(told.title, *told.by_hand[:2], sep="\\n")
    the journey of q₂
    q₂ = (2, 2, −1)
    q₂ · k₁ = (2, 2, −1) · (−1, −1, 0) = −4
    """
    problem = sheet.problem
    exact_values = dict(problem.given) | worked(problem, problem.exact)
    by_hand = JourneyWriter(sheet, sheet.solution.hand_values(), problem.hand).journey(query)
    exactly = JourneyWriter(sheet, exact_values, problem.exact).journey(query)
    label = f"{sheet.query_letter}_{{{query + 1}}}"
    word = f" ({problem.words[query]})" if problem.words else ""
    return Explanation(
        title=as_plain(marked_up(sheet.say("explain.journey", query=label))) + word,
        by_hand=by_hand,
        exactly=exactly if exactly != by_hand else (sheet.say("explain.same"),),
    )


def _stage_title(sheet: Sheet, stage: Stage, row: int, column: int) -> str:
    told = stage_title(sheet, stage)
    if not isinstance(stage.operation, Product):
        return _title(sheet, stage.name, told, (stage.rows, stage.columns), (row, column))
    (left, left_label), (right, right_label) = factors(sheet, stage, row, column)
    product = sheet.say("explain.product", row=left_label, left=left, column=right_label, right=right)
    return f"{stage.name}[{row + 1},{column + 1}], {told}: {product}"


def _title(sheet: Sheet, name: str, told: str, axes: tuple[Axis, Axis], place: tuple[int, int]) -> str:
    lines = [
        sheet.say(key, line=line_name(sheet, axis, at))
        for key, axis, at in zip(("explain.in_row", "explain.in_column"), axes, place, strict=True)
        if axis.size != "one"
    ]
    return f"{name}[{place[0] + 1},{place[1] + 1}], {told}: {', '.join(lines)}"
