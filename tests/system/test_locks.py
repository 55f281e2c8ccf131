"""One writer at a time: the others hear who it is, and a dead one is in nobody's way."""

import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from attnhand.errors import AttnhandError
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
