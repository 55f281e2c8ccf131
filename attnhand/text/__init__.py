"""The languages a sheet can speak, by code."""

from attnhand.text import english

LANGUAGES: dict[str, dict[str, str]] = {english.LANGUAGE_CODE: english.SENTENCES}

__all__ = ["LANGUAGES"]
