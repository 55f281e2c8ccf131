"""Long work without a break."""

import contextlib
import gc
from collections.abc import Iterator


@contextlib.contextmanager
def collecting_no_garbage() -> Iterator[None]:
    """Look for no garbage meanwhile: where a great many things live to the end of the work, it takes a sixth of it."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
