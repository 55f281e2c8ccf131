"""Feedback on one paper: what is right first, then the first departure, and one thing to redo."""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import localcontext
from fractions import Fraction
from itertools import chain, groupby

from attnhand.attention.matrix import flatten
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import list_numbers
from attnhand.attention.numbers import (
    DECIMAL_CONTEXT,
    Number,
    format_decimal,
    format_exact,
    has_irrational,
    is_finite,
    to_decimal,
    use_typographic_signs,
)
from attnhand.attention.questions import Part
from attnhand.attention.solution import format_cell_address
from attnhand.attention.spellings import read_number
from attnhand.marking.marks import (
    MEANT_NOTES,
    ROWS_EXCHANGED,
    SINGLE_CELL,
    CellMark,
    Diagnosis,
    Marks,
    Note,
    VectorKind,
)
from attnhand.marking.mistake_marks import is_changed, read_cell
from attnhand.marking.question_marks import QuestionMark, count_credited_questions
from attnhand.marking.redo import find_cells_to_redo, find_read_cells
from attnhand.marking.whole_sheet import find_foreign_stages
from attnhand.sheet.build_grids import build_labels, format_matrix_name, format_short_name, format_spoken_name
from attnhand.sheet.conclusion import format_mistake
from attnhand.sheet.explain import CellWriter, format_vector_name
from attnhand.sheet.grids import Mark
from attnhand.sheet.hints import describe_slip, explain_slip
from attnhand.sheet.questions import CELL_NAME, WORDS_NAME, format_question_remark
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode

MAX_LISTED_CELLS = 3
"""Cells to work again that are named one by one; of more their rows or columns are."""

MAX_FURTHER_SLIPS = 3
"""Stages after the first departure whose slip is named too: more would be no help."""

MAX_OWN_WORDS = 300
"""Characters of what a student wrote that are repeated."""

MAX_LISTED_SLIPS = 3
"""Slips that are listed where several explain the same."""


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
    first_error: tuple[str, ...]
    """The first departure, its cell explained from the student's own numbers, and the slip it looks like."""

    consequences: tuple[str, ...]
    """What follows from there, and what does not."""

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
        before = (self.remark, self.praise, *self.first_error, *self.consequences)
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


def describe_diagnosis(diagnosis: Diagnosis, sheet: Sheet) -> str:
    """Name the slip at a stage: surely, perhaps, or one of several."""
    if not diagnosis.slips:
        key = "feedback.product" if diagnosis.supporting_numbers else "feedback.product.shape"
        return sheet.say(key, sizes=diagnosis.product_sizes, product=_print_product(diagnosis.product, sheet))
    actions = [_describe_slip(diagnosis, slip, sheet) for slip in diagnosis.slips[:MAX_LISTED_SLIPS]]
    key = "named" if diagnosis.is_certain else "perhaps" if diagnosis.is_tentative else "several"
    return sheet.say(f"feedback.{key}", actions=actions)


def explain_diagnosis(diagnosis: Diagnosis, marks: Marks, sheet: Sheet) -> tuple[str, ...]:
    """Say why the slip is one, with the numbers of the first cell that shows it; nothing where it is not named."""
    if len(diagnosis.slips) != 1:
        return ()
    (slip,), cell = diagnosis.slips, diagnosis.cells[0]
    stage = sheet.problem.mechanism.get_stage(diagnosis.stage)
    in_decimals = works_in_decimals(marks, sheet, cell)
    place = (cell.row, cell.column)
    return (explain_slip(sheet, slip, stage, *place, marks.student_values, cell.answer, in_decimals=in_decimals),)


def _print_product(formula: str, sheet: Sheet) -> str:
    """Return a product with its factors as the sheet prints them: "W₂ relu₁ᵀ"."""
    factors = (name.partition("ᵀ") for name in formula.split())
    return " ".join(to_unicode(format_matrix_name(sheet, name)) + turned for name, turned, _ in factors)


def _describe_slip(diagnosis: Diagnosis, slip: str, sheet: Sheet) -> str:
    """Say what a slip is, with "(row k₁, row k₂)" where it is known which vectors were exchanged."""
    stage = sheet.problem.mechanism.get_stage(diagnosis.stage)
    action = describe_slip(sheet, slip, stage)
    if slip != ROWS_EXCHANGED or diagnosis.exchanged is None:
        return action
    axis = stage.rows if diagnosis.along is VectorKind.ROWS else stage.columns
    lines = [sheet.say(f"line.{diagnosis.along}", at=format_vector_name(sheet, axis, at)) for at in diagnosis.exchanged]
    return sheet.say("feedback.exchanged", action=action, lines=lines)


def work_out_cell(marks: Marks, sheet: Sheet, cell: CellMark) -> tuple[str, ...]:
    """Work a cell out from the student's own numbers, line by line, the result in the last."""
    own = {name: [list(row) for row in a] for name, a in marks.student_values.items()}
    own[cell.stage][cell.row][cell.column] = cell.key if cell.from_yours is None else cell.from_yours
    values = {name: tuple(map(tuple, rows)) for name, rows in own.items()}
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    in_decimals = works_in_decimals(marks, sheet, cell)
    writer = CellWriter(sheet, values, sheet.problem.hand_arithmetic, in_decimals=in_decimals)
    return writer.write_cell(stage, cell.row, cell.column)


def works_in_decimals(marks: Marks, sheet: Sheet, cell: CellMark) -> bool:
    """Say whether the student wrote the cell, or one that it is worked from, as a decimal: 1.6923 is no 16923/10000."""
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    read = find_read_cells(sheet, stage, cell.row, cell.column)
    near = (each for each in marks.cells if each is cell or (each.stage, each.row, each.column) in read)
    return any(each.value is not None and _DECIMAL.search(each.answer) for each in near)


_DECIMAL = re.compile(r"\d?[.,]\d")


def find_pair_to_look_at(marks: Marks, sheet: Sheet, cell: CellMark) -> str | None:
    """Return the one pair of a product whose slip explains a wrong cell: left out, added or with the other sign."""
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    expected = cell.key if cell.from_yours is None else cell.from_yours
    if stage.product is None or cell.value is None or not is_finite(cell.value):
        return None
    values = {name: marks.student_values[name] for name in stage.input_names}
    if has_irrational([expected, *chain.from_iterable(map(flatten, values.values()))]):
        return None
    off = Fraction(cell.value) - Fraction(expected)
    found = []
    for pair in list_numbers(stage, values, cell.row, cell.column):
        a, b = pair
        x, y = Fraction(a), Fraction(b)
        if off and off in (-x * y, -2 * x * y, x + y - x * y):
            found.append((a, b))
    if len(found) != 1:
        return None
    texts = (use_typographic_signs(format_exact(number)) for number in found[0])
    return " · ".join(f"({text})" if text.startswith("−") else text for text in texts)


def name_cell(sheet: Sheet, cell: CellMark) -> str:
    """Return how the sheet calls a cell: "S, row k₂, column q₃", or "Σ, column q₃" where there is but one row."""
    stage = sheet.problem.mechanism.get_stage(cell.stage)
    sides = ((VectorKind.ROWS, stage.rows, cell.row), (VectorKind.COLUMNS, stage.columns, cell.column))
    lines = [
        sheet.say(f"line.{kind}", at=format_vector_name(sheet, axis, at))
        for kind, axis, at in sides
        if axis.size_name != "one"
    ]
    return sheet.say("feedback.place", matrix=format_spoken_name(sheet, stage), lines=lines)


def name_address(sheet: Sheet, stage_name: str, row: int, column: int) -> str:
    """Return the address of a cell (0-based) as tables and lists have it: "S[2,3]", "Σ[1,3] of head 1"."""
    stage = sheet.problem.mechanism.get_stage(stage_name)
    address = format_cell_address(format_short_name(sheet, stage), row, column)
    return sheet.say("feedback.stages_of_head", head=stage.head, stages=[address]) if stage.head else address


def name_stages(sheet: Sheet, names: Sequence[str]) -> str:
    """Return how the sheet calls several stages: "Q, K and V", "all of head 1; Q and K of head 2"."""
    mechanism = sheet.problem.mechanism
    asked = [stage for stage in mechanism.stages if sheet.count_answer_cells(stage)]
    groups = []
    for heads, members in groupby(map(mechanism.get_stage, names), lambda stage: mechanism.list_heads(stage.name)):
        stages = [*members]
        titles = [format_short_name(sheet, each) for each in stages]
        if len(heads) == 1 and 1 < len(stages) == sum(each.head == heads[0] for each in asked):
            groups.append(sheet.say("feedback.whole_head", head=heads[0]))
        elif len(heads) == 1:
            groups.append(sheet.say("feedback.stages_of_head", head=heads[0], stages=titles))
        elif 1 < len(heads) < mechanism.head_count:
            groups.append(sheet.say("feedback.stages_of_heads", heads=list(map(str, heads)), stages=titles))
        else:
            groups.append(sheet.say("feedback.stages", stages=titles))
    return sheet.language.list_of(groups, "clauses")


class _FeedbackWriter:
    def __init__(self, marks: Marks, sheet: Sheet) -> None:
        self.marks, self.diagnoses, self.sheet, self.say = marks, marks.diagnoses, sheet, sheet.say
        self.stages = sheet.problem.mechanism.stages
        self.cells_by_stage: dict[str, list[CellMark]] = {}
        for cell in marks.cells:
            self.cells_by_stage.setdefault(cell.stage, []).append(cell)

    def make_feedback(self, owner: str, questions: tuple[str, ...]) -> Feedback:
        departure, other_way = self.marks.first_departure, self.marks.other_way
        return Feedback(
            owner=owner,
            remark=self.say(f"feedback.other_way.{other_way}") if other_way else "",
            score=self._describe_score(),
            stage_scores=self._describe_stage_scores(),
            praise=self._describe_correct_part(),
            first_error=self._describe_first_error(departure) if departure else (),
            consequences=tuple(self._describe_consequences(departure)),
            redo_advice=self._advise_redo(departure) if departure else "",
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
        parts = [self.say(f"feedback.{mark}", count=n) for mark in Mark if (n := self.marks.count(mark))]
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

    def _describe_first_error(self, cell: CellMark) -> tuple[str, ...]:
        name = name_cell(self.sheet, cell)
        slips = (
            sentence
            for each in self.diagnoses
            if each.stage == cell.stage
            for sentence in (describe_diagnosis(each, self.sheet), *explain_diagnosis(each, self.marks, self.sheet))
        )
        if cell.note is Note.SHAPE:
            return (self._describe_shape(cell), *slips)
        if cell.mark is Mark.UNREADABLE:
            return (self.say("feedback.unread", cell=name, reason=cell.unreadable_reason),)
        if cell.note is Note.TOO_FEW_DIGITS:
            places = self.sheet.problem.rules.decimals
            return (self.say("feedback.digits", cell=name, answer=cell.answer.strip(), decimals=places),)
        answer = use_typographic_signs(cell.answer.strip())
        if cell.note in MEANT_NOTES and cell.meant is not None:
            return (self._describe_misspelling(cell, name, answer, cell.meant),)
        look = self.say("feedback.look", cell=name, answer=answer)
        pair = find_pair_to_look_at(self.marks, self.sheet, cell)
        is_alone = any(each.stage == cell.stage and each.slips == (SINGLE_CELL,) for each in self.diagnoses)
        hint = [self.say("feedback.pair", pair=pair)] if pair and is_alone else []
        return (look, *(f"  {line}" for line in work_out_cell(self.marks, self.sheet, cell)), *slips, *hint)

    def _describe_misspelling(self, cell: CellMark, name: str, answer: str, meant: Number) -> str:
        """Say that a right number is cut off, and what its next digit is, or that it lacks its %."""
        reading = read_number(cell.answer)
        places = reading.decimals if reading and reading.decimals else 0
        if cell.note is Note.NO_PERCENT:
            share = format_decimal(meant, self.sheet.problem.rules.decimals)
            return self.say("feedback.no-percent", cell=name, answer=answer, share=use_typographic_signs(share))
        with localcontext(DECIMAL_CONTEXT):
            digit = int(abs(to_decimal(meant)).scaleb(places + 1)) % 10
        rounded = use_typographic_signs(format_decimal(meant, places))
        return self.say("feedback.cut-off", cell=name, answer=answer, digit=digit, rounded=rounded)

    def _describe_shape(self, cell: CellMark) -> str:
        """Say which shape was handed in, or which row is too short or too long."""
        key, lengths = self.sheet.solution[cell.stage].hand, [*map(len, self.marks.misshapen_answers[cell.stage])]
        names = {"stage": self._name_stage(cell.stage), "key_rows": len(key), "key_columns": len(key[0])}
        if len(set(lengths)) == 1:
            return self.say("feedback.shape", rows=len(lengths), columns=lengths[0], **names)
        row = next(i for i, length in enumerate(lengths) if length != len(key[0]))
        return self.say("feedback.shape.ragged", row=row + 1, count=lengths[row], **names)

    def _describe_consequences(self, departure: CellMark | None) -> Iterator[str]:
        if count := self.marks.count(Mark.FOLLOWS):
            yield self.say("feedback.follow", count=count)
        if any(cell.note is Note.TRIVIAL for cell in self.marks.cells):
            yield self.say("feedback.trivial")
        if departure is None:
            return
        if stages := self._list_foreign_stages():
            yield self.say("feedback.foreign", stages=[*map(self._name_stage, stages)], code=self.sheet.code)
        wrong = filter(_is_wrong_or_unreadable, self.marks.cells)
        unworked = (Note.TRIVIAL, Note.PRINTED)
        others = [cell for cell in wrong if cell.stage != departure.stage and cell.note not in unworked]
        is_habit = departure.mark is Mark.UNREADABLE or departure.note in (Note.TOO_FEW_DIGITS, *MEANT_NOTES)
        same = [cell for cell in others if is_habit and (cell.mark, cell.note) == (departure.mark, departure.note)]
        if same:
            yield self.say("feedback.more.same", cells=self._count_cells_by_stage(same))
        if departure.mark is not Mark.UNREADABLE:
            # those beside the wrong cell too: its sentences say nothing of them
            unread = [cell for cell in self.marks.cells if cell.mark is Mark.UNREADABLE]
            for cell in unread[:1]:
                name = name_cell(self.sheet, cell)
                yield self.say("feedback.wrote.unread", cell=name, reason=cell.unreadable_reason)
            if unread[1:]:
                yield self.say("feedback.more.same", cells=self._count_cells_by_stage(unread[1:]))
            same += unread
        if rest := [cell for cell in others if cell not in same]:
            yield self.say("feedback.more", cells=self._count_cells_by_stage(rest))
        for each in [each for each in self.diagnoses if each.stage != departure.stage][:MAX_FURTHER_SLIPS]:
            slip = describe_diagnosis(each, self.sheet)
            yield self.say("feedback.at", stage=self._name_stage(each.stage), sentence=slip)

    def _list_foreign_stages(self) -> tuple[str, ...]:
        """Return several stages that no slip explains and that may come of another sheet's numbers."""
        stages = find_foreign_stages(self.marks, self.sheet)
        is_explained = any(each.stage in stages for each in self.diagnoses)
        return () if is_explained or len(stages) < 2 else stages

    def _count_cells_by_stage(self, cells: Iterable[CellMark]) -> list[str]:
        counts = Counter(cell.stage for cell in cells)
        return [self.say("feedback.cells", stage=self._name_stage(name), count=n) for name, n in counts.items()]

    def _advise_redo(self, departure: CellMark) -> str:
        """Say what to put right, and which later cells change with it: "K[2,2], then row k₂ of S"."""
        redo = find_cells_to_redo(self.marks, self.sheet, departure)
        first, *later = [
            (*self._name_vectors(stage, redo[stage.name]), stage) for stage in self.stages if stage.name in redo
        ]
        groups = [[first], *([*group] for _, group in groupby(later, lambda part: (part[0], part[2].head)))]
        names = [self._name_part(group) for group in groups]
        if len(names) == 1:
            return self.say("feedback.redo", first=names[0])
        return self.say("feedback.redo.later", first=names[0], later=names[1:])

    def _name_part(self, parts: Sequence[tuple[str | None, list[str], Stage]]) -> str:
        """Name what is alike: the same vectors of several stages, whole stages, or cells one by one."""
        lines, _, stage = parts[0]
        if lines is None:
            cells = [address for _, addresses, _ in parts for address in addresses]
            key = "feedback.stages_of_head" if stage.head else "feedback.stages"
            return self.say(key, stages=cells, head=stage.head)
        stages = name_stages(self.sheet, [stage.name for *_, stage in parts])
        return self.say("feedback.lines_of", lines=lines, stages=stages) if lines else stages

    def _name_vectors(self, stage: Stage, cells: Sequence[CellMark]) -> tuple[str | None, list[str]]:
        """Return the fewest vectors that hold the cells, empty for all; of a few cells None, and their addresses."""
        asked = self.cells_by_stage[stage.name]
        if len(cells) == len(asked):
            return "", []
        is_one_vector = "one" in (stage.rows.size_name, stage.columns.size_name)
        if len(cells) <= MAX_LISTED_CELLS and not is_one_vector:
            name = format_short_name(self.sheet, stage)
            return None, [format_cell_address(name, cell.row, cell.column) for cell in cells]
        rows, columns = sorted({cell.row for cell in cells}), sorted({cell.column for cell in cells})
        row_count, column_count = len({cell.row for cell in asked}), len({cell.column for cell in asked})
        kind, axis, places = VectorKind.COLUMNS, stage.columns, columns
        if len(rows) * column_count < len(columns) * row_count:
            kind, axis, places = VectorKind.ROWS, stage.rows, rows
        if len(places) == (row_count if kind is VectorKind.ROWS else column_count):
            return "", []
        letters = [to_unicode(build_labels(self.sheet, axis)[at].letter) for at in places]
        return self.say(f"feedback.{kind}", lines=letters), []

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
        stages = dict.fromkeys(cell.stage for cell in self.marks.cells if cell.note is Note.TRIVIAL)
        notes = [self.say("feedback.teacher", stages=[*map(self._name_stage, stages)])] if stages else []
        notes += [self.say("feedback.foreign.teacher", code=self.sheet.code)] if self._list_foreign_stages() else []
        return tuple(notes)


def _is_wrong_or_unreadable(cell: CellMark) -> bool:
    return cell.mark in (Mark.WRONG, Mark.UNREADABLE)
