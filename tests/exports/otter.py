"""Notebooks as ``otter assign`` makes them for students, filled, and marked by ``otter run``: as ``attnhand check``.

Otter lives in an environment of its own, ``.venv/otter``, which ``.ci/setup exports`` makes.
"""

import json
import random
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

import attnhand
from attnhand.attention.convention import Convention
from attnhand.errors import AttnhandError
from attnhand.formats.otter import make_variable, render_otter
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from tests.exports.leaks import find_leaks
from tests.formats.workbooks import SPELLINGS, list_cases
from tests.forms import FORMS

PROGRAMS = Path(__file__).parents[2] / ".venv/otter/bin"
TRIED_FORMS = [(name, convention) for name in FORMS for convention in Convention]
SLIPS = 3


def attempt(number: int) -> str:
    """Assign one sheet, look for its key in what students get and execute that, then mark the key and some slips."""
    name, convention = TRIED_FORMS[number % len(TRIED_FORMS)]
    sheet = make_sheet_from_request(Request(seed=number, variant=FORMS[name], convention=convention)).blank
    try:
        master = render_otter(sheet)
    except AttnhandError:
        return "refused"
    key, *slips = list_cases(sheet, SPELLINGS[number % len(SPELLINGS)])
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sheet.ipynb").write_text(master, encoding="utf-8")
        run("otter", "assign", "--no-run-tests", "sheet.ipynb", "dist", folder=folder)
        student = Path(folder, "dist/student/sheet.ipynb")
        execute = ("--execute", "--allow-errors", "--inplace", "--to", "notebook")
        run("jupyter", "nbconvert", *execute, student, folder=folder)
        run("jupyter", "nbconvert", "--to", "latex", student, folder=folder)
        for path in (student, student.with_suffix(".tex")):
            if leaks := find_leaks(sheet, path.read_text(encoding="utf-8")):
                return f"{number} {name} {convention}: {path.name} holds {leaks}"
        if not find_leaks(sheet, master):
            return f"{number} {name} {convention}: the search finds nothing where the key is"
        for label, rows in [key, *random.Random(number).sample(slips, min(SLIPS, len(slips)))]:
            scores = mark(Path(folder), rows)
            checked = attnhand.check(rows, sheet)
            if checked.marks.other_way:
                continue
            cells = [cell for cell in checked.to_dict()["cells"] if cell["mark"] in ("wrong", "unreadable")]
            wrong = {make_variable(cell["cell"].partition("[")[0]) for cell in cells}
            failed = {stage for stage, (score, most, _) in scores.items() if score != most}
            if failed != wrong - {stage for stage in wrong if stage.startswith("ask")}:
                return f"{number} {name} {convention} {label}: otter fails {sorted(failed)}, check {sorted(wrong)}"
            stage = make_variable(label.partition(" at ")[2])
            if stage in failed and "You seem to have" not in scores[stage][2]:
                return f"{number} {name} {convention} {label}: otter says {scores[stage][2]}"
    return ""


def run(program: str, *arguments: object, folder: str | Path) -> None:
    """Run one of otter's programs; it must end well."""
    subprocess.run(
        [PROGRAMS / program, *map(str, arguments)], cwd=folder, check=True, capture_output=True, text=True, timeout=300
    )


def mark(folder: Path, answers: Mapping[str, Sequence[Sequence[str]]]) -> dict[str, tuple[float, float, str]]:
    """Fill in the student's notebook, have otter mark it, and return score, points and words for every question."""
    notebook = json.loads((folder / "dist/student/sheet.ipynb").read_text(encoding="utf-8"))
    variables = {make_variable(name): [[x or "0" for x in row] for row in rows] for name, rows in answers.items()}
    for cell in notebook["cells"]:
        name = "".join(cell["source"]).partition(" = [")[0]
        if cell["cell_type"] == "code" and name in variables:
            cell["source"] = f"{name} = {variables[name]!r}"
    (folder / "filled.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (archive,) = (folder / "dist/autograder").glob("*.zip")
    run("otter", "run", "-a", archive, "-o", folder, "filled.ipynb", folder=folder)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    named = {test["name"].partition(" - ")[0]: test for test in results["tests"] if "score" in test}
    return {name: (test["score"], test["max_score"], test.get("output", "")) for name, test in named.items()}
