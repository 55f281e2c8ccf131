"""Every mechanism the program knows, by name, and the forms that each can take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from unicodedata import normalize

from attnhand.attention.formulas.formula_list import LETTERS, FormulaList, Places
from attnhand.attention.formulas.nodes import Formula
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.mechanisms import kit
from attnhand.attention.mechanisms.base import Form, Mechanism, Origin
from attnhand.attention.mechanisms.embedding import list_vocabulary
from attnhand.attention.mechanisms.paper import put_on_paper
from attnhand.errors import ProblemError, list_choices, name_option


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MechanismFamily:
    """A mechanism in all its forms."""

    write: Callable[["Variant"], tuple[Formula, ...]]
    """Writes its formulas, from X to the last stage."""

    pages: tuple[str, ...] = kit.PAGES
    """Which stages stand on a page, those that a form has."""

    letters: Mapping[str, str] = field(default_factory=dict)
    """What letters run over, where it is something else than usual."""

    head_range: tuple[int, int] = (1, 1)
    """The fewest and the most heads it can have."""

    default_heads: int = 1
    level_sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By level, the sizes that differ from those of self-attention."""


def attend(variant: "Variant", *, is_scaled: bool = True) -> str:
    """From scores to weights, with the mask of a form."""
    return kit.attend(is_scaled=is_scaled, is_causal=variant.is_causal, has_window=variant.window is not None)


def score(variant: "Variant") -> str:
    """Every key against every query, turned by their places where a form says so."""
    if not variant.is_rotary:
        return kit.SCORE
    turn_both = kit.turn_queries(has_radians=variant.has_radians) + kit.turn_keys(has_radians=variant.has_radians)
    return turn_both + kit.TURNED_SCORE


def _write_self(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.project() + score(variant) + attend(variant) + kit.MIX)


def _write_basic(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.BASIC_SCORE + attend(variant, is_scaled=False) + kit.BASIC_MIX)


def _write_cross(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.project(memory="M") + kit.SCORE + attend(variant) + kit.MIX)


def _write_multi_head(variant: "Variant") -> tuple[Formula, ...]:
    attention, join = attend(variant) + kit.MIX, read_formulas(kit.JOIN)
    queries, memory, compare = kit.QUERIES, kit.project_memory(), kit.SCORE
    shared = ["K", "V"]
    if variant.is_rotary:  # keys are turned once, whoever shares them
        queries += kit.turn_queries(has_radians=variant.has_radians)
        memory += kit.turn_keys(has_radians=variant.has_radians)
        compare = kit.TURNED_SCORE
        shared.append("K_turned")
    match variant.kv_head_count:
        case 1:  # J. Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019
            heads = kit.add_heads(queries + compare + attention, shared=["X", *shared])
            return (*read_formulas(memory), *heads, *join)
        case count if count == variant.head_count:
            return (*kit.add_heads(kit.project() + score(variant) + attention, shared=["X"]), *join)
        case _:  # J. Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models", 2023
            heads = kit.add_heads(queries + compare + attention, shared=["X"], grouped=shared)
            return (*kit.add_groups(memory, shared=["X"]), *heads, *join)


def _write_block(variant: "Variant") -> tuple[Formula, ...]:
    if variant.head_count == 1:
        return (*_write_self(variant), *read_formulas(kit.network(reads="Z", letter="v")))
    return (*_write_multi_head(variant), *read_formulas(kit.network(reads="output", letter="f")))


MULTI_HEAD_SIZES = {
    "standard": {"tokens": 3, "features": 4, "d_k": 2, "d_v": 2},
    "challenge": {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3},
}
"""So that a head has room on one page."""

# The order is part of the sheet code: append, never insert.
MECHANISMS: dict[str, MechanismFamily] = {
    "self": MechanismFamily(write=_write_self),
    "basic": MechanismFamily(write=_write_basic, pages=kit.BASIC_PAGES, level_sizes={"standard": {"features": 4}}),
    "cross": MechanismFamily(write=_write_cross, letters={"k": "memory"}),
    "multi-head": MechanismFamily(
        write=_write_multi_head, head_range=(2, 4), default_heads=2, level_sizes=MULTI_HEAD_SIZES
    ),
    "block": MechanismFamily(write=_write_block, head_range=(1, 4)),
}


MIN_WINDOW, MAX_WINDOW = 2, 12
"""A window of one token leaves nothing to attend to; a sheet has twelve tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Which form of a mechanism a problem has."""

    mechanism: str = "self"
    heads: int | None = None
    """None for as many as are usual."""

    kv_heads: int | None = None
    """How many keys and values there are for all heads together; None for each head's own."""

    is_causal: bool = False
    """Whether no query looks at a later token."""

    window: int | None = None
    """How many tokens a query looks at under that mask, its own and those just before; None for all before."""

    embedded_words: tuple[str, ...] = ()
    """Words to look up in a table, which then stands in for X; accents are part of their letters (NFC)."""

    has_positions: bool = False
    """Whether positions are added to those words."""

    has_given_positions: bool = False
    """Whether the positions are a given matrix."""

    is_rotary: bool = False
    """Whether queries and keys are turned by their places."""

    has_radians: bool = False
    """Whether they are turned by angles in radians, as in models, and not by quarter turns."""

    def __post_init__(self) -> None:
        # however a keyboard spells é, it is one word: of one column in the table, and of one code
        object.__setattr__(self, "embedded_words", tuple(normalize("NFC", word) for word in self.embedded_words))
        if self.mechanism not in MECHANISMS:
            raise ProblemError(f"the mechanism {self.mechanism!r} is unknown: use {list_choices(MECHANISMS)}")
        if self.has_positions and not self.embedded_words:
            raise ProblemError("positions are added to words that are looked up: give words and their embedding")
        if self.heads == self.family.default_heads:
            object.__setattr__(self, "heads", None)
        fewest, most = self.family.head_range
        if not fewest <= self.head_count <= most:
            one_head = f"{self.mechanism} attention has one head: leave out the heads, or use the mechanism multi-head"
            several = f"{self.mechanism} cannot have {self.heads} heads: use {fewest} to {most}"
            raise ProblemError(one_head if most == 1 else several)
        self._check_kv_heads()
        if self.window is not None and not self.is_causal:
            advice = f"add {name_option('causal')}, or leave out {name_option('window')}"
            raise ProblemError(f"a window belongs to the causal mask: {advice}")
        if self.window is not None and not MIN_WINDOW <= self.window <= MAX_WINDOW:
            raise ProblemError(f"the window {self.window} is out of range: use {MIN_WINDOW} to {MAX_WINDOW} tokens")
        if self.is_rotary and self.mechanism in ("basic", "cross"):
            lacking = "has no queries and keys of its own" if self.mechanism == "basic" else "has two rows of places"
            raise ProblemError(
                f"{self.mechanism} attention {lacking} to turn by places: leave out "
                f"{name_option('positions', 'rotary')}"
            )
        if self.is_causal and self.family.letters.get("k", "tokens") != "tokens":
            raise ProblemError(
                f"{self.mechanism} attention has no causal mask: which token of the memory comes later is not said; "
                "leave out the mask"
            )

    def _check_kv_heads(self) -> None:
        """Refuse keys and values that heads cannot share evenly; one for each head is as usual."""
        if self.kv_heads is None:
            return
        if self.head_count == 1:
            raise ProblemError(
                f"{self.mechanism} attention has one head, which shares its keys with no other: leave out "
                f"{name_option('kv_heads')}, or use the mechanism multi-head"
            )
        divisors = [count for count in range(1, self.head_count + 1) if self.head_count % count == 0]
        if self.kv_heads not in divisors:
            raise ProblemError(
                f"{self.head_count} heads cannot share {self.kv_heads} keys and values evenly: "
                f"use {list_choices(map(str, divisors))}"
            )
        if self.kv_heads == self.head_count:
            object.__setattr__(self, "kv_heads", None)

    @property
    def kv_head_count(self) -> int:
        """How many keys and values there are: one a head, or fewer that heads share."""
        return self.head_count if self.kv_heads is None else self.kv_heads

    @property
    def groups(self) -> tuple[int, ...]:
        """For each head the group, from 1, that it shares keys and values with; none where no group has its own."""
        if self.kv_head_count in (1, self.head_count):
            return ()
        return tuple(1 + head * self.kv_head_count // self.head_count for head in range(self.head_count))

    @property
    def family(self) -> MechanismFamily:
        """The mechanism in all its forms."""
        return MECHANISMS[self.mechanism]

    @property
    def head_count(self) -> int:
        """How many heads it has."""
        return self.family.default_heads if self.heads is None else self.heads

    @property
    def first_occurrences(self) -> tuple[int, ...]:
        """For each token the first one that nothing tells from it: the same word, no positions; of no words none."""
        return () if self.has_positions else tuple(self.embedded_words.index(word) for word in self.embedded_words)

    def build_mechanism(self, feature_count: int = 0) -> Mechanism:
        """Return the mechanism in this form, written for columns: always the same one.

        Args:
            feature_count: of a token; only sinusoidal positions need to know.
        """
        has_waves = self.has_positions and not self.has_given_positions
        return _build_mechanism(self, self.family, feature_count if has_waves else 0)


@lru_cache(maxsize=200)
def _build_mechanism(variant: Variant, family: MechanismFamily, feature_count: int) -> Mechanism:
    words = variant.embedded_words
    before = kit.embed(has_positions=variant.has_positions, are_given=variant.has_given_positions) if words else ""
    vocabulary = list_vocabulary(words)
    formulas = FormulaList(
        formulas=(*read_formulas(before), *family.write(variant)),
        letters={**LETTERS, **family.letters},
        head_count=variant.head_count,
        groups=variant.groups,
        known={} if variant.window is None else {"window": variant.window},
        lists={"word": Places("vocabulary", tuple(vocabulary.index(word) + 1 for word in words))} if words else {},
        sizes={"tokens": len(words), **({"features": feature_count} if feature_count else {})} if words else {},
    )
    origin = Origin(Variant.build_mechanism, (variant, feature_count))
    mechanism = put_on_paper(variant.mechanism, formulas, kit.arrange_pages(formulas, family.pages), origin)
    _refuse_what_is_ignored(variant, mechanism)
    return mechanism


def _refuse_what_is_ignored(variant: Variant, mechanism: Mechanism) -> None:
    """Refuse a mask, or turns, that no formula of the mechanism has a place for."""
    forms = {stage.form for stage in mechanism.stages}
    if variant.is_causal and Form.MASK not in forms:
        raise ProblemError(f"{variant.mechanism} attention has no scores to hide: leave out {name_option('causal')}")
    if variant.is_rotary and not forms & {Form.TURN, Form.ROTATION}:
        option = name_option("positions", "rotary")
        raise ProblemError(f"{variant.mechanism} attention turns nothing by its place: leave out {option}")


DEFAULT_VARIANT = Variant()
"""Self-attention, one head, nothing added."""
