"""How much evidence marking wants: by these ``check`` decides, and so does every file that marks itself."""

FRACTION_DIGITS = 2
"""A fraction for an irrational number must be as near as so many digits more: 3/97 is no 0.0319."""

FEW_WRONG = 3
"""To each wrong cell that stands alone there are so many right ones."""

MIN_CELLS_OF_PART, MIN_NUMBERS_OF_PART = 2, 3
"""A slip that was made in a part of a stage shows in so many cells, or nobody knows of it; and it is sure where so many
different numbers show it: zeros and ones stand anywhere."""

FEW_EXCEPTIONS, SURE_SHARE = 2, 8
"""To each of several cells that are wrong for another reason a slip gives so many; and one that is sure so many."""

MIN_COUNTED_SHARE = 0.75
"""Of what was written so much must count when it is read the other way, or it was not meant so."""

MIN_WRONG_DECIMALS = 4
"""Whoever works with e has decimals; with fewer wrong ones nothing is worked again to find out."""

MIN_CELLS_FOR_CERTAINTY = 2
"""A slip is named where so many cells show it; where one does, perhaps."""
