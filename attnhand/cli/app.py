"""The program: its commands, its greeting, and what becomes of errors.

Exit codes: 0 fine; 1 ``check``: not everything is correct; 2 a mistake of the user's; 3 a missing system library;
70 a bug; 130 Ctrl-C.
"""

import errno
import io
import re
import sys
import traceback
from functools import cache
from itertools import pairwise
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from attnhand.cli.commands import COMMANDS
from attnhand.cli.help_page import WHOLE_HELP, HelpCommand, HelpPage
from attnhand.cli.options import PlainValues, add_options
from attnhand.errors import AttnhandError, MissingLibraryError, list_choices, shorten, shorten_quotes
from attnhand.sheet.option_table import find_option, spell_for_terminal
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.system.streams import drop_stdout, write_note


def describe_usage_error(error: Any) -> str:
    """Return what to say of an error that typer found in the command line."""
    context = getattr(error, "ctx", None)
    line = context.command_path if context else "attnhand"
    help_hint = f"look at {line} --help"
    message = str(error.format_message()).rstrip(".")
    kind = type(error).__name__
    if kind == "NoSuchOption":
        return _describe_unknown_option(str(error.option_name), context, help_hint)
    if kind == "MissingParameter" and context is not None and error.param is not None:
        return _describe_missing_argument(error.param, context, help_hint)
    if kind == "BadParameter" and error.param is not None:
        return _describe_wrong_value(error.param, str(error.message), line)
    if kind == "BadOptionUsage":
        name = str(error.option_name)
        needs_value = f"{name} needs a value after it: write one, or leave {name} out"
        return needs_value if "requires" in message else f"{name} takes no value: leave out what stands after its ="
    if unknown := re.fullmatch(r"No such command '(.*)'", message, re.DOTALL):
        return _describe_unknown_command(unknown[1], context, help_hint)
    if extra := re.fullmatch(r"Got unexpected extra argument\(s\) \((.*)\)", message, re.DOTALL):
        return _describe_extra_argument(extra[1], context, help_hint)
    return f"{message[:1].lower()}{message[1:]}: {help_hint}"


def _describe_unknown_option(name: str, context: Any, help_hint: str) -> str:
    if context is None or context.parent is None:
        advice = "write the command first, as in attnhand generate --pdf"
        return f"there is no option {shorten(name)!r} before a command: {advice}"
    known = [opt for param in context.command.get_params(context) for opt in param.opts]
    by_letters = {opt.strip("-"): opt for opt in known if opt.startswith("--")}
    meant = find_nearest_name(name.strip("-"), by_letters)
    return f"there is no option {shorten(name)!r}: {f'did you mean {by_letters[meant]}?' if meant else help_hint}"


def _describe_unknown_command(name: str, context: Any, help_hint: str) -> str:
    commands = context.command.list_commands(context)
    meant = "--help" if name == "help" else find_nearest_name(name, commands)
    if meant is None:
        meant = f"key {name}" if name.isdigit() else f"solve {name}" if "." in name else None
    listed = f"use {list_choices(commands)}; {help_hint}"
    return f"there is no command {shorten(name)!r}: {f'did you mean attnhand {meant}?' if meant else listed}"


def _describe_missing_argument(param: Any, context: Any, help_hint: str) -> str:
    """Say what is missing, with the first example of the command's help."""
    name = str(param.metavar or param.name).upper()
    examples = [text for text in (context.command.help or "").split("\n\n") if text.strip().startswith("attnhand ")]
    how = f"type, say, {examples[0].strip()}; {help_hint}" if examples else help_hint
    return f"{context.command.name} needs {name}: {how}"


def _describe_wrong_value(param: Any, message: str, command_path: str) -> str:
    """Say what a value should be: one of the choices, or a whole number."""
    name = max(param.opts, key=len) if param.param_type_name == "option" else str(param.metavar or param.name).upper()
    if choice := re.fullmatch(r"(?:Value error, )?(.*) is not one of (.*)", message.rstrip("."), re.DOTALL):
        typed, choices = choice[1].strip("'\""), re.findall(r"'([^']*)'", choice[2])
        meant = find_nearest_name(typed, choices)
        advice = f"did you mean {meant}?" if meant else f"use {list_choices(choices)}"
        return f"{name} {shorten(typed)!r} is unknown: {advice}"
    if "integer" in message:
        return f"{name} wants a whole number: write it in digits, such as {name} {find_option(param.name).example}"
    return f"{name} cannot be read: {message[:1].lower()}{message[1:].rstrip('.')}; look at {command_path} --help"


def _describe_extra_argument(extra: str, context: Any, help_hint: str) -> str:
    first, command = extra.split(" ")[0], context.command.name
    if command == "generate" and first.isdigit():
        advice = f"to name a seed, type attnhand generate --seed {first}"
    elif command == "generate" and ("." in first or "/" in first):
        advice = f"for matrices of your own, type attnhand solve {first}"
    elif command != "generate":
        advice = f"leave it out, or put quotes around what belongs together; {help_hint}"
    else:
        advice = f'put quotes around words that belong together, as in --words "the cat saw"; {help_hint}'
    return f"{shorten(extra)!r} is left over: {advice}"


USER_ERROR, MISSING_LIBRARY, BUG, INTERRUPTED = 2, 3, 70, 130

MACHINE_ERRORS = (errno.ENAMETOOLONG, errno.ELOOP, errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EIO)
"""What the machine may refuse anywhere; other errors of the system are bugs."""

GREETING = """attnhand makes attention-by-hand worksheets, and the key to each.

  attnhand generate                    a sheet, here on the screen
  attnhand generate --seed 7 --solved  its key: by hand, and exactly
  attnhand generate --seed 7 --pdf     both on paper, the sheet and its key
  attnhand solve my.json --pdf         your own matrices
  attnhand explain 7 S23               how one cell comes about
  attnhand practice 7                  work it here, with hints
  attnhand check sara.pdf              mark what somebody handed in
  attnhand class roster.csv            a sheet of their own for everyone
  attnhand grade answers/              mark a folder, see what to teach again
  attnhand --help                      everything else
"""


@cache
def make_command(name: str) -> Any:
    """Return a command as typer runs it, with its options."""
    alone = typer.Typer(add_completion=False, rich_markup_mode=None)
    alone.command(name, cls=HelpCommand)(add_options(name, COMMANDS[name]))
    return get_command(alone)


class Program(PlainValues, HelpPage, TyperGroup):
    """The program's commands, each made when it is called: to declare the options of all takes a tenth of a start."""

    def list_commands(self, ctx: Any) -> list[str]:
        """Name the commands in the order of the help."""
        return [*COMMANDS]

    def get_command(self, ctx: Any, cmd_name: str) -> Any:
        """Return a command; None where there is none of that name."""
        return make_command(cmd_name) if cmd_name in COMMANDS else None


app = typer.Typer(
    name="attnhand",
    help="Attention-by-hand worksheets: a seed in, a blank sheet and a proved answer key out.",
    epilog="Exit codes: 0 fine; 1 check: not everything is correct; 2 a mistake of yours, said in a sentence; "
    "3 a missing system library; 70 a bug; 130 Ctrl-C.",
    cls=Program,
    rich_markup_mode=None,
    suggest_commands=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _show_version(is_requested: bool) -> None:
    if is_requested:
        from importlib.metadata import version  # a third of what the help costs

        typer.echo(f"attnhand {version('attnhand')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def show_greeting(
    context: typer.Context,
    _: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Attention-by-hand worksheets: a seed in, a blank sheet and a proved answer key out."""
    if context.invoked_subcommand is None:
        typer.echo(GREETING, nl=False)


def run_program() -> None:
    """Run the program and leave with its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the help has characters that not every console can show
    try:
        code = app(
            fill_in_bare_options(sys.argv[1:]),
            prog_name="attnhand",
            standalone_mode=False,
            obj=WHOLE_HELP if _wants_whole_help(sys.argv[1:]) else None,
        )
        sys.exit(code if isinstance(code, int) else 0)
    except typer.TyperException as error:
        _exit_with_message(describe_usage_error(error), USER_ERROR)
    except typer.Abort:
        sys.exit(INTERRUPTED)
    except AttnhandError as error:
        code = MISSING_LIBRARY if isinstance(error, MissingLibraryError) else USER_ERROR
        _exit_with_message(spell_for_terminal(str(error)), code)
    except OSError as error:
        if error.errno not in MACHINE_ERRORS:
            raise
        place = repr(error.filename) if error.filename else "standard output"
        sentence = f"{place} cannot be used ({error.strerror}): give another name, or make room there"
        _exit_with_message(shorten_quotes(sentence), USER_ERROR)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    except SystemExit as leaving:
        # typer leaves with 1 where the reader of a pipe has gone, which is nobody's mistake
        if not isinstance(leaving.__context__, BrokenPipeError):
            raise
        drop_stdout()
        sys.exit(0)
    except Exception:
        traceback.print_exc()
        sys.exit(BUG)


def fill_in_bare_options(arguments: list[str]) -> list[str]:
    """Say what is meant where an option says nothing: typer knows no option whose value may be left out.

    The options of a class come before a roster, which has an ending or stands in a folder.

    >>> [fill_in_bare_options(["generate", "--mistake", after]) for after in ("--pdf", "truncated")]
    [['generate', '--mistake=any', '--pdf'], ['generate', '--mistake', 'truncated']]
    >>> fill_in_bare_options(["class", "--sort", "roster.csv"]), fill_in_bare_options(["class", "--sort", "name"])
    (['class', '--sort=group', 'roster.csv'], ['class', '--sort', 'name'])
    >>> fill_in_bare_options(["class", "r.csv", "--separate"])
    ['class', 'r.csv', '--separate=student']
    >>> fill_in_bare_options(["class", "--story", "r.csv"]), fill_in_bare_options(["class", "--story", "my.toml"])
    (['class', '--story=any', 'r.csv'], ['class', '--story', 'my.toml'])
    """
    filled = []
    for argument, after in zip(arguments, [*arguments[1:], "-"], strict=False):
        bare_mistake = argument == "--mistake" and after.startswith("-")
        bare_story = argument == "--story" and (after.startswith("-") or _is_other_file(after))
        bare = {"--mistake=any": bare_mistake, "--story=any": bare_story}
        for meant in ("--sort=group", "--separate=student", "--positions=sinusoidal"):
            is_asked = argument == meant.partition("=")[0]
            bare[meant] = is_asked and (after.startswith("-") or any(mark in after for mark in "./\\"))
        filled.append(next((meant for meant, is_bare in bare.items() if is_bare), argument))
    return filled


def _wants_whole_help(arguments: list[str]) -> bool:
    return any(pair in (("--help", WHOLE_HELP), ("-h", WHOLE_HELP)) for pair in pairwise(arguments))


def _is_other_file(argument: str) -> bool:
    """Say whether an argument names a file that is no story."""
    return any(mark in argument for mark in "./\\") and not argument.endswith(".toml")


def _exit_with_message(sentence: str, exit_code: int) -> None:
    # names of files may hold anything: one line, without control characters
    line = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in sentence)
    write_note(f"attnhand: {line}\n")
    sys.exit(exit_code)
