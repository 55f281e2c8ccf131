"""The command line: the only rooms that print, open files or exit."""

import gc

OBJECTS_BETWEEN_COLLECTIONS = 200_000
"""Python's 700 suits programs that run for long. What a command loads lives until it ends: to look through all of it
for garbage hundreds of times took a tenth of the time of every command."""


def main() -> None:
    """Run the program and leave with its exit code."""
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)
    from attnhand.cli.app import run_program  # what it loads is what there would be to look through

    run_program()
