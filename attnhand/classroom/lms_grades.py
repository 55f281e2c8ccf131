"""Grades in percent, as Moodle and Canvas import them; whoever has none gets no 0, and nobody gets another's."""

import csv
import io
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Literal

from attnhand.classroom.gradebook import Gradebook, GradebookRow, format_marks
from attnhand.errors import AttnhandError, name_option
from attnhand.sheet.seat import Seat
from attnhand.system.tables import escape_formula

System = Literal["moodle", "canvas"]
"""Whose import a table is for."""

MAX_GRADE = 100
"""Moodle takes no more, unless its administrators allow it."""


@dataclass(frozen=True, slots=True)
class GradesFile:
    """A table to import: of the columns that the system asks for alone, so with no digest in it."""

    data: bytes
    left_out: tuple[Seat, ...]
    """Students by whom the system would find nobody."""


def name_grades_file(system: System) -> str:
    return f"grades-{system}.csv"


def make_grades_file(book: Gradebook, system: System, title: str) -> GradesFile:
    """Return everybody's grade as a system imports it.

    Args:
        title: of the column with the grades, by which the system names them.

    Raises:
        AttnhandError: nobody knows who the students are, or the system would find none of them.
    """
    # Subtle: Moodle stops at a user whom the course no longer has
    seats = {row.seat: row for row in book.rows if row.seat and not (row.seat.is_spare or row.seat.is_withdrawn)}
    if not seats:
        option, example = name_option("grades", system), "attnhand grade attnhand-class answers/"
        raise AttnhandError(f"{option} takes a class, whose index says who has which grade: type, say, {example}")
    make_table = _make_moodle_table if system == "moodle" else _make_canvas_table
    table, left_out = make_table(seats, title)
    out = io.StringIO(newline="")
    csv.writer(out).writerows(table)
    return GradesFile(out.getvalue().encode(), left_out)


_MOODLE_KEYS: Mapping[str, str] = {"ID number": "id", "Email address": "email"}
"""By the names of columns in Moodle's own export: what a student has there."""


def _make_moodle_table(rows: Mapping[Seat, GradebookRow], title: str) -> tuple[list[list[str]], tuple[Seat, ...]]:
    """Return a table whose lines all say whose they are: where one does not, Moodle takes the line before's student."""
    counts = {name: sum(bool(getattr(seat.student, key)) for seat in rows) for name, key in _MOODLE_KEYS.items()}
    most = max(counts.values())
    if not most:
        option = name_option("grades", "moodle")
        advice = "add a column id or email to the roster, and make the class again"
        raise AttnhandError(f"{option} finds students by their id or e-mail, and the class has neither: {advice}")
    complete = [name for name, count in counts.items() if count == len(rows)]
    names = complete or [max(counts, key=lambda name: counts[name])]
    table = [[*names, "Full name", title]]
    left_out = []
    for seat, row in rows.items():
        keys = [getattr(seat.student, _MOODLE_KEYS[name]) for name in names]
        if all(keys):
            table.append([*map(escape_formula, (*keys, seat.name)), _format_grade(row)])
        else:
            left_out.append(seat)
    return table, tuple(left_out)


def _make_canvas_table(rows: Mapping[Seat, GradebookRow], title: str) -> tuple[list[list[str]], tuple[Seat, ...]]:
    """Return a table as Canvas exports it: it finds students by SIS ID, else by login, else by name."""
    table = [["Student", "ID", "SIS User ID", "SIS Login ID", "Section", title]]
    table.append(["    Points Possible", "", "", "", "", str(MAX_GRADE)])  # every column after Section is an assignment
    for seat, row in rows.items():
        student = seat.student
        known: Sequence[str] = (student.id, student.email, student.group)
        table.append([escape_formula(seat.name), "", *map(escape_formula, known), _format_grade(row)])
    return table, ()


def _format_grade(row: GradebookRow) -> str:
    """Write a score in percent; empty where there is none."""
    if not row.max_score:
        return ""
    return format_marks(round(MAX_GRADE * row.score / Decimal(row.max_score), 2))
