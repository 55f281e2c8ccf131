"""A sheet as a document: its parts in the order in which they are read, without a millimetre.

The terminal and Markdown write the parts one after the other. A page has two dimensions: the layout takes the same
parts and gives each its place.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain

from attnhand.attention.mechanisms import GivenMatrix, Stage
from attnhand.attention.questions import Part as QuestionPart
from attnhand.attention.story import Story
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import (
    build_correction_grids,
    build_heat_maps,
    build_labels,
    has_shortcuts,
)
from attnhand.sheet.conclusion import (
    build_closing_sentences,
    build_comparison_sentences,
    format_code_line,
    format_mistake,
)
from attnhand.sheet.grids import Grid, Label
from attnhand.sheet.panels import Panel, Panels, build_panels
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.story import format_story_features, format_story_sentences
from attnhand.sheet.trace_grids import TraceGrids, build_trace_grids
from attnhand.text.widths import Text, parse_markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Head:
    """Title and sizes."""

    title: str
    has_own_title: bool
    """Whether the user wrote the title."""

    key_label: str
    """What says that this is the key; empty on a blank sheet."""

    seat: str
    """Whose sheet of a class it is, by №, name, group and id; empty where it is nobody's."""

    formula: Text
    """Attention in one line, as a lecture writes it, in the colours of the sheet."""

    sizes: Text
    effort: Text
    sizes_and_effort: Text
    """Both in one line."""

    tokens: tuple[Label, ...]
    """The tokens with their words; none where they have no words."""

    vocabulary: tuple[Label, ...]
    """The words of a table, or those that are read out; none where there are none, or where the tokens are these."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoryHead:
    """What the numbers mean."""

    sentences: tuple[Text, ...]
    """The story, its question, and what to think of named features."""

    features: Text
    """What features are called, for where no label says so."""


@dataclass(frozen=True, slots=True)
class HouseRules:
    """The shortcuts that the sheet is worked by."""

    text: Text


@dataclass(frozen=True, slots=True)
class Heading:
    """What a few panels are about, above the first of them."""

    text: Text


@dataclass(frozen=True, slots=True)
class QuestionPanel:
    """What a student is asked in the end; with answers and reasons on the key."""

    heading: Text
    """With its number: "6 What does it show?"."""

    questions: tuple[AskedQuestion, ...]


@dataclass(frozen=True, slots=True)
class MistakeTask:
    """The mistake to find, or what a key says of it."""

    sheet: Sheet
    sentences: tuple[Text, ...]
    questions: tuple[AskedQuestion, ...]
    """Which cell, what belongs there, and why; none on a key, whose sentence says it."""


@dataclass(frozen=True, slots=True)
class ClosingSentences:
    """What a key says of a story, and of a student's own values."""

    sentences: tuple[Text, ...]


@dataclass(frozen=True, slots=True)
class ShortcutComparison:
    """How good the shortcut was."""

    sentences: tuple[Text, ...]
    heat_maps: tuple[tuple[Grid, ...], ...]
    """The weights of every head: by hand, exactly."""


@dataclass(frozen=True, slots=True)
class CodeLine:
    """The sheet code (markup)."""

    code: str
    code_and_sources: str
    code_and_credit: str
    """With whom the shortcuts come from."""


End = QuestionPanel | ClosingSentences | ShortcutComparison | CodeLine
Part = Head | MistakeTask | StoryHead | HouseRules | Heading | Panel | TraceGrids | End


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """All parts of a sheet."""

    sheet: Sheet
    head: Head
    task: MistakeTask | None
    """None where there is no mistake to find."""

    story: StoryHead | None
    """None where the numbers mean nothing."""

    house_rules: HouseRules
    panels: Panels
    """What is given stands in them, as factors."""

    traces: tuple[TraceGrids, ...]
    corrections: tuple[Grid, ...]
    """Where the stages are worked as they should be, once the mistake is found; a text has none."""

    questions: QuestionPanel | None
    """None where nothing is asked beside the cells."""

    closing: ClosingSentences | None
    comparison: ShortcutComparison | None
    """None on a blank sheet, which holds no answer."""

    code_line: CodeLine

    def iterate_parts(self) -> Iterator[Part]:
        """Yield the parts in the order in which a sheet is read; what is worked beside a product before it."""
        yield self.head
        if self.task:
            yield self.task
        if self.story:
            yield self.story
        yield self.house_rules
        for panel in chain.from_iterable(self.panels.runs):
            if panel.heading:
                yield Heading(panel.heading)
            if panel.side_panel:
                yield panel.side_panel
            yield panel
        yield from self.traces
        yield from (part for part in (self.questions, self.closing, self.comparison) if part)
        yield self.code_line


def build_document(sheet: Sheet, *, separate_factors: bool = False) -> Document:
    """Return the document of a sheet; a factor worked beside its product may get a panel in another run.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> sheet = make_sheet_from_request(Request(seed=7))
    >>> parts = build_document(sheet).iterate_parts()
    >>> [type(part).__name__ for part in parts if not isinstance(part, Heading | Panel)]
    ['Head', 'HouseRules', 'QuestionPanel', 'ShortcutComparison', 'CodeLine']
    """
    sizes, effort = sentences.format_sizes(sheet), sentences.format_effort(sheet)
    panels = build_panels(sheet, separate_factors=separate_factors)
    closing = build_closing_sentences(sheet)
    return Document(
        sheet=sheet,
        head=Head(
            title=sentences.format_title(sheet),
            has_own_title=bool(sheet.problem.title),
            key_label=sheet.say("key") if sheet.is_solved else "",
            seat=f"{sheet.seat}{sheet.seat.group_and_id}" if sheet.seat else "",
            formula=parse_markup(sentences.format_lecture_formula(sheet)),
            sizes=parse_markup(sizes),
            effort=parse_markup(effort),
            sizes_and_effort=parse_markup(f"{sizes} · {effort}"),
            tokens=_label_axis(sheet, sheet.problem.named_size, sheet.problem.words),
            vocabulary=_label_axis(sheet, "vocabulary", sheet.problem.variant.vocabulary),
        ),
        task=build_mistake_task(sheet),
        story=_build_story_head(sheet, sheet.problem.story) if sheet.problem.story else None,
        house_rules=HouseRules(parse_markup(sentences.format_house_rules(sheet))),
        panels=panels,
        traces=build_trace_grids(sheet),
        corrections=build_correction_grids(sheet),
        questions=_build_question_panel(sheet, panels),
        closing=ClosingSentences(tuple(map(parse_markup, closing))) if closing else None,
        comparison=build_comparison(sheet) if sheet.is_solved else None,
        code_line=CodeLine(
            format_code_line(sheet, with_sources=False, with_credit=False),
            format_code_line(sheet, with_credit=False),
            format_code_line(sheet),
        ),
    )


def build_mistake_task(sheet: Sheet) -> MistakeTask | None:
    """Return the mistake to find, or what a key says of it; None where there is none."""
    if sheet.planted_mistake is None:
        return None
    text = format_mistake(sheet, with_later_cells=True) if sheet.is_solved else sheet.say("mistake.find")
    return MistakeTask(sheet, (parse_markup(text),), () if sheet.is_solved else build_questions(sheet))


def _build_question_panel(sheet: Sheet, panels: Panels) -> QuestionPanel | None:
    questions = list_questions_at_end(sheet)
    number = sum(bool(panel.heading) for panel in panels.list_panels()) + 1
    heading = parse_markup(f"**{number}\u2002{sheet.say('ask.heading')}**")
    return QuestionPanel(heading, questions) if questions else None


def list_questions_at_end(sheet: Sheet) -> tuple[AskedQuestion, ...]:
    """Return the questions that stand at the end; a guess stands before the scores, a mistake's at the head."""
    stand_elsewhere = (QuestionPart.GUESS, QuestionPart.MISTAKE)
    return tuple(question for question in build_questions(sheet) if question.part not in stand_elsewhere)


def build_comparison(sheet: Sheet) -> ShortcutComparison | None:
    """Return the comparison of a sheet, for which the layout of a blank one keeps room; None where nothing differs."""
    if not has_shortcuts(sheet):
        return None
    return ShortcutComparison(
        tuple(map(parse_markup, build_comparison_sentences(sheet))),
        tuple(build_heat_maps(sheet, stage) for stage in sheet.weight_stages),
    )


def _build_story_head(sheet: Sheet, story: Story) -> StoryHead:
    return StoryHead(
        sentences=tuple(map(parse_markup, format_story_sentences(sheet, story))),
        features=parse_markup(format_story_features(sheet, story)),
    )


def _label_axis(sheet: Sheet, size_name: str, words: Sequence[str]) -> tuple[Label, ...]:
    """Return words with the letters of what they name, if a matrix of the sheet has such a side."""
    matrices: list[GivenMatrix | Stage] = [*sheet.problem.mechanism.given, *sheet.problem.mechanism.stages]
    axes = (axis for matrix in matrices for axis in (matrix.rows, matrix.columns))
    axis = next((axis for axis in axes if axis.size_name == size_name), None)
    if axis is None or not words:
        return ()
    return tuple(Label(label.letter, word) for label, word in zip(build_labels(sheet, axis), words, strict=True))
