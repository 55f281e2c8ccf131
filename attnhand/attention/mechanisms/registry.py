"""Every mechanism the program knows, by name, and the forms that each can take."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from unicodedata import normalize

from attnhand.attention.mechanisms.base import Mechanism
from attnhand.attention.mechanisms.basic import BASIC
from attnhand.attention.mechanisms.block import block
from attnhand.attention.mechanisms.causal import with_causal_mask
from attnhand.attention.mechanisms.cross import CROSS
from attnhand.attention.mechanisms.embedding import with_embedding
from attnhand.attention.mechanisms.multi_head import multi_head
from attnhand.attention.mechanisms.self_attention import SELF_ATTENTION
from attnhand.attention.operations import Divide
from attnhand.errors import ProblemError


@dataclass(frozen=True, slots=True)
class Family:
    """A mechanism in all its forms."""

    of: Callable[[int], Mechanism]
    """Make it with so many heads."""

    heads: tuple[int, int] = (1, 1)
    """The fewest and the most heads it can have."""

    usual_heads: int = 1
    sizes: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """By level, the sizes that differ from those of self-attention."""


SMALL = {
    "standard": {"tokens": 3, "features": 4, "d_k": 2, "d_v": 2},
    "challenge": {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3},
}
"""So that a head has room on one page."""

# The order is part of the sheet code: append, never insert.
MECHANISMS: dict[str, Family] = {
    "self": Family(lambda _: SELF_ATTENTION),
    "basic": Family(lambda _: BASIC, sizes={"standard": {"features": 4}}),
    "cross": Family(lambda _: CROSS),
    "multi-head": Family(multi_head, heads=(2, 4), usual_heads=2, sizes=SMALL),
    "block": Family(block, heads=(1, 4)),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """Which form of a mechanism a problem has."""

    mechanism: str = "self"
    heads: int | None = None
    """None for as many as are usual."""

    causal: bool = False
    """Whether no query looks at a later token."""

    embedded: tuple[str, ...] = ()
    """Words to look up in a table, which then stands in for X; accents are part of their letters (NFC)."""

    positions: bool = False
    """Whether positions are added to those words."""

    given_positions: bool = False
    """Whether the positions are a given matrix."""

    def __post_init__(self) -> None:
        # however a keyboard spells é, it is one word: of one column in the table, and of one code
        object.__setattr__(self, "embedded", tuple(normalize("NFC", word) for word in self.embedded))
        if self.mechanism not in MECHANISMS:
            *others, last = MECHANISMS
            raise ProblemError(f"the mechanism {self.mechanism!r} is unknown: use {', '.join(others)} or {last}")
        if self.positions and not self.embedded:
            raise ProblemError("positions are added to words that are looked up: give words and their embedding")
        if self.heads == self.family.usual_heads:
            object.__setattr__(self, "heads", None)
        fewest, most = self.family.heads
        if not fewest <= self.number_of_heads <= most:
            if most == 1:
                raise ProblemError(
                    f"{self.mechanism} attention has one head: leave out the heads, or use the mechanism multi-head"
                )
            raise ProblemError(f"{self.mechanism} cannot have {self.heads} heads: use {fewest} to {most}")
        if self.causal and not _is_square(self.family.of(self.number_of_heads)):
            raise ProblemError(
                f"{self.mechanism} attention has no causal mask: which token of the memory comes later is not said; "
                "leave out the mask"
            )

    @property
    def family(self) -> Family:
        """The mechanism in all its forms."""
        return MECHANISMS[self.mechanism]

    @property
    def number_of_heads(self) -> int:
        """How many heads it has."""
        return self.family.usual_heads if self.heads is None else self.heads

    @property
    def alike(self) -> tuple[int, ...]:
        """For each token the first one that nothing tells from it: the same word, no positions; of no words none."""
        return () if self.positions else tuple(self.embedded.index(word) for word in self.embedded)

    def build(self, features: int = 0) -> Mechanism:
        """Return the mechanism in this form, written for columns.

        Args:
            features: of a token; only sinusoidal positions need to know.
        """
        made = self.family.of(self.number_of_heads)
        if self.causal:
            made = with_causal_mask(made)
        if self.embedded:
            made = with_embedding(
                made, self.embedded, positions=self.positions, features=features, given=self.given_positions
            )
        return made


SELF = Form()
"""Self-attention, one head, nothing added."""


def _is_square(mechanism: Mechanism) -> bool:
    weights = next(stage for stage in mechanism.stages if isinstance(stage.operation, Divide))
    return weights.rows.size == weights.columns.size
