"""Practice, row by row: what is asked next, each entry judged, hints from the student's own numbers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby

from attnhand.attention.mechanisms import Stage
from attnhand.attention.spellings import read_number
from attnhand.errors import NumberError
from attnhand.formats.answers import Answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.marking.feedback import describe_diagnosis, work_out_cell
from attnhand.marking.marks import CellMark, Note
from attnhand.sheet.addresses import format_printed_address
from attnhand.sheet.grids import COUNTED_MARKS, Mark
from attnhand.sheet.sentences import format_instruction
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode


@dataclass(frozen=True, slots=True)
class PracticeRow:
    """A row of a stage, as it is asked."""

    stage: Stage
    row: int
    columns: tuple[int, ...]
    """0-based, as the row."""


class Practice:
    """One student at one sheet: every entry is marked at once, a wrong one can be mended or left."""

    def __init__(self, sheet: Sheet, earlier_texts: Mapping[str, Sequence[Sequence[str]]]) -> None:
        self.sheet = sheet
        stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
        self.rows = [
            PracticeRow(stage, row, tuple(column for _, column in cells))
            for stage in stages
            for row, cells in groupby(sheet.list_asked_cells(stage), lambda cell: cell[0])
        ]
        self.texts = {stage.name: self._make_start_texts(stage, earlier_texts.get(stage.name, ())) for stage in stages}
        self.hint_count = 0
        """How often a hint was asked for the same cell."""

        self._result: CheckResult | None = None
        self.position = 0
        self._go_to_open_row(0)

    def _make_start_texts(self, stage: Stage, earlier_texts: Sequence[Sequence[str]]) -> list[list[str]]:
        rows, columns = (self.sheet.problem.get_length(axis) for axis in (stage.rows, stage.columns))
        fits = len(earlier_texts) == rows and all(len(row) == columns for row in earlier_texts)
        return [list(row) for row in earlier_texts] if fits else [[""] * columns for _ in range(rows)]

    @property
    def current_row(self) -> PracticeRow | None:
        """The row that is asked now; None where there is nothing left."""
        return self.rows[self.position] if self.position < len(self.rows) else None

    @property
    def result(self) -> CheckResult:
        """Everything entered so far, marked."""
        if self._result is None:
            stages = {name: tuple(map(tuple, rows)) for name, rows in self.texts.items()}
            self._result = check_answers(Answers(code=self.sheet.code, stages=stages), self.sheet)
        return self._result

    @property
    def filled_count(self) -> int:
        return sum(mark.mark is not Mark.BLANK for mark in self.result.marks.cells)

    def find_open_cells(self) -> tuple[CellMark, ...]:
        """Return the cells of this row that are not right yet."""
        if (line := self.current_row) is None:
            return ()
        marks = [mark for mark in self.result.marks.cells if mark.mark not in COUNTED_MARKS]
        return tuple(mark for mark in marks if (mark.stage, mark.row) == (line.stage.name, line.row))

    def enter_values(self, typed: str) -> tuple[str, ...]:
        """Enter what was typed for this row, or for its first open cell, and return the verdict."""
        waiting = self.find_open_cells()
        values = _split_values(typed, len(waiting))
        if values is None:
            return (self.sheet.say("practice.count", cells=len(waiting)),)
        for mark, value in zip(waiting, values, strict=False):
            try:
                read_number(value)
            except NumberError as error:
                reason = self.sheet.language.translate(error)
                return (self.sheet.say("practice.unread", cell=self.name_cell(mark), reason=reason),)
        for mark, value in zip(waiting, values, strict=False):
            self._write_cell(mark.stage, mark.row, mark.column, value)
        self.hint_count = 0
        return self._judge_entry([mark.address for mark in waiting[: len(values)]])

    def _judge_entry(self, addresses: Sequence[str]) -> tuple[str, ...]:
        """Say what the cells just entered are worth, and go on where the row is right."""
        found = self.result
        marks = [mark for mark in found.marks.cells if mark.address in addresses]
        off = [mark for mark in marks if mark.mark not in COUNTED_MARKS]
        if not off:
            if not self.find_open_cells():
                self._go_to_open_row(self.position + 1)
            follows = any(mark.mark is Mark.FOLLOWS for mark in marks)
            return (self.sheet.say("practice.follows" if follows else "practice.right"),)
        cells = [self.name_cell(mark) for mark in off]
        if all(mark.note is Note.TOO_FEW_DIGITS for mark in off):
            return (self.sheet.say("practice.digits", cells=cells, decimals=self.sheet.problem.rules.decimals),)
        stage = off[0].stage
        slips = [describe_diagnosis(each, self.sheet) for each in found.diagnoses if each.stage == stage]
        return (self.sheet.say("practice.not_yet", cells=cells), *slips)

    def _write_cell(self, stage: str, row: int, column: int, text: str) -> None:
        self.texts[stage][row][column] = text
        self._result = None

    def skip_row(self) -> None:
        """Go on to the next row that is not right, as this one is."""
        self._go_to_open_row(self.position + 1)

    def go_back(self) -> bool:
        """Return to the row before; False where there is none."""
        if self.position == 0:
            return False
        self.position, self.hint_count = self.position - 1, 0
        line = self.rows[self.position]
        for column in line.columns:  # to be typed again
            self._write_cell(line.stage.name, line.row, column, "")
        return True

    def give_hint(self) -> tuple[str, ...]:
        """Explain the first open cell from the student's own numbers: how it is worked, asked again all of it."""
        waiting = self.find_open_cells()
        if not waiting:
            return (self.sheet.say("practice.nothing"),)
        cell, stage = waiting[0], self.sheet.problem.mechanism.get_stage(waiting[0].stage)
        lines = work_out_cell(self.result.marks, self.sheet, cell)
        self.hint_count += 1
        if self.hint_count > 1:
            return lines
        how = format_instruction(self.sheet, stage)
        if not how:
            return (self.name_cell(cell), *lines[:-1])
        instruction = to_unicode(parse_markup(how))
        return (self.sheet.say("practice.hint", cell=self.name_cell(cell), instruction=instruction), *lines[:-1])

    def name_cell(self, cell: CellMark) -> str:
        """Return the address of a cell as the sheet prints it: Σ[1,3]."""
        return format_printed_address(self.sheet, cell.stage, cell.row, cell.column)

    def _go_to_open_row(self, start: int) -> None:
        """Go to the first row from there on that has an open cell."""
        self.hint_count = 0
        marks = self.result.marks.cells
        is_open = {(mark.stage, mark.row) for mark in marks if mark.mark not in COUNTED_MARKS}
        self.position = start
        while (line := self.current_row) is not None and (line.stage.name, line.row) not in is_open:
            self.position += 1


def _split_values(typed: str, count: int) -> list[str] | None:
    """Part what was typed into values: as many as there are cells, or one.

    >>> _split_values("1 −2 1/3", 3), _split_values("1 1/2", 3), _split_values("1 2", 3)
    (['1', '−2', '1/3'], ['1 1/2'], None)
    """
    parts = typed.split()
    if len(parts) == count:
        return parts
    try:
        read_number(typed)
    except NumberError:
        return parts if len(parts) == 1 else None
    return [typed]
