"""The parts of a whole language model: what one works, the next is given; one code each; all as an oracle has them."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, replace
from fractions import Fraction

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.errors import AttnhandError
from attnhand.formats.terminal import render_terminal
from attnhand.problems.language_model import SENTENCES, WORDS
from attnhand.problems.levels import Level
from attnhand.problems.model_parts import MODEL_PARTS, draw_model
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.panels import find_panel
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sentences import format_title
from attnhand.text import LANGUAGES
from attnhand.text.widths import to_unicode
from tests.breadth import choose
from tests.problems.language_model_oracle import learn_by_hand, next_column_by_cache, work_by_hand

LEVELS = (Level.STANDARD, Level.CHALLENGE)


def make(part: str, seed: int, **options: object) -> attnhand.Worksheet:
    """Make the sheet of a part."""
    return attnhand.generate(seed=seed, part=part, **options)  # type: ignore[arg-type]


def take(sheet: attnhand.Worksheet, name: str) -> Matrix:
    """Return a matrix of a sheet, given or worked by hand."""
    return sheet.solution.collect_hand_values()[name]


def last(a: Matrix) -> Matrix:
    """Return the last column."""
    return tuple((row[-1],) for row in a)


def list_handed_on(seed: int, level: Level, salt: str) -> Iterator[tuple[str, Matrix, Matrix]]:
    """Yield what every part works and what the next is given of it."""
    parts = {name: make(name, seed, level=level, salt=salt or None) for name in MODEL_PARTS}
    for head in ("head-1", "head-2"):
        yield head, take(parts["words"], "X"), take(parts[head], "X")
    heads = (*take(parts["head-1"], "Z"), *take(parts["head-2"], "Z"))
    yield "concat", heads, take(parts["stream"], "concat")
    yield "X", take(parts["words"], "X"), take(parts["stream"], "X")
    for name in ("R1", "N2"):
        yield name, take(parts["stream"], name), take(parts["network"], name)
    yield "R2", last(take(parts["network"], "R2")), take(parts["next-word"], "R2")
    yield "N3", take(parts["next-word"], "N3"), take(parts["learn"], "N3")
    for name in ("logits", "p"):
        yield name, take(parts["next-word"], name), take(parts["learn"], name)
    for name in ("K", "V"):
        for number in (1, 2):
            yield name, take(parts[f"head-{number}"], name), take(parts["write-on"], f"h{number}.{name}_cache")
    yield "R2", take(parts["write-on"], "R2"), take(parts["word-after"], "R2")


@pytest.mark.parametrize("level", LEVELS)
def test_every_part_is_what_the_whole_model_gives(level: Level) -> None:
    """Worked apart from the product's code, from E to the step, and the fifth column anew and by a cache."""
    for seed in range(choose(4, 60)):
        model = draw_model(seed, level)
        given, sentence = asdict(model), model.step.sentence
        words = [WORDS.index(word) for word in sentence]
        whole = work_by_hand(given, words)
        parts = {name: make(name, seed, level=level) for name in MODEL_PARTS}
        assert take(parts["words"], "X") == freeze(whole["X"])
        for head in (1, 2):
            for name in ("Q", "K", "V", "S", "powers", "sums", "A", "Z"):
                assert take(parts[f"head-{head}"], name) == freeze(whole[f"h{head}.{name}"]), (seed, head, name)
        assert take(parts["stream"], "output") == freeze(whole["O"])
        for part, own, name in (
            *(("stream", "R1", "R"), ("stream", "r2", "r1"), ("stream", "N2", "N")),
            *(("network", "F1", "F1"), ("network", "relu1", "relu"), ("network", "F2", "F2"), ("network", "R2", "R2")),
        ):
            assert take(parts[part], own) == freeze(whole[name]), (seed, own)
        for own, name in (("r3", "r2"), ("N3", "H"), ("logits", "logits"), ("p", "p")):
            assert take(parts["next-word"], own) == last(freeze(whole[name])), (seed, own)
        step = learn_by_hand(given, words, WORDS.index(model.step.target), model.step.eta)
        assert take(parts["learn"], "g") == freeze([[g] for g in step["g"]])
        favourite = max(range(len(WORDS)), key=lambda word: step["g"][word])
        assert WORDS[favourite] == SENTENCES[sentence] != model.step.target
        rows = [step["W_U"][word] for word in (WORDS.index(model.step.target), favourite)]
        assert take(parts["learn"], "W_U_new") == freeze(rows), seed
        assert take(parts["learn"], "logits_new") == freeze([[z] for z in step["rounded"]])
        assert take(parts["learn"], "p_new") == freeze([[p] for p in step["p"]])
        said = WORDS.index(SENTENCES[sentence])
        anew = work_by_hand(given, [*words, said])
        assert take(parts["write-on"], "R2") == last(freeze(anew["R2"])), seed
        assert take(parts["word-after"], "logits") == last(freeze(anew["logits"])), seed
        assert [logit for (logit,) in take(parts["word-after"], "logits")] == next_column_by_cache(
            given, [*words, said]
        )


@pytest.mark.parametrize("temperature", ["2", "1/2"])
@pytest.mark.parametrize("part", ["next-word", "word-after"])
def test_the_next_word_has_a_temperature(part: str, temperature: str) -> None:
    """Of the same model: its logits divided and rounded down, powers shared out; exactly the favourite stays."""
    for level in LEVELS:
        for seed in range(choose(4, 60)):
            plain, tempered = make(part, seed, level=level), make(part, seed, level=level, temperature=temperature)
            assert dict(tempered.problem.given) == dict(plain.problem.given)
            logits = [logit for (logit,) in take(tempered, "logits")]
            assert logits == [logit for (logit,) in take(plain, "logits")]
            exponents = [logit // 2 if temperature == "2" else logit * 2 for logit in logits]
            powers = [Fraction(3) ** int(exponent) for exponent in exponents]
            assert take(tempered, "p") == tuple((power / sum(powers),) for power in powers), seed
            exact, favourite = [share for (share,) in tempered.solution["p"].exact], logits.index(max(logits))
            assert exact.index(max(exact)) == favourite, seed
            largest = plain.solution["p"].exact[favourite][0]
            assert (exact[favourite] > largest) is (temperature == "1/2"), seed
            assert decode_sheet_code(tempered.code).request == tempered.request
            assert parse_problem(format_problem(tempered.problem), source="a.json") == replace(
                tempered.problem, title=""
            )


def test_a_temperature_is_one_however_it_is_written() -> None:
    """As a decimal or a fraction; 1 is none, and a code that says it is none of a sheet."""
    code = make("next-word", 3, temperature="1/2").code
    for same in (0.5, "0.5", "2/4"):
        assert make("next-word", 3, temperature=same).code == code
        assert attnhand.key(code, temperature=same).code == code
    assert make("next-word", 3, temperature=1).code == make("next-word", 3).code != code
    with pytest.raises(AttnhandError, match="contradicts the code"):
        attnhand.key(code, temperature=2)


@pytest.mark.parametrize("part", [name for name in MODEL_PARTS if name not in ("next-word", "word-after")])
def test_no_other_part_has_a_temperature(part: str) -> None:
    """They work on with numbers of the model, or learn from a loss: neither chooses a word."""
    with pytest.raises(AttnhandError, match=r"chooses none: leave out the temperature, or use the part next-word"):
        make(part, 1, temperature=2)


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("gone", ["head 1", "head 2", "places", "attention", "network"])
def test_a_model_without_a_part_says_what_the_oracle_says(gone: str, level: Level) -> None:
    """The last column to the end; of the four sentences one at least is wrong then."""
    for seed in range(choose(3, 60)):
        model = draw_model(seed, level)
        sheet = make(f"without-{gone.replace(' ', '-')}", seed, level=level)
        assert sheet.asked_queries == (3,)
        said = {}
        for sentence in SENTENCES:
            found = work_by_hand(asdict(model), [WORDS.index(word) for word in sentence], without=gone)
            logits = last(freeze(found["logits"]))
            said[sentence] = WORDS[max(range(len(WORDS)), key=lambda word: logits[word][0])]
            if sentence == model.step.sentence:
                assert last(take(sheet, "logits")) == logits, seed
        assert said != SENTENCES, seed


def freeze(a: Sequence[Sequence[object]]) -> Matrix:
    """Return rows as a sheet has them."""
    return tuple(map(tuple, a))  # type: ignore[arg-type]


@pytest.mark.parametrize("salt", ["", "a long salt for a class of ours"])
@pytest.mark.parametrize("level", LEVELS)
def test_every_part_begins_with_the_right_results_of_those_before(level: Level, salt: str) -> None:
    """So nobody's slip travels on to the next sheet."""
    for seed in range(choose(3, 60)):
        for name, worked, given in list_handed_on(seed, level, salt):
            assert worked == given, (seed, name)


def test_the_first_norm_is_one() -> None:
    """The squares of every column of X have the mean 1, which is why the heads read X as it is."""
    for seed in range(choose(5, 100)):
        assert take(make("words", seed), "squares1") == ((1,) * 4,)


def test_the_step_lowers_the_loss() -> None:
    """By hand and exactly, and the word that came is no favourite before it."""
    for seed in range(choose(5, 100)):
        solution = make("learn", seed).solution
        for before, after in (
            (solution["loss"].hand, solution["loss_new"].hand),
            (solution["loss"].exact, solution["loss_new"].exact),
        ):
            assert float(after[0][0]) < float(before[0][0]), seed


@pytest.mark.parametrize("part", MODEL_PARTS)
def test_a_code_gives_the_part_again(part: str) -> None:
    """In both conventions and at both levels; in rows the same numbers are turned."""
    for level in LEVELS:
        sheet = make(part, 12, level=level)
        decoded = decode_sheet_code(sheet.code)
        assert decoded.request == sheet.request
        in_rows = make(part, 12, level=level, convention=Convention.ROWS.value)
        assert decode_sheet_code(in_rows.code).request == in_rows.request
        for name, a in sheet.solution.collect_hand_values().items():
            assert in_rows.solution.collect_hand_values()[name] == transpose(a), name


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("part", MODEL_PARTS)
def test_a_file_gives_the_part_again(part: str, convention: Convention) -> None:
    """A problem file, and the JSON of a blank sheet, whose code it must go with."""
    sheet = make(part, 5, convention=convention.value)
    assert parse_problem(format_problem(sheet.problem), source="part.json") == replace(sheet.problem, title="")
    again = attnhand.solve(json.loads(sheet.blank.json()))
    assert again.solution.collect_hand_values() == sheet.solution.collect_hand_values()


def test_what_a_part_asks() -> None:
    """Of the second head only what is new, of a step only what comes after the probabilities."""
    assert make("head-2", 3).asked_queries == (2, 3)
    assert make("head-1", 3).asked_queries == (0, 1, 2, 3)
    assert [stage.name for stage in make("learn", 3).problem.mechanism.stages][:5] == [
        "logits",
        "powers",
        "sums",
        "p",
        "loss",
    ]
    assert make("learn", 3).is_printed(make("learn", 3).problem.mechanism.get_stage("p"))
    assert make("next-word", 3).problem.words == WORDS


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_part_says_what_it_is(language: str) -> None:
    """Each has a title of its own in every language."""
    titles = [format_title(make(part, 4, language=language)) for part in MODEL_PARTS]
    assert len(set(titles)) == len(MODEL_PARTS)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"part": "head-3"}, "the model has no part 'head-3': use words, head-1"),
        ({"part": "head-1", "tokens": 5}, '`tokens=5` contradicts `part="head-1"`: leave out one of them'),
        ({"part": "head-1", "mechanism": "block"}, '`mechanism="block"` contradicts'),
        ({"part": "head-1", "words": "a b c d"}, "`words=` contradicts"),
        ({"part": "next-word", "temperature": 3}, "too little of the model's logits, which are small whole numbers"),
        ({"part": "next-word", "top_k": 2}, "`top_k=2` contradicts"),
        ({"part": "head-1", "rules": "exact"}, "worked by the classroom's rules: leave out other rules"),
    ],
)
def test_what_a_part_cannot_be_is_refused(options: dict[str, object], message: str) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=1, **options)  # type: ignore[arg-type]
    assert message in str(refusal.value)


@pytest.mark.parametrize("convention", Convention)
def test_two_rows_of_the_last_matrix_are_learnt_beside_what_they_were(convention: Convention) -> None:
    """Of the word that came, and of the favourite, under their names; where tokens are rows, as columns."""
    for seed in range(choose(3, 40)):
        sheet = make("learn", seed, convention=convention.value)
        model = draw_model(seed, Level.STANDARD)
        words = (model.step.target, SENTENCES[model.step.sentence])
        panel = find_panel(sheet.key, "W_U_new")
        assert panel.side_factor
        for grid in (panel.grid, panel.side_factor):
            labels = grid.columns if convention.is_rows else grid.rows
            assert [(to_unicode(label.letter), label.word) for label in labels] == [
                (f"w{'₁₂₃₄₅₆₇₈'[WORDS.index(word)]}", word) for word in words
            ]
        rows = [[cell.number.text for cell in row if cell.number] for row in panel.side_factor.cells]
        before = [[str(w).replace("-", "−") for w in model.W_U[WORDS.index(word)]] for word in words]
        assert rows == ([[*row] for row in zip(*before, strict=True)] if convention.is_rows else before)
        (moved,) = (each for each in build_questions(sheet.key) if each.posed.question.id == "moved-row")
        assert moved.plain_answer == f"{words[0]} ({WORDS.index(words[0]) + 1})"


def test_a_part_speaks_of_what_is_on_it() -> None:
    """No norm where squares are all, no attention where none is worked, and of given tokens those that are asked."""
    texts = {part: " ".join(render_terminal(make(part, 11).blank).split()) for part in MODEL_PARTS}
    assert "RMSNorm divides" not in texts["words"]
    assert {part for part, text in texts.items() if "The rest is attention" in text} == {
        *("head-1", "head-2", "write-on"),
    }
    assert "R₂ eat t₄" in texts["without-network"]
    assert "A key says" not in texts["write-on"]


def test_minutes_of_a_step_are_those_of_a_pencil() -> None:
    """Two readers needed 42 and 45, with the question what was forgotten."""
    assert "about 40 minutes" in render_terminal(make("learn", 11).blank)


@pytest.mark.parametrize("convention", Convention)
def test_what_a_cache_keeps_is_printed_where_the_model_writes_on(convention: Convention) -> None:
    """Its owner found it weeks before: once, in front of the new token, whose keys and values alone are asked."""
    sheet = make("write-on", 5, convention=convention.value)
    assert "K_cache" not in render_terminal(sheet.blank)
    for name in ("h1.K_all", "h2.K_all", "h1.V_all", "h2.V_all"):
        stage = sheet.problem.mechanism.get_stage(name)
        tokens = {cell[not convention.is_rows] for cell in sheet.list_asked_cells(stage)}
        assert tokens == {4}, name
        kept = sheet.problem[name.replace("all", "cache")]
        grid = find_panel(sheet.blank, name).grid
        rows = [[cell.number.text if cell.number else "" for cell in row] for row in grid.cells]
        rows = rows if convention.is_rows else [[*row] for row in zip(*rows, strict=True)]
        expected = [*map(list, kept)] if convention.is_rows else [[*row] for row in zip(*kept, strict=True)]
        assert rows == [*([str(value).replace("-", "−") for value in row] for row in expected), ["", ""]]


@pytest.mark.parametrize("part", ["head-1", "head-2"])
def test_a_head_says_what_it_reads_where_it_reads_no_more(part: str) -> None:
    """Clean models alone part meaning from place: at the level challenge a head reads everything."""
    said = "read only features"
    assert said in render_terminal(make(part, 11).blank).replace("\n", " ")
    assert said not in render_terminal(make(part, 11, level="challenge").blank).replace("\n", " ")
