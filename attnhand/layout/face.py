"""One face of a sheet, blank or key, as strips draw it: its grids and words, each made once for all page grids."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from attnhand.attention.mechanisms.products import ProductRole
from attnhand.layout.page import Paragraph
from attnhand.layout.strips import Part, Piece
from attnhand.layout.words import make_words, open_guess
from attnhand.sheet.build_grids import add_decimals, add_exact_values, build_check_grid
from attnhand.sheet.grids import Grid, append_totals
from attnhand.sheet.panels import Panel
from attnhand.sheet.sheet import Sheet


class Speaker(NamedTuple):
    """A stage whose words stand in a place."""

    stage: str
    asks_for_copy: bool
    """Whether they ask for a copy of what it continues, which does not stand above it."""

    copies_side: bool
    """Whether what it reads beside that is drawn once more, to be copied: not where it stands in the same strip."""


class Face:
    """The blank of a sheet, or its key: what is drawn of it."""

    def __init__(self, sheet: Sheet, panels: Mapping[str, Panel]) -> None:
        self.sheet, self.panels = sheet, panels
        self.word_heights: dict[tuple[tuple[Speaker, ...], float, tuple[int, int] | None], float] = {}
        """Of words in a column of a width, or of some of their paragraphs, as they were measured before."""

        self.widest_numbers: dict[Piece, float] = {}
        """How wide the cells of a piece must be for its numbers, as it was measured before."""

        self.fits: dict[object, Any] = {}
        """How strips stand across the page, as ``StripMeasurer`` found it before: rows of any height stand alike."""

        self._grids: dict[Piece, Grid] = {}
        self._check_grids: dict[Piece, Grid | None] = {}
        self._words: dict[tuple[tuple[Speaker, ...], bool], list[Paragraph]] = {}

    # grids

    def get_grid(self, piece: Piece) -> Grid:
        """Return the grid of a piece, with exact values in its cells and sums at its end."""
        if piece not in self._grids:
            self._grids[piece] = self._make_grid(piece)
        return self._grids[piece]

    def _make_grid(self, piece: Piece) -> Grid:
        panel = self.panels[piece.stage]
        inner = panel.side_panel
        grid: Grid | None = None
        match piece.part:
            case Part.PRODUCT:
                grid = self._complete(panel)
                if piece.totals:
                    totals = self._complete(self.panels[piece.totals])
                    grid = append_totals(grid, totals, is_column=self.sheet.convention.is_rows)
            case Part.SIDE:
                grid = self._complete(inner) if inner else panel.side_factor
            case Part.QUERY:
                grid = panel.query_factor
            case Part.INNER_SIDE:
                grid = inner.side_factor if inner else None
            case Part.INNER_QUERY:
                grid = inner.query_factor if inner else None
        assert grid is not None
        return grid

    def _complete(self, panel: Panel) -> Grid:
        grid = add_exact_values(panel.grid, panel.exact_grid)
        return add_decimals(self.sheet, panel.stage, grid)

    def get_worked_panel(self, piece: Piece) -> Panel | None:
        """Return the panel whose cells a piece asks for; None where it shows what is known."""
        panel = self.panels[piece.stage]
        return panel if piece.part is Part.PRODUCT else panel.side_panel if piece.part is Part.SIDE else None

    def get_check_grid(self, piece: Piece) -> Grid | None:
        """Return what the columns of a piece add to, to check by; None where nothing is said."""
        if piece not in self._check_grids:
            panel = self.get_worked_panel(piece)
            self._check_grids[piece] = build_check_grid(self.sheet, panel.stage) if panel else None
        return self._check_grids[piece]

    # words

    def list_words(self, speakers: Sequence[Speaker], *, is_open: bool = False) -> list[Paragraph]:
        """Return the words of stages; as they are on a blank, with a line to write a guess on, if asked."""
        name = tuple(speakers), is_open
        if name not in self._words:
            panels = [self.panels[each.stage] for each in speakers]
            words = make_words([_leave_out_copies(each, panel) for each, panel in zip(speakers, panels, strict=True)])
            self._words[name] = open_guess(panels, words) if is_open else words
        return self._words[name]


def _leave_out_copies(speaker: Speaker, panel: Panel) -> Panel:
    """Return a panel that asks for no copy of what is not drawn to be copied."""
    if not speaker.asks_for_copy:
        panel = replace(panel, copying=())
    if not (speaker.asks_for_copy if panel.stage.role is ProductRole.PROJECTION else speaker.copies_side):
        said = [each if each.uncopied is None else replace(each, text=each.uncopied) for each in panel.paragraphs]
        panel = replace(panel, paragraphs=tuple(each for each in said if each.text))
    return panel
