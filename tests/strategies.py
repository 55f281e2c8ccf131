"""What Hypothesis draws: problems of all small sizes, under all rules, in both conventions."""

from fractions import Fraction

from hypothesis import strategies as st

from attnhand.attention.arithmetic import Base, Rules, ScaleRule
from attnhand.attention.matrix import Matrix
from attnhand.attention.problem import Problem

RATIONAL_RULES = tuple(
    Rules(scale=scale, base=base)
    for scale in (ScaleRule.HALF_FLOOR, ScaleRule.NONE)
    for base in (Base.TWO, Base.THREE, Base.TEN)
)
"""Rules under which whole scores have whole or fractional weights."""

POWERS = tuple(base for base in Base if base is not Base.NONE)
"""What is raised to a power; without one there are plain shares, of which ``test_given_anywhere`` speaks."""

ALL_RULES = tuple(Rules(scale=scale, base=base) for scale in (*ScaleRule, 2, 4, 7) for base in POWERS)

WHOLE_ENTRIES: st.SearchStrategy[int | Fraction] = st.integers(-1, 1)
"""So small that no exponent of a small problem is beyond ±40."""

FRACTION_ENTRIES: st.SearchStrategy[int | Fraction] = st.sampled_from(
    (-1, 0, 1, Fraction(1, 2), Fraction(-1, 2), Fraction(1, 3), Fraction(3, 10))
)


def matrices(rows: int, columns: int, entries: st.SearchStrategy[int | Fraction]) -> st.SearchStrategy[Matrix]:
    """Draw a matrix of that shape."""
    line = st.tuples(*[entries] * columns)
    return st.tuples(*[line] * rows)


@st.composite
def problems(
    draw: st.DrawFn,
    *,
    rules: tuple[Rules, ...] = ALL_RULES,
    entries: st.SearchStrategy[int | Fraction] = FRACTION_ENTRIES,
    allows_rows: bool = True,
) -> Problem:
    """Draw a problem that can be worked by hand: 2 to 4 tokens, sizes 1 to 3."""
    tokens, features = draw(st.integers(2, 4)), draw(st.integers(1, 3))
    d_k, d_v = draw(st.integers(1, 3)), draw(st.integers(1, 3))
    shapes = {"X": (features, tokens), "W_Q": (d_k, features), "W_K": (d_k, features), "W_V": (d_v, features)}
    problem = Problem(
        given=tuple((name, draw(matrices(*shape, entries))) for name, shape in shapes.items()),
        rules=draw(st.sampled_from(rules)),
    )
    return problem.transpose() if allows_rows and draw(st.booleans()) else problem


def whole_problems() -> st.SearchStrategy[Problem]:
    """Draw problems of whole numbers under rules that keep all weights fractions."""
    return problems(rules=RATIONAL_RULES, entries=WHOLE_ENTRIES)
