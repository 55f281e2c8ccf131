"""Plain data as text: JSON and TOML read with every number exact, JSON written one row of a matrix a line."""

import json
import re
import tomllib
from decimal import Decimal, InvalidOperation
from typing import Any, Literal

from attnhand.errors import Message, ProblemError

FileKind = Literal["json", "toml"]

MAX_TEXT_BYTES = 200_000
"""Bytes; the largest problem that fits a page takes five thousand."""

MAX_DOTS = 2_000
"""Subtle: tomllib takes time and memory that grow with the square of the parts of a.dotted.key."""

MAX_INTEGER_DIGITS = 40
"""Digits; Python refuses to read integers of more than 4,300."""

_JSON_START = re.compile(r"\s*(?:$|[{\d\"-]|\[\s*[\[\]{\d\"-])")
"""A TOML file begins with a name, a comment or a [table]."""


def read_data(text: str | bytes, kind: FileKind | None = None) -> object:
    """Read JSON or TOML into dictionaries, lists, ints and Decimals.

    >>> read_data('{"a": [0.1, 2]}'), read_data("a = [0.1, 2]")
    ({'a': [Decimal('0.1'), 2]}, {'a': [Decimal('0.1'), 2]})

    Args:
        kind: None to see from the text which of the two it is.

    Raises:
        ProblemError: the text is neither, not UTF-8, too large, nested too deep, or has a key twice.
    """
    decoded = _decode(text)
    try:
        if kind == "json" or (kind is None and _JSON_START.match(decoded)):
            return _parse_json(decoded)
        return _parse_toml(decoded, "TOML" if kind else "JSON or TOML")
    except RecursionError:
        raise ProblemError(Message("data.too-deep")) from None


def format_json(data: Any, indent: int = 0) -> str:
    """Write JSON with an indented line for every entry, but one line for what holds no list or object itself.

    >>> print(format_json({"a": [[1, 0], [0, 1]], "b": {"c": None}}))
    {
      "a": [
        [1, 0],
        [0, 1]
      ],
      "b": {"c": null}
    }
    """
    if isinstance(data, Decimal):
        return f"{data:f}"
    if not isinstance(data, dict | list):
        return json.dumps(data, ensure_ascii=False, allow_nan=False)
    opening, closing = "{}" if isinstance(data, dict) else "[]"
    names = [f"{json.dumps(key, ensure_ascii=False)}: " for key in data] if isinstance(data, dict) else [""] * len(data)
    values = list(data.values()) if isinstance(data, dict) else data
    flat = not any(isinstance(value, dict | list) for value in values) and indent > 0
    items = [name + format_json(value, indent + 2) for name, value in zip(names, values, strict=True)]
    if flat or not items:
        return opening + ", ".join(items) + closing
    margin = "\n" + " " * (indent + 2)
    return opening + margin + f",{margin}".join(items) + "\n" + " " * indent + closing


def _decode(text: str | bytes) -> str:
    if len(text) > MAX_TEXT_BYTES:
        raise ProblemError(Message("data.too-large", size=f"{len(text):,}", most=f"{MAX_TEXT_BYTES:,}"))
    try:
        decoded = text.decode("utf-8-sig") if isinstance(text, bytes) else text.removeprefix("\ufeff")
        decoded.encode()
    except UnicodeError:
        raise ProblemError(Message("data.no-text")) from None
    if not decoded.strip():
        raise ProblemError(Message("data.empty"))
    return decoded


def _parse_json(text: str) -> object:
    try:
        return json.loads(
            text,
            parse_float=_parse_decimal,
            parse_int=_parse_integer,
            parse_constant=Decimal,
            object_pairs_hook=_build_object,
        )
    except json.JSONDecodeError as error:
        fault = _lowercase_first(error.msg)
        raise ProblemError(Message("data.no-json", line=error.lineno, column=error.colno, fault=fault)) from error


def _parse_toml(text: str, format_name: str) -> object:
    if text.count(".") > MAX_DOTS:
        raise ProblemError(Message("data.many-points", most=f"{MAX_DOTS:,}"))
    try:
        return tomllib.loads(text, parse_float=_parse_decimal)
    except tomllib.TOMLDecodeError as error:
        end = f"at line {text.count(chr(10)) + 1}, column {len(text) - text.rfind(chr(10))}"
        fault = _lowercase_first(str(error)).replace("at end of document", end)
        raise ProblemError(Message("data.no-toml", format=format_name, fault=fault)) from error
    except ValueError as error:
        raise ProblemError(Message("data.many-digits")) from error


def _lowercase_first(message: str) -> str:
    return message[:1].lower() + message[1:]


def _parse_decimal(text: str) -> Decimal:
    try:
        return Decimal(text)
    except InvalidOperation:
        return Decimal("Infinity")  # an exponent beyond all bounds; refused where it stands, by row and column


def _parse_integer(text: str) -> int | Decimal:
    return int(text) if len(text) <= MAX_INTEGER_DIGITS else Decimal(text)


def _build_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ProblemError(Message("data.key-twice", name=repr(key[:40])))
        found[key] = value
    return found
