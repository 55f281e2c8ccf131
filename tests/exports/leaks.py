"""Whether a text holds answers of a sheet: lines of a stage, or fractions, however a program may spell them."""

import re
from collections.abc import Iterator
from html import unescape

from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.numbers import format_exact
from attnhand.sheet.sheet import Sheet

LEAST_NUMBERS = 9
"""Of the lines that are searched for together: fewer small numbers stand beside one another by chance."""

LEAST_FRACTION = 4
"""Characters of a fraction that is searched for by itself: 1/2 stands anywhere."""

EXAMPLES = {"9/10", "9/46", *(f"1/{3**power}" for power in range(1, 9))}
"""Fractions that sentences show, whatever the answers are, and the powers that a sheet writes out."""


def find_leaks(sheet: Sheet, text: str) -> list[str]:
    r"""Return the answers that stand in a text: a few rows, or columns, of an asked stage, and fractions.

    >>> import attnhand
    >>> sheet = attnhand.generate(7)
    >>> find_leaks(sheet, "Q = [[0, 0, 0, 0], [1, 1, 1, 1], ...]")
    []
    >>> find_leaks(sheet, "Q = [[2, -2, -1, 1], [2, 2, 1, 2], [1, 2, 1, 1]]"), find_leaks(sheet, r"1 & \frac{81}{94}")
    (['Q: 2 -2 -1 1 2 2 1 2 1 2 1 1'], ['81/94'])
    """
    plain = reduce_to_numbers(text)
    given = " ".join(format_exact(x) for _, a in sheet.problem.given for row in a for x in row)
    shown = set(given.split())
    lines: dict[str, str] = {}
    fractions = set()
    for stage in sheet.problem.mechanism.stages:
        hand = sheet.solution[stage.name].hand
        asked = sheet.list_asked_cells(stage)
        worked = [(i, j) for name, i, j in [sheet.worked_cell or ("", 0, 0)] if name == stage.name]
        if len(asked) == sum(map(len, hand)):
            lines |= dict.fromkeys((*_join_lines(hand), *_join_lines(transpose(hand))), stage.name)
        fractions |= {exact for i, j in asked if "/" in (exact := format_exact(hand[i][j]))}
        unasked = {(i, j) for i, row in enumerate(hand) for j in range(len(row))} - {*asked}
        shown |= {format_exact(hand[i][j]) for i, j in (*unasked, *worked)}
    assert lines or fractions
    found = [f"{name}: {line}" for line, name in lines.items() if f" {line} " in plain and line not in given]
    searched = {each for each in fractions - EXAMPLES - shown if len(each) >= LEAST_FRACTION}
    return found + sorted(each for each in searched if f" {each} " in plain)


def _join_lines(a: Matrix) -> Iterator[str]:
    """Yield lines that follow one another, as many together as have numbers enough."""
    count = -(-LEAST_NUMBERS // len(a[0]))
    for at in range(len(a) - count + 1):
        yield " ".join(format_exact(x) for line in a[at : at + count] for x in line)


def reduce_to_numbers(text: str) -> str:
    r"""Return the numbers of a text with single blanks between them, and a bar where anything else stood.

    >>> reduce_to_numbers("[Fraction(9, 46), -1], <td>2</td><td>&#8722;3</td> Q $x$ 0.5")
    ' 9/46 -1 2 -3 | 0.5 '
    >>> reduce_to_numbers(r"-\tfrac{3}{10}, \frac{-1}{2}")
    ' -3/10 -1/2 '
    >>> reduce_to_numbers('<span class="top">9</span><span class="slash">/</span><span class="bottom">46</span>')
    ' 9/46 '
    """
    text = unescape(text).replace("−", "-").replace("$-$", "-")
    text = re.sub(r"</span><span class=\"slash\">/</span><span class=\"bottom\">", "/", text)
    text = re.sub(r"-(\\\\?[dt]?frac\{)(?=\d)", r"\1-", text)
    text = re.sub(r"\\\\?[dt]?frac\{(-?\d+)\}\{(\d+)\}|Fraction\((-?\d+), (\d+)\)", _write_fraction, text)
    between = r"<style>.*?</style>|<su[bp]>.*?</su[bp]>|<th\b.*?</th>|"
    between += r"<[^<>]*>|\\[A-Za-z]+(\{[a-z]+\})?|\\\\[nt]|\\n|[\s,&$\[\]{}();\"']"
    text = re.sub(between, " ", text, flags=re.DOTALL)
    words = (word if re.fullmatch(r"-?\d+(/\d+|\.\d+)?", word) else "|" for word in text.split())
    return re.sub(r"(\| )+", "| ", f" {' '.join(words)} ")


def _write_fraction(match: re.Match[str]) -> str:
    top, bottom = (part for part in match.groups() if part)
    return f" {top}/{bottom} "
