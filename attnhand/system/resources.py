"""Where templates, fonts and sample problems lie: inside the installed package, or beside it in a checkout."""

from pathlib import Path

_PACKAGE = Path(__file__).parents[1]


def template_dir() -> Path:
    """Return the folder with templates, style sheets and fonts."""
    return _found("templates", "templates")


def sample_dir() -> Path:
    """Return the folder with the problem files of the samples."""
    return _found("sample_problems", "samples/problems")


def _found(installed: str, in_checkout: str) -> Path:
    # Subtle: an editable install does not see folders that the wheel puts into the package
    inside = _PACKAGE / installed
    return inside if inside.is_dir() else _PACKAGE.parent / in_checkout
