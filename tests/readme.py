"""What the README files say and the program knows, made again by ``python -m tests.readme``: outputs, slips, rooms."""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from attnhand.attention.mechanisms.products import ProductRole
from attnhand.attention.slips import SLIPS
from attnhand.marking.marks import GENERIC_SLIPS
from attnhand.text import get_language
from tests.house import PACKAGE, ROOT, make_house_tree

FRONT_PAGE = ROOT / "README.md"
PROGRAM_PAGE = PACKAGE / "README.md"
MARKING_PAGE = PACKAGE / "marking" / "README.md"

README_PATHS = (
    FRONT_PAGE,
    *sorted(path for folder in ("attnhand", "samples", "tests") for path in (ROOT / folder).rglob("README.md")),
)
"""Every README of the project; each one's console blocks are run in an empty folder, in order."""

PAGE_PATHS = (
    *(str(path.relative_to(ROOT)) for path in README_PATHS),
    "samples/exports.md",
    "CONTRIBUTING.md",
    "CHANGELOG.md",
)
"""Every page that people read about the project, by its path in the repository."""

ELLIPSIS = "…"
"""Stands for the rest of an output."""

CONSOLE_BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)


SLIPS_BLOCK = re.compile(r"(?<=<!-- slips -->\n\n)(.*?)(?=\n?<!-- end of slips -->)", re.DOTALL)
HOUSE_BLOCK = re.compile(r"(?<=<!-- house -->\n\n)(.*?)(?=\n?<!-- end of house -->)", re.DOTALL)

STAGE_NAMES_BY_PLACE: dict[tuple[str, ...], str] = {
    ("embedded",): "X or E, words",
    ("positions",): "P, positions",
    ("added",): "X = E + P",
    ("queries", "keys", "values"): "Q, K, V",
    ("projection",): "Q, K, V",
    ("projection", "layer"): "Q, K, V, output, F₁, F₂",
    ("projection", "mixture", "layer"): "Q, K, V, Z, output, F₁, F₂",
    tuple(ProductRole): "every product",
    ("with a bias",): "where a bias is added",
    ("projection", "layer", "scores", "mixture"): "every product",
    ("scores",): "S",
    ("turned",): "Q′, K′",
    ("turn", "rotation"): "Q′, K′",
    ("scaled",): "scaled",
    ("appended",): "K_all, V_all",
    ("biased",): "biased",
    ("tempered",): "tempered",
    ("new_rows", "new_logits"): "W_U′, logits′",
    ("shifted",): "shifted",
    ("masked",): "masked",
    ("powers",): "powers",
    ("sums",): "sums",
    ("weights",): "A",
    ("mixture",): "Z",
    ("concat",): "concat",
    ("relu",): "relu₁, relu₂",
    ("residual",): "R₁, R₂",
    ("squares",): "squares₁, squares₂",
    ("root",): "r₁, r₂",
    ("normed",): "N₁, N₂",
    ("shifted", "block_powers"): "shifted, powers₁, powers₂",
    ("sums", "weights"): "sums, A",
    ("largest_so_far",): "m₂",
    ("rescaling",): "f₂",
    ("running_sums", "running_outputs"): "l₂, o₂",
    ("divided",): "Z of blocks",
    ("kept_weights",): "p_k",
    ("loss",): "loss",
    ("gradient",): "g",
    ("gradient_weights",): "dA",
    ("gradient_mean",): "d",
    ("gradient_scores",): "dS",
    ("slope",): "dS′",
}
"""What a slip distorts, as the sheet calls it."""

ANYWHERE = "any stage"


def read_page(page: str) -> str:
    """Return the text of a page of the project."""
    return (ROOT / page).read_text(encoding="utf-8")


def make_slips_table() -> str:
    """Return the README's table of slips: where, and id by id what was done."""
    slips_by_place: dict[str, list[str]] = {place: [] for place in (*STAGE_NAMES_BY_PLACE.values(), ANYWHERE)}
    for place, id in (
        *((STAGE_NAMES_BY_PLACE[slip.places], slip.id) for slip in SLIPS),
        *((ANYWHERE, id) for id in GENERIC_SLIPS),
    ):
        sentences = get_language("en").sentences
        done = sentences.get(f"slip.{id}") or sentences[f"slip.{id}.columns"]
        slips_by_place[place].append(f"`{id}`: {done}")
    rows = "".join(f"| {place} | {' · '.join(slips)} |\n" for place, slips in slips_by_place.items() if slips)
    return f"| at | whoever makes it has … |\n|---|---|\n{rows}"


@dataclass(frozen=True, slots=True)
class Command:
    """A command with the lines it is said to print."""

    line: str
    expected_lines: tuple[str, ...]

    @property
    def is_refused(self) -> bool:
        """Say whether the README shows how this command is refused."""
        return bool(self.expected_lines) and self.expected_lines[0].startswith("attnhand: ")

    @property
    def expected_exit_code(self) -> int:
        """The exit code that it leaves with; ``check`` leaves with 1 where not everything is right."""
        return 2 if self.is_refused else 1 if " not right yet" in " ".join(self.expected_lines) else 0

    def shorten_output(self, printed: list[str]) -> tuple[str, ...]:
        """Return what the README shows of an output: as many lines as before where it leaves some out."""
        return (
            (*printed[: len(self.expected_lines) - 1], ELLIPSIS)
            if ELLIPSIS in self.expected_lines[-1:]
            else tuple(printed)
        )


def parse_commands(block: str) -> list[Command]:
    """Return the commands of a console block.

    >>> [command.line for command in parse_commands("$ attnhand --version\\nattnhand 1\\n$ true\\n")]
    ['attnhand --version', 'true']
    >>> parse_commands("$ attnhand --version\\nattnhand 1\\n")[0].expected_lines
    ('attnhand 1',)
    """
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [Command(line, tuple(lines)) for line, *lines in (part.splitlines() for part in parts)]


def run_command(command: Command, folder: Path) -> tuple[int, list[str]]:
    """Run a command in a folder, in a shell; return its exit code and the lines that it printed."""
    environment = {**os.environ, "PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    done = subprocess.run(
        ["bash", "-c", f"set -o pipefail; {command.line}"],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return done.returncode, done.stdout.splitlines()


def refresh(text: str) -> str:
    """Return a README with what its commands print now, the slips and the rooms."""
    with tempfile.TemporaryDirectory() as folder:

        def run_block(block: re.Match[str]) -> str:
            lines: list[str] = []
            for command in parse_commands(block[0]):
                lines += [f"$ {command.line}", *command.shorten_output(run_command(command, Path(folder))[1])]
            return "".join(f"{line}\n" for line in lines)

        text = CONSOLE_BLOCK.sub(run_block, text)
    text = SLIPS_BLOCK.sub(lambda _: make_slips_table(), text)
    return HOUSE_BLOCK.sub(lambda _: make_house_tree(), text)


def main() -> None:
    """Refresh every README."""
    for path in README_PATHS:
        path.write_text(refresh(path.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
