"""The commands: each gathers its options into values, makes one sheet and delivers it."""

import dataclasses
import os
from collections.abc import Callable, Mapping
from typing import Annotated, Any, Unpack

import typer

from attnhand.cli.options import ProblemFileArgument, SourceArgument
from attnhand.sheet.option_table import (
    CheckOptions,
    ClassOptions,
    ExplainOptions,
    GenerateOptions,
    GradeOptions,
    KeyOptions,
    PracticeOptions,
    SolveOptions,
    TermOptions,
)

EXIT_NOT_ALL_CORRECT = 1
"""The exit code of ``check`` where a cell, or an answer to a question, is not correct."""


def check(
    answers: Annotated[
        str, typer.Argument(metavar="ANSWERS", help="JSON, CSV, .xlsx, .ods or a filled PDF form; - to paste.")
    ],
    **option_values: Unpack[CheckOptions],
) -> None:
    """Mark one student's answers, forgivingly and precisely.

    attnhand check sara.json

    attnhand check sara.csv --against 7 --report sara.pdf

    attnhand check sara.json --accept "S[2,3]"

    Exit codes: 0 every cell is correct, and every answer to a question; 1 not everything is; 2 a mistake of yours.
    """
    from attnhand.cli.output import print_marks, write_report
    from attnhand.marking.checked import accept
    from attnhand.marking.submission import check_file
    from attnhand.sheet.order import parse_options

    order, page = parse_options(option_values)
    against, class_folder = option_values["against"], option_values["class_"]
    if class_folder is not None:
        from attnhand.classroom.grading import check_paper

        marks = check_paper(answers, os.fspath(class_folder), against, order, page, option_values.get("language"))
    else:
        marks = check_file(answers, against, order, page)
    marks = accept(marks, option_values["accept"] or ())
    if option_values["report"] is not None:
        write_report(marks, option_values["report"], force=option_values["force"])
    print_marks(marks, as_json=option_values["json"], has_report=option_values["report"] is not None)
    if not marks.is_all_correct:
        raise typer.Exit(EXIT_NOT_ALL_CORRECT)


def grade(
    folders: Annotated[
        list[str],
        typer.Argument(
            metavar="[CLASS] ANSWERS",
            help="The folder of the class, if it is one, which knows names, salt and words. "
            "Then what was handed in, a folder or Moodle's zip of it: JSON, CSV, .xlsx, .ods, PDF forms.",
        ),
    ],
    **option_values: Unpack[GradeOptions],
) -> None:
    """Mark everything in a folder or zip: the gradebook, and what to teach again.

    attnhand grade answers/

    attnhand grade attnhand-class answers/ --reports

    Writes gradebook.csv, summary.html and review.csv: what is doubtful, for you to decide in its last column. The next
    grade reads it. What cannot be marked or matched is listed, never counted.
    """
    from attnhand.classroom import MARKING_MODULES
    from attnhand.system.processes import prepare_processes

    prepare_processes(MARKING_MODULES)
    from attnhand.cli.grading import grade_and_write

    grade_and_write(folders, option_values)


def make_class(
    roster: Annotated[
        str | None,
        typer.Argument(
            metavar="ROSTER",
            help="CSV, .xlsx or .ods with a header: name, or first and last name; id, email, group if you like; "
            "or an earlier set's teacher/.",
        ),
    ] = None,
    **option_values: Unpack[ClassOptions],
) -> None:
    """Make a distinct sheet for everyone, and the teacher's booklet.

    attnhand class roster.csv

    attnhand class --count 30 --spare 3 --duplex

    attnhand class attnhand-class/teacher   makes the same set again

    Writes the folder attnhand-class: hand-out/ is for the class, teacher/ for you. Who comes later is added by the
    same command with the longer roster: nobody else's sheet changes. Stopped half-way, it leaves no half-written file,
    and the same command begins again.
    """
    if option_values["jobs"] != 1 and not (option_values["scheduler"] or option_values["dry_run"]):
        from attnhand.classroom import WORKER_MODULES
        from attnhand.system.processes import prepare_processes

        prepare_processes(WORKER_MODULES)
    from attnhand.classroom.class_request import make_class_request
    from attnhand.classroom.make_class import make_class as make_class_set
    from attnhand.cli.output import print_class, print_dry_run, print_understanding
    from attnhand.cli.progress import show_progress

    class_request = make_class_request(roster or None, option_values)
    if option_values["dry_run"]:
        print_dry_run(class_request)
        return
    written = make_class_set(class_request, show_progress)
    print_understanding(class_request)
    print_class(written)


def make_term(
    roster: Annotated[
        str | None, typer.Argument(metavar="ROSTER", help="As for class; without one who is in the term that is there.")
    ] = None,
    **option_values: Unpack[TermOptions],
) -> None:
    """Make the sheets of a whole term, week by week, and a page a week for the teacher.

    attnhand term roster.csv --plan transformer

    attnhand term --count 30 --plan my.toml --out spring

    attnhand term longer.csv --from-week 3

    Writes the folder attnhand-term, with a class a week in it, and the map of a whole model on one page; everybody
    keeps their № and, where the plan says carry = true, their numbers. attnhand grade attnhand-term answers/ marks all
    that came back so far.
    """
    if option_values["jobs"] != 1 and not option_values["dry_run"]:
        from attnhand.classroom import WORKER_MODULES
        from attnhand.system.processes import prepare_processes

        prepare_processes(WORKER_MODULES)
    from attnhand.classroom.term import make_term as make_whole_term
    from attnhand.classroom.term import make_term_request, preview_term
    from attnhand.cli.output import print_dry_run, print_term, print_understanding
    from attnhand.cli.progress import show_progress

    request = make_term_request(roster or None, option_values)
    if option_values["dry_run"]:
        print_dry_run(preview_term(request))
        return
    written = make_whole_term(request, show_progress)
    print_understanding(written.first)
    print_term(written)


def generate(**option_values: Unpack[GenerateOptions]) -> None:
    """Make a sheet and its answer key.

    attnhand generate

    attnhand generate --seed 7 --pdf

    attnhand generate --words "the cat saw" --convention rows --html

    Without a format the blank sheet appears here; --solved shows the key.
    """
    from attnhand.formats.sources import make_sheet_from_seed
    from attnhand.sheet.order import parse_options

    order, page = parse_options(option_values)
    _deliver_sheet(make_sheet_from_seed(order, page, order.seed), option_values, solved_by_default=False)


def solve(problem: ProblemFileArgument, **option_values: Unpack[SolveOptions]) -> None:
    """Make a sheet and its key from your own matrices.

    attnhand solve my.json --pdf

    attnhand solve my.json --vet

    attnhand samples classic | attnhand solve -
    """
    from attnhand.formats.sources import make_sheet_from_file
    from attnhand.sheet.order import parse_options

    _deliver_sheet(make_sheet_from_file(problem, *parse_options(option_values)), option_values, solved_by_default=True)


def make_key(source: SourceArgument, **option_values: Unpack[KeyOptions]) -> None:
    """Make the sheet and its key again, from the code on the paper.

    attnhand key A1Q0-0000-000W

    attnhand key 47 --class attnhand-class --pdf --solved

    attnhand key 7 --given "scaled[2,1]=0"
    """
    named = _make_sheet(source, option_values)
    if option_values["given"]:
        from attnhand.marking.given_cells import carry_from_given_cells

        named = dataclasses.replace(named, sheet=carry_from_given_cells(named.sheet, option_values["given"]))
        option_values["solved"] = not option_values["blank"]
    _deliver_sheet(named, option_values, solved_by_default=True)


def explain(
    source: SourceArgument,
    cell: Annotated[
        str, typer.Argument(metavar="CELL", help="S[2,3], S.2.3 or S23: row, then column, from 1; or k2q3; or q2.")
    ],
    **option_values: Unpack[ExplainOptions],
) -> None:
    """Say how one cell comes about, by hand and exactly; or follow one query all the way.

    attnhand explain 7 S23

    attnhand explain 7 q2

    attnhand explain classic "A[1,1]"
    """
    from attnhand.cli.look import print_wrapped
    from attnhand.sheet.explain import format_explanation

    print_wrapped(*format_explanation(_make_sheet(source, option_values).sheet, cell).splitlines())


def practice(source: SourceArgument, **option_values: Unpack[PracticeOptions]) -> None:
    """Work a sheet here in the terminal, row by row, with hints.

    attnhand practice 7

    attnhand practice classic

    Your answers are kept in a file; the same command goes on where you left.
    """
    from attnhand.cli.practice_shell import run_practice

    run_practice(_make_sheet(source, option_values), option_values["out"])


def show_samples(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which one; without it all are listed.")] = None,
) -> None:
    """List the worked problems that come with the program, or print one as a problem file.

    attnhand samples

    attnhand samples classic > my.json
    """
    from attnhand.formats.sources import list_sample_names, read_sample
    from attnhand.problems.problem_file import parse_problem
    from attnhand.system.streams import write_stdout

    if name is not None:
        write_stdout(read_sample(name))
        return
    titles = {known: parse_problem(read_sample(known), source=known).title for known in list_sample_names()}
    write_stdout("".join(f"{known:14}{title}\n" for known, title in titles.items()))


COMMANDS: dict[str, Callable[..., None]] = {
    "generate": generate,
    "solve": solve,
    "key": make_key,
    "explain": explain,
    "class": make_class,
    "term": make_term,
    "check": check,
    "grade": grade,
    "practice": practice,
    "samples": show_samples,
}
"""Every command by its name, in the order of ``attnhand --help``; options are added when one is called."""


def _make_sheet(source: str, option_values: Mapping[str, Any]) -> Any:
    from dataclasses import replace

    from attnhand.formats.sources import make_sheet_from_source
    from attnhand.sheet.order import parse_options

    if option_values["class_"] is None:
        return make_sheet_from_source(source, *parse_options(option_values))
    from attnhand.classroom.class_source import find_in_class

    found = find_in_class(option_values["class_"], source, option_values)
    named = make_sheet_from_source(found.name, *parse_options(found.option_values))
    return replace(named, sheet=replace(named.sheet, seat=found.seat)) if found.seat else named


def _deliver_sheet(named_sheet: Any, option_values: Mapping[str, Any], *, solved_by_default: bool) -> None:
    from attnhand.cli.output import deliver_sheet
    from attnhand.formats.destination import FileOptions
    from attnhand.formats.registry import FORMATS

    files = FileOptions(
        formats=tuple(name for name in FORMATS if option_values[name]),
        vet=option_values.get("vet", False),
        **{name: option_values[name] for name in ("blank", "solved", "out")},
    )
    deliver_sheet(named_sheet, files, solved_by_default=solved_by_default, force=option_values["force"])
