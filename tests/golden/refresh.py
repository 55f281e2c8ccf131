"""Write the golden matrices again: ``python -m tests.golden.refresh``, from the top of the repository.

A seed printed on paper is a promise. These files say what seeds 0 to 99 of each level and mechanism give under
recipe 1 (the first ten of other forms, such as those with a mask); they change only before a recipe is released.
Afterwards another recipe gets files of its own, and these stay. The first seeds of every story have a file
too, and so have the questions that sheets ask, those of the parts of a language model, and the mistakes that are drawn,
with the codes that say them.
"""

from collections.abc import Iterable
from itertools import product
from pathlib import Path

from attnhand.attention.problem import Problem
from attnhand.attention.questions import PosedQuestion
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.mistake import ANY_SLIP
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.random_stream import RECIPE, RandomStream
from attnhand.problems.request import Request, make_part_request, make_story_request
from attnhand.problems.sheet_code import encode_request
from attnhand.problems.story_draw import pick_variant
from attnhand.problems.story_template import STORY_NAMES, read_bundled_story
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.questions import build_questions
from tests.forms import FORMS, KEPT_FORMS
from tests.problems.story_answers import draw_story_problems, find_answer

FOLDER = Path(__file__).parent

_FIRST = {form.mechanism: name for name, form in reversed(KEPT_FORMS.items())}
MECHANISM_FORMS = tuple(name for name, form in KEPT_FORMS.items() if name == _FIRST[form.mechanism])
"""The usual form of every mechanism: the first of each."""


STORY_FILE = f"stories-{RECIPE}.txt"
STORY_SEEDS = 3
QUESTION_FILE = f"questions-{RECIPE}.txt"
QUESTION_FORMS = ("self", "multi-head-2-causal", "cross", "self-words")
PART_FILE = f"parts-{RECIPE}.txt"
MISTAKE_FILE = f"mistakes-{RECIPE}.txt"
MISTAKE_FORMS = (*MECHANISM_FORMS, "self-causal", "self-words")
MISTAKE_SEEDS = 10


def make_golden_files() -> dict[str, str]:
    """Return what each golden file should hold, by its path in this folder."""
    others = {
        STORY_FILE: make_story_lines(),
        QUESTION_FILE: make_question_lines(),
        PART_FILE: make_part_lines(),
        MISTAKE_FILE: make_mistake_lines(),
    }
    return {name: "".join(f"{line}\n" for line in lines) for name, lines in others.items()} | {
        f"recipe-{RECIPE}/{name_golden_file(form, level)}": "".join(
            f"{line}\n" for line in make_golden_lines(form, level, choose_golden_seeds(form))
        )
        for form in KEPT_FORMS
        for level in Level
    }


def name_golden_file(form: str, level: Level) -> str:
    """Return the name of a golden file; those of self-attention have that of their level alone."""
    return f"{level}.txt" if form == "self" else f"{form}-{level}.txt"


def choose_golden_seeds(form: str) -> range:
    """Return which seeds are kept: a hundred of every mechanism."""
    return range(100) if form in MECHANISM_FORMS else range(10)


def make_golden_lines(form: str, level: Level, seeds: Iterable[int]) -> list[str]:
    """Return a line a seed: ``7  X: 1 0 2 / 0 1 0  W_Q: …``, rows parted by slashes."""
    return [f"{seed}  {_format_matrices(Request(seed=seed, variant=KEPT_FORMS[form], level=level))}" for seed in seeds]


def make_story_lines() -> list[str]:
    """Return a line a seed of every story: ``soup 0  sour: sugar  A9K2-…  M: 2 0 / 1 1  X: …``."""
    lines = []
    for story, seed in product(map(read_bundled_story, STORY_NAMES), range(STORY_SEEDS)):
        request, problem = make_story_request(story, seed), draw_story_problems(story.name, STORY_SEEDS)[seed]
        variant, _ = pick_variant(story, RandomStream(str(seed), "story"))
        answer = find_answer(problem)  # worked apart from the product
        lines.append(f"{story.name} {seed}  {variant.name}: {answer}  {encode_request(request)}  {_format(problem)}")
    return lines


def make_question_lines() -> list[str]:
    """Return a line a sheet: its form and seed, and of every question head, query and two tokens: ``guess 0.2.0.0``."""
    lines = []
    for form, seed in product(QUESTION_FORMS, range(4)):
        request = Request(seed=seed, variant=FORMS[form], level=Level.WARM_UP)
        posed = make_sheet_from_request(request, PageOptions(questions=QuestionAmount.MANY)).posed_questions
        lines.append(f"{form} {seed}  {'  '.join(map(_format_question, posed))}")
    return lines


def make_part_lines() -> list[str]:
    """Return a line a part of a language model, of many zeros and of few: its questions, each with its answer."""
    lines = []
    for part, level in product(MODEL_PARTS.values(), (Level.STANDARD, Level.CHALLENGE)):
        sheet = make_sheet_from_request(make_part_request(part, 1, level=level))
        asked = [f"{each.posed.question.id} {each.plain_answer}".strip() for each in build_questions(sheet)]
        lines.append(f"{part.name} {level}  {'  '.join(asked)}")
    return lines


def make_mistake_lines() -> list[str]:
    """Return a line a sheet: its form and seed, the mistake that is drawn, and the code that says it."""
    lines = []
    for form, seed in product(MISTAKE_FORMS, range(MISTAKE_SEEDS)):
        request = Request(seed=seed, variant=FORMS[form])
        sheet = make_sheet_from_request(request, PageOptions(mistake=ANY_SLIP))
        lines.append(f"{form} {seed}  {sheet.planted_mistake}  {sheet.code}")
    return lines


def _format_question(posed: PosedQuestion) -> str:
    at = posed.parameters
    return f"{posed.question.id} {at.attention}.{at.query}.{at.token}.{at.other}"


def _format_matrices(request: Request) -> str:
    return _format(generate_problem(request))


def _format(problem: Problem) -> str:
    return "  ".join(
        f"{name}: " + " / ".join(" ".join(str(value) for value in row) for row in a) for name, a in problem.given
    )


def main() -> None:
    """Write all files anew and remove those of the current recipe that are no longer made."""
    files = make_golden_files()
    for old in FOLDER.glob(f"recipe-{RECIPE}/*"):
        if old.relative_to(FOLDER).as_posix() not in files:
            old.unlink()
    for name, text in files.items():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
