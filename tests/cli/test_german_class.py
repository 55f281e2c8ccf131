"""A class in German: its tables open in a German spreadsheet, and what that saves of them is read."""

import contextlib
import csv
import io
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.classroom.test_class_tables import quote_lines, say, write_xlsx
from tests.cli.running import run_refused, run_well
from tests.spreadsheet_files import write_ods

pytestmark = pytest.mark.usefixtures("work_here")

ROSTER = "Matrikelnr;Nachname;Vorname;Gruppe\n11;Żak;Łukasz;Di\n12;Müller;Jürgen;Mi\n"
MARKS = Path("attnhand-class/teacher/marks.csv")

Rows = list[list[str]]


MADE = ("--language", "de", "--mechanism", "block", "--level", "warm-up", "--seed", "7", "--jobs", "1")


@pytest.fixture(scope="module")
def german_class(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with a roster, its class, and one paper that came back."""
    folder = tmp_path_factory.mktemp("german")
    with contextlib.chdir(folder):
        Path("roster.csv").write_text(ROSTER, encoding="utf-8")
        run_well("class", "roster.csv", *MADE)
        run_well("key", "1", "--class", "attnhand-class", "--csv", "--solved", "--out", "answers/a.csv")
    return folder


@pytest.fixture
def rows(german_class: Path) -> Rows:
    """Copy the class to here, and return its marks, filled for the second student."""
    shutil.copytree(german_class, ".", dirs_exist_ok=True)
    header, *lines = read(MARKS)
    for title, marks in (("Q", "2,5"), ("skaliert", "4"), ("Σ", "1"), ("F₂", "3")):
        lines[1][header.index(title)] = marks
    return [header, *lines]


def read(path: Path) -> Rows:
    """Return the rows of a table as a German spreadsheet opens it."""
    data = path.read_bytes()
    assert data.startswith(b"\xef\xbb\xbf")
    return list(csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter=";"))


def grade(*options: str) -> tuple[list[str], list[str]]:
    """Return how many marks both students have, and what is said of the second."""
    run_well("grade", "attnhand-class", "answers", *options, "--out", "marked", "--force")
    header, *lines = read(Path("marked/gradebook.csv"))
    columns = [header.index(title) for title in ("Punkte", "Q", "skaliert", "Σ", "F₂", "Bemerkung")]
    return [lines[0][columns[0]], *lines[0][-1:]], [lines[1][at] for at in columns]


BY_EYE = ["10,5", "2,5", "4", "1", "3", "auf Papier bewertet"]


def test_the_tables_of_a_german_class_are_german(rows: Rows) -> None:
    """Titles as its sheets and its country have them, semicolons between cells."""
    stages = ["Q", "K", "V", "S", "skaliert", "Potenz", "Σ", "A", "Z", "F₁", "relu₁", "F₂"]
    assert rows[0] == ["Nr.", "Name", *stages]
    index = read(Path("attnhand-class/teacher/index.csv"))
    assert index[0] == ["Nr.", "Name", "ID", "Code", "E-Mail", "Gruppe", "Optionen"]
    assert [row[1:3] for row in index[1:]] == [["Łukasz Żak", "11"], ["Jürgen Müller", "12"]]


WAYS: dict[str, tuple[str, Callable[[Rows], bytes]]] = {
    "ANSI": ("marks.csv", lambda rows: say(rows).encode("cp1252", "replace")),
    "commas": ("marks.csv", lambda rows: say(rows, ",").encode()),
    "lines in quotes": ("marks.csv", lambda rows: quote_lines(rows, ";").encode("utf-8-sig")),
    "an .xlsx beside": ("marks.xlsx", write_xlsx),
    "an .ods beside": ("marks.ods", write_ods),
}


@pytest.mark.parametrize(("name", "save"), WAYS.values(), ids=WAYS)
def test_marks_are_read_as_a_german_spreadsheet_saves_them(
    rows: Rows, name: str, save: Callable[[Rows], bytes]
) -> None:
    """In place of marks.csv or beside it, found in the folder of the class or named, and never taken for answers."""
    saved = MARKS.with_name(name)
    saved.write_bytes(save(rows))
    assert grade()[1] == BY_EYE
    assert grade("--marks", str(saved))[1] == BY_EYE
    saved.replace(Path("answers", name))
    MARKS.unlink(missing_ok=True)
    first, second = grade()
    assert second[-1] == "nichts abgegeben"
    assert "Nicht zu bewerten" not in run_well("grade", "attnhand-class", "answers", "--out", "marked").text
    assert int(first[0]) > 60


def test_marks_in_english_are_read_in_a_german_class(rows: Rows) -> None:
    """As the program calls stages, and as an English sheet does; the next run writes them in German."""
    header = ["№", "name", "Q", "scaled", "sums", "F2"]
    picked = [rows[0].index(title) for title in ("Nr.", "Name", "Q", "skaliert", "Σ", "F₂")]
    MARKS.write_text(say([header, *([row[at].replace(",", ".") for at in picked] for row in rows[1:])], ","), "utf-8")
    assert grade()[1] == BY_EYE
    run_well("class", "roster.csv", *MADE)
    assert read(MARKS)[0] == ["Nr.", "Name", "Q", "skaliert", "Σ", "F₂"]
    assert read(MARKS)[2][2:] == ["2,5", "4", "1", "3"]
    assert grade()[1] == BY_EYE


def test_two_tables_of_marks_that_differ_are_refused(rows: Rows) -> None:
    """Each may hold other students; one who has other marks in each is named, and --marks chooses."""
    lines = [row[:] for row in rows]
    MARKS.with_name("marks.xlsx").write_bytes(write_xlsx(lines))
    lines[1][2] = "6"
    MARKS.write_bytes(say(lines).encode("utf-8-sig"))
    Path("answers/a.csv").unlink()
    assert grade()[0][0] == "6"
    lines[2][2] = "3"
    MARKS.write_bytes(say(lines).encode("utf-8-sig"))
    message = run_refused("grade", "attnhand-class", "answers")
    beside = "attnhand-class/teacher/marks.xlsx has other marks for № 002 than marks.csv beside it: move one of the two"
    assert message.startswith(beside)
    assert grade("--marks", str(MARKS))[1][1] == "3"
