"""Papers of a class: found in a folder, marked, compared with the index, and where feedback on each belongs."""

import os
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path, PurePath
from typing import NoReturn

from attnhand.classroom.class_tables import list_stage_titles
from attnhand.classroom.gradebook import Gradebook, StageMarks, UnreadablePaper
from attnhand.classroom.index import read_index
from attnhand.classroom.marks_table import read_filled_marks
from attnhand.classroom.matching import PaperMatcher, read_platform_name
from attnhand.classroom.other_files import is_about_a_class
from attnhand.classroom.set_folder import TeacherFolder
from attnhand.errors import AttnhandError, RosterError, escape_controls, name_option, shorten_quotes
from attnhand.marking.checked import CheckResult, read_owner
from attnhand.marking.submission import check_data, read_answer_file, read_answers
from attnhand.problems.base32 import normalize_code
from attnhand.sheet.asked import apply_code
from attnhand.sheet.option_table import spell_for_terminal
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder, parse_options
from attnhand.sheet.seat import Seat, read_file_number
from attnhand.sheet.sheet import Sheet
from attnhand.system.file_names import make_unique_safe_names
from attnhand.system.files import is_zip, read_file
from attnhand.system.limits import MAX_SECONDS, OutOfTimeError, limit_time
from attnhand.text import FALLBACK_LANGUAGE, Message, find_message

FEEDBACK_FOLDER = "feedback"


class NothingToMarkError(AttnhandError):
    """Nothing in a folder can be marked, and nothing was marked on paper."""


MAX_TABLE_BYTES = 20_000_000

MAX_FILES, MAX_DEPTH = 5_000, 30
"""Files in a folder, and folders inside one another: with more it is not what was handed in."""


@dataclass(frozen=True, slots=True)
class FoundFile:
    """A file in the folder."""

    path: str
    display_path: str
    """Its place in the folder, with slashes."""

    problem: Message | str = ""
    """Why it is not even opened."""

    size: int = 0

    sender: int | None = None
    """The № of whoever handed it in, where a learning platform has named it by one of the class."""

    @property
    def name(self) -> str:
        """Its own name, behind the № of whoever handed it in unless it begins with one."""
        own = read_platform_name(self.display_path)[1]
        return f"{self.sender:03d} {own}" if self.sender and not read_file_number(own) else own


def find_files(folder: Path, excluded: Sequence[Path] = ()) -> list[FoundFile]:
    """Return every file in a folder and the folders below, in the order of names; hidden ones are passed over.

    Args:
        excluded: files to pass over, the index for one.

    Raises:
        AttnhandError: there is no such folder, it cannot be read, or it holds far too much.
    """
    if not folder.is_dir():
        what = "is not a folder" if folder.exists() else "is not there"
        raise AttnhandError(f"{str(folder)!r} {what}: give the folder with what was handed in")
    found: list[FoundFile] = []

    def refuse(error: OSError) -> None:
        place = Path(error.filename or folder)
        if place == folder:
            raise AttnhandError(f"{folder} cannot be read ({error.strerror}): check its permissions") from error
        found.append(_make_found_file(place, folder, Message("answers.locked-folder", reason=error.strerror)))

    passed = {os.path.realpath(path) for path in excluded}
    for place, folders, names in os.walk(folder, onerror=refuse):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if folders and len(Path(place).relative_to(folder).parts) == MAX_DEPTH:
            found.append(_make_found_file(Path(place), folder, Message("answers.deep-folder", most=MAX_DEPTH)))
            folders.clear()
        paths = [Path(place, name) for name in names if not name.startswith(".")]
        found += [_make_found_file(path, folder) for path in paths if os.path.realpath(path) not in passed]
        if len(found) > MAX_FILES:
            advice = "give the folder with what was handed in, or mark it in parts"
            raise AttnhandError(f"{folder} holds more than {MAX_FILES:,} files: {advice}")
    return sorted(found, key=lambda each: each.display_path)


def _make_found_file(path: Path, folder: Path, problem: Message | str = "") -> FoundFile:
    size = 0
    with suppress(OSError):
        size = path.stat().st_size
    return FoundFile(str(path), make_display_path(path.relative_to(folder)), problem, size)


def make_display_path(path: PurePath) -> str:
    """Return a path so that it can stand in a table: names may hold bytes that are no text, or move a cursor."""
    text = os.fsencode(path.as_posix()).decode("utf-8", "backslashreplace")  # the gradebook is UTF-8
    return escape_controls(" ".join(text.splitlines()))


def name_senders(files: Sequence[FoundFile], index: Sequence[Seat]) -> list[FoundFile]:
    """Return the files with the № of whoever handed them in, where a learning platform has named them by who did."""
    owners = PaperMatcher(index)
    senders = [owners.find_platform_sender(file.display_path) for file in files]
    return [replace(file, sender=seat.number) if seat else file for file, seat in zip(files, senders, strict=True)]


def time_paper(
    file: FoundFile,
    order: SheetOrder,
    page: PageOptions,
    codes_by_number: Mapping[int, str],
    sheet_source: Sheet | None = None,
) -> tuple[CheckResult | UnreadablePaper | None, float]:
    """Mark a file, whatever is in it, and say how many processor seconds it took."""
    start = time.process_time()
    try:
        with limit_time():
            marked = mark_paper(file, order, page, codes_by_number, sheet_source)
            if isinstance(marked, CheckResult):
                _ = marked.feedback  # what is said of it is kept, and where that fails it fails here
            return marked, time.process_time() - start
    except (OutOfTimeError, MemoryError, RecursionError):
        return give_paper_up(file)[0], time.process_time() - start
    except Exception as error:  # a bug; nobody else is to wait for their marks until it is mended
        paper = UnreadablePaper(file=file.display_path, reason=Message("answers.fault", error=repr(error)))
    return paper, time.process_time() - start


def give_paper_up(file: FoundFile) -> tuple[UnreadablePaper, float]:
    """Return what comes of a file that ended the process that read it."""
    return UnreadablePaper(file=file.display_path, reason=Message("answers.costly")), MAX_SECONDS


def mark_paper(
    file: FoundFile,
    order: SheetOrder,
    page: PageOptions,
    codes_by_number: Mapping[int, str],
    sheet_source: Sheet | None = None,
) -> CheckResult | UnreadablePaper | None:
    """Mark a file; one that cannot be marked says why and whose it seems; None for what we wrote ourselves.

    Args:
        sheet_source: the sheet that everybody was given; None where files say it, or the class.
    """
    if file.problem:
        return UnreadablePaper(file=file.display_path, reason=file.problem)
    data = b""
    try:
        data = read_answer_file(file.path)
        if not is_zip(data) and is_about_a_class(data):
            return None
        paper = check_data(data, file.name, sheet_source, order, page, codes_by_number)
    except AttnhandError as error:
        if is_zip(data) and is_about_a_class(data):  # now: reading a spreadsheet twice takes twice as long
            return None
        return _name_sender(UnreadablePaper(file=file.display_path, reason=_find_reason(error, file)), data)
    return replace(paper, file=file.display_path)


def _name_sender(paper: UnreadablePaper, data: bytes) -> UnreadablePaper:
    """Add to a paper that cannot be marked what it says of whose it is, as far as that can be read."""
    try:
        answers = read_answers(data)
    except AttnhandError:
        return paper
    number, name = read_owner(answers)
    return replace(paper, number=number, name=name, code=answers.stated_code or "")


def _find_reason(error: AttnhandError, file: FoundFile) -> Message | str:
    """Return a refusal without the file's name, which stands beside it."""
    if isinstance(error.__cause__, OSError):
        return Message("answers.locked-file", reason=error.__cause__.strerror)
    for each in (error, error.__cause__):
        message = find_message(each) if isinstance(each, AttnhandError) else None
        if isinstance(message, Message):
            return message.map_texts(lambda text: spell_for_terminal(shorten_quotes(text)))
    sentence = spell_for_terminal(str(error))
    for name in (file.path, Path(file.path).name, file.name):
        sentence = sentence.removeprefix(name).lstrip(": ")
    return sentence


def refuse_unmarked_folder(folder: str, papers: Sequence[UnreadablePaper]) -> NoReturn:
    if not papers:
        raise NothingToMarkError(f"{folder} holds no answer file: give the folder with what was handed in")
    first = f"the first, {papers[0].file}, {papers[0].reason}"
    raise NothingToMarkError(f"{folder} holds no answer file that can be marked ({len(papers)} that cannot; {first})")


def read_index_file(name: str) -> tuple[Seat, ...]:
    try:
        return read_index(_read_table(name, "roster", "teacher/index.csv of the class"))
    except RosterError as error:
        raise RosterError(f"{name} {error}") from error


def read_paper_marks(
    names: Sequence[str], index: Sequence[Seat], papers: Sequence[CheckResult], sheet: Sheet | None
) -> Mapping[int, StageMarks]:
    """Read what was marked by eye, in one table or in one a group."""
    if not names:
        return {}
    if sheet is None:
        fault = "cannot be compared with the sheets, which the codes of the index do not make again"
        raise RosterError(f"{names[0]} {fault}: put the answer file of one student into the folder")
    known = {normalize_code(seat.code) for seat in index}
    cells = {stage.name: sheet.count_answer_cells(stage) for stage in sheet.problem.mechanism.stages}
    for paper in papers:
        for stage, (_, of) in paper.marks.scores_by_stage.items() if normalize_code(paper.sheet.code) in known else ():
            cells[stage] = max(of, cells.get(stage, 0))
    asked = {stage: count for stage, count in cells.items() if count}
    titles = list_stage_titles(sheet)
    marks: dict[int, StageMarks] = {}
    places: dict[int, str] = {}
    for name in names:
        try:
            table = _read_table(name, "marks", "teacher/marks.csv of the class, filled")
            own = read_filled_marks(table, index, asked, titles)
            for number in sorted(own.keys() & marks.keys()):
                _refuse_other_marks(name, places[number], number, is_same=own[number] == marks[number])
        except RosterError as error:
            raise RosterError(f"{name} {error}") from error
        marks |= own
        places |= dict.fromkeys(own, name)
    return marks


def _refuse_other_marks(name: str, earlier_name: str, number: int, *, is_same: bool) -> None:
    """Refuse marks of one student in two tables, unless a spreadsheet saved the same ones beside the CSV."""
    if Path(name).parent != Path(earlier_name).parent:
        raise RosterError(f"has the № {number:03d}, which another group has too: leave out one of the two lines")
    if not is_same:
        fault = f"has other marks for № {number:03d} than {Path(earlier_name).name} beside it"
        raise RosterError(
            f"{fault}: move one of the two elsewhere, or name the one that counts with {name_option('marks')}"
        )


def _read_table(name: str, option_name: str, advice: str) -> bytes:
    label = f"{name_option(option_name)} {name}"
    return read_file(Path(name), MAX_TABLE_BYTES, kind="such table", advice=f"give {advice}", label=label)


def add_class_options(
    teacher: TeacherFolder, order: SheetOrder, page: PageOptions, language: str | None
) -> tuple[SheetOrder, PageOptions]:
    """Return the options with what class.toml beside the index says: the salt, and what no code holds.

    A language that is asked for comes before that of the class.
    """
    if not teacher.has_set:
        return order, page
    options = teacher.read_class_file().beyond_codes
    of_class, page = parse_options(options | ({"language": language} if language else {}))
    return of_class.change(salt=of_class.salt if order.salt is None else order.salt), page


def find_shared_language(papers: Sequence[CheckResult]) -> str:
    """Return the code of the language that all marked papers are in; English where they are in several."""
    codes = {paper.sheet.options.language_code for paper in papers}
    return codes.pop() if len(codes) == 1 else FALLBACK_LANGUAGE


def find_example_sheet(
    papers: Sequence[CheckResult], index: Sequence[Seat] | None, order: SheetOrder, page: PageOptions
) -> Sheet | None:
    """Return a sheet of the class in the language of the page: the first that was handed in, else that of a code."""
    from attnhand.problems.sheet_code import decode_sheet_code
    from attnhand.sheet.make import make_sheet_from_request

    known = None if index is None else {normalize_code(seat.code) for seat in index}
    for paper in papers:
        if known is None or normalize_code(paper.sheet.code) in known:
            found = paper.sheet  # in the student's language
            return replace(found, options=replace(found.options, language=page.language))
    for seat in (index or ())[:1]:
        try:
            decoded = decode_sheet_code(seat.code, order.check_words(), order.load_story())
            asked = apply_code(page, replace(decoded, coded_mistake=None))  # of its numbers no sheet is made here
            return make_sheet_from_request(decoded.request, asked)
        except AttnhandError:  # somebody's own matrices, or words that the code does not hold
            return None
    return None


def name_reports(book: Gradebook) -> list[tuple[str, CheckResult]]:
    """Return what the feedback on every paper that counts is called: № and name, else the file's own name."""
    counted = [(row.seat, row.paper) for row in book.rows if row.paper]
    labels = [seat.number_and_name if seat else paper.file.replace("/", " ") for seat, paper in counted]
    papers = [name_owner(paper, seat) if seat else paper for seat, paper in counted]
    names = make_unique_safe_names(labels)
    return [(f"{FEEDBACK_FOLDER}/{name}.html", paper) for name, paper in zip(names, papers, strict=True)]


def name_owner(paper: CheckResult, seat: Seat) -> CheckResult:
    """Return a paper as that of a student, of whom the index knows more than the paper says."""
    return replace(paper, number=seat.number, name=seat.name)


def render_report(paper: CheckResult) -> bytes:
    from attnhand.marking.report import render_report_html

    return render_report_html(paper)
