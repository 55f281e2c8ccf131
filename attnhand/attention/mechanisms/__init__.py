"""Mechanisms: each some lines of formulas, put on paper; the registry has them all."""

from attnhand.attention.mechanisms.base import AttentionStages, Content, Dimension, GivenMatrix, Mechanism, Stage
from attnhand.attention.mechanisms.registry import ANY_MOVED, DEFAULT_VARIANT, MECHANISMS, MechanismFamily, Variant

__all__ = [
    "ANY_MOVED",
    "DEFAULT_VARIANT",
    "MECHANISMS",
    "AttentionStages",
    "Content",
    "Dimension",
    "GivenMatrix",
    "Mechanism",
    "MechanismFamily",
    "Stage",
    "Variant",
]
