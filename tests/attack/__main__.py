"""Attack the program as a stranger would: ``python -m tests.attack [PART[=COUNT] …]``, all parts if none is named.

``keys``: sheets against an oracle. ``kills``: runs of ``class`` and ``grade`` that are killed. ``races``: two at
once in one folder. ``texts``: hostile texts everywhere a text can be. ``fetches``: files that ask for others, and for
the network. Damaged files are thrown by ``python -m tests.fuzz``.
"""

import sys

from tests.attack.crashes import attack_kill, attack_race
from tests.attack.keys import attack_key
from tests.attack.texts import FETCH_COUNT, TEXT_COUNT, attack_fetch, attack_text
from tests.attempts import Attempts, run_attempts

ATTACKS: Attempts = {
    "keys": (attack_key, 100_000),
    "kills": (attack_kill, 200),
    "races": (attack_race, 200),
    "texts": (attack_text, TEXT_COUNT),
    "fetches": (attack_fetch, FETCH_COUNT),
}

if __name__ == "__main__":
    sys.exit(1 if run_attempts(ATTACKS, sys.argv[1:]) else 0)
