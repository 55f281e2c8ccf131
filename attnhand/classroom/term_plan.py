"""The plan of a term: a list of sheets, each an ordinary set of options, read from TOML; some come with the program."""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from attnhand.classroom.class_file import OptionValue, format_toml_lines
from attnhand.errors import AttnhandError, list_choices, name_option
from attnhand.problems.carrying import make_plain, write_form
from attnhand.sheet.option_table import CLASS_FILE_OPTIONS, Option, Panel
from attnhand.sheet.order import parse_options
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.system.files import read_file
from attnhand.system.json_toml import MAX_TEXT_BYTES, read_data

PLAN_DIR = Path(__file__).parent / "plans"

MAX_WEEKS = 40

OPTIONS: Mapping[str, Option] = {
    name: option
    for name, option in CLASS_FILE_OPTIONS.items()
    if option.panel in (Panel.SHEET, Panel.PAGE) and name != "carry"
}
"""What a sheet of a plan may say, as class.toml does: of a class itself the whole term has one."""

SHARED_OPTIONS = (
    *("level", "tokens", "features", "d_k", "d_v", "hidden", "allow_ties", "words", "rules", "scale", "base"),
    "decimals",
)
"""What sheets that are cut of one problem have in common: said of one it is said of all."""

OWN_KEYS = ("carry", "say", "board")


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedSheet:
    """One week of a plan."""

    options: Mapping[str, OptionValue]
    is_carried: bool = False
    """Whether it is cut of the problem that all such sheets of the plan share."""

    say: str = ""
    board: str = ""
    """What the teacher is to say, and to write on the board, in the words of the plan."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TermPlan:
    """The sheets of a term, a week each."""

    source: str
    """What messages call it."""

    title: str = ""
    sheets: tuple[PlannedSheet, ...]

    def list_options(self, week: int) -> dict[str, OptionValue]:
        """Return the options of a week's sheet, with those that carried sheets have in common."""
        sheet = self.sheets[week - 1]
        if not sheet.is_carried:
            return dict(sheet.options)
        carried = [each for each in self.sheets if each.is_carried]
        shared = {name: value for each in carried for name, value in each.options.items() if name in SHARED_OPTIONS}
        forms = []
        for each in carried:
            order, _ = parse_options({**each.options, **shared})
            forms.append(write_form(make_plain(order.make_variant(order.check_words()))))
        return {**sheet.options, **shared, "carry": ",".join(dict.fromkeys(forms))}

    @contextmanager
    def name_in_refusals(self, week: int) -> Iterator[None]:
        """Have refusals begin with the plan and the number of its sheet, and spell options as it does."""
        try:
            yield
        except AttnhandError as error:
            raise AttnhandError(f"{self.source}, sheet {week}: {_spell_for_plan(str(error))}") from error


def _spell_for_plan(message: str) -> str:
    """Return a message with the options that it names as a plan says them.

    >>> _spell_for_plan('leave out `d_k=9` or `causal=True`, not `words=`')
    'leave out d_k = 9 or causal = true, not words'
    """

    def spell(named: re.Match[str]) -> str:
        value = {"True": "true", "False": "false"}.get(named[2], named[2])
        return f"{named[1]} = {value}" if value else named[1]

    return re.sub(r'`([a-z_]+)=("(?:[^"\\]|\\.)*"|[^`"]*)`', spell, message)


def list_plan_names() -> list[str]:
    """Return the names of the plans that come with the program."""
    return sorted(path.stem for path in PLAN_DIR.glob("*.toml"))


def load_plan(name: str | None) -> TermPlan:
    """Return a plan that comes with the program, by its name, or somebody's own, by its file.

    Raises:
        AttnhandError: there is none, or it makes no term.
    """
    names = list_plan_names()
    option, example = name_option("plan"), f"{list_choices(names)}, or a TOML file of your own"
    if name is None:
        raise AttnhandError(f"what the weeks are: give {option}, {example}")
    if name in names:
        return read_plan((PLAN_DIR / f"{name}.toml").read_bytes(), f"the plan {name}")
    if not Path(name).suffix and not Path(name).exists():
        meant = find_nearest_name(name, names)
        raise AttnhandError(f"there is no plan {name!r}: {f'did you mean {meant}?' if meant else f'use {example}'}")
    data = read_file(Path(name), MAX_TEXT_BYTES, kind="plan", advice=f"use {example}")
    return read_plan(data, name)


def read_plan(data: bytes, source: str) -> TermPlan:
    """Read a plan, and see that a sheet can be asked for in every week.

    Raises:
        AttnhandError: it is no TOML, says what no plan can, or two things contradict each other.
    """
    try:
        plan = read_data(data, "toml")
    except AttnhandError as error:
        raise AttnhandError(f"{source} is no plan: {error}") from error
    assert isinstance(plan, dict)
    if unknown := [name for name in plan if name not in ("title", "sheets")]:
        raise AttnhandError(f"{source} says {unknown[0]!r}, which no plan does: write title and [[sheets]]")
    title, sheets = plan.get("title", ""), plan.get("sheets")
    if not isinstance(title, str):
        raise AttnhandError(f"{source} has a title that is no text: write it in quotes")
    if not (isinstance(sheets, list) and sheets and all(isinstance(each, dict) for each in sheets)):
        raise AttnhandError(f"{source} has no sheets: write a table [[sheets]] for every week")
    if len(sheets) > MAX_WEEKS:
        raise AttnhandError(f"{source} has {len(sheets)} sheets: a term has {MAX_WEEKS} weeks at most")
    read = tuple(_read_sheet(sheet, f"{source}, sheet {week}") for week, sheet in enumerate(sheets, 1))
    made = TermPlan(source=source, title=title, sheets=read)
    _refuse_other_shares(made)
    for week in range(1, len(read) + 1):
        with made.name_in_refusals(week):
            order, _ = parse_options(made.list_options(week))
            for each in order.deal_parts():
                each.make_request(0)
    return made


def _read_sheet(table: Mapping[str, Any], name: str) -> PlannedSheet:
    options = {}
    for key, value in table.items():
        if key in OWN_KEYS:
            kind = bool if key == "carry" else str
            if type(value) is not kind:
                wanted = "true or false" if kind is bool else "a text in quotes"
                raise AttnhandError(f"{name} says {key} = {_show(value)}: write {wanted}")
        elif (option := OPTIONS.get(key)) is None:
            raise AttnhandError(f"{name} says {key!r}, which is no option of a sheet: {_advise(key)}")
        else:
            options[key] = _read_value(option, value, name)
    options = {key: value for key, value in options.items() if value is not False}
    own = {key: table[key] for key in ("say", "board") if key in table}
    return PlannedSheet(options=options, is_carried=table.get("carry", False), **own)


def _advise(key: str) -> str:
    if key in CLASS_FILE_OPTIONS:
        return "give it to the command, for all weeks"
    if meant := find_nearest_name(key.replace("-", "_"), (*OPTIONS, *OWN_KEYS)):
        return f"did you mean {meant}?"
    return "attnhand generate --help all lists them, with _ where they have -"


def _read_value(option: Option, value: Any, name: str) -> OptionValue:
    """Return a value as a class file keeps it; a list is written as the terminal has it."""
    if option.kind is str and isinstance(value, list) and value:
        value = (" " if option.name == "words" else ",").join(map(str, value))
    elif option.kind is str and type(value) is int:
        value = str(value)
    if type(value) is not option.kind:
        wanted = {bool: "true or false", int: f"a whole number, {option.example}", str: f'"{option.example}"'}
        raise AttnhandError(f"{name} says {option.name} = {_show(value)}: write {wanted[option.kind]}")
    if option.choices and value not in option.choices:
        raise AttnhandError(f"{name} says {option.name} = {_show(value)}: use {list_choices(option.choices)}")
    return value


def _show(value: object) -> str:
    plain = str(value).lower() if isinstance(value, bool) else f'"{value}"' if isinstance(value, str) else str(value)
    return plain if len(plain) <= 40 else plain[:40] + "…"


def _refuse_other_shares(plan: TermPlan) -> None:
    """Refuse carried sheets that contradict each other."""
    said: dict[str, tuple[int, OptionValue]] = {}
    for week, sheet in enumerate(plan.sheets, 1):
        for name, value in sheet.options.items() if sheet.is_carried else ():
            first, other = said.setdefault(name, (week, value)) if name in SHARED_OPTIONS else (week, value)
            if other != value:
                raise AttnhandError(
                    f"{plan.source}, sheet {week}: {name} = {_show(value)}, and sheet {first}, which is carried too, "
                    f"says {_show(other)}: sheets of one problem have one {name}"
                )


def format_plan(plan: TermPlan) -> tuple[str, str]:
    """Return a plan as TOML: its title, and its sheets, behind other tables where there are any."""
    tables: Sequence[Mapping[str, OptionValue]] = [
        {
            **sheet.options,
            **({"carry": True} if sheet.is_carried else {}),
            **{name: text for name, text in (("say", sheet.say), ("board", sheet.board)) if text},
        }
        for sheet in plan.sheets
    ]
    title = format_toml_lines({"title": plan.title}) if plan.title else ""
    return title, "\n".join(f"[[sheets]]\n{format_toml_lines(table)}" for table in tables)
