"""What one cell that was handed in is worth, and the sign that says so."""

from enum import StrEnum


class Mark(StrEnum):
    """What one cell is worth."""

    CORRECT = "correct"
    FOLLOWS = "follows"
    """Not the key, but what the student's own earlier answers give."""

    WRONG = "wrong"
    BLANK = "blank"
    UNREADABLE = "unreadable"


COUNTED = (Mark.CORRECT, Mark.FOLLOWS)
"""What counts as a mark of the score."""

SIGNS = {Mark.CORRECT: "✓", Mark.FOLLOWS: "→", Mark.WRONG: "✗", Mark.BLANK: "__", Mark.UNREADABLE: "?"}
"""Told apart without colour; the bundled font has them all."""
