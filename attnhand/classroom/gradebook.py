"""The gradebook: one row per student, then papers that match nobody or cannot be read."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal

from attnhand.classroom.class_tables import NUMBER, name_stage_columns, write_column_title, write_table
from attnhand.classroom.matching import PaperMatcher
from attnhand.classroom.ownership import find_owner
from attnhand.marking.checked import CheckResult
from attnhand.marking.marks import SINGLE_CELL, WHOLE_SHEET
from attnhand.marking.naming import name_address, name_stages
from attnhand.marking.question_marks import count_credited_questions
from attnhand.problems.base32 import normalize_code
from attnhand.sheet.grids import Mark
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.seat import Seat, format_seat
from attnhand.sheet.sheet import Sheet
from attnhand.system.tables import escape_formula
from attnhand.text import Language, Message
from attnhand.text.widths import parse_markup, to_unicode

REVIEW_FILE = "review.csv"
"""What is doubtful, for the teacher to decide."""

StageMarks = Mapping[str, tuple[Decimal | int, int]]
"""Stage by stage: how many cells count, and of how many; by eye half a cell may."""


@dataclass(frozen=True, slots=True, kw_only=True)
class UnreadablePaper:
    """A file that cannot be marked, with what it says of whose it is, as far as that can be read."""

    file: str
    reason: Message | str
    """Why it cannot be marked."""

    number: int | None = None
    name: str = ""
    code: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class GradebookRow:
    """One student in the gradebook: the paper that counts, and what else was handed in or marked by eye."""

    seat: Seat | None
    """Who it is; None where there is no index."""

    paper: CheckResult | None = None
    """The paper that counts; None where none does."""

    same_papers: tuple[CheckResult, ...] = ()
    """Others that hold just the same answers."""

    uncounted_papers: tuple[CheckResult, ...] = ()
    """Those that do not count: they say why, or there is more than one."""

    unreadable_papers: tuple[UnreadablePaper, ...] = ()
    marks_by_eye: StageMarks = field(default_factory=dict)
    """What was marked by eye; it counts in place of what a file has there."""

    @property
    def has_nothing(self) -> bool:
        """Say whether nothing at all was handed in."""
        return not (self.max_score or self.uncounted_papers or self.unreadable_papers)

    @property
    def marks_by_stage(self) -> StageMarks:
        """What counts; empty where nothing does, or the teacher gave points for the whole sheet."""
        if self.paper is None:
            return self.marks_by_eye
        if WHOLE_SHEET in self.paper.marks.points:
            return {}
        return {**self.paper.marks.scores_by_stage, **self.marks_by_eye}

    @property
    def score(self) -> Decimal | int:
        if self.paper is not None and not self.marks_by_stage:
            return self.paper.marks.score
        return sum(marks for marks, _ in self.marks_by_stage.values())

    @property
    def max_score(self) -> int:
        """The most that the score could be; 0 where nothing counts."""
        if self.paper is not None and not self.marks_by_stage:
            return len(self.paper.marks.cells)
        return sum(of for _, of in self.marks_by_stage.values())


@dataclass(frozen=True, slots=True, kw_only=True)
class Gradebook:
    """A class, marked."""

    rows: tuple[GradebookRow, ...]
    """In the order of numbers; without an index in that of files."""

    unmatched_papers: tuple[CheckResult, ...] = ()
    """Papers whose sheet is nobody's in this class, or several people's; each says which."""

    unreadable_papers: tuple[UnreadablePaper, ...] = ()
    """Files that cannot be marked, and of which nobody knows whose they are."""

    @property
    def groups(self) -> tuple[str, ...]:
        """The groups of the class, in the order of letters; none where there is but one."""
        groups = {row.seat.student.group for row in self.rows if row.seat and not row.seat.is_spare}
        return tuple(sorted(filter(None, groups))) if len(groups) > 1 else ()

    def select_group(self, group: str) -> "Gradebook":
        """Return the rows of one group."""
        return Gradebook(rows=tuple(row for row in self.rows if row.seat and row.seat.student.group == group))

    @property
    def stages(self) -> tuple[str, ...]:
        """The stages that count, in the order of the sheet: as in the row that has most of them."""
        fullest_first = sorted((row.marks_by_stage for row in self.rows), key=len, reverse=True)
        return tuple(dict.fromkeys(stage for by_stage in fullest_first for stage in by_stage))

    @property
    def counted_papers(self) -> tuple[CheckResult, ...]:
        return tuple(row.paper for row in self.rows if row.paper is not None)

    @property
    def marked_rows(self) -> tuple[GradebookRow, ...]:
        return tuple(row for row in self.rows if row.max_score)


def build_gradebook(
    papers: Sequence[CheckResult],
    index: Sequence[Seat] | None = None,
    marks_by_eye: Mapping[int, StageMarks] | None = None,
    unreadable_papers: Sequence[UnreadablePaper] = (),
) -> Gradebook:
    """Match papers to people; nothing is dropped or counts twice.

    Of several papers by one student none counts, unless they hold the same answers: whoever grades chooses, and leaves
    the others out. What was marked on paper counts in place of what a file has at that stage.

    Args:
        index: who has which sheet; None to make a row of every paper.
        marks_by_eye: what was marked on paper, by №.
    """
    if index is None:
        rows = [
            GradebookRow(seat=None, uncounted_papers=(paper,))
            if paper.uncounted_reason
            else GradebookRow(seat=None, paper=paper)
            for paper in papers
        ]
        return Gradebook(rows=tuple(rows), unreadable_papers=tuple(unreadable_papers))
    matcher = PaperMatcher(index)
    papers_by_number: dict[int, list[CheckResult]] = {seat.number: [] for seat in index}
    unmatched: list[CheckResult] = []
    for owned in (find_owner(paper, matcher) for paper in papers):
        (unmatched if owned.seat is None else papers_by_number[owned.seat.number]).append(owned.paper)
    unreadable_by_number: dict[int, list[UnreadablePaper]] = {}
    nobodys: list[UnreadablePaper] = []
    for each in unreadable_papers:
        sender = matcher.find_sender(code=each.code, number=each.number, name=each.name, file=each.file)
        (nobodys if sender is None else unreadable_by_number.setdefault(sender.number, [])).append(each)
    rows = []
    for seat in sorted(index, key=lambda seat: seat.number):
        own, by_eye = papers_by_number[seat.number], (marks_by_eye or {}).get(seat.number, {})
        row = _make_row(seat, own, tuple(unreadable_by_number.get(seat.number, ())), by_eye)
        # a spare that nobody took is nobody's line, nor is who has left absent
        if not ((seat.is_spare or seat.is_withdrawn) and row.has_nothing):
            rows.append(row)
    return Gradebook(rows=tuple(rows), unmatched_papers=tuple(unmatched), unreadable_papers=tuple(nobodys))


def _make_row(
    seat: Seat, own: Sequence[CheckResult], unreadable: tuple[UnreadablePaper, ...], by_eye: StageMarks
) -> GradebookRow:
    """Return a student's row: the one paper that counts, if there is one, and what else there is."""
    aside = [paper for paper in own if paper.uncounted_reason]
    by_content: dict[tuple[object, ...], list[CheckResult]] = {}
    for paper in own:
        if not paper.uncounted_reason:
            by_content.setdefault(_list_contents(paper), []).append(paper)
    row = GradebookRow(seat=seat, unreadable_papers=unreadable, marks_by_eye=by_eye)
    if len(by_content) != 1:
        return replace(row, uncounted_papers=tuple(own))
    ((paper, *same),) = by_content.values()
    if by_eye:
        points = {stage: marks for stage, (marks, _) in by_eye.items()}
        paper = replace(paper, marks=replace(paper.marks, points={**paper.marks.points, **points}))
    return replace(row, paper=paper, same_papers=tuple(same), uncounted_papers=tuple(aside))


def _list_contents(paper: CheckResult) -> tuple[object, ...]:
    """Return all that was written into a paper, and on which sheet."""
    cells = tuple(cell.answer.strip() for cell in paper.marks.cells)
    questions = tuple(mark.answer.strip() for mark in paper.question_marks)
    return normalize_code(paper.sheet.code), cells, questions, paper.own_words.strip()


STUDENT_COLUMNS = (NUMBER, "name", "id", "email", "group", "code", "file")
"""Those that name a student's id, e-mail and group are there as far as the roster has them."""

SCORE_COLUMNS = ("score", "of", *(mark.value for mark in Mark))
QUESTION_COLUMNS = ("questions", "questions of")
"""Counted apart from the cells."""

REMARK_COLUMNS = ("first departure", "slips", "remark")


def format_gradebook_csv(book: Gradebook, language: Language, example_sheet: Sheet | None = None) -> str:
    """Return the gradebook as CSV text with CRLF line ends; encode it as ``utf-8-sig`` for spreadsheets.

    Score and stages count cells that are correct or follow; of whoever handed in nothing, or twice, they are empty.
    What nobody can be matched to and what cannot be read stands below everyone, with the reason, without a score.

    Args:
        language: of all that stands in it, whatever those of the papers are.
        example_sheet: one of the class's, by which stages are called that were marked on paper alone.
    """
    stages = _name_stages(book, language, example_sheet)
    students = [row.seat.student for row in book.rows if row.seat]
    unknown = {name for name in ("email", "group") if not any(getattr(student, name) for student in students)}
    titles = {name: write_column_title(name, language) for name in STUDENT_COLUMNS if name not in unknown}
    titles |= {name: write_column_title(name, language) for name in SCORE_COLUMNS}
    titles |= {f"stage {stage}": title for stage, title in stages.items()}
    titles |= {name: write_column_title(name, language) for name in (*QUESTION_COLUMNS, *REMARK_COLUMNS)}
    lines: list[Mapping[str, str | int]] = [titles]
    for row in book.rows:
        remark = escape_formula(compose_remark(row, language))
        lines.append(
            {**_fill_student_columns(row), **dict(_fill_mark_columns(row, stages, language)), "remark": remark}
        )
    for paper in book.unmatched_papers:
        remark = language.format("grade.remark.unmatched", reason=paper.uncounted_reason)
        lines.append({**_fill_unmarked_columns(paper, remark), "code": paper.sheet.code})
    for each in book.unreadable_papers:
        lines.append(_fill_unmarked_columns(each, language.format("grade.remark.unmarked", reason=each.reason)))
    return write_table(([line.get(column, "") for column in titles] for line in lines), language)


def compose_remark(row: GradebookRow, language: Language) -> str:
    """Return what the teacher should know of a row; empty where a file was marked as usual."""
    say, unread = language.format, []
    for each in row.unreadable_papers:
        unread.append(say("grade.remark.unread.file", file=each.file, reason=language.translate(each.reason)))
    if unread and not row.max_score and not row.uncounted_papers:
        return say("grade.remark.unread", files=unread)
    remark = _compose_remark_on_marks(row, language)
    return say("grade.remark.besides", remark=remark, files=unread).strip() if unread else remark


def _compose_remark_on_marks(row: GradebookRow, language: Language) -> str:
    say = language.format
    counted = [each for each in row.uncounted_papers if not each.uncounted_reason]
    notes = [
        say("grade.remark.aside", file=each.file, reason=language.translate(each.uncounted_reason))
        for each in row.uncounted_papers
        if each.uncounted_reason
    ]
    if counted:
        files = [
            say("grade.remark.file", file=each.file, score=each.marks.score, of=len(each.marks.cells))
            for each in counted
        ]
        notes.append(say("grade.remark.twice", count=len(files), files=files))
    if row.paper is not None:
        notes += _list_notes_on_paper(row.paper, row, language)
    elif row.marks_by_eye:
        notes.append(say("grade.remark.by_eye"))
    elif not row.uncounted_papers:
        notes.append(say("grade.remark.nothing"))
    return language.list_of(notes, "clauses")


def _list_notes_on_paper(paper: CheckResult, row: GradebookRow, language: Language) -> list[str]:
    """Return what the teacher should know of the paper that counts."""
    say, paper = language.format, _translate(paper, language)
    notes = []
    if row.marks_by_eye:
        notes.append(say("grade.remark.typed", stages=[name_stages(paper.sheet, [each]) for each in row.marks_by_eye]))
    if row.same_papers:
        notes.append(say("grade.remark.same", count=1 + len(row.same_papers)))
    if paper.decisions:
        notes.append(say("grade.remark.decided", count=len(paper.decisions), file=REVIEW_FILE))
    if all(cell.mark is Mark.BLANK for cell in paper.marks.cells):
        return [*notes, say("grade.remark.empty")]
    if other_way := paper.marks.other_way:
        notes.append(say(f"grade.remark.{other_way}"))
    sentences = [*paper.teacher_notes]
    is_anothers = any(each.item == WHOLE_SHEET for each in paper.decisions)
    if row.seat and not is_anothers and normalize_code(paper.sheet.code) != normalize_code(row.seat.code):
        sentences.append(say("grade.remark.spare"))
    return [*notes, *([" ".join(sentences)] if sentences else [])]


def format_marks(marks: Decimal | int) -> str:
    """Write marks as people do.

    >>> format_marks(10), format_marks(Decimal("2.50"))
    ('10', '2.5')
    """
    text = f"{marks:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def _fill_student_columns(row: GradebookRow) -> dict[str, str]:
    columns: dict[str, str] = {}
    if seat := row.seat:
        columns = {"№": seat.printed_number, "name": escape_formula(seat.name), "code": seat.code}
        columns |= {name: escape_formula(getattr(seat.student, name)) for name in ("id", "email", "group")}
    if row.paper:
        columns |= {"file": escape_formula(row.paper.file), "code": row.paper.sheet.code}
        # whom the file names, where there is no index, or it has no names
        columns = {"№": f"{row.paper.number:03d}" if row.paper.number else ""} | columns
        columns["name"] = columns.get("name") or escape_formula(row.paper.name)
    return columns


def _fill_unmarked_columns(paper: CheckResult | UnreadablePaper, remark: str) -> dict[str, str]:
    name = escape_formula(format_seat(paper.number, paper.name))
    return {"name": name, "file": escape_formula(paper.file), "remark": escape_formula(remark)}


def _translate(paper: CheckResult, language: Language) -> CheckResult:
    """Return a paper that speaks another language than the student's."""
    sheet = paper.sheet.in_language(language.code)
    return paper if sheet is paper.sheet else replace(paper, sheet=sheet)


def _name_stages(book: Gradebook, language: Language, example_sheet: Sheet | None) -> dict[str, str]:
    """Return how the sheets call every stage, by its id."""
    sheets = [paper.sheet for paper in book.counted_papers]
    names = {stage: stage for stage in book.stages}
    for sheet in {
        sheet.problem.mechanism: sheet for sheet in filter(None, (example_sheet, *reversed(sheets)))
    }.values():
        known = name_stage_columns(sheet, language)
        names |= {stage: known[stage] for stage in known if stage in names}
    return names


def _fill_mark_columns(
    row: GradebookRow, stage_names: Mapping[str, str], language: Language
) -> Iterator[tuple[str, str | int]]:
    if not row.max_score:
        return
    yield "score", language.localize(format_marks(row.score))
    yield "of", row.max_score
    for stage, (marks, _) in row.marks_by_stage.items():
        yield f"stage {stage}", language.localize(format_marks(marks))
    if row.paper is None:
        return
    paper = _translate(row.paper, language)
    for mark in Mark:
        yield mark.value, paper.marks.count(mark)
    if paper.question_marks:
        yield "questions", count_credited_questions(paper.question_marks)
        yield "questions of", len(paper.question_marks)
    if first := paper.marks.first_departure:
        yield "first departure", name_address(paper.sheet, first.stage, first.row, first.column)
    slips = []
    for each in paper.diagnoses:
        if each.is_certain:
            action = to_unicode(parse_markup(describe_named_slip(paper.sheet, each.stage, each.slips[0])))
            slips.append(f"{stage_names[each.stage]}{language.format('colon')}{action}")
    yield "slips", language.list_of(slips, "clauses")


def describe_named_slip(sheet: Sheet, stage: str, slip: str) -> str:
    """Return what whoever makes a slip has done (markup), in the sheet's language."""
    if slip == SINGLE_CELL:
        return sheet.say("grade.slip.single_cell")
    return describe_slip(sheet, slip, sheet.problem.mechanism.get_stage(stage))
