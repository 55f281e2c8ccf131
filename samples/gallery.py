"""The gallery: every kind of sheet as a picture, with the command that makes it; ``make samples`` makes it again."""

import io
import json
import os
import re
import shlex
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from html import escape
from pathlib import Path

import pypdfium2
from PIL import Image
from playwright.sync_api import Browser, sync_playwright
from rich.console import Console
from rich.text import Text

from attnhand.api import generate
from attnhand.attention.matrix import Matrix
from attnhand.sheet.options import PageOptions
from tests.pages.conftest import BROWSER_FLAGS, find_browser_path

PICTURES = "gallery"
"""Folder of the pictures, beside the page."""

DOTS_PER_INCH, COLOURS = 110, 32
"""How finely pages are drawn, so that they are read, and in how many colours they are kept, so that files are small."""

TERMINAL_COLUMNS, TERMINAL_LINES = 80, 48
"""How much of a terminal is shown."""


@dataclass(frozen=True, slots=True)
class View:
    """One picture of what a command makes or prints."""

    caption: str
    file: str = ""
    """Which of its files, as a pattern; none for what it prints."""

    page: int = 1
    """Page of a PDF."""

    width: int = 1280
    """Pixels of the window in which a web page is seen."""

    def find_file(self, folder: Path) -> Path | None:
        """Return the file in a folder where a command has worked: a blank sheet, unless the pattern asks for keys."""
        is_key = self.file.endswith("-key.pdf")
        return min((each for each in folder.glob(self.file) if each.stem.endswith("-key") is is_key), default=None)


BLANK, KEY = View("blank", "*.pdf"), View("key", "*-key.pdf")
SECOND_PAGE = replace(BLANK, caption="blank, second page", page=2)


@dataclass(frozen=True, slots=True)
class Exhibit:
    """A kind of sheet: the command that makes it, and what is seen of it."""

    title: str
    command: str
    views: tuple[View, ...] = (BLANK, KEY)

    @property
    def arguments(self) -> list[str]:
        """The words of the command behind its program."""
        return shlex.split(self.command)[1:]

    def name_picture(self, view: View) -> str:
        """Return the file name of a view's picture."""
        words = re.findall(r"\w+", f"{self.title} {view.caption}".lower())
        return "-".join(words) + (".png" if view.file else ".svg")


CLASS_COMMAND = "attnhand class --count 12 --seed 7 --no-salt"

EXHIBITS = {
    "Every attention": (
        Exhibit("Self-attention", "attnhand generate --seed 7 --pdf"),
        Exhibit("In rows", "attnhand generate --seed 7 --convention rows --pdf"),
        Exhibit("Warm-up", "attnhand generate --seed 7 --level warm-up --pdf"),
        Exhibit("Challenge", "attnhand generate --seed 7 --level challenge --pdf"),
        Exhibit("Basic", "attnhand generate --seed 7 --mechanism basic --pdf"),
        Exhibit("Causal", "attnhand generate --seed 7 --causal --pdf"),
        Exhibit("Cross-attention", "attnhand generate --seed 7 --mechanism cross --pdf"),
        Exhibit("Two heads", "attnhand generate --seed 7 --mechanism multi-head --pdf"),
        Exhibit(
            "Shared keys and values",
            "attnhand generate --seed 7 --mechanism multi-head --heads 4 --kv-heads 2 --level warm-up --pdf",
        ),
        Exhibit("Rotary positions", "attnhand generate --seed 7 --positions rotary --pdf"),
        Exhibit("Distances", "attnhand generate --seed 7 --positions distance --pdf"),
        Exhibit("A KV cache", 'attnhand generate --seed 7 --cache 3 --words "I like cats today" --pdf'),
        Exhibit("A sink", "attnhand generate --seed 7 --sink 2 --pdf"),
        Exhibit("A temperature", "attnhand generate --seed 7 --temperature 1/2 --pdf"),
        Exhibit("Transformer block", "attnhand generate --seed 7 --mechanism block --pdf"),
        Exhibit("Residuals and norms", "attnhand generate --seed 7 --mechanism block --residual --norm rms --pdf"),
        Exhibit("The way back", "attnhand generate --seed 7 --mechanism backward --pdf"),
        Exhibit("The next token", "attnhand generate --seed 7 --mechanism next-token --pdf"),
        Exhibit("A step of learning", "attnhand generate --seed 7 --mechanism next-token --learn 1/2 --pdf"),
        Exhibit(
            "Online softmax",
            "attnhand generate --seed 7 --mechanism online --level warm-up --pdf",
            (BLANK, SECOND_PAGE, KEY),
        ),
        Exhibit("Words and positions", 'attnhand generate --seed 7 --words "the cat saw the dog" --positions --pdf'),
        Exhibit("Exact", "attnhand generate --seed 7 --rules exact --pdf"),
    ),
    "A whole language model, part by part": (
        Exhibit("Words become columns", "attnhand generate --seed 7 --part words --pdf"),
        Exhibit("Head 1: who?", "attnhand generate --seed 7 --part head-1 --pdf"),
        Exhibit("Head 2: what stood before me?", "attnhand generate --seed 7 --part head-2 --pdf"),
        Exhibit("Back into the stream", "attnhand generate --seed 7 --part stream --pdf"),
        Exhibit("Think", "attnhand generate --seed 7 --part network --pdf"),
        Exhibit("The next word", "attnhand generate --seed 7 --part next-word --pdf"),
        Exhibit("Learn: one step", "attnhand generate --seed 7 --part learn --pdf"),
        Exhibit("Write on: the next column", "attnhand generate --seed 7 --part write-on --pdf"),
        Exhibit("Write on: the word after", "attnhand generate --seed 7 --part word-after --pdf"),
        Exhibit("Without head 2", "attnhand generate --seed 7 --part without-head-2 --pdf"),
        Exhibit("Without the network", "attnhand generate --seed 7 --part without-network --pdf"),
    ),
    "Stories": (
        Exhibit("Elephant", "attnhand generate --seed 7 --story elephant --pdf"),
        Exhibit("Jury", "attnhand generate --seed 7 --story jury --pdf"),
        Exhibit("Soup", "attnhand generate --seed 7 --story soup --pdf"),
        Exhibit("Dog", "attnhand generate --seed 7 --story dog --pdf"),
    ),
    "One sheet, several ways": (
        Exhibit("Faded", "attnhand generate --seed 7 --fade --pdf", (BLANK,)),
        Exhibit("From the scores on", "attnhand generate --seed 7 --from-stage S --pdf", (BLANK,)),
        Exhibit("Two stages only", "attnhand generate --seed 7 --blank-stages A,Z --pdf", (SECOND_PAGE,)),
        Exhibit("Two queries only", "attnhand generate --seed 7 --only-queries 1,3 --pdf", (BLANK,)),
        Exhibit("Many questions", "attnhand generate --seed 7 --questions many --pdf", (SECOND_PAGE,)),
        Exhibit("A query's journey", "attnhand generate --seed 7 --trace 2 --pdf", (View("journey", "*.pdf"),)),
        Exhibit("Find the mistake", "attnhand generate --seed 7 --mistake truncated --pdf", (BLANK, KEY)),
    ),
    "Other pages, other screens": (
        Exhibit("Large print", "attnhand generate --seed 7 --large-print --pdf", (BLANK,)),
        Exhibit("Letter", "attnhand generate --seed 7 --paper letter --pdf", (BLANK,)),
        Exhibit("To scan and to tick", "attnhand generate --seed 7 --scan --tick-boxes --pdf", (BLANK,)),
        Exhibit("Form", "attnhand generate --seed 7 --fillable --pdf", (BLANK,)),
        Exhibit(
            "Web page",
            "attnhand generate --seed 7 --html",
            (View("wide", "*.html"), View("phone", "*.html", width=390)),
        ),
        Exhibit("Terminal", "attnhand generate --seed 7", (View("80 columns"),)),
        Exhibit("One cell explained", "attnhand explain 7 A11", (View("80 columns"),)),
    ),
    "A class": (
        Exhibit(
            "Class set",
            CLASS_COMMAND,
            (
                View("hand-out", "attnhand-class/hand-out/sheets.pdf", 2),
                View("cover of the teacher's booklet", "attnhand-class/teacher/keys.pdf"),
                View("quick keys", "attnhand-class/teacher/keys.pdf", 2),
            ),
        ),
        Exhibit(
            "Marked paper",
            "attnhand check answers.json --report report.pdf",
            (View("report", "report.pdf"), View("second page", "report.pdf", 2)),
        ),
        Exhibit("Marked in the terminal", "attnhand check answers.json", (View("80 columns"),)),
        Exhibit("Graded folder", "attnhand grade answers/", (View("summary", "summary.html"),)),
    ),
}
"""What is seen in the gallery, by its sections."""


ANSWERS_FILE, ANSWERS_FOLDER = "answers.json", "answers"
"""What somebody hands in, and the folder that is graded."""


def answer_with_slip() -> dict[str, Matrix]:
    """Return what somebody hands in for seed 7 who rounds toward zero, and then goes on rightly, by stage."""
    printed = generate(seed=7, options=PageOptions(mistake="truncated")).blank.printed_solution
    return {stage.stage.name: stage.hand for stage in printed}


def make_gallery(folder: Path) -> None:
    """Write the page ``index.html`` and its pictures into a folder, and take away pictures that it no longer shows."""
    pictures = folder / PICTURES
    pictures.mkdir(exist_ok=True)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=find_browser_path(), args=BROWSER_FLAGS)
        drawn = {name: data for exhibit in list_exhibits() for name, data in draw_exhibit(exhibit, browser).items()}
        browser.close()
    for path in pictures.iterdir():
        if path.name not in drawn:
            path.unlink()
    for name, data in drawn.items():
        (pictures / name).write_bytes(data)
    (folder / "index.html").write_text(format_page(), encoding="utf-8")


def list_exhibits() -> list[Exhibit]:
    """Return everything that is shown, in order."""
    return [exhibit for exhibits in EXHIBITS.values() for exhibit in exhibits]


def draw_exhibit(exhibit: Exhibit, browser: Browser) -> dict[str, bytes]:
    """Run a command in a folder of its own, and return its pictures by their file names."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        write_answers(folder)
        done = subprocess.run(
            [sys.executable, "-m", "attnhand", *exhibit.arguments],
            cwd=folder,
            env={**os.environ, "FORCE_COLOR": "1", "COLUMNS": str(TERMINAL_COLUMNS)},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode not in (0, 1):
            raise AssertionError(f"{exhibit.command}: {done.stderr}")
        pictures = {}
        for view in exhibit.views:
            file = view.find_file(folder) if view.file else None
            if file is None:
                data = _draw_terminal(exhibit.command, done.stdout)
            elif file.suffix == ".pdf":
                data = draw_page(file, view.page)
            else:
                data = _draw_web_page(file, view.width, browser)
            pictures[exhibit.name_picture(view)] = data
        return pictures


def write_answers(folder: Path) -> None:
    """Write what somebody hands in, as a file and as the one paper of a folder."""
    answers = {name: [[str(cell) for cell in row] for row in hand] for name, hand in answer_with_slip().items()}
    text = json.dumps({"code": generate(seed=7).code, "answers": answers})
    (folder / ANSWERS_FOLDER).mkdir()
    for path in (folder / ANSWERS_FILE, folder / ANSWERS_FOLDER / ANSWERS_FILE):
        path.write_text(text, encoding="utf-8")


def draw_page(pdf: Path, page: int) -> bytes:
    """Return one page of a PDF as a PNG."""
    with pypdfium2.PdfDocument(pdf) as document:
        document.init_forms()
        return _pack(document[page - 1].render(scale=DOTS_PER_INCH / 72, may_draw_forms=True).to_pil())


def _draw_web_page(file: Path, width: int, browser: Browser) -> bytes:
    window = browser.new_page(viewport={"width": width, "height": width * 8 // 5 if width < 600 else width * 5 // 8})
    window.goto(file.as_uri())
    data = window.screenshot()
    window.close()
    return _pack(Image.open(io.BytesIO(data)))


def _pack(image: Image.Image) -> bytes:
    out = io.BytesIO()
    # what keeps red among so many greys
    packed = image.convert("RGB").quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    packed.save(out, "PNG", optimize=True)
    return out.getvalue()


def _draw_terminal(command: str, printed: str) -> bytes:
    console = Console(record=True, width=TERMINAL_COLUMNS, file=io.StringIO())
    lines = f"$ {command}\n{printed}".splitlines()
    console.print(Text.from_ansi("\n".join(lines[:TERMINAL_LINES])))
    return console.export_svg(title="", unique_id="terminal").encode()


STYLE = """
@font-face { font-family: "Sheet Serif"; src: url("../templates/fonts/Sheet.woff2") }
@font-face { font-family: "Sheet Serif"; font-weight: 700; src: url("../templates/fonts/Sheet-Bold.woff2") }
body { font: 16px/1.5 "Sheet Serif", serif; max-width: 1200px; margin: 2rem auto; padding: 0 1rem }
:root { color: #1a1a1a; background: #fff }
section { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(100%, 34rem), 1fr)); gap: 2.5rem 2rem }
article { break-inside: avoid }
h2 { margin: 3rem 0 1rem }
h3 { margin: 0 }
code { font-size: .875rem; overflow-wrap: anywhere }
.views { display: flex; gap: 1rem; margin-top: .5rem; align-items: flex-start }
figure { margin: 0; flex: 0 1 50% }
figcaption { font-size: .875rem; color: #555 }
img { display: block; width: 100%; border: 1px solid #ccc }
"""


def format_page() -> str:
    """Return the page that shows all pictures, each under its command."""
    sections = "".join(
        f"<h2>{escape(title)}</h2>\n<section>\n{''.join(map(_format_exhibit, exhibits))}</section>\n"
        for title, exhibits in EXHIBITS.items()
    )
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>attnhand: every kind of sheet</title>\n<style>{STYLE}</style>\n"
        "<h1>Every kind of sheet, and the command that makes it</h1>\n"
        "<p>First pages, where a caption says no other; a picture leads to itself at full size.</p>\n"
        f"{sections}</html>\n"
    )


def _format_exhibit(exhibit: Exhibit) -> str:
    figures = "".join(
        f'<figure><a href="{(path := f"{PICTURES}/{exhibit.name_picture(view)}")}">'
        f'<img src="{path}" alt="{escape(exhibit.title)}, {escape(view.caption)}" loading="lazy"></a>'
        f"<figcaption>{escape(view.caption)}</figcaption></figure>\n"
        for view in exhibit.views
    )
    command = f"<p><code>{escape(exhibit.command, quote=False)}</code></p>"
    return f'<article>\n<h3>{escape(exhibit.title)}</h3>\n{command}\n<div class="views">\n{figures}</div>\n</article>\n'
