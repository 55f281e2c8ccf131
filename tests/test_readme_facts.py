"""What the pages say of options, formats, files and numbers is what the program knows."""

import re
import shlex
import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from attnhand.api import vet
from attnhand.attention.arithmetic import HAND, Arithmetic, Base
from attnhand.attention.mechanisms import DEFAULT_VARIANT, MECHANISMS
from attnhand.attention.problem import SIZE_LIMITS
from attnhand.classroom.changes import MIN_REFUSED_WITHDRAWALS, REFUSED_SHARE
from attnhand.classroom.papers import MAX_FILES
from attnhand.classroom.reading_budget import MAX_BYTES
from attnhand.formats.registry import FORMATS
from attnhand.formats.scorm import MAX_DATA_LENGTH
from attnhand.formats.sources import list_sample_names
from attnhand.problems.levels import Level, Requirements, choose_requirements
from attnhand.problems.request import LEVEL_SIZES, MAX_SEED
from attnhand.problems.salt import MIN_SALT_LENGTH, draw_salt
from attnhand.problems.story_template import STORY_NAMES
from attnhand.sheet.option_table import list_options
from attnhand.sheet.sheet import MAX_TOKENS_WITH_ALL_QUERIES, MAX_WORD_LENGTH
from attnhand.system.limits import MAX_SECONDS, MAX_WORKER_MEMORY
from attnhand.text import LANGUAGES
from samples.make_samples import sample_sheet
from tests.cli.running import read_files, run_here
from tests.exports.cases import ALLOWED_DIFFERENCES, ALLOWED_OF_SOME
from tests.readme import CONSOLE_BLOCK, PAGE_PATHS, read_page

FRONT, SHEETS, EXPORTS = "README.md", "samples/README.md", "samples/exports.md"
CLASS, MARKING = "attnhand/classroom/README.md", "attnhand/marking/README.md"

COMMANDS = ("generate", "solve", "key", "explain", "class", "term", "check", "grade", "practice", "samples")

PAGES_OF_COMMANDS = {
    "generate": (SHEETS,),
    "solve": (SHEETS,),
    "key": (SHEETS, MARKING),
    "explain": (SHEETS,),
    "class": (CLASS, SHEETS),
    "term": (CLASS, SHEETS),
    "check": (MARKING, SHEETS),
    "grade": (CLASS, SHEETS),
    "practice": (MARKING, SHEETS),
}
"""Where the options of a command are described."""

COMMANDS_OF_SECTIONS = {
    (SHEETS, "Options"): ("generate",),
    (CLASS, "Making a class"): ("class",),
    (CLASS, "A term"): ("term",),
    (CLASS, "Marking a class"): ("grade",),
    (MARKING, "One paper"): ("check",),
    **{(EXPORTS, section): ("generate",) for section in re.findall(r"^## (.*)", read_page(EXPORTS), re.MULTILINE)},
}
"""Which command's options a section is about, where it names no other beside them."""

CODE = re.compile(r"`([^`\n]+)`")

FLAG = re.compile(r"(?<![\w-])--[a-z][\w-]*")


def list_flags(*commands: str) -> set[str]:
    """Return what may be typed after some commands."""
    return {flag for command in commands for option in list_options(command) for flag in option.flags} | {"--help"}


def list_command_lines(page: str) -> Iterator[tuple[str, str]]:
    """Yield every command that a page types out, in a block or in passing, with what follows it."""
    text = read_page(page)
    blocks = "".join(CONSOLE_BLOCK.findall(text)) + "".join(re.findall(r"^(?: {4}|attnhand ).*\n", text, re.MULTILINE))
    typed = re.findall(r"\battnhand (.*)", blocks) + [code.removeprefix("attnhand ") for code in CODE.findall(text)]
    for line in typed:
        command, *rest = re.split(r"[ |]", line, maxsplit=1)
        if command in COMMANDS:
            yield command, "".join(rest)


def list_passages(page: str) -> Iterator[tuple[str, str]]:
    """Yield paragraphs, list items and rows of tables, each with the heading that it stands under."""
    heading = ""
    for part in re.split(r"\n(?=\||- |#)|\n\n", re.sub(r"```.*?```", "", read_page(page), flags=re.DOTALL)):
        if part.startswith("#"):
            heading = part.lstrip("#").splitlines()[0].strip()
        yield heading, part


@pytest.mark.parametrize("page", PAGE_PATHS)
def test_options_in_a_command_are_options_of_that_command(page: str) -> None:
    """Whoever types what a page shows is not told that there is no such option."""
    wrong = [
        f"{command} {line}"
        for command, line in list_command_lines(page)
        # what follows a pipe is another command's
        if set(FLAG.findall(line.split("|")[0].split("#")[0])) - list_flags(command)
    ]
    assert wrong == []


@pytest.mark.parametrize("page", [FRONT, SHEETS, EXPORTS, CLASS, MARKING])
def test_options_that_stand_alone_are_options_of_what_their_section_is_about(page: str) -> None:
    """Or of a command that is named beside them; elsewhere, of any command."""
    wrong = []
    for heading, passage in list_passages(page):
        named = [code.removeprefix("attnhand ").split()[0] for code in CODE.findall(passage)]
        about = COMMANDS_OF_SECTIONS.get((page, heading), COMMANDS)
        known = list_flags(*about, *(name for name in named if name in COMMANDS)) | {"--version"}
        flags = {flag for code in CODE.findall(passage) if code.startswith("-") for flag in FLAG.findall(code)}
        wrong += [(heading, flag) for flag in sorted(flags - known)]
    assert wrong == []


@pytest.mark.parametrize("command", PAGES_OF_COMMANDS)
def test_every_option_is_described(command: str) -> None:
    """On the page of its command, or on that about sheets."""
    text = "".join(map(read_page, PAGES_OF_COMMANDS[command]))
    flags = {option.flag for option in list_options(command)}
    assert {flag for flag in flags if not re.search(rf"{flag}\b", text)} == set()


def test_every_format_is_listed() -> None:
    """Once each where the options stand, in the rows of files and of learning platforms."""
    rows = [row for row in read_page(SHEETS).splitlines() if re.match(r"\| `--(pdf|moodle)\b", row)]
    listed = [flag for row in rows for flag in FLAG.findall(row.split("|")[1])]
    others = ["--blank", "--force", "--out", "--solved"]
    assert sorted(listed) == sorted([*(f"--{name}" for name in FORMATS), *others])


def test_every_language_and_story_is_listed() -> None:
    """All that there are, and no other."""
    (codes,) = re.findall(r"`--language de`: ([\w, ]+)", flatten(FRONT))
    assert set(codes.split(", ")) == set(LANGUAGES) - {"en"}
    stories = read_page(SHEETS).split("## A story")[1].split("## ")[0]
    rows = [row.split("|")[1] for row in stories.splitlines() if row.startswith("| `")]
    assert sorted(CODE.findall("".join(rows))) == sorted(STORY_NAMES)


def flatten(page: str) -> str:
    """Return a page without its line breaks."""
    return " ".join(read_page(page).split())


def require(tokens: int, base: Base = Base.THREE) -> Requirements:
    """Return what a standard sheet of so many tokens must meet."""
    sizes = {name: size for name, size in LEVEL_SIZES[Level.STANDARD].items() if name not in ("memory", "hidden")}
    arithmetic = Arithmetic(rules=replace(HAND, base=base), d_k=sizes["d_k"])
    return choose_requirements(
        Level.STANDARD, DEFAULT_VARIANT, {**sizes, "tokens": tokens}, arithmetic, allow_ties=False
    )


def list_sizes(level: Level) -> tuple[int, ...]:
    """Return tokens, features, d_k and d_v of a level."""
    return tuple(LEVEL_SIZES[level][name] for name in ("tokens", "features", "d_k", "d_v"))


NUMBERS: tuple[tuple[str, str, tuple[int, ...]], ...] = (
    (SHEETS, r"drawn from: (\d+) to ([\d,]+);", (0, MAX_SEED)),
    (SHEETS, r"sizes of your own: (\d+) to (\d+) tokens and features", SIZE_LIMITS["tokens"]),
    (SHEETS, r"and features, d_k and d_v (\d+) to (\d+)", SIZE_LIMITS["d_k"]),
    (SHEETS, r"up to (\d+), of (\d+) letters each", (SIZE_LIMITS["tokens"][1], MAX_WORD_LENGTH)),
    (SHEETS, r"so above (\d+) tokens unless you say otherwise", (MAX_TOKENS_WITH_ALL_QUERIES,)),
    (SHEETS, r"gives no key\. [^;]*; (\d+) characters or more", (MIN_SALT_LENGTH,)),
    (SHEETS, r"(\d+) tokens, (\d+) features, d_k = d_v = (\d+), no negative", list_sizes(Level.WARM_UP)[:3]),
    (SHEETS, r"before A · (\d+), (\d+), (\d+), (\d+) ·", list_sizes(Level.STANDARD)),
    (SHEETS, r"· (\d+), (\d+), (\d+), (\d+) with entries", list_sizes(Level.CHALLENGE)),
    (SHEETS, r"scaled scores from (−\d+) to (\d+)", (require(6).min_score, require(6).max_score)),
    (SHEETS, r"denominators of A up to (\d+)", (require(6).max_denominator or 0,)),
    (SHEETS, r"and denominators reach (\d+), above 8 tokens ([\d,]+)", (require(8).max_denominator or 0, 1000)),
    (SHEETS, r"base 10: ([\d,]+);", (require(6, Base.TEN).max_denominator or 0,)),
    (EXPORTS, r"room for ([\d,]+) characters", (MAX_DATA_LENGTH,)),
    (CLASS, r"Fewer than (\d+) characters", (MIN_SALT_LENGTH,)),
    (CLASS, r"was stretched to, (\d+) digits", (len(draw_salt()),)),
    (CLASS, r"honest papers do, and hold (\d+) GB", (MAX_BYTES // 10**9,)),
    (CLASS, r"with more than ([\d,]+) files", (MAX_FILES,)),
    (CLASS, r"with a gigabyte of memory and (\d+) seconds of processor time", (int(MAX_SECONDS),)),
)
"""Page, what it says, and the numbers that it must name."""


@pytest.mark.parametrize(("page", "sentence", "expected"), NUMBERS, ids=[sentence for _, sentence, _ in NUMBERS])
def test_numbers_are_those_of_the_program(page: str, sentence: str, expected: tuple[int, ...]) -> None:
    """Limits and defaults that a page names, each in its own sentence."""
    (found,) = re.findall(sentence, flatten(page))
    numbers = (found,) if isinstance(found, str) else found
    assert tuple(int(number.replace(",", "").replace("−", "-")) for number in numbers) == expected


def test_limits_that_are_said_in_words() -> None:
    """Those of the loosest sizes, and of who may leave at once."""
    assert require(9).max_denominator == require(12).max_denominator == 1000
    assert (require(8).max_top_tokens, require(12).max_top_tokens) == (2, 3)  # a quarter
    assert "More than a tenth missing at once (and more than two) is refused" in flatten(CLASS)
    assert (MIN_REFUSED_WITHDRAWALS, REFUSED_SHARE) == (3, 10)
    assert MAX_WORKER_MEMORY == 10**9  # a gigabyte
    mechanisms = next(row for row in read_page(SHEETS).splitlines() if row.startswith("| `--mechanism self`"))
    assert ["self", *CODE.findall(mechanisms.split("|")[1])[1:]] == list(MECHANISMS)


def test_pythons_that_are_claimed_are_those_that_were_tried() -> None:
    """The package's classifiers, and what the page for contributors says of trials."""
    (tried,) = re.findall(r"Tried so far: ([\d., ]+\d)\. ", flatten("CONTRIBUTING.md"))
    claimed = re.findall(r"Programming Language :: Python :: (3\.\d+)", read_page("pyproject.toml"))
    assert tried.split(", ") == claimed


def test_samples_that_are_not_vetted_are_named() -> None:
    """All others have only what is good for a class."""
    (sentence,) = re.findall(r"all vetted but those of (.*?)\.", flatten(SHEETS))
    poor = [name for name in list_sample_names() if not vet(sample_sheet(name)).is_good]
    assert sorted(name for name in list_sample_names() if re.search(rf"\b{name}\b", sentence)) == sorted(poor)


FILE = re.compile(r"(?:\w[\w-]*(?: \w+)?/)*\w[\w-]*(?: \w+)?\.(?:pdf|html|csv|xlsx|tex|xml|toml|zip|ipynb|docx)")

NOT_WRITTEN = {
    "class.csv",  # the roster of an example
    "0.pdf",  # what students call their files
    "0 Ada.docx",
    "Ada Lovelace_0_assignsubmission_file/sheet.csv",
    "marks.xlsx",  # what a spreadsheet makes of marks.csv
}
"""Files of which the page about a class speaks, and which no command writes; digits are 0."""


def list_files(page: str) -> set[str]:
    """Return the names of files that stand in a page's code alone, or behind a # in a block."""
    text = re.sub(r"```console\n.*?```", "", read_page(page), flags=re.DOTALL)
    comments = re.findall(r"^ *attnhand .*# (.*)", text, re.MULTILINE)
    names = [*CODE.findall(text), *(word for comment in comments for word in comment.split())]
    return {name for name in names if FILE.fullmatch(name)}


def test_files_of_exports_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every command of the page works, and between them they write every file that it says they write."""
    text = read_page(EXPORTS)
    lines = re.findall(r"^ *(attnhand .*)$", text, re.MULTILINE)
    lines += [code for code in CODE.findall(text) if re.match("attnhand (generate|solve|key|class) .*--", code)]
    assert len(lines) >= 15
    written = set()
    monkeypatch.chdir(tmp_path)
    assert run_here("generate", "--seed", "7", "--xlsx", "--solved", "--out", "ada.xlsx").exit_code == 0
    for number, line in enumerate(lines):
        folder = tmp_path / str(number)
        folder.mkdir()
        monkeypatch.chdir(folder)
        Path("roster.csv").write_text("name\nAda\nBruno\n", encoding="utf-8")
        Path("mine.toml").write_text("given = {X = [[1, 2], [0, 1]], W_Q = [[1, 0]], W_K = [[0, 1]], W_V = [[2, 1]]}\n")
        shutil.copy2("../ada.xlsx", ".")
        ran = run_here(*shlex.split(line.split("#")[0].replace("--count 30", "--count 3"))[1:])  # a few do
        assert ran.exit_code == 0, (line, ran.error_text)
        written |= {str(Path(name).relative_to("attnhand-class")) for name in read_files() if "attnhand-class/" in name}
        written |= set(read_files())
    named = list_files(EXPORTS)
    assert len(named) >= 8
    assert named - written == set()


def test_what_markers_need_not_know_is_listed() -> None:
    """Each difference that the table of cases allows stands on the page, with its markers and its reason."""
    _, _, table = read_page(EXPORTS).partition("| where | what | why |\n|---|---|---|\n")
    rows = [line.strip("| ").split(" | ") for line in table.partition("\n\n")[0].splitlines()]
    listed = {(marker, reason) for markers, _, reason in rows for marker in markers.split(", ")}
    allowed = {(marker.value, reason) for (marker, _), reason in ALLOWED_DIFFERENCES.items()}
    assert listed == allowed | {(marker.value, reason) for marker, reason in ALLOWED_OF_SOME.items()}


def test_files_of_a_class_are_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A class with groups, in which two join later and one hands in, has every file that the page speaks of."""
    monkeypatch.chdir(tmp_path)

    def write_roster(*rows: str) -> None:
        Path("roster.csv").write_text("\n".join(["name,group,id", *rows, ""]), encoding="utf-8")

    def run(*args: str) -> None:
        ran = run_here(*args)
        assert ran.exit_code == 0, ran.error_text

    write_roster("Ada,TD 1,1", "Bruno,GROUP,2", "Chiara,,3")
    run("class", "roster.csv", "--separate", "group", "--moodle", "--stack", "--qti12")
    write_roster("Ada,TD 1,1", "Bruno,GROUP,2", "Chiara,,3", "Di,,4", "Eve,,5")
    run("class", "roster.csv", "--only", "new")
    run("class", "--count", "1", "--no-cover", "--out", "cut")
    run("key", "1", "--class", "attnhand-class", "--csv", "--solved", "--out", "answers/001.csv")
    run("grade", "attnhand-class", "answers", "--reports", "--grades", "moodle")
    run("grade", "attnhand-class", "answers", "--grades", "canvas", "--force")
    Path("weeks.toml").write_text('[[sheets]]\npart = "words"\n', encoding="utf-8")
    run("term", "roster.csv", "--plan", "weeks.toml")
    run("key", "1", "--class", "attnhand-term/week-1", "--csv", "--solved", "--out", "of-term/001.csv")
    run("grade", "attnhand-term", "of-term", "--out", "graded")
    written = {re.sub(r"\d+", "0", name) for name in read_files()}
    named = {re.sub(r"\d+", "0", name) for name in list_files(CLASS)} - NOT_WRITTEN
    assert len(named) >= 12
    assert [name for name in sorted(named) if not any(f"/{each}".endswith(f"/{name}") for each in written)] == []
