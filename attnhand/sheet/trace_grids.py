"""Build the grids of a trace: one query meets every key, and mixes the values by its weights."""

from collections.abc import Sequence
from dataclasses import dataclass

from attnhand.attention.numbers import MINUS_INFINITY, Number
from attnhand.attention.trace import QueryTrace, Vector, trace_query
from attnhand.sheet.build_grids import format_matrix_name, format_sheet_value
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label, format_line_label
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, make_bold_text, make_plain_text, parse_markup

TraceRow = tuple[str, Vector, str]
"""A row of a grid: what it is called (markup), its numbers, and the matrix they come from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceGrids:
    """The trace of one query through one head; all its numbers stand elsewhere on the sheet too."""

    heading: Text
    copy_instruction: Text
    """What to copy first; empty where all of it is given. The key keeps its place."""

    key_instruction: Text
    key_grid: Grid
    """The query above all keys, one a row."""

    step_grids: tuple[Grid, ...]
    """Score, scaled score, …, weight of every key: one column each, the sum below the powers."""

    value_instruction: Text
    value_grids: tuple[Grid, ...]
    """The weights again, every value, and every value times its weight with their sum below."""

    @property
    def blocks(self) -> tuple[tuple[tuple[Text, ...], tuple[Grid, ...]], ...]:
        """What to do and its grids, twice: the query meets the keys, the values are mixed."""
        copies = (self.copy_instruction,) if self.copy_instruction else ()
        keys = ((self.key_instruction, *copies), (self.key_grid, *self.step_grids))
        return keys, ((self.value_instruction,), self.value_grids)


def build_trace_grids(sheet: Sheet) -> tuple[TraceGrids, ...]:
    """Return the traces that the sheet shows, one for each head; none where none is asked for."""
    if (number := sheet.options.trace) is None:
        return ()
    traces = trace_query(sheet.problem.mechanism, sheet.printed_solution.collect_hand_values(), number - 1)
    return tuple(_TraceGridBuilder(sheet, trace, number).build() for trace in traces)


class _TraceGridBuilder:
    def __init__(self, sheet: Sheet, trace: QueryTrace, query_number: int) -> None:
        self.sheet, self.trace, self.query_number = sheet, trace, query_number
        self.printed_matrices = {given.name for given in sheet.problem.mechanism.given}
        self.printed_matrices |= {stage.name for stage in sheet.problem.mechanism.stages if sheet.is_printed(stage)}

    def build(self) -> TraceGrids:
        """Return the grids and their text."""
        sheet, trace = self.sheet, self.trace
        query, output = (format_line_label(trace.letters[at], self.query_number) for at in (0, 3))
        names = {"query": query, "output": output}
        query_row = (query, trace.query, trace.source_names[0])
        key_rows = self._number_rows(trace.letters[1], trace.keys, trace.source_names[1])
        heading = sheet.say("walk.heading", **names)
        if trace.head:
            heading = sheet.say("heading.head", heading=heading, head=trace.head)
        word = f" ({sheet.problem.words[self.query_number - 1]})" if sheet.problem.words else ""
        must_copy = not self.printed_matrices.issuperset(trace.source_names)
        return TraceGrids(
            heading=(*parse_markup(f"**{heading}**"), *make_bold_text(word)),
            copy_instruction=parse_markup(sheet.say("walk.copy", **names)) if must_copy else (),
            key_instruction=parse_markup(sheet.say("walk.meets", **names)),
            key_grid=self._build_grid([query_row, *key_rows]),
            step_grids=tuple(map(self._build_step, range(len(trace.steps)))),
            value_instruction=parse_markup(sheet.say("walk.mixes", **names)),
            value_grids=self._build_values(output),
        )

    def _number_rows(self, letter: str, vectors: Sequence[Vector], matrix: str) -> list[TraceRow]:
        return [(format_line_label(letter, i), line, matrix) for i, line in enumerate(vectors, 1)]

    def _build_step(self, index: int) -> Grid:
        """Draw one stage's numbers under one another, below the powers their sum."""
        stage, numbers = self.trace.steps[index]
        lines = self._number_rows(self.trace.letters[1], [(number,) for number in numbers], stage.name)
        if stage.name == self.trace.summed:
            lines.append(("Σ", (self.trace.power_sum,), stage.name))
        so_far = [vector for _, vector in self.trace.steps[: index + 1]]
        masked_rows = [any(vector[i] == MINUS_INFINITY for vector in so_far) for i in range(len(numbers))]
        name = format_matrix_name(self.sheet, stage.name)
        return self._build_grid(lines, column_name=name, accent=stage.topic, masked_rows=masked_rows)

    def _build_values(self, output: str) -> tuple[Grid, ...]:
        trace, weights = self.trace, self.trace.steps[-1][0].name
        shares = self._number_rows("a", [(share,) for share in trace.weights], weights)
        values = self._number_rows(trace.letters[2], trace.values, trace.source_names[2])
        names = [f"{share[0]}{value[0]}" for share, value in zip(shares, values, strict=True)]
        weighted = [(name, line, weights) for name, line in zip(names, trace.weighted_values, strict=True)]
        return (
            self._build_grid(shares, column_name=format_matrix_name(self.sheet, weights)),
            self._build_grid(values),
            self._build_grid([*weighted, (output, trace.output, weights)], accent="outputs"),
        )

    def _build_grid(
        self, rows: list[TraceRow], *, column_name: Text = (), accent: str = "", masked_rows: Sequence[bool] = ()
    ) -> Grid:
        """Put rows under one another; a grid with an accent is worked here, others are copied."""
        names = [column_name] if column_name else [make_plain_text(str(i + 1)) for i in range(len(rows[0][1]))]
        return Grid(
            name=(),
            style=GridStyle.WORKED if accent else GridStyle.COPY,
            accent=accent,
            rows=tuple(Label(parse_markup(name)) for name, _, _ in rows),
            columns=tuple(map(Label, names)),
            cells=tuple(
                tuple(self._build_cell(value, source, i < len(masked_rows) and masked_rows[i]) for value in line)
                for i, (_, line, source) in enumerate(rows)
            ),
        )

    def _build_cell(self, value: Number, matrix: str, is_masked: bool) -> Cell:
        has_number = self.sheet.is_solved or matrix in self.printed_matrices
        return Cell(CellKind.COPIED, format_sheet_value(self.sheet, value) if has_number else None, is_masked=is_masked)
