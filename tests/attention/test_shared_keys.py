"""Heads that share keys and values: worked by hand, drawn once, kept once."""

from fractions import Fraction

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import product
from attnhand.attention.mechanisms import Variant
from attnhand.errors import AttnhandError
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.panels import build_panels
from tests.breadth import choose

IDENTITY = [[int(i == j) for j in range(4)] for i in range(4)]

TWO_QUESTIONS = {
    "mechanism": "multi-head",
    "given": {
        "X": IDENTITY,
        "W_K": [[0, 2, 0, 4], [0, 0, 2, 2]],
        "W_V": [[1, 2, 3, 4]],
        "heads": [{"W_Q": [[1, 0, 0, 0], [0, 0, 0, 0]]}, {"W_Q": [[0, 0, 0, 0], [1, 0, 0, 0]]}],
        "W_O": [[1, 0], [0, 1], [1, 1], [1, -1]],
    },
}
"""The first token asks (1, 0) in one head and (0, 1) in the other, of the same keys (0, 0) (2, 0) (0, 2) (4, 2)."""


def test_the_same_keys_answer_two_questions() -> None:
    """Halved scores 0 1 0 2 give 1/14 3/14 1/14 9/14, and 0 0 1 1 give 1/8 1/8 3/8 3/8."""
    sheet = attnhand.solve(TWO_QUESTIONS)
    weights = [[row[0] for row in sheet.solution[f"h{head}.A"].hand] for head in (1, 2)]
    assert weights[0] == [Fraction(1, 14), Fraction(3, 14), Fraction(1, 14), Fraction(9, 14)]
    assert weights[1] == [Fraction(1, 8), Fraction(1, 8), Fraction(3, 8), Fraction(3, 8)]
    assert sheet.solution["h1.Z"].hand[0][0] == Fraction(1 + 6 + 3 + 36, 14)


def test_a_problem_file_is_read_back() -> None:
    """W_K beside heads is one for all; groups have their own; a file says the same again."""
    sheet = attnhand.solve(TWO_QUESTIONS)
    assert (sheet.problem.variant.kv_heads, sheet.problem.variant.head_count) == (1, 2)
    drawn = attnhand.generate(seed=3, mechanism="multi-head", heads=4, kv_heads=2)
    for each in (sheet, drawn):
        again = attnhand.solve(each.to_dict())
        assert again.problem.given == each.problem.given
        assert again.problem.variant == each.problem.variant


@pytest.mark.parametrize(("heads", "kv_heads", "names"), [(3, 1, ["K", "V"]), (4, 2, ["g1.K", "g1.V", "g2.K", "g2.V"])])
@pytest.mark.parametrize("convention", Convention)
def test_keys_and_values_are_drawn_and_asked_once(
    heads: int, kv_heads: int, names: list[str], convention: Convention
) -> None:
    """Each K and each V has one panel on the whole sheet, however many heads read it."""
    form = Variant(mechanism="multi-head", heads=heads, kv_heads=kv_heads)
    for seed in range(choose(2, 20)):
        sheet = make_sheet_from_request(Request(seed=seed, variant=form, convention=convention))
        stages = [stage.name for stage in sheet.problem.mechanism.stages if stage.topic in ("keys", "values")]
        assert stages == names
        panels = [panel.stage.name for panel in build_panels(sheet.blank).list_panels()]
        assert sorted(panels) == sorted(stage.name for stage in sheet.problem.mechanism.stages)
        assert decode_sheet_code(sheet.code).request == sheet.request


def test_one_for_each_head_is_as_usual() -> None:
    """Two keys for two heads are no other sheet than that of two heads."""
    usual = attnhand.generate(seed=7, mechanism="multi-head")
    assert attnhand.generate(seed=7, mechanism="multi-head", kv_heads=2).code == usual.code


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"mechanism": "multi-head", "heads": 4, "kv_heads": 3}, "4 heads cannot share 3 keys and values evenly"),
        ({"mechanism": "multi-head", "heads": 3, "kv_heads": 2}, "use 1 or 3"),
        ({"kv_heads": 1}, "use the mechanism multi-head"),
        ({"mechanism": "block", "kv_heads": 1}, "block attention has one head"),
    ],
)
def test_what_cannot_be_shared_is_refused(options: dict[str, object], sentence: str) -> None:
    """In a sentence that says what can."""
    with pytest.raises(AttnhandError, match=sentence):
        attnhand.generate(seed=7, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("kv_heads", "stage", "weights", "slip"),
    [
        (1, "K", "W_V", "third-weights"),
        (1, "K", "h1.W_Q", "other-weights"),
        (1, "V", "W_K", "other-weights"),
        (1, "V", "h1.W_Q", "third-weights"),
        (2, "g2.K", "g2.W_V", "third-weights"),
        (2, "g2.K", "h3.W_Q", "other-weights"),
        (2, "g2.V", "g2.W_K", "other-weights"),
        (2, "g1.K", "g2.W_K", "weights-of-other-head"),
    ],
)
@pytest.mark.parametrize("positions", [None, "rotary"])
def test_other_weights_are_known_where_heads_share_keys(
    kv_heads: int, stage: str, weights: str, slip: str, positions: str | None
) -> None:
    """Those of the stage beside it, and of the queries on the page where it stands: the first head that reads it."""
    sheet = attnhand.generate(seed=3, mechanism="multi-head", heads=4, kv_heads=kv_heads, positions=positions)
    given = dict(sheet.problem.given)
    wrong = product(given[weights], given["X"])
    (diagnosis,) = attnhand.check({stage: [list(map(str, row)) for row in wrong]}, sheet).diagnoses
    assert diagnosis.slips == (slip,)


def test_what_is_kept_is_asked() -> None:
    """Four heads with one K and one V keep a quarter of the numbers."""
    sheet = attnhand.generate(seed=5, mechanism="multi-head", heads=4, kv_heads=1)
    (asked,) = (posed for posed in sheet.posed_questions if posed.question.id == "kept-numbers")
    assert asked.finding is not None
    assert asked.finding.answer == 4
