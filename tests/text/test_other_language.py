"""All that people read speaks the language of its sheet: a sheet, explanations, feedback, the summary of a class."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest

import attnhand
from attnhand.classroom.gradebook import UnreadablePaper, build_gradebook, format_gradebook_csv
from attnhand.classroom.summary import build_summary
from attnhand.classroom.summary_views import render_summary
from attnhand.errors import PageError
from attnhand.formats.answers import Answers
from attnhand.formats.csv_sheet import render_csv
from attnhand.formats.json_sheet import render_json
from attnhand.formats.sources import make_sheet_from_code, make_sheet_from_data
from attnhand.formats.terminal import render_terminal
from attnhand.marking.checked import check_answers
from attnhand.marking.practice import Practice
from attnhand.problems.question_amount import QuestionAmount
from attnhand.sheet.explain import explain, explain_trace
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES, Message, get_language
from tests.cli.running import run_here


def make_sheet(language: str, **options: object) -> Sheet:
    """Make the sheet of seed 7 in a language."""
    return attnhand.generate(7, options=PageOptions(language=language, **options))  # type: ignore[arg-type]


def find_english(text: str) -> list[str]:
    """Return the words outside ‹ and ›, names of matrices and of labels aside."""
    while (shorter := re.sub(r"‹[^‹›]*›", "", text)) != text:
        text = shorter
    return re.findall(r"[A-Za-z]{4,}", text.replace("scaled", "").replace("powers", ""))


def spoil(sheet: Sheet, stage: str) -> Answers:
    """Answer a sheet with one wrong number in a stage, an unreadable one in the first, and nothing after."""
    names = [each.name for each in sheet.problem.mechanism.stages]
    answers: dict[str, tuple[tuple[str, ...], ...]] = {}
    for name in names[: names.index(stage) + 1]:
        answers[name] = tuple(tuple(map(str, row)) for row in sheet.solution[name].hand)
    answers[stage] = (("99", *answers[stage][0][1:]), *answers[stage][1:])
    answers[names[0]] = (("1,234", *answers[names[0]][0][1:]), *answers[names[0]][1:])
    return Answers(code=sheet.code, stages=answers)


def test_a_sheet_speaks_its_language(invented_language: str) -> None:
    """Title, rules, instructions and the end of blank and key; plurals after its own rule, decimals with a comma."""
    sheet = make_sheet(invented_language, show_exact=True)
    for version in (sheet.blank, sheet.key):
        text = render_terminal(version, width=120)
        assert find_english(text) == []
    blank, key = render_terminal(sheet.blank, width=200), render_terminal(sheet.key, width=200)
    assert "‹116 cells-many, 312 products-many, about 45 minutes-many›" in blank
    assert "‹4 tokens-few›" in blank
    assert re.search(r"\b\d,\d\d\b", key)
    assert not re.search(r"\d\.\d\d", key.replace("2.718", "").replace("0.99", "").replace("1.01", ""))
    assert re.search(r"Weight that the shortcut moved, q₁…q₄: \d,\d\d; \d,\d\d", key)


def test_queries_that_are_no_run_are_listed(invented_language: str) -> None:
    """The comparison names the queries that are asked: a run by its ends, others one by one."""
    endings = {
        (1, 2, 3): "q₁…q₃:",
        (1, 3, 4): "q₁, q₃, q₄:",
        (2, 4): "q₂, q₄:",
    }
    for queries, expected in endings.items():
        for language in ("en", invented_language):
            text = render_terminal(make_sheet(language, only_queries=queries).key, width=300)
            assert f"Weight that the shortcut moved, {expected}" in text


def test_files_for_programs_keep_the_point(invented_language: str) -> None:
    """JSON and CSV hold the same numbers in every language; questions are words, and are left out."""
    rules = {"scale": "sqrt", "base": "e"}
    english, other = (
        attnhand.generate(7, rules=rules, options=PageOptions(language=code, questions=QuestionAmount.NONE))
        for code in ("en", invented_language)
    )
    # the first block holds the title and the hint about dates
    in_english, in_other = (render_csv(sheet).replace("\r", "").split("\n\n")[1:] for sheet in (english, other))
    assert re.search(r"\d\.\d", str(in_english))
    assert in_english == in_other
    assert re.findall(r"\d+\.\d+", render_json(english)) == re.findall(r"\d+\.\d+", render_json(other))


def test_explanations_speak_the_language(invented_language: str) -> None:
    """Of every stage's first cell, and a query's way through the sheet."""
    sheet = attnhand.generate(7, mechanism="block", options=PageOptions(language=invented_language))
    for stage in sheet.problem.mechanism.stages:
        explanation = explain(sheet, f"{stage.name}[1,1]")
        lines = [explanation.title, *explanation.by_hand, *explanation.exactly]
        assert find_english("\n".join(lines).replace("relu", "")) == []
        assert not re.search(r"\d\.\d", "\n".join(lines))
        assert not re.search(r"relu\d|F\d", "\n".join(lines))
    windowed = attnhand.generate(7, causal=True, window=2, options=PageOptions(language=invented_language))
    assert "‹the key comes 2 tokens-few before the query, or more: −∞›" in explain(windowed, "masked[1,3]").by_hand
    trace = explain_trace(sheet, 1)
    assert find_english("\n".join([trace.title, *trace.by_hand, *trace.exactly])) == []


def test_feedback_speaks_the_language(invented_language: str) -> None:
    """The score, where to look first with the reason, and what to redo."""
    sheet = make_sheet(invented_language)
    sentences = check_answers(spoil(sheet, "S"), sheet).feedback.sentences
    assert find_english("\n".join(sentences)) == []
    assert any("cells-many" in sentence for sentence in sentences)
    assert any("‹is '1,234', which has two readings: write 1.234 or 1234›" in sentence for sentence in sentences)


def test_practice_speaks_the_language(invented_language: str) -> None:
    """A row that is no row, one that cannot be read, one that is wrong, and a hint."""
    practice = Practice(make_sheet(invented_language), {})
    lines = [
        *practice.enter_values("1 2"),
        *practice.enter_values("x"),
        *practice.enter_values("9"),
        *practice.give_hint(),
    ]
    assert find_english("\n".join(lines)) == []
    assert lines[0] == "‹Here are 4 cells to fill: type 4 numbers with blanks between them, or one.-few›"


def test_the_summary_and_the_gradebook_speak_the_language(invented_language: str) -> None:
    """What came back, whom it matches, and why a file is not marked."""
    sheet = make_sheet(invented_language)
    marked = replace(check_answers(spoil(sheet, "S"), sheet), file="sara.json")
    refused = UnreadablePaper(file="x", reason="")
    book = build_gradebook([marked], unreadable_papers=[refused])
    language = get_language(invented_language)
    text = render_summary(build_summary(book, sheet, language), width=300).replace("sara.json", "")
    assert find_english(text) == []
    assert "1 paper marked" in text
    assert re.search(r"\d+ %", text)
    remarks = format_gradebook_csv(book, language).splitlines()
    assert any("‹not marked: ›" in line for line in remarks)


def make_refused_files() -> dict[str, bytes]:
    """Return answer files that cannot be marked, by the beginning of the reason's key."""
    code = "A1Q0-0000-000W"
    eye = [[1, 0], [0, 1]]
    codes = {
        "code.character": "A1Q0-0000-000U",
        "code.length": "A1Q0",
        "code.mistyped": "A1Q0-0000-000V",
        "answers.own-matrices": attnhand.solve(X=eye, W_Q=eye, W_K=eye, W_V=eye).code,
        "code.words": attnhand.generate(7, words="the cat the dog", embed=True).code,
        "code.salted": attnhand.generate(7, salt="open, sesame!").code,
    }
    files = {key: json.dumps({"code": text, "answers": {}}).encode() for key, text in codes.items()}
    sheets = {
        "answers.of-sheet.queries": {"only_queries": "1"},
        "answers.of-sheet.stages": {"blank_stages": "A"},
        "answers.of-sheet.stage": {"from_stage": 3},
        "code.labels": {"words": ["one", "two"]},
    }
    files |= {key: json.dumps({"code": code, "sheet": s, "answers": {}}).encode() for key, s in sheets.items()}
    changed = attnhand.generate(7).blank.csv().replace("\n0,", "\n7,", 1)
    changed_sheet = attnhand.generate(7).blank.to_dict()
    changed_sheet["given"]["X"][0][0] = 9
    return files | {
        "answers.no-text": bytes(range(256)),
        "table.too-long": f"attnhand,{code}\n".encode() + b"\n" * 6000,
        "table.no-csv": f'attnhand,{code}\n\nQ\n"1'.encode(),
        "data.too-deep": b'{"answers": ' + b"[" * 50_000,
        "data.too-large": b'{"answers": "' + b"x" * 300_000,
        "data.no-json": b'{"answers": {,}}',
        "data.key-twice": b'{"answers": {}, "answers": {}}',
        "answers.half-character": b'{"answers": {"Q": [["\\ud800"]]}}',
        "answers.changed-givens": changed.encode(),
        "code.other-matrices": json.dumps({"sheet": changed_sheet, "answers": {}}).encode(),
    }


def test_why_an_answer_file_is_refused_is_said_in_the_language(invented_language: str, tmp_path: Path) -> None:
    """By the file's form, its code, its sheet or its text: what the parser found stands in brackets as it is."""
    files, folder = make_refused_files(), tmp_path / "handed"
    folder.mkdir()
    for key, data in files.items():
        (folder / f"{key}.json").write_bytes(data)
    (folder / "good.csv").write_text(attnhand.generate(7).key.csv(), encoding="utf-8")
    graded = attnhand.grade(folder, language=invented_language)
    reasons = {paper.file.removesuffix(".json"): paper.reason for paper in graded.book.unreadable_papers}
    assert reasons.keys() == files.keys()
    for key, reason in reasons.items():
        assert isinstance(reason, Message), (key, reason)
        assert key.startswith(reason.key), (key, reason)
        assert find_english(get_language(invented_language).translate(reason)) == [], key


def test_the_vet_speaks_the_language(invented_language: str) -> None:
    """The verdict, every criterion, its faults and what helps."""
    eye = [[1, 0], [0, 1]]
    sheet = attnhand.solve(X=eye, W_Q=eye, W_K=eye, W_V=[[4, 8]], options=PageOptions(language=invented_language))
    report = attnhand.vet(sheet)
    assert report.verdict == "‹Nine things-many to know before you print it.›"
    for result in report.results:
        assert find_english("\n".join([result.title, *result.faults, result.remedy])) == []
    good = attnhand.vet(make_sheet(invented_language)).verdict
    assert good == "‹Good for a class: all 21 criteria-many of level ‹standard› are-many met.›"


def test_every_command_that_prints_sentences_knows_the_language(
    invented_language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Explanations, practice, marks and grades are in the language that is asked for; an unknown one is refused."""
    monkeypatch.chdir(tmp_path)
    sheet = make_sheet("en")
    data = {"code": sheet.code, "answers": {name: list(rows) for name, rows in spoil(sheet, "S").stages.items()}}
    (tmp_path / "handed").mkdir()
    (tmp_path / "handed" / "sara.json").write_text(json.dumps(data), encoding="utf-8")
    commands = {
        "explain": ("explain", "7", "S23"),
        "practice": ("practice", "7"),
        "check": ("check", "handed/sara.json"),
        "grade": ("grade", "handed"),
    }
    unknown = f"the language 'zz' is unknown: use {', '.join(LANGUAGES)}"
    for name, command in commands.items():
        ran = run_here(*command, "--language", invented_language, stdin=b"1 2\nquit\n")
        assert ran.error_text == "", name
        printed = re.sub(r"gradebook.csv|review.csv|review.xlsx|summary.html|sara.json|quit", "", ran.text)
        assert "‹" in printed
        assert find_english(printed) == [], name
        refused = run_here(*command, "--language", "zz")
        assert (refused.exit_code, refused.error_text) == (2, f"attnhand: {unknown}\n")
    page = (tmp_path / "summary.html").read_text(encoding="utf-8")
    assert f'<html lang="{invented_language}">' in page
    assert "‹What came back›" in page


def test_a_code_keeps_its_language(invented_language: str) -> None:
    """It stands behind the code of the same numbers; another one may be asked for; English has nothing there."""
    english = make_sheet("en")
    for options in ({}, {"mistake": "any"}):
        sheet, same = make_sheet(invented_language, **options), make_sheet("en", **options)
        assert sheet.code == f"{same.code}+XX"
        assert sheet.scene == same.scene
        assert sheet.planted_mistake == same.planted_mistake
    sheet = make_sheet(invented_language)
    assert [q.name for q in build_questions(sheet)] == [q.name for q in build_questions(english)]
    page = PageOptions()
    again = make_sheet_from_code(f"{english.code.lower()} + xx", SheetOrder(), page).sheet
    assert (again.options.language, again.code, again.problem) == (invented_language, sheet.code, sheet.problem)
    assert make_sheet_from_code(english.code, SheetOrder(), page).sheet.options.language is None
    in_english = make_sheet_from_code(sheet.code, SheetOrder(), replace(page, language="en")).sheet
    assert in_english.code == english.code
    with pytest.raises(PageError, match="the language 'zz' is unknown: use en, "):
        make_sheet_from_code(f"{english.code}+ZZ", SheetOrder(), page)
    own = attnhand.solve(X=[[1, 0], [0, 1]], W_Q=[[1, 0]], W_K=[[0, 1]], W_V=[[1, 1]], language=invented_language)
    read = make_sheet_from_data(own.to_dict(), "own.json", "", SheetOrder(), page).sheet
    assert (read.options.language, read.code) == (invented_language, own.code)


def test_everyone_has_their_own_language(
    invented_language: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A column of the roster says it; index, web sheet and feedback keep it; the summary has that of the class."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "roster.csv").write_text("name,language\nAda,made UP\nBob,\n", encoding="utf-8")
    ran = run_here("class", "roster.csv", "--seed", "7", "--html", "--no-salt")
    assert ran.exit_code == 0, ran.error_text
    index = (tmp_path / "attnhand-class" / "teacher" / "index.csv").read_text(encoding="utf-8-sig")
    codes = [line.split(",")[3] for line in index.splitlines()[1:3]]
    assert [code.endswith("+XX") for code in codes] == [True, False]
    (tmp_path / "handed").mkdir()
    for code, name in zip(codes, ("Ada", "Bob"), strict=True):
        data = {"code": code, "name": name, "answers": {"Q": [["99"]]}}
        (tmp_path / "handed" / f"{name}.json").write_text(json.dumps(data), encoding="utf-8")
    marked = [run_here("check", f"handed/{name}.json", "--class", "attnhand-class").text for name in ("Ada", "Bob")]
    assert ["‹" in text for text in marked] == [True, False]
    graded = run_here("grade", "handed", "--roster", "attnhand-class/teacher/index.csv")
    assert (graded.error_text, graded.exit_code, "‹" in graded.text) == ("", 0, False)
    web = {path.name[:3]: path.read_text(encoding="utf-8") for path in (tmp_path / "attnhand-class").rglob("*.html")}
    assert [f'lang="{code}"' in web[number] for number, code in (("001", "xx"), ("002", "en"))] == [True, True]
    (tmp_path / "roster.csv").write_text("name,language\nAda,zz\n", encoding="utf-8")
    refused = run_here("class", "roster.csv", "--out", "other")
    assert refused.exit_code == 2
    assert refused.error_text == (
        f"attnhand: roster.csv says 'zz' as the language of student 1: write {', '.join(LANGUAGES)}, or nothing\n"
    )
