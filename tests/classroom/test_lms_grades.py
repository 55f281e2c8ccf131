"""Grades go back to the right students: read here as Moodle and Canvas say that they read them."""

import csv
import io
from decimal import Decimal

import pytest

from attnhand.classroom.gradebook import Gradebook, GradebookRow
from attnhand.classroom.lms_grades import System, make_grades_file
from attnhand.classroom.other_files import is_about_a_class
from attnhand.errors import AttnhandError
from attnhand.sheet.seat import Seat, Student

CLASS = [
    Student(name="Zoë Ångström", id="007", email="zoe@example.org", group="Tue"),
    Student(name="=Bo", id="4712", email="bo@example.org", group="Wed"),
    Student(name="Cy, Jr.", id="4713", email="cy@example.org"),
]
SCORES = [Decimal(105), None, Decimal("57.5")]
"""Of 116 cells: 90.52 %, nothing, 49.57 %, by hand."""


def make_book(students: list[Student]) -> Gradebook:
    """Return a class where all was marked by eye, and a spare sheet that somebody took."""
    seats = [Seat(number=number, student=student) for number, student in enumerate(students, 1)]
    by_eye = [{} if score is None else {"Q": (score, 116)} for score in SCORES]
    rows = [GradebookRow(seat=seat, marks_by_eye=marks) for seat, marks in zip(seats, by_eye, strict=True)]
    spare = GradebookRow(seat=Seat(number=4, is_spare=True), marks_by_eye={"Q": (Decimal(1), 116)})
    return Gradebook(rows=(*rows, spare))


def read_table(students: list[Student], system: System) -> tuple[list[list[str]], list[str]]:
    """Return the table that is made, and who is left out of it."""
    file = make_grades_file(make_book(students), system, "Week 3")
    assert is_about_a_class(file.data)
    return list(csv.reader(io.StringIO(file.data.decode(), newline=""))), [seat.name for seat in file.left_out]


def import_into_moodle(table: list[list[str]], map_from: str) -> dict[str, str]:
    """Return who gets which grade: a line without a student is the last one's, and an empty cell is none."""
    header, *lines = table
    grades, student = {}, ""
    assert {len(line) for line in lines} == {len(header)}
    for line in lines:
        student = line[header.index(map_from)] or student
        if grade := line[header.index("Week 3")]:
            grades[student] = grade
    return grades


def test_moodle_finds_everybody_by_either_column() -> None:
    """Whoever has no grade gets none; 0 at the beginning of a number stays; there is nothing but these columns."""
    table, left_out = read_table(CLASS, "moodle")
    assert table == [
        ["ID number", "Email address", "Full name", "Week 3"],
        ["007", "zoe@example.org", "Zoë Ångström", "90.52"],
        ["4712", "bo@example.org", "'=Bo", ""],
        ["4713", "cy@example.org", "Cy, Jr.", "49.57"],
    ]
    assert import_into_moodle(table, "Email address") == {"zoe@example.org": "90.52", "cy@example.org": "49.57"}
    assert import_into_moodle(table, "ID number") == {"007": "90.52", "4713": "49.57"}
    assert left_out == []


def test_nobody_gets_the_grade_of_the_next_line() -> None:
    """A column with a gap is left out; where each has one, whoever has nothing in the fuller one is said by name."""
    no_mail = Student(name="Cy, Jr.", id="4713")
    table, left_out = read_table([*CLASS[:2], no_mail], "moodle")
    assert (table[0], left_out) == (["ID number", "Full name", "Week 3"], [])
    assert import_into_moodle(table, "ID number") == {"007": "90.52", "4713": "49.57"}
    table, left_out = read_table([CLASS[0], Student(name="Bo", email="bo@example.org"), no_mail], "moodle")
    assert (table[0][:2], left_out) == (["ID number", "Full name"], ["Bo"])
    with pytest.raises(AttnhandError, match="the class has neither: add a column id or email to the roster"):
        read_table([Student(name=student.name) for student in CLASS], "moodle")


def test_canvas_finds_everybody_and_makes_one_assignment() -> None:
    """By the header of its own export; its line of points is no student."""
    (header, points, *lines), left_out = read_table(CLASS, "canvas")
    assert header == ["Student", "ID", "SIS User ID", "SIS Login ID", "Section", "Week 3"]
    assert points == ["    Points Possible", "", "", "", "", "100"]
    assert lines == [
        ["Zoë Ångström", "", "007", "zoe@example.org", "Tue", "90.52"],
        ["'=Bo", "", "4712", "bo@example.org", "Wed", ""],
        ["Cy, Jr.", "", "4713", "cy@example.org", "", "49.57"],
    ]
    assert left_out == []


def test_without_a_class_there_is_nobody_to_grade() -> None:
    """Papers alone say no id."""
    with pytest.raises(AttnhandError, match="takes a class, whose index says who has which grade"):
        make_grades_file(Gradebook(rows=(GradebookRow(seat=None),)), "moodle", "Week 3")
