"""Forms filled by programs that people fill forms with: the code of Chromium, of Firefox, and of scripts."""

import base64
import ctypes
import io
from collections.abc import Callable, Mapping
from pathlib import Path

import pypdfium2
import pypdfium2.raw as pdfium
from playwright.sync_api import Page
from pypdf import PdfWriter
from pypdf.generic import ArrayObject, BooleanObject, DictionaryObject, NameObject, TextStringObject

from attnhand.attention.numbers import Number, format_exact
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.sheet import Sheet

FieldValues = Mapping[str, str]
"""What is written, by the name of the field."""


def write_as_typed(value: Number) -> str:
    """Write a number as people do who have the signs: a true minus, ½ for a half.

    >>> from fractions import Fraction
    >>> write_as_typed(-3), write_as_typed(Fraction(1, 2)), write_as_typed(Fraction(-9, 46))
    ('−3', '½', '−9/46')
    """
    text = format_exact(value)
    return "½" if text == "1/2" else text.replace("-inf", "−∞").replace("-", "−")


def make_perfect_values(sheet: Sheet) -> dict[str, str]:
    """Return the key's values for every field of a sheet's form, and some for those it may not have."""
    return {
        make_cell_id(f"{solved.stage.name}[{i},{j}]"): write_as_typed(value)
        for solved in sheet.solution
        for i, row in enumerate(solved.hand, 1)
        for j, value in enumerate(row, 1)
    }


def fill_with_pypdf(data: bytes, values: FieldValues) -> bytes:
    """Fill a form with pypdf, as scripts do."""
    writer = PdfWriter(clone_from=io.BytesIO(data))
    for page in writer.pages:
        writer.update_page_form_field_values(page, dict(values))
    return _collect_bytes(writer.write)


def fill_with_pdfium(data: bytes, values: FieldValues) -> bytes:
    """Fill a form with PDFium, which is what Chromium shows PDFs with: every field is clicked and typed into."""
    document = pypdfium2.PdfDocument(data)
    document.init_forms()
    assert document.formenv is not None
    form = document.formenv.raw
    for number in range(len(document)):
        page = document[number]
        for index in range(pdfium.FPDFPage_GetAnnotCount(page.raw)):
            field = pdfium.FPDFPage_GetAnnot(page.raw, index)
            if (name := _read_field_name(form, field)) in values:
                assert pdfium.FORM_SetFocusedAnnot(form, field)
                pdfium.FORM_SelectAllText(form, page.raw)
                pdfium.FORM_ReplaceSelection(form, page.raw, _encode_utf16(values[name]))
                pdfium.FORM_ForceToKillFocus(form)
            pdfium.FPDFPage_CloseAnnot(field)
        page.close()
    filled = _collect_bytes(document.save)
    document.close()
    return filled


def _read_field_name(form: object, field: object) -> str:
    size = pdfium.FPDFAnnot_GetFormFieldName(form, field, None, 0)
    name = (ctypes.c_ushort * (size // 2))()
    pdfium.FPDFAnnot_GetFormFieldName(form, field, name, size)
    return bytes(name).decode("utf-16-le").rstrip("\0")


def _encode_utf16(text: str) -> "ctypes.Array[ctypes.c_ushort]":
    data = f"{text}\0".encode("utf-16-le")
    return (ctypes.c_ushort * (len(data) // 2)).from_buffer_copy(data)


def _collect_bytes(write: Callable[[io.BytesIO], object]) -> bytes:
    out = io.BytesIO()
    write(out)
    return out.getvalue()


FILLERS: Mapping[str, Callable[[bytes, FieldValues], bytes]] = {"pypdf": fill_with_pypdf, "PDFium": fill_with_pdfium}
"""Those that need no browser."""


def save_like_poppler(data: bytes, values: FieldValues) -> bytes:
    """Return a filled form with what changed put after its end, as Evince, Okular and pdf.js save it."""
    writer = PdfWriter(io.BytesIO(data), incremental=True)
    _write_values(writer, values)
    saved = _collect_bytes(writer.write)
    assert saved.startswith(data)
    return saved


def save_like_acrobat(data: bytes, values: FieldValues) -> bytes:
    """Return a filled form whose fields are trees: name and value in the field, a widget below it on the page."""
    writer = PdfWriter(clone_from=io.BytesIO(data))
    fields = _write_values(writer, values)
    for at, place in enumerate([*fields]):
        widget = place.get_object()
        moved = {
            NameObject(key): widget.pop(key) for key in ("/FT", "/T", "/TU", "/V", "/MaxLen", "/Ff") if key in widget
        }
        fields[at] = field = writer._add_object(DictionaryObject({**moved, NameObject("/Kids"): ArrayObject([place])}))
        widget[NameObject("/Parent")] = field
    writer.root_object["/AcroForm"][NameObject("/NeedAppearances")] = BooleanObject(True)  # type: ignore[index]
    return _collect_bytes(writer.write)


def save_like_preview(data: bytes, values: FieldValues) -> bytes:
    """Return a filled form without what was attached to it, as macOS saves it."""
    writer = PdfWriter(clone_from=io.BytesIO(data))
    _write_values(writer, values)
    writer.root_object.pop("/Names")
    return _collect_bytes(writer.write)


def _write_values(writer: PdfWriter, values: FieldValues) -> ArrayObject:
    fields: ArrayObject = writer.root_object["/AcroForm"]["/Fields"]  # type: ignore[index]
    for field in (each.get_object() for each in fields):
        if field["/T"] in values:
            field[NameObject("/V")] = TextStringObject(values[field["/T"]])
    return fields


_FILL_SCRIPT = """async ([data, values]) => {
  const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
  const file = await pdfjsLib.getDocument({ data: bytes }).promise;
  for (let number = 1; number <= file.numPages; number++)
    for (const field of await (await file.getPage(number)).getAnnotations())
      if (field.fieldName in values) file.annotationStorage.setValue(field.id, { value: values[field.fieldName] });
  return btoa(Array.from(await file.saveDocument(), (b) => String.fromCharCode(b)).join(""));
}"""


def fill_with_pdfjs(page: Page, pdfjs: Path, data: bytes, values: FieldValues) -> bytes:
    """Fill a form with pdf.js, which is what Firefox shows PDFs with, in an empty page of a browser."""
    page.add_script_tag(path=pdfjs / "pdf.worker.js")
    page.add_script_tag(path=pdfjs / "pdf.js")
    return base64.b64decode(page.evaluate(_FILL_SCRIPT, [base64.b64encode(data).decode(), dict(values)]))
