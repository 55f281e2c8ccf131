"""What is handed out: one PDF of everybody's sheets, with a cover, separators and empty sides where they are wanted."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import BinaryIO

from attnhand.classroom.leaves import PageSize, Words, layout, numbers, pages, said, separator, title
from attnhand.classroom.making import BLANK
from attnhand.classroom.parcel import TEMPLATES, Facts, unpacked_pages
from attnhand.classroom.plan import Plan, Sort
from attnhand.classroom.register import Seat
from attnhand.render.pdf_file import PdfFile
from attnhand.render.stamp import Stamped
from attnhand.render.stamp_words import stamped_layout
from attnhand.render.stamping.template import unpacked
from attnhand.sheet import sentences
from attnhand.sheet.page import Layout
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.typography import Set

Read = Callable[[str, str], bytes]
"""Returns a part of what was made of a sheet, by the name of the sheet and its own."""


@dataclass(frozen=True, kw_only=True)
class Made:
    """A class set of which all sheets are made."""

    plan: Plan
    sample: Sheet
    """One of its sheets: it says how all of them are called."""

    facts: Mapping[str, Facts]
    read: Read

    def pages(self, name: str, part: str) -> Stamped:
        """Return the pages of one sheet, blank or key."""
        return unpacked_pages(self.read(name, part), self._template)

    def _template(self, digest: str) -> bytes:
        if digest not in self._templates:
            self._templates[digest] = self.read(TEMPLATES, digest)
        return self._templates[digest]

    @cached_property
    def _templates(self) -> dict[str, bytes]:
        """What pages lie over, which is the same object for all that lie over it."""
        return {}


def write_sheets(made: Made, out: BinaryIO) -> None:
    """Write the sheets that are printed together as a PDF, one after the other."""
    plan, name = made.plan, sentences.title(made.sample)
    seats = plan.printed
    first = _pages_of(made, seats[0])
    paper = paper_of(first)
    empty = stamped_layout(layout(paper, []), name)
    file = PdfFile(out, title=name, language=made.sample.options.language)

    def add(sheet: Stamped, bookmark: str = "") -> None:
        file.add(sheet, bookmark)
        if plan.duplex and len(sheet.streams) % 2:
            file.add(empty)

    separators = list(_separated(plan, seats))
    for cover in pages(paper, _cover(made, paper, seats, len(separators) if plan.sort is Sort.GROUP else 0)):
        add(stamped_layout(cover, name))
    for heading, group in separators:
        if heading:
            add(stamped_layout(_separator(made, paper, heading, group), name), _heading(made.sample, heading))
        for seat in group:
            add(_pages_of(made, seat), label(made.sample, seat))
    file.close()


def label(sheet: Sheet, seat: Seat) -> str:
    """Return whose sheet it is: number and name, or that it is a spare one."""
    return f"{seat.holder.written} {sheet.say('holder.spare')}" if seat.spare else seat.holder.written


def paper_of(pages: Stamped) -> PageSize:
    """Return how large stamped pages are."""
    template = unpacked(pages.template)
    return PageSize(template.width, template.height)


def write_one(made: Made, seat: Seat, out: BinaryIO) -> None:
    """Write one student's printed sheet as a PDF of its own."""
    sheet = _pages_of(made, seat)
    file = PdfFile(out, title=sheet.title, language=made.sample.options.language)
    file.add(sheet)
    file.close()


def _pages_of(made: Made, seat: Seat) -> Stamped:
    return made.pages(str(seat.number), BLANK)


def _separated(plan: Plan, seats: Sequence[Seat]) -> Iterator[tuple[str, list[Seat]]]:
    """Yield what lies between two separators, with what stands on the first of them; without groups all at once."""
    if plan.sort is not Sort.GROUP:
        yield "", list(seats)
        return
    for (spare, group), members in groupby(seats, lambda seat: (seat.spare, seat.student.group)):
        yield "class.spare_group" if spare else f"class.group {group}" if group else "class.no_group", list(members)


def _heading(sheet: Sheet, told: str) -> str:
    key, _, group = told.partition(" ")
    # a group's name is no markup of ours
    return sheet.say(key).format(group=group) if group else sheet.say(key)


def _separator(made: Made, paper: PageSize, heading: str, group: Sequence[Seat]) -> Layout:
    counted = made.sample.say("class.group.counted", sheets=len(group), numbers=numbers(group))
    return separator(paper, _heading(made.sample, heading), counted)


def _cover(made: Made, paper: PageSize, seats: Sequence[Seat], separators: int) -> list[Words]:
    """Return what the cover says: what is here, and how it is printed."""
    plan, say = made.plan, made.sample.say
    lengths = [made.facts[str(seat.number)].pages for seat in seats]
    own, spares = ([seat for seat in seats if seat.spare is spare] for spare in (False, True))
    apart = [seat for seat in plan.seats if not plan.is_printed(seat)]
    counted = numbers(own or spares)
    here: Words = [said(say("class.cover.counted", sheets=len(own or spares), numbers=counted))]
    here.append(said(say("class.cover.one_page" if lengths[0] == 1 else "class.cover.pages", pages=lengths[0])))
    if plan.versions:
        here.append(said(say("class.cover.versions", versions=len({seat.version for seat in plan.seats}))))
    if spares and own:
        here.append(said(say("class.cover.spares", numbers=numbers(spares))))
    if apart:
        here.append(said(say("class.cover.apart", numbers=numbers(apart))))
    leaves = sum((length + 1) // 2 for length in lengths) if plan.duplex else sum(lengths)
    edge = say(f"class.cover.{'long' if paper.is_upright else 'short'}")
    orientation = say(f"class.cover.{'upright' if paper.is_upright else 'sideways'}")
    counted_leaves = "class.cover.leaves.separated" if separators else "class.cover.leaves"
    return [
        [title(sentences.title(made.sample))],
        here,
        [
            said(say("class.cover.how"), Set.TITLE, level=2),
            said(say("class.cover.paper", paper=_paper_name(made.sample), orientation=orientation)),
            said(say("class.cover.scale")),
            said(say("class.cover.duplex", edge=edge) if plan.duplex else say("class.cover.simplex")),
            said(say(counted_leaves, leaves=leaves + separators + 1)),
        ],
    ]


def _paper_name(sheet: Sheet) -> str:
    return sheet.options.paper.value.upper() if sheet.options.paper == "a4" else sheet.options.paper.value.capitalize()
