"""The run of ``attnhand class``: sheets made chunk by chunk, kept, bound, and put in place."""

import dataclasses
import os
import sys
from collections.abc import Iterable, Mapping, Sequence
from concurrent.futures import Executor
from pathlib import Path
from typing import Any

from attnhand.classroom import WORKER_MODULES
from attnhand.classroom.booklets import Made, write_keys, write_one, write_sheets
from attnhand.classroom.class_file import CLASS_FILE, class_toml
from attnhand.classroom.index import index_csv, index_entry
from attnhand.classroom.making import Task, chunks, held, made
from attnhand.classroom.marks_table import marks_csv
from attnhand.classroom.plan import Plan, drawn_again, to_draw_again
from attnhand.classroom.set_folder import HAND_OUT, INDEX, KEYS, MARKS, SHEETS, TEACHER, ClassFolder, said_once
from attnhand.cli.class_request import Wanted, earlier_set, wanted
from attnhand.cli.progress import progress
from attnhand.errors import AttnhandError, GenerationError, PageError
from attnhand.formats.pdf.stamp import stamped_both
from attnhand.layout.lay_out import lay_out
from attnhand.sheet.sheet import Sheet
from attnhand.system.processes import InThisProcess, Processes, executor_for, finished, processors
from attnhand.system.streams import write_stdout
from attnhand.text.widths import missing_characters

FOLDER = "attnhand-class"

MOST_ROUNDS = 20
"""So often a sheet that somebody else has is drawn again."""

SAMPLES = 3
"""Students whose sheets are tried before the work begins, until one is good."""

FEW_CHUNKS = 2
"""Processes begin slowly: so little is made in this one."""

MANY, MOST = 200, 2_000
"""Students whose sheets take so long to bind that two processes are faster; with more, memory would grow with them."""

NAMED = 3
"""Names that a warning lists."""


def run(roster: str | None, chosen: Mapping[str, Any]) -> None:
    """Make the class set that is wanted.

    Raises:
        AttnhandError: it cannot be made, or not be written.
    """
    folder = ClassFolder(_root(roster, chosen.get("out")))
    folder.check_ours(force=chosen["force"])
    want = wanted(roster, chosen, folder)
    jobs = _jobs(chosen.get("jobs"))
    sample = _sample(want.plan)
    printed = _printed_files(want.plan)
    folder.check_replaceable(printed, force=chosen["force"])
    kept = folder.teacher.marks()
    _warn_of_missing(want.plan)
    with said_once(folder.root):
        folder.begin(dataclasses.replace(want.told, last=0))
        try:
            with executor_for(jobs, chosen.get("scheduler") or "", WORKER_MODULES) as executor:
                plan = _make(want.plan, folder, executor)
                _bind(dataclasses.replace(want, plan=plan), sample, folder, kept, executor)
        except KeyboardInterrupt:
            print("attnhand: stopped; the same command goes on from here", file=sys.stderr)
            raise
    shown = [path for path in printed if path.name in (SHEETS, KEYS)]
    shown += [Path(TEACHER, name) for name in (INDEX, MARKS, CLASS_FILE)]
    own = len(plan.files())
    told = [str(folder.root / path) for path in sorted(shown)]
    told += [f"{folder.root / HAND_OUT}{os.sep} ({own} files, by № and name)"] if own else []
    write_stdout("".join(f"{line}\n" for line in told))


def _root(roster: str | None, out: str | None) -> Path:
    """Return the folder of the set: what is said, where the earlier set lies, or the usual one here."""
    earlier = earlier_set(roster)
    if out is not None or earlier is None:
        return Path(out or FOLDER)
    return Path(os.path.relpath(earlier.folder.resolve().parent))


def _jobs(said: int | None) -> int:
    if said is not None and said < 1:
        raise AttnhandError(f"--jobs {said} is out of range: use 1 or more, or leave it out for all processors")
    return said or processors()


def _sample(plan: Plan) -> Sheet:
    """Return a sheet of the class, of which every page that somebody is to have can be laid out.

    Raises:
        AttnhandError: there is none, so that the work need not begin.
    """
    pages = {wishes.page(plan.terms.page) for wishes in plan.wishes.values()}
    for at, seat in enumerate(plan.seats[:SAMPLES], 1):
        try:
            sheet = plan.terms.sheet(seat.seed)
            if plan.printed:
                stamped_both(held(sheet, seat.holder, plan.terms.page))  # what all processes need, once
            for page in pages - {plan.terms.page} if plan.printed else pages:
                lay_out(dataclasses.replace(sheet, options=page, holder=seat.holder))
        except (GenerationError, PageError):
            if at == min(SAMPLES, len(plan.seats)):
                raise
        else:
            return sheet
    raise AssertionError("a class has somebody in it")


def _printed_files(plan: Plan) -> list[Path]:
    """Return the files that hold sheets, where they come to lie."""
    together = [Path(HAND_OUT, SHEETS)] if plan.printed else []
    own = [Path(HAND_OUT, plan.file_of(seat, suffix)) for seat, suffix in plan.files()]
    return [*together, *own, Path(TEACHER, KEYS)]


def _make(plan: Plan, folder: ClassFolder, executor: Executor) -> Plan:
    """Make all sheets; return the plan with the seeds that they have in the end: no two sheets are alike."""
    tasks = plan.tasks()
    again: dict[str, str] = {}
    for _ in range(MOST_ROUNDS):
        _make_all(plan, tasks, folder, executor)
        again = to_draw_again(plan.seats, folder.facts)
        if not again:
            return plan
        before = set(plan.tasks())
        plan = drawn_again(plan, list(again))
        tasks = tuple(task for task in plan.tasks() if task not in before)
    raise GenerationError(
        f"not everyone can have a sheet of their own ({next(iter(again.values()))}): choose larger sizes, or --versions"
    )


def _make_all(plan: Plan, tasks: Sequence[Task], folder: ClassFolder, executor: Executor) -> None:
    everything = chunks(plan.terms, tuple(tasks))
    with progress(len(tasks), "making sheets") as advance:
        missing = []
        for chunk in everything:
            if folder.has(chunk):
                advance(len(chunk.tasks))
            else:
                missing.append(chunk)
        if not missing:
            return
        is_short = len(missing) < FEW_CHUNKS and not any(task.files for task in missing[0].tasks)
        here = is_short and isinstance(executor, Processes)
        for at, data in finished(made, missing, InThisProcess() if here else executor):
            folder.keep(missing[at], data)
            advance(len(missing[at].tasks))


def _bind(want: Wanted, sample: Sheet, folder: ClassFolder, kept: Sequence[Sequence[str]], executor: Executor) -> None:
    """Write every file of the set, then put all of them in place."""
    plan = want.plan
    bound = Made(plan=plan, sample=sample, facts=folder.facts, read=folder.read)
    written = [Path(HAND_OUT, SHEETS), Path(TEACHER, KEYS)][0 if plan.printed else 1 :]
    # the files that hold everybody's sheets: one a process, but a cluster may not see this folder
    jobs = [(bound, folder, path) for path in written]
    if isinstance(executor, Processes) and MANY <= len(plan.seats) <= MOST:
        for _ in finished(_bind_together, jobs, executor):
            pass
    else:
        if isinstance(executor, Processes):
            executor.shutdown()  # what they hold is free
        for job in jobs:
            _bind_together(job)
    for seat, suffix in plan.files():
        written.append(Path(HAND_OUT, plan.file_of(seat, suffix)))
        if folder.has_part(str(seat.number), suffix):
            folder.write(written[-1], folder.read(str(seat.number), suffix))
        else:
            with folder.writing(written[-1]) as out:
                write_one(bound, seat, out)
    entries = [index_entry(seat, folder.facts[str(seat.number)].code) for seat in plan.seats]
    asked = [stage.name for stage in sample.problem.mechanism.stages if sample.cells_of(stage)]
    tables: Iterable[tuple[str, bytes]] = (
        (INDEX, index_csv(entries).encode("utf-8-sig")),
        (MARKS, marks_csv(plan.seats, asked, kept).encode("utf-8-sig")),
        (CLASS_FILE, class_toml(want.told).encode()),
    )
    for name, data in tables:
        written.append(Path(TEACHER, name))
        folder.write(written[-1], data)
    folder.finish(written)


def _bind_together(job: tuple[Made, ClassFolder, Path]) -> None:
    """Write everybody's sheets, or the teacher's booklet, into one file."""
    bound, folder, path = job
    with folder.writing(path) as out:
        (write_sheets if path.name == SHEETS else write_keys)(bound, out)


def _warn_of_missing(plan: Plan) -> None:
    """Say once which characters of names no font has."""
    names = [seat for seat in plan.seats if missing_characters(seat.student.name)]
    if not names:
        return
    missing = "".join(dict.fromkeys(c for seat in names for c in missing_characters(seat.student.name)))
    shown = ", ".join(f"№ {seat.holder.printed_number} {seat.student.name}" for seat in names[:NAMED])
    more = f" and {len(names) - NAMED} more" if len(names) > NAMED else ""
    told = f"□ is printed for {missing[:20]} in {shown}{more}: the bundled fonts lack such letters; "
    told += "other letters in the column name would be printed"
    print(f"attnhand: {''.join(c if c.isprintable() else ' ' for c in told)}", file=sys.stderr)
