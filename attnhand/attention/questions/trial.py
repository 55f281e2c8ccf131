"""What a try is: the student does what goes wrong without a step of attention, and sees it go wrong.

A try is some lines of the notation that read the stages of one head, and two or three cells of them that are asked:

    top     top[q] = (max_k raw[k,q]) / Σ_k raw[k,q]
    left    left[q] = top[q]·(1 − top[q])

The key works them from its own stages, marking from the student's, line by line, each asked cell as it was written; so
what follows from an earlier mistake counts. The change itself, the scaling left out say, is also made to the problem,
which is then solved and proved anew: a try whose answers differ from that is never printed.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from decimal import localcontext
from functools import lru_cache

from attnhand.attention.formulas.bound import BoundFormula
from attnhand.attention.formulas.compiling import Lines
from attnhand.attention.formulas.kinds import TooLargeError, make_exact_numbers
from attnhand.attention.formulas.nodes import FormulaError, Node, Read, list_reads, rewrite
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Mechanism
from attnhand.attention.mechanisms.base import get_query_inputs
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.numbers import DECIMAL_CONTEXT, Number
from attnhand.attention.questions.base import Answer, Parameters, PosedQuestion, Question, Scene, is_near
from attnhand.attention.questions.what_if import ProblemChange, find_keys_name
from attnhand.attention.solution import Solution
from attnhand.errors import KeyProofError, ProblemError

Place = tuple[int, ...]
"""A cell of a line, 0-based, tokens as columns; of a vector one number."""

Values = Mapping[str, Matrix]
"""All matrices of a sheet by name, in its convention, the student's own where there are any; and by the id of its
question a cell of a try that was answered, as a matrix of one number."""

Answers = Mapping[str, Answer]
"""What was found for the cells of a try, by name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Try:
    """One thing to do, and to see."""

    id: str
    """Names its sentences: ``try.ID``, what to do; ``try.ID.NAME``, what a cell asks; ``try.ID.so``, what was seen."""

    cells: Mapping[str, Question]
    """What is asked, by name and in order; the last, ``so``, is half a sentence to complete."""

    list_parameters: Callable[[Scene], Iterable[Parameters]]
    """Every way in which there may be something to see, the best first where some are better."""

    write_lines: Callable[[Scene, Parameters], str]
    """The lines that are worked, with the names of one head: S, A, E for what powers are taken of."""

    find_places: Callable[[Parameters], Mapping[str, Place]]
    """Which cells of them are asked, by the names of the lines."""

    change: ProblemChange
    """What is done, made to the problem."""

    read_changed: Callable[[Scene, Parameters, Solution], Answers]
    """What the changed problem says of the cells, or of some of them."""

    shows: Callable[[Scene, Parameters, Answers], bool]
    """Say whether there is something to see in these answers."""

    alike: tuple[str, ...] = ()
    """Ids of questions that ask the same."""

    weight: int = 1
    """How often it comes up beside others: more often where only this form of attention can be tried."""

    prefers_first: bool = False
    """Whether its ways are tried in their order, and not as drawn."""


def pose_try(scene: Scene, a_try: Try, parameters: Parameters) -> tuple[PosedQuestion, ...]:
    """Return the cells of a try with their answers, proved; none where there is nothing to see on this sheet.

    Raises:
        KeyProofError: the changed problem says something else.
    """
    posed = []
    for name, question in a_try.cells.items():
        finding = question.find_answer(scene, parameters)
        if finding is None and name != SO:
            return ()
        posed.append(PosedQuestion(question=question, parameters=parameters, finding=finding))
    answers = {name: each.finding.answer for name, each in zip(a_try.cells, posed, strict=True) if each.finding}
    if not a_try.shows(scene, parameters, answers):
        return ()
    try:
        solution = a_try.change(scene, parameters).solve()
    except ProblemError:  # a number is too large to be given
        return ()
    if solution is None:
        return ()
    for name, answer in a_try.read_changed(scene, parameters, solution).items():
        if not _is_same(answers[name], answer):
            raise KeyProofError(
                f"try {a_try.id}, {name}: {answers[name]} by its lines, {answer} by the changed problem"
            )
    return tuple(posed)


SO = "so"
"""The name of the half sentence that ends a try."""


def name_answer(try_id: str, name: str) -> str:
    """Return the id of the question that asks a cell."""
    return f"try.{try_id}.{name}"


def _is_same(one: Answer, other: Answer) -> bool:
    if isinstance(one, str | tuple) or isinstance(other, str | tuple):
        return one == other
    return is_near(one, other)  # type: ignore[arg-type]  # changes are never read off


def work_cell(scene: Scene, a_try: Try, parameters: Parameters, name: str, values: Values) -> Number | None:
    """Work one cell of a try from the matrices of a sheet; None where nothing can be worked from them."""
    lines = bind_lines(scene, a_try, parameters)
    if lines is None:
        return None
    is_rows = scene.problem.convention.is_rows
    numbers = make_exact_numbers(scene.problem.hand_arithmetic, has_limit=True)
    places = a_try.find_places(parameters)
    worked: dict[str, Lines] = {}
    with localcontext(DECIMAL_CONTEXT):
        for line in lines:
            own_name = line.formula.name
            for read in line.reads:
                if read not in worked:
                    worked[read] = transpose(values[read]) if is_rows else values[read]
            try:
                worked[own_name] = line.work(numbers, worked)
            except (ArithmeticError, TooLargeError, FormulaError):
                return None
            if own_name == name:
                return _get(worked[own_name], places[name])
            written = values.get(name_answer(a_try.id, own_name))
            if written and own_name in places:
                worked[own_name] = _put(worked[own_name], places[own_name], written[0][0])
    return None


def _get(lines: Lines, place: Place) -> Number:
    value = lines[place[0]] if len(place) == 1 else lines[place[0]][place[1]]
    assert not isinstance(value, tuple)
    return value  # type: ignore[no-any-return]


def _put(lines: Lines, place: Place, value: Number) -> Lines:
    at, *rest = place
    changed = _put(lines[at], tuple(rest), value) if rest else value
    return (*lines[:at], changed, *lines[at + 1 :])


def bind_lines(scene: Scene, a_try: Try, parameters: Parameters) -> tuple[BoundFormula, ...] | None:
    """Return the lines of a try with the names of the sheet; None where it lacks what they read."""
    return _bind_text(a_try.write_lines(scene, parameters), tuple(_name_matrices(scene, parameters).items()))


@lru_cache(maxsize=512)  # a line is compiled once for the shapes of a class
def _bind_text(text: str, names: tuple[tuple[str, str], ...]) -> tuple[BoundFormula, ...] | None:
    known = dict(names)
    bound: list[BoundFormula] = []
    for formula in read_formulas(text):
        own = {line.formula.name for line in bound}
        if any(read.matrix not in own | known.keys() for read in list_reads(formula.right)):
            return None
        right = rewrite(formula.right, lambda node: _rename(node, known))
        reads = tuple(read.matrix for read in list_reads(right))
        bound.append(BoundFormula(formula=replace(formula, right=right), reads=reads))
    return tuple(bound)


def _rename(node: Node, names: Mapping[str, str]) -> Node | None:
    return Read(names[node.matrix], node.indices) if isinstance(node, Read) and node.matrix in names else None


def _find_input(mechanism: Mechanism, name: str) -> str:
    """Return what a stage of the softmax works on; empty where this form has no such stage."""
    stage = mechanism.find_stage(name)
    return stage.input_names[0] if stage else ""


def _name_matrices(scene: Scene, parameters: Parameters) -> dict[str, str]:
    """Return what the letters of a try are called on this sheet; what it lacks is left out."""
    attention, mechanism = scene.get_attention(parameters), scene.mechanism
    names = {
        "S": attention.scores,
        "scaled": attention.maskable,
        "untempered": _find_input(mechanism, attention.tempered),
        "E": attention.exponents,
        "near": _find_input(mechanism, attention.biased),
        "A": attention.weights,
        "Z": attention.outputs,
        "Q": find_projection_name(scene, parameters, "queries"),
        "K": _find_keys_name(scene, parameters),
        "R": "R1",
        **{name: name for name in ("concat", "W_O", "output", "g")},
    }
    tokens = [get_query_inputs(stage)[0] for stage in mechanism.stages if stage.topic == "queries"]
    names["X"] = tokens[0] if tokens else "X"  # or what a norm makes of it
    known = {name for name, _ in scene.problem.given} | {stage.name for stage in mechanism.stages}
    if not mechanism.attentions:  # there are no heads, so every name is a sheet's own
        return {name: name for name in sorted(known)}
    return {letter: name for letter, name in names.items() if name in known}


def _find_keys_name(scene: Scene, parameters: Parameters) -> str:
    """Return the stage of the keys that are compared; empty where there is none, or the tokens are taken themselves."""
    name = find_projection_name(scene, parameters, "keys")
    return find_keys_name(scene, parameters) if name else ""


def find_projection_name(scene: Scene, parameters: Parameters, topic: str) -> str:
    """Return the stage that makes the queries or keys of a head; empty where the tokens are taken themselves."""
    if not (weights := scene.get_attention(parameters).weights):
        return ""
    sources = scene.mechanism.list_sources(weights)
    return next((each.name for each in sources if each.topic == topic and each.role is ProductRole.PROJECTION), "")
