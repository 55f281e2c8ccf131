"""``attnhand key``: the code on the paper makes the same sheet again, or says why it cannot."""

import json
from pathlib import Path
from typing import Any

import pytest

import attnhand
from attnhand.formats.registry import FORMATS
from attnhand.problems.base32 import ALPHABET
from tests.breadth import choose
from tests.cli.running import OWN_PROBLEM, read_files, run_refused, run_well, write_own_problem

SEED_7 = "A1Q0-0000-000W"

OPTION_CASES: list[tuple[str, ...]] = [
    (),
    ("--convention", "rows"),
    ("--level", "warm-up"),
    ("--level", "challenge", "--convention", "rows"),
    ("--rules", "exact"),
    ("--rules", "exact", "--convention", "rows", "--decimals", "6"),
    ("--scale", "none", "--base", "2"),
    ("--scale", "4", "--level", "warm-up"),
    ("--scale", "1000", "--base", "e"),
    ("--base", "10", "--decimals", "1"),
    ("--tokens", "2", "--features", "2", "--d-k", "1", "--d-v", "1"),
    ("--tokens", "12", "--features", "12", "--d-k", "8", "--d-v", "8"),
    ("--tokens", "9", "--convention", "rows"),
    ("--d-v", "8"),
    ("--allow-ties",),
    ("--allow-ties", "--level", "challenge", "--tokens", "5", "--rules", "exact"),
    ("--salt", "pepper and salt"),
    ("--salt", "Salz & Pfeffer ½", "--convention", "rows", "--tokens", "5", "--scale", "3"),
]
"""Options, of which the code carries all but the salt."""


def repeat_salt(options: tuple[str, ...]) -> tuple[str, ...]:
    """Return what must be said again."""
    at = options.index("--salt") if "--salt" in options else len(options)
    return options[at : at + 2]


def read_printed_code(*options: str) -> str:
    """Return the code that ``generate`` prints."""
    code: str = json.loads(run_well("generate", "--seed", "8", *options, "--json", "--out", "-").output)["code"]
    return code


# the same sheet again


@pytest.mark.parametrize("options", choose(OPTION_CASES[::2], OPTION_CASES), ids=" ".join)
def test_the_code_makes_the_same_sheet_again(options: tuple[str, ...]) -> None:
    """Sheet and key come out byte for byte as ``generate`` wrote them, and by the same names."""
    names = run_well("generate", "--seed", "8", *options, "--json").lines
    first = read_files()
    code = json.loads(Path(names[0]).read_bytes())["code"]
    for name in names:
        Path(name).unlink()
    assert run_well("key", code, *repeat_salt(options), "--json").lines == names
    assert read_files() == first


def test_the_key_appears_in_the_terminal() -> None:
    """Without a format the solved sheet is shown, with --blank the blank one."""
    assert run_well("key", SEED_7) == run_well("generate", "--seed", "7", "--solved")
    assert run_well("key", SEED_7, "--blank") == run_well("generate", "--seed", "7")


@pytest.mark.parametrize(
    "spelling",
    [
        "a1q0-0000-000w",
        "A1Q00000000W",
        "a1q0 0000 000w",
        " A1Q0-0000-000W ",
        "AIQO-OOOO-OOOW",
        "alqo-oooo-ooow",
        "A-1-Q-0-0-0-0-0-0-0-0-W",
    ],
)
def test_a_code_may_be_typed_carelessly(spelling: str) -> None:
    """Case, hyphens, blanks and the look-alikes O, I and L do not matter."""
    assert run_well("key", spelling, "--json", "--out", "-") == run_well(
        "generate", "--seed", "7", "--json", "--out", "-"
    )


@pytest.mark.parametrize("source", ["7", "007", "A1Q0-0000-000W", "sheet.json", "sheet-key.json"])
def test_a_drawn_sheet_has_several_sources(source: str) -> None:
    """Its seed, its code and its JSON sheet all give the same key."""
    run_well("generate", "--seed", "7", "--json", "--out", "sheet.json")
    assert run_well("key", source, "--json", "--out", "-", "--solved").output == FORMATS["json"].render_file(
        attnhand.generate(seed=7)
    )


def test_own_matrices_have_several_sources() -> None:
    """A problem file, its JSON sheet and a pipe all give the same key."""
    data = write_own_problem().read_bytes()
    run_well("solve", "own.json", "--json", "--out", "sheet.json")
    expected = run_well("solve", "own.json")
    assert run_well("key", "own.json") == run_well("key", "sheet.json") == run_well("key", "-", stdin=data) == expected


def test_a_sample_is_a_source() -> None:
    """Samples go by their names, and so do their files."""
    assert run_well("key", "classic", "--csv").lines == ["classic.csv", "classic-key.csv"]
    assert run_well("key", "three-words").lines[0] == "Three words"


def test_seeds_take_options_like_generate() -> None:
    """A seed as source leaves the rest to the options."""
    options = ["--level", "warm-up", "--convention", "rows", "--words", "the cat saw"]
    assert run_well("key", "7", *options) == run_well("generate", "--seed", "7", *options, "--solved")


def test_a_file_that_is_called_like_a_code_is_the_file() -> None:
    """What lies there goes before what could be read into its name."""
    write_own_problem(SEED_7)
    assert run_well("key", SEED_7).text == run_well("solve", SEED_7).text


# options beside a code


@pytest.mark.parametrize(
    "options",
    [
        ("--seed", "8"),
        ("--level", "standard"),
        ("--tokens", "5"),
        ("--features", "6"),
        ("--d-k", "3"),
        ("--convention", "rows"),
        ("--rules", "hand", "--scale", "4"),
        ("--scale", "4", "--base", "3"),
        ("--decimals", "2"),
        ("--mechanism", "self"),
    ],
    ids=" ".join,
)
def test_options_that_agree_with_the_code_are_no_contradiction(options: tuple[str, ...]) -> None:
    """Saying again what the code says changes nothing."""
    code = read_printed_code("--tokens", "5", "--convention", "rows", "--scale", "4")
    as_json = ("--json", "--out", "-")
    assert run_well("key", code, *options, *as_json) == run_well("key", code, *as_json)


@pytest.mark.parametrize(
    ("drawn", "options"),
    [
        (("--temperature", "1/2"), ("--temperature", "0.5")),
        ((), ("--temperature", "1")),
        (("--mechanism", "block", "--norm", "rms"), ("--norm-place", "before")),
    ],
    ids=str,
)
def test_what_is_said_in_other_words_is_no_contradiction(drawn: tuple[str, ...], options: tuple[str, ...]) -> None:
    """A setting is what it means, however it is written, and what is as usual may be said."""
    code = read_printed_code(*drawn)
    as_json = ("--json", "--out", "-")
    assert run_well("key", code, *options, *as_json) == run_well("key", code, *as_json)


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (("--seed", "9"), "--seed 9"),
        (("--level", "warm-up"), "--level warm-up"),
        (("--tokens", "4"), "--tokens 4"),
        (("--features", "5"), "--features 5"),
        (("--d-k", "2"), "--d-k 2"),
        (("--d-v", "2"), "--d-v 2"),
        (("--convention", "columns"), "--convention columns"),
        (("--allow-ties",), "--allow-ties"),
        (("--rules", "hand"), "an option about the house rules"),
        (("--rules", "exact"), "an option about the house rules"),
        (("--scale", "none"), "an option about the house rules"),
        (("--base", "2"), "an option about the house rules"),
        (("--decimals", "3"), "an option about the house rules"),
    ],
)
def test_options_that_contradict_the_code_are_refused(options: tuple[str, ...], named: str) -> None:
    """They would make another sheet than the one on the paper."""
    code = read_printed_code("--tokens", "5", "--convention", "rows", "--scale", "4")
    assert run_refused("key", code, *options).startswith(f"{named} contradicts the code {code}: leave ")


def test_words_and_titles_are_not_in_the_code() -> None:
    """They label the same numbers again when they are said again."""
    labels = ["--words", "the cat saw it", "--title", "Week 3"]
    assert run_well("key", SEED_7, *labels) == run_well("generate", "--seed", "7", *labels, "--solved")
    assert run_well("key", SEED_7, "--only-queries", "2") == run_well(
        "generate", "--seed", "7", "--only-queries", "2", "--solved"
    )


def test_words_that_do_not_count_the_tokens_are_refused() -> None:
    """Four tokens take four words."""
    assert run_refused("key", SEED_7, "--words", "the cat") == (
        f"2 words do not label the 4 tokens of the code {SEED_7}: give 4 words"
    )


def test_a_seed_beside_a_seed() -> None:
    """The same again is fine, another contradicts."""
    assert run_well("key", "7", "--seed", "7") == run_well("key", "7")
    assert run_refused("key", "7", "--seed", "8") == "--seed 8 contradicts the seed 7: leave out --seed"


# salt


def test_a_salted_code_needs_its_salt(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without it, or with another, there is no key; from the environment it serves too."""
    code = read_printed_code("--salt", "pepper and salt")
    where = "; it stands in class.toml, in the folder of its class"
    needed = f"the code {code} is salted: give its --salt, or set ATTNHAND_SALT{where}"
    assert run_refused("key", code) == needed
    assert run_refused("key", code, "--salt", "thyme and sage") == (
        f"the salt is not that of the code {code}: give the salt the sheet was made with{where}"
    )
    assert run_refused("key", code, "--salt", "") == (
        "--salt is empty, so the sheet would have none: give a text, or leave out --salt"
    )
    expected = run_well("key", code, "--salt", "pepper and salt")
    monkeypatch.setenv("ATTNHAND_SALT", "")
    assert run_refused("key", code) == needed
    monkeypatch.setenv("ATTNHAND_SALT", "pepper and salt")
    assert run_well("key", code) == expected
    monkeypatch.setenv("ATTNHAND_SALT", "thyme and sage")
    assert run_well("key", code, "--salt", "pepper and salt") == expected


def test_the_salt_of_the_environment_does_not_stop_a_code_without(monkeypatch: pytest.MonkeyPatch) -> None:
    """A teacher whose salt is set for good can still remake an open sheet."""
    expected = run_well("key", SEED_7)
    monkeypatch.setenv("ATTNHAND_SALT", "pepper and salt")
    assert run_well("key", SEED_7) == expected


def test_a_salted_sheet_says_so() -> None:
    """Its foot names the salt, so that nobody wonders why the code gives no key."""
    assert "salted" in run_well("generate", "--seed", "7", "--salt", "pepper and salt").lines[-1]
    assert "salted" not in run_well("generate", "--seed", "7").lines[-1]


# codes that are none


@pytest.mark.parametrize("at", [at for at, character in enumerate(SEED_7) if character != "-"])
def test_every_mistyped_character_is_caught(at: int) -> None:
    """Whatever else stands in one place: the code is refused, never read as another sheet."""
    others = [c for c in ALPHABET if c != SEED_7[at] and not (at == 0 and c.isdigit())]
    assert len(others) >= 21
    for other in others:
        code = SEED_7[:at] + other + SEED_7[at + 1 :]
        assert run_refused("key", code) == (
            f"the code {code} does not check: a character is wrong or two have changed places; "
            "compare it with the paper"
        )


def test_every_swap_of_neighbours_is_caught() -> None:
    """Two characters that changed places are as common as a wrong one."""
    code = read_printed_code("--tokens", "5", "--rules", "exact", "--salt", "pepper and salt").replace("-", "")
    swaps = [at for at in range(1, len(code) - 1) if code[at] != code[at + 1]]
    assert len(swaps) > 5
    for at in swaps:
        swapped = code[:at] + code[at + 1] + code[at] + code[at + 2 :]
        assert f"the code {swapped} does not check" in run_refused("key", swapped, "--salt", "pepper and salt")


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("A1Q0-0000-00", "has 10 characters, a sheet code 12 to 62"),
        ("A1Q0-0000-000W0", "is no sheet code of this version: compare it with the paper"),
        ("A1Q0-0000-000U", "holds 'U', which no sheet code does"),
        ("A1Q0-0000-000W" + "-0000" * 13, "characters"),
    ],
)
def test_codes_of_a_wrong_length_or_alphabet(code: str, message: str) -> None:
    """The sentence says what is wrong with them."""
    assert message in run_refused("key", code)


def test_the_code_of_own_matrices_cannot_rebuild_them() -> None:
    """It is a fingerprint: the sentence says so and asks for the file."""
    write_own_problem()
    code = attnhand.solve(OWN_PROBLEM).code
    assert run_refused("key", code) == (
        f"the code {code} is the fingerprint of a problem file: it cannot rebuild it; give the file itself"
    )


def test_the_fingerprint_identifies_the_problem() -> None:
    """The same matrices give the same code, laid out and named as they may be; one other number gives another."""

    def code(**changes: Any) -> str:
        path = write_own_problem("problem.json", **changes)
        printed: str = json.loads(run_well("key", str(path), "--json", "--out", "-").output)["code"]
        return printed

    given = OWN_PROBLEM["given"]
    other = {**given, "W_V": [[2, 2]]}
    assert code() == code(mechanism="self", rules={"base": "3"}) == attnhand.solve(OWN_PROBLEM).code
    assert code() == code(given={name: given[name] for name in sorted(given)})
    assert len({code(), code(given=other), code(rules={"base": "2"}), code(title="Ours"), code(words=["a", "b"])}) == 5
