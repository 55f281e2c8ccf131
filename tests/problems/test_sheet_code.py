"""The code on the paper: it rebuilds exactly what made the sheet, and a mistyped one is refused."""

from collections.abc import Iterable
from dataclasses import replace
from enum import StrEnum
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.attention.slips import SLIPS, find_slips
from attnhand.errors import CodeError
from attnhand.problems import sheet_code
from attnhand.problems.base32 import ALPHABET, encode_bits, pad_bits
from attnhand.problems.bit_fields import BitString, one_of
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.mistake import format_mistake
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import MAX_SEED, Request, make_part_request, make_story_request
from attnhand.problems.sheet_code import (
    DecodedCode,
    compute_fingerprint,
    compute_salt_digest,
    decode_sheet_code,
    encode_request,
    list_stage_names,
    looks_like_code,
)
from attnhand.problems.story_template import read_bundled_story
from attnhand.text import LANGUAGES
from tests.breadth import pair_up
from tests.forms import FORMS, SOME_FORMS

RULES, ONLY_QUERIES, FROM_STAGE, BLANK_STAGES, QUESTIONS, MISTAKE, LAST = 5, 6, 7, 8, 10, 12, 29
"""What stands in a code before what it says of that."""


@st.composite
def requests(draw: st.DrawFn) -> Request:
    """Draw any request."""
    sizes = {
        "tokens": st.integers(2, 12),
        "features": st.integers(2, 12),
        "d_k": st.integers(1, 8),
        "d_v": st.integers(1, 8),
    }
    return Request(
        seed=draw(st.integers(0, MAX_SEED)),
        convention=draw(st.sampled_from(Convention)),
        level=draw(st.sampled_from(Level)),
        size_overrides=tuple((name, draw(size)) for name, size in sizes.items() if draw(st.booleans())),
        rules=Rules(
            scale=draw(st.sampled_from(ScaleRule) | st.integers(2, 1000)),
            base=draw(st.sampled_from(Base)),
            decimals=draw(st.integers(1, 6)),
        ),
        allow_ties=draw(st.booleans()),
    )


PLAIN = Request(seed=7)
FULL = Request(
    seed=MAX_SEED,
    convention=Convention.ROWS,
    level=Level.CHALLENGE,
    size_overrides=(("tokens", 12), ("features", 2), ("d_k", 8), ("d_v", 1)),
    rules=Rules(scale=1000, base=Base.E, decimals=6),
    allow_ties=True,
)
CODES = {
    "plain": encode_request(PLAIN),
    "rows": encode_request(Request(seed=123456, convention=Convention.ROWS, level=Level.WARM_UP)),
    "salted": encode_request(PLAIN, "pepper"),
    "full": encode_request(FULL, "pepper"),
    "own": compute_fingerprint("somebody's own matrices"),
}


def test_codes_on_paper_stay_what_they_are() -> None:
    """A code is a promise too: none of these ever changes."""
    assert CODES == {
        "plain": "A1Q0-0000-000W",
        "rows": "ARY0-9000-F280",
        "salted": "A5V0-0000-000W-C40",
        "full": "ADR0-AZZZ-ZZZW-C42B-2W2H-Z46R",
        "own": "MYQA-24XD-S2EM",
    }


@given(requests(), st.text(st.characters(codec="utf-8"), max_size=8))
def test_a_code_gives_back_what_made_the_sheet(request_: Request, salt: str) -> None:
    """Request and the salt's digest come back, whatever the options."""
    digest = compute_salt_digest(salt) if salt else None
    assert decode_sheet_code(encode_request(request_, salt)) == DecodedCode(request=request_, salt_digest=digest)


@given(requests(), st.sampled_from(QuestionAmount), st.booleans(), st.sampled_from(["", "pepper"]))
def test_a_code_gives_back_how_much_is_asked(
    request_: Request, amount: QuestionAmount, is_faded: bool, salt: str
) -> None:
    """With whatever else it holds; few adds nothing to it, so codes from before there were questions ask few."""
    code = encode_request(request_, salt, is_faded=is_faded, questions=amount)
    assert decode_sheet_code(code) == DecodedCode(
        request=request_, salt_digest=compute_salt_digest(salt) if salt else None, is_faded=is_faded, questions=amount
    )
    plain = encode_request(request_, salt, is_faded=is_faded)
    assert (code == plain) == (amount is QuestionAmount.FEW)
    assert decode_sheet_code(plain).questions is QuestionAmount.FEW


def test_a_code_that_says_what_every_code_says_is_refused() -> None:
    """One sheet has one code: few is not written out."""
    few = ((QUESTIONS, 3), (0, 2))
    assert sheet_code._QUESTION_AMOUNTS[0] is QuestionAmount.FEW
    with pytest.raises(CodeError, match="no sheet code of this version"):
        decode_sheet_code(write_code(few))
    none = ((QUESTIONS, 3), (1, 2))
    assert decode_sheet_code(write_code(none)).questions is QuestionAmount.NONE


@given(requests())
def test_codes_look_as_they_should(request_: Request) -> None:
    """Groups of four from Crockford's letters and digits, the first a letter, no longer than can be checked."""
    code = encode_request(request_, "pepper")
    groups = code.split("-")
    assert all(len(group) == 4 for group in groups[:-1])
    assert 1 <= len(groups[-1]) <= 4
    assert set(code) <= set(ALPHABET + "-")
    assert code[0] == "A"
    assert len(code.replace("-", "")) <= 25
    assert looks_like_code(code)


def add_member(enum: type[StrEnum], value: str) -> Any:
    """Return what a further member of an enum would be."""
    member = str.__new__(enum, value)
    member._name_, member._value_ = value, value
    return member


def test_what_is_added_leaves_every_code_as_it_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """A mechanism, a scale, a base and a language more: thousands of codes are written and read as before.

    Far more than one, so that the first group of bits of each overflows; and the new ones have codes of their own.
    """
    rules = [Rules(scale=scale, base=base) for scale in (*ScaleRule, 4) for base in (*Base,)[:4]]
    asked = [
        Request(seed=seed, variant=variant, convention=convention, level=level, rules=each)
        for seed, each in enumerate(rules)
        for variant in (
            *(Variant(mechanism=name) for name in MECHANISMS),
            Variant(is_causal=True),
            Variant(mechanism="block", heads=3),
        )
        for convention in Convention
        for level in Level
    ]
    requests = [
        replace(request, size_overrides=more)
        for request in asked
        for more in ((), (("tokens" if "tokens" in request.all_sizes and not request.variant.blocks else "d_v", 5),))
    ]
    codes = {encode_request(request, salt): (request, salt) for request in requests for salt in ("", "pepper")}
    assert len(codes) > 2_000
    mistakes = list_mistakes(PLAIN.variant, Convention.COLUMNS)
    with_mistakes = {encode_request(PLAIN, mistake=mistake): mistake for mistake in mistakes}
    assert len(with_mistakes) == len(mistakes)
    for place in range(40):
        monkeypatch.setitem(MECHANISMS, f"another-{place}", MECHANISMS["self"])
    scales = tuple(add_member(ScaleRule, f"scale-{place}") for place in range(20))
    bases = tuple(add_member(Base, str(place)) for place in range(11, 31))
    longer = {
        "scale": sheet_code._scale(sheet_code._SCALES + scales),
        "base": one_of(sheet_code._BASES + bases, 2),
    }
    monkeypatch.setitem(sheet_code._SECTIONS, RULES, {**sheet_code._SECTIONS[RULES], **longer})
    monkeypatch.setattr(sheet_code, "_SLIPS", (*sheet_code._SLIPS, *(f"slip-{place}" for place in range(300))))
    monkeypatch.setitem(LANGUAGES, "xx", LANGUAGES["en"])
    for code, (request, salt) in codes.items():
        assert encode_request(request, salt) == code
        digest = compute_salt_digest(salt) if salt else None
        assert decode_sheet_code(code) == DecodedCode(request=request, salt_digest=digest)
    for code, mistake in with_mistakes.items():
        assert encode_request(PLAIN, mistake=mistake) == code
        assert decode_sheet_code(code).find_mistake() == mistake
    assert decode_sheet_code(encode_request(PLAIN, mistake="slip-299@K")).find_mistake() == "slip-299@K"
    new = [Request(seed=7, variant=Variant(mechanism=f"another-{place}")) for place in range(40)]
    new += [Request(seed=7, rules=Rules(scale=scale)) for scale in scales]
    new += [Request(seed=7, rules=Rules(base=base)) for base in bases]
    for request in new:
        code = encode_request(request)
        assert code not in codes
        assert decode_sheet_code(code).request == request


def test_a_code_that_asks_for_what_this_version_cannot_is_refused() -> None:
    """A section of a later version, a query that is not there, nothing at all: each would be another sheet."""
    assert max(sheet_code._SECTIONS) == LAST
    wrong: dict[str, list[tuple[int, int]]] = {
        "a later section": [(LAST + 1, 3)],
        "no query": [(ONLY_QUERIES, 3), (0, 4)],
        "query 5 of 4": [(ONLY_QUERIES, 3), (16, 4)],
        "no stage": [(BLANK_STAGES, 3), (0, 4)],
        "stage 16": [(FROM_STAGE, 3), (15, 4)],
    }
    for numbers in wrong.values():
        with pytest.raises(CodeError, match=r"is no sheet code of this version: .* or upgrade attnhand"):
            decode_sheet_code(write_code(numbers))


def test_one_sheet_has_one_code() -> None:
    """A section twice, two in another order, zeros before a number or behind everything: all are refused."""
    stage, query = [(FROM_STAGE, 3), (1, 4)], [(ONLY_QUERIES, 3), (1, 4)]
    both = write_code([*query, *stage])
    assert both == encode_request(PLAIN, only_queries=[1], from_stage="K")
    assert decode_sheet_code(both).from_stage == "K"
    for numbers in ([*stage, *query], [*query, *query]):
        with pytest.raises(CodeError, match="is no sheet code of this version"):
            decode_sheet_code(write_code(numbers))
    head = write_code([], begin="00000")
    assert head == encode_request(PLAIN)
    for code in (write_code([], begin="1000000000"), write_code([], end="0" * 5)):
        with pytest.raises(CodeError, match="is no sheet code of this version"):
            decode_sheet_code(code)


def test_a_code_says_nothing_that_its_story_decides() -> None:
    """A window, sizes, or a level of its own beside a story: it is no sheet's."""
    request = make_story_request(read_bundled_story("elephant"), 7)
    values = sheet_code._read_values(write_bits(encode_request(request)))
    assert decode_sheet_code(encode_bits("A", sheet_code._write_values(values))).request == request
    sizes = dict.fromkeys(("tokens", "features", "d_k", "d_v"), 3)
    for more in ({"window": 2}, sizes, {"level": Level.CHALLENGE}, {"mechanism": "basic"}):
        with pytest.raises(CodeError, match="is no sheet code of this version"):
            decode_sheet_code(encode_bits("A", sheet_code._write_values(values | more)))


def test_a_code_says_nothing_that_its_part_decides() -> None:
    """A temperature of 1, or of a part that has none, or another that no part has: it is no sheet's."""
    request = make_part_request(MODEL_PARTS["next-word"], 7, temperature=Fraction(2))
    values = sheet_code._read_values(write_bits(encode_request(request)))
    assert decode_sheet_code(encode_bits("A", sheet_code._write_values(values))).request == request
    others = ({"temperature": Fraction(1)}, {"temperature": Fraction(3)}, {"part": "learn"}, {"sink": 1})
    for more in others:
        with pytest.raises(CodeError, match="is no sheet code of this version"):
            decode_sheet_code(encode_bits("A", sheet_code._write_values(values | more)))
    plain = {name: values[name] for name in values if name not in ("part", "temperature")}
    plain |= {"mechanism": "self", "heads": 1, "is_causal": False, "has_positions": False, "words_digest": None}
    assert decode_sheet_code(encode_bits("A", sheet_code._write_values({**plain, "temperature": Fraction(2)})))
    with pytest.raises(CodeError, match="is no sheet code of this version"):
        decode_sheet_code(encode_bits("A", sheet_code._write_values({**plain, "temperature": Fraction(1)})))


def write_bits(code: str) -> str:
    """Return the bits of a code, without its recipe and check characters."""
    return "".join(f"{ALPHABET.index(c):05b}" for c in code.replace("-", "")[3:])


def write_code(numbers: Iterable[tuple[int, int]], *, begin: str = "00000", end: str = "") -> str:
    """Return the code of a plain sheet of seed 7 that says these numbers too, each in groups of so many bits.

    Args:
        begin: how its mechanism is written.
        end: bits behind everything.
    """
    bits = BitString(begin)
    for group in (1, 2):
        bits.write_growing(0, group)
    bits.write(7, 33)
    for value, group in numbers:
        bits.write_growing(value, group)
    return encode_bits("A", pad_bits(bits.bits) + end)


@given(requests(), st.data())
def test_a_code_gives_back_which_cells_are_asked(request_: Request, data: st.DataObject) -> None:
    """Queries and stages, whatever else the code holds; so that a file need not be believed."""
    tokens, names = request_.all_sizes["tokens"], list_stage_names(request_.mechanism)
    queries = data.draw(st.lists(st.integers(1, tokens), unique=True))
    first = data.draw(st.sampled_from(["", *names]))
    stages = data.draw(st.lists(st.sampled_from(names), unique=True))
    code = encode_request(request_, "pepper", only_queries=queries, from_stage=first, blank_stages=stages)
    assert decode_sheet_code(code) == DecodedCode(
        request=request_,
        salt_digest=compute_salt_digest("pepper"),
        only_queries=tuple(sorted(queries)) or None,
        from_stage=first or None,
        blank_stages=tuple(sorted(stages, key=names.index)) or None,
    )
    assert len(code.replace("-", "")) <= sheet_code.MAX_CODE_LENGTH


@given(st.lists(st.tuples(st.integers(0, 5_000), st.integers(1, 6))))
def test_growing_numbers_are_read_as_they_were_written(numbers: list[tuple[int, int]]) -> None:
    """Any number in groups of any size, one after the other, and nothing is left."""
    bits = BitString()
    for value, group in numbers:
        bits.write_growing(value, group)
    assert [bits.read_growing(group) for _, group in numbers] == [value for value, _ in numbers]
    assert not bits.bits


def list_mistakes(variant: Variant, convention: Convention) -> list[str]:
    """Return every slip with every stage where it can happen."""
    stages = variant.build_mechanism().convert_to(convention).stages
    return [format_mistake(slip.id, stage.name) for stage in stages for slip in find_slips(stage)]


@pytest.mark.parametrize(("name", "convention"), pair_up(SOME_FORMS, [*Convention]))
def test_a_code_says_which_mistake_there_is(name: str, convention: Convention) -> None:
    """Every slip at every stage, over hundreds of seeds; two mistakes of one seed have two codes, each one code."""
    mistakes = list_mistakes(FORMS[name], convention)
    assert len(mistakes) > 20
    words = FORMS[name].embedded_words
    for at, mistake in enumerate(mistakes):
        request = Request(seed=at % 300, variant=FORMS[name], convention=convention)
        for salt in ("", "pepper") if at % 7 == 0 else ("",):
            code = encode_request(request, salt, mistake=mistake)
            decoded = decode_sheet_code(code, words)
            assert (decoded.request, decoded.find_mistake(salt)) == (request, mistake)
            assert len(code.replace("-", "")) <= sheet_code.MAX_CODE_LENGTH
    codes = {encode_request(replace(request, seed=7), mistake=mistake) for mistake in mistakes}
    assert len(codes) == len(mistakes)
    assert decode_sheet_code(encode_request(request), words).find_mistake() is None


def test_every_slip_has_its_number_for_ever() -> None:
    """One that is new stands at the end: these codes are on paper."""
    assert sorted(sheet_code._SLIPS) == sorted(slip.id for slip in SLIPS)
    assert len(set(sheet_code._SLIPS)) == len(sheet_code._SLIPS)
    assert encode_request(PLAIN, mistake="next-word@K") == "AWJ0-0000-000Y-A00G"
    assert encode_request(PLAIN, mistake="relu-other-side@Z") == "A410-0000-000Y-AA5M-0"


def test_without_its_salt_a_code_says_nothing_of_its_mistake() -> None:
    """What its bits say differs from salt to salt and from seed to seed, as if it were drawn."""
    seen = set()
    for seed, salt in product(range(8), ("pepper", "mustard", "ginger", "cumin")):
        code = encode_request(Request(seed=seed), salt, mistake="truncated@scaled")
        decoded = decode_sheet_code(code)
        assert decoded.find_mistake(salt) == "truncated@scaled"
        assert decoded.coded_mistake is not None
        seen.add((decoded.coded_mistake.slip_number, decoded.coded_mistake.stage_number))
    assert len(seen) > 28


def test_a_mistake_is_alone_in_a_code() -> None:
    """A sheet with one asks nothing else, and one sheet has one code; a slip or stage that there is not is refused."""
    alone = encode_request(PLAIN, mistake="truncated@scaled")
    assert decode_sheet_code(alone).find_mistake() == "truncated@scaled"
    beside = (
        {"is_faded": True},
        {"from_stage": "S"},
        {"blank_stages": ["A"]},
        {"questions": QuestionAmount.MANY},
        {"questions": QuestionAmount.NONE},
    )
    heads = Request(seed=7, variant=Variant(mechanism="multi-head", heads=2))
    wrong = [encode_request(PLAIN, mistake="truncated@scaled", **more) for more in beside]
    wrong.append(encode_request(heads, mistake="truncated@scaled"))  # of both heads
    wrong.append(write_code(((MISTAKE, 3), (len(sheet_code._SLIPS), 4), (0, 4))))
    for code in wrong:
        with pytest.raises(CodeError, match="is no sheet code of this version"):
            decode_sheet_code(code)


def test_words_are_the_same_however_their_accents_are_typed() -> None:
    """A keyboard may write é as one character or as two: one code, one column of the table, one key from either."""
    apart, joined = ("e\u0301te\u0301", "la", "\u00e9t\u00e9"), ("\u00e9t\u00e9", "la", "\u00e9t\u00e9")
    request = Request(seed=7, variant=Variant(embedded_words=apart))
    assert request == Request(seed=7, variant=Variant(embedded_words=joined))
    assert request.all_sizes["vocabulary"] == 2
    code = encode_request(request)
    assert [decode_sheet_code(code, words).request for words in (apart, joined)] == [request, request]
    problem = generate_problem(request)
    text = format_problem(problem)
    assert parse_problem(text, source="joined") == problem
    assert parse_problem(text.replace("\u00e9", "e\u0301"), source="apart") == problem


def test_a_plain_code_has_twelve_characters() -> None:
    """A seed without options takes three groups."""
    assert [len(CODES[name].replace("-", "")) for name in ("plain", "own", "full")] == [12, 12, 24]


@given(requests(), requests())
def test_different_requests_have_different_codes(one: Request, other: Request) -> None:
    """Two requests share a code only if they are the same."""
    assert (encode_request(one) == encode_request(other)) is (one == other)


@pytest.mark.parametrize("name", CODES)
def test_every_wrong_character_is_caught(name: str) -> None:
    """Each character replaced by each other one: none is read as another sheet."""
    plain = CODES[name].replace("-", "")
    tried = 0
    for at, right in enumerate(plain):
        for wrong in ALPHABET.replace(right, ""):
            with pytest.raises(CodeError, match="does not check"):
                decode_sheet_code(plain[:at] + wrong + plain[at + 1 :])
            tried += 1
    assert tried == 31 * len(plain)


@pytest.mark.parametrize("name", CODES)
def test_every_swap_of_neighbours_is_caught(name: str) -> None:
    """Any two neighbours that differ, exchanged: none is read as another sheet."""
    plain = CODES[name].replace("-", "")
    tried = 0
    for at in range(len(plain) - 1):
        if plain[at] != plain[at + 1]:
            with pytest.raises(CodeError, match="does not check"):
                decode_sheet_code(plain[:at] + plain[at + 1] + plain[at] + plain[at + 2 :])
            tried += 1
    assert tried >= 4


@given(requests(), st.data())
def test_wrong_characters_and_swaps_are_caught_in_any_code(request_: Request, data: st.DataObject) -> None:
    """One mistake anywhere in the code of any request is caught."""
    plain = encode_request(request_).replace("-", "")
    at = data.draw(st.integers(0, len(plain) - 2))
    wrong = data.draw(st.sampled_from(sorted(set(ALPHABET) - {plain[at]})))
    swapped = plain[:at] + plain[at + 1] + plain[at] + plain[at + 2 :]
    for mistyped in {plain[:at] + wrong + plain[at + 1 :], swapped} - {plain}:
        with pytest.raises(CodeError, match="does not check"):
            decode_sheet_code(mistyped)


@pytest.mark.parametrize("name", [name for name in CODES if name != "own"])
def test_characters_left_out_or_added_are_caught(name: str) -> None:
    """A code that lost a character or got another one is refused, except at its end where it says nothing."""
    plain = CODES[name].replace("-", "")
    for at in range(len(plain)):
        if at == 0 or plain[at] != plain[at - 1]:  # of two alike, either may be missing
            with pytest.raises(CodeError):
                decode_sheet_code(plain[:at] + plain[at + 1 :])
    for at in range(len(plain) + 1):
        for character in ALPHABET:
            with pytest.raises(CodeError):
                decode_sheet_code(plain[:at] + character + plain[at:])


def test_however_it_is_typed_a_code_is_the_same() -> None:
    """Lower case, spaces for hyphens or nothing at all, and O, I, L for 0, 1, 1 do not matter."""
    code = next(code for seed in range(200) if {"0", "1"} <= set(code := encode_request(Request(seed=seed))))
    expected = decode_sheet_code(code)
    for typed in (
        code.lower(),
        code.replace("-", ""),
        code.replace("-", " "),
        f"  {code[:7]}\n{code[7:]}\t",
        code.replace("0", "O").replace("1", "I"),
        code.replace("0", "o").replace("1", "l"),
        code.replace("1", "L"),
    ):
        assert decode_sheet_code(typed) == expected


@pytest.mark.parametrize("character", ["U", "u", "*", "é", "٣", "_"])
def test_characters_that_no_code_holds_are_named(character: str) -> None:
    """A refusal shows the character that cannot be."""
    mistyped = CODES["plain"][:-1] + character
    with pytest.raises(CodeError) as refusal:
        decode_sheet_code(mistyped)
    assert str(refusal.value) == (
        f"the code {mistyped} holds {character.upper()!r}, which no sheet code does: compare it with the paper"
    )


@pytest.mark.parametrize("text", ["", "A", "A1M8-00G0", "7", "A" * 63])
def test_codes_of_another_length_are_refused(text: str) -> None:
    """Too short or too long, with the number of characters."""
    with pytest.raises(CodeError) as refusal:
        decode_sheet_code(text)
    assert f"has {len(text.replace('-', ''))} characters" in str(refusal.value)


def test_a_fingerprint_identifies_but_cannot_rebuild() -> None:
    """The code of a user's own matrices is refused as a source, with what to give instead."""
    with pytest.raises(CodeError) as refusal:
        decode_sheet_code(CODES["own"])
    assert str(refusal.value) == (
        f"the code {CODES['own']} is the fingerprint of a problem file: it cannot rebuild it; give the file itself"
    )


@given(st.text(max_size=20), st.text(max_size=20))
def test_fingerprints_tell_problems_apart(one: str, other: str) -> None:
    """The same text always has the same fingerprint, another one another."""
    assert (compute_fingerprint(one) == compute_fingerprint(other)) is (one == other)
    assert compute_fingerprint(one)[0] == "M"


def with_checks(letter: str, payload: str) -> str:
    """Find the two check characters that make a code check, by trying all."""
    found = []
    for first in ALPHABET:
        for second in ALPHABET:
            try:
                decode_sheet_code(letter + first + second + payload)
            except CodeError as error:
                if "does not check" in str(error):
                    continue
            found.append(letter + first + second + payload)
    (code,) = found
    return code


@pytest.mark.parametrize(
    ("letter", "bits", "message"),
    [
        ("B", "0" * 45, "is of a recipe this version does not know: upgrade attnhand"),
        ("A", "01111" + "0" * 40, "is no sheet code of this version"),  # the sixteenth mechanism
        ("A", "10000" + "00001" + "0" * 40, "is no sheet code of this version"),  # the second, in two groups
        ("A", "00000" + "00" + "100" + "0" * 35, "is no sheet code of this version"),  # the fifth level
        ("A", "0" * 43 + "0010" + "000", "is no sheet code of this version"),  # a variant cut off
        ("A", "0" * 43 + "0011" + "0010", "is no sheet code of this version"),  # a window without a mask
        ("A", "0" * 50, "is no sheet code of this version"),  # five bits too many
        ("A", "0" * 43 + "01", "is no sheet code of this version"),  # bits that should be 0
        ("A", "0" * 43 + "0100" + "1111" * 4 + "00", "is no sheet code"),  # 16 tokens
        ("A", "0" * 43 + "0101" + "001" + "000" + "0000", "is no sheet code"),  # no decimals
        ("A", "0" * 43 + "0101" + "000" + "000001" + "000" + "0010", "is no sheet code"),  # divided by 1
        ("A", "0" * 43 + "0101" + "001" + "000" + "0011" + "0001" + "1" * 10, "is no sheet code"),  # rules, then salt
    ],
)
def test_codes_that_check_but_say_nothing_known_are_refused(letter: str, bits: str, message: str) -> None:
    """A code of another version is never read as some sheet."""
    bits += "0" * (-len(bits) % 5)
    payload = "".join(ALPHABET[int(bits[i : i + 5], 2)] for i in range(0, len(bits), 5))
    code = with_checks(letter, payload)
    with pytest.raises(CodeError, match=message):
        decode_sheet_code(code)


def test_salts_are_recognised_by_ten_bits() -> None:
    """The digest of a salt is fixed for ever, small, and mostly another one for another salt."""
    digests = {salt: compute_salt_digest(salt) for salt in map(str, range(300))}
    assert all(0 <= digest < 1024 for digest in digests.values())
    assert len(set(digests.values())) > 230
    assert [compute_salt_digest("pepper"), compute_salt_digest("Pepper"), compute_salt_digest("grüße")] == [
        528,
        485,
        885,
    ]


@pytest.mark.parametrize(
    ("text", "is_code"),
    [
        (CODES["plain"], True),
        (CODES["plain"].lower(), True),
        (CODES["own"], True),
        ("A1M8-00G0-001U", True),  # a typing error is still meant as a code
        ("7", False),
        ("12345678", False),
        ("classic", False),
        ("problem.json", False),
        ("./A1M800G0001R", False),
        ("", False),
    ],
)
def test_codes_are_told_from_seeds_files_and_samples(text: str, is_code: bool) -> None:
    """What starts with a letter, is long enough and has a digit is meant as a code."""
    assert looks_like_code(text) is is_code


@pytest.mark.parametrize("text", ["three-words", "attention"])
def test_words_with_look_alikes_are_no_codes(text: str) -> None:
    """A word of O, I and L is not read as digits when a code is told from a name."""
    assert not looks_like_code(text)


def test_every_fingerprint_looks_like_a_code() -> None:
    """Whatever the fingerprint, it is recognised, so that its refusal can say what it is."""
    assert compute_fingerprint("4961") == "MNDE-XXRP-HZYW"
    assert looks_like_code(compute_fingerprint("4961"))


@pytest.mark.parametrize("seat", [" 1 1", " 47 2", " 1234 12", "  47  2 "])
def test_what_a_qr_code_says_is_read(seat: str) -> None:
    """In a class set № and page stand behind the code; a code that is mistyped is refused with them too."""
    code = encode_request(Request(seed=7, level=Level.WARM_UP))
    assert decode_sheet_code(code + seat) == decode_sheet_code(code)
    with pytest.raises(CodeError):
        decode_sheet_code(code[:-1] + ("2" if code[-1] == "3" else "3") + seat)
