"""Answers to questions: however they are spelled they are read, and those that follow from one's own weights count."""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import to_float
from attnhand.attention.questions import QUESTIONS, CellChange, PosedQuestion, Vectors
from attnhand.attention.spellings import MAX_ANSWER_LENGTH
from attnhand.formats.answers import Answers
from attnhand.marking.answer_sentences import UnclearAnswerError
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.marking.question_answers import read_question_answer
from attnhand.marking.question_marks import count_credited_questions, mark_questions
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.questions import AskedQuestion, build_questions
from attnhand.sheet.sheet import Sheet
from tests.marking.handing_in import write_key

BY_ID = {question.id: question for question in QUESTIONS}
WORDS = ("the", "cat", "saw", "the", "dog")

VARIANTS = {
    "self": Variant(),
    "causal": Variant(is_causal=True),
    "heads": Variant(mechanism="multi-head"),
    "cross": Variant(mechanism="cross"),
    "words": Variant(embedded_words=WORDS),
}


@cache
def make_sheet(form: str = "self", convention: Convention = Convention.COLUMNS, labels: tuple[str, ...] = ()) -> Sheet:
    """Return a sheet, with words for its tokens or without."""
    return make_sheet_from_request(Request(seed=7, variant=VARIANTS[form], convention=convention), words=labels)


def ask(monkeypatch: pytest.MonkeyPatch, sheet: Sheet, name: str) -> AskedQuestion:
    """Let the sheet ask this question alone, in the first way that has an answer."""
    question = BY_ID[name]
    posed = next(
        PosedQuestion(question=question, parameters=way, finding=finding)
        for way in question.list_parameters(sheet.scene)
        if (finding := question.find_answer(sheet.scene, way))
    )
    monkeypatch.setattr(Sheet, "posed_questions", property(lambda _: (posed,)))
    (asked,) = build_questions(sheet.key)
    return asked


def read(question: AskedQuestion, text: str, sheet: Sheet) -> Any:
    """Return what is read, None where it cannot be."""
    try:
        return read_question_answer(question, text, sheet)
    except UnclearAnswerError:
        return None


def check(sheet: Sheet, rows: Mapping[str, Any] | None = None, **typed: str) -> CheckResult:
    """Check the key's cells, or others, with what was typed for the questions."""
    stages = {name: tuple(map(tuple, a)) for name, a in (write_key(sheet) if rows is None else rows).items()}
    return check_answers(Answers(code=None, stages={**stages, **{k: ((v,),) for k, v in typed.items()}}), sheet)


@pytest.mark.parametrize("convention", Convention)
def test_a_token_is_read_however_it_is_called(convention: Convention, monkeypatch: pytest.MonkeyPatch) -> None:
    """By its number, with a letter, an index, in words, and by its own word; not where two are meant, or none."""
    sheet = make_sheet("self", convention, ("The", "cat", "saw", "birds"))
    question = ask(monkeypatch, sheet, "largest-share")
    for text in (
        "3",
        " 3. ",
        "token 3",
        "Token 3",
        "x3",
        "x₃",
        "x_3",
        "k3",
        "v₃",
        "no. 3",
        "３",
        "saw",
        "SAW",
        "3 (saw)",
        "three",
        "the third one",
    ):
        assert read(question, text, sheet) == (2,), text
    for text in (
        "",
        "?",
        "dog",
        "3 or 4",
        "saw, birds",
        "3 (cat)",
        "not 3",
        "-3",
        "0003",
        "x" * MAX_ANSWER_LENGTH + " 3",
    ):
        assert read(question, text, sheet) is None, text
    assert read(question, "9", sheet) == (8,)  # there is none, so it is wrong


def test_a_word_said_twice_names_no_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """Which of the two is meant is not clear; the number beside it makes it so."""
    sheet = make_sheet("words")
    question = ask(monkeypatch, sheet, "largest-share")
    assert [read(question, text, sheet) for text in ("the", "the 4", "4", "dog")] == [None, (3,), (3,), (4,)]


def test_a_word_of_a_query_names_no_token_of_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """In cross attention the words are those of X, and what is looked at is in M."""
    sheet = make_sheet("cross", labels=("a", "b", "c", "d"))
    assert read(ask(monkeypatch, sheet, "largest-share"), "b", sheet) is None
    assert read(ask(monkeypatch, sheet, "surest"), "b", sheet) == (1,)


def test_a_word_that_is_a_sign_names_its_token(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bracket of a program, with quotes or without; which of two equal ones is meant is not clear."""
    sheet = make_sheet(labels=("[", "(", "a", "("))
    question = ask(monkeypatch, sheet, "largest-share")
    texts = ("[", "“[”", "a", "(", "( 4", "[ (")
    assert [read(question, text, sheet) for text in texts] == [(0,), (0,), (2,), None, (3,), None]


def test_a_list_is_read_in_any_order(monkeypatch: pytest.MonkeyPatch) -> None:
    """With commas, blanks, "and", or letters with indices."""
    sheet = make_sheet("causal")
    question = ask(monkeypatch, sheet, "later-token")
    assert question.posed.question.vectors is Vectors.OUTPUTS
    for text in ("1, 2", "2,1", "1 2", "1 and 2", "z1 and z2", "z₁, z₂", "1;2", "1, 2, 2"):
        assert read(question, text, sheet) == (0, 1), text
    assert read(question, "all", sheet) is None


def test_a_choice_is_read_by_how_it_alone_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    """In any case, with other words for it; what begins two of them is none."""
    sheet = make_sheet()
    readings = {
        "no-scaling": {
            **dict.fromkeys(("larger", "more", "M", "m", "More.", "mo", "la"), "more"),
            **dict.fromkeys(("smaller", "less", "LESS", "sm"), "less"),
            **dict.fromkeys(("the same", "same", "Same!", "t", "unchanged", "S"), "same"),
            **dict.fromkeys(("x", "more or less", "l", "3", "")),
        },
        "change-value": {
            **dict.fromkeys(("Z alone", "Z", "only Z", "just z", "z alone"), "outputs"),
            **dict.fromkeys(("A alone", "A", "only A"), "weights"),
            **dict.fromkeys(("A and Z", "both", "a & z", "A, Z", "Z and A", "B"), "weights-and-outputs"),
            **dict.fromkeys(("nothing", "none", "n", "N"), "nothing"),
            **dict.fromkeys(("o", "only", "V")),
        },
        "exchange-weights": {
            **dict.fromkeys(("transposed", "tr", "S^T", "Sᵀ", "ST"), "turned"),
            **dict.fromkeys(("S", "the same", "same"), "same"),
            **dict.fromkeys(("-S", "−S", "negated", "n"), "negated"),
            "t": None,  # or "the same"
        },
    }
    for name, texts in readings.items():
        question = ask(monkeypatch, sheet, name)
        assert {text: read(question, text, sheet) for text in texts} == texts, name


def test_a_number_is_right_in_any_spelling(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fraction, decimals rounded as on the sheet, a comma; another one is wrong, a word that is none cannot be read."""
    sheet = make_sheet_from_request(Request(seed=7, variant=VARIANTS["causal"]))
    question = ask(monkeypatch, sheet, "zero-query")
    assert question.posed.finding is not None
    expected = question.posed.finding.answer
    count = round(1 / to_float(expected))  # type: ignore[arg-type]  # the answer to this question is a number
    right = [f"1/{count}", f" 1 / {count}", f"{1 / count:.2f}", f"{1 / count:.2f}".replace(".", ","), f"2/{2 * count}"]
    marks = {text: check(sheet, ask1=text).question_marks[0].mark for text in right}
    assert set(marks.values()) == {Mark.CORRECT}, marks
    assert [read(question, text, sheet) for text in ("½", "1½", "10²", "2²", "²")] == [
        Fraction(1, 2),
        Fraction(3, 2),
        100,
        4,
        None,
    ]
    for text, mark in {
        "2": Mark.WRONG,
        "0": Mark.WRONG,
        "a third": Mark.WRONG,
        "some": Mark.UNREADABLE,
        "1/0": Mark.UNREADABLE,
    }.items():
        assert check(sheet, ask1=text).question_marks[0].mark is mark, text


@pytest.mark.parametrize("convention", Convention)
@pytest.mark.parametrize("form", ["self", "heads"])
def test_a_change_is_tried(form: str, convention: Convention, monkeypatch: pytest.MonkeyPatch) -> None:
    """The key's and whatever else does it is right, the number as it stands, or of another matrix, is wrong."""
    sheet = make_sheet(form, convention)
    question = ask(monkeypatch, sheet, "change-weight")
    assert question.posed.finding is not None
    answer, judge = question.posed.finding.answer, question.posed.question.judge
    assert isinstance(answer, CellChange)
    assert judge is not None
    row, column, value = answer.row + 1, answer.column + 1, answer.value
    spellings = (
        question.plain_answer,
        f"{row},{column} = {value}",
        f"({row}, {column}) -> {value}",
        f"[{row},{column}] to {value}",
        f"w_q[{row}, {column}]={value}",
        f"WQ {row} {column}: {value}".replace("-", "−"),
    )
    assert {text: check(sheet, ask1=text).question_marks[0].mark for text in spellings} == dict.fromkeys(
        spellings, Mark.CORRECT
    )
    old = sheet.problem[answer.matrix][answer.row][answer.column]
    for text in (f"W_Q[{row},{column}] = {old}", f"W_K[{row},{column}] = {value}", f"W_Q[40,1] = {value}", "0,0 = 1"):
        assert check(sheet, ask1=text).question_marks[0].mark is Mark.WRONG, text
    for text in ("3", f"W_Q[{row}] = 1", f"{row},{column} = much", "W_Q"):
        assert check(sheet, ask1=text).question_marks[0].mark is Mark.UNREADABLE, text
    assert read(question, f"{row},{column} = 1½", sheet).value == Fraction(3, 2)
    others = 0
    for i, line in enumerate(sheet.problem[answer.matrix], 1):
        for j, _ in enumerate(line, 1):
            for number in (9, -9):
                change = CellChange(answer.matrix, i - 1, j - 1, number)
                is_right = judge(sheet.scene, question.posed.parameters, change)
                mark = check(sheet, ask1=f"{i},{j} = {number}").question_marks[0].mark
                assert mark is (Mark.CORRECT if is_right else Mark.WRONG)
                others += is_right
    assert others


def list_exchanged_weights(sheet: Sheet, query: int) -> Iterator[tuple[int, dict[str, list[list[str]]]]]:
    """Yield a key, and answers in which that key has exchanged its share with the largest of the query."""
    rows = write_key(sheet)
    is_rows, weights = sheet.convention.is_rows, sheet.solution["A"].hand
    shares = [to_float(weights[query][at] if is_rows else weights[at][query]) for at in range(len(weights))]
    top = shares.index(max(shares))
    for key, share in enumerate(shares):
        if share < max(shares):
            own = {name: [[*row] for row in a] for name, a in rows.items()}
            a = own["A"]
            (i, j), (k, m) = ((query, top), (query, key)) if is_rows else ((top, query), (key, query))
            a[i][j], a[k][m] = a[k][m], a[i][j]
            yield key, own


@pytest.mark.parametrize("convention", Convention)
def test_a_reading_follows_from_ones_own_weights(convention: Convention, monkeypatch: pytest.MonkeyPatch) -> None:
    """Who has another largest share and says so is right; who says what the key says too; a third is wrong."""
    sheet = make_sheet("self", convention)
    question = ask(monkeypatch, sheet, "largest-share")
    assert question.posed.finding is not None
    answer = question.posed.finding.answer
    assert isinstance(answer, tuple)
    (key,) = answer
    found = 0
    for own, rows in list_exchanged_weights(sheet, question.posed.parameters.query):
        third = next(at for at in range(3) if at not in (own, key))
        marks = [check(sheet, rows, ask1=f"x{at + 1}").question_marks[0].mark for at in (own, key, third)]
        assert marks == [Mark.FOLLOWS, Mark.CORRECT, Mark.WRONG]
        result = check(sheet, rows, ask1=str(own + 1))
        assert count_credited_questions(result.question_marks) == 1
        assert "Question 1 is right with your own numbers." in " ".join(result.feedback.questions)
        assert check(sheet, ask1=str(own + 1)).question_marks[0].mark is Mark.WRONG  # with the key's weights
        found += 1
    assert found


def test_questions_do_not_touch_the_score_of_the_cells() -> None:
    """Empty, right, wrong or unreadable: cells count alike, and questions are a count of their own."""
    sheet = make_sheet()
    right = {question.name: question.plain_answer for question in build_questions(sheet.key) if question.name}
    scores = []
    for typed in ({}, {"ask1": ""}, {"ask1": "9", "ask2": "☹"}, right):
        result = check(sheet, None, **typed)
        data = result.to_dict()
        scores.append({name: count for name, count in data["score"].items() if name != "questions"})
        assert result.marks.is_all_correct
        assert result.is_all_correct is ("☹" not in typed.values())
        assert data["score"]["questions"]["of"] == 5  # two, and three cells of a try
    assert all(score == scores[0] for score in scores)
    assert scores[0]["correct"] == scores[0]["of"] == 116
    assert check(sheet).feedback.questions == ()


ODD_TEXTS = st.text(max_size=12) | st.lists(
    st.sampled_from([*"12,.;=[]() /−-∞e²٣x", "W_Q", "1,1 = ", "the", " to ", "9" * 30, "1/0", "inf", "nan"]), max_size=6
).map("".join)


@pytest.mark.parametrize("name", ["largest-share", "later-token", "zero-query", "hide-after", "change-weight"])
def test_whatever_is_typed_is_marked(name: str) -> None:
    """One question of each kind: signs in any order have a mark, and stop nothing."""
    sheet = make_sheet("causal")
    own = sheet.solution.collect_hand_values()
    with pytest.MonkeyPatch.context() as patch:
        ask(patch, sheet, name)

        @example("1,1 = ∞")
        @example("1,1 = -inf")
        @example("1,1 = 1/3")
        @example("1,1 = 0.1")
        @example("1,1 = 1/2 1/3")
        @example(f"1,1 = {'9' * 30}")
        @example("−∞")
        @example("²")
        @given(ODD_TEXTS)
        @settings(max_examples=80)
        def mark_text(text: str) -> None:
            (mark,) = mark_questions(Answers(code=None, stages={"ask1": ((text,),)}), sheet, own)
            assert (mark.mark is Mark.BLANK) == (not text.strip())

        mark_text()
