"""Markdown in pandoc and Marp: every formula becomes one, pdflatex knows every sign, and no slide overflows.

Marp comes from npm's registry, and is stored nowhere.
"""

import re
import subprocess
import zipfile
from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from attnhand.formats.markdown import render_markdown
from attnhand.problems.question_amount import QuestionAmount
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.text import LANGUAGES
from tests.exports.scorm import start_browser
from tests.exports.tried import choose_request, choose_trace

MARP = "@marp-team/marp-cli@4.5.1"

NOT_IN_PDFLATEX = {"uk"}
"""Languages in letters that it has no font for."""

_LATEX = r"""\documentclass{article}
\usepackage[T1]{fontenc}
\usepackage{amsmath,amssymb,hyperref}
\begin{document}
%s
\end{document}
"""
"""What pandoc asks for, but for fonts that few have."""

_OVERFLOW = """() => [...document.querySelectorAll("section")].flatMap((slide, at) => {
    const page = slide.getBoundingClientRect(), scale = page.width / 1280;
    const boxes = [...slide.querySelectorAll("*")].map((each) => each.getBoundingClientRect());
    const [right, bottom] = ["right", "bottom"].map((side) => Math.max(...boxes.map((box) => box[side])));
    const beyond = Math.max(right - page.right, bottom - page.bottom) / scale;
    return beyond > 0 ? [`slide ${at + 1}: ${Math.round(beyond)} pixels`] : [];
})"""


@cache
def install_marp() -> tuple[TemporaryDirectory[str], Path]:
    """Return where Marp is, fetched once a process, and what keeps it."""
    folder = TemporaryDirectory()
    npm = ["npm", "install", "--silent", "--no-audit", "--prefix", folder.name, MARP]
    subprocess.run(npm, check=True, capture_output=True)
    return folder, Path(folder.name, "node_modules/.bin/marp")


def attempt(number: int) -> str:
    """Convert a sheet, blank or solved, and its slides; say what is wrong."""
    try:
        install_marp()
    except (OSError, subprocess.CalledProcessError) as failure:
        return f"needs npm, and its registry for {MARP}: {type(failure).__name__}"
    (name, request), language = choose_request(number), [*LANGUAGES][number % len(LANGUAGES)]
    with TemporaryDirectory() as folder:
        for slides in (False, True):
            trace = None if request.variant.embedded_words else choose_trace(number)
            amount = (QuestionAmount.FEW, QuestionAmount.MANY)[number % 2]
            options = PageOptions(language=language, trace=trace, questions=amount, slides=slides)
            sheet = make_sheet_from_request(request, options)
            text = render_markdown(sheet.key if number // 3 % 2 else sheet.blank)
            path = Path(folder, "sheet.md")
            path.write_text(text, encoding="utf-8")
            fault = find_fault(path, text, with_latex=language not in NOT_IN_PDFLATEX)
            if fault := fault or (find_fault_of_slides(path, text) if slides else ""):
                return f"{name} in {language}, {sheet.code}{', slides' if slides else ''}: {fault}"
    return ""


def find_fault(path: Path, text: str, *, with_latex: bool) -> str:
    """Say what pandoc makes wrong: of docx, of a page with MathML, and of LaTeX where that knows the letters."""
    count = count_formulas(text)
    run("pandoc", path, "-o", path.with_suffix(".docx"))
    with zipfile.ZipFile(path.with_suffix(".docx")) as package:
        found = package.read("word/document.xml").count(b"<m:oMath>")
    if found != count:
        return f"{found} of {count} formulas are in docx"
    page = run("pandoc", path, "--mathml", "-t", "html")
    plain = re.sub(r"<math.*?</math>|<[^<>]*>", "", page, flags=re.DOTALL)
    left = re.findall(r".*(?:[$\\]|\*\*).*", plain)
    if page.count("<math ") != count or left:
        return f"{page.count('<math ')} of {count} formulas are on the page, and {left[:3]}"
    if with_latex:
        tex = run("pandoc", path, "-t", "latex")
        path.with_suffix(".tex").write_text(_LATEX % tex, encoding="utf-8")
        run("pdflatex", "-interaction=nonstopmode", "-halt-on-error", path.with_suffix(".tex"))
    return ""


def count_formulas(text: str) -> int:
    """Return how many formulas a sheet has, in sentences and as blocks."""
    return len(re.findall(r"\$\$.*?\$\$|\$.*?\$", text.replace(r"\$", ""), re.DOTALL))


def find_fault_of_slides(path: Path, text: str) -> str:
    """Say which slide of Marp has no room for what stands on it, and whether pandoc has as many slides."""
    _, marp = install_marp()
    run(marp, "--no-stdin", path, "-o", path.with_suffix(".html"))
    page = start_browser().new_page(viewport={"width": 1280, "height": 720})
    page.goto(path.with_suffix(".html").as_uri())
    overflow: list[str] = page.evaluate(_OVERFLOW)
    slides = page.locator("section").count()
    page.close()
    reveal = run("pandoc", path, "-t", "revealjs", "--slide-level=2").count('class="slide level2"') + 1
    wanted = text.count("\n\n---\n\n") + 1
    if not slides == reveal == wanted:
        return f"{wanted} slides are {slides} in Marp and {reveal} in pandoc"
    return "; ".join(overflow)


def run(program: str | Path, *arguments: object) -> str:
    """Run a program, which must end well, beside its file; return what it writes."""
    folder = next(argument.parent for argument in arguments if isinstance(argument, Path))
    command = [program, *map(str, arguments)]
    ran = subprocess.run(command, cwd=folder, capture_output=True, timeout=120, check=False)
    if ran.returncode:
        raise RuntimeError(f"{program}: {(ran.stderr or ran.stdout)[-400:]!r}")
    return ran.stdout.decode(errors="replace")
