"""What a sheet was asked to be: everything that, with the salt, decides its numbers."""

import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from attnhand.attention.arithmetic import HAND, Arithmetic, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.matrix import transpose
from attnhand.attention.mechanisms import DEFAULT_VARIANT, Mechanism, Variant
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.registry import LEVEL_BLOCKS
from attnhand.attention.numbers import Number
from attnhand.attention.problem import SIZE_LIMITS, can_scale
from attnhand.errors import GenerationError, list_choices, list_names, name_option
from attnhand.problems.carrying import find_frame, settle_carried
from attnhand.problems.levels import Level

if TYPE_CHECKING:
    from attnhand.problems.model_parts import ModelPart
    from attnhand.problems.story_template import StoryTemplate

MAX_SEED = 2**32 - 1

LEVEL_SIZES: Mapping[Level, Mapping[str, int]] = {
    Level.FIRST: {"tokens": 3, "features": 4, "d_k": 2, "d_v": 2, "memory": 3, "hidden": 2},
    Level.WARM_UP: {"tokens": 3, "features": 4, "d_k": 2, "d_v": 2, "memory": 2, "hidden": 2},
    Level.STANDARD: {"tokens": 4, "features": 6, "d_k": 3, "d_v": 3, "memory": 3, "hidden": 3},
    Level.CHALLENGE: {"tokens": 6, "features": 6, "d_k": 4, "d_v": 4, "memory": 5, "hidden": 4},
}
"""Sizes of a level, each of which an option may override; a mechanism takes those that it has."""

MAX_DRAWN_SEED = 999_999
"""Seeds drawn for those who give none are short enough to be read aloud."""

DRAWN_SINKS: Mapping[bool, tuple[int, int]] = {True: (0, 3), False: (-2, 4)}
"""By whether no score is negative, the least sink and the largest: those that a drawn score may have."""
MAX_DISTANCE, MAX_LOSS = 7, 9
"""How far away a key may be that scores lose by, and how much it may lose in the head with the largest slope."""

MIN_FEATURES = 2
"""One feature cannot tell tokens apart."""

MIN_DRAWN_VOCABULARY = 3
"""Of two words the one says all about the other."""


def draw_seed() -> int:
    """Draw a seed for a user who gave none."""
    return secrets.randbelow(MAX_DRAWN_SEED + 1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """A seed and the options that shape its numbers; a sheet code carries exactly this."""

    seed: int
    variant: Variant = DEFAULT_VARIANT
    """The mechanism, its heads, its mask, its words."""

    convention: Convention = Convention.COLUMNS
    level: Level = Level.STANDARD
    size_overrides: tuple[tuple[str, int], ...] = ()
    """Sizes that differ from the level's; filled up and sorted on entry, see ``all_sizes``."""

    rules: Rules = HAND
    allow_ties: bool = False
    """Whether two tokens may share the largest weight of a query."""

    story: "StoryTemplate | None" = None
    """What its numbers mean; it decides on mechanism, level and sizes, see ``make_story_request``."""

    query_count: int | None = None
    """How many queries it has; None for one a token. With a story 1: every token has one, and the story's is asked."""

    part: str = ""
    """Which part of a whole language model it is, which decides on the form; see ``make_part_request``."""

    carried: tuple[Variant, ...] = ()
    """The forms of the sheets that are cut of one problem, this one among them; none where it is drawn by itself."""

    all_sizes: Mapping[str, int] = field(init=False, compare=False, hash=False)
    """Every size of this mechanism by name."""

    mechanism: Mechanism = field(init=False, compare=False, hash=False, repr=False)
    """The list of stages, written for columns."""

    def __post_init__(self) -> None:
        if not 0 <= self.seed <= MAX_SEED:
            raise GenerationError(f"the seed {self.seed} is out of range: use a whole number from 0 to {MAX_SEED}")
        if not self.part:
            object.__setattr__(self, "variant", self._settle_variant())
        object.__setattr__(self, "size_overrides", self._count_tokens_of_cache())
        if self.carried:
            self._settle_cut()
        else:
            self._settle_sizes()
        object.__setattr__(self, "rules", self.adapt_rules(self.rules))
        self._check_queries()
        if self.variant.blocks:  # it has one query in any case
            object.__setattr__(self, "query_count", None)
        has_fewer = self.story is None and self.query_count not in (None, self.all_sizes["tokens"])
        has_memory = has_fewer and replace(self.variant, has_memory=False).letters["k"] == "tokens"
        form = replace(self.variant, has_memory=has_memory).follow(self.rules)
        object.__setattr__(self, "variant", form)
        object.__setattr__(self, "mechanism", form.build_mechanism(self.all_sizes.get("features", 0)))
        self._check_positions()
        self._check_distances()
        self._check_padding()
        self._check_sink()
        self._check_top_k()
        self._check_temperature()

    def _settle_sizes(self) -> None:
        """Fill the sizes up that are not said, and keep of those that are what differs from the level's."""
        sizes, words = self._check_sizes(), self.variant.embedded_words
        of_level = {**LEVEL_SIZES[self.level], **self.variant.family.level_sizes.get(self.level, {})}
        if self.variant.is_rotary:  # numbers are turned in pairs
            of_level["d_k"] += of_level["d_k"] % 2
        usual = {name: of_level[name] for name in list_size_names(self.variant.whole)}
        counted = {"tokens": len(words)} if words else {}
        counted |= {"vocabulary": len(self.variant.vocabulary)} if self.variant.vocabulary else {}
        everything = {**usual, **sizes, **counted}
        in_order = {name: everything[name] for name in SIZE_LIMITS if name in everything}
        object.__setattr__(self, "all_sizes", in_order)
        sizes = {name: size for name, size in sizes.items() if usual[name] != size}
        object.__setattr__(self, "size_overrides", tuple(sorted(sizes.items())))

    def _settle_cut(self) -> None:
        """Take the sizes of the problem that this sheet is cut of."""
        option = name_option("carry")
        if self.story or self.query_count is not None:
            other = name_option("story" if self.story else "query_count")
            raise GenerationError(f"{option} and {other} contradict each other: leave out one of them")
        object.__setattr__(self, "carried", settle_carried(self.carried, self.variant))
        is_scaled_by_own_rule = self.rules.scale not in (HAND.scale, self.adapt_rules(HAND).scale)
        if is_scaled_by_own_rule and any(form.mechanism == "basic" for form in self.carried):
            raise GenerationError(
                f"{option} names basic, whose code says nothing of how others are scaled: leave out basic, or "
                f"{name_option('scale')} and {name_option('rules')}"
            )
        uncut = self.uncut
        own = list_size_names(self.variant)
        object.__setattr__(self, "all_sizes", {name: size for name, size in uncut.all_sizes.items() if name in own})
        object.__setattr__(self, "size_overrides", uncut.size_overrides)

    @property
    def uncut(self) -> "Request":
        """The request for the problem that this sheet is cut of: itself, where it is drawn by itself."""
        if not self.carried:
            return self
        frame = find_frame(self.carried)
        rules = replace(self.rules, scale=HAND.scale) if self.variant.mechanism == "basic" else self.rules
        return replace(self, variant=frame, rules=rules, carried=())

    @property
    def taken_queries(self) -> int | None:
        """How many queries there are where these are not all that tokens would ask; None for all."""
        return 1 if self.variant.family.has_one_query else self.query_count

    def adapt_rules(self, rules: Rules) -> Rules:
        """Return the rules as this mechanism takes them: where nothing is scaled, the rule for it says so."""
        return rules if can_scale(self.variant, rules) else replace(rules, scale=ScaleRule.NONE)

    @property
    def whole(self) -> "Request":
        """The request for the ordinary sheet that this one is made of: itself, where it is one."""
        rules = replace(self.rules, base=Base.THREE) if self.rules.base is Base.NONE else self.rules
        if self.variant.norm is not None and not rules.is_rational:  # what is normalised so cannot be aimed at
            rules = replace(rules, scale=HAND.scale, base=HAND.base)
        has_rule = not self.variant.begins_with or can_scale(self.variant, HAND)
        rules = rules if has_rule else replace(rules, scale=HAND.scale)
        return replace(self, variant=self.variant.whole, rules=rules, query_count=None)

    def _count_tokens_of_cache(self) -> tuple[tuple[str, int], ...]:
        """Return the sizes that differ, of a cache with its tokens: those that are kept, and the new one."""
        if self.variant.cache is None:
            return self.size_overrides
        count = self.variant.cache + 1
        if dict(self.size_overrides).get("tokens", count) != count:
            raise GenerationError(
                f"{self.variant.cache} tokens are kept and one is new, which makes {count}: leave out "
                f"{name_option('tokens', dict(self.size_overrides)['tokens'])}"
            )
        return tuple({**dict(self.size_overrides), "tokens": count}.items())

    @property
    def asked_count(self) -> int:
        """How many queries its sheet has."""
        return 1 if self.variant.has_cache else self.query_count or self.all_sizes["tokens"]

    def _settle_variant(self) -> Variant:
        """Return the form with where it ends: scores that are given without values end with the weights."""
        variant = self.variant
        if variant.mechanism == "online" and variant.block_count is None:
            variant = replace(variant, block_count=LEVEL_BLOCKS[self.level])
        if not variant.begins_with:
            return variant
        if variant.embedded_words:
            raise GenerationError(
                f"a sheet that begins with {list_names(variant.begins_with)} looks up no words: leave out "
                f"{name_option('embed', value=True)}, or {name_option('begin_with')}"
            )
        worked = [formula.name for formula in variant.whole.build_mechanism().formulas.formulas]
        if unknown := next((name for name in variant.begins_with if name not in worked), None):
            raise GenerationError(
                f"{name_option('begin_with')} names {unknown}, which {variant.mechanism} attention does not work: use "
                f"{list_choices(worked)}"
            )
        in_order = tuple(name for name in worked if name in variant.begins_with)
        known = {"S", "A"} <= {*worked} and not {"V", "Z", "A"} & {*in_order}
        has_scores = known and worked.index(in_order[-1]) >= worked.index("S")
        return replace(variant, begins_with=in_order, ends_with="A" if has_scores else "")

    def _check_queries(self) -> None:
        """Refuse a number of queries where these are the tokens that are looked at, or more than there are."""
        if self.variant.blocks and (self.query_count not in (None, 1) or "tokens" in dict(self.size_overrides)):
            option = "tokens" if "tokens" in dict(self.size_overrides) else "query_count"
            raise GenerationError(
                f"online attention is drawn for one query: leave out {name_option(option)}, and choose "
                f"{name_option('blocks')} and how many keys each has, {name_option('memory_length')}"
            )
        if self.query_count is None:
            return
        tokens, option = self.all_sizes["tokens"], name_option("query_count", self.query_count)
        if self.variant.has_cache:
            raise GenerationError(f"with a cache one token is new, and it alone asks: leave out {option}")
        if self.variant.family.has_one_query:
            if self.query_count != 1:
                raise GenerationError(f"{self.variant.mechanism} attention has one query: leave out {option}")
            object.__setattr__(self, "query_count", None)  # one request has one code
            return
        if self.story is not None:
            if self.query_count != 1:
                raise GenerationError(
                    f"{option} is not for a story, which asks about one query: use {name_option('query_count', 1)}, or "
                    f"choose with {name_option('only_queries')}"
                )
            return
        if not 1 <= self.query_count <= tokens:
            raise GenerationError(f"{option} is out of range: use 1 to {tokens}, as many as there are tokens")
        if self.variant.letters["k"] == "tokens" and self.query_count < tokens and not self._can_take_queries_apart():
            raise GenerationError(
                f"{option} leaves tokens without a query, but here every token asks: begin with queries and keys, "
                f"{name_option('begin_with', 'Q,K,V')}, take {name_option('mechanism', 'cross')}, or ask fewer with "
                f"{name_option('only_queries')}"
            )

    def _can_take_queries_apart(self) -> bool:
        """Say whether queries may be more or fewer than what they look at: not where both come from one matrix."""
        try:
            self.variant.apart.build_mechanism()
        except FormulaError:
            return False
        return True

    def _check_padding(self) -> None:
        """Refuse padding that is not there, or that leaves a query nothing to look at."""
        keys = self.all_sizes.get(self.variant.letters["k"], self.all_sizes["tokens"])
        padding = self.variant.padding
        for missing in (key for key in padding if not 1 <= key <= keys):
            raise GenerationError(
                f"{name_option('padding')} names token {missing}, but there are {keys} to look at: name one of them"
            )
        if len(padding) > keys - 2 or (self.variant.is_causal and 1 in padding):
            raise GenerationError(
                f"{name_option('padding')} leaves a query too little to look at: leave it two tokens at least, and "
                f"with {name_option('causal', value=True)} the first"
            )

    def _check_sink(self) -> None:
        """Refuse a sink that takes next to nothing beside drawn scores, or next to all."""
        least, most = DRAWN_SINKS[self.level.is_gentle]
        if self.variant.sink is not None and not least <= self.variant.sink <= most:
            why = "where no drawn score is negative" if self.level.is_gentle else "beside scores that are drawn"
            raise GenerationError(
                f"{name_option('sink', self.variant.sink)} is out of range {why}: use {least} to {most}"
            )

    def _check_top_k(self) -> None:
        """Refuse a choice among as many words as there are, or more."""
        words, top_k = self.all_sizes.get("vocabulary", 0), self.variant.top_k
        if top_k is not None and top_k >= words:
            raise GenerationError(f"{name_option('top_k', top_k)} keeps all {words} words: keep fewer, or leave it out")

    def _check_temperature(self) -> None:
        """Refuse to flatten scores that are small, not negative and the same both ways: equal sums would hide slips."""
        temperature, is_basic = self.variant.temperature, self.variant.mechanism == "basic"
        if temperature is not None and temperature > 1 and is_basic and self.level.is_gentle:
            raise GenerationError(
                f"{name_option('temperature', str(temperature))} leaves too little of the small scores of basic "
                f"attention at this level: use {name_option('level', 'standard')}, or a temperature below 1"
            )

    def _check_sizes(self) -> dict[str, int]:
        words, known = self.variant.embedded_words, list_size_names(self.variant.whole)
        sizes = dict(self.size_overrides)
        if words and sizes.pop("tokens", len(words)) != len(words):
            raise GenerationError(f"{len(words)} words make {len(words)} tokens: leave out {name_option('tokens')}")
        fewest, most = SIZE_LIMITS["tokens"]
        if words and not fewest <= len(words) <= most:
            raise GenerationError(f"there are {len(words)} words: a sheet holds {fewest} to {most}")
        for name, size in sizes.items():
            option = "memory_length" if name == "memory" else name
            if name not in known:
                lacking = "hidden layer" if name == "hidden" else name
                raise GenerationError(
                    f"{self.variant.mechanism} attention has no {lacking}: leave out {name_option(option)}"
                )
            smallest, largest = SIZE_LIMITS[name]
            smallest = max(smallest, MIN_FEATURES) if name == "features" else smallest
            if name == "tokens" and self.variant.blocks:
                smallest = 1  # one query, which is all that is drawn
            if self.variant.has_vocabulary:
                smallest = {"tokens": 1, "vocabulary": MIN_DRAWN_VOCABULARY}.get(name, smallest)
            if not smallest <= size <= largest:
                raise GenerationError(f"{name_option(option, size)} is out of range: use {smallest} to {largest}")
        if self.variant.is_rotary and sizes.get("d_k", 2) % 2:
            raise GenerationError(
                f"{name_option('d_k', sizes['d_k'])} is odd, and rotary positions turn numbers in pairs: "
                f"use {name_option('d_k', sizes['d_k'] + 1)}"
            )
        return sizes

    def _check_positions(self) -> None:
        """Refuse positions that are rounded alike for two tokens of one word: by hand nothing would tell them apart."""
        waves = next((stage for stage in self.mechanism.stages if stage.form is Form.POSITION), None)
        if waves is None:
            return
        columns = transpose(waves.work(Arithmetic(rules=self.rules), {}))
        seen: dict[tuple[str, tuple[Number, ...]], int] = {}
        for position, token in enumerate(zip(self.variant.embedded_words, columns, strict=True)):
            if token in seen:
                raise GenerationError(
                    f"with {len(columns[0])} features the rounded positions of tokens {seen[token] + 1} and "
                    f"{position + 1} "
                    f"are alike, and so are their words, {token[0]!r}: use {name_option('features', 8)}, or other words"
                )
            seen[token] = position

    def _check_distances(self) -> None:
        """Refuse distances that leave far keys powers too small for a pencil: so many places, so many heads."""
        if not self.variant.has_distances:
            return
        seen = min(self.all_sizes["tokens"], self.variant.window or self.all_sizes["tokens"])
        most = min(MAX_DISTANCE, MAX_LOSS // self.variant.head_count) + 1
        if seen > most:
            option = name_option("positions", "distance")
            raise GenerationError(
                f"with {option} a key {seen - 1} places away would lose "
                f"{self.variant.head_count * (seen - 1)}, too much for powers by hand: use {most} tokens at most"
                f"{' or fewer heads' if self.variant.head_count > 1 else ''}, or {name_option('window', most)}"
            )

    @property
    def is_default(self) -> bool:
        """Say whether nothing but the seed shapes the numbers."""
        return self == Request(seed=self.seed)


def make_story_request(
    story: "StoryTemplate",
    seed: int,
    *,
    convention: Convention = Convention.COLUMNS,
    rules: Rules = HAND,
    allow_ties: bool = False,
    query_count: int | None = None,
) -> Request:
    """Return the request for a story: mechanism, level and sizes are its own.

    Args:
        query_count: 1 where nothing but the query is asked that the story is about.
    """
    return Request(
        seed=seed,
        variant=story.variant,
        convention=convention,
        level=story.level,
        size_overrides=tuple(story.sizes.items()),
        rules=rules,
        allow_ties=allow_ties,
        query_count=query_count,
        story=story,
    )


def make_part_request(
    part: "ModelPart",
    seed: int,
    *,
    convention: Convention = Convention.COLUMNS,
    level: Level = Level.STANDARD,
    rules: Rules = HAND,
    allow_ties: bool = False,
    temperature: Fraction | None = None,
) -> Request:
    """Return the request for a part of a whole language model: form and sizes are its own.

    Args:
        temperature: of the next word; None for 1.

    Raises:
        GenerationError: other rules are asked for than those that its numbers were found for, or a temperature that
            they were not found for, or of a part that says no word.
    """
    request = Request(
        seed=seed,
        variant=part.temper(temperature),
        convention=convention,
        level=level,
        size_overrides=tuple(part.sizes.items()),
        rules=rules,
        allow_ties=allow_ties,
        part=part.name,
    )
    if request.rules != request.adapt_rules(HAND):
        raise GenerationError(
            f"{name_option('part', part.name)} goes on with numbers that were worked by the classroom's rules: leave "
            "out other rules"
        )
    return request


def list_size_names(variant: Variant) -> tuple[str, ...]:
    """Return the sizes that can be chosen; words count themselves, and so does one query: its tokens are the keys.

    >>> list_size_names(Variant(embedded_words=("the", "cat")))
    ('features', 'd_k', 'd_v')
    """
    return tuple(
        name
        for name in variant.build_mechanism().size_names
        if not (variant.embedded_words and name == "tokens")
        and not (variant.vocabulary and name == "vocabulary")
        and not (variant.family.has_one_query and name == "memory")
    )
