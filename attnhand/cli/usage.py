"""What was typed is no command line of ours: one sentence that says what to type instead."""

import re
from typing import Any

from attnhand.nearest import nearest

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
