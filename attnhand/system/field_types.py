"""Fields of dataclasses that users fill: what is of another type is taken as it is meant, or refused."""

from collections.abc import Mapping
from dataclasses import fields
from enum import Enum
from functools import cache
from operator import index
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

from attnhand.errors import AttnhandError, list_choices, shorten

KIND_NAMES: Mapping[Any, str] = {int: "a whole number", str: "a text"}


NO_EXAMPLES: Mapping[str, str] = {}


def convert_fields(instance: Any, make_error: type[AttnhandError], examples: Mapping[str, str] = NO_EXAMPLES) -> None:
    """Give every field of a frozen dataclass a value of its type: the text "many" becomes the member of that name.

    Args:
        instance: as it was filled, in its ``__post_init__``.
        examples: by field what it can hold, as it is typed in the terminal.

    Raises:
        AttnhandError: of that class, a field has a value of another type.
    """
    for name, kind in _list_kinds(instance.__class__):
        value = getattr(instance, name)
        try:
            converted = _convert(value, kind)
        except TypeError:
            raise make_error(_describe_fault(name, value, kind, examples.get(name, ""))) from None
        if converted is not value:
            object.__setattr__(instance, name, converted)


@cache
def _list_kinds(owner: type) -> tuple[tuple[str, Any], ...]:
    hints = get_type_hints(owner)
    return tuple((each.name, hints[each.name]) for each in fields(owner) if each.init)


def _convert(value: Any, kind: Any) -> Any:
    """Return a value as one of this type.

    >>> _convert([1, 3], tuple[int, ...] | None), _convert(None, str | None)
    ((1, 3), None)

    Raises:
        TypeError: it is none.
    """
    if get_origin(kind) in (Union, UnionType):
        return _convert_to_one_of(value, get_args(kind))
    if _is_list(kind):
        if isinstance(value, str | bytes | Mapping):
            raise TypeError
        return tuple(_convert(item, get_args(kind)[0]) for item in value)
    if isinstance(value, kind) and (kind is not int or type(value) is not bool):
        return value
    if _is_enum(kind) and (member := _find_member(kind, value)):
        return member
    if kind is int and type(value) is not bool:
        return index(value)
    raise TypeError


def _convert_to_one_of(value: Any, kinds: tuple[Any, ...]) -> Any:
    for kind in kinds:
        try:
            return _convert(value, kind)
        except TypeError:
            continue
    raise TypeError


def _find_member(kind: type[Enum], value: object) -> Enum | None:
    """Return the member that a text names, or a number: the base "3" and 3 are one; None is no "none"."""
    if not isinstance(value, str | int):
        return None
    return next((each for each in kind if str(each.value).casefold() == str(value).casefold()), None)


def _describe_fault(name: str, value: object, kind: Any, example: str) -> str:
    kinds = [each for each in get_args(kind) or (kind,) if each is not NoneType] if not _is_list(kind) else [kind]
    members = [str(member.value) for each in kinds if _is_enum(each) for member in each]
    others = [_name_kind(each) for each in kinds if not _is_enum(each)]
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


def _is_list(kind: Any) -> bool:
    return get_origin(kind) is tuple


def _is_enum(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, Enum)


def _name_kind(kind: Any) -> str:
    if _is_list(kind):
        return f"a list of {KIND_NAMES[get_args(kind)[0]].removeprefix('a ')}s"
    return KIND_NAMES.get(kind) or f"of type {kind.__name__}"
