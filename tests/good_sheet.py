"""What makes a drawn sheet good, written down a second time from its description and not from the code that vets.

Nothing is imported from the package: matrices lie with tokens as columns, stages come from the oracle.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from tests.oracle import FractionMatrix, Numbers, solve_by_hand_in_columns

LEVELS = ("first", "warm-up", "standard", "challenge")

GENTLE = ("first", "warm-up")
"""Levels without negative scores, and without a fraction before A."""


def find_sheet_faults(
    given: Mapping[str, Numbers],
    level: str,
    *,
    scale: str | int = "half-floor",
    base: int | str = 3,
    allows_ties: bool = False,
    needs_distinct_tokens: bool = True,
    needs_distinct_rows: bool = True,
) -> list[str]:
    """Return what is wrong with a sheet of that level; an empty list for a good one.

    Args:
        ties: whether any tokens may share a query's largest weight; if not, one has it, or above 6 tokens a quarter.
        distinct_tokens: whether all tokens must differ; two or three features do not always leave room for it.
        distinct_rows: whether the rows of all weight matrices together must differ; likewise.
    """
    rational = isinstance(base, int) and scale in ("half-floor", "none")
    worked = solve_by_hand_in_columns(
        given, scale if rational else "none", base if isinstance(base, int) and rational else 2
    )
    tokens = len(given["X"][0])
    on_top = tokens if allows_ties else 1 if tokens <= 6 else tokens // 4
    found = [*_find_dull_givens(given, needs_distinct_tokens, needs_distinct_rows), *_find_dull_example(given)]
    found += _find_dull_projections(worked)
    found += _find_far_scores(worked["S"], level, scale, len(worked["Q"]))
    if rational:
        found += _find_large_denominators(worked["A"], tokens=tokens, base=base)
        found += _find_unclear_weights(worked["A"], on_top)
        found += _find_hidden_shortcuts(worked, level, scale, on_top)
        found += _find_hidden_slips(worked, scale, int(base))
    else:
        found += _find_unclear_weights(worked["S"], on_top)  # dividing and raising to a power keep the order of scores
    return found


def _list_columns(a: Numbers) -> list[tuple[Fraction, ...]]:
    return list(zip(*a, strict=True))


def _find_dull_givens(given: Mapping[str, Numbers], distinct_tokens: bool, distinct_rows: bool) -> Iterator[str]:
    weight_rows = [tuple(row) for name in ("W_Q", "W_K", "W_V") for row in given[name]]
    tokens = _list_columns(given["X"])
    if not all(any(row) for row in weight_rows):
        yield "a row of a W is empty"
    if not all(any(token) for token in tokens):
        yield "a column of X is empty"
    if distinct_tokens and len(set(tokens)) < len(tokens):
        yield "two tokens are alike"
    if distinct_rows and len(set(weight_rows)) < len(weight_rows):
        yield "two rows among the W are equal"


def _find_dull_example(given: Mapping[str, Numbers]) -> Iterator[str]:
    if all(weight * row[0] == 0 for weight, row in zip(given["W_K"][0], given["X"], strict=True)):
        yield "every product of K[1,1] is 0"


def _find_dull_projections(stages: Mapping[str, FractionMatrix]) -> Iterator[str]:
    for name in ("Q", "K", "V"):
        rows = [tuple(row) for row in stages[name]]
        if not all(any(line) for line in [*rows, *_list_columns(rows)]):
            yield f"a row or column of {name} is zero"
        if len(set(rows)) < len(rows):
            yield f"two rows of {name} are equal"


def _find_far_scores(S: FractionMatrix, level: str, scale: str | int, d_k: int) -> Iterator[str]:
    scores = [score for row in S for score in row]
    low, high = (0 if level in GENTLE else -2), 4  # a warm-up's 3 is asked in good_attention
    if level in GENTLE and min(scores) < 0:
        yield "a score is negative"
    for score in scores:
        if scale == "sqrt":  # x/√d_k ≤ 4 where x ≤ 0 or x² ≤ 16 d_k
            fits = score**2 <= (high if score > 0 else low) ** 2 * d_k
        elif scale == "half-floor":
            fits = 2 * low <= score < 2 * (high + 1)
        else:
            divisor = 1 if scale == "none" else int(scale)
            fits = low * divisor <= score <= high * divisor
        if not fits:
            yield f"the score {score} is too far from 0 once scaled"


def _find_large_denominators(A: FractionMatrix, *, tokens: int, base: int | str) -> Iterator[str]:
    limit = 10_000 if base == 10 else 100 if tokens <= 6 else 400 if tokens <= 8 else 1000
    worst = max(weight.denominator for row in A for weight in row)
    if worst > limit:
        yield f"a denominator in A is {worst}"


def _find_unclear_weights(A: FractionMatrix, max_on_top: int) -> Iterator[str]:
    for column in _list_columns(A):
        if len(set(column)) == 1:
            yield "a column of A is flat"
        if column.count(max(column)) > max_on_top:
            yield "too many tokens share the largest weight of a query"


def _find_hidden_shortcuts(
    stages: Mapping[str, FractionMatrix], level: str, scale: str | int, max_on_top: int
) -> Iterator[str]:
    if scale == "half-floor" and max_on_top == 1:
        for before, after in zip(
            _list_columns(stages["S"]), _list_columns(stages.get("scaled", stages["S"])), strict=True
        ):
            if _find_largest(before) != _find_largest(after):
                yield "rounding down makes a tie"
    if level in GENTLE:
        if any(
            value.denominator != 1
            for name in ("Q", "K", "V", "scaled", "powers", "sums")
            if name in stages
            for value in _flatten(stages[name])
        ):
            yield "a fraction comes before A"
        return
    if (
        scale == "half-floor"
        and _count_differing(
            stages.get("scaled", stages["S"]), [[_halve_toward_zero(score) for score in row] for row in stages["S"]]
        )
        < 2
    ):
        yield "rounding down looks like cutting off"
    if all(power.denominator == 1 for power in _flatten(stages["powers"])):
        yield "no power is a fraction"


def _find_hidden_slips(stages: Mapping[str, FractionMatrix], scale: str | int, base: int) -> Iterator[str]:
    S, powers, A, V = (stages[name] for name in ("S", "powers", "A", "V"))
    scaled = stages.get("scaled", S)
    turned_S, turned_A = [list(line) for line in _list_columns(S)], [list(line) for line in _list_columns(A)]
    wrong: dict[str, dict[str, FractionMatrix]] = {name: {} for name in ("S", "scaled", "powers", "A", "Z")}
    if turned_S != S:
        wrong["S"]["scores transposed"] = turned_S
    if scale != "none":
        wrong["scaled"]["not scaled"] = S
    if scale == "half-floor":
        wrong["scaled"]["rounded up"] = [[-_halve_down(-score) for score in row] for row in S]
        if min(_flatten(S)) < 0:
            wrong["scaled"]["truncated"] = [[_halve_toward_zero(score) for score in row] for row in S]
    wrong["powers"]["3·x"] = [[base * exponent for exponent in row] for row in scaled]
    if min(_flatten(scaled)) < 0:
        wrong["powers"]["3⁻ᵃ = −3ᵃ"] = [
            [_raise_to_power(base, x, -(Fraction(base) ** -int(x))) for x in row] for row in scaled
        ]
        wrong["powers"]["3⁻ᵃ = 0"] = [[_raise_to_power(base, x, Fraction(0)) for x in row] for row in scaled]
    wrong["A"]["other axis"] = [[power / sum(row) for power in row] for row in powers]
    if turned_A != A:
        wrong["Z"]["V Aᵀ"] = [
            [sum((v * a for v, a in zip(row, line, strict=True)), Fraction(0)) for line in A] for row in V
        ]
    for stage, results in wrong.items():
        for slip, result in results.items():
            if _count_differing(stages[stage], result) < 2:
                yield f"{slip} shows in fewer than two cells"
        for (one, first), (other, second) in combinations(results.items(), 2):
            if first == second:
                yield f"{one} looks like {other}"


def _flatten(a: FractionMatrix) -> list[Fraction]:
    return [value for row in a for value in row]


def _find_largest(column: Sequence[Fraction]) -> list[int]:
    return [i for i, value in enumerate(column) if value == max(column)]


def _halve_toward_zero(score: Fraction) -> Fraction:
    """Halve and cut off the digits after the point, toward zero."""
    return Fraction(int(Fraction(score) / 2))


def _halve_down(score: Fraction) -> Fraction:
    return Fraction(Fraction(score) // 2)


def _raise_to_power(base: int, exponent: Fraction, if_negative: Fraction) -> Fraction:
    return if_negative if exponent < 0 else Fraction(base) ** int(exponent)


def _count_differing(a: FractionMatrix, b: FractionMatrix) -> int:
    return sum(x != y for row, other in zip(a, b, strict=True) for x, y in zip(row, other, strict=True))
