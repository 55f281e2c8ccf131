"""Which way tokens run: down columns, or along rows."""

from enum import StrEnum

from attnhand.attention.matrix import Matrix, transposed


class Along(StrEnum):
    """Which way a sum runs, and with it where one query's numbers stand."""

    COLUMNS = "columns"
    ROWS = "rows"

    @property
    def mirrored(self) -> "Along":
        return Along.ROWS if self is Along.COLUMNS else Along.COLUMNS


def lines(a: Matrix, along: Along) -> Matrix:
    """Return the columns of a matrix, or its rows; done twice it gives the matrix again."""
    return transposed(a) if along is Along.COLUMNS else a


def ones(count: int) -> tuple[int, ...]:
    """Return so many ones."""
    return (1,) * count
