"""The house: ten rooms in one column, and every import points down."""

import ast
from collections.abc import Iterator, Mapping

from tests.house import DOORS, PACKAGE, ROOMS


def modules() -> Mapping[str, ast.Module]:
    """Return every module of the package by its dotted name, parsed."""
    found = {}
    for path in sorted(PACKAGE.rglob("*.py")):
        parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
        found[".".join(parts).removesuffix(".__init__")] = ast.parse(path.read_text(encoding="utf-8"))
    return found


def imports(name: str, tree: ast.Module, known: Mapping[str, ast.Module]) -> Iterator[str]:
    """Yield the modules of the package that a module imports, wherever in it that stands.

    An import in a function counts as one at the top; ``from attnhand.sheet import sentences`` imports the module
    ``attnhand.sheet.sentences``. Modules that are named in strings, to be loaded later, count too.
    """
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            for alias in node.names:
                inner = f"{node.module}.{alias.name}"
                yield inner if inner in known else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and "." in node.value:
            yield node.value


def arrows_upward(known: Mapping[str, ast.Module]) -> list[str]:
    """Return every import from a room that stands above the importing one."""
    return [
        f"{name} -> {target}"
        for name, tree in known.items()
        for target in imports(name, tree, known)
        if name.startswith("attnhand.") and target in known and target != "attnhand" and name != "attnhand.__main__"
        if ROOMS.index(target.split(".")[1]) > ROOMS.index(name.split(".")[1])
    ]


def circles(known: Mapping[str, ast.Module]) -> list[list[str]]:
    """Return the circles of modules: each a list that ends where it begins."""
    targets = {
        name: sorted({t for t in imports(name, tree, known) if t in known and t != name})
        for name, tree in known.items()
    }
    done: set[str] = set()
    found = []

    def follow(name: str, path: list[str]) -> None:
        if name in path:
            found.append([*path[path.index(name) :], name])
            return
        if name not in done:
            for target in targets[name]:
                follow(target, [*path, name])
            done.add(name)

    for name in targets:
        follow(name, [])
    return found


def test_the_rooms_are_the_ten_and_the_doors() -> None:
    """No module stands at the root beside the doors, and no folder beside the rooms."""
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir() and path.name != "__pycache__"}
    assert folders == set(ROOMS) - DOORS
    assert {path.stem for path in PACKAGE.glob("*.py")} == DOORS


def test_every_import_points_down() -> None:
    """Those inside functions too."""
    known = modules()
    assert len(known) > 100
    assert arrows_upward(known) == []


def test_no_modules_import_one_another_in_a_circle() -> None:
    """Not within a room either."""
    assert circles(modules()) == []


def test_an_arrow_upward_and_a_circle_are_seen() -> None:
    """The way these tests look finds both, also where the import stands in a function."""
    known = {
        "attnhand.sheet.sheet": ast.parse("def show():\n    from attnhand.formats import html"),
        "attnhand.formats.html": ast.parse("from attnhand.sheet.sheet import Sheet"),
    }
    assert arrows_upward(known) == ["attnhand.sheet.sheet -> attnhand.formats.html"]
    assert circles(known) == [["attnhand.sheet.sheet", "attnhand.formats.html", "attnhand.sheet.sheet"]]
    assert arrows_upward({"attnhand.sheet.sheet": ast.parse("LAZY = 'attnhand.sheet.sheet'")}) == []
