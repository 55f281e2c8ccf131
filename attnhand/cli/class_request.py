"""What somebody wants of a class: what is said now, what an earlier set was made with, and who is in it."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

from attnhand.classroom.class_file import CLASS_FILE, ClassFile, OptionValue, read_class_toml
from attnhand.classroom.index import collect_pinned_seats, list_students
from attnhand.classroom.making import ClassSettings
from attnhand.classroom.matching import IndexEntry
from attnhand.classroom.plan import Plan, Sort
from attnhand.classroom.register import assign_seats
from attnhand.classroom.roster import Student, make_unnamed_students, read_roster
from attnhand.classroom.set_folder import ClassFolder, TeacherFolder, read_user_file
from attnhand.cli.options import CLASS_OPTIONS, PAGE_OPTIONS, SHEET_OPTIONS, OptionGroup
from attnhand.errors import AttnhandError, RosterError
from attnhand.problems.request import draw_seed, format_option_name
from attnhand.sheet.order import SheetOrder, parse_options
from attnhand.system.streams import read_stdin

RUN_ONLY_OPTIONS = ("seed", "salt", "count", "out", "force", "jobs", "scheduler")
"""Options that are not kept among the others: seed and salt have a place of their own."""

SAVED_OPTIONS: OptionGroup = {
    name: declared
    for name, declared in {**SHEET_OPTIONS, **PAGE_OPTIONS, **CLASS_OPTIONS}.items()
    if name not in RUN_ONLY_OPTIONS
}


def read_class_file(data: bytes) -> ClassFile:
    """Read class.toml, with options that can be.

    Raises:
        RosterError: it is not as it was written; the message completes "class.toml …".
    """
    return with_possible_options(read_class_toml(data))


def with_possible_options(told: ClassFile) -> ClassFile:
    """Return what a class file says, if its options can be.

    Raises:
        RosterError: one cannot; the message completes "class.toml …".
    """
    wrong = next(
        (f"{name} = {value!r}" for name, value in told.options.items() if not _is_valid_value(name, value)), None
    )
    if wrong is not None:
        raise RosterError(f"says {wrong}, which no option can be: give the one that the class was made with")
    return told


def _is_valid_value(name: str, value: OptionValue) -> bool:
    """Say whether an option has such a value: ``LevelName | None`` has the names of levels."""
    if name not in SAVED_OPTIONS:
        return False
    declared = get_args(SAVED_OPTIONS[name])[0]
    kind = (get_args(declared) or (declared,))[0]
    return value in list(kind) if issubclass(kind, StrEnum) else type(value) is kind


FIXED_OPTIONS = (*(name for name in SHEET_OPTIONS if name in SAVED_OPTIONS), "versions", "open")
"""Options that no later run changes: sheets that are handed out stay as they are."""

MAX_ROSTER_BYTES = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRequest:
    """A class set that is to be made."""

    plan: Plan
    class_file: ClassFile
    """What its class.toml says."""


def make_class_request(roster: str | None, option_values: Mapping[str, Any], folder: ClassFolder) -> ClassRequest:
    """Return what is to be made: what is said now, on top of what is there.

    Raises:
        AttnhandError: options contradict one another or the earlier set, or the roster is none.
    """
    source = find_earlier_set(roster)
    earlier = source or (folder.teacher_folder if folder.teacher_folder.has_set else None)
    base = _class_file(earlier) if earlier else None
    _refuse_other_class(base, folder)
    said = {
        name: _to_saved_value(option_values[name])
        for name in SAVED_OPTIONS
        if option_values[name] is not None and option_values[name] is not False
    }
    if base:
        _refuse_fixed_changes(said, option_values, base, folder)
    options: dict[str, Any] = {**(base.options if base else {}), **said}
    entries = earlier.read_entries() if earlier else ()
    students = list_students(entries) if source else _read_students(roster, option_values["count"])
    told = _make_class_file(option_values, options, base, folder)
    what, page = parse_options({**options, "seed": told.seed, "salt": told.salt or None})
    try:
        seats = assign_seats(
            students,
            told.seed,
            told.salt,
            version_count=options.get("versions"),
            spare_count=options.get("spare") or 0,
            pinned_seats=_find_pinned_seats(entries, what, earlier),
            last_number=told.last_number,
        )
        plan = Plan(
            settings=ClassSettings(
                request=what.make_request(told.seed),
                page=page,
                words=() if what.has_embedding else what.split_words(),
                title=what.title or "",
                salt=told.salt,
            ),
            seats=seats,
            version_count=options.get("versions"),
            sort=Sort(options["sort"]) if options.get("sort") else None,
            is_duplex=bool(options.get("duplex")),
            has_separate_files=bool(options.get("separate")),
            has_web_sheets=bool(options.get("html")),
        )
        _ = plan.overrides_by_number
    except RosterError as error:
        raise RosterError(f"{_describe_roster(roster)} {error}" if str(error)[:1] != "-" else str(error)) from error
    if plan.sort is Sort.GROUP and not any(student.group for student in students):
        raise AttnhandError("--sort group finds no group on the roster: add a column group, or use --sort name")
    if page.self_check and not any(suffix == ".html" for _, suffix in plan.list_student_files()):
        raise AttnhandError("--self-check is for web sheets: add --html, or leave it out")
    return ClassRequest(
        plan=plan, class_file=replace(told, last_number=max(told.last_number, *(seat.number for seat in seats)))
    )


def _class_file(earlier: TeacherFolder) -> ClassFile:
    try:
        return with_possible_options(earlier.read_class_file())
    except RosterError as error:
        name = earlier.folder / CLASS_FILE
        raise RosterError(str(error) if str(error).startswith(str(name)) else f"{name} {error}") from error


def find_earlier_set(roster: str | None) -> TeacherFolder | None:
    """Return the earlier set that is to be made again, where a folder is named instead of a roster.

    Raises:
        AttnhandError: there is none in it.
    """
    if roster is None or roster == "-" or not Path(roster).is_dir():
        return None
    teacher = TeacherFolder(Path(roster))
    if not teacher.has_set:
        raise AttnhandError(f"{roster} has no class.toml: give a roster, or the folder teacher/ of an earlier set")
    return teacher


def _to_saved_value(value: Any) -> OptionValue:
    return str(value) if isinstance(value, str) else value


def _refuse_other_class(earlier_file: ClassFile | None, folder: ClassFolder) -> None:
    there = _class_file(folder.teacher_folder) if folder.teacher_folder.has_set else None
    if earlier_file and there and (earlier_file.seed, earlier_file.salt) != (there.seed, there.salt):
        raise AttnhandError(f"{folder.root} holds another class's set: choose another --out")


def _refuse_fixed_changes(
    new_options: Mapping[str, OptionValue],
    option_values: Mapping[str, Any],
    earlier_file: ClassFile,
    folder: ClassFolder,
) -> None:
    """Refuse what would change the sheets of an earlier set."""
    changed = {
        name: new_options[name]
        for name in FIXED_OPTIONS
        if name in new_options and new_options[name] != earlier_file.options.get(name)
    }
    for name, mine in (("seed", earlier_file.seed), ("salt", earlier_file.salt)):
        if option_values.get(name) is not None and option_values[name] != mine:
            changed[name] = "" if name == "salt" else option_values[name]
    for name, value in changed.items():
        option = format_option_name(name) + ("" if value is True or value == "" else f" {value}")
        raise AttnhandError(
            f"{option} would change the sheets of the set in {folder.root}: leave it out, or choose another --out"
        )


def _read_students(roster: str | None, count: int | None) -> tuple[Student, ...]:
    if (roster is None) == (count is None):
        raise AttnhandError(
            "who is in the class: give a roster, or --count 30"
            if roster is None
            else f"--count {count} and the roster {roster} contradict each other: leave out one of them"
        )
    if count is not None:
        return make_unnamed_students(count)
    assert roster is not None
    data = read_stdin(MAX_ROSTER_BYTES) if roster == "-" else read_user_file(Path(roster), MAX_ROSTER_BYTES)
    try:
        return read_roster(data)
    except RosterError as error:
        raise RosterError(f"{_describe_roster(roster)} {error}") from error


def _describe_roster(roster: str | None) -> str:
    return "the roster" if roster in (None, "-") else str(roster)


def _find_pinned_seats(
    entries: tuple[IndexEntry, ...], order: SheetOrder, earlier: TeacherFolder | None
) -> Mapping[str, Any]:
    try:
        return collect_pinned_seats(entries, order.split_words())
    except RosterError as error:
        assert earlier is not None
        raise RosterError(f"{earlier.folder / 'index.csv'} {error}") from error


def _make_class_file(
    option_values: Mapping[str, Any],
    options: Mapping[str, OptionValue],
    earlier_file: ClassFile | None,
    folder: ClassFolder,
) -> ClassFile:
    """Return what the set comes from: as it was, as it was begun, or drawn now."""
    seed, salt, is_open = (
        option_values.get("seed"),
        SheetOrder(salt=option_values.get("salt")).get_salt(),
        bool(options.get("open")),
    )
    if is_open and salt:
        raise AttnhandError("--open and a salt contradict each other: leave out --open, or --salt and ATTNHAND_SALT")
    if earlier_file is not None:
        return replace(earlier_file, options=options)
    begun = folder.read_unfinished_class_file()
    if begun and begun.options == options and seed in (None, begun.seed) and salt in ("", begun.salt):
        return begun
    if not is_open and not salt:
        salt = secrets.token_hex(8)
    return ClassFile(seed=draw_seed() if seed is None else seed, salt=salt, options=options)
