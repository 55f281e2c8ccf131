"""Sheets that are cut of one problem: the same matrices, each a good sheet, and a code that names all of it."""

from dataclasses import replace
from typing import Any

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.attention.solution import compute_stages
from attnhand.errors import AttnhandError, CodeError, GenerationError
from attnhand.problems import sheet_code
from attnhand.problems.base32 import ALPHABET, encode_bits
from attnhand.problems.carrying import read_carried, write_form
from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level, choose_requirements
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import decode_sheet_code, encode_request
from attnhand.problems.vetting import find_failure, iterate_worked_stages, split_predicates

LECTURE = ("basic", "self", "self-causal", "multi-head-2", "block-2")
PLANS = (LECTURE, ("basic-causal", "self", "block-1"), ("self", "self-causal", "multi-head-3-causal"))


def make_requests(names: tuple[str, ...], seed: int = 7, level: Level = Level.STANDARD) -> list[Request]:
    """Return the requests of all sheets of a plan."""
    forms = read_carried(names)
    return [Request(seed=seed, level=level, variant=form, carried=forms) for form in forms]


@pytest.mark.parametrize("level", Level)
@pytest.mark.parametrize("names", PLANS, ids="+".join)
def test_carried_sheets_have_the_same_matrices_and_each_is_good(names: tuple[str, ...], level: Level) -> None:
    """X is that of all; head 1 of several is the one head of the others; and every predicate holds on every sheet."""
    for seed in range(1 if level is Level.CHALLENGE else 3):
        requests = make_requests(names, seed, level)
        given = [dict(generate_problem(request).given) for request in requests]
        largest = {**given[-2], **given[-1]}
        for request, matrices in zip(requests, given, strict=True):
            for name, matrix in matrices.items():
                assert matrix == largest.get(name, largest.get(f"h1.{name}"))
            problem = generate_problem(request)
            requirements = choose_requirements(
                level, problem.variant, problem.sizes, problem.hand_arithmetic, allow_ties=False
            )
            mechanism = problem.mechanism
            worked = iterate_worked_stages(mechanism, mechanism.stages, dict(problem.given), requirements)
            assert find_failure(worked, split_predicates(mechanism)) is None
            assert compute_stages(problem, problem.hand_arithmetic).keys() == {s.name for s in mechanism.stages}


def test_their_codes_make_them_again() -> None:
    """With sizes, rows, ties, a base and a salt too; and a sheet that is drawn alone has the code that it ever had."""
    changes: tuple[dict[str, Any], ...] = (
        {},
        {"size_overrides": (("d_k", 4), ("tokens", 5))},
        {"convention": Convention.ROWS, "allow_ties": True},
        {"rules": replace(Request(seed=7).rules, decimals=3)},
    )
    seen = set()
    for names in PLANS:
        for request in make_requests(names):
            for change in changes:
                changed = replace(request, **change)
                code = encode_request(changed, "salt")
                assert decode_sheet_code(code).request == changed
                assert len(code.replace("-", "")) <= 32
                seen.add(code)
            alone = replace(request, carried=())
            assert encode_request(alone) not in seen
            assert decode_sheet_code(encode_request(alone)).request == alone
    assert len(seen) == 11 * len(changes)


def test_a_code_that_says_more_heads_than_there_are_is_none() -> None:
    """Or one sheet would have two codes."""
    values = sheet_code._read_values(_bits(encode_request(make_requests(("basic", "self"))[0])))
    wrong = encode_bits("A", sheet_code._write_values(values | {"carried_heads": 3}))
    with pytest.raises(CodeError):
        decode_sheet_code(wrong)


def _bits(code: str) -> str:
    return "".join(f"{ALPHABET.index(c):05b}" for c in code.replace("-", "")[3:])


def test_all_have_the_sizes_of_the_largest() -> None:
    """So a basic sheet has the features of the block that it is cut of, and can be told its d_k."""
    basic, *_, block = make_requests(LECTURE)
    assert Request(seed=7, variant=basic.variant).all_sizes["features"] == 4
    assert basic.all_sizes == {"tokens": 4, "features": 6}
    assert block.all_sizes == {**basic.all_sizes, "d_k": 3, "d_v": 3, "hidden": 3}


def test_everybody_comes_by_them_through_the_option() -> None:
    """In whatever order the names are, and once each; what is cut is the sheet that the other options ask for."""
    sheet = attnhand.generate(seed=7, mechanism="basic", carry="self, Basic,self")
    assert sheet.problem.given == attnhand.generate(seed=7, mechanism="basic", carry=["basic", "self"]).problem.given
    assert [*map(write_form, read_carried(["block-1-causal"]))] == ["block-1-causal"]
    assert attnhand.key(sheet.code).problem.given == sheet.problem.given


@pytest.mark.parametrize(
    ("options", "fault"),
    [
        ({"carry": "basic,block-2"}, "names basic and block-2 and this sheet is self: add it"),
        ({"carry": "self,bloc-2"}, "names 'bloc-2', which cannot be cut"),
        ({"carry": "self,multi-head-1"}, "names 'multi-head-1', which cannot be cut"),
        ({"carry": "self,multi-head-2,block-1"}, "names sheets of 1 and 2 heads"),
        ({"carry": "self", "sink": 1}, "leave out what else changes the form"),
        ({"carry": "self", "words": "the cat", "embed": True}, "leave out what else changes the form"),
        ({"carry": "self", "query_count": 1}, "contradict each other"),
        ({"carry": "self,basic", "scale": "sqrt"}, "leave out basic, or"),
        ({"carry": ""}, "names '', which cannot be cut"),
    ],
)
def test_what_cannot_be_carried_is_refused(options: dict[str, object], fault: str) -> None:
    """By one sentence that names the option."""
    with pytest.raises(AttnhandError, match=r"carry=") as refused:
        attnhand.generate(seed=7, **options)  # type: ignore[arg-type]
    assert fault in str(refused.value)


def test_a_seed_that_makes_no_such_problem_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """With the sheets that were to be cut of it."""
    monkeypatch.setattr("attnhand.problems.generator.MAX_CARRIED_DRAWS", 8)
    with pytest.raises(GenerationError, match=r"in 8 draws of which all sheets are good \(basic, self"):
        generate_problem(make_requests(LECTURE, seed=11)[1])
