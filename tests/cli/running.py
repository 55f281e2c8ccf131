"""Running the command line, in this process or as a program of its own, and looking at what it left behind."""

import io
import json
import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest.mock import patch

from attnhand.cli import main

OWN: Mapping[str, Any] = {
    "given": {"X": [[1, 2], [0, 1]], "W_Q": [[1, 0]], "W_K": [[0, 1]], "W_V": [[2, 1]]},
}
"""A problem of somebody's own: two tokens, two features, d_k = d_v = 1."""

LISTEN = "import signal\nsignal.signal(signal.SIGINT, signal.default_int_handler)\n"
"""Python that hears of Ctrl-C again: programs that a shell starts in the background are deaf to it."""

SECONDS = 120
"""A program that takes longer hangs."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Ran:
    """What became of one run."""

    code: int
    out: bytes
    err: str

    @property
    def text(self) -> str:
        """Standard output, decoded."""
        return self.out.decode()

    @property
    def lines(self) -> list[str]:
        """Standard output, line by line."""
        return self.text.splitlines()


def here(*args: str, stdin: bytes = b"") -> Ran:
    """Run the command line in this process, by its own ``main``: quick, with the real exit codes."""
    given, out, err = io.BytesIO(stdin), io.BytesIO(), io.BytesIO()
    streams: dict[str, Any] = {
        "stdin": io.TextIOWrapper(given, encoding="utf-8"),
        "stdout": io.TextIOWrapper(out, encoding="utf-8"),
        "stderr": io.TextIOWrapper(err, encoding="utf-8", errors="backslashreplace"),
    }
    with patch.multiple(sys, argv=["attnhand", *args], excepthook=sys.excepthook, **streams):
        try:
            main()
        except SystemExit as leaving:
            code = leaving.code
    for stream in streams.values():
        stream.flush()
    assert isinstance(code, int)
    return Ran(code=code, out=out.getvalue(), err=err.getvalue().decode())


def fine(*args: str, stdin: bytes = b"") -> Ran:
    """Run the command line in this process, where nothing goes wrong and nothing is said on stderr."""
    ran = here(*args, stdin=stdin)
    assert (ran.code, ran.err) == (0, "")
    return ran


def refused(*args: str, stdin: bytes = b"") -> str:
    """Run a command that is refused, and return the sentence: exit code 2, nothing printed, no file touched."""
    before = files()
    ran = here(*args, stdin=stdin)
    assert (ran.code, ran.out[:100]) == (2, b""), ran.err
    assert ran.err.startswith("attnhand: ")
    assert ran.err.endswith("\n")
    assert len(ran.err.splitlines()) == 1, ran.err
    assert files() == before
    return ran.err.removeprefix("attnhand: ").removesuffix("\n")


def program(*args: str, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> Ran:
    """Run ``python -m attnhand`` as a program of its own."""
    return python("-m", "attnhand", *args, stdin=stdin, cwd=cwd, **environment)


def python(*args: str, stdin: bytes = b"", cwd: Path | None = None, **environment: str) -> Ran:
    """Run Python as a program of its own."""
    done = subprocess.run(
        [sys.executable, *args],
        input=stdin,
        capture_output=True,
        cwd=cwd,
        env={**os.environ, **environment},
        timeout=SECONDS,
        check=False,
    )
    return Ran(code=done.returncode, out=done.stdout, err=done.stderr.decode())


def files(folder: Path | None = None) -> dict[str, bytes | None]:
    """Return every file below a folder with its content, and every folder with None."""
    root = Path() if folder is None else folder
    found = (path for path in root.rglob("*"))
    return {str(path.relative_to(root)): None if path.is_dir() else path.read_bytes() for path in found}


def write_own(name: str = "own.json", **changes: Any) -> Path:
    """Write the small problem, with other settings beside its matrices, and return its path."""
    path = Path(name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**OWN, **changes}), encoding="utf-8")
    return path
