"""Files read and written whole, and what is refused."""

import os
import stat
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from attnhand.errors import AttnhandError
from attnhand.system.digests import add_digest
from attnhand.system.files import Targets, check_replaceable, is_folder, read_file, write_files


def read(path: Path, max_bytes: int = 4, **options: Any) -> bytes:
    """Read a file as a letter."""
    return read_file(path, max_bytes, kind="letter", advice="give a letter", **options)


def test_a_file_is_read_whole(tmp_path: Path) -> None:
    """Up to the limit, to the byte."""
    (tmp_path / "a").write_bytes(b"1234")
    assert read(tmp_path / "a") == b"1234"


def test_a_file_over_the_limit_is_refused(tmp_path: Path) -> None:
    """It is never cut off in silence."""
    (tmp_path / "a").write_bytes(b"1" * 2_000_001)
    with pytest.raises(AttnhandError, match="a is larger than any letter: give one of less than 2 MB"):
        read(tmp_path / "a", 2_000_000)


def test_what_is_no_file_is_refused(tmp_path: Path) -> None:
    """Each with the advice; what cannot be read with the system's reason."""
    with pytest.raises(AttnhandError, match=r"'.*none' is not there: give a letter"):
        read(tmp_path / "none")
    with pytest.raises(AttnhandError, match=r"^the letter is not there: give a letter"):
        read(tmp_path / "none", label="the letter")
    with pytest.raises(AttnhandError, match="is not a file: give a letter"):
        read(tmp_path)
    with pytest.raises(AttnhandError, match=r"cannot be read \(File name too long\): check the file and its permiss"):
        read(tmp_path / ("x" * 300))


def test_a_pipe_is_read_where_one_may_be_given(tmp_path: Path) -> None:
    """Such as the roster of a class that another program writes; elsewhere nobody waits for one."""
    reader, writer = os.pipe()
    os.write(writer, b"Ada")
    os.close(writer)
    try:
        with pytest.raises(AttnhandError, match="is not a file"):
            read(Path(f"/dev/fd/{reader}"))
        assert read(Path(f"/dev/fd/{reader}"), accepts_pipes=True) == b"Ada"
    finally:
        os.close(reader)


def test_a_file_is_written_as_the_user_writes_others(tmp_path: Path) -> None:
    """Over an old one, with the usual permissions, leaving nothing beside it."""
    (tmp_path / "plain").write_bytes(b"")
    write_files([(tmp_path / "a", b"one")], Targets())
    write_files([(tmp_path / "a", b"two")], Targets())
    assert (tmp_path / "a").read_bytes() == b"two"
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == stat.S_IMODE((tmp_path / "plain").stat().st_mode)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a", "plain"]


def test_an_error_leaves_old_files_whole(tmp_path: Path) -> None:
    """All are written before the first is put in place."""

    def make_contents() -> Iterator[tuple[Path, bytes]]:
        yield tmp_path / "a", b"new"
        yield tmp_path / "a" / "below", b"new"

    (tmp_path / "a").write_bytes(b"old")
    with pytest.raises(AttnhandError, match=r"below cannot be written .*: choose another `out=`"):
        write_files(make_contents(), Targets())
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("a", b"old")]


def test_what_somebody_saves_meanwhile_is_not_replaced(tmp_path: Path) -> None:
    """Changed, added or removed since the work began; not even by force, and no other file is written either."""
    path, beside = tmp_path / "a", tmp_path / "b"
    for before, meanwhile in ((b"old", b"mine"), (None, b"mine"), (b"old", None)):
        path.unlink(missing_ok=True)
        if before is not None:
            path.write_bytes(before)
        targets = Targets([path, beside], force=True)
        path.write_bytes(meanwhile) if meanwhile is not None else path.unlink()
        with pytest.raises(AttnhandError, match="a was changed while this was at work, and stays as it is"):
            write_files([(path, b"new"), (beside, b"new")], targets)
        left = {each.name: each.read_bytes() for each in tmp_path.iterdir()}
        assert left == ({} if meanwhile is None else {"a": meanwhile})


def test_neither_pipe_nor_device_is_replaced(tmp_path: Path) -> None:
    """Nor waited for."""
    os.mkfifo(tmp_path / "a.csv")
    with pytest.raises(AttnhandError, match="is a device or a pipe, not a file: choose another `out=`"):
        check_replaceable(tmp_path / "a.csv", force=True)


@pytest.mark.parametrize("name", ["sheet.csv", "sheet.pdf"])
def test_only_what_is_as_we_wrote_it_is_replaced(tmp_path: Path, name: str) -> None:
    """Filled work is never lost, unless somebody insists."""
    path = tmp_path / name
    check_replaceable(path, force=False)
    path.write_bytes(add_digest(b"1,2\r\n", path.suffix[1:]))
    check_replaceable(path, force=False)
    path.write_bytes(path.read_bytes() + b"3")
    with pytest.raises(AttnhandError, match="exists and is not as this program wrote it: move it, or replace it with"):
        check_replaceable(path, force=False, advice="move it")
    check_replaceable(path, force=True)


def test_a_folder_is_never_replaced(tmp_path: Path) -> None:
    """Not even by force; a name that ends in a slash is a folder's too."""
    with pytest.raises(AttnhandError, match=r"cannot be written \(a folder has that name\): choose another `out=`"):
        check_replaceable(tmp_path, force=True)
    assert [is_folder(str(tmp_path)), is_folder("new/"), is_folder("new"), is_folder("x" * 5000)] == [
        *(True, True),
        *(False, False),
    ]
