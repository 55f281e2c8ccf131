"""Sheets with a mistake to find: planted at its stage, carried on rightly, given away nowhere."""

import json
from functools import cache

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.attention.slips import PLANTED_BY_RECIPE_1, SLIPS, VETTED_BY_RECIPE_1
from attnhand.attention.solution import Solution, solve
from attnhand.errors import AttnhandError, PageError
from attnhand.formats.registry import FORMATS
from attnhand.marking.marks import GENERIC_SLIPS
from attnhand.problems.generator import generate_problem
from attnhand.problems.mistake import ANY_SLIP, PlantedMistake
from attnhand.problems.request import Request
from attnhand.sheet.build_grids import build_correction_grids
from attnhand.sheet.grids import CellKind
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.make import make_sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import build_panels
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES, get_language
from attnhand.text.widths import to_unicode
from tests import forms
from tests.breadth import choose, pair_up

FORMS = {**forms.FORMS, "self-window": Variant(is_causal=True, window=2)}
SEEDS = choose(range(3), range(5))
IDS = tuple(slip.id for slip in SLIPS)
NO_SHAPE = {"operands-swapped", "elementwise", "other-operand-transposed", "inputs-for-values", "heads-added"}
"""Slips that come out in another shape wherever they can be told from the key."""


@cache
def solve_form(name: str, seed: int, convention: Convention = Convention.COLUMNS) -> Solution:
    """Return a solved problem of a form."""
    return solve(generate_problem(Request(seed=seed, variant=FORMS[name], convention=convention)))


def make_sheet_with_mistake(name: str, seed: int, mistake: str, convention: Convention = Convention.COLUMNS) -> Sheet:
    """Return a sheet with a mistake to find."""
    return Sheet(
        solution=solve_form(name, seed, convention), code=f"A{seed}{name}", options=PageOptions(mistake=mistake)
    )


def find_planted(name: str, seed: int, mistake: str) -> PlantedMistake | None:
    """Return the mistake of such a sheet, None where it is refused."""
    try:
        return make_sheet_with_mistake(name, seed, mistake).planted_mistake
    except AttnhandError as refusal:
        assert "cannot be planted in this sheet" in str(refusal)
        return None


def count_differing(a: Matrix, b: Matrix) -> int:
    """Count the cells in which two matrices differ."""
    return sum(x != y for rows in zip(a, b, strict=True) for x, y in zip(*rows, strict=True))


@pytest.mark.parametrize("name", choose([*FORMS][::6], [*FORMS]))
def test_a_planted_slip_changes_its_stage_and_is_carried_on(name: str) -> None:
    """Before it all is as in the key; at its stage it is not; after it every stage is worked from what stands there."""
    planted_counts: dict[str, int] = {}
    for seed in SEEDS:
        right = solve_form(name, seed)
        for slip in IDS:
            planted = find_planted(name, seed, slip)
            if planted is None:
                continue
            assert planted.slip_id == slip
            wrong, known, reached = planted.solution, dict(right.problem.given), False
            for own, key in zip(wrong, right, strict=True):
                stage = own.stage
                if stage.name == planted.stage_name:
                    has_one_query = name.startswith(("next-token", "online")) or bool(FORMS[name].cache)
                    is_shown_twice = slip in VETTED_BY_RECIPE_1 and not has_one_query
                    assert count_differing(own.hand, key.hand) >= 1 + is_shown_twice, (slip, seed)
                    reached = True
                else:
                    assert own.hand == stage.work(right.problem.hand_arithmetic, known), (slip, stage.name)
                    assert reached or own.hand == key.hand
                known[stage.name] = own.hand
                assert own.exact == key.exact
            planted_counts[slip] = planted_counts.get(slip, 0) + 1
    is_short = name.startswith(("next-token", "online")) or FORMS[name].begins_with == ("S",)
    assert len(planted_counts) >= (20 if is_short else 25), planted_counts
    assert {"truncated", "other-axis", "times-not-power"} <= {*planted_counts} | list_rare(FORMS[name])


def list_rare(form: Variant) -> set[str]:
    """Return which slips that are planted in most forms cannot be in one, or hardly ever."""
    is_online = form.mechanism == "online"  # one query, and powers of its own
    found = {"other-axis", "times-not-power"} if is_online else set()
    if form.mechanism in ("basic", "next-token"):  # nothing is scaled
        found.add("truncated")
    if form.padding:  # the powers of a hidden key add to 0, and so may 3 times the few scores that are left
        found |= {"other-axis", "times-not-power"}
    if form.is_shifted and form.is_causal:  # 3 times the only score of the first query, less the largest, is 0
        found.add("times-not-power")
    return found


def test_every_slip_can_be_planted_somewhere() -> None:
    """None of the catalogue is there for nothing, but those that come out in another shape are for marking alone."""
    found: set[str] = set()
    for name in FORMS:
        for seed in SEEDS:
            found |= {slip for slip in IDS if slip not in found and find_planted(name, seed, slip)}
    assert found | NO_SHAPE | {"not-transposed", "bias-other-axis", "diagonal-too", "mask-turned"} >= set(IDS)
    assert len(found) > 55


@pytest.mark.parametrize(("name", "convention"), pair_up([*FORMS], [*Convention]))
def test_a_drawn_mistake_shows_and_is_the_same_for_ever(name: str, convention: Convention) -> None:
    """It is one of the frozen list, changes two cells at least, and is drawn from the code alone."""
    slips = set()
    for seed in range(choose(5, 14)):
        sheet, again = (make_sheet_with_mistake(name, seed, ANY_SLIP, convention) for _ in range(2))
        planted = sheet.planted_mistake
        assert planted is not None
        assert planted == again.planted_mistake
        assert planted.slip_id in PLANTED_BY_RECIPE_1
        assert (
            count_differing(*(solution[planted.stage_name].hand for solution in (sheet.solution, planted.solution)))
            >= 2
        )
        slips.add(planted.slip_id)
    assert len(slips) >= choose(2, 3)


FORMS_WITH_WEB_PAGE = choose(("self-causal", "cross"), ("self", "self-causal", "basic", "cross", "multi-head-2"))


@pytest.mark.parametrize(
    ("name", "slip"),
    [
        *(
            (name, "other-axis" if name.startswith(("basic", "next-token", "self-cache")) else "truncated")
            for name in choose([*FORMS][::2], [*FORMS])
        ),
        ("self", "other-axis"),
        ("self-causal", "other-triangle"),
    ],
)
def test_the_blank_gives_nothing_away(name: str, slip: str) -> None:
    """It shows the wrong values alone, every cell alike, no exact value, neither slip nor stage named, no note."""
    sheet = make_sheet_with_mistake(name, 7, slip)
    planted = sheet.planted_mistake
    assert planted is not None
    for panel in build_panels(sheet.blank).list_panels():
        cells = [cell for row in panel.grid.cells for cell in row if cell.address]
        assert {cell.kind for cell in cells} <= {CellKind.GIVEN}
        assert not any(cell.number and cell.number.note for cell in cells)
        assert panel.exact_grid is None
        assert panel.mark_box == ()
    # web pages say the same of every mechanism, and have no model: laying one out takes seconds
    for kind in ("json", "csv", "markdown", *(("html",) if name in FORMS_WITH_WEB_PAGE else ())):
        text = FORMATS[kind].render(sheet.blank).decode()
        message = describe_slip(sheet, slip, sheet.problem.mechanism.get_stage(planted.stage_name))
        assert slip not in text
        assert message not in text
    data = json.loads(FORMATS["json"].render(sheet.blank))
    assert data["mistake"] is True
    assert "comparison" not in data
    assert all("exact" not in stage for stage in data["stages"])
    printed_hand = {stage["name"]: stage["hand"] for stage in data["stages"]}
    key = json.loads(FORMATS["json"].render(sheet.key))
    assert printed_hand == key["mistake"]["shown"]
    assert (key["mistake"]["slip"], key["mistake"]["stage"]) == (slip, planted.stage_name)
    right = {stage["name"]: stage["hand"] for stage in key["stages"]}
    assert right != printed_hand


def test_the_key_marks_exactly_what_changed() -> None:
    """Cells that the mistake changed are answers, with what was printed; all others are printed as they were."""
    sheet = make_sheet_with_mistake("self", 7, "truncated")
    assert sheet.planted_mistake is not None
    marked = {}
    for panel in build_panels(sheet.key).list_panels():
        for cell in (cell for row in panel.grid.cells for cell in row):
            if cell.kind is CellKind.ANSWER:
                assert cell.number is not None
                marked[cell.address] = (str(cell.number), cell.number.note)
            else:
                assert not cell.number or not cell.number.note
    expected = {
        f"{own.stage.name}[{i + 1},{j + 1}]"
        for own, key in zip(sheet.planted_mistake.solution, sheet.solution, strict=True)
        for i, row in enumerate(own.hand)
        for j, value in enumerate(row)
        if value != key.hand[i][j]
    }
    assert set(marked) == expected
    halves = {address: numbers for address, numbers in marked.items() if address.startswith("scaled")}
    assert len(halves) >= 2
    for number, note in halves.values():  # ⌊−1/2⌋ = −1, not 0; ⌊−3/2⌋ = −2, not −1
        assert int(note.replace("not ", "").replace("−", "-")) == int(number.replace("−", "-")) + 1


def test_only_what_is_asked_counts() -> None:
    """Where one query is asked, the mistake shows in its cells."""
    for seed in range(6):
        options = PageOptions(mistake=ANY_SLIP, only_queries=(2,))
        sheet = make_sheet_from_request(Request(seed=seed), options)
        assert sheet.planted_mistake is not None
        stage = sheet.planted_mistake.stage_name
        rows, columns = sheet.find_asked_rows_and_columns(sheet.problem.mechanism.get_stage(stage))
        right, wrong = (solution[stage].hand for solution in (sheet.solution, sheet.planted_mistake.solution))
        assert sum(right[i][j] != wrong[i][j] for i in rows for j in columns) >= 2


REFUSED = {
    "trunctated": "the slip 'trunctated' is unknown: did you mean truncated?",
    "xyz": "the slip 'xyz' is unknown: leave the name out to have one drawn; attnhand/marking/README.md lists them all",
    "mask-forgotten": "the slip mask-forgotten cannot be planted in this sheet",
}


@pytest.mark.parametrize(("slip", "message"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_planted_is_refused_with_the_reason(slip: str, message: str) -> None:
    """A slip that nobody knows, and one that this sheet cannot hold."""
    with pytest.raises(AttnhandError, match=f"^{message.replace('?', '.')}"):
        make_sheet_from_request(Request(seed=7), PageOptions(mistake=slip))


def test_a_mistake_is_alone() -> None:
    """Nothing else is asked beside it, and nothing exact is shown."""
    with pytest.raises(PageError, match="asks nothing else"):
        PageOptions(mistake=ANY_SLIP, from_stage="S")
    with pytest.raises(PageError, match="asks nothing else"):
        PageOptions(mistake=ANY_SLIP, blank_stages=("A",))
    with pytest.raises(PageError, match="give the mistake away"):
        PageOptions(mistake=ANY_SLIP, show_exact=True)


def test_every_slip_has_its_sentence() -> None:
    """In every language, and no sentence is about a slip that is none; some mechanisms or stages have a second one."""
    for code in LANGUAGES:
        keys = {key.removeprefix("slip.") for key in get_language(code).sentences if key.startswith("slip.")}
        assert {key.partition(".")[0] for key in keys} == {*IDS, *GENERIC_SLIPS}
        assert {tuple(key.split(".")) for key in keys if "." in key} <= {
            (slip, place)
            for slip in IDS
            for place in (*MECHANISMS, "queries", "keys", "values", "radians", "columns", "rows")
        }


@pytest.mark.parametrize("convention", Convention)
def test_grids_to_correct_in_are_those_of_their_heads(convention: Convention) -> None:
    """Whoever corrects K sees which head's: every letter stands once, with the head that it belongs to."""
    sheet = attnhand.generate(7, mechanism="multi-head", convention=convention, mistake="truncated")
    names = [to_unicode(grid.name) for grid in build_correction_grids(sheet.blank)]
    letters = [name for name in names if not name.isalpha()]
    assert letters == [f"{letter}{head}" for head in ("⁽¹⁾", "⁽²⁾") for letter in ("Q", "K", "V", "S", "Σ", "A", "Z")]
    assert [name for name in names if name.isalpha()] == 2 * ["scaled", "powers"] + ["concat", "output"]
