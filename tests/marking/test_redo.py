"""What feedback says is to be worked again: whoever does just that has everything right, and no cell too many."""

import os
import random
import re
from collections.abc import Iterator
from fractions import Fraction

import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms.cells import CellPosition
from attnhand.errors import AttnhandError
from attnhand.formats.answers import Answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.marking.redo import find_read_cells
from attnhand.problems.levels import Level
from attnhand.sheet.build_grids import format_short_name
from attnhand.sheet.sheet import Sheet
from tests.marking.fair_class import (
    HIDDEN,
    Mistakes,
    Student,
    draw_part,
    draw_slip,
    is_asked,
    list_columns,
    to_rows,
    work_sheet,
    write_fraction,
)

FORMS = ("self", "self-causal", "basic", "cross", "multi-head-2", "multi-head-2-causal", "block-1", "multi-query")

PAPERS = 2_000 if os.environ.get("ATTNHAND_TESTS") == "all" else 120


def draw_papers(count: int, seed: int) -> Iterator[Student]:
    """Yield students who made one to three mistakes, of the catalogue and others, throughout and in a part."""
    draw = random.Random(seed)
    while count:
        key = (draw.choice(FORMS), draw.choice(list(Convention)), draw.randrange(1, 60), draw.choice(list(Level)))
        try:
            sheet, columns = list_columns(key)
        except AttnhandError:
            continue
        stages = [stage for stage in sheet.problem.mechanism.stages if is_asked(sheet, stage)]
        mistakes: Mistakes = {}
        for _ in range(draw.randint(1, 3)):
            kind = draw.choice(["slip in a line", "slip and a cell", "single cells", "two together", "", "outside"])
            found = draw_part(draw, stages, kind) if " " in kind else draw_slip(draw, stages, outside=kind == "outside")
            mistakes |= found
        student = Student(sheet=sheet, kind="redo")
        if mistakes and work_sheet(student, columns, mistakes):
            count -= 1
            yield student


def check(student: Student) -> CheckResult:
    """Mark what was written."""
    texts = {name: tuple(map(tuple, rows)) for name, rows in student.texts.items()}
    return check_answers(Answers(code=None, stages=texts), student.sheet)


CELL = re.compile(r"(?P<name>\S+)\[(?P<row>\d+),(?P<column>\d+)\]")
SUBSCRIPTS = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")


def read_advice(advice: str, sheet: Sheet) -> set[CellPosition]:
    """Return the cells that an English sentence names, as a reader finds them on the sheet."""
    match = re.fullmatch(r"To put it right: (.*)\.", advice)
    assert match, advice
    found: set[CellPosition] = set()
    for step in match[1].split(", then "):
        if step.startswith("write "):
            clauses = [each[1] for each in re.finditer(r" into (\S+\](?: of head \d+)?)", step)]
        else:
            clauses = re.sub(r"^(correct|work again) ", "", step).split("; ")
        for clause in clauses:
            found |= read_clause(clause, sheet)
    return found


def read_clause(text: str, sheet: Sheet) -> set[CellPosition]:
    """Return the cells of "columns q₁ and q₃ of Σ and A of head 1", "S[1,2] and S[2,2]", "all of head 2"."""
    heads = re.fullmatch(r"all of head (\d+)", text) or re.search(r" of heads? ([\d, and]+)$", text)
    numbers = {int(number) for number in re.findall(r"\d+", heads[1])} if heads else None
    text = text[: heads.start()] if heads else text
    lines = re.match(r"(rows?|columns?) (?P<lines>.*?) of ", text)
    places = {int(n) - 1 for n in re.findall(r"\d+", lines["lines"].translate(SUBSCRIPTS))} if lines else None
    names = re.split(r", | and ", text[lines.end() :] if lines else text)
    found: set[CellPosition] = set()
    for stage in sheet.problem.mechanism.stages:
        if not sheet.count_answer_cells(stage) or (numbers and stage.head not in numbers):
            continue
        short = format_short_name(sheet, stage)
        for i, j in sheet.list_asked_cells(stage):
            at = i if lines and lines[1].startswith("row") else j
            is_meant = not text or (short in names and (places is None or at in places))
            if is_meant or f"{short}[{i + 1},{j + 1}]" in names:
                found.add((stage.name, i, j))
    return found


def differs(student: Student, place: CellPosition) -> bool:
    """Say whether something else than the key was written."""
    name, i, j = place
    text, key = student.texts[name][i][j], to_rows(student.sheet.solution[name].hand)[i][j]
    if not text:
        return False  # the worked cell
    return text != "-inf" if key is HIDDEN else text == "-inf" or Fraction(text) != key


@pytest.mark.parametrize("seed", range(4))
def test_who_does_what_it_says_has_everything_right(seed: int) -> None:
    """One to three mistakes of all kinds: each cell named differs from the key or reads one that does."""
    for student in draw_papers(PAPERS // 4, seed):
        sheet = student.sheet
        result = check(student)
        if result.marks.other_way or result.marks.is_all_correct:
            continue
        named = read_advice(result.feedback.redo_advice, sheet)
        where = (sheet.code, student.slips, result.feedback.redo_advice)
        wrong = {place for place in named if differs(student, place)}
        for name, i, j in named - wrong:
            assert find_read_cells(sheet, sheet.problem.mechanism.get_stage(name), i, j) & wrong, (name, i, j, where)
        for name, i, j in named:
            key = to_rows(sheet.solution[name].hand)[i][j]
            student.texts[name][i][j] = "-inf" if key is HIDDEN else write_fraction(key)
        assert check(student).is_all_correct, where


def test_the_numbers_to_write_are_the_keys() -> None:
    """What is to be copied from the report is right, whatever else went wrong."""
    seen = 0
    for student in draw_papers(40, 9):
        for number, name, row, column in re.findall(
            r"(\S+) into (\S+?)\[(\d+),(\d+)\](?! of)", check(student).feedback.redo_advice
        ):
            stages = [s for s in student.sheet.problem.mechanism.stages if format_short_name(student.sheet, s) == name]
            if len(stages) == 1:
                key = to_rows(student.sheet.solution[stages[0].name].hand)[int(row) - 1][int(column) - 1]
                assert number.replace("−", "-").replace("∞", "inf") == (
                    "-inf" if key is HIDDEN else write_fraction(key)
                )
                seen += 1
    assert seen > 10
