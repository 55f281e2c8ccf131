"""STACK questions marked by Debian's Maxima, in a small interpreter of the XML, and compared with ``attnhand check``.

The interpreter takes a question's variables, a tree's own variables and its nodes as STACK documents them. It sees
that an answer test holds where every cell's difference is 0.

Three kinds of students fill a question: one who makes a slip or changes a cell; one who makes a slip after another;
and one who fills in anything, against whose numbers every stage and every slip of every tree is held to Python's.
"""

import re
import subprocess
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import NamedTuple, TypeVar
from xml.etree import ElementTree

import attnhand
from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.numbers import MINUS_INFINITY, Number, has_irrational, is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.formats.maxima import write_maxima_matrix, write_number
from attnhand.formats.stack import EMPTY, expect_mark, make_context, render_stack, type_asked
from attnhand.formats.stack_variables import Tree, build_trees
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.exports.cases import ALLOWED_DIFFERENCES, LARGEST_DIFFERENCE, LOOK_ALIKES, Case, Marker, check
from tests.exports.cases import list_cases as list_table
from tests.exports.tried import choose_by_turns

TIMEOUT = 900
ANYTHING_COUNT = 4

PAPERS = 15
"""Of each kind a sheet, at most: Maxima needs up to a second for each. Which they are its number says."""

FEW_CELLS = 2
"""So many a sheet of one token may differ by, where numbers are made up throughout: it has no hundred cells."""

_Paper = TypeVar("_Paper")

_TESTS = """\
display2d:false$ linel:1000000$ stringdisp:true$
tt_say(name,value):=print(concat("@",name,"=",string(value)))$
"""


def try_stack(number: int) -> str:
    """Mark the key, slips and changed cells of one sheet by its trees, and compare every cell with check."""
    name, request = choose_by_turns(number)
    sheet = make_sheet_from_request(request)
    try:
        question = ElementTree.fromstring(render_stack(sheet)).findall("question")[1]
    except AttnhandError:
        return "refused"
    trees = build_trees(sheet)
    draw = Random(number)
    right, *slips = list_cases(sheet)
    cases = [right, *_pick(draw, slips)]
    doubled = _pick(draw, list(list_slips_after_errors(sheet, trees)))
    anything = [fill_in_anything(sheet, Random(f"{number} {at}")) for at in range(ANYTHING_COUNT)]
    tests = [read_test(test) for test in question.findall("qtest")]
    runs = [Run(write_inputs(sheet, answers), find_trees(trees, sheet, label)) for label, answers in cases]
    runs += [Run(typed) for typed, _ in tests]
    runs += [Run(write_inputs(sheet, answers), (tree.number,)) for tree, _, answers in doubled]
    runs += [Run(write_inputs(sheet, answers), says_slips=True) for answers in anything]
    table = [
        case
        for case in list_table(sheet)
        if (Marker.STACK, case.kind) not in ALLOWED_DIFFERENCES and not case.name.startswith(LOOK_ALIKES)
    ]
    table = _pick(draw, table)
    runs += [Run(write_case(sheet, case)) for case in table]
    first, *others = run_maxima(question, runs)
    said = iter([first, *({**first, **seen} for seen in others)])  # what is not worked again is as in the key
    where = f"{number} {name} {request.convention}"
    for (label, answers), seen in zip(cases, said, strict=False):
        if fault := compare(sheet, question, answers, seen) or find_unnamed(sheet, question, label, seen):
            return f"{where} {label}: {fault}"
    for (_, expected), seen in zip(tests, said, strict=False):
        for prt, (score, note) in expected.items():
            if walk(question, prt, seen) != (score, note):
                return f"{where} test {prt}: {walk(question, prt, seen)} for {(score, note)}"
    for (tree, label, answers), seen in zip(doubled, said, strict=False):
        score, note = expect_mark(sheet, tree, answers)
        if (found := walk(question, f"prt{tree.number}", seen)) != (score, f"prt{tree.number}-{note}"):
            return f"{where} {label}: {found} for {(score, note)}"
    for answers, seen in zip(anything, said, strict=False):
        for tree in trees:
            if fault := compare_workings(sheet, tree, answers, seen):
                return f"{where} {tree.stage.name} of {answers}: {fault}"
    for case, seen in zip(table, said, strict=True):
        if fault := compare_shares(sheet, trees, case, seen):
            return f"{where} {case.name}: {fault}"
    return ""


def _pick(draw: Random, papers: list[_Paper]) -> list[_Paper]:
    """Return some of what students hand in."""
    return draw.sample(papers, min(PAPERS, len(papers)))


def write_case(sheet: Sheet, case: Case) -> dict[str, str]:
    """Return what stands in the inputs where a paper of the table is typed in; a comma is the mark of its language."""
    return {
        f"ans{at}": "matrix("
        + ",".join("[" + ",".join(map(_retype, row)) + "]" for row in case.texts[stage.name])
        + ")"
        for at, stage in enumerate(sheet.problem.mechanism.stages, 1)
        if sheet.count_answer_cells(stage)
    }


def _retype(text: str) -> str:
    """Return a text as Maxima reads it; what the page prints is there, and an empty field has what it begins with."""
    return text.replace(",", ".").replace("−", "-").replace("∞", "inf").replace("-inf", "(-inf)") or EMPTY


def compare_shares(sheet: Sheet, trees: list[Tree], case: Case, seen: Mapping[str, str]) -> str:
    """Return where all trees together count other cells than check does, and by more than a point or a few cells."""
    marks = check(sheet, case).marks
    good = {tree.stage.name: int(seen[f"prt{tree.number} good"]) for tree in trees}
    allowed = max(Fraction(FEW_CELLS), LARGEST_DIFFERENCE * len(marks.cells))
    if abs(sum(good.values()) - int(marks.score)) <= allowed:
        return ""
    counted = Counter(cell.stage for cell in marks.cells if cell.counts)
    differing = (f"{name} {found}, {counted[name]}" for name, found in good.items() if found != counted[name])
    return f"{sum(good.values())} count, and {marks.score} with check: {'; '.join(differing)}"


def find_trees(trees: list[Tree], sheet: Sheet, label: str) -> tuple[int, ...]:
    """Return the numbers of the trees that see what was changed in a case; none for all."""
    changed = label.partition(" ")[0]
    sources = {tree.number: sheet.problem.mechanism.list_sources(tree.stage.name) for tree in trees}
    return tuple(
        tree.number
        for tree in trees
        if changed == tree.stage.name or changed in {each.name for each in sources[tree.number]}
    )


def list_slips_after_errors(sheet: Sheet, trees: list[Tree]) -> Iterator[tuple[Tree, str, Mapping[str, Matrix]]]:
    """Yield what students type in who make a slip at a stage after one in a stage that it is made from."""
    problem, key = sheet.problem, sheet.solution.collect_hand_values()
    for tree in trees:
        sources = [each.name for each in problem.mechanism.list_sources(tree.stage.name)]
        before = [each for each in trees if each.stage.name in sources]
        first_slips = [
            (earlier.stage.name, slip.id, wrong)
            for earlier in before
            for slip in find_slips(earlier.stage, earlier.slips)
            if slip.id not in LOOK_ALIKES
            and (wrong := slip.compute_wrong(make_context(sheet, earlier.stage, {}))) is not None
        ]
        for at, slip in enumerate(find_slips(tree.stage, tree.slips)):
            for earlier, earlier_slip, wrong in first_slips[at % 7 :: 7]:
                try:
                    worked = solve(problem, replacements={earlier: wrong}).collect_hand_values()
                    answers = {
                        each.stage.name: type_asked(sheet, each.stage, worked[each.stage.name]) for each in before
                    }
                    a = slip.compute_wrong(make_context(sheet, tree.stage, answers))
                except (AttnhandError, ArithmeticError):
                    continue
                values = {**key, **answers} | ({} if a is None else {tree.stage.name: a})
                if a is None or any(has_irrational(row) for each in values.values() for row in each):
                    continue
                yield tree, f"{earlier} {earlier_slip}, {tree.stage.name} {slip.id}", values


def fill_in_anything(sheet: Sheet, random: Random) -> dict[str, Matrix]:
    """Return matrices of a student who fills in anything that may be typed: zeros above all, and −∞ under a mask."""
    answers = {}
    for stage in sheet.problem.mechanism.stages:
        hand = sheet.solution[stage.name].hand
        numbers: list[Number] = [0, 0, 1, -1, 2, 3, -3]
        if stage.topic not in ("scores", "scaled", "masked"):  # powers of fractions are none
            numbers += [Fraction(1, 2), Fraction(-5, 3), Fraction(5, 8)]
        if stage.form is Form.MASK:
            numbers += [MINUS_INFINITY, MINUS_INFINITY]
        numbers = [0] if random.random() < 0.15 else numbers
        asked = set(sheet.list_asked_cells(stage))
        answers[stage.name] = tuple(
            tuple(random.choice(numbers) if (i, j) in asked else hand[i][j] for j in range(len(row)))
            for i, row in enumerate(hand)
        )
    return answers


def compare_workings(sheet: Sheet, tree: Tree, answers: Mapping[str, Matrix], seen: Mapping[str, str]) -> str:
    """Return where a tree works its stage, or a slip, otherwise than Python does."""
    context = make_context(sheet, tree.stage, answers)
    try:
        follow = context.compute_correct()
    except ArithmeticError:
        follow = None
    said = f"prt{tree.number}"
    if fault := _differs(seen[f"{said} follow"], follow, tree):
        return f"what follows is {fault}"
    made = re.findall(r"matrix\((.*?)\)", seen[f"{said} slips"])
    for slip, written in zip(find_slips(tree.stage, tree.slips), made, strict=True):
        wrong = slip.compute_wrong(context)
        if wrong is None and _is_equal(written, seen[f"{said} follow"]):
            continue  # nothing is wrong with it
        if fault := _differs(written, wrong, tree):
            return f"{slip.id} makes {fault}"
    return ""


def _is_equal(one: str, other: str) -> bool:
    """Say whether two matrices are the same, where a power of e may be 1.0, and a logarithm -0.0."""
    return _drop_zeros(one) == _drop_zeros(other)


def _drop_zeros(written: str) -> list[list[str]]:
    return parse_matrix(re.sub(r"\.0\b", "", written.replace("-0.0", "0")))


def _differs(written: str, a: Matrix | None, tree: Tree) -> str:
    """Return what Maxima wrote where it is not a matrix; None of Python is a cell that cannot be worked."""
    if a is None:  # nor is −∞ taken away a number
        return "" if "nothing" in written or "-neginf" in written else f"{written}, and nothing in Python"
    cells = parse_matrix(written)
    expected = [[write_number(value).strip("()") for value in row] for row in a]
    if any(map(has_irrational, a)) or all(cells[i][j] == expected[i][j] for i, j in tree.cells):
        return ""
    return f"{written}, and {write_maxima_matrix(a)} in Python"


def find_unnamed(sheet: Sheet, question: ElementTree.Element, label: str, seen: Mapping[str, str]) -> str:
    """Return what is said of a slip, where it is not named; what counts as right, as check has it, has no name."""
    name, _, slip = label.partition(",")[0].partition(" ")
    if slip in ("", "changed"):
        return ""
    at = [stage.name for stage in sheet.problem.mechanism.stages].index(name) + 1
    _, note = walk(question, f"prt{at}", seen)
    return f"noted as {note}" if note.endswith(("-other", "-follows")) else ""


def list_cases(sheet: Sheet) -> Iterator[tuple[str, Mapping[str, Matrix]]]:
    """Yield what students type in: the key, and every slip and a changed cell of every stage, with what follows."""
    problem, solution = sheet.problem, sheet.solution
    values = solution.collect_hand_values()
    yield "key", {solved.stage.name: solved.hand for solved in solution}
    for stage in problem.mechanism.stages:
        if not sheet.count_answer_cells(stage):
            continue
        hand = solution[stage.name].hand
        context = StageContext(problem.mechanism, stage, problem.hand_arithmetic, values)
        wrong = {slip.id: slip.compute_wrong(context) for slip in find_slips(stage)}
        i, j = sheet.list_asked_cells(stage)[-1]
        wrong["changed"] = tuple(
            tuple(x + ((row, column) == (i, j)) if is_finite(x) else x for column, x in enumerate(line))
            for row, line in enumerate(hand)
        )
        for label, made in wrong.items():
            if made is None or shape(made) != shape(hand) or any(map(has_irrational, made)):
                continue
            a = type_asked(sheet, stage, made)
            if a == hand:
                continue
            for follows in (True, False):
                try:
                    worked = solve(problem, replacements={stage.name: a})
                except (AttnhandError, ArithmeticError):
                    continue
                after = worked if follows else solution
                if any(has_irrational(row) for each in after for row in each.hand):
                    continue  # nobody can type it exactly
                answers = {each.stage.name: type_asked(sheet, each.stage, each.hand) for each in after}
                answers |= {stage.name: a}
                if follows and label in LOOK_ALIKES:
                    continue
                yield f"{stage.name} {label}, {'followed' if follows else 'alone'}", answers


def write_inputs(sheet: Sheet, answers: Mapping[str, Matrix]) -> dict[str, str]:
    """Return what stands in the inputs, as a student types it: -inf for a masked score."""
    return {
        f"ans{at}": "matrix(" + ",".join("[" + ",".join(map(_type, row)) + "]" for row in answers[stage.name]) + ")"
        for at, stage in enumerate(sheet.problem.mechanism.stages, 1)
        if sheet.count_answer_cells(stage)
    }


def _type(value: object) -> str:
    return "-inf" if value == MINUS_INFINITY else str(value)


def read_test(test: ElementTree.Element) -> tuple[dict[str, str], dict[str, tuple[Fraction, str]]]:
    """Return what a test in the question types in, and by tree the score and the note that it expects."""
    typed = {str(each.findtext("name")): str(each.findtext("value")) for each in test.findall("testinput")}
    expected = {}
    for each in test.findall("expected"):
        score, note = Fraction(str(each.findtext("expectedscore"))), str(each.findtext("expectedanswernote"))
        expected[str(each.findtext("name"))] = (score, note)
    return typed, expected


class Run(NamedTuple):
    """What is typed in, and what Maxima is to say of it."""

    typed: Mapping[str, str]
    trees: tuple[int, ...] = ()
    """The numbers of the trees that are worked; none for all."""

    says_slips: bool = False
    """Whether it says what every slip makes."""


def run_maxima(question: ElementTree.Element, runs: list[Run]) -> list[dict[str, str]]:
    """Return, for each run, what Maxima says of every tree's variables and nodes, by name."""
    lines = [_TESTS, str(question.findtext("questionvariables/text")).replace(";", "$")]
    for at, run in enumerate(runs):
        lines += [f"{name}:{value}$" for name, value in run.typed.items()]
        for prt in question.findall("prt"):
            name = str(prt.findtext("name"))
            number = name.removeprefix("prt")
            if run.trees and int(number) not in run.trees:
                continue
            lines.append(str(prt.findtext("feedbackvariables/text")).replace(";", "$"))
            lines.append(f"follow:at_work({number},paper[4],true)$")
            wanted = {each: each for each in ("good", "share", "said", "follow")}
            wanted |= {"marks": "paper[3]", "own": f"paper[4][{number}]"}
            if run.says_slips:
                wanted["slips"] = f"at_slips({number},paper[4],follow)"
            lines += [f'tt_say("{at} {name} {called}",{variable})$' for called, variable in wanted.items()]
    with tempfile.NamedTemporaryFile("w", suffix=".mac", delete=False) as file:
        file.write("\n".join(lines))
    done = subprocess.run(
        ["maxima", "--very-quiet", "--batch-string", f'batchload("{file.name}")$'],
        capture_output=True,
        text=True,
        timeout=TIMEOUT,
        check=False,
    )
    Path(file.name).unlink()
    seen: list[dict[str, str]] = [{} for _ in runs]
    for case, key, value in re.findall(r"^@(\d+) (.*?)=(.*)$", done.stdout, re.MULTILINE):
        seen[int(case)][key] = value.strip()
    assert all(seen), done.stdout[-1000:] + done.stderr[-1000:]
    return seen


def walk(question: ElementTree.Element, name: str, seen: Mapping[str, str]) -> tuple[Fraction, str]:
    """Return score and note of a tree: from node 0 along its branches."""
    (prt,) = (each for each in question.findall("prt") if each.findtext("name") == name)
    nodes = {str(node.findtext("name")): node for node in prt.findall("node")}
    at, score, note = "0", Fraction(0), ""
    while at != "-1":
        assert nodes[at].findtext("sans") == "said"
        branch = "true" if seen[f"{name} said"] == nodes[at].findtext("tans") else "false"
        written = str(nodes[at].findtext(f"{branch}score"))
        score = Fraction(seen[f"{name} share"] if written == "share" else written)
        note = str(nodes[at].findtext(f"{branch}answernote"))
        at = str(nodes[at].findtext(f"{branch}nextnode"))
    return score, note


def parse_matrix(text: str) -> list[list[str]]:
    """Return the cells of a matrix that Maxima printed."""
    return [row.split(",") for row in re.findall(r"\[(.*?)\]", text.replace(" ", ""))]


def compare(sheet: Sheet, question: ElementTree.Element, answers: Mapping[str, Matrix], seen: Mapping[str, str]) -> str:
    """Return where the trees and check disagree."""
    given = {
        stage.name: [[_type(value) for value in row] for row in answers[stage.name]]
        for stage in sheet.problem.mechanism.stages
        if sheet.count_answer_cells(stage)
    }
    marks = attnhand.check(given, sheet).marks
    for tree in build_trees(sheet):
        cells = {cell.place: cell for cell in marks.cells if cell.stage == tree.stage.name}
        counted = sum(cell.counts for cell in cells.values())
        good = int(seen[f"prt{tree.number} good"])
        if good != counted:
            return f"{tree.stage.name} has {good} good cells, and {counted} to check"
        score, _ = walk(question, f"prt{tree.number}", seen)
        if score != (1 if good == len(cells) else Fraction(min(99, round(Fraction(100 * good, len(cells)))), 100)):
            return f"{tree.stage.name} scores {score} for {good} of {len(cells)}"
    return ""
