"""What a class knows, and what to teach it again: stage by stage, slip by slip, cell by cell."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from attnhand.classroom.gradebook import Gradebook, Row
from attnhand.marking.generics import SINGLE_CELL
from attnhand.sheet.cell_marks import Mark


@dataclass(frozen=True, slots=True)
class Known:
    """What counts of one stage, in the whole class."""

    marks: Decimal
    of: int
    empty: int
    """Cells without an answer."""

    @property
    def share(self) -> float:
        """The part of the cells that count."""
        return float(self.marks) / self.of


@dataclass(frozen=True, slots=True)
class CommonSlip:
    """A slip, and how many made it."""

    stage: str
    slip: str
    count: int
    example: Row
    """The first whose paper shows it."""

    @property
    def is_teachable(self) -> bool:
        """Say whether it is a way of working, and not a mistake in one cell."""
        return self.slip != SINGLE_CELL


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a class knows, and what to teach it again."""

    by_stage: Mapping[str, Known]
    slips: tuple[CommonSlip, ...]
    """The commonest first; only those that are named."""

    wrong: Mapping[str, int]
    """By the cells that were asked: on how many papers it is wrong."""

    scores: tuple[float, ...]
    """The part of the cells that count, of everyone who has a score, the lowest first."""


def lesson(book: Gradebook) -> Lesson:
    """Say what a class knows and what its commonest slips are."""
    empty: Counter[str] = Counter()
    slips: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], Row] = {}
    wrong: Counter[str] = Counter()
    for row in book.rows:
        checked = row.paper.checked if row.paper else None
        if checked is None:
            continue
        for cell in checked.marks.cells:
            empty[cell.stage] += cell.mark is Mark.BLANK
            wrong[cell.address] += cell.mark is Mark.WRONG
        for each in checked.diagnoses:
            if each.is_named:
                slips[each.stage, each.slips[0]] += 1
                examples.setdefault((each.stage, each.slips[0]), row)
    return Lesson(
        by_stage=_by_stage(book, empty),
        slips=tuple(CommonSlip(*each, count, examples[each]) for each, count in slips.most_common()),
        wrong=dict(wrong),
        scores=tuple(sorted(float(row.score) / row.of for row in book.marked)),
    )


def _by_stage(book: Gradebook, empty: Mapping[str, int]) -> dict[str, Known]:
    marks: dict[str, Decimal] = {}
    of: Counter[str] = Counter()
    for row in book.marked:
        for stage, (told, cells) in row.by_stage.items():
            marks[stage] = marks.get(stage, Decimal(0)) + told
            of[stage] += cells
    return {stage: Known(marks[stage], of[stage], empty.get(stage, 0)) for stage in book.stages}
