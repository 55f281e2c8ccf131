"""What exports are tried with: every form, and every part of a language model, in both conventions."""

from attnhand.attention.convention import Convention
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.problems.request import Request, make_part_request
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
