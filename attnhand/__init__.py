"""Attention-by-hand worksheets: a seed in, a blank sheet and a proved answer key out.

import attnhand

sheet = attnhand.generate(seed=7)
sheet.solution["A"].hand         # exact fractions, by the classroom's rules
sheet.solution["A"].exact        # float64, attention as it is
attnhand.solve(X=..., W_Q=..., W_K=..., W_V=...)
attnhand.check(answers, sheet)
"""

from attnhand.api import check, generate, solve
from attnhand.errors import AttnhandError
from attnhand.sheet.page_options import PageOptions
from attnhand.sheet.sheet import Sheet

__all__ = ["AttnhandError", "PageOptions", "Sheet", "check", "generate", "solve"]
