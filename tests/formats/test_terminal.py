"""The sheet in the terminal: colours for every background, and exact values on the lines of the hand values."""

import re

import pytest

import attnhand
from attnhand.formats.terminal import ACCENT_COLOURS, SIGN_STYLES, render_terminal, render_vet
from attnhand.marking.terminal import render_marks
from tests.forms import PLAIN_FORMS

STEPS = (0, 95, 135, 175, 215, 255)
"""Of the 6 × 6 × 6 colours that terminals of 256 colours have, from number 16 on."""

BACKGROUNDS = {"black": 0.0, "#1e1e1e": 0.013, "#2b2b2b": 0.0242, "solarized light": 0.923, "white": 1.0}
"""How light they are, as WCAG reckons it."""

MIN_CONTRAST = 3.0
"""What WCAG asks of frames and signs; small text takes 4.5, which no colour has on all of these."""


def luminance(number: int) -> float:
    """Return how light a colour of the cube is, 0 to 1, as WCAG reckons it."""
    parts = (STEPS[(number - 16) // size % 6] / 255 for size in (36, 6, 1))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def test_frames_and_signs_are_seen_on_every_background() -> None:
    """Every colour has its contrast on dark and light."""
    styles = {*ACCENT_COLOURS.values(), *SIGN_STYLES.values()} - {"dim"}
    numbers = {int(found[1]) for style in styles if (found := re.search(r"color\(([0-9]+)\)", style))}
    assert len(styles) >= len(numbers) >= 6
    for number in numbers:
        for background in BACKGROUNDS.values():
            darker, lighter = sorted((luminance(number) + 0.05, background + 0.05))
            assert lighter / darker >= MIN_CONTRAST, number


def test_whatever_is_read_keeps_the_ink_of_the_terminal() -> None:
    """Nothing but frames and signs has a colour: letters and digits are as legible as anything else there."""
    sheet = attnhand.generate(seed=7)
    values = {stage.stage.name: [[str(value) for value in row] for row in stage.hand] for stage in sheet.solution}
    values["K"][0][1], values["S"][0][0] = "77", "x"
    texts = [render_terminal(each, colour=True) for each in (sheet.blank, sheet.key)]
    texts.append(render_marks(attnhand.check(values, sheet), colour=True))
    own = attnhand.solve(X=[[1, 0]] * 2, W_Q=[[1, 1]], W_K=[[1, 0]], W_V=[[1, 1]])
    texts.append(render_vet(own, attnhand.vet(own), colour=True))
    coloured = [found for text in texts for found in re.findall(r"\x1b\[[0-9;]*38;5;[0-9]+m([^\x1b]*)", text)]
    assert len(coloured) > 100
    assert set("".join(coloured)) <= set("┌┬┐├┼┤└┴┘─│ ✓→✗?○")


def test_row_meets_column_in_rows_too() -> None:
    """X stands left of K on the same lines, W_K above it, column over column."""
    lines = render_terminal(attnhand.generate(seed=7, convention="rows"), width=80).splitlines()
    head = next(line for line in lines if re.match(r" +X ", line))
    above = next(line for line in lines if re.match(r" +W_K ", line))
    assert head.partition("│")[2].split() == ["K", "│", "1", "│", "2", "│", "3", "│"]
    assert [head.rindex(f" {at} ") for at in (1, 2, 3)] == [f"{above} ".rindex(f" {at} ") for at in (1, 2, 3)]
    assert re.match(r" +x₁ .*│ +k₁ │", lines[lines.index(head) + 2])


@pytest.mark.parametrize("width", [80, 120])
def test_exact_values_stand_on_the_lines_of_the_hand_values(width: int) -> None:
    """Beside every row of scaled scores, powers and weights stands the same row, exactly."""
    lines = render_terminal(attnhand.generate(seed=7), width=width).splitlines()
    rows = [line for line in lines if re.match(r"│ +k[₁₂₃₄] │", line) and re.search(r"│ +-?−?[0-9]+\.[0-9]{2}", line)]
    assert len(rows) == 3 * 4
    assert rows[0].rsplit("│", 1)[1].split()[0] == "0.58"  # S[1,1] = 1 over √3


@pytest.mark.parametrize("mechanism", sorted({form.mechanism for form in PLAIN_FORMS.values()}))
def test_no_line_is_too_long_and_no_two_are_empty_for_nothing(mechanism: str) -> None:
    """At 40, 60, 80 and 120 columns, blank and solved."""
    sheet = attnhand.generate(seed=7, mechanism=mechanism)
    for width in (40, 60, 80, 120):
        for version in (sheet.blank, sheet.key):
            text = render_terminal(version, width=width)
            assert max(map(len, text.splitlines())) <= width
            assert "\n\n\n" not in text


@pytest.mark.parametrize("width", [30, 40])
def test_no_column_is_lost_where_the_terminal_is_narrow(width: int) -> None:
    """A factor that is too wide is cut into bands as its product is, each number whole."""
    lines = render_terminal(attnhand.generate(seed=7).key, width=width).splitlines()
    for name in ("W_K", "W_Q", "W_V"):
        heads = [line.split() for line in lines if line.split()[:1] == [name] and line.split()[1:2] != ["="]]
        assert [label for head in heads for label in head[1:]] == ["1", "2", "3", "4", "5", "6"]
    assert not re.search(r"\d…|…\d", "\n".join(lines))


@pytest.mark.parametrize("mechanism", ["self", "multi-head"])
def test_heat_maps_stand_in_pairs_at_80_columns(mechanism: str) -> None:
    """What is done by hand and what is exact stand side by side, to be compared along the lines."""
    key = attnhand.generate(seed=7, mechanism=mechanism).key
    heads = [line for line in render_terminal(key).splitlines() if line.startswith("A by hand")]
    assert len(heads) == len(key.weight_stages)
    assert all("   A exactly" in head for head in heads)
