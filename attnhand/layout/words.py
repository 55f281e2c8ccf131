"""The words of stages as paragraphs: a heading with its number, the formula, what the stage is for, how it is done."""

import re
from collections.abc import Sequence

from attnhand.layout.page import Paragraph
from attnhand.layout.typography import ParagraphStyle
from attnhand.sheet.panels import Panel
from attnhand.sheet.questions import format_guess_line, format_open_guess
from attnhand.sheet.slots import Slot, SlotKind
from attnhand.text.widths import Run, Text, bind_words, make_plain_text, parse_markup

MAX_RESULT_LENGTH = 24
"""Of two terms and their sum, in characters: longer ones are broken where a line ends."""

_RESULT = re.compile(r"\S+ \+ \S+ = \S+$")
_ARROW = re.compile(r"\S+(?: [÷+−] \S+)? → \S+")


def make_words(panels: Sequence[Panel]) -> list[Paragraph]:
    """Return the words of stages that stand in one place: heading, formulas, then what each has to say."""
    words: list[Paragraph] = []
    for at, panel in enumerate(panels):
        first, *others = [each for each in (panel.side_panel, panel) if each]
        formulas = [first.formula] if first.formula else []
        if panel.heading or formulas or not at:
            words += _make_heading(panel, formulas)
        words += make_own_words(first, with_formula=False)
        for each in others:
            words += make_own_words(each)
    return words


def open_guess(panels: Sequence[Panel], words: Sequence[Paragraph]) -> list[Paragraph]:
    """Return words as they are on the blank: with a writing line for the guess."""
    guess = next((panel.guess for panel in panels if panel.guess), None)
    if guess is None:
        return [*words]
    text = format_open_guess(guess)
    return [
        Paragraph(text, slot=each.slot) if each.slot and each.slot.kind is SlotKind.GUESS else each for each in words
    ]


def make_own_words(panel: Panel, *, with_formula: bool = True) -> list[Paragraph]:
    """Return the formula of a stage, what it is for, how it is done, then what differs between sheets."""
    formula = tuple(map(_bind_words, panel.formula))
    formulas = [Paragraph(formula, ParagraphStyle.SUBHEADING)] if formula and with_formula else []
    fixed = [sentence.text for sentence in panel.paragraphs if not sentence.slot]
    what_for = [text for text in (panel.purpose, *fixed[:-1]) if text]
    copying = [panel.copying] if panel.copying else []
    how = [*copying, *fixed[-1:]] if fixed else []
    what_for += copying if not fixed else []
    words = [*formulas, *(Paragraph(bind_arrows(_join_sentences(texts))) for texts in (what_for, how) if texts)]
    words += [
        Paragraph(bind_result(sentence.text), slot=sentence.slot) for sentence in panel.paragraphs if sentence.slot
    ]
    if panel.guess:
        words.append(Paragraph(format_guess_line(panel.guess), slot=Slot(SlotKind.GUESS, panel.guess.stage_name)))
    return words


def bind_result(text: Text) -> Text:
    """Return a sentence whose result, of a sum, stands on no line alone, but behind two terms.

    >>> bind_result(make_plain_text("1·2 + 0·1 + 0·0 = 2"))[0].text
    '1·2 + 0·1\\xa0+\\xa00·0\\xa0=\\xa02'
    """
    *before, last = text
    end = _RESULT.search(last.text)
    if end is None or len(end[0]) > MAX_RESULT_LENGTH:
        return text
    return (*before, last._replace(text=last.text[: end.start()] + bind_words(end[0])))


def bind_arrows(text: Text) -> Text:
    """Return examples in which no line ends inside 3 → 1.

    >>> bind_arrows(make_plain_text("Round: 1 ÷ 5 → 0, 7/2 → 4."))[0].text
    'Round: 1\\xa0÷\\xa05\\xa0→\\xa00, 7/2\\xa0→\\xa04.'
    """
    return tuple(run._replace(text=_ARROW.sub(lambda found: bind_words(found[0]), run.text)) for run in text)


def bind_powers(text: Text) -> Text:
    """Return a list of powers in which no line ends inside 3² = 9."""
    return tuple(run._replace(text=run.text.replace(" = ", bind_words(" = "))) for run in text)


def _join_sentences(texts: list[Text]) -> Text:
    """Return sentences one behind the other."""
    first, *rest = texts
    return (*first, *(run for text in rest for run in (*make_plain_text(" "), *text)))


def _make_heading(panel: Panel, formulas: list[Text]) -> list[Paragraph]:
    """Return the heading and the formulas below it; where the stage before has the heading, title and formula."""
    bound = [tuple(map(_bind_words, formula)) for formula in formulas]
    if not panel.heading:
        title = parse_markup(f"**{panel.title}{panel.colon.rstrip() if bound else ''}** ")
        first, *rest = bound or [()]
        texts = [(*title, *first), *rest]
        return [
            Paragraph(text, ParagraphStyle.SUBHEADING, heading_level=3 if not at else 0)
            for at, text in enumerate(texts)
        ]
    heading = panel.heading
    if panel.stage.head:  # "Scores, head 2": no line begins with the 2
        last = heading[-1]
        heading = (*heading[:-1], last._replace(text="\u00a0".join(last.text.rsplit(" ", 1))))
    return [
        Paragraph(heading, ParagraphStyle.HEADING, heading_level=2),
        *(Paragraph(formula, ParagraphStyle.SUBHEADING) for formula in bound),
    ]


def _bind_words(run: Run) -> Run:
    """Return a run without places to break a line."""
    return run._replace(text=bind_words(run.text))
