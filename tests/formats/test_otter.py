"""The notebook: its tests mark as check does, and only its own markers hold answers."""

import random
from itertools import product

import nbformat
import pytest

from attnhand.attention.convention import Convention
from attnhand.errors import PageError
from attnhand.formats.otter import make_variable, render_otter
from attnhand.formats.otter_marker import find_fault, is_near, read_matrix, work
from attnhand.formats.registry import FORMATS
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import is_untouched
from tests.breadth import choose
from tests.formats.otter_tests import read_sources, run_hidden_tests
from tests.formats.workbooks import SPELLINGS, expect_signs, list_cases, list_texts
from tests.forms import FORMS

TRIED = [
    *product(("self", "basic", "cross", "multi-head-2", "block-1"), Convention),
    ("self-words-positions", Convention.ROWS),
    ("basic-causal", Convention.ROWS),
]


def make_sheet(form: str = "self", convention: Convention = Convention.COLUMNS, **options: object) -> Sheet:
    """Return the blank sheet of a form."""
    request = Request(seed=7, variant=FORMS[form], convention=convention)
    return make_sheet_from_request(request, PageOptions(**options)).blank  # type: ignore[arg-type]


@pytest.mark.parametrize(("form", "convention"), choose(TRIED[::3] + TRIED[-2:], TRIED))
def test_tests_mark_as_check_does(form: str, convention: Convention) -> None:
    """The key in some spelling passes; a slip fails its own stage alone, and is named; what follows passes."""
    sheet = make_sheet(form, convention)
    text = render_otter(sheet)
    key, *slips = list_cases(sheet, SPELLINGS[TRIED.index((form, convention)) % len(SPELLINGS)])
    named = 0
    for label, rows in [key, *random.Random(form).sample(slips, 4)]:
        sentences = run_hidden_tests(text, rows)
        signs = expect_signs(sheet.key, list_texts(rows))
        wrong = {make_variable(at.partition("[")[0]) for at, sign in signs.items() if sign not in ("✓", "→", "")}
        wrong -= {name for name in wrong if name.startswith("ask")}
        assert {name for name, fault in sentences.items() if fault} == wrong, label
        named += any(fault.startswith("You seem to have") for fault in sentences.values())
        assert all(fault.startswith(("You seem to have", f"{name}: ")) for name, fault in sentences.items() if fault)
    assert named >= 2


def test_numbers_are_read_as_students_write_them() -> None:
    """Lists, fractions in quotes, decimals to the digits asked, what Python worked, −∞; dots and holes are none."""
    third = read_matrix([[1 / 3, 0.33, "0,33", "1/3", 0.3]], 1, 5, 2)
    assert [is_near(x, read_matrix([["1/3"]], 1, 1, 2)[0][0][0]) for x in third[0]] == [True] * 4 + [False]
    assert read_matrix([[1, 2], [3]], 2, 2, 2) is None
    assert read_matrix([[..., 1]], 1, 2, 2) is None
    assert read_matrix(None, 1, 1, 2) is None
    assert is_near(read_matrix([["-inf"]], 1, 1, 2)[0][0], float("-inf"))
    assert work(lambda: 1 / 0) is None
    assert find_fault([[(1, 0)]], [[2]], [[(None, 0)]], [(0, 0)], [([[1]], "a slip")], "") == "a slip"
    assert find_fault([[(1, 0)]], [[2]], [[(None, 0)]], [(0, 0)], [], "{right} of 1") == "0 of 1"


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


@pytest.mark.parametrize(
    ("options", "message"),
    [({"fade": True}, "leave out `fade=True`"), ({"only_queries": (1,)}, "leave out `only_queries=`")],
)
def test_what_it_cannot_ask_is_refused(options: dict[str, object], message: str) -> None:
    """In a sentence with another way."""
    with pytest.raises(PageError, match="a notebook asks") as refusal:
        render_otter(make_sheet(**options))  # type: ignore[arg-type]
    assert message in str(refusal.value)
