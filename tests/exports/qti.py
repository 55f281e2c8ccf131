"""QTI 2.1 converted by npm's qti-convert and played by qti-components in Chromium: the score that check gives.

Both come from npm's registry, and are stored nowhere.
"""

import random
import subprocess
from collections.abc import Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, Route, TimeoutError

from attnhand.errors import AttnhandError
from attnhand.formats.moodle import choose_drawn_stage
from attnhand.formats.package import unpack_files
from attnhand.formats.qti21 import ITEM_FOLDER, render_qti21
from attnhand.sheet.make import make_sheet_from_request
from tests.exports.scorm import start_browser
from tests.exports.tried import choose_by_turns
from tests.formats.qti_students import WAYS, count_right, fill_in

QTI_COMPONENTS, QTI_CONVERT = "@citolab/qti-components@7.27.4", "@citolab/qti-convert@0.3.52"

_PAGE = """<!DOCTYPE html><html lang="en"><meta name="viewport" content="width=device-width"><title>A player</title>
<link rel="icon" href="data:,"><script src="/qti-components.js"></script>
<qti-item><item-container item-url="/{item}"></item-container></qti-item></html>"""

PHONE_WIDTH = 390
"""In pixels."""

_SITE = "http://player.test"
"""Nothing is asked there: the browser is answered from memory."""

_ITEM = "const item = document.querySelector('item-container').shadowRoot.querySelector('qti-assessment-item');"


@cache
def install_packages() -> tuple[TemporaryDirectory[str], Path]:
    """Return the folder with both packages, fetched once a process, and what keeps it."""
    folder = TemporaryDirectory()
    npm = ["npm", "install", "--silent", "--no-audit", "--prefix", folder.name, QTI_COMPONENTS, QTI_CONVERT]
    subprocess.run(npm, check=True, capture_output=True)
    return folder, Path(folder.name, "node_modules")


def convert(package: bytes) -> dict[str, str]:
    """Return the files of a package as qti-convert makes QTI 3 of it."""
    _, modules = install_packages()
    with TemporaryDirectory() as folder:
        path = Path(folder, "sheet.zip")
        path.write_bytes(package)
        command = ["node", f"{modules}/@citolab/qti-convert/dist/qti-convert-pkg.mjs", str(path)]
        subprocess.run(command, check=True, capture_output=True, cwd=modules.parent)
        return unpack_files(path.with_name("sheet-qti3.zip").read_bytes())


def open_item(page: Page, files: Mapping[str, str], name: str) -> None:
    """Show an item of a package in the player."""
    _, modules = install_packages()

    def answer(route: Route) -> None:
        path = route.request.url.removeprefix(f"{_SITE}/")
        if path == "qti-components.js":
            route.fulfill(path=modules / "@citolab/qti-components/cdn/index.global.js")
        else:
            kind = "text/css" if path.endswith(".css") else "text/html" if not path else "text/xml"
            route.fulfill(body=files[path] if path else _PAGE.format(item=name), content_type=f"{kind}; charset=utf-8")

    page.unroute_all()
    page.route(f"{_SITE}/**", answer)
    page.goto(f"{_SITE}/")
    page.locator("qti-item-body").wait_for()
    page.evaluate(f"() => {{ {_ITEM} return item.updateComplete; }}")


def measure_on_phone(page: Page) -> int:
    """Return how wide an item is on a phone once it is drawn; tables that are wider are scrolled by themselves."""
    size = page.viewport_size
    assert size
    page.set_viewport_size({"width": PHONE_WIDTH, "height": 800})
    with suppress(TimeoutError):
        page.wait_for_function(f"() => document.documentElement.scrollWidth <= {PHONE_WIDTH}", timeout=5000)
    width: int = page.evaluate("() => document.documentElement.scrollWidth")
    page.set_viewport_size(size)
    return width


def type_answer(page: Page, name: str, text: str) -> None:
    """Type into a field."""
    field = page.locator(f"qti-text-entry-interaction[response-identifier={name}] input")
    field.fill(text)
    field.blur()


def read_outcome(page: Page, name: str) -> object:
    """End the attempt, and return an outcome."""
    read = f"name => {{ {_ITEM} item.processResponse(); return item.getOutcome(name).value; }}"
    value: object = page.evaluate(read, name)
    return value


def attempt(number: int) -> str:
    """Fill every question of one sheet in one form as one student: the score must be what check counts."""
    try:
        install_packages()
    except (OSError, subprocess.CalledProcessError) as failure:
        return f"needs npm, and its registry for {QTI_CONVERT}: {type(failure).__name__}"
    name, request = choose_by_turns(number)
    sheet = make_sheet_from_request(request)
    try:
        package = render_qti21(sheet)
    except AttnhandError:
        return "refused"
    files = convert(package)
    items = sorted(path for path in files if path.startswith(f"{ITEM_FOLDER}/"))
    page = start_browser().new_page(viewport={"width": 1200, "height": 900})
    complaints: list[str] = []
    page.on("console", lambda message: complaints.append(message.text) if message.type == "error" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    try:
        stages = [stage for stage in sheet.problem.mechanism.stages if sheet.count_answer_cells(stage)]
        for stage, item in zip(stages, items, strict=False):
            drawn = choose_drawn_stage(sheet, stage)
            draw = random.Random(f"{number} {stage.name}")
            typed = fill_in(drawn, draw.choice((WAYS[:4], WAYS[:4], WAYS)), draw)
            open_item(page, files, item)
            if (width := measure_on_phone(page)) > PHONE_WIDTH:
                return f"{number} {name} {stage.name}: {width} pixels wide on a phone"
            for (i, j), text in typed.items():
                type_answer(page, f"r{i + 1}c{j + 1}", text)
            score, expected = float(str(read_outcome(page, "SCORE"))), count_right(drawn, typed)
            if score != expected or complaints:
                return f"{number} {name} {stage.name}: {score} for {expected}: {typed} {complaints[:2]}"
    finally:
        page.close()
    return ""
