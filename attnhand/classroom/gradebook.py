"""What came back from a class, marked: a row for everyone, and what nobody can be matched to."""

import csv
import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cached_property

from attnhand.classroom.matching import Claim, Entry, Owners, Signature
from attnhand.marking.checked import Checked
from attnhand.problems.base32 import plain
from attnhand.sheet.grids import COUNTED, Mark
from attnhand.system.tables import guarded

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


WHO = ("№", "name", "id", "code", "file")
SCORE = ("score", "of", *(mark.value for mark in Mark))
SAID = ("first departure", "slips", "remark")


def gradebook_csv(book: Gradebook) -> str:
    """Return the gradebook as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    Score and stages count cells that are correct or follow; of whoever handed in nothing, or twice, they are empty.
    What nobody can be matched to and what cannot be read stands below everyone, with the reason, without a score.
    """
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*WHO, *SCORE, *book.stages, *SAID], restval="")
    writer.writeheader()
    writer.writerows({**_who(row), **dict(_marks(row)), "remark": guarded(remark(row))} for row in book.rows)
    writer.writerows(_without_marks(paper, f"matches nobody: {paper.problem}") for paper in book.strangers)
    writer.writerows(_without_marks(paper, f"not marked: {paper.problem}") for paper in book.unreadable)
    return out.getvalue()


def remark(row: Row) -> str:
    """Say what whoever grades is to know of a row; nothing where a file was marked as any other."""
    files = ", ".join(f"{paper.file} ({paper.counted} of {_cells(paper)})" for paper in row.others)
    if row.others and row.on_paper:
        marks = written(sum((marks for marks, _ in row.on_paper.values()), Decimal(0)))
        return f"handed in {files} and marked on paper ({marks}), neither counts: leave out one of the two"
    if row.others:
        return f"handed in {len(row.others)} times, none counts: {files}"
    if row.on_paper:
        return "marked on paper"
    if row.paper is None or row.paper.checked is None:
        return "nothing handed in"
    if all(cell.mark is Mark.BLANK for cell in row.paper.checked.marks.cells):
        return "every cell is empty"
    return "on a spare sheet" if row.entry and row.paper.code != plain(row.entry.code) else ""


def written(marks: Decimal) -> str:
    """Write marks as people do.

    >>> written(Decimal(10)), written(Decimal("2.50"))
    ('10', '2.5')
    """
    text = f"{marks:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _cells(paper: Paper) -> int:
    return len(paper.checked.marks.cells) if paper.checked else 0


def _who(row: Row) -> dict[str, str]:
    told: dict[str, str] = {}
    if row.entry:
        told |= {"№": f"{row.entry.number:03d}", "name": guarded(row.entry.name), "id": guarded(row.entry.id)}
        told["code"] = row.entry.code
    if row.paper and row.paper.checked:
        told |= {"file": guarded(row.paper.file), "code": row.paper.checked.sheet.code}
        # whom the file names, where there is no index, or it has no names
        number, name = row.paper.signature.number, row.paper.signature.name
        told = {"№": f"{number:03d}" if number else ""} | told
        told["name"] = told.get("name") or guarded(name)
    return told


def _without_marks(paper: Paper, remark: str) -> dict[str, str]:
    code = paper.checked.sheet.code if paper.checked else ""
    name = guarded(str(paper.signature))
    return {"name": name, "code": code, "file": guarded(paper.file), "remark": guarded(remark)}


def _marks(row: Row) -> Iterator[tuple[str, str | int]]:
    if not row.of:
        return
    yield "score", written(row.score)
    yield "of", row.of
    for stage, (marks, _) in row.by_stage.items():
        yield stage, written(marks)
    if row.paper is None or row.paper.checked is None:
        return
    checked = row.paper.checked
    for mark in Mark:
        yield mark.value, checked.marks.count(mark)
    first = checked.marks.first_departure
    yield "first departure", first.address if first else ""
    named = [diagnosis for diagnosis in checked.diagnoses if diagnosis.is_named]
    yield "slips", ", ".join(f"{each.stage}: {each.slips[0]}" for each in named)
