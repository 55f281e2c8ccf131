"""Papers that hold somebody else's answers: those to a whole other sheet of the class, or a neighbour's later stages.

Marked as they stand they would score well: from the other's first numbers everything else follows.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from attnhand.attention.matrix import flatten
from attnhand.attention.spellings import read_number
from attnhand.errors import AttnhandError
from attnhand.formats.sources import make_sheet_from_code
from attnhand.marking.checked import CheckResult
from attnhand.marking.marks import SINGLE_CELL, CellMark
from attnhand.marking.match import match_answer
from attnhand.marking.whole_sheet import find_foreign_stages
from attnhand.problems.base32 import normalize_code
from attnhand.sheet.grids import Mark
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import Seat
from attnhand.sheet.sheet import Sheet

MIN_TELLING_CELLS = 8
"""So many cells in which two sheets differ tell whose answers they are."""

MIN_OTHERS_SHARE = 0.9
"""Of those cells so many are the other sheet's; a cell may be misread or changed."""

MIN_BITS = 18
"""How surprising it must be that wrong numbers are just those of another sheet: as 18 tosses of a coin that fall alike.

A number that stands in half of the other's cells tells one bit, one of sixteen different numbers four.
"""


TellingCells = Mapping[str, tuple[list[CellMark], list[CellMark]]]
"""By stage the cells whose key differs on another sheet, and those of them that hold the other's key."""


class ClassSheets:
    """The sheets of a class: those that were handed in, and all others once they are asked for."""

    def __init__(
        self, papers: Sequence[CheckResult], index: Sequence[Seat] | None, order: SheetOrder, page: PageOptions
    ) -> None:
        self._sheets = {normalize_code(paper.sheet.code): paper.sheet for paper in papers}
        self._seats = {normalize_code(seat.code): seat for seat in index or ()}
        self._order, self._page = order, page
        self._has_all = False

    def list_others(self, sheet: Sheet) -> Iterator[tuple[str, Sheet]]:
        """Yield every other sheet of the class with whose it is."""
        if not self._has_all:
            self._sheets |= dict(self._make_missing())
            self._has_all = True
        own = normalize_code(sheet.code)
        for code, other in self._sheets.items():
            if code != own:
                yield str(self._seats[code]) if code in self._seats else other.code, other

    def _make_missing(self) -> Iterator[tuple[str, Sheet]]:
        for code, seat in self._seats.items():
            if code not in self._sheets:
                try:
                    yield code, make_sheet_from_code(seat.code, self._order, self._page).sheet
                except AttnhandError:  # somebody's own matrices, or words that the code does not hold
                    continue


def find_copied_sheet(paper: CheckResult, sheets: ClassSheets) -> str | None:
    """Return whose sheet a paper answers, where it holds the answers to another one of the class than its own."""
    is_foreign, has_unexplained = bool(find_foreign_stages(paper.marks, paper.sheet)), bool(_list_unexplained(paper))
    for owner, other in sheets.list_others(paper.sheet) if is_foreign or has_unexplained else ():
        telling = _find_telling_cells(paper, other)
        is_whole = len(_find_stages_of(paper, other)) == len(telling) > 0
        if is_whole or (is_foreign and _has_answers_to(telling)):
            return owner
    return None


def _has_answers_to(telling: TellingCells) -> bool:
    """Say whether a paper holds the answers to another sheet, in the cells in which the two differ: its own in none."""
    matching = sum(len(same) for _, same in telling.values())
    cells = sum(len(differing) for differing, _ in telling.values())
    return cells >= MIN_TELLING_CELLS and matching >= MIN_OTHERS_SHARE * cells


def find_copied_stages(paper: CheckResult, sheets: ClassSheets) -> Mapping[str, str]:
    """Return the stages that hold a neighbour's numbers, which the student's own do not give, and whose they are.

    It begins at a stage whose wrong numbers nothing explains, and nearly all of which are those of another sheet. What
    comes of it and stands on the other sheet too is the neighbour's as well. What is the student's own key, or follows
    from their own numbers, is theirs. All numbers that nothing explains must together be beyond chance.
    """
    if not _list_unexplained(paper):
        return {}
    found: dict[str, str] = {}
    for owner, other in sheets.list_others(paper.sheet):
        stages = _find_stages_of(paper, other)
        if len(stages) > len(found):
            found = dict.fromkeys(stages, owner)
    return found


def _list_unexplained(paper: CheckResult) -> Mapping[str, list[CellMark]]:
    """Return the wrong cells of every stage that no slip explains."""
    explained = {each.stage for each in paper.diagnoses if each.is_certain and each.slips != (SINGLE_CELL,)}
    cells_by_stage: dict[str, list[CellMark]] = {}
    for cell in paper.marks.cells:
        is_unexplained = cell.mark is Mark.WRONG and cell.note is None and cell.stage not in explained
        if is_unexplained and cell.value is not None:
            cells_by_stage.setdefault(cell.stage, []).append(cell)
    return cells_by_stage


def _find_stages_of(paper: CheckResult, other: Sheet) -> list[str]:
    """Return the stages that hold the numbers of one other sheet; none where that may be chance."""
    telling, unexplained = _find_telling_cells(paper, other), _list_unexplained(paper)
    copied: list[str] = []
    surprise = 0.0
    for stage in paper.sheet.problem.mechanism.stages:
        cells, matching = telling.get(stage.name, ([], []))
        if not cells or len(matching) < MIN_OTHERS_SHARE * len(cells):
            continue
        is_wrong = any(cell.mark is Mark.WRONG and cell.note is None for cell in matching)
        if is_wrong or any(name in copied for name in stage.input_names):
            copied.append(stage.name)
            own = [cell for cell in matching if cell in unexplained.get(stage.name, ())]
            surprise += _measure_surprise(own, paper, other)
    return copied if surprise >= MIN_BITS else []


def _measure_surprise(cells: Sequence[CellMark], paper: CheckResult, other: Sheet) -> float:
    """Return how many bits it tells that cells of one stage hold the other's numbers, by how common these are there.

    Which cells are wrong tells as much again: just those in which the two sheets differ.
    """
    if not cells:
        return 0.0
    of = sum(cell.stage == cells[0].stage and cell.value is not None for cell in paper.marks.cells)
    numbers = flatten(other.solution[cells[0].stage].hand)
    counts = Counter(numbers)
    others = (other.solution[cell.stage].hand[cell.row][cell.column] for cell in cells)
    values = sum(math.log2(len(numbers) / counts[number]) for number in others)
    return values + math.log2(math.comb(of, len(cells)))


def _find_telling_cells(paper: CheckResult, other: Sheet) -> TellingCells:
    """Return the cells, by stage, whose key differs on another sheet, and those of them that hold the other's key."""
    others_keys, decimals = other.solution.collect_hand_values(), other.problem.rules.decimals
    found: dict[str, tuple[list[CellMark], list[CellMark]]] = {}
    for cell in paper.marks.cells:
        others_key = others_keys.get(cell.stage, ())
        is_on_both = cell.row < len(others_key) and cell.column < len(others_key[0])
        if cell.value is None or not is_on_both or others_key[cell.row][cell.column] == cell.key:
            continue
        reading = read_number(cell.answer)
        assert reading is not None  # the value was read from it
        telling, matching = found.setdefault(cell.stage, ([], []))
        telling.append(cell)
        if match_answer(reading, others_key[cell.row][cell.column], decimals).is_right:
            matching.append(cell)
    return found
