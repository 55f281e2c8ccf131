"""Writes the parts of a sheet as Markdown with LaTeX formulas, for sheets, slides, notebooks and LaTeX alike."""

import re
from collections.abc import Iterator
from itertools import groupby
from typing import assert_never
from unicodedata import normalize

from attnhand.formats.formulas_in_text import split_formulas
from attnhand.sheet import sentences
from attnhand.sheet.document import (
    ClosingSentences,
    CodeLine,
    Head,
    Heading,
    HouseRules,
    MistakeTask,
    Part,
    QuestionPanel,
    ShortcutComparison,
    StoryHead,
    build_document,
)
from attnhand.sheet.grids import Cell, Grid, GridStyle
from attnhand.sheet.panels import Panel, find_panel
from attnhand.sheet.printed_number import PrintedNumber
from attnhand.sheet.questions import AskedQuestion
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import TraceGrids
from attnhand.text.widths import RunStyle, Text, make_plain_text, parse_markup, parse_unicode, to_unicode

MATH_SIGNS = {
    "−": "-",
    "′": "'",
    "·": r"\cdot",
    "×": r"\times",
    "÷": r"\div",
    "≈": r"\approx",
    "≠": r"\ne",
    "≤": r"\le",
    "≥": r"\ge",
    "→": r"\to",
    "√": r"\surd",
    "∞": r"\infty",
    "Σ": r"\Sigma",
    "𝜃": r"\theta",
    "⌊": r"\lfloor",
    "⌋": r" \rfloor",
    "⌉": r" \rceil",
    "…": r"\dots",
    "□": r"\square",
    "○": r"\circ",
    "✓": r"\checkmark",
}
"""What signs are in a formula of LaTeX."""

_BLANK_BESIDE_WORD = re.compile(r"(?<=[^\W\d_]{2}) (?=[^\W\d_]|$)|(?:^|(?<=[^\W\d_])|(?<=∞)) (?=[^\W\d_]{2})")
"""Formulas know no blanks: these are to be written. A letter alone is a variable, and stands close."""

TALL_ROW_END = r" \phantom{\Big|}"
"""Ends the rows of a matrix with fractions, which would touch those of the next; pandoc knows no ``vphantom``."""


def escape_markdown(text: str) -> str:
    r"""Keep what a user typed as text: no markup, no HTML, no link, no formula.

    >>> escape_markdown("<b>1*2*3</b>")
    '\\<b\\>1\\*2\\*3\\<\\/b\\>'
    """
    return re.sub(r"""([\\`*_{}\[\]()<>#+.!|~$&:@/="^%])""", r"\\\1", text)


def convert_to_markdown(text: Text) -> str:
    r"""Write running text, bold and with its formulas, as Markdown.

    >>> print(convert_to_markdown(parse_markup("**K = W_K X**, row 2 of K^T")))
    **$K = W_{K} X$**, row 2 of $K^{T}$
    """
    out, bold = "", False
    for part, is_formula in split_formulas(text):
        if bold is not (heavy := part[0].style is RunStyle.BOLD or part[0].is_bold):
            out, bold = out + "**", heavy
        out += f"${convert_to_latex(part)}$" if is_formula else _escape_sentence(to_unicode(part))
    return out + ("**" if bold else "")


def _escape_sentence(text: str) -> str:
    r"""Keep a sentence as text: it may hold a word or a story that a user typed.

    >>> print(_escape_sentence("see [x](http://x.org), <b>, a@x.org: 1"))
    see \[x\](http\://x.org), \<b\>, a\@x.org: 1
    >>> print(_escape_sentence("share · (1 − share)"))
    share · (1 $-$ share)
    """
    escaped = re.sub(r"([\\`*_<>$|~\[\]&@]|:(?=//)|(?<=www)\.)", r"\\\1", text, flags=re.IGNORECASE)
    return re.sub(r"−(\d*)", r"$-\1$", escaped)  # LaTeX has no such letter


_FUNCTIONS = {"cos": r"\cos", "sin": r"\sin", "sen": r"\operatorname{sen}"}


def convert_to_latex(text: Text) -> str:
    r"""Write a formula as LaTeX.

    >>> [convert_to_latex(parse_markup(formula)) for formula in ("⌊S/2⌋", "K^T Q", "3^{scaled}", "relu_1", "√d_k")]
    ['\\lfloor S/2 \\rfloor', 'K^{T} Q', '3^{\\text{scaled}}', '\\mathrm{relu_{1}}', '\\sqrt{d_{k}}']
    """
    out = ""
    for style, runs in groupby(text, lambda run: run.style):
        inner = _BLANK_BESIDE_WORD.sub(r"\\ ", "".join(run.text for run in runs))
        inner = re.sub(r"[^\W\d_]{2,}", r"\\text{\g<0>}", inner)
        out += {RunStyle.SUB: f"_{{{inner}}}", RunStyle.SUP: f"^{{{inner}}}"}.get(style, inner)
    # Subtle: an underscore between brackets, as in \text{relu}_{1}, is emphasis to Markdown; behind a letter it is none
    out = re.sub(r"\\text\{(\w+)\}_\{(\w+|\\text\{\w+\}(?:, \\text\{\w+\})*)\}", r"\\mathrm{\1_{\2}}", out)
    out = re.sub(r"\\text\{(cos|sin|sen)\}", lambda name: _FUNCTIONS[name[1]], out)
    out = re.sub(r"√(\d+|\w(?:_\{\w+\})?|\\(?:text|mathrm)\{(?:[^{}]|\{\w+\})*\})", r"\\sqrt{\1}", out)
    return _write_signs(re.sub(r"√\(([^()]*)\)", r"\\sqrt{\1}", out))


def _write_signs(latex: str) -> str:
    r"""Write the signs of a formula as commands, and decimal commas as such.

    >>> _write_signs("a·b ≈ 0,5")
    'a\\cdot b \\approx 0{,}5'
    """
    latex = re.sub(r"(?<=\d),(?=\d)", "{,}", latex).replace("θ", "𝜃")
    return re.sub(
        f"([{''.join(MATH_SIGNS)}])([^\\W\\d_]?)",
        lambda sign: f"{MATH_SIGNS[sign[1]]}{' ' if sign[2] and MATH_SIGNS[sign[1]][-1].isalpha() else ''}{sign[2]}",
        latex,
    )


def convert_number_to_latex(number: PrintedNumber) -> str:
    r"""Write one value as LaTeX.

    >>> [convert_number_to_latex(PrintedNumber(*parts)) for parts in (("−", "9", "46"), ("≈−0.5",), ("e^800.00",))]
    ['-\\tfrac{9}{46}', '{\\approx}-0.5', 'e^{800.00}']
    >>> convert_number_to_latex(PrintedNumber("1.2·10²⁰"))
    '1.2 \\cdot 10^{20}'
    """
    note = _convert_note_to_latex(number.note)
    if number.is_fraction:
        sign = number.text.replace("−", "-")
        return f"{sign}\\tfrac{{{number.top}}}{{{number.bottom}}}{note}"
    text = re.sub(r"\^(.+)", r"^{\1}", number.text.replace("≈", r"{\approx}"))
    text = re.sub(r"·10([⁰¹²³⁴-⁹]+)", lambda huge: f" · 10^{{{normalize('NFKC', huge[1])}}}", text)
    return _write_signs(text) + note


def _convert_note_to_latex(note: str) -> str:
    if equal := re.fullmatch(r"= (\d+)/(\d+)", note):
        return f" = \\tfrac{{{equal[1]}}}{{{equal[2]}}}"
    return f"\\;\\text{{({note})}}" if note else ""


class MarkdownWriter:
    """Writes a sheet part by part; for another markup, a subclass says how its pieces are written."""

    placeholder = r"\square"
    """What a student writes over, in a matrix."""

    writing_line = r"\_\_\_\_"
    """The same behind a question."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.drawn_factors: set[tuple[Text, tuple[tuple[PrintedNumber | None, ...], ...]]] = set()

    def write_text(self, text: Text) -> str:
        """Write running text, with its formulas between dollar signs."""
        return convert_to_markdown(text)

    def write_user_text(self, text: str) -> str:
        """Write what a user typed."""
        return escape_markdown(text)

    def write_token(self, letter: Text) -> str:
        """Write what a token is called: q₁."""
        return self.write_text(letter)

    def write_title(self, text: str) -> str:
        """Write the title, which is markup already."""
        return f"# {text}"

    def write_heading(self, text: Text) -> str:
        """Write the heading of a few panels."""
        light = tuple(run._replace(style=RunStyle.PLAIN) if run.style is RunStyle.BOLD else run for run in text)
        return f"## {' '.join(convert_to_markdown(tuple(run._replace(is_bold=False) for run in light)).split())}"

    def write_bold(self, text: str) -> str:
        """Write markup in bold."""
        return f"**{text}**"

    def write_cell(self, cell: Cell, placeholder: str) -> str:
        """Write a cell of a matrix."""
        return convert_number_to_latex(cell.number) if cell.number else placeholder

    def write_math_block(self, prefix: str, environment: str, rows: list[str], *, columns: str = "") -> str:
        """Write rows as a formula block.

        Subtle: GitHub turns a double backslash into one unless it ends its line, so every row is a line.
        """
        inner = " \\\\\n".join(rows)
        return f"$$\n{prefix}\\begin{{{environment}}}{columns}\n{inner}\n\\end{{{environment}}}\n$$"

    def list_blocks(self) -> Iterator[str]:
        """Yield the paragraphs, headings and matrices, top to bottom; of one stage its factors and its matrix."""
        if self.sheet.options.stage is not None:
            yield from self._write_stage(find_panel(self.sheet, self.sheet.options.stage))
        else:
            for part in build_document(self.sheet).iterate_parts():
                yield from self.write_part(part)

    def _write_stage(self, panel: Panel) -> Iterator[str]:
        for factor in filter(None, (panel.side_factor, panel.query_factor)):
            yield from self.write_factor(factor)
        yield from self.write_product(panel)

    def write_part(self, part: Part) -> Iterator[str]:
        """Write one part of the sheet."""
        match part:
            case Head():
                yield from self._write_head(part)
            case StoryHead(sentences=texts, features=features):
                yield from map(self.write_text, (*texts, features))
            case HouseRules(text):
                yield self.write_text(text)
            case Heading(text):
                yield self.write_heading(text)
            case Panel():
                yield from self._write_panel(part)
            case TraceGrids():
                yield from self._write_trace(part)
            case QuestionPanel():
                yield self.write_heading(part.heading)
                yield from (self._write_question(question) for question in part.questions)
            case MistakeTask(sentences=texts, questions=questions):
                yield from map(self.write_text, texts)
                yield from map(self._write_question, questions)
            case ClosingSentences(texts) | ShortcutComparison(texts):
                yield from map(self.write_text, texts)
            case CodeLine():
                yield part.code
            case _:
                assert_never(part)

    def _write_panel(self, panel: Panel) -> Iterator[str]:
        if panel.stage.facts.reminder_key:
            yield self.write_text(parse_markup(sentences.format_powers_reminder(self.sheet)))
        for text in filter(None, (panel.purpose, *(paragraph.text for paragraph in panel.paragraphs))):
            yield self.write_text(text)
        if panel.guess:
            yield self._write_question(panel.guess)
        for factor in self.choose_factors(panel):
            caption = "" if factor is panel.side_factor else self._name_asked_queries(panel, factor)
            yield from self.write_factor(factor, caption)
        yield from self.write_product(panel)
        if panel.check_sums:
            yield self.write_text(panel.check_sums)
        if panel.exact_grid:
            yield self.write_text(panel.exact_caption) + ":"
            yield self.write_named_grid(convert_to_latex(panel.grid.name), panel.exact_grid, r"\cdot")

    def choose_factors(self, panel: Panel) -> Iterator[Grid]:
        """Yield the factors of a product that stand nowhere above it; which were drawn is known elsewhere."""
        if panel.side_factor and not panel.side_panel:
            yield panel.side_factor
        if panel.query_factor and panel.query_factor.style is GridStyle.GIVEN:
            yield panel.query_factor

    def write_product(self, panel: Panel) -> Iterator[str]:
        """Write the matrix of a stage behind its name and formula."""
        name, formula = convert_to_latex(panel.grid.name), ""
        if panel.stage.facts.has_formula:
            formula = convert_to_latex(parse_markup(sentences.format_headed_formula(self.sheet, panel.stage)))
        if asked := self._name_asked_queries(panel, panel.grid):
            yield asked
        yield self.write_named_grid(" = ".join(part for part in (name, formula) if part), panel.grid, self.placeholder)

    def _write_question(self, question: AskedQuestion) -> str:
        """Write a question with its name, room for the answer, or the answer and its reason."""
        parts = [f"{question.name}:" if question.name else "", self.write_text(question.text)]
        if question.answer:
            parts.append(self.write_bold(self.write_text(question.answer)))
        elif question.has_short_answer:
            parts.append(self.writing_line)
        if question.reason:
            parts.append(self.write_text(parse_markup(self.sheet.say("ask.because"))) if question.has_reason else "")
            parts.append(self.write_text(question.reason))
        return " ".join(filter(None, parts))

    def write_factor(self, grid: Grid, caption: str = "") -> Iterator[str]:
        """Write a factor unless it was written before: a given matrix, a transposed copy, or a printed one."""
        numbers = tuple(tuple(cell.number for cell in row) for row in grid.cells)
        if (grid.name, numbers) not in self.drawn_factors:
            self.drawn_factors.add((grid.name, numbers))
            if caption:
                yield caption
            yield self.write_named_grid(convert_to_latex(grid.name), grid, self.placeholder)

    def _name_asked_queries(self, panel: Panel, grid: Grid) -> str:
        """Return "columns q₁, q₃:" where only some queries are drawn."""
        if self.sheet.asks_every_query or panel.stage.name not in self.sheet.query_stages:
            return ""
        vectors = grid.rows if self.sheet.convention.is_rows else grid.columns
        names = self.sheet.say("lines", lines=[to_unicode(label.letter) for label in vectors])
        return self.write_text(parse_unicode(names))

    def _write_head(self, head: Head) -> Iterator[str]:
        """Write title, sizes and words; what a user wrote stays text."""
        title = self.write_user_text(head.title) if head.has_own_title else self.write_text(parse_markup(head.title))
        yield self.write_title(title)
        if head.key_label:
            yield self.write_bold(self.write_text(make_plain_text(head.key_label)))
        if head.seat:
            yield self.write_user_text(head.seat)
        yield self.write_text(head.sizes_and_effort)
        yield self.write_text(head.formula)
        if head.tokens:
            yield f" {self.write_text(make_plain_text('·'))} ".join(
                f"{self.write_token(token.letter)} {self.write_user_text(token.word)}" for token in head.tokens
            )

    def _write_trace(self, trace: TraceGrids) -> Iterator[str]:
        """Write a trace: the query and the keys, every stage, the values and their mixture."""
        yield self.write_heading(trace.heading)
        for instructions, grids in trace.blocks:
            yield from map(self.write_text, instructions)
            yield from map(self._write_unnamed_grid, grids)

    def _write_unnamed_grid(self, grid: Grid) -> str:
        """Write a grid without a name: its one column has one, or else every row, on the row itself."""
        if grid.column_count == 1:
            return self.write_named_grid(convert_to_latex(grid.columns[0].letter), grid, self.placeholder)
        rows = self._write_rows(grid, self.placeholder)
        rows = [f"{convert_to_latex(label.letter)} & {row}" for label, row in zip(grid.rows, rows, strict=True)]
        return self.write_math_block("", "array", rows, columns=f"{{r|{'c' * grid.column_count}}}")

    def write_named_grid(self, name: str, grid: Grid, placeholder: str) -> str:
        """Write "name = matrix" as a block."""
        return self.write_math_block(f"{name} = ", "bmatrix", self._write_rows(grid, placeholder))

    def _write_rows(self, grid: Grid, placeholder: str) -> list[str]:
        """Write the rows of a grid, as high as its fractions need: KaTeX and LaTeX leave no room between them."""
        numbers = [[cell.number for cell in row] for row in grid.cells]
        high = TALL_ROW_END if any(number and number.is_fraction for row in numbers for number in row) else ""
        return [" & ".join(self.write_cell(cell, placeholder) for cell in row) + high for row in grid.cells]
