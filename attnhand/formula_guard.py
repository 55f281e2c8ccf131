"""Texts that a spreadsheet would take for formulas, kept texts."""

import re

_FORMULA = re.compile("[ \u00a0\u200b\u200c\u200d\u2060\u3000\ufeff]*[=+\\-@\t\r\n＝＋－＠]")


def guarded(text: str) -> str:
    """Keep a text from being taken for a formula: an apostrophe before it tells a spreadsheet that it is text.

    >>> guarded("=1+1"), guarded("cat")
    ("'=1+1", 'cat')
    """
    return f"'{text}" if _FORMULA.match(text) else text


def unguarded(text: str) -> str:
    """Return a text without that apostrophe.

    >>> unguarded(guarded("=1+1")), unguarded("'tis")
    ('=1+1', "'tis")
    """
    return text[1:] if text.startswith("'") and _FORMULA.match(text[1:]) else text
