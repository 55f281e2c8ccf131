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
from itertools import pairwise
from unicodedata import normalize

from attnhand.errors import GenerationError, name_option

MIN_SALT_LENGTH, MIN_SALT_CHARACTERS = 12, 6
"""Characters of a salt that nobody expects after those before them, and different ones among all of them."""

MIN_SALT_DIGITS = 13
"""Such characters of a salt of digits alone, which have ten choices each."""

MIN_REPEATED = MIN_COUNTED = 4
"""So many characters that repeat what stood there before, or count on: all but the first of them are expected."""

MIN_COUNTED_DIGITS, MIN_STEPPED_DIGITS = 3, 5
"""So many digits that go by ones, or by any step."""

_ORDERS = (
    *("abcdefghijklmnopqrstuvwxyz", "абвгґдеєжзиіїйклмнопрстуфхцчшщьюя"),
    *("qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "qsdfghjklm", "zxcvbnm", "yxcvbnm", "wxcvbn"),
    *("йцукенгшщзхї", "фівапролджє", "ячсмитьбю", "1qaz2wsx3edc4rfv", "1q2w3e4r5t6z", "1q2w3e4r5t6y"),
)
"""Alphabets and rows of keyboards."""

_COMMON = (
    *("password", "passwort", "kennwort", "passwd", "contraseña", "contrasena", "motdepasse", "mot de passe"),
    *("hasło", "haslo", "senha", "пароль", "letmein", "iloveyou", "changeme", "administrator"),
    *("attnhand", "attention", "softmax", "transformer", "attention is all you need", "attentionisallyouneed"),
)
"""What is tried first."""

_YEAR = re.compile("(?:19|20)[0-9]{2}")

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
    if is_soon_guessed(text):
        raise GenerationError(
            f"{name_option('salt')} is soon guessed by whoever has one blank sheet: give at least {MIN_SALT_LENGTH} "
            "characters that neither repeat nor count on, such as four words that make no sentence"
        )
    return scrypt(text.encode(), salt=b"attnhand/salt/1", n=2**14, r=8, p=1, dklen=16).hex()


def is_soon_guessed(text: str) -> bool:
    """Say whether there is too little in a text: not how long it is counts, but how much of it nobody expects.

    >>> [is_soon_guessed(text) for text in ("123456789012", "passwordpassword", "Attention2026!!!", "abababababab")]
    [True, True, True, True]
    >>> [is_soon_guessed(text) for text in ("tin otter waltz jam", "c0ffee81d97a42b3", "8305192746502917")]
    [False, False, False]
    """
    least = MIN_SALT_DIGITS if text.replace(" ", "").isdecimal() else MIN_SALT_LENGTH
    return len(set(text)) < MIN_SALT_CHARACTERS or count_unexpected_characters(text) < least


def count_unexpected_characters(text: str) -> int:
    """Return how many characters of a text are none of a common word, a year, a row that counts on, or a repetition.

    Of each of those the first counts.

    >>> count_unexpected_characters("passwordpassword"), count_unexpected_characters("otter, waltz")
    (2, 12)
    """
    text, at, unexpected = text.casefold(), 0, 0
    while at < len(text):
        at += max(1, _measure_expected(text, at))
        unexpected += 1
    return unexpected


def _measure_expected(text: str, at: int) -> int:
    """Return how many characters from here on follow from the first of them, or from what stood before."""
    common = max((len(word) for word in _COMMON if text.startswith(word, at)), default=0)
    year = 4 if _YEAR.match(text, at) else 0
    end = at
    while end < len(text) and text.find(text[at : end + 1], 0, end) >= 0:
        end += 1
    repeated = end - at if end - at >= MIN_REPEATED else 0
    return max(common, year, repeated, _measure_counting(text, at))


def _measure_counting(text: str, at: int) -> int:
    """Return how long a row is that begins here and counts on or back, by the same step, or as on a keyboard."""
    longest = 0
    for order in (*_ORDERS, *(order[::-1] for order in _ORDERS)):
        length = 0
        while length < len(order) and at + length < len(text) and text[at : at + length + 1] in order:
            length += 1
        longest = max(longest, length)
    longest *= longest >= MIN_COUNTED
    digits = re.compile("[0-9]*").match(text, at)
    row = [int(digit) for digit in digits[0]] if digits else []
    steps = [(after - before) % 10 for before, after in pairwise(row)]
    stepped = next((place for place, step in enumerate(steps) if step != steps[0]), len(steps)) + 1 if steps else 0
    least = MIN_COUNTED_DIGITS if steps and steps[0] in (0, 1, 9) else MIN_STEPPED_DIGITS
    return max(longest, stepped if stepped >= least else 0)
