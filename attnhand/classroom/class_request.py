"""A class set that is to be made: the options given now, those of an earlier set, and who is in it."""

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from attnhand.classroom.changes import Changes, compare_seats, refuse_many_withdrawals
from attnhand.classroom.class_file import ClassFile, OptionValue
from attnhand.classroom.class_list import ClassList, list_class
from attnhand.classroom.index import find_earlier_seeds
from attnhand.classroom.making import FILE_FORMATS, ClassSettings
from attnhand.classroom.plan import Plan, Sort
from attnhand.classroom.register import assign_seats
from attnhand.classroom.set_folder import ClassFolder, TeacherFolder, is_file_of_set, name_in_refusals
from attnhand.errors import AttnhandError, RosterError, name_option
from attnhand.formats.question_text import PLATFORMS
from attnhand.problems.request import draw_seed
from attnhand.problems.salt import draw_salt
from attnhand.problems.story_draw import draw_story
from attnhand.problems.story_template import StoryTemplate
from attnhand.sheet.option_table import CLASS_FILE_OPTIONS, InClassFile
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import ANY_STORY, SheetOrder, parse_options
from attnhand.sheet.seat import Seat, Student
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

    Args:
        roster: its path, or the folder of an earlier set; None where there is none.
        option_values: all options of the command, those that nobody gave as None or False.

    Raises:
        AttnhandError: options contradict one another or the earlier set, the roster is none, or the folder is
            somebody's own.
    """
    # where it is written, and which set it goes on from: the one that is named in place of a roster, or that lies there
    named = _find_named_set(roster)
    folder = ClassFolder(_choose_root(named, option_values["out"]))
    folder.refuse_foreign_folder(force=option_values["force"])
    earlier = named or (folder.teacher_folder if folder.teacher_folder.has_set else None)

    # what its sheets are made from
    class_file = _make_class_file(option_values, earlier.read_class_file() if earlier else None, folder)
    options: Mapping[str, Any] = class_file.options
    order, page = parse_options({**options, "seed": class_file.seed, "salt": class_file.salt or None})
    settings = _make_settings(order, page, class_file)

    # who is in it, with which № and which seed
    listed = list_class(roster, option_values, earlier, folder, is_again=named is not None)
    known_seats = _find_known_seats(listed, earlier, order)
    with name_in_refusals(listed.source):
        seats, last_number = _seat_class(listed, known_seats, class_file)
        changes = compare_seats(seats, known_seats)
        if not option_values["withdraw"]:
            refuse_many_withdrawals(changes, known_seats)

        # who gets what
        plan = _make_plan(options, settings, seats)
        if option_values["only"] and earlier and folder.has_sheets:
            plan = replace(plan, only_numbers=_find_new_numbers(seats, known_seats, class_file))
        _refuse_groups_named_as_files(plan)
    _refuse_missing_groups(options, listed.students)
    _refuse_needless_self_check(plan)
    refuse_impossible_process_count(option_values["jobs"])
    return ClassRequest(
        plan=plan,
        class_file=replace(class_file, last_number=last_number),
        folder=folder,
        changes=changes,
        earlier=earlier,
        force=option_values["force"],
        process_count=option_values["jobs"] or count_processors(),
        scheduler=option_values["scheduler"] or "",
        understanding=listed.understanding,
        likeness=listed.describe_likeness(seats),
    )


def _find_named_set(roster: str | None) -> TeacherFolder | None:
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


def _choose_root(earlier: TeacherFolder | None, out: str | None) -> Path:
    """Return the folder of the set: the one given, where the earlier set lies, or the usual one here."""
    if out is not None or earlier is None:
        return Path(out or DEFAULT_FOLDER)
    return Path(os.path.relpath(earlier.folder.resolve().parent))


def _make_class_file(option_values: Mapping[str, Any], earlier: ClassFile | None, folder: ClassFolder) -> ClassFile:
    """Return what the set comes from: the options given now on top of the earlier ones; seed and salt as they were.

    Raises:
        AttnhandError: options contradict each other, or would change sheets that were printed.
    """
    values = ((name, option_values[name]) for name in CLASS_FILE_OPTIONS)
    given = {name: _settle_value(name, value) for name, value in values if value is not None and value is not False}
    options = {**(earlier.options if earlier else {}), **given}
    seed, salt = option_values["seed"], SheetOrder(salt=option_values["salt"]).get_salt()
    if earlier:
        _refuse_other_class(earlier, folder)
        _refuse_fixed_changes(given, seed, salt, earlier, folder)
    if options.get("no_salt") and salt:
        no_salt = name_option("no_salt", value=True)
        remedy = f"leave out {no_salt}, or {name_option('salt')} and ATTNHAND_SALT"
        raise AttnhandError(f"{no_salt} and a salt contradict each other: {remedy}")
    if earlier:
        return replace(earlier, options=options)
    salt = "" if options.get("no_salt") else salt or draw_salt()
    return ClassFile(seed=draw_seed() if seed is None else seed, salt=salt, options=options)


def _settle_value(name: str, value: Any) -> OptionValue:
    """Return a value as a class file keeps it: no enum, and a story's file wherever one stands."""
    if name == "story" and Path(value).suffix == ".toml":
        return str(Path(value).resolve())
    return str(value) if isinstance(value, str) else value


def _refuse_other_class(earlier: ClassFile, folder: ClassFolder) -> None:
    existing = folder.teacher_folder.read_class_file() if folder.teacher_folder.has_set else None
    if existing and (earlier.seed, earlier.salt) != (existing.seed, existing.salt):
        raise AttnhandError(f"{folder.root} holds another class's set: choose another {name_option('out')}")


def _refuse_fixed_changes(
    given: Mapping[str, OptionValue], seed: int | None, salt: str, earlier: ClassFile, folder: ClassFolder
) -> None:
    """Refuse what would change the sheets of an earlier set."""
    changed: dict[str, OptionValue | None] = {
        name: value
        for name, value in given.items()
        if CLASS_FILE_OPTIONS[name].in_class_file is InClassFile.FIXED and value != earlier.options.get(name)
    }
    if seed not in (None, earlier.seed):
        changed["seed"] = seed
    if salt not in ("", earlier.salt):
        changed["salt"] = None
    if changed:
        option = name_option(*next(iter(changed.items())))
        raise AttnhandError(
            f"{option} would change the sheets of the set in {folder.root}: leave it out, "
            f"or choose another {name_option('out')}"
        )


def _make_settings(order: SheetOrder, page: PageOptions, class_file: ClassFile) -> ClassSettings:
    """Return what all sheets have in common."""
    stories = _choose_stories(order, class_file.seed) if order.story == ANY_STORY else ()
    seed = class_file.seed
    dealt = [] if stories else [each.make_request(seed) for each in order.deal_parts()]
    return ClassSettings(
        request=order.tell_story(stories[0], seed) if stories else dealt[0],
        dealt=tuple(dealt) if len(dealt) > 1 else (),
        page=page,
        stories=stories,
        words=() if order.has_embedding else order.check_words(),
        title=order.title or "",
        salt=class_file.salt,
    )


def _choose_stories(order: SheetOrder, class_seed: int) -> tuple[StoryTemplate, ...]:
    """Return the stories that a class gets: all of one form, so that sheets take as long and can be marked together.

    The seed of the class draws the form, one of several stories where there is any.
    """
    fitting = order.list_fitting_stories()
    forms = Counter(story.form for story in fitting)
    shared = tuple(story for story in fitting if forms[story.form] > 1) or fitting
    form = draw_story(class_seed, shared).form
    return tuple(story for story in fitting if story.form == form)


def _find_known_seats(listed: ClassList, earlier: TeacherFolder | None, order: SheetOrder) -> tuple[Seat, ...]:
    """Return who has a № already; where the class has a set, with the seed of the sheet that they had in it."""
    if earlier is None:
        return listed.known_seats
    with name_in_refusals(earlier.index_path):
        return find_earlier_seeds(listed.known_seats, order.check_words(), order.load_story())


def _seat_class(listed: ClassList, known_seats: Sequence[Seat], class_file: ClassFile) -> tuple[tuple[Seat, ...], int]:
    """Return everyone with № and seed, spare sheets too, and the last № that anyone has, or had before."""
    options: Mapping[str, Any] = class_file.options
    last_number = max(class_file.last_number, listed.last_number)
    seats = assign_seats(
        listed.students,
        class_file.seed,
        class_file.salt,
        version_count=options.get("versions"),
        spare_count=options.get("spare") or 0,
        given_numbers=listed.given_numbers,
        known_seats=known_seats,
        last_number=last_number,
    )
    return seats, max([last_number, *(seat.number for seat in (*seats, *known_seats))])


def _make_plan(options: Mapping[str, Any], settings: ClassSettings, seats: tuple[Seat, ...]) -> Plan:
    """Return who gets what, by the options of a class file.

    Raises:
        RosterError: the roster asks for another page than can be; the message completes "roster.csv …".
    """
    plan = Plan(
        settings=settings,
        seats=seats,
        version_count=options.get("versions"),
        sort=Sort(options["sort"]) if options.get("sort") else None,
        is_duplex=bool(options.get("duplex")),
        has_covers=not options.get("no_cover"),
        has_separate_files=options.get("separate") == "student",
        has_group_folders=options.get("separate") == "group",
        file_formats=tuple(name for name in FILE_FORMATS if options.get(name)),
        question_formats=tuple(name for name in PLATFORMS if options.get(name)),
    )
    _ = plan.overrides_by_number  # which are read here
    return plan


def _find_new_numbers(seats: Sequence[Seat], known_seats: Sequence[Seat], earlier: ClassFile) -> frozenset[int]:
    """Return whose sheets nobody had before.

    Subtle: the index may know them from a run that was killed; the class file is written after the sheets.
    """
    printed = {seat.number for seat in known_seats if seat.code and seat.number <= earlier.last_number}
    return frozenset(seat.number for seat in seats if seat.number not in printed)


def _refuse_groups_named_as_files(plan: Plan) -> None:
    """Refuse a group whose folder would be called as a file beside it.

    Raises:
        RosterError: there is one; the message completes "roster.csv …".
    """
    own = {plan.make_file_name(seat, suffix).casefold() for seat, suffix in plan.list_student_files()}
    for seat in plan.seats:
        folder = plan.find_folder(seat)
        if is_file_of_set(folder) or folder.casefold() in own:
            raise RosterError(
                f"has the group {seat.student.group!r}, and a file of the set is called so: call the group otherwise, "
                f"or use {name_option('separate', 'student')}"
            )


def _refuse_missing_groups(options: Mapping[str, OptionValue], students: Sequence[Student]) -> None:
    """Refuse what goes by groups where nobody has one."""
    for name, instead in {"sort": "name", "separate": "student"}.items():
        if options.get(name) == "group" and not any(student.group for student in students):
            raise AttnhandError(
                f"{name_option(name, 'group')} finds no group on the roster: add a column group, "
                f"or use {name_option(name, instead)}"
            )


def _refuse_needless_self_check(plan: Plan) -> None:
    """Refuse sheets that check themselves where all are on paper."""
    has_screen = any(suffix in (".html", ".xlsx") for _, suffix in plan.list_student_files())
    if plan.settings.page.self_check and not has_screen:
        option, html, xlsx = (name_option(name, value=True) for name in ("self_check", "html", "xlsx"))
        raise AttnhandError(f"{option} is for sheets on a screen: add {html} or {xlsx}, or leave it out")
