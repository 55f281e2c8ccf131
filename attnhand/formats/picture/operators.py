"""What a PDF page draws, as shapes: the operators that WeasyPrint and our stamps use, and no others.

Places are millimetres from the top left corner of the page. What cannot be seen is left out.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import pairwise
from typing import Any

from attnhand.text.widths import MM_PER_POINT

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


def map_point(matrix: Matrix, x: float, y: float) -> tuple[float, float]:
    """Return where a matrix puts a point.

    >>> map_point((2, 0, 0, -2, 5, 5), 1, 1)
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

    def contains(self, other: "Outline", edge: float) -> bool:
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


INVISIBLE = 3
"""The way to render text that only readers of the file find."""


@dataclass(frozen=True, slots=True)
class Area:
    """What is cut out of what is drawn."""

    outline: Outline
    even_odd: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """An outline, filled or drawn as a line."""

    outline: Outline
    colour: str
    even_odd: bool = False
    line: float = 0.0
    """How thick the line is; 0 where it is filled."""

    dashes: tuple[float, ...] = ()
    clips: tuple[Area, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """Glyphs on a line."""

    font: str
    glyphs: tuple[int, ...]
    place: Matrix
    """From the font's em to the page."""

    colour: str


@dataclass(frozen=True, slots=True, kw_only=True)
class _State:
    matrix: Matrix
    fill: str = "#000"
    line: str = "#000"
    alpha: float = 1.0
    """Of what is filled, words too."""

    width: float = 1.0
    dashes: tuple[float, ...] = ()
    clips: tuple[Area, ...] = ()
    words: Matrix = (1, 0, 0, 1, 0, 0)
    font: str = ""
    size: float = 0.0
    way: int = 0


@dataclass(slots=True)
class _Path:
    outline: Outline = field(default_factory=Outline)
    clip: str = ""
    """How it cuts what follows: W or W*; empty where it does not."""


def shapes_of(page: Any, height: float, top: float) -> Iterator[Shape | Words]:
    """Yield what a page of pypdf draws, in its order.

    Args:
        height: of the page in points.
        top: where the page begins, in millimetres.
    """
    from pypdf.generic import ContentStream

    alphas = {name: float(entry.get("/ca", 1)) for name, entry in page["/Resources"].get("/ExtGState", {}).items()}
    upright: Matrix = (MM_PER_POINT, 0, 0, -MM_PER_POINT, 0, top + height * MM_PER_POINT)
    contents = ContentStream(page.get_contents(), page.pdf)
    yield from _Machine(upright, alphas).run(contents.operations)


class _Machine:
    """Follow the operators of one page."""

    def __init__(self, matrix: Matrix, alphas: Mapping[str, float]) -> None:
        self.state = _State(matrix=matrix)
        self.saved: list[_State] = []
        self.path = _Path()
        self.alphas = alphas
        self.change: Mapping[bytes, Callable[..., None]] = {
            b"q": lambda: self.saved.append(self.state),
            b"Q": self._restore,
            b"cm": lambda *m: self._set(matrix=product(_numbers(m), self.state.matrix)),
            # /a0.5 is WeasyPrint's state for what is filled; /A0.5, for lines, does nothing: ours are opaque
            b"gs": lambda name: self._set(alpha=self.alphas[name]) if "a" in name else None,
            b"rg": lambda *c: self._set(fill=colour(*c)),
            b"g": lambda c: self._set(fill=colour(c, c, c)),
            b"RG": lambda *c: self._set(line=colour(*c)),
            b"G": lambda c: self._set(line=colour(c, c, c)),
            b"w": lambda width: self._set(width=float(width)),
            b"d": lambda dashes, _: self._set(dashes=tuple(map(float, dashes))),
            b"BT": lambda: self._set(words=(1, 0, 0, 1, 0, 0)),
            b"Tm": lambda *m: self._set(words=_numbers(m)),
            b"Tf": lambda font, size: self._set(font=font, size=float(size)),
            b"Tr": lambda way: self._set(way=int(way)),
            b"m": lambda x, y: self.path.outline.move(*self._at(x, y)),
            b"l": lambda x, y: self.path.outline.line(*self._at(x, y)),
            b"h": lambda: self.path.outline.close(),
            b"re": self._rectangle,
            b"W": partial(self._cut, "W"),
            b"W*": partial(self._cut, "W*"),
            **dict.fromkeys((b"ET", b"BMC", b"BDC", b"EMC", b"J", b"j", b"M"), lambda *_: None),
        }
        self.draw: Mapping[bytes, Callable[..., Iterator[Shape | Words]]] = {
            b"n": lambda: self._paint_path(),
            b"f": lambda: self._paint_path(fill="f"),
            b"f*": lambda: self._paint_path(fill="f*"),
            b"S": lambda: self._paint_path(line=True),
            b"B": lambda: self._paint_path(fill="f", line=True),
            b"Tj": lambda text: self._show_glyphs([text]),
            b"TJ": self._show_glyphs,
        }

    def run(self, operations: Any) -> Iterator[Shape | Words]:
        """Yield what the operators draw; one that we do not know is a bug, and raises KeyError."""
        for operands, operator in operations:
            if operator in self.draw:
                yield from self.draw[operator](*operands)
            else:
                self.change[operator](*operands)

    def _set(self, **changes: Any) -> None:
        self.state = replace(self.state, **changes)

    def _restore(self) -> None:
        self.state = self.saved.pop()

    def _at(self, x: Any, y: Any) -> tuple[float, float]:
        return map_point(self.state.matrix, float(x), float(y))

    def _rectangle(self, *sides: Any) -> None:
        x, y, w, h = map(float, sides)
        outline = self.path.outline
        outline.move(*self._at(x, y))
        for corner in ((x + w, y), (x + w, y + h), (x, y + h)):
            outline.line(*self._at(*corner))
        outline.close()

    def _cut(self, way: str) -> None:
        self.path.clip = way

    def _paint_path(self, *, fill: str = "", line: bool = False) -> Iterator[Shape]:
        path, state = self.path, self.state
        self.path = _Path()
        if fill and state.alpha:
            yield Shape(outline=path.outline, colour=state.fill, even_odd=fill == "f*", clips=state.clips)
        if line:
            scale = growth(state.matrix)
            dashes = tuple(scale * each for each in state.dashes)
            width = scale * state.width
            yield Shape(outline=path.outline, colour=state.line, line=width, dashes=dashes, clips=state.clips)
        if path.clip:
            self._set(clips=(*state.clips, Area(path.outline, path.clip == "W*")))

    def _show_glyphs(self, pieces: Any) -> Iterator[Words]:
        """Yield the glyphs of a text; what stands between its pieces is 0, as nothing is spaced by hand."""
        state = self.state
        if state.way == INVISIBLE or not state.alpha:
            return
        data = b"".join(piece.original_bytes for piece in pieces if not isinstance(piece, int | float))
        glyphs = tuple(int.from_bytes(data[at : at + 2]) for at in range(0, len(data), 2))
        place = product((state.size, 0, 0, state.size, 0, 0), product(state.words, state.matrix))
        yield Words(font=state.font, glyphs=glyphs, place=place, colour=state.fill)


def colour(red: Any, green: Any, blue: Any) -> str:
    """Write a colour as pages do.

    >>> colour(1, 0.4, 0), colour(0.639216, 0.082353, 0.082353)
    ('#f60', '#a31515')
    """
    parts = [f"{round(255 * float(part)):02x}" for part in (red, green, blue)]
    short = all(part[0] == part[1] for part in parts)
    return "#" + "".join(part[0] if short else part for part in parts)


def _numbers(operands: Any) -> Matrix:
    a, b, c, d, e, f = map(float, operands)
    return a, b, c, d, e, f
