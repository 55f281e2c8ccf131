"""The column of №s: the header that each language writes is read again, whatever a spreadsheet made of it."""

import pytest

from attnhand.sheet.number_column import find_number_column, is_number_header, write_number_header
from attnhand.text import LANGUAGES


@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_the_header_of_every_language_is_found(code: str) -> None:
    """Also in capitals, with blanks around it, and behind other columns."""
    header = write_number_header(code)
    assert all(map(is_number_header, (header, header.upper(), f" {header} ")))
    assert find_number_column(["name", header]) == 1


@pytest.mark.parametrize("code", sorted(set(LANGUAGES) - {"uk"}))
def test_the_header_survives_ansi(code: str) -> None:
    """A spreadsheet in Western or Central Europe saves it as its encoding of Windows."""
    encoding = "cp1250" if code == "pl" else "cp1252"
    assert write_number_header(code).encode(encoding).decode(encoding) == write_number_header(code)


def test_a_sign_that_was_lost_is_the_first_header_alone() -> None:
    """№ saved as ANSI is "?"; a question mark further on is somebody's column."""
    header = "№;name;S".encode("cp1252", "replace").decode("cp1252").split(";")
    assert find_number_column(header) == 0
    assert find_number_column(["name", "?"]) is None


@pytest.mark.parametrize("title", ["N", "n", "norm", "nor", "Matrikel-Nr.", "student no", "name", "", "?"])
def test_other_columns_are_none(title: str) -> None:
    """A stage may be called N; who numbers students has another title."""
    assert not is_number_header(title)
