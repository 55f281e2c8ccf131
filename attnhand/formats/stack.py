"""A question for STACK, as Moodle XML: a matrix a stage, marked on the server with follow-through and named slips.

The question's variables work the key in Maxima from what is given. Each stage has a tree: is it the key, else what
follows from the student's own earlier matrices, else what a slip makes of these; whatever is left gets its share of
cells. Stages and slips are formulas, printed as functions of Maxima's (see ``maxima``).
"""

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice
from xml.etree.ElementTree import Element, SubElement

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.numbers import is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.slips.binding import OWN
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, PageError
from attnhand.formats.cloze_questions import add_questions, write_solved_sheet
from attnhand.formats.maxima import FUNCTIONS, MaximaPrinter, write_maxima_matrix
from attnhand.formats.question_text import (
    add_category,
    add_name,
    add_text,
    escape_text,
    make_value_writer,
    refuse_inexact,
    write_matrix,
    write_paragraphs,
    write_quiz,
    write_text,
)
from attnhand.sheet.build_grids import format_stage_title
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.sentences import format_house_rules, format_title
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import capitalize, parse_markup, to_unicode

PENALTY = "0.1000000"
"""What an attempt that is not right costs, where the quiz counts attempts."""

_GOOD = "\ue000"
"""Where a sentence has the number of cells that count: no text has this character, and none is changed by it."""

MARKING_FUNCTIONS = """\
at_hide(a,h):=genmatrix(lambda([i,j],if h[i,j]=1 then 0 else a[i,j]),length(a),length(a[1]));
at_places(x,n):=if n>8 or abs(x*10^n-round(x*10^n))<1/10^7 then n else at_places(x,n+1);
at_decimal(x,n):=round(x*10^n)/10^n;
at_read(x):=if is(x=minf) or is(x=-inf) then neginf elseif floatnump(x) then at_decimal(x,at_places(x,1)) \
elseif numberp(x) then x else nothing;
at_rounds(x,t,n):=floatnump(x) and numberp(t) and is(abs(at_read(x)-t)<=(1/2+1/10^9)/10^n);
at_is(x,t):=is(at_read(x)=t) and not is(t=nothing);
at_right(x,t):=at_is(x,t) or floatnump(x) and at_rounds(x,t,max({places},at_places(x,1)));
at_follows(x,t):=at_is(x,t) or at_rounds(x,t,{places});
at_number(t):=numberp(t) or is(t=neginf);
at_meant(x,k,t):=if at_follows(x,t) then t elseif at_right(x,k) then k else at_read(x);
at_gone(x,k,t):=if not is(x=nothing) then x elseif at_number(t) then t else k;
at_each(f,a,b,c):=genmatrix(lambda([i,j],apply(f,[a[i,j],b[i,j],c[i,j]])),length(a),length(a[1]));
at_typed(a):=matrixmap(lambda([x],if is(x=neginf) then minf else x),a);
at_one(x,k,o):=if at_right(x,k) or at_follows(x,o) then 1 else 0;
at_good(a,k,o,c):=at_total(makelist(at_one(a[p[1],p[2]],k[p[1],p[2]],o[p[1],p[2]]),p,c));
at_share(n,m):=if is(n=m) then 1 else min(99,round(100*n/m))/100;"""
"""Of the question variables, beside those that formulas call.

A decimal stands for what follows, else for the key, where it is one of them rounded: ``at_meant``. Where there is no
number the student's own numbers go on, else the key: ``at_gone``.
"""

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
    quiz = Element("quiz")
    add_category(quiz, [f"{format_title(sheet)} · STACK"], sheet.say("stack.category", code=sheet.code))
    _add_question(quiz, sheet)
    add_questions(quiz, sheet, number=2)  # behind the one with all stages
    return write_quiz(quiz)


@dataclass(frozen=True, slots=True)
class Tree:
    """How one stage is marked."""

    number: int
    """Of the stage in its mechanism, from 1: its matrix is typed into ``ans3``, its key is ``k3``."""

    stage: Stage
    """In the convention of the sheet."""

    cells: tuple[tuple[int, int], ...]
    """What counts, 0-based."""

    variables: tuple[str, ...]
    """What stands before the tree: the student's own matrices, and what follows from them."""

    slips: tuple[str, ...]
    """Ids of slips: what they make of the student's own matrices is ``slip1``, ``slip2``, …"""


class _Workings:
    """Maxima's functions for the formulas of a question; heads share them, and so do slips."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.values = sheet.solution.collect_hand_values()
        mechanism = sheet.problem.mechanism
        self.numbers = {stage.name: at for at, stage in enumerate(mechanism.stages, 1)}
        self.given = {given.name: f"g{at}" for at, given in enumerate(mechanism.given, 1)}
        self.names: dict[str, str] = {}
        """What functions are called, by their arguments and bodies."""

    def write_stage(self, stage: Stage, own: Collection[str] = ()) -> str:
        """Return how Maxima works a stage.

        Args:
            own: matrices that are read as the student has them.
        """
        context = make_context(self.sheet, stage, {})
        formula = stage.formula
        assert context.has_all(formula.reads)
        letters = context.measure(formula, has_same_shape=False)
        is_row = len(self.values[stage.name]) == 1
        return self._call(MaximaPrinter(formula, context, letters), own, is_row=is_row)

    def write_slips(self, stage: Stage, own: Collection[str]) -> dict[str, str]:
        """Return how Maxima makes the slips that may be seen at a stage, one of those that never differ."""
        context = make_context(self.sheet, stage, {})
        found = {self.write_stage(stage, own): ""}
        for slip in find_slips(stage):
            bound = slip.find_formula(context)
            if bound is None:
                continue
            formula, _ = bound
            letters = context.measure(formula, has_same_shape=slip.has_same_shape)
            printer = MaximaPrinter(formula, context, letters)
            if printer.shape != context.find_shape(OWN):
                continue
            with suppress(PageError):  # e
                found.setdefault(self._call(printer, own, is_row=not context.is_rows), slip.id)
        return {slip: call for call, slip in found.items() if slip}

    def _call(self, printer: MaximaPrinter, own: Collection[str], *, is_row: bool) -> str:
        """Return a call of a formula's function, which is written where none does the same."""
        function = printer.print_function(is_row=is_row)
        called = self.names.setdefault(function, f"at_f{len(self.names) + 1}")
        arguments = ",".join(self._refer(each, own) for each in printer.names)
        return f"{called}({arguments})"

    def _refer(self, name: str, own: Collection[str]) -> str:
        """Return what a matrix is called."""
        if name == OWN:
            return "follow"
        return self.given.get(name) or f"{'own' if name in own else 'k'}{self.numbers[name]}"


def build_trees(sheet: Sheet, workings: _Workings | None = None) -> list[Tree]:
    """Return the trees of all stages that the sheet asks."""
    workings = workings or _Workings(sheet)
    trees = []
    for number, stage in enumerate(sheet.problem.mechanism.stages, 1):
        if not (cells := tuple(sheet.list_asked_cells(stage))):
            continue
        own = _list_own(sheet, stage)
        worked = workings.write_stage(stage, own)
        slips = workings.write_slips(stage, own)
        text = "".join((worked, *slips.values()))
        read = [at for name in own if re.search(rf"\bown{(at := workings.numbers[name])}\b", text)]
        variables = _write_own(sheet, workings, read)
        variables.append(f"follow:{_put_printed_zeros(sheet, stage, worked)}")
        variables.append(f"own{number}:{_put_printed_zeros(sheet, stage, _write_meant(number, 'follow'))}")
        places = ",".join(f"[{i + 1},{j + 1}]" for i, j in cells)
        variables.append(f"good:at_good(ans{number},k{number},follow,[{places}])")
        variables.append(f"share:at_share(good,{len(cells)})")
        for at, wrong in enumerate(slips.values(), 1):
            variables.append(f"slip{at}:{_put_printed_zeros(sheet, stage, wrong)}")
        trees.append(Tree(number, stage, cells, tuple(variables), tuple(slips)))
    return trees


def _write_own(sheet: Sheet, workings: _Workings, read: Sequence[int]) -> list[str]:
    """Return the student's own matrices, each after those that it is made from: what they go on with.

    Args:
        read: their numbers; what these are made from is written too, for whatever is missing follows from it.
    """
    stages = sheet.problem.mechanism.stages
    needed = {*read}
    for at in read:
        needed |= {workings.numbers[name] for name in _list_own(sheet, stages[at - 1])}
    lines = []
    for at in sorted(needed):
        stage = stages[at - 1]
        worked = workings.write_stage(stage, _list_own(sheet, stage))
        lines.append(f"follow{at}:{_put_printed_zeros(sheet, stage, worked)}")
        meant = _put_printed_zeros(sheet, stage, _write_meant(at, f"follow{at}"))
        lines.append(f"own{at}:at_each(at_gone,{meant},k{at},follow{at})")
    return lines


def _write_meant(number: int, follow: str) -> str:
    return f"at_each(at_meant,ans{number},k{number},{follow})"


def _list_own(sheet: Sheet, stage: Stage) -> list[str]:
    """Return the matrices by name that a stage is made from and a student fills.

    What slips read beside them is right: a matrix is not to wait for others.
    """
    return [each.name for each in sheet.problem.mechanism.list_sources(stage.name) if sheet.count_answer_cells(each)]


def _put_printed_zeros(sheet: Sheet, stage: Stage, a: str) -> str:
    """Return a matrix with 0 where the page prints the 0 that a mask leaves: whatever is typed there does not count."""
    number = sheet.problem.mechanism.stages.index(stage) + 1
    return f"at_hide({a},p{number})" if _find_printed(sheet, stage) else a


def _find_printed(sheet: Sheet, stage: Stage) -> Matrix | None:
    """Return a matrix with 1 where the page prints a 0; None where it prints none."""
    hand, asked = sheet.solution[stage.name].hand, set(sheet.list_asked_cells(stage))
    if len(asked) == len(hand) * len(hand[0]):
        return None
    return tuple(tuple(int((i, j) not in asked) for j in range(len(row))) for i, row in enumerate(hand))


def make_context(sheet: Sheet, stage: Stage, answers: Mapping[str, Matrix]) -> StageContext:
    """Return what a tree has before it at a stage: own matrices that it is made from, the others right."""
    own = {name: answers[name] for name in _list_own(sheet, stage) if name in answers}
    values = sheet.solution.collect_hand_values() | own
    return StageContext(sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, values)


def expect_mark(sheet: Sheet, tree: Tree, answers: Mapping[str, Matrix]) -> tuple[Fraction, str]:
    """Return the score and the note that a tree gives.

    Raises:
        ArithmeticError: nothing can be worked from the answers.
    """
    answer, key = answers[tree.stage.name], sheet.solution[tree.stage.name].hand
    context = make_context(sheet, tree.stage, answers)
    follow = context.compute_correct()

    def is_answer(a: Matrix | None) -> bool:
        return a is not None and all(answer[i][j] == a[i][j] for i, j in tree.cells)

    for expected, note in ((key, "key"), (follow, "follows")):
        if is_answer(expected):
            return Fraction(1), note
    good = sum(answer[i][j] in (key[i][j], follow[i][j]) for i, j in tree.cells)
    full = good == len(tree.cells)
    share = Fraction(1) if full else Fraction(min(99, round(Fraction(100 * good, len(tree.cells)))), 100)
    named = (slip.id for slip in find_slips(tree.stage, tree.slips) if is_answer(slip.compute_wrong(context)))
    return share, next(named, "other")


def _add_question(quiz: Element, sheet: Sheet) -> None:
    workings = _Workings(sheet)
    trees = build_trees(sheet, workings)
    question = SubElement(quiz, "question", {"type": "stack"})
    add_name(question, sheet, format_title(sheet), 1)
    add_text(question, "questiontext", _write_question_text(sheet, trees), is_html=True)
    add_text(question, "generalfeedback", write_solved_sheet(sheet, sheet.solution), is_html=True)
    _add_values(question, defaultgrade=sum(len(tree.cells) for tree in trees), penalty=PENALTY, hidden=0)
    add_text(question, "stackversion", "")
    add_text(question, "questionvariables", _write_question_variables(sheet, workings))
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
            parts.append(f"<p>[[input:ans{number}]] [[validation:ans{number}]]</p><div>[[feedback:prt{number}]]</div>")
        else:
            parts.append(write_matrix(sheet, stage, make_value_writer(sheet, sheet.solution[stage.name].hand)))
    return "".join(parts)


def _write_question_variables(sheet: Sheet, workings: _Workings) -> str:
    """Return the functions, what is given, how every stage is worked from it, and where the page prints zeros."""
    stages = sheet.problem.mechanism.stages
    keys = [f"k{at}:{workings.write_stage(stage)};" for at, stage in enumerate(stages, 1)]
    marking = MARKING_FUNCTIONS.format(places=sheet.problem.rules.decimals)
    lines = [FUNCTIONS.format(limit=sheet.problem.hand_arithmetic.max_exponent), marking]
    lines += [f"{name}{function};" for function, name in workings.names.items()]
    lines += [
        f"g{at}:{write_maxima_matrix(sheet.problem[given.name])};"
        for at, given in enumerate(sheet.problem.mechanism.given, 1)
    ]
    lines += keys
    for at, stage in enumerate(stages, 1):
        if sheet.count_answer_cells(stage) and (printed := _find_printed(sheet, stage)):
            lines.append(f"p{at}:{write_maxima_matrix(printed)};")
    return "\n".join(lines)


def _add_input(question: Element, sheet: Sheet, tree: Tree) -> None:
    entry = SubElement(question, "input")
    hand = sheet.solution[tree.stage.name].hand
    texts = ((EMPTY if (i, j) in tree.cells else "0" for j in range(len(row))) for i, row in enumerate(hand))
    hint = f"matrix({','.join('[' + ','.join(row) + ']' for row in texts)})"
    _add_values(entry, name=f"ans{tree.number}", type="matrix", tans=f"at_typed(k{tree.number})", boxsize=5)
    _add_values(entry, strictsyntax=1, insertstars=0, syntaxhint=hint, syntaxattribute=0, forbidwords="")
    words = "inf,minf" if tree.stage.form is Form.MASK else ""
    _add_values(entry, allowwords=words, forbidfloat=0, requirelowestterms=0, checkanswertype=0)
    _add_values(entry, mustverify=0, showvalidation=1, options="")


def _add_tree(question: Element, sheet: Sheet, tree: Tree) -> None:
    prt = SubElement(question, "prt")
    _add_values(prt, name=f"prt{tree.number}", value=f"{len(tree.cells)}.0000000", autosimplify=1, feedbackstyle=1)
    add_text(prt, "feedbackvariables", "\n".join(f"{variable};" for variable in tree.variables))
    named = [to_unicode(parse_markup(describe_slip(sheet, slip, tree.stage))) for slip in tree.slips]
    steps = [("key", f"k{tree.number}", "1", ""), ("follows", "follow", "1", sheet.say("stack.follows"))]
    for at, (slip, action) in enumerate(zip(tree.slips, named, strict=True), 1):
        steps.append((slip, f"slip{at}", "share", sheet.say("feedback.named", actions=[action])))
    for at, (note, expected, score, sentence) in enumerate(steps):
        is_last = at == len(steps) - 1
        node = SubElement(prt, "node")
        _add_values(node, name=at, answertest="AlgEquiv", sans=f"own{tree.number}", tans=expected, testoptions="")
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
            if wrong is not None and expect_mark(sheet, tree, right | {tree.stage.name: wrong})[1] == slip.id:
                yield {tree.stage.name: wrong}


def _work_on(sheet: Sheet, trees: list[Tree], replaced: dict[str, Matrix]) -> dict[str, Matrix] | None:
    """Return what is typed in with all that follows; None where nothing does."""
    try:
        worked = solve(sheet.problem, replacements=replaced)
    except (AttnhandError, ArithmeticError):
        return None
    return {tree.stage.name: type_asked(sheet, tree, worked[tree.stage.name].hand) for tree in trees}


def type_asked(sheet: Sheet, tree: Tree, a: Matrix) -> Matrix:
    """Return a matrix as a student types it: what the page prints is copied."""
    printed = sheet.solution[tree.stage.name].hand
    return tuple(
        tuple(value if (i, j) in tree.cells else printed[i][j] for j, value in enumerate(row))
        for i, row in enumerate(a)
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
