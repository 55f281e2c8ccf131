"""Every option, declared once: the terminal, its help, class files, contradictions and Python take theirs from here.

An option's name is the same everywhere: ``from_stage`` is ``--from-stage`` in the terminal, ``from_stage=`` in Python
and ``from_stage`` in a file. This module is plain data and imports nothing of the package, so that help is fast; a
test holds choices and defaults against the code that uses them.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any


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


@dataclass(frozen=True, slots=True)
class Option:
    """One option of one or more commands."""

    name: str
    """In Python, in files, and with dashes in the terminal; ``class_`` where Python reserves the word."""

    help: str
    kind: type[int] | type[str] | type[bool] = bool
    """A bool is a flag without a value."""

    metavar: str | None = None
    """How the help writes its value; None for a flag."""

    example: str = ""
    """A value that it can have, as it is typed."""

    choices: tuple[str, ...] = ()
    """All values there are; empty where there are too many to list."""

    panel: Panel = Panel.OWN
    commands: tuple[str, ...] = ()
    """The commands that take it."""

    short_flag: str = ""
    environment_variable: str | None = None
    is_repeatable: bool = False
    is_for_drawn_sheets: bool = False
    """Whether somebody's own matrices refuse it."""

    is_for_new_sheets: bool = False
    """Whether a sheet that is named has it already, so that it can only be refused beside the name."""

    in_class_file: InClassFile = InClassFile.NO
    is_beyond_codes: bool = False
    """Whether ``grade`` takes it from the class file, since no sheet code holds it."""

    own_file_word: str = ""
    """What ``file_word`` is where it is not the usual one."""

    def is_helpful_in(self, command: str) -> bool:
        """Say whether the help of a command names it; elsewhere it is taken only to be refused with a reason."""
        is_drawing_anew = command in ("generate", "class")
        return is_drawing_anew or not (self.is_for_new_sheets or (command == "solve" and self.is_for_drawn_sheets))

    @property
    def flag(self) -> str:
        """How it is typed, in full."""
        return _make_flag(self.name)

    @property
    def flags(self) -> tuple[str, ...]:
        """All ways to type it."""
        return (self.short_flag, self.flag) if self.short_flag else (self.flag,)

    @property
    def file_word(self) -> str:
        """What it adds to the names of a sheet's files, {} for its value; without {} the value stays unsaid.

        >>> [find_option(name).file_word for name in ("fade", "level", "tokens", "title")]
        ['fade', '{}', 'tokens-{}', 'title']
        """
        name = self.flag.removeprefix("--")
        return self.own_file_word or ("{}" if self.choices else f"{name}-{{}}" if self.kind is int else name)


def _make_flag(name: str) -> str:
    return "--" + name.rstrip("_").replace("_", "-")


def _group(panel: Panel, *commands: str, **shared: Any) -> Callable[..., Iterator[Option]]:
    """Return what completes options with all that they share."""
    return lambda *options: (replace(option, panel=panel, commands=commands, **shared) for option in options)


def _out(help: str, metavar: str, example: str) -> Option:
    return Option("out", help, str, metavar, example, short_flag="-o")


_FORCE = Option("force", "Replace files even if somebody changed them.")
_JOBS = Option("jobs", "Processes; one a processor if not said.", int, "N", "4")

_MECHANISMS = ("self", "basic", "cross", "multi-head", "block")
_LEVELS = ("warm-up", "standard", "challenge")

_DRAWING = ("generate", "solve", "key", "explain", "class", "check", "practice")
_PAGED = ("generate", "solve", "key", "class")
_SPEAKING = (*_PAGED, "explain", "check", "grade", "practice")
_FIXED, _CHANGEABLE = InClassFile.FIXED, InClassFile.CHANGEABLE

OPTIONS: tuple[Option, ...] = (
    *_group(Panel.OWN, "solve")(
        Option(
            "vet",
            "Say how good your numbers are for a class: ties, hidden slips, denominators. "
            "In place of the sheet; beside files on stderr.",
        )
    ),
    *_group(Panel.OWN, "key")(
        Option(
            "given",
            'What a student wrote: "scaled[2,1]=0"; the key carries on from it. Repeatable.',
            str,
            "CELL=VALUE",
            "scaled[2,1]=0",
            is_repeatable=True,
        )
    ),
    *_group(Panel.OWN, "check")(
        Option("against", "The sheet, if the file does not say: seed, code, file, sample.", str, "SOURCE", "7"),
        Option("json", "Print the marks as JSON, cell by cell."),
        Option("report", "Write the student's own sheet with marks: an .html or .pdf.", str, "FILE", "sara.html"),
        Option("force", "Replace a report that somebody changed."),
    ),
    *_group(Panel.OWN, "key", "explain", "check", "practice")(
        Option(
            "class_",
            "The class of the sheet, which knows its salt, its words and who has which №: key 47 --class FOLDER.",
            str,
            "FOLDER",
            "attnhand-class",
            own_file_word="no-{}",
        ),
    ),
    *_group(Panel.OWN, "grade")(
        Option("roster", "Who has which sheet: teacher/index.csv.", str, "INDEX", "teacher/index.csv"),
    ),
    *_group(Panel.OWN, "grade")(
        Option(
            "marks",
            "What was marked on paper: teacher/marks.csv, filled (or as .xlsx, .ods).",
            str,
            "FILE",
            "teacher/marks.csv",
        ),
        Option(
            "grades",
            "Write everybody's percent as Moodle or Canvas imports it: grades-moodle.csv.",
            str,
            "moodle|canvas",
            "moodle",
            ("moodle", "canvas"),
        ),
        Option("reports", "Write a feedback page for everyone, into feedback/."),
        _out("Folder to write to; here if not said.", "FOLDER", "graded/"),
        _FORCE,
        _JOBS,
    ),
    *_group(Panel.OWN, "practice")(
        _out("Where your answers are kept; attnhand-7-answers.json for seed 7.", "FILE", "answers.json")
    ),
    *_group(Panel.CLASS, "class")(
        Option("count", "So many sheets without names, instead of a roster.", int, "N", "30"),
        Option(
            "column",
            "Which column of the roster holds what: name=Surname; also first=, last=, number=, id=, email=, group=. "
            "Repeatable.",
            str,
            "WHAT=TITLE",
            "name=Surname",
            is_repeatable=True,
        ),
        Option(
            "like",
            "Give everybody the № that they have in that class's folder: another set for the same people.",
            str,
            "FOLDER",
            "attnhand-class",
        ),
        Option("dry_run", "Say how the roster is understood, and who joins, leaves or changes; write nothing."),
        Option("only", "Print only the sheets that nobody had before: new.", str, "new", "new", ("new",)),
        Option("withdraw", "Let many leave at once: they are not on the roster any more, and keep their №."),
    ),
    *_group(Panel.CLASS, "class", in_class_file=_FIXED)(
        Option("versions", "Deal so many different sheets in turn.", int, "N", "4"),
    ),
    *_group(Panel.CLASS, "class", in_class_file=_CHANGEABLE)(
        Option("spare", "So many sheets more, for nobody yet.", int, "N", "4"),
        Option(
            "sort",
            "Lay sheets by group, with a separator before each, or by name.",
            str,
            "[group|name]",
            "name",
            choices=("group", "name"),
        ),
        Option("duplex", "Begin every sheet on a new leaf, to print both sides."),
        Option(
            "no_cover",
            "Sheets and keys alone, each of as many pages, for platforms that cut a PDF into equal parts; "
            "quick keys in a file of their own.",
        ),
        Option(
            "separate",
            "Write every student's PDF as a file of its own too; or a folder a group: sheets, keys, marks.",
            str,
            "[student|group]",
            "group",
            choices=("student", "group"),
        ),
        Option("html", "Write a web sheet for every student too."),
        Option("xlsx", "Write an Excel file for every student too."),
        Option("tex", "Write a LaTeX fragment for every student too."),
        Option("moodle", "Write questions for Moodle too, for each stage a variant a student, for the teacher."),
        Option("stack", "Write everybody's question for STACK too, as variants of one, for the teacher."),
    ),
    *_group(Panel.CLASS, "class", in_class_file=_FIXED)(
        Option("no_salt", "Without a salt: the codes then give the keys to everybody.")
    ),
    *_group(Panel.CLASS, "class")(
        _out("Folder to write; attnhand-class if not said.", "FOLDER", "week-3/"),
        _FORCE,
        _JOBS,
        Option(
            "scheduler",
            "On a Dask cluster: tcp://10.0.0.5:8786. Needs attnhand[cluster].",
            str,
            "ADDRESS",
            "tcp://10.0.0.5:8786",
        ),
    ),
    *_group(Panel.SHEET, *_DRAWING, is_for_drawn_sheets=True, is_for_new_sheets=True)(
        Option("seed", "The same number gives the same sheet, for ever; drawn if not said.", int, "N", "7"),
    ),
    *_group(Panel.SHEET, *_DRAWING, is_for_drawn_sheets=True, in_class_file=_FIXED)(
        Option("mechanism", f"Which attention: {', '.join(_MECHANISMS)}.", str, "NAME", "multi-head", _MECHANISMS),
        Option("heads", "Number of heads: 2 to 4; a block can have 1.", int, "N", "2"),
        Option(
            "story",
            "Numbers that mean something: a story by its name, or a TOML file of your own; drawn if not said.",
            str,
            "[NAME]",
            "soup",
            is_beyond_codes=True,
            own_file_word="{}",
        ),
        Option("causal", "No query sees a later token: −∞ before the softmax."),
        Option("window", "With --causal: a query sees N tokens, its own and those before, 2 to 12.", int, "N", "2"),
        Option("level", "warm-up, standard or challenge; standard if not said.", str, "LEVEL", "warm-up", _LEVELS),
        Option("tokens", "Number of tokens, 2 to 12.", int, "N", "4"),
        Option("features", "Features of a token, 2 to 12.", int, "N", "4"),
        Option("d_k", "Size of queries and keys, 1 to 8.", int, "N", "4"),
        Option("d_v", "Size of values, 1 to 8.", int, "N", "4"),
        Option("memory_length", "Tokens of the memory that cross attention reads, 2 to 12.", int, "N", "4"),
        Option("hidden", "Size of a block's hidden layer, 1 to 8.", int, "N", "4"),
    ),
    *_group(Panel.SHEET, *_DRAWING, in_class_file=_FIXED, is_beyond_codes=True)(
        Option("words", 'A word for each token: "the cat saw". They count the tokens.', str, "TEXT", "the cat saw")
    ),
    *_group(Panel.SHEET, *_DRAWING, is_for_drawn_sheets=True, in_class_file=_FIXED, is_beyond_codes=True)(
        Option("embed", "Look the words up in a small table: the same word, the same vector."),
        Option("positions", "Add sines and cosines of their positions to the words."),
    ),
    *_group(Panel.SHEET, *_DRAWING, in_class_file=_FIXED)(
        Option(
            "convention",
            "Tokens as columns (Q = W_Q X) or as rows (Q = X W_Q).",
            str,
            "WAY",
            "rows",
            choices=("columns", "rows"),
        ),
        Option("rules", "hand: ⌊x/2⌋ and 3ˣ. exact: x/√d_k and eˣ.", str, "hand|exact", "exact", ("hand", "exact")),
        Option(
            "scale",
            "For x/√d_k: half-floor, none, sqrt, or a number to divide by.",
            str,
            "RULE",
            "sqrt",
            own_file_word="scale-{}",
        ),
        Option(
            "base",
            "What stands for e; 3 if not said.",
            str,
            "3|2|10|e",
            "2",
            ("3", "2", "10", "e"),
            own_file_word="base-{}",
        ),
        Option("decimals", "Places of printed decimals, 1 to 6; 2 if not said.", int, "N", "2"),
    ),
    *_group(Panel.SHEET, *_DRAWING, in_class_file=_FIXED, is_beyond_codes=True)(
        Option(
            "only_queries",
            "Ask these queries only: 1,3. So above 6 tokens if not said.",
            str,
            "LIST",
            "1,3",
            own_file_word="queries-{}",
        ),
        Option(
            "from_stage",
            "Print the stages before this one: S, or softmax.",
            str,
            "STAGE",
            "S",
            own_file_word="from-{}",
        ),
        Option(
            "blank_stages",
            "Ask these stages only, print the others: A,Z.",
            str,
            "LIST",
            "A,Z",
            own_file_word="asks-{}",
        ),
    ),
    *_group(Panel.SHEET, *_DRAWING, in_class_file=_FIXED)(
        Option("fade", "Solve the first token, begin the second, leave the rest to do."),
    ),
    *_group(Panel.SHEET, *_DRAWING, in_class_file=_FIXED)(
        Option(
            "questions",
            "Questions beside the cells: a guess, readings, what-ifs; few if not said.",
            str,
            "none|few|many",
            "many",
            ("none", "few", "many"),
            own_file_word="questions-{}",
        ),
        Option("trace", "One more page: the journey of this query, number by number.", int, "QUERY", "2"),
        Option(
            "mistake",
            "A solved sheet with one mistake to find, and its key; any mistake, or one by its name: "
            "truncated, other-weights@V.",
            str,
            "[SLIP]",
            "any",
        ),
    ),
    *_group(Panel.SHEET, *_DRAWING, is_for_drawn_sheets=True, in_class_file=_FIXED)(
        Option("allow_ties", "Let two tokens share a query's largest weight.")
    ),
    *_group(Panel.SHEET, *_DRAWING, "grade")(
        Option(
            "salt",
            "A secret that is not on the paper: without it the code gives no key, though whoever types in the "
            "matrices can still solve them. Also ATTNHAND_SALT.",
            str,
            "TEXT",
            "tin otter waltz jam",
            environment_variable="ATTNHAND_SALT",
            own_file_word="salted",
        )
    ),
    *_group(Panel.PAGE, *_PAGED, "check", in_class_file=_CHANGEABLE, is_beyond_codes=True)(
        Option("paper", "a4 if not said.", str, "a4|letter", "letter", ("a4", "letter"))
    ),
    *_group(Panel.PAGE, *_PAGED, in_class_file=_CHANGEABLE)(
        Option("large_print", "18-point type, one product a page."),
        Option("show_exact", "Print one query's exact values on the blank."),
        Option("self_check", "Let the web sheet or Excel file check the work; its source then shows the answers."),
        Option("fillable", "Make the PDF a form to fill on screen."),
        Option("check_sums", "Print what lines add to on the blank."),
        Option("title", "A title of your own.", str, "TEXT", "Week 3", is_beyond_codes=True),
    ),
    *_group(Panel.PAGE, *_SPEAKING, in_class_file=_CHANGEABLE)(
        Option("language", "Language of what is printed; en if not said.", str, "CODE", "en", own_file_word="{}")
    ),
    *_group(Panel.FILES, "generate", "solve", "key")(
        Option("pdf", "Write a PDF."),
        Option("html", "Write a web page, one file."),
        Option("json", "Write JSON."),
        Option("csv", "Write CSV for a spreadsheet."),
        Option("xlsx", "Write an Excel file laid out like the page, to fill and hand in."),
        Option("markdown", "Write Markdown with LaTeX matrices."),
        Option("tex", "Write LaTeX for \\input, into slides and papers."),
        Option("svg", "Write a vector picture: the pages under one another."),
        Option("png", "Write a picture in dots: the pages under one another."),
        Option("scorm", "Write a SCORM package: the web sheet that checks itself, for a learning platform."),
        Option("moodle", "Write questions for Moodle (Cloze): one a stage, each with numbers of its own."),
        Option("stack", "Write a question for STACK, which follows a student's own numbers on the server."),
        Option(
            "notebook", "Write a Jupyter notebook for otter assign, with tests that follow a student's own numbers."
        ),
        Option(
            "stage",
            "Let pictures and LaTeX show one stage alone, a product with its factors: S.",
            str,
            "STAGE",
            "S",
            own_file_word="{}",
        ),
        Option("blank", "The blank sheet only."),
        Option("solved", "The answer key only."),
        _out("File or folder to write; - for stdout.", "PATH", "sheet.pdf"),
        _FORCE,
    ),
)
"""In the order of the help. A name stands twice where commands mean different things by it."""


def list_options(command: str) -> Iterator[Option]:
    """Yield the options of a command, in the order of its help.

    >>> [option.flag for option in list_options("practice")][:3]
    ['--class', '--out', '--seed']
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


OPTION_EXAMPLES: Mapping[str, str] = {option.name: option.example for option in OPTIONS}
"""A value of each, as it is typed."""

CLASS_FILE_OPTIONS: Mapping[str, Option] = {
    option.name: option
    for option in OPTIONS
    if "class" in option.commands and option.in_class_file is not InClassFile.NO
}
"""Options that a class file keeps, by name."""
