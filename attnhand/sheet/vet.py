"""How good a sheet's numbers are for a class: the criteria of its level, and the faults."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import product

from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Dimension, Stage
from attnhand.attention.numbers import Number, format_exact, is_finite, use_typographic_signs
from attnhand.attention.slips import VETTED_BY_RECIPE_1, find_slips
from attnhand.problems.criteria import (
    find_alike_queries,
    find_equal_pairs,
    find_exact_top,
    find_keys_at,
    find_least_keys,
    has_clear_other_favourite,
    has_favourites,
    has_few_on_top,
    is_flat,
    is_in_range,
    list_choosing_queries,
    list_tops,
)
from attnhand.problems.levels import Level, Requirements, choose_requirements
from attnhand.problems.vetting import (
    PREDICATES,
    Place,
    Predicate,
    WorkedStage,
    count_differing_cells,
    count_telling_products,
    iterate_worked_stages,
    list_telling_cells,
)
from attnhand.sheet.addresses import format_headed_address, format_headed_name
from attnhand.sheet.build_grids import build_labels
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import capitalize, parse_markup, to_unicode

MAX_PRINTED_DENOMINATOR = 1000
"""A fraction with a larger denominator is written as a decimal."""


@dataclass(frozen=True, slots=True)
class VettedStage:
    """A stage that is vetted, and the sheet in whose language and convention its cells are named."""

    sheet: Sheet
    worked_stage: WorkedStage
    """In columns, as it was vetted."""

    @property
    def stage(self) -> Stage:
        """The stage, in columns."""
        return self.worked_stage.context.stage

    def say(self, key: str, **placeholders: object) -> str:
        """Return a sentence as plain text."""
        return to_unicode(parse_markup(self.sheet.say(key, **placeholders)))

    @property
    def printed_name(self) -> str:
        """What the stage is called on the sheet."""
        return format_headed_name(self.sheet, self.stage.name)

    def format_name(self, name: str = "") -> str:
        """Return what a matrix is called on the sheet; by default the stage itself."""
        return format_headed_name(self.sheet, name or self.stage.name)

    def say_of_head(self, key: str, **placeholders: object) -> str:
        """Return a sentence about one head, with its number where there are several."""
        sentence = self.say(key, **placeholders)
        return self.say("in_head", head=self.stage.head, sentence=sentence) if self.stage.head else sentence

    def say_of_input(self, key: str) -> str:
        """Return a sentence about the first matrix that the stage reads."""
        return self.say(key, name=format_headed_name(self.sheet, self.stage.input_names[0]))

    def format_address(self, name: str, row: int, column: int) -> str:
        """Return the address of a cell that is given in columns, 0-based."""
        return format_headed_address(self.sheet, name, *self.turn(row, column))

    def turn(self, row: int, column: int) -> tuple[int, int]:
        """Return row and column on the sheet of a cell that is given in columns, and the other way round."""
        return (column, row) if self.sheet.convention.is_rows else (row, column)

    def format_vector_name(self, axis: Dimension, index: int, *, is_row: bool) -> str:
        """Return what a row or column of a matrix in columns is called: q₂, or row 2 where it is only numbered."""
        letter = to_unicode(build_labels(self.sheet, axis)[index].letter)
        if axis.letter:
            return letter
        direction = "row" if is_row is not self.sheet.convention.is_rows else "column"
        return self.say(f"line.{direction}s", at=letter)

    def format_query(self, index: int) -> str:
        """Return what a query is called, a column of the stage."""
        return self.format_vector_name(self.stage.columns, index, is_row=False)

    def asks_cell(self, row: int, column: int) -> bool:
        """Say whether the sheet draws a cell that is given in columns, 0-based: it may ask some queries only."""
        rows, columns = self.sheet.find_asked_rows_and_columns(self.sheet.problem.mechanism.get_stage(self.stage.name))
        i, j = self.turn(row, column)
        return i in rows and j in columns

    def format_number(self, value: Number) -> str:
        """Return a number as the sheet would print it, fractions whole."""
        if not isinstance(value, Decimal) and value.denominator <= MAX_PRINTED_DENOMINATOR:
            return use_typographic_signs(format_exact(value))
        return self.sheet.language.decimal(value, self.sheet.problem.rules.decimals)


def _find_token_faults(vetted: VettedStage) -> Iterator[str]:
    for name, tokens in vetted.worked_stage.token_matrices.items():
        axis = vetted.worked_stage.find_token_axis(name)
        for at, token in enumerate(transpose(tokens)):
            if not any(token):
                yield _format_zero_fault(vetted, axis, at, is_row=False, name=name)
        for one, other in find_equal_pairs(transpose(tokens), vetted.worked_stage.find_words(name)):
            yield _format_equal_fault(vetted, axis, one, other, is_row=False, name=name)


def _find_example_faults(vetted: VettedStage) -> Iterator[str]:
    name, *place = vetted.sheet.worked_cell or ("", 0, 0)
    row, column = vetted.turn(*place)
    if name == vetted.stage.name and not count_telling_products(vetted.worked_stage, row, column)[0]:
        yield vetted.say("vet.example", cell=vetted.format_address(name, row, column))


def _find_product_faults(vetted: VettedStage) -> Iterator[str]:
    for cell in list_telling_cells(vetted.worked_stage):
        count, needed = count_telling_products(vetted.worked_stage, *cell)
        if count < needed:
            yield vetted.say("vet.products", cell=vetted.format_address(vetted.stage.name, *cell))


def _find_row_faults(vetted: VettedStage) -> Iterator[str]:
    yield from _find_zero_vector_faults(vetted)
    for one, other in find_equal_pairs(vetted.worked_stage.output):
        yield _format_equal_fault(vetted, vetted.stage.rows, one, other, is_row=True)


def _find_vector_faults(vetted: VettedStage, words: Sequence[int] | None = None) -> Iterator[str]:
    words = vetted.worked_stage.vector_words if words is None else words
    for one, other in find_equal_pairs(transpose(vetted.worked_stage.output), words):
        if vetted.asks_cell(0, one) and vetted.asks_cell(0, other):
            yield _format_equal_fault(vetted, vetted.stage.columns, one, other, is_row=False)


def _find_zero_vector_faults(vetted: VettedStage, *, columns_too: bool = True) -> Iterator[str]:
    output = vetted.worked_stage.output
    sides = ((vetted.stage.rows, output, True), (vetted.stage.columns, transpose(output), False))
    for axis, vectors, is_row in sides[: 2 if columns_too else 1]:
        for at, vector in enumerate(vectors):
            if not any(vector) and (is_row or vetted.asks_cell(0, at)):
                yield _format_zero_fault(vetted, axis, at, is_row=is_row)


def _format_zero_fault(vetted: VettedStage, axis: Dimension, at: int, *, is_row: bool, name: str = "") -> str:
    line = vetted.format_vector_name(axis, at, is_row=is_row)
    return capitalize(vetted.say("vet.zero", line=line, name=vetted.format_name(name)))


def _format_equal_fault(
    vetted: VettedStage, axis: Dimension, one: int, other: int, *, is_row: bool, name: str = ""
) -> str:
    first, second = (vetted.format_vector_name(axis, at, is_row=is_row) for at in (one, other))
    return capitalize(vetted.say("vet.equal", one=first, other=second, name=vetted.format_name(name)))


def _find_feature_faults(vetted: VettedStage) -> Iterator[str]:
    for name, tokens in vetted.worked_stage.complete_token_matrices.items():
        for number, row in enumerate(tokens, 1):
            if not any(row):
                yield vetted.say("vet.unused", feature=number, name=vetted.format_name(name))


def _find_floor_faults(vetted: VettedStage) -> Iterator[str]:
    for place, score in _iterate_cells(vetted.worked_stage.inputs[0]):
        if score < 0 and score % 2 == 1:
            yield vetted.say("vet.floor.one", cell=vetted.format_address(vetted.stage.input_names[0], *place))
            return
    yield vetted.say_of_input("vet.floor.none")


def _find_range_faults(vetted: VettedStage) -> Iterator[str]:
    """Name the scores that are raised to and asked, and that are less or more than the level has."""
    sheet, name, required = vetted.sheet, vetted.stage.input_names[0], vetted.worked_stage.requirements
    rows, columns = sheet.find_asked_rows_and_columns(sheet.problem.mechanism.get_stage(name))
    for i, j in product(rows, columns):  # of the sheet; what is vetted has tokens as columns
        key, query = vetted.turn(i, j)
        exponent = vetted.worked_stage.inputs[0][key][query]
        if is_finite(exponent) and not is_in_range(required, exponent):
            yield vetted.say(
                "vet.range",
                cell=format_headed_address(sheet, name, i, j),
                value=vetted.format_number(sheet.solution[name].hand[i][j]),
                lowest=use_typographic_signs(str(required.min_score)),
                highest=required.max_score,
            )


def _list_asked_queries(vetted: VettedStage) -> list[int]:
    return [at for at in range(len(vetted.worked_stage.views)) if vetted.asks_cell(0, at)]


def _asks_every_query(vetted: VettedStage) -> bool:
    return len(_list_asked_queries(vetted)) == len(vetted.worked_stage.views)


def _number_tokens(tokens: Iterable[int]) -> list[str]:
    return [str(token + 1) for token in tokens]


def _number_extremes(vetted: VettedStage, query: int, choose: Callable[..., Number]) -> list[str]:
    """Return the numbers of the tokens that a query attends to most, or least; a word said twice each time."""
    view = vetted.worked_stage.views[query]
    return _number_tokens(find_keys_at(choose(view.exponents), view.keys, view.exponents))


def _find_flat_faults(vetted: VettedStage) -> Iterator[str]:
    worked = vetted.worked_stage
    for at in _list_asked_queries(vetted):
        if is_flat(worked.requirements, worked.views[at]):
            yield vetted.say("vet.flat", query=vetted.format_query(at))


def _find_tie_faults(vetted: VettedStage) -> Iterator[str]:
    required, views = vetted.worked_stage.requirements, vetted.worked_stage.views
    for at in _list_asked_queries(vetted):
        if not has_few_on_top(required, views[at]) and not is_flat(required, views[at]):
            yield vetted.say("vet.tie", query=vetted.format_query(at), tokens=_number_extremes(vetted, at, max))


def _find_weight_faults(vetted: VettedStage) -> Iterator[str]:
    for one, other, is_by_hand in find_alike_queries(vetted.worked_stage):
        if vetted.asks_cell(0, one) and vetted.asks_cell(0, other):
            names = {"one": vetted.format_query(one), "other": vetted.format_query(other)}
            yield vetted.say_of_head("vet.alike" if is_by_hand else "vet.alike.exactly", **names)


def _find_favourite_faults(vetted: VettedStage) -> Iterator[str]:
    if not _asks_every_query(vetted):
        return  # of a few queries alone nothing can be said
    tops, least = list_tops(vetted.worked_stage), vetted.worked_stage.requirements.min_favourites
    if not has_favourites(tops, least):
        key = "vet.favourites.few" if len(set(tops)) > 1 else "vet.favourites.same"
        tokens = _number_tokens(sorted({token for top in tops for token in top}))
        yield vetted.say_of_head(key, tokens=tokens, count=least)
    else:
        query = vetted.format_query(2)
        yield vetted.say_of_head("vet.favourites.causal", tokens=_number_tokens(tops[-1]), query=query)


def _find_own_token_faults(vetted: VettedStage) -> Iterator[str]:
    if _asks_every_query(vetted):
        first = list_choosing_queries(vetted.worked_stage).start
        yield vetted.say_of_head("vet.own.causal" if first else "vet.own", query=vetted.format_query(first))


def _find_least_faults(vetted: VettedStage) -> Iterator[str]:
    required, views = vetted.worked_stage.requirements, vetted.worked_stage.views
    for at in required.asked_queries:
        if len(find_least_keys(required, views[at])) > 1 and not is_flat(required, views[at]):
            tokens = _number_extremes(vetted, at, min)
            yield vetted.say_of_head("vet.least", query=vetted.format_query(at), tokens=tokens)


def _find_head_faults(vetted: VettedStage) -> Iterator[str]:
    if _asks_every_query(vetted):
        yield vetted.say("vet.heads", one=vetted.stage.head - 1, other=vetted.stage.head)


def _find_shortcut_faults(vetted: VettedStage) -> Iterator[str]:
    tops = list_tops(vetted.worked_stage)
    for at in _list_asked_queries(vetted):
        if tops[at] != (exact_top := find_exact_top(vetted.worked_stage, at)):
            by_hand, exactly = _number_tokens(tops[at]), _number_tokens(exact_top)
            yield vetted.say_of_head("vet.shortcut", query=vetted.format_query(at), hand=by_hand, exact=exactly)


def _find_denominator_faults(vetted: VettedStage) -> Iterator[str]:
    required = vetted.worked_stage.requirements
    limit = (required.max_denominator if vetted.stage.topic == "weights" else required.max_joined_denominator) or 0
    asked = [(place, value) for place, value in _iterate_cells(vetted.worked_stage.output) if vetted.asks_cell(*place)]
    place, worst = max(asked, key=lambda each: Fraction(each[1]).denominator)
    if Fraction(worst).denominator > limit:
        yield vetted.say(
            "vet.denominator",
            name=vetted.printed_name,
            value=use_typographic_signs(format_exact(worst)),
            cell=vetted.format_address(vetted.stage.name, *place),
            largest=Fraction(worst).denominator,
            limit=limit,
        )


def _find_relu_faults(vetted: VettedStage) -> Iterator[str]:
    nothing_left = max(map(max, vetted.worked_stage.inputs[0])) <= 0
    yield vetted.say_of_input("vet.bends.none" if nothing_left else "vet.bends.all")


def _find_slip_faults(vetted: VettedStage) -> Iterator[str]:
    worked, stage = vetted.worked_stage, vetted.stage
    seen: dict[Matrix, str] = {}
    for slip in find_slips(stage, VETTED_BY_RECIPE_1):
        if (wrong := slip.compute_wrong(worked.context)) is None:
            continue
        names = {"action": describe_slip(vetted.sheet, slip.id, stage), "slip": slip.id, "name": vetted.printed_name}
        count = count_differing_cells(worked.output, wrong)
        if count == 0:
            yield vetted.say("vet.slip.hidden", **names)
        elif count == 1:
            pairs = zip(_iterate_cells(worked.output), _iterate_cells(wrong), strict=True)
            place = next(place for (place, right), (_, other) in pairs if right != other)
            yield vetted.say("vet.slip.one", cell=vetted.format_address(stage.name, *place), **names)
        elif wrong in seen:
            yield vetted.say("vet.slip.alike", other=seen[wrong], **names)
        seen.setdefault(wrong, slip.id)


def _iterate_cells(a: Matrix) -> Iterable[tuple[tuple[int, int], Number]]:
    return (((i, j), value) for i, row in enumerate(a) for j, value in enumerate(row))


FAULT_FINDERS: Mapping[str, Callable[[VettedStage], Iterable[str]]] = {
    "tokens-differ": _find_token_faults,
    "features-used": _find_feature_faults,
    "example-tells": _find_example_faults,
    "products-tell": _find_product_faults,
    "rows-alive": _find_row_faults,
    "vectors-differ": _find_vector_faults,
    "floor-shows": _find_floor_faults,
    "slips-show": _find_slip_faults,
    "in-range": _find_range_faults,
    "negative-score": lambda vetted: [vetted.say_of_input("vet.negative")],
    "not-flat": _find_flat_faults,
    "few-on-top": _find_tie_faults,
    "weights-differ": _find_weight_faults,
    "favourites-differ": _find_favourite_faults,
    "looks-beyond": _find_own_token_faults,
    "one-least": _find_least_faults,
    "heads-differ": _find_head_faults,
    "same-favourite": _find_shortcut_faults,
    "outputs-differ": lambda vetted: _find_vector_faults(vetted, vetted.worked_stage.requirements.output_words),
    "readable": _find_denominator_faults,
    "layer-alive": lambda vetted: _find_zero_vector_faults(vetted, columns_too=False),
    "bends": _find_relu_faults,
}
"""By the name of the criterion; asked only where it is not met."""

_UNTOLD = [predicate.name for predicate in PREDICATES if predicate.name not in FAULT_FINDERS]
assert not _UNTOLD, f"FAULT_FINDERS in {__name__} does not tell where {', '.join(_UNTOLD)} is not met: add its finder"

MAX_FAULTS_PER_CRITERION = 4
"""Faults listed per criterion."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CriterionResult:
    """One thing that makes a sheet good, and whether it is so here; every text is plain Unicode."""

    name: str
    """Of its predicate: ``few-on-top``."""

    title: str
    """What should hold: "Every query has a clear favourite"."""

    stages: tuple[str, ...]
    """Where it was looked for."""

    faults: tuple[str, ...]
    """Where it is not met, a sentence each; none where it is."""

    remedy: str
    """What would help; empty where it is met."""

    @property
    def is_met(self) -> bool:
        """Say whether nothing is amiss."""
        return not self.faults


@dataclass(frozen=True, slots=True, kw_only=True)
class VetReport:
    """The criteria of a level, each with its faults on one sheet."""

    level: Level
    verdict: str
    """One sentence for the teacher who is about to print it."""

    results: tuple[CriterionResult, ...]
    """In the order in which a sheet is worked."""

    @property
    def is_good(self) -> bool:
        """Say whether every criterion is met."""
        return all(result.is_met for result in self.results)


def vet(sheet: Sheet) -> VetReport:
    """Say how good the numbers of a sheet are for a class: at its level, or for your own matrices at the standard one.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> vet(make_sheet_from_request(Request(seed=7))).verdict
    'Good for a class: all 21 criteria of level standard are met.'

    Your own matrices that make a good warm-up are called that.
    """
    if sheet.request:
        return _build_report(sheet, sheet.request.level)
    report = _build_report(sheet, Level.STANDARD)
    easier = report if report.is_good else _build_report(sheet, Level.WARM_UP, verdict_key="vet.good.easier")
    return easier if easier.is_good else report


def _build_report(sheet: Sheet, level: Level, verdict_key: str = "vet.good") -> VetReport:
    stages = _work_stages(sheet, level)
    results = tuple(result for predicate in PREDICATES for result in _evaluate_criterion(sheet, predicate, stages))
    unmet = sum(not result.is_met for result in results)
    if unmet:
        verdict = sheet.say("vet.some", number=sheet.say("vet.counts").split()[unmet - 1], count=unmet)
    else:
        verdict = sheet.say(verdict_key, count=len(results), level=sheet.say(f"level.{level}"))
    return VetReport(level=level, verdict=verdict, results=results)


def _work_stages(sheet: Sheet, level: Level) -> list[WorkedStage]:
    """Work every stage as far as integers and fractions go, with tokens as columns."""
    problem = sheet.problem.transpose() if sheet.convention.is_rows else sheet.problem
    requirements = choose_requirements(
        level,
        problem.variant,
        problem.sizes,
        problem.hand_arithmetic,
        allow_ties=bool(sheet.request and sheet.request.allow_ties),
    )
    asked = sheet.asked_queries[-1 if problem.variant.is_causal else 0]
    requirements = requirements._replace(
        asked_queries=(asked,), has_few_askers=problem.variant.letters["k"] == "memory"
    )
    return list(iterate_worked_stages(problem.mechanism, problem.mechanism.stages, dict(problem.given), requirements))


def _evaluate_criterion(sheet: Sheet, predicate: Predicate, stages: list[WorkedStage]) -> Iterator[CriterionResult]:
    """Return the result of one criterion over all heads; none where mechanism or level do not ask it."""
    asked = [worked for worked in stages if predicate in worked.predicates and _can_fail(predicate, worked)]
    if not asked:
        return
    topic = f".{asked[0].context.stage.topic}" if predicate.name == "slips-show" else ""
    poor = [VettedStage(sheet, worked) for worked in asked if not predicate.is_met(worked)]
    faults = [fault for each in poor for fault in FAULT_FINDERS[predicate.name](each)]
    if poor and not faults and predicate.place is not Place.EXAMPLE:  # of which a sheet works the cell that tells most
        return  # another criterion says so
    listed = faults[:MAX_FAULTS_PER_CRITERION]
    if len(faults) > MAX_FAULTS_PER_CRITERION:
        listed.append(sheet.say("vet.more", count=len(faults) - MAX_FAULTS_PER_CRITERION))
    yield CriterionResult(
        name=predicate.name,
        title=_format_title(sheet, predicate, topic, asked[0].requirements),
        stages=tuple(worked.context.stage.name for worked in asked),
        faults=tuple(listed),
        remedy=sheet.say("vet.helps", advice=sheet.say(f"vet.helps.{predicate.name}{topic}")) if faults else "",
    )


_NAMES_OF_EQUALS = ("tokens-differ", "vectors-differ", "weights-differ", "outputs-differ", "few-on-top", "one-least")
"""Criteria from which a word that is said twice is left out."""


def _format_title(sheet: Sheet, predicate: Predicate, topic: str, requirements: Requirements) -> str:
    """Return what should hold, and no more than what is asked."""
    count = {"favourites-differ": requirements.min_favourites, "few-on-top": requirements.max_top_tokens}
    title = sheet.say(f"vet.criterion.{predicate.name}{topic}", count=count.get(predicate.name, 0))
    words = requirements.output_words if predicate.name == "outputs-differ" else requirements.query_words
    if predicate.name in _NAMES_OF_EQUALS and len(set(words)) < len(words):
        title = sheet.say("vet.aside", criterion=title)
    return to_unicode(parse_markup(title))


def _can_fail(predicate: Predicate, worked_stage: WorkedStage) -> bool:
    """Say whether a sheet can fail the criterion at this level; if not, it is no news that it passes."""
    requirements, stage = worked_stage.requirements, worked_stage.context.stage
    if predicate.name == "features-used" and not worked_stage.complete_token_matrices:
        return False
    if predicate.name == "rows-alive" and not worked_stage.has_all_tokens(stage.columns):
        return False
    if predicate.place is Place.SCALING and not requirements.arithmetic.rules.is_rounded_down:
        return False
    if predicate.is_slow and worked_stage.rational_result is None:  # of slips in irrational numbers nothing is said
        return False
    is_asked = {
        "floor-shows": requirements.is_fraction_required,
        "negative-score": requirements.is_fraction_required,
        "few-on-top": requirements.max_top_tokens < max(map(len, transpose(worked_stage.inputs[0])), default=0),
        "favourites-differ": requirements.min_favourites > 1,
        "looks-beyond": requirements.is_another_favourite_required,
        "one-least": requirements.is_least_unique,
        "heads-differ": stage.head > 1,
        "weights-differ": requirements.are_weights_distinct,
        "outputs-differ": requirements.are_weights_distinct,
    }
    if predicate.name == "looks-beyond" and is_asked[predicate.name]:
        return not predicate.is_met(worked_stage) or has_clear_other_favourite(worked_stage)  # ties are no news either
    if predicate.name == "products-tell":
        return bool(list_telling_cells(worked_stage))
    if predicate.name == "vectors-differ":
        return requirements.has_room_to_differ(len(worked_stage.output), len(worked_stage.output[0]))
    return is_asked.get(predicate.name, True)
