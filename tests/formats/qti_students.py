"""What students type into one question of a quiz, and which share of it ``attnhand check`` gives."""

import random
from fractions import Fraction

import attnhand
from attnhand.attention.numbers import Number, format_decimal, is_finite
from attnhand.formats.moodle import DrawnStage
from attnhand.sheet.grids import Mark

WAYS = ("fraction", "point", "comma", "calculator", "slip", "empty", "wild")
"""How a cell may be filled: right in several spellings, a slip, not at all, or with anything."""


def write_right(value: Number, way: str) -> str:
    """Write a number as students do."""
    if not is_finite(value):
        return "-inf" if way == "point" else "−∞"
    if isinstance(value, int):
        return str(value)
    if way == "fraction" and isinstance(value, Fraction):
        return f"{value.numerator}/{value.denominator}"
    text = format_decimal(value, 5 if way == "calculator" else 2)
    return text.replace(".", ",") if way == "comma" else text


def fill_in(drawn: DrawnStage, ways: tuple[str, ...], draw: random.Random) -> dict[tuple[int, int], str]:
    """Return what a student types into the cells of a question, each in one of some ways."""
    typed = {}
    for cell, (key, *slips) in drawn.alternatives.items():
        way = draw.choice(ways)
        if way == "empty":
            typed[cell] = ""
        elif way == "slip" and slips:
            typed[cell] = write_right(draw.choice(slips).value, draw.choice(WAYS[:3]))
        elif way == "wild":
            typed[cell] = draw.choice(("0", "1/3", "-1", "0.5", "7", "12,25", "x"))
        else:
            typed[cell] = write_right(key.value, way)
    return typed


def count_right(drawn: DrawnStage, typed: dict[tuple[int, int], str]) -> int:
    """Return for how many cells of a question check gives their point."""
    sheet, stage = drawn.sheet, drawn.stage
    hand = sheet.solution[stage.name].hand
    rows = [["" for _ in row] for row in hand]
    for (i, j), text in typed.items():
        rows[i][j] = "" if text == "x" else text
    marks = attnhand.check({stage.name: rows}, sheet).marks.cells
    # the cell that is worked on the sheet as an example is asked here: left empty, it counts nothing
    asked = {f"{stage.name}[{i + 1},{j + 1}]" for (i, j), text in typed.items() if text not in ("", "x")}
    return sum(mark.mark is Mark.CORRECT for mark in marks if mark.address in asked)
