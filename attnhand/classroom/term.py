"""A term: a class set a week, all of them or none, with the same №, names and seeds in all weeks."""

import shutil
import tomllib
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from attnhand.classroom.class_file import OptionValue
from attnhand.classroom.class_request import ClassRequest, make_class_request
from attnhand.classroom.index import find_earlier_seeds
from attnhand.classroom.lesson_page import make_example, write_lesson
from attnhand.classroom.make_class import WrittenClass, make_class
from attnhand.classroom.map_page import MAP_FILE, write_map
from attnhand.classroom.set_folder import INDEX_FILE, LESSON_FILE, TEACHER_FOLDER, name_in_refusals
from attnhand.classroom.term_folder import DEFAULT_FOLDER, TERM_FILE, TermFile, TermFolder, format_term_toml
from attnhand.classroom.term_plan import TermPlan, load_plan
from attnhand.errors import AttnhandError, GenerationError, PageError, name_option
from attnhand.problems.request import draw_seed
from attnhand.problems.salt import draw_salt
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.option_table import CLASS_FILE_OPTIONS, list_options
from attnhand.sheet.order import SheetOrder, parse_options
from attnhand.sheet.sheet import Sheet
from attnhand.system.files import Targets, put_in_place
from attnhand.system.locks import hold_passing_folder
from attnhand.system.processes import ShowProgress, hide_progress

MAX_PASSES = 10
"""So often the weeks are made until everybody has one seed in all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTerm:
    """A term that was written."""

    first: ClassRequest
    """That of the first week that was made: how the roster was understood, and who joined or left."""

    folders: tuple[Path, ...]
    """Of the weeks that were made."""

    term_file: Path
    map_file: Path | None
    """The map of the whole model; None where the plan works no part of one."""

    titles: tuple[str, ...]
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TermRequest:
    """A term that is to be made, or of which some weeks are."""

    folder: TermFolder
    term: TermFile
    salt: str
    """Stretched; empty for open sheets."""

    weeks: range
    """Those that are made."""

    roster: str | None
    option_values: Mapping[str, Any]

    def request_week(self, week: int, out: Path, like: Path | None, *, is_first: bool) -> ClassRequest:
        """Return the class set of a week.

        Args:
            like: the class whose №s are kept.
            is_first: whether the roster says who is in it, and not that class.
        """
        nothing = {each.name: False if each.kind is bool else None for each in list_options("class")}
        of_class = {name: value for name, value in self.option_values.items() if name in nothing}
        values = {**nothing, **of_class, **self.term.list_options(week), "seed": self.term.seed}
        values |= {"salt": self.salt or None, "out": str(out), "like": str(like) if like else None}
        if not is_first:
            values |= {"count": None, "column": None, "withdraw": True}
        return make_class_request(self.roster if is_first else None, values)


def make_term_request(roster: str | None, option_values: Mapping[str, Any]) -> TermRequest:
    """Return the term that is to be made: what is asked for now, on top of the term that lies there.

    Raises:
        AttnhandError: plan or options make no term, or would change weeks that stay.
    """
    folder = TermFolder(Path(option_values["out"] or DEFAULT_FOLDER))
    folder.refuse_foreign_folder(force=option_values["force"])
    earlier = folder.read() if folder.has_term else None
    plan = earlier.plan if earlier and option_values["plan"] is None else load_plan(option_values["plan"])
    given = {name: option_values[name] for name in CLASS_FILE_OPTIONS if option_values.get(name)}
    options = {**(earlier.options if earlier else {}), **{name: _settle(value) for name, value in given.items()}}
    first = 1 if option_values["from_week"] is None else option_values["from_week"]
    term = TermFile(seed=_choose_seed(option_values["seed"], earlier, folder), options=options, plan=plan)
    option = name_option("from_week", first)
    if not 1 <= first <= len(plan.sheets):
        raise AttnhandError(f"{option} is not in the plan, which has {len(plan.sheets)} weeks: choose one of them")
    missing = [week for week in range(1, first) if week not in folder.list_weeks()]
    if missing:
        raise AttnhandError(f"{option} goes on from week {missing[0]}, which is not in {folder.root}: leave it out")
    if extra := [week for week in folder.list_weeks() if week > len(plan.sheets)]:
        raise AttnhandError(
            f"{folder.root} has a week {extra[0]} and {plan.source} has not: choose another {name_option('out')}"
        )
    if earlier:
        _refuse_other_weeks(earlier, term, first, folder)
    return TermRequest(
        folder=folder,
        term=term,
        salt=_choose_salt(options, option_values["salt"], folder),
        weeks=range(first, len(plan.sheets) + 1),
        roster=roster,
        option_values=option_values,
    )


def _settle(value: OptionValue) -> OptionValue:
    return str(value) if isinstance(value, str) else value


def _choose_seed(seed: int | None, earlier: TermFile | None, folder: TermFolder) -> int:
    if earlier is None:
        return draw_seed() if seed is None else seed
    if seed not in (None, earlier.seed):
        raise AttnhandError(
            f"{name_option('seed', seed)} would change the sheets of the term in {folder.root}: leave it out, "
            f"or choose another {name_option('out')}"
        )
    return earlier.seed


def _choose_salt(options: Mapping[str, OptionValue], given: str | None, folder: TermFolder) -> str:
    """Return the salt of all weeks: that of the weeks that are there, the one given, or one that is drawn."""
    salt = SheetOrder(salt=given).get_salt()
    if options.get("no_salt"):
        return salt  # which the class refuses beside it
    there = folder.list_weeks()
    earlier = folder.get_teacher(there[0]).read_class_file().salt if there else ""
    if earlier and salt not in ("", earlier):
        raise AttnhandError(
            f"{name_option('salt')} would change the sheets of the term in {folder.root}: leave it out, "
            f"or choose another {name_option('out')}"
        )
    return earlier or salt or draw_salt()


def _refuse_other_weeks(earlier: TermFile, term: TermFile, first: int, folder: TermFolder) -> None:
    """Refuse a plan that has another sheet in a week that was made: it may have been handed out."""
    for week in range(1, min(len(earlier.plan.sheets), len(term.plan.sheets)) + 1):
        before, now = earlier.plan.list_options(week), term.plan.list_options(week)
        changed = sorted(name for name in before.keys() | now.keys() if before.get(name) != now.get(name))
        fixed = [name for name in changed if CLASS_FILE_OPTIONS[name].in_class_file == "fixed"]
        if (changed and week < first) or fixed:
            raise AttnhandError(
                f"{term.plan.source}, sheet {week}: {(fixed or changed)[0]} is another than week {week} was made with "
                f"in {folder.root}: say what it was, or choose another {name_option('out')}"
            )


def preview_term(request: TermRequest) -> ClassRequest:
    """Return the class of the first week that would be made: who would join, leave or change."""
    week, known = request.weeks[0], request.folder.list_weeks()
    like = request.folder.find_week(known[-1]) if known and known[-1] != week else None
    return request.request_week(week, request.folder.find_week(week), like, is_first=True)


def make_term(request: TermRequest, show_progress: ShowProgress = hide_progress) -> WrittenTerm:
    """Make the weeks of a term and write their files, all of them or none.

    Raises:
        AttnhandError: a week cannot be made, or not be written.
    """
    root = request.folder.root
    is_new = not root.exists()
    advice = f"wait until it has ended, or choose another {name_option('out')}"
    try:
        root.mkdir(parents=True, exist_ok=True)
        with hold_passing_folder(root, advice) as passing:
            return _TermMaker(request, passing, show_progress).make()
    except OSError as error:
        reason = error.strerror or str(error)
        raise AttnhandError(f"{root} cannot be written ({reason}): choose another {name_option('out')}") from error
    finally:
        if is_new:
            with suppress(OSError):  # there is something in it
                root.rmdir()


class _TermMaker:
    """Makes the weeks in a passing folder, and puts them in place when all are whole."""

    def __init__(self, request: TermRequest, passing: Path, show_progress: ShowProgress) -> None:
        self.request, self.folder, self.show_progress = request, request.folder, show_progress
        self.passing = TermFolder(passing)
        self.targets = Targets()
        self.class_requests: dict[int, ClassRequest] = {}
        self.written: dict[int, WrittenClass] = {}
        self.examples: dict[int, list[Sheet]] = {}
        self.seeds = _read_seeds(request)

    def make(self) -> WrittenTerm:
        for path in self._list_files(self.folder):
            self.targets.watch(path)
        self.targets.watch(self.folder.root / TERM_FILE)
        for _ in range(MAX_PASSES):
            stale = [week for week in self.request.weeks if not self._is_current(week)]
            for week in stale:
                with self._name_week(week):
                    self._make_week(week)
            if not stale:
                break
        else:
            raise GenerationError("not everybody can have one seed in all weeks: choose larger sizes")
        for week in self.request.weeks:
            self._write_lesson(week)
        has_map = self._write_map()
        (self.passing.root / TERM_FILE).write_text(format_term_toml(self.request.term), encoding="utf-8")
        moves = self._list_moves()
        for _, path in moves:
            path.parent.mkdir(parents=True, exist_ok=True)
        put_in_place(moves, self.targets)
        first = self.class_requests[self.request.weeks[0]]
        return WrittenTerm(
            first=first,
            folders=tuple(map(self.folder.find_week, self.request.weeks)),
            term_file=self.folder.root / TERM_FILE,
            map_file=self.folder.root / MAP_FILE if has_map else None,
            titles=tuple(self.written[week].title for week in self.request.weeks),
            warnings=tuple(dict.fromkeys(each for made in self.written.values() for each in made.warnings)),
        )

    def _is_current(self, week: int) -> bool:
        """Say whether a week is made, from the seeds that everybody has now."""
        made = self.written.get(week)
        return made is not None and all(self.seeds[seat.number] == seat.seed for seat in made.seats)

    def _name_week(self, week: int) -> AbstractContextManager[None]:
        return _rename_in_refusals(self.request.term.plan, week, self.passing.root, self.folder.root)

    def _make_week(self, week: int) -> None:
        out, there = self.passing.find_week(week), self.folder.find_week(week)
        shutil.rmtree(out, ignore_errors=True)
        if there.is_dir():
            shutil.copytree(there, out)
        if week not in self.class_requests:
            first = self.request.weeks[0]
            known = self.folder.list_weeks()
            like = self.passing.find_week(first) if week != first else None
            if week == first and known:
                like = self.folder.find_week(known[-1])
            is_first = week == first
            self.class_requests[week] = self.request.request_week(week, out, like, is_first=is_first)
        class_request = self.class_requests[week]
        plan = class_request.plan
        seats = tuple(replace(seat, seed=self.seeds.get(seat.number, seat.seed)) for seat in plan.seats)
        class_request = replace(class_request, plan=replace(plan, seats=seats))
        self.written[week] = make_class(class_request, self.show_progress)
        self.seeds.update({seat.number: seat.seed for seat in self.written[week].seats})

    def _write_lesson(self, week: int) -> None:
        path = self.passing.find_week(week) / TEACHER_FOLDER / LESSON_FILE
        self.targets.add(
            [self.folder.find_week(week) / TEACHER_FOLDER / LESSON_FILE],
            force=self.request.option_values["force"],
            advice="move it elsewhere",
        )
        plan = self.request.term.plan
        planned = plan.sheets[week - 1]
        with path.open("w+b") as out, self._name_week(week):
            write_lesson(
                self._make_examples(week),
                [self._make_examples(before)[0] for before in range(1, week)],
                out,
                term_title=plan.title,
                week=week,
                week_count=len(plan.sheets),
                say=planned.say,
                board=planned.board,
            )

    def _write_map(self) -> bool:
        """Write the map of the whole model, where the plan works one part by part; say whether it does."""
        weeks = range(1, len(self.request.term.plan.sheets) + 1)
        week = next((week for week in weeks if "part" in self.request.term.list_options(week)), None)
        if week is None:
            return False
        self.targets.add(
            [self.folder.root / MAP_FILE], force=self.request.option_values["force"], advice="move it elsewhere"
        )
        with (self.passing.root / MAP_FILE).open("w+b") as out, self._name_week(week):
            write_map(self._make_examples(week)[0], out)
        return True

    def _make_examples(self, week: int) -> list[Sheet]:
        """Return the teacher's example of a week; one of each part that is dealt in turn.

        Carried sheets have its numbers in common too.
        """
        if week not in self.examples:
            term = self.request.term
            order, page = parse_options({**term.list_options(week), "salt": self.request.salt or None})

            def make_sheet(order: SheetOrder, seed: int) -> Sheet:
                words = () if order.has_embedding else order.check_words()
                request, title = order.make_request(seed), order.title or ""
                return make_sheet_from_request(request, page, salt=self.request.salt, words=words, title=title)

            self.examples[week] = [make_example(partial(make_sheet, each), term.seed) for each in order.deal_parts()]
        return self.examples[week]

    def _list_files(self, folder: TermFolder) -> list[Path]:
        """Return the files of the weeks that are made, as far as they are there."""
        weeks = [folder.find_week(week) for week in self.request.weeks]
        return [path for week in weeks if week.is_dir() for path in sorted(week.rglob("*")) if path.is_file()]

    def _list_moves(self) -> list[tuple[Path, Path]]:
        """Return what goes where: the term's own file first, so that the same command goes on whatever happens then;
        next indexes, so that nobody's № is given again; new weeks as whole folders.
        """
        moves = []
        for week in self.request.weeks:
            made, there = self.passing.find_week(week), self.folder.find_week(week)
            if not there.exists():
                moves.append((made, there))
                continue
            for path in sorted(made.rglob("*")):
                target = there / path.relative_to(made)
                if path.is_file() and not (target.is_file() and target.read_bytes() == path.read_bytes()):
                    moves.append((path, target))
        moves.sort(key=lambda move: (move[1].name != INDEX_FILE, move))
        made, there = self.passing.root / MAP_FILE, self.folder.root / MAP_FILE
        if made.is_file() and not (there.is_file() and there.read_bytes() == made.read_bytes()):
            moves.append((made, there))
        made, there = self.passing.root / TERM_FILE, self.folder.root / TERM_FILE
        if there.is_file() and _read_toml(there) == _read_toml(made):  # somebody's comments in it stay
            return moves
        return [(made, there), *moves]


def _read_toml(path: Path) -> object:
    return tomllib.loads(path.read_text(encoding="utf-8"))


def _read_seeds(request: TermRequest) -> dict[int, int]:
    """Return the seeds that people have, by №: those of the weeks that stay come before all others."""
    seeds: dict[int, int] = {}
    weeks = request.folder.list_weeks()
    for week in sorted(weeks, key=lambda week: (week in request.weeks, week)):
        teacher = request.folder.get_teacher(week)
        order, _ = parse_options(teacher.read_class_file().options)
        with name_in_refusals(teacher.index_path):
            seats = find_earlier_seeds(teacher.read_seats(), order.check_words(), order.load_story())
        for seat in seats:
            seeds.setdefault(seat.number, seat.seed)
    return seeds


@contextmanager
def _rename_in_refusals(plan: TermPlan, week: int, passing: Path, root: Path) -> Iterator[None]:
    """Have refusals name the folder that is meant, and where no good sheet is found the plan and its sheet."""
    try:
        yield
    except (GenerationError, PageError):
        with plan.name_in_refusals(week):
            raise
    except AttnhandError as error:
        if str(passing) not in str(error):
            raise
        raise AttnhandError(str(error).replace(str(passing), str(root))) from error
