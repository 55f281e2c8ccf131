"""The program: its commands, its greeting, and what becomes of errors.

Exit codes: 0 fine; 1 ``check``: not every cell is correct; 2 a mistake of the user's; 3 a missing system library;
70 a bug; 130 Ctrl-C.
"""

import io
import re
import sys
import traceback
from importlib.metadata import version
from typing import Annotated, Any

import typer

from attnhand.cli.commands import COMMANDS
from attnhand.cli.help_page import HelpCommand, HelpGroup
from attnhand.errors import AttnhandError, MissingLibraryError
from attnhand.system.did_you_mean import nearest
from attnhand.system.streams import drop_stdout

LONGEST = 60
"""Characters of what was typed that a sentence repeats."""


def usage_sentence(error: Any) -> str:
    """Return what to say of an error that typer found in the command line."""
    context = getattr(error, "ctx", None)
    line = context.command_path if context else "attnhand"
    look = f"look at {line} --help"
    message = str(error.format_message()).rstrip(".")
    kind = type(error).__name__
    if kind == "NoSuchOption":
        return _unknown_option(str(error.option_name), context, look)
    if kind == "MissingParameter" and context is not None and error.param is not None:
        return _missing(error.param, context, look)
    if kind == "BadParameter" and error.param is not None:
        return _wrong_value(error.param, str(error.message), line)
    if kind == "BadOptionUsage":
        return _bad_usage(str(error.option_name), message)
    if wrong := re.fullmatch(r"No such command '(.*)'", message, re.DOTALL):
        return _unknown_command(wrong[1], context, look)
    if left := re.fullmatch(r"Got unexpected extra argument\(s\) \((.*)\)", message, re.DOTALL):
        return _left_over(left[1], context, look)
    return f"{message[:1].lower()}{message[1:]}: {look}"


def _short(typed: str) -> str:
    return repr(typed if len(typed) <= LONGEST else typed[:LONGEST] + "…")


def _unknown_option(name: str, context: Any, look: str) -> str:
    if context is not None and context.parent is None:
        advice = "write the command first, as in attnhand generate --pdf"
        return f"there is no option {_short(name)} before a command: {advice}"
    known = [opt for param in context.command.get_params(context) for opt in param.opts] if context else []
    by_letters = {opt.strip("-"): opt for opt in known if opt.startswith("--")}
    meant = nearest(name.strip("-"), by_letters)
    return f"there is no option {_short(name)}: {f'did you mean {by_letters[meant]}?' if meant else look}"


def _unknown_command(name: str, context: Any, look: str) -> str:
    commands = context.command.list_commands(context)
    meant = nearest(name, commands)
    if name == "help":
        meant = "--help"
    if meant is None:
        meant = f"key {name}" if name.isdigit() else f"solve {name}" if "." in name else None
    typed = f"did you mean attnhand {meant}?" if meant else f"use {', '.join(commands[:-1])} or {commands[-1]}; {look}"
    return f"there is no command {_short(name)}: {typed}"


def _missing(param: Any, context: Any, look: str) -> str:
    """Say what is missing, with the first example of the command's help."""
    name = str(param.metavar or param.name).upper()
    examples = [text for text in (context.command.help or "").split("\n\n") if text.strip().startswith("attnhand ")]
    how = f"type, say, {examples[0].strip()}; {look}" if examples else look
    return f"{context.command.name} needs {name}: {how}"


def _wrong_value(param: Any, message: str, line: str) -> str:
    """Say what a value should be: one of the choices, or a whole number."""
    name = max(param.opts, key=len) if param.param_type_name == "option" else str(param.metavar or param.name).upper()
    if choice := re.fullmatch(r"(?:Value error, )?(.*) is not one of (.*)", message.rstrip("."), re.DOTALL):
        typed, choices = choice[1].strip("'\""), re.findall(r"'([^']*)'", choice[2])
        meant = nearest(typed, choices)
        told = f"did you mean {meant}?" if meant else f"use {', '.join(choices[:-1])} or {choices[-1]}"
        return f"{name} {_short(typed)} is unknown: {told}"
    if "integer" in message:
        return f"{name} wants a whole number: write it in digits, such as {name} {_example(name)}"
    return f"{name} cannot be read: {message[:1].lower()}{message[1:].rstrip('.')}; look at {line} --help"


def _example(name: str) -> int:
    return {"--seed": 7, "--count": 30, "--heads": 2, "--decimals": 2}.get(name, 4)


def _bad_usage(name: str, message: str) -> str:
    if "requires" in message:
        return f"{name} needs a value after it: write one, or leave {name} out"
    return f"{name} takes no value: leave out what stands after its ="


def _left_over(left: str, context: Any, look: str) -> str:
    first, command = left.split(" ")[0], context.command.name
    if command == "generate" and first.isdigit():
        advice = f"to name a seed, type attnhand generate --seed {first}"
    elif command == "generate" and ("." in first or "/" in first):
        advice = f"for matrices of your own, type attnhand solve {first}"
    elif command != "generate":
        advice = f"leave it out, or put quotes around what belongs together; {look}"
    else:
        advice = f'put quotes around words that belong together, as in --words "the cat saw"; {look}'
    return f"{_short(left)} is left over: {advice}"


USER_ERROR, MISSING_LIBRARY, BUG, INTERRUPTED = 2, 3, 70, 130

GREETING = """attnhand makes attention-by-hand worksheets, and the key to each.

  attnhand generate                    a sheet, here on the screen
  attnhand generate --seed 7 --solved  its key: by hand, and exactly
  attnhand generate --seed 7 --pdf     both on paper: attnhand-7.pdf and attnhand-7-key.pdf
  attnhand solve my.json --pdf         your own matrices
  attnhand explain 7 S23               how one cell comes about
  attnhand practice 7                  work it here, with hints
  attnhand check sara.pdf              mark what somebody handed in
  attnhand class roster.csv            a sheet of their own for everyone, and the keys
  attnhand grade answers/              mark a whole folder, and see what to teach again
  attnhand --help                      everything else
"""

app = typer.Typer(
    name="attnhand",
    help="Attention-by-hand worksheets: a seed in, a blank sheet and a proved answer key out.",
    epilog="Exit codes: 0 fine; 1 check: not every cell is correct; 2 a mistake of yours, said in a sentence; "
    "3 a missing system library; 70 a bug; 130 Ctrl-C.",
    cls=HelpGroup,
    rich_markup_mode=None,
    suggest_commands=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)

for name, command in COMMANDS.items():
    app.command(name, cls=HelpCommand)(command)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"attnhand {version('attnhand')}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def greet(
    context: typer.Context,
    _: Annotated[
        bool, typer.Option("--version", help="Show the version.", callback=_show_version, is_eager=True)
    ] = False,
) -> None:
    """Attention-by-hand worksheets: a seed in, a blank sheet and a proved answer key out."""
    if context.invoked_subcommand is None:
        typer.echo(GREETING, nl=False)


def main() -> None:
    """Run the program and leave with its exit code."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")  # the help has characters that not every console can show
    try:
        code = app(with_bare_options(sys.argv[1:]), prog_name="attnhand", standalone_mode=False)
        sys.exit(code if isinstance(code, int) else 0)
    except typer.TyperException as error:
        _leave(usage_sentence(error), USER_ERROR)
    except typer.Abort:
        sys.exit(INTERRUPTED)
    except MissingLibraryError as error:
        _leave(str(error), MISSING_LIBRARY)
    except AttnhandError as error:
        _leave(str(error), USER_ERROR)
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


def with_bare_options(arguments: list[str]) -> list[str]:
    """Say what is meant where an option says nothing: typer knows no option whose value may be left out.

    >>> with_bare_options(["generate", "--mistake", "--pdf"]), with_bare_options(["generate", "--mistake", "truncated"])
    (['generate', '--mistake=any', '--pdf'], ['generate', '--mistake', 'truncated'])
    >>> with_bare_options(["class", "--sort", "roster.csv"]), with_bare_options(["class", "--sort", "name"])
    (['class', '--sort=group', 'roster.csv'], ['class', '--sort', 'name'])
    """
    said = []
    for argument, after in zip(arguments, [*arguments[1:], "-"], strict=False):
        bare_mistake = argument == "--mistake" and after.startswith("-")
        bare_sort = argument == "--sort" and (after.startswith("-") or any(mark in after for mark in "./\\"))
        said.append("--mistake=any" if bare_mistake else "--sort=group" if bare_sort else argument)
    return said


def _leave(sentence: str, code: int) -> None:
    # names of files may hold anything: one line, without control characters
    shown = "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in sentence)
    print(f"attnhand: {shown}", file=sys.stderr)
    sys.exit(code)
