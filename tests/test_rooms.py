"""The house: ten rooms in one column, and every import points down."""

import ast
import contextlib
import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

import pytest

from tests.house import DOORS, PACKAGE, ROOMS, ROOT


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
    *("alien", "desk", "desks", "furniture", "gathered", "held", "homeless", "kept", "leaves", "made", "mine"),
    *("parcel", "parcels", "said", "shown", "somebody", "spine", "terms", "told", "wish", "wishes"),
}
"""Words that once meant many things each, which only their author could tell apart."""

PARTICIPLE = re.compile(
    r"(?!embed|feed|need|read|seed)[a-z]+ed|drawn|found|given|kept|made|said|seen|shown|told|written"
)
"""What no function is named by: a function does something, and its name says what."""

TEMPLATES = ROOT / "templates"


def list_own_names(tree: ast.AST) -> Iterator[str]:
    """Yield every name that a module gives, to whatever it be; the scripts count too that it holds as texts."""
    for node in ast.walk(tree):
        match node:
            case ast.FunctionDef(name=str(name)) | ast.ClassDef(name=str(name)) | ast.ExceptHandler(name=str(name)):
                yield name
            case ast.MatchAs(name=str(name)) | ast.MatchStar(name=str(name)) | ast.alias(asname=str(name)):
                yield name
            case ast.arg(arg=name):
                yield name
            case ast.Name(id=name, ctx=ast.Store()) | ast.Attribute(attr=name, ctx=ast.Store()):
                yield name
            case ast.Constant(value=str(script)) if "\nimport " in script or "\nfrom " in script:
                with contextlib.suppress(SyntaxError):
                    yield from list_own_names(ast.parse(script))


def list_names_in_template(text: str, kind: str) -> list[str]:
    """Return the names in a script, a style sheet or a page, without comments and texts."""
    text = re.sub(r"/\*.*?\*/|\{#.*?#\}|<!--.*?-->", "", text, flags=re.DOTALL)
    if kind == ".html":
        expressions = (re.sub(r"\"[^\"]*\"", "", each) for each in re.findall(r"\{[{%].*?[%}]\}", text, re.DOTALL))
        text = " ".join([*expressions, *re.findall(r"(?:class|id)=\"([^\"]*)\"", text)])
    elif kind == ".js":
        text = re.sub(r"\"[^\"\n]*\"|'[^'\n]*'|//.*", "", text)
    return re.findall(r"[A-Za-z][\w-]*", text)


def split_name(name: str) -> list[str]:
    """Return the words of a name: ``snake_case``, ``camelCase`` or ``kebab-case``.

    >>> split_name("_make_chunk"), split_name("showTotal"), split_name("p-wide")
    (['make', 'chunk'], ['show', 'total'], ['p', 'wide'])
    """
    return [word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)]


def find_private_words(names: Iterable[str]) -> list[str]:
    """Return the names that hold a private word; the name of a test is a sentence, where any word may stand."""
    return [name for name in names if not name.startswith("test_") and PRIVATE_WORDS & set(split_name(name))]


def find_participles(tree: ast.AST) -> list[str]:
    """Return the functions that are named by a participle; properties and fixtures are things, and may be."""
    functions = [node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)]
    actions = [node.name for node in functions if not any("property" in d or "fixture" in d for d in _decorators(node))]
    return [name for name in actions if (words := split_name(name)) and PARTICIPLE.fullmatch(words[0])]


def _decorators(function: ast.FunctionDef) -> list[str]:
    return [ast.unparse(decorator) for decorator in function.decorator_list]


OWN_FOLDERS = pytest.mark.parametrize(
    "folder", [PACKAGE, ROOT / "tests", ROOT / "samples"], ids=lambda folder: folder.name
)


@OWN_FOLDERS
def test_names_are_words_that_a_stranger_knows(folder: Path) -> None:
    """The private words of the beginning do not come back, also not as a part of a name, nor in tests."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))}
    assert trees
    found = {path.name: find_private_words(list_own_names(tree)) for path, tree in trees.items()}
    assert {name: names for name, names in found.items() if names} == {}


def test_names_in_templates_are_words_that_a_stranger_knows() -> None:
    """In scripts, style sheets and pages too, and in the data that they read."""
    paths = [path for path in sorted(TEMPLATES.rglob("*")) if path.suffix in (".js", ".css", ".html")]
    assert len(paths) >= 15
    found = {
        path.name: find_private_words(list_names_in_template(path.read_text(encoding="utf-8"), path.suffix))
        for path in paths
    }
    assert {name: names for name, names in found.items() if names} == {}


@OWN_FOLDERS
def test_functions_are_named_by_what_they_do(folder: Path) -> None:
    """By a verb, never by the participle of what comes of it."""
    trees = {path: ast.parse(path.read_text(encoding="utf-8")) for path in sorted(folder.rglob("*.py"))}
    found = {path.name: find_participles(tree) for path, tree in trees.items()}
    assert {name: names for name, names in found.items() if names} == {}


def test_a_private_word_is_seen() -> None:
    """In a function's name, a parameter, a variable, a loop and a script, but not in the name of a test or a text."""
    tree = ast.parse("def make_wishes(desk):\n    told = [x for spine_box in desk]\n    stages = told")
    assert sorted(find_private_words(list_own_names(tree))) == ["desk", "make_wishes", "spine_box", "told"]
    tree = ast.parse("def test_what_is_amiss_is_told(said):\n    SCRIPT = 'x = 1\\nimport os\\nmade = x'")
    assert find_private_words(list_own_names(tree)) == ["said", "made"]
    script = 'const parcel = say("made"); // kept\n/* told */ function drawSpine(a) { return `${a.shown}` }'
    assert find_private_words(list_names_in_template(script, ".js")) == ["parcel", "drawSpine", "shown"]
    page = '{# told #}<p class="made">shown {{ item.desk|t("kept") }}</p>'
    assert find_private_words(list_names_in_template(page, ".html")) == ["desk", "made"]
    assert find_private_words(list_names_in_template(".leaves { color: red } /* said */", ".css")) == ["leaves"]


def test_a_function_named_by_a_participle_is_seen() -> None:
    """But not what reads or embeds, nor a property."""
    tree = ast.parse("def _drawn(): ...\ndef scaled_scores(): ...\ndef read_file(): ...\ndef embed(): ...")
    assert find_participles(tree) == ["_drawn", "scaled_scores"]
    assert find_participles(ast.parse("@property\ndef printed_name(self): ...")) == []
