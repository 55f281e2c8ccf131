"""Bits as characters that can be typed: Crockford's base32, with two check characters over GF(32).

Source: D. Crockford, "Base 32"; I. Reed and G. Solomon, "Polynomial Codes over Certain Finite Fields", 1960.
"""

import re
from collections.abc import Sequence

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base32."""


_LANGUAGE = re.compile(r"\s*\+\s*([A-Za-z]{2})\s*$")
"""What stands behind a code whose sheet is not in English: A1Q0-0000-000W+DE."""


def normalize_code(text: str) -> str:
    """Return a code as typed, without case, blanks, hyphens, look-alikes and its language, which changes no number."""
    typed = strip_language(text).upper().replace("-", "")
    return "".join(typed.split()).translate(str.maketrans("OIL", "011"))


def strip_language(code: str) -> str:
    """Return a code without its language.

    >>> strip_language("A1Q0-0000-000W+DE"), read_language("A1Q0-0000-000W+DE"), read_language("A1Q0-0000-000W")
    ('A1Q0-0000-000W', 'de', None)
    """
    return _LANGUAGE.sub("", code)


def read_language(code: str) -> str | None:
    """Return the language that stands behind a code; None where there is none."""
    return match[1].lower() if (match := _LANGUAGE.search(code)) else None


def format_in_groups(code: str) -> str:
    """Write a code in groups of four, as on the paper."""
    return "-".join(code[i : i + 4] for i in range(0, len(code), 4))


def pad_bits(bits: str) -> str:
    """Return bits with zeros behind them that fill up the last character."""
    return bits + "0" * (-len(bits) % 5)


def encode_bits(letter: str, bits: str) -> str:
    """Write bits as a code: the letter, two check characters, the payload, in groups of four."""
    bits = pad_bits(bits)
    payload = [int(bits[i : i + 5], 2) for i in range(0, len(bits), 5)]
    symbols = [ALPHABET.index(letter), 0, 0, *payload]
    first, second = compute_syndromes(symbols)
    # the two checks c₁ and c₂ solve c₁ + c₂ = first and α c₁ + α² c₂ = second
    c2 = divide_gf32(second ^ multiply_gf32(2, first), 2 ^ multiply_gf32(2, 2))
    symbols[1:3] = first ^ c2, c2
    return format_in_groups("".join(ALPHABET[symbol] for symbol in symbols))


def compute_syndromes(symbols: Sequence[int]) -> tuple[int, int]:
    """Return Σ sᵢ and Σ αⁱ sᵢ in GF(32): both are 0 for a code without error."""
    added = weighted = 0
    power = 1
    for symbol in symbols:
        added ^= symbol
        weighted ^= multiply_gf32(power, symbol)
        power = multiply_gf32(power, 2)
    return added, weighted


def multiply_gf32(a: int, b: int) -> int:
    """Multiply in GF(32), modulo x⁵ + x² + 1."""
    result = 0
    while b:
        if b & 1:
            result ^= a
        a <<= 1
        if a & 32:
            a ^= 0b100101
        b >>= 1
    return result


def divide_gf32(a: int, b: int) -> int:
    """Divide in GF(32), by anything but 0: the one symbol whose product with b is a.

    >>> divide_gf32(multiply_gf32(5, 7), 7)
    5
    """
    return next(x for x in range(32) if multiply_gf32(x, b) == a)
