"""A panel: one stage on the sheet, with its factors, words and exact values."""

from dataclasses import dataclass

from attnhand.mechanisms import Stage
from attnhand.sheet.grids import Grid
from attnhand.sheet.text import Text


@dataclass(frozen=True, slots=True)
class Sentence:
    """Words that a panel says."""

    text: Text
    source: str = ""
    """What tells them apart from another sheet's: ``sums Q``; empty where every sheet of this shape says the same."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Panel:
    """One stage on the sheet."""

    stage: Stage
    grid: Grid
    side: Grid | None = None
    """The factor beside the product: W_K, Kᵀ, V (left of it, in the rows convention above it)."""

    made: "Panel | None" = None
    """Where the side factor is made in its place: V = W_V X beside Z."""

    over: Grid | None = None
    """The factor that the product continues: X, Q, A (above it, in the rows convention left of it)."""

    over_name: str = ""
    """Name of that factor; it is not drawn again where it stands above on the same page."""

    heading: Text = ()
    """With its number: "2 Scores"."""

    paragraphs: tuple[Sentence, ...] = ()
    formula: Text = ()
    """ "K = W_K X"."""

    remarks: tuple[Sentence, ...] = ()
    """Beside the formula: what the numbers mean, what they add to."""

    cells: int = 0
    """How many cells are marked."""

    mark: Text = ()
    """The mark box: "____ / 12"."""

    exact: Grid | None = None
    exact_caption: Text = ()
    exact_width: float = 0.0
    """How wide the widest exact value is at a size of one point, in millimetres; blank or solved."""

    reserves_exact: bool = False
    """Whether the key shows exact values here, so that a blank keeps their place."""

    holds_fractions: bool = False
    reminds_of_powers: bool = False
    over_is_worked: bool = False
    """Whether that factor would have to be copied where it does not stand on the same page."""

    goes_cell_by_cell: bool = False
    """Whether a page may begin here: nothing but one look at the page before is needed."""

    wants_working_space: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Panels:
    """All panels, page by page as the mechanism groups them."""

    runs: tuple[tuple[Panel, ...], ...]

    def all(self) -> tuple[Panel, ...]:
        """Return every panel in reading order, those made beside a product before it."""
        flat: list[Panel] = []
        for run in self.runs:
            for panel in run:
                flat += [panel.made] if panel.made else []
                flat.append(panel)
        return tuple(flat)
