"""A thousand seeds of every level, mechanism and option: attention does something, and the key is the oracle's.

``python -m tests.problems.sweep`` (``make sweep``), with another number of seeds if one is given, and with levels and
forms if not all are wanted: ``python -m tests.problems.sweep 1000 standard self-cache online``.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor

from attnhand.attention.mechanisms import Variant
from attnhand.errors import AttnhandError
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from tests.forms import FORMS, WORDS
from tests.swept_sheet import find_broken_house_rules, find_dull_attention, find_wrong_keys

SWEPT_FORMS: dict[str, Variant] = {
    **FORMS,
    "block-4": Variant(mechanism="block", heads=4),
    "self-window": Variant(is_causal=True, window=2),
    "self-words-causal": Variant(embedded_words=WORDS, is_causal=True),
    "self-three-words": Variant(embedded_words=("the", "cat", "the")),
    "self-two-words-causal": Variant(embedded_words=("two", "words"), is_causal=True),
    "basic-words": Variant(mechanism="basic", embedded_words=WORDS),
    "basic-words-positions": Variant(mechanism="basic", embedded_words=WORDS, has_positions=True),
    "basic-words-positions-causal": Variant(
        mechanism="basic", embedded_words=WORDS, has_positions=True, is_causal=True
    ),
    "cross-words": Variant(mechanism="cross", embedded_words=WORDS),
    "cross-words-positions": Variant(mechanism="cross", embedded_words=WORDS, has_positions=True),
    "multi-head-2-words": Variant(mechanism="multi-head", embedded_words=WORDS),
    "multi-head-2-words-positions-causal": Variant(
        mechanism="multi-head", embedded_words=WORDS, has_positions=True, is_causal=True
    ),
}
"""Every mechanism with every option that it takes."""

SWEPT_SIZES: dict[str, dict[str, int]] = {
    "tokens 2": {"tokens": 2},
    "tokens 6": {"tokens": 6},
    "tokens 8": {"tokens": 8},
    "features 3": {"features": 3},
    "features 12": {"features": 12},
    "d_k 1": {"d_k": 1},
    "d_k 8": {"d_k": 8},
    "d_v 1": {"d_v": 1},
}
"""Some sizes of one's own, for self-attention."""

SEEDS = 1_000
CHUNK = 25


def check_sheets(
    name: str, variant: Variant, level: Level, seeds: range, sizes: tuple[tuple[str, int], ...] = ()
) -> Iterator[str]:
    """Yield what is dull about the sheets of some seeds and wrong in their keys, as columns and as rows."""
    for seed in seeds:
        request = Request(seed=seed, variant=variant, level=level, size_overrides=sizes)
        try:
            problem = generate_problem(request)
        except AttnhandError as refusal:
            yield f"{name}, {level}, seed {seed} refused: {refusal}"
            continue
        faults = [*find_dull_attention(problem, level), *find_wrong_keys(problem)]
        if name in FORMS:
            faults += find_broken_house_rules(problem, level)
        yield from (f"{name}, {level}, seed {seed}: {fault}" for fault in faults)


def list_cases() -> list[tuple[str, Variant, Level, tuple[tuple[str, int], ...]]]:
    """Return everything that is swept."""
    forms = [(name, form, level, ()) for name, form in SWEPT_FORMS.items() for level in Level]
    sizes = [(name, Variant(), level, tuple(sizes.items())) for name, sizes in SWEPT_SIZES.items() for level in Level]
    return [*forms, *sizes]


def _sweep_chunk(
    case: tuple[str, Variant, Level, tuple[tuple[str, int], ...]], seeds: range
) -> tuple[list[str], float]:
    start = time.process_time()
    name, variant, level, sizes = case
    return [*check_sheets(name, variant, level, seeds, sizes)], time.process_time() - start


def main() -> None:
    """Sweep, and say what was wrong with sheets of each kind, and how long one took."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    levels = [level for level in Level if level in sys.argv[2:]]
    names = {*sys.argv[2:]} - {*levels}
    failures: list[str] = []
    with ProcessPoolExecutor() as pool:
        for case in list_cases():
            if case[0] not in (names or {case[0]}) or case[2] not in (levels or Level):
                continue
            chunks = [range(first, min(first + CHUNK, count)) for first in range(0, count, CHUNK)]
            results = [*pool.map(_sweep_chunk, [case] * len(chunks), chunks)]
            found = [fault for faults, _ in results for fault in faults]
            milliseconds = sum(seconds for _, seconds in results) / count * 1000
            kinds = Counter(fault.partition(": ")[2] for fault in found)
            line = f"{case[0]:38} {case[2]:10} {count} seeds, {milliseconds:6.1f} ms, {len(found)} faults"
            print(line, *kinds.items(), flush=True)  # noqa: T201
            failures += found
    for fault in failures[:40]:
        print(fault)  # noqa: T201
    sys.exit(f"{len(failures)} faults" if failures else 0)


if __name__ == "__main__":
    main()
