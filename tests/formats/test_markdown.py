"""The Markdown sheet: its matrices, its order, that a blank one holds no answer and that texts stay texts."""

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from markdown_it import MarkdownIt

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix
from attnhand.attention.problem import Problem
from attnhand.attention.story import Story
from attnhand.attention.trace import can_be_traced
from attnhand.formats.markdown import render_markdown
from attnhand.formats.markdown_writer import TALL_ROW_END, convert_number_to_latex, convert_to_markdown, escape_markdown
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request, make_part_request
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from attnhand.text.widths import parse_markup
from tests.breadth import choose, pair_up
from tests.building import CLASSIC, Rows, make_problem, move_scores, replace_cell, replace_stage, transpose_given
from tests.formats.hostile import HOSTILE_TEXTS
from tests.forms import FORMS
from tests.strategies import problems

Matrices = list[tuple[str, list[list[str]]]]

IN_ORDER = [
    "W_{K}",
    "X",
    "K = W_{K} X",
    "W_{Q}",
    "Q = W_{Q} X",
    "K^{T}",
    "S = K^{T} Q",
    r"\text{scaled} = \lfloor S/2 \rfloor",
    r"\text{scaled}",
    r"\text{powers} = 3^{\text{scaled}}",
    r"\text{powers}",
    r"\Sigma",
    r"\Sigma",
    r"A = \text{powers} \div \Sigma",
    "A",
    "W_{V}",
    "V = W_{V} X",
    "Z = V A",
    "Z",
]
"""Every matrix of the classic key; a name without a formula is that of the exact values."""

COMMANDS = {
    "begin", "end", "tfrac", "square", "cdot", "text", "mathrm", "lfloor", "rfloor", "div", "sqrt", "Sigma", "approx",
    "infty", "phantom", "Big", "to", "dots", "times", "theta", "rceil",
}  # fmt: skip
"""All of LaTeX that a sheet uses; KaTeX and MathJax know them, and pandoc, which knows no ``surd`` of a word."""


def matrices(text: str) -> Matrices:
    """Return what stands before each matrix, and its cells."""
    found = re.findall(
        r"^\$\$\n(.*?) = \\begin\{bmatrix\}\n(.*?)\n\\end\{bmatrix\}\n\$\$$", text, re.DOTALL | re.MULTILINE
    )
    return [
        (name, [row.split(" & ") for row in rows.replace(TALL_ROW_END, "").split(" \\\\\n")]) for name, rows in found
    ]


def formulas(text: str) -> list[str]:
    """Return what stands between dollar signs on lines of their own."""
    return re.findall(r"^\$\$\n(.*?)\n\$\$$", text, re.DOTALL | re.MULTILINE)


def names(text: str) -> list[str]:
    """Return what stands before each matrix."""
    return [name for name, _ in matrices(text)]


def value(cell: str) -> Fraction:
    """Read a cell of a matrix; what follows an equals sign is the same value again."""
    return Fraction(re.sub(r"\\tfrac\{(\d+)\}\{(\d+)\}", r"\1/\2", cell.partition(" = ")[0]))


def numbers(cells: Sequence[Sequence[str]]) -> tuple[tuple[Fraction, ...], ...]:
    """Read all cells of a matrix."""
    return tuple(tuple(map(value, row)) for row in cells)


# what it says


def test_the_classic_has_its_matrices_in_the_order_of_need() -> None:
    """Keys and queries, scores, softmax, then the values beside the outputs; exact ones where they differ."""
    text = render_markdown(make_sheet_from_problem(make_problem(CLASSIC)))
    assert names(text) == IN_ORDER
    headings = re.findall(r"^#+ .*", text, re.MULTILINE)
    assert headings == [
        "# Self-attention by hand",
        "## 1 Keys and queries",
        "## 2 Scores",
        "## 3 Scale",
        "## 4 Softmax",
        "## 5 Values and outputs",
        "## 6 What does it show?",
    ]


def test_the_classic_key_has_the_numbers_of_the_lesson() -> None:
    """Fractions are fractions, negative ones with their sign before them; the comparison ends the key."""
    sheet = make_sheet_from_problem(make_problem(CLASSIC))
    text = render_markdown(sheet)
    cells_by_name = dict(reversed(matrices(text)))
    assert [row[0] for row in cells_by_name[r"A = \text{powers} \div \Sigma"]] == [
        rf"\tfrac{{{top}}}{{46}}" for top in (9, 27, 1, 9)
    ]
    assert numbers(cells_by_name["Z = V A"]) == sheet.solution["Z"].hand
    assert numbers(cells_by_name["S = K^{T} Q"]) == sheet.solution["S"].hand
    assert numbers(cells_by_name["K^{T}"]) == tuple(zip(*sheet.solution["K"].hand, strict=True))
    assert [cells for name, cells in matrices(text) if name == r"\Sigma"] == [
        [[r"\tfrac{46}{3}", r"\tfrac{28}{3}", r"\tfrac{22}{3}", "12"]],
        [["21.93", "12.56", "8.44", "23.28"]],
    ]
    assert r"**Two shortcuts.** Instead of dividing by $\sqrt{3} \approx 1.73$ we" in text
    assert "**ANSWER KEY**" in text
    assert "**How good was the shortcut?** 3 of 4 queries" in text
    assert text.endswith(f"sheet {sheet.code}\n")


def test_a_blank_sheet_is_to_be_filled() -> None:
    """A square for every cell and every copy, but for the one that is worked."""
    sheet = make_sheet_from_problem(make_problem(CLASSIC))
    text = render_markdown(sheet.blank)
    copies = 4 * 3
    assert text.count(r"\square") == sheet.answer_cell_count - 1 + copies
    assert not {"ANSWER KEY", "How good"} & set(re.findall("ANSWER KEY|How good", text))
    assert text.count("\\_\\_\\_\\_") == 6  # a guess, two questions, three cells of a try
    exact = {r"\text{scaled}", r"\text{powers}", "A", "Z"}
    assert names(text) == [name for name in dict.fromkeys(IN_ORDER) if name not in exact]


def test_rows_multiply_in_the_other_order() -> None:
    """Every matrix is the transposed one, every product the other way round."""
    sheet = make_sheet_from_problem(make_problem(transpose_given(CLASSIC), convention=Convention.ROWS))
    cells_by_name = dict(reversed(matrices(render_markdown(sheet))))
    columns = make_sheet_from_problem(make_problem(CLASSIC)).solution
    assert {"Q = X W_{Q}", "S = Q K^{T}", "Z = A V"} <= cells_by_name.keys()
    assert numbers(cells_by_name["Z = A V"]) == tuple(zip(*columns["Z"].hand, strict=True))
    assert "count too; powers 3 (9/3) and 1/3: shares 9/10 and 1/10" in render_markdown(sheet)


def test_only_the_asked_queries_are_drawn_and_named() -> None:
    """K and V are printed; each matrix that is cut down says which lines it shows."""
    sheet = make_sheet_from_request(Request(seed=7), PageOptions(only_queries=(1, 3)))
    text = render_markdown(sheet.blank)
    cells_by_name = dict(matrices(text))
    assert "columns $q_{1}$, $q_{3}$:" in text
    assert "columns $x_{1}$, $x_{3}$:" in text
    assert numbers(cells_by_name["K^{T}"]) == tuple(zip(*sheet.solution["K"].hand, strict=True))
    assert numbers(cells_by_name["V"]) == sheet.solution["V"].hand
    assert all(len(row) == 2 for row in cells_by_name["S = K^{T} Q"])
    assert text.count(r"\square") == sheet.answer_cell_count - 1


def test_the_exact_values_of_one_query_stand_on_a_blank_that_asks_for_them() -> None:
    """The other columns of that matrix hold dots."""
    sheet = make_sheet_from_problem(make_problem(CLASSIC), PageOptions(show_exact=True))
    exact = dict(matrices(render_markdown(sheet.blank)))[r"\text{scaled}"]
    assert [row[0] for row in exact] == ["1.73", "2.31", "-0.58", "1.73"]
    assert {cell for row in exact for cell in row[1:]} == {r"\cdot"}


@pytest.mark.parametrize(
    ("stage", "drawn"),
    [
        ("S", ["K^{T}", "Q", "S = K^{T} Q"]),
        ("scores", ["K^{T}", "Q", "S = K^{T} Q"]),
        ("A", [r"A = \text{powers} \div \Sigma"]),
        ("Z", ["V", "A", "Z = V A"]),
    ],
)
def test_one_stage_alone_has_its_factors(stage: str, drawn: list[str]) -> None:
    """A product with both, any other stage below what makes it, and no sentence."""
    sheet = make_sheet_from_request(Request(seed=7), PageOptions(stage=stage))
    key = render_markdown(sheet.key)
    assert names(key) == drawn
    assert numbers(matrices(key)[-1][1]) == sheet.solution[drawn[-1][0]].hand
    assert key.count("$$") == 2 * len(drawn)
    assert not re.sub(r"\$\$.*?\$\$", "", key, flags=re.DOTALL).strip()
    assert r"\square" in render_markdown(sheet.blank)
    assert r"\square" not in key


@pytest.mark.parametrize(
    ("rules", "formula"),
    [
        (Rules(scale=ScaleRule.NONE), r"\text{powers} = 3^{S}"),
        (Rules(scale=ScaleRule.SQRT), r"\text{scaled} = S \div \sqrt{3}"),
        (Rules(scale=4), r"\text{scaled} = S \div 4"),
        (Rules(base=Base.TEN), r"\text{powers} = 10^{\text{scaled}}"),
        (Rules(base=Base.E), r"\text{powers} = e^{\text{scaled}}"),
    ],
)
def test_every_rule_has_its_formula(rules: Rules, formula: str) -> None:
    """As the paper writes it."""
    assert formula in names(render_markdown(make_sheet_from_problem(make_problem(CLASSIC, rules=rules))))


@pytest.mark.parametrize(
    ("number", "written"),
    [
        (PrintedNumber("−3"), "-3"),
        (PrintedNumber("0.50"), "0.50"),
        (PrintedNumber("", "1", "3"), r"\tfrac{1}{3}"),
        (PrintedNumber("−", "1", "3"), r"-\tfrac{1}{3}"),
        (PrintedNumber("", "1", "2", "= 3/6"), r"\tfrac{1}{2} = \tfrac{3}{6}"),
        (PrintedNumber("≈−0.12"), r"{\approx}-0.12"),
        (PrintedNumber("−∞"), r"-\infty"),
        (PrintedNumber("e^800.00"), "e^{800.00}"),
        (PrintedNumber("−1.2·10¹²"), r"-1.2 \cdot 10^{12}"),
    ],
)
def test_every_kind_of_number_is_latex(number: PrintedNumber, written: str) -> None:
    """Fractions, rounded values, powers that overflow."""
    assert convert_number_to_latex(number) == written


@pytest.mark.parametrize(
    ("markup", "written"),
    [
        ("**K = W_K X**: A[1,1]·v_1 < _____", r"**$K = W_{K} X$**: $A[1{,}1]\cdot v_{1}$ \< \_\_\_\_\_"),
        ("√3 ≈ 1,73: ⌊x/2⌋, 3 → 1", r"$\sqrt{3} \approx 1{,}73$: $\lfloor x/2 \rfloor$, $3 \to 1$"),
        ("3^{−1} = 1/3, 9/10 and −1", "$3^{-1} = 1/3$, 9/10 and $-1$"),
        ("columns add to ≈−0.5, ≈ 2, 3", r"columns add to $\approx-0.5$, $\approx 2$, $3$"),
        ("add to 1/2; 2; −1: 4, 5", "add to $1/2$; $2$; $-1$: 4, 5"),
        ("d_k = d_v = 3 · 116 cells", "$d_{k} = d_{v} = 3$ · 116 cells"),
        ("softmax_{columns}(mask(K′^T Q′))", r"$\mathrm{softmax_{\text{columns}}}(\text{mask}(K'^{T} Q'))$"),
        ("softmax_{columns, sink}(K^T Q)", r"$\mathrm{softmax_{\text{columns}, \text{sink}}}(K^{T} Q)$"),
        ("*a* sin θ, sin 0 = 0, sin(2)", r"$a\ \sin\ \theta$, $\sin 0 = 0$, $\sin(2)$"),
        ("R_1[1,2] sin X: sin f ni m", r"$R_{1}[1{,}2]$ sin $X$: sin $f$ ni $m$"),
        ("F_1 = W_1 output + b_1; all Z", r"$F_{1} = W_{1}\ \text{output} + b_{1}$; all $Z$"),
        ("max(1, ⌊√squares_1⌉)", r"$\text{max}(1, \lfloor\sqrt{\mathrm{squares_{1}}} \rceil)$"),
        ("r = √(x + 1) of √d_k", r"$r = \sqrt{x + 1}$ of $\sqrt{d_{k}}$"),
        ("W_U′ = row of it − 1/2 · g·z", r"$W_{U}'$ = row of it $-$ 1/2 · $g\cdot z$"),
        ("scaled[2,1] (k_2) was S", r"$\text{scaled}[2{,}1]$ $(k_{2})$ was $S$"),
        ("q_1…q_4 (a word); Σ ÷ 2", r"$q_{1}\dots q_{4}$ (a word); $\Sigma \div 2$"),
        ("so (Z + 1)2, (max(Q, 1))2", r"so ($Z + 1$)2, ($\text{max}(Q, 1)$)2"),
        ("S · (1 + (3 − Z)), (((3 − Z)))", r"$S \cdot (1 + (3 - Z))$, ($((3 - Z))$)"),
        ("eat (2, −1, 0), (1, 2); (−3) (½, −3)", "eat $(2, -1, 0)$, (1, 2); $(-3)$ (½, $-3$)"),
        ("user−12", "user$-12$"),
    ],
)
def test_running_text_keeps_its_bold_and_formulas(markup: str, written: str) -> None:
    """Formulas are whole, bold is not broken by one, our signs are no markup, and numbers without a sign are text."""
    assert convert_to_markdown(parse_markup(markup)) == written


# what every sheet is


def check_form(text: str) -> None:
    """Check that GitHub draws what is meant: rows on lines of their own, known commands, balanced braces."""
    blocks = formulas(text)
    assert blocks
    assert len(matrices(text)) + text.count(r"\begin{array}") == len(blocks) == text.count("$$") / 2
    for block in blocks:
        assert set(re.findall(r"\\([a-z]+)", block, re.IGNORECASE)) <= COMMANDS
        assert block.count("{") == block.count("}")
        assert not re.search(r"^\s*([-+*>#]|\d+[.)])(\s|$)|^\s*$|^=+$", block, re.MULTILINE)
        assert not re.search(r"\\\\(?!\n)", block)
        assert "$" not in block
        assert ("tfrac" in block) is (TALL_ROW_END in block)
        assert block.count(TALL_ROW_END) in (0, block.count("\\\\\n") + 1)
        assert block.isascii() or "Σ" in block
    assert all(len({len(row) for row in cells}) == 1 for _, cells in matrices(text))
    check_sentences(text)


def check_sentences(text: str) -> None:
    """Check that what stands in sentences is drawn by GitHub, Jupyter, pandoc and Quarto alike, and none left over."""
    sentences = re.sub(r"\$\$.*?\$\$", "", text, flags=re.DOTALL).replace(r"\$", "")
    assert sentences.count("$") % 2 == 0
    between = sentences.split("$")
    for before, formula, after in zip(between[::2], between[1::2], between[2::2], strict=False):
        assert re.search(r"(^|[\s(*])$", before)
        assert not re.match(r"\w", after)
        assert formula.strip() == formula != ""
        assert "\n" not in formula
        assert set(re.findall(r"\\([a-z]+)", formula, re.IGNORECASE)) <= COMMANDS
        assert all(formula.count(pair[0]) == formula.count(pair[1]) for pair in ("{}", "()", "[]"))
        assert not re.search(r"[√⌊·÷₀-₉ᵀ′<*]|[}\])]_|\\[^a-z ]", formula, re.IGNORECASE)
    assert not re.search(r"</?su[bp]>|[√⌊⌋₀-₉⁰-⁹ᵀ′−]|\w\^|(?<![\\\w])_|\w\[", "".join(between[::2]))


@given(problems())
def test_every_sheet_is_well_formed_and_holds_its_values(problem: Problem) -> None:
    """Blank and solved, all rules, both conventions."""
    sheet = make_sheet_from_problem(problem)
    check_form(render_markdown(sheet.blank))
    check_form(render_markdown(sheet))
    assert render_markdown(sheet) == render_markdown(sheet)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("queries", [None, (2,)])
def test_a_blank_sheet_depends_on_no_answer(convention: Convention, queries: tuple[int, ...] | None) -> None:
    """With other answers in it a blank sheet reads the same, but for the worked cell and what is printed.

    The scaled scores only change places: the sheet lists the powers that it needs.
    """
    sheet = make_sheet_from_request(
        Request(seed=11, convention=convention), PageOptions(only_queries=queries, questions=QuestionAmount.NONE)
    )
    assert sheet.worked_cell
    worked, row, column = sheet.worked_cell
    other = sheet.solution
    for solved in sheet.solution:
        if not sheet.is_printed(solved.stage):
            hand: Matrix = tuple(tuple(987654 for _ in row) for row in solved.hand)
            if solved.stage.name == "scaled":
                hand = move_scores(sheet, solved.hand)
            if solved.stage.name == worked:
                hand = replace_cell(hand, row, column, solved.hand[row][column])
            exact = tuple(tuple(987.654 for _ in row) for row in solved.exact)
            other = replace_stage(other, solved.stage.name, hand=hand, exact=exact)
    tampered: Sheet = replace(sheet, solution=other)
    assert render_markdown(tampered.blank) == render_markdown(sheet.blank)
    assert render_markdown(tampered) != render_markdown(sheet)


@pytest.mark.parametrize(("name", "convention"), pair_up(choose([*FORMS][::2], [*FORMS]), [*Convention]))
def test_markdown_leaves_formulas_alone(name: str, convention: Convention) -> None:
    """Where formulas are drawn after Markdown is read, as GitHub does, it finds no markup in any: not between their
    underscores, no table at their bars, no list at their minus signs; each is a paragraph of its own.
    """
    form = FORMS[name]
    request = Request(seed=7, variant=form, convention=convention)
    asked = make_sheet_from_request(request).asked_queries
    query = None if form.embedded_words or not can_be_traced(form.build_mechanism(6)) else asked[:2][-1] + 1
    sheet = make_sheet_from_request(request, PageOptions(trace=query))
    for version in (sheet.blank, sheet.key):
        text = render_markdown(version)
        check_form(text)
        assert (r"\begin{array}{r|" in text) is (query is not None)
        tokens = MarkdownIt("commonmark").enable("table").parse(text)
        assert {token.type for token in tokens if token.level == 0} <= {
            *("heading_open", "heading_close", "paragraph_open", "paragraph_close"),
        }
        blocks = [token for token in tokens if token.type == "inline" and token.content.startswith("$$")]
        assert [block.content for block in blocks] == [f"$$\n{formula}\n$$" for formula in formulas(text)]
        assert {child.type for block in blocks for child in block.children or []} == {"text", "softbreak"}


@pytest.mark.parametrize(("part", "language"), pair_up([*MODEL_PARTS], [*LANGUAGES]))
def test_vectors_in_sentences_are_formulas(part: str, language: str) -> None:
    """What is asked of a language model, and what its key answers, is full of (0, −2, 1)."""
    sheet = make_sheet_from_request(make_part_request(MODEL_PARTS[part], 3), PageOptions(language=language))
    for version in (sheet.blank, sheet.key):
        check_sentences(render_markdown(version))


@pytest.mark.parametrize(("language", "name"), pair_up([*LANGUAGES], [*FORMS]))
def test_formulas_are_found_in_the_sentences_of_every_language(language: str, name: str) -> None:
    """With its words for functions, its decimal commas, its quotation marks; bold begins and ends where it is meant."""
    for options in (
        PageOptions(language=language, questions=QuestionAmount.MANY, check_sums=True),
        PageOptions(language=language, mistake="any"),
    ):
        sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name]), options)
        for version in (sheet.blank, sheet.key):
            text = render_markdown(version)
            check_sentences(text)
            inline = [child for token in MarkdownIt("commonmark").parse(text) for child in token.children or []]
            assert {child.type for child in inline} <= {"text", "softbreak", "strong_open", "strong_close"}
            assert not any("**" in child.content for child in inline)


# what may not break it


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_titles_and_words_stay_text(text: str) -> None:
    """A Markdown parser finds the very characters in the heading, and no tag, link or code that is not ours."""
    title = " ".join(text.split())
    sheet = make_sheet_from_problem(make_problem(CLASSIC, title=title, words=(title[:10].strip(), "a", "b", "c")))
    tokens = MarkdownIt("commonmark").parse(render_markdown(sheet.blank))
    inline = [token for token in tokens if token.type == "inline"]
    heading = inline[0].children or []
    (words,) = (token.children or [] for token in inline if token.content.startswith("$x_{1}$ "))
    assert {token.type for token in heading + words} == {"text"}
    assert "".join(token.content for token in heading) == title
    assert "".join(token.content for token in words).startswith(f"$x_{{1}}$ {sheet.problem.words[0]} · $x_{{2}}$ a")
    kinds = {child.type for token in inline for child in token.children or []}
    assert kinds <= {"text", "strong_open", "strong_close", "softbreak", "hardbreak"}
    assert [token.type for token in tokens].count("heading_open") == 7


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_a_hostile_story_becomes_no_link_and_no_tag(text: str) -> None:
    """It is markup, and may be bold or hold a formula of our own; dollar signs in it are text."""
    story = Story(name="own", sentence=text, question=text, feature_names=tuple("abcdef"), query=0, answers=(0,))
    written = render_markdown(
        make_sheet_from_problem(replace(make_problem(CLASSIC), words=tuple("abcd"), story=story)).blank
    )
    inline = [child for token in MarkdownIt("commonmark").parse(written) for child in token.children or []]
    assert {child.type for child in inline} <= {"text", "softbreak", "strong_open", "strong_close"}
    assert not re.search(r"(?<!\\)[<`|~@]|www\.|\w://|(?<!\\)&", written.partition("## ")[0])
    assert len(re.findall(r"(?<!\\)\$", written.partition("## ")[0])) % 2 == 0


def test_escaping_covers_every_ascii_sign_that_can_begin_markup() -> None:
    """What is left bare cannot begin anything inside a line."""
    bare = [chr(c) for c in range(33, 127) if not chr(c).isalnum() and escape_markdown(chr(c)) == chr(c)]
    assert bare == ["'", ",", "-", ";", "?"]


def test_long_fractions_are_rounded_as_on_paper() -> None:
    """More than three digits above or below the line are a decimal with a sign of nearness."""
    given: dict[str, Rows] = {**CLASSIC, "W_V": [["1/1234", 0, 0, 0, 0, 0]]}
    text = render_markdown(make_sheet_from_problem(make_problem(given)))
    assert r"{\approx}0.00" in text
    check_form(text)


def test_a_title_of_ones_own_says_too_that_there_is_a_mistake() -> None:
    """As on paper; on a sheet without one the title stands alone."""
    own = make_problem(CLASSIC, title="Week 3 *")
    for mistake, heading in ((None, "# Week 3 \\*"), ("any", "# Week 3 \\*\\: find the mistake")):
        sheet = make_sheet_from_problem(own, PageOptions(mistake=mistake))
        assert render_markdown(sheet.blank).splitlines()[0] == heading
