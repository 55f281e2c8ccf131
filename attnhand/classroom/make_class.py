"""A class set made: every sheet, by many processes, then the files of the set, all of them or none."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from attnhand.classroom import WORKER_MODULES
from attnhand.classroom.booklets import (
    ClassSet,
    format_seat_numbers,
    measure_part,
    write_key_booklet,
    write_quick_keys,
    write_sheets,
    write_student_sheet,
)
from attnhand.classroom.class_file import CLASS_FILE, format_class_toml
from attnhand.classroom.class_request import ClassRequest
from attnhand.classroom.class_tables import list_stage_titles, name_stage_columns
from attnhand.classroom.finished_sheets import SheetFacts, SheetStore
from attnhand.classroom.index import format_index_csv
from attnhand.classroom.making import CHUNK_SIZE, make_chunk, split_into_chunks
from attnhand.classroom.marks_table import format_marks_csv, move_marks
from attnhand.classroom.overrides import NO_OVERRIDES
from attnhand.classroom.plan import Plan
from attnhand.classroom.seeds import draw_distinct_sheets
from attnhand.classroom.set_folder import (
    HAND_OUT_FOLDER,
    INDEX_FILE,
    KEYS_FILE,
    MARKS_FILE,
    QUICK_KEYS_FILE,
    SHEETS_FILE,
    TEACHER_FOLDER,
    NewFiles,
)
from attnhand.errors import GenerationError, PageError
from attnhand.formats.registry import FORMATS
from attnhand.layout.lay_out import lay_out
from attnhand.sheet.seat import Seat
from attnhand.sheet.sheet import Sheet
from attnhand.system.processes import ShowProgress, Workers, hide_progress, make_workers, run_jobs
from attnhand.text import Message, get_language
from attnhand.text.widths import find_missing_characters

MAX_SAMPLE_STUDENTS = 3
"""Students whose sheets are tried before the work begins, until one is good."""

MAX_STUDENTS_TO_BIND_APART = 2_000
"""Students whose sheets and keys are bound by two processes at a time; with more, memory would grow with them."""

MAX_NAMES_IN_WARNING = 3
"""Names that a warning lists."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenClass:
    """A class set that was written."""

    files: tuple[Path, ...]
    """Those about everybody, where they lie now."""

    hand_out_folder: Path
    own_file_count: int
    """Files in the hand-out folder that are one student's."""

    seats: tuple[Seat, ...]
    """Everyone with the seed of their sheet."""

    title: str
    """Of the sheets."""

    warnings: tuple[str, ...]
    part_lengths: tuple[str, ...]
    """Where there are no covers: of how many pages each student's part of a PDF is."""


def make_class(class_request: ClassRequest, show_progress: ShowProgress = hide_progress) -> WrittenClass:
    """Make a class set and write its files, all of them or none.

    Raises:
        AttnhandError: it cannot be made, or not be written.
    """
    plan, folder = class_request.plan, class_request.folder
    samples = _make_sample_sheets(plan)
    folder.check_replaceable(_list_common_files(plan) + _list_own_files(plan), force=class_request.force)
    stage_titles = {title: name for sample in samples.values() for title, name in list_stage_titles(sample).items()}
    folder.teacher_folder.read_marks(stage_titles)  # a table that is none is refused before the work
    process_count = min(class_request.process_count, math.ceil(len(plan.seats) / CHUNK_SIZE))
    with folder.replace_files() as new_files:
        store_file = new_files.folder / "finished"
        store = SheetStore(store_file)
        with make_workers(process_count, class_request.scheduler, WORKER_MODULES) as workers:
            plan = _make_sheets(plan, workers, store, new_files, show_progress)
        class_set = ClassSet(plan=plan, examples=samples, store=store)
        # in processes here even where a cluster made the sheets: it may not see this folder
        _write_pdfs(class_set, new_files, process_count if len(plan.seats) <= MAX_STUDENTS_TO_BIND_APART else 1)
        _write_questions(class_set, new_files)
        tables = _make_tables(class_request, class_set, stage_titles)
        for path, data in tables.items():
            new_files.write(path, data)
        part_lengths = tuple(_describe_parts(class_set, folder.root))
        store_file.unlink()  # now: Ctrl-C while the rest is put in place shall leave nothing behind
    return WrittenClass(
        files=tuple(folder.root / path for path in sorted([*_list_common_files(plan), *tables])),
        hand_out_folder=folder.root / HAND_OUT_FOLDER,
        own_file_count=len(plan.list_student_files()),
        seats=plan.seats,
        title=class_set.title,
        warnings=(
            *_warn_of_missing_characters(plan),
            *((str(Message("self-check.note")),) if plan.settings.page.self_check else ()),
        ),
        part_lengths=part_lengths,
    )


def _make_sample_sheets(plan: Plan) -> Mapping[int, Sheet]:
    """Return a sheet of every form that somebody has, of which every page that somebody is to have can be laid out.

    Raises:
        AttnhandError: there is none, so that the work need not begin.
    """
    seats_by_form: dict[int, list[Seat]] = {}
    for seat in plan.seats:
        seats_by_form.setdefault(plan.settings.find_form(seat), []).append(seat)
    return {form: _make_sample_sheet(plan, form, seats) for form, seats in sorted(seats_by_form.items())}


def _make_sample_sheet(plan: Plan, form: int, seats: Sequence[Seat]) -> Sheet:
    everybody = {*plan.overrides_by_number.values(), *([NO_OVERRIDES] if plan.printed_seats else [])}
    for at, seat in enumerate(seats[:MAX_SAMPLE_STUDENTS], 1):
        try:
            sheet = plan.settings.make_sheet(seat.seed, form=form)
            for page in {overrides.override_page(sheet.options) for overrides in everybody}:
                lay_out(replace(sheet, options=page, seat=seat.as_printed))
            for name in plan.question_formats:
                FORMATS[name].render(sheet)
        except (GenerationError, PageError):
            if at == min(MAX_SAMPLE_STUDENTS, len(seats)):
                raise
        else:
            return sheet
    raise AssertionError("of every form there is a seat")


def _list_common_files(plan: Plan) -> list[Path]:
    """Return the files that hold several sheets, where they come to lie."""
    return [*(path for part in plan.by_folder.values() for path in _name_common_files(part)), *_name_questions(plan)]


def _name_questions(plan: Plan) -> Mapping[Path, str]:
    """Return the files with everybody's questions for learning platforms, with the name of the format."""
    if not plan.sorted_seats:
        return {}
    return {
        Path(TEACHER_FOLDER, plan.name_common_file(f"questions-{name}{_find_suffix(name)}")): name
        for name in plan.question_formats
    }


def _find_suffix(format_name: str) -> str:
    """Return how the file of a class ends, .xml or .zip."""
    return Path(FORMATS[format_name].suffix).suffix


def _name_common_files(plan: Plan) -> list[Path]:
    """Return the files with all sheets of one folder, and with their keys."""
    folder = plan.only_folder or ""
    sheets = [Path(HAND_OUT_FOLDER, folder, plan.name_common_file(SHEETS_FILE))] if plan.printed_seats else []
    names = [KEYS_FILE] if plan.has_covers else [KEYS_FILE, QUICK_KEYS_FILE]
    keys = [Path(TEACHER_FOLDER, folder, plan.name_common_file(name)) for name in names if plan.sorted_seats]
    return sheets + keys


def _list_own_files(plan: Plan) -> list[Path]:
    """Return the files of single students."""
    return [Path(HAND_OUT_FOLDER, plan.make_file_name(seat, suffix)) for seat, suffix in plan.list_student_files()]


def _make_sheets(
    plan: Plan, workers: Workers | None, store: SheetStore, new_files: NewFiles, show_progress: ShowProgress
) -> Plan:
    """Make all sheets; return the plan with the seeds that they have in the end."""
    seats_by_name = {str(seat.number): seat for seat in plan.seats}

    def make_missing_sheets(seats: Sequence[Seat]) -> Mapping[str, SheetFacts]:
        wanted = replace(plan, seats=tuple(seats)).iterate_tasks()
        tasks = [task for task in wanted if not store.has_sheet(task.name, task.seed)]
        with show_progress(len(tasks), "making sheets") as advance:
            for chunk in run_jobs(make_chunk, split_into_chunks(plan.settings, tasks), workers):
                store.add(chunk)
                for sheet in chunk.sheets:
                    for suffix, data in sheet.own_files.items():
                        file_name = plan.make_file_name(seats_by_name[sheet.facts.name], suffix)
                        new_files.write(Path(HAND_OUT_FOLDER, file_name), data)
                advance(len(chunk.sheets))
        return store.facts

    settings = plan.settings
    seats = draw_distinct_sheets(plan.seats, settings.request.seed, settings.salt, make_missing_sheets)
    return replace(plan, seats=seats)


def _write_pdfs(class_set: ClassSet, new_files: NewFiles, process_count: int) -> None:
    """Write everybody's sheets, the teacher's booklet, and the printed sheets that are files of their own too."""
    plan = class_set.plan
    jobs = [
        (replace(class_set, plan=part), new_files, path)
        for part in plan.by_folder.values()
        for path in _name_common_files(part)
    ]
    with make_workers(process_count, modules=WORKER_MODULES) as workers:
        for _ in run_jobs(_write_combined_pdf, jobs, workers):
            pass
    for seat, suffix in plan.list_student_files():
        path = Path(HAND_OUT_FOLDER, plan.make_file_name(seat, suffix))
        if not (new_files.folder / path).exists():
            with new_files.open(path) as out:
                write_student_sheet(class_set, seat, out)


def _write_questions(class_set: ClassSet, new_files: NewFiles) -> None:
    """Write everybody's sheets as questions for learning platforms; a sheet that many have is one of them."""
    plan, store = class_set.plan, class_set.store
    for path, name in _name_questions(plan).items():
        variants = {store.facts[str(seat.number)].code: str(seat.number) for seat in plan.sorted_seats}
        quizzes = [store.read_questions(number, name) for number in variants.values()]
        new_files.write(path, FORMATS[name].join_files(quizzes, [*class_set.examples.values()]))


def _make_tables(
    class_request: ClassRequest, class_set: ClassSet, stage_titles: Mapping[str, str]
) -> dict[Path, bytes]:
    """Return index, class file and marks, by where they come to lie: with all that somebody wrote into earlier ones.

    Args:
        stage_titles: the ids of stages by the titles that they may have.
    """
    plan, examples = class_set.plan, class_set.examples.values()
    changes, language = class_request.changes, get_language(plan.settings.page.language_code)
    stages = [(sheet, stage) for sheet in examples for stage in sheet.problem.mechanism.stages]
    asked_stages = list(dict.fromkeys(stage.name for sheet, stage in stages if sheet.count_answer_cells(stage)))
    stage_columns = {name: title for each in examples for name, title in name_stage_columns(each, language).items()}
    earlier = class_request.earlier or class_request.folder.teacher_folder
    seats = [replace(seat, code=class_set.store.facts[str(seat.number)].code) for seat in plan.seats]
    index = format_index_csv([*seats, *changes.withdrawn], earlier.read_own_columns(), language.code)
    class_text = format_class_toml(class_request.class_file, earlier.read_class_text())
    tables = {Path(INDEX_FILE): index.encode("utf-8-sig"), Path(CLASS_FILE): class_text.encode()}
    # read now: whoever marks while this is at work loses nothing
    there = class_request.folder.read_marks(plan.by_folder, stage_titles)
    marks = move_marks(there, {seat.number: plan.find_folder(seat) for seat in seats})
    for folder in plan.by_folder:
        table = format_marks_csv(
            [seat for seat in seats if plan.find_folder(seat) == folder],
            asked_stages,
            marks.get(folder, ()),
            changes.new_names,
            language_code=language.code,
            stage_columns=stage_columns,
        )
        tables[Path(folder, MARKS_FILE)] = table.encode("utf-8-sig")
    return {TEACHER_FOLDER / path: data for path, data in tables.items()}


def _write_combined_pdf(job: tuple[ClassSet, NewFiles, Path]) -> None:
    """Write a file that holds many sheets, or many keys."""
    class_set, new_files, path = job
    write_keys = write_quick_keys if path.name.endswith(QUICK_KEYS_FILE) else write_key_booklet
    with new_files.open(path) as out:
        (write_sheets if path.parts[0] == HAND_OUT_FOLDER else write_keys)(class_set, out)


def _describe_parts(class_set: ClassSet, root: Path) -> Iterator[str]:
    """Say of how many pages a student's part of each PDF of sheets is, and whose ends with empty ones."""
    plan, page_counts = class_set.plan, {name: facts.page_count for name, facts in class_set.store.facts.items()}
    language = get_language(plan.settings.page.language_code)
    for part in plan.by_folder.values() if not plan.has_covers else ():
        if part.printed_seats:
            pages = measure_part(replace(class_set, plan=part))
            shorter = [seat for seat in part.printed_seats if page_counts[str(seat.number)] < pages]
            key, numbers = f"class.parts{'.filled' if shorter else ''}", format_seat_numbers(shorter)
            yield language.format(key, file=root / _name_common_files(part)[0], pages=pages, numbers=numbers)


def _warn_of_missing_characters(plan: Plan) -> list[str]:
    """Say once which characters of names no font has."""
    seats = [seat for seat in plan.seats if find_missing_characters(seat.name + seat.group_and_id)]
    if not seats:
        return []
    missing = "".join(
        dict.fromkeys(c for seat in seats for c in find_missing_characters(seat.name + seat.group_and_id))
    )
    language = get_language(plan.settings.page.language_code)
    names = [f"№ {seat.number_and_name}" for seat in seats[:MAX_NAMES_IN_WARNING]]
    more = len(seats) - len(names)
    key = "class.missing_letters.more" if more else "class.missing_letters"
    return [language.format(key, letters=missing[:20], names=names, more=more)]
