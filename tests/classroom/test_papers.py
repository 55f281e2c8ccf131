"""One bad file costs one student, never the class."""

from pathlib import Path
from typing import Any

import pytest

import attnhand
from attnhand.classroom import papers
from attnhand.classroom.gradebook import UnreadablePaper, build_gradebook, compose_remark
from attnhand.classroom.papers import FoundFile, time_paper
from attnhand.marking.checked import CheckResult
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import Seat
from attnhand.text import get_language
from tests.marking.handing_in import make_answer_file, write_key

SHEET = attnhand.generate(7, level="warm-up")


def fail(*_: Any, **__: Any) -> None:
    """Fail as a bug does."""
    raise ZeroDivisionError("a bug")


@pytest.mark.parametrize("at", ["check_data", "is_about_a_class", "read_answer_file", "feedback"])
def test_whatever_goes_wrong_with_a_file_stands_on_its_row(
    at: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wherever it happens: the gradebook says that it is our fault, and everybody else has their marks."""
    files = []
    for name in ("001.json", "002.json"):
        Path(tmp_path, name).write_text(make_answer_file(SHEET, write_key(SHEET)), encoding="utf-8")
        files.append(FoundFile(str(tmp_path / name), name))
    right, _ = time_paper(files[0], SheetOrder(), PageOptions(), {})
    assert isinstance(right, CheckResult)
    if at == "feedback":
        monkeypatch.setattr("attnhand.marking.checked.make_feedback", fail)
    else:
        monkeypatch.setattr(papers, at, fail)
    broken, seconds = time_paper(files[1], SheetOrder(), PageOptions(), {})
    assert isinstance(broken, UnreadablePaper)
    assert seconds >= 0
    seats = [Seat(number=number, code=SHEET.code) for number in (1, 2)]
    book = build_gradebook([right], seats, unreadable_papers=[broken])
    assert [row.score for row in book.rows] == [63, 0]
    remarks = [compose_remark(row, get_language("en")) for row in book.rows]
    assert remarks[0] == ""
    assert remarks[1].startswith("handed in, not readable: 002.json cannot be marked, for attnhand itself is at fault")
    assert "ZeroDivisionError('a bug')" in remarks[1]
