"""Every sentence that people read, one data file a language; markup, and how wide text is."""

from attnhand.errors import Message
from attnhand.text.language import (
    FALLBACK_LANGUAGE,
    LANGUAGES,
    Language,
    find_language,
    find_message,
    get_language,
    read_story_words,
)

__all__ = [
    "FALLBACK_LANGUAGE",
    "LANGUAGES",
    "Language",
    "Message",
    "find_language",
    "find_message",
    "get_language",
    "read_story_words",
]
