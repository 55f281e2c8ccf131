"""What a student may have worked from at a stage, and what comes of it, rightly or by a slip."""

from collections.abc import Iterator, Mapping, Sequence

from attnhand.errors import ProblemError
from attnhand.matrix import Matrix, values
from attnhand.mechanisms import Stage
from attnhand.numbers import MINUS_INFINITY
from attnhand.operations import Mask, Power
from attnhand.sheet.sheet import Sheet
from attnhand.slips import Desk, Slip
from attnhand.solution import LARGEST_EXPONENT


def desks(went_on_with: Sequence[Mapping[str, Matrix]], sheet: Sheet, stage: Stage) -> Iterator[Desk]:
    """Yield what the student may have worked from: the numbers as written, and what they stand for."""
    mechanism = sheet.problem.mechanism
    order = [each.name for each in mechanism.stages]
    later = set(order[order.index(stage.name) :])
    seen: list[dict[str, Matrix]] = []
    for numbers in went_on_with:
        known = {name: a for name, a in numbers.items() if name not in later}
        if known not in seen and not _is_beyond_pencils(known, sheet):
            yield Desk(mechanism, stage, sheet.problem.hand, known)
        seen.append(known)


def _is_beyond_pencils(known: dict[str, Matrix], sheet: Sheet) -> bool:
    """Say whether some exponent is so large that its power cannot be written down."""
    exponents = [
        x
        for stage in sheet.problem.mechanism.stages
        if isinstance(stage.operation, Power | Mask)
        for x in values(known.get(stage.reads[0], ()))
    ]
    return any(not -LARGEST_EXPONENT <= x <= LARGEST_EXPONENT for x in exponents if x > MINUS_INFINITY)


def rights(worked_from: Sequence[Desk]) -> Iterator[Matrix]:
    """Yield what follows from what the student worked from."""
    for desk in worked_from:
        try:
            yield desk.right()
        except (ArithmeticError, ProblemError):
            continue


def made_by(slip: Slip, desk: Desk) -> Matrix | None:
    """Return what a slip makes of what lies on the desk; None where it does not apply."""
    try:
        return slip.wrong(desk)
    except KeyError:  # it looks at a stage that comes later
        return None
