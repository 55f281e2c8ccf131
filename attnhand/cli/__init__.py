"""The command line: the only rooms that print, open files or exit."""

from attnhand.cli.app import main

__all__ = ["main"]
