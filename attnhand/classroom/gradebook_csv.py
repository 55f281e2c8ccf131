"""The gradebook as a table: a row for everyone, what counts stage by stage, the first departure, the slips."""

import csv
import io
from collections.abc import Iterator
from decimal import Decimal

from attnhand.check_characters import plain
from attnhand.classroom.gradebook import Gradebook, Paper, Row
from attnhand.formula_guard import guarded
from attnhand.sheet.cell_marks import Mark

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
