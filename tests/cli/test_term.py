"""A term: the sheets of all weeks at once, one register, and what came back over the weeks."""

import csv
import io
import re
import shutil
import zipfile
from dataclasses import asdict
from fractions import Fraction
from pathlib import Path

import pytest
from pypdf import PdfReader

import attnhand
from attnhand.attention.matrix import Matrix
from attnhand.classroom.term_plan import list_plan_names, load_plan
from attnhand.problems.language_model import SENTENCES, WORDS
from attnhand.problems.levels import Level
from attnhand.problems.model_parts import MODEL_PARTS, draw_model
from attnhand.sheet.order import parse_options
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from tests.breadth import choose
from tests.cli.running import read_files, run_here, run_refused, run_well
from tests.marking.handing_in import make_answer_file, make_slip, write_answers, write_key
from tests.problems.language_model_oracle import learn_by_hand, to_nearest, work_by_hand

PEOPLE = [f"Student {letter}" for letter in "ABCDEFG"]
NEWCOMERS, LEAVER, LATE = ["Yves", "Zoe"], "Student C", "Student E"
OPTIONS = ("--level", "warm-up")
SALT = ("--salt", "tin otter waltz jam")
"""The same numbers in every run: with others somebody's slip may not show, or all have one sentence."""

JOINED = {name: f"{at:03}" for at, name in enumerate(NEWCOMERS, len(PEOPLE) + 1)}
"""The № of those who come later."""

TERM = Path("attnhand-term")
WEEKS = range(1, 6)


def write_roster(name: str, people: list[str]) -> str:
    """Write a roster, and return its name."""
    lines = "".join(f"{who},{'AB'[at % 2]}\n" for at, who in enumerate(people))
    Path(name).write_text(f"name,group\n{lines}", encoding="utf-8")
    return name


def table(path: Path | str) -> list[dict[str, str]]:
    """Return the lines of a table that was written, without its digest."""
    text = Path(path).read_text(encoding="utf-8-sig").partition("attnhand-digest")[0]
    return list(csv.DictReader(io.StringIO(text, newline="")))


def read_codes(week: int) -> dict[str, str]:
    """Return who has which sheet in a week."""
    return {row["name"]: row["code"] for row in table(TERM / f"week-{week}/teacher/index.csv")}


def read_numbers(week: int) -> dict[str, str]:
    """Return who has which № in a week, whoever has left too."""
    return {row["name"]: row["No."] for row in table(TERM / f"week-{week}/teacher/index.csv")}


def make_sheet(week: int, name: str) -> Sheet:
    """Return somebody's sheet of a week."""
    return attnhand.key(read_codes(week)[name], class_=str(TERM / f"week-{week}"))


def hand_in(folder: str, week: int, name: str, *, has_slip: bool = False) -> None:
    """Write somebody's answers: the key, or with a slip at the weights."""
    sheet = make_sheet(week, name)
    rows = write_key(sheet)
    if has_slip:
        stage = next(stage.name for stage in sheet.problem.mechanism.stages if stage.name in ("A", "h1.A"))
        rows = write_answers(sheet, make_slip(sheet, "other-axis", stage))
    Path(folder).mkdir(parents=True, exist_ok=True)
    Path(folder, f"{read_numbers(week)[name]} {name}.json").write_text(make_answer_file(sheet, rows), encoding="utf-8")


def test_a_term_of_five_weeks() -> None:
    """Made, two join in week 3 and one leaves: bytes before stay, no № changes hands; and all of it is graded."""
    roster = write_roster("class.csv", PEOPLE)
    run_well("term", roster, "--plan", "attention", "--seed", "7", *SALT, "--jobs", "1")
    first = read_files(TERM)
    numbers = read_numbers(1)
    assert all(read_numbers(week) == numbers for week in WEEKS)
    assert run_here("term", "class.csv", "--jobs", "1").exit_code == 0
    assert read_files(TERM) == first

    later = write_roster("later.csv", [*(who for who in PEOPLE if who != LEAVER), *NEWCOMERS])
    joined = ", ".join(f"№ {number} {name}" for name, number in JOINED.items())
    assert f"joined: {joined}" in run_well("term", later, "--from-week", "3", "--dry-run").lines
    assert read_files(TERM) == first
    lines = run_well("term", later, "--from-week", "3", "--jobs", "1").lines
    assert [line.split()[0] for line in lines] == ["attnhand-term/term.toml", *(f"{TERM}/week-{n}/" for n in (3, 4, 5))]
    after = read_files(TERM)
    assert all(after[name] == first[name] for name in first if name.startswith(("week-1", "week-2", "term.toml")))
    for week in (3, 4, 5):
        assert read_numbers(week) == numbers | JOINED
        options = {row["name"]: row["options"] for row in table(TERM / f"week-{week}/teacher/index.csv")}
        assert [name for name, said in options.items() if said] == [LEAVER]

    # carried: somebody's numbers are the same in all weeks
    for name in (PEOPLE[0], PEOPLE[-1], "Zoe"):
        given = [dict(make_sheet(week, name).problem.given) for week in WEEKS if name in read_codes(week)]
        assert all(each["X"] == given[-1]["X"] for each in given)
        assert all(each.get("W_Q", given[-1]["h1.W_Q"]) == given[-1]["h1.W_Q"] for each in given)
        assert given[-1]["h2.W_V"] == given[-2]["h2.W_V"]

    for week in WEEKS:
        there = [name for name in read_codes(week) if not (name == LEAVER and week > 2)]
        for name in there:
            if name == LATE and week == 4:  # who hands in last week's sheet, for the first time
                hand_in("answers/four", 3, name)
            elif not (name == LATE and week == 3):
                pile = {4: "four"}.get(week, f"{week}")
                hand_in(f"answers/{pile}", week, name, has_slip=name == "Student B" and week in (2, 4))
    lines = run_well("grade", str(TERM), "answers", "--out", "graded", "--jobs", "1").lines
    assert f"{len(PEOPLE)} papers of week 1" in lines
    assert f"{len(PEOPLE) + 1} papers of week 3" in lines
    assert f"  four/{numbers[LATE]} {LATE}.json: handed in with week 4" in lines

    rows = {row["name"]: row for row in table("graded/term.csv")}
    assert [*rows] == [*PEOPLE, *NEWCOMERS]
    assert rows[LATE]["missing"] == "4"
    assert rows[LATE]["remark"] == "week 3: handed in with week 4"
    assert rows[LATE]["week 3"] == rows[LATE]["of (week 3)"] != ""
    assert rows[LATE]["week 4"] == ""
    assert (rows["Zoe"]["week 1"], rows["Zoe"]["missing"]) == ("", "")
    assert (rows[LEAVER]["week 5"], rows[LEAVER]["missing"]) == ("", "")
    assert rows["Student B"]["slip again"].endswith("(week 2, 4)")
    assert {row["slip again"] for name, row in rows.items() if name != "Student B"} == {""}
    for row in rows.values():
        assert float(row["sum"]) == sum(float(row[f"week {week}"] or 0) for week in WEEKS)
        assert int(row["of"]) == sum(int(row[f"of (week {week})"] or 0) for week in WEEKS)

    # each week's files are those that grade writes for that week's class
    Path("alone").mkdir()
    for path in Path("answers/2").iterdir():
        shutil.copy(path, "alone")
    run_well("grade", str(TERM / "week-2"), "alone", "--out", "graded-alone", "--jobs", "1")
    one, other = (table(f"{folder}/gradebook.csv") for folder in ("graded-alone", "graded/week-2"))
    assert [row | {"file": ""} for row in one] == [row | {"file": ""} for row in other]

    with zipfile.ZipFile("answers.zip", "w") as archive:
        for path in sorted(Path("answers").rglob("*.json")):
            archive.write(path, path.relative_to("answers"))
    run_well("grade", str(TERM), "answers.zip", "--out", "from-zip", "--jobs", "1")
    assert table("from-zip/term.csv") == table("graded/term.csv")


LONGEST = {1: 1, 2: 2, 3: 2, 4: 2, 5: 2, 6: 2, 7: 3, 8: 5, 9: 2, 10: 3}
"""How many pages a sheet of each week has at most, on A4 with № and name."""

BEGINS_WITH = {
    2: {"X": (1, "X")},
    4: {"X": (1, "X")},
    5: {"R1": (4, "R1"), "N2": (4, "N2")},
    6: {"R2": (5, "R2")},
    7: {"N3": (6, "N3"), "W_U": (6, "W_U")},
    9: {"R2": (8, "R2"), "W_U": (6, "W_U")},
}
"""By week what a sheet is given, in which week its owner found it, and what it was called there."""


def find_matrix(sheet: Sheet, name: str) -> Matrix:
    """Return a matrix of a sheet, given or found by hand."""
    return sheet.solution.collect_hand_values()[name]


def take_last(a: Matrix) -> Matrix:
    """Return the last column."""
    return tuple((row[-1],) for row in a)


def test_a_whole_transformer_for_a_class() -> None:
    """Ten weeks: two join in week 3, papers of five weeks are graded, one hands in last week's; nobody's number moves.

    Every sheet begins with what its owner found in the weeks before, and says over its columns the words of its owner.
    """
    run_well("term", write_roster("class.csv", PEOPLE), "--plan", "transformer", "--seed", "8", *SALT)
    first, numbers = read_files(TERM), read_numbers(1)
    later = write_roster("later.csv", [*PEOPLE, *NEWCOMERS])
    run_well("term", later, "--from-week", "3")
    after = read_files(TERM)
    assert all(
        after[name] == first[name] for name in first if name.startswith(("week-1/", "week-2/", "map", "term.toml"))
    )
    assert [*read_codes(2)] == PEOPLE
    for week in range(3, 11):
        assert read_numbers(week) == numbers | JOINED

    for week, most in LONGEST.items():
        reader = PdfReader(TERM / f"week-{week}/hand-out/sheets.pdf")
        texts = [" ".join(page.extract_text().split()) for page in reader.pages]
        assert {int(each) for text in texts for each in re.findall(r"page \d of (\d)", text)} <= {*range(1, most + 1)}
    spoken, pages = set(), PdfReader(TERM / "week-1/hand-out/sheets.pdf").pages
    for name in (*PEOPLE[:2], PEOPLE[-1]):
        sheets = {week: make_sheet(week, name) for week in range(1, 11)}
        for week, begins in BEGINS_WITH.items():
            for given, (found_in, found) in begins.items():
                before = find_matrix(sheets[found_in], found)
                assert find_matrix(sheets[week], given) in (before, take_last(before)), (name, week, given)
        taken = "head-1" if name == "Student A" else "head-2"  # dealt to five in turn
        assert sheets[10].asked_part
        assert sheets[10].asked_part.name == f"without-{taken}"
        assert find_matrix(sheets[10], "X") == find_matrix(sheets[1], "X")
        assert find_matrix(sheets[10], "W_1") == find_matrix(sheets[5], "W_1")
        concat = find_matrix(sheets[4], "concat")
        assert concat[:2] == find_matrix(sheets[2], "Z")
        asked = sheets[3].list_asked_cells(sheets[3].problem.mechanism.get_stage("Z"))
        assert {column for _, column in asked} == {2, 3}  # of head 2 the last two tokens
        assert all(find_matrix(sheets[3], "Z")[i][j] == concat[2 + i][j] for i, j in asked)
        favourite = max(range(8), key=lambda at: find_matrix(sheets[6], "logits")[at][0])
        words = sheets[1].problem.words
        assert (*words, WORDS[favourite]) == sheets[8].problem.words
        spoken.add(words)
        texts = [" ".join(page.extract_text().split()) for page in pages]
        (text,) = (text for text in texts if name in text and "page 1 of" in text)
        assert all(" ".join(f"{word} {letter}{at}" for at, word in enumerate(words, 1)) in text for letter in "epx"), (
            text
        )
    assert len(spoken) > 1

    for week in range(1, 6):
        for name in read_codes(week):
            if name == LATE and week == 4:
                hand_in("answers/4", 3, name)
            elif not (name == LATE and week == 3):
                hand_in(f"answers/{week}", week, name, has_slip=name == "Student B" and week in (2, 3))
    lines = run_well("grade", str(TERM), "answers", "--out", "graded").lines
    assert f"{len(PEOPLE)} papers of week 1" in lines
    assert f"  4/{numbers[LATE]} {LATE}.json: handed in with week 4" in lines
    rows = {row["name"]: row for row in table("graded/term.csv")}
    assert [*rows] == [*PEOPLE, *NEWCOMERS]
    assert rows[LATE]["missing"] == "4"
    assert (rows["Zoe"]["week 1"], rows["Zoe"]["missing"]) == ("", "")
    assert rows["Student B"]["slip again"].endswith("(week 2, 3)")
    for name, row in rows.items():
        for week in range(1, 6):
            if row[f"week {week}"] and not (name == "Student B" and week in (2, 3)):
                assert row[f"week {week}"] == row[f"of (week {week})"]


def test_who_returns_has_their_number_and_numbers_again() -> None:
    """Also where weeks before are made anew: the № of those who joined later is nobody else's."""
    plan = write_plan("[[sheets]]\ncarry = true\nmechanism = 'basic'\n[[sheets]]\ncarry = true\nlevel = 'warm-up'\n")
    run_well("term", write_roster("class.csv", PEOPLE[:4]), "--plan", plan, "--jobs", "1", "--spare", "1")
    code = read_codes(2)[PEOPLE[1]]
    run_well("term", write_roster("b.csv", [*PEOPLE[:1], *PEOPLE[2:5]]), "--from-week", "2", "--jobs", "1")
    assert read_numbers(2)[PEOPLE[4]] == "006"  # behind the spare sheet
    run_well("term", write_roster("c.csv", [*PEOPLE[:4], "Una"]), "--jobs", "1")
    assert read_codes(2)[PEOPLE[1]] == code
    assert read_numbers(1)["Una"] == read_numbers(2)["Una"] == "007"
    assert read_numbers(1)[PEOPLE[4]] == "006"


def test_a_sheet_of_a_term_is_found_by_its_code() -> None:
    """Key and check take the folder of the term; a № says nothing of the week, and what is nobody's is refused."""
    plan = write_plan("[[sheets]]\nlevel = 'warm-up'\n[[sheets]]\nmechanism = 'basic'\n")
    run_well("term", write_roster("class.csv", PEOPLE[:2]), "--plan", plan, "--jobs", "1")
    for week in (1, 2):
        code = read_codes(week)["Student B"]
        assert (
            run_well("key", code, "--class", str(TERM)).text
            == run_well("key", code, "--class", f"{TERM}/week-{week}").text
        )
        sheet = make_sheet(week, "Student B")
        Path("b.json").write_text(make_answer_file(sheet, write_key(sheet)), encoding="utf-8")
        assert "№ 002 Student B" in run_well("check", "b.json", "--class", str(TERM)).text
    advice = f"{TERM} has several weeks, and the code of a sheet that one of them has is needed"
    for source in ("2", "A1Q0-0000-000W"):
        assert run_refused("key", source, "--class", str(TERM)).startswith(advice)
    Path("none.json").write_text('{"answers": {"Q": [["1"]]}}', encoding="utf-8")
    assert run_refused("check", "none.json", "--class", str(TERM)).startswith(advice)


def test_a_lesson_page_speaks_the_language_of_the_class() -> None:
    """One page a week, with what the plan says beside it and no English."""
    plan = write_plan(
        "title = 'Zzz'\n[[sheets]]\nlevel = 'warm-up'\nsay = 'Aaa aaa'\nboard = 'Bbb'\n[[sheets]]\ncausal = true\n"
        "[[sheets]]\nmechanism = 'multi-head'\n"
    )
    english = set()
    for code in ("en", *choose(["de"], sorted(set(LANGUAGES) - {"en"}))):
        run_well(
            "term", "--count", "2", "--plan", plan, "--language", code, "--out", code, "--jobs", "1", "--seed", "3"
        )
        for week in (1, 2, 3):
            (page,) = PdfReader(f"{code}/week-{week}/teacher/lesson.pdf").pages
            texts = (line.strip() for line in page.extract_text().splitlines())
            lines = {line for line in texts if len(re.findall(r"[^\W\d_]{2,}", line)) > 3}  # sums are the same in all
            assert len(lines) > 4
            if code == "en":
                english |= lines
            else:
                assert not lines & english
            assert ("Aaa aaa" in page.extract_text()) is (week == 1)
            assert "Zzz" in page.extract_text()


def read_lesson(week: int) -> str:
    """Return the words of a teacher's page, in one line."""
    (page,) = PdfReader(f"attnhand-term/week-{week}/teacher/lesson.pdf").pages
    return " ".join(page.extract_text().split())


def test_a_lesson_says_what_the_model_of_its_example_says() -> None:
    """After a step of learning and without a part, as an oracle has it; and single changes that would deceive."""
    parts = ("learn", "without-head-1", "without-places")
    plan = write_plan("".join(f"[[sheets]]\npart = '{part}'\n" for part in parts))
    run_well("term", "--count", "2", "--plan", plan, "--no-salt", "--jobs", "1", "--seed", "5")
    model = draw_model(5, Level.STANDARD)
    given = asdict(model)
    numbers = {words: [WORDS.index(word) for word in words] for words in SENTENCES}
    step = learn_by_hand(given, numbers[model.step.sentence], WORDS.index(model.step.target), model.step.eta)
    for week, without in enumerate(("", "head 1", "places"), 1):
        for words, places in numbers.items():
            H = [row[-1] for row in work_by_hand(given, places, without=without)["H"]]
            rows = given["W_U"] if without else step["W_U"]
            logits = [sum(w * x for w, x in zip(row, H, strict=True)) for row in rows]
            logits = logits if without else [to_nearest(Fraction(logit)) for logit in logits]
            favourites = [word for word, logit in zip(WORDS, logits, strict=True) if logit == max(logits)]
            assert f"{' '.join(words)} → {' / '.join(favourites)}" in read_lesson(week), (week, words)
    assert "single changes make it say bones" in read_lesson(2)
    assert "single changes" not in read_lesson(1)


def test_the_plans_that_come_with_the_program() -> None:
    """A whole transformer in ten weeks, three of them, and attention in five weeks of one problem."""
    plans = {name: load_plan(name) for name in list_plan_names()}
    assert {name: len(plan.sheets) for name, plan in plans.items()} == {"attention": 5, "short": 3, "transformer": 10}
    *whole, dealt = [str(sheet.options["part"]) for sheet in plans["transformer"].sheets]
    assert [*whole, *dealt.split(",")] == [*MODEL_PARTS]
    assert all(sheet.options["part"] in whole for sheet in plans["short"].sheets)


def write_plan(text: str, name: str = "plan.toml") -> str:
    """Write a plan, and return its name."""
    Path(name).write_text(text, encoding="utf-8")
    return name


@pytest.mark.parametrize(
    ("plan", "fault"),
    [
        ("title = 'A'\n", "plan.toml has no sheets: write a table [[sheets]] for every week"),
        ("sheets = []\n", "plan.toml has no sheets"),
        ("name = 'A'\n[[sheets]]\n", "plan.toml says 'name', which no plan does"),
        ("title = 3\n[[sheets]]\n", "plan.toml has a title that is no text"),
        ("[[sheets]\n", "plan.toml is no plan: "),
        (
            "[[sheets]]\n[[sheets]]\nmecanism = 'self'\n",
            "plan.toml, sheet 2 says 'mecanism', which is no option of a sheet: did you mean mechanism?",
        ),
        (
            "[[sheets]]\nspare = 3\n",
            "plan.toml, sheet 1 says 'spare', which is no option of a sheet: give it to the command",
        ),
        (
            "[[sheets]]\nxyz = 3\n",
            "plan.toml, sheet 1 says 'xyz', which is no option of a sheet: attnhand generate --help all",
        ),
        ("[[sheets]]\ntokens = 'four'\n", 'plan.toml, sheet 1 says tokens = "four": write a whole number, 4'),
        ("[[sheets]]\nmechanism = 'selfie'\n", 'plan.toml, sheet 1 says mechanism = "selfie": use self, basic'),
        ("[[sheets]]\ncausal = 'yes'\n", 'plan.toml, sheet 1 says causal = "yes": write true or false'),
        ("[[sheets]]\ncarry = 'basic'\n", 'plan.toml, sheet 1 says carry = "basic": write true or false'),
        ("[[sheets]]\nsay = 3\n", "plan.toml, sheet 1 says say = 3: write a text in quotes"),
        ("[[sheets]]\n[[sheets]]\nheads = 2\n", "plan.toml, sheet 2: self attention has one head"),
        (
            "[[sheets]]\nwindow = 2\n",
            "plan.toml, sheet 1: a window belongs to the causal mask: add causal, or leave out window",
        ),
        ("[[sheets]]\nd_k = 99\n", "plan.toml, sheet 1: d_k = 99 is out of range"),
        ("[[sheets]]\nfade = true\nmistake = 'truncated'\n", "plan.toml, sheet 1: "),
        ("[[sheets]]\ncarry = true\n[[sheets]]\ncarry = true\nsink = 1\n", "plan.toml, sheet 2: carry is for sheets"),
        ("[[sheets]]\ncarry = true\nmechanism = 'cross'\n", "plan.toml, sheet 1: "),
        (
            "[[sheets]]\ncarry = true\nd_k = 2\n[[sheets]]\ncarry = true\nd_k = 3\n",
            "plan.toml, sheet 2: d_k = 3, and sheet 1, which is carried too, says 2",
        ),
        (
            "[[sheets]]\npart = 'next-word'\ntemperature = 2\n[[sheets]]\npart = 'learn'\ntemperature = '1/2'\n",
            'plan.toml, sheet 2: temperature = "1/2" is how freely the model chooses its next word, and part = "learn"',
        ),
        ("[[sheets]]\n" * 41, "plan.toml has 41 sheets: a term has 40 weeks at most"),
    ],
)
def test_a_plan_that_is_wrong_is_refused(plan: str, fault: str) -> None:
    """By one sentence that names the plan, the sheet and what to do; nothing is written."""
    line = run_refused("term", "--count", "2", "--plan", write_plan(plan))
    assert line.startswith(fault), line
    assert not TERM.exists()


@pytest.mark.parametrize(
    ("args", "fault"),
    [
        (("--count", "2"), "what the weeks are: give --plan, attention, short or transformer, or a"),
        (("--count", "2", "--plan", "atention"), "there is no plan 'atention': did you mean attention?"),
        (
            ("--count", "2", "--plan", "no.toml"),
            "'no.toml' is not there: use attention, short or transformer, or a TOML",
        ),
        (("--plan", "attention"), "who is in the class: give a roster, or --count 30"),
        (
            ("--count", "2", "--plan", "attention", "--from-week", "6"),
            "--from-week 6 is not in the plan, which has 5 weeks",
        ),
        (
            ("--count", "2", "--plan", "attention", "--from-week", "2"),
            "--from-week 2 goes on from week 1, which is not in",
        ),
    ],
)
def test_what_makes_no_term_is_refused(args: tuple[str, ...], fault: str) -> None:
    """Before anything is written."""
    assert run_refused("term", *args).startswith(fault)
    assert not TERM.exists()


def test_what_would_change_weeks_that_are_there_is_refused() -> None:
    """Another seed, another sheet of a week, fewer weeks; a folder of somebody's own; and a term is no class."""
    plan = "[[sheets]]\nlevel = 'warm-up'\n[[sheets]]\nmechanism = 'basic'\n"
    run_well("term", "--count", "2", "--plan", write_plan(plan), "--jobs", "1", "--seed", "3")
    before = read_files(TERM)
    refusals = {
        ("--seed", "4"): "--seed 4 would change the sheets of the term",
        ("--salt", "tin otter waltz jam"): "--salt would change the sheets of the term",
        ("--plan", write_plan(plan.replace("basic", "self"), "a.toml")): "a.toml, sheet 2: mechanism is another than",
        (
            "--plan",
            write_plan(plan.split("[[sheets]]\nm")[0], "b.toml"),
        ): "attnhand-term has a week 2 and b.toml has not",
        ("--from-week", "2", "--plan", write_plan("[[sheets]]\n" * 2, "c.toml")): "c.toml, sheet 1: level is another",
    }
    for args, fault in refusals.items():
        assert run_refused("term", *args).startswith(fault)
    assert read_files(TERM) == before
    Path("own").mkdir()
    Path("own/thesis.tex").touch()
    assert "own holds other files" in run_refused("term", "--count", "2", "--plan", "plan.toml", "--out", "own")
    Path("answers").mkdir()
    assert "is for one class" in run_refused("grade", str(TERM), "answers", "--against", "7")
    assert "holds no answer file" in run_refused("grade", str(TERM), "answers")
    assert not Path("term.csv").exists()
    # a line more in the plan is a week more
    run_well("term", "--plan", write_plan(f"{plan}[[sheets]]\ncausal = true\n"), "--from-week", "3", "--jobs", "1")
    assert {name: data for name, data in read_files(TERM).items() if name in before and name != "term.toml"} == {
        name: data for name, data in before.items() if name != "term.toml"
    }
    assert (TERM / "week-3/teacher/lesson.pdf").is_file()


def test_a_term_that_fails_half_way_leaves_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither a week nor the folder; and the sentence names the sheet of the plan."""
    plan = write_plan(
        "[[sheets]]\nlevel = 'warm-up'\n[[sheets]]\ncarry = true\nmechanism = 'block'\nheads = 3\nlevel = 'challenge'\n"
    )
    monkeypatch.setattr("attnhand.problems.generator.MAX_CARRIED_DRAWS", 5)
    assert "plan.toml, sheet 2: " in run_refused(
        "term", "--count", "2", "--plan", plan, "--jobs", "1", "--no-salt", "--seed", "3"
    )
    assert not TERM.exists()


def test_the_map_lies_beside_the_weeks() -> None:
    """Where the weeks are parts of a model it is one page of the teacher's example; later weeks leave it as it is."""
    plan = '[[sheets]]\npart = "words"\n[[sheets]]\npart = "next-word"\n'
    Path("parts.toml").write_text(plan, encoding="utf-8")
    made = run_well("term", "--count", "2", "--plan", "parts.toml", "--seed", "7", "--language", "de", "--jobs", "1")
    assert made.lines[:2] == ["attnhand-term/term.toml", "attnhand-term/map.pdf"]
    first = (TERM / "map.pdf").read_bytes()
    (page,) = PdfReader(io.BytesIO(first)).pages
    text = page.extract_text()
    assert "Die Karte" in text
    salt = re.search(r'salt = "(.*)"', (TERM / "week-1/teacher/class.toml").read_text(encoding="utf-8"))
    assert salt
    example = draw_model(7, Level.STANDARD, salt=str(parse_options({"salt": salt[1]})[0].get_salt()))
    assert f"{' '.join(example.step.sentence)} → {SENTENCES[example.step.sentence]}" in text
    run_well("term", "--from-week", "2", "--jobs", "1")
    assert (TERM / "map.pdf").read_bytes() == first

    (TERM / "map.pdf").write_bytes(b"my own map")
    assert "map.pdf" in run_refused("term", "--from-week", "2", "--jobs", "1")
    assert (TERM / "map.pdf").read_bytes() == b"my own map"


def test_other_terms_have_no_map() -> None:
    """A plan of one's own of ordinary sheets is about no language model."""
    Path("plain.toml").write_text('[[sheets]]\nmechanism = "basic"\n', encoding="utf-8")
    run_well("term", "--count", "1", "--plan", "plain.toml", "--seed", "7", "--jobs", "1")
    assert not (TERM / "map.pdf").exists()
