"""What students write, read as they meant it or refused."""

import contextlib
import itertools
import json
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.attention.numbers import (
    MINUS_INFINITY,
    Number,
    format_exact,
    simplify,
    use_typographic_signs,
)
from attnhand.attention.spellings import (
    MAX_NUMBER_LENGTH,
    MAX_WRITTEN_LENGTH,
    Reading,
    list_date_fractions,
    read_number,
    read_plain_number,
)
from attnhand.errors import NumberError

SPELLINGS = json.loads((Path(__file__).parents[1] / "data" / "spellings.json").read_text(encoding="utf-8"))
"""One table for all readers of answers."""


@pytest.mark.parametrize("case", SPELLINGS["read"], ids=lambda case: ascii(case[0]))
def test_what_people_write_is_read(case: tuple[str, str, int | None]) -> None:
    """Minus signs, fractions, mixed numbers, decimal points and commas, percents."""
    text, value, places = case
    expected = MINUS_INFINITY if value == "-inf" else Fraction(value)
    assert read_number(text) == Reading(expected, places)
    assert read_number(f"  {text}\t") == Reading(expected, places)


@pytest.mark.parametrize("text", SPELLINGS["refused"], ids=ascii)
def test_what_is_no_number_or_two_is_refused(text: str) -> None:
    """Never right, never silently wrong."""
    with pytest.raises(NumberError, match=r"^(is|has) "):
        read_number(text)


def test_only_a_date_is_called_one() -> None:
    """What a spreadsheet made of a fraction is, with every fraction that it may have been; "minus 2" is not."""
    assert len(SPELLINGS["read"]) + len(SPELLINGS["refused"]) + len(SPELLINGS["dates"]) > 700
    for text, fractions in SPELLINGS["dates"]:
        with pytest.raises(NumberError, match="a date: "):
            read_number(text)
        assert sorted(list_date_fractions(text)) == sorted(fractions), text
    for text in SPELLINGS["refused"]:
        with pytest.raises(NumberError) as refusal:
            read_number(text)
        assert "a date" not in str(refusal.value)
        assert list_date_fractions(text) == ()


def test_the_longest_texts_are_read_at_once() -> None:
    """As many characters as are read of any one sign, or of two by turns, in every rule of the grammar."""
    signs = "(-+0 1./^$\\{}=≈'…٣½³₁\u0305e%:·x);,_a"
    for a, b in itertools.product(signs, repeat=2):
        with contextlib.suppress(NumberError):
            read_number((a + b) * (MAX_WRITTEN_LENGTH // 2))


@pytest.mark.parametrize("text", ["", " ", "\u200b", "\ufeff\u2060 ", "\t", "\u00a0", "\u2003\n"])
def test_an_empty_cell_is_empty(text: str) -> None:
    """Blanks of any kind are nothing."""
    assert read_number(text) is None


@given(st.fractions(-(10**6), 10**6, max_denominator=10**6))
def test_what_is_printed_reads_back(value: Fraction) -> None:
    """As the JSON sheet writes it, with a true minus, and as a mixed number."""
    assert read_number(format_exact(value)) == read_number(format_exact(value).replace("-", "−"))
    read = read_number(format_exact(value))
    assert read is not None
    assert read.value == value
    whole, part = divmod(abs(value), 1)
    if whole and part:
        mixed = read_number(f"{'−' if value < 0 else ''}{whole} {part}")
        assert mixed is not None
        assert mixed.value == value


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.sampled_from(".,"))
def test_decimals_keep_their_digits(digits: int, places: int, point: str) -> None:
    """The number of digits after the point is known, unless a comma could part thousands."""
    text = f"{abs(digits):0{places + 1}d}"
    text = ("-" if digits < 0 else "") + (text[:-places] + point + text[-places:] if places else text)
    try:
        read = read_number(text)
    except NumberError:
        assert point == "," and places == 3
        return
    assert read == Reading(Fraction(digits, 10**places), places)


@given(st.text(max_size=60))
def test_nothing_but_numbers_is_accepted(text: str) -> None:
    """Whatever is typed: a number that its digits spell, nothing, or a refusal in one sentence."""
    try:
        read = read_number(text)
    except NumberError as refusal:
        assert str(refusal).startswith(("is ", "has "))
        assert "\n" not in str(refusal)
        return
    assert read is None or any(character.isnumeric() for character in text) or "∞" in text or "inf" in text.lower()


# problem files, which are stricter

NUMBERS_IN_FILES: dict[str, Number] = {
    "0": 0,
    "-0": 0,
    "7": 7,
    "007": 7,
    "+3": 3,
    "-2": -2,
    "−2": -2,
    "–2": -2,
    "  5\t": 5,
    "0.1": Fraction(1, 10),
    ".2": Fraction(1, 5),
    "2.": 2,
    "-.5": Fraction(-1, 2),
    "0.50": Fraction(1, 2),
    "1/3": Fraction(1, 3),
    "−1/3": Fraction(-1, 3),
    "+1/3": Fraction(1, 3),
    "9⁄46": Fraction(9, 46),
    "6/3": 2,
    "0/5": 0,
    "1e3": 1000,
    "1E-3": Fraction(1, 1000),
    "2.5e+1": 25,
    "-1.5e-9": Fraction(-3, 2 * 10**9),
    "9" * MAX_NUMBER_LENGTH: 10**MAX_NUMBER_LENGTH - 1,
}

REFUSED_IN_FILES = (
    "",
    " ",
    ".",
    "-",
    "+",
    "/",
    "abc",
    "x",
    "true",
    "None",
    "nan",
    "inf",
    "-inf",
    "Infinity",
    "1_000",
    "1,234",
    "0,5",
    "1 000",
    "1 1/2",
    "- 2",
    "--2",
    "+-2",
    "-+2",
    "1.2.3",
    "1..2",
    "1 /3",
    "1/ 3",
    "1/",
    "/2",
    "1/2/3",
    "1/-3",
    "1/+3",
    "1/2.0",
    "0.5/2",
    "1e",
    "e5",
    "1e10",
    "1e-10",
    "1e3000000",
    "1/3e2",
    "1e2.5",
    "0x10",
    "0b1",
    "1+1",
    "2*3",
    "1;2",
    "[1]",
    "1%",
    "20 %",
    "½",
    "1½",
    "3²",
    "₂",
    "①",
    "٣",
    "１",  # full width
    "1\u200b",
    "1\n2",
    "1\x00",
    "1/0",
    "0/0",
    "0/00",
    "1" * (MAX_NUMBER_LENGTH + 1),
    " " * (MAX_NUMBER_LENGTH + 1),
)


@pytest.mark.parametrize(("text", "value"), NUMBERS_IN_FILES.items())
def test_numbers_of_problem_files_are_read_exactly(text: str, value: Number) -> None:
    """Integers, decimals, fractions and small powers of ten mean what they say, with any minus."""
    assert (read_plain_number(text).value, type(read_plain_number(text).value)) == (value, type(value))


@pytest.mark.parametrize("text", REFUSED_IN_FILES)
def test_nothing_else_is_accepted_in_problem_files(text: str) -> None:
    """What is no number, or has two readings, is refused."""
    with pytest.raises(NumberError):
        read_plain_number(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1,5", "is '1,5', not a number: write an integer, a decimal such as 0.5 or a fraction such as 1/3"),
        ("1/0", "is '1/0': nothing can be divided by 0"),
        ("1" * 41, "is 41 characters long: write a number of at most 40"),
    ],
)
def test_a_refusal_says_what_to_write(text: str, message: str) -> None:
    """A refusal goes on from the name of the cell and ends with the remedy."""
    with pytest.raises(NumberError) as refusal:
        read_plain_number(text)
    assert str(refusal.value) == message


SIGNS = st.text("0123456789+-−–./⁄eE ,_½²٣", max_size=9)


@given(st.text(max_size=12) | SIGNS)
def test_what_is_accepted_has_the_value_that_python_reads(text: str) -> None:
    """Any text is refused, or means what ``Fraction`` reads in it once signs are plain."""
    try:
        value = read_plain_number(text).value
    except NumberError:
        return
    plain = text.replace("−", "-").replace("–", "-").replace("⁄", "/").strip()
    assert "_" not in plain
    assert " " not in plain
    assert plain.isascii()
    assert value == Fraction(plain)


SHORT_FRACTIONS = st.fractions(min_value=-(10**15), max_value=10**15, max_denominator=10**15)


@given(st.integers(-(10**38), 10**38) | SHORT_FRACTIONS)
def test_what_is_printed_whole_is_read_back(value: int | Fraction) -> None:
    """Reading is the inverse of printing, with either minus."""
    assert read_plain_number(format_exact(simplify(value))).value == value
    assert read_plain_number(use_typographic_signs(format_exact(simplify(value)))).value == value


@given(st.decimals(allow_nan=False, allow_infinity=False, min_value=-1000, max_value=1000, places=4))
def test_decimals_are_read_exactly(value: Decimal) -> None:
    """A decimal of a few places is the fraction it stands for."""
    assert read_plain_number(f"{value:f}").value == Fraction(value)
