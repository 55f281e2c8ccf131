"""Words instead of X: each is looked up in a table, and its position may be added.

Source: Vaswani et al., "Attention Is All You Need", 2017, sections 3.4 and 3.5.
"""

from collections.abc import Sequence
from dataclasses import replace

from attnhand.attention.mechanisms.base import Axis, Content, Given, Mechanism, Runs, Stage
from attnhand.attention.operations import Add, LookUp, Positions

TABLE = "embedding"
"""Name of the table, one column (in the rows convention one row) a word of the vocabulary."""

_FEATURES, _WORDS = Axis("features"), Axis("vocabulary", "w")
_E, _P, _X = (Axis("tokens", letter) for letter in "epx")


def vocabulary(words: Sequence[str]) -> tuple[str, ...]:
    """Return every word once, in the order in which they are first said.

    >>> vocabulary("the cat saw the dog".split())
    ('the', 'cat', 'saw', 'dog')
    """
    return tuple(dict.fromkeys(words))


def with_embedding(
    mechanism: Mechanism, words: Sequence[str], *, positions: bool = False, features: int = 0, given: bool = False
) -> Mechanism:
    """Return the mechanism (written for columns) with X looked up from words.

    Args:
        positions: whether a position is added to every word.
        features: how many there are; only sinusoidal positions need to know.
        given: whether the positions are a given matrix P instead of sines and cosines.
    """
    known = vocabulary(words)
    look_up = LookUp(places=tuple(known.index(word) for word in words))
    before = [Stage("E", "embedded", look_up, (TABLE,), _FEATURES, _E)]
    table = [Given(TABLE, Content.TOKENS, _FEATURES, _WORDS)]
    if not positions:
        before = [Stage("X", "embedded", look_up, (TABLE,), _FEATURES, _X)]
    elif given:
        table.append(Given("P", Content.TOKENS, _FEATURES, _P))
    else:
        sines = Positions(features=features, tokens=len(words))
        before.append(Stage("P", "positions", sines, (), _FEATURES, _P))
    if positions:
        before.append(Stage("X", "added", Add(), ("E", "P"), _FEATURES, _X))
    return replace(
        mechanism,
        given=(*table, *(made for made in mechanism.given if made.name != "X")),
        stages=(*before, *mechanism.stages),
        runs=((("E",),) if positions else ()) + _runs_with_x(mechanism),
    )


def _runs_with_x(mechanism: Mechanism) -> Runs:
    """Put X at the head of the first run, and what is made of X into runs that begin with it.

    What reads X in no run of its own, such as V, would need it drawn once more, and here that is copied by hand.
    """
    readers = [stage for stage in mechanism.stages if "X" in stage.reads]
    known = {name for run in mechanism.runs for name in run}
    runs: list[tuple[str, ...]] = []
    for run in mechanism.runs:
        heads = {stage.head for stage in readers if stage.name in run}
        added = [stage.name for stage in readers if stage.name not in known and stage.head in heads]
        known |= set(added)
        runs.append((*added, *run))
    return (("X", *runs[0]), *runs[1:])
