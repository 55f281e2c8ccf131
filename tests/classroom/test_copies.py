"""A neighbour's numbers are found, stage by stage; whoever has worked by themselves is never said to have copied."""

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import attnhand
from attnhand.classroom.ownership import OwnedPaper, set_doubtful_aside
from attnhand.formats.answers import Answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import Seat, Student
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.marking.fair_class import KINDS, draw_students
from tests.marking.handing_in import make_slip, write_answers, write_key

COUNT = 32
OWN = ("Q", "K", "V")


def make_class(level: str) -> list[Sheet]:
    """Return the sheets of a class; the last is of nobody who hands in."""
    return [attnhand.generate(1000 + number, level=level) for number in range(COUNT + 1)]


def settle(papers: list[CheckResult], sheets: list[Sheet]) -> list[OwnedPaper]:
    """Have it decided whose papers are."""
    index = [Seat(number=number, code=sheet.code) for number, sheet in enumerate(sheets, 1)]
    return set_doubtful_aside(papers, index, SheetOrder(), PageOptions())


def mix(own: Mapping[str, object], other: Mapping[str, object]) -> dict[str, object]:
    """Return answers of which Q, K and V are one's own."""
    return {stage: own[stage] if stage in OWN else other[stage] for stage in own}


@pytest.mark.parametrize("level", ["warm-up", "standard"])
def test_a_neighbours_later_stages_do_not_count(level: str) -> None:
    """Own Q, K and V, and S to Z of the next sheet: flagged on every sheet, but for what is one's own key too."""
    sheets = make_class(level)
    papers = [attnhand.check(mix(write_key(own), write_key(other)), own) for own, other in pairwise(sheets)]
    for number, (sheet, other), settled in zip(range(2, 99), pairwise(sheets), settle(papers, sheets), strict=False):
        key, others = sheet.solution.collect_hand_values(), other.solution.collect_hand_values()
        paper = settled.paper
        copied = {stage for stage in write_key(sheet) if stage not in OWN and key[stage] != others[stage]}
        assert "S" in copied
        assert paper.copied_stages == dict.fromkeys(paper.copied_stages, f"№ {number:03d}")
        assert set(paper.copied_stages) == copied
        cells_by_stage = Counter(cell.stage for cell in paper.marks.cells)
        assert paper.marks.score == sum(n for stage, n in cells_by_stage.items() if stage not in copied)
        assert "do not count until your teacher has looked at them." in paper.feedback.sentences[-1]
        assert "№" not in " ".join(paper.feedback.sentences), "a report says of nobody else"


@pytest.mark.parametrize("level", ["warm-up", "standard"])
def test_a_neighbours_whole_sheet_is_set_aside(level: str) -> None:
    """Under one's own code, also where the two sheets have half of their first numbers in common."""
    sheets = make_class(level)
    papers = [attnhand.check(write_key(other), own) for own, other in pairwise(sheets)]
    for at, settled in enumerate(settle(papers, sheets), 2):
        assert str(settled.paper.uncounted_reason) == f"holds the answers to another sheet, that of № {at:03d}"


SLIPS = (
    ("weights-transposed", "Q"), ("signs-ignored", "K"), ("values-for-queries", "S"), ("not-scaled", "scaled"),
    ("times-not-power", "powers"), ("other-axis", "A"), ("keys-for-values", "Z"),
)  # fmt: skip


def list_honest_papers(sheets: list[Sheet]) -> Iterator[CheckResult]:
    """Yield what a class hands in that works by itself: on every sheet a slip at each stage, carried on."""
    for sheet in sheets:
        yield attnhand.check(write_key(sheet), sheet)
        for slip, stage in SLIPS:
            with suppress(AssertionError):  # this sheet cannot hold it
                yield attnhand.check(write_answers(sheet, make_slip(sheet, slip, stage)), sheet)


def test_whoever_works_alone_is_not_accused() -> None:
    """Two hundred papers with a slip, compared with all sheets of the class."""
    sheets = make_class("warm-up")
    settled = settle([*list_honest_papers(sheets)], sheets)
    assert len(settled) > 200
    assert [each.paper for each in settled if each.paper.uncounted_reason or each.paper.copied_stages] == []


def test_a_few_numbers_that_agree_are_chance() -> None:
    """Two sheets differ in two cells of V, and somebody is wrong in just these, with the other's small numbers."""
    given = {"X": [[1, 0, 1], [0, 1, 2]], "W_Q": [[1, 2]], "W_K": [[1, 1]]}
    own = attnhand.solve({**given, "W_V": [[2, 1], [0, 1]]})
    other = attnhand.solve({**given, "W_V": [[2, 1], [1, 1]]})
    mixed = write_key(own) | {"V": write_key(other)["V"]}
    assert (
        sum(a != b for row in zip(mixed["V"], write_key(own)["V"], strict=True) for a, b in zip(*row, strict=True)) == 2
    )
    papers = [attnhand.check(rows, sheet) for rows, sheet in ((mixed, own), (write_key(other), other))]
    settled = set_doubtful_aside(papers, None, SheetOrder(), PageOptions(), is_sheet_known=True)
    assert settled[0].paper.marks.score == papers[0].marks.score < len(papers[0].marks.cells)
    assert [each.paper for each in settled if each.paper.uncounted_reason or each.paper.copied_stages] == []


def test_simulated_students_are_not_accused() -> None:
    """Students of all kinds, by turns, in classes of their kind of sheet."""
    settled = []
    for _, student in draw_students(choose(38, 200), 8, KINDS):
        request = student.sheet.request
        assert request is not None
        others = [make_sheet_from_request(replace(request, seed=seed)) for seed in range(40, choose(45, 60))]
        texts = {name: tuple(map(tuple, rows)) for name, rows in student.texts.items()}
        paper = check_answers(Answers(code=None, stages=texts), student.sheet)
        blank = [replace(paper, sheet=other, marks=replace(paper.marks, cells=())) for other in others]
        settled.append(settle([paper, *blank], [student.sheet, *others])[0])
    assert settled
    assert [each.paper for each in settled if each.paper.uncounted_reason or each.paper.copied_stages] == []


def test_whose_sheet_it_is_not_says_who_handed_it_in() -> None:
    """Signed by another, inside or in the file's name: theirs, not scored; signed by nobody that is known: nobody's."""
    sheets = make_class("warm-up")[:3]
    key = replace(attnhand.check(write_key(sheets[0]), sheets[0]), file="x.json")
    index = [
        Seat(number=n, student=Student(name=name), code=sheet.code)
        for n, name, sheet in zip(range(1, 4), ("Ada", "Bo", "Cy"), sheets, strict=True)
    ]

    def find(**said: Any) -> tuple[int | None, str]:
        (owned,) = set_doubtful_aside([replace(key, **said)], index, SheetOrder(), PageOptions())
        return owned.seat.number if owned.seat else None, str(owned.paper.uncounted_reason)

    assert find() == find(name="Ada") == find(number=1) == find(file="001 Ada.json") == (1, "")
    assert find(name="Bo") == (2, "it says Bo, but its sheet is that of № 001 Ada")
    assert find(number=1, name="Bo") == (2, "it says № 001 Bo, but its sheet is that of № 001 Ada")
    assert (
        find(file="002.json") == find(file="002 Bo.json") == (2, "it says № 002 Bo, but its sheet is that of № 001 Ada")
    )
    assert find(file="002 homework.json") == find(file="2 Bo.json") == (1, "")
    assert find(number=2, name="Cy")[0] is None
    assert find(file="Bo_812_assignsubmission_file/a.json", name="Ada")[0] == 2


def test_without_a_class_what_asks_less_or_brings_its_own_is_not_scored() -> None:
    """Nobody says which sheet was handed out: it waits until somebody does."""
    whole = [attnhand.generate(seed, level="warm-up") for seed in range(3)]
    part = attnhand.generate(1, level="warm-up", from_stage="A")
    own = attnhand.solve(X=[[1, 0], [0, 1]], W_Q=[[1, 2]], W_K=[[1, 1]], W_V=[[2, 1]])
    papers = [attnhand.check(write_key(sheet), sheet) for sheet in (*whole, part, own)]
    found = [str(each.paper.uncounted_reason) for each in set_doubtful_aside(papers, None, SheetOrder(), PageOptions())]
    assert found == [
        *["", "", ""],
        f"asks {part.answer_cell_count} cells, fewer than other files: name the sheet with --against",
        "brings its own matrices: name the sheet with --against",
    ]
    known = set_doubtful_aside(papers, None, SheetOrder(), PageOptions(), is_sheet_known=True)
    assert not any(each.paper.uncounted_reason for each in known)
