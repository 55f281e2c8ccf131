"""What the tests of executors have worked, in a module of its own so that workers can import it."""

import os
import signal
import time
from pathlib import Path


def square_slowly(number: int) -> tuple[int, int]:
    """Return the square, and which process worked it out; a little late, so that a worker can die half-way."""
    time.sleep(0.02)
    return number * number, os.getpid()


def die_once_at_three(case: tuple[str, int]) -> int:
    """Return the square; the first time that it is 9 the worker dies."""
    marker, number = Path(case[0]), case[1]
    if number == 3 and not marker.exists():
        marker.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return number * number


def die_at_three(number: int) -> int:
    """Kill the worker every time that it is 3."""
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def raise_at_three(number: int) -> int:
    """Raise an error of its own when it is 3."""
    if number == 3:
        raise ValueError("three")
    return number


def leave_note(case: tuple[str, int]) -> int:
    """Leave a file that says which process worked it, and take long."""
    (Path(case[0]) / f"{case[1]}").write_text(str(os.getpid()))
    time.sleep(0.3)
    return case[1]
