"""The bundled fonts as a PDF embeds them: read from TrueType files, with the glyphs that are used and no others."""

import zlib
from collections.abc import Iterable, Iterator
from functools import cache, cached_property, lru_cache
from itertools import accumulate
from struct import iter_unpack, pack, unpack_from

from attnhand.formats.pdf.objects import make_stream
from attnhand.system.resources import get_template_dir

FONT_FILES = ("Sheet", "Sheet-Bold", "Sheet-Names", "Sheet-Names-Bold", "Sheet-Italic", "Sheet-BoldItalic")
"""Regular and bold, the same for rare letters of names, and for variables; contents call them F1 to F6."""

HEAD, MAXP, HHEA, HMTX, LOCA, GLYF = b"head", b"maxp", b"hhea", b"hmtx", b"loca", b"glyf"
"""Tables that a PDF needs of a font; the map of characters and what shapes words are not among them."""


class Font:
    """One bundled font."""

    def __init__(self, number: int) -> None:
        """Read one of the bundled fonts, the first of which is 1."""
        self.resource = f"F{number}"
        """What contents call it."""

        self.is_bold, self.is_italic = bool(number - 1 & 1), bool(number - 1 & 4)

        file_name = FONT_FILES[number - 1]
        self.name = "SHEETS+" + file_name
        self.path = get_template_dir() / "fonts" / f"{file_name}.ttf"
        data = self.path.read_bytes()
        (table_count,) = unpack_from(">H", data, 4)
        entries = (unpack_from(">4sIII", data, 12 + 16 * at) for at in range(table_count))
        self._tables = {tag: data[offset : offset + length] for tag, _, offset, length in entries}
        (em,) = unpack_from(">H", self._tables[HEAD], 18)
        ascent, descent, *_, metric_count = unpack_from(">hh26xH", self._tables[HHEA], 4)
        advances = [advance / em for advance, _ in iter_unpack(">Hh", self._tables[HMTX][: 4 * metric_count])]
        self.ascent: float = ascent / em
        self.descent: float = descent / em
        """In em; the second is negative."""

        self.glyphs = dict(_read_character_map(self._tables[b"cmap"]))
        """Glyph numbers by character."""

        self.glyph_count: int = unpack_from(">H", self._tables[MAXP], 4)[0]
        self._advances = advances + advances[-1:] * (self.glyph_count - metric_count)

    @cached_property
    def codes(self) -> "GlyphCodes":
        """What a PDF string calls every character."""
        return GlyphCodes({character: f"{glyph:04x}" for character, glyph in self.glyphs.items()})

    @cached_property
    def advances(self) -> "Advances":
        """How wide every character is, in em."""
        return Advances({c: self._advances[glyph] for c, glyph in self.glyphs.items()}, self._advances[0])

    def encode(self, text: str) -> bytes:
        """Return a text as a PDF string of glyph numbers; what the font lacks becomes the empty box."""
        return _encode(self, text)

    def measure(self, text: str) -> float:
        """Return how wide a text is, in em."""
        return _measure(self, text)

    def make_objects(self, first: int, used: Iterable[str]) -> list[bytes]:
        """Return the PDF objects of the font with the glyphs of some characters, numbered from the first on.

        They are the font itself, its glyphs, its descriptor, its file and its map to Unicode.
        """
        characters = {self.glyphs[character]: character for character in sorted(used) if character in self.glyphs}
        file = self.cut_file(characters)
        widths = " ".join(f"{glyph}[{1000 * self._advances[glyph]:.0f}]" for glyph in (0, *sorted(characters)))
        ascent, descent = round(1000 * self.ascent), round(1000 * self.descent)
        name = self.name.encode()
        return [
            b"<</Type/Font/Subtype/Type0/BaseFont/%s/Encoding/Identity-H/DescendantFonts[%d 0 R]/ToUnicode %d 0 R>>"
            % (name, first + 1, first + 4),
            b"<</Type/Font/Subtype/CIDFontType2/BaseFont/%s/CIDSystemInfo<</Registry(Adobe)/Ordering(Identity)"
            b"/Supplement 0>>/CIDToGIDMap/Identity/W[%s]/FontDescriptor %d 0 R>>" % (name, widths.encode(), first + 2),
            b"<</Type/FontDescriptor/FontName/%s/FontFamily(Sheet)/Flags 4/FontBBox[-1000 %d 2000 %d]"
            b"/ItalicAngle 0/Ascent %d/Descent %d/CapHeight %d/StemV 80/FontFile2 %d 0 R>>"
            % (name, descent, ascent, ascent, descent, ascent, first + 3),
            make_stream(zlib.compress(file, 9), b"/Filter/FlateDecode/Length1 %d" % len(file)),
            make_stream(zlib.compress(_write_unicode_map(characters), 9), b"/Filter/FlateDecode"),
        ]

    def cut_file(self, glyphs: Iterable[int]) -> bytes:
        """Return a TrueType file in which these glyphs have outlines; every glyph keeps its number."""
        outlines = self._tables[GLYF]
        is_long = unpack_from(">h", self._tables[HEAD], 50)[0]
        # .notdef, the empty box, is in every font
        places = [at if is_long else 2 * at for (at,) in iter_unpack(">I" if is_long else ">H", self._tables[LOCA])]
        used, waiting = set[int](), [0, *glyphs]
        while waiting:
            if (glyph := waiting.pop()) not in used:
                used.add(glyph)
                waiting += _list_parts(outlines[places[glyph] : places[glyph + 1]])
        cut = [outlines[places[at] : places[at + 1]] if at in used else b"" for at in range(self.glyph_count)]
        # 4 bytes an offset, whatever the file had: outlines that are cut out may end on odd ones
        offsets = accumulate(map(len, cut), initial=0)
        head = bytearray(self._tables[HEAD])
        head[50:52] = pack(">h", 1)
        head[8:12] = bytes(4)  # the checksum of the whole file, which readers of PDF do not look at
        return _write_tables(
            {
                GLYF: b"".join(cut),
                HEAD: bytes(head),
                HHEA: self._tables[HHEA],
                HMTX: self._cut_widths(used),
                LOCA: pack(f">{self.glyph_count + 1}I", *offsets),
                MAXP: self._tables[MAXP],
            }
        )

    def _cut_widths(self, used: set[int]) -> bytes:
        """Return the table of widths with zeros where a glyph has no outline: they take no room once compressed."""
        widths, count = self._tables[HMTX], unpack_from(">H", self._tables[HHEA], 34)[0]
        full = [widths[4 * at : 4 * at + 4] if at in used else bytes(4) for at in range(count - 1)]
        # the last of these stands for every glyph after it
        return b"".join(full) + widths[4 * (count - 1) :]


@lru_cache(maxsize=5_000)  # a class says many words again and again
def _encode(font: Font, text: str) -> bytes:
    return b"<%s>" % "".join(map(font.codes.__getitem__, text)).encode()


@lru_cache(maxsize=5_000)
def _measure(font: Font, text: str) -> float:
    return sum(map(font.advances.__getitem__, text))


class GlyphCodes(dict[str, str]):
    """The hexadecimal glyph numbers of characters; what a font lacks is the empty box."""

    def __missing__(self, character: str) -> str:
        return "0000"


class Advances(dict[str, float]):
    """The widths of characters in em; what a font lacks is as wide as the empty box."""

    def __init__(self, advances: dict[str, float], missing: float) -> None:
        super().__init__(advances)
        self._missing = missing

    def __missing__(self, character: str) -> float:
        return self._missing


def load_font(*, is_bold: bool = False, is_italic: bool = False, is_rare: bool = False) -> Font:
    """Return a bundled font: italic, or for rare letters of names, if it is to be."""
    return load_font_by_number(1 + is_bold + 2 * is_rare + 4 * is_italic)


@cache
def load_font_by_number(number: int) -> Font:
    """Return a bundled font, the first of which is 1; each is read once."""
    return Font(number)


def _read_character_map(table: bytes) -> Iterator[tuple[str, int]]:
    """Yield characters and their glyphs from a font's map, of which the bundled fonts have format 4."""
    (count,) = unpack_from(">H", table, 2)
    starts = [unpack_from(">I", table, 8 + 8 * at)[0] for at in range(count)]
    start = next(at for at in starts if unpack_from(">H", table, at)[0] == 4)
    (doubled,) = unpack_from(">H", table, start + 6)
    at = start + 14
    lasts, firsts, deltas, ranges = (
        unpack_from(f">{doubled // 2}H", table, place)
        for place in (at, at + doubled + 2, at + 2 * doubled + 2, at + 3 * doubled + 2)
    )
    for segment, (first, last, delta, offset) in enumerate(zip(firsts, lasts, deltas, ranges, strict=True)):
        for point in range(first, last + 1):
            glyph = point
            if offset:  # counted from where the offset itself stands
                (glyph,) = unpack_from(">H", table, at + 3 * doubled + 2 + 2 * segment + offset + 2 * (point - first))
            if point != 0xFFFF and (glyph := (glyph + delta) & 0xFFFF):
                yield chr(point), glyph


WORDS, SCALE, MORE, TWO_SCALES, MATRIX = 1, 8, 32, 64, 128
"""What the flags of a part say: its place is two words, it is scaled, another part follows."""


def _list_parts(outline: bytes) -> Iterator[int]:
    """Yield the glyphs that a glyph is put together from: é is an e with an accent."""
    if not outline or unpack_from(">h", outline)[0] >= 0:
        return
    at, flags = 10, MORE
    while flags & MORE:
        flags, glyph = unpack_from(">HH", outline, at)
        yield glyph
        at += 4 + (4 if flags & WORDS else 2)
        at += 2 if flags & SCALE else 4 if flags & TWO_SCALES else 8 if flags & MATRIX else 0


def _write_tables(tables: dict[bytes, bytes]) -> bytes:
    """Return a TrueType file of these tables."""
    count = len(tables)
    power = count.bit_length() - 1
    head = pack(">IHHHH", 0x10000, count, 16 << power, power, 16 * count - (16 << power))
    at = 12 + 16 * count
    body = b""
    for tag, data in sorted(tables.items()):
        padded = data + b"\0" * (-len(data) % 4)
        checksum = sum(word for (word,) in iter_unpack(">I", padded)) & 0xFFFFFFFF
        head += pack(">4sIII", tag, checksum, at + len(body), len(data))
        body += padded
    return head + body


def _write_unicode_map(characters: dict[int, str]) -> bytes:
    """Return the map from glyph numbers to Unicode that makes text searchable."""
    pairs = sorted(characters.items())
    lines = ["/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapType 2 def"]
    lines.append("/CMapName /Sheet def 1 begincodespacerange <0000> <ffff> endcodespacerange")
    for start in range(0, len(pairs), 100):
        some = pairs[start : start + 100]
        lines.append(f"{len(some)} beginbfchar")
        lines += [f"<{glyph:04x}> <{c.encode('utf-16-be').hex()}>" for glyph, c in some]
        lines.append("endbfchar")
    lines.append("endcmap CMapName currentdict /CMap defineresource pop end end")
    return "\n".join(lines).encode()
