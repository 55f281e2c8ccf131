"""The sheet as Markdown with LaTeX matrices, as GitHub and notebooks draw it."""

import re
from collections.abc import Iterator

from attnhand.attention.mechanisms import Given, Stage
from attnhand.attention.operations import Sum
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import labels, matrix_name
from attnhand.sheet.conclusion import closing_sentences, code_line, comparison_sentences
from attnhand.sheet.figures import Figure
from attnhand.sheet.grids import Grid, Look
from attnhand.sheet.panels import Panel, panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import Walk, walks
from attnhand.text.widths import Style, Text, as_plain, marked_up

_SIGNS = {
    "÷": r"\div",
    "⌊": r"\lfloor ",
    "⌋": r" \rfloor",
    "Σ": r"\Sigma",
    "−": "-",
    "≈": r"\approx",
    "∞": r"\infty",
}

HIGH_ROW = r" \phantom{\Big|}"
"""Ends the rows of a matrix with fractions, which would touch those of the next; pandoc knows no ``vphantom``."""


def render_markdown(sheet: Sheet) -> str:
    """Return the sheet as Markdown: house rules, every matrix in the order of need, and on the key the comparison.

    >>> from attnhand.sheet.make import sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> text = render_markdown(sheet_from_request(Request(seed=7)).blank)
    >>> text.splitlines()[0], text.count("square") > 100
    ('# Self-attention by hand', True)
    """
    return "\n\n".join(_Writer(sheet).blocks()) + "\n"


def escaped(text: str) -> str:
    r"""Keep what a user typed as text: no markup, no HTML, no link, no formula.

    >>> escaped("<b>1*2*3</b>")
    '\\<b\\>1\\*2\\*3\\<\\/b\\>'
    """
    return re.sub(r"""([\\`*_{}\[\]()<>#+.!|~$&:@/="^%])""", r"\\\1", text)


def markdown(text: Text) -> str:
    """Write running text, bold and with subscripts, as Markdown.

    >>> markdown(marked_up("**K = W_K X**, 3^{−1}"))
    '**K = W<sub>K</sub> X**, 3<sup>−1</sup>'
    """
    out, bold = "", False
    for run in text:
        if bold is not (heavy := run.style is Style.BOLD or run.heavy):
            out, bold = out + "**", heavy
        inner = re.sub(r"([\\`*_<>$|~])", r"\\\1", run.text)
        out += f"<{run.style}>{inner}</{run.style}>" if run.style in (Style.SUB, Style.SUP) else inner
    return out + ("**" if bold else "")


def latex(text: Text) -> str:
    r"""Write a formula as LaTeX.

    >>> latex(marked_up("⌊S/2⌋")), latex(marked_up("K^T Q")), latex(marked_up("3^{scaled}"))
    ('\\lfloor S/2 \\rfloor', 'K^{T} Q', '3^{\\text{scaled}}')
    """
    out = ""
    for run in text:
        inner = re.sub(r"[^\W\d_]{2,}", r"\\text{\g<0>}", run.text)
        inner = re.sub(r"√(\d+)", r"\\sqrt{\1}", inner)
        for sign, command in _SIGNS.items():
            inner = inner.replace(sign, command)
        out += {Style.SUB: f"_{{{inner}}}", Style.SUP: f"^{{{inner}}}"}.get(run.style, inner)
    return out


def figure_latex(figure: Figure) -> str:
    r"""Write one value as LaTeX.

    >>> figure_latex(Figure("−", "9", "46")), figure_latex(Figure("≈−0.5")), figure_latex(Figure("e^800.00"))
    ('-\\tfrac{9}{46}', '{\\approx}-0.5', 'e^{800.00}')
    """
    note = _note_latex(figure.note)
    if figure.is_fraction:
        sign = figure.text.replace("−", "-")
        return f"{sign}\\tfrac{{{figure.top}}}{{{figure.bottom}}}{note}"
    text = figure.text.replace("−", "-").replace("≈", r"{\approx}").replace("∞", r"\infty")
    text = re.sub(r"\^(.+)", r"^{\1}", text)
    return re.sub(r"(\d)e(\d+)", r"\1 \\cdot 10^{\2}", text) + note


def _note_latex(note: str) -> str:
    if equal := re.fullmatch(r"= (\d+)/(\d+)", note):
        return f" = \\tfrac{{{equal[1]}}}{{{equal[2]}}}"
    return f"\\;\\text{{({note})}}" if note else ""


class _Writer:
    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.drawn: set[tuple[Text, tuple[tuple[Figure | None, ...], ...]]] = set()

    def blocks(self) -> Iterator[str]:
        """Yield the paragraphs, headings and matrices, top to bottom."""
        sheet = self.sheet
        title = sentences.title(sheet)
        yield f"# {escaped(title) if sheet.problem.title else markdown(marked_up(title))}"
        if sheet.solved:
            yield f"**{sheet.say('key')}**"
        yield markdown(marked_up(f"{sentences.sizes_line(sheet)} · {sentences.effort_line(sheet)}"))
        if sheet.problem.words:
            yield self._words()
        yield markdown(marked_up(sentences.house_rules(sheet)))
        for run in panels(sheet).runs:
            for panel in run:
                yield from self._panel(panel)
        for walk in walks(sheet):
            yield from _walk(walk)
        yield from (markdown(marked_up(told)) for told in closing_sentences(sheet))
        if sheet.solved:
            yield from (markdown(marked_up(sentence)) for sentence in comparison_sentences(sheet))
        yield code_line(sheet, credit=False)

    def _words(self) -> str:
        mechanism = self.sheet.problem.mechanism
        made: list[Given | Stage] = [*mechanism.given, *mechanism.stages]
        axes = (axis for matrix in made for axis in (matrix.rows, matrix.columns))
        tokens = next(axis for axis in axes if axis.size == "tokens")
        return " · ".join(f"{as_plain(label.letter)} {escaped(label.word)}" for label in labels(self.sheet, tokens))

    def _panel(self, panel: Panel) -> Iterator[str]:
        if panel.heading:
            yield f"## {' '.join(as_plain(panel.heading).split())}"
        if panel.made:
            yield from self._panel(panel.made)
        if panel.reminds_of_powers:
            yield markdown(marked_up(sentences.powers_reminder(self.sheet)))
        for paragraph in panel.paragraphs:
            yield markdown(paragraph.text)
        if panel.side and not panel.made:
            yield from self._factor(panel.side)
        if panel.over and panel.over.look is Look.GIVEN:
            yield from self._factor(panel.over, self._asked(panel, panel.over))
        stage = panel.stage
        name = latex(matrix_name(self.sheet, stage.name))
        formula = "" if isinstance(stage.operation, Sum) else latex(marked_up(sentences.formula(self.sheet, stage)))
        if asked := self._asked(panel, panel.grid):
            yield asked
        yield _display(" = ".join(part for part in (name, formula) if part), panel.grid, r"\square")
        for remark in panel.remarks:
            yield markdown(remark.text)
        if panel.exact:
            yield markdown(panel.exact_caption) + ":"
            yield _display(name, panel.exact, r"\cdot")

    def _factor(self, grid: Grid, asked: str = "") -> Iterator[str]:
        """Draw a factor unless it has been drawn: a given matrix, a copy turned on its side, or one printed."""
        figures = tuple(tuple(cell.figure for cell in row) for row in grid.cells)
        if (grid.name, figures) not in self.drawn:
            self.drawn.add((grid.name, figures))
            if asked:
                yield asked
            yield _display(latex(grid.name), grid, r"\square")

    def _asked(self, panel: Panel, grid: Grid) -> str:
        """Return "columns q₁, q₃:" where only some queries are drawn."""
        if self.sheet.asks_all or panel.stage.name not in self.sheet.query_stages:
            return ""
        lines = grid.rows if self.sheet.is_rows else grid.columns
        return f"{self.sheet.say('lines')} {', '.join(as_plain(label.letter) for label in lines)}:"


def _walk(walk: Walk) -> Iterator[str]:
    """Write a journey: the query and the keys, every stage, the values and their mixture."""
    yield f"## {as_plain(walk.heading)}"
    yield from (markdown(text) for text in (walk.meeting, walk.copying) if text)
    for grid in (walk.keys, *walk.steps):
        yield _unnamed(grid)
    yield markdown(walk.mixing)
    for grid in walk.values:
        yield _unnamed(grid)


def _unnamed(grid: Grid) -> str:
    """Write a grid without a name: its one column has one, or else every row, on the row itself."""
    if grid.width == 1:
        return _display(latex(grid.columns[0].letter), grid, r"\square")
    names = [latex(label.letter) for label in grid.rows]
    rows = [f"{name} & {row}" for name, row in zip(names, _rows(grid, r"\square"), strict=True)]
    return _block("", "array", rows, columns=f"{{r|{'c' * grid.width}}}")


def _display(name: str, grid: Grid, empty: str) -> str:
    """Write "name = matrix" as a block of its own."""
    return _block(f"{name} = ", "bmatrix", _rows(grid, empty))


def _rows(grid: Grid, empty: str) -> list[str]:
    """Write the rows of a grid, as high as its fractions need: KaTeX and LaTeX leave no room between them."""
    figures = [[cell.figure for cell in row] for row in grid.cells]
    high = HIGH_ROW if any(figure and figure.is_fraction for row in figures for figure in row) else ""
    return [" & ".join(figure_latex(figure) if figure else empty for figure in row) + high for row in figures]


def _block(before: str, kind: str, rows: list[str], *, columns: str = "") -> str:
    """Write rows as a formula of its own.

    Subtle: GitHub turns a double backslash into one unless it ends its line, so every row is a line.
    """
    inner = " \\\\\n".join(rows)
    return f"$$\n{before}\\begin{{{kind}}}{columns}\n{inner}\n\\end{{{kind}}}\n$$"
