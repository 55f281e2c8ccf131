"""The sheet, or one of its stages, as PNG."""

import struct
import zlib

from attnhand.formats.colours import GROUND, read_channels
from attnhand.formats.picture.pictured import GAP, make_picture
from attnhand.sheet.sheet import Sheet

DPI, STAGE_DPI = 200, 300
"""Dots an inch: of pages, and of a stage, which is small."""

EFFORT = 6
"""Of compression: the most takes three times as long for a file a fifteenth smaller."""


def render_png(sheet: Sheet) -> bytes:
    """Return the sheet, or the stage that its options name, as PNG; pages stand one under the other.

    Raises:
        PageError: the sheet draws no such stage.
        MissingLibraryError: Pango is not installed on this system.
    """
    picture = make_picture(sheet)
    return png_of_pdf(picture.pdf, STAGE_DPI if sheet.options.stage else DPI, title=picture.title)


def png_of_pdf(pdf: bytes, dpi: int, *, title: str) -> bytes:
    """Return the pages of a PDF as PNG, one under the other."""
    import numpy as np
    import pypdfium2

    document = pypdfium2.PdfDocument(pdf)
    images = [page.render(scale=dpi / 72, rev_byteorder=True).to_numpy() for page in document]
    width = max(image.shape[1] for image in images)
    gap = np.full((round(GAP * dpi / 25.4), width, 3), tuple(read_channels(GROUND.light)), np.uint8)
    parts = [part for image in images for part in (gap, image)][1:]
    dots = np.concatenate(parts)
    document.close()
    lines = np.hstack([np.zeros((len(dots), 1), np.uint8), dots.reshape(len(dots), -1)])
    return _png(lines.tobytes(), width, len(dots), dpi, title)


def _png(lines: bytes, width: int, height: int, dpi: int, title: str) -> bytes:
    """Write a PNG file of lines of red, green, blue, each behind a byte that says how it is filtered."""
    per_metre = round(dpi / 0.0254)
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)),
            chunk(b"pHYs", struct.pack(">IIB", per_metre, per_metre, 1)),
            chunk(b"iTXt", b"Title\0\0\0\0\0" + title.encode()),
            chunk(b"IDAT", zlib.compress(lines, EFFORT)),
            chunk(b"IEND", b""),
        )
    )


def chunk(kind: bytes, data: bytes) -> bytes:
    """Return a part of a PNG file: its length, kind, data and checksum."""
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
