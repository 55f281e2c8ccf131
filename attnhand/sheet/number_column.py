"""The column of №s in a class's tables: what its header says, and which headers are taken for it.

The sign № itself cannot be saved by a spreadsheet that writes in an encoding of Windows: it comes back as "?". So the
tables say No., or what the language of the set abbreviates it to; whatever any of our languages writes is read.
"""

import unicodedata
from collections.abc import Sequence
from functools import cache

from attnhand.text import LANGUAGES, get_language

NUMBER_SIGN = "№"

LOST_SIGN = "?"
"""What a spreadsheet saves in its place where its encoding lacks it; a header only where it is the first."""


def write_number_header(language: str) -> str:
    """Return the header of the column, by the code of a language.

    >>> write_number_header("en"), write_number_header("de")
    ('No.', 'Nr.')
    """
    return get_language(language).format("column.number")


def is_number_header(title: str) -> bool:
    """Say whether a header is that of the column, in whichever language, letter case and points aside.

    >>> [is_number_header(title) for title in ("№", "No.", "nr", "N.º", "N°", "Nº", "name", "N", "?")]
    [True, True, True, True, True, True, False, False, False]
    """
    return _fold(title) in _list_folded_headers(tuple(LANGUAGES))


def find_number_column(header: Sequence[str]) -> int | None:
    """Return which column holds №s; None where none says so.

    >>> find_number_column(["name", "Nr."]), find_number_column(["?", "name"]), find_number_column(["name", "?"])
    (1, 0, None)
    """
    found = next((at for at, title in enumerate(header) if is_number_header(title)), None)
    return 0 if found is None and header and header[0].strip() == LOST_SIGN else found


@cache
def _list_folded_headers(codes: Sequence[str]) -> frozenset[str]:
    return frozenset({_fold(NUMBER_SIGN), *(_fold(write_number_header(code)) for code in codes)})


def _fold(title: str) -> str:
    # Subtle: this makes No of №, and o of º, but leaves °
    text = unicodedata.normalize("NFKC", title).casefold()
    return "".join(text.replace(".", "").split())
