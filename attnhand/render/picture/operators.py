"""What a PDF page draws, as shapes: the operators that WeasyPrint and our stamps use, and no others.

Places are millimetres from the top left corner of the page. What cannot be seen is left out.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from attnhand.render.picture.geometry import Matrix, Outline, applied, growth, product
from attnhand.sheet.text import POINT

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
    upright: Matrix = (POINT, 0, 0, -POINT, 0, top + height * POINT)
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
            b"n": lambda: self._painted(),
            b"f": lambda: self._painted(fill="f"),
            b"f*": lambda: self._painted(fill="f*"),
            b"S": lambda: self._painted(line=True),
            b"B": lambda: self._painted(fill="f", line=True),
            b"Tj": lambda text: self._shown([text]),
            b"TJ": self._shown,
        }

    def run(self, operations: Any) -> Iterator[Shape | Words]:
        """Yield what the operators draw; one that we do not know is a bug, and raises KeyError."""
        for operands, operator in operations:
            if operator in self.draw:
                yield from self.draw[operator](*operands)
            else:
                self.change[operator](*operands)

    def _set(self, **changed: Any) -> None:
        self.state = replace(self.state, **changed)

    def _restore(self) -> None:
        self.state = self.saved.pop()

    def _at(self, x: Any, y: Any) -> tuple[float, float]:
        return applied(self.state.matrix, float(x), float(y))

    def _rectangle(self, *sides: Any) -> None:
        x, y, w, h = map(float, sides)
        outline = self.path.outline
        outline.move(*self._at(x, y))
        for corner in ((x + w, y), (x + w, y + h), (x, y + h)):
            outline.line(*self._at(*corner))
        outline.close()

    def _cut(self, way: str) -> None:
        self.path.clip = way

    def _painted(self, *, fill: str = "", line: bool = False) -> Iterator[Shape]:
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

    def _shown(self, pieces: Any) -> Iterator[Words]:
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
