"""One attempt at laying out a sheet: which panels go on which page, then every box in its place."""

from dataclasses import replace

from attnhand.layout.page import Item, Layout, Page
from attnhand.layout.page_frame import PageFrame
from attnhand.layout.placement import PanelPlacer
from attnhand.layout.setting import Setting, TooLargeError, arrange_bands
from attnhand.layout.trace_pages import TracePlacer
from attnhand.layout.typography import MAX_EXTRA_GAP, MAX_EXTRA_GAP_ON_LAST_PAGE
from attnhand.sheet.panels import Panel, Panels
from attnhand.sheet.sheet import Sheet
from attnhand.sheet.trace_grids import build_trace_grids

PageStrips = list[list[Panel]]
"""A page's panels, strip by strip; most pages are one strip."""


class Composer:
    """Place a sheet's panels on pages of one size."""

    def __init__(self, sheet: Sheet, setting: Setting, panels: Panels) -> None:
        self.setting, self.panels = setting, panels
        self.page_frame = PageFrame(sheet, setting)
        self.traces = build_trace_grids(sheet)
        self.copy_count = 0
        """Worked matrices that a student would have to copy because they stand on another page."""

        self.last_page_extra_gap = 0.0
        """What was added between the blocks of the last page that has any."""

        self.key_only_page_count = 0
        """Pages that the key alone has."""

    def compose_layout(self) -> Layout:
        """Return the layout.

        Raises:
            TooLargeError: it does not fit.
        """
        leaves = self._divide_into_pages()
        spreads: list[PanelPlacer] = []
        bodies: list[list[Item]] = []
        for number, leaf in enumerate(leaves[:-1], 1):
            spreads += (page := self._make_placers(number, leaf, MAX_EXTRA_GAP))
            body = _place_panels(page)
            bodies.append([*body, *self.page_frame.make_working_space(body, self._find_body_top(number, leaf))])
        last, body, ending = self._compose_last_page(len(leaves), leaves[-1])
        spreads, bodies = [*spreads, *last], [*bodies, body]
        self.copy_count = sum(spread.copy_count for spread in spreads)
        homeless = [panel for spread in spreads for panel in spread.unplaced_exact if panel.exact_grid]
        shared = (
            self.page_frame.sheet.options.show_exact
        )  # with the blank, where what closes the sheet has no maps beside it
        if (
            homeless
            and not (ending or shared)
            and (closed := self._close_with_exact_values(len(leaves), last, homeless))
        ):
            bodies[-1], homeless = closed, []
        # before pages that the key alone may have, so that it stands on the same page of both
        bodies += TracePlacer(self.setting, self.page_frame).place_traces(self.traces, len(bodies) + 1)
        bodies += ending
        begun = bodies[-1] if self.key_only_page_count and ending else None
        exact = self.page_frame.make_exact_pages(homeless, len(bodies) + 1, begun)
        self.key_only_page_count += len(exact)
        bodies += exact
        pages = tuple(
            Page(
                number=number,
                items=(
                    *self.page_frame.make_header(
                        number, number <= len(leaves) and _needs_powers_reminder(*leaves[number - 1])
                    ),
                    *body,
                    *self.page_frame.make_footer(number, len(bodies)),
                ),
            )
            for number, body in enumerate(bodies, 1)
        )
        setting = self.setting
        return Layout(width=setting.width, height=setting.height, pages=pages, typography=setting.typography)

    def _make_placers(self, page_number: int, strips: PageStrips, max_extra_gap: float) -> list[PanelPlacer]:
        top = self._find_body_top(page_number, strips)
        return [
            PanelPlacer(self._make_strip_setting(strips, place), strip, top, max_extra_gap=max_extra_gap)
            for place, strip in enumerate(strips)
        ]

    def _compose_last_page(
        self, page_number: int, strips: PageStrips
    ) -> tuple[list[PanelPlacer], list[Item], list[list[Item]]]:
        """Return the last page with panels and what closes the sheet: airy where the end still fits below."""
        known = self.setting.last_page_extra_gap
        for air in (MAX_EXTRA_GAP_ON_LAST_PAGE, 0.0) if known is None else (known,):
            self.key_only_page_count, self.last_page_extra_gap = 0, air
            spreads = self._make_placers(page_number, strips, air)
            body = _place_panels(spreads)
            if not (ending := self._add_closing_section(body, page_number)):
                break
        return spreads, body, ending

    def _add_closing_section(self, body: list[Item], page_number: int) -> list[list[Item]]:
        """Put the end of the sheet below the last page's boxes; return what needs pages of its own.

        Where the comparison finds no room, it is the key alone that gets another page.
        """
        head, later = (self.page_frame.find_header_bottom(n, False) for n in (page_number, page_number + 1))
        if (end := self.page_frame.make_closing_section(body, head)) is not None:
            body += end
            return []
        if (asked := self.page_frame.make_closing_section(body, head, with_comparison=False)) is not None:
            body += asked
            self.key_only_page_count = 1
            return (
                self._make_comparison_pages(later, page_number + 1, with_questions=False)
                if self.page_frame.sheet.is_solved
                else []
            )
        return self._make_comparison_pages(later, page_number + 1, with_questions=True)

    def _close_with_exact_values(
        self, page_number: int, placers: list[PanelPlacer], unplaced_exact: list[Panel]
    ) -> list[Item] | None:
        """Return the last page with exact values beside its heat maps; None where they do not fit there."""
        body = [item for spread in placers for item in spread.items]
        end = self.page_frame.make_closing_section(
            body, self.page_frame.find_header_bottom(page_number, False), unplaced_exact=unplaced_exact
        )
        return end and [*body, *end]

    def _make_comparison_pages(
        self, header_bottom: float, page_number: int, *, with_questions: bool
    ) -> list[list[Item]]:
        """Return the end of the sheet on pages of its own, with what is asked there or without."""
        if (
            alone := self.page_frame.make_closing_section([], header_bottom, with_questions=with_questions)
        ) is not None:
            return [alone]
        words = self.page_frame.make_closing_section([], header_bottom, with_questions=with_questions, with_maps=False)
        if words is None:
            raise TooLargeError("the comparison at its end is larger than a page")
        return [page for page in (words, self.page_frame.make_map_page(page_number + 1)) if page]

    @property
    def min_page_count(self) -> int:
        """How many pages there are at least: a run begins a new one."""
        return len(self._group_runs_by_page())

    def _group_runs_by_page(self) -> list[tuple[tuple[Panel, ...], ...]]:
        """Return the runs, page by page; two heads together where they stand abreast."""
        found: list[tuple[tuple[Panel, ...], ...]] = []
        for run in self.panels.runs:
            alone = found[-1][0] if found and len(found[-1]) == 1 else ()
            if (
                self.setting.has_two_heads_per_page
                and alone
                and run[0].stage.head > 1
                and _list_group_sizes(alone) == _list_group_sizes(run)
            ):
                found[-1] = (alone, run)
            else:
                found.append((run,))
        return found

    def _divide_into_pages(self) -> list[PageStrips]:
        # large type leaves a first page to the head
        leaves: list[PageStrips] = [[[]]] if self.setting.has_one_product_per_page else []
        overflows = False
        for runs in self._group_runs_by_page():
            before = len(leaves)
            # what a run left over may share its page with the next one
            if not overflows or len(leaves[-1]) != len(runs):
                leaves.append([[] for _ in runs])
            for groups in zip(*map(_group_tied_panels, runs), strict=True):
                self._add_panels(leaves, groups)
            overflows = len(leaves) > before + 1
        return leaves

    def _add_panels(self, pages: list[PageStrips], groups: tuple[list[Panel], ...]) -> None:
        """Put panels that belong together on the page, or on the next one; part them only where they must be.

        Args:
            groups: one for each strip of the page.
        """
        if pages[-1][0] and not self._fits_on_page(len(pages), pages[-1], groups):
            pages.append([[] for _ in groups])
        if self._fits_on_page(len(pages), pages[-1], groups):
            for strip, group in zip(pages[-1], groups, strict=True):
                strip.extend(group)
        elif len(groups[0]) > 1:
            for parts in zip(*groups, strict=True):
                self._add_panels(pages, tuple([panel] for panel in parts))
        else:
            raise TooLargeError(f"{groups[0][0].stage.name} and its factors are larger than a page")

    def _fits_on_page(self, page_number: int, page_strips: PageStrips, groups: tuple[list[Panel], ...]) -> bool:
        leaf = [[*strip, *group] for strip, group in zip(page_strips, groups, strict=True)]
        products = sum(not panel.is_cell_by_cell for panel in leaf[0])
        if self.setting.has_one_product_per_page and (products > 1 or (products and page_strips[0])):
            return False
        (begin, end), _ = self.setting.find_spans(self._find_body_top(page_number, leaf))
        return all(arrange_bands(self.setting, strip)[-1].end <= end - begin + 1e-6 for strip in leaf)

    def _find_body_top(self, page_number: int, strips: PageStrips) -> float:
        return self.page_frame.find_header_bottom(page_number, _needs_powers_reminder(*strips))

    def _make_strip_setting(self, strips: PageStrips, strip_index: int) -> Setting:
        return replace(self.setting, strip_index=strip_index, strip_count=len(strips))


def _place_panels(placers: list[PanelPlacer]) -> list[Item]:
    return [item for spread in placers for item in spread.place_panels()]


def _needs_powers_reminder(*strips: list[Panel]) -> bool:
    return any(panel.has_powers_reminder for strip in strips for panel in strip)


def _list_group_sizes(run: tuple[Panel, ...]) -> list[int]:
    return [len(group) for group in _group_tied_panels(run)]


def _group_tied_panels(run: tuple[Panel, ...]) -> list[list[Panel]]:
    """Group panels of which one continues the other: Q and S, A and Z."""
    groups: list[list[Panel]] = []
    for panel in run:
        if groups and panel.query_factor_name == groups[-1][-1].stage.name:
            groups[-1].append(panel)
        else:
            groups.append([panel])
    return groups
