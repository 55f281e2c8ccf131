"""A class set that is to be made: the options given now, those of an earlier set, and who is in it."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attnhand.classroom.changes import Changes, compare_seats, refuse_many_withdrawals
from attnhand.classroom.class_file import ClassFile, OptionValue
from attnhand.classroom.class_list import list_class
from attnhand.classroom.index import find_earlier_seeds
from attnhand.classroom.making import FILE_FORMATS, ClassSettings
from attnhand.classroom.plan import Plan, Sort
from attnhand.classroom.register import assign_seats
from attnhand.classroom.set_folder import ClassFolder, TeacherFolder
from attnhand.errors import AttnhandError, RosterError, name_option
from attnhand.formats.question_text import PLATFORMS
from attnhand.problems.request import draw_seed
from attnhand.problems.salt import draw_salt
from attnhand.problems.story_draw import draw_story
from attnhand.problems.story_template import StoryTemplate
from attnhand.sheet.option_table import CLASS_FILE_OPTIONS, InClassFile
from attnhand.sheet.order import ANY_STORY, SheetOrder, parse_options
from attnhand.sheet.seat import Seat
from attnhand.system.processes import count_processors, refuse_impossible_process_count
from attnhand.text import Message

DEFAULT_FOLDER = "attnhand-class"


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassRequest:
    """A class set that is to be made."""

    plan: Plan
    class_file: ClassFile
    """What its class.toml says."""

    folder: ClassFolder
    changes: Changes
    """What becomes of who was in the class before."""

    earlier: TeacherFolder | None = None
    """The teacher's half of the set that it goes on from; None for a new one."""

    force: bool = False
    """Whether files are replaced that somebody changed."""

    process_count: int = 1
    scheduler: str = ""
    """The address of a Dask cluster's scheduler; empty for processes here."""

    understanding: Message | None = None
    """How the roster's columns were understood; empty where there is none."""

    likeness: Message | None = None
    """How many have their № from another class's folder; None where none is named."""


def make_class_request(roster: str | None, option_values: Mapping[str, Any]) -> ClassRequest:
    """Return what is to be made: the options given now, on top of those of an earlier set.

    Raises:
        AttnhandError: options contradict one another or the earlier set, the roster is none, or the folder is
            somebody's own.
    """
    source = find_earlier_set(roster)
    folder = ClassFolder(_choose_root(source, option_values.get("out")))
    folder.refuse_foreign_folder(force=option_values["force"])
    earlier = source or (folder.teacher_folder if folder.teacher_folder.has_set else None)
    base = earlier.read_class_file() if earlier else None
    values = ((name, option_values[name]) for name in CLASS_FILE_OPTIONS)
    given = {name: _settle_value(name, value) for name, value in values if value is not None and value is not False}
    if base:
        _refuse_other_class(base, folder)
        _refuse_fixed_changes(given, option_values, base, folder)
    options: dict[str, Any] = {**(base.options if base else {}), **given}
    listed = list_class(roster, option_values, earlier, folder, is_again=source is not None)
    class_file = _make_class_file(option_values, options, base)
    order, page = parse_options({**options, "seed": class_file.seed, "salt": class_file.salt or None})
    earlier_seats = listed.earlier_seats
    if earlier:
        try:
            earlier_seats = find_earlier_seeds(earlier_seats, order.split_words(), order.load_story())
        except RosterError as error:
            raise RosterError(f"{earlier.index_path} {error}") from error
    known_seats = (*earlier_seats, *listed.numbered_seats)
    last_number = max(class_file.last_number, listed.last_number)
    try:
        seats = assign_seats(
            listed.students,
            class_file.seed,
            class_file.salt,
            version_count=options.get("versions"),
            spare_count=options.get("spare") or 0,
            given_numbers=listed.given_numbers,
            earlier_seats=earlier_seats,
            numbered_seats=listed.numbered_seats,
            last_number=last_number,
        )
        changes = compare_seats(seats, known_seats)
        if not option_values.get("withdraw"):
            refuse_many_withdrawals(changes, known_seats)
        stories = _choose_stories(order, class_file.seed) if order.story == ANY_STORY else ()
        settings = ClassSettings(
            request=order.tell_story(stories[0], class_file.seed) if stories else order.make_request(class_file.seed),
            page=page,
            stories=stories,
            words=() if order.has_embedding else order.split_words(),
            title=order.title or "",
            salt=class_file.salt,
        )
        plan = Plan(
            settings=settings,
            seats=seats,
            version_count=options.get("versions"),
            sort=Sort(options["sort"]) if options.get("sort") else None,
            is_duplex=bool(options.get("duplex")),
            has_separate_files=options.get("separate") == "student",
            has_group_folders=options.get("separate") == "group",
            file_formats=tuple(name for name in FILE_FORMATS if options.get(name)),
            question_formats=tuple(name for name in PLATFORMS if options.get(name)),
            only_numbers=_find_new_numbers(seats, earlier_seats, base, folder) if option_values.get("only") else None,
        )
        _ = plan.overrides_by_number
    except RosterError as error:
        raise RosterError(f"{listed.source} {error}") from error
    for name, instead in {"sort": "name", "separate": "student"}.items():
        if options.get(name) == "group" and not any(student.group for student in listed.students):
            raise AttnhandError(
                f"{name_option(name, 'group')} finds no group on the roster: add a column group, "
                f"or use {name_option(name, instead)}"
            )
    if page.self_check and not any(suffix in (".html", ".xlsx") for _, suffix in plan.list_student_files()):
        option, html, xlsx = (name_option(name, value=True) for name in ("self_check", "html", "xlsx"))
        raise AttnhandError(f"{option} is for sheets on a screen: add {html} or {xlsx}, or leave it out")
    last_number = max([last_number, *(seat.number for seat in (*seats, *known_seats))])
    refuse_impossible_process_count(option_values.get("jobs"))
    return ClassRequest(
        plan=plan,
        class_file=replace(class_file, last_number=last_number),
        folder=folder,
        changes=changes,
        earlier=earlier,
        force=option_values["force"],
        process_count=option_values.get("jobs") or count_processors(),
        scheduler=option_values.get("scheduler") or "",
        understanding=listed.understanding,
        likeness=listed.describe_likeness(seats),
    )


def _find_new_numbers(
    seats: Sequence[Seat], earlier_seats: Sequence[Seat], earlier_file: ClassFile | None, folder: ClassFolder
) -> frozenset[int] | None:
    """Return whose sheets nobody had before; None where there are no sheets yet.

    Subtle: the index may know them from a run that was killed; the class file is written after the sheets.
    """
    if earlier_file is None or not folder.has_sheets:
        return None
    printed = {seat.number for seat in earlier_seats if seat.number <= earlier_file.last_number}
    return frozenset(seat.number for seat in seats if seat.number not in printed)


def _choose_root(earlier: TeacherFolder | None, out: str | None) -> Path:
    """Return the folder of the set: the one given, where the earlier set lies, or the usual one here."""
    if out is not None or earlier is None:
        return Path(out or DEFAULT_FOLDER)
    return Path(os.path.relpath(earlier.folder.resolve().parent))


def _choose_stories(order: SheetOrder, class_seed: int) -> tuple[StoryTemplate, ...]:
    """Return the stories that a class gets: all of one form, so that sheets take as long and can be marked together.

    The seed of the class draws the form, one of several stories where there is any.
    """
    fitting = order.list_fitting_stories()
    forms = Counter(story.form for story in fitting)
    shared = tuple(story for story in fitting if forms[story.form] > 1) or fitting
    form = draw_story(class_seed, shared).form
    return tuple(story for story in fitting if story.form == form)


def _settle_value(name: str, value: Any) -> OptionValue:
    """Return a value as a class file keeps it: no enum, and a story's file wherever one stands."""
    if name == "story" and Path(value).suffix == ".toml":
        return str(Path(value).resolve())
    return str(value) if isinstance(value, str) else value


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


def _refuse_other_class(earlier_file: ClassFile, folder: ClassFolder) -> None:
    existing = folder.teacher_folder.read_class_file() if folder.teacher_folder.has_set else None
    if existing and (earlier_file.seed, earlier_file.salt) != (existing.seed, existing.salt):
        raise AttnhandError(f"{folder.root} holds another class's set: choose another {name_option('out')}")


def _refuse_fixed_changes(
    new_options: Mapping[str, OptionValue], option_values: Mapping[str, Any], earlier: ClassFile, folder: ClassFolder
) -> None:
    """Refuse what would change the sheets of an earlier set."""
    fixed = [name for name, option in CLASS_FILE_OPTIONS.items() if option.in_class_file is InClassFile.FIXED]
    changed: dict[str, OptionValue | None] = {
        name: new_options[name]
        for name in fixed
        if name in new_options and new_options[name] != earlier.options.get(name)
    }
    if option_values.get("seed") not in (None, earlier.seed):
        changed["seed"] = option_values["seed"]
    if SheetOrder(salt=option_values.get("salt")).get_salt() not in ("", earlier.salt):
        changed["salt"] = None
    if changed:
        option = name_option(*next(iter(changed.items())))
        raise AttnhandError(
            f"{option} would change the sheets of the set in {folder.root}: leave it out, "
            f"or choose another {name_option('out')}"
        )


def _make_class_file(
    option_values: Mapping[str, Any], options: Mapping[str, OptionValue], earlier: ClassFile | None
) -> ClassFile:
    """Return what the set comes from: as it was, or drawn now."""
    seed, salt = option_values.get("seed"), SheetOrder(salt=option_values.get("salt")).get_salt()
    is_unsalted = bool(options.get("no_salt"))
    if is_unsalted and salt:
        no_salt = name_option("no_salt", value=True)
        remedy = f"leave out {no_salt}, or {name_option('salt')} and ATTNHAND_SALT"
        raise AttnhandError(f"{no_salt} and a salt contradict each other: {remedy}")
    if earlier is not None:
        return replace(earlier, options=options)
    if not is_unsalted and not salt:
        salt = draw_salt()
    return ClassFile(seed=draw_seed() if seed is None else seed, salt=salt, options=options)
