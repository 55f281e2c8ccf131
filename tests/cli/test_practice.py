"""``attnhand practice``: a sheet worked in the terminal, with hints; left, and gone on with."""

import json
import re
from fractions import Fraction
from pathlib import Path

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.marking.practice import Practice
from attnhand.marking.terminal import render_stage
from attnhand.sheet.questions import build_questions
from tests.breadth import choose
from tests.cli.running import RunResult, run_here, run_refused, run_well
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION
from tests.marking.handing_in import write_key

SHEET = attnhand.generate(seed=7, level="warm-up")
FILE = "attnhand-7-warm-up-answers.json"


def practise_with(*lines: str) -> RunResult:
    """Practise seed 7 at warm-up, typing these lines."""
    return run_well("practice", "7", "--level", "warm-up", stdin="".join(f"{line}\n" for line in lines).encode())


PAPER_ORDER = ("K", "Q", "S", "scaled", "powers", "sums", "A", "V", "Z")
"""As the stages stand on the page."""


def list_key_rows(separator: str = " ", stages: tuple[str, ...] = PAPER_ORDER) -> list[str]:
    """Return the rows of the key as they are typed, in the order of the page."""
    key = write_key(SHEET)
    return [separator.join(row) for name in stages for row in key[name]]


def list_key_answers() -> list[str]:
    """Return the answers to the questions, as they are typed."""
    return [question.plain_answer for question in build_questions(SHEET.key) if question.name]


def practise_mechanism(name: str, convention: Convention) -> Practice:
    """Begin to practise a warm-up of that form."""
    form = FORMS[name]
    sheet = attnhand.generate(
        3,
        level="warm-up",
        mechanism=form.mechanism,
        heads=form.heads,
        causal=form.is_causal,
        words=form.embedded_words,
        embed=bool(form.embedded_words),
        positions=form.has_positions,
        convention=convention,
    )
    return Practice(sheet.blank, {})


def test_a_sheet_is_worked_to_its_end() -> None:
    """Row by row; the answers lie in a file that check marks all correct."""
    ran = practise_with(*list_key_rows(), *list_key_answers())
    assert "Score: 63 of 63 cells." in ran.text
    (path,) = Path().glob("*-answers.json")
    assert f"attnhand check {path}" in ran.text
    assert "Everything is right." in run_well("check", str(path)).text


def test_every_stage_says_what_it_needs_and_nothing_twice() -> None:
    """How a product's cell is made, powers where they are raised, softmax once; nothing is copied, no guess typed."""
    text = " ".join(practise_with(*list_key_rows(), "quit").text.split())
    for cell in ("K: its row of W_K", "Q: its row of W_Q", "S: its row of Kᵀ", "V: its row of W_V", "Z: its row of V"):
        assert text.count(f"A cell of {cell} times its column of") == 1
    assert text.count("3² = 9, 3¹ = 3, 3⁰ = 1") == 1
    assert text.count("Softmax turns each query's scores into shares") == 1
    assert text.count("Keep it in mind, it is not typed.") == 1
    assert not re.search("copy column|____", text)


def test_the_mask_says_how_its_sign_is_typed() -> None:
    """No keyboard has ∞; what is said to be typed is taken."""
    key = write_key(attnhand.generate(7, level="warm-up", causal=True).key)
    rows = [" ".join(row) for name in ("K", "Q", "S", "scaled") for row in key[name]]
    masked = [" ".join("-inf" if "∞" in cell else cell for cell in row) for row in key["masked"]]
    typed = "".join(f"{line}\n" for line in (*rows, *masked, "quit"))
    ran = run_well("practice", "7", "--level", "warm-up", "--causal", stdin=typed.encode())
    assert ran.text.count("For −∞ you may type -inf.") == 1
    assert "✗" not in ran.text
    assert any("-inf" in row for row in masked)


def test_questions_are_asked_after_the_cells() -> None:
    """A guess before S; then each question once, judged as check does, its answer told after two tries alone."""
    asked = [question for question in build_questions(SHEET.key) if question.name]
    assert [question.plain_answer for question in asked]
    assert practise_with(*list_key_rows(stages=("K", "Q")), "quit").text.count("Guess before S: ") == 1
    wrong = ["9", "8"] if not asked[0].choices else [each for each in asked[0].choices if each != asked[0].plain_answer]
    ran = practise_with(*list_key_rows(stages=PAPER_ORDER[2:]), "?", *wrong[:1], "quit").text
    text = " ".join(ran.split())
    assert asked[0].spoken_text in text
    assert "after two tries" in text
    assert f"Question 1: “{wrong[0]}” is not right yet" in text
    assert "63 of 63 cells are filled" in text
    ran = practise_with("back", "quit").text
    assert " ask1: " in ran.replace("\n", " ")
    text = " ".join(practise_with(*list_key_rows()[-1:], *list_key_answers()).text.split())
    assert f"Questions: {len(asked)} of {len(asked)} right." in text
    answers = json.loads(Path(FILE).read_text())["answers"]
    assert [answers[question.name] for question in asked] == [[[question.plain_answer]] for question in asked]
    assert f"Questions: {len(asked)} of {len(asked)} right." in run_well("check", FILE).text


def test_it_is_left_and_gone_on_with() -> None:
    """At the end of what is typed, and by quit; what is right is not asked again."""
    rows = list_key_rows()
    assert "12 of 63 cells are filled" in practise_with(*rows[:4]).text
    again = practise_with(*rows[4:6], "quit")
    assert "Going on where you left: 12 of 63 cells are filled." in again.text
    assert "S[1,…]: " in again.text
    assert "K[1,…]" not in again.text
    assert "Score: 63 of 63 cells" in practise_with(*rows[6:], *list_key_answers()).text


def test_a_narrow_terminal_breaks_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is said fits sixty columns; what was typed after a prompt, and tables, are as they are."""
    monkeypatch.setenv("COLUMNS", "60")
    lines = practise_with(list_key_rows()[0], "quit").text.rpartition("\n\n")[2].splitlines()
    assert " ".join(lines).endswith(f"cells are filled; they are kept in {FILE}. The same command goes on from here.")
    assert len(lines) > 1
    assert max(map(len, lines)) <= 60


def test_nothing_is_kept_of_nothing() -> None:
    """Whoever leaves at once leaves no file behind."""
    assert "are kept" not in practise_with("quit").text
    assert list(Path().iterdir()) == []


def test_the_order_is_that_of_the_page() -> None:
    """Keys and queries first, V where it is read; head after head; words before all that is made from them."""

    def list_stages(name: str) -> list[str]:
        return list(dict.fromkeys(row.stage.name for row in practise_mechanism(name, Convention.COLUMNS).rows))

    assert list_stages("self") == [*PAPER_ORDER]
    heads = [f"h{head}.{name}" for head in (1, 2) for name in PAPER_ORDER]
    assert list_stages("multi-head-2") == [*heads, "concat", "output"]
    assert list_stages("self-words")[0] == "X"


def test_hints_come_in_three_steps_and_then_the_number_once_it_was_tried() -> None:
    """A question, where to look, what to work; ? tells the number after two tries and not before."""
    right = write_key(SHEET)["K"][0][0]
    ran = practise_with("?", "?", "?", "?", "9", "?", "8", "?", "quit").text
    question, sources, steps, early, after_one, after_two = (
        ran.index("Which row of W_K and which column of X meet in K[1,1]?"),
        ran.index("row 1 of W_K: "),
        ran.index(" = ?\n"),
        ran.index("after two tries"),
        ran.rindex("after two tries"),
        ran.index(f" = {right}\n"),
    )
    assert question < sources < steps < early < after_one < after_two
    assert ran.count(f" = {right}\n") == 1


def test_two_tries_alone_do_not_tell_the_number() -> None:
    """Who has tried and asks for the first time gets the question."""
    ran = practise_with("9", "8", "7", "?", "quit").text
    assert "Which row of W_K" in ran
    assert " = ?" not in ran


def test_a_slip_is_named_with_the_reason_and_can_be_mended() -> None:
    """S begins 4 4 0, left as it is; said after the row that shows it, and the right numbers, 2 and 2, are taken."""
    assert write_key(SHEET)["S"][0] == ["4", "4", "0"]
    ran = practise_with(*list_key_rows(stages=("K", "Q", "S")), "4 4 0", "2 2", "quit")
    text = " ".join(ran.text.split())
    assert (
        "✗ Not yet: scaled[1,1], scaled[1,2]. You seem to have left the scores as they were, without scaling. "
        "Scores are divided to bring them nearer to 0, here 4: otherwise one token would take nearly everything."
        in text
    )
    assert "scaled[1,1], scaled[1,2]: ✓ scaled[2,…]: " in text


def test_what_follows_counts_and_says_from_where() -> None:
    """A wrong K that is left: the scores worked from it get an arrow, and its cell is named."""
    key = write_key(SHEET)
    values = SHEET.solution.collect_hand_values()
    wrong = int(values["K"][0][0]) + 1
    own_row = [
        str(wrong * values["Q"][0][j] + values["K"][1][0] * values["Q"][1][j])  # type: ignore[operator]
        for j in range(3)
    ]
    first = " ".join([str(wrong), *key["K"][0][1:]])
    ran = practise_with(first, "", " ".join(key["K"][1]), *map(" ".join, key["Q"]), " ".join(own_row), "quit").text
    assert "→ It follows from your K[1,1], and counts." in ran
    assert "Kᵀ │" in ran


@pytest.mark.parametrize(
    ("name", "convention", "expected"),
    [
        ("self", Convention.COLUMNS, r"Kᵀ .*\n.*\n.* k₁ .*\n.* k₂ "),
        ("self", Convention.ROWS, r"Kᵀ .* k₁ .* k₂ "),
        ("basic", Convention.COLUMNS, r"Xᵀ .*\n.*\n.* x₁ .*\n.* x₂ "),
    ],
)
def test_a_turned_factor_is_drawn_turned(name: str, convention: Convention, expected: str) -> None:
    """Where Kᵀ is multiplied, Kᵀ stands: its rows (in the rows convention its columns) are keys."""
    practice = practise_mechanism(name, convention)
    stage = practice.sheet.problem.mechanism.get_stage("S")
    assert re.search(expected, render_stage(practice.result, stage, width=120))


@pytest.mark.parametrize(
    ("convention", "weights", "ones"),
    [
        (Convention.COLUMNS, r"W₁ +1 +2 +b ", r"\n.*│ b │ +1 │ +1 │ +1 │\n"),
        (Convention.ROWS, r"\n.* b +−?\d", r"│ z₁ │ +__ │ +__ │ +1 │"),
    ],
)
def test_a_bias_stands_where_it_is_multiplied(convention: Convention, weights: str, ones: str) -> None:
    """As one more column of the weights (in rows a row), with the ones that it meets: the pairs that a hint lists."""
    practice = practise_mechanism("block-1", convention)
    drawn = render_stage(practice.result, practice.sheet.problem.mechanism.get_stage("F1"), width=120)
    assert re.search(weights, drawn)
    assert re.search(ones, drawn)


def test_what_a_faded_sheet_has_solved_is_not_asked() -> None:
    """The first token is worked there: its column is asked in no stage, and all else can be finished."""
    sheet = attnhand.generate(seed=7, level="warm-up", options=attnhand.PageOptions(fade=True))
    practice, key = Practice(sheet.blank, {}), write_key(sheet)
    assert practice.rows
    assert not any(0 in row.columns for row in practice.rows)
    while (line := practice.current_row) is not None:
        row = key[line.stage.name][line.row]
        assert practice.enter_values("; ".join(row[cell.column] for cell in practice.find_open_cells())) == ("✓",)
    assert practice.conclude()[1].startswith("q₁ looks most at ")


@pytest.mark.parametrize("separator", [" ", ", ", "; ", ";", ","])
def test_a_row_may_be_typed_with_commas_or_semicolons(separator: str) -> None:
    """Whatever stands between the numbers, the whole sheet is right in the end."""
    assert "Score: 63 of 63 cells." in practise_with(*list_key_rows(separator), *list_key_answers()).text


def test_a_comma_between_two_digits_is_asked_about_where_it_has_two_readings() -> None:
    """With two cells open 1,2 is one number or two; with three it is a decimal."""
    practice = Practice(SHEET.blank, {})
    assert practice.enter_values("0,5") == ("✗ Not yet: K[1,1].",)
    right = write_key(SHEET)["K"][0]
    practice.enter_values(right[0])
    assert practice.enter_values("1,2") == ("1,2 may be one number or two: write 1.2 for one, or 1 2 for two.",)
    assert practice.texts["K"][0] == [right[0], "", ""]


def test_a_fraction_stays_as_it_was_typed() -> None:
    """2/6 for 1/3 is right, and stands as 2/6 in the matrix that is worked next, and in its hints."""
    practice = Practice(SHEET.blank, {})
    typed = {}
    while (line := practice.current_row) is not None and line.stage.name != "Z":
        row = write_key(SHEET)[line.stage.name][line.row]
        if line.stage.name == "A":
            row = [format_doubled(value) for value in row]
            typed[line.row] = row
        assert practice.enter_values("; ".join(row)) == ("✓",)
    drawn = render_stage(practice.result, practice.sheet.problem.mechanism.get_stage("Z"), width=150)
    written = [value for row in typed.values() for value in row if "/" in value]
    assert written
    assert all(value in drawn for value in written)
    practice.give_hint()
    assert typed[0][0] in practice.give_hint()[1]


def format_doubled(value: str) -> str:
    """Write a fraction with both numbers doubled: 2/6 for 1/3."""
    top, _, bottom = value.partition("/")
    return f"{2 * int(top)}/{2 * int(bottom)}" if bottom else value


def test_the_end_says_whom_each_query_looks_at_and_how_close_it_came() -> None:
    """From the student's own A, one line a query; then how good the shortcut was; nothing of it before."""
    *rows, last = list_key_rows()
    assert "How good was the shortcut?" not in practise_with(*rows, "quit").text
    text = practise_with(last, *list_key_answers()).text
    A = SHEET.solution["A"].hand
    for query in range(3):
        column = [row[query] for row in A]
        top = column.index(max(column))
        assert f"q{'₁₂₃'[query]} looks most at k{'₁₂₃'[top]}" in text
    assert text.index("What your sheet shows") < text.index("How good was the shortcut?")


def test_the_end_says_nothing_of_weights_that_were_left() -> None:
    """Whoever leaves every row has seen no attention, and is given none."""
    text = practise_with(*[""] * 40).text
    assert "Every cell is filled, and" in text
    assert "looks most" not in text


def test_one_number_at_a_time_and_what_is_no_number() -> None:
    """The prompt names the cells that are still open; what cannot be read is not taken."""
    row = write_key(SHEET)["K"][0]
    assert "This is the first row." in practise_with("back").text
    ran = practise_with(row[0], "dog", row[1], "1 2 3 4 5 6", row[2], "back", "quit")
    assert "K[1,2], K[1,3]: " in ran.text
    assert "K[1,2] is 'dog', not a number" in ran.text
    assert "Here is 1 cell to fill" in ran.text
    assert "K[2,…]: K[1,…]: " in ran.text


def test_a_row_that_is_left_is_asked_no_more() -> None:
    """Enter goes on; later rows follow from what was written."""
    ran = practise_with("9 9 9", "", "quit")
    assert "✗ Not yet: K[1,1], K[1,2], K[1,3]." in ran.text
    assert "K[2,…]: " in ran.text
    assert "3 of 63 cells are filled" in ran.text


def test_the_answers_of_another_sheet_are_not_overwritten() -> None:
    """Another sheet's file, or one that holds none, is refused."""
    practise_with("9 9 9", "quit")
    (path,) = Path().glob("*-answers.json")
    assert "does not hold answers to the sheet" in run_refused("practice", "8", "--out", str(path))
    path.write_text("dear diary")
    assert "is neither an answer file" in run_refused("practice", "7", "--level", "warm-up")
    assert path.read_text() == "dear diary"


def test_a_sheet_with_nothing_to_fill_is_refused() -> None:
    """A mistake is to be found on paper."""
    assert "asks nothing to fill" in run_refused("practice", "7", "--mistake")


@pytest.mark.parametrize(("name", "convention"), choose(FORMS_IN_ONE_CONVENTION[1::6], FORMS_IN_ONE_CONVENTION))
def test_every_mechanism_can_be_practised(name: str, convention: Convention) -> None:
    """Typing the key row by row fills every cell; every row has three hints, none of which ends in a number."""
    practice = practise_mechanism(name, convention)
    key = write_key(practice.sheet)
    while (line := practice.current_row) is not None:
        hints = [practice.give_hint() for _ in range(3)]
        assert len({*hints}) == 3
        assert not any(re.search(r"= [−\d/]+$", hint) for hint in (hints[0][0], hints[2][0]))
        row = key[line.stage.name][line.row]
        waiting = practice.find_open_cells()
        assert practice.enter_values(" ".join(row[cell.column] for cell in waiting)) == ("✓",)
    assert practice.result.is_all_correct
    assert json.loads(json.dumps(practice.texts)) == practice.texts
    queries = len(practice.sheet.asked_queries) * len(practice.sheet.weight_stages)
    assert len([line for line in practice.conclude() if " looks most at " in line or "Most likely" in line]) == queries


def test_nothing_is_said_to_be_kept_that_is_not() -> None:
    """A place that cannot be written is refused, without a promise before it."""
    Path("taken").write_text("a file")
    ran = run_here("practice", "7", "--out", "taken/x.json", stdin=b"1 2 1 0\n")
    assert ran.exit_code == 2
    assert "cannot be written" in ran.error_text
    assert "are kept" not in ran.text


def begin_three_more() -> Practice:
    """Fill in all keys after a slip at the first, which is seen and mended."""
    practice = Practice(SHEET.blank, {})
    practice.enter_values("77")
    for row in list_key_rows(stages=("K",)):
        assert practice.three_more is None
        practice.enter_values(row)
    return practice


def test_three_more_end_with_three_right_in_a_row() -> None:
    """Two right, a wrong one that is worked and starts the count again, then three; they come once."""
    practice = begin_three_more()
    more, seen = practice.three_more, []
    assert more is not None
    for is_right in (True, True, False, True, True, True):
        asked = more.exercise
        assert asked is not None
        seen.append((asked.sheet.code, asked.row, asked.column))
        verdict = practice.answer_exercise(asked.answer if is_right else "77")
        assert verdict[0].startswith("✓" if is_right else f"✗ Not yet: {asked.address}.")
        assert is_right or verdict[-2].endswith(f"= {asked.answer}")
    assert len({*seen}) == len(seen)
    assert all(code != SHEET.code for code, _, _ in seen)
    assert verdict == ("✓ Three right in a row: settled.",)
    assert practice.three_more is None
    assert practice.filled_count == 6
    row = practice.current_row
    assert row is not None
    assert row.stage.name == "Q"


def test_three_more_name_the_slip() -> None:
    """W_Q for W_K once more, where that gives another number than is right."""
    practice, named = begin_three_more(), 0
    for _ in range(9):
        more = practice.three_more
        assert more is not None
        asked = more.exercise
        assert asked is not None
        given = asked.sheet.problem
        column = [row[asked.column] for row in given["X"]]
        slipped = sum(Fraction(w) * Fraction(x) for w, x in zip(given["W_Q"][asked.row], column, strict=True))
        if slipped != asked.sheet.solution["K"].hand[asked.row][asked.column]:
            named += int("used W_Q in place of W_K" in " ".join(practice.answer_exercise(str(slipped))))
        else:
            practice.answer_exercise("77")
    assert named


def test_three_more_are_skipped_left_and_helped_with() -> None:
    """Enter goes on with the sheet, ? asks and then says what to work, quit keeps what was answered."""
    rows = list_key_rows(stages=("K",))
    ran = practise_with("77", *rows, "?", "?", "x y", "", "quit")
    assert "Three more, on new numbers" in ran.text
    assert "Which row of W_K and which column of X meet in K[" in " ".join(ran.text.split())
    assert "= ?" in ran.text
    assert "Q[1,…]: " in ran.text
    left = practise_with("quit")
    assert "Going on where you left: 6 of 63 cells are filled." in left.text
    assert "Three more" not in left.text
    Path(FILE).unlink()
    stopped = practise_with("77", *rows, "quit")
    assert "6 of 63 cells are filled; they are kept" in " ".join(stopped.text.split())
    assert "Q[1,…]" not in stopped.text


def test_who_makes_no_slip_is_asked_no_more() -> None:
    """Nor who gave too few digits, or left a stage with a wrong cell."""
    assert "Three more" not in practise_with(*list_key_rows(), "quit").text
    Path(FILE).unlink()
    assert "Three more" not in practise_with("77", "", "", "quit").text
