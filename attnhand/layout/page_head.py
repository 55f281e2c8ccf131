"""Head and foot of a page: title, formula, name and rules on the first; name and powers on later ones."""

from collections.abc import Sequence, Set
from dataclasses import replace
from functools import cached_property

from attnhand.layout.flow_diagram import make_flow_box
from attnhand.layout.mistake_task import MistakeTaskBlock
from attnhand.layout.name_line import LATER_NAME_TOP, NameLine
from attnhand.layout.page import (
    Box,
    Item,
    Paragraph,
    QrBox,
    SquaresBox,
    TextBox,
    make_text_box,
    measure_text_height,
)
from attnhand.layout.page_grid import FOOT_GAP, PLACE_WIDTH, PageGrid
from attnhand.layout.typography import (
    LATER_QR_SIZE,
    NUMBERED_QR_QUIET_SHARE,
    QR_QUIET_SHARE,
    QR_SIZE,
    TOP_MARGIN,
    UNIT,
    ParagraphStyle,
)
from attnhand.layout.words import bind_arrows, bind_powers
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import has_shortcuts
from attnhand.sheet.document import Document
from attnhand.sheet.flow import Flow, build_flow, describe_flow
from attnhand.sheet.grids import Label
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import (
    Run,
    RunStyle,
    Text,
    bind_words,
    make_bold_text,
    make_plain_text,
    measure_width,
    parse_markup,
    to_unicode,
)

EQUATION_END = "; "
"""Between the equations below a title, where a line may end."""

LARGE_LEGEND_SHARE = 0.35
"""Where the legend of large print begins, in parts of the page's width."""

FLOW_GAP = 0.6
"""Above the diagram, whose letters are as high as those beside it."""

QR_GAP = 4.0
"""Between the words of a head and the QR code."""

LATER_QR_TOP = 6.1
"""From the edge of a later page to the quiet zone of its QR code."""

SQUARE_SIDE, SQUARE_MARGIN = 4.0, 8.0
"""Of the squares in the corners of a page, by which a scanner finds it, and from them to the edges of the paper."""


class PageHead:
    """Makes heads and feet of the pages of one face of a sheet."""

    def __init__(self, document: Document, grid: PageGrid, faces: Sequence[Document]) -> None:
        """Take one face of a sheet, and both, which have all at the same height."""
        self.document, self.sheet, self.grid, self.faces = document, document.sheet, grid, faces
        self.typography = grid.typography
        self.name_line = NameLine(self.sheet, grid)
        self.width_beside_qr = self._find_qr_left(QR_SIZE) - grid.left - QR_GAP
        self._bottoms: dict[tuple[bool, bool, bool], float] = {}

    def make_head(self, page_number: int, *, has_powers: bool, shown: Set[str] | None = None) -> list[Item]:
        """Return the head of a page.

        Args:
            has_powers: whether the page needs the powers that its numbers are of.
            shown: the matrices of the page, which are black in the diagram of all; None for no diagram.
        """
        if page_number == 1:
            return [*self.name_line.make_number_box(self.grid.right), *self._make_first_head(has_powers, shown)]
        return self._make_later_head(page_number, has_powers, shown)

    def make_registration_squares(self) -> list[Item]:
        """Return a square in each corner of a page, by which a scan is turned and stretched to fit it."""
        if not self.sheet.options.scan:
            return []
        right, bottom = self.grid.width - SQUARE_MARGIN - SQUARE_SIDE, self.grid.height - SQUARE_MARGIN - SQUARE_SIDE
        boxes = (Box(x, y, SQUARE_SIDE, SQUARE_SIDE) for y in (SQUARE_MARGIN, bottom) for x in (SQUARE_MARGIN, right))
        return [SquaresBox(box=box, squares=(box,), is_filled=True) for box in boxes]

    def find_bottom(self, page_number: int, *, has_powers: bool, has_flow: bool) -> float:
        """Return where the head of a page ends: on all pages but the first at the same place."""
        way = page_number == 1, has_powers, has_flow
        if way not in self._bottoms:
            head = self.make_head(page_number, has_powers=has_powers, shown=frozenset() if has_flow else None)
            self._bottoms[way] = max(item.box.bottom for item in head)
        return self._bottoms[way]

    @cached_property
    def flow(self) -> Flow | None:
        """The flow of the computation; None where there is no diagram of it."""
        return build_flow(self.sheet)

    def _make_flow(self, shown: Set[str] | None, x: float, y: float, right: float) -> list[Item]:
        """Return the diagram, if a page has one and it fits from a place to the right."""
        if shown is None or self.flow is None:
            return []
        alt_text = self.sheet.say("flow", steps=describe_flow(self.flow))
        box = make_flow_box(self.flow, alt_text, (x, y), right - x, self.typography, shown)
        return [box] if box else []

    def _make_first_head(self, has_powers: bool, shown: Set[str] | None) -> list[Item]:
        sheet, grid, type_ = self.sheet, self.grid, self.typography
        head = self.document.head
        title = Paragraph(make_bold_text(head.title), ParagraphStyle.TITLE, heading_level=1)
        corner = [item.box.x - grid.left - UNIT for item in self.name_line.make_number_box(grid.right)]
        title_box = make_text_box([title], type_, grid.left, TOP_MARGIN, min([self.width_beside_qr, *corner]))
        facts = [
            Paragraph(bind_equations(make_plain_formula(head.formula))),
            Paragraph(head.sizes_and_effort, ParagraphStyle.SMALL),
        ]
        if sheet.options.large_print:  # its labels have no room for words
            labels = filter(None, (head.tokens, head.vocabulary))
            facts += [Paragraph(_list_words(each), ParagraphStyle.SMALL) for each in labels]
        stated = self._place_facts(facts, shown, title_box.box.bottom)
        facts_bottom = max(item.box.bottom for item in stated)
        qr = self._make_qr(1, QR_SIZE, max(TOP_MARGIN - 1.5, self.name_line.number_bottom))
        name_line = self.name_line.make_first_page_line(facts_bottom, self.width_beside_qr)
        y = facts_bottom + self.name_line.height
        items: list[Item] = [title_box, *stated, *name_line, qr]
        if sheet.is_solved and has_shortcuts(sheet) and not (sheet.seat and sheet.seat.name):
            items.append(self._make_legend(y, name_line[0].box.right))
        if self.document.task:
            block = MistakeTaskBlock(grid, grid.left, self.width_beside_qr)
            task = block.place(self.document.task, y)
            items += task
            y = max(item.box.bottom for item in task) + UNIT * grid.scale
        width = self.width_beside_qr if y < qr.box.bottom else self.grid.text_width
        rules = self._make_story_paragraphs()
        rules += [Paragraph(bind_arrows(self.document.house_rules.text))]
        items.append(self._make_rules_box(rules, y, width, has_powers=has_powers))
        return items

    def _place_facts(self, facts: Sequence[Paragraph], shown: Set[str] | None, y: float) -> list[Item]:
        """Return formula, sizes and minutes, with the diagram beside or, in large print, below them."""
        grid, type_ = self.grid, self.typography
        right = grid.left + self.width_beside_qr
        wide = self._state(facts, y, self.width_beside_qr)
        if grid.is_large:
            return [wide, *self._make_flow(shown, grid.left, wide.box.bottom + FLOW_GAP, right)]
        formula, *sizes = facts
        if formula.measure_height(type_, PLACE_WIDTH) > type_.find_line_height(formula.style):
            items: list[Item] = [make_text_box([formula], type_, grid.left, y, self.width_beside_qr)]
            beside, y = sizes, items[0].box.bottom
        else:
            items, beside = [], list(facts)
        flow = self._make_flow(shown, grid.find_place(1), y + FLOW_GAP, right)
        beside_top = y + type_.paragraph_gap * bool(items)
        return [*items, self._state(beside, beside_top, PLACE_WIDTH), *flow] if flow else [wide]

    def _state(self, facts: Sequence[Paragraph], y: float, width: float) -> TextBox:
        """Return facts in a box as high as that of the face whose sizes and minutes take more lines."""
        own, *heights = (
            Paragraph(each.head.sizes_and_effort, ParagraphStyle.SMALL).measure_height(self.typography, width)
            for each in (self.document, *self.faces)
        )
        box = make_text_box(facts, self.typography, self.grid.left, y, width)
        return replace(box, box=box.box._replace(h=box.box.h + max(heights) - own))

    def _make_qr(self, page_number: int, size: float, top: float) -> QrBox:
        """Return the QR code of a page, its black modules flush with the margin."""
        alt_text = self.sheet.say("qr", code=self.sheet.code)
        box = Box(self._find_qr_left(size), top, size, size)
        return QrBox(box=box, text=self.sheet.format_qr_text(page_number), alt_text=alt_text)

    def _find_qr_left(self, size: float) -> float:
        """Return where the quiet zone of a QR code begins, which ends outside the margin."""
        share = NUMBERED_QR_QUIET_SHARE if self.sheet.seat else QR_QUIET_SHARE
        return self.grid.right - size * (1 - share)

    def _make_legend(self, name_bottom: float, name_right: float) -> TextBox:
        """Return what the colours of a key mean, on the line of its name and behind it."""
        d_k = self.sheet.problem.hand_arithmetic.d_k
        key = "legend.scaled" if any(each.scaled for each in self.sheet.problem.mechanism.attentions) else "legend"
        legend = Paragraph(parse_markup(self.sheet.say(key, d_k=d_k)), ParagraphStyle.SMALL)
        x, width = self.grid.find_place(1), self.width_beside_qr - self.grid.find_place(1) + self.grid.left
        if self.grid.is_large:
            x = max(self.grid.left + self.grid.text_width * LARGE_LEGEND_SHARE, name_right + UNIT)
            width = self.grid.right - x
        height = measure_text_height([legend], self.typography, width)
        return make_text_box([legend], self.typography, x, name_bottom - height - UNIT, width)

    def _make_story_paragraphs(self) -> list[Paragraph]:
        """Return the story; with the names of features where labels have no room for them."""
        story = self.document.story
        if story is None:
            return []
        *body, disclaimer = story.sentences
        needs_names = self.sheet.options.large_print or self.grid.is_rows
        small = [story.features, disclaimer] if needs_names else [disclaimer]
        return [*map(Paragraph, body), *(Paragraph(text, ParagraphStyle.SMALL) for text in small)]

    def _make_later_head(self, page_number: int, has_powers: bool, shown: Set[str] | None) -> list[Item]:
        items: list[Item] = [*self.name_line.make_later_page_line(LATER_NAME_TOP)]
        y = LATER_NAME_TOP + self.name_line.height
        if self.sheet.seat:  # a pile of scanned pages is sorted by their codes
            qr = self._make_qr(page_number, LATER_QR_SIZE, LATER_QR_TOP)
            items = [*self.name_line.make_number_box(qr.box.x), *items, qr]
            y = max(y, qr.box.bottom)
        if self.grid.is_large:
            if has_powers:
                items.append(self._make_rules_box([], y, self.grid.text_width, has_powers=True))
                y = items[-1].box.bottom
            return [*items, *self._make_flow(shown, self.grid.left, y + FLOW_GAP, self.grid.right)]
        flow = self._make_flow(shown, self.grid.find_place(1), y + FLOW_GAP, self.grid.right)
        if has_powers:
            items.append(self._make_rules_box([], y, PLACE_WIDTH * (1 if flow else 2), has_powers=True))
        return [*items, *flow]

    def _make_rules_box(self, rules: Sequence[Paragraph], y: float, width: float, *, has_powers: bool) -> TextBox:
        """Return rules and the list of powers, with room for the longest list among sheets of this kind."""
        reminder = parse_markup(sentences.format_powers_reminder(self.sheet))
        is_said = any(to_unicode(reminder) in to_unicode(each.text) for each in rules)
        if not has_powers or is_said:
            return make_text_box(rules, self.typography, self.grid.left, y, width)
        style = ParagraphStyle.BODY if rules or self.grid.is_large else ParagraphStyle.SMALL
        longest, own = (
            make_text_box(
                [*rules, Paragraph(bind_powers(parse_markup(markup)), style, slot=Slot(SlotKind.POWERS))],
                self.typography,
                self.grid.left,
                y,
                width,
            )
            for markup in (sentences.format_longest_reminder(self.sheet), sentences.format_powers_reminder(self.sheet))
        )
        return replace(own, box=own.box._replace(h=max(own.box.h, longest.box.h if self.sheet.request else 0.0)))

    def make_foot(self, page_number: int, page_count: int) -> list[Item]:
        """Return the line with code, papers, credit and page number: as much of it as there is room for."""
        code_line = self.document.code_line
        lines = (
            (code_line.code_and_credit, SlotKind.CODE_AND_CREDIT),
            (code_line.code_and_sources, SlotKind.CODE_AND_SOURCES),
            (code_line.code, SlotKind.CODE),
        )
        points = self.typography.paragraph_points[ParagraphStyle.PALE]
        texts = [(parse_markup(markup), kind) for markup, kind in lines]
        room = self.grid.text_width - 45 * self.grid.scale
        text, kind = next((each for each in texts if measure_width(each[0], points) < room), texts[-1])
        page = parse_markup(self.sheet.say("page", page=page_number, pages=page_count))
        line = Paragraph(text, ParagraphStyle.PALE, right_text=page, slot=Slot(kind))
        y = self.grid.body_bottom + FOOT_GAP
        return [make_text_box([line], self.typography, self.grid.left, y, self.grid.text_width)]


def _list_words(labels: Sequence[Label]) -> Text:
    """Return the words of tokens or of a vocabulary, each behind its letter."""
    parts: list[Run] = []
    for at, each in enumerate(labels):
        word = f"\u00a0{each.word}"
        parts += [*make_plain_text(" · " if at else ""), *each.letter, *make_plain_text(word)]
    return tuple(parts)


def make_plain_formula(text: Text) -> Text:
    """Return a text in ink and regular weight: the formula below a title is quieter than the title."""
    plain = {RunStyle.BOLD: RunStyle.PLAIN}
    return tuple(run._replace(style=plain.get(run.style, run.style), is_bold=False, accent="") for run in text)


def bind_equations(text: Text) -> Text:
    """Return equations between semicolons without places to break a line inside those after the first."""
    bound: list[Run] = []
    is_first = True
    for run in text:
        first, *more = run.text.split(EQUATION_END)
        parts = [first if is_first else bind_words(first), *map(bind_words, more)]
        bound.append(run._replace(text=EQUATION_END.join(parts)))
        is_first = is_first and not more
    return tuple(bound)
