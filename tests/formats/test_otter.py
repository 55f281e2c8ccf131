"""The notebook: what marks it is the program itself, and only its own markers hold answers."""

import ast
import random
import sys
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import nbformat
import numpy as np
import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.errors import PageError
from attnhand.formats.otter import make_variable, render_otter
from attnhand.formats.otter_marking import MARKER_FILES, pack_marker, split_points
from attnhand.formats.otter_runner import collect_answers, has_shape, run_marker
from attnhand.formats.registry import FORMATS
from attnhand.marking.checked import CheckResult
from attnhand.problems.request import Request
from attnhand.sheet.grids import COUNTED_MARKS
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import is_untouched
from attnhand.system.packing import collect_modules
from tests.breadth import LOOKS_AT_ALL, choose, pair_up
from tests.exports.cases import Kind, check, list_cases
from tests.formats.otter_tests import collect_tests, make_variables, read_sources, run_hidden_tests
from tests.forms import FORMS

FEW = 6
"""Cases of a sheet that are looked at; in ``make sweep`` all."""

Score = tuple[int, int]


def make_sheet(form: str = "self", convention: Convention = Convention.COLUMNS, **options: object) -> Sheet:
    """Return the blank sheet of a form."""
    request = Request(seed=7, variant=FORMS[form], convention=convention)
    return make_sheet_from_request(request, PageOptions(**options)).blank  # type: ignore[arg-type]


def expect_scores(checked: CheckResult) -> dict[str, Score]:
    """Return how many cells ``check`` counts at every stage, and of how many; questions give no points."""
    marks = checked.marks.scores_by_stage
    return {make_variable(name): (int(counted), of) for name, (counted, of) in marks.items()}


@pytest.mark.parametrize(("form", "convention"), pair_up(choose([*FORMS][::4], [*FORMS]), [*Convention]))
def test_it_marks_as_check_does(form: str, convention: Convention) -> None:
    """Stage by stage, on the table of cases that all markers share; what does not count is said."""
    sheet = make_sheet(form, convention)
    text, cases = render_otter(sheet), list(list_cases(sheet))
    assert len({case.kind for case in cases}) >= 8
    of_each = [next(case for case in cases if case.kind is kind) for kind in {case.kind: None for case in cases}]
    for case in cases if LOOKS_AT_ALL else random.Random(form).sample(of_each, FEW):
        found = run_hidden_tests(text, make_variables(sheet, case.texts, case.answers))
        checked = check(sheet, case)
        expected = expect_scores(checked)
        assert {name: found[name][:2] for name in expected} == expected, case.name
        for name, (counted, of) in expected.items():
            sentences = found[name].sentences
            assert (sentences == []) is (counted == of)
            assert not sentences or sentences[0].startswith(f"{name}: ")
        right = {each.question.name for each in checked.question_marks if each.mark in COUNTED_MARKS}
        asked = {each.question.name for each in checked.question_marks}
        assert {name for name in asked if not found[name].sentences} == right, case.name


def test_a_turned_matrix_keeps_what_stands_where_a_number_was_printed() -> None:
    """The worked cell is printed at one place; turned, another one stands there, which may hold the same number."""
    sheet = make_sheet("self-words")
    case = next(case for case in list_cases(sheet) if case.name == "all matrices turned")
    found = run_hidden_tests(render_otter(sheet), make_variables(sheet, case.texts))
    assert {name: each.score for name, each in found.items() if name in sheet.solution.collect_hand_values()} == {
        each.stage.name: len(each.hand) * len(each.hand[0]) for each in sheet.solution
    }


def test_a_slip_is_named_once_and_cells_by_their_address() -> None:
    """At its own stage; of what follows nothing is said."""
    sheet = make_sheet()
    case = next(case for case in list_cases(sheet) if case.name == "truncated at scaled")
    found = run_hidden_tests(render_otter(sheet), make_variables(sheet, case.texts))
    said = {name: each.sentences for name, each in found.items() if each.sentences and not name.startswith("ask")}
    cells = [cell.address for cell in check(sheet, case).marks.cells if not cell.counts]
    sentence, *points = said.pop("scaled")
    assert said == {}
    assert "You seem to have rounded toward zero instead of down." in sentence
    assert cells
    assert all(cell in sentence for cell in cells)
    assert -sum(int(point.replace("−", "-")) for point in points) == len(cells)


def test_points_of_tests_add_to_every_number() -> None:
    """Of a stage of any size: so many cells as count are paid, not one more or less."""
    for cells in range(1, 200):
        coins = split_points(cells)
        assert sum(coins) == cells
        assert sorted(coins, reverse=True) == coins
        reached = {0}
        for coin in coins:
            reached |= {each + coin for each in reached}
        assert reached == {*range(cells + 1)}


def spell_all(sheet: Sheet, how: object) -> dict[str, object]:
    """Return the key in variables, every matrix made by a function of its rows."""
    assert callable(how)
    return {make_variable(each.stage.name): how([list(row) for row in each.hand]) for each in sheet.solution}


@pytest.mark.parametrize(
    "how",
    [
        lambda rows: rows,
        lambda rows: np.array([[float(x) for x in row] for row in rows]),
        lambda rows: np.array([[float(x) for x in row] for row in rows], dtype=np.float32),
        lambda rows: tuple(tuple(float(x) + 1e-15 for x in row) for row in rows),
        lambda rows: [[f" {x} " for x in row] for row in rows],
        lambda rows: np.array(rows, dtype=object),
    ],
    ids=["fractions", "numpy", "numpy with 32 bits", "noise of floats", "texts", "objects"],
)
def test_numbers_are_taken_as_python_has_them(how: object) -> None:
    """The key counts fully, whatever its numbers are."""
    sheet = make_sheet()
    found = run_hidden_tests(render_otter(sheet), spell_all(sheet, how))
    assert [name for name, each in found.items() if each.score != each.points] == []


@pytest.mark.parametrize(
    ("value", "counted"),
    [(None, 0), (..., 0), ("", 0), (7, 0), ({"a": 1}, 0), ([[1, 2], [3]], 0), ([[object()]], 0), ([], 0)],
)
def test_what_is_no_matrix_costs_its_stage_alone(value: object, counted: int) -> None:
    """Missing, a placeholder, ragged, nothing at all: the stages after it count as with the key."""
    sheet = make_sheet()
    found = run_hidden_tests(render_otter(sheet), spell_all(sheet, lambda rows: rows) | {"scaled": value})
    assert {name: each.points - each.score for name, each in found.items() if each.score < each.points} == {
        "scaled": 16 - counted
    }


def test_rounded_and_empty_cells_count_as_on_paper() -> None:
    """0.29 is right for 2/7; 0.3 says too little; a hole costs its own cell; text costs its cell and says why."""
    sheet = make_sheet()
    key = spell_all(sheet, lambda rows: rows)
    A = [[round(float(x), 2) for x in row] for row in key["A"]]  # type: ignore[attr-defined]
    A[1][1], A[2][2] = ..., "a lot"  # type: ignore[call-overload]
    found = run_hidden_tests(render_otter(sheet), key | {"A": A})
    assert found["A"][:2] == (14, 16)
    assert "A[3,3]" in found["A"].sentences[0]
    assert found["Z"].score == found["Z"].points


def test_the_cell_that_is_printed_worked_is_no_answer() -> None:
    """The notebook prints it; nothing counts in one that is handed in as it was, and all where the rest is right."""
    sheet = make_sheet()
    prompt = next(each for each in read_sources(render_otter(sheet)) if each.startswith("K = "))
    blank = prompt.partition("# BEGIN PROMPT\nK = ")[2].partition('"""')[0]
    K = eval(blank)
    ((i, j),) = [(i, j) for i, row in enumerate(K) for j, x in enumerate(row) if x is not ...]
    assert ("K", i, j) == sheet.worked_cell
    assert K[i][j] == sheet.solution["K"].hand[i][j]
    text = render_otter(sheet)
    assert sum(each.score for each in run_hidden_tests(text, {"K": K}).values()) == 0
    key = [list(row) for row in sheet.solution["K"].hand]
    key[i][j] = ...  # type: ignore[call-overload]
    assert run_hidden_tests(text, {"K": key})["K"][:2] == (12, 12)


@pytest.mark.parametrize("options", [{"only_queries": [1, 3]}, {"part": "head-2"}, {"part": "without-network"}])
def test_of_some_queries_it_marks_as_check_does(options: dict[str, Any]) -> None:
    """What other queries have is printed in the matrices that are filled in."""
    sheet = attnhand.generate(seed=7, **options).blank
    text = render_otter(sheet)
    cases = list(list_cases(sheet))
    for case in [cases[0], *random.Random(7).sample(cases, FEW)]:
        found = run_hidden_tests(text, make_variables(sheet, case.texts, case.answers))
        expected = expect_scores(check(sheet, case))
        assert {name: found[name][:2] for name in expected} == expected, case.name


def test_questions_are_marked_by_what_is_typed() -> None:
    """Right, wrong, not answered: without points, which nobody counts among the cells, and with what to think over."""
    sheet = make_sheet(questions="many")
    text = render_otter(sheet)
    asked = [each for each in build_questions(sheet.key) if each.name]
    assert len(asked) > 2
    right = run_hidden_tests(text, {each.name: each.plain_answer for each in asked})
    wrong = run_hidden_tests(text, {each.name: "12345" for each in asked})
    empty = run_hidden_tests(text, {each.name: "..." for each in asked})
    for each in asked:
        assert right[each.name] == (0, 0, [])
        assert "12345" in wrong[each.name].sentences[0]
        assert empty[each.name].sentences == ["0/1"]


def test_what_marks_runs_from_the_notebook_alone() -> None:
    """In a Python of its own, with the program out of the notebook, whichever is installed."""
    where = run_marker(pack_marker("de"), "import attnhand, json; print(json.dumps(attnhand.__file__))", {})
    assert not Path(where).is_relative_to(Path(attnhand.__file__).parents[1])
    sheet = make_sheet("block-1", Convention.ROWS, language="de", questions="many")
    case = next(case for case in list_cases(sheet) if case.kind is Kind.TWO_SLIPS)
    checked = attnhand.check({**case.texts, "ask1": "1"}, sheet)
    found = run_hidden_tests(render_otter(sheet), make_variables(sheet, case.texts, {"ask1": "1"}), is_alone=True)
    assert {name: found[name][:2] for name in expect_scores(checked)} == expect_scores(checked)
    assert any("Sie haben" in sentence for each in found.values() for sentence in each.sentences)


def test_what_functions_import_is_taken_along_too() -> None:
    """All that marking may load later is in the notebook, but for what reads files or only types ask for."""
    modules = collect_modules(MARKER_FILES)
    names = {path.removesuffix(".py").removesuffix("/__init__").replace("/", ".") for path in modules}
    imported = {
        node.module.removeprefix("attnhand.")
        for source in modules.values()
        for node in ast.walk(ast.parse(source))
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("attnhand.") and node.module
    }
    assert len(imported) > 80
    assert imported - names == {"api", "problems.story_template", "system.spreadsheets"}


def test_whoever_cannot_mark_says_so_and_pays_nothing() -> None:
    """Where the marker breaks, and where its test did not run."""
    broken = run_marker(pack_marker("en"), "raise SystemExit('no numbers today')", {})
    assert broken == {"fault": "no numbers today"}
    text = render_otter(make_sheet())
    tests = collect_tests(text)
    assert next(iter(tests)) == "00_sheet"
    sources = [source for name, (_, group) in tests.items() for source in group if name != "00_sheet"]
    for source in sources:
        space: dict[str, object] = {}
        exec(source, space)
        (test,) = (each for name, each in space.items() if name.startswith("test_"))
        sys.modules.pop("attnhand_marks", None)
        with pytest.raises(AssertionError, match="not marked: the question 00_sheet"):
            test()  # type: ignore[operator]


def test_it_takes_along_what_marks_and_nothing_that_draws() -> None:
    """A few hundred thousand characters, the same for ever; all that loading it imports is with it."""
    assert pack_marker.__wrapped__("en") == pack_marker("en")
    assert len(pack_marker("en")) < 320_000
    modules = collect_modules(["marking/notebook_marks.py"])
    assert {"marking/mark.py", "attention/slips/catalogue.py", "__init__.py"} <= {*modules}
    assert not [name for name in modules if name.startswith(("cli/", "classroom/", "layout/", "formats/pdf/"))]


def test_shapes_are_looked_at_while_one_works() -> None:
    """So many rows and columns, a number everywhere."""
    assert has_shape([[1, 2]], 1, 2)
    assert has_shape(np.ones((3, 2)), 3, 2)
    for other in ([[1, 2], [3]], [[1, ...]], ..., None, 3, [1, 2]):
        assert not has_shape(other, 1, 2)


def test_answers_of_any_type_are_texts() -> None:
    """Nothing a student may leave in a variable stops the marking."""

    class Odd:
        def __str__(self) -> str:
            raise RuntimeError

    def collect(values: Mapping[str, object]) -> object:
        return collect_answers(values, {"Q": "Q"}, ["ask1"])

    assert collect({"Q": [[Odd()]]}) == {}
    assert collect({"Q": [[True, 1j, float("nan"), Fraction(1, 3), 1e22]]}) == {
        "Q": [["True", "1j", "nan", "1/3", "10000000000000000000000"]]
    }
    assert collect({"ask1": 3.0}) == {"ask1": "3"}


def test_it_is_a_notebook_with_answers_where_otter_cuts_them_out() -> None:
    """Valid, the same for ever, known as untouched; outside solutions and hidden tests nothing tells the key."""
    sheet = make_sheet()
    data = FORMATS["notebook"].render_file(sheet)
    assert (data, is_untouched(data)) == (FORMATS["notebook"].render_file(sheet), True)
    notebook = nbformat.reads(data.decode(), as_version=4)  # type: ignore[no-untyped-call]
    nbformat.validate(notebook)
    other = render_otter(make_sheet_from_request(Request(seed=8)).blank)
    assert len(read_sources(other)) > 40
    visible, block = [], ""
    for source in read_sources(data.decode()):
        block = "" if source.startswith("# END") else source if source.startswith("# BEGIN") else block
        prompt = source.partition("# BEGIN PROMPT")[2]
        if not source.startswith("# HIDDEN"):
            visible.append(prompt if block.startswith("# BEGIN SOLUTION") else source)
    text = "\n".join(visible)
    fractions = {str(x) for row in sheet.solution["A"].hand for x in row} - {"1", "0"}
    assert fractions
    assert not [each for each in fractions if each in text or each.replace("/", ", ") in text]
    assert "notebook_marks" not in text


def test_it_is_for_otter_alone() -> None:
    """Solutions begin in one cell and end in another, where nbgrader stops: it wants both in one."""
    sources = read_sources(render_otter(make_sheet()))
    begun = [source for source in sources if "BEGIN SOLUTION" in source]
    assert begun
    assert not [source for source in begun if "END SOLUTION" in source]


@pytest.mark.parametrize(
    ("options", "message"),
    [({"fade": True}, "leave out `fade=True`"), ({"mistake": "any"}, "leave out `mistake=`")],
)
def test_what_it_cannot_ask_is_refused(options: dict[str, object], message: str) -> None:
    """In a sentence with another way."""
    with pytest.raises(PageError, match=r"a notebook (asks|cannot ask)") as refusal:
        render_otter(make_sheet(**options))  # type: ignore[arg-type]
    assert message in str(refusal.value)
