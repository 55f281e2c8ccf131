"""The README cannot lie: its commands are run, and print what it says."""

import re
import shlex
from pathlib import Path

import pytest

from attnhand.formats.sources import list_sample_names
from samples.make_samples import FOLDER, all_text_files
from tests.cli.running import run_here
from tests.conftest import GetFormPath
from tests.readme import CONSOLE_BLOCK, MISTAKES_BLOCK, README, make_mistakes_table, parse_commands, run_command


def test_every_console_command_prints_what_the_readme_shows(tmp_path: Path) -> None:
    """Commands run in order in one folder; "…" stands for output that is left out."""
    told = [
        command
        for block in CONSOLE_BLOCK.findall(README.read_text(encoding="utf-8"))
        for command in parse_commands(block)
    ]
    assert len(told) >= 10
    for command in told:
        code, printed = run_command(command, tmp_path)
        assert code == command.expected_exit_code, (command, printed)
        assert command.shorten_output(printed) == command.expected_lines, command.line


def test_commands_that_are_named_in_passing_work(
    form: GetFormPath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every `attnhand …` in the text, with the files that the text speaks of; a bare name is a command with help."""
    monkeypatch.chdir(tmp_path)
    for name in ("FORM.pdf", "sara.pdf"):
        Path(name).write_bytes(form("warm-up columns").read_bytes())
    assert run_here("class", "--count", "1").exit_code == 0
    told = sorted(set(re.findall(r"`attnhand ([^`]+)`", README.read_text(encoding="utf-8"))))
    assert len(told) >= 15
    for line in told:
        command, *rest = shlex.split(line)
        answers = b'{"code": "A1Q0-0000-000W", "answers": {"Q": [["1"]]}}' if rest == ["-"] else b""
        ran = run_here(command, *(rest or ["--help"]), stdin=answers)
        assert ran.exit_code in ((0, 1) if command == "check" else (0,)), (line, ran.error_text)


def test_the_python_lines_of_the_readme_run() -> None:
    """The Python block is a program that works."""
    blocks = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    assert blocks
    for block in blocks:
        names: dict[str, object] = {}
        exec(block, names)  # the README is ours
        assert "sheet" in names


def test_every_file_the_readme_links_to_exists() -> None:
    """Pictures and links lead somewhere."""
    links = re.findall(r"\]\((?!https?:)([^)#]+)\)", README.read_text(encoding="utf-8"))
    assert links
    assert [link for link in links if not (README.parent / link).exists()] == []


def test_the_readme_lists_every_mistake() -> None:
    """Id by id, as the table of slips has them; `make samples` writes it."""
    (kept,) = MISTAKES_BLOCK.findall(README.read_text(encoding="utf-8"))
    assert kept == make_mistakes_table()


def test_the_readme_names_every_room() -> None:
    """A newcomer finds every module of the package on the map."""
    text = README.read_text(encoding="utf-8")
    package = README.parent / "attnhand"
    rooms = {path.name for path in package.glob("*.py")} - {"__init__.py", "__main__.py", "errors.py"}
    assert {room for room in rooms if f"`{room}`" not in text} == set()
    folders = {path.name for path in package.iterdir() if path.is_dir() and (path / "__init__.py").exists()}
    assert {folder for folder in folders if f"`{folder}/`" not in text} == set()


def test_samples_are_as_the_program_makes_them() -> None:
    """Problem files, texts and web pages in samples/ match; `make samples` makes them again."""
    names = list_sample_names()
    assert {"classic", "guide", "three-words"} <= set(names)
    made = all_text_files()
    kept = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.suffix in (".txt", ".html")}
    assert kept.keys() == made.keys()
    assert [file for file in made if kept[file] != made[file]] == []


def test_every_sample_has_its_pdf_and_picture() -> None:
    """Sheet and key of every sample lie there as PDF and PNG too."""
    wanted = {
        f"{name}{key}{suffix}" for name in list_sample_names() for key in ("", "-key") for suffix in (".pdf", ".png")
    }
    assert wanted <= {path.name for path in FOLDER.iterdir()}
