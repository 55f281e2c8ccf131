"""Small spreadsheets made to the habits of programs that save them, with no library's idea of a spreadsheet."""

import io
import zipfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from xml.sax.saxutils import escape

NAMESPACES = (
    'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" '
    'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
)
RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
TYPES = b'<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>'
DATE_STYLE, FRACTION_STYLE, PERCENT_STYLE, TIME_STYLE = 1, 2, 3, 4
FORMATS = ((164, "[$-409]d\\-mmm;@"), (165, "#&quot; &quot;?/?"), (166, "[$-F400]h:mm:ss\\ AM/PM"))
STYLES = (
    f"<styleSheet {NAMESPACES}><numFmts>"
    + "".join(f'<numFmt numFmtId="{number}" formatCode="{code}"/>' for number, code in FORMATS)
    + "</numFmts><cellXfs>"
    + "".join(f'<xf numFmtId="{number}"/>' for number in (0, 164, 165, 10, 166))
    + "</cellXfs></styleSheet>"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Habits:
    """How a program writes a spreadsheet."""

    inline_texts: bool = False
    """Texts stand in their cells, not in a list that all share."""

    places: bool = True
    """Rows and cells say where they stand."""

    prefix: str = ""
    """Of the names of elements: "x:" where a program declares the namespace so."""

    target: str = "worksheets/sheet1.xml"
    empty_rows: int = 0
    """Rows below the table that hold nothing but a style."""

    other_sheet: bool = False
    """Before the table stands a sheet that tells how it was exported."""

    writes_formulas: bool = True
    """A fraction is kept as the formula that was typed, beside its value."""


PROGRAMS: Mapping[str, Habits] = {
    "Excel": Habits(empty_rows=3),
    "Google Sheets": Habits(target="worksheets/sheet1.xml", empty_rows=900, writes_formulas=False),
    "Numbers": Habits(target="/xl/worksheets/sheet1.xml", other_sheet=True, writes_formulas=False),
    "a script": Habits(inline_texts=True, places=False, prefix="x:"),
}


def write_xlsx(
    rows: Sequence[Sequence[object]], habits: Habits = PROGRAMS["Excel"], parts: Mapping[str, bytes] = {}
) -> bytes:
    """Return a spreadsheet; numbers and dates are numbers, as is a text that is a fraction, all others are texts."""
    texts: list[str] = []
    width = max(map(len, rows))
    lines = []
    for at, row in enumerate([*rows, *[[""] * width] * habits.empty_rows], 1):
        cells = [_write_cell(value, f"{chr(65 + j)}{at}", habits, texts) for j, value in enumerate(row)]
        where = f' r="{at}" spans="1:9"' if habits.places else ""
        lines.append(f"<row{where}>{''.join(cells)}</row>")
    sheet = f"<worksheet {NAMESPACES}><sheetData>{''.join(lines)}</sheetData></worksheet>"
    shared = "".join(f'<si><t xml:space="preserve">{escape(text)}</t><rPh><t>spoken</t></rPh></si>' for text in texts)
    names = ["Export Summary", "Sheet 1"][not habits.other_sheet :]
    sheets = "".join(f'<sheet name="{name}" sheetId="{n}" r:id="rId{n}"/>' for n, name in enumerate(names, 1))
    targets = ["worksheets/sheet0.xml", habits.target][not habits.other_sheet :]
    named = [("worksheet", target) for target in targets]
    named += [("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")]
    relations = "".join(
        f'<Relationship Id="rId{n}" Type="{RELATIONS}/{kind}" Target="{target}"/>'
        for n, (kind, target) in enumerate(named, 1)
    )
    summary = f"<worksheet {NAMESPACES}><sheetData><row r='1'><c r='A1'><v>1</v></c></row></sheetData></worksheet>"
    contents = {
        "[Content_Types].xml": TYPES,
        "xl/workbook.xml": f"<workbook {NAMESPACES}><sheets>{sheets}</sheets></workbook>".encode(),
        "xl/_rels/workbook.xml.rels": f"<Relationships>{relations}</Relationships>".encode(),
        "xl/worksheets/sheet0.xml": summary.encode(),
        "xl/worksheets/sheet1.xml": _prefix(sheet, habits.prefix).encode(),
        "xl/sharedStrings.xml": f"<sst {NAMESPACES}>{shared}</sst>".encode(),
        "xl/styles.xml": STYLES.encode(),
    }
    return write_zip({**contents, **parts})


def _prefix(xml: str, prefix: str) -> str:
    if not prefix:
        return xml
    for name in ("worksheet", "sheetData", "row", "c", "v", "f", "is", "t"):
        xml = xml.replace(f"<{name}>", f"<{prefix}{name}>").replace(f"<{name} ", f"<{prefix}{name} ")
        xml = xml.replace(f"</{name}>", f"</{prefix}{name}>")
    return xml.replace('xmlns="', f'xmlns:{prefix.rstrip(":")}="')


def _write_cell(value: object, place: str, habits: Habits, texts: list[str]) -> str:
    where = f' r="{place}"' if habits.places else ""
    if value == "" or value is None:
        return f'<c{where} s="0"/>'
    if isinstance(value, date):
        return f'<c{where} s="{DATE_STYLE}"><v>{(value - date(1899, 12, 30)).days}</v></c>'
    if isinstance(value, Fraction) and value.denominator > 1:
        formula = f"<f>{value}</f>" if habits.writes_formulas else ""
        return f'<c{where} s="{FRACTION_STYLE}">{formula}<v>{float(value):.17g}</v></c>'
    if isinstance(value, int | float | Fraction):
        return f'<c{where} s="0"><v>{float(value):.17g}</v></c>'
    text = str(value)
    if habits.inline_texts:
        return f'<c{where} t="inlineStr"><is><t>{escape(text)}</t></is></c>'
    texts.append(text)
    return f'<c{where} t="s"><v>{len(texts) - 1}</v></c>'


OPEN = "urn:oasis:names:tc:opendocument:xmlns:"
OPEN_NAMESPACES = f'xmlns:office="{OPEN}office:1.0" xmlns:table="{OPEN}table:1.0" xmlns:text="{OPEN}text:1.0"'
OPEN_TYPE = "application/vnd.oasis.opendocument.spreadsheet"


def write_ods(rows: Sequence[Sequence[str]]) -> bytes:
    """Return a table as LibreOffice saves it."""

    def write_cell(text: str) -> str:
        if not text:
            return "<table:table-cell/>"
        value = f'"float" office:value="{text}"' if text.lstrip("-").isdigit() else '"string"'
        return f"<table:table-cell office:value-type={value}><text:p>{escape(text)}</text:p></table:table-cell>"

    lines = "".join(f"<table:table-row>{''.join(map(write_cell, row))}</table:table-row>" for row in rows)
    table = f'<table:table table:name="Sheet1">{lines}</table:table>'
    body = f"<office:body><office:spreadsheet>{table}</office:spreadsheet></office:body>"
    content = f"<office:document-content {OPEN_NAMESPACES}>{body}</office:document-content>".encode()
    return write_zip({"mimetype": OPEN_TYPE.encode(), "content.xml": content, "META-INF/manifest.xml": b"<manifest/>"})


def write_zip(parts: Mapping[str, bytes]) -> bytes:
    """Return an archive of these parts."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in parts.items():
            archive.writestr(name, data)
    return out.getvalue()
