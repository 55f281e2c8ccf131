"""Slips against numpy: each written a second time, in whole matrices, over sheets of all forms."""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
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

WEIGHTS = {"logits": "W_U", "Q": "W_Q", "K": "W_K", "V": "W_V", "output": "W_O", "F1": "W_1", "F2": "W_2"}
OF_ANOTHER_SHAPE = {"operands-swapped", "elementwise", "other-operand-transposed", "inputs-for-values", "heads-added"}


def change_cells(change: Callable[[Any], Any], a: Array) -> Array:
    """Return an array with other cells."""
    return np.vectorize(change, otypes=[object])(a)


def share_out(powers: Array, sums: Array) -> Array:
    """Return each power by its sum; nothing of nothing, as under padding, is nothing."""
    return np.frompyfunc(lambda power, total: 0 if power == 0 else power / total, 2, 1)(powers, sums)


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
        blocks = problem.variant.blocks  # the output comes after the last
        self.block = int(self.name[-1]) if blocks and self.name[-1].isdigit() else blocks
        self.name = self.name.rstrip("1234") if blocks else self.name
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
        if together > 1 and self.name in ("K", "K_turned", "V", "K_all", "V_all"):
            head = 1 + together * (int(self.own[1]) - 1 if self.own[0] == "g" else 0)
        return (f"h{head}.", f"g{(head - 1) // together + 1}.") if head else ("", "")

    def find(self, name: str) -> Array:
        """Return a matrix of the head, of what it shares with others, or of all; None where there is none."""
        names = [f"{name}{self.block}"] if self.block else [owner + name for owner in (self.head, self.group, "")]
        return next((self.m[each] for each in [*names, name] if each in self.m), None)

    def before(self, name: str) -> Array:
        """Return what the block before left."""
        return self.m[f"{name}{self.block - 1}"]

    def of_head(self, *names: str) -> Array:
        """Return the first of these that there is."""
        return next(a for a in map(self.find, names) if a is not None)

    K = property(lambda s: s.find_compared("K"))
    Q = property(lambda s: s.find_compared("Q"))
    V = property(lambda s: s.of_head("V_all", "V", "X"))
    S = property(lambda s: s.of_head("S", "logits"))
    A = property(lambda s: s.powers if s.name == "o" else s.of_head("A", "p"))
    powers = property(lambda s: s.of_head("powers"))
    sums = property(lambda s: s.of_head("sums"))
    x = property(lambda s: s.of_head("shifted", "masked", "tempered", "biased", "scaled", "S", "logits"))
    unshifted = property(lambda s: s.of_head("masked", "tempered", "biased", "scaled", "S", "logits"))
    unmasked = property(lambda s: s.of_head("tempered", "biased", "scaled", "S", "logits"))
    untempered = property(lambda s: s.of_head("biased", "scaled", "S", "logits"))
    near = property(lambda s: s.of_head("scaled", "S"))
    tokens = property(lambda s: s.m["N1"] if s.problem.variant.is_normed_before else s.m.get("X"))
    m_now = property(lambda s: s.of_head("m"))
    l_now = property(lambda s: s.of_head("l"))
    o_now = property(lambda s: s.of_head("o"))
    f = property(lambda s: s.of_head("f"))
    memory = property(lambda s: s.m.get("M", s.tokens))

    def find_compared(self, name: str) -> Array:
        """Return keys or queries as they are compared: turned where they are, or the tokens themselves."""
        return self.of_head(f"{name}_all", f"{name}_turned", name, "X")

    def lose(self, slope: int, *, is_unsigned: bool = False) -> Array:
        """Return scores less so many times the distance of their key."""
        keys, queries = np.indices(self.near.shape)
        distances = queries + (self.problem.variant.cache or 0) - keys
        return self.near - slope * (abs(distances) if is_unsigned else distances)

    @property
    def slope(self) -> int:
        return int(self.head[1:-1] or 1)

    @property
    def new(self) -> Array:
        """Return what is appended: the new token's key, turned where it is, or value."""
        return self.of_head("K_turned", "K") if self.name == "K_all" else self.of_head("V")

    @property
    def kept(self) -> Array:
        return self.of_head(f"{self.name[0]}_cache")

    def find_weights(self) -> Array:
        """Return what a stage multiplies by."""
        return self.find(WEIGHTS[self.name])

    def find_tokens(self) -> Array:
        """Return what a stage multiplies."""
        if self.name == "F1":
            is_after = self.problem.variant.norm_place == "after"
            return next(self.m[name] for name in ("N1" if is_after else "N2", "R1", "output", "Z") if name in self.m)
        if self.name == "output":
            return self.m["concat" if "concat" in self.m else "Z"]
        if self.name == "logits":
            return self.read_out
        return {"Q": self.tokens, "F2": self.m.get("relu1")}.get(self.name, self.memory)

    W, X = property(find_weights), property(find_tokens)

    @property
    def b(self) -> Array:
        return {"F1": self.m.get("b_1"), "F2": self.m.get("b_2")}.get(self.name)

    @property
    def factors(self) -> tuple[Array, Array]:
        if self.name in GRADIENTS:
            return tuple(change(self.of_head(*names.split())) for names, change in GRADIENTS[self.name])
        match self.name:
            case "S":
                return self.K, self.Q
            case "Z":
                return self.V, self.A
            case "o":
                return self.V, self.powers
            case _:
                return self.W, self.X

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

    def add_block(self) -> Array:
        """Return what this block alone adds to the sum, or to the mixture."""
        return self.powers.sum(axis=0)[np.newaxis] if self.name == "l" else self.V @ self.powers

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

    @property
    def share_of_target(self) -> Array:
        """What the words have that came."""
        return (self.A * self.m["y"]).sum(axis=0)[np.newaxis]

    @property
    def read_out(self) -> Array:
        """What W_U reads: z, or what the last norm made."""
        return self.m["N3"] if "N3" in self.m else self.m["z"]

    def learn(self, rate: Fraction) -> Array:
        """The rows of the word that came and of the likeliest other, or all logits, after a step by that rate."""
        if self.name == "W_U_new":
            step = _like_all(self.m["g"] @ self.read_out.T, rate)
            return np.asarray((self.m["W_U"] - step)[[word - 1 for word in self.problem.moved]])
        return self.nearest(self.m["logits"] - _like_all(self.m["g"] * self.m["zz"], rate))

    @property
    def rate(self) -> Fraction:
        """By how much of its gradient W_U is changed."""
        return Fraction(self.problem.variant.learning_rate or 1)

    def log(self, a: Array) -> Array:
        if (a <= 0).any():
            raise ZeroDivisionError
        return change_cells(lambda x: math.log(x) / math.log(self.base), a)

    @property
    def likeliest(self) -> Array:
        """What is left of the likeliest words, as many as are kept and those that are as likely as the last."""
        assert self.problem.variant.top_k is not None
        least = np.sort(self.A, axis=0)[-self.problem.variant.top_k]
        return choose_cells(least > self.A, Fraction(0), self.A)

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
            steps = way * (token + (self.problem.variant.cache or 0)) + first
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

    def pass_back(self, dS: Array) -> Array:
        """Scale without rounding."""
        return dS / Fraction(2) if self.rules.is_rounded_down else self.scale(dS)

    def raise_to(self, x: Array, base: Any = None) -> Array:
        base = self.base if base is None else base

        def power(exponent: Any) -> Any:
            if exponent == -math.inf:
                return Fraction(0)
            whole = isinstance(exponent, int | Fraction) and exponent == int(exponent) and base != math.e
            return Fraction(base) ** int(exponent) if whole else float(base) ** float(exponent)

        return change_cells(power, x)

    @property
    def is_whole(self) -> bool:
        """Say whether tokens are kept whole."""
        return self.rules.base.whole is not None

    def nearest(self, a: Array) -> Array:
        """Round halves away from zero, where tokens are kept whole."""
        if not self.is_whole:
            return a
        return change_cells(lambda x: Fraction((1 if x > 0 else -1) * math.floor(abs(x) + Fraction(1, 2))), a)

    def take_root(self, a: Array) -> Array:
        """Take roots, whole ones from 1 on where tokens are kept whole."""
        if not self.is_whole:
            return change_cells(math.sqrt, a)
        return change_cells(lambda x: next(r for r in range(1, 10**6 * (x >= 0)) if x < (r + Fraction(1, 2)) ** 2), a)

    @property
    def stream(self) -> Array:
        """What is added to at a residual."""
        is_after = self.problem.variant.norm_place == "after"
        return self.m["X"] if self.name == "R1" else self.m["N1"] if is_after else self.m["R1"]

    @property
    def added(self) -> Array:
        """What is added there."""
        return self.m["output" if self.name == "R1" else "F2"]

    @property
    def normed(self) -> Array:
        """What is normalised at a norm."""
        number = self.name[-1]
        if self.problem.variant.norm_place == "after":
            return self.m["R" + number]
        if number == "3":
            return self.m["R2"]
        return self.m["X"] if number == "1" else next(self.m[name] for name in ("R1", "output", "Z") if name in self.m)

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


GRADIENTS: Mapping[str, Sequence[tuple[str, Callable[[Array], Array]]]] = {
    "dA": (("V", np.transpose), ("g", np.array)),
    "dq": (("K", np.array), ("dS_scaled dS", np.array)),
    "dK": (("Q", np.array), ("dS_scaled dS", np.transpose)),
    "dV": (("g", np.array), ("A", np.transpose)),
}
"""What products on the way back multiply, the first that there is, as they are multiplied."""


def _like_all(a: Array, factor: Fraction) -> Array:
    """Multiply every cell by a fraction, in the kind of number that it is."""
    return change_cells(lambda x: x * _like(x, factor), a)


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
    "appended": lambda s: np.hstack((s.kept, s.new)),
    "biased": lambda s: s.lose(s.slope),
    "scores": lambda s: s.K.T @ s.Q,
    **dict.fromkeys(
        (f"gradient_{name}" for name in ("weights", "queries", "keys", "values")),
        lambda s: s.factors[0] @ s.factors[1],
    ),
    "gradient_mean": lambda s: (s.A * s.m["dA"]).sum(axis=0)[np.newaxis],
    "gradient_scores": lambda s: s.A * s.m["dA"] - s.A * s.m["d"],
    "gradient_scaled": lambda s: s.pass_back(s.m["dS"]),
    "logits": lambda s: s.W @ s.X,
    "kept": lambda s: s.likeliest,
    "kept_sums": lambda s: s.m["kept"].sum(axis=0)[np.newaxis],
    "kept_weights": lambda s: s.m["kept"] / s.m["sums_k"],
    "loss": lambda s: -s.log(s.share_of_target),
    "gradient": lambda s: s.A - s.m["y"],
    "squared_length": lambda s: (s.read_out**2).sum(axis=0)[np.newaxis],
    **dict.fromkeys(("new_rows", "new_logits"), lambda s: s.learn(s.rate)),
    "new_powers": lambda s: s.raise_to(s.m["logits_new"]),
    "new_sums": lambda s: s.m["powers_new"].sum(axis=0)[np.newaxis],
    "new_shares": lambda s: s.m["powers_new"] / s.m["sums_new"],
    "new_loss": lambda s: -s.log((s.m["p_new"] * s.m["y"]).sum(axis=0)[np.newaxis]),
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
    "residual": lambda s: s.nearest(s.stream + s.added),
    "squares": lambda s: (s.normed**2).sum(axis=0)[np.newaxis] / Fraction(len(s.normed)),
    "root": lambda s: s.take_root(s.m["squares" + s.name[-1]]),
    "normed": lambda s: s.nearest(s.normed / s.m["r" + s.name[-1]]),
    "largest": lambda s: s.x.max(axis=0)[np.newaxis],
    "largest_so_far": lambda s: np.vstack((s.before("m"), s.x)).max(axis=0)[np.newaxis],
    "rescaling": lambda s: s.raise_to(s.before("m") - s.m_now),
    "block_powers": lambda s: s.raise_to(s.x - s.m_now),
    "block_sums": lambda s: s.powers.sum(axis=0)[np.newaxis],
    "running_sums": lambda s: s.f * s.before("l") + s.powers.sum(axis=0)[np.newaxis],
    "block_outputs": lambda s: s.V @ s.powers,
    "running_outputs": lambda s: s.f * s.before("o") + s.V @ s.powers,
    "divided": lambda s: s.o_now / s.l_now,
}
"""What stages give, by topic."""

WRONG: Mapping[str, Callable[[At], Array]] = {
    "not-shared-anew": lambda s: s.m["kept"],
    "log-not-negated": lambda s: s.log(s.share_of_target),
    "loss-of-favourite": lambda s: -s.log(s.A.max(axis=0)[np.newaxis]),
    "loss-without-log": lambda s: 1 - s.share_of_target,
    "target-less-share": lambda s: s.m["y"] - s.A,
    "target-forgotten": lambda s: s.A,
    "step-uphill": lambda s: s.learn(-s.rate),
    "rate-forgotten": lambda s: s.learn(Fraction(1)),
    "turn-forgotten": lambda s: s.unturned,
    "turn-other-way": lambda s: s.turn(-1),
    "turn-from-one": lambda s: s.turn(1, 1),
    "new-first": lambda s: np.hstack((s.new, s.kept)),
    "query-appended": lambda s: np.hstack((s.kept, s.Q)) if s.name == "K_all" and s.find("Q") is not None else None,
    "distance-forgotten": lambda s: s.near,
    "distance-added": lambda s: s.lose(-s.slope),
    "distance-unsigned": lambda s: s.lose(s.slope, is_unsigned=True),
    "slope-forgotten": lambda s: s.lose(1) if s.slope > 1 else None,
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
    "projections-skipped": lambda s: s.memory.T @ s.tokens if s.find("K") is not None and "X" in s.m else None,
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
    "mask-turned": lambda s: (
        None
        if not s.problem.variant.padding
        else s.hide(s.unmasked.T, window=s.window).T
        if s.unmasked.shape[1] > 1
        else s.unmasked  # there is no second query to be hidden
    ),
    "not-shifted": lambda s: s.raise_to(s.x) if s.block else s.unshifted,
    "largest-not-updated": lambda s: s.before("m"),
    "factor-turned-round": lambda s: s.raise_to(s.m_now - s.before("m")),
    "factor-forgotten": lambda s: s.before(s.name) + s.add_block(),
    "blocks-before-forgotten": lambda s: s.add_block(),
    "over-last-block": lambda s: s.o_now / s.powers.sum(axis=0)[np.newaxis],
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
    "other-axis": lambda s: share_out(s.powers, s.powers.sum(axis=1)[:, np.newaxis] + s.nobody),
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
    "residual-forgotten": lambda s: s.nearest(s.added),
    "sum-rounded-down": lambda s: change_cells(math.floor, s.stream + s.added) if s.is_whole else None,
    "sum-for-mean": lambda s: (s.normed**2).sum(axis=0)[np.newaxis],
    "root-forgotten": lambda s: s.m["squares" + s.name[-1]],
    "quotient-rounded-down": lambda s: (
        change_cells(math.floor, s.normed / s.m["r" + s.name[-1]]) if s.is_whole else None
    ),
    "over-largest-number": lambda s: s.nearest(s.normed / abs(s.normed).max(axis=0)),
    "negative-result-zero": lambda s: choose_cells(s.right < 0, Fraction(0), s.right),
    "rounded-early": lambda s: s.rounded / s.rounded.sum(axis=0),
    "output-for-gradient": lambda s: s.V.T @ s.m["Z"],
    "plain-gradient-mean": lambda s: s.m["dA"].sum(axis=0)[np.newaxis] / Fraction(len(s.m["dA"])),
    "gradient-mean-forgotten": lambda s: s.A * s.m["dA"],
    "gradient-weighted-early": lambda s: s.A * s.m["dA"] - s.m["d"],
    "gradient-turned": lambda s: s.A * (s.m["d"] - s.m["dA"]),
    "gradient-not-scaled": lambda s: s.m["dS"],
    "gradient-rounded": lambda s: s.scale(s.m["dS"]) if s.rules.is_rounded_down else None,
}
"""What slips give; None where one cannot happen."""


NOT_IN_BLOCKS = ("projections-skipped", "inputs-for-values")
"""What reads tokens, where a sheet begins with queries, keys and values."""


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
    except (ZeroDivisionError, StopIteration, ValueError):  # a root of what is negative
        right = None
    if at.block and slip in NOT_IN_BLOCKS:
        return None, True
    at.right = right
    try:
        wrong = WRONG[slip](at)
    except (ZeroDivisionError, ValueError):  # of two matrices that do not fit one another
        return None, True
    if wrong is None:
        return None, True
    if right is not None and wrong.shape != right.shape:
        return (wrong, True) if slip in OF_ANOTHER_SHAPE else (None, True)
    if slip == "one-hot" and any(map(is_nearly_tied, at.powers.T)):  # no float tells which of them is the largest
        return None, False
    if slip == "residual-forgotten" and any(map(is_nearly_half, at.added.flat)):  # nor on which side of it that is
        return None, False
    is_exact = not any(isinstance(x, float) and x > -math.inf for a in (wrong, right) if a is not None for x in a.flat)
    if slip in ("scores-transposed", "weights-A-transposed", "truncated"):  # what would be the same is no such slip
        like = {
            "scores-transposed": lambda: right,
            "weights-A-transposed": lambda: at.A,
            "truncated": lambda: at.S,
        }[slip]()
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


def is_nearly_tied(powers: Array) -> bool:
    """Say whether the two largest of irrational powers are the same, or may be but for rounding."""
    *_, second, first = sorted(powers)
    return isinstance(first, float) and math.isclose(first, second, rel_tol=1e-12)


def is_nearly_half(value: Any) -> bool:
    """Say whether an irrational number is halfway between two whole ones, or may be but for rounding."""
    return isinstance(value, float) and math.isclose(value % 1, 0.5, rel_tol=1e-12)


def are_near(found: Number, expected: Any) -> bool:
    """Say whether two numbers are the same, irrational ones to nine digits."""
    if isinstance(expected, float) or isinstance(found, Decimal):
        return math.isclose(found, expected, rel_tol=1e-9, abs_tol=1e-9)
    return bool(found == expected)
