"""What a formula does not say of itself: by the topic of a stage, what it costs and which sentences speak of it."""

from collections.abc import Mapping
from dataclasses import dataclass, replace


@dataclass(frozen=True, slots=True, kw_only=True)
class Topic:
    """What is said of all stages that have one topic."""

    hint_key: str
    """Which hints it has: sentences that lead to a cell without its number; and which sentence explains a cell."""

    seconds_per_cell: int = 0
    """What a student needs for a cell, beside the products that are multiplied for it."""

    has_working_space: bool = False
    """Whether writing lines stand beside the grid: where one calculates, not where one copies."""

    is_only_copied: bool = False
    """Whether a student copies or adds given numbers: no answer is given away by showing them."""

    is_given_to_students: bool = False
    """Whether the sheet always prints what comes out."""

    has_other_rules: bool = False
    """Whether students take other rules for it that keep or turn the order of numbers: ÷ 4 instead of ÷ 2."""

    has_heading_each_time: bool = False
    """Whether each of several stages of it has a heading: of others the first alone."""

    has_formula: bool = True
    """Whether the name of what comes out leaves a formula to be shown beside it: Σ says all."""

    serves: str = ""
    """The topic of an earlier stage whose purpose it serves too, where it has none of its own: r₁ that of squares₁."""

    tells_much: bool = False
    """Whether a quick key shows it, though it is no part of a softmax over all keys."""

    reminder_key: str = ""
    """Which reminder stands on its page; empty for none."""

    has_products: bool = False
    """Whether numbers are multiplied in it, though it is no product of matrices."""

    side_input: int | None = None
    """Which of the matrices that it reads stands beside it (0-based); of a product that is its other factor."""

    formula_key: str = ""
    """Which sentence is the right-hand side, where it takes one; empty for that of the topic.

    It may depend on the rule: ``scores.{rule}``.
    """


PRODUCT = Topic(hint_key="product")
"""Every product is counted, and needs no time beside."""

SUMMED = Topic(hint_key="worked", seconds_per_cell=20, has_working_space=True, has_formula=False, formula_key="sum")
"""Sums of what is kept of powers, or of new ones: their name says all."""

WORKED = Topic(hint_key="worked", seconds_per_cell=15, has_working_space=True)
"""What its formula says is all there is to say: that is written out."""

TOPICS: Mapping[str, Topic] = {
    "scores": Topic(hint_key="product", has_working_space=True),  # longer sums, of numbers that were worked out before
    "logits": Topic(hint_key="product", has_working_space=True),
    "scaled": Topic(hint_key="scale", seconds_per_cell=8, has_other_rules=True, formula_key="scores.{rule}"),
    "turned": Topic(hint_key="turned", seconds_per_cell=5),
    "tempered": Topic(hint_key="temper", seconds_per_cell=5, formula_key="tempered.{rule}"),
    "biased": Topic(hint_key="worked", seconds_per_cell=5),
    "masked": Topic(hint_key="mask", seconds_per_cell=3, formula_key="masked.{rule}"),
    "shifted": Topic(hint_key="shift", seconds_per_cell=5, formula_key="shift"),
    "powers": Topic(hint_key="power", seconds_per_cell=8, reminder_key="powers", formula_key="power"),
    "sums": Topic(hint_key="sum", seconds_per_cell=20, has_working_space=True, has_formula=False, formula_key="sum"),
    "weights": Topic(hint_key="weight", seconds_per_cell=15, has_working_space=True, formula_key="weight"),
    "appended": Topic(hint_key="appended", seconds_per_cell=3),
    "largest": Topic(hint_key="worked", seconds_per_cell=3),
    "largest_so_far": Topic(hint_key="worked", serves="largest", seconds_per_cell=5),
    "rescaling": Topic(hint_key="worked", seconds_per_cell=15),
    "block_powers": Topic(hint_key="worked", serves="largest", seconds_per_cell=15, reminder_key="powers"),
    "block_sums": Topic(
        hint_key="worked", serves="largest", seconds_per_cell=20, has_working_space=True, tells_much=True
    ),
    "block_outputs": Topic(hint_key="product", serves="largest", has_working_space=True),
    "running_sums": Topic(
        hint_key="worked",
        serves="largest",
        seconds_per_cell=30,
        has_working_space=True,
        has_products=True,
        tells_much=True,
    ),
    "divided": Topic(hint_key="worked", seconds_per_cell=15, has_working_space=True),
    "running_outputs": Topic(
        hint_key="worked",
        serves="largest",
        seconds_per_cell=40,
        has_working_space=True,
        has_products=True,
        side_input=2,
    ),
    "kept": Topic(hint_key="kept", seconds_per_cell=5, formula_key="kept"),
    "kept_sums": replace(SUMMED, serves="kept"),
    "kept_weights": replace(WORKED, serves="kept"),
    "loss": Topic(hint_key="worked", seconds_per_cell=90, has_working_space=True),
    "gradient": Topic(hint_key="worked", seconds_per_cell=15, has_working_space=True, has_formula=False),
    "squared_length": Topic(hint_key="worked", seconds_per_cell=20, has_working_space=True),
    "new_rows": Topic(
        hint_key="worked",
        serves="squared_length",
        seconds_per_cell=45,
        has_working_space=True,
        side_input=0,
        has_formula=False,
        formula_key="new_rows",
    ),
    "new_logits": Topic(
        hint_key="worked",
        serves="squared_length",
        seconds_per_cell=50,
        has_working_space=True,
        formula_key="new_logits.{rule}",
    ),
    "new_powers": Topic(
        hint_key="worked", serves="squared_length", seconds_per_cell=8, reminder_key="powers", formula_key="power"
    ),
    "new_sums": replace(SUMMED, serves="squared_length"),
    "new_shares": Topic(
        hint_key="worked", serves="squared_length", seconds_per_cell=15, has_working_space=True, formula_key="weight"
    ),
    "new_loss": Topic(
        hint_key="worked", serves="squared_length", seconds_per_cell=90, has_working_space=True, formula_key="loss"
    ),
    "concat": Topic(hint_key="joined", seconds_per_cell=3),
    "relu": Topic(hint_key="relu", seconds_per_cell=3),
    "residual": Topic(
        hint_key="worked",
        has_heading_each_time=True,
        seconds_per_cell=15,
        has_working_space=True,
        side_input=0,
        formula_key="residual.{rule}",
    ),
    "squares": Topic(
        hint_key="worked",
        has_heading_each_time=True,
        seconds_per_cell=20,
        has_working_space=True,
        has_products=True,
    ),
    "root": Topic(hint_key="worked", serves="squares", seconds_per_cell=8, formula_key="root.{rule}"),
    "normed": Topic(
        hint_key="worked", serves="squares", seconds_per_cell=10, side_input=0, formula_key="normed.{rule}"
    ),
    "embedded": Topic(hint_key="looked_up", seconds_per_cell=3, is_only_copied=True, side_input=0),
    "positions": Topic(hint_key="position", is_given_to_students=True),
    "added": Topic(hint_key="added", seconds_per_cell=5, is_only_copied=True, side_input=1),
    "gradient_mean": Topic(
        hint_key="worked", seconds_per_cell=40, has_working_space=True, has_products=True, side_input=0
    ),
    "gradient_scores": Topic(hint_key="worked", seconds_per_cell=20, has_working_space=True, has_products=True),
    "gradient_scaled": Topic(hint_key="worked", seconds_per_cell=8, formula_key="gradient_scaled.{rule}"),
}
"""Topics of which there is more to say."""


def get_topic(topic: str, *, is_product: bool) -> Topic:
    """Return what is said of a topic; of one that nothing is said of, what is said of every product or formula."""
    return TOPICS.get(topic, PRODUCT if is_product else WORKED)
