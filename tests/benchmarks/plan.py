"""A laid-out sheet as plain data: what the peers draw, each in its own way.

Everything that the style sheet says of a cell or a paragraph is resolved here, once, and not counted as a peer's time.
"""

import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import segno

from attnhand.formats.colours import write_page_rules
from attnhand.layout.page import FlowBox, GridBox, Item, Layout, QrBox, RuleBox, SquaresBox, TextBox, WorkingSpaceBox
from attnhand.layout.typography import ParagraphStyle, Typography
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label
from attnhand.text.widths import RunStyle, Text, make_plain_text

Plan = dict[str, Any]


def plan(layout: Layout) -> Plan:
    """Return a layout as dictionaries, lists, texts and numbers: millimetres, points, colours."""
    return {
        "width": layout.width,
        "height": layout.height,
        "leading": layout.typography.leading,
        "between": layout.typography.paragraph_gap,
        "pages": [[_item(item, layout.typography) for item in page.items] for page in layout.pages],
    }


def _item(item: Item, type_: Typography) -> Plan:
    box = item.box
    place = {"x": box.x, "y": box.y, "w": box.w, "h": box.h}
    match item:
        case TextBox():
            paragraphs = [
                {
                    "runs": _runs(p.text, strong=p.heading_level > 0),
                    "size": type_.paragraph_points[p.style],
                    "colour": _ink(p.style),
                    "right": _runs(p.right_text),
                    "right_size": type_.paragraph_points[ParagraphStyle.SMALL],
                }
                for p in item.paragraphs
            ]
            return {"kind": "text", **place, "paragraphs": paragraphs}
        case WorkingSpaceBox():
            return {"kind": "lines", **place, "spacing": item.spacing}
        case QrBox():
            rows = segno.make(item.text, error="m", micro=False).matrix
            return {"kind": "qr", **place, "rows": ["".join("█" if dot else " " for dot in row) for row in rows]}
        case SquaresBox():
            return {"kind": "squares", **place, "squares": [*map(list, item.squares)], "filled": item.is_filled}
        case RuleBox():
            return {"kind": "rule", **place}
        case FlowBox():
            colour = {True: colours()["ink"], False: colours()["soft"]}
            words = [[_runs(word.text), word.x, word.baseline, colour[word.is_here]] for word in item.words]
            size = type_.paragraph_points[ParagraphStyle.SMALL]
            return {"kind": "flow", **place, "words": words, "size": size, "rules": [list(rule) for rule in item.rules]}
        case GridBox():
            return {"kind": "grid", **place, **_grid(item, type_)}


def _ink(style: ParagraphStyle) -> str:
    named = {
        ParagraphStyle.SMALL: "soft",
        ParagraphStyle.PALE: "pale",
        ParagraphStyle.CAPTION: "pale",
        ParagraphStyle.KEY: "red",
        ParagraphStyle.SOLUTION: "red",
    }
    return colours()[named.get(style, "ink")]


def _runs(text: Text, *, strong: bool = False) -> list[list[str | bool]]:
    """Return [text, place, whether it is bold, whether it is italic] of every run."""
    return [
        [
            run.text,
            run.style.value if run.style in (RunStyle.SUB, RunStyle.SUP) else "",
            strong or run.is_bold or run.style is RunStyle.BOLD,
            run.is_italic,
        ]
        for run in text
    ]


def _grid(item: GridBox, type_: Typography) -> Plan:
    grid = item.grid
    small = type_.label_points if item.has_long_name else type_.name_points
    cells = []
    for row in grid.cells:
        cells.append([{**_cell(cell, grid), **_printed_number(cell, item, type_)} for cell in row])
    return {
        "cell_w": item.cell_w,
        "cell_h": item.cell_h,
        "header_w": item.header_w,
        "header_h": item.header_h,
        "gap": type_.label_gap,
        "brackets": _bracket_colour(item) if item.has_brackets else "",
        "name": _runs(grid.name, strong=True),
        "name_size": small,
        "name_above": grid.style is GridStyle.HEAT,
        "columns": [_column_label(column, item, type_) for column in range(grid.column_count)],
        "rows": [_row_label(label, item, type_) for label in grid.rows] if item.header_w else [],
        "label_colour": colours()["pale" if grid.style.is_small else "soft"],
        "cells": cells,
    }


def _bracket_colour(item: GridBox) -> str:
    colours_of_styles = {GridStyle.WORKED: _accent(item.grid.accent)[0], GridStyle.COPY: colours()["edge"]}
    return colours_of_styles.get(item.grid.style, colours()["soft"])


def _column_label(column: int, item: GridBox, type_: Typography) -> list[list[Any]]:
    """Return the lines of a label, each with its size."""
    label = item.grid.columns[column]
    if not (words := item.break_word(column, type_)):
        return [[_runs(label.letter), type_.label_points]]
    role = make_plain_text(f" {label.role}") if item.shows_role(label, type_) else ()
    lines = (*(make_plain_text(line) for line in words), (*label.letter, *role))
    return [[_runs(line), type_.label_points] for line in lines]


def _row_label(label: Label, item: GridBox, type_: Typography) -> list[list[Any]]:
    if not (label.word and item.has_wide_labels):
        return [[_runs(label.letter), type_.label_points]]
    role = make_plain_text(f" {label.role}")
    return [
        [_runs(make_plain_text(label.word)), type_.label_points],
        [_runs((*label.letter, *role)), type_.label_points],
    ]


def _cell(cell: Cell, grid: Grid) -> Plan:
    """Return how a cell is drawn: its fill and its border."""
    named = colours()
    edge, thickness, dashed = "", 0.0, False
    fill = named["given"] if cell.kind is CellKind.GIVEN and grid.style is GridStyle.WORKED else ""
    if grid.style is GridStyle.WORKED:
        edge, thickness = named["edge"], 0.3
    elif grid.style is GridStyle.COPY:
        edge, thickness, dashed = named["edge"], 0.3, True
    elif grid.style is GridStyle.HEAT:
        fill = colours()[f"shade{cell.shade}"]
    return {
        "fill": fill,
        "edge": edge,
        "thickness": thickness,
        "dashed": dashed,
    }


def _printed_number(cell: Cell, item: GridBox, type_: Typography) -> Plan:
    number = cell.number
    if number is None:
        return {"text": "", "top": "", "bottom": "", "note": "", "size": 0, "ink": "", "part": 0}
    look = item.grid.style
    number_size = type_.small_number_size
    if not look.is_small and look is not GridStyle.HEAT:
        step = item.find_number_step(number, type_)
        number_size = type_.number_sizes[-1 if step is None else step]
    return {
        "text": number.text,
        "top": number.top,
        "bottom": number.bottom,
        "note": number.note,
        "size": number_size.whole,
        "part": number_size.part,
        "ink": colours()[_find_ink(look, cell.kind)],
    }


def _find_ink(style: GridStyle, kind: CellKind) -> str:
    if style is GridStyle.WORKED and kind is CellKind.ANSWER:
        return "red"
    return "soft" if style.is_small else "ink"


def _accent(topic: str) -> tuple[str, str]:
    named = colours()
    for selectors, accent, tint in re.findall(
        r"^([.\w, ]+) \{ --accent: var\(--(\w+)\); --tint: var\(--([\w-]+)\); \}", _css(), re.M
    ):
        if topic and f".{topic}" in selectors.split(", "):
            return named[accent], named[tint]
    return named["ink"], named["given"]


@cache
def colours() -> dict[str, str]:
    """Return the colours of the style sheet by name, in full: #rrggbb."""
    return dict(_find_colours())


def _find_colours() -> Iterator[tuple[str, str]]:
    for name, colour in re.findall(r"--([\w-]+): (#\w+)", _css()) + re.findall(
        r"\.(shade\d+) \{ background: (#\w+)", _css()
    ):
        yield name, colour if len(colour) == 7 else "#" + "".join(2 * digit for digit in colour[1:])


@cache
def _css() -> str:
    return write_page_rules(for_screen=False)
