"""``--svg``, ``--png``, ``--stage``: pictures in files, and what is refused."""

import pytest

from attnhand.system.digests import is_untouched
from tests.cli.running import read_files, run_refused, run_well

SEED = ("generate", "--seed", "7", "--level", "warm-up")


def test_pictures_of_a_stage() -> None:
    """They are named after sheet and stage, sealed, and replaced only while they are ours."""
    names = [f"attnhand-7-warm-up-S{key}.{suffix}" for suffix in ("svg", "png") for key in ("", "-key")]
    assert run_well(*SEED, "--svg", "--png", "--stage", "S").lines == names
    files = {name: data or b"" for name, data in read_files().items()}
    assert sorted(files) == sorted(names)
    assert all(map(is_untouched, files.values()))
    assert [files[name][:4] for name in names] == [b"<svg", b"<svg", b"\x89PNG", b"\x89PNG"]
    assert run_well(*SEED, "--png", "--stage", "S", "--blank", "--out", "-").output == files[names[2]]


def test_a_head_is_part_of_the_name() -> None:
    """The point of h2.A would look like a suffix."""
    heads = ("generate", "--seed", "7", "--mechanism", "multi-head", "--svg", "--blank")
    assert run_well(*heads, "--stage", "h2.A").lines == ["attnhand-7-multi-head-h2-A.svg"]


@pytest.mark.parametrize("formats", [(), ("--html",), ("--svg", "--csv")])
def test_a_stage_without_a_picture_is_refused(formats: tuple[str, ...]) -> None:
    """In the terminal, and where another format would show the whole sheet."""
    message = "--stage is for one stage alone: add --markdown, --tex, --svg or --png, and leave out other formats"
    assert run_refused(*SEED, *formats, "--stage", "S") == message


def test_an_unknown_stage_is_refused() -> None:
    """All that there are are listed."""
    message = "the sheet has no stage 'T': use one of Q, K, V, S, scaled, powers, sums, A, Z"
    assert run_refused(*SEED, "--svg", "--stage", "T") == message
