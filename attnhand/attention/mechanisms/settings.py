"""What a form may have beside its matrices, each by one word: an option, a key of a problem file, a field of a form."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
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


MAX_SINK = 9
"""A sink is at most so far from 0: 3⁹ is all that a line of a sheet can hold."""


def read_sink(value: object) -> int:
    """Take a sink.

    Raises:
        SettingError: it is no whole number, or too far from 0.
    """
    if isinstance(value, bool) or not isinstance(value, int) or abs(value) > MAX_SINK:
        raise SettingError(f"write a whole number from -{MAX_SINK} to {MAX_SINK}")
    return value


MAX_TEMPERATURE_PART = 10
"""What stands above and below the bar of a temperature is no larger."""


def read_temperature(value: object) -> Fraction | None:
    """Take a temperature; 1 is none.

    >>> read_temperature("1/2"), read_temperature(0.7), read_temperature(1)
    (Fraction(1, 2), Fraction(7, 10), None)

    Raises:
        SettingError: it is no number, or not one that a pencil divides by.
    """
    refusal = SettingError("write a number such as 2, 1/2 or 0.7: 1/10 to 10, a fraction of numbers up to 10")
    if isinstance(value, bool) or not isinstance(value, int | float | str | Fraction):
        raise refusal
    try:
        temperature = Fraction(str(value).strip())
    except (ValueError, ZeroDivisionError):
        raise refusal from None
    if not 1 <= temperature.numerator <= MAX_TEMPERATURE_PART >= temperature.denominator:
        raise refusal
    return None if temperature == 1 else temperature


def write_temperature(temperature: Fraction | None) -> int | str | None:
    """Return a temperature as files and options have it: 2, "1/2"; None for none."""
    if temperature is None:
        return None
    return temperature.numerator if temperature.denominator == 1 else str(temperature)


def read_rate(value: object) -> Fraction:
    """Take a learning rate.

    >>> read_rate("1/2"), read_rate(1)
    (Fraction(1, 2), Fraction(1, 1))

    Raises:
        SettingError: it is no number, or not one that a pencil multiplies by.
    """
    try:
        return read_temperature(value) or Fraction(1)
    except SettingError:
        raise SettingError("write a number such as 1/2 or 1: 1/10 to 10, a fraction of numbers up to 10") from None


MIN_KEPT, MAX_KEPT = 2, 11
"""Of fewer kept tokens there is little to choose from; with more a sheet would hold more than twelve."""


def read_kept_count(value: object) -> int:
    """Take how many tokens are kept.

    Raises:
        SettingError: it is no such number.
    """
    if type(value) is not int or not MIN_KEPT <= value <= MAX_KEPT:
        raise SettingError(f"write how many tokens are kept before the new one, {MIN_KEPT} to {MAX_KEPT}")
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


def read_read_out(value: object) -> tuple[str, ...]:
    """Take the words of a vocabulary.

    Raises:
        SettingError: they are no list of different words.
    """
    is_list = isinstance(value, list | tuple) and bool(value) and all(isinstance(word, str) for word in value)
    if not is_list or len({*value}) < len(value):  # type: ignore[misc, arg-type]
        raise SettingError('write the words of W_U, one for each row, such as [".", "dogs", "eat"]')
    return tuple(value)  # type: ignore[arg-type]


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
    Setting(name="sink", field="sink", read=read_sink),
    Setting(name="temperature", field="temperature", read=read_temperature, write=write_temperature, is_added=False),
    Setting(name="cache", field="cache", read=read_kept_count),
    Setting(name="residual", field="has_residual", read=read_switch, default=False, is_added=False),
    Setting(name="norm", field="norm", read=read_norm, is_added=False),
    Setting(name="norm_place", field="norm_place", read=read_norm_place, is_added=False),
    Setting(
        name="second_relu", field="has_second_relu", read=read_switch, default=False, is_added=False, is_option=False
    ),
    Setting(
        name="read_out",
        field="read_out_words",
        read=read_read_out,
        write=list,
        default=(),
        is_added=False,
        is_option=False,
    ),
    Setting(name="blocks", field="block_count", read=read_count, is_added=False),
    Setting(name="top_k", field="top_k", read=read_count),
    Setting(name="learn", field="learning_rate", read=read_rate, write=write_temperature, is_added=False),
)
"""All of them; what else a form has is more than one word, and is read where it is."""
