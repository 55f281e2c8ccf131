"""The folder of a class serves in place of its salt: for one sheet by its №, and for a whole pile of answers."""

import csv
from pathlib import Path

import pytest

import attnhand
from tests.cli.running import run_refused, run_well
from tests.marking.handing_in import make_answer_file, write_key

pytestmark = pytest.mark.usefixtures("work_here")

CLASS = "attnhand-class"
LOOKED_UP = ("--words", "the cat the dog", "--embed", "--from-stage", "S", "--title", "Week 3")
DRAWN = ("--seed", "7", "--salt", "pepper and salt")


@pytest.fixture(scope="module")
def class_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a class of three in two groups, whose sheets no code alone makes again."""
    folder = tmp_path_factory.mktemp("class") / CLASS
    roster = b"name,id,email,group\nAda,4711,ada@example.org,Tue\nBo,4712,,Wed\nCy,4713,cy@example.org,Tue\n"
    run_well("class", "-", *LOOKED_UP, *DRAWN, "--level", "warm-up", "--jobs", "1", "--out", str(folder), stdin=roster)
    return folder


def read_codes(folder: Path) -> dict[str, str]:
    """Return everybody's code by №, as the index has it."""
    with (folder / "teacher/index.csv").open(encoding="utf-8-sig", newline="") as file:
        return {line["No."]: line["code"] for line in csv.DictReader(file) if line["code"]}


def test_a_number_names_a_sheet(class_folder: Path) -> None:
    """As it is printed or without zeros; a code names the same one, in the folder or its half for the teacher."""
    code, folder = read_codes(class_folder)["002"], str(class_folder)
    expected = run_well("key", code, "--class", folder)
    assert code in expected.text
    assert "Week 3" in expected.text
    for number, place in (("2", folder), ("002", folder), ("2", f"{folder}/teacher")):
        assert run_well("key", number, "--class", place) == expected
    assert run_well("explain", "2", "S11", "--class", folder) == run_well("explain", code, "S11", "--class", folder)
    sheet = attnhand.key(2, class_=class_folder)
    assert (sheet.code, sheet.problem.words) == (code, ("the", "cat", "the", "dog"))
    assert sheet.explain("S11") == attnhand.explain(2, "S11", class_=class_folder)
    run_well("practice", "2", "--class", folder)


def test_a_key_of_the_class_says_whose_it_is(tmp_path: Path) -> None:
    """By №, name, group and id, on every kind of sheet; it is printed as the roster asks for that student's."""
    roster = b"name,id,group,large_print\nAda,4711,Tue,\nBo,4712,Wed,yes\n"
    run_well("class", "-", *DRAWN, "--level", "warm-up", "--jobs", "1", "--out", "set", stdin=roster)
    code = read_codes(Path("set"))["002"]
    for source in ("2", code):
        assert "\n№ 002 Bo · Wed · 4712\n" in run_well("key", source, "--class", "set").text
    assert "\n№ 001 Ada · Tue · 4711\n" in run_well("key", "1", "--class", "set", "--blank").text
    sheets = [attnhand.key(number, class_="set") for number in (1, 2)]
    assert [sheet.options.large_print for sheet in sheets] == [False, True]
    assert sheets[1].to_dict()["name"] == "Bo"
    assert "№ 002 Bo" in sheets[1].markdown()
    assert "Bo" not in run_well("key", code, "--salt", "pepper and salt").text


def test_what_is_said_goes_before_what_the_class_says(class_folder: Path) -> None:
    """A sheet of the class under another title, and another class's salt."""
    assert "Resit" in run_well("key", "1", "--class", str(class_folder), "--title", "Resit").text
    refused = run_refused("key", "1", "--class", str(class_folder), "--salt", "thyme and sage")
    assert "it stands in class.toml, in the folder of its class" in refused


def test_a_folder_that_is_no_class_is_refused(class_folder: Path) -> None:
    """So is a № that nobody has; nothing is written."""
    Path("empty").mkdir()
    no_class = "has no class.toml: give the folder that attnhand class made, attnhand-class"
    for run in (("key", "1"), ("explain", "1", "S11"), ("check", "a.json"), ("practice", "1")):
        assert run_refused(*run, "--class", "empty") == f"'empty' {no_class}"
    assert run_refused("grade", "empty", "empty") == f"'empty' {no_class}"
    index = class_folder / "teacher/index.csv"
    refused = run_refused("key", "47", "--class", str(class_folder))
    assert refused == f"{index} has no № 47: give one that is there, or the code of the sheet"
    assert "'c' is left over: give the folder of the class, then one" in run_refused("grade", "a", "b", "c")
    both = run_refused("grade", str(class_folder), "empty", "--roster", str(index))
    assert f"--roster {index} and the folder of a class contradict each other" in both


def test_the_folder_of_a_class_is_all_that_grading_takes(class_folder: Path) -> None:
    """Names, salt, words and what was asked; marks on paper where they were filled in; groups beside the class."""
    sheet = attnhand.key(1, class_=class_folder)
    Path("in").mkdir()
    Path("in/a.json").write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
    ran = run_well("grade", str(class_folder), "in")
    assert "summary-Tue.html" in ran.text
    with Path("gradebook.csv").open(encoding="utf-8-sig", newline="") as file:
        rows = [line for line in csv.DictReader(file) if line["name"]]
    assert [(row["name"], row["id"], row["email"], row["group"]) for row in rows] == [
        ("Ada", "4711", "ada@example.org", "Tue"),
        ("Bo", "4712", "", "Wed"),
        ("Cy", "4713", "cy@example.org", "Tue"),
    ]
    assert [row["score"] for row in rows] == [rows[0]["of"], "", ""]
    by_index = attnhand.grade("in", roster=class_folder / "teacher/index.csv")
    assert attnhand.grade("in", class_=class_folder).book == by_index.book
    table = class_folder / "teacher/marks.csv"
    untouched = table.read_bytes()
    table.write_bytes(untouched.replace(b"002,Bo,", b"002,Bo,4", 1))
    try:
        scores = {str(row.seat): row.score for row in attnhand.grade("in", class_=class_folder).book.rows}
    finally:
        table.write_bytes(untouched)
    assert scores["№ 002 Bo"] == 4


def test_grades_go_back_in_the_columns_of_the_system(class_folder: Path) -> None:
    """Again and again into the same file; it is no answer, wherever it lies, and who cannot be found there is said."""
    sheet = attnhand.key(1, class_=class_folder)
    Path("in").mkdir()
    Path("in/a.json").write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
    plain = attnhand.generate(7)
    Path("b.json").write_text(make_answer_file(plain, write_key(plain)), encoding="utf-8")
    assert "--grades moodle takes a class" in run_refused("grade", ".", "--grades", "moodle")
    for system, line in (("canvas", "Ada,,4711,ada@example.org,Tue,100"), ("moodle", "4711,Ada,100")):
        for _ in range(2):
            ran = run_well("grade", str(class_folder), "in", "--grades", system, "--out", "in")
        assert f"in/grades-{system}.csv" in ran.lines
        table = Path(f"in/grades-{system}.csv")
        assert line in table.read_text(encoding="utf-8").splitlines()
        assert "digest" not in table.read_text(encoding="utf-8")
        table.write_text(mine := table.read_text(encoding="utf-8").replace("100", "99"), encoding="utf-8")
        again = ("grade", str(class_folder), "in", "--grades", system, "--out", "in")
        assert f"{table} exists and is not as this program wrote it" in run_refused(*again)
        assert table.read_text(encoding="utf-8") == mine
        run_well(*again, "--force")
        assert line in table.read_text(encoding="utf-8").splitlines()
    assert "Not in" not in ran.text
    assert "Cannot be marked" not in ran.text
