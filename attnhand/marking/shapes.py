"""The shape of what was handed in: spreadsheets' padding taken off, and which product has the shape."""

from contextlib import suppress
from dataclasses import dataclass
from itertools import product as all_of

from attnhand.attention.matrix import Matrix, product, transpose, unify_number_types
from attnhand.attention.mechanisms import Dimension, Mechanism, Stage
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.spellings import Reading, read_number
from attnhand.errors import NumberError
from attnhand.formats.answer_tables import TextRows
from attnhand.sheet.sheet import UNASKED_CELL_TEXT

Shape = tuple[int, int]
"""Rows and columns."""


def trim_padding(texts: TextRows, shape: Shape) -> TextRows:
    """Leave out empty lines and cells beyond the shape: spreadsheets pad tables with them. All empty is nothing.

    >>> trim_padding((("1", "2", ""), ("", "", "")), (1, 2)), trim_padding((("", ""),), (2, 2))
    ((('1', '2'),), ())
    """
    rows, columns = shape
    trimmed = [tuple(row) for row in texts]
    if not any(cell.strip() for row in trimmed for cell in row):
        return ()
    while len(trimmed) > rows and not any(cell.strip() for cell in trimmed[-1]):
        trimmed.pop()
    return tuple(row[:columns] if not any(cell.strip() for cell in row[columns:]) else row for row in trimmed)


def has_shape(texts: TextRows, shape: Shape) -> bool:
    """Say whether an answer, trimmed, has the shape; one of nothing has any."""
    rows, columns = shape
    return not texts or (len(texts) == rows and all(len(row) == columns for row in texts))


def read_cells(texts: TextRows) -> dict[tuple[int, int], Reading]:
    """Return what can be read of an answer of whatever shape, by row and column (0-based).

    >>> list(read_cells((("", "2"), ("dog",))))
    [(0, 1)]
    """
    found = {}
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            with suppress(NumberError):
                reading = read_number("" if text.strip() == UNASKED_CELL_TEXT else text)
                if reading is not None:
                    found[i, j] = reading
    return found


def list_possible_shapes(texts: TextRows) -> tuple[Shape, ...]:
    """Return the shapes that an answer may be meant to have: with its empty last lines, and without.

    >>> list_possible_shapes((("1", "2", ""), ("3", "", ""), ("", "", "")))
    ((3, 3), (2, 2))
    """
    filled = [(i, j) for i, row in enumerate(texts) for j, text in enumerate(row) if text.strip()]
    widths = {len(row) for row in texts}
    whole = [(len(texts), max(widths))] if len(widths) == 1 else []
    cut = (1 + max(i for i, _ in filled), 1 + max(j for _, j in filled))
    return tuple(dict.fromkeys([*whole, cut]))


@dataclass(frozen=True, slots=True)
class OtherProduct:
    """What the factors of a stage give in another order, or transposed otherwise."""

    formula: str
    """In plain Unicode: K Qᵀ."""

    size_names: str
    """Rows and columns by name: d_k × d_k."""

    value: Matrix


def list_other_products(mechanism: Mechanism, stage: Stage, inputs: tuple[Matrix, ...]) -> tuple[OtherProduct, ...]:
    """Return every other product of the two factors of a stage, the likest to the right one first."""
    if stage.product is None:
        return ()
    right = (stage.product.is_left_transposed, stage.product.is_right_transposed)
    both = ((stage.input_names[0], inputs[0]), (stage.input_names[-1], inputs[-1]))
    marks = sorted(all_of((False, True), repeat=2), key=lambda marks: sum(map(bool.__ne__, marks, right)))
    found = []
    for factors in (both, both[::-1]):
        for turns in marks:
            if factors is both and turns == right:
                continue
            left, other = (transpose(a) if turn else a for (_, a), turn in zip(factors, turns, strict=True))
            if len(left[0]) != len(other):
                continue
            value = product(*unify_number_types([left, other]))
            names = " ".join(strip_head(name) + "ᵀ" * turn for (name, _), turn in zip(factors, turns, strict=True))
            rows = _find_axes(mechanism, factors[0][0])[turns[0]]
            columns = _find_axes(mechanism, factors[1][0])[not turns[1]]
            found.append(OtherProduct(names, f"{_format_size(rows)} × {_format_size(columns)}", value))
    return tuple(found)


def _find_axes(mechanism: Mechanism, name: str) -> tuple[Dimension, Dimension]:
    matrix = next((given for given in mechanism.given if given.name == name), None) or mechanism.get_stage(name)
    return matrix.rows, matrix.columns


def _format_size(axis: Dimension) -> str:
    size = "1" if axis.size_name == "one" else axis.size_name
    return size if axis.multiplier == 1 else f"{axis.multiplier} · {size}"
