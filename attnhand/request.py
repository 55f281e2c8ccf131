"""What a sheet was asked to be: everything that, with the salt, decides its numbers."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field

from attnhand.arithmetic import HAND, Rules
from attnhand.errors import GenerationError
from attnhand.mechanisms import MECHANISMS, Convention
from attnhand.problem import SIZE_LIMITS
from attnhand.vetting import Level

LARGEST_SEED = 2**32 - 1

LEVEL_SIZES: Mapping[Level, Mapping[str, int]] = {
    Level.WARM_UP: {"tokens": 3, "features": 4, "d_k": 2, "d_v": 2},
    Level.STANDARD: {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3},
    Level.CHALLENGE: {"tokens": 6, "features": 6, "d_k": 4, "d_v": 4},
}
"""Sizes of a level, each of which an option may override."""

LARGEST_DRAWN_SEED = 999_999
"""Seeds drawn for those who give none are short enough to be read aloud."""

FEWEST_FEATURES = 2
"""One feature cannot tell tokens apart."""


def drawn_seed() -> int:
    """Draw a seed for somebody who gave none."""
    return secrets.randbelow(LARGEST_DRAWN_SEED + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A seed and the options that shape its numbers; a sheet code carries exactly this."""

    seed: int
    mechanism: str = "self"
    convention: Convention = Convention.COLUMNS
    level: Level = Level.STANDARD
    sizes: tuple[tuple[str, int], ...] = ()
    """Sizes that differ from the level's; filled up and sorted on entry, see ``all_sizes``."""

    rules: Rules = HAND
    ties: bool = False
    """Whether two tokens may share the largest weight of a query."""

    all_sizes: Mapping[str, int] = field(init=False, compare=False, hash=False)
    """Every size by name."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed <= LARGEST_SEED:
            raise GenerationError(f"the seed {self.seed} is out of range: use a whole number from 0 to {LARGEST_SEED}")
        if self.mechanism not in MECHANISMS:
            raise GenerationError(f"the mechanism {self.mechanism!r} is unknown: use {', '.join(MECHANISMS)}")
        level_sizes = LEVEL_SIZES[self.level]
        sizes = {name: size for name, size in self.sizes if level_sizes[name] != size}
        for name, size in sizes.items():
            smallest, largest = SIZE_LIMITS[name]
            smallest = max(smallest, FEWEST_FEATURES) if name == "features" else smallest
            if not smallest <= size <= largest:
                option = "--" + name.replace("_", "-")
                raise GenerationError(f"{option} {size} is out of range: use {smallest} to {largest}")
        object.__setattr__(self, "sizes", tuple(sorted(sizes.items())))
        object.__setattr__(self, "all_sizes", {**level_sizes, **sizes})

    @property
    def is_plain(self) -> bool:
        """Say whether nothing but the seed shapes the numbers."""
        return self == Request(seed=self.seed)
