"""One mistake: a formula that stands where another one belongs."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import localcontext
from enum import StrEnum

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.formulas.bound import BoundFormula
from attnhand.attention.formulas.compiling import Compiled, Lines
from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT, is_finite, is_same_number
from attnhand.attention.slips.context import StageContext

Condition = Callable[[StageContext], bool]

BIASED = "with a bias"
"""The place of a slip that happens where a bias is added to a product."""


class Need(StrEnum):
    """What a slip may need of a matrix, to be another thing than right work."""

    ASYMMETRIC = "asymmetric"
    NEGATIVE = "negative"
    RAISABLE = "raisable"
    """All its powers can be written down."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One mistake, wherever it happens."""

    id: str
    """The name used in reports and answer files."""

    lines: tuple[tuple[tuple[str, ...], str], ...]
    """Formulas, each with the places where it stands: topics or forms of stages, what products are for, or a bias."""

    condition: Condition | None = None
    """Whether it can happen by the rules and the form, where its formula does not say so itself."""

    need: tuple[str, Need] | None = None
    """What it needs of a matrix, named as in its formula."""

    has_same_shape: bool = True
    """Whether it comes out in the shape of the stage. If so, it does not apply where another shape would come out."""

    applies_when_hidden: bool = False
    """Whether it also gives what equals the key.

    Subtle: recipe 1 refuses a draw that hides one of its slips, so for those a hidden slip is not one that does not
    apply. No other slip may say so.
    """

    @property
    def places(self) -> tuple[str, ...]:
        """Where it happens."""
        return tuple(dict.fromkeys(place for places, _ in self.lines for place in places))

    def list_lines(self, stage: Stage) -> tuple[str, ...]:
        """Return its formulas at a stage."""
        has_bias = stage.product is not None and len(stage.factor_names) > 2
        at = {stage.topic, stage.form, stage.role, *([BIASED] if has_bias else [])}
        return tuple(line for places, line in self.lines if not at.isdisjoint(places))

    def applies_to(self, stage: Stage) -> bool:
        """Say whether this slip can happen at that stage."""
        return bool(self.list_lines(stage))

    def find_formula(self, context: StageContext) -> tuple[BoundFormula, Compiled] | None:
        """Return the first of its formulas that has a meaning at a stage and fits; None where it cannot happen.

        What it needs of the numbers is left open.
        """
        for formula in context.binding.bind(self.id, self.list_lines(context.stage)):
            if not context.has_all(formula.reads):
                return None
            compiled = context.compile(formula, has_same_shape=self.has_same_shape)
            if compiled is None:
                continue
            can_happen = self.condition is None or self.condition(context)
            is_known = context.numbers.known.keys() >= {*compiled.known}
            return (formula, compiled) if can_happen and is_known else None
        return None

    def compute_wrong(self, context: StageContext) -> Matrix | None:
        """Return what comes out, in the convention of the sheet; None where the slip does not apply."""
        with localcontext(DECIMAL_CONTEXT):
            result = self._work_in_columns(context)
        return transpose(result) if result is not None and context.is_rows else result

    def _work_in_columns(self, context: StageContext) -> Matrix | None:
        found = self.find_formula(context) if context.has_inputs else None
        if found is None or not self._is_met(context):
            return None
        try:
            worked = context.work(*found)
        except ArithmeticError:  # it would divide by zero
            return None
        wrong = worked if isinstance(worked[0], tuple) else (worked,)
        right = None if self.applies_when_hidden else context.right
        return None if right is not None and _are_same(wrong, right) else wrong

    def _is_met(self, context: StageContext) -> bool:
        """Say whether the numbers are as it needs them."""
        return self.need is None or _fulfils(context.get_lines(self.need[0]), self.need[1], context.arithmetic)


def _fulfils(lines: Lines, need: Need, arithmetic: Arithmetic) -> bool:
    """Say whether a matrix, tokens as columns, is as a slip needs it."""
    match need:
        case Need.ASYMMETRIC:
            return len(lines) == len(lines[0]) and lines != tuple(zip(*lines, strict=True))
        case Need.NEGATIVE:
            return any(value < 0 and is_finite(value) for value in flatten(lines))
        case Need.RAISABLE:
            return arithmetic.can_raise(flatten(lines))


def _are_same(one: Lines, other: Lines) -> bool:
    return shape(one) == shape(other) and all(map(is_same_number, flatten(one), flatten(other)))
