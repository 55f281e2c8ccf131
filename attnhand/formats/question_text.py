"""What goes into questions of a learning platform: text that stays text, matrices as tables."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from html import escape
from xml.etree.ElementTree import Element, SubElement, fromstring, indent, tostring

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import GivenMatrix, Stage
from attnhand.attention.numbers import Number, format_decimal, is_finite
from attnhand.errors import PageError, name_option
from attnhand.problems.problem_file import format_problem
from attnhand.problems.random_stream import RandomStream
from attnhand.problems.request import MAX_SEED
from attnhand.sheet import sentences
from attnhand.sheet.addresses import format_headed_address
from attnhand.sheet.build_grids import build_vector_labels, format_headed_markup, format_sheet_value
from attnhand.sheet.explain import CellWriter
from attnhand.sheet.grids import Label
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import RunStyle, Text, parse_markup

PRECISE_DECIMALS = 6
"""Of what is printed to go on with, where it is no fraction: more than anybody types."""

_SIGNS_OF_PLATFORMS = str.maketrans({sign: f"&#{ord(sign)};" for sign in "{}[]~@$\\"})
"""What begins a field, a block or a formula there; written as entities they are signs like all others."""

PLATFORMS = {"moodle": "Moodle", "stack": "STACK", "qti12": "QTI 1.2", "qti21": "QTI 2.1"}
"""By the format that is written for it."""

MAX_DRAWS = 20
"""Sheets that are drawn until one is as it should be."""

TABLE_CLASSES = "table table-bordered table-sm w-auto"
"""Bootstrap's, which Moodle's theme has: without lines between them numbers run together."""

WriteCell = Callable[[int, int], str]


def draw_again(sheet: Sheet, purpose: str) -> Iterator[Sheet]:
    """Yield sheets of other numbers, always the same ones; somebody's own matrices stay as they are.

    Args:
        purpose: each draws its own.
    """
    if sheet.request is None:
        yield sheet
        return
    stream = RandomStream(sheet.code, format_problem(sheet.problem), "questions", purpose)
    for _ in range(MAX_DRAWS):
        request = replace(sheet.request, seed=stream.draw_below(MAX_SEED + 1))
        words = () if request.story else sheet.problem.words
        yield make_sheet_from_request(request, sheet.options, words=words, title=sheet.problem.title)


def refuse_inexact(sheet: Sheet, platform: str) -> None:
    """Refuse what whole matrices of exact numbers cannot ask.

    Raises:
        PageError: there is such a thing.
    """
    instead = f"or take {name_option('html')}"
    refuse_mistake(sheet, platform)
    if sheet.options.fade:
        option = name_option("fade", value=True)
        raise PageError(f"{platform} asks whole matrices, with nothing printed in them: leave out {option}, {instead}")
    if sheet.problem.variant.has_radians:
        raise PageError(
            f"{platform} compares exact numbers, and turns by radians make irrational ones: "
            f'write "positions": "rotary" for quarter turns and leave out "rules", {instead}'
        )
    if not sheet.problem.rules.is_rational:
        raise PageError(
            f"{platform} compares exact numbers, and these rules round: leave out {name_option('scale')}, "
            f"{name_option('base')} and {name_option('rules')}, {instead}"
        )


def refuse_mistake(sheet: Sheet, platform: str) -> None:
    """Refuse a sheet with a mistake to find.

    Raises:
        PageError: it is one.
    """
    if sheet.planted_mistake:
        instead = f"take {name_option('moodle')}, or a form: {name_option('fillable', value=True)}"
        fault = f"{platform} cannot ask which cell of a solved sheet is wrong"
        raise PageError(f"{fault}: {instead}, or leave out {name_option('mistake')}")


def escape_text(text: str) -> str:
    """Return a text as HTML in which a platform finds nothing to do.

    >>> escape_text('{1:NUMERICAL:=2} <b> [[input:a]]')
    '&#123;1:NUMERICAL:=2&#125; &lt;b&gt; &#91;&#91;input:a&#93;&#93;'
    """
    return escape(text).translate(_SIGNS_OF_PLATFORMS)


def write_text(text: Text) -> str:
    """Return set text as HTML.

    >>> write_text(parse_markup("**K** = W_K X"))
    '<b><i>K</i></b> = <i>W</i><sub>K</sub><i> X</i>'
    """
    out = ""
    for run in text:
        piece = escape_text(run.text)
        piece = f"<i>{piece}</i>" if run.is_italic else piece
        tags = {RunStyle.BOLD: "b", RunStyle.SUB: "sub", RunStyle.SUP: "sup"}
        out += f"<{tag}>{piece}</{tag}>" if (tag := tags.get(run.style)) else piece
    return out


def write_paragraphs(sheet: Sheet, stage: Stage) -> str:
    """Return what a stage is for and how it is done: all that stands on the page about it."""
    story = sheet.problem.story
    texts = [story.sentence] if story else []
    texts += [sentences.format_purpose(sheet, stage), sentences.format_instruction(sheet, stage) or ""]
    if stage.facts.reminder_key:
        texts.append(sentences.format_powers_reminder(sheet.blank))
    if stage.facts.has_formula:
        texts.append(f"**{sentences.format_equation(sheet, stage)}**")
    return "".join(f"<p>{write_text(parse_markup(text))}</p>" for text in texts if text)


def write_inputs(sheet: Sheet, stage: Stage) -> str:
    """Return the matrices that a stage reads, as they should be."""
    given = {each.name: each for each in sheet.problem.mechanism.given}
    values = sheet.solution.collect_hand_values()
    tables = []
    for name in dict.fromkeys(stage.input_names):
        matrix = given.get(name) or sheet.problem.mechanism.get_stage(name)
        tables.append(write_matrix(sheet, matrix, make_value_writer(sheet, values[name])))
    return "".join(tables)


def make_value_writer(sheet: Sheet, a: Matrix) -> WriteCell:
    """Return what writes a cell of a matrix: whole, as a fraction, or with more decimals than anybody types."""
    return lambda i, j: escape_text(format_value(sheet, a[i][j]))


def format_value(sheet: Sheet, value: Number) -> str:
    """Return a value from which the next stage can be worked.

    >>> from fractions import Fraction
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> format_value(make_sheet_from_request(Request(seed=7)), Fraction(-1234, 2467))
    '−1234/2467'
    """
    if isinstance(value, int) or not is_finite(value):
        return str(format_sheet_value(sheet, value)) if not is_finite(value) else str(value).replace("-", "−")
    if hasattr(value, "numerator") and len(str(value)) <= 12:
        return str(value).replace("-", "−")
    return sheet.language.localize(format_decimal(value, PRECISE_DECIMALS).replace("-", "−"))


def write_matrix(sheet: Sheet, matrix: GivenMatrix | Stage, write_cell: WriteCell) -> str:
    """Return a matrix as a table with its name and labels; of a stage those rows and columns that the sheet asks."""
    row_labels, column_labels = build_vector_labels(sheet, matrix)
    rows: Sequence[int] = range(len(row_labels))
    columns: Sequence[int] = range(len(column_labels))
    if isinstance(matrix, Stage):
        rows, columns = sheet.find_asked_rows_and_columns(matrix)
    name = write_text(parse_markup(format_headed_markup(sheet, matrix.name)))
    head = "".join(f'<th scope="col">{_write_label(column_labels[j])}</th>' for j in columns)
    body = "".join(
        f'<tr><th scope="row">{_write_label(row_labels[i])}</th>'
        + "".join(f"<td>{write_cell(i, j)}</td>" for j in columns)
        + "</tr>"
        for i in rows
    )
    rows_of_table = f"<thead><tr><th>{name}</th>{head}</tr></thead><tbody>{body}</tbody>"
    return (
        f'<div class="table-responsive position-relative"><table class="{TABLE_CLASSES}">{rows_of_table}</table></div>'
    )


def write_worked_stage(sheet: Sheet, stage: Stage) -> str:
    """Return the solution of a stage: its matrix, and how each cell that is asked comes about."""
    values = sheet.solution.collect_hand_values()
    writer = CellWriter(sheet, values, sheet.problem.hand_arithmetic)
    lines = []
    for i, j in sheet.list_asked_cells(stage):
        address = format_headed_address(sheet, stage.name, i, j)
        lines.append(escape_text(f"{address}: {writer.write_cell(stage, i, j)[-1]}"))
    matrix = write_matrix(sheet, stage, make_value_writer(sheet, values[stage.name]))
    return f"{matrix}<p>{'<br/>'.join(lines)}</p>"


def _write_label(label: Label) -> str:
    parts = [escape_text(label.word), write_text(label.letter), escape_text(label.role)]
    return " ".join(filter(None, parts))


def add_text(parent: Element, tag: str, text: str, *, is_html: bool = False) -> Element:
    """Add an element whose text stands in another, as Moodle has it."""
    element = SubElement(parent, tag, {"format": "html"} if is_html else {})
    SubElement(element, "text").text = text
    return element


def add_name(question: Element, sheet: Sheet, title: str, number: int) -> None:
    """Name a question by its title and its sheet's code, so that variants are told apart.

    Args:
        number: of the question in its file.
    """
    add_text(question, "name", f"{title} · {sheet.code}")
    SubElement(question, "idnumber").text = f"{sheet.code}-{number:02}"


def add_category(quiz: Element, names: list[str], info: str) -> None:
    """Add the category into which the questions that follow are imported; a slash in a name is doubled."""
    question = SubElement(quiz, "question", {"type": "category"})
    path = "/".join(name.replace("/", "//") for name in names)
    add_text(question, "category", f"$course$/top/{path}")
    add_text(question, "info", f"<p>{escape_text(info)}</p>", is_html=True)


def join_quizzes(quizzes: Sequence[bytes], sheets: Sequence[Sheet], format_name: str) -> bytes:
    """Return the questions of a class's files as variants: a category for each place within a file.

    Args:
        sheets: one of the class, of each form that is dealt.
    """
    joined = Element("quiz")
    places: dict[str, list[Element]] = {}
    for quiz in quizzes:
        for question in fromstring(quiz):
            if question.get("type") != "category":
                title, _, _ = question.findtext("name/text", "").rpartition(" · ")  # without its sheet's code
                places.setdefault(title, []).append(question)
    for name, variants in places.items():
        names = [f"{sentences.format_shared_title(sheets)} · {PLATFORMS[format_name]}"]
        names += [name] if name and len(places) > 1 else []
        add_category(joined, names, sheets[0].say("class.variants", variants=len(variants)))
        joined.extend(variants)
    return write_quiz(joined).encode()


def write_quiz(quiz: Element) -> str:
    """Return the file."""
    indent(quiz)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + tostring(quiz, encoding="unicode") + "\n"
