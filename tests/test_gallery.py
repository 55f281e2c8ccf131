"""The gallery: its page is what the program makes, its pictures are all there."""

from pathlib import Path

import pytest

from samples.gallery import PICTURES, Exhibit, format_page, list_exhibits, write_answers
from samples.make_samples import FOLDER
from tests.breadth import choose
from tests.cli.running import run_here


def test_the_page_shows_every_picture_that_there_is() -> None:
    """No picture is missing, none is left over; the page has no script."""
    assert (FOLDER / "index.html").read_text(encoding="utf-8") == format_page()
    names = [exhibit.name_picture(view) for exhibit in list_exhibits() for view in exhibit.views]
    assert len(names) == len(set(names))
    assert {path.name for path in (FOLDER / PICTURES).iterdir()} == set(names)
    assert "<script" not in format_page()


@pytest.mark.parametrize("exhibit", choose(list_exhibits()[::6], list_exhibits()), ids=lambda exhibit: exhibit.title)
def test_its_commands_make_what_is_shown(exhibit: Exhibit, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each command works as it stands, and each picture has its file."""
    monkeypatch.chdir(tmp_path)
    write_answers(tmp_path)
    assert run_here(*exhibit.arguments).exit_code == (1 if exhibit.arguments[0] == "check" else 0)
    assert all(view.find_file(tmp_path) for view in exhibit.views if view.file)
