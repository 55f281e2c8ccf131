"""Anything that names a problem: a seed, a sheet code, a file with one, what was handed in, a sample."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from attnhand.attention.convention import Convention
from attnhand.attention.problem import Problem
from attnhand.errors import AnswerError, AttnhandError, CodeError, ProblemError, name_option
from attnhand.problems.base32 import normalize_code, read_language, strip_language
from attnhand.problems.mistake import ANY_SLIP, format_mistake, parse_mistake
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.reading import build_problem
from attnhand.problems.request import MAX_SEED, Request
from attnhand.problems.sheet_code import FINGERPRINT_LETTER, compute_salt_digest, decode_sheet_code, looks_like_code
from attnhand.sheet.asked import apply_asked_data, apply_code, find_own_mistake
from attnhand.sheet.file_name import OptionValues, format_file_stem, list_usual_values
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.sheet import Sheet
from attnhand.system.did_you_mean import find_nearest_name
from attnhand.system.files import MAX_PDF_BYTES, is_pdf, is_zip, read_file, refuse_large_data
from attnhand.system.json_toml import FileKind, read_data
from attnhand.system.resources import get_sample_dir
from attnhand.system.streams import read_stdin
from attnhand.text import Message, find_message

MAX_PROBLEM_FILE_BYTES = 1_000_000
"""A problem file of more bytes is none."""

FILE_KINDS_BY_SUFFIX: Mapping[str, FileKind] = {".json": "json", ".toml": "toml"}
"""By suffix; what has another may be either."""

PREDICATE_KEYS = ("data.", "answers.half-character", "asked.no-mistake")
"""How the keys begin of sentences whose subject is the file."""

MAX_HEAD_BYTES = 4_000
"""Bytes, an even number of them, among which a table begins."""

MAX_SEED_DIGITS = 20
"""Digits; more are not even read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NamedSheet:
    """A sheet and the name its files go by."""

    sheet: Sheet
    stem: str
    """What its files are called where no option says anything."""

    usual: OptionValues
    """What options would say for the sheet that is made then."""

    @property
    def file_stem(self) -> str:
        """The beginning of its files' names."""
        return format_file_stem(self.stem, self.sheet, self.usual)


def list_sample_names() -> tuple[str, ...]:
    """Return the names of the samples, in alphabetical order."""
    return tuple(sorted(path.stem for path in get_sample_dir().glob("*.json")))


def read_sample(name: str) -> str:
    """Return a sample's problem file.

    Raises:
        AttnhandError: there is no such sample.
    """
    if name not in list_sample_names():
        meant = find_nearest_name(name, list_sample_names())
        advice = f"did you mean {meant}?" if meant else f"choose {', '.join(list_sample_names())}"
        raise AttnhandError(f"there is no sample {name!r}: {advice}")
    return (get_sample_dir() / f"{name}.json").read_text(encoding="utf-8")


def make_sheet_from_seed(order: SheetOrder, page: PageOptions, seed: int | None) -> NamedSheet:
    """Draw the sheet of a seed, or of one drawn now."""
    from attnhand.sheet.make import make_sheet_from_request

    request, salt = order.make_request(seed), order.get_salt()
    words = () if order.has_embedding else order.check_words()
    sheet = make_sheet_from_request(request, page, salt=salt, words=words, title=order.title or "")
    return _name_drawn_sheet(sheet, request)


def _name_drawn_sheet(sheet: Sheet, request: Request) -> NamedSheet:
    """Name a drawn sheet by its seed."""
    return NamedSheet(sheet=sheet, stem=f"attnhand-{request.seed}", usual=list_usual_values(sheet))


def make_sheet_from_source(source: str, order: SheetOrder, page: PageOptions) -> NamedSheet:
    """Make the sheet that a source names.

    Raises:
        AttnhandError: it names nothing, or an option contradicts it.
    """
    if source.isascii() and source.isdigit():
        if len(source) > MAX_SEED_DIGITS:
            start = source[:MAX_SEED_DIGITS]
            raise AttnhandError(f"the seed {start}… is out of range: use a whole number from 0 to {MAX_SEED}")
        if order.seed not in (None, int(source)):
            given, option = name_option("seed", order.seed), name_option("seed")
            raise AttnhandError(f"{given} contradicts the seed {source}: leave out {option}")
        return make_sheet_from_seed(order, page, int(source))
    if source in list_sample_names():
        return _make_sheet_from_text(read_sample(source), source, source, order, page)
    if looks_like_code(source) and not _exists(source, if_unreadable=False):
        return make_sheet_from_code(source, order, page)
    if source != "-" and not _exists(source, if_unreadable=True):  # why it cannot be read is said where it is
        if meant := find_nearest_name(source, list_sample_names()):
            raise AttnhandError(f"{source!r} names nothing: did you mean the sample {meant}?")
        kinds = f"a seed, a sheet code, a problem file or one of the samples {', '.join(list_sample_names())}"
        raise AttnhandError(f"{source!r} names nothing: give {kinds}")
    return make_sheet_from_file(source, order, page)


def _exists(name: str, *, if_unreadable: bool) -> bool:
    try:
        return Path(name).exists()
    except OSError:  # a name that is too long, say
        return if_unreadable


def make_sheet_from_file(name: str, order: SheetOrder, page: PageOptions) -> NamedSheet:
    """Make the sheet of a problem file, of a JSON sheet, or of what was handed in, ``-`` for standard input."""
    if name == "-":
        data = read_stdin(MAX_PDF_BYTES, kind="problem file")
        if _is_table(data):
            return _make_answered_sheet(data, "standard input", order, page)
        data = _extract_problem(data, "standard input")
        return _make_sheet_from_text(data, "standard input", "", order, page)
    path = Path(name)
    is_other = name.isdigit() or name in list_sample_names() or looks_like_code(name)
    advice = f"type attnhand key {name}" if is_other else "- to read standard input"
    data = read_file(path, MAX_PDF_BYTES, kind="problem file", advice=f"give a problem file, JSON or TOML, or {advice}")
    if _is_table(data):
        return _make_answered_sheet(data, path.name, order, page)
    data = _extract_problem(data, name)
    return _make_sheet_from_text(data, path.name, path.stem, order, page, kind=FILE_KINDS_BY_SUFFIX.get(path.suffix))


def _is_table(data: bytes) -> bool:
    """Say whether a file is a spreadsheet, or the CSV of a sheet."""
    head = data[:MAX_HEAD_BYTES]
    if b"attnhand" not in head.replace(b"\0", b"") or is_pdf(data) or is_zip(data):
        return is_zip(data)
    from attnhand.formats.answers import is_table_text  # few sources are tables

    return is_table_text(head)


def _extract_problem(data: bytes, name: str) -> bytes:
    """Return the data, or of a PDF the sheet that is attached to it, as it is to a form of ours."""
    if not is_pdf(data):
        return data
    from attnhand.formats.pdf.form_reader import read_form  # few sources are forms

    advice = "give the code printed at its foot instead"
    try:
        attached = read_form(data).attached_sheet
    except AnswerError as error:
        raise ProblemError(f"{name} is a PDF, from which no problem can be read: {advice}") from error
    if attached is None:
        raise ProblemError(f"{name} is a form that has lost its sheet: {advice}")
    return attached


def _make_answered_sheet(data: bytes, source: str, order: SheetOrder, page: PageOptions) -> NamedSheet:
    """Make the sheet that a filled table says it answers."""
    from attnhand.formats.answers import read_answers_from_spreadsheet, read_answers_from_text

    try:
        answers = read_answers_from_spreadsheet(data) if is_zip(data) else read_answers_from_text(data)
    except AnswerError as error:
        raise ProblemError(f"{source} {error}") from error
    if answers.code is None:
        raise ProblemError(f"{source} does not say which sheet it answers: give the code of the sheet instead")
    if normalize_code(answers.code).startswith(FINGERPRINT_LETTER):
        fault = f"answers somebody's own matrices ({answers.code})"
        raise ProblemError(f"{source} {fault}: give their problem file instead")
    return make_sheet_from_code(answers.code, add_words_and_title(order, answers.sheet_data), page)


def add_words_and_title(order: SheetOrder, sheet_data: Mapping[str, object]) -> SheetOrder:
    """Return the options with words and title of a file, where they do not say so themselves."""
    words, title = sheet_data.get("words"), sheet_data.get("title")
    if order.words is None and isinstance(words, list) and all(isinstance(word, str) for word in words):
        order = order.change(words=" ".join(words))
    return order.change(title=title) if order.title is None and isinstance(title, str) else order


def make_sheet_from_code(
    code: str, order: SheetOrder, page: PageOptions, labels_from: Problem | None = None
) -> NamedSheet:
    """Make the sheet of a code, with the words and the title of a problem where the options have none.

    Raises:
        CodeError: it is no code, it is salted otherwise, or an option contradicts it.
    """
    other_words = labels_from.words if labels_from else ()
    decoded = decode_sheet_code(code, order.list_words() or other_words, order.load_story())
    request, salt = decoded.request, ""
    if order.seed not in (None, request.seed):
        given, option = name_option("seed", order.seed), name_option("seed")
        raise CodeError(f"{given} contradicts the code {code}: leave out {option}")
    if contradiction := order.find_contradiction(request):
        raise CodeError(f"{contradiction} contradicts the code {code}: leave it out, or generate another sheet")
    if page.questions not in (None, QuestionAmount.NONE if decoded.coded_mistake else decoded.questions):
        option = name_option("questions", page.questions.value)
        raise CodeError(f"{option} contradicts the code {code}: leave it out, or generate another sheet")
    if decoded.salt_digest is not None:
        salt = order.get_salt()
        if not salt:
            raise CodeError(Message("code.salted", code=code, option=name_option("salt")))
        if decoded.salt_digest != compute_salt_digest(salt):
            raise CodeError(Message("code.other-salt", code=code))
    try:
        mistake = decoded.find_mistake(salt)
    except CodeError as error:
        raise CodeError(Message("code.unknown", code=code)) from error
    words = request.variant.embedded_words or order.check_words() or other_words
    title = order.title if order.title is not None else labels_from.title if labels_from else ""
    tokens = request.all_sizes.get(request.variant.named_size, request.all_sizes["tokens"])
    if words and len(words) != tokens:
        raise CodeError(Message("code.labels", words=len(words), tokens=tokens, code=code))
    from attnhand.sheet.make import make_sheet_from_request

    asked = apply_code(page, decoded, salt)
    is_other_mistake = False
    if mistake and page.mistake not in (None, ANY_SLIP):
        slip, stage = parse_mistake(str(page.mistake))
        is_other_mistake = slip != parse_mistake(mistake)[0]
        asked = asked if stage else replace(asked, mistake=mistake)  # it is wherever the code says
    if not is_other_mistake:
        sheet = make_sheet_from_request(request, asked, salt=salt, words=words, title=title)
    if is_other_mistake or (mistake and mistake != sheet.options.mistake):
        option = name_option("mistake", page.mistake)
        raise CodeError(f"{option} contradicts the code {code}: leave it out, or generate another sheet")
    is_translated = page.language not in (None, decoded.language)
    if request.story is not None and words not in ((), sheet.problem.words) and not is_translated:  # it brings its own
        raise CodeError(f"{name_option('words')} contradicts the code {code}: leave it out, or generate another sheet")
    return _name_drawn_sheet(sheet, request)


def _make_sheet_from_text(
    text: str | bytes, source: str, stem: str, order: SheetOrder, page: PageOptions, kind: FileKind | None = None
) -> NamedSheet:
    data = text.encode() if isinstance(text, str) else text
    refuse_large_data(data, MAX_PROBLEM_FILE_BYTES, kind="problem file", label=source)
    try:
        tree = read_data(text, kind)
    except ProblemError as error:
        raise _name_source_in_error(source, error) from error
    return make_sheet_from_data(tree, source, stem, order, page)


def _name_source_in_error(source: str, error: ProblemError) -> ProblemError:
    """Put the name of the source before a refusal: as its subject, or before a sentence of its own."""
    message = find_message(error)
    is_predicate = isinstance(message, Message) and message.key.startswith(PREDICATE_KEYS)
    return ProblemError(f"{source}{'' if is_predicate else ':'} {error}")


def make_sheet_from_data(data: object, source: str, stem: str, order: SheetOrder, page: PageOptions) -> NamedSheet:
    """Make the sheet of what a problem file or a JSON sheet holds.

    Raises:
        AttnhandError: it states no problem, or another one than its code.
    """
    if option := order.find_drawing_option():
        raise AttnhandError(f"{option} is for drawn sheets, but {source} brings its own matrices: leave it out")
    sheet_data: Mapping[str, object] = data if isinstance(data, Mapping) and "format" in data else {}
    names_no_convention = isinstance(data, Mapping) and "convention" not in data
    if order.convention and isinstance(data, Mapping) and names_no_convention:
        data = {**data, "convention": order.convention}
    try:
        problem = build_problem(data)
        problem_of_file = problem.transpose() if names_no_convention and problem.convention.is_rows else problem
        page_of_file = apply_asked_data(PageOptions(), sheet_data)
        page = apply_asked_data(page, sheet_data)
    except ProblemError as error:
        raise _name_source_in_error(source, error) from error
    code = sheet_data.get("code")
    has_changes = order.convention not in (None, problem.convention) or order.change_problem(problem) != problem
    if isinstance(code, str) and not code.startswith(FINGERPRINT_LETTER) and not has_changes:
        named = make_sheet_from_code(code, order.change(convention=None), page, labels_from=problem)
        drawn = named.sheet.problem
        if replace(drawn, words=problem.words, title=problem.title, story=problem.story) != problem:
            fault = ProblemError(Message("code.other-matrices", code=code))
            raise _name_source_in_error(source, fault) from fault
        return named
    language = read_language(code) if isinstance(code, str) else None
    page_of_file = replace(page_of_file, language=language)
    page = replace(page, language=language) if page.language is None else page
    if sheet_data.get("mistake") and page.mistake in (None, ANY_SLIP):
        page = replace(page, mistake=_find_mistake(sheet_data, problem, replace(page, mistake=None), order, source))
    sheet = make_sheet_from_own_problem(problem, order, page)
    stem = stem or f"attnhand-{strip_language(sheet.code)}"
    return NamedSheet(sheet=sheet, stem=stem, usual=list_usual_values(sheet, problem_of_file, page_of_file))


def _find_mistake(
    sheet_data: Mapping[str, object], problem: Problem, page: PageOptions, order: SheetOrder, source: str
) -> str:
    """Return the mistake of a JSON sheet: its key names it, of a blank one its code knows it.

    Raises:
        ProblemError: nothing says which it is.
    """
    from attnhand.sheet.make import make_sheet_from_problem

    planted, code = sheet_data["mistake"], sheet_data.get("code")
    if isinstance(planted, Mapping):
        return format_mistake(str(planted.get("slip")), str(planted.get("stage")))
    found = None
    if isinstance(code, str) and normalize_code(code).startswith(FINGERPRINT_LETTER):
        found = find_own_mistake(make_sheet_from_problem(problem, page), code)
    elif isinstance(code, str):
        decoded = decode_sheet_code(code, problem.words, order.load_story())
        found = decoded.find_mistake("" if decoded.salt_digest is None else order.get_salt())
    if found is None:
        fault = ProblemError(Message("asked.no-mistake", option=name_option("mistake", "truncated")))
        raise _name_source_in_error(source, fault)
    return found


def make_sheet_from_own_problem(problem: Problem, order: SheetOrder, page: PageOptions) -> Sheet:
    """Make the sheet of a user's own problem, with the options that it can take: convention, rules, words, title."""
    from attnhand.sheet.make import make_sheet_from_problem

    is_mirrored = order.convention is not None and Convention(order.convention) is not problem.convention
    if is_mirrored:
        problem = problem.transpose()
    title, words = problem.title if order.title is None else order.title, order.list_words() or problem.words
    problem = replace(order.change_problem(problem), words=words, title=title)
    return make_sheet_from_problem(problem, page, is_mirrored=is_mirrored)
