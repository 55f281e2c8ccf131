"""What somebody wants of a class: what is said now, what an earlier set was made with, and who is in it."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, get_args

from attnhand.classroom.class_file import CLASS_FILE, ClassFile, Said, read_class_toml
from attnhand.classroom.index import pinned, students_of
from attnhand.classroom.making import Terms
from attnhand.classroom.matching import Entry
from attnhand.classroom.plan import Plan, Sort
from attnhand.classroom.register import registered
from attnhand.classroom.roster import Student, counted, read_roster
from attnhand.classroom.set_folder import ClassFolder, Teacher, read_file
from attnhand.cli.options import CLASS_OPTIONS, PAGE_OPTIONS, WHAT_OPTIONS, Options
from attnhand.errors import AttnhandError, RosterError
from attnhand.problems.request import drawn_seed, option_name
from attnhand.sheet.order import What, gathered
from attnhand.system.streams import read_stdin

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
    return with_possible_options(read_class_toml(data))


def with_possible_options(told: ClassFile) -> ClassFile:
    """Return what a class file says, if its options can be.

    Raises:
        RosterError: one cannot; the message completes "class.toml …".
    """
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


LASTING = (*(name for name in WHAT_OPTIONS if name in KEPT), "versions", "open")
"""Options that no later run changes: sheets that are handed out stay as they are."""

LARGEST_ROSTER = 50_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A class set that is to be made."""

    plan: Plan
    told: ClassFile
    """What its class.toml says."""


def wanted(roster: str | None, chosen: Mapping[str, Any], folder: ClassFolder) -> Wanted:
    """Return what is to be made: what is said now, on top of what is there.

    Raises:
        AttnhandError: options contradict one another or the earlier set, or the roster is none.
    """
    source = earlier_set(roster)
    earlier = source or (folder.teacher if folder.teacher.is_there else None)
    base = _class_file(earlier) if earlier else None
    _check_same_set(base, folder)
    said = {name: _plain(chosen[name]) for name in KEPT if chosen[name] is not None and chosen[name] is not False}
    if base:
        _check_lasting(said, chosen, base, folder)
    options: dict[str, Any] = {**(base.options if base else {}), **said}
    entries = earlier.entries() if earlier else ()
    students = students_of(entries) if source else _students(roster, chosen["count"])
    told = _told(chosen, options, base, folder)
    what, page = gathered({**options, "seed": told.seed, "salt": told.salt or None})
    try:
        seats = registered(
            students,
            told.seed,
            told.salt,
            versions=options.get("versions"),
            spares=options.get("spare") or 0,
            pinned=_pins(entries, what, earlier),
            last=told.last,
        )
        plan = Plan(
            terms=Terms(
                request=what.request(told.seed),
                page=page,
                words=() if what.embeds else what.word_list(),
                title=what.title or "",
                salt=told.salt,
            ),
            seats=seats,
            versions=options.get("versions"),
            sort=Sort(options["sort"]) if options.get("sort") else None,
            duplex=bool(options.get("duplex")),
            separate=bool(options.get("separate")),
            web=bool(options.get("html")),
        )
        _ = plan.wishes
    except RosterError as error:
        raise RosterError(f"{_shown(roster)} {error}" if str(error)[:1] != "-" else str(error)) from error
    if plan.sort is Sort.GROUP and not any(student.group for student in students):
        raise AttnhandError("--sort group finds no group on the roster: add a column group, or use --sort name")
    if page.self_check and not any(suffix == ".html" for _, suffix in plan.files()):
        raise AttnhandError("--self-check is for web sheets: add --html, or leave it out")
    return Wanted(plan=plan, told=replace(told, last=max(told.last, *(seat.number for seat in seats))))


def _class_file(earlier: Teacher) -> ClassFile:
    try:
        return with_possible_options(earlier.class_file())
    except RosterError as error:
        name = earlier.folder / CLASS_FILE
        raise RosterError(str(error) if str(error).startswith(str(name)) else f"{name} {error}") from error


def earlier_set(roster: str | None) -> Teacher | None:
    """Return the earlier set that is to be made again, where a folder is named instead of a roster.

    Raises:
        AttnhandError: there is none in it.
    """
    if roster is None or roster == "-" or not Path(roster).is_dir():
        return None
    teacher = Teacher(Path(roster))
    if not teacher.is_there:
        raise AttnhandError(f"{roster} has no class.toml: give a roster, or the folder teacher/ of an earlier set")
    return teacher


def _plain(value: Any) -> Said:
    return str(value) if isinstance(value, str) else value


def _check_same_set(base: ClassFile | None, folder: ClassFolder) -> None:
    there = _class_file(folder.teacher) if folder.teacher.is_there else None
    if base and there and (base.seed, base.salt) != (there.seed, there.salt):
        raise AttnhandError(f"{folder.root} holds another class's set: choose another --out")


def _check_lasting(said: Mapping[str, Said], chosen: Mapping[str, Any], base: ClassFile, folder: ClassFolder) -> None:
    """Refuse what would change the sheets of an earlier set."""
    changed = {name: said[name] for name in LASTING if name in said and said[name] != base.options.get(name)}
    for name, mine in (("seed", base.seed), ("salt", base.salt)):
        if chosen.get(name) is not None and chosen[name] != mine:
            changed[name] = "" if name == "salt" else chosen[name]
    for name, value in changed.items():
        option = option_name(name) + ("" if value is True or value == "" else f" {value}")
        raise AttnhandError(
            f"{option} would change the sheets of the set in {folder.root}: leave it out, or choose another --out"
        )


def _students(roster: str | None, count: int | None) -> tuple[Student, ...]:
    if (roster is None) == (count is None):
        raise AttnhandError(
            "who is in the class: give a roster, or --count 30"
            if roster is None
            else f"--count {count} and the roster {roster} contradict each other: leave out one of them"
        )
    if count is not None:
        return counted(count)
    assert roster is not None
    data = read_stdin(LARGEST_ROSTER) if roster == "-" else read_file(Path(roster), LARGEST_ROSTER)
    try:
        return read_roster(data)
    except RosterError as error:
        raise RosterError(f"{_shown(roster)} {error}") from error


def _shown(roster: str | None) -> str:
    return "the roster" if roster in (None, "-") else str(roster)


def _pins(entries: tuple[Entry, ...], what: What, earlier: Teacher | None) -> Mapping[str, Any]:
    try:
        return pinned(entries, what.word_list())
    except RosterError as error:
        assert earlier is not None
        raise RosterError(f"{earlier.folder / 'index.csv'} {error}") from error


def _told(
    chosen: Mapping[str, Any], options: Mapping[str, Said], base: ClassFile | None, folder: ClassFolder
) -> ClassFile:
    """Return what the set comes from: as it was, as it was begun, or drawn now."""
    seed, salt, is_open = chosen.get("seed"), What(salt=chosen.get("salt")).secret(), bool(options.get("open"))
    if is_open and salt:
        raise AttnhandError("--open and a salt contradict each other: leave out --open, or --salt and ATTNHAND_SALT")
    if base is not None:
        return replace(base, options=options)
    begun = folder.begun()
    if begun and begun.options == options and seed in (None, begun.seed) and salt in ("", begun.salt):
        return begun
    if not is_open and not salt:
        salt = secrets.token_hex(8)
    return ClassFile(seed=drawn_seed() if seed is None else seed, salt=salt, options=options)
