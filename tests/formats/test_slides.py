"""The slides: where each begins, that every stage has one with its factors, and how much stands on one."""

import re

import pytest
from markdown_it import MarkdownIt

from attnhand.attention.convention import Convention
from attnhand.attention.trace import can_be_traced
from attnhand.formats.markdown import render_markdown
from attnhand.formats.slides import FONT_SIZES, render_slides
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.sheet.document import build_document
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import Panel
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from tests.breadth import pair_up
from tests.building import CLASSIC, make_problem
from tests.formats.hostile import HOSTILE_TEXTS
from tests.formats.test_markdown import check_sentences
from tests.forms import FORMS

SLIDES = PageOptions(slides=True)


def split_slides(text: str) -> tuple[str, list[str]]:
    """Return the front matter, and the slides as a Markdown parser finds them: parted by rules."""
    front_matter, body = re.fullmatch(r"---\n(.*?)\n---\n\n(.*)", text, re.DOTALL).groups()  # type: ignore[union-attr]
    lines = body.splitlines()
    rules = [token.map[0] for token in MarkdownIt("commonmark").parse(body) if token.type == "hr" and token.map]
    assert all(lines[at] == "---" and not lines[at - 1] and not lines[at + 1] for at in rules)
    ends = zip([-1, *rules], [*rules, len(lines)], strict=True)
    return front_matter, ["\n".join(lines[start + 1 : end]).strip() for start, end in ends]


def names(slide: str) -> list[str]:
    """Return the names of the matrices on a slide."""
    return re.findall(r"^(\S+) (?:= [^=\n]* )?= \\begin\{bmatrix\}$", slide, re.MULTILINE)


def test_every_stage_of_the_lesson_is_a_slide() -> None:
    """With both of its factors, below its heading; the title begins and what is asked ends."""
    front_matter, slides = split_slides(render_slides(make_sheet_from_problem(make_problem(CLASSIC)).blank))
    assert front_matter.startswith("marp: true\n")
    assert slides[0].startswith("# Self-attention by hand\n")
    assert slides[1].startswith("**Two shortcuts.**")
    stages = slides[2:-1]
    assert [slide.splitlines()[0] for slide in stages] == [
        "## 1 Keys and queries",
        "## 1 Keys and queries",
        "## 2 Scores",
        "## 3 Scale",
        *3 * ["## 4 Softmax"],
        *2 * ["## 5 Values and outputs"],
    ]
    assert [names(slide) for slide in stages] == [
        ["W_{K}", "X", "K"],
        ["W_{Q}", "X", "Q"],
        ["K^{T}", "Q", "S"],
        [r"\text{scaled}"],
        [r"\text{powers}"],
        [r"\Sigma"],
        ["A"],
        ["W_{V}", "X", "V"],
        ["V", "A", "Z"],
    ]
    assert slides[-1].startswith("## 6 What does it show?\n")


@pytest.mark.parametrize(
    ("language", "name", "convention", "is_traced"), pair_up([*LANGUAGES], [*FORMS], [*Convention], (False, True))
)
def test_every_sheet_has_a_slide_a_stage(language: str, name: str, convention: Convention, is_traced: bool) -> None:
    """Blank and solved; below every rule stands something, and a size that the front matter knows."""
    request = Request(seed=7, variant=FORMS[name], convention=convention)
    query = None
    if is_traced and can_be_traced(request.mechanism) and not FORMS[name].embedded_words:
        query = make_sheet_from_request(request).asked_queries[:2][-1] + 1  # the second, or the only one
    options = PageOptions(language=language, trace=query, questions=QuestionAmount.MANY, slides=True)
    sheet = make_sheet_from_request(request, options)
    for version in (sheet.blank, sheet.key):
        text = render_markdown(version)
        front_matter, slides = split_slides(text)
        check_sentences(re.sub("<!-- _class: size[0-9]+ -->", "", text.partition("\n---\n\n")[2]))
        assert all(slides)
        stages = sum(isinstance(part, Panel) for part in build_document(version).iterate_parts())
        drawn = sum("\\begin{bmatrix}" in slide for slide in slides)
        assert drawn == stages if query is None else drawn > stages
        sizes = set(re.findall(r"<!-- _class: (\w+) -->", text))
        assert sizes <= set(re.findall(r"section\.(\w+) ", front_matter)) == {f"size{size}" for size in FONT_SIZES[1:]}


def test_slides_hold_what_the_sheet_holds() -> None:
    """Every sentence of it, and no answer on a blank one."""
    sheet = make_sheet_from_request(Request(seed=7), PageOptions(questions=QuestionAmount.MANY))
    for version in (sheet.blank, sheet.key):
        slides = render_slides(version).splitlines()
        sentences = [line for line in render_markdown(version).splitlines() if re.match(r"[A-Z*#]", line)]
        assert [line for line in sentences if line not in slides and "bmatrix" not in line] == []
    assert "ANSWER KEY" not in render_slides(sheet.blank)


def test_more_stands_smaller_and_beside_one_another() -> None:
    """A matrix of 12 tokens has room, three of 2 tokens stand large."""
    small, large = (
        make_sheet_from_request(
            Request(seed=7, size_overrides=(("tokens", tokens),)), PageOptions(slides=True, stage="S")
        )
        for tokens in (2, 12)
    )
    assert "_class" not in render_markdown(small)
    assert r"\qquad" in render_markdown(large)
    assert "<!-- _class: size" in render_markdown(large)


def test_one_stage_is_one_slide() -> None:
    """As ``--stage`` without slides shows it: the front matter, and the matrices alone."""
    sheet = make_sheet_from_request(Request(seed=7), PageOptions(stage="S", slides=True))
    _, slides = split_slides(render_markdown(sheet))
    assert len(slides) == 1
    assert names(slides[0]) == ["K^{T}", "Q", "S"]


@pytest.mark.parametrize("text", HOSTILE_TEXTS)
def test_hostile_titles_begin_no_slide(text: str) -> None:
    """Nor do they change how one looks."""
    title = " ".join(text.split())
    sheets: list[Sheet] = [
        make_sheet_from_problem(make_problem(CLASSIC, title=title, words=(title[:10].strip(), *words)), SLIDES)
        for title, words in ((title, ("a", "b", "c")), ("x", ("b", "c", "d")))
    ]
    counts = [len(split_slides(render_markdown(sheet.blank))[1]) for sheet in sheets]
    assert counts[0] == counts[1]
