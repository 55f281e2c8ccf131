"""What may have given the numbers of a stage: slips of the catalogue, made throughout, in a line, or two together."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import cached_property
from itertools import combinations
from typing import NamedTuple

from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import ProblemError
from attnhand.marking.evidence import (
    Readings,
    all_match,
    collect_readings,
    find_exchanges,
    is_transposed,
)
from attnhand.marking.marks import ROWS_EXCHANGED, TRANSPOSED, CellMark, Place, Vector, VectorKind
from attnhand.marking.shapes import Shape
from attnhand.sheet.evidence_limits import FEW_EXCEPTIONS, FEW_WRONG, MIN_CELLS_OF_PART, MIN_NUMBERS_OF_PART, SURE_SHARE
from attnhand.sheet.sheet import Sheet


class Explanation(NamedTuple):
    """A mistake that gives what was written, in all of a stage or in a part of it."""

    slip: str
    value: Matrix
    """What the mistake gives throughout."""

    places: frozenset[Place]
    """The wrong cells that it gives."""

    is_whole: bool = False
    """Whether it gives everything that was written."""

    vector: Vector | None = None
    """The one row or column in which it was made; None for everywhere, or nobody knows where."""

    is_sure: bool = True
    """Whether it was made wherever it could be, in the whole stage or in that row or column."""

    is_credible: bool = True
    """Whether what comes of it may count as work, though nobody is sure of the slip; not where a few zeros and ones
    here and there may be anything."""


class StageEvidence:
    """What was written at a stage, and what it may have been worked from."""

    def __init__(
        self,
        sheet: Sheet,
        stage: Stage,
        cells: Sequence[CellMark],
        value_sets: Sequence[Mapping[str, Matrix]],
        passed: frozenset[Place] = frozenset(),
    ) -> None:
        """Take the cells of a stage.

        Args:
            value_sets: every matrix with the student's numbers: as written, and unrounded.
            passed: cells that say nothing, since something that they are worked from is missing.
        """
        self.sheet, self.stage, self.cells, self.value_sets = sheet, stage, cells, value_sets
        self.decimals = sheet.problem.rules.decimals
        self.key = sheet.solution[stage.name].hand
        self.wrong_cells = tuple(cell for cell in cells if cell.is_unexplained and cell.place not in passed)
        readings = collect_readings(cells, sheet)
        self.readings: Readings = {place: each for place, each in readings.items() if place not in passed}

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

    def find_explanations(self) -> list[Explanation]:
        """Return what explains the wrong cells, the plainest that there is.

        One mistake that gives all that was written; else one that was made in a line, or throughout but for a few
        cells; else two that were made together; else one that gives the wrong cells alone.
        """
        wrong = frozenset(cell.place for cell in self.wrong_cells)
        if not wrong:
            return []
        everywhere = self.find_slips(self.readings, (shape(self.key),))
        if everywhere or len(wrong) == 1:
            return [Explanation(slip, a, wrong, is_whole=True) for slip, a in everywhere]
        turned = [transpose(a) for a in self.expected_matrices if is_transposed(self.readings, a, self.decimals)]
        exchanged = list(find_exchanges(self.readings, [*wrong], self.expected_matrices, self.decimals).values())
        found = [(TRANSPOSED, turned), (ROWS_EXCHANGED, exchanged)]
        if moved := [Explanation(slip, values[0], wrong, is_whole=True) for slip, values in found if values]:
            return moved
        parts = [part for slip, a in self._slip_values if (part := self._find_part(slip, a, wrong))]
        parts = [part for part in parts if part.is_credible] or parts
        most = max((len(part.places) for part in parts), default=0)
        best = [part for part in parts if len(part.places) == most]
        sure = _keep_last([part for part in best if part.is_sure])
        return sure or self._find_pair(wrong) or _keep_last(best)

    def find_slips(self, readings: Readings, shapes: Sequence[Shape]) -> list[tuple[str, Matrix]]:
        """Return the slips that give every number that was written, in one of these shapes."""
        found = {}
        for slip, a in self._slip_values:
            if shape(a) in shapes and all_match(readings, a, self.decimals):
                found[slip] = a  # from unrounded numbers where these give it too
        return list(found.items())

    @cached_property
    def _slip_values(self) -> list[tuple[str, Matrix]]:
        """What each slip gives, from each set of numbers."""
        found = []
        for slip in find_slips(self.stage):
            for context in self.contexts:
                if (a := slip.compute_wrong(context)) is not None:
                    found.append((slip.id, a))
        return found

    def _find_part(self, slip: str, a: Matrix, wrong: frozenset[Place]) -> Explanation | None:
        """Return in which part of the stage a slip may have been made; None where it gives too little of it."""
        if shape(a) != shape(self.key):
            return None
        given = frozenset(place for place, reading in self.readings.items() if self._is_given(place, a))
        explained = wrong & given
        if len(explained) < MIN_CELLS_OF_PART:
            return None
        is_shown = len({a[i][j] for i, j in explained}) >= MIN_NUMBERS_OF_PART
        kept = self.readings.keys() - wrong - given
        if others := wrong - given:
            exceptions = len(others) + len(kept)
            is_rest_alike = FEW_WRONG * exceptions <= len(self.readings) - exceptions
            is_throughout = is_rest_alike and (exceptions == 1 or FEW_EXCEPTIONS * exceptions <= len(explained))
            is_sure = is_shown and SURE_SHARE * exceptions <= len(explained)
            return Explanation(slip, a, explained, is_sure=is_sure) if is_throughout else None
        vectors = [Vector(kind, at) for kind in VectorKind for at in {place[_get_side(kind)] for place in wrong}]
        whole = [
            vector
            for vector in vectors
            if all(place[_get_side(vector.kind)] == vector.at for place in wrong)
            and any(place[_get_side(vector.kind)] != vector.at for place in self.readings)
            and all(place[_get_side(vector.kind)] != vector.at for place in kept)
        ]
        vector = whole[0] if whole else None
        is_sure = vector is not None and is_shown
        return Explanation(slip, a, explained, vector=vector, is_sure=is_sure, is_credible=is_shown or bool(vector))

    def _is_given(self, place: Place, a: Matrix) -> bool:
        return all_match({place: self.readings[place]}, a, self.decimals)

    def _find_pair(self, wrong: frozenset[Place]) -> list[Explanation]:
        """Return two slips that were made together, each in cells of its own; not surely where it may be others."""
        values = [(slip, a) for slip, a in self._slip_values if shape(a) == shape(self.key)]
        given = [frozenset(place for place in self.readings if self._is_given(place, a)) for _, a in values]
        rights = [a for a in self.expected_matrices if shape(a) == shape(self.key)]
        found: dict[tuple[str, str], list[Explanation]] = {}
        for (one, a), (two, b) in combinations(zip(values, given, strict=True), 2):
            if one[0] == two[0] or not wrong <= a | b or not wrong & a - b or not wrong & b - a:
                continue
            # who makes both makes each wherever it shows
            is_kept = any(
                all(one[1][i][j] == right[i][j] == two[1][i][j] for i, j in self.readings.keys() - wrong)
                for right in rights
            )
            if is_kept:
                shares = (*one, wrong & a), (*two, wrong & b - a)
                is_sure = all(len({value[i][j] for i, j in places}) > 1 for _, value, places in shares)
                found[one[0], two[0]] = [Explanation(*share, is_sure=is_sure) for share in shares]
        pairs = list(found.values())
        return pairs[0] if len(pairs) == 1 else [each._replace(is_sure=False) for pair in pairs[:1] for each in pair]


def _get_side(kind: VectorKind) -> int:
    return int(kind is VectorKind.COLUMNS)


def _keep_last(parts: Sequence[Explanation]) -> list[Explanation]:
    """Keep one of each slip: from unrounded numbers where these give it too."""
    return list({part.slip: part for part in parts}.values())


def _find_candidate_contexts(
    value_sets: Sequence[Mapping[str, Matrix]], sheet: Sheet, stage: Stage
) -> Iterator[StageContext]:
    """Yield each context the student may have worked in.

    A student who wrote 0.33 goes on with 0.33, or with the 1/3 still in the calculator: both are tried.
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
