"""Spellings for platforms that compare texts: what check takes, and nothing else."""

import random
from fractions import Fraction

import pytest

from attnhand.attention.numbers import MINUS_INFINITY, Number, to_decimal
from attnhand.attention.spellings import read_number, write_decimal_point
from attnhand.formats.accepted_spellings import list_accepted_spellings
from attnhand.marking.match import match_answer

NUMBERS: list[Number] = [
    *(0, 1, -2, 27, Fraction(1, 2), Fraction(-1, 8), Fraction(199, 200), Fraction(1, 300), Fraction(-7, 3)),
    *(to_decimal(Fraction(22, 7)), MINUS_INFINITY),
]


@pytest.mark.parametrize("decimals", [2, 3])
def test_what_is_listed_is_right_to_check(decimals: int) -> None:
    """Whatever the number: whole, a fraction, irrational, −∞."""
    draw = random.Random(decimals)
    drawn = [Fraction(draw.randrange(-400, 400), draw.randrange(1, 200)) for _ in range(300)]
    for value in (*NUMBERS, *(each.numerator if each.denominator == 1 else each for each in drawn)):
        spellings = list_accepted_spellings(value, decimals=decimals)
        assert len(spellings) == len(set(spellings)) <= 130
        for text in spellings:
            reading = read_number(write_decimal_point(text))
            assert reading is not None
            assert match_answer(reading, value, decimals).is_right, (value, text)


def test_fractions_and_two_places_are_listed_with_point_and_comma() -> None:
    """And what is near is not: 9/46 is neither 0.19 nor 9/47."""
    spellings = {*list_accepted_spellings(Fraction(9, 46))}
    assert {"9/46", "18/92", "0.20", "0,20", ".196", "0,196", "0.1957", "0.195652"} <= spellings
    assert not {"0.19", "9/47", "0.25", "0.195", "0", "1/5"} & spellings
    assert {"27/81", "0.33", "0,333", "1/3"} <= {*list_accepted_spellings(Fraction(1, 3))}
    assert {"−2", "-2", "-2,00"} <= {*list_accepted_spellings(-2)}
    assert "2" not in list_accepted_spellings(-2)
