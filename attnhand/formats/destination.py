"""Where a sheet goes: to the terminal, to standard output, or to files, and in which formats."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from attnhand.errors import AttnhandError, list_choices, name_option
from attnhand.formats.registry import FORMATS, Format
from attnhand.formats.sources import NamedSheet
from attnhand.sheet.sheet import Sheet
from attnhand.system.files import is_folder

FORMATS_BY_SUFFIX: Mapping[str, Format] = {file_format.suffix: file_format for file_format in FORMATS.values()}

STDOUT = "-"
"""What stands for standard output where a file could be named."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FileOptions:
    """The options about formats and files."""

    formats: tuple[str, ...] = ()
    blank: bool = False
    solved: bool = False
    out: str | None = None
    vet: bool = False
    """Whether to say how good the numbers are: in place of the sheet in the terminal, beside files on stderr."""


@dataclass(frozen=True, slots=True)
class PlannedFile:
    """One file of a sheet, not yet written."""

    path: Path | None
    """None for standard output."""

    file_format: Format
    sheet: Sheet
    """As the file shows it: blank, or the key."""

    def render(self) -> bytes:
        """Return the file's content."""
        return self.file_format.render_file(self.sheet)


def plan_files(named_sheet: NamedSheet, options: FileOptions) -> tuple[PlannedFile, ...]:
    """Return every file that the options ask for; none where the sheet goes to the terminal.

    Raises:
        AttnhandError: the options contradict one another, or say no format.
    """
    formats, sheet = _choose_formats(options), named_sheet.sheet
    _refuse_contradictions(formats, sheet, options)
    if options.out == STDOUT and formats:
        if len(formats) > 1:
            remedy = f"leave out all but one, or give {name_option('out')} a folder"
            raise AttnhandError(f"stdout takes one format at a time: {remedy}")
        return (PlannedFile(None, formats[0], sheet.key if options.solved else sheet.blank),)
    which = [False, True] if options.blank == options.solved else [options.solved]
    given = None if options.out is None or is_folder(options.out) else Path(options.out)
    suffix = _find_suffix(given.name, formats) if given else ""
    folder, name = (
        (given.parent, given.name.removesuffix(suffix)) if given else (Path(options.out or ""), named_sheet.file_stem)
    )
    key_ending = "-key" if given is None or len(which) > 1 else ""  # whoever names one file names it whole
    return tuple(
        PlannedFile(
            folder / f"{name}{key_ending if solved else ''}{suffix or file_format.suffix}",
            file_format,
            sheet.key if solved else sheet.blank,
        )
        for file_format in formats
        for solved in which
        if not (solved and file_format.practice_note)
    )


def _find_suffix(name: str, formats: list[Format]) -> str:
    """Return how a file's name ends: as a format's files do, or as .xml where one such format alone is written.

    >>> _find_suffix("sheet.PDF", []), _find_suffix("week.3", []), _find_suffix("quiz.xml", [FORMATS["moodle"]])
    ('.PDF', '', '.xml')
    """
    short = [Path(f"name{formats[0].suffix}").suffix] if len(formats) == 1 else []
    known = [each for each in (*FORMATS_BY_SUFFIX, *short) if name.lower().endswith(each) and len(name) > len(each)]
    return name[-max(map(len, known)) :] if known else ""


def _choose_formats(options: FileOptions) -> list[Format]:
    """Return the formats that are asked for, or that the end of the file's name says."""
    chosen = [FORMATS[name] for name in options.formats]
    if options.out is None or options.out == STDOUT:
        return chosen
    suffix, out = _find_suffix(Path(options.out).name, []).lower(), name_option("out", options.out)
    if is_folder(options.out) or not suffix:
        if not chosen:
            ends = ", ".join(FORMATS_BY_SUFFIX)
            raise AttnhandError(
                f"{out} does not say which format to write: end it in {ends}, or add {name_option('pdf')}"
            )
        return chosen
    implied = FORMATS_BY_SUFFIX[suffix]
    if len(chosen) == 1 and suffix == Path(chosen[0].suffix).suffix:  # the short end of its own: quiz.zip
        return chosen
    if chosen and chosen != [implied]:
        raise AttnhandError(f"{out} is one {suffix} file: give a folder for other formats")
    return [implied]


def _refuse_contradictions(formats: list[Format], sheet: Sheet, options: FileOptions) -> None:
    """Refuse options that have no effect on these formats, or that exclude one another.

    Raises:
        AttnhandError: there are some.
    """
    blank, solved = name_option("blank"), name_option("solved")
    if options.blank and options.solved:
        raise AttnhandError(f"{blank} and {solved} contradict each other: leave out both for the sheet and its key")
    if options.solved and (practice := [each for each in formats if each.practice_note]):
        remedy = f"leave out {solved}, or take {name_option('html')}"
        raise AttnhandError(
            f"{name_option(practice[0].name)} checks the work itself and has no key beside it: {remedy}"
        )
    if sheet.options.self_check and (options.solved or not any(each.may_check_itself for each in formats)):
        remedy = f"add {name_option('html')} or {name_option('xlsx')}, and leave out {solved}"
        raise AttnhandError(f"{name_option('self_check')} is for a blank sheet on a screen: {remedy}")
    if sheet.options.fillable and FORMATS["pdf"] not in formats:
        fault = f"{name_option('fillable')} makes the PDF a form, but no PDF is written"
        raise AttnhandError(f"{fault}: add {name_option('pdf')}, or leave it out")
    if sheet.options.stage is not None and not (formats and all(each.shows_stage for each in formats)):
        names = list_choices([name_option(each.name) for each in FORMATS.values() if each.shows_stage])
        remedy = f"add {names}, and leave out other formats"
        raise AttnhandError(f"{name_option('stage')} is for one stage alone: {remedy}")
    if sheet.options.slides and FORMATS["markdown"] not in formats:
        fault = f"{name_option('slides')} makes slides of Markdown, but none is written"
        raise AttnhandError(f"{fault}: add {name_option('markdown')}, or leave it out")
    if options.vet and not formats and (options.blank or options.solved):
        remedy = f"leave out {blank} and {solved}"
        raise AttnhandError(f"{name_option('vet')} shows its report in place of the sheet: {remedy}")
