"""One attempt at laying out a sheet: which panels go on which page, then every box in its place."""

from dataclasses import replace

from attnhand.layout.page import Item, Layout, Page
from attnhand.layout.page_frame import Furniture
from attnhand.layout.placement import Spread
from attnhand.layout.setting import Setting, TooLargeError, bands
from attnhand.layout.trace_pages import WalkPages
from attnhand.layout.typography import AIR, AIR_AT_THE_END
from attnhand.sheet.panels import Panel, Panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import walks

Leaf = list[list[Panel]]
"""A page's panels, strip by strip; most pages are one strip."""


class Composer:
    """Place a sheet's panels on pages of one size."""

    def __init__(self, sheet: Sheet, setting: Setting, panels: Panels) -> None:
        self.setting, self.panels = setting, panels
        self.furniture = Furniture(sheet, setting)
        self.walks = walks(sheet)
        self.copies = 0
        """Worked matrices that a student would have to copy because they stand on another page."""

        self.air_at_the_end = 0.0
        """What was added between the blocks of the last page that has any."""

        self.key_pages = 0
        """Pages that the key alone has."""

    def compose(self) -> Layout:
        """Return the layout.

        Raises:
            TooLargeError: it does not fit.
        """
        leaves = self._leaves()
        spreads: list[Spread] = []
        bodies: list[list[Item]] = []
        for number, leaf in enumerate(leaves[:-1], 1):
            spreads += (page := self._spreads(number, leaf, AIR))
            body = _placed(page)
            bodies.append([*body, *self.furniture.working(body, self._body_top(number, leaf))])
        last, body, ending = self._last(len(leaves), leaves[-1])
        spreads, bodies = [*spreads, *last], [*bodies, body]
        self.copies = sum(spread.copies for spread in spreads)
        homeless = [panel for spread in spreads for panel in spread.homeless if panel.exact]
        shared = (
            self.furniture.sheet.options.exact_column
        )  # with the blank, where what closes the sheet has no maps beside it
        if homeless and not (ending or shared) and (closed := self._closed_with_exact(len(leaves), last, homeless)):
            bodies[-1], homeless = closed, []
        # before pages that the key alone may have, so that it stands on the same page of both
        bodies += WalkPages(self.setting, self.furniture).pages(self.walks, len(bodies) + 1)
        bodies += ending
        begun = bodies[-1] if self.key_pages and ending else None
        exact = self.furniture.exact_pages(homeless, len(bodies) + 1, begun)
        self.key_pages += len(exact)
        bodies += exact
        pages = tuple(
            Page(
                number=number,
                items=(
                    *self.furniture.head(number, number <= len(leaves) and _reminds(*leaves[number - 1])),
                    *body,
                    *self.furniture.foot(number, len(bodies)),
                ),
            )
            for number, body in enumerate(bodies, 1)
        )
        setting = self.setting
        return Layout(width=setting.width, height=setting.height, pages=pages, typography=setting.typography)

    def _spreads(self, number: int, leaf: Leaf, air: float) -> list[Spread]:
        top = self._body_top(number, leaf)
        return [Spread(self._strip(leaf, place), strip, top, air=air) for place, strip in enumerate(leaf)]

    def _last(self, number: int, leaf: Leaf) -> tuple[list[Spread], list[Item], list[list[Item]]]:
        """Return the last page with panels and what closes the sheet: airy where the end still fits below."""
        known = self.setting.air_at_the_end
        for air in (AIR_AT_THE_END, 0.0) if known is None else (known,):
            self.key_pages, self.air_at_the_end = 0, air
            spreads = self._spreads(number, leaf, air)
            body = _placed(spreads)
            if not (ending := self._end(body, number)):
                break
        return spreads, body, ending

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

    def _closed_with_exact(self, number: int, spreads: list[Spread], homeless: list[Panel]) -> list[Item] | None:
        """Return the last page with exact values beside its heat maps; None where they do not fit there."""
        body = [item for spread in spreads for item in spread.items]
        end = self.furniture.end(body, self.furniture.head_bottom(number, False), homeless=homeless)
        return end and [*body, *end]

    def _comparison(self, head: float, number: int, *, says: bool) -> list[list[Item]]:
        """Return the end of the sheet on pages of its own, with what is asked there or without."""
        if (alone := self.furniture.end([], head, says=says)) is not None:
            return [alone]
        words = self.furniture.end([], head, says=says, with_maps=False)
        if words is None:
            raise TooLargeError("the comparison at its end is larger than a page")
        return [page for page in (words, self.furniture.map_page(number + 1)) if page]

    @property
    def least_pages(self) -> int:
        """How many pages there are at least: a run begins a new one."""
        return len(self._runs())

    def _runs(self) -> list[tuple[tuple[Panel, ...], ...]]:
        """Return the runs, page by page; two heads together where they stand abreast."""
        found: list[tuple[tuple[Panel, ...], ...]] = []
        for run in self.panels.runs:
            alone = found[-1][0] if found and len(found[-1]) == 1 else ()
            if self.setting.abreast and alone and run[0].stage.head > 1 and _shape(alone) == _shape(run):
                found[-1] = (alone, run)
            else:
                found.append((run,))
        return found

    def _leaves(self) -> list[Leaf]:
        # large type leaves a first page to the head
        leaves: list[Leaf] = [[[]]] if self.setting.one_product_a_page else []
        overflows = False
        for runs in self._runs():
            before = len(leaves)
            # what a run left over may share its page with the next one
            if not overflows or len(leaves[-1]) != len(runs):
                leaves.append([[] for _ in runs])
            for groups in zip(*map(_tied, runs), strict=True):
                self._add(leaves, groups)
            overflows = len(leaves) > before + 1
        return leaves

    def _add(self, leaves: list[Leaf], groups: tuple[list[Panel], ...]) -> None:
        """Put panels that belong together on the page, or on the next one; part them only where they must be.

        Args:
            groups: one for each strip of the page.
        """
        if leaves[-1][0] and not self._fits(len(leaves), leaves[-1], groups):
            leaves.append([[] for _ in groups])
        if self._fits(len(leaves), leaves[-1], groups):
            for strip, group in zip(leaves[-1], groups, strict=True):
                strip.extend(group)
        elif len(groups[0]) > 1:
            for parts in zip(*groups, strict=True):
                self._add(leaves, tuple([panel] for panel in parts))
        else:
            raise TooLargeError(f"{groups[0][0].stage.name} and its factors are larger than a page")

    def _fits(self, number: int, on_page: Leaf, groups: tuple[list[Panel], ...]) -> bool:
        leaf = [[*strip, *group] for strip, group in zip(on_page, groups, strict=True)]
        products = sum(not panel.goes_cell_by_cell for panel in leaf[0])
        if self.setting.one_product_a_page and (products > 1 or (products and on_page[0])):
            return False
        (begin, end), _ = self.setting.spans(self._body_top(number, leaf))
        return all(bands(self.setting, strip)[-1].end <= end - begin + 1e-6 for strip in leaf)

    def _body_top(self, number: int, leaf: Leaf) -> float:
        return self.furniture.head_bottom(number, _reminds(*leaf))

    def _strip(self, leaf: Leaf, place: int) -> Setting:
        return replace(self.setting, strip=place, strips=len(leaf))


def _placed(spreads: list[Spread]) -> list[Item]:
    return [item for spread in spreads for item in spread.place()]


def _reminds(*strips: list[Panel]) -> bool:
    return any(panel.reminds_of_powers for strip in strips for panel in strip)


def _shape(run: tuple[Panel, ...]) -> list[int]:
    return [len(group) for group in _tied(run)]


def _tied(run: tuple[Panel, ...]) -> list[list[Panel]]:
    """Group panels of which one continues the other: Q and S, A and Z."""
    groups: list[list[Panel]] = []
    for panel in run:
        if groups and panel.over_name == groups[-1][-1].stage.name:
            groups[-1].append(panel)
        else:
            groups.append([panel])
    return groups
