"""The page about formulas shows those that there are."""

import re

from attnhand.attention.formulas.kit import build_mechanism
from attnhand.attention.formulas.reading import read_formulas
from attnhand.attention.formulas.slips import list_slips
from attnhand.attention.mechanisms import Variant
from tests.house import PACKAGE

PAGE = (PACKAGE / "README.md").read_text(encoding="utf-8")


def read_block(name: str) -> str:
    """Return the lines between two marks of the page."""
    (block,) = re.findall(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", PAGE, re.DOTALL)
    return str(block)


def test_the_formulas_shown_are_those_of_attention() -> None:
    """Line by line the causal form of self-attention."""
    assert read_formulas(read_block("formulas")) == build_mechanism(Variant(is_causal=True)).formulas


def test_the_slips_shown_are_slips() -> None:
    """Each as the table has it."""
    shown = read_formulas(read_block("slips as formulas"))
    assert len(shown) == 3
    known = {formula for topic in ("scaled", "weights", "powers") for s in list_slips(topic) for formula in s.formulas}
    assert set(shown) <= known


def test_every_module_is_listed() -> None:
    """In the order of reading, each once."""
    table = PAGE.partition("| module of `attention/formulas/` |")[2].partition("\n\n")[0]
    listed = [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    modules = {path.stem for path in (PACKAGE / "attention" / "formulas").glob("*.py")} - {"__init__"}
    assert sorted(listed) == sorted(modules)
