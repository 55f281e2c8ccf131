"""What a teacher puts on the board before a week's sheets are worked: one token of the example, and cells in full."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from math import lcm

from attnhand.attention.mechanisms import Dimension, GivenMatrix, Stage
from attnhand.attention.mechanisms.cells import list_numbers
from attnhand.attention.numbers import Number, use_typographic_signs
from attnhand.layout.page import Paragraph
from attnhand.layout.text_pages import ParagraphBlock
from attnhand.layout.typography import ParagraphStyle
from attnhand.problems.language_model import LanguageModel
from attnhand.problems.language_model_answers import Sabotage, list_sabotages, say_next, say_next_after_step
from attnhand.problems.model_parts import AskedPart, list_words
from attnhand.sheet.addresses import format_headed_name
from attnhand.sheet.explain import CellWriter, explain
from attnhand.sheet.sentences import format_title
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import make_bold_text, make_plain_text, parse_markup, replace_missing_characters

MAX_SABOTAGES = 6
"""So many single changes are named of those that make a model say the other food."""

MAX_FACES = 100
"""So many two ten-sided dice have together; the shares of a low temperature may take more."""

MAX_CELLS = 2
"""So many cells are worked at most."""

GAP = "\u2002"
"""Between the numbers of a token."""

WORKED_TOPICS = {
    "words": (),
    "head-1": ("scores", "weights"),
    "head-2": ("scores",),
    "stream": ("output", "residual"),
    "network": ("layer",),
    "next-word": ("logits",),
    "learn": (),
    "write-on": ("outputs",),
    "word-after": (),
}
"""Of each part of a language model the stages of which a cell is worked, of the token that is on the board."""


def list_board(sheets: Sequence[Sheet], new_stages: Sequence[Stage]) -> Iterator[ParagraphBlock]:
    """Yield what stands on the board.

    Args:
        sheets: the teacher's example; one of each form where several are dealt in turn.
        new_stages: those that no week before had.
    """
    whole = [sheet for sheet in sheets if not (sheet.asked_part and sheet.asked_part.part.without)]
    for sheet in whole:
        if sheet.asked_part is None:
            yield from _list_cells(sheet, new_stages)
            continue
        faces = _count_faces(sheet)
        if sheet.has_sentence(key := f"part.{sheet.asked_part.name}.board") and faces.get("faces", 0) <= MAX_FACES:
            yield [Paragraph(parse_markup(sheet.say(key, **faces)), ParagraphStyle.BODY)]
        yield from _write_token(sheet, sheet.asked_part)
        if sheet.asked_part.name == "learn":
            yield _say_answers(sheet, "part.after", say_next_after_step(sheet.asked_part.model))
    if lacking := [sheet for sheet in sheets if sheet not in whole]:
        yield from _tell_of_loss(lacking)


def _tell_of_loss(sheets: Sequence[Sheet]) -> Iterator[ParagraphBlock]:
    """Yield what the model says without a part, or without one after another, and who could sabotage it."""
    if len(sheets) > 1 and sheets[0].asked_part:
        yield _say_answers(sheets[0], "part.whole", say_next(sheets[0].asked_part.model))
    for sheet in sheets:
        assert sheet.asked_part
        said = say_next(sheet.asked_part.model, sheet.asked_part.part.without)
        if len(sheets) == 1:
            yield _say_answers(sheet, "part.without", said)
        else:
            title = make_bold_text(f"{format_title(sheet)}{sheet.say('colon')}")
            answers = make_plain_text(sheet.language.list_of(_list_answers(said), "facts"))
            yield [Paragraph((*title, *answers), ParagraphStyle.BODY)]
    sheet, asked = sheets[0], sheets[0].asked_part
    assert asked
    model = asked.model
    if sabotages := list_sabotages(model):
        changes = [_name_sabotage(model, each) for each in sabotages[:: -(-len(sabotages) // MAX_SABOTAGES)]]
        told = sheet.say("part.sabotage", count=len(sabotages), changes=changes)
        yield [Paragraph(parse_markup(told), ParagraphStyle.BODY)]


def _say_answers(sheet: Sheet, key: str, said: Mapping[tuple[str, ...], tuple[str, ...]]) -> ParagraphBlock:
    text = replace_missing_characters(sheet.say(key, answers=_list_answers(said)))
    return [Paragraph(make_plain_text(text), ParagraphStyle.BODY)]


def _list_answers(said: Mapping[tuple[str, ...], tuple[str, ...]]) -> list[str]:
    return [f"{' '.join(words)} → {' / '.join(favourites)}" for words, favourites in said.items()]


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


def _count_faces(sheet: Sheet) -> dict[str, int]:
    """Return how many faces the die has that is rolled for the next word, where there are shares of words."""
    shares = [stage for stage in sheet.problem.mechanism.stages if stage.name == "p"]
    values = sheet.solution.collect_hand_values()
    return {"faces": lcm(*(Fraction(share).denominator for row in values["p"] for share in row))} if shares else {}


def _write_token(sheet: Sheet, asked: AskedPart) -> Iterator[ParagraphBlock]:
    """Yield one token of the example: a cell or two in full, then its numbers, a line a stage."""
    part, model = asked.part, asked.model
    token = _choose_token(sheet)
    words = list_words(part, model)
    word = words[-1] if part.reads_last_token else words[token]
    first = {stage.topic: stage for stage in reversed(_list_own_stages(sheet))}
    for topic in WORKED_TOPICS[part.name]:
        stage = first[topic]
        cells = [cell for cell in sheet.list_asked_cells(stage) if _get_token(sheet, cell) == token]
        yield _work_cell(sheet, stage, cells)
    values = sheet.solution.collect_hand_values()
    writer = CellWriter(sheet, values, sheet.problem.hand_arithmetic)
    title = sheet.say("part.board", sentence=" ".join(words), word=word)
    lines = [Paragraph(make_bold_text(title), ParagraphStyle.BODY)]
    for name in _list_token_matrices(sheet):
        numbers = GAP.join(map(writer.format_number, _get_vector(sheet, values[name], token)))
        name_text = make_bold_text(f"{format_headed_name(sheet, name)}{sheet.say('colon')}")
        lines.append(Paragraph((*name_text, *make_plain_text(numbers)), ParagraphStyle.BODY))
    if part.name == "learn":
        lines += _write_new_rows(sheet, model, writer)
    yield lines


def _write_new_rows(sheet: Sheet, model: LanguageModel, writer: CellWriter) -> list[Paragraph]:
    """Return how W_U is moved for the word that came, and against the favourite, at the feature where it moves most."""
    values = writer.values
    z, g = (_get_vector(sheet, values[name], 0) for name in ("N3", "g"))
    at = max(range(len(z)), key=lambda i: abs(Fraction(z[i])))
    name = format_headed_name(sheet, "W_U_new")
    lines = []
    for row, moved in enumerate(sheet.problem.moved, 1):
        word = moved - 1
        address = ",".join(map(str, (at + 1, row) if sheet.convention.is_rows else (row, at + 1)))
        old = model.W_U[word][at]
        numbers = map(writer.format_factor, (model.step.eta, g[word], z[at]))
        new = writer.format_number(old - model.step.eta * Fraction(g[word]) * Fraction(z[at]))
        text = f"{writer.format_number(old)} − {'·'.join(numbers)} = {new}"
        title = make_bold_text(f"{name}[{address}]{sheet.say('colon')}")
        lines.append(Paragraph((*title, *make_plain_text(text)), ParagraphStyle.BODY))
    return lines


def _list_own_stages(sheet: Sheet) -> list[Stage]:
    """Return the stages of a part in their order; of several heads those of the first."""
    stages = sheet.problem.mechanism.stages
    return [stage for stage in stages if stage.head == (1 if stages[0].head else 0)]


def _list_token_matrices(sheet: Sheet) -> list[str]:
    """Return what has a vector for every token: what is given, then the stages."""
    own = {stage.name for stage in _list_own_stages(sheet)}
    mechanism = sheet.problem.mechanism
    matrices: list[GivenMatrix | Stage] = [*mechanism.given, *(each for each in mechanism.stages if each.name in own)]
    return [each.name for each in matrices if _get_token_axis(sheet, each).size_name == "tokens"]


def _get_token_axis(sheet: Sheet, matrix: GivenMatrix | Stage) -> Dimension:
    return matrix.rows if sheet.convention.is_rows else matrix.columns


def _get_token(sheet: Sheet, cell: tuple[int, int]) -> int:
    return cell[0] if sheet.convention.is_rows else cell[1]


def _get_vector(sheet: Sheet, matrix: Sequence[Sequence[Number]], token: int) -> list[Number]:
    return list(matrix[token]) if sheet.convention.is_rows else [row[token] for row in matrix]


def _choose_token(sheet: Sheet) -> int:
    """Return the token (0-based) with most to see: not a full stop, nor the last, which decides."""
    values = sheet.solution.collect_hand_values()
    names = _list_token_matrices(sheet)
    stages = [stage for stage in sheet.problem.mechanism.stages if stage.name in names]
    asked = sorted({_get_token(sheet, cell) for stage in stages for cell in sheet.list_asked_cells(stage)})

    def count_different(token: int) -> int:
        return sum(len({*_get_vector(sheet, values[name], token)}) for name in names)

    return max([token for token in asked[:-1] if token] or asked, key=count_different)


def _work_cell(sheet: Sheet, stage: Stage, cells: Sequence[tuple[int, int]]) -> ParagraphBlock:
    """Return the cell that shows most, worked."""
    values = sheet.solution.collect_hand_values()

    def rank(cell: tuple[int, int]) -> tuple[int, int]:
        parts = list_numbers(stage, values, *cell)
        numbers = [number for part in parts for number in part]
        hard = sum(number < 0 or number % 1 != 0 for number in numbers if abs(number) != float("inf"))
        return (sum(map(all, parts)), hard) if stage.product else (hard, len({*numbers}))

    row, column = max(cells, key=rank)
    explanation = explain(sheet, f"{stage.name}[{row + 1},{column + 1}]")
    title = Paragraph(make_bold_text(explanation.title), ParagraphStyle.BODY)
    return [title, *(Paragraph(make_plain_text(line), ParagraphStyle.BODY) for line in explanation.by_hand)]


def _list_cells(sheet: Sheet, stages: Sequence[Stage]) -> Iterator[ParagraphBlock]:
    """Yield a cell of a few stages, worked: of what a mask hides, one that is hidden."""
    asked = [stage for stage in stages if sheet.list_asked_cells(stage)]
    told = [stage for stage in asked if stage.role or stage.topic in ("masked", "weights", "relu")]
    for stage in (told or asked)[:MAX_CELLS]:
        cells = sheet.list_asked_cells(stage)
        if stage.topic == "masked":
            key = sheet.solution[stage.name].hand
            cells = tuple(cell for cell in cells if key[cell[0]][cell[1]] == float("-inf")) or cells
        yield _work_cell(sheet, stage, cells)
