"""A stage worked wrongly: what a slip makes of the numbers that a student has before them."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal, localcontext
from functools import lru_cache

from attnhand.attention.formulas.binding import bind_formula, bind_stage
from attnhand.attention.formulas.compiling import Compiled, Lines, compile_formula
from attnhand.attention.formulas.kinds import ExactNumbers, TooLargeError, list_cells
from attnhand.attention.formulas.mechanism import Stage
from attnhand.attention.formulas.nodes import Formula, FormulaError, Letter
from attnhand.attention.formulas.sized import SizedMechanism
from attnhand.attention.formulas.sizes import Length, fit_letters
from attnhand.attention.formulas.slips import OF_ANOTHER_SHAPE, TOLD_WHEN_HIDDEN, Circumstances, Slip
from attnhand.attention.formulas.working import compile_stages
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number, is_finite, to_decimal


@dataclass(frozen=True, slots=True, eq=False)
class StageWork:
    """A stage and what a student has before them there."""

    sized: SizedMechanism
    stage: Stage
    numbers: ExactNumbers
    values: Mapping[str, Lines]
    """Given matrices and the stages worked so far, by name; the student's own where there are any."""

    def has_all(self, names: Iterable[str]) -> bool:
        """Say whether matrices are there, each in the shape of the problem: what is handed in may be ragged."""
        return all(name in self.values and self.sized.fits(name, self.values[name]) for name in names)

    def work(self, compiled: Compiled) -> Lines:
        """Work a formula from these numbers."""
        with localcontext(DECIMAL_CONTEXT):
            return self.numbers.work(compiled, [self.values[name] for name in compiled.reads])

    def work_right(self) -> Lines:
        """Return what the stage should give."""
        return self.work(next(each.compiled for each in compile_stages(self.sized) if each.stage is self.stage))


def work_wrong(at: StageWork, slip: Slip) -> Lines | None:
    """Return what a slip makes of a stage, tokens as columns; None where it does not happen or does not show."""
    for formula in slip.formulas:
        compiled = _compile_slip(at.sized, at.stage, formula)
        if compiled is None:
            continue
        if not all(name in at.numbers.known for name in compiled.known) or not at.has_all(compiled.reads):
            return None
        try:
            right: Lines | None = at.work_right()
        except ArithmeticError:  # a student's own sum of 0: no key to compare with
            right = None
        if not all(holds(_find_circumstances(at, right)) for holds in slip.conditions):
            return None
        try:
            wrong = at.work(compiled)
        except (ArithmeticError, TooLargeError):  # it would divide by zero, or nobody could write it down
            return None
        is_hidden = right is not None and slip.id not in TOLD_WHEN_HIDDEN and are_same(wrong, right)
        return None if is_hidden else wrong
    return None


@lru_cache(maxsize=5_000)
def _compile_slip(sized: SizedMechanism, stage: Stage, formula: Formula) -> Compiled | None:
    """Compile a slip's formula for a stage; None where it has no meaning there, or no shape that fits."""
    mechanism = sized.mechanism
    bound = bind_formula(formula, bind_stage(mechanism, stage), mechanism.lists)
    if bound is None:
        return None
    known: dict[str, Length] = {}
    if formula.topic not in OF_ANOTHER_SHAPE:
        places = zip(bound.indices, sized.lengths[stage.name], strict=True)
        known = {index.name: length for index, length in places if isinstance(index, Letter)}
    usual = {letter: sized.all_sizes[name] for letter, name in mechanism.letters.items() if name in sized.all_sizes}
    try:
        letters = fit_letters(bound, sized.lengths, known, usual)
    except FormulaError:  # a letter would run to two sizes: the matrices do not fit one another
        return None
    sizes = {name: int(length) for name, length in letters.items()}
    return compile_formula(bound, sizes, mechanism.families, sized.lists)


def _find_circumstances(at: StageWork, right: Lines | None) -> Circumstances:
    binding = bind_stage(at.sized.mechanism, at.stage)
    matrices = {name: at.values[matrix] for name, matrix in binding.names.items() if matrix in at.values}
    if right is not None:
        matrices["own"] = right
    arithmetic = at.numbers.arithmetic
    return Circumstances(arithmetic.rules, arithmetic.d_k, "window" in at.numbers.known, matrices)


_TOLERANCE = Decimal("1e-30")


def are_same(one: Lines, other: Lines) -> bool:
    """Say whether two matrices hold the same numbers, irrational ones up to the last of their 40 digits."""
    pairs = zip(list_cells(one), list_cells(other), strict=False)
    return _measure(one) == _measure(other) and all(_is_same(x, y) for x, y in pairs)


def _measure(lines: Lines) -> tuple[int, ...]:
    return (len(lines), len(lines[0])) if isinstance(lines[0], tuple) else (len(lines),)


def _is_same(x: Number, y: Number) -> bool:
    if x == y or not (isinstance(x, Decimal) or isinstance(y, Decimal)) or not (is_finite(x) and is_finite(y)):
        return x == y
    a, b = to_decimal(x), to_decimal(y)
    return abs(a - b) <= _TOLERANCE * max(abs(a), abs(b))
