"""The teacher's page of a week: what to say, where students stumble, what to put on the board."""

from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import replace
from typing import BinaryIO

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.slips import find_slips
from attnhand.attention.slips.context import StageContext
from attnhand.classroom.lesson_board import list_board
from attnhand.errors import GenerationError
from attnhand.formats.pdf.draw_sheet import draw_layout
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.page import Paragraph
from attnhand.layout.text_pages import ParagraphBlock, get_paper_size, lay_out_pages, make_paragraph, make_title
from attnhand.layout.typography import REGULAR_TYPOGRAPHY, ParagraphStyle
from attnhand.marking.naming import name_address
from attnhand.sheet.build_grids import format_sheet_value
from attnhand.sheet.hints import describe_slip, explain_slip
from attnhand.sheet.sentences import format_purpose, format_shared_title, format_title
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import write_digest_into
from attnhand.text.widths import (
    Text,
    make_bold_text,
    make_plain_text,
    parse_markup,
    replace_missing_characters,
    to_unicode,
)

MIN_SLIPS, MAX_SLIPS = 2, 3
"""So many slips are told."""

FIRST_TOLD = (
    *("other-axis", "truncated", "zero-for-minus-infinity", "relu-forgotten", "mask-forgotten", "scores-transposed"),
    *("weights-A-transposed", "weights-transposed", "negative-power-negated", "heads-exchanged", "heads-interleaved"),
    *("bias-forgotten", "zero-power-zero", "signs-ignored", "not-scaled"),
)
"""Slips in the order in which a page tells them, as far as they show at a stage of the week; others come behind."""

STORY = "term.page.story"
"""Of what is told of a mechanism, once in a term; a part of a language model has its own."""

MAX_EXAMPLES = 20
"""So many seeds are tried."""

POINT_SIZES = (12.0, 11.0, 10.0, 9.0)
"""Of the text, in points: the largest that leaves one page."""


def write_lesson(
    sheets: Sequence[Sheet],
    earlier: Sequence[Sheet],
    out: BinaryIO,
    *,
    term_title: str = "",
    week: int,
    week_count: int,
    say: str = "",
    board: str = "",
) -> None:
    """Write the page as a PDF.

    Args:
        sheets: the teacher's example; one of each form where several are dealt in turn.
        earlier: those of the weeks before.
        term_title, say, board: what the plan says, in its own words.
    """
    sheet, title = sheets[0], format_shared_title(sheets)
    place = sheet.say("term.page.week", week=week, weeks=week_count)
    blocks: list[ParagraphBlock] = [
        [make_title(title), Paragraph(_plain(" · ".join(filter(None, (term_title, place)))), ParagraphStyle.SUBHEADING)]
    ]
    new_stages = _list_new_stages(sheet, earlier)
    sections = (
        ("term.page.say", [*_tell_story(sheets, earlier), *_list_purposes(sheet, new_stages), *_split(say)]),
        ("term.page.stumble", [*_warn(sheets), *_list_slips(sheet, earlier)]),
        ("term.page.board", [*list_board(sheets, new_stages), *_split(board)]),
    )
    for key, told in sections:
        if told:
            heading = make_paragraph(sheet.say(key), ParagraphStyle.HEADING, level=2)
            blocks += [[heading, *told[0]], *told[1:]]
    blocks.append([make_paragraph(sheet.say("term.page.example", code=sheet.code), ParagraphStyle.SMALL)])
    paper = get_paper_size(sheet.options)
    for points in POINT_SIZES:
        sizes = {
            **REGULAR_TYPOGRAPHY.paragraph_points,
            ParagraphStyle.BODY: points,
            ParagraphStyle.SUBHEADING: points,
            ParagraphStyle.HEADING: points + 3,
            ParagraphStyle.TITLE: points + 10,
        }
        typography = replace(REGULAR_TYPOGRAPHY, paragraph_points=sizes, paragraph_gap=1.0)
        pages = list(lay_out_pages(paper, blocks, typography=typography))
        if len(pages) == 1:
            break
    file = PdfFile(out, title=f"{title}, {place}", language=sheet.options.language_code)
    for page in pages:
        file.add_pages(draw_layout(page, title))
    file.close()
    write_digest_into(out, "pdf")


def make_example(make_sheet: Callable[[int], Sheet], seed: int) -> Sheet:
    """Return the teacher's example: the sheet of the class's own seed, or of the first behind it that makes one.

    Raises:
        GenerationError: none of a few does.
    """
    for more in range(MAX_EXAMPLES):
        try:
            return make_sheet(seed + more if seed + more < 2**32 else more)
        except GenerationError:
            if more == MAX_EXAMPLES - 1:
                raise
    raise AssertionError("there is an example, or a refusal")


def _plain(text: str) -> Text:
    return make_plain_text(replace_missing_characters(text))


def _split(text: str) -> Iterator[ParagraphBlock]:
    """Yield the lines of a plan's own words, as they are."""
    yield from ([Paragraph(_plain(line), ParagraphStyle.BODY)] for line in text.splitlines() if line.strip())


def _list_new_stages(sheet: Sheet, earlier: Sequence[Sheet]) -> list[Stage]:
    """Return the first stage of every kind that no week before had; where there is none, of every kind."""
    known = {stage.topic for each in earlier for stage in each.problem.mechanism.stages}
    stages = {stage.topic: stage for stage in reversed(sheet.problem.mechanism.stages)}
    first = [stages[topic] for topic in reversed(stages)]
    in_order = sorted(first, key=sheet.problem.mechanism.stages.index)
    return [stage for stage in in_order if stage.topic not in known] or in_order


def _tell_story(sheets: Sequence[Sheet], earlier: Sequence[Sheet]) -> Iterator[ParagraphBlock]:
    """Yield what a part of a whole language model, or a mechanism, is there for, as one would tell it.

    Where several are dealt in turn, each is told with whose it is.
    """
    if any(sheet.asked_part and sheet.asked_part.part.without for sheet in sheets):
        yield from _say_all(sheets[0], ["part.without.say"])
    told = {key for each in earlier for key in _list_stories(each) if key.startswith(STORY)}
    count = len(sheets)
    for at, sheet in enumerate(sheets, 1):
        texts = [parse_markup(sheet.say(key)) for key in _list_stories(sheet) if key not in told]
        if count > 1:
            numbers = {"first": at, "second": at + count, "third": at + 2 * count}
            form = sheet.say("term.page.form", title=format_title(sheet), **numbers)
            texts[0] = (*make_bold_text(f"{form}{sheet.say('colon')}"), *texts[0])
        yield from ([Paragraph(text, ParagraphStyle.BODY)] for text in texts)


def _list_stories(sheet: Sheet) -> list[str]:
    """Return the keys of what is told of a sheet."""
    if sheet.asked_part:
        return [f"part.{sheet.asked_part.name}.say"]
    causal = [f"{STORY}.causal"] if sheet.problem.variant.is_causal else []
    keys = (f"{key}.{sheet.problem.mechanism.name}" for key in (*causal, STORY))
    return [key for key in keys if sheet.has_sentence(key)][:1]


def _warn(sheets: Sequence[Sheet]) -> Iterator[ParagraphBlock]:
    """Yield what students stumble over that no number shows."""
    keys = [f"part.{sheet.asked_part.name}.stumble" for sheet in sheets if sheet.asked_part]
    if any(sheet.asked_part and (sheet.problem.variant.temperature or 1) > 1 for sheet in sheets):
        keys.append("part.flattened.stumble")
    yield from _say_all(sheets[0], [key for key in keys if sheets[0].has_sentence(key)])


def _say_all(sheet: Sheet, keys: Sequence[str]) -> Iterator[ParagraphBlock]:
    yield from ([Paragraph(parse_markup(sheet.say(key)), ParagraphStyle.BODY)] for key in keys)


def _list_purposes(sheet: Sheet, stages: Sequence[Stage]) -> Iterator[ParagraphBlock]:
    """Yield what stages are for, in the words of the sheet; a part of a language model has its story instead.

    That knows nothing of a temperature, which is added to it.
    """
    if sheet.request and sheet.request.part:
        stages = [stage for stage in stages if stage.topic == "tempered"]
    purposes = dict.fromkeys(format_purpose(sheet, stage, with_example=False) for stage in stages)
    yield from ([Paragraph(parse_markup(purpose), ParagraphStyle.BODY)] for purpose in purposes if purpose)


def _list_slips(sheet: Sheet, earlier: Sequence[Sheet]) -> Iterator[ParagraphBlock]:
    """Yield slips that show in the example, with why each is one; those that no week before told come first."""
    told: set[str] = set()
    for at, each in enumerate(earlier):
        told |= _choose_slips(each, _list_new_stages(each, earlier[:at]), told).keys()
    chosen = _choose_slips(sheet, _list_new_stages(sheet, earlier), told)
    yield from (_tell_slip(sheet, stage, slip_id, place, answer) for slip_id, (stage, place, answer) in chosen.items())


def _choose_slips(
    sheet: Sheet, stages: Sequence[Stage], told: Collection[str]
) -> dict[str, tuple[Stage, tuple[int, int], str]]:
    """Return slips by their ids, each with a cell where it shows: one a stage, of those that are new before others."""
    others = [stage for stage in sheet.problem.mechanism.stages if stage not in stages]
    chosen: dict[str, tuple[bool, int, tuple[Stage, tuple[int, int], str]]] = {}
    for stage in (*stages, *others):
        if len(chosen) >= MIN_SLIPS and stage in others:
            break
        shown = [
            (slip_id in told, rank, slip_id, place, answer)
            for rank, slip_id, place, answer in _list_shown_slips(sheet, stage)
            if slip_id not in chosen
        ]
        for is_told, rank, slip_id, place, answer in sorted(shown)[:1]:
            chosen[slip_id] = is_told, rank, (stage, place, answer)
    first = sorted(chosen.items(), key=lambda each: each[1][:2])[:MAX_SLIPS]
    return {slip_id: found for slip_id, (_, _, found) in first}


def _list_shown_slips(sheet: Sheet, stage: Stage) -> Iterator[tuple[int, str, tuple[int, int], str]]:
    """Yield the slips of a stage that change a number of the example: rank, id, the first cell, what stands there."""
    problem, values = sheet.problem, sheet.solution.collect_hand_values()
    context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, values)
    for slip in find_slips(stage):
        wrong = slip.compute_wrong(context) if slip.has_same_shape else None
        asked = sheet.list_asked_cells(stage)
        place = None if wrong is None else _find_difference(wrong, values[stage.name], asked)
        if wrong is not None and place is not None:
            rank = FIRST_TOLD.index(slip.id) if slip.id in FIRST_TOLD else len(FIRST_TOLD)
            yield rank, slip.id, place, str(format_sheet_value(sheet, wrong[place[0]][place[1]]))


def _tell_slip(sheet: Sheet, stage: Stage, slip_id: str, place: tuple[int, int], answer: str) -> ParagraphBlock:
    name, action = name_address(sheet, stage.name, *place), describe_slip(sheet, slip_id, stage)
    reason = explain_slip(sheet, slip_id, stage, *place, sheet.solution.collect_hand_values(), answer)
    words = make_bold_text(to_unicode(parse_markup(sheet.say("term.page.slip", cell=name, action=action))))
    return [Paragraph((*words, *make_plain_text(f" {to_unicode(parse_markup(reason))}")), ParagraphStyle.BODY)]


def _find_difference(wrong: Matrix, key: Matrix, asked: Sequence[tuple[int, int]]) -> tuple[int, int] | None:
    return next(((i, j) for i, j in asked if wrong[i][j] != key[i][j]), None)
