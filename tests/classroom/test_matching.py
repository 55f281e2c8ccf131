"""Whose a paper is: by its code; where several have the sheet, by what it says; never by a guess."""

import pytest

from attnhand.classroom.matching import PaperMatcher
from attnhand.sheet.seat import Seat, Student, read_name_field
from attnhand.text import Message

INDEX = [
    Seat(number=1, student=Student(name="Ada Lovelace"), code="A1Q0-0000"),
    Seat(number=2, student=Student(name="Bob"), code="A1Q0-1111"),
    Seat(number=7, student=Student(name="Zoë"), code="A1Q0-1111"),
    Seat(number=9, student=Student(name="Bob"), code="A1Q0-1111"),
    Seat(number=10, is_spare=True, code="A1Q0-3333"),
]


def match(code: str, signed: str, file: str) -> Seat | Message:
    """Return whose a paper is, or why nobody's, by what stands in its name field."""
    number, name = read_name_field(signed)
    return PaperMatcher(INDEX).match_paper(code=f"A1Q0{code}", number=number, name=name, file=file)


FOUND: dict[str, tuple[str, str, str, int]] = {
    "its code": ("0000", "", "x.json", 1),
    "its code, whatever it is called": ("0000", "ada l.", "002 Bob.json", 1),
    "its code, and a number that is no №": ("0000", "7 Ada Lovelace", "x.json", 1),
    "its code and №": ("0000", "001", "x.json", 1),
    "the № among several": ("1111", "№ 7", "x.json", 7),
    "the № among several of one name": ("1111", "009 Bob", "x.json", 9),
    "the name among several": ("1111", "  ZOE\u0308 ", "x.json", 7),
    "the file's №, as the sheet prints it": ("1111", "", "class/007 homework.pdf", 7),
    "the file's № alone": ("1111", "", "002.json", 2),
    "a spare sheet that a student took": ("3333", "zoë", "x.json", 7),
    "a spare sheet, with its № and who took it": ("3333", "010 Zoë", "x.json", 7),
    "a spare sheet, signed by nobody that is known": ("3333", "Zo", "x.json", 10),
    "a spare sheet that nobody signed": ("3333", "", "x.json", 10),
    "the name before the file's №": ("1111", "Zoë", "002.json", 7),
}


@pytest.mark.parametrize(("code", "signed", "file", "number"), FOUND.values(), ids=FOUND)
def test_papers_that_say_whose_they_are(code: str, signed: str, file: str, number: int) -> None:
    """Letter case, composition and blanks aside."""
    owner = match(code, signed, file)
    assert isinstance(owner, Seat)
    assert owner.number == number


NOT_FOUND: dict[str, tuple[str, str, str, str]] = {
    "nobody's": ("2222", "Bob", "x.json", "its sheet is nobody's in the index"),
    "another №": ("0000", "002", "x.json", "it says № 002, but its sheet is that of № 001 Ada Lovelace"),
    "another's name": ("0000", "Bob", "x.json", "it says Bob, but its sheet is that of № 001 Ada Lovelace"),
    "a spare sheet, and two of that name": ("3333", "Bob", "x.json", "it says Bob, but its sheet is that of № 010"),
    "nothing said": ("1111", "", "x.json", "it does not say whose it is, but its sheet is that of № 002 Bob, № 007"),
    "two of one name": ("1111", "Bob", "007.json", "it says Bob, but its sheet is that of № 002 Bob"),
    "a № and another's name": ("1111", "007 Bob", "x.json", "it says № 007 Bob, but its sheet is that of № 007 Zoë"),
    "the second homework": ("1111", "", "2 homework.json", "it does not say whose it is"),
    "a year": ("1111", "", "2002 homework.json", "it does not say whose it is"),
    "a № that runs on": ("1111", "", "007b.json", "it does not say whose it is"),
}


@pytest.mark.parametrize(("code", "signed", "file", "reason"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_papers_that_nobody_can_be_matched_to(code: str, signed: str, file: str, reason: str) -> None:
    """What contradicts itself is nobody's, with the reason."""
    owner = match(code, signed, file)
    assert isinstance(owner, Message), owner
    assert str(owner).startswith(reason)


def test_many_holders_are_not_all_named() -> None:
    """A reason stays a line."""
    index = [Seat(number=number, code="A") for number in range(1, 21)]
    reason = PaperMatcher(index).match_paper(code="A", number=None, name="", file="x")
    assert str(reason) == "it does not say whose it is, but its sheet is that of № 001, № 002, № 003 and 17 more"
