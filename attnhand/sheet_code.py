"""The code on the paper, and back to the request that made the sheet.

A letter for the recipe, two check characters, then a request bit by bit, in Crockford's base32 (no I, L, O or
U), in groups of four: ``AK3T-0R1C-00E0``. The check characters are those of a Reed–Solomon code over GF(32):
every single wrong character and every swap of neighbours is caught.

Source: D. Crockford, "Base 32"; I. Reed and G. Solomon, "Polynomial Codes over Certain Finite Fields", 1960.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from attnhand.arithmetic import Base, Rules, Scale
from attnhand.errors import AttnhandError, CodeError
from attnhand.mechanisms import Convention
from attnhand.request import Request
from attnhand.vetting import Level

ALPHABET = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
"""Crockford's base32."""

RECIPE_LETTER = "A"
"""First letter of a code of recipe 1; the next recipe takes the next letter."""

OWN_LETTER = "M"
"""First letter of the fingerprint of somebody's own matrices."""

LONGEST_CODE = 31

# The order of these tuples is part of the code: append, never insert.
_MECHANISMS = ("self", "basic", "cross", "multi-head", "block")
_CONVENTIONS = (Convention.COLUMNS, Convention.ROWS)
_LEVELS = (Level.STANDARD, Level.WARM_UP, Level.CHALLENGE)
_SCALES = (Scale.HALF_FLOOR, Scale.NONE, Scale.SQRT)
_BASES = (Base.THREE, Base.TWO, Base.TEN, Base.E)
_SIZES = (("tokens", 4), ("features", 4), ("d_k", 3), ("d_v", 3))
"""Each with its width in bits; d_k and d_v are written less one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedCode:
    """What a code says."""

    request: Request
    salt_digest: int | None
    """Ten bits of a digest of the salt, None for a code without salt."""


class _Bits:
    """Bits written one field after the other, or read in the same order."""

    def __init__(self, bits: str = "") -> None:
        self.bits = bits

    def write(self, value: int, width: int) -> None:
        self.bits += f"{value:0{width}b}"

    def read(self, width: int) -> int:
        if len(self.bits) < width:
            raise CodeError("is too short")
        value, self.bits = int(self.bits[:width], 2), self.bits[width:]
        return value


def salt_digest(salt: str) -> int:
    """Return the ten bits by which a code recognises its salt."""
    return int.from_bytes(sha256(b"attnhand/salt/" + salt.encode()).digest()[:2], "big") >> 6


def encode(request: Request, salt: str = "") -> str:
    """Write the request as a code, such as ``A1M8-00G0-001R``."""
    bits = _Bits()
    bits.write(_MECHANISMS.index(request.mechanism), 3)
    bits.write(_CONVENTIONS.index(request.convention), 1)
    bits.write(_LEVELS.index(request.level), 2)
    bits.write(request.ties, 1)
    bits.write(bool(salt), 1)
    bits.write(bool(request.sizes), 1)
    bits.write(request.rules != Rules(), 1)
    bits.write(0, 1)  # no further fields; a later mechanism's own options follow a 1
    bits.write(request.seed, 32)
    if request.sizes:
        for name, width in _SIZES:
            bits.write(request.all_sizes[name] - (name in ("d_k", "d_v")), width)
    if request.rules != Rules():
        _write_rules(bits, request.rules)
    if salt:
        bits.write(salt_digest(salt), 10)
    return _spelled(RECIPE_LETTER, bits.bits)


def _write_rules(bits: _Bits, rules: Rules) -> None:
    if isinstance(rules.scale, Scale):
        bits.write(_SCALES.index(rules.scale), 2)
    else:
        bits.write(len(_SCALES), 2)
        bits.write(rules.scale, 10)
    bits.write(_BASES.index(rules.base), 2)
    bits.write(rules.decimals, 3)


def _read_rules(bits: _Bits) -> Rules:
    scale = bits.read(2)
    return Rules(
        scale=_SCALES[scale] if scale < len(_SCALES) else bits.read(10),
        base=_BASES[bits.read(2)],
        decimals=bits.read(3),
    )


def fingerprint(text: str) -> str:
    """Return the code of somebody's own problem: it identifies the problem, it cannot rebuild it."""
    digest = int.from_bytes(sha256(b"attnhand/problem/" + text.encode()).digest()[:6], "big") >> 3
    return _spelled(OWN_LETTER, f"{digest:045b}")


def looks_like_code(text: str) -> bool:
    """Say whether a text is meant as a sheet code rather than a seed, a file or a sample.

    >>> looks_like_code("A1Q0-0000-000W"), looks_like_code("three-words"), looks_like_code("7")
    (True, False, False)
    """
    plain = _plain(text)
    if len(plain) < 8 or not plain[0].isalpha() or not all(c in ALPHABET + "U" for c in plain):
        return False
    in_alphabet = all(c in ALPHABET for c in plain)
    return any(c.isdigit() for c in text) or (in_alphabet and not any(_syndromes([ALPHABET.index(c) for c in plain])))


def decode(text: str) -> DecodedCode:
    """Read a code; case, spaces, hyphens and the look-alikes O, I and L do not matter.

    Raises:
        CodeError: a character that no code holds, a wrong length, a check that fails, an unknown recipe.
    """
    plain = _plain(text)
    if alien := next((c for c in plain if c not in ALPHABET), None):
        raise CodeError(f"the code {text} holds {alien!r}, which no sheet code does: compare it with the paper")
    if not 12 <= len(plain) <= LONGEST_CODE:
        raise CodeError(
            f"the code {text} has {len(plain)} characters, a sheet code at least 12: compare it with the paper"
        )
    if any(_syndromes([ALPHABET.index(c) for c in plain])):
        raise CodeError(
            f"the code {text} does not check: a character is wrong or two have changed places; "
            "compare it with the paper"
        )
    if plain[0] == OWN_LETTER:
        raise CodeError(
            f"the code {text} is the fingerprint of a problem file: it cannot rebuild it; give the file itself"
        )
    if plain[0] != RECIPE_LETTER:
        raise CodeError(f"the code {text} is of a recipe this version does not know: upgrade attnhand")
    bits = _Bits("".join(f"{ALPHABET.index(c):05b}" for c in plain[3:]))
    try:
        return _read(bits)
    except (IndexError, AttnhandError) as error:
        raise CodeError(
            f"the code {text} is no sheet code of this version: compare it with the paper, or upgrade attnhand"
        ) from error


def _read(bits: _Bits) -> DecodedCode:
    mechanism = _MECHANISMS[bits.read(3)]
    convention = _CONVENTIONS[bits.read(1)]
    level = _LEVELS[bits.read(2)]
    ties, salted, own_sizes, own_rules, further = (bool(bits.read(1)) for _ in range(5))
    if further:
        raise CodeError("has options that this version does not know")
    seed = bits.read(32)
    sizes = {name: bits.read(width) + (name in ("d_k", "d_v")) for name, width in _SIZES} if own_sizes else {}
    request = Request(
        seed=seed,
        mechanism=mechanism,
        convention=convention,
        level=level,
        sizes=tuple(sizes.items()),
        rules=_read_rules(bits) if own_rules else Rules(),
        ties=ties,
    )
    digest = bits.read(10) if salted else None
    if len(bits.bits) >= 5 or "1" in bits.bits:
        raise CodeError("is too long")
    return DecodedCode(request=request, salt_digest=digest)


def _plain(text: str) -> str:
    return "".join(c for c in text.upper() if c not in " -\t").translate(str.maketrans("OIL", "011"))


def _grouped(code: str) -> str:
    return "-".join(code[i : i + 4] for i in range(0, len(code), 4))


def _spelled(letter: str, bits: str) -> str:
    bits += "0" * (-len(bits) % 5)
    payload = [int(bits[i : i + 5], 2) for i in range(0, len(bits), 5)]
    symbols = [ALPHABET.index(letter), 0, 0, *payload]
    first, second = _syndromes(symbols)
    # the two checks c₁ and c₂ solve c₁ + c₂ = first and α c₁ + α² c₂ = second
    c2 = _divided(second ^ _times(2, first), 2 ^ _times(2, 2))
    symbols[1:3] = first ^ c2, c2
    return _grouped("".join(ALPHABET[symbol] for symbol in symbols))


def _syndromes(symbols: Sequence[int]) -> tuple[int, int]:
    """Return Σ sᵢ and Σ αⁱ sᵢ in GF(32): both are 0 for a code without error."""
    plain = weighted = 0
    power = 1
    for symbol in symbols:
        plain ^= symbol
        weighted ^= _times(power, symbol)
        power = _times(power, 2)
    return plain, weighted


def _times(a: int, b: int) -> int:
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


def _divided(a: int, b: int) -> int:
    return next(x for x in range(32) if _times(x, b) == a)
