"""A class's folder beside a source: its №s name sheets, and it knows the salt and words of all of them."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from attnhand.classroom.matching import read_student_number
from attnhand.classroom.overrides import parse_overrides
from attnhand.classroom.term_folder import find_teacher_of_sheet
from attnhand.errors import AttnhandError
from attnhand.sheet.seat import Seat


@dataclass(frozen=True, slots=True)
class ClassSource:
    """What a class knows of a source."""

    name: str
    """What names the sheet: a code where the source is a №."""

    option_values: Mapping[str, Any]
    """The options, with those that the class and its owner's line say."""

    seat: Seat | None
    """Whose sheet it is, where the index says so."""


def find_in_class(class_folder: str, source: str, option_values: Mapping[str, Any]) -> ClassSource:
    """Return what the class knows of a source: whose it is, by № or code, and how it was made.

    Raises:
        AttnhandError: the folder is no class's, or nobody in it has that №; or it is a term's, which takes a code.
    """
    teacher = find_teacher_of_sheet(class_folder, lambda: source)
    number = read_student_number(source)
    is_meant = (lambda seat: seat.number == number) if source.isdecimal() else (lambda seat: seat.code == source)
    seat = next(filter(is_meant, teacher.read_seats()), None)
    if source.isdecimal() and seat is None:
        raise AttnhandError(f"{teacher.index_path} has no № {source}: give one that is there, or the code of the sheet")
    own = parse_overrides(seat.student) if seat else None
    known: dict[str, Any] = dict(teacher.read_class_file().beyond_codes)
    known |= {"large_print": own.large_print, "language": own.language} if own else {}
    given = {name: value for name, value in option_values.items() if value is not None and value is not False}
    return ClassSource(
        name=seat.code if seat else source,
        option_values={**option_values, **{name: value for name, value in known.items() if value}, **given},
        seat=seat.as_printed if seat else None,
    )
