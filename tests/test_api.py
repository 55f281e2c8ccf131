"""The Python API: the same sheets as the command line's, from Python's own values, refused in sentences."""

import codecs
import dataclasses
import inspect
import json
from fractions import Fraction
from html import unescape
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.errors import GenerationError, PageError, ProblemError
from attnhand.formats.json_sheet import render_json
from attnhand.formats.registry import FORMATS
from attnhand.problems.levels import Level
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import MAX_SEED, Request
from attnhand.problems.salt import stretch_salt
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.option_table import Option, Panel, find_option, list_options
from attnhand.sheet.options import PageOptions, Paper
from attnhand.sheet.sheet import Sheet
from attnhand.system.resources import get_sample_dir
from tests.building import CLASSIC, make_problem
from tests.cli.running import run_here, run_refused, run_well
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
    assert set(attnhand.__all__) == {
        "AttnhandError",
        "PageOptions",
        "Worksheet",
        "check",
        "explain",
        "generate",
        "grade",
        "key",
        "solve",
        "vet",
    }
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
        salt="otter, waltz",
    )
    request = Request(
        seed=7,
        level=Level.WARM_UP,
        convention=Convention.ROWS,
        size_overrides=(("tokens", 4), ("features", 5), ("d_k", 3), ("d_v", 1)),
        rules=rules,
        allow_ties=True,
    )
    assert is_same(sheet, make_sheet_from_request(request, salt=stretch_salt("otter, waltz")))
    assert sheet.is_salted
    stated = {"scale": 4, "base": "2", "decimals": 3}
    assert attnhand.generate(7, rules=stated) == attnhand.generate(7, rules=rules)


def test_labels_and_page_options_reach_the_sheet() -> None:
    """Words, title and how the page looks change no number."""
    options = PageOptions(paper=Paper.LETTER, show_exact=True)
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
    monkeypatch.setattr("attnhand.sheet.order.draw_seed", lambda: 123_456)
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
    ("arguments", "message"),
    [
        ({"seed": -1}, f"the seed -1 is out of range: use a whole number from 0 to {MAX_SEED}"),
        ({"seed": 2**32}, f"the seed {2**32} is out of range"),
        ({"seed": "7"}, "seed is '7', not a whole number: give one"),
        ({"seed": 7.0}, "seed is 7.0, not a whole number: give one"),
        ({"tokens": 0}, "`tokens=0` is out of range: use 2 to 12"),
        ({"tokens": 13}, "`tokens=13` is out of range: use 2 to 12"),
        ({"tokens": "4"}, "tokens is '4', not a whole number: give one"),
        ({"features": 2.5}, "features is 2.5, not a whole number: give one"),
        ({"d_k": 0}, "`d_k=0` is out of range: use 1 to 8"),
        ({"d_v": 9}, "`d_v=9` is out of range: use 1 to 8"),
        ({"level": "hard"}, "level is 'hard': use first, warm-up, standard or challenge"),
        ({"convention": "diagonal"}, "convention is 'diagonal': use columns or rows"),
        (
            {"words": "the cat the dog"},
            "`words=` says 'the' twice, but every token is drawn on its own",
        ),
    ],
)
def test_arguments_out_of_range_are_refused(arguments: dict[str, Any], message: str) -> None:
    """By an error of the package, never by one of Python's."""
    with pytest.raises(GenerationError) as error:
        attnhand.generate(**{"seed": 7} | arguments)
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (
            {"words": ["a", "b"], "tokens": 3},
            GenerationError,
            "`tokens=3` and 2 words contradict each other: leave out `tokens=`",
        ),
        ({"title": "x" * 500}, PageError, "has 500 characters"),
        ({"words": ["🐈", "a", "b"]}, PageError, "which the bundled font cannot print"),
        ({"words": [1, 2, 3]}, ProblemError, "word 1 is 1, not a text: put it in quotes"),
        ({"words": 3}, ProblemError, "the words are 3, not a list"),
        ({"title": 3}, ProblemError, "the title is 3, not a text"),
        ({"salt": 3}, ProblemError, "the salt is 3, not a text"),
        ({"salt": "\ud800"}, ProblemError, "the salt is .* holds half a character"),
        ({"rules": "house"}, GenerationError, "^rules is 'house': use hand, exact"),
        ({"rules": {"base": 5}}, ProblemError, "the base 5 is unknown: use 2, 3, 10, e"),
        ({"options": PageOptions(only_queries=(5,))}, PageError, "there is no query 5"),
        ({"options": PageOptions(language="xx")}, PageError, "the language 'xx' is unknown"),
        ({"options": {"fade": True}}, PageError, "the options are of type dict: give them as attnhand.PageOptions"),
        ({"fade": "yes"}, PageError, "^fade is 'yes', not True or False: give one of them$"),
        ({"causal": "no"}, GenerationError, "^causal is 'no', not True or False: give one of them$"),
        ({"tokens": True}, GenerationError, "^tokens is True, not a whole number: give one, such as 4$"),
        ({"trace": "2"}, PageError, "^trace is '2', not a whole number: give one, such as 2$"),
        (
            {"only_queries": 5},
            PageError,
            r"^only_queries is 5, not a list of whole numbers: give one, such as \[1, 3\]$",
        ),
        ({"only_queries": ["a"]}, PageError, "not a list of whole numbers"),
        ({"blank_stages": 5}, PageError, r'not a list of texts: give one, such as \["A", "Z"\]$'),
        ({"mistake": True}, PageError, '^mistake is True, not a text: give one, such as "any"$'),
        ({"stage": 4}, PageError, '^stage is 4, not a text: give one, such as "S"$'),
        ({"scale": 2.5}, GenerationError, "^scale is 2.5, not a text or a whole number: give one"),
        ({"questions": "lots"}, PageError, "^questions is 'lots': use none, few, many or tries$"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: dict[str, Any], error: type[Exception], message: str) -> None:
    """Every refusal is an ``AttnhandError``."""
    assert issubclass(error, attnhand.AttnhandError)
    with pytest.raises(error, match=message):
        attnhand.generate(7, **arguments)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"questions": "lots"}, "questions is 'lots': use none, few, many or tries"),
        ({"questions": 3}, "questions is 3: use none, few, many or tries"),
        ({"paper": "a5"}, "paper is 'a5': use a4 or letter"),
        ({"paper": None}, "paper is None: use a4 or letter"),
        ({"fade": 1}, "fade is 1, not True or False: give one of them"),
        ({"language": 3}, 'language is 3, not a text: give one, such as "en"'),
        ({"only_queries": "1,3"}, "only_queries is '1,3', not a list of whole numbers: give one, such as [1, 3]"),
        ({"only_queries": [1.5]}, "only_queries is [1.5], not a list of whole numbers: give one, such as [1, 3]"),
        ({"blank_stages": {"A": 1}}, 'blank_stages is {\'A\': 1}, not a list of texts: give one, such as ["A", "Z"]'),
    ],
)
def test_page_options_of_another_type_are_refused_where_they_are_written(
    arguments: dict[str, Any], message: str
) -> None:
    """And not where a sheet is made of them."""
    with pytest.raises(PageError) as refusal:
        PageOptions(**arguments)
    assert str(refusal.value) == message


def test_page_options_are_taken_as_they_are_meant() -> None:
    """Names for members, lists for tuples, numbers of numpy; None stays what it is."""
    meant: Any = {"questions": "many", "paper": "Letter", "only_queries": [np.int64(1), 3], "blank_stages": ["A"]}
    expected = PageOptions(questions=QuestionAmount.MANY, paper=Paper.LETTER, only_queries=(1, 3), blank_stages=("A",))
    assert PageOptions(**meant) == expected
    assert PageOptions().questions is None
    assert attnhand.generate(7, options=PageOptions(**meant)) == attnhand.generate(7, options=expected)
    assert Rules(scale="sqrt", base=3) == Rules(scale=ScaleRule.SQRT)  # type: ignore[arg-type]
    assert attnhand.generate(7, base=3, convention="ROWS") == attnhand.generate(7, convention="rows")


def test_rules_of_another_type_are_refused() -> None:
    """With all that they can be."""
    for arguments, message in (
        ({"scale": "half"}, "scale is 'half': use half-floor, none, sqrt or a whole number"),
        ({"base": 7}, "base is 7: use 2, 3, 10, e or none"),
        ({"decimals": "2"}, "decimals is '2', not a whole number: give one"),
    ):
        with pytest.raises(ProblemError) as refusal:
            Rules(**arguments)
        assert str(refusal.value) == message


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


@pytest.mark.parametrize("path", sorted(get_sample_dir().glob("*.json")), ids=lambda path: path.stem)
def test_a_problem_file_asks_what_it_asks_however_it_is_read(path: Path) -> None:
    """One whose file asks the seventh query alone asks no other as a mapping either."""
    data = json.loads(path.read_text(encoding="utf-8"))
    sheet = attnhand.solve(data)
    assert sheet == attnhand.solve(path)
    if "only_queries" in data:
        assert sheet.asked_queries == tuple(query - 1 for query in data["only_queries"])


def test_a_sheet_as_a_dictionary_serves_again() -> None:
    """``to_dict`` and ``solve`` are a round trip; the code of a drawn sheet becomes a fingerprint."""
    drawn = attnhand.generate(7)
    again = attnhand.solve(drawn.to_dict())
    assert again.solution == drawn.solution
    assert again.code.startswith("M")
    assert attnhand.solve(again.to_dict()) == again


@pytest.mark.parametrize(
    ("problem", "message"),
    [
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
def test_what_is_no_problem_is_refused(problem: Any, message: str) -> None:
    """The sentence names key, row, column and remedy."""
    with pytest.raises(ProblemError) as error:
        attnhand.solve(problem)
    assert message in str(error.value)
    assert len(str(error.value).splitlines()) == 1


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"Y": [[1]]}, "what was handed in has answers to 'Y', which the sheet does not ask: use Q, K, V, S"),
        ({"Q": 3}, "what was handed in has no list of rows as Q: write [[…], […]]"),
    ],
)
def test_answers_that_cannot_be_are_refused_in_a_whole_sentence(answers: dict[str, Any], message: str) -> None:
    """From Python there is no file that the sentence could begin with."""
    with pytest.raises(attnhand.AttnhandError) as error:
        attnhand.check(answers, attnhand.generate(7))
    assert str(error.value).startswith(message)


# the sheet in hand


def test_a_notebook_shows_the_sheet() -> None:
    """HTML with the tables and the code, blank or solved, and no script in it."""
    sheet = attnhand.generate(7)
    for markup in (unescape(sheet._repr_html_()), unescape(sheet.key._repr_html_())):
        assert "<table" in markup
        assert sheet.code in markup
        assert "<script" not in markup
    assert sheet._repr_html_() != sheet.key._repr_html_()


def test_a_notebook_shows_what_the_terminal_shows() -> None:
    """What generate returns is there to fill, until its key is asked for; solve and key were asked."""
    sheet, eye = attnhand.generate(7), [[1, 0], [0, 1]]
    solved = attnhand.solve(X=eye, W_Q=eye, W_K=eye, W_V=[[4, 8]])
    for method in ("_repr_html_", "_repr_latex_"):
        blank, key = (getattr(each, method)() for each in (sheet.blank, sheet.key))
        assert blank == getattr(sheet, method)() == getattr(sheet.key.blank, method)() != key
        assert key == getattr(attnhand.key(7), method)() == getattr(sheet.blank.key, method)()
        assert getattr(solved, method)() == getattr(solved.key, method)() != getattr(solved.blank, method)()
        assert getattr(sheet.in_language("de"), method)() == getattr(sheet.blank.in_language("de"), method)()
        assert getattr(sheet.key.in_language("de"), method)() == getattr(sheet.in_language("de").key, method)()
    assert sheet.pdf() == sheet.key.pdf()


def test_a_notebook_stores_no_answer_of_a_blank() -> None:
    """Of all that a notebook asks a sheet for, and stores, nothing of a blank one holds a fraction of its key."""
    sheet = attnhand.generate(7)
    denominators = {
        value.denominator for row in sheet.solution["A"].hand for value in row if isinstance(value, Fraction)
    }
    large = sorted(f"{number}" for number in denominators if number > 20)
    methods = {name for name in dir(sheet) if name.startswith("_repr_")} | {"__repr__"}
    assert large
    assert methods == {"_repr_html_", "_repr_latex_", "__repr__"}
    for name in methods:
        on_key, on_blank = (unescape(getattr(each, name)()) for each in (sheet.key, sheet.blank))
        for number in large:
            assert (f"{number}<" in on_key or f"{number}}}" in on_key) is (name != "__repr__")
            assert f">{number}<" not in on_blank
            assert f"{{{number}}}" not in on_blank


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


# by the same names as in the terminal


@pytest.mark.parametrize("make", [attnhand.generate, attnhand.solve, attnhand.key])
def test_arguments_are_the_options_of_the_command(make: Any) -> None:
    """By name: whoever knows one knows the other; ``help()`` says of each what the terminal's help says."""
    takes = inspect.signature(make).parameters
    of_the_sheet = (Panel.SHEET, Panel.PAGE)
    expected = {option.name: option for option in list_options(make.__name__) if option.panel in of_the_sheet}
    expected |= {name: find_option(name) for name in ("stage", "slides")}
    if make is attnhand.solve:  # what the help hides, and secrets of drawn sheets
        expected = {name: o for name, o in expected.items() if not o.is_for_drawn_sheets and name != "salt"}
    if make is attnhand.key:  # the source says it, and what follows is of the command alone
        expected = {name: o for name, o in expected.items() if name != "seed"} | {
            name: find_option(name) for name in ("given", "class_")
        }
    assert takes.keys() - {"options", "problem", "source"} == expected.keys()
    documented = inspect.getdoc(make)
    assert documented is not None
    for name, option in expected.items():
        assert name == "seed" or f"    {name}: {option.help}" in documented, name


def test_an_argument_that_there_is_not_is_refused_as_python_does() -> None:
    """By its name, and by that of the function."""
    make: Any
    for make in (attnhand.generate, attnhand.key):
        with pytest.raises(TypeError, match=rf"{make.__name__}\(\) got an unexpected keyword argument 'sed'"):
            make(7, sed=8)


def call_as_editors_know_it() -> None:
    """Show mypy what is right and what is mistyped: it refuses a line that it takes otherwise. Nothing runs this."""
    attnhand.generate(7, level="warm-up", words=["a", "b"], only_queries=[1], causal=True, title=None)
    attnhand.generate(7, level=3)  # type: ignore[arg-type]
    attnhand.generate(7, sed=1)  # type: ignore[call-arg]
    attnhand.generate(7, tokens="four")  # type: ignore[arg-type]
    attnhand.solve(X=[[1]], W_Q=[[1]], W_K=[[1]], W_V=[[1]], rules="exact")
    attnhand.solve(X=[[1]], paper=True)  # type: ignore[arg-type]
    attnhand.key("A1Q0-0000-000W", given={"S11": 3}, class_="set", paper="letter")
    attnhand.key(7, give={})  # type: ignore[call-arg]


def test_defaults_are_those_of_the_command_line() -> None:
    """Said or not, they give the same sheet."""
    usual = {"mechanism": "self", "level": "standard", "convention": "columns", "paper": "a4", "language": "en"}
    for name, value in usual.items():
        said: Any = {name: value}
        assert attnhand.generate(7, **said).blank.html() == attnhand.generate(7).blank.html()
        run = ("generate", "--seed", "7", f"--{name}", value, "--json", "--out", "-")
        assert run_well(*run) == run_well("generate", "--seed", "7", "--json", "--out", "-")


EXAMPLE_VALUES: dict[str, Any] = {
    "only_queries": [1, 3],
    "blank_stages": ["A", "Z"],
    "words": ["the", "cat", "saw"],
    "padding": [4],
    "begin_with": ["Q", "K", "V"],
    "carry": ["self", "self-causal"],
}
"""What Python writes where the command line writes a list as text."""


OF_SHEET_AND_PAGE = [option for option in list_options("generate") if option.panel in (Panel.SHEET, Panel.PAGE)]


@pytest.mark.parametrize("option", [o for o in OF_SHEET_AND_PAGE if o.name != "fillable"], ids=lambda o: o.name)
def test_an_argument_does_what_the_option_does(option: Option) -> None:
    """One after the other, with the example of the table: the same sheet, to the byte."""
    beside: dict[str, Any] = {"seed": 7}
    beside |= {"memory_length": {"mechanism": "cross"}, "hidden": {"mechanism": "block"}}.get(option.name, {})
    beside |= {"mechanism": "multi-head"} if option.name in ("heads", "kv_heads") else {}
    beside |= {"words": "the cat saw"} if option.name in ("embed", "positions") else {}
    beside |= {"causal": True} if option.name == "window" else {}
    beside |= {"mechanism": "online"} if option.name == "blocks" else {}
    beside |= {"mechanism": "block"} if option.name in ("residual", "norm", "norm_place") else {}
    beside |= {"residual": True, "norm": "rms"} if option.name == "norm_place" else {}
    beside |= {"mechanism": "next-token"} if option.name in ("vocabulary", "top_k", "learn") else {}
    beside |= {"begin_with": "Q,K,V"} if option.name == "query_count" else {}
    typed = [f"--{name.replace('_', '-')}" + ("" if value is True else f"={value}") for name, value in beside.items()]
    typed = typed[1:] if option.name == "seed" else typed
    typed.append(option.flag if option.kind is bool else f"{option.flag}={option.example}")
    value = True if option.kind is bool else int(option.example) if option.kind is int else option.example
    for format_name in ("html",) if option.panel is Panel.PAGE else ("json", "markdown"):
        ran = run_here("generate", *typed, f"--{format_name}", "--blank", "--out", "-")
        assert (ran.exit_code, bool(ran.error_text)) == (0, option.name == "self_check")  # which tells the teacher
        for written in (value, EXAMPLE_VALUES.get(option.name, value)):
            sheet = attnhand.generate(**{**beside, option.name: written})
            assert getattr(sheet.blank, format_name)().encode() == ran.output.removeprefix(codecs.BOM_UTF8)


def test_arguments_go_before_the_page_options() -> None:
    """One page for a series, changed for one sheet."""
    series = PageOptions(paper=Paper.LETTER, only_queries=(1, 3))
    sheet = attnhand.generate(7, options=series, only_queries="2", show_exact=True)
    assert sheet.options == PageOptions(paper=Paper.LETTER, only_queries=(2,), show_exact=True)


def test_every_format_is_a_method() -> None:
    """As the command line writes it, blank or solved."""
    sheet = attnhand.generate(7, level="warm-up")
    for name, sheet_format in FORMATS.items():
        for version in (sheet.key, sheet.blank) if name not in ("svg", "png", "pdf") else ():
            written = getattr(version, name)()
            assert (written if isinstance(written, bytes) else written.encode()) == sheet_format.render_file(
                version
            ).removeprefix(codecs.BOM_UTF8)
        assert get_type_hints(getattr(attnhand.Worksheet, name))["return"] in (str, bytes)


def test_one_stage_is_drawn() -> None:
    """By any name that is read on the sheet; the sheet itself stays whole."""
    sheet = attnhand.generate(7, level="warm-up")
    picture = sheet.svg(stage="S")
    assert picture.startswith("<svg")
    assert picture == sheet.svg("scores")
    assert len(picture) < len(sheet.svg(stage="attention weights")) * 3
    assert sheet.options.stage is None
    with pytest.raises(PageError, match="the sheet has no stage 'T'"):
        sheet.png(stage="T")


def test_markdown_shows_a_stage_and_slides() -> None:
    """Asked for with the sheet or with the file; the sheet itself stays as it is."""
    sheet = attnhand.generate(7, level="warm-up")
    assert sheet.markdown(slides=True) == attnhand.generate(7, level="warm-up", slides=True).markdown()
    assert sheet.markdown("S") == attnhand.generate(7, level="warm-up", stage="S").markdown() != sheet.markdown()
    assert sheet.markdown("S", slides=True).startswith("---\nmarp: true\n")
    assert not sheet.markdown().startswith("---")


def test_a_file_that_was_handed_in_is_checked(tmp_path: Path) -> None:
    """It says to which sheet; another is named by a seed, a code or the sheet itself."""
    sheet = attnhand.generate(7, words="the cat saw it")
    path = tmp_path / "sara.csv"
    path.write_text(sheet.key.csv(), encoding="utf-8")
    for marks in (
        attnhand.check(path),
        attnhand.check(str(path)),
        attnhand.check(path, sheet),
        attnhand.check(path, against=7),
        attnhand.check(path, against="A1Q0-0000-000W"),
        attnhand.check(path, against=sheet),
    ):
        assert marks.is_all_correct
        assert marks.sheet.code == sheet.code
    with pytest.raises(attnhand.AttnhandError, match=r"sara\.csv answers the sheet A1Q0-0000-000W, not "):
        attnhand.check(path, against=8)
    with pytest.raises(attnhand.AttnhandError, match="is not there: give the file that was handed in"):
        attnhand.check(tmp_path / "none.csv")


@pytest.mark.usefixtures("work_here")
@pytest.mark.parametrize("reports", [False, True])
def test_a_folder_is_graded_as_in_the_terminal(reports: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same files to the byte, with and without an index; and everyone's row as a value."""
    monkeypatch.chdir(tmp_path)
    Path("in").mkdir()
    for seed, name in ((7, "sara"), (8, "tom")):
        sheet = attnhand.generate(seed, level="warm-up", salt="open, sesame!")
        Path("in", f"{name}.csv").write_text((sheet.key if seed == 7 else sheet.blank).csv())
    code = attnhand.generate(7, level="warm-up", salt="open, sesame!").code
    Path("index.csv").write_text(f"№,name,code\n1,Sara,{code}\n")
    for roster in (None, "index.csv"):
        graded = attnhand.grade(Path("in"), roster=roster, salt="open, sesame!")
        assert [row.score for row in graded.book.rows] == ([63, 0] if roster is None else [63])
        assert [paper.file for paper in graded.book.unmatched_papers] == ([] if roster is None else ["tom.csv"])
        run_well(
            *("grade", "in", "--salt", "open, sesame!", "--out", f"out-{roster}"),
            *(("--roster", roster) if roster else ()),
            *(("--reports",) if reports else ()),
        )
        files = {path for path in Path(f"out-{roster}").rglob("*") if path.is_file()}
        contents = dict(graded.render_files(reports=reports))
        assert {path.relative_to(f"out-{roster}").as_posix(): path.read_bytes() for path in files} == contents
        assert list(contents) == graded.list_file_names(reports=reports)
        assert len(contents) == 4 + reports * len(graded.book.rows)
    assert repr(graded) == "<GradedFolder, 1 of 1 marked>"
    with pytest.raises(attnhand.AttnhandError, match=r'`marks=` says who by №, .* add `roster="teacher/index.csv"`'):
        attnhand.grade("in", marks="marks.csv")


def test_a_file_without_a_code_asks_for_the_argument(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Python reads of its own arguments, the terminal of its options."""
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "sara.json"
    path.write_text('{"answers": {"Q": [["1"]]}}', encoding="utf-8")
    with pytest.raises(attnhand.AttnhandError, match="name it with `against=`, by its seed, code or file"):
        attnhand.check(path)
    assert "name it with --against, by its seed" in run_refused("check", str(path))


def test_a_code_gives_its_sheet_again() -> None:
    """With the salt and the words that shape it; and the key carries on from what a student wrote."""
    salted = attnhand.generate(7, salt="pepper and salt", words="the cat the dog", embed=True)
    assert attnhand.key(salted.code, salt="pepper and salt", words="the cat the dog") == salted
    with pytest.raises(attnhand.AttnhandError, match="is salted: give its `salt=`, or set ATTNHAND_SALT"):
        attnhand.key(salted.code, words=["the", "cat", "the", "dog"])
    assert attnhand.key(7, only_queries=[2]).asked_queries == (1,)
    carried = attnhand.key(7, given={"scaled[2,1]": 3})
    assert (
        carried.markdown()
        == run_well("key", "7", "--given", "scaled[2,1]=3", "--markdown", "--solved", "--out", "-").text
    )
    assert attnhand.key(7, tokens=3) == attnhand.generate(7, tokens=3)
    with pytest.raises(attnhand.AttnhandError, match="`tokens=3` contradicts the code A1Q0-0000-000W"):
        attnhand.key("A1Q0-0000-000W", tokens=3)


def test_a_problem_file_is_solved_by_its_name(tmp_path: Path) -> None:
    """And one that is not there is refused as in the terminal."""
    path = tmp_path / "my.json"
    path.write_text(json.dumps({"given": SMALL, "title": "Mine"}), encoding="utf-8")
    assert attnhand.solve(path) == attnhand.solve(str(path)) == attnhand.solve({"given": SMALL, "title": "Mine"})
    with pytest.raises(attnhand.AttnhandError, match="is not there: give a problem file, JSON or TOML"):
        attnhand.solve(tmp_path / "none.json")


def test_cells_are_explained() -> None:
    """As ``attnhand explain`` prints them with lines broken at the edge, of a sheet or of what names one."""
    assert attnhand.generate(7).explain("S[2,3]") == attnhand.explain(7, "S23")
    for source, cell in ((7, "S23"), ("classic", "q2")):
        printed = run_well("explain", str(source), cell).text
        assert attnhand.explain(source, cell).split() == printed.split()
