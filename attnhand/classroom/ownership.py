"""Whose a paper is and whether it counts, decided in one place for ``check`` and ``grade``.

A paper is set aside, for the teacher to look at, that answers somebody else's sheet; stages of it do not count that
hold a neighbour's numbers. Without a class nobody knows which sheet was handed out: then what brings its own matrices,
or asks less than the others, is set aside too.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from attnhand.classroom.copies import ClassSheets, find_copied_sheet, find_copied_stages
from attnhand.classroom.matching import PaperMatcher
from attnhand.errors import name_option
from attnhand.marking.checked import CheckResult
from attnhand.marking.marks import WHOLE_SHEET
from attnhand.sheet.option_table import spell_for_terminal
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from attnhand.sheet.seat import Seat
from attnhand.text import Message


@dataclass(frozen=True, slots=True)
class OwnedPaper:
    """A paper with whoever has handed it in."""

    paper: CheckResult
    seat: Seat | None
    """None where there is no index, or nobody can be said for sure."""


def find_owner(paper: CheckResult, matcher: PaperMatcher) -> OwnedPaper:
    """Return who has handed a paper in; one on a sheet that is not theirs has the reason why it does not count."""
    code = paper.sheet.code
    owner = matcher.match_paper(code=code, number=paper.number, name=paper.name, file=paper.file)
    if isinstance(owner, Seat):
        return OwnedPaper(paper, owner)
    signer = matcher.find_signer(code=code, number=paper.number, name=paper.name, file=paper.file)
    if signer and any(each.item == WHOLE_SHEET for each in paper.decisions):  # the teacher has looked at it
        return OwnedPaper(paper, signer)
    return OwnedPaper(replace(paper, uncounted_reason=owner), signer)


def set_doubtful_aside(
    papers: Sequence[CheckResult],
    index: Sequence[Seat] | None,
    order: SheetOrder,
    page: PageOptions,
    *,
    is_sheet_known: bool = False,
) -> list[OwnedPaper]:
    """Return papers with whose they are; those that do not count say why, as do stages that are a neighbour's.

    Args:
        index: who has which sheet; None where there is none.
        is_sheet_known: whether somebody said which sheet was handed out, as an index does.
    """
    matcher, sheets = PaperMatcher(index or ()), ClassSheets(papers, index, order, page)
    cell_counts = Counter(paper.sheet.answer_cell_count for paper in papers if paper.sheet.request)
    usual = max(cell_counts, key=lambda cells: (cell_counts[cells], cells), default=0)
    settled = []
    for paper in papers:
        owned = OwnedPaper(paper, None) if index is None else find_owner(paper, matcher)
        found = owned.paper
        if index is None and not is_sheet_known:
            found = replace(found, uncounted_reason=_explain_unknown_sheet(found, usual))
        if not found.uncounted_reason:
            found = _set_copies_aside(found, sheets)
        settled.append(replace(owned, paper=found))
    return settled


def _explain_unknown_sheet(paper: CheckResult, usual_cell_count: int) -> Message | str:
    """Return why a paper is not scored where nobody says which sheet was handed out; empty where it is."""
    option, cells = spell_for_terminal(name_option("against")), paper.sheet.answer_cell_count
    if paper.sheet.request is None:
        return Message("match.own_matrices", option=option)
    return Message("match.asks_less", cells=cells, option=option) if cells < usual_cell_count else ""


def _set_copies_aside(paper: CheckResult, sheets: ClassSheets) -> CheckResult:
    owner = find_copied_sheet(paper, sheets)
    if owner is not None:
        return replace(paper, uncounted_reason=Message("match.copied", owner=owner))
    copied = find_copied_stages(paper, sheets)
    if not copied:
        return paper
    marks = replace(paper.marks, points={**paper.marks.points, **dict.fromkeys(copied, 0)})
    return replace(paper, marks=marks, copied_stages=copied)
