"""What a sheet asks beside its cells: the catalogue, in the order in which a sheet asks."""

from attnhand.attention.questions.base import (
    Answer,
    AnswerKind,
    CellChange,
    Finding,
    Lines,
    Parameters,
    Part,
    PosedQuestion,
    Question,
    Scene,
)
from attnhand.attention.questions.reading import READINGS
from attnhand.attention.questions.talk import TALKS
from attnhand.attention.questions.what_if import WHAT_IFS

QUESTIONS: tuple[Question, ...] = (*TALKS, *READINGS, *WHAT_IFS)

__all__ = [
    "QUESTIONS",
    "Answer",
    "AnswerKind",
    "CellChange",
    "Finding",
    "Lines",
    "Parameters",
    "Part",
    "PosedQuestion",
    "Question",
    "Scene",
]
