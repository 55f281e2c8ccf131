"""The Excel file: read back, recalculated by another program's engine, and what no part of it may hold."""

import random
import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from xml.etree import ElementTree

import formualizer
import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.numbers import format_exact
from attnhand.attention.solution import format_cell_address
from attnhand.errors import AnswerError
from attnhand.formats.answers import read_answers_from_spreadsheet
from attnhand.formats.registry import FORMATS
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.sheet.grids import Mark
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import is_untouched
from tests.breadth import choose, pair_up
from tests.exports.cases import ALLOWED_DIFFERENCES, LARGEST_DIFFERENCE, Case, Kind, Marker, check
from tests.exports.cases import list_cases as list_table
from tests.formats.workbooks import (
    MAIN,
    SHEET,
    SPELLINGS,
    WorkbookCell,
    expect_signs,
    fill_cells,
    find_places,
    is_same_value,
    list_cases,
    list_texts,
    read_cells,
    read_parts,
)
from tests.forms import FORMS, FORMS_IN_ONE_CONVENTION, SOME_FORMS_IN_ONE_CONVENTION
from tests.marking.handing_in import write_key
from tests.spreadsheet_files import Habits, write_xlsx

PLAIN = Habits(places=False)
"""Of a program that saves more than 26 columns."""

SELF_CHECK = PageOptions(self_check=True)

GARBAGE = (
    "x", "-", "−", ".", ",", "/", "3/", "/3", "3/0", "1/2/3", "1.2.3", "--3", "3-", "=", "=1+1", "#N/A", "TRUE",
    "9e999", "1,234", "½", "3 1/2", "10%", "9" * 39, "9" * 60, "-inf", "−∞", "∞", "<b>", '"', "'", "2026-01-09",
    "1:30", " ", "\t",
)  # fmt: skip


def make_sheet(
    form: str = "self", page: PageOptions = SELF_CHECK, convention: Convention = Convention.COLUMNS
) -> Sheet:
    """Return the blank sheet of a form."""
    return make_sheet_from_request(Request(seed=7, variant=FORMS[form], convention=convention), page).blank


@lru_cache(maxsize=1)  # many type into one file
def find_cells(data: bytes) -> tuple[Mapping[tuple[int, int], WorkbookCell], Mapping[str, tuple[int, int]]]:
    """Return the cells of a file by place, and the places of what a sheet has, by address."""
    cells = read_cells(data)
    return cells, find_places(cells)


class Recalculated:
    """A file that somebody has typed into, worked by formualizer."""

    def __init__(self, data: bytes, texts: Mapping[str, str]) -> None:
        self.cells, self.places = find_cells(data)
        self.workbook = formualizer.load_workbook_bytes(data)
        (self.name,) = self.workbook.sheet_names
        for address, text in texts.items():
            if text and address in self.places:
                self.workbook.set_value(self.name, *self.places[address], text)
        self.workbook.evaluate_all()

    def read(self, row: int, column: int) -> object:
        """Return the value of a cell."""
        return self.workbook.get_value(self.name, row, column)

    @property
    def values(self) -> dict[tuple[int, int], object]:
        """Of every formula."""
        return {place: self.read(*place) for place, cell in self.cells.items() if cell.formula}

    @property
    def signs(self) -> dict[str, str]:
        """Beside every answer, by address."""
        beside = {address: (row, column + 1) for address, (row, column) in self.places.items()}
        is_formula = {place for place, cell in self.cells.items() if cell.formula}
        return {address: str(self.read(*place) or "") for address, place in beside.items() if place in is_formula}


def assert_no_errors(values: Mapping[tuple[int, int], object]) -> None:
    """No formula gives an error."""
    assert values
    faults = {place: value for place, value in values.items() if not isinstance(value, str | int | float | None)}
    assert faults == {}


# what is in the file


@pytest.mark.parametrize(("name", "convention"), choose(SOME_FORMS_IN_ONE_CONVENTION[1::2], FORMS_IN_ONE_CONVENTION))
def test_every_cell_has_its_place_and_comes_back(name: str, convention: Convention, tmp_path: Path) -> None:
    """Of every form: each asked cell stands once, and a filled file is read as what was typed, the key as all right."""
    sheet = make_sheet(name, PageOptions(), convention=convention)
    texts = list_texts(write_key(sheet))
    filled = fill_cells(FORMATS["xlsx"].render_file(sheet), texts)
    read = read_answers_from_spreadsheet(filled)
    assert read.code == sheet.code
    for data in (filled, FORMATS["xlsx"].render_file(sheet.key)):
        assert read_answers_from_spreadsheet(data).code == sheet.code
        (tmp_path / "sheet.xlsx").write_bytes(data)
        marks = attnhand.check(tmp_path / "sheet.xlsx").marks
        assert {cell.mark for cell in marks.cells} == {Mark.CORRECT}
        assert len(marks.cells) == sheet.answer_cell_count


def test_the_plain_blank_holds_no_key_in_any_part() -> None:
    """No fraction of the key, no formula but copies of what is typed, no value that was worked; nor in its names."""
    sheet = make_sheet(page=PageOptions())
    data = FORMATS["xlsx"].render_file(sheet)
    formulas = [cell for cell in read_cells(data).values() if cell.formula]
    assert formulas
    assert all(re.fullmatch(r'IF\(([A-Z]+\d+)="","",\1\)', cell.formula) and cell.value == "" for cell in formulas)
    text = "".join(part.decode() for part in read_parts(data).values())
    fractions = {format_exact(x) for x in sum(sheet.solution["A"].hand, ()) + sum(sheet.solution["Z"].hand, ())}
    fractions = {each for each in fractions if len(each) > 4}
    assert len(fractions) > 8
    assert not [each for each in fractions if each in text or each.replace("-", "−") in text]
    # what is seen of one sheet and of another with other numbers differs in given numbers and in sentences alone
    places = find_places(read_cells(data))
    asked = [f"{s.stage.name}[{i + 1},{j + 1}]" for s in sheet.solution for i, j in sheet.list_asked_cells(s.stage)]
    assert len(asked) == 116
    assert {read_cells(data)[places[address]].value for address in asked if address in places} == {""}
    checking = FORMATS["xlsx"].render_file(make_sheet())
    assert len([cell for cell in read_cells(checking).values() if cell.formula]) > 1_000


@pytest.mark.parametrize("name", ["self", "block-2", "multi-head-3"])
def test_powers_are_read_by_programs_that_drop_styles(name: str) -> None:
    """3³ is no 33 to them: nothing is raised by a style, and what is lowered by one has letters alone."""
    sheet = make_sheet_from_request(Request(seed=7, variant=FORMS[name]))
    for version in (sheet.blank, sheet.key):
        data = FORMATS["xlsx"].render_file(version)
        runs = list(ElementTree.fromstring(read_parts(data)["xl/sharedStrings.xml"]).iter(f"{MAIN}r"))
        scripts = [
            (style.get("val"), "".join(run.itertext())) for run in runs for style in run.iter(f"{MAIN}vertAlign")
        ]
        assert scripts
        assert {kind for kind, _ in scripts} == {"subscript"}
        assert not [text for _, text in scripts if not text.isalpha()]
        texts = [str(cell.value) for cell in read_cells(data).values()]
        assert [text for text in texts if "3² = 9, 3¹ = 3, 3⁰ = 1, 3⁻¹ = 1/3" in text]


def test_it_is_the_same_file_for_ever() -> None:
    """The same bytes, dated as no day, and known as untouched until somebody types."""
    sheet = make_sheet()
    for each in (sheet, sheet.key, make_sheet(page=PageOptions())):
        data = FORMATS["xlsx"].render_file(each)
        assert data == FORMATS["xlsx"].render_file(each)
        assert is_untouched(data)
        assert b">2000-01-01T00:00:00Z<" in read_parts(data)["docProps/core.xml"]
        assert not is_untouched(fill_cells(data, {"Q[1,1]": "1"}))


def test_a_code_longer_than_the_name_of_a_tab_is_read_whole() -> None:
    """Excel takes 31 characters there; the whole code stands in the hidden rows."""
    sheet = attnhand.generate(
        2**32 - 1, mechanism="multi-head", heads=3, causal=True, window=2, words="the cat saw the dog", positions=True,
        base="10", scale="7", convention="rows", allow_ties=True,
        options=PageOptions(only_queries=(2, 4), questions=QuestionAmount.MANY),
    ).blank  # fmt: skip
    assert len(sheet.code) > 31
    assert read_answers_from_spreadsheet(sheet.xlsx()).code == sheet.code


def test_answers_are_cells_for_text_that_alone_may_be_changed() -> None:
    """A typed 3/16 is no date: the cell has the format of text, and nothing else is unlocked."""
    data = FORMATS["xlsx"].render_file(make_sheet(page=PageOptions()))
    parts, cells = read_parts(data), read_cells(data)
    assert b"<sheetProtection" in parts[SHEET]
    (styles,) = ElementTree.fromstring(parts["xl/styles.xml"]).iter(f"{MAIN}cellXfs")
    is_unlocked = [style.find(f"{MAIN}protection[@locked='0']") is not None for style in styles]
    unlocked = {str(at) for at, _ in enumerate(styles) if is_unlocked[at]}
    assert {styles[int(at)].get("numFmtId") for at in unlocked} == {"49"}
    places = find_places(cells)
    answers = {address: cells[place].style for address, place in places.items() if not address.startswith(("X", "W_"))}
    assert len(answers) == 115 + 5 + 1  # the worked cell is printed; two questions, three cells of a try, and the name
    assert set(answers.values()) <= unlocked


# reading back


def test_rows_and_columns_may_be_put_in_between() -> None:
    """The hidden column and the numbers of columns say where each cell is, wherever it went."""
    sheet = make_sheet(page=PageOptions())
    rows = read_rows(fill_cells(FORMATS["xlsx"].render_file(sheet), {"Q[1,1]": "7", "S[2,3]": "1/2", "ask1": "2"}))
    for at in (30, 12, 7):
        rows.insert(at, ["", "a note"])
    rows = [[*row[:9], "", *row[9:]] for row in rows]
    read = read_answers_from_spreadsheet(write_xlsx(rows, PLAIN))
    assert [read.field_texts[name] for name in ("Q_1_1", "S_2_3", "ask1", "Q_1_2")] == ["7", "1/2", "2", ""]


@pytest.mark.parametrize("damage", ["row", "column", "twice", "cut"])
def test_a_file_whose_structure_was_changed_ends_in_a_sentence(damage: str) -> None:
    """A lost or doubled row, a lost column, and a hidden column without its cells: no cell is taken for another."""
    rows = read_rows(FORMATS["xlsx"].render_file(make_sheet(page=PageOptions())))
    row = next(at for at, cells in enumerate(rows) if cells and cells[0].startswith("W_K[1,1]"))
    if damage == "row":
        del rows[row]
    elif damage == "twice":
        rows.insert(row, rows[row])
    elif damage == "column":
        rows = [[*cells[:9], *cells[10:]] for cells in rows]
    else:
        rows[row][0] = ""
    with pytest.raises(AnswerError, match="has lost what says which cell is which"):
        read_answers_from_spreadsheet(write_xlsx(rows, PLAIN))


def test_what_counts_is_not_taken_from_the_file(tmp_path: Path) -> None:
    """A hidden line that asks less is seen, and does not make the sheet smaller; other given numbers are refused."""
    sheet = make_sheet(page=PageOptions())
    rows = read_rows(fill_cells(FORMATS["xlsx"].render_file(sheet), {"sums[1,1]": "40/9"}))
    less, other = tmp_path / "less.xlsx", tmp_path / "other.xlsx"
    less.write_bytes(write_xlsx([rows[0], ["blank_stages", "sums"], ["only_queries", "1"], *rows[1:]], PLAIN))
    result = attnhand.check(less)
    assert (len(result.marks.cells), result.asks_less) == (116, True)
    at = next(at for at, cells in enumerate(rows) if cells and "X[1,1]" in cells[0])
    column = int(re.findall(r"X\[1,1\]=(\d+)", rows[at][0])[0])
    rows[at][column] = "9"
    other.write_bytes(write_xlsx(rows, PLAIN))
    with pytest.raises(AnswerError, match="X"):
        attnhand.check(other)


# checking itself


def test_a_slip_that_reads_what_is_worked_below_it_is_left_out() -> None:
    """A query in place of the key that is appended, where several heads share that key: their queries come later."""
    sheet = make_sheet("grouped-query-rotary-cache")
    assert_no_errors(Recalculated(FORMATS["xlsx"].render(sheet), {}).values)


def test_what_is_stored_is_what_recalculation_gives() -> None:
    """Every formula of a blank sheet has the value that a spreadsheet would work out, for those that work nothing.

    Where scores are printed, whoever subtracts the largest has others before the first stage that is asked.
    """
    for sheet in (
        *(make_sheet("self"), make_sheet("block-2", convention=Convention.ROWS)),
        make_sheet("cross", convention=Convention.ROWS),
        make_sheet("self", PageOptions(self_check=True, from_stage="powers")),
        attnhand.generate(1, part="learn", self_check=True).blank,
    ):
        file = Recalculated(FORMATS["xlsx"].render(sheet), {})
        values = file.values
        assert_no_errors(values)
        wrong = {at: value for at, value in values.items() if not is_same_value(file.cells[at].value, value)}
        assert wrong == {}


def test_a_file_that_checks_itself_is_read_back(tmp_path: Path) -> None:
    """Whatever its first lines say of the sheet, words and queries, no formula is taken for more of it."""
    for at, sheet in enumerate(
        (
            attnhand.generate(7, words=["a", "b", "c", "d"], only_queries=[1, 3], self_check=True),
            attnhand.generate(107, part="next-word", self_check=True),
        )
    ):
        file = tmp_path / f"{at}.xlsx"
        file.write_bytes(fill_cells(sheet.blank.xlsx(), list_texts(write_key(sheet))))
        assert attnhand.check(file).marks.is_all_correct


MECHANISMS = ("self", "basic", "cross", "multi-head-2", "block-1")
CHECKED = [
    *pair_up(MECHANISMS, [*Convention]),
    ("self-words-positions", Convention.ROWS),
    ("basic-causal", Convention.ROWS),
    ("self-rotary", Convention.COLUMNS),
]


def test_a_large_file_that_checks_itself_is_read_back(tmp_path: Path) -> None:
    """Four heads have 23,000 formulas, which a program that saves them writes out: over four million bytes."""
    sheet = attnhand.generate(7, mechanism="multi-head", heads=4, self_check=True).blank
    file = tmp_path / "sheet.xlsx"
    file.write_bytes(fill_cells(sheet.xlsx(), list_texts(write_key(sheet))))
    assert max(map(len, read_parts(file.read_bytes()).values())) > 4_000_000
    assert attnhand.check(file).marks.is_all_correct


@pytest.mark.parametrize(("form", "convention"), choose(CHECKED[1::2], CHECKED))
def test_signs_are_those_of_check(form: str, convention: Convention) -> None:
    """Cell by cell, for the key in some spelling and for slips with what follows from them; no cell is an error."""
    sheet = make_sheet(form, convention=convention)
    data = FORMATS["xlsx"].render(sheet)
    key, *slips = list_cases(sheet, SPELLINGS[CHECKED.index((form, convention)) % len(SPELLINGS)])
    worked = sheet.worked_cell
    assert worked
    seen: set[str] = set()
    for label, rows in [key, *random.Random(form).sample(slips[: len(slips) // 2], 2)]:
        file = Recalculated(data, list_texts(rows))
        expected = expect_signs(sheet.key, list_texts(rows))
        signs = file.signs
        assert_no_errors(file.values)
        # the worked cell is printed, and counted beside its stage
        assert set(expected) - set(signs) == {format_cell_address(*worked)}
        assert {at: sign for at, sign in signs.items() if sign != expected[at]} == {}, label
        count = attnhand.check(rows, sheet).marks.score
        assert f"Total {count} / {sheet.answer_cell_count}" in file.values.values()
        seen |= set(expected.values())
    assert {"✓", "✗"} <= seen


@cache
def make_table(form: str = "self") -> tuple[Sheet, bytes, list[Case]]:
    """Return a sheet of a form, its file and papers of every kind."""
    sheet = make_sheet(form)
    return sheet, FORMATS["xlsx"].render(sheet), list(list_table(sheet.key))


@pytest.mark.parametrize("kind", [kind for kind in Kind if (Marker.EXCEL, kind) not in ALLOWED_DIFFERENCES])
def test_what_counts_is_what_check_counts(kind: Kind) -> None:
    """On papers of the table: made-up numbers and what comes of them earn no more, other ways of the sheet no less."""
    sheet, data, table = make_table()
    papers = [case for case in table if case.kind is kind]
    for case in [each for at, each in enumerate(papers) if at % choose(4, 1) == 0 or "partly" in each.name]:
        assert_counts_as_with_check(sheet, data, case)


def test_a_printed_score_does_not_say_how_its_query_was_worked() -> None:
    """Basic attention has its worked cell among the scores that a whole paper less its largest is written in."""
    sheet, data, table = make_table("basic")
    (paper,) = (case for case in table if case.kind is Kind.LARGEST_SUBTRACTED and "partly" not in case.name)
    assert_counts_as_with_check(sheet, data, paper)


def assert_counts_as_with_check(sheet: Sheet, data: bytes, case: Case) -> None:
    """Hold a total of the file against what check counts."""
    marks = check(sheet.key, case).marks
    values = Recalculated(data, list_texts(case.texts)).values
    assert_no_errors(values)
    (total,) = (str(value) for value in values.values() if str(value).startswith("Total "))
    assert abs(int(total.split()[1]) - int(marks.score)) <= LARGEST_DIFFERENCE * len(marks.cells), case.name


def test_gaps_and_garbage_are_no_errors() -> None:
    """Empty cells, and whatever else somebody may type, give a sign and numbers to go on with."""
    sheet = make_sheet("self-causal")
    data, draw = FORMATS["xlsx"].render(sheet), random.Random(1)
    cells = [address for address, text in list_texts(write_key(sheet)).items() if text]
    for _ in range(4):
        file = Recalculated(data, {address: draw.choice(GARBAGE) for address in cells})
        assert_no_errors(file.values)
        assert set(file.signs.values()) <= {"", "✓", "→", "✗", "?"}
    file = Recalculated(data, {"Q[1,1]": "99", "S[1,1]": "x"})
    assert (file.signs["Q[1,1]"], file.signs["S[1,1]"], file.signs["Q[1,2]"]) == ("✗", "?", "")


@pytest.mark.parametrize("convention", Convention)
def test_zeros_throughout_are_no_errors(convention: Convention) -> None:
    """Who divides by a root of their own that is 0 goes on with other numbers; a sign stands beside all."""
    sheet = make_sheet("block-1-normed", convention=convention)
    zeros = {address: "0" for address, text in list_texts(write_key(sheet)).items() if text}
    assert_no_errors(Recalculated(FORMATS["xlsx"].render(sheet), zeros).values)


def test_slips_are_named_where_one_explains_the_stage() -> None:
    """Rounding toward zero is said where it was done, once; the marks are counted beside the stage and in all."""
    sheet = make_sheet()
    rows = dict(list_cases(sheet))["truncated at scaled"]
    seen = [str(value) for value in Recalculated(FORMATS["xlsx"].render(sheet), list_texts(rows)).values.values()]
    assert [text for text in seen if text.startswith("You seem")] == [
        "You seem to have rounded toward zero instead of down."
    ]
    assert {"13 / 16", "Total 113 / 116"} <= set(seen)
    nothing = Recalculated(FORMATS["xlsx"].render(sheet), {}).values.values()
    assert not [value for value in nothing if str(value).startswith("You seem")]


def read_rows(data: bytes) -> list[list[str]]:
    """Return what stands in a file, as rows of texts."""
    cells = read_cells(data)
    rows = [[""] * max(column for _, column in cells) for _ in range(max(row for row, _ in cells))]
    for (row, column), cell in cells.items():
        rows[row - 1][column - 1] = str(cell.value).removesuffix(".0")
    return rows
