"""The table of a sheet as it comes back: found where somebody moved it, its matrices where they were put."""

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise, takewhile

from attnhand.attention.matrix import shape
from attnhand.attention.spellings import list_date_fractions, read_number
from attnhand.errors import AnswerError, NumberError, PageError
from attnhand.sheet.addresses import format_printed_name
from attnhand.sheet.sheet import UNASKED_CELL_TEXT, Sheet
from attnhand.system.digests import DIGEST_PREFIX
from attnhand.system.tables import MISREAD_BOM, convert_serial
from attnhand.text import Message

TextRows = tuple[tuple[str, ...], ...]
"""A matrix as it was written: rows of cells, maybe ragged."""

HEADER = "attnhand"
"""In the first cell of a sheet's table; its code stands beside."""

MAX_LINES_BEFORE = 50
"""Lines that somebody may have put above the table: a title, a name, a date."""

HEADER_LINE_PATTERN = re.compile(rf"^[\s>\"',;]*{HEADER}[\"']*[ ]?([,;\t])", re.MULTILINE)
"""The first line of a table as text, and what stands between its cells."""

CELLS_LINE, COLUMNS_LINE = "cells", "columns"
"""Lines of a table laid out like the page: how many cells its first column names, and the number of every column."""

NAME_FIELD = "name"
"""What the first column calls the cell for a student's name."""

_QUESTION_NAME = re.compile(r"ask[1-9][0-9]?")
_PLACED_CELL = re.compile(r"([\w.]+(?:\[[0-9]+,[0-9]+\])?)=([0-9]{1,3})(?= |$)")
_LABEL = re.compile(r"[A-Za-z][0-9₀-₉]{1,2}")
_SERIAL = re.compile(r"[1-7][0-9]{4}")

PLAUSIBLE_SERIALS = range(43_831, 49_675)
"""Days of 2020 to 2035 as spreadsheets count them: no other answer looks so."""


def is_question_name(name: str) -> bool:
    """Say whether a block holds the answer to a question.

    >>> is_question_name("ask2"), is_question_name("A")
    (True, False)
    """
    return _QUESTION_NAME.fullmatch(name) is not None


def find_table(rows: Sequence[Sequence[str]]) -> TextRows | None:
    """Return the table of a sheet from its first line on, moved to the left edge; None where there is none.

    >>> find_table([["Ada"], [], ["", "attnhand", "A1"], ["", "", "7"]])
    (('attnhand', 'A1'), ('', '7'))
    """
    for at, row in enumerate(rows[:MAX_LINES_BEFORE]):
        first = next((cell for cell in row if cell.strip()), "").strip().removeprefix(MISREAD_BOM)
        if first.casefold() == HEADER:
            table = [tuple(map(str.strip, each)) for each in rows[at:]]
            indent = min(len(list(takewhile(lambda cell: not cell, each))) for each in table if any(each))
            return ((HEADER, *table[0][indent + 1 :]), *(each[indent:] for each in table[1:]))
    return None


def format_placed_cell(address: str, column: int) -> str:
    """Return how the first column of a table laid out like the page says where a cell stands.

    >>> format_placed_cell("S[2,3]", 12)
    'S[2,3]=12'
    """
    return f"{address}={column}"


def read_placed_cells(table: TextRows) -> Mapping[str, str] | None:
    """Return what stands in the cells of a table laid out like the page, by address; None of any other table.

    The first column says of every row which cells stand in it, and a line numbers the columns: so rows and columns
    may be put in, and only what is lost is missed.

    >>> read_placed_cells((("attnhand", "A1"), ("cells", "2"), ("columns", "1", "2"), ("Q[1,1]=2 Q[1,2]=1", "7", "8")))
    {'Q[1,1]': '8', 'Q[1,2]': '7'}

    Raises:
        AnswerError: cells are missing or there twice: somebody changed what says where they are.
    """
    # from the end, so that the first line of a name is kept: ours stands above whatever somebody copied
    lines = {row[0]: row[1:] for row in reversed(table) if row and row[0] in (CELLS_LINE, COLUMNS_LINE)}
    if lines.keys() != {CELLS_LINE, COLUMNS_LINE}:
        return None
    columns = {number: at for at, number in enumerate(lines[COLUMNS_LINE], 1) if number}
    cells: dict[str, str] = {}
    count = 0
    for row in table:
        for address, column in _PLACED_CELL.findall(row[0] if row else ""):
            at = columns.get(column)
            count += at is not None
            cells[address] = row[at] if at is not None and at < len(row) else ""
    stated_count = next(iter(lines[CELLS_LINE]), "")
    is_each_there_once = count == len(cells)  # less where a column was lost, more where a line was copied
    if not is_each_there_once or stated_count != str(count):
        raise AnswerError(Message("answers.moved"))
    return cells


def list_blocks(rows: TextRows) -> Iterator[tuple[str, TextRows]]:
    """Yield every block: a line with its name alone after an empty line, and the lines up to the next empty one.

    Subtle: a line of empty cells is a line of unanswered ones where the block still misses lines; spreadsheets save
    the lines between blocks as empty cells too, so only the name of the next block ends one.
    """
    starts = [at for at, row in enumerate(rows) if at and _is_block_name(row) and not any(rows[at - 1])]
    for start, end in pairwise([*starts, len(rows) + 1]):
        yield rows[start][0], rows[start + 1 : end - 1]


def _is_block_name(row: Sequence[str]) -> bool:
    return bool(row) and row[0][:1].isalpha() and not any(row[1:])


class TableArranger:
    """Puts what stands in a table where the sheet asks for it."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.keys = sheet.solution.collect_hand_values()
        shapes = {name: shape(a) for name, a in self.keys.items()}
        self.shapes = {**shapes, **{f"{name} exact": size for name, size in shapes.items()}}
        self.printed_names = {format_printed_name(sheet, name): name for name in self.keys}

    def find_name(self, text: str) -> str:
        """Return the id that a block's name means: as files have it or as it is printed; empty where it means none."""
        text = text.strip().rstrip(":=").rstrip()
        if text in self.shapes or is_question_name(text):
            return text
        if name := self.printed_names.get(text):
            return name
        if len(text) > 1 or not text.isascii():  # a lone "x" is an answer rather than X
            try:
                found = self.sheet.find_stages(text)
            except PageError:
                return ""
            return found[0] if len(found) == 1 else ""
        return ""

    def arrange(self, rows: TextRows) -> Mapping[str, TextRows]:
        """Return the blocks of a table by name, every matrix moved to where it belongs.

        Lines that a student's own word had cut off are put back. Subtle: a lone "x" after an empty line looks like the
        name of a block. It is an answer where no block of the sheet is called so, or that block was there before, and
        the block before it still misses lines:

            sums, ("5",), (""), ("x",), ("7",)  is read as  sums: (("5",),)  and  x: (("7",),)

        Raises:
            AnswerError: it has a block twice.
        """
        joined: dict[str, TextRows] = {}
        last = ""
        for written, block in self._split(rows):
            name = self.find_name(written)
            if last and (not name or name in joined):
                if len(joined[last]) + 2 + len(block) <= self._count_rows(last):
                    joined[last] += (("",), (written,), *block)
                    continue
                if not any(map(_is_answer, (cell for row in block for cell in row))):
                    continue  # a note
            name = name or written
            if name in joined:
                raise AnswerError(Message("answers.twice", stage=name))
            joined[name], last = block, name
        return {name: self._align(name, block) for name, block in joined.items()}

    def _count_rows(self, name: str) -> int:
        return self.shapes[name][0] if name in self.shapes else 0

    def _split(self, rows: TextRows) -> Iterator[tuple[str, TextRows]]:
        """Yield the blocks, also those whose name follows at once on a whole block, or has something beside it."""
        rows = tuple(row for row in rows if not (row and row[0].startswith(DIGEST_PREFIX)))
        starts: list[tuple[int, str]] = []
        seen: set[str] = set()
        for at, row in enumerate(rows[1:], 1):
            first, *others = [cell for cell in row if cell] or [""]
            name, is_after_blank = self.find_name(first), not any(rows[at - 1])
            is_whole = bool(starts) and at - 1 - starts[-1][0] >= self._count_rows(self.find_name(starts[-1][1])) > 0
            is_new = bool(name) and name not in seen and (is_after_blank or is_whole)
            is_beside = is_new and any(map(_is_answer, others))
            if (is_new and (not is_beside or is_after_blank)) or (is_after_blank and _is_block_name(row)):
                starts.append((at, first))
                seen.add(name)
        for (start, name), (end, _) in pairwise([*starts, (len(rows) + 1, "")]):
            stop = end if end <= len(rows) and any(rows[end - 1]) else end - 1
            beside = rows[start][rows[start].index(name) + 1 :]
            first_row = (("", *beside),) if any(map(_is_answer, beside)) else ()
            yield name, (*first_row, *rows[start + 1 : stop])

    def _align(self, name: str, block: TextRows) -> TextRows:
        """Return a matrix without what stands around it: labels, notes, lines and columns that were put before it.

        Whatever is as large as the matrix stays as it is: a column of empty cells may be one of unanswered ones. Days
        that a spreadsheet has made of fractions become dates again.

            ("", "q1", "q2"), ("k1", "1", "2"), ("k2", "3"), ("a note",)  is read as  ("1", "2"), ("3", "")
        """
        if name not in self.shapes:
            return block
        height, width = self.shapes[name]
        rows = [_strip_end(row) for row in block]
        if rows and _is_label_row(rows[0]):
            rows = rows[1:]
        rows = _cut_lines(rows, height)
        if rows and all(row and _LABEL.fullmatch(row[0]) for row in rows):  # k1, k2, …
            rows = [row[1:] for row in rows]
        rows = _cut_columns(rows, width)
        # spreadsheets leave out what is empty at the end of lines and tables
        rows += [()] * (height - len(rows))
        rows = [(*row, *[""] * (width - len(row))) for row in rows]
        return tuple(self._restore_dates(name, i, row) for i, row in enumerate(rows))

    def _restore_dates(self, name: str, i: int, row: Sequence[str]) -> tuple[str, ...]:
        """Write a day's number as a date where it is one rather than an answer: 46031 was 9 January, and 1/9 before."""
        key = self.keys.get(name, ())
        restored = list(row)
        for j, text in enumerate(row):
            if _SERIAL.fullmatch(text) and i < len(key) and j < len(key[i]) and key[i][j] != int(text):
                day = str(convert_serial(int(text)))
                fractions = map(read_number, list_date_fractions(day))
                is_key = any(reading and reading.value == key[i][j] for reading in fractions)
                restored[j] = day if is_key or int(text) in PLAUSIBLE_SERIALS else text
        return tuple(restored)


def _is_label_row(row: Sequence[str]) -> bool:
    """Say whether a line holds labels and nothing else: "", q1, q2."""
    filled = [cell for cell in row if cell]
    return bool(filled) and all(_LABEL.fullmatch(cell) for cell in filled)


def _cut_lines(rows: list[tuple[str, ...]], height: int) -> list[tuple[str, ...]]:
    """Leave out lines without an answer at the end, then at the beginning, down to so many."""
    while len(rows) > height:
        if not any(map(_is_answer, rows[-1])):
            rows = rows[:-1]
        elif not any(map(_is_answer, rows[0])):
            rows = rows[1:]
        else:
            break
    return rows


def _cut_columns(rows: list[tuple[str, ...]], width: int) -> list[tuple[str, ...]]:
    """Leave out columns without an answer behind the matrix, else before it, down to so many."""
    while max(map(len, rows), default=0) > width:
        if not any(_is_answer(cell) for row in rows for cell in row[width:]):
            rows = [row[:width] for row in rows]
        elif not any(_is_answer(cell) for row in rows for cell in row[:1]):
            rows = [row[1:] for row in rows]
        else:
            break
    return rows


def _strip_end(row: Sequence[str]) -> tuple[str, ...]:
    length = max((at for at, cell in enumerate(row, 1) if cell), default=0)
    return tuple(row[:length])


def _is_answer(text: str) -> bool:
    """Say whether a cell holds an answer, maybe one that cannot be read, rather than a label or a note."""
    try:
        return text == UNASKED_CELL_TEXT or read_number(text) is not None
    except NumberError as error:
        reason = error.args[0]
        return isinstance(reason, Message) and reason.key not in ("number.not-a-number", "number.too-long")
