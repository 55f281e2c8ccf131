"""A simulated class: every mistake made at its stage and carried on honestly, and what the marker says of it.

``python -m tests.marking.simulated_class --seeds 100`` prints a table; the everyday test looks at a few seeds.
"""

import argparse
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from decimal import Decimal, localcontext
from enum import StrEnum

from attnhand.make import sheet_from_request
from attnhand.marking.answers import Answers, Texts
from attnhand.marking.diagnosis import Diagnosis, diagnosed
from attnhand.marking.generics import ROWS_EXCHANGED, SINGLE_CELL, TRANSPOSED
from attnhand.marking.mark import CellMark, Mark, Marks, Note, marked
from attnhand.marking.spelling import read_answer
from attnhand.matrix import Matrix, mapped, shape, transposed, values
from attnhand.mechanisms import Convention, Stage
from attnhand.numbers import MINUS_INFINITY, PRECISION, Number, as_float, rounded, written
from attnhand.operations import Power
from attnhand.request import Request
from attnhand.sheet.reads import bare
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.worked_cell import worked_cell
from attnhand.slips import Desk, slips_at
from attnhand.solution import LARGEST_EXPONENT
from tests.forms import FORMS


class Way(StrEnum):
    """How somebody writes numbers, and with which they go on."""

    FRACTIONS = "fractions"
    """Exactly, what is irrational with six decimals; goes on with the exact ones."""

    DECIMALS = "decimals"
    """With as many decimals as the sheet asks; goes on with what is written."""

    def spelled(self, value: Number, places: int) -> str:
        """Write one number."""
        if isinstance(value, Decimal) and not value.is_finite():
            return written(value)
        if self is Way.FRACTIONS:
            return rounded(value, 6) if isinstance(value, Decimal) else written(value)
        return written(int(value)) if value == int(value) else rounded(value, places)

    def carried(self, value: Number, places: int) -> Number:
        """Return the number that is worked on with."""
        if self is Way.FRACTIONS:
            return value
        reading = read_answer(self.spelled(value, places))
        assert reading is not None
        return reading.value


Mistake = Callable[[Desk], Matrix | None]

Earlier = tuple[str, Mistake]
"""A stage, and the mistake that was made there."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class _Student:
    """Somebody who works a sheet in their way."""

    sheet: Sheet
    way: Way
    earlier: Earlier | None = None

    def handed_in(self, at: Stage, mistake: Mistake) -> tuple[dict[str, Texts], Desk] | None:
        """Return the texts of all stages, and what lay on the desk at the mistake; None where it cannot be made."""
        problem = self.sheet.problem
        known = dict(problem.given)
        texts: dict[str, Texts] = {}
        at_desk: Desk | None = None
        with localcontext(PRECISION):
            for stage in problem.mechanism.stages:
                key = self.sheet.solution[stage.name].hand
                if self.sheet.is_printed(stage) or not self.sheet.is_drawn(stage):
                    known[stage.name] = key
                    continue
                desk = Desk(problem.mechanism, stage, problem.hand, dict(known))
                if stage == at:
                    made, at_desk = mistake(desk), desk
                    if made is None or _worked(desk) is None:
                        return None
                elif self.earlier and stage.name == self.earlier[0]:
                    made = self.earlier[1](desk)
                else:
                    made = _worked(desk)
                if made is None:
                    break  # nobody can go on from here
                texts[stage.name] = self.written(stage, made)
                carried = mapped(lambda value: self.way.carried(value, problem.rules.decimals), made)
                known[stage.name] = key if shape(made) != shape(key) else self._with_printed(stage, carried)
        return None if at_desk is None else (texts, at_desk)

    def written(self, stage: Stage, made: Matrix) -> Texts:
        """Write down a stage; the worked cell is printed, and left empty in what is handed in."""
        is_whole = shape(made) == shape(self.sheet.solution[stage.name].hand)
        places = self.sheet.problem.rules.decimals
        return tuple(
            tuple(
                "" if is_whole and (stage.name, i, j) == worked_cell(self.sheet) else self.way.spelled(value, places)
                for j, value in enumerate(row)
            )
            for i, row in enumerate(made)
        )

    def _with_printed(self, stage: Stage, made: Matrix) -> Matrix:
        key = self.sheet.solution[stage.name].hand
        return tuple(
            tuple(key[i][j] if (stage.name, i, j) == worked_cell(self.sheet) else value for j, value in enumerate(row))
            for i, row in enumerate(made)
        )


def _worked(desk: Desk) -> Matrix | None:
    """Work a stage rightly; None where it cannot be done with a pencil."""
    if isinstance(desk.operation, Power):
        exponents = [x for x in values(desk.inputs[0]) if x > MINUS_INFINITY]
        if any(not -LARGEST_EXPONENT <= x <= LARGEST_EXPONENT for x in exponents):
            return None
    try:
        return desk.right()
    except ArithmeticError:
        return None


def generics_at(sheet: Sheet, stage: Stage) -> dict[str, Mistake]:
    """Return the mistakes that any stage can show."""
    rows, columns = shape(sheet.solution[stage.name].hand)
    made: dict[str, Mistake] = {
        TRANSPOSED: lambda desk: transposed(desk.right()),
        SINGLE_CELL: lambda desk: _one_more(desk.right()),
    }
    if rows > 1:
        made[ROWS_EXCHANGED] = lambda desk: desk.right()[::-1] if rows == 2 else _first_last(desk.right())
    elif columns > 1:
        made[ROWS_EXCHANGED] = lambda desk: transposed(_first_last(transposed(desk.right())))
    return made


def _first_last(a: Matrix) -> Matrix:
    return (a[-1], *a[1:-1], a[0])


def _one_more(a: Matrix) -> Matrix:
    last = a[-1][-1]
    return (*a[:-1], (*a[-1][:-1], last + 1 if last > -1000 else 7))


def class_of(sheet: Sheet, way: Way, earlier: Earlier | None = None) -> Iterator[Said]:
    """Make every mistake of every stage, one student each, and yield what is said of it.

    Args:
        earlier: a mistake that all of them have made before, and its stage.
    """
    student = _Student(sheet=sheet, way=way, earlier=earlier)
    order = [stage.name for stage in sheet.problem.mechanism.stages]
    first = 0 if earlier is None else order.index(earlier[0]) + 1
    for stage in sheet.problem.mechanism.stages[first:]:
        if sheet.is_printed(stage) or not sheet.is_drawn(stage):
            continue
        catalogue: dict[str, Mistake] = {slip.id: slip.wrong for slip in slips_at(stage)}
        generics = generics_at(sheet, stage)
        handed = {
            name: made
            for name, mistake in (catalogue | generics).items()
            if (made := student.handed_in(stage, mistake)) is not None
        }
        for name, (texts, desk) in handed.items():
            alike = {other for other, (texts_of, _) in handed.items() if texts_of[stage.name] == texts[stage.name]}
            twins = alike - {name} if name in generics else (alike & catalogue.keys()) - {name}
            right = student.written(stage, desk.right())
            shown = _shown(texts[stage.name], right)
            if shown == 0:
                continue
            marks = marked(Answers(code=None, stages=texts), sheet)
            told = tuple(one for one in diagnosed(marks, sheet) if earlier is None or one.stage != earlier[0])
            yield Said(
                stage=stage.name,
                mistake=name,
                # one cell that differs is one cell, whatever was done
                verdict=_verdict(told, stage, name, twins | ({SINGLE_CELL} if shown == 1 else set())),
                is_distinguishable=not twins and (name == SINGLE_CELL or shown > 1),
                mismarked="" if earlier else _mismarked(marks, sheet, stage),
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
    is_decimal = "." in cell.answer
    return cell.value == right or (
        is_decimal and abs(as_float(cell.value) - as_float(right)) <= 0.5001 * 10**-sheet.problem.rules.decimals
    )


COLUMNS = ("made", *Verdict, "told apart", "and named", "mismarked")


def report(names: tuple[str, ...], seeds: range) -> None:
    """Print a table: what is said of the mistakes of each mechanism, and below it what went amiss."""
    print(f"{'':34}", *(f"{column:>11}" for column in COLUMNS))
    amiss: dict[str, list[str]] = defaultdict(list)
    for name in names:
        for way in Way:
            counts: Counter[str] = Counter()
            for place, said in _all_said(name, way, seeds):
                counts.update(_counted(said))
                if _is_amiss(said):
                    line = f"{said.mistake} at {bare(said.stage)}, {way}: {said.mismarked and 'mis'}{said.verdict}"
                    told = said.mismarked or ", ".join(f"{one.stage}: {' '.join(one.slips)}" for one in said.told)
                    amiss[line].append(f"{place} {said.stage}: {told}")
            share = f"{counts['and named'] / counts['told apart']:.1%}"
            print(f"{name:24}{way:10}", *(f"{counts[column]:>11}" for column in COLUMNS), f"{share:>7}", flush=True)
    for line, places in sorted(amiss.items(), key=lambda item: -len(item[1])):
        print(f"{len(places):>5} {line}", *(f"        {place}" for place in places[:2]), sep="\n")


def _all_said(name: str, way: Way, seeds: range) -> Iterator[tuple[str, Said]]:
    for convention in Convention:
        for seed in seeds:
            sheet = sheet_from_request(Request(seed=seed, form=FORMS[name], convention=convention))
            for said in class_of(sheet, way):
                yield f"{name} {convention} {seed}", said


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
    options = parser.parse_args()
    report(tuple(options.forms), range(options.seeds))


if __name__ == "__main__":
    main()
