"""Questions for Moodle: the key gets all marks, every slip none and its sentence, and text stays text."""

import json
import re
from decimal import Decimal
from fractions import Fraction
from html import unescape
from itertools import combinations
from xml.etree import ElementTree

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, format_decimal, format_exact, is_finite
from attnhand.attention.slips import SLIPS, StageContext
from attnhand.attention.spellings import read_number
from attnhand.formats.answers import Answers
from attnhand.formats.cloze import list_patterns
from attnhand.formats.cloze_questions import list_questions
from attnhand.formats.json_sheet import render_json
from attnhand.formats.moodle import UNTOLD_SLIPS, choose_drawn_stage, render_moodle
from attnhand.formats.question_text import draw_again
from attnhand.marking.match import match_answer
from attnhand.marking.question_marks import mark_questions
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.problems.story_template import STORY_NAMES
from attnhand.sheet.addresses import format_headed_name
from attnhand.sheet.grids import Mark
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import AskedQuestion
from attnhand.sheet.sentences import format_title
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from attnhand.text.widths import parse_markup, to_unicode
from tests.breadth import choose
from tests.formats.cloze import Field, read_quiz
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION


def write_as_typed(value: Number, decimals: int = 3) -> str:
    """Write a number as a student types it: whole, or rounded to so many decimals."""
    if isinstance(value, int):
        return str(value)
    return format_decimal(value, decimals) if is_finite(value) else "−∞"


def write_in_list(value: Number) -> str:
    """Write a number as lists to choose from have it."""
    return write_as_typed(value, 6).replace("-", "−")


def find_asked_stages(sheet: Sheet) -> list[Stage]:
    """Return the stages that ask anything."""
    return [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]


def type_into(field: Field, value: Number, decimals: int = 3) -> tuple[Fraction, str]:
    """Return what a field gives for a value."""
    return field.mark(write_in_list(value) if field.kind == "MULTICHOICE" else write_as_typed(value, decimals))


TRIED_FORMS = [
    (name, convention)
    for name, convention in FORMS_IN_ONE_CONVENTION
    if not name.startswith(("multi-head-3", "multi-head-4", "block-2")) and name not in ("block-1-causal", "self-words")
]
"""Every kind of stage; more heads have no other ones."""


@pytest.mark.parametrize(("name", "convention"), choose(TRIED_FORMS[::5], TRIED_FORMS))
def test_the_key_gets_all_marks_and_every_slip_is_named(name: str, convention: Convention) -> None:
    """Rounded to two decimals, three, six or nine; whichever slip was made, its cells get nothing and a sentence."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    categories, questions = read_quiz(render_moodle(sheet))
    assert categories == [f"$course$/top/{format_title(sheet)} · {sheet.code}"]
    stages = find_asked_stages(sheet)
    assert len(questions) == len(stages) + bool(list_questions(sheet))
    slip_count = 0
    for asked, question in zip(stages, questions, strict=False):
        drawn = choose_drawn_stage(sheet, asked).sheet
        stage = drawn.problem.mechanism.get_stage(asked.name)
        cells = drawn.list_asked_cells(stage)
        assert len(question.fields) == len(cells) == sheet.count_answer_cells(asked)
        assert len({field.width for field in question.fields if field.kind == "SHORTANSWER"}) <= 1
        hand = drawn.solution[stage.name].hand
        for (i, j), field in zip(cells, question.fields, strict=True):
            for decimals in (2, 3, 6, 9):
                assert type_into(field, hand[i][j], decimals) == (Fraction(100), "")
        context = StageContext(
            drawn.problem.mechanism, stage, drawn.problem.hand_arithmetic, drawn.solution.collect_hand_values()
        )
        for slip in SLIPS:
            if not slip.applies_to(stage) or slip.id in UNTOLD_SLIPS:
                continue
            wrong = slip.compute_wrong(context)
            if wrong is None or (len(wrong), len(wrong[0])) != (len(hand), len(hand[0])):
                continue
            slip_count += 1
            sentence = f"You seem to have {describe_slip(sheet, slip.id, stage)}."
            for (i, j), field in zip(cells, question.fields, strict=True):
                if wrong[i][j] == hand[i][j]:
                    continue
                share, feedback = type_into(field, wrong[i][j])
                if field.kind == "SHORTANSWER" and rounds_key(write_as_typed(wrong[i][j]), hand[i][j]):
                    assert (share, feedback) == (Fraction(100), "")
                    continue
                assert share == 0, (stage.name, slip.id, hand[i][j], wrong[i][j])
                if field.kind == "SHORTANSWER" and not is_finite(wrong[i][j]):
                    continue
                assert feedback.startswith("You seem to have ")
                if sum(feedback in each.feedback for each in field.choices) == 1 and "_" not in sentence:
                    assert feedback == sentence or is_shared(drawn, stage, wrong[i][j], (i, j), slip.id)
    assert slip_count > 10


def rounds_key(typed: str, value: Number) -> bool:
    """Say whether what was typed to three decimals is a value, too, or what it is to two with a 0 behind.

    1/1112 and 1/820 are both 0.001; 0.030 is 1/33, and 1/40 to two decimals.
    """
    if "." not in typed or not is_finite(value):
        return False
    number = Fraction(typed)
    far = abs(number - Fraction(value))
    return far <= Fraction(1, 2000) or (far <= Fraction(1, 200) and (100 * number).denominator == 1)


@pytest.mark.parametrize("name", ["self-causal", "self-padded", "self-shifted-causal"])
def test_a_masked_score_is_chosen_from_two_values_or_more(name: str) -> None:
    """Where no slip shows in a cell there is a wrong value to choose, too: Moodle refuses the whole file else."""
    for seed in (7, 27, 28):
        sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[name]))
        _, questions = read_quiz(render_moodle(sheet))
        fields = [field for question in questions for field in question.fields if field.kind == "MULTICHOICE"]
        assert fields
        assert all(sorted(choice.share for choice in field.choices)[-2:] == [0, 100] for field in fields)


def is_shared(sheet: Sheet, stage: Stage, value: Number, cell: tuple[int, int], slip_id: str) -> bool:
    """Say whether another slip gives the same in that cell, as far as three decimals tell."""
    context = StageContext(
        sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, sheet.solution.collect_hand_values()
    )
    others = (slip.compute_wrong(context) for slip in SLIPS if slip.applies_to(stage) and slip.id != slip_id)
    i, j = cell
    values = [other[i][j] for other in others if other is not None and i < len(other) and j < len(other[0])]
    return any(
        each == value
        or (is_finite(each) and is_finite(value) and abs(Fraction(each) - Fraction(value)) < Fraction(11, 10_000))
        for each in values
    )


def test_each_question_has_numbers_of_its_own() -> None:
    """No question prints what another asks; the same code gives the same file, and another code another."""
    sheet = attnhand.generate(seed=7)
    stages = find_asked_stages(sheet)
    problems = [choose_drawn_stage(sheet, stage).sheet.problem for stage in stages]
    assert len({problem.given for problem in problems}) == len(stages) == 9
    assert sheet.problem.given not in {problem.given for problem in problems}
    assert sheet.moodle() == attnhand.generate(seed=7).moodle() != attnhand.generate(seed=8).moodle()
    assert sheet.blank.moodle() == sheet.key.moodle()


def test_a_cell_that_is_printed_is_no_field() -> None:
    """From a later stage on, of some queries, with a token solved: as many fields as the sheet asks cells."""
    for options in (
        PageOptions(from_stage="softmax", only_queries=(1, 3)),
        PageOptions(blank_stages=("A", "Z")),
        PageOptions(fade=True),
    ):
        sheet = attnhand.generate(seed=7, options=options)
        _, questions = read_quiz(sheet.moodle())
        cells = [sheet.count_answer_cells(stage) for stage in find_asked_stages(sheet)]
        assert [len(question.fields) for question in questions][: len(cells)] == cells


def test_what_a_user_typed_stays_text() -> None:
    """Neither title nor words begin a field, a tag, a formula or another category."""
    hostile = "{1:NUMERICAL:=2} <b>&amp; ]]> \\(x\\) $$ a/b"
    sheet = attnhand.generate(seed=7, title=hostile, words=["{1:SA:=a}", "<i>", "]]>&", 'a~#}"'])
    categories, questions = read_quiz(sheet.moodle())
    assert categories == ["$course$/top/" + f"{hostile} · {sheet.code}".replace("/", "//")]
    assert sum(len(question.fields) for question in questions[:-1]) == sheet.answer_cell_count
    for question in questions:
        assert not {*"{}[]~@$\\"} & {*question.text}


def test_own_matrices_keep_their_numbers() -> None:
    """They cannot be drawn anew, which the category says; irrational values may be rounded too."""
    eye = [[1, 0], [0, 1]]
    sheet = attnhand.solve(X=eye, W_Q=[[2, 1]], W_K=[[1, 3]], W_V=[[4, 8]], scale="sqrt", base="e")
    text = sheet.moodle()
    assert "all with the same numbers" in text
    _, questions = read_quiz(text)
    for stage, question in zip(find_asked_stages(sheet), questions, strict=False):
        values = [value for row in sheet.solution[stage.name].hand for value in row]
        assert any(isinstance(value, Decimal) for value in values) or stage.name in ("Q", "K", "V", "S", "scaled")
        assert [type_into(field, value)[0] for field, value in zip(question.fields, values, strict=True)] == [
            100
        ] * len(values)


QUESTION_FORMS = choose(
    ("multi-head-2",),
    ("self", "basic", "cross", "multi-head-2", "block-1", "self-causal", "self-words-positions"),
)


@pytest.mark.parametrize("name", [*QUESTION_FORMS, "story"])
def test_questions_are_marked_as_check_marks_them(name: str) -> None:
    """Whatever is offered is right if and only if check takes it for the sheet that the question prints."""
    kinds = set()
    for seed in range(choose(2, 12)):
        options = PageOptions(questions=QuestionAmount.MANY)
        if name == "story":
            sheet: Sheet = attnhand.generate(seed=seed, story=STORY_NAMES[seed], questions="many")
        else:
            sheet = make_sheet_from_request(Request(seed=seed, variant=FORMS[name]), options)
        if not list_questions(sheet):
            continue
        last = read_quiz(render_moodle(sheet))[1][-1]
        count = len(list_questions(sheet))
        for drawn in draw_again(sheet, "asks"):
            if len(list_questions(drawn)) == count:
                break
        assert last.text.endswith("⟧</p>")
        for field, question in zip(last.fields, list_questions(drawn), strict=True):
            kinds.add(field.kind)
            if field.kind == "SHORTANSWER":
                key = Fraction(question.posed.finding.answer)  # type: ignore[union-attr, arg-type]
                for typed in (key, key + 1, key / 2):
                    written = write_as_typed(typed if typed.denominator > 1 else int(typed), 5)
                    assert (field.mark(written)[0] == 100) is is_right(drawn, question, written)
                continue
            words = [choice.answer for choice in field.choices]
            if field.kind == "MULTICHOICE":
                right = [each for each in words if field.mark(each)[0] == 100]
                assert right == [each for each in words if is_right(drawn, question, each)]
                assert len(right) == 1
                continue
            for count in range(1, len(words) + 1):
                for ticked in combinations(words, count):
                    is_full = field.tick(ticked) > Fraction("99.9999")
                    assert is_full is is_right(drawn, question, ", ".join(ticked))
    assert kinds >= ({"MULTICHOICE", "MULTIRESPONSE"} if name in ("self-causal", "multi-head-2") else {"MULTICHOICE"})


def is_right(sheet: Sheet, question: AskedQuestion, text: str) -> bool:
    """Say whether check takes an answer."""
    answers = Answers(code=sheet.code, stages={question.name: ((text,),)})
    marks = mark_questions(answers, sheet, sheet.solution.collect_hand_values())
    (mark,) = (each.mark for each in marks if each.question.name == question.name)
    return mark is Mark.CORRECT


MISTAKES = [
    *((name, convention, "any") for name, convention in FORMS_IN_ONE_CONVENTION if "block-" not in name),
    *(("self", each, slip) for each in Convention for slip in ("truncated", "over-count", "signs-ignored@V")),
    ("self-causal", Convention.COLUMNS, "zero-for-minus-infinity"),
]


@pytest.mark.parametrize(("name", "convention", "mistake"), MISTAKES)
def test_a_mistake_to_find_is_one_question(name: str, convention: Convention, mistake: str) -> None:
    """Its right answers are what sheet and key differ in, read from their JSON; nothing else gets a point."""
    request = Request(seed=7, variant=FORMS[name], convention=convention)
    sheet = make_sheet_from_request(request, PageOptions(mistake=mistake))
    categories, (question,) = read_quiz(render_moodle(sheet))
    assert [category.rpartition(" · ")[2] for category in categories] == [sheet.code]
    stage, *places, number, slip = question.fields
    printed = {each["name"]: each["hand"] for each in json.loads(render_json(sheet.blank))["stages"]}
    key = {each["name"]: each["hand"] for each in json.loads(render_json(sheet.key))["stages"]}
    first = next(name for name in key if key[name] != printed[name])
    i, j = next(
        (i, j) for i, values in enumerate(key[first]) for j, value in enumerate(values) if value != printed[first][i][j]
    )
    assert len({each.answer for each in stage.choices}) == len(key)
    assert all(
        each.answer.startswith(format_headed_name(sheet, name)) for name, each in zip(key, stage.choices, strict=True)
    )
    assert [bool(each.share) for each in stage.choices] == [name == first for name in key]
    sides = [max(map(len, values)) for values in (key.values(), [row for rows in key.values() for row in rows])]
    asked = [at for at, side in zip((i, j), sides, strict=True) if side > 1]  # of one column nothing is to be chosen
    assert [[int(each.answer) - 1 for each in place.choices if each.share] for place in places] == [
        [at] for at in asked
    ]
    right = key[first][i][j]
    if number.kind == "SHORTANSWER":
        decimals = [f"{float(Fraction(right)):.3f}"] if "/" in right else []
        for spelled in (right, right.replace("-", "−"), *decimals, *(each.replace(".", ",") for each in decimals)):
            assert number.mark(spelled)[0] == Fraction(100)
        share, feedback = number.mark(printed[first][i][j])
        assert share == 0
        assert feedback == "as it was printed, not worked anew"
    else:
        assert [each.answer for each in number.choices if each.share] == ["−∞"]
    assert sheet.planted_mistake is not None
    what = describe_slip(sheet, sheet.planted_mistake.slip_id, sheet.problem.mechanism.get_stage(first))
    assert [each.answer for each in slip.choices if each.share] == [to_unicode(parse_markup(what))]
    assert 3 <= len({each.answer for each in slip.choices}) == len(slip.choices)
    assert all(field.weight == 1 for field in question.fields)
    for each in printed:  # as it was worked wrongly, and nothing of the key
        alike = [other for other in printed if other != each and printed[other] == key[each]]  # sums of another head
        if key[each] != printed[each] and not alike:
            assert key[each] not in list_tables(question.text)


def list_tables(html: str) -> list[list[list[str]]]:
    """Return the numbers of every table of a question, a list a row, as JSON has them."""
    return [
        [
            [re.sub("<.*?>", "", unescape(cell)).replace("−", "-").replace("-∞", "-inf") for cell in cells]
            for cells in (re.findall("<td>(.*?)</td>", line) for line in re.findall("<tr>(.*?)</tr>", table))
            if cells
        ]
        for table in re.findall("<table.*?</table>", html)
    ]


def test_a_field_takes_what_check_takes() -> None:
    """Every text that is right in a field is right with check; fractions, two places and commas are among them."""
    for form in ("self", "block-1"):
        sheet = make_sheet_from_request(Request(seed=3, variant=FORMS[form]))
        for asked in find_asked_stages(sheet):
            for known in choose_drawn_stage(sheet, asked).alternatives.values():
                value = known[0].value
                patterns = list_patterns(value)
                assert patterns[0] == str(value)
                if Fraction(value).denominator > 1:
                    places = format_decimal(value, 2)
                    assert {places, places.replace(".", ",")} <= {*patterns}
                for pattern in patterns:
                    digits = format_decimal(abs(Fraction(value)), 9).partition(".")[2]
                    written = pattern.replace("*", digits[5:]) if pattern.endswith(f"{digits[:5]}*") else pattern
                    reading = read_number(written.rstrip("*").replace(",", "."))  # 3,778 alone has two readings
                    assert reading is not None
                    assert match_answer(reading, value, 2).is_right, (value, pattern)


@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_nothing_stray_is_read_anywhere(language: str) -> None:
    """No control sign, no name of a blank that a sentence should have filled, no entity of an entity."""
    for form in ("self", "self-causal", "block-1"):
        sheet = make_sheet_from_request(Request(seed=5, variant=FORMS[form]), PageOptions(language=language))
        for text in ElementTree.fromstring(render_moodle(sheet)).itertext():
            read = unescape(text)
            assert not re.search(r"[\0-\x08\x0b-\x1f\ue000-\uf8ff]|&#?\w+;", read), read[:200]
            assert not re.search(r"\{[a-z_]+\}", re.sub(r"\{\d+:.*?\}", "", read)), read[:200]


def test_every_question_has_its_code_and_its_solution() -> None:
    """Variants are told apart by name and id; the solution writes out every cell that is asked."""
    sheet = attnhand.generate(seed=7)
    questions = ElementTree.fromstring(sheet.moodle()).findall("question")[1:]
    names = [str(each.findtext("name/text")) for each in questions]
    assert all(name.endswith(f" · {sheet.code}") for name in names)
    assert [each.findtext("idnumber") for each in questions] == [f"{sheet.code}-{at:02}" for at in range(1, 11)]
    for asked, question in zip(find_asked_stages(sheet), questions, strict=False):
        drawn = choose_drawn_stage(sheet, asked).sheet
        solution = unescape(str(question.findtext("generalfeedback/text")))
        hand = drawn.solution[asked.name].hand
        (table,) = list_tables(str(question.findtext("generalfeedback/text")))
        assert table == [[format_exact(value) for value in row] for row in hand]
        lines = solution.partition("<p>")[2].split("<br/>")
        assert len(lines) == drawn.count_answer_cells(asked)
        name = re.escape(format_headed_name(drawn, asked.name))
        assert all(re.match(rf"{name}\[\d,\d\]: .*=", line) for line in lines)
