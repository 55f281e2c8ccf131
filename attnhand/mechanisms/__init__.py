"""Every mechanism the program knows, by name."""

from attnhand.mechanisms.base import Axis, Content, Convention, Given, Mechanism, Stage
from attnhand.mechanisms.self_attention import SELF_ATTENTION

MECHANISMS: dict[str, Mechanism] = {mechanism.name: mechanism for mechanism in (SELF_ATTENTION,)}

__all__ = ["MECHANISMS", "Axis", "Content", "Convention", "Given", "Mechanism", "Stage"]
