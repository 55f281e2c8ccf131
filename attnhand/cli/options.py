"""Every option, declared once; a command takes whole groups of them."""

import inspect
from collections.abc import Callable, Collection, Mapping
from copy import copy
from enum import StrEnum
from typing import Annotated, Any, get_args

import typer

WHAT, PAGE, FILES, CLASS = "What is on the sheet", "The page", "Formats and files", "The class"


class LevelName(StrEnum):
    WARM_UP = "warm-up"
    STANDARD = "standard"
    CHALLENGE = "challenge"


class ConventionName(StrEnum):
    COLUMNS = "columns"
    ROWS = "rows"


class RulesName(StrEnum):
    HAND = "hand"
    EXACT = "exact"


class BaseName(StrEnum):
    THREE = "3"
    TWO = "2"
    TEN = "10"
    E = "e"


class PaperName(StrEnum):
    A4 = "a4"
    LETTER = "letter"


MECHANISM_NAMES = ("self", "basic", "cross", "multi-head", "block")
"""For the help alone, which must not load the mechanisms; a test holds it against the registry."""


class SortName(StrEnum):
    GROUP = "group"
    NAME = "name"


def option(panel: str, name: str, told: str, metavar: str | None = None, envvar: str | None = None) -> Any:
    """Declare an option in a group of the help ("-o, --out" has two names); one without a metavar is a flag."""
    return typer.Option(
        *name.split(", "),
        help=told,
        metavar=metavar,
        envvar=envvar,
        rich_help_panel=panel,
        show_default=False,
        show_envvar=False,
        case_sensitive=False,
    )


Options = Mapping[str, Any]
"""Parameter names with their annotated types; all are None or False when the user says nothing."""

WHAT_OPTIONS: Options = {
    "seed": Annotated[
        int | None,
        option(WHAT, "--seed", "The same number gives the same sheet, for ever; drawn if not said.", "N"),
    ],
    "mechanism": Annotated[
        str | None, option(WHAT, "--mechanism", f"Which attention: {', '.join(MECHANISM_NAMES)}.", "NAME")
    ],
    "heads": Annotated[int | None, option(WHAT, "--heads", "Number of heads: 2 to 4; a block can have 1.", "N")],
    "causal": Annotated[bool | None, option(WHAT, "--causal", "No query sees a later token: −∞ before the softmax.")],
    "level": Annotated[
        LevelName | None, option(WHAT, "--level", "warm-up, standard or challenge; standard if not said.", "LEVEL")
    ],
    "tokens": Annotated[int | None, option(WHAT, "--tokens", "Number of tokens, 2 to 12.", "N")],
    "features": Annotated[int | None, option(WHAT, "--features", "Features of a token, 2 to 12.", "N")],
    "d_k": Annotated[int | None, option(WHAT, "--d-k", "Size of queries and keys, 1 to 8.", "N")],
    "d_v": Annotated[int | None, option(WHAT, "--d-v", "Size of values, 1 to 8.", "N")],
    "memory": Annotated[
        int | None,
        option(WHAT, "--memory-length", "Tokens of the memory that cross attention reads, 2 to 12.", "N"),
    ],
    "hidden": Annotated[int | None, option(WHAT, "--hidden", "Size of a block's hidden layer, 1 to 8.", "N")],
    "words": Annotated[
        str | None, option(WHAT, "--words", 'A word for each token: "the cat saw". They count the tokens.', "TEXT")
    ],
    "embed": Annotated[
        bool | None, option(WHAT, "--embed", "Look the words up in a small table: the same word, the same vector.")
    ],
    "positions": Annotated[
        bool | None, option(WHAT, "--positions", "Add sines and cosines of their positions to the words.")
    ],
    "convention": Annotated[
        ConventionName | None,
        option(WHAT, "--convention", "Tokens as columns (Q = W_Q X) or as rows (Q = X W_Q).", "WAY"),
    ],
    "rules": Annotated[
        RulesName | None, option(WHAT, "--rules", "hand: ⌊x/2⌋ and 3ˣ. exact: x/√d_k and eˣ.", "hand|exact")
    ],
    "scale": Annotated[
        str | None, option(WHAT, "--scale", "For x/√d_k: half-floor, none, sqrt, or a number to divide by.", "RULE")
    ],
    "base": Annotated[BaseName | None, option(WHAT, "--base", "What stands for e; 3 if not said.", "3|2|10|e")],
    "decimals": Annotated[
        int | None, option(WHAT, "--decimals", "Places of printed decimals, 1 to 6; 2 if not said.", "N")
    ],
    "queries": Annotated[
        str | None, option(WHAT, "--queries", "Ask these queries only: 1,3. So above 6 tokens if not said.", "LIST")
    ],
    "start": Annotated[str | None, option(WHAT, "--start", "Print the stages before this one: S.", "STAGE")],
    "blank_stages": Annotated[
        str | None, option(WHAT, "--blank-stages", "Ask these stages only, print the others: A,Z.", "LIST")
    ],
    "walk": Annotated[
        int | None, option(WHAT, "--walk", "One more page: the journey of this query, number by number.", "QUERY")
    ],
    "mistake": Annotated[
        str | None,
        option(
            WHAT,
            "--mistake",
            "A solved sheet with one mistake to find, and its key; any mistake, or one of those in the README.",
            "[SLIP]",
        ),
    ],
    "ties": Annotated[bool | None, option(WHAT, "--ties", "Let two tokens share a query's largest weight.")],
    "salt": Annotated[
        str | None,
        option(
            WHAT,
            "--salt",
            "A secret that is not on the paper: without it the code gives no key, though whoever types in the "
            "matrices can still solve them. Also ATTNHAND_SALT.",
            "TEXT",
            "ATTNHAND_SALT",
        ),
    ],
}

OF_DRAWN_SHEETS = (
    *("seed", "mechanism", "level", "ties", "heads", "causal", "embed", "positions"),
    *("tokens", "features", "d_k", "d_v", "memory", "hidden"),
)
"""Options that somebody's own matrices refuse."""

PAGE_OPTIONS: Options = {
    "paper": Annotated[PaperName | None, option(PAGE, "--paper", "a4 if not said.", "a4|letter")],
    "large_print": Annotated[bool, option(PAGE, "--large-print", "18-point type, one product a page.")],
    "exact_column": Annotated[bool, option(PAGE, "--exact-column", "Print one query's exact values on the blank.")],
    "self_check": Annotated[
        bool, option(PAGE, "--self-check", "Let the web sheet check the work; its source then shows the answers.")
    ],
    "fillable": Annotated[bool, option(PAGE, "--fillable", "Make the PDF a form to fill on screen.")],
    "check_sums": Annotated[bool, option(PAGE, "--check-sums", "Print what lines add to on the blank.")],
    "title": Annotated[str | None, option(PAGE, "--title", "A title of your own.", "TEXT")],
    "language": Annotated[str | None, option(PAGE, "--language", "Language of the sheet: en.", "CODE")],
}

SALT_OPTION: Options = {"salt": WHAT_OPTIONS["salt"]}

REPORT_OPTIONS: Options = {name: PAGE_OPTIONS[name] for name in ("paper", "language")}
"""What a report of marks can be told of its page."""

FILE_OPTIONS: Options = {
    "pdf": Annotated[bool, option(FILES, "--pdf", "Write a PDF.")],
    "html": Annotated[bool, option(FILES, "--html", "Write a web page, one file.")],
    "json": Annotated[bool, option(FILES, "--json", "Write JSON.")],
    "csv": Annotated[bool, option(FILES, "--csv", "Write CSV for a spreadsheet.")],
    "markdown": Annotated[bool, option(FILES, "--markdown", "Write Markdown with LaTeX matrices.")],
    "svg": Annotated[bool, option(FILES, "--svg", "Write a vector picture: the pages under one another.")],
    "png": Annotated[bool, option(FILES, "--png", "Write a picture in dots: the pages under one another.")],
    "stage": Annotated[
        str | None, option(FILES, "--stage", "Let pictures show this stage alone, its factors around it: S.", "STAGE")
    ],
    "blank": Annotated[bool, option(FILES, "--blank", "The blank sheet only.")],
    "solved": Annotated[bool, option(FILES, "--solved", "The answer key only.")],
    "out": Annotated[str | None, option(FILES, "-o, --out", "File or folder to write; - for stdout.", "PATH")],
    "force": Annotated[bool, option(FILES, "--force", "Replace files even if somebody changed them.")],
}


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


def unshown(options: Options, names: Collection[str]) -> Options:
    """Return options of which some are not in the help: they are there to be refused with a reason."""
    shown = dict(options)
    for name in names:
        kind, told = get_args(options[name])
        told = copy(told)
        told.hidden = True
        shown[name] = Annotated[kind, told]
    return shown


def with_options(command: Callable[..., None], *groups: Options) -> Callable[..., None]:
    """Give a command that takes ``**chosen`` the options of the groups, as typer reads them from its signature."""
    own = [p for p in inspect.signature(command).parameters.values() if p.kind is not p.VAR_KEYWORD]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            annotation=annotation,
            default=False if annotation.__origin__ is bool else None,
        )
        for group in groups
        for name, annotation in group.items()
    ]
    command.__signature__ = inspect.Signature([*own, *added])  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in (*own, *added)} | {"return": None}
    return command


Source = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A seed, a sheet code, a problem file, a JSON sheet, a fillable PDF or a sample."
    ),
]
ProblemFile = Annotated[str, typer.Argument(metavar="PROBLEM", help="A problem file, JSON or TOML; - for stdin.")]
