"""Draw the bank of tiny language models, each of them worked and vetted by hand and exactly.

    python -m samples.draw_models [COUNT [FILLED]]

COUNT clean models, 100 unless it says so, and FILLED of them, 30, with zeros filled in. They are the same each time.

Random matrices never give a language model. So a circuit is set by hand, with numbers of its own each time: head 1 asks
who, head 2 what stood before, the network is an exclusive or. Then single numbers are changed, 128 trials at once, of
which the best is taken, until nothing is wrong with it any more; ``samples.vet_models`` says what is. From a good model
a walk goes on among good ones, and whatever is far enough from all that were kept is kept too.
"""

import json
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from time import perf_counter

import numpy as np

from attnhand.problems.language_model import BANK_FILE, WORDS
from attnhand.problems.random_stream import RandomStream
from samples.vet_models import (
    ALWAYS,
    BONES,
    CATS,
    DOGS,
    DOT,
    EAT,
    FISH,
    FOREIGN,
    LENGTH,
    MAX_NUMBER,
    NEAR,
    NEVER,
    PARTS,
    PROJECTIONS,
    RIGHT,
    SIZES,
    SPOKEN,
    WEIGHTS,
    Floats,
    Ints,
    Worked,
    count_sabotages,
    find_costs,
    is_alone,
    list_idle,
    round_half_away,
)

SEED = "1"

BATCH = 128
"""Trials at once."""

STARTS = 64
"""Circuits that are set, of which the best is worked on."""

PATIENCE, KICKS = 30, 20
"""Batches without anything better until a model is kicked, by two to four changes at random; and how often."""

HOPELESS, NEARLY = 3.0, 0.6
"""What is wrong with a model that is given up at once, and after four kicks."""

FILLED_PATIENCE, FILLED_KICKS, FILLED_TRIES = 40, 2, 8
"""The same for zeros that are filled in; and how often a model is begun with."""

STEPS, MAX_WALKS = 15, 60
"""Steps of a walk among good models, and walks of a family, all of which began with one circuit."""

FAMILY = 15
"""Models of a family that are kept."""

SPREAD = 10
"""In how many numbers, zeros of one included, a clean model differs from every other; about forty are not 0."""

MIN_SABOTAGES = 5

MAX_DENOMINATOR = 100
"""Of the probabilities after a step."""

MIN_GAIN = 0.02
"""How much likelier a step makes its target at least, by hand and exactly."""

WORD_VECTORS = [
    tuple(2 * s if i == a else t if i == b else 0 for i in range(6))
    for a in range(4)
    for b in range(4)
    if a != b
    for s in (1, -1)
    for t in (1, -1)
]
"""All that a word can be: two features whose squares add to 5."""

ETAS = (Fraction(1, 2), Fraction(1))


@dataclass(frozen=True, slots=True, kw_only=True, order=True)
class Step:
    """A step of learning that works out well."""

    appeal: int
    """2 for the other food, 1 for the other animal."""

    sentence: int
    target: int
    eta: int
    """Which of ``ETAS``."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Drawn:
    """A model of the bank."""

    style: str
    numbers: Ints
    step: Step


def set_circuit(stream: RandomStream) -> Ints:
    """Return a circuit that is nearly a language model, if its signs happen to agree."""
    model = np.zeros(LENGTH, dtype=np.int64)
    w = {name: model[part].reshape(SIZES[name]) for name, part in PARTS.items()}
    kind, side, negation, verb = range(4)
    # dogs and cats are of a kind and on two sides; always and never deny and affirm, and share something else
    sign = stream.pick((1, -1))
    strong = stream.pick((1, 2))
    w["E"][[DOGS, CATS], kind] = strong
    w["E"][[DOGS, CATS], side] = (3 - strong) * sign, -(3 - strong) * sign
    strong, other = stream.pick((1, 2, 2)), stream.pick((kind, verb, verb))
    turn = stream.pick((1, -1))
    w["E"][[ALWAYS, NEVER], negation] = -turn * strong, turn * strong
    w["E"][[ALWAYS, NEVER], other] = (3 - strong) * stream.pick((1, -1))
    for word in (EAT, DOT, FISH, BONES):
        w["E"][word] = stream.pick(WORD_VECTORS)
    w["E"][EAT] = 0
    w["E"][EAT, verb] = 2
    w["E"][EAT, stream.pick((kind, side, negation))] = stream.pick((1, -1))
    # head 1: a verb looks for the kind, and takes the side; head 2: the clock turned back by a quarter
    a, b = stream.pick(((1, 1), (2, 1), (1, 2))), stream.pick(((1, 2), (2, 1), (2, 2)))
    w["W_Q"][0, 0, verb], w["W_K"][0, 0, kind] = a
    w["W_V"][0, 0, side] = stream.pick((1, 2))
    w["W_Q"][1, 0, 5], w["W_Q"][1, 1, 4] = b[0], -b[0]
    w["W_K"][1, 0, 4], w["W_K"][1, 1, 5] = b[1], b[1]
    w["W_V"][1, 0, negation] = stream.pick((1, 1, 2))
    first, second, food = stream.sample(range(6), 3)
    w["W_O"][first, 0], w["W_O"][second, 2] = stream.pick((1, -1, 2, -2)), stream.pick((1, -1, 2, -2))
    # a hidden number for each sentence; their signs make the exclusive or
    for unit, (s, t) in enumerate(stream.shuffle([(1, 1), (1, -1), (-1, 1), (-1, -1)])):
        w["W_1"][unit, [first, second]] = s, t
        w["b_1"][unit] = -1
        w["W_2"][food, unit] = 2 * s * t
    # what else is said goes by the clock, and after "." by the word
    w["W_U"][FISH, food] = stream.pick((1, 2))
    w["W_U"][BONES, food] = -stream.pick((1, 2))
    w["W_U"][[FISH, BONES], 5] -= 1
    w["W_U"][stream.pick((ALWAYS, NEVER)), 5] = 1
    w["W_U"][EAT, 4] = -stream.pick((1, 2))
    w["W_U"][DOT, 4] = 1
    strongest = int(np.abs(w["E"][DOT]).argmax())
    w["W_U"][stream.pick((DOGS, CATS)), strongest] = np.sign(w["E"][DOT, strongest])
    return model


def change_at_random(model: Ints, stream: RandomStream, count: int, clean: bool = True) -> Ints:
    """Return so many models, less those that stayed as they were, that differ in a number, a row or a word or two.

    Args:
        clean: whether zeros are as welcome as other numbers; else most have one of a projection filled in.
    """
    batch = np.repeat(model[None], count, axis=0)
    used = [int(at) for at in np.flatnonzero(model[WEIGHTS]) + WEIGHTS.start]
    blank = [] if clean else [int(at) for at in np.flatnonzero(model[PROJECTIONS] == 0) + PROJECTIONS.start]
    for row in batch:
        if blank and stream.draw_below(4):
            row[stream.pick(blank)] = stream.pick((1, -1, 1, -1, 2, -2))
            if stream.draw_below(2):
                continue
        for _ in range(stream.pick((1, 1, 1, 2, 2, 3))):
            how, at = stream.draw_below(16), stream.pick(used)
            if how == 0:
                word = stream.draw_below(8)
                row[6 * word : 6 * word + 6] = stream.pick(WORD_VECTORS)
            elif how < 5:
                row[at] = 0
            elif how < 8:
                row[at] += stream.pick((1, -1))
            elif how < 11:
                part, width = stream.pick((("W_U", 6), ("W_U", 6), ("W_1", 6), ("W_2", 4), ("W_O", 4)))
                at = PARTS[part].start + width * stream.draw_below(SIZES[part][0])
                row[at : at + width] = 0
                for _ in range(stream.pick((1, 1, 2, 2, 3))):
                    row[at + stream.draw_below(width)] = stream.pick((1, -1, 1, -1, 2, -2))
            elif how < 12:
                to = WEIGHTS.start + stream.draw_below(LENGTH - WEIGHTS.start)
                row[to], row[at] = row[at], row[to]
            else:
                at = WEIGHTS.start + stream.draw_below(LENGTH - WEIGHTS.start)
                row[at] += stream.pick((1, -1, 2, -2)) if row[at] == 0 else stream.pick((1, -1))
    np.clip(batch, -MAX_NUMBER, MAX_NUMBER, out=batch)
    if clean:
        batch[:, FOREIGN] = 0
    return np.asarray(batch[(batch != model).any(axis=1)])


def mend(stream: RandomStream, start: Ints, clean: bool, patience: int, kicks: int) -> Ints | None:
    """Change a model until nothing is wrong with it; None where that fails."""
    model, cost = start, float(find_costs(start[None], np.inf, clean)[0])
    best_model, best_cost = model, cost
    for kick in range(kicks + 1):
        if kick:
            model = best_model
            for _ in range(stream.pick((2, 3, 4))):
                model = change_at_random(model, stream, 8, clean)[0]
            cost = float(find_costs(model[None], np.inf, clean)[0])
        waited = 0
        while cost > NEAR and waited < patience:
            tried = change_at_random(model, stream, BATCH, clean)
            costs = find_costs(tried, cost, clean)
            best = int(costs.argmin())
            waited = 0 if costs[best] < cost - NEAR else waited + 1
            # one that is as good is taken too: a walk on the level finds the way down
            if costs[best] <= cost + NEAR:
                model, cost = tried[best], float(costs[best])
        if cost < best_cost:
            best_model, best_cost = model, cost
        if best_cost <= NEAR:
            return best_model
        if clean and best_cost > (HOPELESS if kick < 4 else NEARLY):
            return None
    return None


def list_steps(model: Ints) -> list[Step]:
    """Return the steps of learning after which the target is the favourite, by numbers that are readable.

    It is something to eat, and the network has a say in what is said before. After the step every sentence has one
    favourite, the same by hand and exactly.
    """
    states = []
    for exact in (False, True):
        worked = Worked(model[None].astype(float), exact)
        last = worked.finish(worked.Z[:, 3:4], worked.X[:, 3:4])
        states.append((last["z"][:, 0, :, 0], last["H"][:, 0, :, 0]))
        if not exact:
            is_thinking = (last["R2"] != last["R"])[:, 0, :, 0].any(axis=1)
    steps = []
    for sentence in np.flatnonzero(is_thinking).tolist():
        for target in sorted({DOGS, CATS, FISH, BONES} - {SPOKEN[sentence][1], RIGHT[sentence]}):
            for eta in range(len(ETAS)):
                (by_hand, gain), (exactly, exact_gain) = (
                    _learn(z, h, sentence, target, float(ETAS[eta]), exact)
                    for (z, h), exact in zip(states, (False, True), strict=True)
                )
                logits = by_hand[sentence]
                if (
                    min(gain, exact_gain) > MIN_GAIN
                    and logits.argmax() == target
                    and is_alone(by_hand.T).all()
                    and (3.0 ** (logits - logits.min())).sum() <= MAX_DENOMINATOR
                    and (logits != states[0][0][sentence]).any()
                    and (by_hand.argmax(axis=1) == exactly.argmax(axis=1)).all()
                ):
                    appeal = 2 if target in (FISH, BONES) else 1
                    steps.append(Step(appeal=appeal, sentence=sentence, target=target, eta=eta))
    return steps


def _learn(
    z: Floats, h: Floats, sentence: int, target: int, eta: float, exact: bool
) -> tuple[Floats, float]:  # (4, 8), (4, 6) -> (4, 8)
    """Return the logits of all sentences after a step, and how much likelier its target has become."""
    base = 1 if exact else np.log(3)
    p = np.exp(z[sentence] * base)
    p /= p.sum()
    moved = z - eta * np.outer(h @ h[sentence], p - np.eye(len(WORDS))[target])
    if not exact:
        moved = round_half_away(moved)
    p_new = np.exp(moved[sentence] * base)
    return moved, float(p_new[target] / p_new.sum() - p[target])


def finish_model(model: Ints, stream: RandomStream, style: str) -> Drawn | None:
    """Take away what a clean model has no use for and choose a step; None where there is none, or no saboteur."""
    clean = style == "clean"
    model = model.copy()
    while clean and (idle := list_idle(model)):
        model[idle[0]] = 0
    if find_costs(model[None], NEAR, clean)[0] > NEAR or count_sabotages(model) < MIN_SABOTAGES:
        return None
    steps = list_steps(model)
    if not steps:
        return None
    appeal = max(step.appeal for step in steps)
    step = stream.pick([step for step in steps if step.appeal == appeal])
    return Drawn(style=style, numbers=model, step=step)


def draw_first(stream: RandomStream) -> Ints:
    """Return a good model from a circuit."""
    while True:
        starts = np.array([set_circuit(stream) for _ in range(STARTS)])
        start = starts[int(find_costs(starts, np.inf, clean=True).argmin())]
        model = mend(stream, start, True, PATIENCE, KICKS)
        if model is not None:
            return model


def walk_on(stream: RandomStream, model: Ints) -> Ints:
    """Return another good model, some steps away, every one of which is good."""
    for _ in range(STEPS):
        tried = change_at_random(model, stream, BATCH)
        good = np.flatnonzero(find_costs(tried, NEAR, clean=True) <= NEAR)
        if len(good):
            model = tried[good[stream.draw_below(len(good))]]
    return model


def draw_family(family: int, size: int, kept: list[Ints]) -> Iterator[Drawn]:
    """Yield clean models that began with one circuit, up to so many; each joins those that were kept."""
    stream = RandomStream(SEED, "family", str(family))
    model = draw_first(stream)
    found = 0
    for _ in range(MAX_WALKS):
        drawn = finish_model(model, stream, "clean")
        if drawn:
            model = drawn.numbers
            if all((model != other).sum() >= SPREAD for other in kept):
                found += 1
                kept.append(model)
                yield drawn
        if found == size:
            return
        model = walk_on(stream, model)


def fill_model(model: Ints, stream: RandomStream) -> Drawn | None:
    """Return a model with most zeros of its projections filled in; None where that fails."""
    for _ in range(FILLED_TRIES):
        filled = mend(stream, _read_all_values(model, stream), False, FILLED_PATIENCE, FILLED_KICKS)
        if filled is not None and (drawn := finish_model(filled, stream, "filled")):
            return drawn
    return None


def _read_all_values(model: Ints, stream: RandomStream) -> Ints:
    """Let W_O read every value, which changes nothing yet: those that a clean model has no use for are 0."""
    model = model.copy()
    W_O = model[PARTS["W_O"]].reshape(SIZES["W_O"])
    for value in range(4):
        if not W_O[:, value].any():
            other = slice(0, 2) if value >= 2 else slice(2, 4)
            W_O[stream.pick([row for row in range(6) if not W_O[row, other].any()]), value] = stream.pick((1, -1))
    return model


def draw_bank(count: int, filled_count: int, report: Callable[[str], None]) -> Iterator[Drawn]:
    """Yield the models of the bank, clean and filled ones in turn, and report how long each took."""
    kept: list[Ints] = []
    since = perf_counter()
    filled = family = 0
    while len(kept) < count:
        for drawn in draw_family(family, min(FAMILY, count - len(kept)), kept):
            report(f"clean {len(kept)}: {perf_counter() - since:.1f} s")
            yield drawn
            since = perf_counter()
            if filled < filled_count and len(kept) % 2:
                other = fill_model(drawn.numbers, RandomStream(SEED, "filled", str(len(kept))))
                filled += other is not None
                report(f"{f'filled {filled}' if other else 'none filled'}: {perf_counter() - since:.1f} s")
                if other:
                    yield other
                since = perf_counter()
        family += 1


def write_bank(models: Sequence[Drawn]) -> None:
    """Write the file of the bank: a line for each model, the clean ones first."""
    lines = []
    for drawn in sorted(models, key=lambda drawn: drawn.style):
        step = {
            "sentence": " ".join(WORDS[word] for word in SPOKEN[drawn.step.sentence]),
            "target": WORDS[drawn.step.target],
            "eta": str(ETAS[drawn.step.eta]),
        }
        given = {name: drawn.numbers[part].reshape(SIZES[name]).tolist() for name, part in PARTS.items()}
        lines.append(json.dumps({"style": drawn.style, **given, "step": step}, separators=(",", ":")))
    words = json.dumps(WORDS, separators=(",", ":"))
    rows = ",\n".join(lines)
    BANK_FILE.write_text(f'{{"words":{words},"models":[\n{rows}\n]}}\n', encoding="utf-8")


def main(arguments: Sequence[str]) -> None:
    """Draw and write the bank."""
    count, filled_count = (*map(int, arguments), *(100, 30)[len(arguments) :])
    models = []
    for drawn in draw_bank(count, filled_count, lambda line: print(line, flush=True)):
        models.append(drawn)
        # what there is so far can be looked at
        write_bank(models)


if __name__ == "__main__":
    main(sys.argv[1:])
