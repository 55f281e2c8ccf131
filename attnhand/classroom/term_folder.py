"""The folder of a term: a class set a week, and what all of them were made from."""

import tomllib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

from attnhand.classroom.class_file import OptionValue, format_toml_lines
from attnhand.classroom.set_folder import TEACHER_FOLDER, TeacherFolder, find_teacher_folder
from attnhand.classroom.term_plan import TermPlan, format_plan, read_plan
from attnhand.errors import AttnhandError, name_option
from attnhand.problems.base32 import normalize_code
from attnhand.problems.random_stream import RECIPE
from attnhand.sheet.option_table import CLASS_FILE_OPTIONS
from attnhand.system.files import read_file
from attnhand.system.locks import is_passing

DEFAULT_FOLDER, TERM_FILE = "attnhand-term", "term.toml"
MAX_TERM_FILE_BYTES = 1_000_000

HEADER_COMMENT = """\
# What attnhand term made the weeks from, and makes them from again. The salt stands where each class keeps it, in
# teacher/class.toml of every week: keep those folders to yourself.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermFile:
    """What a term was made from."""

    seed: int
    options: Mapping[str, OptionValue]
    """Of the class, for all weeks."""

    plan: TermPlan

    def list_options(self, week: int) -> dict[str, OptionValue]:
        """Return the options of a week: what its sheet says comes before what is said for all."""
        return {**self.options, **self.plan.list_options(week)}


class TermFolder:
    """The folder of a term."""

    def __init__(self, root: Path) -> None:
        self.root = root

    @property
    def has_term(self) -> bool:
        """Say whether there is a term."""
        return (self.root / TERM_FILE).is_file()

    def find_week(self, week: int) -> Path:
        """Return the folder of a week's class set."""
        return self.root / f"week-{week}"

    def list_weeks(self) -> list[int]:
        """Return the weeks that are there."""
        names = (path.name.removeprefix("week-") for path in self.root.glob("week-*"))
        weeks = sorted(int(name) for name in names if name.isdecimal())
        return [week for week in weeks if self.get_teacher(week).has_set]

    def get_teacher(self, week: int) -> TeacherFolder:
        """Return the teacher's half of a week's class set."""
        return TeacherFolder(self.find_week(week) / TEACHER_FOLDER)

    def read(self) -> TermFile:
        """Return what the term was made from.

        Raises:
            AttnhandError: the file is not as the program wrote it.
        """
        path = self.root / TERM_FILE
        advice = "give the one that the term was made with"
        data = read_file(path, MAX_TERM_FILE_BYTES, kind="term file", advice=advice)
        try:
            tables = tomllib.loads(data.decode())
            of_term, options = tables.pop("term"), tables.pop("options")
            seed, recipe = of_term["seed"], of_term["recipe"]
        except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError) as error:
            raise AttnhandError(f"{path} is not as the program wrote it: {advice}") from error
        if recipe != RECIPE:
            raise AttnhandError(f"{path} is of recipe {recipe}, which this program does not know: use a newer one")
        known = isinstance(options, dict) and all(
            name in CLASS_FILE_OPTIONS and type(value) is CLASS_FILE_OPTIONS[name].kind
            for name, value in options.items()
        )
        if type(seed) is not int or not 0 <= seed < 2**32 or not known:
            raise AttnhandError(f"{path} is not as the program wrote it: {advice}")
        lines = data.decode().splitlines(keepends=True)
        of_plan = "".join(line for line in _leave_tables_out(lines, ("[term]", "[options]")))
        return TermFile(seed=seed, options=options, plan=read_plan(of_plan.encode(), str(path)))

    def refuse_foreign_folder(self, *, force: bool) -> None:
        """Refuse a folder that holds something else.

        Raises:
            AttnhandError: it is no folder, or one with other files.
        """
        out = name_option("out")
        if self.root.exists() and not self.root.is_dir():
            raise AttnhandError(f"{self.root} is a file: choose another {out}")
        there = sorted(path.name for path in self.root.iterdir()) if self.root.is_dir() else []
        foreign = [name for name in there if not is_passing(name)]
        if foreign and not self.has_term and not force:
            raise AttnhandError(
                f"{self.root} holds other files, {foreign[0]} for one: choose another {out}, "
                f"or write into it with {name_option('force', value=True)}"
            )


def _leave_tables_out(lines: list[str], tables: tuple[str, ...]) -> Iterator[str]:
    table = ""
    for line in lines:
        table = line.strip() if line.startswith("[") else table
        if table not in tables:
            yield line


def format_term_toml(term: TermFile) -> str:
    """Return the file's text."""
    of_term: dict[str, OptionValue] = {
        "program": f"attnhand {version('attnhand')}",
        "recipe": RECIPE,
        "seed": term.seed,
    }
    title, sheets = format_plan(term.plan)
    options = format_toml_lines(dict(sorted(term.options.items())))
    return f"{HEADER_COMMENT}\n{title}\n[term]\n{format_toml_lines(of_term)}\n[options]\n{options}\n{sheets}"


def find_teacher_of_sheet(folder: str, read_code: Callable[[], str]) -> TeacherFolder:
    """Return the teacher's half of a class's folder; of a term's, that of the week that has a sheet.

    Args:
        read_code: tells the code of the sheet, or what is none; it is asked for a term alone.

    Raises:
        AttnhandError: it is no such folder, or no week of the term has the sheet.
    """
    term = TermFolder(Path(folder))
    if not term.has_term:
        return find_teacher_folder(folder)
    code = normalize_code(read_code())
    for week in term.list_weeks():
        teacher = term.get_teacher(week)
        if any(normalize_code(seat.code) == code for seat in teacher.read_seats() if seat.code):
            return teacher
    raise AttnhandError(
        f"{folder} has several weeks, and the code of a sheet that one of them has is needed: give it, or the folder "
        f"of a week, {term.find_week(1)}"
    )
