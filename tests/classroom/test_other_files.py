"""What we write about a class is told from answers, whatever a spreadsheet made of it."""

import pytest

from attnhand.classroom.other_files import is_about_a_class
from attnhand.sheet.number_column import write_number_header
from attnhand.text import LANGUAGES


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "cp1252"])
@pytest.mark.parametrize("separator", [",", ";", "\t", '";"'])
@pytest.mark.parametrize("code", sorted(LANGUAGES))
def test_a_table_of_the_class_is_known(code: str, separator: str, encoding: str) -> None:
    """In every language, however it was saved; № that ANSI lost too."""
    line = separator.join((write_number_header(code), "name", "Q"))
    text = f'"{line}"\r\n' if '"' in separator else f"{line}\r\n"
    assert is_about_a_class(text.encode(encoding, "replace"))


@pytest.mark.parametrize("text", ["No.,what I did\n1,nothing\n", "?\n", "attnhand,A1Q0-0000-000W\n", "Norm;name\n", ""])
def test_what_somebody_handed_in_is_none(text: str) -> None:
    """A numbered list of a student's own is listed as a file that cannot be read, and not passed over."""
    assert not is_about_a_class(text.encode())


def test_a_table_with_a_long_first_line_is_known() -> None:
    """Where what is looked at ends within a letter."""
    assert all(is_about_a_class(("№,name," + "x" * spare + "é" * 3_000).encode()) for spare in range(3))
