"""What came back from a class, as one page: no script, nothing loaded, read by eye, by ear and on paper."""

from markupsafe import Markup

from attnhand.classroom.summary import Summary
from attnhand.render.templates import environment, source_hash
from attnhand.resources import template_dir
from attnhand.seal import sealed


def render_summary_html(told: Summary, language: str = "en") -> bytes:
    """Return the summary as an HTML file."""
    style = (template_dir() / "summary.css").read_text(encoding="utf-8")
    page = (
        environment()
        .get_template("summary.html")
        .render(
            told=told,
            say=told.say,
            style=Markup(style),
            style_hash=source_hash(style),
            language=language,
        )
    )
    return sealed(page.encode(), "html")
