"""The teacher's page of a week: what to say, where students stumble, what to put on the board."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import product
from typing import BinaryIO

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.cells import list_numbers
from attnhand.attention.numbers import use_typographic_signs
from attnhand.attention.slips import find_slips
from attnhand.attention.slips.context import StageContext
from attnhand.errors import GenerationError
from attnhand.formats.pdf.draw_sheet import draw_layout
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.lay_out import lay_out
from attnhand.layout.page import Paragraph
from attnhand.layout.text_pages import PageSize, ParagraphBlock, lay_out_pages, make_paragraph, make_title
from attnhand.layout.typography import REGULAR_TYPOGRAPHY, ParagraphStyle
from attnhand.marking.naming import name_stages
from attnhand.problems.criteria import count_telling
from attnhand.problems.language_model import LanguageModel
from attnhand.problems.language_model_answers import Sabotage, list_sabotages, say_next, say_next_after_step
from attnhand.problems.language_model_working import Part
from attnhand.problems.model_parts import draw_model
from attnhand.sheet.build_grids import format_sheet_value
from attnhand.sheet.explain import explain
from attnhand.sheet.hints import describe_slip, explain_slip
from attnhand.sheet.sentences import format_purpose, format_title
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

MIN_SLIPS, MAX_SLIPS, MAX_CELLS = 2, 3, 2
"""So many slips are told, and cells worked at most."""

FIRST_TOLD = (
    *("other-axis", "truncated", "zero-for-minus-infinity", "relu-forgotten", "mask-forgotten", "scores-transposed"),
    *("weights-A-transposed", "weights-transposed", "negative-power-negated", "heads-exchanged", "heads-interleaved"),
    *("bias-forgotten", "zero-power-zero", "signs-ignored", "not-scaled"),
)
"""Slips in the order in which a page tells them, as far as they show at a stage of the week; others come behind."""

WITHOUT = "without-"
"""How parts are called on which something is taken away from a language model."""

MAX_SABOTAGES = 6
"""So many single changes are named of those that make a model say the other food."""

MAX_EXAMPLES = 20
"""So many seeds are tried."""

POINT_SIZES = (12.0, 11.0, 10.0, 9.0)
"""Of the text, in points: the largest that leaves one page."""


def write_lesson(
    sheet: Sheet,
    earlier: Sequence[Sheet],
    out: BinaryIO,
    *,
    term_title: str = "",
    week: int,
    week_count: int,
    say: str = "",
    board: str = "",
    salt: str = "",
) -> None:
    """Write the page as a PDF.

    Args:
        sheet: the teacher's example.
        earlier: those of the weeks before.
        term_title, say, board: what the plan says, in its own words.
        salt: that of the example.
    """
    title = format_title(sheet)
    place = sheet.say("term.page.week", week=week, weeks=week_count)
    blocks: list[ParagraphBlock] = [
        [make_title(title), Paragraph(_plain(" · ".join(filter(None, (term_title, place)))), ParagraphStyle.SUBHEADING)]
    ]
    new_stages = _list_new_stages(sheet, earlier)
    sections = (
        ("term.page.say", [*_introduce_part(sheet), *_list_purposes(sheet, new_stages), *_split(say)]),
        ("term.page.stumble", [*_list_slips(sheet, new_stages)]),
        ("term.page.board", [*_list_cells(sheet, new_stages), *_tell_of_model(sheet, salt), *_split(board)]),
    )
    for key, told in sections:
        if told:
            heading = make_paragraph(sheet.say(key), ParagraphStyle.HEADING, level=2)
            blocks += [[heading, *told[0]], *told[1:]]
    blocks.append([make_paragraph(sheet.say("term.page.example", code=sheet.code), ParagraphStyle.SMALL)])
    layout = lay_out(sheet)
    paper = PageSize(layout.width, layout.height).upright_size
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


def _introduce_part(sheet: Sheet) -> Iterator[ParagraphBlock]:
    """Yield what a part of a whole language model is there for."""
    if sheet.request and sheet.request.part:
        yield [Paragraph(parse_markup(sheet.say(f"part.{sheet.request.part}.say")), ParagraphStyle.BODY)]


def _tell_of_model(sheet: Sheet, salt: str) -> Iterator[ParagraphBlock]:
    """Yield what the model of the example says after its step, or without a part, and who could sabotage it."""
    request = sheet.request
    if request is None or not (request.part == "learn" or request.part.startswith(WITHOUT)):
        return
    model = draw_model(request.seed, request.level, salt=salt)
    if request.part == "learn":
        key, said = "part.after", say_next_after_step(model)
    else:
        taken = request.part.removeprefix(WITHOUT).replace("head-", "head ")
        key, said = "part.without", say_next(model, Part(taken))
    answers = [f"{' '.join(words)} → {' / '.join(favourites)}" for words, favourites in said.items()]
    yield [Paragraph(_plain(sheet.say(key, answers=answers)), ParagraphStyle.BODY)]
    if key == "part.without" and (sabotages := list_sabotages(model)):
        changes = [_name_sabotage(model, each) for each in sabotages[:: -(-len(sabotages) // MAX_SABOTAGES)]]
        told = sheet.say("part.sabotage", count=len(sabotages), changes=changes)
        yield [Paragraph(parse_markup(told), ParagraphStyle.BODY)]


def _name_sabotage(model: LanguageModel, sabotage: Sabotage) -> str:
    """Return a change of one number as one would write it on the board (markup): W_V^{(2)}[1,3] 1 → 0."""
    value: object = getattr(model, sabotage.matrix)
    for place in sabotage.address:
        assert isinstance(value, tuple)
        value = value[place]
    has_heads = sabotage.matrix in ("W_Q", "W_K", "W_V")
    head = f"^{{({sabotage.address[0] + 1})}}" if has_heads else ""
    places = ",".join(str(place + 1) for place in sabotage.address[has_heads:])
    return f"{sabotage.matrix}{head}[{places}] {use_typographic_signs(f'{value} → {sabotage.value}')}"


def _list_purposes(sheet: Sheet, stages: Sequence[Stage]) -> Iterator[ParagraphBlock]:
    purposes = dict.fromkeys(format_purpose(sheet, stage, with_example=False) for stage in stages)
    yield from ([Paragraph(parse_markup(purpose), ParagraphStyle.BODY)] for purpose in purposes if purpose)


def _list_slips(sheet: Sheet, stages: Sequence[Stage]) -> Iterator[ParagraphBlock]:
    """Yield slips that show in the example, with why each is one: one a stage, of those that are new before others."""
    others = [stage for stage in sheet.problem.mechanism.stages if stage not in stages]
    told: dict[str, tuple[int, ParagraphBlock]] = {}
    for stage in (*stages, *others):
        if len(told) >= MIN_SLIPS and stage in others:
            break
        shown = [each for each in _list_shown_slips(sheet, stage) if each[1] not in told]
        for rank, slip_id, place, answer in sorted(shown)[:1]:
            told[slip_id] = rank, _tell_slip(sheet, stage, slip_id, place, answer)
    yield from [block for _, block in sorted(told.values(), key=lambda each: each[0])][:MAX_SLIPS]


def _list_shown_slips(sheet: Sheet, stage: Stage) -> Iterator[tuple[int, str, tuple[int, int], str]]:
    """Yield the slips of a stage that change a number of the example: rank, id, the first cell, what stands there."""
    problem, values = sheet.problem, sheet.solution.collect_hand_values()
    context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, values)
    for slip in find_slips(stage):
        wrong = slip.compute_wrong(context) if slip.has_same_shape else None
        place = None if wrong is None else _find_difference(wrong, values[stage.name])
        if wrong is not None and place is not None:
            rank = FIRST_TOLD.index(slip.id) if slip.id in FIRST_TOLD else len(FIRST_TOLD)
            yield rank, slip.id, place, str(format_sheet_value(sheet, wrong[place[0]][place[1]]))


def _tell_slip(sheet: Sheet, stage: Stage, slip_id: str, place: tuple[int, int], answer: str) -> ParagraphBlock:
    name, action = name_stages(sheet, [stage.name]), describe_slip(sheet, slip_id, stage)
    reason = explain_slip(sheet, slip_id, stage, *place, sheet.solution.collect_hand_values(), answer)
    words = make_bold_text(to_unicode(parse_markup(f"{name}{sheet.say('colon')}{action}.")))
    return [Paragraph((*words, *make_plain_text(f" {to_unicode(parse_markup(reason))}")), ParagraphStyle.BODY)]


def _find_difference(wrong: Matrix, key: Matrix) -> tuple[int, int] | None:
    places = ((i, j) for i, row in enumerate(key) for j, value in enumerate(row) if wrong[i][j] != value)
    return next(places, None)


def _choose_cell(sheet: Sheet, stage: Stage) -> tuple[int, int]:
    """Return the cell (0-based) that shows most: of a mask a hidden one, of a product that of most that is not 0."""
    key = sheet.solution[stage.name].hand
    if stage.topic == "masked":
        return (0, len(key[0]) - 1) if sheet.convention.is_rows else (len(key) - 1, 0)
    if stage.product is None:
        return 0, 0
    values = sheet.solution.collect_hand_values()
    cells = product(range(len(key)), range(len(key[0])))
    return max(cells, key=lambda cell: count_telling(list_numbers(stage, values, *cell)))


def _list_cells(sheet: Sheet, stages: Sequence[Stage]) -> Iterator[ParagraphBlock]:
    """Yield a cell of a few stages, worked: of what a mask hides, one that is hidden."""
    told = [stage for stage in stages if stage.role or stage.topic in ("masked", "weights", "relu")]
    for stage in (told or list(stages))[:MAX_CELLS]:
        row, column = _choose_cell(sheet, stage)
        explanation = explain(sheet, f"{stage.name}[{row + 1},{column + 1}]")
        title = Paragraph(make_bold_text(explanation.title), ParagraphStyle.BODY)
        yield [title, *(Paragraph(make_plain_text(line), ParagraphStyle.BODY) for line in explanation.by_hand)]
