"""The sentences of a sheet, filled in from the problem: house rules, formulas, instructions, worked sums."""

import math
from collections.abc import Iterable, Sequence
from decimal import Decimal
from fractions import Fraction
from functools import partial
from itertools import product, zip_longest

from attnhand.attention.arithmetic import Base, compute_turn_rate
from attnhand.attention.formulas.writing import write_letters
from attnhand.attention.mechanisms import Content, Stage
from attnhand.attention.mechanisms.base import Hiding, get_query_inputs, get_side_input, strip_head
from attnhand.attention.mechanisms.cells import count_products, list_numbers, work_exponent
from attnhand.attention.mechanisms.products import ProductRole, transpose_name
from attnhand.attention.numbers import Number, format_decimal, is_huge, use_typographic_signs
from attnhand.attention.solution import format_cell_address
from attnhand.problems.beginning import WEIGHTS_END
from attnhand.problems.question_amount import QuestionAmount
from attnhand.sheet.build_grids import (
    format_headed_markup,
    format_matrix_markup,
    format_sheet_value,
    format_source,
    list_check_sums,
)
from attnhand.sheet.grids import format_vector_label
from attnhand.sheet.sheet import Sheet

DRAWN_EXPONENTS = range(-2, 5)
"""All that drawn sheets of the hand rules have."""

SHARPENED_EXPONENTS = range(-4, 7)
"""The same where scores are divided by less than 1."""

RATE_DECIMALS = 6
"""Places of how far a pair of numbers is turned from one place to the next: the last of eight has 0.001."""

SECONDS_PER_PRODUCT = 5
"""To multiply two small integers and add the product to a running total."""

SECONDS_TO_READ_A_PART = 240
"""For what a sheet of a term tells; two readers needed so much more than its cells, products and questions took."""


def format_effort(sheet: Sheet) -> str:
    """Return "116 cells, 312 products, about 35 minutes"."""
    if sheet.planted_mistake:
        return sheet.say("effort.mistake")
    known = sheet.solution.collect_hand_values()
    cells = products = seconds = 0
    for stage in sheet.problem.mechanism.stages:
        stage_cells = sheet.count_answer_cells(stage)
        cells += stage_cells
        seconds += stage_cells * stage.facts.seconds_per_cell
        if stage.is_turned_by_angles:
            products += 2 * stage_cells
        elif stage_cells and (stage.product is not None or stage.facts.has_products):
            products += stage_cells * count_products(stage, known)
    key = "effort" if products else "effort.cells"
    if sheet.options.question_amount is QuestionAmount.TRIES:
        cells, key = sum(posed.has_answer for posed in sheet.posed_questions), "effort.tries"
    seconds += products * SECONDS_PER_PRODUCT + sum(posed.question.seconds for posed in sheet.posed_questions)
    seconds += SECONDS_TO_READ_A_PART if sheet.asked_part else 0
    return sheet.say(key, cells=cells, products=products, minutes=max(5, 5 * round(seconds / 300)))


def format_mark_box(sheet: Sheet, cell_count: int, name: str = "") -> str:
    """Return where the points of a stage are written, on a key what it is worth (markup); with its name, if any."""
    key = "mark.named" if name else "mark"
    return sheet.say(f"{key}.key" if sheet.is_solved else key, cells=cell_count, name=name)


def _collect_placeholders(sheet: Sheet) -> dict[str, object]:
    """Return what rules, formulas and instructions may name, whichever operation they are of."""
    rules, arithmetic = sheet.problem.rules, sheet.problem.hand_arithmetic
    d_k = arithmetic.d_k
    root = sheet.language.decimal(math.sqrt(d_k), 2)
    examples = ", ".join(f"{score} → {scaled}" for score, scaled in arithmetic.scale_examples)
    return {
        "d_k": d_k,
        "divisor": rules.divisor or "",
        "examples": use_typographic_signs(examples),
        "root": f"√{d_k} ≈ {root}",
        "root_value": f" = {math.isqrt(d_k)}" if math.isqrt(d_k) ** 2 == d_k else f" ≈ {root}",
        "decimals": rules.decimals,
        "base": rules.base,
        "sums": "Σ",
        **_name_first_asked(sheet),
        "window": sheet.problem.variant.window or "",
        "nothing": format_sink_power(sheet),
        "sink": "" if sheet.problem.variant.sink is None else use_typographic_signs(str(sheet.problem.variant.sink)),
        **name_temperature(sheet),
        "padding": [format_vector_label(sheet.key_letter, key) for key in sheet.problem.variant.padding],
        "top_k": sheet.problem.variant.top_k or "",
        "rate": sheet.problem.variant.learning_rate or "",
        "read_out": format_matrix_markup(sheet, sheet.problem.variant.read_out),
        "log": "ln" if rules.base.whole is None else f"log_{{{rules.base}}}",
        "calculator": {Base.E: "ln x", Base.TEN: "log x"}.get(
            rules.base, f"log_{{{rules.base}}} x = ln x ÷ ln {rules.base}"
        ),
        "loss": format_matrix_markup(sheet, "loss"),
        "rates": _list_turn_rates(sheet) if sheet.problem.variant.has_radians else "",
    }


def _name_first_asked(sheet: Sheet) -> dict[str, object]:
    """Return what examples name of the first query that is asked: its output, its place in A, and a key behind it."""
    asked = sheet.asked_queries[0]
    masked = asked if asked + 1 < sheet.problem.key_count else 0  # behind the last there is no key to hide
    return {
        "first": format_vector_label("z", (sheet.problem.variant.cache or 0) + asked + 1),
        "asked": asked + 1,
        "asking": format_vector_label(sheet.query_letter, masked + 1),
        "later": format_vector_label(sheet.key_letter, masked + 2),
    }


def format_sink_power(sheet: Sheet) -> str:
    """Return the power of the sink, not worked out (markup): "3^{2}"; empty without a sink."""
    sink = sheet.problem.variant.sink
    return "" if sink is None else f"{sheet.problem.rules.base}^{{{use_typographic_signs(str(sink))}}}"


def name_temperature(sheet: Sheet) -> dict[str, object]:
    """Return what sentences may name of the temperature: "2", "(1/2)" as a divisor, and what divides in its place."""
    temperature = sheet.problem.variant.temperature
    if temperature is None:
        return {}
    factor, text = temperature.denominator, str(temperature)
    return {
        "temperature": text,
        "by": text if factor == 1 else f"({text})",
        "factor": factor,
        "multiple": "" if factor == 1 else f"{factor}·",
        "over": temperature.numerator,
    }


def format_rounded(sheet: Sheet, value: Number, places: int) -> str:
    """Return a number with so many decimals at most."""
    text = format_decimal(value, places)
    return sheet.language.localize(use_typographic_signs(text.rstrip("0").rstrip(".") if "." in text else text))


def _list_turn_rates(sheet: Sheet) -> list[str]:
    """Return by how many radians each pair of numbers is turned from one place to the next."""
    d_k = sheet.problem.sizes.get("d_k", 0)
    return [format_rounded(sheet, compute_turn_rate(feature, d_k), RATE_DECIMALS) for feature in range(0, d_k, 2)]


def format_title(sheet: Sheet) -> str:
    """Return the sheet's title, the author's own or the mechanism's."""
    title = sheet.problem.title or _format_mechanism_title(sheet)
    return sheet.say("title.mistake", title=title) if sheet.planted_mistake else title


def format_shared_title(sheets: Sequence[Sheet]) -> str:
    """Return what several sheets together are called: as all of them, or by what they have in common."""
    titles = list(dict.fromkeys(map(format_title, sheets)))
    if len(titles) > 1 and all(sheet.asked_part and sheet.asked_part.part.without for sheet in sheets):
        return sheets[0].say("part.without.title")
    return " · ".join(titles)


def _format_mechanism_title(sheet: Sheet) -> str:
    """Return the mechanism's title: with shared keys it has a name of its own."""
    variant = sheet.problem.variant
    if sheet.request and sheet.request.part:
        return sheet.say(f"part.{sheet.request.part}.title")
    if variant.has_cache:
        return sheet.say("title.cache")
    if variant.mechanism != "multi-head" or variant.kv_heads is None:
        return sheet.say("title.causal" if variant.is_causal else "title")
    sharing = "multi-query" if variant.kv_heads == 1 else "grouped-query"
    return sheet.say(f"title.causal.{sharing}" if variant.is_causal else f"title.{sharing}")


def format_document_title(sheet: Sheet) -> str:
    """Return what a window or a PDF reader shows as the title."""
    key = f" · {sheet.say('key')}" if sheet.is_solved else ""
    return f"{format_title(sheet)} · {sheet.code}{key}"


def format_sizes(sheet: Sheet) -> str:
    """Return "4 tokens · 6 features · d_k = d_v = 3" (markup)."""
    sizes, heads = dict(sheet.problem.sizes), sheet.problem.mechanism.head_count
    parts = [sheet.say("sizes.heads", size=heads)] if heads > 1 else []
    if (kv_heads := sheet.problem.variant.kv_heads) is not None:
        parts.append(sheet.say("sizes.kv_heads", size=kv_heads))
    if sheet.problem.variant.has_memory:
        parts += [sheet.say("sizes.queries", size=sizes["tokens"]), sheet.say("sizes.keys", size=sizes["memory"])]
    elif sheet.problem.variant.cache is not None:
        parts.append(sheet.say("sizes.kept", size=sheet.problem.variant.cache))
    else:
        blocks = sheet.problem.variant.blocks
        known = [name for name in ("tokens", "memory") if name in sizes]
        parts += [sheet.say(f"sizes.{name}", size=sizes[name], blocks=blocks) for name in known]
    parts += [sheet.say("sizes.features", size=sizes["features"])] if "features" in sizes else []
    if sizes.get("d_k", 0) == sizes.get("d_v"):
        parts.append(f"d_k = d_v = {sizes['d_k']}")
    else:
        parts += [f"{name} = {sizes[name]}" for name in ("d_k", "d_v") if name in sizes]
    parts += [sheet.say("sizes.hidden", size=sizes["hidden"])] if "hidden" in sizes else []
    parts += [sheet.say("sizes.vocabulary", size=sizes["vocabulary"])] if sheet.problem.variant.has_vocabulary else []
    if sheet.is_mirrored:
        parts.append(sheet.say("mirrored"))
    if not sheet.asks_every_query:
        parts.append(sheet.say("queries", queries=[format_query(sheet, query) for query in sheet.asked_queries]))
    if sheet.options.fade:
        first, second = (format_query(sheet, query) for query in sheet.asked_queries[:2])
        parts.append(sheet.say("faded", first=first, second=second))
    if sheet.is_first and (asked := _list_first_vectors(sheet)):
        parts.append(sheet.say("first", asked=asked))
    if sheet.options.show_exact and not sheet.is_solved:
        parts.append(sheet.say("exact.places", decimals=sheet.problem.rules.decimals))
    return sheet.language.list_of(parts, "facts")


def _list_first_vectors(sheet: Sheet) -> list[str]:
    """Return the key and the query that a first sheet asks, where it prints the others (markup)."""
    stages = [stage for stage in sheet.problem.mechanism.stages if stage.role is ProductRole.PROJECTION]
    partly = [stage for stage in stages if sheet.count_answer_cells(stage) and sheet.has_own_panel(stage)]
    tokens = {(stage.rows if sheet.convention.is_rows else stage.columns).letter: stage for stage in reversed(partly)}
    first = 0 if sheet.convention.is_rows else 1
    places = {letter: sheet.list_asked_cells(stage)[0][first] for letter, stage in tokens.items()}
    return [format_vector_label(letter, place + 1) for letter, place in places.items()]


def format_query(sheet: Sheet, query: int) -> str:
    """Return how a query (0-based) is called: "q_{2}" (markup)."""
    return format_vector_label(sheet.query_letter, (sheet.problem.variant.cache or 0) + query + 1)


def _format_key(sheet: Sheet, scores: Stage, key: int) -> str:
    """Return how a key (0-based) of a stage of scores is called (markup): those of blocks are numbered on."""
    axis = scores.columns if sheet.convention.is_rows else scores.rows
    return format_vector_label(sheet.key_letter, sheet.problem.count_before(axis) + key + 1)


def format_lead(sheet: Sheet) -> str:
    """Return what a part of a whole language model begins with (markup); empty for any other sheet."""
    if (asked := sheet.asked_part) is None:
        return ""
    keys = [f"part.{asked.name}.lead"]
    if asked.part.without:
        keys.insert(0, "part.without.lead")
    if asked.model.style == "clean" and sheet.has_sentence(f"part.{asked.name}.reads"):
        keys.append(f"part.{asked.name}.reads")
    return " ".join(sheet.say(key, **asked.told) for key in keys)


def format_house_rules(sheet: Sheet) -> str:
    """Return where a part begins, and the shortcuts of page 1, one paragraph (markup)."""
    rules, names = sheet.problem.rules, _collect_placeholders(sheet)
    mechanism = sheet.problem.mechanism
    takes_shortcuts = bool(rules.shortcut_keys) and (mechanism.is_scaled or mechanism.has_powers)
    rounds = rules.has_whole_stream and any(stage.is_rounded for stage in mechanism.stages)
    shortcuts = ("nearest",) if rounds else rules.shortcut_keys if takes_shortcuts else ()
    sentences = [*filter(None, [format_lead(sheet)]), sheet.say(".".join(["rules.head", *shortcuts]))]
    if mechanism.is_scaled:
        scaling = f"rules.{rules.scale_key}"
        if rules.is_rounded_down:
            scaling += {1: ".one", 4: ".even"}.get(sheet.problem.hand_arithmetic.d_k, "")
        sentences.append(sheet.say(scaling, **names))
    base = rules.base.whole
    if mechanism.has_powers:
        sentences.append(sheet.say("rules.e") if base is None else sheet.say("rules.base", base=base))
    if sheet.problem.variant.has_plain_shares:
        sentences.append(sheet.say("rules.plain"))
    if any(stage.topic == "gradient_scores" for stage in mechanism.stages):
        counts = [key for key in rules.shortcut_keys if mechanism.is_scaled or key == "base"]
        sentences += [sheet.say(".".join(["rules.back", *counts]), **names)] if counts else []
    if not rules.is_rational:
        sentences.append(sheet.say("rules.decimals", **names))
    elif not any(stage.facts.reminder_key and sheet.has_own_panel(stage) for stage in mechanism.stages):
        sentences.append(sheet.say("fractions", **names))  # elsewhere it is said beside the powers
    if rounds:
        sentences.append(sheet.say("rules.nearest"))
    if (takes_shortcuts or rounds) and sheet.problem.variant.temperature is None:  # which is rounded down too
        sentences.append(sheet.say("rules.rest" if _works_attention(sheet) else "rules.rest.models"))
    if sheet.problem.variant.ends_with == WEIGHTS_END:
        sentences.append(sheet.say("rules.weights"))
    return " ".join(sentences)


def _works_attention(sheet: Sheet) -> bool:
    """Say whether anything of attention is worked: scores, their shares or what is mixed by them."""
    mechanism = sheet.problem.mechanism
    has_shares = bool(mechanism.attentions) and not sheet.problem.variant.has_vocabulary
    return has_shares or any(stage.role in (ProductRole.SCORES, ProductRole.MIXTURE) for stage in mechanism.stages)


def format_powers_reminder(sheet: Sheet) -> str:
    """Return "3² = 9, 3¹ = 3, 3⁰ = 1.", the powers that this sheet needs, and how to write fractions (markup)."""
    return _format_powers(sheet, _collect_exponents(sheet))


def format_longest_reminder(sheet: Sheet) -> str:
    """Return the longest list of powers that a drawn sheet of this kind may need: a page keeps room for it."""
    temperature = sheet.problem.variant.temperature
    is_sharpened = temperature is not None and temperature < 1
    return _format_powers(sheet, SHARPENED_EXPONENTS if is_sharpened else DRAWN_EXPONENTS)


def _collect_exponents(sheet: Sheet) -> set[Number]:
    """Return every number that the sheet has raised to a power; where there are others' values, theirs too."""
    exponents: set[Number] = set()
    others = [each.solution for each in (sheet.planted_mistake, sheet.follow_through) if each]
    for stage in sheet.problem.mechanism.stages:
        if not stage.gives_powers:
            continue
        cells = [*product(*sheet.find_asked_rows_and_columns(stage))]
        for solution in (sheet.solution, *others):
            hand = solution.collect_hand_values()
            exponents |= {work_exponent(stage, hand, *cell, sheet.problem.hand_arithmetic) for cell in cells}
    sink = sheet.problem.variant.sink
    return exponents if sink is None else exponents | {sink}


def _format_powers(sheet: Sheet, exponents: Iterable[Number]) -> str:
    rules, listed = sheet.problem.rules, sheet.problem.hand_arithmetic.list_powers(exponents)
    powers = [
        f"{rules.base}^{{{use_typographic_signs(str(exponent))}}} = "
        f"{format_sheet_value(sheet, power) if is_huge(power) else power}"
        for exponent, power in listed
    ]
    powers += [f"{rules.base}^{{−∞}} = 0"] * any(each.masked for each in sheet.problem.mechanism.attentions)
    base = rules.base.whole
    if base is None or not rules.is_rational:
        hint = sheet.say("rules.decimals", **_collect_placeholders(sheet))
    elif sheet.weight_stages and sheet.problem.variant.sink is None and any(exponent < 0 for exponent, _ in listed):
        places = rules.decimals
        hint = sheet.say("fractions.shared", base=base, square=base**2, total=base**2 + 1, decimals=places)
    else:
        hint = sheet.say("fractions", decimals=rules.decimals)
    sentences = [] if base else [sheet.say("rules.e")]
    sentences += [sheet.say("rules.powers", powers=powers)] if powers else []
    return " ".join([*sentences, hint])


def format_factor_names(sheet: Sheet, stage: Stage, *, with_head: bool = False) -> tuple[str, str]:
    """Return what a product multiplies, as it is multiplied: "K^T", "Q" (markup)."""
    assert stage.product is not None
    format_name = format_headed_markup if with_head else format_matrix_markup
    left, *_, right = (format_name(sheet, name) for name in stage.input_names)
    return stage.product.name_factors(left, right)


def format_formula(sheet: Sheet, stage: Stage) -> str:
    """Return the right-hand side of a stage: "W_Q X", "K^T Q", "⌊S/2⌋" (markup)."""
    names = [format_matrix_markup(sheet, name) for name in stage.input_names]
    in_signs = stage.format_formula(names)
    if in_signs is not None:
        return in_signs
    key = f"formula.{stage.choose_formula_key(sheet.problem.rules) or stage.topic}"
    if not sheet.has_sentence(key):
        return write_letters(stage.formula.formula.right, partial(format_matrix_markup, sheet))
    return sheet.say(key, **_name_inputs(names), **_collect_placeholders(sheet))


def _name_inputs(names: Sequence[str]) -> dict[str, str]:
    """Return what sentences call the matrices that a stage reads: the first input, then second, third, fourth."""
    return dict(zip_longest(("input", "second", "third", "fourth"), names[:4], fillvalue=""))


def format_equation(sheet: Sheet, stage: Stage) -> str:
    """Return both sides of a stage, heads named apart: "K^{(2)} = W_K^{(2)} X" (markup)."""
    return f"{format_headed_markup(sheet, stage.name)} = {format_headed_formula(sheet, stage)}"


def format_headed_formula(sheet: Sheet, stage: Stage) -> str:
    """Return the right-hand side of a stage, heads named apart: "W_K^{(2)} X" (markup)."""
    names = [format_headed_markup(sheet, name) for name in stage.input_names]
    return stage.format_formula(names) or format_formula(sheet, stage)


def format_lecture_formula(sheet: Sheet) -> str:
    """Return attention in one line: "Z = V · softmax_columns(K^T Q / √d_k)", then what follows it (markup)."""
    mechanism, by_rows = sheet.problem.mechanism, sheet.convention.is_rows
    if not mechanism.attentions:
        whole, scaled = "head.formula.whole", " / √d_k" if mechanism.is_scaled else ""
        known = sheet.has_sentence(whole)
        return f"**{sheet.say(whole, scaled=scaled) if known else format_equation(sheet, mechanism.stages[-1])}**"
    attention = mechanism.attentions[0]
    scores, outputs = mechanism.find_stage(attention.scores), mechanism.find_stage(attention.outputs)
    if scores is None:
        chain = (
            *(attention.scores, attention.scaled, attention.biased, attention.tempered),
            *(attention.shifted, attention.powers),
        )
        inner = format_matrix_markup(sheet, next(filter(None, chain)))  # of which the first is given
    else:
        factors = zip(format_factor_names(sheet, scores), scores.input_names, strict=True)
        inner = " ".join(_colour_name(sheet, markup, name) for markup, name in factors)
    inner += "⟦scaled: / √d_k⟧" * (mechanism.find_stage(attention.scaled) is not None)
    if mechanism.find_stage(attention.biased):
        inner += f"⟦biased: − {sheet.say('head.distance')}⟧"
    if mechanism.find_stage(attention.tempered):
        is_sum = mechanism.find_stage(attention.biased) is not None
        inner = f"⟦tempered:(⟧{inner}⟦tempered:) / T⟧" if is_sum else f"{inner}⟦tempered: / T⟧"
    if attention.masked:
        inner = f"⟦masked:{sheet.say('head.mask')}(⟧{inner}⟦masked:)⟧"
    if mechanism.find_stage(attention.powers):
        softmax = "head.softmax" if sheet.problem.variant.sink is None else "head.softmax.sink"
        inner = f"⟦weights:{sheet.say(softmax)}(⟧{inner}⟦weights:)⟧"
    elif mechanism.find_stage(attention.weights):
        inner = f"⟦weights:{sheet.say('head.shares')}(⟧{inner}⟦weights:)⟧"
    mixture, made = [inner], outputs or mechanism.get_stage(attention.weights)
    if outputs is not None and (values := get_side_input(outputs)):
        mixture.insert(0, _colour_name(sheet, format_matrix_markup(sheet, values), values))
    output = _colour_name(sheet, format_matrix_markup(sheet, made.name), made.name)
    formula = f"{output} = {' · '.join(mixture[::-1] if by_rows else mixture)}"
    key = "head.formula.heads" if mechanism.head_count > 1 else "head.formula"
    ends = [mechanism.get_stage(each.outputs or each.weights) for each in mechanism.attentions]
    last = max(map(mechanism.stages.index, ends))
    before = [stage for stage in mechanism.stages[:last] if stage.topic == "normed"]
    after = [stage for stage in mechanism.stages[last + 1 :] if stage.topic not in ("squares", "root")]
    equations = [[f"⟦{each.topic}:{_format_head_equation(sheet, each)}⟧" for each in part] for part in (before, after)]
    clauses = [*equations[0], sheet.say(key, formula=formula), *equations[1]]
    return f"**{sheet.language.list_of(clauses, 'clauses')}**"


def _format_head_equation(sheet: Sheet, stage: Stage) -> str:
    """Return both sides of a stage; a norm in one word, for its three steps (markup)."""
    if stage.topic != "normed":
        return format_equation(sheet, stage)
    name, normed = (format_matrix_markup(sheet, each) for each in (stage.name, stage.input_names[0]))
    return f"{name} = RMSNorm({normed})"


def _colour_name(sheet: Sheet, markup: str, name: str) -> str:
    """Return the name of a matrix in its colour; a given one has none."""
    topic = next((stage.topic for stage in sheet.problem.mechanism.stages if stage.name == name), "")
    return f"⟦{topic}:{markup}⟧" if topic else markup


def format_purpose(sheet: Sheet, stage: Stage, *, with_example: bool = True) -> str:
    """Return what a stage is for, of a product with an example (markup); powers, sums and weights serve one purpose."""
    attentions = sheet.problem.mechanism.attentions
    has_one_head = sheet.problem.mechanism.head_count == 1
    is_softmax = any(stage.name in (each.powers, each.sums, each.weights) for each in attentions)
    detail = stage.choose_instruction_key(sheet.problem.rules).removeprefix("do")
    keys = [f"{stage.topic}.for.last"] if stage is sheet.problem.mechanism.stages[-1] else []
    keys += [f"{stage.topic}.for.alone"] if has_one_head else []
    keys += [f"{stage.topic}.for{detail}", f"{stage.topic}.for", f"{stage.facts.serves}.for"]
    if is_softmax:
        keys = ["plain.for" if sheet.problem.variant.has_plain_shares else "softmax.for"]
        keys = keys if sheet.problem.variant.sink is None else ["softmax.for.sink"]
    key = next((key for key in keys if sheet.has_sentence(key)), "")
    sentences = [sheet.say(f"{topic}.for") for topic in _list_given_topics(sheet, stage)]
    sentences += [sheet.say(key, **_collect_placeholders(sheet))] if key else []
    if stage.topic == "layer" and (missing := _find_left_out(sheet)):
        sentences.append(sheet.say(missing))
    if sheet.options.large_print:  # where a line more is a page more
        return " ".join(sentences)
    sentences += filter(None, [format_example(sheet, stage) if stage.role and with_example else ""])
    is_projected = stage.role is ProductRole.PROJECTION and stage.topic == "queries"
    if is_projected and sheet.problem.story is None:  # a story says where its weights come from
        sentences.append(sheet.say("queries.learned"))
    return " ".join(sentences)


def _find_left_out(sheet: Sheet) -> str:
    """Return the sentence about what a real block has beside; empty where this one has it all."""
    variant = sheet.problem.variant
    if variant.has_residual:
        return "" if variant.norm else "layer.without.norm"
    return "layer.without.residual" if variant.norm else "layer.without.both"


def _list_given_topics(sheet: Sheet, stage: Stage) -> list[str]:
    """Return which of queries, keys and values a stage is the first to read that are given and not worked."""
    given = {strip_head(name) for name, _ in sheet.problem.given}
    earlier = sheet.problem.mechanism.stages[: sheet.problem.mechanism.stages.index(stage)]
    known = {strip_head(name) for each in earlier if each.head == stage.head for name in each.input_names}
    read = {strip_head(name) for name in stage.input_names} - known
    return [topic for name, topic in _GIVEN_TOPICS.items() if name in given and name in read]


_GIVEN_TOPICS = {"Q": "queries", "K": "keys", "V": "values"}
"""What may be given and not worked, each with the topic of the stage that would work it."""


def format_tokens_purpose(sheet: Sheet, stage: Stage) -> str:
    """Return what the tokens are that a product reads (markup); nothing where they are worked on the sheet."""
    tokens = get_query_inputs(stage)[0]
    contents = {given.name: given.content for given in sheet.problem.mechanism.given}
    is_given = contents.get(tokens) is Content.TOKENS and strip_head(tokens) not in _GIVEN_TOPICS
    return sheet.say("tokens.for", tokens=format_matrix_markup(sheet, tokens)) if is_given else ""


def format_instruction(sheet: Sheet, stage: Stage) -> str | None:
    """Return what to do at a stage, why, and an example (markup); None where the formula beside it says all."""
    sentences = [_format_way(sheet, stage)]
    if not (stage.role or stage.head > 1 or sheet.options.large_print):  # there a line more is a page more
        why = f"{stage.topic}.why"
        variant = sheet.problem.variant
        kind = ".sink" if variant.sink is not None else ".next-token" if variant.has_vocabulary else ""
        why += kind if sheet.has_sentence(why + kind) else ""
        sentences += [sheet.say(why, **_collect_placeholders(sheet)) if sheet.has_sentence(why) else ""]
        sentences += [format_example(sheet, stage)]
    return " ".join(filter(None, sentences)) or None


def format_example(sheet: Sheet, stage: Stage) -> str:
    """Return a cell worked from made-up numbers (markup); empty where none is asked, or needs it."""
    detail = stage.choose_instruction_key(sheet.problem.rules).removeprefix("do")
    keys = [f"{stage.topic}.example{detail}", f"{stage.topic}.example"]
    if sheet.problem.variant.sink is not None:
        keys.insert(0, f"{stage.topic}.example.sink")
    key = next((key for key in keys if sheet.has_sentence(key)), "")
    if not key or (sheet.is_printed(stage) and not sheet.planted_mistake):
        return ""
    d_k, by_rows = sheet.problem.hand_arithmetic.d_k, sheet.convention.is_rows
    query, example = sheet.asked_queries[0], 5 / math.sqrt(d_k)
    vectors = [_format_key(sheet, stage, 1), format_query(sheet, query)]
    cell = format_cell_address(format_matrix_markup(sheet, stage.name), *((query, 1) if by_rows else (1, query)))
    sign = "=" if math.isqrt(d_k) ** 2 == d_k else "≈"
    quotient = f"{sign} {sheet.language.decimal(example, sheet.problem.rules.decimals)}"
    names = {"cell": cell, "product": " · ".join(vectors[:: -1 if by_rows else 1]), "d_k": d_k, "quotient": quotient}
    return sheet.say(key, **names, **_make_sink_example(sheet))


def _make_sink_example(sheet: Sheet) -> dict[str, object]:
    """Return the shares of powers 3 and 1 beside the sink's own, and what mixes 4 and −1; nothing without a sink."""
    sink, arithmetic = sheet.problem.variant.sink, sheet.problem.hand_arithmetic
    if sink is None:
        return {}
    power, places = arithmetic.raise_base(sink), sheet.problem.rules.decimals
    is_exact = not isinstance(power, Decimal)
    total = 3 + 1 + Fraction(power)
    large, small = 3 / total, 1 / total
    if not is_exact:  # whoever works the example has the rounded ones
        large, small = round(large, places), round(small, places)
    write = str if is_exact else partial(format_rounded, sheet, places=places)
    numbers = {"total": total, "large": large, "small": small, "mixed": 4 * large - small}
    own = f"{'=' if is_exact else '≈'} {write(power)}"
    return {"nothing": format_sink_power(sheet), "power": own, **{name: write(x) for name, x in numbers.items()}}


def _format_way(sheet: Sheet, stage: Stage) -> str | None:
    """Return what to do at a stage, in one sentence (markup), or by its formula; None where that stands beside it."""
    key = f"{stage.topic}.{stage.choose_instruction_key(sheet.problem.rules)}"
    names = _collect_placeholders(sheet)
    names |= _name_inputs([format_matrix_markup(sheet, name) for name in stage.input_names])
    names |= {"name": format_matrix_markup(sheet, stage.name), "formula": format_formula(sheet, stage)}
    if stage.hidings:
        return _format_mask_instruction(sheet, stage)
    if stage.sink is not None and not sheet.has_sentence(key):
        key = f"{stage.topic}.do"
    if not sheet.has_sentence(key):
        return None if stage.product is not None else format_equation(sheet, stage)
    if stage.role is ProductRole.PROJECTION:
        names["formula"] = format_equation(sheet, stage)
    if stage.role is ProductRole.LAYER:
        names["bias"] = format_matrix_markup(sheet, stage.input_names[1])
    if stage.role is ProductRole.SCORES:
        side = get_side_input(stage)
        name = format_matrix_markup(sheet, str(side))
        names |= {"side": name, "transposed": transpose_name(name)}
        if side in dict(sheet.problem.given):
            return sheet.say(f"{stage.topic}.given", **names, vector=_format_key(sheet, stage, 0))
        if not sheet.planted_mistake and sheet.is_printed(sheet.problem.mechanism.get_stage(str(side))):
            return sheet.say(f"{stage.topic}.printed", **names)
        if sheet.prints_cache:
            last = format_vector_label(sheet.key_letter, sheet.problem.sizes["memory"])
            return sheet.say(f"{stage.topic}.kept", **names, last=last)
    if sheet.prints_cache and sheet.has_sentence(f"{key}.kept"):
        key = f"{key}.kept"
    if sheet.problem.variant.has_given_positions and sheet.has_sentence(f"{key}.given"):
        key = f"{key}.given"
    return sheet.say(key, **names)


def _format_mask_instruction(sheet: Sheet, stage: Stage) -> str:
    """Return which cells a mask hides (markup), by each of its reasons."""
    hidings, names = list(stage.hidings), _collect_placeholders(sheet)
    if Hiding.WINDOW in hidings:
        hidings.remove(Hiding.LATER)  # the sentence of a window says both
    first, *others = hidings
    also = [sheet.say(f"{stage.topic}.also.{hiding}", **names) for hiding in others]
    return " ".join([sheet.say(f"{stage.topic}.do{'' if first is Hiding.LATER else f'.{first}'}", **names), *also])


def format_projection_instruction(sheet: Sheet, stage: Stage) -> str:
    """Return how a cell of the first product is made (markup)."""
    left, right = format_factor_names(sheet, stage, with_head=True)
    return sheet.say("projection.do", name=format_headed_markup(sheet, stage.name), left=left, right=right)


def _format_worked_sum(sheet: Sheet, stage: Stage, row: int, column: int) -> str:
    """Return one cell with all its pairs, zeros too: "0·1 + 0·0 + (−1)·1 = −1"."""
    known = sheet.solution.collect_hand_values()
    pairs = list_numbers(stage, known, row, column)
    added = " + ".join("·".join(_format_factor(sheet, value) for value in pair) for pair in pairs)
    return f"{added} = {format_sheet_value(sheet, known[stage.name][row][column])}"


def _format_factor(sheet: Sheet, value: Number) -> str:
    """Write a value as a factor: negative ones and fractions in brackets."""
    text = str(format_sheet_value(sheet, value))
    return f"({text})" if value < 0 or "/" in text else text


def format_worked_sentence(sheet: Sheet, stage: Stage, row: int, column: int) -> str:
    """Return the worked cell, printed in its place, as a sentence (markup)."""
    left, right = format_factor_names(sheet, stage, with_head=True)
    address = format_cell_address(format_headed_markup(sheet, stage.name), row, column)
    total = _format_worked_sum(sheet, stage, row, column)
    hand = sheet.solution[stage.name].hand
    is_alone = len(hand if sheet.convention.is_rows else hand[0]) == 1  # "column 1" is the one called x₄ there
    key = "worked.alone" if is_alone else "worked"
    return sheet.say(key, name=address, row=row + 1, left=left, column=column + 1, right=right, sum=total)


def format_check_sums(sheet: Sheet, stage: Stage) -> str | None:
    """Return "columns add to 2, 5, 3, 2" for a product of whole numbers (markup)."""
    sums = [format_source(sheet, source) for source in list_check_sums(sheet, stage)]
    return sheet.say("sums.check", sums=sheet.language.list_of(sums, "numbers")) if sums else None
