"""The map of a term: the whole language model of the teacher's example on one page."""

from typing import BinaryIO

from attnhand.formats.pdf.draw_sheet import draw_layout
from attnhand.formats.pdf.writer import PdfFile
from attnhand.layout.model_map import lay_out_map
from attnhand.layout.text_pages import get_paper_size
from attnhand.sheet.sheet import Sheet
from attnhand.system.digests import write_digest_into

MAP_FILE = "map.pdf"


def write_map(sheet: Sheet, out: BinaryIO) -> None:
    """Write the map of the model that a sheet is a part of, as a PDF.

    Args:
        sheet: the teacher's example of a week that works a part of a language model.
    """
    assert sheet.asked_part is not None
    title = sheet.say("map.title")
    file = PdfFile(out, title=title, language=sheet.options.language_code)
    map_layout = lay_out_map(sheet.language, get_paper_size(sheet.options), sheet.asked_part.model)
    file.add_pages(draw_layout(map_layout, title))
    file.close()
    write_digest_into(out, "pdf")
