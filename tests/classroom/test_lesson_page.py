"""The teacher's page of a week, part by part: one page in every language, and numbers that an oracle works too."""

import io
import re
from collections.abc import Sequence
from dataclasses import asdict
from fractions import Fraction
from functools import cache
from math import lcm
from typing import Any

import pytest
from pypdf import PdfReader

from attnhand.classroom.lesson_page import write_lesson
from attnhand.problems.language_model import SENTENCES, WORDS
from attnhand.problems.levels import Level
from attnhand.problems.model_parts import MODEL_PARTS, draw_model
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.order import parse_options
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from attnhand.text.widths import parse_markup, to_unicode
from tests.breadth import choose
from tests.problems.language_model_oracle import Cells, learn_by_hand, work_by_hand

SEED = 5
LONGEST = ("head-1", "next-word", "learn", "write-on", "without-places")
"""Parts with most to say."""

SHOWN = {
    "words": {"X": "X"},
    "head-1": {"Q": "h1.Q", "S": "h1.S", "powers": "h1.powers", "A": "h1.A", "Z": "h1.Z"},
    "head-2": {"Q": "h2.Q", "S": "h2.S", "powers": "h2.powers", "A": "h2.A", "Z": "h2.Z"},
    "stream": {"concat": "concat", "output": "O", "R₁": "R", "r₂": "r1", "N₂": "N"},
    "network": {"F₁": "F1", "relu₁": "relu", "F₂": "F2", "R₂": "R2"},
    "next-word": {"R₂": "R2", "r₃": "r2", "N₃": "H", "logits": "logits", "Σ": "totals", "p": "p"},
    "word-after": {"R₂": "R2", "r₃": "r2", "N₃": "H", "logits": "logits", "Σ": "totals", "p": "p"},
}
"""What stands on the board, a line each, and what the oracle calls it."""


WEEKS: tuple[dict[str, Any], ...] = ({"level": "warm-up"}, {"causal": True}, {"mechanism": "multi-head"})
"""A term of attention alone."""


@cache
def make_sheet(language: str, **options: Any) -> Sheet:
    """Return the teacher's example of a week."""
    order, page = parse_options({"language": language, **options})
    return make_sheet_from_request(order.make_request(SEED), page)


def make_part(part: str, language: str = "en", **others: str) -> Sheet:
    """Return the teacher's example of a part, with other options."""
    return make_sheet(language, part=part, **others)


@cache
def read_pages(sheet: Sheet, earlier: tuple[Sheet, ...] = ()) -> tuple[str, ...]:
    """Return the words of its pages."""
    file = io.BytesIO()
    write_lesson([sheet], earlier, file, week=len(earlier) + 1, week_count=9)
    return tuple(page.extract_text() for page in PdfReader(file).pages)


def read_board(part: str) -> tuple[dict[str, list[str]], list[str]]:
    """Return the lines of the board by their names, and the sentence with the word that is worked behind it."""
    text = read_pages(make_part(part))[0].partition("On the board")[2]
    title = re.search(r"The example, “(.+)”: the word “(.+)” line by line", text)
    assert title
    lines = (line.partition(":") for line in text[title.end() :].splitlines())
    return {name.strip(): numbers.split() for name, _, numbers in lines}, [*title[1].split(), title[2]]


def work(words: Sequence[str]) -> Cells:
    """Work the example by the oracle."""
    given = asdict(draw_model(SEED, Level.STANDARD))
    return work_by_hand(given, [WORDS.index(word) for word in words])


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_part_has_one_page_in_every_language(language: str) -> None:
    """On the shorter paper, with what is to be said, what they stumble over and a board."""
    for part in choose(LONGEST, [*MODEL_PARTS]):
        sheet = make_part(part, language, paper="letter")
        (page,) = read_pages(sheet)
        said = " ".join(page.split())
        for heading in ("say", "stumble", "board"):
            assert sheet.say(f"term.page.{heading}") in said
        assert len(re.findall(r"[^\W\d_]{2,}", said.partition(sheet.say("term.page.stumble"))[0])) > 60, part


@pytest.mark.parametrize("language", LANGUAGES)
def test_parts_that_are_dealt_have_one_page_together(language: str) -> None:
    """Each with its №s, what is to be said of all, and what the model says with all parts and without each."""
    sheets = [make_part(part, language, paper="letter") for part in MODEL_PARTS if part.startswith("without")]
    file = io.BytesIO()
    write_lesson(sheets, (), file, week=10, week_count=10)
    (page,) = PdfReader(file).pages
    said = "".join(page.extract_text().replace("\xad", "").split())

    def tells(sheet: Sheet, key: str, **values: object) -> bool:
        return "".join(to_unicode(parse_markup(sheet.say(key, **values))).split()) in said

    given = asdict(draw_model(SEED, Level.STANDARD))
    for at, sheet in enumerate(sheets, 1):
        assert sheet.asked_part and sheet.asked_part.part.without
        title = sheet.say(f"part.{sheet.asked_part.name}.title")
        assert tells(sheet, "term.page.form", title=title, first=at, second=at + 5, third=at + 10)
        assert tells(sheet, f"part.{sheet.asked_part.name}.say")
        answers = []
        for words in SENTENCES:
            cells = work_by_hand(given, [WORDS.index(word) for word in words], without=sheet.asked_part.part.without)
            H = [row[-1] for row in cells["H"]]
            logits = [sum(w * x for w, x in zip(row, H, strict=True)) for row in given["W_U"]]
            said_next = [word for word, logit in zip(WORDS, logits, strict=True) if logit == max(logits)]
            answers.append(f"{' '.join(words)} → {' / '.join(said_next)}")
        listed = sheet.language.list_of(answers, "facts")
        assert "".join(f"{title}{sheet.say('colon')}{listed}".split()) in said
    assert tells(sheets[0], "part.without.say")
    answers = [f"{' '.join(words)} → {food}" for words, food in SENTENCES.items()]
    assert tells(sheets[0], "part.whole", answers=answers)


def read_lines(sheet: Sheet, earlier: tuple[Sheet, ...]) -> set[str]:
    """Return the lines of its page that say something: sums are the same in all languages."""
    (page,) = read_pages(sheet, earlier)
    return {line.strip() for line in page.splitlines() if len(re.findall(r"[^\W\d_]{2,}", line)) > 3}


@pytest.mark.parametrize("language", [each for each in LANGUAGES if each != "en"])
def test_a_page_of_another_language_has_no_line_of_english(language: str) -> None:
    """In the first week, when much is to say, and in those after it, when less is new."""
    lines = {}
    for code in ("en", language):
        weeks = tuple(make_sheet(code, **options) for options in WEEKS)
        pages = [read_lines(sheet, weeks[:at]) for at, sheet in enumerate(weeks)]
        assert all(len(page) > 4 for page in pages)
        lines[code] = set().union(*pages)
    assert lines["en"] & lines[language] == set()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("temperature", ["2", "1/2"])
def test_a_temperature_is_told_on_one_page(temperature: str, language: str) -> None:
    """What it is for; where it rounds down, that words may share the first place; and no dice with too few faces."""
    sheet = make_part("next-word", language, paper="letter", temperature=temperature)
    (page,) = read_pages(sheet)

    def tells(key: str, **values: object) -> bool:
        words = to_unicode(parse_markup(sheet.say(key, **values)))
        return "".join(words.split()) in "".join(page.replace("\xad", "").split())

    assert tells("tempered.for")
    assert tells("part.flattened.stumble") is (temperature == "2")
    faces = lcm(*(Fraction(share).denominator for (share,) in sheet.solution["p"].hand))
    assert (faces <= 100) is (temperature == "2")
    assert tells("part.next-word.board", faces=faces) is (temperature == "2")
    assert not tells("part.next-word.board", faces=faces) or faces <= 100


@pytest.mark.parametrize("part", SHOWN)
def test_the_board_has_a_word_as_the_oracle_works_it(part: str) -> None:
    """Line by line; of several words one that is neither the full stop nor the last, which the class is to find."""
    board, (*words, word) = read_board(part)
    assert words[:4] == list(draw_model(SEED, Level.STANDARD).step.sentence)
    assert words[4:] == ([SENTENCES[tuple(words[:4])]] if part == "word-after" else [])
    at = words.index(word)
    assert (at in (1, 2)) is (part not in ("next-word", "word-after"))
    cells = work(words)
    for name, key in SHOWN[part].items():
        assert [Fraction(number.replace("−", "-")) for number in board[name]] == [row[at] for row in cells[key]], name


def test_the_board_of_learning_has_the_step() -> None:
    """Its g is the oracle's; a number of the word that came and of the wrong favourite come out as they say."""
    board, (*words, _) = read_board("learn")
    model = draw_model(SEED, Level.STANDARD)
    target = WORDS.index(model.step.target)
    learnt = learn_by_hand(asdict(model), [WORDS.index(word) for word in words], target, model.step.eta)
    assert [Fraction(number.replace("−", "-")) for number in board["g"]] == learnt["g"]
    favourite = max(range(len(WORDS)), key=lambda word: learnt["g"][word])
    assert WORDS[favourite] != model.step.target
    for start, row in ((r"W_U′\[1,(\d)\]", target), (r"W_U′\[2,(\d)\]", favourite)):
        lines = (f"{name}: {' '.join(numbers)}" for name, numbers in board.items())
        (found,) = filter(None, (re.fullmatch(rf"{start}: (.+) = (.+)", line) for line in lines))
        column, working, result = (text.replace("−", "-").replace("·", "*") for text in found.groups())
        assert Fraction(result) == learnt["W_U"][row][int(column) - 1]
        assert Fraction(eval(re.sub(r"\d+", r"Fraction(\g<0>)", working))) == Fraction(result)


def test_the_die_has_the_faces_of_the_shares() -> None:
    """As many as make every share a whole number of faces."""
    words = draw_model(SEED, Level.STANDARD).step.sentence
    shares = [row[-1] for row in work(words)["p"]]
    faces = next(faces for faces in range(1, 101) if all((share * faces).denominator == 1 for share in shares))
    assert f"make a die of {faces} faces" in " ".join(read_pages(make_part("next-word"))[0].split())


def test_only_what_the_sheet_asks_is_worked_or_warned_of() -> None:
    """Head 2 asks the last two words: no cell of the first two is named."""
    (page,) = read_pages(make_part("head-2"))
    cells = re.findall(r"[A-Za-z]\[(\d),(\d)\]", page)
    assert len(cells) > 3
    assert {column for _, column in cells} <= {"3", "4"}
    (turned,) = read_pages(make_part("head-2", convention="rows"))
    assert {row for row, _ in re.findall(r"[A-Za-z]\[(\d),(\d)\]", turned)} <= {"3", "4"}


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_slip_is_told_in_a_sentence(language: str) -> None:
    """What its words are made to complete, as “some have left out the minus”: alone they cannot be read aloud."""
    sheet = make_part("learn", language)
    action = sheet.say("slip.log-not-negated")
    told = sheet.say("term.page.slip", cell="", action=action)
    (page,) = read_pages(sheet)
    assert "".join(told.split()) in "".join(page.replace("\xad", "").split())
    assert told == f"{sheet.say('colon')}{action}." or language in ("en", "de", "fr", "pt")


def test_slips_of_the_weeks_before_are_not_told_again() -> None:
    """Head 2 is worked as head 1 is; its page warns of something else."""
    one, two = make_part("head-1"), make_part("head-2")
    told, then = (
        {*re.findall(r"\]: ([^.]+)\.", page.partition("On the board")[0].replace("\n", " "))}
        for page in (read_pages(one)[0], read_pages(two, (one,))[0])
    )
    assert len(told) == len(then) == 3
    assert not told & then


def test_shares_of_words_are_no_shares_of_a_query() -> None:
    """Who divides shares of words by the wrong sums is told of words, not of queries."""
    sheet = make_part("next-word")
    for slip in ("other-axis", "sums-other-axis"):
        assert "query" not in sheet.say(f"reason.{slip}")
        assert "query" in make_part("head-1").say(f"reason.{slip}")
