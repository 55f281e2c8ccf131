"""What lies in the folder of a class: every file found and marked, on all processors, in the order of names."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from attnhand.classroom.executors import executor_for, finished, processors
from attnhand.classroom.gradebook import Paper
from attnhand.classroom.other_files import is_about_a_class, other_kind
from attnhand.classroom.signature import Signature, read_signature
from attnhand.cli.answer_file import handed_in, read_file
from attnhand.cli.progress import progress
from attnhand.cli.wishes import What
from attnhand.errors import AttnhandError
from attnhand.marking.answers import Answers
from attnhand.sheet.page_options import PageOptions

Job = TypeVar("Job")
Result = TypeVar("Result")

FEW = 20
"""Files that one process marks before others are ready to."""

AT_ONCE = 8
"""Files that a process is handed at a time."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file in the folder."""

    path: str
    shown: str
    """Its place in the folder, as text, with slashes."""

    problem: str = ""
    """Why it cannot even be opened."""


def files_in(folder: Path, left_out: Sequence[Path] = ()) -> list[Found]:
    """Return every file in a folder and the folders below, in the order of names; hidden ones are passed over.

    Args:
        left_out: the index, say.

    Raises:
        AttnhandError: there is no such folder, or it cannot be read.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "is not there"
        raise AttnhandError(f"{str(folder)!r} {what}: give the folder with what was handed in")
    found: list[Found] = []

    def refuse(error: OSError) -> None:
        place = Path(error.filename or folder)
        if place == folder:
            raise AttnhandError(f"{folder} cannot be read ({error.strerror}): check its permissions") from error
        found.append(_found(place, folder, f"is a folder that cannot be read ({error.strerror})"))

    passed = {path.resolve() for path in left_out}
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        paths = [Path(place, name) for name in names if not name.startswith(".")]
        found += [_found(path, folder) for path in paths if path.resolve() not in passed]
    return sorted(found, key=lambda each: each.shown)


def _found(path: Path, folder: Path, problem: str = "") -> Found:
    # names of files may hold bytes that are no text, and the gradebook is UTF-8
    shown = os.fsencode(path.relative_to(folder).as_posix()).decode("utf-8", "backslashreplace")
    return Found(str(path), shown, problem)


def marked_papers(found: Sequence[Found], what: What, page: PageOptions, jobs: int | None) -> list[Paper]:
    """Mark every file that was handed in; what we wrote ourselves about the class is none.

    Args:
        jobs: processes; None for one a processor.
    """
    made = in_order(partial(_paper, what=what, page=page), found, jobs, "marking")
    return [paper for paper in made if paper is not None]


def _paper(found: Found, what: What, page: PageOptions) -> Paper | None:
    """Mark a file; one that cannot be marked says why, and never stops the others."""
    from attnhand.marking.checked import checked

    if found.problem:
        return Paper(file=found.shown, problem=found.problem)
    try:
        data = read_file(found.path)
        if is_about_a_class(data):
            return None
        if problem := other_kind(data):
            return Paper(file=found.shown, problem=problem)
        handed = handed_in(found.path, None, what, page)
        marks = checked(handed.answers, handed.sheet)
    except AttnhandError as error:
        return Paper(file=found.shown, problem=_without_name(str(error), found.path))
    return Paper(file=found.shown, checked=marks, signature=_signature(handed.answers))


def _signature(answers: Answers) -> Signature:
    """Return whose a file says that it is: what was typed, and the № that it was handed out with."""
    typed = read_signature(answers.name[:200])
    return Signature(number=typed.number or answers.number, name=typed.name)


def _without_name(sentence: str, path: str) -> str:
    """Return a refusal without the file's name, which stands beside it."""
    for name in (path, Path(path).name):
        sentence = sentence.removeprefix(name).lstrip(": ")
    return sentence


def in_order(work: Callable[[Job], Result], jobs: Sequence[Job], processes: int | None, told: str) -> Iterator[Result]:
    """Do some work on every job, on so many processes, and yield the results in the order of the jobs."""
    at_once = AT_ONCE if len(jobs) >= FEW else 1
    chunks = [jobs[start : start + at_once] for start in range(0, len(jobs), at_once)]
    processes = min(processes or processors(), len(chunks)) if len(jobs) >= FEW else 1
    early: dict[int, list[Result]] = {}
    with progress(len(jobs), told) as advance, executor_for(processes) as executor:
        following = 0
        for number, results in finished(partial(_each, work), chunks, executor):
            early[number] = results
            advance(len(results))
            while following in early:
                yield from early.pop(following)
                following += 1


def _each(work: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
    return [work(job) for job in jobs]
