"""The table of options: it agrees with the code that uses it."""

import ast
import re
import tomllib
from collections import Counter
from dataclasses import fields
from pathlib import Path
from typing import Any

import pytest

import attnhand
from attnhand.api import SolveArguments
from attnhand.attention.arithmetic import Base
from attnhand.attention.convention import Convention
from attnhand.attention.mechanisms import MECHANISMS, Variant
from attnhand.classroom.plan import Sort
from attnhand.formats.registry import FORMATS
from attnhand.problems.levels import Level
from attnhand.problems.reading import SETTINGS
from attnhand.sheet.option_table import (
    CLASS_FILE_OPTIONS,
    COMMAND_OPTIONS,
    InClassFile,
    PageArguments,
    Panel,
    ProblemOptions,
    find_option,
    list_declared,
    list_options,
)
from attnhand.sheet.options import PageOptions, Paper

ALL_OPTIONS = [*dict.fromkeys(option for command in COMMAND_OPTIONS for option in list_options(command))]


def names_of(declaration: Any) -> set[str]:
    """Return the names of the options of a declaration."""
    return {option.name for option in list_declared(declaration)}


def test_a_command_has_an_option_once() -> None:
    """By name, and by every way to type it."""
    assert len(COMMAND_OPTIONS) == 9
    for command in COMMAND_OPTIONS:
        names = Counter(name for option in list_options(command) for name in option.flags)
        assert names
        assert set(names.values()) == {1}


@pytest.mark.parametrize(
    ("name", "choices"),
    [
        ("mechanism", tuple(MECHANISMS)),
        ("level", tuple(Level)),
        ("convention", tuple(Convention)),
        ("paper", tuple(Paper)),
        ("sort", tuple(Sort)),
    ],
)
def test_choices_are_those_of_the_code(name: str, choices: tuple[str, ...]) -> None:
    """The table must not load what it names: help is fast."""
    assert find_option(name).choices == choices


def test_a_help_names_the_choices_of_its_type() -> None:
    """Mechanisms are written down once, and no place for choices is left open."""
    assert find_option("mechanism").help == f"Which attention: {', '.join(MECHANISMS)}; self if not said."
    assert [option.name for option in ALL_OPTIONS if "{" in option.help] == []


def test_bases_are_those_of_the_arithmetic() -> None:
    """In the order of the classroom: the usual one first."""
    assert set(find_option("base").choices) == set(Base)


def test_every_format_is_an_option() -> None:
    """In the order of the help."""
    formats = [option.name for option in list_options("generate") if option.name in FORMATS]
    assert formats == list(FORMATS)


def test_every_option_about_sheet_and_page_has_a_field() -> None:
    """Of the same name: nothing is lost between the command line and the sheet."""
    order, page = (names_of(declaration) for declaration in (ProblemOptions, PageArguments))
    assert order | page == {each.name for each in ALL_OPTIONS if each.panel in (Panel.SHEET, Panel.PAGE)} | {
        "stage",
        "slides",
    }
    assert not order & page
    assert page == {field.name for field in fields(PageOptions)}


def test_every_matrix_is_an_argument() -> None:
    """Of every mechanism, and every key of a problem file: editors complete them."""
    names = {given.name for name in MECHANISMS for given in Variant(mechanism=name).build_mechanism().given}
    assert names
    keywords = {name for name in names if name.isidentifier()}  # those of a head stand in a list, "heads"
    assert keywords | {*SETTINGS, "heads"} <= SolveArguments.__annotations__.keys()


def test_flags_have_no_value_and_all_others_an_example() -> None:
    """What the help writes after an option; of choices the example is one."""
    for option in ALL_OPTIONS:
        assert (option.kind is bool) == (option.metavar is None) == (option.example == ""), option.name
        assert not option.choices or option.example in option.choices
        assert option.kind is not int or option.example.isdigit()


def test_a_class_file_keeps_what_makes_the_set_again() -> None:
    """Seed and salt have places of their own there; what concerns one run alone is not kept."""
    of_a_class = {option.name for option in list_options("class")}
    assert of_a_class - CLASS_FILE_OPTIONS.keys() == {
        "seed",
        "salt",
        "count",
        "column",
        "like",
        "dry_run",
        "only",
        "withdraw",
        "out",
        "force",
        "jobs",
        "scheduler",
    }
    on_the_sheet = {option.name for option in list_options("class") if option.panel is Panel.SHEET}
    fixed = {name for name, option in CLASS_FILE_OPTIONS.items() if option.in_class_file is InClassFile.FIXED}
    assert fixed == on_the_sheet - {"seed", "salt"} | {"versions", "no_salt"}


def list_dashed_texts(tree: ast.Module) -> list[str]:
    """Return the texts of a module that name an option with its dashes; documentation may."""
    documentation = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    flags = {option.flag for option in ALL_OPTIONS}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation
        if flags & set(re.findall(r"--[a-z0-9-]+[a-z0-9]", node.value))
    ]


def test_no_message_below_the_command_line_names_an_option_its_way() -> None:
    """Python users read the same messages: options are named by ``name_option``, and the door spells them."""
    package = Path(attnhand.__file__).parent
    modules = [path for path in package.rglob("*.py") if path.parent.name != "cli" and path.name != "option_table.py"]
    assert len(modules) > 100
    assert list_dashed_texts(ast.parse('"--tokens 4"; raise X(f"leave out --tokens")')) == ["leave out --tokens"]
    found = {str(path): list_dashed_texts(ast.parse(path.read_text(encoding="utf-8"))) for path in modules}
    assert {path: texts for path, texts in found.items() if texts} == {}


def test_no_sentence_names_an_option_the_way_of_the_command_line() -> None:
    """But those that a class prints for its teacher: Python makes no class."""
    sentences = tomllib.loads(Path(attnhand.__file__).with_name("text").joinpath("en.toml").read_text("utf-8"))[
        "sentences"
    ]
    naming = {key for key, sentence in sentences.items() if re.search(r"--[a-z]", str(sentence))}
    assert naming == {"class.cover.simplex", "class.keys.follow"}
