"""A simulated class: every slip made at its stage and carried on honestly, and what the marker says."""

from collections import Counter
from decimal import Decimal

import pytest

from attnhand.errors import AttnhandError
from attnhand.make import sheet_from_request
from attnhand.marking.diagnosis import diagnosed
from attnhand.marking.mark import marked
from attnhand.matrix import shape
from attnhand.mechanisms import Convention
from attnhand.numbers import Number, rounded, written
from attnhand.request import Request
from attnhand.sheet.cell_marks import Mark
from attnhand.slips import Desk, slips_at
from attnhand.solution import solve
from tests.forms import FORMS
from tests.marking.test_mark import handed_in, key_of

SEEDS = range(2)
NAMES = ("self", "basic", "cross", "multi-head-2", "block-1", "self-causal", "self-words-positions")
"""Every mechanism, the mask, words and positions."""


def as_students_write(value: Number) -> str:
    """Write what is irrational with six decimals, all else exactly."""
    return rounded(value, 6) if isinstance(value, Decimal) and value.is_finite() else written(value)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("name", NAMES)
def test_a_slip_is_named_and_never_another(name: str, convention: Convention) -> None:
    """Before it all is correct, after it correct or following; it is what is said, or among what is said."""
    told: Counter[str] = Counter()
    for seed in SEEDS:
        sheet = sheet_from_request(Request(seed=seed, form=FORMS[name], convention=convention))
        problem, right = sheet.problem, sheet.solution.hand_values()
        key = key_of(sheet)
        order = list(key)
        for stage in (problem.mechanism.stage(each) for each in order):
            for slip in slips_at(stage):
                wrong = slip.wrong(Desk(problem.mechanism, stage, problem.hand, right))
                if wrong is None or shape(wrong) != shape(right[stage.name]) or wrong == right[stage.name]:
                    continue
                try:
                    carried = solve(problem, instead={stage.name: wrong}).hand_values()
                except (AttnhandError, ArithmeticError):
                    continue
                marks = marked(handed_in({each: carried[each] for each in order}, as_students_write), sheet)
                before = order[: order.index(stage.name)]
                assert all(cell.mark is Mark.CORRECT for cell in marks.cells if cell.stage in before)
                later = {cell.mark for cell in marks.cells if cell.stage in order[order.index(stage.name) + 1 :]}
                trivial = any(cell.note == "trivial" for cell in marks.cells)
                assert later <= {Mark.CORRECT, Mark.FOLLOWS} or trivial, (slip.id, seed)
                (diagnosis,) = diagnosed(marks, sheet) or (None,)
                assert diagnosis is not None, (slip.id, seed)
                assert diagnosis.stage == stage.name
                assert slip.id in diagnosis.slips
                told["named" if diagnosis.is_named else "perhaps" if diagnosis.is_perhaps else "several"] += 1
    assert told["named"] > 0.6 * sum(told.values()), told


def test_random_mistakes_are_given_no_name() -> None:
    """One more in every third cell of a stage is no slip of the catalogue."""
    named = 0
    for seed in range(20):
        sheet = sheet_from_request(Request(seed=seed))
        key = key_of(sheet)
        for stage in ("Q", "S", "A", "Z"):
            changed = tuple(
                tuple(value + (i + 2 * j) % 3 for j, value in enumerate(row)) for i, row in enumerate(key[stage])
            )
            marks = marked(handed_in({**key, stage: changed}), sheet)
            named += sum(each.stage == stage for each in diagnosed(marks, sheet))
    assert named == 0
