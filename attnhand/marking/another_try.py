"""A try on new numbers: a few cells at the stage of the slip, for whoever has just read what went wrong there."""

from dataclasses import dataclass
from itertools import islice

from attnhand.marking.departures import Departure, find_departures
from attnhand.marking.marks import Marks, Note
from attnhand.sheet.new_numbers import IN_A_ROW, Exercise, draw_exercises
from attnhand.sheet.sheet import Sheet


@dataclass(frozen=True, slots=True)
class AnotherTry:
    """Cells to be worked on other numbers, and what comes out."""

    exercises: tuple[Exercise, ...]
    sheet: Sheet
    """That was marked, in the language of the report."""

    @property
    def heading(self) -> str:
        return self.sheet.say("feedback.try")

    @property
    def lines(self) -> tuple[str, ...]:
        """What each cell is worked from: "S[1,3] = −5: scaled[1,3] = ?"."""
        return tuple(
            self.sheet.say("feedback.try.cell", sources=each.hints.sources, cell=each.address)
            for each in self.exercises
        )

    @property
    def answers(self) -> tuple[str, ...]:
        return tuple(each.answer for each in self.exercises)

    @property
    def turned_answers(self) -> str:
        """The answers, to be printed upside down."""
        return self.sheet.say("feedback.try.answers", answers=self.answers)

    @property
    def backward_answers(self) -> str:
        """The answers from right to left, for a line that cannot be turned: nobody reads them by chance."""
        return self.sheet.say("feedback.try.backwards", answers=" · ".join(self.answers)[::-1])


def make_another_try(marks: Marks, sheet: Sheet) -> AnotherTry | None:
    """Return a try at the stage of the first slip, else where something first went wrong; None where nothing did.

    The cells are such in which the slip would show again.
    """
    departures = [each for each in find_departures(marks, sheet) if _is_of_work(each)]
    if not departures:
        return None
    departure = next(filter(_list_named_slips, departures), departures[0])
    found = draw_exercises(sheet, departure.first.stage, _list_named_slips(departure))
    exercises = tuple(islice(found, IN_A_ROW))
    return AnotherTry(exercises, sheet) if exercises else None


def _is_of_work(departure: Departure) -> bool:
    return not departure.is_habit and departure.first.note not in (Note.SHAPE, Note.PRINTED)


def _list_named_slips(departure: Departure) -> tuple[str, ...]:
    """Return the slips of the catalogue that it may be."""
    return departure.diagnosis.catalogued_slips if departure.diagnosis else ()
