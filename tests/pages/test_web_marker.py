"""The page's own marking beside the program's: every verdict, every slip."""

import json
import random
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from itertools import islice
from typing import Any

import pytest
from playwright.sync_api import Page

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import transpose
from attnhand.attention.numbers import format_decimal, format_exact, to_float
from attnhand.attention.questions import (
    QUESTIONS,
    TRIES,
    AnswerKind,
    Part,
    PosedQuestion,
    Question,
    list_asked,
    list_tries,
)
from attnhand.attention.questions.trial import pose_try
from attnhand.attention.slips import find_slips
from attnhand.attention.solution import solve, solve_shifted, solve_without_shortcuts
from attnhand.formats.answers import Answers
from attnhand.formats.web import _describe_questions, read_script
from attnhand.marking.diagnosis import diagnose_stages
from attnhand.marking.marks import OtherWay
from attnhand.marking.reasons import describe_diagnosis, explain_diagnosis
from attnhand.marking.whole_sheet import mark_sheet
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_problem
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.drawn_sheets import draw_sheets
from tests.marking.handing_in import write_key
from tests.pages.conftest import call_script
from tests.pages.web_students import (
    CLASS_KINDS,
    MARK_ALL,
    RULES,
    SCRIPTS,
    collect_expected_marks,
    compare_marks,
    find_class_disagreements,
    find_disagreements,
    list_question_texts,
    make_page_data,
    make_sheet,
    mark_texts,
    plant_slip,
    write_random_answers,
)
from tests.typed_answers import ask_typed, group_typed_answers


def test_it_marks_as_the_marker_does(page: Page) -> None:
    """Random students of every mechanism, with slips, odd spellings and own cells: all marked alike."""
    assert list(find_disagreements(page, choose(40, 400))) == []


def test_it_marks_a_class_as_the_marker_does(page: Page) -> None:
    """Slips in a line, besides a cell and two together, made-up numbers, gaps and calculators: marks and reasons."""
    assert list(find_class_disagreements(page, choose(1, 20) * len(CLASS_KINDS), seed=2)) == []


def test_it_marks_what_is_turned_by_radians_as_the_marker_does(page: Page) -> None:
    """Random students of sheets that only a problem file can ask for: all marked alike."""
    draw = random.Random(7)
    for problem in draw_sheets("self-radians", 2):
        sheet = make_sheet_from_problem(problem)
        students = [write_random_answers(sheet, draw) for _ in range(choose(6, 40))]
        assert list(compare_marks(page, sheet, students)) == []


def test_it_reads_answers_in_words_as_the_marker_does(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Sentences, number words and denials in seven languages: each is accepted, refused or asked about alike."""
    known: dict[object, dict[str, Any]] = {}
    for language, question, fact, answers in group_typed_answers():
        sheet = ask_typed(monkeypatch, language, question, fact)
        students = [{"ask1": answer.text} for answer in answers]
        numbers = sheet.request, sheet.problem.words
        if numbers not in known:  # all but the question, and the words of slips
            known[numbers] = make_page_data(sheet)
        asked = json.loads(json.dumps(_describe_questions(sheet)))
        data = known[numbers] | {"key": known[numbers]["key"] | asked}
        for described in asked["questions"]:
            described["id"] = "typed"  # nothing follows from the numbers of this sheet
        found = call_script(page, MARK_ALL, [data, students])
        expected = [collect_expected_marks(sheet, texts)["ask1"] for texts in students]
        texts = [answer.text for answer in answers]
        marks = [marks["ask1"] for marks in found]
        assert dict(zip(texts, marks, strict=True)) == dict(zip(texts, expected, strict=True)), (language, question)


def test_it_names_decimals_where_the_sheet_has_them(page: Page) -> None:
    """Of weights that were given as decimals a reason names decimals, whatever was typed."""
    sheet = attnhand.solve(X=[[1, 2, 1], [2, 1, 3]], W_Q=[[0.5, 1]], W_K=[[0.5, -0.5]], W_V=[[1, 1]])
    students = [
        plant_slip(sheet, stage, slip) for stage in sheet.problem.mechanism.stages for slip in find_slips(stage)
    ]
    assert list(compare_marks(page, sheet, students)) == []


def list_posed_questions(sheet: Sheet) -> Iterator[PosedQuestion]:
    """Yield every question that a sheet can be asked and that has an answer, in one way each."""
    for question in list_asked(sheet.scene):
        if question.kind is AnswerKind.TALK:
            continue
        ways = (
            PosedQuestion(question=question, parameters=way, finding=finding)
            for way in question.list_parameters(sheet.scene)
            if (finding := question.find_answer(sheet.scene, way))
        )
        yield from islice(ways, 1)
    for each in list_tries(sheet.scene):
        shown = (pose_try(sheet.scene, each, way) for way in each.list_parameters(sheet.scene))
        yield from next(filter(None, shown), ())


def list_catalogue() -> list[Question]:
    """Return every question, and every cell of a try."""
    return [*QUESTIONS, *(cell for each in TRIES for cell in each.cells.values())]


def ask_everything(sheet: Sheet, monkeypatch: pytest.MonkeyPatch) -> tuple[AskedQuestion, ...]:
    """Let the sheet ask all that it can be asked."""
    posed = tuple(list_posed_questions(sheet))
    monkeypatch.setattr(Sheet, "posed_questions", property(lambda _: posed))
    return build_questions(sheet.key)


def read_off_own_numbers(sheet: Sheet, asked: Sequence[AskedQuestion], cells: dict[str, str]) -> dict[str, str]:
    """Return what a student answers who reads it off the numbers that are written."""
    own, texts = {**mark_texts(sheet, cells).student_values}, {}
    for question in asked:
        find_own = question.posed.question.find_own_answer
        answer = find_own(sheet.scene, question.posed.parameters, own) if find_own else None
        match answer:
            case str():
                texts[question.name] = answer
            case tuple():
                texts[question.name] = str(answer[0] + 1)
            case int() | Fraction() | Decimal():
                texts[question.name] = format_exact(answer)
                own[question.posed.question.id] = ((answer,),)
    return texts


FORMS_OF_QUESTIONS = (
    *("self", "self-causal", "self-words-positions", "cross", "multi-head-2", "self-words"),
    *("multi-query", "self-rotary", "grouped-query-rotary-causal", "self-shifted-causal", "multi-head-2-causal"),
    *("self-distance", "self-cache"),
    *("self-sink-causal", "self-sharpened"),
    *("block-1-residual", "online", "next-token", "next-token-top-k", "backward", "block-1-normed"),
)
"""Between them they can be asked every question but a story's."""


Seen = set[tuple[str, str]]
"""Ids of questions, each with a mark that an answer to it got."""


def mark_questions_of_every_form(
    page: Page,
    monkeypatch: pytest.MonkeyPatch,
    list_students: Callable[[Sheet, tuple[AskedQuestion, ...], random.Random], list[dict[str, str]]],
) -> Seen:
    """Have what students answer marked by the page and by the marker, alike; return which marks came up."""
    seen, draw = set(), random.Random(1)
    for number, form in enumerate(FORMS_OF_QUESTIONS):
        sheet = make_sheet(form, list(Convention)[number % 2], RULES[0], seed=4)
        asked = ask_everything(sheet, monkeypatch)
        students = list_students(sheet, asked, draw)
        expected_marks = [collect_expected_marks(sheet, each) for each in students]
        assert list(compare_marks(page, sheet, students, expected_marks)) == []
        seen |= {
            (question.posed.question.id, expected[question.name][0])
            for expected in expected_marks
            for question in asked
            if question.name
        }
    return seen


def type_answers(sheet: Sheet, asked: tuple[AskedQuestion, ...], draw: random.Random) -> list[dict[str, str]]:
    """Return what students type who answer questions alone."""
    texts = {question.name: list_question_texts(sheet, question) for question in asked if question.name}
    return [
        {name: each[at] if at < len(each) else draw.choice(each) for name, each in texts.items()}
        for at in range(choose(50, 300))
    ]


def work_and_read_off(sheet: Sheet, asked: tuple[AskedQuestion, ...], draw: random.Random) -> list[dict[str, str]]:
    """Return what students write who answer by numbers of their own."""
    written = [write_random_answers(sheet, draw) for _ in range(choose(14, 30))]
    return [cells | read_off_own_numbers(sheet, asked, cells) for cells in written]


def list_marked_questions() -> dict[str, Question]:
    """Return every question that is marked, but a story's, by its id."""
    return {each.id: each for each in list_catalogue() if each.kind is not AnswerKind.TALK and each.id != "story"}


def test_every_question_is_marked_as_by_the_marker(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each of the catalogue, whatever is typed; whichever mark it can get comes up."""
    seen = mark_questions_of_every_form(page, monkeypatch, type_answers)
    for mark in ("correct", "wrong", "unreadable"):
        assert {name for name, found in seen if found == mark} == {*list_marked_questions()}


def test_every_question_is_followed_through_as_by_the_marker(page: Page, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each whose answer can be read off a student's own numbers."""
    seen = mark_questions_of_every_form(page, monkeypatch, work_and_read_off)
    following = {name for name, question in list_marked_questions().items() if question.find_own_answer}
    same_for_all = {"try.shift.top", "try.residual.kept"}  # 3^0, and X itself, but for what was copied wrongly
    assert following - same_for_all <= {name for name, mark in seen if mark == "follows"} <= following


def test_the_page_follows_where_the_marker_does(page: Page) -> None:
    """The same questions are followed through from a student's own numbers."""
    script = f"(SHEET) => {{ {MARKING_SCRIPT}; return Object.keys(OWN_ANSWERS); }}"
    found = page.evaluate(script, make_page_data(make_sheet("self", Convention.COLUMNS, RULES[0])))
    numbers = (each for each in list_catalogue() if each.kind is AnswerKind.NUMBER)
    worked = {each.id for each in numbers if each.part is Part.TRY}
    assert {*found} | worked == {question.id for question in list_catalogue() if question.find_own_answer}


MARKING_SCRIPT = "\n".join(map(read_script, SCRIPTS))

EXPLAIN = f"([SHEET, all]) => {{ {MARKING_SCRIPT}; return all.map((texts) => explainSlips(markPlainly(texts))); }}"


def test_decimals_have_the_mark_of_the_language(page: Page) -> None:
    """In reasons and in what a hint tells."""
    script = f"""(SHEET) => {{ {MARKING_SCRIPT}
      return [writeQuotient(fraction(-1n)), writeNumber(toDecimal(fraction(1n, 3n))), format(fraction(100000n, 3n))];
    }}"""
    data = make_page_data(make_sheet("self", Convention.COLUMNS, RULES[0]))
    for mark in (".", ","):
        found = page.evaluate(script, data | {"decimal_mark": mark})
        assert found == [f"−0{mark}5", f"0{mark}33", f"≈ 33333{mark}3333"]


MARK_SHEET = f"""([SHEET, texts]) => {{ {MARKING_SCRIPT}
  const {{ marks, otherWay, reasons }} = markSheet(texts);
  const found = Object.values(marks).flat().map(({{ id, mark, note }}) => [id, [mark, note]]);
  return [otherWay, Object.fromEntries(found), reasons];
}}"""


@pytest.mark.parametrize("convention", [*Convention])
@pytest.mark.parametrize("way", [*OtherWay])
def test_a_whole_sheet_worked_in_another_way_is_one_remark(page: Page, convention: Convention, way: OtherWay) -> None:
    """Turned, with e and √d_k, or with the largest subtracted: read as a paper is, each mark where it was typed."""
    sheet = make_sheet("self", convention, RULES[0], size_overrides=(("d_k", 4), ("d_v", 4)))
    solution = {
        OtherWay.TURNED: sheet.solution,
        OtherWay.EXACT: solve_without_shortcuts(sheet.problem),
        OtherWay.SHIFTED: solve_shifted(sheet.solution),
    }[way]
    assert solution
    stages: dict[str, list[list[str]]] = {}
    typed: dict[str, str] = {}
    for solved in solution:
        name, is_square = solved.stage.name, len(solved.hand) == len(solved.hand[0])
        turned = transpose(solved.hand) if way is OtherWay.TURNED else solved.hand
        if sheet.count_answer_cells(solved.stage) and is_square:
            stages[name] = [
                [format_decimal(x, 2) if isinstance(x, Decimal) else format_exact(x) for x in row] for row in turned
            ]
    stages["A"][2][1] = "0.77"
    for name, rows in stages.items():
        typed |= {make_cell_id(f"{name}[{i + 1},{j + 1}]"): x for i, row in enumerate(rows) for j, x in enumerate(row)}
    handed_in = {name: tuple(map(tuple, rows)) for name, rows in stages.items()}
    marked = mark_sheet(Answers(code=None, stages=handed_in), sheet)
    assert marked.other_way is way
    found_way, found, reasons = call_script(page, MARK_SHEET, [make_page_data(sheet), typed])
    assert found_way == way.value
    for cell in marked.cells:
        at = (cell.column, cell.row) if way is OtherWay.TURNED and cell.stage in stages else (cell.row, cell.column)
        mark = found[make_cell_id(f"{cell.stage}[{at[0] + 1},{at[1] + 1}]")]
        assert mark == [cell.mark.value, cell.note.value if cell.note else ""], cell.address
    assert {cell.mark for cell in marked.cells} >= {Mark.CORRECT, Mark.WRONG}
    assert {*reasons} <= {"A_3_2"}


@pytest.mark.parametrize(
    ("part", "temperature"),
    [
        *((part, None) for part in choose([*MODEL_PARTS][1::3], [*MODEL_PARTS])),
        *(("next-word", temperature) for temperature in choose(["2"], ["2", "1/2"])),
    ],
)
def test_parts_of_a_language_model_are_marked_as_by_the_marker(page: Page, part: str, temperature: str | None) -> None:
    """What a part prints, or asks of some tokens alone, is marked by nobody; all else as on paper."""
    draw = random.Random(3)
    sheet = attnhand.generate(1, part=part, temperature=temperature, self_check=True)
    students = [write_random_answers(sheet, draw) for _ in range(choose(12, 60))]
    assert list(compare_marks(page, sheet, students)) == []


@pytest.mark.parametrize("part", MODEL_PARTS)
def test_questions_of_a_part_are_marked_as_by_the_marker(page: Page, part: str) -> None:
    """Each answer of the key counts; whatever else may be typed is marked alike."""
    sheet = attnhand.generate(2, part=part, self_check=True)
    asked = [question for question in build_questions(sheet.key) if question.name]
    students = [
        {question.name: text for question in asked for text in list_question_texts(sheet, question)[at : at + 1]}
        for at in range(max(len(list_question_texts(sheet, question)) for question in asked))
    ]
    assert list(compare_marks(page, sheet, students)) == []
    marked = collect_expected_marks(sheet, students[0])
    assert {marked[question.name][0] for question in asked} == {Mark.CORRECT.value}


@pytest.mark.parametrize("form", ["self", "block-1-residual"])
def test_a_slip_of_whoever_works_with_e_is_followed_with_e(page: Page, form: str) -> None:
    """One score is wrong; what follows from it with e and √d_k counts, on paper and on the page."""
    sheet = make_sheet(form, Convention.COLUMNS, RULES[0])
    exact = solve_without_shortcuts(sheet.problem)
    assert exact
    scores = [list(row) for row in exact["S"].hand]
    scores[0][1] += 1
    own = solve(exact.problem, replacements={"S": tuple(map(tuple, scores))})
    texts = {
        make_cell_id(f"{solved.stage.name}[{i + 1},{j + 1}]"): format_decimal(x, 2)
        if isinstance(x, Decimal)
        else f"{x}"
        for solved in own
        for i, row in enumerate(solved.hand)
        for j, x in enumerate(row)
    }
    marked = mark_texts(sheet, texts)
    assert marked.other_way is OtherWay.EXACT
    assert [cell.address for cell in marked.cells if not cell.counts] == ["S[1,2]"]
    assert list(compare_marks(page, sheet, [texts])) == []


@pytest.mark.parametrize("other", ["0,25", "0.25"])
def test_commas_are_decimal_as_on_paper(page: Page, other: str) -> None:
    """1,333 is read where all decimals of the sheet have commas, and has two readings where one has a point."""
    sheet = make_sheet("self", Convention.COLUMNS, RULES[0])
    stages = write_key(sheet, lambda value: format_exact(value) if isinstance(value, int) else f"{to_float(value):.3f}")
    stages = {name: [[text.replace(".", ",") for text in row] for row in rows] for name, rows in stages.items()}
    stages["A"][0][0] = other
    typed = {
        make_cell_id(f"{name}[{i + 1},{j + 1}]"): text
        for name, rows in stages.items()
        for i, row in enumerate(rows)
        for j, text in enumerate(row)
    }
    marked = mark_sheet(Answers(code=None, stages={name: tuple(map(tuple, a)) for name, a in stages.items()}), sheet)
    _, found, _ = call_script(page, MARK_SHEET, [make_page_data(sheet), typed])
    marks = {make_cell_id(cell.address): cell.mark.value for cell in marked.cells}
    assert {cell: mark for cell, (mark, _) in found.items()} == marks
    assert ("unreadable" in marks.values()) is ("." in other)


@pytest.mark.parametrize(
    ("form", "convention"),
    choose(
        [("self", "columns"), ("block-1-causal", "rows")],
        [("self", "columns"), ("block-1-causal", "rows"), ("self-words", "rows")],
    ),
)
def test_slips_are_explained_as_on_a_report(page: Page, form: str, convention: str) -> None:
    """Every planted slip that the report names for sure, the page names too, for the same reason, cell by cell."""
    planted: list[dict[str, str]] = []
    expected: list[tuple[str, str, str]] = []
    sheet = make_sheet(form, Convention(convention), RULES[0])
    for stage in sheet.problem.mechanism.stages:
        for slip in find_slips(stage) if sheet.count_answer_cells(stage) else ():
            texts = plant_slip(sheet, stage, slip)
            marks = mark_texts(sheet, texts)
            for diagnosis in diagnose_stages(marks, sheet):
                if not diagnosis.is_certain or diagnosis.product or diagnosis.exchanged:
                    continue
                cell = diagnosis.cells[0]
                named = describe_diagnosis(diagnosis, sheet), *explain_diagnosis(diagnosis, marks, sheet)
                planted.append(texts)
                expected.append((slip.id, make_cell_id(cell.address), " ".join(named)))
    found = call_script(page, EXPLAIN, [make_page_data(sheet), planted])
    for (slip_id, cell_id, sentences), explained in zip(expected, found, strict=True):
        assert explained.get(cell_id) == sentences, slip_id
    assert len({slip_id for slip_id, *_ in expected}) > 15
