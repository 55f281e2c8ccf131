"""A zip of what was handed in, as Moodle gives it: unpacked into a passing folder, bounded, whatever it says of itself.

No name in it becomes a name on the disk. What cannot be unpacked is no reason to stop: it says so in the gradebook.
"""

import stat
import struct
import tempfile
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import BinaryIO

from attnhand.classroom.papers import MAX_DEPTH, MAX_FILES, FoundFile, find_files, make_display_path
from attnhand.classroom.reading_budget import MAX_BYTES
from attnhand.errors import AttnhandError
from attnhand.system.files import MAX_PDF_BYTES, is_zip
from attnhand.text import Message

MAX_MEMBER_BYTES = MAX_PDF_BYTES
"""Bytes of the largest file that is read."""

FREE_BYTES, MAX_EXPANSION = 200_000_000, 20
"""An archive may unpack to so many bytes, and to so many for each of its own besides: tables and texts shrink to a
tenth, forms and spreadsheets hardly."""

MAX_DIRECTORY_BYTES = 2_000 * MAX_FILES
"""Bytes of the list of what is in it: some hundred a file."""

BLOCK_SIZE = 1 << 20

_END, _END_64, _LOCATOR_64 = b"PK\x05\x06", b"PK\x06\x06", b"PK\x06\x07"
_DOCUMENT_PARTS = {"[Content_Types].xml", "mimetype"}
"""What is in every spreadsheet and document that is an archive."""

# Subtle: a damaged archive fails in as many ways as zipfile has lines that trust it.
_DAMAGES = (
    zipfile.BadZipFile, zlib.error, struct.error, EOFError, RuntimeError, ValueError, LookupError, NotImplementedError,
    OverflowError, AttributeError,
)  # fmt: skip


@contextmanager
def open_submissions(path: Path, excluded: Sequence[Path] = ()) -> Iterator[list[FoundFile]]:
    """Yield every file in a folder, or in a zip, which is unpacked as long as they are read.

    Args:
        excluded: files of the folder to pass over.

    Raises:
        AttnhandError: it is neither, cannot be read, or holds far too much.
    """
    if not path.is_file():
        yield find_files(path, excluded)
        return
    with tempfile.TemporaryDirectory(prefix="attnhand-", ignore_cleanup_errors=True) as place:
        yield _unpack(path, Path(place))


def _unpack(path: Path, place: Path) -> list[FoundFile]:
    """Unpack an archive into a folder; return its files.

    Raises:
        AttnhandError: it is none, is damaged, holds far too much, or there is no room for it.
    """
    advice = "give the folder with what was handed in, or the zip of all submissions"
    try:
        with path.open("rb") as file:
            if not zipfile.is_zipfile(file):
                file.seek(0)
                if is_zip(file.read(len(_END))):  # one that was cut off
                    raise _make_damage_error(path)
                raise AttnhandError(f"{str(path)!r} is neither a folder nor a zip: {advice}")
            if _read_directory_size(file) > MAX_DIRECTORY_BYTES:
                raise _make_number_error(path)
            with zipfile.ZipFile(file) as archive:
                members = [each for each in archive.infolist() if not each.is_dir() and not _is_hidden(each.filename)]
                if _DOCUMENT_PARTS & {each.filename for each in members}:
                    raise AttnhandError(
                        f"{str(path)!r} is one document, not what a class handed in: mark it with attnhand check"
                    )
                if len(members) > MAX_FILES:
                    raise _make_number_error(path)
                return _unpack_members(archive, members, place, path.stat().st_size)
    except _DAMAGES as error:
        raise _make_damage_error(path) from error
    except OSError as error:
        reason = f"cannot be unpacked into {place.parent} ({error.strerror})"
        raise AttnhandError(f"{path} {reason}: unpack it where there is room, and give the folder") from error


def _make_damage_error(path: Path) -> AttnhandError:
    damage = "is damaged, and cannot be read as a zip"
    return AttnhandError(f"{path} {damage}: download it again, or unpack it and give the folder")


def _make_number_error(path: Path) -> AttnhandError:
    return AttnhandError(f"{path} holds more than {MAX_FILES:,} files: unpack it, and mark it in parts")


def _is_hidden(name: str) -> bool:
    """Say whether a name is passed over as in folders: .DS_Store, and what a Mac adds to every file."""
    parts = PurePosixPath(name.replace("\\", "/")).parts
    return any(part.startswith(".") and part != ".." for part in parts) or parts[:1] == ("__MACOSX",)


def _read_directory_size(file: BinaryIO) -> int:
    """Return how many bytes the list of what is in an archive has, which would be read whole."""
    length = file.seek(0, 2)
    start = max(0, length - (1 << 16) - 100)
    file.seek(start)
    tail = file.read()
    at = tail.rfind(_END)
    (size,) = struct.unpack_from("<I", tail, at + 12)
    if size == 0xFFFFFFFF and tail[max(0, at - 20) : at].startswith(_LOCATOR_64):
        (offset,) = struct.unpack_from("<Q", tail, at - 12)
        file.seek(min(offset, length))
        record = file.read(56)
        (size,) = struct.unpack_from("<Q", record, 40) if record.startswith(_END_64) else (size,)
    file.seek(0)
    return int(size)


def _unpack_members(
    archive: zipfile.ZipFile, members: Sequence[zipfile.ZipInfo], place: Path, archive_bytes: int
) -> list[FoundFile]:
    """Unpack one after the other; what is refused says why."""
    most = min(MAX_BYTES, FREE_BYTES + MAX_EXPANSION * archive_bytes)
    left, found, deep = most, [], set()
    times = Counter(_read_path(each) for each in members)
    for number, member in enumerate(sorted(members, key=_read_path)):
        path = _read_path(member)
        target, size = place / str(number), 0
        if len(path.parts) > MAX_DEPTH + 1:
            folder = PurePosixPath(*path.parts[:MAX_DEPTH])
            problem: Message | str = Message("answers.deep-folder", most=MAX_DEPTH)
            found += [FoundFile(str(target), make_display_path(folder), problem)] if folder not in deep else []
            deep.add(folder)
            continue
        problem = _find_problem(member, path) or ("" if times[path] == 1 else Message("answers.zip.twice"))
        if not problem and min(member.file_size, MAX_MEMBER_BYTES) > left:
            problem = Message("answers.large-folder", most=f"{most:,}")
        if not problem:
            problem, size = _unpack_member(archive, member, target, min(left, MAX_MEMBER_BYTES))
            left -= size
        found.append(FoundFile(str(target), make_display_path(path), problem, size))
    return sorted(found, key=lambda each: each.display_path)


def _read_path(member: zipfile.ZipInfo) -> PurePosixPath:
    return PurePosixPath(member.filename.replace("\\", "/"))


def _find_problem(member: zipfile.ZipInfo, path: PurePosixPath) -> Message | None:
    """Return why a file is not even unpacked."""
    if path.is_absolute() or ".." in path.parts or (path.parts[:1] and path.parts[0].endswith(":")):
        return Message("answers.zip.path")
    if stat.S_ISLNK(member.external_attr >> 16):
        return Message("answers.link")
    if member.flag_bits & 1:
        return Message("answers.zip.locked")
    # Subtle: of what is packed otherwise, zipfile unpacks whole chunks, which may be of any size
    if member.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return Message("answers.zip.packing")
    if member.file_size > MAX_MEMBER_BYTES:
        return _say_too_large()
    return None


def _say_too_large() -> Message:
    return Message("answers.zip.large", most=MAX_MEMBER_BYTES // 10**6)


def _unpack_member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, target: Path, most: int
) -> tuple[Message | str, int]:
    """Write a file; return why it could not be, and how many bytes it took."""
    size = 0
    try:
        with target.open("wb") as out, archive.open(member) as packed:
            while block := packed.read(BLOCK_SIZE):
                size += len(block)
                if size > most:  # what it says of its size is a lie
                    break
                out.write(block)
    except _DAMAGES:
        target.unlink(missing_ok=True)
        return Message("answers.zip.damaged"), size
    if size > most:
        target.unlink()
        return _say_too_large(), size
    return "", size
