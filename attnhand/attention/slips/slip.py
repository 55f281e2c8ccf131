"""One mistake: a formula that stands where another one belongs."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import localcontext

from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.matrix import Matrix, flatten, shape, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import DECIMAL_CONTEXT, is_same_number
from attnhand.attention.slips.context import StageContext

Condition = Callable[[StageContext], bool]


@dataclass(frozen=True, slots=True, kw_only=True)
class Slip:
    """One mistake, wherever it happens."""

    id: str
    """The name used in reports and answer files."""

    lines: tuple[tuple[tuple[str, ...], str], ...]
    """Formulas, each with the places where it stands: topics of stages, or what their products are for."""

    conditions: tuple[Condition, ...] = ()
    """When it can happen, where its formula does not say so itself."""

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
        return tuple(line for places, line in self.lines if stage.topic in places or stage.role in places)

    def applies_to(self, stage: Stage) -> bool:
        """Say whether this slip can happen at that stage."""
        return bool(self.list_lines(stage))

    def compute_wrong(self, context: StageContext) -> Matrix | None:
        """Return what comes out, in the convention of the sheet; None where the slip does not apply."""
        with localcontext(DECIMAL_CONTEXT):
            result = self._work_in_columns(context)
        return transpose(result) if result is not None and context.is_rows else result

    def _work_in_columns(self, context: StageContext) -> Matrix | None:
        if not context.has_inputs:
            return None
        for formula in context.binding.bind(self.id, self.list_lines(context.stage)):
            if not context.has_all(formula.reads):
                return None
            compiled = context.compile(formula, has_same_shape=self.has_same_shape)
            if compiled is None:
                continue
            known = context.numbers.known
            if not known.keys() >= {*compiled.known} or not all(holds(context) for holds in self.conditions):
                return None
            try:
                worked = context.work(formula, compiled)
            except ArithmeticError:  # it would divide by zero
                return None
            wrong = worked if isinstance(worked[0], tuple) else (worked,)
            right = None if self.applies_when_hidden else context.right
            return None if right is not None and _are_same(wrong, right) else wrong
        return None


def _are_same(one: Lines, other: Lines) -> bool:
    return shape(one) == shape(other) and all(map(is_same_number, flatten(one), flatten(other)))
