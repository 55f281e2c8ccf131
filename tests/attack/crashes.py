"""Runs of ``class`` and ``grade`` that are killed at any moment, and two at once in one folder."""

import os
import random
import signal
import tempfile
import time
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from functools import cache
from pathlib import Path

import attnhand
from attnhand.formats.csv_sheet import render_csv
from tests.cli.running import run_here

Files = dict[str, bytes]
"""What a folder holds, by name."""

CLASS = ("--level", "warm-up", "--seed", "3", "--separate", "--jobs", "1", "--out", "out", "--salt")
COMMANDS = {
    "class": ("class", "few.csv", *CLASS, "5" * 32),
    "other class": ("class", "few.csv", *CLASS, "6" * 32),
    "longer class": ("class", "more.csv", *CLASS, "5" * 32),
    "grade": ("grade", "in", "--reports", "--jobs", "1", "--out", "out"),
    "grade others": ("grade", "others", "--reports", "--jobs", "1", "--out", "out"),
}
PAIRS = (
    (None, "class", "other class"),
    (None, "class", "longer class"),
    ("class", "longer class", "class"),
    ("class", "longer class", "other class"),
    (None, "grade", "grade others"),
    ("grade", "grade", "grade others"),
)
"""What was there before, and two commands that run at once."""


def attack_kill(number: int) -> str:
    """Kill a run at some moment: every file is as it was, or as it shall be, and the next run makes it so."""
    rng = random.Random(number)
    earlier, name = rng.choice(((None, "class"), ("class", "longer class"), (None, "grade"), ("grade", "grade others")))
    before, whole = make_outcome(*([earlier] if earlier else [])), make_outcome(*filter(None, (earlier, name)))
    with prepare_folder(before):
        child = start(name)
        time.sleep(rng.uniform(0, 1.1) * measure_seconds(name))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        left = {path: data for path, data in read_out().items() if not is_passing(path)}
        spoilt = [path for path, data in left.items() if data not in (before.get(path), whole.get(path))]
        lost = [path for path in before if path not in left]
        code = finish(start(name))
        if spoilt or lost or code:
            return f"{earlier}, {name}: spoilt {spoilt}, lost {lost}, again: exit code {code}"
        found = read_out()
        others = sorted(path for path in found.keys() | whole if found.get(path) != whole.get(path))
        return f"{earlier}, {name}: in the end {others} are others" if others else ""


def attack_race(number: int) -> str:
    """Run two commands at once: what is there is what they make one after the other, or one of them alone."""
    rng = random.Random(number)
    earlier, first, second = PAIRS[number % len(PAIRS)]
    start_state = (earlier,) if earlier else ()
    orders = ((first,), (second,), (first, second), (second, first))
    with prepare_folder(make_outcome(*start_state)):
        children = [start(first)]
        time.sleep(rng.choice((0, 0, rng.uniform(0, 1.1))) * measure_seconds(first))
        children.append(start(second))
        codes = [finish(child) for child in children]
        if not (0 in codes and {*codes} <= {0, 2}):
            return f"{earlier}, {first} and {second}: exit codes {codes}"
        found = read_out()
    if found in [make_outcome(*start_state, *order) for order in orders]:
        return ""
    return f"{earlier}, {first} and {second}: the folder is what neither makes"


def start(name: str) -> int:
    """Run a command in a child; return its number."""
    child = os.fork()
    if child == 0:
        code = 99
        try:
            code = run_here(*COMMANDS[name]).exit_code
        finally:
            os._exit(code)
    return child


def finish(child: int) -> int:
    """Wait for a child; return its exit code."""
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@contextmanager
def prepare_folder(files: Files) -> Iterator[None]:
    """Work in a folder with rosters and answers, in which ``out`` holds what is given."""
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("few.csv").write_text("name\nAda\nBob\nCy\n", encoding="utf-8")
        Path("more.csv").write_text("name\nAda\nBob\nCy\nDan\n", encoding="utf-8")
        for folder, seeds in (("in", range(4)), ("others", range(2, 7))):
            Path(folder).mkdir()
            for seed in seeds:
                Path(folder, f"{seed}.csv").write_text(render_answers(seed), encoding="utf-8")
        for name, data in files.items():
            path = Path("out", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        yield


@cache
def render_answers(seed: int) -> str:
    """Return a filled sheet."""
    return render_csv(attnhand.generate(seed, level="warm-up").key)


@cache
def make_outcome(*names: str) -> Files:
    """Return what commands make, one after the other; one that is refused makes nothing."""
    if not names:
        return {}
    with prepare_folder(make_outcome(*names[:-1])):
        finish(start(names[-1]))
        return read_out()


@cache
def measure_seconds(name: str) -> float:
    """Return about how long a command takes."""
    with prepare_folder({}):
        begun = time.perf_counter()
        finish(start(name))
        return time.perf_counter() - begun


def is_passing(path: str) -> bool:
    """Say whether a file is one that is not in its place yet."""
    return any(part.startswith(".attnhand-") for part in Path(path).parts)


def read_out() -> Files:
    """Return every file in ``out``."""
    return {f"{path.relative_to('out')}": path.read_bytes() for path in Path("out").rglob("*") if path.is_file()}
