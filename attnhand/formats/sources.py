"""Anything that names a problem: a seed, a sheet code, a problem file, a JSON sheet, a form of ours, a sample."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from attnhand.attention.mechanisms import Convention
from attnhand.attention.problem import Problem
from attnhand.errors import AnswerError, AttnhandError, CodeError, ProblemError
from attnhand.formats.pdf.form_reader import LARGEST_PDF, is_pdf, read_form
from attnhand.problems.reading import problem_from_data
from attnhand.problems.request import LARGEST_SEED, Request
from attnhand.problems.sheet_code import OWN_LETTER, decode, looks_like_code, salt_digest
from attnhand.sheet.asked import with_asked
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import What
from attnhand.sheet.sheet import Sheet
from attnhand.system.did_you_mean import nearest
from attnhand.system.json_toml import FileKind, read_data
from attnhand.system.resources import sample_dir
from attnhand.system.streams import read_stdin

LARGEST_FILE = 1_000_000
"""A problem file of more bytes is none."""

FILE_KINDS: Mapping[str, FileKind] = {".json": "json", ".toml": "toml"}
"""By suffix; what has another may be either."""

LONGEST_SEED = 20
"""Digits; more are not even read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """A sheet and the name its files go by."""

    sheet: Sheet
    stem: str
    """What its files are called, before what ``file_stem`` adds."""

    @property
    def file_stem(self) -> str:
        """The beginning of its files' names: a sheet with a mistake is not the sheet to work."""
        return self.stem + ("-mistake" if self.sheet.planted else "-given" if self.sheet.carried else "")


def sample_names() -> tuple[str, ...]:
    """Return the names of the samples, in alphabetical order."""
    return tuple(sorted(path.stem for path in sample_dir().glob("*.json")))


def sample_text(name: str) -> str:
    """Return a sample's problem file.

    Raises:
        AttnhandError: there is no such sample.
    """
    if name not in sample_names():
        meant = nearest(name, sample_names())
        advice = f"did you mean {meant}?" if meant else f"choose {', '.join(sample_names())}"
        raise AttnhandError(f"there is no sample {name!r}: {advice}")
    return (sample_dir() / f"{name}.json").read_text(encoding="utf-8")


def sheet_from_seed(what: What, page: PageOptions, seed: int | None) -> Named:
    """Draw the sheet of a seed, or of one drawn now."""
    from attnhand.sheet.make import sheet_from_request

    request, salt = what.request(seed), what.secret()
    words = () if what.embeds else what.word_list()
    sheet = sheet_from_request(request, page, salt=salt, words=words, title=what.title or "")
    return _drawn(sheet, request)


def _drawn(sheet: Sheet, request: Request) -> Named:
    """Name a drawn sheet by its seed; where that alone does not make it again, by the beginning of its code too."""
    more = "" if request.is_plain and not sheet.salted else f"-{sheet.code.split('-')[0]}"
    return Named(sheet=sheet, stem=f"attnhand-{request.seed}{more}")


def sheet_from_source(source: str, what: What, page: PageOptions) -> Named:
    """Make the sheet that a source names.

    Raises:
        AttnhandError: it names nothing, or an option contradicts it.
    """
    if source.isascii() and source.isdigit():
        if len(source) > LONGEST_SEED:
            raise AttnhandError(
                f"the seed {source[:LONGEST_SEED]}… is out of range: use a whole number from 0 to {LARGEST_SEED}"
            )
        if what.seed not in (None, int(source)):
            raise AttnhandError(f"--seed {what.seed} contradicts the seed {source}: leave out --seed")
        return sheet_from_seed(what, page, int(source))
    if source in sample_names():
        return _from_text(sample_text(source), source, source, what, page)
    if looks_like_code(source) and not _exists(source):
        return sheet_from_code(source, what, page)
    if source != "-" and _is_missing(source):
        meant = nearest(source, sample_names())
        kinds = f"give a seed, a sheet code, a problem file or one of the samples {', '.join(sample_names())}"
        raise AttnhandError(f"{source!r} names nothing: " + (f"did you mean the sample {meant}?" if meant else kinds))
    return sheet_from_file(source, what, page)


def _exists(name: str) -> bool:
    try:
        return Path(name).exists()
    except OSError:
        return False  # a name that is too long, say


def _is_missing(name: str) -> bool:
    try:
        return not Path(name).exists()
    except OSError:
        return False  # why it cannot be looked at is said where it is read


def sheet_from_file(name: str, what: What, page: PageOptions) -> Named:
    """Make the sheet of a problem file, of a JSON sheet or of a form of ours, ``-`` for standard input."""
    if name == "-":
        data = _problem_text(read_stdin(LARGEST_PDF + 1), "standard input")
        return _from_text(data, "standard input", "", what, page)
    path = Path(name)
    try:
        if not path.exists():
            is_other = name.isdigit() or name in sample_names() or looks_like_code(name)
            advice = f", or type attnhand key {name}" if is_other else ", or - to read standard input"
            raise AttnhandError(f"{name!r} is not there: give a problem file, JSON or TOML{advice}")
        if not path.is_file():
            raise AttnhandError(f"{name} is not a file: give a problem file, JSON or TOML")
        with path.open("rb") as file:
            data = file.read(LARGEST_PDF + 1)
    except OSError as error:
        raise AttnhandError(f"{name} cannot be read ({error.strerror}): check the file and its permissions") from error
    data = _problem_text(data, name)
    return _from_text(data, path.name, path.stem, what, page, kind=FILE_KINDS.get(path.suffix))


def _problem_text(data: bytes, name: str) -> bytes:
    """Return the data, or of a PDF the sheet that is attached to it, as it is to a form of ours."""
    if not is_pdf(data):
        return data
    try:
        return read_form(data).attached
    except AnswerError as error:
        raise ProblemError(
            f"{name} is a PDF, from which no problem can be read: give the code printed at its foot instead"
        ) from error


def sheet_from_code(code: str, what: What, page: PageOptions, labels: Problem | None = None) -> Named:
    """Make the sheet of a code, with the words and the title of a problem where the options have none.

    Raises:
        CodeError: it is no code, it is salted otherwise, or an option contradicts it.
    """
    typed = tuple((what.words or "").split()) or (labels.words if labels else ())
    decoded = decode(code, typed)
    request, salt = decoded.request, what.secret()
    if what.seed not in (None, request.seed):
        raise CodeError(f"--seed {what.seed} contradicts the code {code}: leave out --seed")
    if contradiction := what.contradiction(request):
        raise CodeError(f"{contradiction} contradicts the code {code}: leave it out, or generate another sheet")
    if decoded.salt_digest is not None and not salt:
        raise CodeError(f"the code {code} is salted: give its --salt, or set ATTNHAND_SALT")
    if decoded.salt_digest is not None and decoded.salt_digest != salt_digest(salt):
        raise CodeError(f"the salt is not that of the code {code}: give the salt the sheet was made with")
    words = request.form.embedded or what.word_list() or (labels.words if labels else ())
    title = what.title if what.title is not None else labels.title if labels else ""
    tokens = request.all_sizes["tokens"]
    if words and len(words) != tokens:
        raise CodeError(f"{len(words)} words do not label the {tokens} tokens of the code {code}: give {tokens} words")
    from attnhand.sheet.make import sheet_from_request

    sheet = sheet_from_request(
        request, page, salt=salt if decoded.salt_digest is not None else "", words=words, title=title
    )
    return _drawn(sheet, request)


def _from_text(
    text: str | bytes, source: str, stem: str, what: What, page: PageOptions, kind: FileKind | None = None
) -> Named:
    if len(text) > LARGEST_FILE:
        raise ProblemError(f"{source} is larger than any problem file: give one of less than a megabyte")
    try:
        data = read_data(text, kind)
    except ProblemError as error:
        raise _of(source, error) from error
    return sheet_from_data(data, source, stem, what, page)


def _of(source: str, error: ProblemError) -> ProblemError:
    """Put the name of the source before a refusal: as its subject, or before a sentence of its own."""
    says_what_it_is = str(error).startswith(("is ", "holds "))
    return ProblemError(f"{source}{'' if says_what_it_is else ':'} {error}")


def sheet_from_data(data: object, source: str, stem: str, what: What, page: PageOptions) -> Named:
    """Make the sheet of what a problem file or a JSON sheet holds.

    Raises:
        AttnhandError: it states no problem, or another one than its code.
    """
    from attnhand.sheet.make import sheet_from_problem

    if option := what.drawing_option():
        raise AttnhandError(f"{option} is for drawn sheets, but {source} brings its own matrices: leave it out")
    sheet_data: Mapping[str, object] = data if isinstance(data, Mapping) and "format" in data else {}
    try:
        problem = problem_from_data(data)
        page = with_asked(page, sheet_data)
    except ProblemError as error:
        raise _of(source, error) from error
    code = sheet_data.get("code")
    if isinstance(code, str) and not code.startswith(OWN_LETTER) and not _changes(what, problem):
        named = sheet_from_code(code, replace(what, convention=None), page, labels=problem)
        if replace(named.sheet.problem, words=problem.words, title=problem.title) != problem:
            raise ProblemError(
                f"{source}: its matrices and rules are not those of its code {code}: take out the code, or the change"
            )
        return named
    problem = _adapted(problem, what)
    sheet = sheet_from_problem(problem, page)
    return Named(sheet=sheet, stem=stem or f"attnhand-{sheet.code.split('-')[0]}")


def _changes(what: What, problem: Problem) -> bool:
    other = what.convention is not None and what.convention != problem.convention
    return other or what.house_rules(problem.rules) != problem.rules


def _adapted(problem: Problem, what: What) -> Problem:
    """Apply the options that somebody's own problem can take: convention, rules, words, title."""
    if what.convention and Convention(what.convention) is not problem.convention:
        problem = problem.transposed()
    return replace(
        problem,
        rules=what.house_rules(problem.rules),
        words=tuple(what.words.split()) if what.words else problem.words,
        title=what.title if what.title is not None else problem.title,
    )
