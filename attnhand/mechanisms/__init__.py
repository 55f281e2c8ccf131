"""Mechanisms: each a literal list of stages; the registry has them all."""

from attnhand.mechanisms.base import Axis, Content, Convention, Given, Mechanism, Stage
from attnhand.mechanisms.registry import MECHANISMS, SELF, Family, Form

__all__ = ["MECHANISMS", "SELF", "Axis", "Content", "Convention", "Family", "Form", "Given", "Mechanism", "Stage"]
