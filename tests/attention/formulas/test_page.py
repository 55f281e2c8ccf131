"""The page about formulas shows those that there are."""

import re
from doctest import DocTestParser, DocTestRunner

import pytest

from attnhand.attention.arithmetic import HAND, Arithmetic
from attnhand.attention.formulas.cells import find_spot, list_read_cells
from attnhand.attention.formulas.kinds import ExactNumbers
from attnhand.attention.formulas.reading import read_formula, read_formulas
from attnhand.attention.formulas.working import measure_reads, work_stages
from attnhand.attention.formulas.writing import write_cell
from attnhand.attention.mechanisms import Variant
from attnhand.attention.slips import SLIPS
from tests.house import PACKAGE

PAGE = (PACKAGE / "README.md").read_text(encoding="utf-8")


def read_block(name: str) -> str:
    """Return the lines between two marks of the page."""
    (block,) = re.findall(rf"<!-- {name} -->\n(.*?)<!-- end of {name} -->", PAGE, re.DOTALL)
    return str(block)


def test_the_formulas_shown_are_those_of_attention() -> None:
    """Line by line the causal form of self-attention."""
    assert read_formulas(read_block("formulas")) == Variant(is_causal=True).build_mechanism().formulas.formulas


def test_the_lines_of_python_print_what_is_shown() -> None:
    """Each as an interpreter has it, the names imported from the modules that are listed."""
    names = {
        "ExactNumbers": ExactNumbers,
        "Arithmetic": Arithmetic,
        "HAND": HAND,
        "Variant": Variant,
        "measure_reads": measure_reads,
        "work_stages": work_stages,
        "find_spot": find_spot,
        "list_read_cells": list_read_cells,
        "write_cell": write_cell,
    }
    lines = DocTestParser().get_doctest(read_block("formulas in Python"), dict(names), "page", None, None)
    assert len(lines.examples) > 5
    assert DocTestRunner().run(lines).failed == 0


def test_the_slips_shown_are_slips() -> None:
    """Each as the table has it."""
    shown = read_formulas(read_block("slips as formulas"))
    assert len(shown) == 3
    assert set(shown) <= {read_formula(line) for slip in SLIPS for _, line in slip.lines}


@pytest.mark.parametrize("folder", ["formulas", "mechanisms"])
def test_every_module_is_listed(folder: str) -> None:
    """In the order of reading, each once."""
    table = PAGE.partition(f"| module of `attention/{folder}/` |")[2].partition("\n\n")[0]
    listed = [name for row in table.splitlines()[2:] for name in re.findall(r"`(\w+)`", row.split("|")[1])]
    modules = {path.stem for path in (PACKAGE / "attention" / folder).glob("*.py")} - {"__init__"}
    assert sorted(listed) == sorted(modules)
