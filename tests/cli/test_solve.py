"""``attnhand solve``: sheets of somebody's own matrices, and of sheets that come back as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT, HAND, Base, Rules, Scale
from attnhand.attention.mechanisms import Convention
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.problems.problem_file import parse_problem, problem_text
from attnhand.sheet.options import PageOptions
from attnhand.system.resources import sample_dir
from tests.building import CLASSIC
from tests.cli.running import OWN, files, fine, here, refused, write_own
from tests.oracle import hand_in_columns

TOML = """
title = "By hand"
words = ["I", "you"]
[given]
X = [[1, 2], [0, 1]]
W_Q = [[1, 0]]
W_K = [[0, 1]]
W_V = [[2, 1]]
"""


def read(name: str) -> dict[str, Any]:
    """Read a JSON sheet without its digest."""
    data: dict[str, Any] = json.loads(Path(name).read_bytes())
    assert data.pop("digest").startswith("attnhand-digest:")
    return data


def on_stdout(*args: str, stdin: bytes = b"") -> dict[str, Any]:
    """Return the JSON sheet that a command writes to stdout."""
    data: dict[str, Any] = json.loads(fine(*args, "--json", "--out", "-", stdin=stdin).out)
    return data


# what is solved


def test_the_key_appears_in_the_terminal() -> None:
    """Without a format the solved sheet is shown; with --blank the blank one."""
    write_own()
    sheet = attnhand.solve(OWN)
    assert fine("solve", "own.json").text == render_terminal(sheet)
    assert fine("solve", "own.json", "--solved").text == render_terminal(sheet)
    assert fine("solve", "own.json", "--blank").text == render_terminal(sheet.blank)
    assert list(files()) == ["own.json"]


def test_the_classic_comes_out_as_an_independent_computation_has_it() -> None:
    """Every hand value of the classic sheet equals the oracle's."""
    data = on_stdout("solve", str(sample_dir() / "classic.json"), "--solved")
    expected = hand_in_columns(CLASSIC)
    assert {stage["name"]: stage["hand"] for stage in data["stages"]} == {
        name: [[str(value) for value in row] for row in a] for name, a in expected.items()
    }


def test_toml_is_read_like_json() -> None:
    """A TOML file gives the sheet that the same problem gives as JSON, from a file or from stdin."""
    Path("own.toml").write_text(TOML, encoding="utf-8")
    write_own(title="By hand", words=["I", "you"])
    expected = fine("solve", "own.json")
    assert fine("solve", "own.toml") == expected
    assert fine("solve", "-", stdin=TOML.encode()) == expected


def test_toml_may_begin_with_a_quoted_key() -> None:
    """The suffix decides that it is TOML, whatever its first character."""
    Path("own.toml").write_text(TOML.replace("title", '"title"'), encoding="utf-8")
    Path("plain.toml").write_text(TOML, encoding="utf-8")
    assert fine("solve", "own.toml") == fine("solve", "plain.toml")


def test_a_file_may_have_any_suffix_or_none() -> None:
    """Whether it is JSON or TOML is then seen from the text."""
    write_own("own.txt")
    write_own("own")
    Path("toml.txt").write_text(TOML, encoding="utf-8")
    assert fine("solve", "own.txt") == fine("solve", "own")
    assert fine("solve", "toml.txt", "--json").lines == ["toml.json", "toml-key.json"]


def test_a_dash_reads_standard_input() -> None:
    """What is piped in is solved like a file; files are named after its code."""
    path = write_own()
    data = path.read_bytes()
    assert fine("solve", "-", stdin=data) == fine("solve", "own.json")
    name = f"attnhand-{attnhand.solve(OWN).code[:4]}"
    assert fine("solve", "-", "--html", stdin=data).lines == [f"{name}.html", f"{name}-key.html"]


def test_exact_numbers_stay_exact() -> None:
    """Decimals and fractions come back as they were written."""
    given = {"X": [[0.1, "1/3"], ["−2", 1]], "W_Q": [["0.50", 1]], "W_K": [[1, 0]], "W_V": [[3, "2/6"]]}
    write_own(given=given)
    assert on_stdout("solve", "own.json")["given"] == {
        "X": [["1/10", "1/3"], ["-2", "1"]],
        "W_Q": [["1/2", "1"]],
        "W_K": [["1", "0"]],
        "W_V": [["3", "1/3"]],
    }


# files


@pytest.mark.parametrize(("option", "suffix"), [("--html", "html"), ("--csv", "csv"), ("--markdown", "md")])
def test_files_are_named_after_the_problem_file(option: str, suffix: str) -> None:
    """``p.json`` makes ``p.html`` and ``p-key.html``, in the current folder wherever the problem lies."""
    write_own("lessons/week 3.v2.json")
    names = [f"week 3.v2.{suffix}", f"week 3.v2-key.{suffix}"]
    assert fine("solve", "lessons/week 3.v2.json", option).lines == names
    sheet, made = attnhand.solve(OWN), FORMATS[option.removeprefix("--")]
    assert {name: files()[name] for name in names} == {names[0]: made.file(sheet.blank), names[1]: made.file(sheet.key)}


def test_the_problem_file_itself_is_never_replaced() -> None:
    """The blank JSON sheet would take the problem's name: refused, and the problem stays as it is."""
    write_own()
    assert refused("solve", "own.json", "--json") == (
        "own.json exists and is not as this program wrote it: choose another --out, or replace it with --force"
    )
    assert fine("solve", "own.json", "--json", "--solved").lines == ["own-key.json"]
    assert fine("solve", "own.json", "--json", "--out", "sheet.json").lines == ["sheet.json", "sheet-key.json"]


# options on somebody's own problem


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ((), Rules(scale=3, base=Base.TWO, decimals=5)),
        (("--rules", "hand"), HAND),
        (("--rules", "exact"), EXACT),
        (("--rules", "exact", "--decimals", "4"), Rules(scale=Scale.SQRT, base=Base.E, decimals=4)),
        (("--scale", "none"), Rules(scale=Scale.NONE, base=Base.TWO, decimals=5)),
        (("--base", "10", "--decimals", "1"), Rules(scale=3, base=Base.TEN, decimals=1)),
    ],
    ids=str,
)
def test_the_house_rules_can_be_others(options: tuple[str, ...], rules: Rules) -> None:
    """Rules that the options name take the place of the file's; what they do not name stays."""
    write_own(rules={"scale": 3, "base": "2", "decimals": 5})
    assert fine("solve", "own.json", *options).text == render_terminal(attnhand.solve({**OWN, "rules": rules}))


def test_the_other_convention_transposes() -> None:
    """--convention rows lays somebody's columns out as rows, with the same numbers."""
    write_own()
    transposed = {name: [list(row) for row in zip(*a, strict=True)] for name, a in OWN["given"].items()}
    assert fine("solve", "own.json", "--convention", "rows").text == render_terminal(
        attnhand.solve({**transposed, "convention": "rows"})
    )
    assert fine("solve", "own.json", "--convention", "columns") == fine("solve", "own.json")


def test_words_and_title_can_be_others() -> None:
    """The options' words and title go before the file's; an empty title takes the file's away."""
    write_own(words=["I", "you"], title="Ours")
    assert fine("solve", "own.json").text == render_terminal(
        attnhand.solve({**OWN, "words": ["I", "you"], "title": "Ours"})
    )
    assert fine("solve", "own.json", "--words", "a a", "--title", "").text == render_terminal(
        attnhand.solve({**OWN, "words": ["a", "a"]})
    )


def test_page_options_serve_own_problems_too() -> None:
    """Queries, exact column and check sums are those of the API."""
    write_own()
    expected = attnhand.solve(OWN, options=PageOptions(queries=(1,), exact_column=True, check_sums=True))
    options = ["--queries", "2", "--exact-column", "--check-sums"]
    assert fine("solve", "own.json", *options, "--html", "--out", "-").out == FORMATS["html"].file(expected.blank)


@pytest.mark.parametrize(
    "options",
    [
        ("--seed", "7"),
        ("--level", "warm-up"),
        ("--tokens", "2"),
        ("--features", "2"),
        ("--d-k", "1"),
        ("--d-v", "1"),
        ("--ties",),
        ("--mechanism", "self"),
    ],
    ids=" ".join,
)
def test_what_only_a_drawn_sheet_has_is_refused(options: tuple[str, ...]) -> None:
    """Options that shape a draw would be passed over without a word."""
    write_own()
    assert refused("solve", "own.json", *options) == (
        f"{options[0]} is for drawn sheets, but own.json brings its own matrices: leave it out"
    )


# sheets that come back as JSON


DRAWN: list[tuple[str, ...]] = [
    (),
    ("--convention", "rows"),
    ("--rules", "exact", "--decimals", "3"),
    ("--scale", "5", "--base", "2", "--tokens", "5"),
    ("--ties", "--level", "challenge"),
    ("--tokens", "8"),
    ("--words", "the cat saw it", "--title", "Week 3"),
    ("--queries", "2,4"),
]


@pytest.mark.parametrize("solved", [False, True])
@pytest.mark.parametrize("options", DRAWN, ids=" ".join)
def test_a_json_sheet_makes_the_same_sheet_again(options: tuple[str, ...], solved: bool) -> None:
    """From the blank or from the solved JSON sheet come the same two sheets: code, words, title, queries and all."""
    fine("generate", "--seed", "9", *options, "--json", "--out", "one.json")
    fine("solve", "one-key.json" if solved else "one.json", "--json", "--out", "two.json")
    made = files()
    assert (made["two.json"], made["two-key.json"]) == (made["one.json"], made["one-key.json"])
    assert read("two.json")["seed"] == 9


def test_a_json_sheet_goes_by_its_seed() -> None:
    """Files made from a drawn sheet's JSON are named as ``generate`` names them."""
    fine("generate", "--seed", "9", "--convention", "rows", "--json", "--out", "one.json")
    assert (
        fine("solve", "one.json", "--html").lines
        == fine("generate", "--seed", "9", "--convention", "rows", "--html").lines
    )


@pytest.mark.parametrize("solved", [False, True])
@pytest.mark.parametrize("name", ["classic", "guide", "three-words"])
def test_the_json_sheet_of_own_matrices_makes_the_same_sheet_again(name: str, solved: bool) -> None:
    """Somebody's own problem comes back from its JSON sheet with the same fingerprint."""
    fine("key", name, "--json", "--out", "one.json", "--queries", "1,3")
    fine("solve", "one-key.json" if solved else "one.json", "--json", "--out", "two.json")
    made = files()
    assert (made["two.json"], made["two-key.json"]) == (made["one.json"], made["one-key.json"])


def test_a_json_sheet_by_pipe() -> None:
    """What ``generate`` writes to stdout ``solve -`` reads."""
    ask = ["--json", "--out", "-"]
    blank = fine("generate", "--seed", "9", *ask).out
    solved = fine("generate", "--seed", "9", *ask, "--solved").out
    assert fine("solve", "-", *ask, stdin=solved).out == blank
    assert fine("solve", "-", *ask, "--solved", stdin=blank).out == solved


def test_options_go_before_what_a_json_sheet_says() -> None:
    """Words, title and queries of the options take the place of the sheet's."""
    fine(
        "generate", "--seed", "9", "--words", "a b c d", "--title", "T", "--queries", "1", "--json", "--out", "one.json"
    )
    options = ["--words", "e f g h", "--title", "U", "--queries", "2"]
    assert fine("solve", "one.json", *options) == fine("generate", "--seed", "9", *options, "--solved")


def test_other_rules_make_it_a_problem_of_ones_own() -> None:
    """The matrices of a drawn sheet, worked by other rules, get a fingerprint: its own code would be a lie."""
    fine("generate", "--seed", "9", "--json", "--out", "one.json")
    drawn = attnhand.generate(seed=9).problem
    text = problem_text(drawn).replace('"half-floor"', '"sqrt"').replace('"base": "3"', '"base": "e"')
    Path("own.json").write_text(text, encoding="utf-8")
    expected = fine("solve", "own.json")
    assert fine("solve", "one.json", "--rules", "exact") == expected
    assert expected.lines[-1].startswith("sheet M")


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ('"X": [\n      ["0"', '"X": [\n      ["1"'),
        ('"base": "3"', '"base": "2"'),
        ('"decimals": 2', '"decimals": 3'),
        ('"scale": "half-floor"', '"scale": "none"'),
    ],
)
def test_an_altered_json_sheet_is_refused(old: str, new: str) -> None:
    """A code that stands for other matrices or other rules would give another key."""
    fine("generate", "--seed", "7", "--json", "--out", "one.json")
    text = Path("one.json").read_text(encoding="utf-8")
    assert text.count(old) == 1
    Path("one.json").write_text(text.replace(old, new), encoding="utf-8")
    assert refused("solve", "one.json") == (
        "one.json: its matrices and rules are not those of its code A1Q0-0000-000W: take out the code, or the change"
    )


def test_an_altered_convention_is_refused_even_where_the_shapes_fit() -> None:
    """Square matrices fit both conventions; the code knows which."""
    square = ["--tokens", "3", "--features", "3", "--d-k", "3", "--d-v", "3"]
    fine("generate", "--seed", "3", *square, "--json", "--out", "one.json")
    text = Path("one.json").read_text(encoding="utf-8")
    Path("one.json").write_text(text.replace('"convention": "columns"', '"convention": "rows"'), encoding="utf-8")
    assert "its matrices and rules are not those of its code" in refused("solve", "one.json")


def test_a_json_sheet_with_a_mistyped_code_is_refused() -> None:
    """It is not read as somebody's own problem, whose code would be another."""
    text = fine("generate", "--seed", "7", "--json", "--out", "-").text.replace("A1Q0-0000-000W", "A1Q0-0000-000X")
    assert refused("solve", "-", stdin=text.encode()).startswith("the code A1Q0-0000-000X does not check")


def test_without_its_code_an_altered_sheet_is_a_problem_of_ones_own() -> None:
    """Who takes out the code may change what they like."""
    data = json.loads(fine("generate", "--seed", "7", "--json", "--out", "-").out)
    del data["code"]
    data["given"]["X"][0][0] = "2"
    Path("own.json").write_text(json.dumps(data), encoding="utf-8")
    again = on_stdout("solve", "own.json")
    assert again["given"] == data["given"]
    assert again["code"].startswith("M")


@pytest.mark.parametrize("queries", ['"1"', "[]", "[true]", "[1.5]", '["1"]', "{}"])
def test_a_json_sheet_with_odd_queries_is_refused(queries: str) -> None:
    """What stands there by hand is checked like an option."""
    text = fine("generate", "--seed", "7", "--queries", "1,3", "--json", "--out", "-").text
    assert text.count("[1, 3]") == 1
    assert refused("solve", "-", stdin=text.replace("[1, 3]", queries).encode()) == (
        "standard input: the queries are not a list of numbers: write [1, 3], or take them out"
    )


def test_a_json_sheet_that_asks_a_query_it_has_not_is_refused() -> None:
    """Four tokens have no query 9."""
    text = fine("generate", "--seed", "7", "--queries", "1,3", "--json", "--out", "-").text
    assert refused("solve", "-", stdin=text.replace("[1, 3]", "[9]").encode()).startswith("there is no query 9")


def test_a_salted_json_sheet_needs_its_salt() -> None:
    """Its code cannot be checked without; with it the same sheet comes back, with another it is refused."""
    fine("generate", "--seed", "9", "--salt", "pepper", "--json", "--out", "one.json")
    assert "is salted: give its --salt, or set ATTNHAND_SALT" in refused("solve", "one.json")
    assert "the salt is not that of the code" in refused("solve", "one.json", "--salt", "thyme")
    fine("solve", "one.json", "--salt", "pepper", "--json", "--out", "two.json")
    made = files()
    assert (made["two.json"], made["two-key.json"]) == (made["one.json"], made["one-key.json"])


def test_a_problem_is_read_as_the_core_reads_it() -> None:
    """The command line adds nothing to ``parse_problem`` but the name of the file."""
    broken = '{"given": {"X": [[1, 2], [0]]}}'
    Path("broken.json").write_text(broken, encoding="utf-8")
    with pytest.raises(attnhand.AttnhandError) as error:
        parse_problem(broken, source="broken.json")
    assert refused("solve", "broken.json") == str(error.value)
    assert here("solve", "broken.json").code == 2


def test_conventions_are_those_of_the_file() -> None:
    """A file in rows stays in rows."""
    assert parse_problem((sample_dir() / "guide.json").read_bytes(), source="guide").convention is Convention.ROWS
    assert on_stdout("solve", str(sample_dir() / "guide.json"))["convention"] == "rows"


# how good the numbers are


def test_vet_says_how_good_the_numbers_are() -> None:
    """In place of the sheet, verdict first; nothing is written, and what is amiss is no failure."""
    write_own()
    ran = fine("solve", "own.json", "--vet")
    assert ran.lines[0].endswith("things to know before you print it.")
    assert "✗ " in ran.text
    assert "✓ Fractions are readable" in ran.lines
    assert list(files()) == ["own.json"]


def test_vet_stands_beside_files() -> None:
    """Files are written and named on stdout as without it; the report goes to stderr."""
    write_own()
    report = fine("solve", "own.json", "--vet").text
    ran = here("solve", "own.json", "--vet", "--csv")
    assert (ran.code, ran.lines, ran.err) == (0, ["own.csv", "own-key.csv"], report)
    assert here("solve", "own.json", "--vet", "--json", "--out", "-").err == report


def test_vet_takes_the_place_of_the_sheet() -> None:
    """Which of the two is to be shown is no question then."""
    write_own()
    said = refused("solve", "own.json", "--vet", "--blank")
    assert said == "--vet shows its report in place of the sheet: leave out --blank and --solved"
