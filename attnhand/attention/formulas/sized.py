"""A mechanism at the sizes of one problem: how far every letter runs there, and how long every matrix is."""

import math
import re
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from functools import lru_cache

from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.mechanism import Mechanism, Stage
from attnhand.attention.formulas.nodes import HEAD, FormulaError


@dataclass(frozen=True, slots=True, eq=False)
class SizedMechanism:
    """A mechanism and numbers for its sizes. They come from the problem: what a student hands in may be ragged."""

    mechanism: Mechanism
    sizes: Mapping[str, int]
    """By name."""

    all_sizes: Mapping[str, int] = field(init=False)
    """Those of heads and of joined lines too."""

    lengths: Mapping[str, tuple[int, ...]] = field(init=False)
    """Of every matrix, one for each index; of heads by family, and of each head's own."""

    lists: Mapping[str, tuple[int, ...]] = field(init=False)
    """Lists of places by name."""

    def __post_init__(self) -> None:
        mechanism = self.mechanism
        measured = {**self.sizes, "heads": mechanism.head_count}
        for name in (name for names in mechanism.axes.values() for name in names):
            measured[name] = _measure_name(name, measured)
        for name in mechanism.letters.values():  # of letters that no matrix has nobody need know how far they run
            with suppress(FormulaError):
                measured[name] = _measure_name(name, measured)
        lengths = {name: tuple(measured[axis] for axis in names) for name, names in mechanism.axes.items()}
        heads = range(1, mechanism.head_count + 1)
        lengths |= {f"h{head}.{name}": lengths[name][1:] for name in mechanism.families for head in heads}
        object.__setattr__(self, "all_sizes", measured)
        object.__setattr__(self, "lengths", lengths)
        object.__setattr__(self, "lists", {name: each.places for name, each in mechanism.lists.items()})

    def measure_letters(self, stage: Stage) -> dict[str, int]:
        """Return how far each letter of a stage runs."""
        letters = {letter: self.all_sizes[str(name)] for letter, name in stage.letters.items()}
        return {**letters, HEAD: self.mechanism.head_count}

    def fits(self, name: str, lines: Lines) -> bool:
        """Say whether a matrix has the shape that the problem's sizes say."""
        return _measure_lines(lines) == self.lengths[name]

    def check_matrix(self, name: str, lines: Lines) -> None:
        """Refuse a matrix of another shape.

        Raises:
            FormulaError: it has another shape than the problem's sizes say.
        """
        if not self.fits(name, lines):
            found = _measure_lines(lines)
            shape = "ragged" if len(found) > 2 else " × ".join(map(str, found))
            raise FormulaError(f"{name} is {shape}, and must be {' × '.join(map(str, self.lengths[name]))}")


def _measure_lines(lines: Lines) -> tuple[int, ...]:
    """Return the shape of a matrix, of one with rows of several lengths all of them."""
    return len(lines), *sorted({len(row) for row in lines if isinstance(row, tuple)})


def _measure_name(name: str, sizes: Mapping[str, int]) -> int:
    """Return a size that is put together from others.

    >>> _measure_name("heads·d_v", {"heads": 2, "d_v": 3}), _measure_name("kept+1", {"kept": 3})
    (6, 4)
    """
    if unknown := [part for part in re.split("[·+]", name) if not part.isdigit() and part not in sizes]:
        raise FormulaError(f"the size {unknown[0]} is not given")
    factors = [[int(part) if part.isdigit() else sizes[part] for part in each.split("+")] for each in name.split("·")]
    return math.prod(map(sum, factors))


@lru_cache(maxsize=500)
def _size_mechanism(mechanism: Mechanism, sizes: tuple[tuple[str, int], ...]) -> SizedMechanism:
    return SizedMechanism(mechanism, dict(sizes))


def size_mechanism(mechanism: Mechanism, sizes: Mapping[str, int]) -> SizedMechanism:
    """Return a mechanism at these sizes: always the same one, for what is compiled belongs to it."""
    return _size_mechanism(mechanism, tuple(sizes.items()))
