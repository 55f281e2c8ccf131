"""Running the command line, in this process or as a program of its own, and looking at what it left behind."""

import io
import json
import os
import re
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from attnhand.cli import main

OWN_PROBLEM: Mapping[str, Any] = {
    "given": {"X": [[1, 2], [0, 1]], "W_Q": [[1, 0]], "W_K": [[0, 1]], "W_V": [[2, 1]]},
}
"""A problem of somebody's own: two tokens, two features, d_k = d_v = 1."""

RESTORE_CTRL_C = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Python that hears of Ctrl-C again: programs that a shell starts in the background are deaf to it."""

TIMEOUT_SECONDS = 600
"""A program that takes longer hangs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RunResult:
    """What became of one run."""

    exit_code: int
    output: bytes
    error_text: str

    @property
    def text(self) -> str:
        """Standard output, decoded."""
        return self.output.decode()

    @property
    def lines(self) -> list[str]:
        """Standard output, line by line."""
        return self.text.splitlines()


def run_here(*args: str, stdin: bytes = b"", merges: bool = False) -> RunResult:
    """Run the command line in this process, by its own ``main``: quick, with the real exit codes.

    ``merges``: what is said on stderr stands in the output, where it was said.
    """
    given, out = io.BytesIO(stdin), io.BytesIO()
    err = out if merges else io.BytesIO()
    streams: dict[str, Any] = {
        "stdin": io.TextIOWrapper(given, encoding="utf-8"),
        "stdout": io.TextIOWrapper(out, encoding="utf-8", write_through=merges),
        "stderr": io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace", write_through=merges),
    }
    with patch.multiple(sys, argv=["attnhand", *args], excepthook=sys.excepthook, **streams):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code
    for stream in streams.values():
        stream.flush()
    assert isinstance(code, int)
    return RunResult(exit_code=code, output=out.getvalue(), error_text="" if merges else err.getvalue().decode())


def run_well(*args: str, stdin: bytes = b"") -> RunResult:
    """Run the command line in this process, where nothing goes wrong and nothing is said on stderr."""
    ran = run_here(*args, stdin=stdin)
    # how a roster was understood, and who is not on it any more
    expected = r"\A[\d,]+ students? · .*\n|^№ as in .*\n|^withdrawn, .*\n"
    error_text = re.sub(expected, "", ran.error_text, flags=re.MULTILINE)
    assert (ran.exit_code, error_text) == (0, "")
    return ran


def run_refused(*args: str, stdin: bytes = b"") -> str:
    """Run a command that is refused, and return the sentence: exit code 2, nothing printed, no file touched."""
    before = read_files()
    ran = run_here(*args, stdin=stdin)
    assert (ran.exit_code, ran.output[:100]) == (2, b""), ran.error_text
    assert ran.error_text.startswith("attnhand: ")
    assert ran.error_text.endswith("\n")
    assert len(ran.error_text.splitlines()) == 1, ran.error_text
    assert read_files() == before
    return ran.error_text.removeprefix("attnhand: ").removesuffix("\n")


def run_program(*args: str, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> RunResult:
    """Run ``python -m attnhand`` as a program of its own."""
    return run_python("-m", "attnhand", *args, stdin=stdin, cwd=cwd, **environment)


def run_python(*args: str, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> RunResult:
    """Run Python as a program of its own."""
    done = subprocess.run(
        [sys.executable, *args],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    return RunResult(exit_code=done.returncode, output=done.stdout, error_text=done.stderr.decode())


def read_files(folder: Path | None = None) -> dict[str, bytes | None]:
    """Return every file below a folder with its content, and every folder with None."""
    root = Path() if folder is None else folder
    found = (path for path in root.rglob("*"))
    return {str(path.relative_to(root)): None if path.is_dir() else path.read_bytes() for path in found}


def write_own_problem(name: str = "own.json", **changes: Any) -> Path:
    """Write the small problem, with other settings beside its matrices, and return its path."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**OWN_PROBLEM, **changes}), encoding="utf-8")
    return path
