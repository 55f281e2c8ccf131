"""The stream of random numbers: its definition, its golden vectors, and the same on every Python."""

import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from attnhand.problems import random_stream as stream_module
from attnhand.problems.random_stream import RECIPE, RandomStream
from tests import stream_script

SOURCE = Path(stream_module.__file__)
VERSIONS = [f"3.{minor}" for minor in range(11, 30)]
"""Pythons that the package supports, and those to come."""


def words(*labels: str) -> Iterator[int]:
    """Give the 32-bit words of the stream, from its definition."""
    text = b"attnhand/1"
    for label in labels:
        text += len(label.encode("utf-8")).to_bytes(4, "big") + label.encode("utf-8")
    key, block = sha256(text).digest(), 0
    while True:
        digest = sha256(key + block.to_bytes(8, "big")).digest()
        for at in range(0, 32, 4):
            yield int.from_bytes(digest[at : at + 4], "big")
        block += 1


def below(source: Iterator[int], n: int) -> int:
    """Draw below n from words, from its definition: words that would favour the small numbers are left out."""
    return next(word % n for word in source if word < 2**32 - 2**32 % n)


def test_golden_integers() -> None:
    """Seed 42, label X, integers from −3 to 3 are those that were promised."""
    stream = RandomStream("42", "X")
    assert [stream.draw_integer(-3, 3) for _ in range(12)] == [1, 3, -2, 2, 1, -1, 2, 0, -1, 0, 1, 2]


def test_golden_shuffle() -> None:
    """Seed 42, label perm, the numbers 0 to 5 shuffled are those that were promised."""
    assert RandomStream("42", "perm").shuffle(range(6)) == [5, 3, 0, 2, 4, 1]


def test_the_recipe_has_number_1() -> None:
    """The number of the recipe is part of every key, and stays."""
    assert RECIPE == 1


@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=4), st.lists(st.integers(1, 2**32), max_size=30))
def test_draws_are_those_of_the_definition(labels: list[str], bounds: list[int]) -> None:
    """Whatever the labels and bounds, numbers come from SHA-256 blocks as they were specified."""
    stream, source = RandomStream(*labels), words(*labels)
    assert [stream.draw_below(n) for n in bounds] == [below(source, n) for n in bounds]


@given(st.lists(st.integers(), max_size=12), st.text(st.characters(codec="utf-8")))
def test_a_shuffle_is_that_of_fisher_and_yates_from_the_end(items: list[int], label: str) -> None:
    """Each item from the last to the second changes places with one drawn from those up to it."""
    source, expected = words(label), list(items)
    for i in range(len(items) - 1, 0, -1):
        j = below(source, i + 1)
        expected[i], expected[j] = expected[j], expected[i]
    assert RandomStream(label).shuffle(items) == expected


@given(st.sets(st.integers(), max_size=12), st.data())
def test_a_sample_is_so_many_different_items(items: set[int], data: st.DataObject) -> None:
    """A sample holds as many items as were asked, each at most once."""
    count = data.draw(st.integers(0, len(items)))
    sample = RandomStream("sample").sample(sorted(items), count)
    assert len(sample) == len(set(sample)) == count
    assert set(sample) <= items


def test_labels_are_told_apart() -> None:
    """Labels that read alike when put together give different streams."""
    first = {
        labels: RandomStream(*labels).draw_below(2**32) for labels in (("a", "bc"), ("ab", "c"), ("abc",), ("", "abc"))
    }
    assert len(set(first.values())) == len(first)


def test_integers_include_both_ends_and_nothing_else() -> None:
    """A thousand draws from −3 to 3 give each of the seven numbers about as often."""
    stream = RandomStream("ends")
    counts = Counter(stream.draw_integer(-3, 3) for _ in range(1000))
    assert sorted(counts) == [-3, -2, -1, 0, 1, 2, 3]
    assert 100 < min(counts.values()) <= max(counts.values()) < 190


def test_an_item_listed_twice_is_picked_twice_as_often() -> None:
    """Items are picked by their place in the list."""
    stream = RandomStream("twice")
    counts = Counter(stream.pick("aab") for _ in range(900))
    assert 540 < counts["a"] < 660
    assert counts["a"] + counts["b"] == 900


def pythons() -> dict[str, str]:
    """Return the paths of all Pythons found, by their version: this one, those on the PATH, those of pyenv."""
    root = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv"))
    candidates = [sys.executable, *(shutil.which(f"python{version}") for version in VERSIONS)]
    candidates += [str(path) for path in sorted(root.glob("versions/3.*/bin/python3"))]
    found: dict[str, str] = {}
    for path in dict.fromkeys(candidates):
        version = _version(path) if path else None
        if path and version and tuple(map(int, version.split("."))) >= (3, 11):
            found.setdefault(version, path)
    return found


def _version(path: str) -> str | None:
    """Return the version of a Python, None for a stand-in that runs none."""
    ask = [path, "-c", "import sys; sys.stdout.write('%d.%d.%d' % sys.version_info[:3])"]
    try:
        asked = subprocess.run(ask, capture_output=True, text=True, timeout=60, check=False)
    except OSError:
        return None
    return asked.stdout if asked.returncode == 0 else None


def test_every_python_gives_the_same_stream() -> None:
    """Every Python from 3.11 on that is found draws the same numbers, with no library but its own."""
    expected = stream_script.draw_values(str(SOURCE))
    assert expected["X"] == [1, 3, -2, 2, 1, -1, 2, 0, -1, 0, 1, 2]
    assert expected["perm"] == [5, 3, 0, 2, 4, 1]
    found = pythons()
    assert "{}.{}.{}".format(*sys.version_info) in found
    for version, path in found.items():
        command = [path, "-I", stream_script.__file__, str(SOURCE)]
        ran = subprocess.run(command, capture_output=True, text=True, timeout=60, check=False)
        assert ran.returncode == 0, f"Python {version}: {ran.stderr}"
        assert json.loads(ran.stdout) == expected, f"Python {version}"


def test_a_python_that_is_only_a_stand_in_is_passed_over(tmp_path: Path) -> None:
    """A name on the PATH that runs no Python does not count as one."""
    stand_in = tmp_path / "python3.12"
    stand_in.write_text("#!/bin/sh\nexit 127\n")
    stand_in.chmod(0o755)
    assert _version(str(stand_in)) is None
    assert _version(str(tmp_path / "nothing")) is None


@pytest.mark.parametrize("n", [2**31 + 1, 2**32 - 1, 3 * 2**30])
def test_large_bounds_are_not_biased(n: int) -> None:
    """Numbers below a bound near 2³² are spread evenly, because words beyond its multiple are drawn again."""
    stream = RandomStream("bias", str(n))
    lower_half = sum(stream.draw_below(n) < n // 2 for _ in range(1000))
    assert 430 < lower_half < 570
