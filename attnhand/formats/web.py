"""The data of the web sheet's script: the cells to fill, what each is made from, and its sentences.

The page of a blank sheet holds no answer. With ``--self-check`` it holds the key, and says so.
"""

import hashlib
import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import islice
from typing import Any

from attnhand.attention import spellings
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Dimension, Stage
from attnhand.attention.mechanisms.cells import explain_cell, list_parts
from attnhand.attention.numbers import Number, format_exact, use_typographic_signs
from attnhand.attention.problem import MAX_DENOMINATOR, MAX_ENTRY, Problem
from attnhand.attention.questions import AnswerKind, CellChange, Part, PosedQuestion
from attnhand.attention.questions.tries import TRIES_BY_ID
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.solution import Solution, format_cell_address, solve_shifted, solve_without_shortcuts
from attnhand.formats.json_sheet import make_sheet_dict
from attnhand.formats.templates import hash_source, read_template_file
from attnhand.formats.web_formulas import describe_slip_formula, describe_stage_formula, describe_try_lines
from attnhand.layout.page import GridBox, Layout
from attnhand.problems.problem_file import format_entry
from attnhand.sheet import sentences
from attnhand.sheet.addresses import format_headed_address, format_headed_name, make_cell_id
from attnhand.sheet.answer_words import list_answer_words, list_whole_answers
from attnhand.sheet.build_grids import format_spoken_name, format_stage_title
from attnhand.sheet.conclusion import build_comparison_sentences
from attnhand.sheet.explain import describe_factors, format_vector_name
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Mark
from attnhand.sheet.hints import build_hints, describe_slip, write_reason_patterns
from attnhand.sheet.new_numbers import IN_A_ROW, draw_other_sheets
from attnhand.sheet.questions import (
    AskedQuestion,
    build_questions,
    find_question,
    format_question_remark,
    format_reason_line,
    list_token_words,
)
from attnhand.sheet.sheet import UNASKED_CELL_TEXT, Sheet
from attnhand.sheet.story import format_story_sentences
from attnhand.text.widths import parse_markup, to_unicode

SCREEN_MARGIN = 12.0
"""What a screen shows beside the paper, in millimetres."""

SCREEN_SCALES = (0.9, 0.8)
"""How small the page is drawn on a screen that is narrower than the paper; on a still narrower one boxes stand one
under the other, and a sheet to fill begins cell by cell."""

UNKNOWN_NUMBER = ""
"""A number that the sheet neither prints nor asks."""

OTHER_SHEETS = 3
"""So many sheets lend a page their numbers, for whoever made a slip."""

OTHER_WAYS = ("turned", "exact", "shifted")
"""In which other ways a whole sheet may be worked."""


def find_scheme_width(layout: Layout, scale: float = SCREEN_SCALES[-1]) -> float:
    """Return how wide a screen must be to show the page in this scale, in millimetres."""
    return (layout.width + SCREEN_MARGIN) * scale


def strip_markup(markup: str) -> str:
    """Return a sentence without its markup."""
    return to_unicode(parse_markup(markup))


class WebCellWriter:
    """Writes stages and cells.

    A number is a text, such as ``-1/3``; ``@S_2_3`` is the student's own value in that cell.
    """

    def __init__(self, sheet: Sheet, asked_addresses: set[str], printed_addresses: set[str]) -> None:
        self.sheet, self.asked_addresses, self.printed_addresses = sheet, asked_addresses, printed_addresses
        self.guess = find_question(sheet, Part.GUESS)
        mechanism = sheet.problem.mechanism
        names = [given.name for given in mechanism.given] + [stage.name for stage in mechanism.stages]
        self.references = {name: self._make_references(name) for name in names}

    def describe_stage(self, stage: Stage) -> dict[str, Any]:
        """Write a stage: its words, its shape, and those of its cells that are asked."""
        sheet, problem = self.sheet, self.sheet.problem
        do = None if stage.role else sentences.format_instruction(sheet, stage)
        title = format_stage_title(sheet, stage)
        if problem.mechanism.head_count > 1 and stage.head:
            title = sheet.say("spoken.head", head=stage.head, name=title)
        row_count, column_count = problem.get_length(stage.rows), problem.get_length(stage.columns)
        return {
            "name": stage.name,
            "label": format_headed_name(sheet, stage.name),
            "spoken": format_spoken_name(sheet, stage),
            "title": title,
            "formula": strip_markup(sentences.format_headed_formula(sheet, stage)),
            "purpose": strip_markup(sentences.format_purpose(sheet, stage)),
            "do": strip_markup(do or ""),
            **({"guess": self._format_guess()} if self.guess and self.guess.stage_name == stage.name else {}),
            "infinite": stage.gives_infinity,
            "rows": row_count,
            "columns": column_count,
            "cells": [
                self._describe_cell(stage, i, j)
                for i in range(row_count)
                for j in range(column_count)
                if format_cell_address(stage.name, i, j) in self.asked_addresses
            ],
        }

    def _format_guess(self) -> str:
        """Return what is guessed before the first cell of the scores: on a screen with one cell it is not typed."""
        assert self.guess is not None
        return to_unicode((*self.guess.text, *parse_markup(self.sheet.say("practice.guess"))))

    def _describe_hints(self, stage: Stage, row: int, column: int) -> dict[str, Any]:
        """Write what leads to a cell, and the cells that it is made from; the student's own numbers are filled in."""
        sources: dict[str, None] = {}

        def write_number(name: str, i: int, j: int) -> str:
            value = self.references[name][i][j]
            sources[make_cell_id(format_cell_address(name, i, j))] = None
            return f"⟨{value[1:]}⟩" if value.startswith("@") else use_typographic_signs(value) or "□"

        hints = build_hints(self.sheet, stage, row, column, write_number)
        return {"hints": [hints.question, hints.sources, hints.steps], "sources": list(sources)}

    def _describe_cell(self, stage: Stage, row: int, column: int) -> dict[str, Any]:
        data = {"id": make_cell_id(format_cell_address(stage.name, row, column)), "row": row, "column": column}
        if self.sheet.options.self_check:
            data |= self._describe_hints(stage, row, column)
        parts = list_parts(stage, self.references, row, column)
        texts = [[str(x) if isinstance(x, int) else self.references[x[0]][x[1]][x[2]] for x in part] for part in parts]
        explanation = explain_cell(stage, self.references, row, column)
        if explanation.key == "product":
            (left, left_vector), (right, right_vector) = describe_factors(self.sheet, stage, row, column)
            sentence = self.sheet.say("explain.product", row=left_vector, left=left, column=right_vector, right=right)
            return {**data, "recipe": sentence, "pairs": texts}
        if explanation.key == "sum":
            axis, at = (stage.rows, row) if self.sheet.convention.is_rows else (stage.columns, column)
            sentence = self.sheet.say("explain.sum_of", line=format_vector_name(self.sheet, axis, at))
            return {**data, "recipe": sentence, "addends": [text for (text,) in texts]}
        values = [str(self.references[name][i][j]) for name, i, j in explanation.sources]
        if explanation.key == "looked_up":  # the whole vector of the word, for the student to find the number in
            return {**data, "reads": [[str(number), text] for number, text in enumerate(values, 1)]}
        places = [format_headed_address(self.sheet, *source) for source in explanation.sources]
        return {**data, "reads": [list(pair) for pair in zip(places, values, strict=True)]}

    def _make_references(self, name: str) -> tuple[tuple[str, ...], ...]:
        """Return a matrix with every number that is printed, and references to the cells that are not."""
        problem = self.sheet.problem
        if given := dict(problem.given).get(name):
            return tuple(tuple(str(format_entry(problem, value)) for value in row) for row in given)
        stage = problem.mechanism.get_stage(name)

        def reference(row: int, column: int, value: str) -> str:
            address = format_cell_address(name, row, column)
            if address in self.asked_addresses:
                return f"@{make_cell_id(address)}"
            return value if address in self.printed_addresses or self.sheet.is_printed(stage) else UNKNOWN_NUMBER

        hand = enumerate(self.sheet.solution[stage.name].hand)
        return tuple(tuple(reference(i, j, format_exact(value)) for j, value in enumerate(row)) for i, row in hand)


SCRIPTS = (
    "numbers",
    "formulas",
    "page",
    "cells",
    "questions",
    "notes",
    "keeping",
    "arithmetic",
    "engine",
    "marker",
    "explanations",
    "reasons",
    "other_ways",
    "question_reader",
    "question_marker",
    "check",
    "map",
    "phone",
    "tutor",
    "new_numbers",
    "three_more",
    "ending",
    "scorm",
    "start",
)
"""Parts of the one script, in order."""

PLATFORM_SCRIPTS = ("scorm",)
"""Those for the page in a learning platform alone."""

KEY_SCRIPTS = (
    *("arithmetic", "engine", "marker", "explanations", "reasons", "other_ways"),
    *("question_reader", "question_marker", "check", "tutor", "new_numbers", "three_more"),
    "ending",
)
"""Those that know the key: left out of a page that must not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """What makes a page a web sheet."""

    script_data: str
    """What the script reads: JSON that no markup can end."""

    script: str
    style: str
    narrow_style: str
    """For screens narrower than the paper."""

    no_script_notice: str
    """What the page says where scripts do not run."""

    @property
    def script_hash(self) -> str:
        """Return what the page's policy knows the script by."""
        return hash_source(self.script)


def make_web_page(sheet: Sheet, layout: Layout, *, for_platform: bool = False) -> WebPage | None:
    """Return what makes the page of a blank sheet one to fill; None where there is nothing to fill.

    Args:
        for_platform: whether it stands in a learning platform, which keeps answers and score by SCORM 1.2.
    """
    script_data = make_script_data(sheet, layout)
    if script_data is None:
        return None
    if for_platform:
        script_data["words"] |= _find_words(sheet, "web.scorm.")
    left_out = {*(() if sheet.options.self_check else KEY_SCRIPTS), *(() if for_platform else PLATFORM_SCRIPTS)}
    scripts = [read_script(name) for name in SCRIPTS if name not in left_out]
    return WebPage(
        script_data=json.dumps(script_data, ensure_ascii=False, separators=(",", ":")).replace("<", "\\u003c"),
        script="\n" + "\n".join(scripts),
        style=read_template_file("web/web.css"),
        narrow_style=read_template_file("web/narrow.css"),
        no_script_notice=sheet.say("web.noscript"),
    )


def read_script(name: str) -> str:
    """Return a part of the script; the one that reads numbers begins with the table of spellings."""
    script = read_template_file(f"web/{name}.js")
    return f"const SPELLINGS = {json.dumps(_make_spelling_table())};\n\n{script}" if name == "numbers" else script


def _make_spelling_table() -> dict[str, object]:
    names = {
        "unseen": spellings.UNSEEN_PATTERN,
        "blanks": spellings.BLANKS_PATTERN,
        "stacked": spellings.STACKED_PATTERN,
        "raisedPower": spellings.POWER_PATTERN,
        "raised": spellings.RAISED_PATTERN,
        "equals": spellings.EQUALS_PATTERN,
        "minusInfinity": spellings.MINUS_INFINITY_PATTERN,
        "number": spellings.NUMBER_PATTERN,
        "power": spellings.POWER_NUMBER_PATTERN,
        "thousands": spellings.THOUSANDS_PATTERN,
        "date": spellings.DATE_PATTERN,
        "change": spellings.CHANGE_PATTERN,
        "label": spellings.LABEL_PATTERN,
        "product": spellings.PRODUCT_PATTERN,
        "calculation": spellings.CALCULATION_PATTERN,
        "term": spellings.TERM_PATTERN,
        "factor": spellings.FACTOR_PATTERN,
        "decimalComma": spellings.DECIMAL_COMMA_PATTERN,
        "decimalPoint": spellings.DECIMAL_POINT_PATTERN,
        "word": spellings.WORD_PATTERN,
        "share": spellings.SHARE_PATTERN,
        "minusWord": spellings.MINUS_WORD_PATTERN,
        "negative": spellings.NEGATIVE_PATTERN,
        "range": spellings.RANGE_PATTERN,
        "numberSign": spellings.NUMBER_SIGN_PATTERN,
        "ordinalEnding": spellings.ORDINAL_ENDING_PATTERN,
        "numberInText": spellings.NUMBER_IN_TEXT_PATTERN,
        "colon": spellings.COLON_PATTERN,
        "looseDigit": spellings.LOOSE_DIGIT_PATTERN,
        "times": spellings.TIMES_PATTERN,
        "place": spellings.PLACE_PATTERN,
        "matrix": spellings.MATRIX_PATTERN,
        "arrow": spellings.ARROW_PATTERN,
    }
    return {
        "longest": spellings.MAX_WRITTEN_LENGTH,
        "longestAnswer": spellings.MAX_ANSWER_LENGTH,
        "most": spellings.MAX_PARTS,
        "plainSigns": dict(spellings.PLAIN_SIGNS),
        "signs": dict(spellings.SIGNS),
        "letters": dict(spellings.PLAIN_LETTERS),
        "smallDigits": {**spellings.SUPERSCRIPTS, **spellings.SUBSCRIPTS},
        "rewrites": spellings.REWRITES,
        **{name: pattern.replace("(?P<", "(?<") for name, pattern in names.items()},
    }


def make_script_data(sheet: Sheet, layout: Layout) -> dict[str, Any] | None:
    """Return what the script reads, as a dictionary; None where there is nothing to fill."""
    cells = [cell for _, grid in _iterate_grids(layout) for row in grid.cells for cell in row if cell.address]
    asked = {cell.address for cell in cells if cell.kind is CellKind.BLANK}
    if sheet.is_solved or not asked:
        return None
    writer = WebCellWriter(sheet, asked, {cell.address for cell in cells if cell.kind is CellKind.GIVEN})
    blank = make_sheet_dict(sheet.blank)
    digest = hashlib.sha256(json.dumps(blank, sort_keys=True).encode()).hexdigest()
    stages = [stage for stage in sheet.problem.mechanism.stages if not sheet.is_printed(stage)]
    data: dict[str, Any] = {
        "code": sheet.code,
        "digest": digest[:16],
        "sheet": blank,
        "count": sheet.answer_cell_count,
        "narrow": f"{find_scheme_width(layout):.2f}mm",
        "stages": [described for stage in stages if (described := writer.describe_stage(stage))["cells"]],
        "copies": dict(_iterate_copies(layout)),
        "rules": list_rules(sheet),
        "words": _collect_words(sheet),
        "decimal_mark": sheet.language.decimal_mark,
    }
    if sheet.options.self_check:
        data["key"] = describe_key(sheet)
        data["places"] = sheet.problem.rules.decimals
        data["ending"] = describe_ending(sheet)
    return data


def list_rules(sheet: Sheet) -> list[str]:
    """Return what a screen with one cell has no room for: the story, and the shortcuts."""
    story = sheet.problem.story
    rules = (sentences.format_house_rules(sheet), sentences.format_powers_reminder(sheet))
    return [*map(strip_markup, (*(format_story_sentences(sheet, story, is_typed=True) if story else ()), *rules))]


def write_key_matrix(sheet: Sheet, a: Matrix) -> list[list[str]]:
    """Write a matrix of the key, with tokens as columns."""
    columns = transpose(a) if sheet.convention.is_rows else a
    return [[write_key_value(value) for value in row] for row in columns]


def describe_key(sheet: Sheet) -> dict[str, Any]:
    """Write what the script marks by: rules, given matrices, stages with their formulas, their slips and the key.

    With tokens as columns; cells alone have the rows and columns of the sheet.
    """
    problem, worked = sheet.problem, sheet.worked_cell
    all_workings = [*_describe_workings(sheet)]
    stages = []
    for solved, workings in zip(sheet.solution, all_workings, strict=True):
        cells = [
            {"id": make_cell_id(format_cell_address(solved.stage.name, i, j)), "row": i, "column": j}
            | ({"printed": format_exact(solved.hand[i][j])} if (solved.stage.name, i, j) == worked else {})
            for i, j in _list_cells_to_mark(sheet, solved.stage)
        ]
        stages.append({"name": solved.stage.name, "form": solved.stage.form, **workings, "cells": cells})
    return {
        "is_rows": sheet.convention.is_rows,
        "unasked": UNASKED_CELL_TEXT,
        **_describe_rules(problem),
        "words": problem.words,
        "limits": {"entry": MAX_ENTRY, "denominator": MAX_DENOMINATOR, "in_a_row": IN_A_ROW},
        **_describe_questions(sheet),
        "given": {name: write_key_matrix(sheet, a) for name, a in problem.given},
        "stages": stages,
        "more": [*_describe_other_sheets(sheet)],
        "others": {
            "exact": _describe_other_way(sheet, all_workings, solve_without_shortcuts(problem)),
            "shifted": _describe_other_way(sheet, all_workings, solve_shifted(sheet.solution)),
        },
    }


def _describe_rules(problem: Problem) -> dict[str, Any]:
    """Write what scores are divided by and raised to, and whether numbers are decimals."""
    rules = problem.rules
    return {
        "in_decimals": problem.has_decimal_notation,
        "rules": {
            "divisor": rules.divisor,
            "is_rounded_down": rules.is_rounded_down,
            "base": rules.base.whole or rules.base.value,
            "max_exponent": problem.hand_arithmetic.max_exponent,
        },
    }


def _list_cells_to_mark(sheet: Sheet, stage: Stage) -> Sequence[tuple[int, int]]:
    return sheet.list_asked_cells(stage) if sheet.has_own_panel(stage) else ()


def _describe_workings(sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Write stage by stage what it is worked by, what slips make of it and why each is one, and its numbers."""
    problem = sheet.problem
    known = dict(problem.given)
    for solved in sheet.solution:
        stage, is_asked = solved.stage, bool(_list_cells_to_mark(sheet, solved.stage))
        context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, dict(known))
        slips = [*filter(None, (describe_slip_formula(slip, context) for slip in find_slips(stage) if is_asked))]
        generic = ["transposed", "rows-exchanged", "single-cell"] if is_asked else []
        named = [*(slip["id"] for slip in slips), *generic]
        yield {
            "formula": describe_stage_formula(context),
            "slips": slips,
            "reasons": _describe_reasons(sheet, stage, named),
            "key": write_key_matrix(sheet, solved.hand),
        }
        known[stage.name] = solved.hand


def _describe_other_way(
    sheet: Sheet, all_workings: Sequence[dict[str, Any]], solution: Solution | None
) -> dict[str, Any] | None:
    """Write what is different where the whole sheet is worked in another way; None where there is no such way."""
    if solution is None:
        return None
    both = zip(_describe_workings(replace(sheet, solution=solution)), all_workings, strict=True)
    changed = [{name: value for name, value in other.items() if value != own[name]} for other, own in both]
    return {**_describe_rules(solution.problem), "stages": changed}


def _describe_other_sheets(sheet: Sheet) -> Iterator[dict[str, Any]]:
    """Write what other sheets of the same kind are given; what comes out, and what to ask of it, the script finds."""
    for other in islice(draw_other_sheets(sheet), OTHER_SHEETS):
        yield {"given": {name: write_key_matrix(other, a) for name, a in other.problem.given}}


def _describe_questions(sheet: Sheet) -> dict[str, Any]:
    """Write the questions, and once the patterns that several of them read words by."""
    questions = [_describe_question(sheet, question) for question in build_questions(sheet.key) if question.name]
    patterns = [
        *dict.fromkeys(each for question in questions for words in question["lexicons"] for each in words.values())
    ]
    numbers = {pattern: number for number, pattern in enumerate(patterns)}
    for question in questions:
        question["lexicons"] = [
            {meaning: numbers[pattern] for meaning, pattern in words.items()} for words in question["lexicons"]
        ]
    worked = {
        posed.try_id: posed
        for posed in sheet.posed_questions
        if posed.try_id and posed.question.kind is AnswerKind.NUMBER
    }
    tries = {id: describe_try_lines(sheet, posed) for id, posed in worked.items()}
    return {"questions": questions, "patterns": patterns, "tries": tries}


def _find_read_matrix(sheet: Sheet, posed: PosedQuestion) -> str:
    find, at = posed.question.find_matrix, posed.parameters
    return find(sheet.scene, at) if find else sheet.scene.get_attention(at).weights


def _describe_question(sheet: Sheet, question: AskedQuestion) -> dict[str, Any]:
    """Write what the script marks a question by, and what it says of each mark."""
    posed, at = question.posed, question.posed.parameters
    assert posed.finding is not None
    answer = posed.finding.answer
    remarks = {mark.value: format_question_remark(sheet, question, mark, "{answer}") for mark in Mark}
    if question.reason:
        remarks[Mark.CORRECT.value] = to_unicode(format_reason_line(sheet, question))
    data: dict[str, Any] = {
        "name": question.name,
        "id": posed.question.id,
        "kind": posed.question.kind.value,
        "matrix": _find_read_matrix(sheet, posed),
        "query": at.query,
        "token": at.token,
        "other": at.other,
        "faces": at.faces,
        "asked": sheet.asked_queries,
        "queries": sheet.scene.list_choosing_queries(at.attention),
        "keys": sheet.scene.list_visible_keys(at.query, at.attention),
        "words": list_token_words(sheet, question),
        "spellings": {choice: list_whole_answers(sheet, choice) for choice in posed.question.choices},
        "lexicons": list_answer_words(sheet, question),
        "remarks": remarks,
    }
    if posed.try_id and posed.question.kind is AnswerKind.NUMBER:
        line = posed.question.id.rpartition(".")[2]
        place = TRIES_BY_ID[posed.try_id].find_places(at)[line]
        data |= {"try": posed.try_id, "line": line, "place": [0, *place][-2:]}
    if isinstance(answer, CellChange):
        return {**data, "changed": answer.matrix}
    return {**data, "answer": answer if isinstance(answer, tuple | str) else write_key_value(answer)}


def describe_ending(sheet: Sheet) -> dict[str, Any]:
    """Write what is shown when all is right: each head's queries and keys, and how good the shortcut was."""

    def name_tokens(axis: Dimension) -> list[str]:
        return [format_vector_name(sheet, axis, at) for at in range(sheet.problem.get_length(axis))]

    heads = []
    for stage in sheet.weight_stages:
        queries, keys = (stage.rows, stage.columns) if sheet.convention.is_rows else (stage.columns, stage.rows)
        names = name_tokens(queries)
        heads.append(
            {
                "stage": stage.name,
                "title": format_headed_name(sheet, stage.name),
                "queries": [[query, names[query]] for query in sheet.asked_queries],
                "keys": name_tokens(keys),
            }
        )
    return {"heads": heads, "sentences": [*map(strip_markup, build_comparison_sentences(sheet))]}


def _describe_reasons(sheet: Sheet, stage: Stage, slip_ids: Sequence[str]) -> dict[str, dict[str, str]]:
    """Write of each slip that it was made, surely or perhaps, and why it is one."""
    reasons = {}
    for slip_id, pattern in zip(slip_ids, write_reason_patterns(sheet, slip_ids, stage), strict=True):
        actions = [describe_slip(sheet, slip_id, stage)]
        reasons[slip_id] = {
            "surely": sheet.say("feedback.named", actions=actions),
            "perhaps": sheet.say("feedback.perhaps", actions=actions),
            "why": pattern,
        }
    return reasons


def write_key_value(value: Number) -> str:
    """Write a number with all its digits, an irrational one with a power of ten."""
    return f"{value:e}" if isinstance(value, Decimal) and value.is_finite() else format_exact(value)


def _iterate_grids(layout: Layout) -> Iterator[tuple[str, Grid]]:
    """Yield every grid with its id on the page."""
    for page in layout.pages:
        for number, item in enumerate(page.items, 1):
            if isinstance(item, GridBox):
                yield f"b{page.number}-{number}", item.grid


def _iterate_copies(layout: Layout) -> Iterator[tuple[str, list[list[str]]]]:
    """Yield every grid that the student copies, with the ids of the cells that its own come from."""

    def source(cell: Cell) -> str:
        return make_cell_id(cell.copied_from) if cell.copied_from and cell.number is None else ""

    for name, grid in _iterate_grids(layout):
        if grid.style is GridStyle.COPY:
            sources = [[source(cell) for cell in row] for row in grid.cells]
            if any(map(any, sources)):
                yield name, sources


def _collect_words(sheet: Sheet) -> dict[str, str]:
    words = _find_words(sheet, "web.")
    words["empty"] = sheet.say("spoken.empty")
    words |= {f"check.{key}": sentence for key, sentence in _find_words(sheet, "more.").items()}
    words |= {f"check.{way}": strip_markup(sheet.say(f"feedback.other_way.{way}")) for way in OTHER_WAYS}
    left_out = ("scorm.",) if sheet.options.self_check else ("scorm.", "check")
    return {key: sentence for key, sentence in words.items() if not key.startswith(left_out)}


def _find_words(sheet: Sheet, beginning: str) -> dict[str, str]:
    table = sheet.language.sentences
    return {key.removeprefix("web."): sentence for key, sentence in table.items() if key.startswith(beginning)}
