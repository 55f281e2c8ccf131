"""Fields of Moodle's embedded answers (Cloze): numbers, lists to choose one from, and lists to tick."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement

from attnhand.attention.numbers import Number, format_decimal, is_finite
from attnhand.formats.question_text import add_text, escape_text, format_value
from attnhand.sheet.sheet import Sheet

ROUNDING = Fraction(51, 100_000)
"""How far an answer of three decimals may be from a value that has more: half a unit of the third, and a little."""

RELATIVE_ROUNDING = Fraction(1, 100_000)
"""What more it may be, of the value itself, where the printed inputs were rounded."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """What a field knows: a value, how far an answer may be from it, and what is said."""

    value: Number
    tolerance: Fraction
    sentence: str = ""


def add_cloze(quiz: Element, name: str, text: str, feedback: str = "") -> None:
    """Add a question.

    Args:
        text: HTML with fields.
        feedback: HTML that is shown in the end.
    """
    question = SubElement(quiz, "question", {"type": "cloze"})
    add_text(question, "name", name)
    add_text(question, "questiontext", text, is_html=True)
    add_text(question, "generalfeedback", feedback, is_html=True)
    SubElement(question, "penalty").text = "0.3333333"
    SubElement(question, "hidden").text = "0"


def measure_tolerance(value: Number) -> Fraction:
    """Return how far what is typed may be from a value."""
    if isinstance(value, int) or not is_finite(value):
        return Fraction(0)
    return ROUNDING if isinstance(value, Fraction) else ROUNDING + abs(Fraction(value)) * RELATIVE_ROUNDING


def write_field(known: Sequence[Alternative], width: int) -> str:
    """Return a field: its key, the slips, and what nobody answers, so that all fields of a question are as wide."""
    key, *slips = known
    parts = [f"={write_number(key.value)}:{write_number(key.tolerance)}"]
    parts += [
        f"%0%{write_number(each.value)}:{write_number(each.tolerance)}#{escape_in_field(each.sentence)}"
        for each in slips
        if is_finite(each.value)
    ]
    parts.append(f"%0%-{'9' * (width - 1)}:0")
    return f"{{1:NUMERICAL:{'~'.join(parts)}}}"


def write_value_list(sheet: Sheet, known: Sequence[Alternative]) -> str:
    """Return a list of values to choose from, in an order that does not tell the key."""
    in_order = sorted(known, key=lambda each: (is_finite(each.value), each.value))
    parts = [
        f"{'=' if each is known[0] else '%0%'}{escape_in_field(format_value(sheet, each.value))}"
        + (f"#{escape_in_field(each.sentence)}" if each.sentence else "")
        for each in in_order
    ]
    return f"{{1:MULTICHOICE:{'~'.join(parts)}}}"


def write_word_list(words: Sequence[tuple[str, bool]], *, takes_several: bool = False) -> str:
    """Return words to choose from, each with whether it is right; of several each has its share of the point.

    >>> write_word_list([("yes", True), ("no", False)])
    '{1:MULTICHOICE:=yes~%0%no}'
    >>> write_word_list([("1", True), ("2", False), ("3", True)], takes_several=True)
    '{1:MULTIRESPONSE:%50.00000%1~%-50.00000%2~%50.00000%3}'
    """
    if not takes_several:
        parts = (f"{'=' if is_right else '%0%'}{escape_in_field(word)}" for word, is_right in words)
        return f"{{1:MULTICHOICE:{'~'.join(parts)}}}"
    share = f"{100 / sum(is_right for _, is_right in words):.5f}"  # of too many a wrong one takes as much away
    parts = (f"%{share if is_right else f'-{share}'}%{escape_in_field(word)}" for word, is_right in words)
    return f"{{1:MULTIRESPONSE:{'~'.join(parts)}}}"


def write_number(value: Number) -> str:
    """Return a number as Cloze reads it: digits, a point, an ASCII minus."""
    if isinstance(value, int) or not is_finite(value):
        return str(value)
    decimals = format_decimal(value, 9)
    return decimals.rstrip("0").rstrip(".")


def escape_in_field(text: str) -> str:
    """Keep a sentence from ending its field: entities, which Moodle reads in fields and in HTML alike.

    >>> escape_in_field("a } b ~ c # d")
    'a &#125; b &#126; c &#35; d'
    """
    # the sign of entities first: it must not be taken for one of the text
    return escape_text(text.replace("#", "\0")).replace("\0", "&#35;")
