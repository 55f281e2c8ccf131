"""The tries of a sheet, one beside each idea: what would go wrong, or be lost, without it?"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from fractions import Fraction
from functools import partial

from attnhand.attention.arithmetic import Base
from attnhand.attention.convention import transpose_if_columns
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.matrix import dot, map_cells, unify_number_types
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import Number, divide, to_float
from attnhand.attention.problem import TARGET_NAME, Problem
from attnhand.attention.questions.base import (
    OWN_FORM,
    Answer,
    AnswerKind,
    CellChange,
    Finding,
    Parameters,
    Part,
    Question,
    Scene,
    Vectors,
    find_extremes,
    is_near,
)
from attnhand.attention.questions.reading import list_choosers
from attnhand.attention.questions.trial import (
    SO,
    Answers,
    Place,
    Try,
    Values,
    find_projection_name,
    name_answer,
    work_cell,
)
from attnhand.attention.questions.what_if import (
    FLATTER,
    SHARPER,
    Changed,
    achieves_aim,
    apply_change,
    change_given,
    change_vector,
    exchange_tokens,
    find_change,
    find_keys_name,
    find_values_name,
    get_projection,
    leave_out_mask,
    leave_out_scaling,
    leave_out_sink,
    leave_out_temperature,
    list_aims,
    list_exchangeable,
    list_pairs,
    list_scaled,
    list_sunk,
    list_targets,
    list_tempered,
    list_values,
    raise_logit,
    reads_rounded,
    silence_head,
    take_weights,
)
from attnhand.attention.solution import Solution

GROW_BY = 10
"""What every number of a value grows by: a share of it is easily seen."""

OTHER_BASES = (Base.TWO, Base.TEN)
"""What powers are taken of instead: a smaller number, and a larger one."""

MAX_NUMBER = 2000
"""Of a number to be worked, its denominator too: so much a pencil can do."""

MIN_GAIN = 0.05
"""By so much a share grows or shrinks at least where that is what there is to see."""

MIN_COPIED = 0.25
"""What a query takes at least of the token that it should not see."""

NUMBER_SECONDS, TOKEN_SECONDS, CHANGE_SECONDS, TALK_SECONDS = 60, 20, 180, 30


# cells


def _find_number(scene: Scene, parameters: Parameters, *, id: str, name: str) -> Finding | None:
    number = work_cell(scene, TRIES_BY_ID[id], parameters, name, scene.solution.collect_hand_values())
    return None if number is None else Finding(answer=number)


def _find_own_number(scene: Scene, parameters: Parameters, values: Values, *, id: str, name: str) -> Answer | None:
    return work_cell(scene, TRIES_BY_ID[id], parameters, name, values)


def _number(id: str, name: str) -> Question:
    return _cell(
        id,
        name,
        kind=AnswerKind.NUMBER,
        seconds=NUMBER_SECONDS,
        find_answer=partial(_find_number, id=id, name=name),
        find_own_answer=partial(_find_own_number, id=id, name=name),
    )


def _cell(id: str, name: str, **facts: object) -> Question:
    return Question(id=name_answer(id, name), part=Part.TRY, list_parameters=_list_nothing, **facts)  # type: ignore[arg-type]


def _list_nothing(_scene: Scene) -> tuple[Parameters, ...]:
    """List no way to ask a cell by itself: its try has them."""
    return ()


OwnFinder = Callable[[Scene, Parameters, Values], Answer | None]


def _find_by(scene: Scene, parameters: Parameters, *, find: OwnFinder) -> Finding | None:
    answer = find(scene, parameters, scene.solution.collect_hand_values())
    return None if answer is None else Finding(answer=answer)


MatrixFinder = Callable[[Scene, Parameters], str]


def _find_largest(scene: Scene, parameters: Parameters, values: Values, *, find_matrix: MatrixFinder) -> Answer | None:
    """Return the token that has the largest number of the asked query."""
    return _find_unique(find_extremes(scene.take_vectors(values, find_matrix(scene, parameters))[parameters.query]))


def _largest(id: str, name: str, find_matrix: MatrixFinder) -> Question:
    return _token(id, name, partial(_find_largest, find_matrix=find_matrix), find_matrix=find_matrix)


def _token(id: str, name: str, find: OwnFinder, **facts: object) -> Question:
    return _cell(
        id,
        name,
        kind=AnswerKind.TOKEN,
        seconds=TOKEN_SECONDS,
        find_answer=partial(_find_by, find=find),
        find_own_answer=find,
        **facts,
    )


def _make_cells(id: str, *cells: Question) -> Mapping[str, Question]:
    rest = _cell(id, SO, kind=AnswerKind.TALK, seconds=TALK_SECONDS)
    return {cell.id.rpartition(".")[2]: cell for cell in (*cells, rest)}


# what several tries look at


def _take_top(scene: Scene, parameters: Parameters, solution: Solution | None = None) -> Number:
    """Return the largest share of the query that is asked."""
    return max(take_weights(scene, parameters, solution or scene.solution), key=to_float)


def _is_workable(*answers: Answer) -> bool:
    """Say whether a pencil can work these numbers; decimals are worked with a calculator."""
    numbers = [each for each in answers if isinstance(each, int | Fraction)]
    return all(max(abs(each.numerator), each.denominator) <= MAX_NUMBER for each in numbers)


def _find_unique(places: Iterable[int]) -> tuple[int, ...] | None:
    found = tuple(places)
    return found if len(found) == 1 else None


def _at_query(parameters: Parameters, *, names: tuple[str, ...]) -> dict[str, Place]:
    """Return the cell of the asked query in each of these lines."""
    return dict.fromkeys(names, (parameters.query,))


def _list_softmax(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query that has a choice and whose scores are raised to powers."""
    for parameters in list_choosers(scene):
        if scene.get_attention(parameters).powers and scene.problem.rules.base is not Base.NONE:
            yield parameters


def _list_plain(scene: Scene, *, find: Callable[[Scene], Iterable[Parameters]]) -> Iterator[Parameters]:
    """Yield the ways of a try whose lines work weights anew: they know nothing of a sink or a temperature."""
    variant = scene.problem.variant
    if variant.sink is None and variant.temperature is None:
        yield from find(scene)


# why divide by √d_k


def _list_unscaled(scene: Scene) -> Iterator[Parameters]:
    for parameters in list_scaled(scene):
        attention = scene.get_attention(parameters)
        if attention.powers and attention.scores and not (attention.shifted or attention.biased):
            yield parameters


def _write_divide(_scene: Scene, _: Parameters) -> str:
    return """
        unscaled  raw[k,q] = 0 if A[k,q] = 0 else base^S[k,q]
        top       top[q] = (max_k raw[k,q]) / Σ_k raw[k,q]
        left      left[q] = top[q]·(1 − top[q])
        before    before[q] = (max_k A[k,q])·(1 − max_k A[k,q])
    """


def _read_divide(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    top, before = _take_top(scene, parameters, changed), _take_top(scene, parameters)
    return {"top": top, "left": top - top * top, "before": before - before * before}  # type: ignore[operator]


def _shows_divide(scene: Scene, parameters: Parameters, answers: Answers) -> bool:
    top, left, before = (_float(answers[name]) for name in ("top", "left", "before"))
    is_larger = top - to_float(_take_top(scene, parameters)) >= MIN_GAIN
    return is_larger and before - left >= MIN_GAIN / 2 and _is_workable(answers["top"])


def _float(answer: Answer) -> float:
    assert not isinstance(answer, str | tuple | CellChange)
    return to_float(answer)


# why powers


def _list_negative(scene: Scene) -> Iterator[Parameters]:
    """Yield a token whose plain share would be negative, where the shares can be worked."""
    values = scene.solution.collect_hand_values()
    for parameters in _list_softmax(scene):
        attention = scene.get_attention(parameters)
        if not attention.maskable or attention.masked or attention.shifted:  # a hidden score has no plain share
            continue
        scores = scene.take_vectors(values, attention.maskable)[parameters.query]
        visible = scene.list_visible_keys(parameters.query, parameters.attention)
        total = sum(to_float(scores[key]) for key in visible)
        top = _find_unique(visible[at] for at in find_extremes([scores[key] for key in visible]))
        for key in visible if top and abs(total) > 1e-9 else ():
            if to_float(scores[key]) * total < 0 and (key,) != top:
                yield replace(parameters, token=key, other=top[0])  # type: ignore[index]


def _write_powers(_scene: Scene, _: Parameters) -> str:
    return """
        sum     sum[q] = Σ_k (0 if A[k,q] = 0 else scaled[k,q])
        share   share[k,q] = 0 if sum[q] = 0 else scaled[k,q] / sum[q]
        most    most[k,q] = share[k,q]
    """


def _find_powers_places(parameters: Parameters) -> dict[str, Place]:
    query = parameters.query
    return {"sum": (query,), "share": (parameters.token, query), "most": (parameters.other, query)}


def _take_plain_shares(scene: Scene, _: Parameters) -> Changed:
    return Changed(replace(scene.problem, rules=replace(scene.problem.rules, base=Base.NONE)))


def _read_powers(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    shares = take_weights(scene, parameters, changed)
    return {"share": shares[parameters.token], "most": shares[parameters.other]}


def _shows_powers(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return _float(answers["share"]) <= -MIN_GAIN and _is_workable(*answers.values())


# why 3, or e, and not 2 or 10


def _list_bases(scene: Scene) -> Iterator[Parameters]:
    if scene.problem.rules.base not in OTHER_BASES and not reads_rounded(scene):
        yield from (each for each in _list_softmax(scene) if not scene.get_attention(each).shifted)


def _write_base(_scene: Scene, _: Parameters) -> str:
    return """
        twos    twos[k,q] = 2^E[k,q]
        two     two[q] = (max_k twos[k,q]) / Σ_k twos[k,q]
        tens    tens[k,q] = 10^E[k,q]
        ten     ten[q] = (max_k tens[k,q]) / Σ_k tens[k,q]
    """


def _take_base(scene: Scene, _: Parameters, *, base: Base) -> Changed:
    return Changed(replace(scene.problem, rules=replace(scene.problem.rules, base=base)))


def _read_base(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    small = _take_base(scene, parameters, base=Base.TWO).solve()
    assert small is not None
    return {"two": _take_top(scene, parameters, small), "ten": _take_top(scene, parameters, changed)}


def _shows_base(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    two, ten = _float(answers["two"]), _float(answers["ten"])
    return ten - two >= 2 * MIN_GAIN and _is_workable(answers["two"])


# why W_Q and W_K differ


def _list_mirrored(scene: Scene) -> Iterator[Parameters]:
    """Yield two tokens whose scores of one another differ."""
    variant, values = scene.problem.variant, scene.solution.collect_hand_values()
    if variant.is_rotary or variant.has_biases or variant.begins_with or not scene.asks_every_query:
        return
    for parameters in list_exchangeable(scene):
        name = scene.get_attention(parameters).scores
        scores = values[name] if name else ()
        for i in range(len(scores)):
            for j in range(i + 1, len(scores)):
                if scores[i][j] != scores[j][i]:
                    yield replace(parameters, token=i, other=j)


def _write_mirror(_scene: Scene, _: Parameters) -> str:
    return """
        there   there[k,q] = Σ_r K[r,k]·K[r,q]
        back    back[k,q] = Σ_r K[r,k]·K[r,q]
        own     own[k,q] = S[k,q] − S[q,k]
    """


def _find_mirror_places(parameters: Parameters) -> dict[str, Place]:
    there = (parameters.token, parameters.other)
    return {"there": there, "back": there[::-1], "own": there}


def _take_keys_for_queries(scene: Scene, parameters: Parameters) -> Changed:
    queries, keys = (get_projection(scene, parameters, topic)[1] for topic in ("queries", "keys"))
    return Changed(change_given(scene.problem, **{queries: dict(scene.problem.given)[keys]}))


def _read_mirror(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    keys = _take_scores(scene, parameters, changed)
    i, j = parameters.token, parameters.other
    return {"there": keys[j][i], "back": keys[i][j]}


def _take_scores(scene: Scene, parameters: Parameters, solution: Solution) -> tuple[tuple[Number, ...], ...]:
    """Return the scores, those of one query in a row."""
    return transpose_if_columns(solution[scene.get_attention(parameters).scores].hand, scene.problem.convention)


def _shows_mirror(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return answers["own"] != 0 and answers["there"] != 0


# what several heads add


def _list_two_heads(scene: Scene) -> Iterator[Parameters]:
    """Yield a query that looks at different tokens in two heads, and a feature of the output."""
    if not all(map(scene.mechanism.find_stage, ("concat", "output"))):
        return
    values = scene.solution.collect_hand_values()
    features = len(scene.take_vectors(values, "output")[0])
    heads = range(len(scene.mechanism.attentions))
    for query in scene.list_choosing_queries():
        for one in heads:
            for other in heads[one + 1 :]:
                seen = [scene.find_favourite(values, Parameters(attention=at, query=query)) for at in (one, other)]
                if seen[0] != seen[1] and len(seen[0]) == len(seen[1]) == 1:
                    for feature in range(features):
                        yield Parameters(attention=one, other=other, query=query, token=feature)


def _name_weights(scene: Scene, parameters: Parameters) -> str:
    return scene.get_attention(parameters).weights


def _name_other_weights(scene: Scene, parameters: Parameters) -> str:
    return scene.mechanism.attentions[parameters.other].weights


def _write_heads(scene: Scene, parameters: Parameters) -> str:
    d_v = scene.problem.sizes["d_v"]
    first, last = parameters.attention * d_v + 1, (parameters.attention + 1) * d_v
    return f"rest   rest[f,q] = Σ_c (0 if c ≥ {first} and c ≤ {last} else W_O[f,c]·concat[c,q])"


def _find_heads_places(parameters: Parameters) -> dict[str, Place]:
    return {"rest": (parameters.token, parameters.query)}


def _read_heads(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    outputs = transpose_if_columns(changed["output"].hand, scene.problem.convention)
    return {"rest": outputs[parameters.query][parameters.token]}


def _shows_heads(scene: Scene, parameters: Parameters, answers: Answers) -> bool:
    outputs = transpose_if_columns(scene.solution["output"].hand, scene.problem.convention)
    whole = outputs[parameters.query][parameters.token]
    rest = _float(answers["rest"])
    return abs(rest - to_float(whole)) >= MIN_GAIN and rest != 0 and _is_workable(answers["rest"])


# why a mask


def _list_next_tokens(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query that the mask hides the next token from, those first that would look at it most."""
    variant = scene.problem.variant
    if not variant.is_causal or variant.padding or variant.begins_with or variant.ends_with or variant.is_shifted:
        return
    found = []
    values = scene.solution.collect_hand_values()
    for at, attention in enumerate(scene.mechanism.attentions):
        for query in scene.asked_queries:
            scores = scene.take_vectors(values, attention.maskable)[query]
            if query + 1 < len(scores) and attention.powers and scene.problem.rules.base is not Base.NONE:
                is_copied = find_extremes(scores) == (query + 1,)
                found.append((not is_copied, Parameters(attention=at, query=query, token=query + 1)))
    yield from (parameters for _, parameters in sorted(found, key=lambda each: each[0]))


def _write_mask(_scene: Scene, _: Parameters) -> str:
    return """
        all     all[q] = Σ_k base^scaled[k,q]
        next    next[k,q] = base^scaled[k,q] / all[q]
    """


def _find_mask_places(parameters: Parameters) -> dict[str, Place]:
    return {"all": (parameters.query,), "next": (parameters.token, parameters.query)}


def _name_unmasked_scores(scene: Scene, parameters: Parameters) -> str:
    return scene.get_attention(parameters).maskable


def _read_mask(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    shares = take_weights(scene, parameters, changed)
    return {"next": shares[parameters.token], "seen": find_extremes(shares)}


def _shows_mask(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return _float(answers["next"]) >= MIN_COPIED and _is_workable(answers["all"], answers["next"])


# what distances do


def _list_far_tokens(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query that has a choice, with the farthest token that it sees, where distances count."""
    for parameters in _list_softmax(scene):
        if scene.mechanism.find_stage(scene.get_attention(parameters).biased):
            far = scene.list_visible_keys(parameters.query, parameters.attention)[0]
            yield replace(parameters, token=far)


def _write_distance(_scene: Scene, _: Parameters) -> str:
    return """
        raw     raw[k,q] = 0 if A[k,q] = 0 else base^near[k,q]
        sum     sum[q] = Σ_k raw[k,q]
        far     far[k,q] = raw[k,q] / sum[q]
    """


def _find_distance_places(parameters: Parameters) -> dict[str, Place]:
    return {"sum": (parameters.query,), "far": (parameters.token, parameters.query)}


def _leave_out_distances(scene: Scene, _: Parameters) -> Changed:
    return Changed(replace(scene.problem, variant=replace(scene.problem.variant, has_distances=False)))


def _read_distance(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    return {"far": take_weights(scene, parameters, changed)[parameters.token]}


def _shows_distance(scene: Scene, parameters: Parameters, answers: Answers) -> bool:
    before = take_weights(scene, parameters, scene.solution)[parameters.token]
    return _float(answers["far"]) - to_float(before) >= MIN_GAIN and _is_workable(*answers.values())


# why the new token is appended


def _list_new_tokens(scene: Scene) -> Iterator[Parameters]:
    """Yield the new token's query, where it sees itself behind two others at least, and no sink takes a share."""
    new, sink = scene.problem.variant.cache, scene.problem.variant.sink
    for parameters in _list_softmax(scene) if new is not None and sink is None else ():
        seen = scene.list_visible_keys(parameters.query, parameters.attention)
        if new in seen and len(seen) > 2:
            yield parameters


def _write_cache(_scene: Scene, _: Parameters) -> str:
    return """
        old     old[k,q] = 0 if k = |k| or A[k,q] = 0 else base^E[k,q]
        sum     sum[q] = Σ_k old[k,q]
        top     top[q] = (max_k old[k,q]) / sum[q]
    """


def _hide_new_token(scene: Scene, _: Parameters) -> Changed:
    variant = scene.problem.variant
    hidden = tuple(sorted({*variant.padding, (variant.cache or 0) + 1}))
    return Changed(replace(scene.problem, variant=replace(variant, padding=hidden)))


def _read_cache(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    return {"top": _take_top(scene, parameters, changed)}


def _shows_cache(scene: Scene, parameters: Parameters, answers: Answers) -> bool:
    return not is_near(answers["top"], _take_top(scene, parameters)) and _is_workable(*answers.values())  # type: ignore[arg-type]


# why positions


def _list_traded(scene: Scene) -> Iterator[Parameters]:
    """Yield two tokens that change places, where scores and outputs are worked and no place turns them."""
    has_order = "memory" in scene.problem.sizes or scene.problem.variant.is_rotary
    for parameters in list_pairs(scene) if not has_order else ():
        attention = scene.get_attention(parameters)
        if attention.scores and attention.outputs:
            yield parameters


def _write_traded(_scene: Scene, _: Parameters) -> str:
    return """
        score   score[k,q] = S[k,q]
        share   share[k,q] = A[k,q]
        output  mixed[v,q] = Z[v,q]
    """


def _find_traded_places(parameters: Parameters) -> dict[str, Place]:
    there = (parameters.token, parameters.other)
    return {"score": there, "share": there, "mixed": (0, parameters.other)}


def _read_traded(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    i, j = parameters.token, parameters.other
    outputs = transpose_if_columns(changed[scene.get_attention(parameters).outputs].hand, scene.problem.convention)
    return {
        "score": _take_scores(scene, parameters, changed)[i][j],
        "share": take_weights(scene, replace(parameters, query=i), changed)[j],
        "mixed": outputs[i][0],
    }


def _shows_traded(scene: Scene, parameters: Parameters, answers: Answers) -> bool:
    """Say whether all three numbers are others than those that stood at their places before."""
    before = _read_traded(scene, parameters, scene.solution)
    return all(not is_near(answers[name], before[name]) for name in before)  # type: ignore[arg-type]


# what values are for


def _list_grown_values(scene: Scene) -> Iterator[Parameters]:
    """Yield a value and two queries: the one that takes most of it, and one that takes little."""
    weights = [
        transpose_if_columns(scene.solution[each.weights].hand, scene.problem.convention)
        for each in scene.mechanism.attentions
    ]
    for parameters in list_values(scene):
        shares = {query: weights[parameters.attention][query][parameters.token] for query in scene.asked_queries}
        most, *others = sorted(shares, key=lambda query: -to_float(shares[query]))
        least = [query for query in others if shares[query] != 0]
        if least:
            yield replace(parameters, query=most, other=least[-1])


def _write_values(_scene: Scene, _: Parameters) -> str:
    return f"""
        most    most[k,q] = {GROW_BY}·A[k,q]
        least   least[k,q] = {GROW_BY}·A[k,q]
    """


def _find_values_places(parameters: Parameters) -> dict[str, Place]:
    return {"most": (parameters.token, parameters.query), "least": (parameters.token, parameters.other)}


def _grow_value(scene: Scene, parameters: Parameters) -> Changed:
    name = find_values_name(scene, parameters)
    grown = change_vector(scene, scene.solution[name].hand, parameters.token, _grow)
    return Changed(scene.problem, {name: grown})


def _grow(value: Number) -> Number:
    return value + GROW_BY


def _find_most_moved(scene: Scene, parameters: Parameters, values: Values) -> Answer | None:
    weights = scene.take_vectors(values, scene.get_attention(parameters).weights)
    shares = [weights[query][parameters.token] for query in scene.asked_queries]
    return _find_unique(scene.asked_queries[at] for at in find_extremes(shares))


def _read_values(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    name = scene.get_attention(parameters).outputs
    before, after = (
        transpose_if_columns(each[name].hand, scene.problem.convention) for each in (scene.solution, changed)
    )
    return {
        line: after[query][0] - before[query][0]  # type: ignore[operator]  # of one kind
        for line, query in (("most", parameters.query), ("least", parameters.other))
    }


def _shows_values(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return _float(answers["most"]) - _float(answers["least"]) >= GROW_BY * MIN_GAIN


# where W comes from


def _list_raised_weights(scene: Scene) -> Iterator[Parameters]:
    """Yield a query, a token it could look at, and a number of W_Q that brings them nearer when it grows."""
    values = scene.solution.collect_hand_values()
    for parameters in list_aims(scene) if not scene.problem.variant.is_rotary else ():
        keys = scene.take_vectors(values, find_keys_name(scene, parameters))[parameters.token]
        token = scene.take_vectors(values, "X")[parameters.query]
        for row, key in enumerate(keys):
            for feature, number in enumerate(token):
                if to_float(key) * to_float(number) > 0:
                    yield replace(parameters, other=row, feature=feature)


def _write_weights(_scene: Scene, parameters: Parameters) -> str:
    row, feature = parameters.other + 1, parameters.feature + 1
    return f"""
        query   query[r,q] = Q[r,q] + Σ_f (X[f,q] if f = {feature} and r = {row} else 0)
        score   score[k,q] = S[k,q] + Σ_r K[r,k]·(query[r,q] − Q[r,q])
    """


def _find_weights_places(parameters: Parameters) -> dict[str, Place]:
    return {"query": (parameters.other, parameters.query), "score": (parameters.token, parameters.query)}


def _raise_weight(scene: Scene, parameters: Parameters) -> Changed:
    name = get_projection(scene, parameters, "queries")[1]
    place = (parameters.other, parameters.feature)
    row, column = place[::-1] if scene.problem.convention.is_rows else place
    value = scene.problem[name][row][column] + 1
    problem = apply_change(scene.problem, CellChange(name, row, column, value))
    assert problem is not None
    return Changed(problem)


def _read_weights(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    queries = transpose_if_columns(
        changed[find_projection_name(scene, parameters, "queries")].hand, scene.problem.convention
    )
    return {
        "query": queries[parameters.query][parameters.other],
        "score": _take_scores(scene, parameters, changed)[parameters.query][parameters.token],
    }


def _shows_weights(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return _is_workable(answers["query"], answers["score"])


# large scores


def _list_large(scene: Scene) -> Iterator[Parameters]:
    """Yield every query whose largest scaled score is 2 at least, is seen, and is what a power is taken of."""
    values = scene.solution.collect_hand_values()
    for parameters in _list_softmax(scene):
        attention = scene.get_attention(parameters)
        if not attention.exponents or attention.shifted or attention.biased or attention.tempered:
            continue
        scores = scene.take_vectors(values, attention.maskable)[parameters.query] if attention.maskable else ()
        largest = max(map(to_float, _take_exponents(scene, parameters, values)))
        if largest >= 2 and largest >= max(map(to_float, scores), default=largest):
            yield parameters


def _take_exponents(scene: Scene, parameters: Parameters, values: Values) -> tuple[Number, ...]:
    return scene.take_vectors(values, scene.get_attention(parameters).exponents)[parameters.query]


def _write_shift(_scene: Scene, _: Parameters) -> str:
    return """
        low     low[k,q] = base^(E[k,q] − max_j E[j,q])
        top     top[q] = max_k low[k,q]
        sum     sum[q] = Σ_k low[k,q]
        share   share[q] = top[q] / sum[q]
    """


def _subtract_largest(scene: Scene, _: Parameters) -> Changed:
    return Changed(replace(scene.problem, variant=replace(scene.problem.variant, is_shifted=True)))


def _read_shift(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    names = changed.problem.mechanism.attentions[parameters.attention]
    powers, sums = (
        transpose_if_columns(changed[name].hand, scene.problem.convention)[parameters.query]
        for name in (names.powers, names.sums)
    )
    return {"top": max(powers, key=to_float), "sum": sums[0], "share": _take_top(scene, parameters, changed)}


def _shows_shift(scene: Scene, parameters: Parameters, answers: Answers) -> bool:
    is_same = is_near(answers["share"], _take_top(scene, parameters))  # type: ignore[arg-type]
    return is_same and _is_workable(answers["sum"])


# all scores at once


def _list_numbers_of_outputs(scene: Scene) -> Iterator[Parameters]:
    """Yield every number of the output, where keys come in blocks."""
    variant = scene.problem.variant
    if variant.blocks and not variant.begins_with and scene.mechanism.find_stage("Z"):
        for number in range(scene.problem.sizes["d_v"]):
            yield Parameters(token=number)


def _write_at_once(scene: Scene, _: Parameters) -> str:
    scores, blocks = "scaled" if scene.mechanism.is_scaled else "S", range(1, scene.problem.variant.blocks + 1)
    totals = " + ".join(f"(Σ_k base^{scores}{block}[k,q])" for block in blocks)
    mixed = " + ".join(f"(Σ_k V{block}[v,k]·base^{scores}{block}[k,q])" for block in blocks)
    return f"""
        total   total[q] = {totals}
        mixed   mixed[v,q] = {mixed}
        same    same[v,q] = mixed[v,q] / total[q]
    """


def _find_at_once_places(parameters: Parameters) -> dict[str, Place]:
    number = (parameters.token, parameters.query)
    return {"total": (parameters.query,), "mixed": number, "same": number}


def _take_all_at_once(scene: Scene, _: Parameters) -> Changed:
    """Put the keys and values of all blocks side by side, for ordinary attention."""
    given, convention = dict(scene.problem.given), scene.problem.convention
    joined = {
        name: transpose_if_columns(
            tuple(
                vector
                for block in range(1, scene.problem.variant.blocks + 1)
                for vector in transpose_if_columns(given[f"{name}{block}"], convention)
            ),
            convention,
        )
        for name in ("K", "V")
    }
    variant = Variant(begins_with=("Q", "K", "V"), has_memory=True)
    matrices = (("Q", given["Q"]), *joined.items())
    return Changed(Problem(variant=variant, convention=convention, given=matrices, rules=scene.problem.rules))


def _read_at_once(_: Scene, parameters: Parameters, changed: Solution) -> Answers:
    sums, outputs = (
        transpose_if_columns(changed[name].hand, changed.problem.convention)[parameters.query] for name in ("sums", "Z")
    )
    return {"total": sums[0], "same": outputs[parameters.token]}


def _shows_at_once(scene: Scene, parameters: Parameters, answers: Answers) -> bool:
    outputs = transpose_if_columns(scene.solution["Z"].hand, scene.problem.convention)[parameters.query]
    is_same = is_near(answers["same"], outputs[parameters.token])  # type: ignore[arg-type]
    return is_same and _float(answers["same"]) != 0 and _is_workable(*answers.values())


# a step of learning


def _list_true_words(scene: Scene) -> Iterator[Parameters]:
    """Yield the word that came after each asked vector."""
    if not scene.problem.rules.is_rational:
        return
    for parameters in list_targets(scene):
        came = scene.take_vectors(dict(scene.problem.given), TARGET_NAME)[parameters.query]
        yield replace(parameters, token=came.index(1))


def _write_learn(_scene: Scene, parameters: Parameters) -> str:
    return f"""
        raised  raised[k,q] = base^(E[k,q] + 1) if k = {parameters.token + 1} else base^E[k,q]
        sum     sum[q] = Σ_k raised[k,q]
        share   share[k,q] = raised[k,q] / sum[q]
    """


def _find_learn_places(parameters: Parameters) -> dict[str, Place]:
    return {"sum": (parameters.query,), "share": (parameters.token, parameters.query)}


def _read_learn(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    attention = scene.get_attention(parameters)
    share = take_weights(scene, parameters, changed)[parameters.token]
    if attention.shifted:  # the largest may be another then, and with it all powers
        return {"share": share}
    sums = scene.take_vectors({"sums": changed[attention.sums].hand}, "sums")
    return {"sum": sums[parameters.query][0], "share": share}


def _shows_learn(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return _is_workable(*answers.values())


# a sink, a temperature


def _write_sink(_scene: Scene, _: Parameters) -> str:
    return """
        nobody   nobody[q] = 1 − Σ_k A[k,q]
        alone    alone[q] = (max_k A[k,q]) / Σ_k A[k,q]
    """


def _read_sink(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    names, problem = scene.get_attention(parameters), scene.problem
    sums = transpose_if_columns(scene.solution[names.sums].hand, problem.convention)[parameters.query]
    assert problem.variant.sink is not None
    nobody = divide(problem.hand_arithmetic.raise_base(problem.variant.sink), sums[0])
    return {"nobody": nobody, "alone": _take_top(scene, parameters, changed)}


def _shows_sink(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return _float(answers["nobody"]) >= MIN_GAIN and _is_workable(*answers.values())


def _list_tempered(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query whose shares can be worked without a temperature: no sink takes one."""
    yield from list_tempered(scene) if scene.problem.variant.sink is None else ()


def _write_temperature(_scene: Scene, _: Parameters) -> str:
    return """
        without  without[k,q] = 0 if A[k,q] = 0 else base^untempered[k,q]
        top      top[q] = (max_k without[k,q]) / Σ_k without[k,q]
    """


def _read_temperature(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    return {"top": _take_top(scene, parameters, changed)}


def _shows_temperature(scene: Scene, parameters: Parameters, answers: Answers) -> bool:
    change = abs(_float(answers["top"]) - to_float(_take_top(scene, parameters)))
    return change >= MIN_GAIN and _is_workable(answers["top"])


def _find_own_sharpness(scene: Scene, _: Parameters) -> Finding:
    temperature = scene.problem.variant.temperature
    assert temperature is not None
    return Finding(answer=SHARPER if temperature > 1 else FLATTER)


def _find_sharper(_scene: Scene, _: Parameters) -> Finding:
    return Finding(answer=SHARPER)


# why add what a layer reads


def _list_sums(scene: Scene) -> Iterator[Parameters]:
    """Yield every number of every asked token to which attention's output is added."""
    if not all(map(scene.mechanism.find_stage, ("output", "R1"))):
        return
    for query in scene.asked_queries:
        for feature in range(scene.problem.sizes["features"]):
            yield Parameters(query=query, token=feature)


def _write_residual(_scene: Scene, _: Parameters) -> str:
    return """
        without   without[f,q] = nearest(output[f,q])
        kept      kept[f,q] = R[f,q] − without[f,q]
    """


def _find_residual_places(parameters: Parameters) -> dict[str, Place]:
    return dict.fromkeys(("without", "kept"), (parameters.token, parameters.query))


def _leave_out_stream(scene: Scene, _: Parameters) -> Changed:
    """Round what attention gives and add it to nothing."""
    numbers = make_exact_numbers(scene.problem.hand_arithmetic)
    return Changed(scene.problem, {"R1": map_cells(numbers.nearest, scene.solution["output"].hand)})


def _read_residual(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    sums = transpose_if_columns(changed["R1"].hand, scene.problem.convention)
    return {"without": sums[parameters.query][parameters.token]}


def _shows_residual(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return abs(_float(answers["kept"])) >= MIN_GAIN and _is_workable(*answers.values())


# a step against a gradient


def _list_steps(scene: Scene) -> Iterator[Parameters]:
    """Yield the values that the query looks at, where a gradient goes back to given ones: first what it looks at most.

    From a value a whole g is taken, which lowers the loss by its share times g · g.
    """
    gradients = [each for each in scene.mechanism.stages if each.topic == "gradient_values"]
    for parameters in list_choosers(scene) if gradients else ():
        shares = take_weights(scene, parameters, scene.solution)
        for token in sorted(range(len(shares)), key=lambda token: -to_float(shares[token])):
            if shares[token]:
                yield replace(parameters, token=token)


def _write_step(_scene: Scene, parameters: Parameters) -> str:
    return f"""
        before  before[q] = Σ_v g[v,q]·Z[v,q]
        after   after[q] = Σ_v g[v,q]·(Z[v,q] − A[{parameters.token + 1},q]·g[v,q])
    """


def _step_against_gradient(scene: Scene, parameters: Parameters) -> Changed:
    vectors = list(transpose_if_columns(scene.problem["V"], scene.problem.convention))
    (gradient,) = transpose_if_columns(scene.problem["g"], scene.problem.convention)
    moved = tuple(value - by for value, by in zip(vectors[parameters.token], gradient, strict=True))  # type: ignore[operator]  # given numbers are rational
    vectors[parameters.token] = moved
    return Changed(change_given(scene.problem, V=transpose_if_columns(tuple(vectors), scene.problem.convention)))


def _read_step(scene: Scene, parameters: Parameters, changed: Solution) -> Answers:
    """Return the loss from what comes out, worked anew: d is the same number, by way of the weights."""
    name, convention = scene.get_attention(parameters).outputs, scene.problem.convention
    outputs = (scene.solution[name].hand, changed[name].hand)
    g, *unified = unify_number_types([scene.problem["g"], *outputs])
    (gradient,) = transpose_if_columns(g, convention)
    before, after = (dot(vector, gradient) for each in unified for vector in transpose_if_columns(each, convention))
    return {"before": before, "after": after}


def _shows_step(_scene: Scene, _: Parameters, answers: Answers) -> bool:
    return _float(answers["before"]) - _float(answers["after"]) >= MIN_GAIN and _is_workable(*answers.values())


TRIES: tuple[Try, ...] = (
    Try(
        id="divide",
        cells=_make_cells("divide", *(_number("divide", name) for name in ("top", "left", "before"))),
        list_parameters=partial(_list_plain, find=_list_unscaled),
        write_lines=_write_divide,
        find_places=partial(_at_query, names=("top", "left", "before")),
        change=leave_out_scaling,
        read_changed=_read_divide,
        shows=_shows_divide,
        alike=("no-scaling",),
    ),
    Try(
        id="powers",
        cells=_make_cells("powers", *(_number("powers", name) for name in ("sum", "share", "most"))),
        list_parameters=partial(_list_plain, find=_list_negative),
        write_lines=_write_powers,
        find_places=_find_powers_places,
        change=_take_plain_shares,
        read_changed=_read_powers,
        shows=_shows_powers,
    ),
    Try(
        id="base",
        cells=_make_cells(
            "base",
            _cell(
                "base",
                "guess",
                kind=AnswerKind.CHOICE,
                seconds=TOKEN_SECONDS,
                find_answer=_find_sharper,
                choices=(SHARPER, "flatter"),
            ),
            *(_number("base", name) for name in ("two", "ten")),
        ),
        list_parameters=partial(_list_plain, find=_list_bases),
        write_lines=_write_base,
        find_places=partial(_at_query, names=("two", "ten")),
        change=partial(_take_base, base=Base.TEN),
        read_changed=_read_base,
        shows=_shows_base,
        alike=("other-base",),
    ),
    Try(
        id="mirror",
        cells=_make_cells("mirror", *(_number("mirror", name) for name in ("there", "back", "own"))),
        list_parameters=_list_mirrored,
        write_lines=_write_mirror,
        find_places=_find_mirror_places,
        change=_take_keys_for_queries,
        read_changed=_read_mirror,
        shows=_shows_mirror,
        alike=("exchange-weights",),
    ),
    Try(
        id="heads",
        cells=_make_cells(
            "heads",
            _largest("heads", "first", _name_weights),
            _largest("heads", "second", _name_other_weights),
            _number("heads", "rest"),
        ),
        list_parameters=_list_two_heads,
        write_lines=_write_heads,
        find_places=_find_heads_places,
        change=silence_head,
        read_changed=_read_heads,
        shows=_shows_heads,
        alike=("silent-head",),
        weight=OWN_FORM,
    ),
    Try(
        id="mask",
        cells=_make_cells(
            "mask",
            *(_number("mask", name) for name in ("all", "next")),
            _largest("mask", "seen", _name_unmasked_scores),
        ),
        list_parameters=partial(_list_plain, find=_list_next_tokens),
        write_lines=_write_mask,
        find_places=_find_mask_places,
        change=leave_out_mask,
        read_changed=_read_mask,
        shows=_shows_mask,
        weight=OWN_FORM,
        prefers_first=True,
    ),
    Try(
        id="order",
        cells=_make_cells("order", *(_number("order", name) for name in ("score", "share", "mixed"))),
        list_parameters=partial(_list_plain, find=_list_traded),
        write_lines=_write_traded,
        find_places=_find_traded_places,
        change=exchange_tokens,
        read_changed=_read_traded,
        shows=_shows_traded,
        alike=("exchange-tokens", "add-positions", "drop-positions", "same-word"),
    ),
    Try(
        id="values",
        cells=_make_cells(
            "values",
            *(_number("values", name) for name in ("most", "least")),
            _token("values", "moved", _find_most_moved, vectors=Vectors.OUTPUTS),
        ),
        list_parameters=_list_grown_values,
        write_lines=_write_values,
        find_places=_find_values_places,
        change=_grow_value,
        read_changed=_read_values,
        shows=_shows_values,
        alike=("change-value",),
    ),
    Try(
        id="weights",
        cells=_make_cells(
            "weights",
            *(_number("weights", name) for name in ("query", "score")),
            _cell(
                "weights",
                "aim",
                kind=AnswerKind.CHANGE,
                seconds=CHANGE_SECONDS,
                find_answer=find_change,
                judge=achieves_aim,
            ),
        ),
        list_parameters=_list_raised_weights,
        write_lines=_write_weights,
        find_places=_find_weights_places,
        change=_raise_weight,
        read_changed=_read_weights,
        shows=_shows_weights,
        alike=("change-weight",),
    ),
    Try(
        id="shift",
        cells=_make_cells("shift", *(_number("shift", name) for name in ("top", "sum", "share"))),
        list_parameters=partial(_list_plain, find=_list_large),
        write_lines=_write_shift,
        find_places=partial(_at_query, names=("top", "sum", "share")),
        change=_subtract_largest,
        read_changed=_read_shift,
        shows=_shows_shift,
        alike=("raise-scores", "keep-largest"),
    ),
    Try(
        id="distance",
        cells=_make_cells("distance", *(_number("distance", name) for name in ("sum", "far"))),
        list_parameters=partial(_list_plain, find=_list_far_tokens),
        write_lines=_write_distance,
        find_places=_find_distance_places,
        change=_leave_out_distances,
        read_changed=_read_distance,
        shows=_shows_distance,
        alike=("moved-on",),
        weight=OWN_FORM,
    ),
    Try(
        id="cache",
        cells=_make_cells("cache", *(_number("cache", name) for name in ("sum", "top"))),
        list_parameters=_list_new_tokens,
        write_lines=_write_cache,
        find_places=partial(_at_query, names=("sum", "top")),
        change=_hide_new_token,
        read_changed=_read_cache,
        shows=_shows_cache,
        weight=OWN_FORM,
    ),
    Try(
        id="residual",
        cells=_make_cells("residual", *(_number("residual", name) for name in ("without", "kept"))),
        list_parameters=_list_sums,
        write_lines=_write_residual,
        find_places=_find_residual_places,
        change=_leave_out_stream,
        read_changed=_read_residual,
        shows=_shows_residual,
        alike=("no-output",),
        weight=OWN_FORM,
    ),
    Try(
        id="at-once",
        cells=_make_cells("at-once", *(_number("at-once", name) for name in ("total", "mixed", "same"))),
        list_parameters=_list_numbers_of_outputs,
        write_lines=_write_at_once,
        find_places=_find_at_once_places,
        change=_take_all_at_once,
        read_changed=_read_at_once,
        shows=_shows_at_once,
        weight=OWN_FORM,
    ),
    Try(
        id="learn",
        cells=_make_cells("learn", *(_number("learn", name) for name in ("sum", "share"))),
        list_parameters=_list_true_words,
        write_lines=_write_learn,
        find_places=_find_learn_places,
        change=raise_logit,
        read_changed=_read_learn,
        shows=_shows_learn,
        weight=OWN_FORM,
    ),
    Try(
        id="step",
        cells=_make_cells("step", *(_number("step", name) for name in ("before", "after"))),
        list_parameters=_list_steps,
        write_lines=_write_step,
        find_places=partial(_at_query, names=("before", "after")),
        change=_step_against_gradient,
        read_changed=_read_step,
        shows=_shows_step,
        weight=OWN_FORM,
        prefers_first=True,
    ),
    Try(
        id="sink",
        cells=_make_cells("sink", *(_number("sink", name) for name in ("nobody", "alone"))),
        list_parameters=list_sunk,
        write_lines=_write_sink,
        find_places=partial(_at_query, names=("nobody", "alone")),
        change=leave_out_sink,
        read_changed=_read_sink,
        shows=_shows_sink,
        alike=("no-sink",),
        weight=OWN_FORM,
    ),
    Try(
        id="temperature",
        cells=_make_cells(
            "temperature",
            _cell(
                "temperature",
                "guess",
                kind=AnswerKind.CHOICE,
                seconds=TOKEN_SECONDS,
                find_answer=_find_own_sharpness,
                choices=(SHARPER, FLATTER),
            ),
            _number("temperature", "top"),
        ),
        list_parameters=_list_tempered,
        write_lines=_write_temperature,
        find_places=partial(_at_query, names=("top",)),
        change=leave_out_temperature,
        read_changed=_read_temperature,
        shows=_shows_temperature,
        alike=("no-temperature",),
        weight=OWN_FORM,
    ),
)
"""One beside each idea, in the order of the sheet."""

TRIES_BY_ID: Mapping[str, Try] = {each.id: each for each in TRIES}
