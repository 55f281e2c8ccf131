"""A class in the course of a term: who joins, leaves, returns and is called otherwise keeps № and sheet."""

import csv
import io
from pathlib import Path

from pypdf import PdfReader

import attnhand
from tests.cli.running import read_files, run_here, run_refused, run_well
from tests.marking.handing_in import make_answer_file, write_key

FIRST = "name;e-mail;group\nAda;ada@x.org;A\nBo;bo@x.org;A\nCy;cy@x.org;B\nDi;di@x.org;B\nEd;;B\n"
SECOND = """\
student id;name;e-mail;group
71;Ada Lovelace;ada@x.org;A
72;Bo;bo@x.org;B
74;Di;di@x.org;B
75;Ed;;B
76;Fay;fay@x.org;A
77;Gus;gus@x.org;A
"""
THIRD = SECOND.replace("75;Ed;;B\n", "").replace("74;Di", "73;Cy;cy@x.org;B\n74;Di")
OPTIONS = ("--level", "warm-up", "--jobs", "1")


def table(path: str) -> list[dict[str, str]]:
    """Return the lines of a table that was written."""
    return list(csv.DictReader(io.StringIO(Path(path).read_text(encoding="utf-8-sig"), newline="")))


def index() -> dict[str, dict[str, str]]:
    """Return who has which number."""
    return {row["№"]: row for row in table("attnhand-class/teacher/index.csv")}


def write_roster(text: str) -> str:
    """Write a roster, and return its name."""
    Path("class.csv").write_text(text, encoding="utf-8")
    return "class.csv"


def test_a_term() -> None:
    """No № changes hands, no sheet changes, no file handed out changes a byte, and marks find their students."""
    run_well("class", write_roster(FIRST), *OPTIONS, "--separate")
    first, codes = read_files(Path("attnhand-class")), {number: row["code"] for number, row in index().items()}

    lines = run_well("class", write_roster(SECOND), "--dry-run").lines
    assert lines == [
        "6 students · name = name · id = student id · email = e-mail · group = group",
        "joined: № 006 Fay, № 007 Gus",
        "withdrawn, their № kept: № 003 Cy",
        "changed: № 001 Ada Lovelace, name Ada → Ada Lovelace, id – → 71",
        "changed: № 002 Bo, id – → 72, group A → B",
        "changed: № 004 Di, id – → 74",
        "changed: № 005 Ed, id – → 75",
    ]
    assert read_files(Path("attnhand-class")) == first

    ran = run_here("class", "class.csv", "--only", "new")
    assert "withdrawn, their № kept: № 003 Cy\n" in ran.error_text
    after = read_files(Path("attnhand-class"))
    tables = {f"teacher/{name}" for name in ("class.toml", "index.csv", "marks.csv")}
    assert {name for name in first if after[name] != first[name]} == tables
    assert after.keys() - first.keys() == {
        *("hand-out/006 Fay.pdf", "hand-out/007 Gus.pdf"),
        *("hand-out/new-006-007-sheets.pdf", "teacher/new-006-007-keys.pdf"),
    }
    cover, *pages = [page.extract_text() for page in PdfReader("attnhand-class/hand-out/new-006-007-sheets.pdf").pages]
    assert "Sheets: 2, № 006, 007." in cover
    assert all(("№ 006" in page) != ("№ 007" in page) for page in pages)
    assert {number: row["code"] for number, row in index().items() if number <= "005"} == codes
    assert [row["name"] for row in index().values() if "withdrawn" in row["options"]] == ["Cy"]

    again = run_well("class", "class.csv", "--only", "new").lines
    assert again == [f"attnhand-class/teacher/{name}" for name in ("class.toml", "index.csv", "marks.csv")]
    assert read_files(Path("attnhand-class")) == after

    assert "back with the № they had: № 003 Cy" in run_well("class", write_roster(THIRD), "--dry-run").lines
    run_well("class", "class.csv")
    assert {number: row["code"] for number, row in index().items() if number <= "005"} == codes
    assert [row["name"] for row in index().values() if "withdrawn" in row["options"]] == ["Ed"]
    printed = [page.extract_text() for page in PdfReader("attnhand-class/hand-out/sheets.pdf").pages]
    assert any("№ 003" in page and "Cy" in page for page in printed)
    assert not any("№ 005" in page for page in printed[1:])
    remade = read_files(Path("attnhand-class/teacher"))
    run_well("class", "attnhand-class/teacher")
    assert read_files(Path("attnhand-class/teacher")) == remade

    sheet = attnhand.key(3, class_="attnhand-class")
    Path("in").mkdir()
    Path("in/003.json").write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
    marks = Path("attnhand-class/teacher/marks.csv")
    marks.write_text(
        marks.read_text(encoding="utf-8-sig").replace("001,Ada Lovelace,", "001,Ada Lovelace,4"), encoding="utf-8"
    )
    run_well("grade", "attnhand-class", "in", "--grades", "moodle")
    scores = {row["name"]: row["score"] for row in table("gradebook.csv") if row["name"]}
    assert list(scores) == ["Ada Lovelace", "Bo", "Cy", "Di", "Fay", "Gus"]
    assert [name for name, score in scores.items() if score] == ["Ada Lovelace", "Cy"]
    assert "Ed" not in Path("grades-moodle.csv").read_text(encoding="utf-8")


def test_a_dry_run_of_a_new_class_leaves_no_folder() -> None:
    """Nor anything else."""
    assert run_well("class", write_roster(FIRST), "--dry-run", *OPTIONS).lines[1].startswith("joined: № 001 Ada, ")
    assert [path.name for path in Path().iterdir()] == ["class.csv"]


def test_many_who_leave_at_once_are_refused() -> None:
    """It may be another class's roster; it is said what to type where it is not, and nothing is written."""
    people = [f"Student {number}\n" for number in range(1, 13)]
    run_well("class", write_roster("name\n" + "".join(people)), *OPTIONS)
    before = read_files(Path("attnhand-class"))
    assert run_refused("class", write_roster("name\n" + "".join(people[3:]))) == (
        "class.csv lacks 3 of the 12 students of the class: if they have left, add --withdraw; "
        "otherwise give the whole roster"
    )
    assert read_files(Path("attnhand-class")) == before
    run_well("class", "class.csv", "--withdraw", "--only", "new")
    assert [row["options"] for row in index().values()] == ["withdrawn"] * 3 + [""] * 9
    run_well("class", write_roster("name\n" + "".join(people[2:])), "--only", "new")
    assert [row["options"] for row in index().values()] == ["withdrawn"] * 2 + [""] * 10
