"""The gradebook as a table: a row for everyone, what counts stage by stage, the first departure, the slips."""

import csv
import io
from collections.abc import Iterator

from attnhand.classroom.gradebook import COUNTS, Gradebook, Paper, Row
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
    marked = [cell for paper in book.papers if paper.checked for cell in paper.checked.marks.cells]
    stages = tuple(dict.fromkeys(cell.stage for cell in marked))
    out = io.StringIO(newline="")
    writer = csv.DictWriter(out, [*WHO, *SCORE, *stages, *SAID], restval="")
    writer.writeheader()
    writer.writerows(_row(row) for row in book.rows)
    writer.writerows({**_stranger(paper), "remark": "matches nobody, or several"} for paper in book.strangers)
    writer.writerows({**_stranger(paper), "remark": f"not marked: {paper.problem}"} for paper in book.unreadable)
    return out.getvalue()


def _row(row: Row) -> dict[str, str | int]:
    told: dict[str, str | int] = {}
    if row.entry:
        told |= {"№": f"{row.entry.number:03d}", "name": guarded(row.entry.name), "id": guarded(row.entry.id)}
        told["code"] = row.entry.code
    if row.others:
        files = ", ".join(paper.file for paper in row.others)
        return told | {"remark": f"handed in {len(row.others)} times, none counts: {guarded(files)}"}
    return told | dict(_marks(row.paper)) if row.paper else told | {"remark": "nothing handed in"}


def _stranger(paper: Paper) -> dict[str, str | int]:
    code = paper.checked.sheet.code if paper.checked else ""
    return {"code": code, "file": guarded(paper.file)}


def _marks(paper: Paper) -> Iterator[tuple[str, str | int]]:
    assert paper.checked is not None
    marks = paper.checked.marks
    yield "file", guarded(paper.file)
    yield "code", paper.checked.sheet.code
    yield "score", paper.counted
    yield "of", len(marks.cells)
    for mark in Mark:
        yield mark.value, marks.count(mark)
    for stage in dict.fromkeys(cell.stage for cell in marks.cells):
        yield stage, sum(cell.mark in COUNTS for cell in marks.cells if cell.stage == stage)
    yield "first departure", marks.first_departure.address if marks.first_departure else ""
    named = [diagnosis for diagnosis in paper.checked.diagnoses if diagnosis.is_named]
    yield "slips", ", ".join(f"{each.stage}: {each.slips[0]}" for each in named)
