"""A question for STACK: every input has its tree, every tree its tests; what it cannot hold is refused."""

import re
from fractions import Fraction
from html import unescape
from typing import Any
from xml.etree import ElementTree

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.numbers import MINUS_INFINITY, format_exact, has_irrational
from attnhand.attention.slips import find_slips
from attnhand.errors import AttnhandError
from attnhand.formats.stack import expect_mark, make_context, render_stack
from attnhand.formats.stack_variables import build_trees
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.text import LANGUAGES
from tests.formats.test_moodle import list_tables
from tests.forms import FORMS, SOME_FORMS_IN_ONE_CONVENTION


@pytest.mark.parametrize(("name", "convention"), [*SOME_FORMS_IN_ONE_CONVENTION, ("basic-scores", Convention.COLUMNS)])
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
    for tree in trees:
        nodes = tree.findall("node")
        names = [node.findtext("name") for node in nodes]
        variables = str(tree.findtext("feedbackvariables/text")).splitlines()
        assert {"good", "share", "said"} <= {line.split(":")[0] for line in variables}
        for number, node in enumerate(nodes):
            assert (node.findtext("sans"), node.findtext("tans")) == ("said", str(number))
            assert {node.findtext("truenextnode"), node.findtext("falsenextnode")} <= {*names, "-1"}
            assert node.findtext("truescore") in ("1", "share")
    tests = question.findall("qtest")
    assert len(tests) == 3
    # Moodle keeps 255 characters of each; whole numbers and fractions are typed
    typed = [str(each.findtext("value")) for test in tests for each in test.findall("testinput")]
    assert not [value for value in typed if len(value) > 255]
    logarithms = [value for value in typed if "." in value]
    assert not logarithms or "loss" in {stage.name for stage in sheet.problem.mechanism.stages}
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


@pytest.mark.parametrize(("name", "convention"), SOME_FORMS_IN_ONE_CONVENTION)
def test_every_slip_that_can_be_typed_is_named(name: str, convention: Convention) -> None:
    """Made of right matrices it is noted by its name, or by that of one that leaves the same."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    key = sheet.solution.collect_hand_values()
    for tree in build_trees(sheet):
        right = key[tree.stage.name]
        for slip in find_slips(tree.stage):
            wrong = slip.compute_wrong(make_context(sheet, tree.stage, {}))
            if wrong is None or shape(wrong) != shape(right) or any(map(has_irrational, wrong)):
                continue
            if any(wrong[i][j] != right[i][j] for i, j in tree.cells):
                _, note = expect_mark(sheet, tree, key | {tree.stage.name: wrong})
                assert note in tree.slips


def multiply(a: Matrix, b: Matrix) -> Matrix:
    """Return a product of matrices."""
    rows = [[sum(x * y for x, y in zip(row, column, strict=True)) for column in zip(*b, strict=True)] for row in a]
    return tuple(map(tuple, rows))


def test_a_slip_after_an_earlier_error_is_named() -> None:
    """From values in place of queries scores are QᵀK; queries in place of keys are mixed as if they were values."""
    sheet = attnhand.generate(seed=7)
    trees = {tree.stage.name: tree for tree in build_trees(sheet)}
    key = sheet.solution.collect_hand_values()
    worked = key | {"Q": key["V"], "S": multiply(tuple(zip(*key["V"], strict=True)), key["K"])}
    assert expect_mark(sheet, trees["S"], worked)[1] == "scores-transposed"
    worked = key | {"K": key["Q"], "Z": multiply(key["Q"], key["A"])}
    assert expect_mark(sheet, trees["Z"], worked)[1] == "keys-for-values"


def test_a_matrix_waits_for_none_that_it_is_not_made_from() -> None:
    """Scores are marked before there are values; where a cell is empty, what follows is worked from the first on."""
    for tree in build_trees(attnhand.generate(seed=7)):
        read = {int(number) for line in tree.variables for number in re.findall(r"\bans(\d+)", line)}
        assert read == {
            "Q": {1}, "K": {2}, "V": {3}, "S": {1, 2, 4}, "scaled": {1, 2, 4, 5}, "powers": {1, 2, 4, 5, 6},
            "sums": {1, 2, 4, 5, 6, 7}, "A": {1, 2, 4, 5, 6, 7, 8}, "Z": {*range(1, 10)},
        }[tree.stage.name]  # fmt: skip


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
        ({"rules": "exact"}, "compares exact numbers"),
        ({"tries": True}, "marks matrices, and this sheet asks none: take `moodle=`"),
    ],
)
def test_what_stack_cannot_hold_is_refused(options: dict[str, object], match: str) -> None:
    """With a sentence that says what to do instead."""
    with pytest.raises(AttnhandError, match=match):
        attnhand.generate(seed=7, **options).stack()  # type: ignore[arg-type]


def test_cells_are_the_weights_and_the_solution_is_shown_in_the_end() -> None:
    """Four sums weigh as four cells, sixteen scores as sixteen; every matrix of the key is in the general feedback."""
    sheet = attnhand.generate(seed=7)
    question = ElementTree.fromstring(sheet.stack()).findall("question")[1]
    weights = [float(str(tree.findtext("value"))) for tree in question.findall("prt")]
    assert weights == [12, 12, 12, 16, 16, 16, 4, 16, 12]
    assert float(str(question.findtext("defaultgrade"))) == sum(weights) == sheet.answer_cell_count
    assert str(question.findtext("name/text")).endswith(f" · {sheet.code}")
    assert question.findtext("idnumber") == f"{sheet.code}-01"
    tables = list_tables(str(question.findtext("generalfeedback/text")))
    for solved in sheet.solution:
        assert [[format_exact(value) for value in row] for row in solved.hand] in tables


def test_every_field_begins_as_an_empty_cell() -> None:
    """An x in each that is asked, 0 where the page prints the 0 of a mask; decimals are taken with the sheet's mark."""
    for language, mark in (("en", "."), ("de", ",")):
        sheet = make_sheet_from_request(Request(seed=7, variant=FORMS["self-causal"]), PageOptions(language=language))
        question = ElementTree.fromstring(render_stack(sheet)).findall("question")[1]
        assert question.findtext("decimals") == mark
        for entry in question.findall("input"):
            stage = sheet.problem.mechanism.stages[int(str(entry.findtext("name")).removeprefix("ans")) - 1]
            cells = str(entry.findtext("syntaxhint")).removeprefix("matrix([").removesuffix("])").split("],[")
            hint = [row.split(",") for row in cells]
            rows, columns = shape(sheet.solution[stage.name].hand)
            asked = {*sheet.list_asked_cells(stage)}
            assert hint == [["x" if (i, j) in asked else "0" for j in range(columns)] for i in range(rows)]
            assert (entry.findtext("forbidfloat"), entry.findtext("syntaxattribute")) == ("0", "0")


@pytest.mark.parametrize("options", [{"only_queries": [1, 3]}, {"part": "head-2"}, {"part": "without-network"}])
@pytest.mark.parametrize("convention", Convention)
def test_what_other_queries_have_is_printed(options: dict[str, Any], convention: Convention) -> None:
    """An x where a query is asked, the right number where none is; cells that are asked give the points."""
    sheet = attnhand.generate(seed=7, convention=convention, **options)
    question = ElementTree.fromstring(sheet.stack()).findall("question")[1]
    some = 0
    for entry in question.findall("input"):
        stage = sheet.problem.mechanism.stages[int(str(entry.findtext("name")).removeprefix("ans")) - 1]
        hint = str(entry.findtext("syntaxhint")).removeprefix("matrix([").removesuffix("])").replace("(", "")
        rows = [row.replace(")", "").split(",") for row in hint.split("],[")]
        asked = {*sheet.list_asked_cells(stage)}
        assert {(i, j) for i, row in enumerate(rows) for j, x in enumerate(row) if x == "x"} == asked
        key = sheet.solution[stage.name].hand
        printed = {(i, j): x for i, row in enumerate(rows) for j, x in enumerate(row) if x != "x"}
        assert all(
            x == "neginf" if key[i][j] == MINUS_INFINITY else Fraction(x) == key[i][j] for (i, j), x in printed.items()
        )
        some += len(printed)
    assert some
    assert float(str(question.findtext("defaultgrade"))) == sheet.answer_cell_count


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_feedback_is_a_sentence(language: str) -> None:
    r"""No escape such as \x00, no control sign, no blank of a sentence; what STACK fills in is the number of cells."""
    for form in ("self", "self-causal"):
        sheet = make_sheet_from_request(Request(seed=5, variant=FORMS[form]), PageOptions(language=language))
        question = ElementTree.fromstring(render_stack(sheet)).findall("question")[1]
        for tree in question.findall("prt"):
            *_, last = [unescape(str(node.findtext("falsefeedback/text"))) for node in tree.findall("node")]
            assert last.count("{@good@}") == 1
            texts = [unescape(str(each.text)) for each in tree.iter("text") if "feedbackvariables" not in each.tag]
            for text in texts[1:]:  # the first is what Maxima works
                told = text.replace("{@good@}", "7")
                assert not re.search(r"[\0-\x08\x0b-\x1f\ue000-\uf8ff]|\\x|&#?\w+;|\{[a-z_]+\}", told), told
