"""Files read and written whole: one reader, one writer, one way of refusing."""

import errno
import hashlib
import os
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from attnhand.errors import AttnhandError, name_option
from attnhand.system.digests import has_digest_beside, is_file_untouched, is_untouched
from attnhand.system.locks import hold_passing_folder

MAX_PDF_BYTES = 20_000_000
"""Bytes; a form is saved in half a million, and a scan of a few pages in fewer than this."""

MAX_HEAD_BYTES = 10_000
"""Bytes among which a file that is not packed says what it is, behind its namespaces."""

MAX_HEADER_BYTES = 1024
"""Bytes among which a PDF says that it is one."""


def read_file(
    path: Path, max_bytes: int, *, kind: str, advice: str, label: str = "", accepts_pipes: bool = False
) -> bytes:
    """Read a file to its end; one that is too large is refused, never cut off.

    Args:
        kind: what it should be, for the sentence: "answer file".
        advice: what to do where there is no such file.
        label: what messages call it; empty for its name.

    Raises:
        AttnhandError: it is not there, is no file, cannot be read, or is too large.
    """
    name = label or str(path)
    try:
        if not path.exists():
            raise AttnhandError(f"{label or repr(str(path))} is not there: {advice}")
        # Subtle: a shell's <(...) has a writer; a pipe with a name of its own may never get one
        if not path.is_file() and not (accepts_pipes and path.parent.name == "fd"):
            raise AttnhandError(f"{name} is not a file: {advice}")
        with path.open("rb") as file:
            data = file.read(max_bytes + 1)
    except OSError as error:
        raise AttnhandError(f"{name} cannot be read ({error.strerror}): check the file and its permissions") from error
    refuse_large_data(data, max_bytes, kind=kind, label=name)
    return data


def refuse_large_data(data: bytes, max_bytes: int, *, kind: str, label: str) -> None:
    """Refuse more bytes than a file of that kind has.

    Raises:
        AttnhandError: there are more.
    """
    if len(data) > max_bytes:
        raise AttnhandError(f"{label} is larger than any {kind}: give one of less than {max_bytes // 10**6} MB")


def is_pdf(data: bytes) -> bool:
    """Say whether a file says that it is a PDF: at its beginning, or behind what a mail program put there."""
    return b"%PDF-" in data[:MAX_HEADER_BYTES]


def is_zip(data: bytes) -> bool:
    """Say whether a file is an archive, as spreadsheets and documents are."""
    return data.startswith((b"PK\x03\x04", b"PK\x05\x06"))


def is_flat_spreadsheet(data: bytes) -> bool:
    """Say whether a file is an OpenDocument spreadsheet that is not packed, .fods.

    >>> is_flat_spreadsheet(b'<office:document office:mimetype="application/vnd.oasis.opendocument.spreadsheet">')
    True
    """
    head = data[:MAX_HEAD_BYTES]
    return b"<office:document" in head and b"opendocument.spreadsheet" in head


class Targets:
    """Files that are to be written: nobody's own, and not replaced if somebody changes one meanwhile."""

    def __init__(self, paths: Iterable[Path] = (), *, force: bool = False) -> None:
        self._digests: dict[Path, bytes] = {}
        self.add(paths, force=force)

    def add(self, paths: Iterable[Path], *, force: bool, advice: str = "") -> None:
        """Look at what stands there now.

        Args:
            force: whether what is somebody's own now may be replaced.
            advice: what to do about such a file; empty for choosing another place to write to.

        Raises:
            AttnhandError: one is somebody's own, or cannot be looked at.
        """
        for path in paths:
            check_replaceable(path, force=force, advice=advice)
            self.watch(path)

    def watch(self, path: Path) -> None:
        """Remember what a file holds now."""
        self._digests[path] = _compute_digest(path)

    def refuse_changes(self) -> None:
        """Refuse to go on if a file is no longer what it was.

        Raises:
            AttnhandError: one has been changed, added or removed.
        """
        for path, digest in self._digests.items():
            if _compute_digest(path) != digest:
                what = "and stays as it is now: nothing was written, so give the same command again"
                raise AttnhandError(f"{path} was changed while this was at work, {what}")


def _compute_digest(path: Path) -> bytes:
    """Return a digest of a file; empty where there is none."""
    try:
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").digest()
    except (FileNotFoundError, NotADirectoryError):
        return b""
    except OSError as error:
        raise _make_write_error(path, error, _choose_other_out()) from error


def write_files(contents: Iterable[tuple[Path, bytes]], targets: Targets) -> None:
    """Write every file beside its place first, then put all in place: an error leaves old files whole.

    Args:
        contents: may be made while they are written, so that never all of them are in memory.

    Raises:
        AttnhandError: one cannot be written, or was changed by somebody since the targets were looked at.
    """
    waiting: list[tuple[Path, Path]] = []
    path = Path()
    try:
        for path, data in contents:
            path.parent.mkdir(parents=True, exist_ok=True)
            waiting.append((_write_beside(path, data), path))
        put_in_place(waiting, targets)
    except OSError as error:
        raise _make_write_error(path, error, _choose_other_out()) from error
    finally:
        for written, _ in waiting:
            written.unlink(missing_ok=True)


def write_files_below(root: Path, contents: Iterable[tuple[Path, bytes]], targets: Targets) -> None:
    """Write many files of one folder, as its one writer: all are whole before the first is in its place.

    Raises:
        AttnhandError: as ``write_files``, or another run is writing there.
    """
    waiting: list[tuple[Path, Path]] = []
    path = root
    try:
        root.mkdir(parents=True, exist_ok=True)
        with hold_passing_folder(root, f"wait until it has ended, or {_choose_other_out()}") as passing:
            for path, data in contents:
                path.parent.mkdir(parents=True, exist_ok=True)
                waiting.append((passing / f"{len(waiting)}", path))
                waiting[-1][0].write_bytes(data)
            put_in_place(waiting, targets)
    except OSError as error:
        raise _make_write_error(path, error, _choose_other_out()) from error


def put_in_place(moves: Sequence[tuple[Path, Path]], targets: Targets) -> None:
    """Give files, or whole folders, their final names, in this order: each is old or new, and whole.

    What they hold is on the disk before any gets its name.

    Raises:
        AttnhandError: somebody has changed a target.
        OSError: one cannot be put in place.
    """
    for written, _ in moves:
        for path in [written, *written.rglob("*")]:
            if path.is_file():
                with path.open("rb+") as file:
                    os.fsync(file.fileno())
    targets.refuse_changes()
    for written, path in moves:
        written.replace(path)


def _write_beside(path: Path, data: bytes) -> Path:
    """Write a file under a passing name in the same folder, readable as the user's other files are."""
    handle, name = tempfile.mkstemp(prefix=".attnhand-", dir=path.parent)
    written = Path(name)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mask = os.umask(0)
        os.umask(mask)
        written.chmod(0o666 & ~mask)
    except BaseException:
        written.unlink(missing_ok=True)
        raise
    return written


def check_replaceable(path: Path, *, force: bool, advice: str = "") -> None:
    """Refuse to replace what is not as this program wrote it, such as a form that was filled where it lay.

    Args:
        advice: what to do instead; empty for choosing another place to write to.

    Raises:
        AttnhandError: it is somebody's own, or cannot be looked at.
    """
    advice = advice or _choose_other_out()
    try:
        if path.is_dir():
            raise IsADirectoryError(errno.EISDIR, "a folder has that name")
        if path.exists() and not path.is_file():
            raise AttnhandError(f"{path} is a device or a pipe, not a file: {advice}")
        if not force and path.exists() and not _is_as_written(path):
            remedy = f"{advice}, or replace it with {name_option('force', value=True)}"
            raise AttnhandError(f"{path} exists and is not as this program wrote it: {remedy}")
    except OSError as error:
        raise _make_write_error(path, error, advice) from error


def _is_as_written(path: Path) -> bool:
    # the PDFs of a class may be too large for memory
    return (
        is_file_untouched(path) if path.suffix == ".pdf" else is_untouched(path.read_bytes()) or has_digest_beside(path)
    )


def _choose_other_out() -> str:
    return f"choose another {name_option('out')}"


def _make_write_error(path: Path, error: OSError, advice: str) -> AttnhandError:
    # Subtle: making the folder of a path below a file fails because that file "exists"
    reason = "a file stands where its folder should be" if isinstance(error, FileExistsError) else error.strerror
    return AttnhandError(f"{path} cannot be written ({reason}): {advice}")


def is_folder(name: str) -> bool:
    """Say whether a name is a folder's: one that is there, or that ends as folders' names do."""
    try:
        return name.endswith(("/", os.sep)) or Path(name).is_dir()
    except OSError:
        return False  # a name that is too long, say: whoever writes there will hear of it
