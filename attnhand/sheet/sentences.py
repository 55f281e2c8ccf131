"""The sentences of a sheet, filled in from the problem: house rules, formulas, instructions, worked sums."""

import math

from attnhand.attention.arithmetic import Base, ScaleRule
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import get_side_input
from attnhand.attention.numbers import Number, simplify, use_typographic_signs
from attnhand.attention.operations import (
    Add,
    Concatenate,
    Divide,
    LookUp,
    Mask,
    Power,
    Product,
    ProductRole,
    ReLU,
    ScaleScores,
    Sum,
)
from attnhand.sheet.build_grids import format_matrix_markup, format_sheet_value
from attnhand.sheet.grids import format_line_label
from attnhand.sheet.sheet import Sheet

SECONDS_PER_PRODUCT = 5
"""To multiply two small integers and add the product to a running total."""


SECONDS_PER_CELL = {
    ScaleScores: 8,
    Mask: 3,
    Power: 8,
    Sum: 20,
    Divide: 15,
    Concatenate: 3,
    ReLU: 3,
    LookUp: 3,
    Add: 5,
}
"""To fill a cell of the stages that go cell by cell."""


def format_effort(sheet: Sheet) -> str:
    """Return "116 cells, 312 products, about 35 minutes"."""
    if sheet.planted_mistake:
        return sheet.say("effort.mistake")
    minutes = estimate_minutes(sheet)
    return sheet.say("effort", cells=sheet.answer_cell_count, products=count_products(sheet), minutes=minutes)


def count_products(sheet: Sheet) -> int:
    """Count the pairs of numbers that the student multiplies and adds."""
    total = 0
    known = sheet.solution.collect_hand_values()
    for stage in sheet.problem.mechanism.stages:
        if isinstance(stage.operation, Product):
            inputs = tuple(known[name] for name in stage.input_names)
            total += sheet.count_answer_cells(stage) * len(stage.operation.parts(inputs, 0, 0))
    return total


def estimate_minutes(sheet: Sheet) -> int:
    """Estimate the time a student needs, in whole five minutes."""
    seconds = count_products(sheet) * SECONDS_PER_PRODUCT
    for stage in sheet.problem.mechanism.stages:
        seconds += sheet.count_answer_cells(stage) * SECONDS_PER_CELL.get(type(stage.operation), 0)
    return max(5, 5 * round(seconds / 300))


def get_scale_key(sheet: Sheet) -> str:
    """Return which of the scaling sentences applies."""
    scale = sheet.problem.rules.scale
    return scale.value if isinstance(scale, ScaleRule) else "divide"


def collect_scale_placeholders(sheet: Sheet) -> dict[str, object]:
    """Return what the scaling sentences name."""
    d_k = sheet.problem.hand_arithmetic.d_k
    scale = sheet.problem.rules.scale
    root = sheet.language.decimal(math.sqrt(d_k), 2)
    return {
        "d_k": d_k,
        "divisor": scale if isinstance(scale, int) else "",
        "root": f"√{d_k} ≈ {root}",
        "root_value": f" = {math.isqrt(d_k)}" if math.isqrt(d_k) ** 2 == d_k else f" ≈ {root}",
        "decimals": sheet.problem.rules.decimals,
    }


def format_title(sheet: Sheet) -> str:
    """Return the sheet's title, the author's own or the mechanism's."""
    title = sheet.problem.title or sheet.say("title.causal" if sheet.problem.variant.is_causal else "title")
    return sheet.say("title.mistake", title=title) if sheet.planted_mistake else title


def format_sizes(sheet: Sheet) -> str:
    """Return "4 tokens · 6 features · d_k = d_v = 3" (markup)."""
    sizes = dict(sheet.problem.sizes)
    heads = sheet.problem.mechanism.head_count
    parts = [sheet.say("sizes.heads", size=heads)] if heads > 1 else []
    for name in ("tokens", "memory", "features"):
        parts += [sheet.say(f"sizes.{name}", size=sizes[name])] if name in sizes else []
    if sizes.get("d_k", 0) == sizes.get("d_v"):
        parts.append(f"d_k = d_v = {sizes['d_k']}")
    else:
        parts += [f"{name} = {sizes[name]}" for name in ("d_k", "d_v") if name in sizes]
    parts += [sheet.say("sizes.hidden", size=sizes["hidden"])] if "hidden" in sizes else []
    if not sheet.asks_every_query:
        asked = [format_query(sheet, query) for query in sheet.asked_queries]
        parts.append(sheet.say("queries", queries=asked))
    if sheet.options.show_exact and not sheet.is_solved:
        parts.append(sheet.say("exact.places", decimals=sheet.problem.rules.decimals))
    return sheet.language.list_of(parts, "facts")


def format_query(sheet: Sheet, query: int) -> str:
    """Return how a query (0-based) is called: "q_{2}" (markup)."""
    return format_line_label(sheet.query_letter, query + 1)


def format_house_rules(sheet: Sheet) -> str:
    """Return the shortcuts of page 1, one paragraph (markup)."""
    rules, names = sheet.problem.rules, collect_scale_placeholders(sheet)
    shortcuts = ["half-floor"] if rules.scale is ScaleRule.HALF_FLOOR else []
    shortcuts += ["base"] if rules.base is not Base.E else []
    sentences = [sheet.say(".".join(["rules.head", *shortcuts]))]
    if sheet.problem.mechanism.is_scaled:
        scaling = f"rules.{get_scale_key(sheet)}"
        if rules.scale is ScaleRule.HALF_FLOOR:
            scaling += {1: ".one", 4: ".even"}.get(sheet.problem.hand_arithmetic.d_k, "")
        sentences.append(sheet.say(scaling, **names))
    sentences.append(sheet.say("rules.e") if rules.base is Base.E else sheet.say("rules.base", base=rules.base))
    if not rules.is_rational:
        sentences.append(sheet.say("rules.decimals", **names))
    if shortcuts:
        sentences.append(sheet.say("rules.rest"))
    return " ".join(sentences)


def format_powers_reminder(sheet: Sheet) -> str:
    """Return "3² = 9, 3¹ = 3, 3⁰ = 1, 3⁻¹ = 1/3, 3⁻² = 1/9." and how to write fractions (markup)."""
    rules = sheet.problem.rules
    if rules.base is Base.E:
        return sheet.say("rules.e") + " " + sheet.say("rules.decimals", **collect_scale_placeholders(sheet))
    powers = [
        f"{rules.base}^{{{use_typographic_signs(str(power))}}} = {sheet.problem.hand_arithmetic.raise_base(power)}"
        for power in (3, 2, 1, 0, -1, -2)
    ]
    hint = (
        sheet.say("fractions")
        if rules.is_rational
        else sheet.say("rules.decimals", **collect_scale_placeholders(sheet))
    )
    return f"{sheet.say('rules.powers', powers=powers)} {hint}"


def format_factor_names(sheet: Sheet, stage: Stage) -> tuple[str, str]:
    """Return what a product multiplies, as it is multiplied: "K^T", "Q" (markup)."""
    product = stage.operation
    assert isinstance(product, Product)
    turned = (product.is_left_transposed, product.is_right_transposed)
    left, right = (
        format_matrix_markup(sheet, name) + ("^T" if is_turned else "")
        for name, is_turned in zip((stage.input_names[0], stage.input_names[-1]), turned, strict=True)
    )
    return left, right


def format_formula(sheet: Sheet, stage: Stage) -> str:
    """Return the right-hand side of a stage: "W_Q X", "K^T Q", "⌊S/2⌋" (markup)."""
    operation = stage.operation
    match operation:
        case Product():
            left, right = format_factor_names(sheet, stage)
            return (
                f"{left} {right} + {format_matrix_markup(sheet, stage.input_names[1])}"
                if operation.has_bias
                else f"{left} {right}"
            )
        case ScaleScores():
            return sheet.say(
                f"formula.scores.{get_scale_key(sheet)}",
                input=format_matrix_markup(sheet, stage.input_names[0]),
                **collect_scale_placeholders(sheet),
            )
        case Power():
            return sheet.say(
                "formula.power", base=sheet.problem.rules.base, input=format_matrix_markup(sheet, stage.input_names[0])
            )
        case Sum():
            return sheet.say("formula.sum", input=format_matrix_markup(sheet, stage.input_names[0]))
        case Divide():
            return sheet.say("formula.weight", input=format_matrix_markup(sheet, stage.input_names[0]), sums="Σ")
        case Add():
            return " + ".join(format_matrix_markup(sheet, name) for name in stage.input_names)
        case _:
            return sheet.say(
                f"formula.{stage.topic}",
                input=format_matrix_markup(sheet, stage.input_names[0]) if stage.input_names else "",
            )


def format_instruction(sheet: Sheet, stage: Stage) -> str | None:
    """Return what to do at a stage, in one sentence (markup); None where the formula says it all."""
    match stage.operation:
        case Product(role=ProductRole.PROJECTION):
            key, names = (
                f"{stage.topic}.do",
                {"formula": f"{format_matrix_markup(sheet, stage.name)} = {format_formula(sheet, stage)}"},
            )
            return sheet.say(key, **names) if sheet.has_sentence(key) else None
        case ScaleScores():
            return sheet.say(f"{stage.topic}.do.{get_scale_key(sheet)}", **collect_scale_placeholders(sheet))
        case Power():
            return sheet.say(f"{stage.topic}.do", base=sheet.problem.rules.base)
        case Product(role=ProductRole.SCORES):
            side = get_side_input(stage)
            given = side in dict(sheet.problem.given)
            printed = (
                not given
                and not sheet.planted_mistake
                and sheet.is_printed(sheet.problem.mechanism.get_stage(str(side)))
            )
            if given:
                return sheet.say(f"{stage.topic}.given")
            return sheet.say(f"{stage.topic}.printed" if printed else f"{stage.topic}.do")
        case Concatenate():
            return sheet.say(f"{stage.topic}.do", heads=len(stage.input_names))
        case Product(role=ProductRole.LAYER):
            return sheet.say(f"{stage.topic}.do", bias=format_matrix_markup(sheet, stage.input_names[1]))
        case _:
            return sheet.say(f"{stage.topic}.do")


def format_projection_instruction(sheet: Sheet, stage: Stage) -> str:
    """Return how a cell of the first product is made (markup)."""
    left, right = format_factor_names(sheet, stage)
    tokens = left if isinstance(stage.operation, Product) and stage.operation.convention.is_rows else right
    return sheet.say(
        "projection.do", tokens=tokens, name=format_matrix_markup(sheet, stage.name), left=left, right=right
    )


def format_worked_sum(sheet: Sheet, stage: Stage, row: int, column: int) -> str:
    """Return one cell with all its pairs, zeros too: "0·1 + 0·0 + (−1)·1 = −1"."""
    inputs = tuple(sheet.solution.collect_hand_values()[name] for name in stage.input_names)
    pairs = stage.operation.parts(inputs, row, column)
    total = format_inline(sheet, sheet.solution[stage.name].hand[row][column])
    return " + ".join("·".join(format_factor(sheet, value) for value in pair) for pair in pairs) + f" = {total}"


def format_inline(sheet: Sheet, value: Number) -> str:
    """Write a hand value in one line, as the sheet's cells show it."""
    return str(format_sheet_value(sheet, value))


def format_factor(sheet: Sheet, value: Number) -> str:
    """Write a value as a factor: negative ones and fractions in brackets."""
    text = format_inline(sheet, value)
    return f"({text})" if value < 0 or "/" in text else text


def format_worked_sentence(sheet: Sheet, stage: Stage, row: int, column: int) -> str:
    """Return the worked cell, printed in its place, as a sentence (markup)."""
    left, right = format_factor_names(sheet, stage)
    return sheet.say(
        "worked",
        name=f"{format_matrix_markup(sheet, stage.name)}[{row + 1},{column + 1}]",
        row=row + 1,
        left=left,
        column=column + 1,
        right=right,
        sum=format_worked_sum(sheet, stage, row, column),
    )


def format_check_sums(sheet: Sheet, stage: Stage) -> str | None:
    """Return "columns add to 2 5 3 2" for a product of whole numbers (markup)."""
    if not isinstance(stage.operation, Product) or stage.operation.role not in (
        ProductRole.PROJECTION,
        ProductRole.SCORES,
    ):
        return None
    if not sheet.is_solved and not sheet.options.check_sums:
        return None
    rows, columns = sheet.find_asked_lines(stage)
    hand = sheet.shown_solution[stage.name].hand
    lines = (
        [[hand[i][j] for j in columns] for i in rows]
        if sheet.convention.is_rows
        else [[hand[i][j] for i in rows] for j in columns]
    )
    sums = "  ".join(format_inline(sheet, simplify(sum(line))) for line in lines)
    return sheet.say("sums.check", sums=sums)
