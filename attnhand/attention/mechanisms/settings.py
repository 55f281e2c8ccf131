"""What a form may have beside its matrices, each by one word: an option, a key of a problem file, a field of a form."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
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


MAX_TEMPERATURE = 10
"""A temperature is a whole number up to this, one over such a number, or a fraction of two of them."""


def read_temperature(value: object) -> Fraction | None:
    """Take a number above 0, such as 2, 0.5 or "1/2"; 1 changes nothing, so it is as if nothing were said.

    Raises:
        SettingError: it is none, or no pencil divides by it.
    """
    how = f"write a number above 0, such as 2, 3 or 1/2, of numbers up to {MAX_TEMPERATURE}"
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal | Fraction):
        raise SettingError(how)
    try:
        read = Fraction(str(value).strip())
    except (ValueError, ZeroDivisionError):
        raise SettingError(how) from None
    if read <= 0 or max(read.as_integer_ratio()) > MAX_TEMPERATURE:
        raise SettingError(how)
    return None if read == 1 else read


def write_temperature(value: Fraction | None) -> int | str | None:
    """Return a temperature as a file has it: 2, "1/2"."""
    return value if value is None else value.numerator if value.denominator == 1 else str(value)


MAX_TOP_K = 11
"""One less than a vocabulary has words at most."""


def read_count(value: object) -> int:
    """Take a whole number of words.

    Raises:
        SettingError: it is none, or out of range.
    """
    if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= MAX_TOP_K:
        raise SettingError(f"write how many words may be drawn, 1 to {MAX_TOP_K}")
    return value


SETTINGS: tuple[Setting, ...] = (
    Setting(name="subtract_max", field="is_shifted", read=read_switch, default=False),
    Setting(name="temperature", field="temperature", read=read_temperature, write=write_temperature),
    Setting(name="top_k", field="top_k", read=read_count),
)
"""All of them; what else a form has is more than one word, and is read where it is."""
