"""A simulated class: every mistake made at its stage and carried on honestly, and what the marker says of it.

``python -m tests.marking.simulated_class --seeds 100`` prints a table; the everyday test looks at a few seeds. With
``--students 10000`` it prints that of ``tests.marking.fair_class`` instead: all kinds of students, judged apart.
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
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, flatten
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.numbers import Number, to_float
from attnhand.attention.slips import find_slips
from attnhand.formats.answer_tables import TextRows
from attnhand.formats.answers import Answers
from attnhand.marking.diagnosis import diagnose_stages
from attnhand.marking.mark import mark_answers
from attnhand.marking.marks import SINGLE_CELL, CellMark, Diagnosis, Marks, Note
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.marking.fair_class import format_table, run_class
from tests.marking.students import EarlierMistake, Mistake, Student, WritingStyle, list_generic_mistakes, work_stage


class Verdict(StrEnum):
    """What the marker said of one mistake."""

    NAMED = "named"
    PERHAPS = "perhaps"
    SEVERAL = "several"
    """It is among several that look alike."""

    WRONG = "wrongly"
    """Another mistake was named, or one at another stage."""

    MISSED = "missed"


@dataclass(frozen=True, slots=True, kw_only=True)
class MistakeOutcome:
    """One mistake that a student made, and the marker's diagnoses."""

    stage: str
    mistake: str
    verdict: Verdict
    is_distinguishable: bool
    """Whether nothing else gives what was written, and two cells show it."""

    wrong_mark: str
    """What is wrong with the marks; empty if nothing is."""

    diagnoses: tuple[Diagnosis, ...]


def simulate_class(
    sheet: Sheet, style: WritingStyle, earlier: EarlierMistake | None = None
) -> Iterator[MistakeOutcome]:
    """Make every mistake of every stage, one student each, and yield each with its diagnoses.

    Args:
        earlier: a mistake that all of them have made before, and its stage.
    """
    stages = sheet.problem.mechanism.stages
    so_far = Student(sheet, style)
    has_begun = earlier is None
    for place, stage in enumerate(stages):
        if has_begun and not sheet.is_printed(stage) and sheet.has_own_panel(stage):
            if work_stage(so_far.make_context(stage)) is None:
                return  # nobody can go on from here
            yield from _simulate_stage(stage, so_far, stages[place + 1 :], earlier)
        result = earlier[1](so_far.make_context(stage)) if earlier and earlier[0] == stage.name else None
        if result is None:
            so_far.work_stages((stage,))
        else:
            so_far.write_stage(stage, result)
            has_begun = True


def _simulate_stage(
    stage: Stage, earlier_student: Student, later: tuple[Stage, ...], earlier: EarlierMistake | None
) -> Iterator[MistakeOutcome]:
    sheet, context = earlier_student.sheet, earlier_student.make_context(stage)
    generics = list_generic_mistakes(sheet, stage)
    mistakes: dict[str, Mistake] = {**{slip.id: slip.compute_wrong for slip in find_slips(stage)}, **generics}
    results = {name: value for name, mistake in mistakes.items() if (value := mistake(context)) is not None}
    texts = {name: earlier_student.spell_stage(stage, value) for name, value in results.items()}
    right = earlier_student.spell_stage(stage, context.compute_correct())
    for name, value in results.items():
        alike = {other for other in texts if other != name and texts[other] == texts[name]}
        twins = alike if name in generics else alike - generics.keys()
        differing = _count_differing_cells(texts[name], right)
        is_calculated = earlier_student.style is WritingStyle.CALCULATOR
        # who rounds early has no digits to go on with
        if differing == 0 or (is_calculated and name == "rounded-early"):
            continue
        # a number from nowhere has digits that nobody knows: what follows from it may be off by one
        is_from_nowhere = is_calculated and name == SINGLE_CELL
        student = earlier_student.copy()
        student.write_stage(stage, value)
        student.work_stages(later)
        marks = mark_answers(Answers(code=None, stages=student.texts), sheet)
        diagnoses = tuple(one for one in diagnose_stages(marks, sheet) if earlier is None or one.stage != earlier[0])
        yield MistakeOutcome(
            stage=stage.name,
            mistake=name,
            # one cell that differs is one cell, whatever was done
            verdict=_judge_diagnoses(diagnoses, stage, name, twins | ({SINGLE_CELL} if differing == 1 else set())),
            is_distinguishable=not twins
            and (name == SINGLE_CELL or differing > 1)
            and not (name == "one-hot" and _is_rounded_to_whole(value, context.compute_correct())),
            wrong_mark="" if earlier or is_from_nowhere else _find_wrong_mark(marks, sheet, stage),
            diagnoses=diagnoses,
        )


def _is_rounded_to_whole(value: Matrix, right: Matrix) -> bool:
    """Say whether 1 and 0 may be 0.9 and 0.1 without their decimals."""
    return all(abs(to_float(x) - to_float(y)) <= 0.5 for x, y in zip(flatten(value), flatten(right), strict=True))


def _count_differing_cells(texts: TextRows, right: TextRows) -> int:
    """Count the cells that show a mistake: all, where the shape is another."""
    pairs = [(i, j, text) for i, row in enumerate(texts) for j, text in enumerate(row)]
    if (len(texts), len(texts[0])) != (len(right), len(right[0])):
        return len(pairs)
    return sum(text != right[i][j] for i, j, text in pairs)


def _judge_diagnoses(diagnoses: tuple[Diagnosis, ...], stage: Stage, mistake: str, twins: set[str]) -> Verdict:
    if any(diagnosis.stage != stage.name for diagnosis in diagnoses):
        return Verdict.WRONG
    slips = diagnoses[0].slips if diagnoses else ()
    if not slips:
        return Verdict.MISSED
    if mistake not in slips:
        return Verdict.SEVERAL if set(slips) <= twins else Verdict.WRONG
    if len(slips) > 1:
        return Verdict.SEVERAL
    return Verdict.NAMED if diagnoses[0].is_certain else Verdict.PERHAPS


def _find_wrong_mark(marks: Marks, sheet: Sheet, mistaken_stage: Stage) -> str:
    """Say what is wrong with the marks: all before is correct, all after correct or following, no wrong one right."""
    order = [stage.name for stage in sheet.problem.mechanism.stages]
    is_trivial = any(cell.note is Note.UNWORKED for cell in marks.cells)
    for cell in marks.cells:
        if order.index(cell.stage) < order.index(mistaken_stage.name):
            fine = cell.mark is Mark.CORRECT
        elif cell.stage != mistaken_stage.name:
            fine = cell.mark in (Mark.CORRECT, Mark.FOLLOWS, Mark.BLANK) or is_trivial
        elif mistaken_stage.name in marks.misshapen_answers:
            fine = cell.mark is Mark.WRONG
        else:
            rights = [cell.key, *([] if cell.from_yours is None else [cell.from_yours])]
            # what decimals before it may stand for is judged by tests.marking.test_own_line
            is_within = cell.mark is Mark.CORRECT and cell.note is Note.ROUNDED
            fine = is_within or (cell.mark is Mark.CORRECT) == any(_is_near(cell, right, sheet) for right in rights)
        if not fine:
            return f"{cell.address} {cell.answer} for {cell.key}, {cell.from_yours}: {cell.mark} {cell.note or ''}"
    return ""


def _is_near(cell: CellMark, right: Number, sheet: Sheet) -> bool:
    """Say whether a number is the right one, or a decimal that is half a unit from it."""
    if cell.value is None or not math.isfinite(cell.value) or not math.isfinite(right):
        return cell.value == right
    is_decimal = "." in cell.answer or isinstance(right, Decimal)
    return cell.value == right or (
        is_decimal and abs(to_float(cell.value) - to_float(right)) <= 0.5001 * 10**-sheet.problem.rules.decimals
    )


COLUMNS = ("made", *Verdict, "told apart", "and named", "mismarked")


def print_report(form_names: tuple[str, ...], seeds: range, rules: Rules = HAND) -> None:
    """Print a table: how the mistakes of each mechanism are marked, and below it the failures."""
    print(f"{'':32}", *(f"{column:>10}" for column in COLUMNS))
    failures: dict[str, list[str]] = defaultdict(list)
    for name in form_names:
        counts: Counter[str] = Counter()
        for place, outcome in _simulate_sheets(name, seeds, rules):
            counts.update(_list_counted_columns(outcome))
            if _is_failure(outcome):
                finding = outcome.wrong_mark or ", ".join(
                    f"{one.stage}: {' '.join(one.slips)}" for one in outcome.diagnoses
                )
                verdict = "mismarked" if outcome.wrong_mark else outcome.verdict
                line = f"{outcome.mistake} at {strip_head(outcome.stage)}: {verdict}"
                failures[line].append(f"{place} {outcome.stage}: {finding}")
        share = f"{counts['and named'] / counts['told apart']:.1%}"
        print(f"{name:32}", *(f"{counts[column]:>10}" for column in COLUMNS), f"{share:>7}", flush=True)
    for line, places in sorted(failures.items(), key=lambda item: -len(item[1])):
        print(f"{len(places):>5} {line}", *(f"        {place}" for place in places[:2]), sep="\n")


def _simulate_sheets(form_name: str, seeds: range, rules: Rules) -> Iterator[tuple[str, MistakeOutcome]]:
    """One sheet in three is written with fractions, one with decimals, one with a calculator, in both conventions."""
    for seed, (turn, convention) in product(seeds, enumerate(Convention)):
        way = list(WritingStyle)[(seed + turn) % len(WritingStyle)]
        sheet = make_sheet_from_request(
            Request(seed=seed, variant=FORMS[form_name], convention=convention, rules=rules)
        )
        for outcome in simulate_class(sheet, way):
            yield f"{form_name} {convention} {seed} {way}", outcome


def _list_counted_columns(outcome: MistakeOutcome) -> list[str]:
    """Return the columns of the table in which it counts."""
    is_named = outcome.verdict is Verdict.NAMED
    return [
        "made",
        outcome.verdict,
        *(["told apart"] if outcome.is_distinguishable else []),
        *(["and named"] if outcome.is_distinguishable and is_named else []),
        *(["mismarked"] if outcome.wrong_mark else []),
    ]


def _is_failure(outcome: MistakeOutcome) -> bool:
    is_missed = outcome.is_distinguishable and outcome.verdict is not Verdict.NAMED
    return is_missed or bool(outcome.wrong_mark) or outcome.verdict in (Verdict.WRONG, Verdict.MISSED)


def main() -> None:
    """Read the options and print the report."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--forms", nargs="*", default=list(FORMS), choices=list(FORMS))
    parser.add_argument("--students", type=int, default=0, help="so many of all kinds, judged by arithmetic of its own")
    parser.add_argument("--exact", action="store_true", help="by the rules of attention as it is")
    options = parser.parse_args()
    if options.students:
        print(*format_table(run_class(options.students)), sep="\n")
        return
    print_report(tuple(options.forms), range(options.seeds), EXACT if options.exact else HAND)


if __name__ == "__main__":
    main()
