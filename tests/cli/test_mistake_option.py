"""``--mistake``: a solved sheet with one mistake to find, and its key; its code says which."""

import json
from pathlib import Path

import pytest

from tests.breadth import choose
from tests.cli.running import run_refused, run_well


def read_code(name: str) -> str:
    """Return the code of a JSON sheet."""
    return str(json.loads(Path(name).read_text(encoding="utf-8"))["code"])


@pytest.mark.parametrize(
    "options",
    [
        ("--mistake",),
        ("--mistake", "truncated", "--convention", "rows", "--language", "de"),
        ("--mistake", "other-weights@h2.K", "--mechanism", "multi-head", "--level", "warm-up"),
        ("--mistake", "--salt", "tin otter waltz jam", "--only-queries", "1,3"),
        ("--mistake", "--mechanism", "block", "--questions", "none", "--level", "warm-up"),
    ],
    ids=" ".join,
)
def test_the_code_alone_makes_sheet_and_key_again(options: tuple[str, ...]) -> None:
    """Byte for byte, in every format; another run with the same options has the same code.

    In rows and of a block pages are drawn too, in ``make sweep`` of all.
    """
    drawn = choose("rows" in options or "block" in options, True)
    formats = ("--json", "--csv", "--xlsx", *(("--pdf", "--html", "--fillable") if drawn else ()))
    written = run_well("generate", "--seed", "7", *options, *formats).text.split()
    assert len(written) == (10 if drawn else 6)
    assert all("-mistake" in name for name in written)
    code = read_code(next(name for name in written if name.endswith(".json") and "-key" not in name))
    salt = ("--salt", "tin otter waltz jam") if "--salt" in options else ()
    again = run_well("key", code, *salt, *formats, "--out", "again/").text.split()
    assert again == [f"again/{name}" for name in written]
    for name in written:
        assert Path("again", name).read_bytes() == Path(name).read_bytes(), name
    assert (
        run_well("key", code, *salt, "--mistake", "--json", "--out", "-").output
        == run_well("key", code, *salt, "--json", "--out", "-").output
    )


def test_two_mistakes_of_a_seed_have_two_codes() -> None:
    """And what is drawn without a name has that of its slip and stage."""
    codes = set()
    for slip in ("truncated", "other-axis", "other-weights@Q", "other-weights@V"):
        blank, _ = run_well("generate", "--seed", "7", "--mistake", slip, "--json", "--force").text.split()
        codes.add(read_code(blank))
    assert len(codes) == 4
    run_well("generate", "--seed", "7", "--mistake", "--json", "--force")
    key = json.loads(Path("attnhand-7-mistake-key.json").read_text(encoding="utf-8"))
    named = f"{key['mistake']['slip']}@{key['mistake']['stage']}"
    run_well("generate", "--seed", "7", "--mistake", named, "--json", "--force")
    assert read_code("attnhand-7-mistake.json") == key["code"]
    assert run_well("explain", key["code"], "Z11").output == run_well("explain", "7", "Z11").output


def test_a_named_mistake_is_planted() -> None:
    """In a drawn sheet and in one's own."""
    Path("classic.json").write_bytes(run_well("samples", "classic").output)
    for source in (("generate", "--seed", "7"), ("solve", "classic.json")):
        data = json.loads(run_well(*source, "--mistake", "over-count", "--json", "--solved", "--out", "-").output)
        assert (data["mistake"]["slip"], data["mistake"]["stage"]) == ("over-count", "A")


def test_ones_own_matrices_have_a_fingerprint_for_each_mistake() -> None:
    """So a JSON sheet, blank or solved, gives the sheet again; one whose code was lost says what is missing."""
    Path("my.json").write_bytes(run_well("samples", "classic").output)
    codes = set()
    for options in ((), ("--mistake",), ("--mistake", "truncated"), ("--mistake", "other-weights@V")):
        stem = "my-mistake" if options else "my"
        blank, key = run_well("solve", "my.json", *options, "--json", "--force", "--out", "sheets/").text.split()
        assert blank.startswith(f"sheets/{stem}")
        codes.add(read_code(blank))
        for name, which in ((blank, "--blank"), (key, "--solved")):
            assert run_well("key", name, "--json", which, "--out", "-").output == Path(name).read_bytes()
    assert len(codes) == 4
    data = json.loads(Path("sheets/my-mistake.json").read_text(encoding="utf-8"))
    del data["code"]
    Path("lost.json").write_text(json.dumps(data), encoding="utf-8")
    sentence = "lost.json has a mistake to find, and nothing says which one: name it, as in --mistake truncated"
    assert run_refused("key", "lost.json") == sentence
    assert run_well("key", "lost.json", "--mistake", "truncated", "--json", "--out", "-")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mistake", "trunctated"), "the slip 'trunctated' is unknown: did you mean truncated?"),
        (("--mistake", "relu-forgotten"), "the slip relu-forgotten cannot be planted in this sheet"),
        (("--mistake", "truncated@S"), "the slip truncated cannot be planted at S of this sheet"),
        (("--mistake", "truncated@nowhere"), "the sheet has no stage 'nowhere': use one of Q, K, V"),
        (("--mistake", "--from-stage", "S"), "leave out --from-stage S, or --mistake any"),
        (("--mistake", "--show-exact"), "leave out --show-exact"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], message: str) -> None:
    """In one sentence that says what to do."""
    assert message in run_refused("generate", "--seed", "7", *arguments)


def test_a_code_is_not_contradicted() -> None:
    """Neither by another slip, nor by the same at another stage, nor by what such a sheet does not ask."""
    blank, _ = run_well("generate", "--seed", "7", "--mistake", "other-weights@V", "--json").text.split()
    code = read_code(blank)
    for other in ("truncated", "relu-forgotten", "other-weights@K"):
        refusal = f"--mistake {other} contradicts the code {code}: leave it out, or generate another sheet"
        assert run_refused("key", code, "--mistake", other) == refusal
    for same in ("any", "other-weights", "other-weights@V", "other-weights@values"):
        assert code in run_well("key", code, "--mistake", same).text
    assert "--questions many contradicts the code" in run_refused("key", code, "--questions", "many")
    assert "asks nothing else: leave out --from-stage" in run_refused("key", code, "--from-stage", "S")
    assert run_refused("practice", code).startswith("the sheet asks nothing to fill")
