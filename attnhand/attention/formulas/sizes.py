"""How far letters run: a letter is a type, and every matrix where it stands is as long there.

A size is a name (``features``), as a mechanism has them, or a number, as a sheet does.

>>> from attnhand.attention.formulas.reading import read_formula
>>> S = read_formula("scores   S[k,q] = Σ_r K[r,k]·Q[r,q]")
>>> fit_letters(S, {"K": (3, 4), "Q": (3, 5)})
{'r': 3, 'k': 4, 'q': 5}
>>> fit_letters(S, {"K": (4, 3), "Q": (3, 5)})
Traceback (most recent call last):
attnhand.attention.formulas.nodes.FormulaError: S: r runs to 4, and to 3 in Q[r,q]
"""

import math
from collections.abc import Mapping
from itertools import product

from attnhand.attention.formulas.nodes import Formula, FormulaError, Joined, Letter, Node, Over, Read, Size, walk

Length = int | str
"""A number, or the name of one."""

Axes = Mapping[str, tuple[Length, ...]]
"""The lengths of each matrix, one for each of its indices."""

Letters = Mapping[str, Length]
"""How far each letter runs."""


def fit_letters(
    formula: Formula, axes: Axes, known: Letters | None = None, usual: Letters | None = None
) -> dict[str, Length]:
    """Return how far every letter of a formula runs.

    Args:
        axes: of the matrices that are known; another may be read too, and then fits.
        known: how far letters run, whatever they stand in.
        usual: how far a letter runs of which nothing else says it.

    Raises:
        FormulaError: a letter would run to two sizes or none, or a matrix has another number of indices.
    """
    known, usual = known or {}, usual or {}
    letters = {*formula.letters, *list_bound_letters(formula.right)}
    sizes = {letter: known[letter] for letter in sorted(letters & known.keys())}

    def run(letter: str, length: Length, where: str) -> None:
        if sizes.setdefault(letter, length) != length:
            raise FormulaError(f"{formula.name}: {letter} runs to {sizes[letter]}, and to {length} in {where}")

    reads = [node for node in walk(formula.right) if isinstance(node, Read)]
    for read in (read for read in reads if read.matrix in axes):
        lengths = axes[read.matrix]
        if len(read.indices) != len(lengths):
            has = f"{len(lengths)} {'index' if len(lengths) == 1 else 'indices'}"
            raise FormulaError(
                f"{formula.name}: {read.matrix} has {has}, not {len(read.indices)} as in {write_read(read)}"
            )
        for index, length in zip(read.indices, lengths, strict=True):
            if isinstance(index, Letter):
                run(index.name, length, write_read(read))
    for read, other in product((read for read in reads if read.matrix not in axes), reads):
        if other.matrix == read.matrix:  # S[k,q] says how far j runs in S[j,q]
            for index, along in zip(read.indices, other.indices, strict=False):
                if isinstance(index, Letter) and isinstance(along, Letter) and index.name in sizes:
                    run(along.name, sizes[index.name], write_read(other))
    sizes = {**usual, **sizes}
    for read in (read for read in reads if read.matrix in axes):
        for index, length in zip(read.indices, axes[read.matrix], strict=True):
            if not isinstance(index, Joined):
                continue
            if isinstance(length, int):
                sizes |= _divide_length(index, length, sizes)
            if all(letter in sizes for letter in index.letters):
                joined = join_lengths([sizes[letter] for letter in index.letters])
                if joined != length:
                    raise FormulaError(
                        f"{formula.name}: {_write(index)} runs to {joined}, and to {length} in {write_read(read)}"
                    )
    if unsized := sorted(letters - sizes.keys()):
        raise FormulaError(f"{formula.name}: how far {unsized[0]} runs is not said: no matrix is read along it")
    measured = {node.letter for node in walk(formula.right) if isinstance(node, Size)}
    if unsized := sorted(measured - sizes.keys()):
        raise FormulaError(f"{formula.name}: how far {unsized[0]} runs in |{unsized[0]}| is not said")
    return {letter: length for letter, length in sizes.items() if letter in letters | measured}


def _divide_length(index: Joined, length: int, sizes: Letters) -> dict[str, int]:
    """Return how far the one letter of an index runs that is not known yet, from how far all run together."""
    unknown = [letter for letter in index.letters if letter not in sizes]
    others = math.prod(size for letter in index.letters if isinstance(size := sizes.get(letter), int))
    return {unknown[0]: length // others} if len(unknown) == 1 and others and length % others == 0 else {}


def list_bound_letters(node: Node) -> tuple[str, ...]:
    """Return the letters that a node binds itself, as Σ does."""
    indices = (each.index for each in walk(node) if isinstance(each, Over))
    return tuple(name for index in indices for name in ((index.name,) if isinstance(index, Letter) else index.letters))


def join_lengths(lengths: list[Length]) -> Length:
    """Return how far letters run that run as one.

    >>> join_lengths([2, 3]), join_lengths(["heads", "d_v"])
    (6, 'heads·d_v')
    """
    numbers = [length for length in lengths if isinstance(length, int)]
    return math.prod(numbers) if len(numbers) == len(lengths) else "·".join(map(str, lengths))


def write_read(read: Read) -> str:
    """Write a read cell as it stands in the text; an index that is worked out as …"""
    return f"{read.matrix}[{','.join(map(_write, read.indices))}]"


def _write(index: Node) -> str:
    match index:
        case Letter(name):
            return name
        case Joined(letters):
            return f"({','.join(letters)})"
        case _:
            return "…"
