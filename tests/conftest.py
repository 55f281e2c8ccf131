"""What all tests share: the same examples of Hypothesis in every run, and forms rendered once for all processes."""

import gc
import hashlib
import os
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

from attnhand.cli import OBJECTS_BETWEEN_COLLECTIONS
from attnhand.system.processes import run_in_order
from tests.breadth import choose

settings.register_profile("attnhand", deadline=None, derandomize=True, max_examples=choose(50, 100))
settings.load_profile("attnhand")


def pytest_collection_finish() -> None:
    """Look for garbage in what tests make alone, and as seldom as the program does: that took a twelfth of all time."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)


RenderOnce = Callable[[str, Callable[[], bytes]], Path]
GetFormPath = Callable[[str], Path]


@pytest.fixture(scope="session")
def once(tmp_path_factory: pytest.TempPathFactory) -> RenderOnce:
    """Return where a PDF is, which the first process to ask for it by that name has made."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / "pdf"
    folder.mkdir(exist_ok=True)

    def render(name: str, make: Callable[[], bytes]) -> Path:
        path = folder / f"{hashlib.sha256(name.encode()).hexdigest()[:12]}.pdf"
        if not path.exists():
            part = path.with_suffix(f".{os.getpid()}")
            part.write_bytes(make())
            part.replace(path)
        return path

    return render


@pytest.fixture(scope="session")
def form(once: RenderOnce) -> GetFormPath:
    """Return where the form of a sheet of ``MADE`` is."""
    from attnhand.formats.pdf.pdf import render_pdf
    from tests.pages.sheets import get_sheet

    def render_form(name: str) -> Path:
        blank = get_sheet(name).blank
        return once(f"{name} form", lambda: render_pdf(replace(blank, options=replace(blank.options, fillable=True))))

    return render_form


@pytest.fixture
def work_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have papers marked in this process, where a test has changed what it looks at."""

    def run_here(work: Any, jobs: Any, *_: Any, give_up: object = None, **named: Any) -> Any:
        return run_in_order(work, jobs, 1, **named)

    monkeypatch.setattr("attnhand.classroom.grading.run_in_order", run_here)
