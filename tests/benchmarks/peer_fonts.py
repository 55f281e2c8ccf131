"""The bundled fonts as files that every engine reads."""

from pathlib import Path

from attnhand.formats.html import FONTS, VARIABLE_FONTS
from attnhand.system.resources import get_template_dir


def ttf_files(folder: Path) -> dict[tuple[int, bool], Path]:
    """Write the bundled fonts as TrueType files and return them by weight and by whether they are italic."""
    from fontTools.ttLib import TTFont

    written = {}
    for is_italic, fonts in ((False, FONTS), (True, VARIABLE_FONTS)):
        for weight, name in fonts.items():
            path = folder / name.replace(".woff2", ".ttf")
            if not path.exists():
                font = TTFont(get_template_dir() / "fonts" / name)
                font.flavor = None
                font.save(path)
            written[weight, is_italic] = path
    return written
