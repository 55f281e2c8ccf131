"""Whose a paper is: by the code of its sheet, and by № and name where several have that sheet.

A wrong match is worse than none: where what a paper says contradicts itself, it is nobody's, and the reason is said.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from attnhand.check_characters import plain
from attnhand.classroom.signature import Signature, folded

_PRINTED_NUMBER = re.compile(r"(\d{3,6})(?!\w)")
"""A № as the sheet prints it, at the beginning of a file's name; "2.json" may be the second homework."""

SPARE = "spare"
"""The option of a sheet that is for whoever needs another."""

MOST_NAMED = 3
"""Holders of a sheet that a reason names."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One line of a class's index: who has which sheet."""

    number: int
    """№, from 1."""

    code: str
    name: str = ""
    id: str = ""
    email: str = ""
    group: str = ""
    options: str = ""
    """What the sheet is besides: "spare", "large_print=yes format=html"."""

    @property
    def is_spare(self) -> bool:
        """Say whether the sheet is for whoever needs another."""
        return self.options == SPARE

    def __str__(self) -> str:
        """Return "№ 047 Ada"."""
        return str(Signature(self.number, self.name))


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """What a paper says of whose it is."""

    code: str
    """Of its sheet, as it is compared."""

    signature: Signature
    file: str


class Owners:
    """An index, asked whose a paper is."""

    def __init__(self, index: Sequence[Entry]) -> None:
        self._by_code: dict[str, list[Entry]] = {}
        self._by_name: dict[str, list[Entry]] = {}
        for entry in index:
            self._by_code.setdefault(plain(entry.code), []).append(entry)
            self._by_name.setdefault(folded(entry.name), []).append(entry)

    def owner(self, claim: Claim) -> Entry | str:
        """Return whose paper it is, or why that cannot be said."""
        holders = self._by_code.get(claim.code, [])
        if not holders:
            return "its sheet is nobody's in the index"
        told = claim.signature
        named = [entry for entry in holders if told.name and folded(entry.name) == folded(told.name)]
        if told.number is not None:
            chosen = [entry for entry in holders if entry.number == told.number] or (named if len(named) == 1 else [])
        elif len(holders) > 1:
            chosen = named or [entry for entry in holders if entry.number == _number_of_file(claim.file)]
        else:
            chosen = holders
        if len(chosen) != 1:
            return _unclear(told, holders)
        if chosen[0].is_spare and len(taker := self._by_name.get(folded(told.name), [])) == 1 and told.name:
            return taker[0]
        if self._is_somebody_else(told.name, chosen[0]):
            return f"it says {told}, but its sheet is that of {chosen[0]}"
        return chosen[0]

    def _is_somebody_else(self, name: str, entry: Entry) -> bool:
        """Say whether a name is that of another student."""
        others = self._by_name.get(folded(name), []) if name else []
        return bool(others) and entry not in others


def _unclear(told: Signature, holders: Sequence[Entry]) -> str:
    known = ", ".join(map(str, holders[:MOST_NAMED]))
    more = len(holders) - MOST_NAMED
    known += f" and {more} more" if more > 0 else ""
    says = f"it says {told}" if told.number or told.name else "it does not say whose it is"
    return f"{says}, but its sheet is that of {known}"


def _number_of_file(file: str) -> int | None:
    match = _PRINTED_NUMBER.match(PurePosixPath(file).name)
    return int(match[1]) if match else None
