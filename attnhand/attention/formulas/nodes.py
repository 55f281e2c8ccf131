"""A formula as a tree: what stands on the left, and nodes for what stands on the right.

Index letters run from 1, as on paper.
"""

from collections.abc import Callable, Container, Iterator
from dataclasses import dataclass
from decimal import Decimal

from attnhand.errors import AttnhandError


class FormulaError(AttnhandError):
    """A formula says what cannot be meant; the message names the formula and the place."""


@dataclass(frozen=True, slots=True)
class Number:
    """A whole number, or −∞."""

    value: int | Decimal


@dataclass(frozen=True, slots=True)
class Known:
    """A number with a name, known before anything is worked: ``base``, ``divisor``, ``window``."""

    name: str


@dataclass(frozen=True, slots=True)
class Letter:
    """An index letter; outside square brackets the number it stands at."""

    name: str


@dataclass(frozen=True, slots=True)
class Size:
    """How far a letter runs: ``|f|``."""

    letter: str


@dataclass(frozen=True, slots=True)
class Joined:
    """Two letters that run as one, the last the fastest: ``(h,v)`` is v of head 1, then v of head 2, …"""

    letters: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A cell of a matrix: ``K[r,k]``. In an index it is a list of places, known beforehand: ``word[q]``."""

    matrix: str
    indices: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Negative:
    """``−x``."""

    body: "Node"


@dataclass(frozen=True, slots=True)
class Binary:
    """Two nodes and the sign between them: ``+ − · / ^``, a comparison, ``and`` or ``or``."""

    sign: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True, slots=True)
class Over:
    """All values of an index put together: the sum ``Σ_k powers[k,q]``, the largest ``max_k powers[k,q]``."""

    sign: str
    index: "Letter | Joined"
    body: "Node"


@dataclass(frozen=True, slots=True)
class Call:
    """A named function: ``scale(S[k,q])``."""

    function: str
    arguments: tuple["Node", ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """``then if condition else otherwise``."""

    condition: "Node"
    then: "Node"
    otherwise: "Node"


HEAD = "h"
"""The letter of heads. A matrix whose first index it is, each head has its own of: ``h1.Q``, ``h2.Q``."""

GROUP = "g"
"""The letter of groups of heads that share keys and values: ``g1.K``, ``g2.K``; ``group[h]`` is that of a head."""

Node = Number | Known | Letter | Size | Joined | Read | Negative | Binary | Over | Call | Choice

COMPARISONS = ("=", "≠", "<", ">", "≤", "≥")


@dataclass(frozen=True, slots=True)
class Formula:
    """One stage: ``S[k,q] = Σ_r K[r,k]·Q[r,q]``."""

    topic: str
    """Which sentences speak of it."""

    name: str
    indices: tuple[Letter | Joined, ...]
    """What stands in brackets on the left."""

    right: Node

    @property
    def letters(self) -> tuple[str, ...]:
        """The letters that the left side binds."""
        return tuple(letter for index in self.indices for letter in list_letters(index))


def list_letters(index: Letter | Joined) -> tuple[str, ...]:
    """Return the letters of an index.

    >>> list_letters(Joined(("h", "v")))
    ('h', 'v')
    """
    return (index.name,) if isinstance(index, Letter) else index.letters


def list_children(node: Node) -> tuple[Node, ...]:
    """Return the nodes that stand directly in a node, from left to right."""
    match node:
        case Read(indices=children) | Call(arguments=children):
            return children
        case Negative(body=body) | Over(body=body):
            return (body,)
        case Binary(left=left, right=right):
            return left, right
        case Choice(condition, then, otherwise):
            return then, condition, otherwise
        case _:
            return ()


def walk(node: Node) -> Iterator[Node]:
    """Yield a node and all that stand in it, from left to right."""
    yield node
    for child in list_children(node):
        yield from walk(child)


def rewrite(node: Node, change: Callable[[Node], Node | None]) -> Node:
    """Return a node with others in it, from the outside in; ``change`` says None of what stays."""
    if (changed := change(node)) is not None:
        return changed
    match node:
        case Read(matrix, indices):
            return Read(matrix, tuple(rewrite(index, change) for index in indices))
        case Call(function, arguments):
            return Call(function, tuple(rewrite(argument, change) for argument in arguments))
        case Negative(body):
            return Negative(rewrite(body, change))
        case Over(sign, index, body):
            return Over(sign, index, rewrite(body, change))
        case Binary(sign, left, right):
            return Binary(sign, rewrite(left, change), rewrite(right, change))
        case Choice(condition, then, otherwise):
            return Choice(rewrite(condition, change), rewrite(then, change), rewrite(otherwise, change))
        case _:
            return node


def rename_letters(node: Node, names: dict[str, str]) -> Node:
    """Return a node with other letters, those that it binds itself too.

    >>> rename_letters(Binary(">", Letter("k"), Size("q")), {"k": "q", "q": "k"})
    Binary(sign='>', left=Letter(name='q'), right=Size(letter='k'))
    """

    def change(each: Node) -> Node | None:
        match each:
            case Letter(name):
                return Letter(names.get(name, name))
            case Size(letter):
                return Size(names.get(letter, letter))
            case Joined(letters):
                return Joined(tuple(names.get(letter, letter) for letter in letters))
            case Over(sign, index, body):
                renamed = rename_letters(index, names)
                assert isinstance(renamed, Letter | Joined)
                return Over(sign, renamed, rename_letters(body, names))
            case _:
                return None

    return rewrite(node, change)


def list_reads(node: Node, lists: Container[str] = ()) -> tuple[Read, ...]:
    """Return the cells that a node reads, of each matrix the first, in the order of reading.

    Args:
        lists: names of lists of places, which are no matrices.
    """
    found: dict[str, Read] = {}
    for each in walk(node):
        if isinstance(each, Read) and each.matrix not in lists:
            found.setdefault(each.matrix, each)
    return tuple(found.values())
