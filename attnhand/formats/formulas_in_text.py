"""Where the formulas in a sentence are: K = W_K X, √3 ≈ 1.73, q₁; words, and numbers alone, are none."""

import re
from collections.abc import Iterator
from itertools import groupby
from unicodedata import normalize

from attnhand.text.widths import Run, RunStyle, Text

_LOWERED, _RAISED = "₀-₉ᵢⱼ", "⁰¹²³⁴-⁹⁻⁽⁾ᵀˣ"
_PIECE = re.compile(
    rf"(?P<sub>[{_LOWERED}]+)|(?P<sup>[{_RAISED}]+)|(?P<n>\d+(?:[.,]\d+)*)|(?P<w>(?:(?![{_LOWERED}{_RAISED}])[^\W\d_])+)|.",
    re.DOTALL,
)
"""An index or exponent of Unicode, a number, a word or a sign."""

_KINDS = {
    **dict.fromkeys("Σθ∞", "v"),
    **dict.fromkeys("=×÷+≠→<>≤≥", "o"),
    **dict.fromkeys("(⌊", "("),
    **dict.fromkeys(")]⌋⌉", ")"),
    **dict.fromkeys(" \N{NO-BREAK SPACE}\N{EN SPACE}", "_"),
    **{sign: sign for sign in "[,;/"},
    "−": "-",
    "≈": "~",
    "·": ".",
    **dict.fromkeys(("√", "cos", "sin", "sen"), "r"),
    "…": "l",
    "′": "s",
}
"""A letter for each sign; v is a variable, n a number, w a word, s an index or exponent, and x anything else."""

_ANGLE = re.compile(r"\(|\s?[θ\d]")
"""What a sine is of; Spanish has the word too, for without: "R₁ sin X"."""

_BETWEEN_SIZES = re.compile(r"(?<=n)_\._|_\._(?=n)")
"""Of a list, d_k = 3 · 116 cells, where no product is meant."""


def _build_formula_pattern() -> re.Pattern[str]:
    """Return the grammar of formulas over kinds: brackets stand in one another twice, and words in whole equations."""
    group, formula, equation = r"(?!)", "", ""
    for _ in range(3):
        named = rf"(?:(?:v|{group}|w(?={group}|s))s*|ns+|r_?(?:[vn]|w(?=s)|{group})s*)"
        term = rf"-?(?:{named}|n)(?:(?:_(?![([]))?{named})*"
        formula = rf"(?:~_?)?{term}(?:_?[o~./-]_?(?:{term}|l)|l{term})*"
        worded = rf"(?:(?:w_)?{named}(?:_?{named})*(?:_w)?|w)"
        bracketed = rf"\({worded}(?:_?[o~./-]_?{worded})+\)"
        equation = rf"(?:(?<=^)|(?<=;_)){worded}(?:_?[o~.-]_?(?:{worded}|{bracketed}))+(?=_?;|$)"
        group = rf"[(\[]{formula}(?:,_?{formula})*\)"
    return re.compile(rf"{equation}|(?<![wn]){formula}(?![wn])")


_FORMULA = _build_formula_pattern()
_SIGN_OF_FORMULA = re.compile(r"^[-~]|[vsr]|w\[|[n)]_?[o~.-]")
"""What tells a formula from a number, a fraction and a word in brackets; LaTeX knows no minus sign elsewhere."""

_NUMBERS = re.compile(r"(?:~_?)?-?n(?:/n)?(?:[,;]_(?:~_?)?-?n(?:/n)?)+")
"""A list of numbers: where one of them is a formula all are, to look alike."""


def split_formulas(text: Text) -> Iterator[tuple[Text, bool]]:
    """Split a text, bold from plain, into formulas and what stands between them, each with whether it is one.

    >>> from attnhand.text.widths import parse_markup, to_unicode
    >>> [to_unicode(part) for part, is_formula in split_formulas(parse_markup("K = W_K X, row 2 of K^T")) if is_formula]
    ['K = W_K X', 'Kᵀ']
    """
    for _, runs in groupby(text, lambda run: run.style is RunStyle.BOLD or run.is_bold):
        pieces = [piece for run in runs for piece in _split_run(run)]
        kinds = _BETWEEN_SIZES.sub("_x_", "".join(kind for _, kind in pieces))
        lists = [found.span() for found in _NUMBERS.finditer(kinds) if re.search("[~-]", found[0])]
        at = 0
        for match in _FORMULA.finditer(kinds):
            if _SIGN_OF_FORMULA.search(match[0]) or any(start <= match.start() < end for start, end in lists):
                yield from _join_pieces(pieces[at : match.start()], is_formula=False)
                yield from _join_pieces(pieces[match.start() : match.end()], is_formula=True)
                at = match.end()
        yield from _join_pieces(pieces[at:], is_formula=False)


def _split_run(run: Run) -> Iterator[tuple[Run, str]]:
    """Yield the pieces of a run, each with its kind."""
    if run.style in (RunStyle.SUB, RunStyle.SUP):
        yield run, "s"
        return
    for piece in _PIECE.finditer(run.text):
        match piece.lastgroup:
            case "sub" | "sup" as style:
                yield run._replace(text=normalize("NFKC", piece[0]), style=RunStyle(style)), "s"
            case "w" if piece[0] not in _KINDS or (piece[0] == "sin" and not _ANGLE.match(run.text, piece.end())):
                yield run._replace(text=piece[0]), "v" if run.is_italic else "w"
            case kind:
                yield run._replace(text=piece[0]), "n" if kind == "n" else _KINDS.get(piece[0], "x")


def _join_pieces(pieces: list[tuple[Run, str]], *, is_formula: bool) -> Iterator[tuple[Text, bool]]:
    """Yield pieces that follow one another as one text, if there are any."""
    if pieces:
        runs = groupby((run for run, _ in pieces), lambda run: run[1:])
        yield tuple(Run("".join(run.text for run in same), *style) for style, same in runs), is_formula
