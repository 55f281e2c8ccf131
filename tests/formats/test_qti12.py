"""QTI 1.2 as Canvas reads it: what is typed is compared with a field's texts, and fields count alike."""

import random
import re
from html import unescape
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.errors import AttnhandError
from attnhand.formats.cloze_questions import list_questions
from attnhand.formats.moodle import choose_drawn_stage
from attnhand.formats.package import unpack_files
from attnhand.formats.qti12 import join_qti12, render_qti12
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from tests.breadth import choose
from tests.formats.qti_students import WAYS, count_right, fill_in
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION

QTI = "{http://www.imsglobal.org/xsd/ims_qtiasiv1p2}"


def read_quiz(package: bytes) -> Element:
    """Return the quiz that the manifest names, as an importer finds it."""
    files = unpack_files(package)
    manifest = ElementTree.fromstring(files["imsmanifest.xml"])
    (resource,) = manifest.iter("{http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1}resource")
    assert resource.get("type") == "imsqti_xmlv1p2"
    return ElementTree.fromstring(files[resource[0].attrib["href"]])


def read_kind(item: Element) -> str:
    """Return the type of a question."""
    fields = {field[0].text: field[1].text for field in item.iter(f"{QTI}qtimetadatafield")}
    return str(fields["question_type"])


def read_html(item: Element) -> str:
    """Return the text of a question."""
    return str(item.findtext(f"{QTI}presentation/{QTI}material/{QTI}mattext"))


def mark_as_canvas(item: Element, typed: dict[str, str]) -> tuple[int, int]:
    """Return right fields, and all: texts are compared without blanks around and without case."""
    assert read_kind(item) == "fill_in_multiple_blanks_question"
    right, fields = 0, item.findall(f"{QTI}presentation/{QTI}response_lid")
    for field in fields:
        name = field.attrib["ident"].removeprefix("response_")
        assert field.findtext(f"{QTI}material/{QTI}mattext") == name
        labels = {str(each.text).strip().lower() for each in field.findall(f".//{QTI}response_label//{QTI}mattext")}
        right += typed[name].strip().lower() in labels
    return right, len(fields)


@pytest.mark.parametrize(("name", "convention"), choose(FORMS_IN_ONE_CONVENTION[::6], FORMS_IN_ONE_CONVENTION))
def test_every_spelling_of_a_student_counts_as_check_counts(name: str, convention: Convention) -> None:
    """In fractions and decimals, with slips and empty cells: as many cells as check finds right."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    items = list(read_quiz(render_qti12(sheet)).iter(f"{QTI}item"))
    stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
    # a question that hardly any sheet lacks is asked though this one lacks it: others of its kind are drawn
    assert len(items) - len(stages) >= len(list_questions(sheet)) > 0
    draw = random.Random(name)
    for stage, item in zip(stages, items, strict=False):
        drawn = choose_drawn_stage(sheet, stage)
        for ways in (WAYS[:1], WAYS[1:2], WAYS[2:3], WAYS):
            typed = fill_in(drawn, ways, draw)
            named = {f"r{i + 1}c{j + 1}": text for (i, j), text in typed.items()}
            right, count = mark_as_canvas(item, named)
            assert (right, count) == (count_right(drawn, typed), len(typed)), (stage.name, typed)
            assert ways == WAYS or right == count


def test_a_text_names_every_field_once() -> None:
    """And nothing that a user typed is one; the table has lines of its own; the code stands in each title."""
    sheet = attnhand.generate(seed=7, title="[r1c1] <b>", words=["[r1c1]", "]]>&", "c", "d"])
    for item in read_quiz(render_qti12(sheet)).iter(f"{QTI}item"):
        html = read_html(item)
        assert sheet.code in item.attrib["title"]
        if read_kind(item) == "fill_in_multiple_blanks_question":
            fields = [field.attrib["ident"].removeprefix("response_") for field in item.iter(f"{QTI}response_lid")]
            assert re.findall(r"\[(\w+)\]", unescape(html)) == fields
        assert "<table " in html
        assert html.count('border="1"') == html.count("<table")
        assert "<table" in str(item.findtext(f".//{QTI}itemfeedback//{QTI}mattext")) or "–" in html + "–"


def test_questions_beside_the_cells_have_one_right_choice_or_several() -> None:
    """What is right is what check takes; each prints the sheet that it asks about."""
    sheet = attnhand.generate(seed=3, questions="many", mechanism="multi-head")
    items = [each for each in read_quiz(render_qti12(sheet)).iter(f"{QTI}item") if "choice" in read_kind(each)]
    items += [each for each in read_quiz(render_qti12(sheet)).iter(f"{QTI}item") if "answers" in read_kind(each)]
    assert items
    for item in items:
        labels = {each.attrib["ident"] for each in item.iter(f"{QTI}response_label")}
        conditions = item.findall(f".//{QTI}respcondition[@continue='No']//{QTI}varequal")
        assert {str(each.text) for each in conditions} <= labels
        assert len(conditions) == (1 if "choice" in read_kind(item) else len(labels))


def test_a_class_has_a_section_a_question_of_which_one_is_drawn() -> None:
    """Its variants are everybody's, with their codes; the same files give the same bytes."""
    sheets = [attnhand.generate(seed=seed) for seed in (1, 2, 3)]
    packages = [render_qti12(sheet) for sheet in sheets]
    joined = join_qti12(packages, sheets[:1])
    assert joined == join_qti12(packages, sheets[:1])
    sections = read_quiz(joined).findall(f"{QTI}assessment/{QTI}section/{QTI}section")
    assert len(sections) >= 9
    for section in sections[:9]:
        assert section.findtext(f".//{QTI}selection_number") == "1"
        titles = [item.attrib["title"] for item in section.findall(f"{QTI}item")]
        assert [title.rpartition(" · ")[2] for title in titles] == [sheet.code for sheet in sheets]
    idents = [item.attrib["ident"] for item in read_quiz(joined).iter(f"{QTI}item")]
    assert len(idents) == len(set(idents))


def test_a_mistake_to_find_is_refused() -> None:
    """With what to do instead."""
    sheet = attnhand.generate(seed=7, options=PageOptions(mistake="any"))
    for render in (sheet.qti12, sheet.qti21):
        with pytest.raises(AttnhandError, match=r"take `moodle=`"):
            render()
