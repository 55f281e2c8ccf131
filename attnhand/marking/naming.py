"""How feedback calls cells and stages: "S, row k₂, column q₃", "S[2,3]", "all of head 1"."""

from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby

from attnhand.attention.mechanisms import Stage
from attnhand.attention.solution import format_cell_address
from attnhand.marking.marks import CellMark, VectorKind
from attnhand.marking.redo import Cover, Redo, cover_cells
from attnhand.sheet.build_grids import build_labels, format_short_name, format_spoken_name
from attnhand.sheet.explain import format_vector_name
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode


def name_cell(sheet: Sheet, cell: CellMark) -> str:
    """Return how the sheet calls a cell: "S, row k₂, column q₃", or "Σ, column q₃" where there is but one row."""
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    sides = ((VectorKind.ROWS, stage.rows, cell.row), (VectorKind.COLUMNS, stage.columns, cell.column))
    lines = [
        sheet.say(f"line.{kind}", at=format_vector_name(sheet, axis, at))
        for kind, axis, at in sides
        if axis.size_name != "one"
    ]
    return sheet.say("feedback.place", matrix=format_spoken_name(sheet, stage), lines=lines)


def name_address(sheet: Sheet, stage_name: str, row: int, column: int) -> str:
    """Return the address of a cell (0-based) as tables and lists have it: "S[2,3]", "Σ[1,3] of head 1"."""
    stage = sheet.problem.mechanism.get_stage(stage_name)
    address = format_cell_address(format_short_name(sheet, stage), row, column)
    return sheet.say("feedback.stages_of_head", head=stage.head, stages=[address]) if stage.head else address


def name_stages(sheet: Sheet, names: Sequence[str]) -> str:
    """Return how the sheet calls several stages: "Q, K and V", "all of head 1; Q and K of head 2"."""
    mechanism = sheet.problem.mechanism
    asked = [stage for stage in mechanism.stages if sheet.count_answer_cells(stage)]
    groups = []
    for heads, members in groupby(map(mechanism.get_stage, names), lambda stage: mechanism.list_heads(stage.name)):
        stages = [*members]
        titles = [format_short_name(sheet, each) for each in stages]
        if len(heads) == 1 and 1 < len(stages) == sum(each.head == heads[0] for each in asked):
            groups.append(sheet.say("feedback.whole_head", head=heads[0]))
        elif len(heads) == 1:
            groups.append(sheet.say("feedback.stages_of_head", head=heads[0], stages=titles))
        elif 1 < len(heads) < mechanism.head_count:
            groups.append(sheet.say("feedback.stages_of_heads", heads=list(map(str, heads)), stages=titles))
        else:
            groups.append(sheet.say("feedback.stages", stages=titles))
    return sheet.language.list_of(groups, "clauses")


def name_vector(sheet: Sheet, stage: Stage, kind: VectorKind, at: int) -> str:
    """Return how the sheet calls a row or a column (0-based): "column q₃"."""
    axis = stage.rows if kind is VectorKind.ROWS else stage.columns
    return sheet.say(f"line.{kind}", at=format_vector_name(sheet, axis, at))


def name_redo(sheet: Sheet, redo: Mapping[str, Redo], asked: Mapping[str, Iterable[CellMark]]) -> list[str]:
    """Return how to call what is to be worked again, in the order of the stages; what is alike in several is one part.

    Args:
        asked: all cells of every stage.
    """
    parts: list[tuple[str | None, str, Stage]] = []
    for stage in sheet.problem.mechanism.stages:
        if stage.name in redo:
            places = [cell.place for cell in asked[stage.name]]
            cover = cover_cells(redo[stage.name], places, _list_kinds(stage))
            parts += _list_parts(sheet, stage, cover)
    groups = (list(group) for _, group in groupby(parts, lambda part: (part[0], part[2].head)))
    return [_name_part(sheet, group) for group in groups]


def _list_kinds(stage: Stage) -> list[VectorKind]:
    """Return in which direction a stage has more than one vector; columns first, where both are as good."""
    if "one" in (stage.rows.size_name, stage.columns.size_name):
        return [VectorKind.COLUMNS if stage.rows.size_name == "one" else VectorKind.ROWS]
    return [VectorKind.COLUMNS, VectorKind.ROWS]


def _list_parts(sheet: Sheet, stage: Stage, cover: Cover) -> list[tuple[str | None, str, Stage]]:
    """Return what is named of a stage: its lines (empty for all of it), or None and the addresses of cells."""
    if cover.is_whole:
        return [("", "", stage)]
    parts: list[tuple[str | None, str, Stage]] = []
    if cover.vectors:
        kind = cover.vectors[0].kind
        axis = stage.rows if kind is VectorKind.ROWS else stage.columns
        letters = [to_unicode(build_labels(sheet, axis)[vector.at].letter) for vector in cover.vectors]
        parts.append((sheet.say(f"feedback.{kind}", lines=letters), "", stage))
    name = format_short_name(sheet, stage)
    return [*parts, *((None, format_cell_address(name, *cell.place), stage) for cell in cover.cells)]


def _name_part(sheet: Sheet, parts: Sequence[tuple[str | None, str, Stage]]) -> str:
    """Name what is alike: the same vectors of several stages, whole stages, or cells one by one."""
    lines, _, stage = parts[0]
    if lines is None:
        cells = [address for _, address, _ in parts]
        return sheet.say("feedback.stages_of_head" if stage.head else "feedback.stages", stages=cells, head=stage.head)
    stages = name_stages(sheet, [stage.name for *_, stage in parts])
    return sheet.say("feedback.lines_of", lines=lines, stages=stages) if lines else stages
