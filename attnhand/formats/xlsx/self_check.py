"""Formulas that mark a sheet by themselves: by the key, and by what follows from the student's own numbers.

Every answer has a few hidden cells beside its row: the text made plain, its number, the key, what follows from the
student's numbers as written and unrounded, and what goes on to the next stage. All are plain formulas of single
cells, which every spreadsheet works alike: no names, no arrays, nothing that depends on a decimal comma.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import ClassVar

from xlsxwriter.utility import xl_rowcol_to_cell

from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.numbers import Number, is_finite
from attnhand.attention.solution import format_cell_address
from attnhand.formats.formula_printer import ATOM, PRODUCT, CellPrinter, Written
from attnhand.sheet.build_grids import find_worked_cell
from attnhand.sheet.grids import MARK_SIGNS, Mark
from attnhand.sheet.hints import list_slips_of_right_work
from attnhand.sheet.sheet import Sheet

RIGHT, FOLLOWS, WRONG, UNREADABLE = (
    MARK_SIGNS[mark] for mark in (Mark.CORRECT, Mark.FOLLOWS, Mark.WRONG, Mark.UNREADABLE)
)

INFINITY = "1E+99"
"""What stands for ∞: no spreadsheet has one."""

EXACT_TOLERANCE = "1E-11"
"""How near two numbers are that differ by what floats lose alone."""

NEAR_A_HALF = "1.000000001"
"""Half a unit of the last digit is near enough, and so much of it more."""

MIN_WRONG_CELLS = 2
"""A slip is named where so many wrong cells show it."""

MAX_PIECE_LENGTH, MAX_TESTS = 120, 100
"""Of a text in a formula, and of the cells that a formula compares: Excel takes no more of 255, and of 8,192 signs."""

HELPERS = ("text", "body", "rest", "decimals", "value", "key", "written", "unrounded", "own", "own_unrounded")
"""The hidden cells of an answer, from the left."""

_MINUS_SIGNS, _CUTS = "−–‐", (("=", ""), (",", "."), (" /", "/"), ("/ ", "/"), ("- ", "-"))

Place = tuple[int, int]
"""Row and column in the spreadsheet, 0-based."""

Refs = tuple[tuple[str, ...], ...]
"""A matrix of what formulas call its cells, or of numbers."""


@dataclass(frozen=True, slots=True)
class Formula:
    """A formula with what it gives on a sheet that nobody has filled."""

    row: int
    column: int
    text: str
    value: str | float
    is_sign: bool = False
    """Whether it is seen: the sign beside an answer."""


@dataclass(frozen=True, slots=True)
class _Versions:
    """A stage in each of the ways in which it is carried on."""

    key: Refs
    own: Refs
    own_unrounded: Refs
    astray: str = "0"
    """The cell that says whether the student left the key here, or before; 0 where nobody can."""


class SelfCheck:
    """Writes the formulas of a sheet, stage by stage."""

    def __init__(self, sheet: Sheet, places: Mapping[str, Place], first_column: int) -> None:
        """Take the places of the cells by address; formulas are hidden from a column on."""
        self.sheet, self.places, self.first_column = sheet, places, first_column
        self.worked_cell = find_worked_cell(sheet)
        self.versions = {name: self._print(a) for name, a in sheet.problem.given}
        self.formulas: list[Formula] = []
        self.ranges: dict[str, str] = {}
        """Of every stage that asks for anything: its cells with their signs."""

        self.slip_sentences: dict[str, list[tuple[str, str]]] = {}
        """Of a stage: the cell that is 1 where a slip explains it, and the sentence."""

        self.last_column = first_column
        for stage in sheet.problem.mechanism.stages:
            asked = [cell for cell in sheet.list_asked_cells(stage) if self._find(stage, *cell)]
            hand = sheet.solution[stage.name].hand
            self.versions[stage.name] = self._write_stage(stage, asked) if asked else self._print(hand)

    def _find(self, stage: Stage, i: int, j: int) -> Place | None:
        return self.places.get(format_cell_address(stage.name, i, j))

    @staticmethod
    def _print(a: Matrix) -> _Versions:
        numbers = tuple(tuple(map(write_number, row)) for row in a)
        return _Versions(numbers, numbers, numbers)

    def format_score(self, stages: Sequence[str]) -> str:
        """Return the formula for how many cells of some stages count."""
        ranges = [self.ranges[name] for name in stages if name in self.ranges]
        return "+".join(f'COUNTIF({cells},"{sign}")' for cells in ranges for sign in (RIGHT, FOLLOWS)) or "0"

    def format_remark(self, stage: Stage) -> str:
        """Return the formula for the sentence about a stage: the slip that explains it, where one alone does."""
        named = self.slip_sentences.get(stage.name, [])
        if not named:
            return ""
        remark = '""'
        for cell, sentence in reversed(named):
            remark = f"IF({cell}=1,{sentence},{remark})"
        return f'=IF({"+".join(cell for cell, _ in named)}=1,{remark},"")'

    def _write_stage(self, stage: Stage, asked: Sequence[tuple[int, int]]) -> _Versions:
        """Write the hidden cells of a stage and its signs; return what the next stages read."""
        hand, inputs = self.sheet.solution[stage.name].hand, {name: self.versions[name] for name in stage.input_names}
        is_written = [(i, j) for i, j in asked if (stage.name, i, j) != self.worked_cell]
        astray = "+".join(dict.fromkeys(each.astray for each in inputs.values() if each.astray != "0")) or "0"
        tables = [[list(map(write_number, row)) for row in hand] for _ in range(3)]
        columns = {j: at for at, j in enumerate(sorted({j for _, j in asked}))}
        for i, j in is_written:
            row, column = self.places[format_cell_address(stage.name, i, j)]
            first = self.first_column + 1 + columns[j] * len(HELPERS)
            self.last_column = max(self.last_column, first + len(HELPERS))
            helper = {name: name_cell(row, first + at) for at, name in enumerate(HELPERS)}
            cell = _CellFormulas(self.sheet, stage, hand[i][j], helper, name_cell(row, column))
            worked = [
                self._work(stage, {name: getattr(each, version) for name, each in inputs.items()}, i, j)
                for version in _VERSION_NAMES
            ]
            for name, (text, value) in cell.write(*worked).items():
                self.formulas.append(Formula(row, first + HELPERS.index(name), f"={text}", value))
            self.formulas.append(Formula(row, column + 1, f"={cell.write_sign(astray)}", "", is_sign=True))
            for table, name in zip(tables, ("key", "own", "own_unrounded"), strict=True):
                table[i][j] = helper[name]
        self._write_worked_sign(stage, is_written, asked)
        self.ranges[stage.name] = self._find_range(stage, asked)
        own_astray = self._write_astray(stage, asked, astray)
        self._write_slips(stage, is_written, astray)
        key, own, unrounded = (tuple(map(tuple, table)) for table in tables)
        return _Versions(key, own, unrounded, own_astray)

    def _work(self, stage: Stage, inputs: Mapping[str, Refs], i: int, j: int) -> str:
        printer = ExcelPrinter(lambda cell: inputs[cell[0]][cell[1]][cell[2]], self.sheet.problem.hand_arithmetic)
        return printer.print_cell(stage, inputs, i, j)

    def _find_range(self, stage: Stage, asked: Sequence[tuple[int, int]]) -> str:
        places = [self.places[format_cell_address(stage.name, i, j)] for i, j in asked]
        rows, columns = zip(*places, strict=True)
        return f"{name_cell(min(rows), min(columns))}:{name_cell(max(rows), max(columns) + 1)}"

    def _write_worked_sign(
        self, stage: Stage, is_written: Sequence[tuple[int, int]], asked: Sequence[tuple[int, int]]
    ) -> None:
        """The cell that is worked as an example counts once another of its stage is filled."""
        if len(is_written) == len(asked) or self.worked_cell is None:
            return
        row, column = self.places[format_cell_address(*self.worked_cell)]
        filled = "&".join(self._get_helper(stage, i, j, "text") for i, j in is_written) or '""'
        self.formulas.append(Formula(row, column + 1, f'=IF({filled}<>"","{RIGHT}","")', "", is_sign=True))

    def _get_helper(self, stage: Stage, i: int, j: int, name: str) -> str:
        row, _ = self.places[format_cell_address(stage.name, i, j)]
        columns = sorted({column for _, column in self.sheet.list_asked_cells(stage)})
        first = self.first_column + 1 + columns.index(j) * len(HELPERS)
        return name_cell(row, first + HELPERS.index(name))

    def _write_astray(self, stage: Stage, asked: Sequence[tuple[int, int]], before: str) -> str:
        """Write whether a student left the key: with a wrong number, or with a gap after one."""
        cells = self.ranges[stage.name]
        row = min(self.places[format_cell_address(stage.name, i, j)][0] for i, j in asked)
        wrong, follows = f'COUNTIF({cells},"{WRONG}")', f'COUNTIF({cells},"{FOLLOWS}")'
        has_gap = f'IF(COUNTIF({cells},"{RIGHT}")<{len(asked)},IF({before}>0,1,0),0)' if before != "0" else "0"
        self.formulas.append(Formula(row, self.first_column, f"=IF({wrong}+{follows}>0,1,{has_gap})", 0))
        return name_cell(row, self.first_column)

    def _write_slips(self, stage: Stage, is_written: Sequence[tuple[int, int]], astray: str) -> None:
        """Write which slips explain all that was written, where all that it was worked from is right."""
        sheet = self.sheet
        if not 0 < len(is_written) <= MAX_TESTS:
            return
        row = min(self.places[format_cell_address(stage.name, i, j)][0] for i, j in is_written) - 1
        for wrong, sentence in list_slips_of_right_work(sheet, stage):
            tests = [f'COUNTIF({self.ranges[stage.name]},"{WRONG}")>={MIN_WRONG_CELLS}', f"{astray}=0"]
            for i, j in is_written:
                value, number = self._get_helper(stage, i, j, "value"), wrong[i][j]
                room = "1E-9" if isinstance(number, int) else f"0.5*10^-{sheet.problem.rules.decimals}*{NEAR_A_HALF}"
                near = f"ABS({value}-{write_number(number)})<={room}"
                tests.append(f'IF(ISNUMBER({value}),{near},{value}="")')
            named = self.slip_sentences.setdefault(stage.name, [])
            column = self.first_column + 1 + len(named)
            self.formulas.append(Formula(row, column, f"=IF(AND({','.join(tests)}),1,0)", 0))
            self.last_column = max(self.last_column, column)
            named.append((name_cell(row, column), _quote(sentence)))


_VERSION_NAMES = ("key", "own", "own_unrounded")


@dataclass(frozen=True, slots=True)
class _CellFormulas:
    """What is worked for one answer."""

    sheet: Sheet
    stage: Stage
    key: Number
    helper: Mapping[str, str]
    """The hidden cells, by name."""

    cell: str
    """Where the answer stands."""

    def write(self, key: str, written: str, unrounded: str) -> dict[str, tuple[str, str | float]]:
        """Return every hidden formula by name, with what it gives on a blank sheet."""
        h, number = self.helper, to_float(self.key)
        formulas: dict[str, tuple[str, str | float]] = {
            "text": (self._write_text(), ""),
            "body": (f'IF(OR(LEFT({h["text"]},1)="-",LEFT({h["text"]},1)="+"),MID({h["text"]},2,99),{h["text"]})', ""),
            "rest": (_nest(h["body"], ((str(digit), "") for digit in range(10))), ""),
            "decimals": (
                f'IF({h["rest"]}="/",-1,IF({h["rest"]}=".",LEN({h["body"]})-FIND(".",{h["body"]}),0))',
                0,
            ),
            "value": (self._write_value(), ""),
            "key": (key, number),
            "written": (f"IFERROR({written},{h['key']})", number),
            "unrounded": (f"IFERROR({unrounded},{h['key']})", number),
            "own": (f"IF({self._is_number},{h['value']},{h['written']})", number),
            "own_unrounded": (self._write_unrounded(), number),
        }
        return formulas

    @property
    def _places(self) -> int:
        return self.sheet.problem.rules.decimals

    @property
    def _is_number(self) -> str:
        value = self.helper["value"]
        # −∞ goes nowhere but from a mask into a power
        is_finite = "TRUE" if self.stage.gives_infinity else f"{value}>-1E+90"
        return f"IF(ISNUMBER({value}),{is_finite},FALSE)"

    def _write_text(self) -> str:
        """Return the answer with one kind of minus and a decimal point."""
        return _nest(f"TRIM({self.cell})", (*((sign, "-") for sign in _MINUS_SIGNS), *_CUTS))

    def _write_value(self) -> str:
        """Return the number that was written: "" for nothing, "?" for what is none.

        Digits are read as whole numbers, which no country writes otherwise, and divided by a power of ten.
        """
        text, body, rest, decimals = (self.helper[name] for name in ("text", "body", "rest", "decimals"))
        top, bottom = f'VALUE(LEFT({body},FIND("/",{body})-1))', f'VALUE(MID({body},FIND("/",{body})+1,99))'
        decimal = f'VALUE(SUBSTITUTE({body},".",""))/10^{decimals}'
        number = f'IF(LEFT({text},1)="-",-1,1)*IF({rest}="/",{top}/{bottom},{decimal})'
        has_two_readings = (
            f'AND({rest}=".",{decimals}=3,LEN({body})>4,LEN({body})<8,LEFT({body},1)<>"0",'
            f'ISNUMBER(FIND(",",{self.cell})))'
        )
        is_none = f'OR(LEN({text})>40,AND({rest}<>"",{rest}<>".",{rest}<>"/"),{has_two_readings})'
        is_infinity = f'OR({text}="-∞",LOWER({text})="-inf")'
        return f'IF(OR({text}="",{text}="-"),"",IF({is_infinity},-{INFINITY},IF({is_none},"?",IFERROR({number},"?"))))'

    def _is_same(self, other: str) -> str:
        value = self.helper["value"]
        return f"ABS({value}-{other})<={EXACT_TOLERANCE}*MAX(1,ABS({other}))"

    def _is_rounded(self, other: str, decimals: str) -> str:
        return f"ABS({self.helper['value']}-{other})<=0.5*10^-{decimals}*{NEAR_A_HALF}"

    def write_sign(self, astray: str) -> str:
        """Return the mark: right to the digits that were written, or from the student's numbers to those asked."""
        h, places = self.helper, self._places
        value, decimals, key = h["value"], h["decimals"], h["key"]
        # of 0.190, the last zero was added to what was rounded
        is_padded = f"ABS({value}*10^{places}-ROUND({value}*10^{places},0))<1E-9"
        digits = f"IF(AND({decimals}>{places},{is_padded}),{places},{decimals})"
        needed = f"{decimals}>={places}"
        if isinstance(self.key, Decimal) and is_finite(self.key):  # no fraction is e
            digits, needed = f"IF({decimals}<0,{places},{digits})", f"OR({decimals}<0,{needed})"
        is_right = f"OR({self._is_same(key)},AND({needed},{self._is_rounded(key, f'({digits})')}))"
        follows = ",".join(
            f"AND(ABS({other}-{key})>{EXACT_TOLERANCE}*MAX(1,ABS({key})),"
            f"OR({self._is_same(other)},AND({needed},{self._is_rounded(other, str(places))})))"
            for other in (h["written"], h["unrounded"])
        )
        followed = f'"{RIGHT}"' if astray == "0" else f'IF({astray}>0,"{FOLLOWS}","{RIGHT}")'
        return (
            f'IF({value}="","",IF({value}="?","{UNREADABLE}",'
            f'IF({is_right},"{RIGHT}",IF(OR({follows}),{followed},"{WRONG}"))))'
        )

    def _write_unrounded(self) -> str:
        """Return the number that a rounded one stands for: what follows, else the key, as far as its digits go."""
        h, places = self.helper, self._places
        found = h["value"]
        for other in (h["written"], h["key"], h["unrounded"]):
            rounded = self._is_rounded(other, f"MIN({h['decimals']},{places})")
            found = f"IF(OR({self._is_same(other)},AND({h['decimals']}>0,{rounded})),{other},{found})"
        return f"IF({self._is_number},{found},{h['unrounded']})"


def name_cell(row: int, column: int) -> str:
    """Return what formulas call a cell.

    >>> name_cell(11, 27)
    'AB12'
    """
    return str(xl_rowcol_to_cell(row, column))


def _nest(text: str, changes: Iterable[tuple[str, str]]) -> str:
    """Return the formula that replaces signs, one after the other.

    >>> _nest("A1", [(",", "."), (" ", "")])
    'SUBSTITUTE(SUBSTITUTE(A1,",",".")," ","")'
    """
    for old, new in changes:
        text = f'SUBSTITUTE({text},"{old}","{new}")'
    return text


def _quote(text: str) -> str:
    """Return a text as formulas write it, in pieces of the length that they take.

    >>> print(_quote('so "x" is'))
    "so ""x"" is"
    """
    pieces = [text[at : at + MAX_PIECE_LENGTH] for at in range(0, len(text), MAX_PIECE_LENGTH)]
    return "&".join('"' + piece.replace('"', '""') + '"' for piece in pieces)


def to_float(value: Number) -> float:
    """Return a number as a cell holds it."""
    return float(value) if is_finite(value) else -float(INFINITY)


def write_number(value: Number) -> str:
    """Return a number as a formula writes it.

    >>> write_number(-2), write_number(Fraction(-1, 3)), write_number(Decimal("0.5"))
    ('(-2)', '(-1/3)', '0.5')
    """
    if not is_finite(value):
        return f"(-{INFINITY})"
    text = str(value) if isinstance(value, int | Fraction) else repr(float(value))
    return text if text.replace(".", "").isdigit() else f"({text.upper()})"


class ExcelPrinter(CellPrinter):
    """Writes cells as spreadsheets work them, in floats.

    >>> from attnhand.attention.arithmetic import HAND, Arithmetic
    >>> from attnhand.attention.mechanisms import DEFAULT_VARIANT
    >>> mechanism, arithmetic = DEFAULT_VARIANT.build_mechanism(), Arithmetic(rules=HAND)
    >>> printer = ExcelPrinter(lambda cell: name_cell(*cell[1:]), arithmetic)
    >>> printer.print_cell(mechanism.get_stage("S"), {"K": ((1,), (2,)), "Q": ((3,), (4,))}, 0, 0)
    'A1*A1+A2*A2'
    >>> printer.print_cell(mechanism.get_stage("scaled"), {"S": ((1,),)}, 0, 0)
    'INT(ROUND(A1/2,9))'
    """

    program = "a spreadsheet"
    functions: ClassVar[Mapping[str, Callable[..., str]]] = {
        "floor": lambda x: f"INT(ROUND({x},9))",  # what floats lose must not push a whole number down
        "root": lambda x: f"SQRT({x})",
        "abs": lambda x: f"ABS({x})",
        "max": lambda *x: f"MAX({','.join(x)})",
        "min": lambda *x: f"MIN({','.join(x)})",
    }

    def write_number(self, value: int | Decimal) -> str:
        return write_number(value)

    def divide(self, numerator: str, denominator: str) -> Written:
        return f"{numerator}/{denominator}", PRODUCT

    def raise_to(self, base: str, exponent: str) -> Written:
        return f"IF({exponent}<-1E+90,0,{base}^{exponent})", ATOM

    def raise_e(self, exponent: str) -> Written:
        return f"IF({exponent}<-1E+90,0,EXP({exponent}))", ATOM
