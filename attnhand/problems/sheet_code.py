"""The code on the paper, and back to the request that made the sheet.

A letter for the recipe, two check characters, then a request bit by bit, in Crockford's base32 (no I, L, O or
U), in groups of four: ``AK3T-0R1C-00E0``. The check characters are those of a Reed–Solomon code over GF(32):
every single wrong character and every swap of neighbours is caught.

Source: D. Crockford, "Base 32"; I. Reed and G. Solomon, "Polynomial Codes over Certain Finite Fields", 1960.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from unicodedata import normalize

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.errors import AttnhandError, CodeError, name_option
from attnhand.problems.base32 import ALPHABET, compute_syndromes, encode_bits, normalize_code
from attnhand.problems.levels import Level
from attnhand.problems.request import Request, list_size_names

RECIPE_LETTER = "A"
"""First letter of a code of recipe 1; the next recipe takes the next letter."""

FINGERPRINT_LETTER = "M"
"""First letter of the fingerprint of a user's own matrices."""

MAX_CODE_LENGTH = 31

# The order of these tuples is part of the code: append, never insert.
_CONVENTIONS = (Convention.COLUMNS, Convention.ROWS)
_LEVELS = (Level.STANDARD, Level.WARM_UP, Level.CHALLENGE)
_SCALES = (ScaleRule.HALF_FLOOR, ScaleRule.NONE, ScaleRule.SQRT)
_BASES = (Base.THREE, Base.TWO, Base.TEN, Base.E)
_SIZE_FIELDS = {"tokens": (4, 0), "features": (4, 0), "d_k": (3, 1), "d_v": (3, 1), "memory": (4, 0), "hidden": (3, 1)}
"""Each with its width in bits and what it is written less; a mechanism writes those that it has, in this order."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedCode:
    """The request that a code holds, and a digest of its salt."""

    request: Request
    salt_digest: int | None
    """Ten bits of a digest of the salt, None for a code without salt."""


class WordsError(CodeError):
    """The words that a code looks up are missing, or are others."""


class _BitString:
    """Bits written one field after the other, or read in the same order."""

    def __init__(self, bits: str = "") -> None:
        self.bits = bits

    def write(self, value: int, width: int) -> None:
        """Append a whole number; one that does not fit would be read as another sheet."""
        if not 0 <= value < 2**width:
            raise ValueError(f"{value} does not fit into {width} bits of a sheet code")
        self.bits += f"{value:0{width}b}"

    def read(self, width: int) -> int:
        """Take the next number off the front."""
        if len(self.bits) < width:
            raise CodeError("is too short")
        value, self.bits = int(self.bits[:width], 2), self.bits[width:]
        return value


def compute_words_digest(words: Sequence[str]) -> int:
    """Return the ten bits by which a code recognises the words that are looked up, however their accents are typed."""
    written = normalize("NFC", "\n".join(words))
    return int.from_bytes(sha256(b"attnhand/words/" + written.encode()).digest()[:2], "big") >> 6


def compute_salt_digest(salt: str) -> int:
    """Return the ten bits by which a code recognises its salt."""
    return int.from_bytes(sha256(b"attnhand/salt/" + salt.encode()).digest()[:2], "big") >> 6


def encode_request(request: Request, salt: str = "") -> str:
    """Write the request as a code, such as ``A1M8-00G0-001R``."""
    variant, plain_rules = request.variant, request.adapt_rules(Rules())
    further = Variant(mechanism=variant.mechanism) != variant
    bits = _BitString()
    bits.write(list(MECHANISMS).index(variant.mechanism), 3)
    bits.write(_CONVENTIONS.index(request.convention), 1)
    bits.write(_LEVELS.index(request.level), 2)
    bits.write(request.allow_ties, 1)
    bits.write(bool(salt), 1)
    bits.write(bool(request.size_overrides), 1)
    bits.write(request.rules != plain_rules, 1)
    bits.write(further, 1)
    bits.write(request.seed, 32)
    if further:
        _write_variant(bits, variant)
    if request.size_overrides:
        for name, width, less in _list_size_fields(variant):
            bits.write(request.all_sizes[name] - less, width)
    if request.rules != plain_rules:
        _write_rules(bits, request.rules)
    if salt:
        bits.write(compute_salt_digest(salt), 10)
    return encode_bits(RECIPE_LETTER, bits.bits)


def _list_size_fields(variant: Variant) -> list[tuple[str, int, int]]:
    """Return the sizes that a variant can choose, each with its width and what it is written less."""
    return [(name, *_SIZE_FIELDS[name]) for name in sorted(list_size_names(variant), key=[*_SIZE_FIELDS].index)]


def _write_variant(bits: _BitString, variant: Variant) -> None:
    bits.write(variant.head_count - 1, 2)
    bits.write(variant.is_causal, 1)
    bits.write(variant.has_positions, 1)
    bits.write(bool(variant.embedded_words), 1)
    if variant.embedded_words:
        bits.write(compute_words_digest(variant.embedded_words), 10)


def _read_variant(bits: _BitString, mechanism: str, words: Sequence[str]) -> Variant:
    usual = MECHANISMS[mechanism].default_heads
    heads = bits.read(2) + 1
    causal, positions, embeds = (bool(bits.read(1)) for _ in range(3))
    if embeds and bits.read(10) != compute_words_digest(words):
        raise WordsError(
            f"the words are not those of this sheet: give {name_option('words')} as they stand on it"
            if words
            else f"its words shape the numbers: give them with {name_option('words')}"
        )
    return Variant(
        mechanism=mechanism,
        heads=None if heads == usual else heads,
        is_causal=causal,
        has_positions=positions,
        embedded_words=tuple(words) if embeds else (),
    )


def _write_rules(bits: _BitString, rules: Rules) -> None:
    if isinstance(rules.scale, ScaleRule):
        bits.write(_SCALES.index(rules.scale), 2)
    else:
        bits.write(len(_SCALES), 2)
        bits.write(rules.scale, 10)
    bits.write(_BASES.index(rules.base), 2)
    bits.write(rules.decimals, 3)


def _read_rules(bits: _BitString) -> Rules:
    scale = bits.read(2)
    return Rules(
        scale=_SCALES[scale] if scale < len(_SCALES) else bits.read(10),
        base=_BASES[bits.read(2)],
        decimals=bits.read(3),
    )


def compute_fingerprint(text: str) -> str:
    """Return the code of a user's own problem: it identifies the problem, it cannot rebuild it."""
    digest = int.from_bytes(sha256(b"attnhand/problem/" + text.encode()).digest()[:6], "big") >> 3
    return encode_bits(FINGERPRINT_LETTER, f"{digest:045b}")


def looks_like_code(text: str) -> bool:
    """Say whether a text is meant as a sheet code rather than a seed, a file or a sample.

    >>> looks_like_code("A1Q0-0000-000W"), looks_like_code("three-words"), looks_like_code("7")
    (True, False, False)
    """
    typed = normalize_code(text)
    if len(typed) < 8 or not typed[0].isalpha() or not all(c in ALPHABET + "U" for c in typed):
        return False
    in_alphabet = all(c in ALPHABET for c in typed)
    return any(c.isdigit() for c in text) or (
        in_alphabet and not any(compute_syndromes([ALPHABET.index(c) for c in typed]))
    )


def decode_sheet_code(text: str, words: Sequence[str] = ()) -> DecodedCode:
    """Read a code; case, spaces, hyphens and the look-alikes O, I and L do not matter.

    Args:
        words: those on the sheet; where they are looked up in a table, no code is read without them.

    Raises:
        CodeError: a character that no code holds, a wrong length, a check that fails, an unknown recipe.
    """
    typed = normalize_code(text)
    if unknown := next((c for c in typed if c not in ALPHABET), None):
        raise CodeError(f"the code {text} holds {unknown!r}, which no sheet code does: compare it with the paper")
    if not 12 <= len(typed) <= MAX_CODE_LENGTH:
        raise CodeError(
            f"the code {text} has {len(typed)} characters, a sheet code at least 12: compare it with the paper"
        )
    if any(compute_syndromes([ALPHABET.index(c) for c in typed])):
        raise CodeError(
            f"the code {text} does not check: a character is wrong or two have changed places; "
            "compare it with the paper"
        )
    if typed[0] == FINGERPRINT_LETTER:
        raise CodeError(
            f"the code {text} is the fingerprint of a problem file: it cannot rebuild it; give the file itself"
        )
    if typed[0] != RECIPE_LETTER:
        raise CodeError(f"the code {text} is of a recipe this version does not know: upgrade attnhand")
    bits = _BitString("".join(f"{ALPHABET.index(c):05b}" for c in typed[3:]))
    try:
        return _read_decoded_code(bits, words)
    except WordsError as error:
        raise CodeError(f"the code {text}: {error}") from error
    except (IndexError, AttnhandError) as error:
        raise CodeError(
            f"the code {text} is no sheet code of this version: compare it with the paper, or upgrade attnhand"
        ) from error


def _read_decoded_code(bits: _BitString, words: Sequence[str]) -> DecodedCode:
    mechanism = list(MECHANISMS)[bits.read(3)]
    convention = _CONVENTIONS[bits.read(1)]
    level = _LEVELS[bits.read(2)]
    ties, salted, own_sizes, own_rules, further = (bool(bits.read(1)) for _ in range(5))
    seed = bits.read(32)
    variant = _read_variant(bits, mechanism, words) if further else Variant(mechanism=mechanism)
    sizes = {name: bits.read(width) + less for name, width, less in _list_size_fields(variant)} if own_sizes else {}
    request = Request(
        seed=seed,
        variant=variant,
        convention=convention,
        level=level,
        size_overrides=tuple(sizes.items()),
        rules=_read_rules(bits) if own_rules else Rules(),
        allow_ties=ties,
    )
    digest = bits.read(10) if salted else None
    if len(bits.bits) >= 5 or "1" in bits.bits:
        raise CodeError("is too long")
    return DecodedCode(request=request, salt_digest=digest)
