"""A simulated class: every mistake made at its stage and carried on honestly, and what the marker says of it.

``python -m tests.marking.simulated_class --seeds 100`` prints a table; the everyday test looks at a few seeds.
"""

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from itertools import product

from attnhand.attention.arithmetic import EXACT, HAND, Rules
from attnhand.attention.mechanisms import Convention, Stage
from attnhand.attention.mechanisms.base import bare
from attnhand.attention.numbers import Number, as_float
from attnhand.attention.slips import slips_at
from attnhand.formats.answers import Answers, Texts
from attnhand.marking.diagnosis import Diagnosis, diagnosed
from attnhand.marking.evidence import SINGLE_CELL
from attnhand.marking.mark import marked
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.marking.students import Earlier, Mistake, Student, Way, generics_at, worked


class Verdict(StrEnum):
    """What the marker said of one mistake."""

    NAMED = "named"
    PERHAPS = "perhaps"
    SEVERAL = "several"
    """It is among several that look alike."""

    WRONGLY = "wrongly"
    """Another mistake was named, or one at another stage."""

    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One mistake that somebody made, and what was said."""

    stage: str
    mistake: str
    verdict: Verdict
    is_distinguishable: bool
    """Whether nothing else gives what was written, and two cells show it."""

    mismarked: str
    """What is wrong with the marks; empty if nothing is."""

    told: tuple[Diagnosis, ...]


def class_of(sheet: Sheet, way: Way, earlier: Earlier | None = None) -> Iterator[Said]:
    """Make every mistake of every stage, one student each, and yield what is said of it.

    Args:
        earlier: a mistake that all of them have made before, and its stage.
    """
    stages = sheet.problem.mechanism.stages
    so_far = Student(sheet, way)
    has_begun = earlier is None
    for place, stage in enumerate(stages):
        if has_begun and not sheet.is_printed(stage) and sheet.is_drawn(stage):
            if worked(so_far.desk(stage)) is None:
                return  # nobody can go on from here
            yield from _class_at(stage, so_far, stages[place + 1 :], earlier)
        made = earlier[1](so_far.desk(stage)) if earlier and earlier[0] == stage.name else None
        if made is None:
            so_far.go_on((stage,))
        else:
            so_far.write(stage, made)
            has_begun = True


def _class_at(stage: Stage, so_far: Student, later: tuple[Stage, ...], earlier: Earlier | None) -> Iterator[Said]:
    sheet, desk = so_far.sheet, so_far.desk(stage)
    generics = generics_at(sheet, stage)
    mistakes: dict[str, Mistake] = {**{slip.id: slip.wrong for slip in slips_at(stage)}, **generics}
    made = {name: value for name, mistake in mistakes.items() if (value := mistake(desk)) is not None}
    texts = {name: so_far.written(stage, value) for name, value in made.items()}
    right = so_far.written(stage, desk.right())
    for name, value in made.items():
        alike = {other for other in texts if other != name and texts[other] == texts[name]}
        twins = alike if name in generics else alike - generics.keys()
        shown = _shown(texts[name], right)
        is_calculated = so_far.way is Way.CALCULATOR
        if shown == 0 or (is_calculated and name == "rounded-early"):  # who rounds early has no digits to go on with
            continue
        # a number from nowhere has digits that nobody knows: what follows from it may be off by one
        is_from_nowhere = is_calculated and name == SINGLE_CELL
        student = so_far.copy()
        student.write(stage, value)
        student.go_on(later)
        marks = marked(Answers(code=None, stages=student.texts), sheet)
        told = tuple(one for one in diagnosed(marks, sheet) if earlier is None or one.stage != earlier[0])
        yield Said(
            stage=stage.name,
            mistake=name,
            # one cell that differs is one cell, whatever was done
            verdict=_verdict(told, stage, name, twins | ({SINGLE_CELL} if shown == 1 else set())),
            is_distinguishable=not twins and (name == SINGLE_CELL or shown > 1),
            mismarked="" if earlier or is_from_nowhere else _mismarked(marks, sheet, stage),
            told=told,
        )


def _shown(texts: Texts, right: Texts) -> int:
    """Count the cells that show a mistake: all, where the shape is another."""
    pairs = [(i, j, text) for i, row in enumerate(texts) for j, text in enumerate(row)]
    if (len(texts), len(texts[0])) != (len(right), len(right[0])):
        return len(pairs)
    return sum(text != right[i][j] for i, j, text in pairs)


def _verdict(told: tuple[Diagnosis, ...], stage: Stage, mistake: str, twins: set[str]) -> Verdict:
    if any(diagnosis.stage != stage.name for diagnosis in told):
        return Verdict.WRONGLY
    slips = told[0].slips if told else ()
    if not slips:
        return Verdict.MISSED
    if mistake not in slips:
        return Verdict.SEVERAL if set(slips) <= twins else Verdict.WRONGLY
    if len(slips) > 1:
        return Verdict.SEVERAL
    return Verdict.NAMED if told[0].is_named else Verdict.PERHAPS


def _mismarked(marks: Marks, sheet: Sheet, at: Stage) -> str:
    """Say what is wrong with the marks: all before is correct, all after correct or following, no wrong one right."""
    order = [stage.name for stage in sheet.problem.mechanism.stages]
    is_trivial = any(cell.note is Note.TRIVIAL for cell in marks.cells)
    for cell in marks.cells:
        if order.index(cell.stage) < order.index(at.name):
            fine = cell.mark is Mark.CORRECT
        elif cell.stage != at.name:
            fine = cell.mark in (Mark.CORRECT, Mark.FOLLOWS, Mark.BLANK) or is_trivial
        elif at.name in marks.other_shapes:
            fine = cell.mark is Mark.WRONG
        else:
            rights = [cell.key, *([] if cell.from_yours is None else [cell.from_yours])]
            fine = (cell.mark is Mark.CORRECT) == any(_is_near(cell, right, sheet) for right in rights)
        if not fine:
            return f"{cell.address} {cell.answer} for {cell.key}, {cell.from_yours}: {cell.mark} {cell.note or ''}"
    return ""


def _is_near(cell: CellMark, right: Number, sheet: Sheet) -> bool:
    """Say whether a number is the right one, or a decimal that is half a unit from it."""
    if cell.value is None or not math.isfinite(cell.value) or not math.isfinite(right):
        return cell.value == right
    is_decimal = "." in cell.answer or isinstance(right, Decimal)
    return cell.value == right or (
        is_decimal and abs(as_float(cell.value) - as_float(right)) <= 0.5001 * 10**-sheet.problem.rules.decimals
    )


COLUMNS = ("made", *Verdict, "told apart", "and named", "mismarked")


def report(names: tuple[str, ...], seeds: range, rules: Rules = HAND) -> None:
    """Print a table: what is said of the mistakes of each mechanism, and below it what went amiss."""
    print(f"{'':32}", *(f"{column:>10}" for column in COLUMNS))
    amiss: dict[str, list[str]] = defaultdict(list)
    for name in names:
        counts: Counter[str] = Counter()
        for place, said in _all_said(name, seeds, rules):
            counts.update(_counted(said))
            if _is_amiss(said):
                told = said.mismarked or ", ".join(f"{one.stage}: {' '.join(one.slips)}" for one in said.told)
                line = f"{said.mistake} at {bare(said.stage)}: {'mismarked' if said.mismarked else said.verdict}"
                amiss[line].append(f"{place} {said.stage}: {told}")
        share = f"{counts['and named'] / counts['told apart']:.1%}"
        print(f"{name:32}", *(f"{counts[column]:>10}" for column in COLUMNS), f"{share:>7}", flush=True)
    for line, places in sorted(amiss.items(), key=lambda item: -len(item[1])):
        print(f"{len(places):>5} {line}", *(f"        {place}" for place in places[:2]), sep="\n")


def _all_said(name: str, seeds: range, rules: Rules) -> Iterator[tuple[str, Said]]:
    """One sheet in three is written with fractions, one with decimals, one with a calculator, in both conventions."""
    for seed, (turn, convention) in product(seeds, enumerate(Convention)):
        way = list(Way)[(seed + turn) % len(Way)]
        sheet = sheet_from_request(Request(seed=seed, form=FORMS[name], convention=convention, rules=rules))
        for said in class_of(sheet, way):
            yield f"{name} {convention} {seed} {way}", said


def _counted(said: Said) -> list[str]:
    """Return the columns of the table in which it counts."""
    is_named = said.verdict is Verdict.NAMED
    return [
        "made",
        said.verdict,
        *(["told apart"] if said.is_distinguishable else []),
        *(["and named"] if said.is_distinguishable and is_named else []),
        *(["mismarked"] if said.mismarked else []),
    ]


def _is_amiss(said: Said) -> bool:
    is_missed = said.is_distinguishable and said.verdict is not Verdict.NAMED
    return is_missed or bool(said.mismarked) or said.verdict in (Verdict.WRONGLY, Verdict.MISSED)


def main() -> None:
    """Read the options and print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--forms", nargs="*", default=list(FORMS), choices=list(FORMS))
    parser.add_argument("--exact", action="store_true", help="by the rules of attention as it is")
    options = parser.parse_args()
    report(tuple(options.forms), range(options.seeds), EXACT if options.exact else HAND)


if __name__ == "__main__":
    main()
