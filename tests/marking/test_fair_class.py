"""Students of every kind, judged by arithmetic that shares nothing with the program."""

from attnhand.formats.answers import Answers
from attnhand.marking.checked import check_answers
from tests.marking.fair_class import KINDS, Tally, draw_students, judge, run_class


def test_nobody_is_marked_unjustly() -> None:
    """Two of each kind: what was worked honestly counts, no slip is named that nobody made, and slips are found."""
    tallies = run_class(2 * len(KINDS), seed=3)
    assert {kind: tally.examples for kind, tally in tallies.items() if tally.examples} == {}
    assert all(tally.students == 2 and tally.cells for tally in tallies.values())
    assert sum(tally.found for tally in tallies.values()) >= 5
    for kind in ("honest", "transposed", "exact", "three decimals"):
        assert tallies[kind].earned == 2, kind


def test_the_judge_sees_what_is_unjust() -> None:
    """A right cell that is crossed, and a slip that is named though nobody made it."""
    ((_, student),) = draw_students(1, 2, ("one slip",))  # it shows in more than a cell
    texts = {name: tuple(map(tuple, rows)) for name, rows in student.texts.items()}
    result = check_answers(Answers(code=None, stages=texts), student.sheet)
    fair, unjust = Tally(), Tally()
    judge(student, result, fair)
    assert (fair.crosses, fair.accusations, fair.found) == (0, 0, 1)
    student.dishonest.clear()
    student.slips.clear()
    judge(student, result, unjust)
    assert unjust.crosses > 0
    assert unjust.accusations == 1
