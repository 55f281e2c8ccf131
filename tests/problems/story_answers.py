"""What a story's numbers answer, worked here from what is given, and how often each answer comes up.

``python -m tests.problems.story_answers`` draws 400 seeds of every story and says the shares; another number of seeds
if one is given.
"""

import sys
import time
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from functools import cache

from attnhand.attention.problem import Problem
from attnhand.problems.request import make_story_request
from attnhand.problems.story_draw import draw_story_problem
from attnhand.problems.story_template import STORY_NAMES, read_bundled_story

SEEDS = 400

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


def score_query(problem: Problem) -> list[Fraction]:
    """Return the scores of the query that is asked, those of later keys left out, computed here from what is given."""
    story = problem.story
    assert story is not None
    given: dict[str, Rows] = {name: [[Fraction(x) for x in row] for row in rows] for name, rows in problem.given}
    if "embedding" in given:
        words = list(dict.fromkeys(problem.words))
        columns = [words.index(word) for word in problem.words]
        pairs = zip(given["embedding"], given["P"], strict=True)
        x: Rows = [[vectors[column] + places[at] for at, column in enumerate(columns)] for vectors, places in pairs]
    else:
        x = given["X"]
    head = f"h{story.head}." if story.head else ""
    query = multiply(given[f"{head}W_Q"], [[row[story.query]] for row in x])
    keys = multiply(given[f"{head}W_K"], given.get("M", x))
    scores = [row[0] for row in multiply(list(zip(*keys, strict=True)), query)]
    return scores[: story.query + 1] if problem.variant.is_causal else scores


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
    rare = []
    for name in STORY_NAMES:
        start = time.process_time()
        counts = Counter(map(find_answer, draw_story_problems(name, count)))
        milliseconds = (time.process_time() - start) / count * 1000
        print(f"{name:12} {milliseconds:6.1f} ms", *(f"{answer} {times}" for answer, times in counts.items()))  # noqa: T201
        rare += [f"{name}: {answer}" for answer in find_rare_answers(name, counts)]
    sys.exit(f"too rare: {', '.join(rare)}" if rare else 0)


if __name__ == "__main__":
    main()
