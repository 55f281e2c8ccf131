"""Every option, declared once; a command takes whole groups of them."""

import inspect
from collections.abc import Callable, Collection, Mapping
from copy import copy
from enum import StrEnum
from typing import Annotated, Any, get_args

import typer

SHEET_PANEL, PAGE_PANEL, FILES_PANEL, CLASS_PANEL = "What is on the sheet", "The page", "Formats and files", "The class"


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


def declare_option(
    panel: str, names: str, help_text: str, metavar: str | None = None, envvar: str | None = None
) -> Any:
    """Declare an option in a group of the help ("-o, --out" has two names); one without a metavar is a flag."""
    return typer.Option(
        *names.split(", "),
        help=help_text,
        metavar=metavar,
        envvar=envvar,
        rich_help_panel=panel,
        show_default=False,
        show_envvar=False,
        case_sensitive=False,
    )


OptionGroup = Mapping[str, Any]
"""Parameter names with their annotated types; all are None or False when the user says nothing."""

SHEET_OPTIONS: OptionGroup = {
    "seed": Annotated[
        int | None,
        declare_option(
            SHEET_PANEL, "--seed", "The same number gives the same sheet, for ever; drawn if not said.", "N"
        ),
    ],
    "mechanism": Annotated[
        str | None,
        declare_option(SHEET_PANEL, "--mechanism", f"Which attention: {', '.join(MECHANISM_NAMES)}.", "NAME"),
    ],
    "heads": Annotated[
        int | None, declare_option(SHEET_PANEL, "--heads", "Number of heads: 2 to 4; a block can have 1.", "N")
    ],
    "causal": Annotated[
        bool | None, declare_option(SHEET_PANEL, "--causal", "No query sees a later token: −∞ before the softmax.")
    ],
    "level": Annotated[
        LevelName | None,
        declare_option(SHEET_PANEL, "--level", "warm-up, standard or challenge; standard if not said.", "LEVEL"),
    ],
    "tokens": Annotated[int | None, declare_option(SHEET_PANEL, "--tokens", "Number of tokens, 2 to 12.", "N")],
    "features": Annotated[int | None, declare_option(SHEET_PANEL, "--features", "Features of a token, 2 to 12.", "N")],
    "d_k": Annotated[int | None, declare_option(SHEET_PANEL, "--d-k", "Size of queries and keys, 1 to 8.", "N")],
    "d_v": Annotated[int | None, declare_option(SHEET_PANEL, "--d-v", "Size of values, 1 to 8.", "N")],
    "memory": Annotated[
        int | None,
        declare_option(
            SHEET_PANEL, "--memory-length", "Tokens of the memory that cross attention reads, 2 to 12.", "N"
        ),
    ],
    "hidden": Annotated[
        int | None, declare_option(SHEET_PANEL, "--hidden", "Size of a block's hidden layer, 1 to 8.", "N")
    ],
    "words": Annotated[
        str | None,
        declare_option(SHEET_PANEL, "--words", 'A word for each token: "the cat saw". They count the tokens.', "TEXT"),
    ],
    "embed": Annotated[
        bool | None,
        declare_option(SHEET_PANEL, "--embed", "Look the words up in a small table: the same word, the same vector."),
    ],
    "positions": Annotated[
        bool | None,
        declare_option(SHEET_PANEL, "--positions", "Add sines and cosines of their positions to the words."),
    ],
    "convention": Annotated[
        ConventionName | None,
        declare_option(SHEET_PANEL, "--convention", "Tokens as columns (Q = W_Q X) or as rows (Q = X W_Q).", "WAY"),
    ],
    "rules": Annotated[
        RulesName | None,
        declare_option(SHEET_PANEL, "--rules", "hand: ⌊x/2⌋ and 3ˣ. exact: x/√d_k and eˣ.", "hand|exact"),
    ],
    "scale": Annotated[
        str | None,
        declare_option(SHEET_PANEL, "--scale", "For x/√d_k: half-floor, none, sqrt, or a number to divide by.", "RULE"),
    ],
    "base": Annotated[
        BaseName | None, declare_option(SHEET_PANEL, "--base", "What stands for e; 3 if not said.", "3|2|10|e")
    ],
    "decimals": Annotated[
        int | None, declare_option(SHEET_PANEL, "--decimals", "Places of printed decimals, 1 to 6; 2 if not said.", "N")
    ],
    "queries": Annotated[
        str | None,
        declare_option(SHEET_PANEL, "--queries", "Ask these queries only: 1,3. So above 6 tokens if not said.", "LIST"),
    ],
    "start": Annotated[
        str | None, declare_option(SHEET_PANEL, "--start", "Print the stages before this one: S.", "STAGE")
    ],
    "blank_stages": Annotated[
        str | None,
        declare_option(SHEET_PANEL, "--blank-stages", "Ask these stages only, print the others: A,Z.", "LIST"),
    ],
    "walk": Annotated[
        int | None,
        declare_option(SHEET_PANEL, "--walk", "One more page: the journey of this query, number by number.", "QUERY"),
    ],
    "mistake": Annotated[
        str | None,
        declare_option(
            SHEET_PANEL,
            "--mistake",
            "A solved sheet with one mistake to find, and its key; any mistake, or one of those in the README.",
            "[SLIP]",
        ),
    ],
    "ties": Annotated[
        bool | None, declare_option(SHEET_PANEL, "--ties", "Let two tokens share a query's largest weight.")
    ],
    "salt": Annotated[
        str | None,
        declare_option(
            SHEET_PANEL,
            "--salt",
            "A secret that is not on the paper: without it the code gives no key, though whoever types in the "
            "matrices can still solve them. Also ATTNHAND_SALT.",
            "TEXT",
            "ATTNHAND_SALT",
        ),
    ],
}

DRAWN_SHEET_OPTIONS = (
    *("seed", "mechanism", "level", "ties", "heads", "causal", "embed", "positions"),
    *("tokens", "features", "d_k", "d_v", "memory", "hidden"),
)
"""Options that somebody's own matrices refuse."""

PAGE_OPTIONS: OptionGroup = {
    "paper": Annotated[PaperName | None, declare_option(PAGE_PANEL, "--paper", "a4 if not said.", "a4|letter")],
    "large_print": Annotated[bool, declare_option(PAGE_PANEL, "--large-print", "18-point type, one product a page.")],
    "exact_column": Annotated[
        bool, declare_option(PAGE_PANEL, "--exact-column", "Print one query's exact values on the blank.")
    ],
    "self_check": Annotated[
        bool,
        declare_option(
            PAGE_PANEL, "--self-check", "Let the web sheet check the work; its source then shows the answers."
        ),
    ],
    "fillable": Annotated[bool, declare_option(PAGE_PANEL, "--fillable", "Make the PDF a form to fill on screen.")],
    "check_sums": Annotated[bool, declare_option(PAGE_PANEL, "--check-sums", "Print what lines add to on the blank.")],
    "title": Annotated[str | None, declare_option(PAGE_PANEL, "--title", "A title of your own.", "TEXT")],
    "language": Annotated[str | None, declare_option(PAGE_PANEL, "--language", "Language of the sheet: en.", "CODE")],
}

SALT_OPTION: OptionGroup = {"salt": SHEET_OPTIONS["salt"]}

REPORT_OPTIONS: OptionGroup = {name: PAGE_OPTIONS[name] for name in ("paper", "language")}
"""What a report of marks can be told of its page."""

FILE_OPTIONS: OptionGroup = {
    "pdf": Annotated[bool, declare_option(FILES_PANEL, "--pdf", "Write a PDF.")],
    "html": Annotated[bool, declare_option(FILES_PANEL, "--html", "Write a web page, one file.")],
    "json": Annotated[bool, declare_option(FILES_PANEL, "--json", "Write JSON.")],
    "csv": Annotated[bool, declare_option(FILES_PANEL, "--csv", "Write CSV for a spreadsheet.")],
    "markdown": Annotated[bool, declare_option(FILES_PANEL, "--markdown", "Write Markdown with LaTeX matrices.")],
    "svg": Annotated[
        bool, declare_option(FILES_PANEL, "--svg", "Write a vector picture: the pages under one another.")
    ],
    "png": Annotated[
        bool, declare_option(FILES_PANEL, "--png", "Write a picture in dots: the pages under one another.")
    ],
    "stage": Annotated[
        str | None,
        declare_option(
            FILES_PANEL, "--stage", "Let pictures show this stage alone, its factors around it: S.", "STAGE"
        ),
    ],
    "blank": Annotated[bool, declare_option(FILES_PANEL, "--blank", "The blank sheet only.")],
    "solved": Annotated[bool, declare_option(FILES_PANEL, "--solved", "The answer key only.")],
    "out": Annotated[
        str | None, declare_option(FILES_PANEL, "-o, --out", "File or folder to write; - for stdout.", "PATH")
    ],
    "force": Annotated[bool, declare_option(FILES_PANEL, "--force", "Replace files even if somebody changed them.")],
}


CLASS_OPTIONS: OptionGroup = {
    "count": Annotated[
        int | None, declare_option(CLASS_PANEL, "--count", "So many sheets without names, instead of a roster.", "N")
    ],
    "versions": Annotated[
        int | None, declare_option(CLASS_PANEL, "--versions", "Deal so many different sheets in turn.", "N")
    ],
    "spare": Annotated[int | None, declare_option(CLASS_PANEL, "--spare", "So many sheets more, for nobody yet.", "N")],
    "sort": Annotated[
        SortName | None,
        declare_option(
            CLASS_PANEL, "--sort", "Lay sheets by group, with a separator before each, or by name.", "[group|name]"
        ),
    ],
    "duplex": Annotated[
        bool, declare_option(CLASS_PANEL, "--duplex", "Begin every sheet on a new leaf, to print both sides.")
    ],
    "separate": Annotated[
        bool, declare_option(CLASS_PANEL, "--separate", "Write every student's PDF as a file of its own too.")
    ],
    "html": Annotated[bool, declare_option(CLASS_PANEL, "--html", "Write a web sheet for every student too.")],
    "open": Annotated[
        bool, declare_option(CLASS_PANEL, "--open", "Without a salt: the codes then give the keys to everybody.")
    ],
    "out": Annotated[
        str | None, declare_option(CLASS_PANEL, "-o, --out", "Folder to write; attnhand-class if not said.", "FOLDER")
    ],
    "force": Annotated[bool, declare_option(CLASS_PANEL, "--force", "Replace files even if somebody changed them.")],
    "jobs": Annotated[
        int | None, declare_option(CLASS_PANEL, "--jobs", "Processes; one a processor if not said.", "N")
    ],
    "scheduler": Annotated[
        str | None,
        declare_option(
            CLASS_PANEL, "--scheduler", "On a Dask cluster: tcp://10.0.0.5:8786. Needs attnhand[cluster].", "ADDRESS"
        ),
    ],
}


def hide_options(options: OptionGroup, names: Collection[str]) -> OptionGroup:
    """Return options of which some are not in the help: they are there to be refused with a reason."""
    shown = dict(options)
    for name in names:
        kind, told = get_args(options[name])
        told = copy(told)
        told.hidden = True
        shown[name] = Annotated[kind, told]
    return shown


def add_options(command: Callable[..., None], *groups: OptionGroup) -> Callable[..., None]:
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


SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE", help="A seed, a sheet code, a problem file, a JSON sheet, a fillable PDF or a sample."
    ),
]
ProblemFileArgument = Annotated[
    str, typer.Argument(metavar="PROBLEM", help="A problem file, JSON or TOML; - for stdin.")
]
