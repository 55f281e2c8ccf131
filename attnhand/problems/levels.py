"""How demanding a sheet is: what a level asks of the numbers, at every size and under all rules.

This table belongs to recipe 1: whatever changes here changes what a seed gives.
"""

import math
from collections.abc import Mapping
from enum import StrEnum
from fractions import Fraction
from typing import NamedTuple

from attnhand.attention.arithmetic import Arithmetic, Base
from attnhand.attention.mechanisms import Variant


class Level(StrEnum):
    """How demanding a sheet is."""

    FIRST = "first"
    """The first sheet of a class: a warm-up that asks one query and one key, and prints the others and all values."""

    WARM_UP = "warm-up"
    STANDARD = "standard"
    CHALLENGE = "challenge"

    @property
    def is_gentle(self) -> bool:
        """Say whether no score is negative, and nothing before the weights a fraction."""
        return self in (Level.FIRST, Level.WARM_UP)


class Requirements(NamedTuple):
    """What a draw must meet, for one level, size and set of rules."""

    arithmetic: Arithmetic
    min_score: int
    max_score: int
    """The range of a score once it is scaled."""

    min_telling_products: int
    """How many products that are not 0 the first cell of every kind has; 1 asks it of the worked example alone."""

    is_fraction_required: bool
    """Some power is a fraction, and rounding down differs from cutting off in at least two cells."""

    max_top_tokens: int
    """How many tokens may share the largest weight of a query."""

    max_denominator: int | None
    """Of a weight; None where weights are no fractions of whole numbers."""

    max_joined_denominator: int | None
    """Of what is made of several heads' outputs, or of a layer; None as above."""

    query_words: tuple[int, ...] = ()
    """For each query the first one that nothing tells from it: a word said twice; empty where all can be told apart."""

    key_words: tuple[int, ...] = ()
    """The same for the tokens that are attended to."""

    output_words: tuple[int, ...] = ()
    """The same for the outputs: under a mask a word said twice sees other tokens."""

    min_favourites: int = 2
    """How many different tokens are somebody's favourite at least."""

    is_another_favourite_required: bool = True
    """Whether some query attends most to another token than its own; under a mask from the third on."""

    are_weights_distinct: bool = True
    """Whether no two queries have the same weights, by hand or exactly, and no two outputs are equal."""

    is_least_unique: bool = True
    """Whether the query that a sheet asks about attends least to one token."""

    asked_queries: tuple[int, ...] = (0,)
    """That query, 0-based: the first, or under a mask the last, of a large sheet the third."""

    are_vectors_distinct: bool = True
    """Whether no two queries, keys or values are equal …"""

    temperature: Fraction | None = None
    """By what scaled scores are divided before they are raised; None for 1."""

    max_single_numbers: int = 3
    """… and if they are single numbers, up to how many tokens."""

    has_few_askers: bool = False
    """Whether the tokens that only ask are a few of many: of these nothing is asked that needs all of them."""

    def temper(self, scaled: Fraction | int) -> Fraction | int:
        """Return a scaled score divided by the temperature, by hand rounded down."""
        if self.temperature is None:
            return scaled
        tempered = scaled / self.temperature
        return math.floor(tempered) if self.arithmetic.rules.has_whole_exponents else tempered

    def has_room_to_differ(self, length: int, count: int) -> bool:
        """Say whether so many queries, keys or values of that length must all differ."""
        return self.are_vectors_distinct and (length > 1 or count <= self.max_single_numbers)


MAX_NARROW_FEATURES = 3
"""With so few features, or fewer, there is little to choose from."""

MAX_WARM_UP_TOKENS = 4
"""With more of them a warm-up asks for less."""

MAX_DISTINCT_TOKENS = 8
"""With more of them queries, keys or values may be equal."""

MAX_PLAIN_SINK = 2
"""A larger sink makes larger denominators."""

MAX_SHARPENED_EXPONENT = 6
"""Where scores are divided by less than 1, a power by hand has no larger exponent, nor is it further below 0 than 4."""

MAX_FLATTENED_EXPONENT = 2
"""Where they are divided by more than 1, an exponent stands for several scores, and larger ones would be large."""

MAX_JOINED_DENOMINATORS: Mapping[int, int] = {3: 200, 4: 200}
"""By the number of heads, how large denominators may be where these meet; with fewer heads as large as in one."""


def choose_requirements(
    level: Level, variant: Variant, sizes: Mapping[str, int], arithmetic: Arithmetic, *, allow_ties: bool
) -> Requirements:
    """Return what a draw must meet, with what no draw can meet at this size or under these rules left out.

    Args:
        sizes: by name: tokens, features, d_k, …

    The relaxations:

    - above 6 tokens to attend to a quarter of them may share the top and denominators reach 400; above 8 tokens they
      reach 1,000, and queries, keys or values may be equal; base 10 reaches 10,000; base e, √ and a divisor give
      decimals, which have no denominators
    - three favourites are asked from 6 tokens on, in cross-attention two; with d_k = 1 one in a warm-up, two elsewhere
    - where scores lose by distance, they go 2 lower; above 4 tokens, and with several heads, 3, and denominators reach
      400
    - where scores are divided by less than 1, or a sink is above 2, denominators reach 1,000; where they are divided
      by less than 1, what is raised goes to 6, and twice as far below 0; where by more, from −1 to 2 (where
      nothing is scaled as high as ever), two
      favourites do, queries may have the same weights, and no token need be attended to least
    - where the largest is subtracted, scaled scores go from that much below 0 to 0
    - one query alone has one favourite
    - at a temperature below 1 scores go from −1 to 2 before it divides them, and denominators reach 1,000
    - basic attention may have every token its own favourite, and so may two tokens under a mask
    - single numbers (d_k = 1 or d_v = 1) may be equal above 3 tokens, above 2 in a warm-up; with d_k = 1 so may then
      weights and outputs, and no token need be the one that is attended to least
    - a first sheet asks two products that are not 0 above 3 features, unless words are looked up; otherwise it is a
      warm-up
    - a warm-up, whose scores are never negative unless places turn keys or let them lose, has scaled scores to 4 above
      4 tokens; queries, keys or values may then be equal, and no token need be attended to least; above 5 tokens two
      favourites do, and above 6 queries may have the same weights
    """
    rules, warm_up = arithmetic.rules, level.is_gentle
    is_wide = sizes.get("features", 0) > MAX_NARROW_FEATURES and not variant.embedded_words
    tokens, is_cross = sizes["tokens"], "memory" in sizes
    key_count = sizes.get(variant.letters["k"], tokens)
    denominator = 100 if key_count <= 6 else 400 if key_count <= 8 else 1000
    is_sharpened = variant.temperature is not None and variant.temperature < 1
    is_flattened = variant.temperature is not None and variant.temperature > 1
    is_far = variant.has_distances and (key_count > 4 or variant.head_count > 1)  # with the heads slopes grow
    if is_sharpened or (variant.sink or 0) > MAX_PLAIN_SINK:
        denominator = max(denominator, 1000)
    elif is_far:  # what is far away has a small power
        denominator = max(denominator, 400)
    if rules.base is Base.TEN:
        denominator = 10_000
    words = variant.first_occurrences
    different = len(set(words)) if words else tokens
    most = max(different, key_count if is_cross else different)
    has_single_numbers, max_single_numbers = sizes.get("d_k") == 1, 2 if warm_up else 3
    is_crowded_warm_up = warm_up and most > MAX_WARM_UP_TOKENS and variant.mechanism != "basic"
    has_few_numbers = has_single_numbers and most > max_single_numbers
    if tokens == 1:
        min_favourites = 1
    elif has_single_numbers:
        min_favourites = 1 if warm_up else 2
    else:
        min_favourites = 3 if different >= 6 and not (is_cross or is_crowded_warm_up) else 2
    lowest = 0 if warm_up and not (variant.is_rotary or variant.has_distances) else -2
    highest = 3 if warm_up and arithmetic.is_scaling and not is_crowded_warm_up else 4
    loss = 2 + is_far if variant.has_distances else 0
    if is_sharpened:
        lowest, highest = 2 * lowest, MAX_SHARPENED_EXPONENT
    if is_flattened:
        min_favourites = min(min_favourites, 2)
        lowest, highest = max(lowest, -1), MAX_FLATTENED_EXPONENT if arithmetic.is_scaling else highest
    return Requirements(
        arithmetic=arithmetic,
        min_score=lowest - highest if variant.is_shifted else lowest - loss,
        max_score=0 if variant.is_shifted else highest,
        min_telling_products=2 if level is Level.FIRST and is_wide else 1,
        is_fraction_required=not warm_up,
        max_top_tokens=key_count if allow_ties else 1 if key_count <= 6 else key_count // 4,
        max_denominator=denominator if rules.is_rational else None,
        max_joined_denominator=(
            max(denominator, MAX_JOINED_DENOMINATORS.get(variant.head_count, 0)) if rules.is_rational else None
        ),
        query_words=words,
        key_words=() if is_cross else words,
        output_words=() if variant.is_causal else words,
        min_favourites=min_favourites,
        is_another_favourite_required=not (
            is_cross or variant.mechanism == "basic" or min_favourites == 1 or (variant.is_causal and tokens == 2)
        ),
        are_weights_distinct=not (
            has_few_numbers
            or is_flattened
            or (is_crowded_warm_up and most > 6)
            or (variant.is_causal and variant.padding)
        ),
        is_least_unique=not (has_few_numbers or is_crowded_warm_up or is_flattened),
        asked_queries=tuple({min(2, tokens - 1), tokens - 1}) if variant.is_causal else (0,),
        temperature=variant.temperature,
        max_single_numbers=max_single_numbers,
        are_vectors_distinct=not (is_crowded_warm_up or most > MAX_DISTINCT_TOKENS),
    )
