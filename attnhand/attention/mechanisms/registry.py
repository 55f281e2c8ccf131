"""Every mechanism the program knows, by name, and the forms that each can take."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
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
from attnhand.attention.mechanisms.settings import RMS, SETTINGS, NormPlace
from attnhand.errors import ProblemError, list_choices, list_names, name_option


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class MechanismFamily:
    """A mechanism in all its forms."""

    write: Callable[["Variant"], tuple[Formula, ...]]
    """Writes its formulas, from X to the last stage."""

    pages: "tuple[str, ...] | Callable[[Variant], tuple[str, ...]]" = kit.PAGES
    """Which stages stand on a page, those that a form has; where that depends on the form, what says so."""

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
        has_distances=variant.has_distances,
        has_slope=variant.head_count > 1,
        are_kept=variant.has_cache,
        hidden=hidden,
        is_shifted=variant.is_shifted,
        is_plain=variant.has_plain_shares,
        temperature=variant.temperature,
        sink=variant.sink,
    )


def make_queries(variant: "Variant") -> str:
    """Queries from X."""
    return kit.project_queries(has_biases=variant.has_biases)


def make_memory(variant: "Variant") -> str:
    """Keys and values from X: with a cache those of the new token alone."""
    return kit.project_memory(has_biases=variant.has_biases, letter="q" if variant.has_cache else "k")


def place_queries(variant: "Variant") -> str:
    """Queries turned by their places, where a form says so."""
    if not variant.is_rotary:
        return ""
    return kit.turn("Q", "q", has_radians=variant.has_radians, are_kept=variant.has_cache)


def place_memory(variant: "Variant") -> str:
    """Keys turned by their places, and keys and values appended to those that are kept, where a form says so."""
    text = ""
    if variant.is_rotary:
        letter = "q" if variant.has_cache else "k"
        text += kit.turn("K", letter, has_radians=variant.has_radians, are_kept=variant.has_cache)
    if variant.has_cache:
        text += kit.append("K", "r", "K_turned" if variant.is_rotary else "K") + kit.append("V", "v", "V")
    return text


def score(variant: "Variant") -> str:
    """Every key against every query, as the two before leave them."""
    turned = "_turned" if variant.is_rotary else ""
    return kit.score("K_all" if variant.has_cache else f"K{turned}", f"Q{turned}")


def mix(variant: "Variant") -> str:
    """Values, mixed by their weights."""
    return kit.mix("V_all" if variant.has_cache else "V")


def _write_self(variant: "Variant") -> tuple[Formula, ...]:
    before = make_queries(variant) + make_memory(variant) + place_queries(variant) + place_memory(variant)
    return read_formulas(before + score(variant) + attend(variant) + mix(variant))


def _write_basic(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.BASIC_SCORE + attend(variant, is_scaled=False) + kit.BASIC_MIX)


def _write_cross(variant: "Variant") -> tuple[Formula, ...]:
    before = kit.project("M", has_biases=variant.has_biases)
    return read_formulas(before + kit.score("K", "Q") + attend(variant) + kit.mix())


def _write_multi_head(variant: "Variant") -> tuple[Formula, ...]:
    attention, join = score(variant) + attend(variant) + mix(variant), read_formulas(kit.JOIN)
    queries, memory = make_queries(variant), make_memory(variant)
    placed_queries, placed_memory = place_queries(variant), place_memory(variant)
    common, shared = ["X", "mask"], SHARED_BY_HEADS
    match variant.kv_head_count:
        case 1:  # N. Shazeer, "Fast Transformer Decoding: One Write-Head is All You Need", 2019
            heads = kit.add_heads(queries + placed_queries + attention, shared=[*common, *shared])
            return (*read_formulas(memory + placed_memory), *heads, *join)
        case count if count == variant.head_count:
            own = queries + memory + placed_queries + placed_memory + attention
            return (*kit.add_heads(own, shared=common), *join)
        case _:  # J. Ainslie et al., "GQA: Training Generalized Multi-Query Transformer Models", 2023
            heads = kit.add_heads(queries + placed_queries + attention, shared=common, grouped=shared)
            return (*kit.add_groups(memory + placed_memory, shared=common), *heads, *join)


SHARED_BY_HEADS = ("K", "K_turned", "K_all", "V", "V_all")
"""What heads that share keys and values have together: keys are turned, and appended, once for all."""


def _write_block(variant: "Variant") -> tuple[Formula, ...]:
    """Attention and a network: each may be added to what it reads, which may be normalised before it, or the sum after.

    Before as in H. Touvron et al., "LLaMA", 2023, section 2.2; after as in Vaswani et al., 2017, section 3.1.
    """
    before, after = variant.is_normed_before, variant.norm_place is NormPlace.AFTER
    has_one_head = variant.head_count == 1
    attention = _write_self(variant) if has_one_head else _write_multi_head(variant)
    if before:
        attention = kit.read_instead(attention, "X", "N1")
    stream, letter = ("Z", "v") if has_one_head else ("output", "f")
    text = ""
    if variant.has_residual:
        text += kit.RETURN if has_one_head else ""
        text += kit.add_residual(1, "X", "output")
        stream, letter = "R1", "f"
    if after:
        text += kit.normalise(1, stream)
        stream = "N1"
    reads = stream
    if before:
        text += kit.normalise(2, stream, letter)
        reads = "N2"
    text += kit.network(reads, letter, has_second_relu=variant.has_second_relu)
    if variant.has_residual:
        text += kit.add_residual(2, stream, "relu2" if variant.has_second_relu else "F2")
    if after:
        text += kit.normalise(2, "R2")
    if variant.read_out_words:
        text += kit.normalise(3, "R2") + kit.READ_OUT_OF_BLOCK
    first = read_formulas(kit.normalise(1, "X")) if before else ()
    return (*first, *attention, *read_formulas(text))


def _list_block_pages(variant: "Variant") -> tuple[str, ...]:
    """Return the pages of a block: with the norm before its layers, or after what they are added to."""
    return kit.PRE_NORM_PAGES if variant.is_normed_before else kit.PAGES


def _write_online(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.stream_blocks(variant.blocks, is_scaled=variant.is_scaled))


FEWEST_BLOCKS, MOST_BLOCKS = 2, 4
"""One block is ordinary attention; more than four have no room on a sheet."""

ONLINE_SIZES = {
    "first": {"tokens": 1, "memory": 2},
    "warm-up": {"tokens": 1, "memory": 2},
    "standard": {"tokens": 1, "memory": 2},
    "challenge": {"tokens": 1, "memory": 3},
}
"""One query; ``memory`` is how many keys a block has."""

LEVEL_BLOCKS = {"first": 2, "warm-up": 2, "standard": 3, "challenge": 3}
"""How many blocks there are where nothing is said; from three on a rule is seen to be one."""


def _write_backward(variant: "Variant") -> tuple[Formula, ...]:
    return read_formulas(kit.SCORE + attend(variant) + kit.MIX + kit.pass_back(is_scaled=variant.is_scaled))


MULTI_HEAD_SIZES = {
    "standard": {"tokens": 3, "features": 4, "d_k": 2, "d_v": 2},
    "challenge": {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3},
}
"""So that a head has room on one page."""


def _write_next_token(variant: "Variant") -> tuple[Formula, ...]:
    share_out = kit.attend(
        is_scaled=False,
        scores="logits",
        temperature=variant.temperature,
        is_shifted=variant.is_shifted,
        weights="p",
    )
    after = kit.LEARN if variant.has_loss else "" if variant.top_k is None else kit.keep_likeliest(variant.top_k)
    reads = variant.read_out
    if variant.learning_rate is not None:
        after += kit.step(variant.learning_rate, reads)
    before = "" if variant.norm is None else kit.normalise(3, "R2")
    return (
        *read_formulas(before),
        *kit.read_instead(read_formulas(kit.READ_OUT), "z", reads),
        *read_formulas(share_out + after),
    )


NEXT_TOKEN_SIZES = {
    "first": {"tokens": 1, "features": 2, "vocabulary": 4},
    "warm-up": {"tokens": 1, "features": 2, "vocabulary": 4},
    "standard": {"tokens": 1, "features": 3, "vocabulary": 4},
    "challenge": {"tokens": 1, "features": 4, "vocabulary": 6},
}
"""What is read out is the last token; its vocabulary is as long as a softmax by hand may be."""

BEGINNINGS = {
    "online": "online attention begins with a query, keys and values",
    "backward": "backward attention begins with a query, keys and values",
    "next-token": "next-token begins with the vector of the last token",
}
"""Mechanisms that do not begin with a row of tokens, and with what they begin."""

# The order is part of the sheet code: append, never insert.
MECHANISMS: dict[str, MechanismFamily] = {
    "self": MechanismFamily(write=_write_self),
    "basic": MechanismFamily(write=_write_basic, pages=kit.BASIC_PAGES, level_sizes={"standard": {"features": 4}}),
    "cross": MechanismFamily(write=_write_cross, letters={"k": "memory"}),
    "multi-head": MechanismFamily(
        write=_write_multi_head, head_range=(2, 4), default_heads=2, level_sizes=MULTI_HEAD_SIZES
    ),
    "block": MechanismFamily(write=_write_block, pages=_list_block_pages, head_range=(1, 4)),
    "online": MechanismFamily(
        write=_write_online,
        pages=lambda variant: kit.list_block_pages(variant.blocks),
        letters={"k": "memory"},
        level_sizes=ONLINE_SIZES,
    ),
    "next-token": MechanismFamily(
        write=_write_next_token,
        pages=kit.NEXT_TOKEN_PAGES,
        letters={"k": "vocabulary"},
        level_sizes=NEXT_TOKEN_SIZES,
    ),
    "backward": MechanismFamily(write=_write_backward, pages=kit.BACKWARD_PAGES, has_one_query=True),
}


MIN_WINDOW, MAX_WINDOW = 2, 12
"""A window of one token leaves nothing to attend to; a sheet has twelve tokens."""


def gives_scaled(names: Iterable[str]) -> bool:
    """Say whether scaled scores are among some matrices, of a block or of all keys."""
    return any(name.rstrip("0123456789") == "scaled" for name in names)


ANY_MOVED = (1, 2)
"""Which rows of W_U a step of learning works where no numbers say it yet."""

MOVED_COUNT = len(ANY_MOVED)


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

    table_words: tuple[str, ...] = ()
    """The words of that table, where it has others beside those that are said; empty for none."""

    has_positions: bool = False
    """Whether positions are added to those words."""

    has_given_positions: bool = False
    """Whether the positions are a given matrix."""

    is_rotary: bool = False
    """Whether queries and keys are turned by their places."""

    has_radians: bool = False
    """Whether they are turned by angles in radians, as in models, and not by quarter turns."""

    has_distances: bool = False
    """Whether scores lose as much as their key is far from the query; then no query looks at a later token."""

    padding: tuple[int, ...] = ()
    """Keys, counted from 1, that no query sees."""

    mask: tuple[tuple[int, ...], ...] = ()
    """A mask of the problem's own: a row a key, a column a query, 1 where it may be seen; empty for none."""

    cache: int | None = None
    """How many tokens before the new one have their keys and values kept; None where all are worked."""

    is_shifted: bool = False
    """Whether the largest of a query's scores is subtracted from each before powers are taken."""

    sink: int | None = None
    """A score that no key has, whose power is added to the sum of the powers; None for none."""

    temperature: Fraction | None = None
    """By what scores are divided once more; None for 1."""

    top_k: int | None = None
    """Of how many words the next one is drawn; None for all."""

    learning_rate: Fraction | None = None
    """By how much of its gradient W_U is changed, in one step; None for none."""

    lacks_target: bool = False
    """Whether the next word is not said, so that there is no loss."""

    has_biases: bool = False
    """Whether b_Q, b_K and b_V are added to queries, keys and values."""

    is_scaled: bool = True
    """Whether scores are divided, by √d_k or by what stands for it; the problem's rules decide."""

    has_plain_shares: bool = False
    """Whether each score is divided by the sum of the scores, and not powers of them; the problem's rules decide."""

    block_count: int | None = None
    """In how many blocks the keys of online attention come; None for as few as there may be."""

    begins_with: tuple[str, ...] = ()
    """Stages that are given and not worked, without their heads."""

    ends_with: str = ""
    """The stage that is worked last; empty for the mechanism's last."""

    has_residual: bool = False
    """Whether what a layer reads is added to what it gives."""

    norm: str | None = None
    """By what tokens are normalised: "rms"; None where they are not."""

    norm_place: "NormPlace | None" = None
    """None for before each layer, as is usual, and where they are not."""

    read_out_words: tuple[str, ...] = ()
    """Words that a block says how well each fits as the next one, after a last norm; empty where it is not read out."""

    has_second_relu: bool = False
    """Whether the network ends with a ReLU too."""

    has_memory: bool = False
    """Whether there are more or fewer queries than tokens to look at, both being given."""

    def __post_init__(self) -> None:
        # however a keyboard spells é, it is one word: of one column in the table, and of one code
        object.__setattr__(self, "embedded_words", tuple(normalize("NFC", word) for word in self.embedded_words))
        object.__setattr__(self, "table_words", tuple(normalize("NFC", word) for word in self.table_words))
        if {*self.table_words} == {*self.embedded_words}:
            object.__setattr__(self, "table_words", ())
        if self.mechanism not in MECHANISMS:
            raise ProblemError(f"the mechanism {self.mechanism!r} is unknown: use {list_choices(MECHANISMS)}")
        if self.has_positions and not self.embedded_words:
            raise ProblemError("positions are added to words that are looked up: give words and their embedding")
        if self.heads == self.family.default_heads:
            object.__setattr__(self, "heads", None)
        fewest, most = self.family.head_range
        if not fewest <= self.head_count <= most:
            if self.has_vocabulary:
                raise ProblemError("next-token has no heads, for it reads one vector out: leave out the heads")
            one_head = f"{self.mechanism} attention has one head: leave out the heads, or use the mechanism multi-head"
            several = f"{self.mechanism} cannot have {self.heads} heads: use {fewest} to {most}"
            raise ProblemError(one_head if most == 1 else several)
        self._check_kv_heads()
        self._check_what_is_given()
        self._check_cache()
        self._check_distances()
        self._check_blocks()
        self._check_vocabulary()
        if self.has_vocabulary and (self.temperature is not None or self.top_k is not None):
            object.__setattr__(self, "lacks_target", True)
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
        self._check_block()

    def _check_what_is_given(self) -> None:
        """Refuse what needs a row of tokens where there is none, and what no step beside attention knows of."""
        if self.mechanism not in BEGINNINGS:
            return
        begins = BEGINNINGS[self.mechanism]
        if self.cache is not None:
            raise ProblemError(f"{begins}, so nothing is appended: leave out {name_option('cache', self.cache)}")
        if self.has_distances:
            raise ProblemError(
                f"{begins}, and how far apart tokens are is not said: leave out {name_option('positions', 'distance')}"
            )
        if self.mechanism == "online" and (self.sink is not None or self.temperature is not None):
            option = "sink" if self.sink is not None else "temperature"
            raise ProblemError(
                "online attention carries a largest score and a sum from block to block, and nothing beside them: "
                f"leave out {name_option(option)}"
            )
        if self.mechanism == "backward" and self.temperature is not None:
            raise ProblemError(
                "the way back is worked through √d_k alone, and a temperature would divide every gradient once more: "
                f"leave out {name_option('temperature')}"
            )
        if self.mechanism == "backward" and self.sink is not None:
            raise ProblemError(
                "on the way back shares add to 1, so that dS adds to 0, and with a sink neither does: leave out "
                f"{name_option('sink')}"
            )

    def _check_cache(self) -> None:
        """Refuse a cache where nothing could be kept; of a new token nothing comes later, so a mask hides nothing."""
        if self.cache is None:
            return
        option = name_option("cache", self.cache)
        if self.mechanism in ("basic", "cross"):
            lacking = "has no keys and values of its own" if self.mechanism == "basic" else "has a memory, which stays"
            raise ProblemError(f"{self.mechanism} attention {lacking}, so nothing is appended: leave out {option}")
        if self.embedded_words:
            raise ProblemError(
                f"with a cache one token is new, and no other word is looked up: leave out {option}, or the table of "
                "words and their positions"
            )
        if self.window is not None:
            raise ProblemError(
                f"what a window leaves out need not be kept: leave out {name_option('window', self.window)}, and keep "
                f"fewer tokens with {name_option('cache')}"
            )
        object.__setattr__(self, "is_causal", False)

    def _check_distances(self) -> None:
        """Put the mask on that distances go with, and refuse them where nothing says how far apart two tokens are."""
        if not self.has_distances:
            return
        object.__setattr__(self, "is_causal", not self.has_cache)  # of a new token nothing comes later
        option = name_option("positions", "distance")
        if self.letters["k"] != "tokens" and not self.has_cache:
            raise ProblemError(
                "there are not as many queries as keys, so how far apart they are is not said: leave out "
                f"{option}, or give as many"
                if self.has_memory
                else f"{self.mechanism} attention has two rows of places, and no distance from one to the other: leave "
                f"out {option}"
            )
        if self.is_rotary or self.has_positions:
            raise ProblemError(f"positions are said in one way: leave out {option}, or the other positions")

    def _check_blocks(self) -> None:
        """Refuse blocks where there are none, and beside them what needs all scores at once."""
        if self.mechanism != "online":
            if self.block_count is not None:
                raise ProblemError(
                    f"{self.mechanism} attention has all keys at once, not in blocks: leave out "
                    f"{name_option('blocks')}, or use the mechanism online"
                )
            return
        if not FEWEST_BLOCKS <= (self.block_count or FEWEST_BLOCKS) <= MOST_BLOCKS:
            raise ProblemError(
                f"{name_option('blocks', self.block_count)} is out of range: use {FEWEST_BLOCKS} to {MOST_BLOCKS}"
            )
        if self.padding or self.mask or self.is_causal:
            option = "padding" if self.padding else "causal" if self.is_causal else ""
            raise ProblemError(
                "online attention is worked without a mask, for of a block that is hidden as a whole no score is the "
                f"largest: leave out {name_option(option) if option else 'the mask'}"
            )
        if self.is_shifted:
            raise ProblemError(
                "online attention subtracts the largest score already, block by block: leave out "
                f"{name_option('subtract_max')}"
            )
        if self.has_plain_shares:
            raise ProblemError(
                "online attention multiplies powers where the largest score changes, and plain shares have none: "
                f"leave out {name_option('base', 'none')}"
            )
        if self.embedded_words:
            raise ProblemError(
                "online attention begins with a query, keys and values, and looks up no words: leave out "
                f"{name_option('embed', value=True)}"
            )
        if self.is_rotary:
            raise ProblemError(
                "online attention is given its query and keys as they are compared, turned already: leave out "
                f"{name_option('positions', 'rotary')}"
            )
        if self.has_biases:
            raise ProblemError("online attention is given its query, keys and values: leave out the biases")

    def _check_vocabulary(self) -> None:
        """Refuse what goes with a vocabulary where there is none, and what goes with tokens where there is one."""
        if not self.has_vocabulary:
            refused = {
                "top_k": (self.top_k, "draws no word"),
                "learn": (self.learning_rate, "has no loss to learn from"),
            }
            for option, (value, what) in refused.items():
                if value is not None:
                    raise ProblemError(
                        f"{self.mechanism} attention {what}: leave out {name_option(option)}, or use the mechanism "
                        "next-token"
                    )
            return
        if self.learning_rate is not None and not self.has_loss:
            added = "temperature" if self.temperature is not None else "top_k" if self.top_k is not None else ""
            remedy = f"leave out {name_option(added)}" if added else 'give y, or leave out "learn"'
            raise ProblemError(f"a step is learned from a loss, which is at temperature 1 and of all words: {remedy}")
        needless = {
            "causal": self.is_causal,
            "padding": bool(self.padding),
            "positions": self.has_positions or self.is_rotary,
            "embed": bool(self.embedded_words),
        }
        if said := next((option for option, is_said in needless.items() if is_said), None):
            raise ProblemError(
                "next-token begins where attention has ended, with the vector of the last token, so no token looks at "
                f"another: leave out {name_option(said)}"
            )
        if self.sink is not None:
            raise ProblemError(f"some word must come next, so no sink takes a share: leave out {name_option('sink')}")
        if self.mask:
            raise ProblemError("next-token has no mask, for no token looks at another: leave out the mask")
        if self.has_plain_shares:
            raise ProblemError(
                "a probability is never negative, and of a negative logit only a power sees to that: leave out "
                f"{name_option('base', 'none')}"
            )

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
        if self.has_plain_shares and self.sink is not None:
            raise ProblemError(
                f"a sink is a power in the sum of the powers, and plain shares have none: leave out "
                f"{name_option('base', 'none')}, or {name_option('sink')}"
            )
        if self.has_plain_shares and self.temperature is not None:
            raise ProblemError(
                "plain shares stay as they are whatever all scores are divided by: leave out "
                f"{name_option('base', 'none')}, or {name_option('temperature')}"
            )
        if self.is_shifted and self.sink is not None:
            raise ProblemError(
                "beside a sink that stays, scores less the largest would have other shares: leave out "
                f"{name_option('subtract_max')}, or {name_option('sink')}"
            )

    def _check_block(self) -> None:
        """Refuse what only a block has, and a norm that has no place."""
        of_block = {
            name_option("residual", value=True): self.has_residual,
            name_option("norm", self.norm): self.norm is not None,
            name_option("norm_place", self.norm_place): self.norm_place is not None,
            '"second_relu"': self.has_second_relu,
            '"read_out"': bool(self.read_out_words),
        }
        asked = next((option for option, is_asked in of_block.items() if is_asked), None)
        reads_out_normed = self.has_vocabulary and self.norm is not None and asked == name_option("norm", self.norm)
        if asked is not None and self.mechanism != "block" and not reads_out_normed:
            raise ProblemError(
                f"{self.mechanism} attention has no layers one after the other, which {asked} is about: leave it out, "
                f"or use {name_option('mechanism', 'block')}"
            )
        if self.norm is None and self.norm_place is not None:
            raise ProblemError(
                f"{name_option('norm_place', self.norm_place)} says where a norm stands, and there is none: add "
                f"{name_option('norm', RMS)}, or leave it out"
            )
        if self.norm_place is NormPlace.BEFORE:  # as usual
            object.__setattr__(self, "norm_place", None)
        if self.norm_place is NormPlace.AFTER and not self.has_residual:
            raise ProblemError(
                f"after a layer its sum with what it reads is normalised, and here nothing is added: add "
                f"{name_option('residual', value=True)}, or leave out {name_option('norm_place', self.norm_place)}"
            )
        if self.read_out_words and not (self.is_normed_before and self.has_residual):
            raise ProblemError(
                'what is read out is normalised last, as all before it: add "norm": "rms" and "residual": true, or '
                'leave out "read_out"'
            )
        if self.norm is not None and self.has_plain_shares:
            raise ProblemError(
                "without powers nothing says whether a root is rounded as by hand: leave out "
                f"{name_option('base', 'none')}, or {name_option('norm', self.norm)}"
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
    def has_vocabulary(self) -> bool:
        """Whether what is chosen among are the words of a vocabulary, and not tokens."""
        return self.family.letters.get("k") == "vocabulary"

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The words of the table, one a column: as they are first said, unless it has others; or those read out."""
        return self.read_out_words or self.table_words or list_vocabulary(self.embedded_words)

    @property
    def named_size(self) -> str:
        """What words are labels of: tokens, those of a memory where queries are given apart, or a vocabulary."""
        return self.letters["k"] if self.has_memory or self.has_vocabulary or self.has_cache else "tokens"

    @property
    def read_out(self) -> str:
        """What W_U reads out: the vector z of the last token, or as in a block what the last norm makes of R2."""
        return "z" if self.norm is None else "N3"

    @property
    def has_loss(self) -> bool:
        """Whether it says how surprised a model is at the word that came: at temperature 1, and of all words."""
        return self.has_vocabulary and not self.lacks_target and self.temperature is None and self.top_k is None

    @property
    def kv_head_count(self) -> int:
        """How many keys and values there are: one a head, or fewer that heads share."""
        return self.head_count if self.kv_heads is None else self.kv_heads

    @property
    def blocks(self) -> int:
        """In how many blocks its keys come; 0 where they come at once."""
        return (self.block_count or FEWEST_BLOCKS) if self.mechanism == "online" else 0

    @property
    def groups(self) -> tuple[int, ...]:
        """For each head the group, from 1, that it shares keys and values with; none where no group has its own."""
        if self.kv_head_count in (1, self.head_count):
            return ()
        return tuple(1 + head * self.kv_head_count // self.head_count for head in range(self.head_count))

    @property
    def is_normed_before(self) -> bool:
        """Whether tokens are normalised before each layer."""
        return self.norm is not None and self.norm_place is None

    @property
    def family(self) -> MechanismFamily:
        """The mechanism in all its forms."""
        return MECHANISMS[self.mechanism]

    def follow(self, rules: Rules) -> "Variant":
        """Return the form that it has under these rules: without what they leave out, unless it is given."""
        is_scaled = rules.scale is not ScaleRule.NONE or gives_scaled(self.begins_with)
        return replace(self, is_scaled=is_scaled, has_plain_shares=rules.base is Base.NONE)

    @property
    def whole(self) -> "Variant":
        """The form that works everything from its tokens, and to which nothing is added."""
        added = {setting.field: setting.default for setting in SETTINGS if setting.is_added}
        is_causal = self.is_causal or self.has_cache
        plain = replace(self, begins_with=(), ends_with="", has_memory=False, has_plain_shares=False, **added)
        return replace(plain, is_causal=is_causal)

    @property
    def with_all_queries(self) -> "Variant":
        """The form that asks with every token, where a step with a cache asks with the new one alone."""
        return replace(self, cache=None, is_causal=True) if self.has_cache else self

    @property
    def apart(self) -> "Variant":
        """The form with queries and keys counted apart, and nothing that says which keys come later, or how far."""
        return replace(self, has_memory=True, is_causal=False, window=None, has_distances=False)

    @property
    def letters(self) -> Mapping[str, str]:
        """What letters run over."""
        memory = {"k": "memory"} if self.has_memory or self.has_cache else {}
        return {**LETTERS, **self.family.letters, **memory}

    @property
    def has_cache(self) -> bool:
        """Whether keys and values of the tokens before are kept, and one token is new."""
        return self.cache is not None

    @property
    def head_count(self) -> int:
        """How many heads it has."""
        return self.family.default_heads if self.heads is None else self.heads

    @property
    def first_occurrences(self) -> tuple[int, ...]:
        """For each token the first one that nothing tells from it: the same word, no positions; of no words none."""
        return () if self.has_positions else tuple(self.embedded_words.index(word) for word in self.embedded_words)

    def build_mechanism(self, feature_count: int = 0, moved: tuple[int, ...] = ANY_MOVED) -> Mechanism:
        """Return the mechanism in this form, written for columns: always the same one.

        Args:
            feature_count: of a token; only sinusoidal positions need to know.
            moved: the words whose rows of W_U a step of learning works, from 1.
        """
        has_waves = self.has_positions and not self.has_given_positions
        learns = self.learning_rate is not None
        return _build_mechanism(self, self.family, feature_count if has_waves else 0, moved if learns else ())


@lru_cache(maxsize=200)
def _build_mechanism(
    variant: Variant, family: MechanismFamily, feature_count: int, moved: tuple[int, ...]
) -> Mechanism:
    words = variant.embedded_words
    before = kit.embed(has_positions=variant.has_positions, are_given=variant.has_given_positions) if words else ""
    vocabulary = variant.vocabulary
    own = family.write(variant)
    if variant.kv_heads is not None and own == family.write(replace(variant, kv_heads=None)):
        raise ProblemError(
            f"{variant.mechanism} attention says itself what its heads share: leave out {name_option('kv_heads')}"
        )
    whole = (*read_formulas(before), *own)
    left = kit.begin_with(whole, variant.begins_with, variant.ends_with)
    _refuse_what_is_not_read(variant, whole, left)
    formulas = FormulaList(
        formulas=left,
        letters=variant.letters,
        head_count=variant.head_count,
        groups=variant.groups,
        known=_list_known_numbers(variant),
        lists={
            **({"word": Places("vocabulary", tuple(vocabulary.index(word) + 1 for word in words))} if words else {}),
            **({"moved": Places("vocabulary", moved)} if moved else {}),
        },
        sizes=_list_known_sizes(variant, feature_count),
        declared=_list_declared_sizes(variant),
        constants={"mask": variant.mask} if variant.mask else {},
    )
    origin = Origin(Variant.build_mechanism, (variant, feature_count, moved))
    pages = family.pages(variant) if callable(family.pages) else family.pages
    if variant.has_cache:
        pages = tuple(kit.CACHE_PAGES.get(page, page) for page in pages)
    chains = kit.arrange_pages(formulas, pages)
    mechanism = put_on_paper(variant.mechanism, formulas, chains, origin, whole=whole)
    _refuse_what_is_ignored(variant, mechanism)
    return mechanism


def _list_known_numbers(variant: Variant) -> dict[str, int]:
    """Return what formulas call by a name: a window, how many tokens are kept, a learning rate as a fraction."""
    rate = variant.learning_rate
    numbers = {
        "window": variant.window,
        "kept": variant.cache,
        "rate_top": None if rate is None else rate.numerator,
        "rate_bottom": None if rate is None else rate.denominator,
    }
    return {name: number for name, number in numbers.items() if number is not None}


def _list_known_sizes(variant: Variant, feature_count: int) -> dict[str, int]:
    """Return the sizes that a form knows whatever the matrices are."""
    if variant.cache is not None:
        return {"tokens": 1, "kept": variant.cache, "memory": variant.cache + 1}
    if variant.learning_rate is not None:
        return {"moved": MOVED_COUNT}
    if not variant.embedded_words:
        return {}
    return {"tokens": len(variant.embedded_words), **({"features": feature_count} if feature_count else {})}


def _list_declared_sizes(variant: Variant) -> dict[str, tuple[str, ...]]:
    """Return the sizes of kept keys and values, and of new ones that are given: of each head, of a group, or of all."""
    if not variant.has_cache:
        return {}
    owners: tuple[str, ...] = ("heads",) if variant.kv_head_count == variant.head_count else ("groups",)
    owners = owners if variant.head_count > 1 and variant.kv_head_count > 1 else ()
    new = {"K": "d_k", "K_turned": "d_k", "V": "d_v"}
    return {
        **{f"{name}_cache": (*owners, new[name], "kept") for name in ("K", "V")},
        **{name: (*owners, size, "tokens") for name, size in new.items() if name in variant.begins_with},
    }


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
    if "sums_new" in variant.begins_with:
        raise ProblemError("sums_new follow from the new powers: give powers_new, and leave out sums_new")
    if "sums_k" in variant.begins_with:
        raise ProblemError("sums_k follow from what is kept: give kept, and leave out sums_k")
    if variant.ends_with and variant.ends_with not in known:
        raise ProblemError(
            f"{variant.mechanism} attention does not work {variant.ends_with}, so it cannot end with it: it works "
            f"{list_choices(known)}"
        )
    if not left:
        raise ProblemError(f"{variant.begins_with[-1]} is all there is to work: give less")
    read = {each.matrix for formula in left for each in list_reads(formula.right)}
    if unread := next((name for name in variant.begins_with if name not in read), None):
        others = [name for name in variant.begins_with if name != unread]
        if not others:
            raise ProblemError(f"{unread} is given, but nothing reads it: leave out {unread}")
        raise ProblemError(f"{unread} is given, but nothing reads it beside {list_names(others)}: leave out {unread}")


def _refuse_what_is_ignored(variant: Variant, mechanism: Mechanism) -> None:
    """Refuse a mask, or turns, that no formula of the mechanism has a place for."""
    forms = {stage.form for stage in mechanism.stages}
    if variant.has_distances and not any(stage.topic == "biased" for stage in mechanism.stages):
        option = name_option("positions", "distance")
        raise ProblemError(f"there are no scores left that could lose by their distance: leave out {option}")
    if variant.temperature is not None and Form.TEMPER not in forms:
        raise ProblemError(f"no scores are left to divide by a temperature: leave out {name_option('temperature')}")
    if variant.sink is not None and Form.SUM not in forms:
        raise ProblemError(f"no sums are left in which a sink could count: leave out {name_option('sink')}")
    if variant.is_causal and Form.MASK not in forms:
        raise ProblemError(f"{variant.mechanism} attention has no scores to hide: leave out {name_option('causal')}")
    if variant.is_rotary and not forms & {Form.TURN, Form.ROTATION}:
        option = name_option("positions", "rotary")
        raise ProblemError(f"{variant.mechanism} attention turns nothing by its place: leave out {option}")


DEFAULT_VARIANT = Variant()
"""Self-attention, one head, nothing added."""
