"""The sheet as an Excel file: what stands on the page, in its order, with a cell for each number."""

import io
import math
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from fractions import Fraction
from itertools import pairwise
from typing import Any

from xlsxwriter import Workbook
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_cell_to_rowcol

from attnhand.attention.solution import format_cell_address
from attnhand.formats.answer_tables import CELLS_LINE, COLUMNS_LINE, NAME_FIELD, format_placed_cell
from attnhand.formats.colours import ACCENTS, PAGE_COLOURS, SHADES, read_channels
from attnhand.formats.csv_sheet import list_header_rows
from attnhand.formats.xlsx.excel_formulas import name_cell
from attnhand.formats.xlsx.self_check import SelfCheck
from attnhand.formats.xlsx.stage_formulas import FOLLOWS, RIGHT, UNREADABLE, WRONG
from attnhand.sheet import sentences
from attnhand.sheet.document import (
    ClosingSentences,
    CodeLine,
    Head,
    Heading,
    HouseRules,
    MistakeTask,
    QuestionPanel,
    ShortcutComparison,
    StoryHead,
    build_document,
)
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label, ValueKind
from attnhand.sheet.options import Paper
from attnhand.sheet.panels import Panel
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.questions import AskedQuestion, format_answer_line, format_guess_line, format_question_line
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import TraceGrids
from attnhand.text.widths import RunStyle, Text, make_bold_text, make_plain_text, parse_markup, to_unicode

CREATED = datetime(2000, 1, 1)
"""What the file says of its age: the same sheet is the same file on every day."""

WHOLE_NUMBER_FORMAT = "0;−0"
"""Of printed whole numbers, which stay numbers and have a true minus."""

TEXT_FORMAT = 49
"""Excel's number of the format of text, in which a typed 3/16 is no date."""

MAX_TAB_LENGTH = 31
"""Of the name of a sheet's tab: Excel takes no more, and codes may be longer."""

LARGE_PRINT_SCALE = 1.6

POINTS, LINE_HEIGHT, CELL_HEIGHT = 11.0, 15.0, 21.0
"""Of type, a line of text and a row of cells, in points."""

FIRST_COLUMN, MIN_LEFT_COUNT = 1, 5
"""The first that is seen, and how many there are at least left of the products, so that sentences have room."""

LABEL_WIDTH, CELL_WIDTH, SIGN_WIDTH, FACTOR_WIDTH, MARK_WIDTH, MAX_WIDTH = 6.0, 7.5, 2.5, 6.5, 11.0, 24.0
"""Of columns, in digits, as Excel has it."""

PAPERS = {Paper.A4: (9, 8.27, 11.69), Paper.LETTER: (1, 8.5, 11.0)}
"""By Excel's number, and in inches."""

MARGIN, FOOT = 0.45, 0.7
"""At the sides and the top, and at the bottom, in inches."""

PIXELS_PER_INCH, PIXELS_PER_LETTER, POINTS_PER_INCH = 96.0, 6.0, 72.0

MARK_COLOURS = {RIGHT: "green", FOLLOWS: "blue", WRONG: "brick", UNREADABLE: "orange"}
"""Beside the signs, which say the same without colour."""

MAX_PORTRAIT_PIXELS = 1050
"""A sheet that is wider is printed across."""

_WHOLE_NUMBER = re.compile(r"−?[0-9]{1,15}")

_THIN, _MEDIUM, _DASHED = 1, 2, 3
_SIDES = ("left", "right", "top", "bottom")
_LOWERED = 2
"""XlsxWriter's number of subscripts."""


def _write_colour(colour: str) -> str:
    """Return a colour with all of its digits.

    >>> _write_colour("#a1f")
    '#aa11ff'
    """
    return f"#{read_channels(colour).hex()}"


def _get_colour(name: str) -> str:
    return _write_colour(PAGE_COLOURS[name].light)


_MARK_BOX: dict[str, Any] = {"font_size": 9, "align": "right", "valign": "vcenter"}
_INK, _SOFT = _get_colour("ink"), _get_colour("soft")


def render_xlsx(sheet: Sheet) -> bytes:
    """Return the sheet as an Excel file; a blank one holds no answer in any part, unless it checks itself.

    A hidden column says of each row which cells stand in it, so that a filled file is read whatever was put in
    between: see ``read_placed_cells``.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> render_xlsx(make_sheet_from_request(Request(seed=7)).blank)[:2]
    b'PK'
    """
    return _SheetWriter(sheet).write()


def _take_formula(formula: str, _expands: bool = False) -> str:
    """Return a formula as the file has it, in place of what ``xlsxwriter`` does with each.

    That looks for thirty functions which came after Excel 2010, and no formula of ours has one: it took more than half
    of the time that a file took which checks itself.
    """
    return formula.removeprefix("=")


class _SheetWriter:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet, self.document = sheet, build_document(sheet)
        self.scale = LARGE_PRINT_SCALE if sheet.options.large_print else 1.0
        self.file = io.BytesIO()
        self.workbook = Workbook(self.file, {"in_memory": True})
        self.page = self.workbook.add_worksheet(sheet.code.replace("+", " ")[:MAX_TAB_LENGTH].rstrip("-"))
        self.page._prepare_formula = _take_formula
        self.formats: dict[tuple[tuple[str, Any], ...], Format] = {}
        self.places: dict[str, tuple[int, int]] = {}
        """Row and column (0-based) of cells, by address."""

        self.numbers: dict[str, PrintedNumber] = {}
        """What is printed in cells, by address."""

        self.notes: dict[int, list[str]] = {}
        """What the hidden column says of a row."""

        self.row = 0
        """The next one that is free."""

        self.heights: dict[int, float] = {}
        self.break_rows: list[int] = []
        """Rows that a printed page may begin with."""

        self.tops: list[Text] = []
        """Names of what stands in the columns of the products, from the top."""

        self.checks_itself = sheet.options.self_check and not sheet.is_solved
        self.step = 2 if self.checks_itself else 1
        """Columns of a product for each of its own: an answer has its sign beside it."""

        self.sign_formats: dict[tuple[int, int], Format] = {}
        """How the cells beside answers look."""

        self.remark_rows: dict[str, int] = {}
        """Where something is said of a stage."""

        self.mark_boxes: list[tuple[int, Panel]] = []
        """Rows in which the marks of a stage are counted."""

        self.widths = self._plan_columns()

    def _plan_columns(self) -> dict[int, float]:
        """Give products the same columns all the way down, factors those at the left of them, as on the page."""
        panels = self.document.panels.list_panels()
        factors = [self._find_factors(panel) for panel in panels]
        grids = [grid for panel, (_, top) in zip(panels, factors, strict=True) for grid in (panel.grid, top) if grid]
        left_count = max([MIN_LEFT_COUNT, *(left.column_count for left, _ in factors if left)])
        self.label_column = FIRST_COLUMN + 1 + left_count
        self.product_column = self.label_column + 1
        self.mark_column = self.product_column + max(grid.column_count for grid in grids) * self.step
        self.exact_column = self.mark_column + 2
        exact_count = max((panel.exact_grid.column_count for panel in panels if panel.exact_grid), default=0)
        self.last_column = self.exact_column + exact_count - 1 if exact_count else self.mark_column
        numbers = [_format_number(cell.number) for grid in grids for row in grid.cells for cell in row if cell.number]
        words = [word for grid in grids for label in grid.columns for word in (label.word, label.role)]
        labels = [str(label) for grid in grids for label in grid.rows]
        widths = dict.fromkeys(range(FIRST_COLUMN, self.last_column + 1), FACTOR_WIDTH)
        widths[self.label_column] = min(MAX_WIDTH, max([LABEL_WIDTH, *(len(label) + 1.0 for label in labels)]))
        product_width = min(MAX_WIDTH, max([CELL_WIDTH, *(len(text) + 1.5 for text in (*numbers, *words))]))
        widths |= dict.fromkeys(range(self.product_column, self.mark_column), SIGN_WIDTH)
        widths |= dict.fromkeys(range(self.product_column, self.mark_column, self.step), product_width)
        widths |= {FIRST_COLUMN: LABEL_WIDTH + 3, self.mark_column: MARK_WIDTH}
        return {column: width * self.scale for column, width in widths.items()}

    def _find_factors(self, panel: Panel) -> tuple[Grid | None, Grid | None]:
        """Return what stands left of a product and above it, as on the page."""
        side = panel.side_factor
        if side and panel.side_panel:  # it stands on a panel of its own, and is copied from there
            side = replace(side, style=GridStyle.COPY)
        return (panel.query_factor, side) if self.sheet.convention.is_rows else (side, panel.query_factor)

    def write(self) -> bytes:
        """Return the file."""
        for column, width in self.widths.items():
            self.page.set_column(column, column, width)
        self.page.set_column(0, 0, None, None, {"hidden": True})
        for row in list_header_rows(self.sheet):
            self._write_hidden_row(row)
        if self.sheet.seat:
            self._write_hidden_row(["number", str(self.sheet.seat.number)])
        count_row = self._write_hidden_row([CELLS_LINE])
        columns = range(1, self.last_column + 1)
        self._write_hidden_row([COLUMNS_LINE, *map(str, columns)])
        first_row = self.row
        for part in self.document.iterate_parts():
            self._write_part(part)
        if self.checks_itself:
            self._write_self_check(first_row)
        self.page.write_string(count_row, 1, str(sum(map(len, self.notes.values()))))
        for at, notes in self.notes.items():
            self.page.write_string(at, 0, " ".join(notes))
        self._set_up_page(first_row)
        title = sentences.format_document_title(self.sheet)
        self.workbook.set_properties({"title": title, "created": CREATED})
        self.workbook.close()
        return self.file.getvalue()

    def _write_hidden_row(self, texts: Sequence[str]) -> int:
        for column, text in enumerate(texts):
            self.page.write_string(self.row, column, text)
        self.page.set_row(self.row, None, None, {"hidden": True})
        self.row += 1
        return self.row - 1

    # what is read

    def _write_part(self, part: object) -> None:
        match part:
            case Head():
                self._write_head(part)
            case StoryHead(sentences=texts, features=features):
                self._write_texts((*texts, features))
            case HouseRules(text):
                self._write_texts((text,))
                if (self.sheet.answer_cell_count or self.sheet.planted_mistake) and not self.sheet.is_solved:
                    example = self.sheet.language.decimal(Fraction(3, 16), self.sheet.problem.rules.decimals)
                    self._write_texts((parse_markup(self.sheet.say("xlsx.type", example=example)),))
                if self.checks_itself:
                    self._write_texts((parse_markup(self.sheet.say("xlsx.signs")),))
            case Heading():
                pass  # stands with the formula of its panel
            case Panel():
                self._write_panel(part)
            case TraceGrids():
                self._begin_block()
                self._write_texts((part.heading,))
                for instructions, grids in part.blocks:
                    self._write_texts(instructions)
                    self._write_grids_in_line(grids)
            case QuestionPanel():
                self._begin_block()
                self._write_texts((part.heading,))
                for question in part.questions:
                    self._write_question(question)
            case MistakeTask(sentences=texts, questions=questions):
                self._write_texts(texts)
                for question in questions:
                    self._write_question(question)
            case ClosingSentences(texts):
                self._write_texts(texts)
            case ShortcutComparison(texts, heat_maps):
                self._begin_block()
                self._write_texts(texts)
                for grids in heat_maps:
                    self._write_grids_in_line(grids)
            case CodeLine():
                if self.document.corrections:
                    self._begin_block()
                    words = (make_bold_text(self.sheet.say("mistake.corrected")),)
                    self._write_texts((*words, parse_markup(self.sheet.say("mistake.correct"))))
                for grid in self.document.corrections:
                    self._begin_block()
                    self._write_grid(grid, self.row + 1, self.product_column)
                    self.row += grid.row_count + 2
                self._write_texts((parse_markup(part.code_and_credit),), font_color=_SOFT, font_size=9)

    def _write_head(self, head: Head) -> None:
        title = make_bold_text(head.title) if head.has_own_title else parse_markup(f"**{head.title}**")
        self._write_texts((title,), font_size=18)
        self._write_texts((head.sizes_and_effort,), font_color=_SOFT, font_size=9)
        self._write_texts((head.formula,))
        if head.tokens:
            text = " · ".join(f"{to_unicode(token.letter)} {token.word}" for token in head.tokens)
            self._write_texts((make_plain_text(text),))
        if head.key_label:
            self._write_texts((make_bold_text(head.key_label),), font_color=_get_colour("red"))
        seat = self.sheet.seat
        if seat is None and self.sheet.is_solved:
            return
        label = self.sheet.say("name") if seat is None else self.sheet.say("seat.number", number=seat.printed_number)
        self.page.write_string(self.row, FIRST_COLUMN, label, self._format(valign="vcenter"))
        self._write_answer(NAME_FIELD, FIRST_COLUMN + 1, self.label_column, seat.name if seat else "")
        if self.sheet.answer_cell_count and not self.sheet.is_solved:
            out_of = self.sheet.say("out_of", cells=self.sheet.answer_cell_count)
            self.total = (self.row, self.product_column, f"{self.sheet.say('total')} ", f" {out_of}")
            text = f"{self.total[2]}______{self.total[3]}"
            self.page.write_string(self.row, self.product_column, text, self._format(valign="vcenter"))
        self._end_row(CELL_HEIGHT)

    def _write_question(self, question: AskedQuestion) -> None:
        """Write a question, beside it a cell for its answer, below it one for the reason."""
        end = self.label_column if question.name else self.last_column
        height = self._write_text(format_question_line(question), FIRST_COLUMN, end)
        if question.name:
            answer = to_unicode(format_answer_line(question)) if self.sheet.is_solved else ""
            self._write_answer(question.name, self.product_column, self.last_column, answer)
            height = max(height, CELL_HEIGHT)
        self._end_row(height)
        if question.has_reason:
            because = self.sheet.say("ask.because")
            self.page.write_string(self.row, FIRST_COLUMN, because, self._format(valign="vcenter"))
            self._write_answer("", FIRST_COLUMN + 2, self.last_column, to_unicode(question.reason))
            self._end_row(CELL_HEIGHT)

    def _write_answer(self, name: str, first: int, last: int, text: str) -> None:
        """Write a cell for words, as wide as some columns."""
        style = self._format(
            num_format=TEXT_FORMAT, locked=self.sheet.is_solved, bottom=_THIN, valign="vcenter", indent=1
        )
        self.page.merge_range(self.row, first, self.row, last, "", style)
        self.page.write_string(self.row, first, text, style)
        if name:
            self._note(self.row, first, name)

    def _write_texts(self, texts: Sequence[Text], **style: Any) -> None:
        """Write paragraphs, each in a row of its own."""
        for text in filter(None, texts):
            self._end_row(self._write_text(text, FIRST_COLUMN, self.last_column, **style))

    def _write_text(self, text: Text, first: int, last: int, **style: Any) -> float:
        """Write a paragraph over some columns, and return how high it is.

        Subtle: no program fits the height of a row to cells that are merged.
        """
        points = float(style.get("font_size", POINTS))
        self.page.merge_range(self.row, first, self.row, last, "", self._format(text_wrap=True, valign="top", **style))
        self._write_runs(self.row, first, text, {"text_wrap": True, "valign": "top", **style})
        pixels = sum(map(_measure_pixels, (self.widths[column] for column in range(first, last + 1))))
        letters = pixels / (PIXELS_PER_LETTER * self.scale * points / POINTS)
        lines = max(1, math.ceil(1.03 * sum(len(run.text) for run in text) / letters))
        return lines * LINE_HEIGHT * points / POINTS + 2

    def _write_runs(self, row: int, column: int, text: Text, style: dict[str, Any]) -> None:
        """Write a text whose runs have styles of their own.

        Subtle: programs that read a cell drop the styles, and a raised 3 behind a 3 is 33; so powers are Unicode, and
        subscripts where there are such characters. What is left is letters, as in W_Q.
        """
        letters = {name: value for name, value in style.items() if name.startswith("font_") or name == "bold"}
        pieces: list[tuple[Format, str]] = []
        for run in text:
            own = letters | ({"bold": True} if run.is_bold or run.style is RunStyle.BOLD else {})
            own |= {"italic": True} if run.is_italic else {}
            written = to_unicode((run,))
            if run.style is RunStyle.SUB and written.startswith("_"):
                own, written = own | {"font_script": _LOWERED}, run.text
            own |= {"font_color": _find_colour(run.accent)} if run.accent else {}
            pieces.append((self._format(**own), written))
            whole = {**style, **own}
        if len(pieces) > 1:
            self.page.write_rich_string(
                row, column, *(part for piece in pieces for part in piece), self._format(**style)
            )
        elif pieces:
            self.page.write_string(row, column, pieces[0][1], self._format(**whole))

    def _end_row(self, height: float) -> None:
        self._set_height(self.row, height)
        self.row += 1

    def _set_height(self, row: int, height: float) -> None:
        self.heights[row] = height * self.scale
        self.page.set_row(row, self.heights[row])

    def _begin_block(self) -> None:
        self._end_row(LINE_HEIGHT * 0.6)
        self.break_rows.append(self.row)

    # matrices

    def _write_panel(self, panel: Panel) -> None:
        """Write a stage as the page has it: its factors at the left and above, cells to fill in the corner."""
        self._begin_block()
        sheet, stage = self.sheet, panel.stage
        left, top = self._find_factors(panel)
        title = panel.heading or make_bold_text(panel.title)
        if stage.facts.has_formula:
            title = (*title, *parse_markup(f"**: {sentences.format_equation(sheet, stage)}**"))
        border = {"top": _THIN, "top_color": _get_colour("edge")} if panel.heading else {}
        self._write_texts((title,), font_size=13, **border)
        if stage.facts.reminder_key:
            self._write_texts((parse_markup(sentences.format_powers_reminder(sheet)),))
        guess = (format_guess_line(panel.guess),) if panel.guess else ()
        texts = (panel.purpose, *(paragraph.text for paragraph in panel.paragraphs))
        self._write_texts((*texts, *guess))
        if top and (sheet.convention.is_rows or top.name not in self.tops[-2:]):
            self._write_grid(top, self.row + 1, self.product_column, self.step)
            self.row += top.row_count + 1
            self.tops.append(top.name)
        self.tops.append(panel.grid.name)
        if panel.exact_grid:
            place = (self.row, self.mark_column)
            self.page.write_string(*place, to_unicode(panel.exact_caption), self._format(font_color=_SOFT, font_size=9))
            self._end_row(LINE_HEIGHT)
            self._write_grid(panel.exact_grid, self.row + 1, self.exact_column)
        if left:
            self._write_grid(left, self.row + 1, self.label_column - left.column_count)
        self._write_grid(panel.grid, self.row + 1, self.product_column, self.step)
        if panel.mark_box:
            self.page.write_string(
                self.row + 1, self.mark_column, to_unicode(panel.mark_box), self._format(**_MARK_BOX)
            )
        self.mark_boxes.append((self.row + 1, panel))
        self.row += 1 + max(grid.row_count for grid in (panel.grid, left) if grid)
        if self.checks_itself and panel.cell_count:
            self.remark_rows[panel.stage.name] = self.row
            self._end_row(LINE_HEIGHT)
        self._write_texts((panel.check_sums,) if panel.check_sums else ())

    def _write_grids_in_line(self, grids: Sequence[Grid]) -> None:
        """Write matrices beside one another, from the left."""
        column, height = FIRST_COLUMN + 2, 0
        for grid in grids:
            if height and column + grid.column_count > self.last_column + 1:
                self.row += height + 2
                column, height = FIRST_COLUMN + 2, 0
            self._write_grid(grid, self.row + 1, column)
            column, height = column + grid.column_count + 2, max(height, grid.row_count)
        self.row += height + 2

    def _write_grid(self, grid: Grid, row: int, column: int, step: int = 1) -> None:
        """Write a matrix whose first cell stands there; its labels stand at the left and above.

        With a step of 2 every cell has room for a sign at its right, within the same lines.
        """
        head = self._format(font_color=_SOFT, font_size=9, align="center", valign="bottom", text_wrap=True)
        side = self._format(font_color=_SOFT, font_size=9, align="right", valign="vcenter", indent=1)
        corner = {
            "font_color": _find_colour(grid.accent),
            "bold": True,
            "align": "right",
            "valign": "bottom",
            "indent": 1,
        }
        self._write_runs(row - 1, column - 1, grid.name, corner)
        for j, label in enumerate(grid.columns):
            self.page.write_string(row - 1, column + j * step, _format_head(label), head)
        lines = max((1 + _format_head(label).count("\n") for label in grid.columns), default=1)
        self._set_height(row - 1, max(self.heights.get(row - 1, 0.0) / self.scale, 1 + 13 * lines))
        for i, cells in enumerate(grid.cells):
            self._set_height(row + i, CELL_HEIGHT)
            self.page.write_string(row + i, column - 1, str(grid.rows[i]), side)
            for j, cell in enumerate(cells):
                style = self._style_cell(grid, i, j)
                if step > 1:
                    sign_style = {name: value for name, value in style.items() if not name.startswith("left")}
                    style = {name: value for name, value in style.items() if not name.startswith("right")}
                    self.sign_formats[row + i, column + j * step + 1] = sign_format = self._format(**sign_style)
                    self.page.write_blank(row + i, column + j * step + 1, None, sign_format)
                self._write_cell(cell, row + i, column + j * step, style)

    def _style_cell(self, grid: Grid, i: int, j: int) -> dict[str, Any]:
        """Return how a cell looks: within brackets, in the colour of its matrix; lines only where one writes."""
        cell = grid.cells[i][j]
        style: dict[str, Any] = {"align": "center", "valign": "vcenter"}
        if grid.style in (GridStyle.WORKED, GridStyle.COPY):
            dashed = grid.style is GridStyle.COPY
            line, line_colour = _DASHED if dashed else _THIN, _get_colour("edge" if dashed else "line")
            style |= dict.fromkeys(_SIDES, line) | {f"{side}_color": line_colour for side in _SIDES}
        if grid.style is GridStyle.HEAT:
            return style | {"bg_color": _write_colour(SHADES[cell.shade])}
        if grid.style is GridStyle.EXACT:
            style |= {"font_color": _SOFT, "font_size": 9}
        if grid.style is GridStyle.WORKED and cell.kind is CellKind.GIVEN:
            style["bg_color"] = _get_colour("given")
        colour = _find_colour(grid.accent)
        style |= {"left": _MEDIUM, "left_color": colour} if j == 0 else {}
        return style | ({"right": _MEDIUM, "right_color": colour} if j == grid.column_count - 1 else {})

    def _write_cell(self, cell: Cell, row: int, column: int, style: dict[str, Any]) -> None:
        """Write a cell of a grid; one that stands elsewhere on the page too shows what stands there.

        Where Q is worked, its cells are empty and have an address; where it is a factor of the scores, they show what
        is written there: ``=IF(C9="","",C9)``.
        """
        if cell.kind is CellKind.ANEW:  # worked anew: the printed cell on the same page has its address
            self._note(row, column, cell.address)
            self._write_number_or_blank(cell.number, row, column, style)
            return
        address = self._find_new_address(cell)
        if address:
            self.places[address] = (row, column)
            if self._is_read_from_file(cell):
                self._note(row, column, address)
        copied_from = cell.copied_from or ("" if address else cell.address)
        number = cell.number or self.numbers.get(copied_from)
        if number is None and copied_from in self.places:
            source = name_cell(*self.places[copied_from])
            self.page.write_formula(row, column, f'=IF({source}="","",{source})', self._format(**style), "")
            return
        if number is not None and address:
            self.numbers[address] = number
        self._write_number_or_blank(number, row, column, style)

    def _find_new_address(self, cell: Cell) -> str:
        """Return the address of a cell, a given one too, where it stands for the first time; else nothing."""
        address = cell.address
        if cell.source and cell.source.value_kind is ValueKind.GIVEN:
            address = format_cell_address(cell.source.matrix, cell.source.row, cell.source.column)
        return "" if address in self.places else address

    def _is_read_from_file(self, cell: Cell) -> bool:
        """Say whether marking reads the cell: a given number, and an answer unless the sheet has a mistake to find."""
        if cell.source and cell.source.value_kind is ValueKind.GIVEN:
            return True
        return cell.kind is not CellKind.GIVEN and not self.sheet.planted_mistake  # there an answer is written anew

    def _write_number_or_blank(
        self, number: PrintedNumber | None, row: int, column: int, style: dict[str, Any]
    ) -> None:
        if number is not None:
            self._write_number(number, row, column, style)
        else:  # to be filled in
            self.page.write_blank(row, column, None, self._format(**style, num_format=TEXT_FORMAT, locked=False))

    def _write_number(self, number: PrintedNumber, row: int, column: int, style: dict[str, Any]) -> None:
        text = _format_number(number)
        if _WHOLE_NUMBER.fullmatch(text):
            style = {**style, "num_format": WHOLE_NUMBER_FORMAT}
            self.page.write_number(row, column, int(text.replace("−", "-")), self._format(**style))
        else:
            self.page.write_string(row, column, text, self._format(**style, num_format=TEXT_FORMAT))

    def _note(self, row: int, column: int, address: str) -> None:
        self.notes.setdefault(row, []).append(format_placed_cell(address, column))

    def _write_self_check(self, first_row: int) -> None:
        """Write hidden formulas for every answer, the signs, the counts and what is said of slips."""
        check = SelfCheck(self.sheet, self.places, self.last_column + 2, first_row)
        for formula in check.formulas:
            style = self.sign_formats[formula.row, formula.column] if formula.is_sign else self._format()
            self.page.write_formula(formula.row, formula.column, formula.text, style, formula.value)
        self.page.set_column(self.last_column + 2, check.last_column, None, None, {"hidden": True})
        for row, panel in self.mark_boxes:
            if panel.cell_count:
                out_of = f" {self.sheet.say('out_of', cells=panel.cell_count)}"
                text = f'=({check.format_score([panel.stage.name])})&"{out_of}"'
                self.page.write_formula(row, self.mark_column, text, self._format(**_MARK_BOX), f"0{out_of}")
        for stage in self.sheet.problem.mechanism.stages:
            if stage.name in self.remark_rows and (remark := check.format_remark(stage)):
                row, style = self.remark_rows[stage.name], self._format(font_color=_get_colour("red"), italic=True)
                self.page.write_formula(row, FIRST_COLUMN, remark, style, "")
        row, column, before, after = self.total
        text = f'="{before}"&({check.format_score([*check.ranges])})&"{after}"'
        self.page.write_formula(row, column, text, self._format(valign="vcenter"), f"{before}0{after}")
        for cells in check.ranges.values():
            self._colour_marks(cells)

    def _colour_marks(self, cells: str) -> None:
        """Colour the answers of a stage and their signs: each is asked for itself and for the cell at its right."""
        first = cells.partition(":")[0]
        row, column = xl_cell_to_rowcol(first)
        beside = name_cell(row, column + 1)
        for sign, colour in MARK_COLOURS.items():
            style = self.workbook.add_format(
                {"font_color": _get_colour(colour), "bg_color": _get_colour(f"{colour}-tint")}
            )
            rule = f'=OR({first}="{sign}",{beside}="{sign}")'
            self.page.conditional_format(cells, {"type": "formula", "criteria": rule, "format": style})

    # how it is printed

    def _set_up_page(self, first_row: int) -> None:
        """Print it as wide as the paper, with no matrix over two pages; let nothing be changed but what is asked."""
        paper, width, height = PAPERS[self.sheet.options.paper]
        pixels = sum(map(_measure_pixels, self.widths.values()))
        if pixels > MAX_PORTRAIT_PIXELS:
            self.page.set_landscape()
            width, height = height, width
        share = min(1.0, (width - 2 * MARGIN) * PIXELS_PER_INCH / pixels)
        self.page.set_paper(paper)
        self.page.set_margins(left=MARGIN, right=MARGIN, top=MARGIN, bottom=FOOT)
        self.page.fit_to_pages(1, 0)
        self.page.print_area(first_row, FIRST_COLUMN, self.row - 1, self.last_column)
        self.page.set_h_pagebreaks(self._find_breaks(first_row, (height - MARGIN - FOOT) * POINTS_PER_INCH / share))
        self.page.set_footer(f"&L&8{to_unicode(parse_markup(self.document.code_line.code))}&R&8&P / &N")
        self.page.hide_gridlines(2)
        self.page.ignore_errors({"number_stored_as_text": f"A1:{name_cell(self.row, self.last_column)}"})
        self.page.protect("", {"format_cells": True, "format_columns": True, "format_rows": True})

    def _find_breaks(self, first_row: int, room: float) -> list[int]:
        """Return the rows that begin a page: as few as may be, each of them a block's first."""
        breaks, used = [], 0.0
        for start, end in pairwise([first_row, *self.break_rows, self.row]):
            height = sum(self.heights.get(row, LINE_HEIGHT) for row in range(start, end))
            if used and used + height > room:
                breaks.append(start)
                used = 0.0
            used += height
        return breaks

    def _format(self, **properties: Any) -> Format:
        size = properties.get("font_size", POINTS)
        given = {"font_color": _INK, **properties, "font_size": size * self.scale}
        known = tuple(sorted(given.items()))
        if known not in self.formats:
            self.formats[known] = self.workbook.add_format(given)
        return self.formats[known]


def _measure_pixels(width: float) -> int:
    return int(width * 7 + 5)


def _format_number(number: PrintedNumber) -> str:
    """Return a value as one line.

    >>> _format_number(PrintedNumber("−", "1", "2", "= 3/6")), _format_number(PrintedNumber("2", note="key 3"))
    ('−1/2 = 3/6', '2 (key 3)')
    """
    note = number.note if not number.note or number.note.startswith("=") else f"({number.note})"
    return f"{number} {note}".rstrip()


def _format_head(label: Label) -> str:
    """Return the label of a column: word, letter and role below one another."""
    return "\n".join(filter(None, (label.word, to_unicode(label.letter), label.role)))


def _find_colour(accent: str) -> str:
    return _get_colour(ACCENTS.get(accent, "ink"))
