"""The bundled fonts as PDFs embed them, against fontTools."""

import io

import pytest
from fontTools.pens.recordingPen import DecomposingRecordingPen
from fontTools.ttLib import TTFont

from attnhand.formats.pdf.fonts import load_font


@pytest.mark.parametrize("is_bold", [False, True])
@pytest.mark.parametrize("is_rare", [False, True])
def test_a_font_is_read_as_others_read_it(is_bold: bool, is_rare: bool) -> None:
    """Every character's glyph and width, and how high letters reach."""
    font = load_font(is_bold=is_bold, is_rare=is_rare)
    file = TTFont(font.path)
    names = file.getBestCmap()
    em = file["head"].unitsPerEm
    assert font.glyphs == {chr(point): file.getGlyphID(name) for point, name in names.items()}
    assert len(font.glyphs) > 700
    assert all(font.advances[chr(point)] == file["hmtx"][name][0] / em for point, name in names.items())
    assert (font.ascent * em, font.descent * em) == (file["hhea"].ascent, file["hhea"].descent)


@pytest.mark.parametrize("is_bold", [False, True])
def test_a_cut_font_draws_the_same_letters(is_bold: bool) -> None:
    """Those that are put together from parts too; all others are empty, and the file is a tenth."""
    font = load_font(is_bold=is_bold)
    text = "Az09−½éẫЮ"
    glyphs = [font.glyphs[character] for character in text]
    data = font.cut_file(glyphs)
    whole, cut = TTFont(font.path), TTFont(io.BytesIO(data), checkChecksums=2)
    order = whole.getGlyphOrder()
    assert [_draw(cut, cut.getGlyphName(glyph)) for glyph in glyphs] == [_draw(whole, order[glyph]) for glyph in glyphs]
    empty = font.glyphs["B"]
    assert _draw(cut, cut.getGlyphName(empty)) == [] != _draw(whole, order[empty])
    assert len(data) < 0.2 * font.path.stat().st_size


def _draw(file: TTFont, name: str) -> list[object]:
    glyphs = file.getGlyphSet()
    pen = DecomposingRecordingPen(glyphs)
    glyphs[name].draw(pen)
    return pen.value  # type: ignore[no-any-return]
