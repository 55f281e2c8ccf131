"""What is given: matrices, a mechanism, a convention and the house rules."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from unicodedata import normalize

from attnhand.attention.arithmetic import EXACT, HAND, Arithmetic, Rules, Scale
from attnhand.attention.matrix import Matrix, shape, transposed
from attnhand.attention.mechanisms import SELF, Axis, Convention, Form, Given, Mechanism
from attnhand.attention.mechanisms.embedding import TABLE
from attnhand.errors import ProblemError

SIZE_LIMITS: Mapping[str, tuple[int, int]] = {
    "tokens": (2, 12),
    "features": (1, 12),
    "d_k": (1, 8),
    "d_v": (1, 8),
    "memory": (2, 12),
    "hidden": (1, 8),
    "vocabulary": (1, 12),
}
"""Smallest and largest size that can be worked by hand and printed legibly."""

LARGEST_ENTRY = 9999
"""The largest magnitude of a given number that fits its cell."""

MOST_DENOMINATOR = 10**6
"""Given numbers have at most six decimals, or a denominator of at most a million."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Problem:
    """One problem, checked: its matrices fit one another."""

    form: Form = SELF
    """The mechanism, its heads, its mask, its words."""

    convention: Convention = Convention.COLUMNS
    given: tuple[tuple[str, Matrix], ...]
    """Matrices by name, in the mechanism's order and the problem's convention."""

    rules: Rules = HAND
    words: tuple[str, ...] = ()
    """A label for each token, or none at all; accents are part of their letters, as fonts have them (NFC)."""

    title: str = ""
    decimal_notation: bool = False
    """The numbers were given as decimals, so results that end are printed as decimals too."""

    mechanism: Mechanism = field(init=False, compare=False, hash=False, repr=False)
    """The list of stages in this form and convention."""

    sizes: Mapping[str, int] = field(init=False, compare=False, hash=False)
    """Sizes by name: tokens, features, d_k, d_v, …"""

    def __post_init__(self) -> None:
        built = self.form.build(_features(self)).in_convention(self.convention)
        object.__setattr__(self, "mechanism", built)
        if not built.is_scaled:
            object.__setattr__(self, "rules", replace(self.rules, scale=Scale.NONE))
        words = self.form.embedded or self.words
        object.__setattr__(self, "words", tuple(normalize("NFC", word) for word in words))
        object.__setattr__(self, "title", normalize("NFC", self.title))
        object.__setattr__(self, "sizes", _fitted_sizes(self))
        for name, a in self.given:
            _check_entries(name, a)
        if self.words and len(self.words) != self.sizes["tokens"]:
            raise ProblemError(
                f"there are {len(self.words)} words for {self.sizes['tokens']} tokens: "
                "give one word for each token, or none"
            )

    def __getitem__(self, name: str) -> Matrix:
        """Return the given matrix of that name."""
        return dict(self.given)[name]

    @property
    def hand(self) -> Arithmetic:
        """The classroom's arithmetic for this problem."""
        return Arithmetic(rules=self.rules, d_k=self.sizes.get("d_k", 1))

    @property
    def exact(self) -> Arithmetic:
        """The textbook's arithmetic for this problem."""
        return Arithmetic(rules=EXACT, d_k=self.sizes.get("d_k", 1), rounds_positions=False)

    def length(self, axis: Axis) -> int:
        """Return how many lines that side of a matrix has."""
        return self.sizes.get(axis.size, 1) * axis.times

    def transposed(self) -> "Problem":
        """Return the same problem in the other convention."""
        to = Convention.ROWS if self.convention is Convention.COLUMNS else Convention.COLUMNS
        return replace(
            self,
            convention=to,
            given=tuple((name, transposed(a)) for name, a in self.given),
        )


def _check_entries(name: str, a: Matrix) -> None:
    for i, row in enumerate(a, 1):
        for j, value in enumerate(row, 1):
            where = f"{name}, row {i}, column {j}"
            if not -LARGEST_ENTRY <= value <= LARGEST_ENTRY:
                raise ProblemError(
                    f"{where} is {value}: numbers beyond ±{LARGEST_ENTRY} cannot be printed legibly; use smaller ones"
                )
            if value.as_integer_ratio()[1] > MOST_DENOMINATOR:
                raise ProblemError(f"{where} has too many decimals: round it to six places")


def _features(problem: Problem) -> int:
    """Return how many features the table of words has; 0 where there is none."""
    table = dict(problem.given).get(TABLE)
    if table is None:
        return 0
    return shape(table)[0 if problem.convention is Convention.COLUMNS else 1]


def _fitted_sizes(problem: Problem) -> dict[str, int]:
    """Read the sizes off the matrices, refusing those that do not fit together."""
    sizes: dict[str, int] = {}
    origin: dict[str, str] = {}
    if words := problem.form.embedded:
        sizes["tokens"], origin["tokens"] = len(words), f"there are {len(words)} words"
    given = dict(problem.given)
    for wanted in problem.mechanism.given:
        if wanted.name not in given:
            raise ProblemError(f"{wanted.name} is missing: {_wish(wanted, sizes)}")
        for side, axis, length in zip(
            ("rows", "columns"), (wanted.rows, wanted.columns), shape(given[wanted.name]), strict=True
        ):
            if axis.size == "one":
                known = 1
                why = f"{wanted.name} is one number for each line"
            else:
                known = sizes.setdefault(axis.size, length // axis.times) * axis.times
                origin.setdefault(axis.size, f"{wanted.name} has {length} {side}")
                why = origin[axis.size]
            if known != length:
                rows, columns = shape(given[wanted.name])
                meant = axis.size if axis.times == 1 else f"{axis.times} heads × {axis.size}"
                raise ProblemError(
                    f"{wanted.name} is {rows} × {columns} but its {side} must be {known} ({meant}), because "
                    f"{why}: give {wanted.name} {known} {side}"
                )
            smallest, largest = SIZE_LIMITS.get(axis.size, (1, 1))
            if not smallest <= length // axis.times <= largest:
                raise ProblemError(
                    f"{wanted.name} has {length} {side}, so {axis.size} would be {length}: "
                    f"it can be {smallest} to {largest}"
                )
    fewest, most = SIZE_LIMITS["tokens"]
    if not fewest <= sizes["tokens"] <= most:
        raise ProblemError(f"{origin['tokens']}: a sheet has {fewest} to {most} tokens")
    if unknown := [name for name in given if name not in {wanted.name for wanted in problem.mechanism.given}]:
        names = ", ".join(wanted.name for wanted in problem.mechanism.given)
        raise ProblemError(f"{unknown[0]} is not a matrix of this mechanism ({problem.mechanism.name}): it has {names}")
    return sizes


def _wish(wanted: Given, sizes: Mapping[str, int]) -> str:
    rows, columns = (str(sizes.get(axis.size, axis.size)) for axis in (wanted.rows, wanted.columns))
    return f"add {wanted.name}, {rows} rows by {columns} columns"
