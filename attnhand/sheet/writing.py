"""Words on a page: what a panel says, set into the first room beside its grids that holds it."""

from dataclasses import replace

from attnhand.sheet.page import Box, GridBox, Item, Paragraph, TextBox, text_height
from attnhand.sheet.panel import Panel
from attnhand.sheet.sizing import Setting, TooLargeError
from attnhand.sheet.text import Style, width, words_of
from attnhand.sheet.typography import Set

PAD = 3.0
"""Between words and the grid beside them."""

LEAST_TEXT = 30.0
"""No column of words is narrower, in millimetres."""

Span = tuple[float, float]


def heading(panel: Panel) -> list[Paragraph]:
    """Return a panel's heading, if it has one; the number of its head never begins a line."""
    words = panel.heading
    if words and panel.stage.head:
        words = (*words[:-1], replace(words[-1], text="\u00a0".join(words[-1].text.rsplit(" ", 1))))
    return [Paragraph(words, Set.HEADING, level=2)] if words else []


def instructions(panel: Panel) -> list[Paragraph]:
    """Return what a panel asks to do."""
    return [Paragraph(told.text, Set.BODY, source=told.source) for told in panel.paragraphs]


def marked_instructions(panel: Panel, setting: Setting) -> list[Paragraph]:
    """Return what a panel without a formula says: its mark box ends the first line, as it does that of a formula."""
    said = [*instructions(panel), *remarks(panel)]
    narrow = setting.rows or setting.one_product_a_page
    if said and not (said[0].source or narrow):
        return [replace(said[0], right=panel.mark, marks=panel.stage.name), *said[1:]]
    # beside words in a narrow column there is no room for it
    return [*said, *_mark(panel)]


def _mark(panel: Panel) -> list[Paragraph]:
    return [Paragraph(panel.mark, Set.SMALL, marks=panel.stage.name)] if panel.mark else []


def remarks(panel: Panel) -> list[Paragraph]:
    """Return what a panel adds in small type."""
    return [Paragraph(told.text, Set.SMALL, source=told.source) for told in panel.remarks]


def formula(panel: Panel, setting: Setting) -> list[Paragraph]:
    """Return a panel's formula with its mark box, and its remarks."""
    if setting.one_product_a_page:
        return [Paragraph(panel.formula, Set.BODY), *_mark(panel), *remarks(panel)]
    return [Paragraph(panel.formula, Set.BODY, right=panel.mark, marks=panel.stage.name), *remarks(panel)]


class Writer:
    """Sets words on one page, below whatever stands there already."""

    def __init__(self, setting: Setting, along: Span, across: Span, items: list[Item]) -> None:
        self.setting, self.along, self.across, self.items = setting, along, across, items

    def write(self, words: list[Paragraph], rooms: list[Box], panel: Panel) -> Box:
        """Set the words into the first room that holds them, below what is there already; else in two pieces."""
        for count in range(len(words), 0, -1):
            for room in rooms:
                if fitted := self._fitted(words[:count], room):
                    self.items.append(fitted)
                    if count < len(words):
                        self.write(words[count:], rooms, panel)
                    return fitted.box
        if words:
            raise TooLargeError(f"there is no room for the words beside {panel.stage.name}")
        return Box(0, 0, 0, 0)

    def holds(self, words: list[Paragraph], room: Box) -> bool:
        """Say whether a room holds the words in one piece, below what is there already."""
        return self._fitted(words, room) is not None

    def _fitted(self, words: list[Paragraph], room: Box) -> TextBox | None:
        """Return the words where they stand in a room, or None where they do not fit."""
        narrowest = 13.0 if self.setting.rows else 20.0
        least = max(narrowest, min(LEAST_TEXT, max(_longest_word(paragraph, self.setting) for paragraph in words)))
        pad = PAD / 2 if self.setting.rows else PAD
        x = room.x + (pad if room.x > self._left else 0.0)
        y = room.y + (1.0 if room.y > self._top else 0.0)
        right = room.right - (pad if room.right < self._right - 0.1 else 0.0)
        free = Box(x, y, right - x, room.bottom - y)
        free = _below(free, [i.box for i in self.items if isinstance(i, TextBox | GridBox) and i.box.meets(free)])
        set_words = [part for paragraph in words for part in _parted(paragraph, self.setting, free.w)]
        height = text_height(set_words, self.setting.typography, free.w)
        if free.w < least or height > free.h + 0.2:
            return None
        return TextBox(box=Box(free.x, free.y, free.w, height), paragraphs=tuple(set_words))

    @property
    def _top(self) -> float:
        return self.across[0] if self.setting.rows else self.along[0]

    @property
    def _right(self) -> float:
        return self.along[1] if self.setting.rows else self.across[1]

    @property
    def _left(self) -> float:
        return self.along[0] if self.setting.rows else self.across[0]


def _parted(paragraph: Paragraph, setting: Setting, room: float) -> list[Paragraph]:
    """Give what ends the first line a line of its own where a formula would be broken to stand beside it."""
    alone, type_ = replace(paragraph, right=()), setting.typography
    is_formula = all(run.style is not Style.PLAIN for run in paragraph.text)
    if paragraph.right and is_formula and len(paragraph.lines(type_, room)) > len(alone.lines(type_, room)) == 1:
        return [replace(alone, marks=""), Paragraph(paragraph.right, Set.SMALL, marks=paragraph.marks)]
    return [paragraph]


def _longest_word(paragraph: Paragraph, setting: Setting) -> float:
    points = setting.typography.points[paragraph.style]
    return max(width(word, points) for word in words_of(paragraph.text))


def _below(room: Box, taken: list[Box]) -> Box:
    top = max((box.bottom + 1.0 for box in taken), default=room.y)
    return Box(room.x, top, room.w, room.bottom - top)


def shrunk(room: Box, taken: Box, rows: bool) -> Box:
    """Leave out of a room the part next to the spine that exact values take."""
    if rows:
        return Box(room.x, room.y, room.w, taken.y - room.y)
    return Box(room.x, room.y, taken.x - room.x, room.h)
