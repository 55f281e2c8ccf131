"""How each stage is done wrongly: other formulas at the same place.

A slip takes what a student has before them at a stage and gives what that mistake makes of it; None where it cannot
happen, or does not show. ``catalogue`` has all of them, ``binding`` says what names mean at a stage.
"""

from attnhand.attention.slips.catalogue import PLANTED_BY_RECIPE_1, SLIPS, VETTED_BY_RECIPE_1, find_slips
from attnhand.attention.slips.context import StageContext
from attnhand.attention.slips.slip import Slip

__all__ = ["PLANTED_BY_RECIPE_1", "SLIPS", "VETTED_BY_RECIPE_1", "Slip", "StageContext", "find_slips"]
