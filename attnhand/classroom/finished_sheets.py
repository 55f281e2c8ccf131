"""Finished sheets: as workers send them, and as they wait until all of a class are bound."""

import pickle
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path

from attnhand.classroom.quick_key import QuickKey
from attnhand.formats.pdf.sheet_pages import SharedPages, SheetPages, unpack_sheet_pages


@dataclass(frozen=True, slots=True, kw_only=True)
class SheetFacts:
    """What is known of one sheet, its pages aside."""

    name: str
    seed: int
    code: str = ""
    matrices_digest: bytes = b""
    """A digest of what is given: two of one digest are one sheet."""

    page_count: int = 0
    """Of the blank sheet."""

    refusal: str = ""
    """Why this seed gives no sheet; empty where it gives one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedSheet:
    """One sheet: facts, pages, quick key and files."""

    facts: SheetFacts
    blank: bytes = b""
    """Its pages, packed; empty where they are not printed with everybody's."""

    key: bytes = b""
    """The pages of its key, packed; empty where another sheet has the same key."""

    quick_key: bytes = b""
    """Packed like its pages: it travels and waits, and is looked at once."""

    own_files: Mapping[str, bytes] = field(default_factory=dict)
    """Files of its own, by how they end."""

    questions: Mapping[str, bytes] = field(default_factory=dict)
    """For learning platforms, by the name of the format."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishedChunk:
    """What one job has made."""

    sheets: tuple[FinishedSheet, ...]
    shared: Mapping[str, bytes]
    """What their pages share, packed, by name."""


class SheetStore:
    """Finished sheets in a file: thousands do not fit memory."""

    def __init__(self, path: Path) -> None:
        """Begin with none.

        Args:
            path: of a new file, in a folder that is cleared away.
        """
        self.facts: dict[str, SheetFacts] = {}
        self._path = path
        self._offsets: dict[str, int] = {}
        """Where every sheet begins, by name."""

        self._shared_pages: dict[str, SharedPages] = {}

    def add(self, chunk: FinishedChunk) -> None:
        """Add sheets; one of a name that is there takes its place."""
        for name in chunk.shared.keys() - self._shared_pages.keys():
            self._shared_pages[name] = pickle.loads(chunk.shared[name])
        with self._path.open("ab") as file:
            for sheet in chunk.sheets:
                self.facts[sheet.facts.name] = sheet.facts
                self._offsets[sheet.facts.name] = file.tell()
                pickle.dump(replace(sheet, own_files={}), file)

    def has_sheet(self, name: str, seed: int) -> bool:
        """Say whether a sheet was made from this seed, or refused."""
        return name in self.facts and self.facts[name].seed == seed

    def read_quick_key(self, name: str) -> QuickKey:
        """Return the quick key of a sheet."""
        quick_key: QuickKey = pickle.loads(self._read(name).quick_key)
        return quick_key

    def read_questions(self, name: str, format_name: str) -> bytes:
        """Return a sheet as a file for a learning platform."""
        return self._read(name).questions[format_name]

    def read_blank_pages(self, name: str) -> SheetPages:
        """Return the pages of a sheet."""
        return unpack_sheet_pages(self._read(name).blank, self._shared_pages)

    def read_key_pages(self, name: str) -> SheetPages:
        """Return the pages of its key."""
        return unpack_sheet_pages(self._read(name).key, self._shared_pages)

    def _read(self, name: str) -> FinishedSheet:
        with self._path.open("rb") as file:
            file.seek(self._offsets[name])
            sheet: FinishedSheet = pickle.load(file)
        return sheet
