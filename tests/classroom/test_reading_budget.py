"""A folder of answers has a budget: what is not read says so, and nothing is lost."""

from pathlib import Path

import pytest

import attnhand
from attnhand.classroom import papers, reading_budget
from attnhand.classroom.papers import FoundFile
from attnhand.classroom.reading_budget import ReadingBudget
from attnhand.system import processes


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Return a folder with one honest file five times."""
    answers = attnhand.generate(7, level="warm-up").key.csv()
    for number in range(1, 6):
        (tmp_path / f"{number}.csv").write_text(answers, encoding="utf-8")
    return tmp_path


def test_what_takes_too_long_stops(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Files that were handed out are marked; the others stand in the gradebook, with the reason and what to do."""
    monkeypatch.setattr(processes, "JOBS_PER_WORKER", 2)
    monkeypatch.setattr(reading_budget, "SECONDS_IN_ALL", 0)
    monkeypatch.setattr(reading_budget, "SECONDS_PER_FILE", 0)
    book = attnhand.grade(folder).book
    assert [row.paper.file for row in book.rows if row.paper] == ["1.csv", "2.csv"]
    assert [paper.file for paper in book.unreadable_papers] == ["3.csv", "4.csv", "5.csv"]
    for paper in book.unreadable_papers:
        assert str(paper.reason).startswith("was not read, for the files before it took too long, ")
        assert any(f"{name} the longest: take that one out" in str(paper.reason) for name in ("1.csv", "2.csv"))


def test_what_is_too_large_stops() -> None:
    """A file that fits is read although one before it did not."""
    budget = ReadingBudget(1.0, bytes_left=10)
    files = [FoundFile("a", "a", size=6), FoundFile("b", "b", size=5), FoundFile("c", "c", size=4)]
    assert [str(budget.allow(file).problem)[:12] for file in files] == ["", "was not read", ""]


def test_a_folder_of_far_too_much_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Too many files are not even opened; folders inside many others are named, and not looked into."""
    deep = folder.joinpath(*["deep"] * 40)
    deep.mkdir(parents=True)
    (deep / "6.csv").write_text("lost", encoding="utf-8")
    book = attnhand.grade(folder).book
    assert len(book.rows) == 5
    (paper,) = book.unreadable_papers
    assert (paper.file, str(paper.reason)[:39]) == ("/".join(["deep"] * 30), "holds folders that were not looked into")
    monkeypatch.setattr(papers, "MAX_FILES", 5)
    with pytest.raises(attnhand.AttnhandError, match="holds more than 5 files: give the folder with what was handed"):
        attnhand.grade(folder)
