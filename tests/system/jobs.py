"""What the tests of executors have worked, in a module of its own so that workers can import it."""

import hashlib
import os
import signal
import time
from collections.abc import Callable
from pathlib import Path

from attnhand.system.limits import OutOfTimeError, limit_time

LONGEST_WAIT = 120.0
"""Seconds until a test gives up what never comes true: far more than the busiest machine needs."""


def wait_until(is_reached: Callable[[], bool]) -> None:
    """Wait for a state, however long a busy machine takes for it.

    Raises:
        TimeoutError: it never comes.
    """
    end = time.monotonic() + LONGEST_WAIT
    while not is_reached():
        if time.monotonic() > end:
            raise TimeoutError
        time.sleep(0.005)


def square_slowly_at_first(number: int) -> tuple[int, int]:
    """Return the square and the process; the first take longest, so that later ones are done before them."""
    time.sleep(0.02 if number < 8 else 0)
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


def meet_others(case: tuple[str, int, int]) -> tuple[int, int]:
    """Return the square and the process, as soon as so many processes have been at work."""
    folder, number, process_count = Path(case[0]), case[1], case[2]
    (folder / str(os.getpid())).touch()
    wait_until(lambda: len(list(folder.iterdir())) >= process_count)
    return number * number, os.getpid()


def fill_memory(size: int) -> int | str:
    """Return how many bytes were found, or the error."""
    try:
        return len(bytearray(size))
    except MemoryError as error:
        return type(error).__name__


def work_without_end(seconds: float) -> str:
    """Work until it is late."""
    try:
        with limit_time(seconds):
            while True:
                pass
    except OutOfTimeError:
        return "late"


def work_without_end_in_c(seconds: float) -> str:
    """Work, if at all, in one step that Python does not interrupt."""
    with limit_time(seconds or 60, grace=0.1):
        if seconds:
            hashlib.pbkdf2_hmac("sha256", b"", b"", 2**31 - 1)
    return "done"


def work_until_released(case: tuple[str, int]) -> int:
    """Leave a file that says which process works on it, then work until a file called "released" is there."""
    folder, number = Path(case[0]), case[1]
    (folder / f"{number}.job").write_text(str(os.getpid()))
    wait_until((folder / "released").exists)
    return number
