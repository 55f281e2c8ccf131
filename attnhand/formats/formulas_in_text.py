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


_GROUP = r"GH+\)"
"""A formula in brackets, or more of them parted by commas, once it is hidden: what stands in it matters no longer."""

_NAMED = rf"(?:(?:v|{_GROUP}|w(?=[Gs]))s*|ns+|r_?(?:[vn]|w(?=s)|{_GROUP})s*)"
_TERM = rf"-?(?:{_NAMED}|n)(?:(?:_(?![([G]))?{_NAMED})*"
_UNBOUND = rf"(?:~_?)?{_TERM}(?:_?[o~./-]_?(?:{_TERM}|l)|l{_TERM})*"
_WORDED = rf"(?:(?:w_)?{_NAMED}(?:_?{_NAMED})*(?:_w)?|w)"
_BRACKETED = rf"\({_WORDED}(?:_?[o~./-]_?{_WORDED})+\)"
_EQUATION = rf"(?:(?<=^)|(?<=;_)){_WORDED}(?:_?[o~.-]_?(?:{_WORDED}|{_BRACKETED}))+(?=_?;|$)"

_FORMULA = re.compile(rf"{_EQUATION}|(?<![wn]){_UNBOUND}(?![wn])")
"""The grammar of formulas over kinds; words are in whole equations alone."""

_OPEN_GROUP = re.compile(rf"[(\[]({_UNBOUND}(?:,_?{_UNBOUND})*)\)")
"""A group before it is hidden, with none in it but hidden ones."""

_SIGN_OF_FORMULA = re.compile(r"(?:^|[(\[])[-~]|[vsr]|w\[|[n)]_?[o~.-]")
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
        for begin, stop in _find_formulas(kinds):
            is_in_list = any(start < stop and begin < end for start, end in lists)
            if is_in_list or _SIGN_OF_FORMULA.search(kinds[begin:stop]):
                yield from _join_pieces(pieces[at:begin], is_formula=False)
                yield from _join_pieces(pieces[begin:stop], is_formula=True)
                at = stop
        yield from _join_pieces(pieces[at:], is_formula=False)


def _find_formulas(kinds: str) -> Iterator[tuple[int, int]]:
    """Yield where formulas begin and end, with brackets in them that stand in one another twice at most.

    One pattern of all that would be a million characters long: groups are hidden from the innermost, and looked into
    where no formula around them was found, as in "(q)2".
    """
    hidden = kinds
    for _ in range(2):
        hidden = _OPEN_GROUP.sub(lambda group: f"G{'H' * len(group[1])})", hidden)
    found, at = [match.span() for match in _FORMULA.finditer(hidden)], 0
    for begin, stop in (*found, (len(kinds), None)):
        for group in re.finditer(_GROUP, hidden[at:begin]):
            opens, closes = at + group.start(), at + group.end() - 1
            for span in _find_formulas(f"x{kinds[opens + 1 : closes]}x"):
                yield opens + span[0], opens + span[1]
        if stop is not None:
            yield begin, stop
            at = stop


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
