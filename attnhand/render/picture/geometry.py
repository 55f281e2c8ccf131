"""Outlines on a page, and the matrices that put them there, as PDF has them."""

from dataclasses import dataclass, field
from itertools import pairwise

Matrix = tuple[float, float, float, float, float, float]

TINY = 0.005
"""Millimetres that nobody sees."""


def product(first: Matrix, then: Matrix) -> Matrix:
    """Return the matrix that does one thing and then another.

    >>> product((2, 0, 0, 2, 0, 0), (1, 0, 0, -1, 5, 5))
    (2, 0, 0, -2, 5, 5)
    """
    a, b, c, d, e, f = first
    p, q, r, s, t, u = then
    return a * p + b * r, a * q + b * s, c * p + d * r, c * q + d * s, e * p + f * r + t, e * q + f * s + u


def applied(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Return where a matrix puts a point.

    >>> applied((2, 0, 0, -2, 5, 5), 1, 1)
    (7, 3)
    """
    a, b, c, d, e, f = matrix
    return a * x + c * y + e, b * x + d * y + f


def growth(matrix: Matrix) -> float:
    """Return how much longer a matrix makes lines.

    >>> growth((0, -3, 3, 0, 5, 5))
    3.0
    """
    a, b, c, d = matrix[:4]
    return float(abs(a * d - b * c) ** 0.5)


@dataclass(slots=True)
class Outline:
    """Straight lines from point to point, in one piece or several."""

    pieces: list[list[tuple[float, float]]] = field(default_factory=list)
    closed: set[int] = field(default_factory=set)
    """Which pieces end where they began."""

    def move(self, x: float, y: float) -> None:
        """Begin a new piece."""
        self.pieces.append([(x, y)])

    def line(self, x: float, y: float) -> None:
        """Go on to a point."""
        self.pieces[-1].append((x, y))

    def close(self) -> None:
        """Go back to where the piece began."""
        self.closed.add(len(self.pieces) - 1)

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The least and the greatest x and y: x0, y0, x1, y1."""
        points = [point for piece in self.pieces for point in piece]
        xs, ys = [x for x, _ in points], [y for _, y in points]
        return min(xs), min(ys), max(xs), max(ys)

    @property
    def is_upright_rectangle(self) -> bool:
        """Say whether it is one rectangle with its sides along the page's."""
        if len(self.pieces) != 1 or len(self.pieces[0]) != 4:
            return False
        x0, y0, x1, y1 = self.box
        return all(min(abs(x - x0), abs(x - x1)) < TINY > min(abs(y - y0), abs(y - y1)) for x, y in self.pieces[0])

    def holds(self, other: "Outline", edge: float) -> bool:
        """Say whether it is a rectangle that another lies in, with so much around it."""
        if not self.is_upright_rectangle:
            return False
        x0, y0, x1, y1 = self.box
        a0, b0, a1, b1 = other.box
        room = edge - TINY
        return x0 <= a0 - room and y0 <= b0 - room and a1 + room <= x1 and b1 + room <= y1

    def path(self) -> str:
        """Write it as SVG does.

        >>> outline = Outline()
        >>> outline.move(0, 0), outline.line(5, 0), outline.line(5, 2.5), outline.close()
        (None, None, None, None)
        >>> outline.path()
        'M0 0H5V2.5Z'
        """
        return "".join(_piece(piece) + "Z" * (number in self.closed) for number, piece in enumerate(self.pieces))


def _piece(points: list[tuple[float, float]]) -> str:
    places = [(short(x), short(y)) for x, y in points]
    out = f"M{places[0][0]} {places[0][1]}"
    for (x0, y0), (x, y) in pairwise(places):
        out += f"V{y}" if x == x0 else f"H{x}" if y == y0 else f"L{x} {y}"
    return out


def short(value: float) -> str:
    """Write a length to a thousandth of a millimetre, which no eye and no printer tells from more.

    >>> short(2.50004), short(-0.0001), short(7)
    ('2.5', '0', '7')
    """
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return "0" if text == "-0" else text
