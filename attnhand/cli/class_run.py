"""The run of ``attnhand class``: sheets made chunk by chunk, saved, bound, and put in place."""

import dataclasses
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from attnhand.classroom import WORKER_MODULES
from attnhand.classroom.booklets import ClassSet, write_key_booklet, write_sheets, write_student_sheet
from attnhand.classroom.class_file import CLASS_FILE, format_class_toml
from attnhand.classroom.class_request import ClassRequest, find_earlier_set, make_class_request
from attnhand.classroom.index import format_index_csv
from attnhand.classroom.making import Task, make_chunk, split_into_chunks
from attnhand.classroom.marks_table import format_marks_csv
from attnhand.classroom.plan import Plan, find_sheets_to_redraw, redraw_sheets
from attnhand.classroom.set_folder import (
    HAND_OUT_FOLDER,
    INDEX_FILE,
    KEYS_FILE,
    MARKS_FILE,
    SHEETS_FILE,
    TEACHER_FOLDER,
    ClassFolder,
    write_errors_in_one_sentence,
)
from attnhand.cli.progress import show_progress
from attnhand.errors import GenerationError, PageError
from attnhand.layout.lay_out import lay_out
from attnhand.sheet.seat import Identity
from attnhand.sheet.sheet import Sheet
from attnhand.system.processes import (
    InlineExecutor,
    RestartingProcessPool,
    count_processors,
    make_executor,
    refuse_impossible_process_count,
    run_jobs,
)
from attnhand.system.streams import write_stdout
from attnhand.text.widths import find_missing_characters

DEFAULT_FOLDER = "attnhand-class"

MAX_REDRAW_ROUNDS = 20
"""So often a sheet that somebody else has is drawn again."""

MAX_SAMPLE_STUDENTS = 3
"""Students whose sheets are tried before the work begins, until one is good."""

MIN_CHUNKS_FOR_PROCESSES = 2
"""Processes begin slowly: so little is made in this one."""

MIN_STUDENTS_TO_BIND_APART, MAX_STUDENTS_TO_BIND_APART = 200, 2_000
"""Students whose sheets take so long to bind that two processes are faster; with more, memory would grow with them."""

MAX_NAMES_IN_WARNING = 3
"""Names that a warning lists."""


def make_class_set(roster: str | None, option_values: Mapping[str, Any]) -> None:
    """Make a class set and print where its files are.

    Raises:
        AttnhandError: it cannot be made, or not be written.
    """
    folder = ClassFolder(_choose_root(roster, option_values.get("out")))
    folder.refuse_foreign_folder(force=option_values["force"])
    class_request = make_class_request(roster, option_values, folder)
    refuse_impossible_process_count(option_values.get("jobs"))
    jobs = option_values.get("jobs") or count_processors()
    sample = _make_sample_sheet(class_request.plan)
    printed = _list_sheet_files(class_request.plan)
    folder.check_replaceable(printed, force=option_values["force"])
    earlier_marks = folder.teacher_folder.read_marks()
    _warn_of_missing_characters(class_request.plan)
    with write_errors_in_one_sentence(folder.root):
        folder.start_or_resume(dataclasses.replace(class_request.class_file, last_number=0))
        try:
            with make_executor(jobs, option_values.get("scheduler") or "", WORKER_MODULES) as executor:
                plan = _make_sheets(class_request.plan, folder, executor)
                _write_set(dataclasses.replace(class_request, plan=plan), sample, folder, earlier_marks, executor)
        except KeyboardInterrupt:
            print("attnhand: stopped; the same command goes on from here", file=sys.stderr)
            raise
    listed_paths = [path for path in printed if path.name in (SHEETS_FILE, KEYS_FILE)]
    listed_paths += [Path(TEACHER_FOLDER, name) for name in (INDEX_FILE, MARKS_FILE, CLASS_FILE)]
    own_file_count = len(plan.list_student_files())
    lines = [str(folder.root / path) for path in sorted(listed_paths)]
    lines += (
        [f"{folder.root / HAND_OUT_FOLDER}{os.sep} ({own_file_count} files, by № and name)"] if own_file_count else []
    )
    write_stdout("".join(f"{line}\n" for line in lines))


def _choose_root(roster: str | None, out: str | None) -> Path:
    """Return the folder of the set: the one given, where the earlier set lies, or the usual one here."""
    earlier = find_earlier_set(roster)
    if out is not None or earlier is None:
        return Path(out or DEFAULT_FOLDER)
    return Path(os.path.relpath(earlier.folder.resolve().parent))


def _make_sample_sheet(plan: Plan) -> Sheet:
    """Return a sheet of the class, of which every page that somebody is to have can be laid out.

    Raises:
        AttnhandError: there is none, so that the work need not begin.
    """
    pages = {overrides.override_page(plan.settings.page) for overrides in plan.overrides_by_number.values()}
    for at, seat in enumerate(plan.seats[:MAX_SAMPLE_STUDENTS], 1):
        try:
            sheet = plan.settings.make_sheet(seat.seed)
            for page in pages | {plan.settings.page} if plan.printed_seats else pages:
                lay_out(dataclasses.replace(sheet, options=page, owner=seat.as_printed))
        except (GenerationError, PageError):
            if at == min(MAX_SAMPLE_STUDENTS, len(plan.seats)):
                raise
        else:
            return sheet
    raise AssertionError("a class has somebody in it")


def _list_sheet_files(plan: Plan) -> list[Path]:
    """Return the files that hold sheets, where they come to lie."""
    together = [Path(HAND_OUT_FOLDER, SHEETS_FILE)] if plan.printed_seats else []
    own = [Path(HAND_OUT_FOLDER, plan.make_file_name(seat, suffix)) for seat, suffix in plan.list_student_files()]
    return [*together, *own, Path(TEACHER_FOLDER, KEYS_FILE)]


def _make_sheets(plan: Plan, folder: ClassFolder, executor: Executor) -> Plan:
    """Make all sheets; return the plan with the seeds that they have in the end: no two sheets are alike."""
    tasks = plan.make_tasks()
    again: dict[Identity, str] = {}
    for _ in range(MAX_REDRAW_ROUNDS):
        _make_chunks(plan, tasks, folder, executor)
        again = find_sheets_to_redraw(plan.seats, folder.facts_by_sheet)
        if not again:
            return plan
        before = set(plan.make_tasks())
        plan = redraw_sheets(plan, list(again))
        tasks = tuple(task for task in plan.make_tasks() if task not in before)
    raise GenerationError(
        f"not everyone can have a sheet of their own ({next(iter(again.values()))}): choose larger sizes, or --versions"
    )


def _make_chunks(plan: Plan, tasks: Sequence[Task], folder: ClassFolder, executor: Executor) -> None:
    everything = split_into_chunks(plan.settings, tuple(tasks))
    with show_progress(len(tasks), "making sheets") as advance:
        missing = []
        for chunk in everything:
            if folder.load_chunk(chunk):
                advance(len(chunk.tasks))
            else:
                missing.append(chunk)
        if not missing:
            return
        is_short = len(missing) < MIN_CHUNKS_FOR_PROCESSES and not any(task.own_files for task in missing[0].tasks)
        here = is_short and isinstance(executor, RestartingProcessPool)
        for at, data in run_jobs(make_chunk, missing, InlineExecutor() if here else executor):
            folder.save_chunk(missing[at], data)
            advance(len(missing[at].tasks))


def _write_set(
    class_request: ClassRequest,
    sample: Sheet,
    folder: ClassFolder,
    earlier_marks: Sequence[Sequence[str]],
    executor: Executor,
) -> None:
    """Write every file of the set, then put all of them in place."""
    plan = class_request.plan
    bound = ClassSet(plan=plan, example_sheet=sample, facts=folder.facts_by_sheet, read_part=folder.read_part)
    written = [Path(HAND_OUT_FOLDER, SHEETS_FILE), Path(TEACHER_FOLDER, KEYS_FILE)][0 if plan.printed_seats else 1 :]
    # the files that hold everybody's sheets: one a process, but a cluster may not see this folder
    jobs = [(bound, folder, path) for path in written]
    if (
        isinstance(executor, RestartingProcessPool)
        and MIN_STUDENTS_TO_BIND_APART <= len(plan.seats) <= MAX_STUDENTS_TO_BIND_APART
    ):
        for _ in run_jobs(_write_combined_file, jobs, executor):
            pass
    else:
        if isinstance(executor, RestartingProcessPool):
            executor.shutdown()  # what they hold is free
        for job in jobs:
            _write_combined_file(job)
    for seat, suffix in plan.list_student_files():
        written.append(Path(HAND_OUT_FOLDER, plan.make_file_name(seat, suffix)))
        if folder.has_part(str(seat.number), suffix):
            folder.write_file(written[-1], folder.read_part(str(seat.number), suffix))
        else:
            with folder.open_for_writing(written[-1]) as out:
                write_student_sheet(bound, seat, out)
    seats = [dataclasses.replace(seat, code=folder.facts_by_sheet[str(seat.number)].code) for seat in plan.seats]
    asked = [stage.name for stage in sample.problem.mechanism.stages if sample.count_answer_cells(stage)]
    tables: Iterable[tuple[str, bytes]] = (
        (INDEX_FILE, format_index_csv(seats).encode("utf-8-sig")),
        (MARKS_FILE, format_marks_csv(plan.seats, asked, earlier_marks).encode("utf-8-sig")),
        (CLASS_FILE, format_class_toml(class_request.class_file).encode()),
    )
    for name, data in tables:
        written.append(Path(TEACHER_FOLDER, name))
        folder.write_file(written[-1], data)
    folder.put_in_place(written)


def _write_combined_file(job: tuple[ClassSet, ClassFolder, Path]) -> None:
    """Write everybody's sheets, or the teacher's booklet, into one file."""
    bound, folder, path = job
    with folder.open_for_writing(path) as out:
        (write_sheets if path.name == SHEETS_FILE else write_key_booklet)(bound, out)


def _warn_of_missing_characters(plan: Plan) -> None:
    """Say once which characters of names no font has."""
    names = [seat for seat in plan.seats if find_missing_characters(seat.student.name)]
    if not names:
        return
    missing = "".join(dict.fromkeys(c for seat in names for c in find_missing_characters(seat.student.name)))
    listed = ", ".join(f"№ {seat.printed_number} {seat.student.name}" for seat in names[:MAX_NAMES_IN_WARNING])
    more = f" and {len(names) - MAX_NAMES_IN_WARNING} more" if len(names) > MAX_NAMES_IN_WARNING else ""
    warning = f"□ is printed for {missing[:20]} in {listed}{more}: the bundled fonts lack such letters; "
    warning += "other letters in the column name would be printed"
    print(f"attnhand: {''.join(c if c.isprintable() else ' ' for c in warning)}", file=sys.stderr)
