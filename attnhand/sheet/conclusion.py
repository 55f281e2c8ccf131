"""The end of a sheet: whom a query attends to, and how good the shortcut was."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from itertools import product

from attnhand.attention.arithmetic import HAND
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.settings import SETTINGS
from attnhand.attention.numbers import to_float
from attnhand.attention.solution import Comparison, FollowThrough
from attnhand.sheet import sentences
from attnhand.sheet.addresses import find_namesakes, format_headed_address, format_headed_name
from attnhand.sheet.build_grids import find_changed_cells, format_sheet_value, has_shortcuts
from attnhand.sheet.explain import format_vector_name
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.seat import Seat
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.story import build_story_answers


def format_code_line(sheet: Sheet, *, with_sources: bool = True, with_credit: bool = True) -> str:
    """Return the line at the foot of a page (markup), with the papers behind its form, and whom the shortcuts are from.

    Args:
        with_sources: whether it names the papers.
        with_credit: whether it says, too, whom the shortcuts come from.
    """
    rules = sheet.problem.rules
    has_credit = with_credit and (rules.scale, rules.base) == (HAND.scale, HAND.base)
    parts = [sheet.say("code", code=sheet.code), *([sheet.say("salted")] if sheet.is_salted else [])]
    parts += _list_sources(sheet) if with_sources else []
    parts += [sheet.say("credit")] if has_credit else []
    return sheet.language.list_of(parts, "facts")


def _list_sources(sheet: Sheet) -> list[str]:
    """Return the paper of each thing that the form adds, where the language table names one: ``source.sink``.

    It is named as the mechanism, the setting, or a word that the form holds.
    """
    variant = sheet.problem.variant
    held = [getattr(variant, field.name) for field in fields(variant) if field.name != "ends_with"]
    settings = [setting.name for setting in SETTINGS if getattr(variant, setting.field) != setting.default]
    settings += [
        name for name, is_held in (("before", variant.is_normed_before), ("distance", variant.has_distances)) if is_held
    ]
    names = dict.fromkeys([*settings, *(value for value in held if isinstance(value, str))])
    topics = {stage.topic for stage in sheet.problem.mechanism.stages}
    keys = [f"source.{name}" for name in names if _WORKED_BY.get(name, name) in topics or name not in _WORKED_BY]
    return [sheet.say(key) for key in keys if sheet.has_sentence(key)]


_WORKED_BY = {"residual": "residual", "norm": "squares", "before": "squares"}
"""The topics of the stages that work a setting: a sheet that begins behind them, or ends before, does not name it."""


def format_number_line(sheet: Sheet, seat: Seat) -> str:
    """Return the № (markup) of a seat, in the language of the sheet."""
    return f"**{sheet.say('seat.number', number=seat.printed_number)}**"


WRITING_LINE = 8 * "_"

MAX_LISTED_CELLS = 6
"""Cells of a mistake that are named one by one."""


def build_closing_sentences(sheet: Sheet) -> list[str]:
    """Return what a key says in the end of a story, and of a student's own values (markup)."""
    closing: list[str] = []
    if story := sheet.problem.story:
        # the panel of the questions asks it
        is_asked = any(posed.question.id == "story" for posed in sheet.posed_questions)
        closing += build_story_answers(sheet, story)[is_asked:]
    if sheet.follow_through and sheet.is_solved:
        closing.append(_format_follow_through(sheet, sheet.follow_through))
    return closing


def format_mistake(sheet: Sheet, *, with_later_cells: bool = False) -> str:
    """Return where the mistake was made, what it was and what it changed there (markup).

    Args:
        with_later_cells: whether it says, too, how many cells after it change, as a key does, which marks them.
    """
    planted_mistake = sheet.planted_mistake
    assert planted_mistake is not None
    stages, name = sheet.problem.mechanism.stages, planted_mistake.stage_name
    changed = {stage.name: find_changed_cells(sheet, planted_mistake, stage) for stage in stages}
    here = changed[name]
    cells = sheet.language.list_of(format_headed_address(sheet, name, i, j) for i, j in here[:MAX_LISTED_CELLS])
    if len(here) > MAX_LISTED_CELLS:
        cells = sheet.say("mistake.cells.more", cells=cells)
    action = describe_slip(sheet, planted_mistake.slip_id, sheet.problem.mechanism.get_stage(name))
    where, head = format_headed_name(sheet, name), sheet.problem.mechanism.get_stage(name).head
    if len(find_namesakes(sheet, name)) > 1:
        where = sheet.say("feedback.stages_of_head", stages=[where], head=head)
    sentence = sheet.say("mistake.key", stage=where, action=action, cells=cells)
    after = sum(map(len, changed.values())) - len(here)
    return f"{sentence} {sheet.say('mistake.after', count=after)}" if after and with_later_cells else sentence


def _format_follow_through(sheet: Sheet, follow_through: FollowThrough) -> str:
    """Return from which values the key carries on, and what they look like (markup)."""
    values = [
        f"{format_headed_address(sheet, name, i, j)} = {format_sheet_value(sheet, value)}"
        for (name, i, j), value in follow_through.cell_values
    ]
    begin, end = sheet.say("carried.from", values=values), sheet.say("carried.marks")
    return " ".join([begin, *follow_through.slip_sentences, end])


def list_favourites(sheet: Sheet, values: Mapping[str, Matrix]) -> list[str]:
    """Return whom each query looks at most (markup), by the weights among the given values."""
    sentences = []
    for stage in sheet.weight_stages:
        in_rows = sheet.convention.is_rows
        shares = values[stage.name] if in_rows else transpose(values[stage.name])
        queries, keys = (stage.rows, stage.columns) if in_rows else (stage.columns, stage.rows)
        for query in sheet.asked_queries:
            top = max(shares[query])
            tokens = [format_vector_name(sheet, keys, i) for i, share in enumerate(shares[query]) if share == top]
            names = {"query": format_vector_name(sheet, queries, query), "weight": format_sheet_value(sheet, top)}
            sentence = sheet.say("practice.looks", tokens=tokens, **names)
            sentences.append(sheet.say("in_head", head=stage.head, sentence=sentence) if stage.head else sentence)
    return sentences


def _number_tokens(tokens: Sequence[int]) -> list[str]:
    return [str(token + 1) for token in tokens]


def build_comparison_sentences(sheet: Sheet) -> list[str]:
    """Return how good the shortcut was, over the queries that are asked, head by head (markup)."""
    if sheet.follow_through:  # the page shows other weights
        return []
    if not has_shortcuts(sheet):
        return []
    head = sheet.say("good.head")
    compared: list[str] = []
    for comparison, stage in zip(sheet.solution.compare_weights(), sheet.weight_stages, strict=True):
        same = [q for q in sheet.asked_queries if comparison.hand_top_tokens[q] == comparison.exact_top_tokens[q]]
        key = "good.all" if len(same) == len(sheet.asked_queries) else "good.some"
        count = sheet.say(key, same=len(same), of=len(sheet.asked_queries))
        notes = [note for q in sheet.asked_queries for note in _build_comparison_notes(sheet, comparison, q)]
        of_head = [" ".join([count, *notes]), _format_weight_change(sheet, comparison, stage)]
        compared += [sheet.say("in_head", head=stage.head, sentence=" ".join(of_head))] if stage.head else of_head
    if not compared:
        return []
    compared[0] = f"{head} {compared[0]}"
    if sheet.problem.variant.sink is None:  # else weights add to less than 1 in any case
        compared[-1] = f"{compared[-1]} {sheet.say('good.decimals')}"
    return compared


def _build_comparison_notes(sheet: Sheet, comparison: Comparison, query: int) -> list[str]:
    hand, exact = comparison.hand_top_tokens[query], comparison.exact_top_tokens[query]
    name = sentences.format_query(sheet, query)
    notes = [
        sheet.say(key, query=name, tokens=_number_tokens(tied))
        for tied, key in ((hand, "good.tie"), (exact, "good.tie.exact"))
        if len(tied) > 1
    ]
    if not notes and hand != exact:
        notes.append(sheet.say("good.differs", query=name, hand=_number_tokens(hand), exact=_number_tokens(exact)))
    return notes


def _format_weight_change(sheet: Sheet, comparison: Comparison, stage: Stage) -> str:
    places, solved = sheet.problem.rules.decimals, sheet.solution[stage.name]
    moved = [sheet.language.decimal(comparison.moved_weights[q], places) for q in sheet.asked_queries]
    cells = product(*sheet.find_asked_rows_and_columns(stage))
    change = max(abs(to_float(solved.hand[i][j]) - solved.exact[i][j]) for i, j in cells)
    return sheet.say(
        "good.change", change=sheet.language.decimal(change, places), queries=_format_asked_queries(sheet), moved=moved
    )


def _format_asked_queries(sheet: Sheet) -> str:
    """Return "q₁…q₄" (markup), or "q₁, q₃, q₆" where some between are not asked."""
    asked = [sentences.format_query(sheet, query) for query in sheet.asked_queries]
    if len(asked) > 2 and sheet.asked_queries[-1] - sheet.asked_queries[0] == len(asked) - 1:
        return sheet.say("good.range", first=asked[0], last=asked[-1])
    return sheet.language.list_of(asked)
