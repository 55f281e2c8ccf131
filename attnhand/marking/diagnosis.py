"""Naming the slip: which mistake of the catalogue, made by the student, gives just what was written."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import localcontext
from functools import cached_property

from attnhand.attention.matrix import Matrix, shape, transposed, values
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import MINUS_INFINITY, PRECISION
from attnhand.attention.operations import Along, Mask, Power
from attnhand.attention.slips import Desk, Slip, slips_at
from attnhand.attention.solution import LARGEST_EXPONENT
from attnhand.errors import ProblemError
from attnhand.formats.answers import Texts
from attnhand.marking.answer_number import Reading
from attnhand.marking.evidence import (
    ROWS_EXCHANGED,
    SINGLE_CELL,
    TRANSPOSED,
    Exchange,
    Written,
    agrees,
    all_agree,
    exchanges,
    is_transposed,
    written_cells,
)
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.marking.shapes import Shape, other_products, readings, shapes_of
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet


def desks(went_on_with: Sequence[Mapping[str, Matrix]], sheet: Sheet, stage: Stage) -> Iterator[Desk]:
    """Yield what the student may have worked from: the numbers as written, and what they stand for."""
    mechanism = sheet.problem.mechanism
    order = [each.name for each in mechanism.stages]
    later = set(order[order.index(stage.name) :])
    seen: list[dict[str, Matrix]] = []
    for numbers in went_on_with:
        known = {name: a for name, a in numbers.items() if name not in later}
        if known not in seen and not _is_beyond_pencils(known, sheet):
            yield Desk(mechanism, stage, sheet.problem.hand, known)
        seen.append(known)


def _is_beyond_pencils(known: dict[str, Matrix], sheet: Sheet) -> bool:
    """Say whether some exponent is so large that its power cannot be written down."""
    exponents = [
        x
        for stage in sheet.problem.mechanism.stages
        if isinstance(stage.operation, Power | Mask)
        for x in values(known.get(stage.reads[0], ()))
    ]
    return any(not -LARGEST_EXPONENT <= x <= LARGEST_EXPONENT for x in exponents if x > MINUS_INFINITY)


def rights(worked_from: Sequence[Desk]) -> Iterator[Matrix]:
    """Yield what follows from what the student worked from."""
    for desk in worked_from:
        try:
            yield desk.right()
        except (ArithmeticError, ProblemError):
            continue


def made_by(slip: Slip, desk: Desk) -> Matrix | None:
    """Return what a slip makes of what lies on the desk; None where it does not apply."""
    try:
        return slip.wrong(desk)
    except KeyError:  # it looks at a stage that comes later
        return None


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
    found = []
    wrong = {cell.stage for cell in marks.cells if cell.mark not in (Mark.CORRECT, Mark.BLANK)}
    for stage in sheet.problem.mechanism.stages:
        cells = [cell for cell in marks.cells if cell.stage == stage.name]
        examined = _Examined(sheet, stage, cells, (marks.own, marks.meant))
        if examined.wrong:
            with localcontext(PRECISION):
                found.append(
                    examined.diagnosis(marks.other_shapes.get(stage.name), inputs_are_right=not wrong & {*stage.reads})
                )
    return tuple(diagnosis for diagnosis in found if diagnosis is not None)


def explained(
    sheet: Sheet, stage: Stage, cells: Sequence[CellMark], went_on_with: Sequence[Mapping[str, Matrix]]
) -> Matrix | None:
    """Return the exact numbers of the mistake that gives what was written at a stage; None where none is found."""
    with localcontext(PRECISION):
        found = _Examined(sheet, stage, cells, went_on_with).explanations()
    return found[0][1] if found else None


class _Examined:
    """One stage, looked at for what went wrong."""

    def __init__(
        self, sheet: Sheet, stage: Stage, cells: Sequence[CellMark], went_on_with: Sequence[Mapping[str, Matrix]]
    ) -> None:
        self.sheet, self.stage, self.cells, self.went_on_with = sheet, stage, cells, went_on_with
        self.places = sheet.problem.rules.decimals
        self.wrong = tuple(cell for cell in cells if cell.mark is Mark.WRONG and cell.note in (None, Note.SHAPE))
        self.key = sheet.solution[stage.name].hand

    @cached_property
    def desks(self) -> tuple[Desk, ...]:
        """What the student may have worked from."""
        return tuple(desks(self.went_on_with, self.sheet, self.stage))

    @cached_property
    def rights(self) -> tuple[Matrix, ...]:
        """The key, and what follows from each of the desks."""
        return (self.key, *rights(self.desks))

    @cached_property
    def written(self) -> Written:
        """What can be read of it."""
        return written_cells(self.cells, self.sheet)

    def diagnosis(self, other_shape: Texts | None, *, inputs_are_right: bool) -> Diagnosis | None:
        """Return what explains the wrong cells, the catalogue asked first."""
        if other_shape is not None:
            return self._of_other_shape(readings(other_shape), shapes_of(other_shape))
        if not inputs_are_right and all(map(self._is_off_by_rounding, self.wrong)):
            return None
        found = self.explanations()
        if not found and len(self.wrong) == 1 and len(self.written) > 1 and self._is_alone(self.written):
            return self._said([SINGLE_CELL])
        found = found or self._in_a_corner()
        if not found:
            return None
        said = self._said([name for name, _ in found])
        pairs = self._exchanges() if ROWS_EXCHANGED in said.slips else {}
        if len(pairs) == 1:
            (pair,) = pairs
            said = replace(said, lines=pair.lines, along=pair.along)
        has_gaps = any(cell.mark in (Mark.BLANK, Mark.UNREADABLE) for cell in self.cells)
        return replace(said, shown_by=1) if has_gaps and len(self.written) <= INFORMATIVE else said

    def _is_off_by_rounding(self, cell: CellMark) -> bool:
        """Say whether a decimal is so near to what follows that unrounded numbers before it may have given it."""
        if cell.value is None or "/" in cell.answer:
            return False
        reading, places = Reading(cell.value, self.places - 1), self.places - 1
        return any(agrees(reading, right[cell.row][cell.column], places) for right in self.rights[1:])

    def _said(self, slips: Sequence[str]) -> Diagnosis:
        return Diagnosis(stage=self.stage.name, slips=tuple(slips), cells=self.wrong)

    def explanations(self) -> list[tuple[str, Matrix]]:
        """Return every mistake that gives all that was written, with what it gives: slips, or what any stage shows."""
        if not self.wrong or self.wrong[0].note is Note.SHAPE:
            return []
        slips = self._slips(self.written, (shape(self.key),))
        if slips or len(self.wrong) == 1:
            return slips
        turned = [transposed(right) for right in self.rights if is_transposed(self.written, right, self.places)]
        return [
            *((TRANSPOSED, a) for a in turned[:1]),
            *((ROWS_EXCHANGED, a) for a in list(self._exchanges().values())[:1]),
        ]

    def _slips(self, written: Written, shapes: Sequence[Shape]) -> list[tuple[str, Matrix]]:
        """Return the slips that give every number that was written, in one of these shapes."""
        found = {}
        for slip in slips_at(self.stage):
            for desk in self.desks:
                a = made_by(slip, desk)
                if a is not None and shape(a) in shapes and all_agree(written, a, self.places):
                    found[slip.id] = a  # from unrounded numbers where these give it too
        return list(found.items())

    def _exchanges(self) -> dict[Exchange, Matrix]:
        wrong = [(cell.row, cell.column) for cell in self.wrong]
        return exchanges(self.written, wrong, self.rights, self.places)

    def _is_alone(self, written: Written) -> bool:
        """Say whether all cells but the wrong one are right; the key where something else follows tells of more."""
        correct = {(cell.row, cell.column) for cell in self.cells if cell.mark is Mark.CORRECT and not cell.note}
        return not any(cell.note is Note.TRIVIAL for cell in self.cells) and all(
            any(agrees(reading, right[i][j], self.places) for right in self.rights[1:])
            for (i, j), reading in written.items()
            if (i, j) in correct
        )

    def _in_a_corner(self) -> list[tuple[str, Matrix]]:
        """Find slips whose smaller result was written into a corner of the stage, the other cells left empty."""
        corner = (1 + max((i for i, _ in self.written), default=0), 1 + max((j for _, j in self.written), default=0))
        return self._slips(self.written, (corner,)) if self.written and corner != shape(self.key) else []

    def _of_other_shape(self, written: Written, shapes: Sequence[Shape]) -> Diagnosis | None:
        """Explain an answer that has not the shape of the stage."""
        if not written:
            return None
        slips = [name for name, _ in self._slips(written, shapes)]
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
