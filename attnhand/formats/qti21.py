"""Questions as QTI 2.1: a content package with a test, and an item a question.

Every field of an item maps what is typed to a point or none, and the item adds them: so cells weigh as cells. Players
compare texts; a fraction is none of their numbers. When an attempt ends they show the sentences of slips that were seen
in any field, then the worked solution.
"""

import re
from collections.abc import Mapping, Sequence
from xml.etree.ElementTree import Element, SubElement, fromstring

from attnhand.formats.package import pack_files, unpack_files
from attnhand.formats.qti12 import write_xml
from attnhand.formats.quiz_items import Blank, Choice, QuizItem, list_quiz_items, replace_fields
from attnhand.sheet.sentences import format_shared_title, format_title
from attnhand.sheet.sheet import Sheet

_NAMESPACE = "http://www.imsglobal.org/xsd/imsqti_v2p1"
_PACKAGING = "http://www.imsglobal.org/xsd/imscp_v1p1"
_INSTANCE = "http://www.w3.org/2001/XMLSchema-instance"

TEST_FILE, STYLE_FILE, ITEM_FOLDER = "test.xml", "style.css", "items"

_STYLE = """\
.table-responsive { overflow-x: auto; }
.table { border-collapse: collapse; margin: 0.5em 0; }
.table th, .table td { border: 1px solid #888; padding: 0.2em 0.4em; text-align: center; }
.table td > *, .table input { display: inline-block; width: 4em; }
.table td > *::part(input) { box-sizing: border-box; width: 100%; min-width: 0; }
"""

_ATTRIBUTES = frozenset(("class", "responseIdentifier", "expectedLength"))
"""Of what stands in a text: QTI allows a table no others that would be there."""

FIELD_LENGTH = 8
"""Characters that a field has room for."""

_FIELD = rf'<textEntryInteraction responseIdentifier="\1" expectedLength="{FIELD_LENGTH}"/>'

_CHOICE_NAME, _SOLUTION, _SHOWN = "answer", "SOLUTION", "shown"


def render_qti21(sheet: Sheet) -> bytes:
    """Return a package with a test: an item for each stage that asks something, and each other question asked.

    >>> from attnhand.problems.request import Request
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> names = unpack_files(render_qti21(make_sheet_from_request(Request(seed=7)))).keys()
    >>> sorted(names)[-2:]
    ['style.css', 'test.xml']

    Raises:
        PageError: the sheet has a mistake to find.
    """
    items = {item: write_xml(_write_item(item)) for item in list_quiz_items(sheet, "QTI")}
    places = {item.name: {item.identifier: text} for item, text in items.items()}
    return _write_package(sheet.code, f"{format_title(sheet)} · {sheet.code}", places)


def join_qti21(packages: Sequence[bytes], sheets: Sequence[Sheet]) -> bytes:
    """Return the tests of a class as one, which draws one of the variants of each question.

    Args:
        sheets: one of the class, of each form that is dealt.
    """
    places: dict[str, dict[str, str]] = {}
    for package in packages:
        for name, text in unpack_files(package).items():
            if name.startswith(f"{ITEM_FOLDER}/"):
                item = fromstring(text)
                place = str(item.get("title")).rpartition(" · ")[0]
                places.setdefault(place, {})[str(item.get("identifier"))] = text
    return _write_package("class", format_shared_title(sheets), places)


def _write_package(code: str, title: str, places: Mapping[str, Mapping[str, str]]) -> bytes:
    """Return a package.

    Args:
        places: the items of each question, by identifier: one, or the variants of which one is drawn.
    """
    files = {f"{ITEM_FOLDER}/{name}.xml": text for items in places.values() for name, text in items.items()}
    manifest = _write_manifest(code, files)
    test = _write_test(code, title, places)
    return pack_files({"imsmanifest.xml": manifest, TEST_FILE: test, STYLE_FILE: _STYLE, **files})


def _write_manifest(code: str, files: Mapping[str, str]) -> str:
    manifest = Element("manifest", {"identifier": f"attnhand-{_make_name(code)}-qti21", "xmlns": _PACKAGING})
    metadata = SubElement(manifest, "metadata")
    SubElement(metadata, "schema").text = "QTIv2.1 Package"
    SubElement(metadata, "schemaversion").text = "1.0.0"
    SubElement(manifest, "organizations")
    resources = SubElement(manifest, "resources")

    def add_resource(identifier: str, kind: str, href: str) -> Element:
        attributes = {"identifier": identifier, "type": kind, "href": href}
        resource = SubElement(resources, "resource", attributes)
        SubElement(resource, "file", {"href": href})
        return resource

    names = {name.rpartition("/")[2].removesuffix(".xml"): name for name in files}
    test = add_resource("test", "imsqti_test_xmlv2p1", TEST_FILE)
    for identifier, name in names.items():
        item = add_resource(identifier, "imsqti_item_xmlv2p1", name)
        SubElement(item, "file", {"href": STYLE_FILE})
        SubElement(test, "dependency", {"identifierref": identifier})
    return write_xml(manifest)


def _write_test(code: str, title: str, places: Mapping[str, Mapping[str, str]]) -> str:
    test = _make_root("assessmentTest", f"attnhand-{_make_name(code)}", title)
    _declare_outcome(test, "SCORE", "float", "0")
    part = SubElement(
        test, "testPart", {"identifier": "part", "navigationMode": "nonlinear", "submissionMode": "individual"}
    )
    for number, (name, items) in enumerate(places.items(), 1):
        place = {"identifier": f"section-{number:02}", "title": name, "visible": "true"}
        section = SubElement(part, "assessmentSection", place)
        if len(items) > 1:
            SubElement(section, "selection", {"select": "1"})
        for identifier in items:
            reference = {"identifier": identifier, "href": f"{ITEM_FOLDER}/{identifier}.xml"}
            SubElement(section, "assessmentItemRef", reference)
    processing = SubElement(test, "outcomeProcessing")
    total = SubElement(SubElement(processing, "setOutcomeValue", {"identifier": "SCORE"}), "sum")
    SubElement(total, "testVariables", {"variableIdentifier": "SCORE"})
    return write_xml(test)


def _make_name(code: str) -> str:
    return re.sub(r"[^A-Za-z0-9]", "-", code)


def _make_root(tag: str, identifier: str, title: str) -> Element:
    schema = f"{_NAMESPACE} http://www.imsglobal.org/xsd/qti/qtiv2p1/imsqti_v2p1.xsd"
    return Element(
        tag,
        {
            "xmlns": _NAMESPACE,
            "xmlns:xsi": _INSTANCE,
            "xsi:schemaLocation": schema,
            "identifier": identifier,
            "title": title,
        },
    )


def _write_item(question: QuizItem) -> Element:
    item = _make_root("assessmentItem", question.identifier, question.title)
    item.attrib |= {"adaptive": "false", "timeDependent": "false"}
    sentences = list(dict.fromkeys(sentence for blank in question.blanks for sentence, _ in blank.mistakes))
    slips = {sentence: f"SLIP{at}" for at, sentence in enumerate(sentences, 1)}
    for blank in question.blanks:
        _declare_blank(item, blank)
    if question.choice:
        _declare_choice(item, question.choice)
    _declare_outcome(item, "SCORE", "float", "0")
    _declare_outcome(item, "MAXSCORE", "float", str(question.points))
    for identifier in (*slips.values(), _SOLUTION):
        _declare_outcome(item, identifier, "identifier")
    SubElement(item, "stylesheet", {"href": f"../{STYLE_FILE}", "type": "text/css"})
    body = _parse_html("itemBody", replace_fields(question.text, _FIELD))
    if question.choice:
        _add_choice(body, question.choice)
    item.append(body)
    item.append(_process_responses(question, slips))
    for sentence, identifier in slips.items():
        feedback = SubElement(item, "modalFeedback", _describe_feedback(identifier))
        SubElement(feedback, "p").text = sentence
    item.append(_parse_html("modalFeedback", question.solution, _describe_feedback(_SOLUTION)))
    return item


def _describe_feedback(identifier: str) -> dict[str, str]:
    """Return when a feedback is shown: each has an outcome of its own, for players differ in lists."""
    return {"outcomeIdentifier": identifier, "showHide": "show", "identifier": _SHOWN}


def _parse_html(tag: str, html: str, attributes: Mapping[str, str] | None = None) -> Element:
    element = fromstring(f"<{tag}>{html}</{tag}>")
    for each in element.iter():
        each.attrib = {name: value for name, value in each.attrib.items() if name in _ATTRIBUTES}
    element.attrib = dict(attributes or {})
    return element


def _declare_blank(item: Element, blank: Blank) -> None:
    declaration = {"identifier": blank.name, "cardinality": "single", "baseType": "string"}
    response = SubElement(item, "responseDeclaration", declaration)
    SubElement(SubElement(response, "correctResponse"), "value").text = blank.accepted[0]
    mapping = SubElement(response, "mapping", {"defaultValue": "0"})
    for text in blank.accepted:
        SubElement(mapping, "mapEntry", {"mapKey": text, "mappedValue": "1"})


def _declare_choice(item: Element, choice: Choice) -> None:
    """Declare what is to be chosen; of several each has its share of the point, and a wrong one takes as much away."""
    cardinality = "multiple" if choice.takes_several else "single"
    declaration = {"identifier": _CHOICE_NAME, "cardinality": cardinality, "baseType": "identifier"}
    response = SubElement(item, "responseDeclaration", declaration)
    right = SubElement(response, "correctResponse")
    share = f"{1 / sum(is_right for _, is_right in choice.words):.6f}"
    mapping = SubElement(response, "mapping", {"lowerBound": "0", "upperBound": "1", "defaultValue": "0"})
    for at, (_, is_right) in enumerate(choice.words, 1):
        if is_right:
            SubElement(right, "value").text = f"choice{at}"
        if is_right or choice.takes_several:
            value = share if is_right else f"-{share}"
            SubElement(mapping, "mapEntry", {"mapKey": f"choice{at}", "mappedValue": value})


def _add_choice(body: Element, choice: Choice) -> None:
    count = "0" if choice.takes_several else "1"
    attributes = {"responseIdentifier": _CHOICE_NAME, "shuffle": "false", "maxChoices": count}
    interaction = SubElement(body, "choiceInteraction", attributes)
    for at, (words, _) in enumerate(choice.words, 1):
        SubElement(interaction, "simpleChoice", {"identifier": f"choice{at}"}).text = words


def _declare_outcome(parent: Element, name: str, base_type: str, value: str = "") -> None:
    declaration = {"identifier": name, "cardinality": "single", "baseType": base_type}
    outcome = SubElement(parent, "outcomeDeclaration", declaration)
    if value:
        SubElement(SubElement(outcome, "defaultValue"), "value").text = value


def _process_responses(question: QuizItem, slips: Mapping[str, str]) -> Element:
    processing = Element("responseProcessing")
    names = [blank.name for blank in question.blanks] or [_CHOICE_NAME]
    for name in names:  # an empty field has no value, and would leave the sum without one
        condition = SubElement(SubElement(processing, "responseCondition"), "responseIf")
        SubElement(SubElement(SubElement(condition, "not"), "isNull"), "variable", {"identifier": name})
        total = SubElement(SubElement(condition, "setOutcomeValue", {"identifier": "SCORE"}), "sum")
        SubElement(total, "variable", {"identifier": "SCORE"})
        SubElement(total, "mapResponse", {"identifier": name})
    for sentence, identifier in slips.items():
        condition = SubElement(SubElement(processing, "responseCondition"), "responseIf")
        either = SubElement(condition, "or")
        for blank in question.blanks:
            for text in (text for said, texts in blank.mistakes if said == sentence for text in texts):
                match = SubElement(either, "match")
                SubElement(match, "variable", {"identifier": blank.name})
                SubElement(match, "baseValue", {"baseType": "string"}).text = text
        _show(condition, identifier)
    _show(processing, _SOLUTION)
    return processing


def _show(parent: Element, identifier: str) -> None:
    outcome = SubElement(parent, "setOutcomeValue", {"identifier": identifier})
    SubElement(outcome, "baseValue", {"baseType": "identifier"}).text = _SHOWN
