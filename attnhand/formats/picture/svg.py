"""The sheet, or one of its stages, as SVG: strokes and letters as outlines, so that it needs no font and no style.

Names inside it are digests of what they name: several pictures can stand in one page.
"""

import hashlib
from collections.abc import Sequence
from functools import lru_cache
from html import escape

from attnhand.formats.colours import GROUND
from attnhand.formats.pdf.canvas import Area, Canvas, Stroke, write_length
from attnhand.formats.pdf.draw_page import PageDrawer
from attnhand.formats.pdf.fonts import Font
from attnhand.formats.picture.picture import GAP, Picture, make_picture
from attnhand.sheet.sheet import Sheet


def render_svg(sheet: Sheet) -> str:
    """Return the sheet, or the stage that its options name, as SVG; pages stand one under the other.

    Raises:
        PageError: the sheet draws no such stage.
    """
    return draw_svg(make_picture(sheet))


def draw_svg(picture: Picture) -> str:
    """Draw a picture."""
    layout = picture.layout
    canvas = SvgCanvas()
    for number, page in enumerate(layout.pages):
        canvas.top = number * (layout.height + GAP)
        canvas.fill_area((0.0, 0.0, layout.width, layout.height), "#fff")
        PageDrawer(canvas, layout, page).draw()
    width, height = write(layout.width), write(canvas.top + layout.height)
    ground = f'<rect width="100%" height="100%" fill="{GROUND.light}"/>' if len(layout.pages) > 1 else ""
    return "\n".join(
        (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
            f'width="{width}mm" height="{height}mm" viewBox="0 0 {width} {height}">',
            f"<title>{escape(picture.title)}</title>",
            f"<desc>{escape(picture.description)}</desc>",
            f"<defs>{''.join(canvas.definitions.values())}</defs>",
            ground,
            *canvas.elements,
            "</svg>\n",
        )
    )


class SvgCanvas(Canvas):
    """Writes the elements of an SVG file."""

    is_on_screen = True

    def __init__(self) -> None:
        """Begin with nothing."""
        self.elements: list[str] = []
        self.definitions: dict[str, str] = {}
        """Glyphs and what strokes are cut to, by their ids."""

        self.top = 0.0
        """Where the page begins, in millimetres."""

    def _show_glyphs(
        self, font: Font, text: str, x: float, baseline: float, size: float, colour: str, *, is_hidden: bool
    ) -> None:
        em, uses, at = load_outlines(font).em, [], 0.0
        for character in text:
            if outline := load_outlines(font).get_path(character):
                name = self._define(outline, f'<path id="%s" d="{outline}"/>')
                uses.append(f'<use xlink:href="#{name}"' + f' x="{at:.0f}"' * bool(at) + "/>")
            at += font.advances[character] * em
        if uses and not is_hidden:
            place = f"translate({write(x)} {write(self.top + baseline)}) scale({size / em:.5g} {-size / em:.5g})"
            self.elements.append(f'<g fill="{colour}" transform="{place}">{"".join(uses)}</g>')

    def fill_areas(
        self,
        areas: Sequence[Area],
        colour: str,
        *,
        is_even_odd: bool = False,
        origin: tuple[float, float] = (0.0, 0.0),
        unit: float = 1.0,
    ) -> None:
        left, top = origin[0], self.top + origin[1]
        path = "".join(_write_area((left + unit * x, top + unit * y, unit * w, unit * h)) for x, y, w, h in areas)
        rule = ' fill-rule="evenodd"' * is_even_odd
        self.elements.append(f'<path d="{path}" fill="{colour}"{rule}/>')

    def draw_stroke(self, stroke: Stroke, thickness: float, colour: str, *, dashes: tuple[float, ...] = ()) -> None:
        x0, y0, x1, y1 = stroke
        look = f'stroke="{colour}" stroke-width="{write(thickness)}"'
        if dashes:
            look += f' stroke-dasharray="{" ".join(map(write, dashes))}"'
            look += "" if dashes[0] else ' stroke-linecap="round"'
        start, end = (f"{write(x)} {write(self.top + y)}" for x, y in ((x0, y0), (x1, y1)))
        self.elements.append(f'<path d="M{start}L{end}" {look}/>')

    def _define(self, content: str, element: str) -> str:
        """Keep an element that others refer to, and return its id, which begins with a letter."""
        name = "a" + hashlib.sha256(content.encode()).hexdigest()[:8]
        self.definitions[name] = element % name
        return name


def write(length: float) -> str:
    """Write a length to a thousandth of a millimetre."""
    return write_length(length).decode()


def _write_area(area: Area) -> str:
    """Write a rectangle as a path.

    >>> _write_area((1, 2, 5, 2.5))
    'M1 2h5v2.5h-5z'
    """
    x, y, w, h = map(write, area)
    return f"M{x} {y}h{w}v{h}h-{w}z"


class Outlines:
    """The outlines of a font's glyphs."""

    def __init__(self, font: Font) -> None:
        """Read a font."""
        from fontTools.ttLib import TTFont

        file = TTFont(font.path)
        self.em: int = file["head"].unitsPerEm
        self.names = file.getGlyphOrder()
        self.glyphs = file.getGlyphSet()
        self.font = font
        self._paths: dict[str, str] = {}

    def get_path(self, character: str) -> str:
        """Return the outline of a character, empty for a blank."""
        if character not in self._paths:
            from fontTools.pens.svgPathPen import SVGPathPen

            pen = SVGPathPen(self.glyphs)
            self.glyphs[self.names[self.font.glyphs.get(character, 0)]].draw(pen)
            self._paths[character] = pen.getCommands()
        return self._paths[character]


@lru_cache(maxsize=6)
def load_outlines(font: Font) -> Outlines:
    """Return the outlines of a font's glyphs, read once."""
    return Outlines(font)
