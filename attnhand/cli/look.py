"""How the terminal looks: its width, and whether it shows colours."""

import os
import shutil
import sys

DEFAULT_WIDTH, MIN_WIDTH = 80, 60
"""Columns where there is no terminal to ask, and the fewest in which a sheet is readable."""


def measure_terminal() -> tuple[int, bool]:
    """Return how many columns there are, and whether to use colours."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = DEFAULT_WIDTH
    if terminal or "COLUMNS" in os.environ:
        width = max(MIN_WIDTH, shutil.get_terminal_size((DEFAULT_WIDTH, 24)).columns)
    return width, colour or bool(os.environ.get("FORCE_COLOR"))
