"""Every format of every mechanism, blank and solved, in both conventions."""

import json

import pytest

from attnhand.attention.convention import Convention
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.problems.problem_file import parse_problem
from attnhand.problems.request import Request
from attnhand.sheet.grids import CellKind
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.panels import build_panels
from tests.breadth import choose, pair_up
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION, TEXT_FORMATS

EACH_MECHANISM = (
    *(("self-words-positions", Convention.ROWS), ("basic", Convention.COLUMNS), ("cross", Convention.ROWS)),
    *(("multi-head-2-causal", Convention.COLUMNS), ("block-1", Convention.ROWS)),
)

TEXTS = {name: FORMATS[name] for name in TEXT_FORMATS}


@pytest.mark.parametrize(
    ("name", "convention"), choose((EACH_MECHANISM[0], *EACH_MECHANISM[3:]), FORMS_IN_ONE_CONVENTION)
)
def test_every_mechanism_has_every_format(name: str, convention: Convention) -> None:
    """Each is written blank and solved, names every stage, and its JSON reads back as the same problem."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    names = [solved.stage.name for solved in sheet.solution]
    for sheet_format in TEXTS.values():
        blank, key = (sheet_format.render(each).decode() for each in (sheet.blank, sheet.key))
        assert blank != key
        assert sheet.code in blank
        assert sheet.code in key
    for solved in (False, True):
        each = sheet.key if solved else sheet.blank
        data = json.loads(TEXTS["json"].render(each))
        assert [stage["name"] for stage in data["stages"]] == names
        assert all(("hand" in stage) is solved for stage in data["stages"])
        assert parse_problem(json.dumps(data), source="it") == sheet.problem
        csv = TEXTS["csv"].render(each).decode("utf-8-sig").splitlines()
        assert [line for line in csv if line in names] == names
        lines = render_terminal(each, width=80).splitlines()
        assert max(map(len, lines)) <= 80
        assert ("ANSWER KEY" in lines) is solved


@pytest.mark.parametrize(("name", "convention"), pair_up([*FORMS], [*Convention]))
def test_every_stage_is_drawn_once(name: str, convention: Convention) -> None:
    """Every cell of every stage that is asked has its place on the sheet, and none has two; blanks hold nothing."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name], convention=convention))
    for each in (sheet.blank, sheet.key):
        cells = [
            cell
            for panel in build_panels(each).list_panels()
            for row in panel.grid.cells
            for cell in row
            if cell.address
        ]
        addresses = [cell.address for cell in cells]
        expected = {
            f"{solved.stage.name}[{i + 1},{j + 1}]"
            for solved in sheet.solution
            for i, row in enumerate(solved.hand)
            for j, _ in enumerate(row)
            if sheet.has_own_panel(solved.stage)
        }
        assert len(addresses) == len(set(addresses))
        assert set(addresses) == expected
        asked = CellKind.ANSWER if each.is_solved else CellKind.BLANK
        assert {cell.kind for cell in cells} <= {asked, CellKind.GIVEN}
        assert sum(cell.kind is asked for cell in cells) >= sheet.answer_cell_count - 1 > 0
        assert all((cell.number is None) is (cell.kind is CellKind.BLANK) for cell in cells)
