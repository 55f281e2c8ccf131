"""The two questions of each sheet of a whole language model that ask for the why; answers are worked on its own model.

Whoever is asked what a part does has to know what the model says in other sentences, without the part, after a step:
so these are no questions of the catalogue, which knows the numbers of one sheet alone.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import chain, permutations, product
from math import lcm
from operator import mul

from attnhand.attention.matrix import Matrix, map_cells
from attnhand.attention.numbers import Number, simplify, use_typographic_signs
from attnhand.attention.questions import (
    AnswerKind,
    Finding,
    Parameters,
    Part,
    PosedQuestion,
    Question,
    Scene,
    Vectors,
    find_questions,
)
from attnhand.attention.questions.base import find_extremes
from attnhand.attention.questions.reading import NO, YES
from attnhand.attention.questions.what_if import Changed, change_given, change_vector
from attnhand.attention.solution import compute_stages
from attnhand.problems.language_model import FREE_FEATURES, PLACES, SENTENCES, WORDS, LanguageModel
from attnhand.problems.language_model_answers import say_next, say_next_after_step
from attnhand.problems.language_model_working import Part as Taken
from attnhand.problems.language_model_working import WorkedModel, work_model
from attnhand.problems.model_parts import AskedPart

HOT, COLD = "hot", "cold"
ANIMAL, ADVERB, EITHER, NEITHER = "animal", "adverb", "either", "neither"

ANIMALS, ADVERBS = ("dogs", "cats"), ("always", "never")

WORD_SQUARES = 5
"""What the squares of a word add to: with those of a place 6."""

TEXT_LENGTH = 1000
"""Words of a text for which keys and values would be kept."""

COMMA = ",\u00a0"
"""Between the numbers of a vector, which stays on one line."""

ROLLS = 10
DICE = 100
"""What two ten-sided dice show at most."""


def pose_part_questions(scene: Scene, asked: AskedPart) -> tuple[PosedQuestion, ...]:
    """Return the two questions of a part; those alone that have an answer on this sheet."""
    found = (pose(scene, asked) for pose in POSERS[asked.name])
    return tuple(posed for posed in found if posed is not None)


Poser = Callable[[Scene, AskedPart], PosedQuestion | None]
FindingFinder = Callable[[Scene, AskedPart], Finding | None]


def _list_nothing(_scene: Scene) -> tuple[Parameters, ...]:
    """List no way to ask: these are questions of a part, and of no other sheet."""
    return ()


def _make(
    id: str,
    *,
    seconds: int,
    kind: AnswerKind = AnswerKind.NUMBER,
    choices: tuple[str, ...] = (),
    vectors: Vectors = Vectors.KEYS,
) -> Question:
    return Question(
        id=id,
        kind=kind,
        part=Part.WHY,
        seconds=seconds,
        list_parameters=_list_nothing,
        choices=choices,
        vectors=vectors,
    )


_FIFTH, _FIFTH_NAMED = (
    _make(id, seconds=120, kind=AnswerKind.TOKENS, vectors=Vectors.WITH_NEXT)
    for id in ("fifth-word", "fifth-word-named")
)
_SAME_KEY = _make("same-key", seconds=120, kind=AnswerKind.CHOICE, choices=(YES, NO))


def _pose(question: Question, parameters: Parameters, finding: Finding | None) -> PosedQuestion | None:
    return PosedQuestion(question=question, parameters=parameters, finding=finding) if finding else None


def _ask(question: Question, find: FindingFinder) -> Poser:
    """Pose a question by the function that answers it."""

    def pose(scene: Scene, asked: AskedPart) -> PosedQuestion | None:
        finding = find(scene, asked)
        return _pose(question, Parameters(), finding)

    return pose


def _count(id: str, find: FindingFinder, *, seconds: int) -> Poser:
    """Ask for a number."""
    return _ask(_make(id, seconds=seconds), find)


def _choose(id: str, find: FindingFinder, *choices: str, seconds: int) -> Poser:
    """Ask for one of some words."""
    return _ask(_make(id, seconds=seconds, kind=AnswerKind.CHOICE, choices=choices), find)


def _ask_for_lost_cache(scene: Scene, _asked: AskedPart) -> PosedQuestion | None:
    """Ask the question of the catalogue that shows what keeping saves."""
    (question,) = find_questions(["lost-cache"])
    finding = question.find_answer(scene, Parameters())
    return _pose(question, Parameters(), finding)


def _write_vector(vector: Sequence[Number]) -> str:
    """Write a vector of whole numbers as it stands in a sentence: (1, −2)."""
    return f"({COMMA.join(map(_write_number, vector))})"


def _write_number(number: Number) -> str:
    return use_typographic_signs(str(number))


def _write_sentence(words: Sequence[str]) -> str:
    """Write a sentence without the full stop that it begins with."""
    return " ".join(words[1:])


def _count_changed(one: Matrix, other: Matrix) -> int:
    return sum(map(_count_differing, one, other))


def _count_differing(one: Sequence[Number], other: Sequence[Number]) -> int:
    return sum(a != b for a, b in zip(one, other, strict=True))


# words


def _swap_words(_scene: Scene, asked: AskedPart) -> Finding:
    first, one, two, *rest = asked.words
    changed = _count_changed(asked.work().values["X"], asked.work((first, two, one, *rest)).values["X"])
    return Finding(answer=changed, words={"one": one, "two": two, "differing": str(changed // 2)})


def _find_new_animal(_scene: Scene, asked: AskedPart) -> Finding | None:
    """Answer what the squares add to, with a row that head 1 looks at, if it can with what both animals have."""
    model = asked.model
    dogs, cats = (model.E[WORDS.index(animal)] for animal in ANIMALS)
    shared = [i for i in range(FREE_FEATURES) if dogs[i] == cats[i] != 0]
    alike = [row for row in _list_rows() if shared and all(row[i] == dogs[i] for i in shared)]
    worked = [work_model(model, words) for words in SENTENCES if words[1] == "dogs"]
    rows = (row for row in (*alike, *_list_rows()) if row not in model.E and _is_looked_at(worked, model, row))
    row = next(rows, None)
    if row is None:
        return None
    common = {"feature": str(shared[0] + 1), "common": _write_number(row[shared[0]])} if row in alike else {}
    return Finding(
        answer=WORD_SQUARES,
        reason="shared" if common else "looked",
        words={"example": _write_vector(row[:FREE_FEATURES]), **common},
    )


def _list_rows() -> Iterator[tuple[int, ...]]:
    """Yield every row of E that a word may have, small numbers first."""
    for row in product((0, 1, -1, 2, -2), repeat=FREE_FEATURES):
        if sum(number**2 for number in row) == WORD_SQUARES:
            yield (*row, *(0 for _ in PLACES[0]))


def _is_looked_at(worked: Sequence[WorkedModel], model: LanguageModel, row: tuple[int, ...]) -> bool:
    """Say whether head 1 lets "eat" look at a word with this row, and at no other as much, where dogs stand."""
    at = WORDS.index("dogs")
    changed = replace(model, E=(*model.E[:at], row, *model.E[at + 1 :]))
    return all(find_extremes(each.change_model(changed).get_last("h1.A")) == (1,) for each in worked)


# heads


def _move_word(scene: Scene, asked: AskedPart) -> Finding | None:
    """Count the scores of head 1 that change where token 2 says that it stands at place 3."""
    values, places = scene.solution.collect_hand_values(), iter(PLACES[2])
    is_place = [at >= FREE_FEATURES for at in range(FREE_FEATURES + len(PLACES[2]))]
    number = iter(is_place)
    X = change_vector(scene, values["X"], 1, lambda x: next(places) if next(number) else x)
    changed = Changed(change_given(scene.problem, X=X)).solve()
    if changed is None:
        return None
    moved = changed.collect_hand_values()
    W_Q, W_K = asked.model.W_Q[0], asked.model.W_K[0]
    (old_query, query), (old_key, key) = (
        (scene.take_vectors(values, name)[1], scene.take_vectors(moved, name)[1]) for name in ("Q", "K")
    )
    reads_places = any(any(row[FREE_FEATURES:]) for row in (*W_Q, *W_K))
    nothing = "alike" if reads_places else "none"
    reasons = {(True, True): "both", (True, False): "query", (False, True): "key", (False, False): nothing}
    return Finding(
        answer=_count_changed(values["S"], moved["S"]),
        reason=reasons[old_query != query, old_key != key],
        words={
            "word": asked.words[1],
            "here": _write_vector(PLACES[1]),
            "there": _write_vector(PLACES[2]),
            "query_moved": _write_vector(query),
            "key_moved": _write_vector(key),
        },
    )


def _change_aim(scene: Scene, asked: AskedPart) -> PosedQuestion | None:
    """Ask for a number of W_Q that lets the last word look at the first, or at another that it does not look at most.

    Where keys are alike, it is asked whether there is one.
    """
    query, values = scene.asked_queries[-1], scene.solution.collect_hand_values()
    favourites = scene.find_favourite(values, Parameters(query=query))
    ways = [Parameters(query=query, token=token) for token in range(query + 1) if token not in favourites]
    (question,) = find_questions(["change-weight"])
    changes = (_pose(question, way, question.find_answer(scene, way)) for way in ways)
    alike = (_pose(_SAME_KEY, way, _find_same_key(scene, asked, way)) for way in ways)
    return next(filter(None, chain(changes, alike)), None)


def _find_same_key(scene: Scene, asked: AskedPart, way: Parameters) -> Finding | None:
    """Answer that no query looks most at a token whose key another has too; None where none has."""
    keys = scene.take_vectors(scene.solution.collect_hand_values(), "K")
    own = keys[way.token]
    twin = next((at for at in scene.list_visible_keys(way.query) if at != way.token and keys[at] == own), None)
    if twin is None:
        return None
    words = {"looked": asked.words[way.token], "twin": asked.words[twin], "both_keys": _write_vector(own)}
    return Finding(answer=NO, words=words)


def _look_from_fifth(_scene: Scene, asked: AskedPart) -> PosedQuestion:
    """Ask where a fifth word looks in head 2: whatever it is, where that is so; else the one that the model says."""
    worked = {word: asked.work((*asked.words, word)) for word in WORDS}
    asks, keys = ({word: each.get_last(name) for word, each in worked.items()} for name in ("h2.Q", "h2.K"))
    looks = {word: find_extremes(each.get_last("h2.A")) for word, each in worked.items()}
    word = SENTENCES[asked.words]
    is_any = all(len({*each.values()}) == 1 for each in (asks, keys, looks))
    words = {
        "word": word,
        "column": _write_vector(worked[word].get_last("X")),
        "place": _write_vector(PLACES[len(asked.words)]),
        "scores": _write_vector(worked[word].get_last("h2.S")),
        "asks": _write_vector(asks[word]),
        "own_key": _write_vector(keys[word]),
    }
    reason = "nothing" if is_any and not any(asks[word]) else ""
    finding = Finding(answer=looks[word], reason=reason, words=words)
    return PosedQuestion(question=_FIFTH if is_any else _FIFTH_NAMED, parameters=Parameters(), finding=finding)


def _count_orders(_scene: Scene, asked: AskedPart) -> Finding:
    """Count the orders of the first three words in which the last has the same output of head 2, without places."""
    *before, last = asked.words
    outputs = {
        order: work_model(asked.model, (*order, last), Taken.PLACES).get_last("h2.Z") for order in permutations(before)
    }
    same = [order for order, z in outputs.items() if z == outputs[tuple(before)]]
    first, one, two = before
    return Finding(
        answer=len(same),
        words={"one": _write_sentence(asked.words), "two": _write_sentence((first, two, one, last))},
    )


# the stream and the network


def _strike_token(scene: Scene, _asked: AskedPart) -> Finding:
    """Count the numbers of the last column of the stream that change where the token is not added."""
    problem, values = scene.problem, scene.solution.collect_hand_values()
    struck = change_given(problem, X=map_cells(lambda _: 0, values["X"]))  # exactly a column of zeros has no norm
    alone = compute_stages(struck, struck.hand_arithmetic, last_stage="R1")
    whole, left = (scene.take_vectors(each, "R1")[-1] for each in (values, alone))
    keeps_place = whole[FREE_FEATURES:] != left[FREE_FEATURES:]
    return Finding(
        answer=_count_differing(whole, left),
        reason="" if keeps_place else "word",
        words={"left": _write_vector(left), "whole": _write_vector(whole)},
    )


def _stretch_stream(scene: Scene, _asked: AskedPart) -> Finding | None:
    """Count the normalised numbers of the last column that change by hand where the stream is ten times as large."""
    values = scene.solution.collect_hand_values()
    changed = Changed(scene.problem, {"R1": map_cells(lambda x: 10 * x, values["R1"])}).solve()
    if changed is None:
        return None
    longer = changed.collect_hand_values()
    before, after = (scene.take_vectors(each, "N2")[-1] for each in (values, longer))
    count = _count_differing(before, after)
    root, root_now = (str(scene.take_vectors(each, "r2")[-1][0]) for each in (values, longer))
    return Finding(
        answer=count,
        reason="some" if count else "none",
        words={"root": root, "root_now": root_now, "before": _write_vector(before), "after": _write_vector(after)},
    )


def _refuse_sum(_scene: Scene, _asked: AskedPart) -> Finding:
    """Answer that no sum of two reports says an exclusive or: so says the language, whatever the model."""
    return Finding(answer=NO)


def _count_firing_alone(_scene: Scene, asked: AskedPart) -> Finding | None:
    """Count the hidden numbers that are above 0 after one of the four sentences alone; None where there is none."""
    hidden = {words: asked.work(words).get_last("relu1") for words in SENTENCES}
    alone = []
    for at in range(len(asked.model.W_1)):
        fired = [words for words, numbers in hidden.items() if numbers[at]]
        alone += [f"{at + 1} ({_write_sentence(fired[0])})"] if len(fired) == 1 else []
    if not alone:
        return None
    others = [f"{_write_sentence(words)} {_write_vector(asked.work(words).get_last('N2'))}" for words in asked.others]
    return Finding(answer=len(alone), words={"others": others, "alone": alone})


# the next word, and one step of learning


def _choose_temperature(scene: Scene, _asked: AskedPart) -> Finding | None:
    """Answer the high temperature, where by hand too it flattens what the low one sharpens."""
    shares = {2: _share_out(scene, lambda z: z // 2), 1: _share_out(scene, int), 0: _share_out(scene, lambda z: 2 * z)}
    best = max(range(len(WORDS)), key=lambda at: shares[1][at])
    flat, share, sharp = (shares[at][best] for at in (2, 1, 0))
    if not flat < share < sharp:
        return None
    return Finding(answer=HOT, numbers={"flat": flat, "share": share, "sharp": sharp}, words={"word": WORDS[best]})


def _share_out(scene: Scene, temper: Callable[[int], int]) -> list[Fraction]:
    """Return what each word gets by hand where logits are tempered first."""
    logits = scene.take_vectors(scene.solution.collect_hand_values(), "logits")[-1]
    powers = [Fraction(3) ** temper(int(logit)) for logit in logits]  # by hand they are whole
    return [power / sum(powers) for power in powers]


def _count_rolls(scene: Scene, _asked: AskedPart) -> Finding | None:
    """Answer how often the likeliest word comes in ten rolls, on average; None where two dice are too few.

    What they show is used as often as it goes into the shares, so that few rolls are rolled again.
    """
    shares = [Fraction(share) for share in scene.take_vectors(scene.solution.collect_hand_values(), "p")[-1]]
    top = DICE - DICE % lcm(*(share.denominator for share in shares))
    if not top:
        return None
    share, word = max(zip(shares, WORDS, strict=True))
    return Finding(
        answer=simplify(ROLLS * share),
        numbers={"share": simplify(share)},
        words={"word": word, "top": str(top), "numbers": str(share * top)},
    )


def _find_moved_row(scene: Scene, _asked: AskedPart) -> Finding | None:
    """Answer with the word whose g lies farthest from 0: its row of W_U moves most."""
    g = scene.take_vectors(scene.solution.collect_hand_values(), "g")[-1]
    far = [abs(Fraction(each)) for each in g]
    found = find_extremes(far)
    return Finding(answer=found, numbers={"g": g[found[0]]}) if len(found) == 1 else None


def _count_forgotten(_scene: Scene, asked: AskedPart) -> Finding:
    """Count the other sentences that end in another word after the step.

    The question gives all that the step does to them: its own z is multiplied with theirs.
    """
    before, after = say_next(asked.model), say_next_after_step(asked.model)
    forgotten = [
        f"{_write_sentence(words)} {' / '.join(before[words])} → {' / '.join(after[words])}"
        for words in asked.others
        if before[words] != after[words]
    ]
    learnt, others = asked.work().get_last("N3"), []
    for words in asked.others:
        worked = asked.work(words)
        along = sum(map(mul, worked.get_last("N3"), learnt))
        logits = _write_vector(worked.get_last("logits"))
        others.append(f"{_write_sentence(words)} {logits}, *m* = {_write_number(along)}")
    return Finding(
        answer=len(forgotten),
        reason="some" if forgotten else "none",
        words={"others": others, "forgotten": forgotten, "rate": str(asked.model.step.eta)},
    )


# writing on


def _count_kept(scene: Scene, _asked: AskedPart) -> Finding:
    """Count the numbers of the columns before that the new one needs: keys and values of both heads."""
    kept = [a for name, a in scene.problem.given if name.endswith("_cache")]
    return Finding(answer=sum(len(a) * len(a[0]) for a in kept))


def _count_long_text(_scene: Scene, asked: AskedPart) -> Finding:
    """Count the keys and values of a long text."""
    heads = zip(asked.model.W_K, asked.model.W_V, strict=True)
    per_word = sum(len(W_K) + len(W_V) for W_K, W_V in heads)
    return Finding(answer=per_word * TEXT_LENGTH, words={"per_word": str(per_word)})


def _take_likeliest(scene: Scene, _asked: AskedPart) -> Finding | None:
    """Answer that whoever always takes the likeliest word writes what everybody does; None where two are as likely."""
    shares = scene.take_vectors(scene.solution.collect_hand_values(), "p")[-1]
    best = find_extremes(shares)
    if len(best) != 1:
        return None
    return Finding(answer=YES, numbers={"share": shares[best[0]]}, words={"word": WORDS[best[0]]})


# a part taken away


def _find_wrong_sentences(_scene: Scene, asked: AskedPart) -> Finding:
    """Answer with the sentences that the model gets wrong without the part, numbered in their order.

    Of the others the question gives the last token's column before W_U, which the sheet works of its own.
    """
    columns = {words: work_model(asked.model, words, asked.part.without).get_last("N3") for words in SENTENCES}
    said = say_next(asked.model, asked.part.without)
    wrong = tuple(at for at, (words, right) in enumerate(SENTENCES.items()) if said[words] != (right,))
    listed = [
        f"({at}) {_write_sentence(words)} → {right}" + (f", {_write_vector(columns[words])}" * (words != asked.words))
        for at, (words, right) in enumerate(SENTENCES.items(), 1)
    ]
    same = [[at for at, each in enumerate(columns.values(), 1) if each == column] for column in {*columns.values()}]
    alike = [" = ".join(f"({at})" for at in each) for each in sorted(same) if len(each) > 1]
    now = [f"({at}) {' / '.join(favourites)}" for at, favourites in enumerate(said.values(), 1)]
    return Finding(
        answer=wrong, reason="alike" if alike else "", words={"sentences": listed, "now": now, "alike": alike}
    )


def _find_unheard_word(_scene: Scene, asked: AskedPart) -> Finding:
    """Answer which word of the sentence may be exchanged and leaves the last token as it is without the part."""
    first, animal, adverb, last = asked.words
    exchanged = [
        (first, _exchange(animal, ANIMALS), adverb, last),
        (first, animal, _exchange(adverb, ADVERBS), last),
    ]
    columns = {
        words: work_model(asked.model, words, asked.part.without).get_last("N3") for words in (asked.words, *exchanged)
    }
    is_animal_unheard, is_adverb_unheard = (columns[words] == columns[asked.words] for words in exchanged)
    answers = {(True, True): EITHER, (True, False): ANIMAL, (False, True): ADVERB, (False, False): NEITHER}
    told = [f"{_write_sentence(words)} {_write_vector(column)}" for words, column in columns.items()]
    return Finding(
        answer=answers[is_animal_unheard, is_adverb_unheard],
        reason="" if is_animal_unheard or is_adverb_unheard else NEITHER,
        words={"sentence": _write_sentence(asked.words), "answers": told},
    )


def _exchange(word: str, pair: tuple[str, str]) -> str:
    return pair[1 - pair.index(word)]


_TAKEN_AWAY: tuple[Poser, ...] = (
    _ask(
        _make("wrong-sentences", seconds=180, kind=AnswerKind.TOKENS, vectors=Vectors.SENTENCES),
        _find_wrong_sentences,
    ),
    _choose("unheard-word", _find_unheard_word, ANIMAL, ADVERB, EITHER, NEITHER, seconds=120),
)

POSERS: Mapping[str, tuple[Poser, ...]] = {
    "words": (
        _count("swapped-words", _swap_words, seconds=120),
        _count("new-animal", _find_new_animal, seconds=180),
    ),
    "head-1": (_count("moved-word", _move_word, seconds=180), _change_aim),
    "head-2": (_look_from_fifth, _count("placeless-orders", _count_orders, seconds=180)),
    "stream": (
        _count("struck-token", _strike_token, seconds=120),
        _count("tenfold-stream", _stretch_stream, seconds=120),
    ),
    "network": (
        _choose("adding-alone", _refuse_sum, YES, NO, seconds=240),
        _count("firing-alone", _count_firing_alone, seconds=240),
    ),
    "next-word": (
        _choose("poem-temperature", _choose_temperature, HOT, COLD, seconds=120),
        _count("ten-rolls", _count_rolls, seconds=240),
    ),
    "learn": (
        _ask(_make("moved-row", seconds=180, kind=AnswerKind.TOKEN), _find_moved_row),
        _count("forgotten", _count_forgotten, seconds=480),
    ),
    "write-on": (_count("kept-columns", _count_kept, seconds=180), _ask_for_lost_cache),
    "word-after": (
        _count("long-text", _count_long_text, seconds=120),
        _choose("always-likeliest", _take_likeliest, YES, NO, seconds=120),
    ),
    **{f"without-{part.replace(' ', '-')}": _TAKEN_AWAY for part in Taken},
}
"""By part, in the order in which they are asked."""
