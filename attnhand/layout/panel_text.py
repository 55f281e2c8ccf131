"""The words of a panel as paragraphs: its heading, what it is for, what to do, its formula and its mark box."""

from dataclasses import replace

from attnhand.layout.page import Paragraph
from attnhand.layout.typography import ParagraphStyle
from attnhand.sheet.panels import Panel


def make_heading(panel: Panel) -> list[Paragraph]:
    """Return a panel's heading, if it has one."""
    heading = panel.heading
    if heading and panel.stage.head:  # "Scores, head 2": no line begins with the 2
        heading = (*heading[:-1], heading[-1]._replace(text="\u00a0".join(heading[-1].text.rsplit(" ", 1))))
    return [Paragraph(heading, ParagraphStyle.HEADING, heading_level=2)] if heading else []


def make_instructions(panel: Panel) -> list[Paragraph]:
    """Return a panel's instructions as paragraphs."""
    return [Paragraph(sentence.text, ParagraphStyle.BODY, slot=sentence.slot) for sentence in panel.paragraphs]


def make_purpose(panel: Panel) -> list[Paragraph]:
    """Return what a panel's stage is for, if it says so."""
    return [Paragraph(panel.purpose)] if panel.purpose else []


def make_instructions_with_mark(panel: Panel, *, is_narrow: bool) -> list[Paragraph]:
    """Return the text of a panel without a formula, its mark box at the end of the first line."""
    paragraphs = [*make_purpose(panel), *make_instructions(panel), *make_remarks(panel)]
    if paragraphs and not (paragraphs[0].slot or is_narrow):
        first = replace(paragraphs[0], right_text=panel.mark_box, marked_stage=panel.stage.name)
        return [first, *paragraphs[1:]]
    # in a narrow column the mark box has no room beside text: it is a line by itself
    return [*paragraphs, *_make_mark_box(panel)]


def _make_mark_box(panel: Panel) -> list[Paragraph]:
    return [Paragraph(panel.mark_box, ParagraphStyle.SMALL, marked_stage=panel.stage.name)] if panel.mark_box else []


def make_remarks(panel: Panel) -> list[Paragraph]:
    """Return a panel's remarks as paragraphs in small type."""
    return [Paragraph(sentence.text, ParagraphStyle.SMALL, slot=sentence.slot) for sentence in panel.remarks]


def make_formula(panel: Panel, *, is_narrow: bool) -> list[Paragraph]:
    """Return a panel's formula with its mark box, what it is for, and its remarks."""
    if is_narrow:
        return [Paragraph(panel.formula), *_make_mark_box(panel), *make_purpose(panel), *make_remarks(panel)]
    formula = Paragraph(panel.formula, right_text=panel.mark_box, marked_stage=panel.stage.name)
    return [formula, *make_purpose(panel), *make_remarks(panel)]
