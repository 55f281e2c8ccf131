"""A question for STACK, as Moodle XML: a matrix a stage, marked on the server with follow-through and named slips.

The question's variables work the key in Maxima from what is given. Each stage has a tree: is it the key, else what
follows from the student's own earlier matrices, else a slip made from these, or from the key; whatever is left gets
its share of cells.
"""

from collections.abc import Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from xml.etree.ElementTree import Element, SubElement

from attnhand.attention.arithmetic import Rules
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, has_irrational, is_finite
from attnhand.attention.operations import (
    Add,
    Concatenate,
    Divide,
    LookUp,
    Mask,
    Positions,
    Power,
    Product,
    ProductRole,
    ReLU,
    ScaleScores,
    Sum,
)
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, PageError, name_option
from attnhand.formats.cloze_questions import add_questions
from attnhand.formats.question_text import (
    add_category,
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

FUNCTIONS = """\
at_rows(a):=length(a);
at_cols(a):=length(a[1]);
at_total(l):=apply("+",l);
at_mul(a,b):=genmatrix(lambda([i,j],at_total(makelist(a[i,k]*b[k,j],k,1,at_rows(b)))),at_rows(a),at_cols(b));
at_plus(a,b):=genmatrix(lambda([i,j],a[i,j]+b[i,1]),at_rows(a),at_cols(a));
at_hide(a,h,v):=genmatrix(lambda([i,j],if h[i,j]=1 then v else a[i,j]),at_rows(a),at_cols(a));
at_infinity(a):=matrixmap(lambda([x],if is(x=minf) or is(x=-inf) then neginf else x),a);
at_typed(a):=matrixmap(lambda([x],if is(x=neginf) then minf else x),a);
at_power(b,x):=if is(x=neginf) then 0 elseif is(abs(x)>300)=true then nothing else b^x;
at_powers(b,a):=matrixmap(lambda([x],at_power(b,x)),a);
at_column_sums(a):=matrix(makelist(at_total(makelist(a[i,j],i,1,at_rows(a))),j,1,at_cols(a)));
at_over(x,y):=if is(y=0) then nothing else x/y;
at_divide(a,s):=genmatrix(lambda([i,j],at_over(a[i,j],s[1,j])),at_rows(a),at_cols(a));
at_below(a,b):=apply(matrix,append(args(a),args(b)));
at_columns(a,l):=genmatrix(lambda([i,j],a[i,l[j]]),at_rows(a),length(l));
at_one(x,k,o):=if is(x=k) or is(x=o) then 1 else 0;
at_good(a,k,o,c):=at_total(makelist(at_one(a[p[1],p[2]],k[p[1],p[2]],o[p[1],p[2]]),p,c));
at_share(n,m):=if is(n=m) then 1 else min(99,round(100*n/m))/100;"""
"""Of the question variables. Subtle: Maxima's own product of two vectors is a number and no matrix."""


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


def write_number(value: Number) -> str:
    """Return a number in Maxima; a masked score as a name of its own."""
    return f"({value})" if is_finite(value) and value < 0 else str(value) if is_finite(value) else "neginf"


def write_maxima_matrix(a: Matrix) -> str:
    """Return a matrix in Maxima.

    >>> write_maxima_matrix(((1, Fraction(-1, 3)),))
    'matrix([1,(-1/3)])'
    """
    rows = (",".join(map(write_number, row)) for row in a)
    return f"matrix({','.join(f'[{row}]' for row in rows)})"


def _write_operation(stage: Stage, rules: Rules, tokens: int, *a: str) -> str:
    """Return an operation, with tokens as columns, on matrices named so."""
    match stage.operation:
        case Product() as product:
            left, right = a[0], a[-1]
            left = f"transpose({left})" if product.is_left_transposed else left
            right = f"transpose({right})" if product.is_right_transposed else right
            multiplied = f"at_mul({left},{right})"
            return f"at_plus({multiplied},{a[1]})" if product.has_bias else multiplied
        case Mask() as mask:
            return f"at_hide({a[0]},{_write_hidden(mask, tokens)},neginf)"
        case ScaleScores():
            return a[0] if rules.floor_divisor is None else _write_each(f"floor(x/{rules.floor_divisor})", a[0])
        case Power():
            return f"at_powers({rules.base.whole},{a[0]})"
        case Sum():
            return f"at_column_sums({a[0]})"
        case Divide():
            return f"at_divide({a[0]},{a[1]})"
        case Concatenate():
            joined = a[0]
            for each in a[1:]:
                joined = f"at_below({joined},{each})"
            return joined
        case ReLU():
            return f"matrixmap(lambda([x],max(x,0)),{a[0]})"
        case LookUp(word_indices=indices):
            return f"at_columns({a[0]},{[index + 1 for index in indices]})"
        case Add():
            return f"{a[0]}+{a[1]}"
    raise PageError(f"STACK does not know how {stage.name} is worked: take {name_option('html')}")


def _write_each(cell: str, a: str) -> str:
    """Return a matrix worked cell by cell."""
    return f"matrixmap(lambda([x],{cell}),{a})"


def _list_slips(stage: Stage, base: int, tokens: int, *a: str) -> dict[str, str]:
    """Return what slips make of the same matrices, with tokens as columns, by the id of the slip."""
    match stage.operation:
        case Product(role=ProductRole.SCORES) as product if product.is_left_transposed:
            return {"scores-transposed": f"at_mul(transpose({a[1]}),{a[0]})"}
        case Product(role=ProductRole.MIXTURE):
            return {"weights-A-transposed": f"at_mul({a[0]},transpose({a[1]}))"}
        case Product(has_bias=True):
            return {"bias-forgotten": f"at_mul({a[0]},{a[-1]})"}
        case ScaleScores():
            return {
                "not-scaled": a[0],
                "truncated": _write_each("if x<0 then ceiling(x/2) else floor(x/2)", a[0]),
                "rounded-up": _write_each("ceiling(x/2)", a[0]),
                "half-kept": _write_each("x/2", a[0]),
                "doubled": _write_each("2*x", a[0]),
                "sign-dropped": _write_each("floor(abs(x)/2)", a[0]),
            }
        case Mask() as mask:
            turned = f"transpose({_write_hidden(mask, tokens)})"
            return {
                "zero-for-minus-infinity": f"at_hide({a[0]},{_write_hidden(mask, tokens)},0)",
                "other-triangle": f"at_hide({a[0]},{turned},neginf)",
                "mask-forgotten": a[0],
            }
        case Power():
            ways = {
                "times-not-power": f"{base}*x",
                "negative-power-negated": f"if x<0 then -at_power({base},-x) else at_power({base},x)",
                "negative-power-zero": f"if x<0 then 0 else at_power({base},x)",
                "negative-power-times": f"if x<0 then {base}*x else at_power({base},x)",
                "cubed": f"x^{base}",
                "zero-power-zero": f"if is(x=0) then 0 else at_power({base},x)",
                "zero-power-base": f"if is(x=0) then {base} else at_power({base},x)",
                "power-of-magnitude": f"at_power({base},abs(x))",
            }
            return {slip: _write_each(f"if is(x=neginf) then 0 else ({way})", a[0]) for slip, way in ways.items()}
        case Sum():
            return {"sums-other-axis": f"at_column_sums(transpose({a[0]}))"}
        case Divide():
            return {
                "other-axis": f"transpose(at_divide(transpose({a[0]}),at_column_sums(transpose({a[0]}))))",
                "over-count": f"{a[0]}/at_rows({a[0]})",
                "not-divided": a[0],
            }
        case ReLU():
            return {
                "relu-forgotten": a[0],
                "relu-of-magnitude": _write_each("abs(x)", a[0]),
                "relu-other-side": _write_each("min(x,0)", a[0]),
            }
        case _:
            return {}


def _write_hidden(mask: Mask, size: int) -> str:
    """Return a matrix with 1 where the mask hides a cell."""
    rows = (",".join(str(int(mask.hides(i, j))) for j in range(size)) for i in range(size))
    return f"matrix({','.join(f'[{row}]' for row in rows)})"


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

    fixed_slips: Mapping[str, Matrix]
    """What other slips make of right matrices, by id; they come after those."""


def build_trees(sheet: Sheet) -> list[Tree]:
    """Return the trees of all stages that the sheet asks."""
    trees = []
    for number, stage in enumerate(sheet.problem.mechanism.stages, 1):
        if not (cells := tuple(sheet.list_asked_cells(stage))):
            continue
        read = [at for at, each in enumerate(sheet.problem.mechanism.stages, 1) if each.name in stage.input_names]
        answered = [at for at in read if sheet.count_answer_cells(sheet.problem.mechanism.stages[at - 1])]
        variables = []
        for at in (*answered, number):
            typed = _put_printed_zeros(sheet, sheet.problem.mechanism.stages[at - 1], f"at_infinity(ans{at})")
            variables.append(f"own{at}:{typed}")
        variables.append(f"follow:{_put_printed_zeros(sheet, stage, _write_stage(sheet, stage, 'own'))}")
        places = ",".join(f"[{i + 1},{j + 1}]" for i, j in cells)
        variables.append(f"good:at_good(own{number},k{number},follow,[{places}])")
        variables.append(f"share:at_share(good,{len(cells)})")
        slips = _write_slips(sheet, stage)
        fixed = _find_fixed_slips(sheet, stage, slips)
        for at, wrong in enumerate((*slips.values(), *map(write_maxima_matrix, fixed.values())), 1):
            variables.append(f"slip{at}:{_put_printed_zeros(sheet, stage, wrong)}")
        trees.append(Tree(number, stage, cells, tuple(variables), tuple(slips), fixed))
    return trees


def _put_printed_zeros(sheet: Sheet, stage: Stage, a: str) -> str:
    """Return a matrix with 0 where the page prints the 0 that a mask leaves: whatever is typed there does not count."""
    hand, asked = sheet.solution[stage.name].hand, set(sheet.list_asked_cells(stage))
    printed = tuple(tuple(int((i, j) not in asked) for j in range(len(row))) for i, row in enumerate(hand))
    return f"at_hide({a},{write_maxima_matrix(printed)},0)" if len(asked) < len(hand) * len(hand[0]) else a


def _name_inputs(sheet: Sheet, stage: Stage, own: str) -> tuple[Stage, list[str]]:
    """Return a stage with tokens as columns, and what Maxima calls the matrices that it reads there."""
    mechanism = sheet.problem.mechanism
    names = {given.name: f"g{at}" for at, given in enumerate(mechanism.given, 1)}
    for at, each in enumerate(mechanism.stages, 1):
        names[each.name] = f"{own if sheet.count_answer_cells(each) else 'k'}{at}"
    in_columns = mechanism.convert_to(Convention.COLUMNS).get_stage(stage.name)
    return in_columns, [_turn(sheet, names[name]) for name in in_columns.input_names]


def _turn(sheet: Sheet, a: str) -> str:
    return f"transpose({a})" if sheet.convention.is_rows else a


def _write_stage(sheet: Sheet, stage: Stage, own: str) -> str:
    """Return how Maxima works a stage, in the convention of the sheet."""
    if isinstance(stage.operation, Positions):
        return write_maxima_matrix(sheet.solution[stage.name].hand)
    in_columns, names = _name_inputs(sheet, stage, own)
    return _turn(sheet, _write_operation(in_columns, sheet.problem.rules, sheet.problem.sizes["tokens"], *names))


def _write_slips(sheet: Sheet, stage: Stage) -> dict[str, str]:
    """Return how Maxima makes the slips that can be seen at a stage of this sheet."""
    in_columns, names = _name_inputs(sheet, stage, "own")
    base = sheet.problem.rules.base.whole
    assert base is not None
    written = _list_slips(in_columns, base, sheet.problem.sizes["tokens"], *names)
    context, key = make_context(sheet, stage, {}), sheet.solution[stage.name].hand
    wrong = {slip.id: slip.compute_wrong(context) for slip in find_slips(stage, tuple(written))}
    return {
        slip: _turn(sheet, written[slip])
        for slip, a in wrong.items()
        if a is not None and shape(a) == shape(key) and a != key
    }


def _find_fixed_slips(sheet: Sheet, stage: Stage, written: Collection[str]) -> dict[str, Matrix]:
    """Return what the slips that no formula makes leave of right matrices, one of those that leave the same."""
    context, hand = make_context(sheet, stage, {}), sheet.solution[stage.name].hand
    asked = sheet.list_asked_cells(stage)
    found: dict[str, Matrix] = {}
    seen = {_read_cells(hand, asked)}
    for slip in find_slips(stage):
        wrong = None
        with suppress(AttnhandError, ArithmeticError):
            wrong = slip.compute_wrong(context)
        if wrong is None or shape(wrong) != shape(hand) or any(map(has_irrational, wrong)):
            continue
        if (cells := _read_cells(wrong, asked)) not in seen:
            seen.add(cells)
            found |= {} if slip.id in written else {slip.id: wrong}
    return found


def _read_cells(a: Matrix, cells: Sequence[tuple[int, int]]) -> tuple[Number, ...]:
    return tuple(a[i][j] for i, j in cells)


def make_context(sheet: Sheet, stage: Stage, answers: Mapping[str, Matrix]) -> StageContext:
    """Return what a student has before them at a stage: their own matrices where they answered any."""
    values = sheet.solution.collect_hand_values() | dict(answers)
    return StageContext(sheet.problem.mechanism, stage, sheet.problem.hand_arithmetic, values)


def expect_mark(sheet: Sheet, tree: Tree, answers: Mapping[str, Matrix]) -> tuple[Fraction, str]:
    """Return the score and the note that a tree gives.

    Raises:
        ArithmeticError: nothing can be worked from the answers.
    """
    answer, key = answers[tree.stage.name], sheet.solution[tree.stage.name].hand
    context = make_context(sheet, tree.stage, answers)
    follow = context.compute_correct()
    for expected, note in ((key, "key"), (follow, "follows")):
        if all(answer[i][j] == expected[i][j] for i, j in tree.cells):
            return Fraction(1), note
    good = sum(answer[i][j] in (key[i][j], follow[i][j]) for i, j in tree.cells)
    full = good == len(tree.cells)
    share = Fraction(1) if full else Fraction(min(99, round(Fraction(100 * good, len(tree.cells)))), 100)
    wrong = {slip.id: slip.compute_wrong(context) for slip in find_slips(tree.stage, tree.slips)}
    for slip in tree.slips:
        if (a := wrong[slip]) is not None and all(answer[i][j] == a[i][j] for i, j in tree.cells):
            return share, slip
    for slip, a in tree.fixed_slips.items():
        if all(answer[i][j] == a[i][j] for i, j in tree.cells):
            return share, slip
    return share, "other"


def _add_question(quiz: Element, sheet: Sheet) -> None:
    trees = build_trees(sheet)
    question = SubElement(quiz, "question", {"type": "stack"})
    add_text(question, "name", f"{format_title(sheet)} · {sheet.code}")
    add_text(question, "questiontext", _write_question_text(sheet, trees), is_html=True)
    add_text(question, "generalfeedback", "", is_html=True)
    _add_values(question, defaultgrade=len(trees), penalty=PENALTY, hidden=0)
    add_text(question, "stackversion", "")
    add_text(question, "questionvariables", _write_question_variables(sheet))
    add_text(question, "specificfeedback", "", is_html=True)
    add_text(question, "questionnote", "", is_html=True)
    _add_values(question, questionsimplify=1, assumepositive=0, assumereal=0)
    for name in ("correct", "partiallycorrect", "incorrect"):
        add_text(question, f"prt{name}", f"<p>{escape_text(sheet.say(f'stack.{name}'))}</p>", is_html=True)
    signs = {"multiplicationsign": "dot", "sqrtsign": 1, "complexno": "i", "inversetrig": "cos-1"}
    _add_values(question, **signs, logicsymbol="lang", matrixparens="[", variantsselectionseed="")
    for tree in trees:
        _add_input(question, tree)
    for tree in trees:
        _add_tree(question, sheet, tree)
    for number, answers in enumerate(list_test_answers(sheet, trees), 1):
        _add_test(question, sheet, trees, number, answers)


def _add_values(parent: Element, **values: object) -> None:
    for name, value in values.items():
        SubElement(parent, name).text = str(value)


def _write_question_text(sheet: Sheet, trees: list[Tree]) -> str:
    has_mask = any(isinstance(tree.stage.operation, Mask) for tree in trees)
    texts = [escape_text(sheet.say("stack.type.infinity" if has_mask else "stack.type"))]
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


def _write_question_variables(sheet: Sheet) -> str:
    """Return the functions, what is given, and how every stage is worked from it."""
    lines = [FUNCTIONS]
    lines += [
        f"g{at}:{write_maxima_matrix(sheet.problem[given.name])};"
        for at, given in enumerate(sheet.problem.mechanism.given, 1)
    ]
    stages = sheet.problem.mechanism.stages
    lines += [f"k{at}:{_write_stage(sheet, stage, 'k')};" for at, stage in enumerate(stages, 1)]
    return "\n".join(lines)


def _add_input(question: Element, tree: Tree) -> None:
    entry = SubElement(question, "input")
    _add_values(entry, name=f"ans{tree.number}", type="matrix", tans=f"at_typed(k{tree.number})", boxsize=5)
    _add_values(entry, strictsyntax=1, insertstars=0, syntaxhint="", syntaxattribute=0, forbidwords="")
    words = "inf,minf" if isinstance(tree.stage.operation, Mask) else ""
    _add_values(entry, allowwords=words, forbidfloat=1, requirelowestterms=0, checkanswertype=0)
    _add_values(entry, mustverify=0, showvalidation=1, options="")


def _add_tree(question: Element, sheet: Sheet, tree: Tree) -> None:
    prt = SubElement(question, "prt")
    _add_values(prt, name=f"prt{tree.number}", value="1.0000000", autosimplify=1, feedbackstyle=1)
    add_text(prt, "feedbackvariables", "\n".join(f"{variable};" for variable in tree.variables))
    slips = (*tree.slips, *tree.fixed_slips)
    named = [to_unicode(parse_markup(describe_slip(sheet, slip, tree.stage))) for slip in slips]
    steps = [("key", f"k{tree.number}", "1", ""), ("follows", "follow", "1", sheet.say("stack.follows"))]
    for at, (slip, action) in enumerate(zip(slips, named, strict=True), 1):
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
        other = escape_text(sheet.say("stack.other", right="\0", cells=len(tree.cells))).replace("\0", "{@good@}")
        add_text(node, "falsefeedback", f"<p>{other}</p>" if is_last else "", is_html=True)


def list_test_answers(sheet: Sheet, trees: list[Tree]) -> list[dict[str, Matrix]]:
    """Return what the tests in the question type in: the key, then a slip and a wrong cell with all that follows."""
    found: list[dict[str, Matrix]] = [{}]
    first = next(((tree, tree.slips[-1]) for tree in trees if tree.slips), None)
    if first is not None:
        (slip,) = find_slips(first[0].stage, (first[1],))
        wrong = slip.compute_wrong(make_context(sheet, first[0].stage, {}))
        found += [{first[0].stage.name: wrong}] if wrong is not None else []
    stage = trees[0].stage
    (row, *rows) = sheet.solution[stage.name].hand
    if is_finite(row[0]):
        found.append({stage.name: ((row[0] + 1, *row[1:]), *rows)})
    tests = []
    for replaced in found:
        try:
            worked = solve(sheet.problem, replacements=replaced)
        except (AttnhandError, ArithmeticError):  # nothing follows from it
            continue
        tests.append({tree.stage.name: _type_asked(sheet, tree, worked[tree.stage.name].hand) for tree in trees})
    return tests


def _type_asked(sheet: Sheet, tree: Tree, a: Matrix) -> Matrix:
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
