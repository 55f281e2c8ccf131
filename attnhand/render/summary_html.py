"""What came back from a class, as one page: no script, nothing loaded, read by eye, by ear and on paper."""

import base64
import hashlib

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from attnhand.classroom.summary import Summary
from attnhand.resources import template_dir
from attnhand.seal import sealed


def render_summary_html(told: Summary, language: str = "en") -> bytes:
    """Return the summary as an HTML file."""
    environment = Environment(
        loader=FileSystemLoader(template_dir()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    style = (template_dir() / "summary.css").read_text(encoding="utf-8")
    digest = base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    page = environment.get_template("summary.html").render(
        told=told,
        say=told.say,
        style=Markup(style),
        style_hash=f"sha256-{digest}",
        language=language,
    )
    return sealed(page.encode(), "html")
