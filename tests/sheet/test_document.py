"""The order in which a sheet speaks, and that the terminal and Markdown follow it."""

import re
from collections.abc import Callable
from itertools import pairwise

import pytest

from attnhand.api import generate
from attnhand.attention.mechanisms import MECHANISMS
from attnhand.formats.markdown import render_markdown
from attnhand.formats.terminal import render_terminal
from attnhand.sheet.document import Document, Heading, ShortcutComparison, build_document
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import Panel
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import to_unicode


@pytest.fixture(scope="module")
def sheet() -> Sheet:
    """Return a solved sheet with a trace."""
    return generate(7, options=PageOptions(trace=1))


def without_formulas(written: str) -> str:
    """Return Markdown with its formulas as they read in the terminal, as far as these texts have them."""
    written = re.sub(r"([a-z])_\{1\}", r"\1₁", written.replace("$", "").replace("{,}", ","))
    return re.sub(r"\\cdot ?", "·", written)


def list_kinds(document: Document) -> list[str]:
    """Return what kinds of parts a document has, in order; a panel by its stage."""
    return [part.stage.name if isinstance(part, Panel) else type(part).__name__ for part in document.iterate_parts()]


def test_parts_stand_in_the_order_of_reading(sheet: Sheet) -> None:
    """Head, rules, every stage (V before Z, under one heading), trace, questions, comparison, code."""
    h = "Heading"
    stages = [h, "K", "Q", h, "S", h, "scaled", h, "powers", "sums", "A", h, "V", "Z"]
    key = ["Head", "HouseRules", *stages, "TraceGrids", "QuestionPanel", "ShortcutComparison", "CodeLine"]
    assert list_kinds(build_document(sheet.key)) == key
    assert list_kinds(build_document(sheet.blank)) == [kind for kind in key if kind != "ShortcutComparison"]


@pytest.mark.parametrize("render", [render_terminal, render_markdown])
def test_texts_follow_the_document(render: Callable[[Sheet], str], sheet: Sheet) -> None:
    """The first words of every part stand below those of the part before."""
    written = without_formulas(render(sheet.key))
    document = build_document(sheet.key)
    assert isinstance(document.comparison, ShortcutComparison)
    headings = [to_unicode(panel.heading).split()[1] for run in document.panels.runs for panel in run if panel.heading]
    assert len(headings) == 5
    first_words = [
        document.head.title,
        "Two shortcuts.",
        *(f"{number} {word}" for number, word in enumerate(headings, 1)),
        to_unicode(document.traces[0].heading),
        "6 What does it show?",
        "How good was the shortcut?",
        f"sheet {sheet.code}",
    ]
    places = [written.replace("\u2002", " ").index(words) for words in first_words]
    assert all(one < other for one, other in pairwise(places))


@pytest.mark.parametrize("render", [render_terminal, render_markdown])
@pytest.mark.parametrize("mechanism", MECHANISMS)
def test_every_panel_stands_below_its_heading(render: Callable[[Sheet], str], mechanism: str) -> None:
    """In a terminal and in Markdown, and above the next one: also what is worked beside a product."""
    sheet = generate(7, mechanism=mechanism)
    parts = list(build_document(sheet.blank).iterate_parts())
    headings = [" ".join(to_unicode(part.text).split()) for part in parts if isinstance(part, Heading)]
    written = " ".join(without_formulas(render(sheet.blank)).split())
    sections = re.split("|".join(f"(?:## )?{re.escape(heading)} " for heading in headings), written)
    assert len(sections) == len(headings) + 1
    number, panel_count = 0, 0
    for part in parts:
        number += isinstance(part, Heading)
        if isinstance(part, Panel) and part.paragraphs:
            words = max((run.text for run in part.paragraphs[0].text), key=len).split()
            assert " ".join(words[:3]).lstrip(": ") in sections[number], part.stage.name
            panel_count += 1
    assert panel_count >= 5
