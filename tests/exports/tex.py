"""LaTeX sheets in pdflatex: in an article and in frames of Beamer, nothing too wide, every number of the key seen."""

import re
import subprocess
from pathlib import Path
from tempfile import TemporaryDirectory

from attnhand.formats.tex import render_tex
from attnhand.sheet.grids import CellKind
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import build_panels
from attnhand.sheet.sheet import Sheet
from tests.exports.tried import choose_request, choose_trace

MAX_OVERFULL_POINTS = 3.0

DOCUMENTS = {
    "article": "\\documentclass{article}\n%s\n\\begin{document}\n\\input{sheet}\n\\end{document}\n",
    "beamer": "\\documentclass{beamer}\n%s\n\\begin{document}\n"
    "\\begin{frame}[allowframebreaks=0.8]{x}\n\\input{sheet}\n\\end{frame}\n\\end{document}\n",
}


def attempt(number: int) -> str:
    """Set one sheet as an article and in Beamer; say what is wrong."""
    _, request = choose_request(number)
    options = PageOptions(show_exact=number % 3 == 0, trace=choose_trace(number))
    sheet = make_sheet_from_request(request, options)
    for face in (sheet.key, sheet.blank):
        tex = render_tex(face)
        preamble = "\n".join(line[2:] for line in tex.splitlines() if line.startswith("% \\usepackage"))
        for name, document in DOCUMENTS.items():
            if fault := find_fault(face, tex, document % preamble):
                return f"{name} of {sheet.code}: {fault}"
    return ""


def find_fault(sheet: Sheet, tex: str, document: str) -> str:
    """Say what pdflatex makes wrong of a document with a sheet."""
    with TemporaryDirectory() as folder:
        place = Path(folder)
        (place / "sheet.tex").write_text(tex, encoding="utf-8")
        (place / "it.tex").write_text(document, encoding="utf-8")
        command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", "it.tex"]
        ran = subprocess.run(command, cwd=place, capture_output=True, timeout=120, check=False)
        log = (place / "it.log").read_text(encoding="latin-1")
        if ran.returncode:
            return log[-600:]
        overfull = re.findall(r"Overfull \\(\w+) \(([\d.]+)pt too", log)
        if large := [found for found in overfull if float(found[1]) > MAX_OVERFULL_POINTS]:
            return f"overfull: {large}"
        # digits of small fractions that stand close run together in one way of reading and not in the other
        ways = (["pdftotext", way, "it.pdf", "-"] for way in ("-layout", "-raw"))
        texts = [subprocess.run(way, cwd=place, capture_output=True, check=True).stdout.decode() for way in ways]
        seen = set(re.findall(r"\d+(?:\.\d+)?", "\n".join(texts)))
        missing = list_answer_digits(sheet) - seen
        return f"{sorted(missing)} cannot be read" if missing else ""


def list_answer_digits(sheet: Sheet) -> set[str]:
    """Return all digits in the answers of a key; none for a blank sheet."""
    cells = [
        cell
        for panel in build_panels(sheet).list_panels()
        for row in panel.grid.cells
        for cell in row
        if cell.kind is CellKind.ANSWER and cell.number
    ]
    return {digits for cell in cells for digits in re.findall(r"\d+(?:\.\d+)?", f"{cell.number}")}
