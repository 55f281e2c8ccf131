"""Working a sheet row by row: what is asked next, what is said of an entry, and hints from one's own numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from attnhand.attention.mechanisms import Stage
from attnhand.errors import NumberError
from attnhand.formats.answers import Answers
from attnhand.marking.answer_number import read_answer
from attnhand.marking.checked import Checked, checked
from attnhand.marking.feedback import diagnosis_sentence, worked_out
from attnhand.marking.marks import CellMark, Note
from attnhand.sheet.grids import COUNTED, Mark
from attnhand.sheet.sentences import instruction
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain, marked_up


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a stage, as it is asked."""

    stage: Stage
    row: int
    columns: tuple[int, ...]
    """0-based, as the row."""


class Practice:
    """One student at one sheet: every entry is marked at once, a wrong one can be mended or left."""

    def __init__(self, sheet: Sheet, texts: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self.sheet = sheet
        stages = [stage for stage in sheet.problem.mechanism.stages if sheet.cells_of(stage)]
        self.lines = [
            Line(stage, row, tuple(columns))
            for stage in stages
            for rows, columns in [sheet.asked_lines(stage)]
            for row in rows
        ]
        self.texts = {stage.name: self._texts(stage, texts.get(stage.name, ())) for stage in stages}
        self.hints = 0
        """How often a hint was asked for the same cell."""

        self._checked: Checked | None = None
        self.at = 0
        self._to_next(0)

    def _texts(self, stage: Stage, found: Sequence[Sequence[str]]) -> list[list[str]]:
        rows, columns = (self.sheet.problem.length(axis) for axis in (stage.rows, stage.columns))
        fits = len(found) == rows and all(len(row) == columns for row in found)
        return [list(row) for row in found] if fits else [[""] * columns for _ in range(rows)]

    @property
    def line(self) -> Line | None:
        """The row that is asked now; None where there is nothing left."""
        return self.lines[self.at] if self.at < len(self.lines) else None

    @property
    def checked(self) -> Checked:
        """Everything entered so far, marked."""
        if self._checked is not None:
            return self._checked
        stages = {name: tuple(map(tuple, rows)) for name, rows in self.texts.items()}
        self._checked = checked(Answers(code=self.sheet.code, stages=stages), self.sheet)
        return self._checked

    @property
    def filled(self) -> int:
        """Count the cells that are filled."""
        return sum(mark.mark is not Mark.BLANK for mark in self.checked.marks.cells)

    def open_cells(self) -> tuple[CellMark, ...]:
        """Return the cells of this row that are not right yet."""
        line = self.line
        marks = self.checked.marks.cells if line else ()
        return tuple(
            mark
            for mark in marks
            if line and (mark.stage, mark.row) == (line.stage.name, line.row) and mark.mark not in COUNTED
        )

    def enter(self, written: str) -> tuple[str, ...]:
        """Take what was typed for this row, or for its first open cell, and return what is said of it."""
        waiting = self.open_cells()
        values = _values(written, len(waiting))
        if values is None:
            return (self.sheet.say("practice.count", cells=len(waiting)),)
        for mark, value in zip(waiting, values, strict=False):
            try:
                read_answer(value)
            except NumberError as error:
                return (self.sheet.say("practice.unread", cell=mark.address, told=error),)
        for mark, value in zip(waiting, values, strict=False):
            self._write(mark.stage, mark.row, mark.column, value)
        self.hints = 0
        return self._said([mark.address for mark in waiting[: len(values)]])

    def _said(self, entered: Sequence[str]) -> tuple[str, ...]:
        """Say what the cells just entered are worth, and go on where the row is right."""
        found = self.checked
        marks = [mark for mark in found.marks.cells if mark.address in entered]
        off = [mark for mark in marks if mark.mark not in COUNTED]
        if not off:
            if not self.open_cells():
                self._to_next(self.at + 1)
            follows = any(mark.mark is Mark.FOLLOWS for mark in marks)
            return (self.sheet.say("practice.follows" if follows else "practice.right"),)
        cells = ", ".join(mark.address for mark in off)
        if all(mark.note is Note.TOO_FEW_DIGITS for mark in off):
            return (self.sheet.say("practice.digits", cells=cells, decimals=self.sheet.problem.rules.decimals),)
        stage = off[0].stage
        slips = [diagnosis_sentence(each, self.sheet) for each in found.diagnoses if each.stage == stage]
        return (self.sheet.say("practice.not_yet", cells=cells), *slips)

    def _write(self, stage: str, row: int, column: int, text: str) -> None:
        self.texts[stage][row][column] = text
        self._checked = None

    def leave(self) -> None:
        """Go on to the next row that is not right, as this one is."""
        self._to_next(self.at + 1)

    def back(self) -> bool:
        """Return to the row before; False where there is none."""
        if self.at == 0:
            return False
        self.at, self.hints = self.at - 1, 0
        for column in self.lines[self.at].columns:  # to be typed again
            self._write(self.lines[self.at].stage.name, self.lines[self.at].row, column, "")
        return True

    def hint(self) -> tuple[str, ...]:
        """Explain the first open cell from the student's own numbers: how it is worked, asked again all of it."""
        waiting = self.open_cells()
        if not waiting:
            return (self.sheet.say("practice.nothing"),)
        cell, stage = waiting[0], self.sheet.problem.mechanism.stage(waiting[0].stage)
        lines = worked_out(self.checked.marks, self.sheet, cell)
        self.hints += 1
        if self.hints > 1:
            return lines
        how = instruction(self.sheet, stage)
        told = (as_plain(marked_up(how)),) if how else ()
        return (f"{cell.address}: {' '.join(told)}".rstrip(": "), *lines[:-1])

    def _to_next(self, start: int) -> None:
        """Go to the first row from there on that has an open cell."""
        self.hints = 0
        marks = self.checked.marks.cells
        is_open = {(mark.stage, mark.row) for mark in marks if mark.mark not in COUNTED}
        self.at = start
        while (line := self.line) is not None and (line.stage.name, line.row) not in is_open:
            self.at += 1


def _values(written: str, count: int) -> list[str] | None:
    """Part what was typed into values: as many as there are cells, or one.

    >>> _values("1 −2 1/3", 3), _values("1 1/2", 3), _values("1 2", 3)
    (['1', '−2', '1/3'], ['1 1/2'], None)
    """
    parts = written.split()
    if len(parts) == count:
        return parts
    try:
        read_answer(written)
    except NumberError:
        return parts if len(parts) == 1 else None
    return [written]
