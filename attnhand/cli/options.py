"""Options as typer reads them, made from the literal table."""

import inspect
import re
from collections.abc import Callable
from enum import StrEnum
from functools import cache, partial
from typing import Annotated, Any

import typer

from attnhand.errors import AttnhandError
from attnhand.sheet.option_table import Option, Panel, list_options, spell_for_terminal


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
        help=spell_for_terminal(option.help),
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
        parameters.append(declare_option(option, is_hidden=not option.is_in_help(command_name)))
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": None}
    return command


PLACE_METAVARS = ("PATH", "FILE", "FOLDER", "INDEX", "SOURCE", "[NAME]")
"""How the help writes options that name a place or a thing: an empty name is none."""


class PlainValues:
    """A command that reads texts, whole numbers and what is left out by itself.

    typer makes a converter for every option, given or not, and loads pydantic for it: a seventh of a whole run.
    """

    def get_params(self, ctx: Any) -> list[Any]:
        """Return arguments and options, those of typer among them."""
        parameters: list[Any] = super().get_params(ctx)  # type: ignore[misc]
        for parameter in parameters:
            if "process_value" not in vars(parameter):
                parameter.process_value = partial(_read_value, parameter, parameter.process_value)
        return parameters


def _read_value(parameter: Any, convert: Callable[[Any, Any], Any], context: Any, value: Any) -> Any:
    """Return a value as typer would; whatever is not plain is left to it, so is refusing it."""
    is_list = parameter.multiple or parameter.nargs != 1
    if value is None and not parameter.required:  # a callback, of --help for one, has nothing to do then
        return () if is_list else None
    if isinstance(value, str) and not is_list:
        option = next((each for each in list_options(context.command.name) if each.name == parameter.name), None)
        is_text = option.kind is str and not option.choices if option else parameter.param_type_name == "argument"
        if not value and option is None and parameter.required:
            return convert(context, None)  # as if it were not there
        if not value and option and option.metavar in PLACE_METAVARS:
            raise AttnhandError(f"{option.flag} is empty: write a name after it, or leave {option.flag} out")
        if is_text:
            return value
        if option and option.kind is int and re.fullmatch(r"-?[0-9]{1,18}", value):
            return int(value)
    return convert(context, value)


SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A seed, a sheet code, a problem file, a JSON sheet, a sample, or what was handed in: "
        "a fillable PDF, a table (CSV, .xlsx, .ods).",
    ),
]
ProblemFileArgument = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="A problem file, JSON or TOML; - for stdin.")
]
