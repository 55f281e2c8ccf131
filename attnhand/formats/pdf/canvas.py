"""What pages are drawn on: text, areas, frames and strokes, in millimetres from the top left corner.

``Canvas`` says which calls there are, ``PdfCanvas`` writes them as operators of a PDF page. What is drawn between
``begin_content`` and ``end_content`` belongs to an element of the structure tree; all else is decoration.
"""

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache

from attnhand.formats.colours import read_channels
from attnhand.formats.pdf.fonts import Font, load_font
from attnhand.text.widths import MM_PER_POINT, split_by_font

Area = tuple[float, float, float, float]
"""x, y, width and height."""

Stroke = tuple[float, float, float, float]
"""From x and y to x and y."""


class Canvas(ABC):
    """The calls that draw a page."""

    is_on_screen = False
    """Whether matrices have colours of their own: on paper, red is what a key answers, and all else is ink."""

    def show_text(
        self,
        text: str,
        x: float,
        baseline: float,
        size: float,
        colour: str,
        *,
        is_bold: bool = False,
        is_italic: bool = False,
        is_hidden: bool = False,
    ) -> float:
        """Show a text in one line and return where it ends.

        Args:
            size: of the type in millimetres, as all lengths here.
            colour: as pages write it: ``#a31515``.
            is_hidden: whether it is found by readers of the file and not seen.
        """
        for piece, is_rare in split_by_font(text):
            font = load_font(is_bold=is_bold, is_italic=is_italic, is_rare=is_rare)
            self._show_glyphs(font, piece, x, baseline, size, colour, is_hidden=is_hidden)
            x += font.measure(piece) * size
        return x

    def fill_area(self, area: Area, colour: str) -> None:
        """Fill one area."""
        self.fill_areas([area], colour)

    def draw_frame(self, area: Area, thickness: float, colour: str, *, dash: str = "") -> None:
        """Draw a frame inside the edges of an area: solid, ``dashed`` or ``dotted``, from corner to corner."""
        x, y, w, h = area
        if not dash:  # what is between two areas
            inner = (x + thickness, y + thickness, w - 2 * thickness, h - 2 * thickness)
            self.fill_areas([area, inner], colour, is_even_odd=True)
            return
        # strokes are drawn along the middle of each edge: top, right, bottom, left
        half = thickness / 2
        inset = half if dash == "dotted" else 0.0  # a dot has its middle where the stroke begins
        for left, top, right, bottom, length in (
            (x + inset, y + half, x + w - inset, y + half, w),
            (x + w - half, y + inset, x + w - half, y + h - inset, h),
            (x + inset, y + h - half, x + w - inset, y + h - half, w),
            (x + half, y + inset, x + half, y + h - inset, h),
        ):
            # dash and gap: so long that a dot, or a whole dash, stands in every corner
            if dash == "dotted":
                dashes = (0.0, (length - thickness) / max(1, length // (2 * thickness)))
            else:
                each = length / (2 * (length // (6 * thickness)) + 1)
                dashes = (each, each)
            self.draw_stroke((left, top, right, bottom), thickness, colour, dashes=dashes)

    @abstractmethod
    def _show_glyphs(
        self, font: Font, text: str, x: float, baseline: float, size: float, colour: str, *, is_hidden: bool
    ) -> None:
        """Show a text that one font can set."""

    @abstractmethod
    def fill_areas(
        self,
        areas: Sequence[Area],
        colour: str,
        *,
        is_even_odd: bool = False,
        origin: tuple[float, float] = (0.0, 0.0),
        unit: float = 1.0,
    ) -> None:
        """Fill areas, all as one.

        Args:
            is_even_odd: whether what lies in two of them is left out.
            origin: where they are counted from, in a unit of so many millimetres.
        """

    @abstractmethod
    def draw_stroke(self, stroke: Stroke, thickness: float, colour: str, *, dashes: tuple[float, ...] = ()) -> None:
        """Draw a straight stroke; dashes without length are dots."""

    def begin_content(self, tag: str, number: int | None = None) -> int:
        """Begin what belongs to an element with this tag; return the number of the content on its page.

        Args:
            number: the one that was reserved for it.
        """
        return self.reserve_content() if number is None else number

    def end_content(self) -> None:  # noqa: B027  # pictures have no elements
        """End what belongs to an element."""

    def reserve_content(self) -> int:
        """Return the number of a content that is drawn later, by others."""
        return 0


class PdfCanvas(Canvas):
    """Writes the operators of a PDF page."""

    def __init__(self, *, is_fragment: bool = False) -> None:
        """Begin with nothing.

        Args:
            is_fragment: whether what is drawn goes into content that somebody else has begun.
        """
        self.operators: list[bytes] = []
        self.content_count = 0
        """How many contents belong to elements."""

        self.characters: defaultdict[str, set[str]] = defaultdict(set)
        """What was printed in every font."""

        self._is_inside = is_fragment
        self._is_artifact = False
        self._fill = self._stroke = ""

    def begin_content(self, tag: str, number: int | None = None) -> int:
        number = super().begin_content(tag, number)
        self._end_artifact()
        self.operators.append(b"/%s<</MCID %d>>BDC" % (tag.encode(), number))
        self._is_inside = True
        return number

    def end_content(self) -> None:
        self.operators.append(b"EMC")
        self._is_inside = False

    def reserve_content(self) -> int:
        self.content_count += 1
        return self.content_count - 1

    def finish(self) -> bytes:
        """Return the operators of all that was drawn."""
        self._end_artifact()
        return b"\n".join(self.operators)

    def _add(self, operators: bytes) -> None:
        if not self._is_inside and not self._is_artifact:
            self.operators.append(b"/Artifact BMC")
            self._is_artifact = True
        self.operators.append(operators)

    def _end_artifact(self) -> None:
        if self._is_artifact:
            self.operators.append(b"EMC")
            self._is_artifact = False

    def _show_glyphs(
        self, font: Font, text: str, x: float, baseline: float, size: float, colour: str, *, is_hidden: bool
    ) -> None:
        self.characters[font.resource].update(text)
        way = b" 3 Tr" if is_hidden else b""
        self._add(
            b"%sBT/%s %s Tf%s 1 0 0 -1 %s %s Tm%sTj%s ET"
            % (
                self._choose_fill(colour),
                font.resource.encode(),
                write_length(size),
                way,
                write_length(x),
                write_length(baseline),
                font.encode(text),
                b" 0 Tr" if is_hidden else b"",
            )
        )

    def fill_areas(
        self,
        areas: Sequence[Area],
        colour: str,
        *,
        is_even_odd: bool = False,
        origin: tuple[float, float] = (0.0, 0.0),
        unit: float = 1.0,
    ) -> None:
        rectangles = b" ".join(map(_write_area, areas))
        filled = b"%s%s %s" % (self._choose_fill(colour), rectangles, b"f*" if is_even_odd else b"f")
        if (*origin, unit) != (0.0, 0.0, 1.0):
            left, top = map(write_length, origin)
            place = b"%.6f 0 0 %.6f %s %s cm" % (unit, unit, left, top)
            filled = b"q %s %s Q" % (place, filled)
            self._fill = ""  # forgotten with the place
        self._add(filled)

    def draw_stroke(self, stroke: Stroke, thickness: float, colour: str, *, dashes: tuple[float, ...] = ()) -> None:
        x0, y0, x1, y1 = map(write_length, stroke)
        drawn = b"%s %s m %s %s l S" % (x0, y0, x1, y1)
        if dashes:
            drawn = b"%d J[%s]0 d %s" % (not dashes[0], b" ".join(map(write_length, dashes)), drawn)
        drawn = self._choose_stroke(thickness, colour) + drawn
        if dashes:
            drawn = b"q %s Q" % drawn
            self._stroke = ""
        self._add(drawn)

    def _choose_fill(self, colour: str) -> bytes:
        if colour == self._fill:
            return b""
        self._fill = colour
        return write_colour(colour) + b" rg "

    def _choose_stroke(self, thickness: float, colour: str) -> bytes:
        if f"{thickness} {colour}" == self._stroke:
            return b""
        self._stroke = f"{thickness} {colour}"
        return b"%s RG %s w " % (write_colour(colour), write_length(thickness))


@lru_cache(maxsize=5_000)
def write_length(value: float) -> bytes:
    """Write a length to a thousandth of a millimetre, which no eye and no printer tells from more.

    >>> write_length(2.50004), write_length(-0.0001), write_length(7)
    (b'2.5', b'0', b'7')
    """
    if isinstance(value, int):
        return b"%d" % value
    text = f"{value:.3f}".rstrip("0").rstrip(".")
    return b"0" if text == "-0" else text.encode()


@lru_cache(maxsize=10_000)  # the modules of all QR codes lie in one grid
def _write_area(area: Area) -> bytes:
    return b"%s %s %s %s re" % tuple(map(write_length, area))


@lru_cache(maxsize=100)
def write_colour(colour: str) -> bytes:
    """Write a colour as PDF does, from 0 to 1.

    >>> write_colour("#111"), write_colour("#a31515")
    (b'.0667 .0667 .0667', b'.6392 .0824 .0824')
    """
    parts = (f"{part / 255:.4f}".rstrip("0").rstrip(".") for part in read_channels(colour))
    return " ".join(part if part == "0" else part.removeprefix("0") for part in parts).encode()


def wrap_page(operators: bytes, height: float) -> bytes:
    """Return operators on a page of this height: millimetres, counted down from its top left corner."""
    return b"q %.6f 0 0 %.6f 0 %.4f cm\n%s\nQ" % (1 / MM_PER_POINT, -1 / MM_PER_POINT, height / MM_PER_POINT, operators)
