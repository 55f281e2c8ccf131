"""Formulas in Maxima: loops and conditions as STACK lets teachers write them; what it lacks is refused.

What Maxima makes of them is tried by ``python -m tests.exports stack``.
"""

import re
from xml.etree import ElementTree

import pytest

from attnhand.attention.arithmetic import EXACT
from attnhand.attention.convention import Convention
from attnhand.attention.slips import SLIPS
from attnhand.formats.maxima import MaximaPrinter
from attnhand.formats.stack import make_context, render_stack
from attnhand.formats.stack_variables import build_trees
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from tests.forms import FORMS, SOME_FORMS_IN_ONE_CONVENTION

CALLED_IN_STACK = (
    *("and", "if", "elseif", "else", "not", "or", "then"),
    *("apply", "block", "delete", "do", "every", "genmatrix", "is", "lambda", "map", "some", "sublist", "thru"),
    *("append", "cons", "first", "last", "length", "makelist", "matrix", "matrixmap", "member", "transpose", "unique"),
    *(
        "abs",
        "ceiling",
        "float",
        "floatnump",
        "floor",
        "integerp",
        "log",
        "max",
        "min",
        "mod",
        "numberp",
        "oddp",
        "round",
    ),
    *("sqrt", "truncate"),
)
"""Of what STACK's list of functions (``security-map.json``) allows teachers, with the words of conditions.

Subtle: it forbids catch and throw; and ``signum`` would make whole numbers floats, which equal none.
"""


def print_formula(stage_name: str, slip_id: str = "", form: str = "self-causal", convention: str = "columns") -> str:
    """Return a stage, or what a slip makes of it, as a function."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[form], convention=Convention(convention)))
    stage = sheet.problem.mechanism.get_stage(stage_name)
    context = make_context(sheet, stage, {})
    formula = stage.formula
    assert context.has_all(formula.reads)
    if slip_id:
        found = next(slip for slip in SLIPS if slip.id == slip_id).find_formula(context)
        assert found is not None
        formula = found[0]  # type: ignore[assignment]
    letters = context.measure(formula, has_same_shape=bool(slip_id))
    return MaximaPrinter(formula, context, letters).print_function(is_row=not context.is_rows)


@pytest.mark.parametrize(
    ("arguments", "cell"),
    [
        (("S",), "at_total(makelist(m1[z,x]*m2[z,y],z,1,3)),y,1,4),x,1,4))"),
        (("S", "", "self-causal", "rows"), "at_total(makelist(m1[x,z]*m2[y,z],z,1,3)),x,1,4),y,1,4))"),
        (("scaled",), "floor(m1[x,y]/2),y,1,4),x,1,4))"),
        (("masked",), "(if x>y then neginf else m1[x,y]),y,1,4),x,1,4))"),
        (("powers",), "at_power(3,m1[x,y]),y,1,4),x,1,4))"),
        (("sums",), "(m1):=apply(matrix,[makelist(at_total(makelist(m1[y,x],y,1,4)),x,1,4)])"),
        (("sums", "", "self", "rows"), "(m1):=apply(matrix,makelist([at_total(makelist(m1[x,y],y,1,4))],x,1,4))"),
        (("A",), "at_over(m1[x,y],m2[1,y]),y,1,4),x,1,4))"),
        (("A", "over-largest"), "at_over(m1[x,y],at_max(makelist(m1[z,y],z,1,4))),y,1,4),x,1,4))"),
        (("powers", "zero-power-zero"), "(if is(m1[x,y]=0) then 0 else at_power(3,m1[x,y])),y,1,4),x,1,4))"),
        (("powers", "negative-power-zero"), "(if at_less(m1[x,y],0) then 0 else at_power(3,m1[x,y])),y,1,4),x,1,4))"),
        (("X", "next-word", "self-words"), "m1[x,(if [1,2,3,1,4][y]=4 then 1 else [1,2,3,1,4][y]+1)],y,1,5),x,1,6))"),
        (
            ("concat", "heads-exchanged", "multi-head-2"),
            "(m1,m2):=apply(matrix,[makelist(m2[1,z],z,1,3),makelist(m2[2,z],z,1,3),"
            "makelist(m1[1,z],z,1,3),makelist(m1[2,z],z,1,3)])",
        ),
    ],
)
def test_formulas_are_printed_as_loops(arguments: tuple[str, ...], cell: str) -> None:
    """Written down by hand from the formulas; with tokens as rows what is read is turned, and what comes out."""
    assert print_formula(*arguments).endswith(cell)


def test_positions_are_numbers() -> None:
    """Rounded sines and cosines: of the first token 0 and 1."""
    assert print_formula("P", "", "self-words-positions").startswith(
        "():=apply(matrix,[[0,1,1,0,(-1)],[1,1,0,(-1),(-1)],"
    )


def test_what_is_no_fraction_is_a_float() -> None:
    """Powers of e and roots, which slips make; whole sheets of these rules are refused before."""
    assert print_formula("powers", "base-e").endswith("at_power(float(%e),m1[x,y]),y,1,4),x,1,4))")
    sheet = make_sheet_from_request(Request(seed=7, rules=EXACT))
    stage = sheet.problem.mechanism.get_stage("scaled")
    context = make_context(sheet, stage, {})
    assert context.has_all(stage.formula.reads)
    root = MaximaPrinter(stage.formula, context, {"k": 4, "q": 4}).print_function(is_row=True)
    assert root == "(m1):=apply(matrix,makelist(makelist(at_over(m1[x,y],at_root(3)),y,1,4),x,1,4))"


@pytest.mark.parametrize(("name", "convention"), SOME_FORMS_IN_ONE_CONVENTION)
def test_stack_allows_what_is_called(name: str, convention: Convention) -> None:
    """All else is defined in the question itself, and nothing is defined that no tree or key calls."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    question = ElementTree.fromstring(render_stack(sheet)).findall("question")[1]
    variables = str(question.findtext("questionvariables/text"))
    texts = [variables, *(str(each.text) for each in question.findall("prt/feedbackvariables/text"))]
    called = {word for text in texts for word in re.findall(r"([a-z]\w*) *\(", text)}
    defined = set(re.findall(r"^(at_\w+)\(.*?\):=", variables, re.MULTILINE))
    assert called - defined <= {*CALLED_IN_STACK}
    words = [word for text in texts for word in re.findall(r"\bat_\w+", text)]
    loose = {
        "at_max",
        "at_min",
        "at_decimals",
        "at_root",
        "at_minus",
        "at_nearest",
        "at_over",
        "at_ln",
        "at_step",
    }  # of formulas that others have
    assert all(words.count(each) > 1 for each in defined - loose - {"at_typed"})
    named = {word for text in texts for word in re.findall(r"^(\w+)(?::|\()", text, re.MULTILINE)}
    assert {*words} <= named
    assert build_trees(sheet)
