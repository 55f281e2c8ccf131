"""``attnhand class``: a distinct sheet for everyone, the same again at any time, whatever happens in between."""

import contextlib
import csv
import errno
import io
import json
import os
import re
import signal
import subprocess
import sys
import tomllib
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from pypdf import PdfReader

from attnhand.classroom import make_class
from attnhand.classroom.class_file import read_class_toml
from attnhand.classroom.class_request import make_class_request
from attnhand.classroom.index import read_index
from attnhand.classroom.make_class import _write_pdfs
from attnhand.errors import AttnhandError
from attnhand.formats.answers import read_answers_from_spreadsheet
from attnhand.formats.package import unpack_files
from attnhand.problems.salt import stretch_salt
from attnhand.sheet.option_table import list_options
from attnhand.system.digests import is_untouched
from tests.breadth import choose
from tests.cli.running import RESTORE_CTRL_C, read_files, run_here, run_python, run_refused, run_well
from tests.system.jobs import LONGEST_WAIT, wait_until

WARM_UP_OPTIONS = ("--level", "warm-up", "--jobs", "1")
ROSTER = "name,id,group\nAda Lovelace,7,B\nNguyễn Thị Hường,8,A\n../../etc/CON,9,B\n=1+1,10,A\n"


@pytest.fixture
def roster() -> Iterator[str]:
    """Yield the name of a roster of four."""
    Path("roster.csv").write_text(ROSTER, encoding="utf-8")
    yield "roster.csv"


def table(path: str) -> list[list[str]]:
    """Return the rows of a table that was written."""
    return list(csv.reader(io.StringIO(Path(path).read_text(encoding="utf-8-sig"), newline="")))


def pages(path: str) -> list[str]:
    """Return the words of every page of a PDF."""
    return [page.extract_text() for page in PdfReader(path).pages]


def bookmarks(path: str) -> list[str]:
    """Return the titles of a PDF's bookmarks."""
    return [str(item.title) for item in PdfReader(path).outline if not isinstance(item, list)]


def test_everyone_gets_a_sheet(roster: str) -> None:
    """By group behind separators, spares at the end, every page with № and name; and the teacher's half."""
    command = ("class", roster, *WARM_UP_OPTIONS, "--sort", "--duplex", "--spare", "1", "--separate", "--seed", "3")
    assert run_well(*command).lines == [
        "attnhand-class/hand-out/sheets.pdf",
        *(f"attnhand-class/teacher/{name}" for name in ("class.toml", "index.csv", "keys.pdf", "marks.csv")),
        "attnhand-class/hand-out/ (5 files, by № and name)",
    ]
    sheets = pages("attnhand-class/hand-out/sheets.pdf")
    assert len(sheets) == 2 + 3 * 2 + 5 * 2  # the cover, three separators, five sheets
    assert "Sheets: 4, № 001–004" in sheets[0]
    assert "Leaves in all: 9" in sheets[0]
    assert sheets[1] == ""
    order = ["Group A", "№ 002", "№ 004", "Group B", "№ 001", "№ 003", "Spares", "№ 005"]
    assert [text for text, page in zip(order, sheets[2::2], strict=True) if text not in page] == []
    assert all(("Nguyễn Thị Hường" in page, "№ 002" in page) == (True, True) for page in sheets[4:6])
    names = {path.name for path in Path("attnhand-class/hand-out").iterdir()}
    assert names == {
        "sheets.pdf",
        *("001 Ada Lovelace.pdf", "002 Nguyễn Thị Hường.pdf", "003 .. .. etc CON.pdf", "004 =1+1.pdf", "005.pdf"),
    }
    assert table("attnhand-class/teacher/marks.csv")[0] == [
        *("No.", "name", "Q", "K", "V", "S", "scaled", "powers", "Σ", "A", "Z")
    ]
    assert [row[:3] for row in table("attnhand-class/teacher/index.csv")[1:]] == [
        ["001", "Ada Lovelace", "7"],
        ["002", "Nguyễn Thị Hường", "8"],
        ["003", "../../etc/CON", "9"],
        ["004", "'=1+1", "10"],
        ["005", "", ""],
    ]
    keys = pages("attnhand-class/teacher/keys.pdf")
    assert "Z and S right: full marks." in keys[0]
    assert [number for number in ("001", "002", "003", "004", "005 spare") if number not in keys[0]] == []
    assert all("ANSWER KEY" in page for page in keys[1:])
    whose = [
        *("002 Nguyễn Thị Hường · A · 8", "004 =1+1 · A · 10"),
        *("Group B", "001 Ada Lovelace · B · 7", "003 ../../etc/CON · B · 9"),
    ]
    assert bookmarks("attnhand-class/hand-out/sheets.pdf") == ["Group A", *whose, "Spares", "005 spare"]
    of_students = [title for title in whose if title != "Group B"]
    assert bookmarks("attnhand-class/teacher/keys.pdf") == ["Quick keys", *of_students, "005 spare"]
    salt = tomllib.loads(Path("attnhand-class/teacher/class.toml").read_text(encoding="utf-8"))["class"]["salt"]
    entry = read_index(Path("attnhand-class/teacher/index.csv").read_bytes())[0]
    assert f"sheet {entry.code}" in run_well("key", entry.code, "--salt", salt, "--markdown", "--out", "-").text


def test_the_same_set_is_made_again(roster: str) -> None:
    """Byte for byte, from the teacher's half alone, with one process or two; elsewhere, or where it lies."""
    run_well("class", roster, *WARM_UP_OPTIONS, "--sort", "name", "--spare", "2", "--out", "set")
    whole = read_files(Path("set"))
    run_well("class", "set/teacher", "--out", "again", "--jobs", "2")
    assert read_files(Path("again")) == whole
    run_well("class", "set/teacher")
    assert read_files(Path("set")) == whole


def test_whoever_comes_later_changes_nobody() -> None:
    """Numbers and sheets stay, spares and marks too; a number that somebody had is given to nobody else."""
    Path("roster.csv").write_text("name\nAda\nBob\nCy\n", encoding="utf-8")
    run_well("class", "roster.csv", *WARM_UP_OPTIONS, "--spare", "1", "--separate")
    before = read_files(Path("attnhand-class/hand-out"))
    marks = Path("attnhand-class/teacher/marks.csv")
    marks.write_bytes(marks.read_bytes().replace(b"001,Ada,,", b"001,Ada,5,"))
    Path("roster.csv").write_text("name\nDan\nAda\nBob\n", encoding="utf-8")
    run_well("class", "roster.csv")
    after = read_files(Path("attnhand-class/hand-out"))
    shared = [name for name in before if name != "sheets.pdf"]
    assert [name for name in shared if after[name] != before[name]] == []
    assert after.keys() - before.keys() == {"005 Dan.pdf"}
    rows = table(str(marks))
    assert [row[:3] for row in rows[1:]] == [
        ["001", "Ada", "5"],
        *(["002", "Bob", ""], ["003", "Cy", ""], ["004", "", ""], ["005", "Dan", ""]),
    ]
    Path("roster.csv").write_text("name\nAda\nBob\n", encoding="utf-8")
    run_well("class", "roster.csv")
    Path("roster.csv").write_text("name\nAda\nBob\nEve\n", encoding="utf-8")
    run_well("class", "roster.csv")
    assert [row[:2] for row in table("attnhand-class/teacher/index.csv")[1:]] == [
        *(["001", "Ada"], ["002", "Bob"], ["003", "Cy"], ["004", ""], ["005", "Dan"], ["006", "Eve"])
    ]


def test_one_student_differs_in_page_alone() -> None:
    """A web sheet, large print, tags: a file of their own, the same numbers, the same №."""
    Path("plain.csv").write_text("name\nAda\nBob\nCy\n", encoding="utf-8")
    Path("own.csv").write_text("name,format,large print\nAda,,yes\nBob,html,\nCy,,\n", encoding="utf-8")
    for name in ("plain", "own"):
        run_well("class", f"{name}.csv", *WARM_UP_OPTIONS, "--seed", "3", "--salt", "otter, waltz", "--out", name)
    codes = [[row[0:4] for row in table(f"{name}/teacher/index.csv")] for name in ("plain", "own")]
    assert codes[0] == codes[1]
    assert {path.name for path in Path("own/hand-out").iterdir()} == {"sheets.pdf", "001 Ada.pdf", "002 Bob.html"}
    assert len(pages("own/hand-out/sheets.pdf")) == 1 + 2
    assert "each in one of its own: № 001, 002." in pages("own/hand-out/sheets.pdf")[0]
    assert len(pages("own/hand-out/001 Ada.pdf")) > 2
    web = Path("own/hand-out/002 Bob.html").read_text(encoding="utf-8")
    assert '"number":2,"name":"Bob"' in web


def test_a_file_of_ones_own_asks_what_the_printed_sheet_asks() -> None:
    """Of head 2 the last two tokens alone, whose queries, scores and outputs are asked, and no key or value."""
    run_well("class", "--count", "1", "--part", "head-2", "--fillable", "--html", "--no-salt", "--seed", "7")
    form = PdfReader("attnhand-class/hand-out/001.pdf").get_form_text_fields()
    web = Path("attnhand-class/hand-out/001.html").read_text(encoding="utf-8")
    asked = {
        f"{name}_{row}_{q}"
        for name, rows in (("Q", 2), ("S", 4), ("Z", 2))
        for row in range(1, rows + 1)
        for q in (3, 4)
    }
    worked = {"Q_1_3"}  # no field of a form
    for cells in (form, re.findall(r'id="(\w+_\d_\d)"', web)):
        assert {cell for cell in cells if re.fullmatch(r"[QKVSZ]_\d_\d", cell)} | worked == asked


def test_forms_carry_number_and_name() -> None:
    """In the name field, from where ``grade`` takes them; work that was filled in where it lay is not lost."""
    Path("roster.csv").write_text("name\nAda\n", encoding="utf-8")
    run_well("class", "roster.csv", *WARM_UP_OPTIONS, "--fillable")
    form = Path("attnhand-class/hand-out/001 Ada.pdf")
    fields = PdfReader(form).get_form_text_fields()
    assert (fields["name"], fields["date"]) == ("001 Ada", "")
    form.write_bytes(form.read_bytes() + b"filled")
    assert run_refused("class", "roster.csv") == (
        f"{form} exists and is not as this program wrote it: move it elsewhere, or replace it with --force"
    )


def test_versions_are_dealt_in_turn() -> None:
    """Two sheets among five, a key of two, and who has which."""
    Path("roster.csv").write_text("name\nAda\nBob\nCy\nDan\nEve\n", encoding="utf-8")
    run_well("class", "roster.csv", "--versions", "2", *WARM_UP_OPTIONS)
    codes = [row[3] for row in table("attnhand-class/teacher/index.csv")[1:]]
    assert codes == [codes[0], codes[1], codes[0], codes[1], codes[0]]
    assert codes[0] != codes[1]
    keys = pages("attnhand-class/teacher/keys.pdf")
    assert len(keys) == 1 + 2 * 2
    assert f"version 1 · {codes[0]}: 001 Ada, 003 Cy, 005 Eve" in keys[0]
    assert f"version 2 · {codes[1]}" in keys[0]


def test_no_two_sheets_are_alike() -> None:
    """Where somebody's seed gives the sheet that another has, the later takes the next, and the index pins it."""
    Path("roster.csv").write_text("name\nAda\nBob\nCy\n", encoding="utf-8")
    run_well("class", "roster.csv", *WARM_UP_OPTIONS)
    index = Path("attnhand-class/teacher/index.csv")
    codes = [row[3] for row in table(str(index))[1:]]
    index.write_bytes(index.read_bytes().replace(codes[1].encode(), codes[0].encode()))
    run_well("class", "roster.csv")
    again = [row[3] for row in table(str(index))[1:]]
    assert (again[0], again[2]) == (codes[0], codes[2])
    assert again[1] not in codes[::2]
    assert len(pages("attnhand-class/hand-out/sheets.pdf")) == 1 + 3 * 2


def test_whatever_ends_it_every_file_is_whole(tmp_path: Path) -> None:
    """Killed, stopped or without room: files are as they were or as they shall be, and the same command makes the rest.

    Passing files are left by a kill alone, until the next run; nothing of the teacher's own is touched.
    """
    ran = run_python("-m", "tests.cli.killed_class", str(tmp_path), cwd=Path(__file__).parents[2])
    assert ran.exit_code == 0, ran.error_text
    report = json.loads(ran.text)
    faults = {(name, end): found for name, ends in report.items() for end, found in ends.items()}
    assert [(case, each) for case, found in faults.items() for each in found if each] == []
    assert min(map(len, faults.values())) >= choose(1, 4)
    assert report.keys() == {"new", "longer", "only"}
    assert len(report["new"]["killed"]) >= choose(5, 40)


@pytest.mark.parametrize("ended_by", choose([signal.SIGKILL], [signal.SIGINT, signal.SIGKILL]))
def test_processes_leave_nothing_either(ended_by: signal.Signals) -> None:
    """Ended while two make sheets: nothing is there but the passing files of a kill, which the next run clears away."""
    drawn = (*WARM_UP_OPTIONS[:2], "--seed", "3", "--salt", "otter, waltz", "--out", "set")
    arguments = ["attnhand", "class", "--count", "120", *drawn, "--jobs", "2"]
    code = f"{RESTORE_CTRL_C}import sys\nfrom attnhand.cli import main\nsys.argv = {arguments!r}\nmain()"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with subprocess.Popen([sys.executable, "-c", code], env=environment, start_new_session=True) as program:
        try:
            wait_until(lambda: any(Path("set").glob(".attnhand-*/finished")))
            (os.killpg if ended_by == signal.SIGINT else os.kill)(program.pid, ended_by)
            exit_code = program.wait(LONGEST_WAIT)
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(program.pid, signal.SIGKILL)
    left = [path.relative_to("set") for path in Path("set").rglob("*")]
    if ended_by == signal.SIGINT:
        assert (exit_code, left) == (130, [])
        return
    assert all(path.parts[0].startswith(".attnhand-") for path in left)
    run_well("class", "--count", "2", *drawn, "--jobs", "1")
    assert {path.name for path in Path("set").iterdir()} == {"hand-out", "teacher"}


def test_a_folder_that_cannot_be_written_is_left_alone(roster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A sentence, before any sheet is made."""

    def refuse(*_: object, **__: object) -> None:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))

    Path("set").mkdir()
    monkeypatch.setattr("attnhand.classroom.set_folder.hold_passing_folder", refuse)  # root may write anywhere
    message = run_refused("class", roster, *WARM_UP_OPTIONS, "--out", "set")
    assert message == "set cannot be written (Permission denied): make room there or choose another --out"


def do_meanwhile(monkeypatch: pytest.MonkeyPatch, act: Callable[[], object]) -> None:
    """Have something happen while the next class is made, once its sheets are."""

    def write_pdfs(*arguments: Any) -> None:
        _write_pdfs(*arguments)
        act()

    monkeypatch.setattr(make_class, "_write_pdfs", write_pdfs)


def test_what_the_teacher_writes_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Marks are taken up; what else was changed since the run began is left as it is, and nothing is written."""
    run_well("class", "--count", "2", *WARM_UP_OPTIONS, "--seed", "3", "--salt", "otter, waltz")
    teacher = Path("attnhand-class/teacher")
    marks, longer = teacher / "marks.csv", ("class", "--count", "3", "--spare", "1")

    def add(name: str, found: bytes, text: bytes) -> None:
        path = teacher.parent / name
        data = path.read_bytes()
        path.write_bytes(data.replace(found, text) if found else data + text)

    do_meanwhile(monkeypatch, lambda: add("teacher/marks.csv", b"001,,,", b"001,,5,"))
    run_well(*longer)
    assert [row[:3] for row in table(str(marks))[1:3]] == [["001", "", "5"], ["002", "", ""]]
    for name in ("teacher/index.csv", "teacher/class.toml", "teacher/keys.pdf", "hand-out/sheets.pdf"):
        before = {path: path.read_bytes() for path in teacher.parent.rglob("*.*")}
        changed = teacher.parent / name
        do_meanwhile(monkeypatch, partial(add, name, b"", b"# mine"))
        ran = run_here("class", "--count", "4")
        assert (ran.exit_code, ran.error_text) == (
            2,
            f"attnhand: {changed} was changed while this was at work, and stays as it is now: "
            "nothing was written, so give the same command again\n",
        )
        after = {path: path.read_bytes() for path in teacher.parent.rglob("*.*")}
        assert after == before | {changed: before[changed] + b"# mine"}
        changed.write_bytes(before[changed])


def test_columns_and_comments_of_the_teacher_stay() -> None:
    """In the index, by №, and in class.toml, whoever comes later; the same again from the teacher's half alone."""
    run_well("class", "--count", "2", *WARM_UP_OPTIONS, "--seed", "3", "--salt", "otter, waltz")
    index, class_file = (Path("attnhand-class/teacher", name) for name in ("index.csv", "class.toml"))
    lines = index.read_text(encoding="utf-8-sig").splitlines()
    own = zip(lines, ("seat", "4", '"=5, x"'), strict=True)
    index.write_text("\n".join(f"{line},{cell}" for line, cell in own), encoding="utf-8")
    text = class_file.read_text(encoding="utf-8").replace("last = 2\n", "last = 2  # so far\n# for Tuesday\n")
    class_file.write_text(text, encoding="utf-8")
    run_well("class", "--count", "3", "--duplex")
    assert [row[7:] for row in table(str(index))] == [["seat"], ["4"], ["=5, x"], [""]]
    options = ("[options]\n", "[options]\nduplex = true\n")
    assert class_file.read_text(encoding="utf-8") == text.replace("last = 2 ", "last = 3 ").replace(*options)
    run_well("class", "attnhand-class/teacher", "--out", "again")
    assert read_files(Path("again")) == read_files(Path("attnhand-class"))


def test_a_chosen_salt_is_stretched_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """The class's folder keeps what it was stretched to, which serves as the salt too."""
    run_well("class", "--count", "2", *WARM_UP_OPTIONS, "--salt", "one is enough")
    before = read_files(Path("attnhand-class"))
    teacher = Path("attnhand-class/teacher")
    code = read_index((teacher / "index.csv").read_bytes())[0].code
    answers = run_well("key", code, "--salt", "one is enough", "--csv", "--out", "-").text
    Path("in").mkdir()
    Path("in/a.csv").write_text(answers, encoding="utf-8")
    stretch_salt.cache_clear()
    monkeypatch.setattr("attnhand.problems.salt.scrypt", None)
    run_well("class", str(teacher))
    assert read_files(Path("attnhand-class")) == before
    run_well("grade", "in", "--roster", str(teacher / "index.csv"))
    salt = read_class_toml((teacher / "class.toml").read_bytes()).salt
    assert run_well("key", code, "--salt", salt, "--csv", "--out", "-").text == answers


def test_one_run_at_a_time_writes_a_class(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another is refused while it runs, and so is one that began before it ended: never two classes in one folder."""
    refused: list[str] = []

    def run_another() -> None:
        monkeypatch.setattr(make_class, "_write_pdfs", _write_pdfs)
        refused.append(run_refused("class", "--count", "2", *WARM_UP_OPTIONS, "--salt", "another one, please"))

    do_meanwhile(monkeypatch, run_another)
    run_well("class", "--count", "2", *WARM_UP_OPTIONS, "--salt", "one is enough")
    advice = "wait until it has ended, or choose another --out"
    assert refused[0] == f"attnhand-class is being written by another run: {advice}"
    unsaid = dict.fromkeys(option.name for option in list_options("class"))
    options = {**unsaid, "out": "late", "force": False, "count": 2, "salt": "another one, please", "jobs": 1}
    late = make_class_request(None, options)
    run_well("class", "--count", "2", *WARM_UP_OPTIONS, "--salt", "one is enough", "--out", "late")
    whole = read_files(Path("late"))
    with pytest.raises(AttnhandError, match=r"teacher/class.toml was changed while this was at work"):
        make_class.make_class(late)
    assert read_files(Path("late")) == whole


def test_a_refused_class_leaves_no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """One that was there stays."""
    monkeypatch.setattr("attnhand.system.cluster.SCHEDULER_TIMEOUT", 0.1)
    Path("mine").mkdir()
    for out in ("mine", "new"):
        run_refused("class", "--count", "2", *WARM_UP_OPTIONS, "--scheduler", "tcp://127.0.0.1:1", "--out", out)
    assert (Path("mine").is_dir(), Path("new").exists()) == (True, False)


def test_letters_that_no_font_has_are_said_once() -> None:
    """One warning that names them, in the order of numbers; the sheets are made all the same."""
    Path("roster.csv").write_text("name\n李小龍\n王\nZoë\n", encoding="utf-8")
    ran = run_here("class", "roster.csv", *WARM_UP_OPTIONS)
    assert ran.exit_code == 0
    assert ran.error_text == (
        "3 students · name = name\n"
        "attnhand: □ is printed for 李小龍王 in № 001 李小龍, № 002 王: the bundled fonts lack such letters; "
        "other letters in the column name would be printed\n"
    )


REFUSED = {
    "nobody": ((), "who is in the class: give a roster, or --count 30"),
    "both": (("r.csv", "--count", "3"), "contradict each other"),
    "no roster": (("x.csv",), "'x.csv' is not there"),
    "a picture": (("picture",), "picture holds bytes that are no text"),
    "no names": (
        ("rooms.csv",),
        "rooms.csv has no column of names: its columns are room; say which",
    ),
    "twins": (("twins.csv",), "twins.csv has the name 'ada' twice"),
    "an odd override": (("odd.csv",), "odd.csv says 'perhaps' as large_print of student 1: write yes, or nothing"),
    "an odd format": (("format.csv",), "format.csv says 'docx' as the format of student 1"),
    "none": (("--count", "0"), "--count 0 is out of range"),
    "an odd override on stdin": (("-",), "the roster says 'perhaps' as large_print of student 1"),
    "no version": (("--count", "3", "--versions", "0"), "--versions 0 is out of range: use 1 to 1,000"),
    "fewer than no spares": (("--count", "3", "--spare", "-1"), "--spare -1 is out of range"),
    "no process": (("--count", "3", "--jobs", "0"), "--jobs 0 is out of range"),
    "no groups": (("r.csv", "--sort"), "--sort group finds no group on the roster"),
    "open and salted": (
        ("--count", "3", "--no-salt", "--salt", "otter, waltz"),
        "--no-salt and a salt contradict each other",
    ),
    "self-check on paper": (
        ("--count", "3", "--self-check"),
        "--self-check is for sheets on a screen: add --html or --xlsx",
    ),
    "somebody's folder": (("--count", "3", "--out", "own"), "own holds other files, diary.txt for one"),
    "a file": (("--count", "3", "--out", "r.csv"), "r.csv is a file: choose another --out"),
    "below a file": (("--count", "3", "--out", "r.csv/x"), "a file stands where a folder should be"),
    "nowhere": (("--count", "3", "--out", "/proc/x"), "/proc/x cannot be written (No such file or directory)"),
    "no earlier set": (("own",), "own has no class.toml: give a roster, or the folder teacher/ of an earlier set"),
    "too large": (("--count", "3", "--tokens", "99"), "--tokens 99 is out of range"),
    "too large a print": (
        ("--count", "3", "--tokens", "8", "--large-print"),
        "in large print a sheet of features 6",
    ),
}


@pytest.mark.parametrize(("arguments", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_made_is_refused(arguments: tuple[str, ...], message: str) -> None:
    """In one sentence, before anything is written."""
    written = {
        "r.csv": b"name\nAda\n",
        "picture": b"\x89PNG\0\0",
        "rooms.csv": b"room\n3\n",
        "twins.csv": b"name\nAda\nADA\n",
        "odd.csv": b"name,large_print\nAda,perhaps\n",
        "format.csv": b"name,format\nAda,docx\n",
    }
    for name, data in written.items():
        Path(name).write_bytes(data)
    Path("own").mkdir()
    Path("own/diary.txt").write_text("mine", encoding="utf-8")
    assert message in run_refused("class", *arguments, stdin=written["odd.csv"])


def test_sheets_that_are_handed_out_stay(roster: str) -> None:
    """Options that would change them are refused; so are a damaged index and class.toml."""
    run_well("class", roster, *WARM_UP_OPTIONS, "--seed", "3", "--salt", "otter, waltz")
    for arguments in ("--level standard", "--seed 4", "--versions 2", "--no-salt", "--memory-length 3"):
        message = run_refused("class", roster, *arguments.split())
        assert message.startswith(f"{arguments} would change the sheets of the set in attnhand-class: leave it out")
    assert "--salt would change the sheets" in run_refused("class", roster, "--salt", "another one, please")
    teacher = Path("attnhand-class/teacher")
    index = (teacher / "index.csv").read_text(encoding="utf-8")
    (teacher / "index.csv").write_text(index.replace("Lovelace,7,A", "Lovelace,7,B"), encoding="utf-8")
    assert run_refused("class", roster).startswith(f"{teacher / 'index.csv'} has another code for № 1 than was printed")
    whole = (teacher / "class.toml").read_text(encoding="utf-8")
    for option, message in (("level = 'easy'", "level = 'easy'"), ("spare = true", "spare = True"), ("x = 1", "x = 1")):
        (teacher / "class.toml").write_text(whole.replace('level = "warm-up"', option), encoding="utf-8")
        assert f"class.toml says {message}, which no option can be" in run_refused("class", "attnhand-class/teacher")
    (teacher / "class.toml").write_text("[class]\nseed = 'x'\n", encoding="utf-8")
    assert "is not as the program wrote it" in run_refused("class", roster)


def test_a_file_each_in_other_formats(roster: str) -> None:
    """An Excel file that tells whose it is, read back as that student's sheet, and LaTeX with № and name."""
    run_well("class", roster, *WARM_UP_OPTIONS, "--xlsx", "--tex")
    folder = Path("attnhand-class/hand-out")
    codes = [row[3] for row in table("attnhand-class/teacher/index.csv")[1:]]
    files = {suffix: sorted(folder.glob(f"*{suffix}")) for suffix in (".xlsx", ".tex")}
    assert [len(each) for each in files.values()] == [len(codes)] * 2
    for number, code in enumerate(codes, 1):
        answers = read_answers_from_spreadsheet(files[".xlsx"][number - 1].read_bytes())
        assert (answers.number, answers.code) == (number, code)
        assert f"No.~{number:03d} " in files[".tex"][number - 1].read_text(encoding="utf-8").replace("No. ", "No.~")


def test_everybodys_questions_are_variants_for_a_platform(roster: str) -> None:
    """In the teacher's half: a category a stage for Moodle, one for STACK; nobody's name is in them; new ones apart."""
    drawn = ("--seed", "3", "--salt", "otter, waltz")
    lines = run_well("class", roster, *WARM_UP_OPTIONS, *drawn, "--moodle", "--stack").lines
    teacher = Path("attnhand-class/teacher")
    assert {f"{teacher}/questions-{name}.xml" for name in ("moodle", "stack")} <= set(lines)
    codes = [row[3] for row in table(f"{teacher}/index.csv")[1:]]
    moodle, stack = (ElementTree.parse(teacher / f"questions-{name}.xml").getroot() for name in ("moodle", "stack"))
    kinds = [question.get("type") for question in moodle]
    assert kinds == 10 * ["category", *4 * ["cloze"]]
    texts = [question.findtext("questiontext/text") for question in moodle.findall("question[@type='cloze']")]
    assert len(set(texts)) >= len(texts) - 1  # sums of nine small powers may be the same twice
    assert [question.get("type") for question in stack] == ["category", *4 * ["stack"], "category", *4 * ["cloze"]]
    categories = [str(each.findtext("category/text")) for each in stack.findall("question[@type='category']")]
    assert [name.rpartition(" · ")[2] for name in categories] == [
        "STACK/Self-attention by hand",
        "STACK/02 What does it show?",
    ]
    names = [question.findtext("name/text", "") for question in stack.findall("question[@type='stack']")]
    assert [name.partition(" · ")[2] for name in names] == codes
    for name in ("moodle", "stack"):
        data = (teacher / f"questions-{name}.xml").read_bytes()
        assert is_untouched(data)
        assert b"Lovelace" not in data
    before = read_files(teacher)
    Path(roster).write_text(Path(roster).read_text(encoding="utf-8") + "Zoe,12,B\n", encoding="utf-8")
    run_well("class", roster, "--only", "new")
    assert read_files(teacher).keys() - before.keys() == {
        f"new-005-{name}" for name in ("keys.pdf", "questions-moodle.xml", "questions-stack.xml")
    }
    run_well("class", "--count", "2", *WARM_UP_OPTIONS, "--moodle", "--mistake", "any", "--out", "other")
    mistakes = ElementTree.parse("other/teacher/questions-moodle.xml").getroot()
    assert [each.get("type") for each in mistakes] == ["category", *2 * ["cloze"]]
    refused = run_refused("class", "--count", "2", *WARM_UP_OPTIONS, "--stack", "--mistake", "any", "--out", "third")
    assert "take --moodle, or a form: --fillable" in refused


def test_everybodys_questions_are_variants_as_qti(roster: str) -> None:
    """Packages in the teacher's half, with everybody's codes and nobody's name; a mistake is refused in a sentence."""
    drawn = ("--seed", "3", "--salt", "otter, waltz")
    lines = run_well("class", roster, *WARM_UP_OPTIONS, *drawn, "--qti12", "--qti21").lines
    teacher = Path("attnhand-class/teacher")
    codes = [row[3] for row in table(f"{teacher}/index.csv")[1:]]
    for name in ("qti12", "qti21"):
        path = teacher / f"questions-{name}.zip"
        assert str(path) in lines
        assert is_untouched(path.read_bytes())
        text = "".join(unpack_files(path.read_bytes()).values())
        assert all(code in text for code in codes)
        assert "Lovelace" not in text
    refused = run_refused("class", "--count", "2", *WARM_UP_OPTIONS, "--qti12", "--mistake", "any", "--out", "third")
    assert "take --moodle, or a form: --fillable" in refused
