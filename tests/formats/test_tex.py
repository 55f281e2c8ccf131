"""LaTeX sheets: ASCII, balanced, every matrix as it is, no answer on a blank one, texts that stay texts."""

import re
from dataclasses import replace
from fractions import Fraction

import pytest

from attnhand.attention.convention import Convention
from attnhand.attention.problem import Problem
from attnhand.formats.tex import escape_tex, render_tex
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import build_panels
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose
from tests.building import CLASSIC, make_problem
from tests.formats.hostile import HOSTILE_TEXTS
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION

MATRIX = re.compile(r"displaystyle (.*?) = \\begin\{bmatrix\}\n(.*?)\n\\end\{bmatrix\}", re.DOTALL)
UNESCAPED = re.compile(r"(?<!\\)(?:\\\\)*([&%$#_^~])")


def read_matrices(tex: str) -> list[tuple[str, list[list[str]]]]:
    """Return what stands before each matrix, and its cells as plain text."""
    return [
        (name, [[read_cell(cell) for cell in row.split("&")] for row in rows.split("\\\\\n")])
        for name, rows in MATRIX.findall(tex)
    ]


def read_cell(cell: str) -> str:
    """Read a cell of a matrix: its number, ``blank``, or whatever else it says."""
    if "attnhandblank" in cell:
        return "blank"
    cell = re.sub(r"\\tfrac\{(\d+)\}\{(\d+)\}", r"\1/\2", cell)
    return re.sub(r"\\color\{attnhandkey\}|\\phantom\{\\Big\|\}|\\approx|[{}\s]", "", cell).partition("=")[0]


def make_sheet(name: str = "self", convention: Convention = Convention.COLUMNS, **options: object) -> Sheet:
    """Return the sheet of seed 7."""
    request = Request(seed=7, variant=FORMS[name], convention=convention)
    return make_sheet_from_request(request, PageOptions(**options))  # type: ignore[arg-type]


def check_balance(tex: str) -> None:
    """Every brace and environment that opens closes, in order."""
    open_ones: list[str] = []
    for token in re.findall(r"\\(?:begin|end)\{\w+\}|\\.|[{}]|%.*", tex):
        if token == "{" or token.startswith("\\begin{"):
            open_ones.append(token)
        elif token == "}" or token.startswith("\\end{"):
            assert open_ones.pop() == ("{" if token == "}" else token.replace("end", "begin", 1))
    assert open_ones == []


@pytest.mark.parametrize(("name", "convention"), FORMS_IN_ONE_CONVENTION)
def test_every_form_is_balanced_ascii(name: str, convention: Convention) -> None:
    """Blank and solved; environments and braces close in order, the group at the end."""
    sheet = make_sheet(name, convention)
    for face in (sheet.blank, sheet.key):
        tex = render_tex(face)
        assert tex.isascii()
        check_balance(tex)
        assert sheet.code in tex


@pytest.mark.parametrize(("name", "convention"), choose(FORMS_IN_ONE_CONVENTION[::2], FORMS_IN_ONE_CONVENTION))
def test_the_matrices_of_the_key_are_those_of_the_sheet(name: str, convention: Convention) -> None:
    """Each stage that is asked stands there with its numbers in its rows, and none of them on the blank."""
    sheet = make_sheet(name, convention)
    on_key, on_blank = ([rows for _, rows in read_matrices(render_tex(face))] for face in (sheet.key, sheet.blank))
    panels = build_panels(sheet).list_panels()
    assert len(panels) > (2 if FORMS[name].begins_with == ("S",) else 4)
    for panel in panels:
        rows = [[f"{cell.number}".replace("−", "-").lstrip("≈") for cell in row] for row in panel.grid.cells]
        assert [[re.sub("∞", r"\\infty", text) for text in row] for row in rows] in on_key
    asked = sum(text == "blank" for rows in on_blank for row in rows for text in row)
    assert asked >= sheet.answer_cell_count - 1
    assert not any(text == "blank" for rows in on_key for row in rows for text in row)
    assert "{\\color" in render_tex(sheet.key)
    assert "{\\color" not in render_tex(sheet.blank)


def test_the_classic_has_the_weights_of_the_lesson() -> None:
    """A of the lesson, read from the LaTeX as fractions, is what the solution says."""
    sheet = make_sheet_from_problem(make_problem(CLASSIC))
    found = [rows for name, rows in read_matrices(render_tex(sheet.key)) if name.startswith("A =")]
    assert [[[Fraction(text) for text in row] for row in found[0]]] == [[list(row) for row in sheet.solution["A"].hand]]


def test_one_stage_stands_with_its_factors_alone() -> None:
    """``stage`` gives the matrices that a slide needs, and not a word."""
    tex = render_tex(make_sheet(stage="S").key)
    assert [name for name, _ in read_matrices(tex)] == ["K^{T}", "Q", "S = K^{T} Q"]
    assert "textbf" not in tex


def test_two_of_the_tallest_matrices_fit_a_frame() -> None:
    """By what the file says: the height that matrices are cut down to, and the least that stands around them."""
    text = render_tex(make_sheet_from_request(Request(seed=7)))
    (share,) = {float(each) for each in re.findall(r"([.\d]+)\\textheight", text)}
    points, shrink = map(int, re.findall(r"abovedisplayskip(\d+)pt plus \d+pt minus (\d+)pt", text)[0])
    frame = 240  # points of a frame's text, a little less than Beamer's
    assert 2 * share * frame + 4 * (points - shrink) <= frame


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_what_is_typed_stays_text(text: str) -> None:
    """No sign of a title or word does anything in LaTeX."""
    written = escape_tex(text)
    assert not UNESCAPED.search(re.sub(r"\$[^$]*\$", "", written.replace("\\$", "")))
    sheet = make_sheet_from_problem(replace(make_problem(CLASSIC), title=text))
    tex = render_tex(sheet.blank)
    assert written in tex
    check_balance(tex)


def test_letters_without_a_macro_stay_and_the_file_says_so() -> None:
    """Accents are macros; of other scripts the first lines say which program sets them."""
    assert escape_tex("Æsir ñ Čapek ế ß") == r"\AE{}sir \~{n} \v{C}apek \'{\^{e}} \ss{}"
    assert "lualatex" in render_tex(make_sheet_from_problem(make_titled("Юлия")).blank)
    assert "lualatex" not in render_tex(make_sheet_from_problem(make_titled("Zoë")).blank)


def make_titled(title: str) -> Problem:
    """Return the classic with a title."""
    return replace(make_problem(CLASSIC), title=title)
