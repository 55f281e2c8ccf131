"""``attnhand grade`` of a zip, as Moodle gives all submissions: marked as a folder is, whatever is in it."""

import csv
import io
import json
import stat
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

import pytest

import attnhand
from attnhand.classroom import submissions_zip
from attnhand.classroom.index import format_index_csv
from attnhand.sheet.seat import Seat, Student
from attnhand.sheet.sheet import Sheet
from tests.cli.running import read_files, run_refused, run_well
from tests.marking.handing_in import make_answer_file, write_key
from tests.spreadsheet_files import write_xlsx

SHEETS = [attnhand.generate(seed, level="warm-up") for seed in (1, 2, 3)]
NAMES = ("Ada Lovelace", "Łukasz Żak", "Cy O'Brien")
SCORE = str(SHEETS[0].answer_cell_count)


def answer(sheet: Sheet, **more: str) -> bytes:
    """Return a perfect answer file."""
    return json.dumps(json.loads(make_answer_file(sheet, write_key(sheet))) | more).encode()


def write_submissions(files: Mapping[str, bytes]) -> None:
    """Write an archive, and the index of the class beside it."""
    with zipfile.ZipFile("submissions.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for path, data in files.items():
            archive.writestr(path, data)
    seats = [
        Seat(number=number, student=Student(name=student, group="Tue"), code=sheet.code)
        for number, (student, sheet) in enumerate(zip(NAMES, SHEETS, strict=True), 1)
    ]
    Path("index.csv").write_bytes(format_index_csv(seats).encode("utf-8-sig"))


def grade(name: str = "submissions.zip") -> list[tuple[str, str, str]]:
    """Return file, score and remark of every row of the gradebook."""
    run_well("grade", name, "--roster", "index.csv", "--out", "marked", "--force")
    text = Path("marked/gradebook.csv").read_text(encoding="utf-8-sig")
    rows = [row for row in csv.DictReader(io.StringIO(text, newline="")) if not row["No."].startswith("attnhand")]
    return [(row["file"], row["score"], row["remark"]) for row in rows]


@pytest.fixture(autouse=True)
def _passing_folders(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Have passing folders where they can be looked at."""
    place = tmp_path / "passing"
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))


def find_leftovers() -> list[Path]:
    """Return what lies where archives are unpacked."""
    return [path for path in Path(tempfile.gettempdir()).iterdir() if path.name.startswith("attnhand-")]


MOODLE = {
    "Ada Lovelace_811_assignsubmission_file/my sheet.json": answer(SHEETS[0]),
    # without its code: Moodle says whose it is
    "Tue-Żak, Łukasz_812_assignsubmission_file_/deep/sheet.json": json.dumps(
        {"answers": write_key(SHEETS[1])}
    ).encode(),
    "Cy OBrien_813_assignsubmission_file_photo.jpg": b"\xff\xd8\xff\xe0" + bytes(99),
    "__MACOSX/Ada Lovelace_811_assignsubmission_file/._my sheet.json": b"\0\1",
    ".DS_Store": b"\0",
}


def test_moodles_zip_is_marked_and_students_are_known_by_name() -> None:
    """With its folders or without: everybody's row, the reason on it, and nothing is left lying about."""
    write_submissions(MOODLE)
    ada, lukasz, cy = grade()
    assert ada == ("Ada Lovelace_811_assignsubmission_file/my sheet.json", SCORE, "")
    assert lukasz == ("Tue-Żak, Łukasz_812_assignsubmission_file_/deep/sheet.json", SCORE, "")
    assert cy[2].startswith("handed in, not readable: Cy OBrien_813_assignsubmission_file_photo.jpg is a picture")
    assert find_leftovers() == []
    with zipfile.ZipFile("submissions.zip") as archive:
        archive.extractall("unpacked")
    assert grade("unpacked") == [ada, lukasz, cy]


def test_python_takes_a_zip_too() -> None:
    """And two processes read it as one does."""
    write_submissions(MOODLE)
    for jobs in (1, 2):
        graded = attnhand.grade("submissions.zip", roster="index.csv", jobs=jobs)
        assert [row.score for row in graded.book.rows] == [int(SCORE), int(SCORE), 0]


def test_who_hands_in_anothers_sheet_is_found_out() -> None:
    """Moodle says Łukasz, the sheet is Ada's: he has handed something in, which is not scored until a teacher looks."""
    write_submissions({"Łukasz Żak_812_assignsubmission_file/a.json": answer(SHEETS[0])})
    reason = "it says Łukasz Żak, but its sheet is that of № 001 Ada Lovelace"
    assert [row for row in grade() if row[2].endswith(reason)] == [
        ("", "", f"to be looked at, not scored: Łukasz Żak_812_assignsubmission_file/a.json {reason}")
    ]


def make_link(name: str) -> zipfile.ZipInfo:
    """Return a member that is a link."""
    info = zipfile.ZipInfo(name)
    info.external_attr = (stat.S_IFLNK | 0o777) << 16
    return info


HOSTILE: dict[str, tuple[zipfile.ZipInfo | str, str]] = {
    "up": ("../../up.json", "has a path that leads out of the archive"),
    "absolute": ("/etc/absolute.json", "has a path that leads out of the archive"),
    "of Windows": ("C:\\windows\\x.json", "has a path that leads out of the archive"),
    "up, as Windows writes it": ("a\\..\\..\\x.json", "has a path that leads out of the archive"),
    "a link": (make_link("link.json"), "is only a link"),
    "far down": ("d/" * 40 + "x.json", "holds folders that were not looked into"),
}


@pytest.mark.parametrize(("member", "reason"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_names_are_refused_one_by_one(member: zipfile.ZipInfo | str, reason: str) -> None:
    """Nothing is written outside, and the others are marked."""
    write_submissions({"a.json": answer(SHEETS[0])})
    with zipfile.ZipFile("submissions.zip", "a") as archive:
        archive.writestr(member, answer(SHEETS[1]))
    before = read_files()
    rows = grade()
    assert rows[0] == ("a.json", SCORE, "")
    assert rows[-1][2].startswith(f"not marked: {reason}")
    assert {name: data for name, data in read_files().items() if not name.startswith("marked")} == before
    assert find_leftovers() == []


def test_names_that_move_a_cursor_are_shown_as_text() -> None:
    """As those of files in folders are."""
    write_submissions({"\x1b[31ma\nb.json": answer(SHEETS[0])})
    assert grade()[0][0] == "\\x1b[31ma b.json"


def test_one_name_twice_is_neither() -> None:
    """Nobody knows which of the two counts."""
    with pytest.warns(UserWarning, match="Duplicate name"), zipfile.ZipFile("submissions.zip", "w") as archive:
        for sheet in SHEETS[:2]:
            archive.writestr("a.json", answer(sheet))
        archive.writestr("c.json", answer(SHEETS[2]))
    bytes_before = Path("submissions.zip").read_bytes()
    write_submissions({})
    Path("submissions.zip").write_bytes(bytes_before)
    rows = grade()
    assert rows[2] == ("c.json", SCORE, "")
    assert [row[2] for row in rows[3:]] == [
        "not marked: is in the archive more than once: leave only one of them in it"
    ] * 2


def test_a_bomb_unpacks_to_its_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file larger than any that is read, and more than the archive may unpack to in all; it cannot lie about it."""
    monkeypatch.setattr(submissions_zip, "MAX_MEMBER_BYTES", 1_000_000)
    monkeypatch.setattr(submissions_zip, "FREE_BYTES", 2_000_000)
    monkeypatch.setattr(submissions_zip, "MAX_EXPANSION", 1)
    write_submissions(
        {"a.json": answer(SHEETS[0]), **{f"b{n}.csv": bytes(700_000) for n in range(4)}, "c.csv": bytes(10**7)}
    )
    *_, b1, b2, b3, large = grade()
    assert b1[2].startswith("not marked: holds bytes that are no text")
    for row in (b2, b3):
        assert row[2].startswith("not marked: was not read, for the files before it hold 2,")
    assert large[2].startswith("not marked: has more than 1 MB, which no answer file has")
    data = bytearray(Path("submissions.zip").read_bytes())
    at = data.rindex(b"PK\x01\x02")  # of the largest, in the list
    data[at + 24 : at + 28] = (5).to_bytes(4, "little")
    Path("submissions.zip").write_bytes(data)
    assert grade()[-1][2].startswith("not marked: is damaged within the archive")
    assert find_leftovers() == []


def test_locked_and_damaged_members_say_so() -> None:
    """Encrypted, packed in another way, or with a checksum that is wrong."""
    write_submissions({"a.json": answer(SHEETS[0]), "b.json": answer(SHEETS[1]), "c.json": b"{}", "d.json": b"{} "})
    data = bytearray(Path("submissions.zip").read_bytes())
    at = -1
    for offset, spoiled in ((8, b"\1\0"), (16, b"\0\0\0\0"), (10, b"\x0c\0")):  # flags, checksum, way of packing
        at = data.index(b"PK\x01\x02", at + 1)
        data[at + offset : at + offset + len(spoiled)] = spoiled
    Path("submissions.zip").write_bytes(data)
    assert "no answer file that can be marked (4 that cannot; the first, a.json, is locked with a password" in (
        run_refused("grade", "submissions.zip")
    )
    with zipfile.ZipFile("submissions.zip", "a") as archive:
        archive.writestr("z.json", answer(SHEETS[2]))
    assert [row[2].partition(":")[2].partition(":")[0].strip() for row in grade() if not row[1] and row[0]] == [
        "is locked with a password",
        "is damaged within the archive",
        "is packed in a way that is not read here",
        "has no answers",
    ]


def test_what_is_no_zip_of_submissions_is_refused_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another file, one document, an archive that was cut off, or one with far too much in it."""
    write_submissions({"a.json": answer(SHEETS[0]), "b.json": answer(SHEETS[1])})
    Path("notes.txt").write_text("PK is not enough")
    assert "'notes.txt' is neither a folder nor a zip: give the folder" in run_refused("grade", "notes.txt")
    Path("one.xlsx").write_bytes(write_xlsx([["a"]]))
    assert "'one.xlsx' is one document" in run_refused("grade", "one.xlsx")
    whole = Path("submissions.zip").read_bytes()
    for length in (100, len(whole) - 30, len(whole) - 1):
        Path("cut.zip").write_bytes(whole[:length])
        assert "cut.zip is damaged, and cannot be read as a zip: download it again" in run_refused("grade", "cut.zip")
    with zipfile.ZipFile("empty.zip", "w"):
        pass
    assert "empty.zip holds no answer file: give" in run_refused("grade", "empty.zip")
    for limit in ("MAX_FILES", "MAX_DIRECTORY_BYTES"):
        with monkeypatch.context() as patch:
            patch.setattr(submissions_zip, limit, 1)
            assert "files: unpack it, and mark it in parts" in run_refused("grade", "submissions.zip")
    assert find_leftovers() == []


def test_a_full_disk_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    """With where the room was missing."""
    write_submissions({"a.json": answer(SHEETS[0])})

    def fail(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(zipfile.ZipFile, "open", fail)
    message = run_refused("grade", "submissions.zip")
    assert "(No space left on device): unpack it where there is room, and give the folder" in message
