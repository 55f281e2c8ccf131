"""The teacher has the last word: what is doubtful of every paper, and papers marked as it was decided."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from attnhand.attention.numbers import format_exact, use_typographic_signs
from attnhand.classroom.ownership import OwnedPaper
from attnhand.classroom.review_table import ReviewLine, find_student_key, quote
from attnhand.errors import CellError, RosterError
from attnhand.marking.checked import CheckResult, decide, list_unexplained_stages
from attnhand.marking.decisions import Decision, find_item, is_cell, is_question
from attnhand.marking.marks import WHOLE_SHEET, CellMark
from attnhand.marking.naming import name_cell, name_stages
from attnhand.problems.base32 import normalize_code
from attnhand.sheet.grids import Mark
from attnhand.sheet.number_column import LOST_SIGN
from attnhand.text import Language


@dataclass(frozen=True, slots=True, kw_only=True)
class Reviewed:
    """Papers as the teacher decides them, and the list of all that was and is to be decided."""

    papers: tuple[CheckResult, ...]
    lines: tuple[ReviewLine, ...]


def review_papers(
    owned_papers: Sequence[OwnedPaper], earlier: Sequence[ReviewLine], language: Language, *, has_index: bool
) -> Reviewed:
    """Mark papers as was decided, and list what is doubtful; what was decided stays, whatever became of the paper.

    Decisions hold by student, code and cell, as long as the same is written there. One that has no longer what it is
    about is kept, and says so.

    Args:
        earlier: lines of an earlier list in which something is decided or noted.
        language: the one that the list is written in.
        has_index: whether it is known who has which sheet: then papers of which nobody knows whose they are stay out.

    Raises:
        RosterError: a decision names no cell of that sheet, or gives more points than there are.
    """
    papers, lines = [], []
    waiting = dict.fromkeys(range(len(earlier)))
    for owned in owned_papers:
        reviewer = _Reviewer(owned, language)
        about_it = [at for at, line in enumerate(earlier) if reviewer.is_about(line)]
        decided, own_lines = reviewer.review([earlier[at] for at in about_it])
        papers.append(decided)
        if owned.seat or not has_index:
            lines += own_lines
            for at in about_it:
                waiting.pop(at, None)
    gone = language.format("review.why.gone")
    lines += [replace(earlier[at], why=gone) for at in waiting if earlier[at].decision]
    if has_index:
        lines.sort(key=lambda line: line.number or 0)
    return Reviewed(papers=tuple(papers), lines=tuple(lines))


class _Reviewer:
    """One paper, and how the list speaks of it."""

    def __init__(self, owned: OwnedPaper, language: Language) -> None:
        self.paper, self.seat, self.language = owned.paper, owned.seat, language
        self.sheet = owned.paper.sheet.in_language(language.code)
        number, name = (self.seat.number, self.seat.name) if self.seat else (self.paper.number, self.paper.name)
        self.line = ReviewLine(number=number, name=name, code=self.paper.sheet.code, file=self.paper.file)

    def is_about(self, line: ReviewLine) -> bool:
        """Say whether a line is about this paper: by student and code, where it has one."""
        keys = [find_student_key(each.number, each.name, each.file) for each in (line, self.line)]
        return keys[0] == keys[1] and normalize_code(line.code or self.line.code) == normalize_code(self.line.code)

    def review(self, earlier: Sequence[ReviewLine]) -> tuple[CheckResult, list[ReviewLine]]:
        """Return the paper as it is decided, and its lines."""
        items = [self._find_item(line) for line in earlier]
        used: dict[str, ReviewLine] = {}
        changed = []
        for line, item in zip(earlier, items, strict=True):
            written = self._find_written(item)
            if line.written and written is not None and not _is_same(line.written, quote(written)):
                if line.decision:
                    now = quote(written) or self.language.format("review.why.nothing")
                    changed.append(replace(line, why=self.language.format("review.why.changed", answer=now)))
            elif item in used and used[item].meaning != line.meaning:
                fault = f"decides {line.cell} otherwise than {used[item].source} does"
                raise RosterError(f"{line.source} {fault}: leave out one of the two lines")
            else:
                used[item] = line
        decisions = [self._make_decision(item, line) for item, line in used.items() if line.decision]
        doubts = {line.cell: line for line in self._list_doubts()}
        for item, line in used.items():
            if line.decision and item not in doubts:
                doubts[item] = self._describe(item)
        own = [
            replace(line, decision=used[item].decision, others=used[item].others) if item in used else line
            for item, line in doubts.items()
        ]
        return self._decide(decisions), [*own, *changed]

    def _decide(self, decisions: Sequence[Decision]) -> CheckResult:
        paper = decide(self.paper, decisions)
        is_sheet_decided = any(each.item == WHOLE_SHEET for each in decisions)
        return replace(paper, uncounted_reason="") if is_sheet_decided else paper

    def _find_item(self, line: ReviewLine) -> str:
        try:
            return find_item(self.sheet, line.cell)
        except CellError as error:
            raise RosterError(f"{line.source} decides {line.cell!r}, but {error}") from None

    def _make_decision(self, item: str, line: ReviewLine) -> Decision:
        if line.verdict:
            return Decision(item=item, verdict=line.verdict)
        decision = Decision(item=item, number=line.decision)
        if not is_cell(item):
            scores = self.paper.marks.scores_by_stage
            most = scores[item][1] if item in scores else 1 if is_question(item) else len(self.paper.marks.cells)
            is_possible = decision.points in (0, 1) if is_question(item) else 0 <= decision.points <= most
            if not is_possible:
                points = "0 or 1" if is_question(item) else f"0 to {most}"
                fault = f"gives {line.decision!r} for {item}, which has {most}"
                raise RosterError(f"{line.source} {fault}: write {points}, or a word")
        return decision

    def _find_written(self, item: str) -> str | None:
        """Return what is written in a cell or as an answer; None for a stage or the whole sheet."""
        texts = {mark.question.name: mark.answer for mark in self.paper.question_marks}
        texts |= {cell.address: cell.answer for cell in self.paper.marks.cells if is_cell(item)}
        return texts.get(item)

    def _list_doubts(self) -> Iterator[ReviewLine]:
        """Yield what the teacher should look at, from the whole sheet to its questions."""
        say, paper = self.language.format, self.paper
        if paper.uncounted_reason:
            reason = self.language.translate(paper.uncounted_reason)
            yield self._make_line(WHOLE_SHEET, why=say("review.why.uncounted", reason=reason))
            return
        if paper.asks_less:
            yield self._make_line(WHOLE_SHEET, why=say("review.why.asks_less"))
        unexplained = list_unexplained_stages(paper)
        for stage, (counted, of) in paper.marks.scores_by_stage.items():
            if stage in paper.copied_stages:
                yield self._make_line(stage, why=say("review.why.copied", owner=paper.copied_stages[stage]))
            elif stage in unexplained:
                yield self._make_line(stage, why=say("review.why.unexplained", counted=counted, of=of))
            yield from (
                self._make_cell_line(cell, self.sheet.say("feedback.note.unreadable", reason=cell.unreadable_reason))
                for cell in paper.marks.cells
                if cell.stage == stage and cell.mark is Mark.UNREADABLE
            )
        for mark in paper.question_marks:
            if mark.mark is Mark.UNREADABLE:
                yield self._describe(mark.question.name, say("review.why.answer"))

    def _describe(self, item: str, why: str = "") -> ReviewLine:
        """Return a line about anything, and how it is marked where no other reason is given."""
        say = self.language.format
        for cell in self.paper.marks.cells:
            if cell.address == item:
                return self._make_cell_line(cell, say("review.why.marked", mark=say(f"column.{cell.mark}")))
        for mark in self.paper.question_marks:
            if mark.question.name == item:
                why = why or say("review.why.marked", mark=say(f"column.{mark.mark}"))
                return self._make_line(item, written=quote(mark.answer), key=quote(mark.question.plain_answer), why=why)
        scores = self.paper.marks.scores_by_stage
        counted, of = scores.get(item, (self.paper.marks.score, len(self.paper.marks.cells)))
        marked = say("grade.cells", marks=counted, of=of)
        return self._make_line(item, why=say("review.why.marked", mark=marked))

    def _make_cell_line(self, cell: CellMark, why: str) -> ReviewLine:
        return self._make_line(cell.address, written=quote(cell.answer), key=self._write_key(cell), why=why)

    def _write_key(self, cell: CellMark) -> str:
        """Write a key so that no spreadsheet takes it for a date or a formula: 1/3 ≈ 0.33."""
        exact = use_typographic_signs(format_exact(cell.key))
        if "/" not in exact:
            return self.language.localize(exact)
        decimal = self.language.decimal(cell.key, self.sheet.problem.rules.decimals)
        return f"{exact} ≈ {decimal}"

    def _make_line(self, item: str, *, written: str = "", key: str = "", why: str) -> ReviewLine:
        return replace(self.line, cell=item, place=self._name(item), written=written, key=key, why=why)

    def _name(self, item: str) -> str:
        """Return how the sheet calls what a line is about."""
        if item == WHOLE_SHEET:
            return self.language.format("feedback.decided.sheet")
        if is_question(item):
            return self.language.format("feedback.decided.question", number=item.removeprefix("ask"))
        cell = next((each for each in self.paper.marks.cells if each.address == item), None)
        return name_cell(self.sheet, cell) if cell else name_stages(self.sheet, [item])


def _is_same(earlier: str, now: str) -> bool:
    """Say whether what was written is still there; a spreadsheet may have lost letters of it.

    >>> _is_same("“−1,234”", "“−1,234”"), _is_same("??1,234?", "“−1,234”"), _is_same("“2”", "“3”")
    (True, True, False)
    """

    def fold(text: str) -> str:
        return " ".join(text.strip("“”\"'„‟ ").split())

    if fold(earlier) == fold(now):
        return True
    return len(earlier) == len(now) and all(a in (LOST_SIGN, b) for a, b in zip(earlier, now, strict=True))
