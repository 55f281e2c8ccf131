"""The words of a panel as paragraphs, in the order in which every stage speaks, and its mark box.

A heading with its number, name and formula; what the stage is for; how it is done; what is guessed.
"""

from dataclasses import replace

from attnhand.layout.page import Paragraph
from attnhand.layout.typography import ParagraphStyle
from attnhand.sheet.panels import Panel
from attnhand.sheet.questions import format_guess_line
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import Run, Text, bind_words, make_bold_text, make_plain_text, parse_markup


def make_words(panel: Panel) -> list[Paragraph]:
    """Return all words of a panel; those of a factor that is worked beside its product come first."""
    panels = [panel.side_panel, panel] if panel.side_panel else [panel]
    words = _make_heading(panel, [each.formula for each in panels if each.formula])
    for each in panels:
        fixed = [sentence.text for sentence in each.paragraphs if not sentence.slot]
        # what it is for is one paragraph, how it is done another
        what_for = [text for text in (each.purpose, *fixed[:-1]) if text]
        words += [Paragraph(_join_sentences(texts)) for texts in (what_for, fixed[-1:]) if texts]
        words += [Paragraph(sentence.text, slot=sentence.slot) for sentence in each.paragraphs if sentence.slot]
    if panel.guess:
        words.append(Paragraph(format_guess_line(panel.guess), slot=Slot(SlotKind.GUESS)))
    # what only a key says comes last
    for each in panels:
        if each.check_sums and not each.has_sums_row_on_key:
            slot = Slot(SlotKind.SUMS, each.stage.name)
            words.append(Paragraph(each.check_sums, ParagraphStyle.SMALL, slot=slot))
    return words


def _join_sentences(texts: list[Text]) -> Text:
    """Return sentences one behind the other."""
    first, *rest = texts
    return (*first, *(run for text in rest for run in (*make_plain_text(" "), *text)))


def _make_heading(panel: Panel, formulas: list[Text]) -> list[Paragraph]:
    """Return "2 Queries: Q = W_Q X"; the formula alone where the stage before has the heading."""
    if not panel.heading:
        title = parse_markup(f"**{panel.title}{panel.colon.rstrip()}** ")
        texts = [(*title, *map(_bind_words, formula)) for formula in formulas]
        return [Paragraph(text, ParagraphStyle.SUBHEADING, heading_level=3) for text in texts]
    heading, last = panel.heading[:-1], panel.heading[-1]
    if panel.stage.head:  # "Scores, head 2": no line begins with the 2
        last = last._replace(text="\u00a0".join(last.text.rsplit(" ", 1)))
    # a line ends before a formula, not inside it
    parts = [[_bind_words(run) for run in formula] for formula in formulas]
    joints = [panel.colon, *[", "] * len(parts)]
    formula = [run for joint, part in zip(joints, parts, strict=False) for run in (*make_bold_text(joint), *part)]
    return [Paragraph((*heading, last, *formula), ParagraphStyle.HEADING, heading_level=2)]


def make_exact_caption(panel: Panel, *, is_rows: bool) -> Text:
    """Return "exact, eˣ"; with tokens as columns on one line, because above it is the rule of the heading."""
    return panel.exact_caption if is_rows else tuple(map(_bind_words, panel.exact_caption))


def _bind_words(run: Run) -> Run:
    """Return a run without places to break a line."""
    return run._replace(text=bind_words(run.text))


def list_sums_on_key(panel: Panel) -> list[Text]:
    """Return what the key says in words that each query's numbers add to."""
    panels = (each for each in (panel.side_panel, panel) if each and not each.has_sums_row_on_key)
    return [each.check_sums_on_key for each in panels if each.check_sums_on_key]


def make_mark_boxes(panel: Panel) -> list[Paragraph]:
    """Return the mark boxes of a panel; with their names where a factor has one too: "V ____ / 12"."""
    boxes = []
    for each in (panel.side_panel, panel):
        if not (each and each.mark_box):
            continue
        mark = Paragraph(each.mark_box, ParagraphStyle.SMALL, marked_stage=each.stage.name)
        if panel.side_panel:
            mark = replace(mark, text=each.named_mark_box, mark_name=each.mark_name)
        boxes.append(mark)
    return boxes
