"""The house: ten rooms in one column, and every import points down."""

import ast
from collections.abc import Iterator, Mapping
from pathlib import Path

import pytest

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


PRIVATE_WORDS = {
    *("alien", "desk", "desks", "furniture", "gathered", "held", "homeless", "mine", "parcel", "parcels"),
    *("said", "somebody", "spine", "told", "wish", "wishes"),
}
"""Words that once meant many things each, which only their author could tell apart."""


def list_own_names(tree: ast.Module) -> Iterator[str]:
    """Yield every name that a module gives: to classes, functions, parameters, variables and fields."""
    for node in ast.walk(tree):
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            yield node.name
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id


def find_private_words(tree: ast.Module) -> list[str]:
    """Return the names that hold a private word; the name of a test is a sentence, where any word may stand."""
    names = [name for name in list_own_names(tree) if not name.startswith("test_")]
    return [name for name in names if PRIVATE_WORDS & set(name.lower().split("_"))]


@pytest.mark.parametrize("folder", [PACKAGE, Path(__file__).parent], ids=lambda folder: folder.name)
def test_names_are_words_that_a_stranger_knows(folder: Path) -> None:
    """The private words of the beginning do not come back, also not as a part of a name, nor in tests."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))}
    assert len(trees) > 100
    assert {str(path): found for path, tree in trees.items() if (found := find_private_words(tree))} == {}


def test_a_private_word_is_seen() -> None:
    """In a function's name, a parameter, a variable and a loop, but not in the name of a test."""
    tree = ast.parse("def make_wishes(desk):\n    told = [x for spine_box in desk]\n    stages = told")
    assert sorted(find_private_words(tree)) == ["desk", "make_wishes", "spine_box", "told"]
    assert find_private_words(ast.parse("def test_what_is_amiss_is_told(said):\n    pass")) == ["said"]
