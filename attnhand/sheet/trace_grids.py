"""Build the grids of a trace: one query meets every key, and mixes the values by its weights."""

from collections.abc import Sequence
from dataclasses import dataclass

from attnhand.attention.numbers import Number
from attnhand.attention.trace import QueryTrace, Vector, trace_query
from attnhand.sheet.build_grids import format_matrix_name, format_sheet_value
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label, format_vector_label
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, make_bold_text, make_plain_text, parse_markup

TraceRow = tuple[str, Vector, bool]
"""A row of a grid: what it is called (markup), its numbers, and whether the sheet prints them."""


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
        self.stages = {stage.name: stage for stage in sheet.problem.mechanism.stages}

    def _is_printed(self, matrix: str, token: int, entry: int = 0) -> bool:
        """Say whether the sheet prints a number (0-based) of a token's vector: of keys, or of scores by query."""
        if matrix not in self.stages:
            return True
        cell = (token, entry) if self.sheet.convention.is_rows else (entry, token)
        return self.sheet.is_cell_printed(self.stages[matrix], *cell)

    def build(self) -> TraceGrids:
        """Return the grids and their text."""
        sheet, trace = self.sheet, self.trace
        words, number = sheet.problem.words, self.query_number + (sheet.problem.variant.cache or 0)
        query, output = (format_vector_label(trace.letters[at], number) for at in (0, 3))
        names = {"query": query, "output": output}
        query_row = (query, trace.query, self._is_printed(trace.source_names[0], self.query_number - 1))
        key_rows = self._number_rows(trace.letters[1], trace.keys, trace.source_names[1])
        heading = sheet.say("trace.heading", **names)
        if trace.head:
            heading = sheet.say("heading.head", heading=heading, head=trace.head)
        word = f" ({words[number - 1]})" if words else ""
        value_rows = self._number_rows(trace.letters[2], trace.values, trace.source_names[2])
        must_copy = not all(is_printed for _, _, is_printed in [query_row, *key_rows, *value_rows])
        return TraceGrids(
            heading=(*parse_markup(f"**{heading}**"), *make_bold_text(word)),
            copy_instruction=parse_markup(sheet.say("trace.copy", **names)) if must_copy else (),
            key_instruction=parse_markup(sheet.say(_choose_meeting_key(sheet), **names)),
            key_grid=self._build_grid([query_row, *key_rows]),
            step_grids=tuple(map(self._build_step, range(len(trace.steps)))),
            value_instruction=parse_markup(sheet.say("trace.mixes", **names)),
            value_grids=self._build_values(value_rows, output),
        )

    def _number_rows(self, letter: str, vectors: Sequence[Vector], matrix: str) -> list[TraceRow]:
        return [
            (format_vector_label(letter, i + 1), vector, self._is_printed(matrix, i))
            for i, vector in enumerate(vectors)
        ]

    def _build_step(self, index: int) -> Grid:
        """Draw one stage's numbers under one another, below the powers their sum."""
        stage, numbers = self.trace.steps[index]
        rows = self._number_query_numbers(self.trace.letters[1], stage.name, numbers)
        if stage.name == self.trace.summed:
            is_printed = self._is_printed(self.trace.attention.sums, self.query_number - 1)
            rows.append(("Σ", (self.trace.power_sum,), is_printed))
        name = format_matrix_name(self.sheet, stage.name)
        return self._build_grid(rows, column_name=name, accent=stage.topic)

    def _number_query_numbers(self, letter: str, matrix: str, numbers: Vector) -> list[TraceRow]:
        """Return the numbers of this query in a stage, key by key."""
        return [
            (format_vector_label(letter, i + 1), (number,), self._is_printed(matrix, self.query_number - 1, i))
            for i, number in enumerate(numbers)
        ]

    def _build_values(self, value_rows: list[TraceRow], output: str) -> tuple[Grid, ...]:
        trace, weights = self.trace, self.trace.attention.weights
        shares = self._number_query_numbers("a", weights, trace.weights)
        names = [f"{share[0]}{value[0]}" for share, value in zip(shares, value_rows, strict=True)]
        is_printed = self._is_printed(trace.attention.outputs, self.query_number - 1)
        mixed = [*zip(names, trace.weighted_values, strict=True), (output, trace.output)]
        return (
            self._build_grid(shares, column_name=format_matrix_name(self.sheet, weights)),
            self._build_grid(value_rows),
            self._build_grid([(name, vector, is_printed) for name, vector in mixed], accent="outputs"),
        )

    def _build_grid(self, rows: list[TraceRow], *, column_name: Text = (), accent: str = "") -> Grid:
        """Put rows under one another; a grid with an accent is worked here, others are copied."""
        names = [column_name] if column_name else [make_plain_text(str(i + 1)) for i in range(len(rows[0][1]))]
        return Grid(
            name=(),
            style=GridStyle.WORKED if accent else GridStyle.COPY,
            accent=accent,
            rows=tuple(Label(parse_markup(name)) for name, _, _ in rows),
            columns=tuple(map(Label, names)),
            cells=tuple(
                tuple(self._build_cell(value, is_printed=is_printed, is_worked=bool(accent)) for value in vector)
                for _, vector, is_printed in rows
            ),
        )

    def _build_cell(self, value: Number, *, is_printed: bool, is_worked: bool) -> Cell:
        is_solved = self.sheet.is_solved
        kind = CellKind.ANSWER if is_solved and is_worked and not is_printed else CellKind.COPIED
        return Cell(kind, format_sheet_value(self.sheet, value) if is_solved or is_printed else None)


def _choose_meeting_key(sheet: Sheet) -> str:
    """Return which sentence says how a query meets the keys: with a sink its weights lack something to 1."""
    return "trace.meets" if sheet.problem.variant.sink is None else "trace.meets.sink"
