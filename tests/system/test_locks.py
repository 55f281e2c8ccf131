"""One writer of a folder at a time; a dead one is in nobody's way."""

import os
import signal
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from attnhand.errors import AttnhandError
from attnhand.system import locks
from attnhand.system.locks import LOCK_FILE, PASSING_FOLDER, hold_passing_folder

HOLD = """
import sys, time
from pathlib import Path
from attnhand.system.locks import hold_passing_folder
with hold_passing_folder(Path(sys.argv[1]), "wait") as passing:
    (passing / "half").touch()
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_writer_is_refused_until_the_first_is_gone(tmp_path: Path) -> None:
    """Killed, it leaves files that the next one clears away, who leaves nothing."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=environment) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(AttnhandError) as refusal, hold_passing_folder(tmp_path, "wait for it"):
                pass
        finally:
            holder.send_signal(signal.SIGKILL)
    assert str(refusal.value) == f"{tmp_path} is being written by another run: wait for it"
    assert (tmp_path / PASSING_FOLDER / "half").exists()
    with hold_passing_folder(tmp_path, "wait") as passing:
        assert list(passing.iterdir()) == []
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_removed_is_made_again(tmp_path: Path) -> None:
    """Whoever opened it just before holds a file that has no name: nobody else would see it locked."""
    real_open = os.open
    opened: list[int] = []

    def open_and_lose(*arguments: object, **options: object) -> int:
        handle = real_open(*arguments, **options)  # type: ignore[arg-type]
        if str(arguments[0]).endswith(LOCK_FILE):
            opened.append(handle)
            if len(opened) == 1:
                (tmp_path / LOCK_FILE).unlink()
        return handle

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", open_and_lose)
        with hold_passing_folder(tmp_path, "wait"):
            assert (tmp_path / LOCK_FILE).exists()
            with pytest.raises(AttnhandError, match="is being written"), hold_passing_folder(tmp_path, "wait"):
                pass
    assert len(opened) == 3


class FakeMsvcrt:
    """Locks bytes as Windows does: until the handle is closed, against every other handle."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self._holders: dict[int, int] = {}
        """The handle that holds the first byte of a file, by inode."""

    def locking(self, handle: int, mode: int, count: int) -> None:
        """Lock the byte, or say that another handle holds it."""
        assert (mode, count, os.lseek(handle, 0, os.SEEK_CUR)) == (self.LK_NBLCK, 1, 0)
        inode = os.fstat(handle).st_ino
        holder = self._holders.get(inode, handle)
        if holder != handle and holder in list_handles(inode):
            raise PermissionError(13, "Permission denied")
        self._holders[inode] = handle


def list_handles(inode: int) -> list[int]:
    """Return this process's handles of a file."""
    found = []
    for link in Path("/proc/self/fd").iterdir():
        with suppress(OSError):
            found += [int(link.name)] if os.fstat(int(link.name)).st_ino == inode else []
    return found


def test_on_windows_it_is_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Bytes are locked there instead, and a file that is open cannot be removed."""
    unlink = Path.unlink

    def unlink_closed(path: Path, missing_ok: bool = False) -> None:
        if list_handles(path.stat().st_ino):
            raise PermissionError(32, "The process cannot access the file")
        unlink(path, missing_ok)

    monkeypatch.setattr(locks, "sys", SimpleNamespace(platform="win32"))
    monkeypatch.setitem(sys.modules, "msvcrt", FakeMsvcrt())
    monkeypatch.setattr(Path, "unlink", unlink_closed)
    with hold_passing_folder(tmp_path, "wait"):
        for _ in range(2):
            with pytest.raises(AttnhandError, match="is being written"), hold_passing_folder(tmp_path, "wait"):
                pass
        assert (tmp_path / LOCK_FILE).exists()
    assert list(tmp_path.iterdir()) == []
