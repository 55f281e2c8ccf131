"""What a sheet was asked to be."""

import pytest

from attnhand.attention.arithmetic import Base, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.errors import GenerationError, ProblemError
from attnhand.problems.levels import Level
from attnhand.problems.request import MAX_DRAWN_SEED, MAX_SEED, Request, draw_seed


def test_a_seed_alone_is_a_standard_sheet_in_columns() -> None:
    """Four tokens, six features, d_k = d_v = 3, the house rules."""
    request = Request(seed=7)
    assert (request.level, request.convention, request.rules, request.allow_ties) == (
        Level.STANDARD,
        Convention.COLUMNS,
        Rules(),
        False,
    )
    assert request.all_sizes == {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3}
    assert request.is_default


@pytest.mark.parametrize(
    ("level", "sizes"),
    [
        (Level.WARM_UP, {"tokens": 3, "features": 4, "d_k": 2, "d_v": 2}),
        (Level.STANDARD, {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3}),
        (Level.CHALLENGE, {"tokens": 6, "features": 6, "d_k": 4, "d_v": 4}),
    ],
)
def test_levels_have_their_own_sizes(level: Level, sizes: dict[str, int]) -> None:
    """Each level states tokens, features, d_k and d_v."""
    assert Request(seed=0, level=level).all_sizes == sizes


def test_sizes_that_say_what_the_level_says_make_no_difference() -> None:
    """A request is the same whether a default size is named or not, in whatever order."""
    named = Request(seed=7, size_overrides=(("tokens", 4), ("features", 8), ("d_v", 2), ("d_k", 3)))
    assert named == Request(seed=7, size_overrides=(("d_v", 2), ("features", 8)))
    assert named.size_overrides == (("d_v", 2), ("features", 8))
    assert named.all_sizes == {"tokens": 4, "features": 8, "d_k": 3, "d_v": 2}
    assert Request(seed=7, size_overrides=(("tokens", 4),)).is_default


@pytest.mark.parametrize(
    "request_",
    [
        Request(seed=7, allow_ties=True),
        Request(seed=7, convention=Convention.ROWS),
        Request(seed=7, level=Level.WARM_UP),
        Request(seed=7, rules=Rules(base=Base.TWO)),
        Request(seed=7, size_overrides=(("tokens", 5),)),
    ],
)
def test_every_option_is_more_than_a_seed(request_: Request) -> None:
    """A request with any option at all is not plain."""
    assert not request_.is_default


@pytest.mark.parametrize("seed", [-1, MAX_SEED + 1])
def test_seeds_out_of_range_are_refused(seed: int) -> None:
    """Seeds are 0 to 2³² − 1."""
    with pytest.raises(GenerationError) as refusal:
        Request(seed=seed)
    assert str(refusal.value) == f"the seed {seed} is out of range: use a whole number from 0 to 4294967295"


def test_seeds_at_both_ends_are_accepted() -> None:
    """0 and 2³² − 1 are seeds."""
    assert [Request(seed=seed).seed for seed in (0, 2**32 - 1)] == [0, MAX_SEED]


@pytest.mark.parametrize(
    ("name", "size", "message"),
    [
        ("tokens", 1, "`tokens=1` is out of range: use 2 to 12"),
        ("tokens", 13, "`tokens=13` is out of range: use 2 to 12"),
        ("features", 1, "`features=1` is out of range: use 2 to 12"),
        ("features", 13, "`features=13` is out of range: use 2 to 12"),
        ("d_k", 0, "`d_k=0` is out of range: use 1 to 8"),
        ("d_k", 9, "`d_k=9` is out of range: use 1 to 8"),
        ("d_v", 0, "`d_v=0` is out of range: use 1 to 8"),
        ("d_v", -3, "`d_v=-3` is out of range: use 1 to 8"),
    ],
)
def test_sizes_out_of_range_are_refused(name: str, size: int, message: str) -> None:
    """A refusal names the option and the range."""
    with pytest.raises(GenerationError) as refusal:
        Request(seed=0, size_overrides=((name, size),))
    assert str(refusal.value) == message


def test_an_unknown_mechanism_is_refused() -> None:
    """A refusal lists those there are."""
    with pytest.raises(ProblemError) as refusal:
        Request(seed=0, variant=Variant(mechanism="other"))
    assert str(refusal.value) == (
        "the mechanism 'other' is unknown: use self, basic, cross, multi-head, block, online, next-token or backward"
    )


def test_drawn_seeds_are_short_and_not_always_the_same() -> None:
    """Who gives no seed gets one of at most six digits."""
    seeds = [draw_seed() for _ in range(200)]
    assert all(0 <= seed <= MAX_DRAWN_SEED == 999_999 for seed in seeds)
    assert len(set(seeds)) > 150
