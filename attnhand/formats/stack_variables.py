"""What a STACK question works with: functions of Maxima's for its stages and slips, keys, and which cells are asked.

The functions that mark are in ``templates/stack/marking.mac``, the same for every question; what they need to know of a
sheet is written here. Stages and slips are formulas, printed as functions (see ``maxima``).
"""

import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import Form
from attnhand.attention.mechanisms.cells import list_parts
from attnhand.attention.numbers import Number, is_finite
from attnhand.attention.slips import StageContext, find_slips
from attnhand.attention.slips.binding import OWN
from attnhand.attention.solution import Solution, solve_shifted, solve_without_shortcuts
from attnhand.errors import PageError
from attnhand.formats.maxima import FUNCTIONS, MaximaPrinter, write_maxima_matrix
from attnhand.formats.templates import read_template_file
from attnhand.sheet.sheet import Sheet

EXACT_PLACES = 12
"""So many decimals of irrational numbers are compared."""


@dataclass(frozen=True, slots=True)
class Tree:
    """How one stage is marked."""

    number: int
    """Of the stage in its mechanism, from 1: its matrix is typed into ``ans3``."""

    stage: Stage
    """In the convention of the sheet."""

    cells: tuple[tuple[int, int], ...]
    """What counts, 0-based."""

    variables: tuple[str, ...]
    """What stands before the tree: how many cells count, what share that is, and what is to be said."""

    slips: tuple[str, ...]
    """Ids of slips, in the order of what ``at_slips`` makes."""


class QuestionVariables:
    """Writes the variables of a question, and the trees that read them; heads share functions, and so do slips."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.values = sheet.solution.collect_hand_values()
        mechanism = sheet.problem.mechanism
        self.stages = mechanism.stages
        self.numbers = {stage.name: at for at, stage in enumerate(mechanism.stages, 1)}
        self.given = {given.name: at for at, given in enumerate(mechanism.given, 1)}
        self.names: dict[str, str] = {}
        """What functions are called, by their arguments and bodies."""

        self.ways = (solve_without_shortcuts(sheet.problem), solve_shifted(sheet.solution))
        """The sheet as it is without shortcuts, and with the largest score of each query subtracted."""

        self.workings = [self._write_stage(sheet.solution, stage.name) for stage in self.stages]
        self.slips = [self._write_slips(stage) if self._is_asked(stage) else {} for stage in self.stages]
        """Of every stage: how Maxima makes what each slip gives, by its id."""

    @cached_property
    def trees(self) -> list[Tree]:
        """The trees of all stages that the sheet asks."""
        return [self._build_tree(stage) for stage in self.stages if self._is_asked(stage)]

    def write(self) -> str:
        """Return the functions, what is given, how every stage is worked from it, and what is asked."""
        workings = _choose_by_number(self._write_workings())  # first: what they call is written then
        lines = self._write_functions()
        lines.append(f"at_work(n,o,plain):={workings};")
        lines.append(f"at_slips(n,o,t):={_choose_by_number([_list(each.values()) for each in self.slips])};")
        lines.append(strip_comments(read_template_file("stack/marking.mac")))
        given = (write_maxima_matrix(self.sheet.problem[name]) for name in self.given)
        lines.append(f"at_given:{_list(given)};")
        lines.append(f"at_keys:makelist(0,at,1,{len(self.stages)});")
        lines.append("for n:1 thru length(at_keys) do at_keys:at_put(at_keys,n,at_work(n,at_keys,true));")
        asked = [self._list_cells(stage) for stage in self.stages]
        shown = [int(self._has_worked_cell(stage)) for stage in self.stages]
        reads = [self._list_reads(stage) for stage in self.stages]
        doubted = [self._list_doubted(stage) for stage in self.stages]
        lines.append(f"at_cells:{_list(_list(map(_write_place, cells)) for cells in asked)};")
        lines.append(f"at_shown:{_list(map(str, shown))};")
        lines.append(f"at_reads:{_list(_list(map(str, each)) for each in reads)};")
        lines.append(f"at_doubted:{_list(_list(map(str, each)) for each in doubted)};")
        parts = (self._write_parts(stage) if read else "[]" for stage, read in zip(self.stages, doubted, strict=True))
        lines.append(f"at_parts:{_list(parts)};")
        products = (str(stage.product is not None).lower() for stage in self.stages)
        lines.append(f"at_products:{_list(products)};")
        lines.append(f"at_scales:{_list(map(str, map(self._find_scaled, self.stages)))};")
        lines.append(f"at_asked:{self.sheet.problem.rules.decimals};")
        lines.append(f"at_side:{1 if self.sheet.convention.is_rows else 2};")
        lines.append(f"at_others:{_list(map(self._write_way, self.ways))};")
        return "\n".join(lines)

    # functions

    def _write_functions(self) -> list[str]:
        functions = FUNCTIONS.format(limit=self.sheet.problem.hand_arithmetic.max_exponent)
        return [functions, *(f"{name}{function};" for function, name in self.names.items())]

    def _write_workings(self) -> list[str]:
        """Return how Maxima works every stage, plainly or without shortcuts."""
        exact, _ = self.ways
        if exact is None:
            return self.workings
        others = [self._write_stage(exact, stage.name) for stage in self.stages]
        pairs = zip(self.workings, others, strict=True)
        return [plain if plain == other else f"(if plain then {plain} else {other})" for plain, other in pairs]

    def _write_stage(self, solution: Solution, name: str) -> str:
        """Return how Maxima works a stage."""
        context = _make_context(solution, name)
        stage = context.stage
        formula = stage.formula
        assert context.has_all(formula.reads)
        letters = context.measure(formula, has_same_shape=False)
        return self._call(MaximaPrinter(formula, context, letters), is_row=len(self.values[stage.name]) == 1)

    def _write_slips(self, stage: Stage) -> dict[str, str]:
        """Return how Maxima makes the slips that may be seen at a stage, one of those that never differ."""
        context = _make_context(self.sheet.solution, stage.name)
        found = {self.workings[self.numbers[stage.name] - 1]: ""}
        for slip in find_slips(stage):
            bound = slip.find_formula(context)
            if bound is None:
                continue
            formula, _ = bound
            letters = context.measure(formula, has_same_shape=slip.has_same_shape)
            printer = MaximaPrinter(formula, context, letters)
            if printer.shape != context.find_shape(OWN):
                continue
            with suppress(PageError):  # sines and cosines
                found.setdefault(self._call(printer, is_row=not context.is_rows), slip.id)
        return {slip: call for call, slip in found.items() if slip}

    def _call(self, printer: MaximaPrinter, *, is_row: bool) -> str:
        """Return a call of a formula's function, which is written where none does the same."""
        function = printer.print_function(is_row=is_row)
        called = self.names.setdefault(function, f"at_f{len(self.names) + 1}")
        return f"{called}({','.join(map(self._refer, printer.names))})"

    def _refer(self, name: str) -> str:
        """Return what a matrix is called where matrices are ``o`` by stage, and ``t`` is what follows."""
        if name == OWN:
            return "t"
        return f"at_given[{self.given[name]}]" if name in self.given else f"o[{self.numbers[name]}]"

    # what is asked

    def _is_asked(self, stage: Stage) -> bool:
        return self.sheet.count_answer_cells(stage) > 0

    def _has_worked_cell(self, stage: Stage) -> bool:
        worked = self.sheet.worked_cell
        return worked is not None and worked[0] == stage.name

    def _list_cells(self, stage: Stage) -> list[tuple[int, int]]:
        """Return the cells that count; one that is worked as an example comes last."""
        worked = self.sheet.worked_cell
        return sorted(self.sheet.list_asked_cells(stage), key=lambda cell: (stage.name, *cell) == worked)

    def _list_reads(self, stage: Stage) -> list[int]:
        """Return the stages that a stage reads and a student fills."""
        filled = {each.name for each in self.stages if self._is_asked(each)}
        return [self.numbers[name] for name in dict.fromkeys(stage.input_names) if name in filled]

    def _list_doubted(self, stage: Stage) -> list[int]:
        """Return those of them whose numbers may be made up: to divide by sums is work, whatever they are."""
        spared = self.numbers[stage.input_names[1]] if stage.form is Form.SHARE else 0
        return [at for at in self._list_reads(stage) if at != spared] if self._is_asked(stage) else []

    def _write_parts(self, stage: Stage) -> str:
        """Return what each cell that is asked is made of."""
        cells = (list_parts(stage, self.values, i, j) for i, j in self._list_cells(stage))
        return _list(_list(_list(map(self._write_part, part)) for part in parts) for parts in cells)

    def _write_part(self, cell: tuple[str, int, int] | int) -> str:
        if isinstance(cell, int):  # the 1 that meets a bias
            return str(cell)
        name, i, j = cell
        number = -self.given[name] if name in self.given else self.numbers[name]
        return f"[{number},{i + 1},{j + 1}]"

    def _find_scaled(self, stage: Stage) -> int:
        """Return the stage whose numbers are scaled at a stage; 0 where none are."""
        return self.numbers.get(stage.input_names[0], 0) if stage.facts.has_other_rules else 0

    def _write_way(self, solution: Solution | None) -> str:
        """Return the matrices of a sheet that is worked in another way; ``[]`` where there is no such way."""
        if solution is None:
            return "[]"
        return _list(
            f"at_keys[{at}]" if self.values[stage.name] == (a := solution[stage.name].hand) else _write_decimals(a)
            for at, stage in enumerate(self.stages, 1)
        )

    # trees

    def _build_tree(self, stage: Stage) -> Tree:
        number, cells = self.numbers[stage.name], tuple(self.sheet.list_asked_cells(stage))
        sources = self.sheet.problem.mechanism.list_sources(stage.name)
        path = sorted({number, *(self.numbers[each.name] for each in sources if self._is_asked(each))})
        answers = (f"ans{at}" if at in path else "0" for at in range(1, number + 1))
        variables = (
            f"paper:at_paper({_list(map(str, path))},{_list(answers)})",
            "good:paper[1]",
            f"share:at_share(good,{len(cells)})",
            "said:paper[2]",
        )
        return Tree(number, stage, cells, variables, tuple(self.slips[number - 1]))


def build_trees(sheet: Sheet) -> list[Tree]:
    """Return the trees of all stages that the sheet asks."""
    return QuestionVariables(sheet).trees


def strip_comments(text: str) -> str:
    """Return a program of Maxima's without comments and what only readers need.

    >>> strip_comments("/* Say it. */\\na(x):=if x then 1\\n  else 2;\\n\\nb:3;\\n")
    'a(x):=if x then 1 else 2;\\nb:3;'
    """
    bare = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    statements = (" ".join(each.split()) for each in bare.split(";"))
    return "\n".join(f"{each};" for each in statements if each)


def _make_context(solution: Solution, name: str) -> StageContext:
    """Return what a student has at a stage who has worked all before it rightly."""
    problem = solution.problem
    stage = problem.mechanism.get_stage(name)
    return StageContext(problem.mechanism, stage, problem.hand_arithmetic, solution.collect_hand_values())


def _choose_by_number(written: Sequence[str]) -> str:
    """Return what is to be worked by the number ``n`` of a stage, from 1."""
    branches = " elseif ".join(f"n={at} then {each}" for at, each in enumerate(written, 1))
    return f"if {branches}"


def _list(written: Iterable[str]) -> str:
    return f"[{','.join(written)}]"


def _write_place(place: tuple[int, int]) -> str:
    return f"[{place[0] + 1},{place[1] + 1}]"


def _write_decimals(a: Matrix) -> str:
    """Return a matrix in Maxima, irrational numbers as decimals."""
    return write_maxima_matrix(tuple(tuple(map(_round, row)) for row in a))


def _round(value: Number) -> Number:
    return Decimal(f"{value:.{EXACT_PLACES}f}") if isinstance(value, Decimal) and is_finite(value) else value
