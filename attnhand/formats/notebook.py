"""The sheet in a notebook: in a frame, so that neither touches the other's styles."""

from markupsafe import escape

from attnhand.formats.html import find_mark_style_sheets, make_font_data_url, render_page
from attnhand.formats.web import SCREEN_MARGIN
from attnhand.layout.lay_out import lay_out
from attnhand.sheet.sentences import format_document_title
from attnhand.sheet.sheet import Sheet

PAGE_GAP = 5.0
"""Between pages, in millimetres; ``notebook.css`` has the same."""

COLOUR_SCHEME_CSS = "".join(
    f":is({places}) iframe.attnhand{{color-scheme:{scheme}}}"
    for scheme, places in (
        ("light", '[data-jp-theme-light="true"],.vscode-light,html[theme="light"]'),
        ("dark", '[data-jp-theme-light="false"],.vscode-dark,html[theme="dark"]'),
    )
)
"""What tells the frame whether the notebook is dark: JupyterLab and nbconvert, Visual Studio Code, Colab."""

HIDDEN_FALLBACK_CSS = "p.attnhand-lost{display:none}"
"""A notebook that is not trusted leaves out frames and styles: then this sentence is seen instead."""


def render_notebook(sheet: Sheet) -> str:
    """Return the sheet as a piece of HTML: as wide and high as its pages, dark where the notebook is.

    A notebook that is narrower scrolls it sideways. One that does not say whether it is dark shows the sheet as
    the system is; so does Safari everywhere. There the page stands out as paper does.
    """
    layout = lay_out(sheet)
    # Subtle: a frame is a whole number of pixels wide; rounded down it would be too narrow for the paper
    style_sheets = ("notebook.css", *find_mark_style_sheets(sheet))
    document = render_page(sheet, layout, make_font_data_url, for_screen=True, style_sheets=style_sheets)
    height = len(layout.pages) * (layout.height + PAGE_GAP)
    return (
        f"<style>{COLOUR_SCHEME_CSS}{HIDDEN_FALLBACK_CSS}</style>"
        f'<p class="attnhand-lost">{escape(sheet.say("notebook.lost"))}</p>'
        f'<div style="overflow-x:auto"><iframe class="attnhand" srcdoc="{escape(document)}" '
        f'title="{escape(format_document_title(sheet))}" '
        f'style="width:{layout.width + SCREEN_MARGIN + 1:g}mm;max-width:none;'
        f'height:{height:g}mm;border:0"></iframe></div>'
    )
