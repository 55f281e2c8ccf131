"""The shape of what was handed in: spreadsheets' padding taken off, and which product has the shape."""

from dataclasses import dataclass
from itertools import product as all_of

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Axis, Mechanism, Stage
from attnhand.attention.mechanisms.base import bare
from attnhand.attention.operations import Product
from attnhand.attention.slips.context import multiplied, turned
from attnhand.errors import NumberError
from attnhand.formats.answers import Texts
from attnhand.marking.answer_number import Reading, read_answer
from attnhand.sheet.sheet import NOT_ASKED

Shape = tuple[int, int]
"""Rows and columns."""


def trimmed(texts: Texts, wanted: Shape) -> Texts:
    """Leave out empty lines and cells beyond the shape: spreadsheets pad tables with them. All empty is nothing.

    >>> trimmed((("1", "2", ""), ("", "", "")), (1, 2)), trimmed((("", ""),), (2, 2))
    ((('1', '2'),), ())
    """
    rows, columns = wanted
    kept = [tuple(row) for row in texts]
    if not any(cell.strip() for row in kept for cell in row):
        return ()
    while len(kept) > rows and not any(cell.strip() for cell in kept[-1]):
        kept.pop()
    return tuple(row[:columns] if not any(cell.strip() for cell in row[columns:]) else row for row in kept)


def has_shape(texts: Texts, wanted: Shape) -> bool:
    """Say whether an answer, trimmed, has the shape; one of nothing has any."""
    rows, columns = wanted
    return not texts or (len(texts) == rows and all(len(row) == columns for row in texts))


def readings(texts: Texts) -> dict[tuple[int, int], Reading]:
    """Return what can be read of an answer of whatever shape, by row and column (0-based).

    >>> list(readings((("", "2"), ("dog",))))
    [(0, 1)]
    """
    found = {}
    for i, row in enumerate(texts):
        for j, text in enumerate(row):
            try:
                reading = read_answer("" if text.strip() == NOT_ASKED else text)
            except NumberError:
                continue
            if reading is not None:
                found[i, j] = reading
    return found


def shapes_of(texts: Texts) -> tuple[Shape, ...]:
    """Return the shapes that an answer may be meant to have: with its empty last lines, and without.

    >>> shapes_of((("1", "2", ""), ("3", "", ""), ("", "", "")))
    ((3, 3), (2, 2))
    """
    filled = [(i, j) for i, row in enumerate(texts) for j, text in enumerate(row) if text.strip()]
    widths = {len(row) for row in texts}
    whole = [(len(texts), max(widths))] if len(widths) == 1 else []
    cut = (1 + max(i for i, _ in filled), 1 + max(j for _, j in filled))
    return tuple(dict.fromkeys([*whole, cut]))


@dataclass(frozen=True, slots=True, kw_only=True)
class OtherProduct:
    """What the factors of a stage give in another order, or transposed otherwise."""

    text: str
    """In plain Unicode: K Qᵀ."""

    sizes: str
    """Rows and columns by name: d_k × d_k."""

    value: Matrix


def other_products(mechanism: Mechanism, stage: Stage, inputs: tuple[Matrix, ...]) -> tuple[OtherProduct, ...]:
    """Return every other product of the two factors of a stage, the likest to the right one first."""
    operation = stage.operation
    if not isinstance(operation, Product):
        return ()
    right = (operation.left_transposed, operation.right_transposed)
    both = ((stage.reads[0], inputs[0]), (stage.reads[-1], inputs[-1]))
    marks = sorted(all_of((False, True), repeat=2), key=lambda marks: sum(map(bool.__ne__, marks, right)))
    found = []
    for factors in (both, both[::-1]):
        for turns in marks:
            if factors is both and turns == right:
                continue
            left, other = (turned(a) if turn else a for (_, a), turn in zip(factors, turns, strict=True))
            value = multiplied(left, other)
            if value is None:
                continue
            names = " ".join(bare(name) + "ᵀ" * turn for (name, _), turn in zip(factors, turns, strict=True))
            rows = _axes(mechanism, factors[0][0])[turns[0]]
            columns = _axes(mechanism, factors[1][0])[not turns[1]]
            found.append(OtherProduct(text=names, sizes=f"{_size(rows)} × {_size(columns)}", value=value))
    return tuple(found)


def _axes(mechanism: Mechanism, name: str) -> tuple[Axis, Axis]:
    matrix = next((given for given in mechanism.given if given.name == name), None) or mechanism.stage(name)
    return matrix.rows, matrix.columns


def _size(axis: Axis) -> str:
    size = "1" if axis.size == "one" else axis.size
    return size if axis.times == 1 else f"{axis.times} · {size}"
