"""Questions to talk about: a guess before anything is compared, and a look back at the end. None is marked."""

from collections.abc import Iterator
from dataclasses import replace

from attnhand.attention.arithmetic import HAND
from attnhand.attention.questions.base import AnswerKind, Finding, Parameters, Part, Question, Scene
from attnhand.attention.questions.reading import find_guess, list_choosers


def _list_guesses(scene: Scene) -> Iterator[Parameters]:
    """Yield the queries of the first head, unless its scores are printed; a story asks for a guess at its head."""
    for parameters in list_choosers(scene) if scene.problem.story is None else ():
        if parameters.attention == 0 and scene.get_attention(parameters).scores in scene.asked_stages:
            yield parameters


def _find_guess(scene: Scene, parameters: Parameters) -> Finding | None:
    """Answer a guess, unless the scores of its query are printed."""
    return None if parameters.query in scene.begun_queries else find_guess(scene, parameters)


def _list_shadings(scene: Scene) -> Iterator[Parameters]:
    for at, attention in enumerate(scene.mechanism.attentions):
        if attention.weights in scene.asked_stages:
            yield Parameters(attention=at)


def _list_guessed(scene: Scene) -> tuple[Parameters, ...]:
    """Yield one look back, where scores are worked: at given ones nothing is to be guessed."""
    return (Parameters(),) if scene.mechanism.find_stage(scene.mechanism.attentions[0].scores) else ()


def _list_with_shortcuts(scene: Scene) -> tuple[Parameters, ...]:
    """Yield one look at what the shortcuts changed, where some were taken."""
    rules = scene.problem.rules
    takes_them = scene.mechanism.has_powers and rules.without_shortcuts != replace(rules, decimals=HAND.decimals)
    return (Parameters(),) if takes_them else ()


TALKS: tuple[Question, ...] = (
    Question(
        id="guess",
        kind=AnswerKind.TALK,
        part=Part.GUESS,
        seconds=30,
        list_parameters=_list_guesses,
        find_answer=_find_guess,
    ),
    Question(id="shade", kind=AnswerKind.TALK, part=Part.SHADING, seconds=90, list_parameters=_list_shadings),
    Question(id="again", kind=AnswerKind.TALK, part=Part.AGAIN, seconds=60, list_parameters=_list_guessed),
    Question(id="pencil", kind=AnswerKind.TALK, part=Part.PENCIL, seconds=60, list_parameters=_list_with_shortcuts),
)
