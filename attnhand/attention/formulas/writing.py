"""A cell written out with its numbers, "1·2 + 0·(−1) = 2", and a formula in its letters, "Σ_r K_{rk}·Q_{rq}"."""

from collections.abc import Callable, Mapping
from decimal import Decimal

from attnhand.attention.arithmetic import Arithmetic, ScaleRule
from attnhand.attention.formulas.cells import Cell, CellWorker, Spot, get_value
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.kinds import Numbers
from attnhand.attention.formulas.nodes import (
    Binary,
    Call,
    Choice,
    Joined,
    Known,
    Letter,
    Negative,
    Node,
    Over,
    Read,
    Size,
)
from attnhand.attention.formulas.nodes import (
    Number as Constant,
)
from attnhand.attention.numbers import (
    Number,
    format_decimal,
    format_exact,
    round_to_nearest,
    take_root,
    use_typographic_signs,
)

_BINDING = {"+": 1, "−": 1, "·": 3, "/": 3, "^": 4}
"""How close a sign binds; what binds less stands in brackets."""

_FRACTION = 2
"""A fraction is a number in a sum, and stands in brackets as a factor."""

_SIGNS = {"+": " + ", "−": " − ", "·": "·", "/": " ÷ ", "^": "^"}

_ENDS = {
    "floor": ("⌊", "⌋"),
    "ceil": ("⌈", "⌉"),
    "abs": ("|", "|"),
    "nearest": ("⌊", "⌉"),
    "root": ("√(", ")"),
}
"""Signs round an argument, for functions that have some."""

_LOWERED = str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉")

_ATOM = 5
"""What stands alone needs no brackets anywhere."""

_Written = tuple[str, int]
"""A text, and how close its weakest sign binds."""


def write_cell(spot: Spot, numbers: Numbers, values: Mapping[str, Lines]) -> str:
    """Write how a cell comes about, and what comes out; of one that is only copied the value alone.

    Args:
        numbers: exact ones.
        values: of all matrices that it reads.
    """

    def write_number(cell: Cell) -> str:
        return format_number(get_value(values, cell), numbers.arithmetic)

    result = format_number(CellWorker(numbers, values).work_cell(spot), numbers.arithmetic)
    text = write_right_side(spot, numbers, values, write_number)
    return result if text == result else f"{text} = {result}"


def write_right_side(
    spot: Spot, numbers: Numbers, values: Mapping[str, Lines], write_number: Callable[[Cell], str]
) -> str:
    """Write what a cell is made of, and no result: "1·2 + 0·(−1)".

    Args:
        numbers: exact ones.
        values: of all matrices that it reads; they decide what is chosen where numbers decide.
        write_number: what stands in a cell that is read, without brackets.
    """
    text, _ = _NumberPen(CellWorker(numbers, values), write_number).write(spot, spot.bound.formula.right)
    return text


def format_number(value: Number, arithmetic: Arithmetic) -> str:
    """Write a number: whole where it is rational, else to the decimals of the sheet."""
    if isinstance(value, Decimal) and value.is_finite():
        return use_typographic_signs(format_decimal(value, arithmetic.rules.decimals))
    return use_typographic_signs(format_exact(value))


def _find_binding(number: str) -> _Written:
    """Return how close a number binds: a negative one or a fraction needs brackets beside a sign that binds closer."""
    return number, _BINDING["+"] if number.startswith(("−", "-")) else _FRACTION if "/" in number else _ATOM


def _bracket(written: _Written, binding: int) -> str:
    text, own = written
    return f"({text})" if own < binding else text


def write_letters(node: Node, name_matrix: Callable[[str], str]) -> str:
    """Write a formula in its letters (markup): "V_{vk}·A_{kq}", "(|S_{kq}| + 1) ÷ Σ_j S_{jq}".

    Args:
        name_matrix: what a matrix is called (markup).
    """
    return _LetterPen(name_matrix).write(node)[0]


def _write_signs(node: Node, write: Callable[[Node], _Written]) -> _Written:
    """Write a sign or a function and what stands beside it or in it."""
    match node:
        case Negative(body):
            return f"−{_bracket(write(body), _BINDING['·'])}", _BINDING["+"]
        case Binary(sign, left, right):
            binding = _BINDING.get(sign, 0)  # of a comparison, less than all
            closer = binding + (sign != "·")  # so that a − (b − c) keeps its brackets
            one, other = _bracket(write(left), binding + (sign == "^")), _bracket(write(right), closer)
            return f"{one}{_SIGNS.get(sign, f' {sign} ')}{other}", binding
        case Call(function, arguments):
            opening, closing = _ENDS.get(function, (f"{function}(", ")"))
            return f"{opening}{', '.join(write(argument)[0] for argument in arguments)}{closing}", _ATOM
        case _:
            raise AssertionError(node)


class _LetterPen:
    """Writes nodes with the letters of their indices."""

    def __init__(self, name_matrix: Callable[[str], str]) -> None:
        self.name_matrix = name_matrix

    def write(self, node: Node) -> _Written:
        match node:
            case Read(matrix, indices):
                between = "" if all(isinstance(index, Letter) for index in indices) else ","
                return f"{self.name_matrix(matrix)}_{{{between.join(map(self._write_text, indices))}}}", _ATOM
            case Binary("^", left, right):
                exponent = self._write_text(right)
                # Subtle: markup lowers nothing within what is raised, and a sum would fall apart there
                raised = f"^({exponent})" if isinstance(right, Binary) else f"^{{{exponent}}}"
                return f"{_bracket(self.write(left), _ATOM)}{raised}", _BINDING["^"]
            case Over(sign, index, body):
                return f"{sign}_{{{self._write_text(index)}}} {_bracket(self.write(body), _BINDING['·'])}", _FRACTION
            case Choice(condition, then, otherwise):
                parts = map(self._write_text, (then, condition, otherwise))
                return "{} if {} else {}".format(*parts), 0
            case Joined(letters):
                return "".join(letters), _ATOM
            case Size(letter):
                return f"|{letter}|", _ATOM
            case Constant(value):
                return (str(value) if isinstance(value, int) else "−∞"), _ATOM
            case Letter(name) | Known(name):
                return name, _ATOM
            case _:
                return _write_signs(node, self.write)

    def _write_text(self, node: Node) -> str:
        return self.write(node)[0]


class _NumberPen:
    """Writes nodes with what stands in their cells."""

    def __init__(self, worker: CellWorker, write_number: Callable[[Cell], str]) -> None:
        self.worker, self.numbers, self.write_number = worker, worker.numbers, write_number

    def write(self, spot: Spot, node: Node) -> _Written:
        match node:
            case Read():
                return _find_binding(self.write_number(spot.find_cell(node)))
            case Known("base" | "e" as name):
                base = self.numbers.known[name]
                return ("e" if isinstance(base, Decimal) else str(base)), _ATOM
            case Over("Σ", index, body):
                terms = [_bracket(self.write(at, body), _FRACTION) for at in spot.walk_over(index)]
                return " + ".join(terms), _BINDING["+"]
            case Over(sign, index, body):
                return f"{sign}({', '.join(self.write(at, body)[0] for at in spot.walk_over(index))})", _ATOM
            case Call("scale", (argument,)):
                return self._write_scaled(self.write(spot, argument))
            case Call("whole", (argument,)):
                is_rounded = self.numbers.arithmetic.rules.has_whole_exponents
                return self.write(spot, Call("floor", (argument,)) if is_rounded else argument)
            case Call("nearest", (argument,)) if not self.numbers.arithmetic.rules.has_whole_stream:
                return self.write(spot, argument)
            case Call("root", (argument,)) if self.numbers.arithmetic.rules.has_whole_stream:
                rounded = f"⌊√({self.write(spot, argument)[0]})⌉"
                is_raised = round_to_nearest(take_root(self.worker.work(spot, argument))) < 1
                return (f"max(1, {rounded})" if is_raised else rounded), _ATOM
            case Call("log", (argument,)):
                whole = self.numbers.arithmetic.rules.base.whole
                logarithm = "ln" if whole is None else f"log{str(whole).translate(_LOWERED)}"
                return f"{logarithm}({self.write(spot, argument)[0]})", _ATOM
            case Call("slope", (argument,)):
                return self._write_divided(self.write(spot, argument))
            case Choice(condition, then, otherwise):
                return self.write(spot, then if self.worker.decide(spot, condition) else otherwise)
            case Negative() | Binary() | Call():
                return _write_signs(node, lambda part: self.write(spot, part))
            case _:
                return _find_binding(format_number(self.worker.work(spot, node), self.numbers.arithmetic))

    def _write_scaled(self, score: _Written) -> _Written:
        """Write a score divided as the rules say."""
        quotient = self._write_divided(score)
        return (f"⌊{quotient[0]}⌋", _ATOM) if self.numbers.arithmetic.rules.is_rounded_down else quotient

    def _write_divided(self, score: _Written) -> _Written:
        """Write a quotient that is not rounded."""
        arithmetic = self.numbers.arithmetic
        scale = arithmetic.rules.scale
        if scale is ScaleRule.NONE:
            return score
        divisor = f"√{arithmetic.d_k}" if scale is ScaleRule.SQRT else str(arithmetic.rules.divisor)
        return f"{_bracket(score, _BINDING['^'])} ÷ {divisor}", _BINDING["/"]
