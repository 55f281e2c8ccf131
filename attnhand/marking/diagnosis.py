"""Name the slip: which mistake of the catalogue gives exactly what the student wrote."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from decimal import localcontext
from functools import partial

from attnhand.attention.matrix import Matrix, shape, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT
from attnhand.attention.spellings import Reading
from attnhand.formats.answer_tables import TextRows
from attnhand.marking.evidence import Readings, all_match, find_exchanges
from attnhand.marking.explanations import Explanation, StageEvidence
from attnhand.marking.marks import (
    ROWS_EXCHANGED,
    SINGLE_CELL,
    TRANSPOSED,
    CellMark,
    Diagnosis,
    Marks,
    Note,
    Place,
)
from attnhand.marking.redo import find_read_cells
from attnhand.marking.shapes import Shape, list_other_products, list_possible_shapes, read_cells
from attnhand.sheet.evidence_limits import MIN_CELLS_FOR_CERTAINTY
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet

ONE_HOT = "one-hot"
"""The slip that rounding to whole numbers looks like."""


def diagnose_stages(marks: Marks, sheet: Sheet, *, are_gaps_right: bool = False) -> tuple[Diagnosis, ...]:
    """Return what one slip or several explain, stage by stage; two that were made together are two.

    Args:
        are_gaps_right: whether what is missing was not looked at, since it is right; else nobody knows what was
            worked from it, so nobody is told of a slip there.
    """
    found: list[Diagnosis] = []
    wrong = {cell.stage for cell in marks.cells if cell.mark not in (Mark.CORRECT, Mark.BLANK)}
    unknown = [] if are_gaps_right else [cell for cell in marks.cells if cell.mark in (Mark.BLANK, Mark.UNREADABLE)]
    missing = {(cell.stage, cell.row, cell.column) for cell in unknown}
    for stage in sheet.problem.mechanism.stages:
        cells = [cell for cell in marks.cells if cell.stage == stage.name]
        passed = frozenset(
            cell.place for cell in cells if missing and missing & find_read_cells(sheet, stage, cell.row, cell.column)
        )
        evidence = StageEvidence(sheet, stage, cells, (marks.student_values, marks.unrounded_values), passed)
        misshapen_answer = marks.misshapen_answers.get(stage.name)
        if evidence.wrong_cells or (misshapen_answer is not None and not passed):
            is_first = not wrong & {*stage.input_names}
            with localcontext(DECIMAL_CONTEXT):
                found += _StageDiagnoser(evidence).diagnose(misshapen_answer, has_correct_inputs=is_first)
    return tuple(found)


def find_explanation(
    sheet: Sheet, stage: Stage, cells: Sequence[CellMark], value_sets: Sequence[Mapping[str, Matrix]]
) -> Explanation | None:
    """Return the mistake that gives what was written at a stage, with its exact numbers; None where none is found."""
    with localcontext(DECIMAL_CONTEXT):
        found = StageEvidence(sheet, stage, cells, value_sets).find_explanations()
    return min(found, key=lambda each: not each.is_credible, default=None)


class _StageDiagnoser:
    def __init__(self, evidence: StageEvidence) -> None:
        self.evidence, self.stage, self.sheet = evidence, evidence.stage, evidence.sheet
        self.cells = evidence.cells
        of_other_shape = tuple(cell for cell in evidence.cells if cell.note is Note.SHAPE)
        self.wrong_cells = of_other_shape or evidence.wrong_cells
        self.decimals, self.key, self.readings = evidence.decimals, evidence.key, evidence.readings

    def diagnose(self, misshapen_answer: TextRows | None, *, has_correct_inputs: bool) -> list[Diagnosis]:
        """Return what explains the wrong cells: slips of the catalogue first, then general mistakes."""
        if misshapen_answer is not None:
            found = self._diagnose_misshapen(read_cells(misshapen_answer), list_possible_shapes(misshapen_answer))
            return [found] if found else []
        if not has_correct_inputs and all(map(self._is_off_by_rounding, self.wrong_cells)):
            return []
        explanations = self.evidence.find_explanations()
        if not explanations and len(self.wrong_cells) == 1 and len(self.readings) > 1 and self._is_only_wrong_cell():
            return [self._make_diagnosis([SINGLE_CELL])]
        if not explanations:
            corner = [name for name, _ in self._find_slips_in_corner()]
            return [self._limit_certainty(self._make_diagnosis(corner))] if corner else []
        by_places: dict[frozenset[Place], list[Explanation]] = {}
        for each in explanations:
            by_places.setdefault(each.places, []).append(each)
        return [self._diagnose_places(places, alike) for places, alike in by_places.items()]

    def _diagnose_places(self, places: frozenset[Place], explanations: Sequence[Explanation]) -> Diagnosis:
        """Return a diagnosis of the wrong cells that these mistakes give alike."""
        cells = tuple(cell for cell in self.wrong_cells if cell.place in places)
        diagnosis = replace(self._make_diagnosis([each.slip for each in explanations]), cells=cells)
        if len(explanations) == 1 and explanations[0].vector is not None:
            diagnosis = replace(diagnosis, vector=explanations[0].vector)
        if not all(each.is_sure for each in explanations):
            diagnosis = replace(diagnosis, supporting_numbers=1)
        wrong = [cell.place for cell in self.wrong_cells]
        pairs = find_exchanges(self.readings, wrong, self.evidence.expected_matrices, self.decimals)
        if ROWS_EXCHANGED in diagnosis.slips and len(pairs) == 1:
            ((along, exchanged),) = pairs
            diagnosis = replace(diagnosis, along=along, exchanged=exchanged)
        return self._limit_certainty(diagnosis)

    def _limit_certainty(self, diagnosis: Diagnosis) -> Diagnosis:
        """Say perhaps where two numbers are all there is, and where rounding to whole numbers gives the same."""
        has_gaps = any(cell.mark in (Mark.BLANK, Mark.UNREADABLE) for cell in self.cells)
        is_scarce = has_gaps and len(self.readings) <= MIN_CELLS_FOR_CERTAINTY
        is_scarce |= diagnosis.slips == (ONE_HOT,) and self._is_rounded_to_whole()
        return replace(diagnosis, supporting_numbers=1) if is_scarce else diagnosis

    def _is_rounded_to_whole(self) -> bool:
        """Say whether all that was written is right but for its decimals: 1 and 0 for 0.9 and 0.1."""
        return any(
            all_match({place: Reading(reading.value, 0) for place, reading in self.readings.items()}, a, 0)
            for a in self.evidence.expected_matrices
        )

    def _is_off_by_rounding(self, cell: CellMark) -> bool:
        """Say whether a decimal is so near to what follows that unrounded numbers before it may have given it."""
        if cell.value is None or "/" in cell.answer:
            return False
        reading = {(cell.row, cell.column): Reading(cell.value, self.decimals - 1)}
        return any(all_match(reading, a, self.decimals - 1) for a in self.evidence.expected_matrices[1:])

    def _make_diagnosis(self, slips: Sequence[str]) -> Diagnosis:
        return Diagnosis(stage=self.stage.name, slips=tuple(slips), cells=self.wrong_cells)

    def _is_only_wrong_cell(self) -> bool:
        """Say whether all cells but the wrong one are right; the key where something else follows tells of more."""
        correct = {(cell.row, cell.column) for cell in self.cells if cell.mark is Mark.CORRECT and not cell.note}
        return not any(cell.note is Note.UNWORKED for cell in self.cells) and all(
            any(all_match({place: reading}, right, self.decimals) for right in self.evidence.expected_matrices[1:])
            for place, reading in self.readings.items()
            if place in correct
        )

    def _find_slips_in_corner(self) -> list[tuple[str, Matrix]]:
        """Find slips whose smaller result was written into a corner of the stage, the other cells left empty."""
        corner = (1 + max((i for i, _ in self.readings), default=0), 1 + max((j for _, j in self.readings), default=0))
        return self.evidence.find_slips(self.readings, (corner,)) if self.readings and corner != shape(self.key) else []

    def _diagnose_misshapen(self, readings: Readings, shapes: Sequence[Shape]) -> Diagnosis | None:
        """Explain an answer that has not the shape of the stage."""
        if not readings:
            return None
        slips = [name for name, _ in self.evidence.find_slips(readings, shapes)]
        turned = [a for a in map(transpose, self.evidence.expected_matrices) if shape(a) in shapes]
        if not slips and any(all_match(readings, a, self.decimals) for a in turned):
            slips = [TRANSPOSED]
        if slips:
            return replace(self._make_diagnosis(slips), supporting_numbers=len(readings))
        return self._diagnose_product(readings, shapes)

    def _diagnose_product(self, readings: Readings, shapes: Sequence[Shape]) -> Diagnosis | None:
        """Say which product has the shape that was handed in; one whose numbers are those written comes first."""
        list_others = partial(list_other_products, self.sheet.problem.mechanism, self.stage)
        others = [
            each
            for context in self.evidence.contexts
            for each in list_others(context.inputs)
            if shape(each.value) in shapes
        ]
        if not others:
            return None
        fitting = [other for other in others if all_match(readings, other.value, self.decimals)]
        chosen = (fitting or others)[0]
        diagnosis = replace(self._make_diagnosis(()), product=chosen.formula, product_sizes=chosen.size_names)
        return replace(diagnosis, supporting_numbers=len(readings) if fitting else 0)
