"""Whether tokens stand in columns or in rows: the one bit in which two sheets may differ and be the same."""

from enum import StrEnum

from attnhand.attention.matrix import Matrix, transpose


class Convention(StrEnum):
    """How tokens stand in X, and with it where one query's numbers stand; the one is the other transposed."""

    COLUMNS = "columns"
    """A token is a column: Q = W_Q X, and the columns of A add to 1."""

    ROWS = "rows"
    """A token is a row: Q = X W_Q, and the rows of A add to 1."""

    @property
    def is_rows(self) -> bool:
        """Say whether a token is a row."""
        return self is Convention.ROWS

    @property
    def mirrored(self) -> "Convention":
        """The other convention."""
        return Convention.COLUMNS if self.is_rows else Convention.ROWS


def transpose_if_columns(a: Matrix, convention: Convention) -> Matrix:
    """Return the vectors of the tokens as rows: the columns of a matrix, or its rows; done twice it is undone.

    >>> transpose_if_columns(((1, 2, 3), (4, 5, 6)), Convention.COLUMNS)
    ((1, 4), (2, 5), (3, 6))
    """
    return a if convention.is_rows else transpose(a)
