"""What ``--help`` shows: what a command does, examples to copy, and its options in groups, each with an example."""

import inspect
import textwrap
from collections.abc import Iterator
from typing import Any

from typer.core import TyperCommand, TyperGroup

from attnhand.cli.look import terminal_look
from attnhand.cli.options import CLASS, FILES, PAGE, WHAT

WIDEST = 100
"""Columns: longer lines are hard to read."""

LEFT = 24
"""Columns of an option and its value; what is longer stands on a line of its own."""

TEAL = "38;5;30"
"""An ink that can be read on black and on white; the usual cyan cannot."""

EXAMPLES: dict[tuple[str, str], str] = {
    ("generate", WHAT): "attnhand generate --mechanism multi-head --level warm-up",
    ("generate", PAGE): "attnhand generate --seed 7 --html --self-check --blank",
    ("generate", FILES): "attnhand generate --seed 7 --pdf --json --out monday/",
    ("solve", WHAT): "attnhand solve my.json --convention rows --rules exact",
    ("solve", PAGE): "attnhand solve my.json --pdf --large-print",
    ("solve", FILES): "attnhand solve my.json --csv --blank --out -",
    ("key", WHAT): "attnhand key 7 --level challenge",
    ("key", PAGE): "attnhand key 7 --pdf --paper letter",
    ("key", FILES): "attnhand key 7 --solved --out key.pdf",
    ("explain", WHAT): "attnhand explain 7 A23 --rules exact",
    ("class", CLASS): "attnhand class roster.csv --spare 3 --sort name",
    ("class", WHAT): 'attnhand class roster.csv --words "the cat saw the dog" --embed',
    ("class", PAGE): 'attnhand class roster.csv --paper letter --title "Week 3"',
    ("check", WHAT): "attnhand check sara.csv --against 7 --level challenge",
    ("check", PAGE): "attnhand check sara.json --report sara.pdf --paper letter",
    ("grade", WHAT): 'attnhand grade answers/ --salt "our secret"',
    ("practice", WHAT): "attnhand practice 7 --level warm-up --tokens 3",
}
"""By command and group of options, a command line to copy."""


class HelpCommand(TyperCommand):
    """A command whose help reads like a page."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        formatter.write("\n".join(_page(self, ctx)))


class HelpGroup(TyperGroup):
    """The program itself, whose help names the commands."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        """Write the page."""
        formatter.write("\n".join(_page(self, ctx)))


class _Look:
    """Columns and colours."""

    def __init__(self) -> None:
        columns, self.colour = terminal_look()
        self.width = min(columns, WIDEST)

    def _painted(self, text: str, code: str) -> str:
        return f"\x1b[{code}m{text}\x1b[0m" if self.colour else text

    def heading(self, title: str) -> str:
        return self._painted(f"─ {title} " + "─" * (self.width - len(title) - 3), "1")

    def example(self, line: str) -> Iterator[str]:
        for part in textwrap.wrap(line, self.width - 4, subsequent_indent="  ", break_on_hyphens=False):
            yield "  " + self._painted(part, TEAL)

    def wrapped(self, text: str, indent: int = 2) -> list[str]:
        blanks = " " * indent
        return textwrap.wrap(text, self.width, initial_indent=blanks, subsequent_indent=blanks, break_on_hyphens=False)

    def entry(self, name: str, told: str, left: int = LEFT) -> Iterator[str]:
        """Write a name on the left and what it is on the right."""
        lines = self.wrapped(told, left + 2)
        shown = "  " + self._painted(name, f"1;{TEAL}")
        if len(name) < left - 1 and lines:
            yield shown + lines.pop(0)[len(name) + 2 :]
        else:
            yield shown
        yield from lines


def _page(command: Any, context: Any) -> Iterator[str]:
    look = _Look()
    yield from _introduction(command, context, look)
    groups: dict[str, list[Any]] = {}
    for param in command.get_params(context):
        if not getattr(param, "hidden", False):
            usual = "Arguments" if _is_argument(param) else "Options"
            groups.setdefault(getattr(param, "rich_help_panel", None) or usual, []).append(param)
    if isinstance(command, TyperGroup):
        yield from ("", look.heading("Commands"))
        for name in command.list_commands(context):
            made = command.get_command(context, name)
            yield from look.entry(name, _paragraphs(made)[0] if made else "", left=11)
    # a command's own options come before those it shares; where it has none but --help, that is the last
    for title in sorted(
        groups, key=lambda title: (title != "Arguments", (title == "Options") is (len(groups[title]) == 1))
    ):
        yield from ("", look.heading(title))
        if example := EXAMPLES.get((str(command.name), title)):
            yield from (*look.example(example), "")
        for param in groups[title]:
            yield from look.entry(_name(param), param.help or "")
    if command.epilog:
        yield from ("", *look.wrapped(command.epilog, 0))


def _introduction(command: Any, context: Any, look: _Look) -> Iterator[str]:
    arguments = [_usage(param) for param in command.get_params(context) if _is_argument(param)]
    more = ["COMMAND …"] if isinstance(command, TyperGroup) else []
    yield " ".join(["Usage:", context.command_path, *more, *arguments, "[OPTIONS]"])
    was_example = False
    for paragraph in _paragraphs(command):
        is_example = paragraph.startswith("attnhand ")
        if not (is_example and was_example):
            yield ""
        yield from look.example(paragraph) if is_example else look.wrapped(paragraph)
        was_example = is_example


def _paragraphs(command: Any) -> list[str]:
    return [paragraph.replace("\n", " ") for paragraph in inspect.cleandoc(command.help or "").split("\n\n")]


def _is_argument(param: Any) -> bool:
    return bool(param.param_type_name == "argument")


def _usage(param: Any) -> str:
    return _name(param) if param.required else f"[{_name(param)}]"


def _name(param: Any) -> str:
    """Return how a parameter is written: --out PATH, -h, --help, SOURCE."""
    if _is_argument(param):
        return str(param.metavar or param.name).upper()
    names = ", ".join(sorted(param.opts, key=len))
    return f"{names} {param.metavar}" if param.metavar else names
