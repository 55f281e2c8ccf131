"""The line for the name, and what stands on every page of a sheet that is somebody's: № and name.

Every box has a place of its own that depends on no name, so that a whole class has one layout; a name too long for
its box is set smaller, then cut.
"""

from dataclasses import replace

from attnhand.layout.page import HEAD_FIELDS, Box, Item, Paragraph, RuleBox, TextBox
from attnhand.layout.typography import MARGIN, Set, Typography
from attnhand.sheet.conclusion import NAME, NUMBER, number_line
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, as_plain, bold, marked_up, printable, width

NUMBER_TOP = 3.7
"""Where the № begins, in millimetres from the edge: printers leave four blank at most."""

SHARES = (("name", 0.55), ("date", 0.2), ("total", 0.25))
"""What is written on the first page, and its share of the line; later pages have the name alone."""

SHARE_OF_LATER_NAME = 0.6


def fitted(name: str, room: float, type_: Typography) -> Paragraph:
    """Return a name in one line, in the larger type if it fits; cut where even the smaller is too large.

    >>> from attnhand.layout.typography import REGULAR_TYPE
    >>> fitted("Ada", 60, REGULAR_TYPE).style.value, fitted("Ada" * 10, 60, REGULAR_TYPE).style.value
    ('heading', 'body')
    >>> as_plain(fitted("Ada" * 100, 20, REGULAR_TYPE).text)
    'AdaAdaA…'
    """
    shown = printable(name)
    for style in (Set.HEADING, Set.BODY):
        if width(bold(shown), type_.points[style]) * 1.02 <= room:
            return Paragraph(bold(shown), style)
    while shown and width(bold(f"{shown}…"), type_.points[Set.BODY]) * 1.02 > room:
        shown = shown[:-1]
    return Paragraph(bold(f"{shown.rstrip()}…"), Set.BODY)


def name_in(sheet: Sheet, room: float, type_: Typography) -> Paragraph:
    """Return the name on a sheet, set as so much room allows."""
    assert sheet.holder is not None
    return replace(fitted(sheet.holder.name, room, type_), source=NAME)


class NameLine:
    """Name, date and total on a sheet's pages, and № where it has one."""

    def __init__(self, sheet: Sheet, type_: Typography, room: float) -> None:
        self.sheet, self.holder, self.type, self.room = sheet, sheet.holder, type_, room

    @property
    def height(self) -> float:
        """The height of the line, with room to write."""
        return self.type.line(Set.BODY) + 5.0

    @property
    def number_bottom(self) -> float:
        """Where the № ends, in millimetres from the top; nothing else on the first page may stand above."""
        return NUMBER_TOP + self.type.line(Set.NUMBER) if self.holder else 0.0

    def number(self) -> tuple[Item, ...]:
        """Return the № at the outer corner."""
        if self.holder is None:
            return ()
        usual = marked_up(number_line(replace(self.sheet, holder=self.holder.usual)))
        room = width(usual, self.type.points[Set.NUMBER]) * 1.02  # longer ones run on into the margin
        x = MARGIN + self.room - room
        box = Box(x, NUMBER_TOP, room + MARGIN - 4.0, self.type.line(Set.NUMBER))
        shown = Paragraph(marked_up(number_line(self.sheet)), Set.NUMBER, source=NUMBER)
        items: list[Item] = [TextBox(box=box, paragraphs=(shown,))]
        if self.holder.spare:
            word = marked_up(self.sheet.say("holder.spare"))
            w = width(word, self.type.points[Set.HEADING]) * 1.02 + 2.0
            y = NUMBER_TOP + self.type.line(Set.NUMBER) - self.type.line(Set.HEADING) - 0.6
            box = Box(x - w - 1.0, y, w, self.type.line(Set.HEADING))
            items.append(TextBox(box=box, paragraphs=(Paragraph(word, Set.HEADING),)))
        return tuple(items)

    def first(self, y: float, room: float) -> tuple[Item, ...]:
        """Return the line of the first page: "Name ____ Date ____ Total ____ / 116", or on the key what it is."""
        shares = SHARES if self.sheet.cells_to_fill else SHARES[:2]
        return self._key(y, room) if self.sheet.solved else self._blank(shares, y, room)

    def later(self, y: float) -> tuple[Item, ...]:
        """Return the line of another page."""
        if self.sheet.solved:
            return self._key(y, self.room * SHARE_OF_LATER_NAME if self.holder else self.room)
        return self._blank((("name", SHARE_OF_LATER_NAME),), y, self.room)

    def _key(self, y: float, room: float) -> tuple[Item, ...]:
        words = marked_up(f"**{self.sheet.say('key')}**")
        line = self.type.line(Set.KEY)
        y += self.height - line - 1
        if not self.holder or not self.holder.name:
            return (TextBox(box=Box(MARGIN, y, room, line), paragraphs=(Paragraph(words, Set.KEY),)),)
        w = width(words, self.type.points[Set.KEY]) * 1.02 + 1.0
        return (
            TextBox(box=Box(MARGIN, y, w, line), paragraphs=(Paragraph(words, Set.KEY),)),
            self._name(MARGIN + w + 4.0, y + line, room - w - 4.0),
        )

    def _name(self, x: float, bottom: float, room: float) -> TextBox:
        line = self.type.line(Set.HEADING)
        return TextBox(box=Box(x, bottom - line, room, line), paragraphs=(name_in(self.sheet, room, self.type),))

    def _blank(self, shares: tuple[tuple[str, float], ...], y: float, room: float) -> tuple[Item, ...]:
        sheet, bottom, line = self.sheet, y + self.height, self.type.line(Set.BODY)
        is_first = shares[0] == SHARES[0]
        items: list[Item] = []
        x = MARGIN
        for key, share in shares:
            w = room * share - 4
            if key == "name" and sheet.holder and sheet.holder.name and not (sheet.options.fillable and is_first):
                items.append(self._name(x, bottom - 0.6, w))
                x += room * share
                continue
            label = marked_up(sheet.say(key))
            tail = marked_up(sheet.say("out_of", cells=sheet.cells_to_fill)) if key == "total" else ()
            label_w, tail_w = (width(text, self.type.points[Set.BODY]) + 1.5 for text in (label, tail))
            items.append(self._text(label, Box(x, bottom - line - 1, label_w, line)))
            rule = RuleBox(box=Box(x + label_w, bottom - 2.0, w - label_w - (tail_w if tail else 0), 0.0))
            if is_first and key in HEAD_FIELDS:
                held = sheet.holder.written if sheet.holder and key == "name" else ""
                rule = replace(rule, field=key, spoken=as_plain(label), value=held)
            items.append(rule)
            if tail:
                items.append(self._text(tail, Box(x + w - tail_w + 1, bottom - line - 1, tail_w, line)))
            x += room * share
        return tuple(items)

    def _text(self, words: Text, box: Box) -> TextBox:
        return TextBox(box=box, paragraphs=(Paragraph(words, Set.BODY),))
