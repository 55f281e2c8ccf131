"""Questions about other numbers: each builds the changed problem and solves it as one of its own, by both routes."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction

from attnhand.attention.arithmetic import Base, ScaleRule
from attnhand.attention.convention import transpose_if_columns
from attnhand.attention.matrix import Matrix, dot, flatten, map_cells, transpose
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import get_side_input
from attnhand.attention.mechanisms.embedding import EMBEDDING_NAME, list_vocabulary
from attnhand.attention.numbers import Number, divide, is_finite, to_float
from attnhand.attention.operations import ProductRole
from attnhand.attention.problem import Problem
from attnhand.attention.questions.base import (
    OWN_FORM,
    AnswerKind,
    CellChange,
    Finding,
    Lines,
    Parameters,
    Part,
    Question,
    Scene,
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
TURNED, NEGATED = "turned", "negated"
TRADED, OTHERS = "traded", "others"


def solve_changed(problem: Problem, replacements: Mapping[str, Matrix] | None = None) -> Solution | None:
    """Solve a changed problem and prove it; None where nothing can be worked from it.

    Args:
        replacements: stages that are changed themselves; what comes after them is worked and proved.
    """
    from attnhand.attention.proof import prove  # numpy is loaded when there is something to prove

    try:
        solution = solve(problem, replacements=replacements)
    except (ProblemError, ArithmeticError):
        return None
    return prove(solution, changed_stages=frozenset(replacements or ()))


def change_given(problem: Problem, **matrices: Matrix) -> Problem:
    """Return the problem with other numbers in some given matrices."""
    return replace(problem, given=tuple((name, matrices.get(name, a)) for name, a in problem.given))


def _solve_with_given(scene: Scene, matrices: Mapping[str, Matrix]) -> Solution | None:
    try:
        return solve_changed(change_given(scene.problem, **matrices))
    except ProblemError:  # a number is too large to be given
        return None


def _change_line(scene: Scene, name: str, line: int, change: Callable[[Number], Number]) -> Matrix:
    """Return a stage with the numbers of one token, or query, changed."""
    convention = scene.problem.convention
    lines = transpose_if_columns(scene.solution[name].hand, convention)
    changed = tuple(
        tuple(change(value) if is_finite(value) else value for value in numbers) if at == line else numbers
        for at, numbers in enumerate(lines)
    )
    return transpose_if_columns(changed, convention)


def _find_projection(scene: Scene, parameters: Parameters, topic: str) -> Stage | None:
    """Return the stage that makes the queries, keys or values of a head; None where the tokens are taken themselves."""
    head = scene.mechanism.weight_stages[parameters.attention].head
    found = (stage for stage in scene.mechanism.stages if (stage.topic, stage.head) == (topic, head))
    return next((stage for stage in found if stage.role is ProductRole.PROJECTION), None)


def _get_projection(scene: Scene, parameters: Parameters, topic: str) -> tuple[str, str]:
    """Return the names of that stage and of its weights."""
    stage = _find_projection(scene, parameters, topic)
    assert stage is not None
    weights = get_side_input(stage)
    assert weights is not None
    return stage.name, weights


def _find_top_share(scene: Scene, parameters: Parameters, solution: Solution) -> Number:
    weights = solution.collect_hand_values()
    return max(scene.take_lines(weights, scene.get_attention(parameters).weights)[parameters.query])


def _compare_top_share(scene: Scene, parameters: Parameters, changed: Solution | None) -> str | None:
    """Return whether the largest share of a query is more, less or the same in a changed problem."""
    if changed is None:
        return None
    before, after = (_find_top_share(scene, parameters, each) for each in (scene.solution, changed))
    if is_near(before, after):
        return SAME
    return MORE if to_float(after) > to_float(before) else LESS


def _find_what_changes(scene: Scene, parameters: Parameters, changed: Solution | None) -> str | None:
    """Return which of A and Z are others in a changed problem."""
    if changed is None:
        return None
    names = scene.get_attention(parameters)
    weights, outputs = (
        not is_same_matrix(scene.solution[name].hand, changed[name].hand) for name in (names.weights, names.outputs)
    )
    return BOTH if weights and outputs else WEIGHTS if weights else OUTPUTS if outputs else NOTHING


def _as_finding(answer: str | None, *, reason: str = "", **numbers: Number) -> Finding | None:
    return None if answer is None else Finding(answer=answer, reason=reason, numbers=numbers)


# every score of a query higher


def _raise_scores(scene: Scene, parameters: Parameters) -> Finding | None:
    name = scene.get_attention(parameters).scores
    raised = _change_line(scene, name, parameters.query, lambda score: score + RAISE_BY)
    changed = solve_changed(scene.problem, {name: raised})
    return _as_finding(_find_what_changes(scene, parameters, changed))


# other rules


def _list_scaled(scene: Scene) -> Iterator[Parameters]:
    if scene.mechanism.is_scaled and scene.problem.rules.scale is not ScaleRule.NONE and scene.problem.sizes["d_k"] > 1:
        yield from list_choosers(scene)


def _leave_out_scaling(scene: Scene, parameters: Parameters) -> Finding | None:
    rules = replace(scene.problem.rules, scale=ScaleRule.NONE)
    answer = _compare_top_share(scene, parameters, solve_changed(replace(scene.problem, rules=rules)))
    return _as_finding(answer, reason=answer or "")


def _list_bases(scene: Scene) -> Iterator[Parameters]:
    for parameters in list_choosers(scene):
        for base in (Base.TWO, Base.TEN):
            if base is not scene.problem.rules.base:
                yield replace(parameters, base=base)


def _take_other_base(scene: Scene, parameters: Parameters) -> Finding | None:
    assert parameters.base is not None
    rules = replace(scene.problem.rules, base=parameters.base)
    found = _compare_top_share(scene, parameters, solve_changed(replace(scene.problem, rules=rules)))
    answer = {MORE: SHARPER, LESS: FLATTER}.get(found or "")  # the same: the query is torn between all
    return _as_finding(answer, reason=answer or "")


# other queries and weights


def _set_query_to_zero(scene: Scene, parameters: Parameters) -> Finding | None:
    name, _ = _get_projection(scene, parameters, "queries")
    changed = solve_changed(scene.problem, {name: _change_line(scene, name, parameters.query, lambda _: 0)})
    if changed is None:
        return None
    weights = scene.take_lines(changed.collect_hand_values(), scene.get_attention(parameters).weights)
    shares = {weights[parameters.query][key] for key in scene.list_visible_keys(parameters.query, parameters.attention)}
    if len(shares) > 1:
        return None
    count = round(1 / to_float(shares.pop()))
    return Finding(answer=divide(1, count), numbers={"count": count})


def _list_queries_with_vectors(scene: Scene) -> Iterator[Parameters]:
    for parameters in list_choosers(scene):
        if _find_projection(scene, parameters, "queries"):
            yield parameters


def _list_exchangeable(scene: Scene) -> Iterator[Parameters]:
    """Yield every head whose queries and keys come from the same tokens."""
    for at, _ in list_heads(scene):
        if _find_projection(scene, Parameters(attention=at), "queries") and "memory" not in scene.problem.sizes:
            yield Parameters(attention=at)


def _exchange_weights(scene: Scene, parameters: Parameters) -> Finding | None:
    queries, keys = (_get_projection(scene, parameters, topic)[1] for topic in ("queries", "keys"))
    given = dict(scene.problem.given)
    changed = _solve_with_given(scene, {queries: given[keys], keys: given[queries]})
    if changed is None:
        return None
    name = scene.get_attention(parameters).scores
    before, after = scene.solution[name].hand, changed[name].hand
    readings = {TURNED: transpose(before), SAME: before, NEGATED: map_cells(lambda score: -score, before)}
    fitting = [choice for choice, scores in readings.items() if is_same_matrix(after, scores)]
    return _as_finding(fitting[0] if len(fitting) == 1 else None)


def _double_queries(scene: Scene, parameters: Parameters) -> Finding | None:
    _, name = _get_projection(scene, parameters, "queries")
    doubled = map_cells(lambda value: 2 * value, dict(scene.problem.given)[name])
    answer = _compare_top_share(scene, parameters, _solve_with_given(scene, {name: doubled}))
    assert answer != LESS  # what is rounded down after doubling lies as far apart at least
    return _as_finding(answer, reason=answer or "")


def _list_heads_with_values(scene: Scene) -> Iterator[Parameters]:
    for at, _ in list_heads(scene):
        if _find_projection(scene, Parameters(attention=at), "values"):
            yield Parameters(attention=at)


def _double_values(scene: Scene, parameters: Parameters) -> Finding | None:
    """Answer how many times as large Z is, if that is one number for all of its cells."""
    _, name = _get_projection(scene, parameters, "values")
    doubled = map_cells(lambda value: 2 * value, dict(scene.problem.given)[name])
    changed = _solve_with_given(scene, {name: doubled})
    outputs = scene.get_attention(parameters).outputs
    if changed is None:
        return None
    pairs = zip(flatten(scene.solution[outputs].hand), flatten(changed[outputs].hand), strict=True)
    ratios = {round(to_float(divide(after, before)), 9) for before, after in pairs if before}
    return Finding(answer=round(ratios.pop())) if len(ratios) == 1 else None


def _list_values(scene: Scene) -> Iterator[Parameters]:
    for parameters in _list_heads_with_values(scene):
        count = scene.problem.sizes.get("memory", scene.problem.sizes["tokens"])
        seen = {key for query in scene.asked_queries for key in scene.list_visible_keys(query, parameters.attention)}
        for token in range(count):
            if token in seen:
                yield replace(parameters, token=token)


def _change_value(scene: Scene, parameters: Parameters) -> Finding | None:
    name, _ = _get_projection(scene, parameters, "values")
    raised = _change_line(scene, name, parameters.token, lambda value: value + 1)
    changed = solve_changed(scene.problem, {name: raised})
    return _as_finding(_find_what_changes(scene, parameters, changed))


# other tokens


def _list_pairs(scene: Scene) -> Iterator[Parameters]:
    """Yield every two tokens that may change places: of X, and in cross attention of the memory."""
    variant = scene.problem.variant
    if variant.is_causal or variant.has_positions or not scene.asks_every_query:
        return
    count = scene.problem.sizes.get("memory", scene.problem.sizes["tokens"])
    words = variant.embedded_words
    for i in range(count):
        for j in range(i + 1, count):
            if not words or "memory" in scene.problem.sizes or words[i] != words[j]:
                yield Parameters(token=i, other=j)


def _exchange_tokens(scene: Scene, parameters: Parameters) -> Finding | None:
    """Let two tokens change places; in cross attention two of the memory."""
    problem, i, j = scene.problem, parameters.token, parameters.other
    if "memory" in problem.sizes or not problem.variant.embedded_words:
        name = "M" if "memory" in problem.sizes else "X"
        changed = _solve_with_given(scene, {name: _exchange_lines(scene, problem[name], i, j)})
    else:
        changed = solve_changed(_exchange_words(problem, i, j))
    if changed is None:
        return None
    outputs = scene.mechanism.stages[-1].name
    before, after = scene.solution[outputs].hand, changed[outputs].hand
    if "memory" in problem.sizes:
        return Finding(answer=NOTHING, reason="memory") if is_same_matrix(after, before) else None
    trades = is_same_matrix(after, _exchange_lines(scene, before, i, j)) and not is_same_matrix(after, before)
    return Finding(answer=TRADED) if trades else None


def _exchange_lines(scene: Scene, a: Matrix, i: int, j: int) -> Matrix:
    convention = scene.problem.convention
    lines = transpose_if_columns(a, convention)
    return transpose_if_columns(tuple(lines[{i: j, j: i}.get(at, at)] for at in range(len(lines))), convention)


def _exchange_words(problem: Problem, i: int, j: int) -> Problem:
    """Let two words change places; the table keeps every word's vector."""
    words = list(problem.variant.embedded_words)
    vectors = dict(
        zip(list_vocabulary(words), transpose_if_columns(problem[EMBEDDING_NAME], problem.convention), strict=True)
    )
    words[i], words[j] = words[j], words[i]
    table = transpose_if_columns(tuple(vectors[word] for word in list_vocabulary(words)), problem.convention)
    variant = replace(problem.variant, embedded_words=tuple(words))
    return replace(change_given(problem, **{EMBEDDING_NAME: table}), variant=variant)


def _toggle_positions(scene: Scene, parameters: Parameters) -> Finding | None:
    """Add positions to the words, or leave them out, and compare the outputs of one word said twice."""
    problem = scene.problem
    has_positions = not problem.variant.has_positions
    variant = replace(problem.variant, has_positions=has_positions, has_given_positions=False)
    given = tuple((name, a) for name, a in problem.given if name != "P")
    changed = solve_changed(replace(problem, variant=variant, given=given))
    if changed is None:
        return None
    answer = compare_outputs(scene, parameters, changed.collect_hand_values())
    why = find_reason_of_order(scene, has_positions=has_positions)
    if answer == YES and why != "order":  # by chance: that would teach nothing
        return None
    return Finding(answer=answer, reason=why)


def _list_added_positions(scene: Scene) -> Iterator[Parameters]:
    return iter(()) if scene.problem.variant.has_positions else list_repeated_words(scene)


def _list_left_positions(scene: Scene) -> Iterator[Parameters]:
    return list_repeated_words(scene) if scene.problem.variant.has_positions else iter(())


# masks


def _list_masked_tokens(scene: Scene) -> Iterator[Parameters]:
    """Yield every token whose change some outputs feel and others do not."""
    words = scene.problem.variant.embedded_words
    if not scene.problem.variant.is_causal or not scene.asks_every_query:
        return
    for token in range(scene.problem.sizes["tokens"]):
        spared = _list_blind_queries(scene, token)
        if spared and len(spared) < len(scene.asked_queries) and (not words or words.count(words[token]) == 1):
            yield Parameters(token=token)


def _list_blind_queries(scene: Scene, token: int) -> tuple[int, ...]:
    return tuple(query for query in scene.asked_queries if token not in scene.list_visible_keys(query))


def _change_token(scene: Scene, parameters: Parameters) -> Finding | None:
    """Let one token be another, and see which outputs stay."""
    problem = scene.problem
    words, name, line = problem.variant.embedded_words, "X", parameters.token
    if words:
        name, line = EMBEDDING_NAME, list_vocabulary(words).index(words[parameters.token])
    lines = transpose_if_columns(problem[name], problem.convention)
    others = tuple(tuple(value + 1 for value in each) if at == line else each for at, each in enumerate(lines))
    changed = _solve_with_given(scene, {name: transpose_if_columns(others, problem.convention)})
    if changed is None:
        return None
    last = scene.mechanism.attentions[0].outputs
    before, after = (scene.take_lines(each.collect_hand_values(), last) for each in (scene.solution, changed))
    stay = tuple(query for query in scene.asked_queries if is_same_matrix((before[query],), (after[query],)))
    return Finding(answer=stay) if stay == _list_blind_queries(scene, parameters.token) else None


def _list_hidden(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query from which something is hidden, with one of the keys that are."""
    for at, _ in list_heads(scene):
        for query in scene.asked_queries if scene.problem.variant.is_causal else ():
            visible = scene.list_visible_keys(query, at)
            for token in range(scene.problem.sizes["tokens"]):
                if token not in visible:
                    yield Parameters(attention=at, query=query, token=token)


def _write_zero_before(scene: Scene, parameters: Parameters) -> Finding | None:
    """Put 0 in place of −∞, and see whether the hidden key has a share."""
    names = scene.get_attention(parameters)
    zeros = map_cells(lambda score: score if is_finite(score) else 0, scene.solution[names.masked].hand)
    changed = solve_changed(scene.problem, {names.masked: zeros})
    if changed is None:
        return None
    share = scene.take_lines(changed.collect_hand_values(), names.weights)[parameters.query][parameters.token]
    return Finding(answer=NO if share else YES, numbers={"share": share})


def _hide_after(scene: Scene, parameters: Parameters) -> Finding | None:
    """Put 0 for the hidden shares after the softmax, and see whether the rest adds to 1."""
    unmasked = solve_changed(
        replace(scene.problem, variant=replace(scene.problem.variant, is_causal=False, window=None))
    )
    if unmasked is None:
        return None
    names = unmasked.problem.mechanism.attentions[parameters.attention]
    line = scene.take_lines(unmasked.collect_hand_values(), names.weights)[parameters.query]
    left = sum(line[key] for key in scene.list_visible_keys(parameters.query, parameters.attention))
    return Finding(answer=YES if is_near(left, 1) else NO, numbers={"share": left})


# heads


def _list_joined_heads(scene: Scene) -> Iterator[Parameters]:
    if any(name == "W_O" for name, _ in scene.problem.given):
        for at, _ in list_heads(scene):
            yield Parameters(attention=at)


def _silence_head(scene: Scene, parameters: Parameters) -> Finding | None:
    """Set the part of a head in concat to 0, and see which lines of W_O then make no difference."""
    problem, d_v = scene.problem, scene.problem.sizes["d_v"]
    own = range(parameters.attention * d_v, (parameters.attention + 1) * d_v)
    tokens = scene.take_lines({"concat": scene.solution["concat"].hand}, "concat")
    silent = tuple(tuple(0 if at in own else value for at, value in enumerate(line)) for line in tokens)
    replacements = {"concat": transpose_if_columns(silent, problem.convention)}
    before = solve_changed(problem, replacements)
    if before is None:
        return None
    mixing = problem["W_O"] if problem.convention.is_rows else transpose(problem["W_O"])
    idle = []
    for line in range(len(mixing)):
        raised = tuple(tuple(v + 1 for v in each) if at == line else each for at, each in enumerate(mixing))
        other = change_given(problem, W_O=raised if problem.convention.is_rows else transpose(raised))
        after = solve_changed(other, replacements)
        if after is None:
            return None
        idle += [line] if is_same_matrix(before["output"].hand, after["output"].hand) else []
    return Finding(answer=tuple(idle)) if idle == [*own] else None


# which number would you change?


def _list_aims(scene: Scene) -> Iterator[Parameters]:
    """Yield every query with every key that it could look at most and does not."""
    values = scene.solution.collect_hand_values()
    for parameters in _list_queries_with_vectors(scene):
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


def _achieves_aim(scene: Scene, parameters: Parameters, answer: object) -> bool:
    """Say whether a change of W_Q lets the query look most at that key, and at no other as much."""
    if not isinstance(answer, CellChange) or answer.matrix != _get_projection(scene, parameters, "queries")[1]:
        return False
    problem = apply_change(scene.problem, answer)
    changed = solve_changed(problem) if problem else None
    if changed is None:
        return False
    return scene.find_favourite(changed.collect_hand_values(), parameters) == (parameters.token,)


def _find_change(scene: Scene, parameters: Parameters) -> Finding | None:
    """Return the smallest change that achieves the aim, as an example."""
    (queries_name, name), (keys_name, _) = (_get_projection(scene, parameters, topic) for topic in ("queries", "keys"))
    values = scene.solution.collect_hand_values()
    token = scene.take_lines(values, "X")[parameters.query]
    query, keys = scene.take_lines(values, queries_name)[parameters.query], scene.take_lines(values, keys_name)
    visible = scene.list_visible_keys(parameters.query, parameters.attention)
    scores = [dot(query, key) for key in keys]
    for change, by in _list_small_changes(name, values[name]):
        at, feature = (change.row, change.column)[:: -1 if scene.problem.convention.is_rows else 1]
        # cheap first: most changes are too small, and none of these is worth a proof
        moved = by * Fraction(token[feature])
        changed = [dot((score, moved), (1, key[at])) for score, key in zip(scores, keys, strict=True)]
        is_highest = all(changed[parameters.token] > changed[key] for key in visible if key != parameters.token)
        if is_highest and _achieves_aim(scene, parameters, change):
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


WHAT_IFS: tuple[Question, ...] = (
    Question(
        id="raise-scores",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=list_choosers,
        find_answer=_raise_scores,
        choices=WHAT_CHANGES,
    ),
    Question(
        id="no-scaling",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_scaled,
        find_answer=_leave_out_scaling,
        choices=(MORE, LESS, SAME),
    ),
    Question(
        id="zero-query",
        kind=AnswerKind.NUMBER,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_queries_with_vectors,
        find_answer=_set_query_to_zero,
    ),
    Question(
        id="exchange-weights",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=120,
        list_parameters=_list_exchangeable,
        find_answer=_exchange_weights,
        choices=(TURNED, SAME, NEGATED),
    ),
    Question(
        id="change-value",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_values,
        find_answer=_change_value,
        choices=WHAT_CHANGES,
    ),
    Question(
        id="exchange-tokens",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=120,
        list_parameters=_list_pairs,
        find_answer=_exchange_tokens,
        choices=(NOTHING, TRADED, OTHERS),
    ),
    Question(
        id="double-queries",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_queries_with_vectors,
        find_answer=_double_queries,
        choices=(MORE, LESS, SAME),
    ),
    Question(
        id="double-values",
        kind=AnswerKind.NUMBER,
        part=Part.WHAT_IF,
        seconds=60,
        list_parameters=_list_heads_with_values,
        find_answer=_double_values,
    ),
    Question(
        id="other-base",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_bases,
        find_answer=_take_other_base,
        choices=(SHARPER, FLATTER),
    ),
    Question(
        id="later-token",
        kind=AnswerKind.TOKENS,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_masked_tokens,
        find_answer=_change_token,
        lines=Lines.OUTPUTS,
        weight=OWN_FORM,
    ),
    Question(
        id="zero-before",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_hidden,
        find_answer=_write_zero_before,
        choices=(YES, NO),
        weight=OWN_FORM,
    ),
    Question(
        id="hide-after",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_hidden,
        find_answer=_hide_after,
        choices=(YES, NO),
        weight=OWN_FORM,
    ),
    Question(
        id="silent-head",
        kind=AnswerKind.TOKENS,
        part=Part.WHAT_IF,
        seconds=120,
        list_parameters=_list_joined_heads,
        find_answer=_silence_head,
        lines=Lines.FEATURES,
        weight=OWN_FORM,
    ),
    Question(
        id="add-positions",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_added_positions,
        find_answer=_toggle_positions,
        choices=(YES, NO),
        weight=OWN_FORM,
    ),
    Question(
        id="drop-positions",
        kind=AnswerKind.CHOICE,
        part=Part.WHAT_IF,
        seconds=90,
        list_parameters=_list_left_positions,
        find_answer=_toggle_positions,
        choices=(YES, NO),
        weight=OWN_FORM,
    ),
    Question(
        id="change-weight",
        kind=AnswerKind.CHANGE,
        part=Part.WHAT_IF,
        seconds=240,
        list_parameters=_list_aims,
        find_answer=_find_change,
        judge=_achieves_aim,
    ),
)
