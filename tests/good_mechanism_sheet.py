"""What makes a drawn sheet of any mechanism good, written down a second time from its description.

Nothing is imported from the package: matrices lie with tokens as columns, stages come from the oracle.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction

from tests.good_sheet import GENTLE
from tests.mechanism_oracle import FractionMatrix, MechanismKind, Numbers

Given = Mapping[str, Numbers]
Stages = Mapping[str, FractionMatrix]


def find_sheet_faults(kind: MechanismKind, given: Given, stages: Stages, level: str) -> list[str]:
    """Return what is wrong with a sheet of at most 6 tokens under the house rules; an empty list for a good one."""
    if kind.cache:  # one query of an ordinary sheet, of which all was asked
        return [*_find_unclear_weights(kind, stages, "first"), *_find_large_denominators(kind, stages)]
    if kind.blocks:
        return [*_find_dull_blocks(kind, given, stages, level)]
    if kind.mechanism == "next-token":
        return [*_find_dull_words(given, stages, level), *_find_large_denominators(kind, stages)]
    given_scores: dict[str, FractionMatrix] = {
        name: [list(map(Fraction, row)) for row in a] for name, a in given.items() if name.rpartition(".")[2] == "S"
    }
    return [
        *_find_dull_givens(given, level),
        *_find_idle_features(kind, given),
        *_find_dull_example(given, stages),
        *_find_dull_projections(stages),
        *_find_unclear_weights(kind, {**given_scores, **stages}, level),
        *_find_large_denominators(kind, stages),
        *_find_dull_layers(stages, level),
        *_find_dull_gradients(stages),
    ]


def _find_dull_blocks(kind: MechanismKind, given: Given, stages: Stages, level: str) -> Iterator[str]:
    """Online attention: small scores, of which a later block has the largest, and something to carry."""
    for name, a in given.items():
        columns = list(zip(*a, strict=True))
        if not all(map(any, columns)) or len(set(columns)) < len(columns):
            yield f"two columns of {name} are equal, or one is empty"
    scores = [[row[0] for row in stages[f"scaled{block}"]] for block in range(1, kind.blocks + 1)]
    every = [score for block in scores for score in block if score is not None]
    low, high, spread = (0, 4, 3) if level in GENTLE else (-3, 4, 4)
    if not low <= min(every) <= max(every) <= high or max(every) - min(every) > spread:
        yield "a score is out of range"
    if every.count(max(every)) > 1:
        yield "two keys share the largest score"
    if any(len(set(block)) == 1 for block in scores):
        yield "a block has one score alone"
    factors = [stages[f"f{block}"][0][0] for block in range(2, kind.blocks + 1)]
    if all(factor == 1 for factor in factors):
        yield "nothing is rescaled"
    if len(factors) > 1 and all(factor != 1 for factor in factors):
        yield "every block has a larger score"
    for name, a in stages.items():
        if name[0] in "oZ" and not any(value for row in a for value in row):
            yield f"{name} is zero"
    odd = [row[0] for block in range(1, kind.blocks + 1) for row in stages[f"S{block}"] if row[0] is not None]
    if level not in GENTLE and not any(score < 0 and score % 2 for score in odd):
        yield "rounding down looks like cutting off"
    if max(value.denominator for row in stages["Z"] for value in row if value is not None) > 150:
        yield "a denominator in Z is too large"


def _find_dull_words(given: Given, stages: Stages, level: str) -> Iterator[str]:
    """Say what is wrong with numbers that words are chosen by."""
    if len(set(map(tuple, given["W_U"]))) < len(given["W_U"]):
        yield "two words are read out alike"
    if not all(map(all, given["z"] if "z" in given else given["R2"])):
        yield "a feature of the last token says nothing"
    for logits, shares in zip(zip(*stages["logits"], strict=True), zip(*stages["p"], strict=True), strict=True):
        numbers = sorted(logit for logit in logits if logit is not None)
        if not (0 if level in GENTLE else -2) <= numbers[0] <= numbers[-1] <= 4:
            yield "a logit is out of range"
        if numbers[-1] == numbers[-2]:
            yield "two words are the likeliest"
        if numbers[0] == numbers[1]:
            yield "two words are the least likely"
        if level not in GENTLE and numbers[0] >= 0:
            yield "no power is a fraction"
        if "y" in given and max(share for share in shares if share is not None) > Fraction(19, 20):
            yield "the next word is next to certain"
    for column in zip(*stages.get("kept", []), strict=True):
        if not any(column) or sum(each for each in column if each is not None) > Fraction(49, 50):
            yield "top-k takes next to nothing"
    for column in zip(*given.get("y", []), strict=True):
        if sorted(column) != [*[0] * (len(column) - 1), 1]:
            yield "y names no word, or several"


def _find_dull_givens(given: Given, level: str) -> Iterator[str]:
    rows_of_heads: dict[str, list[tuple[Fraction, ...]]] = {}
    for name, a in given.items():
        head, _, own = name.rpartition(".")
        if own.startswith("W_"):
            if not all(any(row) for row in a):
                yield f"a row of {name} is empty"
            # two ones and zeros make only three rows, and few rows of W_O keep fractions readable
            if own in ("W_Q", "W_K", "W_V") or (level not in GENTLE and own != "W_O"):
                rows_of_heads.setdefault(head, []).extend(tuple(row) for row in a)
        elif not own.startswith("b_") and own != "S":
            columns = list(zip(*a, strict=True))
            if not all(map(any, columns)):
                yield f"a column of {name} is empty"
            if len(set(columns)) < len(columns):
                yield f"two columns of {name} are equal"
    for head, rows in rows_of_heads.items():
        if len(set(rows)) < len(rows):
            yield f"two rows among the W of head {head or 'one'} are equal"


def _find_idle_features(kind: MechanismKind, given: Given) -> Iterator[str]:
    if kind.mechanism == "basic" and "S" not in given and not all(map(any, given["embedding" if kind.words else "X"])):
        yield "a row of X is zero"


def _find_dull_example(given: Given, stages: Stages) -> Iterator[str]:
    first_weights = next((a[0] for name, a in given.items() if name.rpartition(".")[2] == "W_K"), None)
    tokens = given.get("M") or given.get("X") or stages.get("X") or ()  # cross-attention has its keys from M
    first_token = [row[0] for row in tokens]
    is_worked = "N1" in stages and "R1" not in list(stages)[: list(stages).index("N1")]  # no token is known as it is
    if (
        first_weights
        and not is_worked
        and all(weight * entry == 0 for weight, entry in zip(first_weights, first_token, strict=True))
    ):
        yield "every product of the first K[1,1] is 0"


def _find_dull_projections(stages: Stages) -> Iterator[str]:
    for name, a in stages.items():
        if name.rpartition(".")[2] in ("Q", "K", "V"):
            if not all(map(any, [*a, *zip(*a, strict=True)])):
                yield f"a row or column of {name} is zero"
            if len(set(map(tuple, a))) < len(a):
                yield f"two rows of {name} are equal"


def collect_exponents(stages: Stages) -> dict[str, FractionMatrix]:
    """Return, by the name of its weights, what each head raises 3 to the power of."""
    found = {}
    for name in stages:
        prefix, _, own = name.rpartition(".")
        if own == "A":
            stages_before = ("shifted", "masked", "tempered", "biased", "scaled", "S")
            before = [f"{prefix}.{stage}".lstrip(".") for stage in stages_before]
            if (last := next((stage for stage in before if stage in stages), "")) != "":
                found[name] = stages[last]
    return found


def _find_unclear_weights(kind: MechanismKind, stages: Stages, level: str) -> Iterator[str]:
    alike = [kind.words.index(word) for word in kind.words] if kind.words and not kind.positions else []
    has_signs = (
        kind.rotary or kind.distances or kind.cache
    )  # what is turned has them, and what distances are taken from
    low, high = 0 if level in GENTLE and not has_signs else -2, 4
    if kind.distances:
        low -= 2 if kind.heads == 1 and all(len(a) <= 4 for a in collect_exponents(stages).values()) else 3
    if kind.temperature < 1:
        low, high = 2 * low, 6
    if kind.temperature > 1:
        low, high = max(low, -1), 2
    if kind.shifted:
        low, high = low - high, 0
    for name, scores in collect_exponents(stages).items():
        visible = [[score for score in column if score is not None] for column in zip(*scores, strict=True)]
        for seen, weights in zip(visible, zip(*stages[name], strict=True), strict=True):
            if not all(low <= score <= high for score in seen):
                yield f"a score before {name} is out of range"
            if len(seen) > 1 and len(set(seen)) == 1:
                yield f"a column of {name} is flat"
            top = [i for i, weight in enumerate(weights) if weight == max(w for w in weights if w is not None)]
            if len({alike[i] for i in top} if alike else top) > 1:
                yield f"two tokens share the largest weight of a column of {name}"
        if level not in GENTLE and min(min(seen) for seen in visible) >= 0:
            yield f"no power before {name} is a fraction"
        halved = [(value, whole) for value, whole in _pair_scores_with_halves(stages, name) if int(value / 2) != whole]
        if level not in GENTLE and name.replace("A", "scaled") in stages and len(halved) < 2:
            yield f"rounding down looks like cutting off before {name}"


def _pair_scores_with_halves(stages: Stages, name: str) -> Iterator[tuple[Fraction, Fraction]]:
    scaled = stages.get(name.replace("A", "scaled"), [])
    for row, other in zip(stages[name.replace("A", "S")], scaled, strict=bool(scaled)):
        for value, whole in zip(row, other, strict=True):
            assert value is not None
            assert whole is not None
            yield value, whole


def _find_large_denominators(kind: MechanismKind, stages: Stages) -> Iterator[str]:
    for name, a in stages.items():
        crowded = kind.distances and (len(a) > 4 or kind.heads > 1)
        for_weights = 1000 if kind.temperature < 1 or (kind.sink or 0) > 2 else 400 if crowded else 100
        limit = {"A": for_weights, "p": for_weights, "output": 1000, "F1": 1000, "F2": 1000}.get(
            name.rpartition(".")[2]
        )
        worst = max(value.denominator for row in a for value in row if value is not None)
        if limit and worst > limit:
            yield f"a denominator in {name} is {worst}"


def _find_dull_layers(stages: Stages, level: str) -> Iterator[str]:
    for name in ("output", "F1", "F2"):
        if not all(map(any, stages.get(name, []))):
            yield f"a row of {name} is zero"
    for name in ("F1", *(["F2"] if "relu2" in stages else [])):
        values = [value for row in stages.get(name, []) for value in row if value is not None]
        if values and max(values) <= 0:
            yield f"ReLU leaves nothing of {name}"
        if values and level not in GENTLE and min(values) >= 0:
            yield f"ReLU cuts nothing of {name}"


def _find_dull_gradients(stages: Stages) -> Iterator[str]:
    pulls = [value for (value,) in stages.get("dS", []) if value is not None]
    seen = [pull for pull, (weight,) in zip(pulls, stages["A"], strict=True) if weight] if pulls else []
    if seen and not all(seen):
        yield "a score that is seen is to stay as it is"
    if seen and seen.count(min(seen)) > 1:
        yield "two scores are to rise most"
    if seen and max(each.denominator for each in seen) > max(10 * len(pulls), 1):
        yield "a gradient has fractions that are too fine"
