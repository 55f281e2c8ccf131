"""Three more after a slip: numbers worked apart from the program, and when it ends."""

import re
from math import floor

import pytest

from attnhand.marking.drill import MAX_SHEETS, Drill
from attnhand.marking.practice import Practice
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose


def make_sheet(seed: int) -> Sheet:
    """Return a blank sheet."""
    return make_sheet_from_request(Request(seed=seed)).blank


def read_numbers(text: str) -> list[int]:
    """Read numbers apart from the program."""
    return [int(each.replace("−", "-")) for each in re.findall(r"(?<![\w₀-₉])[−-]?\d+(?![\w₀-₉])", text)]


def work_product(line: str) -> int:
    """Work a cell of K from what its exercise says: a row and a column."""
    row, column = (read_numbers(part.partition(": ")[2]) for part in line.rpartition(":")[0].split(" · "))
    return sum(a * b for a, b in zip(row, column, strict=True))


def work_half(line: str) -> int:
    """Work a cell of scaled."""
    return floor(read_numbers(line.partition("=")[2].partition(":")[0])[0] / 2)


@pytest.mark.parametrize(("stage", "work"), [("K", work_product), ("scaled", work_half)])
def test_what_is_asked_is_right_on_the_numbers_it_shows(stage: str, work: object) -> None:
    """Read off the line and worked here, sheet after sheet, each line once."""
    for seed in range(choose(10, 200)):
        drill, lines = Drill(make_sheet(seed), stage), []
        for _ in range(4):
            assert drill.exercise is not None
            lines.append(drill.exercise.line)
            assert drill.exercise.value == work(drill.exercise.line)  # type: ignore[operator]
            drill.enter("99")
        assert len(set(lines)) == len(lines)


def test_three_right_in_a_row_end_it() -> None:
    """Two right and a wrong one are none; what cannot be read counts as nothing."""
    drill = Drill(make_sheet(7), "scaled")
    for is_right in (True, True, False, True, True, None, True):
        assert drill.exercise is not None
        said = drill.enter("abc" if is_right is None else drill.exercise.answer if is_right else "99")
        assert said
    assert drill.exercise is None
    assert said == ("✓ 3 right in a row: that is settled.",)


def test_nobody_is_asked_for_ever() -> None:
    """Nor is anything asked where no other sheet of the kind can be drawn."""
    drill = Drill(make_sheet(7), "no such stage")
    assert drill.exercise is None
    assert MAX_SHEETS < 1000


def test_practice_asks_for_more_where_something_was_wrong() -> None:
    """Once, when the stage is done; never where all was right at once."""
    sheet = make_sheet(7)
    practice = Practice(sheet, {})
    key = sheet.key.solution
    seen = []
    while practice.current_row is not None and practice.current_row.stage.name in ("K", "Q"):
        row = practice.current_row
        right = [str(key[row.stage.name].hand[row.row][column]) for column in row.columns]
        if row.stage.name == "K" and row.row == 0:
            practice.enter_values(" ".join(["99", *right[1:]]))
            assert practice.take_drill() is None
            right = right[:1]
        practice.enter_values(" ".join(right))
        seen += [drill.stage_name] if (drill := practice.take_drill()) else []
    assert seen == ["K"]
