"""The commands that mark: one student's answers, or a folder of them."""

from typing import Annotated, Any

import typer

NOT_ALL_CORRECT = 1
"""The exit code of ``check`` where a cell is not correct."""


def check(
    answers: Annotated[str, typer.Argument(metavar="ANSWERS", help="JSON, CSV or a filled PDF form; - to paste.")],
    against: Annotated[
        str | None,
        typer.Option(
            "--against", metavar="SOURCE", help="The sheet, if the file does not say: seed, code, file, sample."
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print the marks as JSON, cell by cell.")] = False,
    report: Annotated[
        str | None,
        typer.Option("--report", metavar="FILE", help="Write the student's own sheet with marks: an .html or .pdf."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a report that somebody changed.")] = False,
    **chosen: Any,
) -> None:
    """Mark one student's answers, forgivingly and precisely.

    attnhand check sara.json

    attnhand check sara.csv --against 7 --report sara.pdf

    Exit codes: 0 every cell is correct; 1 not every cell is; 2 a mistake of yours.
    """
    from attnhand.cli.answer_file import handed_in
    from attnhand.cli.output import show_marks, write_report
    from attnhand.cli.wishes import gathered
    from attnhand.marking.checked import checked

    what, page = gathered(chosen)
    found = handed_in(answers, against, what, page)
    marks = checked(found.answers, found.sheet)
    if report is not None:
        write_report(marks, report, force=force)
    show_marks(marks, as_json=as_json)
    if not marks.all_correct:
        raise typer.Exit(NOT_ALL_CORRECT)


def grade(
    folder: Annotated[
        str, typer.Argument(metavar="FOLDER", help="What was handed in: JSON, CSV, PDF forms, also in folders below.")
    ],
    roster: Annotated[
        str | None, typer.Option("--roster", help="Who has which sheet: teacher/index.csv.", metavar="INDEX")
    ] = None,
    marks: Annotated[
        str | None,
        typer.Option("--marks", metavar="FILE", help="What was marked on paper: teacher/marks.csv, filled."),
    ] = None,
    reports: Annotated[
        bool, typer.Option("--reports", help="Write a feedback page for everyone, into feedback/.")
    ] = False,
    out: Annotated[
        str | None, typer.Option("-o", "--out", metavar="FOLDER", help="Folder to write to; here if not said.")
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace files even if somebody changed them.")] = False,
    jobs: Annotated[
        int | None, typer.Option("--jobs", metavar="N", help="Processes; one a processor if not said.")
    ] = None,
    **chosen: Any,
) -> None:
    """Mark everything in a folder: the gradebook, and what to teach again.

    attnhand grade answers/

    attnhand grade answers/ --roster teacher/index.csv --marks teacher/marks.csv --reports

    Writes gradebook.csv and summary.html. What cannot be marked or matched is listed, never counted.
    """
    from attnhand.cli.grading import Wanted
    from attnhand.cli.grading import grade as graded
    from attnhand.cli.wishes import gathered

    what, page = gathered(chosen)
    wanted = Wanted(folder=folder, roster=roster, marks=marks, reports=reports, out=out, force=force, jobs=jobs)
    graded(wanted, what, page)
