"""The summary of a class: the same texts and figures for the terminal and the web page."""

import math
import re
import statistics
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import TypeGuard

from attnhand.classroom.gradebook import Gradebook, GradebookRow, compose_remark, describe_named_slip, format_marks
from attnhand.marking.marks import SINGLE_CELL
from attnhand.marking.naming import name_address, name_stages
from attnhand.sheet.build_grids import build_labels
from attnhand.sheet.grids import Mark
from attnhand.sheet.sheet import Sheet
from attnhand.text import Language
from attnhand.text.widths import to_unicode


@dataclass(frozen=True, slots=True)
class StageResult:
    """What counts of one stage, in the whole class."""

    marks: Decimal
    max_marks: int
    empty_cells: int
    """Cells without an answer."""

    @property
    def share(self) -> float:
        return float(self.marks) / self.max_marks


@dataclass(frozen=True, slots=True)
class CommonSlip:
    """A slip, and how many students made it."""

    stage: str
    slip: str
    count: int
    example: GradebookRow
    """The first whose paper shows it."""

    @property
    def is_teachable(self) -> bool:
        """Say whether it is a way of working, and not a mistake in one cell."""
        return self.slip != SINGLE_CELL


@dataclass(frozen=True, slots=True, kw_only=True)
class ClassResults:
    """What a class knows, and which slips are common."""

    stage_results: Mapping[str, StageResult]
    slips: tuple[CommonSlip, ...]
    """The commonest first; only those that are named."""

    wrong_counts: Mapping[str, int]
    """By the cells that were asked: on how many papers it is wrong."""

    score_shares: tuple[float, ...]
    """The part of the cells that count, of everyone who has a score, the lowest first."""


def collect_results(book: Gradebook) -> ClassResults:
    """Count what a class knows and its commonest slips."""
    empty: Counter[str] = Counter()
    of: Counter[str] = Counter()
    wrong: Counter[str] = Counter()
    marks = dict.fromkeys(book.stages, Decimal(0))
    rows_by_slip: dict[tuple[str, str], list[GradebookRow]] = {}
    for row in book.rows:
        for stage, (credited, cells) in row.marks_by_stage.items():
            marks[stage] += credited
            of[stage] += cells
        if row.paper is None:
            continue
        for cell in row.paper.marks.cells:
            empty[cell.stage] += cell.mark is Mark.BLANK
            wrong[cell.address] += cell.mark is Mark.WRONG
        for each in row.paper.diagnoses:
            if each.is_certain:
                rows_by_slip.setdefault((each.stage, each.slips[0]), []).append(row)
    commonest = sorted(rows_by_slip.items(), key=lambda item: -len(item[1]))
    return ClassResults(
        stage_results={stage: StageResult(marks[stage], of[stage], empty[stage]) for stage in marks},
        slips=tuple(CommonSlip(*slip, len(rows), rows[0]) for slip, rows in commonest),
        wrong_counts=dict(wrong),
        score_shares=tuple(sorted(float(row.score) / row.max_score for row in book.marked_rows)),
    )


SHADE_COUNT = 6
"""From 0, where nobody is wrong, to the cell that is wrong most often."""

FULL_SHADE_MIN_SHARE = 0.2
"""The part of the papers below which even that cell has no full shade."""

_ADDRESS = re.compile(r"(.+)\[(\d+),(\d+)\]")


@dataclass(frozen=True, slots=True)
class HeatCell:
    """One cell of a stage, in the whole class."""

    address: str
    count: int
    shade: int


@dataclass(frozen=True, slots=True)
class HeatMap:
    """A stage with wrong cells, each shaded by how many papers have it wrong."""

    name: str
    rows: tuple[str, ...]
    """Labels, as on the sheet."""

    columns: tuple[str, ...]
    cells: tuple[tuple[HeatCell | None, ...], ...]
    """None where the sheet asks nothing."""


def build_heat_maps(wrong_counts: Mapping[str, int], paper_count: int, sheet: Sheet | None) -> tuple[HeatMap, ...]:
    """Draw every stage that has a wrong cell, in the order of the sheet, whose labels are taken where they fit."""
    counts_by_stage: dict[str, dict[tuple[int, int], int]] = {}
    for address, count in wrong_counts.items():
        if match := _ADDRESS.fullmatch(address):
            counts_by_stage.setdefault(match[1], {})[int(match[2]), int(match[3])] = count
    most = max([*wrong_counts.values(), FULL_SHADE_MIN_SHARE * paper_count])
    drawn = []
    for stage, counts in counts_by_stage.items():
        if not any(counts.values()):
            continue
        rows, columns = (sorted({place[side] for place in counts}) for side in (0, 1))
        name, (down, across) = _name_stage(sheet, stage), _name_vectors(sheet, stage, max(rows), max(columns))
        shades = {place: math.ceil((SHADE_COUNT - 1) * count / most) for place, count in counts.items()}
        cells = {
            (i, j): HeatCell(_name_cell(sheet, stage, i, j), count, shades[i, j]) for (i, j), count in counts.items()
        }
        lines = tuple(tuple(cells.get((i, j)) for j in columns) for i in rows)
        drawn.append(HeatMap(name, tuple(down[i - 1] for i in rows), tuple(across[j - 1] for j in columns), lines))
    return tuple(drawn)


def _knows_stage(sheet: Sheet | None, stage_name: str) -> TypeGuard[Sheet]:
    return sheet is not None and any(stage.name == stage_name for stage in sheet.problem.mechanism.stages)


def _name_stage(sheet: Sheet | None, stage_name: str) -> str:
    """Return how the sheet calls a stage: "A of head 1"; its id where there is no sheet."""
    return name_stages(sheet, [stage_name]) if _knows_stage(sheet, stage_name) else stage_name


def _name_cell(sheet: Sheet | None, stage_name: str, row: int, column: int) -> str:
    """Return the address of a cell (1-based) by the printed name of its stage: "Σ[1,3] of head 1"."""
    if _knows_stage(sheet, stage_name):
        return name_address(sheet, stage_name, row - 1, column - 1)
    return f"{stage_name}[{row},{column}]"


def _name_vectors(
    sheet: Sheet | None, stage_name: str, row_count: int, column_count: int
) -> tuple[list[str], list[str]]:
    """Return how rows and columns of a stage are called; by numbers where papers of several shapes came back."""
    if _knows_stage(sheet, stage_name):
        stage = sheet.problem.mechanism.get_stage(stage_name)
        axes = (stage.rows, stage.columns)
        down, across = ([to_unicode(label.letter) for label in build_labels(sheet, axis)] for axis in axes)
        if len(down) >= row_count and len(across) >= column_count:
            return down, across
    return [str(i + 1) for i in range(row_count)], [str(i + 1) for i in range(column_count)]


MAX_SLIPS = 10

MAX_SLIPS_TO_TEACH = 2
"""Slips named first: a lesson has no room for more."""

SCORE_BINS = 10
"""Bars of the scores; full scores have one more."""


@dataclass(frozen=True, slots=True)
class Bar:
    """One line of a chart."""

    label: str
    share: float
    """Its length, from 0 to 1."""

    text: str
    count: int = 0
    range_start: int = 0
    """Of the scores: where the range begins, in percent."""


@dataclass(frozen=True, slots=True)
class SlipLine:
    """One of the commonest slips."""

    stage: str
    description: str
    count: int
    example: str


@dataclass(frozen=True, slots=True)
class Listing:
    """What was not counted: whom or which file it is about, and why."""

    title: str
    lines: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """Everything that the summary of a class holds, in words and figures."""

    say: Callable[..., str]
    """Of a heading's key: the heading."""

    title: str

    marked_sentence: str
    teaching_sentences: tuple[str, ...]
    """What to teach again: two or three sentences."""

    stage_bars: tuple[Bar, ...]
    slip_lines: tuple[SlipLine, ...]
    heat_maps: tuple[HeatMap, ...]
    score_bars: tuple[Bar, ...]
    scores_description: str
    """The scores in words, for readers who cannot see the bars."""

    lists: tuple[Listing, ...]


def build_summary(book: Gradebook, sheet: Sheet | None, language: Language, group: str = "") -> Summary:
    """Say what came back.

    Args:
        sheet: one of the class's, by which stages and cells are called; None where there is none.
        group: the one that it is about; empty for the whole class.
    """
    writer = _SummaryWriter(book, collect_results(book), sheet, language)
    scores = writer.make_score_bars()
    counts = [language.format("grade.scores.count", range=bar.label, count=bar.count) for bar in scores if bar.count]
    return Summary(
        say=language.format,
        title=language.format("grade.title.group", group=group) if group else language.format("grade.title"),
        marked_sentence=writer.describe_marked(),
        teaching_sentences=tuple(writer.advise_teaching()),
        stage_bars=tuple(writer.make_stage_bar(name, known) for name, known in writer.results.stage_results.items()),
        slip_lines=tuple(writer.make_slip_line(each) for each in writer.results.slips[:MAX_SLIPS]),
        heat_maps=build_heat_maps(writer.results.wrong_counts, len(book.counted_papers), sheet),
        score_bars=scores,
        scores_description=language.format("grade.scores.desc", counts=counts),
        lists=tuple(listing for listing in writer.make_lists() if listing.lines),
    )


class _SummaryWriter:
    def __init__(self, book: Gradebook, results: ClassResults, sheet: Sheet | None, language: Language) -> None:
        self.book, self.results, self.sheet, self.language = book, results, sheet, language
        self.say, self.marked_count = language.format, len(book.marked_rows)

    def name_stage(self, stage: str) -> str:
        """Return how the sheet calls a stage."""
        return _name_stage(self.sheet, stage)

    def name_cell(self, address: str) -> str:
        """Return the address of a cell by the printed name of its stage."""
        match = _ADDRESS.fullmatch(address)
        return _name_cell(self.sheet, match[1], int(match[2]), int(match[3])) if match else address

    def format_percent(self, share: float) -> str:
        """Write a share in percent; only what is whole is 100 %, only what is nothing 0."""
        whole = round(share * 100)
        return self.say("grade.percent", percent=whole if share in (0, 1) else min(99, max(1, whole)))

    def describe_marked(self) -> str:
        """Say how many were marked, and how well they did."""
        rows = self.book.rows
        key = "grade.marked" if any(row.seat for row in rows) else "grade.marked.papers"
        parts = [self.say(key, marked=self.marked_count, all=len(rows))]
        if on_paper := sum(row.paper is None for row in self.book.marked_rows):
            parts.append(self.say("grade.on_paper", count=on_paper))
        if scores := self.results.score_shares:
            mean, median = (self.format_percent(middle(scores)) for middle in (statistics.fmean, statistics.median))
            parts.append(self.say("grade.mean", papers=len(scores), mean=mean, median=median))
        return self.say("grade.summary", parts=parts)

    def advise_teaching(self) -> list[str]:
        """Say what to teach again: the commonest slips, and the stage of which least is known."""
        known = {name: each for name, each in self.results.stage_results.items() if each.share < 1}
        if not self.marked_count:
            return [self.say("grade.none")]
        if not known:
            return [self.say("grade.all")]
        slips = [each for each in self.results.slips if each.is_teachable][:MAX_SLIPS_TO_TEACH]
        slips = [each for each in slips if each is slips[0] or each.count > 1]
        sentences = [self._write_slip_sentence(each) for each in slips]
        worst, count = max(self.results.wrong_counts.items(), key=lambda each: each[1], default=("", 0))
        if not slips and count:
            marked = len(self.book.counted_papers)
            sentences.append(self.say("grade.cell", cell=self.name_cell(worst), count=count, marked=marked))
        name = min(known, key=lambda name: known[name].share)
        is_empty = known[name].empty_cells * 2 > known[name].max_marks - known[name].marks
        key = "grade.stage.empty" if is_empty else "grade.stage"
        return [*sentences, self.say(key, stage=self.name_stage(name), share=self.format_percent(known[name].share))]

    def _write_slip_sentence(self, slip: CommonSlip) -> str:
        line, marked = self.make_slip_line(slip), len(self.book.counted_papers)
        values = {"stage": line.stage, "action": line.description, "example": line.example}
        return self.say("grade.slip", count=slip.count, marked=marked, **values)

    def make_stage_bar(self, name: str, result: StageResult) -> Bar:
        """Say how much of a stage counts."""
        marks = self.language.localize(format_marks(result.marks))
        parts = [self.format_percent(result.share), self.say("grade.cells", marks=marks, of=result.max_marks)]
        parts += [self.say("grade.empty", count=result.empty_cells)] if result.empty_cells else []
        return Bar(self.name_stage(name), result.share, self.say("grade.bar", parts=parts))

    def make_slip_line(self, slip: CommonSlip) -> SlipLine:
        row = slip.example
        assert row.paper is not None
        sheet = row.paper.sheet.in_language(self.language.code)
        action = describe_named_slip(sheet, slip.stage, slip.slip)
        example = f"№ {row.seat.printed_number}" if row.seat else row.paper.file
        return SlipLine(self.name_stage(slip.stage), action, slip.count, example)

    def make_score_bars(self) -> tuple[Bar, ...]:
        """Say how many students have how much."""
        counts = [0] * (SCORE_BINS + 1)
        for share in self.results.score_shares:
            counts[int(share * SCORE_BINS)] += 1
        width, most = 100 // SCORE_BINS, max(counts) or 1
        starts = range(0, 100 + width, width)
        labels = [self.say("grade.scores.range", low=start, high=start + width - 1) for start in starts[:-1]]
        bars = zip([*labels, self.say("grade.scores.whole")], counts, starts, strict=True)
        return tuple(Bar(label, n / most, str(n), n, start) for label, n, start in bars)

    def make_lists(self) -> list[Listing]:
        """List everything that has no marks, with the reason."""
        rows, translate = self.book.rows, self.language.translate
        absent = (row for row in rows if row.seat and row.has_nothing)
        lines_by_key = {
            "grade.unreadable": [
                *(
                    (f"{row.seat} · {each.file}", translate(each.reason))
                    for row in rows
                    for each in row.unreadable_papers
                ),
                *((paper.file, translate(paper.reason)) for paper in self.book.unreadable_papers),
            ],
            "grade.strangers": [(each.file, translate(each.uncounted_reason)) for each in self.book.unmatched_papers],
            "grade.aside": [
                (f"{row.seat} · {each.file}" if row.seat else each.file, translate(each.uncounted_reason))
                for row in rows
                for each in row.uncounted_papers
                if each.uncounted_reason
            ],
            "grade.twice": [
                (str(row.seat), compose_remark(row, self.language))
                for row in rows
                if any(not each.uncounted_reason for each in row.uncounted_papers)
            ],
            "grade.nothing": [(str(row.seat), "") for row in absent],
        }
        return [Listing(self.say(key), tuple(lines)) for key, lines in lines_by_key.items()]
