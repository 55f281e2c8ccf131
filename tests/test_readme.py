"""The pages about the project cannot lie: their commands are run, and print what they say."""

import re
import shlex
import shutil
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

from attnhand.formats.sources import list_sample_names
from samples.make_samples import FOLDER, all_text_files
from tests.breadth import LOOKS_AT_ALL, choose
from tests.cli.running import run_here
from tests.conftest import GetFormPath
from tests.house import PACKAGE, ROOT, make_house_tree
from tests.readme import (
    CONSOLE_BLOCK,
    FRONT_PAGE,
    HOUSE_BLOCK,
    MARKING_PAGE,
    PAGE_PATHS,
    PROGRAM_PAGE,
    SLIPS_BLOCK,
    Command,
    make_slips_table,
    parse_commands,
    read_page,
    run_command,
)

TEXTS = {page: read_page(page) for page in PAGE_PATHS}
"""Every page by its path."""

EVERY_PAGE = pytest.mark.parametrize("page", TEXTS)


def test_the_front_page_leads_to_all_others() -> None:
    """No page is more than a link away."""
    assert len(TEXTS) > 5
    assert [page for page in TEXTS if page != "README.md" and f"]({page}" not in TEXTS["README.md"]] == []


def run_without_shell(command: Command) -> tuple[int, list[str]]:
    """Run a command in this process; return its exit code and the lines that it printed."""
    ran = run_here(*shlex.split(command.line)[1:], merges=True)
    return ran.exit_code, ran.lines


@pytest.mark.parametrize("page", [page for page, text in TEXTS.items() if CONSOLE_BLOCK.search(text)])
def test_every_console_command_prints_what_is_shown(page: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The commands of a page run in order in one folder; "…" stands for output that is left out.

    In ``make sweep`` a shell runs all of them, otherwise those that need one.
    """
    monkeypatch.chdir(tmp_path)
    commands = [command for block in CONSOLE_BLOCK.findall(TEXTS[page]) for command in parse_commands(block)]
    for command in commands:
        needs_shell = LOOKS_AT_ALL or not re.fullmatch("attnhand [^|>]+", command.line)
        code, printed = run_command(command, tmp_path) if needs_shell else run_without_shell(command)
        assert code == command.expected_exit_code, (command, printed)
        assert command.shorten_output(printed) == command.expected_lines, command.line


def test_commands_that_are_named_in_passing_work(
    form: GetFormPath, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every `attnhand …` in a text, with the files that the texts speak of; a bare name is a command with help.

    But in ``make sweep`` a class of 30 is one of 2.
    """
    monkeypatch.chdir(tmp_path)
    Path("mine.toml").write_text("given = {X = [[1, 2], [0, 1]], W_Q = [[1, 0]], W_K = [[0, 1]], W_V = [[2, 1]]}\n")
    for name in ("FORM.pdf", "sara.pdf"):
        Path(name).write_bytes(form("warm-up columns").read_bytes())
    assert run_here("class", "--count", "1").exit_code == 0
    assert run_here("generate", "--seed", "7", "--csv", "--blank", "--out", "sara.csv").exit_code == 0
    Path("weeks.toml").write_text('[[sheets]]\nlevel = "warm-up"\n' * 3)
    Path("longer.csv").write_text("name\nAda\nBruno\n")
    Path("answers").mkdir()
    shutil.copy("sara.csv", "answers")
    assert run_here("term", "--count", "1", "--plan", "weeks.toml", "--jobs", "1").exit_code == 0
    with zipfile.ZipFile("submissions.zip", "w") as archive:
        archive.write("sara.csv")
    lines = sorted({line for text in TEXTS.values() for line in re.findall(r"`attnhand ([^`]+)`", text)})
    assert len(lines) >= 15
    for line in lines:
        command, *rest = shlex.split(line.replace("--count 30", choose("--count 2", "--count 30")))
        answers = b'{"code": "A1Q0-0000-000W", "answers": {"Q": [["1"]]}}' if rest == ["-"] else b""
        ran = run_here(command, *(rest or ["--help"]), stdin=answers)
        assert ran.exit_code in ((0, 1) if command == "check" else (0,)), (line, ran.error_text)


@EVERY_PAGE
def test_tools_of_the_project_that_are_named_exist(page: str) -> None:
    """Every `make …` is a target of the Makefile, every `python -m …` a module."""
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in re.findall(r"(?:`|^    )make (\w+)", TEXTS[page], re.MULTILINE):
        assert f"\n{target}:" in makefile
    for module in re.findall(r"`python -m ([\w.]+)", TEXTS[page]):
        assert find_spec(module), module


def test_the_python_lines_run() -> None:
    """The Python block is a program that works."""
    (program,) = re.findall(r"```python\n(.*?)```", "".join(TEXTS.values()), re.DOTALL)
    names: dict[str, object] = {}
    exec(program, names)  # the README is ours
    assert "sheet" in names


@EVERY_PAGE
def test_links_lead_somewhere(page: str) -> None:
    """Pictures, files and headings that are linked to exist."""
    for link in re.findall(r"\]\((?!https?:)([^)]+)\)", TEXTS[page]):
        path, _, anchor = link.partition("#")
        target = (ROOT / page).parent / path if path else ROOT / page
        assert target.exists(), link
        if anchor:
            headings = re.findall(r"^#+ (.*)", target.read_text(encoding="utf-8"), re.MULTILINE)
            assert anchor in [re.sub(r"[^\w -]", "", each).lower().replace(" ", "-") for each in headings], link


def test_every_file_that_a_recipe_names_exists() -> None:
    """A newcomer finds what the pages about the program speak of: in the package, or in the repository."""
    text = TEXTS["attnhand/README.md"] + TEXTS["CONTRIBUTING.md"]
    names = set(re.findall(r"`((?:\w+/)+(?:\w+\.\w+)?)`", text)) - {"formats/NAME.py"}
    assert len(names) >= 15
    assert [name for name in sorted(names) if not (PACKAGE / name).exists() and not (ROOT / name).exists()] == []


def test_every_slip_is_listed() -> None:
    """Id by id, as the catalogue has them; `make samples` writes it."""
    assert SLIPS_BLOCK.findall(MARKING_PAGE.read_text(encoding="utf-8")) == [make_slips_table()]


def test_every_room_is_listed() -> None:
    """In its place and by its own words; `make samples` writes it."""
    assert HOUSE_BLOCK.findall(PROGRAM_PAGE.read_text(encoding="utf-8")) == [make_house_tree()]


def test_samples_are_as_the_program_makes_them() -> None:
    """Problem files, texts and web pages in samples/ match; `make samples` makes them again."""
    names = list_sample_names()
    assert {"classic", "guide", "three-words"} <= set(names)
    fresh = all_text_files()
    stored = {path.name: path.read_bytes() for path in FOLDER.iterdir() if path.suffix in (".txt", ".html")}
    del stored["index.html"]  # the gallery, which has a test of its own
    assert stored.keys() == fresh.keys()
    assert [file for file in fresh if stored[file] != fresh[file]] == []


def test_every_sample_has_its_pdf_and_picture() -> None:
    """Sheet and key of every sample lie there as PDF and PNG too."""
    expected = {
        f"{name}{key}{suffix}" for name in list_sample_names() for key in ("", "-key") for suffix in (".pdf", ".png")
    }
    assert expected <= {path.name for path in FOLDER.iterdir()}


def test_the_front_page_is_what_the_package_shows() -> None:
    """The page of the package index is the front page."""
    assert 'readme = "README.md"' in (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert FRONT_PAGE.exists()
