"""A few sheets of a class, made in one go: a pure function of a chunk, which any process on any machine can work."""

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache
from importlib.metadata import version

from attnhand.classroom.chunk_file import Parcel, packed, packed_pages
from attnhand.classroom.quick_key import quick_key, tell_tales
from attnhand.errors import GenerationError, PageError
from attnhand.formats.pdf.stamp import stamped_both
from attnhand.formats.registry import FORMATS
from attnhand.problems.request import Request
from attnhand.sheet.make import sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.owner import Holder
from attnhand.sheet.sheet import Sheet
from attnhand.system.processes import collecting_no_garbage


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Everything about a class's sheets but their seeds and their holders."""

    request: Request
    """Its seed is the class's."""

    page: PageOptions
    words: tuple[str, ...] = ()
    """Labels of the tokens that are not looked up."""

    title: str = ""
    salt: str = ""
    """Empty for open sheets, whose codes give the key to everybody."""

    def sheet(self, seed: int) -> Sheet:
        """Draw, solve and prove the sheet of a seed, nobody's yet.

        Raises:
            GenerationError: the seed finds no good sheet.
        """
        return sheet_from_request(
            replace(self.request, seed=seed), self.page, salt=self.salt, words=self.words, title=self.title
        )


def held(sheet: Sheet, holder: Holder | None, page: PageOptions | None = None) -> Sheet:
    """Return a sheet as it is handed to somebody, on the page of that student."""
    return replace(sheet, holder=holder, options=page or sheet.options)


CHUNK = 25
"""Sheets that are made in one go: little is lost when it stops, and little is spent on handing out."""

BLANK, KEY, QUICK = "blank", "key", "quick"
"""Parts of what is made of a sheet: stamped pages; quick key and tell-tales as JSON. Files go by how they end."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One sheet to make."""

    name: str
    """What it goes by within the set: "47", or "version 2"."""

    seed: int
    holder: Holder | None = None
    """Whose it is; None for the key of a version."""

    blank: bool = True
    """Whether it is printed with everybody's."""

    key: bool = True
    """Whether there is a key, and quick key, for it alone."""

    files: tuple[tuple[str, PageOptions], ...] = ()
    """Files of its own: how each ends, and its page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Sheets that are made in one go."""

    terms: Terms
    tasks: tuple[Task, ...]

    @property
    def digest(self) -> str:
        """What tells it from every other chunk: all that shapes its sheets, and the program."""
        told = f"{_program()} {self!r}"
        return hashlib.sha256(told.encode("utf-8", "surrogatepass")).hexdigest()[:24]


@cache
def _program() -> str:
    """Return the version of this program, which is read from a file."""
    return version("attnhand")


def chunks(terms: Terms, tasks: tuple[Task, ...]) -> tuple[Chunk, ...]:
    """Divide sheets to make into chunks."""
    return tuple(Chunk(terms=terms, tasks=tasks[at : at + CHUNK]) for at in range(0, len(tasks), CHUNK))


def made(chunk: Chunk) -> bytes:
    """Make the sheets of a chunk: pages, quick keys, files, packed into one parcel."""
    with collecting_no_garbage():
        return _made(chunk)


def _made(chunk: Chunk) -> bytes:
    drawn: dict[int, Sheet] = {}
    templates: dict[str, bytes] = {}
    parcels = []
    for task in chunk.tasks:
        try:
            if task.seed not in drawn:
                drawn[task.seed] = chunk.terms.sheet(task.seed)
            parcels.append(_parcel(task, drawn[task.seed], templates))
        except (GenerationError, PageError) as refusal:
            parcels.append(Parcel(name=task.name, seed=task.seed, refused=str(refusal)))
    return packed(parcels, templates)


def _parcel(task: Task, drawn: Sheet, templates: dict[str, bytes]) -> Parcel:
    sheet = held(drawn, task.holder, replace(drawn.options, fillable=False, self_check=False))
    blobs = {}
    wanted = task.blank or task.key
    both = stamped_both(sheet, blank=task.blank, key=task.key) if wanted else (None, None)
    for part, pages in zip((BLANK, KEY), both, strict=True):
        if pages is not None:
            blobs[part] = packed_pages(pages, templates)
    if task.key:
        blobs[QUICK] = json.dumps([quick_key(drawn), *map(str, tell_tales(drawn))], ensure_ascii=False).encode()
    for suffix, page in task.files:
        blobs[suffix] = _FILES[suffix](held(drawn, task.holder, page).blank)
    return Parcel(
        name=task.name,
        seed=task.seed,
        code=drawn.code,
        matrices=hashlib.sha256(repr(drawn.problem.given).encode()).hexdigest()[:32],
        pages=len(both[0].streams) if both[0] else 0,
        blobs=blobs,
    )


_FILES: dict[str, Callable[[Sheet], bytes]] = {".pdf": FORMATS["pdf"].file, ".html": FORMATS["html"].file}
