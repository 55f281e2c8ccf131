"""Every language beside English: its stories, its pages, no word of English on them, and marks as in English."""

import re
from collections.abc import Iterator
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

import attnhand
from attnhand.attention.mechanisms import MECHANISMS
from attnhand.attention.slips import find_slips
from attnhand.formats.answers import Answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.problems.story_template import STORY_NAMES, read_bundled_story
from attnhand.sheet.grids import Mark
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES, get_language
from attnhand.text.language import PLURAL_RULES
from attnhand.text.widths import parse_markup, parse_unicode
from tests.breadth import choose
from tests.check_language import find_story_faults
from tests.languages import write_file
from tests.marking.students import Student, WritingStyle
from tests.pages.all_languages import (
    LONG,
    add_long_language,
    find_english,
    find_faults,
    list_english_words,
    translate_sheet,
)
from tests.pages.sheets import get_sheet

OTHERS = [code for code in LANGUAGES if code != "en"]

WORD = re.compile(r"(?<![\w{_^.\[])[A-Za-z]{3,}(?![\w}_^=\]:])")
"""A word outside braces."""

KINDS = ("classic rows", "multi-head columns", "block rows", "cross columns", "exact column columns", "large columns")
"""Of which each language has another one, beside the classic sheet; all_languages lays out all kinds in all of them."""


@pytest.fixture(scope="module", autouse=True)
def long_language() -> Iterator[str]:
    """Return the code of English with longer words, known while these tests run."""
    with add_long_language() as code:
        yield code


def test_every_language_tells_all_stories() -> None:
    """Every word, feature and sentence; different tokens have different words."""
    for code in OTHERS:
        assert (code, list(find_story_faults(code))) == (code, [])
        for story in map(read_bundled_story, STORY_NAMES):
            words = dict(story.find_text(code).words)
            for variant in story.variants:
                tokens = {*variant.tokens, *variant.memory}
                assert len({words[token] for token in tokens}) == len(tokens), (code, story.name)


def test_no_word_of_a_story_is_a_variable() -> None:
    """Words of one letter, as "o" and "e", are set upright on its sheet."""
    for code in OTHERS:
        for story in map(read_bundled_story, STORY_NAMES):
            for variant in story.variants:
                version = story.tell(variant, code)
                texts = (version.sentence, version.question, *version.feature_names, *version.value_names)
                set_in_italics = [(text, run.text) for text in texts for run in parse_markup(text) if run.is_italic]
                variables = {word for word in story.list_words(variant, code) if len(word) == 1}
                assert [(code, *each) for each in set_in_italics if each[1].strip() not in variables] == []


def test_no_word_within_a_list_is_a_variable() -> None:
    """Of "K, S e Z" the "e" is set upright, and stays with the last part."""
    for code in OTHERS:
        for kind in ("and", "or"):
            runs = parse_unicode(get_language(code).list_of(["3", "4", "5"], kind))
            assert (code, [run.text for run in runs if run.is_italic]) == (code, [])


@pytest.mark.parametrize(("at", "code"), list(enumerate([*OTHERS, LONG])))
def test_pages_hold_every_language(at: int, code: str) -> None:
    """Nothing overlaps or leaves the paper, blank and key stand alike, and no English word is left."""
    kind = KINDS[at % len(KINDS)] if code != LONG else "classic rows"
    kinds = choose({kind}, {kind, "classic columns"} if code != LONG else {kind})
    for name in sorted(kinds):
        sheet = translate_sheet(get_sheet(name), code)
        assert (name, find_faults(sheet)) == (name, [])
        assert code == LONG or find_english(sheet) == []


def test_what_is_english_is_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A heading that its file lacks."""
    english = get_language("en").sentences
    monkeypatch.setitem(PLURAL_RULES, "yy", PLURAL_RULES["en"])
    for left, seen in ((), []), (("scores.heading",), ["scores"]):
        strange = {key: WORD.sub("жжж", text) for key, text in english.items() if key not in left}
        path = tmp_path / f"{len(left)}.toml"
        write_file(path, strange)
        monkeypatch.setitem(LANGUAGES, "yy", str(path))
        get_language.cache_clear()
        list_english_words.cache_clear()
        assert find_english(translate_sheet(get_sheet("classic columns"), "yy")) == seen


@cache
def list_papers(mechanism: str) -> list[tuple[Student, str]]:
    """Return students who each made one slip on the classic sheet of a mechanism, at another stage each."""
    sheet = attnhand.generate(7, mechanism=mechanism)
    papers = []
    for stage in sheet.problem.mechanism.stages:
        student = Student(sheet, WritingStyle.DECIMALS)
        stages = sheet.problem.mechanism.stages
        student.work_stages(stages[: stages.index(stage)])
        context = student.make_context(stage)
        wrong = next((w for slip in find_slips(stage) if (w := slip.compute_wrong(context)) is not None), None)
        if wrong is not None and wrong != sheet.solution[stage.name].hand:
            student.write_stage(stage, wrong)
            student.work_stages(stages[stages.index(stage) + 1 :])
            papers.append((student, stage.name))
    return papers


def describe_marks(checked: CheckResult) -> list[object]:
    """Return what a paper got, without a word."""
    cells: list[object] = [(cell.address, cell.value, cell.mark, cell.note) for cell in checked.marks.cells]
    return [*cells, *((each.stage, each.slips) for each in checked.diagnoses), checked.marks.other_way]


@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_marks_are_the_same_in_every_language(mechanism: str) -> None:
    """Over mechanisms and slips: decimals are written as the language does, or with a point."""
    papers = list_papers(mechanism)
    assert len(papers) >= 3
    for at, code in enumerate([*OTHERS, LONG]):
        student, _ = papers[at % len(papers)]
        mark = get_language(code).decimal_mark
        expected = describe_marks(check_answers(Answers(code=None, stages=student.texts), student.sheet))
        sheet = translate_sheet(student.sheet, code)
        for sign in {mark, "."}:
            texts = {
                name: tuple(tuple(text.replace(".", sign) for text in row) for row in rows)
                for name, rows in student.texts.items()
            }
            assert describe_marks(check_answers(Answers(code=None, stages=texts), sheet)) == expected, code


def answer_questions(sheet: Sheet) -> dict[str, tuple[tuple[str, ...], ...]]:
    """Answer every question as the key of a sheet does."""
    return {each.name: ((each.plain_answer,),) for each in build_questions(sheet.key) if each.name}


@pytest.mark.parametrize("code", [*OTHERS, LONG])
def test_answers_to_questions_are_read_in_the_language(code: str) -> None:
    """What the key says in its own words is right."""
    found = 0
    for seed, mechanism in enumerate(islice(MECHANISMS, 4), 7):
        sheet = translate_sheet(attnhand.generate(seed, mechanism=mechanism, questions="many"), code)
        marks = check_answers(Answers(code=None, stages=answer_questions(sheet)), sheet).question_marks
        assert [(each.answer, each.question.text) for each in marks if each.mark is not Mark.CORRECT] == []
        found += len(marks)
    assert found >= 12
