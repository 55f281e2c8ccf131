"""Jinja templates, and the digests by which a page allows its styles and scripts."""

import base64
import hashlib
from functools import cache

from jinja2 import Environment, FileSystemLoader, StrictUndefined

from attnhand.system.resources import get_template_dir


@cache
def get_environment() -> Environment:
    """Return what every template is read with: names are escaped, and what is missing is an error."""
    return Environment(
        loader=FileSystemLoader(get_template_dir()),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )


def read_template_file(name: str) -> str:
    """Return the text of a style sheet or script."""
    return (get_template_dir() / name).read_text(encoding="utf-8")


def hash_source(text: str) -> str:
    """Return what a page's policy says of a style or script that it allows."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
