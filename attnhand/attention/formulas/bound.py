"""A formula whose names are those of matrices: compiled once for each shape that they have."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from attnhand.attention.formulas.compiling import Compiled, Lines, compile_formula
from attnhand.attention.formulas.nodes import HEAD, Formula, FormulaError, Letter, Read, walk
from attnhand.attention.formulas.sizes import fit_letters

Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False, kw_only=True)
class BoundFormula:
    """A formula and the matrices that it reads."""

    formula: Formula
    reads: tuple[str, ...]
    """Names of the matrices in the order of reading, of heads each one's: ``h1.Z``, ``h2.Z``."""

    families: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """The matrices of all heads by the name that stands in the formula."""

    lists: Mapping[str, tuple[int, ...]] = field(default_factory=dict)
    """Lists of places by name, from 1."""

    constants: Mapping[str, tuple[tuple[int, ...], ...]] = field(default_factory=dict)
    """Matrices of whole numbers that are known before anything is worked: a mask."""

    usual: Mapping[str, int] = field(default_factory=dict)
    """How far a letter runs of which no matrix says it."""

    vectors: frozenset[str] = field(init=False)
    """Names of the matrices that it reads by one index."""

    compiled: dict[tuple[Shape | None, tuple[Shape, ...]], Compiled] = field(init=False, default_factory=dict)
    measured: dict[tuple[Shape | None, tuple[Shape, ...]], dict[str, int]] = field(init=False, default_factory=dict)

    def __post_init__(self) -> None:
        reads = [node for node in walk(self.formula.right) if isinstance(node, Read)]
        object.__setattr__(self, "vectors", frozenset(read.matrix for read in reads if len(read.indices) == 1))

    def measure(self, shapes: tuple[Shape, ...], own: Shape | None = None) -> dict[str, int]:
        """Return how far each letter runs.

        Args:
            shapes: of what is read, tokens as columns.
            own: of what comes out, where that is known.

        Raises:
            FormulaError: a letter would run to two sizes.
        """
        if (own, shapes) not in self.measured:
            self.measured[own, shapes] = self._measure(shapes, own)
        return self.measured[own, shapes]

    def _measure(self, shapes: tuple[Shape, ...], own: Shape | None) -> dict[str, int]:
        usual = dict(self.usual)
        lengths: dict[str, Shape] = dict(zip(self.reads, shapes, strict=True))
        for name in self.vectors & lengths.keys():
            lengths[name] = (max(lengths[name]),)
        for name, heads in self.families.items():
            usual[HEAD] = len(heads)
            if len({lengths[head] for head in heads}) > 1:
                raise FormulaError(f"{self.formula.name}: heads have matrices {name} of several shapes")
            lengths[name] = (len(heads), *lengths[heads[0]])
        indices = self.formula.indices
        known = {} if own is None else dict(zip(indices, own[-len(indices) :], strict=True))
        letters = fit_letters(
            self.formula,
            lengths,
            {index.name: length for index, length in known.items() if isinstance(index, Letter)},
            usual,
        )
        return {name: int(length) for name, length in letters.items()}

    def compile(self, shapes: tuple[Shape, ...], own: Shape | None = None) -> Compiled:
        """Compile it once for these shapes.

        Raises:
            FormulaError: a letter would run to two sizes, or an index lies outside its matrix.
        """
        if (own, shapes) not in self.compiled:
            letters = self.measure(shapes, own)
            self.compiled[own, shapes] = compile_formula(self.formula, letters, frozenset(self.families), self.lists)
        return self.compiled[own, shapes]

    def work(self, numbers: Any, values: Mapping[str, Lines]) -> Lines:
        """Work it from matrices by name, tokens as columns, vectors as they are."""
        compiled = self.compile(tuple([measure_lines(values[name]) for name in self.reads]))
        worked: Lines = numbers.work(compiled, [values[name] for name in compiled.reads])
        return worked


def measure_lines(lines: Lines) -> Shape:
    """Return the shape of a matrix, or the length of a vector."""
    return (len(lines), len(lines[0])) if isinstance(lines[0], tuple) else (len(lines),)
