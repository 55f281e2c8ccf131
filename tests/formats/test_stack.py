"""A question for STACK: every input has its tree, every tree its tests; what it cannot hold is refused."""

from fractions import Fraction
from xml.etree import ElementTree

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.errors import AttnhandError
from attnhand.formats.stack import build_trees, expect_mark, render_stack
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION


@pytest.mark.parametrize(("name", "convention"), FORMS_IN_ONE_CONVENTION)
def test_every_stage_has_an_input_a_tree_and_tests(name: str, convention: Convention) -> None:
    """Branches lead to nodes that are there; trees read inputs and variables that are there; the key gets all."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    category, question, *others = ElementTree.fromstring(render_stack(sheet)).findall("question")
    assert [each.get("type") for each in (category, question, *others)] == ["category", "stack", "cloze"]
    asked = [str(at) for at, stage in enumerate(sheet.problem.mechanism.stages, 1) if sheet.count_answer_cells(stage)]
    text = str(question.findtext("questiontext/text"))
    inputs, trees = question.findall("input"), question.findall("prt")
    assert [each.findtext("name") for each in inputs] == [f"ans{at}" for at in asked]
    assert [each.findtext("name") for each in trees] == [f"prt{at}" for at in asked]
    for at in asked:
        assert all(text.count(f"[[{what}{at}]]") == 1 for what in ("input:ans", "validation:ans", "feedback:prt"))
    keys = {line.split(":")[0] for line in str(question.findtext("questionvariables/text")).splitlines()}
    for tree in trees:
        nodes = tree.findall("node")
        names = [node.findtext("name") for node in nodes]
        variables = str(tree.findtext("feedbackvariables/text")).splitlines()
        known = keys | {line.split(":")[0] for line in variables}
        for node in nodes:
            assert {node.findtext("sans"), node.findtext("tans")} <= known
            assert {node.findtext("truenextnode"), node.findtext("falsenextnode")} <= {*names, "-1"}
            assert node.findtext("truescore") in ("1", "share")
    tests = question.findall("qtest")
    assert len(tests) == 3
    for number, test in enumerate(tests):
        assert len(test.findall("testinput")) == len(test.findall("expected")) == len(asked)
        scores = [float(str(each.findtext("expectedscore"))) for each in test.findall("expected")]
        assert all(score == round(score, 2) for score in scores)
        assert (min(scores) == 1) is (number == 0)


def test_a_slip_is_named_and_what_follows_gets_all() -> None:
    """Truncated, some scaled scores are wrong; powers of these follow, and those of the key are right."""
    sheet = attnhand.generate(seed=7)
    trees = {tree.stage.name: tree for tree in build_trees(sheet)}
    key = {solved.stage.name: solved.hand for solved in sheet.solution}
    truncated = tuple(tuple(int(score / 2) for score in row) for row in key["S"])
    wrong_count = sum(a != b for rows in zip(truncated, key["scaled"], strict=True) for a, b in zip(*rows, strict=True))
    assert wrong_count
    score, note = expect_mark(sheet, trees["scaled"], key | {"scaled": truncated})
    assert (float(score), note) == (round((16 - wrong_count) / 16, 2), "truncated")
    powers = tuple(tuple(Fraction(3) ** x for x in row) for row in truncated)
    assert expect_mark(sheet, trees["powers"], key | {"scaled": truncated, "powers": powers}) == (
        Fraction(1),
        "follows",
    )
    assert expect_mark(sheet, trees["powers"], key | {"scaled": truncated}) == (Fraction(1), "key")


def test_what_a_user_typed_stays_text() -> None:
    """Neither title nor words begin a block, a formula or a tag of STACK."""
    sheet = attnhand.generate(seed=7, title="[[input:ans9]] {@1@} <b> ]]>", words=["{@1@}", "<i>", "]]>&", "\\(x\\)"])
    text = str(ElementTree.fromstring(sheet.stack()).findtext("question[2]/questiontext/text"))
    assert "{@" not in text
    assert "<i>&" not in text
    assert "\\(" not in text
    assert text.count("[[") == 3 * len(build_trees(sheet))
    assert sheet.stack() == sheet.blank.stack()


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"options": PageOptions(fade=True)}, "asks whole matrices"),
        ({"options": PageOptions(mistake="any")}, "cannot ask which cell of a solved sheet is wrong: take `moodle=`"),
        ({"only_queries": [1]}, "asks every query"),
        ({"rules": "exact"}, "compares exact numbers"),
    ],
)
def test_what_stack_cannot_hold_is_refused(options: dict[str, object], match: str) -> None:
    """With a sentence that says what to do instead."""
    with pytest.raises(AttnhandError, match=match):
        attnhand.generate(seed=7, **options).stack()  # type: ignore[arg-type]
