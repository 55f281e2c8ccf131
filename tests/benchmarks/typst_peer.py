"""The same sheets by typst: one template, all sheets of a class in one document.

``python -m tests.benchmarks.typst_peer PLANS FOLDER [tagged]`` says how many seconds of processor that takes, in a
process of its own: typst remembers all that it has laid out, so that the same sheets once more would take it no time.
"""

import json
import sys
import time
from collections.abc import Sequence
from pathlib import Path

from tests.benchmarks.peer_fonts import ttf_files
from tests.benchmarks.plan import Plan


class TypstPeer:
    """A compiler that is kept, as one would for a class; it reads the template from a file."""

    def __init__(self, folder: Path) -> None:
        import typst

        ttf_files(folder)
        template = Path(__file__).with_name("sheet.typ")
        self._compiler = typst.Compiler(
            str(template), root=str(template.parent), font_paths=[str(folder)], ignore_system_fonts=True
        )

    def draw(self, plans: Sequence[Plan], *, tagged: bool) -> bytes:
        """Return all sheets as one PDF."""
        pdf = self._compiler.compile(sys_inputs={"sheets": json.dumps(plans)}, pdf_tags=tagged)
        assert isinstance(pdf, bytes)
        return pdf


def main(plans: str, folder: str, tagged: str = "") -> None:
    """Draw once and print the seconds."""
    data = json.loads(Path(plans).read_text(encoding="utf-8"))
    peer = TypstPeer(Path(folder))
    start = time.process_time()
    peer.draw(data, tagged=bool(tagged))
    print(time.process_time() - start)


if __name__ == "__main__":
    main(*sys.argv[1:])
