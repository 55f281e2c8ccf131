"""Questions that are read off the weights and the outputs; each follows from a student's own numbers too."""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from functools import partial
from math import lcm

from attnhand.attention.matrix import Matrix
from attnhand.attention.numbers import Number, to_float
from attnhand.attention.questions.base import (
    OWN_FORM,
    Answer,
    AnswerKind,
    Finding,
    Parameters,
    Part,
    Question,
    Scene,
    Vectors,
    find_extremes,
    is_near,
    list_heads,
)

NEAR = 1e-9
"""What floats may lose where faces of a die are counted."""

MIN_GAP = 0.02
"""Top shares that are compared differ by so much at least: the eye sees it in fractions too."""

NO, YES = "no", "yes"


def _list_every_head(scene: Scene) -> Iterator[Parameters]:
    """Yield each head in which three queries, or all of them, may be compared."""
    for at, _ in list_heads(scene):
        if len(scene.list_choosing_queries(at)) >= 2:
            yield Parameters(attention=at)


def list_choosers(scene: Scene) -> Iterator[Parameters]:
    """Yield every asked query that has a choice, head by head."""
    for at, _ in list_heads(scene):
        for query in scene.list_choosing_queries(at):
            yield Parameters(attention=at, query=query)


def _list_top_shares(scene: Scene, parameters: Parameters, values: Mapping[str, Matrix]) -> dict[int, Number]:
    """Return the largest share of every query that has a choice."""
    weights = scene.take_vectors(values, scene.get_attention(parameters).weights)
    return {query: max(weights[query], key=to_float) for query in scene.list_choosing_queries(parameters.attention)}


def _find_query(
    scene: Scene, parameters: Parameters, values: Mapping[str, Matrix], *, smallest: bool
) -> tuple[int, ...]:
    """Return the queries whose top share is the largest, or the smallest."""
    tops = _list_top_shares(scene, parameters, values)
    queries = list(tops)
    return tuple(queries[at] for at in find_extremes([*tops.values()], smallest=smallest))


def _find_surest(scene: Scene, parameters: Parameters, values: Mapping[str, Matrix]) -> Answer | None:
    return _keep_unique(_find_query(scene, parameters, values, smallest=False))


def _find_most_torn(scene: Scene, parameters: Parameters, values: Mapping[str, Matrix]) -> Answer | None:
    return _keep_unique(_find_query(scene, parameters, values, smallest=True))


def _compare_queries(scene: Scene, parameters: Parameters, *, smallest: bool) -> Finding | None:
    """Answer with a query, if it stands clear of the next."""
    values = scene.solution.collect_hand_values()
    found = _find_query(scene, parameters, values, smallest=smallest)
    tops = _list_top_shares(scene, parameters, values)
    shares = sorted(map(to_float, tops.values()), reverse=not smallest)
    if len(found) > 1 or abs(shares[0] - shares[1]) < MIN_GAP:
        return None
    return Finding(answer=found, numbers={"share": tops[found[0]]})


def _keep_unique(found: Sequence[int]) -> tuple[int, ...] | None:
    return tuple(found) if len(found) == 1 else None


def _find_largest_share(scene: Scene, parameters: Parameters, values: Mapping[str, Matrix]) -> Answer | None:
    return _keep_unique(scene.find_favourite(values, parameters))


def _find_least_share(scene: Scene, parameters: Parameters, values: Mapping[str, Matrix]) -> Answer | None:
    """Return the key with the smallest share among those that the query may look at."""
    weights = scene.take_vectors(values, scene.get_attention(parameters).weights)[parameters.query]
    visible = scene.list_visible_keys(parameters.query, parameters.attention)
    found = find_extremes([weights[key] for key in visible], smallest=True)
    return _keep_unique([visible[at] for at in found])


def _answer_with_share(scene: Scene, parameters: Parameters, found: Answer | None) -> Finding | None:
    """Answer with a key, and give its share as the reason; None where another key's share looks the same."""
    if not isinstance(found, tuple):
        return None
    weights = scene.solution[scene.get_attention(parameters).weights].hand
    shares = scene.take_vectors({"A": weights}, "A")[parameters.query]
    share = shares[found[0]]
    others = (shares[key] for key in scene.list_visible_keys(parameters.query, parameters.attention) if key != found[0])
    if any(scene.looks_alike(share, other) for other in others):
        return None
    return Finding(answer=found, numbers={"share": share})


def find_guess(scene: Scene, parameters: Parameters) -> Finding | None:
    """Answer a guess, or what z holds most of."""
    values = scene.solution.collect_hand_values()
    return _answer_with_share(scene, parameters, _find_largest_share(scene, parameters, values))


def _find_least(scene: Scene, parameters: Parameters) -> Finding | None:
    values = scene.solution.collect_hand_values()
    return _answer_with_share(scene, parameters, _find_least_share(scene, parameters, values))


def _list_askers(scene: Scene) -> Iterator[Parameters]:
    """Yield the queries of which two keys at least can be the least: three are to be seen."""
    for parameters in list_choosers(scene):
        if len(scene.list_visible_keys(parameters.query, parameters.attention)) > 2:
            yield parameters


def _list_story(scene: Scene) -> Iterator[Parameters]:
    """Yield what the story asks, where the sheet asks that query."""
    story = scene.problem.story
    if story and story.query in scene.asked_queries:
        yield Parameters(attention=max(story.head - 1, 0), query=story.query)


def list_repeated_words(scene: Scene) -> Iterator[Parameters]:
    """Yield every two asked tokens whose word is looked up twice."""
    words = scene.problem.variant.embedded_words
    asked = [query for query in scene.asked_queries if query < len(words)]
    for i in asked:
        for j in asked:
            if i < j and words[i] == words[j]:
                yield Parameters(token=i, other=j)


def find_reason_of_order(scene: Scene, *, has_positions: bool) -> str:
    """Return why two equal words have equal outputs, or different ones."""
    is_masked = any(attention.masked for attention in scene.mechanism.attentions)
    return "positions" if has_positions else "mask" if is_masked else "order"


def compare_outputs(scene: Scene, parameters: Parameters, values: Mapping[str, Matrix]) -> str:
    """Return whether two tokens have the same output."""
    outputs = scene.take_vectors(values, scene.mechanism.stages[-1].name)
    pairs = zip(outputs[parameters.token], outputs[parameters.other], strict=True)
    return YES if all(is_near(one, other) for one, other in pairs) else NO


def _find_equality(scene: Scene, parameters: Parameters) -> Finding:
    answer = compare_outputs(scene, parameters, scene.solution.collect_hand_values())
    why = find_reason_of_order(scene, has_positions=scene.problem.variant.has_positions)
    return Finding(answer=answer, reason=f"{'same' if answer == YES else 'different'}.{why}")


MAX_FACES = 200
"""A die with more faces is none that anyone pictures."""


def _find_drawn_from(scene: Scene, _: Parameters) -> str:
    """Return which matrix says how likely each word is to be drawn: after top-k, where that is worked."""
    after = scene.mechanism.find_stage("p_k")
    return scene.mechanism.attentions[0].weights if after is None else after.name


def _list_rolls(scene: Scene) -> Iterator[Parameters]:
    """Yield every roll of the die that stands for an asked vector, where its shares are of so many faces."""
    is_drawn = scene.problem.variant.has_vocabulary and scene.mechanism.attentions
    if not is_drawn or not scene.problem.rules.is_rational:
        return
    shares = scene.take_vectors(scene.solution.collect_hand_values(), _find_drawn_from(scene, Parameters()))
    for query in scene.asked_queries:
        faces = lcm(*(Fraction(share).denominator for share in shares[query]))
        if faces <= MAX_FACES:
            yield from (Parameters(query=query, other=roll, faces=faces) for roll in range(1, faces + 1))


def _draw_word(scene: Scene, parameters: Parameters, values: Mapping[str, Matrix]) -> Answer | None:
    """Return the word to which a face of the die belongs: the first has the first faces, then the next."""
    upto = 0.0
    for word, share in enumerate(scene.take_vectors(values, _find_drawn_from(scene, parameters))[parameters.query]):
        upto += to_float(share)
        if parameters.other <= upto * parameters.faces + NEAR:
            return (word,)
    return None


def _find_drawn_word(scene: Scene, parameters: Parameters) -> Finding | None:
    """Answer with the word that is drawn, unless it is the likeliest: that one would be guessed."""
    values = scene.solution.collect_hand_values()
    found = _draw_word(scene, parameters, values)
    if found is None or found == scene.find_favourite(values, parameters):
        return None
    return Finding(answer=found)


READINGS: tuple[Question, ...] = (
    Question(
        id="story",
        kind=AnswerKind.TOKEN,
        part=Part.READING,
        seconds=60,
        list_parameters=_list_story,
        find_answer=find_guess,
        find_own_answer=_find_largest_share,
        comes_first=True,
    ),
    Question(
        id="surest",
        kind=AnswerKind.TOKEN,
        part=Part.READING,
        seconds=60,
        list_parameters=_list_every_head,
        find_answer=partial(_compare_queries, smallest=False),
        find_own_answer=_find_surest,
        vectors=Vectors.QUERIES,
    ),
    Question(
        id="torn",
        kind=AnswerKind.TOKEN,
        part=Part.READING,
        seconds=60,
        list_parameters=_list_every_head,
        find_answer=partial(_compare_queries, smallest=True),
        find_own_answer=_find_most_torn,
        vectors=Vectors.QUERIES,
    ),
    Question(
        id="largest-share",
        kind=AnswerKind.TOKEN,
        part=Part.READING,
        seconds=45,
        list_parameters=list_choosers,
        find_answer=find_guess,
        find_own_answer=_find_largest_share,
    ),
    Question(
        id="least-share",
        kind=AnswerKind.TOKEN,
        part=Part.READING,
        seconds=45,
        list_parameters=_list_askers,
        find_answer=_find_least,
        find_own_answer=_find_least_share,
    ),
    Question(
        id="same-word",
        kind=AnswerKind.CHOICE,
        part=Part.READING,
        seconds=60,
        list_parameters=list_repeated_words,
        find_answer=_find_equality,
        find_own_answer=compare_outputs,
        choices=(YES, NO),
        weight=OWN_FORM,
    ),
    Question(
        id="draw-word",
        kind=AnswerKind.TOKEN,
        part=Part.READING,
        seconds=90,
        list_parameters=_list_rolls,
        find_answer=_find_drawn_word,
        find_own_answer=_draw_word,
        weight=OWN_FORM,
        find_matrix=_find_drawn_from,
    ),
)
