"""Queries and keys turned by their places: a quarter turn a place, worked by hand."""

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import Problem
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.marking.checked import CheckResult
from attnhand.sheet.explain import explain
from attnhand.sheet.sheet import Sheet
from tests.breadth import choose

QUERIES, KEYS = [(2, 1), (1, 0), (2, 1), (1, 2)], [(1, 2), (2, 0), (1, 2), (0, 1)]


def make_example(*, is_rotary: bool) -> Problem:
    """Return attention whose queries and keys are these."""
    X = transpose(tuple((*query, *key) for query, key in zip(QUERIES, KEYS, strict=True)))
    return Problem(
        variant=Variant(is_rotary=is_rotary),
        given=(
            ("X", X),
            ("W_Q", ((1, 0, 0, 0), (0, 1, 0, 0))),
            ("W_K", ((0, 0, 1, 0), (0, 0, 0, 1))),
            ("W_V", ((1, 0, 0, 0),)),
        ),
    )


@pytest.mark.parametrize("convention", Convention)
def test_a_worked_example(convention: Convention) -> None:
    """(a, b) becomes (−b, a), (−a, −b), (b, −a); the third key's scores of 4 and 4 become −4 and 4."""
    plain, turned = (
        solve(problem if convention is Convention.COLUMNS else problem.transpose())
        for problem in (make_example(is_rotary=False), make_example(is_rotary=True))
    )

    def read(matrix: Matrix) -> Matrix:
        return matrix if convention is Convention.COLUMNS else transpose(matrix)

    assert transpose(read(turned["Q_turned"].hand)) == ((2, 1), (0, 1), (-2, -1), (2, -1))
    assert transpose(read(turned["K_turned"].hand)) == ((1, 2), (0, 2), (-1, -2), (1, 0))
    assert [read(plain["S"].hand)[2][query] for query in (0, 2)] == [4, 4]
    assert [read(turned["S"].hand)[2][query] for query in (0, 2)] == [-4, 4]


def test_only_distances_count() -> None:
    """A row of equal tokens: each score depends on how far apart the two stand, and comes again four places on."""
    X = tuple((number,) * 6 for number in (1, 2, 3, 1))
    problem = Problem(
        variant=Variant(is_rotary=True),
        given=(
            ("X", X),
            ("W_Q", ((1, 0, 0, 0), (0, 1, 0, 0))),
            ("W_K", ((0, 0, 1, 0), (0, 0, 0, 1))),
            ("W_V", ((1, 0, 0, 0),)),
        ),
    )
    S = solve(problem)["S"].hand
    by_distance: dict[int, set[object]] = {}
    for key, row in enumerate(S):
        for query, score in enumerate(row):
            by_distance.setdefault((key - query) % 4, set()).add(score)
    assert {distance: len(scores) for distance, scores in by_distance.items()} == {0: 1, 1: 1, 2: 1, 3: 1}
    assert by_distance[0] == {1 * 3 + 2 * 1}


def hand_in(sheet: Sheet, **changed: Matrix) -> CheckResult:
    """Mark a sheet of which some stages are other than the key, and the rest follows from them."""
    worked = solve(sheet.problem, replacements=changed)
    return attnhand.check({each.stage.name: [list(map(str, row)) for row in each.hand] for each in worked}, sheet)


def test_slips_are_named() -> None:
    """Not turned, turned the other way, a quarter too far: each is known, and what follows counts."""
    for seed in range(choose(3, 30)):
        sheet = attnhand.generate(seed=seed, positions="rotary")
        Q = sheet.solution["Q"].hand
        turned = [*zip(*Q, strict=True)]

        def turn(quarters: int, vector: tuple[object, ...]) -> tuple[object, ...]:
            pairs = [*zip(vector[::2], vector[1::2], strict=True)]
            for _ in range(quarters % 4):
                pairs = [(-b, a) for a, b in pairs]  # type: ignore[operator]
            return tuple(number for pair in pairs for number in pair)

        ways = {
            "turn-forgotten": [turn(0, each) for each in turned],
            "turn-other-way": [turn(-place, each) for place, each in enumerate(turned)],
            "turn-from-one": [turn(place + 1, each) for place, each in enumerate(turned)],
        }
        for slip, vectors in ways.items():
            wrong: Matrix = tuple(zip(*vectors, strict=True))
            marks = hand_in(sheet, Q_turned=wrong)
            assert [diagnosis.slips for diagnosis in marks.diagnoses] == [(slip,)], seed
            assert {cell.mark.value for cell in marks.marks.cells if cell.stage == "S"} <= {"follows", "correct"}


def test_a_cell_is_explained_by_its_pair() -> None:
    """It names the cell that it comes from, and what becomes of the pair."""
    sheet = attnhand.generate(seed=7, positions="rotary")
    source = sheet.solution["K"].hand[1][1]
    lines = explain(sheet, "K'12").by_hand
    assert lines[-1] == f"token 2: (a, b) becomes (−b, a), so K[2,2] gives {-source}".replace("-", "−")


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"positions": "rotary", "d_k": 3}, "`d_k=3` is odd, and rotary positions turn numbers in pairs: use `d_k=4`"),
        ({"positions": "rotary", "mechanism": "cross"}, 'leave out `positions="rotary"`'),
        ({"positions": "rotary", "mechanism": "basic"}, "has no queries and keys of its own to turn"),
        ({"positions": "round"}, "sinusoidal or rotary"),
    ],
)
def test_what_cannot_be_turned_is_refused(options: dict[str, object], sentence: str) -> None:
    """In a sentence that says what can."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=7, **options)  # type: ignore[arg-type]
    assert sentence in str(refusal.value)


def test_moving_all_tokens_changes_nothing() -> None:
    """The question is asked, and its answer is worked out, not written down."""
    sheet = attnhand.generate(seed=7, positions="rotary")
    (asked,) = (posed for posed in sheet.posed_questions if posed.question.id == "moved-on")
    assert asked.finding is not None
    assert asked.finding.answer == "nothing"
