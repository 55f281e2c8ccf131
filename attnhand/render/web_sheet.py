"""What the web sheet's script is told: the cells to fill, what each is made from, and the words it says.

A blank sheet's page tells it no answer. With ``--self-check`` it is told the key, and the page says so.
"""

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from attnhand.cell_address import cell_id
from attnhand.render.json_sheet import sheet_dict
from attnhand.render.templates import source_hash
from attnhand.render.web_cells import WebCells, key_values, plain_sentence
from attnhand.resources import template_dir
from attnhand.sheet import sentences
from attnhand.sheet.grids import Cell, Grid, Kind, Look
from attnhand.sheet.language import LANGUAGES
from attnhand.sheet.page import GridBox, Layout
from attnhand.sheet.sheet import Sheet

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
