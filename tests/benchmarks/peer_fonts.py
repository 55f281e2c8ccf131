"""The bundled fonts as files that every engine reads."""

from pathlib import Path

from attnhand.formats.html import FONTS
from attnhand.system.resources import get_template_dir


def ttf_files(folder: Path) -> dict[int, Path]:
    """Write the bundled fonts as TrueType files and return them by weight."""
    from fontTools.ttLib import TTFont

    written = {}
    for weight, name in FONTS.items():
        path = folder / name.replace(".woff2", ".ttf")
        if not path.exists():
            font = TTFont(get_template_dir() / "fonts" / name)
            font.flavor = None
            font.save(path)
        written[weight] = path
    return written
