"""One writer at a time: a lock that says who holds it, and goes with its process however that ends."""

import os
import re
import secrets
import shutil
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from io import FileIO
from pathlib import Path

from attnhand.errors import AttnhandError, escape_controls

LOCK_FILE = ".attnhand-lock"
"""Held while files are written into a folder; it names the folder that they wait in until all are whole."""

_PASSING_FOLDER = re.compile(r"\.attnhand-[0-9a-f]{8}")

MAX_LOCK_BYTES = 1000
"""Bytes of a lock file that are read."""


@contextmanager
def hold_lock(path: Path, note: str, advice: str) -> Iterator[str]:
    """Hold a lock file while its folder is written; yields the note that a killed process left there.

    The system lets go of a lock when its process ends, so that only a living one ever refuses another.

    Args:
        note: a line for whoever takes the lock over.
        advice: what to do where another process holds it.

    Raises:
        AttnhandError: another process holds it.
        OSError: it cannot be made.
    """
    while True:
        file = FileIO(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666), "r+")
        try:
            if not _try_lock(file.fileno()):
                holder = _read_lock(file).partition("\n")[0] or "another process"
                raise AttnhandError(f"{path.parent} is being written by {holder}: {advice}")
            if not _is_at(path, file):
                continue
            _, _, left_note = _read_lock(file).partition("\n")
            since = datetime.now().astimezone().strftime("%H:%M:%S")
            file.seek(0)
            file.truncate()
            file.write(f"process {os.getpid()} on {socket.gethostname()} since {since}\n{note}\n".encode())
            yield left_note.strip()
            return
        finally:
            try:
                _remove_lock(path, file)
            except KeyboardInterrupt:  # pressed at this very moment
                _remove_lock(path, file)
                raise
            finally:
                file.close()


def is_passing(name: str) -> bool:
    """Say whether a name in a folder is the lock's, or that of a passing folder."""
    return name == LOCK_FILE or _PASSING_FOLDER.fullmatch(name) is not None


@contextmanager
def hold_passing_folder(root: Path, advice: str) -> Iterator[Path]:
    """Be the one writer of a folder; yields a folder in it for files that are not whole yet, which goes in the end.

    That of a run that was killed goes first.

    Raises:
        AttnhandError: another process writes there.
        OSError: it cannot be made.
    """
    name = f".attnhand-{secrets.token_hex(4)}"
    with hold_lock(root / LOCK_FILE, name, advice) as left:
        if _PASSING_FOLDER.fullmatch(left):
            shutil.rmtree(root / left, ignore_errors=True)
        try:
            (root / name).mkdir()
            yield root / name
        finally:
            shutil.rmtree(root / name, ignore_errors=True)


def _remove_lock(path: Path, file: FileIO) -> None:
    """Remove a lock file unless another process holds it."""
    with suppress(OSError):
        if sys.platform == "win32":
            file.close()
            path.unlink()  # refused while another has it open
        elif _try_lock(file.fileno()) and _is_at(path, file):
            path.unlink()


def _is_at(path: Path, file: FileIO) -> bool:
    """Say whether an open file still has its name: its last holder may have removed it after we opened it."""
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _try_lock(handle: int) -> bool:
    """Lock an open file; say whether nobody else holds it."""
    try:
        if sys.platform == "win32":
            import msvcrt

            os.lseek(handle, 1 << 30, os.SEEK_SET)  # a byte that is not there: what is there can still be read
            msvcrt.locking(handle, msvcrt.LK_NBLCK, 1)
        else:
            import fcntl

            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):
        return False
    return True


def _read_lock(file: FileIO) -> str:
    file.seek(0)
    return escape_controls((file.read(MAX_LOCK_BYTES) or b"").decode("utf-8", "replace"))
