"""The commands: each gathers its options into values, makes one sheet and delivers it."""

import dataclasses
from typing import Annotated, Any

import typer

from attnhand.cli.classes import CLASS_GROUPS, make_class
from attnhand.cli.marking_commands import check, grade
from attnhand.cli.options import (
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


def generate(**chosen: Any) -> None:
    """Make a sheet and its answer key.

    attnhand generate

    attnhand generate --seed 7 --pdf

    attnhand generate --words "the cat saw" --convention rows --html

    Without a format the blank sheet appears here; --solved shows the key.
    """
    from attnhand.cli.source import sheet_from_seed
    from attnhand.cli.wishes import gathered

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
    from attnhand.cli.source import sheet_from_file
    from attnhand.cli.wishes import gathered

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
    from attnhand.cli.source import sheet_from_source
    from attnhand.cli.wishes import gathered

    what, page = gathered(chosen)
    named = sheet_from_source(source, what, page)
    if given:
        from attnhand.cli.given_cells import with_given

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
    from attnhand.cli.source import sheet_from_source
    from attnhand.cli.streams import write_stdout
    from attnhand.cli.wishes import gathered
    from attnhand.explain import explain as explained
    from attnhand.explain import explain_journey, find_query

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
    from attnhand.cli.source import sheet_from_source
    from attnhand.cli.wishes import gathered

    what, page = gathered(chosen)
    practise(sheet_from_source(source, what, page), out)


def samples(
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Which one; without it all are listed.")] = None,
) -> None:
    """List the worked problems that come with the program, or print one as a problem file.

    attnhand samples

    attnhand samples classic > my.json
    """
    from attnhand.cli.source import sample_names, sample_text
    from attnhand.cli.streams import write_stdout
    from attnhand.problem_file import parse_problem

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
    from attnhand.render.formats import FORMATS

    files = Files(
        formats=tuple(name for name in FORMATS if chosen[name]),
        vet=vet,
        **{name: chosen[name] for name in ("blank", "solved", "out", "force")},
    )
    deliver(named, files, solved_by_default=solved_by_default)
