"""Forms that were filled, read back and marked; and files that are no such form."""

import io
import logging
import zlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass

import pytest
from pypdf import PdfReader, PdfWriter

from attnhand.errors import AnswerError
from attnhand.formats.answers import arrange_answers, select_stage_answers
from attnhand.formats.json_sheet import render_json
from attnhand.formats.pdf.form_reader import (
    _raise_after_seconds,
    _ReadingLimitError,
    read_answers_from_pdf,
)
from attnhand.marking.mark import mark_answers
from attnhand.marking.submission import check_data
from attnhand.sheet.grids import Mark
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.questions import build_questions
from attnhand.system.files import MAX_PDF_BYTES
from attnhand.system.json_toml import read_data
from tests.breadth import choose
from tests.conftest import GetFormPath
from tests.filling import FILLERS, make_perfect_values
from tests.pages.sheets import get_sheet

FILLED_SHEET_NAMES = choose(
    ("classic columns", "causal rows", "two queries rows"),
    ("classic columns", "causal rows", "multi-head columns", "positions columns", "two queries rows"),
)
CLASSIC = FILLED_SHEET_NAMES[0]


@pytest.mark.parametrize(("name", "writer"), [(CLASSIC, "pypdf"), *((name, "PDFium") for name in FILLED_SHEET_NAMES)])
def test_what_is_filled_is_read_back(form: GetFormPath, name: str, writer: str) -> None:
    """The key's values in every field, typed with a true minus and ½, are all correct; the sheet comes with them."""
    sheet = get_sheet(name)
    answers = read_answers_from_pdf(
        FILLERS[writer](form(name).read_bytes(), {**make_perfect_values(sheet), "name": "Ada Łovelace"})
    )
    assert answers.code == sheet.code
    assert answers.sheet_data == read_data(render_json(sheet.blank), "json")
    assert {stage: (len(texts), len(texts[0])) for stage, texts in answers.stages.items()} == {
        **{solved.stage.name: (len(solved.hand), len(solved.hand[0])) for solved in sheet.solution},
        **{question.name: (1, 1) for question in build_questions(sheet) if question.name},
    }
    assert mark_answers(answers, sheet).is_all_correct


@pytest.mark.parametrize("writer", FILLERS)
def test_texts_are_read_as_they_were_typed(form: GetFormPath, writer: str) -> None:
    """Every sign is kept, as is what cannot be marked; what is left empty is blank, and a sheet of that only blank."""
    typed = {"S_1_1": "−2", "S_1_2": "½", "S_2_1": "9/46", "S_4_4": " 1 1/2 ", "K_1_2": "−∞", "A_1_1": "I don’t know ☹"}
    answers = read_answers_from_pdf(FILLERS[writer](form(CLASSIC).read_bytes(), typed))
    assert answers.stages["S"][0] == ("−2", "½", "", "")
    assert answers.stages["S"][1] == ("9/46", "", "", "")
    assert (answers.stages["S"][3][3].strip(), answers.stages["K"][0][1]) == ("1 1/2", "−∞")
    assert answers.stages["A"][0][0].startswith("I don’t know")
    assert set(answers.stages["Z"]) == {("", "", "", "")}
    empty = mark_answers(read_answers_from_pdf(form(CLASSIC).read_bytes()), get_sheet(CLASSIC))
    assert {cell.mark for cell in empty.cells} == {Mark.BLANK}


# what is no filled form

DAMAGED = "is a damaged PDF that cannot be read"
NO_FIELDS = "holds no form fields, for it was printed to PDF, flattened or scanned"
CHANGED = "holds a sheet that was changed and cannot be read"


def make_pdf(*objects: bytes) -> bytes:
    """Return a PDF of these objects, the first of which is its catalogue."""
    out, places = b"%PDF-1.7\n", []
    for number, thing in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%b\nendobj\n" % (number, thing)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    end = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, len(out))
    return out + head + table + end


def make_form_pdf(
    attached: bytes, *, fields: bytes = b"[5 0 R]", filters: bytes = b"/FlateDecode", field_name: bytes = b"(b)"
) -> bytes:
    """Return a form with a field, one more that may have another name, and something attached under our name."""
    return make_pdf(
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields %b>>"
        b"/Names<</EmbeddedFiles<</Names[(attnhand.json) 3 0 R]>>>>>>" % fields,
        b"<</Type/Pages/Kids[]/Count 0>>",
        b"<</Type/Filespec/F(attnhand.json)/EF<</F 4 0 R>>>>",
        b"<</Filter %b/Length %d>>\nstream\n%b\nendstream" % (filters, len(attached), attached),
        b"<</FT/Tx/T(S_1_1)/V(2)>>",
        b"<</FT/Tx/T%b/V(3)>>" % field_name,
    )


def make_json_form(text: str) -> bytes:
    """Return a form with a text attached as its sheet."""
    return make_form_pdf(zlib.compress(text.encode()))


SCAN = make_pdf(
    b"<</Type/Catalog/Pages 2 0 R>>",
    b"<</Type/Pages/Kids[3 0 R]/Count 1>>",
    b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Resources<</XObject<</I 4 0 R>>>>>>",
    b"<</Subtype/Image/Width 1/Height 1/Length 0>>\nstream\n\nendstream",
)

REFUSED: Mapping[str, tuple[bytes, str]] = {
    "nothing": (b"", "is no PDF"),
    "a text": (b"dear teacher, the dog", "is no PDF"),
    "noise": (b"%PDF-1.7\n" + bytes(range(256)) * 200, DAMAGED),
    "too large": (b"%PDF-1.7\n" + b" " * MAX_PDF_BYTES, "has 20,000,009 bytes, more than any filled form"),
    "a scan": (SCAN, "holds no form fields, for it is a scan"),
    "no sheet": (make_json_form(""), CHANGED),
    "a sheet that is none": (make_json_form("[]"), CHANGED),
    "another format": (make_json_form('{"format": "attnhand/9", "stages": []}'), CHANGED),
    "no stages": (make_json_form('{"format": "attnhand/1"}'), CHANGED),
    "a stage without rows": (
        make_json_form('{"format": "attnhand/1", "stages": [{"name": "Q", "columns": []}]}'),
        CHANGED,
    ),
    "endless rows": (
        make_json_form(
            '{"format": "attnhand/1", "stages": [{"name": "Q", "columns": [], "rows": [%s1]}]}' % ("1," * 9_999)
        ),
        CHANGED,
    ),
    "a deep sheet": (make_json_form("[" * 50_000), CHANGED),
    "a bomb": (make_form_pdf(zlib.compress(bytes(50_000_000))), DAMAGED),
    "a bomb in a bomb": (
        make_form_pdf(zlib.compress(zlib.compress(bytes(50_000_000))), filters=b"[/FlateDecode/FlateDecode]"),
        DAMAGED,
    ),
    "deep objects": (make_form_pdf(b"", fields=b"<</Kids[" * 20_000), "hand in the"),
    "a deep text": (make_form_pdf(b"", fields=b"(" * 50_000), DAMAGED),
    "a field below itself": (
        make_pdf(
            b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[3 0 R]>>>>",
            b"<</Type/Pages/Kids[]/Count 0>>",
            b"<</FT/Tx/T(a)/Parent 3 0 R/Kids[3 0 R]>>",
        ),
        DAMAGED,
    ),
    "endless fields": (make_form_pdf(b"", fields=b"[%b]" % (b"5 0 R " * 50_000)), DAMAGED),
}


@pytest.mark.parametrize(("data", "sentence"), REFUSED.values(), ids=REFUSED)
def test_what_is_no_form_is_refused(data: bytes, sentence: str, caplog: pytest.LogCaptureFixture) -> None:
    """In one sentence that says what it is and what to do, and nothing besides."""
    assert sentence in read_refusal(data)
    assert caplog.records == []


def read_refusal(data: bytes) -> str:
    """Return the sentence with which a file is refused."""
    with pytest.raises(AnswerError) as refused:
        read_answers_from_pdf(data)
    (sentence,) = str(refused.value).splitlines()
    assert ": " in sentence or sentence == "is no PDF"
    assert logging.getLogger("pypdf").level == logging.NOTSET
    return sentence


def test_a_form_of_this_shape_is_read() -> None:
    """What the refused ones are made from is fine by itself."""
    stage = '{"name": "S", "rows": ["1"], "columns": ["1"]}'
    answers = read_answers_from_pdf(make_json_form(f'{{"format": "attnhand/1", "code": 7, "stages": [{stage}]}}'))
    assert (answers.code, answers.stages) == (None, {"S": (("2",),)})


def test_a_field_whose_name_is_damaged_is_none_of_ours() -> None:
    """Bytes that spell no text: the others are read."""
    stage = b'{"format": "attnhand/1", "stages": [{"name": "S", "rows": ["1"], "columns": ["1"]}]}'
    form = make_form_pdf(zlib.compress(stage), fields=b"[5 0 R 6 0 R]", field_name=b"<feff0>")
    assert read_answers_from_pdf(form).stages == {"S": (("2",),)}


@dataclass(frozen=True, kw_only=True)
class SpoiltForm:
    """One way to spoil a form of ours."""

    spoil: Callable[[PdfWriter], object]
    expected_message: str


SPOILT_FORMS = {
    "locked": SpoiltForm(
        spoil=lambda pdf: pdf.encrypt("secret", algorithm="RC4-128"), expected_message="is locked with a password"
    ),
    "protected": SpoiltForm(
        spoil=lambda pdf: pdf.encrypt("", owner_password="secret", algorithm="RC4-128"),
        expected_message="against changes",
    ),
    "flattened": SpoiltForm(spoil=lambda pdf: pdf.root_object.pop("/AcroForm"), expected_message=NO_FIELDS),
    "without a catalogue": SpoiltForm(spoil=lambda pdf: pdf.root_object.pop("/Type"), expected_message=DAMAGED),
}


@pytest.mark.parametrize("name", SPOILT_FORMS)
def test_a_spoilt_form_is_refused(form: GetFormPath, name: str) -> None:
    """Locked, flattened, damaged, or without the sheet: each says which."""
    writer, out = PdfWriter(clone_from=form(CLASSIC)), io.BytesIO()
    SPOILT_FORMS[name].spoil(writer)
    writer.write(out)
    assert PdfReader(io.BytesIO(out.getvalue())).is_encrypted is (name in ("locked", "protected"))
    assert SPOILT_FORMS[name].expected_message in read_refusal(out.getvalue())


@pytest.mark.parametrize("name", FILLED_SHEET_NAMES)
def test_a_form_that_lost_its_sheet_is_read(form: GetFormPath, name: str) -> None:
    """Some programs do not keep what is attached: the names of its fields tell its cells, and one holds its code."""
    sheet, out = get_sheet(name), io.BytesIO()
    writer = PdfWriter(clone_from=io.BytesIO(FILLERS["pypdf"](form(name).read_bytes(), make_perfect_values(sheet))))
    writer.root_object.pop("/Names")
    writer.write(out)
    answers = read_answers_from_pdf(out.getvalue())
    assert (answers.code, answers.sheet_data) == (sheet.code, {})
    assert mark_answers(select_stage_answers(arrange_answers(answers, sheet), sheet), sheet).is_all_correct
    # words that shape the numbers stand in no code
    for source in (sheet,) if name == "positions columns" else (sheet, None):
        assert check_data(out.getvalue(), "form.pdf", source, SheetOrder(), PageOptions()).marks.is_all_correct


def test_a_form_of_another_program_is_refused() -> None:
    """Its fields are no cells of ours."""
    other = make_pdf(
        b"<</Type/Catalog/Pages 2 0 R/AcroForm<</Fields[3 0 R]>>>>",
        b"<</Type/Pages/Kids[]/Count 0>>",
        b"<</FT/Tx/T(surname)/V(Ada)>>",
    )
    assert "is a form, but not one of this program (attnhand.json is not attached): hand in" in read_refusal(other)


def test_half_a_form_is_refused(form: GetFormPath) -> None:
    """Wherever the copying stopped."""
    data = form(CLASSIC).read_bytes()
    for size in (9, 1_000, len(data) // 2, len(data) - 2_000, len(data) - 20):
        assert DAMAGED in read_refusal(data[:size])


def test_a_form_that_takes_too_long_is_given_up() -> None:
    """Wherever the reader is, in a loop of its own even."""
    with pytest.raises(_ReadingLimitError), _raise_after_seconds(0.05):
        while True:
            pass
