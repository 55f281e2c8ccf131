"""Names of people as names of files: safe on every system, and no two alike."""

import re
import unicodedata
from collections.abc import Sequence

MAX_NAME_CHARACTERS, MAX_NAME_BYTES = 80, 200
"""Characters, and bytes of their UTF-8: with a suffix they stay below what any file system takes."""

RESERVED_NAMES = {"con", "prn", "aux", "nul", *(f"{port}{n}" for port in ("com", "lpt") for n in "123456789¹²³")}
"""What Windows keeps for its devices, whatever the suffix."""

_UNSAFE = re.compile(r'[<>:"/\\|?*%]')


def make_safe_name(text: str) -> str:
    """Return a text as a file's name, without suffix: no path, no device, no character that a system refuses.

    >>> make_safe_name("047 Ada/../x."), make_safe_name("CON"), make_safe_name("???")
    ('047 Ada .. x', 'CON_', 'nameless')
    """
    text = unicodedata.normalize("NFC", text)
    text = "".join(c if c.isprintable() else " " for c in _UNSAFE.sub(" ", text))
    name = " ".join(text.split())[:MAX_NAME_CHARACTERS].encode()[:MAX_NAME_BYTES].decode(errors="ignore").strip(" .")
    if not name:
        return "nameless"
    return f"{name}_" if name.partition(".")[0].rstrip().casefold() in RESERVED_NAMES else name


def make_unique_safe_names(texts: Sequence[str]) -> list[str]:
    """Return safe names for all, each different whatever the letter case.

    >>> make_unique_safe_names(["Ada", "ada", "Bob"])
    ['Ada', 'ada 2', 'Bob']
    """
    taken: set[str] = set()
    names = []
    for text in texts:
        name = first = make_safe_name(text)
        number = 1
        while unicodedata.normalize("NFKC", name).casefold() in taken:
            number += 1
            name = f"{first} {number}"
        taken.add(unicodedata.normalize("NFKC", name).casefold())
        names.append(name)
    return names
