"""``class.toml``: what a class set is made from, beside who is in it: seed, salt and every option that was given."""

import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from typing import Any

from attnhand.errors import RosterError
from attnhand.problems.random_stream import RECIPE
from attnhand.problems.salt import is_stretched
from attnhand.sheet.option_table import CLASS_FILE_OPTIONS

OptionValue = str | int | bool
"""The value of an option."""

CLASS_FILE = "class.toml"

MAX_CLASS_FILE_BYTES = 1_000_000

HEADER_COMMENT = """\
# With index.csv, this file makes the whole class set again: attnhand class FOLDER, the folder that holds both.
# The salt is what keeps the codes on the sheets from giving the key: keep it to yourself.
# One that you chose stands here stretched, and serves as well as your words.
"""


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassFile:
    """What a class set is made from."""

    seed: int
    salt: str
    """Stretched; empty for open sheets."""

    last_number: int = 0
    """The last № that was given."""

    options: Mapping[str, OptionValue] = field(default_factory=dict)

    @property
    def beyond_codes(self) -> dict[str, OptionValue]:
        """What a sheet is made from that its code does not hold: the salt, the words, what is asked."""
        options = {name: value for name, value in self.options.items() if CLASS_FILE_OPTIONS[name].is_beyond_codes}
        return {**options, "salt": self.salt} if self.salt else options


def format_class_toml(class_file: ClassFile, earlier_text: str = "") -> str:
    """Return the file's text.

    Args:
        earlier_text: that of an earlier set, in which only what is another now changes: comments stay.

    >>> class_file = ClassFile(seed=7, salt="s", last_number=30, options={"level": "warm-up", "duplex": True})
    >>> print(format_class_toml(class_file)[-53:])
    last = 30
    <BLANKLINE>
    [options]
    duplex = true
    level = "warm-up"
    <BLANKLINE>
    """
    of_class: dict[str, OptionValue] = {
        "program": f"attnhand {version('attnhand')}",
        "recipe": RECIPE,
        "seed": class_file.seed,
        "salt": class_file.salt,
        "last": class_file.last_number,
    }
    options = dict(sorted(class_file.options.items()))
    text = f"{HEADER_COMMENT}\n[class]\n{format_toml_lines(of_class)}\n[options]\n{format_toml_lines(options)}"
    return _update_toml(earlier_text, {"class": of_class, "options": options}) or text


def _update_toml(text: str, tables: Mapping[str, Mapping[str, OptionValue]]) -> str:
    """Change values of a file where they are others now; empty where it is written in ways that are not ours."""
    lines: list[str] = []
    table = ""
    for line in text.splitlines():
        name = line.partition("=")[0].strip()
        if line.strip().startswith("["):
            table = line.partition("#")[0].strip().strip("[]")
        elif name in tables.get(table, {}):
            comment = re.search(r"[ \t]+#[^\"]*$", line)
            line = format_toml_lines({name: tables[table][name]}).rstrip("\n") + (comment[0] if comment else "")
        lines.append(line)
    there = _parse_toml("\n".join(lines))
    for table, values in tables.items():
        new = {name: value for name, value in values.items() if name not in there.get(table, {})}
        at = next((at for at, line in enumerate(lines, 1) if line.partition("#")[0].strip() == f"[{table}]"), 0)
        lines[at:at] = format_toml_lines(new).splitlines()
    updated = "\n".join(lines) + "\n"
    return updated if _parse_toml(updated) == tables else ""


def _parse_toml(text: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except tomllib.TOMLDecodeError:
        return {}


def format_toml_lines(values: Mapping[str, OptionValue]) -> str:
    """Return the lines of a table."""
    # Subtle: JSON's texts are TOML's, but for one control character
    lines = (f"{name} = {json.dumps(value, ensure_ascii=False)}\n" for name, value in values.items())
    return "".join(lines).replace("\x7f", "\\u007f")


def read_class_toml(data: bytes) -> ClassFile:
    """Read the file.

    Raises:
        RosterError: it is not as it was written; the message completes "class.toml …".
    """
    broken = RosterError("is not as the program wrote it: give the one that the class was made with")
    try:
        tables = tomllib.loads(data.decode())
        of_class, options = tables["class"], tables["options"]
        seed, salt, last, recipe = (of_class[name] for name in ("seed", "salt", "last", "recipe"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, KeyError, TypeError):
        raise broken from None
    if recipe != RECIPE:
        raise RosterError(f"is of recipe {recipe}, which this program does not know: use a newer one")
    numbers = all(type(number) is int and 0 <= number < 2**32 for number in (seed, last))
    if not (numbers and isinstance(salt, str) and (not salt or is_stretched(salt)) and isinstance(options, dict)):
        raise broken
    for name, value in options.items():
        option, advice = CLASS_FILE_OPTIONS.get(name), "give the one that the class was made with"
        if option is None or type(value) is not option.kind or (option.choices and value not in option.choices):
            raise RosterError(f"says {name} = {value!r}, which no option can be: {advice}")
    return ClassFile(seed=seed, salt=salt, last_number=last, options=options)
