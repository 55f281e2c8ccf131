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
    return [
        *_find_dull_givens(given, level),
        *_find_idle_features(kind, given),
        *_find_dull_example(given, stages),
        *_find_dull_projections(stages),
        *_find_unclear_weights(kind, stages, level),
        *_find_large_denominators(kind, stages),
        *_find_dull_layers(stages, level),
    ]


def _find_dull_givens(given: Given, level: str) -> Iterator[str]:
    rows_of_heads: dict[str, list[tuple[Fraction, ...]]] = {}
    for name, a in given.items():
        head, _, own = name.rpartition(".")
        if own.startswith("W_"):
            if not all(any(row) for row in a):
                yield f"a row of {name} is empty"
            if level not in GENTLE or own in ("W_Q", "W_K", "W_V"):  # two ones and zeros make only three rows
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
    if first_weights and all(weight * entry == 0 for weight, entry in zip(first_weights, first_token, strict=True)):
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
            before = [f"{prefix}.{stage}".lstrip(".") for stage in ("shifted", "masked", "tempered", "scaled", "S")]
            if (last := next((stage for stage in before if stage in stages), "")) != "":
                found[name] = stages[last]  # nothing where S is given
    return found


def _find_unclear_weights(kind: MechanismKind, stages: Stages, level: str) -> Iterator[str]:
    alike = [kind.words.index(word) for word in kind.words] if kind.words and not kind.positions else []
    low, high = 0 if level in GENTLE and not kind.rotary else -2, 4  # what is turned has signs
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
        for_weights = 1000 if kind.temperature < 1 or (kind.sink or 0) > 2 else 100
        limit = {"A": for_weights, "output": 1000, "F1": 1000, "F2": 1000}.get(name.rpartition(".")[2])
        worst = max(value.denominator for row in a for value in row if value is not None)
        if limit and worst > limit:
            yield f"a denominator in {name} is {worst}"


def _find_dull_layers(stages: Stages, level: str) -> Iterator[str]:
    for name in ("output", "F1", "F2"):
        if not all(map(any, stages.get(name, []))):
            yield f"a row of {name} is zero"
    for name in ("F1", "F2"):
        values = [value for row in stages.get(name, []) for value in row if value is not None]
        if values and max(values) <= 0:
            yield f"ReLU leaves nothing of {name}"
        if values and level not in GENTLE and min(values) >= 0:
            yield f"ReLU cuts nothing of {name}"
