"""Write the golden matrices again: ``python -m tests.golden.refresh``, from the top of the repository.

A seed printed on paper is a promise. These files say what seeds 0 to 99 of each level and mechanism give under
recipe 1 (the first ten of other forms, such as those with a mask); they change only before a recipe is released.
Afterwards another recipe gets files of its own, and these stay.
"""

from pathlib import Path

from attnhand.problems.generator import generate_problem
from attnhand.problems.levels import Level
from attnhand.problems.random_stream import RECIPE
from attnhand.problems.request import Request
from tests.forms import FORMS

FOLDER = Path(__file__).parent

MECHANISM_FORMS = ("self", "basic", "cross", "multi-head-2", "block-1")
"""The usual form of every mechanism."""


def make_golden_files() -> dict[str, str]:
    """Return what each golden file should hold, by its path in this folder."""
    return {
        f"recipe-{RECIPE}/{name_golden_file(form, level)}": "".join(
            f"{line}\n" for line in make_golden_lines(form, level)
        )
        for form in FORMS
        for level in Level
    }


def name_golden_file(form: str, level: Level) -> str:
    """Return the name of a golden file; those of self-attention have that of their level alone."""
    return f"{level}.txt" if form == "self" else f"{form}-{level}.txt"


def choose_golden_seeds(form: str) -> range:
    """Return which seeds are kept: a hundred of every mechanism."""
    return range(100) if form in MECHANISM_FORMS else range(10)


def make_golden_lines(form: str, level: Level) -> list[str]:
    """Return a line a seed: ``7  X: 1 0 2 / 0 1 0  W_Q: …``, rows parted by slashes."""
    return [
        f"{seed}  {_format_matrices(Request(seed=seed, variant=FORMS[form], level=level))}"
        for seed in choose_golden_seeds(form)
    ]


def _format_matrices(request: Request) -> str:
    return "  ".join(
        f"{name}: " + " / ".join(" ".join(str(value) for value in row) for row in a)
        for name, a in generate_problem(request).given
    )


def main() -> None:
    """Write all files anew and remove those of the current recipe that are no longer made."""
    files = make_golden_files()
    for old in FOLDER.glob(f"recipe-{RECIPE}/*"):
        if old.relative_to(FOLDER).as_posix() not in files:
            old.unlink()
    for name, text in files.items():
        path = FOLDER / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="ascii")


if __name__ == "__main__":
    main()
