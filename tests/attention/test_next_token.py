"""What comes after attention: logits, temperature, probabilities, top-k, a draw, the loss and its gradient."""

import json
import math
from fractions import Fraction

import numpy as np
import pytest
from typer.testing import CliRunner

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import format_decimal
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.questions import find_questions
from attnhand.attention.questions.trial import pose_try
from attnhand.attention.questions.tries import TRIES_BY_ID
from attnhand.attention.slips import SLIPS, StageContext, find_slips
from attnhand.attention.solution import solve
from attnhand.cli.app import app
from attnhand.errors import AttnhandError
from attnhand.problems.generator import generate_problem
from attnhand.problems.insights import find_missing_insight
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.explain import explain
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sentences import format_lecture_formula
from attnhand.text.widths import parse_markup, to_unicode
from tests.breadth import choose

W_U = [[2], [1], [0], [-1]]
"""One feature, so that the logits of z = 1 are these numbers."""

FORTIETHS = [Fraction(n, 40) for n in (27, 9, 3, 1)]


def work_example(came: int | None = 0, **options: object) -> attnhand.Worksheet:
    """Solve logits 2, 1, 0, −1, with the word that came, 0-based, where one is said."""
    given = {"W_U": W_U, "z": [[1]]}
    if came is not None:
        given["y"] = [[int(word == came)] for word in range(4)]
    return attnhand.solve({"mechanism": "next-token", "given": given, **options})


def read(sheet: attnhand.Worksheet, name: str) -> list[Fraction]:
    """Return the one column of a stage."""
    return [Fraction(row[0]) for row in sheet.solution[name].hand]


def test_logits_become_probabilities_a_loss_and_a_gradient() -> None:
    """Logits 2, 1, 0, −1: p 27/40 …; the loss log₃ 40 − 3 where the first word came, and g −13/40 9/40 3/40 1/40."""
    sheet = work_example()
    assert read(sheet, "logits") == [2, 1, 0, -1]
    assert read(sheet, "p") == FORTIETHS
    assert float(read(sheet, "loss")[0]) == pytest.approx(math.log(40, 3) - 3)
    assert read(sheet, "g") == [Fraction(n, 40) for n in (-13, 9, 3, 1)]
    assert sheet.solution["loss"].exact[0][0] == pytest.approx(-math.log(math.e**2 / sum(map(math.exp, range(-1, 3)))))


def test_a_step_of_learning_makes_the_word_that_came_likelier() -> None:
    """Logits 2, 1, 0, −1 and the last word came: with rate 2 they become 13/20, 11/20, −3/20, 19/20, so 1, 1, 0, 1.

    Its row of W_U was −1, its g is −39/40: −1 + 2 · 39/40 = 19/20; that of the favourite, 2, falls by 2 · 27/40 to
    13/20. Its probability grows from 1/40 to 3/10.
    """
    sheet = work_example(3, learn=2)
    assert read(sheet, "zz") == [1]
    assert read(sheet, "g") == [Fraction(n, 40) for n in (27, 9, 3, -39)]
    assert read(sheet, "W_U_new") == [Fraction(19, 20), Fraction(13, 20)]
    assert read(sheet, "logits_new") == [1, 1, 0, 1]
    assert read(sheet, "p_new") == [Fraction(n, 10) for n in (3, 3, 1, 3)]
    assert float(read(sheet, "loss")[0]) == pytest.approx(math.log(40, 3))
    assert float(read(sheet, "loss_new")[0]) == pytest.approx(math.log(10 / 3, 3))
    powers = np.exp([2, 1, 0, -1])
    g = powers / powers.sum() - np.array([0, 0, 0, 1])
    np.testing.assert_allclose([row[0] for row in sheet.solution["logits_new"].exact], [2, 1, 0, -1] - 2 * g)


def test_slips_of_a_step_are_named() -> None:
    """Added instead of subtracted, and without the rate: in the new rows, and in the new logits."""
    sheet = work_example(3, learn=2)
    for slip, stage, wrong in (
        ("step-uphill", "W_U_new", ["-59/20", "67/20"]),
        ("rate-forgotten", "W_U_new", ["-1/40", "53/40"]),
        ("step-uphill", "logits_new", ["3", "1", "0", "-3"]),
        ("rate-forgotten", "logits_new", ["1", "1", "0", "0"]),
    ):
        worked = {solved.stage.name: [[str(x) for x in row] for row in solved.hand] for solved in sheet.solution}
        worked |= {"loss": [["3.36"]], "loss_new": [["1.10"]], stage: [[value] for value in wrong]}
        found = attnhand.check(worked, sheet)
        assert (slip,) in [diagnosis.slips for diagnosis in found.diagnoses if diagnosis.stage == stage], (slip, stage)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"learn": "1/2"}, "`learn=` …, or use the mechanism"),
        ({"mechanism": "next-token", "learn": "1/2", "temperature": 2}, "a step is learned from a loss"),
        ({"mechanism": "next-token", "learn": "1/2", "top_k": 2}, "a step is learned from a loss"),
        ({"mechanism": "next-token", "learn": "1/2", "tokens": 2}, "from the word after one token"),
        ({"mechanism": "next-token", "learn": "much"}, "write a number such as 1/2 or 1"),
        ({"mechanism": "next-token", "learn": 0}, "write a number such as 1/2 or 1"),
    ],
)
def test_a_step_without_a_loss_is_refused(options: dict[str, object], message: str) -> None:
    """And so is a rate that no pencil multiplies by."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=1, **options)  # type: ignore[arg-type]
    assert message.split("…")[-1].strip() in str(refusal.value)


def test_a_temperature_sharpens_or_flattens() -> None:
    """T = 1/2: 729/820 for the first; T = 2, by hand rounded down: 1 0 0 −1, so 9/16 3/16 3/16 1/16."""
    sharp, flat = work_example(None, temperature="1/2"), work_example(None, temperature=2)
    assert read(sharp, "tempered") == [4, 2, 0, -2]
    assert read(sharp, "p") == [Fraction(n, 820) for n in (729, 81, 9, 1)]
    assert read(flat, "tempered") == [1, 0, 0, -1]
    assert read(flat, "p") == [Fraction(n, 16) for n in (9, 3, 3, 1)]
    powers = np.exp(np.array([2, 1, 0, -1]) / 2)
    np.testing.assert_allclose([row[0] for row in flat.solution["p"].exact], powers / powers.sum())


def test_top_k_shares_out_anew() -> None:
    """The two likeliest of 27, 9, 3, 1 keep 36/40 and share it: 3/4 and 1/4."""
    sheet = work_example(None, top_k=2)
    assert read(sheet, "kept") == [*FORTIETHS[:2], 0, 0]
    assert read(sheet, "sums_k") == [Fraction(9, 10)]
    assert read(sheet, "p_k") == [Fraction(3, 4), Fraction(1, 4), 0, 0]


def test_words_as_likely_as_the_last_kept_are_kept_too() -> None:
    """Which of two would go is not said, so none goes: logits 1, 0, 0 keep all three at top 2."""
    given = {"W_U": [[1], [0], [0], [-1]], "z": [[1]]}
    sheet = attnhand.solve({"mechanism": "next-token", "given": given, "top_k": 2})
    assert [bool(value) for value in read(sheet, "kept")] == [True, True, True, False]


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("form", [{}, {"top_k": 2}, {"temperature": Fraction(2)}, {"temperature": Fraction(1, 2)}])
def test_every_seed_is_drawn_and_right(form: dict[str, object], level: Level, convention: Convention) -> None:
    """By plain loops: dot products, thirds, shares, a logarithm, p less 1 where the word came; all proved."""
    for seed in range(choose(2, 100)):
        variant = Variant(mechanism="next-token", **form)  # type: ignore[arg-type]
        problem = generate_problem(Request(seed=seed, level=level, convention=convention, variant=variant))
        solution = prove(solve(problem))

        def take(a: Matrix) -> list[Fraction]:
            return [Fraction(x) for x in (a[0] if convention is Convention.ROWS else [row[0] for row in a])]

        words = transpose(problem["W_U"]) if convention is Convention.ROWS else problem["W_U"]
        z = take(problem["z"])
        logits = [sum(Fraction(w) * x for w, x in zip(word, z, strict=True)) for word in words]
        temperature = variant.temperature or Fraction(1)
        exponents = [math.floor(logit / temperature) for logit in logits]
        powers = [Fraction(3) ** exponent for exponent in exponents]
        p = [power / sum(powers) for power in powers]
        assert take(solution["logits"].hand) == logits
        assert take(solution["p"].hand) == p
        assert p.count(max(p)) == 1
        if variant.top_k:
            kept = sorted(p, reverse=True)[:2]
            assert sorted(take(solution["p_k"].hand), reverse=True)[:2] == [share / sum(kept) for share in kept]
        if variant.has_loss:
            came = take(problem["y"]).index(Fraction(1))
            assert float(take(solution["loss"].hand)[0]) == pytest.approx(-math.log(p[came], 3))
            assert take(solution["g"].hand) == [share - (word == came) for word, share in enumerate(p)]
            assert sum(take(solution["g"].hand)) == 0


def test_the_word_that_came_is_not_always_the_likeliest() -> None:
    """Models are often surprised: so are the sheets, and sometimes they are not."""
    met = set()
    for seed in range(20):
        solution = solve(generate_problem(Request(seed=seed, variant=Variant(mechanism="next-token"))))
        p, y = transpose(solution["p"].hand)[0], transpose(solution.problem["y"])[0]
        met.add(p.index(max(p)) == y.index(1))
    assert met == {True, False}


def make_problem(logits: list[int], **form: object) -> Problem:
    """Return a problem of one feature with these logits; where there is a loss, the first word came."""
    variant = Variant(mechanism="next-token", **form)  # type: ignore[arg-type]
    given: list[tuple[str, Matrix]] = [("z", ((1,),)), ("W_U", tuple((logit,) for logit in logits))]
    if variant.has_loss:
        given.insert(1, ("y", tuple((int(word == 0),) for word, _ in enumerate(logits))))
    return Problem(variant=variant, given=tuple(given))


@pytest.mark.parametrize(
    ("good", "poor", "form", "missing"),
    [
        ([2, 1, 0, -1], [4, -1, -1, -2], {}, "leaves some doubt about the next word"),
        ([2, 1, 0, -1], [2, 0, 0, -1], {"top_k": 2}, "has so many likeliest words and no more"),
        ([2, 1, 0, -1], [4, 3, -1, -2], {"top_k": 2}, "has so many likeliest words and no more"),
    ],
)
def test_what_a_sheet_is_to_show_is_asked(
    good: list[int], poor: list[int], form: dict[str, object], missing: str
) -> None:
    """Certainty, a tie at the last word kept, and next to nothing taken make no sheet."""
    assert find_missing_insight(make_problem(good, **form)) is None
    assert (find_missing_insight(make_problem(poor, **form)) or "").startswith(missing)


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"causal": True}, "so no token looks at another: leave out"),
        ({"padding": (2,)}, "so no token looks at another: leave out"),
        ({"positions": "rotary"}, "so no token looks at another: leave out"),
        ({"heads": 2}, "next-token has no heads"),
        ({"base": "none"}, "a chance is never negative|a probability is never negative"),
        ({"top_k": 4}, "keeps all 4 words: keep fewer"),
        ({"top_k": 0}, "write a whole number, such as 3"),
        ({"vocabulary": 2}, "use 3 to 12"),
        ({"d_k": 2}, "has no d_k"),
        ({"words": "a b c", "vocabulary": 4}, "contradict each other"),
        ({"trace": 1}, "follows a query from its scores to its output"),
    ],
)
def test_what_makes_no_sense_together_is_refused(options: dict[str, object], sentence: str) -> None:
    """In one sentence that says what to do instead."""
    with pytest.raises(AttnhandError, match=sentence):
        attnhand.generate(7, mechanism="next-token", **options)  # type: ignore[arg-type]


def test_other_mechanisms_draw_no_word() -> None:
    """Top-k is refused where there are no words, and a file whose y names no word, or that is sharper and has a y."""
    with pytest.raises(AttnhandError, match="draws no word"):
        attnhand.generate(7, top_k=2)
    with pytest.raises(AttnhandError, match="y, column 1 does not name one word"):
        attnhand.solve({"mechanism": "next-token", "given": {"W_U": W_U, "z": [[1]], "y": [[1], [1], [0], [0]]}})
    for changed in ({"temperature": 2}, {"top_k": 2}):
        with pytest.raises(AttnhandError, match=r"the loss is at temperature 1 and of all words: leave out y"):
            work_example(0, **changed)


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", [{}, {"top_k": 2}, {"temperature": Fraction(1, 2)}])
def test_files_and_codes_give_the_same_sheet_again(form: dict[str, object], convention: Convention) -> None:
    """A sheet, its JSON, a problem file, and the code on the paper."""
    variant = Variant(mechanism="next-token", **form)  # type: ignore[arg-type]
    request = Request(seed=7, variant=variant, convention=convention, level=Level.CHALLENGE)
    sheet = make_sheet_from_request(request)
    assert decode_sheet_code(sheet.code).request == request
    again = parse_problem(format_problem(sheet.problem), source="again.json")
    assert again == sheet.problem
    data = attnhand.generate(
        7,
        mechanism="next-token",
        level="challenge",
        convention=convention.value,
        **{name: str(value) if name == "temperature" else value for name, value in form.items()},  # type: ignore[arg-type]
    ).to_dict()
    assert data["code"] == sheet.code
    assert parse_problem(json.dumps(data), source="sheet.json") == sheet.problem


def test_the_terminal_says_it_too() -> None:
    """Options, words as labels of the vocabulary, which they count, and a file name that says so."""
    arguments = ["generate", "--seed", "7", "--mechanism", "next-token", "--top-k", "2", "--words", "cat dog sat mat a"]
    shown = CliRunner().invoke(app, arguments)
    assert shown.exit_code == 0
    assert "vocabulary of 5" in shown.stdout
    assert "cat" in shown.stdout
    sheet = attnhand.generate(7, mechanism="next-token", top_k=2, words="cat dog sat mat a")
    assert len(sheet.solution["p"].hand) == 5


def test_slips_give_what_students_write() -> None:
    """Of logits 2 1 0 −1 where the second word came: no minus, the likeliest, what is missing to 1, y − p, p alone."""
    sheet = work_example(1)
    mechanism, values = sheet.problem.mechanism, sheet.solution.collect_hand_values()

    def slip(id: str, stage: str, of: attnhand.Worksheet = sheet) -> list[float]:
        made = next(each for each in SLIPS if each.id == id)
        problem = of.problem
        context = StageContext(
            problem.mechanism,
            problem.mechanism.get_stage(stage),
            problem.hand_arithmetic,
            of.solution.collect_hand_values(),
        )
        wrong = made.compute_wrong(context)
        assert wrong is not None
        return [float(row[0]) for row in wrong]

    assert slip("log-not-negated", "loss") == pytest.approx([math.log(9 / 40, 3)])
    assert slip("loss-of-favourite", "loss") == pytest.approx([-math.log(27 / 40, 3)])
    assert slip("loss-without-log", "loss") == pytest.approx([31 / 40])
    assert slip("target-less-share", "g") == pytest.approx([-27 / 40, 31 / 40, -3 / 40, -1 / 40])
    assert slip("target-forgotten", "g") == pytest.approx([27 / 40, 9 / 40, 3 / 40, 1 / 40])
    assert slip("one-hot", "p") == [1, 0, 0, 0]
    kept = work_example(None, top_k=2)
    assert slip("not-shared-anew", "p_k", kept) == pytest.approx([27 / 40, 9 / 40, 0, 0])
    assert {each.id for each in find_slips(mechanism.get_stage("g"))} >= {"target-less-share", "target-forgotten"}
    assert values["g"]


@pytest.mark.parametrize(
    ("slip", "stage", "wrong"),
    [
        ("target-less-share", "g", ["-27/40", "31/40", "-3/40", "-1/40"]),
        ("target-forgotten", "g", ["27/40", "9/40", "3/40", "1/40"]),
        ("log-not-negated", "loss", ["-1.36"]),
        ("loss-of-favourite", "loss", ["0.36"]),
        ("not-divided", "p", ["9", "3", "1", "1/3"]),
    ],
)
def test_slips_are_named(slip: str, stage: str, wrong: list[str]) -> None:
    """Each by what a student writes, where the second word came, and what follows counts."""
    sheet = work_example(1)
    worked = {solved.stage.name: [[str(x) for x in row] for row in solved.hand] for solved in sheet.solution}
    worked["loss"] = [["1.36"]]
    worked[stage] = [[value] for value in wrong]
    if stage == "p":
        worked |= {"loss": [["-1"]], "g": [["9"], ["2"], ["1"], ["1/3"]]}
    found = attnhand.check(worked, sheet)
    assert [diagnosis.slips for diagnosis in found.diagnoses] == [(slip,)]
    marks = {cell.mark.value for cell in found.marks.cells if cell.stage != stage}
    assert marks <= {"correct", "follows"}


def test_decimals_are_marked() -> None:
    """Everything to two decimals is right, the logarithm too, with or without top-k."""
    for sheet in (work_example(1), work_example(None, top_k=2), attnhand.generate(3, mechanism="next-token")):
        answers = {
            solved.stage.name: [[format_decimal(x, 2) for x in row] for row in solved.hand] for solved in sheet.solution
        }
        found = attnhand.check(answers, sheet)
        assert {cell.mark.value for cell in found.marks.cells} == {"correct"}


def test_a_die_draws_the_word_to_which_its_face_belongs() -> None:
    """Forty faces, 27, 9, 3 and 1 of them: 31 is the second word's, 40 the last's; the likeliest is not asked."""
    scene = work_example(0).scene
    (question,) = find_questions(["draw-word"])
    ways = list(question.list_parameters(scene))
    assert [way.other for way in ways] == list(range(1, 41))
    answers = [question.find_answer(scene, way) for way in ways]
    drawn = [None if answer is None else answer.answer for answer in answers]
    assert drawn == [*[None] * 27, *[(1,)] * 9, *[(2,)] * 3, (3,)]
    after = work_example(None, top_k=2).scene
    assert {way.faces for way in question.list_parameters(after)} == {4}


@pytest.mark.parametrize("came", range(4))
def test_only_the_logit_of_the_word_that_came_lowers_the_loss(came: int) -> None:
    """Worked once more: one more in its logit alone makes −log p smaller; its Σ and share are what the try asks."""
    sheet = work_example(came)
    (question,) = find_questions(["lower-loss"])
    (way,) = question.list_parameters(sheet.scene)
    finding = question.find_answer(sheet.scene, way)
    assert finding is not None
    lower = []
    for word in range(4):
        logits = [2 + (word == 0), 1 + (word == 1), word == 2, -1 + (word == 3)]
        powers = [3.0**logit for logit in logits]
        if -math.log(powers[came] / sum(powers)) < -math.log(float(FORTIETHS[came])):
            lower.append(word)
    assert finding.answer == tuple(lower) == (came,)
    (way,) = TRIES_BY_ID["learn"].list_parameters(sheet.scene)
    total, share, _ = pose_try(sheet.scene, TRIES_BY_ID["learn"], way)
    grown = [Fraction(3) ** (logit + (word == came)) for word, logit in enumerate((2, 1, 0, -1))]
    assert total.finding is not None
    assert share.finding is not None
    assert (total.finding.answer, share.finding.answer) == (sum(grown), grown[came] / sum(grown))


def test_a_sheet_asks_them() -> None:
    """By default: a guess, a roll, a what-if and a step of learning; of top-k a roll, for no word is said to come."""
    asked = [posed.question.id for posed in attnhand.generate(7, mechanism="next-token").posed_questions]
    assert asked == ["guess", "draw-word", "lower-loss", "again", "try.learn.sum", "try.learn.share", "try.learn.so"]
    asked = [posed.question.id for posed in attnhand.generate(7, mechanism="next-token", top_k=2).posed_questions]
    assert asked == ["guess", "draw-word", "again"]


def test_the_formula_at_the_head_says_all() -> None:
    """Softmax of W_U z, then what follows; with rows the factors the other way round."""
    head = to_unicode(parse_markup(format_lecture_formula(attnhand.generate(7, mechanism="next-token"))))
    assert head == "p = softmax_columns(W_U z); loss = −log₃ of the p of the true word; g = p − y"
    rows = attnhand.generate(7, mechanism="next-token", convention="rows", top_k=2)
    assert to_unicode(parse_markup(format_lecture_formula(rows))).startswith(
        "p = softmax_rows(z W_U); kept = the 2 largest"
    )


def test_a_loss_is_explained_with_its_base() -> None:
    """By hand log₃, exactly ln."""
    told = explain(work_example(0), "loss[1,1]")
    assert told.by_hand == ("−log₃((27/40)·1 + (9/40)·0 + (3/40)·0 + (1/40)·0) = 0.36",)
    assert told.exactly[0].startswith("−ln(0.64·1")
