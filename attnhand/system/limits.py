"""How much memory and processor time reading a stranger's file may take."""

import contextlib
import faulthandler
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path

MAX_WORKER_MEMORY, MIN_ROOM = 1_000_000_000, 600_000_000
"""Bytes of address space that a process may have, and those left to it where the program itself takes more."""

MAX_SECONDS, GRACE_SECONDS = 20.0, 5.0
"""Processor seconds for one file, and those until a process is ended that does not hear that it is late."""


class OutOfTimeError(BaseException):
    """Work took longer than it may; no ``except Exception`` of a library takes it for a fault of the file."""


def limit_memory() -> None:
    """Give this process no more memory than ``MAX_WORKER_MEMORY``: then it raises MemoryError, or is ended.

    Only Linux keeps to such a limit.
    """
    if sys.platform == "linux":
        import resource

        taken = int(Path("/proc/self/statm").read_text().split()[0]) * os.sysconf("SC_PAGE_SIZE")
        limit = max(MAX_WORKER_MEMORY, taken + MIN_ROOM)
        _, most = resource.getrlimit(resource.RLIMIT_AS)
        with contextlib.suppress(ValueError):  # somebody has set a lower one
            resource.setrlimit(resource.RLIMIT_AS, (limit if most < 0 else min(limit, most), most))


@contextlib.contextmanager
def limit_time(seconds: float = MAX_SECONDS, grace: float = GRACE_SECONDS) -> Iterator[None]:
    """Raise OutOfTimeError in what takes longer; end the process if it does not hear of that within the grace.

    Processor time where the system can tell it, else three times as many seconds by the clock, which end the process.
    """
    if not hasattr(signal, "setitimer"):
        with Path(os.devnull).open("w") as nowhere:
            faulthandler.dump_traceback_later(3 * seconds, exit=True, file=nowhere)
            try:
                yield
            finally:
                faulthandler.cancel_dump_traceback_later()
        return

    def stop(*_: object) -> None:
        raise OutOfTimeError

    before = signal.signal(signal.SIGPROF, stop)
    signal.signal(signal.SIGVTALRM, signal.SIG_DFL)  # which ends a process, also within a library in C
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        signal.setitimer(signal.ITIMER_VIRTUAL, seconds + grace)
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGPROF, before)
