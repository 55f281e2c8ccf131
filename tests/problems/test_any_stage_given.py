"""A sheet may begin with any stage: what is worked from there is what the whole sheet has."""

from dataclasses import replace

import pytest

from attnhand.attention.arithmetic import ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import DEFAULT_VARIANT
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from attnhand.errors import CellError, ProblemError
from attnhand.formats.terminal import render_terminal
from attnhand.layout.lay_out import lay_out
from attnhand.problems.generator import generate_problem
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.request import Request
from attnhand.sheet.explain import explain, format_explanation
from attnhand.sheet.make import make_sheet_from_problem
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


def begin_with(problem: Problem, stage: str) -> Problem | None:
    """Return a problem that begins with a stage of another's solution; None where nothing is left to work."""
    values = solve(problem).collect_hand_values()
    begun = replace(problem.variant, begins_with=(stage,))
    while True:
        try:
            mechanism = begun.build_mechanism().convert_to(problem.convention)
            break
        except ProblemError as error:
            if any(text in str(error) for text in NOTHING_LEFT):
                return None
            left_out = LEFT_OUT[str(error).rpartition("leave out `")[2].partition("=")[0]]
            assert any(getattr(begun, field) != getattr(DEFAULT_VARIANT, field) for field in left_out), str(error)
            begun = replace(begun, **{field: getattr(DEFAULT_VARIANT, field) for field in left_out})
    return replace(
        problem, variant=begun, given=tuple((given.name, values[given.name]) for given in mechanism.given), words=()
    )


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
