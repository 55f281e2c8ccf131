"""``review.csv`` and ``review.xlsx``: what is doubtful, a line each, with an empty column for the teacher's decision.

Written and read in the language of the class; whatever a spreadsheet makes of it is read.
"""

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cache
from pathlib import Path

from attnhand.attention.numbers import is_finite
from attnhand.attention.spellings import read_number
from attnhand.classroom.class_tables import (
    NUMBER,
    find_columns,
    fold_title,
    list_column_titles,
    read_class_table,
    write_column_title,
    write_table,
)
from attnhand.classroom.marks_table import find_seat
from attnhand.classroom.matching import fold_name, read_student_number
from attnhand.classroom.register import MAX_TABLE_LINES
from attnhand.errors import NumberError, RosterError, TableError, escape_controls, name_option, shorten
from attnhand.marking.decisions import MARKS_OF_VERDICTS, Verdict
from attnhand.sheet.seat import Seat
from attnhand.system.digests import DIGEST_PREFIX, add_digest, is_untouched
from attnhand.system.files import read_file
from attnhand.system.tables import escape_formula, unescape_formula
from attnhand.text import LANGUAGES, Language, get_language

REVIEW_FILES = ("review.csv", "review.xlsx", "review.ods")
"""Where decisions may stand: what we write, and what a spreadsheet saved of it."""

MAX_REVIEW_BYTES = 20_000_000

COLUMNS = (NUMBER, "name", "code", "file", "cell", "place", "written", "key", "why", "decision")

WIDTHS = {NUMBER: 6, "name": 22, "code": 22, "file": 22, "cell": 11, "place": 26, "written": 16, "key": 16, "why": 60}
"""Of columns in the Excel file, in digits."""

CREATED = datetime(2000, 1, 1)
"""What the Excel file says of its age: the same lines are the same file on every day."""

TEXT_FORMAT = 49
"""Excel's number of the format of text, in which a typed 1/3 is no date."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReviewLine:
    """One line: what is doubtful, or what was decided."""

    number: int | None = None
    """The student's №; None where there is no index."""

    name: str = ""
    code: str = ""
    file: str = ""
    cell: str = ""
    """A cell, a question, a stage, or the whole sheet, as the program calls it: S[2,3], ask1, S, sheet."""

    place: str = ""
    """The same as the sheet says it."""

    written: str = ""
    """In quotation marks, so that no spreadsheet takes it for a date or a formula; empty where there is no one text."""

    key: str = ""
    why: str = ""
    decision: str = ""
    """As it was typed; empty where nothing is decided."""

    verdict: Verdict | None = None
    """What was decided; None where nothing was, or it is a number."""

    others: Mapping[str, str] = field(default_factory=dict)
    """What stands in columns that somebody added, by their titles."""

    source: str = ""
    """Where it was read, for refusals: "review.csv, line 3,"."""

    @property
    def meaning(self) -> str:
        """What was decided, however it was typed."""
        return self.verdict or self.decision


def quote(text: str) -> str:
    """Put a text into quotation marks, in one line; of a long one its beginning and end."""
    return f"“{shorten(escape_controls(' '.join(text.split())))}”" if text.strip() else ""


def format_review_rows(lines: Sequence[ReviewLine], language: Language) -> list[list[str]]:
    """Return the table: its titles, then a row a line.

    >>> line = ReviewLine(number=7, name="Ada", cell="S[2,3]", written=quote("1,234"), key="−1", decision="right")
    >>> format_review_rows([line], get_language("en"))[1]
    ['007', 'Ada', '', '', 'S[2,3]', '', '“1,234”', '−1', '', 'right']
    """
    others = list(dict.fromkeys(title for line in lines for title in line.others))
    rows = [[*(write_column_title(column, language) for column in COLUMNS), *map(escape_formula, others)]]
    for line in lines:
        texts = [getattr(line, column) for column in COLUMNS if column != NUMBER]
        texts = ["" if line.number is None else f"{line.number:03d}", *texts, *(line.others.get(t, "") for t in others)]
        rows.append([escape_formula(text) for text in texts])
    return rows


def render_review_csv(rows: Sequence[Sequence[str]], language: Language) -> bytes:
    """Return the table as CSV, with its digest."""
    return add_digest(write_table(rows, language).encode("utf-8-sig"), "csv")


def render_review_xlsx(rows: Sequence[Sequence[str]]) -> bytes:
    """Return the table as an Excel file, all of it text, with its digest."""
    from xlsxwriter import Workbook  # whoever reads help does not wait for it

    file = io.BytesIO()
    workbook = Workbook(file, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    workbook.set_properties({"created": CREATED})
    page = workbook.add_worksheet("review")
    plain = workbook.add_format({"num_format": TEXT_FORMAT, "text_wrap": True, "valign": "top"})
    bold = workbook.add_format({"bold": True})
    for i, row in enumerate(rows):
        for j, text in enumerate(row):
            page.write_string(i, j, unescape_formula(text), plain if i else bold)
    for j, column in enumerate(COLUMNS):
        page.set_column(j, j, WIDTHS.get(column, 14), plain)
    page.freeze_panes(1, 0)
    workbook.close()
    return add_digest(file.getvalue(), "zip")


def read_review_files(
    paths: Sequence[Path], index: Sequence[Seat] | None, language: Language
) -> tuple[ReviewLine, ...]:
    """Read what was decided, from whichever of the files somebody has changed; if nobody has, from the first.

    Args:
        index: who has which №; None where there is no class.
        language: the one in which refusals say what may be written.

    Raises:
        RosterError: one is no such table, holds a decision that is none, or two say different things.
    """
    found = [(path, _read_file(path)) for path in paths if path.exists()]
    changed = [(path, data) for path, data in found if not is_untouched(data)] or found[:1]
    lines: dict[tuple[object, ...], ReviewLine] = {}
    for path, data in changed:
        reader = _Reader(path, None if index is None else {seat.number: seat for seat in index}, language)
        own: dict[tuple[object, ...], ReviewLine] = {}
        for line in reader.read_lines(data):
            key = (*find_student_key(line.number, line.name, line.file), line.code.casefold(), line.cell, line.written)
            earlier = own.get(key) or lines.get(key)
            if earlier and earlier.decision and line.decision and earlier.meaning != line.meaning:
                remedy = "leave out one of the two lines" if key in own else "move one of the two files elsewhere"
                raise RosterError(f"{line.source} decides {line.cell} otherwise than {earlier.source} does: {remedy}")
            own[key] = earlier if earlier and earlier.decision else line
        lines |= own
    return tuple(lines.values())


def find_student_key(number: int | None, name: str, file: str) -> tuple[int, str]:
    """Return what tells whose a line is: the №, without one the name, without both the file."""
    return (number, "") if number else (0, fold_name(name) or file)


def _read_file(path: Path) -> bytes:
    return read_file(path, MAX_REVIEW_BYTES, kind="such table", advice=_MOVE)


_MOVE = f"move it elsewhere, or choose another {name_option('out')}"


class _Reader:
    """One file with decisions, and what is known of the class."""

    def __init__(self, path: Path, seats: Mapping[int, Seat] | None, language: Language) -> None:
        self.path, self.seats, self.language = path, seats, language

    def read_lines(self, data: bytes) -> Iterator[ReviewLine]:
        """Yield the lines in which something is decided, or noted in a column of one's own."""
        titles = list_column_titles(COLUMNS[1:])
        try:
            rows = read_class_table(data, MAX_TABLE_LINES, lambda title: fold_title(title).casefold() in titles)
        except TableError as error:
            raise RosterError(f"{self.path} {error}") from None
        columns = find_columns(rows[0], COLUMNS) if rows else {}
        if not any(map(any, rows)):
            raise RosterError(f"{self.path} is empty: put back what stood there, or delete it")
        if missing := [each for each in (NUMBER, "file", "cell", "decision") if each not in columns]:
            title = write_column_title(missing[0], self.language)
            raise RosterError(f"{self.path} has no column {title}, so it is no list of decisions: {_MOVE}")
        for at, row in enumerate(rows[1:], 2):
            cells = [unescape_formula(text.strip()) for text in (*row, *[""] * (len(rows[0]) - len(row)))]
            if any(cells[len(rows[0]) :]):
                fault = f"{self.path}, line {at}, has more cells than there are titles"
                raise RosterError(f"{fault}: put a number with a comma into quotes, or leave out what is too much")
            if any(cells) and not cells[0].startswith(DIGEST_PREFIX):
                line = self._read_line(at, {name: cells[place] for name, place in columns.items()})
                others = {title: text for title, text in zip(rows[0], cells, strict=False) if title and text}
                for place in columns.values():
                    others.pop(rows[0][place], None)
                if line.decision or others:
                    yield replace(line, others=others)

    def _read_line(self, at: int, texts: dict[str, str]) -> ReviewLine:
        source = f"{self.path}, line {at},"
        number_text, decision = texts.pop(NUMBER), texts["decision"]
        number = read_student_number(number_text)
        if decision and self.seats is not None:
            try:
                number = find_seat(at, number_text, texts.get("name", ""), self.seats).number
            except RosterError as error:
                fault = "has no №" if not number_text else None
                advice = "write it before the decision, or leave that empty"
                raise RosterError(f"{source} {fault}: {advice}" if fault else f"{self.path} {error}") from None
        if decision and not texts["cell"]:
            raise RosterError(f"{source} does not say what is decided: write a cell, such as S[2,3], or ask1, or sheet")
        verdict = self._read_verdict(decision, source) if decision else None
        own = {name: texts.get(name, "") for name in COLUMNS[1:]}
        return ReviewLine(
            number=number,
            name=own["name"],
            code=own["code"],
            file=own["file"],
            cell=own["cell"],
            place=own["place"],
            written=own["written"],
            key=own["key"],
            why=own["why"],
            decision=decision,
            verdict=verdict,
            source=source,
        )

    def _read_verdict(self, text: str, source: str) -> Verdict | None:
        """Return what was decided; None for a number."""
        if verdict := _list_words().get(_fold_word(text)):
            return verdict
        words = [self.language.format(f"review.{verdict}") for verdict in Verdict]
        remedy = f"write {', '.join(words)} or a number, or leave it empty"
        try:
            reading = read_number(text)
        except NumberError as error:
            if any(sign.isdigit() for sign in text):  # how to write it
                raise RosterError(f"{source} has a decision that {error}") from None
            reading = None
        if reading is None or not is_finite(reading.value):
            raise RosterError(f"{source} has {shorten(text)!r} as decision, which is none: {remedy}")
        return None


def _fold_word(text: str) -> str:
    return " ".join(text.casefold().replace("-", " ").replace("_", " ").split())


@cache
def _list_words() -> Mapping[str, Verdict]:
    """Return the words for decisions in all languages."""
    words: dict[str, Verdict] = {}
    for verdict in Verdict:
        for code in LANGUAGES:
            say = get_language(code).format
            as_marked = say(f"column.{MARKS_OF_VERDICTS[verdict]}")  # the gradebook's word
            texts = (str(verdict), as_marked, say(f"review.{verdict}"), *say(f"review.{verdict}.also").split(","))
            words |= dict.fromkeys(map(_fold_word, texts), verdict)
    return words
