"""What students type in on whom all markers must agree: one table for `check`, SCORM, Excel, STACK and notebooks.

Every marker is held to the share of cells that ``attnhand check`` counts, within a point of a hundred, on each case of
these. What a program cannot know is in ``ALLOWED_DIFFERENCES``, with its reason.
"""

import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from functools import partial
from itertools import pairwise

import attnhand
from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, format_decimal, format_exact, has_irrational, is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.solution import Solution, solve, solve_shifted, solve_without_shortcuts
from attnhand.errors import AttnhandError
from attnhand.marking.checked import CheckResult
from attnhand.sheet.questions import build_questions, list_offered_answers
from attnhand.sheet.sheet import Sheet
from tests.marking.handing_in import write_answers

LARGEST_DIFFERENCE = Fraction(1, 100)
"""Of the whole sheet: so near every marker must be to ``check``."""

Texts = Mapping[str, list[list[str]]]


class Kind(StrEnum):
    """What a student has done."""

    RIGHT = "right"
    SLIP = "one slip"
    TWO_SLIPS = "two slips"
    ZEROS = "zeros"
    UNIFORM = "uniform"
    RANDOM = "random"
    EMPTY_CELL = "one empty cell"
    DECIMALS = "decimals"
    COMMAS = "decimal commas"
    LARGEST_SUBTRACTED = "the largest subtracted"
    OTHER_CONVENTION = "the other convention"
    EXACT = "exact"
    QUESTIONS = "questions"


class Marker(StrEnum):
    """Who marks, beside ``check``."""

    SCORM = "SCORM"
    EXCEL = "Excel"
    STACK = "STACK"
    OTTER = "otter"


_FIXED_SHAPE = "its fields have the shape of the sheet's matrices"
_OTHER_PLACE = "its fields are matrices"

MADE_UP_TOPICS = (("queries", "keys", "values"), ("scores",), ("scaled",), ("powers",), ("weights",))
"""Stages that are made up together, by what they are about."""

ALLOWED_DIFFERENCES: Mapping[tuple[Marker, Kind], str] = {
    (Marker.EXCEL, Kind.OTHER_CONVENTION): _FIXED_SHAPE,
    (Marker.SCORM, Kind.OTHER_CONVENTION): _FIXED_SHAPE,
    (Marker.STACK, Kind.OTHER_CONVENTION): _FIXED_SHAPE,
    (Marker.STACK, Kind.QUESTIONS): _OTHER_PLACE,
}
"""Where a marker need not give what ``check`` gives, and why."""


LONGEST_NUMBER = 15
"""Digits that a spreadsheet's numbers have: fractions of made-up numbers may have more."""

LOOK_ALIKES = ("shifted-early", "base-e")
"""Slips that may be the whole sheet worked in another way: what comes after them tells which, and STACK sees none."""

ALLOWED_OF_SOME: Mapping[Marker, str] = {
    Marker.EXCEL: "a spreadsheet's numbers have no more",
    Marker.STACK: "a matrix is marked from those before it, and waits for none after it",
}
"""Where a marker need not give what ``check`` gives of some papers: of ``LONGEST_NUMBER``, of ``LOOK_ALIKES``."""


@dataclass(frozen=True, slots=True)
class Case:
    """One paper."""

    kind: Kind
    name: str
    texts: Texts
    """By stage, "" where nothing is asked or typed; the cell that is worked as an example holds what is printed."""

    answers: Mapping[str, str] = field(default_factory=dict)
    """To questions, by their names."""


def list_cases(sheet: Sheet) -> Iterator[Case]:
    """Yield every case of a sheet, always the same ones."""
    key = sheet.solution.collect_hand_values()
    yield Case(Kind.RIGHT, "right", _write(sheet, key))
    yield from _list_slips(sheet)
    yield from _list_made_up(sheet)
    yield from _list_gaps(sheet)
    yield from _list_spellings(sheet)
    yield from _list_other_ways(sheet)
    yield from _list_questions(sheet)


def check(sheet: Sheet, case: Case) -> CheckResult:
    """Mark a case as ``attnhand check`` does."""
    return attnhand.check({**case.texts, **case.answers}, sheet)


def find_check_share(sheet: Sheet, case: Case) -> Fraction:
    """Return the share of cells that count."""
    marks = check(sheet, case).marks
    return Fraction(int(marks.score), len(marks.cells))


def _write(sheet: Sheet, values: Mapping[str, Matrix], spell: Callable[[Number], str] = format_exact) -> Texts:
    """Return what is typed; what is printed stays as it is."""
    texts = write_answers(sheet, values, spell)
    if worked := sheet.worked_cell:
        name, row, column = worked
        texts[name][row][column] = format_exact(sheet.solution[name].hand[row][column])
    return texts


def _list_asked_stages(sheet: Sheet) -> list[Stage]:
    return [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]


def _carry_on(sheet: Sheet, made: Mapping[str, Matrix]) -> Mapping[str, Matrix] | None:
    """Return all matrices where some were made otherwise and the rest was worked on from them; None if it cannot be."""
    replaced = {}
    for name, a in made.items():
        rows = [list(row) for row in a]
        if (worked := sheet.worked_cell) and worked[0] == name:  # it is printed, and gone on with
            rows[worked[1]][worked[2]] = sheet.solution[name].hand[worked[1]][worked[2]]
        replaced[name] = tuple(map(tuple, rows))
    try:
        return solve(sheet.problem, replacements=replaced).collect_hand_values()
    except (AttnhandError, ArithmeticError):
        return None


def _find_slip_values(sheet: Sheet, stage: Stage, values: Mapping[str, Matrix]) -> Iterator[tuple[str, Matrix]]:
    """Yield what each slip makes of a stage, where it shows and can be typed."""
    context = StageContext(sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, values)
    for slip in find_slips(stage):
        try:
            a = slip.compute_wrong(context)
        except (AttnhandError, ArithmeticError):
            continue
        if a is not None and shape(a) == shape(values[stage.name]) and a != values[stage.name]:
            yield slip.id, a


def _list_slips(sheet: Sheet) -> Iterator[Case]:
    """Yield every slip of every stage with what follows from it, and pairs of slips at two stages."""
    key = sheet.solution.collect_hand_values()
    first: list[tuple[str, str, Matrix]] = []
    for stage in _list_asked_stages(sheet):
        found = list(_find_slip_values(sheet, stage, key))
        for slip, a in found:
            if values := _carry_on(sheet, {stage.name: a}):
                yield Case(Kind.SLIP, f"{slip} at {stage.name}", _write(sheet, values, partial(_spell_typed, sheet)))
        first += [(slip, stage.name, a) for slip, a in found if not any(map(has_irrational, a))][:1]
    for (one, early, a), (two, late, _) in pairwise(first):
        if (before := _carry_on(sheet, {early: a})) is None:
            continue
        second = dict(_find_slip_values(sheet, sheet.problem.mechanism.get_stage(late), before)).get(two)
        if second and (values := _carry_on(sheet, {early: a, late: second})):
            name = f"{one} at {early}, {two} at {late}"
            yield Case(Kind.TWO_SLIPS, name, _write(sheet, values, partial(_spell_typed, sheet)))


def _list_made_up(sheet: Sheet) -> Iterator[Case]:
    """Yield numbers out of nothing: throughout, or up to a stage and rightly worked on from there."""
    key = sheet.solution.collect_hand_values()
    stages = _list_asked_stages(sheet)
    draw = random.Random(sheet.code)

    def fill(names: list[str], pick: Callable[[], Number]) -> dict[str, Matrix]:
        return {name: tuple(tuple(pick() for _ in row) for row in key[name]) for name in names}

    every = [stage.name for stage in stages]
    for kind, pick in (
        (Kind.ZEROS, lambda: 0),
        (Kind.UNIFORM, lambda: 1),
        (Kind.RANDOM, lambda: draw.randint(0, 1)),
        (Kind.RANDOM, lambda: draw.randint(-3, 5)),
    ):
        yield Case(kind, f"{kind} throughout", _write(sheet, {**key, **fill(every, pick)}))
        for topics in MADE_UP_TOPICS:
            names = [stage.name for stage in stages if stage.topic in topics]
            if names and (values := _carry_on(sheet, fill(names, pick))):
                yield Case(kind, f"{kind} at {', '.join(names)}, and worked on", _write(sheet, values))


def _list_gaps(sheet: Sheet) -> Iterator[Case]:
    """Yield the key with one cell left empty, once at every stage.

    Where a stage then has nothing but what is printed, nobody has begun it: no cell of it is handed in.
    """
    worked = sheet.worked_cell
    for stage in _list_asked_stages(sheet):
        texts = {name: [list(row) for row in rows] for name, rows in _write(sheet, _collect_key(sheet)).items()}
        filled = [place for place in sheet.list_asked_cells(stage) if (stage.name, *place) != worked]
        i, j = filled[-1]
        texts[stage.name][i][j] = ""
        if worked and worked[0] == stage.name and len(filled) == 1:
            texts[stage.name][worked[1]][worked[2]] = ""
        yield Case(Kind.EMPTY_CELL, f"{stage.name}[{i + 1},{j + 1}] empty", texts)


def _list_spellings(sheet: Sheet) -> Iterator[Case]:
    """Yield the key in decimals and with commas, worked on exactly and from what was written, and a slip so."""
    key = _collect_key(sheet)
    spell = partial(_spell_rounded, sheet)
    yield Case(Kind.DECIMALS, "decimals", _write(sheet, key, spell))
    yield Case(Kind.COMMAS, "decimal commas", _write(sheet, key, lambda x: spell(x).replace(".", ",")))
    rounded: dict[str, Matrix] = {}
    for stage in _list_asked_stages(sheet):
        if (values := _carry_on(sheet, rounded)) is None:
            return
        hand = values[stage.name]
        if any(isinstance(x, Fraction) for row in hand for x in row):
            rounded[stage.name] = tuple(tuple(x if not is_finite(x) else Fraction(spell(x)) for x in r) for r in hand)
    if rounded and (values := _carry_on(sheet, rounded)):
        yield Case(Kind.DECIMALS, "rounded, and worked on from there", _write(sheet, values, spell))
    for case in _list_slips(sheet):
        if case.name.startswith(("other-axis", "truncated", "negative-power-negated")):
            texts = {
                name: [[_respell(sheet, text) for text in row] for row in rows] for name, rows in case.texts.items()
            }
            yield Case(Kind.DECIMALS, f"{case.name}, in decimals", texts)


def _list_other_ways(sheet: Sheet) -> Iterator[Case]:
    """Yield the whole sheet worked in another way."""
    key = _collect_key(sheet)
    solutions: list[tuple[Kind, Solution | None]] = [
        (Kind.LARGEST_SUBTRACTED, solve_shifted(sheet.solution)),
        (Kind.EXACT, solve_without_shortcuts(sheet.problem)),
    ]
    for kind, solution in solutions:
        if solution is not None:
            values = key | {solved.stage.name: solved.hand for solved in solution}
            yield Case(kind, kind.value, _write(sheet, values, partial(_spell_typed, sheet)))
    if shifted := solutions[0][1]:
        yield from _list_mixed(sheet, shifted)
    turned = {name: [list(line) for line in zip(*rows, strict=True)] for name, rows in _write(sheet, key).items()}
    yield Case(Kind.OTHER_CONVENTION, "all matrices turned", turned)


def _list_mixed(sheet: Sheet, shifted: Solution) -> Iterator[Case]:
    """Yield the key with one query's cells of a stage less the largest, but for the first: neither of both."""
    for stage in _list_asked_stages(sheet):
        key, other = sheet.solution[stage.name].hand, shifted[stage.name].hand
        lines: dict[int, list[tuple[int, int]]] = {}
        for i, j in sheet.list_asked_cells(stage):
            if (stage.name, i, j) != sheet.worked_cell and key[i][j] != other[i][j]:
                lines.setdefault(i if sheet.convention.is_rows else j, []).append((i, j))
        for query, (_, *places) in lines.items():
            if places:
                texts = _write(sheet, _collect_key(sheet))
                for i, j in places:
                    texts[stage.name][i][j] = format_exact(other[i][j])
                yield Case(Kind.LARGEST_SUBTRACTED, f"{stage.name} of query {query + 1} partly less the largest", texts)
                break


def _list_questions(sheet: Sheet) -> Iterator[Case]:
    """Yield the key with all questions right, and with all that have others to choose from wrong."""
    questions = [question for question in build_questions(sheet.key) if question.name]
    if not questions:
        return
    texts = _write(sheet, _collect_key(sheet))
    right = {question.name: question.plain_answer for question in questions}
    yield Case(Kind.QUESTIONS, "questions right", texts, right)
    wrong = {}
    for question in questions:
        assert question.posed.finding is not None
        answer = question.posed.finding.answer
        others = [words for each, words in list_offered_answers(sheet, question) if each != answer]
        wrong[question.name] = others[0] if others and not isinstance(answer, tuple) else "12345"
    yield Case(Kind.QUESTIONS, "questions wrong", texts, wrong)


def _collect_key(sheet: Sheet) -> dict[str, Matrix]:
    return sheet.solution.collect_hand_values()


def _spell_rounded(sheet: Sheet, value: Number) -> str:
    """Write a number to the sheet's places, a whole one as it is."""
    is_whole = not is_finite(value) or value == int(value)
    return format_exact(value) if is_whole else format_decimal(value, sheet.problem.rules.decimals)


def _spell_typed(sheet: Sheet, value: Number) -> str:
    """Write a fraction as one, and round what is none."""
    is_exact = isinstance(value, int | Fraction) or not is_finite(value)
    return format_exact(value) if is_exact else _spell_rounded(sheet, value)


def _respell(sheet: Sheet, text: str) -> str:
    return _spell_rounded(sheet, Fraction(text)) if "/" in text else text
