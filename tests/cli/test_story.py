"""``--story``: numbers that mean something, in every command that takes one."""

import csv
import json
import re
from pathlib import Path

import pytest

import attnhand
from attnhand.problems.reading import SETTINGS
from attnhand.problems.story_template import STORY_NAMES
from tests.breadth import choose
from tests.cli.running import run_refused, run_well
from tests.problems.test_stories import OWN

DISCLAIMER = (
    "We named these features and chose these weights (−1 counts against, 2 double). A trained model learns both; its "
    "features rarely have names, and a large share is not yet an explanation."
)


def read_sheet(*args: str) -> dict[str, object]:
    """Return the JSON sheet that a command writes."""
    data: dict[str, object] = json.loads(run_well(*args, "--json", "--out", "-").output)
    return data


def join_lines(*args: str) -> str:
    """Return what a command prints, in one line."""
    return " ".join(run_well(*args).output.decode().split())


def test_a_story_stands_on_the_sheet() -> None:
    """Sentence, question and names of features in the terminal; the warning is said once; the key has the answer."""
    blank, key = (
        join_lines("generate", "--seed", "7", "--story", "elephant", face) for face in ("--blank", "--solved")
    )
    for text in (blank, key):
        assert text.count(DISCLAIMER) == 1
        assert "The elephant ate the banana." in text
        assert "animal 1" in text
        assert "needs fruit 5" in text
    assert re.search(r"look at most\? \(q₄\) _+ ", blank)
    assert re.search(r"Mixed from all values, z₄ has most of _+ \(animal, fruit, action\)", blank)
    assert re.search(r"look at most\? \(q₄\) (elephant|banana|ate) \(its share is \d+/\d+\)", key)


@pytest.mark.parametrize("name", choose(STORY_NAMES[::3], STORY_NAMES))
def test_every_text_format_tells_the_story(name: str) -> None:
    """Sentence, question, every feature and every word are in it, blank and solved, in the conventions by turns."""
    sheet = attnhand.generate(seed=3, story=name, convention=("columns", "rows")[STORY_NAMES.index(name) % 2])
    story = sheet.problem.story
    assert story is not None
    for face in (sheet.blank, sheet.key):
        for text in (face.html(), face.markdown(), face.csv(), face.json()):
            plain = " ".join(re.sub(r"<[^>]*>|\\\\|\\", " ", text).split())
            for word in (*story.feature_names, *sheet.problem.words, *story.memory_words):
                assert word in plain, (name, word)


@pytest.mark.parametrize("name", choose(STORY_NAMES[::5], STORY_NAMES))
def test_a_blank_holds_no_answer(name: str) -> None:
    """Which of the possible answers it is stands nowhere: a blank of another answer says the same of the story."""
    blanks = [attnhand.generate(seed=seed, story=name).blank for seed in range(3)]
    for story in [json.loads(blank.json())["story"] for blank in blanks]:
        assert set(story) <= {"name", "sentence", "features", "memory", "values", "asked", "question", "rows", "wants"}
        assert set(story["asked"]) <= {"text", "query", "head", "answers"}
        assert len(story["asked"]["answers"]) >= 2
    blank = blanks[0]
    assert ", with weight" not in blank.html() + blank.markdown() + blank.json() + blank.csv()


@pytest.mark.parametrize("name", choose(STORY_NAMES[::3], STORY_NAMES))
def test_the_code_gives_the_sheet_again(name: str) -> None:
    """key CODE finds a story that comes with the program; so does the JSON sheet, and solve its problem."""
    sheet = attnhand.generate(seed=3, story=name, convention="rows", rules="hand")
    assert attnhand.key(sheet.code) == sheet
    file = Path("sheet.json")
    file.write_text(sheet.json(), encoding="utf-8")
    assert attnhand.key(str(file)) == sheet
    data = json.loads(sheet.json())
    problem = {name: data[name] for name in ("given", *SETTINGS) if name in data}
    file.write_text(json.dumps(problem), encoding="utf-8")
    solved = attnhand.solve(str(file))
    assert solved.problem == sheet.problem
    assert solved.code.startswith("M")


@pytest.mark.parametrize(
    ("options", "is_open"),
    [("", True), ("--from-stage S", True), ("--from-stage A", False), ("--fade", False), ("--mistake", False)],
)
def test_nobody_guesses_what_is_printed(options: str, is_open: bool) -> None:
    """The soup's query is the first, which fades; where scores are printed, no guess is asked, or looked at again."""
    text = join_lines("generate", "--seed", "3", "--story", "soup", "--blank", *options.split())
    assert text.count("What does the soup ask for most? (q₁)") == 2
    assert text.count("Your guess:") == (2 if is_open else 0)


def test_practice_tells_the_story_before_the_numbers() -> None:
    """With its question and what is to be known of weights, before the first stage; a guess is not typed."""
    sheet = attnhand.generate(seed=3, story="soup")
    assert sheet.problem.story is not None
    text = " ".join(run_well("practice", "3", "--story", "soup", stdin=b"quit\n").text.split())
    before, _, stage = text.partition("K, keys:")
    assert stage
    question = "What does the soup ask for most? (q₁) Your guess: …?"
    assert before.count(f"A story. {sheet.problem.story.sentence} {question}") == 1
    assert before.count("a large share is not yet an explanation.") == 1
    assert "____" not in text


def test_codes_without_a_story_stay_as_they_are() -> None:
    """The code of seed 7 is what it was; a salted story is refused without its salt."""
    assert attnhand.generate(seed=7).code == "A1Q0-0000-000W"
    code = str(read_sheet("generate", "--seed", "7", "--story", "soup", "--salt", "otter, waltz", "--blank")["code"])
    assert "is salted" in run_refused("key", code)
    assert read_sheet("key", code, "--salt", "otter, waltz", "--blank")["code"] == code


def test_without_a_name_the_seed_draws_the_story() -> None:
    """The same seed tells the same story, others tell others; an option chooses among them."""
    names = [attnhand.generate(seed=seed, story="any").problem.story.name for seed in range(12)]  # type: ignore[union-attr]
    assert len(set(names)) >= 5
    assert read_sheet("generate", "--seed", "3", "--story", "--blank")["story"]["name"] == names[3]  # type: ignore[index]
    for seed in range(4):
        assert attnhand.generate(seed=seed, story="any", mechanism="cross").problem.mechanism.name == "cross"


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ("--story soup --mechanism self", "--mechanism self contradicts the story soup: leave out one of them"),
        ("--story soup --heads 2", "--heads 2 contradicts the story soup: leave out one of them"),
        ("--story soup --causal", "--causal contradicts the story soup: leave out one of them"),
        ("--story soup --tokens 5", "--tokens 5 contradicts the story soup: leave out one of them"),
        ("--story soup --level warm-up", "--level warm-up contradicts the story soup: leave out one of them"),
        ("--story soup --words one,two", "--words contradicts the story soup: leave out one of them"),
        ("--story soup --positions", "--positions sinusoidal contradicts the story soup: leave out one of them"),
        ("--story --mechanism block", "no story goes with --mechanism block: leave out --mechanism block or --story"),
        ("--story soup --only-queries 2", "the story asks about query 1: ask it too"),
        ("--story sup", "the story 'sup' is not there: did you mean soup?"),
    ],
)
def test_an_option_that_contradicts_the_story_is_refused(options: str, sentence: str) -> None:
    """By its name; one that says what the story says is none."""
    assert run_refused("generate", "--seed", "1", *options.split()) == sentence


def test_an_option_that_agrees_is_no_contradiction() -> None:
    """The story's own mechanism and size, said again, change nothing."""
    own_options = ("--mechanism", "cross", "--tokens", "3", "--level", "standard")
    plain = read_sheet("generate", "--seed", "1", "--story", "soup", "--blank")
    assert read_sheet("generate", "--seed", "1", "--story", "soup", *own_options, "--blank") == plain


def test_another_sheets_code_contradicts_a_story() -> None:
    """A code without a story, or with another one, is refused with --story; its own is fine."""
    code = attnhand.generate(seed=1, story="soup").code
    assert "--story clue" in run_refused("key", code, "--story", "clue") or "the story clue" in run_refused(
        "key", code, "--story", "clue"
    )
    assert run_refused("key", "A1Q0-0000-000W", "--story", "soup") == (
        "--story soup contradicts the code A1Q0-0000-000W: leave it out, or generate another sheet"
    )
    assert read_sheet("key", code, "--story", "soup", "--blank")["code"] == code
    assert "--story is for drawn sheets" in run_refused("key", "classic", "--story", "soup")


def test_a_story_of_ones_own() -> None:
    """It is drawn, its code needs the file again, and what is wrong with it is said in a sentence."""
    Path("my.toml").write_text(OWN, encoding="utf-8")
    sheet = read_sheet("generate", "--seed", "5", "--story", "my.toml", "--blank")
    code = str(sheet["code"])
    assert sheet["words"] == ["whale", "rose", "eye"]
    assert run_refused("key", code) == (
        f"the code {code}: its story does not come with the program: name its file, as in --story my.toml"
    )
    assert read_sheet("key", code, "--story", "my.toml", "--blank") == sheet
    Path("other.toml").write_text(OWN.replace("big = [1, 2], wants_red", "big = 2, wants_red"), encoding="utf-8")
    assert run_refused("key", code, "--story", "other.toml") == (
        f"the code {code}: the story other is not that of this sheet: give the one it was made with"
    )
    Path("bad.toml").write_text(OWN.replace('asks = "eye"', ""), encoding="utf-8")
    assert run_refused("generate", "--story", "bad.toml") == ("the story bad.toml has no variants.one.asks: add it")


def test_a_class_tells_stories_of_one_form() -> None:
    """Without a name everybody gets one of those that ask the same cells; with one, all get that. Grading knows it."""
    run_well("class", "--count", "3", "--seed", "2", "--story", "--no-salt", "--jobs", "1", "--out", "drawn")
    run_well("class", "--count", "2", "--seed", "2", "--story", "soup", "--no-salt", "--jobs", "1", "--out", "named")
    names = {}
    for folder in ("drawn", "named"):
        with Path(folder, "teacher", "index.csv").open(encoding="utf-8-sig", newline="") as file:
            sheets = [attnhand.key(row["code"]) for row in csv.DictReader(file)]
        names[folder] = {sheet.problem.story.name for sheet in sheets if sheet.problem.story}
        assert len({sheet.answer_cell_count for sheet in sheets}) == 1
        answers = Path(folder, "answers")
        answers.mkdir()
        for at, sheet in enumerate(sheets):
            (answers / f"{at}.csv").write_text(sheet.csv(), encoding="utf-8")
        ran = run_well("grade", str(answers), "--roster", f"{folder}/teacher/index.csv", "--out", folder)
        assert ran.lines
    assert names["named"] == {"soup"}
    assert len(names["drawn"]) >= 2


def test_a_class_with_a_story_of_ones_own_is_made_and_graded_anywhere(tmp_path: Path) -> None:
    """The class file says where the story's file stands, so that grading finds it from another folder."""
    Path("my.toml").write_text(OWN, encoding="utf-8")
    run_well("class", "--count", "2", "--story", "my.toml", "--salt", "otter, waltz", "--jobs", "1")
    before = Path("attnhand-class/teacher/index.csv").read_bytes()
    run_well("class", "--count", "2", "--story", "my.toml", "--salt", "otter, waltz", "--jobs", "1")
    assert Path("attnhand-class/teacher/index.csv").read_bytes() == before
    assert f'story = "{Path("my.toml").resolve()}"' in Path("attnhand-class/teacher/class.toml").read_text("utf-8")
