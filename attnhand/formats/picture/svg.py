"""The sheet, or one of its stages, as SVG: lines and letters as outlines, so that it needs no font and no style.

Names inside it are digests of what they name: several pictures can stand in one page.
"""

import hashlib
import io
from collections.abc import Sequence
from html import escape
from typing import Any

from attnhand.formats.colours import GROUND
from attnhand.formats.picture.operators import Area, Shape, Words, map_point, shapes_of, short
from attnhand.formats.picture.pictured import GAP, make_picture
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import MM_PER_POINT


def render_svg(sheet: Sheet) -> str:
    """Return the sheet, or the stage that its options name, as SVG; pages stand one under the other.

    Raises:
        PageError: the sheet draws no such stage.
        MissingLibraryError: Pango is not installed on this system.
    """
    picture = make_picture(sheet)
    return svg_of_pdf(picture.pdf, title=picture.title, description=picture.description)


def svg_of_pdf(pdf: bytes, *, title: str, description: str) -> str:
    """Return the pages of one of our PDFs as SVG, one under the other."""
    from pypdf import PdfReader

    pages = list(PdfReader(io.BytesIO(pdf)).pages)
    sizes = [(float(page.mediabox.width), float(page.mediabox.height)) for page in pages]
    width, height = (
        max(w for w, _ in sizes) * MM_PER_POINT,
        sum(h for _, h in sizes) * MM_PER_POINT + GAP * (len(pages) - 1),
    )
    drawing = _Drawing()
    top = 0.0
    for page, (w, h) in zip(pages, sizes, strict=True):
        drawing.draw_page(page, w, h, top)
        top += h * MM_PER_POINT + GAP
    ground = f'<rect width="100%" height="100%" fill="{GROUND.light}"/>' if len(pages) > 1 else ""
    return "\n".join(
        (
            '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" role="img" '
            f'width="{short(width)}mm" height="{short(height)}mm" viewBox="0 0 {short(width)} {short(height)}">',
            f"<title>{escape(title)}</title>",
            f"<desc>{escape(description)}</desc>",
            f"<defs>{''.join(drawing.definitions.values())}</defs>",
            ground,
            *drawing.elements,
            "</svg>\n",
        )
    )


class _Drawing:
    """Collect elements, and what they refer to."""

    def __init__(self) -> None:
        self.definitions: dict[str, str] = {}
        """Glyphs and clips, by their ids."""

        self.elements: list[str] = []

    def draw_page(self, page: Any, width: float, height: float, top: float) -> None:
        """Draw a page of so many points from a height in millimetres on."""
        fonts = {name: _Outlines(entry) for name, entry in page["/Resources"]["/Font"].items()}
        paper = f'width="{short(width * MM_PER_POINT)}" height="{short(height * MM_PER_POINT)}"'
        self.elements.append(f'<rect y="{short(top)}" {paper} fill="#fff"/>')
        for shape in shapes_of(page, height, top):
            self.elements.append(
                self._words(shape, fonts[shape.font]) if isinstance(shape, Words) else self._shape(shape)
            )

    def _shape(self, shape: Shape) -> str:
        if shape.line:
            dashes = f' stroke-dasharray="{" ".join(map(short, shape.dashes))}"' if shape.dashes else ""
            look = f'fill="none" stroke="{shape.colour}" stroke-width="{short(shape.line)}"{dashes}'
        else:
            look = f'fill="{shape.colour}"' + ' fill-rule="evenodd"' * shape.even_odd
        clips = [clip for clip in shape.clips if not clip.outline.contains(shape.outline, shape.line / 2)]
        cut = f' clip-path="url(#{self._clip(clips)})"' if clips else ""
        return f'<path d="{shape.outline.path()}" {look}{cut}/>'

    def _clip(self, clips: Sequence[Area]) -> str:
        """Return the id of what all these areas share."""
        before = f' clip-path="url(#{self._clip(clips[:-1])})"' if len(clips) > 1 else ""
        rule = ' clip-rule="evenodd"' * clips[-1].even_odd
        path = f'<path d="{clips[-1].outline.path()}"{rule}/>'
        name = _digest(before + path)
        self.definitions[name] = f'<clipPath id="{name}"{before}>{path}</clipPath>'
        return name

    def _words(self, words: Words, font: "_Outlines") -> str:
        """Draw a line's glyphs, none of which is turned or slanted, in units of their font."""
        x, y = map_point(words.place, 0.0, 0.0)
        scale = words.place[0] / font.em
        uses, at = [], 0
        for glyph in words.glyphs:
            if outline := font.path(glyph):
                name = _digest(outline)
                self.definitions[name] = f'<path id="{name}" d="{outline}"/>'
                uses.append(f'<use xlink:href="#{name}"' + f' x="{at}"' * bool(at) + "/>")
            at += font.advance(glyph)
        place = f"translate({short(x)} {short(y)}) scale({scale:.5g} {-scale:.5g})"
        return f'<g fill="{words.colour}" transform="{place}">{"".join(uses)}</g>' if uses else ""


class _Outlines:
    """The glyphs of a font that a PDF embeds."""

    def __init__(self, entry: Any) -> None:
        from fontTools.ttLib import TTFont  # comes with WeasyPrint

        file = entry["/DescendantFonts"][0].get_object()["/FontDescriptor"]["/FontFile2"]
        self.font = TTFont(io.BytesIO(file.get_data()))
        self.em: int = self.font["head"].unitsPerEm
        self.glyphs = self.font.getGlyphSet()
        self.paths: dict[int, str] = {}

    def path(self, glyph: int) -> str:
        """Return a glyph's outline; empty for a blank."""
        if glyph not in self.paths:
            from fontTools.pens.svgPathPen import SVGPathPen

            pen = SVGPathPen(self.glyphs)
            self.glyphs[self.font.getGlyphName(glyph)].draw(pen)
            self.paths[glyph] = pen.getCommands()
        return self.paths[glyph]

    def advance(self, glyph: int) -> int:
        """Return how far the next glyph stands."""
        return int(self.font["hmtx"][self.font.getGlyphName(glyph)][0])


def _digest(text: str) -> str:
    """Return a short name; ids begin with a letter."""
    return "a" + hashlib.sha256(text.encode()).hexdigest()[:8]
