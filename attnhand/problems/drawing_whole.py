"""Numbers of mechanisms that are small enough to be drawn whole, until one draw is good.

No search aims them: a few matrices, one query. What makes them good is asked as of any other sheet (``vetting``), and
what they are there to show (``insights``).
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

from attnhand.attention.matrix import Matrix
from attnhand.problems.draw_backward import draw_backward
from attnhand.problems.draw_next_token import draw_next_token
from attnhand.problems.draw_online import draw_online
from attnhand.problems.random_stream import RandomStream

if TYPE_CHECKING:
    from attnhand.problems.request import Request

Draw = Callable[["Request", RandomStream], Mapping[str, Matrix] | None]
"""Draws every given matrix by name, tokens as columns, from a stream; None where nothing good comes of it."""

DRAWS: Mapping[str, Draw] = {"online": draw_online, "next-token": draw_next_token, "backward": draw_backward}
"""By mechanism. Part of recipe 1: what a draw takes from its stream is never changed."""
