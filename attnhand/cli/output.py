"""Where sheets go: files that are whole or not there at all, stdout, the terminal."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from attnhand.cli.look import measure_terminal
from attnhand.errors import AttnhandError
from attnhand.formats.registry import FORMATS, Format
from attnhand.formats.sources import NamedSheet
from attnhand.marking.checked import CheckResult
from attnhand.sheet.sheet import Sheet
from attnhand.system.files import check_replaceable, is_folder, write_files
from attnhand.system.json_toml import format_json
from attnhand.system.streams import write_stdout

FORMATS_BY_SUFFIX = {file_format.suffix: file_format for file_format in FORMATS.values()}


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """The options about formats and files."""

    formats: tuple[str, ...] = ()
    blank: bool = False
    solved: bool = False
    out: str | None = None
    force: bool = False
    vet: bool = False
    """Whether to say how good the numbers are: in place of the sheet in the terminal, beside files on stderr."""


def deliver_sheet(named_sheet: NamedSheet, options: FileOptions, *, solved_by_default: bool) -> None:
    """Write the sheet where it was asked for, and say which files were written.

    Raises:
        AttnhandError: the options contradict one another, or a file may not or cannot be written.
    """
    formats, sheet = _choose_formats(options), named_sheet.sheet
    if sheet.options.self_check and (options.solved or FORMATS["html"] not in formats):
        raise AttnhandError("--self-check is for a blank web sheet: add --html, and leave out --solved")
    if sheet.options.fillable and FORMATS["pdf"] not in formats:
        raise AttnhandError("--fillable makes the PDF a form, but no PDF is written: add --pdf, or leave it out")
    stage = sheet.options.stage
    if stage is not None and not (formats and all(file_format.is_picture for file_format in formats)):
        raise AttnhandError("--stage is for pictures of one stage: add --svg or --png, and leave out other formats")
    if not formats and options.vet:
        if options.blank or options.solved:
            raise AttnhandError("--vet shows its report in place of the sheet: leave out --blank and --solved")
        write_stdout(_render_vet_report(sheet))
        return
    if not formats:
        from attnhand.formats.terminal import render_terminal

        solved = options.solved or (solved_by_default and not options.blank)
        width, colour = measure_terminal()
        write_stdout(render_terminal(sheet.key if solved else sheet.blank, width=width, colour=colour))
    elif options.out == "-":
        if len(formats) > 1:
            raise AttnhandError("stdout takes one format at a time: leave out all but one, or give --out a folder")
        write_stdout(formats[0].render_file(sheet.key if options.solved else sheet.blank))
    else:
        suffix = f"-{sheet.name_stage(stage).replace('.', '-')}" if stage else ""
        paths = _plan_files(named_sheet.file_stem + suffix, formats, options)
        for path, _, _ in paths:
            check_replaceable(path, force=options.force)
        contents = [
            (path, file_format.render_file(sheet.key if solved else sheet.blank)) for path, file_format, solved in paths
        ]
        write_files(contents)
        write_stdout("".join(f"{path}\n" for path, _ in contents))
    if formats and options.vet and sys.stderr is not None:
        sys.stderr.write(_render_vet_report(sheet))


def _render_vet_report(sheet: Sheet) -> str:
    from attnhand.formats.terminal import render_vet
    from attnhand.sheet.vet import vet

    width, colour = measure_terminal()
    return render_vet(vet(sheet), width=width, colour=colour)


def print_marks(checked: CheckResult, *, as_json: bool) -> None:
    """Print a student's marks: as JSON, or for people."""
    if as_json:
        write_stdout(format_json(checked.to_dict()) + "\n")
        return
    from attnhand.marking.terminal import render_marks

    width, colour = measure_terminal()
    write_stdout(render_marks(checked, width=width, colour=colour))


def write_report(checked: CheckResult, out: str, *, force: bool) -> None:
    """Write a student's own sheet with marks, as a web page or a PDF.

    Raises:
        AttnhandError: the name says neither, or the file may not or cannot be written.
    """
    from attnhand.marking.report import REPORT_WRITERS

    path = Path(out)
    render_report = REPORT_WRITERS.get(path.suffix.lower())
    if render_report is None or is_folder(out):
        raise AttnhandError(f"--report {out} is neither a web page nor a PDF: end it in {' or '.join(REPORT_WRITERS)}")
    check_replaceable(path, force=force)
    write_files([(path, render_report(checked))])


def _choose_formats(options: FileOptions) -> list[Format]:
    if options.blank and options.solved:
        raise AttnhandError("--blank and --solved contradict each other: leave out both for the sheet and its key")
    chosen = [FORMATS[name] for name in options.formats]
    if options.out is None or options.out == "-":
        return chosen
    suffix = Path(options.out).suffix.lower()
    if is_folder(options.out) or suffix not in FORMATS_BY_SUFFIX:
        if not chosen:
            ends = ", ".join(FORMATS_BY_SUFFIX)
            raise AttnhandError(
                f"--out {options.out} does not say which format to write: end it in {ends}, or add --pdf"
            )
        return chosen
    implied = FORMATS_BY_SUFFIX[suffix]
    if chosen and chosen != [implied]:
        raise AttnhandError(f"--out {options.out} is one {suffix} file: give a folder for other formats")
    return [implied]


def _plan_files(stem: str, formats: Sequence[Format], options: FileOptions) -> list[tuple[Path, Format, bool]]:
    """Return every file to write, with its format and whether it is the key."""
    which = [False, True] if options.blank == options.solved else [options.solved]
    given = None if options.out is None or is_folder(options.out) else Path(options.out)
    suffix = given.suffix if given and given.suffix.lower() in FORMATS_BY_SUFFIX else ""
    folder, name = (given.parent, given.name.removesuffix(suffix)) if given else (Path(options.out or ""), stem)
    key = "-key" if given is None or len(which) > 1 else ""
    return [
        (folder / f"{name}{key if solved else ''}{suffix or file_format.suffix}", file_format, solved)
        for file_format in formats
        for solved in which
    ]
