"""What the tests of languages share: a second language."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from attnhand.text import LANGUAGES, get_language
from attnhand.text.language import PLURAL_RULES
from tests.languages import CODE, write_file


@pytest.fixture
def invented_language(tmp_path: Path, work_here: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Return the code of the made-up language, known while a test runs."""
    write_file(tmp_path / "xx.toml")
    monkeypatch.setitem(LANGUAGES, CODE, str(tmp_path / "xx.toml"))
    monkeypatch.setitem(PLURAL_RULES, CODE, PLURAL_RULES["pl"])
    get_language.cache_clear()
    yield CODE
    get_language.cache_clear()
