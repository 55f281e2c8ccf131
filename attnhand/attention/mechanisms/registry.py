"""Every mechanism the program knows, by name, and the forms that each can take."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from unicodedata import normalize

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.formulas.formula_list import LETTERS, FormulaList, Places
from attnhand.attention.formulas.nodes import Formula, list_reads
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.mechanisms import kit
from attnhand.attention.mechanisms.base import Form, Mechanism, Origin
from attnhand.attention.mechanisms.embedding import list_vocabulary
from attnhand.attention.mechanisms.paper import put_on_paper
from attnhand.attention.mechanisms.settings import SETTINGS
from attnhand.errors import ProblemError, list_choices, list_names, name_option


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
    has_one_query: bool = False
    """Whether it has one query, which is given as its keys and values are."""

    level_sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By level, the sizes that differ from those of self-attention."""


def attend(variant: "Variant", *, is_scaled: bool = True) -> str:
    """From scores to weights, with the mask of a form."""
    hidden = [
        *([kit.HIDES_LATER] if variant.is_causal else []),
        *([kit.HIDES_LONG_BEFORE] if variant.window is not None else []),
        *map(kit.hide_key, variant.padding),
        *([kit.HIDES_AS_GIVEN] if variant.mask else []),
    ]
    return kit.attend(
        is_scaled=is_scaled and variant.is_scaled,
        hidden=hidden,
        is_shifted=variant.is_shifted,
        is_plain=variant.has_plain_shares,
    )


def score(variant: "Variant") -> str:
    """Every key against every query, turned by their places where a form says so."""
    if not variant.is_rotary:
        return kit.SCORE
    turn_both = kit.turn_queries(has_radians=variant.has_radians) + kit.turn_keys(has_radians=variant.has_radians)
    return turn_both + kit.TURNED_SCORE


def _write_self(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.project(has_biases=variant.has_biases) + score(variant) + attend(variant) + kit.MIX)


def _write_basic(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.BASIC_SCORE + attend(variant, is_scaled=False) + kit.BASIC_MIX)


def _write_cross(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.project("M", has_biases=variant.has_biases) + kit.SCORE + attend(variant) + kit.MIX)


def _write_multi_head(variant: "Variant") -> tuple[Formula, ...]:
    attention, join = attend(variant) + kit.MIX, read_formulas(kit.JOIN)
    queries = kit.project_queries(has_biases=variant.has_biases)
    memory, compare = kit.project_memory(has_biases=variant.has_biases), kit.SCORE
    shared, common = ["K", "V"], ["X", "mask"]
    if variant.is_rotary:  # keys are turned once, whoever shares them
        queries += kit.turn_queries(has_radians=variant.has_radians)
        memory += kit.turn_keys(has_radians=variant.has_radians)
        compare = kit.TURNED_SCORE
        shared.append("K_turned")
    match variant.kv_head_count:
        case 1:  # J. Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019
            heads = kit.add_heads(queries + compare + attention, shared=[*common, *shared])
            return (*read_formulas(memory), *heads, *join)
        case count if count == variant.head_count:
            project = kit.project(has_biases=variant.has_biases)
            return (*kit.add_heads(project + score(variant) + attention, shared=common), *join)
        case _:  # J. Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models", 2023
            heads = kit.add_heads(queries + compare + attention, shared=common, grouped=shared)
            return (*kit.add_groups(memory, shared=common), *heads, *join)


def _write_block(variant: "Variant") -> tuple[Formula, ...]:
    if variant.head_count == 1:
        return (*_write_self(variant), *read_formulas(kit.network(reads="Z", letter="v")))
    return (*_write_multi_head(variant), *read_formulas(kit.network(reads="output", letter="f")))


def _write_backward(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.SCORE + attend(variant) + kit.MIX + kit.pass_back(is_scaled=variant.is_scaled))


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
    "backward": MechanismFamily(write=_write_backward, pages=kit.BACKWARD_PAGES, has_one_query=True),
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

    padding: tuple[int, ...] = ()
    """Keys, counted from 1, that no query sees."""

    mask: tuple[tuple[int, ...], ...] = ()
    """A mask of the problem's own: a row a key, a column a query, 1 where it may be seen; empty for none."""

    is_shifted: bool = False
    """Whether the largest of a query's scores is subtracted from each before powers are taken."""

    has_biases: bool = False
    """Whether b_Q, b_K and b_V are added to queries, keys and values."""

    is_scaled: bool = True
    """Whether scores are divided, by √d_k or by what stands for it; the problem's rules decide."""

    has_plain_shares: bool = False
    """Whether each score is divided by the sum of the scores, and not powers of them; the problem's rules decide."""

    begins_with: tuple[str, ...] = ()
    """Stages that are given and not worked, without their heads."""

    ends_with: str = ""
    """The stage that is worked last; empty for the mechanism's last."""

    has_memory: bool = False
    """Whether there are more or fewer queries than tokens to look at, both being given."""

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
        self._check_one_query()
        if self.is_causal and self.letters["k"] != "tokens":
            raise ProblemError(
                f"{self.mechanism} attention has no causal mask: which token of the memory comes later is not said; "
                "leave out the mask"
                if not self.has_memory
                else "there are not as many queries as keys, so which key comes later is not said: leave out the "
                "causal mask, or give a mask of 0 and 1"
            )
        self._check_shares()

    def _check_one_query(self) -> None:
        """Refuse what one query that is given has no use for."""
        if not self.family.has_one_query:
            return
        object.__setattr__(self, "has_memory", True)
        for is_asked, why, option in (
            (self.is_causal, "has one query, before which no token is said to stand", name_option("causal")),
            (self.is_rotary, "has one query, of which no place is said", name_option("positions", "rotary")),
            (self.embedded_words, "is given queries, keys and values, and looks up no words", name_option("embed")),
        ):
            if is_asked:
                raise ProblemError(f"{self.mechanism} attention {why}: leave out {option}")
        if self.begins_with:
            raise ProblemError(
                f"{self.mechanism} attention is given queries, keys, values and a gradient, and works all else: leave "
                f"out {list_names(self.begins_with)}; to have it printed, use {name_option('from_stage', 'dA')}"
            )
        if self.has_plain_shares:
            raise ProblemError(
                f"{self.mechanism} attention goes back through a softmax, and plain shares are none: leave out "
                f"{name_option('base', 'none')}"
            )

    def _check_shares(self) -> None:
        """Refuse what goes with powers where there are none."""
        if self.has_plain_shares and (self.is_causal or self.padding or self.mask):
            raise ProblemError(
                f"a mask makes scores −∞, and only a power makes 0 of that: leave out {name_option('base', 'none')}, "
                "or the mask"
            )
        if self.has_plain_shares and self.is_shifted:
            raise ProblemError(
                "plain shares change where the largest score is subtracted, and only powers keep them: leave out "
                f"{name_option('base', 'none')}, or {name_option('subtract_max')}"
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

    def follow(self, rules: Rules) -> "Variant":
        """Return the form that it has under these rules: without what they leave out, unless it is given."""
        is_scaled = rules.scale is not ScaleRule.NONE or "scaled" in self.begins_with
        return replace(self, is_scaled=is_scaled, has_plain_shares=rules.base is Base.NONE)

    @property
    def whole(self) -> "Variant":
        """The form that works everything from its tokens, and to which nothing is added."""
        added = {setting.field: setting.default for setting in SETTINGS if setting.is_added}
        return replace(self, begins_with=(), ends_with="", has_memory=False, has_plain_shares=False, **added)

    @property
    def letters(self) -> Mapping[str, str]:
        """What letters run over."""
        memory = {"k": "memory"} if self.has_memory else {}
        return {**LETTERS, **self.family.letters, **memory}

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
    whole = (*read_formulas(before), *family.write(variant))
    left = kit.begin_with(whole, variant.begins_with, variant.ends_with)
    _refuse_what_is_not_read(variant, whole, left)
    formulas = FormulaList(
        formulas=left,
        letters=variant.letters,
        head_count=variant.head_count,
        groups=variant.groups,
        known={} if variant.window is None else {"window": variant.window},
        lists={"word": Places("vocabulary", tuple(vocabulary.index(word) + 1 for word in words))} if words else {},
        sizes={"tokens": len(words), **({"features": feature_count} if feature_count else {})} if words else {},
        constants={"mask": variant.mask} if variant.mask else {},
    )
    origin = Origin(Variant.build_mechanism, (variant, feature_count))
    pages = kit.arrange_pages(formulas, family.pages)
    mechanism = put_on_paper(variant.mechanism, formulas, pages, origin, whole=whole)
    _refuse_what_is_ignored(variant, mechanism)
    return mechanism


def _refuse_what_is_not_read(variant: Variant, whole: Sequence[Formula], left: Sequence[Formula]) -> None:
    """Refuse matrices to begin with that the mechanism does not work, or that nothing reads any more."""
    known = [formula.name for formula in whole]
    if unknown := next((name for name in variant.begins_with if name not in known), None):
        raise ProblemError(
            f"{variant.mechanism} attention does not work {unknown}, so it cannot begin with it: it works "
            f"{list_choices(known)}"
        )
    if "sums" in variant.begins_with:
        raise ProblemError("sums follow from the powers: give powers, and leave out sums")
    if not left:
        raise ProblemError(f"{variant.begins_with[-1]} is all there is to work: give less")
    read = {each.matrix for formula in left for each in list_reads(formula.right)}
    if unread := next((name for name in variant.begins_with if name not in read), None):
        others = [name for name in variant.begins_with if name != unread]
        raise ProblemError(f"{unread} is given, but nothing reads it beside {list_names(others)}: leave out {unread}")


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
