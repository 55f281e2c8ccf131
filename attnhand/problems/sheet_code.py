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

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from hashlib import sha256
from typing import TYPE_CHECKING, Any
from unicodedata import normalize

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS, Mechanism, Variant
from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.mechanisms.settings import MAX_SINK, RMS, SETTINGS, NormPlace
from attnhand.errors import AttnhandError, CodeError, Message, name_option
from attnhand.problems.base32 import ALPHABET, compute_syndromes, encode_bits, normalize_code, pad_bits, read_language
from attnhand.problems.bit_fields import FLAG, TRUE, BitString, Field, fixed, growing, one_of, perhaps, some_of_a_list
from attnhand.problems.carrying import CARRIED_FORMS, count_heads, find_frame
from attnhand.problems.levels import Level
from attnhand.problems.mistake import format_mistake, parse_mistake
from attnhand.problems.model_parts import MODEL_PARTS, find_part
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request, list_size_names, make_part_request, make_story_request
from attnhand.text import find_message

if TYPE_CHECKING:
    from attnhand.problems.story_template import StoryTemplate

RECIPE_LETTER = "A"
"""First letter of a code of recipe 1; the next recipe takes the next letter."""

FINGERPRINT_LETTER = "M"
"""First letter of the fingerprint of a user's own matrices."""

LENGTH_BEFORE_REQUEST = 3
"""The letter of the recipe and two check characters: the request stands behind them."""

MIN_CODE_LENGTH, MAX_CODE_LENGTH = 12, 62
"""What is longer was not printed by this program. Beyond 31 characters the weights of the second check character come
round again: one wrong character and a swap of neighbours are still caught, a swap of two that are 31 apart is not."""

# The order of these tuples is part of the code: append, never insert. None is ever full.
_CONVENTIONS = (Convention.COLUMNS, Convention.ROWS)
_LEVELS = (Level.STANDARD, Level.WARM_UP, Level.CHALLENGE, Level.FIRST)
_SCALES = (ScaleRule.HALF_FLOOR, ScaleRule.NONE, ScaleRule.SQRT)
_BASES = (Base.THREE, Base.TWO, Base.TEN, Base.E, Base.NONE)
_QUESTION_AMOUNTS = (QuestionAmount.FEW, QuestionAmount.NONE, QuestionAmount.MANY, QuestionAmount.TRIES)
_SLIPS = (
    "next-word",
    "positions-from-one",
    "sines-exchanged",
    "position-forgotten",
    "multiplied-not-added",
    "other-weights",
    "third-weights",
    "weights-of-other-head",
    "weights-transposed",
    "signs-ignored",
    "last-product-forgotten",
    "operands-swapped",
    "elementwise",
    "negative-result-zero",
    "bias-forgotten",
    "bias-other-axis",
    "scores-transposed",
    "other-operand-transposed",
    "not-transposed",
    "values-for-queries",
    "values-for-keys",
    "queries-with-themselves",
    "keys-with-themselves",
    "projections-skipped",
    "not-scaled",
    "truncated",
    "rounded-up",
    "half-kept",
    "bankers-rounding",
    "over-d_k",
    "doubled",
    "sign-dropped",
    "zero-for-minus-infinity",
    "other-triangle",
    "diagonal-too",
    "mask-forgotten",
    "window-forgotten",
    "window-too-wide",
    "times-not-power",
    "negative-power-negated",
    "negative-power-zero",
    "negative-power-times",
    "negative-power-over-product",
    "cubed",
    "zero-power-zero",
    "zero-power-base",
    "power-of-magnitude",
    "unscaled-exponent",
    "base-two",
    "base-e",
    "sums-other-axis",
    "grand-total-sums",
    "other-axis",
    "crossed-sums",
    "grand-total",
    "one-sum-for-all",
    "over-largest",
    "over-count",
    "not-divided",
    "no-exponential",
    "one-hot",
    "rounded-early",
    "masked-after",
    "weights-A-transposed",
    "powers-for-weights",
    "scores-for-weights",
    "keys-for-values",
    "queries-for-values",
    "inputs-for-values",
    "top-token-copied",
    "heads-exchanged",
    "heads-interleaved",
    "heads-added",
    "relu-forgotten",
    "relu-of-magnitude",
    "relu-other-side",
    "turn-forgotten",
    "turn-other-way",
    "turn-from-one",
    "mask-turned",
    "not-shifted",
    "smallest-subtracted",
    "largest-of-all",
    "shifted-early",
    "first-product-forgotten",
    "over-d_k-kept",
    "plain-mean",
    "hidden-added",
    "distance-forgotten",
    "distance-added",
    "distance-unsigned",
    "slope-forgotten",
    "new-first",
    "query-appended",
    "residual-forgotten",
    "sum-rounded-down",
    "sum-for-mean",
    "root-forgotten",
    "quotient-rounded-down",
    "over-largest-number",
    "largest-not-updated",
    "factor-turned-round",
    "factor-forgotten",
    "blocks-before-forgotten",
    "over-last-block",
    "not-shared-anew",
    "log-not-negated",
    "loss-of-favourite",
    "loss-without-log",
    "target-less-share",
    "target-forgotten",
    "output-for-gradient",
    "plain-gradient-mean",
    "gradient-mean-forgotten",
    "gradient-weighted-early",
    "gradient-turned",
    "gradient-not-scaled",
    "gradient-rounded",
    "sink-forgotten",
    "sink-not-raised",
    "temperature-forgotten",
    "temperature-multiplied",
    "weights-over-temperature",
    "step-uphill",
    "rate-forgotten",
)
"""Ids of slips; what a sheet is asked to find is one of them."""


def _scale(members: Sequence[ScaleRule]) -> Field:
    """Return the field of a scale: its place in a table, from 1, or 0 before a divisor."""

    def write(bits: BitString, scale: ScaleRule | int) -> None:
        if isinstance(scale, ScaleRule):
            bits.write_growing(members.index(scale) + 1, 2)
        else:
            bits.write_growing(0, 2)
            bits.write_growing(scale, 5)

    def read(bits: BitString) -> ScaleRule | int:
        place = bits.read_growing(2)
        return members[place - 1] if place else bits.read_growing(5)

    return Field(write, read)


def _write_ratio(bits: BitString, ratio: Fraction) -> None:
    bits.write_growing(ratio.numerator, 2)
    bits.write_growing(ratio.denominator, 2)


def _read_ratio(bits: BitString) -> Fraction:
    numerator, denominator = bits.read_growing(2), bits.read_growing(2)
    return Fraction(numerator, denominator)  # of none over 0 is there a code


_RATIO = Field(_write_ratio, _read_ratio)

STORY_DIGEST_WIDTH = 20
"""Bits by which a code recognises its story."""

_DIGEST = fixed(10)
_SIZE = fixed(4, least=1)
_SIZES = {
    "tokens": _SIZE,
    "features": _SIZE,
    "d_k": _SIZE,
    "d_v": _SIZE,
    "memory": _SIZE,
    "hidden": _SIZE,
    "vocabulary": _SIZE,
}
"""A sheet writes all of these that can be chosen for it, where one differs from the level's."""

_HEAD: Mapping[str, Field] = {
    "mechanism": one_of(MECHANISMS, 4),
    "convention": one_of(_CONVENTIONS, 1),
    "level": one_of(_LEVELS, 2),
    "allow_ties": FLAG,
    "seed": fixed(32),
}
"""With what every code begins."""

_SECTIONS: Mapping[int, Mapping[str, Field]] = {
    1: {"salt_digest": _DIGEST},
    2: {
        "heads": growing(2, least=1),
        "is_causal": FLAG,
        "has_positions": FLAG,
        "words_digest": perhaps(_DIGEST),
    },
    3: {"window": growing(3)},
    29: {"carried": some_of_a_list(4), "carried_heads": growing(2, least=1)},  # here: it decides which sizes there are
    4: _SIZES,
    5: {"scale": _scale(_SCALES), "base": one_of(_BASES, 2), "decimals": growing(3)},
    6: {"only_queries": some_of_a_list(4)},
    7: {"from_stage": growing(4)},
    8: {"blank_stages": some_of_a_list(4)},
    9: {"is_faded": TRUE},
    10: {"questions": one_of(_QUESTION_AMOUNTS, 2)},
    11: {"story_digest": fixed(STORY_DIGEST_WIDTH)},
    12: {"slip": growing(4), "stage": growing(4)},
    13: {"kv_heads": growing(2, least=1)},
    14: {"is_rotary": TRUE},
    15: {"begins_with": some_of_a_list(4)},
    16: {"query_count": growing(2, least=1)},
    17: {"padding": some_of_a_list(4)},
    18: {"is_shifted": TRUE},
    19: {"sink": growing(3, least=-MAX_SINK)},
    20: {"temperature": _RATIO},
    21: {"has_distances": TRUE},
    22: {"cache": growing(3, least=2)},
    23: {"has_residual": TRUE},
    24: {"norm": one_of((RMS,), 1), "norm_place": one_of((None, NormPlace.AFTER), 1)},
    25: {"block_count": growing(2, least=1)},
    26: {"top_k": growing(2, least=1)},
    27: {"learning_rate": _RATIO},
    28: {"part": one_of(tuple(MODEL_PARTS), 4)},
}
"""What a code may say beside that, by the number before it; what it does not say is as on most sheets.

What is asked of a sheet stands here too, so that nobody's file need be believed what counts.
"""


def _write_values(values: Mapping[str, Any]) -> str:
    """Return the bits of a code that says all this."""
    bits = BitString()
    for name, field in _HEAD.items():
        field.write(bits, values[name])
    for number, fields in _SECTIONS.items():
        if present := [name for name in fields if name in values]:
            bits.write_growing(number, 3)
            for name in present:
                fields[name].write(bits, values[name])
    return bits.bits


def _read_values(code_bits: str) -> dict[str, Any]:
    """Return all that the bits of a code say.

    Raises:
        CodeError, LookupError: they are none of this version, or say it in another way than is written, for one sheet
            has one code.
    """
    bits = BitString(code_bits)
    values = {name: field.read(bits) for name, field in _HEAD.items()}
    while "1" in bits.bits:  # sections count from 1: once there are zeros alone, what is left is padding
        fields = _SECTIONS[bits.read_growing(3)]
        if fields is _SIZES:
            frame = find_frame(_read_carried(values)) if "carried" in values else None
            names = _list_sizes(frame or Variant(mechanism=values["mechanism"]))
            is_counted = values.get("words_digest") is not None  # words make their own number of tokens
            fields = {name: _SIZES[name] for name in names if not (is_counted and name == "tokens")}
        values |= {name: field.read(bits) for name, field in fields.items()}
    if pad_bits(_write_values(values)) != code_bits:
        raise CodeError("says it in another way than is written")
    return values


def _list_sizes(variant: Variant) -> list[str]:
    """Return the sizes that can be chosen, in the order of a code."""
    return sorted(list_size_names(variant), key=[*_SIZES].index)


@dataclass(frozen=True, slots=True, kw_only=True)
class CodedMistake:
    """The numbers of a slip and of its stage as a code holds them; where there is a salt, hidden by it."""

    slip_number: int
    stage_number: int
    bits_before: str
    """What the code says before it."""

    def find_name(self, mechanism: Mechanism, salt: str = "") -> str:
        """Return the slip and its stage: ``truncated@scaled``.

        Raises:
            CodeError: this version knows no such slip, or the sheet has no such stage.
        """
        slip_mask, stage_mask = _compute_mistake_masks(salt, self.bits_before)
        names = list_stage_names(mechanism)
        try:
            slip, stage = _SLIPS[self.slip_number ^ slip_mask], names[self.stage_number ^ stage_mask]
        except IndexError:
            raise CodeError("has an unknown mistake") from None
        if stage not in {each.name for each in mechanism.stages}:
            raise CodeError("has a mistake in several stages")  # or one sheet could have two codes
        return format_mistake(slip, stage)


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

    coded_mistake: CodedMistake | None = None
    """The mistake that is to be found on the sheet; None where there is none."""

    language: str | None = None
    """That of the sheet; None for English."""

    def find_mistake(self, salt: str = "") -> str | None:
        """Return the slip that is planted, and where: ``truncated@scaled``; a salted code tells it only with its salt.

        Raises:
            CodeError: there is no such slip or stage.
        """
        return None if self.coded_mistake is None else self.coded_mistake.find_name(self.request.mechanism, salt)


class MissingPartError(CodeError):
    """The words that a code looks up, or its story, are missing or are others."""


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
    mistake: str = "",
) -> str:
    """Write the request and what is asked of it as a code, such as ``A1Q0-0000-000W``.

    Args:
        only_queries: counted from 1; none where those are asked that every such sheet asks.
        from_stage: as ``list_stage_names`` has it, as ``blank_stages``; empty where all stages are asked.
        mistake: the planted slip and its stage, ``truncated@scaled``; empty where there is none.
    """
    names = list_stage_names(request.mechanism)
    values: dict[str, Any] = {
        "mechanism": request.variant.mechanism,
        "convention": request.convention,
        "level": request.level,
        "allow_ties": request.allow_ties,
        "seed": request.seed,
    }
    if salt:
        values["salt_digest"] = compute_salt_digest(salt)
    if request.part:
        values["part"] = request.part
        if request.variant.temperature is not None:
            values["temperature"] = request.variant.temperature
    elif request.story is not None:
        values["story_digest"] = compute_story_digest(request.story)
    else:
        values |= _list_form(request)
    if request.rules != request.adapt_rules(Rules()):
        values |= {"scale": request.rules.scale, "base": request.rules.base, "decimals": request.rules.decimals}
    if only_queries:
        values["only_queries"] = [query - 1 for query in only_queries]
    if from_stage:
        values["from_stage"] = names.index(from_stage)
    if blank_stages:
        values["blank_stages"] = [names.index(name) for name in blank_stages]
    if is_faded:
        values["is_faded"] = True
    if questions is not QuestionAmount.FEW:
        values["questions"] = questions
    if mistake:
        slip, stage = parse_mistake(mistake)
        slip_mask, stage_mask = _compute_mistake_masks(salt, _write_values(values))
        values |= {"slip": _SLIPS.index(slip) ^ slip_mask, "stage": names.index(stage) ^ stage_mask}
    return encode_bits(RECIPE_LETTER, _write_values(values))


def _list_form(request: Request) -> dict[str, Any]:
    """Return what a code says of a sheet beside its seed that a story would decide: heads, mask, words and sizes."""
    variant, values = request.variant, dict[str, Any]()
    settings = {setting.field: setting.default for setting in SETTINGS}
    usual: dict[str, Any] = {"window": None, "kv_heads": None, "is_rotary": False, "padding": (), "lacks_target": False}
    plain = replace(variant.whole, is_scaled=True, **usual, **settings)
    if plain != Variant(mechanism=variant.mechanism):
        values = {
            "heads": variant.head_count,
            "is_causal": variant.is_causal,
            "has_positions": variant.has_positions,
            "words_digest": compute_words_digest(variant.embedded_words) if variant.embedded_words else None,
        }
    if variant.window is not None:
        values["window"] = variant.window
    if variant.kv_heads is not None:
        values["kv_heads"] = variant.kv_heads
    if variant.is_rotary:
        values["is_rotary"] = True
    if variant.has_distances:
        values["has_distances"] = True
    if variant.begins_with:
        names = _list_beginnings(variant)
        values["begins_with"] = [names.index(name) for name in variant.begins_with]
    if request.query_count is not None:
        values["query_count"] = request.query_count
    if variant.padding:
        values["padding"] = [key - 1 for key in variant.padding]
    values |= {name: getattr(variant, name) for name, usual in settings.items() if getattr(variant, name) != usual}
    if variant.norm is not None:
        values["norm_place"] = variant.norm_place
    if request.carried:
        values["carried"] = [CARRIED_FORMS.index((form.mechanism, form.is_causal)) for form in request.carried]
        values["carried_heads"] = count_heads(request.carried)
    if request.size_overrides:
        uncut = request.uncut
        values |= {name: uncut.all_sizes[name] for name in _list_sizes(uncut.variant.whole)}
    return values


def _list_beginnings(variant: Variant) -> list[str]:
    """Return what a sheet may begin with, by its names in a head: a code writes their places."""
    return [formula.name for formula in replace(variant.whole, is_scaled=True).build_mechanism().formulas.formulas]


def _compute_mistake_masks(salt: str, bits_before: str) -> tuple[int, int]:
    """Return what hides the numbers of slip and stage in a salted code: without the salt it gives no part of a key.

    Other ones for each code, so that one mistake that is known gives away no other; 0 where there is no salt.
    """
    if not salt:
        return 0, 0
    digest = _compute_digest("mistake", f"{salt}/{bits_before}", width=16)
    return digest >> 8, digest & 0xFF


def list_stage_names(mechanism: Mechanism) -> list[str]:
    """Return what stages are called, first those of every head together, then each; a code writes their places.

    >>> list_stage_names(Variant(mechanism="multi-head", heads=2).build_mechanism())[8:12]
    ['Z', 'concat', 'output', 'h1.Q']
    """
    ids = [stage.name for stage in mechanism.stages]
    return list(dict.fromkeys([*map(strip_head, ids), *ids]))


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
    if any(c.isdigit() for c in text):  # a code, maybe mistyped: with a U, which no code holds
        return True
    # letters alone may be words, so they must be a code without a mistake
    return "U" not in typed and not any(compute_syndromes([ALPHABET.index(c) for c in typed]))


def decode_sheet_code(text: str, words: Sequence[str] = (), story: "StoryTemplate | None" = None) -> DecodedCode:
    """Read a code; case, spaces, hyphens and the look-alikes O, I and L do not matter, nor № and page of a QR code.

    Args:
        words: those on the sheet; where they are looked up in a table, no code is read without them.
        story: the one it was made with, where that does not come with the program.

    Raises:
        CodeError: a character that no code holds, a wrong length, a check that fails, an unknown recipe.
    """
    text = " ".join(text.split())
    if not _is_whole(text) and _is_whole(without := _NUMBER_AND_PAGE.sub("", text)):
        text = without
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
    try:
        values = _read_values("".join(f"{ALPHABET.index(c):05b}" for c in typed[LENGTH_BEFORE_REQUEST:]))
        return _interpret_values(values, _make_request(values, words, story), read_language(text))
    except MissingPartError as error:
        raise CodeError(Message("code.words", code=text, reason=find_message(error))) from error
    except (LookupError, ValueError, AttnhandError) as error:
        # the reason is for developers, in the traceback: this version writes no such code, whatever is wrong with it
        raise CodeError(Message("code.unknown", code=text)) from error


_NUMBER_AND_PAGE = re.compile(r" [1-9][0-9]{0,5} [1-9][0-9]?$")
"""What the QR code of a page in a class set says behind the code: "47 2"."""


def _is_whole(text: str) -> bool:
    """Say whether a text is a code whose check is right, of whatever recipe."""
    typed = normalize_code(text)
    is_code = MIN_CODE_LENGTH <= len(typed) <= MAX_CODE_LENGTH and set(typed) <= set(ALPHABET)
    return is_code and not any(compute_syndromes([ALPHABET.index(c) for c in typed]))


def _make_request(values: Mapping[str, Any], words: Sequence[str], own_story: "StoryTemplate | None") -> Request:
    """Return the request of a code that says all this.

    Raises:
        MissingPartError: it goes with other words, or another story, than these.
        AttnhandError, ValueError: there can be no such request.
    """
    rules = Rules(**_choose(values, "scale", "base", "decimals"))
    common = {**_choose(values, "seed", "convention", "allow_ties"), "rules": rules}
    form = _choose(values, "heads", "kv_heads", "is_causal", "has_positions", "window", "is_rotary")
    form |= _choose(values, "has_distances")
    form |= _choose(values, *(setting.field for setting in SETTINGS))
    sizes = _choose(values, *_SIZES)
    if "story_digest" in values:
        request = make_story_request(_find_story(values["story_digest"], own_story), **common)
        # a story decides on form and sizes; mechanism and level stand in every code, and must be those of the story
        of_story = {"mechanism": request.variant.mechanism, "level": request.level}
        if form or sizes or of_story != _choose(values, *of_story):
            raise CodeError("asks for what its story is not")
        return request
    if "part" in values:
        temperature = form.pop("temperature", None)
        request = make_part_request(find_part(values["part"]), level=values["level"], temperature=temperature, **common)
        if form or sizes or request.variant.mechanism != values["mechanism"]:
            raise CodeError("asks for what its part is not")
        return request
    if (words_digest := values.get("words_digest")) is not None:
        if words_digest != compute_words_digest(words):
            key = "code.words.other" if words else "code.words.missing"
            raise MissingPartError(Message(key, option=name_option("words")))
        form["embedded_words"] = tuple(words)
    if "padding" in values:
        form["padding"] = tuple(place + 1 for place in values["padding"])
    variant = Variant(mechanism=values["mechanism"], **form)
    carried = _read_carried(values)
    if carried and count_heads(carried) != values["carried_heads"]:
        raise CodeError("says how many heads sheets have that have none")
    if "begins_with" in values:
        names = _list_beginnings(variant)
        variant = replace(variant, begins_with=tuple(names[place] for place in values["begins_with"]))
    return Request(
        variant=variant,
        level=values["level"],
        size_overrides=tuple(sizes.items()),
        query_count=values.get("query_count"),
        carried=carried,
        **common,
    )


def _read_carried(values: Mapping[str, Any]) -> tuple[Variant, ...]:
    """Return the forms of the sheets that a code says are cut of one problem; none where it says nothing of them."""
    heads = values.get("carried_heads")
    forms = [CARRIED_FORMS[place] for place in values.get("carried", ())]
    return tuple(
        Variant(mechanism=mechanism, heads=heads if mechanism in ("multi-head", "block") else None, is_causal=is_causal)
        for mechanism, is_causal in forms
    )


def _choose(values: Mapping[str, Any], *names: str) -> dict[str, Any]:
    """Return those values of these names that there are."""
    return {name: values[name] for name in names if name in values}


def _find_story(digest: int, own_story: "StoryTemplate | None") -> "StoryTemplate":
    """Return the story of a digest: the one that is given, or one that comes with the program."""
    from attnhand.problems.story_template import STORY_NAMES, read_bundled_story

    if own_story is not None:
        if compute_story_digest(own_story) == digest:
            return own_story
        raise MissingPartError(Message("code.story.other", name=own_story.name))
    bundled = map(read_bundled_story, STORY_NAMES)
    story = next((each for each in bundled if compute_story_digest(each) == digest), None)
    if story is None:
        raise MissingPartError(Message("code.story.missing", option=name_option("story", "my.toml")))
    return story


def _interpret_values(values: Mapping[str, Any], request: Request, language: str | None) -> DecodedCode:
    """Return what a code asks of the sheet of a request.

    Raises:
        CodeError, LookupError: such a sheet cannot be asked that.
    """
    names = list_stage_names(request.mechanism)
    queries, stages = values.get("only_queries"), values.get("blank_stages")
    if queries and max(queries) >= request.asked_count:
        raise CodeError("asks for a query that is not there")
    if values.get("questions") is QuestionAmount.FEW:
        raise CodeError("says what every code says")  # or one sheet could have two codes
    mistake = None
    if "slip" in values:
        if values.keys() & {"is_faded", "from_stage", "blank_stages", "questions"}:
            raise CodeError("asks for something beside the mistake")
        before = _write_values({name: value for name, value in values.items() if name not in ("slip", "stage")})
        mistake = CodedMistake(slip_number=values["slip"], stage_number=values["stage"], bits_before=before)
        if "salt_digest" not in values:  # else it takes the salt to see whether there is such a mistake
            mistake.find_name(request.mechanism)  # raises CodeError where there is none
    return DecodedCode(
        request=request,
        is_faded="is_faded" in values,
        salt_digest=values.get("salt_digest"),
        questions=values.get("questions", QuestionAmount.FEW),
        only_queries=tuple(place + 1 for place in queries) if queries else None,
        from_stage=names[values["from_stage"]] if "from_stage" in values else None,
        blank_stages=tuple(names[place] for place in stages) if stages else None,
        coded_mistake=mistake,
        language=language,
    )
