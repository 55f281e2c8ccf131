"""One attempt at laying out a sheet: which panels go on which page, then every box in its place."""

from attnhand.sheet.furniture import Furniture
from attnhand.sheet.page import Item, Layout, Page
from attnhand.sheet.panel import Panel, Panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.sizing import Setting, TooLargeError, bands
from attnhand.sheet.spread import Spread
from attnhand.sheet.walk import walks
from attnhand.sheet.walk_pages import WalkPages


class Composer:
    """Place a sheet's panels on pages of one size."""

    def __init__(self, sheet: Sheet, setting: Setting, panels: Panels) -> None:
        self.setting, self.panels = setting, panels
        self.furniture = Furniture(sheet, setting)
        self.walks = walks(sheet)
        self.copies = 0
        """Worked matrices that a student would have to copy because they stand on another page."""

        self.key_pages = 0
        """Pages that the key alone has."""

    def compose(self) -> Layout:
        """Return the layout.

        Raises:
            TooLargeError: it does not fit.
        """
        # large type leaves a first page to the head
        leaves: list[list[Panel]] = [[]] if self.setting.one_product_a_page else []
        for run in self.panels.runs:
            leaves.append([])
            for group in _tied(run):
                self._add(leaves, group)
        spreads = [
            Spread(self.setting, leaf, self.furniture.head_bottom(number, _reminds(leaf)))
            for number, leaf in enumerate(leaves, 1)
        ]
        bodies = [spread.place() for spread in spreads]
        self.copies = sum(spread.copies for spread in spreads)
        ending = self._end(bodies[-1], len(leaves))
        # before pages that the key alone may have, so that it stands on the same page of both
        bodies += WalkPages(self.setting, self.furniture).pages(self.walks, len(bodies) + 1)
        bodies += ending
        homeless = [panel for spread in spreads for panel in spread.homeless]
        begun = bodies[-1] if self.key_pages and ending else None
        exact = self.furniture.exact_pages(homeless, len(bodies) + 1, begun)
        self.key_pages += len(exact)
        bodies += exact
        pages = tuple(
            Page(
                number=number,
                items=(
                    *self.furniture.head(number, number <= len(leaves) and _reminds(leaves[number - 1])),
                    *body,
                    *self.furniture.foot(number, len(bodies)),
                ),
            )
            for number, body in enumerate(bodies, 1)
        )
        setting = self.setting
        return Layout(width=setting.width, height=setting.height, pages=pages, typography=setting.typography)

    def _end(self, body: list[Item], number: int) -> list[list[Item]]:
        """Put the end of the sheet below the last page's boxes; return what needs pages of its own.

        Where the comparison finds no room, it is the key alone that gets another page.
        """
        head, later = (self.furniture.head_bottom(n, False) for n in (number, number + 1))
        if (end := self.furniture.end(body, head)) is not None:
            body += end
            return []
        if (asked := self.furniture.end(body, head, compares=False)) is not None:
            body += asked
            self.key_pages = 1
            return self._comparison(later, number + 1, says=False) if self.furniture.sheet.solved else []
        return self._comparison(later, number + 1, says=True)

    def _comparison(self, head: float, number: int, *, says: bool) -> list[list[Item]]:
        """Return the end of the sheet on pages of its own, with what is asked there or without."""
        if (alone := self.furniture.end([], head, says=says)) is not None:
            return [alone]
        words = self.furniture.end([], head, says=says, with_maps=False)
        if words is None:
            raise TooLargeError("the comparison at its end is larger than a page")
        return [page for page in (words, self.furniture.map_page(number + 1)) if page]

    def _add(self, leaves: list[list[Panel]], group: list[Panel]) -> None:
        """Put panels that belong together on the page, or on the next one; part them only where they must be."""
        if leaves[-1] and not self._fits(len(leaves), leaves[-1], group):
            leaves.append([])
        if self._fits(len(leaves), leaves[-1], group):
            leaves[-1].extend(group)
        elif len(group) > 1:
            for panel in group:
                self._add(leaves, [panel])
        else:
            raise TooLargeError(f"{group[0].stage.name} and its factors are larger than a page")

    def _fits(self, number: int, on_page: list[Panel], group: list[Panel]) -> bool:
        together = [*on_page, *group]
        products = sum(not panel.goes_cell_by_cell for panel in together)
        if self.setting.one_product_a_page and (products > 1 or (products and on_page)):
            return False
        (begin, end), _ = self.setting.spans(self.furniture.head_bottom(number, _reminds(together)))
        return bands(self.setting, together)[-1].end <= end - begin + 1e-6


def _reminds(panels: list[Panel]) -> bool:
    return any(panel.reminds_of_powers for panel in panels)


def _tied(run: tuple[Panel, ...]) -> list[list[Panel]]:
    """Group panels of which one continues the other: Q and S, A and Z."""
    groups: list[list[Panel]] = []
    for panel in run:
        if groups and panel.over_name == groups[-1][-1].stage.name:
            groups[-1].append(panel)
        else:
            groups.append([panel])
    return groups
