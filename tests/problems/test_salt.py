"""A salt is stretched the same way for ever, and a short one is refused."""

import random
from unicodedata import normalize

import pytest

from attnhand.errors import GenerationError
from attnhand.problems.salt import draw_salt, is_soon_guessed, is_stretched, stretch_salt

OF_OPENSSL = {
    "tin otter waltz jam": "3836dd908d899b00298ace971f85a9e1",
    "grüße aus der küche": "5409e4d34f966c56fa4f76b0666be06c",
}
"""What OpenSSL makes of them: ``openssl kdf -keylen 16 -kdfopt pass:… -kdfopt salt:attnhand/salt/1 -kdfopt n:16384
-kdfopt r:8 -kdfopt p:1 SCRYPT``."""


@pytest.mark.parametrize("salt", OF_OPENSSL)
def test_a_salt_is_stretched_by_scrypt(salt: str) -> None:
    """As another program does, however its accents are typed; what is stretched stays as it is."""
    assert stretch_salt(salt) == OF_OPENSSL[salt]
    assert stretch_salt(f" {normalize('NFD', salt)}\n") == OF_OPENSSL[salt]
    assert stretch_salt(OF_OPENSSL[salt]) == OF_OPENSSL[salt]


SOON_GUESSED = (
    *("mint", "elevenchars", " elevenchars ", "abcabcabcabcabc", "0" * 31, " " * 40, "", "ääääääääääääää"),
    *("123456789012", "210987654321", "121212121212", "0123456789abcdef", "112233445566", "20261124 2026"),
    *("passwordpassword", "Passwort2026!", "password 1234", "hunter2hunter2", "mathe mathe mathe", "secret, secret"),
    *("qwertyuiop12", "qwertzuiop12", "asdfasdfasdf", "1q2w3e4r5t6z", "abcdefghijkl", "zyxwvutsrqpo", "йцукенгшщзхї"),
    *("Attention is all you need!", "attnhand attnhand", "one two one two"),
)
"""Short ones, and longer ones that repeat, count on, go along the keyboard, or are what everybody tries first."""


@pytest.mark.parametrize("salt", SOON_GUESSED)
def test_a_salt_that_is_soon_guessed_is_refused(salt: str) -> None:
    """One word, one of few letters; the sentence says what to type, and does not repeat the secret."""
    with pytest.raises(GenerationError) as refusal:
        stretch_salt(salt)
    assert str(refusal.value).endswith(
        "give at least 12 characters that neither repeat nor count on, such as four words that make no sentence"
    )
    assert not salt or salt not in str(refusal.value)


@pytest.mark.parametrize(
    "salt",
    ["correct horse battery staple", "a cat sat up", "the cat the dog", "Salz & Pfeffer ½", "8305192746502917"],
)
def test_words_that_make_no_sentence_are_a_salt(salt: str) -> None:
    """Short ones too, and sixteen digits that nobody chose."""
    assert is_stretched(stretch_salt(salt))


def test_random_digits_are_a_salt() -> None:
    """In hexadecimal, as programs draw them: of a thousand with 64 bits hardly one has too much that repeats."""
    draw = random.Random(7)
    assert sum(is_soon_guessed(f"{draw.getrandbits(64):016x}") for _ in range(1_000)) < 5
    assert not any(is_soon_guessed(f"{draw.getrandbits(128):032X}") for _ in range(1_000))


def test_a_drawn_salt_needs_no_stretching() -> None:
    """It is as long as what stretching gives, and another one each time."""
    drawn = {draw_salt() for _ in range(100)}
    assert len(drawn) == 100
    assert all(is_stretched(salt) and stretch_salt(salt) == salt for salt in drawn)
