"""How one student's page differs: said in the words of whoever keeps the roster."""

import pytest

from attnhand.classroom.index import format_index_csv, read_index
from attnhand.classroom.overrides import Overrides, parse_overrides
from attnhand.classroom.roster import read_roster
from attnhand.errors import RosterError
from attnhand.sheet.seat import Seat


def read_overrides(column: str, cell: str, encoding: str = "utf-8") -> Overrides:
    """Return what a roster says of the only student on it, and the index of it when it is read again."""
    (ada,) = read_roster(f"name;{column}\nAda;{cell}\n".encode(encoding)).students
    (seat,) = read_index(format_index_csv([Seat(number=1, student=ada, code="A1")]).encode())
    assert parse_overrides(seat.student) == parse_overrides(ada)
    return parse_overrides(ada)


@pytest.mark.parametrize("word", ["ja", "Ja", "yes", "x", "X", "oui", "1", "sí", "si", "tak", "так", "sim", "si\u0301"])
@pytest.mark.parametrize("column", ["large_print", "tagged", "Large Print"])
def test_yes_is_said_in_many_languages(column: str, word: str) -> None:
    """In capitals too, and with an accent that stands apart."""
    overrides = read_overrides(column, word)
    assert (overrides.large_print, overrides.tagged) == (column != "tagged", column == "tagged")


@pytest.mark.parametrize("word", ["nein", "no", "0", "-", "non", "não", "nie", "ні", ""])
def test_no_is_said_in_many_languages(word: str) -> None:
    """It is as good as nothing."""
    assert read_overrides("large_print", word) == Overrides()


@pytest.mark.parametrize(
    ("text", "code"),
    {
        **dict.fromkeys(("German", "Deutsch", "deutsch", "allemand", "de", "DE", "de-AT", "німецька"), "de"),
        **dict.fromkeys(("ukrainian", "Ukrainisch", "українська", "ukraiński"), "uk"),
        **dict.fromkeys(("français", "francais", "Französisch"), "fr"),
    }.items(),
)
def test_a_language_is_said_by_code_or_name(text: str, code: str) -> None:
    """By its own name, or as any of the languages calls it; accents may be missing."""
    assert read_overrides("language", text).language == code


@pytest.mark.parametrize(
    ("column", "sentence"),
    {
        "large_print": "says 'Klingon' as large_print of student 1: write yes, or nothing",
        "language": "says 'Klingon' as the language of student 1: write en, de, es, fr, pt, pl, uk, or nothing",
    }.items(),
)
def test_another_word_is_refused(column: str, sentence: str) -> None:
    """As it was written, with what to write."""
    (ada,) = read_roster(f"name;{column}\nAda;Klingon\n".encode()).students
    with pytest.raises(RosterError) as refusal:
        parse_overrides(ada)
    assert str(refusal.value) == sentence
