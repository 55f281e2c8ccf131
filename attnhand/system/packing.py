"""Modules of the package as text that another Python can run: packed small, with nothing that is not needed."""

import ast
import base64
import json
import lzma
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from attnhand.system.resources import PACKAGE_DIR


def pack_modules(entries: Sequence[str], texts: Mapping[str, str]) -> str:
    """Return modules, all that loading them imports, and other files: in one line of text without quotation marks.

    The same modules give the same text. ``files = json.loads(lzma.decompress(base64.b85decode(text)))`` has them by
    their paths.

    Args:
        entries: modules by their paths in the package, such as ``marking/mark.py``.
        texts: other files, by their paths in the package.
    """
    files = {f"{PACKAGE_DIR.name}/{path}": text for path, text in sorted({**collect_modules(entries), **texts}.items())}
    return base64.b85encode(lzma.compress(json.dumps(files).encode(), preset=9)).decode()


def collect_modules(entries: Sequence[str]) -> dict[str, str]:
    """Return the sources of modules and of all that loading them imports, without docstrings, by path.

    What a function imports when it is called is not among them: it is an entry of its own where it is called.
    """
    sources: dict[str, str] = {}
    waiting = [PACKAGE_DIR / each for each in entries]
    while waiting:
        path = waiting.pop()
        name = path.relative_to(PACKAGE_DIR).as_posix()
        if name in sources:
            continue
        source = path.read_text(encoding="utf-8")
        tree = ast.parse(source)
        sources[name] = leave_out_docstrings(source, tree)
        folders = [folder for folder in path.parents if folder.is_relative_to(PACKAGE_DIR)]
        waiting += [folder / "__init__.py" for folder in folders]
        waiting += filter(None, map(_find_module, _list_imports(tree.body)))
    return sources


def _list_imports(body: Iterable[ast.stmt]) -> Iterator[str]:
    """Yield the modules that are imported when a module is loaded, and names in them that may be modules."""
    for node in body:
        if isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{each.name}" for each in node.names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def _find_module(name: str) -> Path | None:
    package, *parts = name.split(".")
    if package != PACKAGE_DIR.name:
        return None
    path = PACKAGE_DIR.joinpath(*parts)
    found = (path / "__init__.py", path.with_suffix(".py"))
    return next((each for each in found if each.is_file()), None)


def leave_out_docstrings(source: str, tree: ast.Module) -> str:
    r"""Return a source without docstrings, those of fields too, and without empty lines between.

    >>> source = "X = 1\n'What it is.'\n\ndef find(x):\n    'Find it.'\n    return x\n"
    >>> leave_out_docstrings(source, ast.parse(source))
    'X = 1\ndef find(x):\n    return x\n'
    """
    lines = source.splitlines()
    dropped = {at for at, line in enumerate(lines, 1) if not line.strip()}
    docstrings: list[ast.stmt] = []
    alone: list[ast.stmt] = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):  # what is empty within a text stays
            dropped.difference_update(range(node.lineno, (node.end_lineno or 0) + 1))
        elif isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
            found = [each for each in node.body if _is_string(each)]
            docstrings += found
            alone += found[:1] if len(found) == len(node.body) else []
    for each in docstrings:
        dropped.update(range(each.lineno, (each.end_lineno or 0) + 1))
    for each in alone:  # something must be left
        dropped.discard(each.lineno)
        lines[each.lineno - 1] = f"{' ' * each.col_offset}..."
    return "".join(f"{line}\n" for at, line in enumerate(lines, 1) if at not in dropped)


def _is_string(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
