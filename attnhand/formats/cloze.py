"""Fields of Moodle's embedded answers (Cloze): numbers, lists to choose one from, and lists to tick.

A field for numbers is one for short answers, which compares texts: it alone takes fractions, commas and the minus of
print, and nothing that is typed there is invalid. So it lists the spellings in which a number is right.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement

from attnhand.attention.numbers import MINUS_INFINITY, Number, format_decimal, is_finite
from attnhand.formats.accepted_spellings import list_accepted_spellings, put_signs, vary_decimal
from attnhand.formats.question_text import add_name, add_text, escape_text, format_value
from attnhand.sheet.sheet import Sheet

LEAST_WIDTH = 6
"""Characters that a field has room for."""

LISTED_DECIMALS = 4
"""Places up to which every rounding of a number is listed; behind one more anything may stand."""


@dataclass(frozen=True, slots=True)
class Alternative:
    """What a field knows: a value, and what is said of it."""

    value: Number
    sentence: str = ""


def add_cloze(quiz: Element, sheet: Sheet, number: int, title: str, text: str, feedback: str) -> None:
    """Add a question, named by its number, its title and the code of the sheet.

    Args:
        sheet: the one that the file is made from.
        text: HTML with fields.
        feedback: HTML that is shown in the end: the solution.
    """
    question = SubElement(quiz, "question", {"type": "cloze"})
    add_name(question, sheet, f"{number:02} {title}", number)
    add_text(question, "questiontext", text, is_html=True)
    add_text(question, "generalfeedback", feedback, is_html=True)
    SubElement(question, "penalty").text = "0.3333333"
    SubElement(question, "hidden").text = "0"


def list_patterns(value: Number) -> list[str]:
    """Return the texts that are right for a number; in them ``*`` stands for anything.

    >>> [text for text in list_patterns(Fraction(9, 46)) if text.startswith("0.")]
    ['0.2', '0.20', '0.196', '0.200', '0.1957', '0.19565*']
    """
    texts = [*list_accepted_spellings(value, most_decimals=LISTED_DECIMALS)]
    if not is_finite(value) or Fraction(value).denominator == 1:
        return texts
    long = (text for plain in _list_beginnings(value) for text in vary_decimal(plain))
    return texts + [f"{text}*" for plain in long for text in put_signs(plain, value)]


def _list_beginnings(value: Number) -> Iterator[str]:
    """Yield a number without its sign to one place more than are listed, rounded and cut off: so more digits begin."""
    digits = LISTED_DECIMALS + 1
    units = abs(Fraction(value)) * 10**digits
    for each in dict.fromkeys((int(units + Fraction(1, 2)), int(units))):
        yield f"{Decimal(each).scaleb(-digits):.{digits}f}"


def write_field(known: Sequence[Alternative], width: int) -> str:
    """Return a field: its key, the slips, and what nobody answers, so that all fields of a question are as wide."""
    parts = [
        f"{'=' if is_right else '%0%'}{text}" + (f"#{escape_in_field(sentence)}" if sentence else "")
        for is_right, text, sentence in _list_texts(known)
    ]
    parts.append(f"%0%-{'9' * (width - 1)}")
    return f"{{1:SHORTANSWER:{'~'.join(parts)}}}"


def _list_texts(known: Sequence[Alternative]) -> Iterator[tuple[bool, str, str]]:
    """Yield what is compared in a field: whether it is right, the text, and what is said; each text once."""
    key, *slips = known
    seen = {*(patterns := list_patterns(key.value))}
    yield from ((True, text, key.sentence) for text in patterns)
    for each in slips:
        texts = [text for text in list_patterns_of_slip(each.value) if text not in seen]
        yield from ((False, text, each.sentence) for text in texts)
        seen |= {*texts}


def list_patterns_of_slip(value: Number) -> list[str]:
    """Return the texts by which a slip is known: as a fraction and as a decimal, as most people write them.

    >>> list_patterns_of_slip(Fraction(-9, 46))
    ['-9/46', '-0.20', '-0.196*', '-0,20', '-0,196*']
    """
    if not is_finite(value):
        return []
    if Fraction(value).denominator == 1:
        return [str(int(value))]
    decimals = [format_decimal(value, 2), f"{format_decimal(value, 3)}*"]
    fractions = [str(value)] if isinstance(value, Fraction) else []
    return [*fractions, *decimals, *(text.replace(".", ",") for text in decimals)]


def are_apart(one: Number, other: Number) -> bool:
    """Say whether two numbers are told apart by two decimals."""
    if not (is_finite(one) and is_finite(other)):
        return one != other
    return (isinstance(one, int) and isinstance(other, int)) or abs(Fraction(one) - Fraction(other)) > Fraction(1, 100)


def measure_width(cells: Iterable[Sequence[Alternative]]) -> int:
    """Return how wide the fields of a question must be for all that they know, so that they can be alike."""
    return max([LEAST_WIDTH, *(len(text) for known in cells for _, text, _ in _list_texts(known))])


def write_value_list(sheet: Sheet, known: Sequence[Alternative]) -> str:
    """Return a list of values to choose from, two at least, in an order that does not tell the key."""
    if len(known) == 1:  # no slip shows: hidden or not is left to choose
        known = [*known, Alternative(MINUS_INFINITY if is_finite(known[0].value) else 0)]
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


def escape_in_field(text: str) -> str:
    """Keep a sentence from ending its field: entities, which Moodle reads in fields and in HTML alike.

    >>> escape_in_field("a } b ~ c # d")
    'a &#125; b &#126; c &#35; d'
    """
    # the sign of entities first: it must not be taken for one of the text
    return escape_text(text.replace("#", "\0")).replace("\0", "&#35;")
