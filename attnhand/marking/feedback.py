"""What a good marker says: what is right first, then the first departure, and one thing to redo."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import true_minus
from attnhand.attention.operations import Along
from attnhand.marking.diagnosis import Diagnosis
from attnhand.marking.evidence import ROWS_EXCHANGED
from attnhand.marking.marks import CellMark, Marks, Note
from attnhand.sheet.addresses import printed_name
from attnhand.sheet.build_grids import labels, spoken_name
from attnhand.sheet.explain import CellWriter, line_name
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import as_plain

MOST_CANDIDATES = 3
"""Slips that are listed where several explain the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What is said of one student's answers, in plain sentences; what there is nothing to say of is empty."""

    score: str
    stages: str
    """How many cells of every stage count."""

    right: str
    look: tuple[str, ...]
    """The first departure, its cell explained from the student's own numbers, and the slip it looks like."""

    after: tuple[str, ...]
    """What follows from there, and what does not."""

    redo: str
    empty: str
    teacher: str

    @property
    def sentences(self) -> tuple[str, ...]:
        """All of it, in the order in which it is said."""
        said = (self.score, self.stages, self.right, *self.look, *self.after, self.redo, self.empty, self.teacher)
        return tuple(sentence for sentence in said if sentence)


def feedback(marks: Marks, diagnoses: Sequence[Diagnosis], sheet: Sheet) -> Feedback:
    """Say what is right, where the first departure is, what slip it looks like and what to redo."""
    return _Writer(marks, diagnoses, sheet).feedback()


def diagnosis_sentence(diagnosis: Diagnosis, sheet: Sheet) -> str:
    """Say what somebody seems to have done at a stage: surely, perhaps, or one of several things."""
    if not diagnosis.slips:
        key = "feedback.product" if diagnosis.shown_by else "feedback.product.shape"
        return sheet.say(key, sizes=diagnosis.product_sizes, product=diagnosis.product)
    told = [sheet.say(f"slip.{slip}") + _which(diagnosis, slip, sheet) for slip in diagnosis.slips[:MOST_CANDIDATES]]
    key = "named" if diagnosis.is_named else "perhaps" if diagnosis.is_perhaps else "several"
    return sheet.say(f"feedback.{key}", told=sheet.say("feedback.or").join(told))


def _which(diagnosis: Diagnosis, slip: str, sheet: Sheet) -> str:
    """Return " (row k₁, row k₂)" where it is known which lines were exchanged."""
    if slip != ROWS_EXCHANGED or diagnosis.lines is None:
        return ""
    stage = sheet.problem.mechanism.stage(diagnosis.stage)
    axis = stage.rows if diagnosis.along is Along.ROWS else stage.columns
    line = sheet.say(f"line.{diagnosis.along}")
    return " (" + ", ".join(f"{line} {line_name(sheet, axis, at)}" for at in diagnosis.lines) + ")"


def worked_out(marks: Marks, sheet: Sheet, cell: CellMark) -> tuple[str, ...]:
    """Work a cell out from the student's own numbers, line by line, the result in the last."""
    own = {name: [list(row) for row in a] for name, a in marks.own.items()}
    own[cell.stage][cell.row][cell.column] = cell.key if cell.from_yours is None else cell.from_yours
    values = {name: tuple(map(tuple, rows)) for name, rows in own.items()}
    stage = sheet.problem.mechanism.stage(cell.stage)
    return CellWriter(sheet, values, sheet.problem.hand).lines(stage, cell.row, cell.column)


def cell_name(sheet: Sheet, cell: CellMark) -> str:
    """Return how the sheet calls a cell: "S, row k₂, column q₃"."""
    stage = sheet.problem.mechanism.stage(cell.stage)
    row, column = line_name(sheet, stage.rows, cell.row), line_name(sheet, stage.columns, cell.column)
    return sheet.say("spoken.cell", matrix=spoken_name(sheet, stage), row=row, column=column)


class _Writer:
    def __init__(self, marks: Marks, diagnoses: Sequence[Diagnosis], sheet: Sheet) -> None:
        self.marks, self.diagnoses, self.sheet = marks, diagnoses, sheet
        self.by_stage: dict[str, list[CellMark]] = {}
        for cell in marks.cells:
            self.by_stage.setdefault(cell.stage, []).append(cell)
        self.first = marks.first_departure

    def feedback(self) -> Feedback:
        return Feedback(
            score=self._score(),
            stages=self._scores(),
            right=self._right(),
            look=self._look(self.first) if self.first else (),
            after=self._after(),
            redo=self._redo(self.first) if self.first else "",
            empty=self._empty(),
            teacher=self._teacher(),
        )

    def _score(self) -> str:
        counts = {mark: self.marks.count(mark) for mark in Mark}
        parts = ", ".join(self.sheet.say(f"feedback.{mark}", count=n) for mark, n in counts.items() if n)
        return self.sheet.say("feedback.score", counted=self.marks.counting(), of=len(self.marks.cells), parts=parts)

    def _scores(self) -> str:
        return " · ".join(
            f"{printed_name(self.sheet, name)} {self.marks.counting(name)}/{len(cells)}"
            for name, cells in self.by_stage.items()
        )

    def _right(self) -> str:
        if self.marks.all_correct:
            told = self.sheet.say("feedback.all")
        elif stages := self._stages(lambda cell: cell.mark is Mark.CORRECT):
            told = self.sheet.say("feedback.right", stages=", ".join(stages))
        elif self.first is None and self.marks.count(Mark.CORRECT):
            told = self.sheet.say("feedback.right_so_far")
        else:
            return ""
        rounded = any(cell.note is Note.ROUNDED for cell in self.marks.cells)
        return f"{told} {self.sheet.say('feedback.rounded')}" if rounded else told

    def _stages(self, is_so: Callable[[CellMark], bool]) -> list[str]:
        """Return the names of the stages of which every cell is so."""
        return [printed_name(self.sheet, name) for name, cells in self.by_stage.items() if all(map(is_so, cells))]

    def _look(self, cell: CellMark) -> tuple[str, ...]:
        sheet, name = self.sheet, cell_name(self.sheet, cell)
        if cell.note is Note.SHAPE:
            return (self._shape(cell), *self._slip(cell))
        if cell.mark is Mark.UNREADABLE:
            return (sheet.say("feedback.unread", cell=name, told=cell.told),)
        if cell.note is Note.TOO_FEW_DIGITS:
            places = sheet.problem.rules.decimals
            return (sheet.say("feedback.digits", cell=name, answer=cell.answer.strip(), decimals=places),)
        look = sheet.say("feedback.look", cell=name, answer=true_minus(cell.answer.strip()))
        return (look, *(f"  {line}" for line in worked_out(self.marks, self.sheet, cell)), *self._slip(cell))

    def _shape(self, cell: CellMark) -> str:
        """Say which shape was handed in, or which row is too short or too long."""
        name, key = printed_name(self.sheet, cell.stage), self.sheet.solution[cell.stage].hand
        lengths = [len(row) for row in self.marks.other_shapes[cell.stage]]
        names = {"stage": name, "key_rows": len(key), "key_columns": len(key[0])}
        if len(set(lengths)) == 1:
            return self.sheet.say("feedback.shape", rows=len(lengths), columns=lengths[0], **names)
        row = next(i for i, length in enumerate(lengths) if length != len(key[0]))
        return self.sheet.say("feedback.shape.ragged", row=row + 1, count=lengths[row], **names)

    def _slip(self, cell: CellMark) -> tuple[str, ...]:
        found = [diagnosis for diagnosis in self.diagnoses if diagnosis.stage == cell.stage]
        return tuple(diagnosis_sentence(diagnosis, self.sheet) for diagnosis in found)

    def _after(self) -> tuple[str, ...]:
        said = []
        if count := self.marks.count(Mark.FOLLOWS):
            said.append(self.sheet.say("feedback.follow.one" if count == 1 else "feedback.follow", count=count))
        if self.first is not None:
            others = [cell for cell in self.marks.cells if _is_off(cell) and cell.stage != self.first.stage]
            if others:
                said.append(self.sheet.say("feedback.more", cells=self._counted(others)))
            slips = [diagnosis for diagnosis in self.diagnoses if diagnosis.stage != self.first.stage]
            for each in slips:
                told = diagnosis_sentence(each, self.sheet)
                said.append(self.sheet.say("feedback.at", stage=printed_name(self.sheet, each.stage), told=told))
        return tuple(said)

    def _counted(self, cells: Iterable[CellMark]) -> str:
        counts: dict[str, int] = {}
        for cell in cells:
            counts[cell.stage] = counts.get(cell.stage, 0) + 1
        return ", ".join(
            self.sheet.say(
                "feedback.cells.one" if count == 1 else "feedback.cells",
                stage=printed_name(self.sheet, name),
                count=count,
            )
            for name, count in counts.items()
        )

    def _redo(self, first: CellMark) -> str:
        """Say what to work again: the lines of the queries that departed, and what reads them."""
        sheet = self.sheet
        stage = sheet.problem.mechanism.stage(first.stage)
        later = ", ".join(printed_name(sheet, each.name) for each in self._later(stage))
        lines = self._lines(stage)
        key = "feedback.redo" if later else "feedback.redo.last"
        names = {"stage": printed_name(sheet, first.stage), "later": later, "lines": lines}
        return sheet.say(f"{key}.lines" if lines else key, **names)

    def _later(self, stage: Stage) -> list[Stage]:
        """Return the stages whose numbers come from this one and are not the key's yet."""
        reached = {stage.name}
        found = []
        for each in self.sheet.problem.mechanism.stages:
            if reached & set(each.reads) and each.name not in reached:
                reached.add(each.name)
                is_right = all(cell.mark is Mark.CORRECT for cell in self.by_stage.get(each.name, ()))
                found += [] if is_right else [each]
        return found

    def _lines(self, stage: Stage) -> str:
        """Return "column q₁, column q₃" where only some queries of a stage departed, else nothing."""
        cells = self.by_stage[stage.name]
        if stage.name not in self.sheet.query_stages or any(cell.note is Note.SHAPE for cell in cells):
            return ""
        in_columns = self.sheet.problem.mechanism.query_along is Along.COLUMNS
        asked = {cell.column if in_columns else cell.row for cell in cells}
        off = sorted({cell.column if in_columns else cell.row for cell in cells if _is_off(cell)})
        if len(off) == len(asked):
            return ""
        axis = stage.columns if in_columns else stage.rows
        letters = [as_plain(labels(self.sheet, axis)[at].letter) for at in off]
        return ", ".join(f"{self.sheet.say('line')} {letter}" for letter in letters)

    def _empty(self) -> str:
        stages = self._stages(lambda cell: cell.mark is Mark.BLANK)
        partly = [cell for cell in self.marks.cells if cell.mark is Mark.BLANK]
        partly = [cell for cell in partly if printed_name(self.sheet, cell.stage) not in stages]
        told = ", ".join([*stages, *([self._counted(partly)] if partly else [])])
        return self.sheet.say("feedback.empty", stages=told) if told else ""

    def _teacher(self) -> str:
        stages = dict.fromkeys(cell.stage for cell in self.marks.cells if cell.note is Note.TRIVIAL)
        told = ", ".join(printed_name(self.sheet, name) for name in stages)
        return self.sheet.say("feedback.teacher", stages=told) if told else ""


def _is_off(cell: CellMark) -> bool:
    return cell.mark in (Mark.WRONG, Mark.UNREADABLE)
