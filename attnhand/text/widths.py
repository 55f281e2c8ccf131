"""Running text with subscripts, superscripts and bold, and how wide it is.

Sentences are written in a small markup: ``W_Q``, ``q_{12}``, ``K^T``, ``3^{−1}``, ``**bold**``. What users type
never passes through it: it becomes one plain run.
"""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache, lru_cache
from itertools import groupby, pairwise

from attnhand.system.resources import template_dir


class Style(StrEnum):
    """How a run is set."""

    PLAIN = "plain"
    BOLD = "bold"
    SUB = "sub"
    SUP = "sup"


@dataclass(frozen=True, slots=True)
class Run:
    """Characters in one style."""

    text: str
    style: Style = Style.PLAIN
    heavy: bool = False
    """Whether a subscript or superscript belongs to bold text."""


Text = tuple[Run, ...]

_MARK = re.compile(r"(\*\*)|(?<!_)([_^])(?:\{([^}]*)\}|(−?(?!_)\w))")
_SUBSCRIPTS = str.maketrans("0123456789ij", "₀₁₂₃₄₅₆₇₈₉ᵢⱼ")
_SUPERSCRIPTS = str.maketrans("0123456789−T", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻ᵀ")


def plain(text: str) -> Text:
    """Return a text as it stands, without looking for markup."""
    return (Run(text),) if text else ()


def bold(text: str) -> Text:
    """Return a text as it stands, in bold."""
    return (Run(text, Style.BOLD),) if text else ()


@lru_cache(maxsize=2_000)
def marked_up(markup: str) -> Text:
    """Read the markup.

    >>> [(run.text, run.style.value) for run in marked_up("W_Q **X**")]
    [('W', 'plain'), ('Q', 'sub'), (' ', 'plain'), ('X', 'bold')]
    """
    runs: list[Run] = []
    at, bold = 0, False
    for match in _MARK.finditer(markup):
        runs.append(Run(markup[at : match.start()], Style.BOLD if bold else Style.PLAIN))
        at = match.end()
        if match[1]:
            bold = not bold
        else:
            runs.append(
                Run(match[3] if match[3] is not None else match[4], Style.SUB if match[2] == "_" else Style.SUP, bold)
            )
    runs.append(Run(markup[at:], Style.BOLD if bold else Style.PLAIN))
    return tuple(run for run in runs if run.text)


def as_plain(text: Text) -> str:
    """Write the text in Unicode alone, as for a terminal.

    >>> as_plain(marked_up("K^T, q_{12}, W_Q, 3^{−1}"))
    'Kᵀ, q₁₂, W_Q, 3⁻¹'
    """
    return "".join(_plain_run(run) for run in text)


def _plain_run(run: Run) -> str:
    match run.style:
        case Style.SUB:
            small = run.text.translate(_SUBSCRIPTS)
            return small if run.text.isdigit() or run.text in ("i", "j") else f"_{run.text}"
        case Style.SUP:
            small = run.text.translate(_SUPERSCRIPTS)
            readable = all(c in "0123456789−T" for c in run.text)
            return small if readable else {"x": "ˣ"}.get(run.text, f"^{run.text}")
        case Style.PLAIN | Style.BOLD:
            return run.text.replace("\u2002", " ")


SMALL = 0.72
"""Size of sub- and superscripts, relative to their line."""

POINT = 25.4 / 72
"""Millimetres in a point."""


@cache
def _advances(file: str = "widths.json") -> dict[bool, dict[str, float]]:
    """Return the width of every character of a bundled font in em, regular (False) and bold (True)."""
    weights = json.loads((template_dir() / "fonts" / file).read_text(encoding="utf-8"))
    return {
        bold: {
            character: int(advance) / weights[name]["units_per_em"]
            for advance, characters in weights[name]["widths"].items()
            for character in characters
        }
        for bold, name in ((False, "regular"), (True, "bold"))
    }


@cache
def _advances_of_names() -> dict[bool, dict[str, float]]:
    """Return the same of the font for names, read only where a text holds what the first font lacks."""
    return _advances("widths-names.json")


def rare_characters(text: str) -> frozenset[str]:
    """Return the characters of a text that the font for names sets, because the first font lacks them.

    >>> sorted(rare_characters("Юлия Hường, Səbinə 漢"))
    ['ə']
    """
    beyond = frozenset(text).difference(_advances()[False])
    return beyond.intersection(_advances_of_names()[False]) if beyond else beyond


def by_font(text: str) -> Iterator[tuple[str, bool]]:
    """Split a text into pieces that one font sets, each with whether that is the font for names.

    >>> list(by_font("Səbinə"))
    [('S', False), ('ə', True), ('bin', False), ('ə', True)]
    """
    rare = rare_characters(text)
    if not rare:
        yield text, False
        return
    for is_rare, characters in groupby(text, rare.__contains__):
        yield "".join(characters), is_rare


def missing_characters(text: str) -> str:
    """Return the characters that the bundled fonts cannot print."""
    known, rare = _advances()[False], rare_characters(text)
    return "".join(dict.fromkeys(c for c in text if c not in known and c not in rare))


def printable(text: str) -> str:
    """Return a text with □ for every character that the bundled fonts cannot print.

    >>> printable("☹ 1/2")
    '□ 1/2'
    """
    missing = missing_characters(text)
    return "".join("□" if c in missing else c for c in text)


def width(text: Text, points: float) -> float:
    """Return how wide a line of the text is, in millimetres, at a size in points."""
    return sum(_run_width(run, points) for run in text)


def _run_width(run: Run, points: float) -> float:
    small = run.style in (Style.SUB, Style.SUP)
    heavy = run.style is Style.BOLD or run.heavy
    advances = _advances()[heavy]
    try:
        em = sum(map(advances.__getitem__, run.text))
    except KeyError:
        advances = advances | _advances_of_names()[heavy]
        em = sum(advances.get(c, 1.0) for c in run.text)
    return em * points * POINT * (SMALL if small else 1)


def line_count(text: Text, points: float, room: float, beside: float = 0.0) -> int:
    """Return how many lines the text takes in so many millimetres, broken at blanks.

    Args:
        beside: what stands at the far right of the first line takes so much of it.
    """
    return 1 if width(text, points) * 1.01 <= room - beside else len(lines_of(text, points, room, beside))


@lru_cache(maxsize=2_000)
def lines_of(text: Text, points: float, room: float, beside: float = 0.0) -> tuple[Text, ...]:
    """Return the lines of the text in so many millimetres, as ``line_count`` counts them, without the blanks between.

    >>> [as_plain(line) for line in lines_of(marked_up("W_Q is **given once**"), 10, 23)]
    ['W_Q is given', 'once']
    """
    if width(text, points) * 1.01 <= room - beside and not any("  " in run.text for run in text):
        return (text,)
    words = words_of(text)
    starts = [*_breaks(words, points, room, beside), len(words)]
    return tuple(_joined(words[start:end]) for start, end in pairwise(starts))


def _breaks(words: list[Text], points: float, room: float, beside: float) -> list[int]:
    """Return with which word each line begins."""
    starts, used = [0], 0.0
    blank = _run_width(Run(" "), points)
    for at, word in enumerate(words):
        needed = width(word, points) * 1.01
        if used and used + blank + needed > (room if len(starts) > 1 else room - beside):
            starts.append(at)
            used = needed
        else:
            used += needed + (blank if used else 0)
    return starts


def _joined(words: list[Text]) -> Text:
    """Put words together with blanks, in as few runs as there are styles; a blank in bold only between bold words."""
    runs: list[Run] = []
    for word in words:
        if runs:
            both = runs[-1].style is Style.BOLD and word[0].style is Style.BOLD
            _append(runs, Run(" ", Style.BOLD if both else Style.PLAIN))
        for run in word:
            _append(runs, run)
    return tuple(runs)


def _append(runs: list[Run], run: Run) -> None:
    if runs and (runs[-1].style, runs[-1].heavy) == (run.style, run.heavy):
        runs[-1] = Run(runs[-1].text + run.text, run.style, run.heavy)
    else:
        runs.append(run)


def words_of(text: Text) -> list[Text]:
    """Return the words of a text, each with its styles."""
    words: list[list[Run]] = [[]]
    for run in text:
        for i, piece in enumerate(run.text.split(" ")):
            if i:
                words.append([])
            if piece:
                words[-1].append(Run(piece, run.style, run.heavy))
    return [tuple(word) for word in words if word]
