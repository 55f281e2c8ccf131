"""What a seed gives is a promise: the matrices of a hundred seeds a level, kept as text."""

import pytest

from attnhand.attention.mechanisms import MECHANISMS
from attnhand.problems.levels import Level
from attnhand.problems.random_stream import RECIPE
from attnhand.problems.story_template import STORY_NAMES
from tests.breadth import choose
from tests.forms import FORMS, KEPT_FORMS
from tests.golden.refresh import (
    FOLDER,
    MECHANISM_FORMS,
    MISTAKE_FILE,
    PART_FILE,
    QUESTION_FILE,
    STORY_FILE,
    STORY_SEEDS,
    choose_golden_seeds,
    make_golden_lines,
    make_mistake_lines,
    make_part_lines,
    make_question_lines,
    make_story_lines,
    name_golden_file,
)

GOLDEN_FOLDER = FOLDER / f"recipe-{RECIPE}"
CASES = [(form, level) for form in FORMS for level in Level]


def test_there_is_one_golden_file_a_level_and_form() -> None:
    """No level of a mechanism goes without its golden file, and no file is left over."""
    kept = [(form, level) for form in KEPT_FORMS for level in Level]
    assert sorted(path.name for path in GOLDEN_FOLDER.iterdir()) == sorted(name_golden_file(*case) for case in kept)
    assert {FORMS[name].mechanism for name in MECHANISM_FORMS} == set(MECHANISMS)


@pytest.mark.parametrize(("form", "level"), CASES)
def test_seeds_give_the_kept_matrices(form: str, level: Level) -> None:
    """Changed, missing and extra lines all fail; ``make sweep`` draws all that are kept."""
    stored = (GOLDEN_FOLDER / name_golden_file(form, level)).read_text(encoding="ascii").splitlines()
    assert [line.split()[0] for line in stored] == [str(seed) for seed in choose_golden_seeds(form)]
    drawn = choose(range(3), choose_golden_seeds(form))
    stored, fresh = stored[: len(drawn)], make_golden_lines(form, level, drawn)
    changed = sorted(set(stored) ^ set(fresh), key=lambda line: int(line.split()[0]))
    assert not changed, "\n".join(f"{'kept ' if line in stored else 'fresh'} {line}" for line in changed)
    assert stored == fresh


def test_seeds_give_the_kept_stories() -> None:
    """Story, variant, the answer that another computation finds, code and numbers; every story has its seeds."""
    stored = (FOLDER / STORY_FILE).read_text(encoding="utf-8").splitlines()
    assert [line.split()[0] for line in stored] == [name for name in STORY_NAMES for _ in range(STORY_SEEDS)]
    assert make_story_lines() == stored


def test_sheets_ask_the_kept_questions() -> None:
    """A code on paper asks the same for ever: other questions are for another recipe."""
    assert make_question_lines() == (FOLDER / QUESTION_FILE).read_text(encoding="utf-8").splitlines()


def test_parts_of_a_model_ask_the_kept_questions() -> None:
    """And have the kept answers, of the model that the seed gives."""
    assert make_part_lines() == (FOLDER / PART_FILE).read_text(encoding="utf-8").splitlines()


def test_sheets_have_the_kept_mistakes() -> None:
    """A slip that is put between others, or drawn in another way, would give codes on paper another mistake."""
    assert make_mistake_lines() == (FOLDER / MISTAKE_FILE).read_text(encoding="utf-8").splitlines()


def test_levels_draw_from_their_own_numbers() -> None:
    """First, warm-up and standard sheets have −1 to 2, challenging ones −2 to 2."""
    drawn = {
        level: {
            int(word)
            for line in (GOLDEN_FOLDER / f"{level}.txt").read_text(encoding="ascii").splitlines()
            for word in line.split()[1:]
            if word.lstrip("-").isdigit()
        }
        for level in Level
    }
    small = {-1, 0, 1, 2}
    assert drawn == dict.fromkeys(Level, small) | {Level.CHALLENGE: small | {-2}}
