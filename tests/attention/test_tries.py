"""Every try against numbers worked apart from it, on sheets of every form that can ask it, in both conventions."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import pytest

from attnhand.attention.arithmetic import Base
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import Problem
from attnhand.attention.questions import (
    TRIED_BY_RECIPE_1,
    TRIED_OF_LATER_FORMS,
    TRIES,
    CellChange,
    Parameters,
    PosedQuestion,
    Scene,
    list_tries,
)
from attnhand.attention.questions.trial import SO, pose_try
from attnhand.attention.questions.what_if import Changed
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, KeyProofError
from attnhand.problems.generator import generate_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.question_choice import choose_questions
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_problem
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_sheets

SEEDS = choose(30, 200)

FORMS = {
    "self": Variant(),
    "causal": Variant(is_causal=True),
    "heads": Variant(mechanism="multi-head"),
    "online": Variant(mechanism="online"),
    "backward": Variant(mechanism="backward"),
    "sink": Variant(sink=2),
    "sharp": Variant(temperature=Fraction(1, 2)),
    "next-token": Variant(mechanism="next-token"),
}

TRIED = (*TRIED_BY_RECIPE_1, "sink", "temperature", "at-once", "learn", "step")

FORM_OF_TRY = dict.fromkeys(TRIED, "self") | {
    "mask": "causal",
    "heads": "heads",
    "sink": "sink",
    "temperature": "sharp",
    "at-once": "online",
    "step": "backward",
    "learn": "next-token",
}

Columns = tuple[tuple[Fraction, ...], ...]
"""A matrix, tokens as columns."""


class Sheet:
    """The numbers of a sheet, tokens as columns, and attention worked from its problem alone, by classroom rules."""

    def __init__(self, problem: Problem) -> None:
        self.given = {
            name: tuple(
                tuple(Fraction(value) for value in row) for row in (transpose(a) if problem.convention.is_rows else a)
            )
            for name, a in problem.given
        }
        self.is_causal = problem.variant.is_causal
        self.head_count = problem.variant.head_count if problem.variant.mechanism == "multi-head" else 1

    def get(self, name: str, head: int) -> Columns:
        return self.given.get(f"h{head + 1}.{name}") or self.given[name]

    def multiply(self, one: Columns, other: Columns) -> Columns:
        return tuple(
            tuple(sum(a * b for a, b in zip(row, column, strict=True)) for column in zip(*other, strict=True))
            for row in one
        )

    def make(self, name: str, head: int, change: Mapping[str, Columns]) -> Columns:
        weights = change.get(name) or self.get(name, head)
        return self.multiply(weights, change.get("X") or self.given["X"])

    def score(self, head: int = 0, **change: Columns) -> Columns:
        keys, queries = self.make("W_K", head, change), self.make("W_Q", head, change)
        return self.multiply(tuple(zip(*keys, strict=True)), queries)

    def share(self, scores: Columns, base: int = 3, *, scales: bool = True, hides: bool = True) -> Columns:
        halved = tuple(tuple(Fraction(x // 2) if scales else x for x in row) for row in scores)
        powers = [
            [Fraction(0) if hides and self.is_causal and k > q else Fraction(base) ** int(x) for q, x in enumerate(row)]
            for k, row in enumerate(halved)
        ]
        sums = [sum(column) for column in zip(*powers, strict=True)]
        return tuple(tuple(x / total for x, total in zip(row, sums, strict=True)) for row in powers)

    def mix(self, shares: Columns, head: int = 0, values: Columns | None = None, **change: Columns) -> Columns:
        return self.multiply(values or self.make("W_V", head, change), shares)


def top(shares: Columns, query: int) -> Fraction:
    return max(row[query] for row in shares)


SEEN = Fraction(1, 20)
"""By so much a share is larger or smaller where there is something to see."""


def is_for_a_pencil(*numbers: Fraction | int) -> bool:
    """Say whether numbers can be worked: four digits at most, and up to 2,000, above the bar and below it."""
    return all(max(abs(Fraction(each).numerator), Fraction(each).denominator) <= 2000 for each in numbers)


def work_divide(sheet: Sheet, at: Parameters) -> dict[str, object]:
    scores = sheet.score(at.attention)
    most, before = top(sheet.share(scores, scales=False), at.query), top(sheet.share(scores), at.query)
    assert most >= before + SEEN
    assert most * (1 - most) <= before * (1 - before) - SEEN / 2
    assert is_for_a_pencil(most)
    return {"top": most, "left": most * (1 - most), "before": before * (1 - before)}


def work_powers(sheet: Sheet, at: Parameters) -> dict[str, object]:
    scaled = [row[at.query] // 2 for row in sheet.score(at.attention)]
    assert Fraction(scaled[at.token], sum(scaled)) <= -SEEN
    assert is_for_a_pencil(*scaled, sum(scaled))
    return {
        "sum": sum(scaled),
        "share": Fraction(scaled[at.token], sum(scaled)),
        "most": Fraction(scaled[at.other], sum(scaled)),
    }


def work_base(sheet: Sheet, at: Parameters) -> dict[str, object]:
    scores = sheet.score(at.attention)
    two, ten = (top(sheet.share(scores, base), at.query) for base in (2, 10))
    assert two < top(sheet.share(scores), at.query) < ten
    assert ten - two >= 2 * SEEN
    assert is_for_a_pencil(two)
    return {"guess": "sharper", "two": two, "ten": ten}


def work_mirror(sheet: Sheet, at: Parameters) -> dict[str, object]:
    scores = sheet.score(at.attention)
    mirrored = sheet.score(at.attention, W_Q=sheet.get("W_K", at.attention))
    own = scores[at.token][at.other] - scores[at.other][at.token]
    assert own != 0
    assert mirrored[at.token][at.other] != 0
    assert mirrored == tuple(zip(*mirrored, strict=True))
    return {"there": mirrored[at.token][at.other], "back": mirrored[at.other][at.token], "own": own}


def work_heads(sheet: Sheet, at: Parameters) -> dict[str, object]:
    shares = [sheet.share(sheet.score(head)) for head in range(sheet.head_count)]
    seen = [[row[at.query] for row in shares[head]] for head in (at.attention, at.other)]
    favourites = [column.index(max(column)) for column in seen]
    assert favourites[0] != favourites[1]
    outputs = [sheet.mix(shares[head], head) for head in range(sheet.head_count)]
    whole = sheet.multiply(sheet.given["W_O"], tuple(row for each in outputs for row in each))
    outputs[at.attention] = tuple(tuple(Fraction(0) for _ in row) for row in outputs[at.attention])
    rest = sheet.multiply(sheet.given["W_O"], tuple(row for each in outputs for row in each))
    left = rest[at.token][at.query]
    assert left != 0
    assert abs(left - whole[at.token][at.query]) >= SEEN
    assert is_for_a_pencil(left)
    return {"first": (favourites[0],), "second": (favourites[1],), "rest": left}


def work_mask(sheet: Sheet, at: Parameters) -> dict[str, object]:
    scores = sheet.score(at.attention)
    column = [Fraction(3) ** int(row[at.query] // 2) for row in scores]
    shares = sheet.share(scores, hides=False)
    assert at.token == at.query + 1
    assert shares[at.token][at.query] >= Fraction(1, 4)
    assert is_for_a_pencil(sum(column), shares[at.token][at.query])
    return {"all": sum(column), "next": shares[at.token][at.query], "seen": (column.index(max(column)),)}


def work_order(sheet: Sheet, at: Parameters) -> dict[str, object]:
    i, j = at.token, at.other

    def exchange(row: tuple[Fraction, ...]) -> tuple[Fraction, ...]:
        return tuple(row[{i: j, j: i}.get(place, place)] for place in range(len(row)))

    def read(x: Columns) -> tuple[Fraction, ...]:
        scores = sheet.score(at.attention, X=x)
        shares = sheet.share(scores)
        return scores[j][i], shares[j][i], sheet.mix(shares, at.attention, X=x)[0][i]

    before, after = read(sheet.given["X"]), read(tuple(map(exchange, sheet.given["X"])))
    assert all(one != other for one, other in zip(before, after, strict=True))
    return dict(zip(("score", "share", "mixed"), after, strict=True))


def work_values(sheet: Sheet, at: Parameters) -> dict[str, object]:
    shares = sheet.share(sheet.score(at.attention))
    values = sheet.make("W_V", at.attention, {})
    grown = tuple((*row[: at.token], row[at.token] + 10, *row[at.token + 1 :]) for row in values)
    before, after = (sheet.mix(shares, at.attention, each) for each in (values, grown))
    growth = [b - a for a, b in zip(before[-1], after[-1], strict=True)]
    assert growth[at.query] - growth[at.other] >= 10 * SEEN
    assert growth[at.other] > 0
    return {"most": growth[at.query], "least": growth[at.other], "moved": (growth.index(max(growth)),)}


def work_weights(sheet: Sheet, at: Parameters) -> dict[str, object]:
    weights = [list(row) for row in sheet.get("W_Q", at.attention)]
    before = sheet.score(at.attention)[at.token][at.query]
    weights[at.other][at.feature] += 1
    changed = tuple(map(tuple, weights))
    score = sheet.score(at.attention, W_Q=changed)[at.token][at.query]
    assert score > before
    assert is_for_a_pencil(score)
    return {"query": sheet.multiply(changed, sheet.given["X"])[at.other][at.query], "score": score}


def work_shift(sheet: Sheet, at: Parameters) -> dict[str, object]:
    scaled = [row[at.query] // 2 for row in sheet.score(at.attention)]
    powers = [Fraction(3) ** int(x - max(scaled)) for x in scaled]
    share = top(sheet.share(sheet.score(at.attention)), at.query)
    assert sum(powers) < sum(Fraction(3) ** int(x) for x in scaled)
    assert is_for_a_pencil(sum(powers))
    return {"top": 1, "sum": sum(powers), "share": share}


def work_at_once(sheet: Sheet, at: Parameters) -> dict[str, object]:
    """Add up powers of all blocks, and one number of their values with them."""
    (query,) = zip(*sheet.given["Q"], strict=True)
    total, mixed, block = Fraction(0), Fraction(0), 1
    while f"K{block}" in sheet.given:
        for key, value in zip(
            zip(*sheet.given[f"K{block}"], strict=True), sheet.given[f"V{block}"][at.token], strict=True
        ):
            power = Fraction(3) ** int(sum(a * b for a, b in zip(query, key, strict=True)) // 2)
            total, mixed = total + power, mixed + power * value
        block += 1
    return {"total": total, "mixed": mixed, "same": mixed / total}


def work_step(sheet: Sheet, at: Parameters) -> dict[str, object]:
    """Take g off a value, and mix anew."""
    given = sheet.given
    shares = sheet.share(sheet.multiply(tuple(zip(*given["K"], strict=True)), given["Q"]))
    moved = tuple(
        tuple(value - by * (token == at.token) for token, value in enumerate(row))
        for row, (by,) in zip(given["V"], given["g"], strict=True)
    )
    losses = [
        sum(by * z for (by,), (z,) in zip(given["g"], sheet.multiply(values, shares), strict=True))
        for values in (given["V"], moved)
    ]
    assert losses[1] <= losses[0] - SEEN
    assert is_for_a_pencil(*losses)
    return {"before": losses[0], "after": losses[1]}


def work_sink(sheet: Sheet, at: Parameters) -> dict[str, object]:
    powers = [Fraction(3) ** int(row[at.query] // 2) for row in sheet.score(at.attention)]
    nobody = 9 / (sum(powers) + 9)
    assert nobody >= SEEN
    return {"nobody": nobody, "alone": max(powers) / sum(powers)}


def work_temperature(sheet: Sheet, at: Parameters) -> dict[str, object]:
    scaled = [int(row[at.query] // 2) for row in sheet.score(at.attention)]
    plain, sharp = ([Fraction(3) ** (x * factor) for x in scaled] for factor in (1, 2))
    assert max(sharp) / sum(sharp) >= max(plain) / sum(plain) + SEEN
    return {"guess": "flatter", "top": max(plain) / sum(plain)}


def work_learn(sheet: Sheet, at: Parameters) -> dict[str, object]:
    logits = [row[at.query] for row in sheet.multiply(sheet.given["W_U"], sheet.given["z"])]
    assert [row[at.query] for row in sheet.given["y"]].index(Fraction(1)) == at.token
    before = [Fraction(3) ** int(logit) for logit in logits]
    after = [power * 3 if word == at.token else power for word, power in enumerate(before)]
    share = after[at.token] / sum(after)
    assert share > before[at.token] / sum(before)
    return {"sum": sum(after), "share": share}


ORACLES: dict[str, Callable[[Sheet, Parameters], dict[str, object]]] = {
    "divide": work_divide,
    "powers": work_powers,
    "base": work_base,
    "mirror": work_mirror,
    "heads": work_heads,
    "mask": work_mask,
    "order": work_order,
    "values": work_values,
    "weights": work_weights,
    "shift": work_shift,
    "at-once": work_at_once,
    "step": work_step,
    "sink": work_sink,
    "temperature": work_temperature,
    "learn": work_learn,
}


@cache
def make_scene(form: str, seed: int) -> Scene:
    """Return a drawn sheet; every other one in rows."""
    request = Request(seed=seed, variant=FORMS[form], convention=list(Convention)[seed % 2])
    solution = solve(generate_problem(request))
    mechanism = solution.problem.mechanism
    return Scene(
        solution=solution,
        asked_queries=tuple(range(solution.problem.sizes["tokens"])),
        asked_stages=frozenset(stage.name for stage in mechanism.stages),
    )


@cache
def pose_tries(form: str, seed: int) -> tuple[PosedQuestion, ...]:
    """Return all tries that a sheet asks."""
    return choose_questions(make_scene(form, seed), QuestionAmount.TRIES, f"seed {seed}")


@pytest.mark.parametrize("name", TRIED)
def test_tries_are_answered_as_worked_apart_from_them(name: str) -> None:
    """On the problem alone, by another program; and what there is to see is there."""
    asked = 0
    for seed in range(SEEDS):
        cells = [each for each in pose_tries(FORM_OF_TRY[name], seed) if each.try_id == name]
        if not cells:
            continue
        asked += 1
        sheet, at = Sheet(make_scene(FORM_OF_TRY[name], seed).problem), cells[0].parameters
        found = {each.question.id.rpartition(".")[2]: each.finding.answer for each in cells if each.finding}
        aim = found.pop("aim", None)
        assert found == ORACLES[name](sheet, at), seed
        assert cells[-1].question.id == f"try.{name}.{SO}"
        if isinstance(aim, CellChange):
            assert sees_most(sheet, at, aim, is_rows=make_scene(FORM_OF_TRY[name], seed).problem.convention.is_rows)
    assert asked >= SEEDS // 8


def sees_most(sheet: Sheet, at: Parameters, aim: CellChange, *, is_rows: bool) -> bool:
    """Say whether a change of a weight lets the query look most at the token."""
    weights = [list(row) for row in sheet.get("W_Q", at.attention)]
    row, column = (aim.column, aim.row) if is_rows else (aim.row, aim.column)
    weights[row][column] = Fraction(aim.value)
    scores = [each[at.query] // 2 for each in sheet.score(at.attention, W_Q=tuple(map(tuple, weights)))]
    return scores.count(max(scores)) == 1 and scores[at.token] == max(scores)


def test_every_try_has_an_oracle() -> None:
    """Of the catalogue, and all of it is drawn from."""
    assert sorted(each.id for each in TRIES) == sorted((*TRIED_BY_RECIPE_1, *TRIED_OF_LATER_FORMS))
    assert {*TRIED} == {*ORACLES}  # those of some later forms are worked where these are tested


@pytest.mark.parametrize("form", ALL_FORMS)
def test_no_try_is_contradicted_on_any_form(form: str) -> None:
    """In all ways in which a sheet may ask it: its lines say what the changed problem says, or it is not asked."""
    for problem in draw_sheets(form, choose(1, 6)):
        scene = make_sheet_from_problem(problem).scene
        for each in list_tries(scene):
            posed = [pose_try(scene, each, at) for at in [*each.list_parameters(scene)][: choose(4, 40)]]
            assert all(not cells or len(cells) == len(each.cells) for cells in posed)


SETTINGS: Mapping[str, Callable[[Variant], Variant]] = {
    "sink": lambda form: replace(form, sink=2),
    "temperature": lambda form: replace(form, temperature=Fraction(1, 2)),
    "distance": lambda form: replace(form, has_distances=True),
    "cache": lambda form: replace(form, cache=3),
    "causal": lambda form: replace(form, is_causal=True),
    "padding": lambda form: replace(form, padding=(2,)),
    "shifted": lambda form: replace(form, is_shifted=True),
}
"""What may be put on the softmax of one sheet together."""


@pytest.mark.parametrize("pair", [*combinations(SETTINGS, 2)], ids="-".join)
@pytest.mark.parametrize("mechanism", choose(("self",), ("self", "basic", "cross", "multi-head", "block")))
def test_no_try_is_contradicted_where_two_settings_meet(mechanism: str, pair: tuple[str, str]) -> None:
    """A sheet that takes both is made, with every try that it can ask; what does not go together is refused."""
    for seed in range(choose(6, 20)):
        try:
            form = Variant(mechanism=mechanism)
            for name in pair:
                form = SETTINGS[name](form)
            problem = generate_problem(Request(seed=seed, variant=form))
        except AttnhandError as refusal:
            assert not isinstance(refusal, KeyProofError)
            return
        scene = make_sheet_from_problem(problem).scene
        for each in list_tries(scene):
            for at in [*each.list_parameters(scene)][: choose(6, 40)]:
                posed = pose_try(scene, each, at)
                assert len(posed) in (0, len(each.cells))


def test_a_try_that_the_changed_problem_contradicts_is_never_printed() -> None:
    """A line that is wrong would print a wrong key: it stops."""
    scene = make_scene("self", 7)
    divide = next(each for each in TRIES if each.id == "divide")
    wrong = replace(divide, change=lambda scene, _: _leave_base(scene))
    ways = [*divide.list_parameters(scene)]
    assert any(pose_try(scene, divide, at) for at in ways)
    with pytest.raises(KeyProofError, match="try divide"):
        _ = [pose_try(scene, wrong, at) for at in ways]


def _leave_base(scene: Scene) -> Changed:
    return Changed(replace(scene.problem, rules=replace(scene.problem.rules, base=Base.TWO)))
