"""Hints that lead to a cell without its number, and why a slip is one: the sentences of the tutor.

The web sheet and practice take them from here. Numbers are written by whoever asks: from the student's own values, or
as something for a script to fill in.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.cells import explain_cell, list_parts, write_formula
from attnhand.attention.numbers import Number, drop_sign, is_finite, use_typographic_signs
from attnhand.sheet.addresses import format_headed_address, format_headed_name
from attnhand.sheet.explain import (
    CellWriter,
    describe_factors,
    describe_turn,
    format_turned_pair,
    format_vector_name,
    format_wave,
)
from attnhand.sheet.grids import format_vector_label
from attnhand.sheet.sentences import format_sink_power, name_temperature
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import parse_markup, to_unicode

NumberWriter = Callable[[str, int, int], str]
"""Writes the number in a cell (name, row, column, 0-based)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Hints:
    """Three hints for one cell, each saying more than the one before; none says its number (plain Unicode)."""

    question: str
    """What to ask oneself. It names no number, whatever the student's are."""

    sources: tuple[str, ...]
    """Where to look: the row and the column, or the cells that it comes from."""

    steps: str
    """What to work, without what comes out."""


def build_hints(sheet: Sheet, stage: Stage, row: int, column: int, write_number: NumberWriter) -> Hints:
    """Return the hints for a cell (0-based).

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> sheet = make_sheet_from_request(Request(seed=7))
    >>> scores = sheet.problem.mechanism.get_stage("S")
    >>> hints = build_hints(sheet, scores, 1, 0, lambda name, i, j: str(sheet.solution[name].hand[i][j]))
    >>> print(hints.question, *hints.sources, hints.steps, sep="\\n")
    Which row of Kᵀ and which column of Q meet in S[2,1]?
    row k₂ of Kᵀ: 0 -2 3
    column q₁ of Q: 2 2 1
    0·2 + (-2)·2 + 3·1 = ?

    Args:
        write_number: how the numbers are written that the cell is made from; never called for the cell itself.
    """
    return _HintBuilder(sheet, stage, row, column, write_number).build()


class _HintBuilder:
    def __init__(self, sheet: Sheet, stage: Stage, row: int, column: int, write_number: NumberWriter) -> None:
        self.sheet, self.stage, self.row, self.column = sheet, stage, row, column
        self.write_number = write_number
        self.values = sheet.solution.collect_hand_values()
        self.parts = list_parts(stage, self.values, row, column)
        self.explanation = explain_cell(stage, self.values, row, column)
        self.cells: tuple[Any, ...] = (
            self.explanation.sources
            if stage.form in (Form.MASK, Form.ADDED) or self.explanation.key == "kept"
            else self.parts[0]
            if self.parts
            else ()
        )
        """Of what goes cell by cell, the cells that it comes from."""

    @property
    def comes_from_cells(self) -> bool:
        """Say whether a cell or a few can be named that it comes from: not a row and a column, nor a position."""
        return self.stage.product is None and bool(self.stage.input_names)

    def build(self) -> Hints:
        names = self.collect_names()
        question, source, steps = (self._find_key(part) for part in ("question", "source", "steps"))
        assert question
        return Hints(
            question=self.sheet.say(question, **names),
            sources=(self.sheet.say(source, **names),) if source else self._list_sources(),
            steps=self.sheet.say(steps, **names) if steps else self._write_open_sum(),
        )

    def _find_key(self, part: str) -> str | None:
        """Return the sentence for a part of the hints; one for the rules or the window before one for all."""
        rule = self.stage.choose_instruction_key(self.sheet.problem.rules).removeprefix("do")
        key = f"hint.{self.stage.facts.hint_key}"
        return next((each for each in (f"{key}{rule}.{part}", f"{key}.{part}") if self.sheet.has_sentence(each)), None)

    def collect_names(self) -> dict[str, object]:
        """Return all that a hint may name."""
        sheet, stage = self.sheet, self.stage
        names = _collect_rule_names(sheet) | {
            "cell": format_headed_address(sheet, stage.name, self.row, self.column),
            "row": format_vector_name(sheet, stage.rows, self.row),
            "column": format_vector_name(sheet, stage.columns, self.column),
            "line": self._name_query_vector(),
            "input": format_headed_name(sheet, stage.input_names[0]) if stage.input_names else "",
        }
        if stage.product is not None:
            (left, _), (right, _) = describe_factors(sheet, stage, self.row, self.column)
            names |= {"left": left, "right": right}
        if self.explanation.key == "position":
            names |= {"position": self.explanation.numbers["position"], "wave": format_wave(sheet, self.explanation)}
        if self.comes_from_cells:
            name, i, j = self.cells[0]
            source = sheet.problem.mechanism.get_stage(name) if name not in dict(sheet.problem.given) else None
            names |= {"place": format_headed_address(sheet, name, i, j), "head": source.head if source else ""}
            names["number"] = self._write_factor(self.cells[0])
            names["second"] = self._write_factor(self.cells[-1])
        if stage.form is Form.ROTATION:
            names |= describe_turn(sheet, self.explanation, list(map(self._write_factor, self.cells)))
        elif "place" in self.explanation.numbers:
            names["turned"] = format_turned_pair(self.explanation.numbers["place"])
        if self.explanation.token is not None:
            names["word"] = sheet.problem.words[self.explanation.token]
        return names

    def _name_query_vector(self) -> str:
        """Return what the vector of a query is called in this stage: "q₃"."""
        axis, index = (
            (self.stage.rows, self.row) if self.sheet.convention.is_rows else (self.stage.columns, self.column)
        )
        return format_vector_name(self.sheet, axis, index)

    def _list_sources(self) -> tuple[str, ...]:
        """Write down the vectors, or the cells, that the cell comes from."""
        sheet, stage = self.sheet, self.stage
        if stage.product is not None:
            (left, left_vector), (right, right_vector) = describe_factors(sheet, stage, self.row, self.column)
            lefts, rights = (" ".join(map(self._write, factors)) for factors in zip(*self.parts, strict=True))
            return (
                sheet.say("explain.row", line=left_vector, matrix=left, numbers=lefts),
                sheet.say("explain.column", line=right_vector, matrix=right, numbers=rights),
            )
        if self.explanation.key == "sum":
            is_row = sheet.convention.is_rows
            axis, at = (stage.rows, self.row) if is_row else (stage.columns, self.column)
            numbers = " ".join(self._write(part[0]) for part in self.parts)
            matrix, vector = format_headed_name(sheet, stage.input_names[0]), format_vector_name(sheet, axis, at)
            return (
                sheet.say("explain.row" if is_row else "explain.column", line=vector, matrix=matrix, numbers=numbers),
            )
        cells: list[Any] = [*self.cells] if len(self.parts) < 2 else [cell for part in self.parts for cell in part]
        # what is squared is read twice, and so is a score from which the largest of all is subtracted
        return tuple(f"{format_headed_address(sheet, *cell)} = {self._write(cell)}" for cell in dict.fromkeys(cells))

    def _write_open_sum(self) -> str:
        """Write what is multiplied and added, and no result: "1·1 + 1·(−1) = ?"."""
        if self.explanation.key == "worked":
            place, arithmetic = (self.stage, self.values, self.row, self.column), self.sheet.problem.hand_arithmetic
            return self.sheet.say("hint.open", sum=write_formula(*place, arithmetic, self.write_number))
        write = self._write if self.explanation.key == "sum" else self._write_factor
        added = ["·".join(map(write, part)) for part in self.parts]
        if self.explanation.key == "sum" and self.stage.sink is not None:
            added.append(to_unicode(parse_markup(format_sink_power(self.sheet))))
        return self.sheet.say("hint.open", sum=" + ".join(added))

    def _write(self, cell: Any) -> str:
        """Write the number in a cell; the 1 that meets a bias stands in none."""
        return str(cell) if isinstance(cell, int) else self.write_number(*cell)

    def _write_factor(self, cell: Any) -> str:
        text = self._write(cell)
        return f"({text})" if text[:1] in ("−", "-") or "/" in text else text


def describe_slip(sheet: Sheet, slip_id: str, stage: Stage) -> str:
    """Say what whoever makes a slip has done: "used W_K in place of W_Q" where it is another thing at every stage."""
    details = (stage.topic, stage.find_rule(sheet.problem.rules))
    keys = (f"slip.{slip_id}.{detail}" for detail in details)
    return sheet.say(next(filter(sheet.has_sentence, keys), f"slip.{slip_id}"))


SAY_WEIGHTS_ADD_TO_1 = (
    *("other-axis", "crossed-sums", "grand-total", "over-largest", "over-count", "not-divided", "masked-after"),
    *("weights-A-transposed", "powers-for-weights", "scores-for-weights"),
)
"""Slips whose reasons do: with a sink there is another reason."""


def _find_reason(sheet: Sheet, slip_id: str, stage: Stage) -> str:
    """Return the key of why a slip is one; one for the rule before one for all."""
    if sheet.problem.variant.sink is not None and slip_id in SAY_WEIGHTS_ADD_TO_1:
        return f"reason.{'weights' if stage.form is Form.SHARE else 'mixture'}.sink"
    key = f"reason.{slip_id}.{stage.find_rule(sheet.problem.rules)}"
    return key if sheet.has_sentence(key) else f"reason.{slip_id}"


def explain_slip(
    sheet: Sheet,
    slip_id: str,
    stage: Stage,
    row: int,
    column: int,
    values: Mapping[str, Matrix],
    answer: str,
    *,
    in_decimals: bool = False,
) -> str:
    """Say why a slip is one, with the numbers of a cell (0-based) that shows it (plain Unicode).

    Args:
        values: the matrices that the student worked from, by name.
        answer: what the student wrote there.
        in_decimals: whether the student works in decimals.
    """
    writer = CellWriter(sheet, values, sheet.problem.hand_arithmetic, in_decimals=in_decimals)
    builder = _HintBuilder(sheet, stage, row, column, lambda name, i, j: writer.format_number(values[name][i][j]))
    names = builder.collect_names() | {"count": len(builder.parts), "wrong": use_typographic_signs(answer.strip())}
    if builder.comes_from_cells:
        numbers = [values[name][i][j] for name, i, j in builder.cells]
        names |= {"entry": writer.format_number(numbers[0]), "total": writer.format_number(numbers[-1])}
        if stage.facts.hint_key in ("scale", "power"):
            names |= _name_score(writer, numbers[0])
    return sheet.say(_find_reason(sheet, slip_id, stage), **names)


NUMBERS = ("number", "second", "entry", "total", "half", "result", "magnitude", "power", "positive", "first_power")
"""The numbers of a cell that a reason may name."""


def write_reason_patterns(sheet: Sheet, slip_ids: Sequence[str], stage: Stage) -> list[str]:
    """Say why slips are some, with room for the numbers of any cell: "Half of {entry} is {half} …".

    The script of the web sheet fills them in.
    """

    def write_nothing(_name: str, _row: int, _column: int) -> str:
        return ""

    # any cell would do, for all that differs from cell to cell is left open below
    builder = _HintBuilder(sheet, stage, 0, 0, write_nothing)
    names = builder.collect_names() | {name: f"{{{name}}}" for name in (*NUMBERS, "word", "wrong")}
    # of a mask without a window the slips about windows have a sentence too, which nobody gets to see
    names |= {"count": len(builder.parts), "window": sheet.problem.variant.window or 1}
    return [sheet.say(_find_reason(sheet, each, stage), **names) for each in slip_ids]


def _name_score(writer: CellWriter, score: Number) -> dict[str, object]:
    """Return what may be said of a score where it is scaled, or raised to; of −∞, which is neither, nothing."""
    if not is_finite(score):
        return dict.fromkeys(("half", "result", "magnitude", "power", "positive", "first_power"), "")
    arithmetic = writer.arithmetic
    return {
        "half": writer.format_quotient(score) if arithmetic.rules.is_rounded_down else "",
        "result": writer.format_number(arithmetic.scale_score(score)),
        "magnitude": writer.format_number(drop_sign(score)),
        "power": writer.format_power(score),
        "positive": writer.format_power(drop_sign(score)),
        "first_power": writer.format_power(1),
    }


def _collect_rule_names(sheet: Sheet) -> dict[str, object]:
    """Return what the rules of a sheet add to its sentences."""
    rules = sheet.problem.rules
    return name_temperature(sheet) | {
        "base": rules.base,
        "d_k": sheet.problem.hand_arithmetic.d_k,
        "decimals": rules.decimals,
        "divisor": rules.divisor or "",
        "window": sheet.problem.variant.window or "",
        "nothing": to_unicode(parse_markup(format_sink_power(sheet))),
        "top_k": sheet.problem.variant.top_k or "",
        "padding": [
            to_unicode(parse_markup(format_vector_label(sheet.key_letter, key)))
            for key in sheet.problem.variant.padding
        ],
    }
