"""The PDFs of a class: all sheets with cover and separators, and the teacher's booklet of quick keys and keys."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, groupby, islice
from typing import BinaryIO

from attnhand.attention.mechanisms import Stage
from attnhand.attention.solution import format_cell_address
from attnhand.classroom.finished_sheets import SheetStore
from attnhand.classroom.plan import Plan, Sort, name_version
from attnhand.classroom.quick_key_pages import MEASURED_KEYS, find_quick_key_columns, place_quick_key
from attnhand.formats.pdf.draw_sheet import draw_layout
from attnhand.formats.pdf.sheet_pages import SheetPages
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.cover_page import Cover, lay_out_cover
from attnhand.layout.page import Item, Layout, Paragraph, TextBox, make_text_box
from attnhand.layout.text_pages import (
    BLOCK_GAP,
    PageSize,
    ParagraphBlock,
    lay_out_page,
    lay_out_separator,
    make_paragraph,
    make_title,
)
from attnhand.layout.typography import REGULAR_TYPOGRAPHY, SIDE_MARGIN, TOP_MARGIN, ParagraphStyle
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import format_matrix_name
from attnhand.sheet.seat import Seat
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import (
    make_bold_text,
    make_plain_text,
    replace_missing_characters,
    to_unicode,
)


@dataclass(frozen=True, kw_only=True)
class ClassSet:
    """A class set whose sheets are all finished."""

    plan: Plan
    examples: Mapping[int, Sheet]
    """One of its sheets of every form that is dealt, for title and wording."""

    store: SheetStore

    @property
    def example_sheet(self) -> Sheet:
        """One of its sheets."""
        return next(iter(self.examples.values()))

    @property
    def title(self) -> str:
        """What all its sheets together are called."""
        return sentences.format_shared_title([*self.examples.values()])

    def tell_forms(self, seats: Sequence[Seat]) -> Iterator[str]:
        """Yield who has which of the forms that are dealt in turn; nothing where all have one."""
        for form, example in self.examples.items() if len(self.examples) > 1 else ():
            owners = [seat for seat in seats if self.plan.settings.find_form(seat) == form]
            if owners:
                title, numbers = sentences.format_title(example), format_seat_numbers(owners)
                yield example.say("class.cover.form", title=title, numbers=numbers)


def write_sheets(class_set: ClassSet, out: BinaryIO) -> None:
    """Write the sheets that are printed together as a PDF, one after the other."""
    plan, name = class_set.plan, class_set.title
    seats = plan.printed_seats
    first = class_set.store.read_blank_pages(str(seats[0].number))
    paper = get_page_size(first)
    empty = draw_layout(lay_out_page(paper, []), name)
    file = PdfFile(out, title=name, language=class_set.example_sheet.options.language_code)
    least_count = 0 if plan.has_covers else measure_part(class_set)

    def add(sheet: SheetPages, bookmark: str = "") -> None:
        file.add_pages(sheet, bookmark)
        count = max(sheet.page_count, least_count)
        for _ in range(count + (plan.is_duplex and count % 2) - sheet.page_count):
            file.add_pages(empty)

    groups = list(_group_seats(class_set.example_sheet, plan, seats))
    if plan.has_covers:
        words = _compose_sheets_cover(class_set, paper, seats, len(groups) if plan.sort is Sort.GROUP else 0)
        for cover in lay_out_cover(paper, words):
            add(draw_layout(cover, name))
    for heading, group in groups:
        if heading and plan.has_covers:
            add(draw_layout(_make_group_separator(class_set, paper, heading, group), name), heading)
        for seat in group:
            add(class_set.store.read_blank_pages(str(seat.number)), describe_seat(class_set.example_sheet, seat))
    file.close()


def measure_part(class_set: ClassSet) -> int:
    """Return how many pages each student has in a PDF without covers: as many as the longest sheet."""
    longest = max(class_set.store.facts[str(seat.number)].page_count for seat in class_set.plan.printed_seats)
    return longest + (class_set.plan.is_duplex and longest % 2)


def describe_seat(sheet: Sheet, seat: Seat) -> str:
    """Return whose sheet it is: number, name, and what tells two of one name apart; or that it is a spare one."""
    owner = seat.number_and_name + seat.group_and_id
    return sheet.say("seat.spare_sheet", owner=owner) if seat.is_spare else owner


def format_seat_numbers(seats: Sequence[Seat]) -> str:
    """Return numbers in a few words.

    >>> format_seat_numbers([Seat(number=n) for n in (1, 2, 3, 7, 9, 10)])
    '001–003, 007, 009, 010'
    """
    ordered = sorted(seats, key=lambda seat: seat.number)
    texts = []
    for _, run in groupby(enumerate(ordered), lambda pair: pair[1].number - pair[0]):
        numbers = [seat.printed_number for _, seat in run]
        texts += [f"{numbers[0]}–{numbers[-1]}"] if len(numbers) > 2 else numbers
    return ", ".join(texts)


def get_page_size(pages: SheetPages) -> PageSize:
    """Return how large drawn pages are."""
    return PageSize(pages.shared.width, pages.shared.height)


def write_student_sheet(class_set: ClassSet, seat: Seat, out: BinaryIO) -> None:
    """Write one student's printed sheet as a PDF of its own."""
    sheet = class_set.store.read_blank_pages(str(seat.number))
    file = PdfFile(out, title=sheet.title, language=class_set.example_sheet.options.language_code)
    file.add_pages(sheet)
    file.close()


def _group_seats(sheet: Sheet, plan: Plan, seats: Sequence[Seat]) -> Iterator[tuple[str, list[Seat]]]:
    """Yield the seats of every group with its heading; without groups all at once."""
    if plan.sort is not Sort.GROUP:
        yield "", list(seats)
        return
    for (spare, group), members in groupby(seats, lambda seat: (seat.is_spare, seat.student.group)):
        key = "class.spare_group" if spare else "class.group" if group else "class.no_group"
        yield sheet.say(key, group=group), list(members)


def _make_group_separator(class_set: ClassSet, page_size: PageSize, heading: str, seats: Sequence[Seat]) -> Layout:
    counted = class_set.example_sheet.say("class.group.counted", sheets=len(seats), numbers=format_seat_numbers(seats))
    return lay_out_separator(page_size, heading, counted)


def _compose_sheets_cover(
    class_set: ClassSet, page_size: PageSize, seats: Sequence[Seat], separator_count: int
) -> Cover:
    """Return the words of the cover: which sheets these are, how to print and to hand them out, and whose they are."""
    plan, sheet, say = class_set.plan, class_set.example_sheet, class_set.example_sheet.say
    lengths = [class_set.store.facts[str(seat.number)].page_count for seat in seats]
    own, spares = ([seat for seat in seats if seat.is_spare is spare] for spare in (False, True))
    apart = [seat for seat in plan.sorted_seats if not plan.is_printed(seat)]
    here = [*_name_group(class_set)]
    here.append(say("class.cover.counted", sheets=len(own or spares), numbers=format_seat_numbers(own or spares)))
    if len({*lengths}) == 1:
        here.append(say("class.cover.pages", pages=lengths[0]))
    here += class_set.tell_forms(seats)
    if plan.version_count:
        here.append(say("class.cover.versions", versions=len(plan.versions)))
    if spares and own:
        here.append(say("class.cover.spares", numbers=format_seat_numbers(spares)))
    if apart:
        here.append(say("class.cover.apart", numbers=format_seat_numbers(apart)))
    paper_count = sum((length + 1) // 2 for length in lengths) if plan.is_duplex else sum(lengths)
    edge = say(f"class.cover.{'long' if page_size.is_upright else 'short'}")
    orientation = say(f"class.cover.{'upright' if page_size.is_upright else 'sideways'}")
    count_key = "class.cover.leaves.separated" if separator_count else "class.cover.leaves"
    printing = (
        say("class.cover.paper", paper=_format_paper_name(sheet), orientation=orientation),
        say("class.cover.scale"),
        say("class.cover.duplex", edge=edge) if plan.is_duplex else say("class.cover.simplex"),
        say(count_key, count=paper_count + separator_count + 1),
    )
    is_named = any(seat.name for seat in seats)
    handing_out = [say(f"class.cover.hand.{'named' if is_named else 'unnamed'}")]
    handing_out += [] if plan.version_count else [say("class.cover.hand.own")]
    handing_out.append(say("class.cover.hand.keys"))
    return Cover(
        title=class_set.title,
        subtitles=tuple(here),
        sections=((say("class.cover.how"), printing), (say("class.cover.hand"), tuple(handing_out))),
        names_heading=say(f"class.cover.{'who' if is_named else 'whose'}"),
        names=tuple(describe_seat(sheet, seat) if is_named else seat.printed_number for seat in seats),
        are_names_to_write=not is_named,
    )


def _name_group(class_set: ClassSet) -> list[str]:
    """Say below the title whose these are, where a group has files of its own."""
    plan, sheet = class_set.plan, class_set.example_sheet
    groups = {seat.student.group for seat in plan.sorted_seats if plan.only_folder}
    return [sheet.say("class.group", group=min(groups))] if groups else []


def _format_paper_name(sheet: Sheet) -> str:
    return sheet.options.paper.value.upper() if sheet.options.paper == "a4" else sheet.options.paper.value.capitalize()


QUICK_KEY_GAP = 4.0
"""Between two quick keys, in millimetres."""


def write_key_booklet(class_set: ClassSet, out: BinaryIO) -> None:
    """Write the booklet as a PDF: how to use it, quick keys, full keys; without covers full keys of as many pages."""
    file, name = _begin_key_file(class_set, out)
    if class_set.plan.has_covers:
        _add_quick_keys(class_set, file, name)
    read = class_set.store.read_key_pages
    sheets = list(_list_sheets_with_key(class_set))
    least_count = 0 if class_set.plan.has_covers else max(read(sheet_name).page_count for sheet_name, *_ in sheets)
    empty = draw_layout(lay_out_page(get_page_size(read(sheets[0][0])), []), name)
    for sheet_name, whose, _ in sheets:
        pages = read(sheet_name)
        file.add_pages(pages, whose)
        for _ in range(least_count - pages.page_count):
            file.add_pages(empty)
    file.close()


def write_quick_keys(class_set: ClassSet, out: BinaryIO) -> None:
    """Write the quick keys as a PDF of their own, with how to use them."""
    file, name = _begin_key_file(class_set, out)
    _add_quick_keys(class_set, file, name)
    file.close()


def _begin_key_file(class_set: ClassSet, out: BinaryIO) -> tuple[PdfFile, str]:
    """Return a PDF for keys, with its title."""
    sample = class_set.example_sheet
    name = sample.say("class.keys.title", title=class_set.title)
    return PdfFile(out, title=name, language=sample.options.language_code), name


def _add_quick_keys(class_set: ClassSet, file: PdfFile, name: str) -> None:
    """Add the quick keys to a PDF, with a bookmark to the first of their pages."""
    first = next(_list_sheets_with_key(class_set))[0]
    paper = get_page_size(class_set.store.read_key_pages(first)).upright_size
    bookmark = class_set.example_sheet.say("class.keys.quick")
    for page in _lay_out_quick_keys(class_set, paper, name):
        file.add_pages(draw_layout(page, name), bookmark)
        bookmark = ""


def _lay_out_quick_keys(class_set: ClassSet, paper: PageSize, name: str) -> Iterator[Layout]:
    """Yield the pages with the quick keys, the first with how they are used above them; each has its number."""
    sample, store, pages = class_set.example_sheet, class_set.store, count(1)
    room = paper.width - 2 * SIDE_MARGIN
    items: list[Item] = []
    y = TOP_MARGIN

    def end_page() -> Layout:
        text = sample.say("class.keys.page", page=next(pages))
        items.append(_make_text([make_paragraph(text, ParagraphStyle.SMALL)], SIDE_MARGIN, paper.height - 12.0, room))
        return lay_out_page(paper, items)

    for block in _compose_key_cover(class_set, name):
        text = _make_text(block, SIDE_MARGIN, y, room)
        if text.box.bottom > paper.height - PAGE_NUMBER_ROOM:
            yield end_page()
            items, y = [], TOP_MARGIN
            text = _make_text(block, SIDE_MARGIN, y, room)
        items.append(text)
        y = text.box.bottom + BLOCK_GAP
    columns = {}
    for form in class_set.examples:
        names = (name for name, _, its_form in _list_sheets_with_key(class_set) if its_form == form)
        if measured := [store.read_quick_key(name) for name in islice(names, MEASURED_KEYS)]:
            columns[form] = find_quick_key_columns(measured, room, sample.say)
    for sheet_name, whose, form in _list_sheets_with_key(class_set):
        quick_key = store.read_quick_key(sheet_name)
        entry = place_quick_key(quick_key, whose, y, room, columns[form], sample.say)
        if max(item.box.bottom for item in entry) > paper.height - PAGE_NUMBER_ROOM:
            yield end_page()
            items, y = [], TOP_MARGIN
            entry = place_quick_key(quick_key, whose, y, room, columns[form], sample.say)
        items += entry
        y = max(item.box.bottom for item in entry) + QUICK_KEY_GAP
    yield end_page()


def _make_text(paragraphs: Sequence[Paragraph], x: float, y: float, w: float) -> TextBox:
    return make_text_box(paragraphs, REGULAR_TYPOGRAPHY, x, y, w)


PAGE_NUMBER_ROOM = 15.0
"""At the foot of a page of quick keys, in millimetres."""


def _list_sheets_with_key(class_set: ClassSet) -> Iterator[tuple[str, str, int]]:
    """Yield every sheet that has a key, with whose it is, a student's or a version's with its code, and its form."""
    plan, sheet = class_set.plan, class_set.example_sheet
    if plan.version_count is None:
        for seat in plan.sorted_seats:
            yield str(seat.number), describe_seat(sheet, seat), plan.settings.find_form(seat)
        return
    forms = {seat.version: plan.settings.find_form(seat) for seat in plan.sorted_seats}
    for version in plan.versions:
        name = name_version(version)
        whose = sheet.say("class.keys.version", version=version, code=class_set.store.facts[name].code)
        yield name, whose, forms[version]


def _compose_key_cover(class_set: ClassSet, name: str) -> list[ParagraphBlock]:
    sample, plan = class_set.example_sheet, class_set.plan
    say = sample.say
    blocks: list[ParagraphBlock] = [
        [make_title(name), *(make_paragraph(each, level=2) for each in _name_group(class_set))],
        [
            make_paragraph(
                say(
                    f"class.keys.counted{'' if plan.has_covers else '.apart'}",
                    sheets=len(plan.sorted_seats),
                    numbers=format_seat_numbers(plan.sorted_seats),
                ),
                ParagraphStyle.BODY,
            ),
            *(make_paragraph(form, ParagraphStyle.BODY) for form in class_set.tell_forms(plan.sorted_seats)),
        ],
        [
            make_paragraph(say("class.keys.how"), ParagraphStyle.HEADING, level=2),
            *(make_paragraph(step, ParagraphStyle.BODY) for step in explain_quick_keys(sample)),
        ],
    ]
    if plan.settings.salt:
        blocks.append([make_paragraph(say("class.keys.salt"), ParagraphStyle.BODY)])
    if plan.version_count:
        blocks.append([make_paragraph(say("class.keys.who"), ParagraphStyle.HEADING, level=2)])
        for version, (_, title, _) in zip(plan.versions, _list_sheets_with_key(class_set), strict=True):
            owners = [
                seat for seat in sorted(plan.sorted_seats, key=lambda seat: seat.number) if seat.version == version
            ]
            students = sample.language.list_of(describe_seat(sample, seat) for seat in owners)
            words = (
                *make_bold_text(f"{title}{say('colon')}"),
                *make_plain_text(replace_missing_characters(students)),
            )
            blocks.append([Paragraph(words, ParagraphStyle.BODY)])
    return blocks


def explain_quick_keys(sheet: Sheet) -> list[str]:
    """Say how a pile is marked by quick keys: what to look at first, and what next."""
    stages = sheet.problem.mechanism.stages
    mechanism = sheet.problem.mechanism
    asked = [stage for stage in stages if sheet.count_answer_cells(stage)] or stages  # of a mistake none is
    shown = next((stage for stage in asked if stage.topic == "scaled"), asked[0])
    (row, column), *_ = sheet.list_asked_cells(shown) or ((0, 0),)
    follow = sheet.say("class.keys.follow", cell=format_cell_address(shown.name, row, column))
    if not mechanism.attentions:
        return [follow]
    scores = [mechanism.get_stage(each.scores) for each in mechanism.attentions if mechanism.find_stage(each.scores)]
    if not scores:
        return [follow]
    compared = {name for stage in scores for name in stage.input_names}
    compared_stages = [s for s in stages if s.name in compared and s.role]
    first, last = _list_stage_names(sheet, scores), _list_stage_names(sheet, stages[-1:])
    sums = _list_stage_names(sheet, [mechanism.get_stage(attention.sums) for attention in mechanism.attentions])
    steps = [sheet.say("class.keys.right", last=last, first=first)]
    if compared_stages:
        key = f"class.keys.totals{'.rows' if sheet.convention.is_rows else ''}"
        totals = sheet.say(
            key,
            names=_list_stage_names(sheet, sorted(compared_stages, key=lambda stage: stage.name, reverse=True)),
        )
        steps.append(sheet.say("class.keys.otherwise", sums=sums, first=first, totals=totals))
    else:
        steps.append(sheet.say("class.keys.otherwise.short", sums=sums, first=first))
    cell = f"{sums[0]}[1,1]"
    return [*steps, sheet.say("class.keys.tales", cell=cell), follow]


def _list_stage_names(sheet: Sheet, stages: Sequence[Stage]) -> list[str]:
    return list(dict.fromkeys(to_unicode(format_matrix_name(sheet, stage.name)) for stage in stages))
