"""How each operation is done wrongly, as functions of the same inputs.

A slip takes what a student has before them at a stage and gives what that mistake makes of it; ``None`` where the
matrices do not hold what the slip is about. Slips stand in the module named like that of the operation they distort.
"""

from attnhand.attention.slips.catalogue import PLANTED_BY_RECIPE_1, SLIPS, VETTED_BY_RECIPE_1, find_slips
from attnhand.attention.slips.context import Slip, SlipFunction, StageContext

__all__ = ["PLANTED_BY_RECIPE_1", "SLIPS", "VETTED_BY_RECIPE_1", "Slip", "SlipFunction", "StageContext", "find_slips"]
