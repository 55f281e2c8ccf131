"""After a slip three more: cells of that stage on other numbers, until three in a row are right."""

from collections.abc import Iterator

from attnhand.attention.spellings import read_number
from attnhand.errors import AttnhandError, NumberError
from attnhand.marking.another_try import Exercise, choose_other_numbers, list_exercises
from attnhand.marking.match import match_answer
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet

NEEDED_IN_A_ROW = 3
"""So many right answers, one after the other, end it."""

MAX_SHEETS = 100
"""So many other sheets are drawn at most: nobody works more."""


class Drill:
    """One student at one kind of cell; its numbers are those of no sheet that was handed out."""

    def __init__(self, sheet: Sheet, stage_name: str, slips: tuple[str, ...] = ()) -> None:
        """Take the sheet on which something went wrong.

        Args:
            slips: those of the catalogue that it may be; cells in which they show come first.
        """
        self.sheet, self.stage_name, self.slips = sheet, stage_name, slips
        self.in_a_row = 0
        self.coming = self._draw_exercises()
        self.exercise = next(self.coming, None)
        """What is asked now; None where nothing can be drawn, and at the end."""

    def _draw_exercises(self) -> Iterator[Exercise]:
        asked = set()
        for step in range(1, MAX_SHEETS + 1):
            try:
                other = make_sheet_from_request(
                    choose_other_numbers(self.sheet, step), PageOptions(language=self.sheet.language.code)
                )
                stage = other.problem.mechanism.find_stage(self.stage_name)
            except AttnhandError:  # no such sheet: another seed
                continue
            for exercise in list_exercises(other, stage, self.slips) if stage else ():
                if exercise.line not in asked:
                    asked.add(exercise.line)
                    yield exercise

    def describe(self) -> str:
        """Say what begins, and how it ends."""
        return self.sheet.say("practice.drill", needed=NEEDED_IN_A_ROW)

    def enter(self, typed: str) -> tuple[str, ...]:
        """Mark a number and go on to another exercise; of a wrong one the steps and the number are told."""
        exercise = self.exercise
        assert exercise is not None
        try:
            reading = read_number(typed)
        except NumberError as error:
            return (self.sheet.say("practice.drill.unread", reason=self.sheet.language.translate(error)),)
        if reading is None:
            return ()
        is_right = match_answer(reading, exercise.value, self.sheet.problem.rules.decimals).is_right
        self.in_a_row = self.in_a_row + 1 if is_right else 0
        self.exercise = next(self.coming, None)
        if not is_right:
            return exercise.steps, self.sheet.say("practice.drill.wrong", answer=exercise.answer)
        if self.in_a_row < NEEDED_IN_A_ROW:
            return (self.sheet.say("practice.drill.right", count=self.in_a_row, needed=NEEDED_IN_A_ROW),)
        self.exercise = None
        return (self.sheet.say("practice.drill.done", needed=NEEDED_IN_A_ROW),)
