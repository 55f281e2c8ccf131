"""A sheet shown in Jupyter: what the notebook stores of a blank one, and what LaTeX it makes, holds no answer."""

import json
import os
import sysconfig
import tempfile
from pathlib import Path

from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from tests.exports.leaks import find_leaks
from tests.exports.otter import run
from tests.exports.tried import choose_request

MIME_TYPES = {"text/plain", "text/html", "text/latex"}

FORM_STEP = 13
"""From one form that is tried to the next: a few show as much as all."""


def attempt(number: int) -> str:
    """Execute a notebook whose last line is a sheet, and look through all that is stored, and through LaTeX.

    What ``generate`` returns shows no answer, nor does a blank sheet of any form; a key shows them.
    """
    shown = ("sheet", "sheet.blank", "sheet.key")[number % 3]
    request = choose_request(FORM_STEP * number)[1] if number % 3 else Request(seed=number)
    sheet = make_sheet_from_request(request).blank
    made = f"key({sheet.code!r})" if number % 3 else f"generate({number})"
    source = f"import attnhand\nsheet = attnhand.{made}\n{shown}"
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
    for kind, text in stored.items():
        leaks = find_leaks(sheet, text)
        if shown == "sheet.key" and kind != "text/plain":
            if not leaks:
                return f"{number}: {kind} of the key holds no answer"
        elif leaks:
            return f"{number}: {kind} of {shown} holds {leaks}"
    return ""
