"""The program: its commands, its greeting, and what becomes of errors.

Exit codes: 0 fine; 1 ``check``: not every cell is correct; 2 a mistake of the user's; 3 a missing system library;
70 a bug; 130 Ctrl-C.
"""

import io
import sys
import traceback
from importlib.metadata import version
from typing import Annotated

import typer

from attnhand.cli.commands import COMMANDS
from attnhand.cli.help_page import HelpCommand, HelpGroup
from attnhand.cli.streams import drop_stdout
from attnhand.cli.usage import usage_sentence
from attnhand.errors import AttnhandError, MissingLibraryError

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
