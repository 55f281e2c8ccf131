"""Which part of a sheet is asked, as its code and as files say it: queries, the first stage, the blank stages."""

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.slips import find_slips
from attnhand.errors import Message, ProblemError
from attnhand.problems.base32 import normalize_code
from attnhand.problems.mistake import ANY_SLIP, format_mistake
from attnhand.problems.problem_file import format_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.sheet_code import DecodedCode, compute_fingerprint, encode_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.text import FALLBACK_LANGUAGE

ASKED_KEYS = ("only_queries", "fade", "from_stage", "blank_stages", "question_amount")
"""What a JSON sheet says of what it asks."""


def encode_sheet(sheet: Sheet, salt: str = "") -> str:
    """Return the code of a sheet, which says what it asks too; of one's own matrices a fingerprint of both.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> page = PageOptions(from_stage="softmax")
    >>> make_sheet_from_request(Request(seed=7), page).code, make_sheet_from_request(Request(seed=7)).code
    ('ARY0-0000-000X-S8', 'A1Q0-0000-000W')
    """
    code, language = _encode_numbers(sheet, salt), sheet.options.language_code
    return code if language == FALLBACK_LANGUAGE else f"{code}+{language.upper()}"


def _encode_numbers(sheet: Sheet, salt: str) -> str:
    options = sheet.options
    if sheet.request is None:
        return _compute_own_fingerprint(sheet, str(sheet.planted_mistake or ""))
    from_stage = "" if options.from_stage is None else sheet.name_stage(options.from_stage)
    return encode_request(
        sheet.request,
        salt,
        only_queries=() if sheet.asks_usual_queries else [query + 1 for query in sheet.asked_queries],
        from_stage=from_stage,
        blank_stages=name_asked_stages(sheet),
        is_faded=options.fade,
        questions=QuestionAmount.FEW if options.mistake else options.question_amount,
        mistake=str(sheet.planted_mistake or ""),
    )


def _compute_own_fingerprint(sheet: Sheet, mistake: str) -> str:
    """Return the fingerprint of somebody's own matrices, of what is asked of them, and of a mistake among them."""
    asked = build_asked_data(sheet)
    if sheet.asks_usual_queries:
        asked.pop("only_queries", None)
    if mistake:
        asked["mistake"] = mistake
    return compute_fingerprint(format_problem(sheet.problem) + (json.dumps(asked) if asked else ""))


def find_own_mistake(sheet: Sheet, code: str) -> str | None:
    """Return the mistake, ``truncated@scaled``, with which a sheet of one's own matrices has a code; None for none.

    A fingerprint tells nothing by itself, but there are only so many mistakes to try.
    """
    wanted = normalize_code(code)
    planted = ((slip, stage) for stage in sheet.problem.mechanism.stages for slip in find_slips(stage))
    names = (format_mistake(slip.id, stage.name) for slip, stage in planted)
    return next((name for name in names if normalize_code(_compute_own_fingerprint(sheet, name)) == wanted), None)


def name_asked_stages(sheet: Sheet) -> tuple[str, ...]:
    """Return the ids of the blank stages in the order of the sheet, that of every head together; none for all."""
    asked = {stage for name in sheet.options.blank_stages or () for stage in sheet.find_stages(name)}
    names: dict[str, None] = {}
    for stage in (each.name for each in sheet.problem.mechanism.stages if each.name in asked):
        of_all_heads = sheet.find_stages(strip_head(stage))
        names[strip_head(stage) if asked.issuperset(of_all_heads) else stage] = None
    return tuple(names)


def apply_code(options: PageOptions, code: DecodedCode, salt: str = "") -> PageOptions:
    """Return the page options with what a code asks, where they do not say so themselves.

    Args:
        salt: that of the code, which hides its mistake.
    """
    if options.mistake in (None, ANY_SLIP) and code.coded_mistake:
        options = replace(options, mistake=code.find_mistake(salt))
    options = replace(
        options,
        only_queries=code.only_queries if options.only_queries is None else options.only_queries,
        questions=options.questions if code.questions in (QuestionAmount.FEW, QuestionAmount.TRIES) else code.questions,
        tries=options.tries or code.questions is QuestionAmount.TRIES,
        fade=options.fade or code.is_faded,
        language=code.language if options.language is None else options.language,
    )
    if options.from_stage or options.blank_stages or options.mistake:
        return options
    return replace(options, from_stage=code.from_stage, blank_stages=code.blank_stages)


def build_asked_data(sheet: Sheet) -> dict[str, Any]:
    """Return what a JSON sheet says of what it asks; nothing where it asks everything.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> page = PageOptions(only_queries=(1, 3), from_stage="S")
    >>> build_asked_data(make_sheet_from_request(Request(seed=7), page))
    {'only_queries': [1, 3], 'from_stage': 'S'}
    """
    data: dict[str, Any] = {}
    if not sheet.asks_every_query:
        data["only_queries"] = [query + 1 for query in sheet.asked_queries]
    if sheet.options.fade:
        data["fade"] = True
    if sheet.options.from_stage:
        data["from_stage"] = sheet.name_stage(sheet.options.from_stage)
    if sheet.options.blank_stages:
        data["blank_stages"] = [sheet.name_stage(name) for name in sheet.options.blank_stages]
    if sheet.options.question_amount is not QuestionAmount.FEW and not sheet.options.mistake:
        data["question_amount"] = sheet.options.question_amount.value
    return data


def leave_out_asked_data(data: Mapping[str, object]) -> Mapping[str, object]:
    """Return what a JSON sheet says but for what it asks."""
    return {name: value for name, value in data.items() if name not in ASKED_KEYS}


def apply_asked_data(options: PageOptions, data: Mapping[str, object]) -> PageOptions:
    """Return the page options with what a JSON sheet asks, where they do not say so themselves.

    Raises:
        ProblemError: the sheet says it in another form; the message completes "sheet.json: …".
    """
    queries = _read_list(data, "only_queries", int, "asked.no-queries")
    stages = _read_list(data, "blank_stages", str, "asked.no-stages")
    from_stage = data.get("from_stage")
    if not isinstance(from_stage, str | None):
        raise ProblemError(Message("asked.no-stage", name="from_stage"))
    if data.get("fade") not in (None, True, False):
        raise ProblemError(Message("asked.no-fade"))
    if data.get("fade") and not options.mistake:
        options = replace(options, fade=True)
    amount = data.get("question_amount")
    if amount is not None and (not isinstance(amount, str) or amount not in [*QuestionAmount]):
        raise ProblemError(Message("asked.no-amount"))
    if amount == QuestionAmount.TRIES and not options.mistake:
        options = replace(options, tries=True)
    elif isinstance(amount, str) and options.questions is None and not options.mistake:
        options = replace(options, questions=QuestionAmount(amount))
    if options.only_queries is None and queries is not None:
        options = replace(options, only_queries=queries)
    if not (options.from_stage or options.blank_stages or options.mistake or options.fade):
        options = replace(options, from_stage=from_stage, blank_stages=stages)
    return options


def _read_list(data: Mapping[str, object], name: str, item_type: type, fault_key: str) -> tuple[Any, ...] | None:
    if (found := data.get(name)) is None:
        return None
    if not isinstance(found, list) or not found or not all(type(item) is item_type for item in found):
        raise ProblemError(Message(fault_key, name=name))
    return tuple(found)
