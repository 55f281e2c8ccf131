"""What came back from a class, said: the same texts and figures for the terminal and for the page."""

import statistics
from collections.abc import Callable
from dataclasses import dataclass

from attnhand.cell_address import printed_name
from attnhand.classroom.gradebook import Gradebook, Paper
from attnhand.classroom.gradebook_csv import remark, written
from attnhand.classroom.heat import Heat, heats
from attnhand.classroom.lesson import CommonSlip, Known, Lesson, lesson
from attnhand.sheet.language import LANGUAGES
from attnhand.sheet.sheet import Sheet

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
