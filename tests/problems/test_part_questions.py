"""The two questions of every part of a language model: worked once more apart from the product, on the whole bank."""

import random
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations, product
from typing import Any

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.questions import CellChange, Part, PosedQuestion, Scene
from attnhand.attention.solution import solve
from attnhand.problems.language_model import SENTENCES, WORDS, LanguageModel, load_models, vary_model
from attnhand.problems.levels import Level
from attnhand.problems.model_parts import MODEL_PARTS, AskedPart, cut_part
from attnhand.problems.part_questions import pose_part_questions
from attnhand.problems.random_stream import RandomStream
from attnhand.sheet.make import make_sheet_from_problem
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.text import LANGUAGES
from attnhand.text.widths import to_unicode
from tests.breadth import choose
from tests.problems.language_model_oracle import CLOCK, learn_by_hand, normed, times, to_nearest, work_by_hand

BANK = load_models()
Given = dict[str, Any]
Words = tuple[str, ...]


@cache
def list_variants() -> list[LanguageModel]:
    """Return every model of the bank in other numbers."""
    return [vary_model(model, RandomStream(f"variant {at}")) for at, model in enumerate(BANK)]


def pose(part: str, model: LanguageModel) -> dict[str, PosedQuestion]:
    """Return the questions of a part of a model by their ids."""
    problem = cut_part(MODEL_PARTS[part], model)
    scene = Scene(solution=solve(problem), asked_queries=tuple(range(problem.sizes["tokens"])))
    posed = pose_part_questions(scene, AskedPart(name=part, model=model))
    return {each.question.id: each for each in posed}


def number(words: Sequence[str]) -> list[int]:
    """Return words as the rows of E that they are."""
    return [WORDS.index(word) for word in words]


def last(a: Sequence[Sequence[Any]]) -> list[Any]:
    """Return the last column."""
    return [row[-1] for row in a]


def list_largest(numbers: Sequence[Any]) -> tuple[int, ...]:
    """Return where the largest of some numbers stand."""
    return tuple(at for at, each in enumerate(numbers) if each == max(numbers))


def count_changed(one: Sequence[Sequence[Any]], other: Sequence[Sequence[Any]]) -> int:
    """Count the cells in which two matrices differ."""
    return sum(a != b for row, others in zip(one, other, strict=True) for a, b in zip(row, others, strict=True))


def read_vector(text: object) -> list[int]:
    """Read "(1, −2)"."""
    return [int(each) for each in str(text).strip("()").replace("−", "-").split(",")]


def say(given: Given, words: Words, without: str = "") -> tuple[str, ...]:
    """Return the words that the oracle has the model say after a sentence."""
    return tuple(WORDS[at] for at in list_largest(last(work_by_hand(given, number(words), without)["logits"])))


def look(given: Given, words: Words, head: int) -> tuple[int, ...]:
    """Return the tokens at which the last word looks most."""
    return list_largest(last(work_by_hand(given, number(words))[f"h{head}.A"]))


def check_words(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Work the questions about words again."""
    first, one, two, end = model.step.sentence
    X, swapped = (work_by_hand(given, number(words))["X"] for words in ((first, one, two, end), (first, two, one, end)))
    finding = asked["swapped-words"].finding
    assert finding
    yield finding.answer == count_changed(X, swapped) == 2 * int(str(finding.words["differing"]))
    yield X[4:] == swapped[4:]
    finding = asked["new-animal"].finding
    assert finding
    row = [*read_vector(finding.words["example"]), 0, 0]
    yield finding.answer == 5 == sum(x * x for x in row)
    yield row not in map(list, model.E)
    changed = {**given, "E": [*map(list, model.E)]}
    changed["E"][WORDS.index("dogs")] = row
    yield all(look(changed, words, 1) == (1,) for words in SENTENCES if words[1] == "dogs")
    if finding.reason == "shared":
        at, common = int(str(finding.words["feature"])) - 1, read_vector(finding.words["common"])[0]
        yield row[at] == common != 0
        yield all(model.E[WORDS.index(animal)][at] == common for animal in ("dogs", "cats"))


def check_head_1(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Work the questions about head 1 again."""
    X = work_by_hand(given, number(model.step.sentence))["X"]
    moved = [row[:] for row in X]
    for feature, place in zip((4, 5), CLOCK[2], strict=True):
        moved[feature][1] = place
    (Q, K), (new_Q, new_K) = ([times(given[name][0], each) for name in ("W_Q", "W_K")] for each in (X, moved))
    S, new_S = (times([*zip(*k, strict=True)], q) for k, q in ((K, Q), (new_K, new_Q)))
    finding = asked["moved-word"].finding
    assert finding
    yield finding.answer == count_changed(S, new_S)
    changes = count_changed(Q, new_Q) > 0, count_changed(K, new_K) > 0
    yield {(1, 0): "query", (0, 1): "key", (1, 1): "both"}.get(changes, finding.reason) == finding.reason
    yield (finding.reason in ("none", "alike")) == (changes == (False, False))
    if finding.reason == "none":
        yield all(number == 0 for name in ("W_Q", "W_K") for row in given[name][0] for number in row[4:])
    yield read_vector(finding.words["query_moved"]) == [row[1] for row in new_Q]
    yield read_vector(finding.words["key_moved"]) == [row[1] for row in new_K]
    for posed in (each for name, each in asked.items() if name != "moved-word"):
        yield from check_another_look(model, given, K, posed)


def check_another_look(
    model: LanguageModel, given: Given, K: Sequence[Sequence[int]], posed: PosedQuestion
) -> Iterator[bool]:
    """Work again which number of W_Q would have "eat" look at another token, or that none would."""
    assert posed.finding
    favourites = look(given, model.step.sentence, 1)
    yield posed.parameters.token == min(set(range(4)) - {*favourites}) or 0 in favourites or posed.parameters.token > 0
    yield posed.parameters.token not in favourites
    if isinstance(change := posed.finding.answer, CellChange):
        W_Q = [[list(row) for row in head] for head in given["W_Q"]]
        W_Q[0][change.row][change.column] = change.value
        yield look({**given, "W_Q": W_Q}, model.step.sentence, 1) == (posed.parameters.token,)
        return
    twin = model.step.sentence.index(str(posed.finding.words["twin"]))
    keys = [*zip(*K, strict=True)]
    yield posed.finding.answer == "no"
    yield twin != posed.parameters.token
    yield keys[twin] == keys[posed.parameters.token] == tuple(read_vector(posed.finding.words["both_keys"]))
    dice = random.Random("any W_Q")
    for _ in range(5):
        W_Q = [[[dice.randint(-3, 3) for _ in row] for row in head] for head in given["W_Q"]]
        yield look({**given, "W_Q": W_Q}, model.step.sentence, 1) != (posed.parameters.token,)


def check_head_2(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Work the questions about head 2 again."""
    sentence = model.step.sentence
    (posed,) = (each for name, each in asked.items() if name.startswith("fifth"))
    assert posed.finding
    cells = {word: work_by_hand(given, number((*sentence, word))) for word in WORDS}
    said = cells[SENTENCES[sentence]]
    yield posed.finding.answer == list_largest(last(said["h2.A"]))
    yield read_vector(posed.finding.words["asks"]) == last(said["h2.Q"])
    yield read_vector(posed.finding.words["scores"]) == last(said["h2.S"])
    yield read_vector(posed.finding.words["own_key"]) == last(said["h2.K"])
    yield read_vector(posed.finding.words["column"]) == last(said["X"])
    yield read_vector(posed.finding.words["place"]) == [*CLOCK[4]]
    is_any = all(
        list_largest(last(each["h2.A"])) == posed.finding.answer
        and all(last(each[name]) == last(said[name]) for name in ("h2.Q", "h2.K"))
        for each in cells.values()
    )
    yield is_any == (posed.question.id == "fifth-word")
    if posed.finding.reason == "nothing":
        yield not any(last(said["h2.S"]))
    finding = asked["placeless-orders"].finding
    assert finding
    *before, end = sentence
    outputs = [
        last(work_by_hand(given, number((*order, end)), without="places")["h2.Z"]) for order in permutations(before)
    ]
    yield finding.answer == sum(z == outputs[0] for z in outputs)


def check_stream(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Work the questions about the stream again."""
    cells = work_by_hand(given, number(model.step.sentence))
    alone = [to_nearest(Fraction(o)) for o in last(cells["O"])]
    struck, tenfold = (asked[name].finding for name in ("struck-token", "tenfold-stream"))
    assert struck
    assert tenfold
    yield struck.answer == sum(a != b for a, b in zip(last(cells["R"]), alone, strict=True))
    yield (read_vector(struck.words["whole"]), read_vector(struck.words["left"])) == (last(cells["R"]), alone)
    *word_changes, first, second = (a != b for a, b in zip(last(cells["R"]), alone, strict=True))
    yield any(word_changes)  # "no longer knows which word it is"
    yield struck.reason == ("" if first or second else "word")
    N, roots = normed([[10 * x for x in row] for row in cells["R"]])
    yield tenfold.answer == sum(a != b for a, b in zip(last(N), last(cells["N"]), strict=True))
    yield (tenfold.reason == "none") == (tenfold.answer == 0)
    yield (tenfold.words["root"], tenfold.words["root_now"]) == (str(cells["r1"][0][-1]), str(roots[-1]))
    yield read_vector(tenfold.words["after"]) == last(N)


def check_network(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Work the question about hidden numbers again; that of the sum is of the language alone."""
    cells = {words: work_by_hand(given, number(words)) for words in SENTENCES}
    fired = [{words for words, each in cells.items() if last(each["relu"])[at] > 0} for at in range(4)]
    if "firing-alone" not in asked:
        return
    finding = asked["firing-alone"].finding
    assert finding
    yield finding.answer == sum(len(each) == 1 for each in fired)
    yield finding.words["alone"] == [
        f"{at} ({' '.join(*each)[2:]})" for at, each in enumerate(fired, 1) if len(each) == 1
    ]
    others = {words: last(each["N"]) for words, each in cells.items() if words != model.step.sentence}
    yield [read_vector(re.findall(r"\(.*\)", text)[0]) for text in finding.words["others"]] == [*others.values()]


def check_next_word(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Work the questions about the next word again."""
    logits = last(work_by_hand(given, number(model.step.sentence))["logits"])
    poem, rolls = (asked[name].finding for name in ("poem-temperature", "ten-rolls"))
    assert poem
    assert rolls
    shares = {}
    for name, tempered in (("share", logits), ("flat", [z // 2 for z in logits]), ("sharp", [2 * z for z in logits])):
        total = sum(Fraction(3) ** z for z in tempered)
        shares[name] = [Fraction(3) ** z / total for z in tempered]
    best = WORDS.index(str(poem.words["word"]))
    yield poem.answer == "hot"
    yield poem.numbers == {name: each[best] for name, each in shares.items()}
    yield shares["flat"][best] < shares["share"][best] < shares["sharp"][best]
    yield rolls.answer == 10 * max(shares["share"])
    top = int(str(rolls.words["top"]))
    faces = [share * top for share in shares["share"]]
    yield 50 < top <= 100
    yield all(each.denominator == 1 for each in faces)
    yield (sum(faces), max(faces)) == (top, int(str(rolls.words["numbers"])))


def check_learn(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Work the questions about the step again: W_U moves, and every sentence is read out by the new one."""
    step = model.step
    learnt = learn_by_hand(given, number(step.sentence), WORDS.index(step.target), step.eta)
    lengths = [sum(abs(each) for each in row) for row in learnt["dW"]]
    moved, forgotten = (asked[name].finding for name in ("moved-row", "forgotten"))
    assert moved
    assert forgotten
    yield moved.answer == list_largest(lengths) == (WORDS.index(step.target),)
    yield all(sum(column) == 0 for column in zip(*learnt["dW"], strict=True))
    told = []
    for words in SENTENCES:
        if words == step.sentence:
            continue
        h = last(work_by_hand(given, number(words))["H"])
        new = [to_nearest(Fraction(sum(w * x for w, x in zip(row, h, strict=True)))) for row in learnt["W_U"]]
        before, after = say(given, words), tuple(WORDS[at] for at in list_largest(new))
        told += [f"{' '.join(words[1:])} {' / '.join(before)} → {' / '.join(after)}"] if before != after else []
    yield (forgotten.answer, forgotten.words["forgotten"]) == (len(told), told)
    others = [words for words in SENTENCES if words != step.sentence]
    overtaken = 0
    for words, text in zip(others, forgotten.words["others"], strict=True):  # as a student does, from what is printed
        yield text.startswith(f"{' '.join(words[1:])} (")
        *logits, along = read_vector(text[text.index("(") :].replace("), *m* =", ","))
        new = [to_nearest(z - step.eta * along * g) for z, g in zip(logits, learnt["g"], strict=True)]
        overtaken += list_largest(new) != list_largest(logits)
    yield overtaken == forgotten.answer


def check_write_on(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Count what the cache is made of, and all products that it saves."""
    cells = work_by_hand(given, number(model.step.sentence))
    kept = sum(len(row) for head in (1, 2) for name in ("K", "V") for row in cells[f"h{head}.{name}"])
    assert asked["kept-columns"].finding
    yield asked["kept-columns"].finding.answer == kept
    assert asked["lost-cache"].finding
    projected = 2 * 3 * 5 * 2 * 6
    yield asked["lost-cache"].finding.answer == projected + 2 * sum(2 * seen + 2 * seen for seen in range(1, 6))


def check_word_after(model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion]) -> Iterator[bool]:
    """Count the cache of a long text, and look at the likeliest word."""
    sentence = (*model.step.sentence, SENTENCES[model.step.sentence])
    cells = work_by_hand(given, number(sentence))
    each = sum(len(cells[f"h{head}.{name}"]) for head in (1, 2) for name in ("K", "V"))
    assert asked["long-text"].finding
    yield asked["long-text"].finding.answer == 1000 * each
    if "always-likeliest" in asked:
        finding = asked["always-likeliest"].finding
        assert finding
        yield (finding.answer, finding.words["word"]) == ("yes", *say(given, sentence))
        yield finding.numbers["share"] == max(last(cells["p"]))
    else:
        yield len(say(given, sentence)) > 1


def check_taken_away(
    model: LanguageModel, given: Given, asked: Mapping[str, PosedQuestion], without: str
) -> Iterator[bool]:
    """Let the oracle say every sentence without the part."""
    said = {words: say(given, words, without) for words in SENTENCES}
    wrong = asked["wrong-sentences"].finding
    assert wrong
    yield wrong.answer == tuple(at for at, (words, right) in enumerate(SENTENCES.items()) if said[words] != (right,))
    yield bool(wrong.answer)
    columns = {words: last(work_by_hand(given, number(words), without)["H"]) for words in SENTENCES}
    for (at, words), text in zip(enumerate(SENTENCES, 1), wrong.words["sentences"], strict=True):
        start = f"({at}) {' '.join(words[1:])} → {SENTENCES[words]}"
        yield text == start if words == model.step.sentence else read_vector(text[len(start) + 2 :]) == columns[words]
    pairs = {
        (one, two) for one, two in combinations(range(4), 2) if [*columns.values()][one] == [*columns.values()][two]
    }
    told = [[int(at) - 1 for at in re.findall(r"\d", text)] for text in wrong.words["alike"]]
    yield pairs == {pair for each in told for pair in combinations(each, 2)}
    yield (wrong.reason == "alike") == bool(pairs)
    first, animal, adverb, end = model.step.sentence
    exchanges = (
        ("animal", (first, {"dogs": "cats", "cats": "dogs"}[animal], adverb, end)),
        ("adverb", (first, animal, {"always": "never", "never": "always"}[adverb], end)),
    )
    deaf = {name for name, words in exchanges if columns[words] == columns[model.step.sentence]}
    finding = asked["unheard-word"].finding
    assert finding
    yield deaf == {"either": {"animal", "adverb"}, "neither": set()}.get(str(finding.answer), {finding.answer})
    yield (finding.reason == "neither") == (not deaf)
    told = [read_vector(text[text.index("(") :]) for text in finding.words["answers"]]
    yield told == [columns[words] for words in (model.step.sentence, *(words for _, words in exchanges))]


CHECKS = {
    "words": check_words,
    "head-1": check_head_1,
    "head-2": check_head_2,
    "stream": check_stream,
    "network": check_network,
    "next-word": check_next_word,
    "learn": check_learn,
    "write-on": check_write_on,
    "word-after": check_word_after,
}


@pytest.mark.parametrize("part", MODEL_PARTS)
def test_answers_are_what_an_oracle_finds_on_every_model(part: str) -> None:
    """All models of the bank, in other numbers: every answer, and what its reason says.

    But in ``make sweep`` each model in every other part.
    """
    counts = []
    models = [*enumerate(list_variants())]
    for at, model in choose(models[[*MODEL_PARTS].index(part) % 2 :: 2], models):
        asked, given = pose(part, model), asdict(model)
        found = (
            CHECKS[part](model, given, asked)
            if part in CHECKS
            else check_taken_away(model, given, asked, MODEL_PARTS[part].without or "")
        )
        assert all(told := [*found]), (at, model.style, part, told)
        counts.append(len(asked))
    assert counts.count(2) >= 0.9 * len(counts), part


def test_no_sum_of_two_reports_says_the_language() -> None:
    """What a student proves in three lines: none of many numbers do it, and the answer is no."""
    small = range(-4, 5)
    for dogs, cats, always, never in product(small, repeat=4):
        report = {"dogs": dogs, "cats": cats, "always": always, "never": never}
        sums = {words: report[words[1]] + report[words[2]] for words in SENTENCES}
        assert not all(total > 0 if SENTENCES[words] == "bones" else total < 0 for words, total in sums.items())
    finding = pose("network", BANK[0])["adding-alone"].finding
    assert finding
    assert finding.answer == "no"


def ask(part: str, seed: int, **options: Any) -> tuple[AskedQuestion, ...]:
    """Return the questions of a sheet of a part, with answers."""
    return build_questions(attnhand.generate(seed=seed, part=part, **options).key)


@pytest.mark.parametrize("language", LANGUAGES)
def test_questions_are_written_in_every_language(language: str) -> None:
    """Nothing in braces is left, and no reason is missing, at both levels and in rows."""
    for part in MODEL_PARTS:
        for seed, level in enumerate((Level.STANDARD, Level.CHALLENGE, Level.CHALLENGE)):
            for question in ask(part, seed, level=level, language=language, convention=[*Convention][seed % 2]):
                written = to_unicode(question.text) + to_unicode(question.reason) + question.plain_answer
                assert not re.search(r"[{}]|\bask\.", written), (part, seed, written)
                assert not question.has_reason or question.reason, (part, seed, question.posed.question.id)


@pytest.mark.parametrize("part", MODEL_PARTS)
def test_rows_and_columns_are_asked_the_same(part: str) -> None:
    """The other convention turns the numbers, and no answer; of a change row and column."""
    for level in (Level.STANDARD, Level.CHALLENGE):
        answers = []
        for convention in Convention:
            found = ask(part, 5, level=level, convention=convention)
            mine = [each.posed for each in found if each.has_reason and each.posed.finding]
            answers.append([(each.question.id, turn(each.finding.answer, convention)) for each in mine if each.finding])
        assert answers[0] == answers[1]


def turn(answer: object, convention: Convention) -> object:
    """Return an answer as the columns convention has it."""
    is_turned = isinstance(answer, CellChange) and convention.is_rows
    return replace(answer, row=answer.column, column=answer.row) if is_turned else answer  # type: ignore[type-var, attr-defined]


def test_a_salted_code_asks_the_same_again() -> None:
    """The model, which the questions are about, is drawn with the salt: from the code and it all comes again."""
    for part in MODEL_PARTS:
        sheet = attnhand.generate(seed=3, part=part, salt="a salt for our own class")
        again = attnhand.key(sheet.code, salt="a salt for our own class")
        assert [to_unicode(each.text) + each.plain_answer for each in build_questions(sheet.key)] == [
            to_unicode(each.text) + each.plain_answer for each in build_questions(again.key)
        ]


def test_a_problem_file_of_a_part_asks_the_questions_of_its_form() -> None:
    """It does not know its model, so nothing about that is asked."""
    for part in MODEL_PARTS:
        problem = attnhand.generate(seed=3, part=part).problem
        questions = build_questions(make_sheet_from_problem(problem).key)
        assert not any(each.part is Part.WHY for each in questions)
