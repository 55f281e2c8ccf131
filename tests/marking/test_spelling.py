"""What students write, read as they meant it or refused."""

import json
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.attention.numbers import MINUS_INFINITY, format_exact
from attnhand.errors import NumberError
from attnhand.marking.answer_number import Reading, read_answer_number

SPELLINGS = json.loads((Path(__file__).parents[1] / "data" / "spellings.json").read_text(encoding="utf-8"))
"""One table for all readers of answers."""


@pytest.mark.parametrize("case", SPELLINGS["read"], ids=lambda case: ascii(case[0]))
def test_what_people_write_is_read(case: tuple[str, str, int | None]) -> None:
    """Minus signs, fractions, mixed numbers, decimal points and commas, percents."""
    text, value, places = case
    expected = MINUS_INFINITY if value == "-inf" else Fraction(value)
    assert read_answer_number(text) == Reading(expected, places)
    assert read_answer_number(f"  {text}\t") == Reading(expected, places)


@pytest.mark.parametrize("text", SPELLINGS["refused"], ids=ascii)
def test_what_is_no_number_or_two_is_refused(text: str) -> None:
    """Never right, never silently wrong."""
    with pytest.raises(NumberError, match=r"^(is|has) "):
        read_answer_number(text)


@pytest.mark.parametrize("text", ["", " ", "\t", "\u00a0", "\u2003\n"])
def test_an_empty_cell_is_empty(text: str) -> None:
    """Blanks of any kind are nothing."""
    assert read_answer_number(text) is None


@given(st.fractions(-(10**6), 10**6, max_denominator=10**6))
def test_what_is_printed_reads_back(value: Fraction) -> None:
    """As the JSON sheet writes it, with a true minus, and as a mixed number."""
    assert read_answer_number(format_exact(value)) == read_answer_number(format_exact(value).replace("-", "−"))
    read = read_answer_number(format_exact(value))
    assert read is not None
    assert read.value == value
    whole, part = divmod(abs(value), 1)
    if whole and part:
        mixed = read_answer_number(f"{'−' if value < 0 else ''}{whole} {part}")
        assert mixed is not None
        assert mixed.value == value


@given(st.integers(-(10**9), 10**9), st.integers(0, 6), st.sampled_from(".,"))
def test_decimals_keep_their_digits(digits: int, places: int, point: str) -> None:
    """The number of digits after the point is known, unless a comma could part thousands."""
    text = f"{abs(digits):0{places + 1}d}"
    text = ("-" if digits < 0 else "") + (text[:-places] + point + text[-places:] if places else text)
    try:
        read = read_answer_number(text)
    except NumberError:
        assert point == "," and places == 3
        return
    assert read == Reading(Fraction(digits, 10**places), places)


@given(st.text(max_size=60))
def test_nothing_but_numbers_is_accepted(text: str) -> None:
    """Whatever is typed: a number that its digits spell, nothing, or a refusal in one sentence."""
    try:
        read = read_answer_number(text)
    except NumberError as refusal:
        assert str(refusal).startswith(("is ", "has "))
        assert "\n" not in str(refusal)
        return
    assert read is None or any(character.isnumeric() for character in text) or "∞" in text or "inf" in text.lower()
