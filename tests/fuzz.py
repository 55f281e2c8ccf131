"""Throw damaged files, of students and of teachers, at all readers: ``python -m tests.fuzz [INPUTS] [READER …]``.

Good files are damaged at random, the same way for the same numbers. A reader may take one, or refuse it as an
``AttnhandError``; anything else is a crash, and is printed with its number, so that it can be made again. No input
may take longer than ``SECONDS``.
"""

import csv
import io
import json
import multiprocessing
import random
import sys
import time
import traceback
import zipfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import attnhand
from attnhand.attention.mechanisms import Variant
from attnhand.attention.spellings import read_number
from attnhand.classroom.class_file import ClassFile, format_class_toml, read_class_toml
from attnhand.classroom.index import format_index_csv, read_index
from attnhand.classroom.marks_table import format_marks_csv, read_filled_marks
from attnhand.classroom.roster import read_roster
from attnhand.errors import AttnhandError
from attnhand.formats.answers import (
    arrange_answers,
    read_answers_from_spreadsheet,
    read_answers_from_text,
    select_stage_answers,
)
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.json_sheet import render_json
from attnhand.formats.pdf.form_reader import read_answers_from_pdf
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.formats.sources import make_sheet_from_data
from attnhand.marking.checked import check_answers
from attnhand.marking.submission import read_answers
from attnhand.problems.base32 import encode_bits, normalize_code
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import RECIPE_LETTER, compute_salt_digest, decode_sheet_code, encode_request
from attnhand.problems.story_template import STORY_DIR, STORY_NAMES, read_story
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import Seat, Student
from attnhand.sheet.sheet import Sheet
from attnhand.system.json_toml import format_json, read_data
from tests.filling import fill_with_pdfium, make_perfect_values
from tests.formats.test_mail import write_mail
from tests.marking.handing_in import make_answer_file, write_key
from tests.spreadsheet_files import PROGRAMS, write_xlsx

INPUTS = 50_000
MAX_SECONDS = 15.0
"""No input may take longer; most take thousandths."""

MARK_ONE_IN = 25
"""One in so many answer files that can be read is marked too."""

INSERTED_PIECES = (
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b",", b";", b"\t", b'"', b"'", b"{", b"}", b"[", b"]",
    b"-", b"/", b"1/0", b"0/0", b"1e9", b"1e-9", b"9" * 50, b"nan", b"inf", b"-inf", b"null", b"true", b"=1+1",
    "−".encode(), "½".encode(), "²".encode(), "∞".encode(), "①".encode(), "\u202e".encode(), b"\xed\xa0\x80",
    b"[" * 200, b'{"a":' * 200, b"X", b"S", b"A exact", b"attnhand,", b"A1Q0-0000-000W", b"1,234", b"0 1/3", b"%",
    b"obj", b"endobj", b"stream", b"endstream", b"xref", b"trailer",
    b"<row>", b"<c t='s'>", b"<v>9</v>", b"</", b"<!DOCTYPE a>", b"&amp;", b"&a;", b"1048576", b"PK\x03\x04", b"-1",
    b"/Kids", b"/Parent", b"/Fields", b"/V (", b"R ",
)  # fmt: skip
"""What is put into files, beside what they hold already."""


GOOD_NUMBERS = (
    "-2", "−1 1/2", "9/46", "½", "0,25", "20 %", "-inf", "1e-3", ".5", "≈0.33…", "=3^-1", "0.1(6)", "\\frac{1}{2}",
    "3/16 = 0.19", "(−2)", "1-Mar-24", "³/₁₆", "3⁻²", "٣٫٥",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Crash:
    """One input that a reader did not survive."""

    number: int
    description: str


def damage_bytes(good: bytes, rng: random.Random) -> bytes:
    """Change, leave out, repeat, exchange or put in a few bytes; now and then cut the rest off."""
    data = bytearray(good)
    for _ in range(rng.choice((1, 1, 2, 3, 8))):
        at = rng.randrange(len(data) + 1)
        length = rng.choice((1, 1, 2, 5, 20, 200))
        match rng.randrange(7):
            case 0:
                data[at : at + length] = b""
            case 1:
                data[at:at] = rng.choice(INSERTED_PIECES)
            case 2:
                data[at : at + length] = rng.choice(INSERTED_PIECES)
            case 3:
                data[at:at] = data[at : at + length] * rng.choice((1, 2, 50))
            case 4 if at < len(data):
                data[at] = rng.randrange(256)
            case 5:
                other = rng.randrange(len(data) + 1)
                data[at:at] = data[other : other + length]
            case _ if rng.random() < 0.1:
                del data[at:]
            case _:
                pass
        if not data:
            return b""
    return bytes(data)


@cache
def _make_sheet() -> Sheet:
    return attnhand.generate(seed=7, level="warm-up")


@cache
def _make_small_sheet() -> Sheet:
    """Return a sheet whose form is small, for most of a form's reading goes with its size."""
    return attnhand.solve(X=[[1, 2], [0, 1]], W_Q=[[1, 0]], W_K=[[0, 1]], W_V=[[2, 1]])


@cache
def _make_good_files(reader: str) -> tuple[bytes, ...]:
    sheet = _make_sheet()
    match reader:
        case "numbers":
            return tuple(map(str.encode, GOOD_NUMBERS))
        case "json":
            rows = write_key(sheet)
            return tuple(make_answer_file(sheet, rows, with_sheet=whole).encode() for whole in (True, False))
        case "csv":
            text = render_csv(sheet.key)
            return (text.encode("utf-8-sig"), text.replace(",", ";").encode("cp1252", "replace"), text.encode("utf-16"))
        case "mail":
            typed = make_answer_file(sheet, write_key(sheet))
            quoted = "\n".join(f"> {line}" for line in json.dumps(json.loads(typed), indent=1).splitlines())
            curled = typed.replace('"', "”")
            return tuple(text.encode() for text in (f"Hello!\n{quoted}\nAda", f"```\n{curled}\n```"))
        case "eml":
            return tuple(write_mail("Hello!", {"a.json": each.decode()}) for each in _make_good_files("json"))
        case "xlsx":
            table = list(csv.reader(io.StringIO(render_csv(sheet.key))))
            return tuple(write_xlsx(table, habits) for habits in PROGRAMS.values())
        case "ods":
            return ((Path(__file__).parent / "data" / "libreoffice.ods").read_bytes(),)
        case "pdf":
            sheet = _make_small_sheet()
            form = render_pdf(replace(sheet, options=PageOptions(fillable=True)).blank)
            return (form, fill_with_pdfium(form, make_perfect_values(sheet)))
        case "roster":
            lines = (
                "name;id;group;e-mail;large print",
                "Ada Łoś;17;A;a@example.org;yes",
                '"Bob, jr.";18;"B""c";;',
                "Cy;;A",
            )
            return tuple("\r\n".join(lines).replace(";", mark).encode(coding) for mark, coding in ROSTER_HABITS)
        case "index":
            return (format_index_csv(SEATS).encode("utf-8-sig"),)
        case "marks":
            marks = format_marks_csv(SEATS, list(STAGES), [("№", "name", *STAGES), ("1", "Ada", "2", "1½", "0,5")])
            return (marks.encode("utf-8-sig"),)
        case "class":
            class_file = ClassFile(seed=7, salt="5" * 32, options={"title": "3", "level": "warm-up", "spare": 2})
            return (format_class_toml(class_file).encode(),)
        case "problem":
            matrices = "X = [[1, 0], [0, 1]]\nW_Q = [[0.1, 1]]\nW_K = [['1/3', 0]]\nW_V = [[4, 8]]"
            return (
                f"words = ['a', 'b']\n[rules]\nbase = 2\n[given]\n{matrices}".encode(),
                render_json(sheet.blank).encode(),
            )
        case "story":
            return tuple((STORY_DIR / f"{name}.toml").read_bytes() for name in STORY_NAMES[:3])
        case "code":
            salted = Request(seed=9, variant=Variant(mechanism="block", heads=2, window=3, is_causal=True))
            return (sheet.code.encode(), encode_request(salted, "5" * 32, blank_stages=["A"]).encode())
        case _:
            raise KeyError(reader)


ROSTER_HABITS = ((",", "utf-8-sig"), (";", "cp1250"), ("\t", "utf-16"))
STAGES = {"S": 9, "A": 9, "Z": 6}
SEATS = tuple(
    Seat(number=n, seed=n, code=encode_request(Request(seed=n)), student=Student(name=name, id=f"{n}", group="A"))
    for n, name in enumerate(("Ada", "Łoś, Bob", "=1+1"), 1)
)


def _read_numbers(data: bytes, _: int) -> None:
    read_number(data.decode("utf-8", "replace"))


def _read_text(data: bytes, number: int) -> None:
    sheet = _make_sheet()
    answers = select_stage_answers(arrange_answers(read_answers_from_text(data), sheet), sheet)
    if number % MARK_ONE_IN == 0:
        found = check_answers(answers, sheet)
        format_json(found.to_dict())
        assert len(found.marks.cells) == sheet.answer_cell_count


def _read_spreadsheet(data: bytes, number: int) -> None:
    sheet = _make_sheet()
    answers = select_stage_answers(arrange_answers(read_answers_from_spreadsheet(data), sheet), sheet)
    if number % MARK_ONE_IN == 0:
        assert len(check_answers(answers, sheet).marks.cells) == sheet.answer_cell_count


def _read_any(data: bytes, _: int) -> None:
    select_stage_answers(arrange_answers(read_answers(data), _make_sheet()), _make_sheet())


def damage_part(good: bytes, rng: random.Random) -> bytes:
    """Damage one part of an archive, and pack it again, so that the damage is met where the part is read."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as archive, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as copy:
        damaged = rng.choice([name for name in archive.namelist() if name.endswith((".xml", ".rels"))])
        for name in archive.namelist():
            part = archive.read(name)
            copy.writestr(name, damage_bytes(part, rng) if name == damaged else part)
    return out.getvalue()


def _read_form(data: bytes, number: int) -> None:
    sheet = _make_small_sheet()
    answers = select_stage_answers(arrange_answers(read_answers_from_pdf(data), sheet), sheet)
    if number % MARK_ONE_IN == 0:
        assert len(check_answers(answers, sheet).marks.cells) == sheet.answer_cell_count


def draw_code(_: bytes, rng: random.Random) -> bytes:
    """Return a code whose check characters are right, of anything; hardly a damaged one has them so."""
    return encode_bits(RECIPE_LETTER, f"0{rng.getrandbits(43):043b}{rng.getrandbits(rng.randrange(80)):b}").encode()


def _read_problem(data: bytes, _: int) -> None:
    named = make_sheet_from_data(read_data(data), "my.json", "my", SheetOrder(), PageOptions())
    assert named.sheet.solution.problem == named.sheet.problem


def _read_code(data: bytes, _: int) -> None:
    code = data.decode("utf-8", "replace")
    decoded = decode_sheet_code(code)
    salt = "" if decoded.salt_digest is None else "5" * 32
    asked = replace(decoded, salt_digest=decoded.salt_digest and compute_salt_digest(salt))
    if asked == decoded:  # what is taken is what the program would print: one sheet, one code
        again = encode_request(
            decoded.request,
            salt,
            only_queries=decoded.only_queries or (),
            from_stage=decoded.from_stage or "",
            blank_stages=decoded.blank_stages or (),
            is_faded=decoded.is_faded,
            questions=decoded.questions,
        )
        assert again.replace("-", "") == normalize_code(code), code


READERS: Mapping[str, Callable[[bytes, int], object]] = {
    "numbers": _read_numbers,
    "json": _read_text,
    "csv": _read_text,
    "mail": _read_text,
    "eml": _read_any,
    "xlsx": _read_spreadsheet,
    "ods": _read_spreadsheet,
    "pdf": _read_form,
    "roster": lambda data, _: read_roster(data),
    "index": lambda data, _: read_index(data),
    "marks": lambda data, _: read_filled_marks(data, SEATS, STAGES),
    "class": lambda data, _: read_class_toml(data),
    "problem": _read_problem,
    "story": lambda data, _: read_story(data, "my", is_bundled=False),
    "code": _read_code,
}


DAMAGES = {"xlsx": damage_part, "ods": damage_part, "code": draw_code}
"""How every other file of a kind is damaged."""


def try_reader(case: tuple[str, int]) -> Crash | None:
    """Give a reader the damaged input of that number."""
    reader, number = case
    chance = random.Random(f"{reader}/{number}")
    damage = DAMAGES.get(reader, damage_bytes) if number % 2 else damage_bytes
    data = damage(chance.choice(_make_good_files(reader)), chance)
    start = time.perf_counter()
    try:
        READERS[reader](data, number)
    except AttnhandError as refusal:
        if "\n" in str(refusal) or not str(refusal):
            return Crash(number, f"is refused in more than one line, or in none: {str(refusal)[:200]!r}")
    except Exception:
        return Crash(number, traceback.format_exc(limit=-4))
    if (seconds := time.perf_counter() - start) > MAX_SECONDS:
        return Crash(number, f"took {seconds:.1f} seconds")
    return None


def main(inputs: int, readers: list[str]) -> int:
    """Try every reader, on all processors; returns how many inputs crashed one."""
    crashes = 0
    with multiprocessing.Pool() as pool:
        for reader in readers:
            found = [
                c for c in pool.imap_unordered(try_reader, ((reader, n) for n in range(inputs)), chunksize=200) if c
            ]
            print(f"{reader:8} {inputs:8,} inputs, {len(found)} crashes", flush=True)
            for crash in found[:5]:
                print(f"input {crash.number}: {crash.description}")
            crashes += len(found)
    return crashes


if __name__ == "__main__":
    chosen = sys.argv[2:] or list(READERS)
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else INPUTS, chosen) else 0)
