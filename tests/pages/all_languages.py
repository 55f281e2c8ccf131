"""Lay out every kind of sheet in every language, blank and key, and say what is wrong with a page.

``python -m tests.pages.all_languages`` takes some minutes; ``python -m tests.pages.all_languages de long`` looks at
these alone. ``long`` is English with longer words, as long as the head of ``en.toml`` allows.
"""

import re
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from functools import cache
from pathlib import Path

from attnhand.formats.terminal import render_terminal
from attnhand.layout.lay_out import lay_out
from attnhand.problems.story_template import STORY_NAMES, read_bundled_story
from attnhand.sheet.sheet import Sheet
from attnhand.text import FALLBACK_LANGUAGE, LANGUAGES, get_language, read_story_words
from attnhand.text.language import PLURAL_RULES
from tests.check_language import NARROW_KEYS, read_own_sentences
from tests.languages import write_file
from tests.pages.geometry import find_moved_grids, find_page_faults
from tests.pages.sheets import SHEET_MAKERS, get_sheet

LONG = "xl"
"""The code of English with longer words."""

LONGER, LONGER_IN_NARROW_PLACES = 0.3, 0.2
"""How much longer its words are."""

_WORD = re.compile(r"(?<![\w{_^.\[])[a-z]{4,}(?![\w}_^=\]:])")


def lengthen(key: str, sentence: str) -> str:
    """Return a sentence whose words are longer; names of matrices, which are typed, stay.

    >>> lengthen("heads.for", "Each head has {size:one=token|other=tokens}.")
    'Each headd has {size:one=tokennn|other=tokens}.'
    """
    if key.startswith(("matrix.", "formula.", "spoken.")) or key.endswith(".also"):
        return sentence
    more = LONGER_IN_NARROW_PLACES if NARROW_KEYS.fullmatch(key) else LONGER
    return _WORD.sub(lambda match: match[0] + match[0][-1] * round(len(match[0]) * more), sentence)


@contextmanager
def add_long_language() -> Iterator[str]:
    """Let the program know English with longer words for a while."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / f"{LONG}.toml"
        english = get_language(FALLBACK_LANGUAGE).sentences
        write_file(path, {key: lengthen(key, sentence) for key, sentence in english.items()})
        LANGUAGES[LONG], PLURAL_RULES[LONG] = str(path), PLURAL_RULES[FALLBACK_LANGUAGE]
        try:
            yield LONG
        finally:
            del LANGUAGES[LONG], PLURAL_RULES[LONG]
            get_language.cache_clear()


def translate_sheet(sheet: Sheet, language: str) -> Sheet:
    """Return a sheet in another language; words of a story stay as they are."""
    code = f"{sheet.code}+{language.upper()}"
    return replace(sheet, options=replace(sheet.options, language=language), code=code)


def find_faults(sheet: Sheet) -> list[str]:
    """Return what is wrong with the pages of a sheet and of its key."""
    blank, key = lay_out(sheet.blank), lay_out(sheet.key)
    found = [f"blank: {fault}" for fault in find_page_faults(sheet.blank, blank)]
    return [*found, *(f"key: {fault}" for fault in find_page_faults(sheet.key, key)), *find_moved_grids(blank, key)]


_NAMES = frozenset({"softmax", "sheet", "concat", "relu"})


def _list_words(text: str) -> set[str]:
    """Return the words of a text, without placeholders and without those of one or two letters."""
    return {word.casefold() for word in re.findall(r"[^\W\d_]{3,}", re.sub(r"\{\w+[:}]", " ", text))}


@cache
def list_english_words(language: str) -> frozenset[str]:
    """Return the words of English sentences and stories that the file of a language never says."""
    own = " ".join(read_own_sentences(language).values()) + str(read_story_words(language))
    english = " ".join(get_language(FALLBACK_LANGUAGE).sentences.values())
    for story in map(read_bundled_story, STORY_NAMES):
        text = story.find_text(FALLBACK_LANGUAGE)
        english += f" {text.features} {text.values} {[words for _, words in text.sentences + text.questions]}"
    return frozenset(_list_words(english) - _list_words(own) - _NAMES)


def find_english(sheet: Sheet) -> list[str]:
    """Return the English words on a sheet and its key."""
    words = list_english_words(sheet.options.language_code)
    title = _list_words(" ".join((sheet.problem.title, *sheet.problem.words)))
    text = f"{render_terminal(sheet.blank, width=100)} {render_terminal(sheet.key, width=100)}"
    text = re.sub(rf"\bask\d|{re.escape(sheet.code)}", "", text)  # what is typed
    return sorted(_list_words(text) & words - title)


def check_languages(languages: Iterable[str]) -> Iterator[str]:
    """Yield what is wrong with any kind of sheet in these languages, a line a fault."""
    for language in languages:
        for name in SHEET_MAKERS:
            sheet = translate_sheet(get_sheet(name), language)
            faults = find_faults(sheet)
            if sheet.problem.story is None and language != LONG:
                faults += [f"in English: {word}" for word in find_english(sheet)]
            yield from (f"{language}, {name}: {fault}" for fault in faults)


def main() -> int:
    """Check all languages, or those that are named."""
    with add_long_language():
        asked = [LONG if name == "long" else name for name in sys.argv[1:]] or [*LANGUAGES]
        count = 0
        for fault in check_languages(asked):
            count += 1
            print(fault, flush=True)
    print(f"{len(SHEET_MAKERS)} kinds of sheets in {', '.join(asked)}: {count} faults")
    return 1 if count else 0


if __name__ == "__main__":
    sys.exit(main())
