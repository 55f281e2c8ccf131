"""Feedback on one paper: what is right first, then each departure with its why, and what to redo."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby

from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import format_exact, use_typographic_signs
from attnhand.attention.questions import Part
from attnhand.marking.departures import Departure, find_departures
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.marking.mistake_marks import is_changed, read_cell
from attnhand.marking.naming import name_address, name_redo, name_stages
from attnhand.marking.question_marks import QuestionMark, count_credited_questions
from attnhand.marking.reasons import describe_departure
from attnhand.marking.redo import Redo, find_cells_to_redo, find_read_cells
from attnhand.marking.whole_sheet import find_foreign_stages
from attnhand.sheet.build_grids import format_short_name
from attnhand.sheet.conclusion import format_mistake
from attnhand.sheet.grids import Mark
from attnhand.sheet.questions import CELL_NAME, WORDS_NAME, format_question_remark
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode

MAX_DEPARTURES = 8
"""Departures that are explained one by one; of more it is said where they are."""

MAX_OWN_WORDS = 300
"""Characters of what a student wrote that are repeated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """Feedback on one student's answers, in plain sentences; a part with nothing to say is empty."""

    owner: str
    """Whose answers they are; empty where nobody knows."""

    remark: str = ""
    """In which other way the whole sheet was worked."""

    score: str
    stage_scores: str
    """How many cells of every stage count."""

    praise: str
    departures: tuple[tuple[Departure, tuple[str, ...]], ...]
    """Each departure: its first cell worked from the student's own numbers, the slip it looks like, why it is one, and
    what comes of it."""

    consequences: tuple[str, ...]
    """What else is to be said of the cells."""

    redo_advice: str
    empty_note: str
    teacher_notes: tuple[str, ...]
    """What students need not read; it stands among no other sentences."""

    questions: tuple[str, ...] = ()
    """How many questions are right, and what to think over of each that is not."""

    @property
    def sentences(self) -> tuple[str, ...]:
        """All sentences for the student in reading order."""
        return (*filter(None, (self.owner, self.score, self.stage_scores)), *self.advice)

    @property
    def advice(self) -> tuple[str, ...]:
        """The sentences after name and score."""
        before = (
            self.remark,
            self.praise,
            *chain.from_iterable(lines for _, lines in self.departures),
            *self.consequences,
        )
        return tuple(filter(None, (*before, self.redo_advice, self.empty_note, *self.questions)))


def make_feedback(
    marks: Marks, sheet: Sheet, question_marks: Sequence[QuestionMark] = (), owner: str = "", own_words: str = ""
) -> Feedback:
    """Say what is right, where the first departure is, what slip it looks like and what to redo.

    Args:
        own_words: what the student wrote of the mistake on the sheet.
    """
    questions = (*_describe_questions(question_marks, sheet), *_describe_own_words(own_words, sheet))
    return _FeedbackWriter(marks, sheet).make_feedback(owner, questions)


def _describe_questions(marks: Sequence[QuestionMark], sheet: Sheet) -> Iterator[str]:
    """Say how many questions are right; of each other one what to think over. Nothing where none is answered."""
    if all(mark.mark is Mark.BLANK for mark in marks):
        return
    yield sheet.say("feedback.questions", right=count_credited_questions(marks), of=len(marks))
    yield from filter(None, (describe_question_mark(mark, sheet) for mark in marks))


def _describe_own_words(own_words: str, sheet: Sheet) -> Iterator[str]:
    """Repeat what a student wrote of the mistake, and say what it was, for the teacher to compare."""
    if own_words:
        number = WORDS_NAME.removeprefix("ask")
        yield sheet.say("feedback.question.words", number=number, answer=own_words[:MAX_OWN_WORDS])
        yield to_unicode(parse_markup(format_mistake(sheet)))


def describe_question_mark(mark: QuestionMark, sheet: Sheet) -> str:
    """Say what to think over where an answer is not right; nothing where it is, or is none."""
    if mark.question.part is Part.MISTAKE and mark.mark is Mark.WRONG:
        place = read_cell(mark.answer, sheet) if mark.question.name == CELL_NAME else None
        key = "belongs" if place is None else "cell.follows" if is_changed(place, sheet) else "cell.right"
        number = mark.question.name.removeprefix("ask")
        return sheet.say(f"feedback.question.{key}", number=number, answer=mark.answer.strip())
    return format_question_remark(sheet, mark.question, mark.mark, mark.answer.strip())


class _FeedbackWriter:
    def __init__(self, marks: Marks, sheet: Sheet) -> None:
        self.marks, self.sheet, self.say = marks, sheet, sheet.say
        self.departures = find_departures(marks, sheet)
        self.stages = sheet.problem.mechanism.stages
        self.cells_by_stage: dict[str, list[CellMark]] = {}
        for cell in marks.cells:
            self.cells_by_stage.setdefault(cell.stage, []).append(cell)

    def make_feedback(self, owner: str, questions: tuple[str, ...]) -> Feedback:
        other_way = self.marks.other_way
        return Feedback(
            owner=owner,
            remark=self.say(f"feedback.other_way.{other_way}") if other_way else "",
            score=self._describe_score(),
            stage_scores=self._describe_stage_scores(),
            praise=self._describe_correct_part(),
            departures=tuple(
                (each, tuple(self._describe_departure(each))) for each in self._list_explained_departures()
            ),
            consequences=tuple(self._describe_consequences()),
            redo_advice=self._advise_redo(),
            empty_note=self._describe_empty_cells(),
            teacher_notes=self._write_teacher_notes(),
            questions=questions,
        )

    def _name_stage(self, name: str) -> str:
        return name_stages(self.sheet, [name])

    def _describe_score(self) -> str:
        counted, of = self.marks.score, len(self.marks.cells)
        if self.marks.is_all_correct:
            return self.say("feedback.score.full", of=of)
        counts = {mark.value: self.marks.count(mark) for mark in Mark} | {"unworked": self.marks.unworked_count}
        parts = [self.say(f"feedback.{name}", count=count) for name, count in counts.items() if count]
        return self.say("feedback.score", counted=counted, of=of, parts=parts)

    def _describe_stage_scores(self) -> str:
        groups = []
        asked = [stage for stage in self.stages if stage.name in self.cells_by_stage]
        for head, stages in groupby(asked, lambda stage: stage.head):
            scores = [self._describe_stage_score(stage) for stage in stages]
            key = "feedback.scores_of_head" if head else "feedback.stage_scores"
            groups.append(self.say(key, head=head, stages=scores))
        return self.sheet.language.list_of(groups, "clauses")

    def _describe_stage_score(self, stage: Stage) -> str:
        counted, of = self.marks.scores_by_stage[stage.name]
        return self.say("feedback.stage_score", stage=format_short_name(self.sheet, stage), counted=counted, of=of)

    def _describe_correct_part(self) -> str:
        if self.marks.is_all_correct:
            praise = self.say("feedback.all")
        elif stages := self._list_stages_of_only(Mark.CORRECT):
            praise = self.say("feedback.right", stages=name_stages(self.sheet, stages))
        elif self.marks.first_departure is None and self.marks.count(Mark.CORRECT):
            praise = self.say("feedback.right_so_far")
        else:
            return ""
        rounded = any(cell.note is Note.ROUNDED for cell in self.marks.cells)
        return f"{praise} {self.say('feedback.rounded')}" if rounded else praise

    def _list_stages_of_only(self, mark: Mark) -> list[str]:
        """Return the stages of which every cell has this mark."""
        stages = self.cells_by_stage.items()
        return [name for name, cells in stages if all(cell.mark is mark for cell in cells)]

    def _list_explained_departures(self) -> tuple[Departure, ...]:
        """Return the departures that are explained one by one; what stands as it was printed was none of theirs."""
        first, others = self.departures[:1], self.departures[1:]
        return (*first, *(each for each in others if each.first.note is not Note.PRINTED))[:MAX_DEPARTURES]

    def _describe_departure(self, departure: Departure) -> Iterator[str]:
        yield from describe_departure(departure, self.marks, self.sheet, is_first=departure is self.departures[0])
        if departure.is_habit and (others := departure.cells[1:]):
            yield self.say("feedback.more.same", cells=self._count_cells_by_stage(others))
        if count := sum(cell.counts for cell in departure.followers):
            yield self.say("feedback.follow", count=count)

    def _describe_consequences(self) -> Iterator[str]:
        if self.marks.unworked_count:
            yield self.say("feedback.left_little")
        if self.marks.overwritten:
            counts = Counter(name for name, *_ in self.marks.overwritten)
            yield self.say("feedback.overwritten", cells=self._name_counts(counts))
        if stages := self._list_foreign_stages():
            yield self.say("feedback.foreign", stages=[*map(self._name_stage, stages)], code=self.sheet.code)
        explained = self._list_explained_departures()
        rest = [each for each in self.departures if each not in explained and each.first.note is not Note.PRINTED]
        if rest:
            cells = [cell for each in rest for cell in each.cells]
            yield self.say("feedback.more", cells=self._count_cells_by_stage(cells))

    def _list_foreign_stages(self) -> tuple[str, ...]:
        """Return several stages that no slip explains and that may come of another sheet's numbers."""
        stages = find_foreign_stages(self.marks, self.sheet)
        is_explained = any(each.stage in stages for each in self.marks.diagnoses)
        return () if is_explained or len(stages) < 2 else stages

    def _count_cells_by_stage(self, cells: Iterable[CellMark]) -> list[str]:
        return self._name_counts(Counter(cell.stage for cell in cells))

    def _name_counts(self, counts: Mapping[str, int]) -> list[str]:
        return [self.say("feedback.cells", stage=self._name_stage(name), count=n) for name, n in counts.items()]

    def _advise_redo(self) -> str:
        """Say what to put right, and which later cells change with it: "write 3 into K[2,2], then work again ...".

        What was worked out above is copied. What that gives where something before it changes is worked again.
        """
        redo = find_cells_to_redo(self.marks, self.sheet)
        if not redo:
            return ""
        shown = self._list_shown_cells(redo)
        left = {name: _leave_out(each, shown) for name, each in redo.items()}
        left = {name: each for name, each in left.items() if each.cells}
        first = self.departures[0].first.stage
        to_correct = self._name_parts({name: each for name, each in left.items() if name == first})
        again = self._name_parts({name: each for name, each in left.items() if name != first})
        steps = [self.say("feedback.redo.write", numbers=[*map(self._name_number, shown)])] if shown else []
        steps += [self.say("feedback.redo.correct", cells=to_correct)] if to_correct else []
        steps += [self.say("feedback.redo.again", cells=again)] if again else []
        return self.say("feedback.redo", steps=steps)

    def _list_shown_cells(self, redo: Mapping[str, Redo]) -> list[CellMark]:
        """Return the cells whose right number stands in what is said of their departure."""
        shown = []
        for departure in self._list_explained_departures():
            cell = departure.first
            stage = self.sheet.problem.mechanism.get_stage(cell.stage)
            reads = find_read_cells(self.sheet, stage, *cell.place)
            is_settled = all(place[1:] not in redo[place[0]].changing for place in reads if place[0] in redo)
            if cell.note is None and cell.mark is Mark.WRONG and cell.from_yours is None and is_settled:
                shown.append(cell)
        return shown

    def _name_number(self, cell: CellMark) -> str:
        number = use_typographic_signs(format_exact(cell.key))
        address = name_address(self.sheet, cell.stage, *cell.place)
        return self.say("feedback.redo.number", number=number, cell=address)

    def _name_parts(self, redo: Mapping[str, Redo]) -> list[str]:
        return name_redo(self.sheet, redo, self.cells_by_stage)

    def _describe_empty_cells(self) -> str:
        stages = self._list_stages_of_only(Mark.BLANK)
        partly = self._count_cells_by_stage(
            cell for cell in self.marks.cells if cell.mark is Mark.BLANK and cell.stage not in stages
        )
        if len(stages) == len(self.cells_by_stage):
            return self.say("feedback.nothing")
        notes = [self.say("feedback.empty", cells=partly)] if partly else []
        notes += [self.say("feedback.not_begun", stages=name_stages(self.sheet, stages))] if stages else []
        return " ".join(notes)

    def _write_teacher_notes(self) -> tuple[str, ...]:
        stages = dict.fromkeys(cell.stage for cell in self.marks.cells if cell.note is Note.UNWORKED)
        names, count = [*map(self._name_stage, stages)], self.marks.unworked_count
        notes = [self.say("feedback.teacher", stages=names, count=count)] if stages else []
        notes += [self.say("feedback.foreign.teacher", code=self.sheet.code)] if self._list_foreign_stages() else []
        return tuple(notes)


def _leave_out(redo: Redo, shown: Sequence[CellMark]) -> Redo:
    """Return what is left to work again where some numbers are known."""
    return redo._replace(cells=tuple(cell for cell in redo.cells if cell not in shown))
