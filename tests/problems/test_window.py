"""Sliding-window attention: under a causal mask a query sees its own token and those just before."""

import numpy as np
import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import MINUS_INFINITY
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import AttnhandError
from attnhand.layout.lay_out import lay_out
from attnhand.problems.generator import generate_problem
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code, encode_request
from attnhand.sheet.explain import explain
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from tests.breadth import pair_up

WINDOW_OF_TWO = Variant(is_causal=True, window=2)


@pytest.mark.parametrize(("mechanism", "convention"), pair_up(["self", "basic", "multi-head", "block"], [*Convention]))
def test_a_query_sees_its_own_token_and_the_one_before(mechanism: str, convention: Convention) -> None:
    """Weights stand on the diagonal and beside it alone, as softmax of those two scores; the sheet is laid out."""
    variant = Variant(mechanism=mechanism, is_causal=True, window=2)
    sheet = make_sheet_from_request(Request(seed=7, variant=variant, convention=convention))
    for attention in sheet.problem.mechanism.attentions:
        weights, exponents = (
            np.array(sheet.solution[name].hand, dtype=float) for name in (attention.weights, attention.maskable)
        )
        weights, exponents = (weights.T, exponents.T) if convention.is_rows else (weights, exponents)
        for query in range(len(weights)):
            seen = [key for key in (query - 1, query) if key >= 0]
            assert [key for key in range(len(weights)) if weights[key, query]] == seen
            powers = np.power(3.0, exponents[seen, query])
            np.testing.assert_allclose(weights[seen, query], powers / powers.sum())
    assert len(lay_out(sheet.blank).pages) <= len(lay_out(sheet.key).pages) <= 5


def test_it_is_coded_written_and_read_back() -> None:
    """Code, problem file and Python know it; a window is another sheet than none."""
    request = Request(seed=7, variant=WINDOW_OF_TWO)
    assert decode_sheet_code(encode_request(request)).request == request
    problem = generate_problem(request)
    assert parse_problem(format_problem(problem), source="window") == problem
    assert '"window": 2' in format_problem(problem)
    sheet = attnhand.generate(7, causal=True, window=2)
    assert sheet.code == encode_request(request) != attnhand.generate(7, causal=True).code
    assert sheet.problem == problem


def test_what_is_hidden_is_explained() -> None:
    """Whether a key comes too late or too early is said in the cell's explanation and in what to do."""
    sheet = make_sheet_from_request(Request(seed=7, variant=WINDOW_OF_TWO))
    explained = [explain(sheet, f"masked[{key},4]").by_hand[-1] for key in (2, 3, 4)]
    assert explained[0] == "the key comes 2 tokens before the query, or more: −∞"
    assert explained[1].startswith("the key does not come after the query: the score as it is: ")
    assert explain(sheet, "masked[4,3]").by_hand[-1] == "the key comes after the query: −∞"


def test_its_slips_are_known() -> None:
    """The window forgotten, or one token too wide; without a window neither can happen."""
    found = {}
    for variant in (WINDOW_OF_TWO, Variant(is_causal=True)):
        sheet = make_sheet_from_request(Request(seed=7, variant=variant))
        mechanism, values = sheet.problem.mechanism, sheet.solution.collect_hand_values()
        stage = mechanism.get_stage("masked")
        context = StageContext(mechanism, stage, sheet.problem.hand_arithmetic, values)
        found[variant.window] = {
            slip.id: wrong for slip in find_slips(stage) if (wrong := slip.compute_wrong(context)) is not None
        }
    assert set(found[2]) - set(found[None]) == {"window-forgotten", "window-too-wide"}
    hidden = {slip: sum(wrong[key][3] == MINUS_INFINITY for key in range(4)) for slip, wrong in found[2].items()}
    assert (hidden["window-forgotten"], hidden["window-too-wide"], hidden["diagonal-too"]) == (0, 1, 3)


@pytest.mark.parametrize(
    ("variant", "message"),
    [
        ({"window": 2}, "a window belongs to the causal mask: add `causal=`, or leave out `window=`"),
        ({"is_causal": True, "window": 1}, "the window 1 is out of range: use 2 to 12 tokens"),
        ({"is_causal": True, "window": 13}, "the window 13 is out of range: use 2 to 12 tokens"),
    ],
)
def test_windows_that_cannot_be_are_refused(variant: dict[str, int], message: str) -> None:
    """A window belongs to a mask, and leaves something to attend to."""
    with pytest.raises(AttnhandError) as refusal:
        Variant(**variant)  # type: ignore[arg-type]  # numbers and truths
    assert str(refusal.value) == message


def test_a_window_as_wide_as_the_text_is_the_causal_mask() -> None:
    """Four tokens, a window of four: the same numbers as without one."""
    problem = generate_problem(Request(seed=7, variant=Variant(is_causal=True)))
    wide = generate_problem(Request(seed=7, variant=Variant(is_causal=True, window=4)))
    assert make_sheet_from_problem(wide).solution["A"].hand == make_sheet_from_problem(problem).solution["A"].hand
