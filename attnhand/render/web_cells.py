"""Stages and cells as the web sheet's script reads them: where each stands, and what it is made from."""

from collections.abc import Iterator
from typing import Any, cast

from attnhand.cell_address import cell_id
from attnhand.matrix import Matrix
from attnhand.mechanisms import Stage
from attnhand.numbers import written
from attnhand.operations import Along, Concatenate, LookUp, Product, Sum
from attnhand.problem_file import entry_text
from attnhand.sheet import sentences
from attnhand.sheet.drawing import matrix_name, spoken_name, stage_title
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import as_plain, marked_up
from attnhand.written_out import factors, line_name

UNKNOWN = ""
"""A number that the sheet neither prints nor asks."""

Parts = tuple[tuple[object, ...], ...]


def key_values(sheet: Sheet, stage: Stage) -> Iterator[tuple[int, int, str]]:
    """Yield the place (0-based) and the value of every cell of a stage."""
    for i, row in enumerate(sheet.solution[stage.name].hand):
        for j, value in enumerate(row):
            yield i, j, written(value)


def plain_sentence(markup: str) -> str:
    """Return a sentence without its markup."""
    return as_plain(marked_up(markup))


class WebCells:
    """Writes stages and cells.

    A number is a text, such as ``-1/3``; ``@S_2_3`` is the student's own value in that cell.
    """

    def __init__(self, sheet: Sheet, asked: set[str], printed: set[str]) -> None:
        self.sheet, self.asked, self.printed = sheet, asked, printed
        mechanism = sheet.problem.mechanism
        names = [made.name for made in mechanism.given] + [made.name for made in mechanism.stages]
        self.references = {name: self._references(name) for name in names}

    def stage(self, stage: Stage) -> dict[str, Any]:
        """Write a stage: its words, its shape, and those of its cells that are asked."""
        sheet, mechanism = self.sheet, self.sheet.problem.mechanism
        do = None if isinstance(stage.operation, Product) else sentences.instruction(sheet, stage)
        title = stage_title(sheet, stage)
        return {
            "name": stage.name,
            "shown": as_plain(matrix_name(sheet, stage.name)),
            "spoken": spoken_name(sheet, stage),
            "title": f"{sheet.say('head', head=stage.head)}, {title}" if mechanism.heads > 1 and stage.head else title,
            "formula": plain_sentence(sentences.formula(sheet, stage)),
            "do": plain_sentence(do or ""),
            "rows": sheet.problem.length(stage.rows),
            "columns": sheet.problem.length(stage.columns),
            "cells": [
                self._cell(stage, i, j)
                for i in range(sheet.problem.length(stage.rows))
                for j in range(sheet.problem.length(stage.columns))
                if f"{stage.name}[{i + 1},{j + 1}]" in self.asked
            ],
        }

    def _cell(self, stage: Stage, row: int, column: int) -> dict[str, Any]:
        made = {"id": cell_id(f"{stage.name}[{row + 1},{column + 1}]"), "row": row, "column": column}
        # an operation only picks entries, whatever they are
        inputs = cast("tuple[Matrix, ...]", tuple(self.references[name] for name in stage.reads))
        parts = cast(Parts, stage.operation.parts(inputs, row, column))
        texts = [[str(entry) for entry in part] for part in parts]
        match stage.operation:
            case Product():
                (left, left_line), (right, right_line) = factors(self.sheet, stage, row, column)
                told = self.sheet.say("explain.product", row=left_line, left=left, column=right_line, right=right)
                return {**made, "told": told, "pairs": texts}
            case Sum() as added:
                axis, at = (stage.columns, column) if added.along is Along.COLUMNS else (stage.rows, row)
                line = f"{self.sheet.say('line')} {line_name(self.sheet, axis, at)}"
                return {**made, "told": self.sheet.say("explain.sum", line=line), "terms": [text for (text,) in texts]}
            case LookUp() as look_up:
                return {**made, "reads": self._word(stage, look_up, row if look_up.along is Along.ROWS else column)}
            case Concatenate() as joined:
                head, i, j = joined.source(inputs, row, column)
                return {**made, "reads": [[f"{stage.reads[head]}[{i + 1},{j + 1}]", texts[0][0]]]}
            case _:
                numbers = [text for part in texts for text in part]
                names = [self._named(name, row, column) for name in stage.reads]
                return {**made, "reads": [list(pair) for pair in zip(names, numbers, strict=True)]}

    def _references(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return a matrix with every number that is printed, and references to the cells that are not."""
        problem = self.sheet.problem
        given = dict(problem.given)
        if name in given:
            return tuple(tuple(str(entry_text(problem, value)) for value in row) for row in given[name])
        stage = problem.mechanism.stage(name)

        def reference(row: int, column: int, value: str) -> str:
            address = f"{name}[{row + 1},{column + 1}]"
            if address in self.asked:
                return f"@{cell_id(address)}"
            return value if address in self.printed or self.sheet.is_printed(stage) else UNKNOWN

        rows, columns = problem.length(stage.rows), problem.length(stage.columns)
        values = {(i, j): value for i, j, value in key_values(self.sheet, stage)}
        return tuple(tuple(reference(i, j, values[i, j]) for j in range(columns)) for i in range(rows))

    def _named(self, name: str, row: int, column: int) -> str:
        """Return the address of the cell that a cell at some place reads; a matrix of one line has no other."""
        rows, columns = len(self.references[name]), len(self.references[name][0])
        shown = as_plain(matrix_name(self.sheet, name))
        return f"{shown}[{min(row, rows - 1) + 1},{min(column, columns - 1) + 1}]"

    def _word(self, stage: Stage, look_up: LookUp, token: int) -> list[list[str]]:
        """Return the whole vector of a token's word, for the student to find the number in."""
        table = self.references[stage.reads[0]]
        place = look_up.places[token]
        vector = table[place] if look_up.along is Along.ROWS else [row[place] for row in table]
        return [[str(number), text] for number, text in enumerate(vector, 1)]
