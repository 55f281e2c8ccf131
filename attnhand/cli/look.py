"""How the terminal looks: its width, and whether it shows colours."""

import os
import re
import shutil
import sys
import textwrap

from attnhand.system.streams import write_stdout

DEFAULT_WIDTH, MIN_WIDTH, MAX_WIDTH = 80, 60, 1000
"""Columns where there is no terminal to ask, the fewest in which a sheet is readable, and more than any screen has."""


def measure_terminal() -> tuple[int, bool]:
    """Return how many columns there are, and whether to use colours."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = DEFAULT_WIDTH
    if terminal or "COLUMNS" in os.environ:
        width = min(max(MIN_WIDTH, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns), MAX_WIDTH)
    return width, colour or bool(os.environ.get("FORCE_COLOR"))


_OPERATOR = re.compile(r" ([+=·÷≈]) ")


def print_wrapped(*lines: str) -> None:
    """Write lines, each broken between words where the terminal is narrower; the name of a file stays whole."""
    width = measure_terminal()[0]
    for line in lines:
        indent = line[: len(line) - len(line.lstrip())]
        # a sum goes on with its sign: no line ends in a plus that the next one has to explain
        words = _OPERATOR.sub(" \\1\N{NO-BREAK SPACE}", line)
        broken = textwrap.wrap(
            words, width, subsequent_indent=indent * 2, break_long_words=False, break_on_hyphens=False
        )
        write_stdout("\n".join(broken).replace("\N{NO-BREAK SPACE}", " ") + "\n")
