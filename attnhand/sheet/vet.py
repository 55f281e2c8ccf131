"""How good a sheet's numbers are for a class: every wish of a level, and where it is not met."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import combinations

from attnhand.attention.arithmetic import Scale
from attnhand.attention.matrix import Matrix, transposed
from attnhand.attention.mechanisms import Axis, Convention, Stage
from attnhand.attention.numbers import MINUS_INFINITY, Number, rounded, true_minus, written
from attnhand.attention.operations import ReLU, ScaleScores
from attnhand.attention.problem import Problem
from attnhand.attention.slips import VETTED_BY_RECIPE_1, slips_at
from attnhand.problems.levels import JOINED_DENOMINATOR, Level, requirements
from attnhand.problems.vetting import PREDICATES, Predicate, Worked, asked_of, differing, worked_stages
from attnhand.sheet.build_grids import labels
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain, marked_up

LARGEST_SHOWN = 1000
"""Of a denominator: what has a larger one is said as a decimal."""


@dataclass(frozen=True, slots=True)
class Looked:
    """A stage that is looked at, and the sheet whose words are used: cells are named as the sheet lies."""

    sheet: Sheet
    worked: Worked
    """In columns, as it was vetted."""

    @property
    def stage(self) -> Stage:
        """The stage, in columns."""
        return self.worked.desk.stage

    def say(self, key: str, **names: object) -> str:
        """Return a sentence as plain text."""
        return as_plain(marked_up(self.sheet.say(key, **names)))

    def cell(self, name: str, row: int, column: int) -> str:
        """Return the address of a cell that is given in columns, 0-based."""
        i, j = (column, row) if self.sheet.is_rows else (row, column)
        return f"{name}[{i + 1},{j + 1}]"

    def line(self, axis: Axis, at: int, *, is_row: bool) -> str:
        """Return what a line of a matrix in columns is called: q₂, or row 2 where it is only numbered."""
        letter = as_plain(labels(self.sheet, axis)[at].letter)
        if axis.letter:
            return letter
        lies = "row" if is_row is not self.sheet.is_rows else "column"
        return self.say("vet.line", line=self.say(f"line.{lies}s"), at=letter)

    def asks(self, row: int, column: int) -> bool:
        """Say whether the sheet draws a cell that is given in columns, 0-based: it may ask some queries only."""
        rows, columns = self.sheet.asked_lines(self.sheet.problem.mechanism.stage(self.stage.name))
        return (row in columns and column in rows) if self.sheet.is_rows else (row in rows and column in columns)

    def show(self, value: Number) -> str:
        """Return a number as the sheet would print it, fractions whole."""
        whole = not isinstance(value, Decimal) and value.denominator <= LARGEST_SHOWN
        return true_minus(written(value) if whole else rounded(value, self.sheet.problem.rules.decimals))


def _rows_alive(looked: Looked) -> Iterator[str]:
    stage, made = looked.stage, looked.worked.output
    yield from _zero_lines(looked, made)
    rows, columns = len(made), len(made[0])
    for one, other in _equal(made):
        yield _equal_lines(looked, stage.rows, one, other, is_row=True)
    if columns > 4 or rows < 3:
        return  # there is no room for all columns to differ, or too many to ask it
    alike = looked.worked.requirements.alike or tuple(range(columns))
    for one, other in _equal(transposed(made)):
        if not (looked.asks(0, one) and looked.asks(0, other)):
            continue
        if len(alike) != columns or alike[one] != alike[other]:
            yield _equal_lines(looked, stage.columns, one, other, is_row=False)


def _zero_lines(looked: Looked, made: Matrix, *, columns_too: bool = True) -> Iterator[str]:
    stage = looked.stage
    for axis, lines, is_row in ((stage.rows, made, True), (stage.columns, transposed(made), False)):
        if is_row or columns_too:
            for at, line in enumerate(lines):
                if not any(line) and (is_row or looked.asks(0, at)):
                    yield _begun(looked.say("vet.zero", line=looked.line(axis, at, is_row=is_row), name=stage.name))


def _equal(lines: Matrix) -> Iterator[tuple[int, int]]:
    return ((i, j) for i, j in combinations(range(len(lines)), 2) if lines[i] == lines[j])


def _equal_lines(looked: Looked, axis: Axis, one: int, other: int, *, is_row: bool) -> str:
    first, second = (looked.line(axis, at, is_row=is_row) for at in (one, other))
    return _begun(looked.say("vet.equal", one=first, other=second, name=looked.stage.name))


def _begun(sentence: str) -> str:
    """Begin with a capital letter, unless a line's letter stands there: q₂ is no Q₂."""
    return sentence[0].upper() + sentence[1:] if sentence[1:2].islower() else sentence


def _features_used(looked: Looked) -> Iterator[str]:
    for at, row in enumerate(looked.worked.inputs[0]):
        if not any(row):
            yield looked.say("vet.unused", feature=at + 1)


def _floor_shows(looked: Looked) -> Iterator[str]:
    name = looked.stage.reads[0]
    shown = [place for place, score in _cells(looked.worked.inputs[0]) if score < 0 and score % 2 == 1]
    yield (
        looked.say("vet.floor.one", cell=looked.cell(name, *shown[0]))
        if shown
        else looked.say("vet.floor.none", name=name)
    )


def _in_range(looked: Looked) -> Iterator[str]:
    wanted, name, sheet = looked.worked.requirements, looked.stage.reads[0], looked.sheet
    rows, columns = sheet.asked_lines(sheet.problem.mechanism.stage(name))
    for (i, j), score in _cells(sheet.solution[name].hand):
        if i in rows and j in columns and score != MINUS_INFINITY and not wanted.lowest <= score <= wanted.highest:
            yield looked.say(
                "vet.range",
                cell=f"{name}[{i + 1},{j + 1}]",
                value=looked.show(score),
                lowest=true_minus(str(wanted.lowest)),
                highest=wanted.highest,
            )


def _has_negative(looked: Looked) -> Iterator[str]:
    yield looked.say("vet.negative", name=looked.stage.reads[0])


def _not_flat(looked: Looked) -> Iterator[str]:
    for at, column in enumerate(looked.worked.visible):
        if len(column) > 1 and len(set(column)) == 1 and looked.asks(0, at):
            yield looked.say("vet.flat", query=looked.line(looked.stage.columns, at, is_row=False))


def _few_on_top(looked: Looked) -> Iterator[str]:
    alike = looked.worked.requirements.alike
    for at, column in enumerate(transposed(looked.worked.inputs[0])):
        if len(set(looked.worked.visible[at])) == 1 or not looked.asks(0, at):
            continue  # that it is flat is told already
        on_top = [i for i, score in enumerate(column) if score == max(column)]
        if len({alike[i] for i in on_top} if alike else on_top) > looked.worked.requirements.most_on_top:
            *first, last = (str(i + 1) for i in on_top)
            tokens = f"{', '.join(first)} {looked.say('and')} {last}"
            yield looked.say("vet.tie", query=looked.line(looked.stage.columns, at, is_row=False), tokens=tokens)


def _readable(looked: Looked) -> Iterator[str]:
    limit = looked.worked.requirements.largest_denominator or 0
    if looked.stage.topic != "weights":
        limit = max(JOINED_DENOMINATOR, limit)
    asked = [(place, value) for place, value in _cells(looked.worked.output) if looked.asks(*place)]
    (i, j), worst = max(asked, key=lambda each: Fraction(each[1]).denominator)
    if Fraction(worst).denominator <= limit:
        return
    yield looked.say(
        "vet.denominator",
        name=looked.stage.name,
        value=true_minus(written(worst)),
        cell=looked.cell(looked.stage.name, i, j),
        largest=Fraction(worst).denominator,
        limit=limit,
    )


def _layer_alive(looked: Looked) -> Iterator[str]:
    return _zero_lines(looked, looked.worked.output, columns_too=False)


def _bends(looked: Looked) -> Iterator[str]:
    entering, name = looked.worked.inputs[0], looked.stage.reads[0]
    assert isinstance(looked.stage.operation, ReLU)
    nothing_left = max(map(max, entering)) <= 0
    yield looked.say("vet.bends.none" if nothing_left else "vet.bends.all", name=name)


def _slips_show(looked: Looked) -> Iterator[str]:
    worked, stage = looked.worked, looked.stage
    seen: dict[Matrix, str] = {}
    for slip in slips_at(stage, VETTED_BY_RECIPE_1):
        wrong = slip.wrong(worked.desk)
        if wrong is None:
            continue
        names = {"told": looked.say(f"slip.{slip.id}"), "slip": slip.id, "name": stage.name}
        count = differing(worked.output, wrong)
        if count == 0:
            yield looked.say("vet.slip.hidden", **names)
        elif count == 1:
            pairs = zip(_cells(worked.output), _cells(wrong), strict=True)
            place = next(place for (place, right), (_, other) in pairs if right != other)
            yield looked.say("vet.slip.one", cell=looked.cell(stage.name, *place), **names)
        elif wrong in seen:
            yield looked.say("vet.slip.alike", other=seen[wrong], **names)
        seen.setdefault(wrong, slip.id)


def _cells(a: Matrix) -> Iterable[tuple[tuple[int, int], Number]]:
    return (((i, j), value) for i, row in enumerate(a) for j, value in enumerate(row))


REASONS: Mapping[str, Callable[[Looked], Iterator[str]]] = {
    "rows-alive": _rows_alive,
    "features-used": _features_used,
    "floor-shows": _floor_shows,
    "slips-show": _slips_show,
    "in-range": _in_range,
    "negative-score": _has_negative,
    "not-flat": _not_flat,
    "few-on-top": _few_on_top,
    "readable": _readable,
    "layer-alive": _layer_alive,
    "bends": _bends,
}
"""By the name of the wish; asked only where it is not met."""


MOST_FAULTS = 4
"""Of one wish, so many are told."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """One thing that makes a sheet good, and whether it is so here; every text is plain Unicode."""

    name: str
    """Of its predicate: ``few-on-top``."""

    told: str
    """What is wished for: "Every query has a clear favourite"."""

    stages: tuple[str, ...]
    """Where it was looked for."""

    faults: tuple[str, ...]
    """Where it is not met, a sentence each; none where it is."""

    helps: str
    """What would help; empty where it is met."""

    @property
    def is_met(self) -> bool:
        """Say whether nothing is amiss."""
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class VetReport:
    """Everything that is wished of a sheet at its level."""

    level: Level
    verdict: str
    """One sentence for whoever is about to print it."""

    wishes: tuple[Wish, ...]
    """In the order in which a sheet is worked."""

    @property
    def is_good(self) -> bool:
        """Say whether every wish is met."""
        return all(wish.is_met for wish in self.wishes)


def vet(sheet: Sheet) -> VetReport:
    """Say how good the numbers of a sheet are for a class: at its level, or for your own matrices at the standard one.

    >>> from attnhand.sheet.make import sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> vet(sheet_from_request(Request(seed=7))).verdict
    'Good for a class: all 12 wishes of level standard are met.'

    Your own matrices that make a good warm-up are called that.
    """
    if sheet.request:
        return _reported(sheet, sheet.request.level)
    report = _reported(sheet, Level.STANDARD)
    easier = report if report.is_good else _reported(sheet, Level.WARM_UP, key="vet.good.easier")
    return easier if easier.is_good else report


def _reported(sheet: Sheet, level: Level, key: str = "vet.good") -> VetReport:
    looked = _looked_at(sheet, level)
    wishes = tuple(wish for predicate in PREDICATES for wish in _wishes(sheet, predicate, looked))
    amiss = sum(not wish.is_met for wish in wishes)
    if amiss > 1:
        verdict = sheet.say("vet.some", count=sheet.say("vet.counts").split()[amiss - 2])
    else:
        verdict = sheet.say("vet.one" if amiss else key, count=len(wishes), level=level)
    return VetReport(level=level, verdict=verdict, wishes=wishes)


def _looked_at(sheet: Sheet, level: Level) -> list[Worked]:
    """Work every stage as far as integers and fractions go, with tokens as columns."""
    problem: Problem = sheet.problem
    if problem.convention is Convention.ROWS:
        problem = problem.transposed()
    wanted = requirements(
        level,
        problem.sizes.get("memory", problem.sizes["tokens"]),
        problem.hand,
        ties=bool(sheet.request and sheet.request.ties),
        alike=problem.form.alike,
    )
    return list(worked_stages(problem.mechanism, problem.mechanism.stages, dict(problem.given), wanted))


def _wishes(sheet: Sheet, predicate: Predicate, looked: list[Worked]) -> Iterator[Wish]:
    """Return the wish of a predicate, over all heads; none where the mechanism or the level does not ask it."""
    asked = [worked for worked in looked if asked_of(predicate, worked) and _says_something(predicate, worked)]
    if not asked:
        return
    topic = f".{asked[0].desk.stage.topic}" if predicate.name == "slips-show" else ""
    poor = [Looked(sheet, worked) for worked in asked if not predicate.holds(worked)]
    faults = [fault for each in poor for fault in REASONS[predicate.name](each)]
    if poor and not faults:
        return  # another wish tells it
    told = faults[:MOST_FAULTS]
    if len(faults) > MOST_FAULTS:
        told.append(sheet.say("vet.more", count=len(faults) - MOST_FAULTS))
    helps = sheet.say("vet.helps", told=sheet.say(f"vet.helps.{predicate.name}{topic}")) if faults else ""
    yield Wish(
        name=predicate.name,
        told=as_plain(marked_up(sheet.say(f"vet.wish.{predicate.name}{topic}"))),
        stages=tuple(worked.desk.stage.name for worked in asked),
        faults=tuple(told),
        helps=helps,
    )


def _says_something(predicate: Predicate, worked: Worked) -> bool:
    """Say whether the wish can be missed at this level and by these rules; if not, that it is met says nothing."""
    if predicate.at is ScaleScores and worked.requirements.arithmetic.rules.scale is not Scale.HALF_FLOOR:
        return False
    return worked.requirements.shows_fractions or predicate.name not in ("floor-shows", "negative-score")
