"""What ``--help`` shows: what a command does, examples to copy, and its options in groups, each with an example."""

import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from typer.core import TyperCommand, TyperGroup

from attnhand.cli.commands import COMMANDS
from attnhand.cli.look import measure_terminal
from attnhand.cli.options import PlainValues
from attnhand.sheet.option_table import COMMAND_OPTIONS, Option, Panel, list_options

MAX_WIDTH = 100
"""Columns: longer lines are hard to read."""

NAME_COLUMN_WIDTH = 24
"""Columns of an option and its value; what is longer stands on a line of its own."""

WHOLE_HELP = "all"
"""What is typed after --help to see every option."""

EXAMPLES: dict[tuple[str, str], str] = {
    ("generate", Panel.SHEET): "attnhand generate --mechanism multi-head --level warm-up",
    ("generate", Panel.PAGE): "attnhand generate --seed 7 --html --self-check --blank",
    ("generate", Panel.FILES): "attnhand generate --seed 7 --pdf --json --out monday/",
    ("solve", Panel.SHEET): "attnhand solve my.json --convention rows --rules exact",
    ("solve", Panel.PAGE): "attnhand solve my.json --pdf --large-print",
    ("solve", Panel.FILES): "attnhand solve my.json --csv --blank --out -",
    ("key", Panel.SHEET): 'attnhand key A1Q0-0000-000W --words "the cat saw it"',
    ("key", Panel.PAGE): "attnhand key 7 --pdf --paper letter",
    ("key", Panel.FILES): "attnhand key 7 --solved --out key.pdf",
    ("explain", Panel.SHEET): 'attnhand explain A1Q0-0000-000W A23 --words "the cat saw it"',
    ("explain", Panel.PAGE): "attnhand explain 7 A23 --language en",
    ("class", Panel.CLASS): "attnhand class roster.csv --spare 3 --sort name",
    ("class", Panel.SHEET): 'attnhand class roster.csv --words "the cat saw the dog" --embed',
    ("class", Panel.PAGE): 'attnhand class roster.csv --paper letter --title "Week 3"',
    ("term", Panel.CLASS): "attnhand term roster.csv --plan attention --spare 3 --sort name",
    ("term", Panel.SHEET): "attnhand term roster.csv --plan attention --seed 7",
    ("term", Panel.PAGE): "attnhand term roster.csv --plan attention --paper letter --language en",
    ("check", Panel.SHEET): 'attnhand check sara.csv --salt "tin otter waltz jam"',
    ("check", Panel.PAGE): "attnhand check sara.json --report sara.pdf --paper letter",
    ("grade", Panel.SHEET): 'attnhand grade answers/ --salt "tin otter waltz jam"',
    ("grade", Panel.PAGE): "attnhand grade answers/ --language en",
    ("practice", Panel.SHEET): 'attnhand practice 7 --words "the cat saw it"',
    ("practice", Panel.PAGE): "attnhand practice 7 --language en",
}
"""By command and group of options, a command line to copy."""


class HelpPage:
    """The help of a command, or of the program itself."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        formatter.write("\n".join(_format_page(self, ctx, is_whole=ctx.find_root().obj == WHOLE_HELP)))


class HelpCommand(PlainValues, HelpPage, TyperCommand):
    """A command whose help reads like a page."""


class _HelpStyle:
    """Columns and colours."""

    def __init__(self) -> None:
        columns, self.colour = measure_terminal()
        self.width = min(columns, MAX_WIDTH)

    def _paint(self, text: str, colour_code: str) -> str:
        return f"\x1b[{colour_code}m{text}\x1b[0m" if self.colour else text

    def format_heading(self, title: str) -> str:
        return self._paint(f"─ {title} " + "─" * (self.width - len(title) - 3), "1")

    def format_example(self, line: str) -> Iterator[str]:
        for part in textwrap.wrap(line, self.width - 4, subsequent_indent="  ", break_on_hyphens=False):
            yield "  " + part

    def wrap_text(self, text: str, indent: int = 2) -> list[str]:
        blanks = " " * indent
        return textwrap.wrap(text, self.width, initial_indent=blanks, subsequent_indent=blanks, break_on_hyphens=False)

    def format_entry(self, name: str, description: str, name_width: int = NAME_COLUMN_WIDTH) -> Iterator[str]:
        """Write a name on the left and what it is on the right."""
        lines = self.wrap_text(description, name_width + 2)
        painted_name = "  " + self._paint(name, "1")
        fits = len(name) < name_width - 1 and lines
        yield painted_name + (lines.pop(0)[len(name) + 2 :] if fits else "")
        yield from lines


def _format_page(command: Any, context: Any, *, is_whole: bool) -> Iterator[str]:
    style = _HelpStyle()
    yield from _format_introduction(command, context, style)
    groups: dict[str, list[Any]] = {}
    left_out = [] if is_whole else [each.flag for each in _list_left_out(str(command.name))]
    for param in command.get_params(context):
        if not getattr(param, "hidden", False) and not set(param.opts) & set(left_out):
            default_title = "Arguments" if _is_argument(param) else Panel.OWN
            groups.setdefault(getattr(param, "rich_help_panel", None) or default_title, []).append(param)
    if isinstance(command, TyperGroup):
        yield from ("", style.format_heading("Commands"))
        for name, listed in COMMANDS.items():
            yield from style.format_entry(name, _list_paragraphs(listed.__doc__)[0], name_width=11)
    # a command's own options come before those it shares; where it has none but --help, that is the last
    for title in sorted(
        groups, key=lambda title: (title != "Arguments", (title == Panel.OWN) is (len(groups[title]) == 1))
    ):
        yield from ("", style.format_heading(title))
        if example := EXAMPLES.get((str(command.name), title)):
            yield from (*style.format_example(example), "")
        for param in groups[title]:
            yield from style.format_entry(_format_name(param), param.help or "")
    if left_out:
        yield from ("", style.format_heading(f"More, with {context.command_path} --help {WHOLE_HELP}"))
        yield from style.wrap_text(", ".join(left_out))
    if command.epilog:
        yield from ("", *style.wrap_text(command.epilog, 0))


def _list_left_out(command_name: str) -> list[Option]:
    """Return the options that the short help of a command names without describing them."""
    options = list_options(command_name) if command_name in COMMAND_OPTIONS else ()
    return [each for each in options if each.is_in_help(command_name) and not each.is_in_short_help(command_name)]


def _format_introduction(command: Any, context: Any, style: _HelpStyle) -> Iterator[str]:
    names = [(_format_name(param), param.required) for param in command.get_params(context) if _is_argument(param)]
    arguments = [name if is_required else f"[{name}]" for name, is_required in names]
    more = ["COMMAND …"] if isinstance(command, TyperGroup) else []
    yield " ".join(["Usage:", context.command_path, *more, *arguments, "[OPTIONS]"])
    was_example = False
    for paragraph in _list_paragraphs(command.help):
        is_example = paragraph.startswith("attnhand ")
        if not (is_example and was_example):
            yield ""
        yield from style.format_example(paragraph) if is_example else style.wrap_text(paragraph)
        was_example = is_example


def _list_paragraphs(text: str | None) -> list[str]:
    return [paragraph.replace("\n", " ") for paragraph in inspect.cleandoc(text or "").split("\n\n")]


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _format_name(param: Any) -> str:
    """Return how a parameter is written: --out PATH, -h, --help, SOURCE."""
    if _is_argument(param):
        return str(param.metavar or param.name).upper()
    names = ", ".join(sorted(param.opts, key=len))
    return f"{names} {param.metavar}" if param.metavar else names
