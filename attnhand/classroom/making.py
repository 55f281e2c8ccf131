"""Draw a chunk of a class's sheets: a pure function that any process on any machine can run."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version

from attnhand.classroom.chunk_file import SheetParts, pack_chunk
from attnhand.classroom.quick_key import find_slip_indicators, list_quick_key_parts
from attnhand.errors import GenerationError, PageError
from attnhand.formats.pdf.draw_sheet import draw_blank_and_key
from attnhand.formats.pdf.sheet_pages import pack_sheet_pages
from attnhand.formats.registry import FORMATS
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat
from attnhand.sheet.sheet import Sheet
from attnhand.system.processes import pause_garbage_collection


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassSettings:
    """Everything about a class's sheets but seeds and students."""

    request: Request
    """Its seed is the class's."""

    page: PageOptions
    words: tuple[str, ...] = ()
    """Labels of the tokens that are not looked up."""

    title: str = ""
    salt: str = ""
    """Empty for open sheets, whose codes give the key to everybody."""

    def make_sheet(self, seed: int) -> Sheet:
        """Draw, solve and prove the sheet of a seed, nobody's yet.

        Raises:
            GenerationError: the seed finds no good sheet.
        """
        return make_sheet_from_request(
            replace(self.request, seed=seed), self.page, salt=self.salt, words=self.words, title=self.title
        )


CHUNK_SIZE = 25
"""Sheets in a chunk: few enough that little is lost when a run stops, many enough that handing out costs little."""

BLANK_PART, KEY_PART, QUICK_KEY_PART = "blank", "key", "quick"
"""Names of a sheet's parts: drawn pages; quick key and slip indicators as JSON. Files are named by suffix."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One sheet to make."""

    name: str
    """What it goes by within the set: "47", or "version 2"."""

    seed: int
    owner: Seat | None = None
    """Whose it is; None for the key of a version."""

    has_blank: bool = True
    """Whether it is printed with everybody's."""

    has_key: bool = True
    """Whether there is a key, and quick key, for it alone."""

    own_files: tuple[tuple[str, PageOptions], ...] = ()
    """Files of its own: how each ends, and its page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Sheets that one job makes."""

    settings: ClassSettings
    tasks: tuple[Task, ...]

    @property
    def digest(self) -> str:
        """A digest of all that shapes its sheets, and of the program."""
        text = f"{_read_program_version()} {self!r}"
        return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@cache
def _read_program_version() -> str:
    """Return the version of this program, which is read from a file."""
    return version("attnhand")


def split_into_chunks(settings: ClassSettings, tasks: tuple[Task, ...]) -> tuple[Chunk, ...]:
    """Divide sheets to make into chunks."""
    return tuple(Chunk(settings=settings, tasks=tasks[at : at + CHUNK_SIZE]) for at in range(0, len(tasks), CHUNK_SIZE))


def make_chunk(chunk: Chunk) -> bytes:
    """Make the sheets of a chunk: pages, quick keys, files, packed into one chunk file."""
    with pause_garbage_collection():
        return _make_sheets(chunk)


def _make_sheets(chunk: Chunk) -> bytes:
    sheets_by_seed: dict[int, Sheet] = {}
    shared: dict[str, bytes] = {}
    sheets = []
    for task in chunk.tasks:
        try:
            if task.seed not in sheets_by_seed:
                sheets_by_seed[task.seed] = chunk.settings.make_sheet(task.seed)
            sheets.append(_make_sheet_parts(task, sheets_by_seed[task.seed], shared))
        except (GenerationError, PageError) as refusal:
            sheets.append(SheetParts(name=task.name, seed=task.seed, refusal=f"{refusal}"))
    return pack_chunk(sheets, shared)


def _make_sheet_parts(task: Task, unassigned_sheet: Sheet, shared: dict[str, bytes]) -> SheetParts:
    page = replace(unassigned_sheet.options, fillable=False, self_check=False)
    sheet = replace(unassigned_sheet, owner=task.owner, options=page)

    def add_shared(data: bytes) -> str:
        digest = hashlib.sha256(data).hexdigest()
        shared[digest] = data
        return digest

    blobs = {}
    has_pages = task.has_blank or task.has_key
    both = draw_blank_and_key(sheet, blank=task.has_blank, key=task.has_key) if has_pages else (None, None)
    for part, pages in zip((BLANK_PART, KEY_PART), both, strict=True):
        if pages is not None:
            blobs[part] = pack_sheet_pages(pages, add_shared)
    if task.has_key:
        quick_key = {
            "parts": list_quick_key_parts(unassigned_sheet),
            "slips": list(map(str, find_slip_indicators(unassigned_sheet))),
        }
        blobs[QUICK_KEY_PART] = json.dumps(quick_key, ensure_ascii=False).encode()
    for suffix, page in task.own_files:
        blobs[suffix] = _FILE_WRITERS[suffix](replace(unassigned_sheet, owner=task.owner, options=page).blank)
    return SheetParts(
        name=task.name,
        seed=task.seed,
        code=unassigned_sheet.code,
        matrices_digest=hashlib.sha256(repr(unassigned_sheet.problem.given).encode()).hexdigest()[:32],
        page_count=both[0].page_count if both[0] else 0,
        blobs=blobs,
    )


_FILE_WRITERS: dict[str, Callable[[Sheet], bytes]] = {
    ".pdf": FORMATS["pdf"].render_file,
    ".html": FORMATS["html"].render_file,
}
