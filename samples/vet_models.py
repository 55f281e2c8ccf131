"""How far tiny language models are from good ones: hundreds at once, worked by hand and exactly.

Everything is in float64. What is whole by hand is whole here, and fractions by hand have denominators so small that
none is rounded to the wrong side. Arrays have the models along their last axis, where numpy is quick.
"""

from collections.abc import Sequence
from itertools import accumulate
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from attnhand.problems.language_model import PLACES, SENTENCES, WORDS

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

DOT, DOGS, CATS, ALWAYS, NEVER, EAT, FISH, BONES = range(8)
SPOKEN = tuple(tuple(map(WORDS.index, words)) for words in SENTENCES)
RIGHT = tuple(WORDS.index(word) for word in SENTENCES.values())
AFTER_ALL = (DOT,) * len(SENTENCES)
"""What follows a sentence with its right word."""

KINDS = ((DOGS, CATS), (ALWAYS, NEVER), (EAT,))
"""What may follow one, two and three words of a sentence."""

SIZES = {
    "E": (8, 6),
    "W_Q": (2, 2, 6),
    "W_K": (2, 2, 6),
    "W_V": (2, 2, 6),
    "W_O": (6, 4),
    "W_1": (4, 6),
    "b_1": (4,),
    "W_2": (6, 4),
    "b_2": (6,),
    "W_U": (8, 6),
}
_COUNTS = [prod(size) for size in SIZES.values()]
PARTS = {name: slice(end - count, end) for name, count, end in zip(SIZES, _COUNTS, accumulate(_COUNTS), strict=True)}
"""Where each matrix stands in a model, which is one row of numbers."""

LENGTH = sum(_COUNTS)
WEIGHTS = slice(PARTS["W_Q"].start, LENGTH)
PROJECTIONS = slice(PARTS["W_Q"].start, PARTS["W_V"].stop)

_MEANING, _CLOCK_HANDS = range(4), range(4, 6)
FOREIGN = np.array(
    [
        PARTS[name].start + 12 * head + 6 * row + feature
        for name, heads in (("W_Q", "mp"), ("W_K", "mp"), ("W_V", "mm"))
        for head, reads in enumerate(heads)
        for feature in (_CLOCK_HANDS if reads == "m" else _MEANING)
        for row in range(2)
    ]
)
"""Weights that a clean model has not: head 1 asks by meaning, head 2 by place, and both report what is meant."""

DENOMINATOR_LIMITS = np.array([100, 100, 100, 100, 110], dtype=float)
"""By column."""

LOOKS = ((0, 3, 1), (1, 3, 2))
"""Head, query and key, from 0: "eat" looks at the animal with the first, at the word before with the second."""

CLEAN_LOOKS = (*LOOKS, (1, 1, 0), (1, 2, 1), (1, 4, 3))
"""The same of a clean model: every word looks at the one before."""

CLOSE = 0.35
"""So far a probability by hand may be from the exact one, where the favourites differ or by hand there are two."""

MARGIN, LOGIT_MARGIN, WEIGHT_MARGIN = 0.05, 0.2, 0.1
"""By how much the first is before the second exactly: probabilities, logits, weights of attention."""

MAX_NUMBER, MAX_LARGE = 3, 4
"""How large a given number may be, and how many may be above 2."""

MOST_USED = 44
"""How many weights of a clean model may be other than 0: of 202, so that 78 % are 0."""

MOST_ZEROS = 32
"""How many of the 72 numbers of a filled model's projections may be 0."""

NEAR = 1e-9

_TOKENS = np.array([[*tokens, right] for tokens, right in zip(SPOKEN, RIGHT, strict=True)])
_CLOCK = np.zeros((5, 6))
_CLOCK[:, 4:] = PLACES
_SEEN = (np.arange(5)[None, :] <= np.arange(5)[:, None])[:, :, None, None]
"""Which key, along the second axis, a query sees."""


def split_models(models: Floats) -> dict[str, Floats]:  # (models, numbers) -> by name, models last
    """Return every matrix of every model."""
    columns = np.ascontiguousarray(models.T)
    return {name: columns[part].reshape(*SIZES[name], -1) for name, part in PARTS.items()}


def round_half_away(a: Floats) -> Floats:
    """Round to the nearest whole number, halves away from zero."""
    return np.copysign(np.floor(np.abs(a) + (0.5 + NEAR)), a)


class Worked:
    """Models worked on the four sentences, each with its right word after it, in one of the two ways.

    Axes: sentence, place (of a query, then of a key), head, number, model.
    """

    def __init__(self, models: Floats, exact: bool, places: bool = True) -> None:
        self.exact, self.w = exact, split_models(models)
        w = self.w
        self.X = w["E"][_TOKENS]
        if places:
            self.X = self.X + _CLOCK[None, :, :, None]
        Q, K, self.V = (np.einsum("hdfb,ctfb->cthdb", w[name], self.X) for name in ("W_Q", "W_K", "W_V"))
        self.S = np.einsum("cqhdb,ckhdb->cqkhb", Q, K)
        self.scaled = self.S / np.sqrt(2) if exact else np.floor(self.S / 2)
        self.powers = np.where(_SEEN, np.exp(self.scaled * (1 if exact else np.log(3))), 0)
        self.A = self.powers / self.powers.sum(axis=2)[:, :, None]
        self.Z = np.einsum("cqkhb,ckhdb->cqhdb", self.A, self.V).reshape(4, 5, 4, -1)

    def finish(self, Z: Floats, X: Floats, network: bool = True) -> dict[str, Floats]:
        """Work from the outputs of the heads to the logits."""
        w = self.w
        attended = np.einsum("fzb,ctzb->ctfb", w["W_O"], Z)
        R = X + attended if self.exact else round_half_away(X + attended)
        details = {"R": R}
        if network:
            N = self.norm(R)
            F1 = np.einsum("ufb,ctfb->ctub", w["W_1"], N) + w["b_1"]
            R = R + np.einsum("fub,ctub->ctfb", w["W_2"], np.maximum(F1, 0)) + w["b_2"]
            details |= {"N": N, "F1": F1}
        H = self.norm(R)
        return details | {"R2": R, "H": H, "z": np.einsum("wfb,ctfb->ctwb", w["W_U"], H)}

    def norm(self, R: Floats) -> Floats:
        """Divide every column by the root of the mean of its squares."""
        r = np.sqrt(np.einsum("ctfb,ctfb->ctb", R, R) / 6)[:, :, None]
        if self.exact:
            return np.asarray(R / np.maximum(r, NEAR))
        return round_half_away(R / np.maximum(round_half_away(r), 1))

    def finish_all(self) -> dict[str, Floats]:
        """Work all five columns to the end."""
        return self.finish(self.Z, self.X)

    def finish_last(self, heads: Sequence[int] = (0, 1), network: bool = True) -> Floats:  # -> (4, words, models)
        """Return the logits after the four words, with these heads alone, or without the network."""
        Z = self.Z[:, 3:4].copy()
        for head in {0, 1} - set(heads):
            Z[:, :, 2 * head : 2 * head + 2] = 0
        return self.finish(Z, self.X[:, 3:4], network)["z"][:, 0]


def find_lead(z: Floats, words: Sequence[int]) -> Floats:  # (4, words, models) -> (4, models)
    """Return by how much a word, another in each sentence, is before the best of the others."""
    others = z.copy()
    for sentence, word in enumerate(words):
        others[sentence, word] = -np.inf
    return np.asarray(np.array([z[sentence, word] for sentence, word in enumerate(words)]) - others.max(axis=1))


def add_excess(a: Floats, limit: float | Floats) -> Floats:  # (…, models) -> (models,)
    """Add up, for each model, by how much its numbers are above a limit."""
    return np.asarray(np.maximum(a - limit, 0).reshape(-1, a.shape[-1]).sum(axis=0))


def softmax(z: Floats, exact: bool) -> Floats:  # (4, 5, words, models)
    """Return the probabilities of words: powers of e, by hand of 3."""
    powers = np.exp((z - z.max(axis=2)[:, :, None]) * (1 if exact else np.log(3)))
    return np.asarray(powers / powers.sum(axis=2)[:, :, None])


def is_alone(z: Floats) -> NDArray[np.bool_]:  # (…, words, models) -> (…, models)
    """Say whether one word alone is the favourite."""
    return np.asarray((z > z.max(axis=-2, keepdims=True) - NEAR).sum(axis=-2) == 1)


def cost_of_numbers(models: Floats, clean: bool) -> Floats:
    """Count what is wrong with the given numbers, before anything is worked."""
    w = split_models(models)
    first, second = ((w["W_O"][:, part] != 0).any(axis=1) for part in (slice(0, 2), slice(2, 4)))
    cost = (first & second).sum(axis=0).astype(float)
    E = w["E"]
    cost += sum((E[one] == E[other]).all(axis=0) for one in range(8) for other in range(one))
    cost += 0.5 * np.maximum((np.abs(models) > 2).sum(axis=1) - MAX_LARGE, 0)
    if clean:
        cost += (models[:, FOREIGN] != 0).sum(axis=1)
        cost += 0.3 * np.maximum((models[:, WEIGHTS] != 0).sum(axis=1) - MOST_USED, 0)
    else:
        zeros = (models[:, PROJECTIONS] == 0).sum(axis=1)
        cost += 0.3 * np.maximum(zeros - MOST_ZEROS, 0) + (w["W_O"] == 0).all(axis=0).sum(axis=0)
        cost += sum((w[name] == 0).all(axis=2).sum(axis=(0, 1)) for name in ("W_Q", "W_K", "W_V"))
    return np.asarray(cost)


def cost_by_hand(models: Floats, clean: bool) -> tuple[Floats, Floats]:
    """Count what is wrong by hand: words, favourites of heads, sizes, denominators. Return the logits too."""
    worked = Worked(models, exact=False)
    details = worked.finish_all()
    z = details["z"]
    cost = 2 * add_excess(-find_lead(z[:, 3], RIGHT), -1.0) + add_excess(-find_lead(z[:, 4], AFTER_ALL), -1.0)
    cost += cost_of_grammar(z, 1)
    cost += cost_of_looking(worked.scaled, -1.0, clean)
    for a, limit in ((worked.S, 8), (details["R"], 6), (details["R2"], 9), (details["F1"], 12), (z, 4)):
        cost += 0.3 * add_excess(np.abs(a), limit)
    # in units of the smallest power a sum is whole: it is the denominator, or a multiple of it
    least = np.where(_SEEN, worked.scaled, np.inf).min(axis=2)
    denominators = worked.powers.sum(axis=2) * 3.0**-least
    cost += add_excess(np.log(denominators), np.log(DENOMINATOR_LIMITS + NEAR)[:, None, None])
    denominators = (3.0 ** (z - z.min(axis=2)[:, :, None])).sum(axis=2)
    cost += add_excess(np.log(denominators), np.log(DENOMINATOR_LIMITS + NEAR)[:, None])
    if clean:
        cost += cost_of_mixing(worked)
    return cost, z


def cost_of_looking(a: Floats, margin: float, clean: bool) -> Floats:  # (4, 5, 5, 2, models) -> (models,)
    """Count where a head looks elsewhere than it should: scores or weights of attention."""
    cost = np.zeros(a.shape[-1])
    for head, query, key in CLEAN_LOOKS if clean else LOOKS:
        others = np.delete(a[:, query, : query + 1, head], key, axis=1).max(axis=1)
        cost += add_excess(others - a[:, query, key, head], margin)
    return cost


def cost_of_grammar(z: Floats, margin: float) -> Floats:
    """Count where the favourite after one, two or three words is of the wrong kind: logits or probabilities."""
    cost = np.zeros(z.shape[-1])
    for column, kind in enumerate(KINDS):
        others = np.delete(z[:, column], kind, axis=1).max(axis=1)
        cost += add_excess(others - z[:, column][:, kind].max(axis=1), -margin)
    return np.asarray(0.5 * cost)


def cost_of_mixing(worked: Worked) -> Floats:
    """Count where head 1 of "eat" depends on the word before, or head 2 on the animal."""
    Z = worked.Z[:, 3]
    first = np.abs(Z[0::2, :2] - Z[1::2, :2]) > NEAR
    second = np.abs(Z[:2, 2:] - Z[2:, 2:]) > NEAR
    return np.asarray(0.5 * (first.sum(axis=(0, 1)) + second.sum(axis=(0, 1))))


def cost_exactly(models: Floats, z_by_hand: Floats, clean: bool) -> Floats:
    """Count what is wrong exactly: words, favourites of heads, probabilities that are far from those by hand."""
    worked = Worked(models, exact=True)
    z = worked.finish_all()["z"]
    p, p_by_hand = softmax(z, True), softmax(z_by_hand, False)
    cost = 8 * add_excess(-find_lead(p[:, 3], RIGHT), -MARGIN)
    cost += add_excess(-find_lead(z[:, 3], RIGHT), -LOGIT_MARGIN)
    cost += 4 * add_excess(-find_lead(p[:, 4], AFTER_ALL), -MARGIN) + 4 * cost_of_grammar(p, MARGIN)
    cost += cost_of_looking(worked.A, -WEIGHT_MARGIN, clean)
    if clean:  # by hand ⌊x/2⌋ may hide that scores differ
        cost += cost_of_mixing(worked)
    apart = np.abs(p - p_by_hand).max(axis=2)
    same = (p_by_hand.argmax(axis=2) == p.argmax(axis=2)) & is_alone(p_by_hand)
    return np.asarray(cost + add_excess(np.where(same, 0, apart), CLOSE))


def cost_of_parts(models: Floats) -> Floats:
    """Count where a part is not needed, or where without it another word is not heard than is told."""
    cost = np.zeros(len(models))
    answers: list[list[NDArray[np.intp]]] = []
    for exact in (False, True):
        worked = Worked(models, exact)
        without = [
            worked.finish_last(network=False),
            worked.finish_last(heads=(0,)),
            Worked(models, exact, places=False).finish_last(),
            worked.finish_last(heads=(1,)),
            worked.finish_last(heads=()),
        ]
        answers.append([z.argmax(axis=1) for z in without])
        for part, (z, best) in enumerate(zip(without, answers[-1], strict=True)):
            # the first three leave *never* unheard, the others the animal
            one, other = ((0, 2), (1, 3)) if part < 3 else ((0, 1), (2, 3))
            cost += (best[one, :] != best[other, :]).sum(axis=0)
            if part in (0, 4):  # without the network, and without attention, all sentences go on alike
                cost += best[0] != best[-1]
            if not exact:
                cost += 0.5 * (~is_alone(z)).sum(axis=0) + 0.25 * (best < FISH).sum(axis=0)
    for by_hand, exactly in zip(*answers, strict=True):
        cost += 0.25 * (by_hand != exactly).sum(axis=0)
    return cost


def find_costs(models: Ints, bound: float, clean: bool) -> Floats:
    """Return how much is wrong with each model: 0 with a good one, infinitely much with one that is above the bound.

    The cheap looks come first, and what is above the bound is not looked at any further.
    """
    numbers = models.astype(float)
    found = np.full(len(models), np.inf)
    kept, cost = np.arange(len(models)), np.zeros(len(models))
    z: Any = None
    for stage in range(4):
        if stage == 0:
            more = cost_of_numbers(numbers, clean)
        elif stage == 1:
            more, z = cost_by_hand(numbers[kept], clean)
        elif stage == 2:
            more = cost_exactly(numbers[kept], z, clean)
        else:
            more = cost_of_parts(numbers[kept])
        cost = cost + more
        inside = cost <= bound + NEAR
        if not inside.any():
            return found
        kept, cost = kept[inside], cost[inside]
        if stage == 1:
            z = z[..., inside]
    found[kept] = cost
    return found


def list_idle(model: Ints) -> list[int]:
    """Return where weights of a clean model may be 0 and are not, one at a time: no logit by hand is another then.

    Heads still look where they should.
    """
    used = [int(at) for at in np.flatnonzero(model[WEIGHTS]) + WEIGHTS.start]
    batch = np.repeat(model[None], len(used) + 1, axis=0)
    batch[np.arange(len(used)), used] = 0
    worked = Worked(batch.astype(float), exact=False)
    z = worked.finish_all()["z"]
    changes = np.abs(z - z[..., -1:]).max(axis=(0, 1, 2)) + cost_of_looking(worked.scaled, -1.0, clean=True)
    return [at for at, change in zip(used, changes[:-1], strict=True) if change <= NEAR]


def count_sabotages(model: Ints) -> int:
    """Count the changes of one weight, by 1 or to 0, after which "dogs never eat" goes on with bones, by hand."""
    batch = []
    for at in range(WEIGHTS.start, LENGTH):
        for value in {int(model[at]) - 1, int(model[at]) + 1, 0} - {int(model[at])}:
            batch.append(model.copy())
            batch[-1][at] = value
    z = Worked(np.array(batch, dtype=float), exact=False).finish_last()[SPOKEN.index((DOT, DOGS, NEVER, EAT))]
    return int(((z.argmax(axis=0) == BONES) & is_alone(z)).sum())
