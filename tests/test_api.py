"""The Python API: the same sheets as the command line's, from Python's own values, refused in sentences."""

import dataclasses
import json
from fractions import Fraction
from html import unescape
from typing import Any

import numpy as np
import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.errors import GenerationError, PageError, ProblemError
from attnhand.formats.json_sheet import render_json
from attnhand.problems.levels import Level
from attnhand.problems.request import MAX_SEED, Request
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions, Paper
from attnhand.sheet.sheet import Sheet
from attnhand.system.resources import get_sample_dir
from tests.building import CLASSIC, make_problem
from tests.oracle import solve_by_hand_in_columns

EYE = [[1, 0], [0, 1]]

SMALL: dict[str, Any] = {"X": [[1, 2], [0, 1]], "W_Q": [[1, 0]], "W_K": [[0, 1]], "W_V": [[2, 1]]}
"""Two tokens, two features, d_k = d_v = 1."""


# generate


def test_a_seed_gives_the_sheet_of_its_request() -> None:
    """The solved sheet, with hand values as exact fractions and exact values as floats."""
    sheet = attnhand.generate(seed=7)
    assert is_same(sheet, make_sheet_from_request(Request(seed=7)))
    assert sheet == attnhand.generate(7)
    assert sheet.is_solved
    assert sheet.code == "A1Q0-0000-000W"
    assert isinstance(sheet.solution["A"].hand[0][0], Fraction)
    assert isinstance(sheet.solution["A"].exact[0][0], float)


def is_same(worksheet: attnhand.Worksheet, sheet: Sheet) -> bool:
    """Say whether a worksheet is that sheet, field by field."""
    return all(getattr(worksheet, field.name) == getattr(sheet, field.name) for field in dataclasses.fields(sheet))


def test_what_the_package_offers() -> None:
    """The names of ``__all__`` are there, and documented."""
    assert set(attnhand.__all__) == {"AttnhandError", "PageOptions", "Worksheet", "check", "generate", "solve", "vet"}
    assert all(getattr(attnhand, name).__doc__ for name in attnhand.__all__)
    assert isinstance(attnhand.generate(seed=7), attnhand.Worksheet)


def test_every_argument_reaches_the_request() -> None:
    """Sizes, level, convention, rules and ties shape the numbers; salt too."""
    rules = Rules(scale=4, base=Base.TWO, decimals=3)
    sheet = attnhand.generate(
        7,
        level="warm-up",
        convention="rows",
        tokens=4,
        features=5,
        d_k=3,
        d_v=1,
        rules=rules,
        allow_ties=True,
        salt="s",
    )
    request = Request(
        seed=7,
        level=Level.WARM_UP,
        convention=Convention.ROWS,
        size_overrides=(("tokens", 4), ("features", 5), ("d_k", 3), ("d_v", 1)),
        rules=rules,
        allow_ties=True,
    )
    assert is_same(sheet, make_sheet_from_request(request, salt="s"))
    assert sheet.is_salted
    stated = {"scale": 4, "base": "2", "decimals": 3}
    assert attnhand.generate(7, rules=stated) == attnhand.generate(7, rules=rules)


def test_labels_and_page_options_reach_the_sheet() -> None:
    """Words, title and how the page looks change no number."""
    options = PageOptions(only_queries=(1, 3), paper=Paper.LETTER, show_exact=True)
    sheet = attnhand.generate(7, words=("the", "cat", "saw", "it"), title="Week 3", options=options)
    plain = attnhand.generate(7)
    assert (sheet.problem.words, sheet.problem.title) == (("the", "cat", "saw", "it"), "Week 3")
    assert sheet.options == options
    assert sheet.problem.given == plain.problem.given
    assert sheet.code == plain.code


@pytest.mark.parametrize("words", [["the", "cat", "saw"], ("the", "cat", "saw"), "the cat saw", " the  cat\tsaw "])
def test_words_count_the_tokens(words: Any) -> None:
    """A list, or a text as on the command line."""
    sheet = attnhand.generate(7, words=words)
    assert sheet.problem.words == ("the", "cat", "saw")
    assert sheet == attnhand.generate(7, words=words, tokens=3)


def test_without_a_seed_one_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its sheet says which."""
    monkeypatch.setattr("attnhand.api.draw_seed", lambda: 123_456)
    assert attnhand.generate() == attnhand.generate(123_456)


def test_seed_0_is_a_seed() -> None:
    """Zero is not taken for "none given"."""
    sheet = attnhand.generate(0)
    assert sheet.request == Request(seed=0)
    assert attnhand.generate(seed=0) == sheet


@pytest.mark.parametrize("seed", [np.int64(7), np.uint8(7)])
def test_numbers_of_numpy_are_numbers(seed: Any) -> None:
    """Whole numbers of numpy serve as seeds and sizes."""
    assert attnhand.generate(seed, tokens=np.int32(4)) == attnhand.generate(7)  # type: ignore[arg-type]
    assert json.loads(render_json(attnhand.generate(seed)))["seed"] == 7


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"seed": -1}, f"the seed -1 is out of range: use a whole number from 0 to {MAX_SEED}"),
        ({"seed": 2**32}, f"the seed {2**32} is out of range"),
        ({"seed": "7"}, "seed is '7', not a whole number: give one"),
        ({"seed": 7.0}, "seed is 7.0, not a whole number: give one"),
        ({"tokens": 0}, "tokens=0 is out of range: use 2 to 12"),
        ({"tokens": 13}, "tokens=13 is out of range: use 2 to 12"),
        ({"tokens": "4"}, "tokens is '4', not a whole number: give one"),
        ({"features": 2.5}, "features is 2.5, not a whole number: give one"),
        ({"d_k": 0}, "d_k=0 is out of range: use 1 to 8"),
        ({"d_v": 9}, "d_v=9 is out of range: use 1 to 8"),
        ({"level": "hard"}, "the level 'hard' is unknown: use warm-up, standard or challenge"),
        ({"convention": "diagonal"}, "the convention 'diagonal' is unknown: use columns or rows"),
        ({"words": "the cat the dog"}, "the word 'the' is there twice"),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], said: str) -> None:
    """By an error of the package, never by one of Python's."""
    with pytest.raises(GenerationError) as error:
        attnhand.generate(**{"seed": 7} | arguments)
    assert said in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "error", "said"),
    [
        ({"words": ["a", "b"], "tokens": 3}, ProblemError, "there are 2 words for 3 tokens"),
        ({"title": "x" * 500}, PageError, "has 500 characters"),
        ({"words": ["🐈", "a", "b"]}, PageError, "which the bundled font cannot print"),
        ({"words": [1, 2, 3]}, ProblemError, "word 1 is 1, not a text: put it in quotes"),
        ({"words": 3}, ProblemError, "the words are 3, not a list"),
        ({"title": 3}, ProblemError, "the title is 3, not a text"),
        ({"salt": 3}, ProblemError, "the salt is 3, not a text"),
        ({"salt": "\ud800"}, ProblemError, "the salt is .* holds half a character"),
        ({"rules": "hand"}, ProblemError, "the rules are 'hand': write them as"),
        ({"rules": {"base": 5}}, ProblemError, "the base 5 is unknown: use 2, 3, 10, e"),
        ({"options": PageOptions(only_queries=(5,))}, PageError, "there is no query 5"),
        ({"options": PageOptions(language="xx")}, PageError, "the language 'xx' is unknown"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, Any], error: type[Exception], said: str) -> None:
    """Every refusal is an ``AttnhandError``."""
    assert issubclass(error, attnhand.AttnhandError)
    with pytest.raises(error, match=said):
        attnhand.generate(7, **arguments)


@pytest.mark.parametrize("rules", [{"scale": 1}, {"scale": 1001}, {"decimals": 0}, {"decimals": 7}], ids=str)
def test_rules_out_of_range_are_refused(rules: dict[str, Any]) -> None:
    """Where they are made."""
    with pytest.raises(attnhand.AttnhandError):
        Rules(**rules)


# solve


def test_matrices_by_keyword_by_name_or_as_a_file() -> None:
    """Three ways to hand over the same problem."""
    expected = make_sheet_from_problem(make_problem(SMALL))
    assert is_same(attnhand.solve(**SMALL), expected)
    assert is_same(attnhand.solve(SMALL), expected)
    assert is_same(attnhand.solve({"given": SMALL}), expected)


def test_the_classic_comes_out_as_an_independent_computation_has_it() -> None:
    """Every hand value of the classic sheet equals the oracle's."""
    sheet = attnhand.solve(**CLASSIC)  # type: ignore[arg-type]  # matrices, not options
    assert {
        solved.stage.name: [list(row) for row in solved.hand] for solved in sheet.solution
    } == solve_by_hand_in_columns(CLASSIC)


@pytest.mark.parametrize("kind", [np.int64, np.float64, np.float32, np.int8])
def test_arrays_of_numpy(kind: Any) -> None:
    """Whatever their type, they are the numbers that they print as."""
    arrays = {name: np.array(a, dtype=kind) for name, a in SMALL.items()}
    assert attnhand.solve(arrays).solution == attnhand.solve(**SMALL).solution
    assert attnhand.solve({"given": arrays}).problem.given == attnhand.solve(**SMALL).problem.given


def test_floats_are_their_shortest_decimals() -> None:
    """0.1 is a tenth, as float64 and as float32."""
    tenth = Fraction(1, 10)
    for X in ([[0.1, 0], [0, 1]], np.array([[0.1, 0], [0, 1]], dtype=np.float32), [["0.1", 0], ["0", 1]]):
        assert attnhand.solve({**SMALL, "X": X}).problem["X"][0][0] == tenth


def test_settings_stand_beside_the_matrices() -> None:
    """Convention, rules, words and title, by keyword or in the mapping; keywords go first."""
    transposed = {name: [list(row) for row in zip(*a, strict=True)] for name, a in SMALL.items()}
    sheet = attnhand.solve(transposed, convention="rows", rules=EXACT, words=["I", "you"], title="Ours")
    assert sheet.problem.convention is Convention.ROWS
    assert (sheet.problem.rules, sheet.problem.words, sheet.problem.title) == (EXACT, ("I", "you"), "Ours")
    named = {"scale": "sqrt", "base": "e"}
    assert attnhand.solve({**transposed, "convention": "rows", "rules": named, "title": "Theirs"}, title="Ours") == (
        attnhand.solve(transposed, convention="rows", rules=Rules(scale=ScaleRule.SQRT, base=Base.E), title="Ours")
    )


def test_page_options_reach_the_sheet() -> None:
    """They are no matrices."""
    options = PageOptions(only_queries=(2,))
    assert attnhand.solve(SMALL, options=options).asked_queries == (1,)


def test_a_problem_file_read_by_json_serves() -> None:
    """What ``json.load`` gives is what ``solve`` takes."""
    data = json.loads((get_sample_dir() / "three-words.json").read_text(encoding="utf-8"))
    sheet = attnhand.solve(data)
    assert (sheet.problem.title, sheet.problem.words) == ("Three words", ("This", "is", "book"))


def test_a_sheet_as_a_dictionary_serves_again() -> None:
    """``to_dict`` and ``solve`` are a round trip; the code of a drawn sheet becomes a fingerprint."""
    drawn = attnhand.generate(7)
    again = attnhand.solve(drawn.to_dict())
    assert again.solution == drawn.solution
    assert again.code.startswith("M")
    assert attnhand.solve(again.to_dict()) == again


@pytest.mark.parametrize(
    ("problem", "said"),
    [
        ("my.json", "the problem is of type str: give a mapping of matrices by name"),
        ([EYE, EYE], "the problem is of type list: give a mapping of matrices by name"),
        (None, "X is missing: add X"),
        ({}, "X is missing: add X"),
        ({"X": EYE}, "W_Q is missing: add W_Q"),
        ({**SMALL, "W_O": EYE}, "'W_O' is not a matrix of this mechanism (self)"),
        ({**SMALL, "W_Q": [[1, 0, 0]]}, "W_Q is 1 × 3 but its columns must be 2 (features)"),
        ({**SMALL, "X": [[1, float("nan")], [0, 1]]}, "X, row 1, column 2 is NaN, not a finite number"),
        ({**SMALL, "X": np.array([[1, np.inf], [0, 1]])}, "X, row 1, column 2 is Infinity, not a finite number"),
        ({**SMALL, "X": [[1, 2j], [0, 1]]}, "X, row 1, column 2 is of type complex, not a number"),
        ({**SMALL, "X": np.eye(2, dtype=bool)}, "X, row 1, column 1 is true, not a number"),
        ({**SMALL, "X": np.zeros((2, 2, 2))}, "X, row 1, column 1 is a list, not a number"),
        ({**SMALL, "X": np.zeros(2)}, "not a row of numbers"),
        ({**SMALL, "X": 3}, "X is 3, not a matrix"),
        ({**SMALL, "convention": "row"}, "the convention 'row' is unknown: use columns or rows"),
        ({**SMALL, "words": "I you"}, "the words are 'I you', not a list"),
        ({"given": SMALL, "X": EYE}, 'X stands beside "given": move it into "given"'),
    ],
)
def test_what_is_no_problem_is_refused(problem: Any, said: str) -> None:
    """The sentence names key, row, column and remedy."""
    with pytest.raises(ProblemError) as error:
        attnhand.solve(problem)
    assert said in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("answers", "told"),
    [
        ({"Y": [[1]]}, "what was handed in has answers to 'Y', which the sheet does not ask: use Q, K, V, S"),
        ({"Q": 3}, "what was handed in has no list of rows as Q: write [[…], […]]"),
    ],
)
def test_answers_that_cannot_be_are_refused_in_a_whole_sentence(answers: dict[str, Any], told: str) -> None:
    """From Python there is no file that the sentence could begin with."""
    with pytest.raises(attnhand.AttnhandError) as error:
        attnhand.check(answers, attnhand.generate(7))
    assert str(error.value).startswith(told)


# the sheet in hand


def test_a_notebook_shows_the_sheet() -> None:
    """HTML with the tables and the code, blank or solved, and no script in it."""
    sheet = attnhand.generate(7)
    for shown in (unescape(sheet._repr_html_()), unescape(sheet.blank._repr_html_())):
        assert "<table" in shown
        assert sheet.code in shown
        assert "<script" not in shown
    assert sheet._repr_html_() != sheet.blank._repr_html_()


def test_what_shows_itself_holds_no_number() -> None:
    """A notebook and a log keep what an object is shown as: a name, whether solved or blank."""
    sheet = attnhand.generate(7)
    assert repr(sheet) == "<Worksheet A1Q0-0000-000W, solved>"
    assert f"{[sheet.blank]}" == "[<Worksheet A1Q0-0000-000W, blank>]"


def test_sheets_can_be_compared_and_kept() -> None:
    """Equal arguments give equal sheets; blank and key are two looks at one solution."""
    sheet = attnhand.generate(7)
    assert sheet == attnhand.generate(7) != attnhand.generate(8)
    assert sheet.key == sheet != sheet.blank
    assert sheet.blank.key == sheet
    assert sheet.blank.solution is sheet.solution
