"""SCORM packages in Chromium, on a platform that runs scorm-again: the score that ``attnhand check`` gives, and memory.

It comes from npm's registry, and is stored nowhere.
"""

import json
import random
import subprocess
import tarfile
from contextlib import suppress
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from attnhand.attention.convention import Convention
from attnhand.attention.numbers import Number
from attnhand.attention.slips import find_slips
from attnhand.errors import AttnhandError
from attnhand.formats.scorm import MAX_DATA_LENGTH
from attnhand.sheet.sheet import Sheet
from tests.exports.cases import ALLOWED_DIFFERENCES, Marker, list_cases
from tests.marking.handing_in import make_slip, write_answers, write_key
from tests.marking.students import WritingStyle
from tests.pages.conftest import BROWSER_FLAGS, find_browser_path
from tests.pages.scorm_students import (
    collect_rows,
    compute_score,
    fill_and_check,
    find_sheet_frame,
    list_texts,
    read_page,
)
from tests.pages.web_students import PAGES, RULES, WEB_NAMES, make_sheet, write_random_answers

SCORM_AGAIN = "scorm-again@3.4.3"

PLATFORM = """<!DOCTYPE html>
<html lang="en"><title>A platform</title><link rel="icon" href="data:,"><script src="scorm-again.js"></script>
<script>
  window.API = new Scorm12API({{ lmsCommitUrl: "commit", logLevel: 4 }});
  const saved = {saved};
  if (saved) window.API.loadFromJSON(saved);
</script>
<iframe src="index.html" width="1200" height="800"></iframe></html>"""


@cache
def fetch_scorm_again() -> str:
    """Return the script that makes a page a SCORM 1.2 platform, fetched once a process."""
    with TemporaryDirectory() as folder:
        npm = ["npm", "pack", "--silent", SCORM_AGAIN]
        name = subprocess.run(npm, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()
        with tarfile.open(Path(folder, name)) as package:
            script = package.extractfile("package/dist/scorm12.min.js")
            assert script
            return script.read().decode()


class Platform(ThreadingHTTPServer):
    """A server that hands out one package, and stores what scorm-again commits: a page that is left sends it late."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), RequestHandler)
        self.site = f"http://127.0.0.1:{self.server_port}/"
        self.document = ""
        self.saved: dict[str, Any] = {}

    def find_file(self, name: str) -> tuple[str, str]:
        """Return a file and its type."""
        if name == "/scorm-again.js":
            return fetch_scorm_again(), "text/javascript"
        page = PLATFORM.format(saved=json.dumps(self.saved or None))
        return page if name == "/" else self.document, "text/html; charset=utf-8"


class RequestHandler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Platform

    def do_GET(self) -> None:
        """Hand out a file."""
        self._send(*self.server.find_file(self.path))

    def do_POST(self) -> None:
        """Store what is committed."""
        self.server.saved = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["cmi"]
        self._send('{"result": "true", "errorCode": 0}', "application/json")

    def _send(self, text: str, kind: str) -> None:
        data = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        with suppress(ConnectionError):  # a page that is left waits for no answer
            self.wfile.write(data)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@cache
def start_platform() -> Platform:
    """Start a server in a thread, once a process."""
    platform = Platform()
    Thread(target=platform.serve_forever, daemon=True).start()
    return platform


@cache
def start_browser() -> Browser:
    """Start Chromium once a process, which ends it."""
    return sync_playwright().start().chromium.launch(executable_path=find_browser_path(), args=BROWSER_FLAGS)


def write_student(sheet: Sheet, number: int) -> dict[str, str]:
    """Return what a student types, by id of the cell: the key in a spelling, a slip, a case of the table, anything."""
    draw = random.Random(number)
    way = number % 5
    places = sheet.problem.rules.decimals

    def write_number(value: Number) -> str:
        """Write six decimals of irrational numbers: all digits of all cells are more than a platform stores."""
        return WritingStyle.FRACTIONS.write_number(value, places)

    if way == 0:
        key = write_key(sheet, write_number)
        return {cell: text.replace("-inf", "−∞").replace("-", "−") for cell, text in list_texts(sheet, key).items()}
    if way == 1:
        return {cell: text.replace(".", ",") for cell, text in write_random_answers(sheet, draw).items()}
    if way == 2:
        stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
        slips = [(slip, stage) for stage in stages for slip in find_slips(stage)]
        for slip, stage in draw.sample(slips, len(slips)):
            try:
                return list_texts(sheet, write_answers(sheet, make_slip(sheet, slip.id, stage.name), write_number))
            except (AssertionError, AttnhandError, ArithmeticError):
                continue  # it cannot happen with these numbers, or nobody could go on from it
    if way == 3:
        allowed = {kind for marker, kind in ALLOWED_DIFFERENCES if marker is Marker.SCORM}
        return list_texts(sheet, draw.choice([case for case in list_cases(sheet) if case.kind not in allowed]).texts)
    return write_random_answers(sheet, draw)


def read_fields(page: Page) -> dict[str, str]:
    """Return what stands in the fields of the sheet."""
    found = find_sheet_frame(page).evaluate(
        "Object.fromEntries([...document.querySelectorAll('td input:not(.question)')].map(f => [f.name, f.value]))"
    )
    return dict(found)


def attempt(number: int) -> str:
    """Practise one sheet in one form as one student: what the platform has must be what check says, and come back."""
    try:
        fetch_scorm_again()
    except (OSError, subprocess.CalledProcessError) as failure:
        return f"needs npm, and its registry for {SCORM_AGAIN}: {type(failure).__name__}"
    form, convention = WEB_NAMES[number % len(WEB_NAMES)], list(Convention)[number // len(WEB_NAMES) % 2]
    draw = random.Random(number)
    try:
        sheet = make_sheet(form, convention, draw.choice(RULES), draw.choice(PAGES), draw.randrange(1, 4))
    except AttnhandError:  # no such form by these rules
        return "refused"
    platform = start_platform()
    platform.document, platform.saved = read_page(sheet), {}
    texts = write_student(sheet, number // (2 * len(WEB_NAMES)) + number)
    context = start_browser().new_context(viewport={"width": 1280, "height": 900})
    complaints: list[str] = []
    context.on("console", lambda message: complaints.append(message.text))
    context.on("weberror", lambda error: complaints.append(str(error.error)))
    try:
        fault = _practise(platform, context.new_page(), sheet, texts) or "".join(complaints[:1])
    finally:
        context.close()
    return f"{sheet.code}: {fault}" if fault else ""


def _practise(platform: Platform, page: Page, sheet: Sheet, texts: dict[str, str]) -> str:
    page.goto(platform.site)
    fill_and_check(find_sheet_frame(page), texts)
    typed = read_fields(page)
    expected = compute_score(sheet, collect_rows(sheet, typed))
    core = platform.saved["core"]
    if abs(float(core["score"]["raw"]) - expected) > 0.0101:  # of 88.125 one rounds up, the other to the even digit
        return f"the platform has {core['score']['raw']}, check says {expected}: {typed}"
    if core["lesson_status"] != ("completed" if all(text.strip() for text in typed.values()) else "incomplete"):
        return f"{core['lesson_status']}: {typed}"
    last = next(iter(typed))
    find_sheet_frame(page).evaluate("document.querySelector('dialog[open]')?.close()")  # which says that all is right
    find_sheet_frame(page).locator(f"[name={last}]").fill("−1/7")  # not committed until the page is left
    page.goto("about:blank")
    for _ in range(100):
        if "~1/7" in platform.saved["suspend_data"]:
            break
        page.wait_for_timeout(20)
    else:
        return "left without a word"
    if len(platform.saved["suspend_data"]) > MAX_DATA_LENGTH:
        return f"{len(platform.saved['suspend_data'])} characters"
    page.goto(platform.site)
    found = read_fields(page)
    return "" if found == typed | {last: "−1/7"} else f"{found} came back of {typed}"
