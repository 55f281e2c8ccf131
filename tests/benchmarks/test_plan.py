"""What other programs are given to draw: each of them knows every kind of box, so that all draw the same pages."""

from pathlib import Path

from tests.benchmarks.plan import plan
from tests.benchmarks.reportlab_peer import _Page
from tests.pages.sheets import get_layouts, get_sheet


def test_every_kind_of_box_is_drawn_by_all() -> None:
    """A sheet with a diagram, words, grids, lines and a code; typst draws as a line what it does not name."""
    blank, key = get_layouts(get_sheet("warm-up columns"))
    kinds = {item["kind"] for layout in (blank, key) for page in plan(layout)["pages"] for item in page}
    assert kinds == {"text", "grid", "rule", "lines", "qr", "flow"}
    assert [kind for kind in kinds if not hasattr(_Page, f"_{kind}")] == []
    typst = (Path(__file__).parent / "sheet.typ").read_text(encoding="utf-8")
    assert [kind for kind in kinds - {"rule"} if f'item.kind == "{kind}"' not in typst] == []
