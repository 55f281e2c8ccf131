"""Parts of a model that are dealt in turn: everybody one of them, by №, and all of it marked as one class."""

import csv
import io
import re
from pathlib import Path

import pytest
from pypdf import PdfReader

import attnhand
from attnhand.errors import AttnhandError
from attnhand.sheet.sheet import Sheet
from tests.cli.running import run_refused, run_well
from tests.marking.handing_in import make_answer_file, make_slip, write_answers, write_key

PEOPLE = [f"Student {letter}" for letter in "ABCDEFG"]
PARTS = ("without-head-1", "without-head-2", "without-places", "without-attention", "without-network")
CLASS = Path("attnhand-class")


def write_roster(people: list[str], name: str = "class.csv") -> str:
    """Write a roster, and return its name."""
    Path(name).write_text("name\n" + "".join(f"{who}\n" for who in people), encoding="utf-8")
    return name


def table(path: Path | str) -> list[dict[str, str]]:
    """Return the lines of a table that was written."""
    text = Path(path).read_text(encoding="utf-8-sig").partition("attnhand-digest")[0]
    return list(csv.DictReader(io.StringIO(text, newline="")))


def read_codes() -> dict[str, str]:
    """Return who has which sheet."""
    return {row["name"]: row["code"] for row in table(CLASS / "teacher/index.csv")}


def make_sheet(name: str) -> Sheet:
    """Return somebody's sheet, as its code has it."""
    return attnhand.key(read_codes()[name], class_=str(CLASS))


def find_part(name: str) -> str:
    """Return which part somebody's sheet asks."""
    sheet = make_sheet(name)
    assert sheet.asked_part
    return sheet.asked_part.name


def read_words(path: Path | str) -> list[str]:
    """Return the words of every page of a PDF."""
    return [" ".join(page.extract_text().split()) for page in PdfReader(path).pages]


def test_parts_are_dealt_by_number() -> None:
    """No. 6 has the part of No. 1; cover and key booklet say who has which, and whoever joins changes nobody's."""
    run_well("class", write_roster(PEOPLE), "--part", ",".join(PARTS), "--seed", "7")
    assert [find_part(who) for who in PEOPLE] == [*PARTS, *PARTS[:2]]
    cover, *sheets = read_words(CLASS / "hand-out/sheets.pdf")
    keys = read_words(CLASS / "teacher/keys.pdf")
    for first in (cover, keys[0]):
        assert "The parts taken away" in first
        assert "Without head 1: № 001, 006. Without head 2: № 002, 007. Without places: № 003." in first
    firsts = [page for page in sheets if "page 1 of" in page]
    assert len(firsts) == len(PEOPLE)
    titles = ("Without head 1", "Without head 2", "Without places", "Without attention", "Without the network")
    for at, (page, who) in enumerate(zip(firsts, PEOPLE, strict=True)):
        assert titles[at % 5] in page[:40]  # beside its №: which of them comes first is the page's own
        assert who in page

    before = read_codes()
    run_well("class", write_roster([*PEOPLE[1:], "Zoe"], "later.csv"))
    assert {who: code for who, code in read_codes().items() if who in before} == before
    assert find_part("Zoe") == PARTS[2]  # No. 8


def test_questions_of_dealt_parts_have_a_place_for_every_form() -> None:
    """Called by all parts together; variants of one question are those of one part."""
    run_well("class", write_roster(PEOPLE[:3]), "--part", "head-1,next-word", "--moodle", "--seed", "7")
    text = (CLASS / "teacher/questions-moodle.xml").read_text(encoding="utf-8")
    places = re.findall(r"\$course\$/top/(.+?)/(.+?)</text>", text)
    assert {title for title, _ in places} == {"Head 1: who? · The next word · Moodle"}
    names = [name for _, name in places]
    assert {"01 Q · Queries", "04 logits · Logits"} <= {*names}
    assert len(names) == len({*names})


def test_versions_of_a_class_have_a_part_each() -> None:
    """Two versions of two parts: every other has the first, and there is a key for each."""
    run_well("class", write_roster(PEOPLE[:4]), "--part", "head-1,next-word", "--versions", "2", "--seed", "7")
    assert [find_part(who) for who in PEOPLE[:4]] == ["head-1", "next-word"] * 2
    keys = read_words(CLASS / "teacher/keys.pdf")
    assert any("Head 1: who?" in page[:40] for page in keys)
    assert any("The next word" in page[:40] for page in keys)


def test_what_was_dealt_is_marked_as_one_class() -> None:
    """Every paper by its own sheet; marks have a column for each stage that somebody is asked."""
    run_well("class", write_roster(PEOPLE[:3]), "--part", "head-1, next-word", "--seed", "7")
    columns = [*table(CLASS / "teacher/marks.csv")[0]]
    assert {"Q", "A", "Z", "logits", "p"} <= {*columns}
    assert len(columns) == len({*columns})
    Path("answers").mkdir()
    for number, who in enumerate(PEOPLE[:3], 1):
        sheet = make_sheet(who)
        found = write_answers(sheet, make_slip(sheet, "other-axis", "A")) if who == PEOPLE[2] else write_key(sheet)
        Path(f"answers/{number:03d} {who}.json").write_text(make_answer_file(sheet, found), encoding="utf-8")
    run_well("grade", str(CLASS), "answers", "--out", "graded")
    rows = {row["name"]: row for row in table("graded/gradebook.csv")}
    sheets = [make_sheet(who) for who in PEOPLE[:2]]
    counts = [sum(map(sheet.count_answer_cells, sheet.problem.mechanism.stages)) for sheet in sheets]
    assert [rows[who]["score"] for who in PEOPLE[:2]] == [rows[who]["of"] for who in PEOPLE[:2]] == [*map(str, counts)]
    assert int(rows[PEOPLE[2]]["score"]) < int(rows[PEOPLE[2]]["of"]) == counts[0]
    assert rows[PEOPLE[0]]["logits"] == "" != rows[PEOPLE[1]]["logits"]
    assert rows[PEOPLE[1]]["Z"] == "" != rows[PEOPLE[2]]["Z"]


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        (("generate", "--seed", "7", "--part", "head-1,head-2"), "deals several parts out to a class"),
        (("class", "class.csv", "--part", "head-1,head-9"), "has no part 'head-9'"),
        (("class", "class.csv", "--part", "head-1,"), "has no part ''"),
        (("class", "class.csv", "--part", "head-1,next-word", "--causal"), "contradicts"),
    ],
)
def test_what_cannot_be_dealt_is_refused(args: tuple[str, ...], fault: str) -> None:
    """One sheet has one part, and every part must be one."""
    write_roster(PEOPLE[:2])
    assert fault in run_refused(*args)
    assert not CLASS.exists()


@pytest.mark.parametrize("part", [[], ()])
def test_no_part_at_all_is_refused(part: list[str] | tuple[str, ...]) -> None:
    """As a program may have it that filled a list with nothing."""
    with pytest.raises(AttnhandError, match="names no part: give one"):
        attnhand.generate(seed=1, part=part)
