"""How one student's page differs from everybody's: as a roster says it in columns, and the index in one cell."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace

from attnhand.errors import RosterError
from attnhand.sheet.options import PageOptions
from attnhand.sheet.seat import Student
from attnhand.text import LANGUAGES, find_language

OVERRIDE_COLUMNS = ("large_print", "tagged", "format", "language")
"""Columns that change one student's page, never the numbers."""

YES_OR_NO_COLUMNS = OVERRIDE_COLUMNS[:2]

YES_WORDS = ("yes", "y", "true", "1", "x", "on", "ja", "j", "oui", "sí", "si", "sim", "tak", "так", "да", "✓", "✔", "☑")
"""In the languages of those who keep rosters, letter case aside."""

NO_WORDS = ("no", "n", "false", "0", "off", "-", "–", "—", "nein", "non", "não", "nao", "nie", "ні", "нет")

WEB_FORMAT, PRINT_FORMAT = "html", "pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Overrides:
    """How one student's sheet differs from the others."""

    large_print: bool = False
    tagged: bool = False
    """Whether it is a PDF with all its tags, for those who listen to it."""

    is_web_sheet: bool = False
    language: str | None = None
    """The code of the student's own; None for that of the class."""

    @property
    def own_file_suffix(self) -> str:
        """How the file ends that such a sheet goes to; empty where it is printed with everybody's.

        >>> [Overrides(large_print=large, is_web_sheet=web).own_file_suffix for large, web in ((0, 0), (1, 0), (0, 1))]
        ['', '.pdf', '.html']
        """
        return ".html" if self.is_web_sheet else ".pdf" if self.large_print or self.tagged else ""

    def override_page(self, common_page: PageOptions) -> PageOptions:
        large = common_page.large_print or self.large_print
        return replace(common_page, large_print=large, language=self.language or common_page.language)


NO_OVERRIDES = Overrides()
"""Of nearly everybody; one for all."""


def settle_override(column: str, text: str) -> str:
    """Return what a cell of a roster means, as the index keeps it; empty for nothing, the text where it means nothing.

    >>> settle_override("large_print", "Ja"), settle_override("tagged", "nein"), settle_override("language", "German")
    ('yes', '', 'de')
    """
    folded = unicodedata.normalize("NFC", text).casefold()
    if column in YES_OR_NO_COLUMNS:
        return "yes" if folded in YES_WORDS else "" if folded in NO_WORDS else text
    return find_language(text) or text if column == "language" else folded


def parse_overrides(student: Student) -> Overrides:
    """Read what the roster says of one student.

    >>> parse_overrides(Student(row=1, name="Ada", overrides=(("large_print", "Yes"), ("format", "html"))))
    Overrides(large_print=True, tagged=False, is_web_sheet=True, language=None)

    Raises:
        RosterError: it says something else than can be; the message completes "roster.csv …".
    """
    if not student.overrides:
        return NO_OVERRIDES
    texts = {name: settle_override(name, text) for name, text in student.overrides}
    for name in YES_OR_NO_COLUMNS:
        if texts.get(name, "") not in ("yes", ""):
            raise RosterError(f"says {texts[name]!r} as {name} of student {student.row}: write yes, or nothing")
    if texts.get("format", "") not in ("", WEB_FORMAT, PRINT_FORMAT):
        raise RosterError(
            f"says {texts['format']!r} as the format of student {student.row}: write {WEB_FORMAT}, or nothing for paper"
        )
    if texts.get("language") and texts["language"] not in LANGUAGES:
        raise RosterError(
            f"says {texts['language']!r} as the language of student {student.row}: write {', '.join(LANGUAGES)}, "
            "or nothing"
        )
    return Overrides(
        large_print=bool(texts.get("large_print")),
        tagged=bool(texts.get("tagged")),
        is_web_sheet=texts.get("format") == WEB_FORMAT,
        language=texts.get("language") or None,
    )


SPARE = "spare"
"""In the index, of a sheet that is for whoever needs another."""

WITHDRAWN = "withdrawn"
"""In the index, of a student who is no longer on the roster."""


def split_options_cell(cell: str) -> tuple[tuple[tuple[str, str], ...], bool, bool]:
    """Return what the index says in its cell of options: how the page differs, whether it is spare, or withdrawn.

    >>> split_options_cell("withdrawn large_print=yes")
    ((('large_print', 'yes'),), False, True)
    """
    words = cell.split()
    pairs = (word.partition("=") for word in words if word not in (SPARE, WITHDRAWN))
    return tuple((name, text) for name, _, text in pairs), SPARE in words, WITHDRAWN in words


def join_options_cell(overrides: Sequence[tuple[str, str]], *, is_spare: bool, is_withdrawn: bool) -> str:
    """Return the cell that says so.

    >>> join_options_cell([("language", "uk")], is_spare=False, is_withdrawn=True)
    'withdrawn language=uk'
    """
    marks = [*([SPARE] if is_spare else []), *([WITHDRAWN] if is_withdrawn else [])]
    return " ".join([*marks, *(f"{name}={text}" for name, text in overrides)])
