"""Stories: that the numbers answer the question, every answer as often, and what is refused of a file of one's own."""

import json
import re
from collections import Counter
from dataclasses import replace
from itertools import product
from math import isclose
from pathlib import Path

import pytest

import attnhand
from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import transpose
from attnhand.attention.mechanisms import GivenMatrix, Stage
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, GenerationError, ProblemError
from attnhand.formats.json_sheet import render_json
from attnhand.formats.sources import make_sheet_from_data
from attnhand.problems.problem_file import format_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.reading import build_problem
from attnhand.problems.request import make_story_request
from attnhand.problems.sheet_code import compute_story_digest
from attnhand.problems.story_draw import check_story, draw_story, draw_story_problem, pick_variant
from attnhand.problems.story_template import (
    STORY_DIR,
    STORY_NAMES,
    StoryTemplate,
    load_story,
    read_bundled_story,
    read_story,
)
from attnhand.sheet.build_grids import build_vector_labels
from attnhand.sheet.grids import Label
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.story import build_story_answers, format_story_sentences
from tests.breadth import choose
from tests.good_attention import find_faults
from tests.problems.story_answers import ask_everyone, draw_story_problems, find_answer, find_rare_answers

SEEDS = choose(3, 8)
"""So many sheets of every story; `python -m tests.problems.story_answers` draws 400."""


def draw_problems(name: str) -> tuple[Problem, ...]:
    """Return the problems of the first seeds of a story."""
    return draw_story_problems(name, SEEDS)


@pytest.mark.parametrize("name", STORY_NAMES)
def test_every_answer_comes_up_as_often(name: str) -> None:
    """Over 400 seeds each answer is picked at half its fair share or more; what is picked is what the numbers say."""
    story = read_bundled_story(name)
    picked = [pick_variant(story, RandomStream(str(seed), "story")) for seed in range(400)]
    assert len(story.answers) >= 2
    assert find_rare_answers(name, Counter(answer for _, answer in picked)) == []
    for (variant, answer), problem in zip(picked, draw_problems(name), strict=False):
        assert (variant.asks, answer) == (
            problem.words[problem.story.query] if problem.story else "",
            find_answer(problem),
        )


def test_a_rare_answer_is_found() -> None:
    """An answer with less than half its share is named, one with half is not."""
    assert find_rare_answers("dog", Counter(dog=25, man=75)) == []
    assert find_rare_answers("dog", Counter(dog=24, man=76)) == ["dog"]
    assert find_rare_answers("dog", Counter(man=8)) == ["dog"]


@pytest.mark.parametrize("name", STORY_NAMES)
def test_the_numbers_answer_the_question(name: str) -> None:
    """By hand and exactly the asked query has one favourite, the same; it is among the possible answers."""
    for problem in draw_problems(name):
        story = problem.story
        assert story is not None
        solution = solve(problem)
        attention = problem.mechanism.attentions[max(story.head - 1, 0)]
        solved = solution[attention.weights]
        hand = [row[story.query] for row in solved.hand]
        exact = [row[story.query] for row in solved.exact]
        words = story.memory_words or problem.words
        found = hand.index(max(hand))
        assert words[found] == find_answer(problem)
        assert found in story.answers
        assert exact.index(max(exact)) == found
        assert sum(isclose(value, max(exact)) for value in exact) == 1


@pytest.mark.parametrize("name", STORY_NAMES)
def test_everyone_looks_most_at_who_holds_most_of_what_they_want(name: str) -> None:
    """In every head; and the sheet names each query for which nobody holds anything, and no other."""
    for seed, problem in enumerate(draw_problems(name)):
        asked = [*ask_everyone(problem)]
        assert [each for each in asked if each.is_let_down] == [], seed
        sheet = make_sheet_from_request(make_story_request(read_bundled_story(name), seed))
        assert sheet.problem.story is not None
        _, _, *unmet, _ = format_story_sentences(sheet, sheet.problem.story)
        named = {
            (head, int(query) - 1)
            for text in unmet
            for head in ({int(at) - 1 for at in re.findall(r"head (\d)", text)} or {each.head for each in asked})
            for query in re.findall(r"\(q_\{(\d)\}\)", text)
        }
        assert named == {(each.head, each.query) for each in asked if not each.holders}


def test_of_which_head_nothing_fits_is_said() -> None:
    """Where the other finds something: here a head that looks for nothing at all, which is said of it."""
    problem = draw_problems("dog")[0]
    assert problem.story is not None
    story = replace(problem.story, wants=(problem.story.wants[0], ()))
    sheet = make_sheet_from_problem(replace(problem, story=story))
    _, _, *unmet, _ = format_story_sentences(sheet, story)
    (said,) = (text for text in unmet if "(head 2)" in text)
    assert "look for nothing of this (head 2)" in said
    assert all(f"(q_{{{query}}})" in said for query in range(1, len(problem.words) + 1))
    assert all("(head 1)" in text for text in unmet if text != said)


def test_a_query_that_is_let_down_is_found() -> None:
    """With keys and queries exchanged in their weights, people look at who wants what they have."""
    problem = draw_problems("swap")[0]
    given = dict(problem.given)
    other = replace(problem, given=tuple((n, given[{"W_Q": "W_K", "W_K": "W_Q"}.get(n, n)]) for n in given))
    assert any(each.is_let_down for each in ask_everyone(other))


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("name", STORY_NAMES)
def test_numbers_of_queries_keys_values_and_outputs_have_names(name: str, convention: Convention) -> None:
    """Those of Q are called as those of K, for the same places are multiplied; those of Z as those of V."""
    sheet = make_sheet_from_request(make_story_request(read_bundled_story(name), 1, convention=convention))
    mechanism = sheet.problem.mechanism

    def list_names(stage_name: str) -> list[str]:
        rows, columns = build_vector_labels(sheet, mechanism.get_stage(stage_name))
        return [label.word for label in (columns if convention.is_rows else rows)]

    for attention in mechanism.attentions:
        head = attention.outputs[:-1]
        names = {letter: list_names(f"{head}{letter}") for letter in "QKVZ"}
        assert all(all(each) for each in names.values())
        assert names["Q"] == names["K"]
        assert names["Z"] == names["V"]
        assert find_misnamed(sheet.problem, f"{head}W_K", names["K"]) == []
        story = sheet.problem.story
        assert story is not None
        if story.value_names:
            assert names["V"] == [*story.value_names]
        else:
            assert find_misnamed(sheet.problem, f"{head}W_V", names["V"]) == []
        assert find_misnamed(sheet.problem, f"{head}W_K", names["K"][::-1])


def find_misnamed(problem: Problem, weights: str, names: list[str]) -> list[str]:
    """Return which names say of a number what its weights do not count: of each feature in it they count something."""
    assert problem.story is not None
    rows = transpose(problem[weights]) if problem.convention.is_rows else problem[weights]
    features = problem.story.feature_names
    return [
        name
        for row, name in zip(rows, names, strict=True)
        if not all(row[features.index(feature)] > 0 for feature in name.split("/"))
    ]


@pytest.mark.parametrize("name", STORY_NAMES)
def test_the_answer_is_what_its_variant_says(name: str) -> None:
    """Hungry looks at the elephant: of the variants that say the same, one has the found word among its answers."""
    story = read_bundled_story(name)
    for problem in draw_problems(name):
        words = problem.words
        alike = [
            v for v in story.variants if story.tell(v, "en") == problem.story and story.list_words(v, "en") == words
        ]
        assert find_answer(problem) in {answer for variant in alike for answer in variant.answers}


@pytest.mark.parametrize("name", STORY_NAMES)
def test_who_knows_what_may_be_the_answer_does_not_know_it(name: str) -> None:
    """Every sheet leaves at least two tokens that may be the answer, and its words tell none of them."""
    for problem in draw_problems(name):
        assert problem.story is not None
        assert len(problem.story.answers) >= 2


@pytest.mark.parametrize("name", STORY_NAMES)
def test_a_story_is_small_enough_to_be_worked(name: str) -> None:
    """4 to 6 tokens (of a memory where there is one), at most six features, each with a name of its own."""
    for problem in draw_problems(name):
        sizes, story = problem.sizes, problem.story
        assert story is not None
        assert 4 <= sizes.get("memory", sizes["tokens"]) <= 6
        assert sizes["features"] <= 6
        assert len(set(story.feature_names)) == sizes["features"]


@pytest.mark.parametrize("name", STORY_NAMES)
def test_attention_does_something_on_every_sheet(name: str) -> None:
    """Nothing is dull about the first sheets of each, as code apart from the product sees it; vetting says the same."""
    story = read_bundled_story(name)
    for seed, problem in enumerate(draw_problems(name)):
        if not story.places:  # that code works sines alone
            assert find_faults(json.loads(format_problem(problem)), story.level.value) == [], seed
    assert attnhand.vet(attnhand.generate(seed=1, story=name)).is_good


@pytest.mark.parametrize("name", STORY_NAMES)
def test_seeds_give_other_numbers(name: str) -> None:
    """No two sheets are alike."""
    assert len({problem.given for problem in draw_problems(name)}) == SEEDS


@pytest.mark.parametrize("name", STORY_NAMES)
def test_rows_are_columns_transposed(name: str) -> None:
    """The same seed in the other convention is the same problem, story and all."""
    story = read_bundled_story(name)
    rows = draw_story_problem(make_story_request(story, 1, convention=Convention.ROWS))
    assert rows == draw_problems(name)[1].transpose()


def test_a_salt_gives_other_numbers() -> None:
    """The same seed, salted, is another sheet."""
    request = make_story_request(read_bundled_story("soup"), 7)
    assert draw_story_problem(request, salt="secret") != draw_story_problem(request)
    assert draw_story_problem(request, salt="secret") == draw_story_problem(request, salt="secret")


@pytest.mark.parametrize("rules", [Rules(scale=ScaleRule.SQRT, base=Base.E), Rules(base=Base.TWO), Rules(scale=4)])
def test_other_rules_leave_the_question_answered(rules: Rules) -> None:
    """Under every rule the asked query has one favourite by hand, the same as exactly."""
    for name in ("soup", "jury"):
        problem = draw_story_problem(make_story_request(read_bundled_story(name), 1, rules=rules))
        story = problem.story
        assert story is not None
        solved = solve(problem)[problem.mechanism.attentions[0].weights]
        hand, exact = ([row[story.query] for row in rows] for rows in (solved.hand, solved.exact))
        assert hand.count(max(hand)) == 1
        assert hand.index(max(hand)) == exact.index(max(exact))


def test_every_file_is_listed_and_every_code_knows_its_story() -> None:
    """The folder holds the listed stories and no other; their digests in codes differ."""
    assert [path.stem for path in sorted(STORY_DIR.glob("*.toml"))] == sorted(STORY_NAMES)
    assert len(STORY_NAMES) >= 12
    assert len({compute_story_digest(read_bundled_story(name)) for name in STORY_NAMES}) == len(STORY_NAMES)


def test_there_is_a_story_of_every_kind() -> None:
    """Self, causal, cross, two heads, and places that are added."""
    kinds = Counter(
        (story.mechanism, story.is_causal, bool(story.places)) for story in map(read_bundled_story, STORY_NAMES)
    )
    assert all(kinds[kind] >= 2 for kind in (("self", False, False), ("self", True, False), ("cross", False, False)))
    assert kinds["multi-head", False, False] >= 2
    assert kinds["self", False, True] >= 1


def test_a_seed_draws_every_story() -> None:
    """Over 600 seeds each story has at least half its fair share."""
    stories = tuple(map(read_bundled_story, STORY_NAMES))
    counts = Counter(draw_story(seed, stories).name for seed in range(600))
    assert min(counts[name] for name in STORY_NAMES) >= 600 / len(STORY_NAMES) / 2


# a file of one's own


OWN = """
mechanism = "self"
level = "warm-up"
not_asked = ["features-used", "vectors-differ", "slips-show"]
features = ["big", "red", "wants_big", "wants_red"]

[tokens]
whale = { big = [1, 2], wants_red = [0, 1] }
rose = { red = [1, 2], wants_big = [0, 1] }
eye = { wants_big = [0, 1, 2], wants_red = [0, 1, 2], big = [0, 1], red = [0, 1] }

[weights]
W_Q = [{ wants_big = [1, 2], big = [0, 1] }, { wants_red = [1, 2], red = [0, 1] }]
W_K = [{ big = [1, 2], wants_big = [0, 1] }, { red = [1, 2], wants_red = [0, 1] }]
W_V = [{ big = 1, wants_red = [0, 1], wants_big = [0, 1] }, { red = 1, wants_big = [0, 1], wants_red = [0, 1] }]

[variants.one]
tokens = ["whale", "rose", "eye"]
asks = "eye"
answers = ["whale", "rose"]

[text.en]
sentence = "An eye looks for something."
question = "What does the {asks} look at most?"
"""


def read_own(text: str = OWN, *, name: str = "my") -> StoryTemplate:
    """Return the story of a text."""
    return read_story(text.encode(), name, is_bundled=False)


def test_a_story_of_ones_own_is_drawn() -> None:
    """Its answers come up, its placeholders are filled in, and every variant is tried."""
    request = make_story_request(read_own(), 1)
    check_story(request)
    problem = draw_story_problem(request)
    assert problem.words == ("whale", "rose", "eye")
    assert problem.story is not None
    assert (problem.story.name, problem.story.question) == ("my", "What does the eye look at most?")
    found = {find_answer(draw_story_problem(make_story_request(read_own(), seed))) for seed in range(6)}
    assert found == {"whale", "rose"}


def test_words_in_another_language_leave_the_numbers_alone() -> None:
    """A translation changes what is read, neither a number nor the code."""
    german = OWN + (
        '\n[text.de]\nfeatures = { big = "groß", red = "rot" }\nwords = { eye = "Auge", whale = "Wal" }\n'
        'sentence = "Ein Auge sucht etwas."\nquestion = "Wohin schaut das {asks}?"\n'
    )
    story = read_own(german)
    assert story.digest == read_own().digest
    english, translated = (draw_story_problem(make_story_request(story, 1), language=code) for code in ("en", "de"))
    assert english.given == translated.given
    assert translated.words == ("Wal", "rose", "Auge")
    assert translated.story is not None
    assert translated.story.feature_names == ("groß", "rot", "wants_big", "wants_red")
    assert translated.story.question == "Wohin schaut das Auge?"
    assert draw_story_problem(make_story_request(story, 1), language="fr") == english


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        ('mechanism = "self"', 'mechanism = "block"', "has 'block' as mechanism: use self, cross, multi-head"),
        ('mechanism = "self"', "", "has no mechanism: add it"),
        ('level = "warm-up"', 'level = "hard"', "has 'hard' as level: use first, warm-up, standard, challenge"),
        ('level = "warm-up"', 'leve = "warm-up"', "has 'leve', which no story has: leave it out"),
        (
            "big = [1, 2], wants_red",
            "bgi = 1, wants_red",
            "has 'bgi' in tokens.whale, which is no feature: use big, red",
        ),
        ("rose = { red = [1, 2]", "rose = { red = 0.5", "in tokens.rose: write a whole number from −9 to 9"),
        ("rose = { red = [1, 2]", "rose = { red = []", "has an empty list in tokens.rose: write the numbers"),
        ("rose = { red = [1, 2], wants_big = [0, 1] }", "rose = 3", "has 3 as tokens.rose: write { big = 1 }"),
        (
            "{ wants_red = [1, 2], red = [0, 1] }]",
            "]",
            "has W_Q and W_K of different sizes in weights: give both as many",
        ),
        ('asks = "eye"', 'asks = "ear"', "asks 'ear' in variants.one, which is not once among its tokens"),
        ('["whale", "rose"]', '["whale", "sea"]', "has 'sea' as an answer in variants.one, which cannot be looked at"),
        ('"rose", "eye"]', '"tulip", "eye"]', "has 'tulip' in variants.one, which has no numbers: add it to tokens"),
        ('"rose", "eye"]', '"whale", "eye"]', "says 'whale' twice in variants.one: add places, or say it once"),
        ('asks = "eye"', 'asks = "eye"\nhead = 2', "has 2 as variants.one.head: leave it out, there is one"),
        ("{asks} look", "{ask} look", "has braces in text.en.question that name nothing: write {asks}"),
        ("{asks} look", "{asks.real} look", "has braces in text.en.question that name nothing: write {asks}"),
        ("{asks} look", "{asks:9} look", "has braces in text.en.question that name nothing: write {asks}"),
        ("{asks} look", "{ look", "has braces in text.en.question that name nothing: write {asks}"),
        ('sentence = "An eye looks for something."', "", "has no text.en.sentence for the variant one: write one"),
        ("[text.en]", '[text.en]\nvalues = ["big"]', "has 1 names as text.en.values: give 2 to 2"),
        ("[text.en]", "[text.en]\nwords = { ear = 1 }", "has text.en.words.ear, which is no token: use whale"),
        ('features = ["big"', 'features = ["red"', "says 'red' twice in features: say it once"),
        (OWN, "mechanism = ", "is not valid TOML"),
        (OWN, "", "is empty"),
    ],
)
def test_a_malformed_story_is_refused(old: str, new: str, sentence: str) -> None:
    """One sentence names the place and what to write there."""
    assert old in OWN
    with pytest.raises(ProblemError) as refused:
        read_own(OWN.replace(old, new, 1))
    assert sentence in str(refused.value)
    assert "\n" not in str(refused.value)


def test_a_story_that_makes_no_good_sheet_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    """The refusal names the variant and its answer, and what hardly a draw meets."""
    monkeypatch.setattr("attnhand.problems.story_draw.MAX_STORY_DRAWS", 500)
    never = OWN.replace("big = [1, 2], wants_big = [0, 1] }", "big = -1, wants_big = [0, 1] }", 1)
    with pytest.raises(GenerationError) as refused:
        check_story(make_story_request(read_own(never), 1))
    assert str(refused.value) == (
        "the story my finds no good numbers for its variant one with the answer whale in 500 draws: "
        "hardly one lets eye look at whale most; let its file list more numbers to choose from, or other ones"
    )


def test_a_story_is_loaded_by_its_name_or_its_file(tmp_path: Path) -> None:
    """A name comes first; a file says its own name; what is neither is refused with the nearest name."""
    assert load_story("soup") is read_bundled_story("soup")
    file = tmp_path / "whales.toml"
    file.write_text(OWN, encoding="utf-8")
    assert load_story(str(file)).name == "whales"
    for name, sentence in (
        ("sup", "the story 'sup' is not there: did you mean soup?"),
        ("x", f"the story 'x' is not there: use {', '.join(STORY_NAMES)}, or a TOML file of your own"),
    ):
        with pytest.raises(AttnhandError) as refused:
            load_story(name)
        assert str(refused.value) == sentence
    file.write_text("x", encoding="utf-8")
    with pytest.raises(ProblemError) as refused:
        load_story(str(file))
    assert str(refused.value).startswith("the story whales.toml is not valid TOML")


def test_what_z_has_most_of_is_true_of_its_numbers() -> None:
    """Where a story names what values stand for, the key says the largest of the outputs."""
    named = [name for name in STORY_NAMES if draw_problems(name)[0].story.value_names]  # type: ignore[union-attr]
    assert len(named) >= 4
    for name, seed in product(named, range(choose(1, 4))):
        sheet = make_sheet_from_request(make_story_request(read_bundled_story(name), seed))
        story = sheet.problem.story
        assert story is not None
        outputs = [row[story.query] for row in sheet.solution["Z"].hand]
        like = [each for each, value in zip(story.value_names, outputs, strict=True) if value == max(outputs)]
        assert f" has most of {' and '.join(like)} (" in build_story_answers(sheet, story)[1]


@pytest.mark.parametrize("name", STORY_NAMES)
def test_a_story_may_ask_nothing_but_its_query(name: str) -> None:
    """Fewer cells, the same numbers; the code says which query."""
    for seed in (3, 4):
        whole, light = attnhand.generate(seed, story=name), attnhand.generate(seed, story=name, query_count=1)
        assert light.problem == whole.problem
        assert whole.problem.story is not None
        assert light.asked_queries == (whole.problem.story.query,)
        assert light.answer_cell_count < whole.answer_cell_count
        assert attnhand.key(light.code).asked_queries == light.asked_queries


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"query_count": 2}, "`query_count=2` is not for a story, which asks about one query: use `query_count=1`"),
        ({"query_count": 1, "only_queries": [1, 4]}, "asks the query of the story and `only_queries=` others"),
    ],
)
def test_other_queries_than_the_storys_are_refused(options: dict[str, object], sentence: str) -> None:
    """With what to say instead."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(7, story="elephant", **options)  # type: ignore[arg-type]
    assert sentence in str(refusal.value)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("name", STORY_NAMES)
def test_a_file_tells_the_whole_story(name: str, convention: Convention) -> None:
    """Solved again from its JSON, with its code and without, a sheet names the same rows and says what is not there."""
    request = replace(make_story_request(read_bundled_story(name), 3), convention=convention)
    sheet = make_sheet_from_request(request, PageOptions(questions=QuestionAmount.NONE))
    data = json.loads(render_json(sheet))
    bare = {key: value for key, value in data.items() if key not in ("code", "seed", "level")}
    for each in (data, bare, json.loads(format_problem(sheet.problem))):
        again = make_sheet_from_data(each, "again.json", "again", SheetOrder(), sheet.options).sheet
        assert again.problem == sheet.problem
        assert list_texts(again) == list_texts(sheet)
    assert any(label.word for label in list_row_labels(sheet))


def list_row_labels(sheet: Sheet) -> list[Label]:
    """Return the labels of all rows and columns."""
    matrices: list[GivenMatrix | Stage] = [*sheet.problem.mechanism.given, *sheet.problem.mechanism.stages]
    return [label for each in matrices for labels in build_vector_labels(sheet, each) for label in labels]


def list_texts(sheet: Sheet) -> tuple[str, ...]:
    """Return what a sheet says of its story, and what is beside its numbers."""
    assert sheet.problem.story
    return (
        *format_story_sentences(sheet, sheet.problem.story),
        *build_story_answers(sheet, sheet.problem.story),
        *map(str, list_row_labels(sheet)),
    )


def test_a_file_from_before_rows_had_names_is_read() -> None:
    """It names none, and says of nobody that there is nothing that fits."""
    problem = draw_problems("soup")[0]
    data = json.loads(format_problem(problem))
    assert {"rows", "wants"} <= data["story"].keys()
    del data["story"]["rows"], data["story"]["wants"]
    story = build_problem(data).story
    assert problem.story is not None
    assert story == replace(problem.story, row_names=(), wants=())


@pytest.mark.parametrize(
    ("key", "value", "refusal"),
    [
        ("rows", ["sour"], 'write {"W_Q": [names of its rows], …}'),
        ("rows", {"W_K": ["sour"]}, "the story names 1 rows of W_K, which has"),
        ("rows", {"W_K": "sour"}, "write a list"),
        ("wants", {}, "write a list"),
        ("wants", [{}], "write a list for each head"),
        ("wants", [["sour"]], 'write {"asks": […], "holds": […]}'),
        ("wants", [[{"asks": [2], "holds": [1]}]], "write 1, 0 or -1 for each feature"),
        ("wants", [[{"asks": [1], "holds": [1]}]], "write a sign for each"),
        ("wants", [[], []], "the story says what 2 heads want, but there are 1: say it of each"),
    ],
)
def test_rows_and_wants_that_fit_nothing_are_refused(key: str, value: object, refusal: str) -> None:
    """In one sentence that says what to write."""
    data = json.loads(format_problem(draw_problems("soup")[0]))
    data["story"][key] = value
    with pytest.raises(ProblemError) as refused:
        build_problem(data)
    assert refusal in str(refused.value)


@pytest.mark.parametrize(
    ("end", "refusal"),
    [
        ("A", "the story names 3 values, but there are 0: name each of them once"),
        ("S", "the story asks where a token looks, and no weights are worked: leave out the story"),
    ],
)
def test_a_story_needs_the_stages_that_it_speaks_of(end: str, refusal: str) -> None:
    """Outputs have what values are called, and only weights say where a token looks."""
    data = json.loads(format_problem(draw_problems("elephant")[0]))
    del data["given"]["W_V"]
    with pytest.raises(ProblemError) as refused:
        build_problem({**data, "ends_with": end})
    assert str(refused.value) == refusal
    followed = {**data["story"], "values": []} if end == "A" else None
    assert build_problem({**data, "story": followed, "ends_with": end}).mechanism.stages[-1].name == end
