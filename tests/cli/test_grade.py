"""``attnhand grade``: the gradebook is the truth that was planted; what has no marks is listed."""

import csv
import io
import json
import os
import re
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

import attnhand
from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number, format_exact
from attnhand.attention.slips import StageContext, find_slips
from attnhand.classroom.class_file import ClassFile, format_class_toml
from attnhand.classroom.grading import MAIN_FILES
from attnhand.classroom.index import format_index_csv
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.html import render_html
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.problems.salt import stretch_salt
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat, Student
from attnhand.sheet.sheet import Sheet
from attnhand.system import files
from attnhand.system.digests import add_digest, is_untouched
from attnhand.system.locks import hold_passing_folder
from attnhand.text import LANGUAGES, get_language
from tests.breadth import choose
from tests.cli.running import read_files, run_refused, run_well
from tests.conftest import GetFormPath
from tests.filling import (
    fill_with_pdfium,
    fill_with_pypdf,
    make_perfect_values,
    save_like_acrobat,
    save_like_poppler,
    save_like_preview,
)
from tests.formats.test_mail import write_mail
from tests.marking.handing_in import make_answer_file, make_slip, write_answers, write_key
from tests.pages.sheets import get_sheet as page_sheet
from tests.spreadsheet_files import write_ods, write_xlsx, write_zip

SALT = "open, sesame!"
STAGES = {"Q": 6, "K": 6, "V": 6, "S": 9, "scaled": 9, "powers": 9, "sums": 3, "A": 9, "Z": 6}
"""What a warm-up sheet asks, counted on paper."""

SLIP_WORDS = {
    "not-scaled": "left the scores as they were, without scaling",
    "times-not-power": "multiplied by the base instead of raising it to the power",
    "other-axis": "divided by the totals of the rows instead of those of the columns",
    "weights-A-transposed": "used A transposed",
    "single-cell": "made a mistake in a single cell",
}
SLIPS = (("not-scaled", "scaled"), ("times-not-power", "powers"), ("other-axis", "A"), ("weights-A-transposed", "Z"))
SIZE = 60


@cache
def make_student_sheet(number: int) -> Sheet:
    """Return the sheet of one student."""
    return attnhand.generate(500 + number, level="warm-up", salt=SALT)


@dataclass
class ExpectedLine:
    """What one student's line in the gradebook must say."""

    file: str = ""
    lost_cells: Counter[str] = field(default_factory=Counter)
    """Cells that earn nothing, by stage."""

    marks: dict[str, int] = field(default_factory=dict)
    """How many cells have a mark, where that is not none."""

    slip: str = ""
    first_departure: str = ""
    remark: str = ""
    paper_marks: dict[str, int] = field(default_factory=dict)


def write_oddly(value: Number) -> str:
    """Write a number as people do: a true minus, blanks, a fraction that is not reduced."""
    text = format_exact(value)
    if "/" in text:
        top, bottom = text.split("/")
        return f" {2 * int(top)} / {2 * int(bottom)} ".replace("-", "−")
    return f" {text} ".replace("-", "−")


def find_differing_cells(key: Matrix, other: Matrix) -> list[tuple[int, int]]:
    """Return where two matrices differ, row by row."""
    return [(i, j) for i, row in enumerate(key) for j, value in enumerate(row) if other[i][j] != value]


def list_other_slips(sheet: Sheet, slip: str, stage: str) -> list[Matrix | None]:
    """Return what the other slips at a stage give: where two look alike, neither is named."""
    mechanism = sheet.problem.mechanism
    context = StageContext(
        mechanism, mechanism.get_stage(stage), sheet.problem.hand_arithmetic, sheet.solution.collect_hand_values()
    )
    return [each.compute_wrong(context) for each in find_slips(context.stage) if each.id != slip]


def plant_slip(sheet: Sheet, wanted: int) -> tuple[dict[str, Any], ExpectedLine]:
    """Make a slip and carry it on: that stage's changed cells are wrong, all later ones right or following."""
    key = sheet.solution.collect_hand_values()
    for slip, stage in (*SLIPS[wanted:], *SLIPS[:wanted]):
        values = make_slip(sheet, slip, stage)
        off = find_differing_cells(key[stage], values[stage])
        says_nothing = len({value for row in values[stage] for value in row}) == 1  # and then earns nothing later
        if len(off) < 2 or says_nothing or values[stage] in list_other_slips(sheet, slip, stage):
            continue
        later = [name for name in STAGES if list(STAGES).index(name) > list(STAGES).index(stage)]
        follows = sum(len(find_differing_cells(key[name], values[name])) for name in later)
        i, j = off[0]
        truth = ExpectedLine(
            lost_cells=Counter({stage: len(off)}),
            slip=f"{stage}: {SLIP_WORDS[slip]}",
            first_departure=f"{stage}[{i + 1},{j + 1}]",
        )
        truth.marks = {"wrong": len(off), "follows": follows}
        return write_answers(sheet, values), truth
    raise AssertionError


def hand_in(folder: Path, number: int) -> ExpectedLine:
    """Put what a student handed in into the folder, and return what is true of it."""
    sheet, kind = make_student_sheet(number), number % 12
    rows, truth = write_key(sheet), ExpectedLine(file=f"{number:03d}.json")
    text: str | None = None
    if kind in (1, 2, 3, 4):
        rows, truth = plant_slip(sheet, kind - 1)
        truth.file = f"group {kind}/{number:03d}.json"
    elif kind == 5:
        rows["Z"] = [["" for _ in row] for row in rows["Z"]]
        truth.lost_cells["Z"] = truth.marks["blank"] = STAGES["Z"]
    elif kind == 6:
        rows = write_key(sheet, write_oddly)
    elif kind == 7:
        rows["Z"][0][0] = "1,234"
        truth.lost_cells["Z"] = truth.marks["unreadable"] = 1
        truth.first_departure = "Z[1,1]"
    elif kind == 8:
        rows["K"][1][2] = "77"  # all that comes of it is worked from the key's value instead
        truth.lost_cells["K"] = truth.marks["wrong"] = 1
        truth.first_departure, truth.slip = "K[2,3]", f"K: {SLIP_WORDS['single-cell']}"
        rows = {name: rows[name] for name in ("Q", "K", "V")}
        truth.lost_cells |= Counter({name: cells for name, cells in STAGES.items() if name not in rows})
        truth.marks["blank"] = sum(truth.lost_cells.values()) - 1
    elif kind == 9:
        truth.file, text = f"{number:03d}.csv", render_csv(sheet.key).replace(",", ";")
    elif kind == 10:
        return ExpectedLine(remark="nothing handed in")
    elif kind == 11:
        return ExpectedLine(paper_marks={"Q": 6, "S": number % 10, "Z": 0}, remark="marked on paper")
    path = folder / truth.file
    path.parent.mkdir(exist_ok=True)
    path.write_text(text or make_answer_file(sheet, rows, with_sheet=number % 2 == 0), encoding="utf-8")
    return truth


PRINTED_NAMES = {"sums": "Σ"}
"""What sheets print for a stage, where it is not its name."""


def make_expected_line(seat: Seat, truth: ExpectedLine) -> dict[str, str]:
    """Return a line of the gradebook that says what is true."""
    line = {"No.": seat.printed_number, "name": seat.name, "id": seat.student.id, "code": seat.code, "file": truth.file}
    line |= {"email": seat.student.email, "group": seat.student.group}
    line |= {"first departure": truth.first_departure, "slips": truth.slip, "remark": truth.remark}
    if truth.paper_marks:
        line |= {PRINTED_NAMES.get(name, name): str(marks) for name, marks in truth.paper_marks.items()}
        line |= {
            "score": str(sum(truth.paper_marks.values())),
            "of": str(sum(STAGES[name] for name in truth.paper_marks)),
        }
    elif truth.file:
        line |= {PRINTED_NAMES.get(name, name): str(cells - truth.lost_cells[name]) for name, cells in STAGES.items()}
        all_cells, lost = sum(STAGES.values()), sum(truth.lost_cells.values())
        counts = dict.fromkeys(("correct", "follows", "wrong", "blank", "unreadable"), 0) | truth.marks
        counts["correct"] = all_cells - sum(truth.marks.values())
        line |= {"score": str(all_cells - lost), "of": str(all_cells)} | {k: str(n) for k, n in counts.items()}
        # who hands in the solved CSV hands in its answers to questions too
        line |= {
            "questions": "5" if truth.file.endswith((".csv", ".xlsx", ".ods")) else "0",
            "questions of": "5",
        }
    return line


def gradebook(path: str = "gradebook.csv") -> list[dict[str, str]]:
    """Return the gradebook's lines as a spreadsheet reads them, without the digest."""
    rows = csv.DictReader(io.StringIO(Path(path).read_text(encoding="utf-8-sig"), newline=""))
    return [row for row in rows if not row["No."].startswith("attnhand-digest")]


class Page(HTMLParser):
    """A page's texts, and what it would load or run."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.loaded: list[str] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note what there is."""
        self.tags.append(tag)
        self.loaded += [str(value) for name, value in attrs if name in ("src", "href", "style") or name[:2] == "on"]

    def handle_data(self, data: str) -> None:
        """Note what is said."""
        self.text += data


def list_entries() -> list[Seat]:
    """Return who is in the class, with their codes."""
    return [
        Seat(
            number=n,
            student=Student(
                name=f"Student {n}" if n != 13 else "=SUM(A1)",
                id=f"s{n}",
                email=f"s{n}@example.org",
                group="Tue" if n % 3 else "Mon 8/10",
            ),
            code=make_student_sheet(n).code,
        )
        for n in range(1, SIZE + 1)
    ]


def write_class(folder: Path) -> None:
    """Write the index, and beside it what the class was made with."""
    folder.mkdir()
    (folder / "index.csv").write_bytes(add_digest(format_index_csv(list_entries()).encode("utf-8-sig"), "csv"))
    (folder / "class.toml").write_text(format_class_toml(ClassFile(seed=1, salt=stretch_salt(SALT))), encoding="utf-8")


def hand_in_without_code(folder: Path) -> dict[int, ExpectedLine]:
    """Put in what says its № alone, inside or in its name, and what cannot be read but says whose it is."""
    truths = {}
    for number, file, inside in ((48, "048 homework.json", {}), (60, "homework.json", {"name": "060 student 60"})):
        Path(folder, f"{number:03d}.json").unlink()
        Path(folder, file).write_text(json.dumps({"answers": write_key(make_student_sheet(number)), **inside}))
        truths[number] = ExpectedLine(file=file)
    Path(folder, "018.json").unlink()
    turned = {name: [*zip(*rows, strict=True)] for name, rows in write_key(make_student_sheet(18)).items()}
    Path(folder, "018.json").write_text(make_answer_file(make_student_sheet(18), turned))
    truths[18] = ExpectedLine(file="018.json", remark="worked with rows as columns")
    Path(folder, "030.json").unlink()
    table = csv.reader(render_csv(make_student_sheet(30).key).splitlines())
    Path(folder, "030.xlsx").write_bytes(write_xlsx([*table]))
    truths[30] = ExpectedLine(file="030.xlsx")
    Path(folder, "021.csv").unlink()
    table = csv.reader(render_csv(make_student_sheet(21).key).splitlines())
    Path(folder, "021.ods").write_bytes(write_ods([*table]))
    truths[21] = ExpectedLine(file="021.ods")
    for number, save in (
        (5, save_like_poppler), (17, save_like_acrobat), (29, save_like_preview), (41, fill_with_pdfium),
    ):  # fmt: skip
        Path(folder, f"{number:03d}.json").unlink()
        sheet = make_student_sheet(number)
        form = render_pdf(replace(sheet, options=PageOptions(fillable=True)).blank)
        values = {name: text for name, text in make_perfect_values(sheet).items() if name[0] != "Z"}
        Path(folder, f"{number:03d}.pdf").write_bytes(save(form, values))
        truths[number] = ExpectedLine(file=f"{number:03d}.pdf", lost_cells=Counter(Z=STAGES["Z"]), marks={"blank": 6})
    Path(folder, "006.json").unlink()
    sheet = make_student_sheet(6)
    mail = write_mail("Here it is!", {"my answers.json": make_answer_file(sheet, write_key(sheet))})
    Path(folder, "006.eml").write_bytes(mail)
    truths[6] = ExpectedLine(file="006.eml")
    cut = make_answer_file(make_student_sheet(42), {})[:-9].encode()
    for number, file, data, reason in (
        (36, "036_essay.docx", write_zip({"word/document.xml": b"<w/>"}), "is a document or an archive"),
        (42, "042.json", cut, "is not valid JSON"),
        (54, "Student 54.jpg", b"\xff\xd8\xff\xe0" + bytes(99), "is a picture: mark it by eye"),
    ):
        Path(folder, f"{number:03d}.json").unlink()
        Path(folder, file).write_bytes(data)
        truths[number] = ExpectedLine(remark=f"handed in, not readable: {file} {reason}")
    return truths


def test_the_gradebook_of_a_class_is_the_planted_truth() -> None:
    """Sixty answer, with slips, blanks and odd spellings, twice, on paper, as strangers, with files that are none."""
    folder = Path("answers")
    folder.mkdir()
    write_class(Path("teacher"))
    truths = {entry.number: hand_in(folder, entry.number) for entry in list_entries()}
    marks = [["№", "name", *STAGES]]
    marks += [
        [f"{n:03d}", f"Student {n}", *(str(truth.paper_marks.get(name, "")) for name in STAGES)]
        for n, truth in truths.items()
        if n != 13
    ]
    # № 12 handed in a file too: what was marked on paper counts at its stage
    marks = [row if row[0] != "012" else ["012", "Student 12", "5", *[""] * 8] for row in marks]
    Path("teacher/marks.csv").write_text("".join(",".join(row) + "\r\n" for row in marks), encoding="utf-8-sig")
    truths[12].lost_cells["Q"], truths[12].remark = 1, "Q by the marks on paper"
    again = folder / "again.json"
    again.write_text(make_answer_file(make_student_sheet(24), {}), encoding="utf-8")
    truths[24].file = ""
    truths[24].remark = "handed in 2 times, none counts: 024.json (63 of 63), again.json (0 of 63)"
    stranger = attnhand.generate(3, level="warm-up")
    (folder / "stranger.json").write_text(make_answer_file(stranger, write_key(stranger)), encoding="utf-8")
    truths |= hand_in_without_code(folder)
    copied = json.loads(make_answer_file(make_student_sheet(10), write_key(make_student_sheet(10)))) | {
        "name": "Student 9"
    }
    (folder / "swapped.json").write_text(json.dumps(copied), encoding="utf-8")
    aside = "to be looked at, not scored: swapped.json it says Student 9, but its sheet is that of № 010 Student 10"
    truths[9].remark = aside
    not_answers = {
        "a cut.json": (
            make_answer_file(make_student_sheet(1), write_key(make_student_sheet(1)))[:-9].encode(),
            "is not valid JSON",
        ),
        "b essay.docx": (write_zip({"word/document.xml": b"<w/>"}), "is a document or an archive"),
        "c photo.jpg": (
            b"\xff\xd8\xff\xe0" + bytes(99),
            "is a picture: mark it by eye",
        ),
        "d page.html": (render_html(make_student_sheet(1).blank).encode(), "is the web page itself"),
        "e empty.csv": (b"", "is empty"),
        "f other salt.json": (
            make_answer_file(other := attnhand.generate(1, salt="another one, please"), write_key(other)).encode(),
            "the salt is not that of the code",
        ),
    }
    for name, (data, _) in not_answers.items():
        (folder / name).write_bytes(data)
    (folder / ".DS_Store").write_bytes(b"\0")
    (folder / "~gradebook.csv").write_text("№,name,id,code\n", encoding="utf-8")
    before = read_files(folder)

    ran = run_well("grade", "answers", "--roster", "teacher/index.csv", "--marks", "teacher/marks.csv")

    assert read_files(folder) == before
    lines = gradebook()
    for entry, line in zip(list_entries(), lines, strict=False):
        expected = {name: text for name, text in make_expected_line(entry, truths[entry.number]).items() if text}
        expected["name"] = "'=SUM(A1)" if entry.number == 13 else expected["name"]
        if "not readable" in (remark := expected.get("remark", "")):  # why, with what to do
            assert line["remark"].startswith(remark)
            expected["remark"] = line["remark"]
        assert {name: text for name, text in line.items() if text} == expected
    assert [(line["file"], line["score"]) for line in lines[SIZE:]] == [
        ("stranger.json", ""),
        *((name, "") for name in not_answers),
    ]
    reasons = [line["remark"] for line in lines[SIZE:]]
    assert reasons[0] == "matches nobody: its sheet is nobody's in the index"
    for reason, (_, message) in zip(reasons[1:], not_answers.values(), strict=True):
        assert reason.startswith(f"not marked: {message}")
    slips = Counter(truth.slip for truth in truths.values() if truth.slip)
    check_summary(ran.text, ran.lines, slips, list(not_answers))


OPEN_LINES = "6 lines to decide in review.csv."
"""Of those who have 1,234 in a cell, № 7, 19, 31, 43 and 55; and of the swapped sheet."""


def check_summary(text: str, lines: list[str], slips: Counter[str], not_answers: list[str]) -> None:
    """Hold the summary, in the terminal and as a page, against what was planted."""
    assert lines[-7:-4] == ["gradebook.csv", "review.csv", "review.xlsx"]
    assert lines[-4:] == ["summary.html", "summary-Mon 8 10.html", "summary-Tue.html", OPEN_LINES]
    assert max(map(len, lines)) <= 80
    assert lines[1].startswith("51 of 60 students marked; 5 of them on paper;")
    page = Path("summary.html").read_text(encoding="utf-8")
    assert is_untouched(page.encode())
    summary = Page(page)
    assert not {"script", "link", "img", "iframe", "form"} & set(summary.tags)
    assert summary.loaded == []
    assert re.search(
        r"default-src 'none'; style-src 'sha256-[\w+/=]+'; font-src data:; base-uri 'none'; form-action 'none'", page
    )
    for name in (*not_answers, "stranger.json", "swapped.json", "№ 009 Student 9", "№ 024 Student 24"):
        assert name in text
        assert name in summary.text
    for number in (10, 22, 34, 46, 58):
        assert f"№ {number:03d} Student {number}" in summary.text
    absent = summary.text.partition("Nothing handed in (")[2]
    assert absent.startswith("5)")
    assert "Student 36" not in absent, "who handed in what cannot be read is not said to have handed in nothing"
    monday = Page(Path("summary-Mon 8 10.html").read_text(encoding="utf-8")).text
    assert "What came back: group Mon 8/10" in monday
    assert "of 20 students marked" in monday
    for slip, count in slips.items():
        stage = slip.partition(":")[0]
        assert any(line.split()[:2] == [str(count), stage] for line in lines), slip


def test_in_one_folder_by_one_process_or_several_it_is_the_same() -> None:
    """What we wrote about a class is no answer, wherever it lies and whatever it is called; feedback for everyone."""
    # of twelve one hands in nothing, and one on paper
    count, paper_count = choose((14, 12), (30, 26))
    for number in range(1, count + 1):
        hand_in(Path(), number)
    write_class(Path("teacher"))
    given = ("grade", ".", "--roster", "teacher/index.csv", "--reports")
    first = run_well(*given, "--jobs", "1")
    files = read_files()
    assert len(list(Path("feedback").iterdir())) == paper_count
    assert "You seem to have " in Page(Path("feedback/001 Student 1.html").read_text(encoding="utf-8")).text
    assert Path("feedback/013 =SUM(A1).html").exists()
    Path("my marks.csv").write_bytes(Path("gradebook.csv").read_bytes())
    Path("last year.html").write_bytes(Path("summary.html").read_bytes())
    assert run_well(*given, "--jobs", "2") == first
    assert {name: files[name] for name in files} == {name: data for name, data in read_files().items() if name in files}
    alone = run_well("grade", ".", "--salt", SALT)
    assert f"{paper_count} papers marked" in alone.text
    assert "Cannot be marked" not in alone.text


def test_forms_are_matched_by_what_stands_in_their_name_field(form: GetFormPath) -> None:
    """Several have one version: № or name tell whose a form is; without either it is nobody's."""
    sheet = page_sheet("warm-up columns")
    data = fill_with_pypdf(form("warm-up columns").read_bytes(), make_perfect_values(sheet))
    Path("in").mkdir()
    for file, name in (("a.pdf", "047 Ada"), ("b.pdf", "bob"), ("c.pdf", "somebody"), ("d.pdf", "")):
        Path("in", file).write_bytes(fill_with_pypdf(data, {"name": name}))
    entries = [
        Seat(number=number, student=Student(name=name), code=sheet.code) for number, name in ((47, "Ada"), (48, "Bob"))
    ]
    Path("index.csv").write_bytes(format_index_csv(entries).encode("utf-8-sig"))
    ran = run_well("grade", "in", "--roster", "index.csv")
    assert [(row["No."], row["file"], row["score"]) for row in gradebook()] == [
        ("047", "a.pdf", "63"),
        ("048", "b.pdf", "63"),
        ("", "c.pdf", ""),
        ("", "d.pdf", ""),
    ]
    assert "Everything is right: go on." in ran.text


@pytest.mark.parametrize(
    ("spoil", "sentence"),
    [
        (lambda rows: None, "Everything is right: go on."),
        (lambda rows: rows.clear(), "most of the others were left empty."),
        (lambda rows: rows["Z"][0].__setitem__(0, "77"), "the cell most often wrong is Z[1,1], on 3 of 3 papers."),
        (lambda rows: [row.__setitem__(slice(None), ["dog"] * len(row)) for row in rows["Q"]], "count at Q: 0 %."),
    ],
    ids=["all right", "all empty", "one cell", "unreadable"],
)
def test_what_to_teach_again(spoil: Callable[[Any], object], sentence: str) -> None:
    """A class in which nothing is wrong, or all, or the same cell."""
    Path("in").mkdir()
    for number in range(3):
        sheet = attnhand.generate(number, level="warm-up")
        spoil(rows := write_key(sheet))
        Path(f"in/{number}.json").write_text(make_answer_file(sheet, rows), encoding="utf-8")
    assert sentence in " ".join(run_well("grade", "in").text.split())
    assert sentence in Page(Path("summary.html").read_text(encoding="utf-8")).text


def test_names_and_titles_are_text_on_the_page() -> None:
    """Nothing that somebody is called, or has called a file, becomes part of the page."""
    Path("in").mkdir()
    sheet = attnhand.generate(1, level="warm-up")
    Path("in/<script>x<b>.json").write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
    Path(os.fsdecode(b"in/\xff[bold].json")).write_text("{", encoding="utf-8")
    Path("index.csv").write_text(f"№,name,code\n1,<img src=x onerror=alert(1)>,{sheet.code}\n2,[red]Bob,A1\n")
    ran = run_well("grade", "in", "--roster", "index.csv", "--reports")
    assert Path("feedback/001 img src=x onerror=alert(1).html").exists()
    summary = Page(Path("summary.html").read_text(encoding="utf-8"))
    assert not {"script", "img"} & set(summary.tags)
    assert "№ 002 [red]Bob" in ran.text
    assert "\\xff[bold].json: is not valid JSON" in ran.text


def test_what_no_code_holds_is_said_beside_the_index() -> None:
    """Words that are looked up, and the queries that are asked: a file of a code alone is marked as it was asked."""
    options = PageOptions(only_queries=(1, 3))
    sheet = attnhand.generate(7, words="the cat the dog", embed=True, level="warm-up", salt=SALT, options=options)
    Path("in").mkdir()
    Path("in/a.json").write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
    index = [Seat(number=1, code=sheet.code), Seat(number=2, is_spare=True, code="A1")]
    Path("index.csv").write_bytes(format_index_csv(index).encode("utf-8-sig"))
    Path("marks.csv").write_text("№,name,Z\n2,Bob,5\n", encoding="utf-8")
    class_options: dict[str, str | int | bool] = {"words": "the cat the dog", "embed": True, "only_queries": "1,3"}
    Path("class.toml").write_text(
        format_class_toml(ClassFile(seed=1, salt=stretch_salt(SALT), options=class_options)), encoding="utf-8"
    )
    run_well("grade", "in", "--roster", "index.csv")
    (row,) = gradebook()  # nobody took the spare sheet
    assert (row["score"], row["of"]) == (str(sheet.answer_cell_count), str(sheet.answer_cell_count))
    assert "but that stage has 4 cells" in run_refused("grade", "in", "--roster", "index.csv", "--marks", "marks.csv")
    Path("marks.csv").write_text("№,name,Z\n2,Bob,3\n", encoding="utf-8")
    run_well("grade", "in", "--roster", "index.csv", "--marks", "marks.csv")
    assert [(row["No."], row["score"], row["of"]) for row in gradebook()][1:] == [("002", "3", "4")]


# what is refused


def write_perfect_answers(name: str = "in/a.json") -> None:
    """Write one perfect answer file."""
    sheet = attnhand.generate(1, level="warm-up")
    Path(name).parent.mkdir(exist_ok=True)
    Path(name).write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
    Path("index.csv").write_text(f"№,name,code\n1,Ada,{sheet.code}\n", encoding="utf-8")


def test_what_cannot_be_graded_is_refused() -> None:
    """No folder, nothing in it, nothing that can be marked; an index or marks that are none."""
    assert run_refused("grade", "none") == "'none' is not there: give the folder with what was handed in"
    write_perfect_answers()
    assert "is neither a folder nor a zip" in run_refused("grade", "in/a.json")
    Path("empty").mkdir()
    assert run_refused("grade", "empty") == "empty holds no answer file: give the folder with what was handed in"
    Path("empty/x.docx").write_bytes(write_zip({"word/document.xml": b"<w/>"}))
    assert "1 that cannot; the first, x.docx, is a document" in run_refused("grade", "empty")
    assert "--roster none.csv is not there: give teacher/index.csv" in run_refused(
        "grade", "in", "--roster", "none.csv"
    )
    assert "--roster in is not a file" in run_refused("grade", "in", "--roster", "in")
    Path("names.csv").write_text("name\nAda\n", encoding="utf-8")
    assert "names.csv is no index of a class" in run_refused("grade", "in", "--roster", "names.csv")
    assert "add --roster teacher/index.csv" in run_refused("grade", "in", "--marks", "marks.csv")
    both = ("grade", "in", "--roster", "index.csv", "--marks", "marks.csv")
    assert "--marks marks.csv is not there" in run_refused(*both)
    Path("marks.csv").write_text("№,Q\n1,99\n", encoding="utf-8")
    message = "marks.csv has '99' in line 2, column Q (№ 001), but that stage has 6 cells: write 0 to 6"
    assert run_refused(*both).startswith(message)
    assert "--jobs 0 is out of range: use 1 or more" in run_refused("grade", "in", "--jobs", "0")
    assert "--salt is empty" in run_refused("grade", "in", "--salt", "")


def test_marks_on_paper_alone_make_a_gradebook() -> None:
    """Nobody handed in a file: the sheets of the index say how many cells a stage has."""
    write_perfect_answers()
    Path("empty").mkdir()
    Path("marks.csv").write_text("№,name,Q,Z\n1,Ada,6,2.5\n", encoding="utf-8")
    ran = run_well("grade", "empty", "--roster", "index.csv", "--marks", "marks.csv")
    (row,) = gradebook()
    assert (row["score"], row["of"], row["Q"], row["Z"], row["remark"]) == ("8.5", "12", "6", "2.5", "marked on paper")
    assert "1 of 1 student marked; 1 of them on paper; 71 % of the cells count." in ran.text


def test_what_somebody_wrote_is_never_replaced() -> None:
    """A gradebook, page or feedback that was changed stays, and nothing else is written."""
    write_perfect_answers()
    given = ("grade", "in", "--roster", "index.csv", "--reports", "--out", "made")
    run_well(*given)
    run_well(*given)
    for name in ("gradebook.csv", "summary.html", "feedback/001 Ada.html"):
        path = Path("made", name)
        path.write_bytes(path.read_bytes() + b"mine")
        assert f"{path} exists and is not as this program wrote it" in run_refused(*given)
        run_well(*given, "--force")
    Path("file").write_text("")
    assert run_refused("grade", "in", "--out", "file").startswith("file cannot be written (a file stands where")


def test_a_terminal_shows_how_far_it_has_come(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bar on stderr with rate and time left; nothing where nobody sees it."""
    from attnhand.cli.progress import show_progress

    for terminal in (True, False):
        stream = io.StringIO()
        monkeypatch.setattr(stream, "isatty", lambda terminal=terminal: terminal, raising=False)
        monkeypatch.setattr(sys, "stderr", stream)
        monkeypatch.setenv("TERM", "xterm")
        with show_progress(50, "marking") as advance:
            for _ in range(50):
                advance(1)
        assert ("marking" in stream.getvalue(), "50/50" in stream.getvalue()) == (terminal, terminal)


def test_every_file_is_read_once(work_here: None, monkeypatch: pytest.MonkeyPatch) -> None:
    """A hundred answers over a slow network are not fetched twice."""
    read: list[str] = []
    usual = files.read_file

    def count(path: Path, *args: Any, **named: Any) -> bytes:
        read.append(path.name)
        return usual(path, *args, **named)

    monkeypatch.setattr("attnhand.marking.submission.read_file", count)
    for seed in ("7", "8", "9"):
        run_well("generate", "--seed", seed, "--csv", "--solved", "--out", f"in/{seed}.csv")
    run_well("grade", "in")
    assert sorted(read) == ["7.csv", "8.csv", "9.csv"]


def test_answers_to_somebody_elses_sheet_are_set_aside() -> None:
    """Named in the remark and not scored, whether the other handed in or not; who is merely wrong keeps the marks."""
    sheets = {number: make_student_sheet(number) for number in range(1, 5)}
    seats = tuple(
        Seat(number=number, student=Student(name=f"S{number}"), seed=500 + number, code=sheet.code)
        for number, sheet in sheets.items()
    )
    Path("index.csv").write_bytes(format_index_csv(seats).encode("utf-8-sig"))
    Path("in").mkdir()
    wrong = write_key(sheets[4])
    wrong["Q"] = [["7"] * len(row) for row in wrong["Q"]]
    handed_in = {1: write_key(sheets[1]), 2: write_key(sheets[1]), 3: write_key(sheets[4]), 4: wrong}
    for number, rows in handed_in.items():
        if number != 4:
            Path(f"in/{number}.json").write_text(make_answer_file(sheets[number], rows))
    run_well("grade", "in", "--roster", "index.csv", "--salt", SALT)
    lines = gradebook()
    assert [(line["score"], line["remark"]) for line in lines] == [
        ("63", ""),
        ("", "to be looked at, not scored: 2.json holds the answers to another sheet, that of № 001 S1"),
        ("", "to be looked at, not scored: 3.json holds the answers to another sheet, that of № 004 S4"),
        ("", "nothing handed in"),
    ]
    Path("in/4.json").write_text(make_answer_file(sheets[4], wrong))
    run_well("grade", "in", "--roster", "index.csv", "--salt", SALT, "--force")
    assert gradebook()[3]["remark"] == ""
    assert 12 <= int(gradebook()[3]["score"]) < 63


def test_a_run_clears_away_what_a_killed_one_left() -> None:
    """Of its own alone; and two never write into one folder at once."""
    for folder in ("in", "made/.attnhand-new", "made/.attnhand-mine"):
        Path(folder).mkdir(parents=True)
        Path(folder, "0").write_text("half of a report", encoding="utf-8")
    Path("in/1.csv").write_text(render_csv(make_student_sheet(1).key), encoding="utf-8")
    command = ("grade", "in", "--salt", SALT, "--out", "made")
    with hold_passing_folder(Path("made"), ""):
        assert re.match(r"made is being written by another run: wait until it has ended", run_refused(*command))
    Path("made/.attnhand-lock").touch()
    run_well(*command)
    assert {path.name for path in Path("made").iterdir()} == {*MAIN_FILES, ".attnhand-mine"}


def test_papers_without_a_class_are_spoken_of_in_their_language() -> None:
    """All in one language: in it; in several, or as it is asked for: in one, slips too."""
    for number, language in enumerate(("de", "de", "fr")):
        sheet = attnhand.generate(7, language=language)
        answers = write_answers(sheet, make_slip(sheet, "truncated", "scaled"))
        folder = Path("de" if language == "de" else "mixed")
        for place in {folder, Path("mixed")}:
            place.mkdir(exist_ok=True)
            (place / f"{number}.json").write_text(make_answer_file(sheet, answers), encoding="utf-8")
    assert "zur Null hin statt nach unten gerundet" in run_well("grade", "de").text
    english = run_well("grade", "mixed", "--out", "mixed-marks").text
    assert "seem to have rounded toward zero instead of down" in " ".join(english.split())
    assert "Noch einmal" in run_well("grade", "mixed", "--language", "de", "--out", "mixed-de").text


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_class_is_summed_up_in_every_language(language: str) -> None:
    """With the slip, and the marks of every stage, said in it."""
    sheet = attnhand.generate(7, language=language)
    answers = write_answers(sheet, make_slip(sheet, "truncated", "scaled"))
    Path("papers").mkdir()
    Path("papers/one.json").write_text(make_answer_file(sheet, answers), encoding="utf-8")
    text = " ".join(run_well("grade", "papers").text.split())
    assert " ".join(get_language(language).format("slip.truncated").split()) in text
