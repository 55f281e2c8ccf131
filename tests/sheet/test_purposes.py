"""What every stage is for, and the formula of the lecture: for each mechanism, in both conventions and every format."""

import math
import re
from fractions import Fraction
from typing import Any

import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT, HAND, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.formats.markdown import render_markdown
from attnhand.formats.markdown_writer import convert_to_markdown
from attnhand.formats.terminal import render_terminal
from attnhand.formats.web import make_script_data
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import TextBox
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.sheet.explain import format_explanation
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sentences import format_example, format_lecture_formula, format_purpose
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from attnhand.text.widths import parse_markup, to_unicode
from tests import forms
from tests.breadth import choose, pair_up
from tests.forms import FORMS

LEVEL = choose(Level.WARM_UP, Level.STANDARD)


def make_sheet(name: str, convention: Convention, rules: Rules = HAND) -> Sheet:
    """Return the sheet of seed 7."""
    return make_sheet_from_request(
        Request(seed=7, variant=FORMS[name], level=LEVEL, convention=convention, rules=rules)
    )


def list_purposes(sheet: Sheet) -> list[str]:
    """Return what its stages are for, each sentence once, without markup."""
    markups = dict.fromkeys(format_purpose(sheet, stage) for stage in sheet.problem.mechanism.stages)
    return [to_unicode(parse_markup(markup)) for markup in markups]


@pytest.mark.parametrize(("name", "convention"), pair_up(forms.SOME_FORMS, [*Convention]))
def test_every_stage_says_what_it_is_for(name: str, convention: Convention) -> None:
    """No stage is without its sentence, by any rule; none of them names a key or keeps a brace."""
    for rules in (HAND, EXACT, Rules(scale=4)):
        sheet = make_sheet(name, convention, rules)
        for stage in sheet.problem.mechanism.stages:
            purpose = format_purpose(sheet, stage)
            assert re.fullmatch(r"(?:[A-Z]|l and o ).*\.", purpose), stage.name
            assert not re.search(r"[{}]|\.for|\.example", to_unicode(parse_markup(purpose))), purpose
    other = {Convention.COLUMNS: "along each row", Convention.ROWS: "down each column"}[convention]
    assert not any(other in purpose for purpose in list_purposes(sheet))


def test_stages_that_serve_one_purpose_say_it() -> None:
    """A root says what the squares below it are for, a block's powers what blocks are for; a sheet says it once."""
    served = {"block-1-normed": ("r1", "squares1"), "online": ("l1", "m1"), "next-token-learning": ("p_new", "zz")}
    for name, (one, other) in served.items():
        sheet = make_sheet(name, Convention.COLUMNS)
        purposes = [format_purpose(sheet, sheet.problem.mechanism.get_stage(each)) for each in (one, other)]
        assert purposes[0] == purposes[1] != ""
        assert to_unicode(parse_markup(purposes[0])) in format_explanation(sheet, f"{one}[1,1]")
        said = " ".join(render_terminal(sheet.blank).split())
        assert said.count(" ".join(to_unicode(parse_markup(purposes[0])).split())) == 1


SOME_FORMS = ("self", "basic", "cross", "multi-head-2", "block-1", "self-causal", "self-words-positions")


@pytest.mark.parametrize(("name", "convention"), pair_up(choose(SOME_FORMS[3::2], SOME_FORMS), [*Convention]))
def test_every_format_says_it(name: str, convention: Convention) -> None:
    """PDF and web page from one layout, terminal, Markdown, the phone view and explain; on the sheet each once."""
    sheet = make_sheet(name, convention)
    drawn = [stage for stage in sheet.problem.mechanism.stages if sheet.has_own_panel(stage)]
    purposes = {to_unicode(parse_markup(format_purpose(sheet, stage))) for stage in drawn}
    for face in (sheet.blank, sheet.key):
        boxes = [item for page in lay_out(face).pages for item in page.items if isinstance(item, TextBox)]
        paragraphs = [to_unicode(paragraph.text) for box in boxes for paragraph in box.paragraphs]
        page_text = "\n".join(paragraphs)
        assert {purpose: page_text.count(purpose) for purpose in purposes} == dict.fromkeys(purposes, 1)
        terminal = " ".join(render_terminal(face).split())
        assert [purpose for purpose in purposes if terminal.count(" ".join(purpose.split())) != 1] == []
        markdown = render_markdown(face)
        written = {convert_to_markdown(parse_markup(format_purpose(sheet, stage))) for stage in drawn}
        assert [purpose for purpose in written if markdown.count(purpose) != 1] == []
    data = make_script_data(sheet.blank, lay_out(sheet.blank))
    assert data is not None
    assert {stage["purpose"] for stage in data["stages"]} <= purposes
    for stage in drawn:
        lines = format_explanation(sheet, f"{stage.name}[1,1]").splitlines()
        assert any(purpose.startswith(lines[1]) for purpose in purposes)


@pytest.mark.parametrize(("name", "convention"), pair_up(choose(SOME_FORMS[::2], SOME_FORMS), [*Convention]))
def test_the_purpose_comes_before_the_way(name: str, convention: Convention) -> None:
    """At body size, in the box of its stage, before what to do where one box says both."""
    for page in lay_out(make_sheet(name, convention).blank).pages:
        for item in page.items:
            if isinstance(item, TextBox):
                texts = [(to_unicode(paragraph.text), paragraph.style) for paragraph in item.paragraphs]
                purposes = [at for at, (text, _) in enumerate(texts) if text.startswith("Softmax turns")]
                ways = [at for at, (text, _) in enumerate(texts) if text.startswith("Powers:")]
                assert all(texts[at][1] == "body" for at in purposes)
                assert not (purposes and ways) or purposes[0] < ways[0]


FORMULAS = {
    "self": ("Z = V · softmax_columns(Kᵀ Q / √d_k)", "Z = softmax_rows(Q Kᵀ / √d_k) · V"),
    "self-causal": ("Z = V · softmax_columns(mask(Kᵀ Q / √d_k))", "Z = softmax_rows(mask(Q Kᵀ / √d_k)) · V"),
    "basic": ("Z = X · softmax_columns(Xᵀ X)", "Z = softmax_rows(X Xᵀ) · X"),
    "cross": (
        "Z = V · softmax_columns(Kᵀ Q / √d_k), with Q from X, K and V from M",
        "Z = softmax_rows(Q Kᵀ / √d_k) · V, with Q from X, K and V from M",
    ),
    "multi-head-2": (
        "In each head Z = V · softmax_columns(Kᵀ Q / √d_k); concat = all Z under one another; output = W_O concat",
        "In each head Z = softmax_rows(Q Kᵀ / √d_k) · V; concat = all Z side by side; output = concat W_O",
    ),
    "block-1": (
        "Z = V · softmax_columns(Kᵀ Q / √d_k); F₁ = W₁ Z + b₁; relu₁ = max(0, F₁); F₂ = W₂ relu₁ + b₂",
        "Z = softmax_rows(Q Kᵀ / √d_k) · V; F₁ = Z W₁ + b₁; relu₁ = max(0, F₁); F₂ = relu₁ W₂ + b₂",
    ),
    "block-1-residual-normed-causal": (
        "N₁ = RMSNorm(X); Z = V · softmax_columns(mask(Kᵀ Q / √d_k)); output = W_O Z; R₁ = ⌊X + output⌉; "
        "N₂ = RMSNorm(R₁); F₁ = W₁ N₂ + b₁; relu₁ = max(0, F₁); F₂ = W₂ relu₁ + b₂; R₂ = ⌊R₁ + F₂⌉",
        "N₁ = RMSNorm(X); Z = softmax_rows(mask(Q Kᵀ / √d_k)) · V; output = Z W_O; R₁ = ⌊X + output⌉; "
        "N₂ = RMSNorm(R₁); F₁ = N₂ W₁ + b₁; relu₁ = max(0, F₁); F₂ = relu₁ W₂ + b₂; R₂ = ⌊R₁ + F₂⌉",
    ),
}
"""In columns, in rows."""


@pytest.mark.parametrize("name", FORMULAS)
def test_the_head_has_the_formula_of_the_lecture(name: str) -> None:
    """Whatever the mechanism is, in the convention of the sheet, and the same on blank and key."""
    for convention, formula in zip(Convention, FORMULAS[name], strict=True):
        sheet = make_sheet(name, convention)
        assert to_unicode(parse_markup(format_lecture_formula(sheet))) == formula
        for face in (sheet.blank, sheet.key):
            boxes = [item for item in lay_out(face).pages[0].items if isinstance(item, TextBox)]
            texts = [to_unicode(p.text).replace("\u00a0", " ") for box in boxes for p in box.paragraphs]
            assert texts.count(formula) == 1


def test_its_parts_have_the_colours_of_the_sheet() -> None:
    """Each name that of its matrix, the softmax that of the weights, the root that of the scaled scores."""
    runs = parse_markup(format_lecture_formula(make_sheet("self", Convention.COLUMNS)))
    coloured: dict[str, str] = {}
    for run in runs:
        coloured[run.accent] = coloured.get(run.accent, "") + run.text
    assert coloured == {
        "outputs": "Z",
        "": " =  · " + " ",
        "values": "V",
        "weights": "softmaxcolumns()",
        "keys": "KT",
        "queries": "Q",
        "scaled": " / √dk",
    }


def test_large_print_says_it_too() -> None:
    """On A4 in 18 points, each sentence once."""
    sheet = attnhand.generate(7, options=PageOptions(large_print=True))
    boxes = [item for page in lay_out(sheet.blank).pages for item in page.items if isinstance(item, TextBox)]
    paragraphs = [to_unicode(paragraph.text) for box in boxes for paragraph in box.paragraphs]
    assert all("\n".join(paragraphs).count(purpose) == 1 for purpose in list_purposes(sheet))


def test_where_nothing_is_scaled_no_word_is_said_of_it() -> None:
    """No stage, no √d_k, not in the formula either."""
    sheet = make_sheet_from_request(Request(seed=7, rules=Rules(scale=ScaleRule.NONE)))
    text = render_terminal(sheet.blank)
    assert "√" not in text
    assert "Scale" not in text
    assert "Powers: 3 to the power of each number of S. " in text


def compute(text: str) -> Fraction:
    """Return what a sum of products of whole numbers and fractions comes to: "2·3 + (−1)·1"."""
    total = Fraction(0)
    for product in text.split(" + "):
        factors = [Fraction(each.strip("()").replace("−", "-")) for each in product.split("·")]
        total += math.prod(factors, start=Fraction(1))
    return total


@pytest.mark.parametrize("code", LANGUAGES)
def test_every_kind_of_stage_has_an_example_that_comes_out_right(code: str) -> None:
    """Made-up numbers at scores, shares and outputs; in every language their sums are true."""
    for name, convention, product in (("self", Convention.COLUMNS, "k₂ · q₁"), ("basic", Convention.ROWS, "x₁ · x₂")):
        request = Request(seed=7, variant=FORMS[name], level=LEVEL, convention=convention)
        sheet = make_sheet_from_request(request, PageOptions(language=code))
        markups = {stage.topic: format_example(sheet, stage) for stage in sheet.problem.mechanism.stages}
        said = {topic: " ".join(to_unicode(parse_markup(markup)).split()) for topic, markup in markups.items()}
        cell = "S[1,2]" if convention is Convention.ROWS else "S[2,1]"
        assert said["scores"].startswith(f"{cell} = {product}")
        assert re.search(r"\(2 ?[,;] −1\) · \(3 ?[,;] 1\) = 2·3 \+ \(−1\)·1 = ", said["scores"])
        for topic in ("scores", "outputs"):
            working, total = re.split(" = |: ", said[topic].rstrip("."))[-2:]
            assert compute(working) == Fraction(total)
        powers, total = re.findall(r"\d, \d, \d(?!/)|(?<== )\d", said["weights"])
        numbers = [int(each) for each in powers.split(", ")]
        assert sum(numbers) == int(total)
        shares = [Fraction(each) for each in re.findall(r"\d/\d", said["weights"])]
        assert shares == [Fraction(each, sum(numbers)) for each in numbers]


@pytest.mark.parametrize("sink", [-2, -1, 1, 3])
def test_the_example_beside_a_sink_adds_the_power_that_its_sheet_adds(sink: int) -> None:
    """Its shares are those of 3 and 1 beside the sink's own power, by hand as fractions and with e as decimals."""
    for rules, base in (("hand", Fraction(3)), ("exact", Fraction(math.e))):
        text = " ".join(render_terminal(attnhand.generate(7, sink=sink, rules=rules).blank).split())
        (found,) = re.findall(
            r"Made up: powers 3 and 1, and \S+ [=≈] (\S+) for the sink: Σ = (\S+), shares (\S+), (\S+)\.", text
        )
        power = base**sink
        expected = (power, power + 4, 3 / (power + 4), 1 / (power + 4))
        tolerance = 0 if rules == "hand" else Fraction(1, 200)
        assert all(abs(Fraction(a) - b) <= tolerance for a, b in zip(found, expected, strict=True))


def test_what_is_worked_for_one_token_names_no_column() -> None:
    """With a cache its only column is that of the fourth token."""
    assert "row 2 of W_K times X: " in render_terminal(attnhand.generate(44, cache=3).blank)
    assert "X times column " in render_terminal(attnhand.generate(44, cache=3, convention="rows").blank)


@pytest.mark.parametrize(
    ("options", "name"),
    [({}, "scaled"), ({"positions": "distance"}, "biased")],
)
def test_who_takes_the_mask_off_reads_what_it_is_put_on(options: dict[str, Any], name: str) -> None:
    """The try names the grid that its numbers come from."""
    tries = 0
    for seed in range(12):
        sheet = attnhand.generate(seed, causal=True, questions="many", **options)
        posed = {each.posed.question.id: each.posed for each in build_questions(sheet.key)}
        if "try.mask.all" in posed:
            text = " ".join(render_terminal(sheet.blank).split())
            assert f"all its numbers of {name} count" in text
            query, finding = posed["try.mask.all"].parameters.query, posed["try.mask.all"].finding
            assert finding and finding.answer == sum(
                Fraction(3) ** int(row[query]) for row in sheet.solution[name].hand
            )
            tries += 1
    assert tries


@pytest.mark.parametrize(("d_k", "quotient"), [(2, "≈ 3.54"), (3, "≈ 2.89"), (4, "= 2.50")])
def test_an_exact_quotient_has_an_example(d_k: int, quotient: str) -> None:
    """Where scores are halved and rounded down, the house rules have four."""
    sheet = attnhand.generate(7, d_k=d_k, rules="exact")
    text = " ".join(render_terminal(sheet.blank).split())
    assert f"Each score ÷ √{d_k}. So 5 ÷ √{d_k} {quotient}." in text
    assert abs(float(quotient[2:]) ** 2 * d_k - 25) < 0.1


def test_a_story_says_itself_where_its_weights_come_from() -> None:
    """Other sheets say it where the first query is worked; where Q is given, no W is spoken of."""
    said = "Training finds the numbers in W"
    assert said in render_terminal(attnhand.generate(7).blank)
    assert said not in render_terminal(attnhand.generate(7, story="dog").blank)
    assert said not in render_terminal(attnhand.generate(7, mechanism="basic").blank)
