"""A salt, stretched: nobody guesses it from a blank sheet, on which the code and X say whether a guess was right.

To try a text takes scrypt's time, some 40 ms instead of some 10 µs. What is mixed into it is the same everywhere: a
code alone must be enough to make its sheet again, and it says nothing of its class. So a list of common texts can be
stretched for all teachers at once: short ones are refused, and a class draws one that is on no list.

Source: C. Percival and S. Josefsson, "The scrypt Password-Based Key Derivation Function", RFC 7914, 2016.
"""

import re
import secrets
from functools import cache
from hashlib import scrypt
from unicodedata import normalize

from attnhand.errors import GenerationError, name_option

MIN_SALT_LENGTH, MIN_SALT_CHARACTERS = 12, 6
"""Characters of a salt, and different ones among them."""

_STRETCHED = re.compile("[0-9a-f]{32}")


def draw_salt() -> str:
    """Draw a salt that nobody guesses; it is as good as a stretched one."""
    return secrets.token_hex(16)


def is_stretched(salt: str) -> bool:
    """Say whether a salt is what ``stretch_salt`` returns."""
    return _STRETCHED.fullmatch(salt) is not None


@cache  # once a run
def stretch_salt(salt: str) -> str:
    """Return 32 hexadecimal digits that sheets are drawn with; those stay as they are.

    Raises:
        GenerationError: it is soon guessed.
    """
    if is_stretched(salt):
        return salt
    text = normalize("NFC", salt.strip())
    if len(text) < MIN_SALT_LENGTH or len(set(text)) < MIN_SALT_CHARACTERS:
        raise GenerationError(
            f"{name_option('salt')} is soon guessed by whoever has one blank sheet: give at least {MIN_SALT_LENGTH} "
            "characters, such as four words that make no sentence"
        )
    return scrypt(text.encode(), salt=b"attnhand/salt/1", n=2**14, r=8, p=1, dklen=16).hex()
