"""One writer at a time: the others hear who it is, and a dead one is in nobody's way."""

import os
import re
import signal
import socket
import subprocess
import sys
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace

import pytest

from attnhand.errors import AttnhandError
from attnhand.system import locks
from attnhand.system.locks import hold_lock

HOLD = """
import sys, time
from pathlib import Path
from attnhand.system.locks import hold_lock
with hold_lock(Path(sys.argv[1]), "a note", "wait"):
    print("held", flush=True)
    time.sleep(600)
"""


def test_a_second_writer_hears_who_the_first_is(tmp_path: Path) -> None:
    """Process, machine and time; killed, it leaves its note to the next, who leaves nothing."""
    lock = tmp_path / "lock"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", HOLD, str(lock)], stdout=subprocess.PIPE, env=environment) as holder:
        try:
            assert holder.stdout is not None
            assert holder.stdout.readline() == b"held\n"
            with pytest.raises(AttnhandError) as refusal, hold_lock(lock, "mine", "wait for it"):
                pass
        finally:
            holder.send_signal(signal.SIGKILL)
    who = rf"process {holder.pid} on {socket.gethostname()} since [0-9:]{{8}}"
    assert re.fullmatch(rf"{tmp_path} is being written by {who}: wait for it", str(refusal.value))
    with hold_lock(lock, "mine", "wait") as left:
        assert left == "a note"
    assert list(tmp_path.iterdir()) == []


def test_a_lock_that_was_removed_is_made_again(tmp_path: Path) -> None:
    """Whoever opened it just before holds a file that has no name: nobody else would see it locked."""
    lock = tmp_path / "lock"
    real_open = os.open
    opened: list[int] = []

    def open_and_lose(*arguments: object, **options: object) -> int:
        handle = real_open(*arguments, **options)  # type: ignore[arg-type]
        opened.append(handle)
        if len(opened) == 1:
            lock.unlink()
        return handle

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "open", open_and_lose)
        with hold_lock(lock, "", "wait"):
            assert lock.exists()
            with pytest.raises(AttnhandError, match="is being written"), hold_lock(lock, "", "wait"):
                pass
    assert len(opened) == 3


class FakeMsvcrt:
    """Locks bytes as Windows does: until the handle is closed, against every other handle."""

    LK_NBLCK = 2

    def __init__(self) -> None:
        self._holders: dict[tuple[int, int], int] = {}
        """The handle that holds a byte of a file, by inode and place."""

    def locking(self, handle: int, mode: int, count: int) -> None:
        """Lock a byte at the current place, or say that another handle holds it."""
        assert (mode, count) == (self.LK_NBLCK, 1)
        inode = os.fstat(handle).st_ino
        byte = inode, os.lseek(handle, 0, os.SEEK_CUR)
        holder = self._holders.get(byte, handle)
        if holder != handle and holder in list_handles(inode):
            raise PermissionError(13, "Permission denied")
        self._holders[byte] = handle


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
    lock = tmp_path / "lock"
    lock.write_text("process 1 on earth since 12:00:00\na note\n")
    with hold_lock(lock, "mine", "wait") as left:
        assert left == "a note"
        for _ in range(2):
            who = f"is being written by process {os.getpid()} on {socket.gethostname()} since"
            with pytest.raises(AttnhandError, match=who), hold_lock(lock, "another's", "wait"):
                pass
        assert lock.read_text().endswith("\nmine\n")
    assert list(tmp_path.iterdir()) == []
