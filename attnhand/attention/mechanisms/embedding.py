"""Words instead of X: each is looked up in a table, and its position may be added.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.4 and 3.5.
"""

from collections.abc import Sequence
from dataclasses import replace

from attnhand.attention.mechanisms.base import Content, Dimension, GivenMatrix, Mechanism, Stage, StageChains
from attnhand.attention.operations import Add, LookUp, Positions

EMBEDDING_NAME = "embedding"
"""Name of the table, one column (in the rows convention one row) a word of the vocabulary."""

_FEATURES, _WORDS = Dimension("features"), Dimension("vocabulary", "w")
_E, _P, _X = (Dimension("tokens", letter) for letter in "epx")


def list_vocabulary(words: Sequence[str]) -> tuple[str, ...]:
    """Return every word once, in the order in which they are first said.

    >>> list_vocabulary("the cat saw the dog".split())
    ('the', 'cat', 'saw', 'dog')
    """
    return tuple(dict.fromkeys(words))


def add_embedding(
    mechanism: Mechanism,
    words: Sequence[str],
    *,
    has_positions: bool = False,
    feature_count: int = 0,
    has_given_positions: bool = False,
) -> Mechanism:
    """Return the mechanism (written for columns) with X looked up from words.

    Args:
        has_positions: whether a position is added to every word.
        feature_count: how many there are; only sinusoidal positions need to know.
        has_given_positions: whether the positions are a given matrix P instead of sines and cosines.
    """
    known = list_vocabulary(words)
    look_up = LookUp(word_indices=tuple(known.index(word) for word in words))
    name, columns = ("E", _E) if has_positions else ("X", _X)
    before = [Stage(name, "embedded", look_up, (EMBEDDING_NAME,), _FEATURES, columns)]
    table = [GivenMatrix(EMBEDDING_NAME, Content.TOKENS, _FEATURES, _WORDS)]
    if has_positions and has_given_positions:
        table.append(GivenMatrix("P", Content.TOKENS, _FEATURES, _P))
    elif has_positions:
        sines = Positions(feature_count=feature_count, token_count=len(words))
        before.append(Stage("P", "positions", sines, (), _FEATURES, _P))
    if has_positions:
        before.append(Stage("X", "added", Add(), ("E", "P"), _FEATURES, _X))
    return replace(
        mechanism,
        given=(*table, *(given for given in mechanism.given if given.name != "X")),
        stages=(*before, *mechanism.stages),
        stage_chains=_prepend_x_to_chains(mechanism, has_positions=has_positions),
    )


def _prepend_x_to_chains(mechanism: Mechanism, *, has_positions: bool) -> StageChains:
    """Put X first in the first chain, and before each chain the stages of its head that read X and are in no chain.

    With positions, E and X are a chain of their own: E and P stand on the page where they are added.
    V reads X and is in no chain: X would be drawn for it once more, and here X is worked, so copied by hand.
    """
    readers = [stage for stage in mechanism.stages if "X" in stage.input_names]
    known = {name for chain in mechanism.stage_chains for name in chain}
    chains: list[tuple[str, ...]] = []
    for chain in mechanism.stage_chains:
        heads = {stage.head for stage in readers if stage.name in chain}
        added = [stage.name for stage in readers if stage.name not in known and stage.head in heads]
        known |= set(added)
        chains.append((*added, *chain))
    return (("E", "X"), *chains) if has_positions else (("X", *chains[0]), *chains[1:])
