"""The quick key: a few small matrices a sheet, by which a pile of papers is marked by eye."""

from dataclasses import dataclass
from itertools import takewhile

from attnhand.attention.matrix import Matrix, flatten, shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number
from attnhand.attention.slips import VETTED_BY_RECIPE_1, Slip, StageContext, find_slips
from attnhand.attention.solution import compute_stages, format_cell_address
from attnhand.errors import ProblemError
from attnhand.sheet.build_grids import build_labels, format_matrix_name
from attnhand.sheet.explain import CellWriter
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Run, parse_markup, to_unicode


@dataclass(frozen=True, slots=True)
class SlipIndicator:
    """A number that gives a slip away."""

    cell: str
    value: str
    slip: str
    """Its id."""

    action: str
    """What whoever has it there has done."""


@dataclass(frozen=True, slots=True)
class QuickKey:
    """What a paper is marked by at a glance."""

    grids: tuple[Grid, ...]
    slip_indicators: tuple[SlipIndicator, ...]


def make_quick_key(sheet: Sheet) -> QuickKey:
    """Return the quick key of a sheet."""
    return QuickKey(build_quick_key(sheet), find_slip_indicators(sheet))


def build_quick_key(sheet: Sheet) -> tuple[Grid, ...]:
    """Return the matrices that tell most: scores, sums, and what comes out in the end, fractions in one line.

    >>> import attnhand
    >>> [str(cell.number) for cell in build_quick_key(attnhand.generate(seed=7))[1].cells[0]]
    ['40/9', '94/3', '16/3', '14/3']
    """
    stages = sheet.problem.mechanism.stages
    compared = {name for each in sheet.problem.mechanism.attentions for name in (each.scores, each.sums)}
    compared |= {stage.name for stage in stages if stage.facts.tells_much}
    listed = [stage for stage in stages if stage.name in compared]
    listed += [] if stages[-1] in listed else [stages[-1]]
    return tuple(_build_grid(sheet, stage) for stage in listed)


def find_slip_indicators(sheet: Sheet) -> tuple[SlipIndicator, ...]:
    """Return the number that gives each of the commonest slips away, where no other slip and not the key has it there.

    Slips in scaling and powers are seen in the sums, those in dividing in the weights; of several heads in the first.
    """
    mechanism = sheet.problem.mechanism
    if not mechanism.attentions:
        return ()
    attention = mechanism.attentions[0]
    worked = {stage.name for stage in mechanism.stages}
    indicators = {name: attention.sums for name in (attention.scaled, attention.powers) if name in worked}
    indicators[attention.weights] = attention.weights
    values: dict[tuple[str, str], dict[str, Number]] = {}
    for name, seen_at in indicators.items():
        stage, at = mechanism.get_stage(name), mechanism.get_stage(seen_at)
        for slip in find_slips(stage, VETTED_BY_RECIPE_1):
            wrong = _propagate_slip(sheet, slip, stage, at)
            if wrong is not None:
                values[slip.id, at.name] = {
                    format_cell_address(at.name, i, j): value
                    for i, row in enumerate(wrong)
                    for j, value in enumerate(row)
                }
    return tuple(
        found for (slip, name) in values if (found := _find_slip_indicator(sheet, slip, name, values)) is not None
    )


def _find_slip_indicator(
    sheet: Sheet, slip: str, stage_name: str, values: dict[tuple[str, str], dict[str, Number]]
) -> SlipIndicator | None:
    """Return the first cell in which a slip shows as nothing else does."""
    key = sheet.solution[stage_name].hand
    rows, columns = sheet.find_asked_rows_and_columns(sheet.problem.mechanism.get_stage(stage_name))
    for i, j in ((i, j) for i in rows for j in columns):
        address = format_cell_address(stage_name, i, j)
        value = values[slip, stage_name][address]
        others = [cells[address] for (other, at), cells in values.items() if at == stage_name and other != slip]
        if value not in (key[i][j], *others):
            printed = to_unicode(format_matrix_name(sheet, stage_name))
            return SlipIndicator(
                cell=format_cell_address(printed, i, j),
                value=_format_whole_fraction(sheet, value),
                slip=slip,
                action=to_unicode(parse_markup(_describe_slip_somewhere(sheet, slip))),
            )
    return None


def _describe_slip_somewhere(sheet: Sheet, slip: str) -> str:
    stages = (stage for stage in sheet.problem.mechanism.stages if any(each.id == slip for each in find_slips(stage)))
    return describe_slip(sheet, slip, next(stages))


def _propagate_slip(sheet: Sheet, slip: Slip, stage: Stage, later_stage: Stage) -> Matrix | None:
    """Return what a slip leaves at a later stage; None where it changes nothing, or nobody can go on to the weights."""
    problem, right = sheet.problem, sheet.solution.collect_hand_values()
    wrong = slip.compute_wrong(StageContext(problem.mechanism, stage, problem.hand_arithmetic, right))
    if wrong is None or shape(wrong) != shape(right[stage.name]) or wrong == right[stage.name]:
        return None
    before = takewhile(lambda each: each is not stage, problem.mechanism.stages)
    instead = {each.name: right[each.name] for each in before} | {stage.name: wrong}
    try:
        left = compute_stages(
            problem, problem.hand_arithmetic, refuse_too_large=True, replacements=instead, last_stage=later_stage.name
        )[later_stage.name]
        is_divided_by = later_stage.name == problem.mechanism.attentions[0].sums
        return None if is_divided_by and 0 in flatten(left) else left
    except (ProblemError, ArithmeticError):
        return None


def _format_whole_fraction(sheet: Sheet, value: Number) -> str:
    """Write a number as students do who have no calculator: the whole fraction, however long."""
    return CellWriter(sheet, {}, sheet.problem.hand_arithmetic).format_number(value)


def _build_grid(sheet: Sheet, stage: Stage) -> Grid:
    """Draw what is asked of a stage, filled."""
    rows, columns = sheet.find_asked_rows_and_columns(stage)
    hand = sheet.solution[stage.name].hand
    labels = [build_labels(sheet, axis) for axis in (stage.rows, stage.columns)]
    head = (Run(f"{stage.head}."),) if stage.head else ()
    return Grid(
        name=(*head, *format_matrix_name(sheet, stage.name)),
        style=GridStyle.GIVEN,
        rows=tuple(Label(labels[0][i].letter) for i in rows),
        columns=tuple(Label(labels[1][j].letter) for j in columns),
        cells=tuple(
            tuple(Cell(CellKind.GIVEN, PrintedNumber(_format_whole_fraction(sheet, hand[i][j]))) for j in columns)
            for i in rows
        ),
    )
