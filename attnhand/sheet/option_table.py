"""Every option, declared once: the terminal, its help, class files, contradictions and Python take theirs from here.

An option is an entry of one of the dictionaries below, which say as types what Python may give; its ``Option`` says
the rest. Its name is the same everywhere: ``from_stage`` is ``--from-stage`` in the terminal, ``from_stage=`` in
Python and ``from_stage`` in a file. A command takes the options of one dictionary, put together of others. This module
is plain data and imports nothing that works sheets, so that help is fast; a test holds choices against the code that
uses them.
"""

import json
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache, partial
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypedDict, Union, get_args, get_origin

if TYPE_CHECKING:
    from attnhand.attention.arithmetic import Rules


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


NAMING_COMMANDS = ("key", "explain", "check", "practice")
"""Commands whose sheet is named, by a code for one: what is on it can only be refused beside the name."""

NAMING_OPTIONS = ("words", "salt")
"""What a code does not hold, and such a command wants beside it."""


@dataclass(frozen=True, slots=True)
class Option:
    """What there is to say of an option beside its name and its type."""

    help: str
    """Names other options as ``name_option`` does; {choices} stands for all values there are."""

    metavar: str | None = None
    """How the help writes its value; None for a flag."""

    example: str = ""
    """A value that it can have, as it is typed."""

    panel: Panel = Panel.OWN
    is_main: bool = False
    """Whether the help of a command shows it that takes too many options to show all; those of its own it shows."""

    short_flag: str = ""
    environment_variable: str | None = None
    is_repeatable: bool = False
    is_for_drawn_sheets: bool = False
    """Whether somebody's own matrices refuse it."""

    in_class_file: InClassFile = InClassFile.NO
    is_beyond_codes: bool = False
    """Whether ``grade`` takes it from the class file, since no sheet code holds it."""

    own_file_word: str = ""
    """What ``file_word`` is where it is not the usual one."""

    name: str = ""
    """In Python, in files, and with dashes in the terminal; ``class_`` where Python reserves the word."""

    kind: type[int] | type[str] | type[bool] = bool
    """What the terminal reads: the first of its types. A bool is a flag without a value."""

    choices: tuple[str, ...] = ()
    """All values there are; empty where there are too many to list."""

    @property
    def flag(self) -> str:
        """How it is typed, in full."""
        return "--" + self.name.rstrip("_").replace("_", "-")

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

    def is_in_help(self, command: str) -> bool:
        """Say whether the whole help of a command names it; elsewhere it is taken only to be refused with a reason."""
        return not (
            (command == "solve" and self.is_for_drawn_sheets) or (command in NAMING_COMMANDS and self.name == "seed")
        )

    def is_in_short_help(self, command: str) -> bool:
        """Say whether the help of a command shows it at once."""
        if command in NAMING_COMMANDS and self.panel is Panel.SHEET:
            return self.name in NAMING_OPTIONS
        is_short = command in ("grade", "practice", "explain") or (self.panel is Panel.OWN and command != "solve")
        return self.is_in_help(command) and (self.is_main or is_short)


# Subtle: str beside choices is for whoever passes a variable; only the choices are taken, and editors complete them
Whole = int | None
Text = str | None
Flag = bool

_FIXED, _CHANGEABLE = InClassFile.FIXED, InClassFile.CHANGEABLE
_sheet = partial(Option, panel=Panel.SHEET, in_class_file=_FIXED)
_drawn = partial(_sheet, is_for_drawn_sheets=True)
_page = partial(Option, panel=Panel.PAGE, in_class_file=_CHANGEABLE)
_file = partial(Option, panel=Panel.FILES)
_class = partial(Option, panel=Panel.CLASS)
_kept = partial(_class, in_class_file=_CHANGEABLE)

_FORCE = Option("Replace files even if somebody changed them.")
_JOBS = Option("Processes; one a processor if not said.", "N", "4")


class Seed(TypedDict, total=False):
    """The seed."""

    seed: Annotated[
        Whole,
        Option(
            "The same number gives the same sheet, for ever; drawn if not said.",
            "N",
            "7",
            Panel.SHEET,
            is_main=True,
            is_for_drawn_sheets=True,
        ),
    ]


class Drawing(TypedDict, total=False):
    """What is drawn; matrices of one's own say it themselves."""

    mechanism: Annotated[
        Literal["self", "basic", "cross", "multi-head", "block", "online", "next-token", "backward"] | str | None,
        _drawn(
            "Which attention: {choices}; self if not said.",
            "NAME",
            "multi-head",
            is_main=True,
        ),
    ]
    heads: Annotated[Whole, _drawn("Number of heads: 2 to 4; a block can have 1.", "N", "2")]
    kv_heads: Annotated[
        Whole, _drawn("Heads share keys and values: N of them for all heads, evenly; 1 for one K and V.", "N", "1")
    ]
    story: Annotated[
        Text,
        _drawn(
            "Numbers that mean something: a story by its name, or a TOML file of your own; drawn if not said.",
            "[NAME]",
            "soup",
            is_beyond_codes=True,
            own_file_word="{}",
        ),
    ]
    part: Annotated[
        str | Sequence[str] | None,
        _drawn(
            "One part of a whole tiny language model: words, head-1, head-2, stream, network, next-word, learn, "
            "write-on, word-after; or the last column without a part: without-head-1, -head-2, -places, -attention, "
            "-network. A seed has one model, and every part begins with the right results of those before. next-word "
            "and word-after take a `temperature` of 2 or 1/2. A class may have several, with commas: they are dealt in "
            "turn.",
            "NAME",
            "head-1",
            own_file_word="{}",
        ),
    ]
    causal: Annotated[Flag, _drawn("No query sees a later token: −∞ before the softmax.", is_main=True)]
    window: Annotated[
        Whole, _drawn("With `causal=True`: a query sees N tokens, its own and those before, 2 to 12.", "N", "2")
    ]
    begin_with: Annotated[
        str | Sequence[str] | None,
        _drawn(
            "Give these instead of what they are worked from: Q,K,V, or S, which ends with the weights.",
            "LIST",
            "Q,K,V",
            own_file_word="begins-with-{}",
        ),
    ]
    cache: Annotated[
        Whole,
        _drawn(
            "Keep keys and values of N tokens, 2 to 11, and work one new token: a step with a KV cache.",
            "N",
            "3",
            own_file_word="cache-{}",
        ),
    ]
    query_count: Annotated[
        Whole,
        _drawn(
            'With cross attention, or queries and keys to begin with: so many queries; 1 with a story: "what does *it* '
            'look at?"',
            "N",
            "1",
            own_file_word="query-count-{}",
        ),
    ]
    level: Annotated[
        Literal["first", "warm-up", "standard", "challenge"] | str | None,
        _drawn(
            "first, for a first sheet that begins at the scores, warm-up, standard or challenge; standard if not said.",
            "LEVEL",
            "warm-up",
            is_main=True,
        ),
    ]
    tokens: Annotated[Whole, _drawn("Number of tokens, 2 to 12.", "N", "4", is_main=True)]
    features: Annotated[Whole, _drawn("Features of a token, 2 to 12.", "N", "4")]
    d_k: Annotated[Whole, _drawn("Size of queries and keys, 1 to 8.", "N", "4")]
    d_v: Annotated[Whole, _drawn("Size of values, 1 to 8.", "N", "4")]
    memory_length: Annotated[
        Whole,
        _drawn(
            "Tokens of the memory that cross attention reads, 2 to 12; keys in a block of online attention.", "N", "4"
        ),
    ]
    blocks: Annotated[
        Whole,
        _drawn("In how many blocks the keys of online attention come, 2 to 4.", "N", "3", own_file_word="blocks-{}"),
    ]
    hidden: Annotated[Whole, _drawn("Size of a block's hidden layer, 1 to 8.", "N", "4")]
    vocabulary: Annotated[Whole, _drawn("Words that next-token chooses among, 3 to 12.", "N", "4")]
    embed: Annotated[
        Flag, _drawn("Look the words up in a small table: the same word, the same vector.", is_beyond_codes=True)
    ]
    positions: Annotated[
        Literal["sinusoidal", "rotary", "distance"] | str | bool | None,
        _drawn(
            "Say where tokens stand: sines and cosines added to words, or rotary, queries and keys turned, or "
            "distance, scores less how far away a key is, under a causal mask; sinusoidal if not said.",
            "[KIND]",
            "rotary",
            is_beyond_codes=True,
            own_file_word="{}",
        ),
    ]
    residual: Annotated[
        Flag, _drawn("In a block: add what a layer reads to what it gives, by hand to the nearest whole number.")
    ]
    norm: Annotated[
        Literal["rms"] | str | None,
        _drawn(
            "In a block: normalise tokens by the root of the mean of their squares, RMSNorm, without gain.",
            "rms",
            "rms",
            own_file_word="{}",
        ),
    ]
    norm_place: Annotated[
        Literal["before", "after"] | str | None,
        _drawn(
            'With `norm="rms"`: before each layer, as in LLaMA, or after it, as in 2017; before if not said.',
            "before|after",
            "after",
            own_file_word="norm-{}",
        ),
    ]
    carry: Annotated[
        str | Sequence[str] | None,
        _drawn(
            "Cut the sheet of one problem that makes all of these, with the same X and W: basic, self, multi-head-2, "
            "block-2, each also with -causal.",
            "LIST",
            "self,self-causal",
        ),
    ]
    allow_ties: Annotated[Flag, _drawn("Let two tokens share a query's largest weight.")]


class Numbers(TypedDict, total=False):
    """How the numbers are written and worked."""

    words: Annotated[
        str | Sequence[str] | None,
        _sheet(
            'A word for each token: "the cat saw". They count the tokens.',
            "TEXT",
            "the cat saw",
            is_main=True,
            is_beyond_codes=True,
        ),
    ]
    padding: Annotated[
        str | Sequence[int] | None,
        _sheet("Tokens that no query sees, counted from 1: 4, or 3,4.", "LIST", "4", own_file_word="padding-{}"),
    ]
    subtract_max: Annotated[
        Flag, _sheet("Subtract each query's largest score before powers are taken, as computers do: the same shares.")
    ]
    sink: Annotated[
        Whole,
        _sheet(
            "A sink: 3 to the power of N joins each sum of powers and is nobody's, so a query may look at nothing; 0 "
            "adds 1.",
            "N",
            "2",
        ),
    ]
    temperature: Annotated[
        str | int | float | None,
        _sheet(
            "Divide the scores by N before powers are taken: 1/2 sharpens the weights, 2 flattens them.",
            "N",
            "1/2",
            own_file_word="temperature-{}",
        ),
    ]
    top_k: Annotated[Whole, _sheet("With next-token: draw from the N likeliest words alone.", "N", "2")]
    learn: Annotated[
        str | int | float | None,
        _sheet(
            "With next-token: one step of learning from the loss, by this rate.", "N", "1/2", own_file_word="learn-{}"
        ),
    ]
    convention: Annotated[
        Literal["columns", "rows"] | str | None,
        _sheet("Tokens as columns (Q = W_Q X) or as rows (Q = X W_Q).", "WAY", "rows", is_main=True),
    ]
    rules: Annotated[
        Union[Literal["hand", "exact"], str, Mapping[str, Any], "Rules", None],
        _sheet("hand: ⌊x/2⌋ and 3ˣ. exact: x/√d_k and eˣ.", "hand|exact", "exact", is_main=True),
    ]
    scale: Annotated[
        str | int | None,
        _sheet(
            "For x/√d_k: half-floor, none, sqrt, or a number to divide by.", "RULE", "sqrt", own_file_word="scale-{}"
        ),
    ]
    base: Annotated[
        Literal["3", "2", "10", "e", "none"] | str | int | None,
        _sheet(
            "What stands for e, 3 if not said; none: plain shares, each score over the sum of the scores.",
            "3|2|10|e|none",
            "2",
            own_file_word="base-{}",
        ),
    ]
    decimals: Annotated[Whole, _sheet("Places of printed decimals, 1 to 6; 2 if not said.", "N", "2")]


class Asked(TypedDict, total=False):
    """Which part of the sheet is asked."""

    only_queries: Annotated[
        str | Sequence[int] | None,
        _sheet(
            "Ask these queries only: 1,3. So above 6 tokens if not said.",
            "LIST",
            "1,3",
            is_beyond_codes=True,
            own_file_word="queries-{}",
        ),
    ]
    from_stage: Annotated[
        Text,
        _sheet(
            "Print the stages before this one: S, or softmax.",
            "STAGE",
            "S",
            is_beyond_codes=True,
            own_file_word="from-{}",
        ),
    ]
    blank_stages: Annotated[
        str | Sequence[str] | None,
        _sheet(
            "Ask these stages only, print the others: A,Z.",
            "LIST",
            "A,Z",
            is_beyond_codes=True,
            own_file_word="asks-{}",
        ),
    ]
    fade: Annotated[Flag, _sheet("Solve the first token, begin the second, leave the rest to do.")]
    questions: Annotated[
        Literal["none", "few", "many"] | str | None,
        _sheet(
            "Questions beside the cells: a guess, readings, what-ifs; few if not said.",
            "none|few|many",
            "many",
            is_main=True,
            own_file_word="questions-{}",
        ),
    ]
    tries: Annotated[
        Flag, _sheet("A sheet of tries alone: leave a step of attention out, and see what goes wrong without it.")
    ]
    trace: Annotated[Whole, _sheet("One more page: the journey of this query, number by number.", "QUERY", "2")]
    mistake: Annotated[
        Text,
        _sheet(
            "A solved sheet with one mistake to find, and its key; any mistake, or one by its name: "
            "truncated, other-weights@V.",
            "[SLIP]",
            "any",
        ),
    ]


class Salt(TypedDict, total=False):
    """The salt."""

    salt: Annotated[
        Text,
        Option(
            "A secret that is not on the paper: without it the code gives no key, though whoever types in the "
            "matrices can still solve them. Also ATTNHAND_SALT.",
            "TEXT",
            "tin otter waltz jam",
            Panel.SHEET,
            environment_variable="ATTNHAND_SALT",
            own_file_word="salted",
        ),
    ]


class PaperSize(TypedDict, total=False):
    """The paper."""

    paper: Annotated[
        Literal["a4", "letter"] | str | None,
        _page("a4 if not said.", "a4|letter", "letter", is_main=True, is_beyond_codes=True),
    ]


class Look(TypedDict, total=False):
    """How the page looks, and what it is for."""

    large_print: Annotated[Flag, _page("Words in 18 points, numbers in 20, on A4 or Letter.")]
    show_exact: Annotated[Flag, _page("Print one query's exact values on the blank.")]
    self_check: Annotated[
        Flag, _page("Let the web sheet or Excel file check the work; its source then shows the answers.")
    ]
    fillable: Annotated[Flag, _page("Make the PDF a form to fill on screen.")]
    check_sums: Annotated[Flag, _page("Print what lines add to on the blank.")]
    tick_boxes: Annotated[Flag, _page("Print a box to tick below every column, for marking by eye.")]
    scan: Annotated[Flag, _page("Print a square in each corner, by which scans are turned to fit.")]


class Title(TypedDict, total=False):
    """The title."""

    title: Annotated[Text, _page("A title of your own.", "TEXT", "Week 3", is_main=True, is_beyond_codes=True)]


class Speech(TypedDict, total=False):
    """The language."""

    language: Annotated[
        Text, _page("Language of what is printed; en if not said.", "CODE", "en", is_main=True, own_file_word="{}")
    ]


class Shown(TypedDict, total=False):
    """The part that a picture, LaTeX or Markdown shows, and how."""

    stage: Annotated[
        Text,
        _file(
            "Let pictures, LaTeX and Markdown show one stage alone, a product with its factors: S.",
            "STAGE",
            "S",
            own_file_word="{}",
        ),
    ]
    slides: Annotated[Flag, _file("Let Markdown be slides, one a stage, as Marp, pandoc and Quarto show them.")]


class SheetFiles(TypedDict, total=False):
    """What is written of a sheet."""

    pdf: Annotated[Flag, _file("Write a PDF.", is_main=True)]
    html: Annotated[Flag, _file("Write a web page, one file.", is_main=True)]
    json: Annotated[Flag, _file("Write JSON.")]
    csv: Annotated[Flag, _file("Write CSV for a spreadsheet.")]
    xlsx: Annotated[Flag, _file("Write an Excel file laid out like the page, to fill and hand in.")]
    markdown: Annotated[Flag, _file("Write Markdown with LaTeX formulas.")]
    tex: Annotated[Flag, _file("Write LaTeX for \\input, into slides and papers.")]
    svg: Annotated[Flag, _file("Write a vector picture: the pages under one another.")]
    png: Annotated[Flag, _file("Write a picture in dots: the pages under one another.")]
    scorm: Annotated[Flag, _file("Write a SCORM package: the web sheet that checks itself, for a learning platform.")]
    moodle: Annotated[Flag, _file("Write questions for Moodle (Cloze): one a stage, each with numbers of its own.")]
    stack: Annotated[Flag, _file("Write a question for STACK, which follows a student's own numbers on the server.")]
    qti12: Annotated[Flag, _file("Write a quiz as QTI 1.2, for Canvas: as for Moodle, fractions and decimals count.")]
    qti21: Annotated[Flag, _file("Write a test as QTI 2.1, for other platforms: fractions and decimals count.")]
    notebook: Annotated[
        Flag,
        _file("Write a Jupyter notebook for otter assign, with tests that follow a student's own numbers."),
    ]


class SheetOutput(TypedDict, total=False):
    """Which of blank and key is written, and where."""

    blank: Annotated[Flag, _file("The blank sheet only.")]
    solved: Annotated[Flag, _file("The answer key only.", is_main=True)]
    out: Annotated[
        Text,
        _file("File or folder to write; - for stdout.", "PATH", "sheet.pdf", short_flag="-o", is_main=True),
    ]
    force: Annotated[Flag, replace(_FORCE, panel=Panel.FILES)]


class Vetting(TypedDict, total=False):
    """What solve says of numbers."""

    vet: Annotated[
        Flag,
        Option(
            "Say how good your numbers are for a class: ties, hidden slips, denominators. "
            "In place of the sheet; beside files on stderr.",
            is_main=True,
        ),
    ]


class Given(TypedDict, total=False):
    """What a key carries on from."""

    given: Annotated[
        Mapping[str, object] | Sequence[str] | None,
        Option(
            'What a student wrote: "scaled[2,1]=0"; the key carries on from it. Repeatable.',
            "CELL=VALUE",
            "scaled[2,1]=0",
            is_repeatable=True,
        ),
    ]


class OfClass(TypedDict, total=False):
    """The class that a sheet belongs to."""

    class_: Annotated[
        str | os.PathLike[str] | None,
        Option(
            "The class of the sheet, which knows its salt and words; a № then names a sheet.",
            "FOLDER",
            "attnhand-class",
            own_file_word="no-{}",
        ),
    ]


class Marking(TypedDict, total=False):
    """How what was handed in is marked."""

    against: Annotated[Text, Option("The sheet, if the file does not say: seed, code, file, sample.", "SOURCE", "7")]
    accept: Annotated[
        Sequence[str] | None,
        Option(
            "Count this cell, or answer to a question, as right: S[2,3], ask1. Repeatable, or with commas.",
            "CELL",
            "S[2,3]",
            is_repeatable=True,
        ),
    ]
    json: Annotated[Flag, Option("Print the marks as JSON, cell by cell.")]
    report: Annotated[Text, Option("Write the student's own sheet with marks: an .html or .pdf.", "FILE", "sara.html")]
    force: Annotated[Flag, Option("Replace a report that somebody changed.")]


class Grading(TypedDict, total=False):
    """How a folder is marked."""

    roster: Annotated[Text, Option("Who has which sheet: teacher/index.csv.", "INDEX", "teacher/index.csv")]
    against: Annotated[
        Text, Option("Without a class, the sheet that all were given: seed, code, file, sample.", "SOURCE", "7")
    ]
    marks: Annotated[
        Text,
        Option("What was marked on paper: teacher/marks.csv, filled (or as .xlsx, .ods).", "FILE", "teacher/marks.csv"),
    ]
    grades: Annotated[
        Literal["moodle", "canvas"] | str | None,
        Option(
            "Write everybody's percent as Moodle or Canvas imports it: grades-moodle.csv.", "moodle|canvas", "moodle"
        ),
    ]
    reports: Annotated[Flag, Option("Write a feedback page for everyone, into feedback/.")]
    out: Annotated[Text, Option("Folder to write to; here if not said.", "FOLDER", "graded/", short_flag="-o")]
    force: Annotated[Flag, _FORCE]
    jobs: Annotated[Whole, _JOBS]


class Practising(TypedDict, total=False):
    """Where answers are kept."""

    out: Annotated[
        Text,
        Option(
            "Where your answers are kept; attnhand-7-answers.json for seed 7.",
            "FILE",
            "answers.json",
            short_flag="-o",
        ),
    ]


class Enrolment(TypedDict, total=False):
    """Who is in a class."""

    count: Annotated[Whole, _class("So many sheets without names, instead of a roster.", "N", "30", is_main=True)]
    column: Annotated[
        Sequence[str] | None,
        _class(
            "Which column of the roster holds what: name=Surname; also first=, last=, number=, id=, email=, group=. "
            "Repeatable.",
            "WHAT=TITLE",
            "name=Surname",
            is_repeatable=True,
            is_main=True,
        ),
    ]
    dry_run: Annotated[
        Flag,
        _class("Say how the roster is understood, and who joins, leaves or changes; write nothing.", is_main=True),
    ]
    withdraw: Annotated[Flag, _class("Let many leave at once: they are not on the roster any more, and keep their №.")]


class OneSet(TypedDict, total=False):
    """What one set of a class has for itself."""

    like: Annotated[
        Text,
        _class(
            "Give everybody the № that they have in that class's folder: another set for the same people.",
            "FOLDER",
            "attnhand-class",
        ),
    ]
    only: Annotated[
        Literal["new"] | str | None, _class("Print only the sheets that nobody had before: new.", "new", "new")
    ]
    versions: Annotated[
        Whole, _class("Deal so many different sheets in turn.", "N", "4", in_class_file=_FIXED, is_main=True)
    ]


class HandOut(TypedDict, total=False):
    """What everybody gets, and in which files."""

    spare: Annotated[Whole, _kept("So many sheets more, for nobody yet.", "N", "4", is_main=True)]
    sort: Annotated[
        Literal["group", "name"] | str | None,
        _kept("Lay sheets by group, with a separator before each, or by name.", "[group|name]", "name", is_main=True),
    ]
    duplex: Annotated[Flag, _kept("Begin every sheet on a new leaf, to print both sides.", is_main=True)]
    no_cover: Annotated[
        Flag,
        _kept(
            "Sheets and keys alone, each of as many pages, for platforms that cut a PDF into equal parts; "
            "quick keys in a file of their own."
        ),
    ]
    separate: Annotated[
        Literal["student", "group"] | str | None,
        _kept(
            "Write every student's PDF as a file of its own too; or a folder a group: sheets, keys, marks.",
            "[student|group]",
            "group",
        ),
    ]
    html: Annotated[Flag, _kept("Write a web sheet for every student too.")]
    xlsx: Annotated[Flag, _kept("Write an Excel file for every student too.")]
    tex: Annotated[Flag, _kept("Write a LaTeX fragment for every student too.")]


class ClassQuestions(TypedDict, total=False):
    """What learning platforms get of a class."""

    moodle: Annotated[
        Flag, _kept("Write questions for Moodle too, for each stage a variant a student, for the teacher.")
    ]
    stack: Annotated[Flag, _kept("Write everybody's question for STACK too, as variants of one, for the teacher.")]
    qti12: Annotated[Flag, _kept("Write questions as QTI 1.2 too, as for Moodle, one variant drawn of each.")]
    qti21: Annotated[Flag, _kept("Write questions as QTI 2.1 too, as for Moodle, one variant drawn of each.")]


class ClassFiles(TypedDict, total=False):
    """Where a class is written, and how."""

    no_salt: Annotated[Flag, _class("Without a salt: the codes then give the keys to everybody.", in_class_file=_FIXED)]
    out: Annotated[
        Text,
        _class(
            "Folder to write; attnhand-class, or for a term attnhand-term, if not said.",
            "FOLDER",
            "week-3/",
            short_flag="-o",
            is_main=True,
        ),
    ]
    force: Annotated[Flag, replace(_FORCE, panel=Panel.CLASS)]
    jobs: Annotated[Whole, replace(_JOBS, panel=Panel.CLASS)]


class Cluster(TypedDict, total=False):
    """Where the work of a class is done."""

    scheduler: Annotated[
        Text,
        _class("On a Dask cluster: tcp://10.0.0.5:8786. Needs attnhand[cluster].", "ADDRESS", "tcp://10.0.0.5:8786"),
    ]


class WholeClass(Enrolment, OneSet, HandOut, ClassQuestions, ClassFiles, Cluster):
    """Who is in a class, and what everybody gets."""


class Weeks(TypedDict, total=False):
    """The weeks of a term."""

    plan: Annotated[
        Text,
        Option("What the weeks are: transformer, short or attention, or a TOML file of your own.", "PLAN", "my.toml"),
    ]
    from_week: Annotated[
        Whole, Option("Make this week and those behind it anew; the weeks before stay as they are.", "N", "3")
    ]


class ProblemOptions(Seed, Drawing, Numbers, Salt, Title):
    """All that makes the problem."""


class PageArguments(Asked, PaperSize, Look, Speech, Shown):
    """All that makes the page: what ``PageOptions`` holds."""


class SheetOptions(Drawing, Numbers, Asked, Salt, PaperSize, Look, Title, Speech):
    """All that makes a sheet, but for its seed."""


class BesideSource(Seed, Drawing, Numbers, Asked, Salt):
    """What may stand beside the name of a sheet."""


class GenerateOptions(Seed, SheetOptions, SheetFiles, Shown, SheetOutput):
    """The options of ``attnhand generate``."""


class SolveOptions(Vetting, Seed, SheetOptions, SheetFiles, Shown, SheetOutput):
    """The options of ``attnhand solve``; those about drawing are refused."""


class KeyOptions(Given, OfClass, Seed, SheetOptions, SheetFiles, Shown, SheetOutput):
    """The options of ``attnhand key``."""


class ExplainOptions(OfClass, BesideSource, Speech):
    """The options of ``attnhand explain``."""


class ClassOptions(WholeClass, Seed, SheetOptions):
    """The options of ``attnhand class``."""


class TermOptions(Weeks, Enrolment, HandOut, ClassFiles, Seed, Salt, PaperSize, Look, Speech):
    """The options of ``attnhand term``; the rest of a sheet stands in its plan."""


class CheckOptions(Marking, OfClass, BesideSource, PaperSize, Speech):
    """The options of ``attnhand check``."""


class GradeOptions(Grading, Salt, Speech):
    """The options of ``attnhand grade``."""


class PracticeOptions(OfClass, Practising, BesideSource, Speech):
    """The options of ``attnhand practice``."""


COMMAND_OPTIONS: Mapping[str, Any] = {
    "generate": GenerateOptions,
    "solve": SolveOptions,
    "key": KeyOptions,
    "explain": ExplainOptions,
    "class": ClassOptions,
    "term": TermOptions,
    "check": CheckOptions,
    "grade": GradeOptions,
    "practice": PracticeOptions,
}
"""By the names of commands, in the order of the help."""


def _read_option(name: str, annotated: Any) -> Option:
    """Return what is declared of one option, with what follows from its type; of a union the first member decides.

    >>> tokens = _read_option("tokens", Annotated[int | None, Option("Number of tokens.")])
    >>> paper = _read_option("paper", Annotated[Literal["a4", "letter"] | str | None, Option("Size of the paper.")])
    >>> tokens.kind.__name__, tokens.choices, paper.kind.__name__, paper.choices
    ('int', (), 'str', ('a4', 'letter'))
    """
    declared_type, option = get_args(annotated)
    assert isinstance(option, Option)
    assert get_origin(declared_type) is not Literal, "a Literal stands in a union with str"
    members = get_args(declared_type) or (declared_type,)
    kind: Any = members[0] if members[0] in (int, bool) else str
    choices = tuple(choice for each in members if get_origin(each) is Literal for choice in get_args(each))
    help = option.help.replace("{choices}", ", ".join(choices))
    return replace(option, help=help, name=name, kind=kind, choices=choices)


@cache
def list_options(command: str) -> tuple[Option, ...]:
    """Return the options of a command, in the order of its help; samples has none.

    >>> [option.flag for option in list_options("practice")][:3]
    ['--class', '--out', '--seed']
    """
    return list_declared(COMMAND_OPTIONS[command]) if command in COMMAND_OPTIONS else ()


@cache
def list_declared(declaration: Any) -> tuple[Option, ...]:
    """Return the options of one of the dictionaries above, in its order."""
    annotations = declaration.__annotations__.items()
    return tuple(_read_option(name, each) for name, each in annotations if get_origin(each) is Annotated)


@cache
def list_examples(declaration: Any) -> Mapping[str, str]:
    """Return by name a value of every option of one of the dictionaries above, as it is typed."""
    return {option.name: option.example for option in list_declared(declaration)}


def find_option(name: str) -> Option:
    """Return an option by its name, as most commands mean it.

    >>> find_option("d_k").flag, find_option("paper").choices
    ('--d-k', ('a4', 'letter'))
    """
    return _list_options_by_name()[name]


@cache
def _list_options_by_name() -> Mapping[str, Option]:
    by_name: dict[str, list[Option]] = {}
    for command in COMMAND_OPTIONS:
        for option in list_options(command):
            by_name.setdefault(option.name, []).append(option)
    return {name: max(options, key=options.count) for name, options in by_name.items()}


CLASS_FILE_OPTIONS: Mapping[str, Option] = {
    option.name: option for option in list_options("class") if option.in_class_file is not InClassFile.NO
}
"""Options that a class file keeps, by name."""


_NAMED_OPTION = re.compile(r'`([a-z_]+)=("(?:[^"\\]|\\.)*"|[^`"]*)`')
"""An option in a message, as ``name_option`` writes it."""


def spell_for_terminal(message: str) -> str:
    """Return a message with the options that it names as they are typed.

    >>> spell_for_terminal('leave out `d_k=9`, `embed=True` or `words="the cat"`: `title=` says enough')
    'leave out --d-k 9, --embed or --words "the cat": --title says enough'
    """
    return _NAMED_OPTION.sub(lambda named: _spell_option(named[1], named[2]) or named[0], message)


def _spell_option(name: str, value: str) -> str | None:
    """Spell an option as it is typed; None where there is no such option: somebody else wrote that."""
    if (option := _list_options_by_name().get(name)) is None:
        return None
    flag = option.flag
    if value in ("", "True"):
        return flag
    text = json.loads(value) if value.startswith('"') else value.strip("[]").replace(", ", ",")
    return f'{flag} "{text}"' if " " in text else f"{flag} {text}"
