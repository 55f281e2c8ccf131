"""Where a student departed from the right way: each slip or wrong number of its own, and what comes of it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.marking.marks import MEANT_NOTES, CellMark, Diagnosis, Marks, Note
from attnhand.marking.redo import find_read_cells
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet

HABITS = (Note.TOO_FEW_DIGITS, *MEANT_NOTES)
"""What is written amiss is so everywhere, for one reason."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Departure:
    """One thing that went wrong, apart from all others."""

    cells: tuple[CellMark, ...]
    """Those that are wrong for this reason, or that cannot be read: of one stage, unless it is a habit."""

    diagnosis: Diagnosis | None = None
    """What gives these cells, as far as that is known."""

    followers: tuple[CellMark, ...] = field(default=())
    """The later cells that come of it and are right with the student's own numbers."""

    @property
    def first(self) -> CellMark:
        return self.cells[0]

    @property
    def is_habit(self) -> bool:
        """Say whether all of it was written amiss in the same way, or cannot be read."""
        return self.first.mark is Mark.UNREADABLE or self.first.note in HABITS


def find_departures(marks: Marks, sheet: Sheet) -> tuple[Departure, ...]:
    """Return all departures in the order of their first cells, each with what comes of it.

    A cell that follows comes of all departures that it was worked from, also through other cells.
    """
    found = [*_group_cells(marks)]
    places = {(cell.stage, *cell.place): at for at, departure in enumerate(found) for cell in departure.cells}
    order = {cell.address: at for at, cell in enumerate(marks.cells)}
    followers = _find_followers(marks, sheet, places)
    with_followers = [
        Departure(cells=each.cells, diagnosis=each.diagnosis, followers=tuple(followers.get(at, ())))
        for at, each in enumerate(found)
    ]
    return tuple(sorted(with_followers, key=lambda each: order[each.first.address]))


def _group_cells(marks: Marks) -> Iterator[Departure]:
    """Put together what is wrong for one reason: the cells of a diagnosis, of a habit, of a stage."""
    wrong = {cell.address: cell for cell in marks.cells if cell.mark in (Mark.WRONG, Mark.UNREADABLE)}
    for diagnosis in marks.diagnoses:
        if cells := tuple(filter(None, (wrong.pop(cell.address, None) for cell in diagnosis.cells))):
            yield Departure(cells=cells, diagnosis=diagnosis)
    groups: dict[object, list[CellMark]] = {}
    for cell in wrong.values():
        is_everywhere = cell.mark is Mark.UNREADABLE or cell.note in (*HABITS, Note.PRINTED)
        groups.setdefault((cell.mark, cell.note) if is_everywhere else (cell.stage, cell.note), []).append(cell)
    for cells_alike in groups.values():
        yield Departure(cells=tuple(cells_alike))


def _find_followers(marks: Marks, sheet: Sheet, places: Mapping[CellPosition, int]) -> dict[int, list[CellMark]]:
    """Return the cells that come of each departure, by its number."""
    if not places:
        return {}
    followers: dict[int, list[CellMark]] = {}
    origins: dict[CellPosition, set[int]] = {place: {at} for place, at in places.items()}
    for cell in marks.cells:
        place = (cell.stage, *cell.place)
        if place in origins or cell.mark not in (Mark.FOLLOWS, Mark.BLANK):
            continue
        stage = sheet.problem.mechanism.get_stage(cell.stage)
        found = set[int]().union(*(origins.get(read, ()) for read in find_read_cells(sheet, stage, *cell.place)))
        if found:
            origins[place] = found
        for at in found if cell.mark is Mark.FOLLOWS else ():
            followers.setdefault(at, []).append(cell)
    return followers
