"""Which questions a sheet asks: drawn from a stream of their own, so that no number of the sheet depends on them."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from attnhand.attention.questions import (
    AnswerKind,
    Parameters,
    Part,
    PosedQuestion,
    Question,
    Scene,
    Vectors,
    list_asked,
    list_tries,
)
from attnhand.attention.questions.trial import pose_try
from attnhand.problems.model_parts import AskedPart
from attnhand.problems.part_questions import pose_part_questions
from attnhand.problems.question_amount import QuestionAmount
from attnhand.problems.random_stream import RandomStream

PARTS = {
    QuestionAmount.NONE: (),
    QuestionAmount.FEW: (Part.GUESS, Part.READING, Part.WHAT_IF, Part.AGAIN),
    QuestionAmount.MANY: (
        Part.GUESS,
        Part.SHADING,
        Part.READING,
        Part.READING,
        Part.WHAT_IF,
        Part.WHAT_IF,
        Part.AGAIN,
        Part.PENCIL,
    ),
    QuestionAmount.TRIES: (),
}
"""What is asked, in this order; tries come last."""

PARTS_OF_A_MODEL = {
    **PARTS,
    QuestionAmount.FEW: (Part.GUESS, Part.READING, Part.WHY, Part.AGAIN),
    QuestionAmount.MANY: (Part.GUESS, Part.SHADING, Part.READING, Part.WHY, Part.WHAT_IF, Part.AGAIN, Part.PENCIL),
}
"""The same of a part of a whole language model, whose two questions of its own stand for what-ifs and a try."""

TRY_COUNTS = {QuestionAmount.NONE: 0, QuestionAmount.FEW: 1, QuestionAmount.MANY: None, QuestionAmount.TRIES: None}
"""How many tries there are; None for each that shows something on the sheet."""

MAX_TRIES = 12
"""So many ways to ask one question are tried before it is given up: most sheets take the first."""


@lru_cache(maxsize=64)  # a sheet, its blank and its key ask the same, and so do its models in every language
def choose_questions(
    scene: Scene, amount: QuestionAmount, sheet_code: str, asked_part: AskedPart | None = None
) -> tuple[PosedQuestion, ...]:
    """Return what a sheet asks, for ever the same for the same code; what has no one answer on it is not asked.

    Args:
        asked_part: of a sheet that is a part of a whole language model, with that model.
    """
    stream = RandomStream(sheet_code, "questions")
    catalogue = list_asked(scene)
    posed: list[PosedQuestion] = []
    for part in (PARTS_OF_A_MODEL if asked_part else PARTS)[amount]:
        if asked_part and part is Part.READING and asked_part.part.asked_from:
            continue  # what could be read was read on the sheet before
        if part is Part.WHY:
            assert asked_part is not None
            posed += pose_part_questions(scene, asked_part)
            continue
        # "Your guess: was it right?" needs one; where a story is open, its own question has room for a guess
        has_guess = scene.is_story_open or any(each.question.part is Part.GUESS for each in posed)
        if part is Part.AGAIN and not has_guess:
            continue
        asked = {each.question.id for each in posed}
        questions = [question for question in catalogue if question.part is part and question.id not in asked]
        found = next(_pose_in_turn(scene, _draw_order(questions, stream), posed, stream), None)
        posed += [found] if found else []
    count = 0 if asked_part and amount is QuestionAmount.FEW else TRY_COUNTS[amount]
    tries = list(_pose_tries(scene, posed, count, RandomStream(sheet_code, "tries")))
    return (*posed, *(cell for each in tries for cell in each))


def _pose_tries(
    scene: Scene, posed: Sequence[PosedQuestion], count: int | None, stream: RandomStream
) -> Iterator[tuple[PosedQuestion, ...]]:
    """Yield the cells of so many tries, in the order of their ideas: none of what a question asks already.

    Of few the one whose lot is drawn first: what only this form of attention can be asked has more lots.
    """
    asked = {each.question.id for each in posed}
    catalogue = [each for each in list_tries(scene) if asked.isdisjoint(each.alike)]
    lots = stream.shuffle([each.id for each in catalogue for _ in range(each.weight)])
    drawn = {each.id: each for each in catalogue}
    found: dict[str, tuple[PosedQuestion, ...]] = {}
    for each in map(drawn.__getitem__, dict.fromkeys(lots)):
        if count is not None and len(found) >= count:
            break
        ways = list(each.list_parameters(scene))
        ways = ways if each.prefers_first else stream.shuffle(ways)
        cells = next(filter(None, (pose_try(scene, each, way) for way in ways[:MAX_TRIES])), ())
        if cells:
            found[each.id] = cells
    yield from (found[each.id] for each in catalogue if each.id in found)


def _draw_order(questions: Sequence[Question], stream: RandomStream) -> list[Question]:
    """Return questions in the order in which they are tried: those that come first, then the others, as drawn.

    A question has as many lots as its weight, and the first that is drawn counts.
    """
    lots = stream.shuffle([question for question in questions for _ in range(question.weight)])
    return sorted(dict.fromkeys(lots), key=lambda question: not question.comes_first)


def _pose_in_turn(
    scene: Scene, questions: Sequence[Question], posed: Sequence[PosedQuestion], stream: RandomStream
) -> Iterator[PosedQuestion]:
    """Yield the questions that can be asked, each in one way: of another query than those before, where that goes."""
    used_queries = {(each.parameters.attention, each.parameters.query) for each in posed if each.finding}
    for question in questions:
        ways = stream.shuffle([*question.list_parameters(scene)])
        ways = [way for way in ways if not any(_tells_answer(scene, each, question, way) for each in posed)]
        ways.sort(key=lambda way: (way.attention, way.query) in used_queries)
        for way in ways[:MAX_TRIES]:
            if found := _pose(scene, question, way):
                yield found
                break


def _tells_answer(scene: Scene, earlier: PosedQuestion, question: Question, way: Parameters) -> bool:
    """Say whether whoever has answered one question need not think about another: the surest of two leaves the torn."""
    before, at = earlier.question, earlier.parameters
    if before.part is not question.part or (at.attention, at.query) != (way.attention, way.query):
        return False
    compares_two = (
        before.vectors is question.vectors is Vectors.QUERIES and len(scene.list_choosing_queries(at.attention)) == 2
    )
    return compares_two or before.find_answer is question.find_answer


def _pose(scene: Scene, question: Question, parameters: Parameters) -> PosedQuestion | None:
    finding = question.find_answer(scene, parameters)
    if finding is None and (question.kind is not AnswerKind.TALK or question.part is Part.GUESS):
        return None
    return PosedQuestion(question=question, parameters=parameters, finding=finding)
