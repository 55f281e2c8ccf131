"""What a form may have beside its matrices, each by one word: an option, a key of a problem file, a field of a form."""

from collections.abc import Callable
from dataclasses import dataclass
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


def read_count(value: object) -> int:
    """Take a whole number above 0.

    Raises:
        SettingError: it is none.
    """
    if isinstance(value, bool) or not isinstance(value, int) or value < 1:
        raise SettingError("write a whole number, such as 3")
    return value


SETTINGS: tuple[Setting, ...] = (
    Setting(name="subtract_max", field="is_shifted", read=read_switch, default=False),
    Setting(name="blocks", field="block_count", read=read_count, is_added=False),
)
"""All of them; what else a form has is more than one word, and is read where it is."""
