"""Standard input and output as bytes: what we write is UTF-8, whatever the locale says."""

import os
import sys

from attnhand.errors import AttnhandError, name_option

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
        raise AttnhandError(f"standard output is closed: give {name_option('out')} a file")
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
        advice = f"make room there, or give {name_option('out')} a file elsewhere"
        raise AttnhandError(f"standard output cannot be written ({error.strerror}): {advice}") from error


def drop_stdout() -> None:
    """Send what is still to be flushed nowhere, so that leaving the program cannot fail on it."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
