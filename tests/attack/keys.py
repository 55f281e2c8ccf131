"""Keys of every form, size, rule and salt, against an oracle that shares no code with the program."""

import random

import numpy as np

from attnhand.attention.arithmetic import HAND, Base, Rules, ScaleRule
from attnhand.attention.convention import Convention
from attnhand.errors import AttnhandError
from attnhand.formats.sources import make_sheet_from_code
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.problems.salt import draw_salt
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from tests.mechanism_oracle import solve_by_hand, solve_exactly
from tests.problems.sweep import SWEPT_FORMS, SWEPT_SIZES
from tests.swept_sheet import collect_hand_values, make_kind

OTHER_RULES = [
    Rules(scale=scale, base=base)
    for scale in (ScaleRule.HALF_FLOOR, ScaleRule.NONE)
    for base in (Base.TWO, Base.THREE, Base.TEN)
]
REMADE_ONE_IN = 20
"""One in so many sheets is made again from its code."""


def attack_key(number: int) -> str:
    """Draw a sheet of some form; return what is wrong with its key, ``refused`` where it cannot be drawn."""
    rng = random.Random(number)
    form = SWEPT_FORMS[rng.choice([*SWEPT_FORMS])]
    sizes = rng.choice([{}] * 4 + [*SWEPT_SIZES.values()]) if form == SWEPT_FORMS["self"] else {}
    rules = HAND if rng.random() < 0.7 or form.mechanism == "basic" else rng.choice(OTHER_RULES)
    salt = draw_salt() if rng.random() < 0.3 else ""
    try:
        request = Request(
            seed=rng.getrandbits(32),
            variant=form,
            level=rng.choice([*Level]),
            convention=rng.choice([*Convention]),
            size_overrides=tuple(sizes.items()),
            rules=rules,
        )
        sheet = make_sheet_from_request(request, salt=salt)
    except AttnhandError:
        return "refused"
    if number % REMADE_ONE_IN == 0:
        order = SheetOrder(salt=salt or None, words=form.embedded_words or None)
        if make_sheet_from_code(sheet.code, order, PageOptions()).sheet.problem.given != sheet.problem.given:
            return f"{request}: its code makes another sheet"
    turned = request.convention.is_rows
    problem = sheet.problem.transpose() if turned else sheet.problem
    kind, given = make_kind(request.variant, rules), dict(problem.given)
    if collect_hand_values(sheet.solution, turned=turned) != solve_by_hand(kind, given):
        return f"{request}: the key is wrong"
    for name, expected in solve_exactly(kind, given).items():
        ours = np.array(sheet.solution[name].exact)
        if not np.allclose(ours.T if turned else ours, expected, rtol=1e-9, atol=1e-9):
            return f"{request}: the exact {name} is wrong"
    return ""
