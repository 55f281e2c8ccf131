"""Draw a chunk of a class's sheets: a pure function that any process on any machine can run."""

import hashlib
import pickle
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import islice

from attnhand.classroom.finished_sheets import FinishedChunk, FinishedSheet, SheetFacts
from attnhand.classroom.quick_key import make_quick_key
from attnhand.errors import GenerationError, PageError
from attnhand.formats.pdf.draw_sheet import draw_blank_and_key
from attnhand.formats.pdf.sheet_pages import SheetPages, pack_sheet_pages
from attnhand.formats.registry import FORMATS
from attnhand.problems.request import Request, make_story_request
from attnhand.problems.story_draw import draw_story
from attnhand.problems.story_template import StoryTemplate
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

    stories: tuple[StoryTemplate, ...] = ()
    """Those that seeds draw from, all of one form; none where the request says which, or there is none."""

    dealt: tuple[Request, ...] = ()
    """Those that are dealt in turn, from one № to the next; none where everybody is asked the same."""

    def find_form(self, seat: Seat) -> int:
        """Return which of the forms somebody has, by № or version: 0 for the first."""
        return ((seat.version or seat.number) - 1) % max(1, len(self.dealt))

    def make_sheet(self, seed: int, language: str | None = None, form: int = 0) -> Sheet:
        """Draw, solve and prove the sheet of a seed, nobody's yet.

        Args:
            language: where it is another than that of the class.
            form: which of those that are dealt in turn.

        Raises:
            GenerationError: the seed finds no good sheet.
        """
        request = replace(self.dealt[form] if self.dealt else self.request, seed=seed)
        if self.stories:
            story = draw_story(seed, self.stories)
            request = make_story_request(story, seed, convention=request.convention, rules=request.rules)
        page = replace(self.page, language=language or self.page.language)
        return make_sheet_from_request(request, page, salt=self.salt, words=self.words, title=self.title)


CHUNK_SIZE = 25
"""Sheets in a chunk: few enough that all processes have work to the end, many enough that handing out costs little."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """One sheet to make."""

    name: str
    """What it goes by within the set: "47", or "version 2"."""

    seed: int
    seat: Seat | None = None
    """Whose it is; None for the key of a version."""

    has_blank: bool = True
    """Whether it is printed with everybody's."""

    has_key: bool = True
    """Whether there is a key, and quick key, for it alone."""

    own_files: tuple[tuple[str, PageOptions], ...] = ()
    """Files of its own: how each ends, and its page."""

    question_formats: tuple[str, ...] = ()
    """Those of learning platforms in which it is written too."""

    language: str | None = None
    """Where it is another than that of the class."""

    form: int = 0
    """Which of those that are dealt in turn."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Chunk:
    """Sheets that one job makes."""

    settings: ClassSettings
    tasks: tuple[Task, ...]


def split_into_chunks(settings: ClassSettings, tasks: Iterable[Task]) -> Iterator[Chunk]:
    """Yield sheets to make in chunks."""
    left = iter(tasks)
    while chunk_tasks := tuple(islice(left, CHUNK_SIZE)):
        yield Chunk(settings=settings, tasks=chunk_tasks)


def make_chunk(chunk: Chunk) -> FinishedChunk:
    """Make the sheets of a chunk: pages, quick keys, files."""
    sheets: dict[tuple[int, str | None, int], Sheet] = {}
    shared: dict[str, bytes] = {}
    finished = []
    with pause_garbage_collection():
        for task in chunk.tasks:
            try:
                drawn_from = (task.seed, task.language, task.form)
                if drawn_from not in sheets:
                    sheets[drawn_from] = chunk.settings.make_sheet(*drawn_from)
                finished.append(_finish_sheet(task, sheets[drawn_from], shared))
            except (GenerationError, PageError) as refusal:
                facts = SheetFacts(name=task.name, seed=task.seed, refusal=f"{refusal}")
                finished.append(FinishedSheet(facts=facts))
    return FinishedChunk(sheets=tuple(finished), shared=shared)


def _finish_sheet(task: Task, unassigned_sheet: Sheet, shared: dict[str, bytes]) -> FinishedSheet:
    """Draw a sheet for its owner; what its pages share with others is added to ``shared``."""
    page = replace(unassigned_sheet.options, fillable=False, self_check=False)
    sheet = replace(unassigned_sheet, seat=task.seat, options=page)

    def pack(pages: SheetPages | None) -> bytes:
        if pages is None:
            return b""
        packed, shared_by_name = pack_sheet_pages(pages)
        shared.update(shared_by_name)
        return packed

    has_pages = task.has_blank or task.has_key
    blank, key = draw_blank_and_key(sheet, blank=task.has_blank, key=task.has_key) if has_pages else (None, None)
    return FinishedSheet(
        facts=SheetFacts(
            name=task.name,
            seed=task.seed,
            code=unassigned_sheet.code,
            matrices_digest=hashlib.sha256(repr(unassigned_sheet.problem.given).encode()).digest(),
            page_count=blank.page_count if blank else 0,
        ),
        blank=pack(blank),
        key=pack(key),
        quick_key=pickle.dumps(make_quick_key(unassigned_sheet)) if task.has_key else b"",
        own_files={
            suffix: _FILE_WRITERS[suffix](replace(sheet, options=_ask_alike(unassigned_sheet, own_page)).blank)
            for suffix, own_page in task.own_files
        },
        questions={name: FORMATS[name].render(unassigned_sheet) for name in task.question_formats},
    )


def _ask_alike(sheet: Sheet, own_page: PageOptions) -> PageOptions:
    """Return the page of a file of its own, which asks what the printed sheet asks: a part, or a story, not all."""
    return replace(sheet.options, large_print=own_page.large_print, fillable=own_page.fillable)


FILE_FORMATS = ("html", "xlsx", "tex")
"""In which everybody may have a file of their own, besides PDFs."""

_FILE_WRITERS: dict[str, Callable[[Sheet], bytes]] = {
    f".{name}": FORMATS[name].render_file for name in ("pdf", *FILE_FORMATS)
}
