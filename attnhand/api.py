"""What Python users call; it returns the object that the command line renders."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import StrEnum
from operator import index
from typing import TYPE_CHECKING, Any, TypeVar

from attnhand.attention.arithmetic import HAND, Rules
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import Variant
from attnhand.errors import AnswerError, GenerationError, ProblemError
from attnhand.formats.answers import read_answers_from_python, select_stage_answers
from attnhand.marking.checked import CheckResult, check_answers
from attnhand.problems.base32 import normalize_code
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import build_problem_from_python
from attnhand.problems.reading import read_rules, read_text, read_words
from attnhand.problems.request import Request, draw_seed
from attnhand.sheet.make import make_sheet_from_problem, make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet

if TYPE_CHECKING:
    from attnhand.sheet.vet import VetReport

Choice = TypeVar("Choice", bound=StrEnum)


class Worksheet(Sheet):
    """A sheet that shows and writes itself.

    >>> generate(seed=7).blank
    <Worksheet A1Q0-0000-000W, blank>
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the JSON sheet as a dictionary; a blank one holds no answer."""
        from attnhand.formats.json_sheet import make_sheet_dict

        return make_sheet_dict(self)

    def _repr_html_(self) -> str:
        """Show the sheet in a notebook."""
        from attnhand.formats.notebook import render_notebook

        return render_notebook(self)


def _worksheet(sheet: Sheet) -> Worksheet:
    return Worksheet(**{field.name: getattr(sheet, field.name) for field in fields(sheet)})


def generate(
    seed: int | None = None,
    *,
    mechanism: str = "self",
    heads: int | None = None,
    causal: bool = False,
    window: int | None = None,
    level: str = "standard",
    convention: str = "columns",
    tokens: int | None = None,
    features: int | None = None,
    d_k: int | None = None,
    d_v: int | None = None,
    memory_length: int | None = None,
    hidden: int | None = None,
    rules: Rules | Mapping[str, Any] = HAND,
    allow_ties: bool = False,
    words: Sequence[str] | str = (),
    embed: bool = False,
    positions: bool = False,
    title: str = "",
    salt: str = "",
    options: PageOptions | None = None,
) -> Worksheet:
    """Make the sheet of a seed, solved and proved; without a seed one is drawn.

    >>> generate(seed=7).code
    'A1Q0-0000-000W'

    Args:
        mechanism: self, basic, cross, multi-head or block.
        heads: 2 to 4 for multi-head, 1 to 4 for a block.
        causal: no query sees a later token. window: of those before it sees one fewer than so many (2 to 12).
        level: warm-up, standard or challenge; sets the sizes that are not said.
        convention: tokens lie as columns or as rows of X.
        tokens: 2 to 12; counted from the words where they are given. features: 2 to 12. d_k, d_v: 1 to 8.
        memory_length: tokens of the memory that cross attention reads. hidden: size of a block's hidden layer.
        rules: how it is worked by hand; as a mapping, like those of a problem file.
        ties: two tokens may share a query's largest weight.
        words: a list, or one text of words with blanks between them.
        embed: look the words up in a table, the same word in the same column.
        positions: add sines and cosines of their positions; the words are then looked up in any case.
        salt: a secret that is not on the paper; without it the code gives no key.
        options: what is asked and how it is printed.

    Raises:
        AttnhandError: no good sheet of these sizes and rules can be drawn, or an argument is out of range.
    """
    labels = read_words(words.split() if isinstance(words, str) else words)
    looked_up = labels if embed or positions else ()
    if (embed or positions) and not labels:
        raise GenerationError("there are no words to look up: give some")
    if not looked_up and (twice := next((word for word in labels if labels.count(word) > 1), None)):
        raise GenerationError(
            f"the word {twice!r} is there twice, but every token is drawn on its own: number them, or embed=True"
        )
    sizes = {"tokens": tokens, "features": features, "d_k": d_k, "d_v": d_v, "memory": memory_length, "hidden": hidden}
    if tokens is None and labels:
        sizes["tokens"] = len(labels)
    request = Request(
        seed=draw_seed() if seed is None else _require_whole_number("seed", seed),
        variant=Variant(
            mechanism=mechanism,
            heads=None if heads is None else _require_whole_number("heads", heads),
            is_causal=causal,
            window=None if window is None else _require_whole_number("window", window),
            embedded_words=looked_up,
            has_positions=positions,
        ),
        convention=_parse_choice("convention", Convention, convention),
        level=_parse_choice("level", Level, level),
        size_overrides=tuple(
            (name, _require_whole_number(name, size)) for name, size in sizes.items() if size is not None
        ),
        rules=read_rules(rules),
        allow_ties=allow_ties,
    )
    return _worksheet(
        make_sheet_from_request(
            request,
            options,
            salt=read_text("the salt", salt),
            words=() if looked_up else labels,
            title=read_text("the title", title),
        )
    )


def solve(
    problem: Mapping[str, Any] | None = None, *, options: PageOptions | None = None, **matrices: Any
) -> Worksheet:
    """Make the sheet of your own matrices, solved and proved.

    >>> eye = [[1, 0], [0, 1]]
    >>> solve(X=eye, W_Q=eye, W_K=eye, W_V=[[4, 8]]).solution["Z"].hand
    ((6, 6),)

    Args:
        problem: a mapping with matrices by name (lists or arrays), or laid out like a problem file.
        matrices: the same as keywords, with ``convention``, ``rules``, ``words`` and ``title`` beside them.

    Raises:
        AttnhandError: the matrices do not fit together; the message names key, row, column and remedy.
    """
    if problem is not None and not isinstance(problem, Mapping):
        raise ProblemError(f"the problem is of type {type(problem).__name__}: give a mapping of matrices by name")
    return _worksheet(make_sheet_from_problem(build_problem_from_python({**(problem or {}), **matrices}), options))


def vet(sheet: Sheet) -> "VetReport":
    """Say how good the numbers of a sheet are for a class: ties, hidden slips, large denominators.

    >>> eye = [[1, 0], [0, 1]]
    >>> vet(solve(X=eye, W_Q=eye, W_K=eye, W_V=[[4, 8]])).verdict
    'Five things to know before you print it.'
    """
    from attnhand.sheet.vet import vet as vetted

    return vetted(sheet)


def check(answers: Mapping[str, Any], sheet: Sheet) -> CheckResult:
    """Mark answers to a sheet: every cell, the first departure, and the slips it looks like.

    >>> sheet = generate(seed=7)
    >>> given = {name: sheet.solution[name].hand for name in ("Q", "K", "V")}
    >>> marks = check(given, sheet)
    >>> marks.feedback.score, marks.feedback.praise
    ('36 of 116 cells count: 36 right, 80 empty.', 'Right throughout: Q, K, V.')

    Args:
        answers: rows by stage, of numbers or texts, as lists or arrays; or the data of an answer file.

    Raises:
        AnswerError: something is no matrix, names no stage, or answers another sheet.
    """
    try:
        read = select_stage_answers(read_answers_from_python(answers), sheet.problem)
    except AnswerError as error:
        raise AnswerError(f"what was handed in {error}") from None
    if read.code is not None and normalize_code(read.code) != normalize_code(sheet.code):
        raise AnswerError(f"the answers are to the sheet {read.code}, not {sheet.code}: give the sheet they belong to")
    return check_answers(read, sheet)


def _require_whole_number(name: str, number: object) -> int:
    try:
        return index(number)  # type: ignore[arg-type]  # whatever a caller without type checks hands in
    except TypeError:
        raise GenerationError(f"{name} is {number!r}, not a whole number: give one") from None


def _parse_choice(name: str, choices: type[Choice], text: str) -> Choice:
    try:
        return choices(text)
    except ValueError:
        *known, last = choices
        raise GenerationError(f"the {name} {text!r} is unknown: use {', '.join(known)} or {last}") from None
