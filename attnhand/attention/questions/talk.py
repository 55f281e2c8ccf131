"""Questions to talk about: a guess before anything is compared, and a look back at the end. None is marked."""

from collections.abc import Iterator

from attnhand.attention.questions.base import AnswerKind, Parameters, Part, Question, Scene
from attnhand.attention.questions.reading import find_guess, list_choosers


def _list_guesses(scene: Scene) -> Iterator[Parameters]:
    """Yield the queries of the first head, unless its scores are printed; a story asks for a guess at its head."""
    for parameters in list_choosers(scene) if scene.problem.story is None else ():
        if parameters.attention == 0 and scene.get_attention(parameters).scores in scene.asked_stages:
            yield parameters


def _list_shadings(scene: Scene) -> Iterator[Parameters]:
    for at, attention in enumerate(scene.mechanism.attentions):
        if attention.weights in scene.asked_stages:
            yield Parameters(attention=at)


def _list_once(_scene: Scene) -> tuple[Parameters, ...]:
    return (Parameters(),)


TALKS: tuple[Question, ...] = (
    Question(
        id="guess",
        kind=AnswerKind.TALK,
        part=Part.GUESS,
        seconds=30,
        list_parameters=_list_guesses,
        find_answer=find_guess,
    ),
    Question(id="shade", kind=AnswerKind.TALK, part=Part.SHADING, seconds=90, list_parameters=_list_shadings),
    Question(id="again", kind=AnswerKind.TALK, part=Part.AGAIN, seconds=60, list_parameters=_list_once),
    Question(id="pencil", kind=AnswerKind.TALK, part=Part.PENCIL, seconds=60, list_parameters=_list_once),
)
