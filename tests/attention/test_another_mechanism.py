"""The recipe for a mechanism, followed: some formulas, one line of the registry and a closed form make everything."""

import json
from fractions import Fraction
from itertools import islice

import numpy as np
import pytest

import attnhand
from attnhand.attention.closed_forms import CLOSED_FORMS, SOFTMAX, ClosedForm
from attnhand.attention.convention import Convention
from attnhand.attention.formulas.nodes import Formula
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.mechanisms import MECHANISMS, Content, Dimension, GivenMatrix, MechanismFamily, Variant, kit
from attnhand.attention.mechanisms.registry import attend
from attnhand.attention.problem import SIZE_LIMITS
from attnhand.attention.questions import list_asked, list_tries
from attnhand.attention.questions.trial import pose_try
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import AttnhandError
from attnhand.formats.registry import FORMATS
from attnhand.layout.lay_out import lay_out
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import LEVEL_SIZES, Request
from attnhand.problems.sheet_code import decode_sheet_code, encode_request
from attnhand.sheet.explain import explain
from attnhand.sheet.grids import Mark
from attnhand.sheet.hints import build_hints
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from tests.breadth import pair_up
from tests.forms import PRACTICE_FORMATS, TEXT_FORMATS
from tests.linear_attention import LINEAR, LINEAR_AGAIN

QUERIES = """
    queries   Q[r,q] = Σ_f W_Q[r,f]·X[f,q]
"""

KEYS = """
    keys      K[r,k] = Σ_f W_K[r,f]·X[f,k]
"""

KEYS_FROM_SMALLER = """
    latents   C[v,k] = Σ_f W_C[v,f]·X[f,k]
    keys      K[r,k] = Σ_v W_K[r,v]·C[v,k]
"""


def write_valueless(variant: Variant, keys: str = KEYS) -> tuple[Formula, ...]:
    """Attention that mixes the tokens themselves: no W_V."""
    return read_formulas(QUERIES + keys + kit.SCORE + attend(variant) + kit.BASIC_MIX)


VALUELESS = MechanismFamily(write=write_valueless)

FROM_SMALLER = MechanismFamily(
    write=lambda variant: write_valueless(variant, KEYS_FROM_SMALLER), pages=(f"C {kit.PAGES[0]}", *kit.PAGES[1:])
)
"""Keys made of a smaller vector a token, which is a projection but neither Q, K nor V."""


def write_relative(variant: Variant) -> tuple[Formula, ...]:
    """Shares of |score| + 1, with no power: a stage of a kind that no sentence speaks of."""
    shares = "shares A[k,q] = (abs(S[k,q]) + 1) / Σ_j (abs(S[j,q]) + 1)"
    return read_formulas(QUERIES + KEYS + kit.SCORE + shares + kit.BASIC_MIX)


RELATIVE = MechanismFamily(write=write_relative)


def write_differential(variant: Variant) -> tuple[Formula, ...]:
    """Two heads that look apart, one less half of the other, and one row of values: no output of a head's own."""
    of_head = kit.add_heads(QUERIES + KEYS + kit.SCORE + attend(variant), shared=["X", "mask"])
    difference = """
        values      V[v,k] = Σ_f W_V[v,f]·X[f,k]
        difference  D[k,q] = Σ_h (1 if h = 1 else −1 / 2)·A[h,k,q]
        outputs     Z[v,q] = Σ_k V[v,k]·D[k,q]
    """
    return (*of_head, *read_formulas(difference))


DIFFERENTIAL = MechanismFamily(
    write=write_differential, pages=(kit.HEAD_PAGES[0], "powers sums A", "D Z"), head_range=(2, 2), default_heads=2
)
"""After T. Ye et al., "Differential Transformer", 2025; there half is learned."""

RELATIVE_AGAIN: ClosedForm = {
    "Q": lambda m: np.einsum("rf,fq->rq", m.W_Q, m.X),
    "K": lambda m: np.einsum("rf,fk->rk", m.W_K, m.X),
    "S": lambda m: m.K.T @ m.Q,
    "A": lambda m: (np.abs(m.S) + 1) / (np.abs(m.S) + 1).sum(axis=0),
    "Z": lambda m: m.X @ m.A,
}

VALUELESS_AGAIN: ClosedForm = {
    **SOFTMAX,
    "Q": lambda m: np.einsum("rf,fq->rq", m.W_Q, m.X),
    "K": lambda m: np.einsum("rf,fk->rk", m.W_K, m.X),
    "S": lambda m: m.K.T @ m.Q,
    "Z": lambda m: m.X @ m.A,
}

DIFFERENTIAL_AGAIN: ClosedForm = {
    **VALUELESS_AGAIN,
    "V": lambda m: np.einsum("vf,fk->vk", m.W_V, m.X),
    "D": lambda m: m.values["h1.A"] - m.values["h2.A"] / 2,
    "Z": lambda m: m.V @ m.D,
}

FROM_SMALLER_AGAIN: ClosedForm = {
    **VALUELESS_AGAIN,
    "C": lambda m: np.einsum("vf,fk->vk", m.W_C, m.X),
    "K": lambda m: np.einsum("rv,vk->rk", m.W_K, m.C),
}


@pytest.fixture(autouse=True)
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the lines of the recipe."""
    monkeypatch.setitem(MECHANISMS, "valueless", VALUELESS)
    monkeypatch.setitem(MECHANISMS, "from-smaller", FROM_SMALLER)
    monkeypatch.setitem(MECHANISMS, "relative", RELATIVE)
    monkeypatch.setitem(MECHANISMS, "linear", LINEAR)
    monkeypatch.setitem(MECHANISMS, "differential", DIFFERENTIAL)
    monkeypatch.setitem(CLOSED_FORMS, "differential", DIFFERENTIAL_AGAIN)
    monkeypatch.setitem(CLOSED_FORMS, "linear", LINEAR_AGAIN)
    monkeypatch.setitem(CLOSED_FORMS, "relative", RELATIVE_AGAIN)
    monkeypatch.setitem(CLOSED_FORMS, "valueless", VALUELESS_AGAIN)
    monkeypatch.setitem(CLOSED_FORMS, "from-smaller", FROM_SMALLER_AGAIN)


def test_what_the_formulas_do_not_say_is_read_off_them() -> None:
    """What is given and holds what, how long its sides are, and which stages are attention."""
    mechanism = Variant(mechanism="from-smaller").build_mechanism()
    features, d_k, smaller = (Dimension(name) for name in ("features", "d_k", "d_v"))
    assert mechanism.given == (
        GivenMatrix("X", Content.TOKENS, features, Dimension("tokens", "x")),
        GivenMatrix("W_Q", Content.WEIGHTS, d_k, features),
        GivenMatrix("W_C", Content.WEIGHTS, smaller, features),
        GivenMatrix("W_K", Content.WEIGHTS, d_k, smaller),
    )
    C = mechanism.get_stage("C")
    assert (C.rows, C.columns) == (smaller, Dimension("tokens", "c"))
    (attention,) = mechanism.attentions
    assert (attention.scores, attention.powers, attention.weights, attention.outputs) == ("S", "powers", "A", "Z")
    assert mechanism.stage_chains == (("C", "K", "Q", "S", "scaled"), ("powers", "sums", "A", "Z"))


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


@pytest.mark.parametrize("convention", [*Convention])
def test_a_stage_of_a_new_kind_is_said_by_its_formula(convention: Convention) -> None:
    """No sentence speaks of it: sheets show its letters, hints and explain its numbers, in every format and marker."""
    request = Request(seed=7, variant=Variant(mechanism="relative"), convention=convention)
    sheet = make_sheet_from_request(request)
    S, A = sheet.solution["S"].hand, sheet.solution["A"].hand
    of_query = [int(row[1]) for row in S] if convention is Convention.COLUMNS else [*map(int, S[1])]
    shares = [Fraction(abs(score) + 1) / sum(abs(each) + 1 for each in of_query) for score in of_query]
    place = (2, 1) if convention is Convention.COLUMNS else (1, 2)
    assert A[place[0]][place[1]] == shares[2]
    (written,) = explain(sheet, f"A[{place[0] + 1},{place[1] + 1}]").by_hand
    bars = [f"|{score}| + 1".replace("-", "−") for score in of_query]
    assert written == f"({bars[2]}) ÷ ({' + '.join(f'({each})' for each in bars)}) = {shares[2]}"
    hints = build_hints(sheet, sheet.problem.mechanism.get_stage("A"), *place, lambda name, i, j: f"⟨{name}{i}{j}⟩")
    assert hints.steps.startswith(f"(|⟨S{place[0]}{place[1]}⟩| + 1) ÷ ((|⟨S")
    for side in (sheet.blank, sheet.key):
        assert lay_out(side).pages
        assert all(len(FORMATS[name].render(side)) > 300 for name in (*TEXT_FORMATS, *PRACTICE_FORMATS))
    assert b"A = (|S_{\\text{kq}}| + 1) \\div (\\Sigma_{j} (|S_{\\text{jq}}| + 1))" in FORMATS["markdown"].render(sheet)
    page = make_sheet_from_request(request, PageOptions(self_check=True)).blank
    assert b"Which numbers is A[1,1] made from, and how?" in FORMATS["html"].render(page)
    doubled = np.array(S) * 2
    sizes = np.abs(doubled) + 1
    totals = np.broadcast_to(sizes.sum(axis=1 if convention is Convention.ROWS else 0, keepdims=True), sizes.shape)
    shares = [Fraction(int(x), int(y)) for x, y in zip(sizes.flat, totals.flat, strict=True)]
    own = [[str(share) for share in shares[at : at + 4]] for at in range(0, 16, 4)]
    found = attnhand.check({"S": doubled.tolist(), "A": own}, sheet)
    assert {cell.mark for cell in found.marks.cells if cell.stage == "A"} == {Mark.FOLLOWS, Mark.CORRECT}
    assert make_sheet_from_request(request, PageOptions(mistake="any")).planted_mistake


@pytest.mark.parametrize("convention", [*Convention])
def test_a_mechanism_needs_no_weights(convention: Convention) -> None:
    """Linear attention, right by plain loops, in every format; a mask it would not heed is refused."""
    request = Request(seed=7, variant=Variant(mechanism="linear"), convention=convention)
    sheet = make_sheet_from_request(request)
    Q, K, V, Z = (np.array(sheet.solution[name].hand) for name in ("Q", "K", "V", "Z"))
    if convention is Convention.ROWS:
        Q, K, V, Z = Q.T, K.T, V.T, Z.T
    for q in range(4):
        fits = [sum((max(K[r][k], 0) + 1) * (max(Q[r][q], 0) + 1) for r in range(3)) for k in range(4)]
        for v in range(3):
            assert Z[v][q] == Fraction(int(sum(V[v][k] * fits[k] for k in range(4))), int(sum(fits)))
    assert attnhand.check({"Z": [[str(x) for x in row] for row in sheet.solution["Z"].hand]}, sheet).marks.score
    for side in (sheet.blank, sheet.key):
        assert lay_out(side).pages
        assert all(len(FORMATS[name].render(side)) > 300 for name in (*TEXT_FORMATS, *PRACTICE_FORMATS, "xlsx"))
        assert b"Instead of e" not in FORMATS["markdown"].render(side)
    assert lay_out(make_sheet_from_request(request, PageOptions(only_queries=(2,))).blank).pages
    assert make_sheet_from_request(request, PageOptions(mistake="any")).planted_mistake
    assert FORMATS["html"].render(make_sheet_from_request(request, PageOptions(self_check=True)).blank)
    for form in (Variant(mechanism="linear", is_causal=True), Variant(mechanism="linear", is_rotary=True)):
        with pytest.raises(AttnhandError, match=r"^linear attention .*leave out"):
            make_sheet_from_request(Request(seed=7, variant=form))


@pytest.mark.parametrize(("convention", "causal"), pair_up([*Convention], [False, True]))
def test_what_heads_share_is_for_their_mechanism_to_say(convention: Convention, causal: bool) -> None:
    """One W_V beside heads with keys of their own is no multi-query attention, and no option makes it that."""
    form = Variant(mechanism="differential", is_causal=causal)
    for seed in range(3):
        sheet = make_sheet_from_request(Request(seed=seed, variant=form, convention=convention))
        again = parse_problem(format_problem(sheet.problem), source="own")
        assert again.variant.kv_heads is None
        assert again == sheet.problem
        assert make_sheet_from_problem(again).solution == sheet.solution
    with pytest.raises(AttnhandError, match=r"^differential attention says itself .*leave out `kv_heads=`"):
        attnhand.generate(7, mechanism="differential", kv_heads=1)


@pytest.mark.parametrize(("convention", "causal"), pair_up([*Convention], [False, True]))
def test_heads_without_outputs_are_not_asked_about_them(convention: Convention, causal: bool) -> None:
    """Every question and every try that such a sheet draws from has its answer, and what speaks of outputs is none."""
    form = Variant(mechanism="differential", is_causal=causal)
    for seed in range(3):
        request = Request(seed=seed, variant=form, convention=convention)
        scene, asked = make_sheet_from_request(request).scene, set[str]()
        for question in list_asked(scene):
            for parameters in question.list_parameters(scene):
                asked |= {question.id} if question.find_answer(scene, parameters) else set()
        for a_try in list_tries(scene):
            for parameters in islice(a_try.list_parameters(scene), 20):
                asked |= {a_try.id} if pose_try(scene, a_try, parameters) else set()
        assert {"largest-share", "no-scaling", "exchange-weights", "divide"} <= asked
        assert asked.isdisjoint({"raise-scores", "change-value", "later-token", "keep-largest", "values", "order"})
        assert lay_out(make_sheet_from_request(request, PageOptions(questions=QuestionAmount.MANY)).key).pages


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
    keys = KEYS_FROM_SMALLER.replace("[v,", "[l,").replace(",v]", ",l]").replace("Σ_v", "Σ_l")
    latent = MechanismFamily(write=lambda variant: write_valueless(variant, keys), letters={"l": "latent"})
    monkeypatch.setitem(MECHANISMS, "from-smaller", latent)
    monkeypatch.setattr("attnhand.problems.request.SIZE_LIMITS", {**SIZE_LIMITS, "latent": (1, 8)})
    levels = {level: {**sizes, "latent": 2} for level, sizes in LEVEL_SIZES.items()}
    monkeypatch.setattr("attnhand.problems.request.LEVEL_SIZES", levels)
    request = Request(seed=7, variant=Variant(mechanism="from-smaller"), size_overrides=(("latent", 3),))
    with pytest.raises(ValueError, match="latent"):
        encode_request(request)


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
    assert applied["C"] == {
        "signs-ignored", "last-product-forgotten", "first-product-forgotten", "negative-result-zero"
    }  # fmt: skip
    assert all(applied.values())


def test_python_and_refusals_know_it_too() -> None:
    """The door for scripts takes the new name, and a misspelt one is refused with the right one."""
    assert attnhand.generate(7, mechanism="valueless").problem.mechanism is not None
    with pytest.raises(AttnhandError, match="valueless"):
        attnhand.generate(7, mechanism="valueles")
