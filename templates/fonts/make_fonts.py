"""Make the bundled fonts again, byte for byte: a text face in four styles, and one for rare letters of names.

Input: STIX Two Text and STIX Two Math 2.12 of Debian's package ``texlive-fonts-extra`` (2022.20230122-4), DejaVu Sans
2.37 of ``fonts-dejavu-core``; each file is known by its hash.
Output, beside this script: ``Sheet``, ``Sheet-Bold`` (what sheets say, and most names), ``Sheet-Italic``,
``Sheet-BoldItalic`` (letters of variables alone), ``Sheet-Names``, ``Sheet-Names-Bold`` (what only rare names hold, and
nothing of the first), ``widths.json``, ``widths-names.json`` (how wide each character is, so that a layout can be
checked without loading a font) and ``LICENSE-DejaVu.txt`` (as it stands in the font itself). Each font is written
twice: WOFF2 for web pages, TrueType for PDFs, which take glyphs out of it as they are.

    apt-get install fonts-dejavu-core texlive-fonts-extra
    pip install 'fonttools[woff]==4.68.0' 'brotli==1.2.1'
    python templates/fonts/make_fonts.py            # write the fifteen files
    python templates/fonts/make_fonts.py --check    # say which of them differ, write nothing

Another version of fontTools or Brotli makes fonts that look the same and may differ in their bytes.
"""

# /// script
# requires-python = ">=3.11"
# dependencies = ["fonttools[woff]==4.68.0", "brotli==1.2.1"]
# ///

from __future__ import annotations

import argparse
import hashlib
import io
import json
import sys
from pathlib import Path

from fontTools.fontBuilder import FontBuilder
from fontTools.pens.cu2quPen import Cu2QuPen
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.pens.transformPen import TransformPen
from fontTools.pens.ttGlyphPen import TTGlyphPen
from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

HERE = Path(__file__).resolve().parent
DEJAVU_FOLDER = Path("/usr/share/fonts/truetype/dejavu")
STIX_FOLDER = Path("/usr/share/texlive/texmf-dist/fonts/opentype/public/stix2-otf")

SOURCES = {
    "STIXTwoText-Regular.otf": "df7466d8cd44a4e376d14f28af7aff5e25d77f475aa2164988360db07db96966",
    "STIXTwoText-Bold.otf": "3465fca932b801fec1b241cc9561ac082d22d86e400b68fd2395636316781133",
    "STIXTwoText-Italic.otf": "0f124a2036164b5901e596a7e58caa3811f759251415fcaa23acb76edd63636a",
    "STIXTwoText-BoldItalic.otf": "ec2fc287b9c48b39bdad8ecd707a0270201911f90ee48ae287ab307a5601ca09",
    "STIXTwoMath-Regular.otf": "95bc2729e41faf93b0bcae9e96c4dc4da45855067fd0581e621e30734fe8d90b",
    "DejaVuSans.ttf": "abdc775b21b1bc470d50c97e790d276f2054b7504e56e5bd3e64f48d68582322",
    "DejaVuSans-Bold.ttf": "0d977336a6d5fba34eab8e3199eb218327161b5143749f802982c2bc34df0c96",
}
"""Name of the file, SHA-256 of Debian's."""

STYLES = {
    "regular": ("", ("STIXTwoText-Regular.otf", "STIXTwoMath-Regular.otf", "DejaVuSans.ttf")),
    "bold": ("-Bold", ("STIXTwoText-Bold.otf", "STIXTwoMath-Regular.otf", "DejaVuSans-Bold.ttf")),
    "italic": ("-Italic", ("STIXTwoText-Italic.otf",)),
    "bold-italic": ("-BoldItalic", ("STIXTwoText-BoldItalic.otf",)),
}
"""Style -> ending of the file's name, and the fonts of which the first that has a character gives its outline."""

UNITS, ASCENT, DESCENT = 1000, 800, -200
"""Of an em. Digits stand in the middle between ascent and descent, so that lines of type stand where cells do."""

NAMES_SCALE = 0.87
"""Of DejaVu Sans, whose small letters are so much larger."""

BLOCKS = (
    (0x0020, 0x007E),  # printable ASCII
    (0x00A0, 0x00FF),  # Latin-1
    (0x0100, 0x024F),  # Latin Extended-A and -B: names from Poland, Turkey, Romania, Croatia, …
    (0x0370, 0x03FF),  # Greek
    (0x0400, 0x04FF),  # Cyrillic
    (0x1E00, 0x1EFF),  # Latin Extended Additional: Vietnamese
    (0x2009, 0x200B),  # thin, hair and zero-width space
    (0x2010, 0x2015),  # hyphens and dashes
    (0x2018, 0x201F),  # quotation marks
    (0x2070, 0x209C),  # superscripts and subscripts
    (0x2150, 0x215E),  # vulgar fractions
    (0x2190, 0x2195),  # arrows
)

SINGLES = (
    "•†‡…‰′″‹›⁄€№"  # text
    "\u2002\u2003\u2007\u202f\u2060"  # en, em, figure and narrow no-break space, word joiner
    "ʲˣᵀᵈᵏᵗᵢᵣᵤᵥⱼ"  # superscript and subscript letters outside their block
    "⇐⇒⇔"
    "−√∞∑∈∉∏∝≈≠≡≤≥⋅⋮⋯⌊⌋⌈⌉⟨⟩ℝ"  # mathematics
    "✓✗☐☑☒▸▾■□▪●○│"  # marking and boxes
)

FROM_DEJAVU = "✓✗"
"""Marks that STIX has one of; DejaVu's makers drew them and put them into the public domain."""

VARIABLES = " \u00a0ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
"""With blanks: formulas have them before variables, and an engine measures lines by them."""

SCALED = {"√": ("√", 0.72, 60), "ᵀ": ("T", 0.62, 260), "ᵢ": ("i", 0.62, -140), "ⱼ": ("j", 0.62, -140)}
"""Signs drawn from another: how much smaller, and how far raised. The √ of formulas is too large for text."""

NAME_BLOCKS = (
    (0x0250, 0x02AF),  # further Latin letters: ə and ɓ ɗ ɛ ɔ ŋ of Azerbaijan and West Africa
    (0x02B0, 0x02FF),  # ʻ and ʼ, which are letters
    (0x0300, 0x036F),  # accents to put on any letter, as Yoruba and Lithuanian do
    (0x0500, 0x052F),  # further Cyrillic
    (0x0530, 0x058F),  # Armenian
    (0x10A0, 0x10FF),  # Georgian
    (0x1400, 0x167F),  # Canadian syllabics
    (0x1F00, 0x1FFF),  # Greek with all its accents
    (0x2C60, 0x2C7F),  # Latin Extended-C
    (0x2D00, 0x2D7F),  # Georgian, again; Tifinagh
    (0xA720, 0xA7FF),  # Latin Extended-D
)
"""Scripts written from left to right, one letter after the other, that DejaVu Sans has and names are written in."""

NEVER = {0x0000, 0xFEFF, 0xFFFE}
"""PDF/UA forbids a reference to these; a form field with this font would have one."""

Sources = dict[str, TTFont]


def wanted_characters(sources: Sources) -> dict[str, set[int]]:
    """Return the code points of the text face, of variables, and of rare letters, by the parts of files' names."""
    text, mathematics = (set(sources[name].getBestCmap()) for name in STYLES["regular"][1][:2])
    common = _points(BLOCKS) | {ord(character) for character in SINGLES}
    common -= NEVER
    marks = set(map(ord, FROM_DEJAVU))
    sheet = common & (text | mathematics | marks | set(map(ord, SCALED)))
    return {"": sheet, "-Italic": set(map(ord, VARIABLES)), "-Names": (common | _points(NAME_BLOCKS)) - NEVER - sheet}


def _points(blocks: tuple[tuple[int, int], ...]) -> set[int]:
    return {point for first, last in blocks for point in range(first, last + 1)}


def build_text_font(style: str, sources: Sources, characters: set[int]) -> TTFont:
    """Return a font of outlines taken from several, as TrueType has them.

    No layout features and no kerning: a text is as wide as the sum of its characters, everywhere. Lining digits, all
    of one width.
    """
    ending, names = STYLES[style]
    fonts = [(sources[name], sources[name].getBestCmap(), sources[name].getGlyphSet()) for name in names]
    glyphs, advances, characters_by_code = {".notdef": _draw_empty_box()}, {".notdef": 500}, {}
    for code in sorted(characters):
        drawn_from, scale, raise_by = SCALED.get(chr(code), (chr(code), 1.0, 0))
        start = len(fonts) - 1 if chr(code) in FROM_DEJAVU else 0
        place = next(at for at in range(start, len(fonts)) if ord(drawn_from) in fonts[at][1])
        font, character_map, outlines = fonts[place]
        source_name = character_map[ord(drawn_from)]
        # Α of Greek and А of Cyrillic share the outline of A
        name = f"g{place}{source_name.replace('.', '_')}" + f"u{code:x}" * (chr(code) in SCALED)
        characters_by_code[code] = name
        if name not in glyphs:
            scale *= UNITS / font["head"].unitsPerEm
            glyphs[name] = _draw_outline(outlines, source_name, scale, raise_by, is_cubic="CFF " in font)
            advances[name] = round(font["hmtx"][source_name][0] * scale)
    digit_width = advances[characters_by_code[ord("0")]] if ord("0") in characters_by_code else 0
    for digit in "0123456789" if digit_width else "":
        advances[characters_by_code[ord(digit)]] = digit_width  # of bold ones some are 2 units narrower
    if "italic" in style:  # the blank before a variable is that of the words around it
        upright = sources["STIXTwoText-Regular.otf"]
        for blank in (0x20, 0xA0):
            advances[characters_by_code[blank]] = upright["hmtx"][upright.getBestCmap()[blank]][0]
    builder = FontBuilder(UNITS, isTTF=True)
    builder.setupGlyphOrder(list(glyphs))
    builder.setupCharacterMap(characters_by_code)
    builder.setupGlyf(glyphs)
    outlines = builder.font["glyf"]
    sides = {name: getattr(outlines[name], "xMin", 0) for name in glyphs}
    builder.setupHorizontalMetrics({name: (advance, sides[name]) for name, advance in advances.items()})
    builder.setupHorizontalHeader(ascent=ASCENT, descent=DESCENT)
    source = sources[names[0]]["name"]
    builder.setupNameTable(
        {
            "copyright": source.getDebugName(0),
            "familyName": "Sheet Serif",  # a modified font goes by another name
            "styleName": {"regular": "Regular", "bold": "Bold", "italic": "Italic"}.get(style, "Bold Italic"),
            "uniqueFontIdentifier": f"Sheet Serif {style}",
            "fullName": f"Sheet Serif {style}",
            "psName": f"SheetSerif{ending}",
            "version": source.getDebugName(5),
            "licenseDescription": source.getDebugName(13),
            "licenseInfoURL": source.getDebugName(14),
        },
        mac=False,
    )
    is_bold, is_italic = "bold" in style, "italic" in style
    selection = (0x20 * is_bold + 0x01 * is_italic) or 0x40
    height = {"sxHeight": sources[names[0]]["OS/2"].sxHeight, "sCapHeight": sources[names[0]]["OS/2"].sCapHeight}
    builder.setupOS2(usWeightClass=700 if is_bold else 400, fsSelection=selection, **height)
    builder.setupPost(keepGlyphNames=False, italicAngle=sources[names[0]]["post"].italicAngle)
    font = builder.font
    font["head"].macStyle = is_bold + 2 * is_italic
    font["head"].created = font["head"].modified = sources[names[0]]["head"].modified
    font.recalcTimestamp = False
    set_line(font, ASCENT, DESCENT)
    return font


def _draw_empty_box() -> object:
    pen = TTGlyphPen(None)
    for corners in (((50, 0), (50, 650), (450, 650), (450, 0)), ((100, 50), (400, 50), (400, 600), (100, 600))):
        pen.moveTo(corners[0])
        for corner in corners[1:]:
            pen.lineTo(corner)
        pen.closePath()
    return pen.glyph()


def _draw_outline(outlines: object, name: str, scale: float, raise_by: int, *, is_cubic: bool) -> object:
    """Return a glyph with its curves as TrueType has them, off by less than a thousandth of an em."""
    drawn = DecomposingRecordingPen(outlines)
    outlines[name].draw(drawn)  # type: ignore[index]  # a mapping of names to glyphs
    pen = TTGlyphPen(None)
    curves = Cu2QuPen(pen, max_err=0.9, reverse_direction=is_cubic)
    drawn.replay(TransformPen(curves, (scale, 0, 0, scale, 0, raise_by)))
    return pen.glyph()


def set_line(font: TTFont, ascent: int, descent: int) -> None:
    """Let every program take the same height for a line of the font."""
    font["hhea"].ascent, font["hhea"].descent, font["hhea"].lineGap = ascent, descent, 0
    line = font["OS/2"]
    line.sTypoAscender, line.sTypoDescender, line.sTypoLineGap = ascent, descent, 0
    line.usWinAscent, line.usWinDescent = ascent, -descent


def subset_names_font(source: bytes, characters: set[int], ending: str) -> TTFont:
    """Return DejaVu Sans cut down to rare letters, as large as those of the text face, on lines as high."""
    font = TTFont(io.BytesIO(source), recalcTimestamp=False)
    options = Options()
    options.layout_features = []
    options.drop_tables += ["kern", "GDEF", "GPOS", "GSUB", "MATH", "FFTM"]
    options.hinting = False  # hints are two thirds of the file and nothing on paper
    options.notdef_outline = True  # a missing character shows as a box, not as nothing
    options.name_IDs = [0, 1, 2, 3, 4, 5, 6, 13, 14]  # 13 is the licence, which every copy must carry
    options.name_languages = [0x409]
    options.name_legacy = False  # the same names once more for old Macintoshes
    options.bidi_closure = False  # exactly the characters asked for
    options.canonical_order = True
    options.recalc_timestamp = False
    subsetter = Subsetter(options)
    subsetter.populate(unicodes=characters)
    subsetter.subset(font)
    for number, name in ((1, "Sheet Names"), (4, f"Sheet Names{ending}"), (6, f"SheetNames{ending}")):
        font["name"].setName(name, number, 3, 1, 0x409)
    units = round(font["head"].unitsPerEm / NAMES_SCALE)
    font["head"].unitsPerEm = units
    set_line(font, round(ASCENT * units / UNITS), round(DESCENT * units / UNITS))
    return font


def packed(font: TTFont, flavor: str | None) -> bytes:
    """Return the font as WOFF2, or as TrueType without a flavor."""
    font.flavor = flavor
    target = io.BytesIO()
    font.save(target, reorderTables=False)
    return target.getvalue()


def widths(font: TTFont) -> dict[str, object]:
    """Return the font's measures in font units, its characters grouped by advance width.

    {"units_per_em": 1000, …, "widths": {"495": "0123456789…"}} makes "42" 2 * 495 / 1000 em wide.
    """
    groups: dict[int, list[str]] = {}
    for point, glyph in sorted(font.getBestCmap().items()):
        groups.setdefault(font["hmtx"][glyph][0], []).append(chr(point))
    return {
        "units_per_em": font["head"].unitsPerEm,
        "ascent": font["hhea"].ascent,
        "descent": font["hhea"].descent,
        "widths": {str(advance): "".join(groups[advance]) for advance in sorted(groups)},
    }


def licence(font: TTFont) -> bytes:
    """Return the copyright notice and the licence that the font carries."""
    lines = f"{font['name'].getDebugName(0)}\n\n{font['name'].getDebugName(13)}".splitlines()
    return ("\n".join(line.rstrip() for line in lines) + "\n").encode()


def read_sources(folders: list[Path]) -> dict[str, bytes]:
    """Return Debian's fonts by the names of their files."""
    sources = {}
    for name, expected in SOURCES.items():
        path = next((folder / name for folder in folders if (folder / name).is_file()), None)
        if path is None:
            raise SystemExit(
                f"{name} is missing: install fonts-dejavu-core texlive-fonts-extra, or say where it is with --from."
            )
        sources[name] = path.read_bytes()
        if hashlib.sha256(sources[name]).hexdigest() != expected:
            raise SystemExit(f"{path} is not the file of Debian's package (its SHA-256 differs).")
    return sources


def make_all(folders: list[Path]) -> dict[str, bytes]:
    """Return the files by name, made from Debian's fonts in these folders."""
    data = read_sources(folders)
    sources = {name: TTFont(io.BytesIO(content)) for name, content in data.items()}
    wanted = wanted_characters(sources)
    files = {"LICENSE-DejaVu.txt": licence(sources["DejaVuSans.ttf"])}
    fonts: dict[str, dict[str, TTFont]] = {"widths.json": {}, "widths-names.json": {}}
    for style, (ending, _) in STYLES.items():
        characters = wanted["-Italic" if "italic" in style else ""]
        fonts["widths.json"][style] = files[f"Sheet{ending}"] = build_text_font(style, sources, characters)
    for style, ending in (("regular", ""), ("bold", "-Bold")):
        font = subset_names_font(data[f"DejaVuSans{ending}.ttf"], wanted["-Names"], ending)
        fonts["widths-names.json"][style] = files[f"Sheet-Names{ending}"] = font
    for name, font in [(name, font) for name, font in files.items() if isinstance(font, TTFont)]:
        del files[name]
        files[f"{name}.ttf"], files[f"{name}.woff2"] = packed(font, None), packed(font, "woff2")
    for name, measured in fonts.items():
        measures = {style: widths(font) for style, font in measured.items()}
        files[name] = (json.dumps(measures, ensure_ascii=False, indent=1) + "\n").encode()
    return files


def main() -> None:
    """Write the files, or compare them with those that are there."""
    parser = argparse.ArgumentParser(description="Make the bundled fonts again.")
    parser.add_argument("--from", dest="folders", type=Path, nargs="*", default=[], help="where the fonts are")
    parser.add_argument("--check", action="store_true", help="write nothing, say which files differ")
    arguments = parser.parse_args()
    different = []
    for name, content in make_all([*arguments.folders, STIX_FOLDER, DEJAVU_FOLDER]).items():
        path = HERE / name
        if not path.is_file() or path.read_bytes() != content:
            different.append(name)
        if not arguments.check:
            path.write_bytes(content)
        sys.stdout.write(f"{len(content):>7} bytes  {name}{'  differs' if name in different else ''}\n")
    if arguments.check and different:
        raise SystemExit(1)


if __name__ == "__main__":
    main()
