"""Options as typer reads them, made from the literal table."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import cache
from typing import Annotated, Any

import typer

from attnhand.sheet.option_table import Option, Panel, list_options


@cache
def make_choices(option: Option) -> Any:
    """Return an option's choices as typer takes them: for the shell to complete, and refused if mistyped."""
    make: Any = StrEnum
    return make(f"{option.name.title()}Name", {text.upper(): text for text in option.choices})


@cache  # most options are those of several commands
def declare_option(option: Option, *, is_hidden: bool) -> inspect.Parameter:
    """Return the parameter from which typer makes an option; what is left out is None, or False for a flag."""
    kind: Any = make_choices(option) if option.choices else option.kind
    is_flag = option.kind is bool
    kind = bool if is_flag else list[kind] | None if option.is_repeatable else kind | None
    declared = typer.Option(
        *option.flags,
        help=option.help,
        metavar=option.metavar,
        envvar=option.environment_variable,
        rich_help_panel=None if option.panel is Panel.OWN else option.panel.value,
        show_default=False,
        show_envvar=False,
        case_sensitive=False,
        hidden=is_hidden,
    )
    return inspect.Parameter(
        option.name,
        inspect.Parameter.KEYWORD_ONLY,
        annotation=Annotated[kind, declared],
        default=False if is_flag else None,
    )


def add_options(command_name: str, command: Callable[..., None]) -> Callable[..., None]:
    """Give a command that takes ``**option_values`` its options of the table, as typer reads them from a signature."""
    arguments = [p for p in inspect.signature(command).parameters.values() if p.kind is not p.VAR_KEYWORD]
    parameters = [*arguments]
    for option in list_options(command_name):
        # solve has those of drawn sheets only to refuse them with a reason
        parameters.append(declare_option(option, is_hidden=command_name == "solve" and option.is_for_drawn_sheets))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    return command


SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A seed, a sheet code, a problem file, a JSON sheet, a fillable PDF or a sample."
    ),
]
ProblemFileArgument = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="A problem file, JSON or TOML; - for stdin.")
]
