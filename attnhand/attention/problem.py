"""What is given: matrices, a mechanism, a convention and the house rules."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from attnhand.attention.arithmetic import HAND, Arithmetic, Rules, ScaleRule, Waves
from attnhand.attention.convention import Convention
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.formulas.working import work_stages
from attnhand.attention.matrix import Matrix, shape, transpose
from attnhand.attention.mechanisms import ANY_MOVED, DEFAULT_VARIANT, Dimension, GivenMatrix, Mechanism, Variant
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME
from attnhand.attention.mechanisms.settings import MAX_KEPT, MIN_KEPT
from attnhand.attention.story import Story
from attnhand.errors import ProblemError, is_visible, name_option

SIZE_LIMITS: Mapping[str, tuple[int, int]] = {
    "tokens": (2, 12),
    "features": (1, 12),
    "d_k": (1, 8),
    "d_v": (1, 8),
    "memory": (2, 12),
    "kept": (MIN_KEPT, MAX_KEPT),
    "hidden": (1, 8),
    "vocabulary": (1, 12),
}
"""Smallest and largest size that can be worked by hand and printed legibly."""

MASK_NAME = "mask"
"""The given matrix that says which tokens a query sees."""

TARGET_NAME = "y"
"""The given matrix that says which word came next: 1 for that, 0 for all others."""

MIN_VOCABULARY = 2
"""Of one word nothing is to be chosen."""

MAX_ENTRY = 9999
"""The largest magnitude of a given number that fits its cell."""

MAX_DENOMINATOR = 10**6
"""Given numbers have at most five decimals, or a denominator of at most a million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem, checked: its matrices fit one another."""

    variant: Variant = DEFAULT_VARIANT
    """The mechanism, its heads, its mask, its words."""

    convention: Convention = Convention.COLUMNS
    given: tuple[tuple[str, Matrix], ...]
    """Matrices by name, in the mechanism's order and the problem's convention."""

    rules: Rules = HAND
    words: tuple[str, ...] = ()
    """A label for each token, or none at all; accents are part of their letters, as fonts have them (NFC)."""

    title: str = ""
    has_decimal_notation: bool = False
    """The numbers were given as decimals, so results that end are printed as decimals too."""

    story: Story | None = None
    """What its numbers mean; None where they mean nothing."""

    mechanism: Mechanism = field(init=False, compare=False, hash=False, repr=False)
    """The list of stages in this form and convention."""

    sizes: Mapping[str, int] = field(init=False, compare=False, hash=False)
    """Sizes by name: tokens, features, d_k, d_v, …"""

    moved: tuple[int, ...] = field(init=False, compare=False, hash=False, repr=False)
    """The words, from 1, whose rows of W_U a step of learning works: that which came, and the likeliest other."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "variant", replace(self.variant, mask=_read_mask(self)))
        if not can_scale(self.variant, self.rules):
            object.__setattr__(self, "rules", replace(self.rules, scale=ScaleRule.NONE))
        object.__setattr__(self, "variant", self.variant.follow(self.rules))
        refuse_target(self.variant, dict(self.given))
        built = self.variant.build_mechanism(_count_features(self)).convert_to(self.convention)
        object.__setattr__(self, "mechanism", built)
        words = self.variant.embedded_words or self.words
        object.__setattr__(self, "words", tuple(normalize("NFC", word) for word in words))
        if unseen := next((at for at, word in enumerate(self.words, 1) if not is_visible(word)), 0):
            raise ProblemError(f"word {unseen} is empty, or nobody can see it: write another")
        object.__setattr__(self, "title", normalize("NFC", self.title))
        object.__setattr__(self, "sizes", _derive_sizes(self))
        for name, a in self.given:
            _check_entries(name, a)
        object.__setattr__(self, "moved", _find_moved(self))
        if self.moved:
            built = self.variant.build_mechanism(moved=self.moved).convert_to(self.convention)
            object.__setattr__(self, "mechanism", built)
        if self.words and self.variant.blocks:
            raise ProblemError(
                "online attention has keys that come in blocks, with no words of their own: leave out "
                f"{name_option('words')}"
            )
        named = self.sizes[self.named_size]
        if self.words and len(self.words) != named:
            of = "row of W_U" if self.variant.has_vocabulary else "token"
            raise ProblemError(
                f"there are {len(self.words)} words for {named} {of}s: give one word for each {of}, or none"
            )
        if self.story is not None:
            _check_story(self, self.story)

    def __getitem__(self, name: str) -> Matrix:
        """Return the given matrix of that name."""
        return dict(self.given)[name]

    @property
    def hand_arithmetic(self) -> Arithmetic:
        """The classroom's arithmetic for this problem."""
        return Arithmetic(rules=self.rules, d_k=self.sizes.get("d_k", 1))

    @property
    def exact_arithmetic(self) -> Arithmetic:
        """The textbook's arithmetic for this problem: its own rules, without shortcuts."""
        return Arithmetic(rules=self.exact_rules, d_k=self.sizes.get("d_k", 1), waves=Waves.EXACT)

    @property
    def exact_rules(self) -> Rules:
        """This problem's own rules without shortcuts: no √d_k where nothing is divided, or where d_k is not known."""
        rules = self.rules.without_shortcuts
        return rules if "d_k" in self.sizes else replace(rules, scale=self.rules.scale)

    @property
    def named_size(self) -> str:
        """What its words name: tokens, or a vocabulary; those that are looked at, where queries are given apart."""
        return self.variant.named_size

    @property
    def key_count(self) -> int:
        """How many there are to look at: tokens, those of a memory, or words of a vocabulary."""
        return self.sizes.get(self.variant.letters["k"], self.sizes["tokens"])

    def count_before(self, dimension: Dimension) -> int:
        """Return how many tokens stand before the first of a side: those in the cache, or in the blocks before."""
        in_cache = (self.variant.cache or 0) if dimension.size_name == "tokens" else 0
        return in_cache + (dimension.block - 1) * self.get_length(dimension)

    def get_words(self, dimension: Dimension) -> tuple[str, ...]:
        """Return the words of the tokens along a side; none where it has no tokens that are named."""
        if dimension.size_name == self.named_size:
            return self.words
        if dimension.size_name == "moved":
            return tuple(self.words[word - 1] for word in self.moved) if self.words else ()
        if self.variant.has_cache and dimension.size_name in ("tokens", "kept"):
            first = self.count_before(dimension)
            return self.words[first : first + self.get_length(dimension)]
        return ()

    def get_length(self, dimension: Dimension) -> int:
        """Return how many rows or columns that side of a matrix has."""
        if dimension.size_name == "moved":
            return len(self.moved)
        return self.sizes.get(dimension.size_name, 1) * dimension.multiplier

    def transpose(self) -> "Problem":
        """Return the same problem in the other convention."""
        return replace(
            self, convention=self.convention.mirrored, given=tuple((name, transpose(a)) for name, a in self.given)
        )


def refuse_target(variant: Variant, names: Collection[str]) -> None:
    """Refuse the word that came where no loss is worked from it.

    Args:
        names: of what is given.
    """
    if variant.has_vocabulary and not variant.has_loss and TARGET_NAME in names:
        raise ProblemError(
            f"{TARGET_NAME} says which word came, but the loss is at temperature 1 and of all words: leave out "
            f"{TARGET_NAME}, or temperature and top-k"
        )


def can_scale(variant: Variant, rules: Rules) -> bool:
    """Say whether these rules say what scores are divided by: √d_k is not known where scores are given."""
    mechanism = replace(variant, is_scaled=True).build_mechanism()
    return mechanism.is_scaled and ("d_k" in mechanism.size_names or not isinstance(rules.scale, ScaleRule))


def _read_mask(problem: Problem) -> tuple[tuple[int, ...], ...]:
    """Return the given mask, a row a key; empty where there is none."""
    given = dict(problem.given).get(MASK_NAME)
    if given is None:
        return ()
    for i, row in enumerate(given, 1):
        for j, value in enumerate(row, 1):
            if value not in (0, 1):
                raise ProblemError(
                    f"{MASK_NAME}, row {i}, column {j} is {value}: write 1 where a token may be seen, 0 where not"
                )
    return tuple(tuple(map(int, row)) for row in (transpose(given) if problem.convention.is_rows else given))


def _check_story(problem: Problem, story: Story) -> None:
    """Refuse a story that does not fit the matrices: every name has its vector, and what is asked is there."""
    if not problem.mechanism.attentions:
        raise ProblemError("the story asks where a token looks, and no weights are worked: leave out the story")
    sizes, heads = problem.sizes, problem.mechanism.head_count
    keys = sizes.get("memory", sizes["tokens"])
    for what, names, size in (
        ("feature", story.feature_names, sizes["features"]),
        ("memory word", story.memory_words, sizes.get("memory", 0)),
        ("value", story.value_names, _count_values(problem)),
    ):
        if len(names) != size and (names or what == "feature"):
            raise ProblemError(f"the story names {len(names)} {what}s, but there are {size}: name each of them once")
    given = {each.name: each for each in problem.mechanism.given}
    for weights, names in story.row_names:
        if weights not in given:  # a sheet may begin with what they make
            continue
        size = problem.get_length(given[weights].columns if problem.convention.is_rows else given[weights].rows)
        if len(names) != size:
            raise ProblemError(f"the story names {len(names)} rows of {weights}, which has {size}: name each of them")
    if story.wants and len(story.wants) != max(heads, 1):
        raise ProblemError(f"the story says what {len(story.wants)} heads want, but there are {heads}: say it of each")
    if any(len(signs) != sizes["features"] for wants in story.wants for each in wants for signs in each.signs):
        raise ProblemError(f"the story wants by other features than the {sizes['features']}: write a sign for each")
    if not 0 <= story.query < sizes["tokens"]:
        raise ProblemError(f"the story asks token {story.query + 1} of {sizes['tokens']}: name one that is there")
    if not (1 <= story.head <= heads if heads > 1 else story.head == 0):
        raise ProblemError(
            f"the story asks head {story.head} of {heads}: name one of several, and none where there is one"
        )
    if not story.answers or not all(0 <= answer < keys for answer in story.answers):
        raise ProblemError(
            f"the story needs possible answers among the {keys} tokens that can be looked at: name some of them"
        )


def _count_values(problem: Problem) -> int:
    """Return how many numbers an output has: none where no values are mixed."""
    mixes = any(attention.outputs for attention in problem.mechanism.attentions)
    return problem.sizes.get("d_v", problem.sizes["features"]) if mixes else 0


def _check_entries(name: str, a: Matrix) -> None:
    for i, row in enumerate(a, 1):
        for j, value in enumerate(row, 1):
            where = f"{name}, row {i}, column {j}"
            if not -MAX_ENTRY <= value <= MAX_ENTRY:
                raise ProblemError(
                    f"{where} is {value}: numbers beyond ±{MAX_ENTRY} cannot be printed legibly; use smaller ones"
                )
            if value.as_integer_ratio()[1] > MAX_DENOMINATOR:
                raise ProblemError(f"{where} has too many decimals: round it to six places")


def _find_moved(problem: Problem) -> tuple[int, ...]:
    """Return which rows of W_U a step works; of words that are as likely as one another the first."""
    if problem.variant.learning_rate is None:
        return ()
    given = problem.mechanism.take_in(dict(problem.given))
    ranked = next((name for name in ("g", "p", "powers", "logits") if name in given), "logits")
    try:
        numbers = make_exact_numbers(problem.hand_arithmetic)
        known = work_stages(problem.mechanism.formulas, numbers, given, last_stage=ranked)
    except ArithmeticError:  # a root of 0, which is refused where the stages are worked
        return ANY_MOVED
    came = [share for (share,) in known[TARGET_NAME]].index(1)
    likeliness = [number for (number,) in known[ranked]]
    others = [word for word in range(len(likeliness)) if word != came]
    return came + 1, max(others, key=likeliness.__getitem__) + 1


def _count_features(problem: Problem) -> int:
    """Return how many features the table of words has; 0 where there is none."""
    table = dict(problem.given).get(EMBEDDING_NAME)
    return 0 if table is None else shape(table)[problem.convention.is_rows]


def _derive_sizes(problem: Problem) -> dict[str, int]:
    """Read the sizes off the matrices, refusing those that do not fit together."""
    sizes: dict[str, int] = {}
    origins: dict[str, str] = {}
    if words := problem.variant.embedded_words:
        sizes["tokens"], origins["tokens"] = len(words), f"there are {len(words)} words"
    given = dict(problem.given)
    called = {"tokens": "queries", "memory": "keys"} if problem.variant.has_memory else {}
    if problem.variant.blocks:
        called = {"tokens": "queries", "memory": "keys of a block"}
    for expected in problem.mechanism.given:
        if expected.name not in given:
            raise ProblemError(f"{expected.name} is missing: {_suggest_matrix(expected, sizes, called)}")
        for side, axis, length in zip(
            ("rows", "columns"), (expected.rows, expected.columns), shape(given[expected.name]), strict=True
        ):
            if axis.size_name == "one":
                known = 1
                why = f"{expected.name} is one number for each line"
            else:
                known = sizes.setdefault(axis.size_name, length // axis.multiplier) * axis.multiplier
                origins.setdefault(axis.size_name, f"{expected.name} has {length} {side}")
                why = origins[axis.size_name]
            if known != length:
                rows, columns = shape(given[expected.name])
                size_name = called.get(axis.size_name, axis.size_name)
                meant = size_name if axis.multiplier == 1 else f"{axis.multiplier} heads × {size_name}"
                raise ProblemError(
                    f"{expected.name} is {rows} × {columns} but its {side} must be {known} ({meant}), because "
                    f"{why}: give {expected.name} {known} {side}"
                )
            smallest, largest = SIZE_LIMITS.get(axis.size_name, (1, 1))
            if axis.size_name == "tokens" and problem.variant.letters["k"] != "tokens":
                smallest = 1  # one query is a sheet, one token to look at is none
            if axis.size_name == "vocabulary" and problem.variant.has_vocabulary:
                smallest = MIN_VOCABULARY
            if not smallest <= length // axis.multiplier <= largest:
                raise ProblemError(
                    f"{expected.name} has {length} {side}, so {called.get(axis.size_name, axis.size_name)} would be "
                    f"{length}: "
                    f"it can be {smallest} to {largest}"
                )
    if (kept := problem.variant.cache) is not None:
        _check_cache(kept, sizes)
        sizes["memory"] = kept + 1
    if problem.variant.learning_rate is not None and sizes["tokens"] != 1:
        raise ProblemError(
            f"a step is learned from the word after one token, and there are {sizes['tokens']}: give one"
        )
    if problem.variant.is_rotary and sizes["d_k"] % 2:
        raise ProblemError(
            f"{origins['d_k']}, so d_k is odd, and rotary positions turn numbers in pairs: give queries and keys an "
            "even number of them"
        )
    for needed, things in (("tokens", "queries"), (problem.variant.named_size, "words")):
        if needed not in sizes:
            raise ProblemError(f"no {things} are on a sheet that ends with {problem.variant.ends_with}: end it later")
    fewest, most = SIZE_LIMITS["tokens"]
    if not fewest <= sizes["tokens"] <= most and problem.variant.letters["k"] == "tokens":
        raise ProblemError(f"{origins['tokens']}: a sheet has {fewest} to {most} tokens")
    _check_mask(problem, sizes)
    _check_vocabulary(problem, sizes)
    if unknown := [name for name in given if name not in {expected.name for expected in problem.mechanism.given}]:
        names = ", ".join(expected.name for expected in problem.mechanism.given)
        raise ProblemError(f"{unknown[0]} is not a matrix of this mechanism ({problem.mechanism.name}): it has {names}")
    return sizes


def _check_cache(kept: int, sizes: Mapping[str, int]) -> None:
    """Refuse a cache that holds another number of tokens than is said, and more than one new token."""
    if sizes.get("kept", kept) != kept:
        raise ProblemError(f"the cache holds {sizes['kept']} tokens, not {kept}: write the number that it holds")
    if sizes["tokens"] != 1:
        raise ProblemError(
            f"there are {sizes['tokens']} new tokens: give one, and put the others into K_cache and V_cache"
        )


def _check_mask(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Refuse padding that is not there, and a mask that hides every token from a query."""
    keys = sizes.get(problem.variant.letters["k"], sizes["tokens"])
    for missing in (key for key in problem.variant.padding if not 1 <= key <= keys):
        raise ProblemError(f"token {missing} is padding, but there are {keys} tokens to look at: name one of them")
    for attention in problem.mechanism.attentions:
        if (mask := problem.mechanism.find_stage(attention.masked)) is None:
            continue
        for query in range(sizes["tokens"]):
            places = [(query, key) if problem.convention.is_rows else (key, query) for key in range(keys)]
            if all(mask.hides(*place) for place in places):
                raise ProblemError(
                    f"query {query + 1} sees no token, so its weights add to nothing: let the mask leave it one"
                )


def _check_vocabulary(problem: Problem, sizes: Mapping[str, int]) -> None:
    """Refuse a next word that is none, or several, and a choice among more words than there are."""
    top_k, given = problem.variant.top_k, dict(problem.given)
    if top_k is not None and top_k >= sizes["vocabulary"]:
        raise ProblemError(
            f"{name_option('top_k', top_k)} keeps all {sizes['vocabulary']} words: keep fewer, or leave it out"
        )
    if not problem.variant.has_loss or TARGET_NAME not in given:
        return
    columns = given[TARGET_NAME] if problem.convention.is_rows else transpose(given[TARGET_NAME])
    for at, column in enumerate(columns, 1):
        if sorted(column) != [*[0] * (len(column) - 1), 1]:
            side = "row" if problem.convention.is_rows else "column"
            raise ProblemError(
                f"{TARGET_NAME}, {side} {at} does not name one word: write 1 for the word that came next, 0 for all "
                "others"
            )


def _suggest_matrix(given_matrix: GivenMatrix, sizes: Mapping[str, int], called: Mapping[str, str]) -> str:
    rows, columns = (_name_length(axis, sizes, called) for axis in (given_matrix.rows, given_matrix.columns))
    return f"add {given_matrix.name}, {rows} rows by {columns} columns"


def _name_length(axis: Dimension, sizes: Mapping[str, int], called: Mapping[str, str]) -> str:
    """Return how long a side has to be, as a number where the size is known.

    >>> _name_length(Dimension("d_v", "", 2), {"d_v": 1}, {}), _name_length(Dimension("d_v", "", 2), {}, {})
    ('2', '2 · d_v')
    """
    if axis.size_name in sizes:
        return str(sizes[axis.size_name] * axis.multiplier)
    name = called.get(axis.size_name, axis.size_name)
    if name != axis.size_name:
        return f"as many as there are {name}"
    return name if axis.multiplier == 1 else f"{axis.multiplier} · {name}"
