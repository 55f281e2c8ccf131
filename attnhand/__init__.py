"""Attention-by-hand worksheets: a seed in, a blank sheet and a proved answer key out.

import attnhand

sheet = attnhand.generate(seed=7)
sheet.solution["A"].hand         # exact fractions, by the classroom's rules
sheet.solution["A"].exact        # float64, attention as it is
attnhand.solve(X=..., W_Q=..., W_K=..., W_V=...)
sheet.blank.pdf(), sheet.svg(stage="S"), sheet.explain("S[2,3]")
attnhand.key("A1Q0-0000-000W")   # the sheet of a code
attnhand.check("sara.csv")       # a file that was handed in
attnhand.check(answers, sheet)
attnhand.grade("answers/")       # all that was handed in
attnhand.vet(sheet).verdict      # is it good for a class?
"""

from typing import TYPE_CHECKING, Any

from attnhand.errors import Message

if TYPE_CHECKING:
    from attnhand.api import Worksheet, check, explain, generate, grade, key, solve, vet
    from attnhand.errors import AttnhandError
    from attnhand.sheet.options import PageOptions

__all__ = ["AttnhandError", "PageOptions", "Worksheet", "check", "explain", "generate", "grade", "key", "solve", "vet"]

_HOME_MODULES = {"AttnhandError": "errors", "PageOptions": "sheet.options"}
"""Where names are from that are not from ``api``."""


def _write_in_english(message: Message) -> str:
    from attnhand.text import FALLBACK_LANGUAGE, get_language

    return get_language(FALLBACK_LANGUAGE).translate(message)


Message.write_in_english = _write_in_english


def __getattr__(name: str) -> Any:
    """Load what is asked for: the command line, which imports this first, often needs none of it."""
    if name not in __all__:
        raise AttributeError(f"module 'attnhand' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(f"attnhand.{_HOME_MODULES.get(name, 'api')}"), name)


def __dir__() -> list[str]:
    """Name what there is, for whoever presses Tab."""
    return [*globals(), *__all__]
