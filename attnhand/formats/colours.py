"""Every colour, once: of pages in light and dark, of matrices, heat maps, the terminal and the class summary.

Style sheets speak of ``var(--teal)``; here stands what that is, and the same table colours the terminal.
"""

from collections.abc import Mapping
from typing import NamedTuple


class PageColour(NamedTuple):
    """A colour on paper and light screens, and on dark screens."""

    light: str
    dark: str


PAGE_COLOURS: Mapping[str, PageColour] = {
    "paper": PageColour("#fff", "#17181c"),
    "ink": PageColour("#111", "#f1f1f1"),
    "soft": PageColour("#444", "#c9c9cf"),
    "pale": PageColour("#666", "#a8a8b0"),
    "line": PageColour("#a9a9a9", "#6a6a72"),
    "given": PageColour("#ececec", "#2b2d34"),
    "edge": PageColour("#777", "#9a9aa3"),
    "red": PageColour("#a31515", "#ff8f85"),
    "orange": PageColour("#b35900", "#f0a04b"),
    "orange-tint": PageColour("#fbe9d3", "#4a3113"),
    "blue": PageColour("#1f5fae", "#7fb0ee"),
    "blue-tint": PageColour("#dfeaf7", "#1d3554"),
    "violet": PageColour("#6a3fb5", "#b99bf0"),
    "violet-tint": PageColour("#ebe4f7", "#362752"),
    "teal": PageColour("#0b7a75", "#4fc4bc"),
    "teal-tint": PageColour("#d9efed", "#133f3d"),
    "green": PageColour("#2c7a34", "#7fcc86"),
    "green-tint": PageColour("#dff0e0", "#1d4022"),
    "brick": PageColour("#b2332b", "#f08a80"),
    "brick-tint": PageColour("#f9e0dd", "#542420"),
}

GROUND = PageColour("#d9d9de", "#0c0d10")
"""Behind the pages, on a screen."""

TERMINAL_NUMBERS: Mapping[str, int] = {"orange": 166, "blue": 32, "violet": 134, "teal": 30, "green": 64, "brick": 167}
"""Of 256, for frames and signs: they are seen on black, dark grey, cream and white alike (3 : 1), which the 16 usual
ones are not. No colour has the 4.5 : 1 of small text on all of them: words and numbers keep the terminal's own ink."""

ACCENTS: Mapping[str, str] = {
    "keys": "orange",
    "queries": "blue",
    "scores": "violet",
    "scaled": "violet",
    "turned": "violet",
    "biased": "violet",
    "tempered": "violet",
    "masked": "violet",
    "shifted": "violet",
    "powers": "violet",
    "weights": "teal",
    "values": "green",
    "outputs": "brick",
    "appended": "orange",
    "concat": "brick",
    "output": "brick",
    "embedded": "teal",
    "added": "teal",
    "layer": "blue",
    "relu": "blue",
    "logits": "violet",
    "kept": "teal",
    "kept_weights": "teal",
    "loss": "brick",
    "gradient": "brick",
    "new_rows": "violet",
    "new_logits": "violet",
    "new_powers": "violet",
    "new_shares": "teal",
    "new_loss": "brick",
    "gradient_weights": "teal",
    "gradient_mean": "teal",
    "gradient_scores": "violet",
    "gradient_scaled": "violet",
    "gradient_queries": "blue",
    "gradient_keys": "orange",
    "gradient_values": "green",
    "largest": "violet",
    "largest_so_far": "violet",
    "rescaling": "violet",
    "block_powers": "violet",
    "block_outputs": "brick",
    "running_outputs": "brick",
    "divided": "brick",
    "residual": "teal",
    "root": "teal",
    "normed": "teal",
}
"""The colour of a matrix, by the topic of its stage, of a gradient that of what it is by; others have the ink's."""

SHADES = (
    *("#fff", "#e9f5f4", "#d3ebe9", "#bde1de", "#a7d7d3", "#91cdc8"),
    *("#7bc3bd", "#65b9b2", "#4fafa7", "#39a59c", "#239b91"),
)
"""Of a heat map: weights of 0, 0.1, … 1; in the dark too."""


class SummaryColour(NamedTuple):
    """A colour of the class summary: on light screens, dark screens, on paper."""

    light: str
    dark: str
    print: str


SUMMARY_COLOURS: Mapping[str, SummaryColour] = {
    "paper": SummaryColour("#fff", "#17181c", "#fff"),
    "ink": SummaryColour("#16181d", "#f1f1f1", "#000"),
    "soft": SummaryColour("#555b66", "#b3b6bf", "#444"),
    "line": SummaryColour("#c9ccd3", "#4a4d57", "#999"),
    "box": SummaryColour("#f1f4f9", "#22262e", "#fff"),
    "bar": SummaryColour("#1f5fae", "#7fb0ee", "#1f5fae"),
    "room": SummaryColour("#e4e8ef", "#2d323c", "#e4e8ef"),
    "shade1": SummaryColour("#fbe9d3", "#4a3113", "#fbe9d3"),
    "shade2": SummaryColour("#f6cf9f", "#6e4416", "#f6cf9f"),
    "shade3": SummaryColour("#eea765", "#9a5a15", "#eea765"),
    "shade4": SummaryColour("#d9772b", "#cf7d25", "#d9772b"),
    "shade5": SummaryColour("#a84a08", "#f3b067", "#a84a08"),
    "on-shade4": SummaryColour("#16181d", "#16181d", "#000"),
    "on-shade5": SummaryColour("#fff", "#16181d", "#fff"),
}


def read_channels(colour: str) -> bytes:
    """Return red, green and blue, from 0 to 255.

    >>> list(read_channels("#fff")), list(read_channels("#a31515"))
    ([255, 255, 255], [163, 21, 21])
    """
    digits = colour.removeprefix("#")
    return bytes.fromhex(digits if len(digits) == 6 else "".join(2 * digit for digit in digits))


def name_terminal_colour(name: str) -> str:
    """Return a colour as rich names it.

    >>> name_terminal_colour("teal")
    'color(30)'
    """
    return f"color({TERMINAL_NUMBERS[name]})"


def write_page_rules(*, for_screen: bool) -> str:
    """Return the colours of a page as style rules, on paper and in light.

    Args:
        for_screen: whether matrices have colours there; printed, red is what a key answers, and all else is ink.
    """
    accents = "".join(f"  .{topic} {{ --accent: var(--{name}); }}\n" for topic, name in ACCENTS.items())
    shades = "".join(f".shade{number} {{ background: {shade}; }}\n" for number, shade in enumerate(SHADES))
    variables = _write_variables({name: colour.light for name, colour in PAGE_COLOURS.items()})
    screen = f"@media screen {{\n{accents}}}\n" if for_screen else ""
    return f".attnhand {{ {variables} }}\n{screen}{shades}"


def write_screen_rules() -> str:
    """Return the colours of a page on a screen as style rules, in light and in the dark."""
    variables = _write_variables({name: colour.dark for name, colour in PAGE_COLOURS.items()})
    return (
        f"@media screen {{ .attnhand {{ background: {GROUND.light}; }} }}\n"
        f"@media screen and (prefers-color-scheme: dark) {{ .attnhand {{ background: {GROUND.dark}; {variables} }} }}\n"
    )


def write_summary_rules() -> str:
    """Return the colours of the class summary as style rules, in light, in the dark and on paper."""
    light, dark, on_paper = (
        _write_variables({name: colour[column] for name, colour in SUMMARY_COLOURS.items()}) for column in range(3)
    )
    return (
        f":root {{ {light} }}\n"
        f"@media (prefers-color-scheme: dark) {{ :root {{ {dark} }} }}\n"
        f"@media print {{ :root {{ {on_paper} }} }}\n"
    )


def _write_variables(colours: Mapping[str, str]) -> str:
    return " ".join(f"--{name}: {colour};" for name, colour in colours.items())
