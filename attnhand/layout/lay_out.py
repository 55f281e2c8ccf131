"""Lay out a sheet: of all grids for its paper, take the one whose pages cost least."""

from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import groupby

from attnhand.errors import PageError, name_option
from attnhand.layout.breaks import Cost
from attnhand.layout.compose import Composer, SheetFaces, find_grid_effort
from attnhand.layout.fill import fill_layout
from attnhand.layout.page import GridBox, Layout
from attnhand.layout.page_grid import SEPARATED, Arrangement, PageGrid, TooLargeError, list_page_grids
from attnhand.layout.question_room import QuestionRoom, are_alike, has_room_for
from attnhand.layout.sheet_kind import SheetKind, find_question_room, find_sheet_kind, make_model_sheets
from attnhand.sheet.build_grids import is_changed_by_shortcut
from attnhand.sheet.document import build_document
from attnhand.sheet.sheet import Sheet


def lay_out(sheet: Sheet) -> Layout:
    """Return the pages of a sheet; the same geometry whether it is blank or solved.

    Sheets of one kind share the boxes of their model, so that nothing on a page moves with its numbers; a sheet
    whose numbers do not fit there is laid out for itself.

    Raises:
        PageError: no layout is legible on this paper.
    """
    return lay_out_like_model(sheet) or lay_out_without_model(sheet)


def lay_out_like_model(sheet: Sheet) -> Layout | None:
    """Return the pages of a sheet in the boxes of its model; None where it has none, or blank or key does not fit."""
    layouts = find_model_layouts(sheet)
    if layouts is None:
        return None
    blank, key = fill_layout(layouts.blank, sheet.blank), fill_layout(layouts.key, sheet.key)
    return (key if sheet.is_solved else blank) if blank and key else None


@dataclass(frozen=True, slots=True, eq=False)
class ModelLayouts:
    """The layouts that sheets of one kind share, whose questions take as much room."""

    model: Sheet
    """The sheet that was laid out, solved."""

    blank: Layout
    key: Layout

    @property
    def effort(self) -> tuple[int, int]:
        """How many pages there are, and how many matrices stand on them."""
        grids = [item for page in self.key.pages for item in page.items if isinstance(item, GridBox)]
        return len(self.key.pages), len(grids)

    def fits_sheet(self, sheet: Sheet) -> bool:
        """Say whether a sheet's numbers fit, on blank and key."""
        return self.has_exact_values_of(sheet) and bool(
            fill_layout(self.blank, sheet.blank) and fill_layout(self.key, sheet.key)
        )

    def has_exact_values_of(self, sheet: Sheet) -> bool:
        """Say whether the key has room for what is exact wherever a shortcut changes something on a sheet."""
        return all(
            is_changed_by_shortcut(self.model.solution[solved.stage.name])
            for solved in sheet.solution
            if is_changed_by_shortcut(solved)
        )


def find_model_layouts(sheet: Sheet) -> ModelLayouts | None:
    """Return the layouts that a sheet shares; None where it has no model, or its key needs more room than that."""
    kind = find_sheet_kind(sheet)
    layouts = None if kind is None else choose_model_layouts(kind)
    return layouts if layouts and layouts.has_exact_values_of(sheet) else None


def choose_model_layouts(kind: SheetKind) -> ModelLayouts | None:
    """Return the layouts that the sheets of a kind share, with room for longer questions if that costs nothing.

    Neither a page nor a matrix to copy, because its page begins elsewhere.
    """
    roomy = _choose_layouts(replace(kind, room=tuple(row.round_up() for row in kind.room)))
    tight = _choose_layouts(replace(kind, room=tuple(row.least for row in kind.room)))
    if roomy and tight and roomy.effort > tight.effort:
        return _choose_layouts(kind)
    return roomy


@lru_cache(maxsize=256)  # a term of parts has ten weeks, each with four sentences in two or three rooms
def _choose_layouts(kind: SheetKind) -> ModelLayouts | None:
    """Return the layouts of the model whose boxes hold the numbers of most other models, in the room of a kind."""
    known = _make_models(replace(kind, room=()))
    models = [each for each in known if are_alike(each.room, kind.room)]
    others = [each.sheet for each in known if has_room_for(kind.room, each.room)]
    best: ModelLayouts | None = None
    best_count = 0
    for model in models:
        try:
            layouts = ModelLayouts(model.sheet, *_compose_faces(model.faces, kind.room))
        except PageError:  # another sheet of this kind may fit all the same
            continue
        fitting_count = sum(map(layouts.fits_sheet, others))
        if best is None or fitting_count > best_count:
            best, best_count = layouts, fitting_count
        if fitting_count == len(others):
            break
    return best


class _Faces:
    """Blank and key of a sheet, made for all page grids and all rooms of questions."""

    def __init__(self, sheet: Sheet) -> None:
        self.blank, self.key = sheet.blank, sheet.key
        self._made: dict[bool, SheetFaces] = {}

    def get(self, *, separate_factors: bool) -> SheetFaces:
        """Return both; a factor worked beside its product may have a panel in another run."""
        if separate_factors not in self._made:
            blank, key = (build_document(face, separate_factors=separate_factors) for face in (self.blank, self.key))
            self._made[separate_factors] = SheetFaces(blank, key)
        return self._made[separate_factors]


@dataclass(frozen=True, slots=True, eq=False)
class _Model:
    """A model of a kind, with the room of its own questions."""

    sheet: Sheet
    room: QuestionRoom
    faces: _Faces


@lru_cache(maxsize=4)  # a kind is laid out in several rooms, one after the other
def _make_models(kind: SheetKind) -> tuple[_Model, ...]:
    """Return the models of a kind, whatever its room."""
    return tuple(_Model(each, find_question_room(each), _Faces(each)) for each in make_model_sheets(kind))


def lay_out_without_model(sheet: Sheet) -> Layout:
    """Return the pages of a sheet as its own numbers fit best.

    Raises:
        PageError: no layout is legible on this paper.
    """
    return _lay_out_faces(sheet.blank)[sheet.is_solved]


@lru_cache(maxsize=2)  # the blank sheet is laid out, then its key
def _lay_out_faces(blank: Sheet) -> tuple[Layout, Layout]:
    """Return the pages of a sheet and of its key, in the room that their questions take."""
    return _compose_faces(_Faces(blank), None)


def _compose_faces(both: _Faces, room: QuestionRoom | None) -> tuple[Layout, Layout]:
    """Return the pages of a sheet and of its key, with every box at the same place: those that cost least.

    Args:
        room: how much room questions have; None for what they take.

    Raises:
        PageError: no grid holds them.
    """
    reasons: list[str] = []
    best = _find_best(both, room, reasons)
    if both.key.convention.is_rows:  # where tokens are columns, words that are parted save no page
        best = _find_best(both, room, reasons, instead_of=best, keeps_words=False) or best
    if best is None:
        raise PageError(_write_refusal(both.key, reasons))
    return best.compose()


def _find_best(
    both: _Faces,
    room: QuestionRoom | None,
    reasons: list[str],
    *,
    instead_of: Composer | None = None,
    keeps_words: bool = True,
) -> Composer | None:
    """Return the pages that cost least; None where no grid holds them.

    Args:
        reasons: takes why grids do not.
        instead_of: other pages, of which there are to be fewer.
        keeps_words: whether the words of each stage stay together; where they are parted, strips may be lower.
    """
    key = both.key
    best: Composer | None = None
    lowest: Cost | None = None
    grids = list_page_grids(key.options, is_rows=key.convention.is_rows, has_one_token=len(key.asked_queries) == 1)
    for (is_landscape, arrangement), alike in groupby(grids, key=lambda grid: (grid.is_landscape, grid.arrangement)):
        # only what nothing upright holds lies on its side, or has narrower words
        if (best or instead_of) and (is_landscape or arrangement is Arrangement.BESIDE):
            break
        *roomier, tightest = (replace(grid, keeps_words=keeps_words) for grid in alike)
        faces = both.get(separate_factors=tightest.is_large or arrangement in SEPARATED)
        if arrangement is Arrangement.CHAINED:
            apart = _find_apart(faces, tightest, room)
            *roomier, tightest = (replace(grid, apart=apart) for grid in (*roomier, tightest))
        least_page_count = 1
        for grid in (tightest, *roomier):
            # in roomier rows there are as many pages at least
            if lowest and Cost(pages=least_page_count, effort=find_grid_effort(grid)) >= lowest:
                continue
            try:
                composer = Composer(faces, grid, room)
                cost = composer.find_cost()
            except TooLargeError as reason:
                reasons.append(str(reason))
                continue
            if grid is tightest:
                least_page_count = cost.least_page_count
            if instead_of and composer.page_count >= instead_of.page_count:
                if grid is tightest:
                    break
                continue
            if lowest is None or cost < lowest:
                best, lowest = composer, cost
    return best


def _find_apart(faces: SheetFaces, grid: PageGrid, room: QuestionRoom | None) -> frozenset[str]:
    """Return which stages begin a strip, though they could be chained: whatever saves a page, or a hole in one."""
    try:
        best = Composer(faces, grid, room)
        lowest = best.find_cost()
    except TooLargeError:
        return frozenset()
    for name in best.list_chained():
        try:
            other = Composer(faces, replace(grid, apart=best.grid.apart | {name}), room)
            cost = other.find_cost()
        except TooLargeError:
            continue
        if cost[:2] < lowest[:2]:
            best, lowest = other, cost
    return best.grid.apart


def _write_refusal(sheet: Sheet, reasons: list[str]) -> str:
    sizes = ", ".join(f"{name} {size}" for name, size in sheet.problem.sizes.items())
    paper = "A4" if sheet.options.paper == "a4" else "Letter"
    if sheet.options.large_print and sheet.request and sheet.request.part:
        return (
            f"in large print this part of a model does not fit {paper} ({reasons[0]}), and its sizes are its own: "
            f"leave out {name_option('large_print')}, or hand out its web page, which grows with the zoom of a browser"
        )
    if sheet.options.large_print:
        return (
            f"in large print a sheet of {sizes} does not fit {paper} ({reasons[0]}): large print reaches 5 tokens with "
            "8 features and d_k, d_v of 4 in self-attention, less in other mechanisms; choose smaller sizes, such as "
            f"{name_option('level', 'warm-up')}, or ask fewer {name_option('only_queries')}"
        )
    return (
        f"a sheet of {sizes} cannot be printed legibly on {paper} ({reasons[-1]}): "
        f"choose smaller sizes, or ask fewer {name_option('only_queries')}"
    )
