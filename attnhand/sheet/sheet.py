"""A sheet: a solved problem, how it looks and which part of it is asked. Every format draws this one value."""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from itertools import product
from typing import TYPE_CHECKING, Any, Self

from attnhand.attention.convention import Convention, transpose_if_columns
from attnhand.attention.matrix import Matrix
from attnhand.attention.mechanisms import Stage
from attnhand.attention.mechanisms.base import get_query_inputs, get_side_input, strip_head
from attnhand.attention.mechanisms.cells import CellPosition, list_numbers
from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.problem import Problem
from attnhand.attention.solution import FollowThrough, Solution
from attnhand.attention.trace import can_be_traced
from attnhand.errors import PageError, name_option
from attnhand.problems.base32 import strip_language
from attnhand.problems.criteria import count_telling
from attnhand.problems.levels import Level
from attnhand.problems.mistake import PlantedMistake, parse_mistake, plant_mistake
from attnhand.problems.model_parts import AskedPart
from attnhand.problems.problem_file import format_problem
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.request import Request
from attnhand.problems.sheet_code import FINGERPRINT_LETTER, compute_fingerprint
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Seat
from attnhand.text import Language, get_language
from attnhand.text.widths import find_missing_characters, parse_markup, to_unicode

if TYPE_CHECKING:
    from attnhand.attention.questions import PosedQuestion, Scene

MAX_TOKENS_WITH_ALL_QUERIES = 6
"""With more tokens a sheet asks two queries, unless the options name some."""

ENOUGH_PRODUCTS = 2
"""So many products that are not 0 make an example that shows what is multiplied, and that it is added up."""

UNASKED_CELL_TEXT = "-"
"""What stands in files in the cells of queries that the sheet does not ask."""

MAX_TITLE_LENGTH, MAX_WORD_LENGTH, MAX_SENTENCE_LENGTH, MAX_FEATURE_NAME_LENGTH = 100, 10, 200, 14


@dataclass(frozen=True, kw_only=True, repr=False)
class Sheet:
    """One worksheet, blank or solved."""

    solution: Solution
    code: str
    """The code on the paper: it rebuilds a drawn sheet, and identifies one of a user's own matrices."""

    request: Request | None = None
    """What it was drawn from; None for a user's own matrices."""

    asked_part: AskedPart | None = None
    """Which part of a whole language model it is, and of which; None for all other sheets."""

    is_salted: bool = False
    """Whether its numbers depend on a secret too, so that the code alone gives no key."""

    is_mirrored: bool = False
    """Whether it is written in the other convention than the author's own matrices were."""

    has_drawn_mistake: bool = False
    """Whether its mistake to find is the one that such a sheet has where none is named."""

    options: PageOptions = field(default_factory=PageOptions)
    is_solved: bool = True
    """Whether answers stand on it; the grids of a blank sheet hold none."""

    follow_through: FollowThrough | None = None
    """A student's own values, from which the key carries on; None for the key as it is."""

    seat: Seat | None = None
    """Whose it is in a class set; None for a sheet on its own."""

    def __repr__(self) -> str:
        """Return a name and no number: notebooks and logs keep what they show, and a blank sheet holds no answer."""
        return f"<{type(self).__name__} {self.code}, {'solved' if self.is_solved else 'blank'}>"

    def __post_init__(self) -> None:
        tokens, options = self.problem.sizes["tokens"], self.options
        if options.only_queries == ():
            raise PageError("no query is asked: name some, or leave out the queries for all of them")
        for query in options.only_queries or ():
            if not 1 <= query <= tokens:
                raise PageError(f"there is no query {query}: the sheet has {tokens} tokens; ask some of 1 to {tokens}")
        if options.fade and len(self.asked_queries) < 2:
            fade, only = name_option("fade", value=True), name_option("only_queries")
            raise PageError(f"{fade} solves one query and begins another: ask two or more with {only}, or leave it out")
        if options.fade and self.request is not None and self.request.level is Level.FIRST:
            fade, first = name_option("fade", value=True), name_option("level", Level.FIRST.value)
            raise PageError(f"{fade} and {first} both say what is printed: leave out one of them")
        if options.trace is not None and not can_be_traced(self.problem.mechanism):
            raise PageError(
                f"{name_option('trace')} follows a query from its scores to its output, and these are not all worked "
                "on this sheet: leave it out"
            )
        if options.trace is not None and options.trace - 1 not in self.asked_queries:
            known = ", ".join(str(query + 1) for query in self.asked_queries)
            raise PageError(f"there is no query {options.trace} on this sheet to trace: give one of {known}")
        for name in filter(None, (options.from_stage, *(options.blank_stages or ()))):
            self.find_stages(name)
        _ = self.planted_mistake, self.language  # both raise where they are unknown
        if (story := self.problem.story) is not None:
            if story.query not in self.asked_queries:
                raise PageError(f"the story asks about query {story.query + 1}: ask it too")
            _check_printable("story's sentence", story.sentence, MAX_SENTENCE_LENGTH)
            _check_printable("story's question", story.question, MAX_SENTENCE_LENGTH)
            for name in (*story.feature_names, *story.value_names):
                _check_printable("feature's name", name, MAX_FEATURE_NAME_LENGTH)
            for name in (name for _, names in story.row_names for name in names):
                _check_printable("row's name", name, 2 * MAX_FEATURE_NAME_LENGTH + 1)
            for word in story.memory_words:
                _check_printable("word", word, MAX_WORD_LENGTH)
        _check_printable("title", self.problem.title, MAX_TITLE_LENGTH)
        for word in self.problem.words:
            _check_printable("word", word, MAX_WORD_LENGTH)

    @property
    def problem(self) -> Problem:
        """The problem that is worked."""
        return self.solution.problem

    @cached_property
    def hand_values(self) -> Mapping[str, Matrix]:
        """Every matrix by name, given ones included, as worked by hand: marking asks for them cell by cell."""
        return self.solution.collect_hand_values()

    @cached_property
    def planted_mistake(self) -> PlantedMistake | None:
        """The mistake to find, where there is one: the blank sheet then is solved, wrongly, and its key is right.

        Raises:
            AttnhandError: the slip is unknown, or cannot be made here.
        """
        if self.options.mistake is None:
            return None
        slip_id, stage = parse_mistake(self.options.mistake)
        stage_names = self.find_stages(stage) if stage else ()
        return plant_mistake(
            self.solution, slip_id, strip_language(self.code), self.find_asked_rows_and_columns, stage_names
        )

    @property
    def printed_solution(self) -> Solution:
        """The values that the page shows: the right ones, unless there is a mistake to find."""
        if self.follow_through and self.is_solved:
            return self.follow_through.solution
        return self.planted_mistake.solution if self.planted_mistake and not self.is_solved else self.solution

    @property
    def blank(self) -> Self:
        """The same sheet without its answers."""
        return self._turn(is_solved=False) if self.is_solved else self

    @property
    def key(self) -> Self:
        """The same sheet with its answers."""
        return self if self.is_solved else self._turn(is_solved=True)

    def in_language(self, code: str) -> Self:
        """Return the same sheet in another language."""
        if self.options.language_code == code:
            return self
        return replace(self, options=replace(self.options, language=code))

    @property
    def other_face(self) -> Self:
        """The key of a blank sheet, the blank sheet of a key."""
        return self.blank if self.is_solved else self.key

    def _turn(self, **face: bool) -> Self:
        """Return another face with all that was worked out for this one: no cached property depends on the face."""
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__, **face)
        return other

    @cached_property
    def asked_queries(self) -> tuple[int, ...]:
        """The queries that are asked, 0-based, in order."""
        if self.options.only_queries is not None:
            return tuple(query - 1 for query in sorted(set(self.options.only_queries)))
        return self.usual_queries

    @property
    def usual_queries(self) -> tuple[int, ...]:
        """The queries that are asked where none are named, 0-based."""
        tokens = self.problem.sizes["tokens"]
        return tuple(range(tokens)) if tokens <= MAX_TOKENS_WITH_ALL_QUERIES else (0, 2)

    @property
    def asks_usual_queries(self) -> bool:
        """Say whether those queries are asked that are where none are named."""
        return self.asked_queries == self.usual_queries

    @property
    def asks_every_query(self) -> bool:
        """Say whether every query is asked."""
        return len(self.asked_queries) == self.problem.sizes["tokens"]

    @cached_property
    def query_stages(self) -> frozenset[str]:
        """Names of the stages in which every query has its own vector, by what they read.

        From the last stage back along the side that carries the query: the other side of a product (K for the
        scores, V for the outputs) belongs to all queries alike.
        """
        stages = self.problem.mechanism.stages
        found, reads = set(), {stages[-1].name}
        for stage in reversed(stages):  # a stage reads none but those before it
            if stage.name in reads and "tokens" in (stage.rows.size_name, stage.columns.size_name):
                found.add(stage.name)
                reads.update(get_query_inputs(stage))
        return frozenset(found)

    def find_stages(self, name: str) -> tuple[str, ...]:
        """Return the ids of the stages that a name means: with heads, S is that of every head.

        A stage goes by its id, and by whatever a person reads for it on the sheet: Σ, softmax, attention weights.

        Raises:
            PageError: it means none.
        """
        stages, written = self.problem.mechanism.stages, name.strip().casefold()
        by_id = tuple(stage.name for stage in stages if name in (stage.name, strip_head(stage.name)))
        if found := by_id or tuple(stage.name for stage in stages if written in self._list_names_read(stage)):
            return found
        known = ", ".join(dict.fromkeys(strip_head(stage.name) for stage in stages))
        raise PageError(f"the sheet has no stage {name!r}: use one of {known}")

    def name_stage(self, name: str) -> str:
        """Return the id that a name of a stage means, as files keep it: without a head if it means that of each."""
        found = self.find_stages(name)
        return found[0] if len(found) == 1 else strip_head(found[0])

    def _list_names_read(self, stage: Stage) -> set[str]:
        """Return what a person may read for a stage, in small letters: its printed name, what it makes, its heading."""
        keys = [f"matrix.{strip_head(stage.name)}", f"explain.stage.{stage.topic}"]
        keys += [f"{stage.topic}.heading{ending}" for ending in ("", ".alone", ".in_run")]
        read = [stage.name, *(self.say(key) for key in keys if self.has_sentence(key))]
        return {stage.topic.casefold(), *(to_unicode(parse_markup(markup)).casefold() for markup in read)}

    @cached_property
    def _asked_stages(self) -> frozenset[str]:
        """Names of the stages that ask for anything."""
        stages = self.problem.mechanism.stages
        if self.options.blank_stages is not None:
            return frozenset(stage for name in self.options.blank_stages for stage in self.find_stages(name))
        if self.options.from_stage is None:
            asked = (stage for stage in stages if not stage.facts.is_given_to_students)
            return frozenset(stage.name for stage in asked if not (self.is_first and stage.topic == "values"))
        named = self.find_stages(self.options.from_stage)
        firsts = {stage.head: at for at, stage in enumerate(stages) if stage.name in named}
        last = max(firsts.values())
        return frozenset(s.name for i, s in enumerate(stages) if i >= firsts.get(s.head, last))

    def is_printed(self, stage: Stage) -> bool:
        """Say whether the stage is printed for the student: not asked for, or the same for all queries."""
        if self.planted_mistake is not None or self.options.question_amount is QuestionAmount.TRIES:
            return True
        return stage.name not in self._asked_stages or self._is_only_a_factor(stage)

    def is_cell_printed(self, stage: Stage, row: int, column: int) -> bool:
        """Say whether a cell (0-based) is printed: with its stage, as the 0 that a mask leaves, or where it fades."""
        return self.is_printed(stage) or self._is_printed_alone(stage, row, column)

    def _is_printed_alone(self, stage: Stage, row: int, column: int) -> bool:
        if self.is_zero_of_mask(stage, row, column):
            return True
        token = row if self.convention.is_rows else column
        return token in self._printed_tokens.get(stage.name, ())

    @property
    def is_first(self) -> bool:
        """Say whether it is a first sheet, which asks one query and one key, unless it says which stages it asks."""
        is_first = self.request is not None and self.request.level is Level.FIRST
        return is_first and self.options.from_stage is None and self.options.blank_stages is None

    @property
    def prints_cache(self) -> bool:
        """Whether keys and values of a cache stand where the new ones are appended: its owner found them before."""
        return self.asked_part is not None and self.asked_part.part.works_again and self.problem.variant.has_cache

    @cached_property
    def _printed_tokens(self) -> Mapping[str, tuple[int, ...]]:
        """For each stage the tokens (0-based) whose vectors are printed, though others of it are asked."""
        if self.prints_cache:
            kept = tuple(range(self.problem.variant.cache or 0))
            return {stage.name: kept for stage in self.problem.mechanism.stages if stage.topic == "appended"}
        if not self.is_first:
            return self._faded_tokens
        printed: dict[str, tuple[int, ...]] = {}
        for stage in self.problem.mechanism.stages:
            if stage.role is ProductRole.PROJECTION:
                asked = self.asked_queries[0] if stage.name in self.query_stages else 0
                count = self.problem.get_length(stage.rows if self.convention.is_rows else stage.columns)
                printed[stage.name] = tuple(token for token in range(count) if token != asked)
        return printed

    @cached_property
    def _faded_tokens(self) -> Mapping[str, tuple[int, ...]]:
        """For each stage the tokens (0-based) whose vectors are solved: the first, and while it is begun the second.

        What the first reads is printed too, or nobody could follow it: the keys and the values of all tokens, and what
        these are made of. Of the second everything is printed that the softmax starts from: its query, its scores,
        scaled.
        A worked example is completed best from its end (A. Renkl and R. Atkinson, "Structuring the Transition From
        Example Study to Problem Solving", 2003): the steps that are new come last and are asked first.
        """
        if not self.options.fade:
            return {}
        mechanism = self.problem.mechanism
        begun = {attention.maskable for attention in mechanism.attentions}
        for stage in reversed(mechanism.stages):  # a stage reads none but those before it
            begun |= set(stage.input_names) if stage.name in begun else set()
        of_all = {get_side_input(stage) for stage in mechanism.stages if stage.product is not None}
        for stage in reversed(mechanism.stages):
            of_all |= set(stage.input_names) if stage.name in of_all else set()
        faded: dict[str, tuple[int, ...]] = {}
        first, second = self.asked_queries[:2]
        for stage in mechanism.stages:
            if stage.name in self.query_stages - of_all:
                faded[stage.name] = (first, second) if stage.name in begun else (first,)
            else:
                faded[stage.name] = tuple(range(max(map(self.problem.get_length, (stage.rows, stage.columns)))))
        return faded

    def is_zero_of_mask(self, stage: Stage, row: int, column: int) -> bool:
        mask = self.problem.mechanism.find_mask(stage)
        return mask is not None and stage is not mask and mask.hides(row, column)

    def has_own_panel(self, stage: Stage) -> bool:
        """Say whether the stage has a panel; what is the same for all queries is drawn where it is read."""
        return not self._is_only_a_factor(stage) and not stage.facts.is_given_to_students

    def _is_only_a_factor(self, stage: Stage) -> bool:
        return not self.asks_every_query and stage.name not in self.query_stages

    def find_asked_rows_and_columns(self, stage: Stage) -> tuple[range | tuple[int, ...], range | tuple[int, ...]]:
        """Return the rows and columns (0-based) of a stage that the sheet draws."""
        rows, columns = (self.problem.get_length(axis) for axis in (stage.rows, stage.columns))
        if self.asks_every_query or stage.name not in self.query_stages:
            return range(rows), range(columns)
        return (self.asked_queries, range(columns)) if self.convention.is_rows else (range(rows), self.asked_queries)

    @property
    def query_letter(self) -> str:
        """What queries are called: q, or x where the inputs themselves are compared."""
        if not self.weight_stages:
            return "q"
        weights = self.weight_stages[0]
        return (weights.rows if self.convention.is_rows else weights.columns).letter

    @property
    def key_letter(self) -> str:
        """What keys are called: k, or x where the inputs themselves are compared."""
        if not self.weight_stages:
            return "k"
        weights = self.weight_stages[0]
        return (weights.columns if self.convention.is_rows else weights.rows).letter

    @cached_property
    def weight_stages(self) -> tuple[Stage, ...]:
        """The stages that give attention weights, one a head."""
        return self.problem.mechanism.weight_stages

    @cached_property
    def answer_cell_count(self) -> int:
        """Count the cells that the student fills, the worked one included."""
        return sum(self.count_answer_cells(stage) for stage in self.problem.mechanism.stages)

    @cached_property
    def scene(self) -> "Scene":
        """What questions look at."""
        from attnhand.attention.questions import Scene  # a sheet that asks nothing loads none

        stages = (stage for stage in self.problem.mechanism.stages if self.count_answer_cells(stage))
        names = frozenset(stage.name for stage in stages)
        queries = self.asked_queries[1 if self.options.fade else 0 :]  # of a faded sheet the first is solved
        begun = queries[:1] if self.options.fade else ()
        return Scene(solution=self.solution, asked_queries=queries, asked_stages=names, begun_queries=begun)

    @cached_property
    def posed_questions(self) -> "tuple[PosedQuestion, ...]":
        """What is asked beside the cells, in the order in which it is asked."""
        if (amount := self.options.question_amount) is QuestionAmount.NONE:
            return ()
        from attnhand.problems.question_choice import choose_questions

        return choose_questions(self.scene, amount, self._question_source, self.asked_part)

    @cached_property
    def written_questions(self) -> list[Any]:
        """What is posed as the key has it, once it was written: blank and key, their pages and their kind ask for it.

        It is written above this module, which only keeps it.
        """
        return []

    @cached_property
    def _question_source(self) -> str:
        """What questions are drawn from: the code without its language; own matrices without title and labels."""
        if not self.code.startswith(FINGERPRINT_LETTER):
            return strip_language(self.code)
        return compute_fingerprint(format_problem(replace(self.problem, title="", words=())))

    def count_answer_cells(self, stage: Stage) -> int:
        """Count the cells of one stage that the student fills."""
        return len(self.list_asked_cells(stage))

    def list_asked_cells(self, stage: Stage) -> tuple[tuple[int, int], ...]:
        """Return the cells (row, column, 0-based) of a stage that the student fills, the worked one among them."""
        if stage.name not in self._asked_cells:
            cells = () if self.is_printed(stage) else product(*self.find_asked_rows_and_columns(stage))
            asked = tuple(cell for cell in cells if not self._is_printed_alone(stage, *cell))
            self._asked_cells[stage.name] = asked
        return self._asked_cells[stage.name]

    @cached_property
    def worked_cell(self) -> CellPosition | None:
        """The cell that is worked as an example, of the first product that is asked and whose numbers are known.

        Token by token the first that two products or more make that are not 0; where there is none, the first of those
        that most such products make. Of scores and logits it is no largest one of a query, where there is another: the
        student guesses which that is. Of a sheet that fades it is one of the cells that are solved. None where no
        such product is asked.

        >>> from attnhand.sheet.make import make_sheet_from_request
        >>> make_sheet_from_request(Request(seed=7)).worked_cell
        ('K', 2, 1)
        """
        mechanism, values = self.problem.mechanism, self.solution.collect_hand_values()
        stage = mechanism.find_first_product({stage.name for stage in mechanism.stages if self.is_printed(stage)})
        if stage is None:
            return None
        cells = self.list_asked_cells(stage)
        if self.options.fade:
            drawn = product(*self.find_asked_rows_and_columns(stage))
            cells = tuple(cell for cell in drawn if self._is_printed_alone(stage, *cell))
        if stage.name in {attention.scores for attention in mechanism.attentions}:
            cells = self._leave_out_largest(cells, values[stage.name]) or cells
        best, most = (0, 0), -1
        for cell in sorted(cells, key=lambda cell: cell if self.convention.is_rows else cell[::-1]):
            count = min(count_telling(list_numbers(stage, values, *cell)), ENOUGH_PRODUCTS)
            if count > most:
                best, most = cell, count
            if count == ENOUGH_PRODUCTS:
                break
        return stage.name, *best

    def _leave_out_largest(self, cells: tuple[tuple[int, int], ...], scores: Matrix) -> tuple[tuple[int, int], ...]:
        """Return cells but for those with the largest number of their query."""
        queries = transpose_if_columns(scores, self.convention)
        return tuple((i, j) for i, j in cells if scores[i][j] < max(queries[i if self.convention.is_rows else j]))

    @cached_property
    def _asked_cells(self) -> dict[str, tuple[tuple[int, int], ...]]:
        """The cells that were listed, by stage: marking asks for them again and again."""
        return {}

    @property
    def convention(self) -> Convention:
        """Whether tokens are columns or rows."""
        return self.problem.convention

    @property
    def language(self) -> Language:
        """The language of its sentences, lists and decimals."""
        return get_language(self.options.language_code)

    def format_qr_text(self, page_number: int) -> str:
        """Return what the QR code of a page says: the sheet code; in a class set also № and page, "A1Q0-… 47 2"."""
        return f"{self.code} {self.seat.number} {page_number}" if self.seat else self.code

    def say(self, key: str, **placeholders: object) -> str:
        """Return a sentence of the sheet's language in markup, filled in; one for the mechanism where it has one."""
        return self.language.format(self._find_key(key) or key, **placeholders)

    def has_sentence(self, key: str) -> bool:
        """Say whether the language has such a sentence."""
        return self._find_key(key) is not None

    def _find_key(self, key: str) -> str | None:
        return find_most_exact_key(self.language, key, self.problem.mechanism.name, self.convention)


@cache  # a page says the same few hundred sentences thousands of times
def find_most_exact_key(language: Language, key: str, mechanism: str, convention: Convention) -> str | None:
    """Return the most exact key: ``outputs.do.basic.rows`` before ``outputs.do.basic``."""
    keys = (f"{key}.{mechanism}.{convention}", f"{key}.{mechanism}", f"{key}.{convention}", key)
    return next((found for found in keys if found in language.sentences), None)


def _check_printable(field_name: str, text: str, max_length: int) -> None:
    if len(text) > max_length:
        begin = repr(text) if len(text) <= 30 else f"{text[:30]!r}…"
        raise PageError(
            f"the {field_name} {begin} has {len(text)} characters: a {field_name} has at most {max_length}; shorten it"
        )
    if missing := find_missing_characters(text):
        raise PageError(
            f"the {field_name} {text!r} holds {missing[0]!r} (U+{ord(missing[0]):04X}), which the bundled font "
            "cannot print: leave it out"
        )
