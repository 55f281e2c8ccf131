"""What the README says and the program knows, made anew: ``python -m tests.readme`` prints outputs and mistakes."""

import os
import re
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from attnhand.attention.operations import (
    Add,
    Concatenate,
    Divide,
    LookUp,
    Mask,
    Operation,
    Positions,
    Power,
    Product,
    ReLU,
    Role,
    ScaleScores,
    Sum,
)
from attnhand.attention.slips import SLIPS
from attnhand.marking.evidence import GENERICS
from attnhand.text import LANGUAGES

README = Path(__file__).parent.parent / "README.md"

LEFT_OUT = "…"
"""Stands for the rest of an output."""

BLOCK = re.compile(r"(?<=```console\n)(.*?)(?=```)", re.DOTALL)


MISTAKES = re.compile(r"(?<=<!-- mistakes -->\n\n)(.*?)(?=\n?<!-- end of mistakes -->)", re.DOTALL)

PLACES: dict[tuple[type[Operation], tuple[Role, ...]], str] = {
    (LookUp, ()): "X or E, words",
    (Positions, ()): "P, positions",
    (Add, ()): "X = E + P",
    (Product, (Role.PROJECTION,)): "Q, K, V",
    (Product, (Role.PROJECTION, Role.LAYER)): "Q, K, V, output, F1, F2",
    (Product, (Role.PROJECTION, Role.MIXTURE, Role.LAYER)): "Q, K, V, Z, output, F1, F2",
    (Product, tuple(Role)): "every product",
    (Product, (Role.LAYER,)): "F1, F2",
    (Product, (Role.SCORES,)): "S",
    (ScaleScores, ()): "scaled",
    (Mask, ()): "masked",
    (Power, ()): "powers",
    (Sum, ()): "sums",
    (Divide, ()): "A",
    (Product, (Role.MIXTURE,)): "Z",
    (Concatenate, ()): "concat",
    (ReLU, ()): "relu1, relu2",
}
"""What a slip distorts, as the sheet calls it."""

ANYWHERE = "any stage"


def mistakes_table() -> str:
    """Return the README's table of slips: where, and id by id what was done."""
    told: dict[str, list[str]] = {place: [] for place in (*PLACES.values(), ANYWHERE)}
    for place, id in (
        *((PLACES[slip.at, slip.roles], slip.id) for slip in SLIPS),
        *((ANYWHERE, id) for id in GENERICS),
    ):
        told[place].append(f"`{id}`: {LANGUAGES['en'][f'slip.{id}']}")
    rows = "".join(f"| {place} | {' · '.join(slips)} |\n" for place, slips in told.items() if slips)
    return f"| at | whoever makes it has … |\n|---|---|\n{rows}"


@dataclass(frozen=True, slots=True)
class Command:
    """A command with the lines it is said to print."""

    line: str
    told: tuple[str, ...]

    @property
    def is_refused(self) -> bool:
        """Say whether the README shows how this command is refused."""
        return bool(self.told) and self.told[0].startswith("attnhand: ")

    @property
    def code(self) -> int:
        """The exit code that it leaves with: ``check`` shows somebody who is not done yet."""
        return 2 if self.is_refused else 1 if " not right yet" in "".join(self.told) else 0

    def shown(self, printed: list[str]) -> tuple[str, ...]:
        """Return what the README shows of an output: as many lines as before where it leaves some out."""
        return (*printed[: len(self.told) - 1], LEFT_OUT) if LEFT_OUT in self.told[-1:] else tuple(printed)


def commands(block: str) -> list[Command]:
    """Return the commands of a console block.

    >>> commands("$ attnhand --version\\nattnhand 1\\n$ true\\n")
    [Command(line='attnhand --version', told=('attnhand 1',)), Command(line='true', told=())]
    """
    parts = re.split(r"^\$ ", block, flags=re.MULTILINE)[1:]
    return [Command(line, tuple(told)) for line, *told in (part.splitlines() for part in parts)]


def run(command: Command, folder: Path) -> tuple[int, list[str]]:
    """Run a command in a folder; return its exit code and the lines that it printed."""
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


def main() -> None:
    """Run every command of the README in order and write down what it prints now."""
    with tempfile.TemporaryDirectory() as folder:

        def renewed(block: re.Match[str]) -> str:
            lines: list[str] = []
            for command in commands(block[0]):
                lines += [f"$ {command.line}", *command.shown(run(command, Path(folder))[1])]
            return "".join(f"{line}\n" for line in lines)

        text = BLOCK.sub(renewed, README.read_text(encoding="utf-8"))
    README.write_text(MISTAKES.sub(lambda _: mistakes_table(), text), encoding="utf-8")


if __name__ == "__main__":
    main()
