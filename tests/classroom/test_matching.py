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
    "whom Moodle names, among several": ("1111", "", "Zoë_812_assignsubmission_file/sheet.csv", 7),
    "whom Moodle names in one name": ("1111", "", "a/Zoë_812_assignsubmission_file_my sheet.csv", 7),
    "whom Moodle names, the surname first": ("0000", "", "Lovelace, Ada_812_assignsubmission_file_/x/y.csv", 1),
    "whom Moodle names by another name than the class": ("0000", "", "Ada King_812_assignsubmission_file/s.csv", 1),
    "a spare sheet, by whom Moodle names": ("3333", "", "Zoë_812_assignsubmission_file/sheet.csv", 7),
    "the file's №, behind what Moodle writes": ("1111", "", "Participant_812_assignsubmission_file_007 s.csv", 7),
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
    "handed in by another, says Moodle": (
        *("0000", "Ada Lovelace", "Zoë_812_assignsubmission_file/sheet.csv"),
        "it says Zoë, but its sheet is that of № 001 Ada Lovelace",
    ),
    "two of the name that Moodle says": ("1111", "", "Bob_812_assignsubmission_file/s.csv", "it does not say whose it"),
    "a year": ("1111", "", "2002 homework.json", "it does not say whose it is"),
    "a № that runs on": ("1111", "", "007b.json", "it does not say whose it is"),
}


@pytest.mark.parametrize(("code", "signed", "file", "reason"), NOT_FOUND.values(), ids=NOT_FOUND)
def test_papers_that_nobody_can_be_matched_to(code: str, signed: str, file: str, reason: str) -> None:
    """What contradicts itself is nobody's, with the reason."""
    owner = match(code, signed, file)
    assert isinstance(owner, Message), owner
    assert str(owner).startswith(reason)


def test_many_owners_are_not_all_named() -> None:
    """A reason stays a line."""
    index = [Seat(number=number, code="A") for number in range(1, 21)]
    reason = PaperMatcher(index).match_paper(code="A", number=None, name="", file="x")
    assert str(reason) == "it does not say whose it is, but its sheet is that of № 001, № 002, № 003 and 17 more"


def test_whose_group_moodle_writes_before_the_name() -> None:
    """It is known where the class has that group; a name with a hyphen is nobody else's second half."""
    index = [
        Seat(number=1, student=Student(name="Luc", group="TD 1"), code="A"),
        Seat(number=2, student=Student(name="Jean-Luc Roux", group="TD-2"), code="B"),
    ]
    names = ("TD 1-Luc", "TD-2-Jean-Luc Roux", "Jean-Luc Roux", "Jean-Luc", "TD 3-Luc")
    found = [PaperMatcher(index).find_platform_sender(f"{name}_7_assignsubmission_file/a.csv") for name in names]
    assert [seat and seat.number for seat in found] == [1, 2, 2, None, None]


def test_what_cannot_be_read_is_whose_name_moodle_says() -> None:
    """Unless what it says itself contradicts that."""
    matcher, file = PaperMatcher(INDEX), "Zoë_812_assignsubmission_file/photo.jpg"
    assert matcher.find_sender(code="", number=None, name="", file=file) == INDEX[2]
    assert matcher.find_sender(code="", number=7, name="", file=file) == INDEX[2]
    assert matcher.find_sender(code="", number=1, name="", file=file) is None
    assert matcher.find_sender(code="", number=None, name="", file="Bob_812_assignsubmission_file/photo.jpg") is None
