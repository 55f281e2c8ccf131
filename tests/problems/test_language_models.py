"""The bank of tiny language models: whatever a lesson says of them holds of each, by hand and exactly."""

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, replace
from fractions import Fraction
from functools import cache
from itertools import chain
from math import lcm
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from attnhand.problems.language_model import SENTENCES, WORDS, load_models, vary_model
from attnhand.problems.language_model_answers import (
    list_sabotages,
    say_next,
    say_next_after_step,
)
from attnhand.problems.language_model_working import Part, work_model
from attnhand.problems.random_stream import RandomStream
from tests.breadth import choose
from tests.problems.language_model_oracle import (
    Cells,
    Floats,
    learn_by_hand,
    next_column_by_cache,
    work_by_hand,
    work_exactly,
)

MODELS = load_models()
CLEAN = [number for number, model in enumerate(MODELS) if model.style == "clean"]
FILLED = [number for number, model in enumerate(MODELS) if model.style == "filled"]
NUMBERS = choose([*CLEAN[::12], *FILLED[::5]], [*range(len(MODELS))])
TOKENS: Mapping[tuple[str, ...], list[int]] = {words: [WORDS.index(word) for word in words] for words in SENTENCES}
PARTS = ("network", "head 1", "head 2", "places", "attention")
WEIGHTS = ("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", "W_U")
CLASSES = (("dogs", "cats"), ("always", "never"), ("eat",), ("fish", "bones"), (".",))
"""What may be favoured after one, two, three words, after a sentence, and after the sentence with its right word."""


def walk(value: object) -> Iterator[int]:
    """Yield the numbers of nested rows."""
    if isinstance(value, list | tuple):
        for part in value:
            yield from walk(part)
    else:
        assert isinstance(value, int), value
        yield value


@cache
def find_given(number: int) -> Mapping[str, Any]:
    """Return what a model of the bank gives, by name."""
    return asdict(MODELS[number])


@cache
def work(number: int, words: tuple[str, ...]) -> tuple[Cells, Mapping[str, Floats]]:
    """Return a sentence with its right word after it, by hand and exactly."""
    tokens = [*TOKENS[words], WORDS.index(SENTENCES[words])]
    return work_by_hand(find_given(number), tokens), work_exactly(find_given(number), tokens)


def favourites(column: Any) -> list[str]:
    """Return the words of the largest probability."""
    return [word for word, p in zip(WORDS, column, strict=True) if p == max(column)]


def take(rows: Any, column: int) -> list[Any]:
    """Return a column."""
    return [row[column] for row in rows]


each_model = pytest.mark.parametrize("number", NUMBERS)


def test_the_oracle_reproduces_a_model_that_was_worked_elsewhere() -> None:
    """An older model of seven words: every number by hand, exactly, of the fifth column and of the step."""
    case = json.loads((Path(__file__).parents[1] / "data" / "term_model.json").read_text(encoding="utf-8"))
    given = {name.replace("W", "W_").replace("b", "b_"): rows for name, rows in case["given"].items()}
    given |= {"b_2": [0] * 6}
    words = [case["words"].index(word) for word in case["sentence"]]
    for name, tokens in (("hand", words), ("hand_with_next", [*words, case["words"].index(case["next"])])):
        cells = work_by_hand(given, tokens)
        assert len(case[name]) == 33
        for stage, rows in case[name].items():
            if stage.startswith("ssq"):
                squares = cells["R" if stage == "ssq1" else "R2"]
                assert [sum(x * x for x in column) for column in zip(*squares, strict=True)] == rows
                continue
            found = cells[stage][0] if stage in ("r1", "r2") or stage.endswith("sums") else cells[stage]
            assert found == read(rows), stage
    exactly = work_exactly(given, words)
    compared = [stage for stage in case["exact"] if stage in exactly]
    assert len(compared) == 11
    for stage in compared:
        assert np.allclose(exactly[stage], np.array(case["exact"][stage], dtype=float), atol=1e-5), stage
    assert np.allclose(exactly["p"][:, -1], case["p_exact"], atol=1e-5)
    assert take(work_by_hand(given, words)["p"], -1) == read(case["p"])
    step = case["step"]
    learnt = learn_by_hand(given, words, case["words"].index(step["target"]), Fraction(step["eta"]))
    for stage, name in (("gradient", "g"), ("dW", "dW"), ("new_logits", "new"), ("rounded", "rounded"), ("p_new", "p")):
        assert learnt[name] == read(step[stage]), stage


def read(value: Any) -> Any:
    """Return nested lists with the fractions in them read."""
    if isinstance(value, list):
        return [read(part) for part in value]
    return Fraction(value) if isinstance(value, str) else value


def test_the_bank_is_large_and_nobody_gets_the_same_twice() -> None:
    """A hundred models, twenty filled ones among them; scores and logits, which no relabelling changes, differ."""
    assert (len(CLEAN) + len(FILLED) >= 100, len(FILLED) >= 20) == (True, True)
    seen = set()
    for number in range(len(MODELS)):
        cells = [work_by_hand(find_given(number), tokens) for tokens in TOKENS.values()]
        seen.add(str([[each["h1.S"], each["h2.S"], each["logits"]] for each in cells]))
    assert len(seen) == len(MODELS)


def test_shapes_and_styles_are_as_promised() -> None:
    """Whole numbers; words differ and weigh 5; a row of W_O reads one head; clean has zeros, filled has not."""
    shapes = {"E": (8, 6), "W_Q": (2, 2, 6), "W_K": (2, 2, 6), "W_V": (2, 2, 6), "W_O": (6, 4), "W_1": (4, 6)}
    shapes |= {"b_1": (4,), "W_2": (6, 4), "b_2": (6,), "W_U": (8, 6)}
    for number, model in enumerate(MODELS):
        given = find_given(number)
        assert {name: np.array(given[name]).shape for name in shapes} == shapes
        assert [sum(x * x for x in row) for row in model.E] == [5] * 8
        assert {row[4:] for row in model.E} == {(0, 0)}
        assert len(set(model.E)) == 8
        assert not any(any(row[:2]) and any(row[2:]) for row in model.W_O)
        weights = [*walk([given[name] for name in WEIGHTS])]
        assert max(map(abs, weights)) <= 3
        assert sum(abs(x) > 2 for x in weights) <= 4
        projections = [*walk([model.W_Q, model.W_K, model.W_V])]
        if model.style == "clean":
            assert 0.77 < weights.count(0) / len(weights) < 0.9
        else:
            assert projections.count(0) / len(projections) <= 0.45


def test_a_clean_head_asks_by_meaning_or_by_place() -> None:
    """Head 1 by what words mean, head 2 by where they stand, as its sheet says; both report a meaning."""
    for number in CLEAN:
        given = find_given(number)
        for name, reads in (("W_Q", ("meaning", "place")), ("W_K", ("meaning", "place")), ("W_V", ("meaning",) * 2)):
            for head, read in zip(given[name], reads, strict=True):
                used = {feature for row in head for feature, weight in enumerate(row) if weight}
                assert used
                assert used <= ({0, 1, 2, 3} if read == "meaning" else {4, 5})


@each_model
def test_every_sentence_goes_on_with_its_right_word(number: int) -> None:
    """One word alone is the likeliest, by hand and exactly, where a lead of 0.05 is no accident."""
    for words, right in SENTENCES.items():
        by_hand, exactly = work(number, words)
        assert favourites(take(by_hand["p"], 3)) == [right]
        assert favourites(exactly["p"][:, 3]) == [right]
        second, first = sorted(exactly["p"][:, 3])[-2:]
        assert first - second >= 0.05


@each_model
def test_every_column_goes_on_as_the_language_does(number: int) -> None:
    """An animal after ".", then always or never, eat, a food, "."; the same by hand and exactly, or hardly another."""
    for words in SENTENCES:
        by_hand, exactly = work(number, words)
        for column, kind in enumerate(CLASSES):
            p, p_exact = take(by_hand["p"], column), exactly["p"][:, column]
            assert set(favourites(p)) <= set(kind)
            assert set(favourites(p_exact)) <= set(kind)
            apart = max(abs(float(one) - other) for one, other in zip(p, p_exact, strict=True))
            assert favourites(p) == favourites(p_exact) or apart <= 0.35


@pytest.mark.parametrize("number", choose(CLEAN[::10], CLEAN))
def test_every_word_of_a_clean_model_looks_at_the_one_before(number: int) -> None:
    """With head 2, by hand and exactly: the answer to "what stood before me?"."""
    for words in SENTENCES:
        by_hand, exactly = work(number, words)
        for query in range(1, 5):
            weights = take(by_hand["h2.A"], query)
            assert [key for key, share in enumerate(weights) if share == max(weights)] == [query - 1]
            exact = exactly["h2.A"][:, query]
            assert exact.argmax() == query - 1
            assert sum(exact > exact.max() - 0.1) == 1


@each_model
@pytest.mark.parametrize("without", PARTS)
def test_every_part_is_needed(number: int, without: str) -> None:
    """Without network, head 2 or places *never* is not heard; without head 1 or attention the animal is not seen.

    Two sentences of four go wrong; without network or attention all say the same.
    """
    given, said = find_given(number), {}
    for words, tokens in TOKENS.items():
        by_hand = favourites(take(work_by_hand(given, tokens, without)["p"], 3))
        exactly = work_exactly(given, tokens, without)["p"][:, 3]
        assert by_hand == [WORDS[int(exactly.argmax())]]
        assert by_hand[0] in ("fish", "bones")
        said[words] = by_hand[0]
    assert sum(word != SENTENCES[words] for words, word in said.items()) == 2
    assert len({*said.values()}) == 1 or without not in ("network", "attention")
    ignored = 1 if without in ("head 1", "attention") else 2
    for words, word in said.items():
        assert all(word == other for others, other in said.items() if others[3 - ignored] == words[3 - ignored])
    assert say_next(MODELS[number], Part(without)) == {words: (word,) for words, word in said.items()}


@each_model
def test_each_head_looks_where_it_should(number: int) -> None:
    """From "eat" head 1 looks at the animal most, head 2 at the word before; clearly, by hand and exactly."""
    for words in SENTENCES:
        by_hand, exactly = work(number, words)
        for head, place in (("h1", 1), ("h2", 2)):
            for column in ([float(a) for a in take(by_hand[f"{head}.A"], 3)], [*exactly[f"{head}.A"][:, 3]]):
                assert column.index(max(column)) == place
                assert max(column) - sorted(column)[-2] >= 0.1


@pytest.mark.parametrize("number", choose(CLEAN[::12], CLEAN))
def test_each_head_of_a_clean_model_reports_one_thing(number: int) -> None:
    """Z of head 1 does not change with *never*, that of head 2 not with the animal: a proof needs that."""
    for way in (0, 1):
        Z = {
            words: [np.array(take(work(number, words)[way][f"h{h}.Z"], 3), dtype=float) for h in (1, 2)]
            for words in SENTENCES
        }
        for words, (one, two) in Z.items():
            for others, (other_one, other_two) in Z.items():
                assert words[1] != others[1] or np.allclose(one, other_one)
                assert words[2] != others[2] or np.allclose(two, other_two)


@each_model
def test_fractions_stay_readable(number: int) -> None:
    """Denominators up to 100 in four columns, 110 in the fifth; scores, sums and logits as a pencil likes them.

    Two ten-sided dice are enough for the shares of the next word.
    """
    for words in SENTENCES:
        cells, _ = work(number, words)
        assert lcm(*(Fraction(p).denominator for p in take(cells["p"], 3))) <= 100
        for column in range(5):
            shown = [f"h{h}.{stage}" for h in (1, 2) for stage in ("powers", "sums", "A", "Z")] + ["O", "p", "totals"]
            fractions = [Fraction(x) for stage in shown for x in take(cells[stage], column)]
            assert max(x.denominator for x in fractions) <= (100 if column < 4 else 110)
        largest = {"h1.S": 8, "h2.S": 8, "h1.scaled": 4, "h2.scaled": 4, "R": 6, "F1": 12, "logits": 4}
        for stage, limit in largest.items():
            assert max(abs(x) for x in chain(*cells[stage]) if x is not None) <= limit, stage


@pytest.mark.parametrize("number", choose(CLEAN[::40], CLEAN))
def test_every_weight_of_a_clean_model_is_used(number: int) -> None:
    """Set to 0 it changes by hand a logit of one of the sentences with their right words, or where a word looks."""
    given = find_given(number)
    sentences = [[*tokens, WORDS.index(SENTENCES[words])] for words, tokens in TOKENS.items()]

    def tell(model: Mapping[str, Any]) -> list[Any]:
        cells = [work_by_hand(model, tokens) for tokens in sentences]
        looks = [take(each[f"h{head}.A"], query) for each in cells for head in (1, 2) for query in range(5)]
        return [[each["logits"] for each in cells], [[x == max(row) for x in row] for row in looks]]

    told = tell(given)
    count = 0
    for name in WEIGHTS:
        rows = np.array(given[name])
        for address in zip(*np.nonzero(rows), strict=True):
            less = rows.copy()
            less[address] = 0
            changed = {**given, name: less.tolist()}
            assert tell(changed) != told, (name, address)
            count += 1
    assert count > 20


@each_model
def test_a_step_teaches_the_word_that_it_should(number: int) -> None:
    """The target was no favourite and is one after it; its loss falls by hand and exactly, and some logit changes."""
    step, given = MODELS[number].step, find_given(number)
    tokens, target = TOKENS[step.sentence], WORDS.index(step.target)
    assert step.target != SENTENCES[step.sentence]
    assert step.eta in (Fraction(1, 2), 1)
    cells, learnt = work_by_hand(given, tokens), learn_by_hand(given, tokens, target, step.eta)
    assert favourites(learnt["p"]) == [step.target]
    assert learnt["p"][target] > cells["p"][target][-1]
    assert max(p.denominator for p in learnt["p"]) <= 100
    assert learnt["rounded"] != take(cells["logits"], -1)
    W_U, loss = np.array(given["W_U"], dtype=float), read_loss(given, tokens, target)
    assert read_loss({**given, "W_U": W_U - float(step.eta) * slope(given, tokens, target)}, tokens, target) < loss


def read_loss(given: Mapping[str, Any], tokens: list[int], target: int) -> float:
    """Return −log p of a word after a sentence, exactly."""
    return -float(np.log(work_exactly(given, tokens)["p"][target, -1]))


def slope(given: Mapping[str, Any], tokens: list[int], target: int) -> Floats:
    """Return the gradient of the loss by W_U: g hᵀ."""
    exactly = work_exactly(given, tokens)
    return np.outer(exactly["p"][:, -1] - np.eye(len(WORDS))[target], exactly["H"][:, -1])


@each_model
def test_the_gradient_is_that_of_finite_differences(number: int) -> None:
    """Every number of W_U is moved a little both ways."""
    step, given = MODELS[number].step, find_given(number)
    tokens, target = TOKENS[step.sentence], WORDS.index(step.target)
    numeric, little = np.zeros((8, 6)), 1e-5
    for address in np.ndindex(8, 6):
        for sign in (1, -1):
            W_U = np.array(given["W_U"], dtype=float)
            W_U[address] += sign * little
            numeric[address] += sign * read_loss({**given, "W_U": W_U}, tokens, target) / (2 * little)
    found = slope(given, tokens, target)
    assert np.abs(found).max() > 0.1
    assert np.allclose(found, numeric, atol=1e-8)


@each_model
def test_what_sentences_say_after_the_step_is_told(number: int) -> None:
    """From W_U less η g hᵀ, worked out and multiplied anew; one favourite each, and the same exactly."""
    step, given = MODELS[number].step, find_given(number)
    tokens, target = TOKENS[step.sentence], WORDS.index(step.target)
    W_U = learn_by_hand(given, tokens, target, step.eta)["W_U"]
    W_U_exact = np.array(given["W_U"], dtype=float) - float(step.eta) * slope(given, tokens, target)
    said = say_next_after_step(MODELS[number])
    assert said[step.sentence] == (step.target,)
    for words, others in TOKENS.items():
        h = take(work_by_hand(given, others)["H"], -1)
        moved = [sum(w * x for w, x in zip(row, h, strict=True)) for row in W_U]
        halves_away = [int(abs(z) + Fraction(1, 2)) * (1 if z > 0 else -1) for z in moved]
        assert said[words] == tuple(favourites(halves_away))
        assert said[words] == (WORDS[int((W_U_exact @ work_exactly(given, others)["H"][:, -1]).argmax())],)


@each_model
def test_the_fifth_column_is_the_same_from_the_cache(number: int) -> None:
    """From keys and values that were kept, or worked anew, here and by the product; the four before it stay."""
    for words, tokens in TOKENS.items():
        five = [*tokens, WORDS.index(SENTENCES[words])]
        anew, four = work_by_hand(find_given(number), five), work_by_hand(find_given(number), tokens)
        assert next_column_by_cache(find_given(number), five) == take(anew["logits"], 4)
        assert [row[:4] for row in anew["logits"]] == four["logits"]
        ours = work_model(MODELS[number], (*words, SENTENCES[words]))
        assert ours.get_last("logits") == tuple(take(anew["logits"], 4))
        assert ours.get_last("N3") == tuple(take(anew["H"], 4))


@pytest.mark.parametrize("number", choose([CLEAN[0]], [*CLEAN[::8], *FILLED[::4]]))
def test_the_saboteurs_are_those_that_the_oracle_finds(number: int) -> None:
    """At least five changes of one weight, by 1 or to 0, make the model say bones after "dogs never eat"."""
    given, tokens = find_given(number), TOKENS[".", "dogs", "never", "eat"]
    found = set()
    for name in WEIGHTS:
        rows = np.array(given[name])
        for address in np.ndindex(rows.shape):
            for value in {int(rows[address]) - 1, int(rows[address]) + 1, 0} - {int(rows[address])}:
                changed = rows.copy()
                changed[address] = value
                p = work_by_hand({**given, name: changed.tolist()}, tokens)["p"]
                if favourites(take(p, 3)) == ["bones"]:
                    found.add((name, address, value))
    assert len(found) >= 5
    assert {(each.matrix, each.address, each.value) for each in list_sabotages(MODELS[number])} == found


VARIED = choose([CLEAN[0], CLEAN[-1], FILLED[0]], [*range(len(MODELS))])


@pytest.mark.parametrize("number", VARIED)
def test_variants_are_others_and_worth_as_much(number: int) -> None:
    """Of 200 draws at least 199 differ; scores, weights, lengths and logits, all that is vetted, are the same."""
    model = MODELS[number]
    variants = [vary_model(model, RandomStream(str(seed), "variant")) for seed in range(200)]
    assert len({variant.list_numbers() for variant in variants}) >= 199
    assert all(variant.step == model.step for variant in variants)
    for variant in variants[:: choose(20, 5)]:
        given = asdict(variant)
        for words in choose([*SENTENCES][1:2], [*SENTENCES]):
            tokens = [*TOKENS[words], WORDS.index(SENTENCES[words])]
            by_hand, exactly = work_by_hand(given, tokens), work_exactly(given, tokens)
            for stage in ("h1.S", "h2.S", "h1.A", "h2.A", "r1", "r2", "logits", "p"):
                assert by_hand[stage] == work(number, words)[0][stage], stage
            for stage in ("Z", "O", "R", "N", "F1", "R2", "H"):
                names = [name for name in by_hand if name.removeprefix("h1.").removeprefix("h2.") == stage]
                for name in names:
                    assert count_sizes(by_hand[name]) == count_sizes(work(number, words)[0][name]), name
            assert np.allclose(exactly["p"], work(number, words)[1]["p"])
    assert [*walk(asdict(model)["b_1"])].count(0) == [*walk(asdict(variants[0])["b_1"])].count(0)


def count_sizes(cells: list[list[Any]]) -> list[list[Any]]:
    """Return the magnitudes of every column, sorted: what is left when rows change place and sign."""
    return [sorted(map(abs, column)) for column in zip(*cells, strict=True)]


def test_a_model_that_is_none_is_seen() -> None:
    """A sign turned in W_U, and the sentences no longer go on as they should."""
    model = MODELS[0]
    turned = replace(model, W_U=tuple(tuple(-x for x in row) for row in model.W_U))
    assert say_next(model) == {words: (right,) for words, right in SENTENCES.items()}
    assert say_next(turned) != say_next(model)
