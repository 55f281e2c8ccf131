"""Make the bundled fonts again, byte for byte: two subsets of DejaVu Sans, each regular and bold.

Input: the two fonts of Debian's package ``fonts-dejavu-core`` (2.37), known by their hashes.
Output, beside this script: ``DejaVuSans`` and ``DejaVuSans-Bold`` (what sheets say, and most names),
``DejaVuSans-Names`` and ``DejaVuSans-Names-Bold`` (what only rare names hold, and nothing of the first),
``widths.json``, ``widths-names.json`` (how wide each character is, so that a layout can be checked without loading
a font) and ``LICENSE-DejaVu.txt`` (as it stands in the font itself). Each font is written twice: WOFF2 for web
pages, TrueType for PDFs, which take glyphs out of it as they are.

    apt-get install fonts-dejavu-core
    pip install 'fonttools[woff]==4.68.0' 'brotli==1.2.1'
    python templates/fonts/make_fonts.py            # write the eleven files
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

from fontTools.subset import Options, Subsetter
from fontTools.ttLib import TTFont

HERE = Path(__file__).resolve().parent
DEBIAN_FOLDER = Path("/usr/share/fonts/truetype/dejavu")

SOURCES = {
    "regular": ("DejaVuSans", "abdc775b21b1bc470d50c97e790d276f2054b7504e56e5bd3e64f48d68582322"),
    "bold": ("DejaVuSans-Bold", "0d977336a6d5fba34eab8e3199eb218327161b5143749f802982c2bc34df0c96"),
}
"""Weight -> name of the file without its ending, SHA-256 of Debian's file."""

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


def wanted_characters() -> dict[str, set[int]]:
    """Return the code points asked for in each subset, by what its files are called; a font may lack some of them."""
    common = _points(BLOCKS) | {ord(character) for character in SINGLES}
    return {"": common - NEVER, "-Names": _points(NAME_BLOCKS) - common - NEVER}


def _points(blocks: tuple[tuple[int, int], ...]) -> set[int]:
    return {point for first, last in blocks for point in range(first, last + 1)}


def subset(source: bytes, characters: set[int]) -> TTFont:
    """Return the font cut down to the wanted characters, with nothing that varies between runs or readers.

    No layout features and no kerning: a text is as wide as the sum of its characters, everywhere. DejaVu's
    digits all have one width without any feature.
    """
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
    return font


def packed(font: TTFont, flavor: str | None) -> bytes:
    """Return the font as WOFF2, or as TrueType without a flavor."""
    font.flavor = flavor
    target = io.BytesIO()
    font.save(target, reorderTables=False)
    return target.getvalue()


def widths(font: TTFont) -> dict[str, object]:
    """Return the font's measures in font units, its characters grouped by advance width.

    {"units_per_em": 2048, …, "widths": {"1303": "0123456789…"}} makes "42" 2 * 1303 / 2048 em wide.
    """
    groups: dict[int, list[str]] = {}
    for point, glyph in sorted(font.getBestCmap().items()):
        groups.setdefault(font["hmtx"][glyph][0], []).append(chr(point))
    digits = {
        font["hmtx"][font.getBestCmap()[ord(digit)]][0] for digit in "0123456789" if ord(digit) in font.getBestCmap()
    }
    if len(digits) > 1:
        raise SystemExit(f"The digits have different widths: {sorted(digits)}. Columns of numbers would not align.")
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


def make_all(folder: Path) -> dict[str, bytes]:
    """Return the eleven files by name, made from Debian's fonts in this folder."""
    files: dict[str, bytes] = {}
    measures: dict[str, dict[str, object]] = {ending: {} for ending in wanted_characters()}
    for weight, (name, expected) in SOURCES.items():
        path = folder / f"{name}.ttf"
        if not path.is_file():
            raise SystemExit(f"{path} is missing: apt-get install fonts-dejavu-core, or name its folder with --from.")
        source = path.read_bytes()
        if hashlib.sha256(source).hexdigest() != expected:
            raise SystemExit(f"{path} is not the file of Debian's fonts-dejavu-core 2.37 (its SHA-256 differs).")
        for ending, characters in wanted_characters().items():
            font = subset(source, characters)
            measures[ending][weight] = widths(font)
            files["LICENSE-DejaVu.txt"] = licence(font)
            file_name = f"{name.replace('-Bold', '')}{ending}{'-Bold' * ('-Bold' in name)}"
            files[f"{file_name}.ttf"] = packed(font, None)
            files[f"{file_name}.woff2"] = packed(font, "woff2")
    for ending, measured in measures.items():
        text = json.dumps(measured, ensure_ascii=False, indent=1) + "\n"
        files[f"widths{ending.lower()}.json"] = text.encode()
    return files


def main() -> None:
    """Write the files, or compare them with those that are there."""
    parser = argparse.ArgumentParser(description="Make the bundled fonts again.")
    parser.add_argument("--from", dest="folder", type=Path, default=DEBIAN_FOLDER, help="where the DejaVu fonts are")
    parser.add_argument("--check", action="store_true", help="write nothing, say which files differ")
    arguments = parser.parse_args()
    different = []
    for name, content in make_all(arguments.folder).items():
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
