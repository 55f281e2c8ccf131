"""One writer of a folder at a time; the lock goes with its process, however that ends."""

import os
import shutil
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import FileIO
from pathlib import Path

from attnhand.errors import AttnhandError

LOCK_FILE, PASSING_FOLDER = ".attnhand-lock", ".attnhand-new"
"""Held while files are written into a folder; and the passing folder in it, where they wait until all are whole."""


def is_passing(name: str) -> bool:
    """Say whether a name in a folder is that of the lock, or of the folder where files wait."""
    return name in (LOCK_FILE, PASSING_FOLDER)


@contextmanager
def hold_passing_folder(root: Path, advice: str) -> Iterator[Path]:
    """Be the one writer of a folder; yields a folder in it for files that are not whole yet, which goes in the end.

    What a run that was killed has left in it goes first.

    Args:
        advice: what to do where another process writes.

    Raises:
        AttnhandError: another process writes there.
        OSError: it cannot be made.
    """
    lock, passing = root / LOCK_FILE, root / PASSING_FOLDER
    file = _take_lock(lock, advice)
    try:
        shutil.rmtree(passing, ignore_errors=True)
        passing.mkdir()
        yield passing
    finally:
        try:
            _clear(passing, lock, file)
        except KeyboardInterrupt:  # pressed at this very moment
            _clear(passing, lock, file)
            raise


def _take_lock(path: Path, advice: str) -> FileIO:
    while True:
        file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666), "r+")
        if not _try_lock(file.fileno()):
            file.close()
            raise AttnhandError(f"{path.parent} is being written by another run: {advice}")
        # Subtle: whoever held it may have removed it after we opened it; then the next one opens another file
        with suppress(FileNotFoundError):
            if os.path.samestat(os.fstat(file.fileno()), path.stat()):
                return file
        file.close()


def _try_lock(handle: int) -> bool:
    """Lock an open file; say whether nobody else holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _clear(passing: Path, lock: Path, file: FileIO) -> None:
    """Remove the passing folder and the lock, whose file is open; nothing where that was done already.

    Closing the file gives up the lock. So it comes last; and once it is closed, what stands there is another run's.
    Subtle: that happens where Ctrl-C is pressed just after it, and this is called a second time.
    """
    if file.closed:
        return
    shutil.rmtree(passing, ignore_errors=True)
    if sys.platform == "win32":
        file.close()  # a file that is open, perhaps for another run, cannot be removed there
    with suppress(OSError):
        lock.unlink()
    file.close()
