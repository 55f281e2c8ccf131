"""The folder of a class set: what an earlier run left in it, chunks that are made, and files put in place at the end.

Whatever is under its final name is whole: everything is written beside its place, then renamed.
"""

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import BinaryIO, TypeVar

from attnhand.classroom.chunk_file import TEMPLATES, Contents, Facts, contents, contents_of_head
from attnhand.classroom.class_file import CLASS_FILE, ClassFile, class_toml, read_class_toml
from attnhand.classroom.index import read_index
from attnhand.classroom.making import Chunk
from attnhand.classroom.marks_table import read_marks
from attnhand.classroom.matching import Entry
from attnhand.errors import AttnhandError, RosterError
from attnhand.system.digests import is_file_untouched, seal_file

T = TypeVar("T")

UNFINISHED = ".unfinished"
HAND_OUT, TEACHER = "hand-out", "teacher"
INDEX, MARKS = "index.csv", "marks.csv"
SHEETS, KEYS = "sheets.pdf", "keys.pdf"
OURS = {UNFINISHED, HAND_OUT, TEACHER}


@contextmanager
def said_once(folder: Path) -> Iterator[None]:
    """Say in one sentence that the folder cannot be written, whatever the system says of it."""
    try:
        yield
    except OSError as error:
        reason = error.strerror or str(error)
        if isinstance(error, FileExistsError | NotADirectoryError):
            reason = "a file stands where a folder should be"
        raise AttnhandError(
            f"{folder} cannot be written ({reason}): make room there or choose another --out; "
            "the same command goes on where it stopped"
        ) from error


def read_file(path: Path, most: int = 100_000_000) -> bytes:
    """Read a file that the user named, or that lies where one of ours should.

    Raises:
        AttnhandError: it is missing, or cannot be read.
    """
    try:
        if path.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        with path.open("rb") as file:
            return file.read(most)
    except FileNotFoundError as error:
        raise AttnhandError(f"{str(path)!r} is not there: check the name, and the folder you are in") from error
    except OSError as error:
        raise AttnhandError(f"{path} cannot be read ({error.strerror}): check its name and permissions") from error


class Teacher:
    """The teacher's half of an earlier set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def is_there(self) -> bool:
        """Say whether there is an earlier set."""
        return (self.folder / CLASS_FILE).is_file()

    def class_file(self) -> ClassFile:
        """Return what the set comes from."""
        path = self.folder / CLASS_FILE
        return _named(path, lambda: read_class_toml(read_file(path)))

    def entries(self) -> tuple[Entry, ...]:
        """Return who has which number and sheet."""
        path = self.folder / INDEX
        return _named(path, lambda: read_index(read_file(path)))

    def marks(self) -> list[list[str]]:
        """Return the marks that are there, with whatever somebody wrote; nothing where there are none."""
        path = self.folder / MARKS
        return _named(path, lambda: read_marks(read_file(path))) if path.exists() else []


def _named(path: Path, read: Callable[[], T]) -> T:
    """Read a file whose refusals complete its name."""
    try:
        return read()
    except RosterError as error:
        raise RosterError(f"{path} {error}") from error


class ClassFolder:
    """The folder that a set is written to."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self.unfinished = root / UNFINISHED
        self.teacher = Teacher(root / TEACHER)
        self.facts: dict[str, Facts] = {}
        self._chunks: dict[str, Path] = {}
        """Where each sheet is by its name, and what pages lie over by its digest; no more is held of thousands."""

    def check_ours(self, *, force: bool) -> None:
        """Refuse a folder that holds what no class set does.

        Raises:
            AttnhandError: it is no folder, or somebody's own.
        """
        try:
            if self.root.exists() and not self.root.is_dir():
                raise AttnhandError(f"{self.root} is a file: choose another --out")
            alien = next((p for p in sorted(self.root.iterdir()) if p.name not in OURS), None) if self.exists else None
        except OSError as error:
            raise AttnhandError(f"{self.root} cannot be read ({error.strerror}): choose another --out") from error
        begun = self.teacher.is_there or self.unfinished.is_dir()
        if not force and self.exists and not begun and (alien or any(self.root.iterdir())):
            raise AttnhandError(
                f"{self.root} holds other files, {(alien or self.root / TEACHER).name} for one: choose "
                "another --out, or write into it with --force"
            )

    @property
    def exists(self) -> bool:
        """Say whether the folder is there."""
        return self.root.is_dir()

    def check_replaceable(self, files: list[Path], *, force: bool) -> None:
        """Refuse to replace what somebody has changed, such as a form that was filled where it lay.

        Raises:
            AttnhandError: a file is not as it was written.
        """
        for path in files:
            whole = self.root / path
            try:
                if whole.is_dir():
                    raise AttnhandError(f"{whole} is a folder: move it elsewhere")
                if not force and whole.exists() and not is_file_untouched(whole):
                    raise AttnhandError(
                        f"{whole} is not as this program wrote it: move it elsewhere, or replace it with --force"
                    )
            except OSError as error:
                raise AttnhandError(f"{whole} cannot be read ({error.strerror}): move it elsewhere") from error

    # what is made so far

    def begun(self) -> ClassFile | None:
        """Return what a run that was stopped had begun with."""
        path = self.unfinished / CLASS_FILE
        return _named(path, lambda: read_class_toml(read_file(path))) if path.is_file() else None

    def begin(self, told: ClassFile) -> None:
        """Keep seed and salt, so that the same command goes on with them; whatever was begun otherwise goes."""
        text = class_toml(told).encode()
        path = self.unfinished / CLASS_FILE
        if path.is_file() and path.read_bytes() == text:
            return
        shutil.rmtree(self.unfinished, ignore_errors=True)
        self.unfinished.mkdir(parents=True, exist_ok=True)
        write_whole(path, text)

    def has(self, chunk: Chunk) -> bool:
        """Say whether a chunk is made, and take it in if so; half of one is not."""
        path = self._path(chunk)
        told = contents(path.read_bytes()) if path.is_file() else None
        if told is not None:
            self._take(path, told)
        return told is not None

    def keep(self, chunk: Chunk, data: bytes) -> None:
        """Keep what was made of a chunk."""
        told = contents(data)
        assert told is not None
        write_whole(self._path(chunk), data)
        self._take(self._path(chunk), told)

    def _take(self, path: Path, told: Contents) -> None:
        self.facts |= {facts.name: facts for facts in told.facts}
        self._chunks |= {part if name == TEMPLATES else name: path for name, part in told.places}

    def _path(self, chunk: Chunk) -> Path:
        return self.unfinished / f"{chunk.digest}.chunk"

    def has_part(self, name: str, part: str) -> bool:
        """Say whether a part of a sheet is made."""
        return name in self._chunks and (name, part) in _contents(self._chunks[name]).places

    def read(self, name: str, part: str) -> bytes:
        """Return a part of what was made of a sheet."""
        path = self._chunks[part if name == TEMPLATES else name]
        at, length = _contents(path).places[name, part]
        with path.open("rb") as file:
            file.seek(at)
            return file.read(length)

    # the end

    @contextmanager
    def writing(self, path: Path) -> Iterator[BinaryIO]:
        """Open a file of the set, which waits beside the others until all are whole."""
        waiting = self.unfinished / "set" / path
        waiting.parent.mkdir(parents=True, exist_ok=True)
        with waiting.open("w+b") as file:
            yield file
            if path.suffix == ".pdf":
                seal_file(file, "pdf")

    def write(self, path: Path, data: bytes) -> None:
        """Write a file of the set, which waits beside the others until all are whole."""
        waiting = self.unfinished / "set" / path
        waiting.parent.mkdir(parents=True, exist_ok=True)
        waiting.write_bytes(data)

    def finish(self, files: list[Path]) -> None:
        """Put all files in their places, what the set comes from last, and throw away what was kept."""
        for path in files:
            (self.root / path).parent.mkdir(parents=True, exist_ok=True)
            (self.unfinished / "set" / path).replace(self.root / path)
        shutil.rmtree(self.unfinished)


@lru_cache(maxsize=32)
def _contents(path: Path) -> Contents:
    """Return what is in a chunk that was found whole."""
    with path.open("rb") as file:
        return contents_of_head(file.readline())


def write_whole(path: Path, data: bytes) -> None:
    """Write a file beside its place, then put it there."""
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    try:
        part.write_bytes(data)
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)
