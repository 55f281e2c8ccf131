"""The quick key: the numbers that tell most, and those that give a slip away."""

import pytest

import attnhand
from attnhand.attention.convention import Convention
from attnhand.classroom.quick_key import build_quick_key, find_slip_indicators
from tests.breadth import pair_up
from tests.forms import FORMS
from tests.marking.handing_in import make_slip


def test_the_classic_numbers() -> None:
    """S of seed 7 in column q₁ is 1, −1, −4, 3: halved and rounded down 0, −1, −2, 1, so Σ = 1 + 1/3 + 1/9 + 3 = 40/9.

    Not scaled: 3 + 1/3 + 1/81 + 27 = 2458/81. Toward zero, −1/2 becomes 0: 1 + 1 + 1/9 + 3 = 46/9. Rounded up: 1, 0,
    −2, 2, so 3 + 1 + 1/9 + 9 = 118/9. 3⁻¹ = −3 and 3⁻² = −9: 1 − 3 − 9 + 3 = −8. 3⁻¹ = 3⁻² = 0: 4. Along its row k₁,
    A[1,1] = 1 / (1 + 1/3 + 1/3 + 1).
    """
    sheet = attnhand.generate(seed=7)
    scores, sums, outputs = (
        [[str(cell.number) for cell in row] for row in grid.cells] for grid in build_quick_key(sheet)
    )
    assert scores == [line.split() for line in ("1 −2 −1 0", "−1 2 1 −1", "−4 6 3 −2", "3 0 0 2")]
    assert sums == [["40/9", "94/3", "16/3", "14/3"]]
    assert outputs[0][0] == "−1/40"
    assert [f"{tale.cell} = {tale.value} {tale.slip}" for tale in find_slip_indicators(sheet)] == [
        "Σ[1,1] = 2458/81 not-scaled",
        "Σ[1,1] = 46/9 truncated",
        "Σ[1,1] = 118/9 rounded-up",
        "Σ[1,1] = −8 negative-power-negated",
        "Σ[1,1] = 4 negative-power-zero",
        "A[1,1] = 3/8 other-axis",
    ]
    assert find_slip_indicators(sheet)[1].action == "rounded toward zero instead of down"


@pytest.mark.parametrize(("name", "convention"), pair_up([*FORMS], [*Convention]))
def test_every_mechanism_has_one(name: str, convention: Convention) -> None:
    """Each tell-tale is what its slip leaves in that cell, and neither the key nor another slip does."""
    form = FORMS[name]
    sheet = attnhand.generate(
        3,
        mechanism=form.mechanism,
        heads=form.heads,
        causal=form.is_causal,
        convention=convention,
        words=form.embedded_words,
        embed=bool(form.embedded_words),
        positions=form.has_positions,
    )
    assert len(build_quick_key(sheet)) >= 3
    tales = find_slip_indicators(sheet)
    assert len(tales) >= 2 or not sheet.weight_stages
    assert len({(tale.cell, tale.value) for tale in tales}) == len(tales)
    head = f"h{sheet.weight_stages[0].head}." if sheet.weight_stages and sheet.weight_stages[0].head else ""
    weights = sheet.weight_stages[0].name if sheet.weight_stages else ""
    at = {
        "not-scaled": "scaled",
        "truncated": "scaled",
        "rounded-up": "scaled",
        "other-axis": weights.rpartition(".")[2],
    }
    for tale in tales:
        row, column = (int(part) - 1 for part in tale.cell.partition("[")[2].rstrip("]").split(","))
        seen = head + "sums" if tale.cell.startswith("Σ") else weights
        left = make_slip(sheet, tale.slip, head + at.get(tale.slip, "powers"), seen)[seen][row][column]
        assert str(left).replace("-", "−") == tale.value
        assert left != sheet.solution[seen].hand[row][column]
