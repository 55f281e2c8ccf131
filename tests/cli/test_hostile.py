"""What a student hands in is hostile: it reaches terminal, table and page as text alone, or a sentence says why not."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import attnhand
from attnhand.formats.csv_sheet import render_csv
from tests.cli.running import run_here, run_refused, run_well

EVIL = "\x1b[31mred \x1b]0;title\x07 \u202eturned\u2066 \u200f \x9b2J\x08 \u2028 \x02x\x03"
RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200f\u2028\u202e\u2066]")
LONG = "x" * 300


def test_nothing_of_a_students_moves_the_terminal() -> None:
    """Names of files, codes, names, answers, groups: in the summary, the gradebook, the pages and the marks of one."""
    folder = Path("in")
    folder.mkdir()
    sheet = attnhand.generate(seed=7, level="warm-up")
    filled = render_csv(sheet.blank).replace(",,", f",{EVIL},", 1)
    Path(folder, f"a{EVIL}.csv").write_text(f"{filled}\r\nname,{EVIL}\r\n", encoding="utf-8", newline="")
    Path(folder, f"b{EVIL}.txt").write_text("nothing", encoding="utf-8")
    answers = {"Q": [[EVIL, "1"], ["2"]]}
    for name, code in (("c", EVIL), ("d", sheet.code)):
        text = json.dumps({"code": code, "name": EVIL, "answers": answers, EVIL: EVIL})
        Path(folder, f"{name}.json").write_text(text, encoding="utf-8")
    ran = run_here("grade", "in", "--reports")
    assert (ran.exit_code, ran.text.count("red")) == (0, 2)
    outputs = {"grade": ran.text + ran.error_text}
    for path in (Path("gradebook.csv"), Path("summary.html"), *Path("feedback").iterdir()):
        outputs[path.name] = path.read_text(encoding="utf-8")
    for path in folder.iterdir():
        checked = run_here("check", str(path))
        outputs[f"check {path.name}"] = checked.text + checked.error_text
    assert len(outputs) >= 9
    assert {name: found for name, text in outputs.items() if (found := RAW.findall(text))} == {}


def test_a_roster_is_text_too() -> None:
    """Names, ids and groups of a class in its index and its marks; who has nothing that can be seen is nobody."""
    Path("roster.csv").write_text(f'name,group\n"Ada{EVIL}",A\nBob,"{EVIL}"\n', encoding="utf-8")
    assert run_here("class", "roster.csv", "--level", "warm-up", "--jobs", "1").exit_code == 0
    texts = [Path("attnhand-class/teacher", name).read_text(encoding="utf-8") for name in ("index.csv", "marks.csv")]
    assert [RAW.findall(text) for text in texts] == [[], []]
    Path("unseen.csv").write_text("name,group\nAda,A\n\u200b\u200d,B\n", encoding="utf-8")
    message = "unseen.csv names nobody in student 2: give a name, an id or an e-mail address"
    assert run_refused("class", "unseen.csv", "--jobs", "1", "--out", "other") == message


def test_links_pipes_and_devices_end_in_a_sentence() -> None:
    """Loops of links, a pipe that nobody writes, a device, names too long or empty: nobody waits, nothing crashes."""
    folder = Path("in")
    folder.mkdir()
    Path(folder, "a.json").symlink_to("b.json")
    Path(folder, "b.json").symlink_to("a.json")
    Path(folder, "self").symlink_to(".")
    Path(folder, "zero.csv").symlink_to("/dev/zero")
    os.mkfifo(Path(folder, "pipe.csv"))
    refused = [
        run_here(*args) for args in (("grade", "in"), *(("class", name) for name in ("in/pipe.csv", "/dev/zero")))
    ]
    assert [ran.exit_code for ran in refused] == [2, 2, 2]
    assert "(4 that cannot; the first, a.json, " in refused[0].error_text
    assert all(" is not a file: check the name" in ran.error_text for ran in refused[1:])
    shutil.rmtree(folder)  # what follows compares what files hold
    assert run_refused("grade", "").startswith("the folder's name is empty: give the folder")
    for command in (
        ("class", LONG, "--jobs", "1"),
        ("grade", LONG),
        ("practice", "7", "--out", LONG),
        ("generate", "--out", f"{LONG}.pdf"),
    ):
        assert "(File name too long)" in run_refused(*command)
    Path("\x02[]\x03").mkdir()
    assert "has no class.toml" in run_refused("class", "\x02[]\x03", "--jobs", "1")


@pytest.mark.parametrize(
    "command", [("key",), ("solve",), ("generate", "--words"), ("class", "--jobs", "1"), ("generate", "--queries")]
)
def test_messages_quote_sixty_characters(command: tuple[str, ...]) -> None:
    """Of whatever was typed."""
    for typed in ("y" * 100_000, "y " * 50_000, "y,'" * 30_000):
        assert len(run_refused(*command, typed)) < 700


def test_a_file_is_not_quoted_at_length() -> None:
    """A code, a key, a word of 100,000 characters; nor is a word taken that nobody can see."""
    given = {"X": [[1, 0], [0, 1]], "W_Q": [[1, 0]], "W_K": [[0, 1]], "W_V": [[2, 1]]}
    long = "z" * 100_000
    for own in (
        {"code": long, "format": long},
        {long: 1},
        {"mechanism": long},
        {"words": [long, "b"]},
        {"title": long},
    ):
        Path("my.json").write_text(json.dumps({"given": given, **own}), encoding="utf-8")
        assert len(run_refused("solve", "my.json")) < 700
    for words in (["", "b"], ["a", "\u200b"]):
        Path("my.json").write_text(json.dumps({"given": given, "words": words}), encoding="utf-8")
        assert f"word {1 + bool(words[0])} is empty, or nobody can see it" in run_refused("solve", "my.json")
    Path("my.json").write_text(
        json.dumps({"mechanism": "multi-head", "given": {"X": [[1]], "heads": []}}), encoding="utf-8"
    )
    assert '"heads" has no head in it: write' in run_refused("solve", "my.json")


def test_a_terminal_as_wide_as_the_world_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where COLUMNS says so."""
    monkeypatch.setenv("COLUMNS", "99999999")
    assert max(map(len, run_well("generate", "--seed", "7", "--level", "warm-up").text.splitlines())) <= 1000


def test_a_full_device_is_no_bug() -> None:
    """Not even where the help is printed."""
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[2])}
    with Path("/dev/full").open("wb") as full:
        command = [sys.executable, "-m", "attnhand", "--help"]
        ran = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, env=environment, check=False)
    sentence = (
        b"attnhand: standard output cannot be used (No space left on device): give another name, or make room there\n"
    )
    assert (ran.returncode, ran.stderr) == (2, sentence)
