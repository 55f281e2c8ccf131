"""Mechanisms: each a literal list of stages; the registry has them all."""

from attnhand.attention.mechanisms.base import Axis, Content, Convention, Given, Mechanism, Stage
from attnhand.attention.mechanisms.registry import MECHANISMS, SELF, Family, Form

__all__ = ["MECHANISMS", "SELF", "Axis", "Content", "Convention", "Family", "Form", "Given", "Mechanism", "Stage"]
