"""Break a sheet into pages: of all ways the one that costs least, by what is worst first.

A softmax torn is worse than one page more; so are two pages more than two fifths empty, and three than two; then
numbers to copy count, then white.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache
from math import ceil
from typing import NamedTuple

MAX_EMPTY_SHARE = 0.4
"""Of a page but the last."""

HOLE_COST = 0.3
"""Of a page that is too empty, in pages."""

LAST_PAGE_SHARE = 0.2
"""What the white of the last page counts of that of another."""


class Cost(NamedTuple):
    """What is wrong with pages, the worst first."""

    torn: int = 0
    """Softmaxes on two pages."""

    pages: float = 0.0
    """With something added for each but the last that is too empty."""

    effort: float = 0.0
    """Numbers to copy, and what tighter rows cost."""

    emptiness: float = 0.0
    """White, in pages."""

    @property
    def least_page_count(self) -> int:
        """How many pages there are at least, in whichever way they are broken: all but the last may be too empty."""
        return ceil((self.pages + HOLE_COST) / (1 + HOLE_COST) - 1e-9)

    def __add__(self, other: "Cost") -> "Cost":  # type: ignore[override]  # costs add up number by number
        return Cost(
            torn=self.torn + other.torn,
            pages=self.pages + other.pages,
            effort=self.effort + other.effort,
            emptiness=self.emptiness + other.emptiness,
        )


@dataclass(frozen=True, slots=True)
class Block:
    """What stays together on a page."""

    needs: str = ""
    """The stage that has to stand above it on its page, or is copied."""

    makes: tuple[str, ...] = ()
    copied_numbers: int = 0
    """How many numbers are copied where it does not stand there."""

    tied_to_previous: bool = False
    """Whether a break before it tears a softmax."""


def find_breaks(
    blocks: Sequence[Block], measure_pages: Callable[[int], Iterable[tuple[float, float]]]
) -> tuple[Cost, list[int]] | None:
    """Return what the best pages cost and where each begins; None where some block fits no page.

    Args:
        measure_pages: of a page that begins with a block, 0-based, how high it is and how much room it has: with that
            block alone, with the next, and so on.
    """

    @cache
    def find_from(start: int) -> tuple[Cost, tuple[int, ...]] | None:
        if start == len(blocks):
            return Cost(), ()
        best: tuple[Cost, tuple[int, ...]] | None = None
        made: set[str] = set()
        copied_numbers = 0
        for end, (used, room) in enumerate(measure_pages(start), start + 1):
            if used > room + 0.01:
                break
            block = blocks[end - 1]
            copied_numbers += block.copied_numbers if block.needs and block.needs not in made else 0
            made |= {*block.makes, block.needs}
            rest = find_from(end)
            if rest is None:
                continue
            is_last = end == len(blocks)
            white = 1 - used / room
            cost = Cost(
                torn=int(blocks[start].tied_to_previous),
                pages=1 + HOLE_COST * (not is_last and white > MAX_EMPTY_SHARE),
                effort=copied_numbers,
                emptiness=white * (LAST_PAGE_SHARE if is_last else 1.0),
            )
            total = cost + rest[0]
            if best is None or total < best[0]:
                best = total, (start, *rest[1])
        return best

    found = find_from(0)
    return None if found is None else (found[0], [*found[1]])
