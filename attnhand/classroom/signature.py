"""What somebody writes into the name field: "047 Ada", "№ 47", "Ada"; a № in a table; and how names are compared."""

import re
import unicodedata
from dataclasses import dataclass

_NUMBER = re.compile(r"(?:№|#|No\.?|Nr\.?)?\s*0*([1-9][0-9]{0,5})(?!\w)[\s.,:;–—-]*", re.IGNORECASE)

LONGEST_NUMBER = 9
"""Digits of a № in a table; the largest class has six."""


@dataclass(frozen=True, slots=True)
class Signature:
    """Whose a paper says that it is."""

    number: int | None = None
    """The №; None where it says none."""

    name: str = ""

    def __str__(self) -> str:
        """Return it as one writes it: "№ 047 Ada"."""
        return " ".join([*([f"№ {self.number:03d}"] if self.number else []), *([self.name] if self.name else [])])


def read_signature(text: str) -> Signature:
    """Read what stands in a name field: a № first, where there is one, and a name.

    >>> read_signature("047 Ada"), read_signature("Ada"), read_signature("No. 7")
    (Signature(number=47, name='Ada'), Signature(number=None, name='Ada'), Signature(number=7, name=''))
    >>> read_signature("7b Ada").number is None
    True
    """
    text = " ".join(unicodedata.normalize("NFC", text).split())
    if match := _NUMBER.match(text):
        return Signature(number=int(match[1]), name=text[match.end() :])
    return Signature(name=text)


def read_number(text: str) -> int | None:
    """Read the № in a line of a table; None where it is none.

    >>> read_number("047"), read_number("7 "), read_number("000"), read_number("1" * 5000)
    (47, None, None, None)
    """
    is_number = text.isascii() and text.isdigit() and len(text) <= LONGEST_NUMBER
    return int(text) or None if is_number else None


def folded(name: str) -> str:
    """Return a name as it is compared: letter case, width of letters and number of blanks aside.

    >>> folded("Ada  LOVELACE") == folded(" ada lovelace")
    True
    """
    return " ".join(unicodedata.normalize("NFKC", name).casefold().split())
