"""The recipe for a mechanism, followed: one list of stages and one line of the registry make everything."""

import json
from dataclasses import replace

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import (
    MECHANISMS,
    Content,
    Dimension,
    GivenMatrix,
    Mechanism,
    MechanismFamily,
    Stage,
    Variant,
)
from attnhand.attention.mechanisms.base import AttentionStages
from attnhand.attention.operations import Divide, Power, Product, ProductRole, ScaleScores, Sum
from attnhand.attention.problem import SIZE_LIMITS
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import AttnhandError
from attnhand.formats.registry import FORMATS
from attnhand.layout.lay_out import lay_out
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.request import LEVEL_SIZES, Request
from attnhand.problems.sheet_code import decode_sheet_code, encode_request
from attnhand.sheet.explain import explain
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from tests.breadth import pair_up
from tests.forms import TEXT_FORMATS

_FEATURES, _KEY_SIZE = Dimension("features"), Dimension("d_k")
_X, _Q, _K, _Z = (Dimension("tokens", letter) for letter in "xqkz")

VALUELESS = Mechanism(
    name="valueless",
    given=(
        GivenMatrix("X", Content.TOKENS, _FEATURES, _X),
        GivenMatrix("W_Q", Content.WEIGHTS, _KEY_SIZE, _FEATURES),
        GivenMatrix("W_K", Content.WEIGHTS, _KEY_SIZE, _FEATURES),
    ),
    stages=(
        Stage("Q", "queries", Product(role=ProductRole.PROJECTION), ("W_Q", "X"), _KEY_SIZE, _Q),
        Stage("K", "keys", Product(role=ProductRole.PROJECTION), ("W_K", "X"), _KEY_SIZE, _K),
        Stage("S", "scores", Product(role=ProductRole.SCORES, is_left_transposed=True), ("K", "Q"), _K, _Q),
        Stage("scaled", "scaled", ScaleScores(), ("S",), _K, _Q),
        Stage("powers", "powers", Power(), ("scaled",), _K, _Q),
        Stage("sums", "sums", Sum(), ("powers",), Dimension("one", "Σ"), _Q),
        Stage("A", "weights", Divide(), ("powers", "sums"), _K, _Q),
        Stage("Z", "outputs", Product(role=ProductRole.MIXTURE), ("X", "A"), _FEATURES, _Z),
    ),
    attentions=(AttentionStages(scores="S", scaled="scaled", powers="powers", sums="sums", weights="A", outputs="Z"),),
    stage_chains=(("K", "Q", "S", "scaled"), ("powers", "sums", "A", "Z")),
)
"""Attention that mixes the tokens themselves: no W_V. As the recipe says, written for columns."""

_SMALLER, _C = Dimension("d_v"), Dimension("tokens", "c")

FROM_SMALLER = replace(
    VALUELESS,
    name="from-smaller",
    given=(
        *VALUELESS.given[:2],
        GivenMatrix("W_C", Content.WEIGHTS, _SMALLER, _FEATURES),
        GivenMatrix("W_K", Content.WEIGHTS, _KEY_SIZE, _SMALLER),
    ),
    stages=(
        VALUELESS.stages[0],
        Stage("C", "latents", Product(role=ProductRole.PROJECTION), ("W_C", "X"), _SMALLER, _C),
        Stage("K", "keys", Product(role=ProductRole.PROJECTION), ("W_K", "C"), _KEY_SIZE, _K),
        *VALUELESS.stages[2:],
    ),
    stage_chains=(("C", "K", "Q", "S", "scaled"), ("powers", "sums", "A", "Z")),
)
"""Keys made of a smaller vector a token, which is a projection but neither Q, K nor V."""


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the one line."""
    monkeypatch.setitem(MECHANISMS, "valueless", MechanismFamily(lambda _: VALUELESS))
    monkeypatch.setitem(MECHANISMS, "from-smaller", MechanismFamily(lambda _: FROM_SMALLER))


@pytest.mark.parametrize(("convention", "causal"), pair_up([*Convention], [False, True]))
def test_a_mechanism_of_two_steps_does_everything(convention: Convention, causal: bool) -> None:
    """It is drawn, solved, proved, coded, explained, laid out, written in every format, traced and given a mistake."""
    form = Variant(mechanism="valueless", is_causal=causal)
    request = Request(seed=7, variant=form, convention=convention)
    sheet = make_sheet_from_request(request)
    assert sheet.problem.mechanism.name == "valueless"
    assert decode_sheet_code(sheet.code).request == request
    problem = sheet.problem
    assert parse_problem(format_problem(problem), source="own") == problem
    assert make_sheet_from_problem(problem).solution == sheet.solution
    for solved in sheet.solution:
        assert "1" in explain(sheet, f"{solved.stage.name}[1,1]").title
    for side in (sheet.blank, sheet.key):
        assert 2 <= len(lay_out(side).pages) <= len(lay_out(sheet.key).pages) <= 3
        assert all(b"hand" in FORMATS[name].render(side) for name in TEXT_FORMATS)
    data = json.loads(FORMATS["json"].render(sheet.key))
    assert [stage["name"] for stage in data["stages"]] == [solved.stage.name for solved in sheet.solution]
    assert (data["mechanism"], "masked" in [stage["name"] for stage in data["stages"]]) == ("valueless", causal)
    traced = make_sheet_from_request(request, PageOptions(trace=1))
    assert len(lay_out(traced.blank).pages) == len(lay_out(sheet.blank).pages) + 1
    assert make_sheet_from_request(request, PageOptions(mistake="any")).planted_mistake
    easy = Request(seed=7, variant=form, convention=convention, level=Level.WARM_UP)
    assert lay_out(make_sheet_from_request(easy, PageOptions(large_print=True)).blank).pages


def test_a_stage_that_no_sentence_names_is_called_as_its_matrix() -> None:
    """A topic of its own needs no sentence before it can be looked at in every format, and explained."""
    sheet = make_sheet_from_request(Request(seed=7, variant=Variant(mechanism="from-smaller")))
    for side in (sheet.blank, sheet.key):
        assert lay_out(side).pages
        assert all(b"hand" in FORMATS[name].render(side) for name in TEXT_FORMATS)
    assert explain(sheet, "C[1,1]").title.startswith("C[1,1], C:")


def test_its_key_is_right() -> None:
    """Against plain loops: scores of keys and queries, halves down, thirds, columns that add to 1, X A."""
    for seed in range(20):
        sheet = make_sheet_from_request(Request(seed=seed, variant=Variant(mechanism="valueless")))
        Q, K, S, scaled, A, Z = (sheet.solution[name].hand for name in ("Q", "K", "S", "scaled", "A", "Z"))
        X, tokens = sheet.problem["X"], range(4)
        for j in tokens:
            for i in tokens:
                assert S[i][j] == sum(K[r][i] * Q[r][j] for r in range(3))  # type: ignore[operator, misc]
                assert scaled[i][j] == S[i][j] // 2
            total = sum(3**exponent for exponent in (int(scaled[i][j]) + 2 for i in tokens))
            column = [A[i][j] for i in tokens]
            assert [weight * total for weight in column] == [3 ** (int(scaled[i][j]) + 2) for i in tokens]
            for f in range(6):
                assert Z[f][j] == sum(X[f][i] * column[i] for i in tokens)  # type: ignore[operator, misc]


def test_a_size_that_codes_cannot_say_is_no_silent_loss(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mechanism with another size gets no code that would be read as another sheet: whoever adds it is told."""
    smaller = replace(FROM_SMALLER, given=tuple(_rename_smaller_axis(given) for given in FROM_SMALLER.given))
    monkeypatch.setitem(MECHANISMS, "from-smaller", MechanismFamily(lambda _: smaller))
    monkeypatch.setattr("attnhand.problems.request.SIZE_LIMITS", {**SIZE_LIMITS, "latent": (1, 8)})
    levels = {level: {**sizes, "latent": 2} for level, sizes in LEVEL_SIZES.items()}
    monkeypatch.setattr("attnhand.problems.request.LEVEL_SIZES", levels)
    request = Request(seed=7, variant=Variant(mechanism="from-smaller"), size_overrides=(("latent", 3),))
    with pytest.raises(ValueError, match="latent"):
        encode_request(request)


def _rename_smaller_axis(given: GivenMatrix) -> GivenMatrix:
    """Call the side of the smaller vector by a size that no other mechanism has."""
    rows, columns = (
        axis._replace(size_name="latent") if axis == _SMALLER else axis for axis in (given.rows, given.columns)
    )
    return replace(given, rows=rows, columns=columns)


def test_slips_are_tried_where_further_things_are_projected() -> None:
    """What confuses Q, K and V says nothing of another projection; other slips do."""
    sheet = make_sheet_from_request(Request(seed=7, variant=Variant(mechanism="from-smaller")))
    mechanism, values = sheet.problem.mechanism, sheet.solution.collect_hand_values()
    applied = {
        stage.name: {
            slip.id
            for slip in find_slips(stage)
            if slip.compute_wrong(StageContext(mechanism, stage, sheet.problem.hand_arithmetic, values))
        }
        for stage in mechanism.stages
    }
    assert applied["C"] == {"signs-ignored", "last-product-forgotten", "negative-result-zero"}
    assert all(applied.values())


def test_python_and_refusals_know_it_too() -> None:
    """The door for scripts takes the new name, and a misspelt one is refused with the right one."""
    assert attnhand.generate(7, mechanism="valueless").problem.mechanism is not None
    with pytest.raises(AttnhandError, match="valueless"):
        attnhand.generate(7, mechanism="valueles")
