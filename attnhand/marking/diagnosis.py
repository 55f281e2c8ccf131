"""Naming the slip: which mistake of the catalogue, made by the student, gives just what was written."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import localcontext
from functools import cached_property

from attnhand.errors import ProblemError
from attnhand.marking.evidence import Written, agrees, all_agree, written_cells
from attnhand.marking.generics import ROWS_EXCHANGED, SINGLE_CELL, TRANSPOSED, exchanges, is_transposed
from attnhand.marking.mark import CellMark, Mark, Marks, Note
from attnhand.marking.shapes import Shape, other_products, readings, shapes_of
from attnhand.matrix import Matrix, shape, transposed, values
from attnhand.mechanisms import Stage
from attnhand.numbers import MINUS_INFINITY, PRECISION
from attnhand.operations import Along, Mask, Power
from attnhand.sheet.sheet import Sheet
from attnhand.slips import Desk, Slip, slips_at
from attnhand.solution import LARGEST_EXPONENT

INFORMATIVE = 2
"""A slip is named where so many cells show it; where one does, perhaps."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What seems to have gone wrong at one stage."""

    stage: str
    slips: tuple[str, ...]
    """Ids of the slips that explain every wrong cell: one where it is named, several where they look alike.

    None where all that can be said is which product has the shape that was handed in.
    """

    cells: tuple[CellMark, ...]
    """The wrong cells that it explains."""

    shown_by: int | None = None
    """How many numbers show it where these are not the wrong cells: of an answer of another shape all, of a stage
    left empty but for two 1, since two may agree by chance."""

    lines: tuple[int, int] | None = None
    """Of ``rows-exchanged``: which two, 0-based; None where more than one pair gives what was written."""

    along: Along | None = None
    """Of ``rows-exchanged``: whether they are rows or columns."""

    product: str = ""
    """Of an answer of another shape that no slip explains: the product that has this shape, such as K Qᵀ."""

    product_sizes: str = ""
    """The shape of that product by name: d_k × d_k."""

    @property
    def is_named(self) -> bool:
        """Say whether one slip alone explains the stage, by two cells at least; a single cell speaks for itself."""
        return len(self.slips) == 1 and (self._evidence >= INFORMATIVE or self.slips == (SINGLE_CELL,))

    @property
    def is_perhaps(self) -> bool:
        """Say whether one slip alone explains the one wrong cell."""
        return len(self.slips) == 1 and not self.is_named

    @property
    def _evidence(self) -> int:
        return len(self.cells) if self.shown_by is None else self.shown_by


def diagnosed(marks: Marks, sheet: Sheet) -> tuple[Diagnosis, ...]:
    """Return a diagnosis for every stage whose wrong cells one slip or several explain."""
    stages = [_Stage(marks, sheet, stage) for stage in sheet.problem.mechanism.stages]
    with localcontext(PRECISION):
        return tuple(found for stage in stages if stage.wrong and (found := stage.diagnosis()))


class _Stage:
    """One stage that went wrong."""

    def __init__(self, marks: Marks, sheet: Sheet, stage: Stage) -> None:
        self.marks, self.sheet, self.stage = marks, sheet, stage
        self.places = sheet.problem.rules.decimals
        self.cells = [cell for cell in marks.cells if cell.stage == stage.name]
        self.wrong = tuple(cell for cell in self.cells if cell.mark is Mark.WRONG and cell.note in (None, Note.SHAPE))
        self.key = sheet.solution[stage.name].hand

    @cached_property
    def desks(self) -> tuple[Desk, ...]:
        """What the student may have worked from."""
        return tuple(_desks(self.marks, self.sheet, self.stage))

    @cached_property
    def rights(self) -> tuple[Matrix, ...]:
        """The key, and what follows from each of the desks."""
        return (self.key, *_rights(self.desks))

    def diagnosis(self) -> Diagnosis | None:
        """Return what explains the wrong cells, the catalogue asked first."""
        texts = self.marks.other_shapes.get(self.stage.name)
        if texts is not None:
            return self._of_other_shape(readings(texts), shapes_of(texts))
        written = written_cells(self.cells, self.sheet)
        slips = self._slips(written, (shape(self.key),))
        found = self._said(slips) if slips else self._generic(written) or self._in_a_corner(written)
        has_gaps = any(cell.mark in (Mark.BLANK, Mark.UNREADABLE) for cell in self.cells)
        return replace(found, shown_by=1) if found and has_gaps and len(written) <= INFORMATIVE else found

    def _said(self, slips: Sequence[str]) -> Diagnosis:
        return Diagnosis(stage=self.stage.name, slips=tuple(slips), cells=self.wrong)

    def _slips(self, written: Written, shapes: Sequence[Shape]) -> list[str]:
        """Return the slips that give every number that was written, in one of these shapes."""

        def explains(slip: Slip) -> bool:
            results = (_made_by(slip, desk) for desk in self.desks)
            return any(a is not None and shape(a) in shapes and all_agree(written, a, self.places) for a in results)

        return [slip.id for slip in slips_at(self.stage) if explains(slip)]

    def _generic(self, written: Written) -> Diagnosis | None:
        """Say what the wrong cells look like, where no slip gives them."""
        if len(self.wrong) == 1:
            return self._said((SINGLE_CELL,)) if len(written) > 1 and self._is_alone(written) else None
        turned = any(is_transposed(written, right, self.places) for right in self.rights)
        made = exchanges(written, [(cell.row, cell.column) for cell in self.wrong], self.rights, self.places)
        slips = [TRANSPOSED] * turned + [ROWS_EXCHANGED] * bool(made)
        said = self._said(slips) if slips else None
        return replace(said, lines=made[0].lines, along=made[0].along) if said and len(made) == 1 else said

    def _is_alone(self, written: Written) -> bool:
        """Say whether all cells but the wrong one are right; the key where something else follows tells of more."""
        correct = {(cell.row, cell.column) for cell in self.cells if cell.mark is Mark.CORRECT and not cell.note}
        return not any(cell.note is Note.TRIVIAL for cell in self.cells) and all(
            any(agrees(reading, right[i][j], self.places) for right in self.rights[1:])
            for (i, j), reading in written.items()
            if (i, j) in correct
        )

    def _in_a_corner(self, written: Written) -> Diagnosis | None:
        """Find the slip whose smaller result was written into a corner of the stage, the other cells left empty."""
        if not written:
            return None
        corner = (1 + max(i for i, _ in written), 1 + max(j for _, j in written))
        slips = self._slips(written, (corner,)) if corner != shape(self.key) else []
        return self._said(slips) if slips else None

    def _of_other_shape(self, written: Written, shapes: Sequence[Shape]) -> Diagnosis | None:
        """Explain an answer that has not the shape of the stage."""
        if not written:
            return None
        slips = self._slips(written, shapes)
        if not slips and any(
            shape(turned) in shapes and all_agree(written, turned, self.places)
            for turned in map(transposed, self.rights)
        ):
            slips = [TRANSPOSED]
        if slips:
            return replace(self._said(slips), shown_by=len(written))
        return self._product(written, shapes)

    def _product(self, written: Written, shapes: Sequence[Shape]) -> Diagnosis | None:
        """Say which product has the shape that was handed in; one whose numbers are those written comes first."""
        others = [
            other
            for desk in self.desks
            for other in other_products(self.sheet.problem.mechanism, self.stage, desk.inputs)
            if shape(other.value) in shapes
        ]
        if not others:
            return None
        fitting = [other for other in others if all_agree(written, other.value, self.places)]
        chosen = (fitting or others)[0]
        said = replace(self._said(()), product=chosen.text, product_sizes=chosen.sizes)
        return replace(said, shown_by=len(written) if fitting else 0)


def _desks(marks: Marks, sheet: Sheet, stage: Stage) -> Iterator[Desk]:
    """Yield what the student may have worked from: the numbers as written, and unrounded where these are right."""
    mechanism = sheet.problem.mechanism
    order = [each.name for each in mechanism.stages]
    before = set(order[: order.index(stage.name)])
    written = {name: a for name, a in marks.own.items() if name in before or name not in order}
    unrounded = {name: [list(row) for row in a] for name, a in written.items()}
    for cell in marks.cells:
        if cell.mark is Mark.CORRECT and cell.stage in before:
            unrounded[cell.stage][cell.row][cell.column] = cell.key
    meant = {name: tuple(map(tuple, a)) for name, a in unrounded.items()}
    for known in (written, meant) if meant != written else (written,):
        if not _is_beyond_pencils(known, sheet):
            yield Desk(mechanism, stage, sheet.problem.hand, known)


def _is_beyond_pencils(known: dict[str, Matrix], sheet: Sheet) -> bool:
    """Say whether some exponent is so large that its power cannot be written down."""
    exponents = [
        x
        for stage in sheet.problem.mechanism.stages
        if isinstance(stage.operation, Power | Mask)
        for x in values(known.get(stage.reads[0], ()))
    ]
    return any(not -LARGEST_EXPONENT <= x <= LARGEST_EXPONENT for x in exponents if x > MINUS_INFINITY)


def _rights(desks: Sequence[Desk]) -> Iterator[Matrix]:
    """Yield what follows from what the student worked from."""
    for desk in desks:
        try:
            yield desk.right()
        except (ArithmeticError, ProblemError):
            continue


def _made_by(slip: Slip, desk: Desk) -> Matrix | None:
    try:
        return slip.wrong(desk)
    except KeyError:  # it looks at a stage that comes later
        return None
