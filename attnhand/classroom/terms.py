"""What all sheets of a class have in common, and one student's sheet by it."""

from dataclasses import dataclass, replace

from attnhand.make import sheet_from_request
from attnhand.request import Request
from attnhand.sheet.holder import Holder
from attnhand.sheet.page_options import PageOptions
from attnhand.sheet.sheet import Sheet


@dataclass(frozen=True, slots=True, kw_only=True)
class Terms:
    """Everything about a class's sheets but their seeds and their holders."""

    request: Request
    """Its seed is the class's."""

    page: PageOptions
    words: tuple[str, ...] = ()
    """Labels of the tokens that are not looked up."""

    title: str = ""
    salt: str = ""
    """Empty for open sheets, whose codes give the key to everybody."""

    def sheet(self, seed: int) -> Sheet:
        """Draw, solve and prove the sheet of a seed, nobody's yet.

        Raises:
            GenerationError: the seed finds no good sheet.
        """
        return sheet_from_request(
            replace(self.request, seed=seed), self.page, salt=self.salt, words=self.words, title=self.title
        )


def held(sheet: Sheet, holder: Holder | None, page: PageOptions | None = None) -> Sheet:
    """Return a sheet as it is handed to somebody, on the page of that student."""
    return replace(sheet, holder=holder, options=page or sheet.options)
