"""Where a sheet goes: no two of its files have one name, and none that is blank holds the key."""

from itertools import combinations, product
from pathlib import Path

import pytest

from attnhand.errors import AttnhandError
from attnhand.formats.destination import FileOptions, plan_files
from attnhand.formats.registry import FORMATS
from attnhand.formats.sources import make_sheet_from_data
from attnhand.sheet.options import PageOptions
from attnhand.sheet.order import SheetOrder
from tests.forms import PRACTICE_FORMATS

EYE = [[1, 0], [0, 1]]
OWN = {"given": {"X": EYE, "W_Q": EYE, "W_K": EYE, "W_V": EYE}}
NAMED = make_sheet_from_data(OWN, "mine.json", "mine", SheetOrder(), PageOptions())
SOME_FORMATS = [chosen for count in range(3) for chosen in combinations(FORMATS, count)]
PRACTICE_SUFFIXES = {FORMATS[name].suffix for name in PRACTICE_FORMATS}
PLACES = (None, "there/", "week.3", "sheet.PDF", "there/sheet.md", ".html")


@pytest.mark.parametrize("out", PLACES)
def test_every_combination_is_refused_or_gives_one_file_for_each_format_and_sheet(out: str | None) -> None:
    """Of up to two formats, blank and key: as many files, each of its own name, suffix and sheet."""
    planned_count = 0
    for formats, blank, solved in product(SOME_FORMATS, (False, True), (False, True)):
        options = FileOptions(formats=formats, blank=blank, solved=solved, out=out)
        try:
            files = plan_files(NAMED, options)
        except AttnhandError:
            continue
        planned_count += len(files)
        assert not (blank and solved)
        suffixes = [file_format.suffix for file_format in map(FORMATS.__getitem__, formats)]
        if not formats:
            suffixes = [Path(out).suffix.lower()] if out and Path(out).suffix else []
        which = [solved] if blank or solved else [False, True]
        expected = [
            (suffix, is_key) for suffix in suffixes for is_key in which if suffix not in PRACTICE_SUFFIXES or not is_key
        ]
        assert len(files) == len(expected)
        for file, (suffix, is_key) in zip(files, expected, strict=True):
            assert file.path is not None
            assert str(file.path).lower().endswith(suffix)
            assert file.sheet.is_solved is is_key
        assert len({file.path for file in files}) == len(files)
    assert planned_count


def test_a_file_of_questions_is_named_whole() -> None:
    """An option is enough for quiz.xml; without one the name says which platform; a folder gets both names."""
    for name, formats in (("quiz.xml", ("moodle",)), ("quiz-moodle.xml", ()), ("quiz-moodle.xml", ("moodle",))):
        (file,) = plan_files(NAMED, FileOptions(formats=formats, out=name))
        assert (str(file.path), file.file_format.name) == (name, "moodle")
    (file,) = plan_files(NAMED, FileOptions(formats=("moodle",)))
    assert str(file.path) == "mine-moodle.xml"
    with pytest.raises(AttnhandError, match="does not say which format"):
        plan_files(NAMED, FileOptions(out="quiz.xml"))
    for name, formats in (("quiz.zip", ("qti12",)), ("quiz-qti21.zip", ()), ("quiz-qti21.zip", ("qti21",))):
        (file,) = plan_files(NAMED, FileOptions(formats=formats, out=name))
        assert str(file.path) == name
        assert file.file_format.name == (formats or ("qti21",))[0]
    with pytest.raises(AttnhandError, match="`moodle=` checks the work itself"):
        plan_files(NAMED, FileOptions(formats=("moodle",), solved=True))


def test_standard_output_takes_one_format_of_one_sheet() -> None:
    """The blank one, unless the key is asked for; without a format the sheet goes to the terminal."""
    for solved in (False, True):
        (file,) = plan_files(NAMED, FileOptions(formats=("json",), out="-", solved=solved))
        assert (file.path, file.sheet.is_solved) == (None, solved)
        assert file.render() == FORMATS["json"].render_file(NAMED.sheet.key if solved else NAMED.sheet.blank)
    assert plan_files(NAMED, FileOptions(out="-")) == plan_files(NAMED, FileOptions()) == ()
