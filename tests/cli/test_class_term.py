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
    return {row["No."]: row for row in table("attnhand-class/teacher/index.csv")}


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


def test_every_group_has_its_folders() -> None:
    """Sheets, keys and marks of its own; marks go with whoever changes group, and grades are those of all groups."""
    roster = "name;group\nAda;A/1\nBo;A/1\nCy;B\nDi;B\nEd;\n"
    run_well("class", write_roster(roster), *OPTIONS, "--separate", "group", "--spare", "1", "--html", "--sort")
    tables = [("Ada", "Bo"), ("Cy", "Di"), ("Ed", "")]
    folders = ("A 1", "B", ".")
    root, own = Path("attnhand-class"), {"A 1": (1, 2), "B": (3, 4), ".": (5, 6)}
    for folder, people in zip(folders, tables, strict=True):
        cover, *sheets = [page.extract_text() for page in PdfReader(root / "hand-out" / folder / "sheets.pdf").pages]
        numbers = [f"{number:03d}" for number in own[folder]]
        assert [[number for number in numbers if number in page] for page in sheets] == [
            [n] for n in numbers for _ in "12"
        ]
        assert f"№ {numbers[0]}" in cover
        assert ("Group" in cover) == (folder != ".")
        keys = [page.extract_text() for page in PdfReader(root / "teacher" / folder / "keys.pdf").pages]
        assert all(number in keys[0] for number in numbers)
        assert len(keys) == 1 + 2 * 2
        assert [row["name"] for row in table(f"attnhand-class/teacher/{folder}/marks.csv")] == list(people)
    assert {path.name for path in (root / "hand-out/B").iterdir()} == {"sheets.pdf", "003 Cy.html", "004 Di.html"}

    before = read_files(root)
    run_well("class", "class.csv")
    assert read_files(root) == before
    for folder, filled, line in (
        ("A 1", "002,Bo,4,3", "002,Bo,"),
        (".", "005,Ed,2", "005,Ed,"),
        ("B", "003,Cy,1", "003,Cy,"),
    ):
        path = root / "teacher" / folder / "marks.csv"
        text = path.read_text(encoding="utf-8-sig")
        rest = "," * (text.splitlines()[0].count(",") - filled.count(","))
        path.write_text(
            "".join(f"{filled}{rest}\n" if each.startswith(line) else each for each in text.splitlines(True))
        )
    run_well("class", write_roster(roster.replace("Bo;A/1", "Bo;B").replace("Ed;", "Ed;New")), "--only", "new")
    assert [(row["name"], row["Q"], row["K"]) for row in table("attnhand-class/teacher/B/marks.csv")] == [
        ("Cy", "1", ""),
        ("Di", "", ""),
        ("Bo", "4", "3"),
    ]
    assert [(row["name"], row["Q"]) for row in table("attnhand-class/teacher/New/marks.csv")] == [("Ed", "2")]
    assert [row["name"] for row in table("attnhand-class/teacher/A 1/marks.csv")] == ["Ada"]
    Path("in").mkdir()
    run_well("grade", "attnhand-class", "in")
    scores = {row["name"]: row["score"] for row in table("gradebook.csv") if row["name"]}
    assert scores == {"Ada": "", "Bo": "7", "Cy": "1", "Di": "", "Ed": "2"}


def test_folders_of_groups_need_groups() -> None:
    """It is said what else there is."""
    assert run_refused("class", write_roster("name\nAda\n"), "--separate", "group") == (
        "--separate group finds no group on the roster: add a column group, or use --separate student"
    )
