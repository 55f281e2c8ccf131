"""The questions of a part of a language model, in every format: asked on all, answered on keys alone."""

import pytest

import attnhand
from attnhand.formats.package import unpack_files
from attnhand.formats.registry import FORMATS
from attnhand.problems.model_parts import MODEL_PARTS
from attnhand.sheet.questions import build_questions
from tests.breadth import choose
from tests.formats.otter_tests import make_variables, run_hidden_tests
from tests.forms import PRACTICE_FORMATS, TEXT_FORMATS
from tests.marking.handing_in import write_key

SAID = {
    "words": ("that the table lacks", "and stay"),
    "head-1": ("stood at place 3", "There are other right answers"),
    "head-2": ("had a place", "bag of words"),
    "stream": ("ten times as large", "what the heads report"),
    "network": ("two heads report one number each", "Both cannot be"),
    "next-word": ("two ten-sided dice", "as a contract wants"),
    "learn": ("What was forgotten?", "serves all sentences"),
    "write-on": ("Tick the old numbers", "two numbers each"),
    "word-after": ("it has read 1000 words", "left to chance"),
}
"""What a sheet asks, and what its key says: of every other part the last."""

TAKEN_AWAY = ("Which sentences does it now get wrong", "now it says")

PACKAGES = {"scorm", "qti12", "qti21"}

ASKS_ALL = {"stack", "notebook"}
"""They are for sheets that ask every token."""


@pytest.mark.parametrize("part", MODEL_PARTS)
def test_every_format_asks_and_keys_answer(part: str) -> None:
    """Formats that mark hold the key too, as they say; but in ``make sweep`` a part is asked in every other."""
    sheet = attnhand.generate(seed=1, part=part, self_check=True)
    asked, answered = SAID.get(part, TAKEN_AWAY)
    asks_some = MODEL_PARTS[part].asked_tokens is not None
    formats = (*TEXT_FORMATS, *PRACTICE_FORMATS)
    for name in choose(formats[[*MODEL_PARTS].index(part) % 2 :: 2], formats):
        if name == "csv" or (asks_some and name in ASKS_ALL):
            continue
        file = FORMATS[name].render(sheet.blank)
        text = "".join(unpack_files(file).values()) if name in PACKAGES else file.decode()
        assert asked in text, name
    for name in ("json", "markdown", "tex"):
        assert answered not in FORMATS[name].render(sheet.blank).decode(), name
        assert answered in FORMATS[name].render(sheet.key).decode(), name


@pytest.mark.parametrize("part", ["words", "network"])
def test_a_notebook_marks_them_without_drawing_the_model_again(part: str) -> None:
    """It has the model in it, and runs from itself alone: so a salt need not be known."""
    sheet = attnhand.generate(seed=1, part=part, salt="a salt for our own class")
    right = {each.name: each.plain_answer for each in build_questions(sheet.key) if each.name}
    for answers, is_right in ((right, True), (dict.fromkeys(right, "17"), False)):
        variables = make_variables(sheet, write_key(sheet), answers)
        found = run_hidden_tests(FORMATS["notebook"].render(sheet.blank).decode(), variables, is_alone=True)
        assert {name: found[name].sentences == [] for name in right} == dict.fromkeys(right, is_right)
