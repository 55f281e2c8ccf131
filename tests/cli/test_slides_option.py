"""``--slides``: Markdown as slides, under a name of its own, and where there is none."""

import pytest

from tests.cli.running import read_files, run_here, run_refused, run_well

SEED = ("generate", "--seed", "7", "--level", "warm-up")


def test_slides_are_files_beside_the_sheet() -> None:
    """Blank and key, not under the names of the sheet as Markdown."""
    assert run_well(*SEED, "--markdown").lines == ["attnhand-7-warm-up.md", "attnhand-7-warm-up-key.md"]
    names = ["attnhand-7-warm-up-slides.md", "attnhand-7-warm-up-slides-key.md"]
    assert run_well(*SEED, "--markdown", "--slides").lines == names
    files = {name: data or b"" for name, data in read_files().items()}
    assert all(files[name].startswith(b"---\nmarp: true\n") for name in names)
    assert b"marp" not in files["attnhand-7-warm-up.md"]


def test_a_stage_is_one_slide() -> None:
    """On stdout too, and from whatever names the sheet."""
    options = ("--markdown", "--slides", "--stage", "S", "--solved", "--out", "-")
    ran = run_here("key", "7", *options)
    assert ran.exit_code == 0
    assert ran.output.count(b"\n---\n") == 1


@pytest.mark.parametrize("formats", [(), ("--pdf",), ("--tex", "--stage", "S")])
def test_slides_of_nothing_are_refused(formats: tuple[str, ...]) -> None:
    """In one sentence, and nothing is written."""
    message = "--slides makes slides of Markdown, but none is written: add --markdown, or leave it out"
    assert run_refused(*SEED, "--slides", *formats) == message
    assert not read_files()
