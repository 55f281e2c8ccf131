"""A folder of answers, marked: the gradebook, what the class knows, everyone's feedback, and the files they go to."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

from attnhand.classroom import MARKING_MODULES
from attnhand.classroom.gradebook import REVIEW_FILE, Gradebook, build_gradebook, format_gradebook_csv
from attnhand.classroom.lms_grades import GradesFile, System, make_grades_file, name_grades_file
from attnhand.classroom.ownership import set_doubtful_aside
from attnhand.classroom.papers import (
    FoundFile,
    add_class_options,
    find_example_sheet,
    find_shared_language,
    give_paper_up,
    name_owner,
    name_reports,
    name_senders,
    read_index_file,
    read_paper_marks,
    refuse_unmarked_folder,
    render_report,
    time_paper,
)
from attnhand.classroom.reading_budget import make_reading_budget
from attnhand.classroom.review import review_papers
from attnhand.classroom.review_table import (
    ReviewLine,
    format_review_rows,
    read_review_files,
    render_review_csv,
    render_review_xlsx,
)
from attnhand.classroom.set_folder import TeacherFolder, find_teacher_folder
from attnhand.classroom.submissions_zip import open_submissions
from attnhand.classroom.summary import Summary, build_summary
from attnhand.classroom.term_folder import find_teacher_of_sheet
from attnhand.errors import AnswerError, AttnhandError, name_option
from attnhand.formats.sources import make_sheet_from_source
from attnhand.marking.checked import CheckResult
from attnhand.marking.submission import check_data, name_answer_file, read_answer_file, read_answers
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.sentences import format_title
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import add_digest
from attnhand.system.file_names import make_unique_safe_names
from attnhand.system.processes import ShowProgress, hide_progress, refuse_impossible_process_count, run_in_order
from attnhand.text import Language, Message, get_language

GRADEBOOK_FILE, REVIEW_EXCEL_FILE, SUMMARY_FILE = "gradebook.csv", "review.xlsx", "summary.html"
MAIN_FILES = (GRADEBOOK_FILE, REVIEW_FILE, REVIEW_EXCEL_FILE, SUMMARY_FILE)
"""What is always written."""

SCORED_FOR_NOBODY = ("match.stranger", "match.unsigned")
"""Why a paper has no owner in the class; ``check`` marks it all the same, and says so."""


@dataclass(frozen=True, slots=True, kw_only=True, repr=False)
class GradedFolder:
    """What came of a folder of answers: who has which marks, and what to teach again."""

    book: Gradebook
    review: tuple[ReviewLine, ...]
    """What is doubtful, for the teacher to decide, and what was decided."""

    summary: Summary
    summaries_by_group: Mapping[str, Summary]
    """Where the class has groups: the same of each."""

    language: Language
    title: str
    """Of the sheets, and so of their grades."""

    example_sheet: Sheet | None
    """One of them, in that language; None where there is none."""

    def __repr__(self) -> str:
        return f"<GradedFolder, {len(self.book.marked_rows)} of {len(self.book.rows)} marked>"

    def list_file_names(self, *, reports: bool = False, grades: System | None = None) -> list[str]:
        """Return what the files are called, with slashes.

        Args:
            reports: whether everyone's feedback is among them.
            grades: whose import a table of grades among them is for.
        """
        names = [*MAIN_FILES, *(name for name, _ in self._name_group_summaries())]
        names += [name_grades_file(grades)] if grades else []
        return [*names, *(name for name, _ in name_reports(self.book) if reports)]

    def make_grades(self, grades: System) -> GradesFile:
        """Return everybody's grade as Moodle or Canvas imports it.

        Raises:
            AttnhandError: there is no index, or by what it says nobody would be found.
        """
        return make_grades_file(self.book, grades, self.title)

    def _name_group_summaries(self) -> list[tuple[str, Summary]]:
        names = make_unique_safe_names([f"summary-{group}" for group in self.summaries_by_group])
        return [(f"{name}.html", each) for name, each in zip(names, self.summaries_by_group.values(), strict=True)]

    def render_files(
        self,
        *,
        reports: bool = False,
        grades: System | None = None,
        processes: int | None = 1,
        show_progress: ShowProgress = hide_progress,
    ) -> Iterator[tuple[str, bytes]]:
        """Yield every file, as it is to be written: its name and its content, one report after the other.

        Args:
            reports, grades: as for ``list_file_names``.
            processes: None for one a processor.
        """
        from attnhand.classroom.summary_views import render_summary_html

        table = format_gradebook_csv(self.book, self.language, self.example_sheet)
        yield GRADEBOOK_FILE, add_digest(table.encode("utf-8-sig"), "csv")
        review = format_review_rows(self.review, self.language)
        yield REVIEW_FILE, render_review_csv(review, self.language)
        yield REVIEW_EXCEL_FILE, render_review_xlsx(review)
        for name, summary in ((SUMMARY_FILE, self.summary), *self._name_group_summaries()):
            yield name, render_summary_html(summary, self.language.code)
        if grades:
            yield name_grades_file(grades), self.make_grades(grades).data
        if reports:
            named = name_reports(self.book)
            with show_progress(len(named), "writing feedback") as advance:
                results = [checked for _, checked in named]
                pages = run_in_order(render_report, results, processes, advance=advance, modules=MARKING_MODULES)
                yield from ((name, page) for (name, _), page in zip(named, pages, strict=True))


def grade_folder(
    folder: str,
    order: SheetOrder,
    page: PageOptions,
    *,
    class_folder: str | None = None,
    roster: str | None = None,
    marks: str | None = None,
    against: Sheet | str | None = None,
    reviews: Sequence[Path] = (),
    language: str | None = None,
    processes: int | None = 1,
    show_progress: ShowProgress = hide_progress,
    found_files: Sequence[FoundFile] | None = None,
) -> GradedFolder:
    """Mark everything in a folder, or in a zip of it; nothing is written.

    Args:
        found_files: those of its files that are to be marked, where they were found already.
        class_folder: that of the class, which has its index and its marks.
        roster: the index alone, teacher/index.csv, by which papers are somebody's.
        marks: teacher/marks.csv, filled with what was marked by eye.
        against: the sheet that everybody was given, or what names it, where there is no class.
        reviews: lists of what was decided, as far as they are there.
        language: the one that is asked for; None for that of the class, without one for that of all papers.
        processes: None for one a processor.

    Raises:
        AttnhandError: there is nothing to mark, or index, marks or decisions are none.
    """
    marks_paths = [marks] if marks else []
    if class_folder is not None:
        if roster:
            option = name_option("roster", roster)
            raise AttnhandError(f"{option} and the folder of a class contradict each other: leave out {option}")
        teacher = find_teacher_folder(class_folder)
        roster = str(teacher.index_path)
        marks_paths = marks_paths or list(map(str, teacher.list_marks_paths()))
    if against is not None and roster:
        option, of_class = name_option("against"), "the class, which says who has which sheet,"
        raise AttnhandError(f"{option} and {of_class} contradict each other: leave out {option}")
    if marks_paths and not roster:
        remedy = f"add {name_option('roster', 'teacher/index.csv')}"
        raise AttnhandError(f"{name_option('marks')} says who by №, which takes the index: {remedy}")
    if not folder:  # as it is where a shell's variable is not set
        raise AttnhandError("the folder's name is empty: give the folder with what was handed in")
    refuse_impossible_process_count(processes)
    index = read_index_file(roster) if roster else None
    order = order.change(salt=order.get_salt() or None)  # stretched, or refused, before the work
    spoken = get_language(language or page.language_code)
    if roster:
        teacher = TeacherFolder(Path(roster).parent)
        order, page = add_class_options(teacher, order, page, language)
        spoken = get_language(language or teacher.read_language())
    if isinstance(against, str):
        against = make_sheet_from_source(against, order, page).sheet
    decided = read_review_files(reviews, index, spoken)
    excluded = [*(Path(name) for name in (roster, *marks_paths) if name), *reviews]
    opened = open_submissions(Path(folder), excluded) if found_files is None else nullcontext(found_files)
    with opened as found, show_progress(len(found), "marking") as advance:
        files = name_senders(found, index or ())
        codes_by_number = {seat.number: seat.code for seat in index or ()}
        mark = partial(time_paper, order=order, page=page, codes_by_number=codes_by_number, sheet_source=against)
        budget = make_reading_budget(len(files))
        papers, unreadable = [], []
        marked = run_in_order(
            mark,
            files,
            processes,
            prepare=budget.allow,
            advance=advance,
            modules=MARKING_MODULES,
            give_up=give_paper_up,
        )
        for file, (paper, seconds) in zip(files, marked, strict=True):
            budget.spend(seconds, file)
            if isinstance(paper, CheckResult):
                papers.append(paper)
            elif paper is not None:  # what we wrote ourselves about the class is none
                unreadable.append(paper)
    if not (roster or language or page.language):
        spoken = get_language(find_shared_language(papers))
    owned = set_doubtful_aside(papers, index, order, page, is_sheet_known=against is not None)
    reviewed = review_papers(owned, decided, spoken, has_index=index is not None)
    papers = [*reviewed.papers]
    sheet = find_example_sheet(papers, index, order, replace(page, language=spoken.code))
    marks_on_paper = read_paper_marks(marks_paths, index, papers, sheet) if index else {}
    if not (papers or marks_on_paper):
        refuse_unmarked_folder(folder, unreadable)
    book = build_gradebook(papers, index, marks_on_paper, unreadable)
    of_groups = {group: build_summary(book.select_group(group), sheet, spoken, group) for group in book.groups}
    summary = build_summary(book, sheet, spoken)
    title = format_title(sheet) if sheet else order.title or ""
    return GradedFolder(
        book=book,
        review=reviewed.lines,
        summary=summary,
        summaries_by_group=of_groups,
        language=spoken,
        title=title,
        example_sheet=sheet,
    )


def check_paper(
    name: str,
    class_folder: str,
    sheet_source: Sheet | str | None,
    order: SheetOrder,
    page: PageOptions,
    language: str | None,
) -> CheckResult:
    """Mark one paper of a class: its № says which sheet it answers, and another's answers are not scored.

    Args:
        name: of the file, ``-`` for standard input.

    Raises:
        AttnhandError: it cannot be marked, is somebody else's, or holds the answers to another sheet of the class.
    """
    read = cache(partial(read_answer_file, name))  # standard input can be read once

    def read_code() -> str:
        with suppress(AnswerError):  # what is wrong with it is said where it is marked
            return read_answers(read()).stated_code or ""
        return ""

    teacher = find_teacher_of_sheet(class_folder, read_code)
    index = teacher.read_seats()
    order, page = add_class_options(teacher, order, page, language)
    codes_by_number = {seat.number: seat.code for seat in index}
    checked = check_data(read(), name_answer_file(name), sheet_source, order, page, codes_by_number)
    (owned,) = set_doubtful_aside([replace(checked, file=Path(name).name)], index, order, page)
    paper, reason = replace(owned.paper, file=""), owned.paper.uncounted_reason
    if isinstance(reason, Message) and reason.key in SCORED_FOR_NOBODY:
        return paper
    if reason:
        raise AnswerError(f"{Path(name).name} {reason}")
    return name_owner(paper, owned.seat) if owned.seat else paper
