"""Files made to cost whoever reads them far more than they weigh: memory, time, or depth."""

import base64
import io
import json
import zipfile
import zlib
from collections.abc import Callable, Mapping

from tests.spreadsheet_files import NAMESPACES, OPEN_NAMESPACES, OPEN_TYPE, write_xlsx, write_zip

CODE = "A1Q0-0000-000W"
"""Of a sheet that they say they answer."""

MAIL_HEAD = b"From: ada@example.org\nSubject: my sheet\nMIME-Version: 1.0\n"


def make_flat_wall() -> bytes:
    """Return 600 bytes of a .fods file: one cell that stands for 10¹⁸."""
    return _repeat_cell("document", f' office:mimetype="{OPEN_TYPE}"', rows=10**9, columns=10**9)


def make_wall() -> bytes:
    """Return the same as an .ods file."""
    content = _repeat_cell("document-content", "", rows=10**9, columns=10**9)
    return write_zip({"mimetype": OPEN_TYPE.encode(), "content.xml": content, "META-INF/manifest.xml": b"<manifest/>"})


def _repeat_cell(kind: str, attributes: str, rows: int, columns: int) -> bytes:
    cell = (
        f'<table:table-cell office:value-type="string" table:number-columns-repeated="{columns}">'
        "<text:p>attnhand</text:p></table:table-cell>"
    )
    row = f'<table:table-row table:number-rows-repeated="{rows}">{cell}</table:table-row>'
    body = f'<office:body><office:spreadsheet><table:table table:name="a">{row}</table:table></office:spreadsheet>'
    return f"<office:{kind} {OPEN_NAMESPACES}{attributes}>{body}</office:body></office:{kind}>".encode()


def make_nested_mail() -> bytes:
    """Return 56 kB: a mail in a mail in a mail, a thousand times."""
    return (
        MAIL_HEAD + b"Content-Type: message/rfc822\n\n" + b"MIME-Version: 1.0\nContent-Type: message/rfc822\n\n" * 1_000
    )


def make_mail_of_parts() -> bytes:
    """Return a mail of a million parts, most of them empty."""
    head = MAIL_HEAD + b"Content-Type: multipart/mixed; boundary=a\n\n"
    return head + b"--a\n\n" * 1_000_000 + b"--a--\n"


def make_column() -> bytes:
    """Return an .xlsx file whose one column unpacks to 2 GB, which it conceals."""
    row = b'<row><c t="inlineStr"><is><t>' + b"7" * 990 + b"</t></is></c></row>"
    packed = _pack_often(f"<worksheet {NAMESPACES}><sheetData>".encode(), row * 1_000, 2_000, wbits=-15)
    return _replace_packed(write_xlsx([["attnhand", CODE]]), "xl/worksheets/sheet1.xml", packed)


def _pack_often(start: bytes, block: bytes, times: int, wbits: int) -> bytes:
    """Pack a text and a block that comes after it so many times, but work only once."""
    packer = zlib.compressobj(9, zlib.DEFLATED, wbits)
    head = packer.compress(start) + packer.flush(zlib.Z_FULL_FLUSH)
    packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)  # looks at nothing before it
    return head + packed * times + packer.flush()


def _replace_packed(data: bytes, name: str, packed: bytes) -> bytes:
    """Put other packed data into an archive, with the size that it had before."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as new:
        for each in old.namelist():
            new.writestr(each, packed if each == name else old.read(each))
    changed = bytearray(out.getvalue())
    for mark, method_at, size_at, name_at in ((b"PK\x03\x04", 8, 22, 30), (b"PK\x01\x02", 10, 24, 46)):
        at = -1
        while (at := changed.find(mark, at + 1)) >= 0:
            if changed[at + name_at : at + name_at + len(name)] == name.encode():
                changed[at + method_at] = zipfile.ZIP_DEFLATED
                changed[at + size_at : at + size_at + 4] = (4_000).to_bytes(4, "little")
    return bytes(changed)


def make_shared_text() -> bytes:
    """Return an .xlsx file in which 90,000 cells hold one text of 4 million letters."""
    cells = "<row>" + '<c t="s"><v>0</v></c>' * 300 + "</row>"
    sheet = f"<worksheet {NAMESPACES}><sheetData>{cells * 300}</sheetData></worksheet>"
    texts = f"<sst {NAMESPACES} uniqueCount='4000000000'><si><t>{'x' * 3_900_000}</t></si></sst>"
    parts = {"xl/worksheets/sheet1.xml": sheet.encode(), "xl/sharedStrings.xml": texts.encode()}
    return write_xlsx([["a"]], parts=parts)


def make_deep_json() -> bytes:
    """Return lists in lists, as deep as a file can be long."""
    return b'{"code": "%b", "answers": {"Q": ' % CODE.encode() + b"[" * 190_000


def make_wide_json() -> bytes:
    """Return an answer of 90,000 cells in a row."""
    return json.dumps({"code": CODE, "answers": {"Q": [[1] * 90_000]}}, separators=(",", ":")).encode()


def make_powers() -> bytes:
    """Return answers that are powers of powers, each a number of more digits than there is room for."""
    cells = ["10^999999999", "9^9^9^9^9", "3⁹⁹⁹⁹⁹⁹⁹⁹⁹", "1e999999999", "2**2**2**2**2**2", "0.(" + "3" * 30_000 + ")"]
    long = ["(" * 30_000, "-" * 30_000, "1/" * 15_000, "1 " * 15_000]
    return json.dumps({"code": CODE, "answers": {"Q": [cells], "K": [long]}}).encode()


def make_long_number() -> bytes:
    """Return answers of 60,000 digits, in JSON as a number and as a fraction in a text."""
    digits = "7" * 60_000
    return f'{{"code": "{CODE}", "answers": {{"Q": [[{digits}, "{digits}/{digits}"]]}}}}'.encode()


def make_line() -> bytes:
    """Return a table whose one line does not end."""
    return f"attnhand,{CODE}".encode() + b",1" * 9_000_000


def make_quotes() -> bytes:
    """Return a table in which a quote opens at every line, and its size is that of an honest table."""
    return f"attnhand,{CODE}\n".encode() + b'"\n' * 450_000


def make_tables() -> bytes:
    """Return a million TOML tables."""
    return b"".join(b"[a%d]\n" % number for number in range(1_000_000))


def make_dotted_key() -> bytes:
    """Return TOML with one key of 100,000 parts."""
    return b"a" + b".a" * 90_000 + b" = 1"


def make_objects() -> bytes:
    """Return a PDF of a million objects."""
    objects = b"".join(b"%d 0 obj<</Next %d 0 R>>endobj\n" % (n, n + 1) for n in range(3, 500_000))
    return (
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/AcroForm<</Fields[3 0 R]>>>>endobj\n" + objects + b"trailer<</Root 1 0 R>>"
    )


def make_packed_pdf() -> bytes:
    """Return a PDF whose objects stand in a stream that unpacks to 2 GB."""
    stream = _pack_often(b"", b" " * 10_000_000, 200, wbits=15)
    head = b"<</Type/ObjStm/N 1000000/First 10/Filter/FlateDecode/Length %d>>" % len(stream)
    body = b"2 0 obj" + head + b"stream\n" + stream + b"\nendstream endobj\n"
    return b"%PDF-1.7\n1 0 obj<</Type/Catalog/AcroForm 9 0 R>>endobj\n" + body + b"trailer<</Root 1 0 R>>"


def make_endless_tree() -> bytes:
    """Return a PDF whose fields are their own children, and whose pages are too."""
    return (
        b"%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[3 0 R]>>>>endobj\n"
        b"2 0 obj<</Type/Pages/Kids[2 0 R 2 0 R]/Count 2000000000>>endobj\n"
        b"3 0 obj<</T(a)/Kids[3 0 R 3 0 R]>>endobj\ntrailer<</Root 1 0 R>>"
    )


def make_mailed_column() -> bytes:
    """Return a mail to which the column of 2 GB is attached."""
    attached = base64.encodebytes(make_column())
    head = MAIL_HEAD + b"Content-Type: multipart/mixed; boundary=a\n\n--a\nContent-Type: text/plain\n\nHello\n--a\n"
    return head + b"Content-Type: application/zip\nContent-Transfer-Encoding: base64\n\n" + attached + b"--a--\n"


BOMBS: Mapping[str, Callable[[], bytes]] = {
    "wall.fods": make_flat_wall,
    "wall.ods": make_wall,
    "nested.eml": make_nested_mail,
    "parts.eml": make_mail_of_parts,
    "mailed.eml": make_mailed_column,
    "column.xlsx": make_column,
    "texts.xlsx": make_shared_text,
    "deep.json": make_deep_json,
    "wide.json": make_wide_json,
    "powers.json": make_powers,
    "digits.json": make_long_number,
    "line.csv": make_line,
    "quotes.csv": make_quotes,
    "tables.toml": make_tables,
    "key.toml": make_dotted_key,
    "objects.pdf": make_objects,
    "packed.pdf": make_packed_pdf,
    "tree.pdf": make_endless_tree,
}
"""By the name of the file that holds each."""
