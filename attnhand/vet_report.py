"""How good a sheet's numbers are for a class: every wish of a level, and where it is not met."""

from collections.abc import Iterator
from dataclasses import dataclass

from attnhand.arithmetic import Scale
from attnhand.levels import Level, requirements
from attnhand.mechanisms import Convention
from attnhand.operations import ScaleScores
from attnhand.problem import Problem
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import as_plain, marked_up
from attnhand.vet_reasons import REASONS, Looked
from attnhand.vetting import PREDICATES, Predicate, asked_of
from attnhand.worked_stage import Worked, worked_stages

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

    >>> from attnhand.make import sheet_from_request
    >>> from attnhand.request import Request
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
