"""``attnhand grade``: a folder of answers is marked, and what came of it written and printed."""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attnhand.classroom.gradebook import REVIEW_FILE
from attnhand.classroom.grading import MAIN_FILES, grade_folder
from attnhand.classroom.lms_grades import name_grades_file
from attnhand.classroom.papers import FEEDBACK_FOLDER
from attnhand.classroom.review_table import REVIEW_FILES
from attnhand.classroom.term_folder import TermFolder
from attnhand.classroom.term_grading import TERM_BOOK_FILE, format_term_csv, grade_term, name_week
from attnhand.cli.look import measure_terminal
from attnhand.cli.progress import show_progress
from attnhand.errors import AttnhandError, name_option
from attnhand.sheet.order import parse_options
from attnhand.system.digests import add_digest, make_digest_file
from attnhand.system.files import Targets, write_files_below
from attnhand.system.streams import report_on_stdout


def grade_and_write(folders: Sequence[str], option_values: Mapping[str, Any]) -> None:
    """Mark a folder, write what came of it, and print the summary.

    Args:
        folders: that of the class, where there is one, then that of the answers.

    Raises:
        AttnhandError: there is nothing to mark, index or marks are none, or a file may not or cannot be written.
    """
    out, force, reports = Path(option_values["out"] or ""), option_values["force"], option_values["reports"]
    processes, grades = option_values["jobs"], option_values["grades"]
    *classes, folder = folders
    if len(classes) > 1:
        raise AttnhandError(f"{folder!r} is left over: give the folder of the class, then one with all that came back")
    if classes and TermFolder(Path(classes[0])).has_term:
        _grade_term_and_write(TermFolder(Path(classes[0])), folder, option_values)
        return
    reviews = [out / name for name in REVIEW_FILES]
    targets = Targets([out / name for name in MAIN_FILES if name not in REVIEW_FILES], force=force)  # before the work
    for path in reviews:  # what somebody wrote there is read, and written anew
        targets.watch(path)
    given = {name: option_values[name] for name in ("roster", "marks", "against", "language")}
    graded = grade_folder(
        folder,
        *parse_options(option_values),
        class_folder=next(iter(classes), None),
        **given,
        reviews=reviews,
        processes=processes,
        show_progress=show_progress,
    )
    names = graded.list_file_names(reports=reports, grades=grades)
    left_out = [str(seat) for seat in graded.make_grades(grades).left_out] if grades else []
    targets.add((out / name for name in names[len(MAIN_FILES) :]), force=force)
    contents = graded.render_files(reports=reports, grades=grades, processes=processes, show_progress=show_progress)
    bare = name_grades_file(grades) if grades else ""
    write_files_below(out, _place_files(out, contents, bare), targets)

    from attnhand.classroom.summary_views import render_summary

    width, colour = measure_terminal()
    report_on_stdout(render_summary(graded.summary, width=width, colour=colour))
    lines = [str(out / name) for name in names if not name.startswith(FEEDBACK_FOLDER)]
    lines += [f"{out / FEEDBACK_FOLDER}/ ({len(names) - len(lines)} files)"] if reports else []
    if left_out:
        lines.append(graded.language.format("grade.left_out", file=name_grades_file(grades), students=left_out))
    if waiting := sum(not line.decision for line in graded.review):
        lines.append(graded.language.format("grade.review", count=waiting, file=out / REVIEW_FILE))
    report_on_stdout("\n" + "".join(f"{line}\n" for line in lines))


def _grade_term_and_write(term: TermFolder, answers: str, option_values: Mapping[str, Any]) -> None:
    """Mark what came back in a term, write every week's files into a folder of its own, and the gradebook of all."""
    out, force = Path(option_values["out"] or ""), option_values["force"]
    reports, grades, processes = option_values["reports"], option_values["grades"], option_values["jobs"]
    for name in ("roster", "marks", "against"):
        if option_values[name]:
            option = name_option(name, option_values[name])
            raise AttnhandError(f"{option} is for one class, and {term.root} is a term, which knows it: leave it out")
    weeks = term.list_weeks()
    targets = Targets(force=force)
    targets.add([out / TERM_BOOK_FILE], force=force)
    for week in weeks:
        targets.add((out / name_week(week) / name for name in MAIN_FILES if name not in REVIEW_FILES), force=force)
        for name in REVIEW_FILES:  # what somebody wrote there is read, and written anew
            targets.watch(out / name_week(week) / name)
    graded = grade_term(
        term,
        answers,
        *parse_options(option_values),
        out=out,
        language=option_values["language"],
        processes=processes,
        show_progress=show_progress,
    )
    bare = name_grades_file(grades) if grades else ""

    def list_contents() -> Iterator[tuple[Path, bytes]]:
        for week, each in graded.weeks.items():
            contents = each.render_files(reports=reports, grades=grades, processes=processes)
            yield from _place_files(out / name_week(week), contents, bare)
        yield out / TERM_BOOK_FILE, add_digest(format_term_csv(graded).encode("utf-8-sig"), "csv")

    for week, each in graded.weeks.items():
        names = each.list_file_names(reports=reports, grades=grades)
        targets.add((out / name_week(week) / name for name in names[len(MAIN_FILES) :]), force=force)
    write_files_below(out, list_contents(), targets)
    lines = [*graded.describe(), "", str(out / TERM_BOOK_FILE)]
    lines += [f"{out / name_week(week)}{os.sep}" for week in graded.weeks]
    for week, each in graded.weeks.items():
        if waiting := sum(not line.decision for line in each.review):
            file = out / name_week(week) / REVIEW_FILE
            lines.append(graded.language.format("grade.review", count=waiting, file=file))
    report_on_stdout("".join(f"{line}\n" for line in lines))


def _place_files(out: Path, contents: Iterable[tuple[str, bytes]], bare: str) -> Iterator[tuple[Path, bytes]]:
    """Yield files with their places; beside the one without a digest of its own, one that holds it."""
    for name, data in contents:
        yield out / name, data
        if name == bare:
            yield make_digest_file(out / name, data)
