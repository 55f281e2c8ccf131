"""What a student has before them at a stage, as the sheet has it and as formulas read it."""

from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

from attnhand.attention.arithmetic import Arithmetic
from attnhand.attention.formulas.bound import BoundFormula, Shape
from attnhand.attention.formulas.compiling import Compiled, Lines
from attnhand.attention.formulas.kinds import ExactNumbers
from attnhand.attention.formulas.nodes import FormulaError
from attnhand.attention.matrix import Matrix, flatten, shape, transpose, unify_number_types
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.slips.binding import OWN, Binding, bind_stages


@dataclass(frozen=True)
class StageContext:
    """What a student has before them at one stage."""

    mechanism: Mechanism
    """In the convention of the sheet."""

    stage: Stage
    arithmetic: Arithmetic
    matrices: Mapping[str, Matrix]
    """Given matrices and the stages worked so far, by name; the student's own where there are any."""

    @cached_property
    def inputs(self) -> tuple[Matrix, ...]:
        """What the stage reads, in the order in which it stands on paper."""
        return unify_number_types([self.matrices[name] for name in self.stage.input_names])

    def compute_correct(self) -> Matrix:
        """Return what the stage should give."""
        return self.stage.work(self.arithmetic, self.matrices)

    # with tokens as columns: the convention in which slips are written

    @property
    def is_rows(self) -> bool:
        """Whether tokens are rows."""
        return self.mechanism.convention.is_rows

    @cached_property
    def binding(self) -> Binding:
        """What names mean at this stage."""
        return bind_stages(self.mechanism)[self.stage.name]

    @cached_property
    def numbers(self) -> ExactNumbers:
        """The kind of number that slips are worked in."""
        return ExactNumbers(self.arithmetic, self.binding.known, has_limit=False)

    @cached_property
    def right(self) -> Matrix | None:
        """What the stage should give; None where it divides by a student's own sum of 0."""
        try:
            right = self.compute_correct()
        except ArithmeticError:
            return None
        return transpose(right) if self.is_rows else right

    @property
    def has_inputs(self) -> bool:
        """Whether all is there that the stage itself reads."""
        return self.matrices.keys() >= {*self.stage.input_names}

    @cached_property
    def _before(self) -> Mapping[str, Matrix]:
        """All matrices; what the stage itself reads in one kind of number."""
        return {**self.matrices, **dict(zip(self.stage.input_names, self.inputs, strict=True))}

    @cached_property
    def _taken(self) -> dict[str, Lines]:
        return {}

    def _take(self, name: str) -> Lines | None:
        """Return a matrix of the sheet by its own name; None where it is missing or ragged."""
        if name in self._taken:
            return self._taken[name]
        a = self.right if name == OWN else self._before.get(name)
        if not a or len(set(map(len, a))) > 1:
            return None
        self._taken[name] = lines = transpose(a) if self.is_rows and name != OWN else a
        return lines

    def has_all(self, names: Iterable[str]) -> bool:
        """Say whether matrices are there, each with rows of one length."""
        return all(self._take(name) is not None for name in names)

    def get_lines(self, name: str) -> Lines:
        """Return a matrix by what slips call it."""
        lines = self._take(OWN if name == OWN else self.binding.names[name])
        assert lines is not None
        return lines

    def find_shape(self, name: str) -> Shape:
        """Return the shape of a matrix of the sheet by its own name, tokens as columns; ``own`` is the stage."""
        lines = self._take(name)
        assert lines is not None
        return shape(lines)

    def measure(self, formula: BoundFormula, *, has_same_shape: bool) -> dict[str, int]:
        """Return how far the letters of a formula run that fits these matrices."""
        return formula.measure(*self._find_shapes(formula, has_same_shape=has_same_shape))

    def compile(self, formula: BoundFormula, *, has_same_shape: bool) -> Compiled | None:
        """Return a formula as a function of matrices of these shapes; None where they do not fit one another."""
        shapes, own = self._find_shapes(formula, has_same_shape=has_same_shape)
        vectors = (each for name, each in zip(formula.reads, shapes, strict=True) if name in formula.vectors)
        if any(min(each) > 1 for each in vectors):
            return None
        with suppress(FormulaError):  # a letter would run to two sizes
            return formula.compile(shapes, own)
        return None

    def _find_shapes(self, formula: BoundFormula, *, has_same_shape: bool) -> tuple[tuple[Shape, ...], Shape | None]:
        """Return the shapes of what a formula reads, and of what comes out where it is that of the stage."""
        own = None
        if has_same_shape:
            stage = self.right or self._take(self.stage.input_names[0])  # what divides has the shape of the powers
            assert stage is not None
            own = shape(stage)
        return tuple(shape(self._taken[name]) for name in formula.reads), own

    def work(self, formula: BoundFormula, compiled: Compiled) -> Lines:
        """Work a formula from these numbers."""
        taken = self._taken
        lines = [flatten(taken[name]) if name in formula.vectors else taken[name] for name in compiled.reads]
        return self.numbers.work(compiled, lines)
