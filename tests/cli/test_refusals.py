"""Bad input: each is refused in one sentence that says what to do, with exit code 2, and nothing is written."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import OWN_PROBLEM, read_files, run_here, run_program, run_refused, write_own_problem

IDENTITY = [[1, 0], [0, 1]]


def own(**changes: Any) -> bytes:
    """Write the small problem as JSON, with other settings beside its matrices."""
    return json.dumps({**OWN_PROBLEM, **changes}).encode()


def give(**matrices: Any) -> bytes:
    """Write the small problem as JSON, with other matrices."""
    return own(given={**OWN_PROBLEM["given"], **matrices})


# options

OPTIONS: list[tuple[tuple[str, ...], str]] = [
    # seeds and sizes
    (("--seed", "-1"), "the seed -1 is out of range: use a whole number from 0 to 4294967295"),
    (("--seed", "4294967296"), "the seed 4294967296 is out of range"),
    (("--seed", "9" * 100), "is out of range: use a whole number from 0 to 4294967295"),
    (("--tokens", "1"), "--tokens 1 is out of range: use 2 to 12"),
    (("--tokens", "0"), "--tokens 0 is out of range: use 2 to 12"),
    (("--tokens", "13"), "--tokens 13 is out of range: use 2 to 12"),
    (("--tokens", "-4"), "--tokens -4 is out of range: use 2 to 12"),
    (("--features", "1"), "--features 1 is out of range: use 2 to 12"),
    (("--features", "13"), "--features 13 is out of range: use 2 to 12"),
    (("--d-k", "0"), "--d-k 0 is out of range: use 1 to 8"),
    (("--d-k", "9"), "--d-k 9 is out of range: use 1 to 8"),
    (("--d-v", "0"), "--d-v 0 is out of range: use 1 to 8"),
    (("--d-v", "999999999999999999999"), "--d-v 999999999999999999999 is out of range: use 1 to 8"),
    # words
    (("--words", "the cat the dog"), "--words says 'the' twice, but every token is drawn on its own: give different"),
    (("--words", "the cat saw", "--tokens", "4"), "--tokens 4 and 3 words contradict each other: leave out --tokens"),
    (("--words", "the"), "--words has 1 word: give 2 to 12, one for each token"),
    (("--words", " ".join("abcdefghijklm")), "--words has 13 words, more than a page holds: give 2 to 12"),
    (("--words", ""), "--words has no word: give one for each token"),
    (("--words", " \t "), "--words has no word: give one for each token"),
    (("--words", "incomprehensible cat"), "has 16 characters: a word has at most 10; shorten it"),
    (
        ("--words", "the 🐈 saw"),
        "the word '🐈' holds '🐈' (U+1F408), which the bundled font cannot print: leave it out",
    ),
    (("--words", "שלום cat"), "the word 'שלום' holds 'ש' (U+05E9), which the bundled font cannot print: leave it out"),
    (("--words", "مرحبا cat"), "which the bundled font cannot print: leave it out"),
    (("--words", "ca\u202et dog"), "which the bundled font cannot print: leave it out"),
    (("--words", "ca\u0007t dog"), "the word 'ca\\x07t' holds '\\x07' (U+0007), which the bundled font cannot print"),
    (("--words", "the ca\udcff", "--embed"), "--words 'the ca\\udcff' holds bytes that are no text: write it in UTF-8"),
    (("--salt", "\udcff"), "--salt '\\udcff' holds bytes that are no text: write it in UTF-8"),
    # a web sheet that checks
    (("--self-check",), "--self-check is for a blank sheet on a screen: add --html or --xlsx, and leave out --solved"),
    (("--self-check", "--pdf"), "--self-check is for a blank sheet on a screen: add --html or --xlsx"),
    (("--self-check", "--html", "--solved"), "add --html or --xlsx, and leave out --solved"),
    (
        ("--self-check", "--html", "--mistake"),
        "but attnhand check marks it as a form, --fillable: leave out --self-check, or --mistake any",
    ),
    # title
    (("--title", "x" * 500), "has 500 characters: a title has at most 100; shorten it"),
    (("--title", "x" * 101), "has 101 characters: a title has at most 100; shorten it"),
    (("--title", "Attention 🎉"), "holds '🎉' (U+1F389), which the bundled font cannot print: leave it out"),
    (("--title", "two\nlines"), "the title 'two\\nlines' holds '\\n' (U+000A), which the bundled font cannot print"),
    (
        ("--title", "\x1b[31mred"),
        "the title '\\x1b[31mred' holds '\\x1b' (U+001B), which the bundled font cannot print",
    ),
    (("--title", "שלום"), "which the bundled font cannot print: leave it out"),
    (("--title", "\udcff"), "which the bundled font cannot print: leave it out"),
    # queries
    (("--only-queries", "5"), "there is no query 5: the sheet has 4 tokens; ask some of 1 to 4"),
    (("--only-queries", "1,2,9"), "there is no query 9: the sheet has 4 tokens; ask some of 1 to 4"),
    (("--only-queries", "0"), "there is no query 0: the sheet has 4 tokens; ask some of 1 to 4"),
    (
        ("--only-queries", ""),
        "--only-queries '' is no list of queries: write numbers with commas, such as --only-queries 1,3",
    ),
    (("--only-queries", ","), "--only-queries ',' is no list of queries: write numbers with commas"),
    (("--only-queries", "1,,3"), "--only-queries '1,,3' is no list of queries: write numbers with commas"),
    (("--only-queries", "1 3"), "--only-queries '1 3' is no list of queries: write numbers with commas"),
    (("--only-queries", "-1"), "--only-queries '-1' is no list of queries: write numbers with commas"),
    (("--only-queries", "first"), "--only-queries 'first' is no list of queries: write numbers with commas"),
    (("--only-queries", "²"), "--only-queries '²' is no list of queries: write numbers with commas"),
    (("--only-queries", "9" * 5000), "is no list of queries: write numbers with commas"),
    # rules
    (("--scale", "0"), "the scale 0 is out of range: divide by a whole number from 2 to 1000"),
    (("--scale", "1"), "the scale 1 is out of range: divide by a whole number from 2 to 1000"),
    (("--scale", "1001"), "the scale 1001 is out of range: divide by a whole number from 2 to 1000"),
    (("--scale", "-2"), "the scale '-2' is unknown: use half-floor, none, sqrt or a whole number to divide by"),
    (("--scale", "abc"), "the scale 'abc' is unknown: use half-floor, none, sqrt or a whole number to divide by"),
    (("--scale", "1.5"), "the scale '1.5' is unknown: use half-floor, none, sqrt or a whole number to divide by"),
    (("--scale", ""), "the scale '' is unknown: use half-floor, none, sqrt or a whole number to divide by"),
    (("--decimals", "0"), "0 decimals cannot be printed: choose 1 to 6"),
    (("--decimals", "7"), "7 decimals cannot be printed: choose 1 to 6"),
    (("--decimals", "-1"), "-1 decimals cannot be printed: choose 1 to 6"),
    # page
    (("--language", "xx"), "the language 'xx' is unknown: use en"),
    (("--language", ""), "the language '' is unknown: use en"),
    (("--language", "../en"), "the language '../en' is unknown: use en"),
    (("--salt", ""), "--salt is empty, so the sheet would have none: give a text, or leave out --salt"),
    (("--blank", "--solved"), "--blank and --solved contradict each other: leave out both for the sheet and its key"),
]


@pytest.mark.parametrize("command", [("generate", "--seed", "7"), ("key", "7", "--json")], ids=" ".join)
@pytest.mark.parametrize(("options", "message"), OPTIONS, ids=lambda value: str(value)[:40])
def test_an_option_that_cannot_be(command: tuple[str, ...], options: tuple[str, ...], message: str) -> None:
    """With files and without, the sentence is the same."""
    if options[0] == "--seed" and command[0] == "key":
        message = f"--seed {options[1]} contradicts the seed 7: leave out --seed"
    assert message in run_refused(*command, *options)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--tokens", "8", "--large-print", "--html"), "in large print a sheet of"),
        (("--tokens", "12", "--features", "12", "--d-k", "8", "--d-v", "8", "--level", "warm-up", "--large-print",
          "--html"),
         "choose smaller sizes"),
        (("--tokens", "12", "--features", "12", "--only-queries", "1,2,3,4,5,6,7,8,9,10,11,12", "--html", "--d-k", "8",
          "--d-v", "8", "--level", "warm-up", "--decimals", "6"), "choose smaller sizes"),
        (("--tokens", "12", "--features", "12", "--d-k", "1", "--level", "challenge", "--base", "10"),
         "finds no good sheet of level"),
    ],
)  # fmt: skip
def test_what_cannot_be_drawn_or_printed(options: tuple[str, ...], message: str) -> None:
    """A request that no draw meets and a sheet that no page holds are refused with the reason."""
    assert message in run_refused("generate", "--seed", "7", *options)


EMPTY_NAMES: dict[tuple[str, ...], str] = {
    ("key", ""): "key needs SOURCE: type, say, attnhand key A1Q0-0000-000W",
    ("solve", ""): "solve needs PROBLEM: type, say, attnhand solve my.json --pdf",
    ("check", ""): "check needs ANSWERS: type, say, attnhand check sara.json",
    ("explain", "", "S11"): "explain needs SOURCE",
    ("class", ""): "who is in the class: give a roster, or --count 30",
    ("key", "7", "--class", ""): "--class is empty: write a name after it, or leave --class out",
    ("check", "a.csv", "--against", ""): "--against is empty",
    ("check", "a.csv", "--report", ""): "--report is empty",
    ("class", "--count", "2", "--out", ""): "--out is empty",
    ("practice", "7", "--out", ""): "--out is empty",
    ("generate", "--story", ""): "--story is empty",
}
"""What a shell hands on where a variable is not set."""


@pytest.mark.parametrize(("command", "message"), EMPTY_NAMES.items(), ids=str)
def test_an_empty_name_is_none(command: tuple[str, ...], message: str) -> None:
    """It is no folder, although for the system it is the one that we are in."""
    assert message in run_refused(*command)


USAGE: list[tuple[str, ...]] = [
    ("nonsense",),
    ("generate", "--nonsense"),
    ("generate", "left over"),
    ("generate", "--seed"),
    ("generate", "--seed", "seven"),
    ("generate", "--seed", "7.5"),
    ("generate", "--seed", "9" * 5000),
    ("generate", "--level", "hard"),
    ("generate", "--base", "7"),
    ("generate", "--convention", "diagonal"),
    ("generate", "--rules", "exactly"),
    ("generate", "--paper", "a3"),
    ("generate", "--decimals", "two"),
    ("generate", "--tokens", ""),
    ("generate", "--pdf=yes"),
    ("solve",),
    ("solve", "one", "two"),
    ("key",),
    ("key", "-1"),
    ("explain", "7"),
    ("explain", "7", "S11", "--pdf"),
    ("samples", "one", "two"),
    ("samples", "--json"),
]


@pytest.mark.parametrize("args", USAGE, ids=lambda args: " ".join(args)[:40])
def test_a_command_line_that_is_none(args: tuple[str, ...]) -> None:
    """One sentence on stderr, with exit code 2; nothing on stdout, no traceback, no file."""
    message = run_refused(*args)
    assert "Error" not in message
    assert len(message) < 300
    assert read_files() == {}


CORRECTED: list[tuple[tuple[str, ...], str]] = [
    (("genrate",), "there is no command 'genrate': did you mean attnhand generate?"),
    (("7",), "there is no command '7': did you mean attnhand key 7?"),
    (("my.json",), "there is no command 'my.json': did you mean attnhand solve my.json?"),
    (("--pdf",), "there is no option '--pdf' before a command: write the command first, as in attnhand generate --pdf"),
    (("generate", "--sed", "7"), "there is no option '--sed': did you mean --seed?"),
    (("generate", "--bogus"), "there is no option '--bogus': look at attnhand generate --help"),
    (("generate", "7"), "'7' is left over: to name a seed, type attnhand generate --seed 7"),
    (("generate", "my.json"), "'my.json' is left over: for matrices of your own, type attnhand solve my.json"),
    (("generate", "--words", "the", "cat"), "'cat' is left over: put quotes around words that belong together"),
    (("generate", "--seed"), "--seed needs a value after it: write one, or leave --seed out"),
    (("generate", "--seed", "x"), "--seed wants a whole number: write it in digits, such as --seed 7"),
    (("generate", "--pdf=yes"), "--pdf takes no value: leave out what stands after its ="),
    (("generate", "--level", "standrad"), "--level 'standrad' is unknown: did you mean standard?"),
    (("generate", "--level", "hard"), "--level 'hard' is unknown: use first, warm-up, standard or challenge"),
    (("explain", "7"), "explain needs CELL: type, say, attnhand explain 7 S23; look at attnhand explain --help"),
    (("samples", "clasic"), "there is no sample 'clasic': did you mean classic?"),
    (("key", "clasic"), "'clasic' names nothing: did you mean the sample classic?"),
    (("solve", "7"), "'7' is not there: give a problem file, JSON or TOML, or type attnhand key 7"),
]


@pytest.mark.parametrize(("args", "message"), CORRECTED, ids=lambda value: str(value)[:40])
def test_what_was_probably_meant_is_said(args: tuple[str, ...], message: str) -> None:
    """The sentence names the nearest command, option or value, or what to type instead."""
    assert message in run_refused(*args)


# files

PROBLEMS: dict[str, tuple[bytes, str]] = {
    "empty": (b"", "is empty: write a problem in JSON or TOML"),
    "blanks": (b" \n\t\n", "is empty: write a problem in JSON or TOML"),
    "binary": (bytes(range(256)) * 10, "is not UTF-8 text: save it as UTF-8"),
    "null bytes": (b"\0" * 100, "is not valid JSON"),
    "UTF-16": ('{"given": {}}'.encode("utf-16"), "is not UTF-8 text: save it as UTF-8"),
    "not JSON": (b'{"given": ', "is not valid JSON at line 1, column 11"),
    "JSON with a comma too many": (b'{"given": {},}', "is not valid JSON at line 1"),
    "JSON with comments": (b'{"given": {} // ours\n}', "is not valid JSON at line 1"),
    "a list": (b"[1, 2]", "is a list, not a problem: write"),
    "a number": (b"7", "is 7, not a problem: write"),
    "a text": (b'"X"', "is 'X', not a problem: write"),
    "nothing given": (b"{}", '"given" is missing: put the matrices X, W_Q, W_K, W_V under that key'),
    "too deep": (b"[" * 100_000, "is nested too deep"),
    "a key twice": (b'{"given": {}, "given": {}}', "has the key 'given' twice: leave out one of the two"),
    "an unknown key": (own(gievn=1), "the key 'gievn' is unknown: did you mean given?"),
    "a matrix beside given": (own(X=IDENTITY), 'X stands beside "given": move it into "given"'),
    "an unknown matrix": (give(W_O=IDENTITY), "'W_O' is not a matrix of this mechanism (self)"),
    "an unknown mechanism": (own(mechanism="magic"), "the mechanism 'magic' is unknown: use self"),
    "an unknown convention": (own(convention="row"), "the convention 'row' is unknown: use columns or rows"),
    "an unknown rule": (own(rules={"bass": "3"}), "the rule 'bass' is unknown: did you mean base?"),
    "an unknown base": (own(rules={"base": 7}), "the base 7 is unknown: use 2, 3, 10, e"),
    "a scale of 1": (own(rules={"scale": 1}), "the scale 1 is out of range"),
    "rules that are none": (own(rules="exact"), "the rules are 'exact': write them as"),
    "a format of the future": (own(format="attnhand/2"), "the format 'attnhand/2' is unknown"),
    "no X": (json.dumps({"given": {"W_Q": [[1, 0]]}}).encode(), "X is missing: add X"),
    "an empty matrix": (give(X=[]), "X is empty: write a list of rows such as"),
    "an empty row": (give(X=[[], []]), "X, row 1 is empty: give every row as many numbers"),
    "a ragged matrix": (give(X=[[1, 2], [0]]), "X, row 2 has 1 number but row 1 has 2 numbers: give both as many"),
    "a row that is none": (give(X=[1, 2]), "X, row 1 is 1, not a row of numbers: write"),
    "a matrix that is none": (give(X="eye"), "X is 'eye', not a matrix: write"),
    "a wrong shape": (give(W_Q=[[1, 0, 1]]), "W_Q is 1 × 3 but its columns must be 2 (features), because X has 2"),
    "shapes that disagree": (give(W_K=IDENTITY), "W_K is 2 × 2 but its rows must be 1 (d_k), because W_Q has 1 rows"),
    "one token": (give(X=[[1], [2]]), "X has 1 columns, so tokens would be 1: it can be 2 to 12"),
    "too many tokens": (give(X=[[1] * 13] * 2), "X has 13 columns, so tokens would be 13: it can be 2 to 12"),
    "a matrix out of hand": (give(X=[[1] * 500] * 2), "far more than a page holds: give a smaller matrix"),
    "NaN": (give(X=[[1, 2], [0, float("nan")]]), "X, row 2, column 2 is NaN, not a finite number"),
    "infinity": (give(X=[[1, 2], [0, float("inf")]]), "X, row 2, column 2 is Infinity, not a finite number"),
    "1e999": (give(X=[[1, 2], [0, 1]]).replace(b"[0, 1]]", b"[0, 1e999]]", 1), "X, row 2, column 2 is 1E+999"),
    "a word among numbers": (give(X=[[1, "two"], [0, 1]]), "X, row 1, column 2"),
    "an empty text": (give(X=[[1, ""], [0, 1]]), "X, row 1, column 2"),
    "a division by zero": (give(X=[[1, "1/0"], [0, 1]]), "X, row 1, column 2"),
    "true": (give(X=[[True, 2], [0, 1]]), "X, row 1, column 1 is true, not a number"),
    "null among numbers": (give(X=[[1, None], [0, 1]]), "X, row 1, column 2 is null, not a number"),
    "a list too deep": (give(X=[[[1], 2], [0, 1]]), "X, row 1, column 1 is a list, not a number"),
    "a number too large": (give(X=[[10_000, 2], [0, 1]]), "X, row 1, column 1 is 10000: numbers beyond ±9999"),
    "a number out of hand": (give(X=[[7, 2], [0, 1]]).replace(b"7", b"7" * 5000), "X, row 1, column 1 is 7777777777"),
    "too many decimals": (give(X=[["0.1234567", 2], [0, 1]]), "X, row 1, column 1 has too many decimals"),
    "too few words": (own(words=["I"]), "there are 1 words for 2 tokens: give one word for each token, or none"),
    "words that are none": (own(words="I you"), "the words are 'I you', not a list: write"),
    "a word that is none": (own(words=["I", 2]), "word 2 is 2, not a text: put it in quotes"),
    "a word too long": (own(words=["I", "incomprehensible"]), "has 16 characters: a word has at most 10; shorten it"),
    "a title too long": (own(title="x" * 500), "has 500 characters: a title has at most 100; shorten it"),
    "a title that is none": (own(title=["T"]), "the title is a list, not a text: put it in quotes"),
    "emoji": (own(title="🎉"), "holds '🎉' (U+1F389), which the bundled font cannot print: leave it out"),
    "half a character": (b'{"title": "\\ud83d", ' + own()[1:], "which holds half a character: leave that out"),
}  # fmt: skip


@pytest.mark.parametrize("problem", PROBLEMS)
def test_a_problem_file_that_is_none(problem: str) -> None:
    """From a file and from standard input, whatever was asked for."""
    data, message = PROBLEMS[problem]
    Path("my.json").write_bytes(data)
    from_file = run_refused("solve", "my.json", "--html", "--csv")
    assert message in from_file
    assert run_refused("explain", "my.json", "S11") == from_file
    assert message in run_refused("solve", "-", "--html", stdin=data)


def test_sentences_about_files_name_the_file() -> None:
    """What is wrong inside a file is said with its name, or as standard input."""
    Path("my.json").write_bytes(b"[]")
    assert run_refused("solve", "my.json").startswith("my.json is a list, not a problem")
    assert run_refused("solve", "-", stdin=b"[]").startswith("standard input is a list, not a problem")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("given = [", "is not valid TOML ("),
        ("[given]\nX = [[1, 2], [0, 1]]\nX = 1", "is not valid TOML ("),
        ("just some words", "is not valid TOML ("),
        ("a." * 3000 + "b = 1", "holds more than 2,000 points"),
        ("[given]\nX = [[nan, 2], [0, 1]]", "X, row 1, column 1 is NaN, not a finite number"),
        ("[given]\nX = [[1979-05-27, 2], [0, 1]]", "X, row 1, column 1 is of type date, not a number"),
        ("titel = 'T'", "the key 'titel' is unknown: did you mean title?"),
    ],
)
def test_a_toml_file_that_is_no_problem(text: str, message: str) -> None:
    """TOML is refused with its own reasons."""
    Path("my.toml").write_text(text, encoding="utf-8")
    assert message in run_refused("solve", "my.toml")


@pytest.mark.parametrize("size", [250_000, 2_000_000])
def test_a_huge_file_is_refused(size: int) -> None:
    """Neither is worked on; the larger is not even read to its end."""
    data = own()[:-1] + b" " * size + b"}"
    Path("huge.json").write_bytes(data)
    for message in (run_refused("solve", "huge.json"), run_refused("solve", "-", stdin=data)):
        assert "is too large" in message or "is larger than any problem file" in message


@pytest.mark.parametrize("command", [("solve",), ("key",), ("explain", "S11")], ids=" ".join)
@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("nothing", "'nothing' names nothing: give a seed, a sheet code, a problem file or one of the samples"),
        ("nothing.json", "'nothing.json' names nothing: give a seed"),
        ("there/nothing.json", "'there/nothing.json' names nothing: give a seed"),
        ("two\nlines", "'two\\nlines' names nothing: give a seed"),
        (".", ". is not a file: give a problem file, JSON or TOML"),
        ("there", "there is not a file: give a problem file, JSON or TOML"),
        ("/dev/null", "/dev/null is not a file: give a problem file, JSON or TOML"),
        ("form.pdf", "form.pdf is a PDF, from which no problem can be read: give the code printed at its foot instead"),
        ("page.html", "is not valid JSON or TOML"),
        ("x" * 300, "cannot be read (File name too long): check the file and its permissions"),
        ("there/" * 1000, "cannot be read (File name too long): check the file and its permissions"),
    ],
    ids=lambda value: str(value)[:20],
)
def test_a_source_that_is_none(command: tuple[str, ...], source: str, message: str) -> None:
    """What is not there, is no file, or is a file of another kind."""
    Path("there").mkdir()
    Path("form.pdf").write_bytes(b"%PDF-1.7\n%\xe2\xe3\xcf\xd3\n")
    Path("page.html").write_text("<!doctype html>\n<title>x</title>", encoding="utf-8")
    if command == ("solve",) and "names nothing" in message:  # it takes files alone
        message = message.partition(" names nothing")[0] + " is not there: give a problem file, JSON or TOML"
    assert message in run_refused(command[0], source, *command[1:])


def test_a_very_long_code_is_refused() -> None:
    """It is looked at as a code, not as a name that the disk cannot hold."""
    assert "has 300 characters" in run_refused("key", "A1" * 150)


@pytest.mark.parametrize("seed", ["4294967296", "9" * 20, "9" * 21, "9" * 5000, "0" * 5000])
def test_a_seed_out_of_range_as_source(seed: str) -> None:
    """However many digits it has."""
    for options in ([], ["--seed", "7"]):
        message = run_refused("key", seed, *options)
        assert (
            "is out of range: use a whole number from 0 to 4294967295" in message or "contradicts the seed" in message
        )
        assert len(message) < 200


def test_a_file_that_may_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """The reason is the system's."""
    write_own_problem()
    usual = Path.open

    def forbidden(self: Path, *args: Any, **named: Any) -> Any:
        if self.name == "own.json" and args == ("rb",):
            raise PermissionError(13, "Permission denied")
        return usual(self, *args, **named)

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", forbidden)
        ran = run_here("solve", "own.json")
    assert (ran.exit_code, ran.output) == (2, b"")
    assert (
        ran.error_text == "attnhand: own.json cannot be read (Permission denied): check the file and its permissions\n"
    )


def test_names_with_line_breaks_stay_on_one_line() -> None:
    """A sentence is one line, without control characters, whatever a file is called."""
    Path("a\nb\x1b[31m.json").write_bytes(b"[]")
    assert run_refused("solve", "a\nb\x1b[31m.json").startswith("a\\nb\\x1b[31m.json is a list")


# every command, as a program


@pytest.mark.parametrize(
    "args",
    [
        ("generate", "--tokens", "1"),
        ("solve", "nothing.json"),
        ("key", "A1Q0-0000-000X"),
        ("explain", "7", "B11"),
        ("samples", "nothing"),
    ],
    ids=" ".join,
)
def test_every_command_refuses_as_a_program_too(args: tuple[str, ...]) -> None:
    """Exit code 2, one sentence on stderr, nothing on stdout, nothing written."""
    ran = run_program(*args)
    assert (ran.exit_code, ran.output) == (2, b"")
    assert ran.error_text.startswith("attnhand: ")
    assert ran.error_text.count("\n") == 1
    assert read_files() == {}


def test_there_are_enough_of_them() -> None:
    """At least forty kinds of bad input are looked at, each with something to do about it."""
    assert len(OPTIONS) + len(PROBLEMS) + len(USAGE) >= 120
