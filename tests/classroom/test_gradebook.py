"""A class's papers: matched to people by their sheets, counted once, and what they show."""

import csv
import io
from dataclasses import replace
from decimal import Decimal

import attnhand
from attnhand.classroom.gradebook import Gradebook, Paper, Row, gradebook, gradebook_csv
from attnhand.classroom.matching import Entry, Signature
from attnhand.classroom.summary import lesson, summary
from attnhand.sheet.sheet import Sheet
from tests.marking.handing_in import key_texts, slipped, texts

SHEETS = [attnhand.generate(seed, level="warm-up") for seed in range(4)]
INDEX = [
    Entry(number=number, code=sheet.code.lower(), name=name)
    for number, (sheet, name) in enumerate(zip(SHEETS, ("Ada", "Bob", "Cy", "Di"), strict=True), 1)
]


def paper(file: str, sheet: Sheet, rows: dict[str, list[list[str]]]) -> Paper:
    """Return a paper with these answers."""
    return Paper(file=file, checked=attnhand.check(rows, sheet))


def the_class() -> list[Paper]:
    """Return what came back: one perfect, one with a slip, two by one student, a stranger's, one that is no paper."""
    stranger = attnhand.generate(99)
    return [
        paper("bob.json", SHEETS[1], texts(SHEETS[1], slipped(SHEETS[1], "times-not-power", "powers"))),
        paper("ada.json", SHEETS[0], key_texts(SHEETS[0])),
        paper("cy.json", SHEETS[2], key_texts(SHEETS[2])),
        paper("cy-again.json", SHEETS[2], {}),
        paper("who.json", stranger, key_texts(stranger)),
        Paper(file="notes.txt", problem="is neither an answer file in JSON nor the CSV of a sheet"),
    ]


def test_everyone_has_a_row_and_nothing_is_dropped() -> None:
    """Whoever handed in twice is listed with both, and counts once a choice is made."""
    papers = the_class()
    bob, ada, first, second, stranger, notes = papers
    assert gradebook(papers, INDEX) == Gradebook(
        rows=(
            Row(entry=INDEX[0], paper=ada),
            Row(entry=INDEX[1], paper=bob),
            Row(entry=INDEX[2], paper=None, others=(first, second)),
            Row(entry=INDEX[3], paper=None),
        ),
        strangers=(replace(stranger, problem="its sheet is nobody's in the index"),),
        unreadable=(notes,),
    )
    chosen = gradebook([each for each in papers if each is not second], INDEX)
    assert chosen.rows[2] == Row(entry=INDEX[2], paper=first)


def test_without_an_index_every_paper_is_a_row() -> None:
    """In the order of files."""
    papers = the_class()
    book = gradebook(papers)
    assert [row.paper for row in book.rows] == papers[:5]
    assert book.unreadable == (papers[5],)
    assert papers[1].counted == SHEETS[0].cells_to_fill


def test_the_lesson_of_a_class() -> None:
    """Of two papers that count, one took powers for multiples: that stage is half known, and its slip is named once."""
    told = lesson(gradebook(the_class(), INDEX))
    wrong = sum(
        right != other
        for right_row, other_row in zip(
            key_texts(SHEETS[1])["powers"],
            texts(SHEETS[1], slipped(SHEETS[1], "times-not-power", "powers"))["powers"],
            strict=True,
        )
        for right, other in zip(right_row, other_row, strict=True)
    )
    assert told.by_stage["powers"].share == (18 - wrong) / 18
    assert {known.share for stage, known in told.by_stage.items() if stage != "powers"} == {1.0}
    ((stage, slip, count, example),) = [
        (each.stage, each.slip, each.count, each.example.paper and each.example.paper.file) for each in told.slips
    ]
    assert (stage, slip, count, example) == ("powers", "times-not-power", 1, "bob.json")
    assert len(told.wrong) == SHEETS[0].cells_to_fill
    off = {cell: count for cell, count in told.wrong.items() if count}
    assert len(off) == wrong
    assert all(cell.startswith("powers[") and count == 1 for cell, count in off.items())
    cells = SHEETS[1].cells_to_fill
    assert told.scores == ((cells - wrong) / cells, 1.0)
    assert lesson(gradebook([])).by_stage == {}


def table(book: Gradebook) -> list[dict[str, str]]:
    """Return the gradebook's rows as a spreadsheet reads them."""
    return list(csv.DictReader(io.StringIO(gradebook_csv(book), newline="")))


def test_the_gradebook_is_a_table() -> None:
    """Everyone by number, then what nobody can be matched to; only what counts has a score."""
    ada, bob, cy, di, stranger, notes = table(gradebook(the_class(), INDEX))
    cells = SHEETS[0].cells_to_fill
    assert (ada["№"], ada["name"], ada["file"], ada["score"], ada["of"]) == (
        "001",
        "Ada",
        "ada.json",
        str(cells),
        str(cells),
    )
    assert (ada["Q"], ada["Z"], ada["first departure"], ada["slips"], ada["remark"]) == ("6", "6", "", "", "")
    assert bob["slips"] == "powers: times-not-power"
    assert bob["first departure"].startswith("powers[")
    assert int(bob["score"]) == int(bob["correct"]) + int(bob["follows"])
    assert int(bob["wrong"]) == 9 - int(bob["powers"])
    told = f"handed in 2 times, none counts: cy.json ({cells} of {cells}), cy-again.json (0 of {cells})"
    assert (cy["score"], cy["remark"]) == ("", told)
    assert (di["score"], di["remark"]) == ("", "nothing handed in")
    assert (stranger["file"], stranger["score"]) == ("who.json", "")
    assert stranger["remark"] == "matches nobody: its sheet is nobody's in the index"
    assert notes["remark"] == "not marked: is neither an answer file in JSON nor the CSV of a sheet"


def test_names_that_look_like_formulas_stay_texts() -> None:
    """A spreadsheet runs nothing that a student is called, or has called a file."""
    entry = Entry(number=1, code=SHEETS[0].code, name="=cmd|' /C calc'!A0", id="+1")
    (row,) = table(gradebook([paper("@a.json", SHEETS[0], {})], [entry]))
    assert row["remark"] == "every cell is empty"
    assert (row["name"], row["id"], row["file"]) == ("'=cmd|' /C calc'!A0", "'+1", "'@a.json")


def test_versions_are_told_apart_by_their_number() -> None:
    """Two people with one sheet: their papers are theirs where they say the number, and nobody's where they do not."""
    sheet = SHEETS[0]
    index = [Entry(number=1, code=sheet.code), Entry(number=2, code=sheet.code)]
    one, two, unsaid = (
        replace(paper(f"{number}.json", sheet, key_texts(sheet)), signature=Signature(number))
        for number in (1, 2, None)
    )
    book = gradebook([two, unsaid, one], index)
    assert [row.paper for row in book.rows] == [one, two]
    (stranger,) = book.strangers
    assert stranger.file == unsaid.file
    assert stranger.problem == "it does not say whose it is, but its sheet is that of № 001, № 002"


def test_marks_on_paper_count_where_no_file_does() -> None:
    """A file and marks on paper by one student: both are listed, neither counts."""
    papers = the_class()
    on_paper = {1: {"Q": (Decimal(3), 6)}, 4: {"Q": (Decimal("5.5"), 6), "K": (Decimal(6), 6)}}
    book = gradebook(papers, INDEX, on_paper)
    assert book.rows[0] == Row(entry=INDEX[0], others=(papers[1],), on_paper=on_paper[1])
    ada, _, _, di, *_ = table(book)
    cells = SHEETS[0].cells_to_fill
    told = f"handed in ada.json ({cells} of {cells}) and marked on paper (3), neither counts: leave out one of the two"
    assert (ada["score"], ada["Q"], ada["remark"]) == ("", "", told)
    assert (di["score"], di["of"], di["Q"], di["K"], di["Z"]) == ("11.5", "12", "5.5", "6", "")
    assert (di["correct"], di["remark"]) == ("", "marked on paper")
    assert [row.entry for row in book.marked] == [INDEX[1], INDEX[3]]
    assert lesson(book).by_stage["Q"].of == 12


def test_stages_stand_in_the_order_of_the_sheet() -> None:
    """Whoever marks by eye may leave out the first stage of the first paper, and mark the first stage of another."""
    on_paper = {1: {"K": (Decimal(3), 6)}, 2: {"Q": (Decimal(6), 6), "K": (Decimal(6), 6)}}
    book = gradebook([], INDEX, on_paper)
    assert book.stages == tuple(lesson(book).by_stage) == ("Q", "K")
    assert "unreadable,Q,K,first departure" in gradebook_csv(book).splitlines()[0]


def test_slips_are_counted_among_the_papers_that_can_show_them() -> None:
    """Marks on paper say nothing of slips."""
    papers = [paper("bob.json", SHEETS[1], texts(SHEETS[1], slipped(SHEETS[1], "times-not-power", "powers")))]
    book = gradebook([*papers, paper("ada.json", SHEETS[0], key_texts(SHEETS[0]))], INDEX, {4: {"Q": (Decimal(6), 6)}})
    first, *_ = summary(book, SHEETS[0]).teach
    assert "powers, 1 of 2 " in first


def test_a_spare_sheet_is_whose_name_is_on_it() -> None:
    """Who took it has a row as anybody else, with a remark; a spare sheet that nobody took has none."""
    index = [INDEX[0], replace(INDEX[1], name="", options="spare"), replace(INDEX[2], name="", options="spare")]
    taken = replace(paper("spare.json", SHEETS[1], key_texts(SHEETS[1])), signature=Signature(None, "ada"))
    (row,) = table(gradebook([taken], index))
    assert (row["№"], row["name"], row["code"], row["remark"]) == ("001", "Ada", SHEETS[1].code, "on a spare sheet")
