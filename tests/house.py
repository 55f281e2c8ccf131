"""The house as it stands on disk: its doors, its ten rooms, and what each says of itself."""

import ast
from pathlib import Path

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "attnhand"

DOORS = {"__init__", "__main__", "api", "errors"}
"""The only modules at the root."""

ROOMS = (
    "errors",
    "system",
    "attention",
    "text",
    "problems",
    "sheet",
    "layout",
    "formats",
    "marking",
    "classroom",
    "api",
    "cli",
)
"""From the ground up; a room imports from itself and from those before it."""


def read_summary(room: str) -> str:
    """Return the first line of a room's docstring, without its full stop."""
    path = PACKAGE / room / "__init__.py" if (PACKAGE / room).is_dir() else PACKAGE / f"{room}.py"
    docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
    assert docstring, path
    return docstring.splitlines()[0].removesuffix(".")


def make_house_tree() -> str:
    """Return the README's tree: a line for each room, from the top down."""
    names = {room: f"{room}/" if (PACKAGE / room).is_dir() else f"{room}.py" for room in reversed(ROOMS)}
    lines = "".join(f"      {name:<12}  {read_summary(room)}\n" for room, name in names.items())
    return f"    attnhand/\n{lines}"
