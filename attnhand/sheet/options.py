"""How a sheet looks, and which part of it is asked."""

from dataclasses import dataclass
from enum import StrEnum

from attnhand.errors import PageError, name_option
from attnhand.problems.question_amount import QuestionAmount
from attnhand.sheet.option_table import OPTION_EXAMPLES
from attnhand.system.field_types import convert_fields
from attnhand.text import FALLBACK_LANGUAGE


class Paper(StrEnum):
    """Paper that a sheet is laid out for."""

    A4 = "a4"
    LETTER = "letter"


@dataclass(frozen=True, slots=True, kw_only=True)
class PageOptions:
    """How a sheet looks; nothing here changes the problem.

    >>> PageOptions(questions="many", only_queries=[1, 3]).questions
    <QuestionAmount.MANY: 'many'>
    """

    only_queries: tuple[int, ...] | None = None
    """Which queries are asked, counted from 1; None asks all, or the first and third above 6 tokens."""

    paper: Paper = Paper.A4
    large_print: bool = False
    show_exact: bool = False
    """Print the exact values of one query on the blank sheet."""

    check_sums: bool = False
    """Print what the lines of a product add to on the blank sheet; the key always has them."""

    language: str | None = None
    """The code of the language that is asked for; None for that of the sheet's code, or English."""

    from_stage: str | None = None
    """The first stage that is asked; those before it are printed."""

    blank_stages: tuple[str, ...] | None = None
    """The stages that are asked, None for all; the others are printed."""

    fade: bool = False
    """Print the first token solved all the way and the second up to its scaled scores; the rest is asked."""

    self_check: bool = False
    """Let the web sheet check what is filled in; its source then shows the answers."""

    mistake: str | None = None
    """The slip that is planted for the student to find: its id, or ``any``; None for a sheet to work."""

    questions: QuestionAmount | None = None
    """How much is asked beside the cells; None for a few."""

    trace: int | None = None
    """The query, counted from 1, whose journey is a page of its own."""

    fillable: bool = False
    """Whether the PDF of the blank sheet is a form to fill on screen."""

    stage: str | None = None
    """The stage that a picture shows; None for the whole sheet."""

    @property
    def language_code(self) -> str:
        """The language of its sentences, English if not said."""
        return FALLBACK_LANGUAGE if self.language is None else self.language

    @property
    def question_amount(self) -> QuestionAmount:
        """How much is asked beside the cells; a mistake to find is question enough."""
        return QuestionAmount.NONE if self.mistake else self.questions or QuestionAmount.FEW

    def __post_init__(self) -> None:
        convert_fields(self, PageError, OPTION_EXAMPLES)
        if self.large_print and self.paper is not Paper.A4:
            raise PageError(f"large print is laid out for A4: leave out {name_option('paper', self.paper.value)}")
        if self.from_stage and self.blank_stages:
            raise PageError("a first stage and the stages to ask contradict each other: leave out one of them")
        if self.mistake and (self.from_stage or self.blank_stages or self.trace is not None):
            first, stages, trace = (name_option(name) for name in ("from_stage", "blank_stages", "trace"))
            raise PageError(
                f"a sheet with a mistake to find asks nothing else: leave out {first}, {stages} and {trace}"
            )
        if self.fade and (self.mistake or self.from_stage or self.blank_stages):
            mistake, first, stages = (name_option(name) for name in ("mistake", "from_stage", "blank_stages"))
            fade = name_option("fade", value=True)
            raise PageError(f"{fade} says itself what is printed: leave out {mistake}, {first} and {stages}, or {fade}")
        if self.mistake and self.questions not in (None, QuestionAmount.NONE):
            option = name_option("questions")
            raise PageError(f"a sheet with a mistake to find asks nothing else: leave out {option}")
        if self.mistake and self.self_check:
            option = name_option("self_check")
            raise PageError(f"a sheet with a mistake to find has nothing to fill and check: leave out {option}")
        if self.mistake and self.fillable:
            raise PageError(f"a sheet with a mistake to find has nothing to fill: leave out {name_option('fillable')}")
        if self.mistake and self.show_exact:
            raise PageError(f"exact values would give the mistake away: leave out {name_option('show_exact')}")
