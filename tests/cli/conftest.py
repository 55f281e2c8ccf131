"""Every test of the command line starts in an empty folder, with an environment that says nothing."""

from pathlib import Path

import pytest

CLEARED_VARIABLES = (
    "ATTNHAND_SALT",
    "NO_COLOR",
    "FORCE_COLOR",
    "COLUMNS",
    "LINES",
    "TERMINAL_WIDTH",
    "PYTHONIOENCODING",
)


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the empty folder that the test stands in."""
    for name in CLEARED_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    place = tmp_path / "here"
    place.mkdir()
    monkeypatch.chdir(place)
    return place
