"""The sheet as a list of panels in the order of need: one stage each, with its factors, words and exact values."""

from dataclasses import dataclass

from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import bare, side_read, travelling_reads
from attnhand.attention.operations import Concatenate, Divide, Power, Product, ReLU, Role, Sum
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import (
    copied_grid,
    differs,
    exact_grid,
    given_grid,
    stage_grid,
    widest_exact,
    with_bias,
    with_ones,
    worked_cell,
)
from attnhand.sheet.conclusion import SUMS, WORKED
from attnhand.sheet.grids import Grid, turned
from attnhand.sheet.sheet import Sheet
from attnhand.text.widths import Text, marked_up


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words that a panel says."""

    text: Text
    source: str = ""
    """What tells them apart from another sheet's: ``sums Q``; empty where every sheet of this shape says the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One stage on the sheet."""

    stage: Stage
    grid: Grid
    side: Grid | None = None
    """The factor beside the product: W_K, Kᵀ, V (left of it, in the rows convention above it)."""

    made: "Panel | None" = None
    """Where the side factor is made in its place: V = W_V X beside Z."""

    over: Grid | None = None
    """The factor that the product continues: X, Q, A (above it, in the rows convention left of it)."""

    over_name: str = ""
    """Name of that factor; it is not drawn again where it stands above on the same page."""

    heading: Text = ()
    """With its number: "2 Scores"."""

    paragraphs: tuple[Sentence, ...] = ()
    formula: Text = ()
    """ "K = W_K X"."""

    remarks: tuple[Sentence, ...] = ()
    """Beside the formula: what the numbers mean, what they add to."""

    cells: int = 0
    """How many cells are marked."""

    mark: Text = ()
    """The mark box: "____ / 12"."""

    exact: Grid | None = None
    exact_caption: Text = ()
    exact_width: float = 0.0
    """How wide the widest exact value is at a size of one point, in millimetres; blank or solved."""

    reserves_exact: bool = False
    """Whether the key shows exact values here, so that a blank keeps their place."""

    holds_fractions: bool = False
    reminds_of_powers: bool = False
    over_is_worked: bool = False
    """Whether that factor would have to be copied where it does not stand on the same page."""

    goes_cell_by_cell: bool = False
    """Whether a page may begin here: nothing but one look at the page before is needed."""

    wants_working_space: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """All panels, page by page as the mechanism groups them."""

    runs: tuple[tuple[Panel, ...], ...]

    def all(self) -> tuple[Panel, ...]:
        """Return every panel in reading order, those made beside a product before it."""
        flat: list[Panel] = []
        for run in self.runs:
            for panel in run:
                flat += [panel.made] if panel.made else []
                flat.append(panel)
        return tuple(flat)


def panels(sheet: Sheet, *, separate: bool = False) -> Panels:
    """Place the sheet's stages on panels.

    Args:
        separate: whether a factor that is made beside its product gets a run of its own before it.
    """
    return _Builder(sheet, separate).build()


class _Builder:
    def __init__(self, sheet: Sheet, separate: bool) -> None:
        self.sheet = sheet
        self.mechanism = sheet.problem.mechanism
        self.given = {given.name: given for given in self.mechanism.given}
        self.drawn_given: set[str] = set()
        self.headings = 0
        self.said: set[tuple[str, int]] = set()
        """Headings that are not said again, each with its head."""

        self.runs = self._separated() if separate else self.mechanism.runs
        self.in_runs = {name for run in self.runs for name in run}
        self.worked_cell = worked_cell(sheet)

    def build(self) -> Panels:
        runs = []
        for run in self.runs:
            stages = [self.mechanism.stage(name) for name in run]
            runs.append(tuple(self._panel(stage) for stage in stages if self.sheet.is_drawn(stage)))
        return Panels(runs=tuple(run for run in runs if run))

    def _separated(self) -> tuple[tuple[str, ...], ...]:
        """Return the runs with every stage that is in none of them as a run before the one that reads it."""
        runs: list[tuple[str, ...]] = []
        known = {name for run in self.mechanism.runs for name in run} | self.given.keys()
        for run in self.mechanism.runs:
            reads = [name for stage in run for name in self.mechanism.stage(stage).reads]
            runs += [(name,) for name in reads if name not in known]
            known |= set(reads)
            runs.append(run)
        return tuple(runs)

    def _panel(self, stage: Stage, *, beside: bool = False) -> Panel:
        side, made = self._side(stage)
        heading = () if beside else self._heading(stage)
        over_name = travelling_reads(stage)[0] if isinstance(stage.operation, Product) else ""
        return Panel(
            stage=stage,
            grid=self._grid(stage),
            side=side,
            made=made,
            over=self._over(stage, over_name) if over_name else None,
            over_name=over_name,
            heading=heading,
            paragraphs=self._paragraphs(stage, beside, heading),
            formula=self._formula(stage),
            remarks=self._remarks(stage),
            cells=self.sheet.cells_of(stage),
            mark=self._mark(stage),
            exact=exact_grid(self.sheet, stage),
            exact_caption=self._exact_caption(stage),
            exact_width=widest_exact(self.sheet, stage),
            reserves_exact=differs(self.sheet.solution[stage.name]),
            holds_fractions=isinstance(stage.operation, Power | Sum | Divide | Concatenate | ReLU) or _mixes(stage),
            reminds_of_powers=isinstance(stage.operation, Power),
            over_is_worked=bool(over_name) and over_name not in self.given,
            goes_cell_by_cell=not isinstance(stage.operation, Product),
            wants_working_space=isinstance(stage.operation, Power | Sum | Divide),
        )

    def _grid(self, stage: Stage) -> Grid:
        """Draw the stage; where a layer with a bias follows it on its run, with the ones that meet the bias."""
        grid = stage_grid(self.sheet, stage, self.worked_cell)
        run = next((run for run in self.runs if stage.name in run), ())
        for name in run[run.index(stage.name) + 1 :] if run else ():
            operation = self.mechanism.stage(name).operation
            if (
                isinstance(operation, Product)
                and operation.biased
                and stage.name == travelling_reads(self.mechanism.stage(name))[0]
            ):
                return with_ones(grid, rows=self.sheet.is_rows)
        return grid

    def _side(self, stage: Stage) -> tuple[Grid | None, "Panel | None"]:
        name = side_read(stage)
        if name is None:
            return None, None
        product = stage.operation if isinstance(stage.operation, Product) else None
        transpose = product is not None and (
            product.right_transposed if product.tokens_as_rows else product.left_transposed
        )
        if name in self.given:
            return self._given_side(stage, name, transpose), None
        source = self.mechanism.stage(name)
        if name in self.in_runs or not self.sheet.is_drawn(source):
            return copied_grid(self.sheet, source, transpose=transpose), None
        made = self._panel(source, beside=True)
        return made.grid, made

    def _given_side(self, stage: Stage, name: str, transpose: bool) -> Grid:
        grid = given_grid(self.sheet, self.given[name])
        if transpose:
            return turned(grid, marked_up(f"{name}^T"))
        if _is_biased(stage):
            bias = given_grid(self.sheet, self.given[stage.reads[1]])
            return with_bias(grid, bias, rows=self.sheet.is_rows)
        return grid

    def _over(self, stage: Stage, name: str) -> Grid:
        if name in self.given:
            again, self.drawn_given = name in self.drawn_given, self.drawn_given | {name}
            asked = None if self.sheet.asks_all or stage.name not in self.sheet.query_stages else self.sheet.queries
            return given_grid(self.sheet, self.given[name], again=again, only=asked)
        grid = copied_grid(self.sheet, self.mechanism.stage(name), transpose=False)
        return with_ones(grid, rows=self.sheet.is_rows) if _is_biased(stage) else grid

    def _heading(self, stage: Stage) -> Text:
        key = f"{stage.topic}.heading"
        if not self.headings and not self.sheet.can_say(key):
            key += ".alone"
        if any(stage.name in run for run in self.mechanism.runs):
            key = key if self.sheet.can_say(key) else f"{stage.topic}.heading.in_run"
        if not self.sheet.can_say(key) or (key, stage.head) in self.said:
            return ()
        self.said.add((key, stage.head))
        if key.endswith("in_run"):  # it speaks for those that follow too
            self.said.add(("keys.heading", stage.head))
        self.headings += 1
        told = self.sheet.say(key)
        if stage.head:
            told = self.sheet.say("heading.head", heading=told, head=stage.head)
        return marked_up(f"**{self.headings}\u2002{told}**")

    def _paragraphs(self, stage: Stage, beside: bool, heading: Text) -> tuple[Sentence, ...]:
        told: list[str] = []
        worked = None
        if self.worked_cell and stage.name == self.worked_cell[0]:
            told.append(sentences.how_projections_go(self.sheet, stage))
            told.append(worked := sentences.worked_sentence(self.sheet, *self._worked()))
        projects = isinstance(stage.operation, Product) and stage.operation.role is Role.PROJECTION
        if stage.head > 1 and stage.name == self._first_of(stage.head):
            told.append(self.sheet.say("head.again"))
        if projects and heading and not told:
            told.append(sentences.how_projections_go(self.sheet, stage))
        if (beside or not projects) and (instruction := sentences.instruction(self.sheet, stage)):
            told.append(instruction)
        side = side_read(stage)
        if _mixes(stage) and side and side not in self.given and self._is_for_reading(side):
            told.insert(0, self.sheet.say("values.printed"))
        return tuple(Sentence(marked_up(text), WORKED if text is worked else "") for text in told)

    def _first_of(self, head: int) -> str | None:
        """Return the projection that comes first in a head."""
        for name in (name for run in self.runs for name in run):
            stage = self.mechanism.stage(name)
            projects = isinstance(stage.operation, Product) and stage.operation.role is Role.PROJECTION
            if projects and self.sheet.is_drawn(stage) and stage.head == head:
                return name
        return None

    def _is_for_reading(self, name: str) -> bool:
        """Say whether a stage is printed so that nobody need work it: not where the mistake may be in it."""
        return not self.sheet.planted and self.sheet.is_printed(self.mechanism.stage(name))

    def _worked(self) -> tuple[Stage, int, int]:
        assert self.worked_cell is not None
        name, row, column = self.worked_cell
        return self.mechanism.stage(name), row, column

    def _formula(self, stage: Stage) -> Text:
        if side_read(stage) is None:
            return ()
        return marked_up(f"**{bare(stage.name)} = {sentences.formula(self.sheet, stage)}**")

    def _mark(self, stage: Stage) -> Text:
        return marked_up(self.sheet.say("mark", cells=self.sheet.cells_of(stage))) if self.sheet.cells_of(stage) else ()

    def _exact_caption(self, stage: Stage) -> Text:
        if not self.sheet.solved:
            asked = f"{self.sheet.query_letter}_{{{self.sheet.queries[0] + 1}}}"
            return marked_up(self.sheet.say("for_query", query=asked))
        key = f"exact.{stage.topic}"
        key = key if self.sheet.can_say(key) else "exact"
        return marked_up(self.sheet.say(key, d_k=self.sheet.problem.hand.d_k))

    def _remarks(self, stage: Stage) -> tuple[Sentence, ...]:
        told = []
        key = f"{stage.topic}.remark"
        if self.sheet.can_say(key):
            told.append(Sentence(marked_up(self.sheet.say(key))))
        if sums := sentences.check_sums(self.sheet, stage):
            told.append(Sentence(marked_up(sums), f"{SUMS} {stage.name}"))
        return tuple(told)


def _mixes(stage: Stage) -> bool:
    """Say whether a product mixes values by weights, or comes after that."""
    return isinstance(stage.operation, Product) and stage.operation.role in (Role.MIXTURE, Role.LAYER)


def _is_biased(stage: Stage) -> bool:
    return isinstance(stage.operation, Product) and stage.operation.biased
