"""A sheet may begin with any stage, and end with any: what is worked is what the whole sheet has."""

from dataclasses import replace
from itertools import islice

import pytest

from attnhand.attention.arithmetic import ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import DEFAULT_VARIANT, Variant
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.problem import TARGET_NAME, Problem
from attnhand.attention.questions import list_asked, list_tries
from attnhand.attention.questions.trial import pose_try
from attnhand.attention.solution import solve
from attnhand.errors import CellError, ProblemError
from attnhand.formats.terminal import render_terminal
from attnhand.layout.lay_out import lay_out
from attnhand.problems.generator import generate_problem
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.sheet.explain import explain, format_explanation
from attnhand.sheet.make import make_sheet_from_problem
from attnhand.sheet.options import PageOptions
from tests.breadth import choose, pair_up
from tests.forms import FORMS

NOTHING_LEFT = (
    "is all there is to work",
    "sums follow from the powers",
    "sums_k follow",
    "sums_new follow",
    "nothing reads it",
)
"""What is said of a stage that no sheet can begin with."""

LEFT_OUT = {
    "causal": ("is_causal", "window"),
    "padding": ("padding",),
    "subtract_max": ("is_shifted",),
    "positions": ("is_rotary", "has_distances"),
    "temperature": ("temperature",),
    "sink": ("sink",),
}
"""What a sheet has no more, by the option that a refusal names: the advice is followed."""

CASES = [
    (name, stage)
    for name, form in FORMS.items()
    if not (form.embedded_words or form.begins_with or form.ends_with or form.family.has_one_query)
    for stage in dict.fromkeys(strip_head(each.name) for each in form.build_mechanism().stages)
    if stage
    not in ("masked", "shifted", "biased", "tempered")  # −∞ is no number that is given; what became of scores is scores
]


def follow_advice(form: Variant) -> Variant | None:
    """Return a form without the options that refusals name one after the other; None where nothing is left to work."""
    while True:
        try:
            form.build_mechanism()
        except ProblemError as error:
            if any(text in str(error) for text in NOTHING_LEFT):
                return None
            left_out = LEFT_OUT[str(error).rpartition("leave out `")[2].partition("=")[0]]
            assert any(getattr(form, field) != getattr(DEFAULT_VARIANT, field) for field in left_out), str(error)
            form = replace(form, **{field: getattr(DEFAULT_VARIANT, field) for field in left_out})
        else:
            return form


def take_given(problem: Problem, form: Variant) -> Problem:
    """Return a problem in another form, what that reads taken from its own matrices or from its solution."""
    values = {**dict(problem.given), **solve(problem).collect_hand_values()}
    mechanism = form.build_mechanism().convert_to(problem.convention)
    given = tuple((each.name, values[each.name]) for each in mechanism.given)
    return replace(problem, variant=form, given=given, words=())


def begin_with(problem: Problem, stage: str) -> Problem | None:
    """Return a problem that begins with a stage of another's solution; None where nothing is left to work."""
    begun = follow_advice(replace(problem.variant, begins_with=(stage,)))
    return None if begun is None else take_given(problem, begun)


@pytest.mark.parametrize(
    ("name", "stage", "convention", "is_solved"),
    [(*case, *way) for case, *way in pair_up(choose(CASES[::3], CASES), [*Convention], [False, True])],
)
def test_a_sheet_may_begin_with_any_stage(name: str, stage: str, convention: Convention, is_solved: bool) -> None:
    """The same numbers as on the whole sheet, and a page, a terminal, a file, and every cell explained."""
    whole = generate_problem(Request(seed=7, variant=FORMS[name], convention=convention))
    begun = begin_with(whole, stage)
    if begun is None:
        return
    if begun.rules.scale is not whole.rules.scale and stage == "S":  # √d_k is not known: what is given is scaled
        whole = replace(whole, rules=replace(whole.rules, scale=ScaleRule.NONE))
    expected = solve(whole).collect_hand_values()
    sheet = make_sheet_from_problem(begun)
    assert sheet.solution.stages
    for solved in sheet.solution:
        assert solved.hand == expected[solved.stage.name], solved.stage.name
    again = parse_problem(format_problem(begun), source="again.json")
    assert solve(again).collect_hand_values() == sheet.solution.collect_hand_values()
    face = sheet.key if is_solved else sheet.blank
    assert render_terminal(face)
    assert lay_out(face).pages
    for solved in sheet.solution:
        assert explain(sheet, f"{solved.stage.name}[1,1]").by_hand
    try:
        assert format_explanation(sheet, "q1")
    except CellError as error:
        assert "no scores and outputs between which a query can be followed" in str(error) or begun.variant.has_cache
        return


def end_with(problem: Problem, stage: str) -> Problem | None:
    """Return a problem that ends with a stage, without what nothing reads then; None where no sheet ends so."""
    is_last = problem.mechanism.formulas.formulas[-1].name == stage
    ended = follow_advice(replace(problem.variant, ends_with="" if is_last else stage))
    assert ended is not None
    given = ended.build_mechanism().given
    if ended.has_loss and all(each.name != TARGET_NAME for each in given):
        ended = replace(ended, lacks_target=True, learning_rate=None)
    if ended.kv_heads is not None and not any(each.head for each in given):  # nothing says how many heads there were
        return None
    try:
        return take_given(problem, ended)
    except ProblemError as error:
        assert "are on a sheet that ends with" in str(error) or stage == "zz"  # of a step, before there is a loss
        return None


@pytest.mark.parametrize(
    ("name", "stage", "convention"), [(*case, *way) for case, *way in pair_up(choose(CASES[::5], CASES), [*Convention])]
)
def test_a_sheet_may_end_with_any_stage(name: str, stage: str, convention: Convention) -> None:
    """The same numbers as on the whole sheet, a file, a page, and whatever is asked of it has its answer there."""
    whole = generate_problem(Request(seed=7, variant=FORMS[name], convention=convention))
    ended = end_with(whole, stage)
    if ended is None:
        return
    sheet = make_sheet_from_problem(ended, PageOptions(questions=QuestionAmount.MANY))
    assert strip_head(sheet.problem.mechanism.stages[-1].name) == stage
    expected = solve(whole).collect_hand_values()
    assert all(solved.hand == expected[solved.stage.name] for solved in sheet.solution)
    again = parse_problem(format_problem(ended), source="again.json")
    assert solve(again).collect_hand_values() == sheet.solution.collect_hand_values()
    assert render_terminal(sheet.key)
    assert lay_out(sheet.key).pages
    for question in list_asked(sheet.scene):
        for parameters in islice(question.list_parameters(sheet.scene), 2):
            question.find_answer(sheet.scene, parameters)
    for a_try in list_tries(sheet.scene):
        for parameters in islice(a_try.list_parameters(sheet.scene), 2):
            pose_try(sheet.scene, a_try, parameters)
