"""Values as bits, one after the other, and back: the fields that the code of a sheet has."""

from collections.abc import Callable, Collection
from typing import Any, NamedTuple

from attnhand.errors import CodeError


class BitString:
    """Bits written one number after the other, or read in the same order."""

    def __init__(self, bits: str = "") -> None:
        self.bits = bits

    def write(self, value: int, width: int) -> None:
        """Append a whole number; one that does not fit would be read as another sheet."""
        if not 0 <= value < 2**width:
            raise ValueError(f"{value} does not fit into {width} bits of a sheet code")
        self.bits += f"{value:0{width}b}"

    def write_growing(self, value: int, group: int) -> None:
        """Append a whole number of any size, in groups of bits, the highest first."""
        width = max(1, -(-value.bit_length() // group)) * group
        bits = f"{value:0{width}b}"
        starts = range(0, width, group)
        self.bits += "".join(f"{int(start < width - group)}{bits[start : start + group]}" for start in starts)

    def read(self, width: int) -> int:
        """Take a number off the front."""
        if len(self.bits) < width:
            raise CodeError("is too short")
        value, self.bits = int(self.bits[:width], 2), self.bits[width:]
        return value

    def read_growing(self, group: int) -> int:
        """Take a number off the front that was written in groups of bits."""
        value, is_followed = 0, 1
        while is_followed:
            is_followed = self.read(1)
            value = value << group | self.read(group)
        return value


class Field(NamedTuple):
    """How a value stands in a code."""

    write: Callable[[BitString, Any], None]
    read: Callable[[BitString], Any]


def fixed(width: int, *, least: int = 0) -> Field:
    """Return the field of a whole number in so many bits, counted from the least that it can be."""
    return Field(lambda bits, value: bits.write(value - least, width), lambda bits: bits.read(width) + least)


def growing(group: int, *, least: int = 0) -> Field:
    """Return the field of a whole number of any size, in groups of bits."""
    return Field(
        lambda bits, value: bits.write_growing(value - least, group), lambda bits: bits.read_growing(group) + least
    )


def one_of(members: Collection[Any], group: int) -> Field:
    """Return the field of a member of a table: its place there."""
    return Field(
        lambda bits, value: bits.write_growing([*members].index(value), group),
        lambda bits: [*members][bits.read_growing(group)],
    )


def some_of_a_list(group: int) -> Field:
    """Return the field of places in a list, 0-based: a number with a bit for each, the first the lowest."""

    def read(bits: BitString) -> tuple[int, ...]:
        mask = bits.read_growing(group)
        if not mask:
            raise CodeError("asks for nothing")
        return tuple(place for place in range(mask.bit_length()) if mask >> place & 1)

    return Field(lambda bits, places: bits.write_growing(sum({1 << place for place in places}), group), read)


def perhaps(field: Field) -> Field:
    """Return the field of a value that may be missing, None: a bit says whether it follows."""

    def write(bits: BitString, value: Any) -> None:
        bits.write(value is not None, 1)
        if value is not None:
            field.write(bits, value)

    return Field(write, lambda bits: field.read(bits) if bits.read(1) else None)


FLAG = Field(lambda bits, value: bits.write(value, 1), lambda bits: bool(bits.read(1)))
"""The field of yes or no."""

TRUE = Field(lambda bits, value: None, lambda bits: True)
"""The field of what is true where it stands at all: it takes no bits."""
