"""One cell of a stage as the sheet has it: which cells it is made of, and how it comes about."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.formulas.cells import Cell, CellWorker, Spot, find_spot, list_read_cells
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.formulas.nodes import Binary, Node, Over, Read
from attnhand.attention.formulas.writing import write_right_side
from attnhand.attention.matrix import Matrix, share_denominator
from attnhand.attention.mechanisms.base import Form, Hiding, Stage
from attnhand.attention.numbers import Number

CellPosition = tuple[str, int, int]
"""A cell by stage name, row and column (0-based)."""

Values = Mapping[str, Sequence[Sequence[Any]]]
"""Matrices by name; here only their shapes matter."""

Parts = tuple[tuple[CellPosition | int, ...], ...]
"""What is added up, each the cells that are multiplied or divided; the 1 that meets a bias is in no cell."""


def list_parts(stage: Stage, values: Values, row: int, column: int) -> Parts:
    """Return what one cell (0-based) is made of: of a product the pairs that are multiplied and added.

    A score that the mask hides is made of nothing.
    """
    shapes = tuple([(len(values[name]), len(values[name][0])) for name in stage.formula.reads])
    return _find_parts(stage, shapes, row, column)


@lru_cache(maxsize=5_000)  # marking asks the same of the same cells over and over, of every sheet of a class
def _find_parts(stage: Stage, shapes: tuple[tuple[int, int], ...], row: int, column: int) -> Parts:
    """Return what a cell (0-based) is made of where a stage reads matrices of these rows and columns."""
    sizes = zip(stage.formula.reads, shapes, strict=True)
    values = {name: [range(columns)] * rows for name, (rows, columns) in sizes}
    spot = find_cell(stage, values, row, column)
    parts = tuple(_show_cells(stage, spot, values, node) for spot, node in _list_terms(spot, spot.bound.formula.right))
    if stage.product is None:
        return tuple(part for part in parts if part)
    bias = stage.product.bias
    pairs: Iterator[tuple[CellPosition | int, ...]] = (
        part if len(part) > 1 or bias is None else (*part, 1) for part in parts
    )
    return tuple(pair[::-1] if stage.convention.is_rows else pair for pair in pairs)


def list_cells_read(stage: Stage, values: Values, row: int, column: int) -> tuple[CellPosition, ...]:
    """Return the cells that a cell (0-based) is worked from."""
    return tuple(cell for part in list_parts(stage, values, row, column) for cell in part if not isinstance(cell, int))


def count_products(stage: Stage, values: Values) -> int:
    """Return how many numbers are multiplied in a cell of a stage: of a product its pairs, a bias left out."""
    return _count_products(find_cell(stage, values, 0, 0), stage.formula.formula.right)


def _count_products(spot: Spot, node: Node) -> int:
    match node:
        case Over(_, index, body):
            return sum(_count_products(at, body) for at in spot.walk_over(index))
        case Binary(sign, left, right):
            return (sign == "·") + _count_products(spot, left) + _count_products(spot, right)
        case _:
            return 0


def list_numbers(stage: Stage, values: Mapping[str, Matrix], row: int, column: int) -> list[tuple[Number, ...]]:
    """Return the numbers that one cell (0-based) is made of: see ``list_parts``."""
    return [
        tuple(cell if isinstance(cell, int) else values[cell[0]][cell[1]][cell[2]] for cell in part)
        for part in list_parts(stage, values, row, column)
    ]


def write_formula(
    stage: Stage,
    values: Mapping[str, Matrix],
    row: int,
    column: int,
    arithmetic: Arithmetic,
    write_number: Callable[[str, int, int], str],
) -> str:
    """Return what one cell (0-based) is made of as its formula has it: "(1·2 + 3·1) ÷ (2 + 1)".

    Args:
        write_number: what stands in a cell (name, row, column) that it reads, without brackets.
    """
    lines = {name: stage.take_in(name, values[name]) for name in stage.formula.reads}
    return write_right_side(
        find_cell(stage, values, row, column),
        make_exact_numbers(arithmetic),
        lines,
        lambda cell: write_number(*show_cell(stage, values, cell)),
    )


def work_exponent(stage: Stage, values: Mapping[str, Matrix], row: int, column: int, arithmetic: Arithmetic) -> Number:
    """Return what something is raised to the power of in a cell (0-based) of a stage of powers."""
    right_side = stage.formula.formula.right
    assert isinstance(right_side, Binary)
    if isinstance(right_side.right, Read):
        return values[right_side.right.matrix][row][column]
    lines = {name: stage.take_in(name, values[name]) for name in stage.formula.reads}
    worker = CellWorker(make_exact_numbers(arithmetic), lines)
    exponent: Number = worker.work(find_cell(stage, values, row, column), right_side.right)
    return exponent


def expand_to_common_denominator(stage: Stage, values: Mapping[str, Matrix], row: int, column: int) -> tuple[int, int]:
    """Return a weight over the common denominator of its query, not reduced: 3/6 beside 1/6 and 2/6.

    Rational powers only; numerator and denominator.
    """
    powers = values[stage.input_names[0]]
    of_query = powers[row] if stage.convention.is_rows else [each[column] for each in powers]
    at = column if stage.convention.is_rows else row
    if stage.sink is None:
        tops, _ = share_denominator(of_query)
        return tops[at], sum(tops)
    sums = values[stage.input_names[1]]
    tops, _ = share_denominator([*of_query, sums[row][0] if stage.convention.is_rows else sums[0][column]])
    return tops[at], tops[-1]


def find_cell(stage: Stage, values: Values, row: int, column: int) -> Spot:
    """Return a cell (0-based) as its formula has it."""
    shapes = tuple([(len(values[name]), len(values[name][0])) for name in stage.formula.reads])
    if stage.convention.is_rows:
        shapes = tuple([shape[::-1] for shape in shapes])
    return find_spot(stage.formula, shapes, stage.find_place(row, column))


def _list_terms(spot: Spot, node: Node) -> list[tuple[Spot, Node]]:
    """Return what is added up, each with where its letters stand."""
    match node:
        case Over("Σ", index, body):
            return [term for at in spot.walk_over(index) for term in _list_terms(at, body)]
        case Binary("+", left, right):
            return _list_terms(spot, left) + _list_terms(spot, right)
        case _:
            return [(spot, node)]


def _show_cells(stage: Stage, spot: Spot, values: Values, node: Node) -> tuple[CellPosition, ...]:
    """Return the cells that a node reads, by row and column of the sheet."""
    return tuple(show_cell(stage, values, cell) for cell in list_read_cells(spot, node))


def show_cell(stage: Stage, values: Values, cell: Cell) -> CellPosition:
    """Return a cell that a stage reads by row and column of the sheet."""
    name, place = cell
    if len(place) == 1:
        return (name, place[0] - 1, 0) if len(values[name]) > 1 else (name, 0, place[0] - 1)
    row, column = place[::-1] if stage.convention.is_rows else place
    return name, row - 1, column - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class CellExplanation:
    """How one cell comes about, without a word: what a language has a sentence for, and what stands in it."""

    key: str
    """Names the sentence; a few keys (product, scale, power, sum, weight, position) are written out more fully."""

    sources: tuple[CellPosition, ...] = ()
    """Cells to name first."""

    numbers: Mapping[str, int] = field(default_factory=dict)
    """What the sentence names beside them."""

    token: int | None = None
    """The token (0-based) whose word the sentence names."""


def explain_cell(stage: Stage, values: Values, row: int, column: int) -> CellExplanation:
    """Return how one cell (0-based) comes about."""
    key = stage.facts.hint_key
    place = stage.find_place(row, column)
    match stage.form:
        case Form.PRODUCT | Form.SUM:
            return CellExplanation(key=key)
        case Form.MASK:
            return _explain_masked_cell(stage, row, column)
        case Form.POSITION:
            feature, token = place
            features = stage.formula.usual["f"]
            return CellExplanation(
                key=key, numbers={"position": token - 1, "feature": feature - 1, "features": features}
            )
        case Form.TURN:
            _, token = place
            return CellExplanation(
                key=key,
                sources=list_cells_read(stage, values, row, column),
                numbers={"place": token + stage.kept_count},
            )
        case Form.ROTATION:
            feature, token = place
            features = find_cell(stage, values, row, column).sizes["r"]
            return CellExplanation(
                key="turned.radians",
                sources=list_cells_read(stage, values, row, column),
                numbers={"place": token + stage.kept_count, "feature": feature, "features": features},
            )
        case Form.COPY if stage.formula.lists:
            _, token = place
            ((name, at_row, at_column),) = list_cells_read(stage, values, row, column)
            vector = (
                [(name, at_row, j) for j in range(len(values[name][0]))]
                if stage.convention.is_rows
                else [(name, i, at_column) for i in range(len(values[name]))]
            )
            return CellExplanation(key=key, sources=tuple(vector), token=token - 1)
        case _ if key == "kept":  # the others only say whether it is
            return CellExplanation(key=key, sources=list_cells_read(stage, values, row, column)[:1])
        case _:
            return CellExplanation(key=key, sources=list_cells_read(stage, values, row, column))


def _explain_masked_cell(stage: Stage, row: int, column: int) -> CellExplanation:
    """Say whether a score is hidden from its query, and for which reason."""
    sources = ((stage.formula.reads[0], row, column),)
    match stage.find_hiding(row, column):
        case Hiding.LATER:
            return CellExplanation(key="masked", sources=sources)
        case Hiding.WINDOW:
            assert stage.window is not None
            return CellExplanation(key="before_window", sources=sources, numbers={"window": stage.window})
        case Hiding.PADDING:
            return CellExplanation(key="padding", sources=sources)
        case Hiding.GIVEN:
            return CellExplanation(key="hidden", sources=sources)
        case None:
            is_causal = {*stage.hidings} <= {Hiding.LATER, Hiding.WINDOW}
            return CellExplanation(key="visible" if is_causal else "seen", sources=sources)
