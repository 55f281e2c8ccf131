"""Build the grids of a sheet: given matrices, stages, copies, exact values, heat maps; and format their numbers."""

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from fractions import Fraction

from attnhand.attention.convention import Convention
from attnhand.attention.matrix import flatten
from attnhand.attention.mechanisms import Content, Dimension, GivenMatrix, Mechanism, Stage
from attnhand.attention.mechanisms.base import get_side_input, strip_head
from attnhand.attention.mechanisms.cells import CellPosition, expand_to_common_denominator
from attnhand.attention.mechanisms.products import ProductRole, transpose_name
from attnhand.attention.numbers import Number, has_irrational, simplify, to_float, use_typographic_signs
from attnhand.attention.solution import SolvedStage, format_cell_address
from attnhand.attention.story import Story
from attnhand.problems.mistake import PlantedMistake
from attnhand.sheet.grids import (
    Cell,
    CellKind,
    Grid,
    GridStyle,
    Label,
    Mark,
    NumberSource,
    ValueKind,
    format_vector_label,
    transpose_grid,
)
from attnhand.sheet.printed_number import (
    PrintedNumber,
    format_decimal_share,
    format_exact_value,
    format_hand_value,
)
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, make_plain_text, parse_markup, to_unicode

RowsAndColumns = tuple[Sequence[int], Sequence[int]]
"""Rows and columns of a matrix that are drawn, 0-based."""

HEAT_MAP_DECIMALS = 2
"""Decimals of the numbers in heat maps."""

HEAT_KINDS = (ValueKind.HEAT_HAND, ValueKind.HEAT_EXACT)
"""What heat maps show."""

DARKEST_SHADE = 10
"""The darkest shade of a heat map, that of a weight of 1."""


def format_source(sheet: Sheet, source: NumberSource) -> PrintedNumber:
    """Return the number of a source as this sheet prints it."""
    (number,) = format_numbers(sheet, source.value_kind, source.matrix, [(source.row, source.column)])
    return number


def format_numbers(
    sheet: Sheet, value_kind: ValueKind, name: str, places: Iterable[tuple[int, int]]
) -> list[PrintedNumber]:
    """Return the numbers in some places of one matrix as this sheet prints them."""
    rules, language = sheet.problem.rules, sheet.options.language_code
    match value_kind:
        case ValueKind.GIVEN:
            given = sheet.problem[name]
            return [format_sheet_value(sheet, given[i][j]) for i, j in places]
        case ValueKind.HAND:
            solved = sheet.printed_solution[name]
            if not _has_notes(sheet, solved):
                return [format_sheet_value(sheet, solved.hand[i][j]) for i, j in places]
            return [
                format_sheet_value(sheet, solved.hand[i][j], note=_format_note(sheet, solved, i, j)) for i, j in places
            ]
        case ValueKind.EXACT:
            exact = sheet.solution[name].exact
            return [
                format_exact_value(
                    exact[i][j],
                    rules.decimals,
                    _find_overflowing_exponent(sheet, name, i, j) if exact[i][j] == math.inf else None,
                    language,
                )
                for i, j in places
            ]
        case ValueKind.DECIMAL:
            hand = sheet.printed_solution[name].hand
            return [format_decimal_share(hand[i][j], rules.decimals, language) for i, j in places]
        case ValueKind.VECTOR_SUM:
            hand, is_rows = sheet.printed_solution[name].hand, sheet.convention.is_rows
            vectors = (hand[i] if is_rows else [row[j] for row in hand] for i, j in places)
            return [format_sheet_value(sheet, simplify(sum(vector))) for vector in vectors]
        case ValueKind.HEAT_HAND | ValueKind.HEAT_EXACT:
            solved = sheet.solution[name]
            weights = (_read_weight(solved, value_kind, i, j) for i, j in places)
            return [format_exact_value(weight, HEAT_MAP_DECIMALS, language=language) for weight in weights]


def format_sheet_value(sheet: Sheet, value: Number, *, note: str = "") -> PrintedNumber:
    """Return a hand value as this sheet prints it, with as many places and in decimals if it was given in decimals."""
    decimals, as_decimal = sheet.problem.rules.decimals, sheet.problem.has_decimal_notation
    return format_hand_value(value, decimals, as_decimal=as_decimal, note=note, language=sheet.options.language_code)


def compute_shade(sheet: Sheet, source: NumberSource) -> int:
    """Return how dark the cell of a source is in a heat map, 0 (white) to 10; 0 for all other cells."""
    if source.value_kind not in HEAT_KINDS:
        return 0
    return compute_shades(sheet, source.value_kind, source.matrix, [(source.row, source.column)])[0]


def compute_shades(sheet: Sheet, value_kind: ValueKind, name: str, places: Iterable[tuple[int, int]]) -> list[int]:
    """Return how dark some cells of a heat map are, 0 (white) to 10; plain shares may lie beyond 0 and 1."""
    solved = sheet.solution[name]
    return [round(DARKEST_SHADE * min(max(_read_weight(solved, value_kind, i, j), 0), 1)) for i, j in places]


def _read_weight(solved: SolvedStage, value_kind: ValueKind, i: int, j: int) -> float:
    return solved.exact[i][j] if value_kind is ValueKind.HEAT_EXACT else to_float(solved.hand[i][j])


def _has_notes(sheet: Sheet, solved_stage: SolvedStage) -> bool:
    """Say whether anything can stand beside a hand value of a stage: large print has no room for it."""
    if sheet.options.large_print:
        return False
    has_other_values = bool(sheet.planted_mistake or sheet.follow_through)
    return has_other_values or (solved_stage.stage.topic == "weights" and sheet.problem.rules.is_rational)


def _format_note(sheet: Sheet, solved_stage: SolvedStage, i: int, j: int) -> str:
    """Return "= 3/6" where a weight, over the common denominator of its query, is not the reduced fraction."""
    if sheet.planted_mistake or sheet.follow_through:
        return _format_other_value(sheet, solved_stage, i, j)
    stage, value = solved_stage.stage, solved_stage.hand[i][j]
    if stage.topic != "weights" or not isinstance(value, Fraction):
        return ""
    top, bottom = expand_to_common_denominator(stage, sheet.solution.collect_hand_values(), i, j)
    return "" if bottom == value.denominator or len(str(bottom)) > 3 else use_typographic_signs(f"= {top}/{bottom}")


def _format_other_value(sheet: Sheet, solved_stage: SolvedStage, i: int, j: int) -> str:
    """Return "not 3/5" where a planted mistake made another value, "key 3/5" where a student's values do."""
    other = sheet.planted_mistake.solution if sheet.planted_mistake else sheet.solution
    value = other[solved_stage.stage.name].hand[i][j]
    if not sheet.is_solved or value == solved_stage.hand[i][j]:
        return ""
    return sheet.say("mistake.was" if sheet.planted_mistake else "carried.key", value=format_sheet_value(sheet, value))


def _find_overflowing_exponent(sheet: Sheet, name: str, i: int, j: int) -> float | None:
    """Return x where an exact value, beyond float64, is eˣ: a power, or the sum of a query's powers."""
    mechanism = sheet.problem.mechanism
    stage = mechanism.get_stage(name)
    if any(stage.name == attention.powers for attention in mechanism.attentions):
        return sheet.solution[stage.input_names[0]].exact[i][j]
    if (powers := mechanism.find_powers(stage)) is None:
        return None
    exponents = sheet.solution[powers.input_names[0]].exact
    vector = exponents[i] if mechanism.convention.is_rows else [row[j] for row in exponents]
    largest = max(vector)
    return largest + math.log(math.fsum(math.exp(x - largest) for x in vector))


def format_matrix_markup(sheet: Sheet, name: str) -> str:
    """Return the display name of a matrix or stage (markup): W_Q, Σ for the sums, relu_1; heads are not named.

    A number behind a name stands low, and the name is said as without it.
    """
    name = strip_head(name)
    if sheet.has_sentence(f"matrix.{name}"):
        return sheet.say(f"matrix.{name}")
    word = name.rstrip("0123456789")
    if "_" in name or word in ("", name):
        return name
    number = name.removeprefix(word)
    return f"{format_matrix_markup(sheet, word)}_{number if len(number) == 1 else f'{{{number}}}'}"


def format_headed_markup(sheet: Sheet, name: str) -> str:
    """Return the display name of a matrix or stage with its head (markup), as pages call it: W_K^{(2)}.

    Words, such as scaled, have no room for it; the heading above them says it.
    """
    bare = format_matrix_markup(sheet, name)
    is_word = len(bare) > 1 and bare.isalpha()
    heads = ",".join(map(str, sheet.problem.mechanism.list_heads(name)))
    return f"{bare}^{{({heads})}}" if heads and not is_word else bare


def format_matrix_name(sheet: Sheet, name: str) -> Text:
    """Return the display name of a matrix or stage as it is printed, W_Q with a real subscript."""
    return parse_markup(format_matrix_markup(sheet, name))


def format_stage_title(sheet: Sheet, stage: Stage) -> str:
    """Return what a stage makes, "attention weights"; a topic that no sentence names is called as its matrix."""
    key = f"explain.stage.{stage.topic}"
    own = f"{key}.{stage.find_rule(sheet.problem.rules)}"
    key = own if sheet.has_sentence(own) else key
    return sheet.say(key) if sheet.has_sentence(key) else to_unicode(format_matrix_name(sheet, stage.name))


def format_spoken_name(sheet: Sheet, matrix: GivenMatrix | Stage) -> str:
    """Return how a matrix is called where nothing around it says which head it belongs to."""
    name = format_short_name(sheet, matrix)
    heads = sheet.problem.mechanism.list_heads(matrix.name)
    if 1 < len(heads) < sheet.problem.mechanism.head_count:
        return sheet.say("spoken.heads", heads=list(map(str, heads)), name=name)
    return sheet.say("spoken.head", head=matrix.head, name=name) if matrix.head else name


def format_short_name(sheet: Sheet, matrix: GivenMatrix | Stage) -> str:
    """Return how a matrix is called in a sentence, without its head: "output" for out."""
    key = f"spoken.{strip_head(matrix.name)}"
    return sheet.say(key) if sheet.has_sentence(key) else to_unicode(format_matrix_name(sheet, matrix.name))


def build_vector_labels(sheet: Sheet, matrix: GivenMatrix | Stage) -> tuple[tuple[Label, ...], tuple[Label, ...]]:
    """Return the labels of rows and columns.

    The side along which a token's numbers stand, rows where tokens are columns, may say more than numbers: of which
    head each is where heads are joined, and in a story what each number of a token, query, key or value stands for.
    """
    rows, columns = build_labels(sheet, matrix.rows), build_labels(sheet, matrix.columns)
    if sheet.options.large_print:  # long labels have no room there
        return rows, columns
    longer = _build_joined_labels(sheet, matrix) if isinstance(matrix, Stage) else ()
    story = sheet.problem.story
    if not longer and story is not None and _holds_tokens(matrix):
        longer = tuple(Label(parse_markup(str(at)), name) for at, name in enumerate(story.feature_names, 1))
    elif not longer and story is not None:
        names = _find_row_names(sheet.problem.mechanism, story, matrix)
        longer = tuple(Label(parse_markup(str(at)), name) for at, name in enumerate(names, 1))
    if not longer:
        return rows, columns
    return (rows, longer) if sheet.convention.is_rows else (longer, columns)


def _find_row_names(mechanism: Mechanism, story: Story, matrix: GivenMatrix | Stage) -> tuple[str, ...]:
    """Return what each number of a query, key or value stands for: of its weights, and of outputs mixed from values."""
    if isinstance(matrix, Stage) and matrix.role is ProductRole.MIXTURE:
        made = (each for each in mechanism.stages if each.name in matrix.input_names)
        return next(filter(None, (_find_row_names(mechanism, story, each) for each in made)), ())
    weights = get_side_input(matrix) if isinstance(matrix, Stage) else matrix.name
    is_named = isinstance(matrix, GivenMatrix) or matrix.role is ProductRole.PROJECTION
    return dict(story.row_names).get(weights or "", ()) if is_named else ()


def _build_joined_labels(sheet: Sheet, stage: Stage) -> tuple[Label, ...]:
    """Return the labels of the heads' vectors where they are joined: Z⁽¹⁾ 1, Z⁽¹⁾ 2, Z⁽²⁾ 1, Z⁽²⁾ 2; else none."""
    labels: list[Label] = []
    stages = {each.name: each for each in sheet.problem.mechanism.stages if each.head}
    if stage.head or not stage.input_names or not stages.keys() >= set(stage.input_names):
        return ()
    for name in stage.input_names:
        part = stages[name]
        length = sheet.problem.get_length(part.columns if sheet.convention.is_rows else part.rows)
        markup = format_headed_markup(sheet, name)
        labels += [Label(parse_markup(f"{markup} {i + 1}")) for i in range(length)]
    return tuple(labels)


def _holds_tokens(matrix: GivenMatrix | Stage) -> bool:
    """Say whether a matrix holds tokens by their features: given, or looked up and added."""
    if isinstance(matrix, GivenMatrix):
        return matrix.content is Content.TOKENS
    return matrix.facts.is_only_copied or matrix.facts.is_given_to_students


def build_labels(sheet: Sheet, axis: Dimension) -> tuple[Label, ...]:
    """Return the labels of all rows or columns along one side."""
    if axis.size_name == "one":
        return (Label(parse_markup(axis.letter)),)
    length = sheet.problem.get_length(axis)
    if not axis.letter:
        return tuple(Label(parse_markup(str(i + 1))) for i in range(length))
    first = sheet.problem.count_before(axis) + 1
    numbers = sheet.problem.moved if axis.size_name == "moved" else range(first, first + length)
    letters = [parse_markup(format_vector_label(axis.letter, number)) for number in numbers]
    if axis.size_name == "vocabulary" and sheet.problem.variant.vocabulary and not sheet.options.large_print:
        return tuple(map(Label, letters, sheet.problem.variant.vocabulary))
    is_of_cross = not sheet.problem.variant.has_memory
    if axis.size_name == "memory" and is_of_cross and sheet.problem.story and not sheet.options.large_print:
        role = sheet.say("answers") if axis.letter == "k" else ""
        words = sheet.problem.story.memory_words
        return tuple(Label(letter, word, role) for letter, word in zip(letters, words, strict=True))
    # large print has room for letters alone: its head says which token, and which of a table, is which word
    words = sheet.problem.get_words(axis)
    if sheet.options.large_print or not words:
        return tuple(map(Label, letters))
    role = sheet.say({"q": "asks", "k": "answers"}[axis.letter]) if axis.letter in "qk" else ""
    return tuple(Label(letter, word, role) for letter, word in zip(letters, words, strict=True))


def build_given_grid(
    sheet: Sheet,
    given: GivenMatrix,
    *,
    is_repeated: bool = False,
    only: Sequence[int] | None = None,
    size_name: str = "tokens",
) -> Grid:
    """Draw a given matrix.

    Args:
        only: what is drawn of it alone (0-based): these tokens, or what ``size_name`` names.
    """
    kind = CellKind.COPIED if is_repeated else CellKind.GIVEN
    rows, columns = (range(sheet.problem.get_length(axis)) for axis in (given.rows, given.columns))
    drawn: RowsAndColumns = (rows, columns)
    if only is not None:
        drawn = (only, columns) if given.rows.size_name == size_name else (rows, only)

    def cell(i: int, j: int) -> Cell:
        return _build_cell(sheet, kind, NumberSource(ValueKind.GIVEN, given.name, i, j))

    return _draw_grid(sheet, given, drawn, GridStyle.GIVEN, cell)


def _draw_grid(
    sheet: Sheet, matrix: GivenMatrix | Stage, part: RowsAndColumns, style: GridStyle, cell: Callable[[int, int], Cell]
) -> Grid:
    """Draw some rows and columns of a matrix, cell by cell."""
    row_labels, column_labels = build_vector_labels(sheet, matrix)
    return Grid(
        name=parse_markup(format_headed_markup(sheet, matrix.name)),
        style=style,
        accent=matrix.topic if isinstance(matrix, Stage) else "",
        rows=tuple(row_labels[i] for i in part[0]),
        columns=tuple(column_labels[j] for j in part[1]),
        cells=tuple(tuple(cell(i, j) for j in part[1]) for i in part[0]),
    )


def build_stage_grid(sheet: Sheet, stage: Stage, worked_cell: CellPosition | None = None) -> Grid:
    """Draw a stage for the student to fill, or filled where the sheet is solved or the stage is printed."""
    mistake = sheet.planted_mistake
    changed = find_changed_cells(sheet, mistake, stage) if mistake and sheet.is_solved else []
    rows, columns = build_vector_labels(sheet, stage)
    matrix = format_spoken_name(sheet, stage)
    is_one = [axis.size_name == "one" for axis in (stage.rows, stage.columns)]
    spoken_key = "spoken.cell.column" if is_one[0] else "spoken.cell.row" if is_one[1] else "spoken.cell"

    def cell(i: int, j: int) -> Cell:
        kind = CellKind.ANSWER if sheet.is_solved else CellKind.BLANK
        if (i, j) not in changed and (sheet.is_cell_printed(stage, i, j) or (stage.name, i, j) == worked_cell):
            kind = CellKind.GIVEN
        name = sheet.say(spoken_key, matrix=matrix, row=rows[i], column=columns[j])
        source = None if kind is CellKind.BLANK else NumberSource(ValueKind.HAND, stage.name, i, j)
        return Cell(
            kind,
            format_source(sheet, source) if source else None,
            format_cell_address(stage.name, i, j),
            name,
            source=source,
            mark=_mark_follow_through(sheet, stage, i, j),
        )

    return _draw_grid(sheet, stage, sheet.find_asked_rows_and_columns(stage), GridStyle.WORKED, cell)


def _build_cell(sheet: Sheet, kind: CellKind, source: NumberSource) -> Cell:
    return Cell(kind, format_source(sheet, source), source=source)


def find_changed_cells(sheet: Sheet, planted_mistake: PlantedMistake, stage: Stage) -> list[tuple[int, int]]:
    """Return the cells (row, column, 0-based) of a stage, among those drawn, that a planted mistake changed."""
    right, wrong = sheet.solution[stage.name].hand, planted_mistake.solution[stage.name].hand
    rows, columns = sheet.find_asked_rows_and_columns(stage)
    return [(i, j) for i in rows for j in columns if right[i][j] != wrong[i][j]]


def build_copied_grid(sheet: Sheet, stage: Stage, *, transpose: bool) -> Grid:
    """Draw a stage again as a factor: empty for the student to copy, filled on the key or where it is printed."""
    style = GridStyle.GIVEN if sheet.is_printed(stage) and not sheet.has_own_panel(stage) else GridStyle.COPY

    def cell(i: int, j: int) -> Cell:
        source = NumberSource(ValueKind.HAND, stage.name, i, j)
        is_filled = sheet.is_solved or sheet.is_cell_printed(stage, i, j)
        copied = _build_cell(sheet, CellKind.COPIED, source) if is_filled else Cell(CellKind.COPIED)
        return copied._replace(copied_from=format_cell_address(stage.name, i, j))

    grid = _draw_grid(sheet, stage, sheet.find_asked_rows_and_columns(stage), style, cell)
    name = format_headed_markup(sheet, stage.name)
    if not transpose:
        return grid
    if sheet.convention.is_rows:  # what a number stands for is said where keys are worked; here it would move the grid
        grid = replace(grid, columns=tuple(Label(label.letter) for label in grid.columns))
    return transpose_grid(grid, parse_markup(transpose_name(name)))


def append_bias(grid: Grid, bias: Grid, *, convention: Convention) -> Grid:
    """Put a bias at the end of its weights: one more column, in the rows convention one more row."""
    if convention.is_rows:
        return replace(grid, rows=(*grid.rows, *bias.rows), cells=(*grid.cells, *bias.cells))
    cells = tuple((*row, *more) for row, more in zip(grid.cells, bias.cells, strict=True))
    return replace(grid, columns=(*grid.columns, *bias.columns), cells=cells)


def append_ones(grid: Grid, *, convention: Convention) -> Grid:
    """Put the ones that meet the bias b under a factor, in the rows convention beside it."""
    one, label = Cell(CellKind.GIVEN, PrintedNumber("1")), Label(parse_markup("b"))
    if convention.is_rows:
        return replace(grid, columns=(*grid.columns, label), cells=tuple((*row, one) for row in grid.cells))
    return replace(grid, rows=(*grid.rows, label), cells=(*grid.cells, (one,) * grid.column_count))


def _mark_follow_through(sheet: Sheet, stage: Stage, i: int, j: int) -> Mark | None:
    """Mark what a student wrote otherwise, and what follows from it."""
    own, name = sheet.follow_through, stage.name
    if not own or not sheet.is_solved or own.solution[name].hand[i][j] == sheet.solution[name].hand[i][j]:
        return None
    return Mark.WRONG if (i, j) in own.get_cells(name) else Mark.FOLLOWS


def build_exact_grid(sheet: Sheet, stage: Stage) -> Grid | None:
    """Draw the exact values of a stage, where they differ and are asked for: on the key, or for one query."""
    if not is_changed_by_shortcut(sheet.solution[stage.name]) or not (sheet.is_solved or sheet.options.show_exact):
        return None
    only = None if sheet.is_solved else sheet.asked_queries[0]
    by_row = sheet.convention.is_rows

    def cell(i: int, j: int) -> Cell:
        if only is not None and only != (i if by_row else j):
            return Cell(CellKind.COPIED)
        return _build_cell(sheet, CellKind.COPIED, NumberSource(ValueKind.EXACT, stage.name, i, j))

    return _build_small_grid(sheet, stage, (), GridStyle.EXACT, cell)


def list_check_sums(sheet: Sheet, stage: Stage) -> list[NumberSource]:
    """Return what the asked columns of a product of whole numbers add to; where tokens are rows, its rows.

    Nothing on a blank sheet that does not ask for it.
    """
    if not stage.is_checked_by_sums or has_irrational(flatten(sheet.solution[stage.name].hand)):
        return []
    if not sheet.is_solved and not sheet.options.check_sums:
        return []
    rows, columns = sheet.find_asked_rows_and_columns(stage)
    places = [(i, 0) for i in rows] if sheet.convention.is_rows else [(0, j) for j in columns]
    return [NumberSource(ValueKind.VECTOR_SUM, stage.name, *place) for place in places]


def build_check_grid(sheet: Sheet, stage: Stage) -> Grid | None:
    """Draw what the columns of a stage add to, one below each; where tokens are rows, what its rows add to."""
    sources = list_check_sums(sheet, stage)
    if not sources:
        return None
    cells = tuple(_build_cell(sheet, CellKind.COPIED, source) for source in sources)
    label, empty = Label(make_plain_text(sheet.say("sums.label"))), Label(())
    if sheet.convention.is_rows:
        columns = tuple((cell,) for cell in cells)
        return Grid(name=(), style=GridStyle.CHECK_SUMS, rows=(empty,) * len(cells), columns=(label,), cells=columns)
    return Grid(name=(), style=GridStyle.CHECK_SUMS, rows=(label,), columns=(empty,) * len(cells), cells=(cells,))


def add_exact_values(grid: Grid, exact: Grid | None) -> Grid:
    """Put exact values into the cells that they belong to."""
    if exact is None:
        return grid
    rows = [[*row] for row in grid.cells]  # ones that meet a bias may stand behind them
    for i, others in enumerate(exact.cells):
        for j, other in enumerate(others):
            rows[i][j] = rows[i][j]._replace(exact=other.number, exact_source=other.source)
    return replace(grid, cells=tuple(map(tuple, rows)))


def add_decimals(sheet: Sheet, stage: Stage, grid: Grid) -> Grid:
    """Put decimals behind the fractions of a key's weights: they are what one compares with exact values."""
    is_compared = sheet.is_solved and stage.topic == "weights" and sheet.problem.rules.is_rational
    if not is_compared or sheet.problem.has_decimal_notation:
        return grid

    def add(cell: Cell) -> Cell:
        if cell.source is None or cell.source.value_kind is not ValueKind.HAND:
            return cell
        source = cell.source._replace(value_kind=ValueKind.DECIMAL)
        return cell._replace(decimal=format_source(sheet, source), decimal_source=source)

    return replace(grid, cells=tuple(tuple(map(add, row)) for row in grid.cells))


def build_correction_grids(sheet: Sheet) -> tuple[Grid, ...]:
    """Draw every stage again, empty, on a sheet with a mistake to find; its key fills the stages that it changed.

    All of them, for those from the mistake on would say where it is.
    """
    mistake = sheet.planted_mistake
    if mistake is None:
        return ()

    def build(stage: Stage) -> Grid:
        is_filled = sheet.is_solved and bool(find_changed_cells(sheet, mistake, stage))

        spoken = [cell for row in build_stage_grid(sheet, stage).cells for cell in row]
        names = {cell.address: sheet.say("mistake.corrected.spoken", cell=cell.spoken_name) for cell in spoken}

        def cell(i: int, j: int) -> Cell:
            value = format_sheet_value(sheet, sheet.solution[stage.name].hand[i][j]) if is_filled else None
            address = format_cell_address(stage.name, i, j)
            return Cell(CellKind.ANEW, value, address, names[address])

        name = parse_markup(format_headed_markup(sheet, stage.name))
        return _build_small_grid(sheet, stage, name, GridStyle.WORKED, cell)

    return tuple(build(stage) for stage in sheet.problem.mechanism.stages if sheet.has_own_panel(stage))


def build_heat_maps(sheet: Sheet, stage: Stage) -> tuple[Grid, ...]:
    """Draw the weights by hand and exactly as shaded numbers; none beside a student's own values."""
    if sheet.follow_through:
        return ()
    return _build_heat_map(sheet, stage, ValueKind.HEAT_HAND), _build_heat_map(sheet, stage, ValueKind.HEAT_EXACT)


def _build_heat_map(sheet: Sheet, stage: Stage, value_kind: ValueKind) -> Grid:
    def cell(i: int, j: int) -> Cell:
        source = NumberSource(value_kind, stage.name, i, j)
        return Cell(CellKind.COPIED, format_source(sheet, source), source=source, shade=compute_shade(sheet, source))

    heading = sheet.say(value_kind)
    name = sheet.say("heat.head", heading=heading, head=stage.head) if stage.head else heading
    return _build_small_grid(sheet, stage, parse_markup(name), GridStyle.HEAT, cell)


def _build_small_grid(
    sheet: Sheet, stage: Stage, name: Text, style: GridStyle, cell: Callable[[int, int], Cell]
) -> Grid:
    """Draw the asked rows and columns of a stage, their labels without words."""
    grid = _draw_grid(sheet, stage, sheet.find_asked_rows_and_columns(stage), style, cell)
    rows, columns = (tuple(Label(label.letter) for label in labels) for labels in (grid.rows, grid.columns))
    return replace(grid, name=name, rows=rows, columns=columns)


def has_shortcuts(sheet: Sheet) -> bool:
    """Say whether a shortcut changed any number of a sheet: if not, by hand and exactly are the same."""
    return any(map(is_changed_by_shortcut, sheet.solution))


def is_changed_by_shortcut(solved_stage: SolvedStage) -> bool:
    """Say whether the shortcut changed anything at this stage."""
    return any(
        to_float(hand) != exact
        for row, exact_row in zip(solved_stage.hand, solved_stage.exact, strict=True)
        for hand, exact in zip(row, exact_row, strict=True)
    )
