"""The map of a whole language model: one page, in every language, with the numbers that the sheets come to."""

from fractions import Fraction
from itertools import product

import pytest

from attnhand.layout.model_map import lay_out_map
from attnhand.layout.page import GridBox, TextBox
from attnhand.layout.text_pages import PageSize
from attnhand.layout.typography import PAPER_SIZES
from attnhand.problems.language_model import SENTENCES, WORDS
from attnhand.problems.levels import Level
from attnhand.problems.model_parts import draw_model
from attnhand.sheet.grids import CellKind, GridStyle
from attnhand.sheet.options import Paper
from attnhand.text import LANGUAGES, get_language
from attnhand.text.widths import to_unicode
from tests.breadth import LOOKS_AT_ALL, choose
from tests.pages import geometry
from tests.problems.language_model_oracle import times, work_by_hand

SEEDS = range(200 if LOOKS_AT_ALL else 12)

LEVELS = (Level.STANDARD, Level.CHALLENGE)

STAGES = {
    "X = E + P": "X",
    "S = Kᵀ Q": "S",
    "A": "A",
    "Z = V A": "Z",
    "R₁ = X + output": "R",
    "N₂ = R₁ / r₂": "N",
    "F₁": "F1",
    "relu₁": "relu",
    "F₂": "F2",
    "R₂ = R₁ + F₂": "R2",
    "N₃ = R₂ / r₃": "H",
    "logits": "logits",
    "p": "p",
}
"""What the oracle calls the results."""


def read_grid(item: GridBox) -> list[list[Fraction]]:
    """Return the numbers that a grid shows."""
    return [[Fraction(str(cell.number).replace("−", "-")) for cell in row] for row in item.grid.cells]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("seed", SEEDS)
def test_all_numbers_are_those_of_the_model(seed: int, level: Level) -> None:
    """Every worked number is that of a program that shares no code, and the last word's column alone is tinted."""
    model = draw_model(seed, level)
    page = lay_out_map(get_language("en"), PageSize(*PAPER_SIZES[Paper.A4]), model).pages[0]
    words = model.step.sentence
    given = {
        name: getattr(model, name) for name in ("E", "W_Q", "W_K", "W_V", "W_O", "W_1", "b_1", "W_2", "b_2", "W_U")
    }
    known = work_by_hand(given, [WORDS.index(word) for word in words])
    grids = [item for item in page.items if isinstance(item, GridBox)]
    heads = 0
    seen = set()
    for item in grids:
        name, shown = to_unicode(item.grid.name), read_grid(item)
        tinted = {j for row in item.grid.cells for j, cell in enumerate(row) if cell.kind is CellKind.GIVEN}
        is_worked = item.grid.style is GridStyle.WORKED
        assert tinted == ({item.grid.column_count - 1} if is_worked else set()), name
        heads += "⁽" in name and is_worked
        stage = STAGES.get(name)
        if stage in ("S", "A", "Z"):
            stage = f"h{heads}.{stage}"
        if stage is None:
            continue
        seen.add(stage)
        expected = [row[-1:] if item.grid.column_count == 1 else row for row in known[stage]]
        assert shown == expected, name
    assert len(seen) == len(STAGES) + 3
    joined = {number: [row for letter in "QKV" for row in known[f"h{number}.{letter}"]] for number in (1, 2)}
    assert [read_grid(item) for item in grids if "X" in to_unicode(item.grid.name)][1:3] == [joined[1], joined[2]]
    attended = next(item for item in grids if to_unicode(item.grid.name) == "output")
    assert read_grid(attended) == times(given["W_O"], [*known["h1.Z"], *known["h2.Z"]])
    told = [to_unicode(each.text) for item in page.items if isinstance(item, TextBox) for each in item.paragraphs]
    assert {f"{' '.join(sentence)} → {word}" for sentence, word in SENTENCES.items()} <= set(told)


@pytest.mark.parametrize("paper", Paper)
@pytest.mark.parametrize("language", LANGUAGES)
def test_nothing_overlaps_or_leaves_the_page(language: str, paper: Paper) -> None:
    """One page in every language, whose boxes are apart, and whose numbers fit their cells.

    Each model in some languages, for words are longer in one, numbers in another.
    """
    turn = [*product(LANGUAGES, Paper)].index((language, paper))
    for level, seed in choose([*product(LEVELS, SEEDS)][turn % 7 :: 7], [*product(LEVELS, SEEDS)][turn % 2 :: 2]):
        layout = lay_out_map(get_language(language), PageSize(*PAPER_SIZES[paper]), draw_model(seed, level))
        assert len(layout.pages) == 1
        for find in (
            geometry.find_boxes_outside_paper,
            geometry.find_overlaps,
            geometry.find_overprints,
            geometry.find_wrong_boxes,
            geometry.find_long_labels,
            geometry.find_long_numbers,
        ):
            assert not [*find(layout)], (level, seed)
