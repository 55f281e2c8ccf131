"""One query's journey as grids: it meets every key, and mixes the values by its weights."""

from collections.abc import Sequence
from dataclasses import dataclass

from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.operations import Power
from attnhand.attention.trace import Journey, Vector, journeys
from attnhand.sheet.build_grids import figure_on, matrix_name
from attnhand.sheet.grids import Cell, Grid, Kind, Label, Look
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, bold, marked_up, plain

Line = tuple[str, Vector, str]
"""A row of a grid: what it is called (markup), its numbers, and the matrix they come from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Walk:
    """The journey of one query through one head. All that stands in its grids stands elsewhere on the sheet."""

    heading: Text
    copying: Text
    """What to copy first; empty where all of it is given. The key keeps its place."""

    meeting: Text
    keys: Grid
    """The query above all keys, one a row."""

    steps: tuple[Grid, ...]
    """Score, scaled score, …, weight of every key: one column each, the sum below the powers."""

    mixing: Text
    values: tuple[Grid, ...]
    """The weights again, every value, and every value times its weight with their sum below."""


def walks(sheet: Sheet) -> tuple[Walk, ...]:
    """Return the journey that the sheet shows, head by head; none where none is asked for."""
    query = sheet.options.walk
    if query is None:
        return ()
    values = sheet.shown.hand_values()
    return tuple(_Drawing(sheet, journey, query).walk() for journey in journeys(sheet.problem.mechanism, values, query))


class _Drawing:
    def __init__(self, sheet: Sheet, journey: Journey, query: int) -> None:
        self.sheet, self.journey, self.place = sheet, journey, query + 1
        self.printed = {given.name for given in sheet.problem.mechanism.given}
        self.printed |= {stage.name for stage in sheet.problem.mechanism.stages if sheet.is_printed(stage)}

    def walk(self) -> Walk:
        """Draw it."""
        sheet, journey = self.sheet, self.journey
        query_letter, key_letter, _, output_letter = journey.letters
        names = {"query": f"{query_letter}_{{{self.place}}}", "output": f"{output_letter}_{{{self.place}}}"}
        heading = sheet.say("walk.heading", **names)
        if journey.head:
            heading = sheet.say("heading.head", heading=heading, head=journey.head)
        word = f" ({sheet.problem.words[self.place - 1]})" if sheet.problem.words else ""
        must_copy = not self.printed.issuperset(journey.reads)
        return Walk(
            heading=(*marked_up(f"**{heading}**"), *bold(word)),
            copying=marked_up(sheet.say("walk.copy", **names)) if must_copy else (),
            meeting=marked_up(sheet.say("walk.meets", **names)),
            keys=self._grid(
                [
                    (names["query"], journey.query, journey.reads[0]),
                    *self._numbered(key_letter, journey.keys, journey.reads[1]),
                ]
            ),
            steps=tuple(map(self._step, range(len(journey.steps)))),
            mixing=marked_up(sheet.say("walk.mixes", **names)),
            values=self._values(names["output"]),
        )

    def _numbered(self, letter: str, lines: Sequence[Vector], source: str) -> list[Line]:
        return [(f"{letter}_{{{i}}}", line, source) for i, line in enumerate(lines, 1)]

    def _step(self, at: int) -> Grid:
        """Draw one stage's numbers under one another, below the powers their sum."""
        stage, numbers = self.journey.steps[at]
        lines = self._numbered(self.journey.letters[1], [(number,) for number in numbers], stage.name)
        if isinstance(stage.operation, Power):
            lines.append(("Σ", (self.journey.total,), stage.name))
        so_far = [made for _, made in self.journey.steps[: at + 1]]
        hidden = [any(made[i] == MINUS_INFINITY for made in so_far) for i in range(len(numbers))]
        return self._grid(lines, column=matrix_name(self.sheet, stage.name), accent=stage.topic, hidden=hidden)

    def _values(self, output: str) -> tuple[Grid, ...]:
        journey = self.journey
        letter, weights = journey.letters[2], journey.steps[-1][0]
        shares = self._numbered("a", [(share,) for share in journey.weights], weights.name)
        weighted = [(f"a_{{{i}}}{letter}_{{{i}}}", line, weights.name) for i, line in enumerate(journey.weighted, 1)]
        weighted.append((output, journey.output, weights.name))
        return (
            self._grid(shares, column=matrix_name(self.sheet, weights.name)),
            self._grid(self._numbered(letter, journey.values, journey.reads[2])),
            self._grid(weighted, accent="outputs"),
        )

    def _grid(self, lines: list[Line], *, column: Text = (), accent: str = "", hidden: Sequence[bool] = ()) -> Grid:
        """Draw lines under one another: those with an accent are worked here, the others copied."""
        columns = (Label(column),) if column else tuple(Label(plain(str(i + 1))) for i in range(len(lines[0][1])))
        return Grid(
            name=(),
            look=Look.WORKED if accent else Look.COPY,
            accent=accent,
            rows=tuple(Label(marked_up(name)) for name, _, _ in lines),
            columns=columns,
            cells=tuple(
                tuple(self._cell(value, source, i < len(hidden) and hidden[i]) for value in line)
                for i, (_, line, source) in enumerate(lines)
            ),
        )

    def _cell(self, value: Number, source: str, hidden: bool) -> Cell:
        if not self.sheet.solved and source not in self.printed:
            return Cell(Kind.COPIED, hidden=hidden)
        return Cell(Kind.COPIED, figure_on(self.sheet, value), hidden=hidden)
