"""How far long work has come: a bar on standard error, where a terminal is there to show it."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from attnhand.system.processes import Advance

MIN_STEPS = 5
"""Steps; fewer are done before anybody has read the bar."""

REFRESH_SECONDS = 0.1
"""Seconds between two looks of the bar."""


@contextmanager
def show_progress(total: int, label: str) -> Iterator[Advance]:
    """Show how far so many steps have come, with rate and time left; nothing where nobody sees it.

    Args:
        label: what is done, before the bar: "marking".
    """
    if total < MIN_STEPS or sys.stderr is None or not sys.stderr.isatty():
        yield lambda _: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TimeRemainingColumn
    from rich.text import Text

    class Rate(ProgressColumn):
        """How many a second."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "", style="dim")

    look = ("{task.description}", BarColumn(), MofNCompleteColumn(), Rate(), TimeRemainingColumn())
    # Subtle: a bar that refreshes itself has a thread, and a process with threads should not fork
    with Progress(*look, console=Console(stderr=True), transient=True, auto_refresh=False) as bar:
        task = bar.add_task(label, total=total)
        last_refresh = 0.0

        def advance(steps: int) -> None:
            nonlocal last_refresh
            bar.advance(task, steps)
            if time.monotonic() - last_refresh >= REFRESH_SECONDS:
                last_refresh = time.monotonic()
                bar.refresh()

        bar.refresh()
        yield advance
