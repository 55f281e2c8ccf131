"""Time and memory of programs and functions, taken in turn, so that the machine's mood meets all of them alike."""

import os
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

PYTHON = (sys.executable, "-m", "attnhand")

LOOK_AGAIN = 0.05
"""Seconds between two looks at a program's memory."""

Times = Mapping[str, Sequence[float]]
"""Seconds of every run, in which each took its turn."""


@dataclass(frozen=True, slots=True)
class Ran:
    """A program that ran to its end."""

    seconds: float
    megabytes: float
    """The most that it and its children held at a time; what they share is counted once."""


def run(command: Sequence[str], folder: Path, **variables: str) -> Ran:
    """Run a program and look at its memory all the while."""
    start = time.perf_counter()
    program = subprocess.Popen(command, cwd=folder, env=os.environ | variables, stdout=subprocess.DEVNULL)
    most = [0.0]
    watcher = threading.Thread(target=_watch, args=(program, most))
    watcher.start()
    code = program.wait()
    seconds = time.perf_counter() - start
    watcher.join()
    if code:
        raise SystemExit(f"{' '.join(command)} ended with {code}")
    return Ran(seconds, most[0])


def seconds_of(command: Sequence[str], folder: Path, **variables: str) -> float:
    """Run a program and return how long it took; nobody looks at it meanwhile."""
    start = time.perf_counter()
    subprocess.run(command, cwd=folder, env=os.environ | variables, check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start


def _watch(program: "subprocess.Popen[bytes]", most: list[float]) -> None:
    import psutil

    while program.poll() is None:
        byte_count = 0
        try:
            first = psutil.Process(program.pid)
            for process in [first, *first.children(recursive=True)]:
                memory = process.memory_full_info()
                byte_count += getattr(memory, "pss", memory.uss)
        except psutil.Error:
            continue  # one of them ended while we looked
        most[0] = max(most[0], byte_count / 1e6)
        time.sleep(LOOK_AGAIN)


def in_turn(works: Mapping[str, Callable[[], float]], runs: int) -> Times:
    """Let each work once in every turn, after a first turn that does not count."""
    turns = [{name: work() for name, work in works.items()} for _ in range(runs + 1)]
    return {name: [turn[name] for turn in turns[1:]] for name in works}


def time_work(work: Callable[[], object]) -> float:
    """Return how many seconds of processor a function takes."""
    start = time.process_time()
    work()
    return time.process_time() - start


def ratio(times: Times, first: str, second: str) -> str:
    """Return how many times as long the first takes as the second: the median over turns."""
    return f"{statistics.median(a / b for a, b in zip(times[first], times[second], strict=True)):.2f}"


def median(values: Sequence[float]) -> float:
    """Return the middle of some values."""
    return statistics.median(values)


def table(title: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Write a table in Markdown, which is read as it stands.

    >>> print(table("Times", ("what", "s"), [("a sheet", "1.05")]))
    | Times: what | s |
    |---|---:|
    | a sheet | 1.05 |
    """
    lines = [[f"{title}: {header[0]}", *header[1:]], ["---", *["---:"] * (len(header) - 1)], *rows]
    return "\n".join(f"|{'|'.join(line)}|" if line[0] == "---" else f"| {' | '.join(line)} |" for line in lines)
