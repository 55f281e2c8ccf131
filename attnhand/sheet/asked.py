"""Which part of a sheet is asked, as files say it: queries, the first stage, the blank stages."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attnhand.errors import ProblemError
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet


def asked_data(sheet: Sheet) -> dict[str, Any]:
    """Return what a JSON sheet says of what it asks; nothing where it asks everything.

    >>> from attnhand.sheet.make import sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> asked_data(sheet_from_request(Request(seed=7), PageOptions(queries=(0, 2), start="S")))
    {'queries': [1, 3], 'start': 'S'}
    """
    data: dict[str, Any] = {}
    if not sheet.asks_all:
        data["queries"] = [query + 1 for query in sheet.queries]
    if sheet.options.start:
        data["start"] = sheet.options.start
    if sheet.options.blank_stages:
        data["blank_stages"] = list(sheet.options.blank_stages)
    return data


def with_asked(page: PageOptions, data: Mapping[str, object]) -> PageOptions:
    """Return the page options with what a JSON sheet asks, where they do not say so themselves.

    Raises:
        ProblemError: the sheet says it in another form; the message completes "sheet.json: …".
    """
    queries = _listed(data, "queries", int, "a list of numbers: write [1, 3]")
    stages = _listed(data, "blank_stages", str, 'a list of names: write ["A", "Z"]')
    start = data.get("start")
    if not isinstance(start, str | None):
        raise ProblemError('the start is not the name of a stage: write "S", or take it out')
    if page.queries is None and queries is not None:
        page = replace(page, queries=tuple(query - 1 for query in queries))
    if not (page.start or page.blank_stages or page.mistake):
        page = replace(page, start=start, blank_stages=stages)
    return page


def _listed(data: Mapping[str, object], name: str, kind: type, wanted: str) -> tuple[Any, ...] | None:
    found = data.get(name)
    if found is None:
        return None
    if not isinstance(found, list) or not found or not all(type(item) is kind for item in found):
        raise ProblemError(f"the {name.replace('_', ' ')} are not {wanted}, or take them out")
    return tuple(found)
