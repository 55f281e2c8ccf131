"""A stage tried anew on other numbers, cell by cell, after a slip there: on the report, in practice, on a web page.

The numbers are those of another sheet of the same kind, drawn and proved like any; what comes before is worked.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import format_decimal, format_exact, has_irrational, use_typographic_signs
from attnhand.attention.slips import StageContext, find_slips
from attnhand.errors import AttnhandError
from attnhand.problems.request import MAX_SEED, Request
from attnhand.sheet.addresses import format_headed_address
from attnhand.sheet.hints import Hints, build_hints
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet

IN_A_ROW = 3
"""So many cells are asked; so many right ones, one after the other, and the stage is settled."""

MAX_UNLIKE = 200
"""After so many sheets of which none will do no other is looked for."""

Place = tuple[int, int]
"""Row and column of a cell, 0-based."""


@dataclass(frozen=True, slots=True)
class Exercise:
    """One cell of a stage, to be worked on new numbers."""

    sheet: Sheet
    """That the numbers are of."""

    stage: Stage
    row: int
    column: int

    @property
    def hints(self) -> Hints:
        """What leads to the cell; its sources are what it is worked from."""
        return build_hints(self.sheet, self.stage, self.row, self.column, self._write_number)

    @property
    def address(self) -> str:
        """The cell as the sheet prints it: Σ[1,3]."""
        return format_headed_address(self.sheet, self.stage.name, self.row, self.column)

    @property
    def answer(self) -> str:
        return self._write_number(self.stage.name, self.row, self.column)

    def _write_number(self, name: str, row: int, column: int) -> str:
        number = self.sheet.solution.collect_hand_values()[name][row][column]
        is_long = has_irrational([number])
        text = format_decimal(number, self.sheet.problem.rules.decimals) if is_long else format_exact(number)
        return use_typographic_signs(self.sheet.language.localize(text))


def draw_exercises(sheet: Sheet, stage_name: str, slips: tuple[str, ...] = ()) -> Iterator[Exercise]:
    """Yield cells of a stage on new numbers, three of every sheet.

    None where no other sheet of that kind is drawn, or such a sheet asks nothing at that stage.

    Args:
        slips: what may have gone wrong there; cells in which the first of them shows come first.
    """
    for other in draw_other_sheets(sheet):
        stage = other.problem.mechanism.get_stage(stage_name)
        places = choose_places(other, stage, slips)
        if not places:
            return
        for row, column in places:
            yield Exercise(other, stage, row, column)


def draw_other_sheets(sheet: Sheet) -> Iterator[Sheet]:
    """Yield sheets of the same kind and the same sizes with other numbers, as long as such can be drawn.

    A step of learning on other words is another formula, which a web page that was written for these does not have.
    """
    if sheet.problem.variant.has_given_positions or sheet.problem.variant.mask:  # only a file says them
        return
    try:
        request = _make_request(sheet)
    except AttnhandError:  # of sizes that are never drawn
        return
    unlike = 0
    while unlike < MAX_UNLIKE:
        request = replace(request, seed=request.seed + 1 if request.seed < MAX_SEED else 0)
        other = _draw(request, PageOptions(language=sheet.language.code, only_queries=sheet.options.only_queries))
        if other is None:
            return
        if other.problem.given != sheet.problem.given and other.problem.moved == sheet.problem.moved:
            unlike = 0
            yield other
        else:
            unlike += 1


@lru_cache(maxsize=64)  # a class hands in one sheet, and one that cannot be drawn takes seconds to be given up
def _draw(request: Request, options: PageOptions) -> Sheet | None:
    try:
        return make_sheet_from_request(request, options)
    except AttnhandError:
        return None


def _make_request(sheet: Sheet) -> Request:
    """Return what to ask for a sheet of the same kind; one of a story, or of somebody's own numbers, by its sizes."""
    request, problem = sheet.request, sheet.problem
    if request is not None and request.story is None:
        return request
    sizes = {**problem.sizes}
    if problem.variant.embedded_words:
        del sizes["tokens"], sizes["vocabulary"]
    return Request(
        seed=0 if request is None else request.seed,
        variant=problem.variant,
        convention=sheet.convention,
        size_overrides=tuple(sizes.items()),
        rules=problem.rules,
    )


def choose_places(sheet: Sheet, stage: Stage, slips: tuple[str, ...] = ()) -> list[Place]:
    """Return cells to ask, such in which a slip shows first, each with a number of its own as long as there are such.

    The web sheet chooses them like this, too: ``templates/web/new_numbers.js``.
    """
    key = sheet.solution[stage.name].hand
    wrong = _make_slip(sheet, stage, slips)
    asked = [*sheet.list_asked_cells(stage)]
    shown = [(i, j) for i, j in asked if wrong is None or wrong[i][j] != key[i][j]]
    distinct = list({key[i][j]: (i, j) for i, j in reversed(shown)}.values())[::-1]
    found = dict.fromkeys([*distinct, *shown, *asked])
    return sorted([*found][:IN_A_ROW])


def _make_slip(sheet: Sheet, stage: Stage, slips: tuple[str, ...]) -> Matrix | None:
    """Return what the first of these slips gives on the new numbers; None where it gives nothing of that shape."""
    problem = sheet.problem
    context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, sheet.solution.collect_hand_values())
    for slip in find_slips(stage, slips[:1]):
        if slip.has_same_shape and (wrong := slip.compute_wrong(context)) is not None:
            return wrong
    return None
