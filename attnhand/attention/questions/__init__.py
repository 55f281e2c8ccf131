"""What a sheet asks beside its cells: the catalogue, and what recipe 1 draws from it."""

from collections.abc import Iterable

from attnhand.attention.questions.base import (
    Answer,
    AnswerKind,
    CellChange,
    Finding,
    Parameters,
    Part,
    PosedQuestion,
    Question,
    Scene,
    Vectors,
)
from attnhand.attention.questions.reading import READINGS
from attnhand.attention.questions.talk import TALKS
from attnhand.attention.questions.trial import Try
from attnhand.attention.questions.tries import TRIES, TRIES_BY_ID
from attnhand.attention.questions.what_if import WHAT_IFS

QUESTIONS: tuple[Question, ...] = (*TALKS, *READINGS, *WHAT_IFS)

ASKED_BY_RECIPE_1: tuple[str, ...] = (
    "guess",
    "shade",
    "again",
    "pencil",
    "story",
    "surest",
    "torn",
    "largest-share",
    "least-share",
    "same-word",
    "raise-scores",
    "no-scaling",
    "zero-query",
    "exchange-weights",
    "change-value",
    "exchange-tokens",
    "double-queries",
    "double-values",
    "other-base",
    "later-token",
    "zero-before",
    "hide-after",
    "silent-head",
    "add-positions",
    "drop-positions",
    "change-weight",
)
"""Questions that a sheet draws from, in this order. Never changed: a code on paper must ask the same again."""


ASKED_OF_LATER_FORMS: tuple[str, ...] = (
    *("kept-numbers", "moved-on", "keep-largest", "no-sink", "no-temperature", "lost-cache"),
    *("no-output", "double-token", "exchange-blocks"),
    *("draw-word", "lower-loss", "add-to-values"),
)
"""Questions about forms that came after that list: only sheets of these forms draw from them too."""


TRIED_BY_RECIPE_1: tuple[str, ...] = (
    "divide",
    "powers",
    "base",
    "mirror",
    "heads",
    "mask",
    "order",
    "values",
    "weights",
    "shift",
)
"""Tries that a sheet draws from, in this order. Never changed, as the questions."""

TRIED_OF_LATER_FORMS: tuple[str, ...] = (
    *("sink", "temperature", "distance", "cache", "residual", "at-once", "learn", "step"),
)
"""Tries about forms that came after that list: only sheets of these forms draw from them too."""

ASKED_OF_WORDS: tuple[str, ...] = ("guess", "again")
"""Questions of recipe 1 that can be asked where words of a vocabulary are chosen among, and no token looks at any."""


def list_tries(scene: Scene) -> list[Try]:
    """Return the tries that a sheet draws from: those of recipe 1 are about attention, so only where there is some."""
    has_weights = bool(scene.mechanism.attentions) and not scene.problem.variant.has_vocabulary
    old = TRIED_BY_RECIPE_1 if has_weights else ()
    later = (each for each in TRIED_OF_LATER_FORMS if any(TRIES_BY_ID[each].list_parameters(scene)))
    return [TRIES_BY_ID[each] for each in (*old, *later)]


def list_asked(scene: Scene) -> list[Question]:
    """Return the questions that a sheet draws from: those of recipe 1 only where there are weights to speak of."""
    of_all = ASKED_OF_WORDS if scene.problem.variant.has_vocabulary else ASKED_BY_RECIPE_1
    first = of_all if scene.mechanism.attentions else ()
    later = (question for question in find_questions(ASKED_OF_LATER_FORMS) if any(question.list_parameters(scene)))
    return [*find_questions(first), *later]


def find_questions(ids: Iterable[str]) -> list[Question]:
    """Return the questions of these ids, in their order."""
    by_id = {question.id: question for question in QUESTIONS}
    return [by_id[each] for each in ids]


__all__ = [
    "ASKED_BY_RECIPE_1",
    "ASKED_OF_LATER_FORMS",
    "QUESTIONS",
    "TRIED_BY_RECIPE_1",
    "TRIED_OF_LATER_FORMS",
    "TRIES",
    "Answer",
    "AnswerKind",
    "CellChange",
    "Finding",
    "Parameters",
    "Part",
    "PosedQuestion",
    "Question",
    "Scene",
    "Try",
    "Vectors",
    "find_questions",
    "list_asked",
    "list_tries",
]
