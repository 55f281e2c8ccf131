"""Throw damaged files at everything that reads what students hand in: ``python -m tests.fuzz [INPUTS] [READER …]``.

Good files are damaged at random, the same way for the same numbers. A reader may take one, or refuse it as an
``AttnhandError``; anything else is a crash, and is printed with its number, so that it can be made again. No input
may take longer than ``SECONDS``.
"""

import multiprocessing
import random
import sys
import time
import traceback
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cache

import attnhand
from attnhand.errors import AttnhandError
from attnhand.formats.answers import answers_from_text, answers_of_mechanism
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.pdf.form_reader import answers_from_pdf
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.marking.answer_number import read_answer
from attnhand.marking.checked import checked
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.system.json_toml import pretty_json
from tests.filling import by_pdfium, perfect
from tests.marking.handing_in import answer_file, key_texts

INPUTS = 50_000
SECONDS = 15.0
"""No input may take longer; most take thousandths."""

MARKED = 25
"""One in so many answer files that can be read is marked too."""

PIECES = (
    b"", b"\0", b"\xff\xfe", b"\xef\xbb\xbf", b"\r\n", b"\n\n", b",", b";", b"\t", b'"', b"'", b"{", b"}", b"[", b"]",
    b"-", b"/", b"1/0", b"0/0", b"1e9", b"1e-9", b"9" * 50, b"nan", b"inf", b"-inf", b"null", b"true", b"=1+1",
    "−".encode(), "½".encode(), "²".encode(), "∞".encode(), "①".encode(), "\u202e".encode(), b"\xed\xa0\x80",
    b"[" * 200, b'{"a":' * 200, b"X", b"S", b"A exact", b"attnhand,", b"A1Q0-0000-000W", b"1,234", b"0 1/3", b"%",
    b"obj", b"endobj", b"stream", b"endstream", b"xref", b"trailer", b"/Kids", b"/Parent", b"/Fields", b"/V (", b"R ",
)  # fmt: skip
"""What is put into files, beside what they hold already."""


@dataclass(frozen=True, slots=True)
class Crash:
    """One input that a reader did not survive."""

    number: int
    told: str


def damaged(good: bytes, chance: random.Random) -> bytes:
    """Change, leave out, repeat, exchange or put in a few bytes; now and then cut the rest off."""
    data = bytearray(good)
    for _ in range(chance.choice((1, 1, 2, 3, 8))):
        at = chance.randrange(len(data) + 1)
        length = chance.choice((1, 1, 2, 5, 20, 200))
        match chance.randrange(7):
            case 0:
                data[at : at + length] = b""
            case 1:
                data[at:at] = chance.choice(PIECES)
            case 2:
                data[at : at + length] = chance.choice(PIECES)
            case 3:
                data[at:at] = data[at : at + length] * chance.choice((1, 2, 50))
            case 4 if at < len(data):
                data[at] = chance.randrange(256)
            case 5:
                other = chance.randrange(len(data) + 1)
                data[at:at] = data[other : other + length]
            case _ if chance.random() < 0.1:
                del data[at:]
            case _:
                pass
        if not data:
            return b""
    return bytes(data)


@cache
def _sheet() -> Sheet:
    return attnhand.generate(seed=7, level="warm-up")


@cache
def _small_sheet() -> Sheet:
    """Return a sheet whose form is small, for most of a form's reading goes with its size."""
    return attnhand.solve(X=[[1, 2], [0, 1]], W_Q=[[1, 0]], W_K=[[0, 1]], W_V=[[2, 1]])


@cache
def _good(reader: str) -> tuple[bytes, ...]:
    sheet = _sheet()
    match reader:
        case "numbers":
            return tuple(text.encode() for text in ("-2", "−1 1/2", "9/46", "½", "0,25", "20 %", "-inf", "1e-3", ".5"))
        case "json":
            rows = key_texts(sheet)
            return tuple(answer_file(sheet, rows, whole=whole).encode() for whole in (True, False))
        case "csv":
            text = render_csv(sheet.key)
            return (text.encode("utf-8-sig"), text.replace(",", ";").encode("cp1252", "replace"), text.encode("utf-16"))
        case "pdf":
            sheet = _small_sheet()
            form = render_pdf(replace(sheet, options=PageOptions(fillable=True)).blank)
            return (form, by_pdfium(form, perfect(sheet)))
        case _:
            raise KeyError(reader)


def _numbers(data: bytes, _: int) -> None:
    read_answer(data.decode("utf-8", "replace"))


def _texts(data: bytes, number: int) -> None:
    sheet = _sheet()
    answers = answers_of_mechanism(answers_from_text(data), sheet.problem.mechanism)
    if number % MARKED == 0:
        found = checked(answers, sheet)
        pretty_json(found.to_dict())
        assert len(found.marks.cells) == sheet.cells_to_fill


def _forms(data: bytes, number: int) -> None:
    sheet = _small_sheet()
    answers = answers_of_mechanism(answers_from_pdf(data), sheet.problem.mechanism)
    if number % MARKED == 0:
        assert len(checked(answers, sheet).marks.cells) == sheet.cells_to_fill


READERS: Mapping[str, Callable[[bytes, int], None]] = {
    "numbers": _numbers,
    "json": _texts,
    "csv": _texts,
    "pdf": _forms,
}


def tried(case: tuple[str, int]) -> Crash | None:
    """Give a reader the damaged input of that number."""
    reader, number = case
    chance = random.Random(f"{reader}/{number}")
    data = damaged(chance.choice(_good(reader)), chance)
    start = time.perf_counter()
    try:
        READERS[reader](data, number)
    except AttnhandError as refusal:
        if "\n" in str(refusal) or not str(refusal):
            return Crash(number, f"is refused in more than one line, or in none: {str(refusal)[:200]!r}")
    except Exception:
        return Crash(number, traceback.format_exc(limit=-4))
    if (seconds := time.perf_counter() - start) > SECONDS:
        return Crash(number, f"took {seconds:.1f} seconds")
    return None


def main(inputs: int, readers: list[str]) -> int:
    """Try every reader, on all processors; returns how many inputs crashed one."""
    crashes = 0
    with multiprocessing.Pool() as pool:
        for reader in readers:
            found = [c for c in pool.imap_unordered(tried, ((reader, n) for n in range(inputs)), chunksize=200) if c]
            print(f"{reader:8} {inputs:8,} inputs, {len(found)} crashes", flush=True)
            for crash in found[:5]:
                print(f"input {crash.number}: {crash.told}")
            crashes += len(found)
    return crashes


if __name__ == "__main__":
    wanted = sys.argv[2:] or list(READERS)
    sys.exit(1 if main(int(sys.argv[1]) if len(sys.argv) > 1 else INPUTS, wanted) else 0)
