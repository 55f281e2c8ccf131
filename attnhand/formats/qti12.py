"""Questions as QTI 1.2 in the dialect of Canvas: a content package with one quiz.

Canvas compares what is typed with texts, and asks for as many points as fields are right: so cells weigh as cells. Of a
field it takes every text that the field has, so that no slip can be named. It says what is read, in its open source:
``fill_in_multiple_blanks_question`` has a ``response_lid`` a field, and the field's name in brackets in the text.
"""

from collections.abc import Iterable, Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, fromstring, tostring

from attnhand.formats.package import pack_files, unpack_files
from attnhand.formats.quiz_items import Blank, Choice, QuizItem, list_quiz_items, replace_fields
from attnhand.sheet.sentences import format_shared_title, format_title
from attnhand.sheet.sheet import Sheet

_NAMESPACE = "http://www.imsglobal.org/xsd/ims_qtiasiv1p2"
_PACKAGING = "http://www.imsglobal.org/xsd/imsccv1p1/imscp_v1p1"

QUIZ_FILE = "quiz/quiz.xml"

_TABLE = '<table border="1" cellpadding="6" style="border-collapse: collapse; margin-bottom: 12px"'
"""How a table begins: Canvas draws no lines of its own, and lets these through."""


def render_qti12(sheet: Sheet) -> bytes:
    """Return a package with a quiz: a question for each stage that asks something, and each other question asked.

    >>> from attnhand.problems.request import Request
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> package = render_qti12(make_sheet_from_request(Request(seed=7)))
    >>> unpack_files(package)[QUIZ_FILE].count("<item ")
    14

    Raises:
        PageError: the sheet has a mistake to find.
    """
    items = list_quiz_items(sheet, "QTI")
    return _write_package(sheet.code, f"{format_title(sheet)} · {sheet.code}", map(_write_item, items))


def join_qti12(packages: Sequence[bytes], sheets: Sequence[Sheet]) -> bytes:
    """Return the quizzes of a class as one, which draws one of the variants of each question.

    Args:
        sheets: one of the class, of each form that is dealt.
    """
    places: dict[str, list[Element]] = {}
    for package in packages:
        for item in fromstring(unpack_files(package)[QUIZ_FILE]).iter(f"{{{_NAMESPACE}}}item"):
            places.setdefault(str(item.get("title")).rpartition(" · ")[0], []).append(_drop_namespace(item))
    sections = []
    for number, (name, items) in enumerate(places.items(), 1):
        section = Element("section", {"ident": f"place-{number:02}", "title": name})
        selection = SubElement(SubElement(section, "selection_ordering"), "selection")
        SubElement(selection, "selection_number").text = "1"
        extension = SubElement(selection, "selection_extension")
        SubElement(extension, "points_per_item").text = _find_points(items[0])
        section.extend(items)
        sections.append(section)
    return _write_package("class", format_shared_title(sheets), sections)


def _drop_namespace(element: Element) -> Element:
    for each in element.iter():
        each.tag = each.tag.rpartition("}")[2]
    return element


def _find_points(item: Element) -> str:
    fields = item.iter("qtimetadatafield")
    return next(str(each.findtext("fieldentry")) for each in fields if each.findtext("fieldlabel") == "points_possible")


def _write_package(code: str, title: str, children: Iterable[Element]) -> bytes:
    quiz = Element("questestinterop", {"xmlns": _NAMESPACE})
    assessment = SubElement(quiz, "assessment", {"ident": f"attnhand-{code}", "title": title})
    SubElement(assessment, "section", {"ident": "root_section"}).extend(children)
    manifest = Element("manifest", {"identifier": f"attnhand-{code}-qti12", "xmlns": _PACKAGING})
    metadata = SubElement(manifest, "metadata")
    SubElement(metadata, "schema").text = "IMS Content"
    SubElement(metadata, "schemaversion").text = "1.1.3"
    SubElement(manifest, "organizations")
    kind = {"identifier": f"attnhand-{code}", "type": "imsqti_xmlv1p2"}
    SubElement(SubElement(SubElement(manifest, "resources"), "resource", kind), "file", {"href": QUIZ_FILE})
    return pack_files({"imsmanifest.xml": write_xml(manifest), QUIZ_FILE: write_xml(quiz)})


def write_xml(root: Element) -> str:
    """Return a document as a file."""
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{tostring(root, encoding="unicode")}\n'


def _write_item(question: QuizItem) -> Element:
    item = Element("item", {"ident": question.identifier, "title": question.title})
    kind = "fill_in_multiple_blanks_question"
    if question.choice:
        kind = "multiple_answers_question" if question.choice.takes_several else "multiple_choice_question"
    _add_metadata(item, {"question_type": kind, "points_possible": str(question.points)})
    presentation = SubElement(item, "presentation")
    # a joiner after each bracket that is text: Canvas takes a bracketed name for a field
    text = replace_fields(question.text.replace("&#91;", "&#91;&#8288;"), r"[\1]")
    _add_html(presentation, f"<div>{text}</div>")
    processing = Element("resprocessing")
    limits = {"maxvalue": "100", "minvalue": "0", "varname": "SCORE", "vartype": "Decimal"}
    SubElement(SubElement(processing, "outcomes"), "decvar", limits)
    condition = SubElement(processing, "respcondition", {"continue": "Yes"})
    SubElement(SubElement(condition, "conditionvar"), "other")
    SubElement(condition, "displayfeedback", {"feedbacktype": "Response", "linkrefid": "general_fb"})
    if question.choice:
        _add_choice(presentation, processing, question.choice)
    for number, blank in enumerate(question.blanks, 1):
        _add_blank(presentation, processing, blank, number, len(question.blanks))
    item.append(processing)
    feedback = SubElement(item, "itemfeedback", {"ident": "general_fb"})
    _add_html(SubElement(feedback, "flow_mat"), question.solution)
    return item


def _add_metadata(item: Element, fields: Mapping[str, str]) -> None:
    metadata = SubElement(SubElement(item, "itemmetadata"), "qtimetadata")
    for label, entry in fields.items():
        field = SubElement(metadata, "qtimetadatafield")
        SubElement(field, "fieldlabel").text = label
        SubElement(field, "fieldentry").text = entry


def _add_html(parent: Element, html: str) -> None:
    material = SubElement(parent, "material")
    SubElement(material, "mattext", {"texttype": "text/html"}).text = html.replace("<table", _TABLE)


def _add_label(parent: Element, identifier: str, text: str) -> None:
    material = SubElement(SubElement(parent, "response_label", {"ident": identifier}), "material")
    SubElement(material, "mattext", {"texttype": "text/plain"}).text = text


def _add_blank(presentation: Element, processing: Element, blank: Blank, number: int, count: int) -> None:
    """Add a field: all of its labels are right, and processing names the first, as Canvas writes it itself."""
    identifier = f"response_{blank.name}"
    response = SubElement(presentation, "response_lid", {"ident": identifier})
    SubElement(SubElement(response, "material"), "mattext").text = blank.name
    choices = SubElement(response, "render_choice")
    for at, text in enumerate(blank.accepted):
        _add_label(choices, f"{number}{at:03}", text)
    condition = SubElement(processing, "respcondition")
    SubElement(SubElement(condition, "conditionvar"), "varequal", {"respident": identifier}).text = f"{number}000"
    SubElement(condition, "setvar", {"action": "Add", "varname": "SCORE"}).text = f"{100 / count:.2f}"


def _add_choice(presentation: Element, processing: Element, choice: Choice) -> None:
    cardinality = "Multiple" if choice.takes_several else "Single"
    response = SubElement(presentation, "response_lid", {"ident": "response1", "rcardinality": cardinality})
    labels = SubElement(response, "render_choice")
    condition = SubElement(processing, "respcondition", {"continue": "No"})
    variables = SubElement(condition, "conditionvar")
    both = SubElement(variables, "and") if choice.takes_several else variables
    for at, (words, is_right) in enumerate(choice.words, 1):
        _add_label(labels, f"{at}000", words)
        if is_right or choice.takes_several:
            parent = both if is_right else SubElement(both, "not")
            SubElement(parent, "varequal", {"respident": "response1"}).text = f"{at}000"
    SubElement(condition, "setvar", {"action": "Set", "varname": "SCORE"}).text = "100"
