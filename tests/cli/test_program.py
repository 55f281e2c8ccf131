"""The program as a whole: greeting, help, exit codes, streams, environment, and what it loads."""

import os
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
import typer

import attnhand
from attnhand.attention.mechanisms import MECHANISMS
from attnhand.cli.app import fill_in_bare_options, make_command
from attnhand.cli.commands import COMMANDS
from attnhand.cli.help_page import EXAMPLES as GROUP_EXAMPLES
from attnhand.formats.sources import list_sample_names
from attnhand.formats.terminal import render_terminal
from attnhand.sheet.option_table import COMMAND_OPTIONS, list_options
from tests.breadth import choose
from tests.cli.running import (
    RESTORE_CTRL_C,
    TIMEOUT_SECONDS,
    RunResult,
    read_files,
    run_here,
    run_program,
    run_python,
    run_refused,
    run_well,
    write_own_problem,
)

ANSI = re.compile("\x1b\\[[0-9;]*m")

HEAVY = ("numpy", "jinja2", "weasyprint", "pydantic")

EXAMPLES = {
    "generate": ["attnhand generate", "attnhand generate --seed 7 --pdf", 'attnhand generate --words "the cat saw"'],
    "solve": ["attnhand solve my.json --pdf", "attnhand samples classic | attnhand solve -"],
    "key": [
        "attnhand key A1Q0-0000-000W",
        "attnhand key 47 --class attnhand-class --pdf --solved",
        'attnhand key 7 --given "scaled[2,1]=0"',
    ],
    "explain": ["attnhand explain 7 S23", 'attnhand explain classic "A[1,1]"'],
    "class": ["attnhand class roster.csv", "attnhand class --count 30 --spare 3 --duplex"],
    "term": ["attnhand term roster.csv --plan attention", "attnhand term longer.csv --from-week 3"],
    "check": ["attnhand check sara.json", "attnhand check sara.csv --against 7 --report sara.pdf"],
    "grade": [
        "attnhand grade answers/",
        "attnhand grade attnhand-class answers/ --reports",
    ],
    "practice": ["attnhand practice 7", "attnhand practice classic"],
    "samples": ["attnhand samples", "attnhand samples classic > my.json"],
}


# greeting, version, help


def test_alone_it_says_what_to_type_next() -> None:
    """About ten lines, on stdout, all of them commands that work."""
    ran = run_well()
    assert 6 <= len(ran.lines) <= 12
    commands = [line.strip().split("  ")[0] for line in ran.lines if line.startswith("  attnhand ")]
    assert len(commands) >= 5
    assert "attnhand generate" in commands
    assert max(map(len, ran.lines)) <= 100
    assert run_program() == ran


def test_the_greeting_tells_no_lies(folder: Path) -> None:
    """Each command of the greeting runs, but for the PDF, which others make; a CSV stands for the filled form."""
    (folder / "my.json").write_bytes(run_well("samples", "classic").output)
    (folder / "sara.pdf").write_bytes(run_well("generate", "--seed", "7", "--csv", "--solved", "--out", "-").output)
    (folder / "roster.csv").write_text("name\nAda\n", encoding="utf-8")
    (folder / "answers").mkdir()
    (folder / "answers" / "sara.pdf").write_bytes((folder / "sara.pdf").read_bytes())
    commands = [line.strip().split("  ")[0].split()[1:] for line in run_well().lines if line.startswith("  attnhand ")]
    assert len(commands) >= 5
    for command in commands:
        run_well(*("--csv" if word == "--pdf" else word for word in command))


def test_the_version() -> None:
    """--version is that of the installed package."""
    assert run_well("--version").text == f"attnhand {version('attnhand')}\n"


@pytest.mark.parametrize("option", ["--help", "-h"])
def test_help_names_every_command_and_exit_code(option: str) -> None:
    """Commands with what they do; the exit codes are part of the contract."""
    ran = run_well(option)
    text = " ".join(ran.text.split())
    for name in COMMANDS:
        assert any(line.startswith(f"  {name} ") for line in ran.lines)
    assert "Exit codes: 0 fine; 1 check: not everything is correct; 2 a mistake of yours" in text
    assert "3 a missing system library; 70 a bug; 130 Ctrl-C." in text


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_help_with_examples(command: str) -> None:
    """Each shows command lines to copy, whole, and all its options within 80 columns."""
    assert COMMANDS.keys() == EXAMPLES.keys()
    ran = run_well(command, "--help")
    assert run_well(command, "-h") == ran
    lines = [line.strip() for line in ran.lines]
    for example in EXAMPLES[command]:
        assert any(line.startswith(example) for line in lines), example
    assert max(map(len, ran.lines)) <= 80
    assert not ANSI.search(ran.text)


def test_options_come_in_groups() -> None:
    """What, page and files stand under a heading each; ``explain`` writes no files."""
    titles = ["What is on the sheet", "The page", "Formats and files"]
    for command in ("generate", "solve", "key"):
        assert all(f"─ {title} ─" in run_well(command, "--help").text for title in titles)
    assert [f"─ {title} ─" in run_well("explain", "--help").text for title in titles] == [True, True, False]


def test_every_group_has_an_example() -> None:
    """Under its heading stands a command line of that command, with options of that group, that can be parsed."""
    commands = {name: make_command(name) for name in COMMANDS}
    groups = set()
    for name, command in commands.items():
        for param in command.params:
            if title := getattr(param, "rich_help_panel", None):
                groups.add((name, title))
                assert param.is_flag or param.metavar, param.opts
    assert groups == GROUP_EXAMPLES.keys()
    for (name, title), example in GROUP_EXAMPLES.items():
        program_name, typed, *rest = shlex.split(example)
        assert (program_name, typed) == ("attnhand", name)
        lines = run_well(name, "--help").lines
        heading = next(i for i, line in enumerate(lines) if line.startswith(f"─ {title} ─"))
        assert lines[heading + 1] == f"  {example}"
        context = commands[name].make_context(name, fill_in_bare_options(rest))
        chosen = {param.rich_help_panel for param in commands[name].params if context.params[param.name]}
        assert title in chosen


def test_the_help_of_own_matrices_leaves_out_what_they_refuse() -> None:
    """Options of drawn sheets are not in the help of ``solve``; given all the same, they are refused."""
    write_own_problem()
    assert "--level" not in run_well("solve", "--help", "all").text
    assert "--level is for drawn sheets" in run_refused("solve", "own.json", "--level", "warm-up")


@pytest.mark.parametrize("command", ["key", "explain", "check", "practice"])
def test_the_help_of_a_named_sheet_leaves_out_the_seed(command: str) -> None:
    """A seed beside the sheet's name is refused, so help speaks of none; of ``generate`` and ``class`` it does."""
    assert "--seed" not in run_well(command, "--help", "all").text
    assert all("--seed N" in run_well(drawing, "--help").text for drawing in ("generate", "class"))


@pytest.mark.parametrize("command", [*COMMAND_OPTIONS])
def test_the_whole_help_is_asked_for(command: str) -> None:
    """The short one describes some twenty options and names the others, in less than two screens; none is lost."""
    short, whole = (run_well(command, "--help", *more) for more in ((), ("all",)))
    assert run_well(command, "-h", "all") == whole
    shown = [option.flag for option in list_options(command) if option.is_in_help(command)]
    described = re.findall(r"^  (?:-o, )?(--[a-z0-9-]+)", whole.text, re.MULTILINE)
    assert sorted(described) == sorted(shown)
    named = re.findall(r"--[a-z0-9-]+(?=[ ,\n])", short.text)
    assert set(shown) <= set(named)
    assert len(short.lines) <= 75
    at_once = re.findall(r"^  (?:-o, )?(--[a-z0-9-]+) ", short.text.partition("─ More")[0], re.MULTILINE)
    assert len(at_once) <= 21


def test_the_help_of_check_begins_with_what_marks() -> None:
    """Not with what is on the sheet, of which it shows what a code does not hold."""
    lines = run_well("check", "--help").lines
    described = [line.split()[0] for line in lines if line.startswith("  --")]
    assert described[:6] == ["--against", "--accept", "--json", "--report", "--force", "--class"]
    assert not {"--level", "--mechanism", "--fade"} & set(described)


def test_help_in_colour_and_width() -> None:
    """Headings and options are painted where there is a terminal that wants it; wide ones get no longer lines."""
    output = run_in_terminal("generate", "--help", columns=120)
    assert "\x1b[1m--seed N\x1b[0m" in output
    assert max(len(ANSI.sub("", line)) for line in output.splitlines()) == 100
    assert not ANSI.search(run_in_terminal("generate", "--help", columns=120, NO_COLOR="1"))


def test_help_where_the_console_knows_few_characters() -> None:
    """What an encoding lacks becomes a question mark, not a traceback."""
    ran = run_program("generate", "--help", PYTHONIOENCODING="latin-1")
    assert (ran.exit_code, ran.error_text) == (0, "")
    assert "?x/2?" in ran.output.decode("latin-1")


@pytest.mark.parametrize(
    ("typed", "offered"),
    [
        ("attnhand gen", ["generate"]),
        ("attnhand generate --level ", ["first", "warm-up", "standard", "challenge"]),
        ("attnhand generate --large", ["--large-print"]),
    ],
)
def test_shells_complete_commands_options_and_choices(typed: str, offered: list[str]) -> None:
    """What bash asks for when somebody presses Tab."""
    script = Path(sys.executable).with_name("attnhand")
    asked = {"_ATTNHAND_COMPLETE": "complete_bash", "COMP_WORDS": typed, "COMP_CWORD": str(len(typed.split(" ")) - 1)}
    done = subprocess.run(
        [script], env={**os.environ, **asked}, capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=True
    )
    assert done.stdout.split() == offered


# what is loaded


def list_loaded_libraries(code: str) -> set[str]:
    """Run a piece of Python and return which of the heavy libraries it has loaded at its end."""
    libraries = ("typer", "rich", *HEAVY)
    report = (
        "import atexit, sys\n"
        "def report():\n"
        f"    sys.stderr.write(' '.join(['loaded:', *(m for m in {libraries} if m in sys.modules)]))\n"
        "atexit.register(report)\n"
    )
    ran = run_python("-c", report + code)
    assert ran.exit_code == 0, ran.error_text
    seen, *names = ran.error_text.split()
    assert seen == "loaded:"
    return set(names)


def make_run_code(*args: str) -> str:
    """Write the code that runs the command line."""
    return f"import sys\nfrom attnhand.cli import main\nsys.argv = {['attnhand', *args]!r}\nmain()"


@pytest.mark.parametrize("args", [("--help",), *((name, "--help") for name in COMMANDS), ("--version",), ()], ids=str)
def test_help_is_light(args: tuple[str, ...]) -> None:
    """Help, version and greeting load neither numpy nor jinja2 nor weasyprint nor pydantic."""
    assert not list_loaded_libraries(make_run_code(*args)) & set(HEAVY)


@pytest.mark.parametrize(
    "code",
    [
        "import attnhand",
        "import attnhand\nattnhand.generate(seed=7)",
        "import attnhand\nattnhand.solve(X=[[1, 0], [0, 1]], W_Q=[[1, 0]], W_K=[[1, 0]], W_V=[[2, 1]])",
        "import attnhand\nattnhand.generate(seed=7).to_dict()",
    ],
)
def test_python_users_load_nothing_that_draws_or_talks(code: str) -> None:
    """Importing, generating and solving load neither typer, rich, jinja2 nor weasyprint."""
    assert list_loaded_libraries(code) <= {"numpy"}


@pytest.mark.parametrize(
    ("args", "libraries"),
    [
        (("generate", "--seed", "7"), "typer rich numpy"),
        (("generate", "--seed", "7", "--csv", "--out", "-"), "typer numpy"),
        (("generate", "--seed", "7", "--html"), "typer numpy jinja2"),
        (("explain", "7", "S23"), "typer numpy"),
        (("samples", "classic"), "typer"),
        (("samples",), "typer"),
    ],
    ids=str,
)
def test_a_command_loads_what_it_needs(args: tuple[str, ...], libraries: str) -> None:
    """No format but the PDF loads weasyprint, none but the web page jinja2; rich serves the terminal and help."""
    assert list_loaded_libraries(make_run_code(*args)) - {"rich"} == set(libraries.split()) - {"rich"}


# exit codes


def test_fine_is_0() -> None:
    """As a program: the same as in this process."""
    assert run_program("generate", "--seed", "7") == run_well("generate", "--seed", "7")
    assert run_program("explain", "classic", "A11") == run_well("explain", "classic", "A11")


def test_the_installed_command_is_the_same_program() -> None:
    """``attnhand`` and ``python -m attnhand`` do the same."""
    script = Path(sys.executable).with_name("attnhand")
    done = subprocess.run([script, "samples"], capture_output=True, timeout=TIMEOUT_SECONDS, check=True)
    assert done.stdout == run_program("samples").output


def test_a_mistake_is_2() -> None:
    """One sentence on stderr."""
    assert run_program("samples", "nothing") == RunResult(
        exit_code=2,
        output=b"",
        error_text=f"attnhand: there is no sample 'nothing': choose {', '.join(list_sample_names())}\n",
    )


@pytest.mark.parametrize("name", COMMANDS)
def test_values_are_read_as_typer_reads_them(name: str) -> None:
    """Plain ones without its converters: the same for every option, and what one refuses both; empty names apart."""
    command = make_command(name)
    context = command.context_class(command, info_name=name)
    values = (None, "7", "-3", "007", " 7 ", "1_000", "7.0", "7.5", "x", "٣", "9" * 30, "a4", "WARM-UP", "my.csv")
    options = [each for each in command.get_params(context) if each.nargs == 1 and not each.multiple]
    assert len(options) > 1
    for option in options:
        for value in values:
            ours, converter = option.process_value, option.process_value.args[1]
            read, expected = (_describe_reading(reader, context, value) for reader in (ours, converter))
            assert read == expected, (option.name, value)


def _describe_reading(reader: Callable[[object, object], object], context: object, value: object) -> str:
    try:
        return repr(reader(context, value))
    except typer.TyperException as error:
        return f"{type(error).__name__}: {error.format_message()}"


@pytest.fixture
def without_pango(tmp_path: Path) -> str:
    """Return a PYTHONPATH on which importing WeasyPrint fails as it does where Pango is missing."""
    package = tmp_path / "stub" / "weasyprint"
    package.mkdir(parents=True)
    banner = "print('\\n-----\\nWeasyPrint could not import some external libraries.\\n-----\\n')\n"
    failure = (
        "raise OSError(\"cannot load library 'libpango-1.0-0': libpango-1.0-0: cannot open shared object file\")\n"
    )
    (package / "__init__.py").write_text(banner + failure, encoding="utf-8")
    return os.pathsep.join([str(package.parent), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.mark.parametrize(
    ("command", "file_count"),
    [
        (("generate", "--seed", "7", "--level", "warm-up", "--pdf", "--svg", "--png", "--html"), 8),
        (("generate", "--seed", "7", "--level", "warm-up", "--fillable", "--pdf"), 2),
        (("solve", "own.json", "--pdf", "--svg", "--png"), 6),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_no_sheet_needs_a_library(without_pango: str, command: tuple[str, ...], file_count: int) -> None:
    """Every format on a bare machine, without a word."""
    own_problem = write_own_problem("own.json")
    ran = run_program(*command, PYTHONPATH=without_pango)
    assert (ran.exit_code, ran.error_text) == (0, "")
    own_problem.unlink()
    assert len(read_files()) == file_count


def test_a_class_needs_no_library(without_pango: str) -> None:
    """Sheets, keys and forms of a class."""
    Path("roster.csv").write_text("name\nAda\nBo\n", encoding="utf-8")
    ran = run_program(
        "class", "roster.csv", "--level", "warm-up", "--fillable", "--jobs", "1", PYTHONPATH=without_pango
    )
    assert (ran.exit_code, ran.error_text) == (0, "2 students · name = name\n")


REPORT = ("check", "key.csv", "--report", "marks.pdf")


def write_key() -> None:
    """Write the key that ``REPORT`` is about."""
    run_well("generate", "--seed", "7", "--level", "warm-up", "--csv", "--solved", "--out", "key.csv")


def test_a_missing_library_is_3(without_pango: str) -> None:
    """The sentence names the install command and what works without; the banner of WeasyPrint is swallowed."""
    write_key()
    ran = run_program(*REPORT, PYTHONPATH=without_pango, PATH=os.defpath)
    assert (ran.exit_code, ran.output) == (3, b"")
    assert ran.error_text.startswith("attnhand: a report as PDF needs the system library Pango, which this ")
    assert ran.error_text.count("\n") == 1
    assert "(--report report.html works now, and so do all sheets and keys as PDF)" in ran.error_text
    assert "pango" in ran.error_text.split("lacks: ")[1]
    assert "marks.pdf" not in read_files()


def test_the_install_command_is_that_of_the_system(
    without_pango: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whichever package manager is there, its own command is named; without any the library is."""
    write_key()
    monkeypatch.syspath_prepend(without_pango.split(os.pathsep)[0])
    monkeypatch.delitem(sys.modules, "weasyprint", raising=False)
    for tool in ("apt-get", "dnf", "pacman", "apk", "brew", ""):
        tools = tmp_path / f"tools {tool}"
        tools.mkdir()
        if tool:
            (tools / tool).write_text("#!/bin/sh\n", encoding="utf-8")
            (tools / tool).chmod(0o755)
        monkeypatch.setenv("PATH", str(tools))
        ran = run_here(*REPORT)
        assert (ran.exit_code, ran.output) == (3, b"")
        command = ran.error_text.split("lacks: ")[1].split(" (")[0]
        assert command.removeprefix("sudo ").split()[0] == (tool or "install")
        assert "pango" in command.casefold()
        assert "(--report report.html works now" in ran.error_text


def test_a_bug_is_70_with_its_traceback() -> None:
    """Nobody is told that a bug of ours is a mistake of theirs."""
    broken = (
        "import attnhand.formats.sources as source\n"
        "def broken(*args):\n"
        "    raise ZeroDivisionError('a bug')\n"
        "source.make_sheet_from_seed = broken\n"
    )
    ran = run_python("-c", broken + make_run_code("generate", "--json"))
    assert (ran.exit_code, ran.output) == (70, b"")
    assert ran.error_text.startswith("Traceback (most recent call last):\n")
    assert ran.error_text.endswith("ZeroDivisionError: a bug\n")
    assert read_files() == {}


def test_a_key_that_fails_its_proof_is_a_bug(monkeypatch: pytest.MonkeyPatch) -> None:
    """It is never printed."""
    from attnhand.errors import KeyProofError

    def failing(_: object) -> None:
        raise KeyProofError("the weights do not add to 1")

    monkeypatch.setattr("attnhand.attention.proof.prove", failing)
    ran = run_here("generate", "--seed", "7", "--solved")
    assert (ran.exit_code, ran.output) == (70, b"")
    assert "KeyProofError" in ran.error_text


def test_ctrl_c_is_130() -> None:
    """A long search for a sheet ends at once, without a traceback, leaving nothing behind."""
    interrupted = (
        "import os, signal, attnhand.problems.generator as generator\n"
        "find = generator._MatrixSearch._find_part\n"
        "def interrupt(self, *args):\n"
        "    if self.draw_counts.total() >= 100:\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "    return find(self, *args)\n"
        "generator._MatrixSearch._find_part = interrupt\n"
    )
    impossible = ("generate", "--seed", "1", "--tokens", "6", "--d-k", "8", "--features", "2", "--json")
    ran = run_python("-c", RESTORE_CTRL_C + interrupted + make_run_code(*impossible))
    assert (ran.exit_code, ran.output) == (130, b"")
    assert "Traceback" not in ran.error_text
    assert read_files() == {}


def test_ctrl_c_while_waiting_for_input_is_130() -> None:
    """``attnhand solve -`` with nothing piped in can be left."""
    waiting = (
        "import os, signal, sys, time\n"
        "from types import SimpleNamespace\n"
        "def read(limit):\n"
        "    os.kill(os.getpid(), signal.SIGINT)\n"
        "    time.sleep(60)\n"
        "sys.stdin = SimpleNamespace(buffer=SimpleNamespace(read=read))\n"
    )
    ran = run_python("-c", RESTORE_CTRL_C + waiting + make_run_code("solve", "-"))
    assert (ran.exit_code, ran.output) == (130, b"")
    assert "Traceback" not in ran.error_text


# streams


@pytest.mark.parametrize(
    "args",
    [
        *(("generate", "--seed", "7"), ("samples", "classic"), ("generate", "--seed", "7", "--json"), ()),
        *choose(
            (),
            (
                *(("generate", "--seed", "7", "--json", "--out", "-"), ("explain", "7", "A23"), ("samples",)),
                ("generate", "--help"),
            ),
        ),
    ],
    ids=str,
)
def test_a_reader_that_goes_away_is_nobodys_mistake(args: tuple[str, ...]) -> None:
    """``| head -1``: exit code 0, no traceback, nothing on stderr."""
    reading, writing = os.pipe()
    os.close(reading)
    done = subprocess.run(
        [sys.executable, "-m", "attnhand", *args],
        stdout=writing,
        stderr=subprocess.PIPE,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_first_line_of_a_long_sheet() -> None:
    """A real pipe into a reader that takes one line."""
    command = f"set -o pipefail; {sys.executable} -m attnhand generate --seed 7 --tokens 12 --features 12 | head -1"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=TIMEOUT_SECONDS, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, "Self-attention by hand\n", "")


@pytest.mark.parametrize(
    "args", ["generate --seed 7", "samples classic", *choose((), ("explain 7 S23", "generate --json --out -"))]
)
def test_a_full_disk_behind_stdout_is_said_in_a_sentence(args: str) -> None:
    """What was to be printed is lost, and the exit code says so."""
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "attnhand", *args.split()],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            timeout=TIMEOUT_SECONDS,
            check=False,
        )
    assert (done.returncode, done.stderr) == (
        2,
        "attnhand: standard output cannot be written (No space left on device): make room there, "
        "or send it to a file elsewhere\n",
    )


CLOSED_OUTPUT = "attnhand: standard output is closed: send it to a file, or run this in a terminal\n"


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ("generate --seed 7 >&-", CLOSED_OUTPUT),
        ("generate --seed 7 --json --out - >&-", CLOSED_OUTPUT),
        ("explain 7 S23 >&-", CLOSED_OUTPUT),
        ("solve - <&-", "attnhand: standard input is closed: pipe a problem file into it, or name the file\n"),
    ],
)
def test_closed_streams_are_said_in_a_sentence(command: str, message: str) -> None:
    """A script that closes them hears of it."""
    done = subprocess.run(
        ["bash", "-c", f"{sys.executable} -m attnhand {command}"],
        capture_output=True,
        text=True,
        timeout=TIMEOUT_SECONDS,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (2, "", message)


CLASS_FILES = (
    "hand-out/sheets.pdf",
    *(f"teacher/{name}" for name in ("class.toml", "index.csv", "keys.pdf", "marks.csv")),
)


@pytest.mark.parametrize("stdout", choose(["| true"], [">&-", "| true"]))
@pytest.mark.parametrize(
    ("command", "exit_code", "files"),
    [
        ("check answers/a.csv --report r.html", 1, {"r.html"}),
        ("grade answers --jobs 1", 0, {"gradebook.csv", "review.csv", "review.xlsx", "summary.html"}),
        *choose(
            (),
            (
                ("generate --seed 7 --out x.csv", 0, {"x.csv", "x-key.csv"}),
                ("check answers/a.csv --report r.html --json", 1, {"r.html"}),
            ),
        ),
        ("class --count 1 --jobs 1 --out c", 0, {f"c/{name}" for name in CLASS_FILES}),
    ],
)
def test_files_are_written_whoever_hears_of_it(command: str, exit_code: int, files: set[str], stdout: str) -> None:
    """That their names, or marks that stand in them, cannot be printed costs nothing."""
    run_well("generate", "--seed", "7", "--mistake", "truncated", "--csv", "--blank", "--out", "answers/a.csv")
    script = f"{sys.executable} -m attnhand {command} {stdout}; exit ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    assert (done.returncode, done.stderr) == (exit_code, b"")
    assert {name for name, data in read_files().items() if data is not None} - {"answers/a.csv"} == files


@pytest.mark.parametrize(
    ("command", "exit_code", "output"),
    [("generate --tokens 99", 2, b""), ("generate --seed 7 --scorm --out x.zip", 0, b"x.zip\n")],
)
def test_notes_never_go_to_stdout(command: str, exit_code: int, output: bytes) -> None:
    """Not even where stderr is closed."""
    script = f"{sys.executable} -m attnhand {command} 2>&-"
    done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=TIMEOUT_SECONDS, check=False)
    assert (done.returncode, done.stdout) == (exit_code, output)


def test_the_sheet_is_utf_8_whatever_the_locale_says() -> None:
    """Piped output never depends on the environment."""
    ask = ("generate", "--seed", "7", "--solved")
    assert run_program(*ask, LC_ALL="POSIX", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0") == run_well(*ask)
    assert run_program("explain", "7", "A23", PYTHONIOENCODING="ascii") == run_well("explain", "7", "A23")


# colour and width


def test_piped_output_has_no_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even where TERM promises a colourful terminal; NO_COLOR changes nothing."""
    plain = run_well("generate", "--seed", "7", "--solved")
    assert not ANSI.search(plain.text)
    assert run_program("generate", "--seed", "7", "--solved", TERM="xterm-256color", COLORTERM="truecolor") == plain
    assert run_program("generate", "--seed", "7", "--solved", NO_COLOR="1") == plain


def test_colour_can_be_forced() -> None:
    """FORCE_COLOR colours a pipe, and nothing but colour changes."""
    plain = run_well("generate", "--seed", "7", "--solved")
    coloured = run_program("generate", "--seed", "7", "--solved", FORCE_COLOR="1")
    assert ANSI.search(coloured.text)
    assert [line.rstrip() for line in ANSI.sub("", coloured.text).splitlines()] == plain.lines
    assert run_program("generate", "--seed", "7", "--solved", FORCE_COLOR="") == plain


def run_in_terminal(*args: str, columns: int = 100, **environment: str) -> str:
    """Run the program with a terminal of so many columns as its stdout."""
    import pty
    import struct
    from fcntl import ioctl
    from termios import TIOCSWINSZ

    keyboard, screen = pty.openpty()
    ioctl(screen, TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    with subprocess.Popen(
        [sys.executable, "-m", "attnhand", *args],
        stdin=screen,
        stdout=screen,
        stderr=screen,
        env={**os.environ, "TERM": "xterm", **environment},
    ) as started:
        os.close(screen)
        output = b""
        while True:
            try:
                piece = os.read(keyboard, 65536)
            except OSError:  # Linux says so where the other end is closed
                break
            if not piece:
                break
            output += piece
    os.close(keyboard)
    assert started.returncode == 0
    return output.decode().replace("\r\n", "\n")


def test_a_terminal_gets_colour_and_its_own_width() -> None:
    """The sheet is drawn for the columns there are."""
    output = run_in_terminal("generate", "--seed", "7", columns=100)
    assert output == render_terminal(attnhand.generate(seed=7).blank, width=100, colour=True)
    assert ANSI.search(output)


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=str)
def test_a_terminal_may_ask_for_no_colour(environment: dict[str, str]) -> None:
    """NO_COLOR and a dumb terminal get the plain sheet."""
    output = run_in_terminal("generate", "--seed", "7", columns=80, **environment)
    assert output == render_terminal(attnhand.generate(seed=7).blank)


@pytest.mark.parametrize(("columns", "width"), [("120", 120), ("60", 60), ("20", 60), ("0", 80), ("wide", 80)])
def test_columns_sets_the_width(monkeypatch: pytest.MonkeyPatch, columns: str, width: int) -> None:
    """COLUMNS serves for pipes too; below 60 no sheet is readable; nonsense is 80."""
    monkeypatch.setenv("COLUMNS", columns)
    sheet = attnhand.generate(seed=7, mechanism="basic", tokens=12, features=12)
    ran = run_well("generate", "--seed", "7", "--mechanism", "basic", "--tokens", "12", "--features", "12", "--solved")
    assert ran.text == render_terminal(sheet, width=width)


def test_the_help_names_every_mechanism() -> None:
    """The help, which must not load them, has the registry's names in its order."""
    assert ", ".join(MECHANISMS) in " ".join(run_program("generate", "--help").text.split())


def test_the_first_screen_fits_a_terminal() -> None:
    """In 80 columns no line is broken, least of all in the middle of a path."""
    lines = run_well().text.splitlines()
    assert len(lines) > 10
    assert max(map(len, lines)) <= 80
