"""Spreadsheets as texts: what cells hold, and files that are none, or are made to do harm."""

import io
import struct
import tracemalloc
import zipfile
from collections.abc import Mapping
from datetime import date
from fractions import Fraction

import pytest

from attnhand.errors import TableError
from attnhand.system.spreadsheets import (
    MAX_COLUMNS,
    MAX_ELEMENTS,
    MAX_PART_BYTES,
    MAX_ROWS,
    read_spreadsheet,
)
from tests.spreadsheet_files import NAMESPACES, PROGRAMS, TYPES, write_xlsx, write_zip

OPEN_DOCUMENT_TYPE = b"application/vnd.oasis.opendocument.spreadsheet"


def write_ods(table: str, parts: Mapping[str, bytes] = {}) -> bytes:
    """Return an OpenDocument spreadsheet with this table."""
    content = (
        '<office:document-content xmlns:office="urn:o" xmlns:table="urn:t" xmlns:text="urn:x" xmlns:xlink="urn:l">'
        f"<office:body><office:spreadsheet><table:table>{table}</table:table></office:spreadsheet></office:body>"
        "</office:document-content>"
    )
    manifest = {"mimetype": OPEN_DOCUMENT_TYPE, "META-INF/manifest.xml": b"<manifest/>"}
    return write_zip({**manifest, "content.xml": content.encode(), **parts})


@pytest.mark.parametrize("program", PROGRAMS)
def test_cells_hold_what_was_meant(program: str) -> None:
    """Texts with blanks and signs, whole numbers, decimals, dates; empty cells between them, none after them."""
    rows: list[list[object]] = [["attnhand", "A<1>&"], [], ["", 2, -3, 0.25]]
    rows += [[date(2026, 1, 9), "", " a b ", ""], ["", ""]]
    texts = [["attnhand", "A<1>&"], [], ["", "2", "-3", "0.25"], ["2026-01-09", "", " a b "]]
    assert read_spreadsheet(write_xlsx(rows, PROGRAMS[program]))[-1] == texts


def test_a_fraction_keeps_the_digits_of_its_float() -> None:
    """Whatever its format shows; a formula that nobody worked out is read as it stands."""
    ((row,),) = read_spreadsheet(write_xlsx([[Fraction(1, 3)]]))
    assert row == ["0.33333333333333331"]
    sheet = (
        f"<worksheet {NAMESPACES}><sheetData><row><c><f>3/16</f></c><c t='b'><v>1</v></c><c t='e'><v>#DIV/0!</v></c>"
    )
    sheet += "<c s='4'><v>0.0479166666666667</v></c><c s='3'><v>0.188</v></c><c t='d'><v>2026-01-09T00:00:00</v></c>"
    sheet += "<c t='str'><v>1/9</v></c><c s='1'><v>46031</v></c><c><v>46031</v></c></row></sheetData></worksheet>"
    ((row,),) = read_spreadsheet(write_xlsx([[1]], parts={"xl/worksheets/sheet1.xml": sheet.encode()}))
    assert row == ["=3/16", "TRUE", "#DIV/0!", "1:09", "0.188", "2026-01-09", "1/9", "2026-01-09", "46031"]


def test_cells_of_open_documents_hold_what_was_meant() -> None:
    """Repeated cells and rows, text in parts, a percentage, a date, a time; empty ones for ever."""
    time = '<table:table-cell office:value-type="time" office:time-value="PT01H09M00S"/>'
    table = (
        '<table:table-row><table:table-cell office:value-type="string"><text:p>a<text:s text:c="2"/>b<text:span>c'
        '</text:span>d</text:p></table:table-cell><table:table-cell table:number-columns-repeated="2" '
        'office:value-type="float" office:value="7"><text:p>7.00</text:p></table:table-cell>'
        '<table:table-cell table:number-columns-repeated="16380"/></table:table-row>'
        '<table:table-row table:number-rows-repeated="2"/>'
        '<table:table-row table:number-rows-repeated="2"><table:covered-table-cell/>'
        '<table:table-cell office:value-type="percentage" office:value="0.188"><text:p>18.8 %</text:p>'
        '</table:table-cell><table:table-cell office:value-type="date" office:date-value="2026-01-09">'
        f"</table:table-cell>{time}</table:table-row>"
        '<table:table-row table:number-rows-repeated="1048570"><table:table-cell/></table:table-row>'
    )
    line = ["", "0.188", "2026-01-09", "1:09"]
    assert read_spreadsheet(write_ods(table)) == [[["a  bcd", "7", "7"], [], [], line, line]]


def make_sheet_part(cells: str) -> Mapping[str, bytes]:
    sheet = f"<worksheet {NAMESPACES}><sheetData>{cells}</sheetData></worksheet>"
    return {"xl/worksheets/sheet1.xml": sheet.encode()}


def lie_about_size(data: bytes) -> bytes:
    """Say of every part of an archive that it unpacks to ten bytes."""
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 22), (b"PK\x01\x02", 24)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            changed[at + place : at + place + 4] = struct.pack("<I", 10)
    return bytes(changed)


def lock(data: bytes) -> bytes:
    """Say of every part of an archive that it is locked."""
    changed = bytearray(data)
    for mark, place in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        at = -1
        while (at := data.find(mark, at + 1)) >= 0:
            changed[at + place] |= 1
    return bytes(changed)


def pack_with(method: int) -> bytes:
    """Pack a spreadsheet in a way that none is packed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(write_xlsx([[1]]))) as good, zipfile.ZipFile(out, "w", method) as archive:
        for name in good.namelist():
            archive.writestr(name, good.read(name))
    return out.getvalue()


LARGE_PART = make_sheet_part("<row>" + " " * 40_000_000 + "</row>")
ENTITIES = "<!DOCTYPE w [<!ENTITY a 'aaaaaaaaaa'>" + "".join(
    f"<!ENTITY {name} '{f'&{before};' * 10}'>" for before, name in zip("abcdefgh", "bcdefghi", strict=True)
)
ENTITIES += "]><workbook>&i;</workbook>"
ONE_ENTITY = b"<!DOCTYPE s [<!ENTITY a 'x'>]><sst><si><t>&a;</t></si></sst>"
DAMAGED, LARGE = "is a damaged spreadsheet that cannot be read", "unpacks to more than any filled sheet"
FOREIGN, LOCKED = "is a spreadsheet with macros or links to other files", "is locked with a password"
FAR = f"has something written beyond row {MAX_ROWS} or column {MAX_COLUMNS}"


def write_line(columns: int, rows: int) -> str:
    """Return a row of an open document, and how often it and its only cell are repeated."""
    cell = f'<table:table-cell table:number-columns-repeated="{columns}" office:value-type="float" office:value="7"/>'
    return f'<table:table-row table:number-rows-repeated="{rows}">{cell}</table:table-row>'


OPEN_TEXT = {"mimetype": b"application/vnd.oasis.opendocument.text", "content.xml": b"<x/>"}

SHARED_TEXTS = ("<row>" + "<c t='s'><v>0</v></c>" * 90 + "</row>") * 90

REFUSED: Mapping[str, tuple[bytes, str]] = {
    "half of one": (write_xlsx([[1]])[:900], DAMAGED),
    "noise": (b"PK\x03\x04" + bytes(range(256)) * 20, DAMAGED),
    "an empty archive": (write_zip({}), "is a document or an archive"),
    "a text document": (write_zip({"word/document.xml": b"<w/>"}), "is a document or an archive"),
    "an open text": (write_zip(OPEN_TEXT), "is a document"),
    "Numbers": (write_zip({"Index/Document.iwa": b"x"}), "is a document of Numbers, Pages or Keynote: export it"),
    "a binary workbook": (write_zip({"xl/workbook.bin": b"x"}), "is in an old format of Excel"),
    "no sheet": (write_zip({"xl/workbook.xml": b"<workbook/>", "[Content_Types].xml": TYPES}), DAMAGED),
    "a text that is missing": (write_xlsx([["a"]], parts={"xl/sharedStrings.xml": b"<sst/>"}), DAMAGED),
    "a text below none": (write_xlsx([[1]], parts=make_sheet_part("<row><c t='s'><v>x</v></c></row>")), DAMAGED),
    "XML that is none": (write_xlsx([[1]], parts={"xl/workbook.xml": b"<workbook>"}), DAMAGED),
    "an entity": (
        write_xlsx([["a"]], parts={"xl/sharedStrings.xml": ONE_ENTITY}),
        DAMAGED,
    ),
    "entities": (write_xlsx([[1]], parts={"xl/workbook.xml": ENTITIES.encode()}), DAMAGED),
    "entities in UTF-16": (write_xlsx([[1]], parts={"xl/workbook.xml": ENTITIES.encode("utf-16")}), DAMAGED),
    "a bomb": (write_xlsx([[1]], parts=LARGE_PART), LARGE),
    "a bomb that lies": (lie_about_size(write_xlsx([[1]], parts=LARGE_PART)), "spreadsheet"),
    "a bomb of texts": (write_xlsx([[1]], parts={"xl/sharedStrings.xml": b"<sst>" + b" " * MAX_PART_BYTES}), LARGE),
    "a bomb of elements": (write_xlsx([[1]], parts=make_sheet_part("<row/>" * MAX_ELEMENTS)), LARGE),
    "deep elements": (write_xlsx([[1]], parts=make_sheet_part("<a>" * MAX_ELEMENTS)), LARGE),
    "packed by bzip2": (pack_with(zipfile.ZIP_BZIP2), DAMAGED),
    "packed by LZMA": (pack_with(zipfile.ZIP_LZMA), DAMAGED),
    "thousands of parts": (write_zip({f"{n}": b"" for n in range(2_000)}), LARGE),
    "a far row": (write_xlsx([[1]], parts=make_sheet_part('<row r="1048576"><c r="A1048576"><v>1</v></c></row>')), FAR),
    "a far column": (write_xlsx([[1]], parts=make_sheet_part('<row r="1"><c r="XFD1"><v>1</v></c></row>')), FAR),
    "a row before the first": (write_xlsx([[1]], parts=make_sheet_part('<row r="-9"><c><v>1</v></c></row>')), FAR),
    "endless rows": (write_ods(write_line(1, 1_048_576)), FAR),
    "endless columns": (write_ods(write_line(16_384, 1)), FAR),
    "a wall of cells": (write_ods(write_line(400, 4_000)), LARGE),
    "a wall without end": (write_ods(write_line(10**9, 10**9)), FAR),
    "a text in every cell": (
        write_xlsx(
            [[1]],
            parts={
                **make_sheet_part(SHARED_TEXTS),
                "xl/sharedStrings.xml": b"<sst><si><t>%b</t></si></sst>" % (b"x" * 1_000_000),
            },
        ),
        LARGE,
    ),
    "macros": (write_xlsx([[1]], parts={"xl/vbaProject.bin": b"x"}), FOREIGN),
    "macros by type": (write_xlsx([[1]], parts={"[Content_Types].xml": b"<T>sheet.macroEnabled+xml</T>"}), FOREIGN),
    "old macros": (write_xlsx([[1]], parts={"xl/macrosheets/sheet1.xml": b"x"}), FOREIGN),
    "macros of an open document": (write_ods("", {"Basic/script-lc.xml": b"x"}), FOREIGN),
    "links": (write_xlsx([[1]], parts={"xl/externalLinks/externalLink1.xml": b"x"}), FOREIGN),
    "queries": (write_xlsx([[1]], parts={"xl/connections.xml": b"x"}), FOREIGN),
    "links of an open document": (write_ods('<table:table-source xlink:href="https://example.org/x.ods"/>'), FOREIGN),
    "locked": (lock(write_xlsx([[1]])), LOCKED),
    "a locked open document": (write_ods("", {"META-INF/manifest.xml": b"<m><encryption-data/></m>"}), LOCKED),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_spreadsheet_is_refused(name: str) -> None:
    """In one sentence that says what to do, and without making room for what it claims to hold."""
    data, sentence = REFUSED[name]
    tracemalloc.start()
    with pytest.raises(TableError) as refusal:
        read_spreadsheet(data)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert sentence in str(refusal.value)
    assert ": " in str(refusal.value)
    assert peak < 80_000_000
