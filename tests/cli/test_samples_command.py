"""``attnhand samples``: the worked problems that come with the program, listed and printed."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from attnhand.formats.sources import list_sample_names
from attnhand.problems.problem_file import parse_problem
from attnhand.system.resources import get_sample_dir
from tests.breadth import choose
from tests.cli.running import TIMEOUT_SECONDS, read_files, run_refused, run_well

NAMES = list_sample_names()


def test_all_samples_are_listed_with_their_titles() -> None:
    """One line a sample, in alphabetical order."""
    lines = run_well("samples").lines
    assert [line.split()[0] for line in lines] == sorted(path.stem for path in get_sample_dir().glob("*.json"))
    assert set(NAMES) <= {line.split()[0] for line in lines}
    for line in lines:
        name, _, title = line.partition(" ")
        assert title.strip() == parse_problem((get_sample_dir() / f"{name}.json").read_bytes(), source=name).title != ""
    assert read_files() == {}


@pytest.mark.parametrize("name", NAMES)
def test_a_sample_is_printed_as_its_problem_file(name: str) -> None:
    """Byte for byte, so that it can be saved and changed."""
    assert run_well("samples", name).output == (get_sample_dir() / f"{name}.json").read_bytes()


@pytest.mark.parametrize("name", choose(NAMES[::2], NAMES))
def test_a_printed_sample_solves(name: str) -> None:
    """What is printed is what ``key NAME`` solves, from a file or from a pipe."""
    data = run_well("samples", name).output
    Path("my.json").write_bytes(data)
    assert run_well("solve", "my.json") == run_well("solve", "-", stdin=data) == run_well("key", name)


@pytest.mark.parametrize("name", ["nothing", "Classic", "classic.json", "../problems/classic", "", "classic\n"])
def test_an_unknown_sample_is_refused_with_those_there_are(name: str) -> None:
    """No path is made of what the user types."""
    is_near = name.strip().lower().removesuffix(".json") == "classic"
    message = f"there is no sample {name!r}: "
    message += "did you mean classic?" if is_near else f"choose {', '.join(list_sample_names())}"
    assert run_refused("samples", name) == message.replace("\n", "\\n")


def test_a_real_pipe(folder: Path) -> None:
    """``attnhand samples classic | attnhand solve - --json`` works between two programs."""
    attnhand = [sys.executable, "-m", "attnhand"]
    with subprocess.Popen([*attnhand, "samples", "classic"], stdout=subprocess.PIPE) as samples:
        solve = subprocess.run(
            [*attnhand, "solve", "-", "--json", "--out", "classic.json"],
            stdin=samples.stdout,
            capture_output=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
            env=dict(os.environ),
        )
    assert (samples.returncode, solve.returncode, solve.stderr) == (0, 0, b"")
    piped = read_files(folder)
    assert sorted(solve.stdout.decode().splitlines()) == sorted(piped) == ["classic-key.json", "classic.json"]
    for name in piped:
        Path(name).unlink()
    run_well("key", "classic", "--json")
    assert read_files(folder) == piped
