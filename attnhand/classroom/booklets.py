"""The teacher's booklet: how to mark a pile by eye, quick keys by number, then the full keys."""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import BinaryIO

from attnhand.attention.mechanisms import Stage
from attnhand.attention.operations import Product, Role, Sum
from attnhand.classroom.chunk_file import TEMPLATES, Facts, unpacked_pages
from attnhand.classroom.making import BLANK, KEY, QUICK
from attnhand.classroom.plan import Plan, Sort, version_name
from attnhand.classroom.register import Seat
from attnhand.classroom.word_pages import PageSize, Words, layout, numbers, pages, said, separator, title
from attnhand.formats.pdf.stamp import Stamped, stamped_layout
from attnhand.formats.pdf.template import unpacked
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.page import Layout, Paragraph
from attnhand.layout.typography import Set
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import matrix_name
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain, bold, plain, printable

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


BETWEEN_KEYS = 5.5
"""Between two quick keys, in millimetres: about twelve stand on a page, with room for a remark."""


def write_keys(made: Made, out: BinaryIO) -> None:
    """Write the booklet as a PDF: cover, quick keys, full keys."""
    sample = made.sample
    name = sample.say("class.keys.title", title=sentences.title(sample))
    file = PdfFile(out, title=name, language=sample.options.language)
    paper = paper_of(made.pages(made.plan.keyed[0], KEY)).upright
    for page in pages(paper, _booklet_cover(made, name)):
        file.add(stamped_layout(page, name))
    bookmark = sample.say("class.keys.quick")
    for page in pages(paper, _quick_keys(made), between=BETWEEN_KEYS):
        file.add(stamped_layout(page, name), bookmark)
        bookmark = ""  # to the first of them
    for key, whose in _keyed(made):
        file.add(made.pages(key, KEY), whose)
    file.close()


def _keyed(made: Made) -> Iterator[tuple[str, str]]:
    """Yield every sheet that has a key, with whose it is: a student's, or a version's with its code."""
    holders = {str(seat.number): seat for seat in made.plan.seats}
    for name in made.plan.keyed:
        yield name, label(made.sample, holders[name]) if name in holders else f"{name} · {made.facts[name].code}"


def _quick_keys(made: Made) -> Iterator[Words]:
    """Yield the quick key of every sheet, under a heading."""
    yield [said(made.sample.say("class.keys.quick"), Set.TITLE, level=1)]
    for name, whose in _keyed(made):
        quick, *tales = json.loads(made.read(name, QUICK))
        before, _, last = quick.rpartition(" │ ")
        entry = [
            Paragraph((*bold(printable(whose)), *plain(f" │ {before}")), Set.BODY),
            Paragraph(plain(f"│ {last}"), Set.BODY),
        ]
        yield [*entry, Paragraph(plain(" · ".join(tales)), Set.SMALL)] if tales else entry


def _booklet_cover(made: Made, name: str) -> list[Words]:
    sample, plan = made.sample, made.plan
    say = sample.say
    blocks: list[Words] = [
        [title(name)],
        [said(say("class.keys.counted", sheets=len(plan.seats), numbers=numbers(plan.seats)))],
        [said(say("class.keys.how"), Set.TITLE, level=2), *map(said, how_to_use(sample))],
    ]
    if plan.terms.salt:
        blocks.append([said(say("class.keys.salt"))])
    if plan.versions:
        blocks.append([said(say("class.keys.who"), Set.TITLE, level=2)])
        for version in sorted({seat.version for seat in plan.seats if seat.version}):
            holders = [seat for seat in plan.seats if seat.version == version]
            code = made.facts[version_name(version)].code
            told = ", ".join(label(sample, seat) for seat in holders)
            words = (*bold(f"{say('class.keys.version', version=version)} · {code}: "), *plain(printable(told)))
            blocks.append([Paragraph(words, Set.BODY)])
    return blocks


def how_to_use(sheet: Sheet) -> list[str]:
    """Say how a pile is marked by quick keys: what to look at first, and what next."""
    stages = sheet.problem.mechanism.stages
    scores = [s for s in stages if isinstance(s.operation, Product) and s.operation.role is Role.SCORES]
    compared = {name for stage in scores for name in stage.reads}
    made = [s for s in stages if s.name in compared and isinstance(s.operation, Product)]
    first, last = _names(sheet, scores), _names(sheet, stages[-1:])
    sums = _names(sheet, [s for s in stages if isinstance(s.operation, Sum)])
    told = [sheet.say("class.keys.right", last=last, first=first)]
    if made:
        key = f"class.keys.totals{'.rows' if sheet.is_rows else ''}"
        totals = sheet.say(key, names=_names(sheet, sorted(made, key=lambda stage: stage.name, reverse=True)))
        told.append(sheet.say("class.keys.otherwise", sums=sums, first=first, totals=totals))
    else:
        told.append(sheet.say("class.keys.otherwise.short", sums=sums, first=first))
    cell = f"{sums}[1,1]"
    return [*told, sheet.say("class.keys.tales", cell=cell), sheet.say("class.keys.follow")]


def _names(sheet: Sheet, stages: Sequence[Stage]) -> str:
    names = dict.fromkeys(as_plain(matrix_name(sheet, stage.name)) for stage in stages)
    return sheet.say("class.keys.and").join(names)
