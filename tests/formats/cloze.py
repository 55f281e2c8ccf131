"""A reader of Moodle's Cloze, written from what its import accepts and apart from what writes it here."""

import re
from collections.abc import Collection
from dataclasses import dataclass
from fractions import Fraction
from html import unescape
from html.parser import HTMLParser
from xml.etree import ElementTree

_START = re.compile(r"\{(\d+):(SHORTANSWER|MULTICHOICE|MULTIRESPONSE):")
_ENTITY = re.compile(r"&(?:#\d+|#x[0-9a-fA-F]+|\w+);")


@dataclass(frozen=True)
class Choice:
    """One alternative of a field."""

    share: Fraction
    """Percent."""

    answer: str
    """Of a short answer a pattern: ``*`` is anything."""

    feedback: str

    def fits(self, typed: str, kind: str) -> bool:
        """Say whether it is what was typed or chosen; blanks around and capitals are nothing."""
        if kind != "SHORTANSWER":
            return typed == self.answer
        pattern = ".*".join(map(re.escape, self.answer.split("*")))
        return re.fullmatch(pattern, typed.strip(), re.IGNORECASE) is not None


@dataclass(frozen=True)
class Field:
    """One field of a question."""

    kind: str
    weight: int
    choices: tuple[Choice, ...]

    def tick(self, words: Collection[str]) -> Fraction:
        """Return percent for what was ticked of a list that takes several: the sum, from 0 to 100."""
        assert self.kind == "MULTIRESPONSE"
        assert set(words) <= {choice.answer for choice in self.choices}
        total = sum(choice.share for choice in self.choices if choice.answer in words)
        return min(max(Fraction(total), Fraction(0)), Fraction(100))

    def mark(self, typed: str) -> tuple[Fraction, str]:
        """Return percent and feedback for what was typed: those of the first alternative that it fits."""
        for choice in self.choices:
            if choice.fits(typed, self.kind):
                return choice.share, choice.feedback
        return Fraction(0), ""

    @property
    def width(self) -> int:
        """How wide its longest alternative makes it."""
        return max(len(choice.answer) for choice in self.choices)


@dataclass(frozen=True)
class ClozeQuestion:
    """One question: its name, its fields in order, and the text around them."""

    name: str
    fields: tuple[Field, ...]
    text: str
    solution: str
    """What is shown in the end."""


def read_quiz(xml: str) -> tuple[list[str], list[ClozeQuestion]]:
    """Return the categories and the questions of a file."""
    questions = ElementTree.fromstring(xml).findall("question")
    categories = [str(each.findtext("category/text")) for each in questions if each.get("type") == "category"]
    cloze = [each for each in questions if each.get("type") == "cloze"]
    assert len(categories) + len(cloze) == len(questions)
    return categories, [
        _read_question(
            str(each.findtext("name/text")),
            str(each.findtext("questiontext/text")),
            str(each.findtext("generalfeedback/text")),
        )
        for each in cloze
    ]


def _read_question(name: str, text: str, solution: str) -> ClozeQuestion:
    fields: list[Field] = []
    rest, at = "", 0
    while match := _START.search(text, at):
        parts, end = _split(text, match.end())
        assert match[2] == "SHORTANSWER" or len(parts) > 1, f"{name}: Moodle imports no list with one choice"
        rest += text[at : match.start()] + f"⟦{len(fields)}⟧"
        fields.append(Field(match[2], int(match[1]), tuple(map(_read_choice, parts))))
        at = end
    rest += text[at:]
    _check_tags(rest)
    _check_tags(solution)
    return ClozeQuestion(name, tuple(fields), rest, solution)


def _split(text: str, at: int) -> tuple[list[str], int]:
    """Split a field at ~ up to its }; an entity is one sign."""
    parts, current = [], ""
    while text[at] != "}":
        if text[at] == "~":
            parts.append(current)
            current = ""
            at += 1
        elif text[at] == "&" and (entity := _ENTITY.match(text, at)):
            current += entity[0]
            at = entity.end()
        else:
            current += text[at]
            at += 1
    return [*parts, current], at + 1


def _read_choice(part: str) -> Choice:
    # the first # that is not of an entity begins the feedback
    hidden = _ENTITY.sub(lambda entity: entity[0].replace("#", "\0"), part)
    answer, _, feedback = (each.replace("\0", "#") for each in hidden.partition("#"))
    share = Fraction(0)
    if answer.startswith("="):
        share, answer = Fraction(100), answer[1:]
    elif match := re.match(r"%(-?\d+(?:\.\d+)?)%", answer):
        share, answer = Fraction(match[1]), answer[match.end() :]
    return Choice(share, unescape(answer), unescape(feedback))


class _Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: object) -> None:
        self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def _check_tags(html: str) -> None:
    """See that every tag is closed, and none is there that text brought along."""
    parser = _Tags()
    parser.feed(html)
    assert not parser.open
    assert set(re.findall(r"<(\w+)", html)) <= {
        "p",
        "br",
        "div",
        "b",
        "i",
        "sub",
        "sup",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
        "h4",
    }
