"""The bookmarks of a PDF file of many sheets."""

import io
from typing import Any

import page as page_validation
import pytest
from pypdf import PdfReader

from attnhand.formats.pdf.draw_sheet import draw_layout
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.text_pages import PageSize, lay_out_pages, make_paragraph


def file_of(names: list[str]) -> bytes:
    """Return a PDF file with a page a name, behind a cover without one."""
    page = draw_layout(next(lay_out_pages(PageSize(210, 297), [[make_paragraph("A page.")]])), "Several")
    out = io.BytesIO()
    file = PdfFile(out, title="Several", language="en")
    for name in ("", *names):
        file.add_pages(page, name)
    file.close()
    return out.getvalue()


def list_bookmarks(reader: PdfReader, items: Any) -> list[Any]:
    """Return bookmarks as title and page, those below another one as a list behind it."""
    return [
        list_bookmarks(reader, item)
        if isinstance(item, list)
        else (item.title, reader.get_destination_page_number(item))
        for item in items
    ]


@pytest.mark.parametrize("count", [1, 4, 200])
def test_a_bookmark_a_sheet(count: int) -> None:
    """Each leads to its page; names may hold what a PDF string may not."""
    names = [f"{number:03d} Zoë (née \\ Å)" for number in range(count)]
    data = file_of(names)
    reader = PdfReader(io.BytesIO(data))
    assert list_bookmarks(reader, reader.outline) == [(name, at) for at, name in enumerate(names, 1)]
    assert page_validation.validate_pdf_bytes(data, profile="ua1").is_compliant


def test_many_bookmarks_stand_in_branches() -> None:
    """A hundred in each, closed, under the first and the last of them."""
    names = [f"{number:03d}" for number in range(1, 451)]
    data = file_of(names)
    reader = PdfReader(io.BytesIO(data))
    branches = []
    for start in range(0, 450, 100):
        kids = [(name, at) for at, name in enumerate(names[start : start + 100], start + 1)]
        branches += [(f"{kids[0][0]} … {kids[-1][0]}", start + 1), kids]
    assert list_bookmarks(reader, reader.outline) == branches
    root: Any = reader.trailer["/Root"]
    assert (root["/Outlines"]["/Count"], root["/Outlines"]["/First"]["/Count"]) == (5, -100)
    assert page_validation.validate_pdf_bytes(data, profile="ua1").is_compliant


def test_without_names_there_are_no_bookmarks() -> None:
    """A single sheet's file has none, and opens without a list of them."""
    root: Any = PdfReader(io.BytesIO(file_of([])))
    assert not {"/Outlines", "/PageMode"} & root.trailer["/Root"].keys()
