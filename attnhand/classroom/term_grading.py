"""What came back in a term: every paper marked with its own week's, and a gradebook over the weeks."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path, PurePosixPath

from attnhand.classroom import MARKING_MODULES
from attnhand.classroom.class_tables import write_column_title, write_table
from attnhand.classroom.gradebook import GradebookRow, compose_remark, describe_named_slip, format_marks
from attnhand.classroom.grading import GradedFolder, grade_folder
from attnhand.classroom.matching import read_platform_name
from attnhand.classroom.papers import FoundFile, NothingToMarkError
from attnhand.classroom.review_table import REVIEW_FILES
from attnhand.classroom.submissions_zip import open_submissions
from attnhand.classroom.term_folder import TERM_FILE, TermFolder
from attnhand.errors import AttnhandError
from attnhand.marking.marks import SINGLE_CELL
from attnhand.marking.submission import read_answer_file, read_answers
from attnhand.problems.base32 import normalize_code
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import Seat
from attnhand.system.limits import limit_time
from attnhand.system.processes import ShowProgress, hide_progress, refuse_impossible_process_count, run_in_order
from attnhand.system.tables import escape_formula
from attnhand.text import Language
from attnhand.text.widths import parse_markup, to_unicode

TERM_BOOK_FILE = "term.csv"

MIN_WEEKS_AGAIN = 2
"""In so many weeks a slip comes again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradedTerm:
    """What came of the papers of a term."""

    weeks: Mapping[int, GradedFolder]
    """Those of which something came back."""

    indexes: Mapping[int, tuple[Seat, ...]]
    """Who has which sheet, in every week of the term."""

    late_files: Mapping[str, int]
    """Papers that lay among those of a later week, and that week."""

    language: Language

    def describe(self) -> Iterator[str]:
        """Say how many papers were sorted to which week, and which came later."""
        for week, graded in self.weeks.items():
            papers = sum(len(_list_files(row)) for row in graded.book.rows) + len(graded.book.unmatched_papers)
            papers += len(graded.book.unreadable_papers)
            yield self.language.format("term.graded", week=week, papers=papers)
            late = {name: later for name, later in self.late_files.items() if name in _list_all_files(graded)}
            for name, later in late.items():
                yield f"  {name}: {self.language.format('term.late', week=later)}"


def _list_files(row: GradebookRow) -> list[str]:
    papers = [*([row.paper] if row.paper else []), *row.same_papers, *row.uncounted_papers]
    return [*(paper.file for paper in papers), *(each.file for each in row.unreadable_papers)]


def _list_all_files(graded: GradedFolder) -> list[str]:
    book = graded.book
    files = [name for row in book.rows for name in _list_files(row)]
    files += [paper.file for paper in book.unmatched_papers]
    return [*files, *(each.file for each in book.unreadable_papers)]


def grade_term(
    folder: TermFolder,
    answers: str,
    order: SheetOrder,
    page: PageOptions,
    *,
    out: Path,
    language: str | None = None,
    processes: int | None = 1,
    show_progress: ShowProgress = hide_progress,
) -> GradedTerm:
    """Mark all that came back in a term, each paper with its own week's; nothing is written.

    Args:
        answers: a folder, or a zip of it.
        out: where earlier runs wrote, and what was decided there.

    Raises:
        AttnhandError: there is nothing to mark, or a week's folder is not as it was made.
    """
    refuse_impossible_process_count(processes)
    weeks = folder.list_weeks()
    indexes = {week: folder.get_teacher(week).read_seats() for week in weeks}
    if not weeks:
        raise AttnhandError(f"{folder.root} has no week: make the term again, attnhand term")
    week_by_code = {normalize_code(seat.code): week for week in weeks for seat in indexes[week]}
    reviews = {week: [out / name_week(week) / name for name in REVIEW_FILES] for week in weeks}

    def grade(week: int, files: Sequence[FoundFile]) -> GradedFolder:
        return grade_folder(
            answers,
            order,
            page,
            class_folder=str(folder.find_week(week)),
            reviews=reviews[week],
            language=language,
            processes=processes,
            show_progress=show_progress,
            found_files=files,
        )

    graded: dict[int, GradedFolder] = {}
    left_over: list[FoundFile] = []
    excluded = [*(path for week in weeks for path in reviews[week]), folder.root / TERM_FILE]
    with open_submissions(Path(answers), excluded) as found:
        codes = list(run_in_order(read_code, found, processes, modules=MARKING_MODULES, give_up=give_code_up))
        sorted_files, late_files = sort_files(
            found, [week_by_code.get(normalize_code(code)) for code in codes], weeks[-1]
        )
        refusal: NothingToMarkError | None = None
        for week in weeks:
            files = sorted_files.get(week, [])
            try:
                graded[week] = grade(week, files)
            except NothingToMarkError as error:
                left_over += files
                refusal = error if files or refusal is None else refusal
        if not graded:
            assert refusal is not None
            raise refusal
        if left_over:  # what cannot be marked is listed all the same
            week = max(graded)
            graded[week] = grade(week, [*sorted_files.get(week, []), *left_over])
    spoken = next(iter(graded.values())).language
    return GradedTerm(weeks=graded, indexes=indexes, late_files=late_files, language=spoken)


def read_code(file: FoundFile) -> str:
    """Return the code that a file says, by which it is sorted; empty where it says none, or cannot be read."""
    try:
        with limit_time():
            return "" if file.problem else read_answers(read_answer_file(file.path)).stated_code or ""
    except Exception:  # whatever is wrong with it is said where it is marked
        return ""


def give_code_up(_file: FoundFile) -> str:
    """Return what is known of a file that ended the process that read it."""
    return ""


def sort_files(
    files: Sequence[FoundFile], weeks: Sequence[int | None], last_week: int
) -> tuple[dict[int, list[FoundFile]], dict[str, int]]:
    """Return the files of every week, and of those that lay in the pile of a later week that week, by their names.

    A pile is a folder; it is of the week of more than half of its papers. What says no code goes with its pile, or
    with the last week of which there is a paper.

    Args:
        weeks: those that the codes say, None where a file says none.
    """
    piles: dict[PurePosixPath, Counter[int]] = {}
    for file, week in zip(files, weeks, strict=True):
        if week is not None:
            piles.setdefault(_find_pile(file), Counter())[week] += 1
    of_piles = {}
    for pile, counts in piles.items():
        week, count = counts.most_common(1)[0]
        if 2 * count > counts.total():
            of_piles[pile] = week
    last = max((week for week in weeks if week is not None), default=last_week)
    sorted_files: dict[int, list[FoundFile]] = {}
    late: dict[str, int] = {}
    for file, own in zip(files, weeks, strict=True):
        of_pile = of_piles.get(_find_pile(file))
        sorted_files.setdefault(own or of_pile or last, []).append(file)
        if own is not None and of_pile is not None and own < of_pile:
            late[file.display_path] = of_pile
    return sorted_files, late


def _find_pile(file: FoundFile) -> PurePosixPath:
    """Return the folder of a file; of one that a learning platform put into a folder of its own the one around it."""
    parent = PurePosixPath(file.display_path).parent
    return parent.parent if read_platform_name(file.display_path)[0] and "_assignsubmission_" in parent.name else parent


def name_week(week: int) -> str:
    """Return the folder into which a week's gradebook is written."""
    return f"week-{week}"


def format_term_csv(graded: GradedTerm) -> str:
    """Return the gradebook over the weeks as CSV text with CRLF line ends; encode it as ``utf-8-sig``.

    A week of which somebody handed in nothing has empty cells and stands under "missing"; it is in no sum. Who was not
    in the class then misses nothing.
    """
    language, say = graded.language, graded.language.format
    titles = [write_column_title(name, language) for name in ("№", "name", "id", "group")]
    for week in graded.weeks:
        titles += [say("term.column.score", week=week), say("term.column.of", week=week)]
    titles += [say("term.column.sum"), write_column_title("of", language), say("term.column.missing")]
    titles += [say("term.column.again"), write_column_title("remark", language)]
    lines: list[Sequence[object]] = [titles]
    for seat in _list_people(graded):
        rows = {
            week: row
            for week, each in graded.weeks.items()
            for row in each.book.rows
            if row.seat and row.seat.number == seat.number
        }
        cells: list[object] = []
        for week in graded.weeks:
            row = rows.get(week)
            has_marks = row is not None and row.max_score
            cells += [_write_marks(row.score, language), row.max_score] if row and has_marks else ["", ""]
        marked = [row for row in rows.values() if row.max_score]
        total = sum((row.score for row in marked), start=Decimal(0))
        sums = [_write_marks(total, language), sum(row.max_score for row in marked)] if marked else ["", ""]
        missing = [str(week) for week, row in rows.items() if not row.max_score]
        remarks = list(_list_remarks(graded, rows))
        lines.append(
            [
                seat.printed_number,
                *map(escape_formula, (seat.name, seat.student.id, seat.student.group)),
                *cells,
                *sums,
                ", ".join(missing),
                escape_formula(language.list_of(_list_slips_again(rows, language), "clauses")),
                escape_formula(language.list_of(remarks, "clauses")),
            ]
        )
    for week, each in graded.weeks.items():
        for paper in each.book.unmatched_papers:
            reason = say("grade.remark.unmatched", reason=paper.uncounted_reason)
            lines.append(_write_unmarked(paper.file, say("term.remark", week=week, remark=reason), len(titles)))
        for unread in each.book.unreadable_papers:
            reason = say("grade.remark.unmarked", reason=unread.reason)
            lines.append(_write_unmarked(unread.file, say("term.remark", week=week, remark=reason), len(titles)))
    return write_table(lines, language)


def _write_unmarked(file: str, remark: str, width: int) -> list[object]:
    return ["", escape_formula(file), *[""] * (width - 3), escape_formula(remark)]


def _write_marks(marks: Decimal | int, language: Language) -> str:
    return language.localize(format_marks(marks))


def _list_people(graded: GradedTerm) -> list[Seat]:
    """Return everybody who has a row in some week, as the last week knows them, in the order of numbers."""
    known = {seat.number: seat for week in sorted(graded.indexes) for seat in graded.indexes[week]}
    there = {row.seat.number for each in graded.weeks.values() for row in each.book.rows if row.seat}
    return [known[number] for number in sorted(there)]


def _list_slips_again(rows: Mapping[int, GradebookRow], language: Language) -> list[str]:
    """Return the slips that somebody made for sure in two weeks or more, with these weeks."""
    weeks: dict[str, list[int]] = {}
    actions: dict[str, str] = {}
    for week, row in rows.items():
        for diagnosis in row.paper.diagnoses if row.paper else ():
            slip = diagnosis.slips[0] if diagnosis.is_certain else SINGLE_CELL
            if slip != SINGLE_CELL and row.paper and week not in weeks.setdefault(slip, []):
                sheet = row.paper.sheet.in_language(language.code)
                actions[slip] = to_unicode(parse_markup(describe_named_slip(sheet, diagnosis.stage, slip)))
                weeks[slip].append(week)
    again = {slip: which for slip, which in weeks.items() if len(which) >= MIN_WEEKS_AGAIN}
    return [
        language.format("term.again", action=actions[slip], weeks=", ".join(map(str, which)))
        for slip, which in again.items()
    ]


def _list_remarks(graded: GradedTerm, rows: Mapping[int, GradebookRow]) -> Iterator[str]:
    """Yield what is to be known of somebody's weeks, but that nothing was handed in, which stands beside it."""
    say = graded.language.format
    for week, row in rows.items():
        late = {graded.late_files[name] for name in _list_files(row) if name in graded.late_files}
        notes = [say("term.late", week=later) for later in sorted(late)]
        notes += [] if row.has_nothing else filter(None, [compose_remark(row, graded.language)])
        for note in notes:
            yield say("term.remark", week=week, remark=note)
