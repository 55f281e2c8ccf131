"""The teacher's booklet: how to mark a pile by eye, quick keys by number, then the full keys."""

import json
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from attnhand.classroom.hand_out import Made, label, paper_of
from attnhand.classroom.leaves import Words, numbers, pages, said, title
from attnhand.classroom.making import KEY, QUICK
from attnhand.classroom.plan import version_name
from attnhand.mechanisms import Stage
from attnhand.operations import Product, Role, Sum
from attnhand.render.pdf_file import PdfFile
from attnhand.render.stamp_words import stamped_layout
from attnhand.sheet import sentences
from attnhand.sheet.drawing import matrix_name
from attnhand.sheet.page import Paragraph
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.text import as_plain, bold, plain, printable
from attnhand.sheet.typography import Set

BETWEEN_KEYS = 5.5
"""Between two quick keys, in millimetres: about twelve stand on a page, with room for a remark."""


def write_keys(made: Made, out: BinaryIO) -> None:
    """Write the booklet as a PDF: cover, quick keys, full keys."""
    sample = made.sample
    name = sample.say("class.keys.title", title=sentences.title(sample))
    file = PdfFile(out, title=name, language=sample.options.language)
    paper = paper_of(made.pages(made.plan.keyed[0], KEY)).upright
    for page in pages(paper, _cover(made, name)):
        file.add(stamped_layout(page, name))
    bookmark = sample.say("class.keys.quick")
    for page in pages(paper, _quick_keys(made), between=BETWEEN_KEYS):
        file.add(stamped_layout(page, name), bookmark)
        bookmark = ""  # to the first of them
    for key, whose in _keyed(made):
        file.add(made.pages(key, KEY), whose)
    file.close()


def _keyed(made: Made) -> Iterator[tuple[str, str]]:
    """Yield every sheet that has a key, with whose it is: a student's, or a version's with its code."""
    holders = {str(seat.number): seat for seat in made.plan.seats}
    for name in made.plan.keyed:
        yield name, label(made.sample, holders[name]) if name in holders else f"{name} · {made.facts[name].code}"


def _quick_keys(made: Made) -> Iterator[Words]:
    """Yield the quick key of every sheet, under a heading."""
    yield [said(made.sample.say("class.keys.quick"), Set.TITLE, level=1)]
    for name, whose in _keyed(made):
        quick, *tales = json.loads(made.read(name, QUICK))
        before, _, last = quick.rpartition(" │ ")
        entry = [
            Paragraph((*bold(printable(whose)), *plain(f" │ {before}")), Set.BODY),
            Paragraph(plain(f"│ {last}"), Set.BODY),
        ]
        yield [*entry, Paragraph(plain(" · ".join(tales)), Set.SMALL)] if tales else entry


def _cover(made: Made, name: str) -> list[Words]:
    sample, plan = made.sample, made.plan
    say = sample.say
    blocks: list[Words] = [
        [title(name)],
        [said(say("class.keys.counted", sheets=len(plan.seats), numbers=numbers(plan.seats)))],
        [said(say("class.keys.how"), Set.TITLE, level=2), *map(said, how_to_use(sample))],
    ]
    if plan.terms.salt:
        blocks.append([said(say("class.keys.salt"))])
    if plan.versions:
        blocks.append([said(say("class.keys.who"), Set.TITLE, level=2)])
        for version in sorted({seat.version for seat in plan.seats if seat.version}):
            holders = [seat for seat in plan.seats if seat.version == version]
            code = made.facts[version_name(version)].code
            told = ", ".join(label(sample, seat) for seat in holders)
            words = (*bold(f"{say('class.keys.version', version=version)} · {code}: "), *plain(printable(told)))
            blocks.append([Paragraph(words, Set.BODY)])
    return blocks


def how_to_use(sheet: Sheet) -> list[str]:
    """Say how a pile is marked by quick keys: what to look at first, and what next."""
    stages = sheet.problem.mechanism.stages
    scores = [s for s in stages if isinstance(s.operation, Product) and s.operation.role is Role.SCORES]
    compared = {name for stage in scores for name in stage.reads}
    made = [s for s in stages if s.name in compared and isinstance(s.operation, Product)]
    first, last = _names(sheet, scores), _names(sheet, stages[-1:])
    sums = _names(sheet, [s for s in stages if isinstance(s.operation, Sum)])
    told = [sheet.say("class.keys.right", last=last, first=first)]
    if made:
        key = f"class.keys.totals{'.rows' if sheet.is_rows else ''}"
        totals = sheet.say(key, names=_names(sheet, sorted(made, key=lambda stage: stage.name, reverse=True)))
        told.append(sheet.say("class.keys.otherwise", sums=sums, first=first, totals=totals))
    else:
        told.append(sheet.say("class.keys.otherwise.short", sums=sums, first=first))
    cell = f"{sums}[1,1]"
    return [*told, sheet.say("class.keys.tales", cell=cell), sheet.say("class.keys.follow")]


def _names(sheet: Sheet, stages: Sequence[Stage]) -> str:
    names = dict.fromkeys(as_plain(matrix_name(sheet, stage.name)) for stage in stages)
    return sheet.say("class.keys.and").join(names)
