"""One stage of a problem as it is looked at, before anybody says whether it is good."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property

from attnhand.arithmetic import Scale
from attnhand.levels import Requirements
from attnhand.matrix import Matrix, transposed
from attnhand.mechanisms import Mechanism, Stage
from attnhand.numbers import MINUS_INFINITY, Number
from attnhand.operations import Power, ScaleScores
from attnhand.slips import Desk


@dataclass(frozen=True)
class Worked:
    """One stage as it stands to be looked at, in the columns convention; it is worked when what comes out is asked."""

    desk: Desk
    requirements: Requirements

    @cached_property
    def result(self) -> Matrix | None:
        """What comes out, as far as integers and fractions go; None where it would be irrational.

        Division by a root keeps the order of the scores, so the scores themselves stand in for it.
        """
        rules = self.desk.arithmetic.rules
        if isinstance(self.desk.operation, ScaleScores) and rules.scale is Scale.SQRT:
            return self.inputs[0]
        if isinstance(self.desk.operation, Power) and not rules.is_rational:
            return None
        return self.desk.right()

    @property
    def output(self) -> Matrix:
        """What comes out, for those who ask only where there is a result."""
        assert self.result is not None
        return self.result

    @property
    def inputs(self) -> tuple[Matrix, ...]:
        """What the stage reads."""
        return self.desk.inputs

    @cached_property
    def visible(self) -> tuple[tuple[Number, ...], ...]:
        """For each query, the exponents that no mask hides."""
        return tuple(
            tuple(score for score in column if score > MINUS_INFINITY) for column in transposed(self.inputs[0])
        )


def worked_stages(
    mechanism: Mechanism, stages: Iterable[Stage], known: dict[str, Matrix], requirements: Requirements
) -> Iterator[Worked]:
    """Work stages one after another; what comes out joins ``known``, and what reads the irrational is passed over."""
    for stage in stages:
        if set(stage.reads) <= known.keys():
            worked = Worked(Desk(mechanism, stage, requirements.arithmetic, known), requirements)
            yield worked
            if worked.result is not None:
                known[stage.name] = worked.result
