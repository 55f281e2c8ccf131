"""Three more, after a slip: cells of the stage on new numbers, one by one, until three in a row are right."""

from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import format_exact
from attnhand.attention.spellings import read_number
from attnhand.errors import NumberError
from attnhand.formats.answers import Answers
from attnhand.marking.checked import check_answers
from attnhand.marking.marks import Note
from attnhand.marking.reasons import describe_diagnosis, explain_diagnosis, work_out_cell
from attnhand.sheet.grids import COUNTED_MARKS
from attnhand.sheet.new_numbers import IN_A_ROW, Exercise, draw_exercises
from attnhand.sheet.sheet import Sheet


class ThreeMore:
    """One stage on new numbers: every answer is marked as on a sheet, and a wrong one starts the count again."""

    def __init__(self, sheet: Sheet, stage: str, slips: tuple[str, ...]) -> None:
        self.sheet, self.stage = sheet, stage
        self._exercises = draw_exercises(sheet, stage, slips)
        self.exercise: Exercise | None = next(self._exercises, None)
        """What is asked now; None where no numbers are drawn, or all is done."""

        self.right_count = 0
        """So many were right, one after the other."""

        self.hint_count = 0

    @property
    def is_done(self) -> bool:
        return self.exercise is None

    @property
    def address(self) -> str:
        """The cell that is asked, as the sheet prints it."""
        return self.exercise.address if self.exercise else ""

    def describe(self) -> tuple[str, ...]:
        """Say what comes, and how it is left."""
        return self.sheet.say("more.how"), self.sheet.say("practice.more.leave")

    def describe_exercise(self) -> tuple[str, ...]:
        """Say what the cell is worked from."""
        return self.exercise.hints.sources if self.exercise else ()

    def give_hint(self) -> tuple[str, ...]:
        """Ask what to ask oneself, then say what to work; what it is worked from is seen already."""
        if self.exercise is None:
            return ()
        self.hint_count += 1
        hints = self.exercise.hints
        return (hints.question if self.hint_count == 1 else hints.steps,)

    def answer(self, typed: str) -> tuple[str, ...]:
        """Mark a number, and return the verdict: how many are right in a row, or the slip and how it is worked."""
        assert self.exercise is not None
        say = self.sheet.say
        try:
            read_number(typed)
        except NumberError as error:
            return (say("practice.unread", cell=self.address, reason=self.sheet.language.translate(error)),)
        asked = self.exercise
        result = check_answers(_fill(asked, typed), asked.sheet)
        place = (asked.stage.name, asked.row, asked.column)
        mark = next(each for each in result.marks.cells if (each.stage, each.row, each.column) == place)
        if mark.note is Note.TOO_FEW_DIGITS:
            return (say("practice.digits", cells=[self.address], decimals=asked.sheet.problem.rules.decimals),)
        if mark.mark in COUNTED_MARKS:
            self.right_count += 1
            if self.right_count == IN_A_ROW:
                self.exercise = None
                return (f"{say('practice.right')} {say('more.done')}",)
            self._go_on()
            return (f"{say('practice.right')} {say('more.count', count=self.right_count, all=IN_A_ROW)}",)
        slips = [
            sentence
            for each in result.diagnoses
            if each.catalogued_slips
            for sentence in (describe_diagnosis(each, asked.sheet), *explain_diagnosis(each, result.marks, asked.sheet))
        ]
        worked = work_out_cell(result.marks, asked.sheet, mark)
        self.right_count = 0
        wrong = say("practice.not_yet", cells=[self.address])
        self._go_on()
        return (wrong, *slips, *worked, say("more.again"))

    def _go_on(self) -> None:
        self.exercise, self.hint_count = next(self._exercises, None), 0


def _fill(exercise: Exercise, typed: str) -> Answers:
    """Return the answers of whoever has all right that stands before the cell, and wrote nothing else."""
    sheet = exercise.sheet
    texts = {}
    for stage in sheet.problem.mechanism.stages:
        if stage == exercise.stage:
            break
        texts[stage.name] = _write_rows(sheet, stage)
    empty = [["" for _ in row] for row in sheet.solution[exercise.stage.name].hand]
    empty[exercise.row][exercise.column] = typed
    texts[exercise.stage.name] = tuple(map(tuple, empty))
    return Answers(code=sheet.code, stages=texts)


def _write_rows(sheet: Sheet, stage: Stage) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(map(format_exact, row)) for row in sheet.solution[stage.name].hand)
