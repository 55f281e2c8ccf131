"""``--mistake``: a solved sheet with one mistake to find, and its key."""

import json
from pathlib import Path

import pytest

from tests.cli.running import run_refused, run_well


def test_any_mistake_needs_no_name() -> None:
    """The option alone draws one; the files say that they are not the sheet to work."""
    assert run_well("generate", "--seed", "7", "--mistake", "--json").text.split() == [
        "attnhand-7-mistake.json",
        "attnhand-7-mistake-key.json",
    ]
    key = json.loads(Path("attnhand-7-mistake-key.json").read_text())
    again = run_well("key", key["code"], "--json", "--mistake", "--solved", "--out", "-").output
    assert json.loads(again) == key
    assert (
        json.loads(run_well("generate", "--seed", "7", "--mistake", "any", "--json", "--solved", "--out", "-").output)
        == key
    )


def test_a_named_mistake_is_planted() -> None:
    """In a drawn sheet and in one's own."""
    Path("classic.json").write_bytes(run_well("samples", "classic").output)
    for source in (("generate", "--seed", "7"), ("solve", "classic.json")):
        data = json.loads(run_well(*source, "--mistake", "over-count", "--json", "--solved", "--out", "-").output)
        assert (data["mistake"]["slip"], data["mistake"]["stage"]) == ("over-count", "A")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("--mistake", "trunctated"), "the slip 'trunctated' is unknown: did you mean truncated?"),
        (("--mistake", "relu-forgotten"), "the slip relu-forgotten cannot be planted in this sheet"),
        (("--mistake", "--from-stage", "S"), "leave out --from-stage, --blank-stages and --trace"),
        (("--mistake", "--show-exact"), "leave out --show-exact"),
    ],
)
def test_what_cannot_be_is_refused(arguments: tuple[str, ...], message: str) -> None:
    """In one sentence that says what to do."""
    assert message in run_refused("generate", "--seed", "7", *arguments)
