"""How the terminal looks: its width, and whether it shows colours."""

import os
import shutil
import sys

USUAL, LEAST = 80, 60
"""Columns where there is no terminal to ask, and the fewest in which a sheet is readable."""


def terminal_look() -> tuple[int, bool]:
    """Return how many columns there are, and whether to use colours."""
    terminal = sys.stdout is not None and sys.stdout.isatty()
    colour = terminal and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"
    width = max(LEAST, shutil.get_terminal_size((USUAL, 24)).columns) if terminal or "COLUMNS" in os.environ else USUAL
    return width, colour or bool(os.environ.get("FORCE_COLOR"))
