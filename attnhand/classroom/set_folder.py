"""The folder of a class set: what an earlier run left in it, and new files put in place when all are whole."""

import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from attnhand.classroom.class_file import CLASS_FILE, MAX_CLASS_FILE_BYTES, ClassFile, read_class_toml
from attnhand.classroom.index import read_index, read_own_columns, read_whole_index
from attnhand.classroom.marks_table import read_marks_rows
from attnhand.errors import AttnhandError, RosterError, name_option
from attnhand.sheet.seat import Seat
from attnhand.system.digests import write_digest_into
from attnhand.system.file_names import make_unique_safe_names
from attnhand.system.files import Targets, put_in_place, read_file
from attnhand.system.locks import hold_passing_folder, is_passing
from attnhand.text import FALLBACK_LANGUAGE

HAND_OUT_FOLDER, TEACHER_FOLDER = "hand-out", "teacher"
INDEX_FILE, MARKS_FILE = "index.csv", "marks.csv"
SPREADSHEETS_OF_MARKS = ("marks.xlsx", "marks.ods")
"""Beside marks.csv or in its place: what a spreadsheet saved of it, which is read and never written."""

SHEETS_FILE, KEYS_FILE, QUICK_KEYS_FILE = "sheets.pdf", "keys.pdf", "quick-keys.pdf"
LESSON_FILE = "lesson.pdf"
"""The teacher's page of a week of a term."""

MAX_TABLE_BYTES = 100_000_000
"""Bytes of an index or a list of marks: those of the largest class have some ten million."""

_FILE_OF_A_SET = re.compile(
    rf"(new-[\d-]+-)?({'|'.join(map(re.escape, (SHEETS_FILE, KEYS_FILE, QUICK_KEYS_FILE)))}|questions-\w+\.(xml|zip))"
    rf"|{'|'.join(map(re.escape, (CLASS_FILE, INDEX_FILE, MARKS_FILE, LESSON_FILE, *SPREADSHEETS_OF_MARKS)))}"
)


def is_file_of_set(name: str) -> bool:
    """Say whether a file about everybody is called so, in one set or another.

    >>> [is_file_of_set(name) for name in ("Class.toml", "keys.pdf", "new-046-047-sheets.pdf", "B", "keys")]
    [True, True, True, False, False]
    """
    return _FILE_OF_A_SET.fullmatch(unicodedata.normalize("NFKC", name).casefold()) is not None


def name_group_folders(seats: Iterable[Seat]) -> Mapping[int, str]:
    """Return the folder of everyone's group, by №; no two groups share one, whatever the letter case.

    >>> from attnhand.sheet.seat import Student
    >>> people = [Seat(number=n, student=Student(group=group)) for n, group in enumerate(("B/1", "b/1", "", "A"), 1)]
    >>> name_group_folders(people)
    {1: 'B 1', 2: 'b 1 2', 4: 'A'}
    """
    there = [seat for seat in seats if seat.student.group and not seat.is_spare and not seat.is_withdrawn]
    groups = sorted({seat.student.group for seat in there})
    folders = dict(zip(groups, make_unique_safe_names(groups), strict=True))
    return {seat.number: folders[seat.student.group] for seat in there}


_LOST_ADVICE = "give the folder teacher/ as the class was made with it"


def _read_table(path: Path) -> bytes:
    return read_file(path, MAX_TABLE_BYTES, kind="such table", advice=_LOST_ADVICE)


@contextmanager
def name_in_refusals(source: Path | str, remedy: str = "") -> Iterator[None]:
    """Have refusals complete what is refused: "roster.csv has …".

    Args:
        remedy: what to do, where the refusal does not say so.
    """
    try:
        yield
    except RosterError as error:
        raise RosterError(f"{source} {error}{remedy and ': '}{remedy}") from error


class TeacherFolder:
    """The teacher's half of an earlier set."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    @property
    def has_set(self) -> bool:
        """Say whether there is an earlier set."""
        return (self.folder / CLASS_FILE).is_file()

    @property
    def index_path(self) -> Path:
        """Where it stands who has which sheet."""
        return self.folder / INDEX_FILE

    def list_marks_paths(self) -> list[Path]:
        """Return where marks on paper are written: in one table, or in one a group, and in what was saved of them."""
        folders = {""}
        if self.read_class_file().options.get("separate") == "group":
            folders |= set(name_group_folders(self.read_seats()).values())
        names = (MARKS_FILE, *SPREADSHEETS_OF_MARKS)
        paths = (self.folder / folder / name for folder in sorted(folders) for name in names)
        return [path for path in paths if path.is_file()]

    def read_class_file(self) -> ClassFile:
        """Return what the set comes from."""
        path = self.folder / CLASS_FILE
        data = read_file(path, MAX_CLASS_FILE_BYTES, kind="class file", advice=_LOST_ADVICE)
        with name_in_refusals(path):
            return read_class_toml(data)

    def read_language(self) -> str:
        """Return the language of the class."""
        options = self.read_class_file().options if self.has_set else {}
        return str(options.get("language", FALLBACK_LANGUAGE))

    def read_seats(self) -> tuple[Seat, ...]:
        """Return who has which number and sheet."""
        with name_in_refusals(self.index_path):
            return read_index(_read_table(self.index_path))

    def read_everyone(self) -> tuple[Seat, ...]:
        """Return who has which number, also without a sheet."""
        with name_in_refusals(self.index_path):
            return read_whole_index(_read_table(self.index_path))

    def read_marks(self, stage_titles: Mapping[str, str]) -> dict[str, list[list[str]]]:
        """Return the marks that are there, with whatever the teacher wrote, by the folder of a group; "" for none.

        Args:
            stage_titles: the ids of stages by the titles that they may have.
        """
        paths = (self.folder / MARKS_FILE, *sorted(self.folder.glob(f"*/{MARKS_FILE}")))
        rows = {}
        for path in filter(Path.exists, paths):
            with name_in_refusals(path):
                rows[path.parent.relative_to(self.folder).name] = read_marks_rows(_read_table(path), stage_titles)
        return rows

    def read_own_columns(self) -> list[list[str]]:
        """Return the columns that somebody added to the index, each line after its №; empty where there are none."""
        if not self.index_path.exists():
            return []
        with name_in_refusals(self.index_path):
            return read_own_columns(_read_table(self.index_path))

    def read_class_text(self) -> str:
        """Return the class file as somebody may have edited it; empty where there is none."""
        path = self.folder / CLASS_FILE
        return path.read_text(encoding="utf-8") if path.exists() else ""


def find_teacher_folder(name: str) -> TeacherFolder:
    """Return the teacher's half of a class's folder, which may be named itself.

    Raises:
        AttnhandError: it is none.
    """
    for place in (Path(name), Path(name) / TEACHER_FOLDER):
        if (teacher := TeacherFolder(place)).has_set:
            return teacher
    raise AttnhandError(f"{name!r} has no class.toml: give the folder that attnhand class made, attnhand-class")


class ClassFolder:
    """The folder that a set is written to."""

    def __init__(self, root: Path) -> None:
        """Look at what the set is made from now: whoever changes that later is not overwritten."""
        self.root = root
        self.teacher_folder = TeacherFolder(root / TEACHER_FOLDER)
        self._targets = Targets()
        for name in (CLASS_FILE, INDEX_FILE):
            self._targets.watch(root / TEACHER_FOLDER / name)

    @property
    def has_sheets(self) -> bool:
        """Say whether anything was handed out: an earlier run may have been killed before."""
        return (self.root / HAND_OUT_FOLDER).is_dir()

    def refuse_foreign_folder(self, *, force: bool) -> None:
        """Refuse a folder that holds what no class set does.

        Raises:
            AttnhandError: it is no folder, or one with other files.
        """
        try:
            if self.root.exists() and not self.root.is_dir():
                raise AttnhandError(f"{self.root} is a file: choose another {name_option('out')}")
            there = sorted(self.root.iterdir()) if self.root.is_dir() else []
        except OSError as error:
            raise AttnhandError(
                f"{self.root} cannot be read ({error.strerror}): choose another {name_option('out')}"
            ) from error
        foreign = [path.name for path in there if not is_passing(path.name)]
        if foreign and not force and not self.teacher_folder.has_set:
            named = next((name for name in foreign if name not in (HAND_OUT_FOLDER, TEACHER_FOLDER)), foreign[0])
            raise AttnhandError(
                f"{self.root} holds other files, {named} for one: choose another {name_option('out')}, "
                f"or write into it with {name_option('force', value=True)}"
            )

    def check_replaceable(self, files: list[Path], *, force: bool) -> None:
        """Refuse to replace a file that was changed, such as a form that was filled in place.

        Raises:
            AttnhandError: a file is not as it was written.
        """
        self._targets.add((self.root / path for path in files), force=force, advice="move it elsewhere")

    def read_marks(self, folders: Iterable[str], stage_titles: Mapping[str, str]) -> dict[str, list[list[str]]]:
        """Return the marks as they are now; from now on nobody's change to those of these folders is overwritten."""
        for folder in folders:
            self._targets.watch(self.root / TEACHER_FOLDER / folder / MARKS_FILE)
        return self.teacher_folder.read_marks(stage_titles)

    @contextmanager
    def replace_files(self) -> Iterator["NewFiles"]:
        """Yield a place for new files; they are put where they belong when all are whole, and otherwise they go.

        Raises:
            AttnhandError: a file cannot be written, was changed meanwhile, or another run is writing the set.
        """
        is_new = not self.root.exists()
        try:
            self.root.mkdir(parents=True, exist_ok=True)
            advice = f"wait until it has ended, or choose another {name_option('out')}"
            with hold_passing_folder(self.root, advice) as passing:
                self._targets.refuse_changes()
                new_files = NewFiles(passing)
                yield new_files
                put_in_place(new_files.list_moves(self.root), self._targets)
        except OSError as error:
            reason = error.strerror or str(error)
            if isinstance(error, FileExistsError | NotADirectoryError):
                reason = "a file stands where a folder should be"
            advice = f"make room there or choose another {name_option('out')}"
            raise AttnhandError(f"{self.root} cannot be written ({reason}): {advice}") from error
        finally:
            if is_new:
                with suppress(OSError):  # there is something in it
                    self.root.rmdir()


class NewFiles:
    """Files of a set that wait beside their places."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in (TEACHER_FOLDER, HAND_OUT_FOLDER):
            (folder / name).mkdir(parents=True)

    @contextmanager
    def open(self, path: Path) -> Iterator[BinaryIO]:
        """Open a PDF for writing, which is given its digest in the end."""
        with self._make_place(path).open("w+b") as file:
            yield file
            write_digest_into(file, "pdf")

    def write(self, path: Path, data: bytes) -> None:
        """Write a file."""
        self._make_place(path).write_bytes(data)

    def _make_place(self, path: Path) -> Path:
        (self.folder / path).parent.mkdir(exist_ok=True)  # of a group
        return self.folder / path

    def list_moves(self, root: Path) -> list[tuple[Path, Path]]:
        """Return what goes where: first of all the index, so that nobody's № is given again whatever happens then.

        A set that is new comes as whole folders, the teacher's first, which makes the same set again. The class file
        comes last: what it says was printed is there.
        """
        teacher = root / TEACHER_FOLDER
        first, last = (teacher, teacher / INDEX_FILE), teacher / CLASS_FILE
        moves = [move for name in (TEACHER_FOLDER, HAND_OUT_FOLDER) for move in _list_moves(self.folder, root, name)]
        return sorted(moves, key=lambda move: (move[1] == last, move[1] not in first, move))


def _list_moves(source: Path, target: Path, name: str) -> Iterator[tuple[Path, Path]]:
    """Yield the moves of a file, or of a whole folder: of all within where there is such a folder already."""
    if (target / name).is_dir() and (source / name).is_dir():
        for path in (source / name).iterdir():
            yield from _list_moves(source / name, target / name, path.name)
    else:
        yield source / name, target / name
