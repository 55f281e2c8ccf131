"""What the web sheet's script is told: the cells to fill, what each is made from, and the words it says.

A blank sheet's page tells it no answer. With ``--self-check`` it is told the key, and the page says so.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, cast

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import written
from attnhand.attention.operations import Along, Concatenate, LookUp, Product, Sum
from attnhand.formats.json_sheet import sheet_dict
from attnhand.formats.templates import source_hash
from attnhand.layout.page import GridBox, Layout
from attnhand.problems.problem_file import entry_text
from attnhand.sheet import sentences
from attnhand.sheet.addresses import cell_id
from attnhand.sheet.build_grids import matrix_name, spoken_name, stage_title
from attnhand.sheet.explain import factors, line_name
from attnhand.sheet.grids import Cell, Grid, Kind, Look
from attnhand.sheet.sheet import Sheet
from attnhand.system.resources import template_dir
from attnhand.text import LANGUAGES
from attnhand.text.widths import as_plain, marked_up

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


SCRIPTS = ("numbers", "page", "cells", "keeping", "check", "map", "phone", "start")
"""Parts of the one script, in order; ``check`` is left out of a page that must not know the key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """What makes a page a web sheet."""

    data: str
    """What the script is told: JSON that no markup can end."""

    script: str
    style: str
    narrow_style: str
    """For screens narrower than the paper."""

    no_script: str
    """What the page says where scripts do not run."""

    warning: str
    """That its source shows the answers; empty where it does not."""

    @property
    def script_hash(self) -> str:
        """Return what the page's policy knows the script by."""
        return source_hash(self.script)


def web_page(sheet: Sheet, layout: Layout) -> WebPage | None:
    """Return what makes the page of a blank sheet one to fill; None where there is nothing to fill."""
    told = web_sheet(sheet, layout)
    if told is None:
        return None
    checks = sheet.options.self_check
    scripts = [_template(f"{name}.js") for name in SCRIPTS if checks or name != "check"]
    return WebPage(
        data=json.dumps(told, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        script="\n" + "\n".join(scripts),
        style=_template("web.css"),
        narrow_style=_template("narrow.css"),
        no_script=sheet.say("web.noscript"),
        warning=sheet.say("web.check.note") if checks else "",
    )


def _template(name: str) -> str:
    return (template_dir() / "web" / name).read_text(encoding="utf-8")


def web_sheet(sheet: Sheet, layout: Layout) -> dict[str, Any] | None:
    """Return what the script is told, as a dictionary; None where there is nothing to fill."""
    cells = [cell for _, grid in _grids(layout) for row in grid.cells for cell in row if cell.address]
    asked = {cell.address for cell in cells if cell.kind is Kind.BLANK}
    if sheet.solved or not asked:
        return None
    writer = WebCells(sheet, asked, {cell.address for cell in cells if cell.kind is Kind.GIVEN})
    blank = sheet_dict(sheet.blank)
    digest = hashlib.sha256(json.dumps(blank, sort_keys=True).encode()).hexdigest()
    stages = [stage for stage in sheet.problem.mechanism.stages if not sheet.is_printed(stage)]
    told: dict[str, Any] = {
        "code": sheet.code,
        "digest": digest[:16],
        "sheet": blank,
        "stages": [made for stage in stages if (made := writer.stage(stage))["cells"]],
        "copies": dict(_copies(layout)),
        "rules": [plain_sentence(said(sheet)) for said in (sentences.house_rules, sentences.powers_reminder)],
        "words": _words(sheet),
    }
    if sheet.options.self_check:
        told["key"] = {cell_id(f"{s.name}[{i + 1},{j + 1}]"): key for s in stages for i, j, key in key_values(sheet, s)}
        told["places"] = sheet.problem.rules.decimals
    return told


def _grids(layout: Layout) -> Iterator[tuple[str, Grid]]:
    """Yield every grid with its id on the page."""
    for page in layout.pages:
        for number, item in enumerate(page.items, 1):
            if isinstance(item, GridBox):
                yield f"b{page.number}-{number}", item.grid


def _copies(layout: Layout) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield every grid that the student copies, with the ids of the cells that its own come from."""

    def source(cell: Cell) -> str:
        return cell_id(cell.copies) if cell.copies and cell.figure is None else ""

    for name, grid in _grids(layout):
        if grid.look is Look.COPY:
            sources = [[source(cell) for cell in row] for row in grid.cells]
            if any(map(any, sources)):
                yield name, sources


def _words(sheet: Sheet) -> dict[str, str]:
    table = LANGUAGES[sheet.options.language]
    words = {key.removeprefix("web."): said for key, said in table.items() if key.startswith("web.")}
    words["empty"] = sheet.say("spoken.empty")
    return {key: said for key, said in words.items() if sheet.options.self_check or not key.startswith("check")}
