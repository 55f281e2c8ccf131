"""What loading the core costs: none of the libraries that only draw or talk."""

import importlib
import re
import subprocess
import sys
from pathlib import Path
from pkgutil import walk_packages

import pytest

import attnhand

HEAVY = ("typer", "rich", "jinja2", "weasyprint")


@pytest.mark.parametrize(
    "modules",
    [
        "attnhand.problems.generator, attnhand.attention.proof, attnhand.problems.sheet_code",
        "attnhand.sheet.make, attnhand.sheet.panels",
    ],
)
def test_the_core_loads_nothing_that_draws_or_talks(modules: str) -> None:
    """Generating, solving, proving and the page model load neither typer, rich, jinja2 nor weasyprint."""
    code = f"import sys, {modules}; sys.stdout.write(' '.join(m for m in {HEAVY} if m in sys.modules))"
    assert run(code) == ""


def test_solving_and_generating_load_no_numpy() -> None:
    """Only the proof needs numpy."""
    modules = "sys, attnhand.attention.solution, attnhand.problems.generator"
    code = f"import {modules}; sys.stdout.write(str('numpy' in sys.modules))"
    assert run(code) == "False"


def test_the_program_loads_what_a_command_needs() -> None:
    """Its help needs no generator and no solver; from the package they come when they are asked for."""
    code = (
        "import sys, attnhand.cli.app; before = 'attnhand.attention.solution' in sys.modules; import attnhand; "
        "sys.stdout.write(f'{before} {attnhand.generate(seed=7).code} {set(attnhand.__all__) <= set(dir(attnhand))}')"
    )
    assert run(code) == "False A1Q0-0000-000W True"


@pytest.mark.parametrize(
    ("arguments", "needless"),
    [
        (("--help",), ("pydantic", "importlib.metadata", "attnhand.attention")),
        (("generate", "--seed", "7"), ("attnhand.marking", "attnhand.sheet.vet", "attnhand.formats.answers")),
        (("explain", "7", "S23"), ("attnhand.marking", "attnhand.sheet.document", "rich", "attnhand.formats.answers")),
        (("generate", "--seed", "7", "--pdf"), ("attnhand.marking", "weasyprint", "jinja2", "rich", "pypdf")),
    ],
)
def test_a_command_loads_nothing_of_others(
    arguments: tuple[str, ...], needless: tuple[str, ...], tmp_path: Path
) -> None:
    """Nobody waits for what only another command needs."""
    code = (
        f"import sys, atexit; sys.argv = ['attnhand', *{arguments}]; from attnhand.cli import main; "
        f"atexit.register(lambda: sys.stderr.write(' '.join(m for m in {needless} if m in sys.modules))); main()"
    )
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, timeout=120, check=True
    )
    assert (bool(ran.stdout), ran.stderr) == (True, "")


def test_marks_in_the_terminal_load_nothing_of_web_pages() -> None:
    """Whoever marks a file waits for no template engine."""
    code = "import sys, attnhand.marking.terminal; sys.stdout.write(str('jinja2' in sys.modules))"
    assert run(code) == "False"


def test_no_pattern_takes_seconds_to_compile() -> None:
    """Patterns are put together of one another; one that named itself in itself grew to a million signs."""
    modules = [importlib.import_module(found.name) for found in walk_packages(attnhand.__path__, "attnhand.")]
    patterns = {each.pattern for module in modules for each in vars(module).values() if isinstance(each, re.Pattern)}
    assert len(patterns) > 50
    assert max(map(len, patterns)) < 10_000


def test_modules_that_are_loaded_are_seen() -> None:
    """The way these tests look does find a library that is loaded."""
    code = "import sys, attnhand.attention.proof; sys.stdout.write(str('numpy' in sys.modules))"
    assert run(code) == "True"


def run(code: str) -> str:
    """Run Python in a new process and return what it printed."""
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    return ran.stdout
