"""Try something many times, in all processors, and count what fell: for commands, not for ``make test``."""

import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from concurrent.futures import ProcessPoolExecutor
from functools import partial

Attempts = Mapping[str, tuple[Callable[[int], str], int]]
"""By part: what is done for each number, and how many numbers there are.

It returns what fell, nothing where all held, "refused" where the program refused in a sentence."""


def try_number(attempt: Callable[[int], str], number: int) -> str:
    """Try one number; what crashes is a fault too."""
    try:
        return attempt(number)
    except Exception:
        return f"{number} crashed: {traceback.format_exc(limit=-3)}"


def run_attempts(attempts: Attempts, arguments: list[str]) -> int:
    """Run the parts that are named as ``PART`` or ``PART=COUNT``, all if none is; returns how many attempts fell."""
    fallen = 0
    with ProcessPoolExecutor() as pool:  # Subtle: its processes may start others, as grading does
        for argument in arguments or attempts:
            part, _, count = argument.partition("=")
            attempt, usual_count = attempts[part]
            numbers = range(int(count or usual_count))
            chunk_size = max(1, min(100, len(numbers) // 20))
            outcomes = Counter[str]()
            for outcome in pool.map(partial(try_number, attempt), numbers, chunksize=chunk_size):
                outcomes[outcome] += 1
                if outcome not in ("", "refused") and outcomes[outcome] == 1:
                    print(f"  {outcome}", flush=True)  # a part may go on for an hour
            passed, refused = outcomes.pop("", 0), outcomes.pop("refused", 0)
            fell = outcomes.total()
            print(f"{part:8} {len(numbers):8,} tried, {passed:,} held, {refused:,} refused, {fell:,} fell", flush=True)
            fallen += fell
    return fallen
