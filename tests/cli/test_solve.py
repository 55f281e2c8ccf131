"""``attnhand solve``: sheets of somebody's own matrices, and of sheets that come back as JSON."""

import json
from pathlib import Path
from typing import Any

import pytest

import attnhand
from attnhand.attention.arithmetic import EXACT, HAND, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.sheet.options import PageOptions
from attnhand.system.resources import get_sample_dir
from tests.building import CLASSIC
from tests.cli.running import OWN_PROBLEM, read_files, run_here, run_refused, run_well, write_own_problem
from tests.oracle import solve_by_hand_in_columns

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


def read_printed_sheet(*args: str, stdin: bytes = b"") -> dict[str, Any]:
    """Return the JSON sheet that a command writes to stdout."""
    data: dict[str, Any] = json.loads(run_well(*args, "--json", "--out", "-", stdin=stdin).output)
    return data


# what is solved


def test_the_key_appears_in_the_terminal() -> None:
    """Without a format the solved sheet is shown; with --blank the blank one."""
    write_own_problem()
    sheet = attnhand.solve(OWN_PROBLEM)
    assert run_well("solve", "own.json").text == render_terminal(sheet)
    assert run_well("solve", "own.json", "--solved").text == render_terminal(sheet)
    assert run_well("solve", "own.json", "--blank").text == render_terminal(sheet.blank)
    assert list(read_files()) == ["own.json"]


def test_the_classic_comes_out_as_an_independent_computation_has_it() -> None:
    """Every hand value of the classic sheet equals the oracle's."""
    data = read_printed_sheet("solve", str(get_sample_dir() / "classic.json"), "--solved")
    expected = solve_by_hand_in_columns(CLASSIC)
    assert {stage["name"]: stage["hand"] for stage in data["stages"]} == {
        name: [[str(value) for value in row] for row in a] for name, a in expected.items()
    }


def test_toml_is_read_like_json() -> None:
    """A TOML file gives the sheet that the same problem gives as JSON, from a file or from stdin."""
    Path("own.toml").write_text(TOML, encoding="utf-8")
    write_own_problem(title="By hand", words=["I", "you"])
    expected = run_well("solve", "own.json")
    assert run_well("solve", "own.toml") == expected
    assert run_well("solve", "-", stdin=TOML.encode()) == expected


def test_toml_may_begin_with_a_quoted_key() -> None:
    """The suffix decides that it is TOML, whatever its first character."""
    Path("own.toml").write_text(TOML.replace("title", '"title"'), encoding="utf-8")
    Path("plain.toml").write_text(TOML, encoding="utf-8")
    assert run_well("solve", "own.toml") == run_well("solve", "plain.toml")


def test_a_file_may_have_any_suffix_or_none() -> None:
    """Whether it is JSON or TOML is then seen from the text."""
    write_own_problem("own.txt")
    write_own_problem("own")
    Path("toml.txt").write_text(TOML, encoding="utf-8")
    assert run_well("solve", "own.txt") == run_well("solve", "own")
    assert run_well("solve", "toml.txt", "--json").lines == ["toml.json", "toml-key.json"]


def test_a_dash_reads_standard_input() -> None:
    """What is piped in is solved like a file; files are named after its code."""
    path = write_own_problem()
    data = path.read_bytes()
    assert run_well("solve", "-", stdin=data) == run_well("solve", "own.json")
    name = f"attnhand-{attnhand.solve(OWN_PROBLEM).code}"
    assert run_well("solve", "-", "--html", stdin=data).lines == [f"{name}.html", f"{name}-key.html"]


def test_exact_numbers_stay_exact() -> None:
    """Decimals and fractions come back as they were written."""
    given = {"X": [[0.1, "1/3"], ["−2", 1]], "W_Q": [["0.50", 1]], "W_K": [[1, 0]], "W_V": [[3, "2/6"]]}
    write_own_problem(given=given)
    assert read_printed_sheet("solve", "own.json")["given"] == {
        "X": [["1/10", "1/3"], ["-2", "1"]],
        "W_Q": [["1/2", "1"]],
        "W_K": [["1", "0"]],
        "W_V": [["3", "1/3"]],
    }


# files


@pytest.mark.parametrize(("option", "suffix"), [("--html", "html"), ("--csv", "csv"), ("--markdown", "md")])
def test_files_are_named_after_the_problem_file(option: str, suffix: str) -> None:
    """``p.json`` makes ``p.html`` and ``p-key.html``, in the current folder wherever the problem lies."""
    write_own_problem("lessons/week 3.v2.json")
    names = [f"week 3.v2.{suffix}", f"week 3.v2-key.{suffix}"]
    assert run_well("solve", "lessons/week 3.v2.json", option).lines == names
    sheet, sheet_format = attnhand.solve(OWN_PROBLEM), FORMATS[option.removeprefix("--")]
    assert {name: read_files()[name] for name in names} == {
        names[0]: sheet_format.render_file(sheet.blank),
        names[1]: sheet_format.render_file(sheet.key),
    }


def test_the_problem_file_itself_is_never_replaced() -> None:
    """The blank JSON sheet would take the problem's name: refused, and the problem stays as it is."""
    write_own_problem()
    assert run_refused("solve", "own.json", "--json") == (
        "own.json exists and is not as this program wrote it: choose another --out, or replace it with --force"
    )
    assert run_well("solve", "own.json", "--json", "--solved").lines == ["own-key.json"]
    assert run_well("solve", "own.json", "--json", "--out", "sheet.json").lines == ["sheet.json", "sheet-key.json"]


# options on somebody's own problem


@pytest.mark.parametrize(
    ("options", "rules"),
    [
        ((), Rules(scale=3, base=Base.TWO, decimals=5)),
        (("--rules", "hand"), HAND),
        (("--rules", "exact"), EXACT),
        (("--rules", "exact", "--decimals", "4"), Rules(scale=ScaleRule.SQRT, base=Base.E, decimals=4)),
        (("--scale", "none"), Rules(scale=ScaleRule.NONE, base=Base.TWO, decimals=5)),
        (("--base", "10", "--decimals", "1"), Rules(scale=3, base=Base.TEN, decimals=1)),
    ],
    ids=str,
)
def test_the_house_rules_can_be_others(options: tuple[str, ...], rules: Rules) -> None:
    """Rules that the options name take the place of the file's; what they do not name stays."""
    write_own_problem(rules={"scale": 3, "base": "2", "decimals": 5})
    assert run_well("solve", "own.json", *options).text == render_terminal(
        attnhand.solve({**OWN_PROBLEM, "rules": rules})
    )


def test_a_file_without_a_convention_is_read_in_the_one_that_is_asked_for() -> None:
    """Nothing is turned in silence: rows stay the rows that the author wrote."""
    transposed = {name: [list(row) for row in zip(*a, strict=True)] for name, a in OWN_PROBLEM["given"].items()}
    write_own_problem(given=transposed)
    expected = attnhand.solve({**transposed, "convention": "rows"})
    assert run_well("solve", "own.json", "--convention", "rows").text == render_terminal(expected)
    assert "mirrored" not in render_terminal(expected)
    write_own_problem()
    assert run_well("solve", "own.json", "--convention", "columns") == run_well("solve", "own.json")


def test_a_file_whose_shapes_fit_the_other_convention_is_told_so() -> None:
    """Five tokens as rows are no five features; where neither way fits, nothing is promised."""
    rows = {"X": [[1, 2, 0], [0, 1, 1], [1, 0, 1], [2, 1, 0], [1, 1, 1]], "W_Q": [[1, 0], [0, 1], [1, 1]]}
    rows |= {"W_K": [[0, 1], [1, 0], [1, 0]], "W_V": [[1, 0], [0, 1], [1, 1]]}
    write_own_problem(given=rows)
    refused = run_refused("solve", "own.json")
    assert refused.endswith('; or, since with tokens as rows everything fits: write "convention": "rows"')
    assert run_well("solve", "own.json", "--convention", "rows").text
    columns = {name: [list(row) for row in zip(*a, strict=True)] for name, a in rows.items()}
    write_own_problem(given=columns, convention="rows")
    assert 'with tokens as columns everything fits: write "convention": "columns"' in run_refused("solve", "own.json")
    write_own_problem(given={**rows, "W_Q": [[1, 0], [0, 1]]})
    assert "everything fits" not in run_refused("solve", "own.json")


def test_a_file_that_names_its_convention_is_mirrored_and_the_sheet_says_so() -> None:
    """--convention rows lays columns out as rows, with the same numbers."""
    write_own_problem(convention="columns")
    transposed = {name: [list(row) for row in zip(*a, strict=True)] for name, a in OWN_PROBLEM["given"].items()}
    mirrored = run_well("solve", "own.json", "--convention", "rows").text
    assert "mirrored: your columns are rows here" in mirrored
    plain = render_terminal(attnhand.solve({**transposed, "convention": "rows"}))
    assert [line for line in mirrored.splitlines() if "mirrored" not in line][2:] == plain.splitlines()[2:]
    assert "mirrored" not in run_well("solve", "own.json", "--convention", "columns").text
    write_own_problem(convention="rows", given=transposed)
    assert "mirrored: your rows are columns here" in run_well("solve", "own.json", "--convention", "columns").text


def test_words_and_title_can_be_others() -> None:
    """The options' words and title go before the file's; an empty title takes the file's away."""
    write_own_problem(words=["I", "you"], title="Ours")
    assert run_well("solve", "own.json").text == render_terminal(
        attnhand.solve({**OWN_PROBLEM, "words": ["I", "you"], "title": "Ours"})
    )
    assert run_well("solve", "own.json", "--words", "a a", "--title", "").text == render_terminal(
        attnhand.solve({**OWN_PROBLEM, "words": ["a", "a"]})
    )


def test_page_options_serve_own_problems_too() -> None:
    """Queries, exact column and check sums are those of the API."""
    write_own_problem()
    expected = attnhand.solve(OWN_PROBLEM, options=PageOptions(only_queries=(2,), show_exact=True, check_sums=True))
    options = ["--only-queries", "2", "--show-exact", "--check-sums"]
    assert run_well("solve", "own.json", *options, "--html", "--out", "-").output == FORMATS["html"].render_file(
        expected.blank
    )


@pytest.mark.parametrize(
    "options",
    [
        ("--seed", "7"),
        ("--level", "warm-up"),
        ("--tokens", "2"),
        ("--features", "2"),
        ("--d-k", "1"),
        ("--d-v", "1"),
        ("--allow-ties",),
        ("--mechanism", "self"),
    ],
    ids=" ".join,
)
def test_what_only_a_drawn_sheet_has_is_refused(options: tuple[str, ...]) -> None:
    """Options that shape a draw would be passed over without a word."""
    write_own_problem()
    assert run_refused("solve", "own.json", *options) == (
        f"{options[0]} is for drawn sheets, but own.json brings its own matrices: leave it out"
    )


# sheets that come back as JSON


DRAWN_OPTION_CASES: list[tuple[str, ...]] = [
    (),
    ("--convention", "rows"),
    ("--rules", "exact", "--decimals", "3"),
    ("--scale", "5", "--base", "2", "--tokens", "5"),
    ("--allow-ties", "--level", "challenge"),
    ("--tokens", "8"),
    ("--words", "the cat saw it", "--title", "Week 3"),
    ("--only-queries", "2,4"),
]


@pytest.mark.parametrize("solved", [False, True])
@pytest.mark.parametrize("options", DRAWN_OPTION_CASES, ids=" ".join)
def test_a_json_sheet_makes_the_same_sheet_again(options: tuple[str, ...], solved: bool) -> None:
    """From the blank or from the solved JSON sheet come the same two sheets: code, words, title, queries and all."""
    run_well("generate", "--seed", "9", *options, "--json", "--out", "one.json")
    run_well("solve", "one-key.json" if solved else "one.json", "--json", "--out", "two.json")
    files = read_files()
    assert (files["two.json"], files["two-key.json"]) == (files["one.json"], files["one-key.json"])
    assert read("two.json")["seed"] == 9


def test_a_json_sheet_goes_by_its_seed() -> None:
    """Files made from a drawn sheet's JSON are named as ``generate`` names them."""
    run_well("generate", "--seed", "9", "--convention", "rows", "--json", "--out", "one.json")
    assert (
        run_well("solve", "one.json", "--html").lines
        == run_well("generate", "--seed", "9", "--convention", "rows", "--html").lines
    )


@pytest.mark.parametrize("solved", [False, True])
@pytest.mark.parametrize("name", ["classic", "guide", "three-words"])
def test_the_json_sheet_of_own_matrices_makes_the_same_sheet_again(name: str, solved: bool) -> None:
    """Somebody's own problem comes back from its JSON sheet with the same fingerprint."""
    run_well("key", name, "--json", "--out", "one.json", "--only-queries", "1,3")
    run_well("solve", "one-key.json" if solved else "one.json", "--json", "--out", "two.json")
    files = read_files()
    assert (files["two.json"], files["two-key.json"]) == (files["one.json"], files["one-key.json"])


def test_a_json_sheet_by_pipe() -> None:
    """What ``generate`` writes to stdout ``solve -`` reads."""
    ask = ["--json", "--out", "-"]
    blank = run_well("generate", "--seed", "9", *ask).output
    solved = run_well("generate", "--seed", "9", *ask, "--solved").output
    assert run_well("solve", "-", *ask, stdin=solved).output == blank
    assert run_well("solve", "-", *ask, "--solved", stdin=blank).output == solved


def test_options_go_before_what_a_json_sheet_says() -> None:
    """Words, title and queries of the options take the place of the sheet's."""
    run_well(
        "generate",
        "--seed",
        "9",
        "--words",
        "a b c d",
        "--title",
        "T",
        "--only-queries",
        "1",
        "--json",
        "--out",
        "one.json",
    )
    options = ["--words", "e f g h", "--title", "U", "--only-queries", "2"]
    assert run_well("solve", "one.json", *options) == run_well("generate", "--seed", "9", *options, "--solved")


def test_other_rules_make_it_a_problem_of_ones_own() -> None:
    """The matrices of a drawn sheet, worked by other rules, get a fingerprint: its own code would be a lie."""
    run_well("generate", "--seed", "9", "--json", "--out", "one.json")
    drawn = attnhand.generate(seed=9).problem
    text = format_problem(drawn).replace('"half-floor"', '"sqrt"').replace('"base": "3"', '"base": "e"')
    Path("own.json").write_text(text, encoding="utf-8")
    expected = run_well("solve", "own.json")
    assert run_well("solve", "one.json", "--rules", "exact") == expected
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
    run_well("generate", "--seed", "7", "--json", "--out", "one.json")
    text = Path("one.json").read_text(encoding="utf-8")
    assert text.count(old) == 1
    Path("one.json").write_text(text.replace(old, new), encoding="utf-8")
    assert run_refused("solve", "one.json") == (
        "one.json: its matrices and rules are not those of its code A1Q0-0000-000W: take out the code, or the change"
    )


def test_an_altered_convention_is_refused_even_where_the_shapes_fit() -> None:
    """Square matrices fit both conventions; the code knows which."""
    square = ["--tokens", "3", "--features", "3", "--d-k", "3", "--d-v", "3"]
    run_well("generate", "--seed", "3", *square, "--json", "--out", "one.json")
    text = Path("one.json").read_text(encoding="utf-8")
    Path("one.json").write_text(text.replace('"convention": "columns"', '"convention": "rows"'), encoding="utf-8")
    assert "its matrices and rules are not those of its code" in run_refused("solve", "one.json")


def test_a_json_sheet_with_a_mistyped_code_is_refused() -> None:
    """It is not read as somebody's own problem, whose code would be another."""
    text = run_well("generate", "--seed", "7", "--json", "--out", "-").text.replace("A1Q0-0000-000W", "A1Q0-0000-000X")
    assert run_refused("solve", "-", stdin=text.encode()).startswith("the code A1Q0-0000-000X does not check")


def test_without_its_code_an_altered_sheet_is_a_problem_of_ones_own() -> None:
    """Who takes out the code may change what they like."""
    data = json.loads(run_well("generate", "--seed", "7", "--json", "--out", "-").output)
    del data["code"]
    data["given"]["X"][0][0] = "2"
    Path("own.json").write_text(json.dumps(data), encoding="utf-8")
    again = read_printed_sheet("solve", "own.json")
    assert again["given"] == data["given"]
    assert again["code"].startswith("M")


@pytest.mark.parametrize("queries", ['"1"', "[]", "[true]", "[1.5]", '["1"]', "{}"])
def test_a_json_sheet_with_odd_queries_is_refused(queries: str) -> None:
    """What stands there by hand is checked like an option."""
    text = run_well("generate", "--seed", "7", "--only-queries", "1,3", "--json", "--out", "-").text
    assert text.count("[1, 3]") == 1
    assert run_refused("solve", "-", stdin=text.replace("[1, 3]", queries).encode()) == (
        'standard input: "only_queries" is not a list of numbers: write [1, 3], or take it out'
    )


def test_a_json_sheet_that_asks_a_query_it_has_not_is_refused() -> None:
    """Four tokens have no query 9."""
    text = run_well("generate", "--seed", "7", "--only-queries", "1,3", "--json", "--out", "-").text
    assert run_refused("solve", "-", stdin=text.replace("[1, 3]", "[9]").encode()).startswith("there is no query 9")


def test_a_salted_json_sheet_needs_its_salt() -> None:
    """Its code cannot be checked without; with it the same sheet comes back, with another it is refused."""
    run_well("generate", "--seed", "9", "--salt", "pepper and salt", "--json", "--out", "one.json")
    assert "is salted: give its --salt, or set ATTNHAND_SALT" in run_refused("solve", "one.json")
    assert "the salt is not that of the code" in run_refused("solve", "one.json", "--salt", "thyme and sage")
    run_well("solve", "one.json", "--salt", "pepper and salt", "--json", "--out", "two.json")
    files = read_files()
    assert (files["two.json"], files["two-key.json"]) == (files["one.json"], files["one-key.json"])


def test_a_problem_is_read_as_the_core_reads_it() -> None:
    """The command line adds nothing to ``parse_problem`` but the name of the file."""
    broken = '{"given": {"X": [[1, 2], [0]]}}'
    Path("broken.json").write_text(broken, encoding="utf-8")
    with pytest.raises(attnhand.AttnhandError) as error:
        parse_problem(broken, source="broken.json")
    assert run_refused("solve", "broken.json") == str(error.value)
    assert run_here("solve", "broken.json").exit_code == 2


def test_conventions_are_those_of_the_file() -> None:
    """A file in rows stays in rows."""
    assert parse_problem((get_sample_dir() / "guide.json").read_bytes(), source="guide").convention is Convention.ROWS
    assert read_printed_sheet("solve", str(get_sample_dir() / "guide.json"))["convention"] == "rows"


# how good the numbers are


def test_vet_says_how_good_the_numbers_are() -> None:
    """In place of the sheet, verdict first; nothing is written, and what is amiss is no failure."""
    write_own_problem()
    ran = run_well("solve", "own.json", "--vet")
    assert ran.lines[3].endswith("things to know before you print it.")
    assert "✗ " in ran.text
    assert "✓ Fractions are readable" in ran.lines
    assert list(read_files()) == ["own.json"]


def test_vet_stands_beside_files() -> None:
    """Files are written and named on stdout as without it; the report goes to stderr."""
    write_own_problem()
    report = run_well("solve", "own.json", "--vet").text
    ran = run_here("solve", "own.json", "--vet", "--csv")
    assert (ran.exit_code, ran.lines, ran.error_text) == (0, ["own.csv", "own-key.csv"], report)
    assert run_here("solve", "own.json", "--vet", "--json", "--out", "-").error_text == report


def test_vet_takes_the_place_of_the_sheet() -> None:
    """Which of the two is to be shown is no question then."""
    write_own_problem()
    message = run_refused("solve", "own.json", "--vet", "--blank")
    assert message == "--vet shows its report in place of the sheet: leave out --blank and --solved"
