"""``attnhand grade``: a folder of answers marked, the gradebook, the page of the class and everyone's feedback."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TypeVar

from attnhand.classroom import WORKER_MODULES
from attnhand.classroom.class_file import CLASS_FILE
from attnhand.classroom.gradebook import Gradebook, Paper, build_gradebook, format_gradebook_csv
from attnhand.classroom.papers import (
    FEEDBACK_FOLDER,
    FoundFile,
    add_class_options,
    find_example_sheet,
    find_files,
    mark_paper,
    plan_reports,
    read_index_file,
    read_paper_marks,
    refuse_empty_folder,
    render_report,
)
from attnhand.classroom.summary import build_summary
from attnhand.cli.look import measure_terminal
from attnhand.cli.progress import show_progress
from attnhand.errors import AttnhandError
from attnhand.marking.checked import CheckResult
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import add_digest
from attnhand.system.files import check_replaceable, write_files
from attnhand.system.processes import count_processors, make_executor, run_jobs
from attnhand.system.streams import write_stdout
from attnhand.text import Language, get_language

Job = TypeVar("Job")
Result = TypeVar("Result")

MIN_FILES_FOR_PROCESSES = 20
"""Files that one process marks before others are ready to."""

FILES_PER_TASK = 8
"""Files that a process is handed at a time."""


def mark_papers(files: Sequence[FoundFile], order: SheetOrder, page: PageOptions, processes: int | None) -> list[Paper]:
    """Mark every file that was handed in; what we wrote ourselves about the class is none.

    Args:
        processes: None for one a processor.
    """
    papers = run_in_order(partial(mark_paper, order=order, page=page), files, processes, "marking")
    return [paper for paper in papers if paper is not None]


def run_in_order(
    work: Callable[[Job], Result], jobs: Sequence[Job], processes: int | None, label: str
) -> Iterator[Result]:
    """Do some work on every job, on so many processes, and yield the results in the order of the jobs."""
    are_many = len(jobs) >= MIN_FILES_FOR_PROCESSES
    at_once = FILES_PER_TASK if are_many else 1
    chunks = [jobs[start : start + at_once] for start in range(0, len(jobs), at_once)]
    processes = min(processes or count_processors(), len(chunks)) if are_many else 1
    early: dict[int, list[Result]] = {}
    with show_progress(len(jobs), label) as advance, make_executor(processes, modules=WORKER_MODULES) as executor:
        following = 0
        for number, results in run_jobs(partial(_run_batch, work), chunks, executor):
            early[number] = results
            advance(len(results))
            while following in early:
                yield from early.pop(following)
                following += 1


def _run_batch(work: Callable[[Job], Result], jobs: Sequence[Job]) -> list[Result]:
    return [work(job) for job in jobs]


GRADEBOOK_FILE, SUMMARY_FILE = "gradebook.csv", "summary.html"


@dataclass(frozen=True, slots=True, kw_only=True)
class GradingOptions:
    """The options of ``grade``."""

    folder: str
    roster: str | None = None
    marks: str | None = None
    reports: bool = False
    out: str | None = None
    force: bool = False
    jobs: int | None = None
    language: str | None = None
    """As it was asked for; None for that of the class."""


def grade_folder(options: GradingOptions, order: SheetOrder, page: PageOptions) -> None:
    """Mark a folder, write what came of it, and say it.

    Raises:
        AttnhandError: there is nothing to mark, index or marks are none, or a file may not or cannot be written.
    """
    if options.marks and not options.roster:
        raise AttnhandError("--marks says who by №, which takes the index: add --roster teacher/index.csv")
    if options.jobs is not None and options.jobs < 1:
        raise AttnhandError(f"--jobs {options.jobs} is no number of processes: use 1 or more")
    out = Path(options.out or "")
    for name in (GRADEBOOK_FILE, SUMMARY_FILE):
        check_replaceable(out / name, force=options.force)
    index = read_index_file(options.roster) if options.roster else None
    order.get_salt()
    get_language(page.language)
    if options.roster:
        class_file = Path(options.roster).with_name(CLASS_FILE)
        order, page = add_class_options(class_file, order, page, options.language)
    given = [Path(name) for name in (options.roster, options.marks) if name]
    papers = mark_papers(find_files(Path(options.folder), given), order, page, options.jobs)
    sheet = find_example_sheet(papers, index, order, page)
    on_paper = read_paper_marks(options.marks, index, papers, sheet) if options.marks and index else {}
    refuse_empty_folder(options.folder, papers, on_paper)
    book = build_gradebook(papers, index, on_paper)
    _write_results(book, sheet, out, options, get_language(page.language))


def _write_results(
    book: Gradebook, sheet: Sheet | None, out: Path, options: GradingOptions, language: Language
) -> None:
    from attnhand.classroom.summary_views import render_summary, render_summary_html

    summary = build_summary(book, sheet, language)
    contents = [
        (out / GRADEBOOK_FILE, add_digest(format_gradebook_csv(book, language).encode("utf-8-sig"), "csv")),
        (out / SUMMARY_FILE, render_summary_html(summary, language.code)),
    ]
    reports = plan_reports(book, out) if options.reports else []
    for path, _ in reports:
        check_replaceable(path, force=options.force)
    write_files(_iterate_files(contents, reports, options.jobs))
    width, colour = measure_terminal()
    write_stdout(render_summary(summary, width=width, colour=colour))
    paths = [str(path) for path, _ in contents]
    paths += [f"{out / FEEDBACK_FOLDER}/ ({len(reports)} files)"] if reports else []
    write_stdout("\n" + "".join(f"{path}\n" for path in paths))


def _iterate_files(
    tables: Sequence[tuple[Path, bytes]], reports: Sequence[tuple[Path, CheckResult]], processes: int | None
) -> Iterator[tuple[Path, bytes]]:
    """Yield every file as it is to be written, one report after the other."""
    yield from tables
    pages = run_in_order(render_report, [checked for _, checked in reports], processes, "writing feedback")
    for (path, _), data in zip(reports, pages, strict=True):
        yield path, data
