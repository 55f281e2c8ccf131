"""Standard streams: what we write is UTF-8, whatever the locale says; any of them may be closed."""

import os
import sys
from contextlib import suppress

from attnhand.errors import AttnhandError

MAX_LINE_BYTES = 10_000
"""Bytes; nobody types more at once."""


def read_stdin(max_bytes: int, *, kind: str) -> bytes:
    """Read standard input to its end.

    Args:
        kind: what it should hold, for the sentence: "problem file".

    Raises:
        AttnhandError: it is closed, cannot be read, or is too large.
    """
    advice = "pipe a problem file into it, or name the file"
    if sys.stdin is None:
        raise AttnhandError(f"standard input is closed: {advice}")
    try:
        data = sys.stdin.buffer.read(max_bytes + 1)
    except OSError as error:
        raise AttnhandError(f"standard input cannot be read ({error.strerror}): {advice}") from error
    from attnhand.system.files import refuse_large_data  # with what it needs, too much for whoever asks for help

    refuse_large_data(data, max_bytes, kind=kind, label="standard input")
    return data


def read_line() -> str | None:
    """Read a line from standard input; None at its end.

    Raises:
        AttnhandError: it is closed, or cannot be read.
    """
    if sys.stdin is None:
        raise AttnhandError("standard input is closed, so nothing can be typed: run this in a terminal")
    try:
        line = sys.stdin.buffer.readline(MAX_LINE_BYTES)
    except OSError as error:
        raise AttnhandError(f"standard input cannot be read ({error.strerror}): run this in a terminal") from error
    return line.decode("utf-8", "replace") if line else None


def write_stdout(data: str | bytes) -> None:
    """Write to standard output at once.

    Raises:
        AttnhandError: it is closed, or cannot be written.
        BrokenPipeError: whoever read it has gone.
    """
    if sys.stdout is None:
        raise AttnhandError("standard output is closed: send it to a file, or run this in a terminal")
    # Subtle: names of files may hold bytes that are not UTF-8; Python reads them as lone surrogates
    encoded = data.encode("utf-8", "surrogateescape") if isinstance(data, str) else data
    try:
        sys.stdout.flush()
        sys.stdout.buffer.write(encoded)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        drop_stdout()
        advice = "make room there, or send it to a file elsewhere"
        raise AttnhandError(f"standard output cannot be written ({error.strerror}): {advice}") from error


def report_on_stdout(text: str) -> None:
    """Say on standard output what is done already, such as which files were written; where nobody listens, nothing.

    Raises:
        AttnhandError: it cannot be written.
    """
    if sys.stdout is None:
        return
    try:
        write_stdout(text)
    except BrokenPipeError:
        drop_stdout()


def write_note(text: str) -> None:
    """Write to standard error, unless that is closed.

    Subtle: ``print`` writes to standard output where the file that it is given is None.
    """
    if sys.stderr is not None:
        with suppress(BrokenPipeError):
            sys.stderr.write(text)
            sys.stderr.flush()


def drop_stdout() -> None:
    """Send what is still to be flushed nowhere, so that leaving the program cannot fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
