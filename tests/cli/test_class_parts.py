"""What is written beside one another: parts of one length for a platform that cuts, and folders of groups."""

from pathlib import Path

import pytest
from pypdf import PdfReader

from tests.breadth import choose
from tests.cli.running import run_refused, run_well

DRAWN = ("--seed", "7", "--salt", "pepper and salt", "--jobs", "1", "--spare", "1")

OPTIONS = (*DRAWN, "--mechanism", "cross", "--level", "standard")
ROSTER = "name,group,language\nAda,B,\nBo,A,uk\nCy,B,\n"
"""The sheet in Ukrainian has three pages, and the others two."""


def cut(path: str, count: int) -> list[list[str]]:
    """Cut a PDF into so many equal parts, as a platform does; return the text of their pages."""
    pages = [page.extract_text() for page in PdfReader(path).pages]
    assert len(pages) % count == 0
    each = len(pages) // count
    return [pages[at : at + each] for at in range(0, len(pages), each)]


@pytest.mark.parametrize(("duplex", "length"), choose([(("--duplex",), 4)], [((), 3), (("--duplex",), 4)]))
def test_without_covers_every_part_is_one_sheet(duplex: tuple[str, ...], length: int) -> None:
    """Sheets, keys and bookmarks begin where the parts do, in the order of the pile, also where one is longer."""
    Path("class.csv").write_text(ROSTER, encoding="utf-8")
    lines = run_well("class", "class.csv", *OPTIONS, *duplex, "--no-cover", "--sort", "group").lines
    assert "attnhand-class/teacher/quick-keys.pdf" in lines
    shorter = "001–004" if duplex else "001, 003, 004"
    said = f"{length} pages a student; shorter sheets end with empty ones: № {shorter}."
    assert lines[-1] == f"attnhand-class/hand-out/sheets.pdf: {said}"
    order = ["002 Bo", "001 Ada", "003 Cy", "004"]
    for name, pages in (("hand-out/sheets.pdf", length), ("teacher/keys.pdf", 3)):
        parts = cut(f"attnhand-class/{name}", len(order))
        assert [len(part) for part in parts] == [pages] * 4
        for owner, part in zip(order, parts, strict=True):
            filled = [page for page in part if page]
            assert filled == part[: len(filled)]
            assert len(filled) == (3 if owner == "002 Bo" else 2)
            assert all(word in page for page in filled for word in (f"№ {owner[:3]}", owner[4:]))
        reader = PdfReader(f"attnhand-class/{name}")
        starts = [reader.get_destination_page_number(each) for each in reader.outline]  # type: ignore[arg-type]
        assert starts == [at * pages for at in range(4)]
        assert [str(each.title).startswith(who) for who, each in zip(order, reader.outline, strict=True)] == [True] * 4  # type: ignore[union-attr]
    quick = "".join(page.extract_text() for page in PdfReader("attnhand-class/teacher/quick-keys.pdf").pages)
    assert "the full keys are in keys.pdf" in quick
    assert [quick.rindex(owner) for owner in order] == sorted(quick.rindex(owner) for owner in order)
    before = Path("attnhand-class/hand-out/sheets.pdf").read_bytes()
    run_well("class", "attnhand-class/teacher")
    assert Path("attnhand-class/hand-out/sheets.pdf").read_bytes() == before


def test_parts_are_counted_where_there_are_some() -> None:
    """Where all sheets are as long, nobody's ends with an empty page; with covers there are no parts."""
    Path("class.csv").write_text("name,group\nAda,B\nBo,A\n", encoding="utf-8")
    lines = run_well("class", "class.csv", *DRAWN, "--level", "warm-up", "--no-cover").lines
    assert [len(part) for part in cut("attnhand-class/hand-out/sheets.pdf", 3)] == [2] * 3
    assert lines[-1] == "attnhand-class/hand-out/sheets.pdf: 2 pages a student."
    lines = run_well("class", "attnhand-class/teacher", "--separate", "group").lines
    assert [line for line in lines if "a student" in line] == [
        f"attnhand-class/hand-out/{folder}sheets.pdf: 2 pages a student." for folder in ("", "A/", "B/")
    ]
    run_well("class", "class.csv", *DRAWN, "--level", "warm-up", "--out", "covered")
    assert not [line for line in run_well("class", "covered/teacher").lines if "a student" in line]


COLLIDING = ("class.toml", "INDEX.csv", "marks.csv", "keys.pdf", "Sheets.pdf", "quick-keys.pdf", "new-001-002-keys.pdf")


@pytest.mark.parametrize("group", [*COLLIDING, "questions-moodle.xml", "002 Bo.html"])
def test_a_group_that_is_called_as_a_file_is_refused(group: str) -> None:
    """Before anything is drawn, also in a dry run; without folders of groups it may be called so."""
    Path("class.csv").write_text(f"name,group\nAda,{group}\nBo,\n", encoding="utf-8")
    for more in ((), ("--dry-run",)):
        assert run_refused("class", "class.csv", "--html", "--separate", "group", *more) == (
            f"class.csv has the group {group!r}, and a file of the set is called so: call the group otherwise, "
            "or use --separate student"
        )
    run_well("class", "class.csv", "--separate", "student", "--dry-run")
