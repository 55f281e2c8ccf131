"""The same sheets by reportlab: a canvas, on which every word and line is put by its place."""

import io
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from attnhand.text.widths import SCRIPT_SCALE
from tests.benchmarks.peer_fonts import ttf_files
from tests.benchmarks.plan import Plan

MM = 72 / 25.4
NAMES = {
    (400, False): "Sheet",
    (700, False): "Sheet-Bold",
    (400, True): "Sheet-Italic",
    (700, True): "Sheet-BoldItalic",
}
REGULAR = NAMES[400, False]
LOWERED, RAISED = 0.25 * SCRIPT_SCALE, -0.42 * SCRIPT_SCALE
"""Of what stands below and above the line, in em."""

Word = list[tuple[str, str, float, float]]
"""Pieces of a word: text, font, size, how far below the line."""


class ReportlabPeer:
    """A canvas a class; the fonts are registered once."""

    def __init__(self, folder: Path) -> None:
        from reportlab import rl_config
        from reportlab.pdfbase import pdfmetrics
        from reportlab.pdfbase.ttfonts import TTFont

        rl_config.useA85 = 0  # bytes as they are: smaller, and quicker written
        for style, path in ttf_files(folder).items():
            pdfmetrics.registerFont(TTFont(NAMES[style], str(path)))

    def draw(self, plans: Sequence[Plan]) -> bytes:
        """Return all sheets as one PDF."""
        from reportlab.pdfgen.canvas import Canvas

        out = io.BytesIO()
        canvas = Canvas(out, pageCompression=1)
        for sheet in plans:
            for items in sheet["pages"]:
                canvas.setPageSize((sheet["width"] * MM, sheet["height"] * MM))
                page = _Page(canvas, sheet)
                for item in items:
                    page.draw(item)
                canvas.showPage()
        canvas.save()
        return out.getvalue()


@cache
def _wide(text: str, font: str, size: float) -> float:
    from reportlab.pdfbase.pdfmetrics import stringWidth

    wide: float = stringWidth(text, font, size)
    return wide


@cache
def _colour(name: str) -> Any:
    from reportlab.lib.colors import HexColor

    return HexColor(name)


class _Page:
    """One page; places come in millimetres from its top left corner, type in points."""

    def __init__(self, canvas: Any, sheet: Plan) -> None:
        self.canvas = canvas
        self.top = sheet["height"] * MM
        self.leading, self.between = sheet["leading"], sheet["between"] * MM

    def draw(self, item: Plan) -> None:
        """Draw one box of the plan: its kind is the name of the method below that can."""
        x, y = item["x"] * MM, self.top - item["y"] * MM
        getattr(self, "_" + item["kind"])(item, x, y)

    def _text(self, item: Plan, x: float, y: float) -> None:
        for paragraph in item["paragraphs"]:
            size, room = paragraph["size"], item["w"] * MM
            first = room
            ink = _colour(paragraph["colour"])
            if paragraph["right"]:
                right = self._words(paragraph["right"], paragraph["right_size"])
                wide = self._line_width(right, paragraph["right_size"])
                first = room - wide - 3 * MM
                line = paragraph["right_size"] * 0.95
                self._line(right, x + room - wide, y - line, paragraph["right_size"], _colour("#444444"))
            for words in self._broken(self._words(paragraph["runs"], size), size, first, room):
                self._line(words, x, y - 0.95 * size, size, ink)
                y -= self.leading * size
            y -= self.between

    def _words(self, runs: Sequence[Sequence[Any]], size: float) -> list[Word]:
        words: list[Word] = [[]]
        for text, position, strong, slanted in runs:
            font = NAMES[700 if strong else 400, slanted]
            low = {"sub": LOWERED, "sup": RAISED, "": 0.0}[position] * size
            for i, piece in enumerate(text.split(" ")):
                if i:
                    words.append([])
                if piece:
                    words[-1].append((piece, font, size * (SCRIPT_SCALE if position else 1), low))
        return words

    def _broken(self, words: list[Word], size: float, first: float, room: float) -> list[list[Word]]:
        """Break words into lines, of which the first may be shorter."""
        lines: list[list[Word]] = [[]]
        used, blank = 0.0, _wide(" ", REGULAR, size)
        for word in words:
            needed = sum(_wide(text, font, points) for text, font, points, _ in word)
            if lines[-1] and used + blank + needed > (first if len(lines) == 1 else room):
                lines.append([])
                used = -blank
            used += needed + (blank if lines[-1] or used < 0 else 0)
            lines[-1].append(word)
        return lines

    def _line_width(self, words: list[Word], size: float) -> float:
        wide = sum(_wide(text, font, points) for word in words for text, font, points, _ in word)
        return wide + (len(words) - 1) * _wide(" ", REGULAR, size)

    def _line(self, words: list[Word], x: float, y: float, size: float, ink: Any) -> None:
        """Write a line, neighbours of one style together."""
        blank = _wide(" ", REGULAR, size)
        self.canvas.setFillColor(ink)
        pieces: list[list[Any]] = []
        for i, word in enumerate(words):
            for j, (text, font, points, low) in enumerate(word):
                gap = i > 0 and j == 0
                if pieces and pieces[-1][2:5] == [font, points, low]:
                    pieces[-1][1] += " " * gap + text
                else:
                    pieces.append([x + blank * gap, text, font, points, low])
                x += blank * gap + _wide(text, font, points)
        for at, text, font, points, low in pieces:
            self.canvas.setFont(font, points)
            self.canvas.drawString(at, y - low, text)

    def _flow(self, item: Plan, x: float, y: float) -> None:
        self.canvas.setFillColor(_colour("#777777"))
        for left, top, w, h in item["rules"]:
            self.canvas.rect(left * MM, self.top - (top + h) * MM, w * MM, h * MM, stroke=0, fill=1)
        for runs, left, baseline, colour in item["words"]:
            words = self._words(runs, item["size"])
            self._line(words, left * MM, self.top - baseline * MM, item["size"], _colour(colour))

    def _label(self, lines: list[list[Any]], x: float, bottom: float, ink: Any, align: float) -> None:
        """Write lines one above the other: to the right of x (0), around it (0.5) or to its left (1)."""
        for runs, size in reversed(lines):
            words = self._words(runs, size)
            self._line(words, x - align * self._line_width(words, size), bottom + 0.154 * size, size, ink)
            bottom += size

    def _grid(self, item: Plan, x: float, y: float) -> None:
        w, h, gap = item["cell_w"] * MM, item["cell_h"] * MM, item["gap"] * MM
        left = x + (item["header_w"] * MM if item["header_w"] else 0)
        top = y - item["header_h"] * MM
        ink = _colour(item["label_colour"])
        name = [[item["name"], item["name_size"]]]
        if item["name_above"]:
            self._label(name, x, top + gap + 4.5 * MM, _colour("#111111"), 0)
        else:
            self._label(name, left - gap - 0.8 * MM, top + gap, _colour("#111111"), 1)
        for j, lines in enumerate(item["columns"]):
            self._label(lines, left + j * w + w / 2, top + gap, ink, 0.5)
        for i, lines in enumerate(item["rows"]):
            middle = top - i * h - h / 2
            self._label(lines, left - gap - 0.8 * MM, middle - sum(size for _, size in lines) / 2, ink, 1)
        if item["brackets"]:
            self._pen(item["brackets"], 0.35 * MM)
            bottom, right = y - item["h"] * MM, x + item["w"] * MM
            for edge, inward in ((left - 0.3 * MM, 1.2 * MM), (right + 0.3 * MM, -1.2 * MM)):
                self.canvas.lines(
                    [(edge, top, edge, bottom), (edge, top, edge + inward, top), (edge, bottom, edge + inward, bottom)]
                )
        for i, row in enumerate(item["cells"]):
            for j, cell in enumerate(row):
                self._cell(cell, left + j * w, top - (i + 1) * h, w, h)

    def _cell(self, cell: Plan, x: float, y: float, w: float, h: float) -> None:
        canvas, thick = self.canvas, cell["thickness"] * MM
        if cell["fill"]:
            canvas.setFillColor(_colour(cell["fill"]))
            canvas.rect(x, y, w, h, stroke=0, fill=1)
        if cell["edge"]:
            self._pen(cell["edge"], thick)
            if cell["dashed"]:
                canvas.setDash(3 * thick, 3 * thick)
            canvas.rect(x + thick / 2, y + thick / 2, w - thick, h - thick)
            canvas.setDash()
        if cell["ink"]:
            self._value(cell, x + w / 2, y + h / 2)

    def _pen(self, colour: str, thick: float) -> None:
        self.canvas.setStrokeColor(_colour(colour))
        self.canvas.setLineWidth(thick)

    def _value(self, cell: Plan, x: float, y: float) -> None:
        canvas, size, part = self.canvas, cell["size"], cell["part"]
        font = NAMES[400, False]
        canvas.setFillColor(_colour(cell["ink"]))
        if cell["note"]:
            y += 0.3 * size
        if not cell["bottom"]:
            canvas.setFont(font, size)
            canvas.drawCentredString(x, y - 0.346 * size, cell["text"])
        else:
            digits = max(_wide(cell["top"], font, part), _wide(cell["bottom"], font, part)) + 0.8 * MM
            sign = _wide(cell["text"], font, size)
            canvas.setFont(font, size)
            canvas.drawString(x - (digits + sign) / 2, y - 0.346 * size, cell["text"])
            x += sign / 2
            canvas.setFont(font, part)
            canvas.drawCentredString(x, y + 0.23 * part, cell["top"])
            canvas.drawCentredString(x, y - 0.875 * part, cell["bottom"])
            self._pen(cell["ink"], 0.25 * MM)
            canvas.line(x - digits / 2, y, x + digits / 2, y)
        if cell["note"]:
            canvas.setFillColor(_colour("#444444"))
            canvas.setFont(REGULAR, 0.75 * size)
            canvas.drawCentredString(x, y - (1.15 * part if cell["bottom"] else 0.5 * size) - 0.5 * size, cell["note"])

    def _lines(self, item: Plan, x: float, y: float) -> None:
        self._pen("#a9a9a9", 0.15 * MM)
        count = int(item["h"] / item["spacing"])
        for i in range(1, count + 1):
            down = y - i * item["spacing"] * MM
            self.canvas.line(x, down, x + item["w"] * MM, down)

    def _rule(self, item: Plan, x: float, y: float) -> None:
        self._pen("#777777", 0.25 * MM)
        self.canvas.line(x, y, x + item["w"] * MM, y)

    def _qr(self, item: Plan, x: float, y: float) -> None:
        rows = item["rows"]
        dot = item["w"] * MM / (len(rows) + 8)
        path = self.canvas.beginPath()
        for i, row in enumerate(rows):
            at = 0
            while (at := row.find("█", at)) >= 0:
                length = len(row[at:]) - len(row[at:].lstrip("█"))
                path.rect(x + (at + 4) * dot, y - (i + 5) * dot, length * dot, dot)
                at += length
        self.canvas.setFillColor(_colour("#000000"))
        self.canvas.drawPath(path, stroke=0, fill=1)
