"""A class in the weeks of a course: another set every week, and everybody keeps № and name."""

import csv
import io
from pathlib import Path

import pytest
from pypdf import PdfReader

import attnhand
from attnhand.sheet.number_column import find_number_column
from tests.breadth import choose
from tests.cli.running import read_files, run_here, run_refused, run_well
from tests.marking.handing_in import make_answer_file, write_key
from tests.spreadsheet_files import write_xlsx

OPTIONS = ("--level", "warm-up", "--jobs", "1")

PEOPLE = [
    (f"Student {letter}{digit}", f"{1000 + 10 * ord(letter) + digit}")
    for letter in choose("AB", "ABCDE")
    for digit in range(10)
]
"""Names and ids of all: all but three begin, these join, and one leaves."""

NEWCOMERS, LEAVER = (PEOPLE[7], PEOPLE[11], PEOPLE[18]), PEOPLE[15]
FIRST_WEEK = [person for person in PEOPLE if person not in NEWCOMERS]
SECOND_WEEK = [person for person in PEOPLE if person != LEAVER]


def write_roster(name: str, people: list[tuple[str, str]]) -> str:
    """Write a roster as a registrar exports it, and return its name."""
    lines = "".join(f"{number};{who};A\r\n" for who, number in people)
    Path(name).write_bytes(f"startHISsheet\r\nMatrikelnr;Name;Gruppe\r\n{lines}endHISsheet\r\n".encode("cp1252"))
    return name


def read_index_rows(folder: str) -> list[list[str]]:
    """Return an index as it is, its header first."""
    text = Path(folder, "teacher/index.csv").read_text(encoding="utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline="")))


def read_numbers(folder: str) -> dict[str, int]:
    """Return who has which №, whoever has left too."""
    header, *lines = read_index_rows(folder)
    number_at, name_at = find_number_column(header), header.index("name")
    assert number_at is not None
    return {line[name_at]: int(line[number_at]) for line in lines}


def save_as_ansi(rows: list[list[str]]) -> bytes:
    """Return a table as a German spreadsheet saves it: semicolons, and what cp1252 lacks is "?"."""
    out = io.StringIO(newline="")
    csv.writer(out, delimiter=";").writerows(rows)
    return out.getvalue().encode("cp1252", "replace")


def save_in_one_column(rows: list[list[str]]) -> bytes:
    """Return a table as it is saved where a spreadsheet opened all of it in one column: every line in quotes."""
    out, inner = io.StringIO(newline=""), io.StringIO(newline="")
    csv.writer(inner).writerows(rows)
    csv.writer(out, quoting=csv.QUOTE_ALL).writerows([line] for line in inner.getvalue().splitlines())
    return out.getvalue().encode("utf-8-sig")


def test_everybody_keeps_their_number_from_week_to_week() -> None:
    """Newcomers come after all others, nobody gets the № of who left, and each set can be made again."""
    run_well("class", write_roster("week1.csv", FIRST_WEEK), *OPTIONS, "--spare", "2")
    first, left = read_numbers("attnhand-class"), LEAVER[0]
    assert [first[name] for name, _ in FIRST_WEEK] == list(range(1, len(FIRST_WEEK) + 1))
    assert first[left] == 14
    count, new = len(SECOND_WEEK), [len(FIRST_WEEK) + 2 + at for at in (1, 2, 3)]  # after two spares

    like = ("class", write_roster("week2.csv", SECOND_WEEK), *OPTIONS, "--out", "week2", "--like", "attnhand-class")
    assert run_well(*like, "--dry-run").lines == [
        f"{count} students · name = Name · id = Matrikelnr · group = Gruppe · header in line 2 · no student: "
        f"line {count + 3} (endHISsheet)",
        f"№ as in attnhand-class: {count - 3} students",
        f"joined: {', '.join(f'№ {number:03d} {name}' for number, (name, _) in zip(new, NEWCOMERS, strict=True))}",
        f"withdrawn, their № kept: № 014 {left}",
    ]
    assert not Path("week2").exists()
    assert f"withdrawn, their № kept: № 014 {left}\n" in run_here(*like).error_text
    second = read_numbers("week2")
    assert {name: second[name] for name in first if name} == {name: n for name, n in first.items() if name}
    assert [second[name] for name, _ in NEWCOMERS] == new
    printed = "".join(page.extract_text() for page in PdfReader("week2/hand-out/sheets.pdf").pages)
    assert all(f"№ {second[name]:03d}" in printed for name, _ in SECOND_WEEK)
    assert left not in printed
    first_codes, second_codes = ({row[3] for row in read_index_rows(week)[1:]} for week in ("attnhand-class", "week2"))
    assert not first_codes & second_codes

    before = read_files(Path("week2"))
    run_well(*like)
    assert read_files(Path("week2")) == before
    run_well("class", "week2/teacher")
    assert read_files(Path("week2")) == before

    rows = read_index_rows("week2")
    Path("index.csv").write_bytes(Path("week2/teacher/index.csv").read_bytes())
    Path("ansi.csv").write_bytes(save_as_ansi([["№", *rows[0][1:]], *rows[1:]]))
    Path("column.csv").write_bytes(save_in_one_column(rows))
    Path("book.xlsx").write_bytes(write_xlsx(rows))
    for name in ("index.csv", "ansi.csv", "column.csv", "book.xlsx"):
        lines = run_well("class", name, *OPTIONS, "--out", f"of {name}", "--dry-run").lines
        assert lines[0].startswith(f"{count} students · name = name · number = "), name
        joined = ", ".join(f"№ {number:03d} {who}" for who, number in second.items() if who != left)
        assert lines[1:] == [f"joined: {joined}"]
    run_well("class", "ansi.csv", *OPTIONS, "--out", "week3")
    third = read_numbers("week3")
    assert third == second
    late = [["№", "name", "id"], ["", "Zoë", "7"], *([f"{n}", name, ""] for name, n in third.items() if name != left)]
    Path("late.csv").write_bytes(save_as_ansi(late))
    run_well("class", "late.csv", *OPTIONS, "--out", "week4", "--like", "week3")
    assert read_numbers("week4")["Zoë"] == new[-1] + 1

    run_well("class", write_roster("week5.csv", PEOPLE), *OPTIONS, "--out", "week4", "--only", "new")
    fifth = read_numbers("week4")
    assert (fifth.pop("Zoë"), fifth) == (new[-1] + 1, second)
    assert Path("week4/hand-out/new-014-sheets.pdf").exists()


def test_the_same_people_need_no_roster() -> None:
    """Another set for the class as it is; nobody who has left is in it, and a № of a dropped spare is nobody's."""
    Path("class.csv").write_text("name\nAda\nBo\n", encoding="utf-8")
    run_well("class", "class.csv", *OPTIONS, "--spare", "1")
    run_well("class", "class.csv", "--spare", "0")
    run_well("class", "--like", "attnhand-class", "--out", "week2", *OPTIONS)
    assert read_numbers("week2") == {"Ada": 1, "Bo": 2}
    Path("class.csv").write_text("name\nAda\nBo\nCy\n", encoding="utf-8")
    run_well("class", "class.csv", "--out", "week2")
    assert read_numbers("week2") == {"Ada": 1, "Bo": 2, "Cy": 4}


def test_who_left_before_a_set_was_made_has_no_sheet_in_it(weeks: None) -> None:
    """The № is theirs, and names no sheet; papers of the others are marked."""
    refused = run_refused("key", "3", "--class", "week2")
    assert refused == "week2/teacher/index.csv has no № 3: give one that is there, or the code of the sheet"
    sheet = attnhand.key(5, class_="week2")
    Path("in").mkdir()
    Path("in/005.json").write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
    Path("in/no code.json").write_text('{"answers": {"Q": [["1"]]}, "name": "Cy Ash"}', encoding="utf-8")
    run_well("grade", "week2", "in")
    rows = list(csv.DictReader(io.StringIO(Path("gradebook.csv").read_text(encoding="utf-8-sig"), newline="")))
    assert [row["name"] for row in rows if row["score"]] == ["Di Fir"]


def test_a_class_without_names_keeps_its_numbers() -> None:
    """Its index serves as a roster too: a № is all that there is."""
    run_well("class", "--count", "3", *OPTIONS, "--spare", "1")
    run_well("class", "--count", "4", *OPTIONS, "--out", "week2", "--like", "attnhand-class")
    assert [row[0] for row in read_index_rows("week2")[1:]] == ["001", "002", "003", "005"]
    run_well("class", "week2/teacher/index.csv", *OPTIONS, "--out", "week3")
    assert [row[0] for row in read_index_rows("week3")[1:]] == ["001", "002", "003", "005"]


@pytest.fixture
def weeks() -> None:
    """Make a class of three, and a second week in which one has left and another joined."""
    Path("class.csv").write_text("name,id\nAda Oak,71\nBo Elm,\nCy Ash,\n", encoding="utf-8")
    run_well("class", "class.csv", *OPTIONS, "--spare", "1")
    Path("class.csv").write_text("name,id\nAda Oak,71\nBo Elm,\nDi Fir,\n", encoding="utf-8")
    run_well("class", "class.csv", *OPTIONS, "--out", "week2", "--like", "attnhand-class")


CONTRADICTIONS = {
    "another than theirs": ("5,Ada Oak,71", "has № 5 for Ada Oak in line 2, who has № 1: write that one, or nothing"),
    "somebody else's": ("2,Ede Yew,", "has № 2 for Ede Yew in line 2, which is № 002 Bo Elm: write nothing for who is"),
    "of who has left": ("3,Ede Yew,", "has № 3 for Ede Yew in line 2, which is № 003 Cy Ash: write nothing for who is"),
    "of somebody with another id": ("1,Ada Yew,72", "has № 1 for Ada Yew in line 2, which is № 001 Ada Oak: write not"),
    "of a spare sheet": ("4,Ede Yew,", "has № 4 for Ede Yew in line 2, which was given before: write nothing for who"),
}


@pytest.mark.parametrize(("line", "sentence"), CONTRADICTIONS.values(), ids=CONTRADICTIONS)
def test_a_number_that_contradicts_is_refused(weeks: None, line: str, sentence: str) -> None:
    """By its line, with what to do, and nothing is written."""
    Path("wrong.csv").write_text(f"№,name,id\n{line}\n,Bo Elm,\n,Di Fir,\n", encoding="utf-8")
    refused = run_refused("class", "wrong.csv", "--out", "week2")
    assert refused.startswith(f"wrong.csv {sentence}")
    assert refused.endswith("if that column holds no №, add --column number=")


def test_a_name_is_corrected_beside_its_number(weeks: None) -> None:
    """A № tells who it is, if a part of the name is as before."""
    Path("right.csv").write_text("Nr.;name;id\n1;Ada Oak;71\n2;Bo Yew;\n5;Di Fir;\n", encoding="utf-8")
    assert (
        "changed: № 002 Bo Yew, name Bo Elm → Bo Yew"
        in run_well("class", "right.csv", "--out", "week2", "--dry-run").lines
    )


def test_a_column_that_counts_the_lines_gives_no_numbers(weeks: None) -> None:
    """An export that numbers its lines anew gives nobody another's №, and it is said."""
    Path("class.csv").write_text("Nr,name,id\n1,Ada Oak,71\n2,An New,\n3,Bo Elm,\n4,Di Fir,\n", encoding="utf-8")
    lines = run_well("class", "class.csv", "--out", "week2", "--dry-run").lines
    assert lines == [
        "4 students · name = name · id = id · not used, since it only counts the lines: Nr",
        "joined: № 006 An New",
    ]
    refused = run_refused("class", "class.csv", "--out", "week2", "--column", "number=Nr")
    assert "has № 2 for An New in line 3, which is № 002 Bo Elm" in refused
    Path("class.csv").write_text("Nr,name,id\n7,Ada Oak,71\n2,Bo Elm,\n,Di Fir,\n", encoding="utf-8")
    run_refused("class", "class.csv", "--out", "week2")
    lines = run_well("class", "class.csv", "--out", "week2", "--dry-run", "--column", "number=").lines
    assert lines == ["3 students · name = name · id = id · not used: Nr", "nobody joins, leaves or changes"]


def test_a_class_that_is_none_is_refused(weeks: None) -> None:
    """So are one's own folder, an earlier set with its №s, and another class."""
    new = ("class", "class.csv", "--out", "new", "--like")
    Path("empty").mkdir()
    sentence = "has no class.toml: give the folder that attnhand class made, attnhand-class"
    assert run_refused(*new, "empty") == f"'empty' {sentence}"
    assert run_refused(*new, "nowhere") == f"'nowhere' {sentence}"
    assert run_refused("class", "class.csv", "--like", "attnhand-class") == (
        "--like attnhand-class is the folder that is written: give the new sheets one of their own, --out week-2, "
        "or leave out --like"
    )
    assert run_refused("class", "week2/teacher", "--like", "attnhand-class") == (
        "--like attnhand-class is for a roster: an earlier set has its №s, leave it out"
    )
    Path("other.csv").write_text("name\nEd\nFay\nGus\n", encoding="utf-8")
    run_well("class", "other.csv", *OPTIONS, "--out", "other")
    assert run_refused("class", "class.csv", "--out", "week2", "--like", "other/teacher") == (
        "other/teacher/index.csv has № 001 Ed, but that № is № 001 Ada Oak in this class: "
        "leave out --like, this class goes on by itself"
    )
    assert run_refused("class", "other.csv", "--out", "new", "--like", "week2") == (
        "other.csv lacks 3 of the 3 students of the class: if they have left, add --withdraw; "
        "otherwise give the whole roster"
    )
