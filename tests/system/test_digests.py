"""The digest in every file: every change to a file is seen, and the file is still one of its format."""

import csv
import io
import json
import re
import struct
import zlib
from functools import cache
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pypdf import PdfReader

import attnhand
from attnhand.formats.json_sheet import make_sheet_dict
from attnhand.formats.registry import FORMATS, Format
from attnhand.system.digests import BLANK_DIGEST, add_digest, is_file_untouched, is_untouched, write_digest_into
from tests.forms import TEXT_FORMATS


def make_chunk(kind: bytes, data: bytes) -> bytes:
    """Return a part of a PNG file: its length, kind, data and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


PNG_START, PNG_END = b"\x89PNG\r\n\x1a\n" + make_chunk(b"IHDR", bytes(13)), make_chunk(b"IEND", b"")
SHEET = attnhand.generate(seed=7)

BODIES = {
    "pdf": b"%PDF-1.7\n%%EOF\n",
    "html": b"<!doctype html>\n<title>x</title>\n",
    "json": b'{\n  "a": [1, 2]\n}\n',
    "csv": b"\xef\xbb\xbfattnhand,CODE\r\n1,2\r\n",
    "markdown": b"# A sheet\n",
    "png": PNG_START + PNG_END,
    "zip": b"PK\5\6" + bytes(18),
    "inner": f'{{"metadata": {{"attnhand": "{BLANK_DIGEST}"}}}}\n'.encode(),
}
"""A short file of each way in which a digest stands in a file."""

STYLES = {name: file_format.digest_style or name for name, file_format in FORMATS.items()}
"""By format."""

DIGEST = re.compile(rb"attnhand-digest:[0-9a-f]{64}")


@cache
def files() -> dict[str, bytes]:
    """Return a blank sheet in every format that is text, and short files of all others, which take long."""
    files = {name: FORMATS[name].render_file(SHEET.blank) for name in TEXT_FORMATS}
    return files | {name: add_digest(BODIES[STYLES[name]], STYLES[name]) for name in FORMATS if name not in files}


def test_every_format_has_a_digest() -> None:
    """Nothing that the program writes is without one."""
    assert FORMATS.keys() == files().keys()
    assert BODIES.keys() == set(STYLES.values())


@pytest.mark.parametrize("name", FORMATS)
def test_a_digested_file_is_untouched(name: str) -> None:
    """One digest, at the end, that holds; what was to be written stands before it."""
    for data in (files()[name], add_digest(BODIES[STYLES[name]], STYLES[name])):
        assert is_untouched(data)
        assert len(DIGEST.findall(data)) == 1
    body = PNG_START if name == "png" else BODIES[STYLES[name]].rstrip().removesuffix(b"}").rstrip()
    if STYLES[name] == "zip":
        body = body[:-2]  # which say how long a comment follows
    body = body.partition(BLANK_DIGEST.encode())[0]
    assert add_digest(BODIES[STYLES[name]], STYLES[name]).startswith(body)


def test_the_same_content_gets_the_same_digest() -> None:
    """Bytes repeat from run to run; other content gets another digest."""
    for name, body in BODIES.items():
        assert add_digest(body, name) == add_digest(body, name)
    assert DIGEST.findall(add_digest(b"a", "markdown")) != DIGEST.findall(add_digest(b"b", "markdown"))


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_any_other_byte_breaks_the_digest(name: str, data: st.DataObject) -> None:
    """Wherever one byte becomes another, be it in the digest itself."""
    file = files()[name]
    at = data.draw(st.integers(0, len(file) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda byte: byte != file[at]))
    assert not is_untouched(file[:at] + bytes([byte]) + file[at + 1 :])


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data(), inserted=st.binary(min_size=1, max_size=20))
def test_anything_inserted_breaks_the_digest(name: str, data: st.DataObject, inserted: bytes) -> None:
    """At the beginning, in the middle or at the end, blank lines included."""
    file = files()[name]
    at = data.draw(st.integers(0, len(file)))
    assert not is_untouched(file[:at] + inserted + file[at:])


@pytest.mark.parametrize("name", FORMATS)
@given(data=st.data())
def test_anything_left_out_breaks_the_digest(name: str, data: st.DataObject) -> None:
    """A part cut out anywhere, down to one byte."""
    file = files()[name]
    start = data.draw(st.integers(0, len(file) - 1))
    end = data.draw(st.integers(start + 1, len(file)))
    assert not is_untouched(file[:start] + file[end:])


@pytest.mark.parametrize("name", FORMATS)
def test_a_digest_within_the_content_does_no_harm(name: str) -> None:
    """A title may look like a digest, and a whole file with a digest may be quoted in another."""
    false = b"attnhand-digest:" + b"0" * 64
    if name == "json":
        body = json.dumps({"title": false.decode(), "quoted": add_digest(b"x", "markdown").decode()}).encode()
    elif name == "png":
        body = PNG_START + make_chunk(b"tEXt", b"Title\0" + false) + PNG_END
    else:
        body = false + add_digest(b"x", "markdown") + BODIES[STYLES[name]]
    data = add_digest(body, STYLES[name])
    assert is_untouched(data)
    assert not is_untouched(data.replace(b"0" * 64, b"1" * 64, 1))


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"my notes",
        b"attnhand-digest:",
        b"attnhand-digest:" + b"0" * 64,
        b"attnhand-digest:" + b"0" * 63,
        b"# A sheet\n<!-- attnhand-digest:" + b"a" * 64 + b" -->\n",
        bytes(range(256)) * 100,
    ],
)
def test_what_is_not_ours_is_never_untouched(data: bytes) -> None:
    """Files of others, and files that only look so."""
    assert not is_untouched(data)


def test_two_files_in_one_are_not_ours() -> None:
    """A user who puts two sheets into one file has made something of their own."""
    one, two = files()["markdown"], files()["html"]
    assert not is_untouched(one + two)
    assert not is_untouched(one + one)


def test_a_large_file_has_a_digest_like_a_small_one(tmp_path: Path) -> None:
    """Both ways of looking at it agree, whole and changed."""
    file = io.BytesIO(b"%PDF" + b"x" * 10_000)
    write_digest_into(file, "pdf")
    path = tmp_path / "a.pdf"
    for data, whole in ((file.getvalue(), True), (file.getvalue() + b"y", False), (b"%PDF", False), (b"", False)):
        path.write_bytes(data)
        assert is_file_untouched(path) is is_untouched(data) is whole


# still files of their formats


def test_json_stays_json() -> None:
    """The digest is its last key."""
    data = json.loads(files()["json"])
    assert list(data)[-1] == "digest"
    del data["digest"]
    assert data == make_sheet_dict(SHEET.blank)


def test_csv_stays_csv() -> None:
    """The digest is a row of its own after an empty one, with CRLF like all others."""
    text = files()["csv"].decode("utf-8-sig")
    assert text.count("\n") == text.count("\r\n")
    *_, empty, last = csv.reader(io.StringIO(text, newline=""))
    assert empty == []
    assert len(last) == 1
    assert last[0].startswith("attnhand-digest:")


@pytest.mark.parametrize("name", ["html", "markdown"])
def test_in_web_pages_and_markdown_it_is_a_comment(name: str) -> None:
    """Nobody sees it."""

    class Page(HTMLParser):
        def __init__(self) -> None:
            super().__init__()
            self.comments: list[str] = []

        def handle_comment(self, data: str) -> None:
            self.comments.append(data)

        def handle_data(self, data: str) -> None:
            assert "attnhand-digest" not in data

    page = Page()
    page.feed(files()[name].decode())
    page.close()
    assert len([comment for comment in page.comments if comment.startswith(" attnhand-digest:")]) == 1


def test_a_pdf_stays_a_pdf() -> None:
    """Readers look for the end of a PDF within its last kilobyte; the digest is a comment after it."""
    data = FORMATS["pdf"].render_file(SHEET.blank)
    assert is_untouched(data)
    assert data.rindex(b"%%EOF") > len(data) - 1024
    assert re.search(rb"%%EOF\n%attnhand-digest:[0-9a-f]{64}\n$", data)
    assert len(PdfReader(io.BytesIO(data), strict=True).pages) == len(PdfReader(io.BytesIO(data)).pages) >= 2


def test_a_format_that_has_no_place_for_a_digest_is_refused() -> None:
    """Whoever adds a format and forgets how its digest stands is told where to say so, not their first user."""
    with pytest.raises(ValueError, match=r"'latex' in system/digests\.py"):
        Format("latex", ".tex", "latex", "render_latex")
