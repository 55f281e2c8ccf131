"""A class's folder beside a source: its №s name sheets, and it knows the salt and words of all of them."""

from collections.abc import Mapping
from typing import Any

from attnhand.classroom.matching import read_student_number
from attnhand.classroom.set_folder import find_teacher_folder
from attnhand.errors import AttnhandError


def find_in_class(class_folder: str, source: str, option_values: Mapping[str, Any]) -> tuple[str, dict[str, Any]]:
    """Return what names the sheet, where a № does its code, and the options with those that the class knows.

    Raises:
        AttnhandError: the folder is no class's, or nobody in it has that №.
    """
    teacher = find_teacher_folder(class_folder)
    given = {name: value for name, value in option_values.items() if value is not None and value is not False}
    values = {**option_values, **teacher.read_class_file().beyond_codes, **given}
    if not source.isdecimal():
        return source, values
    number = read_student_number(source)
    code = next((seat.code for seat in teacher.read_seats() if seat.number == number), None)
    if code is None:
        raise AttnhandError(f"{teacher.index_path} has no № {source}: give one that is there, or the code of the sheet")
    return code, values
