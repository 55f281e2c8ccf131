"""What Python users call: all that the command line can do with a sheet, by the same names."""

import inspect
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, TypeVar, Unpack

from attnhand.errors import AnswerError, PageError, ProblemError
from attnhand.formats.answers import arrange_answers, read_answers_from_python, select_stage_answers
from attnhand.formats.registry import FORMATS
from attnhand.formats.sources import (
    make_sheet_from_file,
    make_sheet_from_own_problem,
    make_sheet_from_seed,
    make_sheet_from_source,
)
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.marking.checked import accept as accept_items
from attnhand.problems.base32 import normalize_code
from attnhand.problems.problem_file import build_problem_from_python
from attnhand.problems.reading import read_rules, read_text, read_words
from attnhand.sheet.asked import apply_asked_data
from attnhand.sheet.option_table import (
    Asked,
    Given,
    Look,
    Numbers,
    OfClass,
    PaperSize,
    SheetOptions,
    Shown,
    Speech,
    Title,
    list_declared,
)
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder, parse_order, parse_page
from attnhand.sheet.sheet import Sheet

if TYPE_CHECKING:
    from attnhand.classroom.grading import GradedFolder
    from attnhand.sheet.vet import VetReport

FileName = str | os.PathLike[str]


class GenerateArguments(SheetOptions, Shown, total=False):
    """What ``generate`` takes beside the seed."""

    options: PageOptions | None


class SolveArguments(Numbers, Asked, PaperSize, Look, Title, Speech, Shown, total=False):
    """What ``solve`` takes: a problem file's keys and matrices too, as rows of numbers or arrays."""

    options: PageOptions | None
    mechanism: str
    heads: Sequence[Mapping[str, Any]]
    groups: Sequence[Mapping[str, Any]]
    mask: Any
    window: int | None
    ends_with: str | None
    cache: int | None
    residual: bool
    norm: str | None
    norm_place: str | None
    second_relu: bool
    read_out: Sequence[str]
    blocks: int | None
    Q: Any
    K: Any
    V: Any
    K1: Any
    V1: Any
    K2: Any
    V2: Any
    K3: Any
    V3: Any
    K4: Any
    V4: Any
    S: Any
    A: Any
    b_Q: Any  # noqa: N815
    b_K: Any  # noqa: N815
    b_V: Any  # noqa: N815
    positions: Any
    story: Any
    embedding: Any
    X: Any
    M: Any
    W_Q: Any
    W_K: Any
    W_V: Any
    W_O: Any
    W_1: Any
    b_1: Any
    W_2: Any
    b_2: Any
    K_cache: Any
    V_cache: Any
    g: Any
    z: Any
    W_U: Any
    y: Any


class KeyArguments(Given, OfClass, SheetOptions, Shown, total=False):
    """What ``key`` takes beside the source."""

    options: PageOptions | None


@dataclass(frozen=True, kw_only=True, repr=False)
class Worksheet(Sheet):
    """A sheet that shows, writes and explains itself.

    >>> generate(seed=7).blank
    <Worksheet A1Q0-0000-000W, blank>

    Of what ``generate`` returns a notebook shows the blank sheet, as the terminal does; of ``sheet.key``, ``solve`` and
    ``key`` the answers. ``sheet.blank.pdf()`` is to fill, ``sheet.key.pdf()`` has the answers. Files are as the command
    line writes them; a text is read for ``write_text(…, encoding="utf-8")``.
    """

    is_key: bool = field(default=False, compare=False)
    """Whether it was asked for with its answers, which a notebook then shows."""

    @property
    def key(self) -> Self:
        """The same sheet with its answers, for a notebook to show."""
        return self._turn(is_solved=True, is_key=True)

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON sheet as a dictionary; a blank one holds no answer."""
        from attnhand.formats.json_sheet import make_sheet_dict

        return make_sheet_dict(self)

    def pdf(self) -> bytes:
        """Return the sheet as a PDF."""
        return FORMATS["pdf"].render_file(self)

    def html(self) -> str:
        """Return the sheet as a web page, one file."""
        return self._render_text("html")

    def json(self) -> str:
        """Return the JSON sheet.

        >>> import json
        >>> json.loads(generate(seed=7).json())["code"]
        'A1Q0-0000-000W'
        """
        return self._render_text("json")

    def csv(self) -> str:
        """Return the sheet as a table for a spreadsheet.

        >>> generate(seed=7).blank.csv().splitlines()[0]
        'attnhand,A1Q0-0000-000W'
        """
        return self._render_text("csv")

    def xlsx(self) -> bytes:
        """Return the sheet as an Excel file, laid out like the page."""
        return FORMATS["xlsx"].render_file(self)

    def markdown(self, stage: str | None = None, *, slides: bool = False) -> str:
        """Return the sheet as Markdown with LaTeX formulas, or one stage of it; as slides, one a stage, if asked.

        >>> generate(seed=7).markdown().splitlines()[0]
        '# Self-attention by hand'
        """
        shown = self._show_stage(stage)
        if slides:
            shown = replace(shown, options=replace(shown.options, slides=True))
        return shown._render_text("markdown")

    def tex(self, stage: str | None = None) -> str:
        """Return the sheet as LaTeX for ``\\input``, or one stage of it."""
        return self._show_stage(stage)._render_text("tex")

    def svg(self, stage: str | None = None) -> str:
        """Return the sheet as a vector picture, or one stage of it: ``sheet.svg(stage="S")``."""
        return self._show_stage(stage)._render_text("svg")

    def png(self, stage: str | None = None) -> bytes:
        """Return the sheet as a picture in dots, or one stage of it."""
        return FORMATS["png"].render_file(self._show_stage(stage))

    def scorm(self) -> bytes:
        """Return a SCORM package to practise on: with the key in its source, whatever the sheet shows."""
        return FORMATS["scorm"].render_file(self)

    def moodle(self) -> str:
        """Return questions for Moodle, one a stage, with their answers."""
        return self._render_text("moodle")

    def stack(self) -> str:
        """Return a question for STACK, with its answers."""
        return self._render_text("stack")

    def qti12(self) -> bytes:
        """Return a quiz as QTI 1.2, as Canvas imports it, with its answers."""
        return FORMATS["qti12"].render_file(self)

    def qti21(self) -> bytes:
        """Return a test as QTI 2.1, with its answers."""
        return FORMATS["qti21"].render_file(self)

    def notebook(self) -> str:
        """Return a notebook for ``otter assign``, with its answers."""
        return self._render_text("notebook")

    def explain(self, cell: str) -> str:
        """Say how one cell comes about, or follow one query all the way.

        >>> print(generate(seed=7).explain("S[2,3]").splitlines()[0])
        S[2,3], scores: row k₂ of Kᵀ · column q₃ of Q

        Args:
            cell: ``S[2,3]`` or ``S23``, row then column from 1; ``k2q3``; or ``q2`` for a query's whole journey.

        Raises:
            CellError: the sheet has no such cell.
        """
        from attnhand.sheet.explain import format_explanation

        return format_explanation(self, cell)

    def _show_stage(self, stage: str | None) -> Self:
        return self if stage is None else replace(self, options=replace(self.options, stage=stage))

    def _render_text(self, format_name: str) -> str:
        return FORMATS[format_name].render_file(self).decode("utf-8-sig")

    @property
    def _shown(self) -> Self:
        """What a notebook shows and stores."""
        return self if self.is_key else self.blank

    def _repr_html_(self) -> str:
        """Show the sheet in a notebook: the answers only where they were asked for."""
        from attnhand.formats.notebook import render_notebook

        return render_notebook(self._shown)

    def _repr_latex_(self) -> str:
        """Show the same where a notebook becomes LaTeX."""
        return FORMATS["tex"].render(self._shown).decode()


def _make_worksheet(sheet: Sheet, *, is_key: bool) -> Worksheet:
    return Worksheet(**{each.name: getattr(sheet, each.name) for each in fields(sheet)}, is_key=is_key)


_Function = TypeVar("_Function", bound=Callable[..., Any])


def _takes(declaration: Any) -> Callable[[_Function], _Function]:
    """Show the declared arguments where a function shows its own: in ``help()``, and on Tab in a notebook."""

    def show(function: _Function) -> _Function:
        own = inspect.signature(function)
        kept = [each for each in own.parameters.values() if each.kind is not each.VAR_KEYWORD]
        shown = {each.name: each for each in list_declared(declaration)}
        named = [inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=None) for name in shown]
        function.__signature__ = own.replace(parameters=[*kept, *named, _OPTIONS])  # type: ignore[attr-defined]
        described = "".join(f"\n        {name}: {option.help}" for name, option in shown.items())
        function.__doc__ = (function.__doc__ or "").replace(_ARGUMENTS_OF_TABLE, described.lstrip())
        return function

    return show


_OPTIONS = inspect.Parameter("options", inspect.Parameter.KEYWORD_ONLY, default=None, annotation="PageOptions | None")
_ARGUMENTS_OF_TABLE = "**options: as in the terminal."
"""In a docstring, what ``_takes`` writes out, so that ``help()`` says all."""


@_takes(GenerateArguments)
def generate(seed: int | None = None, **options: Unpack[GenerateArguments]) -> Worksheet:
    """Make the sheet of a seed, solved and proved; without a seed one is drawn.

    >>> generate(seed=7).code
    'A1Q0-0000-000W'
    >>> generate(seed=7, only_queries=[1, 3], from_stage="softmax").answer_cell_count
    24

    Args:
        seed: The same number gives the same sheet, for ever.
        **options: as in the terminal.
        options: The same for the page, as a value; single arguments go before it.

    Raises:
        AttnhandError: no good sheet of these sizes and rules can be drawn, or an argument is out of range.
    """
    order, page = _read_arguments("generate", GenerateArguments, {**options, "seed": seed})
    return _make_worksheet(make_sheet_from_seed(order, page, order.seed).sheet, is_key=False)


@_takes(SolveArguments)
def solve(
    problem: Mapping[str, Any] | FileName | None = None, **options_and_matrices: Unpack[SolveArguments]
) -> Worksheet:
    """Make the sheet of your own matrices, solved and proved.

    >>> eye = [[1, 0], [0, 1]]
    >>> solve(X=eye, W_Q=eye, W_K=eye, W_V=[[4, 8]]).solution["Z"].hand
    ((6, 6),)

    Args:
        problem: A mapping with matrices by name (lists or arrays), or laid out like a problem file; or its file.
            Matrices may be keywords too, with ``mask`` and ``positions`` as in a problem file.
        **options: as in the terminal.
        options: The same for the page, as a value; single arguments go before it.

    A convention says how your matrices are written; a problem that names the other one is mirrored.

    Raises:
        AttnhandError: the matrices do not fit together; the message names key, row, column and remedy.
    """
    option_names = {*_list_names(SolveArguments), "options"}
    arguments = {name: value for name, value in options_and_matrices.items() if name in option_names}
    matrices = {name: value for name, value in options_and_matrices.items() if name not in option_names}
    order, page = _read_arguments("solve", SolveArguments, arguments)
    if isinstance(problem, str | os.PathLike) and not matrices:
        return _make_worksheet(make_sheet_from_file(os.fspath(problem), order, page).sheet, is_key=True)
    if problem is not None and not isinstance(problem, Mapping):
        raise ProblemError(f"the problem is of type {type(problem).__name__}: give a mapping of matrices by name")
    given = {**(problem or {}), **matrices}
    if order.convention and "convention" not in given:
        given["convention"] = order.convention
    # of a problem that labels its tokens itself, words are checked against the tokens here
    if order.words:
        given["words"] = list(order.list_words())
    own = build_problem_from_python(given)
    page = apply_asked_data(page, given if "format" in given else {})
    return _make_worksheet(make_sheet_from_own_problem(own, order, page), is_key=True)


@_takes(KeyArguments)
def key(source: str | int, **options: Unpack[KeyArguments]) -> Worksheet:
    """Make a sheet and its key again, from the code on the paper or whatever else names it.

    >>> key("A1Q0-0000-000W") == generate(seed=7)
    True
    >>> key("A1Q0-0000-000W", given={"scaled[2,1]": 0}).solution == generate(seed=7).solution
    True

    Args:
        source: A sheet code, a seed, a problem file, a JSON sheet, a sample, or what was handed in; beside a class
            also a №.
        **options: as in the terminal.
        options: The same for the page, as a value; single arguments go before it.

    Raises:
        AttnhandError: it names no sheet, one that was salted otherwise, or one that an argument contradicts.
    """
    arguments: dict[str, Any] = {**options}
    given, class_folder = arguments.pop("given", None), arguments.pop("class_", None)
    name, seat = str(source), None
    if class_folder is not None:
        from attnhand.classroom.class_source import find_in_class

        found = find_in_class(os.fspath(class_folder), name, arguments)
        name, arguments, seat = found.name, dict(found.option_values), found.seat
    order, page = _read_arguments("key", KeyArguments, arguments)
    sheet = make_sheet_from_source(name, order, page).sheet
    if seat:
        sheet = replace(sheet, seat=seat)
    if given:
        from attnhand.marking.given_cells import carry_from_given_cells

        sheet = carry_from_given_cells(sheet, given)
    return _make_worksheet(sheet, is_key=True)


def explain(source: Sheet | str | int, cell: str, *, salt: str | None = None, class_: FileName | None = None) -> str:
    """Say how one cell of a sheet comes about, by hand and exactly; or follow one query all the way.

    >>> explain(7, "S[2,3]") == generate(seed=7).explain("S[2,3]")
    True

    Args:
        source: a sheet, or what names one: a code, a seed, a file, a sample.
        cell: as for ``Worksheet.explain``.
        salt, class_: as for ``key``.
    """
    from attnhand.sheet.explain import format_explanation

    return format_explanation(source if isinstance(source, Sheet) else key(source, salt=salt, class_=class_), cell)


def vet(sheet: Sheet) -> "VetReport":
    """Say how good the numbers of a sheet are for a class: ties, hidden slips, large denominators.

    >>> eye = [[1, 0], [0, 1]]
    >>> vet(solve(X=eye, W_Q=eye, W_K=eye, W_V=[[4, 8]])).verdict
    'Nine things to know before you print it.'
    """
    from attnhand.sheet.vet import vet as vet_sheet

    return vet_sheet(sheet)


def check(
    answers: Mapping[str, Any] | FileName,
    sheet: Sheet | None = None,
    *,
    against: Sheet | str | int | None = None,
    class_: FileName | None = None,
    salt: str | None = None,
    accept: Sequence[str] = (),
) -> CheckResult:
    """Mark answers to a sheet: every cell, the first departure, and the slips it looks like.

    >>> sheet = generate(seed=7)
    >>> given = {name: sheet.solution[name].hand for name in ("Q", "K", "V")}
    >>> marks = check(given, sheet)
    >>> marks.feedback.score, marks.feedback.praise
    ('Score: 36 of 116 cells (36 right, 80 empty).', 'Right throughout: Q, K and V.')

    Args:
        answers: a file that was handed in (JSON, CSV, .xlsx, .ods or PDF), which says to which sheet; or rows by stage,
            of numbers or texts, as lists or arrays; or the data of an answer file.
        sheet: the sheet that is answered; for rows by stage it is needed.
        against: the same, or what names it: a seed, a code, a file, a sample.
        class_: the folder of the class, for a file: a № in it says which sheet, and another's answers are not scored.
        salt: the one that the sheet was made with.
        accept: cells and questions that count as right, whatever stands there: ``["S[2,3]", "ask1"]``.

    Raises:
        AnswerError: something is no matrix, names no stage, or answers another sheet.
        CellError: what is to be accepted is not asked.
    """
    if isinstance(accept, str):
        accept = [accept]
    return accept_items(_check(answers, sheet if sheet is not None else against, class_, salt), accept)


def _check(
    answers: Mapping[str, Any] | FileName, answered: Sheet | str | int | None, class_: FileName | None, salt: str | None
) -> CheckResult:
    from attnhand.marking.submission import check_file

    order = SheetOrder(salt=salt or None)
    if isinstance(answers, str | os.PathLike):
        source = answered if answered is None or isinstance(answered, Sheet) else str(answered)
        if class_ is not None:
            from attnhand.classroom.grading import check_paper

            return check_paper(os.fspath(answers), os.fspath(class_), source, order, PageOptions(), None)
        return check_file(os.fspath(answers), source, order, PageOptions())
    if answered is None:
        raise AnswerError("what was handed in does not say which sheet it answers: give the sheet")
    answered = answered if isinstance(answered, Sheet) else key(answered, salt=salt)
    try:
        read = select_stage_answers(arrange_answers(read_answers_from_python(answers), answered), answered)
    except AnswerError as error:
        raise AnswerError(f"what was handed in {error}") from None
    if read.code is not None and normalize_code(read.code) != normalize_code(answered.code):
        raise AnswerError(
            f"the answers are to the sheet {read.code}, not {answered.code}: give the sheet they belong to"
        )
    return check_answers(read, answered)


def grade(
    folder: FileName,
    *,
    class_: FileName | None = None,
    roster: FileName | None = None,
    marks: FileName | None = None,
    against: Sheet | str | int | None = None,
    review: FileName | None = None,
    salt: str | None = None,
    language: str | None = None,
    jobs: int | None = 1,
) -> "GradedFolder":
    """Mark everything in a folder: the gradebook, and what to teach again; nothing is written.

    Args:
        folder: what was handed in, or a zip of it, as Moodle makes one: JSON, CSV, .xlsx, .ods, PDF forms, also in
            folders below.
        class_: the folder of the class, which has its index, its marks on paper, its salt and its words.
        roster: the index alone, teacher/index.csv; class.toml beside it says the salt.
        marks: teacher/marks.csv, filled with what was marked by eye, or the .xlsx or .ods that it was saved as.
        against: without a class, the sheet that everybody was given, or what names it.
        review: review.csv, or the .xlsx or .ods that it was saved as, in which the teacher has decided.
        language: of remarks and reports; None for that of the class.
        jobs: processes that read them, so that no file can take this one along; None for one a processor.

    Raises:
        AttnhandError: there is nothing to mark, or index, marks or decisions are none.
    """
    from attnhand.classroom.grading import grade_folder

    order, page = SheetOrder(salt=salt or None), PageOptions(language=language)
    return grade_folder(
        os.fspath(folder),
        order,
        page,
        class_folder=os.fspath(class_) if class_ else None,
        roster=os.fspath(roster) if roster else None,
        marks=os.fspath(marks) if marks else None,
        against=against if against is None or isinstance(against, Sheet) else str(against),
        reviews=[Path(review)] if review else (),
        language=language,
        processes=jobs,
    )


def _read_arguments(
    function_name: str, declaration: Any, arguments: Mapping[str, Any]
) -> tuple[SheetOrder, PageOptions]:
    """Return what is asked for; what is as it is when nobody says anything is left to ``options``.

    Raises:
        TypeError: there is no such argument.
        AttnhandError: one is of the wrong type, or there is no such choice.
    """
    known = {*_list_names(declaration), "options", "seed"}
    if unknown := next((name for name in arguments if name not in known), None):
        raise TypeError(f"{function_name}() got an unexpected keyword argument {unknown!r}")
    if not isinstance(page := arguments.get("options"), PageOptions | None):
        kind = type(page).__name__
        raise PageError(f"the options are of type {kind}: give them as attnhand.PageOptions, or as single arguments")
    values = {name: _read_argument(name, value) for name, value in arguments.items() if name != "options"}
    return parse_order(values), parse_page(values, page)


def _list_names(declaration: Any) -> set[str]:
    return {option.name for option in list_declared(declaration)}


def _read_argument(name: str, value: Any) -> Any:
    """Return an argument as the options take it: texts and rules as problem files have them.

    Raises:
        AttnhandError: it cannot be.
    """
    if value is None or isinstance(value, bool):
        return value
    match name:
        case "words":
            return read_words(value.split() if isinstance(value, str) else value) or None
        case "salt" | "title":
            return read_text(f"the {name}", value) or (None if name == "salt" else "")
        case "rules" if not isinstance(value, str):
            return read_rules(value)
    return value
