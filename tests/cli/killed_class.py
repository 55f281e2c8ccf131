"""Makes a class in children that are killed at random moments, and on a disk that is too small; says what was left.

Run as a program: ``python -m tests.cli.killed_class FOLDER``; prints JSON.
"""

import json
import os
import random
import resource
import sys
from pathlib import Path

from attnhand.classroom import making
from tests.cli.running import run_here

NUMBER_OF_KILLS = 20
KILLED_EXIT_CODE = 9
STUDENTS = 9
COMMAND = ("class", "roster.csv", "--level", "warm-up", "--seed", "3", "--salt", "s", "--jobs", "1")
MAX_FILE_BYTES = 60_000
"""Bytes that fit a file on the disk that is too small: a chunk does, all sheets do not."""


def main() -> None:
    """Make the class once undisturbed, then kill by kill until it is made; then where it does not fit."""
    os.chdir(sys.argv[1])
    Path("roster.csv").write_text("name\n" + "".join(f"Ada {n}\n" for n in range(STUDENTS)), encoding="utf-8")
    making.CHUNK_SIZE = 3
    run_here(*COMMAND, "--out", "before")  # what children need again and again is made once
    whole, events = make_class_until("whole", 10**9)
    assert whole == 0
    spoilt: list[str] = []
    finished: list[bool] = []
    kills, attempt = 0, 0
    moments = random.Random(7)
    while kills < NUMBER_OF_KILLS:
        out = f"killed-{attempt}"
        code, _ = make_class_until(out, moments.randint(1, events))
        spoilt += [
            path for path, data in read_finished_files(out).items() if read_finished_files("whole").get(path) != data
        ]
        if code == KILLED_EXIT_CODE:
            kills += 1
        else:
            finished.append(read_finished_files(out) == read_finished_files("whole"))
            attempt += 1
    out = f"killed-{attempt}"
    make_class_until(out, 10**9)
    finished.append(read_finished_files(out) == read_finished_files("whole"))
    left = [path.name for path in Path(out).iterdir() if path.name.startswith(".")]
    report = {"events": events, "kills": kills, "spoilt": spoilt, "finished": finished, "left": left}
    sys.stdout.write(json.dumps({**report, "full": make_class_on_full_disk()}))


def read_finished_files(out: str) -> dict[str, str]:
    """Return every file that is under its final name, as hexadecimal text."""
    found = Path(out).rglob("*")
    return {
        str(p.relative_to(out)): p.read_bytes().hex() for p in found if p.is_file() and ".unfinished" not in p.parts
    }


def make_class_until(out: str, moment: int) -> tuple[int, int]:
    """Make the class in a child that ends itself at so many events of the file system; its code, and how many."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        count = 0

        def watch(event: str, arguments: tuple[object, ...]) -> None:
            nonlocal count
            if event in ("open", "os.rename", "os.remove", "os.rmdir", "os.mkdir") and out in str(arguments[0]):
                count += 1
                if count >= moment:
                    os._exit(KILLED_EXIT_CODE)

        sys.addaudithook(watch)
        ran = run_here(*COMMAND, "--out", out)
        os.write(writer, str(count).encode())
        os._exit(ran.exit_code)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    event_count = os.read(reader, 20)
    os.close(reader)
    return os.waitstatus_to_exitcode(status), int(event_count or 0)


def make_class_on_full_disk() -> dict[str, object]:
    """Make the class where no file can be larger than a chunk, then where it can."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        resource.setrlimit(resource.RLIMIT_FSIZE, (MAX_FILE_BYTES, MAX_FILE_BYTES))
        ran = run_here(*COMMAND, "--out", "full")
        os.write(writer, ran.error_text.encode())
        os._exit(ran.exit_code)
    os.close(writer)
    _, status = os.waitpid(child, 0)
    message = os.read(reader, 10_000).decode()
    left = sorted(read_finished_files("full"))
    make_class_until("full", 10**9)
    code = os.waitstatus_to_exitcode(status)
    return {
        "code": code,
        "message": message,
        "left": left,
        "finished": read_finished_files("full") == read_finished_files("whole"),
    }


if __name__ == "__main__":
    main()
