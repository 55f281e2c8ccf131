"""Running text with subscripts, superscripts, bold and colours, and how wide it is.

Sentences are written in a small markup: ``W_Q``, ``q_{12}``, ``K^T``, ``3^{−1}``, ``**bold**``; formulas that the
program writes say whose colour a part has, too: ``⟦keys:K^T⟧``. What users type never passes through it: it becomes
one plain run.
"""

import json
import re
from collections.abc import Iterator
from enum import StrEnum
from functools import cache, lru_cache
from itertools import groupby, pairwise
from typing import NamedTuple

from attnhand.system.resources import get_template_dir


class RunStyle(StrEnum):
    """How a run is set."""

    PLAIN = "plain"
    BOLD = "bold"
    SUB = "sub"
    SUP = "sup"


class Run(NamedTuple):
    """Characters in one style."""

    text: str
    style: RunStyle = RunStyle.PLAIN
    is_bold: bool = False
    """Whether a subscript or superscript belongs to bold text."""

    accent: str = ""
    """Whose colour it has, by the topic of a stage; empty for that of the text around it."""

    is_italic: bool = False
    """Whether it is a variable of mathematics."""


Text = tuple[Run, ...]

_SUBSCRIPTS = dict(zip("0123456789ij", "₀₁₂₃₄₅₆₇₈₉ᵢⱼ", strict=True))
_SUPERSCRIPTS = dict(zip("0123456789−()Tx", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁽⁾ᵀˣ", strict=True))
_LOWERED, _RAISED = "".join(_SUBSCRIPTS.values()), "".join(_SUPERSCRIPTS.values())

# a letter that stands alone is a variable; not an article before a word, nor a name's initial, nor a word of one
# letter, which languages bind to the next by a no-break space (French sets one before a colon, too: K\u00a0:);
# a is one in brackets or with an index, and A before another matrix
_VARIABLE = (
    rf"(?<![^\W_{_LOWERED}])(?<!['’])(?<!\w-)([A-Za-z])(?![^\W_{_LOWERED}{_RAISED}]|['’]|\u00a0(?![:;?!»])|\. [A-Z])"
    rf"(?:(?<!a)|(?=_\{{|[{_LOWERED}])|(?<=[(−]a)(?=,)|(?=\)| (?:cos|sin|sen)\b))"
    r"(?!(?<=[AI]) (?![A-Z](?![^\W_]))[^\W\d_])"
)
_MARKUP_PATTERN = re.compile(
    # *A* always is one
    rf"(\*\*)|(?<!_)([_^])(?:\{{([^}}]*)\}}|(−?(?!_)\w))|⟦(\w+):|⟧|\*([A-Za-z])\*|{_VARIABLE}"
)
_UNICODE_PATTERN = re.compile(
    # an article begins a sentence: A within one is the matrix
    rf"([{_LOWERED}]+|(?<=[^\W_])_[A-Za-z](?!\w))|([{_RAISED}]+|\^[a-z]+)|(?<=[\w,;] )(A)(?= )|{_VARIABLE}"
)
_INDEX_PATTERN = re.compile("[a-z]")
"""Of sub- and superscripts, those that are variables; names of matrices are upright: W_Q, K^T."""

_TO_SMALL = {RunStyle.SUB: str.maketrans(_SUBSCRIPTS), RunStyle.SUP: str.maketrans(_SUPERSCRIPTS)}
_FROM_SMALL = str.maketrans({small: sign for table in (_SUBSCRIPTS, _SUPERSCRIPTS) for sign, small in table.items()})


def make_plain_text(text: str) -> Text:
    """Return a text as it stands, without looking for markup."""
    return (Run(text),) if text else ()


def make_bold_text(text: str) -> Text:
    """Return a text as it stands, in bold."""
    return (Run(text, RunStyle.BOLD),) if text else ()


def embolden(text: Text) -> Text:
    """Return a text in bold, its sub- and superscripts too, without the colours of matrices."""
    bolder = {RunStyle.PLAIN: RunStyle.BOLD}
    return tuple(run._replace(style=bolder.get(run.style, run.style), is_bold=True, accent="") for run in text)


@lru_cache(maxsize=500)
def parse_markup(markup: str) -> Text:
    """Read the markup.

    >>> [(run.text, run.style.value) for run in parse_markup("W_Q **X**")]
    [('W', 'plain'), ('Q', 'sub'), (' ', 'plain'), ('X', 'bold')]
    >>> [run.text for run in parse_markup("A pair (a, b); A V is a b, I say") if run.is_italic]
    ['a', 'b', 'A', ' V', 'b']
    """
    runs: list[Run] = []
    at, bold, accent = 0, False, ""
    for match in _MARKUP_PATTERN.finditer(markup):
        before, variable = markup[at : match.start()], match[6] or match[7]
        if variable and before == " ":
            before, variable = "", f" {variable}"  # one run for both
        runs.append(Run(before, RunStyle.BOLD if bold else RunStyle.PLAIN, accent=accent))
        at = match.end()
        if match[1]:
            bold = not bold
        elif match[2]:
            style = RunStyle.SUB if match[2] == "_" else RunStyle.SUP
            script = match[4] if match[3] is None else match[3]
            runs.append(Run(script, style, bold, accent, bool(_INDEX_PATTERN.fullmatch(script))))
        elif variable:
            runs.append(Run(variable, RunStyle.BOLD if bold else RunStyle.PLAIN, accent=accent, is_italic=True))
        else:
            accent = match[5] or ""
    runs.append(Run(markup[at:], RunStyle.BOLD if bold else RunStyle.PLAIN, accent=accent))
    return tuple(run for run in runs if run.text)


def parse_unicode(text: str, *, is_bold: bool = False) -> Text:
    """Set a sentence of Unicode alone as the page does: variables in italics, indices lower, exponents raised.

    Subtle: nothing else is markup, since students' answers stand in such sentences.

    >>> [(run.text, run.style.value, run.is_italic) for run in parse_unicode("q₁₂ is ")]
    [('q', 'plain', True), ('12', 'sub', False), (' is ', 'plain', False)]
    """
    runs: list[Run] = []
    at, style = 0, RunStyle.BOLD if is_bold else RunStyle.PLAIN
    for match in _UNICODE_PATTERN.finditer(text):
        runs.append(Run(text[at : match.start()], style))
        at = match.end()
        if variable := match[3] or match[4]:
            runs.append(Run(variable, style, is_italic=True))
        else:
            script = match[0].lstrip("_^").translate(_FROM_SMALL)
            is_index = bool(_INDEX_PATTERN.fullmatch(script))
            runs.append(Run(script, RunStyle.SUB if match[1] else RunStyle.SUP, is_bold, is_italic=is_index))
    runs.append(Run(text[at:], style))
    return tuple(run for run in runs if run.text)


def to_unicode(text: Text) -> str:
    """Write the text in Unicode alone, as for a terminal.

    >>> to_unicode(parse_markup("K^T, q_{12}, W_Q, 3^{−1}, K^{(2)T}, 3^{s − m}"))
    'Kᵀ, q₁₂, W_Q, 3⁻¹, K⁽²⁾ᵀ, 3^(s − m)'
    """
    return "".join(_run_to_unicode(run) for run in text)


def _run_to_unicode(run: Run) -> str:
    text = run.text
    match run.style:
        case RunStyle.SUB:
            return text.translate(_TO_SMALL[run.style]) if text.isdigit() or text in ("i", "j") else f"_{text}"
        case RunStyle.SUP:
            readable = text == "x" or all(c in "0123456789−()T" for c in text)
            if readable:
                return text.translate(_TO_SMALL[run.style])
            return f"^({text})" if " " in text else f"^{text}"
        case RunStyle.PLAIN | RunStyle.BOLD:
            return text.replace("\u2002", " ")


def capitalize(sentence: str) -> str:
    """Begin with a capital letter, unless a letter of its own stands there: q₂ is no Q₂.

    >>> capitalize("row 2"), capitalize("q₂ attends"), capitalize("ReLU")
    ('Row 2', 'q₂ attends', 'ReLU')
    """
    return sentence[0].upper() + sentence[1:] if sentence[1:2].islower() else sentence


_NAME_FONT_FILE = "widths-names.json"
"""Of the font for names, read only where a text holds what the first font lacks."""

_FACES = {
    (False, False): "regular",
    (True, False): "bold",
    (False, True): "italic",
    (True, True): "bold-italic",
}
"""By whether it is bold, and italic."""

SCRIPT_SCALE = 0.7
"""Size of sub- and superscripts, relative to their line."""

MM_PER_POINT = 25.4 / 72
"""Millimetres in a point."""

LEANING, HIGH_SIGNS = frozenset("FHIJKNUVWXYf"), frozenset("?!")
"""Slanted letters whose upper end reaches beyond their width, and signs that would meet it."""

LEAN = 0.1
"""What is left white between them, in em."""


@cache
def _load_advances(file_name: str = "widths.json") -> dict[str, dict[str, float]]:
    """Return the width of every character of a bundled font in em: regular, bold, italic and bold-italic."""
    fonts = json.loads((get_template_dir() / "fonts" / file_name).read_text(encoding="utf-8"))
    return {
        name: {
            character: int(advance) / font["units_per_em"]
            for advance, characters in font["widths"].items()
            for character in characters
        }
        for name, font in fonts.items()
    }


@lru_cache(maxsize=5_000)
def find_rare_characters(text: str) -> frozenset[str]:
    """Return the characters of a text that the font for names sets, because the first font lacks them.

    >>> sorted(find_rare_characters("Юлия Hường, Səbinə 漢"))
    ['ə']
    """
    beyond = frozenset(text).difference(_load_advances()["regular"])
    return beyond.intersection(_load_advances(_NAME_FONT_FILE)["regular"]) if beyond else beyond


def split_by_font(text: str) -> Iterator[tuple[str, bool]]:
    """Split a text into pieces that one font sets, each with whether that is the font for names.

    >>> list(split_by_font("Səbinə"))
    [('S', False), ('ə', True), ('bin', False), ('ə', True)]
    """
    rare = find_rare_characters(text)
    if not rare:
        return iter([(text, False)])
    return (("".join(characters), is_rare) for is_rare, characters in groupby(text, rare.__contains__))


def find_missing_characters(text: str) -> str:
    """Return the characters that the bundled fonts cannot print."""
    known, rare = _load_advances()["regular"], find_rare_characters(text)
    return "".join(dict.fromkeys(c for c in text if c not in known and c not in rare))


def replace_missing_characters(text: str) -> str:
    """Return a text with □ for every character that the bundled fonts cannot print.

    >>> replace_missing_characters("☹ 1/2")
    '□ 1/2'
    """
    return text.translate(dict.fromkeys(map(ord, find_missing_characters(text)), "□"))


@lru_cache(maxsize=20_000)
def measure_width(text: Text, points: float) -> float:
    """Return how wide a line of the text is, in millimetres, at a size in points."""
    leans = sum(measure_lean(run, after) for run, after in pairwise(text))
    return sum(_measure_run(run, points) for run in text) + leans * points * MM_PER_POINT


def measure_lean(run: Run, after: Run) -> float:
    """Return what is left white between a slanted letter and an upright sign that it would meet, in em.

    >>> [measure_lean(*parse_markup(markup)[-2:]) for markup in ("the *W*?", "the *W* is", "W_Q?")]
    [0.1, 0.0, 0.0]
    """
    is_leaning = run.is_italic and run.style in (RunStyle.PLAIN, RunStyle.BOLD) and run.text[-1:] in LEANING
    return LEAN if is_leaning and not after.is_italic and after.text[:1] in HIGH_SIGNS else 0.0


def _measure_run(run: Run, points: float) -> float:
    small = run.style in (RunStyle.SUB, RunStyle.SUP)
    heavy = run.style is RunStyle.BOLD or run.is_bold
    face = _FACES[heavy, run.is_italic]
    advances = _load_advances()[face]
    try:
        em = sum(map(advances.__getitem__, run.text))
    except KeyError:
        advances = advances | _load_advances(_NAME_FONT_FILE)[face]
        em = sum(advances.get(c, 1.0) for c in run.text)
    return em * points * MM_PER_POINT * (SCRIPT_SCALE if small else 1)


@lru_cache(maxsize=5_000)  # a page is tried in many ways, with the same paragraphs
def count_lines(text: Text, points: float, max_width: float, reserved_width: float = 0.0) -> int:
    """Return how many lines the text takes in so many millimetres, broken at blanks.

    ``reserved_width`` is what something at the far right of the first line takes of it.
    """
    fits = measure_width(text, points) * 1.01 <= max_width - reserved_width
    return 1 if fits else len(break_lines(text, points, max_width, reserved_width))


@lru_cache(maxsize=500)
def bind_words(text: str) -> str:
    """Return a text without places to break a line."""
    return text.replace(" ", "\u00a0")


def break_lines(text: Text, points: float, max_width: float, reserved_width: float = 0.0) -> tuple[Text, ...]:
    """Return the lines of the text in so many millimetres, as ``count_lines`` counts them, without the blanks between.

    >>> [to_unicode(line) for line in break_lines(parse_markup("W_Q is **given once**"), 10, 23)]
    ['W_Q is given', 'once']
    >>> [to_unicode(line) for line in break_lines(parse_markup("each column adds to 1."), 10, 29)]
    ['each column adds', 'to 1.']
    """
    if measure_width(text, points) * 1.01 <= max_width - reserved_width and not any("  " in run.text for run in text):
        return (text,)
    words = split_words(text)
    starts = [*_find_line_starts(words, points, max_width, reserved_width), len(words)]
    return tuple(_join_words(words[start:end]) for start, end in pairwise(starts))


SHORTEST_LAST_LINE, MIN_WORDS_LEFT = 4, 3
"""Characters of a word that may be a paragraph's last line, and words of the line before, if it gives one away."""


def _find_line_starts(words: list[Text], points: float, max_width: float, reserved_width: float) -> list[int]:
    """Return with which word each line begins."""
    starts, used = [0], 0.0
    blank = _measure_run(Run(" "), points)
    for at, word in enumerate(words):
        needed = measure_width(word, points) * 1.01
        if used and used + blank + needed > (max_width if len(starts) > 1 else max_width - reserved_width):
            starts.append(at)
            used = needed
        else:
            used += needed + (blank if used else 0)
    if len(starts) > 1 and starts[-1] == len(words) - 1 and starts[-1] - starts[-2] >= MIN_WORDS_LEFT:
        last = words[starts[-1] - 1 :]
        is_short = sum(len(run.text) for run in last[-1]) < SHORTEST_LAST_LINE
        if is_short and sum(measure_width(word, points) * 1.01 for word in last) + blank <= max_width:
            starts[-1] -= 1
    return starts


def _join_words(words: list[Text]) -> Text:
    """Put words together with blanks, in as few runs as there are styles; a blank in bold only between bold words."""
    runs: list[Run] = []
    for word in words:
        if runs:
            both = runs[-1].style is RunStyle.BOLD and word[0].style is RunStyle.BOLD
            blank = Run(" ", RunStyle.BOLD if both else RunStyle.PLAIN)
            if word[0].is_italic and word[0].style is blank.style and runs[-1][1:] != blank[1:]:
                blank = word[0]._replace(text=" ")
            _append_run(runs, blank)
        for run in word:
            _append_run(runs, run)
    return tuple(runs)


def _append_run(runs: list[Run], run: Run) -> None:
    if runs and runs[-1][1:] == run[1:]:
        runs[-1] = Run(runs[-1].text + run.text, *run[1:])
    else:
        runs.append(run)


@lru_cache(maxsize=5_000)
def measure_longest_word(text: Text, points: float) -> float:
    """Return how wide the longest word of a text is, in millimetres."""
    return max((measure_width(word, points) for word in split_words(text)), default=0.0)


def split_words(text: Text) -> list[Text]:
    """Return the words of a text, each with its styles."""
    words: list[list[Run]] = [[]]
    for run in text:
        for i, piece in enumerate(run.text.split(" ")):
            if i:
                words.append([])
            if piece:
                words[-1].append(Run(piece, *run[1:]))
    return [tuple(word) for word in words if word]
