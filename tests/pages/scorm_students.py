"""Students who fill the page of a SCORM package, and the score that `attnhand check` gives them."""

import io
from collections.abc import Mapping
from pathlib import Path
from zipfile import ZipFile

from playwright.sync_api import BrowserContext, Frame, Page

from attnhand.api import check
from attnhand.formats.scorm import render_scorm
from attnhand.sheet.addresses import make_cell_id
from attnhand.sheet.sheet import Sheet

SITE = "https://platform.test/"

STAND_IN = Path(__file__).with_name("scorm_platform.html")

Rows = Mapping[str, list[list[str]]]


def read_page(sheet: Sheet) -> str:
    """Return the page in the package of a sheet."""
    with ZipFile(io.BytesIO(render_scorm(sheet))) as package:
        return package.read("index.html").decode()


def serve(context: BrowserContext, files: Mapping[str, str]) -> None:
    """Answer for a site that has these files, and no other."""

    def answer(route, request):  # type: ignore[no-untyped-def]  # playwright's, which mypy takes for Any
        name = request.url.removeprefix(SITE)
        kind = "text/javascript" if name.endswith(".js") else "text/html; charset=utf-8"
        route.fulfill(status=200 if name in files else 404, body=files.get(name, ""), content_type=kind)

    context.route("**/*", answer)


def find_sheet_frame(page: Page) -> Frame:
    """Return the frame of the platform's page that shows the sheet."""
    (frame,) = (each for each in page.frames if each.url.endswith("/index.html"))
    frame.locator("#tools").wait_for(state="attached")
    return frame


def list_texts(sheet: Sheet, rows: Rows) -> dict[str, str]:
    """Return what is typed, by id of the cell."""
    return {
        make_cell_id(f"{stage}[{i},{j}]"): text
        for stage, matrix in rows.items()
        for i, row in enumerate(matrix, 1)
        for j, text in enumerate(row, 1)
    }


def collect_rows(sheet: Sheet, texts: Mapping[str, str]) -> Rows:
    """Return what is typed, by stage, as an answer file has it."""
    return {
        stage.name: [
            [texts.get(make_cell_id(f"{stage.name}[{i},{j}]"), "") for j, _ in enumerate(row, 1)]
            for i, row in enumerate(sheet.solution[stage.name].hand, 1)
        ]
        for stage in sheet.problem.mechanism.stages
        if sheet.count_answer_cells(stage) and sheet.has_own_panel(stage)
    }


def fill_and_check(frame: Frame, texts: Mapping[str, str]) -> None:
    """Type into every field that has a text, and let the page check."""
    frame.evaluate(
        """texts => { for (const field of document.querySelectorAll('td input:not(.question)')) {
            field.value = texts[field.name] ?? '';
            field.dispatchEvent(new Event('input'));
        } }""",
        dict(texts),
    )
    frame.get_by_role("button", name="Check my work").click()


def compute_score(sheet: Sheet, rows: Rows) -> float:
    """Return the share of all cells that `attnhand check` counts as right, in percent."""
    score = check(rows, sheet).to_dict()["score"]
    return float(round(100 * (score["correct"] + score["follows"]) / score["of"], 2))
