"""Pictures: well-formed files, what they say of themselves, one stage with its factors, no answer on blanks."""

import io
import re
from dataclasses import replace
from itertools import combinations
from xml.etree import ElementTree

import numpy as np
import pytest
from PIL import Image

from attnhand.api import generate
from attnhand.attention.convention import Convention
from attnhand.errors import PageError
from attnhand.formats.picture.picture import describe_grid
from attnhand.formats.registry import FORMATS
from attnhand.layout.page import GridBox
from attnhand.layout.stage_layout import lay_out_panel
from attnhand.sheet.grids import GridStyle
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import build_panels, find_panel
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS
from tests.pages.geometry import measure_overlap
from tests.pages.sheets import change_answers, get_sheet

SVG = "{http://www.w3.org/2000/svg}"
PICTURED_SHEET_NAMES = ("classic columns", "words rows", "large rows", "multi-head columns", "block rows", "elephant")
LINK = "{http://www.w3.org/1999/xlink}href"


def show_stage(sheet: Sheet, stage: str) -> Sheet:
    """Return a sheet whose pictures show one stage."""
    return replace(sheet, options=replace(sheet.options, stage=stage))


def test_an_svg_stands_alone() -> None:
    """It is well-formed and named, holds all it refers to, and a blank one does not change with its answers."""
    sheet = show_stage(generate(seed=7, words=["<b>", "&", "c", "d"]), "S")
    picture = FORMATS["svg"].render(sheet.blank)
    root = ElementTree.fromstring(picture)
    assert root.tag == f"{SVG}svg"
    assert re.fullmatch(r"[\d.]+mm", root.attrib["width"])
    assert root.attrib["role"] == "img"
    assert [node.tag for node in root][:3] == [f"{SVG}title", f"{SVG}desc", f"{SVG}defs"]
    assert root[0].text == f"S · Self-attention by hand · {sheet.code}"
    assert (
        root[1].text == "<b> k₁ answers: □ □ □ □; & k₂ answers: □ □ □ □; c k₃ answers: □ □ □ □; d k₄ answers: □ □ □ □"
    )
    ids = [node.attrib["id"] for node in root[2]]
    used = {node.attrib[LINK][1:] for node in root.iter() if LINK in node.attrib}
    used |= set(re.findall(r"url\(#(\w+)\)", picture.decode()))
    assert len(ids) == len(set(ids)) > 10
    assert used == set(ids)
    assert not set(re.findall(r"https?://[^\"]+", picture.decode())) - {SVG[1:-1], LINK[1:-5]}
    assert FORMATS["svg"].render(change_answers(sheet).blank) == picture


def test_a_png_says_its_size() -> None:
    """Its dots an inch make it as large as its SVG, and nothing in it but paper is white to its edges."""
    sheet = show_stage(generate(seed=7), "Z")
    root = ElementTree.fromstring(FORMATS["svg"].render(sheet))
    image = Image.open(io.BytesIO(FORMATS["png"].render_file(sheet)))
    image.load()
    assert image.info["dpi"] == pytest.approx((300, 300), abs=0.1)
    assert image.info["Title"] == f"Z · Self-attention by hand · {sheet.code} · ANSWER KEY"
    sides = [float(root.attrib[side].removesuffix("mm")) for side in ("width", "height")]
    assert [side / 25.4 * 300 for side in sides] == pytest.approx(image.size, abs=1.5)
    dots = np.asarray(image)
    assert dots[[0, -1]].min() == dots[:, [0, -1]].min() == 255
    assert dots.min() < 50


def find_first_cell(item: GridBox) -> tuple[float, float]:
    """Return where the first cell of a grid begins."""
    return item.box.x + item.header_w, item.box.y + item.header_h


@pytest.mark.parametrize("name", PICTURED_SHEET_NAMES)
def test_every_stage_has_a_picture(name: str) -> None:
    """The product is where its factors meet, nothing overlaps or leaves the picture, blank and key alike."""
    blank, key = get_sheet(name).blank, get_sheet(name).key
    both = list(zip(build_panels(blank).list_panels(), build_panels(key).list_panels(), strict=True))
    assert len(both) >= 5
    for panel, solved in both:
        layout = lay_out_panel(blank, panel)
        drawn = [item for item in layout.pages[0].items if isinstance(item, GridBox)]
        boxes = [item for item in drawn if item.grid.style is not GridStyle.CHECK_SUMS]
        *factors, product = boxes
        assert product.grid == panel.grid
        assert len(factors) == (panel.side_factor is not None) + (panel.query_factor is not None)
        for factor in factors:
            right, down = (
                abs(first - other)
                for first, other in zip(find_first_cell(factor), find_first_cell(product), strict=True)
            )
            assert min(right, down) < 0.01
        assert all(measure_overlap(one.box, other.box) < 0.01 for one, other in combinations(drawn, 2))
        for box in drawn:
            assert min(box.box.x, box.box.y) >= 1.9
            assert max(box.box.right - layout.width, box.box.bottom - layout.height) <= -1.9
        on_key = [item for item in lay_out_panel(key, solved).pages[0].items if isinstance(item, GridBox)]
        assert [each.box for each in on_key if each.grid.style is not GridStyle.CHECK_SUMS] == [
            each.box for each in boxes
        ]


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", ["multi-head-2", "self-words-positions"])
def test_a_stage_that_is_not_drawn_is_refused(form: str, convention: Convention) -> None:
    """The sentence lists those that are; of several heads every stage once."""
    sheet = generate(7, mechanism=FORMS[form].mechanism, convention=convention)
    names = ", ".join(dict.fromkeys(stage.name.rpartition(".")[2] for stage in sheet.problem.mechanism.stages))
    with pytest.raises(PageError, match=re.escape(f"the sheet has no stage 'X': use one of {names}")):
        FORMATS["svg"].render(show_stage(sheet, "X"))
    asked = generate(7, options=PageOptions(only_queries=(1,), stage="K"))
    with pytest.raises(PageError, match="the sheet draws no stage 'K': use one of Q, S, scaled, powers, sums, A, Z"):
        FORMATS["png"].render(asked)


def test_numbers_in_words() -> None:
    """What a picture tells those who do not see it: its numbers, row by row."""
    grid = find_panel(generate(seed=7), "sums").grid
    assert describe_grid(grid) == "Σ: 40/9 94/3 16/3 14/3"
