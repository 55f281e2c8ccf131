"""Every format a sheet can be written in, by name; each renderer is loaded when it is used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import add_digest


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """One way to write a sheet."""

    name: str
    """As in its option: ``--pdf``."""

    suffix: str
    """Of its files: ``.pdf``."""

    render: Callable[[Sheet], bytes]

    is_picture: bool = False
    """Whether it can show one stage alone."""

    def render_file(self, sheet: Sheet) -> bytes:
        """Return the file, with a digest that shows whether it was changed since."""
        return add_digest(self.render(sheet), self.name)


def _render_pdf(sheet: Sheet) -> bytes:
    from attnhand.formats.pdf.pdf import render_pdf

    return render_pdf(sheet)


def _render_html(sheet: Sheet) -> bytes:
    from attnhand.formats.html import render_html

    return render_html(sheet).encode()


def _render_json(sheet: Sheet) -> bytes:
    from attnhand.formats.json_sheet import render_json

    return render_json(sheet).encode()


def _render_csv(sheet: Sheet) -> bytes:
    from attnhand.formats.csv_sheet import render_csv

    return render_csv(sheet).encode("utf-8-sig")


def _render_markdown(sheet: Sheet) -> bytes:
    from attnhand.formats.markdown import render_markdown

    return render_markdown(sheet).encode()


def _render_svg(sheet: Sheet) -> bytes:
    from attnhand.formats.picture.svg import render_svg

    return render_svg(sheet).encode()


def _render_png(sheet: Sheet) -> bytes:
    from attnhand.formats.picture.png import render_png

    return render_png(sheet)


FORMATS: Mapping[str, Format] = {
    file_format.name: file_format
    for file_format in (
        Format(name="pdf", suffix=".pdf", render=_render_pdf),
        Format(name="html", suffix=".html", render=_render_html),
        Format(name="json", suffix=".json", render=_render_json),
        Format(name="csv", suffix=".csv", render=_render_csv),
        Format(name="markdown", suffix=".md", render=_render_markdown),
        Format(name="svg", suffix=".svg", render=_render_svg, is_picture=True),
        Format(name="png", suffix=".png", render=_render_png, is_picture=True),
    )
}
