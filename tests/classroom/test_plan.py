"""A class set before it is bound: who gets what, what is drawn again, where sheets wait in between."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.classroom.finished_sheets import SheetFacts, SheetStore
from attnhand.classroom.index import find_earlier_seeds, format_index_csv, read_index
from attnhand.classroom.making import Chunk, ClassSettings, Task, make_chunk
from attnhand.classroom.plan import Plan, Sort
from attnhand.classroom.quick_key import make_quick_key
from attnhand.classroom.register import assign_seats
from attnhand.classroom.roster import make_unnamed_students
from attnhand.classroom.seeds import draw_distinct_sheets, generate_seeds
from attnhand.errors import GenerationError
from attnhand.formats.pdf.draw_sheet import draw_sheet
from attnhand.layout.name_line import fit_name
from attnhand.layout.typography import REGULAR_TYPOGRAPHY
from attnhand.problems.levels import Level
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import encode_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat, Student
from attnhand.text.widths import to_unicode

SETTINGS = ClassSettings(request=Request(seed=7, level=Level.WARM_UP), page=PageOptions(), salt="s")
PEOPLE = (
    Student(row=1, name="Zoë", group="B"),
    Student(row=2, name="ada", id="7", group="A"),
    Student(row=3, name="Bob", email="bob@x.org", overrides=(("format", "html"),)),
    Student(row=4, name="Cy", group="A"),
)


def plan(**changes: object) -> Plan:
    """Return the plan of a small class with a spare."""
    return replace(Plan(settings=SETTINGS, seats=assign_seats(PEOPLE, 7, "s", spare_count=1)), **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sort", "numbers"), [(None, [1, 2, 4, 5]), (Sort.GROUP, [2, 4, 1, 5]), (Sort.NAME, [2, 4, 1, 5])]
)
def test_sheets_lie_in_the_order_that_is_wanted(sort: Sort | None, numbers: list[int]) -> None:
    """By number, group or name, spares last; what is no paper is not among them."""
    assert [seat.number for seat in plan(sort=sort).printed_seats] == numbers


def test_files_of_their_own() -> None:
    """One for whom the roster wants it, one for everybody where everybody is to have one; never two of one name."""
    files = {False: [(3, ".html")], True: [(1, ".pdf"), (2, ".pdf"), (3, ".html"), (4, ".pdf"), (5, ".pdf")]}
    for separate, expected in files.items():
        assert [
            (seat.number, suffix) for seat, suffix in plan(has_separate_files=separate).list_student_files()
        ] == expected
    forms = plan(
        settings=replace(SETTINGS, page=PageOptions(fillable=True)),
        has_separate_files=True,
        file_formats=("html", "tex"),
    )
    names = [forms.make_file_name(seat, suffix) for seat, suffix in forms.list_student_files()]
    assert len(names) == len(set(names)) == 4 + 5 + 5


def draw_anything(seats: Sequence[Seat]) -> dict[str, SheetFacts]:
    """Draw sheets that are all others."""
    return {str(n): SheetFacts(name=str(n), seed=n, matrices_digest=b"%d" % n) for n in (s.number for s in seats)}


def test_equal_sheets_and_refused_seeds_are_drawn_again() -> None:
    """All but the first of equal ones, until nobody has another's; the others stay as they are."""
    first = plan().seats
    drawn: list[list[int]] = []

    def draw(seats: Sequence[Seat]) -> dict[str, SheetFacts]:
        drawn.append([seat.seed for seat in seats])
        facts = draw_anything(seats)
        if len(drawn) <= 2:
            facts["4"] = facts["2"]
        if len(drawn) == 1:
            facts["3"] = SheetFacts(name="3", seed=3, refusal="finds no good sheet")
        return facts

    last = draw_distinct_sheets(first, 7, "s", draw)
    own = {seat.number: list(islice(generate_seeds(7, "s", seat.seed_key), 3)) for seat in first}
    expected = [[own[1][0], own[2][0], own[3][at > 0], own[4][at], own[5][0]] for at in range(3)]
    assert drawn == expected
    assert [seat.seed for seat in last] == expected[-1]


def test_too_few_sheets_are_told() -> None:
    """Where two stay alike however often they are drawn, with the reason and the remedy."""

    def draw(seats: Sequence[Seat]) -> dict[str, SheetFacts]:
        return draw_anything(seats) | {"2": SheetFacts(name="2", seed=9, matrices_digest=b"1")}

    with pytest.raises(GenerationError, match=r"own \(seed 9 gives the .*: choose larger sizes, or `versions=`"):
        draw_distinct_sheets(plan().seats, 7, "s", draw)


def test_a_version_is_drawn_again_for_all_who_have_it() -> None:
    """The second version, like the first, takes its next seed, for everyone."""
    seats = assign_seats(make_unnamed_students(5), 7, "s", version_count=2)
    first, second = seats[0].seed, seats[1].seed

    def draw(drawn: Sequence[Seat]) -> dict[str, SheetFacts]:
        digest = b"same" if drawn[1].seed == second else b"other"
        return {
            str(s.number): SheetFacts(name="", seed=s.seed, matrices_digest=digest if s.version == 2 else b"same")
            for s in drawn
        }

    again = draw_distinct_sheets(seats, 7, "s", draw)
    stream = generate_seeds(7, "s", ("version", "2"))
    assert [next(stream), next(stream)] == [second, again[1].seed]
    assert [seat.seed for seat in again] == [first, again[1].seed, first, again[1].seed, first]


def test_the_index_pins_everything() -> None:
    """People, spares and overrides come back from it; a class without names too."""
    for people in (PEOPLE, make_unnamed_students(3)):
        seats = assign_seats(people, 7, "s", spare_count=2)
        coded = [replace(seat, code=encode_request(replace(SETTINGS.request, seed=seat.seed), "s")) for seat in seats]
        read = read_index(format_index_csv(coded).encode("utf-8-sig"))
        assert tuple(seat.student for seat in read if not seat.is_spare) == people
        earlier = find_earlier_seeds(read)
        assert earlier == tuple(coded)
        longer = assign_seats(
            (*people, Student(row=9, name="New")), 7, "s", spare_count=3, known_seats=earlier, last_number=8
        )
        assert longer[: len(seats)] == seats
        assert [seat.number for seat in longer[len(seats) :]] == [9, 10]


def test_finished_sheets_wait_in_a_file(tmp_path: Path) -> None:
    """Facts, pages and quick keys come back whole; a sheet that is made again takes the place of the first."""
    tasks = (Task(name="1", seed=5), Task(name="2", seed=4, has_blank=False), Task(name="3", seed=10, has_key=False))
    chunk = make_chunk(Chunk(settings=SETTINGS, tasks=tasks))
    store = SheetStore(tmp_path / "finished")
    store.add(chunk)
    store.add(make_chunk(Chunk(settings=SETTINGS, tasks=(Task(name="2", seed=6),))))
    assert [(facts.name, facts.seed, facts.code) for facts in store.facts.values()] == [
        (name, seed, SETTINGS.make_sheet(seed).code) for name, seed in (("1", 5), ("2", 6), ("3", 10))
    ]
    assert [store.read_quick_key(name) for name in "12"] == [
        make_quick_key(SETTINGS.make_sheet(seed)) for seed in (5, 6)
    ]
    first, again, third = SETTINGS.make_sheet(5), SETTINGS.make_sheet(6), SETTINGS.make_sheet(10)
    assert store.read_blank_pages("1").streams == draw_sheet(first.blank).streams
    assert store.read_key_pages("2").streams == draw_sheet(again.key).streams
    assert store.read_blank_pages("3").streams == draw_sheet(third.blank).streams
    assert store.read_blank_pages("1").shared is store.read_blank_pages("3").shared
    assert (chunk.sheets[1].blank, chunk.sheets[2].key) == (b"", b"")


NAMES = {
    "../../../etc/passwd": "007 .. .. .. etc passwd.pdf",
    "CON": "007 CON.pdf",
    'a/b\\c:d*e?f"g<h>i|j': "007 a b c d e f g h i j.pdf",
    "dots and blanks . . ": "007 dots and blanks.pdf",
    "tab\tnew\nline\x07": "007 tab new line.pdf",
    "e\u0301\u202egpj": "007 \u00e9 gpj.pdf",
    "": "007.pdf",
}


def name_pdf(name: str) -> str:
    """Return what the PDF of № 7 is called where its student has this name."""
    (seat,) = assign_seats([Student(row=1, name=name)], 7, "s", last_number=6)
    return plan(seats=(seat,)).make_file_name(seat, ".pdf")


@pytest.mark.parametrize(("name", "file"), NAMES.items(), ids=range(len(NAMES)))
def test_file_names_are_safe(name: str, file: str) -> None:
    """No path, no device, no control character, nothing that a system drops at the end."""
    assert name_pdf(name) == file


@given(st.text(max_size=400))
def test_no_file_name_is_too_long(name: str) -> None:
    """Not in bytes either, and never a path."""
    file_name = name_pdf(name.encode("utf-8", "replace").decode())
    assert len(file_name.encode()) <= 210
    assert Path(file_name).name == file_name
    assert file_name.startswith("007")


@pytest.mark.parametrize("character", ["x", "é", "李", "🦉"])
def test_long_names_are_cut_between_characters(character: str) -> None:
    """Whatever their characters take."""
    cut = name_pdf(character * 300).removeprefix("007 ").removesuffix(".pdf")
    assert cut == character * len(cut) != ""


def test_keys_lie_in_the_order_of_the_sheets() -> None:
    """Sorted by group as the hand-out is, with those that are no paper where they would lie."""
    assert [seat.number for seat in plan(sort=Sort.GROUP).sorted_seats] == [2, 4, 1, 3, 5]


def test_group_and_id_stand_behind_a_name() -> None:
    """On every page, so that two of one name find theirs; of a long name the end goes first, then they do."""
    printed = plan().iterate_tasks()
    behind = [task.seat.group_and_id if task.seat else "" for task in printed]
    assert behind == [" · B", " · A · 7", "", " · A", ""]
    for width, text in ((80, "Ada Lovelace · B · 4711"), (35, "Ada Love… · B · 4711"), (21, "Ada Lovel…")):
        fitted = fit_name("Ada Lovelace", width, REGULAR_TYPOGRAPHY, behind=" · B · 4711")
        assert to_unicode(fitted.text) == text
