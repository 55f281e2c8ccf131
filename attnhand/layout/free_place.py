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
    places = _list_free_places(occupied, area, size)
    return min(places, key=lambda place: _measure_distance(place, near), default=None)


def _list_free_places(occupied: Sequence[Box], area: Box, size: tuple[float, float]) -> Iterator[Box]:
    """Yield where the box is flush with edges of the area or of other boxes, and touches none of them."""
    w, h = size
    lefts = {area.x, area.right - w, *(box.right for box in occupied), *(box.x - w for box in occupied)}
    tops = {area.y, area.bottom - h, *(box.bottom for box in occupied), *(box.y - h for box in occupied)}
    inner_tops = [y for y in sorted(tops) if area.contains(Box(area.x, y, 0.0, h))]
    for x in sorted(lefts):
        if area.contains(Box(x, area.y, w, 0.0)):
            in_column = [(box.y, box.bottom) for box in occupied if x < box.right and box.x < x + w]
            for y in inner_tops:
                if not any(y < bottom and top < y + h for top, bottom in in_column):
                    yield Box(x, y, w, h)


def _measure_distance(one: Box, other: Box) -> float:
    """Return how far the middles of two boxes are from each other."""
    return hypot(one.x + one.w / 2 - other.x - other.w / 2, one.y + one.h / 2 - other.y - other.h / 2)
