"""From a seed and a level to a good sheet."""

from dataclasses import replace
from itertools import product

import pytest

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.solution import solve
from attnhand.errors import GenerationError, ProblemError
from attnhand.problems import generator
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import MAX_SEED, Request
from tests.breadth import choose, pair_up
from tests.good_sheet import find_sheet_faults
from tests.strategies import POWERS

SCALES: tuple[ScaleRule | int, ...] = (*ScaleRule, 2, 3, 10)
SIZES = {"tokens": range(2, 13), "features": range(2, 13), "d_k": range(1, 9), "d_v": range(1, 9)}
MAX_SIZE = 12
NARROW = 3
"""With so few features, or fewer, lines cannot all differ."""


def rows_can_differ(request: Request) -> bool:
    """Say whether there are enough different rows for all weight matrices.

    With four features a warm-up knows ten: a 1 in one place or in two.
    """
    sizes = request.all_sizes
    if request.level is Level.WARM_UP and sizes["features"] == 4:
        return 2 * sizes["d_k"] + sizes["d_v"] <= 10
    return sizes["features"] > NARROW


def find_faults(problem: Problem, request: Request) -> list[str]:
    """Return what is wrong with a drawn sheet in columns."""
    rules = problem.rules
    return find_sheet_faults(
        dict(problem.given),
        request.level.value,
        scale=rules.scale.value if isinstance(rules.scale, ScaleRule) else rules.scale,
        base="e" if rules.base is Base.E else int(rules.base),
        allows_ties=request.allow_ties,
        needs_distinct_tokens=request.all_sizes["features"] > NARROW,
        needs_distinct_rows=rows_can_differ(request),
    )


def test_a_problem_is_what_was_asked_for() -> None:
    """Mechanism, convention, rules, words and title are those of the request."""
    request = Request(seed=7, convention=Convention.ROWS, rules=Rules(base=Base.TWO, decimals=3))
    problem = generate_problem(request, words=("the", "cat", "sat", "down"), title="Tuesday")
    assert (problem.mechanism.name, problem.convention, problem.rules) == ("self", Convention.ROWS, request.rules)
    assert (problem.words, problem.title) == (("the", "cat", "sat", "down"), "Tuesday")
    assert problem.sizes == {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3}


def test_there_are_warm_ups_of_basic_for_a_large_class() -> None:
    """The smallest sheets that there are: nearly all differ, so few students draw again."""
    variant, seeds = Variant(mechanism="basic"), range(choose(50, 200))
    drawn = {generate_problem(Request(seed=s, level=Level.WARM_UP, variant=variant)).given for s in seeds}
    assert len(drawn) >= 0.95 * len(seeds)


def test_words_and_titles_change_no_number() -> None:
    """Labels on the tokens do not shape what is drawn."""
    named = generate_problem(Request(seed=7), words=("the", "cat", "sat", "down"), title="Tuesday")
    assert named.given == generate_problem(Request(seed=7)).given


def test_as_many_words_as_tokens_are_needed() -> None:
    """Three words for four tokens are refused."""
    with pytest.raises(ProblemError, match=r"^there are 3 words for 4 tokens: "):
        generate_problem(Request(seed=7), words=("the", "cat", "sat"))


@pytest.mark.parametrize("level", Level)
def test_a_seed_in_rows_is_the_seed_in_columns_transposed(level: Level) -> None:
    """Seed 7 in rows is seed 7 in columns, transposed."""
    in_columns = generate_problem(Request(seed=7, level=level))
    in_rows = generate_problem(Request(seed=7, level=level, convention=Convention.ROWS))
    assert in_rows == in_columns.transpose()
    assert in_rows != in_columns


def test_the_same_request_gives_the_same_problem() -> None:
    """Drawing leaves nothing behind that changes the next draw."""
    first = [generate_problem(Request(seed=seed)) for seed in range(5)]
    assert [generate_problem(Request(seed=seed)) for seed in reversed(range(5))] == first[::-1]


@pytest.mark.parametrize("level", Level)
def test_salt_changes_every_sheet(level: Level) -> None:
    """Salted sheets differ from the plain one and from one another, and are as good and as repeatable."""
    for seed in range(choose(1, 5)):
        request = Request(seed=seed, level=level)
        drawn = [generate_problem(request, salt=salt) for salt in ("", "pepper", "Pepper", " ", "7")]
        assert len({problem.given for problem in drawn}) == 5
        assert generate_problem(request, salt="pepper") == drawn[1]
        assert [find_faults(problem, request) for problem in drawn] == [[]] * 5


def test_a_salt_is_not_mistaken_for_a_seed() -> None:
    """Seed and salt are told apart, whichever is which."""
    assert generate_problem(Request(seed=1), salt="23").given != generate_problem(Request(seed=12), salt="3").given


def test_seeds_at_both_ends_give_sheets() -> None:
    """0 and 2³² − 1 are as good as any."""
    requests = [Request(seed=0), Request(seed=MAX_SEED)]
    assert [find_faults(generate_problem(request), request) for request in requests] == [[], []]


@pytest.mark.parametrize(("rules", "level"), pair_up([*product(SCALES, POWERS)], [*Level]))
def test_every_combination_of_rules_gives_good_sheets(rules: tuple[ScaleRule | int, Base], level: Level) -> None:
    """Every scale with every base: good sheets, with keys that prove right."""
    scale, base = rules
    for seed in range(choose(1, 2)):
        request = Request(seed=seed, level=level, rules=Rules(scale=scale, base=base))
        problem = generate_problem(request)
        assert find_faults(problem, request) == []
        prove(solve(problem))


@pytest.mark.parametrize(
    ("named_size", "level"), pair_up([(name, size) for name, sizes in SIZES.items() for size in sizes], [*Level])
)
def test_every_size_gives_a_good_sheet(named_size: tuple[str, int], level: Level) -> None:
    """Each size from smallest to largest, all others as the level has them: one of a few seeds gives a good sheet."""
    (name, size), problem = named_size, None
    for seed in (7, 5, 4, 1):
        request = Request(seed=seed, level=level, size_overrides=((name, size),))
        try:
            problem = generate_problem(request)
        except GenerationError:
            continue
        assert problem.sizes == request.all_sizes
        assert find_faults(problem, request) == []
        prove(solve(problem))
        break
    assert problem is not None


SIZES_TOGETHER = ((2, 2, 1, 1), (8, 6, 3, 3), (8, 8, 4, 4), (12, 8, 4, 4), (MAX_SIZE, MAX_SIZE, 8, 8))
"""Tokens, features, d_k and d_v of the smallest sheet, of larger ones, and of the largest."""

TOO_LARGE = (SIZES_TOGETHER[-1], Level.FIRST)
"""The small scores of a first sheet are not to be had of so many products a score."""


@pytest.mark.parametrize(("sizes", "level"), [case for case in pair_up(SIZES_TOGETHER, [*Level]) if case != TOO_LARGE])
def test_small_and_large_sheets_are_good(sizes: tuple[int, ...], level: Level) -> None:
    """From the smallest sheet to the largest, each of a few seeds gives a good one; of the largest one seed."""
    named = dict(zip(SIZES, sizes, strict=True))
    for seed in range(choose(1, 1 if sizes == SIZES_TOGETHER[-1] else 3)):
        request = Request(seed=seed, level=level, size_overrides=tuple(named.items()))
        problem = generate_problem(request)
        assert problem.sizes == named
        assert find_faults(problem, request) == []
        prove(solve(problem))


def test_ties_are_only_let_in_on_request() -> None:
    """With ties allowed, some sheets have queries with two tokens on top; without, none has."""
    tied = "too many tokens share the largest weight of a query"
    with_ties = [Request(seed=seed, allow_ties=True) for seed in range(20)]
    problems = [generate_problem(request) for request in with_ties]
    assert [find_faults(problem, request) for problem, request in zip(problems, with_ties, strict=True)] == [[]] * 20
    strict = [
        find_faults(problem, replace(request, allow_ties=False))
        for problem, request in zip(problems, with_ties, strict=True)
    ]
    assert any(tied in found for found in strict)


HOPELESS = Request(
    seed=1,
    level=Level.WARM_UP,
    size_overrides=(("tokens", 12), ("features", 2), ("d_k", 1), ("d_v", 1)),
)
"""Twelve tokens of two features, whose keys are single numbers: no draw keeps every number small and none 0."""


def test_what_no_draw_meets_is_refused_with_the_reason(monkeypatch: pytest.MonkeyPatch) -> None:
    """The search ends, and says which predicate is the hard one and what to try."""
    monkeypatch.setattr(generator, "MAX_DRAWS", 8)
    with pytest.raises(GenerationError) as refusal:
        generate_problem(HOPELESS)
    message = str(refusal.value)
    assert message.startswith(
        "seed 1 finds no good sheet of level warm-up with tokens 12, features 2, d_k 1, d_v 1 in 8 draws: hardly one "
    )
    assert message.endswith("; try another seed, size or level, or `allow_ties=True`")


def test_a_refusal_does_not_propose_what_was_done(monkeypatch: pytest.MonkeyPatch) -> None:
    """With ties allowed already, the refusal does not advise them."""
    monkeypatch.setattr(generator, "MAX_DRAWS", 4)
    with pytest.raises(GenerationError, match=r"; try another seed, size or level$"):
        generate_problem(replace(HOPELESS, allow_ties=True))


def test_heads_that_share_one_key_are_drawn_with_patience() -> None:
    """One key that is good for two heads at once is rare on the smallest sheets: no seed is refused for it."""
    shared = Variant(mechanism="multi-head", kv_heads=1, cache=3)
    for seed in choose((60,), (46, 60, 81, 86, 93)):
        generate_problem(Request(seed=seed, level=Level.FIRST, variant=shared))


def test_one_word_said_again_and_again_is_refused_at_once() -> None:
    """No draw can make a query prefer one of two equal tokens; another word or positions can."""
    with pytest.raises(GenerationError, match=r"^all words are 'no', so every query attends equally to all tokens: "):
        generate_problem(Request(seed=1, variant=Variant(embedded_words=("no", "no", "no"))))
    generate_problem(Request(seed=1, variant=Variant(embedded_words=("no", "no", "no"), has_positions=True)))


@pytest.mark.parametrize("most", [3, 20, 100])
def test_draws_are_bounded(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """No matrix is drawn once the bound is reached."""
    labels: list[tuple[str, ...]] = []

    class RecordedStream(RandomStream):
        def __init__(self, *names: str) -> None:
            labels.append(names)
            super().__init__(*names)

    monkeypatch.setattr(generator, "RandomStream", RecordedStream)
    monkeypatch.setattr(generator, "MAX_DRAWS", most)
    with pytest.raises(GenerationError):
        generate_problem(HOPELESS)
    assert len(labels) == len(set(labels)) == most


def test_every_part_and_every_attempt_has_a_stream_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    """Labels are seed, salt if there is one, what is drawn, and from the second attempt on its number."""
    labels: list[tuple[str, ...]] = []

    class RecordedStream(RandomStream):
        def __init__(self, *names: str) -> None:
            labels.append(names)
            super().__init__(*names)

    monkeypatch.setattr(generator, "RandomStream", RecordedStream)
    generate_problem.cache_clear()
    generate_problem(Request(seed=7), salt="pepper")
    for name in ("X", "W_Q W_K", "W_V"):
        own = [label[3:] for label in labels if label[:3] == ("7", "salt", "pepper") and label[3] == name]
        assert own == [(name,) if attempt == 1 else (name, str(attempt)) for attempt in range(1, len(own) + 1)]
        assert own
    assert len(labels) == len(set(labels)) == sum(label[:3] == ("7", "salt", "pepper") for label in labels)
