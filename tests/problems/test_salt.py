"""A salt is stretched the same way for ever, and a short one is refused."""

from unicodedata import normalize

import pytest

from attnhand.errors import GenerationError
from attnhand.problems.salt import draw_salt, is_stretched, stretch_salt

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


@pytest.mark.parametrize("salt", ["mint", "elevenchars", " elevenchars ", "abcabcabcabcabc", "0" * 31, " " * 40])
def test_a_salt_that_is_soon_guessed_is_refused(salt: str) -> None:
    """One word, one of few letters; the sentence says what to type, and does not repeat the secret."""
    with pytest.raises(GenerationError) as refusal:
        stretch_salt(salt)
    assert str(refusal.value).endswith("give at least 12 characters, such as four words that make no sentence")
    assert salt not in str(refusal.value)


def test_a_drawn_salt_needs_no_stretching() -> None:
    """It is as long as what stretching gives, and another one each time."""
    drawn = {draw_salt() for _ in range(100)}
    assert len(drawn) == 100
    assert all(is_stretched(salt) and stretch_salt(salt) == salt for salt in drawn)
