"""Every question of the catalogue against answers worked apart from it, seed by seed, in both conventions."""

import math
import pickle
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any

import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT, Base, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import MAX_ENTRY, Problem
from attnhand.attention.proof import prove
from attnhand.attention.questions import (
    ASKED_OF_LATER_FORMS,
    QUESTIONS,
    AnswerKind,
    CellChange,
    Finding,
    Parameters,
    Question,
    Scene,
)
from attnhand.attention.questions.what_if import apply_change, change_given
from attnhand.attention.solution import solve
from attnhand.problems.generator import generate_problem
from attnhand.problems.request import Request
from tests.breadth import choose
from tests.forms import WORDS
from tests.question_oracle import (
    Attention,
    Columns,
    attend,
    change_column,
    compare,
    exchange_columns,
    get_column,
    multiply,
)

SEEDS = choose(15, 24)
"""So many sheets of every question; ``python -m tests.attention.question_answers`` draws 200."""

FORMS = {
    "self": Variant(),
    "causal": Variant(is_causal=True),
    "window": Variant(is_causal=True, window=2),
    "basic": Variant(mechanism="basic"),
    "cross": Variant(mechanism="cross"),
    "heads": Variant(mechanism="multi-head"),
    "words": Variant(embedded_words=WORDS),
    "positions": Variant(embedded_words=WORDS, has_positions=True),
}

FORM_OF_QUESTION = {
    "surest": "self",
    "torn": "causal",
    "largest-share": "cross",
    "least-share": "causal",
    "same-word": "words",
    "raise-scores": "self",
    "no-scaling": "self",
    "zero-query": "causal",
    "exchange-weights": "self",
    "change-value": "cross",
    "exchange-tokens": "words",
    "double-queries": "cross",
    "double-values": "heads",
    "other-base": "basic",
    "later-token": "window",
    "zero-before": "causal",
    "hide-after": "window",
    "silent-head": "heads",
    "add-positions": "words",
    "drop-positions": "positions",
    "change-weight": "heads",
    "guess": "basic",
}
"""Each question in one form, all forms among them."""

BY_ID = {question.id: question for question in QUESTIONS}


@cache
def make_scene(form: str, seed: int, convention: Convention) -> Scene:
    """Return what questions look at: a drawn sheet that asks everything."""
    problem = generate_problem(Request(seed=seed, variant=FORMS[form], convention=convention))
    stages = frozenset(stage.name for stage in problem.mechanism.stages)
    queries = tuple(range(problem.sizes["tokens"]))
    return Scene(solution=prove(solve(problem)), asked_queries=queries, asked_stages=stages)


class Oracle:
    """One sheet in columns, and what becomes of it."""

    def __init__(self, scene: Scene, parameters: Parameters) -> None:
        self.scene, self.at = scene, parameters
        self.variant = scene.problem.variant
        self.is_rows = scene.problem.convention is Convention.ROWS
        self.prefix = f"h{parameters.attention + 1}." if len(scene.mechanism.attentions) > 1 else ""
        self.given = {name: self.turn(a) for name, a in scene.problem.given}
        self.X = self.turn(scene.solution.collect_hand_values()["X"])
        self.M = self.given.get("M", self.X)
        self.own = self.work()

    def turn(self, a: Matrix) -> Columns:
        """Return a matrix with tokens as columns."""
        return [[Fraction(value) for value in row] for row in (transpose(a) if self.is_rows else a)]

    def hides(self, key: int, query: int) -> bool:
        """Say whether the mask hides a key from a query."""
        variant = self.variant
        if not variant.is_causal:
            return False
        return key > query or (variant.window is not None and key <= query - variant.window)

    def project(self, letter: str, tokens: Columns, weights: Columns | None = None) -> Columns:
        """Return queries, keys or values; in basic attention the tokens themselves."""
        if self.variant.mechanism == "basic":
            return tokens
        return multiply(weights or self.given[f"{self.prefix}W_{letter}"], tokens)

    def work(self, **changes: Any) -> Attention:
        """Work the head with some of its matrices, or rules, changed."""
        X = changes.pop("X", self.X)
        M = changes.pop("M", None) or self.given.get("M", X)
        Q = changes.pop("Q", None) or self.project("Q", X, changes.pop("W_Q", None))
        K = changes.pop("K", None) or self.project("K", M, changes.pop("W_K", None))
        V = changes.pop("V", None) or self.project("V", M, changes.pop("W_V", None))
        changes.setdefault("scales", self.variant.mechanism != "basic")
        return attend(Q, K, V, self.hides, **changes)

    @property
    def shares(self) -> list[Fraction]:
        """The shares of the query that is asked."""
        return get_column(self.own.A, self.at.query)

    def find_top(self, attention: Attention) -> Fraction:
        """Return the largest share of the query that is asked."""
        return max(get_column(attention.A, self.at.query))

    def list_choosers(self) -> list[int]:
        """Return the queries that see two keys or more."""
        keys, queries = range(len(self.own.A)), range(len(self.own.A[0]))
        return [query for query in queries if sum(not self.hides(key, query) for key in keys) > 1]

    def name_changes(self, attention: Attention) -> str:
        """Return which of A and Z are others."""
        weights, outputs = attention.A != self.own.A, attention.Z != self.own.Z
        both = {(True, True): "weights-and-outputs", (True, False): "weights", (False, True): "outputs"}
        return both.get((weights, outputs), "nothing")


def answer_surest(of: Oracle) -> Any:
    tops = {query: max(get_column(of.own.A, query)) for query in of.list_choosers()}
    return (max(tops, key=lambda query: tops[query]),)


def answer_torn(of: Oracle) -> Any:
    tops = {query: max(get_column(of.own.A, query)) for query in of.list_choosers()}
    return (min(tops, key=lambda query: tops[query]),)


def answer_largest(of: Oracle) -> Any:
    assert of.shares.count(max(of.shares)) == 1
    return (of.shares.index(max(of.shares)),)


def answer_least(of: Oracle) -> Any:
    seen = [key for key in range(len(of.shares)) if not of.hides(key, of.at.query)]
    least = min(of.shares[key] for key in seen)
    found = [key for key in seen if of.shares[key] == least]
    assert len(found) == 1
    return tuple(found)


def answer_same_word(of: Oracle) -> Any:
    return "yes" if get_column(of.own.Z, of.at.token) == get_column(of.own.Z, of.at.other) else "no"


def answer_exchange_weights(of: Oracle) -> Any:
    names = [f"{of.prefix}W_{letter}" for letter in "QK"]
    scores = of.work(W_Q=of.given[names[1]], W_K=of.given[names[0]]).S
    turned = [list(column) for column in zip(*of.own.S, strict=True)]
    return {True: "turned"}.get(scores == turned, "")


def answer_exchange_tokens(of: Oracle) -> Any:
    i, j = of.at.token, of.at.other
    if of.variant.mechanism == "cross":
        return "nothing" if of.work(M=exchange_columns(of.M, i, j)).Z == of.own.Z else ""
    return "traded" if exchange_columns(of.own.Z, i, j) == of.work(X=exchange_columns(of.X, i, j)).Z else ""


def answer_later_token(of: Oracle) -> Any:
    other = of.work(X=change_column(of.X, of.at.token, lambda value: 2 * value + 3)).Z
    return tuple(q for q in range(len(of.own.Z[0])) if get_column(other, q) == get_column(of.own.Z, q))


def answer_silent_head(of: Oracle) -> Any:
    """Whatever stands in those columns of W_O meets zeros alone."""
    d_v = of.scene.problem.sizes["d_v"]
    return tuple(range(of.at.attention * d_v, (of.at.attention + 1) * d_v))


def answer_add_positions(of: Oracle) -> Any:
    """Positions rounded: sin and cos of pos, then pos/100 in the pairs after it, for six features."""
    import math

    count = len(of.X)
    waves = [
        [
            round((math.cos if i % 2 else math.sin)(place / 10_000 ** ((i - i % 2) / count)))
            for place in range(len(WORDS))
        ]
        for i in range(count)
    ]
    X = [[value + wave for value, wave in zip(row, more, strict=True)] for row, more in zip(of.X, waves, strict=True)]
    Z = of.work(X=X).Z
    return "yes" if get_column(Z, of.at.token) == get_column(Z, of.at.other) else "no"


def answer_drop_positions(of: Oracle) -> Any:
    E = of.turn(of.scene.solution["E"].hand)
    Z = of.work(X=E).Z
    return "yes" if get_column(Z, of.at.token) == get_column(Z, of.at.other) else "no"


def double(of: Oracle, letter: str) -> Columns:
    return [[2 * value for value in row] for row in of.given[f"{of.prefix}W_{letter}"]]


def answer_other_base(of: Oracle) -> Any:
    base = int(of.at.base or 0)
    return {"more": "sharper", "less": "flatter"}[compare(of.find_top(of.own), of.find_top(of.work(base=base)))]


EXPECTED: dict[str, Callable[[Oracle], Any]] = {
    "guess": answer_largest,
    "surest": answer_surest,
    "torn": answer_torn,
    "largest-share": answer_largest,
    "least-share": answer_least,
    "same-word": answer_same_word,
    "raise-scores": lambda of: of.name_changes(of.work(raised={of.at.query: 6})),
    "no-scaling": lambda of: compare(of.find_top(of.own), of.find_top(of.work(scales=False))),
    "zero-query": lambda of: Fraction(1, sum(not of.hides(key, of.at.query) for key in range(len(of.own.A)))),
    "exchange-weights": answer_exchange_weights,
    "change-value": lambda of: of.name_changes(
        of.work(V=change_column(of.project("V", of.M), of.at.token, lambda value: value - 7))
    ),
    "exchange-tokens": answer_exchange_tokens,
    "double-queries": lambda of: compare(of.find_top(of.own), of.find_top(of.work(W_Q=double(of, "Q")))),
    "double-values": lambda of: (
        2 if [[2 * z for z in row] for row in of.own.Z] == of.work(W_V=double(of, "V")).Z else 0
    ),
    "other-base": answer_other_base,
    "later-token": answer_later_token,
    "zero-before": lambda of: "no" if of.work(hidden_exponent=0).A[of.at.token][of.at.query] else "yes",
    "hide-after": lambda of: "yes" if sum(get_column(of.work(hides_after=True).A, of.at.query)) == 1 else "no",
    "silent-head": answer_silent_head,
    "add-positions": answer_add_positions,
    "drop-positions": answer_drop_positions,
}


def list_askings(question: Question, form: str, seeds: int) -> Iterator[tuple[Scene, Parameters, Finding]]:
    """Yield a question as sheets ask it, another way each time, in both conventions by turns."""
    for seed in range(seeds):
        scene = make_scene(form, seed, [*Convention][seed % 2])
        ways = [*question.list_parameters(scene)]
        if ways and (finding := question.find_answer(scene, ways[seed % len(ways)])):
            yield scene, ways[seed % len(ways)], finding


def count_agreeing_answers(name: str, seeds: int) -> int:
    """Return how many sheets of so many are asked the question, each with the other computation's answer."""
    count = 0
    for scene, parameters, finding in list_askings(BY_ID[name], FORM_OF_QUESTION[name], seeds):
        count += 1
        if isinstance(finding.answer, CellChange):
            assert works(scene, parameters, finding.answer), (scene.problem, parameters)
        else:
            assert finding.answer == EXPECTED[name](Oracle(scene, parameters)), (scene.problem, parameters)
    return count


@pytest.mark.parametrize("name", EXPECTED)
def test_answers_agree_with_what_is_worked_apart_from_them(name: str) -> None:
    """Every second sheet is in rows, and a third of all or more are asked the question."""
    assert count_agreeing_answers(name, SEEDS) >= SEEDS / 3


@pytest.mark.parametrize("name", EXPECTED)
@pytest.mark.parametrize("form", FORMS)
def test_answers_agree_in_every_form(name: str, form: str) -> None:
    """Two sheets of each other form: masks, heads, words, a memory."""
    for scene, parameters, finding in list_askings(BY_ID[name], form, 2):
        of = Oracle(scene, parameters)
        if name in ("exchange-tokens", "same-word", "add-positions", "drop-positions") and len(of.prefix):
            continue  # they compare the outputs that the heads make together
        assert finding.answer == EXPECTED[name](of), parameters


def test_every_question_with_an_answer_has_an_oracle() -> None:
    """None is left out above; a story's and that of a change are tested below, those of later forms with these."""
    asked = {question.id for question in QUESTIONS if question.kind is not AnswerKind.TALK}
    assert asked - {"story", "change-weight", *ASKED_OF_LATER_FORMS} == set(EXPECTED) - {"guess"}


def works(scene: Scene, parameters: Parameters, change: CellChange) -> bool:
    """Work the change apart from the product: is the aim now the one favourite?"""
    of = Oracle(scene, parameters)
    name = f"{of.prefix}W_Q"
    i, j = (change.column, change.row) if of.is_rows else (change.row, change.column)
    weights = [
        [Fraction(change.value) if (r, c) == (i, j) else v for c, v in enumerate(row)]
        for r, row in enumerate(of.given[name])
    ]
    shares = get_column(of.work(W_Q=weights).A, parameters.query)
    return [key for key, share in enumerate(shares) if share == max(shares)] == [parameters.token]


def test_a_change_is_judged_by_working_it() -> None:
    """The example works, and every small change of W_Q is right exactly where another computation says so."""
    question, right, wrong = BY_ID["change-weight"], 0, 0
    assert question.judge is not None
    for form, seeds in (("heads", 24), ("self", 24), ("causal", 16), ("cross", 16)):
        for at, (scene, parameters, finding) in enumerate(list_askings(question, form, seeds)):
            assert isinstance(finding.answer, CellChange)
            assert works(scene, parameters, finding.answer)
            weights = scene.problem[finding.answer.matrix]
            for i, row in enumerate(weights) if at % 4 == 0 else ():
                for j, old in enumerate(row):
                    for value in {-9, 1, 4} - {old}:
                        change = CellChange(finding.answer.matrix, i, j, value)
                        judged = question.judge(scene, parameters, change)
                        assert judged == works(scene, parameters, change), change
                        right, wrong = right + judged, wrong + (not judged)
    assert right > 50
    assert wrong > 50


def test_numbers_that_cannot_be_raised_are_passed_over() -> None:
    """Where W_O holds 9999 already, no larger number is worked: that head is not asked to be silent."""
    problem = make_scene("heads", 1, Convention.COLUMNS).problem
    full = tuple(tuple(MAX_ENTRY for _ in row) for row in problem["W_O"])
    solution = solve(change_given(problem, W_O=full))
    scene = Scene(solution=solution, asked_queries=tuple(range(problem.sizes["tokens"])))
    question = BY_ID["silent-head"]
    assert [question.find_answer(scene, way) for way in question.list_parameters(scene)] == [None, None]


def test_what_is_no_change_is_not_right() -> None:
    """Another matrix, a cell that is not there, the number as it stands, one too large to be given."""
    scene, parameters, finding = next(list_askings(BY_ID["change-weight"], "self", 40))
    judge, name = BY_ID["change-weight"].judge, "W_Q"
    assert judge is not None
    assert isinstance(finding.answer, CellChange)
    old = scene.problem[name][0][0]
    for change in (
        replace(finding.answer, matrix="W_K"),
        CellChange(name, 40, 0, 1),
        CellChange(name, 0, -1, 1),
        CellChange(name, 0, 0, old),
        CellChange(name, 0, 0, 10**6),
    ):
        assert not judge(scene, parameters, change)
    assert apply_change(scene.problem, CellChange(name, 0, 0, old)) is None


@pytest.mark.parametrize("name", [question.id for question in QUESTIONS if question.find_own_answer])
def test_readings_follow_from_a_students_own_weights(name: str) -> None:
    """From the key's own matrices comes the key's answer; from weights exchanged between tokens another."""
    question, form = BY_ID[name], FORM_OF_QUESTION.get(name, "")
    if not form:
        return
    assert question.find_own_answer is not None
    for scene, parameters, finding in list_askings(question, form, 20):
        values = scene.solution.collect_hand_values()
        assert question.find_own_answer(scene, parameters, values) == finding.answer


def test_own_weights_decide() -> None:
    """A student whose A has its largest share elsewhere is right to say so; where two are alike, nothing follows."""
    scene = make_scene("self", 7, Convention.COLUMNS)
    question, parameters = BY_ID["largest-share"], Parameters(query=1)
    assert question.find_own_answer is not None
    values = scene.solution.collect_hand_values()
    own = ((0, 0, 0, 0), (0, 0, 0, 0), (1, 0, 1, 1), (0, 1, 0, 0))
    assert question.find_own_answer(scene, parameters, {**values, "A": own}) == (3,)
    quarter = tuple((Fraction(1, 4),) * 4 for _ in range(4))
    assert question.find_own_answer(scene, parameters, {**values, "A": quarter}) is None


def test_ties_are_not_asked() -> None:
    """The published example ties at q₂ and q₃: whom these look at has no one answer, and is not asked."""
    X = ((2, 1, 0, 1), (1, 1, 0, 1), (0, 1, 1, 0))
    identity = ((1, 0, 0), (0, 1, 0), (0, 0, 1))
    problem = Problem(given=(("X", X), ("W_Q", identity), ("W_K", identity), ("W_V", identity)))
    scene = Scene(solution=solve(problem), asked_queries=(0, 1, 2, 3))
    for parameters in BY_ID["largest-share"].list_parameters(scene):
        found = BY_ID["largest-share"].find_answer(scene, parameters)
        favourites = scene.find_favourite(scene.solution.collect_hand_values(), parameters)
        assert (found is None) == (len(favourites) > 1)


@pytest.mark.parametrize("rules", [EXACT, replace(EXACT, scale=4), replace(EXACT, base=Base.TEN, scale=ScaleRule.NONE)])
def test_other_rules_have_answers_too(rules: Any) -> None:
    """With e and roots every question that can be asked has the answer that it has by hand, or none."""
    for seed in range(6):
        problem = replace(generate_problem(Request(seed=seed)), rules=rules)
        scene = Scene(solution=prove(solve(problem)), asked_queries=(0, 1, 2, 3))
        for name, expected in (("raise-scores", "nothing"), ("change-value", "outputs"), ("double-values", 2)):
            for parameters in BY_ID[name].list_parameters(scene):
                finding = BY_ID[name].find_answer(scene, parameters)
                assert finding is not None
                assert finding.answer == expected
        for parameters in BY_ID["zero-query"].list_parameters(scene):
            finding = BY_ID["zero-query"].find_answer(scene, parameters)
            assert finding is not None
            assert finding.answer == Fraction(1, 4)


def test_no_what_if_is_asked_that_rounding_answers() -> None:
    """Exactly the largest share becomes as much more or less as by hand: worked here from the exact scores."""
    ids = ("no-scaling", "double-queries")
    seen = Counter[str]()
    for seed in range(choose(30, 200)):
        sheet = attnhand.generate(seed, questions="many")
        for posed in sheet.posed_questions:
            if posed.question.id not in ids:
                continue
            assert posed.finding is not None
            scores = [row[posed.parameters.query] for row in sheet.solution["S"].exact]
            shares = []
            scale = sheet.problem.sizes["d_k"] ** -0.5
            for factor in (scale, 1.0 if posed.question.id == "no-scaling" else 2 * scale):
                powers = [math.exp(factor * score) for score in scores]
                shares.append(max(powers) / sum(powers))
            assert posed.finding.answer == ("more" if shares[1] > shares[0] else "less"), seed
            seen[posed.question.id] += 1
    assert min(seen[each] for each in ids) >= 3


def test_a_what_if_that_is_answered_otherwise_without_the_shortcut_has_no_answer() -> None:
    """For every query whose largest share stays the same by hand, say, and becomes more exactly: both worked here."""
    differing = Counter[str]()
    for seed in range(choose(30, 200)):
        sheet = attnhand.generate(seed, causal=True)
        scale = sheet.problem.sizes["d_k"] ** -0.5
        for id in ("no-scaling", "double-queries"):
            question = BY_ID[id]
            for parameters in question.list_parameters(sheet.scene):
                scores = [int(row[parameters.query]) for row in sheet.solution["S"].hand[: parameters.query + 1]]
                changed = [score if id == "no-scaling" else 2 * score // 2 for score in scores]
                by_hand = compare_largest([score // 2 for score in scores], changed, base=3)
                factor = 1 if id == "no-scaling" else 2 * scale
                exact = compare_largest([scale * x for x in scores], [factor * x for x in scores], base=math.e)
                finding = question.find_answer(sheet.scene, parameters)
                expected = by_hand if by_hand == exact != "same" else None
                assert (finding.answer if finding else None) == expected, (seed, parameters)
                differing[id] += by_hand != exact
    assert differing.total() > 0


def compare_largest(before: Sequence[float], after: Sequence[float], *, base: float) -> str:
    """Say whether the largest share of some exponents becomes more, or less, or stays the same."""
    one, other = (max(powers) / sum(powers) for powers in ([base**x for x in each] for each in (before, after)))
    return "same" if math.isclose(one, other) else "more" if other > one else "less"


def test_questions_go_from_process_to_process() -> None:
    """As papers do that a class hands in: one that could not would end the marking of all."""
    for question in QUESTIONS:
        assert pickle.loads(pickle.dumps(question)) == question
