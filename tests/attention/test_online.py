"""Online softmax: keys and values that come block by block, and ordinary attention comes out."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import permutations
from typing import Any

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.matrix import Matrix, transpose
from attnhand.attention.mechanisms import Variant
from attnhand.attention.problem import Problem
from attnhand.attention.proof import prove
from attnhand.attention.questions import Part
from attnhand.attention.solution import solve
from attnhand.errors import AttnhandError, CellError, KeyProofError
from attnhand.formats.terminal import render_terminal
from attnhand.layout.lay_out import lay_out
from attnhand.marking.checked import CheckResult
from attnhand.marking.mistake_marks import read_cell
from attnhand.problems.generator import generate_problem
from attnhand.problems.insights import find_missing_insight
from attnhand.problems.levels import Level
from attnhand.problems.problem_file import format_problem, parse_problem
from attnhand.problems.reading import build_problem
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code
from attnhand.sheet.addresses import find_cell
from attnhand.sheet.explain import explain
from attnhand.sheet.panels import build_panels
from attnhand.sheet.questions import build_questions
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from attnhand.text.widths import to_unicode
from tests.breadth import choose
from tests.cli.running import run_refused, run_well

SEEDS = range(choose(3, 100))

EXAMPLE: dict[str, Any] = {
    "mechanism": "online",
    "given": {
        "Q": [[1], [1]],
        "K1": [[1, 0], [1, 0]],
        "V1": [[6, 0], [1, 3]],
        "K2": [[3, 2], [3, 2]],
        "V2": [[5, 0], [4, 0]],
    },
}
"""Scaled scores 1 0 and 3 2: the second block has the largest."""

WORKED: Mapping[str, Sequence[Fraction | int]] = {
    "scaled1": (1, 0),
    "m1": (1,),
    "powers1": (1, Fraction(1, 3)),
    "l1": (Fraction(4, 3),),
    "o1": (6, 2),
    "scaled2": (3, 2),
    "m2": (3,),
    "f2": (Fraction(1, 9),),
    "powers2": (1, Fraction(1, 3)),
    "l2": (Fraction(40, 27),),
    "o2": (Fraction(17, 3), Fraction(38, 9)),
    "Z": (Fraction(153, 40), Fraction(57, 20)),
}


def read(sheet: Sheet, name: str) -> list[Any]:
    """Return what one query has of a stage."""
    return [value for row in sheet.solution[name].hand for value in row]


@pytest.mark.parametrize("convention", Convention)
def test_a_worked_example(convention: Convention) -> None:
    """m, f, powers, l and o of two blocks, and Z, in the fractions that a pencil finds."""
    given = {
        name: a if convention is Convention.COLUMNS else [*zip(*a, strict=True)] for name, a in EXAMPLE["given"].items()
    }
    sheet = attnhand.solve({**EXAMPLE, "convention": convention.value, "given": given})
    for name, numbers in WORKED.items():
        assert read(sheet, name) == [*numbers], name


def join_blocks(problem: Problem, name: str) -> Matrix:
    """Return the keys, or the values, of all blocks side by side, tokens as columns."""
    given = dict(problem.given)
    blocks = (given[f"{name}{block}"] for block in range(1, problem.variant.blocks + 1))
    parts = [transpose(a) if problem.convention.is_rows else a for a in blocks]
    return tuple(tuple(value for part in rows for value in part) for rows in zip(*parts, strict=True))


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("convention", Convention)
def test_ordinary_attention_of_the_same_numbers_has_the_same_output(convention: Convention, level: Level) -> None:
    """Exactly, as fractions: all keys and values given at once to ordinary attention, which knows no blocks."""
    for seed in SEEDS:
        form = Variant(mechanism="online")
        problem = generate_problem(Request(seed=seed, variant=form, level=level, convention=convention))
        query = transpose(problem["Q"]) if convention is Convention.ROWS else problem["Q"]
        ordinary = Problem(
            variant=Variant(begins_with=("Q", "K", "V"), has_memory=True),
            given=(("Q", query), ("K", join_blocks(problem, "K")), ("V", join_blocks(problem, "V"))),
        )
        z = solve(problem)["Z"].hand
        assert (transpose(z) if convention is Convention.ROWS else z) == solve(ordinary)["Z"].hand


def stream(problem: Problem) -> dict[str, list[Fraction]]:
    """Work a drawn sheet block by block in plain loops, as a program keeps m, l and o."""
    given = {
        name: [list(column) for column in (zip(*a, strict=True) if not problem.convention.is_rows else a)]
        for name, a in problem.given
    }
    (query,) = given["Q"]
    kept: dict[str, list[Fraction]] = {}
    m, l, o = -math.inf, Fraction(0), [Fraction(0)] * len(given["V1"][0])  # noqa: E741  # as the paper calls it
    for block in range(1, problem.variant.blocks + 1):
        scores = []
        for key in given[f"K{block}"]:
            product = Fraction(0)
            for one, other in zip(query, key, strict=True):
                product += one * other
            scores.append(math.floor(product / 2))
        largest = m
        for score in scores:
            largest = score if score > largest else largest  # a loop, as everything here
        factor = Fraction(0) if m == -math.inf else Fraction(3) ** int(m - largest)
        m, l, o = largest, l * factor, [value * factor for value in o]  # noqa: E741
        for score, value in zip(scores, given[f"V{block}"], strict=True):
            power = Fraction(3) ** int(score - m)
            l += power  # noqa: E741
            o = [mixed + power * number for mixed, number in zip(o, value, strict=True)]
        kept |= {f"m{block}": [Fraction(int(m))], f"f{block}": [factor], f"l{block}": [l], f"o{block}": o}
    return {**kept, "Z": [mixed / l for mixed in o]}


@pytest.mark.parametrize("blocks", [2, 3, 4])
@pytest.mark.parametrize("convention", Convention)
def test_every_seed_is_what_a_program_would_keep(convention: Convention, blocks: int) -> None:
    """m, f, l and o after every block, in loops that know the paper and nothing of formulas."""
    form = Variant(mechanism="online", block_count=blocks)
    for level in Level:
        for seed in SEEDS:
            problem = generate_problem(Request(seed=seed, variant=form, level=level, convention=convention))
            solution = solve(problem)
            for name, numbers in stream(problem).items():
                if name != "f1":  # before the first block there is nothing
                    assert [value for row in solution[name].hand for value in row] == numbers, (seed, name)


def test_blocks_may_come_in_any_order() -> None:
    """Z stays, whichever comes first: that is what the question about it says."""
    for seed in SEEDS:
        problem = generate_problem(Request(seed=seed, variant=Variant(mechanism="online")))
        given, outputs = dict(problem.given), set()
        for order in permutations(range(1, problem.variant.blocks + 1)):
            turned = {f"{name}{at}": given[f"{name}{block}"] for at, block in enumerate(order, 1) for name in "KV"}
            outputs.add(solve(replace(problem, given=tuple({**given, **turned}.items())))["Z"].hand)
        assert len(outputs) == 1


def test_several_queries_are_worked_side_by_side() -> None:
    """In a problem of one's own: each is as if it were alone."""
    several = attnhand.solve({**EXAMPLE, "given": {**EXAMPLE["given"], "Q": [[1, 0, 1], [1, 1, -1]]}})
    for at, query in enumerate(([[1], [1]], [[0], [1]], [[1], [-1]])):
        alone = attnhand.solve({**EXAMPLE, "given": {**EXAMPLE["given"], "Q": query}})
        for solved in alone.solution:
            assert [row[at] for row in several.solution[solved.stage.name].hand] == [row[0] for row in solved.hand]


# drawing


def test_a_sheet_on_which_nothing_is_rescaled_is_not_drawn() -> None:
    """Where the second block has no larger score than the first, the first factor is 1, and what is said of it idle."""
    problem = build_problem(EXAMPLE)
    given = dict(problem.given)
    turned = {"K1": given["K2"], "K2": given["K1"]}
    dull = replace(problem, given=tuple({**given, **turned}.items()))
    assert find_missing_insight(problem) is None
    assert find_missing_insight(dull) == "has a larger score in its second block, so that something is rescaled"
    empty = replace(problem, given=tuple({**given, "V1": ((0, 0), (0, 0))}.items()))
    assert find_missing_insight(empty) == "has an output after every block"


@pytest.mark.parametrize(
    ("options", "given", "size"),
    [
        ({"level": "warm-up"}, "K1 Q V1 K2 V2", 2),
        ({}, "K1 Q V1 K2 V2 K3 V3", 2),
        ({"level": "challenge"}, "K1 Q V1 K2 V2 K3 V3", 3),
        ({"blocks": 4, "memory_length": 3}, "K1 Q V1 K2 V2 K3 V3 K4 V4", 3),
        ({"blocks": 2, "rules": "exact"}, "K1 Q V1 K2 V2", 2),
        ({"base": 2, "scale": 3}, "K1 Q V1 K2 V2 K3 V3", 2),
        ({"base": 10, "scale": "none"}, "K1 Q V1 K2 V2 K3 V3", 2),
        ({"begin_with": "S1,S2,S3"}, "V1 V2 V3 S1 S2 S3", 2),
    ],
)
def test_blocks_are_as_many_and_as_large_as_is_asked(options: dict[str, Any], given: str, size: int) -> None:
    """Two blocks of two keys at warm-up, three at standard, three of three as a challenge; options say otherwise."""
    for seed in SEEDS:
        sheet = attnhand.generate(seed=seed, mechanism="online", **options)
        assert [name for name, _ in sheet.problem.given] == given.split()
        assert (sheet.problem.sizes["tokens"], sheet.problem.sizes["memory"]) == (1, size)


def test_keys_too_small_to_show_anything_are_refused() -> None:
    """Twelve keys of one number are never all different enough: the sentence says what to change."""
    with pytest.raises(AttnhandError, match="finds no good sheet") as refusal:
        attnhand.generate(seed=7, mechanism="online", level="first", d_k=1, memory_length=12, blocks=4)
    assert "`memory_length=`" in str(refusal.value)


# files, codes, options


def test_a_file_a_sheet_and_its_json_say_the_same() -> None:
    """Blocks are counted in a file that says nothing of them; what is drawn is read back from a file, and from JSON."""
    sheet = attnhand.solve(EXAMPLE)
    assert sheet.problem.variant.blocks == 2
    for problem in (sheet.problem, attnhand.generate(seed=3, mechanism="online", blocks=4).problem):
        for own in (problem, problem.transpose()):
            assert parse_problem(format_problem(own), source="own.json") == own
    for drawn in (sheet, attnhand.generate(seed=3, mechanism="online")):
        again = attnhand.solve(drawn.to_dict())
        assert (again.problem.given, again.problem.variant) == (drawn.problem.given, drawn.problem.variant)


@pytest.mark.parametrize(
    "options",
    [{}, {"level": "warm-up"}, {"blocks": 2}, {"blocks": 4, "memory_length": 3}, {"begin_with": "S1,S2,S3"}],
)
def test_a_code_gives_the_same_sheet(options: dict[str, Any]) -> None:
    """And is what the terminal prints for the same options."""
    sheet = attnhand.generate(seed=11, mechanism="online", convention="rows", **options)
    assert attnhand.key(sheet.code).to_dict() == sheet.to_dict()
    assert decode_sheet_code(sheet.code).request == sheet.request
    flags = [part for name, value in options.items() for part in (f"--{name.replace('_', '-')}", str(value))]
    shown = run_well("generate", "--seed", "11", "--mechanism", "online", "--convention", "rows", *flags).text
    assert sheet.code in shown


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (
            {"causal": True},
            "is worked without a mask, for of a block that is hidden as a whole no score is the largest",
        ),
        ({"padding": [1]}, "leave out `padding=`"),
        ({"heads": 2}, "online attention has one head"),
        ({"subtract_max": True}, "subtracts the largest score already, block by block: leave out `subtract_max=`"),
        ({"base": "none"}, 'plain shares have none: leave out `base="none"`'),
        ({"positions": "rotary"}, "turned already: leave out"),
        ({"words": "the cat", "embed": True}, "looks up no words: leave out"),
        ({"words": "the cat"}, "online attention has no tokens to name: leave out `words=`"),
        ({"tokens": 3}, "is drawn for one query: leave out `tokens=`, and choose `blocks=`"),
        ({"query_count": 2}, "is drawn for one query: leave out `query_count=`"),
        ({"features": 3}, "online attention has no features"),
        ({"blocks": 5}, "`blocks=5` is out of range: use 2 to 4"),
        ({"begin_with": "A"}, "which online attention does not work"),
    ],
)
def test_what_makes_no_sense_beside_blocks_is_refused(options: dict[str, Any], sentence: str) -> None:
    """With the reason, and what to leave out."""
    with pytest.raises(AttnhandError) as refusal:
        attnhand.generate(seed=7, mechanism="online", **options)
    assert sentence in str(refusal.value)


def test_blocks_belong_to_online_attention() -> None:
    """Elsewhere, and of a kind that cannot be read, they are refused; in the terminal in its own words."""
    with pytest.raises(AttnhandError, match="all keys at once, not in blocks: leave out `blocks=`"):
        attnhand.generate(seed=7, blocks=2)
    with pytest.raises(AttnhandError, match='"blocks" is true: write a whole number'):
        attnhand.solve({**EXAMPLE, "blocks": True})
    with pytest.raises(AttnhandError, match="has keys that come in blocks, with no words of their own"):
        attnhand.solve({**EXAMPLE, "words": ["it"]})
    refused = run_refused("generate", "--seed", "7", "--mechanism", "online", "--blocks", "9")
    assert "--blocks 9 is out of range" in refused


def test_blocks_of_unlike_sizes_are_refused() -> None:
    """All are equally large, as a program loads them."""
    given = {**EXAMPLE["given"], "K2": [[3, 2, 0], [3, 2, 1]], "V2": [[5, 0, 1], [4, 0, 1]]}
    with pytest.raises(AttnhandError, match=r"its columns must be 2 \(keys of a block\), because K1 has 2 columns"):
        attnhand.solve({**EXAMPLE, "given": given})


# slips


def hand_in(sheet: Sheet, **changed: Matrix) -> CheckResult:
    """Mark a sheet of which some stages are other than the key, and the rest follows from them."""
    worked = solve(sheet.problem, replacements=changed)
    return attnhand.check({each.stage.name: [list(map(str, row)) for row in each.hand] for each in worked}, sheet)


SLIPS: Mapping[str, Mapping[str, Matrix]] = {
    "largest-not-updated": {"m2": ((1,),)},
    "factor-turned-round": {"f2": ((9,),)},
    "not-shifted": {"powers2": ((27,), (9,))},
    "factor-forgotten": {"l2": ((Fraction(8, 3),),), "o2": ((11,), (6,))},
    "blocks-before-forgotten": {"l2": ((Fraction(4, 3),),), "o2": ((5,), (4,))},
    "over-last-block": {"Z": ((Fraction(17, 4),), (Fraction(19, 6),))},
}
"""Of the worked example: the old largest kept, 3^(3 − 1), no m, 4/3 + 4/3, this block alone, over 4/3."""


@pytest.mark.parametrize(("slip", "stage"), [(slip, stage) for slip, stages in SLIPS.items() for stage in stages])
def test_slips_are_named(slip: str, stage: str) -> None:
    """Each by its worked example; what follows from it counts."""
    marks = hand_in(attnhand.solve(EXAMPLE), **{stage: SLIPS[slip][stage]})
    assert [diagnosis.slips for diagnosis in marks.diagnoses] == [(slip,)]
    later = {cell.mark.value for cell in marks.marks.cells if cell.stage != stage}
    assert later <= {"follows", "correct"}


def test_the_old_largest_gives_the_same_output() -> None:
    """It is a slip all the same: its powers may be above 1, and in a program too large."""
    sheet = attnhand.solve(EXAMPLE)
    marks = hand_in(sheet, m2=((1,),))
    assert {cell.mark.value for cell in marks.marks.cells if cell.stage == "Z"} == {"correct"}
    assert "wrong" in {cell.mark.value for cell in marks.marks.cells if cell.stage == "m2"}


def test_a_mistake_is_planted_where_it_is_named() -> None:
    """A solved sheet with one forgotten factor, and its key."""
    for seed in SEEDS:
        page = attnhand.PageOptions(mistake="factor-turned-round")
        sheet = attnhand.generate(seed=seed, mechanism="online", level="warm-up", options=page)
        assert sheet.planted_mistake is not None
        assert sheet.planted_mistake.stage_name == "f2"
        assert attnhand.key(sheet.code).to_dict() == sheet.key.to_dict()


# proof


@pytest.mark.parametrize("name", ["m2", "f2", "powers2", "l2", "o2", "Z"])
def test_a_wrong_key_is_never_printed(name: str) -> None:
    """The second route, which takes the ordinary softmax for Z, contradicts it."""
    problem = build_problem(EXAMPLE)
    prove(solve(problem))
    right = solve(problem)[name].hand
    wrong = tuple(tuple(Fraction(value) + Fraction(1, 7) for value in row) for row in right)
    with pytest.raises(KeyProofError, match=name):
        prove(solve(problem, replacements={name: wrong}))


# questions


def test_what_changes_where_blocks_change_places_is_asked() -> None:
    """On every sheet where factors change; the answer is worked anew, and it is never Z."""
    asked = 0
    for seed in range(choose(12, 100)):
        sheet = attnhand.generate(seed=seed, mechanism="online", convention=("columns", "rows")[seed % 2])
        posed = [each for each in sheet.posed_questions if each.question.part is Part.WHAT_IF]
        if not posed:
            continue
        (one,) = posed
        assert one.question.id == "exchange-blocks"
        assert one.finding is not None
        given, at = dict(sheet.problem.given), one.parameters
        first, other = at.token + 1, at.other + 1
        turned = {
            f"{name}{place}": given[f"{name}{source}"]
            for name in "KV"
            for place, source in ((first, other), (other, first))
        }
        before, after = (
            stream(replace(sheet.problem, given=tuple({**given, **changed}.items()))) for changed in ({}, turned)
        )
        assert before["Z"] == after["Z"]
        changes = any(before[name] != after[name] for name in before if name[0] == "f" and name != "f1")
        assert one.finding.answer == ("factors" if changes else "nothing")
        asked += 1
    assert asked >= choose(8, 60)


def test_all_scores_at_once_are_tried() -> None:
    """On every sheet: Σ of the powers as they are, the mixture, and their quotient, which is Z."""
    for seed in SEEDS:
        for convention in Convention:
            sheet = attnhand.generate(seed=seed, mechanism="online", convention=convention.value)
            cells = [each for each in sheet.posed_questions if each.try_id == "at-once"]
            total, mixed, same, end = cells
            assert end.finding is None
            blocks = range(1, sheet.problem.variant.blocks + 1)
            powers = [Fraction(3) ** score for block in blocks for score in read(sheet, f"scaled{block}")]
            number = total.parameters.token
            values = join_blocks(sheet.problem, "V")[number]
            expected = [sum(powers), sum(p * v for p, v in zip(powers, values, strict=True))]
            assert [each.finding.answer for each in (total, mixed, same) if each.finding] == [
                *expected,
                expected[1] / expected[0],
            ]
            assert read(sheet, "Z")[number] == expected[1] / expected[0]
            said = [to_unicode(asked.text) for asked in build_questions(sheet.key) if asked.posed in cells]
            place = f"{number + 1},1" if convention is Convention.COLUMNS else f"1,{number + 1}"
            assert said[1].startswith(f"Number {number + 1} of every value")
            assert said[3].startswith(f"Beside Z[{place}], ")


# the sheet


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("convention", Convention)
def test_a_block_has_a_heading_and_says_how_it_is_worked(language: str, convention: Convention) -> None:
    """In every language: one heading a block, one after the last, a sentence a stage."""
    page = attnhand.PageOptions(language=language)
    sheet = attnhand.generate(seed=7, mechanism="online", convention=convention.value, options=page)
    panels = build_panels(sheet.blank).list_panels()
    headings = [to_unicode(panel.heading) for panel in panels if panel.heading]
    assert [heading.split()[0] for heading in headings] == [*"1234"]
    assert len({*headings}) == 4
    for panel in panels:
        if panel.stage.role is None:
            assert panel.paragraphs, panel.stage.name
            assert "_" not in "".join(to_unicode(each.text) for each in panel.paragraphs), panel.stage.name
            assert sheet.say(f"explain.stage.{panel.stage.topic}")


def test_a_cell_is_explained_by_its_numbers() -> None:
    """The factor, the sum so far and the mixture so far, each as it comes about."""
    sheet = attnhand.solve(EXAMPLE)
    lines = {cell: explain(sheet, cell).by_hand[-1] for cell in ("m2[1,1]", "f2[1,1]", "l2[1,1]", "o2[2,1]", "Z[1,1]")}
    assert lines["m2[1,1]"] == "max(1, max(3, 2)) = 3"
    assert lines["f2[1,1]"] == "3^(1 − 3) = 1/9"
    assert lines["l2[1,1]"] == "(1/9)·(4/3) + (1 + 1/3) = 40/27"
    assert lines["o2[2,1]"] == "(1/9)·2 + (4·1 + 0·(1/3)) = 38/9"
    assert lines["Z[1,1]"] == "(17/3) ÷ (40/27) = 153/40"


@pytest.mark.parametrize("convention", Convention)
def test_keys_are_numbered_on_from_block_to_block(convention: Convention) -> None:
    """Of two blocks of three keys the second has the keys 4 to 6: on the sheet, and in what one writes of it."""
    sheet = attnhand.generate(
        1, mechanism="online", memory_length=3, blocks=2, convention=convention.value, mistake="any"
    )
    first, second = render_terminal(sheet).partition("Block 2 ")[::2]
    for page, numbers in ((first, "₁₂₃"), (second, "₄₅₆")):
        assert {f"k{each}" for each in "₁₂₃₄₅₆" if f"k{each}" in page} == {f"k{each}" for each in numbers}
    place = ("S2", 0, 1) if convention.is_rows else ("S2", 1, 0)
    address = f"S₂[{place[1] + 1},{place[2] + 1}]"
    assert find_cell(sheet, "k5q1") == find_cell(sheet, "q1k5") == place
    title = explain(sheet, "k5q1").title
    assert title.startswith(f"{address}, scores: ") and "k₅" in title
    assert read_cell("S2 k5 q1", sheet) == read_cell("S₂, k₅", sheet) == read_cell(address, sheet) == place
    assert read_cell("S2 k2 q1", sheet) is None
    with pytest.raises(CellError, match="no block of the sheet has a score of k7 and q1"):
        find_cell(sheet, "k7q1")


def test_a_warm_up_has_three_pages_at_most() -> None:
    """A block each, then what is asked; small stages stand beside one another."""
    for convention in Convention:
        for seed in SEEDS:
            sheet = attnhand.generate(seed=seed, mechanism="online", level="warm-up", convention=convention.value)
            assert len(lay_out(sheet.blank).pages) <= 3
