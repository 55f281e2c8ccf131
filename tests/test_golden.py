"""What a seed gives is a promise: the matrices of a hundred seeds a level, kept as text."""

import pytest

from attnhand.levels import Level
from attnhand.stream import RECIPE
from tests.golden.refresh import FOLDER, SEEDS, golden_lines

KEPT = FOLDER / f"recipe-{RECIPE}"


def test_there_is_one_golden_file_a_level() -> None:
    """No level goes without its golden file, and no file is left over."""
    assert sorted(path.name for path in KEPT.iterdir()) == sorted(f"{level}.txt" for level in Level)


@pytest.mark.parametrize("level", Level)
def test_seeds_give_the_kept_matrices(level: Level) -> None:
    """Changed, missing and extra lines all fail."""
    kept = (KEPT / f"{level}.txt").read_text(encoding="ascii").splitlines()
    assert [line.split()[0] for line in kept] == [str(seed) for seed in SEEDS]
    fresh = golden_lines(level)
    changed = sorted(set(kept) ^ set(fresh), key=lambda line: int(line.split()[0]))
    assert not changed, "\n".join(f"{'kept ' if line in kept else 'fresh'} {line}" for line in changed)
    assert kept == fresh


def test_levels_draw_from_their_own_numbers() -> None:
    """Warm-up sheets have 0, 1 and 2, standard ones −1 as well, challenging ones −2 to 2."""
    drawn = {
        level: {
            int(word)
            for line in (KEPT / f"{level}.txt").read_text(encoding="ascii").splitlines()
            for word in line.split()[1:]
            if word.lstrip("-").isdigit()
        }
        for level in Level
    }
    assert drawn == {Level.WARM_UP: {0, 1, 2}, Level.STANDARD: {-1, 0, 1, 2}, Level.CHALLENGE: {-2, -1, 0, 1, 2}}
