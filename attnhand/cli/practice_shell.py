"""``attnhand practice``: questions and answers in the terminal, kept in a file after every entry."""

import textwrap
from pathlib import Path

from attnhand.cli.look import terminal_look
from attnhand.cli.output import write_all
from attnhand.errors import AnswerError, AttnhandError
from attnhand.formats.answers import answers_from_text
from attnhand.formats.json_sheet import sheet_dict
from attnhand.formats.sources import Named
from attnhand.marking.paper import read_file
from attnhand.marking.practice import Line, Practice
from attnhand.marking.terminal import render_stage
from attnhand.problems.base32 import plain
from attnhand.sheet.sheet import Sheet
from attnhand.system.json_toml import pretty_json
from attnhand.system.streams import read_line, write_stdout

ANSWERS_FORMAT = "attnhand-answers/1"


def practise(named: Named, out: str | None) -> None:
    """Ask row after row until the sheet is done, or whoever sits there leaves.

    Raises:
        AttnhandError: the file to keep the answers in is another's, or cannot be written.
    """
    sheet = named.sheet.blank
    if not sheet.cells_to_fill:
        raise AttnhandError("the sheet asks nothing to fill: practise with another, such as attnhand practice 7")
    path = Path(out or f"{named.file_stem}-answers.json")
    practice = Practice(sheet, _kept(path, sheet))
    _tell(sheet.say("practice.how"))
    if practice.filled:
        _tell(sheet.say("practice.resumed", filled=practice.filled, of=sheet.cells_to_fill))
    try:
        _ask(practice, path)
    finally:
        if practice.line is not None and practice.filled and path.exists():
            _tell("", sheet.say("practice.left", filled=practice.filled, of=sheet.cells_to_fill, file=path))
    if practice.line is None:
        _tell(practice.checked.feedback.score)
        _tell(sheet.say("practice.done", file=path))


def _ask(practice: Practice, path: Path) -> None:
    shown = ""
    while (line := practice.line) is not None:
        if line.stage.name != shown:
            width, colour = terminal_look()
            write_stdout(render_stage(practice.checked, line.stage, width=width, colour=colour))
            shown = line.stage.name
        write_stdout(_prompt(practice, line))
        typed = read_line()
        if typed is None or typed.strip().lower() in ("q", "quit"):
            return
        match typed.strip().lower():
            case "":
                practice.leave()
            case "?" | "hint":
                _tell(*practice.hint())
            case "back":
                if not practice.back():
                    _tell(practice.sheet.say("practice.first"))
            case _:
                _tell(*practice.enter(typed.strip()))
                if practice.filled:
                    _keep(practice, path)


def _prompt(practice: Practice, line: Line) -> str:
    cells = practice.open_cells()
    places = ", ".join(cell.address for cell in cells) if len(cells) < len(line.columns) else ""
    whole = f"{line.stage.name}[{line.row + 1},…]"
    return f"{places or whole}: "


def _tell(*lines: str) -> None:
    """Write lines, each broken between words where the terminal is narrower; the name of a file stays whole."""
    width = terminal_look()[0]
    broken = (textwrap.wrap(line, width, break_long_words=False, break_on_hyphens=False) or [""] for line in lines)
    write_stdout("".join(f"{part}\n" for parts in broken for part in parts))


def _kept(path: Path, sheet: Sheet) -> dict[str, list[list[str]]]:
    """Return the answers of an earlier sitting, none where there was none."""
    if not path.exists():
        return {}
    try:
        found = answers_from_text(read_file(str(path)))
    except AnswerError as error:
        raise AnswerError(f"{path} {error}; or keep your answers elsewhere with --out") from error
    if found.code is None or plain(found.code) != plain(sheet.code):
        raise AttnhandError(f"{path} does not hold answers to the sheet {sheet.code}: give --out another file")
    return {name: [list(row) for row in rows] for name, rows in found.stages.items()}


def _keep(practice: Practice, path: Path) -> None:
    sheet = practice.sheet
    data = {"format": ANSWERS_FORMAT, "code": sheet.code, "sheet": sheet_dict(sheet), "answers": practice.texts}
    write_all([(path, (pretty_json(data) + "\n").encode())])
