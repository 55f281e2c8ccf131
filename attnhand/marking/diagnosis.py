"""Name the slip: which mistake of the catalogue gives exactly what the student wrote."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from decimal import localcontext
from functools import cached_property, partial

from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.spellings import Reading
from attnhand.errors import ProblemError
from attnhand.formats.answer_tables import TextRows
from attnhand.marking.evidence import Exchange, Readings, all_match, collect_readings, find_exchanges, is_transposed
from attnhand.marking.marks import (
    MIN_CELLS_FOR_CERTAINTY,
    ROWS_EXCHANGED,
    SINGLE_CELL,
    TRANSPOSED,
    CellMark,
    Diagnosis,
    Marks,
    Note,
)
from attnhand.marking.redo import find_read_cells
from attnhand.marking.shapes import Shape, list_other_products, list_possible_shapes, read_cells
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet

ONE_HOT = "one-hot"
"""The slip that rounding to whole numbers looks like."""


def diagnose_stages(marks: Marks, sheet: Sheet, *, are_gaps_right: bool = False) -> tuple[Diagnosis, ...]:
    """Return a diagnosis for every stage whose wrong cells one slip or several explain.

    Args:
        are_gaps_right: whether what is missing was not looked at, since it is right; else nobody knows what was
            worked from it, so nobody is told of a slip there.
    """
    found = []
    wrong = {cell.stage for cell in marks.cells if cell.mark not in (Mark.CORRECT, Mark.BLANK)}
    unknown = [] if are_gaps_right else [cell for cell in marks.cells if cell.mark in (Mark.BLANK, Mark.UNREADABLE)]
    missing = {(cell.stage, cell.row, cell.column) for cell in unknown}
    for stage in sheet.problem.mechanism.stages:
        cells = [cell for cell in marks.cells if cell.stage == stage.name]
        if missing and any(
            missing & find_read_cells(sheet, stage, cell.row, cell.column) for cell in cells if cell.mark is Mark.WRONG
        ):
            continue
        diagnoser = _StageDiagnoser(sheet, stage, cells, (marks.student_values, marks.unrounded_values))
        if diagnoser.wrong_cells:
            is_first = not wrong & {*stage.input_names}
            with localcontext(DECIMAL_CONTEXT):
                found.append(diagnoser.diagnose(marks.misshapen_answers.get(stage.name), has_correct_inputs=is_first))
    return tuple(filter(None, found))


def find_explaining_matrix(
    sheet: Sheet, stage: Stage, cells: Sequence[CellMark], value_sets: Sequence[Mapping[str, Matrix]]
) -> Matrix | None:
    """Return the exact numbers of the mistake that gives what was written at a stage; None where none is found."""
    with localcontext(DECIMAL_CONTEXT):
        found = _StageDiagnoser(sheet, stage, cells, value_sets).find_explanations()
    return found[0][1] if found else None


class _StageDiagnoser:
    def __init__(
        self, sheet: Sheet, stage: Stage, cells: Sequence[CellMark], value_sets: Sequence[Mapping[str, Matrix]]
    ) -> None:
        self.sheet, self.stage, self.cells, self.value_sets = sheet, stage, cells, value_sets
        self.decimals = sheet.problem.rules.decimals
        self.wrong_cells = tuple(cell for cell in cells if cell.mark is Mark.WRONG and cell.note in (None, Note.SHAPE))
        self.key = sheet.solution[stage.name].hand

    @cached_property
    def contexts(self) -> tuple[StageContext, ...]:
        """What the student may have worked from."""
        return tuple(_find_candidate_contexts(self.value_sets, self.sheet, self.stage))

    @cached_property
    def expected_matrices(self) -> tuple[Matrix, ...]:
        """The key, and what follows in each context."""
        found = [self.key]
        for context in self.contexts:
            with suppress(ArithmeticError, ProblemError):
                found.append(context.compute_correct())
        return tuple(found)

    @cached_property
    def readings(self) -> Readings:
        return collect_readings(self.cells, self.sheet)

    def diagnose(self, misshapen_answer: TextRows | None, *, has_correct_inputs: bool) -> Diagnosis | None:
        """Return what explains the wrong cells: slips of the catalogue first, then general mistakes."""
        if misshapen_answer is not None:
            return self._diagnose_misshapen(read_cells(misshapen_answer), list_possible_shapes(misshapen_answer))
        if not has_correct_inputs and all(map(self._is_off_by_rounding, self.wrong_cells)):
            return None
        found = self.find_explanations()
        if not found and len(self.wrong_cells) == 1 and len(self.readings) > 1 and self._is_only_wrong_cell():
            return self._make_diagnosis([SINGLE_CELL])
        found = found or self._find_slips_in_corner()
        if not found:
            return None
        diagnosis = self._make_diagnosis([name for name, _ in found])
        pairs = self._find_exchanges() if ROWS_EXCHANGED in diagnosis.slips else {}
        if len(pairs) == 1:
            ((along, exchanged),) = pairs
            diagnosis = replace(diagnosis, along=along, exchanged=exchanged)
        has_gaps = any(cell.mark in (Mark.BLANK, Mark.UNREADABLE) for cell in self.cells)
        is_scarce = has_gaps and len(self.readings) <= MIN_CELLS_FOR_CERTAINTY
        is_scarce |= diagnosis.slips == (ONE_HOT,) and self._is_rounded_to_whole()
        return replace(diagnosis, supporting_numbers=1) if is_scarce else diagnosis

    def _is_rounded_to_whole(self) -> bool:
        """Say whether all that was written is right but for its decimals: 1 and 0 for 0.9 and 0.1."""
        return any(
            all_match({place: Reading(reading.value, 0) for place, reading in self.readings.items()}, a, 0)
            for a in self.expected_matrices
        )

    def _is_off_by_rounding(self, cell: CellMark) -> bool:
        """Say whether a decimal is so near to what follows that unrounded numbers before it may have given it."""
        if cell.value is None or "/" in cell.answer:
            return False
        reading = {(cell.row, cell.column): Reading(cell.value, self.decimals - 1)}
        return any(all_match(reading, a, self.decimals - 1) for a in self.expected_matrices[1:])

    def _make_diagnosis(self, slips: Sequence[str]) -> Diagnosis:
        return Diagnosis(stage=self.stage.name, slips=tuple(slips), cells=self.wrong_cells)

    def find_explanations(self) -> list[tuple[str, Matrix]]:
        """Return every mistake that gives all that was written, with what it gives: slips, or what any stage shows."""
        if not self.wrong_cells or self.wrong_cells[0].note is Note.SHAPE:
            return []
        slips = self._find_slips(self.readings, (shape(self.key),))
        if slips or len(self.wrong_cells) == 1:
            return slips
        turned = [transpose(a) for a in self.expected_matrices if is_transposed(self.readings, a, self.decimals)]
        exchanged = list(self._find_exchanges().values())
        return [*((TRANSPOSED, a) for a in turned[:1]), *((ROWS_EXCHANGED, a) for a in exchanged[:1])]

    def _find_slips(self, readings: Readings, shapes: Sequence[Shape]) -> list[tuple[str, Matrix]]:
        """Return the slips that give every number that was written, in one of these shapes."""
        found = {}
        for slip in find_slips(self.stage):
            for context in self.contexts:
                a = slip.compute_wrong(context)
                if a is not None and shape(a) in shapes and all_match(readings, a, self.decimals):
                    found[slip.id] = a  # from unrounded numbers where these give it too
        return list(found.items())

    def _find_exchanges(self) -> dict[Exchange, Matrix]:
        wrong = [(cell.row, cell.column) for cell in self.wrong_cells]
        return find_exchanges(self.readings, wrong, self.expected_matrices, self.decimals)

    def _is_only_wrong_cell(self) -> bool:
        """Say whether all cells but the wrong one are right; the key where something else follows tells of more."""
        correct = {(cell.row, cell.column) for cell in self.cells if cell.mark is Mark.CORRECT and not cell.note}
        return not any(cell.note is Note.TRIVIAL for cell in self.cells) and all(
            any(all_match({place: reading}, right, self.decimals) for right in self.expected_matrices[1:])
            for place, reading in self.readings.items()
            if place in correct
        )

    def _find_slips_in_corner(self) -> list[tuple[str, Matrix]]:
        """Find slips whose smaller result was written into a corner of the stage, the other cells left empty."""
        corner = (1 + max((i for i, _ in self.readings), default=0), 1 + max((j for _, j in self.readings), default=0))
        return self._find_slips(self.readings, (corner,)) if self.readings and corner != shape(self.key) else []

    def _diagnose_misshapen(self, readings: Readings, shapes: Sequence[Shape]) -> Diagnosis | None:
        """Explain an answer that has not the shape of the stage."""
        if not readings:
            return None
        slips = [name for name, _ in self._find_slips(readings, shapes)]
        turned = [a for a in map(transpose, self.expected_matrices) if shape(a) in shapes]
        if not slips and any(all_match(readings, a, self.decimals) for a in turned):
            slips = [TRANSPOSED]
        if slips:
            return replace(self._make_diagnosis(slips), supporting_numbers=len(readings))
        return self._diagnose_product(readings, shapes)

    def _diagnose_product(self, readings: Readings, shapes: Sequence[Shape]) -> Diagnosis | None:
        """Say which product has the shape that was handed in; one whose numbers are those written comes first."""
        list_others = partial(list_other_products, self.sheet.problem.mechanism, self.stage)
        others = [
            each for context in self.contexts for each in list_others(context.inputs) if shape(each.value) in shapes
        ]
        if not others:
            return None
        fitting = [other for other in others if all_match(readings, other.value, self.decimals)]
        chosen = (fitting or others)[0]
        diagnosis = replace(self._make_diagnosis(()), product=chosen.formula, product_sizes=chosen.size_names)
        return replace(diagnosis, supporting_numbers=len(readings) if fitting else 0)


def _find_candidate_contexts(
    value_sets: Sequence[Mapping[str, Matrix]], sheet: Sheet, stage: Stage
) -> Iterator[StageContext]:
    """Yield each context the student may have worked in.

    A student who wrote 0.33 goes on with 0.33, or with the 1/3 still in the calculator: both are tried.

    Args:
        value_sets: every matrix with the student's numbers: as written, and unrounded.
    """
    mechanism = sheet.problem.mechanism
    later = {each.name for each in mechanism.stages[mechanism.stages.index(stage) :]}
    seen: list[dict[str, Matrix]] = []
    for numbers in value_sets:
        known = {name: a for name, a in numbers.items() if name not in later}
        exponents = (known.get(each.input_names[0], ()) for each in mechanism.stages if each.reads_exponents)
        is_writable = all(sheet.problem.hand_arithmetic.can_raise(flatten(a)) for a in exponents)
        if known not in seen and is_writable:
            yield StageContext(mechanism, stage, sheet.problem.hand_arithmetic, known)
        seen.append(known)
