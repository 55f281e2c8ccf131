"""The commands: each gathers its options into values, makes one sheet and delivers it."""

import dataclasses
from typing import Annotated, Any

import typer

from attnhand.cli.options import (
    CLASS_OPTIONS,
    FILE_OPTIONS,
    OF_DRAWN_SHEETS,
    PAGE_OPTIONS,
    REPORT_OPTIONS,
    SALT_OPTION,
    WHAT_OPTIONS,
    ProblemFile,
    Source,
    unshown,
    with_options,
)

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
    from attnhand.cli.output import show_marks, write_report
    from attnhand.marking.checked import checked
    from attnhand.marking.paper import handed_in
    from attnhand.sheet.order import gathered

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
    from attnhand.sheet.order import gathered

    what, page = gathered(chosen)
    wanted = Wanted(folder=folder, roster=roster, marks=marks, reports=reports, out=out, force=force, jobs=jobs)
    graded(wanted, what, page)


def make_class(
    roster: Annotated[
        str | None,
        typer.Argument(
            metavar="ROSTER",
            help="CSV with a header: name, and id, email, group if you like; or an earlier set's teacher/.",
        ),
    ] = None,
    **chosen: Any,
) -> None:
    """Make a distinct sheet for everyone, and the teacher's booklet.

    attnhand class roster.csv

    attnhand class --count 30 --spare 3 --duplex

    attnhand class attnhand-class/teacher   makes the same set again

    Writes the folder attnhand-class: hand-out/ is for the class, teacher/ for you. Who comes later is added by the
    same command with the longer roster: nobody else's sheet changes. Stopped half-way, the same command goes on.
    """
    if chosen["jobs"] != 1 and not chosen["scheduler"]:
        from attnhand.classroom import WORKER_MODULES
        from attnhand.system.processes import prepare_processes

        prepare_processes(WORKER_MODULES)
    from attnhand.cli.class_run import run

    run(roster, chosen)


CLASS_GROUPS = (CLASS_OPTIONS, WHAT_OPTIONS, PAGE_OPTIONS)


def generate(**chosen: Any) -> None:
    """Make a sheet and its answer key.

    attnhand generate

    attnhand generate --seed 7 --pdf

    attnhand generate --words "the cat saw" --convention rows --html

    Without a format the blank sheet appears here; --solved shows the key.
    """
    from attnhand.formats.sources import sheet_from_seed
    from attnhand.sheet.order import gathered

    what, page = gathered(chosen)
    _deliver(sheet_from_seed(what, page, what.seed), chosen, solved_by_default=False)


def solve(
    problem: ProblemFile,
    vet: Annotated[
        bool,
        typer.Option(
            "--vet",
            help="Say how good your numbers are for a class: ties, hidden slips, denominators. "
            "In place of the sheet; beside files on stderr.",
        ),
    ] = False,
    **chosen: Any,
) -> None:
    """Make a sheet and its key from your own matrices.

    attnhand solve my.json --pdf

    attnhand solve my.json --vet

    attnhand samples classic | attnhand solve -
    """
    from attnhand.formats.sources import sheet_from_file
    from attnhand.sheet.order import gathered

    what, page = gathered(chosen)
    _deliver(sheet_from_file(problem, what, page), chosen, solved_by_default=True, vet=vet)


def key(
    source: Source,
    given: Annotated[
        list[str] | None,
        typer.Option(
            "--given",
            metavar="CELL=VALUE",
            help='What a student wrote: "scaled[2,1]=0"; the key carries on from it. Repeatable.',
        ),
    ] = None,
    **chosen: Any,
) -> None:
    """Make the sheet and its key again, from the code on the paper.

    attnhand key A1Q0-0000-000W

    attnhand key 7 --pdf --solved

    attnhand key 7 --given "scaled[2,1]=0"
    """
    from attnhand.formats.sources import sheet_from_source
    from attnhand.sheet.order import gathered

    what, page = gathered(chosen)
    named = sheet_from_source(source, what, page)
    if given:
        from attnhand.marking.given_cells import with_given

        named = dataclasses.replace(named, sheet=with_given(named.sheet, given))
        chosen["solved"] = not chosen["blank"]
    _deliver(named, chosen, solved_by_default=True)


def explain(
    source: Source,
    cell: Annotated[
        str, typer.Argument(metavar="CELL", help="S[2,3], S.2.3 or S23: row, then column, from 1; or k2q3; or q2.")
    ],
    **chosen: Any,
) -> None:
    """Say how one cell comes about, by hand and exactly; or follow one query all the way.

    attnhand explain 7 S23

    attnhand explain 7 q2

    attnhand explain classic "A[1,1]"
    """
    from attnhand.formats.sources import sheet_from_source
    from attnhand.sheet.explain import explain as explained
    from attnhand.sheet.explain import explain_journey, find_query
    from attnhand.sheet.order import gathered
    from attnhand.system.streams import write_stdout

    what, page = gathered(chosen)
    sheet = sheet_from_source(source, what, page).sheet
    query = find_query(sheet, cell)
    told = explained(sheet, cell) if query is None else explain_journey(sheet, query)
    text = told.title + "\n"
    for heading, lines in (("explain.by_hand", told.by_hand), ("explain.exactly", told.exactly)):
        if lines:
            text += f"\n{sheet.say(heading)}:\n" + "".join(f"  {line}\n" for line in lines)
    write_stdout(text)


def practice(
    source: Source,
    out: Annotated[
        str | None,
        typer.Option(
            "-o", "--out", metavar="FILE", help="Where your answers are kept; attnhand-7-answers.json for seed 7."
        ),
    ] = None,
    **chosen: Any,
) -> None:
    """Work a sheet here in the terminal, row by row, with hints.

    attnhand practice 7

    attnhand practice classic

    Your answers are kept in a file; the same command goes on where you left.
    """
    from attnhand.cli.practice_shell import practise
    from attnhand.formats.sources import sheet_from_source
    from attnhand.sheet.order import gathered

    what, page = gathered(chosen)
    practise(sheet_from_source(source, what, page), out)


def samples(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which one; without it all are listed.")] = None,
) -> None:
    """List the worked problems that come with the program, or print one as a problem file.

    attnhand samples

    attnhand samples classic > my.json
    """
    from attnhand.formats.sources import sample_names, sample_text
    from attnhand.problems.problem_file import parse_problem
    from attnhand.system.streams import write_stdout

    if name is not None:
        write_stdout(sample_text(name))
        return
    titles = {known: parse_problem(sample_text(known), source=known).title for known in sample_names()}
    write_stdout("".join(f"{known:14}{title}\n" for known, title in titles.items()))


COMMANDS = {
    "generate": with_options(generate, WHAT_OPTIONS, PAGE_OPTIONS, FILE_OPTIONS),
    "solve": with_options(solve, unshown(WHAT_OPTIONS, OF_DRAWN_SHEETS), PAGE_OPTIONS, FILE_OPTIONS),
    "key": with_options(key, WHAT_OPTIONS, PAGE_OPTIONS, FILE_OPTIONS),
    "explain": with_options(explain, WHAT_OPTIONS),
    "class": with_options(make_class, *CLASS_GROUPS),
    "check": with_options(check, WHAT_OPTIONS, REPORT_OPTIONS),
    "grade": with_options(grade, SALT_OPTION),
    "practice": with_options(practice, WHAT_OPTIONS),
    "samples": samples,
}
"""Every command by its name, in the order of ``attnhand --help``."""


def _deliver(named: Any, chosen: dict[str, Any], *, solved_by_default: bool, vet: bool = False) -> None:
    from attnhand.cli.output import Files, deliver
    from attnhand.formats.registry import FORMATS

    files = Files(
        formats=tuple(name for name in FORMATS if chosen[name]),
        vet=vet,
        **{name: chosen[name] for name in ("blank", "solved", "out", "force")},
    )
    deliver(named, files, solved_by_default=solved_by_default)
