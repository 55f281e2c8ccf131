"""Students who make up numbers and work on from there, and what they earn: bounds that no made-up sheet may pass."""

import random
from collections.abc import Callable
from fractions import Fraction

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Stage
from attnhand.formats.answers import Answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.problems.levels import Level
from tests.marking.fair_class import Mistakes, Rows, Student, is_asked, list_columns, work_sheet

Fill = Callable[[random.Random, int, int], Rows]
"""What is written for a matrix of so many rows and columns."""


def fill_at_random(draw: random.Random, rows: int, columns: int) -> Rows:
    """Write 0 or 1 everywhere."""
    return [[Fraction(draw.randint(0, 1)) for _ in range(columns)] for _ in range(rows)]


def fill_with_one_a_column(draw: random.Random, rows: int, columns: int) -> Rows:
    """Write one 1 in every column, and zeros."""
    found = [[Fraction(0)] * columns for _ in range(rows)]
    for j in range(columns):
        found[draw.randrange(rows)][j] = Fraction(1)
    return found


def make_up(form: str, seed: int, topics: tuple[str, ...], fill: Fill, level: Level = Level.STANDARD) -> Student | None:
    """Return who worked a sheet up to these stages, made those up, and went on from there rightly."""
    sheet, columns = list_columns((form, Convention.COLUMNS, seed, level))
    draw = random.Random(seed)
    student = Student(sheet=sheet, kind="made up")

    def make(_: Student, stage: Stage, __: Stage, right: Rows) -> Rows:
        return fill(draw, len(right), len(right[0]))

    stages = sheet.problem.mechanism.stages
    mistakes: Mistakes = {
        stage.name: ("", make) for stage in stages if stage.topic in topics and is_asked(sheet, stage)
    }
    return student if work_sheet(student, columns, mistakes) else None


def check(student: Student) -> CheckResult:
    """Mark what was written."""
    texts = {name: tuple(map(tuple, rows)) for name, rows in student.texts.items()}
    return check_answers(Answers(code=None, stages=texts), student.sheet)


def find_share(result: CheckResult) -> Fraction:
    """Return the share of cells that count."""
    return Fraction(int(result.marks.score), len(result.marks.cells))
