"""The questions of a sheet in its language: text, choices, and on the key the answer and its reason."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from itertools import groupby
from math import floor

from attnhand.attention.mechanisms.base import strip_head
from attnhand.attention.numbers import MINUS, Number, to_float
from attnhand.attention.questions import (
    Answer,
    AnswerKind,
    CellChange,
    Finding,
    Parameters,
    Part,
    PosedQuestion,
    Question,
    Scene,
    Vectors,
)
from attnhand.attention.questions.tries import GROW_BY
from attnhand.attention.questions.what_if import RAISE_BY, count_work_with_cache, find_norm
from attnhand.attention.solution import format_cell_address
from attnhand.problems.language_model import SENTENCES
from attnhand.problems.mistake import PlantedMistake
from attnhand.sheet.addresses import find_namesakes, format_headed_address
from attnhand.sheet.build_grids import find_changed_cells, format_matrix_markup, format_sheet_value
from attnhand.sheet.conclusion import WRITING_LINE
from attnhand.sheet.grids import Cell, CellKind, Grid, GridStyle, Label, Mark, format_vector_label
from attnhand.sheet.hints import describe_slip
from attnhand.sheet.sentences import format_query
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.story import format_story_question
from attnhand.text.widths import (
    Text,
    capitalize,
    embolden,
    make_plain_text,
    measure_width,
    parse_markup,
    to_unicode,
)

MAX_PRINTED_DENOMINATOR = 2000
"""A fraction with a larger one stands on a key as a decimal: nobody works with it any further."""

CELL_NAME, NUMBER_NAME, WORDS_NAME = "ask1", "ask2", "ask3"
"""The addresses of the three answers."""


def _list_nothing(_scene: Scene) -> tuple[Parameters, ...]:
    """List no way to ask: these are questions of a sheet with a mistake, and of no other."""
    return ()


def _make_question(id: str, kind: AnswerKind) -> Question:
    return Question(id=id, kind=kind, part=Part.MISTAKE, seconds=0, list_parameters=_list_nothing)


_CELL, _NUMBER, _WORDS = (
    _make_question("mistake.cell", AnswerKind.CELL),
    _make_question("mistake.belongs", AnswerKind.NUMBER),
    _make_question("mistake.why", AnswerKind.WORDS),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """One question, as a sheet prints it; on a blank sheet it holds no answer."""

    name: str
    """The address of its answer, ``ask1``; empty where it is to be talked about."""

    posed: PosedQuestion
    text: Text
    """All that is asked; of the first cell of a try with what is to be done."""

    lead: Text = ()
    """That part of it which says what is to be done, before the first cell of a try."""

    choices: tuple[str, ...] = ()
    """The words that it offers."""

    answer: Text = ()
    reason: Text = ()
    stage_name: str = ""
    """The scores that a guess is made before."""

    @property
    def part(self) -> Part:
        """When it is asked."""
        return self.posed.question.part

    @property
    def label(self) -> Text:
        """What is asked, without what is to be done first."""
        return self.text[len(self.lead) :]

    @property
    def has_short_answer(self) -> bool:
        """Say whether a word or a number is asked."""
        return bool(self.name) or self.part is Part.GUESS

    @property
    def has_reason(self) -> bool:
        """Say whether a student is asked why."""
        return self.part in (Part.WHAT_IF, Part.WHY)

    @property
    def plain_answer(self) -> str:
        """The answer as it is typed: "q2", "W_Q[1,2] = -3"."""
        return "".join(run.text for run in self.answer).replace(MINUS, "-")

    @property
    def spoken_text(self) -> str:
        """What is asked, without markup."""
        return to_unicode(self.text)


def build_questions(sheet: Sheet) -> tuple[AskedQuestion, ...]:
    """Return what a sheet asks beside its cells, in order; answers and reasons on the key alone.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.problems.request import Request
    >>> asked = build_questions(make_sheet_from_request(Request(seed=7)).blank)
    >>> [question.name for question in asked], {question.answer for question in asked}
    (['', 'ask1', 'ask2', '', 'ask3', 'ask4', 'ask5', ''], {()})
    """
    if sheet.planted_mistake:
        return build_mistake_questions(sheet)
    kept: list[AskedQuestion] = sheet.written_questions
    if [each.posed for each in kept] != [*sheet.posed_questions]:
        kept[:] = write_questions(sheet.key)
    return tuple(kept) if sheet.is_solved else hide_answers(kept)


def write_questions(sheet: Sheet) -> tuple[AskedQuestion, ...]:
    """Write what is posed on a sheet, with answers and reasons."""
    asked: list[AskedQuestion] = []
    count = 0
    for posed in sheet.posed_questions:
        count += posed.has_answer
        writer = _QuestionWriter(sheet, posed)
        has_answer = posed.finding is not None or posed.question.kind is AnswerKind.TALK
        begins_try = bool(posed.try_id) and (not asked or asked[-1].posed.try_id != posed.try_id)
        lead = writer.write_try() if begins_try else ()
        asked.append(
            AskedQuestion(
                name=f"ask{count}" if posed.has_answer else "",
                posed=posed,
                lead=lead,
                text=(*lead, *writer.write_question()),
                choices=tuple(map(writer.name_choice, posed.question.choices)),
                answer=parse_markup(writer.format_answer()) if has_answer else (),
                reason=parse_markup(writer.format_reason()) if has_answer else (),
                stage_name=sheet.scene.get_attention(posed.parameters).scores,
            )
        )
    return tuple(asked)


def find_first_wrong_cell(sheet: Sheet, mistake: PlantedMistake) -> CellChange:
    """Return the first cell that a mistake changed, row by row, and what belongs there."""
    name = mistake.stage_name
    i, j = find_changed_cells(sheet, mistake, sheet.problem.mechanism.get_stage(name))[0]
    return CellChange(name, i, j, sheet.solution[name].hand[i][j])


def build_mistake_questions(sheet: Sheet) -> tuple[AskedQuestion, ...]:
    """Return what a sheet with a mistake asks, answers and reasons on the key alone; nothing where there is none.

    >>> from attnhand.sheet.make import make_sheet_from_request
    >>> from attnhand.sheet.options import PageOptions
    >>> from attnhand.problems.request import Request
    >>> sheet = make_sheet_from_request(Request(seed=7), PageOptions(mistake="truncated"))
    >>> [question.plain_answer for question in build_mistake_questions(sheet)]
    ['scaled[1,3]', '-1', 'Rounded toward zero instead of down']
    """
    mistake = sheet.planted_mistake
    if mistake is None:
        return ()
    first = find_first_wrong_cell(sheet, mistake)
    slip = describe_slip(sheet, mistake.slip_id, sheet.problem.mechanism.get_stage(mistake.stage_name))
    place = first.matrix, first.row, first.column
    is_clear = len(find_namesakes(sheet, first.matrix)) == 1
    address = format_headed_address(sheet, *place) if is_clear else format_cell_address(*place)
    answers = (
        (CELL_NAME, _CELL, first, make_plain_text(address)),
        (NUMBER_NAME, _NUMBER, first.value, make_plain_text(str(format_sheet_value(sheet, first.value)))),
        (WORDS_NAME, _WORDS, mistake.slip_id, parse_markup(capitalize(slip))),
    )
    return tuple(
        AskedQuestion(
            name=name,
            posed=PosedQuestion(
                question=question, parameters=Parameters(), finding=Finding(answer=answer) if sheet.is_solved else None
            ),
            text=parse_markup(sheet.say(question.id)),
            answer=text if sheet.is_solved else (),
        )
        for name, question, answer, text in answers
    )


def hide_answers(questions: Iterable[AskedQuestion]) -> tuple[AskedQuestion, ...]:
    """Return the questions of a key as its blank sheet asks them."""
    return tuple(replace(each, posed=replace(each.posed, finding=None), answer=(), reason=()) for each in questions)


def format_question_line(question: AskedQuestion) -> Text:
    """Return what stands beside the box for an answer: the question, on a key of a reading with its reason."""
    if not question.reason or question.has_reason:
        return question.label
    return (*question.label, *make_plain_text(f" ({to_unicode(question.reason).removesuffix('.')})"))


def format_try_end(end: AskedQuestion, *, is_solved: bool) -> Text:
    """Return the half sentence that ends a try, or on a key the whole."""
    if not is_solved:
        return end.text
    *before, last = end.text
    begun = last._replace(text=last.text.removesuffix("…"))
    return (*before, begun, *format_answer_line(end))


def list_tries(questions: Sequence[AskedQuestion]) -> list[tuple[AskedQuestion, AskedQuestion]]:
    """Return the first and the last cell of every try."""
    groups = groupby(questions, lambda question: question.posed.try_id)
    tries = [[*group] for try_id, group in groups if try_id]
    return [(cells[0], cells[-1]) for cells in tries]


def format_reason_line(sheet: Sheet, question: AskedQuestion) -> Text:
    """Return "Because …"."""
    return (*make_plain_text(f"{sheet.say('ask.because')} "), *question.reason)


def format_answer_line(question: AskedQuestion) -> Text:
    """Return the answer as a key prints it."""
    return embolden(question.answer)


def format_guess_line(question: AskedQuestion) -> Text:
    """Return what is guessed, with a writing line, or on a key with what will be found."""
    if not question.answer:
        return format_open_guess(question)
    answer = format_answer_line(question)
    missing = measure_width(make_plain_text(WRITING_LINE), 10) - measure_width(answer, 10)
    # as wide as the writing line, so that words below it stand where they stand on the blank
    padding = max(0, floor(missing / measure_width(make_plain_text("\u00a0"), 10))) * "\u00a0"
    return (*question.text, *make_plain_text("\u00a0"), *answer, *make_plain_text(padding))


def format_open_guess(question: AskedQuestion) -> Text:
    """Return what is guessed, with a writing line."""
    return (*question.text, *make_plain_text(f"\u00a0{WRITING_LINE}"))


def build_answer_grid(sheet: Sheet, question: AskedQuestion) -> Grid:
    """Draw the box for the answer to a question."""
    spoken = sheet.say("ask.answer.spoken", number=question.name.removeprefix("ask"))
    cell = Cell(CellKind.BLANK, address=question.name, spoken_name=spoken)
    return Grid(name=(), style=GridStyle.WORKED, rows=(Label(()),), columns=(Label(()),), cells=((cell,),))


def find_question(sheet: Sheet, part: Part) -> AskedQuestion | None:
    """Return the first question of a part; None where there is none."""
    return next((question for question in build_questions(sheet) if question.part is part), None)


def list_token_words(sheet: Sheet, question: AskedQuestion) -> tuple[str, ...]:
    """Return the words of the tokens that an answer may name."""
    if question.posed.question.vectors is Vectors.SENTENCES:
        return ()
    names_keys, story = question.posed.question.vectors is Vectors.KEYS, sheet.problem.story
    if names_keys and "memory" in sheet.problem.sizes and not sheet.problem.variant.has_cache:
        return story.memory_words if story else ()
    return sheet.problem.words


def list_offered_answers(sheet: Sheet, question: AskedQuestion) -> tuple[tuple[Answer, str], ...]:
    """Return every answer that can be chosen, with what it is called; nothing where a number is asked."""
    posed, sizes = question.posed, sheet.problem.sizes
    if posed.question.kind is AnswerKind.CHOICE:
        return tuple(zip(posed.question.choices, question.choices, strict=True))
    if posed.question.kind not in (AnswerKind.TOKEN, AnswerKind.TOKENS):
        return ()
    keys = sheet.problem.key_count
    counts = {Vectors.KEYS: keys, Vectors.WITH_NEXT: keys + 1, Vectors.SENTENCES: len(SENTENCES)}
    if posed.question.vectors is Vectors.FEATURES:
        counts[Vectors.FEATURES] = sizes["d_v"] * len(sheet.problem.mechanism.attentions)
    writer, words = _QuestionWriter(sheet, posed), list_token_words(sheet, question)
    count = counts.get(posed.question.vectors, sizes["tokens"])
    names = [to_unicode(parse_markup(writer.name_vector(at))) for at in range(count)]
    if posed.question.vectors is Vectors.KEYS and words and posed.question.id != "story":
        names = [f"{name} ({word})" for name, word in zip(names, words, strict=True)]
    return tuple(((at,), name) for at, name in enumerate(names))


def list_choice_spellings(sheet: Sheet, choice: str) -> tuple[str, ...]:
    """Return the word for a choice, and what else is read as it."""
    also = f"choice.{choice}.also"
    return (sheet.say(f"choice.{choice}"), *(sheet.say(also).split("|") if sheet.has_sentence(also) else ()))


def format_question_remark(sheet: Sheet, question: AskedQuestion, mark: Mark, answer: str) -> str:
    """Return what to think over where an answer is not right; nothing where it is, or is none."""
    number, reason = question.name.removeprefix("ask"), to_unicode(question.reason)
    match mark:
        case Mark.FOLLOWS:
            return sheet.say("feedback.question.follows", number=number)
        case Mark.UNREADABLE:
            key = f"feedback.question.unreadable.{question.posed.question.kind}"
            return sheet.say(key, number=number, answer=answer, choices=list(question.choices))
        case Mark.WRONG:
            key = "feedback.question.think" if question.has_reason else "feedback.question.read"
            return sheet.say(key, number=number, answer=answer, reason=reason)
        case _:
            return ""


class _QuestionWriter:
    """Writes one question."""

    def __init__(self, sheet: Sheet, posed: PosedQuestion) -> None:
        self.sheet, self.posed = sheet, posed
        self.key = f"ask.{posed.question.id}"
        self.values = self._collect_values(posed.parameters)

    def _collect_values(self, at: Parameters) -> dict[str, object]:
        """Return what its sentences may name."""
        sheet, problem = self.sheet, self.sheet.problem
        mechanism = problem.mechanism
        attention = sheet.scene.get_attention(at)
        last = self._name_letter(mechanism.stages[-1].name)
        kept = problem.variant.cache or 0
        pair: list[object] = [at.token + 1, at.other + 1]
        if self._compares_outputs:
            pair = [format_vector_label(last, at.token + 1), format_vector_label(last, at.other + 1)]
        numbers = self.posed.finding.numbers if self.posed.finding else {}
        return {
            "query": self._name_query(at.query),
            "output": format_vector_label(self._name_letter(attention.outputs), kept + at.query + 1),
            "value": format_vector_label("v", at.token + 1),
            "token": format_vector_label("x", at.token + 1),
            **self._name_normed(at),
            "number": at.token + 1,
            "key_vector": format_vector_label("k", at.token + 1),
            "one": pair[0],
            "two": pair[1],
            "last": format_matrix_markup(sheet, mechanism.stages[-1].name),
            "unmasked": format_matrix_markup(sheet, attention.maskable) if attention.maskable else "",
            "attended": format_matrix_markup(sheet, "output") if mechanism.find_stage("output") else "",
            "head": at.attention + 1,
            "weights": "W_Q",
            "raise": RAISE_BY,
            "base": problem.rules.base,
            "drawn_from": self._name_drawn_from(),
            "faces": at.faces,
            "roll": at.other,
            "word": f"{format_vector_label(sheet.key_letter, at.token + 1)}{self._name_word(at.token)}",
            "other_base": at.base or "",
            "temperature": str(problem.variant.temperature or ""),
            **self._name_pairs(at),
            **self._name_work_with_cache(),
            **{name: self._format_number(value) for name, value in numbers.items()},
            **(self.posed.finding.words if self.posed.finding else {}),
        }

    def _name_normed(self, at: Parameters) -> dict[str, object]:
        """Return what is called a token that is normalised, and what comes of it; nothing where there is no norm."""
        stage = find_norm(self.sheet.problem.mechanism)
        if stage is None:
            return {}
        before, after = (self._name_letter(name) for name in (stage.input_names[0], stage.name))
        return {
            "long_vector": format_vector_label(before, at.token + 1),
            "normed_vector": format_vector_label(after, at.token + 1),
        }

    def _name_work_with_cache(self) -> dict[str, object]:
        """Return what the question about a lost cache says of the sheet itself, which no answer changes."""
        if self.posed.question.id != "lost-cache":
            return {}
        return count_work_with_cache(self.sheet.scene)

    def _name_drawn_from(self) -> str:
        """Return which probabilities a die stands for (markup): those after top-k, where they are worked."""
        mechanism = self.sheet.problem.mechanism
        last = "p_k" if mechanism.find_stage("p_k") else "p"
        return format_matrix_markup(self.sheet, last) if mechanism.find_stage(last) else ""

    def _name_query(self, query: int) -> str:
        """Return what a query is called (markup): where a part works the last word of a sentence alone, that word."""
        asked = self.sheet.asked_part
        if asked is None or not self.sheet.problem.variant.has_vocabulary:
            return format_query(self.sheet, query)
        return f"**{asked.told['word']}**"

    def _name_word(self, at: int) -> str:
        """Return the word of a place in the vocabulary in brackets; nothing where words are not named."""
        words = self.sheet.problem.words if self.sheet.problem.variant.has_vocabulary else ()
        return f" ({words[at]})" if words else ""

    def _name_pairs(self, at: Parameters) -> dict[str, object]:
        """Return what the cells of a try may name: a second token, its query and its key, a cell of a matrix."""
        sheet, outputs = self.sheet, self.sheet.scene.get_attention(at).outputs
        places = [at.other + 1, at.feature + 1], [at.token + 1, at.query + 1]
        weight, output = (pair[:: -1 if sheet.convention.is_rows else 1] for pair in places)
        return {
            "other": at.other + 1,
            "other_head": at.other + 1,
            "key_one": format_vector_label(sheet.key_letter, at.token + 1),
            "key_two": format_vector_label(sheet.key_letter, at.other + 1),
            "query_one": format_vector_label(sheet.query_letter, at.token + 1),
            "query_two": format_vector_label(sheet.query_letter, at.other + 1),
            "output_one": format_vector_label(self._name_letter(outputs), at.token + 1),
            "output_two": format_vector_label(self._name_letter(outputs), at.other + 1),
            "weight": f"W_Q[{weight[0]},{weight[1]}]",
            "cell": f"[{output[0]},{output[1]}]",
            "grow": GROW_BY,
        }

    @property
    def _compares_outputs(self) -> bool:
        return self.posed.question.choices[:1] == ("yes",)

    def _name_letter(self, name: str) -> str:
        """Return what the tokens of a stage, or of a given matrix, are called: z, o, x."""
        mechanism = self.sheet.problem.mechanism
        given = next((each for each in mechanism.given if each.name == name), None)
        if (matrix := mechanism.find_stage(name) or given) is None:
            return ""
        return (matrix.rows if self.sheet.convention.is_rows else matrix.columns).letter

    def _format_decimal(self, value: Number) -> str:
        return self.sheet.language.decimal(to_float(value), self.sheet.problem.rules.decimals)

    def _format_number(self, value: Number) -> str:
        return str(format_sheet_value(self.sheet, value))

    def write_question(self) -> Text:
        """Return the question, with its head where there are several."""
        sheet, question = self.sheet, self.posed.question
        story = sheet.problem.story
        if question.id == "story" and story:
            return parse_markup(format_story_question(sheet, story))
        key = self._find_key(self.key)
        only = self._list_without_choice()
        aside = sheet.say("ask.only", only=only) if only else ""
        text = sheet.say(key, choices=[*map(self.name_choice, question.choices)], aside=aside, **self.values)
        if question.part is Part.WHAT_IF:
            text = sheet.say("ask.what_if", question=text)
        if question.part is Part.TRY:
            return parse_markup(text)
        head = self._find_head()
        if head and question.part in (Part.GUESS, Part.READING, Part.WHAT_IF) and "{head}" not in sheet.say(key):
            text = sheet.say("ask.head", head=head, question=text) if not self._is_about_outputs else text
        return parse_markup(text)

    def write_try(self) -> Text:
        """Return what is to be done before the cells of a try, and why."""
        sheet = self.sheet
        text = sheet.say(f"ask.try.{self.posed.try_id}", **self.values)
        head = self._find_head()
        if head and "{head}" not in sheet.say(f"ask.try.{self.posed.try_id}") and not self._is_about_outputs:
            text = sheet.say("ask.head", head=head, question=text)
        return parse_markup(f"{text} ")

    def _find_head(self) -> int:
        """Return the head that is asked about, from 1; 0 for none."""
        stages = self.sheet.weight_stages
        return stages[self.posed.parameters.attention].head if stages else 0

    @property
    def _is_about_outputs(self) -> bool:
        """Say whether no single head is meant."""
        about_outputs = (
            "exchange-tokens",
            "same-word",
            "add-positions",
            "drop-positions",
            "later-token",
            "kept-numbers",
            "lost-cache",
            "no-output",
            "double-token",
        )
        return self.posed.question.id in about_outputs or self.posed.try_id == "residual"

    def _find_key(self, key: str) -> str:
        """Return the sentence for a sheet that has no outputs, or a mask; else that for all."""
        attention = self.sheet.scene.get_attention(self.posed.parameters)
        endings = [(".weights", not attention.outputs), (".causal", bool(attention.masked))]
        found = (f"{key}{ending}" for ending, holds in endings if holds)
        return next(filter(self.sheet.has_sentence, found), key)

    def _list_without_choice(self) -> list[str]:
        """Return the asked queries that see one token alone."""
        sheet = self.sheet
        if not sheet.weight_stages:  # there no query's weights are looked at
            return []
        choosing = sheet.scene.list_choosing_queries(self.posed.parameters.attention)
        return [format_query(sheet, q) for q in sheet.asked_queries if q not in choosing]

    def name_choice(self, choice: str) -> str:
        """Return the word for a choice."""
        return self.sheet.say(f"choice.{choice}")

    def name_vector(self, at: int) -> str:
        """Return what a token (0-based) is called in an answer (markup): "q_{2}", "3", a word of a story."""
        question, story = self.posed.question, self.sheet.problem.story
        if question.id == "story" and story:
            return (story.memory_words or self.sheet.problem.words)[at]
        outputs = self._name_letter(self.sheet.scene.get_attention(Parameters()).outputs)
        letter = {Vectors.QUERIES: self.sheet.query_letter, Vectors.OUTPUTS: outputs}.get(question.vectors)
        return format_vector_label(letter, at + 1) if letter else str(at + 1)

    def _name_answer(self, at: int) -> str:
        """Return what a token (0-based) is called as an answer: of a vocabulary its word too, "fish (7)"."""
        name, problem = self.name_vector(at), self.sheet.problem
        is_word = problem.variant.has_vocabulary and problem.words and self.posed.question.vectors is Vectors.KEYS
        return f"{problem.words[at]} ({name})" if is_word else name

    def format_reason(self) -> str:
        """Return why the answer is right (markup)."""
        if self.posed.finding is None:
            return ""
        keys = (f"{self.key}.because.{self.posed.finding.reason}", f"{self.key}.because")
        key = next((key for key in keys if self.sheet.has_sentence(key)), None)
        return self.sheet.say(key, **self.values) if key else ""

    def format_answer(self) -> str:
        """Return the answer (markup): "q_{2}", "3", "1, 2", "1/4", "the same", "W_Q[1,2] = 1", what ends a sentence."""
        finding, rest = self.posed.finding, self._find_key(f"{self.key}.rest")
        if finding is None:
            return self.sheet.say(rest, **self.values) if self.sheet.has_sentence(rest) else ""
        answer = finding.answer
        if isinstance(answer, tuple):
            return self.sheet.language.list_of(map(self._name_answer, answer))
        if isinstance(answer, str):
            return self.name_choice(answer)
        if isinstance(answer, CellChange):
            place = format_cell_address(strip_head(answer.matrix), answer.row, answer.column)
            return f"{place} = {self._format_number(answer.value)}"
        is_long = isinstance(answer, Fraction) and answer.denominator > MAX_PRINTED_DENOMINATOR
        return self._format_decimal(answer) if is_long else self._format_number(answer)
