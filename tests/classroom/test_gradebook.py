"""A class's papers: matched to people by their sheets, counted once, and what they show."""

import csv
import io
import re
from dataclasses import replace
from decimal import Decimal

import pytest

import attnhand
from attnhand.classroom.gradebook import (
    Gradebook,
    GradebookRow,
    StageMarks,
    UnreadablePaper,
    build_gradebook,
    format_gradebook_csv,
)
from attnhand.classroom.summary import build_summary, collect_results
from attnhand.classroom.summary_views import render_summary, render_summary_html
from attnhand.marking.checked import CheckResult
from attnhand.sheet.questions import build_questions
from attnhand.sheet.seat import Seat, Student
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES, Message, get_language
from tests.marking.handing_in import make_slip, write_answers, write_key

SHEETS = [attnhand.generate(seed, level="warm-up") for seed in range(4)]
INDEX = [
    Seat(number=number, student=Student(name=name), code=sheet.code.lower())
    for number, (sheet, name) in enumerate(zip(SHEETS, ("Ada", "Bob", "Cy", "Di"), strict=True), 1)
]


NOTES = UnreadablePaper(file="notes.txt", reason="is neither an answer file in JSON nor the CSV of a sheet")
"""What is no paper."""


def paper(file: str, sheet: Sheet, rows: dict[str, list[list[str]]]) -> CheckResult:
    """Return a paper with these answers."""
    return replace(attnhand.check(rows, sheet), file=file)


def make_class_papers() -> list[CheckResult]:
    """Return what came back: one with a slip, one perfect, two by one student, a stranger's."""
    stranger = attnhand.generate(99)
    return [
        paper("bob.json", SHEETS[1], write_answers(SHEETS[1], make_slip(SHEETS[1], "times-not-power", "powers"))),
        paper("ada.json", SHEETS[0], write_key(SHEETS[0])),
        paper("cy.json", SHEETS[2], write_key(SHEETS[2])),
        paper("cy-again.json", SHEETS[2], {}),
        paper("who.json", stranger, write_key(stranger)),
    ]


def test_everyone_has_a_row_and_nothing_is_dropped() -> None:
    """Whoever handed in twice is listed with both, and counts once a choice is made."""
    papers = make_class_papers()
    bob, ada, first, second, stranger = papers
    assert build_gradebook(papers, INDEX, unreadable_papers=[NOTES]) == Gradebook(
        rows=(
            GradebookRow(seat=INDEX[0], paper=ada),
            GradebookRow(seat=INDEX[1], paper=bob),
            GradebookRow(seat=INDEX[2], paper=None, uncounted_papers=(first, second)),
            GradebookRow(seat=INDEX[3], paper=None),
        ),
        unmatched_papers=(replace(stranger, uncounted_reason=Message("match.stranger")),),
        unreadable_papers=(NOTES,),
    )
    chosen = build_gradebook([each for each in papers if each is not second], INDEX)
    assert chosen.rows[2] == GradebookRow(seat=INDEX[2], paper=first)


def test_without_an_index_every_paper_is_a_row() -> None:
    """In the order of files."""
    papers = make_class_papers()
    book = build_gradebook(papers, unreadable_papers=[NOTES])
    assert [row.paper for row in book.rows] == papers
    assert book.unreadable_papers == (NOTES,)
    assert papers[1].marks.score == SHEETS[0].answer_cell_count


def test_the_lesson_of_a_class() -> None:
    """Of two papers that count, one took powers for multiples: that stage is half known, and its slip is named once."""
    results = collect_results(build_gradebook(make_class_papers(), INDEX))
    wrong = sum(
        right != other
        for right_row, other_row in zip(
            write_key(SHEETS[1])["powers"],
            write_answers(SHEETS[1], make_slip(SHEETS[1], "times-not-power", "powers"))["powers"],
            strict=True,
        )
        for right, other in zip(right_row, other_row, strict=True)
    )
    assert results.stage_results["powers"].share == (18 - wrong) / 18
    assert {result.share for stage, result in results.stage_results.items() if stage != "powers"} == {1.0}
    ((stage, slip, count, example),) = [
        (each.stage, each.slip, each.count, each.example.paper and each.example.paper.file) for each in results.slips
    ]
    assert (stage, slip, count, example) == ("powers", "times-not-power", 1, "bob.json")
    assert len(results.wrong_counts) == SHEETS[0].answer_cell_count
    off = {cell: count for cell, count in results.wrong_counts.items() if count}
    assert len(off) == wrong
    assert all(cell.startswith("powers[") and count == 1 for cell, count in off.items())
    cells = SHEETS[1].answer_cell_count
    assert results.score_shares == ((cells - wrong) / cells, 1.0)
    assert collect_results(build_gradebook([])).stage_results == {}


def parse_gradebook(book: Gradebook) -> list[dict[str, str]]:
    """Return the gradebook's rows as a spreadsheet reads them."""
    return list(csv.DictReader(io.StringIO(format_gradebook_csv(book, get_language("en")), newline="")))


def test_the_gradebook_is_a_table() -> None:
    """Everyone by number, then what nobody can be matched to; only what counts has a score."""
    book = build_gradebook(make_class_papers(), INDEX, unreadable_papers=[NOTES])
    ada, bob, cy, di, stranger, notes = parse_gradebook(book)
    cells = SHEETS[0].answer_cell_count
    assert (ada["No."], ada["name"], ada["file"], ada["score"], ada["of"]) == (
        "001",
        "Ada",
        "ada.json",
        str(cells),
        str(cells),
    )
    assert (ada["Q"], ada["Z"], ada["first departure"], ada["slips"], ada["remark"]) == ("6", "6", "", "", "")
    assert bob["slips"] == "powers: multiplied by the base instead of raising it to the power"
    assert bob["first departure"].startswith("powers[")
    assert int(bob["score"]) == int(bob["correct"]) + int(bob["follows"])
    assert int(bob["wrong"]) == 9 - int(bob["powers"])
    remark = f"handed in 2 times, none counts: cy.json ({cells} of {cells}), cy-again.json (0 of {cells})"
    assert (cy["score"], cy["remark"]) == ("", remark)
    assert (di["score"], di["remark"]) == ("", "nothing handed in")
    assert (stranger["file"], stranger["score"]) == ("who.json", "")
    assert stranger["remark"] == "matches nobody: its sheet is nobody's in the index"
    assert notes["remark"] == "not marked: is neither an answer file in JSON nor the CSV of a sheet"


@pytest.mark.parametrize("code", sorted(set(LANGUAGES) - {"en"}))
def test_a_gradebook_is_in_one_language(code: str) -> None:
    """Every word of it stands in the file of that language, whatever language a student's own sheet is in."""
    papers = make_class_papers()
    on_paper: dict[int, StageMarks] = {4: {"scaled": (Decimal("5.5"), 6), "sums": (Decimal(2), 3)}}
    sheets = {"bob.json": "en", "ada.json": "pl"}
    papers = [
        replace(each, sheet=each.sheet.in_language(sheets[each.file])) if each.file in sheets else each
        for each in papers
    ]
    unreadable = [replace(NOTES, reason=Message("answers.other"))]
    language = get_language(code)
    for book in (build_gradebook(papers, INDEX, on_paper, unreadable), build_gradebook([], INDEX, on_paper)):
        text = format_gradebook_csv(book, language, SHEETS[0])
        own = " ".join(
            [
                *language.sentences.values(),
                *(str(each.name) for each in INDEX),
                *(each.file for each in papers),
                NOTES.file,
            ]
        )
        codes = {each.sheet.code for each in papers}
        for code_on_sheet in (*codes, *(seat.code for seat in INDEX)):
            text = text.replace(code_on_sheet, "")
        words = set(re.findall(r"[^\W\d_]{3,}", text.replace("attnhand", "")))
        known = set(re.findall(r"[^\W\d_]{3,}", own.replace("\\", "")))
        assert words
        assert words - known == set()
        header, *rows = csv.reader(io.StringIO(text, newline=""), delimiter=";")
        assert {"Σ", language.format("matrix.scaled")} <= set(header)
        assert rows[3][header.index(language.format("matrix.scaled"))] == "5,5"


def test_cells_of_heads_are_named_as_on_the_page() -> None:
    """In the gradebook and the summary, on the screen and in the heat maps."""
    sheet = attnhand.generate(3, mechanism="multi-head", heads=2, level="warm-up")
    rows = write_key(sheet)
    rows["h2.S"][1][0] = "99"
    book = build_gradebook([paper("a.json", sheet, rows)], [Seat(number=1, code=sheet.code)])
    (row,) = parse_gradebook(book)
    assert row["first departure"] == "S[2,1] of head 2"
    assert {"Σ of head 1", "Z of head 2", "output"} <= row.keys()
    summary = build_summary(book, sheet, get_language("en"))
    pages = render_summary(summary) + render_summary_html(summary).decode()
    assert pages.count("S[2,1] of head 2") >= 2
    assert not re.search(r"\bh[12]\.", pages + format_gradebook_csv(book, get_language("en")))


def test_names_that_look_like_formulas_stay_texts() -> None:
    """A spreadsheet runs nothing that a student is called, or has called a file."""
    entry = Seat(number=1, student=Student(name="=cmd|' /C calc'!A0", id="+1"), code=SHEETS[0].code)
    (row,) = parse_gradebook(build_gradebook([paper("@a.json", SHEETS[0], {})], [entry]))
    assert row["remark"] == "every cell is empty"
    assert (row["name"], row["id"], row["file"]) == ("'=cmd|' /C calc'!A0", "'+1", "'@a.json")


def test_versions_are_told_apart_by_their_number() -> None:
    """Two people with one sheet: their papers are theirs where they say the number, and nobody's where they do not."""
    sheet = SHEETS[0]
    index = [Seat(number=1, code=sheet.code), Seat(number=2, code=sheet.code)]
    one, two, unsaid = (
        replace(paper(f"{number}.json", sheet, write_key(sheet)), number=number) for number in (1, 2, None)
    )
    book = build_gradebook([two, unsaid, one], index)
    assert [row.paper for row in book.rows] == [one, two]
    (stranger,) = book.unmatched_papers
    assert stranger.file == unsaid.file
    assert str(stranger.uncounted_reason) == "it does not say whose it is, but its sheet is that of № 001, № 002"


def test_marks_on_paper_count_in_place_of_those_of_a_file() -> None:
    """At their stages, whatever the file has there; the others stay, and the remark says which are which."""
    papers = make_class_papers()
    on_paper = {1: {"Q": (Decimal("2.5"), 6)}, 4: {"Q": (Decimal("5.5"), 6), "K": (Decimal(6), 6)}}
    book = build_gradebook(papers, INDEX, on_paper)
    ada, bob, _, di, *_ = parse_gradebook(book)
    cells = SHEETS[0].answer_cell_count
    found = (ada["score"], ada["of"], ada["Q"], ada["K"], ada["correct"], ada["remark"])
    assert found == (f"{cells - 3.5}", f"{cells}", "2.5", "6", f"{cells}", "Q by the marks on paper")
    assert (di["score"], di["of"], di["Q"], di["K"], di["Z"]) == ("11.5", "12", "5.5", "6", "")
    assert (di["correct"], di["remark"], bob["remark"]) == ("", "marked on paper", "")
    assert [row.seat for row in book.marked_rows] == [INDEX[0], INDEX[1], INDEX[3]]
    assert collect_results(book).stage_results["Q"].marks == Decimal(14)
    assert book.rows[0].paper is not None
    assert book.rows[0].paper.feedback.score.startswith(f"Score: {cells - 3.5} of {cells} cells")


def test_what_was_typed_counts_where_no_file_does() -> None:
    """Of two files that differ none counts; what was marked on paper does."""
    book = build_gradebook(make_class_papers(), INDEX, {3: {"Q": (Decimal(4), 6)}})
    cy = parse_gradebook(book)[2]
    assert (cy["score"], cy["of"]) == ("4", "6")
    assert cy["remark"].startswith("handed in 2 times, none counts: ")
    assert cy["remark"].endswith("; marked on paper")


def test_the_same_handed_in_twice_is_handed_in_once() -> None:
    """Two files with the same answers count as one; a remark says so."""
    ada = paper("ada.json", SHEETS[0], write_key(SHEETS[0]))
    book = build_gradebook([ada, replace(ada, file="ada (1).json")], INDEX)
    row = parse_gradebook(book)[0]
    assert (row["file"], row["score"], row["remark"]) == ("ada.json", row["of"], "handed in 2 times the same")
    other = write_key(SHEETS[0]) | {"Z": [["", ""], ["", ""]]}
    book = build_gradebook([ada, replace(ada, file="b.json"), paper("c.json", SHEETS[0], other)], INDEX)
    assert parse_gradebook(book)[0]["score"] == ""


def test_stages_stand_in_the_order_of_the_sheet() -> None:
    """Whoever marks by eye may leave out the first stage of the first paper, and mark the first stage of another."""
    on_paper = {1: {"K": (Decimal(3), 6)}, 2: {"Q": (Decimal(6), 6), "K": (Decimal(6), 6)}}
    book = build_gradebook([], INDEX, on_paper)
    assert book.stages == tuple(collect_results(book).stage_results) == ("Q", "K")
    assert (
        "unreadable,Q,K,questions,questions of,first departure"
        in format_gradebook_csv(book, get_language("en")).splitlines()[0]
    )


def test_slips_are_counted_among_the_papers_that_can_show_them() -> None:
    """Marks on paper say nothing of slips."""
    papers = [paper("bob.json", SHEETS[1], write_answers(SHEETS[1], make_slip(SHEETS[1], "times-not-power", "powers")))]
    book = build_gradebook(
        [*papers, paper("ada.json", SHEETS[0], write_key(SHEETS[0]))], INDEX, {4: {"Q": (Decimal(6), 6)}}
    )
    first, *_ = build_summary(book, SHEETS[0], get_language("en")).teaching_sentences
    assert "powers, 1 of 2 " in first


def test_a_spare_sheet_is_whose_name_is_on_it() -> None:
    """Who took it has a row as anybody else, with a remark; a spare sheet that nobody took has none."""
    index = [INDEX[0], *(replace(seat, student=Student(), is_spare=True) for seat in INDEX[1:3])]
    taken = replace(paper("spare.json", SHEETS[1], write_key(SHEETS[1])), name="ada")
    (row,) = parse_gradebook(build_gradebook([taken], index))
    assert (row["No."], row["name"], row["code"], row["remark"]) == ("001", "Ada", SHEETS[1].code, "on a spare sheet")


def test_questions_have_columns_of_their_own() -> None:
    """Right ones of all; the score is that of the cells, and whoever handed in nothing has nothing there."""
    asking, silent = SHEETS[0], attnhand.generate(1, level="warm-up", questions="none")
    marked = [question for question in build_questions(asking.key) if question.name]
    first = {marked[0].name: [[marked[0].plain_answer]]}
    papers = [paper("ada.json", asking, write_key(asking) | first), paper("bob.json", silent, write_key(silent))]
    papers.append(paper("cy.json", SHEETS[2], write_key(SHEETS[2])))
    index = [INDEX[0], replace(INDEX[1], code=silent.code), *INDEX[2:]]
    rows = csv.DictReader(io.StringIO(format_gradebook_csv(build_gradebook(papers, index), get_language("en"))))
    found = [(row["score"] == row["of"], row["questions"], row["questions of"]) for row in rows]
    assert found == [(True, "1", "5"), (True, "", ""), (True, "0", "5"), (True, "", "")]
