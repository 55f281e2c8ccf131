"""Random students' web sheets: what the page's own script says of every cell and question, beside what the marker says.

``python -m tests.pages.web_students --students 2000`` prints everything on which they differ.
"""

import argparse
import json
import random
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, lru_cache
from typing import Any

from playwright.sync_api import Page, sync_playwright

from attnhand.attention.arithmetic import EXACT, HAND, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.mechanisms import Stage, Variant
from attnhand.attention.numbers import Number
from attnhand.attention.slips import Slip, find_slips
from attnhand.errors import AttnhandError, NumberError
from attnhand.formats.answer_tables import TextRows
from attnhand.formats.answers import Answers
from attnhand.formats.web import describe_key, read_script
from attnhand.marking.marks import Marks, Note
from attnhand.marking.question_marks import mark_questions
from attnhand.marking.reasons import works_in_decimals
from attnhand.marking.whole_sheet import mark_sheet
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request, make_part_request
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.hints import describe_slip, explain_slip
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import AskedQuestion, build_questions, list_choice_spellings
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.marking import fair_class
from tests.marking.attackers import fill_at_random, fill_with_one_a_column, make_up
from tests.marking.fair_class import KINDS, draw_students
from tests.marking.students import Mistake, Student, WritingStyle, list_generic_mistakes, work_stage
from tests.pages.conftest import BROWSER_FLAGS, call_script, find_browser_path

MarksById = dict[str, list[str]]
"""By id of the cell, or name of the question: its mark, its note, and what is said of the slip that was made there."""

SCRIPTS = (
    *("numbers", "arithmetic", "engine", "marker", "explanations", "reasons"),
    *("other_ways", "question_reader", "question_marker"),
)

WEB_FORMS = FORMS | {"self-window": Variant(is_causal=True, window=2)}

WEB_NAMES = (*WEB_FORMS, *MODEL_PARTS)
"""Of forms, and of the parts of a language model."""

STUDENTS_PER_SHEET = 4

CLASS_KINDS = tuple(kind for kind in KINDS if kind != "transposed")
"""A page has no room for a matrix that is turned, but where it is square."""

RULES = (
    HAND,
    HAND,
    EXACT,
    Rules(scale=3, base=Base.TEN, decimals=3),
    Rules(scale=ScaleRule.NONE, base=Base.TWO),
    Rules(base=Base.E),
)
"""Those of the classroom twice as often as others."""

PAGES = (
    PageOptions(),
    PageOptions(questions=QuestionAmount.MANY),
    PageOptions(questions=QuestionAmount.MANY),
    PageOptions(only_queries=(1, 2)),
    PageOptions(from_stage="S"),
)


def make_random_sheet(draw: random.Random) -> Sheet:
    """Return a sheet of any mechanism, in either convention, by any rules, whole or in part."""
    while True:
        try:
            return make_sheet(
                draw.choice(WEB_NAMES), draw.choice(list(Convention)), draw.choice(RULES),
                draw.choice(PAGES), draw.randrange(1, 4),
            )  # fmt: skip
        except AttnhandError:  # no such form by these rules
            continue


@cache
def make_sheet(
    form: str,
    convention: Convention,
    rules: Rules,
    page: PageOptions = PAGES[0],
    seed: int = 1,
    size_overrides: tuple[tuple[str, int], ...] = (),
) -> Sheet:
    """Return a sheet of one of the forms, or of a part of a language model, which has the classroom's rules."""
    if form in MODEL_PARTS:
        request = make_part_request(MODEL_PARTS[form], seed, convention=convention)
    else:
        variant = WEB_FORMS[form]
        request = Request(seed=seed, variant=variant, convention=convention, rules=rules, size_overrides=size_overrides)
    return make_sheet_from_request(request, options=page)


def write_random_answers(sheet: Sheet, draw: random.Random) -> dict[str, str]:
    """Return what a student writes, by id of the cell: a slip or two, a cell or two of their own, in their spelling."""
    written = list_texts(sheet, work_randomly(sheet, draw).texts)
    frequency = draw.choice((0, 0, 0.02, 0.2))
    return {
        cell: _spell_oddly(text, draw) if text and draw.random() < frequency else text for cell, text in written.items()
    }


def work_randomly(sheet: Sheet, draw: random.Random) -> Student:
    """Return a student who has made a slip or two, and changed a cell or two."""
    student = Student(sheet, draw.choice(list(WritingStyle)))
    stages = [
        stage for stage in sheet.problem.mechanism.stages if not sheet.is_printed(stage) and sheet.has_own_panel(stage)
    ]
    slipped = draw.sample(stages, min(len(stages), draw.choice((0, 1, 1, 2))))
    changed = draw.sample(stages, min(len(stages), draw.choice((0, 0, 1, 2))))
    for stage in sheet.problem.mechanism.stages:
        right = work_stage(student.make_context(stage)) if stage in stages else None
        if stage not in stages or right is None:
            student.known_values[stage.name] = sheet.solution[stage.name].hand
            continue
        value = _make_mistake(sheet, stage, student, draw) if stage in slipped else right
        value = _keep_in_part(value, right, draw) if shape(value) == shape(right) else right
        try:
            student.write_stage(stage, _change_cells(value, draw) if stage in changed else value)
        except NumberError:  # no cell has room for it
            return student
    return student


def _make_mistake(sheet: Sheet, stage: Stage, student: Student, draw: random.Random) -> Matrix:
    context = student.make_context(stage)
    mistakes: list[Mistake] = [*(slip.compute_wrong for slip in find_slips(stage))] * 3
    mistakes += list_generic_mistakes(sheet, stage).values()
    mistakes.append(lambda at: tuple((0,) * len(row) for row in at.compute_correct()))
    mistakes += [lambda at: tuple(tuple(draw.randint(0, 1) for _ in row) for row in at.compute_correct())] * 5
    draw.shuffle(mistakes)
    return next(value for mistake in mistakes if (value := mistake(context)) is not None)


def _keep_in_part(wrong: Matrix, right: Matrix, draw: random.Random) -> Matrix:
    """Return a mistake as it was made everywhere, in one column, or in one row."""
    kind, at = draw.choice(("everywhere", "everywhere", "column", "row")), draw.random()
    line = int(at * len(right if kind == "row" else right[0]))
    return tuple(
        tuple(x if kind == "everywhere" or line == (i if kind == "row" else j) else own for j, (x, own) in pairs)
        for i, pairs in enumerate(enumerate(zip(*rows, strict=True)) for rows in zip(wrong, right, strict=True))
    )


def _change_cells(a: Matrix, draw: random.Random) -> Matrix:
    def change(value: Number) -> Number:
        return draw.choice((0, 1, -1, 2, 7)) if draw.random() < 0.15 else value

    return tuple(tuple(map(change, row)) for row in a)


def _spell_oddly(text: str, draw: random.Random) -> str:
    """Spell a number in another way, more or less precisely, or write something else."""
    ways: list[Callable[[], str]] = [
        lambda: text.replace("-", "−"),
        lambda: text.replace(".", ","),
        lambda: f" {text} ",
        lambda: "",
        lambda: "x",
        lambda: "-",
        lambda: "-inf",
        lambda: "1,234",
        lambda: draw.choice(("½", "1 1/2", "20 %", "1e3", "2.50", "0.3333333333333333", "9e999")),
        lambda: text[:-1],
        lambda: f"{text}0" if "." in text else f"{text}.00",
        lambda: draw.choice(("≈{}", "={}", "'{}", "({})", "{}…", "{} = 0.33", "\u2060{}", "${}$")).format(text),
        lambda: draw.choice(("{};", "ca. {}", "q11 = {}", "1 + 1 = {}", "0 + {} = {}", "{}·1", "1/({})")).format(
            text, text
        ),
        lambda: draw.choice(
            (
                "3×3",
                "1/(3^2)",
                "2·1 + (−1)·3 = -1",
                "1+1=3",
                "3⁻¹",
                "3^-2",
                "1/3²",
                "0.(3)",
                "0.66…",
                "1÷3",
                "1:9",
                "1-Mar",
                "2 cells",
            )
        ),
    ]
    return draw.choice(ways)()


def write_random_question_answers(sheet: Sheet, draw: random.Random) -> dict[str, str]:
    """Return what a student types for the questions: the answer, another, or something that may be none."""
    return {
        question.name: draw.choice(list_question_texts(sheet, question))
        for question in build_questions(sheet.key)
        if question.name
    }


def list_question_texts(sheet: Sheet, question: AskedQuestion) -> list[str]:
    """Return what may be typed for a question, the key's answer first."""
    key, words = question.plain_answer, [*sheet.problem.words, "saw"]
    choices = [text for choice in question.posed.question.choices for text in list_choice_spellings(sheet, choice)]
    spelled = (key.upper(), key[:-1], f" {key} !", key.replace("-", "−"), f"{key} {key}", f"token {key}")
    tokens = ("1", "2", "x₃", "Ｑ４", "1, 2", "2 and 1", "1;2;3", "0", "1234", "¹", "٣", f"{words[0]} 1", *words)
    said = ("not 1", "the second", "twice as much", "a quarter each", "-1", "2 or 3", "1 not 2", "no idea", "all three")
    numbers = (*said, "1/2", "½", "1/3", "0.33", "0,25", "25 %", "2", "2.0", "-1", "1,234", "∞", "2²", "1/0")
    changes = [
        f"{start}{place}{sign}{value}"
        for start, sign in (("W_Q[", "] = "), ("", "->"), ("(", ") TO "), ("h2.w_q [", "]="), ("W_K[", "]: "))
        for place in ("1,1", "2, 1", "1 2", "2.3", "9,1", "101,1")
        for value in ("9", "−7", "1/3", "0.1234567", "99999", "-inf", "x", "")
    ]
    texts = [key, *choices, "?", *spelled, *tokens, *numbers, *map(str.title, choices), *(each[:2] for each in choices)]
    return texts + (changes if "=" in key else ["W_Q[1,1] = 2", "", "  "])


def plant_slip(sheet: Sheet, mistaken: Stage, slip: Slip) -> dict[str, str]:
    """Return what a student writes who makes one slip, as far as that stage, by id of the cell."""
    student = Student(sheet, WritingStyle.FRACTIONS)
    stages = sheet.problem.mechanism.stages
    student.work_stages(stages[: stages.index(mistaken)])
    wrong = slip.compute_wrong(student.make_context(mistaken))
    if wrong is not None and shape(wrong) == shape(sheet.solution[mistaken.name].hand):
        student.write_stage(mistaken, wrong)
    return list_texts(sheet, student.texts)


def list_texts(sheet: Sheet, texts: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, str]:
    """Return what is written in the cells that are asked, by id."""
    return {
        make_cell_id(f"{stage.name}[{i + 1},{j + 1}]"): text
        for stage in sheet.problem.mechanism.stages
        for i, row in enumerate(texts.get(stage.name, ()))
        for j, text in enumerate(row)
        if (i, j) in sheet.list_asked_cells(stage)
    }


def mark_texts(sheet: Sheet, texts: dict[str, str]) -> Marks:
    """Mark what is written on a page, by id of the cell."""
    stages: dict[str, TextRows] = {}
    for stage in sheet.problem.mechanism.stages:
        hand, asked = sheet.solution[stage.name].hand, sheet.list_asked_cells(stage)
        if asked and sheet.has_own_panel(stage):
            stages[stage.name] = tuple(
                tuple(texts.get(make_cell_id(f"{stage.name}[{i + 1},{j + 1}]"), "") for j in range(len(row)))
                for i, row in enumerate(hand)
            )
    return _mark_stages(sheet, tuple(stages.items()))


@lru_cache(maxsize=32)  # many answer questions alone, and who reads answers off own numbers is marked twice
def _mark_stages(sheet: Sheet, stages: tuple[tuple[str, TextRows], ...]) -> Marks:
    return mark_sheet(Answers(code=None, stages=dict(stages)), sheet)


def collect_expected_marks(sheet: Sheet, texts: dict[str, str]) -> MarksById:
    """Return what the marker says of each cell and each question of a page."""
    marks = mark_texts(sheet, texts)
    reasons = collect_expected_reasons(sheet, marks)
    notes = {None: "", Note.TOO_FEW_DIGITS: "digits"}
    typed = Answers(code=None, stages={name: ((text,),) for name, text in texts.items()})
    asked = mark_questions(typed, sheet, marks.student_values)
    cells = {
        make_cell_id(cell.address): [
            cell.mark.value,
            notes.get(cell.note, str(cell.note)),
            reasons.get(cell.address, ""),
        ]
        for cell in marks.cells
    }
    return cells | {question.question.name: [question.mark.value, "", ""] for question in asked}


def collect_expected_reasons(sheet: Sheet, marks: Marks) -> dict[str, str]:
    """Return what is to be said of a slip at each cell that shows it, by address: of several, what is alike."""
    found = {}
    for diagnosis in marks.diagnoses:
        stage, key = sheet.problem.mechanism.get_stage(diagnosis.stage), "named" if diagnosis.is_certain else "perhaps"
        for cell in diagnosis.cells if diagnosis.slips else ():
            in_decimals = works_in_decimals(marks, sheet, cell)
            reasons = {
                explain_slip(
                    sheet, slip, stage, cell.row, cell.column, marks.student_values, cell.answer,
                    in_decimals=in_decimals,
                )
                for slip in diagnosis.slips
            }  # fmt: skip
            if len(reasons) == 1:
                named = sheet.say(f"feedback.{key}", actions=[describe_slip(sheet, diagnosis.slips[0], stage)])
                found[cell.address] = " ".join([named, *reasons])
    return found


def make_page_data(sheet: Sheet) -> dict[str, Any]:
    """Return what the script marks by, as it reads it."""
    data = {"key": describe_key(sheet), "places": sheet.problem.rules.decimals, "decimal_mark": "."}
    return dict(json.loads(json.dumps(data)))


MARK_ALL = "\n".join(map(read_script, SCRIPTS))
MARK_ALL = f"""([SHEET, students]) => {{ {MARK_ALL}
  return students.map((texts) => {{
    const isCell = ([id]) => KEY.questions.every(({{ name }}) => name !== id);
    const {{ marks, written, reasons }} = markSheet(Object.fromEntries(Object.entries(texts).filter(isCell)));
    const all = Object.values(marks).flat();
    const cells = all.map(({{ id, mark, note }}) => [id, [mark, mark === "unreadable" ? "" : note, reasons[id] ?? ""]]);
    const questions = Object.entries(markQuestions(texts, written)).map(([name, mark]) => [name, [mark, "", ""]]);
    return Object.fromEntries([...cells, ...questions]);
  }});
}}"""
"""A function that marks the sheets of several students: what the page knows, and what each wrote, by id of the cell."""


def find_disagreements(page: Page, count: int, seed: int = 1) -> Iterator[str]:
    """Yield every cell and question on which the page and the marker differ, of so many students."""
    draw, draw_answer = random.Random(seed), random.Random(seed)
    for _ in range(count // STUDENTS_PER_SHEET):
        sheet = make_random_sheet(draw)
        students = [
            write_random_answers(sheet, draw) | write_random_question_answers(sheet, draw_answer)
            for _ in range(STUDENTS_PER_SHEET)
        ]
        yield from compare_marks(page, sheet, students)


def find_class_disagreements(page: Page, count: int, seed: int = 1) -> Iterator[str]:
    """Yield every cell on which the page and the marker differ, of students of every kind and of those who make up."""
    students = [(kind, student) for kind, student in draw_students(count, seed, CLASS_KINDS)]
    students += [("made up", student) for student in draw_makers_up(random.Random(seed), count // len(CLASS_KINDS))]
    for kind, student in students:
        texts = list_texts(student.sheet, student.texts)
        yield from (f"{kind}: {each}" for each in compare_marks(page, student.sheet, [texts]))


def draw_makers_up(draw: random.Random, count: int) -> Iterator[fair_class.Student]:
    """Yield students who make up a stage or a few, and work on from there."""
    found = 0
    while found < count:
        topics = draw.choice((("queries",), ("scores",), ("scaled",), ("queries", "keys", "values"), ("powers",)))
        fill = draw.choice((fill_at_random, fill_with_one_a_column))
        if student := make_up(draw.choice(list(FORMS)), draw.randrange(1, 30), topics, fill):
            found += 1
            yield student


def compare_marks(
    page: Page, sheet: Sheet, students: list[dict[str, str]], expected_marks: list[MarksById] | None = None
) -> Iterator[str]:
    """Yield every difference between the page and the marker on one sheet, by what each student wrote."""
    found_marks = call_script(page, MARK_ALL, [make_page_data(sheet), students])
    expected_marks = expected_marks or [collect_expected_marks(sheet, texts) for texts in students]
    for texts, expected, found in zip(students, expected_marks, found_marks, strict=True):
        for cell in sorted({*expected, *found}):
            if found.get(cell) != expected.get(cell):
                yield f"{sheet.request} {texts}: {cell} {expected.get(cell)}, on the page {found.get(cell)}"


def main() -> None:
    """Mark random students' sheets twice and print the differences."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--students", type=int, default=2000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    with sync_playwright() as playwright:
        started = playwright.chromium.launch(executable_path=find_browser_path(), args=BROWSER_FLAGS)
        differences = list(find_disagreements(started.new_page(), options.students, options.seed))
        started.close()
    print(*differences, f"{options.students} students, {len(differences)} cells marked differently", sep="\n")


if __name__ == "__main__":
    main()
