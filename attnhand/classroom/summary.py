"""What came back from a class, said: the same texts and figures for the terminal and for the page."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from attnhand.classroom.gradebook import Gradebook, Paper, Row, remark, written
from attnhand.marking.evidence import SINGLE_CELL
from attnhand.sheet.addresses import printed_name
from attnhand.sheet.build_grids import labels
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet
from attnhand.text import LANGUAGES
from attnhand.text.widths import as_plain


@dataclass(frozen=True, slots=True)
class Known:
    """What counts of one stage, in the whole class."""

    marks: Decimal
    of: int
    empty: int
    """Cells without an answer."""

    @property
    def share(self) -> float:
        """The part of the cells that count."""
        return float(self.marks) / self.of


@dataclass(frozen=True, slots=True)
class CommonSlip:
    """A slip, and how many made it."""

    stage: str
    slip: str
    count: int
    example: Row
    """The first whose paper shows it."""

    @property
    def is_teachable(self) -> bool:
        """Say whether it is a way of working, and not a mistake in one cell."""
        return self.slip != SINGLE_CELL


@dataclass(frozen=True, slots=True, kw_only=True)
class Lesson:
    """What a class knows, and what to teach it again."""

    by_stage: Mapping[str, Known]
    slips: tuple[CommonSlip, ...]
    """The commonest first; only those that are named."""

    wrong: Mapping[str, int]
    """By the cells that were asked: on how many papers it is wrong."""

    scores: tuple[float, ...]
    """The part of the cells that count, of everyone who has a score, the lowest first."""


def lesson(book: Gradebook) -> Lesson:
    """Say what a class knows and what its commonest slips are."""
    empty: Counter[str] = Counter()
    slips: Counter[tuple[str, str]] = Counter()
    examples: dict[tuple[str, str], Row] = {}
    wrong: Counter[str] = Counter()
    for row in book.rows:
        checked = row.paper.checked if row.paper else None
        if checked is None:
            continue
        for cell in checked.marks.cells:
            empty[cell.stage] += cell.mark is Mark.BLANK
            wrong[cell.address] += cell.mark is Mark.WRONG
        for each in checked.diagnoses:
            if each.is_named:
                slips[each.stage, each.slips[0]] += 1
                examples.setdefault((each.stage, each.slips[0]), row)
    return Lesson(
        by_stage=_by_stage(book, empty),
        slips=tuple(CommonSlip(*each, count, examples[each]) for each, count in slips.most_common()),
        wrong=dict(wrong),
        scores=tuple(sorted(float(row.score) / row.of for row in book.marked)),
    )


def _by_stage(book: Gradebook, empty: Mapping[str, int]) -> dict[str, Known]:
    marks: dict[str, Decimal] = {}
    of: Counter[str] = Counter()
    for row in book.marked:
        for stage, (told, cells) in row.by_stage.items():
            marks[stage] = marks.get(stage, Decimal(0)) + told
            of[stage] += cells
    return {stage: Known(marks[stage], of[stage], empty.get(stage, 0)) for stage in book.stages}


SHADES = 6
"""From 0, where nobody is wrong, to the cell that is wrong most often."""

FEW = 0.2
"""The part of the papers below which even that cell has no full shade."""

_ADDRESS = re.compile(r"(.+)\[(\d+),(\d+)\]")


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One cell of a stage, in the whole class."""

    address: str
    count: int
    shade: int


@dataclass(frozen=True, slots=True)
class Heat:
    """A stage in which somebody went wrong."""

    name: str
    rows: tuple[str, ...]
    """Labels, as on the sheet."""

    columns: tuple[str, ...]
    cells: tuple[tuple[HeatCell | None, ...], ...]
    """None where the sheet asks nothing."""


def heats(wrong: Mapping[str, int], papers: int, sheet: Sheet | None) -> tuple[Heat, ...]:
    """Draw every stage that has a wrong cell, in the order of the sheet.

    Args:
        wrong: by address, of every cell that is asked, on how many papers it is wrong.
        sheet: one of the class's, whose labels are taken where they fit.
    """
    places = {address: match.groups() for address in wrong if (match := _ADDRESS.fullmatch(address))}
    stages = dict.fromkeys(stage for stage, _, _ in places.values())
    most = max([*wrong.values(), FEW * papers])
    drawn = []
    for stage in stages:
        cells = {(int(row), int(column)): address for address, (name, row, column) in places.items() if name == stage}
        if not any(wrong[address] for address in cells.values()):
            continue
        rows, columns = (sorted({place[side] for place in cells}) for side in (0, 1))
        lines = [[_cell(cells.get((row, column)), wrong, most) for column in columns] for row in rows]
        names = _labels(sheet, stage, max(rows), max(columns))
        drawn.append(
            Heat(
                names[0],
                tuple(names[1][row - 1] for row in rows),
                tuple(names[2][column - 1] for column in columns),
                tuple(map(tuple, lines)),
            )
        )
    return tuple(drawn)


def _cell(address: str | None, wrong: Mapping[str, int], most: float) -> HeatCell | None:
    if address is None:
        return None
    count = wrong[address]
    return HeatCell(address, count, math.ceil((SHADES - 1) * count / most))


def _labels(sheet: Sheet | None, name: str, rows: int, columns: int) -> tuple[str, list[str], list[str]]:
    """Return how a stage and its lines are called; by numbers where papers of several shapes came back."""
    stages = {stage.name: stage for stage in sheet.problem.mechanism.stages} if sheet else {}
    if sheet and name in stages:
        axes = (stages[name].rows, stages[name].columns)
        down, across = ([as_plain(label.letter) for label in labels(sheet, axis)] for axis in axes)
        if len(down) >= rows and len(across) >= columns:
            return printed_name(sheet, name), down, across
    return name, [str(i + 1) for i in range(rows)], [str(i + 1) for i in range(columns)]


MOST_SLIPS = 10

TAUGHT = 2
"""Slips that are said first: more is not taught again in a lesson."""

BINS = 10
"""Of the scores; whoever has everything is counted apart."""

Say = Callable[..., str]


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a chart."""

    label: str
    share: float
    """Its length, from 0 to 1."""

    text: str
    count: int = 0
    low: int = 0
    """Of the scores: where the range begins, in percent."""


@dataclass(frozen=True, slots=True)
class SlipLine:
    """One of the commonest slips."""

    stage: str
    told: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What was not counted: whom or which file it is about, and why."""

    title: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """All that is said of a class's answers."""

    say: Say
    """Of a heading's key: the heading."""

    marked: str
    teach: tuple[str, ...]
    """What to teach again: two or three sentences."""

    stages: tuple[Bar, ...]
    slips: tuple[SlipLine, ...]
    heats: tuple[Heat, ...]
    scores: tuple[Bar, ...]
    scores_told: str
    """The scores, said to who does not see them drawn."""

    lists: tuple[Listing, ...]


def summary(book: Gradebook, sheet: Sheet | None) -> Summary:
    """Say what came back.

    Args:
        sheet: one of the class's, by which stages and cells are called; None where there is none.
    """
    writer = _Writer(book, lesson(book), sheet)
    scores = writer.scores()
    told = ", ".join(f"{bar.label}: {bar.count}" for bar in scores if bar.count)
    return Summary(
        say=writer.say,
        marked=writer.marked(),
        teach=tuple(writer.teach()),
        stages=tuple(writer.stage(name, known) for name, known in writer.told.by_stage.items()),
        slips=tuple(writer.slip(each) for each in writer.told.slips[:MOST_SLIPS]),
        heats=heats(writer.told.wrong, len(book.papers), sheet),
        scores=scores,
        scores_told=writer.say("grade.scores.desc", told=told),
        lists=tuple(listing for listing in writer.lists() if listing.lines),
    )


class _Writer:
    def __init__(self, book: Gradebook, told: Lesson, sheet: Sheet | None) -> None:
        self.book, self.told, self.sheet = book, told, sheet
        self.count = len(book.marked)

    def say(self, key: str, **names: object) -> str:
        """Say a sentence about the class; a sheet knows it by its mechanism."""
        if self.sheet is not None:
            return self.sheet.say(key, **names)
        sentence = LANGUAGES["en"][key]
        return sentence.format(**names) if names else sentence

    def name(self, stage: str) -> str:
        """Return how the sheet calls a stage."""
        known = [each.name for each in self.sheet.problem.mechanism.stages] if self.sheet else []
        return printed_name(self.sheet, stage) if self.sheet and stage in known else stage

    def percent(self, share: float) -> str:
        """Write a share in percent; only what is whole is 100 %, only what is nothing 0."""
        whole = round(share * 100)
        return self.say("grade.percent", percent=whole if share in (0, 1) else min(99, max(1, whole)))

    def marked(self) -> str:
        """Say how many were marked, and how well they did."""
        rows = self.book.rows
        if any(row.entry for row in rows):
            parts = [self.say("grade.marked", marked=self.count, all=len(rows))]
        else:
            key = "grade.marked.papers.one" if self.count == 1 else "grade.marked.papers"
            parts = [self.say(key, marked=self.count)]
        if on_paper := sum(row.paper is None for row in self.book.marked):
            parts.append(self.say("grade.on_paper", count=on_paper))
        if scores := self.told.scores:
            mean, median = (self.percent(middle(scores)) for middle in (statistics.fmean, statistics.median))
            parts.append(self.say("grade.mean.one" if len(scores) == 1 else "grade.mean", mean=mean, median=median))
        return "; ".join(parts) + "."

    def teach(self) -> list[str]:
        """Say what to teach again: the commonest slips, and the stage of which least is known."""
        known = {name: each for name, each in self.told.by_stage.items() if each.share < 1}
        if not self.count:
            return [self.say("grade.none")]
        if not known:
            return [self.say("grade.all")]
        slips = [each for each in self.told.slips if each.is_teachable][:TAUGHT]
        slips = [each for each in slips if each is slips[0] or each.count > 1]
        said = [self._slip(each) for each in slips]
        worst = max(self.told.wrong.items(), key=lambda each: each[1], default=("", 0))
        if not slips and worst[1]:
            said.append(self.say("grade.cell", cell=worst[0], count=worst[1], marked=len(self.book.papers)))
        name = min(known, key=lambda name: known[name].share)
        is_empty = known[name].empty * 2 > known[name].of - known[name].marks
        key = "grade.stage.empty" if is_empty else "grade.stage"
        return [*said, self.say(key, stage=self.name(name), share=self.percent(known[name].share))]

    def _slip(self, each: CommonSlip) -> str:
        key = "grade.slip.one" if each.count == 1 else "grade.slip"
        line = self.slip(each)
        return self.say(
            key, stage=line.stage, count=each.count, marked=len(self.book.papers), told=line.told, example=line.example
        )

    def stage(self, name: str, known: Known) -> Bar:
        """Say how much of a stage counts."""
        text = f"{self.percent(known.share)}, {self.say('grade.cells', marks=written(known.marks), of=known.of)}"
        text += f", {self.say('grade.empty', count=known.empty)}" if known.empty else ""
        return Bar(self.name(name), known.share, text)

    def slip(self, each: CommonSlip) -> SlipLine:
        """Say what somebody did."""
        row = each.example
        assert row.paper is not None
        assert row.paper.checked is not None
        told = row.paper.checked.sheet.say(f"slip.{each.slip}" if each.is_teachable else "grade.slip.single_cell")
        return SlipLine(
            self.name(each.stage), told, each.count, f"№ {row.entry.number:03d}" if row.entry else row.paper.file
        )

    def scores(self) -> tuple[Bar, ...]:
        """Say how many students have how much."""
        counts = [0] * (BINS + 1)
        for share in self.told.scores:
            counts[int(share * BINS)] += 1
        width = 100 // BINS
        ranges = [self.say("grade.scores.range", low=at * width, high=at * width + width - 1) for at in range(BINS)]
        labels = [*ranges, self.say("grade.scores.whole")]
        most = max(counts) or 1
        return tuple(
            Bar(label, n / most, str(n), n, at * width)
            for at, (label, n) in enumerate(zip(labels, counts, strict=True))
        )

    def lists(self) -> list[Listing]:
        """List everything that has no marks, with the reason."""
        rows = self.book.rows
        return [
            Listing(self.say("grade.unreadable"), _reasons(self.book.unreadable)),
            Listing(self.say("grade.strangers"), _reasons(self.book.strangers)),
            Listing(self.say("grade.twice"), tuple((str(row.entry), remark(row)) for row in rows if row.others)),
            Listing(
                self.say("grade.nothing"),
                tuple((str(row.entry), "") for row in rows if row.entry and not row.of and not row.others),
            ),
        ]


def _reasons(papers: tuple[Paper, ...]) -> tuple[tuple[str, str], ...]:
    return tuple((paper.file, paper.problem) for paper in papers)
