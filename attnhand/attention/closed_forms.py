"""What every stage must give, in closed form: the second route to every key, which reads no formula.

Each is written down anew in numpy, by other means where there are some: the softmax as one stable formula instead of
powers, sums and a division. A mechanism's closed form names its stages by what they are called in one head.
"""

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from attnhand.attention.arithmetic import Arithmetic, ScaleRule
from attnhand.attention.mechanisms.embedding import list_vocabulary
from attnhand.attention.problem import Problem

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Matrices:
    """All matrices of a problem as one stage sees them, tokens as columns: ``m.Q`` is its head's Q, ``m.X`` all's X."""

    problem: Problem
    arithmetic: Arithmetic
    values: Mapping[str, Array]
    prefixes: Sequence[str] = ()
    """What stands before the names of its head's matrices, and of those that its head shares with some others."""

    replaced: Collection[str] = ()
    """Names of stages whose values somebody wrote: nothing is known of where they come from."""

    def __getattr__(self, name: str) -> Array:
        try:
            return self.values[next(own for own in self._list_names(name) if own in self.values)]
        except StopIteration:
            raise AttributeError(name) from None

    def _list_names(self, name: str) -> tuple[str, ...]:
        return *(f"{prefix}{name}" for prefix in self.prefixes), name

    def __contains__(self, name: str) -> bool:
        return any(own in self.values for own in self._list_names(name))

    def is_replaced(self, name: str) -> bool:
        """Say whether somebody wrote the values of a stage."""
        return any(own in self.replaced for own in self._list_names(name))

    @property
    def memory(self) -> Array:
        """What keys and values come from."""
        return self.M if "M" in self else self.X

    @property
    def exponents(self) -> Array:
        """What the softmax raises to powers."""
        return next(self.__getattr__(name) for name in ("shifted", "masked", "scaled", "S") if name in self)

    @property
    def absolute(self) -> "Matrices":
        """The same without signs: how large the numbers are that are added up."""
        return replace(self, values={name: np.abs(a) for name, a in self.values.items()})


ClosedForm = Mapping[str, Callable[[Matrices], Array]]


def _divide_by_root(m: Matrices) -> Array:
    """Multiply by the inverse; what is rounded down is proved exactly instead."""
    rules = m.arithmetic.rules
    if rules.scale is ScaleRule.SQRT:
        return m.S * math.pow(m.arithmetic.d_k, -0.5)
    return m.S if rules.divisor is None else m.S * (1.0 / rules.divisor)


def _hide(m: Matrices) -> Array:
    """Hide what stands below the diagonal, and above the last one that the window reaches, by triangles of ones.

    So are whole rows hidden, keys that are padding, and what is 0 in a mask of the problem's own.
    """
    scores = m.scaled if "scaled" in m else m.S
    variant = m.problem.variant
    hidden = np.tri(len(scores), k=-1) if variant.is_causal else np.zeros(scores.shape)
    if variant.window is not None:
        hidden = hidden + np.tri(len(scores), k=-variant.window).T
    hidden[[key - 1 for key in variant.padding]] = 1
    if "mask" in m:
        hidden = hidden + (1 - m.mask)
    return np.where(hidden.astype(bool), -np.inf, scores)


def _shift(m: Matrices) -> Array:
    """Add the smallest of what is left where signs are turned."""
    scores = next(m.__getattr__(name) for name in ("masked", "scaled", "S") if name in m)
    return np.asarray(scores + np.min(-scores, axis=0))


def _raise(m: Matrices) -> Array:
    """Raise 2 to the exponent times log₂ of the base."""
    return np.asarray(np.exp2(m.exponents * (m.arithmetic.log_base / math.log(2.0))))


def _turn(m: Matrices, a: Array) -> Array:
    """Take pairs of numbers for complex ones, and multiply them by i, or e to the power of i·angle, once a place."""
    step: complex | NDArray[np.complex128] = 1j
    if m.problem.variant.has_radians:
        step = np.exp(1j * np.geomspace(1, 10_000, len(a) // 2, endpoint=False) ** -1.0)[:, np.newaxis]
    turned = (a[0::2] + 1j * a[1::2]) * step ** np.arange(a.shape[1])
    return np.stack((turned.real, turned.imag), axis=1).reshape(a.shape)


def _compare(m: Matrices) -> Array:
    """Compare every key with every query, turned where they are."""
    return np.asarray(m.K_turned.T @ m.Q_turned if "K_turned" in m else m.K.T @ m.Q)


def _share_out(m: Matrices) -> Array:
    """Take the softmax as one stable formula; powers that somebody wrote are divided by their sum."""
    if m.problem.variant.has_plain_shares:
        return np.asarray(m.exponents @ np.diag(1.0 / m.exponents.sum(axis=0)))
    shares = m.powers
    if not m.is_replaced("powers") and "powers" not in m.problem.variant.begins_with:
        logs = m.exponents * m.arithmetic.log_base
        shares = np.exp(logs - logs.max(axis=0))
    return np.asarray(shares / shares.sum(axis=0))


def _look_up(m: Matrices) -> Array:
    words = m.problem.variant.embedded_words
    vocabulary = list_vocabulary(words)
    return np.take(m.embedding, [vocabulary.index(word) for word in words], axis=1)


def _make_waves(m: Matrices) -> Array:
    """Take e to the power of i·angle, its imaginary and its real part in turn: sines and cosines in columns."""
    features, tokens = m.problem.sizes["features"], m.problem.sizes["tokens"]
    pairs = np.arange((features + 1) // 2)
    angles = np.outer(10_000.0 ** (-2 * pairs / features), np.arange(tokens))
    rotations = np.exp(1j * angles)
    waves = np.stack((rotations.imag, rotations.real), axis=1).reshape(-1, tokens)[:features]
    return np.rint(waves) if m.arithmetic.has_rounded_positions else waves


def _join_heads(m: Matrices) -> Array:
    return np.concatenate([m.values[f"h{head}.Z"] for head in range(1, m.problem.variant.head_count + 1)])


WORDS: ClosedForm = {
    "E": _look_up,
    "P": _make_waves,
    "X": lambda m: m.E + m.P if "E" in m else _look_up(m),
}

SOFTMAX: ClosedForm = {
    "scaled": _divide_by_root,
    "masked": _hide,
    "shifted": _shift,
    "powers": _raise,
    "sums": lambda m: np.flip(np.flip(m.powers if "powers" in m else m.exponents).sum(axis=0, keepdims=True)),
    "A": _share_out,
}

ATTENTION: ClosedForm = {
    **WORDS,
    "Q": lambda m: np.einsum("rf,fq->rq", m.W_Q, m.X) + (m.b_Q if "b_Q" in m else 0),
    "K": lambda m: np.einsum("rf,fk->rk", m.W_K, m.memory) + (m.b_K if "b_K" in m else 0),
    "V": lambda m: np.einsum("vf,fk->vk", m.W_V, m.memory) + (m.b_V if "b_V" in m else 0),
    "Q_turned": lambda m: _turn(m, m.Q),
    "K_turned": lambda m: _turn(m, m.K),
    "S": _compare,
    **SOFTMAX,
    "Z": lambda m: m.V @ m.A,
}


def _differentiate_softmax(m: Matrices) -> Array:
    """Multiply by the Jacobian of the softmax, diag(a) − a aᵀ, query by query."""
    columns = zip(m.A.T, m.dA.T, strict=True)
    return np.stack([(np.diag(a) - np.outer(a, a)) @ by_weights for a, by_weights in columns], axis=1)


def _divide_gradient(m: Matrices) -> Array:
    """Multiply by the inverse of what scores are divided by."""
    rules = m.arithmetic.rules
    divisor = math.sqrt(m.arithmetic.d_k) if rules.divisor is None else rules.divisor
    return np.asarray(m.dS * (1.0 / divisor))


def _get_score_gradient(m: Matrices) -> Array:
    return m.dS_scaled if "dS_scaled" in m else m.dS


SEVERAL_HEADS: ClosedForm = {**ATTENTION, "concat": _join_heads, "output": lambda m: m.W_O @ m.concat}

CLOSED_FORMS: dict[str, ClosedForm] = {
    "self": ATTENTION,
    "basic": {**WORDS, "S": lambda m: m.X.T @ m.X, **SOFTMAX, "Z": lambda m: m.X @ m.A},
    "cross": ATTENTION,
    "multi-head": SEVERAL_HEADS,
    "block": {
        **SEVERAL_HEADS,
        "F1": lambda m: m.W_1 @ (m.output if "output" in m else m.Z) + m.b_1,
        "relu1": lambda m: m.F1 * (m.F1 > 0),
        "F2": lambda m: m.W_2 @ m.relu1 + m.b_2,
        "relu2": lambda m: m.F2 * (m.F2 > 0),
    },
    "backward": {
        "S": _compare,
        **SOFTMAX,
        "Z": lambda m: m.V @ m.A,
        "dA": lambda m: np.einsum("vk,vq->kq", m.V, m.g),
        "d": lambda m: np.diag(m.g.T @ m.V @ m.A)[np.newaxis],
        "dS": _differentiate_softmax,
        "dS_scaled": _divide_gradient,
        "dq": lambda m: np.einsum("rk,kq->rq", m.K, _get_score_gradient(m)),
        "dK": lambda m: np.einsum("rq,kq->rk", m.Q, _get_score_gradient(m)),
        "dV": lambda m: np.einsum("vq,kq->vk", m.g, m.A),
    },
}
"""By mechanism."""
