"""What a tiny language model says: by hand, without one of its parts, with one number changed, after a step."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import mul

from attnhand.attention.arithmetic import HAND, Arithmetic
from attnhand.attention.formulas.kinds import make_exact_numbers
from attnhand.attention.formulas.working import work_again, work_stages
from attnhand.attention.mechanisms import Variant
from attnhand.attention.numbers import Number
from attnhand.attention.problem import TARGET_NAME
from attnhand.problems.language_model import SENTENCES, WORDS, LanguageModel
from attnhand.problems.language_model_working import Part, work_model


def list_favourites(logits: Sequence[Number]) -> tuple[str, ...]:
    """Return the word with the largest logit, or words, where several have it.

    >>> list_favourites((0, 1, 1, 0, 0, 0, 0, 0))
    ('dogs', 'cats')
    """
    return tuple(word for word, logit in zip(WORDS, logits, strict=True) if logit == max(logits))


def say_next(model: LanguageModel, without: Part | None = None) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return each sentence of the language with what the model favours after it, by hand.

    >>> from attnhand.problems.language_model import load_models
    >>> say_next(load_models()[0])[".", "dogs", "never", "eat"]
    ('fish',)
    """
    return {words: list_favourites(work_model(model, words, without).get_last("logits")) for words in SENTENCES}


def say_next_after_step(model: LanguageModel) -> Mapping[tuple[str, ...], tuple[str, ...]]:
    """Return the same after the model's step of learning: what was learnt, and what was forgotten.

    Of another sentence logits move by h · h′ where those of the learnt one move by its squared length.
    """
    step = model.step
    mechanism = Variant(mechanism="next-token", learning_rate=step.eta).build_mechanism()
    numbers = make_exact_numbers(Arithmetic(rules=HAND))
    columns = {words: work_model(model, words) for words in SENTENCES}
    learnt = columns[step.sentence].get_last("N3")
    target = tuple((int(word == step.target),) for word in WORDS)
    given = {"z": tuple((number,) for number in learnt), "W_U": model.W_U, TARGET_NAME: target}
    known = work_stages(mechanism.formulas, numbers, given)
    said = {}
    for words, column in columns.items():
        along = sum(map(mul, column.get_last("N3"), learnt))
        other = {"zz": (along,), "logits": tuple((logit,) for logit in column.get_last("logits")), "g": known["g"]}
        moved = work_again(mechanism.formulas, numbers, known, other)["logits_new"]
        said[words] = list_favourites([logit for (logit,) in moved])
    return said


@dataclass(frozen=True, slots=True, kw_only=True)
class Sabotage:
    """One given number that is changed."""

    matrix: str
    """The field of the model."""

    address: tuple[int, ...]
    """Indices from 0: head, where the matrix has heads, row, column."""

    value: int
    """What it is changed to."""


def list_sabotages(
    model: LanguageModel, words: Sequence[str] = (".", "dogs", "never", "eat"), wrong: str = "bones"
) -> tuple[Sabotage, ...]:
    """Return every change of one weight, by 1 or to 0, after which the model favours a wrong word, by hand.

    The numbers of words stay: a column of X whose squares no longer add to 6 would give itself away.
    """
    right = work_model(model, words)
    return tuple(
        sabotage
        for sabotage in _list_changes(model)
        if list_favourites(right.change_model(change_number(model, sabotage)).get_last("logits")) == (wrong,)
    )


SABOTAGED = ("W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", "W_U")


def _list_changes(model: LanguageModel) -> Iterator[Sabotage]:
    for name in SABOTAGED:
        for address, number in _walk(getattr(model, name)):
            for value in sorted({number - 1, number + 1, 0} - {number}):
                yield Sabotage(matrix=name, address=address, value=value)


def _walk(value: object, address: tuple[int, ...] = ()) -> Iterator[tuple[tuple[int, ...], int]]:
    if isinstance(value, int):
        yield address, value
    elif isinstance(value, tuple):
        for i, part in enumerate(value):
            yield from _walk(part, (*address, i))


def change_number(model: LanguageModel, sabotage: Sabotage) -> LanguageModel:
    """Return a model with one number changed."""

    def put(value: object, address: tuple[int, ...]) -> object:
        if not address:
            return sabotage.value
        assert isinstance(value, tuple)
        i, *rest = address
        return (*value[:i], put(value[i], tuple(rest)), *value[i + 1 :])

    changed: dict[str, object] = {sabotage.matrix: put(getattr(model, sabotage.matrix), sabotage.address)}
    return replace(model, **changed)  # type: ignore[arg-type]
