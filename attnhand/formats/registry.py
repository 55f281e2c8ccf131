"""Every format a sheet can be written in, by name; each renderer is loaded when it is used."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module

from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import DIGEST_STYLES, add_digest


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write a sheet."""

    name: str
    """As in its option: ``--pdf``."""

    suffix: str
    """Of its files: ``.pdf``."""

    module: str
    """In this package; loaded when the format is first used."""

    function: str
    """Takes a sheet and returns the file: bytes, or text."""

    encoding: str = "utf-8"
    """Of text; spreadsheets read CSV with a byte order mark alone."""

    shows_stage: bool = False
    """Whether it can show one stage alone."""

    may_check_itself: bool = False
    """Whether its blank sheet can check the work, where that is asked for."""

    practice_note: str = ""
    """Of files that check the work themselves, and so have no key of their own: the name of what is said of them."""

    joiner: str = ""
    """Of files with questions: makes one file with variants of everybody's; the name of a function in its module."""

    digest_style: str = ""
    """How the digest stands in its files, as in those of another format; empty where it has a way of its own."""

    def __post_init__(self) -> None:
        if (style := self.digest_style or self.name) not in DIGEST_STYLES:
            raise ValueError(f"how does a {self.name} file end with a digest? see {style!r} in system/digests.py")

    def render(self, sheet: Sheet) -> bytes:
        """Return the sheet in this format."""
        content: bytes | str = getattr(import_module(f"attnhand.formats.{self.module}"), self.function)(sheet)
        return content.encode(self.encoding) if isinstance(content, str) else content

    def render_file(self, sheet: Sheet) -> bytes:
        """Return the file, with a digest that shows whether it was changed since."""
        return add_digest(self.render(sheet), self.digest_style or self.name)

    def join_files(self, files: Sequence[bytes], sheets: Sequence[Sheet]) -> bytes:
        """Return one file with everybody's questions as variants, with its digest.

        Args:
            files: as they were rendered.
            sheets: one of the class, of each form that is dealt.
        """
        joined: bytes = getattr(import_module(f"attnhand.formats.{self.module}"), self.joiner)(files, sheets)
        return add_digest(joined, self.digest_style or self.name)


def _describe_questions(name: str, suffix: str, *, digest_style: str) -> Format:
    """Return a format of questions for a learning platform, whose module is called as it is."""
    return Format(
        name,
        suffix,
        module=name,
        function=f"render_{name}",
        joiner=f"join_{name}",
        practice_note="platform.note",
        digest_style=digest_style,
    )


FORMATS: Mapping[str, Format] = {
    file_format.name: file_format
    for file_format in (
        Format("pdf", ".pdf", "pdf.pdf", "render_pdf"),
        Format("html", ".html", "html", "render_html", may_check_itself=True),
        Format("json", ".json", "json_sheet", "render_json"),
        Format("csv", ".csv", "csv_sheet", "render_csv", encoding="utf-8-sig"),
        Format("xlsx", ".xlsx", "xlsx.xlsx", "render_xlsx", may_check_itself=True, digest_style="zip"),
        Format("markdown", ".md", "markdown", "render_markdown", shows_stage=True),
        Format("tex", ".tex", "tex", "render_tex", shows_stage=True, digest_style="pdf"),
        Format("svg", ".svg", "picture.svg", "render_svg", shows_stage=True, digest_style="html"),
        Format("png", ".png", "picture.png", "render_png", shows_stage=True),
        Format("scorm", ".zip", "scorm", "render_scorm", practice_note="scorm.note", digest_style="zip"),
        _describe_questions("moodle", "-moodle.xml", digest_style="html"),
        _describe_questions("stack", "-stack.xml", digest_style="html"),
        _describe_questions("qti12", "-qti12.zip", digest_style="zip"),
        _describe_questions("qti21", "-qti21.zip", digest_style="zip"),
        Format("notebook", ".ipynb", "otter", "render_otter", practice_note="notebook.note", digest_style="inner"),
    )
}
