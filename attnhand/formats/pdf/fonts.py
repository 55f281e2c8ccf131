"""The bundled fonts as a PDF embeds them: whole, so that what is stamped and what WeasyPrint drew use the same."""

import io
import json
import zlib
from base64 import b64decode, b64encode
from dataclasses import dataclass
from functools import cache
from typing import Any

from attnhand.formats.html import FONTS, NAME_FONTS
from attnhand.formats.pdf.objects import stream
from attnhand.system.cache import cached
from attnhand.system.resources import get_template_dir
from attnhand.text import LANGUAGES, get_language

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

    whole: "FontFile"
    common: "FontFile"
    """The same glyphs under the same numbers, but only those of characters that every sheet may hold."""

    codes: "Codes"
    """What a PDF string calls every character."""

    def encoded(self, text: str) -> bytes:
        """Return a text as a PDF string of glyph numbers; what the font lacks becomes the empty box."""
        return b"<%s>" % "".join(map(self.codes.__getitem__, text)).encode()

    def advance_of(self, character: str) -> float:
        """Return how wide a character is, in em."""
        return self.advances[self.glyphs.get(character, 0)]


class Codes(dict[str, str]):
    """The hexadecimal glyph numbers of characters; what a font lacks is the empty box."""

    def __init__(self, glyphs: dict[str, int]) -> None:
        super().__init__({character: f"{number:04x}" for character, number in glyphs.items()})

    def __missing__(self, character: str) -> str:
        return "0000"


@dataclass(frozen=True, slots=True)
class FontFile:
    """A TrueType file as a PDF embeds it."""

    data: bytes
    """Deflated."""

    length: int
    """Inflated."""


@cache
def fonts() -> tuple[Font, Font]:
    """Return the regular font and the bold one, F1 and F2."""
    regular, bold = FONTS.values()
    return _font("F1", regular), _font("F2", bold)


@cache
def name_fonts() -> tuple[Font, Font]:
    """Return the fonts of rare letters, regular and bold, F3 and F4."""
    regular, bold = NAME_FONTS.values()
    return _font("F3", regular), _font("F4", bold)


@cache
def common_characters() -> frozenset[str]:
    """Return the characters that every sheet may hold: those that languages use, and ASCII."""
    sentences = "".join(text for code in LANGUAGES for text in get_language(code).sentences.values())
    # what figures and labels are made of, which no sentence need hold
    further = "−≈…∞√·↓→№ᵢⱼ₀₁₂₃₄₅₆₇₈₉\u00a0\u2002"
    return frozenset((*sentences, *map(chr, range(32, 127)), *further))


def _font(resource: str, file: str) -> Font:
    data = json.loads(cached("font", file, lambda: _read(file)))
    return Font(
        resource=resource,
        name=data["name"],
        glyphs=data["glyphs"],
        advances=tuple(data["advances"]),
        ascent=data["ascent"],
        descent=data["descent"],
        whole=FontFile(b64decode(data["whole"]), data["length"]),
        common=FontFile(b64decode(data["common"]), data["common_length"]),
        codes=Codes(data["glyphs"]),
    )


def _read(file: str) -> bytes:
    from fontTools.ttLib import TTFont  # comes with WeasyPrint

    font = TTFont(get_template_dir() / "fonts" / file, recalcTimestamp=False)
    em = font["head"].unitsPerEm
    order = font.getGlyphOrder()
    characters = sorted(font.getBestCmap().items())
    font.flavor = None
    for table in set(font.keys()) - EMBEDDED:
        del font[table]
    advances = [font["hmtx"][name][0] / em for name in order]
    ascent, descent = font["hhea"].ascent / em, font["hhea"].descent / em
    whole, common = _save_font(font), _save_font(_cut(font, characters))
    numbers = {name: number for number, name in enumerate(order)}
    data = {
        "name": "SHEETS+" + file.partition(".")[0].replace("DejaVuSans", "Sheet-Sans"),
        "glyphs": {chr(code): numbers[name] for code, name in characters},
        "advances": advances,
        "ascent": ascent,
        "descent": descent,
        "whole": b64encode(zlib.compress(whole, 9)).decode(),
        "length": len(whole),
        "common": b64encode(zlib.compress(common, 9)).decode(),
        "common_length": len(common),
    }
    return json.dumps(data).encode()


def _save_font(font: Any) -> bytes:
    file = io.BytesIO()
    font.save(file, reorderTables=None)
    return file.getvalue()


def _cut(font: Any, characters: list[tuple[int, str]]) -> Any:
    """Return a font with the outlines of common characters alone; glyphs keep their numbers."""
    from fontTools.subset import Options, Subsetter

    cutter = Subsetter(Options(retain_gids=True, notdef_outline=True, hinting=True, drop_tables=[]))
    cutter.populate(glyphs=[name for code, name in characters if chr(code) in common_characters()])
    cutter.subset(font)
    return font


def font_objects(font: Font, first: int, *, whole: bool) -> list[bytes]:
    """Return a font's PDF objects: the font itself, its glyphs, descriptor, file and Unicode map, numbered so.

    Args:
        whole: whether characters are used that not every sheet may hold.
    """
    file = font.whole if whole else font.common
    used = {number: c for c, number in reversed(font.glyphs.items()) if whole or c in common_characters()}
    widths = " ".join(f"{number}[{1000 * font.advances[number]:.0f}]" for number in (0, *sorted(used)))
    name = font.name.encode()
    ascent, descent = round(1000 * font.ascent), round(1000 * font.descent)
    box = f"[-1000 {descent} 2000 {ascent}]"
    unicodes = zlib.compress(_unicodes(used), 9)
    return [
        b"<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>"
        % (name, first + 1, first + 4),
        b"<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
        b"/Supplement 0>>/CIDToGIDMap/Identity/W[%s]/FontDescriptor %d 0 R>>" % (name, widths.encode(), first + 2),
        b"<</Type/FontDescriptor/FontName/%s/FontFamily(Sheet Sans)/Flags 4/FontBBox%s/ItalicAngle 0/Ascent %d"
        b"/Descent %d/CapHeight %d/StemV 80/FontFile2 %d 0 R>>"
        % (name, box.encode(), ascent, descent, ascent, first + 3),
        stream(file.data, b"/Filter/FlateDecode/Length1 %d" % file.length),
        stream(unicodes, b"/Filter/FlateDecode"),
    ]


def _unicodes(used: dict[int, str]) -> bytes:
    """Return the map from glyph numbers to Unicode that makes text searchable."""
    pairs = sorted(used.items())
    lines = ["/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def"]
    lines.append("/CMapName /SheetSans def 1 begincodespacerange <0000> <ffff> endcodespacerange")
    for start in range(0, len(pairs), 100):
        some = pairs[start : start + 100]
        lines.append(f"{len(some)} beginbfchar")
        lines += [f"<{number:04x}> <{c.encode('utf-16-be').hex()}>" for number, c in some]
        lines.append("endbfchar")
    lines.append("endcmap CMapName currentdict /CMap defineresource pop end end")
    return "\n".join(lines).encode()
