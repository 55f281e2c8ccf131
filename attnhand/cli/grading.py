"""``attnhand grade``: a folder of answers is marked, and what came of it written and printed."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from attnhand.classroom.gradebook import REVIEW_FILE
from attnhand.classroom.grading import MAIN_FILES, grade_folder
from attnhand.classroom.lms_grades import name_grades_file
from attnhand.classroom.papers import FEEDBACK_FOLDER
from attnhand.classroom.review_table import REVIEW_FILES
from attnhand.cli.look import measure_terminal
from attnhand.cli.progress import show_progress
from attnhand.errors import AttnhandError
from attnhand.sheet.order import parse_options
from attnhand.system.digests import make_digest_file
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


def _place_files(out: Path, contents: Iterable[tuple[str, bytes]], bare: str) -> Iterator[tuple[Path, bytes]]:
    """Yield files with their places; beside the one without a digest of its own, one that holds it."""
    for name, data in contents:
        yield out / name, data
        if name == bare:
            yield make_digest_file(out / name, data)
