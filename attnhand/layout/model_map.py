"""The map of a whole language model: every result of its sheets on one page, the last word's column tinted."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME
from attnhand.attention.numbers import Number
from attnhand.attention.solution import compute_stages
from attnhand.layout.page import Box, GridBox, Item, Layout, Paragraph, TextBox, make_text_box
from attnhand.layout.text_pages import PageSize, lay_out_page, make_title
from attnhand.layout.typography import REGULAR_TYPOGRAPHY, SIDE_MARGIN, TOP_MARGIN, NumberSize, ParagraphStyle
from attnhand.problems.language_model import SENTENCES, WORDS, LanguageModel
from attnhand.problems.language_model_working import work_model
from attnhand.problems.model_parts import cut_part, find_part
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label
from attnhand.sheet.printed_number import format_hand_value
from attnhand.text import Language
from attnhand.text.widths import Text, make_bold_text, make_plain_text, measure_width, parse_markup

MAP_TYPOGRAPHY = replace(
    REGULAR_TYPOGRAPHY,
    number_sizes=(NumberSize(8, 5.6, 5.6), NumberSize(7, 5.6, 5.6), NumberSize(5.6, 5.6, 5.6)),
    paragraph_points={
        **REGULAR_TYPOGRAPHY.paragraph_points,
        ParagraphStyle.BODY: 8,
        ParagraphStyle.SUBHEADING: 10,
        ParagraphStyle.TITLE: 16,
    },
    label_gap=1.0,
)

HEADER, HEADING, GAP_BELOW = 8.2, 4.8, 2.0
"""The height of a matrix's name with the labels under it, of a band's heading, and of what is free below a band."""

MATRIX_GAP, MAX_MATRIX_GAP = 5.0, 8.0
"""Between matrices, at least and at most, in millimetres."""

MAX_CELL_HEIGHT = 4.8

LINE_DROP = 0.6
"""How far small words beside a heading stand below its top, in millimetres."""

WEIGHT, TOKEN, SHARE, WORD = 5.0, 6.1, 7.6, 8.6
"""How wide the cells of weights, of whole numbers of tokens, of fractions and of named words are, in millimetres."""

HEAD_LABEL, WORD_LABEL = 6.0, 10.0
"""The room for labels left of a matrix: q, k, v of a head, and words."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MapMatrix:
    """A matrix of the map, given or worked."""

    name: str
    """What stands above it (markup)."""

    values: Matrix
    cell_width: float = TOKEN
    is_given: bool = False
    columns: tuple[str, ...] = ()
    """Labels above columns; empty for none."""

    rows: tuple[str, ...] = ()
    """Labels (markup) beside rows; empty for none."""

    label_width: float = 0.0

    @property
    def width(self) -> float:
        """How wide it is with its labels, in millimetres."""
        return self.label_width + self.cell_width * len(self.values[0])


@dataclass(frozen=True, slots=True, kw_only=True)
class MapBand:
    """What one sheet of the model works."""

    part: str
    matrices: tuple[MapMatrix, ...]

    @property
    def row_count(self) -> int:
        """Count the rows of its highest matrix."""
        return max(len(matrix.values) for matrix in self.matrices)


def lay_out_map(language: Language, paper: PageSize, model: LanguageModel) -> Layout:
    """Lay out the one page that shows all results of a model."""
    words = model.step.sentence
    end = cut_part(find_part("next-word"), model)
    last = {name: end[name] for name in ("R2", "W_U")} | compute_stages(end, end.hand_arithmetic)
    bands = list_bands(language, model, words, last)
    room = paper.width - 2 * SIDE_MARGIN
    best = max(range(len(WORDS)), key=lambda word: last["p"][word][0])
    head = make_text_box(
        [
            make_title(language.format("map.title")),
            Paragraph(parse_markup(language.format("map.how", word=words[-1])), ParagraphStyle.BODY),
        ],
        MAP_TYPOGRAPHY,
        SIDE_MARGIN,
        TOP_MARGIN,
        room,
    )
    items: list[Item] = [head]
    y = head.box.bottom + GAP_BELOW
    fixed = len(bands) * (HEADING + HEADER + GAP_BELOW)
    cell_height = (paper.height - TOP_MARGIN - y - fixed) / sum(band.row_count for band in bands)
    cell_height = min(MAX_CELL_HEIGHT, cell_height)
    for number, band in enumerate(bands, 1):
        title = make_bold_text(f"{number}  {language.format(f'part.{band.part}.title')}")
        what = parse_markup(language.format(f"map.{band.part}"))
        points = MAP_TYPOGRAPHY.paragraph_points[ParagraphStyle.SUBHEADING]
        title_width = measure_width(title, points) + 1
        x = SIDE_MARGIN + title_width + MATRIX_GAP
        items.append(_make_line(title, ParagraphStyle.SUBHEADING, SIDE_MARGIN, y, title_width))
        items.append(_make_line(what, ParagraphStyle.BODY, x, y + LINE_DROP, paper.width - SIDE_MARGIN - x))
        items += _lay_out_band(band, y + HEADING, cell_height, room)
        y += HEADING + HEADER + band.row_count * cell_height + GAP_BELOW
    x = max(item.box.right for item in items if isinstance(item, GridBox) and item.box.bottom > y - HEADER) + MATRIX_GAP
    told = [
        _tell(language, words, WORDS[best], ParagraphStyle.SUBHEADING),
        Paragraph(parse_markup(language.format("map.others")), ParagraphStyle.BODY),
        *(_tell(language, other, word, ParagraphStyle.BODY) for other, word in SENTENCES.items() if other != words),
    ]
    top = y - GAP_BELOW - bands[-1].row_count * cell_height
    items.append(make_text_box(told, MAP_TYPOGRAPHY, x, top, paper.width - SIDE_MARGIN - x))
    return lay_out_page(paper, items, MAP_TYPOGRAPHY)


def _tell(language: Language, words: Sequence[str], word: str, style: ParagraphStyle) -> Paragraph:
    return Paragraph(parse_markup(language.format("map.says", words=" ".join(words), word=word)), style)


def _make_line(text: Text, style: ParagraphStyle, x: float, y: float, width: float) -> TextBox:
    return make_text_box([Paragraph(text, style)], MAP_TYPOGRAPHY, x, y, width)


def list_bands(
    language: Language, model: LanguageModel, words: Sequence[str], last: Mapping[str, Matrix]
) -> tuple[MapBand, ...]:
    """Return what each sheet gives and works of a model, in the order of the sheets, and as they call it.

    Args:
        last: what the sheet of the next word gives and works.
    """
    known = work_model(model, words).show()
    table, output, relu, logits, powers = (
        language.format(f"matrix.{name}") for name in (EMBEDDING_NAME, "output", "relu1", "logits", "powers")
    )
    asks = ("", "", "", words[-1])

    def given(
        name: str,
        values: Matrix,
        cell_width: float = WEIGHT,
        *,
        columns: tuple[str, ...] = (),
        rows: tuple[str, ...] = (),
        label_width: float = 0.0,
    ) -> MapMatrix:
        return MapMatrix(
            name=name,
            values=values,
            cell_width=cell_width,
            is_given=True,
            columns=columns,
            rows=rows,
            label_width=label_width,
        )

    def worked(name: str, stage: str, cell_width: float = TOKEN) -> MapMatrix:
        return MapMatrix(name=name, values=known[stage], cell_width=cell_width, columns=asks)

    def head(number: int) -> MapBand:
        weights = tuple(row for name in ("W_Q", "W_K", "W_V") for row in known[f"h{number}.{name}"])
        results = tuple(row for name in "QKV" for row in known[f"h{number}.{name}"])
        labels = tuple(label for name in ("W_Q", "W_K", "W_V") for label in (name, ""))
        of_head = f"^{{({number})}}"
        return MapBand(
            part=f"head-{number}",
            matrices=(
                given(f"W{of_head}", weights, rows=labels, label_width=HEAD_LABEL),
                MapMatrix(
                    name=f"W{of_head} X",
                    values=results,
                    columns=asks,
                    rows=("Q", "", "K", "", "V", ""),
                    label_width=HEAD_LABEL,
                    cell_width=TOKEN,
                ),
                worked("S = K^T Q", f"h{number}.S"),
                worked("A", f"h{number}.A", SHARE),
                worked("Z = V A", f"h{number}.Z", SHARE),
            ),
        )

    def vector(name: str, stage: str, cell_width: float = TOKEN, rows: tuple[str, ...] = ()) -> MapMatrix:
        return MapMatrix(
            name=name,
            values=last[stage],
            cell_width=cell_width,
            columns=(words[-1],),
            rows=rows,
            label_width=WORD_LABEL if rows else 0.0,
        )

    bias_1, bias_2 = (
        tuple((*row, *bias) for row, bias in zip(known[f"W_{n}"], known[f"b_{n}"], strict=True)) for n in "12"
    )
    return (
        MapBand(
            part="words",
            matrices=(
                given(table, known[EMBEDDING_NAME], WORD, columns=WORDS),
                given("P", known["P"], TOKEN),
                MapMatrix(name="X = E + P", values=known["X"], columns=tuple(words), cell_width=WORD),
            ),
        ),
        head(1),
        head(2),
        MapBand(
            part="stream",
            matrices=(
                given("W_O", known["W_O"]),
                worked(output, "output", SHARE),
                worked(f"R_1 = X + {output}", "R1"),
                worked("r_2", "r2"),
                worked("N_2 = R_1 / r_2", "N2"),
            ),
        ),
        MapBand(
            part="network",
            matrices=(
                given("W_1 | b_1", bias_1),
                worked("F_1", "F1"),
                worked(relu, "relu1"),
                given("W_2 | b_2", bias_2),
                worked("F_2", "F2"),
                worked("R_2 = R_1 + F_2", "R2"),
            ),
        ),
        MapBand(
            part="next-word",
            matrices=(
                vector("r_3", "r3"),
                vector("N_3 = R_2 / r_3", "N3"),
                given("W_U", last["W_U"], rows=WORDS, label_width=WORD_LABEL),
                vector(logits, "logits", WORD),
                vector(powers, "powers", WORD),
                vector("p", "p", WORD, rows=WORDS),
            ),
        ),
    )


def _lay_out_band(band: MapBand, y: float, cell_height: float, room: float) -> Iterator[GridBox]:
    """Yield the grids of a band, at equal distances from margin to margin."""
    widths = [matrix.width for matrix in band.matrices]
    gap = min(MAX_MATRIX_GAP, (room - sum(widths)) / max(1, len(widths) - 1))
    lefts = accumulate((width + gap for width in widths[:-1]), initial=SIDE_MARGIN)
    for matrix, left in zip(band.matrices, lefts, strict=True):
        grid = _make_grid(matrix)
        height = HEADER + grid.row_count * cell_height
        yield GridBox(
            Box(left, y, matrix.width, height),
            grid,
            matrix.cell_width,
            cell_height,
            max(matrix.label_width, 0.01),
            HEADER,
            has_name_above=True,
        )


def _make_grid(matrix: MapMatrix) -> Grid:
    """Return a matrix as a grid; of what is worked the last token's column is tinted."""
    last = len(matrix.values[0]) - 1

    def cell(column: int, value: Number) -> Cell:
        is_followed = not matrix.is_given and column == last
        number = format_hand_value(value, 2)
        return Cell(CellKind.GIVEN if is_followed else CellKind.COPIED, number)

    return Grid(
        name=parse_markup(matrix.name),
        style=GridStyle.GIVEN if matrix.is_given else GridStyle.WORKED,
        rows=tuple(Label(parse_markup(label)) for label in matrix.rows or ("",) * len(matrix.values)),
        columns=tuple(Label(make_plain_text(label)) for label in matrix.columns or ("",) * (last + 1)),
        cells=tuple(tuple(cell(j, value) for j, value in enumerate(row)) for row in matrix.values),
    )
