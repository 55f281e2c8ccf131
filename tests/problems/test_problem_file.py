"""Problem files: what is read exactly, what is refused and how, and that the canonical text reads back."""

import json
import time
from collections.abc import Callable, Mapping
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from attnhand.errors import ProblemError
from attnhand.problems.problem_file import build_problem_from_python, format_problem, parse_problem
from attnhand.system.json_toml import MAX_TEXT_BYTES, FileKind
from attnhand.system.resources import get_sample_dir
from tests.building import CLASSIC, make_problem
from tests.oracle import solve_exactly_in_rows
from tests.strategies import problems

SAMPLES = ("classic", "guide", "three-words")

SMALL: dict[str, Any] = {
    "X": [[1, 2], [0, 1]],
    "W_Q": [[1, 0]],
    "W_K": [[0, 1]],
    "W_V": [[2, 1]],
}
"""Two tokens, two features, d_k = d_v = 1."""


def with_entry(entry: str) -> str:
    """Write the small problem as JSON with another text for W_K, row 1, column 2."""
    return json.dumps({"given": SMALL}).replace('"W_K": [[0, 1]]', f'"W_K": [[0, {entry}]]')


def with_matrix(name: str, rows: str) -> str:
    """Write the small problem as JSON with another text for one matrix."""
    given = ", ".join(f'"{key}": {rows if key == name else json.dumps(a)}' for key, a in SMALL.items())
    return f'{{"given": {{{given}}}}}'


def with_settings(settings: str) -> str:
    """Write the small problem as JSON with these settings beside its matrices."""
    return f'{{{settings}, "given": {json.dumps(SMALL)}}}'


def sample(name: str) -> Problem:
    """Read a sample problem."""
    return parse_problem((get_sample_dir() / f"{name}.json").read_bytes(), source=f"{name}.json", kind="json")


# what is read


def test_the_classic_sample_gives_the_numbers_of_the_lesson() -> None:
    """The published numbers come out: S, the first column of A, and Z."""
    problem = sample("classic")
    solution = solve(problem)
    assert problem == make_problem(CLASSIC, title=problem.title)
    assert solution["S"].hand == ((3, 2, 2, 1), (4, 3, 1, 5), (-1, -1, -2, 1), (3, 2, 2, 1))
    assert [row[0] for row in solution["A"].hand] == [Fraction(n, 46) for n in (9, 27, 1, 9)]
    published = "180/23 90/7 180/11 10/3; 50/23 25/7 50/11 5/3; 135/23 45/14 15/11 15/2"
    assert solution["Z"].hand == tuple(tuple(map(Fraction, row.split())) for row in published.split(";"))


def test_the_guide_sample_is_what_numpy_makes_of_the_guides_own_numbers() -> None:
    """The guide lists its weights output by output; with Q = x w_Qᵀ and √3 its numbers come to these."""
    x = np.array([[1, 0, 0, 1], [0, 2, 2, 0], [1, 1, 0, 0]])
    w_q = np.array([[0.5, 0.2, 0.1, 0.3], [0.1, 0.3, 0.2, 0.5], [0.3, 0.1, 0.5, 0.2]])
    w_k = np.array([[0.4, 0.1, 0.3, 0.2], [0.2, 0.4, 0.1, 0.3], [0.3, 0.2, 0.4, 0.1]])
    w_v = np.array([[0.2, 0.3, 0.1, 0.4], [0.4, 0.2, 0.3, 0.1], [0.1, 0.4, 0.2, 0.3]])
    powers = np.exp((x @ w_q.T) @ (x @ w_k.T).T / np.sqrt(3))
    weights = powers / powers.sum(axis=1, keepdims=True)

    problem = sample("guide")
    solution = solve(problem)
    assert (problem.convention, problem.has_decimal_notation) == (Convention.ROWS, True)
    assert problem.rules == Rules(scale=ScaleRule.SQRT, base=Base.E, decimals=2)
    for stage, expected in (("A", weights), ("Z", weights @ (x @ w_v.T))):
        np.testing.assert_allclose(np.array(solution[stage].exact), expected, rtol=1e-12)
        np.testing.assert_allclose(np.array(solution[stage].hand, dtype=float), expected, rtol=1e-12)


def test_the_three_words_sample_shows_what_a_first_sheet_should() -> None:
    """Negative odd scores, a fraction among the powers, readable weights, and a top token of its own for each query."""
    problem = sample("three-words")
    solution = solve(problem)
    scores = [score for row in solution["S"].hand for score in row]
    weights = [Fraction(weight) for row in solution["A"].hand for weight in row]
    assert (problem.words, problem.convention) == (("This", "is", "book"), Convention.ROWS)
    assert sum(score < 0 and score % 2 == 1 for score in scores) >= 2
    assert any(isinstance(power, Fraction) for row in solution["powers"].hand for power in row)
    assert max(weight.denominator for weight in weights) <= 20
    assert (
        solution.compare_weights()[0].hand_top_tokens
        == solution.compare_weights()[0].exact_top_tokens
        == ((2,), (1,), (0,))
    )


@pytest.mark.parametrize("name", SAMPLES)
def test_a_sample_file_is_canonical_text(name: str) -> None:
    """What `samples NAME` prints is the file itself, byte for byte."""
    assert format_problem(sample(name)) == (get_sample_dir() / f"{name}.json").read_text(encoding="utf-8")


def test_numbers_are_read_exactly_whatever_their_spelling() -> None:
    """Decimals, fractions, a true minus and exponents are all taken at their word."""
    problem = parse_problem(with_matrix("X", '[[0.1, "1/3"], ["−2", 2e1]]'), source="p.json")
    assert problem["X"] == ((Fraction(1, 10), Fraction(1, 3)), (-2, 20))


def test_toml_says_the_same_as_json() -> None:
    """A TOML file with a table of matrices is the same problem."""
    toml = 'convention = "columns"\n[given]\nX = [[1, 2], [0, 1]]\nW_Q = [[1, 0]]\nW_K = [[0, 1]]\nW_V = [[2.0, 1]]\n'
    expected = make_problem(SMALL)
    assert parse_problem(toml, source="p.toml", kind="toml") == expected
    assert parse_problem(toml.encode(), source="-") == expected
    assert parse_problem(json.dumps({"given": SMALL}), source="-") == expected


def test_settings_have_defaults_and_several_spellings() -> None:
    """The base may be a number or a text, the scale a name or a divisor; a byte order mark is no matter."""
    settings = '"rules": {"scale": 4, "base": 2}, "words": ["a", "b"], "title": "T", "convention": "columns"'
    problem = parse_problem(b"\xef\xbb\xbf" + with_settings(settings).encode(), source="p.json")
    assert problem == make_problem(SMALL, rules=Rules(scale=4, base=Base.TWO), words=("a", "b"), title="T")
    assert parse_problem(with_settings('"rules": {"scale": "4", "base": "2"}'), source="p").rules == problem.rules


@pytest.mark.parametrize(
    ("first", "second", "decimal"),
    [
        ("0.5", "1", True),
        ('"0.5"', "1", True),
        ("0.5", '"1/2"', False),
        ('"1/2"', "1", False),
        ("1.0", "2", False),
        ("1.0", '"4/2"', False),
        ("0.5", '"4/2"', True),
    ],
)
def test_decimals_are_kept_unless_a_fraction_is_among_them(first: str, second: str, decimal: bool) -> None:
    """The notation of the results follows that of the numbers that are not whole."""
    problem = parse_problem(with_matrix("W_V", f"[[{first}, {second}]]"), source="p.json")
    assert problem.has_decimal_notation is decimal


def test_of_a_json_sheet_only_the_problem_is_read() -> None:
    """Code, seed, stages and comparison of a sheet are passed over, but not those of another format."""
    sheet = {"format": "attnhand/1", "code": "x", "seed": 7, "stages": [{"hand": [["1e999"]]}], "given": SMALL}
    assert parse_problem(json.dumps(sheet), source="s.json") == make_problem(SMALL)
    with pytest.raises(ProblemError, match=r"^s.json: the format 'attnhand/9' is unknown"):
        parse_problem(json.dumps({**sheet, "format": "attnhand/9"}), source="s.json")


# what is written


@given(problems(), st.sampled_from(("", 'Ünïcode "quoted" \\ <b>')), st.booleans())
def test_a_problem_is_equal_to_what_its_text_says(problem: Problem, title: str, worded: bool) -> None:
    """The canonical text reads back, and its own canonical text is the same."""
    words = [f"w{i}" for i in range(problem.sizes["tokens"])] if worded else []
    entries = dict(problem.given)
    whole = build_problem_from_python(
        {
            **entries,
            "title": title,
            "words": words,
            "convention": problem.convention,
            "rules": problem.rules,
        }
    )
    again = parse_problem(format_problem(whole), source="p.json", kind="json")
    assert again == whole
    assert again.given == problem.given
    assert format_problem(again) == format_problem(whole)


@given(st.lists(st.decimals(-9999, 9999, places=6), min_size=2, max_size=2))
@example([Decimal(1) / 2**19, Decimal(9998) + Decimal(1) / 2**19])
def test_decimals_read_back_whole(entries: list[Decimal]) -> None:
    """However many places a number has, it is written to the last of them."""
    problem = build_problem_from_python({**SMALL, "W_V": [entries]})
    again = parse_problem(format_problem(problem).encode(), source="p.json")
    assert again == problem
    assert again["W_V"] == (tuple(map(Fraction, entries)),)


def test_the_canonical_text_has_a_row_a_line() -> None:
    """A reader sees the matrices, and a fraction is no decimal."""
    assert format_problem(build_problem_from_python({**SMALL, "W_V": [["1/3", -2]]})) == (
        "{\n"
        '  "mechanism": "self",\n'
        '  "convention": "columns",\n'
        '  "rules": {"scale": "half-floor", "base": "3", "decimals": 2},\n'
        '  "given": {\n'
        '    "X": [\n      [1, 2],\n      [0, 1]\n    ],\n'
        '    "W_Q": [\n      [1, 0]\n    ],\n'
        '    "W_K": [\n      [0, 1]\n    ],\n'
        '    "W_V": [\n      ["1/3", -2]\n    ]\n'
        "  }\n"
        "}\n"
    )


# what is refused

BAD_ENTRIES = [
    ('"x"', "'x', not a number", "0.5"),
    ('""', "'', not a number", "0.5"),
    ('"1/0"', "nothing can be divided by 0", ""),
    ('"1,5"', "'1,5', not a number", "0.5"),
    ('"٣"', "not a number", "0.5"),
    (f'"{"1" * 50}"', "50 characters long", "at most 40"),
    ("NaN", "NaN, not a finite number", "9999"),
    ("Infinity", "Infinity, not a finite number", "9999"),
    ("-Infinity", "-Infinity, not a finite number", "9999"),
    ('"nan"', "not a number", "0.5"),
    ("1e999", "1E+999", "use smaller ones"),
    ("1e999999999999999999999", "not a finite number", "9999"),
    ("1" * 5000, "1111", "use smaller ones"),
    ("10000", "10000", "use smaller ones"),
    ("1e-999", "too many decimals", "six places"),
    ("0.12345678", "too many decimals", "six places"),
    ("true", "true, not a number", "write 0 or 1"),
    ("false", "false, not a number", "write 0 or 1"),
    ("null", "null, not a number", "write 0 or 1"),
    ("[1]", "a list, not a number", '"1/3"'),
    ('{"a": 1}', "an object, not a number", '"1/3"'),
]


@pytest.mark.parametrize(("entry", "what", "remedy"), BAD_ENTRIES, ids=[entry[:12] for entry, _, _ in BAD_ENTRIES])
def test_a_bad_entry_is_named_by_matrix_row_and_column(entry: str, what: str, remedy: str) -> None:
    """The message says where the entry stands, what it is, and what to write."""
    with pytest.raises(ProblemError) as refusal:
        parse_problem(with_entry(entry), source="p.json", kind="json")
    message = str(refusal.value)
    assert message.startswith("p.json: W_K, row 1, column 2 ")
    assert what in message
    assert remedy in message
    assert len(message) < 200


REFUSED: dict[str, tuple[str | bytes, FileKind | None, tuple[str, ...]]] = {
    "unknown key": (with_settings('"titel": "x"'), None, ("'titel'", "did you mean title?")),
    "key like none": (with_settings('"zzz": 1'), None, ("'zzz'", "use given, mechanism")),
    "key of odd characters": (with_settings('"\\ud800": 1'), None, ("'\\ud800'", "use given")),
    "misplaced matrix": (with_settings('"X": [[1]]'), None, ("X", 'move it into "given"')),
    "unknown matrix": (with_matrix("X", '[[1, 2]], "W_q2": [[1]]'), None, ("'W_q2'", "did you mean W_Q?")),
    "duplicate key": (with_settings('"title": "a", "title": "b"'), None, ("'title'", "twice", "leave out")),
    "duplicate matrix": (with_matrix("X", '[[1, 2]], "X": [[1, 2]]'), None, ("'X'", "twice", "leave out")),
    "duplicate key in TOML": ("a = 1\na = 2", "toml", ("line 2", "repeated key")),
    "nothing given": ('{"title": "x"}', None, ('"given" is missing', "X, W_Q, W_K, W_V")),
    "given no object": ('{"given": [[1]]}', None, ('"given" is a list', "by name")),
    "missing matrix": ('{"given": {"X": [[1, 2], [0, 1]]}}', None, ("W_Q is missing", "2 columns")),
    "ragged": (with_matrix("X", "[[1, 2], [0]]"), None, ("X, row 2 has 1 number", "row 1 has 2 numbers", "as many")),
    "empty matrix": (with_matrix("X", "[]"), None, ("X is empty", "[[1, 0], [0, 1]]")),
    "empty row": (with_matrix("X", "[[1, 2], []]"), None, ("X, row 2 is empty", "as many")),
    "not a matrix": (with_matrix("X", "5"), None, ("X is 5, not a matrix", "list of rows")),
    "text for a matrix": (with_matrix("X", '"1 0; 0 1"'), None, ("X is '1 0; 0 1', not a matrix", "list of rows")),
    "flat list": (with_matrix("X", "[1, 2]"), None, ("X, row 1 is 1, not a row", "[[1, 0], [0, 1]]")),
    "wrong shape": (with_matrix("W_K", "[[1, 0, 0]]"), None, ("W_K is 1 × 3", "must be 2", "because X has 2 rows")),
    "too many tokens": (with_matrix("X", f"[{[1] * 13}, {[1] * 13}]"), None, ("tokens would be 13", "2 to 12")),
    "far too many rows": (with_matrix("X", str([[1]] * 65)), None, ("X has 65 rows", "smaller")),
    "far too many columns": (with_matrix("X", f"[{[1] * 65}]"), None, ("X, row 1 has 65 columns", "smaller")),
    "unknown mechanism": (with_settings('"mechanism": "selv"'), None, ("'selv'", "use self")),
    "mechanism no text": (with_settings('"mechanism": ["self"]'), None, ("a list", "use self")),
    "unknown convention": (with_settings('"convention": "row"'), None, ("'row'", "columns or rows")),
    "rules no object": (with_settings('"rules": "hand"'), None, ("'hand'", '"scale"')),
    "unknown rule": (with_settings('"rules": {"bases": 3}'), None, ("'bases'", "did you mean base?")),
    "unknown scale": (with_settings('"rules": {"scale": "half"}'), None, ("'half'", "half-floor, none, sqrt")),
    "scale of nothing": (with_settings('"rules": {"scale": null}'), None, ("null", "half-floor, none, sqrt")),
    "scale out of range": (with_settings('"rules": {"scale": 1}'), None, ("1 is out of range", "2 to 1000")),
    "unknown base": (with_settings('"rules": {"base": 5}'), None, ("5", "2, 3, 10, e")),
    "base of truth": (with_settings('"rules": {"base": true}'), None, ("true", "2, 3, 10, e")),
    "decimals no number": (with_settings('"rules": {"decimals": "two"}'), None, ("'two'", "such as 2")),
    "too many decimals": (with_settings('"rules": {"decimals": 7}'), None, ("7 decimals", "1 to 6")),
    "words no list": (with_settings('"words": "a b"'), None, ("'a b', not a list", '["This", "is", "book"]')),
    "word no text": (with_settings('"words": ["a", 2]'), None, ("word 2 is 2, not a text", "quotes")),
    "word of half a character": (with_settings('"words": ["a", "\\ud800"]'), None, ("word 2", "half a character")),
    "words too few": (with_settings('"words": ["a"]'), None, ("1 words for 2 tokens", "one word for each")),
    "title no text": (with_settings('"title": null'), None, ("title is null, not a text", "quotes")),
    "not JSON": ('{"given": {\n"X": [[1 2]]}}', None, ("JSON at line 2, column 10", "comma")),
    "cut off": ('{"given": ', None, ("JSON at line 1, column", "bracket")),
    "trailing text": (json.dumps({"given": SMALL}) + " x", None, ("JSON at line 1", "one too many")),
    "not TOML": ("[given]\nX = [[1]", "toml", ("not valid TOML", "line 2, column 9")),
    "neither": ("hello", None, ("not valid JSON or TOML", "line 1, column 6")),
    "TOML in a JSON file": ("[given]\nX = [[1]]", "json", ("JSON at line 1, column 2",)),
    "TOML infinity": ("[given]\nX = [[1, inf]]", None, ("X, row 1, column 2", "Infinity", "9999")),
    "TOML date": (
        "[given]\nX = [[1, 1979-05-27]]",
        None,
        ("X, row 1, column 2 is of type date", "not a number"),
    ),
    "TOML giant": ("[given]\nX = [[1, " + "1" * 5000 + "]]", None, ("thousands of digits", "smaller")),
    "TOML hexadecimal giant": ("[given]\nX = [[1, 0x" + "f" * 5000 + "]]", None, ("column 2", "20 digits", "smaller")),
    "TOML of endless keys": (".".join("a" * 99_000) + " = 1", "toml", ("2,000 points", "shorter keys")),
    "empty": ("", None, ("is empty", "JSON or TOML")),
    "blank": (b" \n\t ", None, ("is empty", "JSON or TOML")),
    "list at the top": ("[[1, 0], [0, 1]]", None, ("is a list, not a problem", '"given"')),
    "number at the top": ("5", None, ("is 5, not a problem", '"given"')),
    "not UTF-8": ("é".encode("latin-1"), None, ("not UTF-8", "save it as UTF-8")),
    "UTF-16": (json.dumps({"given": SMALL}).encode("utf-16"), None, ("not UTF-8", "save it as UTF-8")),
    "lone surrogate": ("\udcff", None, ("not UTF-8", "save it as UTF-8")),
    "a PDF": (b"%PDF-1.7\n%\xe2\xe3\xcf\xd3", None, ("not UTF-8", "JSON or TOML file itself")),
    "too deep": ("[" * 100_000, None, ("nested too deep", "a row a list of numbers")),
    "too deep in TOML": ("a = " + "[" * 90_000, None, ("nested too deep", "a row a list of numbers")),
    "deep objects": ('{"given":' * 20_000, None, ("nested too deep",)),
    "too large": (" " * (MAX_TEXT_BYTES + 1), None, ("too large (200,001 bytes)", "at most 200,000")),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_is_no_problem_is_refused_in_one_sentence_with_the_remedy(case: str) -> None:
    """Every refusal begins with the file, names the place and says what to do, at once."""
    text, kind, parts = REFUSED[case]
    start = time.perf_counter()
    with pytest.raises(ProblemError) as refusal:
        parse_problem(text, source="p.file", kind=kind)
    message = str(refusal.value)
    assert message.startswith("p.file: ")
    assert all(part in message for part in parts), message
    assert "\n" not in message
    assert message.encode()
    assert time.perf_counter() - start < 2


@given(st.one_of(st.text(), st.binary()), st.sampled_from((None, "json", "toml")))
def test_arbitrary_text_is_read_or_refused(text: str | bytes, kind: FileKind | None) -> None:
    """Nothing but a ProblemError comes out of a bad file."""
    with pytest.raises(ProblemError):
        parse_problem(text, source="-", kind=kind)


JSON_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=10,
)


@given(
    st.dictionaries(
        st.sampled_from(("given", "rules", "words", "title", "mechanism", "convention", "format")), JSON_VALUES
    ),
    st.dictionaries(st.sampled_from(tuple(SMALL)), JSON_VALUES),
)
def test_arbitrary_data_is_read_or_refused(data: Mapping[str, Any], matrices: Mapping[str, Any]) -> None:
    """Nothing but a ProblemError comes of any value at any place, in a file or from Python."""
    whole = {"given": {**SMALL, **matrices}, **data}
    reads: tuple[Callable[[], Problem], ...] = (
        lambda: parse_problem(json.dumps(whole), source="-"),
        lambda: build_problem_from_python(whole),
        lambda: build_problem_from_python({**SMALL, **matrices}),
    )
    for read in reads:
        try:
            problem = read()
        except ProblemError as error:
            assert "\n" not in str(error)
        else:
            assert parse_problem(format_problem(problem), source="-") == problem


# from Python


def test_python_numbers_of_every_kind_are_taken_exactly() -> None:
    """A float is its shortest decimal; fractions, decimals and texts are what they say."""
    entries = [0.1, Fraction(1, 3), Decimal("0.25"), "−2", 3.0, 1e-05]
    given = {
        "X": [[entry, 0] for entry in entries],
        "W_Q": ((1, 0, 0, 0, 0, 0),),
        "W_K": [[0, 1, 0, 0, 0, 0]],
        "W_V": [[0, 0, 1, 0, 0, 0]],
    }
    column = [row[0] for row in build_problem_from_python(given)["X"]]
    assert column == [Fraction(1, 10), Fraction(1, 3), Fraction(1, 4), -2, 3, Fraction(1, 100_000)]


@pytest.mark.parametrize("dtype", ["int8", "int64", "float16", "float32", "float64", "object", "U4"])
def test_numpy_arrays_of_every_kind_are_taken(dtype: str) -> None:
    """A half is a half in each kind of array, and so is a tenth in floats of few digits."""
    given = {name: np.array(a, dtype=dtype) for name, a in SMALL.items()}
    assert build_problem_from_python(given) == make_problem(SMALL)
    if dtype.startswith("float"):
        tenth = build_problem_from_python({**given, "W_V": np.array([[0.1, 0.5]], dtype=dtype)})
        assert tenth["W_V"] == ((Fraction(1, 10), Fraction(1, 2)),)
        assert tenth.has_decimal_notation


def test_python_takes_settings_beside_the_matrices_or_a_whole_problem() -> None:
    """Keywords and the layout of a file say the same; numpy scalars and rows may stand in lists."""
    settings = {
        "words": ["a", "b"],
        "rules": {"scale": ScaleRule.NONE, "base": Base.E},
        "convention": Convention.COLUMNS,
    }
    rows = {**SMALL, "X": [np.array([1, 2]), [np.float64(0), np.int64(1)]]}
    expected = make_problem(SMALL, words=("a", "b"), rules=Rules(scale=ScaleRule.NONE, base=Base.E))
    assert build_problem_from_python({**rows, **settings}) == expected
    assert build_problem_from_python({"given": rows, **settings}) == expected


@pytest.mark.parametrize(
    ("changes", "parts"),
    [
        ({"X": [[True, 2], [0, 1]]}, ("X, row 1, column 1 is true", "write 0 or 1")),
        ({"X": np.array([[True, False], [False, True]])}, ("X, row 1, column 1 is true", "write 0 or 1")),
        ({"X": [[None, 2], [0, 1]]}, ("X, row 1, column 1 is null",)),
        ({"X": [[float("nan"), 2], [0, 1]]}, ("X, row 1, column 1 is NaN", "finite")),
        ({"X": np.array([[1.0, np.inf], [0.0, 1.0]])}, ("X, row 1, column 2 is Infinity", "finite")),
        ({"X": [[1j, 2], [0, 1]]}, ("X, row 1, column 1 is of type complex", '"1/3"')),
        ({"X": [[10**400, 2], [0, 1]]}, ("X, row 1, column 1 is a number of more than 20 digits", "smaller")),
        ({"X": [[Fraction(1, 10**400), 2], [0, 1]]}, ("X, row 1, column 1 has too many decimals",)),
        ({"X": [[1 / 3, 2], [0, 1]]}, ("X, row 1, column 1 has too many decimals", "six places")),
        ({"X": np.zeros((2, 2, 2))}, ("X, row 1, column 1 is a list, not a number",)),
        ({"X": np.zeros(3)}, ("X, row 1 is 0", "not a row")),
        ({"X": object()}, ("X is of type object, not a matrix",)),
        ({"x": [[1]]}, ("'x' is not a matrix", "did you mean X?")),
        ({"convetion": "rows"}, ("'convetion'", "did you mean convention?")),
        ({"rules": None}, ("the rules are null",)),
        ({"words": "ab"}, ("the words are 'ab', not a list",)),
    ],
)
def test_python_values_that_are_no_numbers_are_refused(changes: dict[str, Any], parts: tuple[str, ...]) -> None:
    """The message names matrix, row and column, as for a file."""
    with pytest.raises(ProblemError) as refusal:
        build_problem_from_python({**SMALL, **changes})
    assert all(part in str(refusal.value) for part in parts), refusal.value


def test_a_matrix_alone_is_no_problem() -> None:
    """Handing in a bare list says how to hand in a problem."""
    with pytest.raises(ProblemError, match="is a list, not a problem"):
        build_problem_from_python([[1, 0], [0, 1]])  # type: ignore[arg-type]  # what a hurried user types


def test_a_problem_from_numpy_is_solved_like_the_oracle() -> None:
    """Random decimals of two places, rows, exact rules: the same weights as independent code gives."""
    draw = np.random.default_rng(1)
    shapes = {"X": (3, 4), "W_Q": (4, 2), "W_K": (4, 2), "W_V": (4, 3)}
    given = {name: draw.integers(-99, 99, shape) / 100 for name, shape in shapes.items()}
    solution = solve(
        build_problem_from_python({**given, "convention": "rows", "rules": {"scale": "sqrt", "base": "e"}})
    )
    for stage, expected in solve_exactly_in_rows({name: a.tolist() for name, a in given.items()}).items():
        np.testing.assert_allclose(np.array(solution[stage].exact), expected, rtol=1e-9, atol=1e-12)
