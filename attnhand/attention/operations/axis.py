"""Which way tokens run: down columns, or along rows."""

from enum import StrEnum

from attnhand.attention.matrix import Matrix, transpose


class TokenAxis(StrEnum):
    """Which way a sum runs, and with it where one query's numbers stand."""

    COLUMNS = "columns"
    ROWS = "rows"

    @property
    def mirrored(self) -> "TokenAxis":
        return TokenAxis.ROWS if self is TokenAxis.COLUMNS else TokenAxis.COLUMNS


def transpose_if_columns(a: Matrix, token_axis: TokenAxis) -> Matrix:
    """Return the columns of a matrix, or its rows; done twice it gives the matrix again."""
    return transpose(a) if token_axis is TokenAxis.COLUMNS else a


def make_ones(count: int) -> tuple[int, ...]:
    """Return so many ones."""
    return (1,) * count
