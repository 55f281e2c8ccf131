"""All slips, in the order of the stages, and those that recipe 1 vets."""

from functools import lru_cache

from attnhand.attention.mechanisms import Stage
from attnhand.attention.slips.context import Slip
from attnhand.attention.slips.layers import CONCATENATION_SLIPS, MIXTURE_SLIPS, RELU_SLIPS
from attnhand.attention.slips.product import PROJECTION_SLIPS, SCORE_SLIPS
from attnhand.attention.slips.softmax import MASK_SLIPS, POWER_SLIPS, SCALING_SLIPS, SUM_SLIPS, WEIGHT_SLIPS
from attnhand.attention.slips.tokens import TOKEN_SLIPS

SLIPS: tuple[Slip, ...] = (
    *TOKEN_SLIPS,
    *PROJECTION_SLIPS,
    *SCORE_SLIPS,
    *SCALING_SLIPS,
    *MASK_SLIPS,
    *POWER_SLIPS,
    *SUM_SLIPS,
    *WEIGHT_SLIPS,
    *MIXTURE_SLIPS,
    *CONCATENATION_SLIPS,
    *RELU_SLIPS,
)

VETTED_BY_RECIPE_1: tuple[str, ...] = (
    "scores-transposed",
    "not-scaled",
    "truncated",
    "rounded-up",
    "times-not-power",
    "negative-power-negated",
    "negative-power-zero",
    "other-axis",
    "weights-A-transposed",
)
"""Slips that every sheet of recipe 1 shows in at least two cells. Never extended: it decides what a seed gives."""


PLANTED_BY_RECIPE_1: tuple[str, ...] = (
    "other-weights",
    "weights-transposed",
    "signs-ignored",
    "scores-transposed",
    "not-transposed",
    "not-scaled",
    "truncated",
    "rounded-up",
    "over-d_k",
    "sign-dropped",
    "zero-for-minus-infinity",
    "other-triangle",
    "mask-forgotten",
    "times-not-power",
    "negative-power-negated",
    "negative-power-zero",
    "zero-power-zero",
    "power-of-magnitude",
    "sums-other-axis",
    "other-axis",
    "over-count",
    "one-hot",
    "weights-A-transposed",
    "keys-for-values",
    "next-word",
    "position-forgotten",
    "heads-exchanged",
    "bias-forgotten",
    "relu-forgotten",
)
"""Slips that a find-the-mistake sheet draws from. Never changed: a sheet on paper must get its key again."""


@lru_cache(maxsize=1_000)
def find_slips(stage: Stage, ids: tuple[str, ...] | None = None) -> tuple[Slip, ...]:
    """Return the slips that can happen at that stage, among the given ids if any are given."""
    return tuple(slip for slip in SLIPS if (ids is None or slip.id in ids) and slip.applies_to(stage))
