"""``class.toml``: read as it was written, and refused where it was not."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.classroom.class_file import ClassFile, format_class_toml, read_class_toml
from attnhand.errors import RosterError

SALTS = st.text("0123456789abcdef", min_size=32, max_size=32) | st.just("")
TITLES = st.text(st.characters(exclude_categories=["Cs"])).map(lambda title: {"title": title})


@given(st.builds(ClassFile, seed=st.integers(0, 2**32 - 1), salt=SALTS, options=TITLES))
def test_class_toml_is_read_as_it_was_written(class_file: ClassFile) -> None:
    """Whatever its texts hold."""
    assert read_class_toml(format_class_toml(class_file).encode()) == class_file


NO_SALT, TYPED_SALT = (
    b"[class]\nseed = 1\nsalt = %b\nlast = 0\nrecipe = 1\n[options]" % salt for salt in (b"2", b'"mint"')
)


@pytest.mark.parametrize("data", [b"", b"[class]\n", b"\xff", NO_SALT, TYPED_SALT])
def test_another_class_toml_is_refused(data: bytes) -> None:
    """In one sentence that says what to do."""
    with pytest.raises(RosterError, match="is not as the program wrote it: give the one"):
        read_class_toml(data)
