"""A class set before it is made: who gets what, in which order, in which files."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property
from pathlib import PurePath

from attnhand.classroom.making import FILE_FORMATS, ClassSettings, Task
from attnhand.classroom.overrides import Overrides, parse_overrides
from attnhand.classroom.set_folder import name_group_folders
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat
from attnhand.system.file_names import make_safe_name


class Sort(StrEnum):
    """The order of the printed sheets, where it is not that of numbers."""

    GROUP = "group"
    NAME = "name"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that shapes a class set."""

    settings: ClassSettings
    seats: tuple[Seat, ...]
    """In the order of numbers."""

    version_count: int | None = None
    sort: Sort | None = None
    is_duplex: bool = False
    """Whether every sheet begins on a new leaf when both sides are printed."""

    has_covers: bool = True
    """Whether sheets and keys begin with a cover, and groups with a separator; without, all have as many pages."""

    has_separate_files: bool = False
    """Whether everybody's printed sheet is a file of its own too."""

    has_group_folders: bool = False
    """Whether every group has folders of its own: for what is handed out, and for keys and marks."""

    file_formats: tuple[str, ...] = ()
    """Those in which everybody has a file of their own besides PDFs: of ``FILE_FORMATS``."""

    question_formats: tuple[str, ...] = ()
    """Those of learning platforms in which all sheets are written as variants of one question, or of one a stage."""

    only_numbers: frozenset[int] | None = None
    """Whose sheets and keys are printed; None for everybody's."""

    only_folder: str | None = None
    """The folder of a group whose sheets and keys alone are printed; None for everybody's."""

    @cached_property
    def overrides_by_number(self) -> Mapping[int, Overrides]:
        """How sheets differ from everybody's, by number."""
        return {seat.number: parse_overrides(seat.student) for seat in self.seats}

    def is_printed(self, seat: Seat) -> bool:
        """Say whether a sheet is printed with everybody's."""
        return not self.overrides_by_number[seat.number].own_file_suffix

    def is_chosen(self, seat: Seat) -> bool:
        """Say whether anything of a sheet is printed now."""
        is_here = self.only_folder is None or self.find_folder(seat) == self.only_folder
        return is_here and (self.only_numbers is None or seat.number in self.only_numbers)

    def find_folder(self, seat: Seat) -> str:
        """Return the folder of a student's group; empty for those without one, for spares, and without such folders."""
        return self._folders_by_number.get(seat.number, "")

    @cached_property
    def _folders_by_number(self) -> Mapping[int, str]:
        return name_group_folders(self.seats) if self.has_group_folders else {}

    @cached_property
    def by_folder(self) -> Mapping[str, "Plan"]:
        """The plan of each folder, with its own sheets alone; that of the whole class where groups have none."""
        if not self.has_group_folders:
            return {"": self}
        sort = None if self.sort is Sort.GROUP else self.sort
        folders = sorted(set(map(self.find_folder, self.seats)))
        return {folder: replace(self, only_folder=folder, sort=sort) for folder in folders}

    @property
    def printed_seats(self) -> tuple[Seat, ...]:
        """The sheets that are printed together, in their order in the pile; spares at the end."""
        return tuple(filter(self.is_printed, self.sorted_seats))

    @property
    def sorted_seats(self) -> tuple[Seat, ...]:
        """All that are printed now in the order in which sheets are handed out, and so keys too."""

        def make_sort_key(seat: Seat) -> tuple[object, ...]:
            if self.sort is None:
                return seat.is_spare, seat.number
            text = seat.student.group if self.sort is Sort.GROUP else seat.student.name
            return seat.is_spare, not text, text.casefold(), text

        return tuple(sorted(filter(self.is_chosen, self.seats), key=make_sort_key))

    def iterate_tasks(self) -> Iterator[Task]:
        """Yield all sheets to make: everybody's, so that no two are alike, then the keys of versions."""
        yield from map(self._make_task, self.seats)
        seats_by_version = {seat.version: seat for seat in self.seats if seat.version is not None}
        for version, seat in sorted(seats_by_version.items()):
            form = self.settings.find_form(seat)
            yield Task(name=name_version(version), seed=seat.seed, has_blank=False, form=form)

    @property
    def versions(self) -> tuple[int, ...]:
        """The versions that somebody has, in order; none where everyone has a sheet of their own."""
        return tuple(sorted({seat.version for seat in self.sorted_seats if seat.version is not None}))

    def _make_task(self, seat: Seat) -> Task:
        return Task(
            name=str(seat.number),
            seed=seat.seed,
            seat=seat.as_printed,
            has_blank=self.is_printed(seat) and self.is_chosen(seat),
            has_key=seat.version is None and self.is_chosen(seat),
            own_files=tuple(self._list_own_files(seat)) if self.is_chosen(seat) else (),
            question_formats=self.question_formats if self.is_chosen(seat) else (),
            language=self.overrides_by_number[seat.number].language,
            form=self.settings.find_form(seat),
        )

    def _list_own_files(self, seat: Seat) -> Iterator[tuple[str, PageOptions]]:
        overrides = self.overrides_by_number[seat.number]
        page = overrides.override_page(self.settings.page)
        if overrides.own_file_suffix == ".pdf" or (page.fillable and not overrides.is_web_sheet):
            yield ".pdf", page
        is_asked_alone = {"html": overrides.own_file_suffix == ".html"}
        for name in FILE_FORMATS:
            if name in self.file_formats or is_asked_alone.get(name):
                yield f".{name}", replace(page, fillable=False)

    def make_file_name(self, seat: Seat, suffix: str) -> str:
        """Return the name of one student's file, in the folder of the group."""
        return str(PurePath(self.find_folder(seat), f"{make_safe_name(seat.number_and_name)}{suffix}"))

    def name_common_file(self, name: str) -> str:
        """Return what a file with everybody's sheets or keys is called; one with some alone replaces no other."""
        if self.only_numbers is None:
            return name
        numbers = [seat.number for seat in self.sorted_seats]
        ends = dict.fromkeys(f"{number:03d}" for number in (min(numbers), max(numbers)))
        return f"new-{'-'.join(ends)}-{name}"

    def list_student_files(self) -> tuple[tuple[Seat, str], ...]:
        """Return every student's files: whose, and how each ends."""
        files = []
        for seat in filter(self.is_chosen, self.seats):
            own = {suffix for suffix, _ in self._list_own_files(seat)}
            own |= {".pdf"} if self.has_separate_files and self.is_printed(seat) else set()
            files += [(seat, suffix) for suffix in sorted(own, reverse=True)]
        return tuple(files)


def name_version(version: int) -> str:
    return f"version {version}"
