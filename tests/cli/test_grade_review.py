"""A term of grading: what is doubtful is decided by the teacher, and stays decided; all tables say what was planted."""

import csv
import io
import re
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

import pytest

import attnhand
from attnhand.classroom.class_file import ClassFile, format_class_toml
from attnhand.classroom.index import format_index_csv
from attnhand.problems.salt import stretch_salt
from attnhand.sheet.seat import Seat, Student
from attnhand.sheet.sheet import Sheet
from tests.cli.running import run_refused, run_well
from tests.marking.handing_in import make_answer_file, write_key
from tests.spreadsheet_files import write_zip

SALT = "open, sesame!"
STAGES = {"Q": 6, "K": 6, "V": 6, "S": 9, "scaled": 9, "powers": 9, "sums": 3, "A": 9, "Z": 6}
"""What a warm-up sheet asks, counted on paper."""

TITLES = {**{stage: stage for stage in STAGES}, "sums": "Σ"}
CELLS = sum(STAGES.values())
SIZE, FIRST_COUNT = 40, 35
"""Students, and those who hand in before anything is decided."""

Rows = dict[str, list[list[str]]]


@cache
def make_student_sheet(number: int) -> Sheet:
    """Return the sheet of one student; two more lie in the class for nobody's use but to be copied."""
    return attnhand.generate(700 + number, level="warm-up", salt=SALT)


def name_student(number: int) -> str:
    """Return a name that no spreadsheet may take for a formula."""
    return f"Student {number}" if number != 5 else "=SUM(A1)"


@dataclass
class Truth:
    """What one student's line must say, before and after the decision."""

    score: Decimal = Decimal(CELLS)
    marks: Counter[str] = field(default_factory=Counter)
    """How many cells have a mark that is not right."""

    stage_marks: dict[str, Decimal] = field(default_factory=lambda: {name: Decimal(n) for name, n in STAGES.items()})
    questions: int = 0
    first_departure: str = ""
    slip: str = ""
    remark: str = ""
    has_score: bool = True

    def lose(self, stage: str, cells: int = 1) -> "Truth":
        """Take cells away from a stage."""
        self.stage_marks[stage] -= cells
        self.score -= cells
        return self


DECIDED = "1 decision from review.csv"


@dataclass
class Case:
    """What a student hands in, what is decided of it, and what is true before and after."""

    rows: Rows
    before: Truth
    after: Truth
    item: str = ""
    decision: str = ""
    is_listed: bool = True
    """Whether the program asks; else the teacher adds the line."""


def give_unreadable_cell(sheet: Sheet, key: Rows, _: int) -> Case:
    """Write 1,234 into a score; it is accepted."""
    key["S"][1][1] = "1,234"
    before = Truth(marks=Counter(unreadable=1), first_departure="S[2,2]").lose("S")
    return Case(key, before, Truth(remark=DECIDED), "S[2,2]", "right")


def give_unreadable_number(sheet: Sheet, key: Rows, number: int) -> Case:
    """Write signs into a key; the teacher reads the right number, or one too many."""
    right = Fraction(key["K"][0][0])
    key["K"][0][0] = "l?"
    before = Truth(marks=Counter(unreadable=1), first_departure="K[1,1]").lose("K")
    if number % 2:
        return Case(key, before, Truth(remark=DECIDED), "K[1,1]", str(right))
    after = Truth(marks=Counter(wrong=1), first_departure="K[1,1]", slip="K: made a mistake in a single cell")
    after.remark = DECIDED
    return Case(key, before, after.lose("K"), "K[1,1]", str(right + 7))


def give_unreadable_answer(sheet: Sheet, key: Rows, _: int) -> Case:
    """Answer the first question in words that nobody knows; it is accepted."""
    key["ask1"] = [["brrr!?"]]
    return Case(key, Truth(), Truth(questions=1, remark=DECIDED), "ask1", "Right")


def give_wrong_cell(sheet: Sheet, key: Rows, _: int) -> Case:
    """Write 77 into the last stage, of which nothing is doubtful; the teacher has it follow all the same."""
    key["Z"][0][0] = "77"
    before = Truth(marks=Counter(wrong=1), first_departure="Z[1,1]", slip="Z: made a mistake in a single cell")
    after = Truth(marks=Counter(follows=1), remark=DECIDED)
    return Case(key, before.lose("Z"), after, "Z11", "follow on", is_listed=False)


def give_anothers_sheet(sheet: Sheet, key: Rows, number: int) -> Case:
    """Hand in the answers to the next sheet under one's own code; so many points are given, or none."""
    other = make_student_sheet(number + 1)
    owner = f"№ {number + 1:03d} {name_student(number + 1)}"
    file = f"{number:03d}.json"
    reason = f"to be looked at, not scored: {file} holds the answers to another sheet, that of {owner}"
    points = "12.5" if number % 2 else "wrong"
    after = Truth(score=Decimal(12.5 if number % 2 else 0), stage_marks={}, remark=DECIDED)
    after.first_departure = "?"
    return Case(write_key(other), Truth(has_score=False, remark=reason), after, "sheet", points)


def give_anothers_half(sheet: Sheet, key: Rows, number: int) -> Case:
    """Work Q, K and V, and copy the rest from the next sheet: 3 points are given for S, none for what comes after."""
    other = make_student_sheet(number + 1)
    own, others = sheet.solution.collect_hand_values(), other.solution.collect_hand_values()
    copied = [name for name in STAGES if name not in ("Q", "K", "V") and own[name] != others[name]]
    truth, after = Truth(), Truth()
    for each in (truth, after):
        for name in copied:
            each.lose(name, STAGES[name])
        each.first_departure = "?"
    after.stage_marks["S"] = Decimal(3)
    after.score += 3
    for each, stages in ((truth, copied), (after, copied[1:])):
        names = [TITLES[name] for name in stages]
        whose = f"№ {number + 1:03d} {name_student(number + 1)}"
        each.remark = (
            f"For the teacher: {', '.join(names[:-1])} and {names[-1]} not counted, for the numbers are those "
            f"of {whose} and do not come of the student's own."
        )
    after.remark = f"{DECIDED}; {after.remark}"
    rows = {name: text if name in ("Q", "K", "V") else write_key(other)[name] for name, text in key.items()}
    return Case(rows, truth, after, "S", "3")


def give_all_right(sheet: Sheet, key: Rows, _: int) -> Case:
    """Hand in the key."""
    return Case(key, Truth(), Truth())


KINDS: Sequence[Callable[[Sheet, Rows, int], Case]] = (
    give_all_right, give_unreadable_cell, give_unreadable_number, give_unreadable_answer, give_wrong_cell,
    give_anothers_sheet, give_anothers_half,
)  # fmt: skip


def make_case(number: int) -> Case:
    """Return what a student hands in."""
    sheet = make_student_sheet(number)
    if number > FIRST_COUNT:  # who comes later: two are right, three unreadable in one cell, which waits
        case = (give_unreadable_cell if number % 2 else give_all_right)(sheet, write_key(sheet), number)
        case.decision, case.after = "", case.before
        return case
    return KINDS[number % len(KINDS)](sheet, write_key(sheet), number)


def list_seats() -> list[Seat]:
    """Return who is in the class."""
    return [
        Seat(
            number=n,
            student=Student(name=name_student(n), id=f"s{n}", email=f"s{n}@example.org"),
            code=make_student_sheet(n).code,
        )
        for n in range(1, SIZE + 1)
    ]


def write_class() -> None:
    """Write the index, and beside it what the class was made with."""
    Path("teacher").mkdir()
    Path("teacher/index.csv").write_bytes(format_index_csv(list_seats()).encode("utf-8-sig"))
    Path("teacher/class.toml").write_text(format_class_toml(ClassFile(seed=1, salt=stretch_salt(SALT))))
    Path("in").mkdir()


def hand_in(cases: Mapping[int, Case]) -> None:
    """Put what was handed in into the folder."""
    for number, case in cases.items():
        text = make_answer_file(make_student_sheet(number), case.rows)
        Path(f"in/{number:03d}.json").write_text(text, encoding="utf-8")


def read_rows(path: str) -> list[list[str]]:
    """Return a table as a spreadsheet reads it."""
    return list(csv.reader(io.StringIO(Path(path).read_text(encoding="utf-8-sig"), newline="")))


def decide(cases: Mapping[int, Case]) -> list[list[str]]:
    """Return the review table with all decisions, and lines of the teacher's own for what is not asked there."""
    header, *lines = [row for row in read_rows("review.csv") if row and not row[0].startswith("attnhand-digest")]
    at = {title: place for place, title in enumerate(header)}
    for number, case in cases.items():
        own = [line for line in lines if line[0] == f"{number:03d}"]
        asked = [line for line in own if line[at["cell"]] == case.item]
        assert bool(asked) == (case.is_listed and case.item != ""), (number, own)
        if asked:
            asked[0][at["decision"]] = case.decision
        elif case.item:
            line = [""] * len(header)
            line[0], line[at["cell"]], line[at["decision"]] = str(number), case.item, case.decision
            lines.append(line)
    return [header, *lines]


def save_csv(rows: list[list[str]]) -> None:
    """Save the table as a text, in place."""
    with Path("review.csv").open("w", encoding="utf-8-sig", newline="") as file:
        csv.writer(file).writerows(rows)


def save_like_libreoffice(rows: list[list[str]]) -> None:
    """Save the table into a package that LibreOffice wrote, all cells and texts in its manner."""
    texts: list[str] = []
    lines = []
    for i, row in enumerate(rows, 1):
        cells = []
        for j, text in enumerate(row):
            plain = text.removeprefix("'") if text[:2] in ("'=", "'-", "'+", "'@") else text
            texts.append(plain)
            cells.append(
                f'<c r="{chr(65 + j)}{i}" s="1" t="s"><v>{len(texts) - 1}</v></c>'
                if plain
                else f'<c r="{chr(65 + j)}{i}" s="1"/>'
            )
        lines.append(
            f'<row r="{i}" customFormat="false" ht="12.8" hidden="false" outlineLevel="0">{"".join(cells)}</row>'
        )
    package = zipfile.ZipFile(Path(__file__).parents[1] / "data/libreoffice.xlsx")
    parts = {name: package.read(name) for name in package.namelist()}
    page = parts["xl/worksheets/sheet1.xml"].decode()
    before, after = page[: page.index("<sheetData>") + 11], page[page.index("</sheetData>") :]
    parts["xl/worksheets/sheet1.xml"] = f"{before}{''.join(lines)}{after}".encode()
    shared = "".join(f'<si><t xml:space="preserve">{escape(text)}</t></si>' for text in texts)
    head = parts["xl/sharedStrings.xml"].decode().partition("<si>")[0]
    parts["xl/sharedStrings.xml"] = f"{head}{shared}</sst>".encode()
    Path("review.xlsx").write_bytes(write_zip(parts))


GRADE = ("grade", "in", "--roster", "teacher/index.csv", "--grades", "moodle")


def write_plainly(marks: Decimal | int) -> str:
    """Write marks as a gradebook does."""
    return f"{Decimal(marks).normalize():f}"


def check_tables(truths: Mapping[int, Truth], text: str) -> None:
    """Hold gradebook, grades and summary, line by line, against what is true."""
    lines = list(csv.DictReader(io.StringIO(Path("gradebook.csv").read_text("utf-8-sig"), newline="")))
    by_number = {line["No."]: line for line in lines if re.fullmatch(r"\d{3}", line["No."])}
    for number, truth in truths.items():
        line = by_number[f"{number:03d}"]
        expected = dict.fromkeys(("score", "of", "correct", *TITLES.values(), "first departure", "slips"), "")
        if truth.has_score:
            counts = {"follows": 0, "wrong": 0, "blank": 0, "unreadable": 0} | dict(truth.marks)
            expected |= {mark: str(count) for mark, count in counts.items()}
            expected |= {"correct": str(CELLS - sum(counts.values())), "questions": str(truth.questions)}
            expected |= {"score": write_plainly(truth.score), "of": str(CELLS), "slips": truth.slip}
            expected |= {TITLES[name]: write_plainly(marks) for name, marks in truth.stage_marks.items()}
            expected["first departure"] = truth.first_departure
        expected["remark"] = truth.remark
        if truth.first_departure == "?":  # how the numbers of another sheet are marked, nobody asks
            unasked = ("first departure", "slips", "correct", "follows", "wrong")
            expected |= {name: line[name] for name in unasked}
            assert line["remark"].startswith(truth.remark)
            expected["remark"] = line["remark"]
        assert {name: line[name] for name in expected} == expected, number
    grades = {row[0]: row[3] for row in read_rows("grades-moodle.csv")[1:]}
    for number in range(1, SIZE + 1):
        known = truths.get(number)
        percent = round(100 * known.score / CELLS, 2) if known and known.has_score else None
        assert grades[f"s{number}"] == ("" if percent is None else write_plainly(percent)), number
    marked = [truth for truth in truths.values() if truth.has_score]
    assert f"{len(marked)} of {SIZE} students marked" in text
    for stage, cells in STAGES.items():
        with_stage = [truth for truth in marked if truth.stage_marks]
        earned = sum(truth.stage_marks[stage] for truth in with_stage)
        assert re.search(rf"^{TITLES[stage]} .* {write_plainly(earned)} of {cells * len(with_stage)} cells", text, re.M)


@pytest.mark.parametrize("save", [save_csv, save_like_libreoffice], ids=["csv", "xlsx"])
def test_a_term_of_grading(save: Callable[[list[list[str]]], None]) -> None:
    """Forty students, thirty decisions, five new files: what was decided stays, and every table is the truth."""
    write_class()
    cases = {number: make_case(number) for number in range(1, FIRST_COUNT + 1)}
    assert sum(bool(case.decision) for case in cases.values()) == 30
    hand_in(cases)
    ran = run_well(*GRADE)
    check_tables({number: case.before for number, case in cases.items()}, ran.text)
    rows = decide(cases)
    save(rows)
    later = {number: make_case(number) for number in range(FIRST_COUNT + 1, SIZE + 1)}
    hand_in(later)
    cases |= later
    ran = run_well(*GRADE)
    check_tables({number: case.after for number, case in cases.items()}, ran.text)
    found = {(row[0], row[4]): row[-1] for row in read_rows("review.csv") if len(row) > 5}
    decided = {
        (f"{n:03d}", case.item.replace("Z11", "Z[1,1]")): case.decision for n, case in cases.items() if case.decision
    }
    assert {place: decision for place, decision in found.items() if decision}.items() >= decided.items()
    assert [place for place, decision in found.items() if place[0] > "035" and not decision] == [
        ("037", "S[2,2]"), ("039", "S[2,2]"),
    ]  # fmt: skip
    written = {name: Path(name).read_bytes() for name in ("gradebook.csv", "review.csv", "review.xlsx")}
    ran = run_well(*GRADE)
    assert {name: Path(name).read_bytes() for name in written} == written


def test_without_a_class_a_sheet_is_named() -> None:
    """What asks less than the others waits for --against, or for a decision; another sheet than that is refused."""
    Path("in").mkdir()
    sheet, part = attnhand.generate(3, level="warm-up"), attnhand.generate(3, level="warm-up", from_stage="A")
    for name in ("a", "b"):
        Path(f"in/{name}.json").write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
    Path("in/c.json").write_text(make_answer_file(part, write_key(part)), encoding="utf-8")
    own = attnhand.solve(X=[[1, 0], [0, 1]], W_Q=[[1, 2]], W_K=[[1, 1]], W_V=[[2, 1]])
    Path("in/d.json").write_text(make_answer_file(own, write_key(own), with_sheet=True), encoding="utf-8")

    def grade(*options: str) -> dict[str, tuple[str, str]]:
        run_well("grade", "in", *options)
        rows = csv.DictReader(io.StringIO(Path("gradebook.csv").read_text("utf-8-sig"), newline=""))
        return {
            row["file"] or row["remark"]: (row["score"], row["remark"]) for row in rows if row["remark"] or row["file"]
        }

    found = grade()
    name = "name the sheet with --against"
    asks_less = (
        f"to be looked at, not scored: c.json asks {part.answer_cell_count} cells, fewer than other files: {name}"
    )
    own_matrices = f"to be looked at, not scored: d.json brings its own matrices: {name}"
    assert found == {
        "a.json": ("63", ""),
        "b.json": ("63", ""),
        asks_less: ("", asks_less),
        own_matrices: ("", own_matrices),
    }
    review = [row for row in read_rows("review.csv") if len(row) > 4]
    assert [(row[3], row[4]) for row in review[1:]] == [("c.json", "sheet"), ("d.json", "sheet")]
    review[2][-1] = "right"
    save_csv(review)
    assert grade()["d.json"] == (str(own.answer_cell_count), "1 decision from review.csv")
    found = grade("--against", sheet.code)
    assert found["a.json"] == ("63", "")
    assert found["c.json"][0] == str(part.answer_cell_count)
    assert found["c.json"][1].startswith("For the teacher: the file says that less is asked")
    assert found["d.json"][1].startswith("not marked: answers the sheet ")
    assert "--against and the class" in run_refused("grade", "in", "--against", "7", "--roster", "teacher/index.csv")
    assert "'nothing' names nothing" in run_refused("grade", "in", "--against", "nothing")


def test_where_decisions_cannot_be_read_nothing_is_written() -> None:
    """A folder of that name, another table, a typo: one sentence, and the files stay as they are."""
    Path("in").mkdir()
    sheet = attnhand.generate(3, level="warm-up")
    rows = write_key(sheet)
    rows["S"][0][0] = "1,234"
    Path("in/a.json").write_text(make_answer_file(sheet, rows), encoding="utf-8")
    run_well("grade", "in")
    for text, message in (
        ("hello", "review.csv has no column No."),
        ("", "review.csv is empty: put back what stood there"),
    ):
        Path("review.csv").write_text(text, encoding="utf-8")
        assert run_refused("grade", "in", "--force").startswith(message)
    Path("review.csv").unlink()
    Path("review.csv").mkdir()
    assert run_refused("grade", "in").startswith("review.csv cannot be written (Is a directory)")
    Path("review.csv").rmdir()
    run_well("grade", "in", "--out", "other")
    table = [row for row in read_rows("other/review.csv") if len(row) > 4]
    table[1][-1] = "right"
    save_csv(table)
    run_well("grade", "in")
    assert attnhand.grade("in", review="review.csv").book.rows[0].score == CELLS
    # what we wrote and decided is no answer, wherever it lies
    Path("review.csv").rename("in/decided.csv")
    Path("review.xlsx").rename("in/decided.xlsx")
    assert [paper.file for paper in attnhand.grade("in").book.counted_papers] == ["a.json"]
    assert attnhand.grade("in").book.unreadable_papers == ()
