"""What a stage reads, by the part it plays on paper: what travels on, and what stands beside."""

from attnhand.mechanisms import Stage
from attnhand.operations import Add, LookUp, Product


def travelling_reads(stage: Stage) -> tuple[str, ...]:
    """Return what a stage reads on the side that carries the query (0-based): X for Q, Q for S, A for Z."""
    if isinstance(stage.operation, Product):
        return (stage.reads[0 if stage.operation.tokens_as_rows else -1],)
    return stage.reads


def side_read(stage: Stage) -> str | None:
    """Return what stands beside a stage: of a product the other factor (W_Q for Q, K for S, V for Z).

    A table stands beside what is looked up in it, and a position beside the X that it is added to.
    """
    match stage.operation:
        case Product(tokens_as_rows=rows):
            return stage.reads[-1 if rows else 0]
        case LookUp():
            return stage.reads[0]
        case Add():
            return stage.reads[1]
        case _:
            return None


def bare(name: str) -> str:
    """Return the name of a matrix without its head: on paper a head has pages of its own.

    >>> bare("h1.W_Q"), bare("W_O")
    ('W_Q', 'W_O')
    """
    return name.rpartition(".")[2]
