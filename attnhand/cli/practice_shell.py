"""``attnhand practice``: questions and answers in the terminal, saved in a file after every entry."""

from dataclasses import replace
from pathlib import Path

from attnhand.cli.look import measure_terminal, print_wrapped
from attnhand.errors import AnswerError, AttnhandError
from attnhand.formats.answers import read_answers_from_text
from attnhand.formats.json_sheet import make_sheet_dict
from attnhand.formats.sources import NamedSheet
from attnhand.marking.drill import Drill
from attnhand.marking.practice import Practice, PracticeRow
from attnhand.marking.submission import read_answer_file
from attnhand.marking.terminal import render_stage
from attnhand.problems.base32 import normalize_code
from attnhand.sheet.addresses import format_headed_name
from attnhand.sheet.sheet import Sheet
from attnhand.system.files import Targets, write_files
from attnhand.system.json_toml import format_json
from attnhand.system.streams import read_line, write_stdout

ANSWERS_FORMAT = "attnhand-answers/1"


def run_practice(named_sheet: NamedSheet, out: str | None) -> None:
    """Ask row after row until the sheet is done, or whoever sits there leaves.

    Raises:
        AttnhandError: the file to keep the answers in is another's, or cannot be written.
    """
    sheet = named_sheet.sheet.blank
    if not sheet.answer_cell_count:
        raise AttnhandError("the sheet asks nothing to fill: practise with another, such as attnhand practice 7")
    # answers are the same in every language
    spoken = replace(named_sheet, sheet=replace(sheet, options=replace(sheet.options, language=None)))
    path = Path(out or f"{spoken.file_stem}-answers.json")
    targets = Targets()
    targets.watch(path)
    practice = Practice(sheet, _read_saved_answers(path, sheet))
    print_wrapped(sheet.say("practice.how"))
    if practice.filled_count:
        print_wrapped(sheet.say("practice.resumed", filled=practice.filled_count, of=sheet.answer_cell_count))
    if story := practice.describe_story():
        print_wrapped("", *story)
    try:
        _ask_all(practice, path, targets)
    finally:
        if not practice.is_done and practice.is_begun and path.exists():
            print_wrapped(
                "", sheet.say("practice.left", filled=practice.filled_count, of=sheet.answer_cell_count, file=path)
            )
    if practice.is_done:
        if end := practice.conclude():
            print_wrapped("", *end, "")
        print_wrapped(practice.result.feedback.score, *practice.result.feedback.questions[:1])
        print_wrapped(sheet.say("practice.done", file=path))


def _ask_all(practice: Practice, path: Path, targets: Targets) -> None:
    """Ask the rows, then the questions."""
    last_asked = ""
    while True:
        if (drill := practice.take_drill()) and not _ask_more(drill):
            return
        if practice.is_done:
            return
        line, question = practice.current_row, practice.current_question
        asked = line.stage.name if line else question.name if question else ""
        if asked != last_asked:
            _show_asked(practice)
            last_asked = asked
        write_stdout(_format_prompt(practice, line) if line else f"{asked}: ")
        typed = read_line()
        if typed is None or typed.strip().lower() in ("q", "quit"):
            return
        match typed.strip().lower():
            case "":
                practice.skip_row()
            case "?" | "hint":
                print_wrapped(*practice.give_hint())
            case "back":
                if not practice.go_back():
                    print_wrapped(practice.sheet.say("practice.first"))
            case _:
                enter = practice.answer_question if question else practice.enter_values
                print_wrapped(*enter(typed.strip()))
                if practice.is_begun:
                    _save_answers(practice, path, targets)


def _ask_more(drill: Drill) -> bool:
    """Ask three more of a stage; False where whoever sits there leaves."""
    if drill.exercise:
        print_wrapped("", drill.describe())
    while drill.exercise:
        print_wrapped(drill.exercise.line)
        write_stdout("? ")
        typed = read_line()
        if typed is None or typed.strip().lower() in ("q", "quit"):
            return False
        if not typed.strip():
            return True
        print_wrapped(*drill.enter(typed.strip()))
    return True


def _show_asked(practice: Practice) -> None:
    """Write what is asked now: a stage with what it reads, or a question."""
    width, colour = measure_terminal()
    if line := practice.current_row:
        write_stdout(render_stage(practice.result, line.stage, width=width, colour=colour))
    elif question := practice.current_question:
        print_wrapped("", question.spoken_text)


def _format_prompt(practice: Practice, line: PracticeRow) -> str:
    cells = practice.find_open_cells()
    places = [practice.name_cell(cell) for cell in cells] if len(cells) < len(line.columns) else []
    row = f"{format_headed_name(practice.sheet, line.stage.name)}[{line.row + 1},…]"
    return f"{practice.sheet.language.list_of(places or [row])}: "


def _read_saved_answers(path: Path, sheet: Sheet) -> dict[str, list[list[str]]]:
    """Return the answers of an earlier sitting, none where there was none."""
    if not path.exists():
        return {}
    try:
        found = read_answers_from_text(read_answer_file(str(path)))
    except AnswerError as error:
        raise AnswerError(f"{path} {error}; or keep your answers elsewhere with --out") from error
    if found.code is None or normalize_code(found.code) != normalize_code(sheet.code):
        raise AttnhandError(f"{path} does not hold answers to the sheet {sheet.code}: give --out another file")
    return {name: [list(row) for row in rows] for name, rows in found.stages.items()}


def _save_answers(practice: Practice, path: Path, targets: Targets) -> None:
    sheet = practice.sheet
    data = {"format": ANSWERS_FORMAT, "code": sheet.code, "sheet": make_sheet_dict(sheet), "answers": practice.texts}
    write_files([(path, (format_json(data) + "\n").encode())], targets)
    targets.watch(path)
