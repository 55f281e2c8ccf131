"""QTI 2.1: the points of an item are what check counts, a slip is named, and a package names all its files."""

import random
import re
from pathlib import PurePosixPath
from xml.etree import ElementTree
from xml.etree.ElementTree import Element

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.formats.moodle import DrawnStage, choose_drawn_stage
from attnhand.formats.package import unpack_files
from attnhand.formats.qti21 import join_qti21, render_qti21
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.formats.qti_students import WAYS, count_right, fill_in, write_right
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION

QTI = "{http://www.imsglobal.org/xsd/imsqti_v2p1}"
PACKAGING = "{http://www.imsglobal.org/xsd/imscp_v1p1}"


class Player:
    """Processes the responses of an item as the specification says, as far as items here go."""

    def __init__(self, item: Element, typed: dict[str, str]) -> None:
        self.typed = typed
        self.outcomes: dict[str, object] = {"SCORE": 0.0}
        self.mappings = {
            each.attrib["identifier"]: {
                entry.attrib["mapKey"]: float(entry.attrib["mappedValue"]) for entry in each.iter(f"{QTI}mapEntry")
            }
            for each in item.findall(f"{QTI}responseDeclaration")
        }
        declared = {each.attrib["identifier"] for each in item.findall(f"{QTI}outcomeDeclaration")}
        for rule in item.findall(f"{QTI}responseProcessing/*"):
            self.process(rule)
        assert declared >= self.outcomes.keys()
        self.shown = [
            "".join(each.itertext())
            for each in item.findall(f"{QTI}modalFeedback")
            if self.outcomes.get(each.attrib["outcomeIdentifier"]) == each.attrib["identifier"]
        ]

    def process(self, rule: Element) -> None:
        """Work one rule."""
        if rule.tag == f"{QTI}setOutcomeValue":
            self.outcomes[rule.attrib["identifier"]] = self.evaluate(rule[0])
            return
        assert rule.tag == f"{QTI}responseCondition"
        (branch,) = rule
        if self.evaluate(branch[0]) is True:
            for each in branch[1:]:
                self.process(each)

    def evaluate(self, node: Element) -> object:
        """Return the value of an expression; None where it has none."""
        tag, name = node.tag.removeprefix(QTI), node.get("identifier", "")
        if tag == "variable":
            return self.outcomes.get(name) if name in self.outcomes else self.typed.get(name) or None
        if tag == "baseValue":
            return node.text
        if tag == "mapResponse":
            return self.mappings[name].get(self.typed[name], 0.0)
        values = [self.evaluate(each) for each in node]
        if tag == "isNull":
            return values[0] is None
        if tag == "not":
            return values[0] is not True
        if tag == "or":
            return True in values
        if tag == "match":
            return None if None in values else values[0] == values[1]
        assert tag == "sum"
        return sum(float(str(value)) for value in values)


def list_stage_items(sheet: Sheet) -> list[tuple[DrawnStage, Element]]:
    """Return every stage as it is asked, with its item."""
    stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
    items = [text for name, text in unpack_files(render_qti21(sheet)).items() if name.startswith("items/")]
    drawn = [choose_drawn_stage(sheet, stage) for stage in stages]
    return list(zip(drawn, map(ElementTree.fromstring, items), strict=False))


@pytest.mark.parametrize(("name", "convention"), choose(FORMS_IN_ONE_CONVENTION[3::6], FORMS_IN_ONE_CONVENTION))
def test_an_item_has_the_points_that_check_counts(name: str, convention: Convention) -> None:
    """In three spellings all of them; with slips and empty cells as many as are right; the solution is always shown."""
    draw = random.Random(name)
    for drawn, item in list_stage_items(
        make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    ):
        maximum = item.find(f"{QTI}outcomeDeclaration[@identifier='MAXSCORE']//{QTI}value")
        for ways in (WAYS[:1], WAYS[1:2], WAYS[2:3], WAYS):
            typed = fill_in(drawn, ways, draw)
            player = Player(item, {f"r{i + 1}c{j + 1}": text for (i, j), text in typed.items()})
            assert player.outcomes["SCORE"] == count_right(drawn, typed), (drawn.stage.name, typed)
            assert maximum is not None
            assert maximum.text == str(len(typed))
            assert ways == WAYS or len(player.shown) == 1
            assert player.shown


def test_whoever_makes_a_slip_reads_which() -> None:
    """In any spelling: rounded toward zero, and no sentence more."""
    ((drawn, item),) = [each for each in list_stage_items(attnhand.generate(seed=7)) if each[0].stage.name == "scaled"]
    seen = 0
    for cell, (_, *slips) in drawn.alternatives.items():
        for slip in slips:
            for way in WAYS[:3]:
                typed = dict.fromkeys((f"r{i + 1}c{j + 1}" for i, j in drawn.alternatives), "")
                typed[f"r{cell[0] + 1}c{cell[1] + 1}"] = write_right(slip.value, way)
                player = Player(item, typed)
                assert player.outcomes["SCORE"] == 0
                assert player.shown[0] == slip.sentence
                assert len(player.shown) == 2
                seen += 1
    assert seen > 50


def read_references(files: dict[str, str]) -> list[tuple[Element, list[str]]]:
    """Return the sections of the test with the items that they name."""
    test = ElementTree.fromstring(files["test.xml"])
    sections = test.findall(f".//{QTI}assessmentSection")
    return [(each, [ref.attrib["href"] for ref in each.findall(f"{QTI}assessmentItemRef")]) for each in sections]


def test_a_package_names_all_its_files_and_draws_variants() -> None:
    """One item a section; of a class one is drawn; identifiers are names, each there once; always the same bytes."""
    sheets = [attnhand.generate(seed=seed, title="a & <b>") for seed in (1, 2)]
    packages = [render_qti21(sheet) for sheet in sheets]
    for data, count in ((packages[0], 1), (join_qti21(packages, sheets[:1]), 2)):
        files = unpack_files(data)
        manifest = ElementTree.fromstring(files["imsmanifest.xml"])
        assert {each.attrib["href"] for each in manifest.iter(f"{PACKAGING}file")} == files.keys() - {"imsmanifest.xml"}
        sections = read_references(files)
        assert len(sections) > 9
        for section, names in sections[:9]:
            selection = section.find(f"{QTI}selection")
            assert len(names) == count
            assert (selection is not None) is (count > 1)
            for name in names:
                item = ElementTree.fromstring(files[name])
                assert item.attrib["identifier"] == PurePosixPath(name).stem
                assert any(sheet.code in item.attrib["title"] for sheet in sheets)
        names = [name for _, names in sections for name in names]
        assert len(names) == len(set(names))
    assert packages[0] == render_qti21(sheets[0])
    assert packages[0] != packages[1]


def test_the_style_is_of_classes_that_tables_have() -> None:
    """Each class of the style sheet stands in an item, or a table would have no lines."""
    files = unpack_files(render_qti21(attnhand.generate(seed=7)))
    styled = set(re.findall(r"\.([a-z-]+)", re.sub(r"\{.*?\}", "", files["style.css"])))
    used = {
        name
        for path, text in files.items()
        if path.startswith("items/")
        for each in ElementTree.fromstring(text).iter()
        for name in each.get("class", "").split()
    }
    assert styled
    assert styled <= used
