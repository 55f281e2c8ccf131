"""From a seed and a story to a vetted problem whose numbers answer the story's question.

First the seed says which answer it shall be, so that every one comes up as often; then which variant; then tokens are
drawn until the answer holds what is asked for, and weights until everyone looks most at who holds most of what they
want and the sheet is good for a class.
"""

import operator
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Stage, Variant
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME
from attnhand.attention.problem import Problem
from attnhand.attention.story import find_fitting_keys
from attnhand.errors import GenerationError
from attnhand.problems.generator import group_ready_stages
from attnhand.problems.levels import Requirements, choose_requirements
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import Request
from attnhand.problems.story_template import ChoiceRow, StoryTemplate, StoryVariant
from attnhand.problems.vetting import (
    PREDICATES,
    Place,
    WorkedStage,
    find_failure,
    iterate_worked_stages,
    split_predicates,
)

MAX_STORY_DRAWS = 200_000
"""A seed that finds no good numbers for its variant and answer in so many draws of a matrix is refused."""

MAX_REDRAWS = 2
"""The n-th matrix, if it does not fit those before it, is redrawn n² times as often at most; then all are drawn anew.

The more matrices fit one another, the more it costs to lose them.
"""


_ABOUT_TOKENS = frozenset(each.description for each in PREDICATES if each.place is Place.TOKENS)


def draw_story(seed: int, stories: Sequence[StoryTemplate]) -> StoryTemplate:
    """Draw the story of a seed, which its salt leaves alone."""
    return RandomStream(str(seed), "story name").pick(stories)


@lru_cache(maxsize=256)  # a program asks again and again for the sheet that it works with
def draw_story_problem(request: Request, *, salt: str = "", title: str = "", language: str = "en") -> Problem:
    """Draw the vetted problem of a request for a story.

    Raises:
        GenerationError: no draw answers the question and is good for a class.
    """
    assert request.story is not None
    stream = RandomStream(str(request.seed), *(("salt", salt) if salt else ()), "story")
    variant, answer = pick_variant(request.story, stream)
    problem = replace(_VariantDraw(request, request.story, variant, answer, language).search(stream), title=title)
    return problem.transpose() if request.convention.is_rows else problem


def pick_variant(story: StoryTemplate, stream: RandomStream) -> tuple[StoryVariant, str]:
    """Pick a variant and its answer; every answer is as likely."""
    answer = stream.pick(story.answers)
    return stream.pick([each for each in story.variants if answer in each.answers]), answer


def check_story(request: Request) -> None:
    """Draw every variant of a request's story with every answer it may have.

    Raises:
        GenerationError: one cannot be drawn; the message says which, and what fails.
    """
    assert request.story is not None
    for variant in request.story.variants:
        for answer in variant.answers:
            stream = RandomStream(str(request.seed), "story check", variant.name, answer)
            _VariantDraw(request, request.story, variant, answer, "en").search(stream)


class _VariantDraw:
    """Draws the numbers of one variant with one answer."""

    def __init__(
        self, request: Request, template: StoryTemplate, variant: StoryVariant, answer: str, language: str
    ) -> None:
        self.request, self.template, self.variant, self.answer = request, template, variant, answer
        self.story = template.tell(variant, language)
        self.words = template.list_words(variant, language)
        self.form = template.variant
        if template.places:
            self.form = Variant(
                mechanism=self.form.mechanism,
                heads=self.form.heads,
                is_causal=self.form.is_causal,
                embedded_words=self.words,
                has_positions=True,
                has_given_positions=True,
            )
        self.mechanism = self.form.build_mechanism(len(template.features))
        self.arithmetic = Arithmetic(rules=request.rules, d_k=request.all_sizes["d_k"])
        requirements: Requirements = choose_requirements(
            template.level, self.form, request.all_sizes, self.arithmetic, allow_ties=request.allow_ties
        )
        self.requirements = requirements._replace(asked_queries=(*requirements.asked_queries, self.story.query))
        self.predicates = split_predicates(self.mechanism, template.not_asked)
        self.rows = {**dict(template.tokens), **dict(variant.numbers)}
        self.target = variant.keys.index(answer)
        self.asked_head = max(variant.head - 1, 0)
        self.missed_answer = f"lets {variant.asks} look at {answer} most"
        tokens = ("X", "M", EMBEDDING_NAME, "P")
        self.last_of_tokens = [given.name for given in self.mechanism.given if given.name in tokens][-1]
        self.heads = {
            stage: head
            for head, attention in enumerate(self.mechanism.attentions)
            for stage in (attention.scores, attention.scaled)
        }
        self.fitting: list[list[list[int]]] = []
        self.ready_stages = group_ready_stages(self.mechanism, [(given.name,) for given in self.mechanism.given])
        self.matrices: dict[str, Matrix] = {}
        self.failures: Counter[str] = Counter()
        self.draw_count = 0

    def search(self, stream: RandomStream) -> Problem:
        """Draw matrix after matrix, each again until all that can be worked with it is good."""
        self.stream = stream
        while not self._fill():
            if self.draw_count < MAX_STORY_DRAWS:
                continue
            raise GenerationError(
                f"the story {self.template.name} finds no good numbers for its variant {self.variant.name} with the "
                f"answer {self.answer} in {MAX_STORY_DRAWS:,} draws: hardly one {self.failures.most_common(1)[0][0]}; "
                "let its file list more numbers to choose from, or other ones"
            )
        return Problem(
            variant=self.form,
            given=tuple((given.name, self.matrices[given.name]) for given in self.mechanism.given),
            rules=self.request.rules,
            words=self.words,
            story=self.story,
        )

    def _fill(self) -> bool:
        """Draw every matrix, each again until it fits those before; False where one does not in so many draws."""
        for number, (given, stages) in enumerate(zip(self.mechanism.given, self.ready_stages, strict=True), 1):
            for _ in range(MAX_REDRAWS * number * number):
                self.draw_count += 1
                self.matrices[given.name] = self._draw_matrix(given.name)
                failure = self._judge_tokens(given.name) or self._find_failure(stages)
                if failure is None:
                    break
                self.failures[failure] += 1
                if failure in _ABOUT_TOKENS:  # no weights will mend it
                    return False
            else:
                return False
        return True

    def _draw_matrix(self, name: str) -> Matrix:
        """Draw one given matrix, with tokens as columns; a word that is said twice is looked up, so drawn once."""
        match name:
            case "X":
                return transpose(self._draw_tokens(self.variant.tokens))
            case "M":
                return transpose(self._draw_tokens(self.variant.memory))
            case "P":
                return transpose(self._draw_rows(self.template.places))
        if name == EMBEDDING_NAME:
            return transpose(self._draw_tokens(tuple(dict.fromkeys(self.variant.tokens))))
        return self._draw_rows(dict(self.template.weights)[name])

    def _draw_tokens(self, tokens: Sequence[str]) -> Matrix:
        return self._draw_rows([self.rows[token] for token in tokens])

    def _draw_rows(self, rows: Sequence[ChoiceRow]) -> Matrix:
        """Draw every cell that has a choice; others take no number from the stream."""
        pick = self.stream.pick
        return tuple(tuple(each[0] if len(each) == 1 else pick(each) for each in row) for row in rows)

    def _find_failure(self, stages: Sequence[Stage]) -> str | None:
        """Return what the numbers do not meet at these stages, as it completes "hardly one …"."""
        worked_stages = iterate_worked_stages(self.mechanism, stages, self.matrices, self.requirements)
        return find_failure(worked_stages, self.predicates, ask_first=self._find_other_favourite)

    def _judge_tokens(self, name: str) -> str | None:
        """Find, once all tokens are drawn, who holds most of what each wants; the answer has to for the one asked."""
        if name != self.last_of_tokens:
            return None
        tokens = self._list_tokens()
        keys = transpose(self.matrices["M"]) if "M" in self.matrices else tokens
        self.fitting = [
            [
                find_fitting_keys(wants, token, keys[: query + 1] if self.form.is_causal else keys)
                for query, token in enumerate(tokens)
            ]
            for wants in self.story.wants
        ]
        return None if self.target in self.fitting[self.asked_head][self.story.query] else self.missed_answer

    def _list_tokens(self) -> Matrix:
        """Return the tokens that ask, places added where there are some."""
        if "X" in self.matrices:
            return transpose(self.matrices["X"])
        said = list(dict.fromkeys(self.variant.tokens))
        vectors, places = (transpose(self.matrices[name]) for name in (EMBEDDING_NAME, "P"))
        looked_up = (vectors[said.index(token)] for token in self.variant.tokens)
        pairs = zip(looked_up, places, strict=True)
        return tuple(tuple(map(operator.add, vector, place)) for vector, place in pairs)

    def _find_other_favourite(self, worked: WorkedStage) -> str | None:
        """Say where a query has another favourite than it should.

        Asked of the scores and of what becomes of them by hand, so it holds both ways: exactly, dividing by a root
        and taking powers keep the order of the scores.
        """
        head = self.heads.get(worked.context.stage.name)
        if head is None:
            return None
        for query, scores in enumerate(transpose(worked.output)):
            seen = scores[: query + 1] if self.form.is_causal else scores
            favourites = [key for key, score in enumerate(seen) if score == max(seen)]
            if (head, query) == (self.asked_head, self.story.query) and favourites != [self.target]:
                return self.missed_answer
            fitting = self.fitting[head][query]
            if fitting and not set(favourites) <= set(fitting):
                return "lets everyone look most at who holds most of what they want"
        return None
