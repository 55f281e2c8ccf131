"""Sheets that are made of an ordinary one: its queries and keys given, one of its queries, something added to it.

What makes numbers good is asked of the ordinary sheet already, which is drawn first. So every such sheet of a seed
goes with the ordinary sheet of that seed wherever it can; where what is left of it is no good sheet, the next is drawn.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from attnhand.attention.matrix import Matrix, flatten, shape
from attnhand.attention.numbers import to_float
from attnhand.attention.problem import Problem
from attnhand.attention.solution import compute_stages
from attnhand.problems.insights import find_missing_insight
from attnhand.problems.levels import choose_requirements
from attnhand.problems.request import Request
from attnhand.problems.vetting import find_failure, iterate_worked_stages, split_predicates

SUM_FAULT = "has a sum for every query that is not 0 and has one sign by hand and exactly"


def list_derived(request: Request, whole: Problem) -> Iterator[Problem]:
    """Yield the sheets that an ordinary one makes, one for each choice of so many of its queries.

    Args:
        whole: tokens as columns.
    """
    matrices = {**dict(whole.given), **compute_stages(whole, whole.hand_arithmetic)}
    if request.variant.cache is not None:
        yield _take_last_step(request, whole, matrices, request.variant.cache)
        return
    if request.variant.begins_with and not request.mechanism.is_scaled:  # what is not divided here is divided already
        scaled = {each.scores: each.scaled for each in whole.mechanism.attentions if each.scaled}
        matrices |= {scores: matrices[name] for scores, name in scaled.items()}
    count = whole.sizes["tokens"]
    for queries in combinations(range(count), request.query_count or count):
        yield replace(
            whole,
            variant=request.variant,
            rules=request.rules,
            given=tuple(
                (given.name, _take_queries(matrices[given.name], given.columns.size_name, queries, count))
                for given in request.variant.build_mechanism().given
            ),
            words=whole.words if request.variant.has_memory or not request.query_count else (),
        )


def _take_last_step(request: Request, whole: Problem, matrices: Mapping[str, Matrix], kept: int) -> Problem:
    """Return the last query of an ordinary sheet with a cache: what it works of all tokens but the last is kept."""
    made = dict(matrices)
    for name, a in matrices.items():
        before, dot, family = name.rpartition(".")
        if family in ("K", "K_turned", "V"):  # turned keys come behind those that they are turned from
            made[f"{before}{dot}{family[0]}_cache"] = tuple(row[:kept] for row in a)
    given = []
    for each in request.variant.build_mechanism().given:
        a = made[each.name]
        is_new = each.columns.size_name == "tokens" and shape(a)[1] == kept + 1
        given.append((each.name, tuple(row[kept:] for row in a) if is_new else a))
    return replace(whole, variant=request.variant, rules=request.rules, given=tuple(given))


def _take_queries(a: Matrix, size_name: str, queries: Sequence[int], count: int) -> Matrix:
    """Return the columns of these queries; of a matrix that has others all of it."""
    if size_name != "tokens" or shape(a)[1] != count:
        return a
    return tuple(tuple(row[query] for query in queries) for row in a)


def find_fault(request: Request, problem: Problem) -> str | None:
    """Return what makes a derived problem no good sheet, as it completes "no draw …"; None where it is good.

    What needs all tokens is not asked of a few queries: of the ordinary sheet it was. Of one query of it, with a cache,
    nothing is asked again: so it goes with the sheet of its seed.
    """
    requirements = choose_requirements(
        request.level, problem.variant, problem.sizes, problem.hand_arithmetic, allow_ties=request.allow_ties
    )._replace(has_few_askers=bool(request.taken_queries))
    mechanism = problem.mechanism
    worked = iterate_worked_stages(mechanism, mechanism.stages, dict(problem.given), requirements)
    try:
        failure = None if request.variant.has_cache else find_failure(worked, split_predicates(mechanism))
        return failure or _find_sum_fault(problem) or find_missing_insight(problem)
    except ArithmeticError:
        return SUM_FAULT


def _find_sum_fault(problem: Problem) -> str | None:
    """Return what is wrong with plain shares: sums of 0 make none, and of another sign exactly others altogether."""
    if not problem.variant.has_plain_shares:
        return None
    for attention in problem.mechanism.attentions:
        by_hand, exactly = (
            map(to_float, flatten(compute_stages(problem, arithmetic, last_stage=attention.sums)[attention.sums]))
            for arithmetic in (problem.hand_arithmetic, problem.exact_arithmetic)
        )
        if any(hand * exact <= 1e-9 for hand, exact in zip(by_hand, exactly, strict=True)):
            return SUM_FAULT
    return None
