"""``attnhand grade``: a folder of answers marked, the gradebook, the page of the class and everyone's feedback."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeVar

from attnhand.classroom import WORKER_MODULES
from attnhand.classroom.class_file import CLASS_FILE
from attnhand.classroom.gradebook import Gradebook, Paper, Row, StageMarks, gradebook, gradebook_csv
from attnhand.classroom.index import read_index
from attnhand.classroom.marks_table import marks_on_paper
from attnhand.classroom.matching import Entry, Signature, read_signature
from attnhand.classroom.other_files import is_about_a_class, other_kind
from attnhand.classroom.summary import summary
from attnhand.cli.class_request import read_class_file
from attnhand.cli.look import terminal_look
from attnhand.cli.output import check_replaceable, write_all
from attnhand.cli.progress import progress
from attnhand.errors import AttnhandError, RosterError
from attnhand.formats.answers import Answers
from attnhand.marking.checked import Checked
from attnhand.marking.paper import handed_in, read_file
from attnhand.problems.base32 import plain
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import What, gathered
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import sealed
from attnhand.system.file_names import safe_names
from attnhand.system.processes import executor_for, finished, processors
from attnhand.system.streams import write_stdout

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
    with progress(len(jobs), told) as advance, executor_for(processes, modules=WORKER_MODULES) as executor:
        following = 0
        for number, results in finished(partial(_each, work), chunks, executor):
            early[number] = results
            advance(len(results))
            while following in early:
                yield from early.pop(following)
                following += 1


def _each(work: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
    return [work(job) for job in jobs]


GRADEBOOK, SUMMARY, FEEDBACK = "gradebook.csv", "summary.html", "feedback"

NOT_IN_CODES = ("words", "embed", "positions", "title", "queries", "start", "blank_stages", "paper", "language")
"""Options of a class that a sheet's code does not hold; files that students write by hand have nothing but the code."""

LARGEST_TABLE = 20_000_000
"""Bytes."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """The options of ``grade``."""

    folder: str
    roster: str | None = None
    marks: str | None = None
    reports: bool = False
    out: str | None = None
    force: bool = False
    jobs: int | None = None


def grade(wanted: Wanted, what: What, page: PageOptions) -> None:
    """Mark a folder, write what came of it, and say it.

    Raises:
        AttnhandError: there is nothing to mark, index or marks are none, or a file may not or cannot be written.
    """
    if wanted.marks and not wanted.roster:
        raise AttnhandError("--marks says who by №, which takes the index: add --roster teacher/index.csv")
    if wanted.jobs is not None and wanted.jobs < 1:
        raise AttnhandError(f"--jobs {wanted.jobs} is no number of processes: use 1 or more")
    out = Path(wanted.out or "")
    for name in (GRADEBOOK, SUMMARY):
        check_replaceable(out / name, force=wanted.force)
    index = _index(wanted.roster) if wanted.roster else None
    what.secret()
    if wanted.roster:
        what, page = _of_class(Path(wanted.roster).with_name(CLASS_FILE), what, page)
    given = [Path(name) for name in (wanted.roster, wanted.marks) if name]
    papers = marked_papers(files_in(Path(wanted.folder), given), what, page, wanted.jobs)
    sheet = _example(papers, index, what, page)
    on_paper = _marks(wanted.marks, index, papers, sheet) if wanted.marks and index else {}
    _refuse_nothing(wanted.folder, papers, on_paper)
    book = gradebook(papers, index, on_paper)
    _write(book, sheet, out, wanted)


def _write(book: Gradebook, sheet: Sheet | None, out: Path, wanted: Wanted) -> None:
    from attnhand.classroom.summary_views import render_summary, render_summary_html

    told = summary(book, sheet)
    contents = [
        (out / GRADEBOOK, sealed(gradebook_csv(book).encode("utf-8-sig"), "csv")),
        (out / SUMMARY, render_summary_html(told)),
    ]
    reports = _reports(book, out) if wanted.reports else []
    for path, _ in reports:
        check_replaceable(path, force=wanted.force)
    write_all(_all_of(contents, reports, wanted.jobs))
    width, colour = terminal_look()
    write_stdout(render_summary(told, width=width, colour=colour))
    paths = [str(path) for path, _ in contents]
    if reports:
        paths.append(f"{out / FEEDBACK}/ ({len(reports)} files)")
    write_stdout("\n" + "".join(f"{path}\n" for path in paths))


def _all_of(
    contents: Sequence[tuple[Path, bytes]], reports: Sequence[tuple[Path, Checked]], jobs: int | None
) -> Iterator[tuple[Path, bytes]]:
    """Yield every file as it is to be written, one report after the other."""
    yield from contents
    made = in_order(_report, [checked for _, checked in reports], jobs, "writing feedback")
    for (path, _), data in zip(reports, made, strict=True):
        yield path, data


def _report(checked: Checked) -> bytes:
    from attnhand.marking.report import render_report_html

    return render_report_html(checked)


def _reports(book: Gradebook, out: Path) -> list[tuple[Path, Checked]]:
    """Return where the feedback on every paper that counts belongs: by № and name, else by the file's own name."""
    told = [(row, row.paper.checked) for row in book.rows if row.paper and row.paper.checked]
    names = safe_names([_report_name(row) for row, _ in told])
    return [(out / FEEDBACK / f"{name}.html", checked) for name, (_, checked) in zip(names, told, strict=True)]


def _report_name(row: Row) -> str:
    if row.entry:
        return f"{row.entry.number:03d} {row.entry.name}"
    return row.paper.file.replace("/", " ") if row.paper else ""


def _index(name: str) -> tuple[Entry, ...]:
    try:
        return read_index(_table(name, "--roster", "teacher/index.csv of the class"))
    except RosterError as error:
        raise RosterError(f"{name} {error}") from error


def _marks(name: str, index: Sequence[Entry], papers: Sequence[Paper], sheet: Sheet | None) -> Mapping[int, StageMarks]:
    if sheet is None:
        raise RosterError(
            f"{name} cannot be compared with the sheets, which the codes of the index do not make again: "
            "put the answer file of one student into the folder"
        )
    known = {plain(entry.code) for entry in index}
    cells = {stage.name: sheet.cells_of(stage) for stage in sheet.problem.mechanism.stages}
    for paper in papers:
        for stage, (_, of) in paper.by_stage.items() if paper.code in known else ():
            cells[stage] = max(of, cells.get(stage, 0))
    try:
        data = _table(name, "--marks", "teacher/marks.csv of the class, filled")
        return marks_on_paper(data, index, {stage: count for stage, count in cells.items() if count})
    except RosterError as error:
        raise RosterError(f"{name} {error}") from error


def _table(name: str, option: str, wanted: str) -> bytes:
    path, told = Path(name), f"{option} {name}".strip()
    try:
        if not path.exists():
            raise AttnhandError(f"{told} is not there: give {wanted}")
        if not path.is_file():
            raise AttnhandError(f"{told} is not a file: give {wanted}")
        with path.open("rb") as file:
            data = file.read(LARGEST_TABLE + 1)
    except OSError as error:
        raise AttnhandError(f"{told} cannot be read ({error.strerror}): check its permissions") from error
    if len(data) > LARGEST_TABLE:
        raise AttnhandError(f"{told} is larger than any such table: give {wanted}")
    return data


def _of_class(path: Path, what: What, page: PageOptions) -> tuple[What, PageOptions]:
    """Return the options with what class.toml beside the index says: the salt, and what no code holds."""
    if not path.is_file():
        return what, page
    try:
        told = read_class_file(_table(str(path), "", "the one that the class was made with"))
    except RosterError as error:
        raise RosterError(f"{path} {error}") from error
    of_class, page = gathered({name: said for name, said in told.options.items() if name in NOT_IN_CODES})
    return replace(of_class, salt=told.salt or None if what.salt is None else what.salt), page


def _example(papers: Sequence[Paper], index: Sequence[Entry] | None, what: What, page: PageOptions) -> Sheet | None:
    """Return a sheet of the class: the first that was handed in, else that of a code."""
    from attnhand.problems.sheet_code import decode
    from attnhand.sheet.make import sheet_from_request

    known = None if index is None else {plain(entry.code) for entry in index}
    for paper in papers:
        if paper.checked and (known is None or paper.code in known):
            return paper.checked.sheet
    for entry in (index or ())[:1]:
        try:
            return sheet_from_request(decode(entry.code, what.word_list()).request, page)
        except AttnhandError:  # somebody's own matrices, or words that the code does not hold
            return None
    return None


def _refuse_nothing(folder: str, papers: Sequence[Paper], on_paper: Mapping[int, StageMarks]) -> None:
    if on_paper or any(paper.checked for paper in papers):
        return
    if not papers:
        raise AttnhandError(f"{folder} holds no answer file: give the folder with what was handed in")
    first = papers[0]
    raise AttnhandError(
        f"{folder} holds no answer file that can be marked ({len(papers)} that cannot; the first, "
        f"{first.file}, {first.problem})"
    )
