"""Every mechanism the program knows, by name, and the forms that each can take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from unicodedata import normalize

from attnhand.attention.mechanisms.base import Mechanism
from attnhand.attention.mechanisms.basic import BASIC
from attnhand.attention.mechanisms.block import build_block
from attnhand.attention.mechanisms.causal import add_causal_mask
from attnhand.attention.mechanisms.cross import CROSS
from attnhand.attention.mechanisms.embedding import add_embedding
from attnhand.attention.mechanisms.multi_head import build_multi_head
from attnhand.attention.mechanisms.self_attention import SELF_ATTENTION
from attnhand.errors import ProblemError, list_choices, name_option


@dataclass(frozen=True, slots=True)
class MechanismFamily:
    """A mechanism in all its forms."""

    build: Callable[[int], Mechanism]
    """Make it with so many heads."""

    head_range: tuple[int, int] = (1, 1)
    """The fewest and the most heads it can have."""

    default_heads: int = 1
    level_sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By level, the sizes that differ from those of self-attention."""


MULTI_HEAD_SIZES = {
    "standard": {"tokens": 3, "features": 4, "d_k": 2, "d_v": 2},
    "challenge": {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3},
}
"""So that a head has room on one page."""

# The order is part of the sheet code: append, never insert.
MECHANISMS: dict[str, MechanismFamily] = {
    "self": MechanismFamily(lambda _: SELF_ATTENTION),
    "basic": MechanismFamily(lambda _: BASIC, level_sizes={"standard": {"features": 4}}),
    "cross": MechanismFamily(lambda _: CROSS),
    "multi-head": MechanismFamily(build_multi_head, head_range=(2, 4), default_heads=2, level_sizes=MULTI_HEAD_SIZES),
    "block": MechanismFamily(build_block, head_range=(1, 4)),
}


MIN_WINDOW, MAX_WINDOW = 2, 12
"""A window of one token leaves nothing to attend to; a sheet has twelve tokens."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Variant:
    """Which form of a mechanism a problem has."""

    mechanism: str = "self"
    heads: int | None = None
    """None for as many as are usual."""

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
        if self.window is not None and not self.is_causal:
            advice = f"add {name_option('causal')}, or leave out {name_option('window')}"
            raise ProblemError(f"a window belongs to the causal mask: {advice}")
        if self.window is not None and not MIN_WINDOW <= self.window <= MAX_WINDOW:
            raise ProblemError(f"the window {self.window} is out of range: use {MIN_WINDOW} to {MAX_WINDOW} tokens")
        if self.is_causal and not _is_square(self.family.build(self.head_count)):
            raise ProblemError(
                f"{self.mechanism} attention has no causal mask: which token of the memory comes later is not said; "
                "leave out the mask"
            )

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
        """Return the mechanism in this form, written for columns.

        Args:
            feature_count: of a token; only sinusoidal positions need to know.
        """
        mechanism = self.family.build(self.head_count)
        if self.is_causal:
            mechanism = add_causal_mask(mechanism, self.window)
        if self.embedded_words:
            mechanism = add_embedding(
                mechanism,
                self.embedded_words,
                has_positions=self.has_positions,
                feature_count=feature_count,
                has_given_positions=self.has_given_positions,
            )
        return mechanism


DEFAULT_VARIANT = Variant()
"""Self-attention, one head, nothing added."""


def _is_square(mechanism: Mechanism) -> bool:
    weights = mechanism.weight_stages[0]
    return weights.rows.size_name == weights.columns.size_name
