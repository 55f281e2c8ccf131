"""A blank sheet shown in Jupyter: what the notebook stores holds no answer, nor what nbconvert makes of it."""

import json
import os
import sysconfig
import tempfile
from pathlib import Path

from attnhand.formats.notebook import render_notebook
from attnhand.formats.registry import FORMATS
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from tests.exports.leaks import find_leaks
from tests.exports.otter import run

MIME_TYPES = {"text/plain", "text/html", "text/latex"}


def attempt(number: int) -> str:
    """Execute a notebook whose last line is a blank sheet, and look through all that is stored, and through LaTeX."""
    source = f"import attnhand\nsheet = attnhand.generate({number})\nsheet.blank"
    cell: dict[str, object] = {
        "cell_type": "code",
        "execution_count": None,
        "id": "a",
        "metadata": {},
        "outputs": [],
        "source": source,
    }
    kernel = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
    notebook = {"cells": [cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5}
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parents[2]), sysconfig.get_path("purelib")])
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "sheet.ipynb")
        path.write_text(json.dumps(notebook), encoding="utf-8")
        run("jupyter", "nbconvert", "--to", "notebook", "--execute", "--inplace", path, folder=folder)
        run("jupyter", "nbconvert", "--to", "latex", path, folder=folder)
        (output,) = json.loads(path.read_text(encoding="utf-8"))["cells"][0]["outputs"]
        if set(output["data"]) != MIME_TYPES:
            return f"{number}: stores {sorted(output['data'])}"
        stored = {kind: "".join(text) for kind, text in output["data"].items()}
        stored |= {"LaTeX": path.with_suffix(".tex").read_text(encoding="utf-8")}
    sheet = make_sheet_from_request(Request(seed=number)).blank
    for kind, text in stored.items():
        if leaks := find_leaks(sheet, text):
            return f"{number}: {kind} holds {leaks}"
    keys = (render_notebook(sheet.key), FORMATS["tex"].render_file(sheet.key).decode())
    return "" if all(find_leaks(sheet, text) for text in keys) else f"{number}: nothing is found where the key is"
