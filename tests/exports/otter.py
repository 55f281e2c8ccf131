"""Notebooks as ``otter assign`` makes them for students, filled, and marked by ``otter run``: as ``attnhand check``.

Otter lives in an environment of its own, ``.venv/otter``, which ``.ci/setup exports`` makes.
"""

import json
import random
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from attnhand.errors import AttnhandError
from attnhand.formats.otter import make_variable, render_otter
from attnhand.sheet.grids import COUNTED_MARKS
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.text import LANGUAGES
from tests.exports.cases import check, list_cases
from tests.exports.leaks import find_leaks
from tests.exports.tried import choose_by_turns
from tests.formats.otter_tests import make_variables

PROGRAMS = Path(__file__).parents[2] / ".venv/otter/bin"
CASES = 2
"""Of each sheet, beside the key."""

Score = tuple[float, float]


def attempt(number: int) -> str:
    """Assign one sheet, look for its key in what students get and execute that, then mark some cases of the table.

    Every form in one convention, by turns; then all in the other.
    """
    name, request = choose_by_turns(number)
    language = [*LANGUAGES][number % len(LANGUAGES)]
    sheet = make_sheet_from_request(request, PageOptions(language=language)).blank
    try:
        master = render_otter(sheet)
    except AttnhandError:
        return "refused"
    label = f"{number} {name} {request.convention}"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "sheet.ipynb").write_text(master, encoding="utf-8")
        run("otter", "assign", "sheet.ipynb", "dist", folder=folder)  # the key passes all tests, or it stops
        student = Path(folder, "dist/student/sheet.ipynb")
        execute = ("--execute", "--allow-errors", "--inplace", "--to", "notebook")
        run("jupyter", "nbconvert", *execute, student, folder=folder)
        run("jupyter", "nbconvert", "--to", "latex", student, folder=folder)
        for path in (student, student.with_suffix(".tex")):
            handed_out = path.read_text(encoding="utf-8")
            if leaks := find_leaks(sheet, handed_out):
                return f"{label}: {path.name} holds {leaks}"
            if "notebook_marks" in handed_out or "find_fault" in handed_out:
                return f"{label}: {path.name} holds what marks"
        if len(sheet.asked_queries) > 1 and not find_leaks(sheet, master):  # of one token there is little to look for
            return f"{label}: the search finds nothing where the key is"
        right, *others = list_cases(sheet)
        for case in [right, *random.Random(number).sample(others, CASES)]:
            scores = mark(Path(folder), make_variables(sheet, case.texts, case.answers))
            checked = check(sheet, case)
            expected: dict[str, Score] = {
                make_variable(stage): (float(counted), of)
                for stage, (counted, of) in checked.marks.scores_by_stage.items()
            }
            if {stage: scores[stage][:2] for stage in expected} != expected:
                return f"{label} {case.name}: otter gives {scores}, check {expected}"
            for each in checked.question_marks:
                says_right = "All test cases passed" in scores[each.question.name][2]
                if says_right is not (each.mark in COUNTED_MARKS):
                    return f"{label} {case.name}: otter says {scores[each.question.name]}, check {each.mark}"
    return ""


def run(program: str, *arguments: object, folder: str | Path) -> None:
    """Run one of otter's programs; it must end well."""
    subprocess.run(
        [PROGRAMS / program, *map(str, arguments)], cwd=folder, check=True, capture_output=True, text=True, timeout=300
    )


def mark(folder: Path, variables: Mapping[str, object]) -> dict[str, tuple[float, float, str]]:
    """Fill in the student's notebook, have otter mark it, and return score, points and words for every item."""
    notebook = json.loads((folder / "dist/student/sheet.ipynb").read_text(encoding="utf-8"))
    for cell in notebook["cells"]:
        name = "".join(cell["source"]).partition(" = ")[0]
        if cell["cell_type"] == "code" and name in variables:
            cell["source"] = f"{name} = {variables[name]!r}".replace("Ellipsis", "...")
    (folder / "filled.ipynb").write_text(json.dumps(notebook), encoding="utf-8")
    (archive,) = (folder / "dist/autograder").glob("*.zip")
    run("otter", "run", "-a", archive, "-o", folder, "filled.ipynb", folder=folder)
    results = json.loads((folder / "results.json").read_text(encoding="utf-8"))
    return {
        test["name"].partition("_")[2]: (test["score"], test["max_score"], test["output"]) for test in results["tests"]
    }
