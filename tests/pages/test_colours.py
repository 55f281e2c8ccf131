"""Colours as the style sheets have them: text is legible on its tint, in colour, in grey and in the dark."""

import re
from itertools import combinations, pairwise

import pytest

from attnhand.formats.colours import write_page_rules, write_screen_rules
from attnhand.system.resources import get_template_dir

ACCENTS = ("orange", "blue", "violet", "teal", "green", "brick")

ON_PAPER = ("ink", "soft", "pale", "red")
"""Colours of text that stands on the paper itself."""


def style(name: str) -> str:
    """Return a style sheet."""
    return (get_template_dir() / name).read_text(encoding="utf-8")


def variables(css: str) -> dict[str, str]:
    """Return the colours that a style sheet names."""
    return dict(re.findall(r"--([a-z-]+): (#[0-9a-f]{3,6});", css))


def channels(colour: str) -> tuple[float, float, float]:
    """Return red, green and blue from 0 to 1.

    >>> channels("#fff"), channels("#330000")
    ((1.0, 1.0, 1.0), (0.2, 0.0, 0.0))
    """
    digits = colour.removeprefix("#")
    long = digits if len(digits) == 6 else "".join(2 * digit for digit in digits)
    red, green, blue = (int(long[i : i + 2], 16) / 255 for i in (0, 2, 4))
    return red, green, blue


def luminance(colour: str) -> float:
    """Return how bright a colour is, after WCAG 2.2."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels(colour)]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def in_grey(colour: str) -> str:
    """Return the grey that a printer or a copier makes of a colour (ITU-R 601, as Pillow's mode L)."""
    red, green, blue = channels(colour)
    level = round(255 * (0.299 * red + 0.587 * green + 0.114 * blue))
    return f"#{level:02x}{level:02x}{level:02x}"


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, after WCAG 2.2.

    >>> round(contrast("#000", "#fff"), 1)
    21.0
    """
    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)


LIGHT = variables(write_page_rules(for_screen=True))
DARK = LIGHT | variables(write_screen_rules())
BOTH = pytest.mark.parametrize("colours", [LIGHT, DARK], ids=["light", "dark"])


@BOTH
def test_text_is_legible_on_what_it_stands_on(colours: dict[str, str]) -> None:
    """4.5 to 1 at least, in colour and in grey: on paper, on given cells, on the tint of every matrix."""
    pairs = [(text, "paper") for text in ON_PAPER]
    pairs += [("ink", f"{accent}-tint") for accent in ACCENTS]
    pairs += [("soft", "teal-tint"), ("ink", "given"), ("soft", "given")]
    low = {}
    for text, ground in pairs:
        for name, change in (("colour", str), ("grey", in_grey)):
            found = contrast(change(colours[text]), change(colours[ground]))
            if found < 4.5:
                low[text, ground, name] = round(found, 2)
    assert low == {}


@BOTH
def test_borders_are_seen(colours: dict[str, str]) -> None:
    """3 to 1 at least, in colour and in grey: the frame of every cell to fill, and the dashes of every copy."""
    for edge in (*ACCENTS, "edge", "ink"):
        assert contrast(colours[edge], colours["paper"]) >= 3
        assert contrast(in_grey(colours[edge]), in_grey(colours["paper"])) >= 3


def test_weights_are_legible_on_their_shades() -> None:
    """The numbers of a heat map, on all eleven shades; and a larger weight is darker, in grey too."""
    shades = re.findall(r"\.shade(\d+) \{ background: (#[0-9a-f]+); \}", write_page_rules(for_screen=True))
    assert [int(number) for number, _ in shades] == [*range(11)]
    (text,) = re.findall(r'\.grid td\[class\*="shade"\] \{ color: (#[0-9a-f]+); \}', style("sheet.css"))
    levels = [luminance(in_grey(shade)) for _, shade in shades]
    assert all(contrast(text, shade) >= 4.5 for _, shade in shades)
    assert all(a > b for a, b in pairwise(levels))


def test_matrices_are_told_apart_by_name_not_by_colour() -> None:
    """In grey the accents are alike: nothing on the page may depend on them; letters name every matrix."""
    greys = [luminance(in_grey(LIGHT[accent])) for accent in ACCENTS]
    assert min(abs(a - b) for a, b in combinations(greys, 2)) < 0.05


def test_the_dark_page_is_dark_on_screens_only() -> None:
    """Its colours stand under a query for screens; print takes the light ones."""
    css = write_screen_rules()
    dark = css.index("prefers-color-scheme: dark")
    assert css.rindex("@media screen", 0, dark) > 0
    assert css.index("--paper") > dark
    assert luminance(DARK["paper"]) < 0.02 < 0.9 < luminance(LIGHT["paper"])
    assert DARK.keys() == LIGHT.keys()
    assert all(DARK[name] != LIGHT[name] for name in LIGHT)
