"""What a roster asks for one student alone: another page, the same numbers, the same №."""

from dataclasses import dataclass, replace

from attnhand.classroom.roster import Student
from attnhand.errors import RosterError
from attnhand.sheet.page_options import PageOptions

YES, NO = ("yes", "y", "true", "1", "x", "on"), ("no", "n", "false", "0", "off", "-", "")
WEB, PRINT = "html", "pdf"


@dataclass(frozen=True, slots=True, kw_only=True)
class Wishes:
    """How one student's sheet differs from everybody's."""

    large_print: bool = False
    tagged: bool = False
    """Whether it is a PDF with all its tags, for those who listen to it."""

    web: bool = False
    """Whether it is a web sheet."""

    @property
    def own_file(self) -> str:
        """How the file ends that such a sheet goes to; empty where it is printed with everybody's.

        >>> Wishes().own_file, Wishes(large_print=True).own_file, Wishes(web=True).own_file
        ('', '.pdf', '.html')
        """
        return ".html" if self.web else ".pdf" if self.large_print or self.tagged else ""

    def page(self, everybody: PageOptions) -> PageOptions:
        """Return the page of this student."""
        return replace(everybody, large_print=everybody.large_print or self.large_print)


NONE = Wishes()
"""Of nearly everybody; one for all."""


def wishes_of(student: Student) -> Wishes:
    """Read what the roster says of one student.

    >>> wishes_of(Student(row=1, name="Ada", overrides=(("large_print", "Yes"), ("format", "html"))))
    Wishes(large_print=True, tagged=False, web=True)

    Raises:
        RosterError: it says something else than can be; the message completes "roster.csv …".
    """
    if not student.overrides:
        return NONE
    told = {name: text.casefold() for name, text in student.overrides}
    for name in ("large_print", "tagged"):
        if told.get(name, "") not in (*YES, *NO):
            raise RosterError(f"says {told[name]!r} as {name} of student {student.row}: write yes, or nothing")
    if told.get("format", "") not in ("", WEB, PRINT):
        raise RosterError(
            f"says {told['format']!r} as the format of student {student.row}: write {WEB}, or nothing for paper"
        )
    return Wishes(
        large_print=told.get("large_print", "") in YES,
        tagged=told.get("tagged", "") in YES,
        web=told.get("format") == WEB,
    )
