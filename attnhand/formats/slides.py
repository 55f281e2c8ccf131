"""The sheet as slides in Markdown, one a stage: Marp draws them, and pandoc and Quarto begin slides at the same lines.

A slide is as large as its screen: where much stands on one, matrices stand beside one another, and all is smaller. How
large everything will be is estimated.
"""

import re
from collections.abc import Iterator
from itertools import groupby

from attnhand.formats.markdown_writer import TALL_ROW_END, MarkdownWriter
from attnhand.sheet.document import Head, Heading, HouseRules, MistakeTask, StoryHead, build_document
from attnhand.sheet.grids import Grid
from attnhand.sheet.panels import Panel
from attnhand.sheet.sheet import Sheet

WIDTH, HEIGHT, PADDING = 1280, 720, 50
"""Of a slide of Marp, in pixels."""

FONT_SIZES = (28, 24, 20, 17, 14, 12, 10, 8)
"""In pixels: the first with which everything has room."""

SPLIT_SIZE = 20
"""Questions that have no room in this size go to the next slide."""

LINE, GAP, HEADING = 1.5, 0.8, 2.8
"""Heights in ems of the text: a line, what is below a paragraph, and a heading with what is below it."""

ROW, TALL_ROW, BRACKETS = 1.8, 2.75, 0.3
"""Heights of the rows of a matrix, and what its brackets add."""

CHARACTER, DIGIT, COLUMN_GAP = 0.58, 0.62, 1.3
"""Widths of a character of text, of one in a formula, and between the columns of a matrix."""

_FRONT_MATTER = "\n".join(
    (
        "---",
        "marp: true",
        "paginate: true",
        "style: |",
        f"  section {{ padding: {PADDING}px; font-size: {FONT_SIZES[0]}px; align-content: start; }}",
        "  section h1, section h2 { font-size: 1.4em; line-height: 1.4; margin: 0 0 0.6em; }",
        f"  section p {{ line-height: {LINE}; margin: 0 0 {GAP}em; }}",
        *(f"  section.size{size} {{ font-size: {size}px; }}" for size in FONT_SIZES[1:]),
        "---",
    )
)
_MATRIX = re.compile(r"\$\$\n(.*)\n\$\$", re.DOTALL)


def render_slides(sheet: Sheet) -> str:
    r"""Return the sheet as slides, or the slide of the stage that its options name.

    >>> from attnhand.problems.request import Request
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> text = render_slides(make_sheet_from_request(Request(seed=7)).blank)
    >>> text.startswith("---\nmarp: true\n"), text.count("\n\n---\n\n")
    (True, 11)

    Raises:
        PageError: the sheet draws no such stage.
    """
    slides = ("\n\n".join(_set_size(blocks)) for blocks in _SlideWriter(sheet).list_slides())
    return f"{_FRONT_MATTER}\n\n" + "\n\n---\n\n".join(slides) + "\n"


class _SlideWriter(MarkdownWriter):
    def list_slides(self) -> Iterator[list[str]]:
        """Yield the blocks of each slide: the title, the house rules, a stage each, and what is asked and said then."""
        if self.sheet.options.stage is not None:
            yield [*self.list_blocks()]
            return
        parts = [*build_document(self.sheet).iterate_parts()]
        yield [block for part in parts if isinstance(part, _TITLE) for block in self.write_part(part)]
        heading = ""
        rest: list[str] = []
        for part in parts:
            if isinstance(part, Heading):
                heading = self.write_heading(part.text)
            elif isinstance(part, Panel):
                self.drawn_factors.clear()
                yield [heading, *self.write_part(part)]
            elif isinstance(part, HouseRules):
                yield [*self.write_part(part)]
            elif not isinstance(part, _TITLE):
                rest += self.write_part(part)
        yield from _split(rest)

    def choose_factors(self, panel: Panel) -> Iterator[Grid]:
        """Yield both factors of every product: nobody can turn a slide back."""
        yield from filter(None, (panel.side_factor, panel.query_factor))


_TITLE = Head | MistakeTask | StoryHead
"""What stands on the first slide."""


def _split(blocks: list[str]) -> Iterator[list[str]]:
    """Yield what fits on a slide together; one that goes on bears the heading of the last."""
    slide: list[str] = []
    for block in blocks:
        if slide and (_is_heading(block) or not _fits(_join_matrices([*slide, block]), SPLIT_SIZE)):
            yield slide
            slide = slide[:1] if _is_heading(slide[0]) and not _is_heading(block) else []
        slide.append(block)
    yield slide


def _is_heading(block: str) -> bool:
    return block.startswith("#")


def _set_size(blocks: list[str]) -> list[str]:
    """Return the blocks with matrices beside one another where that lets them be larger, and with their size."""
    ways = (blocks, _join_matrices(blocks))
    fitting = ((way, size) for size in FONT_SIZES for way in ways if _fits(way, size))
    way, size = next(fitting, (ways[1], FONT_SIZES[-1]))
    # Subtle: below the heading, for pandoc begins a slide there anew
    at = 1 if _is_heading(way[0]) else 0
    return way if size == FONT_SIZES[0] else [*way[:at], f"<!-- _class: size{size} -->", *way[at:]]


def _join_matrices(blocks: list[str]) -> list[str]:
    """Put matrices that follow one another into one formula."""
    joined: list[str] = []
    for is_matrix, group in groupby(blocks, lambda block: bool(_MATRIX.fullmatch(block))):
        texts = [*group]
        if is_matrix:
            texts = ["$$\n{}\n$$".format("\n\\qquad\n".join(text[3:-3] for text in texts))]
        joined += texts
    return joined


def _fits(blocks: list[str], size: int) -> bool:
    """Say whether a slide has room for the blocks in a size."""
    width, height = (WIDTH - 2 * PADDING) / size, (HEIGHT - 2 * PADDING) / size
    needed = 0.0
    for block in blocks:
        if formula := _MATRIX.fullmatch(block):
            matrices = [_measure_matrix(matrix) for matrix in formula[1].split("\n\\qquad\n")]
            if sum(wide for wide, _ in matrices) + 2.5 * (len(matrices) - 1) > width:
                return False
            needed += max(high for _, high in matrices) + GAP
        else:
            lines = -(-len(_strip_markup(block)) * CHARACTER // width)
            needed += HEADING * lines if _is_heading(block) else LINE * lines + GAP
    return needed - GAP <= height


def _measure_matrix(formula: str) -> tuple[float, float]:
    """Estimate the width and height of "name = matrix", in ems of the text."""
    head, *lines = formula.splitlines()
    rows = [[_strip_markup(cell) for cell in line.removesuffix(r" \\").split(" & ")] for line in lines[:-1]]
    columns = zip(*rows, strict=True)
    name = _strip_markup(re.sub(r"\\begin\{\w+\}(\{.*\})?", "", head))
    width = sum(max(map(len, column)) * DIGIT + COLUMN_GAP for column in columns) + (len(name) + 1) * DIGIT
    return width, len(rows) * (TALL_ROW if TALL_ROW_END in formula else ROW) + BRACKETS


def _strip_markup(text: str) -> str:
    r"""Return about as many characters as will be seen.

    >>> _strip_markup(r"**$W_{K}$**: $-\tfrac{1}{18}$ \square")
    'WK: -18 □'
    """
    text = re.sub(r"\\tfrac\{(\d+)\}\{(\d+)\}", lambda both: max(both[1], both[2], key=len), text)
    text = text.removesuffix(TALL_ROW_END).replace(r"\square", "□").replace(r"\text", "")
    return re.sub(r"\\[A-Za-z]+", "_", text.replace("**", "")).translate(dict.fromkeys(map(ord, "${}\\_^")))
