"""What exports are tried with: every form, and every part of a language model, in both conventions."""

from attnhand.attention.convention import Convention
from attnhand.attention.trace import can_be_traced
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.problems.request import Request, make_part_request
from attnhand.sheet.make import make_sheet_from_request
from tests.forms import KEPT_FORMS

TRIED = [(name, convention) for name in (*KEPT_FORMS, *MODEL_PARTS) for convention in Convention]


def choose_request(number: int) -> tuple[str, Request]:
    """Return the name and the request of what a number tries: its form by turns, and itself as the seed.

    >>> name, request = choose_request(3)
    >>> name, request.seed, request.convention.value, choose_request(len(TRIED) + 3)[0]
    ('basic', 3, 'rows', 'basic')
    """
    name, convention = TRIED[number % len(TRIED)]
    if name in MODEL_PARTS:
        return name, make_part_request(MODEL_PARTS[name], number, convention=convention)
    return name, Request(seed=number, variant=KEPT_FORMS[name], convention=convention)


def choose_by_turns(number: int) -> tuple[str, Request]:
    """Return the same where a program takes a minute for each: every form in one convention, then all in the other.

    >>> [(name, request.convention.value) for name, request in map(choose_by_turns, (0, 1, 2))]
    [('self', 'columns'), ('basic', 'rows'), ('cross', 'columns')]
    """
    turn, form = divmod(number, len(TRIED) // 2)
    return choose_request(2 * form + (form + turn) % 2 + len(TRIED) * (turn // 2))


def choose_trace(number: int) -> int | None:
    """Return the query that is followed on every fourth form, where one can be: the first that is asked."""
    sheet = make_sheet_from_request(choose_request(number)[1])
    is_traced = number // 2 % 4 == 0 and can_be_traced(sheet.problem.mechanism)
    return sheet.asked_queries[0] + 1 if is_traced else None
