"""One stage of a spreadsheet that marks itself: its answers in each way, what is said of all of it, and its signs."""

from collections.abc import Mapping
from functools import partial

from attnhand.attention.solution import format_cell_address
from attnhand.formats.xlsx.answer_formulas import UNREAD, AnswerFormulas, write_reading
from attnhand.formats.xlsx.excel_formulas import ExcelPrinter, name_cell, quote, to_float, write_number
from attnhand.formats.xlsx.slip_formulas import print_slips, write_slips
from attnhand.formats.xlsx.stage_table import StageTable
from attnhand.formats.xlsx.table import (
    BETTER_MARKS,
    EXACT,
    IS_COPIED,
    IS_CUT_OFF,
    IS_EMPTY,
    IS_FOLLOWING,
    IS_RIGHT,
    IS_SHORT,
    IS_WRONG,
    PLAIN,
    SHIFTED,
    Formula,
    Refs,
    Way,
)
from attnhand.formats.xlsx.work_formulas import WORKED_DIGITS, write_work
from attnhand.sheet.evidence_limits import FEW_WRONG, MIN_CELLS_FOR_CERTAINTY
from attnhand.sheet.grids import MARK_SIGNS, Mark
from attnhand.sheet.hints import describe_slip
from attnhand.text.widths import parse_markup, to_unicode

RIGHT, FOLLOWS, WRONG, UNREADABLE = (
    MARK_SIGNS[mark] for mark in (Mark.CORRECT, Mark.FOLLOWS, Mark.WRONG, Mark.UNREADABLE)
)

_COUNT = "\ue000"
"""Where a sentence has a number that a formula counts: no text has this character."""

FELL_SHORT = (IS_WRONG, IS_FOLLOWING, IS_CUT_OFF, IS_COPIED, IS_SHORT)
"""Marks of whoever left the key."""


class StageFormulas:
    """Writes the formulas of one stage, after those of the stages that it reads."""

    def __init__(self, rows: StageTable, before: Mapping[str, StageTable]) -> None:
        """Take the rows of the stage, and those of the stages before it, by name."""
        self.rows, self.table, self.sheet, self.stage = rows, rows.table, rows.sheet, rows.stage
        inputs = dict.fromkeys(self.stage.input_names)
        self.inputs = {name: before[name] for name in inputs if name in before}
        for cell in rows.cells:
            self._write_reading(cell)
        for way in self.table.ways:
            self._write_way(way)
        self.slips = print_slips(rows)
        self._refer_to_answers()
        write_slips(rows, self.slips)
        write_work(rows, {name: each.get_head("suspect") for name, each in self.inputs.items()})
        self._write_heads()
        for cell in rows.cells:
            self._write_final(cell)
        for way in self.table.ways[1:]:
            self._write_other_way(way)

    # answers

    def _write_reading(self, cell: tuple[int, int]) -> None:
        """Write what was typed; where the sheet prints an example, nothing."""
        place = format_cell_address(self.stage.name, *cell)
        formulas = write_reading(name_cell(*self.table.places[place]), partial(self.rows.get, cell))
        if self.rows.is_shown(cell):
            formulas = {"value": ('""', ""), "decimals": ("0", 0), "read": ("0", 0)}
        for name, (text, value) in formulas.items():
            self.rows.put(cell, name, text, value)
        for name, number in zip(("row", "column"), cell, strict=True):
            self.rows.put(cell, name, str(number), number)

    def _write_way(self, way: Way) -> None:
        """Write key, mark, what follows, and what the student goes on with, in a way in which the sheet is worked."""
        strayed = "+".join(each.get_head(f"{way.name} far") for each in self.inputs.values()) or "0"
        for cell in self.rows.cells:
            self._write_answer(way, cell, strayed)
        marks = f"{way.name} mark"
        left = "+".join(self.rows.count(marks, mark) for mark in FELL_SHORT)
        has_gap = f"IF({self.rows.count(marks, IS_EMPTY)}>0,IF({strayed}>0,1,0),0)"
        self.rows.put_head(f"{way.name} far", f"IF({left}>0,1,{has_gap})")

    def _write_answer(self, way: Way, cell: tuple[int, int], strayed: str) -> None:
        i, j = cell
        rows, name = self.rows, way.name
        key, printed = (solution[self.stage.name].hand[i][j] for solution in (way.solution, way.worked_by))
        blank = to_float(printed)
        get, put = partial(rows.get, cell), partial(rows.put, cell)
        put(f"{name} key", write_number(key), to_float(key))
        for version, source in (("written", "own"), ("unrounded", "meant")):
            worked = self._print(way, self.table.refs[f"{name} {source}"], cell)
            put(f"{name} {version}", f'IFERROR({worked},"")', blank)
        if rows.is_shown(cell):
            put(f"{name} mark", f"IF({rows.get_head('begun')}>0,{IS_RIGHT},{IS_EMPTY})", IS_EMPTY)
            for version in ("own", "meant"):
                put(f"{name} {version}", write_number(printed), blank)
            return
        answer = AnswerFormulas(get, name, key, self.sheet.problem.rules.decimals, self.stage.gives_infinity)
        put(f"{name} mark", answer.write_mark(strayed), IS_EMPTY)
        goes_on = {"own": ("written", get("value")), "meant": ("unrounded", answer.write_meant(explains=name == PLAIN))}
        for version, (source, number) in goes_on.items():
            follows = get(f"{name} {source}")
            gone = f'IF({follows}="",{get(f"{name} key")},{follows})'
            put(f"{name} {version}", f"IF({answer.is_number},{number},{gone})", blank)

    def _print(self, way: Way, refs: Refs, cell: tuple[int, int]) -> str:
        """Return how a cell is worked from cells that are called so."""
        problem, values = way.worked_by.problem, way.worked_by.collect_hand_values()
        printer = ExcelPrinter(lambda each: refs[each], problem.hand_arithmetic)
        return printer.print_cell(problem.mechanism.get_stage(self.stage.name), values, *cell)

    def _refer_to_answers(self) -> None:
        """From here on what a student wrote stands for the stage."""
        for version, refs in self.table.refs.items():
            refs |= {(self.stage.name, *cell): self.rows.get(cell, version) for cell in self.rows.cells}

    # what is said of the stage

    def _write_heads(self) -> None:
        """Write how many cells are what, and whether the numbers of the stage may be made up."""
        rows = self.rows
        mark, read, value, decimals = (rows.get_range(name) for name in ("plain mark", "read", "value", "decimals"))
        rows.put_head("wrong", rows.count("plain mark", IS_WRONG))
        rows.put_head("counted", rows.count_good("plain mark"))
        rows.put_head("nearly", f"{rows.count('plain mark', IS_CUT_OFF)}+{rows.count('plain mark', IS_SHORT)}")
        rows.put_head("wrong decimals", f'COUNTIFS({mark},{IS_WRONG},{decimals},">0")')
        rows.put_head("begun", f'COUNT({value})+COUNTIF({value},"{UNREAD}")')
        rows.put_head("readings", f'COUNTIFS({read},1,{mark},"<>{IS_SHORT}")')
        wrong, nearly, counted = (rows.get_head(name) for name in ("wrong", "nearly", "counted"))
        for name in ("row", "column"):
            first = f"INDEX({rows.get_range(name)},MATCH({IS_WRONG},{mark},0))"
            rows.put_head(f"first {name}", f"IF({wrong}=0,0,{first})")
        found = [rows.get_head(f"{at} {name}") for at in range(len(self.slips)) for name in ("credible", "pair")]
        rows.put_head("credible", "+".join(found) or "0")
        rows.put_head("rule", self._write_rule() if self.stage.facts.has_other_rules else "0")
        is_strange = (
            f"AND({wrong}>0,{rows.get_head('credible')}=0,{FEW_WRONG}*({wrong}+{nearly})>{counted},"
            f"{rows.get_head('rule')}=0)"
        )
        rows.put_head("suspect", f"IF({rows.count('copied', 1)}>0,1,IF({is_strange},1,0))")

    def _write_rule(self) -> str:
        """Return whether scores were scaled by a rule of the student's, which keeps their order or turns it."""
        scores, wrong, rows = self.stage.input_names[0], self.rows.get_head("wrong"), self.rows
        before, after = rows.get_range("before"), rows.get_range("after")
        pairs = []
        for cell in rows.cells:
            if rows.is_shown(cell):
                continue
            numbers = {"before": self.table.refs["plain own"][scores, *cell], "after": rows.get(cell, "plain own")}
            for name, number in numbers.items():
                rows.put(cell, name, f'IF({wrong}=0,"",ROUND({number},{WORKED_DIGITS}))', "")
            pairs.append((rows.get(cell, "before"), rows.get(cell, "after")))
        same = "+".join(f'COUNTIFS({before},{x},{after},"<>"&{y})' for x, y in pairs)
        up = "+".join(f'COUNTIFS({before},"<"&{x},{after},">"&{y})' for x, y in pairs)
        down = "+".join(f'COUNTIFS({before},"<"&{x},{after},"<"&{y})' for x, y in pairs)
        return f"IF({wrong}=0,0,IF(AND(MIN({after})<MAX({after}),{same}=0,OR({up}=0,{down}=0)),1,0))"

    def _write_final(self, cell: tuple[int, int]) -> None:
        """Write how an answer counts in the end, and its sign."""
        get, put = partial(self.rows.get, cell), partial(self.rows.put, cell)
        mark, names = get("plain mark"), {way.name for way in self.table.ways}
        final = mark
        for number, name in ((2, SHIFTED), (1, EXACT)):
            if name in names:
                other, better = get(f"{name} mark"), BETTER_MARKS[name]
                if name == SHIFTED:
                    put("gain", f"{_write_rank(other)}-{_write_rank(mark)}", 0)
                    is_other = self._write_query_gains(cell)
                else:
                    is_no_better = f"AND({mark}={IS_FOLLOWING},{other}<>{IS_RIGHT},{other}<>{IS_FOLLOWING})"
                    is_other = f"NOT(OR({mark}={IS_RIGHT},{is_no_better}))"
                put(better, f"IF({is_other},{other},{mark})", IS_EMPTY)
                final = f"IF({self.table.way_cell}={number},{get(better)},{final})"
        put("final", final, IS_EMPTY)
        final = get("final")
        seen = f'IF(OR({final}={IS_FOLLOWING},{final}={IS_COPIED}),"{FOLLOWS}","{WRONG}")'
        empty = f'IF({get("value")}="{UNREAD}","{UNREADABLE}","")'
        text = f'=IF({final}={IS_EMPTY},{empty},IF({final}={IS_RIGHT},"{RIGHT}",{seen}))'
        row, column = self.table.places[format_cell_address(self.stage.name, *cell)]
        self.table.formulas.append(Formula(row, column + 1, text, "", is_sign=True))

    def _write_query_gains(self, cell: tuple[int, int]) -> str:
        """Return whether a query is nowhere worse with its largest subtracted, and somewhere better.

        All cells of a query are the one or the other: powers that are partly both belong to no scores.
        """
        queries = self.rows.get_range("row" if self.sheet.convention.is_rows else "column")
        query = cell[0] if self.sheet.convention.is_rows else cell[1]
        worse, better = (f'COUNTIFS({queries},{query},{self.rows.get_range("gain")},"{sign}0")' for sign in "<>")
        return f"AND({worse}=0,{better}>0)"

    def _write_other_way(self, way: Way) -> None:
        """Write how many cells count in another way, and whether the stage is right there and not plainly."""
        rows, count, better = self.rows, len(self.rows.cells), BETTER_MARKS[way.name]
        rows.put_head(f"{way.name} counted", rows.count_good(better))
        rows.put_head(f"{way.name} empty", rows.count(better, IS_EMPTY), count)
        right, plainly_right = (rows.count(name, IS_RIGHT) for name in (better, "plain mark"))
        is_plain = f"AND({rows.get_head('counted')}={count},{plainly_right}>0)"
        tests = [f"{rows.get_head(f'{way.name} counted')}={count}", f"{right}>0", f"NOT({is_plain})"]
        if way.name == SHIFTED:  # what follows of made-up numbers must not pass for it
            tests.append(f"2*{right}>={count}")
        is_other = way.solution[self.stage.name].hand != self.sheet.solution[self.stage.name].hand
        rows.put_head(f"{way.name} right", f"IF(AND({','.join(tests)}),1,0)" if is_other else "0")

    def format_remark(self) -> str:
        """Return the formula for the sentence about a stage: the slip that explains it, or how much was only copied."""
        copied = self.rows.count("final", IS_COPIED)
        before, after = self.sheet.say("feedback.unworked", count=_COUNT).split(_COUNT)
        unworked = f'IF({copied}>0,{quote(before)}&{copied}&{quote(after)},"")'
        if not self.slips:
            return f"={unworked}"
        remark, wholes = '""', [self.rows.get_head(f"{at} whole") for at in range(len(self.slips))]
        for whole, slip in zip(reversed(wholes), reversed(self.slips), strict=True):
            sentence = self.sheet.say("feedback.named", actions=[describe_slip(self.sheet, slip.id, self.stage)])
            remark = f"IF({whole}=1,{quote(to_unicode(parse_markup(sentence)))},{remark})"
        is_wrong = f"{self.rows.get_head('wrong')}>={MIN_CELLS_FOR_CERTAINTY}"
        return f"=IF(AND({self.table.way_cell}=0,{is_wrong},{'+'.join(wholes)}=1),{remark},{unworked})"


def _write_rank(mark: str) -> str:
    """Return 2 for what is right, 1 for what follows from the student's own numbers, 0 for what does not count."""
    return f"IF({mark}={IS_RIGHT},2,IF({mark}={IS_FOLLOWING},1,0))"
