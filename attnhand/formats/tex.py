"""The sheet as LaTeX to ``\\input`` into slides, papers and exams: ASCII wherever a macro says the same."""

import re
from unicodedata import decomposition, normalize

from attnhand.formats.colours import PAGE_COLOURS
from attnhand.formats.markdown_writer import MATH_SIGNS, MarkdownWriter, convert_number_to_latex
from attnhand.sheet.grids import Cell, CellKind
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import RunStyle, Text

_SPECIALS = {
    "\\": r"\textbackslash{}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"{\char34}",  # as it stands it is a shorthand to babel
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
}
_TEXT_SIGNS = {
    "\N{EN SPACE}": r"\enspace{}",
    "\N{NO-BREAK SPACE}": "~",
    "–": "--",
    "—": "---",
    "…": r"\ldots{}",
    "‘": "`{}",
    "’": "'{}",
    "“": "``",
    "”": "''",
    "„": r"\quotedblbase{}",
    "«": r"\guillemotleft{}",
    "»": r"\guillemotright{}",
    "¿": r"\textquestiondown{}",
    "¡": r"\textexclamdown{}",
    "№": "No.",
    "ß": r"\ss{}",
    "æ": r"\ae{}",
    "Æ": r"\AE{}",
    "œ": r"\oe{}",
    "Œ": r"\OE{}",
    "ø": r"\o{}",
    "Ø": r"\O{}",
    "ł": r"\l{}",
    "Ł": r"\L{}",
    "ı": r"\i{}",
}
_ANGLE = re.compile(r"\bθ\b")
"""θ as a sign; in a Greek word it is a letter."""

_LIGATURES = re.compile("([-`'!?,])(?=[-`',])")
"""Signs that would run together into another one."""

_ACCENTS = {
    "\u0300": "`",
    "\u0301": "'",
    "\u0302": "^",
    "\u0303": "~",
    "\u0304": "=",
    "\u0306": "u",
    "\u0307": ".",
    "\u0308": '"',
    "\u030a": "r",
    "\u030b": "H",
    "\u030c": "v",
    "\u0323": "d",
    "\u0327": "c",
}
"""Marks above and below letters, by the macro that sets them in any font."""

_PREAMBLE = (r"\usepackage[T1]{fontenc}", r"\usepackage{amsmath,amssymb}", r"\usepackage{graphicx,xcolor}")

_START = (
    r"\begingroup\setlength{\parindent}{0pt}\setlength{\parskip}{4pt plus 2pt minus 2pt}%"
    "\n"
    r"\predisplaypenalty0\setcounter{MaxMatrixCols}{20}%"
    "\n"
    # frames of Beamer break between matrices alone: there is little to stretch and much that must not stand apart
    r"\abovedisplayskip4pt plus 2pt minus 3pt\belowdisplayskip\abovedisplayskip\clubpenalty0\widowpenalty0%"
    "\n"
    rf"\definecolor{{attnhandkey}}{{HTML}}{{{PAGE_COLOURS['red'].light[1:].upper()}}}%"
    "\n"
    # Subtle: a macro without arguments, so that the fragment may also be pasted into a frame of Beamer
    r"\providecommand{\attnhandblank}{\rule[-1.2ex]{0pt}{3.9ex}\framebox[2.2em]{\rule{0pt}{1.5ex}}}%"
    "\n"
    # two of the tallest, with what is between them, stand on a frame
    r"\providecommand{\attnhandshow}{\ifdim\wd0>\linewidth\sbox0{\resizebox{\linewidth}{!}{\usebox0}}\fi"
    r"\ifdim\dimexpr\ht0+\dp0\relax>.48\textheight\sbox0{\resizebox*{!}{.48\textheight}{\usebox0}}\fi"
    r"\usebox0}%"
)


def render_tex(sheet: Sheet) -> str:
    """Return the sheet, or the one stage that its options name, as LaTeX; letters without a macro stay as they are.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> render_tex(make_sheet_from_request(Request(seed=7)).blank).isascii()
    True

    Raises:
        PageError: the sheet draws no such stage.
    """
    writer = _TexWriter(sheet)
    body = "\n\n".join([_START, *writer.list_blocks(), r"\par\endgroup"])
    comments = [sheet.say("tex.preamble"), *_PREAMBLE, sheet.say("tex.input")]
    comments += [] if body.isascii() else [sheet.say("tex.engine")]
    return "".join(f"% {comment}\n" for comment in comments) + body + "\n"


def escape_tex(text: str) -> str:
    r"""Write a text so that it is read as it stands.

    >>> print(escape_tex("50% of $x_1$, née Übung ≈ ½ -- x₂"))
    50\% of \$x\_1\$, n\'{e}e \"{U}bung $\approx$ 1/2 -{}- x$_{2}$
    """
    signs = _LIGATURES.sub("\\1\0", _ANGLE.sub("𝜃", normalize("NFC", text)))
    return "".join("{}" if sign == "\0" else _escape_character(sign) for sign in signs)


def _escape_character(character: str) -> str:
    if character.isascii():
        return _SPECIALS.get(character, character)
    if sign := _TEXT_SIGNS.get(character):
        return sign
    if sign := MATH_SIGNS.get(character):
        return f"${sign}$"
    kind, *parts = decomposition(character).split() or [""]
    if kind in ("<sub>", "<super>"):
        script = "".join(chr(int(part, 16)) for part in parts).replace("−", "-")
        return f"${'_' if kind == '<sub>' else '^'}{{{script}}}$" if script.isascii() else character
    if kind == "<fraction>":
        return normalize("NFKC", character).replace("\N{FRACTION SLASH}", "/")
    return _write_accents(character)


def _write_accents(character: str) -> str:
    """Write a letter with marks by macros; as it stands where there are none for it."""
    written, *marks = list(normalize("NFD", character))
    if not written.isascii() or not all(mark in _ACCENTS for mark in marks):
        return character
    written = {"i": r"\i", "j": r"\j"}.get(written, written)
    for mark in marks:
        written = f"\\{_ACCENTS[mark]}{{{written}}}"
    return written


def convert_to_tex(text: Text) -> str:
    r"""Write running text.

    >>> from attnhand.text.widths import parse_markup
    >>> convert_to_tex(parse_markup("**K = W_K**, 3^{−1}"))
    '\\textbf{\\textit{K}}\\textbf{ = }\\textbf{\\textit{W}}\\textbf{\\textsubscript{K}}, 3\\textsuperscript{$-$1}'
    """
    out = ""
    for run in text:
        inner = escape_tex(run.text)
        if run.is_italic:  # its blank before it is part of the run
            inner = f"{inner[: -len(inner.lstrip())]}\\textit{{{inner.lstrip()}}}"
        if run.style in (RunStyle.SUB, RunStyle.SUP):
            inner = f"\\text{'sub' if run.style is RunStyle.SUB else 'super'}script{{{inner}}}"
        out += f"\\textbf{{{inner}}}" if run.style is RunStyle.BOLD or run.is_bold else inner
    return out


def convert_to_tex_math(latex: str) -> str:
    r"""Write a formula of the Markdown sheet in ASCII.

    >>> convert_to_tex_math(r"\text{máscara}(S)")
    "\\text{m\\'{a}scara}(S)"
    """
    return "".join(sign if sign.isascii() else _escape_character(sign) for sign in normalize("NFC", latex))


class _TexWriter(MarkdownWriter):
    placeholder = r"\attnhandblank"
    writing_line = r"\underline{\hspace{4em}}"

    def write_text(self, text: Text) -> str:
        return convert_to_tex(text)

    def write_user_text(self, text: str) -> str:
        return escape_tex(text)

    def write_token(self, letter: Text) -> str:
        return convert_to_tex(letter)

    def write_title(self, text: str) -> str:
        return rf"{{\large\bfseries {text}\par}}"

    def write_heading(self, text: Text) -> str:
        return rf"\medskip{{{convert_to_tex(text)}\par}}\nopagebreak"

    def write_bold(self, text: str) -> str:
        return rf"\textbf{{{text}}}"

    def write_cell(self, cell: Cell, placeholder: str) -> str:
        if cell.number is None:
            return placeholder
        number = convert_to_tex_math(convert_number_to_latex(cell.number))
        return rf"{{\color{{attnhandkey}}{number}}}" if cell.kind is CellKind.ANSWER else number

    def write_math_block(self, prefix: str, environment: str, rows: list[str], *, columns: str = "") -> str:
        inner = " \\\\\n".join(rows)
        matrix = f"\\begin{{{environment}}}{columns}\n{inner}\n\\end{{{environment}}}"
        return f"\\[\\sbox0{{$\\displaystyle {convert_to_tex_math(prefix)}{matrix}$}}\\attnhandshow\\]"
