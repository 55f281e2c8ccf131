"""A formula with the rules of a sheet put in: what other programs are told, which know no rules.

``scale(S[k,q])`` becomes ``floor(S[k,q] / 2)`` by hand, ``divisor`` 2, ``|k|`` 4. What is left are numbers, cells,
``base`` and ``e``, the signs, Σ and max over a letter, and the functions in ``PLAIN_FUNCTIONS``.
"""

from collections.abc import Mapping

from attnhand.attention.arithmetic import Arithmetic, ScaleRule
from attnhand.attention.formulas.nodes import Binary, Call, Formula, Known, Node, Number, Size, rewrite

PLAIN_FUNCTIONS = (
    *("floor", "ceil", "trunc", "round", "nearest", "root", "ln", "step", "abs", "max", "min"),
    *("decimals", "position", "cos", "sin"),
)
"""Functions that a plain formula may call: ``round`` takes halves to the even number, ``nearest`` away from zero."""


def make_plain(formula: Formula, arithmetic: Arithmetic, letters: Mapping[str, int]) -> Formula:
    """Return a formula with rules and sizes put in.

    >>> from attnhand.attention.arithmetic import HAND
    >>> from attnhand.attention.formulas.reading import read_formula
    >>> scaled = read_formula("scaled   scaled[k,q] = scale(S[k,q])")
    >>> make_plain(scaled, Arithmetic(rules=HAND), {}).right == read_formula("x   y[k,q] = floor(S[k,q] / 2)").right
    True

    Args:
        letters: how far each letter runs.
    """
    rules = arithmetic.rules

    def settle(value: Node) -> Node:
        return Call("floor", (value,)) if rules.is_rounded_down else value

    def change(node: Node) -> Node | None:
        match node:
            case Call("scale", (argument,)):
                return _scale(rewrite(argument, change), arithmetic)
            case Call("slope", (argument,)):
                return _divide(rewrite(argument, change), arithmetic)
            case Call("settle", (argument,)):
                return settle(rewrite(argument, change))
            case Call("whole", (argument,)) if rules.has_whole_exponents:
                return Call("floor", (rewrite(argument, change),))
            case Call("whole", (argument,)):
                return rewrite(argument, change)
            case Call("nearest", (argument,)):
                value = rewrite(argument, change)
                return Call("nearest", (value,)) if rules.has_whole_stream else value
            case Call("root", (argument,)):
                root = Call("root", (rewrite(argument, change),))
                return Call("max", (Call("nearest", (root,)), Number(1))) if rules.has_whole_stream else root
            case Call("log", (argument,)):
                value = Call("ln", (rewrite(argument, change),))
                return (
                    value if rules.base.whole is None else Binary("/", value, Call("ln", (Number(rules.base.whole),)))
                )
            case Known("divisor") if rules.divisor is not None:
                return Number(rules.divisor)
            case Known("d_k"):
                return Number(arithmetic.d_k)
            case Known("base") if rules.base.whole is not None:
                return Number(rules.base.whole)
            case Known("base"):
                return Known("e")
            case Size(letter):
                return Number(letters[letter])
            case _:
                return None

    return Formula(formula.topic, formula.name, formula.indices, rewrite(formula.right, change))


def _scale(score: Node, arithmetic: Arithmetic) -> Node:
    """Divide a score by √d_k, or by what stands for it."""
    quotient = _divide(score, arithmetic)
    return Call("floor", (quotient,)) if arithmetic.rules.is_rounded_down else quotient


def _divide(score: Node, arithmetic: Arithmetic) -> Node:
    """Divide by √d_k, or by what stands for it, without rounding."""
    rules = arithmetic.rules
    if rules.scale is ScaleRule.NONE:
        return score
    if rules.divisor is None:
        return Binary("/", score, Call("root", (Number(arithmetic.d_k),)))
    return Binary("/", score, Number(rules.divisor))
