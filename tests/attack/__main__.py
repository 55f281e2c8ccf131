"""Attack the program as a stranger would: ``python -m tests.attack [PART[=COUNT] …]``, all parts if none is named.

``keys``: sheets against an oracle. ``kills``: runs of ``class`` and ``grade`` that are killed. ``races``: two at
once in one folder. ``texts``: hostile texts everywhere a text can be. ``fetches``: files that ask for others, and for
the network. Damaged files are thrown by ``python -m tests.fuzz``.
"""

import multiprocessing
import sys
import traceback
from collections import Counter
from collections.abc import Callable, Mapping
from functools import partial

from tests.attack.crashes import attack_kill, attack_race
from tests.attack.keys import attack_key
from tests.attack.texts import FETCH_COUNT, TEXT_COUNT, attack_fetch, attack_text

ATTACKS: Mapping[str, tuple[Callable[[int], str], int]] = {
    "keys": (attack_key, 100_000),
    "kills": (attack_kill, 200),
    "races": (attack_race, 200),
    "texts": (attack_text, TEXT_COUNT),
    "fetches": (attack_fetch, FETCH_COUNT),
}
"""What is done for each number, and how many numbers there are; it returns what fell, nothing where all held."""


def try_attack(part: str, number: int) -> str:
    """Run one attack; what it crashes is a fault too."""
    try:
        return ATTACKS[part][0](number)
    except Exception:
        return f"{number} crashed: {traceback.format_exc(limit=-3)}"


def main(arguments: list[str]) -> int:
    """Run the parts that are named; returns how many attacks fell something."""
    fallen = 0
    with multiprocessing.Pool() as pool:
        for argument in arguments or ATTACKS:
            part, _, count = argument.partition("=")
            numbers = range(int(count or ATTACKS[part][1]))
            attack = partial(try_attack, part)
            outcomes = Counter(pool.imap_unordered(attack, numbers, chunksize=max(1, min(100, len(numbers) // 20))))
            held, refused = outcomes.pop("", 0), outcomes.pop("refused", 0)
            print(f"{part:8} {len(numbers):8,} attacks, {held:,} held, {refused:,} refused, {outcomes.total()} fell")
            for outcome, times in outcomes.most_common(10):
                print(f"  {times} times: {outcome}", flush=True)
            fallen += outcomes.total()
    return fallen


if __name__ == "__main__":
    sys.exit(1 if main(sys.argv[1:]) else 0)
