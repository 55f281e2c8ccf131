"""How one cell comes about, by hand and exactly: every pair, every power, every sum written out."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction

from attnhand.attention.arithmetic import Arithmetic, Waves, compute_turn, compute_turn_rate
from attnhand.attention.matrix import Matrix, flatten
from attnhand.attention.mechanisms import Dimension, GivenMatrix, Stage
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.cells import (
    CellExplanation,
    expand_to_common_denominator,
    explain_cell,
    list_numbers,
    write_formula,
)
from attnhand.attention.numbers import MINUS, Number, format_exact, is_terminating, use_typographic_signs
from attnhand.attention.solution import compute_stages
from attnhand.attention.trace import QueryTrace, Vector, can_be_traced, trace_query
from attnhand.errors import CellError
from attnhand.sheet.addresses import find_cell, format_headed_address
from attnhand.sheet.build_grids import build_labels, format_matrix_name, format_stage_title
from attnhand.sheet.grids import format_vector_label
from attnhand.sheet.sentences import format_purpose, format_query, format_rounded, name_temperature
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode

MAX_DECIMALS = 12
"""A decimal of more places is written as a fraction."""

MAX_TYPED_DECIMALS, ROUNDED_DECIMALS = 60, 6
"""Places of a decimal that was typed, or that two of them give; and to how many one of more than those is rounded."""


def format_vector_name(sheet: Sheet, axis: Dimension, index: int) -> str:
    """Return what a row or column is called: "2", "q₃", or "q₃ (saw)"."""
    label = build_labels(sheet, axis)[index]
    letter = to_unicode(label.letter)
    return f"{letter} ({label.word})" if label.word else letter


def describe_factors(sheet: Sheet, stage: Stage, row: int, column: int) -> tuple[tuple[str, str], tuple[str, str]]:
    """Return both factors of a product, each with the name of its row or column that makes the cell."""
    product = stage.product
    assert product is not None

    def describe(name: str, is_transposed: bool, index: int, *, takes_row: bool) -> tuple[str, str]:
        rows, columns = _get_axes(sheet, name)
        axis = rows if takes_row is not is_transposed else columns
        printed = to_unicode(format_matrix_name(sheet, name)) + ("ᵀ" if is_transposed else "")
        return printed, format_vector_name(sheet, axis, index)

    return (
        describe(stage.input_names[0], product.is_left_transposed, row, takes_row=True),
        describe(stage.input_names[-1], product.is_right_transposed, column, takes_row=False),
    )


def format_wave(sheet: Sheet, explanation: CellExplanation) -> str:
    """Return of which number an entry of a position is the sine or cosine: "sin(1 / 10000^(0/4))"."""
    position, feature, features = (int(explanation.numbers[key]) for key in ("position", "feature", "features"))
    key = "explain.cosine" if feature % 2 else "explain.sine"
    return sheet.say(key, place=position, exponent=feature - feature % 2, features=features)


def format_turned_pair(place: int) -> str:
    """Return what becomes of a pair of numbers at a place, from 1.

    >>> [format_turned_pair(place) for place in (1, 2, 6)]
    ['(a, b)', '(−b, a)', '(−b, a)']
    """
    return ("(b, −a)", "(a, b)", "(−b, a)", "(−a, −b)")[place % 4]


TURN_DECIMALS = 4
"""Places of angles, sines and cosines: with fewer the numbers of a turned pair would come out wrong."""


def describe_turn(sheet: Sheet, explanation: CellExplanation, factors: Sequence[str]) -> dict[str, object]:
    """Return what a sentence names of a cell that comes of a pair, turned by an angle: the angle and how it is worked.

    Args:
        factors: both numbers of the pair; of the first token, which is not turned, the one that stays.
    """
    place, feature, features = (int(explanation.numbers[name]) for name in ("place", "feature", "features"))
    turn = compute_turn(place - 1, feature - 1, features)
    cosine, sine = (format_rounded(sheet, value, TURN_DECIMALS) for value in turn)
    cos, sin = (f"({text})" if text.startswith(MINUS) else text for text in (cosine, sine))
    if len(factors) == 1:
        working = f"{cos}·{factors[0]}"
    else:
        a, b = factors
        working = f"{cos}·{a} − {sin}·{b}" if feature % 2 else f"{sin}·{a} + {cos}·{b}"
    return {
        "place": place,
        "angle": format_rounded(sheet, (place - 1) * compute_turn_rate(feature - 1, features), TURN_DECIMALS),
        "cosine": cosine,
        "sine": sine,
        "working": working,
    }


def _get_axes(sheet: Sheet, name: str) -> tuple[Dimension, Dimension]:
    """Return both sides of a given matrix or a stage."""
    matrices: list[GivenMatrix | Stage] = [*sheet.problem.mechanism.given, *sheet.problem.mechanism.stages]
    return next((matrix.rows, matrix.columns) for matrix in matrices if matrix.name == name)


class CellWriter:
    """Writes cells and the traces of queries out under one arithmetic."""

    def __init__(
        self, sheet: Sheet, values: Mapping[str, Matrix], arithmetic: Arithmetic, *, in_decimals: bool = False
    ) -> None:
        """Write what the values give.

        Args:
            in_decimals: whether decimals that end are written as such: by a student who works in them.
        """
        self.sheet, self.values, self.arithmetic = sheet, values, arithmetic
        self.in_decimals = in_decimals or sheet.problem.has_decimal_notation

    def write_cell(self, stage: Stage, row: int, column: int) -> tuple[str, ...]:
        """Return how the cell comes about, source by source, the result in the last line."""
        parts = list_numbers(stage, self.values, row, column)
        result = self.format_number(self.values[stage.name][row][column])
        explanation = explain_cell(stage, self.values, row, column)
        sources = tuple(self.write_entry(*source) for source in explanation.sources)
        match explanation.key:
            case "product":
                return self._write_product(stage, row, column, parts, result)
            case "scale":
                return *sources, self._write_scaled(parts[0][0], result)
            case "power":
                return *sources, self._write_power(parts[0][0], result)
            case "sum":
                return (self._write_sum(stage, row, column),)
            case "weight":
                _, (_, *sum_cell) = explanation.sources
                sums = self.sheet.problem.mechanism.get_stage(stage.input_names[1])
                weight = self._write_weight(stage, row, column, result)
                return sources[0], self._write_sum(sums, *sum_cell), weight
            case "position":
                return self._write_position_encoding(explanation, result)
            case "turned.radians":
                turn = describe_turn(self.sheet, explanation, list(map(self.format_factor, parts[0])))
                return *sources, self.sheet.say("explain.turned.radians", **turn, result=result)
            case "added":
                left, right = (self.format_factor(part[0]) for part in parts)
                return *sources, f"{left} + {right} = {result}"
            case "worked":
                return (f"{self._write_formula(stage, row, column)} = {result}",)
            case "looked_up" | "joined" | "appended":  # copied: the sentence itself says from where
                return (self._write_sentence(stage, explanation, result),)
            case _:
                return *sources, self._write_sentence(stage, explanation, result)

    def _write_formula(self, stage: Stage, row: int, column: int) -> str:
        """Write what a cell is made of as its formula has it."""

        def write_number(name: str, i: int, j: int) -> str:
            return self.format_number(self.values[name][i][j])

        return write_formula(stage, self.values, row, column, self.arithmetic, write_number)

    def _write_sentence(self, stage: Stage, explanation: CellExplanation, result: str) -> str:
        """Write what any operation can say of a cell: its sentence, with all that it may name, and the result."""
        # a whole number stays one, for the sentence may count it
        names: dict[str, object] = {
            name: number if isinstance(number, int) and number >= 0 else self.format_number(number)
            for name, number in explanation.numbers.items()
        }
        if explanation.sources:
            name, i, j = explanation.sources[0]
            names |= {
                "source": format_headed_address(self.sheet, name, i, j),
                "value": self.format_number(self.values[name][i][j]),
            }
        names["top_k"] = self.sheet.problem.variant.top_k or ""
        if stage.form is Form.SHIFT:
            largest = max(self.values[name][i][j] for name, i, j in explanation.sources)
            names["largest"] = self.format_number(largest)
        if stage.form is Form.TEMPER:
            names |= name_temperature(self.sheet)
        if "place" in explanation.numbers:
            names["turned"] = format_turned_pair(explanation.numbers["place"])
        if explanation.token is not None:
            names["word"] = self.sheet.problem.words[explanation.token]
        key = f"explain.{explanation.key}"
        key = self._find_key(key, stage) if stage.form is Form.TEMPER else key
        return self.sheet.say(key, **names, result=result)

    def _write_position_encoding(self, explanation: CellExplanation, result: str) -> tuple[str, ...]:
        formula = format_wave(self.sheet, explanation)
        if not self.arithmetic.has_rounded_positions:
            return (f"{formula} = {result}",)
        exact = Arithmetic(rules=self.arithmetic.rules, waves=Waves.EXACT)
        place = (int(explanation.numbers[key]) for key in ("position", "feature", "features"))
        wave = self.format_number(exact.encode_position(*place))
        return (self.sheet.say("explain.rounded", wave=f"{formula} = {wave}", result=result),)

    def format_number(self, value: Number) -> str:
        """Write a value whole where it is rational, else rounded; a true minus."""
        problem, language = self.sheet.problem, self.sheet.language
        if isinstance(value, Decimal):
            return "−∞" if value.is_infinite() else language.decimal(value or 0, problem.rules.decimals)
        if self.in_decimals and isinstance(value, Fraction):
            if is_terminating(value, MAX_DECIMALS):
                return language.decimal(value, MAX_DECIMALS).rstrip("0")
            if is_terminating(value, MAX_TYPED_DECIMALS):  # copied from a calculator, or worked from what was
                return language.decimal(value, ROUNDED_DECIMALS)
        return use_typographic_signs(format_exact(value))

    def format_factor(self, value: Number) -> str:
        """Write a number as it stands in a product: negative ones and fractions in brackets."""
        text = self.format_number(value)
        return f"({text})" if value < 0 or "/" in text else text

    def _write_product(
        self, stage: Stage, row: int, column: int, pairs: Sequence[tuple[Number, ...]], result: str
    ) -> tuple[str, ...]:
        (left, left_label), (right, right_label) = describe_factors(self.sheet, stage, row, column)
        lefts, rights = (" ".join(map(self.format_number, factors)) for factors in zip(*pairs, strict=True))
        added = " + ".join("·".join(map(self.format_factor, pair)) for pair in pairs)
        return (
            self.sheet.say("explain.row", line=left_label, matrix=left, numbers=lefts),
            self.sheet.say("explain.column", line=right_label, matrix=right, numbers=rights),
            f"{added} = {result}",
        )

    def write_entry(self, name: str, row: int, column: int) -> str:
        """Return what a cell holds: "Q[1,2] = −1"."""
        address = format_headed_address(self.sheet, name, row, column)
        return f"{address} = {self.format_number(self.values[name][row][column])}"

    def _write_scaled(self, score: Number, result: str) -> str:
        rules = self.arithmetic.rules
        names = {"d_k": self.arithmetic.d_k, "divisor": rules.divisor or "", "score": self.format_number(score)}
        half = self.format_quotient(score) if rules.is_rounded_down else ""
        return self.sheet.say(f"explain.{rules.scale_key}", **names, half=half, result=result)

    def format_quotient(self, score: Number) -> str:
        """Write a score divided, not yet rounded down: "1.5", or "1/3" where the decimals do not end."""
        quotient = self.arithmetic.divide_unrounded(score)
        if is_terminating(quotient, 1) and quotient % 1:
            return self.sheet.language.decimal(quotient, 1)
        return self.sheet.language.localize(use_typographic_signs(format_exact(quotient)))

    def _write_power(self, score: Number, result: str) -> str:
        names = {"base": self.arithmetic.rules.base, "score": self.format_number(score)}
        return self.sheet.say("explain.power", **names, power=self.format_power(score), result=result)

    def format_power(self, exponent: Number) -> str:
        """Write a power, not worked out: "3⁻²"."""
        base, written = self.arithmetic.rules.base, self.format_number(exponent)
        return f"{base}^({written})" if "/" in written else to_unicode(parse_markup(f"{base}^{{{written}}}"))

    def _write_sum(self, stage: Stage, row: int, column: int) -> str:
        parts = list_numbers(stage, self.values, row, column)
        axis, at = (stage.columns, column) if stage.rows.size_name == "one" else (stage.rows, row)
        added = " + ".join(self.format_number(part[0]) for part in parts)
        total = self.format_number(self.values[stage.name][row][column])
        names = {"line": format_vector_name(self.sheet, axis, at)}
        if stage.sink is not None:
            names["nothing"] = nothing = self.format_power(stage.sink)
            added = f"{added} + {nothing}"
        return self.sheet.say(self._find_key("explain.sum", stage), **names, sum=f"{added} = {total}")

    def _find_key(self, key: str, stage: Stage) -> str:
        """Return a sentence for the rule of a stage; where it has none, that for all."""
        of_rule = f"{key}.{stage.find_rule(self.arithmetic.rules)}"
        return of_rule if self.sheet.has_sentence(of_rule) else key

    def _write_weight(self, stage: Stage, row: int, column: int, result: str) -> str:
        """Write a weight: "1 ÷ 6", over the common denominator of its query "3/6" where there is one, reduced."""
        ((power, total),) = list_numbers(stage, self.values, row, column)
        steps = [f"{self.format_factor(power)} ÷ {self.format_factor(total)}", result]
        if not any(isinstance(value, Decimal) for value in flatten(self.values[stage.input_names[0]])):
            top, bottom = expand_to_common_denominator(stage, self.values, row, column)
            steps[1:1] = [] if self.in_decimals or bottom == 1 else [f"{top}/{bottom}"]
        division = " = ".join(dict.fromkeys(steps))
        if self.in_decimals and "/" in result:  # 1 ÷ 4.44 is 25/111, of which nobody thinks who works in decimals
            weight = Fraction(power) / Fraction(total)
            division = f"{steps[0]} ≈ {self.sheet.language.decimal(weight, self.sheet.problem.rules.decimals)}"
        names = {"power": self.format_number(power), "sum": self.format_number(total)}
        return self.sheet.say(self._find_key("explain.weight", stage), **names, steps=division)

    def write_trace(self, query: int) -> tuple[str, ...]:
        """Return the trace of a query (0-based), head by head, a line a step."""
        kept = self.sheet.problem.variant.cache or 0
        traces = trace_query(self.sheet.problem.mechanism, self.values, query)
        return tuple(line for trace in traces for line in self._write_head_trace(trace, kept + query + 1))

    def _write_head_trace(self, trace: QueryTrace, query_number: int) -> Iterator[str]:
        """Write one head's part of a trace; the comments show what comes of q₂ of seed 7."""
        say, write, write_name = self.sheet.say, self._format_vector, self._format_vector_name
        q, k, v, z = trace.letters
        query = write_name(q, query_number)
        if trace.head:
            yield say("explain.in_head", head=trace.head)
        yield f"{query} = {write(trace.query)}"  # q₂ = (−2, 2, 2)

        # the scores: q₂ · k₁ = (−2, 2, 2) · (1, −1, 1) = −2
        (_, scores), *later_steps = trace.steps
        for i, (key, score) in enumerate(zip(trace.keys, scores, strict=True), 1):
            factors = f"{write(trace.query)} · {write(key)}"
            yield f"{query} · {write_name(k, i)} = {factors} = {self.format_number(score)}"

        # from them to the weights: powers of the scores: 1/3  3  27  1
        for stage, numbers in later_steps:
            written = [self.format_number(number) for number in numbers]
            yield say("explain.step", title=format_stage_title(self.sheet, stage), numbers="  ".join(written))
            if stage.name == trace.summed:  # their sum: 1/3 + 3 + 27 + 1 = 94/3
                sink = self.sheet.problem.variant.sink
                written += [] if sink is None else [self.format_power(sink)]
                yield say("explain.their_sum", sum=f"{' + '.join(written)} = {self.format_number(trace.power_sum)}")

        # the values that are mixed: a₁ · v₁ = 1/94 · (0, −1, −1) = (0, −1/94, −1/94)
        shares = zip(trace.weights, trace.values, trace.weighted_values, strict=True)
        for i, (share, value, weighted) in enumerate(shares, 1):
            factors = f"{self.format_number(share)} · {write(value)}"
            yield f"{write_name('a', i)} · {write_name(v, i)} = {factors} = {write(weighted)}"
        yield say("explain.added_up", output=f"{write_name(z, query_number)} = {write(trace.output)}")

    def _format_vector_name(self, letter: str, number: int) -> str:
        return to_unicode(parse_markup(format_vector_label(letter, number)))

    def _format_vector(self, numbers: Vector) -> str:
        return f"({self.sheet.language.list_of(map(self.format_number, numbers), 'numbers')})"


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """One cell, explained; every line is plain Unicode."""

    title: str
    """Which cell it is and where it stands."""

    purpose: str = ""
    """What its stage is for; empty for a given number and for a trace."""

    by_hand: tuple[str, ...]
    """How it comes about by the house rules."""

    exactly: tuple[str, ...]
    """The same with attention as it is; empty for a given number."""


def explain(sheet: Sheet, address: str) -> Explanation:
    """Explain one cell of a sheet, asked or not, blank or solved.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> explanation = explain(make_sheet_from_request(Request(seed=7)), "S[2,1]")
    >>> print(explanation.title, *explanation.by_hand, sep="\\n")
    S[2,1], scores: row k₂ of Kᵀ · column q₁ of Q
    row k₂ of Kᵀ: 0 −2 3
    column q₁ of Q: 2 2 1
    0·2 + (−2)·2 + 3·1 = −1

    Raises:
        CellError: the text names no cell of this sheet.
    """
    name, row, column = find_cell(sheet, address)
    if name in (given := dict(sheet.problem.given)):
        title = _format_cell_title(sheet, name, sheet.say("explain.given"), row, column)
        entry = CellWriter(sheet, given, sheet.problem.hand_arithmetic).write_entry(name, row, column)
        return Explanation(title=title, by_hand=(entry,), exactly=())
    stage = sheet.problem.mechanism.get_stage(name)
    title = _format_stage_cell_title(sheet, stage, row, column)
    explanation = _explain_both_ways(sheet, title, lambda writer: writer.write_cell(stage, row, column))
    purpose = format_purpose(sheet, stage, with_example=False)  # the cell itself is worked below
    return replace(explanation, purpose=to_unicode(parse_markup(purpose)))


def _explain_both_ways(sheet: Sheet, title: str, write: Callable[[CellWriter], tuple[str, ...]]) -> Explanation:
    """Write the same by hand and exactly; where there is no difference, say so."""
    problem = sheet.problem
    exact_values = dict(problem.given) | compute_stages(problem, problem.exact_arithmetic)
    by_hand = write(CellWriter(sheet, sheet.solution.collect_hand_values(), problem.hand_arithmetic))
    exactly = write(CellWriter(sheet, exact_values, problem.exact_arithmetic))
    same = (sheet.say("explain.same"),)
    return Explanation(title=title, by_hand=by_hand, exactly=exactly if exactly != by_hand else same)


def format_explanation(sheet: Sheet, cell: str) -> str:
    """Explain a cell, or with ``q2`` the trace of a query, line by line as it is printed.

    Raises:
        CellError: the text names no cell and no query of this sheet.
    """
    query = find_query(sheet, cell)
    explanation = explain(sheet, cell) if query is None else explain_trace(sheet, query)
    lines = [explanation.title, *filter(None, [explanation.purpose])]
    for heading, numbers in (("explain.by_hand", explanation.by_hand), ("explain.exactly", explanation.exactly)):
        if numbers:
            lines += ["", sheet.say(heading), *(f"  {line}" for line in numbers)]
    return "\n".join(lines)


def find_query(sheet: Sheet, text: str) -> int | None:
    """Return the query (0-based) that a text such as ``q2`` names, None for the address of a cell.

    Raises:
        CellError: the sheet has no such query.
    """
    written = re.fullmatch(rf"\s*[q{sheet.query_letter}]_?([0-9]{{1,3}})\s*", text)
    if written is None:
        return None
    if not can_be_traced(sheet.problem.mechanism):
        raise CellError(
            "this sheet has no scores and outputs between which a query can be followed: name a cell, such as "
            f"{sheet.problem.mechanism.stages[0].name}[1,1]"
        )
    kept = sheet.problem.variant.cache or 0
    number, tokens = int(written[1]) - kept, sheet.problem.sizes["tokens"]
    if kept and number != 1:
        raise CellError(f"with a cache the new token alone asks: give q{kept + 1}")
    if not 1 <= number <= tokens:
        raise CellError(f"there is no query {number}: the sheet has {tokens} tokens; give q1 to q{tokens}")
    return number - 1


def explain_trace(sheet: Sheet, query: int) -> Explanation:
    """Follow one query (0-based) through every head: keys, stages, weights, values.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> explanation = explain_trace(make_sheet_from_request(Request(seed=7)), 1)
    >>> print(explanation.title, *explanation.by_hand[:2], sep="\\n")
    the journey of q₂
    q₂ = (−2, 2, 2)
    q₂ · k₁ = (−2, 2, 2) · (1, −1, 1) = −2
    """
    label = to_unicode(parse_markup(format_query(sheet, query)))
    words = sheet.problem.words
    word = f" ({words[(sheet.problem.variant.cache or 0) + query]})" if words else ""
    title = sheet.say("explain.trace", query=f"{label}{word}")
    return _explain_both_ways(sheet, title, lambda writer: writer.write_trace(query))


def _format_stage_cell_title(sheet: Sheet, stage: Stage, row: int, column: int) -> str:
    title = format_stage_title(sheet, stage)
    if stage.role is None:
        return _format_cell_title(sheet, stage.name, title, row, column)
    (left, left_label), (right, right_label) = describe_factors(sheet, stage, row, column)
    product = sheet.say("explain.product", row=left_label, left=left, column=right_label, right=right)
    cell = format_headed_address(sheet, stage.name, row, column)
    return sheet.say("explain.title", cell=cell, title=title, place=product)


def _format_cell_title(sheet: Sheet, name: str, description: str, row: int, column: int) -> str:
    rows, columns = _get_axes(sheet, name)
    lines = [
        sheet.say(key, line=format_vector_name(sheet, axis, at))
        for key, axis, at in (("explain.in_row", rows, row), ("explain.in_column", columns, column))
        if axis.size_name != "one"
    ]
    cell = format_headed_address(sheet, name, row, column)
    return sheet.say("explain.title", cell=cell, title=description, place=lines)
