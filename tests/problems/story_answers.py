"""What a story's numbers answer, worked here from what is given, and how often each answer comes up.

``python -m tests.problems.story_answers`` draws 400 seeds of every story and says the shares, and where somebody does
not look most at who holds most of what they want; another number of seeds if one is given.
"""

import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import cache
from typing import NamedTuple

from attnhand.attention.problem import Problem
from attnhand.problems.request import make_story_request
from attnhand.problems.story_draw import draw_story_problem
from attnhand.problems.story_template import STORY_NAMES, read_bundled_story

SEEDS = 400

Wanted = Mapping[str, str]
"""By a feature of who asks, the features of whom they want: "opens -closes" counts the one, and the other against."""

WANTED: Mapping[str, Sequence[Wanted]] = {
    "ball": [{"ball": "free near -marked", "free": "ball"}],
    "brackets": [{"closes": "opens -closes", "round": "round -square", "square": "square -round"}],
    "clue": [{"wet": "wet", "key": "key", "tall": "tall"}],
    "colours": [{"place_2": "place_1", "place_4": "place_3", "colour": "thing"}],
    "diary": [{"wet": "wet -effect", "windy": "windy -effect", "bright": "bright -effect"}],
    "dog": [
        {"verb": "early", "animal": "verb", "person": "verb"},
        {"verb": "late", "animal": "verb", "person": "verb"},
    ],
    "elephant": [{"needs_animal": "animal", "needs_fruit": "fruit", "needs_action": "action"}],
    "garden": [
        {"likes_dry": "dry", "likes_wet": "wet"},
        {"likes_dry": "wet cold", "likes_wet": "dry cold"},
    ],
    "jury": [{"pronoun": "noun -pronoun", "one": "one -many", "many": "many -one", "noun": "verb"}],
    "soup": [{"sour": "sweet", "sweet": "sour", "salty": "mild", "mild": "salty"}],
    "swap": [{"wants_apples": "has_apples", "wants_bread": "has_bread", "wants_cheese": "has_cheese"}],
    "translate": [
        {"article": "article", "thing": "thing", "colour": "colour -action", "action": "action -colour"},
    ],
}
"""What every head of a story looks for, as sentence and features say: written here, not read off its weights."""

Rows = Sequence[Sequence[Fraction]]


@cache
def draw_story_problems(name: str, count: int) -> tuple[Problem, ...]:
    """Return the problems of the first seeds of a story."""
    story = read_bundled_story(name)
    return tuple(draw_story_problem(make_story_request(story, seed)) for seed in range(count))


def multiply(a: Rows, b: Rows) -> Rows:
    """Return a matrix product, written out."""
    return [
        [sum((a[i][k] * b[k][j] for k in range(len(b))), Fraction()) for j in range(len(b[0]))] for i in range(len(a))
    ]


def read_given(problem: Problem) -> tuple[dict[str, Rows], Rows]:
    """Return what is given, and X, whether it is or not."""
    given: dict[str, Rows] = {name: [[Fraction(x) for x in row] for row in rows] for name, rows in problem.given}
    if "embedding" in given:
        words = list(dict.fromkeys(problem.words))
        columns = [words.index(word) for word in problem.words]
        pairs = zip(given["embedding"], given["P"], strict=True)
        return given, [[vectors[column] + places[at] for at, column in enumerate(columns)] for vectors, places in pairs]
    return given, given["X"]


def score_query(problem: Problem) -> list[Fraction]:
    """Return the scores of the query that is asked, those of later keys left out, computed here from what is given."""
    assert problem.story is not None
    return score(problem, problem.story.query, problem.story.head)


def score(problem: Problem, query: int, head: int) -> list[Fraction]:
    """Return the scores of a query in a head, from 1; 0 where there is one."""
    given, x = read_given(problem)
    prefix = f"h{head}." if head else ""
    vector = multiply(given[f"{prefix}W_Q"], [[row[query]] for row in x])
    keys = multiply(given[f"{prefix}W_K"], given.get("M", x))
    scores = [row[0] for row in multiply(list(zip(*keys, strict=True)), vector)]
    return scores[: query + 1] if problem.variant.is_causal else scores


class Query(NamedTuple):
    """One query of one head, with what it finds."""

    head: int
    """From 0."""

    query: int
    holders: list[int]
    """Who holds most of what it wants; none where nobody holds anything."""

    favourites: list[int]
    """Whom it looks at most, exactly or by hand."""

    @property
    def is_let_down(self) -> bool:
        """Say whether it looks most at another than who holds most of what it wants."""
        return bool(self.holders) and not set(self.favourites) <= set(self.holders)


def ask_everyone(problem: Problem) -> Iterator[Query]:
    """Yield every query that has a choice."""
    assert problem.story is not None
    given, x = read_given(problem)
    names = read_bundled_story(problem.story.name).features
    tokens = [dict(zip(names, token, strict=True)) for token in zip(*x, strict=True)]
    keys = [dict(zip(names, key, strict=True)) for key in zip(*given.get("M", x), strict=True)]
    wanted = WANTED[problem.story.name]
    for head, wants in enumerate(wanted):
        for query, token in enumerate(tokens):
            seen = keys[: query + 1] if problem.variant.is_causal else keys
            if len(seen) == 1:
                continue
            fits = [sum((token[asks] * hold(key, holds) for asks, holds in wants.items()), Fraction()) for key in seen]
            scores = score(problem, query, head + 1 if len(wanted) > 1 else 0)
            holders = [at for at, fit in enumerate(fits) if fit == max(fits) > 0]
            halves = [each // 2 for each in scores]
            favourites = {at for row in (scores, halves) for at, each in enumerate(row) if each == max(row)}
            yield Query(head, query, holders, sorted(favourites))


def hold(key: Mapping[str, Fraction], names: str) -> Fraction:
    """Return how much a token has of some features, those with a minus counted against."""
    return sum((-key[name[1:]] if name[0] == "-" else key[name] for name in names.split()), Fraction())


def find_answer(problem: Problem) -> str:
    """Return the word that the query looks at most, which has to be one word, by hand and exactly."""
    assert problem.story is not None
    scores = score_query(problem)
    halves = [score // 2 for score in scores]
    weights = [Fraction(3) ** half for half in halves]
    assert weights.count(max(weights)) == 1
    assert weights.index(max(weights)) == scores.index(max(scores))
    words = problem.story.memory_words or problem.words
    return words[weights.index(max(weights))]


def find_rare_answers(name: str, counts: Counter[str]) -> list[str]:
    """Return the answers that come up less often than half their fair share."""
    answers = read_bundled_story(name).answers
    return [answer for answer in answers if counts[answer] < counts.total() / len(answers) / 2]


def main() -> None:
    """Say how often each answer comes up, and how long a sheet takes."""
    count = int(sys.argv[1]) if len(sys.argv) > 1 else SEEDS
    faults: list[str] = []
    for name in STORY_NAMES:
        start = time.process_time()
        problems = draw_story_problems(name, count)
        counts = Counter(map(find_answer, problems))
        milliseconds = (time.process_time() - start) / count * 1000
        print(f"{name:12} {milliseconds:6.1f} ms", *(f"{answer} {times}" for answer, times in counts.items()))  # noqa: T201
        faults += [f"{name}: {answer} is too rare" for answer in find_rare_answers(name, counts)]
        let_down = [seed for seed, each in enumerate(problems) if any(q.is_let_down for q in ask_everyone(each))]
        faults += [f"{name}: seed {seed} lets somebody down" for seed in let_down]
    sys.exit(", ".join(faults) if faults else 0)


if __name__ == "__main__":
    main()
