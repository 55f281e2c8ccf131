"""One table of colours for pages, terminal and class summary; what they look like is tested with the pages."""

import re

from attnhand.formats import colours
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.system.resources import get_template_dir
from tests.forms import FORMS


def test_every_stage_has_a_colour() -> None:
    """Every one with a panel, by its topic, on pages and in the terminal; sums alone are as black as the text."""
    sheets = [make_sheet_from_request(Request(seed=7, variant=form)) for form in FORMS.values()]
    topics = {stage.topic for sheet in sheets for stage in sheet.problem.mechanism.stages if sheet.has_own_panel(stage)}
    assert topics - colours.ACCENTS.keys() == {
        *("sums", "kept_sums", "block_sums", "running_sums", "new_sums"),
        *("squares", "squared_length"),
    }
    assert set(colours.ACCENTS.values()) == colours.TERMINAL_NUMBERS.keys()
    assert all({name, f"{name}-tint"} <= colours.PAGE_COLOURS.keys() for name in colours.TERMINAL_NUMBERS)


def test_style_sheets_name_colours_of_the_table() -> None:
    """No variable without a colour, and no accent colour written out a second time."""
    folder = get_template_dir()
    for names, known in (
        (("sheet.css", "screen.css", "marks.css", "notebook.css", "web/web.css"), colours.PAGE_COLOURS),
        (("summary.css",), colours.SUMMARY_COLOURS),
    ):
        style = "".join((folder / name).read_text(encoding="utf-8") for name in names)
        used = set(re.findall(r"var\(--([\w-]+)\)", style)) - {"accent", "tint"}
        assert used
        assert used <= known.keys()
        written_out = set(re.findall(r"#[0-9a-f]{6}\b", style))
        assert written_out == set()
