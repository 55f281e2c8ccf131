"""№ and name on every page: in the same places whatever the name, and never beyond them."""

from dataclasses import replace

import pytest

import attnhand
from attnhand.layout.lay_out import lay_out
from attnhand.layout.name_line import fit_name
from attnhand.layout.page import Layout, QrBox, TextBox
from attnhand.layout.typography import REGULAR_TYPOGRAPHY
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat, Student
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import measure_width, to_unicode

NAMES = ("Ada", "Maria Magdalena Antonia Josepha Johanna von Habsburg-Lothringen " * 3, "李小龍", "x" * 300)


def words(layout: Layout) -> list[str]:
    """Return all words of every page."""
    boxes = [[item for item in page.items if isinstance(item, TextBox)] for page in layout.pages]
    return [" ".join(to_unicode(p.text) for box in page for p in box.paragraphs) for page in boxes]


def make_student_sheet(seat: Seat, *, large: bool = False) -> Sheet:
    """Return somebody's sheet."""
    return replace(attnhand.generate(seed=7, options=PageOptions(large_print=large)), seat=seat)


@pytest.mark.parametrize("large", [False, True])
@pytest.mark.parametrize("solved", [False, True])
def test_places_do_not_depend_on_the_name(large: bool, solved: bool) -> None:
    """Every box stands where it stands for Ada; № and name are on every page, and no two boxes meet at its head."""
    first = None
    for number, name in enumerate(NAMES, 8):
        sheet = make_student_sheet(Seat(number=number**3, student=Student(name=name)), large=large)
        layout = lay_out(sheet.key if solved else sheet.blank)
        places = [[item.box for item in page.items] for page in layout.pages]
        first = first or places
        assert places == first
        assert [page for page in words(layout) if f"№ {number**3:03d}" not in page] == []
        if name == "Ada":
            assert [page for page in words(layout) if "Ada" not in page] == []
            assert [("ANSWER KEY" in page) for page in words(layout)] == [solved] * len(layout.pages)
        for page in layout.pages:
            head = [item.box for item in page.items[:4]]
            assert not any(box.overlaps(other) for box in head for other in head if other is not box)
            assert all(box.right <= layout.width - 9 for box in head)
            for item in page.items[:4]:  # a QR code begins with white
                assert item.box.y >= (6 if isinstance(item, QrBox) else 9)


def test_without_a_name_there_is_a_line_to_write_on() -> None:
    """On spare sheets, which say so, and where nobody is named."""
    for seat in (Seat(number=301, is_spare=True), Seat(number=5)):
        pages = words(lay_out(make_student_sheet(seat).blank))
        assert all("Name" in page for page in pages)
        assert [("spare" in page) for page in pages] == [seat.is_spare] * len(pages)


@pytest.mark.parametrize("room", [15, 40, 80])
def test_a_name_never_leaves_its_box(room: float) -> None:
    """Set smaller, then cut; characters that no font has become boxes."""
    for name in NAMES:
        paragraph = fit_name(name, room, REGULAR_TYPOGRAPHY)
        assert measure_width(paragraph.text, REGULAR_TYPOGRAPHY.paragraph_points[paragraph.style]) <= room
        assert "李" not in to_unicode(paragraph.text)
