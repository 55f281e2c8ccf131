"""The list of what is doubtful: read in any language and however it was saved, kept whatever becomes of a paper."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import attnhand
from attnhand.classroom.gradebook import build_gradebook, compose_remark
from attnhand.classroom.ownership import OwnedPaper, set_doubtful_aside
from attnhand.classroom.review import Reviewed, review_papers
from attnhand.classroom.review_table import (
    ReviewLine,
    format_review_rows,
    read_review_files,
    render_review_csv,
    render_review_xlsx,
)
from attnhand.errors import RosterError
from attnhand.marking.checked import CheckResult
from attnhand.marking.decisions import MARKS_OF_VERDICTS, Verdict
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import Seat, Student
from attnhand.text import LANGUAGES, get_language
from tests.marking.handing_in import write_key
from tests.spreadsheet_files import write_ods, write_xlsx

SHEET = attnhand.generate(1, level="warm-up")
SEAT = Seat(number=7, student=Student(name="Ada"), code=SHEET.code)
ENGLISH = get_language("en")
TITLES = "No.,name,code,file,cell,decision"
ASKED = "ask1, ask2, ask3, ask4 or ask5"


def check(**cells: str) -> CheckResult:
    """Return a perfect paper but for some cells of S, by row and column: ``r1c2="?"``."""
    rows = write_key(SHEET)
    for place, text in cells.items():
        rows["S"][int(place[1]) - 1][int(place[3]) - 1] = text
    return replace(attnhand.check(rows, SHEET), file="ada.json")


def review(papers: Sequence[CheckResult], earlier: Sequence[ReviewLine] = (), language: str = "en") -> Reviewed:
    """Review papers of Ada's."""
    owned = [OwnedPaper(paper, SEAT) for paper in papers]
    return review_papers(owned, earlier, get_language(language), has_index=True)


def read(text: str | bytes, name: str = "review.csv", language: str = "en") -> tuple[ReviewLine, ...]:
    """Read a list of decisions."""
    Path(name).write_bytes(text.encode() if isinstance(text, str) else text)
    return read_review_files([Path(name)], [SEAT], get_language(language))


@pytest.fixture(autouse=True)
def _folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("code", LANGUAGES)
def test_what_is_written_in_a_language_is_read_again(code: str) -> None:
    """All of it, as CSV, as ours, as a spreadsheet's; every word for a decision is known, and no two are the same."""
    language = get_language(code)
    line = review([check(r1c1="1,234", r2c2="=cmd")], language=code).lines
    assert [each.cell for each in line] == ["S[1,1]", "S[2,2]"]
    say = language.format
    for verdict in Verdict:
        words = [say(f"review.{verdict}"), *say(f"review.{verdict}.also").split(",")]
        for word in words:
            decided = [replace(line[0], decision=word.upper()), line[1]]
            rows = format_review_rows(decided, language)
            saved = {
                "a.csv": render_review_csv(rows, language),
                "a.xlsx": render_review_xlsx(rows),
                "b.xlsx": write_xlsx(rows),
                "b.ods": write_ods(rows),
                "b.csv": "\r\n".join("\t".join(row) for row in rows).encode("utf-16"),
            }
            for name, data in saved.items():
                (found,) = read(data, name, "en")
                expected = replace(decided[0], verdict=verdict, source=f"{name}, line 2,")
                assert found == expected, (name, word)
            if word != words[0]:
                break  # the other words are told apart by the next test
    texts = {
        word.strip().casefold(): v
        for v in Verdict
        for word in (say(f"review.{v}"), *say(f"review.{v}.also").split(","))
    }
    assert len(texts) == sum(1 + len(say(f"review.{v}.also").split(",")) for v in Verdict)


def test_no_word_means_two_things_in_two_languages() -> None:
    """A list in Spanish may be read by whoever works in Polish."""
    meanings: dict[str, set[Verdict]] = {}
    for code in LANGUAGES:
        say = get_language(code).format
        for verdict in Verdict:
            gradebooks = say(f"column.{MARKS_OF_VERDICTS[verdict]}")
            for word in (gradebooks, say(f"review.{verdict}"), *say(f"review.{verdict}.also").split(",")):
                meanings.setdefault(word.strip().casefold(), set()).add(verdict)
    assert len(meanings) > 40
    assert {word: found for word, found in meanings.items() if len(found) > 1} == {}


def test_nothing_on_the_list_is_a_formula_or_a_date() -> None:
    """What was written stands in quotation marks; keys are written so that a spreadsheet keeps them."""
    paper = check(r1c1="=1+1", r1c2="1/0", r2c2="-x")
    paper = replace(paper, file="=cmd.json")
    header, *rows = format_review_rows(review([paper]).lines, ENGLISH)
    assert header == ["No.", "name", "code", "file", "cell", "on the sheet", "written", "key", "why", "decision"]
    assert [row[6] for row in rows] == ["“=1+1”", "“1/0”", "“-x”"]
    assert all(row[3] == "'=cmd.json" for row in rows)
    assert not any(cell[:1] in "=+-@" and cell for row in rows for cell in row)


def test_a_decision_holds_as_long_as_the_same_is_written() -> None:
    """What was changed since is marked as it stands; the decision stays on the list, and says what became of it."""
    (line,) = review([check(r2c2="1,234")]).lines
    decided = [replace(line, decision="right", verdict=Verdict.RIGHT)]
    same = review([check(r1c1="77", r2c2=" 1,234")], decided)
    assert (same.papers[0].marks.score, same.lines[0].decision) == (62, "right")
    changed = review([check(r2c2="55")], decided)
    assert changed.papers[0].marks.score == 62
    assert changed.papers[0].decisions == ()
    (kept,) = changed.lines
    assert (kept.decision, kept.why) == ("right", "now “55” stands there: the decision stays, and is not used")
    again = review([check(r2c2="5,678")], changed.lines)
    assert [(each.written, each.decision) for each in again.lines] == [("“5,678”", ""), ("“1,234”", "right")]
    (gone,) = review([], again.lines[1:]).lines
    assert (gone.decision, gone.why) == ("right", "no such paper is there now: the decision stays")
    back = review([check(r2c2="1,234")], [gone])
    assert back.papers[0].marks.score == 63
    assert back.lines[0].why == line.why


def test_a_line_of_ones_own_overrules_any_mark() -> None:
    """By the name of a cell as people write it, without anything else."""
    lines = read(f"{TITLES},my notes\n7,,,,S11,follow on,as she said\n7,Ada,,,Z.1.1,wrong\n7,,,,Σ,1.5\n")
    reviewed = review([check(r1c1="77")], lines)
    paper = reviewed.papers[0]
    marks = {cell.address: cell.mark.value for cell in paper.marks.cells}
    assert (marks["S[1,1]"], marks["Z[1,1]"], paper.marks.scores_by_stage["sums"]) == ("follows", "wrong", (1.5, 3))
    assert paper.marks.score == 63 - 1 - 1.5
    assert [(line.cell, line.written, line.why) for line in reviewed.lines] == [
        ("S[1,1]", "“77”", "marked: wrong"),
        ("Z[1,1]", f"“{write_key(SHEET)['Z'][0][0]}”", "marked: correct"),
        ("sums", "", "marked: 3 of 3 cells"),
    ]
    assert reviewed.lines[0].others == {"my notes": "as she said"}
    assert format_review_rows(reviewed.lines, ENGLISH)[0][-1] == "my notes"
    sentence = (
        "Your teacher has decided: S[1,1]: counts as right with your own numbers; Z[1,1]: does not count; Σ: worth 1.5."
    )
    assert paper.feedback.sentences[-1] == sentence


def test_a_number_is_marked_as_if_it_had_been_written() -> None:
    """And what comes later follows from it: the whole sheet is marked anew."""
    rows = write_key(SHEET)
    right, wrong = rows["S"][0][0], str(int(rows["S"][0][0]) + 8)
    for number, mark in ((right, "correct"), (wrong, "wrong")):
        lines = read(f"{TITLES}\n7,,,,S11,{number}\n")
        (paper,) = review([check(r1c1="l0?")], lines).papers
        cell = next(each for each in paper.marks.cells if each.address == "S[1,1]")
        assert (cell.answer, cell.mark.value) == (number, mark)
        assert (
            next(c for c in paper.to_dict()["cells"] if c["cell"] == "S[1,1]")["note"]
            == f"read as {number} by the teacher"
        )


def test_a_number_stands_where_it_was_meant_on_a_sheet_that_was_turned() -> None:
    """Whoever has tokens as rows where the sheet has columns has all cells turned, the one that is decided too."""
    rows = {name: [list(line) for line in zip(*texts, strict=True)] for name, texts in write_key(SHEET).items()}
    right, rows["V"][2][0] = rows["V"][2][0], "l?"
    paper = replace(attnhand.check(rows, SHEET), file="ada.json")
    assert paper.marks.other_way == "turned"
    (line,) = review([paper]).lines
    assert line.cell == "V[1,3]"
    decided = review([paper], [replace(line, decision=right)]).papers[0]
    assert (decided.marks.score, decided.marks.other_way) == (63, "turned")


def test_anothers_sheet_counts_where_the_teacher_says_so() -> None:
    """Bo has handed in Ada's sheet, and may: it stands on his row with its marks."""
    other = attnhand.generate(2, level="warm-up")
    seats = [SEAT, Seat(number=8, student=Student(name="Bo"), code=other.code)]
    signed = replace(check(), name="Bo")
    owned = set_doubtful_aside([signed], seats, SheetOrder(), PageOptions())
    (line,) = review_papers(owned, (), ENGLISH, has_index=True).lines
    assert (line.number, line.cell, line.code) == (8, "sheet", SHEET.code)
    assert line.why == "it says Bo, but its sheet is that of № 007 Ada: not scored"
    for decision, verdict, score in (("right", Verdict.RIGHT, 63), ("wrong", Verdict.WRONG, 0), ("4.5", None, 4.5)):
        decided = [replace(line, decision=decision, verdict=verdict)]
        book = build_gradebook(review_papers(owned, decided, ENGLISH, has_index=True).papers, seats)
        ada, bo = book.rows
        assert ada.has_nothing
        assert (bo.score, bo.max_score, compose_remark(bo, ENGLISH)) == (score, 63, "1 decision from review.csv")


def test_what_somebody_changed_counts() -> None:
    """Of the two that we write the one that was saved since; both, where they do not contradict each other."""
    lines = review([check(r2c2="1,234", r3c3="?")]).lines
    rows = format_review_rows(lines, ENGLISH)
    ours = {"review.csv": render_review_csv(rows, ENGLISH), "review.xlsx": render_review_xlsx(rows)}
    decided = [[*rows[0]], [*rows[1][:-1], "wrong"], [*rows[2]]]
    other = [[*rows[0]], [*rows[1]], [*rows[2][:-1], "right"]]

    def read_both(**files: bytes) -> dict[str, str]:
        for name, data in {**ours, **{key.replace("_", "."): data for key, data in files.items()}}.items():
            Path(name).write_bytes(data)
        paths = [Path("review.csv"), Path("review.xlsx"), Path("review.ods")]
        return {line.cell: line.decision for line in read_review_files(paths, [SEAT], ENGLISH)}

    assert read_both() == {}
    assert read_both(review_xlsx=write_xlsx(decided)) == {"S[2,2]": "wrong"}
    csv = "\n".join(";".join(row) for row in decided).encode()
    assert read_both(review_csv=csv) == {"S[2,2]": "wrong"}
    assert read_both(review_csv=csv, review_xlsx=write_xlsx(other)) == {"S[2,2]": "wrong", "S[3,3]": "right"}
    changed = [[*rows[0]], [*rows[1][:-1], "right"]]
    with pytest.raises(
        RosterError, match=r"review.xlsx, line 2, decides S\[2,2\] otherwise than review.csv, line 2, does: move"
    ):
        read_both(review_csv=csv, review_xlsx=write_xlsx(changed))
    noted = [[*row, "" if row is rows[0] else "hm"] for row in rows]
    noted[0][-1] = "mine"
    assert read_both(review_csv=csv, review_xlsx=write_xlsx(noted)) == {"S[2,2]": "wrong", "S[3,3]": ""}
    # what was ours and had a decision: taken back in the other
    ours["review.csv"] = render_review_csv(decided, ENGLISH)
    assert read_both(review_xlsx=write_xlsx(rows)) == {}


REFUSED = {
    "misspelt": (f"{TITLES}\n7,,,,S11,rigth\n", "'rigth' as decision, which is none: write right, wrong, follow on"),
    "a date": (f"{TITLES}\n7,,,,S11,1-Mar\n", "line 2, has a decision that is '1-Mar', a date"),
    "two readings": (f'{TITLES}\n7,,,,S11,"1,234"\n', "line 2, has a decision that is '1,234', which has two readings"),
    "a comma": (f"{TITLES}\n7,,,,S11,1,234\n", "line 2, has more cells than there are titles"),
    "infinite": (f"{TITLES}\n7,,,,S11,-inf\n", "line 2, has '-inf' as decision, which is none"),
    "no №": (f"{TITLES}\n\n,Ada,,,S11,right\n", "line 3, has no №: write it before the decision"),
    "another №": (f"{TITLES}\n8,,,,S11,right\n", "has the № '8' in line 2, which is not in the index"),
    "another's name": (f"{TITLES}\n7,Bo,,,S11,right\n", "has № 007 'Bo' in line 2, but the index has 'Ada'"),
    "no cell": (f"{TITLES}\n7,,,,,right\n", "line 2, does not say what is decided: write a cell"),
    "twice": (f"{TITLES}\n7,,,,S11,right\n7,,,,S11,wrong\n", "decides S11 otherwise than review.csv, line 2"),
    "twice, in two spellings": (f"{TITLES}\n7,,,,S11,right\n7,,,,\"S[1,1]\",1\n", "otherwise than review.csv, line 2"),
    "outside": (f"{TITLES}\n7,,,,S99,right\n", "line 2, decides 'S99', but S[9,9] is outside S"),
    "printed": (f"{TITLES}\n7,,,,X11,right\n", f"X[1,1] is printed, not asked: name one that is, Q[1,1], {ASKED}"),
    "no question": (f"{TITLES}\n7,,,,ask9,right\n", f"the sheet has no question 'ask9': use {ASKED}"),
    "too many points": (f"{TITLES}\n7,,,,S,10\n", "line 2, gives '10' for S, which has 9: write 0 to 9"),
    "fewer than none": (f"{TITLES}\n7,,,,sheet,-1\n", "line 2, gives '-1' for sheet, which has 63: write 0 to 63"),
    "once, in two spellings": (f"{TITLES}\n7,,,,S11,Right\n7,,,,S11,RIGHT\n7,,,,S99,right\n", "line 4, decides 'S99'"),
    "half a question": (f"{TITLES}\n7,,,,ask1,0.5\n", "line 2, gives '0.5' for ask1, which has 1: write 0 or 1"),
    "empty": ("", "review.csv is empty: put back what stood there, or delete it"),
    "another table": ("№,name,Q\n1,Ada,6\n", "has no column file, so it is no list of decisions: move it elsewhere"),
    "no table": (b"\x00\x01\x02\xff" * 99, "review.csv holds bytes that are no text"),
}  # fmt: skip


@pytest.mark.parametrize(("data", "message"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_decision_is_refused(data: str | bytes, message: str) -> None:
    """With the file, the line and what may be written; nothing is guessed."""
    with pytest.raises(RosterError) as refused:
        review([check()], read(data))
    assert message in str(refused.value)


def test_words_are_advised_in_the_language_of_the_class() -> None:
    """Read are those of all."""
    with pytest.raises(RosterError, match="write richtig, falsch, folgt or a number"):
        read(f"{TITLES}\n7,,,,S11,rihctig\n", language="de")
    assert read("Nr.;Datei;Zelle;Entscheidung\n7;;S11;juste\n", language="de")[0].verdict is Verdict.RIGHT
