"""Build the panels of a sheet: one for each stage, with its factors, text and exact values."""

from dataclasses import dataclass, replace

from attnhand.attention.mechanisms import Content, Stage
from attnhand.attention.mechanisms.base import get_query_inputs, get_side_input, strip_head
from attnhand.attention.mechanisms.products import ProductRole, transpose_name
from attnhand.attention.questions import Part
from attnhand.errors import PageError
from attnhand.problems.question_amount import QuestionAmount
from attnhand.sheet import sentences
from attnhand.sheet.build_grids import (
    append_bias,
    append_ones,
    build_copied_grid,
    build_exact_grid,
    build_given_grid,
    build_stage_grid,
    format_headed_markup,
    format_matrix_markup,
    format_stage_title,
    is_changed_by_shortcut,
)
from attnhand.sheet.grids import Grid, transpose_grid
from attnhand.sheet.questions import AskedQuestion, find_question
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.slots import Sentence, Slot, SlotKind
from attnhand.text.widths import Text, capitalize, parse_markup


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One stage on the sheet."""

    stage: Stage
    grid: Grid
    side_factor: Grid | None = None
    """The factor beside the product: W_K, Kᵀ, V (left of it, in the rows convention above it)."""

    side_panel: "Panel | None" = None
    """The panel of the side factor, where it is worked beside the product: V = W_V X beside Z."""

    query_factor: Grid | None = None
    """The factor that the product continues: X, Q, A (above it, in the rows convention left of it)."""

    query_factor_name: str = ""
    """Name of that factor; it is not drawn again where it stands above on the same page: K^T is, where K stands."""

    copying: Text = ()
    """What asks for a copy of that factor, where it does not stand above on the same page: "Copy Q."."""

    heading: Text = ()
    """With its number: "2 Scores"."""

    title: str = ""
    """What it makes: "Queries", where the stage before has the heading."""

    colon: str = ": "
    """What stands between the heading or the title and the formula."""

    purpose: Text = ()
    """What the stage is for; said where the first stage of its kind stands."""

    paragraphs: tuple[Sentence, ...] = ()
    formula: Text = ()
    """ "K = W_K X"."""

    check_sums: Text = ()
    """What the queries' numbers add to, in words."""

    guess: AskedQuestion | None = None
    """What is guessed before the scores are computed: it stands with them, where queries and keys are there."""

    cell_count: int = 0
    """How many cells are marked."""

    mark_box: Text = ()
    """The mark box: "____ / 12"; on a key what the stage is worth: "12 points"."""

    mark_name: Text = ()
    named_mark_box: Text = ()
    """The name of its matrix, and the mark box with it, where two stand together: "V ____ / 12"."""

    exact_grid: Grid | None = None
    exact_caption: Text = ()
    has_exact_on_key: bool = False
    """Whether the key shows exact values here, so that a blank keeps their place."""

    has_fractions: bool = False

    is_query_factor_worked: bool = False
    """Whether that factor would have to be copied where it does not stand on the same page."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """All panels, page by page as the mechanism groups them."""

    runs: tuple[tuple[Panel, ...], ...]

    def list_panels(self) -> tuple[Panel, ...]:
        """Return every panel in reading order, side panels before theirs."""
        pairs = ((panel.side_panel, panel) for run in self.runs for panel in run)
        return tuple(panel for pair in pairs for panel in pair if panel)


def build_panels(sheet: Sheet, *, separate_factors: bool = False) -> Panels:
    """Place the sheet's stages on panels; a factor worked beside its product may get another run, before it."""
    return _PanelBuilder(sheet, separate_factors).build()


def find_panel(sheet: Sheet, stage_name: str) -> Panel:
    """Return the panel of a stage.

    Raises:
        PageError: the sheet draws no such stage, or one for each head.
    """
    drawn = {panel.stage.name: panel for panel in build_panels(sheet).list_panels()}
    meant = [name for name in sheet.find_stages(stage_name) if name in drawn]
    if len(meant) != 1:
        names = ", ".join(stage.name for stage in sheet.problem.mechanism.stages if stage.name in drawn)
        raise PageError(f"the sheet draws no stage {stage_name!r}: use one of {names}")
    return drawn[meant[0]]


class _PanelBuilder:
    def __init__(self, sheet: Sheet, separate_factors: bool) -> None:
        self.sheet = sheet
        self.mechanism = sheet.problem.mechanism
        self.given = {given.name: given for given in self.mechanism.given}
        self.drawn_given: set[str] = set()
        self.drawn_beside: set[str] = set()
        self.drawn_sides: set[str] = set()
        self.copied_sides: set[str] = set()
        self.heading_count = 0
        self.used_headings: set[tuple[str, int]] = set()  # keys, each with its head
        self.purposes: set[str] = set()
        self.instructions: set[str] = set()
        self.runs = self._split_runs() if separate_factors else self.mechanism.stage_chains
        self.names_in_runs = {name for run in self.runs for name in run}
        self.separate_names = self.names_in_runs - {name for run in self.mechanism.stage_chains for name in run}
        if sheet.problem.variant.has_cache:  # values have a section of their own, where they are appended
            self.separate_names |= {stage.name for stage in self.mechanism.stages if strip_head(stage.name)[:1] == "V"}
        self.worked_cell = sheet.worked_cell
        self.guess = find_question(sheet, Part.GUESS)
        # on a part that works those before again these say what stages are for
        self.works_again = sheet.asked_part is not None and sheet.asked_part.part.works_again

    def build(self) -> Panels:
        chains = (map(self.mechanism.get_stage, run) for run in self.runs)
        runs = [tuple(self._build_panel(stage) for stage in run if self.sheet.has_own_panel(stage)) for run in chains]
        return Panels(runs=tuple(run for run in runs if run))

    def _split_runs(self) -> tuple[tuple[str, ...], ...]:
        """Return the runs with every stage that is in none of them as a run before the one that reads it."""
        runs: list[tuple[str, ...]] = []
        known = {name for run in self.mechanism.stage_chains for name in run} | self.given.keys()
        for run in self.mechanism.stage_chains:
            reads = [name for stage in run for name in self.mechanism.get_stage(stage).input_names]
            runs += [(name,) for name in reads if name not in known]
            known |= set(reads)
            runs.append(run)
        return tuple(runs)

    def _build_panel(self, stage: Stage, *, is_side_panel: bool = False) -> Panel:
        side = self._find_side(stage)
        side_factor, side_panel = self._build_side_factor(stage, side)
        heading = () if is_side_panel else self._format_heading(stage)
        query_factor_name = self._find_query_factor(stage, side)
        has_factors = get_side_input(stage) and not stage.hidings and stage.facts.has_formula
        equation = sentences.format_equation(self.sheet, stage) if has_factors else ""
        cell_count, name = self.sheet.count_answer_cells(stage), format_matrix_markup(self.sheet, stage.name)
        return Panel(
            stage=stage,
            grid=self._build_grid(stage),
            side_factor=side_factor,
            side_panel=side_panel,
            query_factor=self._build_query_factor(stage, query_factor_name) if query_factor_name else None,
            query_factor_name=transpose_name(query_factor_name) if _is_turned(stage) else query_factor_name,
            copying=self._format_copying(stage, query_factor_name),
            heading=heading,
            title=capitalize(format_stage_title(self.sheet, stage)),
            colon=self.sheet.say("colon"),
            purpose=self._format_purpose(stage),
            paragraphs=self._list_paragraphs(stage, is_side_panel, heading),
            formula=parse_markup(f"**{equation}**") if equation else (),
            check_sums=parse_markup(sentences.format_check_sums(self.sheet, stage) or ""),
            guess=self.guess if self.guess and stage.name == self.guess.stage_name else None,
            cell_count=cell_count,
            mark_box=parse_markup(sentences.format_mark_box(self.sheet, cell_count)) if cell_count else (),
            mark_name=parse_markup(name),
            named_mark_box=parse_markup(sentences.format_mark_box(self.sheet, cell_count, name)) if cell_count else (),
            exact_grid=build_exact_grid(self.sheet, stage),
            exact_caption=self._format_exact_caption(stage),
            has_exact_on_key=is_changed_by_shortcut(self.sheet.solution[stage.name]),
            has_fractions=stage.gives_fractions,
            is_query_factor_worked=bool(query_factor_name) and query_factor_name not in self.given,
        )

    def _build_grid(self, stage: Stage) -> Grid:
        """Draw the stage; where a layer with a bias follows it on its run, with the ones that meet the bias."""
        grid = build_stage_grid(self.sheet, stage, self.worked_cell)
        run = next((run for run in self.runs if stage.name in run), (stage.name,))
        following = map(self.mechanism.get_stage, run[run.index(stage.name) + 1 :])
        meets_bias = any(_has_bias(other) and stage.name == get_query_inputs(other)[0] for other in following)
        return append_ones(grid, convention=self.sheet.convention) if meets_bias else grid

    def _build_side_factor(self, stage: Stage, name: str | None) -> tuple[Grid | None, "Panel | None"]:
        if name is None:
            return None, None
        product = stage.product
        transpose = product is not None and (
            product.is_right_transposed if stage.convention.is_rows else product.is_left_transposed
        )
        if name in self.given:
            self.drawn_beside.add(name)
            return self._build_given_side_factor(stage, name, transpose), None
        source = self.mechanism.get_stage(name)
        if name in self.drawn_sides:  # heads share it
            self.copied_sides.add(name)
        self.drawn_sides.add(name)
        if name in self.copied_sides or name in self.names_in_runs or not self.sheet.has_own_panel(source):
            return build_copied_grid(self.sheet, source, transpose=transpose), None
        side_panel = self._build_panel(source, is_side_panel=True)
        return side_panel.grid, side_panel

    def _find_side(self, stage: Stage) -> str | None:
        """Return what stands beside a stage; where it goes cell by cell, what is given and drawn nowhere before."""
        if self._has_cache_printed(stage):
            return None
        if (name := get_side_input(stage)) is not None:
            return name
        known = self.drawn_beside if self.sheet.problem.variant.has_vocabulary else ()
        return next((name for name in stage.input_names if name in self.given and name not in known), None)

    def _find_query_factor(self, stage: Stage, side: str | None) -> str:
        """Return what a product continues, or what a mask is put on that is given; empty for nothing."""
        if self._has_cache_printed(stage):
            return ""
        names = get_query_inputs(stage)
        is_given = side not in names and names[:1] and names[0] in self.given
        return names[0] if stage.role or is_given else ""

    def _has_cache_printed(self, stage: Stage) -> bool:
        """Say whether what is kept stands in the stage itself, and not beside it."""
        return stage.topic == "appended" and self.sheet.prints_cache

    def _build_given_side_factor(self, stage: Stage, name: str, transpose: bool) -> Grid:
        grid = self._build_given(stage, name)
        if transpose:
            return transpose_grid(grid, parse_markup(transpose_name(format_matrix_markup(self.sheet, name))))
        if _has_bias(stage):
            bias = build_given_grid(self.sheet, self.given[stage.input_names[1]])
            return append_bias(grid, bias, convention=self.sheet.convention)
        return grid

    def _build_given(self, stage: Stage, name: str) -> Grid:
        """Draw what is given beside a stage: of W_U the rows that move, of tokens read cell by cell those asked."""
        given, moved = self.given[name], [word - 1 for word in self.sheet.problem.moved]
        if stage.topic == "new_rows":
            return build_given_grid(self.sheet, given, only=moved, size_name="vocabulary")
        is_asked = stage.name in self.sheet.query_stages and not self.sheet.asks_every_query
        is_read_by_cell = stage.product is None and given.content is Content.TOKENS
        return build_given_grid(
            self.sheet, given, only=self.sheet.asked_queries if is_asked and is_read_by_cell else None
        )

    def _build_query_factor(self, stage: Stage, name: str) -> Grid:
        if name in self.given:
            again, self.drawn_given = name in self.drawn_given, self.drawn_given | {name}
            has_query_vectors = stage.name in self.sheet.query_stages and not self.sheet.asks_every_query
            tokens = self.sheet.asked_queries if has_query_vectors else None
            return build_given_grid(self.sheet, self.given[name], is_repeated=again, only=tokens)
        grid = build_copied_grid(self.sheet, self.mechanism.get_stage(name), transpose=_is_turned(stage))
        return append_ones(grid, convention=self.sheet.convention) if _has_bias(stage) else grid

    def _format_heading(self, stage: Stage) -> Text:
        if self.sheet.problem.variant.blocks:
            return self._format_block_heading(stage)
        key = f"{stage.topic}.heading"
        if stage.topic == "sums" and self.sheet.problem.variant.has_plain_shares:
            key = "plain.heading"
        if (not self.heading_count or self._begins_run(stage)) and not self.sheet.has_sentence(key):
            key = f"{stage.topic}.heading.alone"
        if any(stage.name in run for run in self.mechanism.stage_chains):
            key = key if self.sheet.has_sentence(key) else f"{stage.topic}.heading.in_run"
        if stage is self.mechanism.stages[-1] and self.sheet.has_sentence(f"{stage.topic}.heading.last"):
            key = f"{stage.topic}.heading.last"
        separate_key = f"{stage.topic}.heading.separate"
        if {stage.name, get_side_input(stage)} & self.separate_names and self.sheet.has_sentence(separate_key):
            key = separate_key  # V is no part of "3 Scale", which stands before it
        is_said = (key, stage.head) in self.used_headings and not stage.facts.has_heading_each_time
        if not self.sheet.has_sentence(key) or is_said:
            return ()
        self.used_headings.add((key, stage.head))
        if key.endswith("in_run"):  # "1 Projections" stands for the keys below too
            self.used_headings.add(("keys.heading", stage.head))
        self.heading_count += 1
        heading = self.sheet.say(key)
        if stage.head:
            heading = self.sheet.say("heading.head", heading=heading, head=stage.head)
        return parse_markup(f"**{self.heading_count}\u2002{heading}**")

    def _format_block_heading(self, stage: Stage) -> Text:
        """Return the heading of a block, where its first stage stands, and of what follows the last block."""
        run = next((at for at, run in enumerate(self.runs, 1) if stage.name in run), 0)
        own = [name for name in self.runs[run - 1] if self.sheet.has_own_panel(self.mechanism.get_stage(name))]
        key = "block.heading" if stage.name == own[0] else f"{stage.topic}.heading.in_blocks"
        if not self.sheet.has_sentence(key):
            return ()
        self.heading_count += 1
        return parse_markup(f"**{self.heading_count}\u2002{self.sheet.say(key, number=run)}**")

    def _format_purpose(self, stage: Stage) -> Text:
        if self.works_again:
            return ()
        purpose = sentences.format_purpose(self.sheet, stage)
        said = sentences.format_purpose(self.sheet, stage, with_example=False) or purpose  # an example names its cells
        is_new = not any(said in earlier for earlier in self.purposes)  # the first says what is given beside
        self.purposes |= {said}
        return parse_markup(purpose) if is_new else ()

    def _list_paragraphs(self, stage: Stage, is_side_panel: bool, heading: Text) -> tuple[Sentence, ...]:
        texts: list[str] = []
        worked_sentence = None
        if self.worked_cell and stage.name == self.worked_cell[0]:
            worked_sentence = sentences.format_worked_sentence(self.sheet, stage, *self.worked_cell[1:])
            texts += [*self._describe_tokens(stage), worked_sentence]
        projects = stage.role is ProductRole.PROJECTION
        if stage.head > 1 and stage.name == self._find_first_projection(stage.head):
            if self.sheet.problem.variant.kv_heads is None:
                shared = sentences.format_factor_names(self.sheet, stage)[not self.sheet.convention.is_rows]
                texts.append(self.sheet.say("head.again", name=shared))
            elif self._begins_run(stage):  # its keys stand on the page of another head
                texts.append(self.sheet.say("head.again.shared"))
        if projects and heading and not texts:
            texts += self._describe_tokens(stage)
        if (is_side_panel or not projects) and (instruction := sentences.format_instruction(self.sheet, stage)):
            again = f"{stage.topic}.do.again"  # said in full where the first stage of its kind stands
            is_said = instruction in self.instructions and self.sheet.has_sentence(again)
            texts.append(self.sheet.say(again) if is_said else instruction)
            self.instructions.add(instruction)
        uncopied: str | None = None
        if copied := self._find_copied_input(stage):
            copying = self.sheet.say("copy.again", name=format_headed_markup(self.sheet, copied))
            # the worked sentence stays alone: it differs from student to student
            at = slice(0, int(texts[:1] != [worked_sentence])) if projects else slice(len(texts) - 1, None)
            uncopied = " ".join(texts[at])
            texts[at] = [" ".join([copying, *texts[at]])]
        side = get_side_input(stage) if stage.role in (ProductRole.MIXTURE, ProductRole.LAYER) else None
        # where a mistake is to be found, it may be in what is printed
        source = self.mechanism.get_stage(side) if side and side not in self.given else None
        if source and self.sheet.is_printed(source) and not self.sheet.planted_mistake:
            texts.insert(0, self.sheet.say("values.printed"))
        if printed := self._list_printed_with(stage):
            texts.insert(0, self.sheet.say("printed", names=printed))
        said = [
            Sentence(parse_markup(text), Slot(SlotKind.WORKED) if text is worked_sentence else None) for text in texts
        ]
        if uncopied is not None:
            place = 0 if projects else -1
            said[place] = replace(said[place], uncopied=parse_markup(uncopied))
        return tuple(said)

    def _list_printed_with(self, stage: Stage) -> tuple[str, ...]:
        """Return the names of what is printed on the run of a stage, where it is the first of them."""
        if self.sheet.planted_mistake or self.sheet.options.question_amount is QuestionAmount.TRIES:
            return ()
        run = next((run for run in self.runs if stage.name in run), ())
        own = filter(self.sheet.has_own_panel, map(self.mechanism.get_stage, run))
        printed = [each.name for each in own if self.sheet.is_printed(each)]
        return tuple(format_headed_markup(self.sheet, name) for name in printed) if printed[:1] == [stage.name] else ()

    def _begins_run(self, stage: Stage) -> bool:
        return any(run[0] == stage.name for run in self.runs)

    def _find_copied_input(self, stage: Stage) -> str | None:
        """Return what a student copies for a stage because it stands elsewhere: V for Z, X for V, R₁ for N₂."""
        name = None
        if stage.role is ProductRole.MIXTURE and get_side_input(stage) in self.names_in_runs | self.copied_sides:
            name = get_side_input(stage)
        elif stage.role is ProductRole.PROJECTION and self._begins_run(stage):
            name = get_query_inputs(stage)[0]
        elif stage.product is None and not stage.formula.constants:
            name = get_side_input(stage)
        if not name or name in self.given or self.sheet.planted_mistake:
            return None
        return None if self.sheet.is_printed(self.mechanism.get_stage(name)) else name

    def _format_copying(self, stage: Stage, query_factor_name: str) -> Text:
        """Return "Copy Q." where a stage's query factor has to be copied and its own words do not say so."""
        if not query_factor_name or query_factor_name in self.given or self.sheet.planted_mistake:
            return ()
        if query_factor_name == self._find_copied_input(stage):
            return ()
        if self.sheet.is_printed(self.mechanism.get_stage(query_factor_name)):
            return ()
        return parse_markup(self.sheet.say("copy.again", name=format_headed_markup(self.sheet, query_factor_name)))

    def _describe_tokens(self, stage: Stage) -> list[str]:
        """Return what tokens and heads are, where the first product reads them, and how its cells are made."""
        variant, heads = self.sheet.problem.variant, ""
        if variant.kv_heads is None:
            heads = self.sheet.say("heads.for") if stage.head == 1 else ""
        elif stage.name == self._find_first_projection():
            heads = self.sheet.say("heads.for.shared", count=variant.head_count // variant.kv_head_count)
        instruction = sentences.format_projection_instruction(self.sheet, stage)
        if self.works_again:
            return [instruction]
        tokens = sentences.format_tokens_purpose(self.sheet, stage)
        return [*filter(None, (tokens, heads)), instruction]

    def _find_first_projection(self, head: int | None = None) -> str | None:
        """Return the projection that comes first in a head, or on the sheet."""
        stages = [self.mechanism.get_stage(name) for run in self.runs for name in run]
        own = (stage for stage in stages if head in (None, stage.head) and self.sheet.has_own_panel(stage))
        return next((stage.name for stage in own if stage.role is ProductRole.PROJECTION), None)

    def _format_exact_caption(self, stage: Stage) -> Text:
        key = f"exact.{stage.topic}" if self.sheet.has_sentence(f"exact.{stage.topic}") else "exact"
        return parse_markup(self.sheet.say(key, d_k=self.sheet.problem.hand_arithmetic.d_k))


def _is_turned(stage: Stage) -> bool:
    """Say whether what a product continues is transposed first, as A is for g Aᵀ."""
    if stage.product is None:
        return False
    return stage.product.is_left_transposed if stage.convention.is_rows else stage.product.is_right_transposed


def _has_bias(stage: Stage) -> bool:
    return stage.product is not None and stage.product.bias is not None
