"""Spreadsheets of Excel, LibreOffice, Numbers and Google Sheets, .xlsx and .ods, read as rows of texts.

Own code, for hostile files ask for bounds that no library has: every part is unpacked as far as a limit and no
further, how far cells reach is known before room is made for them, no entity is expanded.

Weighed: python-calamine, which is ten times as fast (2 ms for 17). It takes a file at its word: two cells at far
corners, 4 milliard shared texts that are only announced, or one long text in many cells, and it ends the whole program
(abort, which Python cannot catch). What keeps such files from it has to follow rows, columns, repetitions and texts
through the XML as this reader does, and was as long.
"""

import io
import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from itertools import product
from posixpath import dirname, join, normpath
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from attnhand.errors import Message, TableError
from attnhand.system.tables import convert_serial

MAX_PART_BYTES = 25_000_000
"""Bytes that one part may unpack to: a filled sheet takes a hundred thousand, a roster of 10,000 three million, a block
of two heads that checks itself eleven million, and a quarter more from LibreOffice."""

MAX_PARTS, MAX_SHEETS = 1_000, 10

MAX_ELEMENTS, MAX_CELLS, MAX_LETTERS = 250_000, 100_000, MAX_PART_BYTES
"""In one part, and filled cells of one table and the letters in them."""

MAX_ROWS, MAX_COLUMNS = 10_100, 500
"""As far as cells are read; a sheet has a few hundred rows and a few dozen columns, a roster a row a student."""

_WORKBOOK, _CONTENT = "xl/workbook.xml", "content.xml"
_FOREIGN_PARTS = re.compile(
    r"vbaProject|vbaData|macrosheets/|^Basic/|^Scripts/|externalLinks/|/connections\.xml$|activeX/|embeddings/"
)
"""Macros, and what is fetched from elsewhere."""

_DATE_FORMAT_IDS = frozenset((*range(14, 23), *range(27, 37), *range(45, 48), *range(50, 59)))
_TIME_FORMAT_IDS = frozenset((*range(18, 22), *range(45, 48)))
_CELL_REFERENCE = re.compile(r"([A-Z]{1,3})([0-9]{1,7})")

# Subtle: a damaged archive fails in as many ways as zipfile has lines that trust it.
_DAMAGES = (
    zipfile.BadZipFile, zlib.error, expat.ExpatError, OSError, EOFError, RuntimeError,
    ValueError, LookupError, NotImplementedError, OverflowError, AttributeError,
)  # fmt: skip

Rows = list[list[str]]
_Cells = dict[tuple[int, int], str]


def read_spreadsheet(data: bytes) -> list[Rows]:
    """Return the rows of every table of a spreadsheet, with what its cells hold, not how they show it.

    A fraction or a percentage is the decimal it stands for, a date is written as 2026-01-09.

    Raises:
        TableError: it is no spreadsheet, damaged, larger than any that is handed in, or holds macros or links.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            names = archive.namelist()
            if len(names) > MAX_PARTS:
                raise TableError(Message("table.large-spreadsheet"))
            kind = next((name for name in (_WORKBOOK, _CONTENT) if name in names), None)
            if kind is None or (
                kind == _CONTENT and b"opendocument.spreadsheet" not in _read_part(archive, "mimetype")
            ):
                raise TableError(_explain_archive(names))
            if any(map(_FOREIGN_PARTS.search, names)):
                raise TableError(Message("table.foreign"))
            return list(_read_workbook(archive) if kind == _WORKBOOK else _read_open_document(archive))
    except _DAMAGES as error:
        raise TableError(Message("table.damaged-spreadsheet")) from error


def _explain_archive(names: Sequence[str]) -> Message:
    """Return what an archive is that is no spreadsheet of these kinds, and what to do."""
    if any(name.endswith(".iwa") for name in names):
        return Message("table.numbers")
    if "xl/workbook.bin" in names:
        return Message("table.old-excel")
    return Message("answers.document")


def _read_part(archive: zipfile.ZipFile, name: str) -> bytes:
    info = archive.getinfo(name)
    # Subtle: of what is packed otherwise, zipfile unpacks whole chunks, which may be of any size
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise TableError(Message("table.damaged-spreadsheet"))
    if info.flag_bits & 1:
        raise TableError(Message("table.locked-spreadsheet"))
    if info.file_size > MAX_PART_BYTES:
        raise TableError(Message("table.large-spreadsheet"))
    with archive.open(info) as part:
        data = part.read(MAX_PART_BYTES + 1)  # what it says of its size may be a lie
    if len(data) > MAX_PART_BYTES:
        raise TableError(Message("table.large-spreadsheet"))
    return data


def _read_xml(archive: zipfile.ZipFile, name: str) -> Element:
    """Return the tree of a part, its names without their namespaces."""
    builder, parser = TreeBuilder(), expat.ParserCreate(namespace_separator="}")
    count = 0

    def start(tag: str, attributes: Mapping[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MAX_ELEMENTS:
            raise TableError(Message("table.large-spreadsheet"))
        builder.start(_cut_namespace(tag), {_cut_namespace(name): value for name, value in attributes.items()})

    def refuse(*_: object) -> None:
        raise TableError(Message("table.damaged-spreadsheet"))

    parser.StartElementHandler, parser.CharacterDataHandler = start, builder.data
    parser.EndElementHandler = lambda tag: builder.end(_cut_namespace(tag))
    parser.StartDoctypeDeclHandler = refuse  # entities can be made to grow without end
    parser.Parse(_read_part(archive, name), True)
    return builder.close()


def _cut_namespace(name: str) -> str:
    return name.rpartition("}")[2]


def _make_rows(cells: _Cells) -> Rows:
    """Return rows as wide as what they hold."""
    filled = {place: text for place, text in cells.items() if text}
    if sum(map(len, filled.values())) > MAX_LETTERS:  # of a text that cells share there is one, until it is worked on
        raise TableError(Message("table.large-spreadsheet"))
    rows: Rows = [[] for _ in range(1 + max((row for row, _ in filled), default=-1))]
    for (row, column), text in sorted(filled.items()):
        rows[row] += [""] * (column - len(rows[row])) + [text]
    return rows


def _fill_cells(cells: _Cells, row: int, column: int, text: str, *, rows: int = 1, columns: int = 1) -> None:
    """Write a text into a cell, or into as many as it stands for; how many these are is asked before."""
    if not (0 <= row <= MAX_ROWS - rows and 0 <= column <= MAX_COLUMNS - columns):
        raise TableError(Message("table.far-cell", rows=MAX_ROWS, columns=MAX_COLUMNS))
    if len(cells) + rows * columns > MAX_CELLS:
        raise TableError(Message("table.large-spreadsheet"))
    cells.update(dict.fromkeys(product(range(row, row + rows), range(column, column + columns)), text))


# Excel's format


def _read_workbook(archive: zipfile.ZipFile) -> Iterator[Rows]:
    types = _read_part(archive, "[Content_Types].xml")
    if b"macroEnabled" in types:
        raise TableError(Message("table.foreign"))
    workbook, targets = _read_xml(archive, _WORKBOOK), _read_targets(archive)
    texts = _read_shared_texts(archive, targets)
    date_styles, time_styles = _read_date_styles(archive, targets)
    is_1904 = any(each.get("date1904") in ("1", "true") for each in workbook.iter("workbookPr"))
    for sheet in list(workbook.iter("sheet"))[:MAX_SHEETS]:
        path, kind = targets.get(sheet.get("id", ""), ("", ""))
        if kind != "worksheet":  # a page of a diagram, say
            continue
        cells: _Cells = {}
        row = column = -1
        for line in _read_xml(archive, path).iter("row"):
            row, column = int(line.get("r", row + 2)) - 1, -1
            for cell in line.iter("c"):
                if match := _CELL_REFERENCE.fullmatch(cell.get("r", "")):
                    column = _read_column(match[1])
                else:
                    column += 1
                style = cell.get("s", "0")
                is_date, is_time = style in date_styles, style in time_styles
                if text := _read_excel_cell(cell, texts, is_date=is_date, is_time=is_time, is_1904=is_1904):
                    _fill_cells(cells, row, column, text)
        yield _make_rows(cells)


def _read_targets(archive: zipfile.ZipFile) -> dict[str, tuple[str, str]]:
    """Return the path and the kind of every part that the workbook names, by its id."""
    relations = _read_xml(archive, "xl/_rels/workbook.xml.rels")
    return {
        each.get("Id", ""): (
            normpath(join(dirname(_WORKBOOK), each.get("Target", ""))).lstrip("/"),
            each.get("Type", "").rpartition("/")[2],
        )
        for each in relations.iter("Relationship")
    }


def _find_part(targets: Mapping[str, tuple[str, str]], kind: str) -> str | None:
    return next((path for path, found in targets.values() if found == kind), None)


def _read_shared_texts(archive: zipfile.ZipFile, targets: Mapping[str, tuple[str, str]]) -> list[str]:
    path = _find_part(targets, "sharedStrings")
    return [_join_runs(item) for item in _read_xml(archive, path).iter("si")] if path else []


def _join_runs(item: Element) -> str:
    """Return a text that may be in several types; how it is spoken is left out."""
    runs = [item, *(run for run in item if run.tag == "r")]
    return "".join(part.text or "" for run in runs for part in run if part.tag == "t")


def _read_date_styles(
    archive: zipfile.ZipFile, targets: Mapping[str, tuple[str, str]]
) -> tuple[frozenset[str], frozenset[str]]:
    """Return the styles that show a number as a date, and as a time."""
    path = _find_part(targets, "styles")
    styles = _read_xml(archive, path) if path else Element("none")
    formats = {each.get("numFmtId"): each.get("formatCode", "") for each in styles.iter("numFmt")}
    dates, times = set(), set()
    for number, style in enumerate(style for styles in styles.iter("cellXfs") for style in styles):
        format_id = style.get("numFmtId", "0")
        signs = re.sub(
            r'"[^"]*"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*\]', "", formats.get(format_id, "").split(";")[0].lower()
        )
        is_known = format_id not in formats and format_id.isdigit()
        if (is_known and int(format_id) in _TIME_FORMAT_IDS) or re.fullmatch(r"[^ydge#?]*[hs][^ydge#?]*", signs):
            times.add(str(number))
        elif (is_known and int(format_id) in _DATE_FORMAT_IDS) or re.search("[ymd]", signs.replace("general", "")):
            dates.add(str(number))
    return frozenset(dates), frozenset(times)


def _read_column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number - 1


def _read_excel_cell(cell: Element, texts: Sequence[str], *, is_date: bool, is_time: bool, is_1904: bool) -> str:
    kind, value = cell.get("t", "n"), cell.findtext("v") or ""
    if kind == "inlineStr":
        return "".join(map(_join_runs, cell.iter("is")))
    if kind == "s":
        return texts[int(value)] if value else ""
    if not value:  # a formula that a script wrote, and nobody worked out
        formula = cell.findtext("f")
        return f"={formula}" if formula else ""
    if kind == "n" and (is_date or is_time):
        return _write_date(float(value) + (1462 if is_1904 else 0), is_time=is_time)
    if kind == "b":
        return {"1": "TRUE", "0": "FALSE"}.get(value, value)
    return value.partition("T")[0] if kind == "d" else _write_plainly(value) if kind == "n" else value


def _write_plainly(value: str) -> str:
    """Return a number without what Excel's own form adds: 2 for 2.0, but 1.5E-07 as it is."""
    return value.removesuffix(".0")


def _write_date(serial: float, *, is_time: bool) -> str:
    """Return a date as 2026-01-09, or a time as 1:02, which somebody may have meant as a fraction.

    >>> _write_date(46031.0, is_time=False), _write_date(62 / 1440, is_time=True)
    ('2026-01-09', '1:02')
    """
    if is_time and 0 <= serial < 1:
        minutes = round(serial * 1440)
        return f"{minutes // 60}:{minutes % 60:02}"
    return (convert_serial(int(serial)) or date.min).isoformat() if serial >= 1 else str(serial)


# the OpenDocument format


def _read_open_document(archive: zipfile.ZipFile) -> Iterator[Rows]:
    if b"encryption-data" in _read_part(archive, "META-INF/manifest.xml"):
        raise TableError(Message("table.locked-spreadsheet"))
    content = _read_xml(archive, _CONTENT)
    foreign = ("table-source", "dde-link", "database-source-sql", "cell-range-source", "event-listener")
    if any(next(content.iter(tag), None) is not None for tag in foreign):
        raise TableError(Message("table.foreign"))
    for table in list(content.iter("table"))[:MAX_SHEETS]:
        cells: _Cells = {}
        row = 0
        for line in table.iter("table-row"):
            rows, column = _read_repeats(line, "number-rows-repeated"), 0
            for cell in line:
                if cell.tag in ("table-cell", "covered-table-cell"):
                    columns = _read_repeats(cell, "number-columns-repeated")
                    if text := _read_open_cell(cell):
                        _fill_cells(cells, row, column, text, rows=rows, columns=columns)
                    column += columns
            row += rows
        yield _make_rows(cells)


def _read_repeats(element: Element, name: str) -> int:
    return max(1, int(element.get(name, 1)))


def _read_open_cell(cell: Element) -> str:
    kind = cell.get("value-type")
    if kind in ("float", "percentage", "currency"):
        return _write_plainly(cell.get("value", ""))
    if kind == "date":
        return cell.get("date-value", "").partition("T")[0]
    if kind == "time" and (match := re.fullmatch(r"PT(\d+)H(\d+)M0+(?:[.,]0+)?S", cell.get("time-value", ""))):
        return f"{int(match[1])}:{match[2]}"
    return "\n".join(_join_text(part) for part in cell if part.tag == "p")


def _join_text(paragraph: Element) -> str:
    """Return the text of a paragraph, with what stands for blanks in it."""
    parts = [paragraph.text or ""]
    for each in paragraph.iter():
        if each is not paragraph:
            blanks = " " * min(int(each.get("c", 1)), MAX_COLUMNS) if each.tag == "s" else ""
            parts += [blanks, each.text or "", each.tail or ""]
    return "".join(parts)
