"""What a form may have beside its matrices, each by one word: an option, a key of a problem file, a field of a form."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from attnhand.errors import AttnhandError


class SettingError(AttnhandError):
    """A value that a setting cannot have; the message completes "SETTING is VALUE: …"."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Setting:
    """One of them."""

    name: str
    """In the terminal, in Python and in files: ``subtract_max``."""

    field: str
    """Of ``Variant``."""

    read: Callable[[object], Any]
    """Makes what a form holds of what a file or an option says; raises ``SettingError``."""

    write: Callable[[Any], Any] = lambda value: value
    """The way back."""

    is_option: bool = True
    """Whether there is an option of its name; else only files say it."""

    default: Any = None
    """What a form holds where nothing is said."""

    is_added: bool = True
    """Whether it is added to an ordinary sheet, which is drawn first: see ``problems/deriving.py``."""


def read_switch(value: object) -> bool:
    """Take true or false.

    Raises:
        SettingError: it is neither.
    """
    if not isinstance(value, bool):
        raise SettingError("write true, or leave it out")
    return value


RMS = "rms"
"""The norm that there is: by the root of the mean of squares."""


class NormPlace(StrEnum):
    """Where a layer has its norm."""

    BEFORE = "before"
    """What the layer reads is normalised."""

    AFTER = "after"
    """What it gives is, once it is added to what it reads."""


def read_norm(value: object) -> str:
    """Take the name of a norm.

    Raises:
        SettingError: there is none of that name.
    """
    if value != RMS:
        raise SettingError(f"write {RMS}, or leave it out")
    return RMS


def read_norm_place(value: object) -> NormPlace:
    """Take where a norm stands.

    Raises:
        SettingError: it is neither place.
    """
    if not isinstance(value, str) or value not in tuple(NormPlace):
        raise SettingError(f"write {' or '.join(NormPlace)}")
    return NormPlace(value)


SETTINGS: tuple[Setting, ...] = (
    Setting(name="subtract_max", field="is_shifted", read=read_switch, default=False),
    Setting(name="residual", field="has_residual", read=read_switch, default=False, is_added=False),
    Setting(name="norm", field="norm", read=read_norm, is_added=False),
    Setting(name="norm_place", field="norm_place", read=read_norm_place, is_added=False),
    Setting(
        name="second_relu", field="has_second_relu", read=read_switch, default=False, is_added=False, is_option=False
    ),
)
"""All of them; what else a form has is more than one word, and is read where it is."""
