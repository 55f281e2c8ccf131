"""The quick key: two lines a sheet, by which a pile of papers is marked by eye."""

from dataclasses import dataclass
from itertools import takewhile

from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number
from attnhand.attention.operations import Divide, Operation, Power, Product, Role, ScaleScores, Sum
from attnhand.attention.slips import VETTED_BY_RECIPE_1, Desk, Slip, slips_at
from attnhand.attention.solution import LARGEST_EXPONENT, worked
from attnhand.errors import ProblemError
from attnhand.sheet.build_grids import matrix_name
from attnhand.sheet.explain import CellWriter
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain

TOLD_BY_SUMS: tuple[type[Operation], ...] = (ScaleScores, Power)
"""Slips at these stages show in the sums, those at the division in the weights."""


@dataclass(frozen=True, slots=True)
class TellTale:
    """A number that gives a slip away."""

    cell: str
    value: str
    slip: str
    """Its id."""

    def __str__(self) -> str:
        """Return it as it is printed: "Σ[1,1] = 6 truncated"."""
        return f"{self.cell} = {self.value} {self.slip}"


def quick_key(sheet: Sheet) -> str:
    """Return the numbers that tell most, in one line: scores, sums, and what comes out in the end.

    >>> import attnhand
    >>> quick_key(attnhand.generate(seed=7))[:67]
    'S 0 −4 −2 1 / 1 5 0 0 / 3 −3 −4 3 / −1 −2 −1 0 │ Σ 16/3 86/9 16/9 6'
    """
    stages = sheet.problem.mechanism.stages
    told = [stage for stage in stages if _is_scores(stage) or isinstance(stage.operation, Sum)]
    told += [] if stages[-1] in told else [stages[-1]]
    return " │ ".join(_line(sheet, stage) for stage in told)


def tell_tales(sheet: Sheet) -> tuple[TellTale, ...]:
    """Return the number that gives each of the commonest slips away, where no other slip and not the key has it there.

    Slips in scaling and powers are seen in the sums, those in dividing in the weights; of several heads in the first.
    """
    head = sheet.weights[0].head
    stages = [stage for stage in sheet.problem.mechanism.stages if stage.head == head]
    seen_at = {
        kind: next((stage for stage in stages if isinstance(stage.operation, kind)), None) for kind in (Sum, Divide)
    }
    values: dict[tuple[str, str], dict[str, Number]] = {}
    for stage in stages:
        at = seen_at[Sum if isinstance(stage.operation, TOLD_BY_SUMS) else Divide]
        if at is None or not isinstance(stage.operation, (*TOLD_BY_SUMS, Divide)):
            continue
        for slip in slips_at(stage, VETTED_BY_RECIPE_1):
            wrong = _carried(sheet, slip, stage, at)
            if wrong is not None:
                values[slip.id, at.name] = {
                    f"{at.name}[{i + 1},{j + 1}]": value for i, row in enumerate(wrong) for j, value in enumerate(row)
                }
    return tuple(found for (slip, name) in values if (found := _telling(sheet, slip, name, values)) is not None)


def _telling(sheet: Sheet, slip: str, name: str, values: dict[tuple[str, str], dict[str, Number]]) -> TellTale | None:
    """Return the first cell in which a slip shows as nothing else does."""
    key = sheet.solution[name].hand
    rows, columns = sheet.asked_lines(sheet.problem.mechanism.stage(name))
    for i, j in ((i, j) for i in rows for j in columns):
        address = f"{name}[{i + 1},{j + 1}]"
        value = values[slip, name][address]
        others = [cells[address] for (other, at), cells in values.items() if at == name and other != slip]
        if value not in (key[i][j], *others):
            printed = as_plain(matrix_name(sheet, name))
            return TellTale(f"{printed}[{i + 1},{j + 1}]", _whole(sheet, value), slip)
    return None


def _carried(sheet: Sheet, slip: Slip, stage: Stage, at: Stage) -> Matrix | None:
    """Return what a slip leaves at a later stage; None where it changes nothing, or nobody can go on to the weights."""
    problem, right = sheet.problem, sheet.solution.hand_values()
    wrong = slip.wrong(Desk(problem.mechanism, stage, problem.hand, right))
    if wrong is None or shape(wrong) != shape(right[stage.name]) or wrong == right[stage.name]:
        return None
    before = takewhile(lambda each: each is not stage, problem.mechanism.stages)
    instead = {each.name: right[each.name] for each in before} | {stage.name: wrong}
    try:
        weights = sheet.weights[0].name
        left = worked(problem, problem.hand, largest_exponent=LARGEST_EXPONENT, instead=instead, until=weights)
        return left[at.name]
    except (ProblemError, ArithmeticError):
        return None


def _whole(sheet: Sheet, value: Number) -> str:
    """Write a number as students do who have no calculator: the whole fraction, however long."""
    return CellWriter(sheet, {}, sheet.problem.hand).show(value)


def _is_scores(stage: Stage) -> bool:
    return isinstance(stage.operation, Product) and stage.operation.role is Role.SCORES


def _line(sheet: Sheet, stage: Stage) -> str:
    """Return a stage in one line: its rows with bars between them, only what is asked."""
    rows, columns = sheet.asked_lines(stage)
    hand = sheet.solution[stage.name].hand
    name = as_plain(matrix_name(sheet, stage.name))
    told = " / ".join(" ".join(_whole(sheet, hand[i][j]) for j in columns) for i in rows)
    return f"{f'{stage.head}.' if stage.head else ''}{name} {told}"
