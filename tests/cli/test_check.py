"""``attnhand check``: marks in the terminal, as JSON and as a report; which sheet it is, and what is refused."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from pypdf import PdfReader

import attnhand
from attnhand.classroom.class_file import ClassFile, format_class_toml
from attnhand.formats.csv_sheet import render_csv
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import is_untouched
from tests.cli.running import run_here, run_refused, run_well, write_own_problem
from tests.marking.handing_in import make_answer_file, make_slip, write_answers, write_key

SHEET = attnhand.generate(seed=7)
WORDS = "the cat saw the dog"


def write(name: str, text: str) -> str:
    """Write a file and return its name."""
    Path(name).write_text(text, encoding="utf-8")
    return name


def test_a_perfect_sheet_leaves_with_0() -> None:
    """JSON, CSV and what is pasted; the grids show every answer with its sign."""
    text = make_answer_file(SHEET, write_key(SHEET))
    for ran in (
        run_well("check", write("a.json", text)),
        run_well("check", write("a.csv", render_csv(SHEET.key))),
        run_well("check", "-", stdin=text.encode()),
    ):
        assert "Score: 116 of 116 cells." in ran.text
        assert ran.text.count("✓") == 116 + 1  # and in the legend
        assert max(map(len, ran.lines)) <= 80


def test_a_slip_is_named_and_leaves_with_1() -> None:
    """The sentences first, then the student's own numbers; signs tell marks apart without colour."""
    rows = write_answers(SHEET, make_slip(SHEET, "truncated", "scaled"))
    rows["Z"][0][0] = "dog"
    ran = run_here("check", write("a.json", make_answer_file(SHEET, rows)))
    assert (ran.exit_code, ran.error_text) == (1, "")
    assert "You seem to have rounded toward zero instead of down." in ran.text
    assert "0 ✗" in ran.text
    assert "dog ?" in ran.text
    assert "3/16 →" in ran.text  # A[1,4]: 1 over 1 + 1 + 1/3 + 3


def test_the_marks_as_json() -> None:
    """As documented: score, first departure, slips, and every cell with what the student's own inputs give."""
    rows = write_answers(SHEET, make_slip(SHEET, "truncated", "scaled"))
    rows["Q"][0][1] = " "
    ran = run_here("check", write("a.json", make_answer_file(SHEET, rows)), "--json")
    assert ran.exit_code == 1
    data = json.loads(ran.text)
    assert data["format"] == "attnhand-marks/1"
    assert data["code"] == SHEET.code
    questions = data["score"].pop("questions")
    marks = {"correct", "follows", "wrong", "blank", "unreadable", "of"}
    assert (data["score"].keys(), questions.keys()) == (marks | {"unworked"}, marks)
    assert sum(data["score"].values()) == 2 * data["score"]["of"] == 2 * 116
    assert questions["blank"] == questions["of"] == 5  # two, and three cells of a try
    assert data["first_departure"] == "scaled[1,3]"
    assert [(slip["stage"], slip["slip"]) for slip in data["slips"]] == [("scaled", "truncated")]
    cells = {cell["cell"]: cell for cell in data["cells"]}
    assert len(cells) == 116
    assert cells["Q[1,2]"] == {
        "cell": "Q[1,2]",
        "answer": " ",
        "key": "-2",
        "mark": "blank",
        "from_yours": None,
        "note": "",
    }
    assert cells["powers[2,1]"] == {
        "cell": "powers[2,1]",
        "answer": "1",
        "key": "1/3",
        "mark": "follows",
        "from_yours": "1",
        "note": "follows from your scaled[2,1]",
    }
    checked = attnhand.check(json.loads(make_answer_file(SHEET, rows)), SHEET)
    data["score"]["questions"] = questions
    assert json.loads(json.dumps(checked.to_dict())) == data


# which sheet it is


def make_embedded_sheet() -> Sheet:
    """Return a sheet whose words are looked up: its code alone does not make it again."""
    return attnhand.generate(seed=7, words=WORDS, embed=True)


CASES: dict[str, Sheet] = {
    "plain": SHEET,
    "queries": attnhand.generate(seed=7, tokens=8, options=PageOptions(only_queries=(2, 5))),
    "some stages": attnhand.generate(seed=7, options=PageOptions(blank_stages=("A", "Z"))),
    "from S": attnhand.generate(seed=7, mechanism="multi-head", options=PageOptions(from_stage="S")),
    "words": make_embedded_sheet(),
}


@pytest.mark.parametrize("name", CASES)
def test_the_file_says_which_sheet_it_is(name: str) -> None:
    """Its attached sheet, or the lines of its table: all that is asked is marked, and no more."""
    sheet = CASES[name]
    run_well("check", write("a.json", make_answer_file(sheet, write_key(sheet), with_sheet=True)))
    run_well("check", write("a.csv", render_csv(sheet.key)))
    marks = json.loads(run_well("check", "a.csv", "--json").text)
    assert marks["score"]["correct"] == sheet.answer_cell_count


CLAIMS: dict[str, dict[str, object]] = {
    "one query, one stage": {"only_queries": [1], "blank_stages": ["sums"]},
    "the last stage": {"from_stage": "Z"},
    "a fading sheet": {"fade": True},
}


@pytest.mark.parametrize("claim", CLAIMS.values(), ids=CLAIMS)
@pytest.mark.parametrize("is_whole", [True, False], ids=["whole sheet", "claim alone"])
def test_a_student_cannot_choose_what_counts(claim: dict[str, object], is_whole: bool) -> None:
    """A file that says less is asked is marked against all that its code asks, and the teacher is told."""
    data = json.loads(make_answer_file(SHEET, write_key(SHEET), with_sheet=True))
    data["sheet"] = {**(data["sheet"] if is_whole else {}), **claim}
    data["answers"] = {"sums": [[write_key(SHEET)["sums"][0][0], "", "", ""]]}
    score = json.loads(run_here("check", write("a.json", json.dumps(data)), "--json").text)
    assert (score["score"]["correct"], score["score"]["of"]) == (1, SHEET.answer_cell_count)
    assert score["asks_less"]
    assert "For the teacher: the file says that less is asked" in score["for_teacher"][0]
    assert "teacher" not in run_here("check", "a.json").text


def test_an_honest_part_of_a_sheet_is_marked_as_that_part() -> None:
    """Its code says what it asks: nothing is left out, and against the whole sheet something is."""
    part = attnhand.generate(seed=7, only_queries=[1, 3], blank_stages=["A", "Z"])
    write("a.json", make_answer_file(part, write_key(part)))
    marks = json.loads(run_well("check", "a.json", "--json").text)
    assert (marks["score"]["of"], marks["asks_less"]) == (part.answer_cell_count, False)
    against_all = json.loads(run_here("check", "a.json", "--against", "7", "--json").text)
    assert (against_all["score"]["of"], against_all["asks_less"]) == (SHEET.answer_cell_count, True)
    own = json.loads(write_own_problem().read_text())
    part = attnhand.solve(own, only_queries=[1])
    assert part.code != attnhand.solve(own).code
    data = json.loads(make_answer_file(part, write_key(part), with_sheet=True))
    assert run_well("check", write("a.json", json.dumps(data)))
    data["sheet"]["blank_stages"] = ["sums"]
    assert "the numbers in it are another's" in run_refused("check", write("a.json", json.dumps(data)))


def test_somebodys_own_matrices_come_with_the_file_or_against() -> None:
    """The attached sheet is enough; a table needs the problem file."""
    write_own_problem()
    run_well("solve", "own.json", "--json", "--csv", "--blank", "--out", "made/")
    sheet = attnhand.solve(json.loads(Path("own.json").read_text()))
    run_well("check", write("a.json", make_answer_file(sheet, write_key(sheet), with_sheet=True)))
    write("a.csv", render_csv(sheet.key))
    assert "own matrices" in run_refused("check", "a.csv")
    run_well("check", "a.csv", "--against", "own.json")
    run_well("check", "a.csv", "--against", "made/own.json")


def test_a_salted_sheet_needs_its_salt() -> None:
    """The code alone gives no key."""
    sheet = attnhand.generate(seed=7, salt="a well kept secret")
    for whole in (False, True):
        write("a.json", make_answer_file(sheet, write_key(sheet), with_sheet=whole))
        assert "is salted: give its --salt" in run_refused("check", "a.json")
        run_well("check", "a.json", "--salt", "a well kept secret")


def test_words_that_are_looked_up_can_be_given() -> None:
    """An answer file with the code alone."""
    sheet = make_embedded_sheet()
    write("a.json", make_answer_file(sheet, write_key(sheet)))
    assert "its words shape the numbers: give them with --words" in run_refused("check", "a.json")
    run_well("check", "a.json", "--words", WORDS)


def test_answers_without_a_code_are_marked_against_a_source() -> None:
    """Typed by hand: a list of rows a stage."""
    write("a.json", json.dumps({"answers": write_key(SHEET)}))
    assert run_refused("check", "a.json") == (
        "a.json does not say which sheet it answers: name it with --against, by its seed, code or file"
    )
    run_well("check", "a.json", "--against", "7")


def test_an_altered_file_is_refused() -> None:
    """Other matrices than those of the code, in the table and in the attached sheet, or another sheet's code."""
    table = render_csv(SHEET.key)
    first = table.splitlines().index("X") + 1
    lines = table.splitlines()
    lines[first] = "5" + lines[first][1:]
    message = run_refused("check", write("a.csv", "\n".join(lines)))
    assert message.startswith("a.csv has 5 as X[1,1], which is not so in the sheet A1Q0-0000-000W")
    data = json.loads(make_answer_file(SHEET, write_key(SHEET), with_sheet=True))
    data["sheet"]["given"]["X"][0][0] = "5"
    assert "its matrices and rules are not those of its code" in run_refused("check", write("a.json", json.dumps(data)))
    own = attnhand.solve(json.loads(write_own_problem().read_text()))
    data = json.loads(make_answer_file(own, write_key(own), with_sheet=True))
    data["sheet"]["given"]["X"][0][0] = 2
    assert "the numbers in it are another's" in run_refused("check", write("a.json", json.dumps(data)))
    write("a.json", make_answer_file(SHEET, write_key(SHEET)))
    assert "a.json answers the sheet A1Q0-0000-000W, not " in run_refused("check", "a.json", "--against", "8")


REFUSED: dict[str, tuple[str, str]] = {
    "nothing": ("", "is empty: save the answers again"),
    "a problem": ('{"given": {"X": [[1]]}}', "has no answers"),
    "a stage that is none": ('{"code": "A1Q0-0000-000W", "answers": {"Y": [[1]]}}', "has answers to 'Y'"),
    "a code that is none": ('{"code": "A1Q0-0000-000X", "answers": {}}', "does not check"),
    "a sheet that is none": ('{"code": "A1Q0-0000-000W", "sheet": {"given": 3}, "answers": {}}', "a.json: "),
    "what is asked in another form": (
        '{"code": "A1Q0-0000-000W", "sheet": {"only_queries": 3}, "answers": {}}',
        '"only_queries" is not a list of numbers',
    ),
}


@pytest.mark.parametrize(("text", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_marked_is_refused(text: str, message: str) -> None:
    """In one sentence, with exit code 2."""
    assert message in run_refused("check", write("a.json", text))


def test_files_that_are_none_are_refused() -> None:
    """A name that is not there, a folder, a file too large, a sheet that asks nothing."""
    assert "is not there: give the file that was handed in" in run_refused("check", "none.json")
    Path("folder").mkdir()
    assert "folder is not a file" in run_refused("check", "folder")
    assert "is larger than any answer file" in run_refused("check", write("big.json", " " * 1_000_001))
    sheet = attnhand.generate(seed=7, tokens=8, blank_stages="K")  # of two queries K is printed
    write("a.json", json.dumps({"code": sheet.code, "answers": {}}))
    assert "asks nothing to fill" in run_refused("check", "a.json")


# the report


def test_a_report_is_the_students_own_sheet_with_marks() -> None:
    """What is said comes first, then every page as it was filled, with its marks; its words are those on screen."""
    rows = write_answers(SHEET, make_slip(SHEET, "truncated", "scaled"))
    rows["Z"][0][0] = "☹ dear teacher"
    write("a.json", make_answer_file(SHEET, rows))
    ran = run_here("check", "a.json", "--report", "sara.pdf")
    assert ran.exit_code == 1
    assert is_untouched(Path("sara.pdf").read_bytes())
    first, *pages = (page.extract_text() for page in PdfReader("sara.pdf").pages)
    assert first.startswith("Your answers, marked")
    assert "You seem to have rounded toward zero instead of down." in first
    assert len(pages) == 2
    signs = "".join(pages)
    run_well("generate", "--seed", "7", "--pdf", "--blank", "--out", "blank.pdf")
    asked = "".join(page.extract_text() for page in PdfReader("blank.pdf").pages).count("?")
    assert [signs.count(sign) for sign in "✗?"] == [3, 1 + asked]
    assert signs.count("✓") == json.loads(run_here("check", "a.json", "--json").text)["score"]["correct"]


def test_a_report_is_never_written_over_somebodys_work() -> None:
    """A report that somebody wrote into stays, unless it is to be replaced."""
    write("a.json", make_answer_file(SHEET, write_answers(SHEET, make_slip(SHEET, "truncated", "scaled"))))
    report = Path("sara.html")
    assert run_here("check", "a.json", "--report", str(report)).exit_code == 1
    assert run_here("check", "a.json", "--report", str(report)).exit_code == 1
    report.write_bytes(report.read_bytes() + b"mine")
    before = report.read_bytes()
    assert "exists and is not as this program wrote it" in run_refused("check", "a.json", "--report", str(report))
    assert report.read_bytes() == before
    assert run_here("check", "a.json", "--report", str(report), "--force").exit_code == 1


def test_a_report_of_another_format_is_refused() -> None:
    """It is a web page or a PDF."""
    write("a.json", make_answer_file(SHEET, write_key(SHEET)))
    for name in ("sara.docx", "sara", "."):
        assert "is neither a web page nor a PDF: end it in .html or .pdf" in run_refused(
            "check", "a.json", "--report", name
        )


# the key from a student's value on


def test_the_key_is_carried_on_from_a_students_value() -> None:
    """S[2,1] = −1 scaled to 0: power 1, sum 1 + 1 + 1/9 + 3 = 46/9, weights 9/46 9/46 1/46 27/46, beside the key's."""
    ran = run_well("key", "7", "--given", "scaled[2,1]=0")
    for cell in (
        "0 key −1 ✗",
        "1 key 1/3 →",
        "46/9 key 40/9 →",
        "9/46 key 9/40 →",
        "1/46 key 1/40 →",
        "27/46 key 27/40 →",
    ):
        assert cell in ran.text
    assert "The key from the student's values on: scaled[2,1] = 0." in ran.text
    assert "rounded toward zero instead of down" in ran.text
    assert "How good was the shortcut?" not in ran.text
    both = run_well("key", "7", "--given", "scaled21=0", "--given", "A.1.1 = 1/2", "--json", "--out", "-").text
    stages: dict[str, Any] = {stage["name"]: stage["hand"] for stage in json.loads(both)["stages"]}
    assert [row[0] for row in stages["A"]] == ["1/2", "9/46", "1/46", "27/46"]
    others = [run_well("key", "7", "--given", f"scaled21={value}", "--html").lines for value in (0, 5)]
    assert len({name for names in others for name in names}) == 2
    assert all(re.fullmatch(r"attnhand-7-given-\w{4}-key\.html", name) for names in others for name in names)


GIVEN = {
    "S12": "gives no value",
    "S12=": "gives no value",
    "=1": "names no cell",
    "X11=3": "X is printed on the sheet",
    "S[9,9]=1": "is outside S",
    "S12=dog": "S12 is 'dog', not a number",
    "sums11=0": "a sum of powers is 0",
    "scaled11=9999": "nothing can be worked from these values",
}


@pytest.mark.parametrize(("given", "message"), GIVEN.items())
def test_a_value_that_is_none_is_refused(given: str, message: str) -> None:
    """With what to write instead."""
    assert message in run_refused("key", "7", "--given", given)


def test_two_values_for_one_cell_are_refused() -> None:
    """Nobody wrote both; the same twice is one."""
    sentence = "--given says two values for S[1,1]: give what the student wrote"
    assert run_refused("key", "7", "--given", "S[1,1]=3", "--given", "S11=4") == sentence
    assert run_well("key", "7", "--given", "S[1,1]=3", "--given", "S11=3") == run_well("key", "7", "--given", "S11=3")


HOSTILE: dict[str, tuple[bytes, str]] = {
    "cut": (make_answer_file(SHEET, write_key(SHEET), with_sheet=True).encode()[:-100], "is not"),
    "nested": (b'{"code": "A1Q0-0000-000W", "answers": ' + b"[" * 50_000 + b"]" * 50_000 + b"}", "is nested too deep"),
    "a spreadsheet": (
        b"PK\x03\x04" + bytes(range(256)) * 100,
        "is a damaged spreadsheet that cannot be read: save it again",
    ),
    "a picture": (b"\x89PNG\r\n\x1a\n" + bytes(5000), "is a picture: mark it by eye"),
    "a picture of a phone": (b"\0\0\0\x24ftypheic" + bytes(5000), "or ask for the answers typed into the sheet"),
    "an old spreadsheet": (b"\xd0\xcf\x11\xe0" + bytes(5000), "is in an old format of Excel or Word, or locked"),
    "a link": (b'{"doc_id": "1", "email": "a@example.org"}', "is only a link to a document elsewhere: download that"),
    "a PDF of somebody's": (b"%PDF-1.7\n%\xe2\xe3\n1 0 obj\n<<>>\nendobj\ntrailer\n<<>>\n%%EOF", "is a damaged PDF"),
    "a million rows": (b"attnhand,A1Q0-0000-000W\n\nQ\n" + b"1,2\n" * 10**6, "is larger than any answer file"),
    "many rows": (b"attnhand,A1Q0-0000-000W\n\nQ\n" + b"1\n" * 400_000, "has 400003 lines"),
    "one endless line": (b"attnhand,A1Q0-0000-000W\n\nQ\n" + b"1," * 400_000, "has a line of 400001 cells"),
    "endless numbers": (b'{"code": "A1Q0-0000-000W", "answers": {"Q": [[1' + b"0" * 5000 + b"]]}}", "digits"),
    "a key twice": (b'{"code": "A1Q0-0000-000W", "code": "A1Q0-0000-000W", "answers": {}}', "twice"),
}


@pytest.mark.parametrize(("data", "message"), HOSTILE.values(), ids=HOSTILE)
def test_hostile_files_get_one_sentence(data: bytes, message: str) -> None:
    """Cut, nested, binary, endless: refused, or marked without a right cell, and never with a traceback."""
    Path("a.json").write_bytes(data)
    ran = run_here("check", "a.json")
    assert "Traceback" not in ran.error_text
    if ran.exit_code == 2:
        assert len(ran.error_text.splitlines()) == 1
        assert message in ran.error_text
    else:
        assert ran.exit_code == 1
        assert "\nScore: 0 of 116 cells" in ran.text


def test_formulas_are_no_numbers() -> None:
    """What a spreadsheet would work out is not worked out here: the cell cannot be read."""
    rows = write_key(SHEET)
    for formula in ("=1+1", "=SUM(A1:A3)", "=A1/3", "@SUM(A1)", "=cmd|' /C calc'!A0"):
        rows["A"][0][0] = formula
        ran = run_here("check", write("a.json", make_answer_file(SHEET, rows)))
        assert ran.exit_code == 1
        assert "1 cannot be read" in ran.text


def test_a_paper_of_a_class_is_looked_up_in_its_index() -> None:
    """A № says which sheet and whose; another's answers under one's own code are not scored but said to be that."""
    others = attnhand.generate(seed=8)
    lines = ["№,name,code", f"007,Ada,{SHEET.code}", f"008,Bo,{others.code}"]
    Path("set").mkdir()
    write("set/index.csv", "\n".join(lines))
    write("set/class.toml", format_class_toml(ClassFile(seed=7, salt="")))
    data = json.loads(make_answer_file(others, write_key(others)))
    numbered = write("b.json", json.dumps({"number": 8, "answers": data["answers"]}))
    assert "does not say which sheet" in run_here("check", numbered).error_text
    found = json.loads(run_well("check", numbered, "--class", "set", "--json").text)
    assert (found["owner"], found["code"]) == ("№ 008 Bo", others.code)
    copied = write("c.json", json.dumps({"code": SHEET.code, "answers": data["answers"]}))
    refused = run_here("check", copied, "--class", "set")
    assert (refused.exit_code, refused.text) == (2, "")
    assert "c.json holds the answers to another sheet, that of № 008 Bo" in refused.error_text
    alone = json.loads(run_here("check", copied, "--json").text)
    assert "For the teacher: these may be the answers to another sheet" in alone["for_teacher"][-1]
    assert any("look whether the code on your sheet is" in sentence for sentence in alone["feedback"])
    with pytest.raises(attnhand.AttnhandError, match="another sheet, that of № 008 Bo"):
        attnhand.check("c.json", class_="set")


def test_a_neighbours_sheet_is_scored_for_nobody() -> None:
    """Signed by another: refused, as grade sets it aside; of nobody in the class: marked without an owner."""
    others, third = attnhand.generate(seed=8), attnhand.generate(seed=9)
    Path("set").mkdir()
    write("set/index.csv", "\n".join(["№,name,code", f"007,Ada,{SHEET.code}", f"008,Bo,{others.code}"]))
    write("set/class.toml", format_class_toml(ClassFile(seed=7, salt="")))
    data = json.loads(make_answer_file(SHEET, write_key(SHEET)))
    for name, said in (("signed.json", {"name": "Bo"}), ("numbered.json", {"number": 8}), ("008.json", {})):
        ran = run_here("check", write(name, json.dumps({**data, **said})), "--class", "set")
        assert (ran.exit_code, ran.text) == (2, "")
        assert f"{name} it says " in ran.error_text
        assert "but its sheet is that of № 007 Ada" in ran.error_text
    for name, said in (("own.json", {"name": "Ada"}), ("007.json", {})):
        ran = run_well("check", write(name, json.dumps({**data, **said})), "--class", "set")
        assert ran.lines[3] == "№ 007 Ada"
    stranger = write("008 x.json", make_answer_file(third, write_key(third)))
    found = json.loads(run_well("check", stranger, "--class", "set", "--json").text)
    assert (found["owner"], found["score"]["correct"]) == ("", 116)
    assert found["for_teacher"] == [
        "For the teacher: counts for nobody in the class, since its sheet is nobody's in the index."
    ]
    rows = {
        name: text if name in ("Q", "K", "V") else write_key(others)[name] for name, text in write_key(SHEET).items()
    }
    half = json.loads(
        run_here("check", write("h.json", make_answer_file(SHEET, rows)), "--class", "set", "--json").text
    )
    assert half["for_teacher"][0].startswith(
        "For the teacher: S, scaled, powers, Σ, A and Z not counted, for the numbers are"
    )
    assert run_here("check", "h.json", "--class", "set").lines[4].startswith("Score: 36 of 116 cells (")


def test_what_is_accepted_counts_as_right() -> None:
    """Cells and questions, in a list or one by one; report, JSON and Python say so; what is not asked is refused."""
    rows = write_key(SHEET)
    rows["S"][1][2], rows["Z"][0][0], rows["ask1"] = "1,234", "77", [["brrr"]]
    file = write("a.json", make_answer_file(SHEET, rows))
    assert json.loads(run_here("check", file, "--json").text)["score"]["correct"] == 114
    ran = run_here("check", file, "--accept", "S[2,3],ask1", "--accept", "Z11", "--report", "a.html", "--json")
    found = json.loads(ran.text)
    assert (ran.exit_code, found["score"]["correct"], found["first_departure"]) == (0, 116, None)
    noted = [each["cell"] for each in found["cells"] if each["note"] == "accepted by the teacher"]
    noted += [each["name"] for each in found["questions"] if each["note"] == "accepted by the teacher"]
    assert noted == ["S[2,3]", "Z[1,1]", "ask1"]
    sentence = "Your teacher has decided: S[2,3]: right; question 1: right; Z[1,1]: right."
    assert found["feedback"][-1] == sentence
    assert "Your teacher has decided" in Path("a.html").read_text(encoding="utf-8")
    assert attnhand.check(file, accept=["S[2,3]", "Z11", "ask1"]).to_dict()["cells"] == found["cells"]
    assert attnhand.check(file, accept="Z.1.1").marks.score == 115
    assert attnhand.check(rows, SHEET, accept=["S23"]).marks.score == 115
    for accepted, message in (
        ("X[1,1]", "X[1,1] is printed, not asked: name one that is, Q[1,1], ask1, ask2, ask3, ask4 or ask5"),
        ("S[9,9]", "S[9,9] is outside S"),
        ("ask7", "the sheet has no question 'ask7': use ask1, ask2, ask3, ask4 or ask5"),
        ("dog", "'dog' names no cell"),
        ("", "no cell is named that is to be accepted"),
    ):
        assert message in run_refused("check", file, "--accept", accepted)


def test_a_stage_that_there_is_not_is_refused_with_the_name_of_the_file() -> None:
    """A file that says so was changed."""
    data = json.loads(make_answer_file(SHEET, write_key(SHEET)))
    file = write("a.json", json.dumps({**data, "sheet": {"from_stage": "dog"}}))
    assert "a.json says of its sheet: the sheet has no stage 'dog'" in run_here("check", file).error_text
