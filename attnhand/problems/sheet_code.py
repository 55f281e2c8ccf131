"""The code on the paper, and back to the request that made the sheet.

A letter for the recipe, two check characters, then a request bit by bit, in Crockford's base32 (no I, L, O or
U), in groups of four: ``A1Q0-0000-000W``. The check characters are those of a Reed–Solomon code over GF(32):
every single wrong character and every swap of neighbours is caught.

First the head, which every sheet has: mechanism, convention, level, ties, seed. Then only what this sheet has beside
it, section by section, each behind its number. Numbers that may grow are written in groups of bits, each with a bit in
front that says whether another group follows: 1 is 0.0001 (in groups of four), 19 is 1.0001 0.0011. So nothing is ever
full, and whatever is added at the end of a table leaves every code that was printed as it is.

The language stands behind it, A1Q0-0000-000W+DE, unless it is English: it changes no number, and codes are compared
without it.

Source: D. Crockford, "Base 32"; I. Reed and G. Solomon, "Polynomial Codes over Certain Finite Fields", 1960.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import IntEnum
from hashlib import sha256
from typing import TYPE_CHECKING
from unicodedata import normalize

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS, Mechanism, Variant
from attnhand.attention.mechanisms.base import strip_head
from attnhand.errors import AttnhandError, CodeError, Message, name_option
from attnhand.problems.base32 import ALPHABET, compute_syndromes, encode_bits, normalize_code, read_language
from attnhand.problems.levels import Level
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request, list_size_names, make_story_request
from attnhand.text import find_message

if TYPE_CHECKING:
    from attnhand.problems.story_template import StoryTemplate

RECIPE_LETTER = "A"
"""First letter of a code of recipe 1; the next recipe takes the next letter."""

FINGERPRINT_LETTER = "M"
"""First letter of the fingerprint of a user's own matrices."""

MIN_CODE_LENGTH, MAX_CODE_LENGTH = 12, 62
"""What is longer was not printed by this program. Beyond 31 characters the weights of the second check character come
round again: one wrong character and a swap of neighbours are still caught, a swap of two that are 31 apart is not."""

# The order of these tuples is part of the code: append, never insert. None is ever full.
_CONVENTIONS = (Convention.COLUMNS, Convention.ROWS)
_LEVELS = (Level.STANDARD, Level.WARM_UP, Level.CHALLENGE)
_SCALES = (ScaleRule.HALF_FLOOR, ScaleRule.NONE, ScaleRule.SQRT)
_BASES = (Base.THREE, Base.TWO, Base.TEN, Base.E)
_QUESTION_AMOUNTS = (QuestionAmount.FEW, QuestionAmount.NONE, QuestionAmount.MANY)
_SIZE_NAMES = ("tokens", "features", "d_k", "d_v", "memory", "hidden")
"""A mechanism writes those that it has, in this order, each less 1 in four bits."""


STORY_DIGEST_WIDTH = 20
"""Bits by which a code recognises its story."""


class Section(IntEnum):
    """What a sheet may have beside the head, in the order in which it is written; 0 ends a code.

    What is asked of a sheet stands here too, so that nobody's file need be believed what counts.
    """

    SALT = 1
    VARIANT = 2
    WINDOW = 3
    SIZES = 4
    RULES = 5
    ONLY_QUERIES = 6
    FROM_STAGE = 7
    BLANK_STAGES = 8
    FADE = 9
    QUESTIONS = 10
    STORY = 11


@dataclass(frozen=True, slots=True, kw_only=True)
class DecodedCode:
    """The request that a code holds, a digest of its salt, and what it asks of the sheet."""

    request: Request
    is_faded: bool = False
    """Whether the sheet prints the first token solved and the second begun."""
    salt_digest: int | None
    """Ten bits of a digest of the salt, None for a code without salt."""

    questions: QuestionAmount = QuestionAmount.FEW
    only_queries: tuple[int, ...] | None = None
    """Which queries are asked, counted from 1; None for those of every such sheet."""

    from_stage: str | None = None
    """The first stage that is asked."""

    blank_stages: tuple[str, ...] | None = None
    """The stages that are asked, None for all; without a head where that of each head is meant."""

    language: str | None = None
    """That of the sheet; None for English."""


class MissingPartError(CodeError):
    """The words that a code looks up, or its story, are missing or are others."""


class _BitString:
    """Bits written one field after the other, or read in the same order."""

    def __init__(self, bits: str = "") -> None:
        self.bits = bits

    def write(self, value: int, width: int) -> None:
        """Append a whole number; one that does not fit would be read as another sheet."""
        if not 0 <= value < 2**width:
            raise ValueError(f"{value} does not fit into {width} bits of a sheet code")
        self.bits += f"{value:0{width}b}"

    def write_growing(self, value: int, group: int) -> None:
        """Append a whole number of any size, in groups of bits, the highest first."""
        width = max(1, -(-value.bit_length() // group)) * group
        bits = f"{value:0{width}b}"
        starts = range(0, width, group)
        self.bits += "".join(f"{int(start < width - group)}{bits[start : start + group]}" for start in starts)

    def read_growing(self, group: int) -> int:
        """Take a number off the front that was written in groups of bits."""
        value = 0
        while True:
            is_last = not self.read(1)
            digit = self.read(group)
            if not (is_last or value or digit):
                raise CodeError("begins a number with nothing")  # or one number could be written in two ways
            value = value << group | digit
            if is_last:
                return value

    def read(self, width: int) -> int:
        """Take the next number off the front."""
        if len(self.bits) < width:
            raise CodeError("is too short")
        value, self.bits = int(self.bits[:width], 2), self.bits[width:]
        return value


def compute_words_digest(words: Sequence[str]) -> int:
    """Return the ten bits by which a code recognises the words that are looked up, however their accents are typed."""
    return _compute_digest("words", normalize("NFC", "\n".join(words)))


def compute_story_digest(story: "StoryTemplate") -> int:
    """Return the bits by which a code recognises its story."""
    return _compute_digest("story", story.digest, STORY_DIGEST_WIDTH)


def compute_salt_digest(salt: str) -> int:
    """Return the ten bits by which a code recognises its salt, which is stretched."""
    return _compute_digest("salt", salt)


def _compute_digest(kind: str, text: str, width: int = 10) -> int:
    """Return the first bits of a hash of the text, other ones for each kind."""
    return int.from_bytes(sha256(f"attnhand/{kind}/{text}".encode()).digest()[:6], "big") >> (48 - width)


def encode_request(
    request: Request,
    salt: str = "",
    *,
    only_queries: Sequence[int] = (),
    from_stage: str = "",
    blank_stages: Sequence[str] = (),
    is_faded: bool = False,
    questions: QuestionAmount = QuestionAmount.FEW,
) -> str:
    """Write the request and what is asked of it as a code, such as ``A1Q0-0000-000W``.

    Args:
        only_queries: counted from 1; none where those are asked that every such sheet asks.
        from_stage: as ``list_stage_names`` has it, as ``blank_stages``; empty where all stages are asked.
    """
    variant = request.variant
    bits = _BitString()
    bits.write_growing(list(MECHANISMS).index(variant.mechanism), 4)
    bits.write_growing(_CONVENTIONS.index(request.convention), 1)
    bits.write_growing(_LEVELS.index(request.level), 2)
    bits.write(request.allow_ties, 1)
    bits.write(request.seed, 32)
    if salt:
        bits.write_growing(Section.SALT, 3)
        bits.write(compute_salt_digest(salt), 10)
    if request.story is None:
        _write_form(bits, request)
    if request.rules != request.adapt_rules(Rules()):
        bits.write_growing(Section.RULES, 3)
        _write_rules(bits, request.rules)
    names = list_stage_names(request.mechanism)
    if only_queries:
        bits.write_growing(Section.ONLY_QUERIES, 3)
        bits.write_growing(sum({1 << query - 1 for query in only_queries}), 4)
    if from_stage:
        bits.write_growing(Section.FROM_STAGE, 3)
        bits.write_growing(names.index(from_stage), 4)
    if blank_stages:
        bits.write_growing(Section.BLANK_STAGES, 3)
        bits.write_growing(sum({1 << names.index(name) for name in blank_stages}), 4)
    if is_faded:
        bits.write_growing(Section.FADE, 3)
    if questions is not QuestionAmount.FEW:
        bits.write_growing(Section.QUESTIONS, 3)
        bits.write_growing(_QUESTION_AMOUNTS.index(questions), 2)
    if request.story is not None:
        bits.write_growing(Section.STORY, 3)
        bits.write(compute_story_digest(request.story), STORY_DIGEST_WIDTH)
    return encode_bits(RECIPE_LETTER, bits.bits)


def list_stage_names(mechanism: Mechanism) -> list[str]:
    """Return what stages are called, first those of every head together, then each; a code writes their places.

    >>> list_stage_names(Variant(mechanism="multi-head", heads=2).build_mechanism())[8:12]
    ['Z', 'concat', 'output', 'h1.Q']
    """
    ids = [stage.name for stage in mechanism.stages]
    return list(dict.fromkeys([*map(strip_head, ids), *ids]))


def _write_form(bits: _BitString, request: Request) -> None:
    """Write what a story would decide: heads, mask, words and sizes."""
    variant = request.variant
    if Variant(mechanism=variant.mechanism) != replace(variant, window=None):
        bits.write_growing(Section.VARIANT, 3)
        _write_variant(bits, variant)
    if variant.window is not None:
        bits.write_growing(Section.WINDOW, 3)
        bits.write_growing(variant.window, 3)
    if request.size_overrides:
        bits.write_growing(Section.SIZES, 3)
        for name in _list_size_names(variant):
            bits.write(request.all_sizes[name] - 1, 4)


def _list_size_names(variant: Variant) -> list[str]:
    """Return the sizes that a variant can choose, in the order of the code."""
    return sorted(list_size_names(variant), key=[*_SIZE_NAMES].index)


def _write_variant(bits: _BitString, variant: Variant) -> None:
    bits.write_growing(variant.head_count - 1, 2)
    bits.write(variant.is_causal, 1)
    bits.write(variant.has_positions, 1)
    bits.write(bool(variant.embedded_words), 1)
    if variant.embedded_words:
        bits.write(compute_words_digest(variant.embedded_words), 10)


def _read_variant(bits: _BitString, mechanism: str, words: Sequence[str]) -> Variant:
    heads = bits.read_growing(2) + 1
    causal, positions, embeds = (bool(bits.read(1)) for _ in range(3))
    if embeds and bits.read(10) != compute_words_digest(words):
        key = "code.words.other" if words else "code.words.missing"
        raise MissingPartError(Message(key, option=name_option("words")))
    embedded = tuple(words) if embeds else ()
    return Variant(mechanism=mechanism, heads=heads, is_causal=causal, has_positions=positions, embedded_words=embedded)


def _write_rules(bits: _BitString, rules: Rules) -> None:
    """Write the scale (0 for a divisor, which follows, else its place in the table), the base and the decimals."""
    if isinstance(rules.scale, ScaleRule):
        bits.write_growing(_SCALES.index(rules.scale) + 1, 2)
    else:
        bits.write_growing(0, 2)
        bits.write_growing(rules.scale, 5)
    bits.write_growing(_BASES.index(rules.base), 2)
    bits.write_growing(rules.decimals, 3)


def _read_rules(bits: _BitString) -> Rules:
    scale = bits.read_growing(2)
    return Rules(
        scale=_SCALES[scale - 1] if scale else bits.read_growing(5),
        base=_BASES[bits.read_growing(2)],
        decimals=bits.read_growing(3),
    )


def compute_fingerprint(text: str) -> str:
    """Return the code of a user's own problem: it identifies the problem, it cannot rebuild it."""
    return encode_bits(FINGERPRINT_LETTER, f"{_compute_digest('problem', text, width=45):045b}")


def looks_like_code(text: str) -> bool:
    """Say whether a text is meant as a sheet code rather than a seed, a file or a sample.

    >>> looks_like_code("A1Q0-0000-000W"), looks_like_code("three-words"), looks_like_code("7")
    (True, False, False)
    """
    typed = normalize_code(text)
    if len(typed) < 8 or not typed[0].isalpha() or not all(c in ALPHABET + "U" for c in typed):
        return False
    if any(c.isdigit() for c in text):
        return True
    return "U" not in typed and not any(compute_syndromes([ALPHABET.index(c) for c in typed]))


def _read_story(bits: _BitString, own_story: "StoryTemplate | None") -> "StoryTemplate":
    """Return the story of a digest: the one that is given, or one that comes with the program."""
    from attnhand.problems.story_template import STORY_NAMES, read_bundled_story

    digest = bits.read(STORY_DIGEST_WIDTH)
    if own_story is not None:
        if compute_story_digest(own_story) == digest:
            return own_story
        raise MissingPartError(Message("code.story.other", name=own_story.name))
    bundled = map(read_bundled_story, STORY_NAMES)
    story = next((each for each in bundled if compute_story_digest(each) == digest), None)
    if story is None:
        raise MissingPartError(Message("code.story.missing", option=name_option("story", "my.toml")))
    return story


def decode_sheet_code(text: str, words: Sequence[str] = (), story: "StoryTemplate | None" = None) -> DecodedCode:
    """Read a code; case, spaces, hyphens and the look-alikes O, I and L do not matter.

    Args:
        words: those on the sheet; where they are looked up in a table, no code is read without them.
        story: the one it was made with, where that does not come with the program.

    Raises:
        CodeError: a character that no code holds, a wrong length, a check that fails, an unknown recipe.
    """
    text = " ".join(text.split())
    typed = normalize_code(text)
    if unknown := next((c for c in typed if c not in ALPHABET), None):
        raise CodeError(Message("code.character", code=text, character=repr(unknown)))
    if not MIN_CODE_LENGTH <= len(typed) <= MAX_CODE_LENGTH:
        raise CodeError(
            Message("code.length", code=text, length=len(typed), least=MIN_CODE_LENGTH, most=MAX_CODE_LENGTH)
        )
    if any(compute_syndromes([ALPHABET.index(c) for c in typed])):
        raise CodeError(Message("code.mistyped", code=text))
    if typed[0] == FINGERPRINT_LETTER:
        raise CodeError(Message("code.fingerprint", code=text))
    if typed[0] != RECIPE_LETTER:
        raise CodeError(Message("code.recipe", code=text))
    bits = _BitString("".join(f"{ALPHABET.index(c):05b}" for c in typed[3:]))
    try:
        return replace(_read_decoded_code(bits, words, story), language=read_language(text))
    except MissingPartError as error:
        raise CodeError(Message("code.words", code=text, reason=find_message(error))) from error
    except (IndexError, ValueError, AttnhandError) as error:
        raise CodeError(Message("code.unknown", code=text)) from error


def _read_decoded_code(bits: _BitString, words: Sequence[str], own_story: "StoryTemplate | None") -> DecodedCode:
    mechanism = list(MECHANISMS)[bits.read_growing(4)]
    convention = _CONVENTIONS[bits.read_growing(1)]
    level = _LEVELS[bits.read_growing(2)]
    ties, seed = bool(bits.read(1)), bits.read(32)
    variant, rules, salt_digest, questions = Variant(mechanism=mechanism), Rules(), None, QuestionAmount.FEW
    sizes: dict[str, int] = {}
    story = None
    is_faded = False
    queries: tuple[int, ...] | None = None
    first_place: int | None = None
    asked_places: tuple[int, ...] | None = None
    last_section = 0
    while "1" in bits.bits:
        section = Section(bits.read_growing(3))
        if section <= last_section:
            raise CodeError("has a section twice, or two in another order")
        last_section = section
        match section:
            case Section.SALT:
                salt_digest = bits.read(10)
            case Section.VARIANT:
                variant = _read_variant(bits, mechanism, words)
            case Section.WINDOW:
                variant = replace(variant, window=bits.read_growing(3))
            case Section.SIZES:
                sizes = {name: bits.read(4) + 1 for name in _list_size_names(variant)}
            case Section.RULES:
                rules = _read_rules(bits)
            case Section.ONLY_QUERIES:
                queries = tuple(place + 1 for place in _read_places(bits))
            case Section.FROM_STAGE:
                first_place = bits.read_growing(4)
            case Section.BLANK_STAGES:
                asked_places = _read_places(bits)
            case Section.FADE:
                is_faded = True
            case Section.STORY:
                story = _read_story(bits, own_story)
            case Section.QUESTIONS:
                questions = _QUESTION_AMOUNTS[bits.read_growing(2)]
                if questions is QuestionAmount.FEW:
                    raise CodeError("says what every code says")  # or one sheet could have two codes
    if len(bits.bits) >= 5:
        raise CodeError("is too long")
    if story is not None:
        request = make_story_request(story, seed, convention=convention, rules=rules, allow_ties=ties)
        if (
            (request.variant.mechanism, request.level) != (mechanism, level)
            or sizes
            or variant != Variant(mechanism=mechanism)
        ):
            raise CodeError("asks for what its story is not")
    else:
        request = Request(
            seed=seed,
            variant=variant,
            convention=convention,
            level=level,
            size_overrides=tuple(sizes.items()),
            rules=rules,
            allow_ties=ties,
        )
    if queries and queries[-1] > request.all_sizes["tokens"]:
        raise CodeError("asks for a query that is not there")
    names = list_stage_names(request.mechanism)
    return DecodedCode(
        request=request,
        is_faded=is_faded,
        salt_digest=salt_digest,
        questions=questions,
        only_queries=queries,
        from_stage=None if first_place is None else names[first_place],
        blank_stages=None if asked_places is None else tuple(names[place] for place in asked_places),
    )


def _read_places(bits: _BitString) -> tuple[int, ...]:
    """Read which places (0-based) of a list are meant, from one bit each, the first the lowest."""
    mask = bits.read_growing(4)
    if not mask:
        raise CodeError("asks for nothing")
    return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)
