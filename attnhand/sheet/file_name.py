"""What the files of a sheet are called: a word for each option that makes it another sheet."""

from collections.abc import Mapping
from dataclasses import fields
from hashlib import sha256
from typing import Any

from attnhand.attention.arithmetic import EXACT, HAND, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.mechanisms.settings import SETTINGS, write_temperature
from attnhand.attention.problem import Problem
from attnhand.problems.base32 import ALPHABET, strip_language
from attnhand.problems.carrying import write_form
from attnhand.problems.problem_file import format_problem, make_rules_data
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.reading import name_positions
from attnhand.problems.request import Request
from attnhand.sheet.asked import name_asked_stages
from attnhand.sheet.option_table import list_options
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import OPTION_NAMES_BY_SIZE
from attnhand.sheet.sheet import Sheet

OptionValues = Mapping[str, Any]
"""What options say, by name: True for a flag, None or False where one says nothing."""

MAX_WORDS_LENGTH = 60
"""Characters of all words together; what is beyond them is left to the mark."""

MARK_LENGTH = 4
"""Characters, of 5 bits each: two sheets that the same words name share a mark once in a million times."""


def format_file_stem(stem: str, sheet: Sheet, usual: OptionValues) -> str:
    """Return the beginning of the names of a sheet's files.

    Sheets that print something else have different names, and one sheet has always the same, whichever command makes
    it. Words stand in the order of the table of options. A mark stands behind them where they leave something unsaid:
    a title, say, or which mistake is to be found, which the name must not give away.

    Args:
        stem: what the files are called where no option says anything.
        usual: what options would say for that sheet, as ``list_usual_values`` has it.
    """
    values = _list_values(sheet)
    changed = {name: value for name, value in values.items() if value != usual.get(name)}
    if changed.get("rules"):  # which says both
        changed = {name: value for name, value in changed.items() if name not in ("scale", "base")}
    words, needs_mark = [stem], False
    for option in list_options("key"):
        value = changed.get(option.name)
        if value is None or value is False:
            continue
        needs_mark = needs_mark or (value is not True and "{}" not in option.file_word)
        words.append(option.file_word.format(_format_value(sheet, option.name, value)))
    while len("-".join(words[1:])) > MAX_WORDS_LENGTH:
        words, needs_mark = words[:-1], True
    return "-".join(words + [_compute_mark(sheet, changed)] * needs_mark)


def list_usual_values(sheet: Sheet, problem: Problem | None = None, page: PageOptions | None = None) -> OptionValues:
    """Return what options would say for the sheet that is made where no option says anything.

    Args:
        problem: a user's own as its file has it; None for a drawn one.
        page: what the file says of the page.
    """
    if problem is not None:
        of_problem = _list_problem_values(problem.convention, problem.rules, problem.words, problem.title)
    else:
        rules = sheet.request.adapt_rules(HAND) if sheet.request else HAND
        of_problem = _list_problem_values(Convention.COLUMNS, rules, (), "")
    return {**of_problem, **_list_page_values(sheet, page or PageOptions())}


def _list_values(sheet: Sheet) -> OptionValues:
    """Return what options would say to make this sheet."""
    problem = sheet.problem
    drawn = _list_drawn_values(problem, sheet.request) if sheet.request else {}
    words = (
        () if sheet.request and (sheet.request.story or sheet.request.part) else problem.words
    )  # a story brings its own
    return {
        **_list_problem_values(problem.convention, problem.rules, words, problem.title),
        **drawn,
        **({problem.variant.named_size: None} if words else {}),  # which count them
        **_list_page_values(sheet, sheet.options),
        "salt": strip_language(sheet.code) if sheet.is_salted else None,
        "class_": sheet.seat.printed_number if sheet.seat else None,
        "given": sheet.follow_through.cell_values if sheet.follow_through else None,
    }


def _list_problem_values(convention: Convention, rules: Rules, words: tuple[str, ...], title: str) -> OptionValues:
    both = (rules.scale, rules.base)
    named = {"hand": (HAND.scale, HAND.base), "exact": (EXACT.scale, EXACT.base)}
    return {
        "words": words,
        "title": title,
        "convention": convention.value,
        "rules": next((name for name, each in named.items() if each == both), None),
        **make_rules_data(rules),
    }


def _list_drawn_values(problem: Problem, request: Request) -> OptionValues:
    if (story := request.story) is not None:  # which decides on all the rest
        return {"story": story.name if story.is_bundled else f"story-{_compute_digest(format_problem(problem))}"}
    variant, usual = request.variant, Request(seed=request.seed)
    if request.part:  # and so does this
        return {
            "part": request.part,
            "level": None if request.level is usual.level else request.level.value,
            "temperature": write_temperature(variant.temperature),
        }
    sizes = [(name, size) for name, size in request.size_overrides if not (variant.has_cache and name == "tokens")]
    form = Request(seed=request.seed, level=request.level, variant=Variant(mechanism=variant.mechanism)).variant
    settings = {each: getattr(variant, each.field) for each in SETTINGS if each.is_option}
    return {
        "mechanism": None if variant.mechanism == usual.variant.mechanism else variant.mechanism,
        "heads": variant.heads,
        "kv_heads": variant.kv_heads,
        "causal": variant.is_causal and not variant.has_distances,  # which bring the mask
        "window": variant.window,
        "level": None if request.level is usual.level else request.level.value,
        **{OPTION_NAMES_BY_SIZE[name]: size for name, size in sizes},
        "embed": bool(variant.embedded_words) and not variant.has_positions,
        "positions": name_positions(variant) or False,
        "allow_ties": request.allow_ties,
        "carry": tuple(map(write_form, request.carried)) or None,
        "begin_with": variant.begins_with or None,
        "query_count": request.query_count,
        "padding": variant.padding or None,
        **{each.name: each.write(value) for each, value in settings.items() if value != getattr(form, each.field)},
    }


def _list_page_values(sheet: Sheet, options: PageOptions) -> OptionValues:
    usual_queries = tuple(query + 1 for query in sheet.usual_queries)
    return {
        **{field.name: getattr(options, field.name) for field in fields(options)},
        "only_queries": tuple(sorted(set(options.only_queries or usual_queries))),
        "questions": QuestionAmount.FEW if options.mistake or options.tries else options.question_amount,
        "mistake": True if sheet.has_drawn_mistake and options.mistake else options.mistake,
        "language": options.language_code,
    }


def _format_value(sheet: Sheet, name: str, value: Any) -> str:
    """Write what an option says as it stands in a name: stages by their ids, several with +, a fraction with "over"."""
    if name in ("from_stage", "stage"):
        value = sheet.name_stage(value)
    if name == "blank_stages":
        value = name_asked_stages(sheet)
    parts = [value] if isinstance(value, str | int) else value
    return "+".join(str(part).replace(".", "-").replace("/", "-over-") for part in parts)


def _compute_mark(sheet: Sheet, changed: OptionValues) -> str:
    return _compute_digest(repr([strip_language(sheet.code), format_problem(sheet.problem), sorted(changed.items())]))


def _compute_digest(text: str) -> str:
    number = int.from_bytes(sha256(text.encode()).digest())
    return "".join(ALPHABET[number >> 5 * i & 31] for i in range(MARK_LENGTH)).lower()
