"""Running text with subscripts, superscripts and bold, and how wide it is."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.layout.typography import ASCENT, DESCENT
from attnhand.system.resources import get_template_dir
from attnhand.text.widths import (
    MM_PER_POINT,
    SCRIPT_SCALE,
    Run,
    RunStyle,
    count_lines,
    find_missing_characters,
    make_bold_text,
    make_plain_text,
    measure_width,
    parse_markup,
    to_unicode,
)


def styles(markup: str) -> list[tuple[str, str]]:
    """Return the runs of a markup."""
    return [(run.text, run.style.value) for run in parse_markup(markup)]


@pytest.mark.parametrize(
    ("markup", "runs"),
    [
        ("", []),
        ("plain", [("plain", "plain")]),
        ("W_Q", [("W", "plain"), ("Q", "sub")]),
        ("q_{12}", [("q", "plain"), ("12", "sub")]),
        ("K^T Q", [("K", "plain"), ("T", "sup"), (" Q", "plain")]),
        ("3^{−1} = 1/3", [("3", "plain"), ("−1", "sup"), (" = 1/3", "plain")]),
        ("3^−1", [("3", "plain"), ("−1", "sup")]),
        ("an **old** cat", [("an ", "plain"), ("old", "bold"), (" cat", "plain")]),
        ("**K = W_K X**", [("K", "bold"), (" = ", "bold"), ("W", "bold"), ("K", "sub"), (" X", "bold")]),
    ],
)
def test_markup_is_read(markup: str, runs: list[tuple[str, str]]) -> None:
    """Subscripts, superscripts and bold become runs of their own; empty runs are left out."""
    assert styles(markup) == runs


@pytest.mark.parametrize(
    ("markup", "variables"),
    [
        ("A cell of K: its row of W_K times x", "KWx"),
        ("A: each power ÷ the Σ of A; A[1,1]·v_1, Z = V A", "AAAvZVA"),
        ("Hold your *A* beside A by hand", "A"),
        ("row k_i · column q_j, d_k, e^x", "kiqjdkex"),
        ("**K = W_K X**, K^T, 3^{−1}", "KWXK"),
        ("each query's q and k, Anna’s", "qk"),
        ("AI by Hand, T. Yeh, A4, concat, relu_1, 3^{scaled}", ""),
    ],
)
def test_variables_are_italic(markup: str, variables: str) -> None:
    """A letter alone is a variable, and so is an index; articles, initials, numbers and names of matrices are not."""
    assert "".join(run.text.strip() for run in parse_markup(markup) if run.is_italic) == variables
    assert to_unicode(parse_markup("Hold your *A*")) == "Hold your A"


def test_subscripts_of_bold_text_are_heavy() -> None:
    """A subscript knows whether the text around it is bold."""
    assert [run.is_bold for run in parse_markup("**W_Q** W_K") if run.style is RunStyle.SUB] == [True, False]


@pytest.mark.parametrize(
    ("markup", "unicode"),
    [
        ("K^T, q_{12}, W_Q, 3^{−1}", "Kᵀ, q₁₂, W_Q, 3⁻¹"),
        ("e^x, x^3", "eˣ, x³"),
        ("row k_i · column q_j", "row kᵢ · column qⱼ"),
        ("d_k, **A**", "d_k, A"),
        ("3^{a}", "3^a"),
    ],
)
def test_markup_is_written_in_unicode(markup: str, unicode: str) -> None:
    """A terminal gets the small digits there are, and plain signs where there are none."""
    assert to_unicode(parse_markup(markup)) == unicode


@given(st.text(max_size=30))
def test_what_users_type_is_never_markup(text: str) -> None:
    """Plain text stays one plain run, whatever signs it holds."""
    assert make_plain_text(text) == ((Run(text, RunStyle.PLAIN),) if text else ())
    assert to_unicode(make_plain_text(text)) == text


def test_text_is_as_wide_as_its_characters() -> None:
    """Widths add up, grow with the size, are smaller for subscripts and larger in bold."""
    assert measure_width((), 10) == 0
    assert measure_width(make_plain_text("mm"), 10) == pytest.approx(2 * measure_width(make_plain_text("m"), 10))
    assert measure_width(parse_markup("m"), 20) == pytest.approx(2 * measure_width(parse_markup("m"), 10))
    assert measure_width(make_plain_text("m"), 10) == pytest.approx(0.852 * 10 * MM_PER_POINT, rel=0.01)
    assert measure_width(parse_markup("a_1"), 10) - measure_width(parse_markup("a"), 10) == pytest.approx(
        SCRIPT_SCALE * measure_width(parse_markup("1"), 10)
    )
    assert measure_width(make_bold_text("m"), 10) > measure_width(make_plain_text("m"), 10)
    assert measure_width(parse_markup("*m*"), 10) == pytest.approx(0.825 * 10 * MM_PER_POINT)  # in italics


def test_digits_and_minus_are_equally_wide() -> None:
    """Digits are tabular; the true minus is as wide as a plus."""
    digits = {round(measure_width(make_plain_text(digit), 10), 6) for digit in "0123456789"}
    assert len(digits) == 1
    assert measure_width(make_plain_text("−"), 10) == measure_width(make_plain_text("+"), 10)


def test_lines_break_at_blanks() -> None:
    """A line takes words as long as there is room; a word too long for any line takes one of its own."""
    words = make_plain_text("mmm mmm mmm")
    one = measure_width(make_plain_text("mmm"), 10)
    blank = measure_width(make_plain_text(" "), 10)
    assert count_lines(words, 10, 3 * one + 2 * blank + 1) == 1
    assert count_lines(words, 10, 2 * one + blank + 1) == 2
    assert count_lines(words, 10, one + 0.1) == 3
    assert count_lines(words, 10, one / 2) == 3
    assert count_lines((), 10, 50) == 1


@given(st.text("abc mW_{12}^T", max_size=60), st.floats(5, 200), st.floats(1, 100))
def test_more_room_never_takes_more_lines(text: str, room: float, more: float) -> None:
    """Lines only get fewer in a wider column."""
    assert count_lines(make_plain_text(text), 10, room + more) <= count_lines(make_plain_text(text), 10, room)


def test_what_the_fonts_cannot_print_is_found() -> None:
    """Characters beyond the bundled fonts are listed once each, in order; mathematics, accents and names are not."""
    assert find_missing_characters("X = ⌊x/2⌋ − ½ · √3 ≈ 1.73, ∞, Größe, ąěș, αβ, Ж") == ""
    assert find_missing_characters("a😀b漢😀") == "😀漢"
    assert find_missing_characters("") == ""
    assert find_missing_characters("Nguyễn Thị Hường, Ωμέγα, Юлия, Łukasz, Səbinə, Adébáyọ̀, Հայկ, ნინო, ᐃᓄᒃ, ἀρ") == ""
    assert find_missing_characters("Ә漢əשə") == "漢ש"


def test_rare_letters_are_set_by_the_font_for_names() -> None:
    """They are as wide as there, beside letters of the first font; what neither has counts as one em."""
    assert measure_width(make_plain_text("Səbinə"), 10) == pytest.approx(
        measure_width(make_plain_text("Sbin"), 10) + 2 * measure_width(make_plain_text("ə"), 10)
    )
    assert measure_width(make_plain_text("ə"), 10) == pytest.approx(1260 / 2354 * 10 * MM_PER_POINT)
    assert measure_width(make_bold_text("ə"), 10) > measure_width(make_plain_text("ə"), 10)
    assert measure_width(make_plain_text("ọ̀"), 10) == measure_width(make_plain_text("ọ"), 10)
    assert measure_width(make_plain_text("ə漢"), 10) == pytest.approx(
        measure_width(make_plain_text("ə"), 10) + 10 * MM_PER_POINT
    )


def test_no_character_is_in_both_fonts() -> None:
    """What is common never needs the second font, which a page would have to bring along."""
    fonts = [
        json.loads((get_template_dir() / "fonts" / name).read_text()) for name in ("widths.json", "widths-names.json")
    ]
    for weight in ("regular", "bold"):
        common, rare = ({*"".join(font[weight]["widths"].values())} for font in fonts)
        assert len(common) > 900 and len(rare) > 1000
        assert not common & rare
        for key, height in (("ascent", ASCENT), ("descent", -DESCENT)):
            heights = [font[weight][key] / font[weight]["units_per_em"] for font in fonts]
            assert heights == pytest.approx([height, height], abs=0.001)
