"""The folder of a class set: what an earlier run left in it, finished chunks, and files put in place at the end.

Whatever is under its final name is whole: everything is written beside its place, then renamed.
"""

import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, TypeVar

from attnhand.classroom.chunk_file import (
    SHARED_ENTRY,
    ChunkContents,
    SheetFacts,
    read_contents,
    read_contents_from_head,
)
from attnhand.classroom.class_file import (
    CLASS_FILE,
    MAX_CLASS_FILE_BYTES,
    ClassFile,
    format_class_toml,
    read_class_toml,
)
from attnhand.classroom.index import read_index
from attnhand.classroom.making import Chunk
from attnhand.classroom.marks_table import read_marks_rows
from attnhand.errors import AttnhandError, RosterError, name_option
from attnhand.sheet.seat import Seat
from attnhand.system.digests import write_digest_into
from attnhand.system.files import check_replaceable, read_file, write_file

T = TypeVar("T")

UNFINISHED_FOLDER = ".unfinished"
HAND_OUT_FOLDER, TEACHER_FOLDER = "hand-out", "teacher"
INDEX_FILE, MARKS_FILE = "index.csv", "marks.csv"
SHEETS_FILE, KEYS_FILE = "sheets.pdf", "keys.pdf"
SET_FOLDERS = {UNFINISHED_FOLDER, HAND_OUT_FOLDER, TEACHER_FOLDER}


@contextmanager
def write_errors_in_one_sentence(folder: Path) -> Iterator[None]:
    """Turn any error of the file system into one sentence."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if isinstance(error, FileExistsError | NotADirectoryError):
            reason = "a file stands where a folder should be"
        raise AttnhandError(
            f"{folder} cannot be written ({reason}): make room there or choose another {name_option('out')}; "
            "the same command goes on where it stopped"
        ) from error


MAX_TABLE_BYTES = 100_000_000
"""Bytes of an index or a list of marks: those of the largest class have some ten million."""

_LOST_ADVICE = "give the folder teacher/ as the class was made with it"


def _read_table(path: Path) -> bytes:
    return read_file(path, MAX_TABLE_BYTES, kind="such table", advice=_LOST_ADVICE)


def _read_class_file(path: Path) -> ClassFile:
    data = read_file(path, MAX_CLASS_FILE_BYTES, kind="class file", advice=_LOST_ADVICE)
    return _name_file_in_errors(path, lambda: read_class_toml(data))


class TeacherFolder:
    """The teacher's half of an earlier set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def has_set(self) -> bool:
        """Say whether there is an earlier set."""
        return (self.folder / CLASS_FILE).is_file()

    def read_class_file(self) -> ClassFile:
        """Return what the set comes from."""
        return _read_class_file(self.folder / CLASS_FILE)

    def read_seats(self) -> tuple[Seat, ...]:
        """Return who has which number and sheet."""
        path = self.folder / INDEX_FILE
        return _name_file_in_errors(path, lambda: read_index(_read_table(path)))

    def read_marks(self) -> list[list[str]]:
        """Return the marks that are there, with whatever the teacher wrote; empty where there are none."""
        path = self.folder / MARKS_FILE
        return _name_file_in_errors(path, lambda: read_marks_rows(_read_table(path))) if path.exists() else []


def _name_file_in_errors(path: Path, read: Callable[[], T]) -> T:
    """Read a file whose refusals complete its name."""
    try:
        return read()
    except RosterError as error:
        raise RosterError(f"{path} {error}") from error


class ClassFolder:
    """The folder that a set is written to."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.unfinished_folder = root / UNFINISHED_FOLDER
        self.teacher_folder = TeacherFolder(root / TEACHER_FOLDER)
        self.facts_by_sheet: dict[str, SheetFacts] = {}
        self._chunk_paths: dict[str, Path] = {}
        """The chunk file of each sheet by name, and of each template by digest: all that memory holds of thousands."""

    def refuse_foreign_folder(self, *, force: bool) -> None:
        """Refuse a folder that holds what no class set does.

        Raises:
            AttnhandError: it is no folder, or one with other files.
        """
        try:
            if self.root.exists() and not self.root.is_dir():
                raise AttnhandError(f"{self.root} is a file: choose another {name_option('out')}")
            foreign = (
                next((p for p in sorted(self.root.iterdir()) if p.name not in SET_FOLDERS), None)
                if self.exists
                else None
            )
        except OSError as error:
            raise AttnhandError(
                f"{self.root} cannot be read ({error.strerror}): choose another {name_option('out')}"
            ) from error
        begun = self.teacher_folder.has_set or self.unfinished_folder.is_dir()
        if not force and self.exists and not begun and (foreign or any(self.root.iterdir())):
            raise AttnhandError(
                f"{self.root} holds other files, {(foreign or self.root / TEACHER_FOLDER).name} for one: choose "
                f"another {name_option('out')}, or write into it with {name_option('force', value=True)}"
            )

    @property
    def exists(self) -> bool:
        """Say whether the folder is there."""
        return self.root.is_dir()

    def check_replaceable(self, files: list[Path], *, force: bool) -> None:
        """Refuse to replace a file that was changed, such as a form that was filled in place.

        Raises:
            AttnhandError: a file is not as it was written.
        """
        for path in files:
            check_replaceable(self.root / path, force=force, advice="move it elsewhere")

    # finished chunks

    def read_unfinished_class_file(self) -> ClassFile | None:
        """Return what a run that was stopped had begun with."""
        path = self.unfinished_folder / CLASS_FILE
        return _read_class_file(path) if path.is_file() else None

    def start_or_resume(self, class_file: ClassFile) -> None:
        """Keep seed and salt, so that the same command goes on with them; whatever was begun otherwise goes."""
        text = format_class_toml(class_file).encode()
        path = self.unfinished_folder / CLASS_FILE
        if path.is_file() and path.read_bytes() == text:
            return
        shutil.rmtree(self.unfinished_folder, ignore_errors=True)
        self.unfinished_folder.mkdir(parents=True, exist_ok=True)
        write_file(path, text)

    def load_chunk(self, chunk: Chunk) -> bool:
        """Say whether a chunk is on disk and whole, and register it if so."""
        path = self._get_chunk_path(chunk)
        contents = read_contents(path.read_bytes()) if path.is_file() else None
        if contents is not None:
            self._register_contents(path, contents)
        return contents is not None

    def save_chunk(self, chunk: Chunk, data: bytes) -> None:
        """Save a finished chunk."""
        contents = read_contents(data)
        assert contents is not None
        write_file(self._get_chunk_path(chunk), data)
        self._register_contents(self._get_chunk_path(chunk), contents)

    def _register_contents(self, path: Path, chunk_contents: ChunkContents) -> None:
        self.facts_by_sheet |= {facts.name: facts for facts in chunk_contents.facts}
        self._chunk_paths |= {part if name == SHARED_ENTRY else name: path for name, part in chunk_contents.spans}

    def _get_chunk_path(self, chunk: Chunk) -> Path:
        return self.unfinished_folder / f"{chunk.digest}.chunk"

    def has_part(self, name: str, part: str) -> bool:
        """Say whether there is such a part of a sheet."""
        return name in self._chunk_paths and (name, part) in _read_chunk_contents(self._chunk_paths[name]).spans

    def read_part(self, name: str, part: str) -> bytes:
        """Return one part of a sheet."""
        path = self._chunk_paths[part if name == SHARED_ENTRY else name]
        at, length = _read_chunk_contents(path).spans[name, part]
        with path.open("rb") as file:
            file.seek(at)
            return file.read(length)

    # the end

    @contextmanager
    def open_for_writing(self, path: Path) -> Iterator[BinaryIO]:
        """Open a file of the set, which waits beside the others until all are whole."""
        waiting = self.unfinished_folder / "set" / path
        waiting.parent.mkdir(parents=True, exist_ok=True)
        with waiting.open("w+b") as file:
            yield file
            if path.suffix == ".pdf":
                write_digest_into(file, "pdf")

    def write_file(self, path: Path, data: bytes) -> None:
        """Write a file of the set, which waits beside the others until all are whole."""
        waiting = self.unfinished_folder / "set" / path
        waiting.parent.mkdir(parents=True, exist_ok=True)
        waiting.write_bytes(data)

    def put_in_place(self, files: list[Path]) -> None:
        """Put all files in their places, class.toml and index last, and remove the unfinished folder."""
        for path in files:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.unfinished_folder / "set" / path).replace(self.root / path)
        shutil.rmtree(self.unfinished_folder)


@lru_cache(maxsize=32)
def _read_chunk_contents(path: Path) -> ChunkContents:
    """Return what a chunk file that was found whole holds."""
    with path.open("rb") as file:
        return read_contents_from_head(file.readline())
