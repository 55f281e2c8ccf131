"""Write the golden matrices again: ``python -m tests.golden.refresh``, from the top of the repository.

A seed printed on paper is a promise. These files say what seeds 0 to 99 of each level give under recipe 1; they
change only before a recipe is released. Afterwards another recipe gets files of its own, and these stay.
"""

from pathlib import Path

from attnhand.generator import generate_problem
from attnhand.levels import Level
from attnhand.request import Request
from attnhand.stream import RECIPE

FOLDER = Path(__file__).parent
SEEDS = range(100)


def golden_files() -> dict[str, str]:
    """Return what each golden file should hold, by its path in this folder."""
    return {f"recipe-{RECIPE}/{level}.txt": "".join(f"{line}\n" for line in golden_lines(level)) for level in Level}


def golden_lines(level: Level) -> list[str]:
    """Return a line a seed: ``7  X: 1 0 2 / 0 1 0  W_Q: …``, rows parted by slashes."""
    return [f"{seed}  {_matrices(Request(seed=seed, level=level))}" for seed in SEEDS]


def _matrices(request: Request) -> str:
    return "  ".join(
        f"{name}: " + " / ".join(" ".join(str(value) for value in row) for row in a)
        for name, a in generate_problem(request).given
    )


def main() -> None:
    """Write all files anew and remove those of the current recipe that are no longer made."""
    files = golden_files()
    for old in FOLDER.glob(f"recipe-{RECIPE}/*"):
        if old.relative_to(FOLDER).as_posix() not in files:
            old.unlink()
    for name, text in files.items():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
