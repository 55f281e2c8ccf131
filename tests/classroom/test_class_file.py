"""``class.toml``: read as it was written, and refused where it was not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.classroom.class_file import ClassFile, format_class_toml, read_class_toml
from attnhand.errors import RosterError


@given(st.builds(ClassFile, seed=st.integers(0, 2**32 - 1), salt=st.text(st.characters(exclude_categories=["Cs"]))))
def test_class_toml_is_read_as_it_was_written(class_file: ClassFile) -> None:
    """Whatever the salt holds."""
    assert read_class_toml(format_class_toml(class_file).encode()) == class_file


NO_SALT = b"[class]\nseed = 1\nsalt = 2\nlast = 0\nrecipe = 1\n[options]"


@pytest.mark.parametrize("data", [b"", b"[class]\n", b"\xff", NO_SALT])
def test_another_class_toml_is_refused(data: bytes) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(RosterError, match="is not as the program wrote it: give the one"):
        read_class_toml(data)
