"""A class set before it is made: who gets what, in which order, in which files."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property

from attnhand.classroom.chunk_file import Facts
from attnhand.classroom.making import Task, Terms
from attnhand.classroom.register import Seat, reseated
from attnhand.classroom.roster import Student
from attnhand.errors import RosterError
from attnhand.sheet.options import PageOptions
from attnhand.system.file_names import safe_name

YES, NO = ("yes", "y", "true", "1", "x", "on"), ("no", "n", "false", "0", "off", "-", "")
WEB, PRINT = "html", "pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How one student's sheet differs from everybody's."""

    large_print: bool = False
    tagged: bool = False
    """Whether it is a PDF with all its tags, for those who listen to it."""

    web: bool = False
    """Whether it is a web sheet."""

    @property
    def own_file(self) -> str:
        """How the file ends that such a sheet goes to; empty where it is printed with everybody's.

        >>> Wishes().own_file, Wishes(large_print=True).own_file, Wishes(web=True).own_file
        ('', '.pdf', '.html')
        """
        return ".html" if self.web else ".pdf" if self.large_print or self.tagged else ""

    def page(self, everybody: PageOptions) -> PageOptions:
        """Return the page of this student."""
        return replace(everybody, large_print=everybody.large_print or self.large_print)


NONE = Wishes()
"""Of nearly everybody; one for all."""


def wishes_of(student: Student) -> Wishes:
    """Read what the roster says of one student.

    >>> wishes_of(Student(row=1, name="Ada", overrides=(("large_print", "Yes"), ("format", "html"))))
    Wishes(large_print=True, tagged=False, web=True)

    Raises:
        RosterError: it says something else than can be; the message completes "roster.csv …".
    """
    if not student.overrides:
        return NONE
    told = {name: text.casefold() for name, text in student.overrides}
    for name in ("large_print", "tagged"):
        if told.get(name, "") not in (*YES, *NO):
            raise RosterError(f"says {told[name]!r} as {name} of student {student.row}: write yes, or nothing")
    if told.get("format", "") not in ("", WEB, PRINT):
        raise RosterError(
            f"says {told['format']!r} as the format of student {student.row}: write {WEB}, or nothing for paper"
        )
    return Wishes(
        large_print=told.get("large_print", "") in YES,
        tagged=told.get("tagged", "") in YES,
        web=told.get("format") == WEB,
    )


class Sort(StrEnum):
    """What the sheets lie in order of, where not of their numbers."""

    GROUP = "group"
    NAME = "name"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Everything that shapes a class set."""

    terms: Terms
    seats: tuple[Seat, ...]
    """In the order of numbers."""

    versions: int | None = None
    sort: Sort | None = None
    duplex: bool = False
    """Whether every sheet begins on a new leaf when both sides are printed."""

    separate: bool = False
    """Whether everybody's printed sheet is a file of its own too."""

    web: bool = False
    """Whether everybody has a web sheet too."""

    @property
    def fillable(self) -> bool:
        """Say whether everybody has a form too."""
        return self.terms.page.fillable

    @cached_property
    def wishes(self) -> Mapping[int, Wishes]:
        """How sheets differ from everybody's, by number."""
        return {seat.number: wishes_of(seat.student) for seat in self.seats}

    def is_printed(self, seat: Seat) -> bool:
        """Say whether a sheet is printed with everybody's."""
        return not self.wishes[seat.number].own_file

    @property
    def printed(self) -> tuple[Seat, ...]:
        """The sheets that are printed together, in the order in which they lie; spares at the end."""
        seats = [seat for seat in self.seats if self.is_printed(seat)]
        match self.sort:
            case Sort.GROUP:
                seats.sort(key=lambda seat: (seat.spare, not seat.student.group, _order(seat.student.group)))
            case Sort.NAME:
                seats.sort(key=lambda seat: (seat.spare, not seat.student.name, _order(seat.student.name)))
            case None:
                seats.sort(key=lambda seat: (seat.spare, seat.number))
        return tuple(seats)

    def tasks(self) -> tuple[Task, ...]:
        """Return all sheets to make: everybody's, then the keys of versions."""
        everybody = tuple(self._task(seat) for seat in self.seats)
        seeds = {seat.version: seat.seed for seat in self.seats if seat.version is not None}
        return everybody + tuple(
            Task(name=version_name(version), seed=seed, blank=False) for version, seed in sorted(seeds.items())
        )

    @property
    def keyed(self) -> tuple[str, ...]:
        """Return the names of the sheets that have a key, in order."""
        if self.versions is None:
            return tuple(str(seat.number) for seat in self.seats)
        return tuple(version_name(version) for version in sorted({seat.version or 0 for seat in self.seats}))

    def _task(self, seat: Seat) -> Task:
        return Task(
            name=str(seat.number),
            seed=seat.seed,
            holder=seat.holder,
            blank=self.is_printed(seat),
            key=seat.version is None,
            files=tuple(self._files(seat)),
        )

    def _files(self, seat: Seat) -> Iterator[tuple[str, PageOptions]]:
        wishes = self.wishes[seat.number]
        page = wishes.page(self.terms.page)
        if wishes.own_file == ".pdf" or (self.fillable and not wishes.web):
            yield ".pdf", page
        if wishes.own_file == ".html" or self.web:
            yield ".html", replace(page, fillable=False)

    def file_of(self, seat: Seat, suffix: str) -> str:
        """Return the name of one student's file."""
        return f"{safe_name(seat.holder.written)}{suffix}"

    def files(self) -> tuple[tuple[Seat, str], ...]:
        """Return every student's files: whose, and how each ends."""
        files = []
        for seat in self.seats:
            own = {suffix for suffix, _ in self._files(seat)}
            own |= {".pdf"} if self.separate and self.is_printed(seat) else set()
            files += [(seat, suffix) for suffix in sorted(own, reverse=True)]
        return tuple(files)


def _order(text: str) -> tuple[str, str]:
    return text.casefold(), text


def version_name(version: int) -> str:
    """Return what the key of a version goes by."""
    return f"version {version}"


def to_draw_again(seats: Sequence[Seat], facts: Mapping[str, Facts]) -> dict[str, str]:
    """Return whose sheets take their next seeds, and why: seeds that give none, and all but the first of equal ones.

    Args:
        facts: of every sheet, by name.
    """
    again: dict[str, str] = {}
    first: dict[str, str] = {}
    for seat in sorted(seats, key=lambda seat: (seat.version or 0, seat.number)):
        told = facts[str(seat.number)]
        if told.refused:
            again[seat.drawn_from] = told.refused
        elif first.setdefault(told.matrices, seat.drawn_from) != seat.drawn_from:
            again[seat.drawn_from] = f"seed {told.seed} gives the sheet that somebody else has"
    return again


def drawn_again(plan: Plan, whose: Sequence[str]) -> Plan:
    """Return the plan where these sheets take their next seeds."""
    seats = plan.seats
    for drawn_from in whose:
        seats = reseated(seats, drawn_from, plan.terms.request.seed, plan.terms.salt)
    return replace(plan, seats=seats)
