"""Where templates, fonts and sample problems are: inside the installed package, or beside it in a checkout."""

from pathlib import Path

PACKAGE_DIR = Path(__file__).parents[1]


def get_template_dir() -> Path:
    return _find_dir("templates", "templates")


def get_sample_dir() -> Path:
    return _find_dir("sample_problems", "samples/problems")


def _find_dir(installed: str, in_checkout: str) -> Path:
    # Subtle: an editable install does not see folders that the wheel puts into the package
    inside = PACKAGE_DIR / installed
    return inside if inside.is_dir() else PACKAGE_DIR.parent / in_checkout
