"""What a mask leaves of a power and of a weight is printed as 0 in every format, and never asked or marked."""

import csv
import io
import re
from collections.abc import Iterator

import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.formats.answers import Answers
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.markdown import render_markdown
from attnhand.formats.terminal import render_terminal
from attnhand.formats.web import make_script_data
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import GridBox
from attnhand.marking.mark import mark_answers
from attnhand.marking.practice import Practice
from attnhand.problems.request import Request
from attnhand.sheet.grids import CellKind, GridStyle
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import build_trace_grids
from tests.breadth import pair_up

VARIANTS = {
    "self": Variant(is_causal=True),
    "window": Variant(is_causal=True, window=2),
    "basic": Variant(mechanism="basic", is_causal=True),
    "heads": Variant(mechanism="multi-head", heads=2, is_causal=True),
    "block": Variant(mechanism="block", is_causal=True),
}
SHEETS = {
    f"{name} {convention}": make_sheet_from_request(Request(seed=7, variant=variant, convention=convention))
    for (name, variant), convention in pair_up([*VARIANTS.items()], [*Convention])
}
ALL = pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS)


def list_hidden_cells(sheet: Sheet) -> Iterator[tuple[str, int, int]]:
    """Yield every cell (0-based) of powers and weights whose key its query may not see, told from the rule alone."""
    tokens, window = sheet.problem.sizes["tokens"], sheet.problem.variant.window or 99
    for attention in sheet.problem.mechanism.attentions:
        for stage in (attention.powers, attention.weights):
            for key in range(tokens):
                for query in range(tokens):
                    if key > query or key <= query - window:
                        yield (stage, query, key) if sheet.convention.is_rows else (stage, key, query)


@pytest.mark.parametrize("name", SHEETS)
def test_they_stand_on_the_pages(name: str) -> None:
    """Blank and key print them, each once with its address, as given numbers; all other cells are asked."""
    sheet = SHEETS[name]
    hidden = {f"{name}[{i + 1},{j + 1}]" for name, i, j in list_hidden_cells(sheet)}
    for face in (sheet.blank, sheet.key):
        grids = [item.grid for page in lay_out(face).pages for item in page.items if isinstance(item, GridBox)]
        cells = [cell for grid in grids if grid.style is GridStyle.WORKED for row in grid.cells for cell in row]
        zeros = [cell for cell in cells if cell.address in hidden]
        assert sorted(cell.address for cell in zeros) == sorted(hidden)
        assert {(cell.kind, str(cell.number)) for cell in zeros} == {(CellKind.GIVEN, "0")}
        others = [cell for cell in cells if re.match(r"(h\d\.)?(powers|A)\[", cell.address) and cell not in zeros]
        assert {cell.kind for cell in others} == {CellKind.ANSWER if face.is_solved else CellKind.BLANK}


@ALL
def test_they_stand_in_the_spreadsheet(sheet: Sheet) -> None:
    """The blank CSV has a 0 in each, and nothing in the other cells of these stages."""
    rows = list(csv.reader(io.StringIO(render_csv(sheet.blank))))
    hidden = set(list_hidden_cells(sheet))
    for name in {name for name, _, _ in hidden}:
        start = rows.index([name]) + 1
        for i in range(sheet.problem.sizes["tokens"]):
            expected = ["0" if (name, i, j) in hidden else "" for j in range(sheet.problem.sizes["tokens"])]
            assert rows[start + i] == expected


@ALL
def test_they_stand_in_text(sheet: Sheet) -> None:
    """Terminal and Markdown print them too: as many places are open as are asked, but for the worked cell."""
    places = re.findall(r"(?<!_)____(?!_)", render_terminal(sheet.blank, width=200))
    assert len(places) == sheet.answer_cell_count - 1
    matrices = re.findall(r"\$\$\nA(?:\^\{\(\d\)\})? = .*?\$\$", render_markdown(sheet.blank), re.DOTALL)
    assert len(matrices) == len(sheet.problem.mechanism.attentions)
    for matrix in matrices:
        tokens = sheet.problem.sizes["tokens"]
        zeros = sum(name.endswith("A") for name, _, _ in list_hidden_cells(sheet)) // len(matrices)
        assert (len(re.findall(r"\b0\b", matrix)), matrix.count(r"\square")) == (zeros, tokens**2 - zeros)


@ALL
def test_they_are_never_asked(sheet: Sheet) -> None:
    """The web sheet has no field for them, practice no place, and marking takes the 0 whatever was written there."""
    hidden = set(list_hidden_cells(sheet))
    asked = {(s.name, *cell) for s in sheet.problem.mechanism.stages for cell in sheet.list_asked_cells(s)}
    assert hidden
    assert not hidden & asked
    data = make_script_data(sheet.blank, lay_out(sheet.blank))
    assert data is not None
    fields = {(stage["name"], cell["row"], cell["column"]) for stage in data["stages"] for cell in stage["cells"]}
    assert not hidden & fields
    rows = Practice(sheet, {}).rows
    assert not hidden & {(row.stage.name, row.row, column) for row in rows for column in row.columns}
    nonsense = {
        stage.name: tuple(tuple("77" for _ in row) for row in sheet.solution[stage.name].hand)
        for stage in sheet.problem.mechanism.stages
        if any(name == stage.name for name, _, _ in hidden)
    }
    marks = mark_answers(Answers(code=None, stages=nonsense), sheet)
    assert not hidden & {(cell.stage, cell.row, cell.column) for cell in marks.cells}
    assert len(marks.cells) == sheet.answer_cell_count == len(asked)
    assert all(marks.student_values[name][i][j] == 0 for name, i, j in hidden)


def test_the_mask_itself_is_asked() -> None:
    """Where −∞ belongs is what the stage is about: no cell of it is printed on the blank sheet, none is on grey."""
    sheet = make_sheet_from_request(Request(seed=7, variant=VARIANTS["self"]))
    stage = sheet.problem.mechanism.get_stage("masked")
    assert len(sheet.list_asked_cells(stage)) == 16
    assert sheet.answer_cell_count == 132 - 12


def test_a_trace_prints_them() -> None:
    """On the page of a query's trace, too: the power and the share of the key that comes later."""
    sheet = make_sheet_from_request(Request(seed=7, variant=Variant(is_causal=True)), PageOptions(trace=2))
    (trace,) = build_trace_grids(sheet.blank)
    grids = [*trace.step_grids, trace.value_grids[0]]
    columns = {str(grid.columns[0]): [cell.number and str(cell.number) for (cell,) in grid.cells] for grid in grids}
    assert columns["powers"] == [None, None, "0", "0", None]
    assert columns["A"] == [None, None, "0", "0"]
    assert columns["masked"] == columns["scaled"] == [None] * 4
