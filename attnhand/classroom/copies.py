"""Papers whose answers are those to somebody else's sheet: set aside for the teacher, not scored."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from attnhand.attention.spellings import read_number
from attnhand.errors import AttnhandError
from attnhand.formats.sources import make_sheet_from_code
from attnhand.marking.checked import CheckResult
from attnhand.marking.marks import Marks
from attnhand.marking.match import match_answer
from attnhand.marking.whole_sheet import find_foreign_stages
from attnhand.problems.base32 import normalize_code
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import Seat
from attnhand.sheet.sheet import Sheet
from attnhand.text import Message

MIN_TELLING_CELLS = 8
"""So many cells in which two sheets differ tell whose answers they are."""

MIN_OTHERS_SHARE = 0.9
"""Of those cells so many are the other sheet's; a cell may be misread or changed."""


def set_copies_aside(
    papers: Sequence[CheckResult], index: Sequence[Seat] | None, order: SheetOrder, page: PageOptions
) -> list[CheckResult]:
    """Return the papers, with a reason in those that answer another sheet of the class than their own.

    Marked as they stand they would score well: from the other's first numbers everything else follows.
    """
    sheets = {normalize_code(paper.sheet.code): paper.sheet for paper in papers}
    seats = {normalize_code(seat.code): seat for seat in index or ()}
    has_all = False
    found = []
    for paper in papers:
        if find_foreign_stages(paper.marks, paper.sheet):
            if not has_all:
                sheets |= dict(_make_other_sheets(seats, sheets, order, page))
                has_all = True
            others = (code for code, sheet in sheets.items() if _has_answers_to(paper.marks, sheet))
            if (code := next(others, None)) is not None:
                owner = str(seats[code]) if code in seats else sheets[code].code
                paper = replace(paper, uncounted_reason=Message("match.copied", owner=owner))
        found.append(paper)
    return found


def _make_other_sheets(
    seats: Mapping[str, Seat], known: Mapping[str, Sheet], order: SheetOrder, page: PageOptions
) -> Iterator[tuple[str, Sheet]]:
    """Yield the sheets of a class that nobody has handed in, by code."""
    for code, seat in seats.items():
        if code not in known:
            try:
                yield code, make_sheet_from_code(seat.code, order, page).sheet
            except AttnhandError:  # somebody's own matrices, or words that the code does not hold
                continue


def _has_answers_to(marks: Marks, other: Sheet) -> bool:
    """Say whether a paper holds the answers to another sheet, in the cells in which the two differ: its own in none."""
    others_keys = other.solution.collect_hand_values()
    telling = matching = 0
    for cell in marks.cells:
        others_key = others_keys.get(cell.stage, ())
        is_on_both = cell.row < len(others_key) and cell.column < len(others_key[0])
        if cell.value is None or not is_on_both or others_key[cell.row][cell.column] == cell.key:
            continue
        reading = read_number(cell.answer)
        assert reading is not None  # the value was read from it
        telling += 1
        decimals = other.problem.rules.decimals
        matching += match_answer(reading, others_key[cell.row][cell.column], decimals).is_right
    return telling >= MIN_TELLING_CELLS and matching >= MIN_OTHERS_SHARE * telling
