"""Slips against numpy: each written a second time, in whole matrices, over sheets of all forms."""

import math
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from attnhand.attention.arithmetic import ScaleRule
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, format_decimal, is_finite
from attnhand.attention.problem import Problem
from attnhand.attention.slips import SLIPS, VETTED_BY_RECIPE_1, StageContext, find_slips
from attnhand.attention.solution import solve
from tests.breadth import choose
from tests.drawn_sheets import ALL_FORMS, draw_by_turns
from tests.forms import LATER_FORMS

SEEDS = choose(2, 30)

Array = Any
"""Of objects: fractions, floats where something is irrational, −∞."""

WEIGHTS = {"Q": "W_Q", "K": "W_K", "V": "W_V", "output": "W_O", "F1": "W_1", "F2": "W_2"}
OF_ANOTHER_SHAPE = {"operands-swapped", "elementwise", "other-operand-transposed", "inputs-for-values", "heads-added"}


def change_cells(change: Callable[[Any], Any], a: Array) -> Array:
    """Return an array with other cells."""
    return np.vectorize(change, otypes=[object])(a)


def choose_cells(condition: Array, one: Any, other: Any) -> Array:
    """Return cells of one array where something holds, else of the other."""
    return np.where(condition, one, other)


class At:
    """What stands before a student at a stage, tokens as columns, found by the names that sheets use."""

    def __init__(self, problem: Problem, values: Mapping[str, Matrix], stage: Stage) -> None:
        def take(a: Matrix) -> Array:
            kind = float if any(isinstance(x, Decimal) and x.is_finite() for row in a for x in row) else Fraction
            rows = [[kind(x) if is_finite(x) else -math.inf for x in row] for row in a]
            return np.array(rows, dtype=object)

        turned = problem.convention.is_rows
        self.m = {name: take(transpose(a) if turned else a) for name, a in values.items()}
        self.problem, self.rules, self.name = problem, problem.rules, stage.name.rpartition(".")[2]
        self.own = stage.name
        self.head, self.group = self.find_owners(stage.head)
        self.d_k = problem.sizes.get("d_k", 1)
        self.base: Any = math.e if self.rules.base.whole is None else self.rules.base.whole
        self.right: Array = None
        self.is_causal, self.window = problem.variant.is_causal, problem.variant.window

    def find_owners(self, head: int) -> tuple[str, str]:
        """Return what stands before the names of a head, and of what it shares with others.

        Keys and values that heads share are worked beside the first of them.
        """
        form = self.problem.variant
        together = form.head_count // form.kv_head_count
        if together > 1 and self.name in ("K", "K_turned", "V"):
            head = 1 + together * (int(self.own[1]) - 1 if self.own[0] == "g" else 0)
        return (f"h{head}.", f"g{(head - 1) // together + 1}.") if head else ("", "")

    def find(self, name: str) -> Array:
        """Return a matrix of the head, of what it shares with others, or of all; None where there is none."""
        return next((self.m[owner + name] for owner in (self.head, self.group, "") if owner + name in self.m), None)

    def of_head(self, *names: str) -> Array:
        """Return the first of these that there is."""
        return next(a for a in map(self.find, names) if a is not None)

    K = property(lambda s: s.find_compared("K"))
    Q = property(lambda s: s.find_compared("Q"))
    V = property(lambda s: s.of_head("V", "X"))
    S = property(lambda s: s.of_head("S"))
    A = property(lambda s: s.of_head("A"))
    powers = property(lambda s: s.of_head("powers"))
    sums = property(lambda s: s.of_head("sums"))
    x = property(lambda s: s.of_head("shifted", "masked", "tempered", "scaled", "S"))
    unshifted = property(lambda s: s.of_head("masked", "tempered", "scaled", "S"))
    unmasked = property(lambda s: s.of_head("tempered", "scaled", "S"))
    untempered = property(lambda s: s.of_head("scaled", "S"))
    memory = property(lambda s: s.m.get("M", s.m.get("X")))

    def find_compared(self, name: str) -> Array:
        """Return keys or queries as they are compared: turned where they are, or the tokens themselves."""
        return self.of_head(f"{name}_turned", name, "X")

    def find_weights(self) -> Array:
        """Return what a stage multiplies by."""
        return self.find(WEIGHTS[self.name])

    def find_tokens(self) -> Array:
        """Return what a stage multiplies."""
        attended = self.m["output" if "output" in self.m else "Z"] if self.name == "F1" else None
        named = {"Q": "X", "output": "concat", "F2": "relu1"}.get(self.name)
        return attended if attended is not None else self.m[named] if named else self.memory

    W, X = property(find_weights), property(find_tokens)

    @property
    def b(self) -> Array:
        return {"F1": self.m.get("b_1"), "F2": self.m.get("b_2")}.get(self.name)

    @property
    def factors(self) -> tuple[Array, Array]:
        return {"S": (self.K, self.Q), "Z": (self.V, self.A)}[self.name] if self.name in "SZ" else (self.W, self.X)

    @property
    def rounded(self) -> Array:
        places = self.rules.decimals
        return change_cells(
            lambda x: Fraction(format_decimal(Decimal(x) if isinstance(x, float) else x, places)), self.powers
        )

    @property
    def heads(self) -> list[Array]:
        return [self.m[f"h{head}.Z"] for head in range(1, self.problem.variant.head_count + 1)]

    @property
    def words(self) -> list[int]:
        said = self.problem.variant.embedded_words
        return [list(dict.fromkeys(said)).index(word) for word in said]

    def layer(self, W: Array, X: Array, b: Array = 0) -> Array:
        return W @ X + (0 if b is None else b)

    def add_without(self, at: int) -> Array:
        """Multiply without one pair of every sum."""
        left, right = (self.K.T, self.Q) if self.name == "S" else self.factors
        rest = self.layer(np.delete(left, at, axis=1), np.delete(right, at, axis=0), self.b)
        return rest if len(right) > 1 else None

    def borrow(self, name: str) -> Array:
        """Multiply by the weights of another projection."""
        weights = self.find(f"W_{name}")
        return None if weights is None else weights @ self.X

    def borrow_from_next(self) -> Array:
        """Multiply by the weights of the next head, or of the next heads that share some; None of one for all."""
        owner, form = self.own.rpartition(".")[0], self.problem.variant
        if not owner:
            return None
        count = form.head_count if owner[0] == "h" else form.kv_head_count
        return self.m[f"{owner[0]}{int(owner[1]) % count + 1}.W_{self.name}"] @ self.X

    def wave(self, first: int = 0, *, swapped: bool = False) -> Array:
        """Sines and cosines of the places, rounded."""
        features, tokens = self.problem.sizes["features"], self.problem.sizes["tokens"]
        pairs, places = np.arange(features) // 2, np.arange(tokens) + first
        angles = places / 10_000.0 ** (2 * pairs[:, np.newaxis] / features)
        is_odd = (np.arange(features) % 2 == 1)[:, np.newaxis]
        shifted = choose_cells(is_odd ^ swapped, np.cos(angles), np.sin(angles))
        return change_cells(Fraction, np.rint(shifted).astype(int))

    @property
    def unturned(self) -> Array:
        return self.m[self.own.removesuffix("_turned")]

    def turn(self, way: int = 1, first: int = 0) -> Array:
        """Turn each pair of numbers a quarter a place, or by radians, by Gauss's own multiplication."""
        a, b = self.unturned[0::2], self.unturned[1::2]
        turned = self.unturned.copy()
        for token in range(a.shape[1]):
            steps = way * token + first
            real: Any
            imaginary: Any
            real, imaginary = ((1, 0), (0, 1), (-1, 0), (0, -1))[steps % 4]
            if self.problem.variant.has_radians:
                angles = steps * 10_000.0 ** (-2 * np.arange(len(a)) / len(turned))
                real, imaginary = np.cos(angles), np.sin(angles)
            turned[0::2, token] = real * a[:, token] - imaginary * b[:, token]
            turned[1::2, token] = imaginary * a[:, token] + real * b[:, token]
        return turned

    def scale(self, S: Array) -> Array:
        if self.rules.is_rounded_down:
            return change_cells(math.floor, S / Fraction(2))
        if self.rules.scale is ScaleRule.NONE:
            return S
        root = math.sqrt(self.d_k)
        by = self.rules.divisor or (Fraction(round(root)) if root == round(root) else root)
        return change_cells(lambda s: s / by, S)

    def raise_to(self, x: Array, base: Any = None) -> Array:
        base = self.base if base is None else base

        def power(exponent: Any) -> Any:
            if exponent == -math.inf:
                return Fraction(0)
            whole = isinstance(exponent, int | Fraction) and exponent == int(exponent) and base != math.e
            return Fraction(base) ** int(exponent) if whole else float(base) ** float(exponent)

        return change_cells(power, x)

    def hide(self, a: Array, instead: Any = -math.inf, window: int | None = None, first: int = 1) -> Array:
        """Hide later keys, and with a window those long before; and padding."""
        later = np.subtract.outer(np.arange(len(a)), np.arange(a.shape[1]))
        hidden = ((later >= first) & self.is_causal) | (later <= -window if window else False)
        hidden[[key - 1 for key in self.problem.variant.padding]] = True
        return choose_cells(hidden, instead, a)

    @property
    def nobody(self) -> Any:
        """What the sink adds to a sum."""
        sink = self.problem.variant.sink
        return 0 if sink is None else self.raise_to(np.array([[sink]], dtype=object))[0, 0]

    def temper(self, factor: Any) -> Array:
        """Multiply what is tempered, rounded down where whole numbers are raised to."""
        is_whole = self.rules.base.whole is not None and self.rules.scale in (ScaleRule.HALF_FLOOR, ScaleRule.NONE)
        return change_cells(lambda x: math.floor(x * factor) if is_whole else x * _like(x, factor), self.untempered)

    def less(self, number: Any) -> Array:
        """Subtract from what is shifted."""
        return self.unshifted - number

    def where_negative(self, other: Callable[[Any], Any]) -> Array:
        """Another number for the power of a negative exponent; None where there is none."""
        negative = (self.x < 0) & (self.x > -math.inf)
        changed = change_cells(lambda x: other(x) if -math.inf < x < 0 else 0, self.x)
        return choose_cells(negative, changed, self.raise_to(self.x)) if negative.any() else None

    def where_seen(self, a: Array) -> Array:
        return choose_cells(self.x == -math.inf, Fraction(0), a)


def _like(x: Any, factor: Fraction) -> Any:
    return float(factor) if isinstance(x, float) else factor


def mark_top(a: Array) -> Array:
    """Share 1 among the largest of each column."""
    top = change_cells(Fraction, (a == a.max(axis=0)).astype(int))
    return top / top.sum(axis=0)


RIGHT: Mapping[str, Callable[[At], Array]] = {
    "embedded": lambda s: s.m["embedding"][:, s.words],
    "positions": lambda s: s.wave(),
    "added": lambda s: s.m["E"] + s.m["P"],
    **dict.fromkeys(("queries", "keys", "values", "output", "layer"), lambda s: s.layer(s.W, s.X, s.b)),
    "turned": lambda s: s.turn(),
    "scores": lambda s: s.K.T @ s.Q,
    "scaled": lambda s: s.scale(s.S),
    "masked": lambda s: s.hide(s.unmasked, window=s.window),
    "tempered": lambda s: s.temper(1 / Fraction(s.problem.variant.temperature or 1)),
    "shifted": lambda s: s.less(s.unshifted.max(axis=0)),
    "powers": lambda s: s.raise_to(s.x),
    "sums": lambda s: s.powers.sum(axis=0)[np.newaxis] + s.nobody,
    "weights": lambda s: s.powers / s.sums,
    "outputs": lambda s: s.V @ s.A,
    "concat": lambda s: np.vstack(s.heads),
    "relu": lambda s: choose_cells(s.m["F" + s.name[-1]] < 0, Fraction(0), s.m["F" + s.name[-1]]),
}
"""What stages give, by topic."""

WRONG: Mapping[str, Callable[[At], Array]] = {
    "turn-forgotten": lambda s: s.unturned,
    "turn-other-way": lambda s: s.turn(-1),
    "turn-from-one": lambda s: s.turn(1, 1),
    "next-word": lambda s: s.m["embedding"][:, [(word + 1) % (max(s.words) + 1) for word in s.words]],
    "positions-from-one": lambda s: s.wave(1),
    "sines-exchanged": lambda s: s.wave(swapped=True),
    "position-forgotten": lambda s: s.m["E"],
    "multiplied-not-added": lambda s: s.m["E"] * s.m["P"],
    "other-weights": lambda s: s.borrow({"Q": "K", "K": "Q", "V": "K"}[s.name]),
    "third-weights": lambda s: s.borrow({"Q": "V", "K": "V", "V": "Q"}[s.name]),
    "weights-of-other-head": lambda s: s.borrow_from_next(),
    "weights-transposed": lambda s: s.layer(s.W.T, s.X, s.b) if s.W.shape[0] == s.W.shape[1] else None,
    "signs-ignored": lambda s: s.layer(abs(s.W), abs(s.X), None if s.b is None else abs(s.b)),
    "last-product-forgotten": lambda s: s.add_without(-1),
    "first-product-forgotten": lambda s: s.add_without(0),
    "operands-swapped": lambda s: s.factors[1] @ s.factors[0] if s.b is None else None,
    "elementwise": lambda s: (
        s.factors[0] * s.factors[1] if s.b is None and s.factors[0].shape == s.factors[1].shape else None
    ),
    "bias-forgotten": lambda s: None if s.b is None else s.W @ s.X,
    "bias-other-axis": lambda s: None if s.b is None else s.W @ s.X + s.b.T,
    "scores-transposed": lambda s: s.Q.T @ s.K if len(s.S) == len(s.S[0]) else None,
    "other-operand-transposed": lambda s: s.K @ s.Q.T,
    "not-transposed": lambda s: s.K @ s.Q,
    "values-for-queries": lambda s: s.K.T @ s.V,
    "values-for-keys": lambda s: s.V.T @ s.Q,
    "queries-with-themselves": lambda s: s.Q.T @ s.Q,
    "keys-with-themselves": lambda s: s.K.T @ s.K,
    "projections-skipped": lambda s: s.memory.T @ s.m["X"] if s.find("K") is not None and "X" in s.m else None,
    "not-scaled": lambda s: None if s.rules.scale is ScaleRule.NONE else s.S,
    "truncated": lambda s: change_cells(math.trunc, s.S / Fraction(2)) if s.rules.is_rounded_down else None,
    "rounded-up": lambda s: change_cells(math.ceil, s.S / Fraction(2)) if s.rules.is_rounded_down else None,
    "half-kept": lambda s: s.S / Fraction(2) if s.rules.is_rounded_down else None,
    "bankers-rounding": lambda s: change_cells(round, s.S / Fraction(2)) if s.rules.is_rounded_down else None,
    "over-d_k": lambda s: (
        None
        if s.rules.scale is ScaleRule.NONE or s.d_k == 1
        else change_cells(math.floor if s.rules.is_rounded_down else lambda x: x, s.S / Fraction(s.d_k))
    ),
    "over-d_k-kept": lambda s: s.S / Fraction(s.d_k) if s.rules.is_rounded_down and s.d_k not in (1, 2) else None,
    "doubled": lambda s: s.S + s.S if s.rules.divisor == 2 else None,
    "sign-dropped": lambda s: s.scale(abs(s.S)),
    "zero-for-minus-infinity": lambda s: s.hide(s.unmasked, Fraction(0), s.window),
    "other-triangle": lambda s: None if s.problem.variant.padding else s.hide(s.unmasked.T, window=s.window).T,
    "diagonal-too": lambda s: None if s.problem.variant.padding else s.hide(s.unmasked, window=s.window, first=0),
    "mask-turned": lambda s: s.hide(s.unmasked.T, window=s.window).T if s.problem.variant.padding else None,
    "not-shifted": lambda s: s.unshifted,
    "smallest-subtracted": lambda s: (
        None if (s.unshifted == -math.inf).any() else s.less(s.unshifted.min(axis=0))  # less −∞ nothing is left
    ),
    "largest-of-all": lambda s: s.less(s.unshifted.max()),
    "shifted-early": lambda s: s.scale(s.S - s.S.max(axis=0)) if s.rules.is_rounded_down else None,
    "mask-forgotten": lambda s: s.unmasked,
    "window-forgotten": lambda s: s.hide(s.unmasked) if s.window else None,
    "window-too-wide": lambda s: s.hide(s.unmasked, window=s.window + 1) if s.window else None,
    "times-not-power": lambda s: s.where_seen(change_cells(lambda x: s.base * x, s.x)),
    "negative-power-negated": lambda s: s.where_negative(lambda x: -s.raise_to(np.array([[-x]], dtype=object))[0, 0]),
    "negative-power-zero": lambda s: s.where_negative(lambda _: Fraction(0)),
    "negative-power-times": lambda s: s.where_negative(lambda x: s.base * x),
    "negative-power-over-product": lambda s: s.where_negative(lambda x: 1 / (s.base * -x)),
    "cubed": lambda s: None if s.base == math.e else s.where_seen(choose_cells(s.x == -math.inf, 0, s.x) ** s.base),
    "zero-power-zero": lambda s: choose_cells(s.x == 0, Fraction(0), s.raise_to(s.x)),
    "zero-power-base": lambda s: choose_cells(s.x == 0, s.base, s.raise_to(s.x)),
    "power-of-magnitude": lambda s: s.where_seen(s.raise_to(choose_cells(s.x == -math.inf, 0, abs(s.x)))),
    "unscaled-exponent": lambda s: s.where_seen(s.raise_to(s.S)) if s.head + "scaled" in s.m else None,
    "base-two": lambda s: s.raise_to(s.x, 2),
    "base-e": lambda s: s.raise_to(s.x, math.e),
    "sums-other-axis": lambda s: s.powers.sum(axis=1)[np.newaxis] + s.nobody,
    "grand-total-sums": lambda s: np.full((1, s.powers.shape[1]), s.powers.sum() + s.nobody, dtype=object),
    "other-axis": lambda s: s.powers / (s.powers.sum(axis=1)[:, np.newaxis] + s.nobody),
    "crossed-sums": lambda s: s.powers / (s.powers.sum(axis=1)[np.newaxis] + s.nobody),
    "grand-total": lambda s: s.powers / (s.powers.sum() + s.nobody),
    "one-sum-for-all": lambda s: s.powers / s.sums[0, 0],
    "over-largest": lambda s: s.powers / s.powers.max(axis=0),
    "over-count": lambda s: s.powers / Fraction(len(s.powers)),
    "not-divided": lambda s: s.powers,
    "no-exponential": lambda s: s.where_seen(s.x) / s.where_seen(s.x).sum(axis=0),
    "one-hot": lambda s: mark_top(s.powers),
    "hidden-added": lambda s: (
        s.raise_to(s.unmasked).sum(axis=0)[np.newaxis] + s.nobody if s.is_causal or s.problem.variant.padding else None
    ),
    "masked-after": lambda s: (
        s.hide(s.raise_to(s.unmasked) / (s.raise_to(s.unmasked).sum(axis=0) + s.nobody), Fraction(0), s.window)
        if s.is_causal or s.problem.variant.padding
        else None
    ),
    "sink-forgotten": lambda s: (
        None
        if s.problem.variant.sink is None
        else s.powers.sum(axis=0)[np.newaxis]
        if s.name.endswith("sums")
        else s.powers / s.powers.sum(axis=0)
    ),
    "sink-not-raised": lambda s: (
        None if s.problem.variant.sink is None else s.powers.sum(axis=0)[np.newaxis] + s.problem.variant.sink
    ),
    "temperature-forgotten": lambda s: s.untempered,
    "temperature-multiplied": lambda s: s.temper(s.problem.variant.temperature),
    "weights-over-temperature": lambda s: (
        None
        if (heat := s.problem.variant.temperature) is None
        else change_cells(lambda x: x / _like(x, heat), s.powers / s.sums)
    ),
    "weights-A-transposed": lambda s: s.V @ s.A.T,
    "powers-for-weights": lambda s: s.V @ s.powers,
    "scores-for-weights": lambda s: s.V @ s.S,
    "keys-for-values": lambda s: s.K @ s.A,
    "queries-for-values": lambda s: s.Q @ s.A,
    "inputs-for-values": lambda s: s.memory @ s.A if s.find("V") is not None and s.memory is not None else None,
    "top-token-copied": lambda s: s.V @ mark_top(s.A),
    "plain-mean": lambda s: s.V @ np.full(s.A.shape, Fraction(1, len(s.A))),
    "heads-exchanged": lambda s: np.vstack(s.heads[::-1]),
    "heads-interleaved": lambda s: np.vstack([head[at] for at in range(len(s.heads[0])) for head in s.heads]),
    "heads-added": lambda s: sum(s.heads),
    "relu-forgotten": lambda s: s.m["F" + s.name[-1]],
    "relu-of-magnitude": lambda s: abs(s.m["F" + s.name[-1]]),
    "relu-other-side": lambda s: choose_cells(s.m["F" + s.name[-1]] > 0, Fraction(0), s.m["F" + s.name[-1]]),
    "negative-result-zero": lambda s: choose_cells(s.right < 0, Fraction(0), s.right),
    "rounded-early": lambda s: s.rounded / s.rounded.sum(axis=0),
}
"""What slips give; None where one cannot happen."""


def test_every_slip_is_written_twice() -> None:
    """None is missing on either side."""
    assert WRONG.keys() == {slip.id for slip in SLIPS}
    assert {slip.id for slip in SLIPS if not slip.has_same_shape} == OF_ANOTHER_SHAPE


def spoil(values: Mapping[str, Matrix], way: int) -> dict[str, Matrix]:
    """Return matrices with a student's own numbers: some of them 0, another sign, a bit more."""

    def change(value: Number, at: int) -> Number:
        if not is_finite(value) or at % 3:
            return value
        more = value + 1 if isinstance(value, Decimal) else value + Fraction(1, 2)
        return (0, -value, more)[(at // 3 + way) % 3]

    with localcontext(DECIMAL_CONTEXT):  # or what has another sign would lose digits, and add up to no 0 any more
        return {
            name: tuple(
                tuple(change(x, 2 * i + 5 * j + len(name)) for j, x in enumerate(row)) for i, row in enumerate(a)
            )
            for name, a in values.items()
        }


def list_sheets(form: str) -> Iterator[tuple[Problem, dict[str, Matrix]]]:
    """Yield drawn sheets, each right, then with a student's own numbers in all matrices, in one of three ways."""
    for way, problem in enumerate(draw_by_turns(form, SEEDS)):
        right = solve(problem).collect_hand_values()
        yield problem, right
        yield problem, spoil(right, way)


def expect(slip: str, stage: Stage, at: At) -> tuple[Array, bool]:
    """Return what a slip gives at a stage, None for nothing, and whether that is sure in spite of all rounding."""
    try:
        right = RIGHT[stage.topic](at)
    except ZeroDivisionError:
        right = None
    at.right = right
    try:
        wrong = WRONG[slip](at)
    except (ZeroDivisionError, ValueError):  # of two matrices that do not fit one another
        return None, True
    if wrong is None:
        return None, True
    if right is not None and wrong.shape != right.shape:
        return (wrong, True) if slip in OF_ANOTHER_SHAPE else (None, True)
    is_exact = not any(isinstance(x, float) and x > -math.inf for a in (wrong, right) if a is not None for x in a.flat)
    if slip in ("scores-transposed", "weights-A-transposed", "truncated"):  # what would be the same is no such slip
        like = {
            "scores-transposed": right,
            "weights-A-transposed": at.A,
            "truncated": at.S,
        }[slip]
        idle = not (like < 0).any() if slip == "truncated" else like.shape[0] != like.shape[1] or (like == like.T).all()
        return (None if idle else wrong), is_exact
    is_hidden = right is not None and bool((wrong == right).all())
    return (None if is_hidden and slip not in VETTED_BY_RECIPE_1 else wrong), is_exact


@pytest.mark.parametrize("form", ALL_FORMS | LATER_FORMS)
def test_every_slip_gives_what_numpy_gives(form: str) -> None:
    """Wherever it happens, and nowhere else; right numbers and students' own, zeros, −∞, in both conventions."""
    trials = 0
    for problem, values in list_sheets(form):
        for stage in problem.mechanism.stages:
            context, at = (
                StageContext(problem.mechanism, stage, problem.hand_arithmetic, values),
                At(problem, values, stage),
            )
            for slip in find_slips(stage):
                found = slip.compute_wrong(context)
                expected, is_exact = expect(slip.id, stage, at)
                told = (slip.id, stage.name, problem.rules, found, expected)
                if found is None or expected is None:
                    assert (found is expected) or not is_exact, told
                    continue
                a = np.array(transpose(found) if problem.convention.is_rows else found, dtype=object)
                assert a.shape == expected.shape, told
                assert all(map(are_near, a.flat, expected.flat)), told
                trials += 1
    assert trials > choose(60, 200)


def are_near(found: Number, expected: Any) -> bool:
    """Say whether two numbers are the same, irrational ones to nine digits."""
    if isinstance(expected, float) or isinstance(found, Decimal):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
    return bool(found == expected)
