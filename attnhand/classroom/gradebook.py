"""What came back from a class, marked: a row for everyone, what nobody can be matched to, and what to teach again."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from attnhand.check_characters import plain
from attnhand.marking.checked import Checked
from attnhand.sheet.cell_marks import Mark

COUNTS = (Mark.CORRECT, Mark.FOLLOWS)
"""What counts as a mark."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a class's index: who has which sheet."""

    number: int
    """№, from 1."""

    code: str
    name: str = ""
    id: str = ""
    email: str = ""
    group: str = ""
    options: str = ""
    """What the sheet is besides: "spare", "large_print=yes format=html"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Paper:
    """One file that was handed in."""

    file: str
    checked: Checked | None = None
    """Its marks; None where it cannot be read."""

    problem: str = ""
    """Why it cannot be read."""

    number: int | None = None
    """The № in the file, where it says one: versions of a sheet are several people's."""

    @property
    def code(self) -> str:
        """The code of its sheet, as it is compared; empty where it cannot be read."""
        return plain(self.checked.sheet.code) if self.checked else ""

    @property
    def counted(self) -> int:
        """Count the cells that count: correct ones and those that follow."""
        return sum(map(self.checked.marks.count, COUNTS)) if self.checked else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One student in the gradebook."""

    entry: Entry | None
    """Who it is; None where there is no index."""

    paper: Paper | None
    """What counts; None where nothing was handed in."""

    others: tuple[Paper, ...] = ()
    """What the same student handed in besides; it does not count, and is listed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """A class, marked."""

    rows: tuple[Row, ...]
    """In the order of numbers; without an index in that of files."""

    strangers: tuple[Paper, ...] = ()
    """Papers whose sheet is nobody's in this class, or several people's."""

    unreadable: tuple[Paper, ...] = ()

    @property
    def papers(self) -> tuple[Paper, ...]:
        """The papers that count."""
        return tuple(row.paper for row in self.rows if row.paper is not None)


def gradebook(papers: Sequence[Paper], index: Sequence[Entry] | None = None) -> Gradebook:
    """Match papers to people by their sheet's code, and № where several have it; nothing is dropped or counts twice.

    Of several papers by one student none counts: whoever grades chooses, and leaves the others out.

    Args:
        index: who has which sheet; None to make a row of every paper.
    """
    read = [paper for paper in papers if paper.checked is not None]
    unreadable = tuple(paper for paper in papers if paper.checked is None)
    if index is None:
        return Gradebook(rows=tuple(Row(entry=None, paper=paper) for paper in read), unreadable=unreadable)
    by_code: dict[str, list[Entry]] = {}
    for entry in index:
        by_code.setdefault(plain(entry.code), []).append(entry)
    owners = [_owner(paper, by_code.get(paper.code, [])) for paper in read]
    rows = []
    for entry in sorted(index, key=lambda entry: entry.number):
        mine = [paper for paper, owner in zip(read, owners, strict=True) if owner is entry]
        one = mine[0] if len(mine) == 1 else None
        rows.append(Row(entry=entry, paper=one, others=() if one else tuple(mine)))
    strangers = tuple(paper for paper, owner in zip(read, owners, strict=True) if owner is None)
    return Gradebook(rows=tuple(rows), strangers=strangers, unreadable=unreadable)


def _owner(paper: Paper, holders: Sequence[Entry]) -> Entry | None:
    """Return whose paper it is among those who have its sheet: who has its №, or the only one."""
    if paper.number is not None:
        holders = [entry for entry in holders if entry.number == paper.number]
    return holders[0] if len(holders) == 1 else None


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a class knows, and what to teach it again."""

    by_stage: Mapping[str, float] = field(default_factory=dict)
    """The share of cells that count, stage by stage."""

    slips: tuple[tuple[str, str, int], ...] = ()
    """Stage, slip and how many students made it, the commonest first; only those that are named."""

    wrong: tuple[tuple[str, int], ...] = ()
    """Cells that are wrong most often, and for how many students."""


def lesson(book: Gradebook, most: int = 10) -> Lesson:
    """Say what a class knows and what its commonest slips are.

    Args:
        most: slips and cells that are listed.
    """
    counts: Counter[str] = Counter()
    of: Counter[str] = Counter()
    slips: Counter[tuple[str, str]] = Counter()
    wrong: Counter[str] = Counter()
    for paper in book.papers:
        assert paper.checked is not None
        for cell in paper.checked.marks.cells:
            of[cell.stage] += 1
            counts[cell.stage] += cell.mark in COUNTS
            wrong[cell.address] += cell.mark is Mark.WRONG
        slips.update((each.stage, each.slips[0]) for each in paper.checked.diagnoses if each.is_named)
    return Lesson(
        by_stage={stage: counts[stage] / cells for stage, cells in of.items()},
        slips=tuple((stage, slip, count) for (stage, slip), count in slips.most_common(most)),
        wrong=tuple((cell, count) for cell, count in wrong.most_common(most) if count),
    )
