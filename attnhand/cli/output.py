"""What the commands print and write: sheets, marks and reports."""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from attnhand.cli.look import measure_terminal
from attnhand.formats.destination import FileOptions, plan_files
from attnhand.formats.sources import NamedSheet
from attnhand.sheet.sheet import Sheet
from attnhand.system.files import Targets, write_files
from attnhand.system.json_toml import format_json
from attnhand.system.streams import report_on_stdout, write_note, write_stdout
from attnhand.text import Message

if TYPE_CHECKING:
    from attnhand.classroom.class_request import ClassRequest
    from attnhand.classroom.make_class import WrittenClass  # other commands need not load it
    from attnhand.classroom.term import WrittenTerm

if TYPE_CHECKING:  # sheets are written without what marks them
    from attnhand.marking.checked import CheckResult


def deliver_sheet(named_sheet: NamedSheet, options: FileOptions, *, solved_by_default: bool, force: bool) -> None:
    """Write the sheet where it was asked for, and print which files were written.

    Raises:
        AttnhandError: the options contradict one another, or a file may not or cannot be written.
    """
    sheet, files = named_sheet.sheet, plan_files(named_sheet, options)
    if not files and options.vet:
        write_stdout(_render_vet_report(sheet))
        return
    if not files:
        from attnhand.formats.terminal import render_terminal

        solved = options.solved or (solved_by_default and not options.blank)
        width, colour = measure_terminal()
        write_stdout(render_terminal(sheet.key if solved else sheet.blank, width=width, colour=colour))
        return
    paths = [file.path for file in files if file.path is not None]
    if not paths:
        write_stdout(files[0].render())
    else:
        targets = Targets(paths, force=force)
        write_files([(path, file.render()) for path, file in zip(paths, files, strict=True)], targets)
        report_on_stdout("".join(f"{path}\n" for path in paths))
    notes = ["self-check.note"] if sheet.options.self_check else []
    notes += filter(None, (file.file_format.practice_note for file in files))
    for note in notes:
        write_note(f"attnhand: {Message(note)}\n")
    if options.vet:
        write_note(_render_vet_report(sheet))


def _render_vet_report(sheet: Sheet) -> str:
    from attnhand.formats.terminal import render_vet
    from attnhand.sheet.vet import vet

    width, colour = measure_terminal()
    return render_vet(sheet, vet(sheet), width=width, colour=colour)


def print_marks(checked: "CheckResult", *, as_json: bool, has_report: bool) -> None:
    """Print a student's marks: as JSON, or for people.

    Args:
        has_report: whether they stand in a file already.
    """
    write = report_on_stdout if has_report else write_stdout
    if as_json:
        write(format_json(checked.to_dict()) + "\n")
        return
    from attnhand.marking.terminal import render_marks

    width, colour = measure_terminal()
    write(render_marks(checked, width=width, colour=colour))


def write_report(checked: "CheckResult", out: str, *, force: bool) -> None:
    """Write a student's own sheet with marks, as a web page or a PDF.

    Raises:
        AttnhandError: the name says neither, or the file may not or cannot be written.
    """
    from attnhand.marking.report import choose_report_writer

    render_report = choose_report_writer(out)
    targets = Targets([Path(out)], force=force)
    write_files([(Path(out), render_report(checked))], targets)


def print_understanding(class_request: "ClassRequest") -> None:
    """Say how a roster was understood, where nobody takes it for a file's name."""
    messages = (class_request.understanding, class_request.likeness, *class_request.changes.describe_withdrawals())
    for message in filter(None, messages):
        write_note(f"{message}\n")


def print_dry_run(class_request: "ClassRequest") -> None:
    """Print how a roster was understood, and what it would change."""
    messages = (class_request.understanding, class_request.likeness, *class_request.changes.describe())
    lines = [str(each) for each in messages if each]
    write_stdout("".join(f"{line}\n" for line in lines))


def print_class(written: "WrittenClass") -> None:
    """Print where the files of a class are, and what is to be warned of."""
    for warning in written.warnings:
        write_note(f"attnhand: {''.join(c if c.isprintable() else ' ' for c in warning)}\n")
    lines = [str(path) for path in written.files]
    if written.own_file_count:
        folder = f"{written.hand_out_folder}{os.sep}"
        lines.append(str(Message("class.own_files", folder=folder, files=written.own_file_count)))
    lines += written.part_lengths
    report_on_stdout("".join(f"{line}\n" for line in lines))


def print_term(written: "WrittenTerm") -> None:
    """Print where the weeks of a term are, and what is to be warned of."""
    for warning in written.warnings:
        write_note(f"attnhand: {''.join(c if c.isprintable() else ' ' for c in warning)}\n")
    lines = [f"{folder}{os.sep}  {title}" for folder, title in zip(written.folders, written.titles, strict=True)]
    files = map(str, filter(None, (written.term_file, written.map_file)))
    report_on_stdout("".join(f"{line}\n" for line in [*files, *lines]))
