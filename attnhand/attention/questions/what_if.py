"""Questions about other numbers: a change of the problem, which is solved anew by both routes, and what is compared."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from functools import lru_cache, partial
from typing import NamedTuple

from attnhand.attention.arithmetic import HAND, MAX_DECIMALS, Arithmetic, Base, ScaleRule, compute_turn
from attnhand.attention.convention import transpose_if_columns
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.matrix import Matrix, dot, flatten, map_cells, transpose
from attnhand.attention.mechanisms import Mechanism, Stage
from attnhand.attention.mechanisms.base import Form, get_query_inputs, get_side_input
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.numbers import Number, divide, is_finite, to_float
from attnhand.attention.problem import MASK_NAME, Problem
from attnhand.attention.questions.base import (
    OWN_FORM,
    AnswerKind,
    CellChange,
    Finding,
    Parameters,
    Part,
    Question,
    Scene,
    Vectors,
    is_near,
    is_same_matrix,
    list_heads,
)
from attnhand.attention.questions.reading import (
    NO,
    YES,
    compare_outputs,
    find_reason_of_order,
    list_choosers,
    list_repeated_words,
)
from attnhand.attention.solution import Solution, solve
from attnhand.errors import ProblemError

RAISE_BY = 6
"""What is added to every score of a query: even, since by hand the floor moves with odd numbers."""

SMALL_NUMBERS = (-3, -2, -1, 0, 1, 2, 3)
"""What an example of a changed number is taken from."""

MORE, LESS, SAME = "more", "less", "same"
SHARPER, FLATTER = "sharper", "flatter"
BOTH, WEIGHTS, OUTPUTS, NOTHING = "weights-and-outputs", "weights", "outputs", "nothing"
WHAT_CHANGES = (BOTH, WEIGHTS, OUTPUTS, NOTHING)
FACTORS = "factors"
TURNED, NEGATED = "turned", "negated"
TRADED, OTHERS = "traded", "others"
AS_IN_X, ALL_ZERO = "as-in-X", "all-zero"


class Changed(NamedTuple):
    """What is to be worked instead."""

    problem: Problem
    replacements: Mapping[str, Matrix] = {}
    """Stages that are changed themselves; what comes after them is worked and proved."""

    def solve(self) -> Solution | None:
        """Solve and prove it; None where nothing can be worked from it."""
        from attnhand.attention.proof import prove  # numpy is loaded when there is something to prove

        try:
            solution = solve(self.problem, replacements=self.replacements)
        except (ProblemError, ArithmeticError):
            return None
        return prove(solution, changed_stages=frozenset(self.replacements))


ProblemChange = Callable[[Scene, Parameters], Changed]
Comparison = Callable[[Scene, Parameters, Solution], Finding | None]


def _answer(scene: Scene, parameters: Parameters, *, change: ProblemChange, compare: Comparison) -> Finding | None:
    """Answer what comes of a change; None where nothing can be worked from it, or no one answer is right.

    None also where a shortcut decides, so that the answer would be another one without: that is no rule to learn.
    """
    finding = _find_change_of(scene, parameters, change, compare)
    exact_scene = _take_exact_scene(scene) if finding else None
    if finding is None or exact_scene is None:
        return finding
    exact = _find_change_of(exact_scene, parameters, change, compare)
    return finding if exact and exact.answer == finding.answer else None


@lru_cache(maxsize=4)
def _take_exact_scene(scene: Scene) -> Scene | None:
    """Return the same scene worked without shortcuts; None where there are none, or no powers can be written down."""
    problem = scene.problem
    rules = replace(problem.exact_rules, decimals=MAX_DECIMALS)
    if problem.rules == replace(rules, decimals=problem.rules.decimals):
        return None
    try:
        return replace(scene, solution=solve(replace(problem, rules=rules)))
    except ProblemError:
        return None


def _find_change_of(scene: Scene, parameters: Parameters, change: ProblemChange, compare: Comparison) -> Finding | None:
    """Answer what comes of a change by the rules of a scene's problem."""
    try:
        solution = change(scene, parameters).solve()
        return None if solution is None else compare(scene, parameters, solution)
    except ProblemError:  # a number is too large to be given
        return None


# parts of changes


def change_given(problem: Problem, **matrices: Matrix) -> Problem:
    """Return the problem with other numbers in some given matrices."""
    return replace(problem, given=tuple((name, matrices.get(name, a)) for name, a in problem.given))


def change_vector(scene: Scene, a: Matrix, index: int, change: Callable[[Number], Number]) -> Matrix:
    """Return a matrix with the numbers of one token, or query, changed."""
    vectors = list(transpose_if_columns(a, scene.problem.convention))
    vectors[index] = tuple(map(change, vectors[index]))
    return transpose_if_columns(tuple(vectors), scene.problem.convention)


def exchange_vectors(scene: Scene, a: Matrix, i: int, j: int) -> Matrix:
    """Return a matrix in which two tokens have changed places."""
    vectors = list(transpose_if_columns(a, scene.problem.convention))
    vectors[i], vectors[j] = vectors[j], vectors[i]
    return transpose_if_columns(tuple(vectors), scene.problem.convention)


def _add_one(value: Number) -> Number:
    return value + 1


def _find_projection(scene: Scene, parameters: Parameters, topic: str) -> Stage | None:
    """Return the stage that makes the queries, keys or values of a head; None where the tokens are taken themselves."""
    attention = scene.get_attention(parameters)
    sources = scene.mechanism.list_sources(attention.outputs or attention.weights)
    return next((each for each in sources if each.topic == topic and each.role is ProductRole.PROJECTION), None)


def get_projection(scene: Scene, parameters: Parameters, topic: str) -> tuple[str, str]:
    """Return the names of that stage and of its weights."""
    stage = _find_projection(scene, parameters, topic)
    assert stage is not None
    weights = get_side_input(stage)
    assert weights is not None
    return stage.name, weights


def find_values_name(scene: Scene, parameters: Parameters) -> str:
    """Return the values that a head mixes: with a cache those that are kept, too."""
    outputs = scene.mechanism.get_stage(scene.get_attention(parameters).outputs)
    name = get_side_input(outputs)
    assert name is not None
    return name


def find_keys_name(scene: Scene, parameters: Parameters) -> str:
    """Return the keys that a head compares, before they are turned: with a cache those that are kept, too."""
    if scene.problem.variant.has_cache:
        return get_side_input(scene.mechanism.get_stage(scene.get_attention(parameters).scores)) or ""
    return get_projection(scene, parameters, "keys")[0]


# comparisons that several questions make


def _name_what_changes(scene: Scene, parameters: Parameters, changed: Solution) -> Finding:
    """Answer which of A and Z are others."""
    names = scene.get_attention(parameters)
    weights, outputs = (
        not is_same_matrix(scene.solution[name].hand, changed[name].hand) for name in (names.weights, names.outputs)
    )
    return Finding(answer=BOTH if weights and outputs else WEIGHTS if weights else OUTPUTS if outputs else NOTHING)


def _compare_top_share(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer whether the largest share of a query is more or less.

    None where decimals do not show which, or it is the same, as only rounding down can leave it.
    """
    before, after = (max(take_weights(scene, parameters, each)) for each in (scene.solution, changed))
    if is_near(before, after) or scene.looks_alike(before, after):
        return None
    answer = MORE if to_float(after) > to_float(before) else LESS
    return Finding(answer=answer, reason=answer)


def take_weights(scene: Scene, parameters: Parameters, solution: Solution) -> tuple[Number, ...]:
    """Return the weights of the query that is asked."""
    values = solution.collect_hand_values()
    return scene.take_vectors(values, scene.get_attention(parameters).weights)[parameters.query]


# scores, scaling, base


def _raise_scores(scene: Scene, parameters: Parameters) -> Changed:
    name = scene.get_attention(parameters).scores
    raised = change_vector(scene, scene.solution[name].hand, parameters.query, lambda score: score + RAISE_BY)
    return Changed(scene.problem, {name: raised})


def _list_raised(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query with a choice whose scores are worked, and raised to powers, and mix values.

    A sink stays where all scores rise, and what is rounded down twice may rise by more.
    """
    variant = scene.problem.variant
    for parameters in list_choosers(scene) if variant.sink is None and variant.temperature is None else ():
        attention = scene.get_attention(parameters)
        if attention.outputs and attention.powers and scene.mechanism.find_stage(attention.scores):
            yield parameters


def list_scaled(scene: Scene) -> Iterator[Parameters]:
    if scene.mechanism.is_scaled and scene.problem.sizes.get("d_k", 2) > 1:
        yield from list_choosers(scene)


def _list_shifted(scene: Scene) -> Iterator[Parameters]:
    """Yield one question for all heads, where the largest score is subtracted and values are mixed."""
    if scene.problem.variant.is_shifted and scene.mixes_values:
        yield Parameters()


def _list_passed_back(scene: Scene) -> Iterator[Parameters]:
    """Yield one question where a gradient goes back through a softmax to given values."""
    if any(each.topic == "gradient_scores" for each in scene.mechanism.stages):
        yield Parameters()


def _add_to_values(scene: Scene, _: Parameters) -> Changed:
    return Changed(change_given(scene.problem, V=map_cells(_add_one, scene.problem["V"])))


def _compare_passed_back(scene: Scene, _: Parameters, changed: Solution) -> Finding:
    """Answer whether the gradient by the scores is another."""
    name = next(each.name for each in scene.mechanism.stages if each.topic == "gradient_scores")
    return Finding(answer=NO if is_same_matrix(scene.solution[name].hand, changed[name].hand) else YES)


def leave_out_shift(scene: Scene, _: Parameters) -> Changed:
    return Changed(replace(scene.problem, variant=replace(scene.problem.variant, is_shifted=False)))


def list_sunk(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query with a choice, where a sink takes a share from it."""
    yield from list_choosers(scene) if scene.problem.variant.sink is not None else ()


def leave_out_sink(scene: Scene, _: Parameters) -> Changed:
    return Changed(replace(scene.problem, variant=replace(scene.problem.variant, sink=None)))


def list_tempered(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query with a choice, where scores are divided by a temperature."""
    yield from list_choosers(scene) if scene.problem.variant.temperature is not None else ()


def leave_out_temperature(scene: Scene, _: Parameters) -> Changed:
    return Changed(replace(scene.problem, variant=replace(scene.problem.variant, temperature=None)))


def leave_out_scaling(scene: Scene, _: Parameters) -> Changed:
    return Changed(replace(scene.problem, rules=replace(scene.problem.rules, scale=ScaleRule.NONE)))


def _list_bases(scene: Scene) -> Iterator[Parameters]:
    for parameters in list_choosers(scene) if scene.mechanism.has_powers and not reads_rounded(scene) else ():
        for base in (Base.TWO, Base.TEN):
            if base is not scene.problem.rules.base:
                yield replace(parameters, base=base)


def reads_rounded(scene: Scene) -> bool:
    """Say whether weights are made of what is rounded where 3 stands for e: another base could change that too."""
    sources = (stage for each in scene.mechanism.weight_stages for stage in scene.mechanism.list_sources(each.name))
    return any(stage.is_rounded for stage in sources)


def take_other_base(scene: Scene, parameters: Parameters) -> Changed:
    assert parameters.base is not None
    return Changed(replace(scene.problem, rules=replace(scene.problem.rules, base=parameters.base)))


def _compare_sharpness(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer whether a query attends more sharply."""
    found = _compare_top_share(scene, parameters, changed)
    if found is None:
        return None
    answer = SHARPER if found.answer == MORE else FLATTER
    return Finding(answer=answer, reason=answer)


# queries, weights, values


def _list_queries_with_vectors(scene: Scene) -> Iterator[Parameters]:
    for parameters in list_choosers(scene):
        if _find_projection(scene, parameters, "queries"):
            yield parameters


def _list_queries_to_clear(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query that has a vector and would share out a whole 1 evenly: no sink takes part of it."""
    yield from _list_queries_with_vectors(scene) if scene.problem.variant.sink is None else ()


def _set_query_to_zero(scene: Scene, parameters: Parameters) -> Changed:
    name, _ = get_projection(scene, parameters, "queries")
    zero = change_vector(scene, scene.solution[name].hand, parameters.query, lambda _: 0)
    return Changed(scene.problem, {name: zero})


def _find_equal_share(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer with the share that every key gets."""
    weights = take_weights(scene, parameters, changed)
    shares = {weights[key] for key in scene.list_visible_keys(parameters.query, parameters.attention)}
    if len(shares) > 1:
        return None
    count = round(1 / to_float(shares.pop()))
    return Finding(answer=divide(1, count), numbers={"count": count})


def list_heads_with(scene: Scene, topic: str) -> Iterator[Parameters]:
    """Yield every head that makes queries, keys or values of its own."""
    for at, _ in list_heads(scene):
        if _find_projection(scene, Parameters(attention=at), topic):
            yield Parameters(attention=at)


def list_exchangeable(scene: Scene) -> Iterator[Parameters]:
    """Yield every head whose queries and keys come from the same tokens."""
    for parameters in list_heads_with(scene, "queries") if "memory" not in scene.problem.sizes else ():
        if _find_projection(scene, parameters, "keys"):
            yield parameters


def _list_doubled(scene: Scene, topic: str) -> Iterator[Parameters]:
    """Yield what asks of queries or values that all double with their weights: no bias is added to them."""
    if not scene.problem.variant.has_biases:
        yield from _list_queries_with_vectors(scene) if topic == "queries" else list_heads_with(scene, topic)


def _exchange_weights(scene: Scene, parameters: Parameters) -> Changed:
    queries, keys = (get_projection(scene, parameters, topic)[1] for topic in ("queries", "keys"))
    given = dict(scene.problem.given)
    return Changed(change_given(scene.problem, **{queries: given[keys], keys: given[queries]}))


def _compare_scores(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer what S has become: it was turned, or negated, or it is the same."""
    name = scene.get_attention(parameters).scores
    before, after = scene.solution[name].hand, changed[name].hand
    readings = {TURNED: transpose(before), SAME: before, NEGATED: map_cells(lambda score: -score, before)}
    fitting = [choice for choice, scores in readings.items() if is_same_matrix(after, scores)]
    return Finding(answer=fitting[0]) if len(fitting) == 1 else None


def _double_weights(scene: Scene, parameters: Parameters, *, topic: str) -> Changed:
    _, name = get_projection(scene, parameters, topic)
    return Changed(change_given(scene.problem, **{name: map_cells(lambda value: 2 * value, scene.problem[name])}))


def _find_ratio_of_outputs(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer how many times as large Z is, if that is one number for all of its cells."""
    outputs = scene.get_attention(parameters).outputs
    pairs = zip(flatten(scene.solution[outputs].hand), flatten(changed[outputs].hand), strict=True)
    ratios = {round(to_float(divide(after, before)), 9) for before, after in pairs if before}
    return Finding(answer=round(ratios.pop())) if len(ratios) == 1 else None


def list_values(scene: Scene) -> Iterator[Parameters]:
    """Yield every value that an asked query sees."""
    for parameters in list_heads_with(scene, "values") if scene.mixes_values else ():
        seen = {key for query in scene.asked_queries for key in scene.list_visible_keys(query, parameters.attention)}
        for token in sorted(seen):
            yield replace(parameters, token=token)


def _raise_value(scene: Scene, parameters: Parameters) -> Changed:
    name = find_values_name(scene, parameters)
    return Changed(scene.problem, {name: change_vector(scene, scene.solution[name].hand, parameters.token, _add_one)})


# other tokens, other places


def list_pairs(scene: Scene) -> Iterator[Parameters]:
    """Yield every two tokens that may change places: of X, and in cross attention of the memory."""
    variant = scene.problem.variant
    is_masked = any(attention.masked for attention in scene.mechanism.attentions)
    has_tokens = any(name in ("X", "M", EMBEDDING_NAME) for name, _ in scene.problem.given)
    is_begun = variant.begins_with or not has_tokens or variant.has_cache
    if is_masked or variant.has_positions or is_begun or not scene.asks_every_query:
        return
    count = scene.problem.key_count
    words = variant.embedded_words
    for i in range(count):
        for j in range(i + 1, count):
            if not words or "memory" in scene.problem.sizes or words[i] != words[j]:
                yield Parameters(token=i, other=j)


def exchange_tokens(scene: Scene, parameters: Parameters) -> Changed:
    problem, i, j = scene.problem, parameters.token, parameters.other
    if "memory" not in problem.sizes and problem.variant.embedded_words:
        return Changed(_exchange_words(problem, i, j))
    name = "M" if "memory" in problem.sizes else "X"
    return Changed(change_given(problem, **{name: exchange_vectors(scene, problem[name], i, j)}))


def _exchange_words(problem: Problem, i: int, j: int) -> Problem:
    """Let two words change places; the table keeps every word's vector."""
    words = list(problem.variant.embedded_words)
    vectors = dict(
        zip(problem.variant.vocabulary, transpose_if_columns(problem[EMBEDDING_NAME], problem.convention), strict=True)
    )
    words[i], words[j] = words[j], words[i]
    variant = replace(problem.variant, embedded_words=tuple(words))
    table = transpose_if_columns(tuple(vectors[word] for word in variant.vocabulary), problem.convention)
    return replace(change_given(problem, **{EMBEDDING_NAME: table}), variant=variant)


def _compare_places(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer whether outputs have changed places with their tokens; in cross attention, that nothing has changed."""
    outputs = scene.mechanism.stages[-1].name
    before, after = scene.solution[outputs].hand, changed[outputs].hand
    if "memory" in scene.problem.sizes:
        return Finding(answer=NOTHING, reason="memory") if is_same_matrix(after, before) else None
    traded = exchange_vectors(scene, before, parameters.token, parameters.other)
    is_traded = is_same_matrix(after, traded) and not is_same_matrix(after, before)
    return Finding(answer=TRADED) if is_traded else None


def _list_added_positions(scene: Scene) -> Iterator[Parameters]:
    return iter(()) if scene.problem.variant.has_positions else list_repeated_words(scene)


def _list_left_positions(scene: Scene) -> Iterator[Parameters]:
    return list_repeated_words(scene) if scene.problem.variant.has_positions else iter(())


def _toggle_positions(scene: Scene, _: Parameters) -> Changed:
    """Add positions to the words, or leave them out."""
    problem = scene.problem
    variant = replace(problem.variant, has_positions=not problem.variant.has_positions, has_given_positions=False)
    return Changed(replace(problem, variant=variant, given=tuple(each for each in problem.given if each[0] != "P")))


def _compare_repeated_words(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer whether one word said twice has one output; not where it does by chance, which would teach nothing."""
    answer = compare_outputs(scene, parameters, changed.collect_hand_values())
    why = find_reason_of_order(scene, has_positions=changed.problem.variant.has_positions)
    return None if answer == YES and why != "order" else Finding(answer=answer, reason=why)


# masks


def _list_masked_tokens(scene: Scene) -> Iterator[Parameters]:
    """Yield every token whose change some outputs feel and others do not."""
    words = scene.problem.variant.embedded_words
    variant = scene.problem.variant
    is_begun = variant.begins_with or variant.ends_with or not scene.mixes_values
    if not variant.is_causal or is_begun or not scene.asks_every_query:
        return
    for token in range(scene.problem.sizes["tokens"]):
        spared = _list_blind_queries(scene, token)
        if spared and len(spared) < len(scene.asked_queries) and (not words or words.count(words[token]) == 1):
            yield Parameters(token=token)


def _list_blind_queries(scene: Scene, token: int) -> tuple[int, ...]:
    return tuple(query for query in scene.asked_queries if token not in scene.list_visible_keys(query))


def _raise_token(scene: Scene, parameters: Parameters) -> Changed:
    """Let one token be another."""
    words, name, index = scene.problem.variant.embedded_words, "X", parameters.token
    if words:
        name, index = EMBEDDING_NAME, scene.problem.variant.vocabulary.index(words[index])
    return Changed(change_given(scene.problem, **{name: change_vector(scene, scene.problem[name], index, _add_one)}))


def _list_outputs_that_stay(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    last = scene.mechanism.attentions[0].outputs
    before, after = (scene.take_vectors(each.collect_hand_values(), last) for each in (scene.solution, changed))
    stay = tuple(query for query in scene.asked_queries if is_same_matrix((before[query],), (after[query],)))
    return Finding(answer=stay) if stay == _list_blind_queries(scene, parameters.token) else None


def _list_hidden(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query from which something is hidden, with one of the keys that are."""
    for at, _ in list_heads(scene):
        for query in scene.asked_queries:
            visible = scene.list_visible_keys(query, at)
            for token in range(scene.problem.key_count):
                if token not in visible:
                    yield Parameters(attention=at, query=query, token=token)


def _list_hidden_without_sink(scene: Scene) -> Iterator[Parameters]:
    """Yield the same where no sink takes a share too."""
    if scene.problem.variant.sink is None:
        yield from _list_hidden(scene)


def _write_zero_before(scene: Scene, parameters: Parameters) -> Changed:
    """Put 0 in place of −∞."""
    name = scene.get_attention(parameters).masked
    zeros = map_cells(lambda score: score if is_finite(score) else 0, scene.solution[name].hand)
    return Changed(scene.problem, {name: zeros})


def _find_hidden_share(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer that the hidden key has a share; None where no decimal tells."""
    share = take_weights(scene, parameters, changed)[parameters.token]
    return None if scene.looks_alike(share, 0) else Finding(answer=NO, numbers={"share": share})


def leave_out_mask(scene: Scene, _: Parameters) -> Changed:
    if scene.problem.variant.has_distances:  # which bring the mask: what it is put on stands for what it leaves
        values = scene.solution.collect_hand_values()
        return Changed(scene.problem, {each.masked: values[each.maskable] for each in scene.mechanism.attentions})
    unmasked = replace(scene.problem.variant, is_causal=False, window=None, padding=())
    given = tuple(each for each in scene.problem.given if each[0] != MASK_NAME)
    return Changed(replace(scene.problem, variant=unmasked, given=given))


def _add_visible_shares(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer that shares no longer add to 1 where hidden ones are made 0 afterwards; None where no decimal tells."""
    weights = take_weights(scene, parameters, changed)
    left = sum(weights[key] for key in scene.list_visible_keys(parameters.query, parameters.attention))
    return None if scene.looks_alike(left, 1) else Finding(answer=NO, numbers={"share": left})


# heads


def _list_joined_heads(scene: Scene) -> Iterator[Parameters]:
    """Yield every head whose outputs are joined, and mixed by W_O."""
    if scene.mechanism.find_stage("concat") and scene.mechanism.find_stage("output"):
        for at, _ in list_heads(scene):
            yield Parameters(attention=at)


def _list_features_of_head(scene: Scene, parameters: Parameters) -> range:
    """Return which features of concat a head makes."""
    d_v = scene.problem.sizes["d_v"]
    return range(parameters.attention * d_v, (parameters.attention + 1) * d_v)


def silence_head(scene: Scene, parameters: Parameters) -> Changed:
    """Set the part of a head in concat to 0."""
    own, convention = _list_features_of_head(scene, parameters), scene.problem.convention
    tokens = transpose_if_columns(scene.solution["concat"].hand, convention)
    silent = tuple(tuple(0 if at in own else value for at, value in enumerate(vector)) for vector in tokens)
    return Changed(scene.problem, {"concat": transpose_if_columns(silent, convention)})


def _list_idle_vectors(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer which vectors of W_O then make no difference, whatever they hold."""
    mixing, silent, idle = scene.problem["W_O"], {"concat": changed["concat"].hand}, []
    for index in range(len(transpose_if_columns(mixing, scene.problem.convention))):
        other = change_given(scene.problem, W_O=change_vector(scene, mixing, index, _add_one))
        after = Changed(other, silent).solve()
        if after is None:
            return None
        idle += [index] if is_same_matrix(changed["output"].hand, after["output"].hand) else []
    return Finding(answer=tuple(idle)) if idle == [*_list_features_of_head(scene, parameters)] else None


def _list_shared_keys(scene: Scene) -> Iterator[Parameters]:
    if scene.problem.variant.kv_heads is not None and {"d_k", "d_v"} <= scene.problem.sizes.keys():
        yield Parameters()


def _compare_kept_numbers(scene: Scene, _: Parameters) -> Finding:
    """Answer how many times as many numbers each token would keep, K and V together, if no head shared them."""
    variant, sizes = scene.problem.variant, scene.problem.sizes
    of_one = sizes["d_k"] + sizes["d_v"]
    kept, unshared = variant.kv_head_count * of_one, variant.head_count * of_one
    return Finding(answer=unshared // kept, numbers={"kept": kept, "unshared": unshared})


def _list_with_cache(scene: Scene) -> Iterator[Parameters]:
    """Yield one question for all heads, where a cache spares everything from Q to Z."""
    variant = scene.problem.variant
    if variant.has_cache and not variant.begins_with and not variant.ends_with:
        yield Parameters()


def _count_by_token(scene: Scene) -> tuple[int, int]:
    """Return how many products Q, K and V take of a token, and S and Z of a query with a key."""
    variant, sizes = scene.problem.variant, scene.problem.sizes
    d_k, d_v = sizes["d_k"], sizes["d_v"]
    of_one = (variant.head_count * d_k + variant.kv_head_count * (d_k + d_v)) * sizes["features"]
    return of_one, variant.head_count * (d_k + d_v)


def count_work_with_cache(scene: Scene) -> dict[str, object]:
    """Return how many tokens there are, and how many products Q, K, V, then S and Z take of the new one: no answer."""
    tokens = scene.problem.sizes["memory"]
    of_one, of_pair = _count_by_token(scene)
    compared = of_pair * tokens
    return {"count": tokens, "now": of_one + compared, "now_projected": of_one, "now_compared": compared}


def _count_products(scene: Scene, _: Parameters) -> Finding:
    """Answer how many products Q, K, V, S and Z would take of all tokens, each query with those that it sees."""
    tokens = scene.problem.sizes["memory"]
    of_one, of_pair = _count_by_token(scene)
    projected, compared = of_one * tokens, of_pair * (tokens * (tokens + 1) // 2)
    numbers = {"projected": projected, "compared": compared}
    return Finding(answer=projected + compared, numbers=numbers)


# places


def _list_turned(scene: Scene) -> Iterator[Parameters]:
    """Yield one question where places change the scores of values that are mixed."""
    variant = scene.problem.variant
    is_turned = variant.is_rotary and not variant.has_cache  # what is kept is turned already
    if (variant.has_distances or is_turned) and scene.mixes_values:
        yield Parameters()


def _move_on(scene: Scene, _: Parameters) -> Changed:
    """Move every token one place on: queries and keys are turned by one step more, or both ends of a distance move."""
    turned = _lose_one_place_on(scene)
    for stage in (stage for stage in scene.mechanism.stages if stage.form in (Form.TURN, Form.ROTATION)):
        vectors = transpose_if_columns(scene.solution[stage.name].hand, scene.problem.convention)
        moved = tuple(tuple(_turn_on(vector, is_quarter=stage.form is Form.TURN)) for vector in vectors)
        turned[stage.name] = transpose_if_columns(moved, scene.problem.convention)
    return Changed(scene.problem, turned)


def _lose_one_place_on(scene: Scene) -> dict[str, Matrix]:
    """Return what scores are less the distance, the places of key and query both counted from 2."""
    moved = {}
    for stage in (stage for stage in scene.mechanism.stages if stage.topic == "biased"):
        scores = scene.take_vectors(scene.solution.collect_hand_values(), stage.input_names[0])
        lost = tuple(
            tuple(score - max(stage.head, 1) * (query - key) for key, score in enumerate(of_query, 2))
            for query, of_query in enumerate(scores, 2 + stage.kept_count)
        )
        moved[stage.name] = transpose_if_columns(lost, scene.problem.convention)
    return moved


def _turn_on(vector: Sequence[Number], *, is_quarter: bool) -> Iterator[Number]:
    """Yield the numbers of a vector, turned by a step in pairs."""
    numbers = make_exact_numbers(Arithmetic(rules=HAND))
    for at in range(0, len(vector), 2):
        a, b = vector[at : at + 2]
        cosine, sine = (0, 1) if is_quarter else compute_turn(1, at, len(vector))
        yield numbers.add((numbers.multiply(cosine, a), -numbers.multiply(sine, b)))
        yield numbers.add((numbers.multiply(sine, a), numbers.multiply(cosine, b)))


def _compare_moved(scene: Scene, parameters: Parameters, changed: Solution) -> Finding:
    variant = scene.problem.variant
    reason = "distance" if variant.has_distances else "radians" if variant.has_radians else ""
    return replace(_name_what_changes(scene, parameters, changed), reason=reason)


# residuals and norms


def _list_added(scene: Scene) -> Iterator[Parameters]:
    """Yield every token to which attention's output is added, of those that are asked."""
    is_added = all(map(scene.mechanism.find_stage, ("output", "R1")))
    yield from (Parameters(token=token) for token in scene.asked_queries if is_added)


def _add_nothing(scene: Scene, parameters: Parameters) -> Changed:
    nothing = change_vector(scene, scene.solution["output"].hand, parameters.token, lambda _: 0)
    return Changed(scene.problem, {"output": nothing})


def _compare_with_token(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer whether the sum is the token itself, or nothing; None where rounding makes it another."""
    values = changed.collect_hand_values()
    token, added = (scene.take_vectors(values, name)[parameters.token] for name in ("X", "R1"))
    if not any(token):
        return None
    return Finding(answer=AS_IN_X) if added == token else Finding(answer=ALL_ZERO) if not any(added) else None


def find_norm(mechanism: Mechanism) -> Stage | None:
    """Return what the first norm of a sheet makes of tokens; None where it has none."""
    return next((stage for stage in mechanism.stages if stage.topic == "normed"), None)


def _list_normed(scene: Scene) -> Iterator[Parameters]:
    """Yield every token that is normalised, of those that are asked."""
    has_norm = find_norm(scene.mechanism) is not None
    yield from (Parameters(token=token) for token in scene.asked_queries if has_norm)


def _double_token(scene: Scene, parameters: Parameters) -> Changed:
    stage = find_norm(scene.mechanism)
    assert stage
    name = stage.input_names[0]
    values = scene.solution.collect_hand_values()
    doubled = change_vector(scene, values[name], parameters.token, lambda value: 2 * value)
    if name in dict(scene.problem.given):
        return Changed(change_given(scene.problem, **{name: doubled}))
    return Changed(scene.problem, {name: doubled})


def _compare_normed(scene: Scene, parameters: Parameters, changed: Solution) -> Finding | None:
    """Answer whether the norm of a token changes; nothing where rounding keeps its root from being twice as large."""
    stage = find_norm(scene.mechanism)
    assert stage
    root, doubled = (
        scene.take_vectors(each.collect_hand_values(), stage.input_names[1])[parameters.token][0]
        for each in (scene.solution, changed)
    )
    if not is_near(doubled, 2 * root):
        return None
    before, after = (
        scene.take_vectors(each.collect_hand_values(), stage.name)[parameters.token]
        for each in (scene.solution, changed)
    )
    return Finding(answer=NO if all(map(is_near, before, after)) else YES)


# blocks


def _list_block_pairs(scene: Scene) -> Iterator[Parameters]:
    """Yield every two blocks of online attention."""
    blocks = range(scene.problem.variant.blocks)
    for one in blocks:
        for other in blocks[one + 1 :]:
            yield Parameters(token=one, other=other)


def _exchange_blocks(scene: Scene, parameters: Parameters) -> Changed:
    """Let keys and values of two blocks come in each other's place."""
    given, one, other = dict(scene.problem.given), parameters.token + 1, parameters.other + 1
    places = {one: other, other: one}
    exchanged = {
        f"{letter}{at}": given[f"{letter}{place}"]
        for letter in ("K", "V")
        for at, place in places.items()
        if f"{letter}{place}" in given
    }
    return Changed(change_given(scene.problem, **exchanged))


def _compare_factors(scene: Scene, _: Parameters, changed: Solution) -> Finding:
    """Answer which of the factors and Z are others."""
    factors = [stage.name for stage in scene.mechanism.stages if stage.topic == "rescaling"]
    last = scene.mechanism.stages[-1].name
    has_others, has_other_end = (
        any(not is_same_matrix(scene.solution[name].hand, changed[name].hand) for name in names)
        for names in (factors, [last])
    )
    if has_others:
        return Finding(answer=BOTH if has_other_end else FACTORS)
    return Finding(answer=OUTPUTS if has_other_end else NOTHING)


# which number would you change?


def list_aims(scene: Scene) -> Iterator[Parameters]:
    """Yield every query with every key that it could look at most and does not."""
    values = scene.solution.collect_hand_values()
    is_whole = not scene.problem.variant.begins_with and not scene.problem.variant.has_biases
    for parameters in _list_queries_with_vectors(scene) if is_whole else ():
        favourites = scene.find_favourite(values, parameters)
        for token in scene.list_visible_keys(parameters.query, parameters.attention):
            if token not in favourites:
                yield replace(parameters, token=token)


def apply_change(problem: Problem, change: CellChange) -> Problem | None:
    """Return the problem with one given number changed; None where there is no such number, or it stays."""
    given = dict(problem.given).get(change.matrix)
    if given is None or not (0 <= change.row < len(given) and 0 <= change.column < len(given[0])):
        return None
    if given[change.row][change.column] == change.value:
        return None
    rows = [list(row) for row in given]
    rows[change.row][change.column] = change.value
    try:
        return change_given(problem, **{change.matrix: tuple(map(tuple, rows))})
    except ProblemError:  # it is too large to be given
        return None


def achieves_aim(scene: Scene, parameters: Parameters, answer: object) -> bool:
    """Say whether a change of W_Q lets the query look most at that key, and at no other as much."""
    if not isinstance(answer, CellChange) or answer.matrix != get_projection(scene, parameters, "queries")[1]:
        return False
    problem = apply_change(scene.problem, answer)
    changed = Changed(problem).solve() if problem else None
    if changed is None:
        return False
    return scene.find_favourite(changed.collect_hand_values(), parameters) == (parameters.token,)


def find_change(scene: Scene, parameters: Parameters) -> Finding | None:
    """Return the smallest change that achieves the aim, as an example."""
    (queries_name, name), keys_name = get_projection(scene, parameters, "queries"), find_keys_name(scene, parameters)
    values = scene.solution.collect_hand_values()
    token = scene.take_vectors(values, get_query_inputs(scene.mechanism.get_stage(queries_name))[0])[parameters.query]
    query, keys = scene.take_vectors(values, queries_name)[parameters.query], scene.take_vectors(values, keys_name)
    numbers = make_exact_numbers(scene.problem.hand_arithmetic)
    visible = scene.list_visible_keys(parameters.query, parameters.attention)
    scores = [dot(query, key) for key in keys]
    for change, by in _list_small_changes(name, values[name]):
        at, feature = (change.row, change.column)[:: -1 if scene.problem.convention.is_rows else 1]
        # cheap first: most changes are too small, and none of these is worth a proof
        moved = numbers.multiply(by, token[feature])
        changed = [
            numbers.add((score, numbers.multiply(moved, key[at]))) for score, key in zip(scores, keys, strict=True)
        ]
        is_highest = all(changed[parameters.token] > changed[key] for key in visible if key != parameters.token)
        if is_highest and achieves_aim(scene, parameters, change):
            return Finding(answer=change)
    return None


def _list_small_changes(name: str, a: Matrix) -> list[tuple[CellChange, Fraction]]:
    """Return small numbers for every place of a matrix, each with how much it adds: what changes least first."""
    changes = [
        (CellChange(name, i, j, new), new - Fraction(old))
        for i, row in enumerate(a)
        for j, old in enumerate(row)
        for new in SMALL_NUMBERS
        if new != old
    ]
    return sorted(changes, key=lambda change: abs(change[1]))


def list_targets(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked vector of which it is said which word came next, where all is worked from its logits."""
    attentions, find = scene.mechanism.attentions, scene.mechanism.find_stage
    if find(LOSS) and attentions and find(attentions[0].scores) and find(attentions[0].powers):
        yield from (Parameters(query=query) for query in scene.asked_queries)


def raise_logit(scene: Scene, parameters: Parameters) -> Changed:
    """Make one word's logit 1 larger."""
    name = scene.get_attention(parameters).scores
    by_vector = [list(vector) for vector in scene.take_vectors(scene.solution.collect_hand_values(), name)]
    by_vector[parameters.query][parameters.token] += 1
    return Changed(scene.problem, {name: transpose_if_columns(tuple(map(tuple, by_vector)), scene.problem.convention)})


def _find_lower_loss(scene: Scene, parameters: Parameters) -> Finding | None:
    """Answer with the word whose logit lowers the loss where it grows: every one is tried."""
    before = take_loss(scene, parameters, scene.solution)
    lowering = []
    for word in range(scene.problem.key_count):
        changed = raise_logit(scene, replace(parameters, token=word)).solve()
        if changed is None:
            return None
        if take_loss(scene, parameters, changed) < before:
            lowering.append(word)
    return Finding(answer=tuple(lowering)) if len(lowering) == 1 else None


def take_loss(scene: Scene, parameters: Parameters, solution: Solution) -> float:
    """Return how surprised a model is at the word that came after a vector."""
    return to_float(scene.take_vectors({LOSS: solution[LOSS].hand}, LOSS)[parameters.query][0])


LOSS = "loss"
"""The stage that says so."""

_ask = partial(Question, part=Part.WHAT_IF, kind=AnswerKind.CHOICE, seconds=90)
_ask_of_positions = partial(
    _ask,
    find_answer=partial(_answer, change=_toggle_positions, compare=_compare_repeated_words),
    choices=(YES, NO),
    weight=OWN_FORM,
)

WHAT_IFS: tuple[Question, ...] = (
    _ask(
        id="raise-scores",
        list_parameters=_list_raised,
        find_answer=partial(_answer, change=_raise_scores, compare=_name_what_changes),
        choices=WHAT_CHANGES,
    ),
    _ask(
        id="no-scaling",
        list_parameters=list_scaled,
        find_answer=partial(_answer, change=leave_out_scaling, compare=_compare_top_share),
        choices=(MORE, LESS, SAME),
    ),
    _ask(
        id="zero-query",
        kind=AnswerKind.NUMBER,
        list_parameters=_list_queries_to_clear,
        find_answer=partial(_answer, change=_set_query_to_zero, compare=_find_equal_share),
    ),
    _ask(
        id="exchange-weights",
        seconds=120,
        list_parameters=list_exchangeable,
        find_answer=partial(_answer, change=_exchange_weights, compare=_compare_scores),
        choices=(TURNED, SAME, NEGATED),
    ),
    _ask(
        id="change-value",
        list_parameters=list_values,
        find_answer=partial(_answer, change=_raise_value, compare=_name_what_changes),
        choices=WHAT_CHANGES,
    ),
    _ask(
        id="exchange-tokens",
        seconds=120,
        list_parameters=list_pairs,
        find_answer=partial(_answer, change=exchange_tokens, compare=_compare_places),
        choices=(NOTHING, TRADED, OTHERS),
    ),
    _ask(
        id="double-queries",
        list_parameters=partial(_list_doubled, topic="queries"),
        find_answer=partial(_answer, change=partial(_double_weights, topic="queries"), compare=_compare_top_share),
        choices=(MORE, LESS, SAME),
    ),
    _ask(
        id="double-values",
        kind=AnswerKind.NUMBER,
        seconds=60,
        list_parameters=partial(_list_doubled, topic="values"),
        find_answer=partial(_answer, change=partial(_double_weights, topic="values"), compare=_find_ratio_of_outputs),
    ),
    _ask(
        id="other-base",
        list_parameters=_list_bases,
        find_answer=partial(_answer, change=take_other_base, compare=_compare_sharpness),
        choices=(SHARPER, FLATTER),
    ),
    _ask(
        id="later-token",
        kind=AnswerKind.TOKENS,
        list_parameters=_list_masked_tokens,
        find_answer=partial(_answer, change=_raise_token, compare=_list_outputs_that_stay),
        vectors=Vectors.OUTPUTS,
        weight=OWN_FORM,
    ),
    _ask(
        id="zero-before",
        list_parameters=_list_hidden,
        find_answer=partial(_answer, change=_write_zero_before, compare=_find_hidden_share),
        choices=(YES, NO),
        weight=OWN_FORM,
    ),
    _ask(
        id="hide-after",
        list_parameters=_list_hidden_without_sink,
        find_answer=partial(_answer, change=leave_out_mask, compare=_add_visible_shares),
        choices=(YES, NO),
        weight=OWN_FORM,
    ),
    _ask(
        id="silent-head",
        kind=AnswerKind.TOKENS,
        seconds=120,
        list_parameters=_list_joined_heads,
        find_answer=partial(_answer, change=silence_head, compare=_list_idle_vectors),
        vectors=Vectors.FEATURES,
        weight=OWN_FORM,
    ),
    _ask_of_positions(id="add-positions", list_parameters=_list_added_positions),
    _ask_of_positions(id="drop-positions", list_parameters=_list_left_positions),
    _ask(
        id="kept-numbers",
        kind=AnswerKind.NUMBER,
        seconds=60,
        list_parameters=_list_shared_keys,
        find_answer=_compare_kept_numbers,
        comes_first=True,
    ),
    _ask(
        id="lost-cache",
        kind=AnswerKind.NUMBER,
        seconds=120,
        list_parameters=_list_with_cache,
        find_answer=_count_products,
        comes_first=True,
    ),
    _ask(
        id="moved-on",
        list_parameters=_list_turned,
        find_answer=partial(_answer, change=_move_on, compare=_compare_moved),
        choices=WHAT_CHANGES,
        comes_first=True,
    ),
    _ask(
        id="keep-largest",
        list_parameters=_list_shifted,
        find_answer=partial(_answer, change=leave_out_shift, compare=_name_what_changes),
        choices=WHAT_CHANGES,
        comes_first=True,
    ),
    _ask(
        id="no-output",
        seconds=60,
        list_parameters=_list_added,
        find_answer=partial(_answer, change=_add_nothing, compare=_compare_with_token),
        choices=(AS_IN_X, ALL_ZERO),
        comes_first=True,
    ),
    _ask(
        id="double-token",
        list_parameters=_list_normed,
        find_answer=partial(_answer, change=_double_token, compare=_compare_normed),
        choices=(YES, NO),
        comes_first=True,
    ),
    _ask(
        id="add-to-values",
        list_parameters=_list_passed_back,
        find_answer=partial(_answer, change=_add_to_values, compare=_compare_passed_back),
        choices=(YES, NO),
        comes_first=True,
    ),
    _ask(
        id="exchange-blocks",
        seconds=120,
        list_parameters=_list_block_pairs,
        find_answer=partial(_answer, change=_exchange_blocks, compare=_compare_factors),
        choices=(BOTH, FACTORS, OUTPUTS, NOTHING),
        comes_first=True,
    ),
    _ask(
        id="no-sink",
        list_parameters=list_sunk,
        find_answer=partial(_answer, change=leave_out_sink, compare=_compare_top_share),
        choices=(MORE, LESS, SAME),
        comes_first=True,
    ),
    _ask(
        id="no-temperature",
        list_parameters=list_tempered,
        find_answer=partial(_answer, change=leave_out_temperature, compare=_compare_sharpness),
        choices=(SHARPER, FLATTER),
        comes_first=True,
    ),
    _ask(
        id="change-weight",
        kind=AnswerKind.CHANGE,
        seconds=240,
        list_parameters=list_aims,
        find_answer=find_change,
        judge=achieves_aim,
    ),
    _ask(
        id="lower-loss",
        kind=AnswerKind.TOKEN,
        list_parameters=list_targets,
        find_answer=_find_lower_loss,
        weight=OWN_FORM,
    ),
)
