"""``attnhand class``: a distinct sheet for everyone, and the teacher's booklet."""

from typing import Annotated, Any

import typer

from attnhand.cli.options import CLASS, PAGE_OPTIONS, WHAT_OPTIONS, Options, SortName, option

CLASS_OPTIONS: Options = {
    "count": Annotated[int | None, option(CLASS, "--count", "So many sheets without names, instead of a roster.", "N")],
    "versions": Annotated[int | None, option(CLASS, "--versions", "Deal so many different sheets in turn.", "N")],
    "spare": Annotated[int | None, option(CLASS, "--spare", "So many sheets more, for nobody yet.", "N")],
    "sort": Annotated[
        SortName | None,
        option(CLASS, "--sort", "Lay sheets by group, with a separator before each, or by name.", "[group|name]"),
    ],
    "duplex": Annotated[bool, option(CLASS, "--duplex", "Begin every sheet on a new leaf, to print both sides.")],
    "separate": Annotated[bool, option(CLASS, "--separate", "Write every student's PDF as a file of its own too.")],
    "html": Annotated[bool, option(CLASS, "--html", "Write a web sheet for every student too.")],
    "open": Annotated[bool, option(CLASS, "--open", "Without a salt: the codes then give the keys to everybody.")],
    "out": Annotated[str | None, option(CLASS, "-o, --out", "Folder to write; attnhand-class if not said.", "FOLDER")],
    "force": Annotated[bool, option(CLASS, "--force", "Replace files even if somebody changed them.")],
    "jobs": Annotated[int | None, option(CLASS, "--jobs", "Processes; one a processor if not said.", "N")],
    "scheduler": Annotated[
        str | None,
        option(CLASS, "--scheduler", "On a Dask cluster: tcp://10.0.0.5:8786. Needs attnhand[cluster].", "ADDRESS"),
    ],
}


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
        from attnhand.classroom.executors import prepare_processes

        prepare_processes()
    from attnhand.cli.class_run import run

    run(roster, chosen)


CLASS_GROUPS = (CLASS_OPTIONS, WHAT_OPTIONS, PAGE_OPTIONS)
