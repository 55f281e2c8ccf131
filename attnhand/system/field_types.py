"""Values that users give by name: what is of another type is taken as it is meant, or refused."""

from collections.abc import Mapping, Sequence
from dataclasses import fields
from enum import Enum
from functools import cache
from operator import index
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from attnhand.errors import AttnhandError, list_choices, shorten

KIND_NAMES: Mapping[Any, str] = {int: "a whole number", str: "a text", Mapping: "a mapping"}


NO_EXAMPLES: Mapping[str, str] = {}


def convert_fields(instance: Any, make_error: type[AttnhandError], examples: Mapping[str, str] = NO_EXAMPLES) -> None:
    """Give every field of a frozen dataclass a value of its type: the text "many" becomes the member of that name.

    Args:
        instance: as it was filled, in its ``__post_init__``.
        examples: by field what it can hold, as it is typed in the terminal.

    Raises:
        AttnhandError: of that class, a field has a value of another type.
    """
    kinds = _list_field_kinds(instance.__class__)
    values = {name: getattr(instance, name) for name in kinds}
    for name, converted in convert_values(values, kinds, make_error, examples).items():
        if converted is not values[name]:
            object.__setattr__(instance, name, converted)


def convert_values(
    values: Mapping[str, Any],
    kinds: Mapping[str, Any],
    make_error: type[AttnhandError],
    examples: Mapping[str, str] = NO_EXAMPLES,
) -> dict[str, Any]:
    """Return every value as one of its type.

    >>> convert_values({"paper": "A4", "size": True}, {"paper": Literal["a4"], "size": int}, AttnhandError)
    Traceback (most recent call last):
    attnhand.errors.AttnhandError: size is True, not a whole number: give one

    Raises:
        AttnhandError: of that class, a value is of another type.
    """
    converted = {}
    for name, value in values.items():
        try:
            converted[name] = _convert(value, kinds[name])
        except TypeError:
            raise make_error(_describe_fault(name, value, kinds[name], examples.get(name, ""))) from None
    return converted


@cache
def _list_field_kinds(owner: type) -> Mapping[str, Any]:
    hints = get_type_hints(owner)
    return {each.name: hints[each.name] for each in fields(owner) if each.init}


def _convert(value: Any, kind: Any) -> Any:
    """Return a value as one of this type.

    >>> _convert([1, 3], tuple[int, ...] | None), _convert(None, str | None)
    ((1, 3), None)

    Raises:
        TypeError: it is none.
    """
    if type(value) is kind:  # nearly always
        return value
    if get_origin(kind) in (Union, UnionType):
        return _convert_to_one_of(value, get_args(kind))
    if _is_list(kind):
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        return tuple(_convert(item, get_args(kind)[0]) for item in value)
    if get_origin(kind) is Literal:
        return _find_choice(value, get_args(kind))
    if isinstance(value, kind) and (kind is not int or type(value) is not bool):
        return value
    if _is_enum(kind) and (member := _find_member(kind, value)):
        return member
    if kind is int and type(value) is not bool:
        return index(value)
    raise TypeError


def _convert_to_one_of(value: Any, kinds: tuple[Any, ...]) -> Any:
    if value is None and NoneType in kinds:
        return None
    for kind in _drop_texts_beside_choices(kinds):
        try:
            return _convert(value, kind)
        except TypeError:
            continue
    raise TypeError


@cache
def _drop_texts_beside_choices(kinds: tuple[Any, ...]) -> tuple[Any, ...]:
    """Leave out str and int beside Literal: there they are for type checkers, which know no value of a variable."""
    has_choices = any(get_origin(kind) is Literal for kind in kinds)
    return tuple(kind for kind in kinds if not (has_choices and kind in (str, int)))


def _find_member(kind: type[Enum], value: object) -> Enum | None:
    """Return the member that a text names, or a number: the base "3" and 3 are one; None is no "none"."""
    if not isinstance(value, str | int):
        return None
    return next((each for each in kind if str(each.value).casefold() == str(value).casefold()), None)


def _find_choice(value: object, choices: tuple[Any, ...]) -> Any:
    """Return the choice that a text names, or a number.

    >>> _find_choice("Rows", ("columns", "rows")), _find_choice(3, ("3", "2"))
    ('rows', '3')

    Raises:
        TypeError: there is none.
    """
    if isinstance(value, str | int):
        for choice in choices:
            if str(choice).casefold() == str(value).casefold():
                return choice
    raise TypeError


def _describe_fault(name: str, value: object, kind: Any, example: str) -> str:
    alternatives = get_args(kind) if get_origin(kind) in (Union, UnionType) else (kind,)
    kinds = [each for each in _drop_texts_beside_choices(alternatives) if each is not NoneType]
    members = [text for each in kinds for text in _list_members(each)]
    others = [_name_kind(each) for each in kinds if not _list_members(each)]
    written = f"{name} is {shorten(repr(value))}"
    if members:
        return f"{written}: use {list_choices([*members, *others])}"
    if kinds == [bool]:
        return f"{written}, not True or False: give one of them"
    such_as = f", such as {_write_example(example, kinds[0])}" if example else ""
    return f"{written}, not {list_choices(others)}: give one{such_as}"


def _write_example(typed: str, kind: Any) -> str:
    """Write an example in Python.

    >>> _write_example("1,3", tuple[int, ...]), _write_example("S", str), _write_example("2", int)
    ('[1, 3]', '"S"', '2')
    """
    if _is_list(kind):
        return f"[{', '.join(_write_example(each, get_args(kind)[0]) for each in typed.split(','))}]"
    return typed if kind is int else f'"{typed}"'


def _list_members(kind: Any) -> list[str]:
    if get_origin(kind) is Literal:
        return [choice for choice in get_args(kind) if isinstance(choice, str)]
    return [str(member.value) for member in kind] if _is_enum(kind) else []


def _is_list(kind: Any) -> bool:
    return get_origin(kind) in (tuple, Sequence)


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _name_kind(kind: Any) -> str:
    if _is_list(kind):
        return f"a list of {KIND_NAMES[get_args(kind)[0]].removeprefix('a ')}s"
    return KIND_NAMES.get(get_origin(kind) or kind) or f"of type {kind.__name__}"
