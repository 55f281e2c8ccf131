"""``attnhand generate``: the sheet that comes out is the API's, and its files are named after the seed."""

import json
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from rich.cells import cell_len

import attnhand
from attnhand.attention.arithmetic import EXACT, Base, Rules, ScaleRule
from attnhand.formats.registry import FORMATS
from attnhand.formats.terminal import render_terminal
from attnhand.problems.levels import Level
from attnhand.problems.request import LEVEL_SIZES, MAX_DRAWN_SEED, MAX_SEED
from attnhand.problems.salt import stretch_salt
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.options import PageOptions, Paper
from attnhand.system.digests import is_untouched
from tests.breadth import choose, pair_up
from tests.cli.running import read_files, run_program, run_well

SEED_7 = "A1Q0-0000-000W"


def read_code(terminal_sheet: str) -> str:
    """Return the code at the foot of a terminal sheet."""
    return terminal_sheet.splitlines()[-1].split()[1]


# in the terminal


def test_without_a_format_the_blank_sheet_appears() -> None:
    """The sheet of the API, drawn for 80 columns without colour, and no file."""
    assert run_well("generate", "--seed", "7").text == render_terminal(attnhand.generate(seed=7).blank)
    assert read_files() == {}


def test_solved_shows_the_key() -> None:
    """The same sheet with its answers."""
    assert run_well("generate", "--seed", "7", "--solved").text == render_terminal(attnhand.generate(seed=7))


def test_blank_is_what_appears_anyway() -> None:
    """--blank may be said without a format."""
    assert run_well("generate", "--seed", "7", "--blank") == run_well("generate", "--seed", "7")


def test_out_to_stdout_without_a_format_is_the_terminal_sheet() -> None:
    """A dash is where the sheet goes anyway."""
    assert run_well("generate", "--seed", "7", "--out", "-") == run_well("generate", "--seed", "7")


def test_without_a_seed_one_is_drawn_and_the_code_shows_it() -> None:
    """The foot of the sheet has the code, which rebuilds that very sheet."""
    sheet = run_well("generate").text
    request = decode_sheet_code(read_code(sheet)).request
    assert 0 <= request.seed <= MAX_DRAWN_SEED
    assert request.is_default
    assert run_well("generate", "--seed", str(request.seed)).text == sheet


def test_a_drawn_seed_names_the_files(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who gave no seed reads it off the names."""
    monkeypatch.setattr("attnhand.sheet.order.draw_seed", lambda: 123_456)
    assert run_well("generate", "--json").lines == ["attnhand-123456.json", "attnhand-123456-key.json"]
    assert json.loads(Path("attnhand-123456.json").read_bytes())["seed"] == 123_456


def test_two_runs_without_a_seed_draw_two(monkeypatch: pytest.MonkeyPatch) -> None:
    """Seeds come from the system's randomness, in the range that can be read aloud."""
    asked: list[int] = []

    def randbelow(limit: int) -> int:
        asked.append(limit)
        return len(asked)

    monkeypatch.setattr("attnhand.problems.request.secrets.randbelow", randbelow)
    codes = [read_code(run_well("generate").text) for _ in range(2)]
    assert [decode_sheet_code(code).request.seed for code in codes] == [1, 2]
    assert asked == [MAX_DRAWN_SEED + 1] * 2


SIZES = [
    ("--level", "warm-up"),
    ("--level", "standard"),
    ("--level", "challenge"),
    ("--tokens", "12", "--features", "12"),
    ("--tokens", "12", "--features", "12", "--d-k", "8", "--d-v", "8", "--level", "warm-up"),
    ("--tokens", "2", "--features", "2", "--d-k", "1", "--d-v", "1"),
    ("--words", "abcdefghij bbbbbbbbbb cccccccccc dddddddddd"),
    ("--rules", "exact", "--decimals", "6"),
]


@pytest.mark.parametrize(("size", "convention", "solved"), pair_up(SIZES, ["columns", "rows"], [False, True]), ids=str)
def test_what_is_piped_is_plain_and_fits_eighty_columns(size: tuple[str, ...], convention: str, solved: bool) -> None:
    """No colour, no control characters, no line wider than 80 cells, in any level, convention or size."""
    ran = run_well("generate", "--seed", "7", *size, "--convention", convention, *(["--solved"] if solved else []))
    assert len(ran.lines) > 30
    assert all(line.isprintable() for line in ran.lines)
    assert max(cell_len(line) for line in ran.lines) <= 80


# files


@pytest.mark.parametrize(
    ("option", "suffix"),
    [("--html", "html"), ("--json", "json"), ("--csv", "csv"), ("--markdown", "md")],
)
def test_a_format_writes_the_sheet_and_its_key(option: str, suffix: str) -> None:
    """Two files here, named after the seed, with the sheet and the key; their paths on stdout."""
    sheet = attnhand.generate(seed=7)
    ran = run_well("generate", "--seed", "7", option)
    assert ran.lines == [f"attnhand-7.{suffix}", f"attnhand-7-key.{suffix}"]
    sheet_format = FORMATS[option.removeprefix("--")]
    assert read_files() == {
        f"attnhand-7.{suffix}": sheet_format.render_file(sheet.blank),
        f"attnhand-7-key.{suffix}": sheet_format.render_file(sheet.key),
    }


def test_the_pdf_of_a_seed() -> None:
    """``attnhand generate --seed 7 --pdf`` writes the sheet and the key, both as PDF."""
    assert run_well("generate", "--seed", "7", "--pdf").lines == ["attnhand-7.pdf", "attnhand-7-key.pdf"]
    files = read_files()
    assert len(files) == 2
    assert all((data or b"").startswith(b"%PDF-") and is_untouched(data or b"") for data in files.values())
    assert files["attnhand-7.pdf"] != files["attnhand-7-key.pdf"]


def test_several_formats_at_once() -> None:
    """Every format gives its two files."""
    options = ["--html", "--json", "--csv", "--markdown"]
    stems = [f"attnhand-7{key}.{suffix}" for suffix in ("html", "json", "csv", "md") for key in ("", "-key")]
    assert run_well("generate", "--seed", "7", *options).lines == stems
    assert sorted(read_files()) == sorted(stems)


@pytest.mark.parametrize(("option", "name"), [("--blank", "attnhand-7.csv"), ("--solved", "attnhand-7-key.csv")])
def test_one_of_the_two_files_alone(option: str, name: str) -> None:
    """--blank leaves out the key, --solved the sheet; names stay."""
    assert run_well("generate", "--seed", "7", "--csv", option).lines == [name]
    sheet = attnhand.generate(seed=7)
    assert read_files() == {name: FORMATS["csv"].render_file(sheet.blank if option == "--blank" else sheet.key)}


SHAPING: dict[tuple[str, ...], dict[str, Any]] = {
    ("--level", "warm-up"): {"level": "warm-up"},
    ("--level", "challenge"): {"level": "challenge"},
    ("--tokens", "5"): {"tokens": 5},
    ("--features", "4"): {"features": 4},
    ("--d-k", "2"): {"d_k": 2},
    ("--d-v", "5"): {"d_v": 5},
    ("--words", "the cat saw it too"): {"words": ["the", "cat", "saw", "it", "too"]},
    ("--convention", "rows"): {"convention": "rows"},
    ("--rules", "exact"): {"rules": EXACT},
    ("--rules", "exact", "--base", "2"): {"rules": Rules(scale=ScaleRule.SQRT, base=Base.TWO)},
    ("--scale", "none"): {"rules": Rules(scale=ScaleRule.NONE)},
    ("--scale", "4"): {"rules": Rules(scale=4)},
    ("--scale", "1000"): {"rules": Rules(scale=1000), "seed": 8},
    ("--base", "e"): {"rules": Rules(base=Base.E)},
    ("--base", "10"): {"rules": Rules(base=Base.TEN)},
    ("--decimals", "6"): {"rules": Rules(decimals=6)},
    ("--allow-ties",): {"allow_ties": True},
    ("--salt", "pepper and salt"): {"salt": "pepper and salt"},
    ("--tokens", "3", "--features", "7", "--d-k", "2", "--d-v", "8"): {
        "tokens": 3, "features": 7, "d_k": 2, "d_v": 8,
    },
}  # fmt: skip
"""Options that shape the numbers, or the rules, with what they are in Python."""


@pytest.mark.parametrize("options", SHAPING, ids=" ".join)
def test_an_option_that_shapes_the_sheet(options: tuple[str, ...]) -> None:
    """The sheet is the API's, and more than its seed names it."""
    sheet = attnhand.generate(**{"seed": 7} | SHAPING[options])
    seed = 7 if sheet.request is None else sheet.request.seed
    blank, key = run_well("generate", "--seed", str(seed), *options, "--json").lines
    assert blank.startswith(f"attnhand-{seed}-")
    assert key == blank.replace(".json", "-key.json")
    assert read_files() == {
        blank: FORMATS["json"].render_file(sheet.blank),
        key: FORMATS["json"].render_file(sheet.key),
    }


def test_four_sheets_of_one_seed_are_four_files() -> None:
    """Nothing is replaced where something else is printed; the same again replaces its own file alone."""
    options: tuple[tuple[str, ...], ...] = ((), ("--fade",), ("--language", "de"), ("--words", "a b c d"))
    names = [run_well("generate", "--seed", "7", *each, "--csv", "--blank").lines[0] for each in options]
    assert names[:3] == ["attnhand-7.csv", "attnhand-7-fade.csv", "attnhand-7-de.csv"]
    assert names[3].startswith("attnhand-7-words-")
    written = read_files()
    assert sorted(written) == sorted(names)
    assert [run_well("generate", "--seed", "7", *each, "--csv", "--blank").lines[0] for each in options] == names
    assert read_files() == written


PAGES: dict[tuple[str, ...], dict[str, Any]] = {
    ("--title", "Week 3"): {"title": "Week 3"},
    ("--words", "the cat saw it"): {"words": ["the", "cat", "saw", "it"]},
    ("--paper", "letter"): {"options": PageOptions(paper=Paper.LETTER)},
    ("--paper", "a4"): {},
    ("--large-print",): {"options": PageOptions(large_print=True)},
    ("--show-exact",): {"options": PageOptions(show_exact=True)},
    ("--check-sums",): {"options": PageOptions(check_sums=True)},
    ("--language", "en"): {},
    ("--mechanism", "self"): {},
    ("--level", "standard"): {},
    ("--tokens", "4", "--features", "6", "--d-k", "3", "--d-v", "3"): {},
    ("--rules", "hand"): {},
    ("--scale", "half-floor", "--base", "3", "--decimals", "2"): {},
    ("--convention", "columns"): {},
}
"""Options that leave every number as it is."""


@pytest.mark.parametrize("options", PAGES, ids=" ".join)
def test_an_option_that_leaves_the_numbers_alone(options: tuple[str, ...]) -> None:
    """The page is the API's with that option; where it says what is so anyway, the seed alone names the sheet."""
    sheet = attnhand.generate(seed=7, **PAGES[options])
    assert sheet.code == SEED_7
    blank, key = run_well("generate", "--seed", "7", *options, "--html").lines
    assert (blank == "attnhand-7.html") is (PAGES[options] == {})
    assert key == blank.replace(".html", "-key.html")
    assert read_files() == {
        blank: FORMATS["html"].render_file(sheet.blank),
        key: FORMATS["html"].render_file(sheet.key),
    }


@pytest.mark.parametrize("level", Level)
def test_levels_have_their_sizes(level: Level) -> None:
    """Sizes of a level where no option says otherwise."""
    data = json.loads(run_well("generate", "--seed", "7", "--level", level, "--json", "--out", "-").output)
    assert data["sizes"] == {name: LEVEL_SIZES[level][name] for name in ("tokens", "features", "d_k", "d_v")}
    assert data["level"] == level


def test_words_count_the_tokens() -> None:
    """Three words make three tokens, whatever blanks part them."""
    data = json.loads(run_well("generate", "--seed", "7", "--words", " the\tcat  saw ", "--json", "--out", "-").output)
    assert (data["words"], data["sizes"]["tokens"]) == (["the", "cat", "saw"], 3)


def test_words_and_tokens_may_agree() -> None:
    """Saying the number of words again is no contradiction."""
    words = ("generate", "--seed", "7", "--words", "the cat saw")
    assert run_well(*words, "--tokens", "3") == run_well(*words)


def test_the_largest_seed_is_a_seed() -> None:
    """Seeds run to 2³² − 1."""
    name = f"attnhand-{MAX_SEED}.json"
    assert run_well("generate", "--seed", str(MAX_SEED), "--json", "--blank").lines == [name]


@pytest.mark.parametrize("solved", [False, True])
def test_the_salt_may_come_from_the_environment(monkeypatch: pytest.MonkeyPatch, solved: bool) -> None:
    """ATTNHAND_SALT serves as --salt, which goes before it; an empty one is none."""
    ask = ["generate", "--seed", "7", "--json", "--out", "-", *(["--solved"] if solved else [])]
    plain, salted, other = (
        run_well(*ask).output,
        run_well(*ask, "--salt", "pepper and salt").output,
        run_well(*ask, "--salt", "thyme and sage").output,
    )
    assert len({plain, salted, other}) == 3
    monkeypatch.setenv("ATTNHAND_SALT", "pepper and salt")
    assert run_well(*ask).output == salted
    assert run_well(*ask, "--salt", "thyme and sage").output == other
    monkeypatch.setenv("ATTNHAND_SALT", "")
    assert run_well(*ask).output == plain


def test_the_salt_is_nowhere_in_the_files() -> None:
    """A secret that is printed is none, stretched or not."""
    salt = "pepper-and-thyme"
    run_well("generate", "--seed", "7", "--salt", salt, "--html", "--json", "--csv", "--markdown")
    files = read_files()
    assert len(files) == 8
    secrets = (b"pepper", stretch_salt(salt).encode())
    assert [name for name, data in files.items() if any(secret in (data or b"") for secret in secrets)] == []


# what users type stays text


class _Page(HTMLParser):
    """What a browser would make of a page: its elements and its text."""

    def __init__(self) -> None:
        super().__init__()
        self.elements: list[str] = []
        self.addresses: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append(tag)
        self.addresses += [value or "" for name, value in attrs if name in ("src", "href", "action")]

    def handle_data(self, data: str) -> None:
        self.text += data


@cache
@cache
def read_page(*options: str) -> _Page:
    """Read the web page of a small sheet of seed 7 with some options, sheet and key one after the other."""
    read = _Page()
    for which in ("--blank", "--solved"):
        read.feed(
            run_well("generate", "--seed", "7", "--level", "warm-up", "--html", "--out", "-", which, *options).text
        )
    read.close()
    return read


@pytest.mark.parametrize(
    "title",
    [
        "{% raw %}",
        "</title></style><img src=x onerror=alert(1)>",
        "**W_Q** ^2^ &amp; &lt;",
        "../../etc/passwd",
        "x" * 100,
        *choose(
            [],
            ["<script>alert(1)</script>", "file:///etc/passwd", "{{ 7*7 }}", "http://example.com/x.png", "--force"],
        ),
    ],
)
def test_titles_are_inert(title: str) -> None:
    """A title is text on the page: no element, no address, no template comes of it."""
    usual, read = read_page(), read_page(f"--title={title}")
    laid_out = ("b", "br", "div", "p")  # a long title takes a line more, and some box below it a page
    elements, usual_elements = ([each for each in page.elements if each not in laid_out] for page in (read, usual))
    assert (elements, read.addresses) == (usual_elements, usual.addresses)
    assert read.text.count(title) > usual.text.count(title)


@pytest.mark.parametrize(
    "word",
    choose(
        ["<u>x</u>", "{{7*7}}", "'\"`", "../..", "=1+1"],
        ["<script>", "<u>x</u>", "file:///", "{{7*7}}", "&lt;", "a&b", "'\"`", "../..", "=1+1"],
    ),
)
def test_words_are_inert(word: str) -> None:
    """A word is a label: no element, no address, no template comes of it."""
    usual, read = read_page("--words", "one two three"), read_page("--words", f"{word} two three")
    assert set(read.elements) == set(usual.elements)  # a wide word may move or repeat a grid
    assert "u" not in usual.elements
    assert read.elements.count("script") == usual.elements.count("script") == 2  # what makes the blank page a web sheet
    assert read.addresses == usual.addresses
    assert read.text.count(word) > usual.text.count(word)


# the same, always


def test_two_runs_write_the_same_bytes(folder: Path) -> None:
    """Every format, PDF included, whatever the hash seed, time zone, locale and working folder."""
    formats = ["--pdf", "--html", "--json", "--csv", "--markdown", "--solved"]
    other = folder / "another place"
    other.mkdir()
    one = run_program("generate", "--seed", "7", *formats, PYTHONHASHSEED="1", TZ="UTC", LC_ALL="C.UTF-8")
    two = run_program(
        "generate", "--seed", "7", *formats,
        cwd=other, PYTHONHASHSEED="2", TZ="Asia/Kathmandu", LC_ALL="POSIX", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0",
    )  # fmt: skip
    assert (one.exit_code, one.error_text, two.exit_code, two.error_text) == (0, "", 0, "")
    assert one.output == two.output
    assert len(one.lines) == 5
    assert {name: data for name, data in read_files().items() if "/" not in name and data} == read_files(other)
