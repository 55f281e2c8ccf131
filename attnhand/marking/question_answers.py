"""What students write for an answer, read as people write it: in words, in sentences, with denials.

What can be read in two ways is not read at all: ``UnclearAnswerError``, and a teacher looks at it. The script of a web
sheet, ``question_reader.js``, reads alike.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from fractions import Fraction
from functools import cache

from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.numbers import Number, simplify
from attnhand.attention.questions import Answer, AnswerKind, CellChange
from attnhand.attention.spellings import (
    ARROW_PATTERN,
    CHANGE_PATTERN,
    COLON_PATTERN,
    LOOSE_DIGIT_PATTERN,
    MATRIX_PATTERN,
    MAX_ANSWER_LENGTH,
    MINUS_WORD_PATTERN,
    NEGATIVE_PATTERN,
    NUMBER_IN_TEXT_PATTERN,
    NUMBER_SIGN_PATTERN,
    ORDINAL_ENDING_PATTERN,
    PLACE_PATTERN,
    RANGE_PATTERN,
    SHARE_PATTERN,
    SIGNS,
    TIMES_PATTERN,
    Reading,
    fold_signs,
    join_readings,
    read_number,
)
from attnhand.errors import NumberError
from attnhand.marking.answer_sentences import Event, UnclearAnswerError, find_claims, has, scan
from attnhand.marking.choice_answers import read_choice, simplify_text
from attnhand.sheet.answer_words import (
    Patterns,
    fold_words,
    list_answer_words,
)
from attnhand.sheet.questions import AskedQuestion, list_token_words
from attnhand.sheet.sheet import Sheet

_QUOTES = " \"'“”„‘’«»"
_CHANGE, _MATRIX = (re.compile(pattern, re.IGNORECASE) for pattern in (CHANGE_PATTERN, MATRIX_PATTERN))
_SHARE, _NUMBER_IN_TEXT, _PLACE, _NEGATIVE, _RANGE, _NUMBER_SIGN, _ENDING, _LOOSE_DIGIT, _TIMES, _ARROW, _COLON = (
    re.compile(pattern)
    for pattern in (
        SHARE_PATTERN,
        NUMBER_IN_TEXT_PATTERN,
        PLACE_PATTERN,
        NEGATIVE_PATTERN,
        RANGE_PATTERN,
        NUMBER_SIGN_PATTERN,
        ORDINAL_ENDING_PATTERN,
        LOOSE_DIGIT_PATTERN,
        TIMES_PATTERN,
        ARROW_PATTERN,
        COLON_PATTERN,
    )
)
_MINUS_WORD = re.compile(MINUS_WORD_PATTERN, re.IGNORECASE)
_SIGN_TABLE = str.maketrans({sign: plain for sign, plain in SIGNS.items() if sign != ":"})

_DIGITS = re.compile("[0-9]+")


def read_question_answer(question: AskedQuestion, text: str, sheet: Sheet) -> Answer:
    """Read what a student wrote.

    Raises:
        UnclearAnswerError: it is none, or one of two readings.
    """
    text = " ".join(text.split())
    if len(text) > MAX_ANSWER_LENGTH:
        raise UnclearAnswerError
    match question.posed.question.kind:
        case AnswerKind.TOKEN:
            found = _read_tokens(question, text, sheet)
            if len(found) != 1:
                raise UnclearAnswerError
            return found
        case AnswerKind.TOKENS:
            return _read_tokens(question, text, sheet)
        case AnswerKind.NUMBER:
            return read_number_answer(question, text, sheet).value
        case AnswerKind.CHOICE:
            return read_choice(question, unicodedata.normalize("NFKC", text), sheet)
        case _:
            return _read_change(question, text, sheet)


def _read_tokens(question: AskedQuestion, text: str, sheet: Sheet) -> tuple[int, ...]:
    """Read "3", "token 3", "x₃", "the third", "1, 2 and 4", or the words of the tokens, which may be signs."""
    names = [word.casefold() for word in list_token_words(sheet, question)]
    whole = unicodedata.normalize("NFKC", text).strip(_QUOTES).casefold()
    if names.count(whole) == 1 and not _DIGITS.fullmatch(whole):
        return (names.index(whole),)
    plain = _NUMBER_SIGN.sub(" ", text)
    plain = unicodedata.normalize("NFKC", _ENDING.sub(r"\1", plain)).translate(_SIGN_TABLE)
    plain = _MINUS_WORD.sub("-", plain)
    if question.posed.question.kind is AnswerKind.TOKEN:
        plain = _SHARE.sub(" ~ ", plain)
    if _NEGATIVE.search(plain) or any(int(b) - int(a) != 1 for a, b in _RANGE.findall(plain)):
        raise UnclearAnswerError
    events = _name_tokens(scan(plain, list_answer_words(sheet, question)))
    affirmed, denied = find_claims(events, [event.meaning for event in events if "=" in event.meaning])
    found = {kind: {int(each[2:]) for each in affirmed if each[0] == kind} for kind in "wn"}
    by_word, by_number = found["w"], found["n"]
    both = by_word | by_number
    is_open = len(both) > 1 and has(events, "or")
    if (
        not both
        or is_open
        or (by_word and by_number and by_word != by_number)
        or both & {int(each[2:]) for each in denied}
    ):
        raise UnclearAnswerError
    return tuple(sorted(both))


def _name_tokens(events: list[Event]) -> list[Event]:
    """Return events in which a token that is named means "n=2" by its number, "w=2" by its word."""
    kinds = [event.meaning.partition(" ")[0] if not _DIGITS.fullmatch(event.text) else "digits" for event in events]
    found: list[Event] = []
    for event, before, kind, after in zip(events, ["", *kinds], kinds, [*kinds[1:], ""], strict=False):
        count = event.meaning.rpartition(" ")[2]
        if kind in ("around", "bound", "clash"):
            raise UnclearAnswerError
        if kind == "digits":
            found.append(Event(f"n={int(event.text) - 1}" if len(event.text) <= 3 else "", event.text))
        elif kind in ("numbers", "ordinals"):
            is_meant = event.meaning != "numbers 1" or before != "ordinals"  # the third one
            found.append(Event(f"n={int(count) - 1}" if is_meant else "", event.text))
        elif kind == "token":
            found.append(Event(f"w={count}", event.text))
        elif kind != "label" and not (event.text == "." and after == "digits"):  # no. 3
            found.append(event)
    return found


def read_number_answer(question: AskedQuestion, text: str, sheet: Sheet) -> Reading:
    """Read a number as in a cell, or among words: "1/4 each", "twice as much".

    Raises:
        UnclearAnswerError: there is none, or two.
    """
    try:
        if (reading := read_number(text)) is not None:
            return reading
    except NumberError:
        pass
    try:
        return _read_number_in_words(text, list_answer_words(sheet, question))
    except NumberError:
        raise UnclearAnswerError from None


def _read_number_in_words(text: str, lexicons: Iterable[Patterns]) -> Reading:
    plain = _TIMES.sub("", _MINUS_WORD.sub("-", fold_signs(_COLON.sub(",", text))))
    written = [read_number(match[0]) for match in _NUMBER_IN_TEXT.finditer(plain)]
    plain = _NUMBER_IN_TEXT.sub(" ~ ", plain)
    if _LOOSE_DIGIT.search(plain):
        raise UnclearAnswerError
    numbers: list[Reading] = []
    events = [Event("", "")]
    for event in scan(plain, lexicons):
        kind, _, count = event.meaning.partition(" ")
        follows_number = events[-1].meaning.startswith("=")
        if kind == "bound":
            raise UnclearAnswerError
        if kind in ("parts", "percent") and follows_number:  # two thirds, 25 percent
            numbers[-1] = _divide_reading(numbers[-1], 100 if kind == "percent" else int(count), kind)
            continue
        if event.text == "~":
            reading = written.pop(0)
            assert reading is not None
            numbers.append(reading)
        elif kind in ("numbers", "times"):
            numbers.append(Reading(int(count), 0))
        elif kind == "parts":
            numbers.append(Reading(Fraction(1, int(count)), None))
        else:
            events.append(event)
            continue
        events.append(Event(f"={len(numbers) - 1}", event.text))
    return _choose_number(events[1:], numbers)


def _divide_reading(reading: Reading, divisor: int, kind: str) -> Reading:
    decimals = None if kind == "parts" or reading.decimals is None else reading.decimals + 2
    return Reading(simplify(Fraction(reading.value) / divisor), decimals)


def _choose_number(events: list[Event], numbers: Sequence[Reading]) -> Reading:
    """Return the number that is affirmed."""
    affirmed, denied = find_claims(events, [event.meaning for event in events if event.meaning.startswith("=")])
    chosen, refused = ([numbers[int(meaning[1:])] for meaning in sorted(found)] for found in (affirmed, denied))
    if not chosen or {each.value for each in chosen} & {each.value for each in refused}:
        raise UnclearAnswerError
    return join_readings(chosen, "")


def _read_change(question: AskedQuestion, text: str, sheet: Sheet) -> CellChange:
    """Read "W_Q[1,2] = −3", "1,2 to -3", or a sentence; a matrix that is not named is the one that is asked."""
    key = question.posed.finding
    assert key is not None
    assert isinstance(key.answer, CellChange)
    name, row, column, value = _find_change_parts(question, text, sheet)
    asked = key.answer.matrix
    is_asked = simplify_text(name) in ("", simplify_text(asked), simplify_text(strip_head(asked)))
    return CellChange(asked if is_asked else name, int(row) - 1, int(column) - 1, value)


def _find_change_parts(question: AskedQuestion, text: str, sheet: Sheet) -> tuple[str, str, str, Number]:
    """Return name, row, column and value of a change."""
    match = _CHANGE.fullmatch(text)
    if match and (not match["name"].strip() or _MATRIX.fullmatch(match["name"].strip())):
        if len(match["row"]) > 2 or len(match["column"]) > 2:
            raise UnclearAnswerError
        with suppress(NumberError):
            if (reading := read_number(match["value"])) is not None:
                return match["name"].strip(), match["row"], match["column"], reading.value
    try:
        plain = fold_words(_MINUS_WORD.sub("-", fold_signs(text)))
        return _find_change_in_words(plain, list_answer_words(sheet, question))
    except NumberError:
        raise UnclearAnswerError from None


def _find_change_in_words(text: str, lexicons: Sequence[Patterns]) -> tuple[str, str, str, Number]:
    if has(scan(text, lexicons), "not", "by"):
        raise UnclearAnswerError
    named = {simplify_text(match[0]): match[0] for match in _MATRIX.finditer(text)}
    rest, places = _take_places(_MATRIX.sub(" ", text), lexicons)
    numbers = [match for match in _NUMBER_IN_TEXT.finditer(rest) if not _is_old(rest[: match.start()], lexicons)]
    if len(numbers) == 2 and _ARROW.search(rest[: numbers[1].start()]):  # 0 -> -3
        numbers = numbers[1:]
    if len(places) != 1 or len(named) > 1 or len(numbers) != 1:
        raise UnclearAnswerError
    reading = read_number(numbers[0][0])
    assert reading is not None
    return next(iter(named.values()), ""), *places[0], reading.value


def _take_places(text: str, lexicons: Sequence[Patterns]) -> tuple[str, list[tuple[str, str]]]:
    """Return a text without the places that it names, and these: [2,3], row 2 column 3."""
    patterns = [_PLACE.pattern]
    for words in lexicons:
        row, column = (rf"(?:{words[name]}) ?(?P<{name}>[0-9]{{1,2}})" for name in ("row", "column"))
        patterns += [f"{row}[ ,;]+(?:[^ 0-9]+ )?{column}", f"{column}[ ,;]+(?:[^ 0-9]+ )?{row}"]
    for pattern in map(re.compile, patterns):
        if places := [(match["row"], match["column"]) for match in pattern.finditer(text)]:
            return pattern.sub(" ", text), places
    return text, []


def _is_old(before: str, lexicons: Sequence[Patterns]) -> bool:
    """Say whether a number stands after a word like "from" or "instead of"."""
    return any(_compile_end(words["from"]).search(before) for words in lexicons)


@cache
def _compile_end(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?:^|[^a-zа-яіїєґ])(?:{pattern}) ?$")
