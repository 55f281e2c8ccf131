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
from attnhand.attention.mechanisms.settings import NormPlace
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

    head: int = 0
    """Which head it belongs to, from 1; 0 for none."""

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
        return self.M if "M" in self else self.tokens

    @property
    def tokens(self) -> Array:
        """What queries come from."""
        return self.N1 if self.problem.variant.is_normed_before else self.X

    @property
    def after_attention(self) -> Array:
        """What attention gave a token, or what that makes with the token it is added to."""
        return next(self.__getattr__(name) for name in ("R1", "output", "Z") if name in self)

    @property
    def stream(self) -> Array:
        """What the network's layer is added to, and reads where nothing is normalised before it."""
        return self.N1 if self.problem.variant.norm_place is NormPlace.AFTER else self.after_attention

    @property
    def exponents(self) -> Array:
        """What the softmax raises to powers."""
        names = ("shifted", "masked", "tempered", "biased", "scaled", "S", "logits")
        return next(self.__getattr__(name) for name in names if name in self)

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


def _find_maskable(m: Matrices) -> Array:
    """Return what a mask is put on."""
    return next(m.__getattr__(name) for name in ("tempered", "biased", "scaled", "S", "logits") if name in m)


def _temper(m: Matrices) -> Array:
    """Multiply by the inverse; what is rounded down is proved exactly instead."""
    assert m.problem.variant.temperature is not None
    scores = next(m.__getattr__(name) for name in ("biased", "scaled", "S", "logits") if name in m)
    return np.asarray(scores * float(1 / m.problem.variant.temperature))


def _lose_by_distance(m: Matrices) -> Array:
    """Add triangles of ones: each of those above the diagonal that a key is in takes the slope, each below gives it."""
    scores = m.scaled if "scaled" in m else m.S
    ones = np.ones((len(scores), len(scores)))
    steps = sum((np.tril(ones, -at) - np.triu(ones, at) for at in range(1, len(scores))), np.zeros_like(ones))
    return np.asarray(scores + max(m.head, 1) * steps[:, -scores.shape[1] :])  # after those that are kept


def _hide(m: Matrices) -> Array:
    """Hide what stands below the diagonal, and above the last one that the window reaches, by triangles of ones.

    So are whole rows hidden, keys that are padding, and what is 0 in a mask of the problem's own.
    """
    scores = _find_maskable(m)
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
    scores = m.masked if "masked" in m else _find_maskable(m)
    return np.asarray(scores + np.min(-scores, axis=0))


def _raise(m: Matrices) -> Array:
    """Raise 2 to the exponent times log₂ of the base."""
    return np.asarray(np.exp2(m.exponents * (m.arithmetic.log_base / math.log(2.0))))


def _turn(m: Matrices, a: Array) -> Array:
    """Take pairs of numbers for complex ones, and multiply them by i, or e to the power of i·angle, once a place."""
    step: complex | NDArray[np.complex128] = 1j
    if m.problem.variant.has_radians:
        step = np.exp(1j * np.geomspace(1, 10_000, len(a) // 2, endpoint=False) ** -1.0)[:, np.newaxis]
    turned = (a[0::2] + 1j * a[1::2]) * step ** (np.arange(a.shape[1]) + (m.problem.variant.cache or 0))
    return np.stack((turned.real, turned.imag), axis=1).reshape(a.shape)


def _keep(m: Matrices) -> Array:
    """Put to 0 all that lies below the smallest of the largest."""
    assert m.problem.variant.top_k is not None
    return np.where(m.p >= np.sort(m.p, axis=0)[-m.problem.variant.top_k] * (1 - 1e-12), m.p, 0.0)


def _be_surprised(m: Matrices) -> Array:
    """Take how often a share must be halved to be that of the word that came, in halvings that make the base."""
    halvings = -np.log2(np.max(np.where(m.y > 0, m.p, 0.0), axis=0, keepdims=True))
    return np.asarray(halvings * (math.log(2.0) / m.arithmetic.log_base))


def _compare(m: Matrices) -> Array:
    """Compare every key with every query, turned where they are."""
    keys = next(m.__getattr__(name) for name in ("K_all", "K_turned", "K") if name in m)
    return np.asarray(keys.T @ (m.Q_turned if "Q_turned" in m else m.Q))


def _append(kept: Array, new: Array) -> Array:
    """Put the new token's column behind those that are kept, each in its place of a wider matrix."""
    count = kept.shape[1]
    return kept @ np.eye(count, count + 1) + new @ np.eye(1, count + 1, count)


def _add_up(m: Matrices) -> Array:
    """Add from the end; with the power of a sink, where there is one."""
    total = np.flip(np.flip(m.powers if "powers" in m else m.exponents).sum(axis=0, keepdims=True))
    sink = m.problem.variant.sink
    return np.asarray(total if sink is None else total + math.exp(sink * m.arithmetic.log_base))


def _share_out(m: Matrices) -> Array:
    """Take the softmax as one stable formula; powers that somebody wrote are divided by their sum.

    A sink is one key more, of which no share is kept.
    """
    if m.problem.variant.has_plain_shares:
        return np.asarray(m.exponents @ np.diag(1.0 / m.exponents.sum(axis=0)))
    shares, sink = m.powers, m.problem.variant.sink
    if m.is_replaced("powers") or "powers" in m.problem.variant.begins_with:
        extra = [] if sink is None else [np.full_like(shares[0], math.exp(sink * m.arithmetic.log_base))]
        return np.asarray(shares / np.vstack([shares, *extra]).sum(axis=0))
    extra = [] if sink is None else [np.full_like(m.exponents[0], sink)]
    logs = np.vstack([m.exponents, *extra]) * m.arithmetic.log_base
    everything = np.exp(logs - logs.max(axis=0))
    return np.asarray(everything[: len(m.exponents)] / everything.sum(axis=0))


def _look_up(m: Matrices) -> Array:
    words = m.problem.variant.embedded_words
    vocabulary = m.problem.variant.vocabulary
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
    "tempered": _temper,
    "biased": _lose_by_distance,
    "masked": _hide,
    "shifted": _shift,
    "powers": _raise,
    "sums": _add_up,
    "A": _share_out,
}

ATTENTION: ClosedForm = {
    **WORDS,
    "Q": lambda m: np.einsum("rf,fq->rq", m.W_Q, m.tokens) + (m.b_Q if "b_Q" in m else 0),
    "K": lambda m: np.einsum("rf,fk->rk", m.W_K, m.memory) + (m.b_K if "b_K" in m else 0),
    "V": lambda m: np.einsum("vf,fk->vk", m.W_V, m.memory) + (m.b_V if "b_V" in m else 0),
    "Q_turned": lambda m: _turn(m, m.Q),
    "K_turned": lambda m: _turn(m, m.K),
    "K_all": lambda m: _append(m.K_cache, m.K_turned if "K_turned" in m else m.K),
    "V_all": lambda m: _append(m.V_cache, m.V),
    "S": _compare,
    **SOFTMAX,
    "Z": lambda m: (m.V_all if "V_all" in m else m.V) @ m.A,
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


def _take_mean_of_squares(a: Array) -> Array:
    """Take the diagonal of every column times every column."""
    return np.asarray([np.diag(a.T @ a) / len(a)])


def _find_normed(m: Matrices, number: int) -> Array:
    """Return what is normalised in the first layer, or in the second; in the third what is read out."""
    if m.problem.variant.is_normed_before:
        return m.X if number == 1 else m.after_attention if number == 2 else m.R2
    return m.R1 if number == 1 else m.R2


def _norm(number: int) -> ClosedForm:
    """Return the steps of a norm, its root from the mean and what is normalised by that."""
    return {
        f"squares{number}": lambda m: _take_mean_of_squares(_find_normed(m, number)),
        f"r{number}": lambda m: np.sqrt(m.__getattr__(f"squares{number}")),
        f"N{number}": lambda m: np.divide(_find_normed(m, number), m.__getattr__(f"r{number}")),
    }


NORMED_AND_ADDED: ClosedForm = {
    "R1": lambda m: m.X + m.output,
    "R2": lambda m: m.stream + (m.relu2 if "relu2" in m else m.F2),
    **{name: compute for number in (1, 2, 3) for name, compute in _norm(number).items()},
    "logits": lambda m: np.einsum("wf,fq->wq", m.W_U, m.N3),
}
"""None of them rounded: how they are rounded by hand is proved exactly."""


def _take_block(m: Matrices, name: str, block: int) -> Array:
    """Return the matrix of a block; of several together their columns or rows side by side."""
    return m.__getattr__(f"{name}{block}")


def _list_exponents(m: Matrices, block: int) -> list[Array]:
    """Return what is raised to powers, block by block as far as this one."""
    name = "scaled" if "scaled1" in m else "S"
    return [_take_block(m, name, each) for each in range(1, block + 1)]


def _scale_block(block: int) -> Callable[[Matrices], Array]:
    return lambda m: _divide_by_root(replace(m, values={**m.values, "S": _take_block(m, "S", block)}))


def _find_largest_so_far(block: int) -> Callable[[Matrices], Array]:
    """Sort all scores so far, and take the last; what somebody wrote of the block before counts with them."""

    def compute(m: Matrices) -> Array:
        seen = _list_exponents(m, block)
        if block > 1:
            seen = [_take_block(m, "m", block - 1), seen[-1]]
        return np.sort(np.concatenate(seen), axis=0)[-1:]

    return compute


def _raise_block(block: int) -> Callable[[Matrices], Array]:
    def compute(m: Matrices) -> Array:
        logs = (_list_exponents(m, block)[-1] - _take_block(m, "m", block)) * m.arithmetic.log_base
        return np.asarray(np.exp2(logs / math.log(2.0)))

    return compute


def _rescale(block: int) -> Callable[[Matrices], Array]:
    """Divide one power by the other."""

    def compute(m: Matrices) -> Array:
        after, before = (np.exp(_take_block(m, "m", each) * m.arithmetic.log_base) for each in (block, block - 1))
        return np.asarray(before / after)

    return compute


def _carry(name: str, block: int) -> Callable[[Matrices], Array]:
    """Put what was carried so far beside what the block adds, and multiply both by one matrix."""

    def compute(m: Matrices) -> Array:
        powers = _take_block(m, "powers", block)
        added = _take_block(m, "V", block) if name == "o" else np.ones((1, len(powers)))
        if block == 1:
            return np.asarray(added @ powers)
        queries = []
        for query in range(powers.shape[1]):
            before = _take_block(m, name, block - 1)[:, [query]]
            weights = np.concatenate((_take_block(m, "f", block)[0, [query]], powers[:, query]))
            queries.append(np.hstack((before, added)) @ weights)
        return np.column_stack(queries)

    return compute


def _attend_at_once(m: Matrices) -> Array:
    """Take the ordinary softmax of all scores together: that it gives the same is what the blocks are there to show.

    Where somebody wrote a stage, only the last division is left.
    """
    count = m.problem.variant.blocks
    if m.replaced or m.problem.variant.begins_with:
        return np.asarray(_take_block(m, "o", count) @ np.diag(1.0 / _take_block(m, "l", count)[0]))
    logs = np.concatenate(_list_exponents(m, count)) * m.arithmetic.log_base
    shares = np.exp(logs - logs.max(axis=0))
    values = np.hstack([_take_block(m, "V", block) for block in range(1, count + 1)])
    return np.asarray(values @ (shares / shares.sum(axis=0)))


def _list_block(block: int) -> ClosedForm:
    return {
        f"S{block}": lambda m: _take_block(m, "K", block).T @ m.Q,
        f"scaled{block}": _scale_block(block),
        f"m{block}": _find_largest_so_far(block),
        f"f{block}": _rescale(block),
        f"powers{block}": _raise_block(block),
        f"l{block}": _carry("l", block),
        f"o{block}": _carry("o", block),
    }


ONLINE: ClosedForm = {
    **{name: compute for block in range(1, 5) for name, compute in _list_block(block).items()},
    "Z": _attend_at_once,
}


def _get_read(m: Matrices) -> Array:
    """Return what is read out by W_U."""
    return m.z if m.problem.variant.norm is None else m.N3


def _learn(m: Matrices) -> Array:
    """Take the whole step of W_U: not that of two of its rows, and no length of z."""
    rate = m.problem.variant.learning_rate
    assert rate is not None
    return np.asarray(m.g @ _get_read(m).T * -rate.numerator / rate.denominator)


def _share_out_new(m: Matrices) -> Array:
    if "powers_new" in m.problem.variant.begins_with:
        return np.asarray(m.powers_new @ np.diag(1.0 / m.powers_new.sum(axis=0)))
    logs = m.logits_new * m.arithmetic.log_base
    everything = np.exp(logs - logs.max(axis=0))
    return np.asarray(everything / everything.sum(axis=0))


LEARNED: ClosedForm = {
    "zz": lambda m: np.linalg.norm(_get_read(m), axis=0, keepdims=True) ** 2,
    "W_U_new": lambda m: (m.W_U + _learn(m))[[word - 1 for word in m.problem.moved]],
    "logits_new": lambda m: m.logits + _learn(m) @ _get_read(m),
    "powers_new": lambda m: np.exp(m.logits_new * m.arithmetic.log_base),
    "sums_new": lambda m: m.powers_new.T.sum(axis=1, keepdims=True).T,
    "p_new": _share_out_new,
    "loss_new": lambda m: -np.log(np.sum(m.p_new * m.y, axis=0, keepdims=True)) / m.arithmetic.log_base,
}
"""None of them rounded: how logits are rounded by hand is proved exactly."""


CLOSED_FORMS: dict[str, ClosedForm] = {
    "self": ATTENTION,
    "basic": {**WORDS, "S": lambda m: m.X.T @ m.X, **SOFTMAX, "Z": lambda m: m.X @ m.A},
    "cross": ATTENTION,
    "multi-head": SEVERAL_HEADS,
    "block": {
        **SEVERAL_HEADS,
        **NORMED_AND_ADDED,
        "output": lambda m: m.W_O @ (m.concat if "concat" in m else m.Z),
        "F1": lambda m: m.W_1 @ (m.N2 if m.problem.variant.is_normed_before else m.stream) + m.b_1,
        "relu1": lambda m: m.F1 * (m.F1 > 0),
        "F2": lambda m: m.W_2 @ m.relu1 + m.b_2,
        "relu2": lambda m: m.F2 * (m.F2 > 0),
    },
    "online": ONLINE,
    "next-token": {
        "logits": lambda m: np.einsum("wf,fq->wq", m.W_U, _get_read(m)),
        **SOFTMAX,
        "p": _share_out,
        "kept": _keep,
        "sums_k": lambda m: m.kept.T.sum(axis=1, keepdims=True).T,
        "p_k": lambda m: m.kept @ np.diag(1.0 / m.kept.sum(axis=0)),
        "loss": _be_surprised,
        "g": lambda m: m.p - m.y,
        **{name: form for name, form in NORMED_AND_ADDED.items() if name in ("squares3", "r3", "N3")},
        **LEARNED,
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
