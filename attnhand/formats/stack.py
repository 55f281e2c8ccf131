"""A question for STACK, as Moodle XML: a matrix a stage, marked on the server with follow-through and named slips.

Each stage has a tree, which marks all that it is made from again, cell by cell, and says what is to be said: that all
is the key, that it follows, which slip it shows, or how many cells count. What it works with is in ``stack_variables``.
"""

from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import islice
from xml.etree.ElementTree import Element, SubElement

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.numbers import has_irrational, is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, PageError, name_option
from attnhand.formats.cloze_questions import add_questions, write_solved_sheet
from attnhand.formats.maxima import write_maxima_matrix, write_number
from attnhand.formats.question_text import (
    add_category,
    add_name,
    add_text,
    escape_text,
    join_quizzes,
    make_value_writer,
    refuse_inexact,
    write_matrix,
    write_paragraphs,
    write_quiz,
    write_text,
)
from attnhand.formats.stack_variables import QuestionVariables, Tree
from attnhand.sheet.build_grids import format_stage_title
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.sentences import format_house_rules, format_title
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import capitalize, parse_markup, to_unicode

PENALTY = "0.1000000"
"""What an attempt that is not right costs, where the quiz counts attempts."""

_GOOD = "\ue000"
"""Where a sentence has the number of cells that count: no text has this character, and none is changed by it."""

EMPTY = "x"
"""What stands in a cell that nobody has filled: one that is truly empty makes its whole matrix invalid."""


def render_stack(sheet: Sheet) -> str:
    """Return Moodle XML with one STACK question: all stages that the sheet asks.

    >>> from attnhand.problems.request import Request
    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> text = render_stack(make_sheet_from_request(Request(seed=7)))
    >>> text.count("<prt>"), text.count("<qtest>")
    (9, 3)

    Raises:
        PageError: STACK cannot hold the sheet.
    """
    refuse_inexact(sheet, "STACK")
    if not sheet.answer_cell_count:
        raise PageError(f"STACK marks matrices, and this sheet asks none: take {name_option('moodle')}")
    quiz = Element("quiz")
    add_category(quiz, [f"{format_title(sheet)} · STACK"], sheet.say("stack.category", code=sheet.code))
    _add_question(quiz, sheet)
    add_questions(quiz, sheet, number=2)  # behind the one with all stages
    return write_quiz(quiz)


def join_stack(files: Sequence[bytes], sheets: Sequence[Sheet]) -> bytes:
    """Return one file with the questions of a class as variants.

    Args:
        sheets: one of the class, of each form that is dealt.
    """
    return join_quizzes(files, sheets, "stack")


def make_context(sheet: Sheet, stage: Stage, answers: Mapping[str, Matrix]) -> StageContext:
    """Return what a tree has before it at a stage: own matrices that it is made from, the others right."""
    sources = sheet.problem.mechanism.list_sources(stage.name)
    own = {each.name: answers[each.name] for each in sources if sheet.count_answer_cells(each) and each.name in answers}
    values = sheet.solution.collect_hand_values() | own
    return StageContext(sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, values)


def expect_mark(sheet: Sheet, tree: Tree, answers: Mapping[str, Matrix]) -> tuple[Fraction, str]:
    """Return the score and the note that a tree gives for numbers that nobody made up.

    Raises:
        ArithmeticError: nothing can be worked from the answers.
    """
    answer, key = answers[tree.stage.name], sheet.solution[tree.stage.name].hand
    context = make_context(sheet, tree.stage, answers)
    follow = context.compute_correct()
    if all(answer[i][j] == key[i][j] for i, j in tree.cells):
        return Fraction(1), "key"
    good = sum(answer[i][j] in (key[i][j], follow[i][j]) for i, j in tree.cells)
    if good == len(tree.cells):
        return Fraction(1), "follows"
    wrong = ((slip.id, slip.compute_wrong(context)) for slip in find_slips(tree.stage, tree.slips))
    named = (slip for slip, a in wrong if a and all(answer[i][j] == a[i][j] for i, j in tree.cells))
    return Fraction(min(99, round(Fraction(100 * good, len(tree.cells)))), 100), next(named, "other")


def _add_question(quiz: Element, sheet: Sheet) -> None:
    variables = QuestionVariables(sheet)
    trees = variables.trees
    question = SubElement(quiz, "question", {"type": "stack"})
    add_name(question, sheet, format_title(sheet), 1)
    add_text(question, "questiontext", _write_question_text(sheet, trees), is_html=True)
    add_text(question, "generalfeedback", write_solved_sheet(sheet, sheet.solution), is_html=True)
    _add_values(question, defaultgrade=sum(len(tree.cells) for tree in trees), penalty=PENALTY, hidden=0)
    add_text(question, "stackversion", "")
    add_text(question, "questionvariables", variables.write())
    add_text(question, "specificfeedback", "", is_html=True)
    add_text(question, "questionnote", "", is_html=True)
    _add_values(question, questionsimplify=1, assumepositive=0, assumereal=0, decimals=sheet.language.decimal_mark)
    for name in ("correct", "partiallycorrect", "incorrect"):
        add_text(question, f"prt{name}", f"<p>{escape_text(sheet.say(f'stack.{name}'))}</p>", is_html=True)
    signs = {"multiplicationsign": "dot", "sqrtsign": 1, "complexno": "i", "inversetrig": "cos-1"}
    _add_values(question, **signs, logicsymbol="lang", matrixparens="[", variantsselectionseed="")
    for tree in trees:
        _add_input(question, sheet, tree)
    for tree in trees:
        _add_tree(question, sheet, tree)
    for number, answers in enumerate(list_test_answers(sheet, trees), 1):
        _add_test(question, sheet, trees, number, answers)


def _add_values(parent: Element, **values: object) -> None:
    for name, value in values.items():
        SubElement(parent, name).text = str(value)


def _write_question_text(sheet: Sheet, trees: list[Tree]) -> str:
    has_mask = any(tree.stage.form is Form.MASK for tree in trees)
    example = sheet.language.decimal(Fraction(9, 46), 3)
    texts = [escape_text(sheet.say("stack.type.infinity" if has_mask else "stack.type", example=example))]
    texts.append(write_text(parse_markup(format_house_rules(sheet))))
    parts = [f"<p>{text}</p>" for text in texts]
    for given in sheet.problem.mechanism.given:
        parts.append(write_matrix(sheet, given, make_value_writer(sheet, sheet.problem[given.name])))
    asked = {tree.stage.name: tree.number for tree in trees}
    for stage in sheet.problem.mechanism.stages:
        if number := asked.get(stage.name):
            parts.append(f"<h4>{escape_text(capitalize(format_stage_title(sheet, stage)))}</h4>")
            parts.append(write_paragraphs(sheet, stage))
            typed = f"[[input:ans{number}]] [[validation:ans{number}]]"
            parts.append(f'<div class="table-responsive position-relative">{typed}</div>')
            parts.append(f"<div>[[feedback:prt{number}]]</div>")
        else:
            parts.append(write_matrix(sheet, stage, make_value_writer(sheet, sheet.solution[stage.name].hand)))
    return "".join(parts)


def _add_input(question: Element, sheet: Sheet, tree: Tree) -> None:
    entry = SubElement(question, "input")
    hand = sheet.solution[tree.stage.name].hand
    texts = (
        (EMPTY if (i, j) in tree.cells else write_number(value) for j, value in enumerate(row))
        for i, row in enumerate(hand)
    )
    hint = f"matrix({','.join('[' + ','.join(row) + ']' for row in texts)})"
    _add_values(entry, name=f"ans{tree.number}", type="matrix", tans=f"at_typed(at_keys[{tree.number}])", boxsize=5)
    _add_values(entry, strictsyntax=1, insertstars=0, syntaxhint=hint, syntaxattribute=0, forbidwords="")
    words = "inf,minf" if tree.stage.form is Form.MASK else ""
    _add_values(entry, allowwords=words, forbidfloat=0, requirelowestterms=0, checkanswertype=0)
    _add_values(entry, mustverify=0, showvalidation=1, options="")


def _add_tree(question: Element, sheet: Sheet, tree: Tree) -> None:
    prt = SubElement(question, "prt")
    _add_values(prt, name=f"prt{tree.number}", value=f"{len(tree.cells)}.0000000", autosimplify=1, feedbackstyle=1)
    add_text(prt, "feedbackvariables", "\n".join(f"{variable};" for variable in tree.variables))
    named = [to_unicode(parse_markup(describe_slip(sheet, slip, tree.stage))) for slip in tree.slips]
    steps = [("key", "1", ""), ("follows", "1", sheet.say("stack.follows"))]
    for slip, action in zip(tree.slips, named, strict=True):
        steps.append((slip, "share", sheet.say("feedback.named", actions=[action])))
    for at, (note, score, sentence) in enumerate(steps):
        is_last = at == len(steps) - 1
        node = SubElement(prt, "node")
        _add_values(node, name=at, answertest="AlgEquiv", sans="said", tans=at, testoptions="")
        _add_values(node, quiet=1, truescoremode="=", truescore=score, truepenalty="", truenextnode=-1)
        _add_values(node, trueanswernote=f"prt{tree.number}-{note}")
        add_text(node, "truefeedback", f"<p>{escape_text(sentence)}</p>" if sentence else "", is_html=True)
        _add_values(node, falsescoremode="=", falsescore="share", falsepenalty="")
        _add_values(node, falsenextnode=-1 if is_last else at + 1, falseanswernote=f"prt{tree.number}-other")
        other = escape_text(sheet.say("stack.other", right=_GOOD, cells=len(tree.cells))).replace(_GOOD, "{@good@}")
        add_text(node, "falsefeedback", f"<p>{other}</p>" if is_last else "", is_html=True)


def list_test_answers(sheet: Sheet, trees: list[Tree]) -> list[dict[str, Matrix]]:
    """Return what the tests in the question type in: the key, then a slip and a wrong cell with all that follows."""
    stage = trees[0].stage
    (row, *rows) = sheet.solution[stage.name].hand
    tests = [_work_on(sheet, trees, {})]
    tests += islice(filter(None, (_work_on(sheet, trees, slip) for slip in _walk_visible_slips(sheet, trees))), 1)
    if is_finite(row[0]):
        tests.append(_work_on(sheet, trees, {stage.name: ((row[0] + 1, *row[1:]), *rows)}))
    return [answers for answers in tests if answers is not None]


def _walk_visible_slips(sheet: Sheet, trees: list[Tree]) -> Iterator[dict[str, Matrix]]:
    """Yield what slips make of right matrices, where they are named."""
    right = sheet.solution.collect_hand_values()
    for tree in trees:
        context = make_context(sheet, tree.stage, {})
        for slip in reversed(find_slips(tree.stage, tree.slips)):
            wrong = slip.compute_wrong(context)
            if wrong is None or any(map(has_irrational, wrong)):  # nobody types all digits of e
                continue
            if expect_mark(sheet, tree, right | {tree.stage.name: wrong})[1] == slip.id:
                yield {tree.stage.name: wrong}


def _work_on(sheet: Sheet, trees: list[Tree], replaced: dict[str, Matrix]) -> dict[str, Matrix] | None:
    """Return what is typed in with all that follows; None where nothing does."""
    try:
        worked = solve(sheet.problem, replacements=replaced)
    except (AttnhandError, ArithmeticError):
        return None
    return {tree.stage.name: type_asked(sheet, tree.stage, worked[tree.stage.name].hand) for tree in trees}


def type_asked(sheet: Sheet, stage: Stage, a: Matrix) -> Matrix:
    """Return a matrix as a student types it: what the page prints is copied."""
    asked, printed = {*sheet.list_asked_cells(stage)}, sheet.solution[stage.name].hand
    return tuple(
        tuple(value if (i, j) in asked else printed[i][j] for j, value in enumerate(row)) for i, row in enumerate(a)
    )


def _add_test(question: Element, sheet: Sheet, trees: list[Tree], number: int, answers: Mapping[str, Matrix]) -> None:
    test = SubElement(question, "qtest")
    _add_values(test, testcase=number)
    for tree in trees:
        typed = write_maxima_matrix(answers[tree.stage.name]).replace("neginf", "minf")
        _add_values(SubElement(test, "testinput"), name=f"ans{tree.number}", value=typed)
    for tree in trees:
        score, note = expect_mark(sheet, tree, answers)
        expected = SubElement(test, "expected")
        _add_values(expected, name=f"prt{tree.number}", expectedscore=f"{float(score):.7f}")
        penalty = "0.0000000" if score == 1 else PENALTY
        _add_values(expected, expectedpenalty=penalty, expectedanswernote=f"prt{tree.number}-{note}")
