"""Files made to cost whoever reads them dearly: each costs a sentence, and nobody else their marks."""

import csv
import json
import os
import resource
import subprocess
import sys
from pathlib import Path

import pytest

from attnhand import generate
from attnhand.formats.csv_sheet import render_csv
from tests.bombs import BOMBS
from tests.breadth import choose

MEMORY, SECONDS = 1_000_000_000, 60
"""Bytes of address space and processor seconds that every process has; the largest class has enough of both."""

ROOT = Path(__file__).parents[2]
WITH_TESTS = os.environ | {"PYTHONPATH": str(ROOT)}
COMMAND = [sys.executable, "-m", "attnhand"]


def limit_process() -> None:
    """Give the program, and whatever it starts, no more than that."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with every bomb."""
    folder = tmp_path_factory.mktemp("bombs")
    for name, make in BOMBS.items():
        (folder / name).write_bytes(make())
    return folder


def deal_bombs() -> list[tuple[str, list[str]]]:
    """Return which bombs every command is given: of the formats that it reads, in ``make sweep`` all."""
    reads = {"check": "", "class": ".csv .xlsx .ods", "solve": ".json .toml"}
    return [
        (command, [name for name in sorted(BOMBS) if choose(not suffixes or Path(name).suffix in suffixes, True)])
        for command, suffixes in reads.items()
    ]


def test_a_class_is_marked_beside_bombs(folder: Path, tmp_path: Path) -> None:
    """Honest papers have all their cells; each bomb has a remark, or answers of which none counts."""
    honest = {f"{seed}.csv": render_csv(generate(seed=seed).key) for seed in range(choose(3, 20))}
    for name, text in honest.items():
        (folder / name).write_text(text, encoding="utf-8")
    ran = subprocess.run(
        [*COMMAND, "grade", str(folder)], cwd=tmp_path, capture_output=True, text=True, preexec_fn=limit_process
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    with (tmp_path / "gradebook.csv").open(encoding="utf-8-sig") as file:
        rows = {row["file"]: row for row in csv.DictReader(file)}
    assert {name for name in rows if name in honest and rows[name]["score"] == rows[name]["of"] != ""} == set(honest)
    assert {name for name in rows if name in BOMBS and (rows[name]["remark"] or rows[name]["score"] == "0")} == set(
        BOMBS
    )


RUN_ALL = """
import json, sys
from pathlib import Path
from tests.cli.running import run_here
ran = {Path(path).name: run_here(sys.argv[1], path) for path in sys.argv[2:]}
print(json.dumps({name: [each.exit_code, each.error_text] for name, each in ran.items()}))
"""


@pytest.mark.parametrize(("command", "names"), deal_bombs())
def test_a_bomb_is_refused_in_one_sentence(command: str, names: list[str], folder: Path, tmp_path: Path) -> None:
    """By each command that reads files, without a process of its own; nothing is written."""
    ran = subprocess.run(
        [sys.executable, "-c", RUN_ALL, command, *(str(folder / name) for name in names)],
        cwd=tmp_path, env=WITH_TESTS, capture_output=True, text=True, preexec_fn=limit_process,
    )  # fmt: skip
    assert (ran.returncode, ran.stderr) == (0, "")
    results = json.loads(ran.stdout)
    assert set(results) == set(names)
    for name, (exit_code, message) in results.items():
        if command == "check" and name in {"wide.json", "powers.json", "digits.json"}:
            assert (exit_code, message) == (1, "")  # answers that cannot be read, as any others
        else:
            assert (name, exit_code, message.count("\n")) == (name, 2, 1)
            assert name in message
            assert ": " in message
    assert not list(tmp_path.iterdir())
