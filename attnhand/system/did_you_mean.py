"""A mistyped name, and the one that was probably meant."""

import difflib
from collections.abc import Iterable


def find_nearest_name(typed: str, known_names: Iterable[str]) -> str | None:
    """Return the known name that is most like the typed one, letter case aside; None where none is like it.

    >>> find_nearest_name("wq", ["X", "W_Q", "W_K"])
    'W_Q'
    """
    by_folded = {name.casefold(): name for name in known_names}
    close = difflib.get_close_matches(typed.casefold(), by_folded, n=1)
    return by_folded[close[0]] if close else None
