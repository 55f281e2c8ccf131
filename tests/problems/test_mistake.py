"""Sheets with a mistake to find: planted at its stage, carried on rightly, given away nowhere."""

import json
from decimal import localcontext
from functools import cache

import pytest

from attnhand.attention.matrix import Matrix, in_one_kind
from attnhand.attention.mechanisms import Convention
from attnhand.attention.numbers import PRECISION
from attnhand.attention.slips import PLANTED_BY_RECIPE_1, SLIPS, VETTED_BY_RECIPE_1
from attnhand.attention.solution import Solution, solve
from attnhand.errors import AttnhandError, PageError
from attnhand.formats.registry import FORMATS
from attnhand.marking.evidence import GENERICS
from attnhand.problems.generator import generate_problem
from attnhand.problems.mistake import ANY, Planted
from attnhand.problems.request import Request
from attnhand.sheet.grids import Kind
from attnhand.sheet.make import sheet_from_request
from attnhand.sheet.options import PageOptions
from attnhand.sheet.panels import panels
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from tests.forms import FORMS

SEEDS = range(3)
IDS = tuple(slip.id for slip in SLIPS)
NO_SHAPE = {"operands-swapped", "elementwise", "other-operand-transposed", "inputs-for-values", "heads-added"}
"""Slips that come out in another shape wherever they can be told from the key."""


@cache
def solved(name: str, seed: int, convention: Convention = Convention.COLUMNS) -> Solution:
    """Return a solved problem of a form."""
    return solve(generate_problem(Request(seed=seed, form=FORMS[name], convention=convention)))


def sheet_with(name: str, seed: int, mistake: str, convention: Convention = Convention.COLUMNS) -> Sheet:
    """Return a sheet with a mistake to find."""
    return Sheet(solution=solved(name, seed, convention), code=f"A{seed}{name}", options=PageOptions(mistake=mistake))


def planted_or_none(name: str, seed: int, mistake: str) -> Planted | None:
    """Return the mistake of such a sheet, None where it is refused."""
    try:
        return sheet_with(name, seed, mistake).planted
    except AttnhandError as refusal:
        assert "cannot be planted in this sheet" in str(refusal)
        return None


def differing(a: Matrix, b: Matrix) -> int:
    """Count the cells in which two matrices differ."""
    return sum(x != y for rows in zip(a, b, strict=True) for x, y in zip(*rows, strict=True))


@pytest.mark.parametrize("name", FORMS)
def test_a_planted_slip_changes_its_stage_and_is_carried_on(name: str) -> None:
    """Before it all is as in the key; at its stage it is not; after it every stage is worked from what stands there."""
    made: dict[str, int] = {}
    for seed in SEEDS:
        right = solved(name, seed)
        for slip in IDS:
            planted = planted_or_none(name, seed, slip)
            if planted is None:
                continue
            assert planted.slip == slip
            wrong, known, reached = planted.solution, dict(right.problem.given), False
            for own, key in zip(wrong, right, strict=True):
                stage = own.stage
                if stage.name == planted.stage:
                    assert differing(own.hand, key.hand) >= (2 if slip in VETTED_BY_RECIPE_1 else 1), (slip, seed)
                    reached = True
                else:
                    with localcontext(PRECISION):
                        inputs = in_one_kind([known[read] for read in stage.reads])
                        assert own.hand == stage.operation.apply(right.problem.hand, *inputs), (slip, stage.name)
                    assert reached or own.hand == key.hand
                known[stage.name] = own.hand
                assert own.exact == key.exact
            made[slip] = made.get(slip, 0) + 1
    assert len(made) >= 25, made
    assert {"truncated", "other-axis", "times-not-power"} <= {*made, *(("truncated",) if "basic" in name else ())}


def test_every_slip_can_be_planted_somewhere() -> None:
    """None of the catalogue is there for nothing, but those that come out in another shape are for marking alone."""
    found: set[str] = set()
    for name in FORMS:
        for seed in SEEDS:
            found |= {slip for slip in IDS if slip not in found and planted_or_none(name, seed, slip)}
    assert found | NO_SHAPE | {"not-transposed", "bias-other-axis", "diagonal-too"} >= set(IDS)
    assert len(found) > 55


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("convention", Convention)
def test_a_drawn_mistake_shows_and_is_the_same_for_ever(name: str, convention: Convention) -> None:
    """It is one of the frozen list, changes two cells at least, and is drawn from the code alone."""
    slips = set()
    for seed in range(8):
        sheet, again = (sheet_with(name, seed, ANY, convention) for _ in range(2))
        planted = sheet.planted
        assert planted is not None
        assert planted == again.planted
        assert planted.slip in PLANTED_BY_RECIPE_1
        assert differing(*(solution[planted.stage].hand for solution in (sheet.solution, planted.solution))) >= 2
        slips.add(planted.slip)
    assert len(slips) >= 3


@pytest.mark.parametrize(
    ("name", "slip"),
    [
        *((name, "other-axis" if name.startswith("basic") else "truncated") for name in FORMS),
        ("self", "other-axis"),
        ("self-causal", "other-triangle"),
    ],
)
def test_the_blank_gives_nothing_away(name: str, slip: str) -> None:
    """It shows the wrong values alone, every cell alike, no exact value, neither slip nor stage named, no note."""
    sheet = sheet_with(name, 7, slip)
    planted = sheet.planted
    assert planted is not None
    for panel in panels(sheet.blank).all():
        shown = [cell for row in panel.grid.cells for cell in row if cell.address]
        assert {cell.kind for cell in shown} <= {Kind.GIVEN}
        assert not any(cell.hidden or (cell.figure and cell.figure.note) for cell in shown)
        assert panel.exact is None
        assert panel.mark == ()
    for kind in ("json", "csv", "markdown", "html"):
        text = FORMATS[kind].render(sheet.blank).decode()
        told = str(LANGUAGES["en"][f"slip.{slip}"])
        assert slip not in text
        assert told not in text
    data = json.loads(FORMATS["json"].render(sheet.blank))
    assert data["mistake"] is True
    assert "comparison" not in data
    assert all("exact" not in stage for stage in data["stages"])
    shown_hand = {stage["name"]: stage["hand"] for stage in data["stages"]}
    key = json.loads(FORMATS["json"].render(sheet.key))
    assert shown_hand == key["mistake"]["shown"]
    assert (key["mistake"]["slip"], key["mistake"]["stage"]) == (slip, planted.stage)
    right = {stage["name"]: stage["hand"] for stage in key["stages"]}
    assert right != shown_hand


def test_the_key_marks_exactly_what_changed() -> None:
    """Cells that the mistake changed are answers, with what was printed; all others are printed as they were."""
    sheet = sheet_with("self", 7, "truncated")
    assert sheet.planted is not None
    marked = {}
    for panel in panels(sheet.key).all():
        for cell in (cell for row in panel.grid.cells for cell in row):
            if cell.kind is Kind.ANSWER:
                assert cell.figure is not None
                marked[cell.address] = (str(cell.figure), cell.figure.note)
            else:
                assert not cell.figure or not cell.figure.note
    expected = {
        f"{own.stage.name}[{i + 1},{j + 1}]"
        for own, key in zip(sheet.planted.solution, sheet.solution, strict=True)
        for i, row in enumerate(own.hand)
        for j, value in enumerate(row)
        if value != key.hand[i][j]
    }
    assert set(marked) == expected
    halves = {address: shown for address, shown in marked.items() if address.startswith("scaled")}
    assert len(halves) >= 2
    for figure, note in halves.values():  # ⌊−1/2⌋ = −1, not 0; ⌊−3/2⌋ = −2, not −1
        assert int(note.replace("not ", "").replace("−", "-")) == int(figure.replace("−", "-")) + 1


def test_only_what_is_asked_counts() -> None:
    """Where one query is asked, the mistake shows in its cells."""
    for seed in range(6):
        options = PageOptions(mistake=ANY, queries=(1,))
        sheet = sheet_from_request(Request(seed=seed), options)
        assert sheet.planted is not None
        stage = sheet.planted.stage
        rows, columns = sheet.asked_lines(sheet.problem.mechanism.stage(stage))
        right, wrong = (solution[stage].hand for solution in (sheet.solution, sheet.planted.solution))
        assert sum(right[i][j] != wrong[i][j] for i in rows for j in columns) >= 2


REFUSED = {
    "trunctated": "the slip 'trunctated' is unknown: did you mean truncated?",
    "xyz": "the slip 'xyz' is unknown: leave the name out to have one drawn; the README lists them all",
    "mask-forgotten": "the slip mask-forgotten cannot be planted in this sheet",
}


@pytest.mark.parametrize(("slip", "told"), REFUSED.items(), ids=REFUSED)
def test_what_cannot_be_planted_is_refused_with_the_reason(slip: str, told: str) -> None:
    """A slip that nobody knows, and one that this sheet cannot hold."""
    with pytest.raises(AttnhandError, match=f"^{told.replace('?', '.')}"):
        sheet_from_request(Request(seed=7), PageOptions(mistake=slip))


def test_a_mistake_is_alone() -> None:
    """Nothing else is asked beside it, and nothing exact is shown."""
    with pytest.raises(PageError, match="asks nothing else"):
        PageOptions(mistake=ANY, start="S")
    with pytest.raises(PageError, match="asks nothing else"):
        PageOptions(mistake=ANY, blank_stages=("A",))
    with pytest.raises(PageError, match="give the mistake away"):
        PageOptions(mistake=ANY, exact_column=True)


def test_every_slip_has_its_sentence() -> None:
    """In every language, and no sentence is about a slip that is none."""
    for sentences in LANGUAGES.values():
        assert {key.partition(".")[2] for key in sentences if key.startswith("slip.")} == {*IDS, *GENERICS}
