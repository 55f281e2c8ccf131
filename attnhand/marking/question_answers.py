"""What students write for an answer, read as people write it: in words, in sentences, with denials.

What can be read in two ways is not read at all: ``UnclearAnswerError``, and a teacher looks at it. The script of a web
sheet, ``question_reader.js``, reads alike.

A text becomes events: a word that means something ("not", "more", "numbers 3"), a sign, or nothing. Commas, and words
like "but", part it into clauses; what is denied in a clause is what follows the denial, or, where nothing follows, what
stands before it: "not 2 but 3" affirms 3, and "not 2" affirms nothing, so it is no answer.
"""

import re
import unicodedata
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from itertools import pairwise

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
from attnhand.sheet.answer_words import (
    Patterns,
    fold_words,
    list_answer_words,
    list_whole_answers,
    split_words,
)
from attnhand.sheet.questions import AskedQuestion, list_token_words
from attnhand.sheet.sheet import Sheet

_BREAKS = ",;:!?().–—"
_QUOTES = " \"'“”„‘’«»"
_LETTERS = re.compile(r"(?<![\w'])([AZА])(?![\w'])")  # the last of them is Ukrainian
_ARTICLE = re.compile(r"(?<!\w)a (?=Z)")
"""In Portuguese "a Z" is the matrix Z, and not A and Z."""

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

_ASIDES = ("", ",", "label")
"""Meanings that do not tell a language."""


class UnclearAnswerError(Exception):
    """An answer that cannot be read."""


@dataclass(frozen=True, slots=True)
class _Event:
    """A word or sign of an answer, and what it means; nothing for most words."""

    meaning: str
    text: str


_COMMA = [_Event(",", ",")]


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
            return _read_choice(question, unicodedata.normalize("NFKC", text), sheet)
        case _:
            return _read_change(question, text, sheet)


# words and clauses


def _scan(text: str, lexicons: Iterable[Patterns]) -> list[_Event]:
    """Return what a text says, word by word, in the first language of which it has a word.

    Raises:
        UnclearAnswerError: it says that its writer does not know, or "not only".
    """
    events: list[_Event] = []
    for words in lexicons:
        events = _scan_words(text, words)
        is_no = bool(events) and re.fullmatch(words["interjection"], events[0].text) and events[0].meaning != "no"
        if is_no and events[1:2] == _COMMA:
            events = events[2:]  # no, it grows
        if any(event.meaning not in _ASIDES for event in events):
            break
    if _has(events, "unsure", "not_only"):
        raise UnclearAnswerError
    found = [event for event in events if event.meaning != "skip"]
    return [replace(event, meaning="not") if event.meaning == "interjection" else event for event in found]


def _scan_words(text: str, words: Patterns) -> list[_Event]:
    """Return the events of a text: of several meanings that of most letters, else the first; without its reason."""
    line = " ".join(split_words(text)) + " "
    events: list[_Event] = []
    at = 0
    while line[at:].strip():
        ends = [
            (match.end(), meaning) for meaning, pattern in words.items() if (match := _compile(pattern).match(line, at))
        ]
        end = max((end for end, _ in ends), default=line.index(" ", at))
        meaning = next((meaning for its_end, meaning in ends if its_end == end), "")
        if meaning == "because" and events:  # what a reason names is not the answer
            break
        word = line[at:end]
        events.append(_Event("," if word in _BREAKS else meaning, word))
        at = end + 1
    return events


@cache
def _compile(pattern: str) -> re.Pattern[str]:
    return re.compile(f"(?:{pattern})(?= )")


def _has(events: Iterable[_Event], *meanings: str) -> bool:
    return any(event.meaning in meanings for event in events)


def _split_clauses(events: Iterable[_Event], *borders: str) -> list[list[_Event]]:
    """Part events at signs, and before words like "but"."""
    clauses: list[list[_Event]] = [[]]
    for event in events:
        if event.meaning in (",", *borders):
            clauses.append([])
        if event.meaning != ",":
            clauses[-1].append(event)
    return [clause for clause in clauses if clause]


def _find_claims(
    events: Iterable[_Event], meanings: Iterable[str], *, may_be_list: bool = True
) -> tuple[set[str], set[str]]:
    """Return which of some meanings are affirmed, and which are denied.

    Args:
        may_be_list: whether a comma may be said for "and", so that it is not clear what is denied by "not 1, 2".

    Raises:
        UnclearAnswerError: something is denied, and it is not clear what; or all that is affirmed is denied too.
    """
    affirmed: set[str] = set()
    denied: set[str] = set()
    was_denied = False
    for clause in _split_clauses(events, "but"):
        said = [event.meaning for event in clause]
        named = [meaning for meaning in said if meaning in meanings]
        if may_be_list and was_denied and len(named) == len(said):
            raise UnclearAnswerError
        was_denied = "not" in said
        if not was_denied:
            affirmed.update(named)
            continue
        if not named:
            raise UnclearAnswerError
        first = said.index("not")
        after = [meaning for meaning in said[first:] if meaning in meanings]
        affirmed.update(meaning for meaning in said[:first] if after and meaning in meanings)
        denied.update(after or named)
        was_denied = bool(after)
    if affirmed & denied:
        raise UnclearAnswerError
    return affirmed, denied


# choices


def _read_choice(question: AskedQuestion, text: str, sheet: Sheet) -> str:
    """Read one of the words that the question offers, how it alone begins, or a sentence that says which it is."""
    ids = question.posed.question.choices
    written = _simplify(_ARTICLE.sub("@", text))
    spellings = {choice: [*map(_simplify, list_whole_answers(sheet, choice))] for choice in ids}
    for fits in (lambda spelling: spelling == written, lambda spelling: spelling.startswith(written)):
        found = [choice for choice in ids if any(map(fits, spellings[choice]))]
        if written and len(found) == 1:
            return found[0]
    marked = _LETTERS.sub(lambda match: "@z" if match[1] == "Z" else "@a", text.replace("*", ""))
    events = _scan(marked, list_answer_words(sheet, question))
    if "outputs" in ids:
        return _judge_what_changes(events)
    return _judge_yes_or_no(events) if "yes" in ids else _judge_by_elimination(events, ids)


def _simplify(text: str) -> str:
    """Return a text in small letters, without blanks, signs of a sentence and markup."""
    return re.sub(r"[\s.,;:!?^*_\"'()]", "", unicodedata.normalize("NFKC", text).casefold()).replace("−", "-")


def _judge_by_elimination(events: list[_Event], ids: Sequence[str]) -> str:
    """Return the only choice that is affirmed, or the only one that is left."""
    unchanged = next((choice for choice in ids if choice in ("same", "nothing")), "")
    said: list[_Event] = []
    for clause in _split_clauses(events, "but"):
        if _has(clause, "axis"):
            raise UnclearAnswerError
        if _has(clause, "rest"):
            continue
        meanings = {"stay": unchanged, "less": "less" if "less" in ids else "not"}
        if unchanged and _has(clause, "change") and _has(clause, "not", "nothing"):  # it does not change
            meanings |= {"not": "", "nothing": "", "change": unchanged}
        said += [replace(event, meaning=meanings.get(event.meaning, event.meaning)) for event in clause]
        said.append(_Event(",", ","))
    affirmed, denied = _find_claims(said, ids, may_be_list=False)
    left = affirmed or ({*ids} - denied if denied else set())
    if len(left) != 1:
        raise UnclearAnswerError
    return left.pop()


def _judge_yes_or_no(events: list[_Event]) -> str:
    """Return what is said first, where nothing in the sentence says otherwise, such as that two things differ."""
    claims = {
        "no" if (event.meaning == "different") is not _has(clause, "not", "no") else "yes"
        for clause in _split_clauses(events, "but")
        for event in clause
        if event.meaning in ("equal", "different")
    }
    said = [event.meaning for event in events if event.meaning in ("yes", "no", "not")]
    first = said[0] if said and said[0] != "not" else "".join(claims)
    against = {"yes": {"no"}, "no": {"yes"}}.get(first)
    if against is None or claims & against:
        raise UnclearAnswerError
    if (first == "no" and "yes" in said) or (first == "yes" and not claims and {"no", "not"} & {*said}):
        raise UnclearAnswerError
    return first


def _judge_what_changes(events: list[_Event]) -> str:
    """Return what is said to change of A and Z. What is not named stays, where another is said to change."""
    if _has(events, "or"):
        raise UnclearAnswerError
    found: dict[str, bool] = {}
    says_nothing = is_unchanged = False
    last: tuple[bool, bool] | None = None
    """Whether change was spoken of, or that something stays; and whether that was denied."""
    carried: list[str] = []
    told = [event for event in events if event.text != ":"]  # A: no, Z: yes
    clauses = _split_clauses(told, "but", "and")
    for clause, after in pairwise([*clauses, []]):
        if _is_ambiguous(clause, has_others=sum(bool(_list_matrices(each)) for each in clauses) > 1):
            raise UnclearAnswerError
        named = [*carried, *_list_matrices(clause)]
        carried = []
        states = {event.meaning for event in clause} & {"change", "stay"}
        is_denied = _has(clause, "not") or bool(named and _has(clause, "nothing"))
        if _is_open(clause, after):
            carried = named  # A and Z change
            continue
        if states:
            last = (states == {"change"}, is_denied)
        if named:
            changes = _find_change(clause, last, is_denied=is_denied, has_state=bool(states))
            others = {"weights", "outputs"} - {*named} if _has(clause, "only") else set()
            for name, value in [*((name, changes) for name in named), *((name, not changes) for name in others)]:
                if found.setdefault(name, value) is not value:
                    raise UnclearAnswerError
        elif _has(clause, "nothing"):
            says_nothing = True
            if states == {"stay"}:
                raise UnclearAnswerError
        elif states:
            is_unchanged |= (states == {"change"}) is is_denied
        elif is_denied and found:
            raise UnclearAnswerError
    changed = [name for name, changes in found.items() if changes]
    if not changed and (says_nothing or len(found) == 2 or (is_unchanged and not found)):
        return "nothing"
    if not changed or says_nothing:
        raise UnclearAnswerError
    return "weights-and-outputs" if len(changed) == 2 else changed[0]


def _list_matrices(clause: Iterable[_Event]) -> list[str]:
    """Return which of A and Z a clause names, both where it says so."""
    found = [event.meaning for event in clause]
    both = ["weights", "outputs"]
    return both if "weights-and-outputs" in found else [name for name in both if name in found]


def _is_ambiguous(clause: list[_Event], *, has_others: bool) -> bool:
    """Say whether a clause has two readings: "not both", "Z not A", or a word of which nobody knows what it says."""
    said = [event.meaning for event in clause]
    if "change" in said and "stay" in said:
        return True
    if "not" in said and _list_matrices(clause):
        before, after = clause[: said.index("not")], clause[said.index("not") :]
        if _has(after, "weights-and-outputs") or (_list_matrices(before) and _list_matrices(after)):
            return True
    tells = _has(clause, "change", "stay", "not", "nothing", "only", "too", "affirm")
    return has_others and bool(_list_matrices(clause)) and not tells and "" in said


def _is_open(clause: list[_Event], after: list[_Event]) -> bool:
    """Say whether a clause only names a matrix, and what is said of it is said of another, too: A | and Z change."""
    says_more = _has(clause, "change", "stay", "not", "nothing", "only", "too", "affirm")
    if says_more or not _list_matrices(clause) or not _has(after[:1], "and") or not _list_matrices(after):
        return False
    first = next(at for at, event in enumerate(after) if event.meaning in ("weights", "outputs", "weights-and-outputs"))
    return not _has(after[:first], "not", "only")


def _find_change(clause: list[_Event], last: tuple[bool, bool] | None, *, is_denied: bool, has_state: bool) -> bool:
    """Say whether a matrix is said to change: in so many words, or by what was said of another before."""
    if last is None:
        return not is_denied
    is_change, was_denied = last
    did_change = is_change is not was_denied
    if has_state:
        return did_change
    if _has(clause, "too") and not (is_denied and did_change):  # A stays, Z too
        return did_change
    if is_denied and not (was_denied and not is_change):  # A stays, Z does not; A changes, Z does not; nor does Z
        return not is_change
    if not is_denied and (did_change or _has(clause, "only", "but") or (is_change and _has(clause, "affirm"))):
        return True
    raise UnclearAnswerError


# tokens, numbers and changes


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
    events = _name_tokens(_scan(plain, list_answer_words(sheet, question)))
    affirmed, denied = _find_claims(events, [event.meaning for event in events if "=" in event.meaning])
    found = {kind: {int(each[2:]) for each in affirmed if each[0] == kind} for kind in "wn"}
    by_word, by_number = found["w"], found["n"]
    both = by_word | by_number
    is_open = len(both) > 1 and _has(events, "or")
    if (
        not both
        or is_open
        or (by_word and by_number and by_word != by_number)
        or both & {int(each[2:]) for each in denied}
    ):
        raise UnclearAnswerError
    return tuple(sorted(both))


def _name_tokens(events: list[_Event]) -> list[_Event]:
    """Return events in which a token that is named means "n=2" by its number, "w=2" by its word."""
    kinds = [event.meaning.partition(" ")[0] if not _DIGITS.fullmatch(event.text) else "digits" for event in events]
    found: list[_Event] = []
    for event, before, kind, after in zip(events, ["", *kinds], kinds, [*kinds[1:], ""], strict=False):
        count = event.meaning.rpartition(" ")[2]
        if kind in ("around", "bound", "clash"):
            raise UnclearAnswerError
        if kind == "digits":
            found.append(_Event(f"n={int(event.text) - 1}" if len(event.text) <= 3 else "", event.text))
        elif kind in ("numbers", "ordinals"):
            is_meant = event.meaning != "numbers 1" or before != "ordinals"  # the third one
            found.append(_Event(f"n={int(count) - 1}" if is_meant else "", event.text))
        elif kind == "token":
            found.append(_Event(f"w={count}", event.text))
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
    events = [_Event("", "")]
    for event in _scan(plain, lexicons):
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
        events.append(_Event(f"={len(numbers) - 1}", event.text))
    return _choose_number(events[1:], numbers)


def _divide_reading(reading: Reading, divisor: int, kind: str) -> Reading:
    decimals = None if kind == "parts" or reading.decimals is None else reading.decimals + 2
    return Reading(simplify(Fraction(reading.value) / divisor), decimals)


def _choose_number(events: list[_Event], numbers: Sequence[Reading]) -> Reading:
    """Return the number that is affirmed."""
    affirmed, denied = _find_claims(events, [event.meaning for event in events if event.meaning.startswith("=")])
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
    is_asked = _simplify(name) in ("", _simplify(asked), _simplify(strip_head(asked)))
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
    if _has(_scan(text, lexicons), "not", "by"):
        raise UnclearAnswerError
    named = {_simplify(match[0]): match[0] for match in _MATRIX.finditer(text)}
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
