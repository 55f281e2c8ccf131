"""What makes a drawn sheet good, written down a second time from its description and not from the code that vets.

Nothing is imported from the package: matrices lie with tokens as columns, stages come from the oracle.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import combinations

from tests.oracle import Exact, Numbers, hand_in_columns

LEVELS = ("warm-up", "standard", "challenge")


def faults(
    given: Mapping[str, Numbers],
    level: str,
    *,
    scale: str | int = "half-floor",
    base: int | str = 3,
    ties: bool = False,
    distinct_tokens: bool = True,
    distinct_rows: bool = True,
) -> list[str]:
    """Return what is wrong with a sheet of that level; an empty list for a good one.

    Args:
        ties: whether any tokens may share a query's largest weight; if not, one has it, or above 6 tokens a quarter.
        distinct_tokens: whether all tokens must differ; two or three features do not always leave room for it.
        distinct_rows: whether the rows of all weight matrices together must differ; likewise.
    """
    rational = isinstance(base, int) and scale in ("half-floor", "none")
    made = hand_in_columns(given, scale if rational else "none", base if isinstance(base, int) and rational else 2)
    tokens = len(given["X"][0])
    on_top = tokens if ties else 1 if tokens <= 6 else tokens // 4
    found = [*_dull_givens(given, distinct_tokens, distinct_rows), *_dull_projections(made)]
    found += _out_of_range(made["S"], level, scale, len(made["Q"]))
    if rational:
        found += _unreadable(made["A"], tokens=tokens, base=base)
        found += _unclear_weights(made["A"], on_top)
        found += _hidden_shortcuts(made, level, scale, on_top)
        found += _hidden_slips(made, scale, int(base))
    else:
        found += _unclear_weights(made["S"], on_top)  # dividing and raising to a power keep the order of scores
    return found


def _columns(a: Numbers) -> list[tuple[Fraction, ...]]:
    return list(zip(*a, strict=True))


def _dull_givens(given: Mapping[str, Numbers], distinct_tokens: bool, distinct_rows: bool) -> Iterator[str]:
    weight_rows = [tuple(row) for name in ("W_Q", "W_K", "W_V") for row in given[name]]
    tokens = _columns(given["X"])
    if not all(any(row) for row in weight_rows):
        yield "a row of a W is empty"
    if not all(any(token) for token in tokens):
        yield "a column of X is empty"
    if distinct_tokens and len(set(tokens)) < len(tokens):
        yield "two tokens are alike"
    if distinct_rows and len(set(weight_rows)) < len(weight_rows):
        yield "two rows among the W are equal"


def _dull_projections(made: Mapping[str, Exact]) -> Iterator[str]:
    for name in ("Q", "K", "V"):
        rows = [tuple(row) for row in made[name]]
        if not all(any(line) for line in [*rows, *_columns(rows)]):
            yield f"a row or column of {name} is zero"
        if len(set(rows)) < len(rows):
            yield f"two rows of {name} are equal"


def _out_of_range(S: Exact, level: str, scale: str | int, d_k: int) -> Iterator[str]:
    scores = [score for row in S for score in row]
    low, high = (0 if level == "warm-up" else -2), 4
    if level == "warm-up" and min(scores) < 0:
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


def _unreadable(A: Exact, *, tokens: int, base: int | str) -> Iterator[str]:
    limit = 10_000 if base == 10 else 100 if tokens <= 6 else 400 if tokens <= 8 else 1000
    worst = max(weight.denominator for row in A for weight in row)
    if worst > limit:
        yield f"a denominator in A is {worst}"


def _unclear_weights(A: Exact, on_top: int) -> Iterator[str]:
    for column in _columns(A):
        if len(set(column)) == 1:
            yield "a column of A is flat"
        if column.count(max(column)) > on_top:
            yield "too many tokens share the largest weight of a query"


def _hidden_shortcuts(made: Mapping[str, Exact], level: str, scale: str | int, on_top: int) -> Iterator[str]:
    if scale == "half-floor" and on_top == 1:
        for before, after in zip(_columns(made["S"]), _columns(made["scaled"]), strict=True):
            if _tops(before) != _tops(after):
                yield "rounding down makes a tie"
    if level == "warm-up":
        if any(
            value.denominator != 1
            for name in ("Q", "K", "V", "scaled", "powers", "sums")
            for value in _flat(made[name])
        ):
            yield "a fraction comes before A"
        return
    if scale == "half-floor" and _differing(made["scaled"], [[_cut(score) for score in row] for row in made["S"]]) < 2:
        yield "rounding down looks like cutting off"
    if all(power.denominator == 1 for power in _flat(made["powers"])):
        yield "no power is a fraction"


def _hidden_slips(made: Mapping[str, Exact], scale: str | int, base: int) -> Iterator[str]:
    S, scaled, powers, A, V = (made[name] for name in ("S", "scaled", "powers", "A", "V"))
    turned_S, turned_A = [list(line) for line in _columns(S)], [list(line) for line in _columns(A)]
    wrong: dict[str, dict[str, Exact]] = {name: {} for name in ("S", "scaled", "powers", "A", "Z")}
    if turned_S != S:
        wrong["S"]["scores transposed"] = turned_S
    if scale != "none":
        wrong["scaled"]["not scaled"] = S
    if scale == "half-floor":
        wrong["scaled"]["rounded up"] = [[-_cut_down(-score) for score in row] for row in S]
        if min(_flat(S)) < 0:
            wrong["scaled"]["truncated"] = [[_cut(score) for score in row] for row in S]
    wrong["powers"]["3·x"] = [[base * exponent for exponent in row] for row in scaled]
    if min(_flat(scaled)) < 0:
        wrong["powers"]["3⁻ᵃ = −3ᵃ"] = [
            [_powered(base, x, -(Fraction(base) ** -int(x))) for x in row] for row in scaled
        ]
        wrong["powers"]["3⁻ᵃ = 0"] = [[_powered(base, x, Fraction(0)) for x in row] for row in scaled]
    wrong["A"]["other axis"] = [[power / sum(row) for power in row] for row in powers]
    if turned_A != A:
        wrong["Z"]["V Aᵀ"] = [
            [sum((v * a for v, a in zip(row, line, strict=True)), Fraction(0)) for line in A] for row in V
        ]
    for stage, results in wrong.items():
        for slip, result in results.items():
            if _differing(made[stage], result) < 2:
                yield f"{slip} shows in fewer than two cells"
        for (one, first), (other, second) in combinations(results.items(), 2):
            if first == second:
                yield f"{one} looks like {other}"


def _flat(a: Exact) -> list[Fraction]:
    return [value for row in a for value in row]


def _tops(column: Sequence[Fraction]) -> list[int]:
    return [i for i, value in enumerate(column) if value == max(column)]


def _cut(score: Fraction) -> Fraction:
    """Halve and cut off the digits after the point, toward zero."""
    return Fraction(int(Fraction(score) / 2))


def _cut_down(score: Fraction) -> Fraction:
    return Fraction(Fraction(score) // 2)


def _powered(base: int, exponent: Fraction, if_negative: Fraction) -> Fraction:
    return if_negative if exponent < 0 else Fraction(base) ** int(exponent)


def _differing(a: Exact, b: Exact) -> int:
    return sum(x != y for row, other in zip(a, b, strict=True) for x, y in zip(row, other, strict=True))
