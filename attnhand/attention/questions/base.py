"""What a question states about itself: where it can be asked, its answer, the reason, and what a student may answer."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

from attnhand.attention.arithmetic import Base
from attnhand.attention.convention import transpose_if_columns
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Mechanism
from attnhand.attention.mechanisms.base import AttentionStages
from attnhand.attention.numbers import Number, format_decimal, to_float
from attnhand.attention.problem import Problem
from attnhand.attention.solution import TIE_TOLERANCE, Solution


class AnswerKind(StrEnum):
    """What an answer is."""

    TOKEN = "token"
    """One token, or one query."""

    TOKENS = "tokens"
    NUMBER = "number"
    CHOICE = "choice"
    """One of the words that the question offers."""

    CHANGE = "change"
    """One number of a given matrix, and what to write there instead: W_Q[1,2]=1."""

    CELL = "cell"
    """A cell of the sheet: S[2,3]."""

    WORDS = "words"
    """Words of one's own; they are handed in with the rest, and a teacher reads them."""

    TALK = "talk"
    """To be talked about: it has a writing line, and is never marked."""


NO_ATTENTION = AttentionStages(weights="")
"""Of a mechanism whose sheets have no weights of a whole query."""

OWN_FORM = 4
"""The weight of what only one form of attention can be asked: of a mask, of heads, of words."""


class Part(StrEnum):
    """When a question is asked."""

    GUESS = "guess"
    """Before anything is compared."""

    READING = "reading"
    """What do the weights say?"""

    SHADING = "shading"
    WHAT_IF = "what if"
    WHY = "why"
    """What does a part of a whole model do, and why?"""

    AGAIN = "again"
    """The guess, looked at again."""

    TRY = "try"
    """What goes wrong without a step? A cell of a try, or the half sentence that ends it."""

    PENCIL = "pencil"
    """What did the shortcuts change?"""

    MISTAKE = "mistake"
    """Which cell is the first that is wrong?"""


class Vectors(StrEnum):
    """Which vectors of a sheet an answer numbers."""

    QUERIES = "queries"
    KEYS = "keys"
    OUTPUTS = "outputs"
    FEATURES = "features"
    """Columns of W_O, in the rows convention its rows."""

    WITH_NEXT = "with next"
    """Keys, and one more: that of a token which is still to come."""

    SENTENCES = "sentences"
    """What the question itself lists and numbers."""


@dataclass(frozen=True, slots=True)
class CellChange:
    """One number of a given matrix, changed."""

    matrix: str
    row: int
    """0-based, as the column."""

    column: int
    value: Number


Answer = tuple[int, ...] | Number | str | CellChange
"""Tokens (0-based), a number, one of the choices, or a change."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Parameters:
    """What a question names; each takes what it needs."""

    attention: int = 0
    """Which head, from 0."""

    query: int = 0
    """0-based, as all tokens."""

    token: int = 0
    other: int = 0
    feature: int = 0
    base: Base | None = None
    faces: int = 0
    """Of a die that is rolled; what it shows is ``other``."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """The answer on this sheet, and why."""

    answer: Answer
    reason: str = ""
    """Which of the question's reasons it is, where there are several."""

    numbers: Mapping[str, Number] = field(default_factory=dict)
    """What the reason names."""

    words: Mapping[str, str | list[str]] = field(default_factory=dict)
    """What the question names too: words, vectors, a list of sentences, as they are printed in every language."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Scene:
    """What questions look at: a solved problem, and which part of it the sheet asks."""

    solution: Solution
    asked_queries: tuple[int, ...]
    """0-based."""

    asked_stages: frozenset[str] = frozenset()
    """Names of the stages that the student works."""

    begun_queries: tuple[int, ...] = ()
    """0-based, the queries whose scores are printed, though those of others are asked."""

    @property
    def problem(self) -> Problem:
        return self.solution.problem

    @property
    def mechanism(self) -> Mechanism:
        return self.problem.mechanism

    @property
    def asks_every_query(self) -> bool:
        return len(self.asked_queries) == self.problem.sizes["tokens"]

    @property
    def mixes_values(self) -> bool:
        """Say whether the weights of a head mix values: if not, no question can speak of its outputs."""
        return any(attention.outputs for attention in self.mechanism.attentions[:1])

    @property
    def is_story_open(self) -> bool:
        """Say whether what the story asks is still to be found: no guess is worth making at what is printed."""
        story = self.problem.story
        if story is None or story.query not in self.asked_queries:
            return False
        return self.mechanism.attentions[max(story.head - 1, 0)].scores in self.asked_stages

    def get_attention(self, parameters: Parameters) -> AttentionStages:
        """Return the stages of the head that a question speaks of; no names where there is no head's attention."""
        attentions = self.mechanism.attentions
        return attentions[parameters.attention] if attentions else NO_ATTENTION

    def list_visible_keys(self, query: int, attention: int = 0) -> list[int]:
        """Return the keys that a query may look at; none where no stage has a weight for each."""
        if not self.mechanism.attentions:
            return []
        weights = self.mechanism.get_stage(self.mechanism.attentions[attention].weights)
        mask = self.mechanism.find_mask(weights)
        count = self.problem.get_length(weights.columns if self.problem.convention.is_rows else weights.rows)
        if mask is None:
            return list(range(count))
        is_rows = self.problem.convention.is_rows
        return [key for key in range(count) if not (mask.hides(query, key) if is_rows else mask.hides(key, query))]

    def list_choosing_queries(self, attention: int = 0) -> list[int]:
        """Return the asked queries that have a choice: under a mask the first sees only itself."""
        return [query for query in self.asked_queries if len(self.list_visible_keys(query, attention)) > 1]

    def take_vectors(self, values: Mapping[str, Matrix], name: str) -> Matrix:
        """Return the vectors of a matrix, one for each token or query: its columns, or its rows."""
        return transpose_if_columns(values[name], self.problem.convention)

    def looks_alike(self, one: Number, other: Number) -> bool:
        """Say whether two numbers stand alike on the sheet; no pencil tells which of such decimals is larger."""
        places = self.problem.rules.decimals
        is_exact = self.problem.rules.is_rational
        return one == other if is_exact else format_decimal(one, places) == format_decimal(other, places)

    def find_favourite(self, values: Mapping[str, Matrix], parameters: Parameters) -> tuple[int, ...]:
        """Return the keys that share a query's largest weight."""
        return find_extremes(self.take_vectors(values, self.get_attention(parameters).weights)[parameters.query])


ParameterLister = Callable[[Scene], Iterable[Parameters]]
AnswerFinder = Callable[[Scene, Parameters], Finding | None]
OwnAnswerFinder = Callable[[Scene, Parameters, Mapping[str, Matrix]], Answer | None]
AnswerJudge = Callable[[Scene, Parameters, Answer], bool]


def _find_nothing(_scene: Scene, _parameters: Parameters) -> None:
    """Answer nothing, as a question to talk about does."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """One question of the catalogue; its functions have names, so that other processes find them.

    Two are equal by what they say: a partial function is equal to none that came back from another process.
    """

    id: str
    """Names its sentences: ``ask.ID``, and ``ask.ID.because``."""

    kind: AnswerKind
    part: Part
    seconds: int
    """What a student needs for it."""

    list_parameters: ParameterLister = field(compare=False)
    """Every way in which it may be asked of a sheet; none where it cannot be."""

    find_answer: AnswerFinder = field(default=_find_nothing, compare=False)
    """Work it out; None where it has no answer, or more than one, on this sheet."""

    find_own_answer: OwnAnswerFinder | None = field(default=None, compare=False)
    """What follows from a student's own matrices; None where nothing does, or where they decide nothing."""

    judge: AnswerJudge | None = field(default=None, compare=False)
    """Where more than one answer is right: whether a student's is."""

    choices: tuple[str, ...] = ()
    """Each names a word: ``choice.ID``."""

    weight: int = 1
    """How often it comes up beside others: more often where only this form of attention can be asked it."""

    comes_first: bool = False
    """Whether it is asked wherever it can be."""

    vectors: Vectors = Vectors.KEYS
    """Which vectors are meant by the numbers of an answer of tokens."""

    find_matrix: Callable[[Scene, Parameters], str] | None = field(default=None, compare=False)
    """Which matrix it is read off, where that is not the weights of its head."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PosedQuestion:
    """A question as one sheet asks it."""

    question: Question
    parameters: Parameters
    finding: Finding | None = None
    """None where it is to be talked about."""

    @property
    def has_answer(self) -> bool:
        """Say whether there is something to mark."""
        return self.question.kind is not AnswerKind.TALK

    @property
    def try_id(self) -> str:
        """Return the try that it is a cell of; empty where it is a question of its own."""
        return self.question.id.split(".")[1] if self.question.part is Part.TRY else ""


def list_heads(scene: Scene) -> Iterator[tuple[int, AttentionStages]]:
    """Yield every head by its index."""
    yield from enumerate(scene.mechanism.attentions)


def find_extremes(numbers: Sequence[Number], *, smallest: bool = False) -> tuple[int, ...]:
    """Return the places of the largest of some numbers, or of the smallest.

    >>> find_extremes((1, 3, 3)), find_extremes((1, 3, 3), smallest=True)
    ((1, 2), (0,))
    """
    # Subtle: a student's fractions beside the key's decimals cannot be compared as they are
    best = min(numbers, key=to_float) if smallest else max(numbers, key=to_float)
    return tuple(at for at, value in enumerate(numbers) if is_near(value, best))


def is_near(one: Number, other: Number) -> bool:
    """Say whether two numbers are the same; where decimals were rounded on the way, nearly."""
    return one == other or abs(to_float(one) - to_float(other)) <= TIE_TOLERANCE * max(1.0, abs(to_float(other)))


def is_same_matrix(one: Matrix, other: Matrix) -> bool:
    """Say whether two matrices of one shape hold the same numbers."""
    return all(is_near(a, b) for row, others in zip(one, other, strict=True) for a, b in zip(row, others, strict=True))
