"""Where a page is free for one more box."""

from collections.abc import Iterator, Sequence
from math import hypot

from attnhand.layout.page import Box


def find_free_place(occupied: Sequence[Box], area: Box, size: tuple[float, float], near: Box) -> Box | None:
    """Return the place for a box of a size that touches no other, as near to one of them as can be; None where none is.

    >>> page, left, below = Box(0, 0, 100, 50), Box(0, 0, 60, 20), Box(0, 30, 100, 20)
    >>> find_free_place([left, below], page, (30, 20), below)
    Box(x=60, y=10, w=30, h=20)
    >>> find_free_place([left, below], page, (50, 20), below) is None
    True
    """
    places = sorted(_list_corners(occupied, area, size), key=lambda place: _measure_distance(place, near))
    return next((place for place in places if area.contains(place) and not any(map(place.overlaps, occupied))), None)


def _list_corners(occupied: Sequence[Box], area: Box, size: tuple[float, float]) -> Iterator[Box]:
    """Yield the box flush with the edges of the area and of every other box."""
    w, h = size
    lefts = {area.x, area.right - w, *(box.right for box in occupied), *(box.x - w for box in occupied)}
    tops = {area.y, area.bottom - h, *(box.bottom for box in occupied), *(box.y - h for box in occupied)}
    for x in sorted(lefts):
        for y in sorted(tops):
            yield Box(x, y, w, h)


def _measure_distance(one: Box, other: Box) -> float:
    """Return how far the middles of two boxes are from each other."""
    return hypot(one.x + one.w / 2 - other.x - other.w / 2, one.y + one.h / 2 - other.y - other.h / 2)
