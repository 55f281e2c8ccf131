"""The bundled fonts as a PDF embeds them: whole, so that what is stamped and what WeasyPrint drew use the same."""

import io
import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import cache

from attnhand.render.html import FONTS, NAME_FONTS
from attnhand.render.stamping.kept import kept
from attnhand.resources import template_dir

EMBEDDED = {"GlyphOrder", "glyf", "loca", "head", "hhea", "hmtx", "maxp", "cvt ", "fpgm", "prep"}
"""Tables that a PDF needs of a font; the map of characters and what shapes words is not among them."""


@dataclass(frozen=True, slots=True, eq=False)
class Font:
    """One bundled font."""

    resource: str
    """What contents call it: F1."""

    name: str
    glyphs: dict[str, int]
    """Glyph numbers by character."""

    advances: tuple[float, ...]
    """In em, by glyph number."""

    ascent: float
    descent: float
    """In em; negative."""

    file: bytes
    """The TrueType file, deflated."""

    length: int
    """Of the file, inflated."""

    def encoded(self, text: str) -> bytes:
        """Return a text as a PDF string of glyph numbers; what the font lacks becomes the empty box."""
        return b"<" + "".join(f"{self.glyphs.get(c, 0):04x}" for c in text).encode() + b">"

    def advances_of(self, text: str) -> list[float]:
        """Return how wide every character is, in em."""
        return [self.advances[self.glyphs.get(c, 0)] for c in text]


@cache
def fonts() -> tuple[Font, ...]:
    """Return the regular font and the bold one, F1 and F2."""
    return tuple(_font(f"F{number}", file) for number, file in enumerate(FONTS.values(), 1))


@cache
def name_fonts() -> tuple[Font, ...]:
    """Return the fonts for rare letters of names, regular and bold, F3 and F4."""
    return tuple(_font(f"F{number}", file) for number, file in enumerate(NAME_FONTS.values(), 3))


def _font(resource: str, file: str) -> Font:
    data = json.loads(kept("font", file, lambda: _read(file)))
    return Font(
        resource=resource,
        name=data["name"],
        glyphs=data["glyphs"],
        advances=tuple(data["advances"]),
        ascent=data["ascent"],
        descent=data["descent"],
        file=b64decode(data["file"]),
        length=data["length"],
    )


def _read(file: str) -> bytes:
    from fontTools.ttLib import TTFont  # comes with WeasyPrint

    font = TTFont(template_dir() / "fonts" / file, recalcTimestamp=False)
    em = font["head"].unitsPerEm
    order = font.getGlyphOrder()
    characters = sorted(font.getBestCmap().items())
    font.flavor = None
    for table in set(font.keys()) - EMBEDDED:
        del font[table]
    whole = io.BytesIO()
    font.save(whole, reorderTables=None)
    numbers = {name: number for number, name in enumerate(order)}
    data = {
        "name": file.removesuffix(".woff2").replace("DejaVu", "Sheet"),
        "glyphs": {chr(code): numbers[name] for code, name in characters},
        "advances": [font["hmtx"][name][0] / em for name in order],
        "ascent": font["hhea"].ascent / em,
        "descent": font["hhea"].descent / em,
        "file": b64encode(zlib.compress(whole.getvalue(), 9)).decode(),
        "length": len(whole.getvalue()),
    }
    return json.dumps(data).encode()


def font_objects(font: Font, first: int) -> list[bytes]:
    """Return a font's PDF objects: the font itself, its glyphs, descriptor, file and Unicode map, numbered so."""
    widths = " ".join(f"{1000 * advance:.0f}" for advance in font.advances)
    name = font.name.encode()
    ascent, descent = round(1000 * font.ascent), round(1000 * font.descent)
    box = f"[-1000 {descent} 2000 {ascent}]"
    unicodes = zlib.compress(_unicodes(font), 9)
    return [
        b"<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>"
        % (name, first + 1, first + 4),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>/CIDToGIDMap/Identity/W[0[%s]]/FontDescriptor %d 0 R>>" % (name, widths.encode(), first + 2),
        b"<</Type/FontDescriptor/FontName/%s/FontFamily(Sheet Sans)/Flags 4/FontBBox%s/ItalicAngle 0/Ascent %d"
        b"/Descent %d/CapHeight %d/StemV 80/FontFile2 %d 0 R>>"
        % (name, box.encode(), ascent, descent, ascent, first + 3),
        stream(font.file, b"/Filter/FlateDecode/Length1 %d" % font.length),
        stream(unicodes, b"/Filter/FlateDecode"),
    ]


def stream(data: bytes, entries: bytes) -> bytes:
    """Return a PDF stream object."""
    return b"<<%s/Length %d>>stream\n%s\nendstream" % (entries, len(data), data)


def _unicodes(font: Font) -> bytes:
    """Return the map from glyph numbers to Unicode that makes text searchable."""
    pairs = sorted({number: c for c, number in reversed(font.glyphs.items())}.items())
    lines = ["/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def"]
    lines.append("/CMapName /SheetSans def 1 begincodespacerange <0000> <ffff> endcodespacerange")
    for start in range(0, len(pairs), 100):
        some = pairs[start : start + 100]
        lines.append(f"{len(some)} beginbfchar")
        lines += [f"<{number:04x}> <{c.encode('utf-16-be').hex()}>" for number, c in some]
        lines.append("endbfchar")
    lines.append("endcmap CMapName currentdict /CMap defineresource pop end end")
    return "\n".join(lines).encode()
