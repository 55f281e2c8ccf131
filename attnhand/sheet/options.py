"""How a sheet looks, and which part of it is asked."""

from dataclasses import dataclass, fields
from enum import StrEnum
from typing import Any

from attnhand.errors import PageError, name_option
from attnhand.problems.question_amount import QuestionAmount
from attnhand.sheet.option_table import PageArguments, list_examples
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

    scan: bool = False
    """Print a square in each corner of a page, by which a scan of it is turned and stretched to fit."""

    tick_boxes: bool = False
    """Print a small box to tick below every column to fill, for whoever marks by eye."""

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

    tries: bool = False
    """Print all that is worked, and ask every try of these numbers alone."""

    trace: int | None = None
    """The query, counted from 1, whose journey is a page of its own."""

    fillable: bool = False
    """Whether the PDF of the blank sheet is a form to fill on screen."""

    stage: str | None = None
    """The stage that a picture, LaTeX or Markdown shows; None for the whole sheet."""

    slides: bool = False
    """Whether Markdown is slides, one a stage."""

    @property
    def language_code(self) -> str:
        """The language of its sentences, English if not said."""
        return FALLBACK_LANGUAGE if self.language is None else self.language

    @property
    def question_amount(self) -> QuestionAmount:
        """How much is asked beside the cells; a mistake to find is question enough."""
        if self.tries:
            return QuestionAmount.TRIES
        return QuestionAmount.NONE if self.mistake else self.questions or QuestionAmount.FEW

    def __post_init__(self) -> None:
        convert_fields(self, PageError, list_examples(PageArguments))
        self._refuse_contradictions()

    def _refuse_contradictions(self) -> None:
        """Refuse options that exclude one another, with those of them that are said.

        Raises:
            PageError: there are some.
        """
        said = {
            each.name: getattr(self, each.name) for each in fields(self) if getattr(self, each.name) != each.default
        }
        if self.questions is QuestionAmount.NONE:
            del said["questions"]
        for name, others, reason in CONTRADICTIONS:
            if name in said and (refused := [each for each in others if each in said]):
                these = " and ".join(_name_said(each, said[each]) for each in refused)
                raise PageError(f"{reason}: leave out {these}, or {_name_said(name, said[name])}")


CONTRADICTIONS: tuple[tuple[str, tuple[str, ...], str], ...] = (
    ("from_stage", ("blank_stages",), "a first stage and the stages to ask contradict each other"),
    (
        "mistake",
        ("from_stage", "blank_stages", "trace", "questions"),
        "a sheet with a mistake to find asks nothing else",
    ),
    (
        "tries",
        ("from_stage", "blank_stages", "fade", "mistake", "questions", "tick_boxes"),
        "a sheet of tries prints all else and asks nothing else",
    ),
    ("fade", ("mistake", "from_stage", "blank_stages"), "a sheet that fades says itself what is printed"),
    (
        "mistake",
        ("self_check",),
        "a sheet with a mistake to find does not check itself, but attnhand check marks it as a form, "
        f"{name_option('fillable', value=True)}",
    ),
    ("mistake", ("show_exact",), "exact values would give the mistake away"),
    ("mistake", ("tick_boxes",), "a sheet with a mistake to find has no columns to mark"),
)
"""An option, those that it excludes, and why."""


def _name_said(name: str, value: Any) -> str:
    """Name an option with its value, as it was typed or written."""
    plain = value.value if isinstance(value, StrEnum) else list(value) if isinstance(value, tuple) else value
    return name_option(name, ",".join(plain) if name == "blank_stages" else plain)
