"""What came back from a class, marked: a row for everyone, and what nobody can be matched to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property

from attnhand.check_characters import plain
from attnhand.classroom.matching import Claim, Entry, Owners
from attnhand.classroom.signature import Signature
from attnhand.marking.checked import Checked
from attnhand.sheet.cell_marks import COUNTED

StageMarks = Mapping[str, tuple[Decimal, int]]
"""Stage by stage: how many cells count, and of how many."""


@dataclass(frozen=True, kw_only=True)
class Paper:
    """One file that was handed in."""

    file: str
    checked: Checked | None = None
    """Its marks; None where it cannot be read."""

    problem: str = ""
    """Why it cannot be read, or why nobody can be matched to it."""

    signature: Signature = field(default_factory=Signature)
    """Whose the file says that it is: versions of a sheet are several people's."""

    @property
    def code(self) -> str:
        """The code of its sheet, as it is compared; empty where it cannot be read."""
        return plain(self.checked.sheet.code) if self.checked else ""

    @cached_property
    def by_stage(self) -> StageMarks:
        """What counts of it."""
        told: dict[str, tuple[Decimal, int]] = {}
        for cell in self.checked.marks.cells if self.checked else ():
            marks, of = told.get(cell.stage, (Decimal(0), 0))
            told[cell.stage] = (marks + (cell.mark in COUNTED), of + 1)
        return told

    @property
    def counted(self) -> int:
        """Count the cells that count: correct ones and those that follow."""
        return self.checked.marks.counting() if self.checked else 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One student in the gradebook."""

    entry: Entry | None
    """Who it is; None where there is no index."""

    paper: Paper | None = None
    """The file that counts; None where none does."""

    others: tuple[Paper, ...] = ()
    """Files that do not count, since there is more than one, or marks on paper besides."""

    on_paper: StageMarks = field(default_factory=dict)
    """What was marked by eye; it counts where no file was handed in."""

    @property
    def by_stage(self) -> StageMarks:
        """What counts; empty where nothing was handed in, or more than one thing."""
        if self.paper is not None:
            return self.paper.by_stage
        return {} if self.others else self.on_paper

    @property
    def score(self) -> Decimal:
        """All marks together."""
        return sum((marks for marks, _ in self.by_stage.values()), Decimal(0))

    @property
    def of(self) -> int:
        """The most that the score could be; 0 where nothing counts."""
        return sum(of for _, of in self.by_stage.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """A class, marked."""

    rows: tuple[Row, ...]
    """In the order of numbers; without an index in that of files."""

    strangers: tuple[Paper, ...] = ()
    """Papers whose sheet is nobody's in this class, or several people's, with the reason as their problem."""

    unreadable: tuple[Paper, ...] = ()

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that count, in the order of the sheet: as in the row that has most of them."""
        fullest_first = sorted((row.by_stage for row in self.rows), key=len, reverse=True)
        return tuple(dict.fromkeys(stage for by_stage in fullest_first for stage in by_stage))

    @property
    def papers(self) -> tuple[Paper, ...]:
        """The files that count."""
        return tuple(row.paper for row in self.rows if row.paper is not None)

    @property
    def marked(self) -> tuple[Row, ...]:
        """The rows that have a score."""
        return tuple(row for row in self.rows if row.of)


def gradebook(
    papers: Sequence[Paper],
    index: Sequence[Entry] | None = None,
    on_paper: Mapping[int, StageMarks] | None = None,
) -> Gradebook:
    """Match papers to people; nothing is dropped or counts twice.

    Of several papers by one student none counts, nor does a file beside marks on paper: whoever grades chooses, and
    leaves the others out.

    Args:
        index: who has which sheet; None to make a row of every paper.
        on_paper: what was marked by eye, by №.
    """
    read = [paper for paper in papers if paper.checked is not None]
    unreadable = tuple(paper for paper in papers if paper.checked is None)
    if index is None:
        return Gradebook(rows=tuple(Row(entry=None, paper=paper) for paper in read), unreadable=unreadable)
    owners = Owners(index)
    mine: dict[int, list[Paper]] = {entry.number: [] for entry in index}
    strangers = []
    for paper in read:
        owner = owners.owner(Claim(code=paper.code, signature=paper.signature, file=paper.file))
        if isinstance(owner, Entry):
            mine[owner.number].append(paper)
        else:
            strangers.append(replace(paper, problem=owner))
    marks = on_paper or {}
    rows = [
        _row(entry, mine[entry.number], marks.get(entry.number, {}))
        for entry in sorted(index, key=lambda entry: entry.number)
    ]
    # a spare sheet that nobody took is nobody's line
    kept = (row for row in rows if row.of or row.others or not (row.entry and row.entry.is_spare))
    return Gradebook(rows=tuple(kept), strangers=tuple(strangers), unreadable=unreadable)


def _row(entry: Entry, files: Sequence[Paper], on_paper: StageMarks) -> Row:
    if len(files) == 1 and not on_paper:
        return Row(entry=entry, paper=files[0])
    return Row(entry=entry, others=tuple(files), on_paper=on_paper)
