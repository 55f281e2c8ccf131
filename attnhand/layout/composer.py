"""Compose the pages of a sheet in one setting: which panels go on which page, then what closes the sheet.

Example: the runs ``K Q S scaled`` and ``powers sums A Z`` of self-attention become a page each. Where a run is larger
than a page, panels that continue one another stay together: ``K``, ``Q S``, ``scaled`` are three groups, and a group
goes on a new page as a whole. Questions and comparison go below Z, or on another page.
"""

from collections.abc import Sequence
from dataclasses import replace
from math import inf
from typing import NamedTuple

from attnhand.layout.bands import BandArranger, WordsMeasurer, align_bands
from attnhand.layout.page import Item, Layout, Page
from attnhand.layout.page_frame import PageFrame
from attnhand.layout.placement import PanelPlacer
from attnhand.layout.setting import ClosingPlace, Setting, TooLargeError
from attnhand.layout.trace_pages import TracePlacer
from attnhand.layout.typography import MAX_EXTRA_GAP, MAX_EXTRA_GAP_ON_LAST_PAGE, UNIT
from attnhand.sheet.document import Document
from attnhand.sheet.panels import Panel

PageStrips = list[list[Panel]]
"""A page's panels, strip by strip; most pages are one strip."""

Body = list[Item]
"""What stands between a page's head and foot."""

MIN_BALANCED_FILL = 0.45
"""A page that is less full takes the last panel of the page before it, if both are fuller then."""

MIN_PANELS_LEFT = 2
"""On a page whose last panels go to the next one, so that it is not nearly empty."""


class _SheetEnd(NamedTuple):
    """The last page with panels, and what closes the sheet."""

    placers: list[PanelPlacer]
    """Those who placed the panels of that page."""

    body: Body
    """What stands on it."""

    extra_gap: float
    """What was added between its bands, in millimetres."""

    further_pages: list[Body]
    """For what closes the sheet and does not fit on it."""

    closing: ClosingPlace | None
    """Where the questions stand; None where there are none."""

    key_only_page_count: int
    """How many of the further pages the key alone has."""


class Composer:
    """Composes the pages of one sheet in one setting."""

    def __init__(self, document: Document, setting: Setting) -> None:
        self.document, self.setting = document, setting
        self.page_frame = PageFrame(document, setting)
        self.words = WordsMeasurer(setting)
        self._headed_panels: dict[int, Panel] = {}
        self.copy_count = 0
        """Count of worked matrices that a student has to copy because they stand on another page."""

        self.last_page_extra_gap = 0.0
        """What was added between the bands of the last page with panels, in millimetres."""

        self.key_only_page_count = 0
        """Pages that the key alone has."""

        self.closing: ClosingPlace | None = None
        """Where the questions stand; None where there are none."""

    def compose_layout(self) -> Layout:
        """Return the layout; TooLargeError where it does not fit."""
        # 1. the pages with panels
        page_strips, end = self._divide_with_closing()
        self.closing, self.last_page_extra_gap = end.closing, end.extra_gap
        self.key_only_page_count = end.key_only_page_count
        placers: list[PanelPlacer] = []
        bodies: list[Body] = []
        for number, strips in enumerate(page_strips[:-1], 1):
            page_placers = self._make_placers(number, strips, MAX_EXTRA_GAP)
            placers += page_placers
            bodies.append(_place_panels(page_placers))
        placers, bodies = [*placers, *end.placers], [*bodies, end.body]
        self.copy_count = sum(placer.copy_count for placer in placers)

        # 2. exact values that found no room with their stage: freely beside it, if that is on the last page
        unplaced_exact = [panel for placer in placers for panel in placer.unplaced_exact if panel.exact_grid]
        shows_exact = self.document.sheet.options.show_exact
        # Subtle: a blank that shows exact values has no heat maps, and must have the same pages as its key
        if unplaced_exact and not (end.further_pages or shows_exact):
            header_bottom = self._find_body_top(len(page_strips), page_strips[-1])
            placed, unplaced_exact = self.page_frame.place_exact_freely(unplaced_exact, bodies[-1], header_bottom)
            bodies[-1] = [*bodies[-1], *placed]

        # 3. pages after the panels. The trace comes first: blank and key then have it on the same page
        bodies += TracePlacer(self.setting, self.page_frame).place_traces(self.document.traces, len(bodies) + 1)
        bodies += self.page_frame.make_correction_pages(len(bodies) + 1)
        bodies += end.further_pages
        own_pages = [] if shows_exact else _find_pages_from(page_strips, unplaced_exact)
        closing_page = [len(bodies) - 1] if self.key_only_page_count and not shows_exact else []
        self._add_exact_block(bodies, unplaced_exact, [*own_pages, *closing_page])

        # 4. the frame, which knows only now how many pages there are
        pages = []
        for number, body in enumerate(bodies, 1):
            with_reminder = number <= len(page_strips) and _needs_powers_reminder(*page_strips[number - 1])
            header = self.page_frame.make_header(number, with_reminder)
            footer = self.page_frame.make_footer(number, len(bodies))
            pages.append(Page(number=number, items=(*header, *body, *footer)))
        setting = self.setting
        return Layout(width=setting.width, height=setting.height, pages=tuple(pages), typography=setting.typography)

    def _add_exact_block(self, bodies: list[Body], panels: list[Panel], pages: Sequence[int]) -> None:
        """Put exact values together below one page, the first that has room for them all; else on pages of their own.

        Args:
            pages: which may have them, in the order in which they are tried.
        """
        for at in filter(bodies.__getitem__, pages if panels else ()):
            bottom = max(item.box.bottom for item in bodies[at])
            block, left_over = self.page_frame.make_exact_block(panels, bottom + 2.5 * UNIT)
            if not left_over:
                bodies[at] = [*bodies[at], *block]
                return
        while panels:
            top = self.page_frame.find_header_bottom(len(bodies) + 1, False)
            block, left_over = self.page_frame.make_exact_block(panels, top)
            if not block:
                raise TooLargeError("exact values are larger than a page")
            bodies.append(block)
            self.key_only_page_count += 1
            panels = left_over

    def _make_placers(self, page_number: int, strips: PageStrips, max_extra_gap: float) -> list[PanelPlacer]:
        top = self._find_body_top(page_number, strips)
        settings, strips = self._divide_setting(len(strips)), self._head_strips(strips)
        placers = [
            PanelPlacer(setting, strip, self.words, top, max_extra_gap=max_extra_gap)
            for setting, strip in zip(settings, strips, strict=True)
        ]
        if len(placers) > 1:
            for placer, bands in zip(placers, align_bands([placer.bands for placer in placers]), strict=True):
                placer.bands = bands
        return placers

    def _divide_with_closing(self) -> tuple[list[PageStrips], _SheetEnd]:
        """Return which panels go on which page, and the end of the sheet.

        Questions that would stand on a page of their own take the last panels with them, if all of them fit there::

            as divided    page 1: powers sums A Z    page 2: questions
            moved         page 1: powers sums        page 2: A Z, questions
        """
        divided = self._divide_into_pages()
        moved = _move_last_group(divided)  # empty where too little would be left on the page before
        on_key = self.setting.closing
        if on_key is not None:  # a blank has what its key has on every page
            pages = moved if on_key.has_last_group else divided
            return self._balance_pages(pages), self._compose_end(pages)
        end = self._compose_end(divided)
        has_questions_apart = end.closing is not None and not end.closing.is_on_last_page
        if moved and has_questions_apart:
            moved_end = self._compose_end(moved)
            if moved_end.closing and not moved_end.further_pages and not moved_end.key_only_page_count:
                closing = replace(moved_end.closing, has_last_group=True)
                return self._balance_pages(moved), moved_end._replace(closing=closing)
        return self._balance_pages(divided), end

    def _compose_end(self, page_strips: list[PageStrips]) -> _SheetEnd:
        """Return the last of these pages, and pages for what does not fit below its panels.

        Gaps between the panels are widened only if what closes the sheet then still fits on the page.
        """
        number, strips = len(page_strips), page_strips[-1]
        key_gap = self.setting.last_page_extra_gap  # a blank takes the gap that its key was laid out with
        for extra_gap in (MAX_EXTRA_GAP_ON_LAST_PAGE, 0.0) if key_gap is None else (key_gap,):
            placers = self._make_placers(number, strips, extra_gap)
            end = self._close_page(_SheetEnd(placers, _place_panels(placers), extra_gap, [], None, 0), number, strips)
            if not end.further_pages:
                break
        return end

    def _close_page(self, end: _SheetEnd, page_number: int, strips: PageStrips) -> _SheetEnd:
        """Return the end with questions and comparison, below the last page's boxes or on further pages.

        Tried in this order: both on this page; both, with the heat maps beside what they show; the questions here and
        the comparison on a page that only the key has; both on another page.
        """
        frame, on_key, is_solved = self.page_frame, self.setting.closing, self.document.sheet.is_solved
        header_bottom = self._find_body_top(page_number, strips)
        if on_key and not on_key.is_on_last_page:
            return end._replace(further_pages=self._make_comparison_pages(page_number + 1, with_questions=True))
        if (section := frame.make_closing_section(end.body, header_bottom)) is not None:
            return self._add_to_page(end, section)
        for with_text in (False, True):
            section = frame.make_closing_section(
                end.body, header_bottom, with_comparison=not with_text, with_maps=False
            )
            if section is not None:
                beside = frame.place_comparison_freely([*end.body, *section], header_bottom, with_text=with_text)
                if beside is not None:
                    return self._add_to_page(end, [*section, *(beside if is_solved else ())])
        questions = frame.make_closing_section(end.body, header_bottom, with_comparison=False)
        if questions is not None:
            pages = self._make_comparison_pages(page_number + 1, with_questions=False) if is_solved else []
            return self._add_to_page(end, questions)._replace(further_pages=pages, key_only_page_count=1)
        pages = self._make_comparison_pages(page_number + 1, with_questions=True)
        closing = ClosingPlace(False, 0.0, 0.0, frame.count_question_lines(pages[0]))
        return end._replace(further_pages=pages, closing=closing)

    def _add_to_page(self, end: _SheetEnd, section: list[Item]) -> _SheetEnd:
        """Return the end with questions, and maybe the comparison, on its page."""
        closing = None
        if self.document.questions:
            line_counts = self.page_frame.count_question_lines(section)
            closing = ClosingPlace(True, section[0].box.y, section[0].box.w, line_counts)
        return end._replace(body=[*end.body, *section], closing=closing)

    def _make_comparison_pages(self, page_number: int, *, with_questions: bool) -> list[Body]:
        """Return the comparison on one page, or its sentences and its heat maps on two."""
        header_bottom = self.page_frame.find_header_bottom(page_number, False)
        page = self.page_frame.make_closing_page(header_bottom, with_questions=with_questions)
        if page is not None:
            return [page]
        text = self.page_frame.make_closing_section([], header_bottom, with_questions=with_questions, with_maps=False)
        if text is None:
            raise TooLargeError("the comparison at its end is larger than a page")
        return [page for page in (text, self.page_frame.make_map_page(page_number + 1)) if page]

    @property
    def min_page_count(self) -> int:
        """How many pages there are at least: every run begins a new one."""
        return len(self._group_runs_by_page())

    def _group_runs_by_page(self) -> list[tuple[tuple[Panel, ...], ...]]:
        """Return the runs, page by page; two heads share a page where the setting says so."""
        pages: list[tuple[tuple[Panel, ...], ...]] = []
        for run in self.document.panels.runs:
            is_single = self.setting.has_two_heads_per_page and run[0].stage.head > 1 and pages and len(pages[-1]) == 1
            if is_single and _list_group_sizes(pages[-1][0]) == _list_group_sizes(run):
                pages[-1] = (pages[-1][0], run)
            else:
                pages.append((run,))
        return pages

    def _divide_into_pages(self) -> list[PageStrips]:
        """Return which panels go on which page.

        A run that needs more than one page leaves its last page half empty: the next run goes on there. So if ``K Q S``
        fill a page, the runs ``K Q S scaled`` and ``powers sums A Z`` become ``K Q S`` and ``scaled powers sums A Z``,
        or three pages where that is too much for one.
        """
        pages: list[PageStrips] = []
        has_overflowed = False
        for runs in self._group_runs_by_page():
            count_before = len(pages)
            if not has_overflowed or len(pages[-1]) != len(runs):
                pages.append([[] for _ in runs])
            for groups in zip(*map(_group_tied_panels, runs), strict=True):
                self._add_panels(pages, groups)
            has_overflowed = len(pages) > count_before + 1
        return pages

    def _add_panels(self, pages: list[PageStrips], groups: tuple[list[Panel], ...]) -> None:
        """Put panels that belong together, strip by strip, on the last page or a new one; split only where needed."""
        # in large print the first page may have room for nothing but its head
        may_turn = bool(pages[-1][0]) or (self.setting.has_one_product_per_page and len(pages) == 1)
        fits = self._fits_on_page(len(pages), pages[-1], groups)
        if may_turn and not fits:
            pages.append([[] for _ in groups])
            fits = self._fits_on_page(len(pages), pages[-1], groups)
        if fits:
            for strip, group in zip(pages[-1], groups, strict=True):
                strip.extend(group)
        elif len(groups[0]) > 1:
            for parts in zip(*groups, strict=True):
                self._add_panels(pages, tuple([panel] for panel in parts))
        else:
            raise TooLargeError(f"{groups[0][0].stage.name} and its factors are larger than a page")

    def _fits_on_page(self, page_number: int, page_strips: PageStrips, groups: tuple[list[Panel], ...]) -> bool:
        strips = self._head_strips([[*strip, *group] for strip, group in zip(page_strips, groups, strict=True)])
        product_count = sum(not panel.is_cell_by_cell for panel in strips[0])
        if self.setting.has_one_product_per_page and (product_count > 1 or (product_count and page_strips[0])):
            return False
        return self._measure_page(page_number, strips) <= 1 + 1e-6

    def _measure_page(self, page_number: int, strips: PageStrips) -> float:
        """Return which part of a page its panels take along the query column: 1 where it is full, inf beyond."""
        top = self._find_body_top(page_number, strips)
        (begin, end), _ = self.setting.find_spans(top)
        settings = self._divide_setting(len(strips))
        try:
            bands = [
                BandArranger(setting, strip, self.words, top).arrange()
                for setting, strip in zip(settings, strips, strict=True)
            ]
        except TooLargeError:
            return inf
        last = align_bands(bands)[0][-1]
        return (last.end + settings[0].measure_sums_row(last.panel, is_last=True)) / (end - begin)

    def _balance_pages(self, pages: list[PageStrips]) -> list[PageStrips]:
        """Return pages of which none but the last is left far emptier than the one before it.

        ``K Q S scaled`` and ``powers sums`` become ``K Q S`` and ``scaled powers sums``.
        """
        pages = list(pages)
        for at in range(len(pages) - 2):
            groups = _group_tied_panels(tuple(pages[at][0]))
            if len(pages[at]) + len(pages[at + 1]) > 2 or len(groups) < 2 or len(groups[-1]) > 1:
                continue
            left = [[panel for group in groups[:-1] for panel in group]]
            right = [[*groups[-1], *pages[at + 1][0]]]
            before = self._measure_page(at + 2, self._head_strips(pages[at + 1]))
            fills = self._measure_page(at + 1, left), self._measure_page(at + 2, self._head_strips(right))
            if before < MIN_BALANCED_FILL <= min(fills) and max(fills) <= 1:
                pages[at : at + 2] = [left, right]
        return pages

    def _head_strips(self, strips: PageStrips) -> PageStrips:
        """Return the panels of a page with a heading on the first: nothing starts from nowhere."""
        return [[self._head_panel(strip[0]), *strip[1:]] if strip else strip for strip in strips]

    def _head_panel(self, panel: Panel) -> Panel:
        if panel.heading or not panel.continued_heading:
            return panel
        if id(panel) not in self._headed_panels:
            purpose = panel.purpose if panel.paragraphs else panel.repeated_purpose
            self._headed_panels[id(panel)] = replace(panel, heading=panel.continued_heading, purpose=purpose)
        return self._headed_panels[id(panel)]

    def _divide_setting(self, strip_count: int) -> list[Setting]:
        """Return the setting of every strip of a page."""
        return [replace(self.setting, strip_index=at, strip_count=strip_count) for at in range(strip_count)]

    def _find_body_top(self, page_number: int, strips: PageStrips) -> float:
        return self.page_frame.find_header_bottom(page_number, _needs_powers_reminder(*strips))


def _move_last_group(page_strips: list[PageStrips]) -> list[PageStrips]:
    """Return pages of which another has the last panels that continue one another; none where too few are left."""
    groups = [_group_tied_panels(tuple(strip)) for strip in page_strips[-1]]
    if any(sum(map(len, each[:-1])) < MIN_PANELS_LEFT for each in groups):
        return []
    left = [[panel for group in each[:-1] for panel in group] for each in groups]
    return [*page_strips[:-1], left, [each[-1] for each in groups]]


def _find_pages_from(page_strips: list[PageStrips], panels: Sequence[Panel]) -> list[int]:
    """Return every page by its index, that of the last of these panels first, then those after it, then the others."""
    names = {panel.stage.name for panel in panels}
    pages = range(len(page_strips))
    own = [at for at in pages if any(panel.stage.name in names for strip in page_strips[at] for panel in strip)]
    return sorted(pages, key=lambda at: at < max(own, default=0))


def _place_panels(placers: list[PanelPlacer]) -> list[Item]:
    return [item for placer in placers for item in placer.place_panels()]


def _needs_powers_reminder(*strips: list[Panel]) -> bool:
    return any(bool(panel.stage.facts.reminder_key) for strip in strips for panel in strip)


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
