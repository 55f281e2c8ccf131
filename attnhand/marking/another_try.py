"""A try on new numbers: a few cells at the stage of the slip, for whoever has just read what went wrong there."""

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, replace

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, format_decimal, format_exact, has_irrational, use_typographic_signs
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import AttnhandError
from attnhand.marking.departures import Departure, find_departures
from attnhand.marking.marks import GENERIC_SLIPS, Marks, Note, Place
from attnhand.problems.request import MAX_SEED, Request
from attnhand.sheet.addresses import format_headed_address
from attnhand.sheet.hints import build_hints
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet

TRIED_CELLS = 3
"""So many cells are asked."""

SEARCHED_SHEETS = 4
"""Of so many other sheets the first is taken in which a slip shows in as many cells."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """One cell to be worked on other numbers."""

    line: str
    """What it is worked from: "S[1,3] = −5: scaled[1,3] = ?"."""

    steps: str
    """How it is worked, without its number."""

    value: Number
    answer: str
    """Its number, as a key has it."""


@dataclass(frozen=True, slots=True)
class AnotherTry:
    """Cells to be worked on other numbers, and what comes out."""

    heading: str
    lines: tuple[str, ...]
    """What each cell is worked from: "S[1,3] = −5: scaled[1,3] = ?"."""

    answers: tuple[str, ...]
    sheet: Sheet
    """That the numbers are of, in the language of the report."""

    @property
    def turned_answers(self) -> str:
        """The answers, to be printed upside down."""
        return self.sheet.say("feedback.try.answers", answers=self.answers)

    @property
    def backward_answers(self) -> str:
        """The answers from right to left, for a line that cannot be turned: nobody reads them by chance."""
        return self.sheet.say("feedback.try.backwards", answers=" · ".join(self.answers)[::-1])


def make_another_try(marks: Marks, sheet: Sheet) -> AnotherTry | None:
    """Return a try at the stage of the first slip, else where something first went wrong; None where nothing did.

    The cells are such in which the slip would show again.
    """
    departures = [each for each in find_departures(marks, sheet) if _is_of_work(each)]
    if not departures:
        return None
    departure = next(filter(_list_named_slips, departures), departures[0])
    slips = _list_named_slips(departure)
    with suppress(AttnhandError):
        sheets = [
            make_sheet_from_request(choose_other_numbers(sheet, step), PageOptions(language=sheet.language.code))
            for step in range(1, SEARCHED_SHEETS + 1)
        ]
        stages = [each.problem.mechanism.get_stage(departure.first.stage) for each in sheets]
        pairs = [*zip(sheets, stages, strict=True)]
        shown = (pair for pair in pairs if len(_list_shown_cells(*pair, slips)) >= TRIED_CELLS)
        new_sheet, stage = next(shown, pairs[0])
        exercises = list_exercises(new_sheet, stage, slips)
        lines = tuple(each.line for each in exercises)
        answers = tuple(each.answer for each in exercises)
        return AnotherTry(new_sheet.say("feedback.try"), lines, answers, new_sheet)
    return None


def _is_of_work(departure: Departure) -> bool:
    return not departure.is_habit and departure.first.note not in (Note.SHAPE, Note.PRINTED)


def _list_named_slips(departure: Departure) -> tuple[str, ...]:
    """Return the slips of the catalogue that it may be."""
    slips = departure.diagnosis.slips if departure.diagnosis else ()
    return tuple(slip for slip in slips if slip not in GENERIC_SLIPS)


def choose_other_numbers(sheet: Sheet, step: int = 1) -> Request:
    """Return what to ask for a sheet of the same kind with other numbers; each step has its own."""
    request, problem = sheet.request, sheet.problem
    if request is None or request.story is not None:
        seed = 0 if request is None else request.seed
        plain = Request(seed=seed, variant=problem.variant, convention=sheet.convention, rules=problem.rules)
        return replace(plain, seed=(seed + step) % (MAX_SEED + 1))
    return replace(request, seed=(request.seed + step) % (MAX_SEED + 1))


def _choose_cells(sheet: Sheet, stage: Stage, slips: tuple[str, ...]) -> Iterator[Place]:
    """Yield cells, those first in which a slip shows, each with a number of its own as long as there are such."""
    key = sheet.solution[stage.name].hand
    shown = _list_shown_cells(sheet, stage, slips)
    distinct = list({key[i][j]: (i, j) for i, j in reversed(shown)}.values())[::-1]
    found = dict.fromkeys([*distinct, *shown, *sheet.list_asked_cells(stage)])
    yield from sorted([*found][:TRIED_CELLS])


def _list_shown_cells(sheet: Sheet, stage: Stage, slips: tuple[str, ...]) -> list[Place]:
    """Return the asked cells in which the first of some slips shows; all where there is none to look for."""
    key, wrong = sheet.solution[stage.name].hand, _make_slip(sheet, stage, slips)
    return [(i, j) for i, j in sheet.list_asked_cells(stage) if wrong is None or wrong[i][j] != key[i][j]]


def _make_slip(sheet: Sheet, stage: Stage, slips: tuple[str, ...]) -> Matrix | None:
    """Return what the first of these slips gives on the new numbers; None where it gives nothing of that shape."""
    problem = sheet.problem
    context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, sheet.solution.collect_hand_values())
    for slip in find_slips(stage, slips[:1]):
        if slip.has_same_shape and (wrong := slip.compute_wrong(context)) is not None:
            return wrong
    return None


def list_exercises(sheet: Sheet, stage: Stage, slips: tuple[str, ...]) -> list[Exercise]:
    """Return a few cells of a sheet to be worked, those in which a slip shows before others."""
    values = sheet.solution.collect_hand_values()

    def write(number: Number) -> str:
        text = (
            format_decimal(number, sheet.problem.rules.decimals) if has_irrational([number]) else format_exact(number)
        )
        return use_typographic_signs(sheet.language.localize(text))

    def write_cell(name: str, row: int, column: int) -> str:
        return write(values[name][row][column])

    exercises = []
    for i, j in _choose_cells(sheet, stage, slips):
        hints = build_hints(sheet, stage, i, j, write_cell)
        cell = format_headed_address(sheet, stage.name, i, j)
        exercises.append(
            Exercise(
                line=sheet.say("feedback.try.cell", sources=hints.sources, cell=cell),
                steps=hints.steps,
                value=values[stage.name][i][j],
                answer=write(values[stage.name][i][j]),
            )
        )
    return exercises
