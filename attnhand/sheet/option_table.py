"""Every option, declared once: the terminal, its help, class files, contradictions and Python take theirs from here.

An option's name is the same everywhere: ``from_stage`` is ``--from-stage`` in the terminal, ``from_stage=`` in Python
and ``from_stage`` in a file. This module is plain data and imports nothing of the package, so that help is fast; a
test holds choices and defaults against the code that uses them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum


class Panel(StrEnum):
    """A group of options in the help."""

    OWN = "Options"
    """Of one command alone."""

    CLASS = "The class"
    SHEET = "What is on the sheet"
    PAGE = "The page"
    FILES = "Formats and files"


class InClassFile(StrEnum):
    """Whether a class file keeps an option for later runs."""

    NO = "no"
    CHANGEABLE = "changeable"
    """A later run may say otherwise."""

    FIXED = "fixed"
    """No later run changes it: sheets that are handed out stay as they are."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One option of one or more commands."""

    name: str
    """In Python, in files, and with dashes in the terminal."""

    kind: type[int] | type[str] | type[bool]
    """A bool is a flag without a value."""

    help: str
    panel: Panel
    commands: tuple[str, ...]
    """The commands that take it."""

    metavar: str | None = None
    """How the help writes its value; None for a flag."""

    choices: tuple[str, ...] = ()
    """All values there are; empty where there are too many to list."""

    flags: tuple[str, ...] = ()
    """How it is typed; filled in from the name."""

    environment_variable: str | None = None
    example: str = ""
    """A value that it can have, as it is typed."""

    is_repeatable: bool = False
    is_for_drawn_sheets: bool = False
    """Whether somebody's own matrices refuse it."""

    in_class_file: InClassFile = InClassFile.NO
    is_beyond_codes: bool = False
    """Whether ``grade`` takes it from the class file, since no sheet code holds it."""

    old_name: str = ""
    """What it was called before; refused with the new name."""

    def __post_init__(self) -> None:
        if not self.flags:
            object.__setattr__(self, "flags", (_make_flag(self.name),))

    @property
    def flag(self) -> str:
        """How it is typed, in full."""
        return self.flags[-1]

    @property
    def old_flag(self) -> str:
        """How it was typed before it was renamed; empty where it was not.

        >>> RENAMED_OPTIONS["walk"].old_flag
        '--walk'
        """
        return _make_flag(self.old_name) if self.old_name else ""


def _make_flag(name: str) -> str:
    return "--" + name.replace("_", "-")


_DRAWING = ("generate", "solve", "key", "explain", "class", "check", "practice")
_PAGED = ("generate", "solve", "key", "class")
_FILED = ("generate", "solve", "key")
_FIXED, _CHANGEABLE = InClassFile.FIXED, InClassFile.CHANGEABLE

OPTIONS: tuple[Option, ...] = (
    # of one command alone
    Option(
        name="vet",
        kind=bool,
        help="Say how good your numbers are for a class: ties, hidden slips, denominators. "
        "In place of the sheet; beside files on stderr.",
        panel=Panel.OWN,
        commands=("solve",),
    ),
    Option(
        name="given",
        kind=str,
        metavar="CELL=VALUE",
        help='What a student wrote: "scaled[2,1]=0"; the key carries on from it. Repeatable.',
        panel=Panel.OWN,
        commands=("key",),
        example="scaled[2,1]=0",
        is_repeatable=True,
    ),
    Option(
        name="against",
        kind=str,
        metavar="SOURCE",
        help="The sheet, if the file does not say: seed, code, file, sample.",
        panel=Panel.OWN,
        commands=("check",),
        example="7",
    ),
    Option(
        name="json",
        kind=bool,
        help="Print the marks as JSON, cell by cell.",
        panel=Panel.OWN,
        commands=("check",),
    ),
    Option(
        name="report",
        kind=str,
        metavar="FILE",
        help="Write the student's own sheet with marks: an .html or .pdf.",
        panel=Panel.OWN,
        commands=("check",),
        example="sara.html",
    ),
    Option(
        name="force",
        kind=bool,
        help="Replace a report that somebody changed.",
        panel=Panel.OWN,
        commands=("check",),
    ),
    Option(
        name="roster",
        kind=str,
        metavar="INDEX",
        help="Who has which sheet: teacher/index.csv.",
        panel=Panel.OWN,
        commands=("grade",),
        example="teacher/index.csv",
    ),
    Option(
        name="marks",
        kind=str,
        metavar="FILE",
        help="What was marked on paper: teacher/marks.csv, filled.",
        panel=Panel.OWN,
        commands=("grade",),
        example="teacher/marks.csv",
    ),
    Option(
        name="reports",
        kind=bool,
        help="Write a feedback page for everyone, into feedback/.",
        panel=Panel.OWN,
        commands=("grade",),
    ),
    Option(
        name="out",
        flags=("-o", "--out"),
        kind=str,
        metavar="FOLDER",
        help="Folder to write to; here if not said.",
        panel=Panel.OWN,
        commands=("grade",),
        example="graded/",
    ),
    Option(
        name="force",
        kind=bool,
        help="Replace files even if somebody changed them.",
        panel=Panel.OWN,
        commands=("grade",),
    ),
    Option(
        name="jobs",
        kind=int,
        metavar="N",
        help="Processes; one a processor if not said.",
        panel=Panel.OWN,
        commands=("grade",),
        example="4",
    ),
    Option(
        name="out",
        flags=("-o", "--out"),
        kind=str,
        metavar="FILE",
        help="Where your answers are kept; attnhand-7-answers.json for seed 7.",
        panel=Panel.OWN,
        commands=("practice",),
        example="answers.json",
    ),
    # the class
    Option(
        name="count",
        kind=int,
        metavar="N",
        help="So many sheets without names, instead of a roster.",
        panel=Panel.CLASS,
        commands=("class",),
        example="30",
    ),
    Option(
        name="versions",
        kind=int,
        metavar="N",
        help="Deal so many different sheets in turn.",
        panel=Panel.CLASS,
        commands=("class",),
        example="4",
        in_class_file=_FIXED,
    ),
    Option(
        name="spare",
        kind=int,
        metavar="N",
        help="So many sheets more, for nobody yet.",
        panel=Panel.CLASS,
        commands=("class",),
        example="4",
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="sort",
        kind=str,
        choices=("group", "name"),
        metavar="[group|name]",
        help="Lay sheets by group, with a separator before each, or by name.",
        panel=Panel.CLASS,
        commands=("class",),
        example="name",
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="duplex",
        kind=bool,
        help="Begin every sheet on a new leaf, to print both sides.",
        panel=Panel.CLASS,
        commands=("class",),
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="separate",
        kind=bool,
        help="Write every student's PDF as a file of its own too.",
        panel=Panel.CLASS,
        commands=("class",),
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="html",
        kind=bool,
        help="Write a web sheet for every student too.",
        panel=Panel.CLASS,
        commands=("class",),
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="no_salt",
        kind=bool,
        help="Without a salt: the codes then give the keys to everybody.",
        panel=Panel.CLASS,
        commands=("class",),
        in_class_file=_FIXED,
        old_name="open",
    ),
    Option(
        name="out",
        flags=("-o", "--out"),
        kind=str,
        metavar="FOLDER",
        help="Folder to write; attnhand-class if not said.",
        panel=Panel.CLASS,
        commands=("class",),
        example="week-3/",
    ),
    Option(
        name="force",
        kind=bool,
        help="Replace files even if somebody changed them.",
        panel=Panel.CLASS,
        commands=("class",),
    ),
    Option(
        name="jobs",
        kind=int,
        metavar="N",
        help="Processes; one a processor if not said.",
        panel=Panel.CLASS,
        commands=("class",),
        example="4",
    ),
    Option(
        name="scheduler",
        kind=str,
        metavar="ADDRESS",
        help="On a Dask cluster: tcp://10.0.0.5:8786. Needs attnhand[cluster].",
        panel=Panel.CLASS,
        commands=("class",),
        example="tcp://10.0.0.5:8786",
    ),
    # what is on the sheet
    Option(
        name="seed",
        kind=int,
        metavar="N",
        help="The same number gives the same sheet, for ever; drawn if not said.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="7",
        is_for_drawn_sheets=True,
    ),
    Option(
        name="mechanism",
        kind=str,
        choices=("self", "basic", "cross", "multi-head", "block"),
        metavar="NAME",
        help="Which attention: self, basic, cross, multi-head, block.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="multi-head",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="heads",
        kind=int,
        metavar="N",
        help="Number of heads: 2 to 4; a block can have 1.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="2",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="causal",
        kind=bool,
        help="No query sees a later token: −∞ before the softmax.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="window",
        kind=int,
        metavar="N",
        help="With --causal: a query sees N tokens, its own and those before, 2 to 12.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="2",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="level",
        kind=str,
        choices=("warm-up", "standard", "challenge"),
        metavar="LEVEL",
        help="warm-up, standard or challenge; standard if not said.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="warm-up",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="tokens",
        kind=int,
        metavar="N",
        help="Number of tokens, 2 to 12.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="4",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="features",
        kind=int,
        metavar="N",
        help="Features of a token, 2 to 12.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="4",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="d_k",
        kind=int,
        metavar="N",
        help="Size of queries and keys, 1 to 8.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="4",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="d_v",
        kind=int,
        metavar="N",
        help="Size of values, 1 to 8.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="4",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="memory_length",
        kind=int,
        metavar="N",
        help="Tokens of the memory that cross attention reads, 2 to 12.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="4",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="hidden",
        kind=int,
        metavar="N",
        help="Size of a block's hidden layer, 1 to 8.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="4",
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
    ),
    Option(
        name="words",
        kind=str,
        metavar="TEXT",
        help='A word for each token: "the cat saw". They count the tokens.',
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="the cat saw",
        in_class_file=_FIXED,
        is_beyond_codes=True,
    ),
    Option(
        name="embed",
        kind=bool,
        help="Look the words up in a small table: the same word, the same vector.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
        is_beyond_codes=True,
    ),
    Option(
        name="positions",
        kind=bool,
        help="Add sines and cosines of their positions to the words.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
        is_beyond_codes=True,
    ),
    Option(
        name="convention",
        kind=str,
        choices=("columns", "rows"),
        metavar="WAY",
        help="Tokens as columns (Q = W_Q X) or as rows (Q = X W_Q).",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="rows",
        in_class_file=_FIXED,
    ),
    Option(
        name="rules",
        kind=str,
        choices=("hand", "exact"),
        metavar="hand|exact",
        help="hand: ⌊x/2⌋ and 3ˣ. exact: x/√d_k and eˣ.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="exact",
        in_class_file=_FIXED,
    ),
    Option(
        name="scale",
        kind=str,
        metavar="RULE",
        help="For x/√d_k: half-floor, none, sqrt, or a number to divide by.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="sqrt",
        in_class_file=_FIXED,
    ),
    Option(
        name="base",
        kind=str,
        choices=("3", "2", "10", "e"),
        metavar="3|2|10|e",
        help="What stands for e; 3 if not said.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="2",
        in_class_file=_FIXED,
    ),
    Option(
        name="decimals",
        kind=int,
        metavar="N",
        help="Places of printed decimals, 1 to 6; 2 if not said.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="2",
        in_class_file=_FIXED,
    ),
    Option(
        name="only_queries",
        kind=str,
        metavar="LIST",
        help="Ask these queries only: 1,3. So above 6 tokens if not said.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="1,3",
        in_class_file=_FIXED,
        is_beyond_codes=True,
        old_name="queries",
    ),
    Option(
        name="from_stage",
        kind=str,
        metavar="STAGE",
        help="Print the stages before this one: S, or softmax.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="S",
        in_class_file=_FIXED,
        is_beyond_codes=True,
        old_name="start",
    ),
    Option(
        name="blank_stages",
        kind=str,
        metavar="LIST",
        help="Ask these stages only, print the others: A,Z.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="A,Z",
        in_class_file=_FIXED,
        is_beyond_codes=True,
    ),
    Option(
        name="trace",
        kind=int,
        metavar="QUERY",
        help="One more page: the journey of this query, number by number.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="2",
        in_class_file=_FIXED,
        old_name="walk",
    ),
    Option(
        name="mistake",
        kind=str,
        metavar="[SLIP]",
        help="A solved sheet with one mistake to find, and its key; any mistake, or one of those in the README.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        example="any",
        in_class_file=_FIXED,
    ),
    Option(
        name="allow_ties",
        kind=bool,
        help="Let two tokens share a query's largest weight.",
        panel=Panel.SHEET,
        commands=_DRAWING,
        is_for_drawn_sheets=True,
        in_class_file=_FIXED,
        old_name="ties",
    ),
    Option(
        name="salt",
        kind=str,
        metavar="TEXT",
        environment_variable="ATTNHAND_SALT",
        help="A secret that is not on the paper: without it the code gives no key, though whoever types in the "
        "matrices can still solve them. Also ATTNHAND_SALT.",
        panel=Panel.SHEET,
        commands=(*_DRAWING, "grade"),
        example="our secret",
    ),
    # the page
    Option(
        name="paper",
        kind=str,
        choices=("a4", "letter"),
        metavar="a4|letter",
        help="a4 if not said.",
        panel=Panel.PAGE,
        commands=(*_PAGED, "check"),
        example="letter",
        in_class_file=_CHANGEABLE,
        is_beyond_codes=True,
    ),
    Option(
        name="large_print",
        kind=bool,
        help="18-point type, one product a page.",
        panel=Panel.PAGE,
        commands=_PAGED,
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="show_exact",
        kind=bool,
        help="Print one query's exact values on the blank.",
        panel=Panel.PAGE,
        commands=_PAGED,
        in_class_file=_CHANGEABLE,
        old_name="exact_column",
    ),
    Option(
        name="self_check",
        kind=bool,
        help="Let the web sheet check the work; its source then shows the answers.",
        panel=Panel.PAGE,
        commands=_PAGED,
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="fillable",
        kind=bool,
        help="Make the PDF a form to fill on screen.",
        panel=Panel.PAGE,
        commands=_PAGED,
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="check_sums",
        kind=bool,
        help="Print what lines add to on the blank.",
        panel=Panel.PAGE,
        commands=_PAGED,
        in_class_file=_CHANGEABLE,
    ),
    Option(
        name="title",
        kind=str,
        metavar="TEXT",
        help="A title of your own.",
        panel=Panel.PAGE,
        commands=_PAGED,
        example="Week 3",
        in_class_file=_CHANGEABLE,
        is_beyond_codes=True,
    ),
    Option(
        name="language",
        kind=str,
        metavar="CODE",
        help="Language of what is printed: en.",
        panel=Panel.PAGE,
        commands=(*_PAGED, "explain", "check", "grade", "practice"),
        example="en",
        in_class_file=_CHANGEABLE,
        is_beyond_codes=True,
    ),
    # formats and files
    Option(name="pdf", kind=bool, help="Write a PDF.", panel=Panel.FILES, commands=_FILED),
    Option(name="html", kind=bool, help="Write a web page, one file.", panel=Panel.FILES, commands=_FILED),
    Option(name="json", kind=bool, help="Write JSON.", panel=Panel.FILES, commands=_FILED),
    Option(name="csv", kind=bool, help="Write CSV for a spreadsheet.", panel=Panel.FILES, commands=_FILED),
    Option(name="markdown", kind=bool, help="Write Markdown with LaTeX matrices.", panel=Panel.FILES, commands=_FILED),
    Option(
        name="svg",
        kind=bool,
        help="Write a vector picture: the pages under one another.",
        panel=Panel.FILES,
        commands=_FILED,
    ),
    Option(
        name="png",
        kind=bool,
        help="Write a picture in dots: the pages under one another.",
        panel=Panel.FILES,
        commands=_FILED,
    ),
    Option(
        name="stage",
        kind=str,
        metavar="STAGE",
        help="Let pictures show this stage alone, its factors around it: S.",
        panel=Panel.FILES,
        commands=_FILED,
        example="S",
    ),
    Option(name="blank", kind=bool, help="The blank sheet only.", panel=Panel.FILES, commands=_FILED),
    Option(name="solved", kind=bool, help="The answer key only.", panel=Panel.FILES, commands=_FILED),
    Option(
        name="out",
        flags=("-o", "--out"),
        kind=str,
        metavar="PATH",
        help="File or folder to write; - for stdout.",
        panel=Panel.FILES,
        commands=_FILED,
        example="sheet.pdf",
    ),
    Option(
        name="force",
        kind=bool,
        help="Replace files even if somebody changed them.",
        panel=Panel.FILES,
        commands=_FILED,
    ),
)
"""In the order of the help. A name stands twice where commands mean different things by it."""


def list_options(command: str) -> Iterator[Option]:
    """Yield the options of a command, in the order of its help.

    >>> [option.flag for option in list_options("practice")][:3]
    ['--out', '--seed', '--mechanism']
    """
    return (option for option in OPTIONS if command in option.commands)


def find_option(name: str) -> Option:
    """Return an option by its name, as most commands mean it.

    >>> find_option("d_k").flag, find_option("paper").choices
    ('--d-k', ('a4', 'letter'))
    """
    return max((option for option in OPTIONS if option.name == name), key=lambda option: len(option.commands))


def spell_for_terminal(name: str, value: object, _in_python: str = "") -> str:
    """Spell an option as it is typed.

    >>> [spell_for_terminal("words", "the cat"), spell_for_terminal("embed", True), spell_for_terminal("d_k", 9)]
    ['--words "the cat"', '--embed', '--d-k 9']
    """
    flag = find_option(name).flag
    if value is None or value is True:
        return flag
    text = ",".join(map(str, value)) if isinstance(value, list) else str(value)
    return f'{flag} "{text}"' if " " in text else f"{flag} {text}"


RENAMED_OPTIONS: Mapping[str, Option] = {option.old_name: option for option in OPTIONS if option.old_name}
"""By the names that they had before."""

CLASS_FILE_OPTIONS: Mapping[str, Option] = {
    option.name: option
    for option in OPTIONS
    if "class" in option.commands and option.in_class_file is not InClassFile.NO
}
"""Options that a class file keeps, by name."""
