"""The options that a class's class.toml keeps: which they are, and whether those in a file can be."""

from enum import StrEnum
from typing import get_args

from attnhand.classroom.class_file import ClassFile, Said, read_class_toml
from attnhand.cli.classes import CLASS_OPTIONS
from attnhand.cli.options import PAGE_OPTIONS, WHAT_OPTIONS, Options
from attnhand.errors import RosterError

OF_ONE_RUN = ("seed", "salt", "count", "out", "force", "jobs", "scheduler")
"""Options that are not kept among the others: seed and salt have a place of their own."""

KEPT: Options = {
    name: declared
    for name, declared in {**WHAT_OPTIONS, **PAGE_OPTIONS, **CLASS_OPTIONS}.items()
    if name not in OF_ONE_RUN
}


def read_class_file(data: bytes) -> ClassFile:
    """Read class.toml, with options that can be.

    Raises:
        RosterError: it is not as it was written; the message completes "class.toml …".
    """
    told = read_class_toml(data)
    wrong = next((f"{name} = {value!r}" for name, value in told.options.items() if not _can_be(name, value)), None)
    if wrong is not None:
        raise RosterError(f"says {wrong}, which no option can be: give the one that the class was made with")
    return told


def _can_be(name: str, value: Said) -> bool:
    """Say whether an option has such a value: ``LevelName | None`` has the names of levels."""
    if name not in KEPT:
        return False
    declared = get_args(KEPT[name])[0]
    kind = (get_args(declared) or (declared,))[0]
    return value in list(kind) if issubclass(kind, StrEnum) else type(value) is kind
