"""Makes a class in children that are killed, stopped or find no room, at moments all over the run; says what was left.

Run as a program: ``python -m tests.cli.killed_class FOLDER``; prints JSON.
"""

import json
import os
import re
import resource
import shutil
import signal
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from attnhand.classroom import making
from attnhand.cli.app import INTERRUPTED, USER_ERROR
from tests.breadth import choose
from tests.cli.running import run_here

COMMAND = ("class", "--level", "warm-up", "--seed", "3", "--salt", "otter, waltz", "--jobs", "1", "--separate")
ROSTERS = {"new": "name\nAda\nBob\nCy\n", "longer": "name\nAda\nBob\nCy\nDan\n"}
ARGUMENTS = {"new": ("new.csv",), "longer": ("longer.csv",), "only": ("longer.csv", "--only", "new")}
FILE_EVENTS = ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir")
OWN_FILES = ("diary.txt", "hand-out/notes.txt", ".attnhand-mine", "hand-out/.attnhand-12345678")
"""Files of the teacher's in the folder of a class, some of them named nearly as passing ones are."""

NO_ROOM = re.compile(r"attnhand: out cannot be written \(File too large\): make room there or choose another --out\n")

Disturb = Callable[[], None]
"""Prepares a child for what is to happen to it."""


def main() -> None:
    """Make a new class and a longer one, undisturbed and then disturbed."""
    os.chdir(sys.argv[1])
    making.CHUNK_SIZE = 2
    for name, text in ROSTERS.items():
        Path(f"{name}.csv").write_text(text, encoding="utf-8")
    run_here(*COMMAND, "new.csv", "--out", "before")  # what children need again and again is made once
    report: dict[str, Any] = {}
    for name, earlier, count in (
        ("new", None, choose(2, 16)),
        ("longer", "new", choose(2, 8)),
        ("only", "new", choose(2, 8)),
    ):
        if earlier:
            shutil.copytree(earlier, name)
        _, events, _ = run_child(name, name, lambda: None)
        whole = read_files(name)
        at_files = [at for at, event in enumerate(events, 1) if event in FILE_EVENTS]
        renames = [at for at, event in enumerate(events, 1) if event == "os.rename"]
        some = at_files[::16] if earlier is None else renames[name == "only" :: 2]
        kills = {*spread(3, len(events), choose(1, count)), *choose(some, at_files if earlier is None else renames)}
        stops = {*spread(3, len(events), count // 2), *at_files[choose(-1, -6) :]}
        before = read_files(earlier) if earlier else {}
        new = [data for path, data in whole.items() if data != before.get(path)]
        sizes = spread(0, max(map(len, new)) // 2, count // 2)
        ends = {
            "killed": [(partial(act_at, at, kill), -signal.SIGKILL) for at in sorted(kills)],
            "stopped": [(partial(act_at, at, stop), INTERRUPTED) for at in sorted(stops)],
            "full": [(partial(limit_files, size), USER_ERROR) for size in sorted(sizes)],
        }
        report[name] = {
            end: [find_faults(disturb, earlier, name, whole, code) for disturb, code in cases]
            for end, cases in ends.items()
        }
    sys.stdout.write(json.dumps(report))


def spread(first: int, last: int, count: int) -> set[int]:
    """Return so many numbers at equal distances, the last left out."""
    return {first + n * (last - first) // count for n in range(count)}


def act_at(moment: int, act: Callable[[], None]) -> None:
    """Do something at so many events of the interpreter."""
    count = 0

    def watch(_: str, __: tuple[object, ...]) -> None:
        nonlocal count
        count += 1
        if count == moment:
            act()

    sys.addaudithook(watch)


def kill() -> None:
    """End this process as nothing can prevent."""
    os.kill(os.getpid(), signal.SIGKILL)


def stop() -> None:
    """Press Ctrl-C."""
    raise KeyboardInterrupt


def limit_files(size: int) -> None:
    """Leave no room for a file that is larger."""
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def find_faults(
    disturb: Disturb, earlier: str | None, name: str, whole: dict[str, str], expected_code: int
) -> list[str]:
    """Make a class, disturbed, and make it again; return what is not as it should be.

    Args:
        earlier: the folder of the class as it was; None for a new class.
        whole: the files of the class, undisturbed.
        expected_code: how the disturbed run is to end.
    """
    shutil.rmtree("out", ignore_errors=True)
    before: dict[str, str] = {}
    own: dict[str, str] = {}
    if earlier:
        shutil.copytree(earlier, "out")
        before = read_files("out")
        for path in OWN_FILES:
            Path("out", path).write_text(f"mine: {path}", encoding="utf-8")
        own = {path: data for path, data in read_files("out").items() if path in OWN_FILES}
    code, _, message = run_child(name, "out", disturb)
    there = read_files("out")
    passing = {path for path in there if path.startswith(".attnhand-") and path not in own}
    sheets = there.keys() - own.keys() - passing
    faults = [f"{path} is spoilt" for path in sheets if there[path] not in (before.get(path), whole[path])]
    faults += [
        f"{path} is lost" for path in (before | own) if path not in there or (path in own and there[path] != own[path])
    ]
    faults += [f"{path} is left" for path in passing if code != -signal.SIGKILL]
    faults += [] if code == expected_code else [f"the exit code is {code}"]
    faults += [] if code != USER_ERROR or NO_ROOM.fullmatch(message) else [f"it says {message}"]
    run_child(name, "out", lambda: None)
    return faults + ([] if read_files("out") == whole | own else ["in the end it is another class"])


def read_files(folder: str) -> dict[str, str]:
    """Return every file below a folder as hexadecimal text."""
    return {str(p.relative_to(folder)): p.read_bytes().hex() for p in Path(folder).rglob("*") if p.is_file()}


def run_child(name: str, out: str, disturb: Disturb) -> tuple[int, list[str], str]:
    """Make a class in a child; return its exit code, all events of the interpreter, and what it says on stderr."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        events: list[str] = []
        os.close(reader)
        disturb()
        sys.addaudithook(lambda event, _: events.append(event))
        ran = run_here(*COMMAND, *ARGUMENTS[name], "--out", out)
        with os.fdopen(writer, "w", encoding="utf-8") as file:
            json.dump([events, ran.error_text], file)
        os._exit(ran.exit_code)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as file:
        text = file.read()
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), *json.loads(text or '[[], ""]')


if __name__ == "__main__":
    main()
