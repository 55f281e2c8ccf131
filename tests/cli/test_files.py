"""Where sheets go: names, folders, stdout; what is replaced and what never; whole files or none."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

import attnhand
from attnhand.formats.registry import FORMATS, Format
from tests.cli.running import (
    RESTORE_CTRL_C,
    read_files,
    run_here,
    run_program,
    run_python,
    run_refused,
    run_well,
    write_own_problem,
)
from tests.forms import TEXT_FORMATS

SUFFIXES = {name: sheet_format.suffix for name, sheet_format in FORMATS.items()}


def generate(*options: str) -> list[str]:
    """Make the files of seed 7 and return the lines on stdout."""
    return run_well("generate", "--seed", "7", *options).lines


# --out


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_a_suffix_says_the_format(name: str) -> None:
    """``--out sheet.html`` needs no --html; the key goes beside it."""
    suffix = SUFFIXES[name]
    assert generate("--out", f"sheet{suffix}") == [f"sheet{suffix}", f"sheet-key{suffix}"]
    assert generate("--out", f"same{suffix}", f"--{name}") == [f"same{suffix}", f"same-key{suffix}"]
    sheet, sheet_format = attnhand.generate(seed=7), FORMATS[name]
    assert read_files()[f"sheet{suffix}"] == read_files()[f"same{suffix}"] == sheet_format.render_file(sheet.blank)
    assert read_files()[f"sheet-key{suffix}"] == sheet_format.render_file(sheet.key)


def test_a_pdf_that_was_filled_in_is_never_replaced() -> None:
    """A reader that saves a form appends to the file."""
    assert generate("--out", "sheet.pdf", "--solved") == ["sheet.pdf"]
    untouched = Path("sheet.pdf").read_bytes()
    assert untouched.startswith(b"%PDF-")
    Path("sheet.pdf").write_bytes(untouched + b"7 0 obj\n<< /V (42) >>\nendobj\n%%EOF\n")
    assert "is not as this program wrote it" in run_refused("generate", "--seed", "7", "--out", "sheet.pdf", "--solved")


@pytest.mark.parametrize("which", ["--blank", "--solved"])
def test_one_file_has_exactly_the_name(which: str) -> None:
    """With --blank or --solved there is one file, so no ``-key``."""
    assert generate("--out", "mine.json", which) == ["mine.json"]
    assert list(read_files()) == ["mine.json"]
    assert ("comparison" in json.loads(read_files()["mine.json"] or b"")) == (which == "--solved")


def test_capitals_and_points_in_a_name() -> None:
    """The suffix is seen in capitals too, and other points belong to the name."""
    assert generate("--out", "Week.3.HTML") == ["Week.3.HTML", "Week.3-key.HTML"]


def test_an_unknown_suffix_belongs_to_the_name() -> None:
    """With a format beside it, its suffix is added; names without a suffix take several formats."""
    assert generate("--out", "week.3", "--csv") == ["week.3.csv", "week.3-key.csv"]
    assert generate("--out", "both", "--csv", "--json", "--blank") == ["both.json", "both.csv"]


@pytest.mark.parametrize("out", ["there", "there/", "./there", "there/../there/"])
def test_a_folder_takes_the_usual_names(out: str) -> None:
    """A path that is a folder, however it is written."""
    Path("there").mkdir()
    generate("--out", out, "--csv", "--json")
    names = [f"attnhand-7{key}.{suffix}" for key in ("", "-key") for suffix in ("csv", "json")]
    assert sorted(read_files()) == sorted(["there", *(f"there/{name}" for name in names)])


def test_a_slash_makes_a_folder_and_those_above_it() -> None:
    """A trailing slash is a folder, whether it is there or not; so are folders before a name."""
    assert generate("--out", "new/deep/", "--csv", "--blank") == ["new/deep/attnhand-7.csv"]
    assert generate("--out", "other/deep/x.csv", "--blank") == ["other/deep/x.csv"]
    assert generate("--out", "a.csv/", "--json", "--blank") == ["a.csv/attnhand-7.json"]


def test_a_folder_called_like_a_file_is_a_folder() -> None:
    """What is there decides, not its name."""
    Path("x.csv").mkdir()
    assert generate("--out", "x.csv", "--csv", "--blank") == ["x.csv/attnhand-7.csv"]
    assert "does not say which format" in run_refused("generate", "--out", "x.csv")


def test_own_problems_go_into_folders_by_their_names() -> None:
    """``solve p.json --out there/`` writes ``there/p.csv``."""
    write_own_problem()
    assert run_well("solve", "own.json", "--csv", "--out", "there/").lines == ["there/own.csv", "there/own-key.csv"]


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_a_dash_writes_to_stdout(name: str) -> None:
    """The blank sheet, with --solved the key, byte for byte as it would be in a file; no file is made."""
    sheet, sheet_format = attnhand.generate(seed=7), FORMATS[name]
    assert run_well("generate", "--seed", "7", f"--{name}", "--out", "-").output == sheet_format.render_file(
        sheet.blank
    )
    assert run_well("generate", "--seed", "7", f"--{name}", "--out", "-", "--blank").output == sheet_format.render_file(
        sheet.blank
    )
    assert run_well("key", "7", f"--{name}", "--out", "-", "--solved").output == sheet_format.render_file(sheet.key)
    assert read_files() == {}


def test_bytes_reach_stdout_unchanged() -> None:
    """From a real program too, whatever encoding the environment asks for: CSV keeps its BOM and CRLF."""
    ran = run_program("generate", "--seed", "7", "--csv", "--out", "-", PYTHONIOENCODING="latin-1")
    assert (ran.exit_code, ran.error_text) == (0, "")
    assert ran.output == FORMATS["csv"].render_file(attnhand.generate(seed=7).blank)


def test_a_pdf_goes_to_stdout() -> None:
    """Nothing but the PDF is on stdout."""
    ran = run_well("generate", "--seed", "7", "--pdf", "--out", "-")
    assert ran.output.startswith(b"%PDF-")
    assert read_files() == {}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--out", "x"), f"--out x does not say which format to write: end it in {', '.join(SUFFIXES.values())}"),
        (("--out", "x.txt"), "--out x.txt does not say which format"),
        (("--out", "x/"), "--out x/ does not say which format"),
        (("--out", "."), "--out . does not say which format"),
        (("--out", ""), "--out is empty: write a name after it, or leave --out out"),
        (("--out", "", "--pdf"), "--out is empty: write a name after it, or leave --out out"),
        (("--out", ".json"), "--out .json does not say which format"),
        (("--out", "x.json", "--html"), "--out x.json is one .json file: give a folder for other formats"),
        (("--out", "x.json", "--json", "--csv"), "--out x.json is one .json file: give a folder for other formats"),
        (("--out", "-", "--json", "--csv"), "stdout takes one format at a time"),
        (("--json", "--blank", "--solved"), "--blank and --solved contradict each other"),
        (("--blank", "--solved"), "--blank and --solved contradict each other"),
    ],
)
def test_contradictions_are_refused(options: tuple[str, ...], message: str) -> None:
    """Nothing is written where it is not clear what."""
    assert message in run_refused("generate", "--seed", "7", *options)


def test_names_that_are_not_utf_8(folder: Path) -> None:
    """Such a name is taken as it is and printed as it is."""
    name = b"caf\xe9.json"
    ran = run_program("generate", "--seed", "7", "--blank", "--out", os.fsdecode(name))
    assert (ran.exit_code, ran.output, ran.error_text) == (0, name + b"\n", "")
    assert [os.fsencode(path.name) for path in folder.iterdir()] == [name]


# what is replaced


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_a_file_that_is_as_it_was_written_is_replaced(name: str) -> None:
    """Making the same sheet again, or another under the same name, needs no --force."""
    suffix = SUFFIXES[name]
    generate("--out", f"x{suffix}")
    first = read_files()
    generate("--out", f"x{suffix}")
    assert read_files() == first
    generate("--out", f"x{suffix}", "--title", "Other")
    assert read_files().keys() == first.keys()
    assert read_files()[f"x{suffix}"] != first[f"x{suffix}"]


CHANGES: dict[str, Callable[[bytes], bytes]] = {
    "one byte changed": lambda data: data[:200] + bytes([data[200] ^ 1]) + data[201:],
    "something appended": lambda data: data + b"1",
    "a blank line appended": lambda data: data + b"\n",
    "the end cut off": lambda data: data[:-1],
    "the first byte cut off": lambda data: data[1:],
    "line ends changed": lambda data: data.replace(b"\r\n", b"\n") if b"\r\n" in data else data.replace(b"\n", b"\r\n"),
    "empty": lambda data: b"",
    "not ours at all": lambda data: b"my notes\n",
    "the digest alone": lambda data: data[data.rindex(b"attnhand-digest") :],
    "our sheet within other text": lambda data: b"my notes\n" + data + b"my notes\n",
}


@pytest.mark.parametrize("change", CHANGES)
@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_a_touched_file_is_never_replaced(name: str, change: str) -> None:
    """Sheet or key: what somebody changed stays, and so does the other file; --force replaces both."""
    suffix = SUFFIXES[name]
    generate(f"--{name}")
    original = read_files()
    for touched in (f"attnhand-7{suffix}", f"attnhand-7-key{suffix}"):
        changed = CHANGES[change](original[touched] or b"")
        Path(touched).write_bytes(changed)
        assert run_refused("generate", "--seed", "7", "--out", f"attnhand-7{suffix}", "--title", "Other") == (
            f"{touched} exists and is not as this program wrote it: choose another --out, or replace it with --force"
        )
        assert read_files() == {**original, touched: changed}
        Path(touched).write_bytes(original[touched] or b"")


@pytest.mark.parametrize("name", TEXT_FORMATS)
def test_force_replaces_what_was_touched(name: str) -> None:
    """Whoever says --force gets the sheet and its key as they were."""
    generate(f"--{name}")
    original = read_files()
    for file in original:
        Path(file).write_text("my notes", encoding="utf-8")
    generate(f"--{name}", "--force")
    assert read_files() == original


def test_one_touched_file_among_many_stops_all() -> None:
    """Nothing is written, not even what does not stand in the way."""
    Path("attnhand-7-key.csv").write_text("my notes", encoding="utf-8")
    options = [f"--{name}" for name in TEXT_FORMATS]
    assert run_refused("generate", "--seed", "7", *options).startswith("attnhand-7-key.csv exists")


def test_the_seal_of_one_format_serves_another() -> None:
    """Any file that this program wrote may be replaced, whatever it is."""
    generate("--out", "x.json", "--blank")
    Path("x.json").rename("x.csv")
    generate("--out", "x.csv", "--blank")
    assert read_files() == {"x.csv": FORMATS["csv"].render_file(attnhand.generate(seed=7).blank)}


def test_force_never_replaces_a_folder() -> None:
    """A folder in the place of the second file: the first is not written either."""
    Path("attnhand-7-key.json").mkdir()
    for force in ([], ["--force"]):
        assert run_refused("generate", "--seed", "7", "--json", *force) == (
            "attnhand-7-key.json cannot be written (a folder has that name): choose another --out"
        )


def test_a_link_that_leads_nowhere_is_replaced() -> None:
    """There is nothing to lose."""
    Path("x.csv").symlink_to("nowhere")
    assert generate("--out", "x.csv", "--blank") == ["x.csv"]
    assert not Path("x.csv").is_symlink()


# whole or not at all


def test_a_path_below_a_file_cannot_be_written() -> None:
    """Neither there nor deeper, as a folder or as a file."""
    Path("notes").write_text("mine", encoding="utf-8")
    for out in ("notes/x.json", "notes/deep/x.json"):
        assert run_refused("generate", "--seed", "7", "--out", out).startswith(f"{out} cannot be written (")
    assert run_refused("generate", "--seed", "7", "--json", "--out", "notes/") == (
        "notes/attnhand-7.json cannot be written (a file stands where its folder should be): choose another --out"
    )


@pytest.mark.parametrize("length", [244, 300])
@pytest.mark.parametrize("force", [[], ["--force"]])
def test_a_name_too_long_for_the_disk_is_refused(length: int, force: list[str]) -> None:
    """Even where the sheet's own name would fit and only its key's would not."""
    name = "x" * length + ".markdown.json"[-11:]
    assert "(File name too long): choose another --out" in run_refused("generate", "--seed", "7", "--out", name, *force)


def test_a_folder_that_may_not_be_written(monkeypatch: pytest.MonkeyPatch) -> None:
    """The sentence says why; the folder that was asked for is named."""

    def forbidden(**_: Any) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("attnhand.system.files.tempfile.mkstemp", forbidden)
    assert run_refused("generate", "--seed", "7", "--json") == (
        "attnhand-7.json cannot be written (Permission denied): choose another --out"
    )


def test_a_file_that_may_not_be_read(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether it may be replaced cannot be seen, so it is not."""
    generate("--json")

    def forbidden(_: Path) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(Path, "read_bytes", forbidden)
        ran = run_here("generate", "--seed", "7", "--json")
    assert (ran.exit_code, ran.output) == (2, b"")
    assert ran.error_text == "attnhand: attnhand-7.json cannot be written (Permission denied): choose another --out\n"


@pytest.mark.parametrize("failing", [1, 2, 3, 4])
def test_a_write_that_fails_leaves_the_old_files_whole(monkeypatch: pytest.MonkeyPatch, failing: int) -> None:
    """A disk that fills up at any of four files: the old ones stay as they are and nothing else is left behind."""
    generate("--json", "--csv")
    before = read_files()
    opened = 0

    def full(handle: int, mode: str) -> Any:
        nonlocal opened
        opened += 1
        file = fdopen(handle, mode)
        if opened < failing:
            return file
        file.write(b"half a")
        file.close()
        raise OSError(28, "No space left on device")

    fdopen = os.fdopen
    monkeypatch.setattr("attnhand.system.files.os.fdopen", full)
    message = run_refused("generate", "--seed", "7", "--json", "--csv", "--out", "attnhand-7", "--title", "Other")
    assert opened == failing
    assert message.endswith("cannot be written (No space left on device): choose another --out")
    assert read_files() == before
    assert len(before) == 4


def test_a_write_that_fails_in_a_new_place_leaves_no_file(monkeypatch: pytest.MonkeyPatch) -> None:
    """No temporary file stays behind."""

    def full(handle: int, _: str) -> NoReturn:
        os.close(handle)
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("attnhand.system.files.os.fdopen", full)
    assert "No space left on device" in run_refused("generate", "--seed", "7", "--json")
    assert read_files() == {}


def test_a_page_that_cannot_be_laid_out_leaves_nothing() -> None:
    """Everything is drawn before anything is written: the JSON, which would do, is not there either."""
    options = ["--tokens", "12", "--features", "12", "--json", "--html", "--large-print", "--out", "new/"]
    assert "in large print" in run_refused("generate", "--seed", "7", *options)


def test_a_bug_while_drawing_leaves_the_old_files_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """A renderer that breaks at the second file: exit 70, and nothing is touched."""
    generate("--html", "--json")
    before = read_files()

    def broken(self: Format, _: object) -> bytes:
        if self.name == "json":
            raise RuntimeError("a bug")
        return b"new"

    monkeypatch.setattr(Format, "render_file", broken)
    ran = run_here("generate", "--seed", "7", "--html", "--json")
    assert (ran.exit_code, ran.output) == (70, b"")
    assert ran.error_text.endswith("RuntimeError: a bug\n")
    assert read_files() == before


def test_ctrl_c_while_writing_leaves_the_old_files_whole(folder: Path) -> None:
    """An interrupt at the second file: exit 130, old files whole, no temporary files."""
    generate("--json")
    before = read_files()
    interrupted = (
        "import os, signal, sys, attnhand.system.files as files\n"
        "fdopen, opened = os.fdopen, []\n"
        "def interrupt(handle, mode):\n"
        "    opened.append(handle)\n"
        "    if len(opened) == 2:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return fdopen(handle, mode)\n"
        "files.os.fdopen = interrupt\n"
        "sys.argv = ['attnhand', 'generate', '--seed', '7', '--out', 'attnhand-7.json', '--title', 'Other']\n"
        "from attnhand.cli import main\n"
        "main()\n"
    )
    ran = run_python("-c", RESTORE_CTRL_C + interrupted)
    assert (ran.exit_code, ran.output) == (130, b"")
    assert "Traceback" not in ran.error_text
    assert read_files() == before


def test_files_have_the_usual_mode() -> None:
    """Not that of a temporary file, which nobody else may read."""
    mask = os.umask(0o027)
    try:
        generate("--json")
    finally:
        os.umask(mask)
    assert {path.stat().st_mode & 0o777 for path in Path().iterdir()} == {0o640}


def test_whoever_makes_a_sheet_that_checks_is_told_what_its_source_shows() -> None:
    """On stderr, for a sheet and for a class; the page itself says nothing of it."""
    for command in (("generate", "--seed", "7", "--out", "one.html"), ("class", "--count", "2", "--html")):
        warning = run_here(*command, *(("--blank",) if command[0] == "generate" else ()), "--self-check").error_text
        assert warning.count("so its source shows the answers") == 1
    assert "its source" not in Path("one.html").read_text(encoding="utf-8")


def test_a_package_to_practise_is_one_file() -> None:
    """No key beside it, whichever command makes it; that the answers are in its source is said."""
    ran = run_here("generate", "--seed", "7", "--scorm", "--json")
    assert ran.lines == ["attnhand-7.json", "attnhand-7-key.json", "attnhand-7.zip"]
    assert ran.error_text.endswith("its source shows the answers: for practice, not for an exam\n")
    assert run_here("key", "7", "--out", "mine.zip").lines == ["mine.zip"]
    assert read_files()["mine.zip"] == FORMATS["scorm"].render_file(attnhand.generate(7))
    assert "--scorm checks the work itself and has no key beside it" in run_refused("key", "7", "--scorm", "--solved")
