"""STACK questions marked by Debian's Maxima, in a small interpreter of the XML, and compared with ``attnhand check``.

The interpreter takes a question's variables, a tree's own variables and its nodes as STACK documents them. It sees
that an answer test holds where every cell's difference is 0.
"""

import re
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from xml.etree import ElementTree

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, shape
from attnhand.attention.numbers import MINUS_INFINITY, has_irrational, is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError
from attnhand.formats.stack import render_stack
from attnhand.problems.request import Request
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.sheet import Sheet
from tests.forms import FORMS

TIMEOUT = 300
TRIED_FORMS = [(name, convention) for name in FORMS for convention in Convention]

_TESTS = """\
display2d:false$ linel:1000000$ stringdisp:true$
tt_same(a,b):=if matrixp(a)#matrixp(b) then false elseif not matrixp(a) then is(ratsimp(a-b)=0)
 elseif length(a)#length(b) or length(a[1])#length(b[1]) then false
 else every(lambda([r,s],every(lambda([x,y],is(x=y) or is(ratsimp(x-y)=0)),r,s)),args(a),args(b))$
tt_say(name,value):=print(concat("@",name,"=",string(value)))$
"""


def try_stack(number: int) -> str:
    """Mark the key, every slip and changed cells of one sheet by its trees, and compare every cell with check."""
    name, convention = TRIED_FORMS[number % len(TRIED_FORMS)]
    sheet = make_sheet_from_request(Request(seed=number, variant=FORMS[name], convention=convention))
    try:
        question = ElementTree.fromstring(render_stack(sheet)).findall("question")[1]
    except AttnhandError:
        return "refused"
    cases = [(label, answers) for label, answers in list_cases(sheet)]
    tests = [read_test(test) for test in question.findall("qtest")]
    typed = [write_inputs(sheet, answers) for _, answers in cases] + [typed for typed, _ in tests]
    values = run_maxima(question, typed)
    for (label, answers), seen in zip(cases, values, strict=False):
        if fault := compare(sheet, question, answers, seen) or find_unnamed(sheet, question, label, seen):
            return f"{number} {name} {convention} {label}: {fault}"
    for (_, expected), seen in zip(tests, values[len(cases) :], strict=True):
        for prt, (score, note) in expected.items():
            if walk(question, prt, seen) != (score, note):
                return f"{number} {name} {convention} test {prt}: {walk(question, prt, seen)} for {(score, note)}"
    return ""


def find_unnamed(sheet: Sheet, question: ElementTree.Element, label: str, seen: Mapping[str, str]) -> str:
    """Return what is said of a slip, where it is not named."""
    name, _, slip = label.partition(",")[0].partition(" ")
    if slip in ("", "changed"):
        return ""
    at = [stage.name for stage in sheet.problem.mechanism.stages].index(name) + 1
    _, note = walk(question, f"prt{at}", seen)
    return f"noted as {note}" if note.endswith(("-other", "-key", "-follows")) else ""


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
        for label, a in wrong.items():
            if a is None or shape(a) != shape(hand) or a == hand or any(map(has_irrational, a)):
                continue
            for follows in (True, False):
                try:
                    worked = solve(problem, replacements={stage.name: a})
                except (AttnhandError, ArithmeticError):
                    continue
                after = worked if follows else solution
                if any(has_irrational(row) for each in after for row in each.hand):
                    continue  # nobody can type it exactly
                answers = {each.stage.name: each.hand for each in after} | {stage.name: a}
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


def run_maxima(question: ElementTree.Element, cases: list[dict[str, str]]) -> list[dict[str, str]]:
    """Return, for each case, what Maxima says of every tree's variables and nodes, by name."""
    lines = [_TESTS, str(question.findtext("questionvariables/text")).replace(";", "$")]
    for at, case in enumerate(cases):
        lines += [f"{name}:{value}$" for name, value in case.items()]
        for prt in question.findall("prt"):
            name = prt.findtext("name")
            lines.append(str(prt.findtext("feedbackvariables/text")).replace(";", "$"))
            number = str(name).removeprefix("prt")
            for variable in (f"own{number}", f"k{number}", "follow", "share", "good"):
                lines.append(f'tt_say("{at} {name} {variable.rstrip("0123456789")}",{variable})$')
            for node in prt.findall("node"):
                test = f"tt_same({node.findtext('sans')},{node.findtext('tans')})"
                lines.append(f'tt_say("{at} {name} node{node.findtext("name")}",{test})$')
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
    seen: list[dict[str, str]] = [{} for _ in cases]
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
        branch = seen[f"{name} node{at}"]
        assert branch in ("true", "false"), branch
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
    marks = {
        # check takes nothing for following from numbers that leave little to work; STACK cannot tell them
        cell["cell"]: "follows" if cell["note"] and cell["answer"] == cell["from_yours"] else cell["mark"]
        for cell in attnhand.check(given, sheet).to_dict()["cells"]
    }
    for at, stage in enumerate(sheet.problem.mechanism.stages, 1):
        if not (cells := sheet.list_asked_cells(stage)):
            continue
        own, key, follow = (parse_matrix(seen[f"prt{at} {name}"]) for name in ("own", "k", "follow"))
        good = 0
        for i, j in cells:
            mark = "correct" if own[i][j] == key[i][j] else "follows" if own[i][j] == follow[i][j] else "wrong"
            good += mark != "wrong"
            if mark != marks[f"{stage.name}[{i + 1},{j + 1}]"]:
                return (
                    f"{stage.name}[{i + 1},{j + 1}] is {mark}, and {marks[f'{stage.name}[{i + 1},{j + 1}]']} to check"
                )
        if str(good) != seen[f"prt{at} good"]:
            return f"{stage.name} has {good} good cells, and {seen[f'prt{at} good']} to its tree"
        score, _ = walk(question, f"prt{at}", seen)
        if (score == 1) is not (good == len(cells)) and own not in (key, follow):
            return f"{stage.name} scores {score} for {good} of {len(cells)}"
    return ""
